/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * part_table.c - figures of the parts of runs: a row per policy, load and part, a column per metric.
 *
 *     parts, means of the runs; the whole run has what is in no part too
 *           load  part        elapsed_s  parallelism    mflops  residual
 *     ----  ----  ----------  ---------  -----------  --------  --------
 *     host     1  order 1000     0.0925         0.99  21618.69   0.00213
 *                 whole run      2.4011         0.99  25117.02   0.00240
 */
#include "report/part_table.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "report/write.h"
#include "stats/stats.h"

/* What is printed of a metric: (user + system) / elapsed is known by that name where the parts of a
 * program run in parallel. */
struct column {
    int metric, decimals;
};

struct part_view {
    const struct report_cells *cells;
    struct column columns[RUN_PART_FIGURES];
    int column_count;
};

static double unit_of(int metric)
{
    return metric == RUN_percent_cpu ? 100 : 1;
}

/* The means over the runs in cells->cell[count] of one part, or of the whole run if `part` is NULL. */
static double mean_of(const struct report_cells *cells, size_t count, const char *part, int metric)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++) {
        const struct run *run = &cells->cell[i];
        double value =
            part == NULL ? run->metric[metric] : run_part_get(run_part_find(run, part), metric);

        if (run->status == RUN_OK && !isnan(value))
            cells->values[n++] = value;
    }
    return n == 0 ? (double)NAN : stats_mean(cells->values, n) / unit_of(metric);
}

/* A run of the cell whose parts stand for those of all. */
static const struct run *parts_of(const struct report_cells *cells, size_t count)
{
    const struct run *most = NULL;

    for (size_t i = 0; i < count; i++)
        if (cells->cell[i].status == RUN_OK && cells->cell[i].part_count > 0 &&
            (most == NULL || cells->cell[i].part_count > most->part_count))
            most = &cells->cell[i];
    return most;
}

/* Four digits of the smallest figure, and two decimals at least. */
static void look_at(struct column *column, double value)
{
    int needed = value > 0 ? 3 - (int)floor(log10(value)) : 0;

    if (!isnan(value))
        column->decimals = HL_MAX(column->decimals, HL_MIN(needed, 9));
}

static void choose_columns(struct part_view *view)
{
    const struct report_cells *cells = view->cells;

    for (int metric = 0; metric < run_metric_count(); metric++) {
        struct column column = {.metric = metric, .decimals = 2};
        bool is_had = false;

        for (size_t i = 0; i < cells->runs->count; i++) {
            const struct run *run = &cells->runs->runs[i];

            for (size_t p = 0; run->status == RUN_OK && p < run->part_count; p++) {
                double value = run_part_get(&run->parts[p], metric);

                is_had |= !isnan(value);
                if (metric != RUN_percent_cpu)
                    look_at(&column, value);
            }
        }
        if (is_had && view->column_count < RUN_PART_FIGURES)
            view->columns[view->column_count++] = column;
    }
}

static void add_row(struct report_table *table, const struct part_view *view, size_t count,
                    const char *part)
{
    report_table_cell(table, "%s", part == NULL ? "whole run" : part);
    for (int i = 0; i < view->column_count; i++) {
        double value = mean_of(view->cells, count, part, view->columns[i].metric);

        if (isnan(value))
            report_table_cell(table, "%s", "");
        else
            report_table_cell(table, "%.*f", view->columns[i].decimals, value);
    }
    report_table_end_row(table);
}

static void add_cell(struct report_table *table, const struct part_view *view, size_t row,
                     size_t column)
{
    size_t count = report_cells_runs(view->cells, row, column);
    const struct run *run = parts_of(view->cells, count);
    char arm[RUN_ARM_BYTES], load[64];

    if (run == NULL)
        return;
    (void)run_arm_name(run, arm);
    report_format_load(load, sizeof(load), run);
    for (size_t p = 0; p <= run->part_count; p++) {
        report_table_cell(table, "%s", p == 0 ? arm : "");
        report_table_cell(table, "%s", p == 0 ? load : "");
        add_row(table, view, count, p < run->part_count ? run->parts[p].name : NULL);
    }
}

enum hl_status report_write_parts(FILE *out, const struct report_cells *cells, struct hl_error *err)
{
    struct part_view view = {.cells = cells};
    struct report_table *table;
    bool has_parallelism = false;
    enum hl_status status;

    choose_columns(&view);
    if (view.column_count == 0)
        return HL_OK;
    table = report_table_new();
    report_table_cell(table, "%s", "");
    report_table_cell(table, "%s", "load");
    report_table_cell(table, "%s", "part");
    for (int i = 0; i < view.column_count; i++) {
        bool is_parallelism = view.columns[i].metric == RUN_percent_cpu;

        report_table_cell(table, "%s",
                          is_parallelism ? "parallelism"
                                         : run_metric_table[view.columns[i].metric].name);
        has_parallelism |= is_parallelism;
    }
    report_table_end_row(table);
    for (size_t row = 0; row < cells->row_count; row++)
        for (size_t column = 0; column < cells->column_count; column++)
            add_cell(table, &view, row, column);
    report_write(out, "\nparts, means of the runs; the whole run has what is in no part too%s\n",
                 has_parallelism ? "; parallelism is (user + system) / elapsed" : "");
    status = report_table_print(table, out, 1, err);
    report_table_free(table);
    return status;
}
