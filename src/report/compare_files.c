/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare_files.c - a comparison for programs: JSON and CSV (docs/formats.md).
 *
 * Both hold every comparison made, exploratory ones too, with raw and adjusted p.
 */
#include <math.h>

#include "base/format.h"
#include "report/report.h"
#include "report/write.h"

/* The cells in the order in which they are written. */
static const struct compare_cell *cell_at(const struct compare_result *result, size_t i,
                                          const char **family)
{
    *family = "primary";
    if (i < result->cell_count)
        return &result->cells[i];
    i -= result->cell_count;
    *family = "mean";
    if (i < result->mean_count)
        return &result->means[i];
    *family = "exploratory";
    return &result->exploratory[i - result->mean_count];
}

static size_t cells_of(const struct compare_result *result)
{
    return result->cell_count + result->mean_count + result->exploratory_count;
}

/* ---- JSON ---- */

static void write_number(FILE *out, const char *key, double value)
{
    report_write_json_member(out, "", key, value);
    (void)fputc(',', out);
}

/* 0 means that no number would do. */
static void write_count(FILE *out, const char *key, size_t count)
{
    if (count == 0)
        (void)fprintf(out, "\"%s\":null,", key);
    else
        (void)fprintf(out, "\"%s\":%zu,", key, count);
}

static void write_side(FILE *out, const char *key, const struct compare_side *side)
{
    (void)fprintf(out, "\"%s\":{", key);
    write_number(out, "mean", side->mean);
    write_number(out, "sd", side->sd);
    write_number(out, "middle", side->n > 0 ? side->middle.estimate : (double)NAN);
    write_number(out, "low", side->n > 0 ? side->middle.low : (double)NAN);
    write_number(out, "high", side->n > 0 ? side->middle.high : (double)NAN);
    write_number(out, "level", side->n > 0 ? side->middle.level : (double)NAN);
    (void)fprintf(out, "\"n\":%zu,\"failed\":%zu,\"missing\":%zu,\"modes\":[", side->n,
                  side->failed, side->missing);
    for (int i = 0; i < 2 && side->is_two_modes; i++) {
        (void)fputs(i == 0 ? "{" : ",{", out);
        write_number(out, "mean", side->modes.mean[i]);
        (void)fprintf(out, "\"n\":%zu}", side->modes.count[i]);
    }
    (void)fputs("]}", out);
}

static void write_load(FILE *out, const struct compare_result *result, size_t load)
{
    if (load == COMPARE_LOADS_ALL) {
        (void)fputs("\"workload\":null,\"load\":null,", out);
        return;
    }
    report_write_json_text(out, "workload", result->loads[load]->workload);
    report_write_json_text(out, "load", result->loads[load]->load);
}

static void write_cell(FILE *out, const struct compare_result *result,
                       const struct compare_cell *cell, const char *family)
{
    const struct run_metric_info *info = &run_metric_table[cell->metric];

    (void)fputc('{', out);
    report_write_json_text(out, "family", family);
    report_write_json_text(out, "base", compare_base_of(result->request, cell->arm)->name);
    report_write_json_text(out, "new", result->request->news[cell->arm].name);
    write_load(out, result, cell->load);
    report_write_json_text(out, "metric", info->name);
    report_write_json_text(out, "unit", info->unit);
    report_write_json_text(out, "better", run_better_name(info->better));
    write_number(out, "base_mean", cell->base_mean);
    write_number(out, "new_mean", cell->new_mean);
    report_write_json_text(out, "kind", cell->is_ratio ? "ratio" : "difference");
    write_number(out, "change", cell->change.estimate);
    write_number(out, "low", cell->change.low);
    write_number(out, "high", cell->change.high);
    write_number(out, "level", cell->level);
    write_number(out, "attained_level", cell->change.level);
    (void)fprintf(out, "\"exact\":%s,", cell->change.is_exact ? "true" : "false");
    write_number(out, "p", cell->change.p);
    write_number(out, "p_adjusted", cell->p_adjusted);
    (void)fprintf(out, "\"base_n\":%zu,\"new_n\":%zu,", cell->base_n, cell->new_n);
    report_write_json_text(out, "n_of", compare_unit_name(cell->unit));
    report_write_json_text(out, "verdict", compare_verdict_name(cell->verdict));
    (void)fprintf(out, "\"regression\":%s,", cell->is_regression ? "true" : "false");
    if (cell->reason[0] != '\0')
        report_write_json_text(out, "reason", cell->reason);
    else
        (void)fputs("\"reason\":null,", out);
    write_count(out, "n_to_decide", cell->n_to_decide);
    (void)fputs("\"detectable\":", out);
    report_write_json_number(out, compare_detectable_effect(cell));
    if (cell->base != NULL) {
        (void)fputc(',', out);
        write_side(out, "base_runs", cell->base);
        (void)fputc(',', out);
        write_side(out, "new_runs", cell->new);
    }
    (void)fputc('}', out);
}

/* Without a new arm there are no comparisons, but loads of one. */
static void write_summary(FILE *out, const struct compare_result *result)
{
    for (size_t load = 0; load < result->load_count; load++) {
        (void)fputs(load == 0 ? "\n{" : ",\n{", out);
        write_load(out, result, load);
        write_side(out, "runs", &result->sides[load]);
        (void)fputc('}', out);
    }
}

enum hl_status report_compare_json(FILE *out, const struct compare_result *result,
                                   struct hl_error *err)
{
    const struct compare_request *request = result->request;

    (void)fputs("{\"schema\":1,", out);
    report_write_json_text(out, "metric", run_metric_table[request->metric].name);
    write_number(out, "effect", request->effect);
    write_number(out, "level", request->level);
    (void)fputs("\"comparisons\":[", out);
    for (size_t i = 0; i < cells_of(result); i++) {
        const char *family;
        const struct compare_cell *cell = cell_at(result, i, &family);

        (void)fputs(i == 0 ? "\n" : ",\n", out);
        write_cell(out, result, cell, family);
    }
    (void)fputs("],\"loads\":[", out);
    if (request->new_count == 0)
        write_summary(out, result);
    (void)fputs("],\"notes\":[", out);
    for (size_t i = 0; i < result->note_count; i++) {
        (void)fputs(i == 0 ? "\n{" : ",\n{", out);
        report_write_json_text(out, "kind", compare_note_name(result->notes[i].kind));
        (void)fputs("\"text\":", out);
        report_write_json_string(out, result->notes[i].text);
        (void)fputc('}', out);
    }
    (void)fputs("]}\n", out);
    return report_write_end(out, err);
}

/* ---- CSV ---- */

static void write_text_field(FILE *out, const char *text)
{
    report_write_csv_field(out, text);
    (void)fputc(',', out);
}

static void write_number_field(FILE *out, double value)
{
    char text[HL_EXACT_BYTES];

    (void)fprintf(out, "%s,", isfinite(value) ? hl_format_exact(text, value) : "");
}

enum hl_status report_compare_csv(FILE *out, const struct compare_result *result,
                                  struct hl_error *err)
{
    (void)fputs("family,base,new,workload,load,metric,unit,better,base_mean,new_mean,kind,change,"
                "low,high,level,attained_level,exact,p,p_adjusted,base_n,new_n,n_of,verdict,"
                "regression,n_to_decide,detectable,reason\n",
                out);
    for (size_t i = 0; i < cells_of(result); i++) {
        const char *family;
        const struct compare_cell *cell = cell_at(result, i, &family);
        const struct run_metric_info *info = &run_metric_table[cell->metric];
        const struct run *load = cell->load == COMPARE_LOADS_ALL ? NULL : result->loads[cell->load];

        write_text_field(out, family);
        write_text_field(out, compare_base_of(result->request, cell->arm)->name);
        write_text_field(out, result->request->news[cell->arm].name);
        write_text_field(out, load == NULL ? "" : load->workload);
        write_text_field(out, load == NULL ? "" : load->load);
        write_text_field(out, info->name);
        write_text_field(out, info->unit);
        write_text_field(out, run_better_name(info->better));
        write_number_field(out, cell->base_mean);
        write_number_field(out, cell->new_mean);
        write_text_field(out, cell->is_ratio ? "ratio" : "difference");
        write_number_field(out, cell->change.estimate);
        write_number_field(out, cell->change.low);
        write_number_field(out, cell->change.high);
        write_number_field(out, cell->level);
        write_number_field(out, cell->change.level);
        write_text_field(out, cell->change.is_exact ? "yes" : "no");
        write_number_field(out, cell->change.p);
        write_number_field(out, cell->p_adjusted);
        (void)fprintf(out, "%zu,%zu,", cell->base_n, cell->new_n);
        write_text_field(out, compare_unit_name(cell->unit));
        write_text_field(out, compare_verdict_name(cell->verdict));
        write_text_field(out, cell->is_regression ? "yes" : "no");
        if (cell->n_to_decide > 0)
            (void)fprintf(out, "%zu", cell->n_to_decide);
        (void)fputc(',', out);
        write_number_field(out, compare_detectable_effect(cell));
        report_write_csv_field(out, cell->reason);
        (void)fputc('\n', out);
    }
    return report_write_end(out, err);
}
