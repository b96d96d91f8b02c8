/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runs.c - run records as rows and back.
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
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

static const char select_runs_sql[] =
    "SELECT id, place, source, status, exit_status, workload, load, level, policy, machine, "
    "variant,"
    " seed, block, run, play_order, boot_id, note FROM run"
    " WHERE study_id = ?1 AND (?2 < 0 OR place = ?2) ORDER BY place";

/* The place of a column's word in a list of words; -1: it is none of them. */
static int find_word(sqlite3_stmt *s, int column, const char *(*name_of)(int), int count)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    int i = 0;

    while (text != NULL && i < count && strcmp(text, name_of(i)) != 0)
        i++;
    return text == NULL || i == count ? -1 : i;
}

static const char *source_name(int source)
{
    return run_source_name((enum run_source)source);
}

static const char *status_name(int status)
{
    return run_status_name((enum run_status)status);
}

static const char *better_name(int better)
{
    return run_better_name((enum run_better)better);
}

/* A number of 32 bits, at least `least`; or none, which is -1. */
static enum hl_status read_int32(const struct store_row *row, int column, int32_t least,
                                 int32_t *value, struct hl_error *err)
{
    int64_t number = -1;

    if (sqlite3_column_type(row->statement, column) != SQLITE_NULL)
        HL_TRY(store_row_int(row, column, least, INT32_MAX, &number, err));
    *value = (int32_t)number;
    return HL_OK;
}

static enum hl_status read_identity(const struct store_row *row, struct run *run,
                                    struct hl_error *err)
{
    sqlite3_stmt *s = row->statement;
    const struct {
        int column;
        char *field;
        size_t bytes;
    } texts[] = {
        {5, run->workload, sizeof(run->workload)}, {6, run->load, sizeof(run->load)},
        {8, run->policy, sizeof(run->policy)},     {9, run->machine, sizeof(run->machine)},
        {10, run->variant, sizeof(run->variant)},  {15, run->boot_id, sizeof(run->boot_id)},
        {16, run->note, sizeof(run->note)},
    };
    int source = find_word(s, 2, source_name, RUN_SOURCE_COUNT);
    int status = find_word(s, 3, status_name, RUN_STATUS_COUNT);
    int64_t number;

    if (source < 0)
        return store_row_fail(row, 2, "sim, host, trace or import", err);
    if (status < 0)
        return store_row_fail(row, 3, "ok, failed, killed or invalid", err);
    run_init(run, (enum run_source)source,
             run_reason_keep("not recorded: this metric is newer than the run"));
    run->status = (enum run_status)status;
    for (int i = 0; i < HL_COUNT_OF(texts); i++)
        HL_TRY(store_row_text(row, texts[i].column, texts[i].field, texts[i].bytes, err));
    run->level = -1;
    if (sqlite3_column_type(s, 7) != SQLITE_NULL)
        HL_TRY(store_row_int(row, 7, 0, INT64_MAX, &run->level, err));
    HL_TRY(store_row_int(row, 4, INT32_MIN, INT32_MAX, &number, err));
    run->exit_status = (int32_t)number;
    HL_TRY(store_row_int(row, 11, INT64_MIN, INT64_MAX, &number, err));
    run->seed = (uint64_t)number;
    HL_TRY(store_row_int(row, 13, 0, INT32_MAX, &number, err));
    run->run = (int32_t)number;
    HL_TRY(read_int32(row, 12, 0, &run->block, err));
    return read_int32(row, 14, 0, &run->order, err);
}

/* The index of the metric in this row; -1 for one that a newer program recorded under a name that
 * clashes with nothing here. */
static enum hl_status find_metric(const struct store_row *row, int *metric, struct hl_error *err)
{
    sqlite3_stmt *s = row->statement;
    const char *name = (const char *)sqlite3_column_text(s, 0);
    const char *unit = (const char *)sqlite3_column_text(s, 1);
    int direction;

    if (name == NULL || name[0] == '\0')
        return store_row_fail(row, 0, "the name of a metric", err);
    if (unit == NULL)
        return store_row_fail(row, 1, "a unit", err);
    *metric = run_metric_find(name);
    if (*metric >= 0 && *metric < RUN_METRIC_COUNT)
        return HL_OK;
    direction = find_word(s, 2, better_name, RUN_BETTER_COUNT);
    if (direction < 0)
        return store_row_fail(row, 2, "lower, higher or neither", err);
    return run_metric_add(name, unit, (enum run_better)direction, metric, err);
}

static enum hl_status read_metrics(struct store *store, sqlite3_stmt *s, int64_t run_id,
                                   struct run *run, struct hl_error *err)
{
    struct store_row row = {.store = store, .statement = s, .table = "metric", .id = run_id};
    bool has_row;

    (void)sqlite3_reset(s);
    (void)sqlite3_bind_int64(s, 1, run_id);
    for (;;) {
        const char *reason;
        int metric;

        HL_TRY(store_step(store, s, &has_row, err));
        if (!has_row)
            return HL_OK;
        HL_TRY(find_metric(&row, &metric, err));
        run->metric[metric] = (double)NAN;
        if (sqlite3_column_type(s, 3) != SQLITE_NULL)
            HL_TRY(store_row_double(&row, 3, &run->metric[metric], err));
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
    struct store_row row = {.store = store, .statement = s, .table = "part", .id = run_id};
    bool has_row;

    (void)sqlite3_reset(s);
    (void)sqlite3_bind_int64(s, 1, run_id);
    for (;;) {
        char name[RUN_PART_BYTES];
        double value;
        int metric;

        HL_TRY(store_step(store, s, &has_row, err));
        if (!has_row)
            return HL_OK;
        HL_TRY(store_row_text(&row, 4, name, sizeof(name), err));
        HL_TRY(find_metric(&row, &metric, err));
        HL_TRY(store_row_double(&row, 3, &value, err));
        HL_TRY(run_part_set(run, name, metric, value, err));
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
        struct store_row row = {.store = store, .statement = reader->runs, .table = "run"};
        struct run run;
        int64_t id, place;

        HL_TRY(store_step(store, reader->runs, &has_row, err));
        if (!has_row)
            return HL_OK;
        row.id = id = sqlite3_column_int64(reader->runs, 0);
        HL_TRY(store_row_int(&row, 1, 0, INT64_MAX, &place, err));
        HL_TRY(read_identity(&row, &run, err));
        HL_TRY(read_metrics(store, reader->metrics, id, &run, err));
        HL_TRY(hl_grow(&reader->places, &reader->place_capacity, reader->place_count + 1,
                       sizeof(*reader->places), err));
        reader->places[reader->place_count++] = place;
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
