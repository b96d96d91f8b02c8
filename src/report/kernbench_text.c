/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernbench_text.c - results in the form of the kernbench script, so that scripts that read its log
 * read ours.
 *
 *     Average Half load -j 3 Run (std deviation):
 *     Elapsed Time 81.552 (0.342)
 *     User Time 214.6 (1.02)
 *     System Time 22.91 (0.2)
 *     Percent CPU 291 (1.4)
 *     Context Switches 10431.6 (88.7)
 *     Sleeps 26554.6 (120.1)
 *
 * In front of the blocks of a policy stands its name, where kernbench prints the kernel. Context
 * Switches are the involuntary ones, Sleeps the voluntary ones. A deviation needs two runs and a
 * metric must have been had: what is missing is blank, never 0.
 */
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/format.h"
#include "base/units.h"
#include "base/visible.h"
#include "report/cells.h"
#include "report/write.h"
#include "stats/stats.h"

static const struct {
    enum run_metric metric;
    const char *name;
} lines[] = {
    {RUN_elapsed_s, "Elapsed Time"},
    {RUN_user_s, "User Time"},
    {RUN_system_s, "System Time"},
    {RUN_percent_cpu, "Percent CPU"},
    {RUN_involuntary_switches, "Context Switches"},
    {RUN_voluntary_switches, "Sleeps"},
};

/* Six digits, as awk prints for kernbench, but never with an exponent. */
static const char *format_figure(char text[HL_EXACT_BYTES], double value)
{
    int decimals = 6;
    char *last;

    for (double size = fabs(value); size >= 1 && decimals > 0; size /= 10)
        decimals--;
    (void)hl_format(text, HL_EXACT_BYTES, "%.*f", decimals, value);
    if (strchr(text, '.') == NULL)
        return text;
    last = text + strlen(text) - 1;
    while (*last == '0')
        *last-- = '\0';
    if (*last == '.')
        *last = '\0';
    return text;
}

/* "Half load -j 3", "Optimal load -j 8", "Maximal load -j"; other loads: "load -j 3". */
static void write_heading(FILE *out, const struct run *run)
{
    const char *name = report_load_name(run->load);
    char load[4 * sizeof(run->load)];
    bool is_level = run->load[strspn(run->load, "0123456789")] == '\0';

    (void)fputs("Average ", out);
    if (name != NULL)
        (void)fprintf(out, "%s ", name);
    else if (!is_level)
        (void)fprintf(out, "%s ", hl_visible(load, sizeof(load), run->load));
    (void)fputs("load -j", out);
    if (run->level > 0 && strcmp(run->load, "max") != 0)
        (void)fprintf(out, " %" PRId64, run->level);
    (void)fputs(" Run (std deviation):\n", out);
}

static void write_line(FILE *out, const char *name, const double *values, size_t n)
{
    char text[HL_EXACT_BYTES];

    (void)fputs(name, out);
    if (n > 0)
        (void)fprintf(out, " %s", format_figure(text, stats_mean(values, n)));
    if (n > 1)
        (void)fprintf(out, " (%s)", format_figure(text, stats_sd(values, n)));
    (void)fputc('\n', out);
}

/* The average above is that of the script; of two modes it is nobody's. */
static void write_modes(FILE *out, const struct report_cells *cells, size_t row, size_t column)
{
    size_t n = report_cells_values(cells, row, column, RUN_elapsed_s);
    struct stats_modes modes;
    char low[HL_EXACT_BYTES], high[HL_EXACT_BYTES];

    if (!stats_two_modes(cells->values, n, stats_resolution(cells->values, n), &modes))
        return;
    (void)fprintf(out, "Two modes: %s (%zu runs) and %s (%zu runs); no average stands for both\n",
                  format_figure(low, modes.mean[0]), modes.count[0],
                  format_figure(high, modes.mean[1]), modes.count[1]);
}

static void write_block(FILE *out, const struct report_cells *cells, size_t row, size_t column)
{
    size_t count = report_cells_runs(cells, row, column), failed = 0;

    if (count == 0)
        return;
    for (size_t i = 0; i < count; i++)
        failed += cells->cell[i].status != RUN_OK;
    write_heading(out, &cells->cell[0]);
    for (int i = 0; i < HL_COUNT_OF(lines); i++) {
        size_t n = report_cells_values(cells, row, column, lines[i].metric);

        write_line(out, lines[i].name, cells->values, n);
    }
    write_modes(out, cells, row, column);
    if (failed > 0)
        (void)fprintf(out, "Left out: %zu of %zu runs failed\n", failed, count);
    (void)fputc('\n', out);
}

enum hl_status report_kernbench(FILE *out, const struct run_list *runs,
                                const struct report_off_load *off, int off_count,
                                struct hl_error *err)
{
    struct report_cells cells;

    HL_TRY(report_cells_open(&cells, runs, err));
    for (int i = 0; i < off_count; i++)
        report_write_off(out, &off[i]);
    if (off_count > 0)
        (void)fputc('\n', out);
    for (size_t row = 0; row < cells.row_count; row++) {
        char name[RUN_ARM_BYTES];

        report_line(out, "%s", run_arm_name(cells.rows[row], name));
        for (size_t column = 0; column < cells.column_count; column++)
            write_block(out, &cells, row, column);
    }
    report_cells_close(&cells);
    return report_write_end(out, err);
}
