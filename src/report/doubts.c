/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doubts.c - signs that something else used the machine while builds were timed.
 *
 * The limits are rules of thumb (assumed). On a quiet machine repeated builds differ by about one
 * per cent; at five, differences between schedulers drown. One compiler after the other keeps a cpu
 * busy but for the disk: well below a whole cpu, somebody else had it. A command may sleep: of it that
 * is said only if others are known to have used as much as would be missing.
 */
#include "report/doubts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/format.h"
#include "report/write.h"
#include "stats/stats.h"

static const double spread_limit = 0.05, single_percent_limit = 85, competing_limit = 0.15;

static double mean_of(const struct report_cells *cells, size_t row, size_t column,
                      enum run_metric metric)
{
    size_t n = report_cells_values(cells, row, column, metric);

    return n > 0 ? stats_mean(cells->values, n) : (double)NAN;
}

static bool is_workload(const struct run *run, const char *name)
{
    size_t length = strcspn(run->workload, ":"); /* options stand behind it */

    return strlen(name) == length && strncmp(run->workload, name, length) == 0;
}

/* One job of these works all the time; a command may sleep or wait for others. */
static bool is_cpu_bound(const struct run *run)
{
    return is_workload(run, "kernbench") || is_workload(run, "matinv") || is_workload(run, "rsa");
}

/* Deviation by mean of what the runs of the cell are compared by. */
static double spread_of(const struct report_cells *cells, size_t row, size_t column)
{
    size_t count = report_cells_runs(cells, row, column), n;
    enum run_metric metric = RUN_elapsed_s;

    for (size_t i = 0; i < count && metric == RUN_elapsed_s; i++)
        metric = run_result_metric(&cells->cell[i]);
    n = report_cells_values(cells, row, column, metric);
    return n > 1 ? stats_sd(cells->values, n) / stats_mean(cells->values, n) : 0;
}

/* Jobs that got less than they could have: one of most works; several where each is a process that
 * always can run, and only if others are known to have used as much as would be missing. */
static bool is_starved(const struct run *run, double percent, double competing, double elapsed)
{
    double jobs = (double)run->level;

    /* Nothing is said of what was not had, NAN. */
    if (run->level < 1 || !(percent < single_percent_limit * jobs))
        return false;
    if (run->level == 1)
        return is_cpu_bound(run) || competing > competing_limit * elapsed;
    return is_workload(run, "rsa") && competing > competing_limit * elapsed * percent / 100;
}

/* The first line has a blank one in front. */
static void write_cell(FILE *out, const struct report_cells *cells, size_t row, size_t column,
                       int *lines)
{
    const struct run *load = cells->columns[column];
    double elapsed = mean_of(cells, row, column, RUN_elapsed_s);
    double competing = mean_of(cells, row, column, RUN_competing_cpu_s);
    double percent = mean_of(cells, row, column, RUN_percent_cpu);
    double spread = spread_of(cells, row, column);
    char name[RUN_ARM_BYTES], at[64], jobs[32] = "one job", others[80] = "";

    (void)run_arm_name(cells->rows[row], name);
    report_format_load(at, sizeof(at), load);
    if (load->level > 1)
        (void)hl_format(jobs, sizeof(jobs), "%" PRId64 " jobs", load->level);
    if (!isnan(competing))
        (void)hl_format(others, sizeof(others), " (others used %.2f cpu s in %.2f s)", competing,
                        elapsed);
    if (spread > spread_limit)
        report_write(out,
                     "%sdoubtful: %s at %s: the standard deviation is %.0f %% of the mean; was "
                     "the machine busy with something else?%s\n",
                     (*lines)++ == 0 ? "\n" : "", name, at, 100 * spread, others);
    if (is_starved(load, percent, competing, elapsed))
        report_write(out,
                     "%sdoubtful: %s at %s: %s got %.0f %% of a cpu; was the machine busy with "
                     "something else?%s\n",
                     (*lines)++ == 0 ? "\n" : "", name, at, jobs, percent, others);
}

void report_write_doubts(FILE *out, const struct report_cells *cells)
{
    int lines = 0;

    if (cells->runs->runs[0].source != RUN_HOST)
        return;
    for (size_t row = 0; row < cells->row_count; row++)
        for (size_t column = 0; column < cells->column_count; column++)
            write_cell(out, cells, row, column, &lines);
}
