/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paper_ratios.c - the ratios that a paper names, published and simulated, load by load.
 *
 *     ratios of elapsed_s, mean of 5 simulated runs, +- their standard deviation
 *                               -j4         -j8
 *     ----------  ----------  ----------  ----------
 *     4BSD / ULE   published    1.024       0.944
 *                  simulated    1.000       0.935
 *                         +-    0.002       0.004
 *                 difference   -0.024 c    -0.009 c
 */
#include "report/paper_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/format.h"
#include "report/report.h"

enum line { LINE_PUBLISHED, LINE_SIMULATED, LINE_DEVIATION, LINE_DIFFERENCE, LINE_COUNT };

/* The value of a ratio at a load; NULL: it has none there. */
static const struct paper_ratio_value *find_value(const struct paper *paper, int ratio, int load)
{
    for (int i = 0; i < paper->ratio_value_count; i++)
        if (paper->ratio_values[i].ratio == ratio && paper->ratio_values[i].load == load)
            return &paper->ratio_values[i];
    return NULL;
}

static double line_value(const struct paper_ratio_value *value, enum line line)
{
    switch (line) {
    case LINE_PUBLISHED: return value->published;
    case LINE_SIMULATED: return value->simulated;
    case LINE_DEVIATION: return value->deviation;
    case LINE_DIFFERENCE: return value->simulated - value->published;
    case LINE_COUNT: break;
    }
    return (double)NAN;
}

/* All lines of a ratio have as many decimals: it is a few per cent, or a percentage itself. */
static int decimals(const struct paper_ratio_value *value)
{
    return isnan(value->published) ? fabs(value->simulated) < 10 ? 3 : 2
           : value->published < 10 ? 3
                                   : 2;
}

static void add_cell(struct report_table *table, const struct paper_ratio_value *value,
                     enum line line)
{
    double shown = value == NULL ? (double)NAN : line_value(value, line);

    if (isnan(shown))
        report_table_cell(table, "%s", "");
    else if (line == LINE_DIFFERENCE)
        report_table_cell(table, "%+.*f %c", decimals(value), shown,
                          report_paper_letter(value->role));
    else
        report_table_cell(table, "%.*f  ", decimals(value), shown);
}

/* Lines without any value, such as those of a ratio that nobody published, are left out. */
static void add_ratio(struct report_table *table, const struct paper *paper, int ratio,
                      const int *loads, int count)
{
    static const char *const names[LINE_COUNT] = {"published", "simulated", "+-", "difference"};
    bool is_first = true;

    for (int line = 0; line < LINE_COUNT; line++) {
        bool is_empty = true;

        for (int i = 0; i < count && is_empty; i++) {
            const struct paper_ratio_value *value = find_value(paper, ratio, loads[i]);

            is_empty = value == NULL || isnan(line_value(value, (enum line)line));
        }
        if (is_empty)
            continue;
        report_table_cell(table, "%s", is_first ? paper->ratios[ratio].label : "");
        report_table_cell(table, "%s", names[line]);
        for (int i = 0; i < count; i++)
            add_cell(table, find_value(paper, ratio, loads[i]), (enum line)line);
        report_table_end_row(table);
        is_first = false;
    }
}

static enum hl_status write_table(FILE *out, const struct paper *paper, int first, int end,
                                  const int *loads, int count, struct hl_error *err)
{
    struct report_table *table = report_table_new();
    enum hl_status status;

    report_paper_loads(table, paper, loads, count);
    for (int ratio = first; ratio < end; ratio++)
        add_ratio(table, paper, ratio, loads, count);
    status = report_table_print(table, out, 1, err);
    report_table_free(table);
    return status;
}

static bool has_same_metrics(const struct paper_ratio *a, const struct paper_ratio *b)
{
    return a->metric_count == b->metric_count &&
           memcmp(a->metrics, b->metrics, sizeof(a->metrics[0]) * (size_t)a->metric_count) == 0;
}

static void write_heading(FILE *out, const struct paper *paper, const struct paper_ratio *ratio)
{
    for (int i = 0; i < ratio->metric_count; i++)
        (void)fprintf(out, "%s%s", i == 0 ? "\nratios of " : " + ",
                      paper->metrics[ratio->metrics[i]].name);
    if (paper->simulated_runs > 1)
        (void)fprintf(out, ", %s of %" PRId64 " simulated runs, +- their standard deviation",
                      paper->statistic == PAPER_BEST ? "best" : "mean", paper->simulated_runs);
    (void)fputc('\n', out);
}

/* The ratios first..end-1, which are of the same metrics. */
static enum hl_status write_group(FILE *out, const struct paper *paper, int first, int end,
                                  struct hl_error *err)
{
    int loads[REPORT_PAPER_COLUMNS], count = 0;
    bool is_first = true;

    write_heading(out, paper, &paper->ratios[first]);
    for (int load = 0; load < paper->load_count; load++) {
        bool is_used = false;

        for (int ratio = first; ratio < end; ratio++)
            is_used |= find_value(paper, ratio, load) != NULL;
        if (is_used)
            loads[count++] = load;
        if (count == REPORT_PAPER_COLUMNS || (load + 1 == paper->load_count && count > 0)) {
            (void)fputs(is_first ? "" : "\n", out);
            is_first = false;
            HL_TRY(write_table(out, paper, first, end, loads, count, err));
            count = 0;
        }
    }
    return HL_OK;
}

enum hl_status report_paper_ratios(FILE *out, const struct paper *paper, struct hl_error *err)
{
    int end;

    for (int first = 0; first < paper->ratio_count; first = end) {
        for (end = first + 1; end < paper->ratio_count; end++)
            if (!has_same_metrics(&paper->ratios[first], &paper->ratios[end]))
                break;
        HL_TRY(write_group(out, paper, first, end, err));
    }
    return HL_OK;
}
