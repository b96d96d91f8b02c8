/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paper_json.c - a scored paper as one JSON object (docs/formats.md).
 *
 *     {"paper":"ID","cells":[
 *     {"row":"UP","load":"-j2","metric":"elapsed_s","unit":"ratio","role":"fitted",
 *      "counted":true,"published":0.988,"simulated":0.991}
 *     ],"mean_absolute_error":{"fitted":0.001,"predicted":null,"comparing":0.004},
 *     "ratios":[{"label":"C1 / UP","metrics":["elapsed_s"],"above":"C1","below":"UP","load":"-j2",
 *      "role":"fitted","published":1.01,"simulated":1.02,"deviation":0.002}],
 *     "order":[{"machine":"p4-ht","load":"-j2","pairs":3,"apart":2,"held":2,"simulated_ties":0,
 *      "holds":true}]}
 *
 * Where the paper normalises, each side is divided by its own reference cell, unit "ratio".
 */
#include "report/report.h"

#include <inttypes.h>

#include "report/write.h"

static void write_member(FILE *out, const char *key, const char *text)
{
    (void)fprintf(out, "\"%s\":", key);
    report_write_json_string(out, text);
    (void)fputc(',', out);
}

/* In some error; those of metrics computed from others and those not explained are in none. */
static bool is_counted(const struct paper *paper, const struct paper_cell *cell)
{
    return cell->role != PAPER_NOT_EXPLAINED && paper->metrics[cell->metric_index].from_count == 0;
}

static void write_cell(FILE *out, const struct paper *paper, int cell)
{
    const struct paper_cell *c = &paper->cells[cell];

    (void)fputc('{', out);
    write_member(out, "row", c->row);
    write_member(out, "load", c->load);
    write_member(out, "metric", c->metric);
    write_member(out, "unit", c->reference >= 0 ? "ratio" : paper->metrics[c->metric_index].unit);
    write_member(out, "role", paper_role_name(c->role));
    (void)fprintf(out, "\"counted\":%s", is_counted(paper, c) ? "true" : "false");
    report_write_json_member(out, ",", "published", paper_published(paper, cell));
    report_write_json_member(out, ",", "simulated", paper_simulated(paper, cell));
    (void)fputc('}', out);
}

static void write_ratio(FILE *out, const struct paper *paper, const struct paper_ratio_value *value)
{
    const struct paper_ratio *ratio = &paper->ratios[value->ratio];

    (void)fputc('{', out);
    write_member(out, "label", ratio->label);
    for (int i = 0; i < ratio->metric_count; i++) {
        (void)fputs(i == 0 ? "\"metrics\":[" : ",", out);
        report_write_json_string(out, paper->metrics[ratio->metrics[i]].name);
    }
    (void)fputs("],", out);
    write_member(out, "above", paper->rows[ratio->above].label);
    if (ratio->below >= 0)
        write_member(out, "below", paper->rows[ratio->below].label);
    else
        report_write_json_member(out, "", "below", ratio->divisor);
    (void)fputs(ratio->below >= 0 ? "" : ",", out);
    write_member(out, "load", paper->loads[value->load].label);
    if (ratio->below_load >= 0)
        write_member(out, "below_load", paper->loads[ratio->below_load].label);
    if (value->role == PAPER_ROLE_COUNT)
        (void)fputs("\"role\":null", out);
    else
        (void)fprintf(out, "\"role\":\"%s\"", paper_role_name(value->role));
    report_write_json_member(out, ",", "published", value->published);
    report_write_json_member(out, ",", "simulated", value->simulated);
    report_write_json_member(out, ",", "deviation", value->deviation);
    (void)fputc('}', out);
}

static void write_order(FILE *out, const struct paper_order *order)
{
    (void)fputc('{', out);
    write_member(out, "machine", order->machine);
    write_member(out, "load", order->load);
    (void)fprintf(out, "\"pairs\":%d,\"apart\":%d,\"held\":%d,\"simulated_ties\":%d,\"holds\":%s}",
                  order->pairs, order->apart, order->held, order->simulated_ties,
                  order->holds ? "true" : "false");
}

enum hl_status report_paper_json(FILE *out, const struct paper *paper,
                                 const struct paper_score *score, struct hl_error *err)
{
    (void)fputc('{', out);
    write_member(out, "paper", paper->id);
    (void)fprintf(out, "\"runs\":%" PRId64 ",\"simulated_runs\":%" PRId64 ",\"cells\":[",
                  paper->runs, paper->simulated_runs);
    for (int i = 0; i < paper->cell_count; i++) {
        (void)fputs(i == 0 ? "\n" : ",\n", out);
        write_cell(out, paper, i);
    }
    (void)fputs("\n],\"mean_absolute_error\":{", out);
    for (int role = 0; role < PAPER_NOT_EXPLAINED; role++) {
        (void)fprintf(out, "%s\"%s\":", role == 0 ? "" : ",",
                      paper_role_name((enum paper_role)role));
        report_write_json_number(out, score->mean_absolute_error[role]);
    }
    (void)fputs("},\"ratios\":[", out);
    for (int i = 0; i < paper->ratio_value_count; i++) {
        (void)fputs(i == 0 ? "\n" : ",\n", out);
        write_ratio(out, paper, &paper->ratio_values[i]);
    }
    (void)fputs(paper->ratio_value_count > 0 ? "\n],\"order\":[" : "],\"order\":[", out);
    for (int i = 0; i < score->order_count; i++) {
        (void)fputs(i == 0 ? "\n" : ",\n", out);
        write_order(out, &score->orders[i]);
    }
    (void)fputs("]}\n", out);
    return report_write_end(out, err);
}
