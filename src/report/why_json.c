/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why_json.c - the member "why" of runs as JSON: one object per load, docs/formats.md.
 *
 *     {"workload":"kernbench","load":"2","level":2,"best":"ideal","variants":[
 *      {"variant":"o1","runs":5,"elapsed_s":193.8,
 *       "parts":{"work_s":163.0,"asleep_s":0,"wasted_s":0.5,...},
 *       "difference":{"elapsed_s":30.1,"causes":{"wasted":{"s":0.5,"percent":1.8},...},
 *                     "rest":{"s":0.1,"percent":0.3}}},
 *      {"variant":"host","runs":0,"reason":"why nothing is known"}]}
 *
 * Percent is null where the difference is 0.
 */
#include "report/why.h"

#include <inttypes.h>
#include <math.h>

#include "report/write.h"

/* "key":{"s":0.5,"percent":1.8} */
static void write_share(FILE *out, const char *before, const char *key, double s, double whole_s)
{
    (void)fprintf(out, "%s\"%s\":{", before, key);
    report_write_json_member(out, "", "s", s);
    report_write_json_member(out, ",", "percent", whole_s > 0 ? 100 * s / whole_s : (double)NAN);
    (void)fputc('}', out);
}

static void write_row(FILE *out, const struct why_row *row)
{
    const struct explain_sums *sums = &row->sums;
    const struct explain_difference *difference = &row->difference;
    char name[RUN_ARM_BYTES];

    (void)fputs("{\"variant\":", out);
    report_write_json_string(out, run_arm_name(row->run, name));
    (void)fprintf(out, ",\"runs\":%zu", sums->runs);
    if (!row->is_known) {
        (void)fputs(",\"reason\":", out);
        report_write_json_string(out, row->error.text);
        (void)fputc('}', out);
        return;
    }
    report_write_json_member(out, ",", "elapsed_s", sums->elapsed_s);
    report_write_json_member(out, ",\"parts\":{", "work_s", sums->work_s);
    report_write_json_member(out, ",", "asleep_s", sums->asleep_s);
    for (int i = 0; i < TRACE_CAUSE_COUNT; i++) {
        (void)fprintf(out, ",\"%s_s\":", explain_causes[i].name);
        report_write_json_number(out, sums->part_s[i]);
    }
    report_write_json_member(out, "},\"difference\":{", "elapsed_s", difference->elapsed_s);
    (void)fputs(",\"causes\":{", out);
    for (int i = 0; i < TRACE_CAUSE_COUNT; i++)
        write_share(out, i == 0 ? "" : ",", explain_causes[i].name, difference->cause_s[i],
                    difference->elapsed_s);
    write_share(out, "},", "rest", difference->rest_s, difference->elapsed_s);
    (void)fputs("}}", out);
}

static void write_load(FILE *out, struct why *why, size_t column)
{
    const struct run *load = why->cells.columns[column];
    const char *separator = "\n ";
    char name[RUN_ARM_BYTES];

    why_look(why, column);
    (void)fputs("{\"workload\":", out);
    report_write_json_string(out, load->workload);
    (void)fputs(",\"load\":", out);
    report_write_json_string(out, load->load);
    if (load->level < 0)
        (void)fputs(",\"level\":null", out);
    else
        (void)fprintf(out, ",\"level\":%" PRId64, load->level);
    (void)fputs(",\"best\":", out);
    if (why->best == NULL)
        (void)fputs("null", out);
    else
        report_write_json_string(out, run_arm_name(why->best->run, name));
    (void)fputs(",\"variants\":[", out);
    for (size_t row = 0; row < why->cells.row_count; row++)
        if (why->rows[row].run != NULL) {
            (void)fputs(separator, out);
            write_row(out, &why->rows[row]);
            separator = ",\n ";
        }
    (void)fputs("]}", out);
}

enum hl_status report_why_write_json(FILE *out, const struct run_list *runs, struct hl_error *err)
{
    struct why why;

    HL_TRY(why_open(&why, runs, err));
    for (size_t column = 0; column < why.cells.column_count; column++) {
        (void)fputs(column == 0 ? "\n" : ",\n", out);
        write_load(out, &why, column);
    }
    if (why.cells.column_count > 0)
        (void)fputc('\n', out);
    why_close(&why);
    return HL_OK;
}
