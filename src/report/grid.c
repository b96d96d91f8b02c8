/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * grid.c - the -jX table: a row per policy, a column per load; mean, best, normalised; of several
 * policies kernbench's other figures too.
 *
 *     elapsed seconds, mean +- standard deviation of 5 runs (lower is better)
 *                                           -j1             -j3
 *     -----------------------    --------------  --------------
 *     o1:version=2.6.0-test11    309.02 +- 0.31  196.91 +- 3.58
 *     ...
 *     normalised to: o1:version=2.6.0-test11 at -j1 = 309.02 s (mean, lower is better)
 */
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/format.h"
#include "base/units.h"
#include "report/cells.h"
#include "report/doubts.h"
#include "report/part_table.h"
#include "report/write.h"
#include "stats/stats.h"

enum figure { FIGURE_MEAN, FIGURE_MEAN_SD, FIGURE_BEST };

/* One table of all cells. */
struct view {
    enum run_metric metric;
    enum figure figure;
    double unit; /* divides each value */
    int decimals;
};

/* What kernbench prints beside the elapsed time, in its order. */
static const struct {
    enum run_metric metric;
    const char *title;
} others[] = {
    {RUN_user_s, "user seconds"},
    {RUN_system_s, "system seconds"},
    {RUN_percent_cpu, "percent cpu"},
    {RUN_involuntary_switches, "context switches (involuntary)"},
    {RUN_voluntary_switches, "sleeps (voluntary switches)"},
};

/* NAN: no run of the cell has succeeded. */
static double figure_of(const struct report_cells *cells, size_t row, size_t column,
                        enum run_metric metric, enum figure figure)
{
    size_t n = report_cells_values(cells, row, column, metric);

    if (figure != FIGURE_BEST)
        return stats_mean(cells->values, n);
    return run_metric_table[metric].better == RUN_HIGHER ? stats_max(cells->values, n)
                                                         : stats_min(cells->values, n);
}

/*
 * Four digits at least for the smallest figure, two decimals at least; but of the deviations no more
 * than two digits of the smallest one: what is behind that is chance.
 */
static int decimals_of(const struct report_cells *cells, enum run_metric metric)
{
    double least = HUGE_VAL, least_sd = HUGE_VAL;
    int decimals, known;

    for (size_t row = 0; row < cells->row_count; row++) {
        for (size_t column = 0; column < cells->column_count; column++) {
            size_t n = report_cells_values(cells, row, column, metric);
            double value = stats_min(cells->values, n), sd = stats_sd(cells->values, n);
            struct stats_modes modes;

            if (stats_two_modes(cells->values, n, stats_resolution(cells->values, n), &modes))
                sd = 0; /* not printed */

            least = value < least ? value : least;
            least_sd = sd > 0 && sd < least_sd ? sd : least_sd;
        }
    }
    decimals = least < 0.1 && least > 0 ? HL_MIN(3 - (int)floor(log10(least)), 9)
               : least < 1              ? 4
               : least < 10             ? 3
                                        : 2;
    if (!isfinite(least_sd))
        return decimals;
    known = (int)(1 - floor(log10(least_sd)));
    return HL_MIN(HL_MAX(known, 0), decimals);
}

/* The deviation that a log gives beside a mean of runs it does not list; NULL: none. */
static const char *logged_deviation(const struct report_cells *cells, size_t row, size_t column,
                                    enum run_metric metric)
{
    static const char before[] = ", deviation ";
    size_t count = report_cells_runs(cells, row, column);

    for (size_t i = 0; i < count; i++) {
        const char *how = cells->cell[i].reason[metric];
        const char *found = how == NULL ? NULL : strstr(how, before);

        if (cells->cell[i].status == RUN_OK && run_has(&cells->cell[i], metric) && found != NULL)
            return found + sizeof(before) - 1;
    }
    return NULL;
}

static void add_figure(struct report_table *table, const struct report_cells *cells, size_t row,
                       size_t column, const struct view *view)
{
    double value = figure_of(cells, row, column, view->metric, view->figure) / view->unit;
    size_t n = report_cells_values(cells, row, column, view->metric);
    struct stats_modes modes;
    const char *deviation;

    if (isnan(value))
        report_table_cell(table, "%s", "");
    else if (view->figure == FIGURE_MEAN_SD &&
             stats_two_modes(cells->values, n, stats_resolution(cells->values, n), &modes))
        report_table_cell(table, "%.*f x%zu, %.*f x%zu", view->decimals, modes.mean[0] / view->unit,
                          modes.count[0], view->decimals, modes.mean[1] / view->unit,
                          modes.count[1]);
    else if (view->figure == FIGURE_MEAN_SD && n > 1)
        report_table_cell(table, "%.*f +- %.*f", view->decimals, value, view->decimals,
                          stats_sd(cells->values, n) / view->unit);
    else if (view->figure == FIGURE_MEAN_SD && n == 1 &&
             (deviation = logged_deviation(cells, row, column, view->metric)) != NULL)
        report_table_cell(table, "%.*f (%s)", view->decimals, value, deviation);
    else
        report_table_cell(table, "%.*f", view->decimals, value);
}

static enum hl_status write_table(FILE *out, const struct report_cells *cells,
                                  const struct view *view, struct hl_error *err)
{
    struct report_table *table = report_table_new();
    char text[RUN_ARM_BYTES];
    enum hl_status status;

    report_table_cell(table, "%s", "");
    for (size_t column = 0; column < cells->column_count; column++) {
        report_format_load(text, sizeof(text), cells->columns[column]);
        report_table_cell(table, "%s", text);
    }
    report_table_end_row(table);
    for (size_t row = 0; row < cells->row_count; row++) {
        report_table_cell(table, "%s", run_arm_name(cells->rows[row], text));
        for (size_t column = 0; column < cells->column_count; column++)
            add_figure(table, cells, row, column, view);
        report_table_end_row(table);
    }
    status = report_table_print(table, out, 1, err);
    report_table_free(table);
    return status;
}

/* "5 runs", "4 to 5 runs": how many runs the figures of the cells are made of. */
static size_t format_counts(char *text, size_t bytes, const struct report_cells *cells,
                            enum run_metric metric)
{
    size_t least = SIZE_MAX, most = 0;

    for (size_t row = 0; row < cells->row_count; row++) {
        for (size_t column = 0; column < cells->column_count; column++) {
            size_t n = report_cells_values(cells, row, column, metric);

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

static bool has_logged(const struct report_cells *cells, enum run_metric metric)
{
    for (size_t row = 0; row < cells->row_count; row++)
        for (size_t column = 0; column < cells->column_count; column++)
            if (logged_deviation(cells, row, column, metric) != NULL)
                return true;
    return false;
}

static const char *better_of(enum run_metric metric)
{
    static const char *const words[RUN_BETTER_COUNT] = {"lower is better", "higher is better",
                                                        "neither is better"};

    return words[run_metric_table[metric].better];
}

/* "elapsed seconds", "mflops in MFLOPS" */
static void format_title(char *text, size_t bytes, enum run_metric metric)
{
    const struct run_metric_info *info = &run_metric_table[metric];

    if (metric == RUN_elapsed_s)
        (void)hl_format(text, bytes, "elapsed seconds");
    else if (info->unit[0] == '\0')
        (void)hl_format(text, bytes, "%s", info->name);
    else
        (void)hl_format(text, bytes, "%s in %s", info->name, info->unit);
}

/* The title and the table of means, with deviations where there are some. */
static enum hl_status write_means(FILE *out, const struct report_cells *cells,
                                  enum run_metric metric, const char *title, struct hl_error *err)
{
    char counts[64];
    size_t most = format_counts(counts, sizeof(counts), cells, metric);
    struct view view = {metric, FIGURE_MEAN_SD, 1, decimals_of(cells, metric)};

    if (most == 1 && has_logged(cells, metric))
        (void)hl_format(counts, sizeof(counts), "runs (deviation) as the log has it");
    (void)fprintf(out, "%s, mean%s of %s (%s)\n", title, most > 1 ? " +- standard deviation" : "",
                  counts, better_of(metric));
    return write_table(out, cells, &view, err);
}

/* The column of one job: all papers of this field divide by it. */
static size_t reference_column(const struct report_cells *cells)
{
    for (size_t column = 0; column < cells->column_count; column++)
        if (cells->columns[column]->level == 1)
            return column;
    return 0;
}

static enum hl_status write_normalised(FILE *out, const struct report_cells *cells,
                                       enum run_metric metric, struct hl_error *err)
{
    char name[RUN_ARM_BYTES], load[64];
    size_t column = reference_column(cells);
    double reference = figure_of(cells, 0, column, metric, FIGURE_MEAN);
    struct view view = {metric, FIGURE_MEAN, reference, 3};

    (void)run_arm_name(cells->rows[0], name);
    report_format_load(load, sizeof(load), cells->columns[column]);
    if (isnan(reference)) {
        (void)fputc('\n', out);
        report_line(out, "not normalised: %s at %s has no figure", name, load);
        return HL_OK;
    }
    (void)fputc('\n', out);
    report_line(out, "normalised to: %s at %s = %.*f %s (mean, %s)", name, load,
                decimals_of(cells, metric), reference, run_metric_table[metric].unit,
                better_of(metric));
    return write_table(out, cells, &view, err);
}

/* Tables of means of all metrics from `first` on that some run has, but for one. */
static enum hl_status write_metrics(FILE *out, const struct report_cells *cells, int first,
                                    int left_out, int *listed, struct hl_error *err)
{
    char text[64];

    for (int metric = first; metric < run_metric_count(); metric++) {
        if (metric == left_out ||
            format_counts(text, sizeof(text), cells, (enum run_metric)metric) == 0)
            continue;
        report_write(out, (*listed)++ == 0 ? "" : "\n");
        format_title(text, sizeof(text), (enum run_metric)metric);
        HL_TRY(write_means(out, cells, (enum run_metric)metric, text, err));
    }
    return HL_OK;
}

static enum hl_status write_others(FILE *out, const struct report_cells *cells,
                                   enum run_metric result, struct hl_error *err)
{
    char counts[64];

    if (result != RUN_elapsed_s) {
        (void)fputc('\n', out);
        HL_TRY(write_means(out, cells, RUN_elapsed_s, "elapsed seconds", err));
    }
    for (int i = 0; i < HL_COUNT_OF(others); i++) {
        if (cells->row_count == 1 && report_is_make(cells->rows[0]) &&
            cells->rows[0]->source != RUN_IMPORT)
            break; /* kernbench's own text has them */
        if (format_counts(counts, sizeof(counts), cells, others[i].metric) == 0)
            continue;
        (void)fputc('\n', out);
        HL_TRY(write_means(out, cells, others[i].metric, others[i].title, err));
    }
    return HL_OK;
}

/* What the runs are compared by: of the first that is ok. */
static enum run_metric result_metric(const struct report_cells *cells)
{
    for (size_t i = 0; i < cells->runs->count; i++)
        if (cells->runs->runs[i].status == RUN_OK)
            return run_result_metric(&cells->runs->runs[i]);
    return RUN_elapsed_s;
}

static enum hl_status write_tables(FILE *out, const struct report_cells *cells, bool elapsed_only,
                                   struct hl_error *err)
{
    enum run_metric result = result_metric(cells);
    char counts[64], title[64];
    size_t most = format_counts(counts, sizeof(counts), cells, result);
    struct view best = {result, FIGURE_BEST, 1, decimals_of(cells, result)};
    int listed = 0;

    if (most == 0) {
        HL_TRY(write_metrics(out, cells, 0, -1, &listed, err));
        (void)fputs(listed == 0 ? "no run has a figure\n" : "", out);
        return HL_OK;
    }
    format_title(title, sizeof(title), result);
    HL_TRY(write_means(out, cells, result, title, err));
    if (most > 1 && !elapsed_only) {
        (void)fprintf(out, "\n%s, best of %s (%s)\n", title, counts, better_of(result));
        HL_TRY(write_table(out, cells, &best, err));
    }
    if (cells->row_count * cells->column_count > 1) /* one alone is 1 of itself */
        HL_TRY(write_normalised(out, cells, result, err));
    listed = 1;
    HL_TRY(write_metrics(out, cells, RUN_METRIC_COUNT, (int)result, &listed, err));
    if (elapsed_only)
        return HL_OK;
    HL_TRY(report_write_parts(out, cells, err));
    return write_others(out, cells, result, err);
}

static void write_failures(FILE *out, const struct report_cells *cells)
{
    size_t failed = 0, invalid = 0, all = cells->runs->count;
    char name[RUN_ARM_BYTES], load[64];

    for (size_t i = 0; i < all; i++) {
        failed += cells->runs->runs[i].status != RUN_OK;
        invalid += cells->runs->runs[i].status == RUN_INVALID;
    }
    if (failed == 0)
        return;
    if (invalid == failed)
        (void)fprintf(out, "\n%zu of %zu runs %s invalid and left out of the figures:\n", failed,
                      all, failed == 1 ? "is" : "are");
    else
        (void)fprintf(out, "\n%zu of %zu runs failed%s and %s left out of the figures:\n", failed,
                      all, invalid > 0 ? " or are invalid" : "", failed == 1 ? "is" : "are");
    for (size_t i = 0; i < all; i++) {
        const struct run *run = &cells->runs->runs[i];

        if (run->status == RUN_OK)
            continue;
        report_format_load(load, sizeof(load), run);
        report_line(out, "  %s at %s, run %" PRId32 " of %zu: %s, exit status %" PRId32 "%s%s",
                    run_arm_name(run, name), load, run->run + 1,
                    report_cells_runs(cells, cells->row_of[i], cells->column_of[i]),
                    run_status_name(run->status), run->exit_status,
                    run->note[0] == '\0' ? "" : ": ", run->note);
    }
}

/* What is to be known of runs that did not fail. */
static void write_notes(FILE *out, const struct report_cells *cells)
{
    char name[RUN_ARM_BYTES], load[64];
    bool is_first = true;

    for (size_t i = 0; i < cells->runs->count; i++) {
        const struct run *run = &cells->runs->runs[i];

        if (run->status != RUN_OK || run->note[0] == '\0')
            continue;
        report_format_load(load, sizeof(load), run);
        (void)fputs(is_first ? "\nnotes:\n" : "", out);
        report_line(out, "  %s at %s, run %" PRId32 " of %zu: %s", run_arm_name(run, name), load,
                    run->run + 1, report_cells_runs(cells, cells->row_of[i], cells->column_of[i]),
                    run->note);
        is_first = false;
    }
}

static enum hl_status write_grid(FILE *out, const struct run_list *runs, bool elapsed_only,
                                 const struct report_off_load *off, int off_count,
                                 struct hl_error *err)
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
        const struct run *first = &runs->runs[0];

        report_line(out, "%s%s%s, %s", first->workload, first->machine[0] == '\0' ? "" : " on ",
                    first->machine, made[first->source]);
        (void)fputc('\n', out);
        status = write_tables(out, &cells, elapsed_only, err);
        write_failures(out, &cells);
        write_notes(out, &cells);
        report_write_doubts(out, &cells);
    }
    if (off_count > 0)
        (void)fputc('\n', out);
    for (int i = 0; i < off_count; i++)
        report_write_off(out, &off[i]);
    report_cells_close(&cells);
    return status == HL_OK ? report_write_end(out, err) : status;
}

enum hl_status report_grid(FILE *out, const struct run_list *runs,
                           const struct report_off_load *off, int off_count, struct hl_error *err)
{
    return write_grid(out, runs, false, off, off_count, err);
}

enum hl_status report_grid_elapsed(FILE *out, const struct run_list *runs,
                                   const struct report_off_load *off, int off_count,
                                   struct hl_error *err)
{
    return write_grid(out, runs, true, off, off_count, err);
}
