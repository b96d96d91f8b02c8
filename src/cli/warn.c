/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * warn.c - what is worth knowing and stops nothing, on standard error.
 */
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/cli.h"

void cli_warn(const char *format, ...)
{
    va_list args;

    /* A line of its own, also where a progress bar stands. */
    (void)fprintf(stderr, "%shalfload: warning: ", isatty(STDERR_FILENO) == 1 ? "\r\033[K" : "");
    va_start(args, format);
    (void)vfprintf(stderr, format, args);
    va_end(args);
    (void)fputc('\n', stderr);
}
