/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why_table.c - why each variant takes longer than the best one, as text; docs/explain.md.
 *
 *     why, at -j2: where the elapsed seconds went (cpus used: (user + system) / elapsed)
 *              elapsed  cpus used    work  asleep  wasted  crowded  wake-up  preempted  refill  overhead
 *     -----   --------  ---------  ------  ------  ------  -------  -------  ---------  ------  --------
 *     ideal     163.72       1.95  163.14    0.00    0.00     0.01     0.01       0.00    0.33      0.23
 *     o1        193.84       1.96  163.03    0.00    0.53    29.41     0.01       0.00    0.59      0.26
 *
 *     more elapsed seconds than ideal, and the causes
 *     ...
 *
 * Then what happened (losses, run delay, migrations), and what balancing tried and did.
 */
#include "report/why.h"

#include <inttypes.h>
#include <math.h>

#include "base/format.h"
#include "report/write.h"

/* Below this part of the elapsed time a difference is not split: chance moves more than that. */
static const double least_split = 0.001;

static const char *const cause_heads[TRACE_CAUSE_COUNT] = {
    [TRACE_WASTED] = "wasted",       [TRACE_CROWDED] = "crowded", [TRACE_WAKEUP] = "wake-up",
    [TRACE_PREEMPTED] = "preempted", [TRACE_REFILL] = "refill",   [TRACE_OVERHEAD] = "overhead"};

/* One table of a load under way. */
struct sheet {
    FILE *out;
    struct why *why;
    size_t column;
    int decimals;
    struct report_table *table;
};

static void name_cell(const struct sheet *s, size_t row)
{
    char name[RUN_ARM_BYTES];

    report_table_cell(s->table, "%s", run_arm_name(s->why->rows[row].run, name));
}

static void cause_headings(const struct sheet *s)
{
    for (int i = 0; i < TRACE_CAUSE_COUNT; i++)
        report_table_cell(s->table, "%s", cause_heads[i]);
}

/* -0.004 with two decimals is 0.00. */
static double without_sign_of_zero(double value, int decimals)
{
    return fabs(value) < 0.5 * pow(10, -decimals) ? 0 : value;
}

/* Blank if it was not had. */
static void number_cell(const struct sheet *s, int decimals, double value)
{
    if (isnan(value))
        report_table_cell(s->table, "%s", "");
    else
        report_table_cell(s->table, "%.*f", decimals, without_sign_of_zero(value, decimals));
}

static void percent_cell(const struct sheet *s, double part)
{
    report_table_cell(s->table, "%.1f %%", without_sign_of_zero(100 * part, 1));
}

static void metric_cell(const struct sheet *s, size_t row, enum run_metric metric, int decimals,
                        double scale)
{
    number_cell(s, decimals, scale * why_mean(s->why, row, s->column, metric));
}

static enum hl_status end_table(struct sheet *s, int header_rows, struct hl_error *err)
{
    enum hl_status status = report_table_print(s->table, s->out, header_rows, err);

    report_table_free(s->table);
    s->table = NULL;
    return status;
}

static enum hl_status write_parts(struct sheet *s, struct hl_error *err)
{
    s->table = report_table_new();
    report_table_cell(s->table, "%s", "");
    report_table_cell(s->table, "elapsed");
    report_table_cell(s->table, "cpus used");
    report_table_cell(s->table, "work");
    report_table_cell(s->table, "asleep");
    cause_headings(s);
    report_table_end_row(s->table);
    for (size_t row = 0; row < s->why->cells.row_count; row++) {
        const struct why_row *r = &s->why->rows[row];

        if (!r->is_known)
            continue;
        name_cell(s, row);
        number_cell(s, s->decimals, r->sums.elapsed_s);
        metric_cell(s, row, RUN_percent_cpu, 2, 0.01);
        number_cell(s, s->decimals, r->sums.work_s);
        number_cell(s, s->decimals, r->sums.asleep_s);
        for (int i = 0; i < TRACE_CAUSE_COUNT; i++)
            number_cell(s, s->decimals, r->sums.part_s[i]);
        report_table_end_row(s->table);
    }
    return end_table(s, 1, err);
}

/* Two rows of a variant: seconds, and percent of the difference. */
static void difference_rows(const struct sheet *s, size_t row)
{
    const struct explain_difference *d = &s->why->rows[row].difference;

    name_cell(s, row);
    number_cell(s, s->decimals, d->elapsed_s);
    if (d->elapsed_s < least_split * s->why->best->sums.elapsed_s) {
        report_table_end_row(s->table);
        return;
    }
    for (int i = 0; i < TRACE_CAUSE_COUNT; i++)
        number_cell(s, s->decimals, d->cause_s[i]);
    number_cell(s, s->decimals, d->rest_s);
    report_table_end_row(s->table);
    report_table_cell(s->table, "%s", "");
    report_table_cell(s->table, "100 %%");
    for (int i = 0; i < TRACE_CAUSE_COUNT; i++)
        percent_cell(s, d->cause_s[i] / d->elapsed_s);
    percent_cell(s, d->rest_s / d->elapsed_s);
    report_table_end_row(s->table);
}

static enum hl_status write_differences(struct sheet *s, struct hl_error *err)
{
    char name[RUN_ARM_BYTES];
    size_t others = 0;

    for (size_t row = 0; row < s->why->cells.row_count; row++)
        others += s->why->rows[row].is_known && &s->why->rows[row] != s->why->best;
    if (others == 0)
        return HL_OK;
    (void)fputc('\n', s->out);
    report_line(s->out,
                "more elapsed seconds than %s, the best, and their causes (wasted: idle cpus "
                "beside waiting tasks)",
                run_arm_name(s->why->best->run, name));
    s->table = report_table_new();
    report_table_cell(s->table, "%s", "");
    report_table_cell(s->table, "more");
    cause_headings(s);
    report_table_cell(s->table, "unexplained");
    report_table_end_row(s->table);
    for (size_t row = 0; row < s->why->cells.row_count; row++)
        if (s->why->rows[row].is_known && &s->why->rows[row] != s->why->best)
            difference_rows(s, row);
    return end_table(s, 1, err);
}

/* A quantile of the run delay in ms; of one beyond the histogram only the top is known. */
static void quantile_cell(const struct sheet *s, size_t row, enum run_metric metric)
{
    const double scale = 1e3; /* s to ms */
    double value = why_mean(s->why, row, s->column, metric);
    double over = why_mean(s->why, row, s->column, RUN_run_delay_over);

    if (over > 0 && value >= RUN_DELAY_TOP_S)
        report_table_cell(s->table, ">= %.0f, %.0f over", scale * value, over);
    else
        number_cell(s, 3, scale * value);
}

static enum hl_status write_facts(struct sheet *s, struct hl_error *err)
{
    static const char *const heads[2][12] = {
        {"idle", "wasted", "crowded", "delay", "delay", "delay", "delay", "moved to", "moved to",
         "moved to", "moved to", "refill"},
        {"cpu s", "cpu s", "core s", "p50 ms", "p95 ms", "p99 ms", "max ms", "sibling", "core",
         "package", "node", "cpu s"}};
    static const enum run_metric migrations[] = {RUN_migrations_core, RUN_migrations_package,
                                                 RUN_migrations_node, RUN_migrations_remote};
    static const enum run_metric quantiles[] = {RUN_run_delay_p50_s, RUN_run_delay_p95_s,
                                                RUN_run_delay_p99_s};

    (void)fputs("\nwhat happened (delay: waits for a cpu, quantiles within 0.8 %)\n", s->out);
    s->table = report_table_new();
    for (int line = 0; line < 2; line++) {
        report_table_cell(s->table, "%s", "");
        for (int i = 0; i < HL_COUNT_OF(heads[line]); i++)
            report_table_cell(s->table, "%s", heads[line][i]);
        report_table_end_row(s->table);
    }
    for (size_t row = 0; row < s->why->cells.row_count; row++) {
        if (!s->why->rows[row].is_known)
            continue;
        name_cell(s, row);
        metric_cell(s, row, RUN_idle_cpu_s, s->decimals, 1);
        metric_cell(s, row, RUN_wasted_cpu_s, s->decimals, 1);
        metric_cell(s, row, RUN_crowded_core_s, s->decimals, 1);
        for (int i = 0; i < HL_COUNT_OF(quantiles); i++)
            quantile_cell(s, row, quantiles[i]);
        metric_cell(s, row, RUN_run_delay_max_s, 3, 1e3);
        for (int i = 0; i < HL_COUNT_OF(migrations); i++)
            metric_cell(s, row, migrations[i], 0, 1);
        metric_cell(s, row, RUN_refill_cpu_s, s->decimals, 1);
        report_table_end_row(s->table);
    }
    return end_table(s, 2, err);
}

/* "26962 (805)": attempts, and those that moved a task. */
static void balance_cell(const struct sheet *s, size_t row, enum run_metric attempts,
                         enum run_metric moves)
{
    report_table_cell(s->table, "%.0f (%.0f)", why_mean(s->why, row, s->column, attempts),
                      why_mean(s->why, row, s->column, moves));
}

static enum hl_status write_balancing(struct sheet *s, struct hl_error *err)
{
    static const char *const heads[] = {"siblings", "cores", "packages", "nodes"};
    static const enum run_metric attempts[] = {
        RUN_balance_attempts_core, RUN_balance_attempts_package, RUN_balance_attempts_node,
        RUN_balance_attempts_remote};
    static const enum run_metric moves[] = {RUN_balance_moves_core, RUN_balance_moves_package,
                                            RUN_balance_moves_node, RUN_balance_moves_remote};
    const char *reason = NULL;

    (void)fputs("\nbalancing attempts between ... (those that moved a task)\n", s->out);
    s->table = report_table_new();
    report_table_cell(s->table, "%s", "");
    for (int i = 0; i < HL_COUNT_OF(heads); i++)
        report_table_cell(s->table, "%s", heads[i]);
    report_table_end_row(s->table);
    for (size_t row = 0; row < s->why->cells.row_count; row++) {
        const struct why_row *r = &s->why->rows[row];

        if (!r->is_known)
            continue;
        name_cell(s, row);
        for (int i = 0; i < HL_COUNT_OF(heads); i++)
            if (isnan(why_mean(s->why, row, s->column, attempts[i])))
                report_table_cell(s->table, "-");
            else
                balance_cell(s, row, attempts[i], moves[i]);
        report_table_end_row(s->table);
        if (reason == NULL && !run_has(r->run, attempts[0]))
            reason = r->run->reason[attempts[0]];
    }
    HL_TRY(end_table(s, 1, err));
    if (reason != NULL)
        report_line(s->out, "-: %s", reason);
    return HL_OK;
}

static enum hl_status write_load(FILE *out, struct why *why, size_t column, struct hl_error *err)
{
    struct sheet sheet = {.out = out, .why = why, .column = column};
    char load[64], name[RUN_ARM_BYTES];

    why_look(why, column);
    report_format_load(load, sizeof(load), why->cells.columns[column]);
    if (why->best != NULL) {
        double least_s = why->best->sums.elapsed_s;

        sheet.decimals = least_s < 1 ? 4 : least_s < 10 ? 3 : 2;
        (void)fputc('\n', out);
        report_line(
            out,
            "why, at %s: where the elapsed seconds went (cpus used: (user + system) / elapsed)",
            load);
        HL_TRY(write_parts(&sheet, err));
        HL_TRY(write_differences(&sheet, err));
        HL_TRY(write_facts(&sheet, err));
        HL_TRY(write_balancing(&sheet, err));
    }
    for (size_t row = 0; row < why->cells.row_count; row++)
        if (why->rows[row].run != NULL && !why->rows[row].is_known) {
            (void)fputc('\n', out);
            report_line(out, "why, at %s: not known of %s: %s", load,
                        run_arm_name(why->rows[row].run, name), why->rows[row].error.text);
        }
    return HL_OK;
}

enum hl_status report_why(FILE *out, const struct run_list *runs, struct hl_error *err)
{
    struct why why;
    enum hl_status status;

    HL_TRY(why_open(&why, runs, err));
    status = HL_OK;
    for (size_t column = 0; status == HL_OK && column < why.cells.column_count; column++)
        status = write_load(out, &why, column, err);
    why_close(&why);
    return status == HL_OK ? report_write_end(out, err) : status;
}
