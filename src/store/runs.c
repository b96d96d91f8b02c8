/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runs.c - run records as rows and back.
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "store/database.h"

static const char insert_run_sql[] =
    "INSERT INTO run (study_id, place, source, status, exit_status, workload, load, level, policy,"
    " machine, variant, seed, block, run, play_order, boot_id, note)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)";
static const char insert_metric_sql[] =
    "INSERT INTO metric (run_id, name, unit, better, value, reason)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

static const char insert_part_sql[] =
    "INSERT INTO part (run_id, place, name, metric, unit, better, value)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";

/* Texts outlive the statement's step, so SQLite need not copy them. */
static int bind_text(sqlite3_stmt *statement, int index, const char *text)
{
    return sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);
}

/* A negative number stands for none. */
static int bind_count(sqlite3_stmt *statement, int index, int64_t value)
{
    return value < 0 ? sqlite3_bind_null(statement, index)
                     : sqlite3_bind_int64(statement, index, value);
}

static enum hl_status insert_identity(struct store *store, int64_t study_id, int64_t place,
                                      const struct run *run, struct hl_error *err)
{
    sqlite3_stmt *s = store->insert_run;
    int wrong = 0, code;

    wrong |= sqlite3_bind_int64(s, 1, study_id);
    wrong |= sqlite3_bind_int64(s, 2, place);
    wrong |= bind_text(s, 3, run_source_name(run->source));
    wrong |= bind_text(s, 4, run_status_name(run->status));
    wrong |= sqlite3_bind_int64(s, 5, run->exit_status);
    wrong |= bind_text(s, 6, run->workload);
    wrong |= bind_text(s, 7, run->load);
    wrong |= bind_count(s, 8, run->level);
    wrong |= bind_text(s, 9, run->policy);
    wrong |= bind_text(s, 10, run->machine);
    wrong |= bind_text(s, 11, run->variant);
    wrong |= sqlite3_bind_int64(s, 12, (int64_t)run->seed);
    wrong |= bind_count(s, 13, run->block);
    wrong |= sqlite3_bind_int64(s, 14, run->run);
    wrong |= bind_count(s, 15, run->order);
    wrong |= bind_text(s, 16, run->boot_id);
    wrong |= bind_text(s, 17, run->note);
    assert(wrong == SQLITE_OK);
    code = sqlite3_step(s);
    (void)sqlite3_reset(s);
    if ((code & 0xff) == SQLITE_CONSTRAINT)
        return hl_fail(err, HL_NOT_PERMITTED,
                       "%s: run %lld of study %lld is there already or the study is not: another "
                       "process plays or deletes it",
                       store->path, (long long)place, (long long)study_id);
    return code == SQLITE_DONE ? HL_OK : store_fail(store, code, err);
}

static enum hl_status insert_metric(struct store *store, int64_t run_id, int metric,
                                    const struct run *run, struct hl_error *err)
{
    sqlite3_stmt *s = store->insert_metric;
    const struct run_metric_info *info = &run_metric_table[metric];
    const char *reason = run->reason[metric];
    int wrong = 0, code;

    wrong |= sqlite3_bind_int64(s, 1, run_id);
    wrong |= bind_text(s, 2, info->name);
    wrong |= bind_text(s, 3, info->unit);
    wrong |= bind_text(s, 4, run_better_name(info->better));
    wrong |= run_has(run, (enum run_metric)metric) ? sqlite3_bind_double(s, 5, run->metric[metric])
                                                   : sqlite3_bind_null(s, 5);
    wrong |= bind_text(s, 6, reason == NULL ? "" : reason);
    assert(wrong == SQLITE_OK);
    code = sqlite3_step(s);
    (void)sqlite3_reset(s);
    return code == SQLITE_DONE ? HL_OK : store_fail(store, code, err);
}

static enum hl_status insert_part(struct store *store, int64_t run_id, const struct run *run,
                                  size_t place, struct hl_error *err)
{
    const struct run_part *part = &run->parts[place];
    sqlite3_stmt *s;

    if (store->insert_part == NULL)
        HL_TRY(store_prepare(store, insert_part_sql, &store->insert_part, err));
    s = store->insert_part;
    for (int i = 0; i < part->figure_count; i++) {
        const struct run_metric_info *info = &run_metric_table[part->figures[i].metric];
        int wrong = 0, code;

        wrong |= sqlite3_bind_int64(s, 1, run_id);
        wrong |= sqlite3_bind_int64(s, 2, (int64_t)place);
        wrong |= bind_text(s, 3, part->name);
        wrong |= bind_text(s, 4, info->name);
        wrong |= bind_text(s, 5, info->unit);
        wrong |= bind_text(s, 6, run_better_name(info->better));
        wrong |= sqlite3_bind_double(s, 7, part->figures[i].value);
        assert(wrong == SQLITE_OK);
        code = sqlite3_step(s);
        (void)sqlite3_reset(s);
        if (code != SQLITE_DONE)
            return store_fail(store, code, err);
    }
    return HL_OK;
}

enum hl_status store_insert_run(struct store *store, int64_t study_id, int64_t place,
                                const struct run *run, struct hl_error *err)
{
    int64_t run_id;

    assert(place >= 0);
    if (store->insert_run == NULL)
        HL_TRY(store_prepare(store, insert_run_sql, &store->insert_run, err));
    if (store->insert_metric == NULL)
        HL_TRY(store_prepare(store, insert_metric_sql, &store->insert_metric, err));
    HL_TRY(insert_identity(store, study_id, place, run, err));
    run_id = sqlite3_last_insert_rowid(store->db);
    for (int i = 0; i < run_metric_count(); i++)
        if (i < RUN_METRIC_COUNT || run_has(run, (enum run_metric)i))
            HL_TRY(insert_metric(store, run_id, i, run, err));
    for (size_t i = 0; i < run->part_count; i++)
        HL_TRY(insert_part(store, run_id, run, i, err));
    return HL_OK;
}

enum hl_status store_run_add(struct store *store, int64_t study_id, int64_t place,
                             const struct run *run, struct hl_error *err)
{
    HL_TRY(store_begin(store, err));
    return store_end(store, store_insert_run(store, study_id, place, run, err), err);
}

/* A text column into a fixed field. It was written from such a field, so what does not fit has been
 * written by somebody else. */
static bool read_text(sqlite3_stmt *s, int column, char *field, size_t bytes)
{
    const unsigned char *text = sqlite3_column_text(s, column);
    int length = sqlite3_column_bytes(s, column);

    if (text == NULL || (size_t)length >= bytes || memchr(text, '\0', (size_t)length) != NULL)
        return false;
    memcpy(field, text, (size_t)length + 1);
    return true;
}

static bool read_int32(sqlite3_stmt *s, int column, int32_t least, int32_t *value)
{
    int64_t number = sqlite3_column_int64(s, column);

    if (sqlite3_column_type(s, column) == SQLITE_NULL)
        *value = -1;
    else
        *value = (int32_t)number;
    return sqlite3_column_type(s, column) == SQLITE_NULL ||
           (number >= least && number <= INT32_MAX);
}

static bool read_source(sqlite3_stmt *s, int column, enum run_source *source)
{
    const char *text = (const char *)sqlite3_column_text(s, column);

    for (int i = 0; text != NULL && i < RUN_SOURCE_COUNT; i++)
        if (strcmp(text, run_source_name((enum run_source)i)) == 0) {
            *source = (enum run_source)i;
            return true;
        }
    return false;
}

static bool read_status(sqlite3_stmt *s, int column, enum run_status *status)
{
    const char *text = (const char *)sqlite3_column_text(s, column);

    for (int i = 0; text != NULL && i < RUN_STATUS_COUNT; i++)
        if (strcmp(text, run_status_name((enum run_status)i)) == 0) {
            *status = (enum run_status)i;
            return true;
        }
    return false;
}

static const char select_runs_sql[] =
    "SELECT id, place, source, status, exit_status, workload, load, level, policy, machine, "
    "variant,"
    " seed, block, run, play_order, boot_id, note FROM run"
    " WHERE study_id = ?1 AND (?2 < 0 OR place = ?2) ORDER BY place";

static bool read_identity(sqlite3_stmt *s, struct run *run)
{
    enum run_source source;

    if (!read_source(s, 2, &source))
        return false;
    run_init(run, source, run_reason_keep("not recorded: this metric is newer than the run"));
    run->level = sqlite3_column_type(s, 7) == SQLITE_NULL ? -1 : sqlite3_column_int64(s, 7);
    run->seed = (uint64_t)sqlite3_column_int64(s, 11);
    return read_status(s, 3, &run->status) && read_int32(s, 4, INT32_MIN, &run->exit_status) &&
           read_text(s, 5, run->workload, sizeof(run->workload)) &&
           read_text(s, 6, run->load, sizeof(run->load)) && run->level >= -1 &&
           read_text(s, 8, run->policy, sizeof(run->policy)) &&
           read_text(s, 9, run->machine, sizeof(run->machine)) &&
           read_text(s, 10, run->variant, sizeof(run->variant)) &&
           read_int32(s, 12, 0, &run->block) && read_int32(s, 13, 0, &run->run) && run->run >= 0 &&
           read_int32(s, 14, 0, &run->order) &&
           read_text(s, 15, run->boot_id, sizeof(run->boot_id)) &&
           read_text(s, 16, run->note, sizeof(run->note));
}

static enum hl_status damaged(struct store *store, const char *table, int64_t id,
                              struct hl_error *err)
{
    return hl_fail(err, HL_BAD_INPUT,
                   "%s: table %s, row %lld: a value that halfload does not write", store->path,
                   table, (long long)id);
}

/* The index of the metric in this row; -1 for one that a newer program recorded under a name that
 * clashes with nothing here. */
static enum hl_status find_metric(struct store *store, sqlite3_stmt *s, int64_t run_id, int *metric,
                                  struct hl_error *err)
{
    const char *name = (const char *)sqlite3_column_text(s, 0);
    const char *unit = (const char *)sqlite3_column_text(s, 1);
    const char *better = (const char *)sqlite3_column_text(s, 2);
    int direction = 0;

    if (name == NULL || unit == NULL || better == NULL)
        return damaged(store, "metric", run_id, err);
    *metric = run_metric_find(name);
    if (*metric >= 0 && *metric < RUN_METRIC_COUNT)
        return HL_OK;
    while (direction < RUN_BETTER_COUNT &&
           strcmp(better, run_better_name((enum run_better)direction)) != 0)
        direction++;
    if (direction == RUN_BETTER_COUNT)
        return damaged(store, "metric", run_id, err);
    return run_metric_add(name, unit, (enum run_better)direction, metric, err);
}

static enum hl_status read_metrics(struct store *store, sqlite3_stmt *s, int64_t run_id,
                                   struct run *run, struct hl_error *err)
{
    bool has_row;

    (void)sqlite3_reset(s);
    (void)sqlite3_bind_int64(s, 1, run_id);
    for (;;) {
        const char *reason;
        int metric;

        HL_TRY(store_step(store, s, &has_row, err));
        if (!has_row)
            return HL_OK;
        HL_TRY(find_metric(store, s, run_id, &metric, err));
        run->metric[metric] =
            sqlite3_column_type(s, 3) == SQLITE_NULL ? (double)NAN : sqlite3_column_double(s, 3);
        reason = (const char *)sqlite3_column_text(s, 4);
        if (reason != NULL && reason[0] != '\0')
            run->reason[metric] = run_reason_keep(reason);
        else
            run->reason[metric] = run_has(run, (enum run_metric)metric) ? NULL : "not measured";
    }
}

static enum hl_status read_parts(struct store *store, sqlite3_stmt *s, int64_t run_id,
                                 struct run *run, struct hl_error *err)
{
    bool has_row;

    (void)sqlite3_reset(s);
    (void)sqlite3_bind_int64(s, 1, run_id);
    for (;;) {
        char name[RUN_PART_BYTES];
        int metric;

        HL_TRY(store_step(store, s, &has_row, err));
        if (!has_row)
            return HL_OK;
        if (!read_text(s, 4, name, sizeof(name)))
            return damaged(store, "part", run_id, err);
        HL_TRY(find_metric(store, s, run_id, &metric, err));
        HL_TRY(run_part_set(run, name, metric, sqlite3_column_double(s, 3), err));
    }
}

struct reader {
    sqlite3_stmt *runs, *metrics, *parts;
    size_t place_count, place_capacity;
    int64_t *places;
};

static enum hl_status read_runs(struct store *store, struct reader *reader, struct run_list *runs,
                                struct hl_error *err)
{
    bool has_row;

    for (;;) {
        struct run run;
        int64_t id;

        HL_TRY(store_step(store, reader->runs, &has_row, err));
        if (!has_row)
            return HL_OK;
        id = sqlite3_column_int64(reader->runs, 0);
        if (!read_identity(reader->runs, &run))
            return damaged(store, "run", id, err);
        HL_TRY(read_metrics(store, reader->metrics, id, &run, err));
        HL_TRY(hl_grow(&reader->places, &reader->place_capacity, reader->place_count + 1,
                       sizeof(*reader->places), err));
        reader->places[reader->place_count++] = sqlite3_column_int64(reader->runs, 1);
        HL_TRY(run_list_add(runs, &run, err));
        /* Parts go into the list's own copy, which is closed with it. */
        HL_TRY(read_parts(store, reader->parts, id, &runs->runs[runs->count - 1], err));
    }
}

enum hl_status store_runs(struct store *store, int64_t study_id, int64_t place,
                          struct run_list *runs, int64_t **places, struct hl_error *err)
{
    struct reader reader = {0};
    size_t before = runs->count;
    enum hl_status status;

    status = store_prepare(store, select_runs_sql, &reader.runs, err);
    if (status == HL_OK)
        status = store_prepare(store,
                               "SELECT name, unit, better, value, reason FROM metric"
                               " WHERE run_id = ?1 ORDER BY name",
                               &reader.metrics, err);
    if (status == HL_OK)
        status = store_prepare(store,
                               "SELECT metric, unit, better, value, name FROM part"
                               " WHERE run_id = ?1 ORDER BY place, metric",
                               &reader.parts, err);
    if (status == HL_OK) {
        (void)sqlite3_bind_int64(reader.runs, 1, study_id);
        (void)sqlite3_bind_int64(reader.runs, 2, place);
        status = read_runs(store, &reader, runs, err);
    }
    (void)sqlite3_finalize(reader.runs);
    (void)sqlite3_finalize(reader.metrics);
    (void)sqlite3_finalize(reader.parts);
    if (status != HL_OK)
        run_list_shorten(runs, before);
    if (status == HL_OK && places != NULL)
        *places = reader.places;
    else
        hl_free(reader.places);
    return status;
}
