/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * grid.c - the -jX table: a row per policy, a column per load; mean, best, normalised.
 *
 *     elapsed seconds, mean of 5 runs (lower is better)
 *                                   -j1     -j3
 *     -----------------------    ------  ------
 *     o1:version=2.6.0-test11    309.02  196.91
 *     ...
 *     normalised to: o1:version=2.6.0-test11 at -j1 = 309.02 s (mean, lower is better)
 */
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/format.h"
#include "report/cells.h"
#include "report/write.h"
#include "stats/stats.h"

enum figure { FIGURE_MEAN, FIGURE_BEST };

/* NAN: no run of the cell has succeeded. */
static double figure_of(const struct report_cells *cells, size_t row, size_t column,
                        enum figure figure)
{
    size_t n = report_cells_values(cells, row, column, RUN_elapsed_s);

    return figure == FIGURE_MEAN ? stats_mean(cells->values, n) : stats_min(cells->values, n);
}

/* "-j3", "half -j8", "max -j"; levels of other workloads stand without -j. */
static void format_load(char *text, size_t bytes, const struct run *run)
{
    const char *dash = strcmp(run->workload, "kernbench") == 0 ? "-j" : "";
    char level[24] = "";

    if (run->level > 0)
        (void)hl_format(level, sizeof(level), "%" PRId64, run->level);
    if (strcmp(run->load, level) == 0)
        (void)hl_format(text, bytes, "%s%s", dash, level);
    else
        (void)hl_format(text, bytes, "%s %s%s", run->load, dash, level);
}

/* Four digits at least for the smallest figure, two decimals at least. */
static int decimals_of(const struct report_cells *cells)
{
    double least = HUGE_VAL;

    for (size_t row = 0; row < cells->row_count; row++) {
        for (size_t column = 0; column < cells->column_count; column++) {
            double value = figure_of(cells, row, column, FIGURE_BEST);

            least = value < least ? value : least;
        }
    }
    return least < 1 ? 4 : least < 10 ? 3 : 2;
}

/* One table of all cells, each divided by `unit`. */
static enum hl_status write_table(FILE *out, const struct report_cells *cells, enum figure figure,
                                  double unit, int decimals, struct hl_error *err)
{
    struct report_table *table = report_table_new();
    char text[RUN_ARM_BYTES];
    enum hl_status status;

    report_table_cell(table, "%s", "");
    for (size_t column = 0; column < cells->column_count; column++) {
        format_load(text, sizeof(text), cells->columns[column]);
        report_table_cell(table, "%s", text);
    }
    report_table_end_row(table);
    for (size_t row = 0; row < cells->row_count; row++) {
        report_table_cell(table, "%s", run_arm_name(cells->rows[row], text));
        for (size_t column = 0; column < cells->column_count; column++) {
            double value = figure_of(cells, row, column, figure) / unit;

            if (isnan(value))
                report_table_cell(table, "%s", "");
            else
                report_table_cell(table, "%.*f", decimals, value);
        }
        report_table_end_row(table);
    }
    status = report_table_print(table, out, 1, err);
    report_table_free(table);
    return status;
}

/* "5 runs", "4 to 5 runs": how many runs the figures of the cells are made of. */
static size_t format_counts(char *text, size_t bytes, const struct report_cells *cells)
{
    size_t least = SIZE_MAX, most = 0;

    for (size_t row = 0; row < cells->row_count; row++) {
        for (size_t column = 0; column < cells->column_count; column++) {
            size_t n = report_cells_values(cells, row, column, RUN_elapsed_s);

            if (n == 0)
                continue;
            least = n < least ? n : least;
            most = n > most ? n : most;
        }
    }
    if (most == 0 || least == most)
        (void)hl_format(text, bytes, "%zu run%s", most, most == 1 ? "" : "s");
    else
        (void)hl_format(text, bytes, "%zu to %zu runs", least, most);
    return most;
}

static enum hl_status write_tables(FILE *out, const struct report_cells *cells,
                                   struct hl_error *err)
{
    char counts[64], name[RUN_ARM_BYTES], load[64];
    double reference = figure_of(cells, 0, 0, FIGURE_MEAN);
    int decimals = decimals_of(cells);
    size_t most = format_counts(counts, sizeof(counts), cells);

    (void)fprintf(out, "elapsed seconds, mean of %s (lower is better)\n", counts);
    HL_TRY(write_table(out, cells, FIGURE_MEAN, 1, decimals, err));
    if (most > 1) {
        (void)fprintf(out, "\nelapsed seconds, best of %s (lower is better)\n", counts);
        HL_TRY(write_table(out, cells, FIGURE_BEST, 1, decimals, err));
    }
    (void)run_arm_name(cells->rows[0], name);
    format_load(load, sizeof(load), cells->columns[0]);
    if (isnan(reference)) {
        (void)fprintf(out, "\nnot normalised: %s at %s has no figure\n", name, load);
        return HL_OK;
    }
    report_write(out, "\nnormalised to: %s at %s = %.*f s (mean, lower is better)\n", name, load,
                 decimals, reference);
    return write_table(out, cells, FIGURE_MEAN, reference, 3, err);
}

static void write_failures(FILE *out, const struct report_cells *cells)
{
    size_t failed = 0, all = cells->runs->count;
    char name[RUN_ARM_BYTES], load[64];

    for (size_t i = 0; i < all; i++)
        failed += cells->runs->runs[i].status != RUN_OK;
    if (failed == 0)
        return;
    (void)fprintf(out, "\n%zu of %zu runs failed and %s left out of the figures:\n", failed, all,
                  failed == 1 ? "is" : "are");
    for (size_t i = 0; i < all; i++) {
        const struct run *run = &cells->runs->runs[i];

        if (run->status == RUN_OK)
            continue;
        format_load(load, sizeof(load), run);
        (void)fprintf(out, "  %s at %s, run %" PRId32 " of %zu: %s, exit status %" PRId32 "%s%s\n",
                      run_arm_name(run, name), load, run->run + 1,
                      report_cells_runs(cells, cells->row_of[i], cells->column_of[i]),
                      run_status_name(run->status), run->exit_status,
                      run->note[0] == '\0' ? "" : ": ", run->note);
    }
}

enum hl_status report_grid(FILE *out, const struct run_list *runs,
                           const struct report_off_load *off, int off_count, struct hl_error *err)
{
    static const char *const made[] = {"simulated", "measured", "recorded", "imported"};
    struct report_cells cells;
    enum hl_status status = HL_OK;

    _Static_assert(RUN_SIM == 0 && RUN_HOST == 1 && RUN_TRACE == 2 && RUN_IMPORT == 3,
                   "places in `made`");
    HL_TRY(report_cells_open(&cells, runs, err));
    if (runs->count == 0) {
        (void)fputs("no runs\n", out);
    } else {
        (void)fprintf(out, "%s on %s, %s\n\n", runs->runs[0].workload, runs->runs[0].machine,
                      made[runs->runs[0].source]);
        status = write_tables(out, &cells, err);
        write_failures(out, &cells);
    }
    if (off_count > 0)
        (void)fputc('\n', out);
    for (int i = 0; i < off_count; i++)
        report_write_off(out, &off[i]);
    report_cells_close(&cells);
    return status == HL_OK ? report_write_end(out, err) : status;
}
