/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runs_json.c - runs as JSON, one run per line, keys in a fixed order (docs/formats.md).
 *
 *     {"schema":1,"runs":[
 *     {"source":"sim","workload":"kernbench","load":"3","level":3,"policy":"o1","variant":{}, ...,
 *      "elapsed_s":196.91,"user_s":null, ...,"reasons":{"user_s":"why it was not had"}}
 *     ]}
 *
 * Neither the time of day nor a build id is in it: equal runs are equal bytes.
 */
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "report/why.h"
#include "report/write.h"

/* "K=V,K2=V2" as {"K":"V","K2":"V2"}; a backslash takes the next character literally. An
 * imported "A", without any key, is {"variant":"A"}. */
static void write_variant(FILE *out, const char *variant)
{
    char copy[sizeof(((struct run *)NULL)->variant)], *pieces[sizeof(copy)];
    int count = 0;

    (void)snprintf(copy, sizeof(copy), "%s", variant);
    if (copy[0] != '\0' && strchr(variant, '=') == NULL) {
        (void)fputs("\"variant\":{\"variant\":", out);
        report_write_json_string(out, variant);
        (void)fputs("},", out);
        return;
    }
    if (copy[0] != '\0')
        count = hl_split(copy, ',', pieces, (int)sizeof(copy));
    (void)fputs("\"variant\":{", out);
    for (int i = 0; i < count; i++) {
        char *equals = strchr(pieces[i], '=');

        if (equals != NULL)
            *equals = '\0';
        (void)fputs(i == 0 ? "" : ",", out);
        report_write_json_string(out, pieces[i]);
        (void)fputc(':', out);
        report_write_json_string(out, equals == NULL ? "" : equals + 1);
    }
    (void)fputs("},", out);
}

/* A metric of the result's own, with what no table here knows of it; `count` of them stand before. */
static void write_extra(FILE *out, int metric, double value, int count)
{
    const struct run_metric_info *info = &run_metric_table[metric];

    (void)fputs(count == 0 ? ",\"extra\":{" : ",", out);
    report_write_json_string(out, info->name);
    (void)fputs(":{\"value\":", out);
    report_write_json_number(out, value);
    (void)fputs(",\"unit\":", out);
    report_write_json_string(out, info->unit);
    (void)fprintf(out, ",\"better\":\"%s\"}", run_better_name(info->better));
}

static void write_all_extra(FILE *out, const struct run *run)
{
    int count = 0;

    for (int i = RUN_METRIC_COUNT; i < run_metric_count(); i++)
        if (run_has(run, (enum run_metric)i))
            write_extra(out, i, run->metric[i], count++);
    (void)fputs(count > 0 ? "}" : "", out);
}

static void write_part(FILE *out, const struct run_part *part)
{
    int count = 0;

    (void)fputs("{\"name\":", out);
    report_write_json_string(out, part->name);
    for (int metric = 0; metric < run_metric_count(); metric++) {
        double value = run_part_get(part, metric);

        if (isnan(value))
            continue;
        if (metric < RUN_METRIC_COUNT)
            report_write_json_member(out, ",", run_metric_table[metric].name, value);
        else
            write_extra(out, metric, value, count++);
    }
    (void)fputs(count > 0 ? "}}" : "}", out);
}

static void write_parts(FILE *out, const struct run *run)
{
    for (size_t i = 0; i < run->part_count; i++) {
        (void)fputs(i == 0 ? ",\"parts\":[" : ",", out);
        write_part(out, &run->parts[i]);
    }
    (void)fputs(run->part_count > 0 ? "]" : "", out);
}

static void write_metrics(FILE *out, const struct run *run)
{
    bool is_first = true;

    for (int i = 0; i < RUN_METRIC_COUNT; i++) {
        (void)fprintf(out, "\"%s\":", run_metric_table[i].name);
        report_write_json_number(out, run->metric[i]);
        (void)fputc(',', out);
    }
    (void)fputs("\"reasons\":{", out);
    for (int i = 0; i < RUN_METRIC_COUNT; i++) {
        const char *reason = run->reason[i];

        if (reason == NULL && run_has(run, (enum run_metric)i))
            continue;
        (void)fprintf(out, "%s\"%s\":", is_first ? "" : ",", run_metric_table[i].name);
        report_write_json_string(out, reason == NULL ? "not measured" : reason);
        is_first = false;
    }
    (void)fputc('}', out);
}

static void write_run(FILE *out, const struct run *run)
{
    (void)fputc('{', out);
    report_write_json_text(out, "source", run_source_name(run->source));
    report_write_json_text(out, "workload", run->workload);
    report_write_json_text(out, "load", run->load);
    if (run->level < 0)
        (void)fputs("\"level\":null,", out);
    else
        (void)fprintf(out, "\"level\":%" PRId64 ",", run->level);
    if (run->policy[0] == '\0')
        (void)fputs("\"policy\":null,", out);
    else
        report_write_json_text(out, "policy", run->policy);
    write_variant(out, run->variant);
    report_write_json_text(out, "machine", run->machine);
    (void)fprintf(out, "\"seed\":%" PRIu64 ",", run->seed);
    if (run->block >= 0)
        (void)fprintf(out, "\"block\":%" PRId32 ",", run->block);
    else
        (void)fputs("\"block\":null,", out);
    (void)fprintf(out, "\"run\":%" PRId32 ",", run->run);
    if (run->order >= 0)
        (void)fprintf(out, "\"order\":%" PRId32 ",", run->order);
    if (run->boot_id[0] != '\0')
        report_write_json_text(out, "boot_id", run->boot_id);
    report_write_json_text(out, "status", run_status_name(run->status));
    (void)fprintf(out, "\"exit_status\":%" PRId32 ",", run->exit_status);
    if (run->note[0] != '\0')
        report_write_json_text(out, "note", run->note);
    write_metrics(out, run);
    write_all_extra(out, run);
    write_parts(out, run);
    (void)fputc('}', out);
}

/* "runs":[...] without what follows. */
static void write_runs(FILE *out, const struct run_list *runs)
{
    (void)fputs("\"runs\":[", out);
    for (size_t i = 0; i < runs->count; i++) {
        (void)fputs(i == 0 ? "\n" : ",\n", out);
        write_run(out, &runs->runs[i]);
    }
    (void)fputs(runs->count == 0 ? "]" : "\n]", out);
}

enum hl_status report_runs_json(FILE *out, const struct run_list *runs, struct hl_error *err)
{
    (void)fputs("{\"schema\":1,", out);
    write_runs(out, runs);
    (void)fputs("}\n", out);
    return report_write_end(out, err);
}

enum hl_status report_runs_json_why(FILE *out, const struct run_list *runs, struct hl_error *err)
{
    (void)fputs("{\"schema\":1,", out);
    write_runs(out, runs);
    (void)fputs(",\"why\":[", out);
    HL_TRY(report_why_write_json(out, runs, err));
    (void)fputs("]}\n", out);
    return report_write_end(out, err);
}

enum hl_status report_study_json(FILE *out, const char *study, const char *fingerprint,
                                 const struct run_list *runs, struct hl_error *err)
{
    (void)fputs("{\"schema\":1,", out);
    report_write_json_text(out, "study", study);
    if (fingerprint[0] != '\0')
        (void)fprintf(out, "\"fingerprint\":%s,", fingerprint);
    write_runs(out, runs);
    (void)fputs("}\n", out);
    return report_write_end(out, err);
}
