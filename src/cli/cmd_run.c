/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_run.c - `halfload run WORKLOAD`: plays a study, simulated or for real, and prints its runs.
 *
 * Without --sched on the host it measures; with --sched it simulates, the host's topology too; any
 * other machine without --sched is an error.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/units.h"
#include "cli/cmd_run.h"
#include "cli/progress_bar.h"
#include "report/report.h"

enum {
    KEY_MACHINE = 256,
    KEY_MACHINE_PARAM,
    KEY_SCHED,
    KEY_LOAD,
    KEY_RUNS,
    KEY_SEED,
    KEY_PROFILE,
    KEY_TREE,
    KEY_TARGET,
    KEY_CONFIG,
    KEY_TREE_SCALE,
    KEY_WARMUP,
    KEY_WORK_DIR,
    KEY_FORMAT,
    KEY_WHY,
    KEY_TIMELINE,
    KEY_EVERY,
    KEY_NAME,
    KEY_DB,
};

static const struct argp_option option_table[] = {
    {NULL, 0, NULL, 0, "Where:", 1},
    {"machine", KEY_MACHINE, "M", 0,
     "a shipped name, a machine file, a topology such as 'pack:2 core:4 pu:2', or host (default)",
     1},
    {"machine-param", KEY_MACHINE_PARAM, "KEY=VALUE", 0,
     "override a constant of the simulated machine, or topology=...; repeatable", 1},
    {"sched", KEY_SCHED, "P,...", 0,
     "simulate under these policies, each NAME:PARAM=VALUE:...; without it the host is measured",
     1},
    {NULL, 0, NULL, 0, "What:", 2},
    {"load", KEY_LOAD, "L,...", 0,
     "levels such as 1-4,8, multiples of the cpus such as 2x, or half, optimal, max, single "
     "(default: for builds these four, by kernbench's rules; else 1x)",
     2},
    {"runs", KEY_RUNS, "N", 0, "repetitions of each cell (default 5)", 2},
    {"seed", KEY_SEED, "S", 0, "of all random choices (default 1)", 2},
    {"profile", KEY_PROFILE, "P", 0,
     "constants of the simulated workload: a shipped name or a file", 2},
    {"timeline", KEY_TIMELINE, NULL, 0, "of a scenario: print the events of its first trial", 2},
    {"every", KEY_EVERY, "T", 0,
     "of a scenario with --format csv: time between two looks at the cpus, such as 1s", 2},
    {NULL, 0, NULL, 0, "Real builds:", 3},
    {"tree", KEY_TREE, "DIR", 0, "a tree with a Makefile (default: a generated C tree)", 3},
    {"target", KEY_TARGET, "T", 0, "make's target", 3},
    {"config", KEY_CONFIG, "C", 0, "kernel tree: a .config file or a target such as defconfig", 3},
    {"tree-scale", KEY_TREE_SCALE, "F", 0,
     "size of the generated tree (default 1: about 15 s of cpu)", 3},
    {"warmup", KEY_WARMUP, "W", 0, "discarded builds: session (default), each, none", 3},
    {"work-dir", KEY_WORK_DIR, "DIR", 0, "where private copies go (default: TMPDIR, else /var/tmp)",
     3},
    {NULL, 0, NULL, 0, "Output:", 4},
    {"why", KEY_WHY, NULL, 0,
     "explain the differences between variants: causes, run delay, migrations, balancing", 4},
    {"format", KEY_FORMAT, "F", 0, "text (default), csv or json", 4},
    {"name", KEY_NAME, "STUDY", 0, "what the stored study is called (default: WORKLOAD-NUMBER)", 4},
    {"db", KEY_DB, "FILE", 0, CLI_DB_HELP, 4},
    {0},
};

/* Remembers that an option was given that only makes sense for one kind of run. */
static void note(const char **which, const char *option)
{
    if (*which == NULL)
        *which = option;
}

static error_t parse_warmup(struct argp_state *state, const char *text, enum study_warmup *warmup)
{
    if (strcmp(text, "session") == 0)
        *warmup = STUDY_WARMUP_SESSION;
    else if (strcmp(text, "each") == 0)
        *warmup = STUDY_WARMUP_EACH;
    else if (strcmp(text, "none") == 0)
        *warmup = STUDY_WARMUP_NONE;
    else
        return cli_refuse(state, "--warmup is '%s'; expected session, each or none", text);
    return 0;
}

static error_t parse_tree_scale(struct argp_state *state, const char *text, int64_t *scale_ppm)
{
    const int64_t least = HL_PPM / 1000, most = 1000 * HL_PPM;

    if (!hl_parse_decimal(text, HL_PPM, scale_ppm) || *scale_ppm < least || *scale_ppm > most)
        return cli_refuse(state, "--tree-scale is '%s'; expected a number from 0.001 to 1000",
                          text);
    return 0;
}

/* The value of an option that names something: never nothing. */
static error_t text_option(struct argp_state *state, const char *option, char *text,
                           const char *expected, const char **value)
{
    if (text[0] == '\0')
        return cli_refuse(state, "--%s is ''; expected %s", option, expected);
    *value = text;
    return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct run_options *o = state->input;

    switch (key) {
    case KEY_MACHINE:
        o->machine = arg;
        note(&o->not_scenario, "machine");
        return 0;
    case KEY_MACHINE_PARAM:
        if (o->param_count == RUN_PARAMS_MAX)
            return cli_refuse(state, "more than %d times --machine-param", RUN_PARAMS_MAX);
        o->params[o->param_count++] = arg;
        note(&o->only_simulated, "machine-param");
        note(&o->not_scenario, "machine-param");
        return 0;
    case KEY_SCHED:
        if (o->sched != NULL)
            return cli_refuse(state, "--sched is given twice; join policies with commas");
        o->sched = arg;
        note(&o->not_scenario, "sched");
        return 0;
    case KEY_LOAD:
        if (o->load != NULL)
            return cli_refuse(state, "--load is given twice; join loads with commas");
        o->load = arg;
        note(&o->not_scenario, "load");
        return 0;
    case KEY_RUNS:
        note(&o->not_scenario, "runs");
        return cli_int_option(state, "runs", arg, 1, STUDY_RUNS_MAX, &o->runs);
    case KEY_SEED:
        note(&o->not_scenario, "seed");
        return cli_int_option(state, "seed", arg, 0, INT64_MAX, &o->seed);
    case KEY_PROFILE:
        note(&o->only_simulated, "profile");
        note(&o->not_scenario, "profile");
        return text_option(state, "profile", arg, "a shipped name or a file", &o->profile);
    case KEY_TREE:
        note(&o->only_real, "tree");
        return text_option(state, "tree", arg, "a folder with a Makefile", &o->work.build.tree);
    case KEY_TARGET:
        note(&o->only_real, "target");
        return text_option(state, "target", arg, "a target of make", &o->work.build.target);
    case KEY_CONFIG:
        note(&o->only_real, "config");
        return text_option(state, "config", arg, "a .config file or a target such as defconfig",
                           &o->work.build.config);
    case KEY_TREE_SCALE:
        note(&o->only_real, "tree-scale");
        return parse_tree_scale(state, arg, &o->work.build.tree_scale_ppm);
    case KEY_WARMUP: note(&o->only_real, "warmup"); return parse_warmup(state, arg, &o->warmup);
    case KEY_WORK_DIR:
        note(&o->only_real, "work-dir");
        return text_option(state, "work-dir", arg, "a folder", &o->work.work_dir);
    case KEY_WHY:
        o->why = true;
        note(&o->only_simulated, "why");
        note(&o->not_scenario, "why");
        return 0;
    case KEY_FORMAT: return cli_format_option(state, arg, true, &o->format);
    case KEY_NAME: o->name = arg; return 0;
    case KEY_DB: o->db = arg; return 0;
    case KEY_TIMELINE:
        o->timeline = true;
        note(&o->only_scenario, "timeline");
        return 0;
    case KEY_EVERY:
        note(&o->only_scenario, "every");
        if (!hl_parse_duration_ns(arg, &o->every_ns) || o->every_ns < 1)
            return cli_refuse(state, "--every is '%s'; expected a duration such as 1s or 100ms",
                              arg);
        return 0;
    case ARGP_KEY_ARG:
        if (o->workload != NULL)
            return cli_refuse(state, "a second workload '%s'; expected one", arg);
        o->workload = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        return cli_refuse(state,
                          "no workload; expected a name of `halfload list workloads` or scn:FILE");
    default: return cli_other_key(key, state);
    }
}

static const struct argp run_argp = {
    .options = option_table,
    .parser = parse_option,
    .args_doc = "WORKLOAD[:OPTION=VALUE...]",
    .doc =
        "Plays WORKLOAD (see `halfload list workloads`) or a scenario file, scn:FILE.\v"
        "Examples:\n"
        "  halfload run kernbench --runs 3\n"
        "  halfload run kernbench --machine xeon-2phys-ht --sched o1,w26 --load 1-4,8\n"
        "  halfload run matinv:orders=1000 --machine smp:2 --sched 4bsd,ule\n"
        "  halfload run scn:tests/scenario/FILE.scn\n",
};

/* Everything a study points to. */
struct study_parts {
    struct workload_options options;
    struct machine machine;
    struct profile profile;
    struct policy_spec *policies;
    int policy_count;
    struct workload_load loads[WORKLOAD_LOADS_MAX];
    int load_count;
    struct report_off_load off[WORKLOAD_LOADS_MAX];
    int off_count;
};

static void parts_close(struct study_parts *parts)
{
    machine_close(&parts->machine);
    profile_close(&parts->profile);
    hl_free(parts->policies);
}

/* "o1,w26:active_delay=0" into specs. A backslash takes the next character literally. */
static enum hl_status parse_policies(struct study_parts *parts, const char *text,
                                     struct hl_error *err)
{
    char *copy = hl_strdup(text), *pieces[STUDY_POLICIES_MAX];
    int count;
    enum hl_status status = HL_OK;

    parts->policies = hl_alloc(STUDY_POLICIES_MAX, sizeof(*parts->policies));
    if (copy == NULL || parts->policies == NULL) {
        hl_free(copy);
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the policies");
    }
    count = hl_split(copy, ',', pieces, STUDY_POLICIES_MAX);
    if (count > STUDY_POLICIES_MAX)
        status = hl_fail(err, HL_USAGE, "more than %d policies in --sched", STUDY_POLICIES_MAX);
    for (int i = 0; status == HL_OK && i < count; i++) {
        status = policy_spec_parse(&parts->policies[i], pieces[i], err);
        for (int k = 0; status == HL_OK && k < i; k++)
            if (strcmp(parts->policies[k].text, parts->policies[i].text) == 0)
                status = hl_fail(err, HL_USAGE, "policy %s is listed twice in --sched", pieces[i]);
    }
    parts->policy_count = count;
    hl_free(copy);
    return status;
}

static enum hl_status no_policy(const char *machine, struct hl_error *err)
{
    char list[300] = "";

    for (int i = 0; policy_registry[i] != NULL; i++) {
        size_t used = strlen(list);

        (void)snprintf(list + used, sizeof(list) - used, "%s%s", i > 0 ? ", " : "",
                       policy_registry[i]->name);
    }
    return hl_fail(err, HL_USAGE, "machine %s is simulated: expected --sched with some of %s",
                   machine, list);
}

static void collect_off_loads(struct study_parts *parts, int cpus)
{
    for (int i = 0; i < parts->load_count; i++) {
        struct report_off_load *off = &parts->off[parts->off_count];

        if (!study_load_is_off(&parts->loads[i], cpus))
            continue;
        (void)snprintf(off->label, sizeof(off->label), "%s", parts->loads[i].label);
        (void)snprintf(off->text, sizeof(off->text), "off (1 job = single)");
        parts->off_count++;
    }
}

static const char *machine_word(const struct run_options *o)
{
    return o->machine == NULL ? "host" : o->machine;
}

/* A machine with another constant is another machine: its name in the runs says so. */
static enum hl_status set_param(struct machine *m, const char *assignment, struct hl_error *err)
{
    size_t used = strlen(m->name);

    HL_TRY(machine_set(m, assignment, err));
    (void)snprintf(m->name + used, sizeof(m->name) - used, " %s", assignment);
    return HL_OK;
}

/* A profile may be sound constant by constant and still describe no build: told before any output. */
static enum hl_status try_build(const struct study_request *request, struct hl_error *err)
{
    struct workload workload = {0};
    struct workload_request first = {.machine = request->machine,
                                     .profile = request->profile,
                                     .options = request->options,
                                     .level = 1,
                                     .seed = request->seed};
    enum hl_status status = request->workload->build(&workload, &first, err);

    workload_close(&workload);
    return status;
}

static enum hl_status check_loads(const struct study_parts *parts,
                                  const struct workload_info *workload, struct hl_error *err)
{
    for (int i = 0; i < parts->load_count; i++)
        if (parts->loads[i].kind == LOAD_MAX && !workload->is_make)
            return hl_fail(err, HL_USAGE,
                           "load max is all jobs of a build at once; expected a number of %s, or "
                           "such as 2x, for workload %s",
                           workload->level_means, workload->name);
    return HL_OK;
}

/* Opens what the options name; `request` then points into `parts`. */
static enum hl_status prepare(const struct run_options *o, struct study_parts *parts,
                              struct study_request *request, struct hl_error *err)
{
    const char *machine = machine_word(o);
    bool is_real = o->sched == NULL;

    if (is_real && o->only_simulated != NULL)
        return hl_fail(err, HL_USAGE, "--%s is for simulated runs: expected --sched too",
                       o->only_simulated);
    if (o->why && o->format == FORMAT_CSV)
        return hl_fail(err, HL_USAGE, "--why has no CSV: expected --format text or json");
    if (!is_real && o->only_real != NULL)
        return hl_fail(err, HL_USAGE, "--%s is for real builds: expected no --sched", o->only_real);
    if (is_real && !request->workload->real)
        return hl_fail(err, HL_UNSUPPORTED, "workload %s is only simulated: expected --sched",
                       o->workload);
    if (!is_real && !request->workload->simulated)
        return hl_fail(err, HL_UNSUPPORTED, "workload %s is not simulated: expected no --sched",
                       o->workload);

    HL_TRY(machine_open(&parts->machine, machine, err));
    if (is_real && strcmp(machine, "host") != 0)
        return no_policy(machine, err);
    HL_TRY(workload_loads_parse(parts->loads, &parts->load_count,
                                o->load == NULL ? request->workload->default_loads : o->load, err));
    HL_TRY(check_loads(parts, request->workload, err));
    for (int i = 0; i < o->param_count; i++)
        HL_TRY(set_param(&parts->machine, o->params[i], err));
    request->cpus = parts->machine.cpu_count;
    if (is_real) {
        HL_TRY(machine_host_usable_cpus(&request->cpus, err));
        for (int i = 0; i < parts->load_count; i++)
            if (parts->loads[i].kind == LOAD_MAX && o->warmup == STUDY_WARMUP_NONE)
                return hl_fail(err, HL_USAGE,
                               "load max needs a warm-up to learn how many compilers memory holds; "
                               "expected --warmup session or other loads");
    } else {
        HL_TRY(parse_policies(parts, o->sched, err));
        HL_TRY(profile_open_for(&parts->profile, request->workload->name, o->profile, err));
    }
    collect_off_loads(parts, request->cpus);
    if (parts->off_count == parts->load_count)
        return hl_fail(
            err, HL_USAGE,
            "--load %s is off on %d cpu%s: by kernbench's rule half load is half as many jobs "
            "as cpus, and one job is single; expected another load",
            o->load, request->cpus, request->cpus == 1 ? "" : "s");

    request->machine = &parts->machine;
    request->profile = is_real ? NULL : &parts->profile;
    request->policies = parts->policies;
    request->policy_count = parts->policy_count;
    request->loads = parts->loads;
    request->load_count = parts->load_count;
    request->runs = o->runs > 0 ? o->runs : 5;
    request->seed = (uint64_t)o->seed;
    request->work = &o->work;
    request->warmup = o->warmup;
    request->threads = cli_threads();
    return is_real ? HL_OK : try_build(request, err);
}

/* What is about to be played, told once nothing is in its way. */
struct announcement {
    const struct run_options *options;
    const struct study_request *request;
    const struct keeper *keeper;
};

/* The name of a new study is told to whoever sits there: in a pipe equal commands print equal bytes. */
static void announce_study(const struct announcement *a)
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
        int64_t level = workload_load_level(&request->loads[i], request->cpus, 0);

        if (level > 0)
            printf("%s%" PRId64 " at -j%" PRId64, printed++ > 0 ? ", " : " ",
                   level > less ? level - less : 1, level);
    }
    putchar('\n');
}

static void announce(void *context)
{
    const struct announcement *a = context;
    const struct study_request *request = a->request;
    bool is_real = request->policy_count == 0;
    int64_t cells = study_planned_runs(request) / request->runs;

    if (a->options->format != FORMAT_TEXT)
        return;
    printf("%s %s %s (%d cpu%s), seed %" PRIu64 ": %" PRId64 " cell%s x %" PRId64 " run%s\n",
           request->options->text, is_real ? "measured on" : "simulated on", request->machine->name,
           request->cpus, request->cpus == 1 ? "" : "s", request->seed, cells,
           cells == 1 ? "" : "s", request->runs, request->runs == 1 ? "" : "s");
    announce_study(a);
    if (!is_real)
        announce_profile(request);
    if (!is_real && strcmp(machine_word(a->options), "host") == 0)
        puts("The topology is this machine's; its performance constants are assumed defaults.");
    if (is_real && a->options->work.build.tree != NULL)
        printf("tree: %s\n", a->options->work.build.tree);
    else if (is_real)
        printf("tree: generated C tree, scale %.4g\n",
               (double)a->options->work.build.tree_scale_ppm / (double)HL_PPM);
    putchar('\n');
    (void)fflush(stdout); /* before hours of work, not after */
}

static enum hl_status print_runs(const struct run_options *o, const struct study_request *request,
                                 const struct study_parts *parts, const struct run_list *runs,
                                 struct hl_error *err)
{
    switch (o->format) {
    case FORMAT_JSON:
        return o->why ? report_runs_json_why(stdout, runs, err)
                      : report_runs_json(stdout, runs, err);
    case FORMAT_CSV: return report_runs_csv(stdout, runs, err);
    case FORMAT_TEXT: break;
    }
    /* kernbench prints one kernel's loads; of several policies the grid has its figures as tables. */
    if (request->policy_count > 1 || !request->workload->is_make) {
        HL_TRY(report_grid(stdout, runs, parts->off, parts->off_count, err));
    } else {
        HL_TRY(report_kernbench(stdout, runs, parts->off, parts->off_count, err));
        HL_TRY(report_grid(stdout, runs, NULL, 0, err));
    }
    return o->why ? report_why(stdout, runs, err) : HL_OK;
}

/* Prints what there is, also of a study that ended early, and marks that. */
static enum hl_status finish(const struct run_options *o, const struct study_request *request,
                             const struct study_parts *parts, const struct run_list *runs,
                             const struct keeper *keeper, enum hl_status status,
                             struct hl_error *err)
{
    int64_t failed = 0;
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
        printed = print_runs(o, request, parts, o->format == FORMAT_TEXT ? &made : runs,
                             status == HL_OK ? err : NULL);
    if (status == HL_OK)
        status = printed;
    if (status == HL_INTERRUPTED)
        return hl_fail(err, HL_INTERRUPTED, "interrupted: %zu of %" PRId64 " runs were made%s%s%s",
                       runs->count, keeper->planned,
                       keeper->store != NULL ? "; `halfload resume " : "", keeper->name,
                       keeper->store != NULL ? "` goes on" : "");
    for (size_t i = 0; i < runs->count; i++)
        failed += runs->runs[i].status != RUN_OK;
    if (status == HL_OK && failed > 0)
        return hl_fail(err, HL_RUN_FAILED, "%" PRId64 " of %zu runs failed", failed, runs->count);
    return status;
}

/* Begins to keep a new study, or finds that a stored one can be gone on with. */
static enum hl_status open_keeper(const struct run_options *o, const struct study_request *request,
                                  struct keeper *keeper, struct hl_error *err)
{
    struct store_new_study study = {.name = o->name,
                                    .stem = request->workload->name,
                                    .program = CLI_PROGRAM,
                                    .fingerprint = "",
                                    .seed = request->seed,
                                    .planned = study_planned_runs(request)};
    char *command = NULL, *plan = NULL;
    enum hl_status status;

    if (o->plan != NULL)
        return run_plan_check(o->plan, keeper->name, request, err);
    status = cli_command_text(o->word_count, o->words, &command, err);
    if (status == HL_OK)
        status = run_plan_write(request, o->word_count, o->words, &plan, err);
    study.command = command;
    study.plan = plan;
    if (status == HL_OK)
        status = keeper_begin(keeper, o->db, &study, request->policy_count > 0, err);
    hl_free(command);
    hl_free(plan);
    return status;
}

/* Plays what the keeper has not, and prints all there is then. */
static enum hl_status play_and_print(const struct run_options *o, struct study_request *request,
                                     const struct study_parts *parts, struct keeper *keeper,
                                     struct hl_error *err)
{
    struct announcement announcement = {.options = o, .request = request, .keeper = keeper};
    struct run_list runs = {0}, all = {0};
    struct progress_bar bar;
    struct study_progress progress = progress_bar_open(&bar, announce, &announcement);
    enum hl_status status;

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
    struct study_parts parts = {0};
    enum hl_status status;

    HL_TRY(workload_parse(o->workload, &request.workload, &parts.options, err));
    if (request.workload == NULL)
        return unknown_workload(o->workload, err);
    request.options = &parts.options;
    status = prepare(o, &parts, &request, err);
    if (status == HL_OK)
        status = open_keeper(o, &request, keeper, err);
    if (status == HL_OK)
        status = play_and_print(o, &request, &parts, keeper, err);
    parts_close(&parts);
    return status;
}

static enum hl_status parse_words(struct run_options *o, int argc, char **argv,
                                  struct hl_error *err)
{
    *o = (struct run_options){.seed = 1};
    HL_TRY(cli_parse(&run_argp, argc, argv, &o->input, err));
    if (o->work.build.tree != NULL && o->work.build.tree_scale_ppm != 0)
        return hl_fail(err, HL_USAGE,
                       "--tree-scale is for the generated tree: expected no --tree beside it");
    if (o->work.build.tree_scale_ppm == 0)
        o->work.build.tree_scale_ppm = HL_PPM;
    o->work.build.seed = (uint64_t)o->seed;
    o->work.workload = o->workload;
    return HL_OK;
}

enum hl_status cli_run_again(const struct run_plan *plan, struct keeper *keeper,
                             enum cli_format format, struct hl_error *err)
{
    static char program[] = "halfload run";
    struct run_options o;

    plan->words[0] = program;
    HL_TRY(parse_words(&o, plan->word_count, plan->words, err));
    o.plan = plan;
    o.format = format;
    return play_study(&o, keeper, err);
}

static enum hl_status run_words(int argc, char **argv, char *const *words, struct hl_error *err)
{
    struct run_options o;
    struct keeper keeper = {0};
    enum hl_status status;

    HL_TRY(parse_words(&o, argc, argv, err));
    o.word_count = argc;
    o.words = words;
    if (strncmp(o.workload, "scn:", 4) == 0) {
        const char *wrong = o.only_real != NULL ? o.only_real : o.not_scenario;

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
