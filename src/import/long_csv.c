/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * long_csv.c - a line per run and metric, columns by the names in the first line (RFC 4180).
 *
 *     workload,load,variant,run,metric,value,unit,block,boot_id,exit_status
 *     kernbench,half,A,0,elapsed_s,81.6,s,0,,0
 *     kernbench,half,A,0,user_s,,s,0,,0            no value: it was not had
 *
 * workload, load, variant, run, metric, value and unit must be there, in any order; column_table
 * has the others. Lines that agree in all but metric, value and part are one run. Without a column
 * `order` the order of play is not known: lines may be in that of a listing.
 *
 * A metric that records do not have becomes one of the results' own, with the file's unit; but a
 * name that is nearly one of ours, in the same unit, is a mistake. Columns likewise: what is nearly
 * one of ours is a mistake, others are passed over.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "import/reader.h"

enum column {
    CSV_WORKLOAD,
    CSV_LOAD,
    CSV_VARIANT,
    CSV_RUN,
    CSV_METRIC,
    CSV_VALUE,
    CSV_UNIT,
    CSV_REQUIRED, /* those above */
    CSV_STUDY = CSV_REQUIRED,
    CSV_BLOCK,
    CSV_BOOT_ID,
    CSV_EXIT_STATUS,
    CSV_MACHINE,
    CSV_SEED,
    CSV_STATUS,
    CSV_ORDER,
    CSV_LEVEL,
    CSV_BETTER,
    CSV_PART,
    CSV_COLUMNS
};

static const char *const column_table[CSV_COLUMNS] = {
    "workload", "load",        "variant", "run",  "metric", "value", "unit",  "study",  "block",
    "boot_id",  "exit_status", "machine", "seed", "status", "order", "level", "better", "part"};

enum { FIELDS_MAX = 256 };

struct csv {
    const struct import_source *source;
    char *next; /* what is not yet read */
    int line;   /* of `next`, from 1 */
    int record; /* line where the last record begins */
    int field_count;
    char *fields[FIELDS_MAX]; /* of the last record */
    int column[CSV_COLUMNS];  /* place among the fields; -1: not there */
};

/* Unquotes a field in place and cuts it off; *end is the character behind it. */
static bool cut_field(struct csv *csv, char **field, char *end)
{
    char *in = csv->next, *out;

    if (*in != '"') {
        *field = in;
        in += strcspn(in, ",\r\n");
        csv->next = in;
        *end = *in;
        *in = '\0';
        return memchr(*field, '"', (size_t)(in - *field)) == NULL;
    }
    *field = out = ++in;
    for (; *in != '"' || in[1] == '"'; in++) {
        if (*in == '\0')
            return false;
        csv->line += *in == '\n';
        in += *in == '"' ? 1 : 0;
        *out++ = *in;
    }
    csv->next = in + 1;
    *end = in[1];
    *out = '\0';
    return true;
}

/* Reads the next record. At the end of the file there are no fields. */
static enum hl_status read_record(struct csv *csv, struct hl_error *err)
{
    char end = ',';

    csv->field_count = 0;
    for (; *csv->next == '\n' || *csv->next == '\r'; csv->next++)
        csv->line += *csv->next == '\n';
    csv->record = csv->line;
    if (*csv->next == '\0')
        return HL_OK;
    while (end == ',') {
        char *field;

        if (csv->field_count == FIELDS_MAX)
            return hl_fail(err, HL_BAD_INPUT, "%s:%d: more than %d columns", csv->source->name,
                           csv->record, FIELDS_MAX);
        if (!cut_field(csv, &field, &end) || (end != '\0' && strchr(",\r\n", end) == NULL))
            return hl_fail(
                err, HL_BAD_INPUT,
                "%s:%d: column %d: a quote that does not fit; expected \"a \"\"b\"\" c\"",
                csv->source->name, csv->record, csv->field_count + 1);
        csv->fields[csv->field_count++] = field;
        if (end == ',')
            csv->next++;
    }
    /* Of the line's end, which cut_field may have made the end of the field. */
    if (end == '\r' && csv->next[1] == '\n')
        csv->next++;
    if (end != '\0')
        csv->next++;
    csv->line++;
    return HL_OK;
}

static const char *field(const struct csv *csv, enum column column)
{
    return csv->column[column] < 0 ? "" : csv->fields[csv->column[column]];
}

static enum hl_status wrong(const struct csv *csv, enum column column, const char *expected,
                            struct hl_error *err)
{
    return hl_fail(err, HL_BAD_INPUT, "%s:%d: %s is '%.60s'; expected %s", csv->source->name,
                   csv->record, column_table[column], field(csv, column), expected);
}

bool import_is_long_csv(const char *text)
{
    char line[1024], *name, *rest = line;
    bool has_metric = false, has_value = false;

    text += strspn(text, "\r\n");
    (void)snprintf(line, sizeof(line), "%.*s", (int)HL_MIN(strcspn(text, "\r\n"), sizeof(line) - 1),
                   text);
    if (strchr(line, ',') == NULL)
        return false;
    while ((name = strsep(&rest, ",")) != NULL) {
        name += strspn(name, " \"");
        name[strcspn(name, " \"")] = '\0';
        has_metric = has_metric || strcasecmp(name, "metric") == 0;
        has_value = has_value || strcasecmp(name, "value") == 0;
    }
    return has_metric || has_value;
}

/* Which column is where. */
static enum hl_status read_header(struct csv *csv, struct hl_error *err)
{
    HL_TRY(read_record(csv, err));
    for (int c = 0; c < CSV_COLUMNS; c++)
        csv->column[c] = -1;
    for (int f = 0; f < csv->field_count; f++) {
        char *name = csv->fields[f];
        int c = 0;

        name += strspn(name, " ");
        name[strcspn(name, " ")] = '\0';
        while (c < CSV_COLUMNS && strcasecmp(name, column_table[c]) != 0)
            c++;
        if (c < CSV_COLUMNS && csv->column[c] >= 0)
            return hl_fail(err, HL_BAD_INPUT, "%s:%d: the column %s is there twice",
                           csv->source->name, csv->record, name);
        if (c < CSV_COLUMNS)
            csv->column[c] = f;
        else if (hl_nearest_word(name, column_table, CSV_COLUMNS) != NULL) {
            char where[512];

            (void)snprintf(where, sizeof(where), "%s:%d", csv->source->name, csv->record);
            return hl_fail_unknown(err, HL_BAD_INPUT, where, "column", name, column_table,
                                   CSV_COLUMNS);
        }
    }
    for (int c = 0; c < CSV_REQUIRED; c++)
        if (csv->column[c] < 0)
            return hl_fail(err, HL_BAD_INPUT,
                           "%s:%d: no column %s; expected workload, load, variant, run, metric, "
                           "value and unit",
                           csv->source->name, csv->record, column_table[c]);
    return HL_OK;
}

static enum hl_status read_int(const struct csv *csv, enum column column, int64_t least,
                               int64_t most, int64_t if_empty, int64_t *value, struct hl_error *err)
{
    char expected[80];

    *value = if_empty;
    if (field(csv, column)[0] == '\0' && (int)column >= CSV_REQUIRED)
        return HL_OK;
    if (hl_parse_int(field(csv, column), value) && *value >= least && *value <= most)
        return HL_OK;
    (void)snprintf(expected, sizeof(expected), "a whole number from %" PRId64 " to %" PRId64, least,
                   most);
    return wrong(csv, column, expected, err);
}

static enum hl_status read_name(const struct csv *csv, enum column column, char *target,
                                size_t bytes, struct hl_error *err)
{
    char expected[64];

    if (import_copy(target, bytes, field(csv, column)))
        return HL_OK;
    (void)snprintf(expected, sizeof(expected), "at most %zu bytes", bytes - 1);
    return wrong(csv, column, expected, err);
}

/* What tells this run from others. */
static enum hl_status read_identity(const struct csv *csv, struct run *run, struct hl_error *err)
{
    int64_t number;

    import_run_init(csv->source, run, "not in the imported file");
    HL_TRY(read_name(csv, CSV_WORKLOAD, run->workload, sizeof(run->workload), err));
    if (!import_set_load(run, field(csv, CSV_LOAD)) || run->load[0] == '\0')
        return wrong(csv, CSV_LOAD, "the name of a load, at most 31 bytes", err);
    HL_TRY(read_name(csv, CSV_VARIANT, run->variant, sizeof(run->variant), err));
    HL_TRY(read_name(csv, CSV_MACHINE, run->machine, sizeof(run->machine), err));
    HL_TRY(read_name(csv, CSV_BOOT_ID, run->boot_id, sizeof(run->boot_id), err));
    HL_TRY(read_int(csv, CSV_RUN, 0, INT32_MAX, 0, &number, err));
    run->run = (int32_t)number;
    HL_TRY(read_int(csv, CSV_BLOCK, 0, INT32_MAX, -1, &number, err));
    run->block = (int32_t)number;
    HL_TRY(read_int(csv, CSV_SEED, 0, INT64_MAX, 0, &number, err));
    run->seed = (uint64_t)number;
    HL_TRY(read_int(csv, CSV_LEVEL, 0, INT64_MAX, run->level, &run->level, err));
    return import_apply_options(csv->source, run, err);
}

/* How the run ended: as the file says, else by its exit status. */
static enum hl_status read_status(const struct csv *csv, struct run *run, struct hl_error *err)
{
    int64_t number;
    int s = 0;

    HL_TRY(read_int(csv, CSV_EXIT_STATUS, INT32_MIN, INT32_MAX, 0, &number, err));
    run->exit_status = (int32_t)number;
    run->status = number == 0 ? RUN_OK : RUN_FAILED;
    if (field(csv, CSV_STATUS)[0] == '\0')
        return HL_OK;
    while (s < RUN_STATUS_COUNT &&
           strcmp(field(csv, CSV_STATUS), run_status_name((enum run_status)s)) != 0)
        s++;
    if (s == RUN_STATUS_COUNT)
        return wrong(csv, CSV_STATUS, "ok, failed, killed or invalid", err);
    run->status = (enum run_status)s;
    return HL_OK;
}

static enum hl_status read_order(const struct csv *csv, int32_t *order, struct hl_error *err)
{
    int64_t number;

    HL_TRY(read_int(csv, CSV_ORDER, 0, INT32_MAX, -1, &number, err));
    *order = (int32_t)number;
    return HL_OK;
}

/* The index of the record that this line belongs to, added if it is a new one. */
static enum hl_status find_run(const struct csv *csv, size_t *index, struct hl_error *err)
{
    struct import_result *result = csv->source->result;
    char study[IMPORT_STUDY_BYTES];
    struct run run;

    HL_TRY(read_identity(csv, &run, err));
    HL_TRY(read_name(csv, CSV_STUDY, study, sizeof(study), err));
    HL_TRY(read_status(csv, &run, err));
    HL_TRY(import_find(result, &run, study, index, err));
    HL_TRY(read_order(csv, &run.order, err));
    if (*index == result->runs.count)
        return import_add(csv->source, &run, study, err);
    if (*index < csv->source->first)
        return wrong(csv, CSV_RUN, "each run in one file only (another block, seed or boot_id)",
                     err);
    if (result->runs.runs[*index].exit_status != run.exit_status ||
        result->runs.runs[*index].status != run.status)
        return wrong(csv, csv->column[CSV_STATUS] < 0 ? CSV_EXIT_STATUS : CSV_STATUS,
                     "the same in all lines of a run", err);
    return HL_OK;
}

/* The metric of this line, in the unit it has everywhere. */
static enum hl_status read_metric(const struct csv *csv, int *metric, struct hl_error *err)
{
    const char *name = field(csv, CSV_METRIC), *unit = field(csv, CSV_UNIT), *near = NULL;
    const char *names[RUN_METRIC_COUNT];
    int better = (int)run_metric_better_of(name);
    char where[512];
    struct hl_error why;

    if (name[0] == '\0' || strlen(name) > 63 || strlen(unit) > 31)
        return wrong(csv, CSV_METRIC, "a name of 1 to 63 bytes, its unit at most 31", err);
    *metric = run_metric_find(name);
    if (field(csv, CSV_BETTER)[0] != '\0') {
        better = 0;
        while (better < RUN_BETTER_COUNT &&
               strcmp(field(csv, CSV_BETTER), run_better_name((enum run_better)better)) != 0)
            better++;
        if (better == RUN_BETTER_COUNT)
            return wrong(csv, CSV_BETTER, "lower, higher or neither", err);
    } else if (*metric >= 0) {
        better = (int)run_metric_table[*metric].better;
    }
    for (int i = 0; i < RUN_METRIC_COUNT; i++)
        names[i] = run_metric_table[i].name;
    if (*metric < 0)
        near = hl_nearest_word(name, names, RUN_METRIC_COUNT);
    if (near != NULL && strcmp(run_metric_table[run_metric_find(near)].unit, unit) == 0) {
        (void)snprintf(where, sizeof(where), "%s:%d", csv->source->name, csv->record);
        return hl_fail_unknown(err, HL_BAD_INPUT, where, "metric", name, names, RUN_METRIC_COUNT);
    }
    if (run_metric_add(name, unit, (enum run_better)better, metric, &why) != HL_OK)
        return hl_fail(err, why.status, "%s:%d: %s", csv->source->name, csv->record, why.text);
    return HL_OK;
}

/* Other programs' words for a value that is missing. */
static bool is_missing(const char *value)
{
    static const char *const words[] = {"", "NA", "NaN", "nan", "null", "-"};

    for (int i = 0; i < HL_COUNT_OF(words); i++)
        if (strcmp(value, words[i]) == 0)
            return true;
    return false;
}

static enum hl_status read_line(const struct csv *csv, struct hl_error *err)
{
    const char *part = field(csv, CSV_PART), *expected;
    struct hl_error why;
    struct run *run;
    size_t index;
    int metric;
    double value;

    HL_TRY(find_run(csv, &index, err));
    HL_TRY(read_metric(csv, &metric, err));
    run = &csv->source->result->runs.runs[index];
    if (part[0] == '\0' ? run_has(run, (enum run_metric)metric)
                        : !isnan(run_part_get(run_part_find(run, part), metric)))
        return wrong(csv, CSV_METRIC, "each metric of a run once", err);
    if (is_missing(field(csv, CSV_VALUE)))
        return HL_OK;
    if (!hl_parse_double(field(csv, CSV_VALUE), &value))
        return wrong(csv, CSV_VALUE, "a number such as 81.6, or nothing", err);
    if (!import_is_figure(metric, value, &expected))
        return wrong(csv, CSV_VALUE, expected, err);
    if (part[0] == '\0')
        run_set(run, (enum run_metric)metric, value);
    else if (run_part_set(run, part, metric, value, &why) != HL_OK)
        return hl_fail(err, why.status, "%s:%d: %s", csv->source->name, csv->record, why.text);
    return HL_OK;
}

enum hl_status import_long_csv(const struct import_source *source, char *text, struct hl_error *err)
{
    struct csv csv = {.source = source, .next = text, .line = 1};
    int columns;

    HL_TRY(import_refuse_load(source, "CSV", err));
    HL_TRY(read_header(&csv, err));
    columns = csv.field_count;
    for (;;) {
        HL_TRY(read_record(&csv, err));
        if (csv.field_count == 0)
            return HL_OK;
        if (csv.field_count != columns)
            return hl_fail(err, HL_BAD_INPUT, "%s:%d: %d columns; expected %d as in the first line",
                           source->name, csv.record, csv.field_count, columns);
        HL_TRY(read_line(&csv, err));
    }
}
