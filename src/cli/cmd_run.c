/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_run.c - `halfload run WORKLOAD`: plays a study, simulated or for real, and prints its runs.
 *
 * Without --sched on the host it measures; with --sched it simulates, the host's topology too; any
 * other machine without --sched is an error.
 */
#include "cli/cmd_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/progress_bar.h"
#include "cli/run_played.h"
#include "cli/run_prepare.h"
#include "cli/run_print.h"
#include "compare/compare.h"
#include "host/boot.h"
#include "host/fingerprint.h"

/* Prints what there is, also of a study that ended early, and marks that. */
static enum hl_status finish(const struct run_options *o, const struct study_request *request,
                             const struct run_parts *parts, const struct run_list *runs,
                             const struct keeper *keeper, enum hl_status status,
                             struct hl_error *err)
{
    size_t failed = 0, invalid = 0;
    struct run_list made = *runs;
    enum hl_status printed = HL_OK;

    if (status != HL_OK && runs->count == 0)
        return status;
    /* A failed warm-up stands last. It has no place in a table; why it failed is the error's text. */
    while (made.count > 0 && made.runs[made.count - 1].block < 0)
        made.count--;
    if (status != HL_OK && o->format == FORMAT_TEXT)
        printf("PARTIAL: %zu of %" PRId64 " runs were made\n%s", made.count, keeper->planned,
               made.count > 0 ? "\n" : "");
    /* Why the study ended stays the reason that is reported. */
    if (o->format != FORMAT_TEXT || made.count > 0 || status == HL_OK)
        printed = run_print(o, request, parts, o->format == FORMAT_TEXT ? &made : runs,
                            status == HL_OK, status == HL_OK ? err : NULL);
    if (status == HL_OK)
        status = printed;
    if (status == HL_INTERRUPTED)
        return hl_fail(err, HL_INTERRUPTED, "interrupted: %zu of %" PRId64 " runs were made%s%s%s",
                       runs->count, keeper->planned,
                       keeper->store != NULL ? "; `halfload resume " : "", keeper->name,
                       keeper->store != NULL ? "` goes on" : "");
    for (size_t i = 0; i < runs->count; i++) {
        invalid += runs->runs[i].status == RUN_INVALID;
        failed += runs->runs[i].status != RUN_OK && runs->runs[i].status != RUN_INVALID;
    }
    if (status == HL_OK && failed > 0 && invalid > 0)
        return hl_fail(err, HL_RUN_FAILED, "%zu of %zu runs failed, %zu %s invalid", failed,
                       runs->count, invalid, invalid == 1 ? "is" : "are");
    if (status == HL_OK && invalid > 0)
        return hl_fail(err, HL_RUN_FAILED, "%zu of %zu runs %s invalid", invalid, runs->count,
                       invalid == 1 ? "is" : "are");
    if (status == HL_OK && failed > 0)
        return hl_fail(err, HL_RUN_FAILED, "%zu of %zu runs failed", failed, runs->count);
    return status;
}

/* Told before hours of work, not after. */
static void warn_of_few_runs(const struct study_request *request, const struct run_parts *parts)
{
    if (parts->comparisons > 0 && request->runs < parts->least_runs)
        cli_warn("%" PRId64
                 " run%s of each cell cannot reach %.4g %% in %zu comparison%s: verdicts "
                 "will be undecided; %" PRId64 " are needed",
                 request->runs, request->runs == 1 ? "" : "s", 100 * COMPARE_DEFAULT_LEVEL,
                 parts->comparisons, parts->comparisons == 1 ? "" : "s", parts->least_runs);
}

/* Begins to keep a new study, or finds that a stored one can be gone on with. */
static enum hl_status open_keeper(const struct run_options *o, const struct study_request *request,
                                  struct keeper *keeper, struct hl_error *err)
{
    struct store_new_study study = {.name = o->name,
                                    .stem = request->workload->name,
                                    .program = CLI_PROGRAM,
                                    .seed = request->seed,
                                    .planned = study_planned_runs(request)};
    char *command = NULL, *plan = NULL, *machine = NULL, *fingerprint = NULL;
    enum hl_status status;

    if (o->plan != NULL)
        return run_plan_check(o->plan, keeper->name, request, err);
    status = cli_command_text(o->word_count, o->words, &command, err);
    if (status == HL_OK)
        status = run_plan_write(request, o->word_count, o->words, &plan, err);
    if (status == HL_OK && study_is_real(request))
        status = host_fingerprint_take(&machine, err);
    if (status == HL_OK)
        status = run_played_fingerprint(request, machine, &fingerprint, err);
    study.command = command;
    study.plan = plan;
    study.fingerprint = fingerprint;
    if (status == HL_OK)
        status = keeper_begin(keeper, o->db, &study, !study_is_real(request), err);
    hl_free(command);
    hl_free(plan);
    hl_free(machine);
    hl_free(fingerprint);
    return status;
}

/* What a study that is gone on with has from its earlier sessions. */
static enum hl_status take_over(struct keeper *keeper, struct study_request *request,
                                struct hl_error *err)
{
    struct run_list made = {0};
    char boot_id[HOST_BOOT_BYTES];
    bool is_other_boot = false;
    enum hl_status status = HL_OK;

    if (keeper->made_count == 0 || !study_is_real(request))
        return HL_OK;
    status = keeper_runs(keeper, &made, err);
    (void)host_boot_id(boot_id);
    for (size_t i = 0; i < made.count; i++) {
        const struct run *run = &made.runs[i];

        is_other_boot |= run->boot_id[0] != '\0' && strcmp(run->boot_id, boot_id) != 0;
        for (int l = 0; l < request->load_count; l++)
            if (request->loads[l].kind == LOAD_MAX && run->level > 0 &&
                strcmp(run->load, request->loads[l].label) == 0)
                request->max_jobs = run->level;
    }
    if (is_other_boot && keeper->made_count < keeper->planned)
        cli_warn("the machine was booted since study %s began: runs of a block that two boots "
                 "share are not paired",
                 keeper->name);
    run_list_close(&made);
    return status;
}

/* Plays what the keeper has not, and prints all there is then. */
static enum hl_status play_and_print(const struct run_options *o, struct study_request *request,
                                     const struct run_parts *parts, struct keeper *keeper,
                                     struct hl_error *err)
{
    struct run_announcement announcement = {
        .options = o, .request = request, .parts = parts, .keeper = keeper};
    struct run_list runs = {0}, all = {0};
    struct progress_bar bar;
    struct study_progress progress = progress_bar_open(&bar, run_announce, &announcement);
    enum hl_status status;

    HL_TRY(take_over(keeper, request, err));
    request->is_made = keeper->is_made;
    request->made_count = keeper->made_count;
    progress = keeper_progress(keeper, progress);
    status = study_play(request, &runs, &progress, err);
    progress_bar_close(&bar);
    if (keeper->made_count > 0) {
        enum hl_status read = keeper_runs(keeper, &all, status == HL_OK ? err : NULL);

        status = status == HL_OK ? read : status;
    }
    status = finish(o, request, parts, all.count > 0 ? &all : &runs, keeper, status, err);
    run_list_close(&runs);
    run_list_close(&all);
    return status;
}

static enum hl_status unknown_workload(const char *text, struct hl_error *err)
{
    const char *names[64], *end = strrchr(text, '.');
    int count = 0;

    if (strchr(text, '/') != NULL || (end != NULL && strcmp(end, ".scn") == 0))
        return hl_fail(err, HL_USAGE,
                       "unknown workload \"%.64s\"; a scenario file is given as scn:%.200s", text,
                       text);
    for (const struct workload_info *w = workload_table; w->name != NULL && count < 64; w++)
        names[count++] = w->name;
    return hl_fail_unknown(err, HL_USAGE, NULL, "workload", text, names, count);
}

static enum hl_status play_study(const struct run_options *o, struct keeper *keeper,
                                 struct hl_error *err)
{
    struct study_request request = {0};
    struct run_parts parts = {0};
    enum hl_status status;

    HL_TRY(workload_parse(o->workload, &request.workload, &parts.options, err));
    if (request.workload == NULL)
        return unknown_workload(o->workload, err);
    request.options = &parts.options;
    status = run_prepare(o, &parts, &request, err);
    if (status == HL_OK && o->plan == NULL)
        warn_of_few_runs(&request, &parts);
    if (status == HL_OK)
        status = open_keeper(o, &request, keeper, err);
    if (status == HL_OK)
        status = play_and_print(o, &request, &parts, keeper, err);
    run_parts_close(&parts);
    return status;
}

enum hl_status cli_run_again(const struct run_plan *plan, struct keeper *keeper,
                             enum cli_format format, struct hl_error *err)
{
    static char program[] = "halfload run";
    struct run_options o;

    plan->words[0] = program;
    HL_TRY(run_options_parse(&o, plan->word_count, plan->words, err));
    o.plan = plan;
    o.format = format;
    return play_study(&o, keeper, err);
}

static enum hl_status run_words(int argc, char **argv, char *const *words, struct hl_error *err)
{
    struct run_options o;
    struct keeper keeper = {0};
    enum hl_status status;

    HL_TRY(run_options_parse(&o, argc, argv, err));
    o.word_count = argc;
    o.words = words;
    if (strncmp(o.workload, "scn:", 4) == 0) {
        const char *wrong = o.real_count > 0 ? o.real[0] : o.not_scenario;

        if (wrong != NULL)
            return hl_fail(err, HL_USAGE, "--%s does not go with a scenario: the file decides it",
                           wrong);
        if (o.name != NULL || o.db != NULL)
            return hl_fail(err, HL_USAGE, "--%s does not go with a scenario: it is not stored",
                           o.name != NULL ? "name" : "db");
        if (o.every_ns > 0 && o.format != FORMAT_CSV)
            return hl_fail(err, HL_USAGE, "--every is for --format csv: expected it too");
        if (o.timeline && o.format == FORMAT_CSV)
            return hl_fail(err, HL_USAGE, "--timeline has no CSV: expected --format text");
        return cli_run_scenario(&o, o.workload + 4, err);
    }
    if (o.only_scenario != NULL)
        return hl_fail(err, HL_USAGE, "--%s is for scenarios: expected scn:FILE", o.only_scenario);
    if (o.name != NULL)
        HL_TRY(store_name_check(o.name, err));
    status = play_study(&o, &keeper, err);
    if (status == HL_OK)
        status = keeper_finish(&keeper, err);
    keeper_close(&keeper);
    return status;
}

enum hl_status cli_run(int argc, char **argv, struct hl_error *err)
{
    /* argp puts words in another order; a plan has them as they were typed. */
    char **words = hl_alloc((size_t)argc + 1, sizeof(*words));
    enum hl_status status;

    if (words == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the command line");
    memcpy(words, argv, (size_t)argc * sizeof(*words));
    status = run_words(argc, argv, words, err);
    hl_free(words);
    return status;
}
