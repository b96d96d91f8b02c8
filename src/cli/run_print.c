/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_print.c - what `halfload run` says: what is about to be played, and what came out.
 */
#include "cli/run_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "cli/run_work.h"
#include "compare/compare.h"
#include "report/report.h"

/* The name of a new study is told to whoever sits there: in a pipe equal commands print equal bytes. */
static void announce_study(const struct run_announcement *a)
{
    const struct keeper *keeper = a->keeper;

    if (a->options->plan != NULL)
        printf("study %s: %" PRId64 " of %" PRId64 " runs were made before\n", keeper->name,
               keeper->made_count, keeper->planned);
    else if (keeper->store != NULL && (a->options->name != NULL || isatty(STDOUT_FILENO) == 1))
        printf("study %s\n", keeper->name);
}

/* The profile, and how many compilers run where its make does not run X of them for -jX. */
static void announce_profile(const struct study_request *request)
{
    const struct profile *profile = request->profile;
    int64_t less = request->workload->is_make ? profile->constant[PROFILE_jobserver_offset] : 0;
    int printed = 0;

    printf("profile: %s", profile->name);
    if (less > 0)
        printf("; its make -jX runs X-%" PRId64 " compilers, at least one:", less);
    for (int i = 0; less > 0 && i < request->load_count; i++) {
        int64_t level = workload_load_level(&request->loads[i], request->arms[0].cpus, 0);

        if (level > 0)
            printf("%s%" PRId64 " at -j%" PRId64, printed++ > 0 ? ", " : " ",
                   level > less ? level - less : 1, level);
    }
    putchar('\n');
}

static bool has_named_load(const struct study_request *request)
{
    for (int i = 0; i < request->load_count; i++) {
        enum workload_load_kind kind = request->loads[i].kind;

        if (kind == LOAD_HALF || kind == LOAD_OPTIMAL || kind == LOAD_MAX)
            return true;
    }
    return false;
}

/* What half and optimal load are counted from. A variant may be allowed fewer of these cpus. */
static void announce_cpus(const struct study_request *request)
{
    struct machine_host_cpus cpus;
    char text[200];

    if (machine_host_cpus_read(&cpus, NULL) != HL_OK)
        return;
    machine_host_cpus_print(&cpus, text, sizeof(text));
    printf("cpus: %s%s\n", text,
           has_named_load(request)
               ? "; half load is half as many jobs, optimal load four times as many"
               : "");
}

/* The arms, and how many runs it takes to tell them apart. */
static void announce_arms(const struct run_announcement *a)
{
    const struct study_request *request = a->request;
    const struct run_parts *parts = a->parts;
    int variants = request->arm_count / HL_MAX(parts->policy_count, 1);

    if (!parts->is_compared)
        return;
    if (a->options->is_aa)
        printf("A/A: %s and %s are one set-up, so what differs between them is noise",
               request->arms[0].variant, request->arms[1].variant);
    else
        printf("variants: %s (the baseline)", request->arms[0].variant);
    for (int i = 1; !a->options->is_aa && i < variants; i++)
        printf("; %s", request->arms[i].variant);
    putchar('\n');
    if (request->arms[request->arm_count - 1].first_run > 0)
        printf("A simulated run repeats exactly: %s has seeds of its own, those of repetitions "
               "%" PRId64 " to %" PRId64 ".\n",
               request->arms[1].variant, request->runs, 2 * request->runs - 1);
    if (parts->chose_runs)
        printf("%" PRId64 " runs of each cell: the fewest that reach %.4g %% in %zu comparison%s\n",
               request->runs, 100 * COMPARE_DEFAULT_LEVEL, parts->comparisons,
               parts->comparisons == 1 ? "" : "s");
}

void run_announce(void *context)
{
    const struct run_announcement *a = context;
    const struct study_request *request = a->request;
    bool is_real = study_is_real(request);
    int cpus = request->arms[0].cpus;
    int64_t cells = study_planned_runs(request) / request->runs;

    if (a->options->format != FORMAT_TEXT)
        return;
    printf("%s %s %s (%d cpu%s), seed %" PRIu64 ": %" PRId64 " cell%s x %" PRId64 " run%s\n",
           request->options->text, is_real ? "measured on" : "simulated on",
           request->arms[0].machine->name, cpus, cpus == 1 ? "" : "s", request->seed, cells,
           cells == 1 ? "" : "s", request->runs, request->runs == 1 ? "" : "s");
    announce_study(a);
    if (is_real)
        announce_cpus(request);
    announce_arms(a);
    if (!is_real)
        announce_profile(request);
    if (!is_real && (a->options->machine == NULL || strcmp(a->options->machine, "host") == 0))
        puts("The topology is this machine's; its performance constants are assumed defaults.");
    if (is_real)
        run_work_announce(request);
    putchar('\n');
    (void)fflush(stdout); /* before hours of work, not after */
}

/* Base against new, in the primary metric alone; `halfload compare` has all of them. */
static enum hl_status print_comparison(const struct run_options *o, const struct run_list *runs,
                                       enum run_metric metric, struct hl_error *err)
{
    struct compare_arms arms = {0};
    struct compare_result result = {0};
    struct compare_request request = {.metric = metric,
                                      .effect = COMPARE_DEFAULT_EFFECT,
                                      .level = COMPARE_DEFAULT_LEVEL,
                                      .is_aa = o->is_aa,
                                      .primary_only = true};
    enum hl_status status = compare_arms_add(&arms, runs, NULL, err);

    if (status == HL_OK && arms.count > 1) {
        request.base = &arms.arms[0];
        request.news = &arms.arms[1];
        request.new_count = arms.count - 1;
        status = compare_runs(&request, &result, err);
        if (status == HL_OK) {
            putchar('\n');
            status = report_compare_text(stdout, &result, err);
        }
    }
    compare_result_close(&result);
    compare_arms_close(&arms);
    return status;
}

enum hl_status run_print(const struct run_options *o, const struct study_request *request,
                         const struct run_parts *parts, const struct run_list *runs, bool is_whole,
                         struct hl_error *err)
{
    switch (o->format) {
    case FORMAT_JSON:
        return o->why ? report_runs_json_why(stdout, runs, err)
                      : report_runs_json(stdout, runs, err);
    case FORMAT_CSV: return report_runs_csv(stdout, runs, err);
    case FORMAT_TEXT: break;
    }
    /* kernbench prints one kernel's loads; of several arms the grid has its figures as tables. */
    if (request->arm_count > 1 || !request->workload->is_make) {
        /* What explains the times is to stand beside them on one screen. */
        HL_TRY(o->why ? report_grid_elapsed(stdout, runs, parts->off, parts->off_count, err)
                      : report_grid(stdout, runs, parts->off, parts->off_count, err));
    } else {
        HL_TRY(report_kernbench(stdout, runs, parts->off, parts->off_count, err));
        HL_TRY(report_grid(stdout, runs, NULL, 0, err));
    }
    if (o->why)
        HL_TRY(report_why(stdout, runs, err));
    /* Not of a part: whoever looks at verdicts before the end and stops when they please has others. */
    return parts->is_compared && is_whole
               ? print_comparison(o, runs, study_result_metric(request->workload), err)
               : HL_OK;
}
