/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * write.c - JSON strings and numbers, CSV fields, and whether a stream took them.
 *
 * Errors of a stream are sticky, so that writers look once, at the end.
 */
#include "report/report.h"
#include "report/write.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/format.h"
#include "base/visible.h"

void report_write(FILE *out, const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    (void)hl_vformat(text, sizeof(text), format, args);
    va_end(args);
    (void)fputs(text, out);
}

void report_line(FILE *out, const char *format, ...)
{
    enum { LINE_BYTES = 4096 };
    char text[LINE_BYTES], visible[LINE_BYTES];
    va_list args;

    va_start(args, format);
    (void)hl_vformat(text, sizeof(text), format, args);
    va_end(args);
    (void)fprintf(out, "%s\n", hl_visible(visible, sizeof(visible), text));
}

void report_write_json_string(FILE *out, const char *text)
{
    (void)fputc('"', out);
    while (*text != '\0') {
        size_t bytes = hl_utf8_bytes(text);

        if (bytes == 0)
            (void)fputs("\\ufffd", out);
        else if (*text == '"' || *text == '\\')
            (void)fprintf(out, "\\%c", *text);
        else if (*text == '\n')
            (void)fputs("\\n", out);
        else if (*text == '\t')
            (void)fputs("\\t", out);
        else if ((unsigned char)*text < ' ' || *text == 0x7f)
            (void)fprintf(out, "\\u%04x", (unsigned)*text);
        else
            (void)fwrite(text, 1, bytes, out);
        text += bytes == 0 ? 1 : bytes;
    }
    (void)fputc('"', out);
}

void report_write_json_number(FILE *out, double value)
{
    char text[HL_EXACT_BYTES];

    (void)fputs(isfinite(value) ? hl_format_exact(text, value) : "null", out);
}

void report_write_json_member(FILE *out, const char *before, const char *key, double value)
{
    (void)fprintf(out, "%s\"%s\":", before, key);
    report_write_json_number(out, value);
}

void report_write_json_text(FILE *out, const char *key, const char *text)
{
    (void)fprintf(out, "\"%s\":", key);
    report_write_json_string(out, text);
    (void)fputc(',', out);
}

void report_write_csv_field(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        (void)fputs(text, out);
        return;
    }
    (void)fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            (void)fputc('"', out);
        (void)fputc(*text, out);
    }
    (void)fputc('"', out);
}

enum hl_status report_write_end(FILE *out, struct hl_error *err)
{
    errno = 0;
    if (fflush(out) == 0 && !ferror(out))
        return HL_OK;
    return hl_fail(err, HL_NOT_PERMITTED, "cannot write the report: %s",
                   errno == 0 ? "the stream failed before" : strerror(errno));
}
