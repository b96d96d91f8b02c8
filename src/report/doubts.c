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

#include <math.h>
#include <string.h>

#include "base/format.h"
#include "base/units.h"
#include "report/write.h"
#include "stats/stats.h"

static const double spread_limit = 0.05, single_percent_limit = 85, competing_limit = 0.15;

static double mean_of(const struct report_cells *cells, size_t row, size_t column,
                      enum run_metric metric)
{
    size_t n = report_cells_values(cells, row, column, metric);

    return n > 0 ? stats_mean(cells->values, n) : (double)NAN;
}

/* One job of these works all the time; a command may sleep or wait for others. */
static bool is_cpu_bound(const struct run *run)
{
    static const char *const names[] = {"kernbench", "matinv", "rsa"};
    size_t length = strcspn(run->workload, ":"); /* options stand behind it */

    for (int i = 0; i < HL_COUNT_OF(names); i++)
        if (strlen(names[i]) == length && strncmp(run->workload, names[i], length) == 0)
            return true;
    return false;
}

/* The first line has a blank one in front. */
static void write_cell(FILE *out, const struct report_cells *cells, size_t row, size_t column,
                       int *lines)
{
    double elapsed = mean_of(cells, row, column, RUN_elapsed_s);
    double competing = mean_of(cells, row, column, RUN_competing_cpu_s);
    double percent = mean_of(cells, row, column, RUN_percent_cpu);
    size_t n = report_cells_values(cells, row, column, RUN_elapsed_s);
    double spread = n > 1 ? stats_sd(cells->values, n) / elapsed : 0;
    bool is_single = cells->columns[column]->level == 1;
    bool is_disturbed = competing > competing_limit * elapsed;
    char name[RUN_ARM_BYTES], load[64], others[80] = "";

    (void)run_arm_name(cells->rows[row], name);
    report_format_load(load, sizeof(load), cells->columns[column]);
    if (!isnan(competing))
        (void)hl_format(others, sizeof(others), " (others used %.2f cpu s in %.2f s)", competing,
                        elapsed);
    if (spread > spread_limit)
        report_write(out,
                     "%sdoubtful: %s at %s: the standard deviation is %.0f %% of the mean; was "
                     "the machine busy with something else?%s\n",
                     (*lines)++ == 0 ? "\n" : "", name, load, 100 * spread, others);
    if (is_single && percent < single_percent_limit &&
        (is_cpu_bound(cells->columns[column]) || is_disturbed))
        report_write(out,
                     "%sdoubtful: %s at %s: one job got %.0f %% of a cpu; was the machine busy "
                     "with something else?%s\n",
                     (*lines)++ == 0 ? "\n" : "", name, load, percent, others);
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
