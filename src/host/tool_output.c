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

/* "1000 0.092513 21618.69 0.00213 1.984", behind the order or "total". */
static bool read_matinv_figures(const struct line *line, struct host_matinv_row *row)
{
    row->residual = (double)NAN;
    if (line->count != 5 || !is_rate(line->field[1], &row->seconds) ||
        !is_rate(line->field[2], &row->mflops) ||
        !hl_parse_double(line->field[4], &row->parallelism) || row->parallelism < 0)
        return false;
    return strcmp(line->field[3], "nan") == 0 || strcmp(line->field[3], "-nan") == 0 ||
           (hl_parse_double(line->field[3], &row->residual) && row->residual >= 0);
}

/* Lines that begin with no order are something else's, such as a warning of OpenBLAS. */
bool host_matinv_read(const char *text, struct host_matinv_figures *figures, char *found,
                      size_t bytes)
{
    struct line line;

    figures->row_count = 0;
    while (next_line(&text, &line)) {
        struct host_matinv_row row = {.order = 0};
        bool is_total = line.count > 0 && strcmp(line.field[0], "total") == 0;

        if (!is_total && (line.count == 0 || !hl_parse_int(line.field[0], &row.order)))
            continue;
        if (!read_matinv_figures(&line, &row) || (!is_total && row.order < 1))
            break;
        if (is_total) {
            figures->total = row;
            return true;
        }
        if (figures->row_count == HOST_MATINV_ROWS_MAX)
            break;
        figures->rows[figures->row_count++] = row;
    }
    (void)snprintf(found, bytes,
                   "no total, or an order without seconds, MFLOPS, residual and "
                   "parallelism");
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
