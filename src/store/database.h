/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * database.h - what the files of this room share: the connection and its failures.
 */
#ifndef HL_STORE_DATABASE_H
#define HL_STORE_DATABASE_H

#include <sqlite3.h>

#include "store/store.h"

struct store {
    sqlite3 *db;
    char *path;
    sqlite3_stmt *insert_run, *insert_metric, *insert_part; /* NULL until used */
};

/* The failure of the last call on the connection, as one line. */
enum hl_status store_fail(struct store *store, int code, struct hl_error *err) HL_MUST_CHECK;

/* Runs SQL that gives no rows. */
enum hl_status store_execute(struct store *store, const char *sql,
                             struct hl_error *err) HL_MUST_CHECK;

/* Takes the right to write, so that what follows sees what no other process changes. */
enum hl_status store_begin(struct store *store, struct hl_error *err) HL_MUST_CHECK;
/* Commits if `status` is HL_OK, else takes everything back; returns the first failure. */
enum hl_status store_end(struct store *store, enum hl_status status,
                         struct hl_error *err) HL_MUST_CHECK;

enum hl_status store_prepare(struct store *store, const char *sql, sqlite3_stmt **statement,
                             struct hl_error *err) HL_MUST_CHECK;
/* One row of a statement: *has_row false at the end. */
enum hl_status store_step(struct store *store, sqlite3_stmt *statement, bool *has_row,
                          struct hl_error *err) HL_MUST_CHECK;
/* A number that SQL gives, such as a pragma. */
enum hl_status store_number(struct store *store, const char *sql, int64_t *number,
                            struct hl_error *err) HL_MUST_CHECK;

/* ---- values, which somebody may have edited by hand: row.c ---- */

/* The row that a statement is at. */
struct store_row {
    struct store *store;
    sqlite3_stmt *statement;
    const char *table;
    int64_t id; /* of the study or run it belongs to */
};

/* "FILE: table metric, row 7: value is 'x'; expected ..." of a column of the statement. */
enum hl_status store_row_fail(const struct store_row *row, int column, const char *expected,
                              struct hl_error *err) HL_MUST_CHECK;
enum hl_status store_row_text(const struct store_row *row, int column, char *field, size_t bytes,
                              struct hl_error *err) HL_MUST_CHECK;
enum hl_status store_row_int(const struct store_row *row, int column, int64_t least, int64_t most,
                             int64_t *value, struct hl_error *err) HL_MUST_CHECK;
enum hl_status store_row_double(const struct store_row *row, int column, double *value,
                                struct hl_error *err) HL_MUST_CHECK; /* a finite one */

/* Makes the tables, or brings them up to date. */
enum hl_status store_schema_prepare(struct store *store, struct hl_error *err) HL_MUST_CHECK;
/* True of an empty file too. A file of a newer program is HL_UNSUPPORTED. */
enum hl_status store_schema_is_old(struct store *store, bool *is_old,
                                   struct hl_error *err) HL_MUST_CHECK;
/* Tables that a file lacks which cannot be brought up to date, empty and for this connection alone. */
enum hl_status store_schema_stand_in(struct store *store, struct hl_error *err) HL_MUST_CHECK;
/* Fails where a table or column of this version is missing. */
enum hl_status store_schema_check(struct store *store, struct hl_error *err) HL_MUST_CHECK;
/* For store_schema_prepare and its test: steps[i] leads from version i to i + 1. */
enum hl_status store_schema_migrate(struct store *store, const char *const *steps, int step_count,
                                    struct hl_error *err) HL_MUST_CHECK;

/* Inserts one run, inside a transaction of the caller. */
enum hl_status store_insert_run(struct store *store, int64_t study_id, int64_t place,
                                const struct run *run, struct hl_error *err) HL_MUST_CHECK;

#endif
