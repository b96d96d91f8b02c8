/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paper_json.c - a scored paper as one JSON object (docs/formats.md).
 *
 *     {"paper":"ID","cells":[
 *     {"row":"UP","load":"-j2","metric":"elapsed_s","unit":"ratio","role":"fitted",
 *      "published":0.988,"simulated":0.991}
 *     ],"mean_absolute_error":{"fitted":0.001,"predicted":null,"comparing":0.004},
 *     "order":[{"machine":"p4-ht","load":"-j2","holds":true}]}
 *
 * Where the paper normalises, each side is divided by its own reference cell, unit "ratio".
 */
#include "report/report.h"

#include "report/write.h"

static void write_member(FILE *out, const char *key, const char *text)
{
    (void)fprintf(out, "\"%s\":", key);
    report_write_json_string(out, text);
    (void)fputc(',', out);
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
    (void)fputs("\"published\":", out);
    report_write_json_number(out, paper_published(paper, cell));
    (void)fputs(",\"simulated\":", out);
    report_write_json_number(out, paper_simulated(paper, cell));
    (void)fputc('}', out);
}

enum hl_status report_paper_json(FILE *out, const struct paper *paper,
                                 const struct paper_score *score, struct hl_error *err)
{
    (void)fputc('{', out);
    write_member(out, "paper", paper->id);
    (void)fputs("\"cells\":[", out);
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
    (void)fputs("},\"order\":[", out);
    for (int i = 0; i < score->order_count; i++) {
        (void)fputs(i == 0 ? "\n{" : ",\n{", out);
        write_member(out, "machine", score->orders[i].machine);
        write_member(out, "load", score->orders[i].load);
        (void)fprintf(out, "\"holds\":%s}", score->orders[i].holds ? "true" : "false");
    }
    (void)fputs("]}\n", out);
    return report_write_end(out, err);
}
