/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runs_csv.c - runs in long form: a line per run and metric (docs/formats.md).
 *
 *     workload,load,variant,run,metric,value,unit,block,machine,seed,status,exit_status,order,boot_id
 *     kernbench,3,o1:version=2.6.0-test11,0,elapsed_s,196.91,s,0,xeon-2phys-ht,42,ok,0,,
 *
 * `variant` is what is compared: policy, variant or both. A metric that was not had has an empty
 * value, so that a failed run is not lost; metrics that only an imported run has are written if had.
 * If a run has parts, there is a last column, `part`, which is empty in the lines of the whole run.
 * Lines end in a line feed, which RFC 4180's readers take.
 */
#include "report/report.h"

#include <inttypes.h>
#include <math.h>

#include "base/format.h"
#include "report/cells.h"
#include "report/write.h"

struct csv {
    FILE *out;
    bool has_parts;
};

/* `part` "": of the whole run. */
static void write_line(const struct csv *csv, const struct run *run, const char *part, int metric,
                       double value)
{
    FILE *out = csv->out;
    char name[RUN_ARM_BYTES], number[HL_EXACT_BYTES] = "";

    report_write_csv_field(out, run->workload);
    (void)fputc(',', out);
    report_write_csv_field(out, run->load);
    (void)fputc(',', out);
    report_write_csv_field(out, run_arm_name(run, name));
    if (!isnan(value))
        (void)hl_format_exact(number, value);
    (void)fprintf(out, ",%" PRId32 ",%s,%s,", run->run, run_metric_table[metric].name, number);
    report_write_csv_field(out, run_metric_table[metric].unit);
    if (run->block >= 0)
        (void)fprintf(out, ",%" PRId32 ",", run->block);
    else
        (void)fputs(",,", out);
    report_write_csv_field(out, run->machine);
    (void)fprintf(out, ",%" PRIu64 ",%s,%" PRId32 ",", run->seed, run_status_name(run->status),
                  run->exit_status);
    if (run->order >= 0)
        (void)fprintf(out, "%" PRId32, run->order);
    (void)fputc(',', out);
    report_write_csv_field(out, run->boot_id);
    if (csv->has_parts) {
        (void)fputc(',', out);
        report_write_csv_field(out, part);
    }
    (void)fputc('\n', out);
}

static void write_run(const struct csv *csv, const struct run *run)
{
    for (int metric = 0; metric < run_metric_count(); metric++)
        if (metric < RUN_METRIC_COUNT || run_has(run, (enum run_metric)metric))
            write_line(csv, run, "", metric, run->metric[metric]);
    for (size_t p = 0; p < run->part_count; p++)
        for (int metric = 0; metric < run_metric_count(); metric++) {
            double value = run_part_get(&run->parts[p], metric);

            if (!isnan(value))
                write_line(csv, run, run->parts[p].name, metric, value);
        }
}

enum hl_status report_runs_csv(FILE *out, const struct run_list *runs, struct hl_error *err)
{
    struct csv csv = {.out = out};

    for (size_t i = 0; i < runs->count; i++)
        csv.has_parts |= runs->runs[i].part_count > 0;
    (void)fprintf(out,
                  "workload,load,variant,run,metric,value,unit,block,machine,seed,status,"
                  "exit_status,order,boot_id%s\n",
                  csv.has_parts ? ",part" : "");
    for (size_t i = 0; i < runs->count; i++)
        write_run(&csv, &runs->runs[i]);
    return report_write_end(out, err);
}
