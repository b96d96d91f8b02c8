/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load.c - reads a paper file (papers/ID.json; the format is in docs/formats.md).
 *
 *     {"schema": 1, "id": "...", "title": "...", "where": "...", "workload": "kernbench",
 *      "statistic": "best", "runs": 5, "reference": {"row": "UP", "load": "make"},
 *      "metrics": [{"name": "elapsed_s"}],
 *      "loads": [{"label": "make", "level": "1"}],
 *      "rows": [{"label": "UP", "policy": "o1:kernel=up", "machine": "p4-ht", "params": ["K=V"],
 *                "profile": "kernel-2.4", "cells": {"elapsed_s": {"make": [65.96, "fitted"]}}}],
 *      "ratios": [{"label": "C1 / UP", "metrics": ["elapsed_s"], "above": "C1", "below": "UP"}],
 *      "notes": ["..."]}
 */
#include "paper/paper.h"

#include <math.h>
#include <string.h>

#include "base/data_dir.h"
#include "base/format.h"
#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "paper/read.h"

enum {
    FILE_BYTES_MAX = 1 << 20,
    ROWS_MAX = 256,
    LOADS_MAX = 256,
    METRICS_MAX = 32,
    LIST_MAX = 64,
    RUNS_MAX = 1000,
    NOTE_BYTES_MAX = 2000
};

static const char *const role_names[PAPER_ROLE_COUNT] = {"fitted", "predicted", "comparing",
                                                         "not explained"};

const char *paper_role_name(enum paper_role role)
{
    return role_names[role];
}

/* What is needed while one file is read. */
struct reader {
    struct paper *paper;
    size_t cell_capacity;
    const char *load_labels[LOADS_MAX], *metric_names[METRICS_MAX];
};

/* An optional array of "KEY=VALUE". */
static enum hl_status read_assignments(const struct hl_json_node *object, const char *key,
                                       char (**list)[96], int *list_count, struct hl_error *err)
{
    struct hl_json_node array;
    size_t count;

    HL_TRY(hl_json_member_if_any(object, key, &array, err));
    if (array.value == NULL)
        return HL_OK;
    HL_TRY(hl_json_array(&array, &count, err));
    if (count > LIST_MAX)
        return hl_json_fail(&array, err, "found %zu items, expected at most %d", count, LIST_MAX);
    *list = hl_alloc(count, sizeof(**list));
    if (*list == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for %s", object->file);
    for (size_t i = 0; i < count; i++) {
        struct hl_json_node item = hl_json_item(&array, i);

        HL_TRY(paper_read_text(&item, (*list)[i], sizeof((*list)[i]), err));
        if (strchr((*list)[i], '=') == NULL)
            return hl_json_fail(&item, err, "found \"%s\", expected KEY=VALUE", (*list)[i]);
        *list_count = (int)i + 1;
    }
    return HL_OK;
}

/* "from": what it is computed from, by name. */
static enum hl_status read_from(const struct paper *paper, const struct reader *reader,
                                const struct hl_json_node *node, struct paper_metric *metric,
                                struct hl_error *err)
{
    struct hl_json_node from;

    HL_TRY(hl_json_member_if_any(node, "from", &from, err));
    if (from.value == NULL)
        return HL_OK;
    HL_TRY(paper_read_places(node, "from", "metric", reader->metric_names, paper->metric_count,
                             PAPER_SUM_MAX, metric->from, &metric->from_count, err));
    for (int i = 0; i < metric->from_count; i++) {
        struct paper_metric *source = &paper->metrics[metric->from[i]];

        if (source == metric || source->from_count > 0)
            return hl_json_fail(&from, err, "%s is computed itself; expected metrics that are not",
                                source->name);
    }
    return HL_OK;
}

static enum hl_status read_metric(const struct hl_json_node *node, struct paper_metric *metric,
                                  struct hl_error *err)
{
    static const char *const known[] = {"name", "from", "unit", "better"};
    static const char *const better[] = {"lower", "higher", "neither"};
    struct hl_json_node unit, direction;
    const char *text;
    int of_run, place;

    _Static_assert(RUN_LOWER == 0 && RUN_HIGHER == 1 && RUN_NEITHER == 2, "places in `better`");
    HL_TRY(hl_json_check_keys(node, known, HL_COUNT_OF(known), err));
    HL_TRY(paper_read_member_text(node, "name", metric->name, sizeof(metric->name), err));
    of_run = run_metric_find(metric->name);
    /* One that a workload brings into the table is still the paper's to describe. */
    if (of_run >= 0 && of_run < RUN_METRIC_COUNT) {
        /* The run record says what unit it has; a second word on it could only be wrong. */
        HL_TRY(hl_json_check_keys(node, known, 2, err));
        (void)hl_format(metric->unit, sizeof(metric->unit), "%s", run_metric_table[of_run].unit);
        metric->better = run_metric_table[of_run].better;
        return HL_OK;
    }
    HL_TRY(hl_json_member(node, "unit", &unit, err));
    HL_TRY(hl_json_string(&unit, 0, sizeof(metric->unit) - 1, &text, err));
    memcpy(metric->unit, text, strlen(text) + 1);
    HL_TRY(hl_json_member(node, "better", &direction, err));
    HL_TRY(paper_read_word(&direction, "direction", better, HL_COUNT_OF(better), &place, err));
    metric->better = (enum run_better)place;
    return HL_OK;
}

static enum hl_status read_metrics(struct reader *reader, const struct hl_json_node *root,
                                   struct hl_error *err)
{
    struct paper *paper = reader->paper;
    struct hl_json_node array;
    size_t count;

    HL_TRY(paper_read_array(root, "metrics", METRICS_MAX, &array, &count, err));
    paper->metrics = hl_alloc(count, sizeof(*paper->metrics));
    if (paper->metrics == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for %s", root->file);
    for (int i = 0; i < (int)count; i++) {
        struct hl_json_node item = hl_json_item(&array, (size_t)i);

        HL_TRY(read_metric(&item, &paper->metrics[i], err));
        for (int j = 0; j < i; j++)
            HL_TRY(
                paper_check_new_label(&item, paper->metrics[i].name, paper->metrics[j].name, err));
        reader->metric_names[i] = paper->metrics[i].name;
        paper->metric_count = i + 1;
    }
    for (int i = 0; i < (int)count; i++) {
        struct hl_json_node item = hl_json_item(&array, (size_t)i);

        HL_TRY(read_from(paper, reader, &item, &paper->metrics[i], err));
    }
    return HL_OK;
}

static enum hl_status read_load(const struct paper *paper, const struct hl_json_node *node,
                                struct paper_load *load, struct hl_error *err)
{
    static const char *const known[] = {"label", "level", "workload", "options"};
    struct hl_json_node workload;

    HL_TRY(hl_json_check_keys(node, known, HL_COUNT_OF(known), err));
    HL_TRY(paper_read_member_text(node, "label", load->label, sizeof(load->label), err));
    HL_TRY(paper_read_member_text(node, "level", load->level, sizeof(load->level), err));
    memcpy(load->workload, paper->workload, sizeof(load->workload));
    HL_TRY(hl_json_member_if_any(node, "workload", &workload, err));
    if (workload.value != NULL)
        HL_TRY(paper_read_text(&workload, load->workload, sizeof(load->workload), err));
    return read_assignments(node, "options", &load->options, &load->option_count, err);
}

static enum hl_status read_loads(struct reader *reader, const struct hl_json_node *root,
                                 struct hl_error *err)
{
    struct paper *paper = reader->paper;
    struct hl_json_node array;
    size_t count;

    HL_TRY(paper_read_array(root, "loads", LOADS_MAX, &array, &count, err));
    paper->loads = hl_alloc(count, sizeof(*paper->loads));
    if (paper->loads == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for %s", root->file);
    for (int i = 0; i < (int)count; i++) {
        struct hl_json_node item = hl_json_item(&array, (size_t)i);

        paper->load_count = i + 1; /* half-read entries are closed as well */
        HL_TRY(read_load(paper, &item, &paper->loads[i], err));
        for (int j = 0; j < i; j++)
            HL_TRY(paper_check_new_label(&item, paper->loads[i].label, paper->loads[j].label, err));
        reader->load_labels[i] = paper->loads[i].label;
    }
    return HL_OK;
}

/* [published, role] */
static enum hl_status read_cell(const struct hl_json_node *node, struct paper_cell *cell,
                                struct hl_error *err)
{
    struct hl_json_node published, role;
    char found[HL_EXACT_BYTES];
    size_t count;
    int place;

    HL_TRY(hl_json_array(node, &count, err));
    if (count != 2)
        return hl_json_fail(node, err, "found %zu items, expected 2: value and role", count);
    published = hl_json_item(node, 0);
    HL_TRY(hl_json_double(&published, &cell->published, err));
    if (!(cell->published > 0))
        return hl_json_fail(&published, err, "found %s, expected a number above 0",
                            hl_format_exact(found, cell->published));
    role = hl_json_item(node, 1);
    HL_TRY(paper_read_word(&role, "role", role_names, PAPER_ROLE_COUNT, &place, err));
    cell->role = (enum paper_role)place;
    return HL_OK;
}

static enum hl_status read_cells(struct reader *reader, const struct hl_json_node *row,
                                 int row_index, struct hl_error *err)
{
    struct paper *paper = reader->paper;
    struct hl_json_node cells, by_load[METRICS_MAX], item;

    HL_TRY(hl_json_member(row, "cells", &cells, err));
    HL_TRY(hl_json_check_keys(&cells, reader->metric_names, paper->metric_count, err));
    for (int m = 0; m < paper->metric_count; m++) {
        HL_TRY(hl_json_member_if_any(&cells, paper->metrics[m].name, &by_load[m], err));
        if (by_load[m].value != NULL)
            HL_TRY(hl_json_check_keys(&by_load[m], reader->load_labels, paper->load_count, err));
    }
    for (int l = 0; l < paper->load_count; l++) {
        for (int m = 0; m < paper->metric_count; m++) {
            struct paper_cell cell = {.row_index = row_index, .load_index = l, .metric_index = m};

            if (by_load[m].value == NULL || !hl_json_has(&by_load[m], paper->loads[l].label))
                continue;
            HL_TRY(hl_json_member(&by_load[m], paper->loads[l].label, &item, err));
            HL_TRY(read_cell(&item, &cell, err));
            cell.simulated = (double)NAN;
            cell.reference = -1;
            memcpy(cell.row, paper->rows[row_index].label, sizeof(cell.row));
            memcpy(cell.load, paper->loads[l].label, sizeof(cell.load));
            memcpy(cell.metric, paper->metrics[m].name, sizeof(cell.metric));
            HL_TRY(hl_grow(&paper->cells, &reader->cell_capacity, (size_t)paper->cell_count + 1,
                           sizeof(*paper->cells), err));
            paper->cells[paper->cell_count++] = cell;
        }
    }
    return HL_OK;
}

const char *paper_row_profile(const struct paper_row *row, const char *workload)
{
    for (int i = 0; i < row->profile_count; i++)
        if (strcmp(row->profiles[i].workload, workload) == 0)
            return row->profiles[i].name;
    return "";
}

/* "profile": one name, of the paper's workload, or {"WORKLOAD": "NAME"}. */
static enum hl_status read_profiles(const struct paper *paper, const struct hl_json_node *object,
                                    struct paper_row *row, struct hl_error *err)
{
    struct hl_json_node node, item;
    const char *workload;
    json_t *value;

    HL_TRY(hl_json_member_if_any(object, "profile", &node, err));
    if (node.value == NULL)
        return HL_OK;
    if (!json_is_object(node.value)) {
        row->profile_count = 1;
        memcpy(row->profiles[0].workload, paper->workload, sizeof(row->profiles[0].workload));
        return paper_read_text(&node, row->profiles[0].name, sizeof(row->profiles[0].name), err);
    }
    if (json_object_size(node.value) > PAPER_PROFILES_MAX)
        return hl_json_fail(&node, err, "found %zu profiles, expected at most %d",
                            json_object_size(node.value), PAPER_PROFILES_MAX);
    json_object_foreach(node.value, workload, value)
    {
        struct paper_profile *profile = &row->profiles[row->profile_count++];

        HL_TRY(hl_json_member(&node, workload, &item, err));
        if (strlen(workload) >= sizeof(profile->workload))
            return hl_json_fail(&item, err, "its key has %zu characters, expected at most %zu",
                                strlen(workload), sizeof(profile->workload) - 1);
        memcpy(profile->workload, workload, strlen(workload) + 1);
        HL_TRY(paper_read_text(&item, profile->name, sizeof(profile->name), err));
    }
    return HL_OK;
}

static enum hl_status read_row(struct reader *reader, const struct hl_json_node *node, int index,
                               struct hl_error *err)
{
    static const char *const known[] = {"label",   "policy",  "machine", "params",
                                        "profile", "options", "cells",   "reference_row"};
    struct paper_row *row = &reader->paper->rows[index];

    HL_TRY(hl_json_check_keys(node, known, HL_COUNT_OF(known), err));
    HL_TRY(paper_read_member_text(node, "label", row->label, sizeof(row->label), err));
    HL_TRY(paper_read_member_text(node, "policy", row->policy, sizeof(row->policy), err));
    HL_TRY(paper_read_member_text(node, "machine", row->machine, sizeof(row->machine), err));
    HL_TRY(read_profiles(reader->paper, node, row, err));
    HL_TRY(read_assignments(node, "params", &row->params, &row->param_count, err));
    HL_TRY(read_assignments(node, "options", &row->options, &row->option_count, err));
    for (int j = 0; j < index; j++)
        HL_TRY(paper_check_new_label(node, row->label, reader->paper->rows[j].label, err));
    return read_cells(reader, node, index, err);
}

int paper_cell_find(const struct paper *paper, int row, int load, int metric)
{
    for (int i = 0; i < paper->cell_count; i++) {
        const struct paper_cell *cell = &paper->cells[i];

        if (cell->row_index == row && cell->load_index == load && cell->metric_index == metric)
            return i;
    }
    return -1;
}

static enum hl_status find_row(const struct paper *paper, const struct hl_json_node *node, int *row,
                               struct hl_error *err)
{
    const char *labels[ROWS_MAX];

    for (int i = 0; i < paper->row_count; i++)
        labels[i] = paper->rows[i].label;
    return paper_read_word(node, "row", labels, paper->row_count, row, err);
}

/* "reference_row" of a row: each of its cells is divided by that row's cell of the same load. */
static enum hl_status link_reference_row(struct paper *paper, const struct hl_json_node *row_node,
                                         int row, struct hl_error *err)
{
    struct hl_json_node node;
    int reference_row;

    HL_TRY(hl_json_member_if_any(row_node, "reference_row", &node, err));
    if (node.value == NULL)
        return HL_OK;
    HL_TRY(find_row(paper, &node, &reference_row, err));
    for (int i = 0; i < paper->cell_count; i++) {
        struct paper_cell *cell = &paper->cells[i];

        if (cell->row_index != row)
            continue;
        cell->reference =
            paper_cell_find(paper, reference_row, cell->load_index, cell->metric_index);
        if (cell->reference < 0)
            return hl_json_fail(&node, err, "row \"%s\" has no %s at load \"%s\"",
                                paper->rows[reference_row].label, cell->metric, cell->load);
    }
    return HL_OK;
}

/* "reference" of the paper: all cells of a metric are divided by this one of it. */
static enum hl_status link_reference(struct reader *reader, const struct hl_json_node *root,
                                     struct hl_error *err)
{
    static const char *const known[] = {"row", "load"};
    struct paper *paper = reader->paper;
    struct hl_json_node reference, row_node, load_node;
    int row, load;

    paper->reference_cell = -1;
    HL_TRY(hl_json_member_if_any(root, "reference", &reference, err));
    if (reference.value == NULL)
        return HL_OK;
    HL_TRY(hl_json_check_keys(&reference, known, HL_COUNT_OF(known), err));
    HL_TRY(hl_json_member(&reference, "row", &row_node, err));
    HL_TRY(find_row(paper, &row_node, &row, err));
    HL_TRY(hl_json_member(&reference, "load", &load_node, err));
    HL_TRY(paper_read_word(&load_node, "load", reader->load_labels, paper->load_count, &load, err));
    for (int i = 0; i < paper->cell_count; i++) {
        struct paper_cell *cell = &paper->cells[i];

        cell->reference = paper_cell_find(paper, row, load, cell->metric_index);
        if (cell->reference < 0)
            return hl_json_fail(&reference, err, "row \"%s\" has no %s at load \"%s\"",
                                paper->rows[row].label, cell->metric, paper->loads[load].label);
        if (cell->metric_index == paper->cells[0].metric_index)
            paper->reference_cell = cell->reference;
    }
    return HL_OK;
}

static enum hl_status read_rows(struct reader *reader, const struct hl_json_node *root,
                                struct hl_error *err)
{
    struct paper *paper = reader->paper;
    struct hl_json_node array;
    size_t count;

    HL_TRY(paper_read_array(root, "rows", ROWS_MAX, &array, &count, err));
    paper->rows = hl_alloc(count, sizeof(*paper->rows));
    if (paper->rows == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for %s", root->file);
    for (int i = 0; i < (int)count; i++) {
        struct hl_json_node item = hl_json_item(&array, (size_t)i);

        paper->row_count = i + 1; /* half-read entries are closed as well */
        HL_TRY(read_row(reader, &item, i, err));
    }
    if (paper->cell_count == 0)
        return hl_json_fail(&array, err, "no row has a cell");
    HL_TRY(link_reference(reader, root, err));
    for (int i = 0; i < (int)count; i++) {
        struct hl_json_node item = hl_json_item(&array, (size_t)i);

        if (paper->reference_cell >= 0 && hl_json_has(&item, "reference_row"))
            return hl_json_fail(&item, err,
                                "has a reference_row, and the paper a reference; "
                                "expected one of them");
        HL_TRY(link_reference_row(paper, &item, i, err));
    }
    return HL_OK;
}

static enum hl_status read_notes(struct paper *paper, const struct hl_json_node *root,
                                 struct hl_error *err)
{
    struct hl_json_node array;
    size_t count;

    HL_TRY(hl_json_member_if_any(root, "notes", &array, err));
    if (array.value == NULL)
        return HL_OK;
    HL_TRY(hl_json_array(&array, &count, err));
    if (count > LIST_MAX)
        return hl_json_fail(&array, err, "found %zu items, expected at most %d", count, LIST_MAX);
    paper->notes = hl_alloc(count, sizeof(*paper->notes));
    if (paper->notes == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for %s", root->file);
    for (size_t i = 0; i < count; i++) {
        struct hl_json_node item = hl_json_item(&array, i);
        const char *text;

        HL_TRY(hl_json_string(&item, 1, NOTE_BYTES_MAX, &text, err));
        paper->notes[i] = hl_strdup(text);
        if (paper->notes[i] == NULL)
            return hl_fail(err, HL_NO_MEMORY, "out of memory for %s", root->file);
        paper->note_count = (int)i + 1;
    }
    return HL_OK;
}

static enum hl_status read_paper(struct paper *paper, const struct hl_json_node *root,
                                 struct hl_error *err)
{
    static const char *const known[] = {
        "schema",         "id",   "title", "where", "workload", "statistic", "runs",
        "simulated_runs", "rows", "loads", "notes", "metrics",  "reference", "ratios"};
    static const char *const statistics[] = {"mean", "best"};
    struct reader reader = {.paper = paper};
    struct hl_json_node member;
    int64_t schema;
    int place;

    _Static_assert(PAPER_MEAN == 0 && PAPER_BEST == 1, "places in `statistics`");
    HL_TRY(hl_json_check_keys(root, known, HL_COUNT_OF(known), err));
    HL_TRY(hl_json_member(root, "schema", &member, err));
    HL_TRY(hl_json_int(&member, 1, 1, &schema, err));
    HL_TRY(paper_read_member_text(root, "id", paper->id, sizeof(paper->id), err));
    HL_TRY(paper_read_member_text(root, "title", paper->title, sizeof(paper->title), err));
    HL_TRY(paper_read_member_text(root, "where", paper->where, sizeof(paper->where), err));
    HL_TRY(paper_read_member_text(root, "workload", paper->workload, sizeof(paper->workload), err));
    HL_TRY(hl_json_member(root, "statistic", &member, err));
    HL_TRY(paper_read_word(&member, "statistic", statistics, HL_COUNT_OF(statistics), &place, err));
    paper->statistic = (enum paper_statistic)place;
    HL_TRY(hl_json_member(root, "runs", &member, err));
    HL_TRY(hl_json_int(&member, 1, RUNS_MAX, &paper->runs, err));
    paper->simulated_runs = paper->runs;
    HL_TRY(hl_json_member_if_any(root, "simulated_runs", &member, err));
    if (member.value != NULL)
        HL_TRY(hl_json_int(&member, 1, RUNS_MAX, &paper->simulated_runs, err));
    HL_TRY(read_metrics(&reader, root, err));
    HL_TRY(read_loads(&reader, root, err));
    HL_TRY(read_rows(&reader, root, err));
    HL_TRY(paper_read_ratios(paper, root, err));
    return read_notes(paper, root, err);
}

enum hl_status paper_parse(struct paper *paper, const char *path, const char *text, size_t bytes,
                           struct hl_error *err)
{
    struct hl_json file = {0};
    enum hl_status status;

    *paper = (struct paper){.reference_cell = -1};
    status = hl_json_parse(&file, path, text, bytes, err);
    if (status == HL_OK) {
        struct hl_json_node root = hl_json_root(&file);

        status = read_paper(paper, &root, err);
    }
    hl_json_close(&file);
    if (status != HL_OK)
        paper_close(paper);
    return status;
}

static bool is_path(const char *id)
{
    size_t length = strlen(id);

    return strchr(id, '/') != NULL || (length > 5 && strcmp(id + length - 5, ".json") == 0);
}

enum hl_status paper_open(struct paper *paper, const char *id, struct hl_error *err)
{
    char path[4096];
    const char *name = id;
    char *text;
    size_t bytes;
    enum hl_status status;

    *paper = (struct paper){.reference_cell = -1};
    if (!is_path(id)) {
        HL_TRY(hl_data_path(path, sizeof(path), "papers", id, ".json", err));
        name = path;
    }
    HL_TRY(hl_read_file(name, FILE_BYTES_MAX, &text, &bytes, err));
    status = paper_parse(paper, name, text, bytes, err);
    hl_free(text);
    return status;
}

void paper_close(struct paper *paper)
{
    for (int i = 0; i < paper->row_count; i++) {
        hl_free(paper->rows[i].params);
        hl_free(paper->rows[i].options);
    }
    for (int i = 0; i < paper->load_count; i++)
        hl_free(paper->loads[i].options);
    for (int i = 0; i < paper->note_count; i++)
        hl_free(paper->notes[i]);
    hl_free(paper->rows);
    hl_free(paper->loads);
    hl_free(paper->metrics);
    hl_free(paper->cells);
    hl_free(paper->notes);
    hl_free(paper->ratios);
    hl_free(paper->ratio_values);
    *paper = (struct paper){.reference_cell = -1};
}
