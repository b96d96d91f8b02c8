/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prediction_table.c - predictions beside what was measured: text, CSV and JSON.
 *
 *                    load  predicted  measured  deviation      error
 *     -------------  ----  ---------  --------  ---------  ---------
 *     elapsed_s       -j1      1.000     1.000      0.004  reference
 *                     -j2      0.515     0.526      0.002     -1.9 %
 */
#include <math.h>
#include <string.h>

#include "base/format.h"
#include "report/cells.h"
#include "report/report.h"
#include "report/write.h"

static const struct run_metric_info *info_of(const struct prediction *p, int m)
{
    return &run_metric_table[p->metrics[m].metric];
}

static void cell_number(struct report_table *table, double value, int decimals)
{
    if (isfinite(value))
        report_table_cell(table, "%.*f", decimals, value);
    else
        report_table_cell(table, "%s", "");
}

static void add_rows(struct report_table *table, const struct prediction *p, int m)
{
    bool is_relative = p->metrics[m].is_relative;
    int decimals = is_relative ? 3 : p->metrics[m].metric == RUN_percent_cpu ? 1 : 0;
    char load[64];

    for (size_t l = 0; l < p->load_count; l++) {
        const struct prediction_cell *cell = &p->cells[(size_t)m * p->load_count + l];

        report_format_load(load, sizeof(load), cell->load);
        report_table_cell(table, "%s", l == 0 ? info_of(p, m)->name : "");
        report_table_cell(table, "%s", load);
        cell_number(table, cell->predicted, decimals);
        cell_number(table, cell->measured, decimals);
        cell_number(table, cell->measured_sd, decimals);
        if (isfinite(cell->error)) /* no minus before 0.0 */
            report_table_cell(table, "%+.1f %%",
                              fabs(cell->error) < 0.0005 ? 0 : 100 * cell->error);
        else
            report_table_cell(table, "%s", is_relative ? "reference" : "");
        report_table_end_row(table);
    }
}

static void write_left_out(FILE *out, const struct prediction *p, const char *arm, size_t begin,
                           size_t end)
{
    char load[64];

    for (size_t i = begin; i < end; i++) {
        report_format_load(load, sizeof(load), p->left_out[i]);
        if (i == begin)
            report_write(out, "left out, as only %s has %s: ", arm,
                         end - begin == 1 ? "it" : "them");
        report_write(out, "%s%s", i == begin ? "" : ", ", load);
        if (strcmp(p->left_out[i]->workload, p->reference->workload) != 0)
            report_write(out, " of %s", p->left_out[i]->workload);
    }
    if (begin < end)
        report_write(out, "\n");
}

static void write_notes(FILE *out, const struct prediction *p)
{
    report_write(out, "\nmean absolute error:");
    for (int m = 0; m < p->metric_count; m++)
        if (isfinite(p->mean_error[m]))
            report_write(out, "%s %s %.1f %%", m == 0 ? "" : ",", info_of(p, m)->name,
                         100 * p->mean_error[m]);
        else
            report_write(out, "%s %s not known", m == 0 ? "" : ",", info_of(p, m)->name);
    report_write(out, "\n");
    write_left_out(out, p, p->predicted->name, 0, p->left_out_predicted);
    write_left_out(out, p, p->measured->name, p->left_out_predicted, p->left_out_count);
    for (size_t i = 0; i < p->note_count; i++)
        report_line(out, "%s", p->notes[i]);
}

static enum hl_status write_one(FILE *out, const struct prediction *p, struct hl_error *err)
{
    static const char *const heads[] = {"", "load", "predicted", "measured", "deviation", "error"};
    struct report_table *table = report_table_new();
    enum hl_status status;
    char load[64];

    report_format_load(load, sizeof(load), p->reference);
    report_write(out, "%s predicted by %s, measured by %s; %s relative to %s%s\n\n",
                 p->reference->workload, p->predicted->name, p->measured->name, info_of(p, 0)->name,
                 load, info_of(p, 0)->better == RUN_HIGHER ? " (higher is better)" : "");
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
        report_table_cell(table, "%s", heads[i]);
    report_table_end_row(table);
    for (int m = 0; m < p->metric_count; m++)
        add_rows(table, p, m);
    status = report_table_print(table, out, 1, err);
    report_table_free(table);
    if (status == HL_OK)
        write_notes(out, p);
    return status;
}

enum hl_status report_prediction_text(FILE *out, const struct prediction *predictions, size_t count,
                                      struct hl_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            report_write(out, "\n");
        HL_TRY(write_one(out, &predictions[i], err));
    }
    return report_write_end(out, err);
}

/* ---- for programs ---- */

static void write_json_cells(FILE *out, const struct prediction *p)
{
    for (size_t i = 0; i < (size_t)p->metric_count * p->load_count; i++) {
        const struct prediction_cell *cell = &p->cells[i];
        int m = (int)(i / p->load_count);

        report_write(out, "%s\n{\"workload\":", i == 0 ? "" : ",");
        report_write_json_string(out, cell->load->workload);
        report_write(out, ",\"load\":");
        report_write_json_string(out, cell->load->load);
        report_write(out, ",\"metric\":\"%s\",\"unit\":\"%s\"", info_of(p, m)->name,
                     p->metrics[m].is_relative ? "ratio" : info_of(p, m)->unit);
        report_write_json_member(out, ",", "predicted", cell->predicted);
        report_write_json_member(out, ",", "measured", cell->measured);
        report_write_json_member(out, ",", "measured_sd", cell->measured_sd);
        report_write_json_member(out, ",", "error", cell->error);
        report_write(out, ",\"predicted_n\":%zu,\"measured_n\":%zu}", cell->predicted_n,
                     cell->measured_n);
    }
}

static void write_json_loads(FILE *out, const struct prediction *p, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        report_write(out, "%s", i == begin ? "" : ",");
        report_write_json_string(out, p->left_out[i]->load);
    }
}

enum hl_status report_prediction_json(FILE *out, const struct prediction *predictions, size_t count,
                                      struct hl_error *err)
{
    report_write(out, "{\"schema\":1,\"predictions\":[");
    for (size_t i = 0; i < count; i++) {
        const struct prediction *p = &predictions[i];

        report_write(out, "%s\n{\"predicted\":", i == 0 ? "" : ",");
        report_write_json_string(out, p->predicted->name);
        report_write(out, ",\"measured\":");
        report_write_json_string(out, p->measured->name);
        report_write(out, ",\"reference\":");
        report_write_json_string(out, p->reference->load);
        report_write(out, ",\"left_out\":%zu,\"only_predicted\":[", p->left_out_count);
        write_json_loads(out, p, 0, p->left_out_predicted);
        report_write(out, "],\"only_measured\":[");
        write_json_loads(out, p, p->left_out_predicted, p->left_out_count);
        report_write(out, "],\"notes\":[");
        for (size_t n = 0; n < p->note_count; n++) {
            report_write(out, "%s", n == 0 ? "" : ",");
            report_write_json_string(out, p->notes[n]);
        }
        report_write(out, "],\"cells\":[");
        write_json_cells(out, p);
        report_write(out, "],\"mean_absolute_error\":{");
        for (int m = 0; m < p->metric_count; m++)
            report_write_json_member(out, m == 0 ? "" : ",", info_of(p, m)->name, p->mean_error[m]);
        report_write(out, "}}");
    }
    report_write(out, "]}\n");
    return report_write_end(out, err);
}

static void write_csv_number(FILE *out, double value)
{
    char text[HL_EXACT_BYTES];

    report_write(out, ",%s", isfinite(value) ? hl_format_exact(text, value) : "");
}

enum hl_status report_prediction_csv(FILE *out, const struct prediction *predictions, size_t count,
                                     struct hl_error *err)
{
    report_write(out, "prediction,measurement,workload,load,metric,unit,predicted,measured,"
                      "measured_sd,error,predicted_n,measured_n\n");
    for (size_t i = 0; i < count; i++) {
        const struct prediction *p = &predictions[i];

        for (size_t c = 0; c < (size_t)p->metric_count * p->load_count; c++) {
            const struct prediction_cell *cell = &p->cells[c];
            int m = (int)(c / p->load_count);

            report_write_csv_field(out, p->predicted->name);
            report_write(out, ",");
            report_write_csv_field(out, p->measured->name);
            report_write(out, ",");
            report_write_csv_field(out, cell->load->workload);
            report_write(out, ",");
            report_write_csv_field(out, cell->load->load);
            report_write(out, ",%s,%s", info_of(p, m)->name,
                         p->metrics[m].is_relative ? "ratio" : info_of(p, m)->unit);
            write_csv_number(out, cell->predicted);
            write_csv_number(out, cell->measured);
            write_csv_number(out, cell->measured_sd);
            write_csv_number(out, cell->error);
            report_write(out, ",%zu,%zu\n", cell->predicted_n, cell->measured_n);
        }
    }
    return report_write_end(out, err);
}
