/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tool_output.c - the lines that count, in output that has many others.
 *
 * openssl 1.1 and 3 print for `speed -multi 2 rsa1024`, after a lot:
 *
 *                      sign    verify    sign/s verify/s
 *     rsa 1024 bits 0.000165s 0.000009s   6076.5 108571.9
 *
 * and since 3.2 two columns of times and two of rates more (encrypt, decrypt); so columns go by
 * their names. The first three words of the second line have no name above them.
 */
#include "host/tool_output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { FIELDS_MAX = 16, FIELD_BYTES = 32, UNNAMED = 3 };

struct line {
    char field[FIELDS_MAX][FIELD_BYTES]; /* longer ones are cut, and then are no number or name */
    int count;
};

/* The fields of the line at *text; leaves *text at the next one. False at the end. */
static bool next_line(const char **text, struct line *line)
{
    static const char blanks[] = " \t\r";

    line->count = 0;
    if (**text == '\0')
        return false;
    while (**text != '\0' && **text != '\n') {
        size_t length;

        *text += strspn(*text, blanks);
        length = strcspn(*text, " \t\r\n");
        if (length > 0 && line->count < FIELDS_MAX) {
            (void)snprintf(line->field[line->count], FIELD_BYTES, "%.*s",
                           length < FIELD_BYTES ? (int)length : 0, *text);
            line->count++;
        }
        *text += length;
    }
    *text += **text == '\n';
    return true;
}

static bool is_rate(const char *field, double *value)
{
    return hl_parse_double(field, value) && *value > 0;
}

bool host_matinv_read(const char *text, struct host_matinv_figures *figures, char *found,
                      size_t bytes)
{
    struct line line;
    double seconds;

    while (next_line(&text, &line)) {
        if (line.count != 4 || strcmp(line.field[0], "total") != 0)
            continue;
        if (!is_rate(line.field[1], &seconds) || !is_rate(line.field[2], &figures->mflops))
            break;
        figures->residual = (double)NAN;
        if (strcmp(line.field[3], "nan") == 0 || strcmp(line.field[3], "-nan") == 0 ||
            (hl_parse_double(line.field[3], &figures->residual) && figures->residual >= 0))
            return true;
        break;
    }
    (void)snprintf(found, bytes, "no line with total, seconds, MFLOPS and residual");
    return false;
}

static int find_field(const struct line *line, const char *name)
{
    for (int i = 0; i < line->count; i++)
        if (strcmp(line->field[i], name) == 0)
            return i;
    return -1;
}

bool host_rsa_read(const char *text, struct host_rsa_figures *figures, char *found, size_t bytes)
{
    int sign = -1, verify = -1;
    struct line line;

    while (next_line(&text, &line)) {
        if (find_field(&line, "sign/s") >= 0 && find_field(&line, "verify/s") >= 0) {
            sign = find_field(&line, "sign/s") + UNNAMED;
            verify = find_field(&line, "verify/s") + UNNAMED;
        } else if (sign >= 0 && line.count > 0 && strcmp(line.field[0], "rsa") == 0) {
            if (sign < line.count && verify < line.count &&
                is_rate(line.field[sign], &figures->signs_per_s) &&
                is_rate(line.field[verify], &figures->verifies_per_s))
                return true;
            (void)snprintf(found, bytes, "no rates under sign/s and verify/s");
            return false;
        }
    }
    (void)snprintf(found, bytes,
                   sign >= 0 ? "no line of rsa under sign/s and verify/s"
                             : "no line with sign/s and verify/s");
    return false;
}
