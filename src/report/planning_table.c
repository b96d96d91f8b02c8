/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planning_table.c - how many runs an experiment to come takes, for people and as JSON.
 *
 *     load  played in   noise  least n  n  noise floor  found (80 %)  n for 1 % (80 %)  (90 %)
 *     ----  ---------  ------  -------  -  -----------  ------------  ----------------  ------
 *     half  blocks     0.42 %        7  8       0.52 %        0.71 %                 7       9
 */
#include <math.h>

#include "base/format.h"
#include "base/visible.h"
#include "report/report.h"
#include "report/write.h"

enum { TEXT_BYTES = 64 };

static void cell_percent(struct report_table *table, double ratio)
{
    char text[TEXT_BYTES] = "none";

    if (isfinite(ratio))
        (void)hl_format(text, sizeof(text), "%.2g %%", 100 * ratio);
    report_table_cell(table, "%s", text);
}

static void cell_count(struct report_table *table, size_t count)
{
    if (count > 0)
        report_table_cell(table, "%zu", count);
    else
        report_table_cell(table, ">100000");
}

static void write_row(struct report_table *table, const struct compare_plan_row *row)
{
    report_table_cell(table, "%s", row->load[0] != '\0' ? row->load : "any");
    report_table_cell(table, "%s",
                      row->unit == COMPARE_RUNS ? "runs apart" : compare_unit_name(row->unit));
    cell_percent(table, row->noise);
    report_table_cell(table, "%zu", row->least_n);
    report_table_cell(table, "%zu", row->n);
    cell_percent(table, row->floor);
    cell_percent(table, row->detectable);
    cell_count(table, row->n_80);
    cell_count(table, row->n_90);
    report_table_end_row(table);
}

static enum hl_status write_table(FILE *out, const struct compare_plan *plan, struct hl_error *err)
{
    struct report_table *table = report_table_new();
    enum hl_status status;

    report_table_cell(table, "load");
    report_table_cell(table, "played in");
    report_table_cell(table, "noise");
    report_table_cell(table, "least n");
    report_table_cell(table, "n");
    report_table_cell(table, "noise floor");
    report_table_cell(table, "found (80 %%)");
    report_table_cell(table, "n for %.4g %% (80 %%)", 100 * plan->effect);
    report_table_cell(table, "(90 %%)");
    report_table_end_row(table);
    for (size_t i = 0; i < plan->row_count; i++)
        write_row(table, &plan->rows[i]);
    status = report_table_print(table, out, 1, err);
    report_table_free(table);
    return status;
}

/* What the planned n cannot do. */
static void write_warnings(FILE *out, const struct compare_plan *plan)
{
    char needed[TEXT_BYTES], load[4 * TEXT_BYTES];

    for (size_t i = 0; i < plan->row_count; i++) {
        const struct compare_plan_row *row = &plan->rows[i];
        bool has_load = row->load[0] != '\0', reaches = row->n >= row->least_n;

        if (!row->is_planned || (reaches && row->detectable <= plan->effect))
            continue;
        report_write(out, "warning: %s%s%s%zu %s ", has_load ? "load " : "",
                     hl_visible(load, sizeof(load), row->load), has_load ? ": " : "", row->n,
                     compare_units(row->unit, row->n));
        if (row->n_80 > 0)
            (void)hl_format(needed, sizeof(needed), "%zu", row->n_80);
        else
            (void)hl_format(needed, sizeof(needed), "more than 100000");
        if (!reaches)
            report_write(out, "cannot reach %.4g %%: it takes %zu\n",
                         100 * compare_plan_level(plan), row->least_n);
        else
            report_write(out, "find %.4g %% with less than 80 %% power: it takes %s\n",
                         100 * plan->effect, needed);
    }
}

enum hl_status report_plan_text(FILE *out, const struct compare_plan *plan, struct hl_error *err)
{
    size_t tests = plan->loads * (plan->variants - 1);
    bool is_assumed = false;

    report_write(out, "%s, %zu load%s x %zu variants: %zu comparison%s with the base",
                 run_metric_table[plan->metric].name, plan->loads, plan->loads == 1 ? "" : "s",
                 plan->variants, tests, tests == 1 ? "" : "s");
    if (tests > 1)
        report_write(out, ", %.4g %% together, so each must reach %.4g %% (Holm)",
                     100 * plan->level, 100 * compare_plan_level(plan));
    else
        report_write(out, " at %.4g %%", 100 * plan->level);
    report_write(out, "\n\n");
    HL_TRY(write_table(out, plan, err));
    for (size_t i = 0; i < plan->row_count; i++)
        is_assumed = is_assumed || plan->rows[i].is_assumed;
    (void)fputs(
        "\nn per variant; noise: standard deviation of a run, in blocks of a ratio of two; "
        "least n: reaches the level\nat all; noise floor: equal arms are found to differ by "
        "so much; found: the least difference found, at n\n",
        out);
    if (is_assumed)
        report_write(out, "noise in blocks is assumed: that of two runs with nothing in common\n");
    if (plan->boots > 1)
        report_write(out,
                     "warning: the runs are of up to %zu boots an arm: between kernels a boot is "
                     "the unit, and runs within one are no evidence%s\n",
                     plan->boots,
                     plan->boots < 3 ? "; the noise between boots takes 3 of them to see" : "");
    write_warnings(out, plan);
    return report_write_end(out, err);
}

/* 0 means that no number would do. */
static void write_count(FILE *out, const char *key, size_t count)
{
    report_write_json_member(out, ",", key, count > 0 ? (double)count : (double)NAN);
}

enum hl_status report_plan_json(FILE *out, const struct compare_plan *plan, struct hl_error *err)
{
    report_write(out, "{\"schema\":1,\"metric\":\"%s\"", run_metric_table[plan->metric].name);
    report_write_json_member(out, ",", "effect", plan->effect);
    report_write_json_member(out, ",", "level", plan->level);
    report_write_json_member(out, ",", "corrected_level", compare_plan_level(plan));
    report_write(out, ",\"loads\":%zu,\"variants\":%zu,\"plans\":[", plan->loads, plan->variants);
    for (size_t i = 0; i < plan->row_count; i++) {
        const struct compare_plan_row *row = &plan->rows[i];

        (void)fputs(i == 0 ? "\n{\"load\":" : ",\n{\"load\":", out);
        if (row->load[0] != '\0')
            report_write_json_string(out, row->load);
        else
            report_write(out, "null");
        report_write(out, ",\"n_of\":\"%s\"", compare_unit_name(row->unit));
        report_write_json_member(out, ",", "noise", row->noise);
        report_write(out, ",\"noise_assumed\":%s", row->is_assumed ? "true" : "false");
        write_count(out, "least_n", row->least_n);
        write_count(out, "n", row->n);
        report_write_json_member(out, ",", "noise_floor", row->floor);
        report_write_json_member(out, ",", "detectable", row->detectable);
        write_count(out, "n_80", row->n_80);
        write_count(out, "n_90", row->n_90);
        report_write(out, "}");
    }
    report_write(out, "]}\n");
    return report_write_end(out, err);
}
