/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * schema.c - the tables, and how a file of an older version becomes one of this version.
 *
 * user_version is the number of steps a file has taken; all steps it lacks are taken in one
 * transaction, so a file is of one version or another and never between. A step that has been
 * released is not changed any more: what changes is a further step.
 *
 * Metrics are rows, so that a new metric needs no step; one that was not had is a row with the value
 * NULL and its reason.
 */
#include "store/database.h"

#include <stdio.h>

#include "base/units.h"

/* "half" in ASCII: tells our files from other programs'. */
#define APPLICATION_ID 0x68616c66

/* Figures of the parts of runs; a figure that was not had is no row. */
#define PARTS(temporary, reference)                                                                \
    "CREATE " temporary "TABLE part ("                                                             \
    "  run_id INTEGER NOT NULL" reference ","                                                      \
    "  place INTEGER NOT NULL,"                                                                    \
    "  name TEXT NOT NULL,"                                                                        \
    "  metric TEXT NOT NULL,"                                                                      \
    "  unit TEXT NOT NULL,"                                                                        \
    "  better TEXT NOT NULL,"                                                                      \
    "  value REAL NOT NULL,"                                                                       \
    "  PRIMARY KEY (run_id, place, metric)) WITHOUT ROWID;"

static const char *const schema_steps[] = {
    "CREATE TABLE study ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT," /* an id is never used again */
    "  name TEXT NOT NULL UNIQUE,"
    "  created_s INTEGER NOT NULL,"
    "  program TEXT NOT NULL,"
    "  command TEXT NOT NULL,"
    "  seed INTEGER NOT NULL,"
    "  planned INTEGER NOT NULL,"
    "  plan TEXT NOT NULL,"        /* JSON, or '' */
    "  fingerprint TEXT NOT NULL," /* JSON, or '' */
    "  player TEXT NOT NULL);"
    "CREATE TABLE run ("
    "  id INTEGER PRIMARY KEY,"
    "  study_id INTEGER NOT NULL REFERENCES study (id) ON DELETE CASCADE,"
    "  place INTEGER NOT NULL,"
    "  source TEXT NOT NULL,"
    "  status TEXT NOT NULL,"
    "  exit_status INTEGER NOT NULL,"
    "  workload TEXT NOT NULL,"
    "  load TEXT NOT NULL,"
    "  level INTEGER,"
    "  policy TEXT NOT NULL,"
    "  machine TEXT NOT NULL,"
    "  variant TEXT NOT NULL,"
    "  seed INTEGER NOT NULL,"
    "  block INTEGER,"
    "  run INTEGER NOT NULL,"
    "  play_order INTEGER,"
    "  boot_id TEXT NOT NULL,"
    "  note TEXT NOT NULL,"
    "  UNIQUE (study_id, place));"
    "CREATE TABLE metric ("
    "  run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,"
    "  name TEXT NOT NULL,"
    "  unit TEXT NOT NULL,"
    "  better TEXT NOT NULL,"
    "  value REAL,"
    "  reason TEXT NOT NULL,"
    "  PRIMARY KEY (run_id, name)) WITHOUT ROWID;",
    PARTS("", " REFERENCES run (id) ON DELETE CASCADE"),
};

/* The version of the file; 0 for an empty one. */
static enum hl_status read_version(struct store *store, int64_t *version, struct hl_error *err)
{
    int64_t application, tables;

    HL_TRY(store_number(store, "PRAGMA user_version", version, err));
    HL_TRY(store_number(store, "PRAGMA application_id", &application, err));
    HL_TRY(store_number(store, "SELECT count(*) FROM sqlite_schema", &tables, err));
    if (application == APPLICATION_ID && *version >= 1)
        return HL_OK;
    if (application == 0 && *version == 0 && tables == 0)
        return HL_OK;
    return hl_fail(err, HL_BAD_INPUT,
                   "%s: an SQLite database of another program; expected halfload's", store->path);
}

static enum hl_status take_steps(struct store *store, const char *const *steps, int step_count,
                                 struct hl_error *err)
{
    char mark[96];
    int64_t version;

    /* Another process may have been quicker. */
    HL_TRY(read_version(store, &version, err));
    if (version >= step_count)
        return HL_OK;
    for (int64_t i = version; i < step_count; i++)
        HL_TRY(store_execute(store, steps[i], err));
    (void)snprintf(mark, sizeof(mark), "PRAGMA application_id = %d; PRAGMA user_version = %d",
                   APPLICATION_ID, step_count);
    return store_execute(store, mark, err);
}

static enum hl_status check_version(struct store *store, int newest, int64_t *version,
                                    struct hl_error *err)
{
    /* One look at the whole: between two, another process may have made the tables. */
    HL_TRY(store_execute(store, "BEGIN", err));
    HL_TRY(store_end(store, read_version(store, version, err), err));
    if (*version <= newest)
        return HL_OK;
    return hl_fail(err, HL_UNSUPPORTED,
                   "%s: made by a newer halfload (schema %d); expected at most schema %d",
                   store->path, (int)*version, newest);
}

enum hl_status store_schema_migrate(struct store *store, const char *const *steps, int step_count,
                                    struct hl_error *err)
{
    int64_t version;

    HL_TRY(check_version(store, step_count, &version, err));
    if (version == step_count)
        return HL_OK;
    HL_TRY(store_begin(store, err));
    return store_end(store, take_steps(store, steps, step_count, err), err);
}

enum hl_status store_schema_prepare(struct store *store, struct hl_error *err)
{
    return store_schema_migrate(store, schema_steps, HL_COUNT_OF(schema_steps), err);
}

enum hl_status store_schema_stand_in(struct store *store, struct hl_error *err)
{
    int64_t version;

    HL_TRY(check_version(store, HL_COUNT_OF(schema_steps), &version, err));
    if (version == 0)
        return hl_fail(err, HL_NOT_PERMITTED, "%s: empty, and it cannot be written", store->path);
    return version == 1 ? store_execute(store, PARTS("TEMPORARY ", ""), err) : HL_OK;
}

enum hl_status store_schema_is_old(struct store *store, bool *is_old, struct hl_error *err)
{
    int64_t version;

    HL_TRY(check_version(store, HL_COUNT_OF(schema_steps), &version, err));
    *is_old = version < HL_COUNT_OF(schema_steps);
    return HL_OK;
}

enum hl_status store_schema_check(struct store *store, struct hl_error *err)
{
    static const char *const tables[] = {
        "SELECT id, name, created_s, program, command, seed, planned, plan, fingerprint, player "
        "FROM study",
        "SELECT id, study_id, place, source, status, exit_status, workload, load, level, policy, "
        "machine, variant, seed, block, run, play_order, boot_id, note FROM run",
        "SELECT run_id, name, unit, better, value, reason FROM metric",
        "SELECT run_id, place, name, metric, unit, better, value FROM part",
    };

    for (int i = 0; i < HL_COUNT_OF(tables); i++) {
        sqlite3_stmt *statement = NULL;

        HL_TRY(store_prepare(store, tables[i], &statement, err));
        (void)sqlite3_finalize(statement);
    }
    return HL_OK;
}
