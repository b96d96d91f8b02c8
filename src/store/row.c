/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * row.c - values of a row, checked: SQLite keeps text in a column of numbers, and a file can be edited
 * with its own shell.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "store/database.h"

enum hl_status store_row_fail(const struct store_row *row, int column, const char *expected,
                              struct hl_error *err)
{
    const char *text = (const char *)sqlite3_column_text(row->statement, column);
    char found[64] = "missing";

    if (text != NULL)
        (void)snprintf(found, sizeof(found), "'%.40s'", text);
    return hl_fail(err, HL_BAD_INPUT, "%s: table %s, row %" PRId64 ": %s is %s; expected %s",
                   row->store->path, row->table, row->id,
                   sqlite3_column_name(row->statement, column), found, expected);
}

enum hl_status store_row_text(const struct store_row *row, int column, char *field, size_t bytes,
                              struct hl_error *err)
{
    const unsigned char *text = sqlite3_column_text(row->statement, column);
    size_t length = (size_t)sqlite3_column_bytes(row->statement, column);
    char expected[64];

    (void)snprintf(expected, sizeof(expected), "text of at most %zu bytes", bytes - 1);
    if (text == NULL || length >= bytes || memchr(text, '\0', length) != NULL)
        return store_row_fail(row, column, expected, err);
    memcpy(field, text, length + 1);
    return HL_OK;
}

enum hl_status store_row_int(const struct store_row *row, int column, int64_t least, int64_t most,
                             int64_t *value, struct hl_error *err)
{
    char expected[96];

    (void)snprintf(expected, sizeof(expected), "a whole number from %" PRId64 " to %" PRId64, least,
                   most);
    *value = sqlite3_column_int64(row->statement, column);
    if (sqlite3_column_type(row->statement, column) != SQLITE_INTEGER || *value < least ||
        *value > most)
        return store_row_fail(row, column, expected, err);
    return HL_OK;
}

enum hl_status store_row_double(const struct store_row *row, int column, double *value,
                                struct hl_error *err)
{
    int type = sqlite3_column_type(row->statement, column);

    *value = sqlite3_column_double(row->statement, column);
    if ((type != SQLITE_FLOAT && type != SQLITE_INTEGER) || !isfinite(*value))
        return store_row_fail(row, column, "a finite number", err);
    return HL_OK;
}
