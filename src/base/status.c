/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * status.c - failure texts and exit codes.
 */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

enum hl_status hl_fail(struct hl_error *err, enum hl_status status, const char *format, ...)
{
    va_list args;

    if (err == NULL)
        return status;
    err->status = status;
    va_start(args, format);
    (void)vsnprintf(err->text, sizeof(err->text), format, args);
    va_end(args);
    /* Input text may be quoted in a message; the message stays one line all the same. */
    for (char *c = err->text; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    return status;
}

int hl_exit_code(enum hl_status status)
{
    switch (status) {
    case HL_OK: return 0;
    case HL_USAGE: return 1;
    case HL_REGRESSION: return 2;
    case HL_RUN_FAILED: return 3;
    case HL_BAD_INPUT: return 4;
    case HL_NOT_PERMITTED:
    case HL_UNSUPPORTED: return 5;
    case HL_NO_MEMORY:
    case HL_BAD_POLICY:
    case HL_INTERNAL: return 6;
    case HL_INTERRUPTED: return 130;
    }
    return 6;
}
