/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_show.c - `halfload show STUDY`: a stored study, one of its runs, or a file of results.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/format.h"
#include "base/visible.h"
#include "cli/cli.h"
#include "cli/reference.h"
#include "report/report.h"

struct show_options {
    struct reference_words words; /* first */
    bool is_verbose;
};

static const struct argp_option option_table[] = {
    {"verbose", 'v', NULL, 0, "each run with its number, as in STUDY:RUN", 0},
    REFERENCE_OPTIONS,
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct show_options *o = state->input;

    if (key == 'v') {
        o->is_verbose = true;
        return 0;
    }
    return reference_words_option(key, arg, state,
                                  "show what? expected a study, STUDY:RUN, last or a file");
}

static const struct argp show_argp = {
    .options = option_table,
    .parser = parse_option,
    .args_doc = "STUDY|STUDY:RUN|FILE",
    .doc = "Prints stored results: a study by name, id or `last`, one run of it, or a file that "
           "`halfload import` would take.",
};

static void print_study(const struct store_study *study)
{
    char when[CLI_TIME_BYTES];

    report_line(stdout, "study %s (id %" PRId64 "), %s, by %s", study->name, study->id,
                cli_time_text(study->created_s, when), study->program);
    if (study->command[0] != '\0')
        report_line(stdout, "%s", study->command);
    printf("%" PRId64 " of %" PRId64 " runs, %" PRId64 " failed, ", study->run_count,
           study->planned, study->failed_count);
    if (study->invalid_count > 0)
        printf("%" PRId64 " invalid, ", study->invalid_count);
    printf("seed %" PRIu64 "\n\n", study->seed);
}

static void cell_metric(struct report_table *table, const struct run *run, enum run_metric metric)
{
    char number[HL_EXACT_BYTES] = "";

    if (run_has(run, metric))
        (void)hl_format_exact(number, run->metric[metric]);
    report_table_cell(table, "%s", number);
}

/* Each run in a line, with the number that a reference takes. */
static enum hl_status print_runs(const struct reference *r, const int64_t *places,
                                 struct hl_error *err)
{
    static const char *const heads[] = {"run",       "of",     "load",     "repetition",
                                        "elapsed_s", "user_s", "system_s", "status"};
    struct report_table *table = report_table_new();
    enum hl_status status;

    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
        report_table_cell(table, "%s", heads[i]);
    report_table_end_row(table);
    for (size_t i = 0; i < r->runs.count; i++) {
        const struct run *run = &r->runs.runs[i];
        char arm[RUN_ARM_BYTES];

        report_table_cell(table, "%" PRId64, places == NULL ? (int64_t)i : places[i]);
        report_table_cell(table, "%s", run_arm_name(run, arm));
        report_table_cell(table, "%s", run->load);
        report_table_cell(table, "%" PRId32, run->run);
        cell_metric(table, run, RUN_elapsed_s);
        cell_metric(table, run, RUN_user_s);
        cell_metric(table, run, RUN_system_s);
        report_table_cell(table, "%s", run_status_name(run->status));
        report_table_end_row(table);
    }
    putchar('\n');
    status = report_table_print(table, stdout, 1, err);
    report_table_free(table);
    return status;
}

/* One run whole: who it is, each metric with its unit, or why it was not had. */
static void print_run(const struct run *run)
{
    char arm[RUN_ARM_BYTES], number[HL_EXACT_BYTES], exit_status[40] = "";
    char boot[4 * sizeof(run->boot_id)];

    if (run->status != RUN_OK)
        (void)snprintf(exit_status, sizeof(exit_status), ", exit status %" PRId32,
                       run->exit_status);
    report_line(
        stdout, "%s at load %s, %s on %s: %s%s%s%s", run->workload, run->load,
        run_arm_name(run, arm), run->machine[0] == '\0' ? "a machine not named" : run->machine,
        run_status_name(run->status), exit_status, run->note[0] == '\0' ? "" : ": ", run->note);
    printf("source %s, repetition %" PRId32 ", seed %" PRIu64, run_source_name(run->source),
           run->run, run->seed);
    if (run->block >= 0)
        printf(", block %" PRId32, run->block);
    if (run->order >= 0)
        printf(", played as number %" PRId32, run->order);
    if (run->boot_id[0] != '\0')
        printf(", boot %s", hl_visible(boot, sizeof(boot), run->boot_id));
    puts("\n");
    for (int i = 0; i < run_metric_count(); i++) {
        const struct run_metric_info *info = &run_metric_table[i];

        if (run_has(run, (enum run_metric)i))
            report_line(
                stdout, "%-22s %s%s%s%s%s%s", info->name, hl_format_exact(number, run->metric[i]),
                info->unit[0] == '\0' ? "" : " ", info->unit, run->reason[i] == NULL ? "" : "  (",
                run->reason[i] == NULL ? "" : run->reason[i], run->reason[i] == NULL ? "" : ")");
        else if (i < RUN_METRIC_COUNT)
            report_line(stdout, "%-22s -  (%s)", info->name,
                        run->reason[i] == NULL ? "not measured" : run->reason[i]);
    }
}

/* Indented below the name of each part. */
static void print_parts(const struct run *run)
{
    char number[HL_EXACT_BYTES];

    for (size_t p = 0; p < run->part_count; p++) {
        const struct run_part *part = &run->parts[p];

        putchar('\n');
        report_line(stdout, "%s", part->name);
        for (int i = 0; i < run_metric_count(); i++) {
            const struct run_metric_info *info = &run_metric_table[i];
            double value = run_part_get(part, i);

            if (!isnan(value))
                report_line(stdout, "  %-20s %s%s%s", info->name, hl_format_exact(number, value),
                            info->unit[0] == '\0' ? "" : " ", info->unit);
        }
    }
}

static enum hl_status print_text(const struct show_options *o, const struct reference *r,
                                 struct hl_error *err)
{
    bool is_study = r->study.name[0] != '\0';

    if (is_study && strcmp(r->name, r->study.name) != 0) {
        printf("run %s\n", r->name);
        print_run(&r->runs.runs[0]);
        print_parts(&r->runs.runs[0]);
        return HL_OK;
    }
    if (is_study)
        print_study(&r->study);
    if (r->runs.count == 0) {
        puts("no runs yet");
        return HL_OK;
    }
    HL_TRY(report_grid(stdout, &r->runs, NULL, 0, err));
    return o->is_verbose ? print_runs(r, r->places, err) : HL_OK;
}

enum hl_status cli_show(int argc, char **argv, struct hl_error *err)
{
    struct show_options o = {0};
    struct reference r;
    enum hl_status status = HL_OK;

    HL_TRY(cli_parse(&show_argp, argc, argv, &o.words.input, err));
    HL_TRY(reference_open(&r, o.words.text, o.words.db, err));
    switch (o.words.format) {
    case FORMAT_TEXT: status = print_text(&o, &r, err); break;
    case FORMAT_CSV: status = report_runs_csv(stdout, &r.runs, err); break;
    case FORMAT_JSON:
        status = report_study_json(stdout, r.study.name[0] != '\0' ? r.study.name : r.name,
                                   r.fingerprint, &r.runs, err);
        break;
    }
    reference_close(&r);
    return status;
}
