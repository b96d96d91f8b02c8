/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.c - text tables: columns as wide as their widest cell, two blanks between.
 *
 *                  -j1     -j3
 *     -------   ------  ------
 *     fifo      309.02  196.91
 */
#include "report/report.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "base/format.h"
#include "base/memory.h"
#include "base/visible.h"
#include "report/write.h"

enum { CELL_BYTES = 512 };

struct report_table {
    char **cells; /* row after row */
    size_t cell_count, cell_capacity;
    size_t *row_ends; /* by row: its end in cells */
    size_t row_count, row_capacity;
    bool is_out_of_memory;
};

struct report_table *report_table_new(void)
{
    return hl_alloc(1, sizeof(struct report_table));
}

void report_table_cell(struct report_table *table, const char *format, ...)
{
    char text[CELL_BYTES], visible[4 * CELL_BYTES], *copy;
    va_list args;

    if (table == NULL || table->is_out_of_memory)
        return;
    va_start(args, format);
    (void)hl_vformat(text, sizeof(text), format, args);
    va_end(args);
    /* Names come from users; a table stays a table all the same. */
    copy = hl_strdup(hl_visible(visible, sizeof(visible), text));
    if (copy == NULL || hl_grow(&table->cells, &table->cell_capacity, table->cell_count + 1,
                                sizeof(*table->cells), NULL) != HL_OK) {
        hl_free(copy);
        table->is_out_of_memory = true;
        return;
    }
    table->cells[table->cell_count++] = copy;
}

void report_table_end_row(struct report_table *table)
{
    if (table == NULL || table->is_out_of_memory)
        return;
    if (hl_grow(&table->row_ends, &table->row_capacity, table->row_count + 1,
                sizeof(*table->row_ends), NULL) != HL_OK) {
        table->is_out_of_memory = true;
        return;
    }
    table->row_ends[table->row_count++] = table->cell_count;
}

/* Characters, not bytes: the trailing bytes of UTF-8 sequences take no column. */
static size_t width_of(const char *text)
{
    size_t width = 0;

    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static size_t row_start(const struct report_table *table, size_t row)
{
    return row == 0 ? 0 : table->row_ends[row - 1];
}

static size_t column_count(const struct report_table *table)
{
    size_t most = 0;

    for (size_t row = 0; row < table->row_count; row++) {
        size_t count = table->row_ends[row] - row_start(table, row);

        most = count > most ? count : most;
    }
    return most;
}

static void print_repeated(FILE *out, char c, size_t count)
{
    while (count-- > 0)
        (void)fputc(c, out);
}

/* Blanks are written only in front of something, so no line ends in one. */
static void print_row(const struct report_table *table, size_t row, const size_t *widths, FILE *out)
{
    size_t first = row_start(table, row), count = table->row_ends[row] - first, blanks = 0;

    for (size_t i = 0; i < count; i++) {
        const char *text = table->cells[first + i];
        size_t length = strlen(text), pad = widths[i] - width_of(text);

        while (length > 0 && text[length - 1] == ' ')
            length--;
        blanks += i == 0 ? 0 : pad;
        if (length > 0) {
            print_repeated(out, ' ', blanks);
            (void)fwrite(text, 1, length, out);
            blanks = 0;
        }
        blanks += strlen(text) - length + (i == 0 ? pad : 0) + 2;
    }
    (void)fputc('\n', out);
}

static void print_rule(const size_t *widths, size_t columns, FILE *out)
{
    for (size_t i = 0; i < columns; i++) {
        print_repeated(out, ' ', i == 0 ? 0 : 2);
        print_repeated(out, '-', widths[i]);
    }
    (void)fputc('\n', out);
}

enum hl_status report_table_print(struct report_table *table, FILE *out, int header_rows,
                                  struct hl_error *err)
{
    size_t columns, *widths = NULL;

    if (table != NULL && !table->is_out_of_memory)
        widths = hl_alloc(column_count(table), sizeof(*widths));
    if (widths == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for a table");
    columns = column_count(table);
    for (size_t row = 0; row < table->row_count; row++) {
        for (size_t i = row_start(table, row); i < table->row_ends[row]; i++) {
            size_t width = width_of(table->cells[i]), *widest = &widths[i - row_start(table, row)];

            *widest = width > *widest ? width : *widest;
        }
    }
    for (size_t row = 0; row < table->row_count; row++) {
        print_row(table, row, widths, out);
        if (header_rows > 0 && row + 1 == (size_t)header_rows)
            print_rule(widths, columns, out);
    }
    hl_free(widths);
    return report_write_end(out, err);
}

void report_table_free(struct report_table *table)
{
    if (table == NULL)
        return;
    for (size_t i = 0; i < table->cell_count; i++)
        hl_free(table->cells[i]);
    hl_free(table->cells);
    hl_free(table->row_ends);
    hl_free(table);
}
