/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doubts.c - signs that something else used the machine while builds were timed.
 *
 * Both limits are rules of thumb (assumed). On a quiet machine repeated builds differ by about one
 * per cent; at five, differences between schedulers drown. One compiler after the other keeps a cpu
 * busy but for the disk: well below a whole cpu, somebody else had it.
 */
#include "report/doubts.h"

#include <math.h>

#include "report/write.h"
#include "stats/stats.h"

static const double spread_limit = 0.05, single_percent_limit = 85;

/* The first line has a blank one in front. */
static void write_cell(FILE *out, const struct report_cells *cells, size_t row, size_t column,
                       int *lines)
{
    size_t n = report_cells_values(cells, row, column, RUN_elapsed_s);
    double spread = n > 1 ? stats_sd(cells->values, n) / stats_mean(cells->values, n) : 0;
    double percent = (double)NAN;
    char name[RUN_ARM_BYTES], load[64];

    if (cells->columns[column]->level == 1) {
        n = report_cells_values(cells, row, column, RUN_percent_cpu);
        percent = n > 0 ? stats_mean(cells->values, n) : percent;
    }
    (void)run_arm_name(cells->rows[row], name);
    report_format_load(load, sizeof(load), cells->columns[column]);
    if (spread > spread_limit)
        report_write(out,
                     "%sdoubtful: %s at %s: the standard deviation is %.0f %% of the mean; was "
                     "the machine busy with something else?\n",
                     (*lines)++ == 0 ? "\n" : "", name, load, 100 * spread);
    if (percent < single_percent_limit)
        report_write(out,
                     "%sdoubtful: %s at %s: one job got %.0f %% of a cpu; was the machine busy "
                     "with something else?\n",
                     (*lines)++ == 0 ? "\n" : "", name, load, percent);
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
