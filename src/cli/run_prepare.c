/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_prepare.c - opens machines, policies, variants and loads, and makes the arms of a study.
 *
 * Arms are policies x variants, the first of each is the baseline. A/A: one variant, twice.
 */
#include "cli/run_prepare.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "cli/run_work.h"
#include "compare/compare.h"
#include "sim/sim.h"

void run_parts_close(struct run_parts *parts)
{
    for (int i = 0; i < parts->machine_count; i++)
        machine_close(&parts->machines[i]);
    for (int i = 0; i < parts->setting_count; i++)
        host_setting_close(&parts->settings[i]);
    hl_free(parts->machines);
    hl_free(parts->settings);
    hl_free(parts->policies);
    hl_free(parts->arms);
    hl_free(parts->variant_texts);
    profile_close(&parts->profile);
    study_variants_close(&parts->variants);
    *parts = (struct run_parts){0};
}

/* ---- policies ---- */

/* "o1,w26:active_delay=0" into specs. A backslash takes the next character literally. */
static enum hl_status parse_policies(struct run_parts *parts, const char *text,
                                     struct hl_error *err)
{
    char *copy = hl_strdup(text), *pieces[STUDY_ARMS_MAX];
    int count;
    enum hl_status status = HL_OK;

    parts->policies = hl_alloc(STUDY_ARMS_MAX, sizeof(*parts->policies));
    if (copy == NULL || parts->policies == NULL) {
        hl_free(copy);
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the policies");
    }
    count = hl_split(copy, ',', pieces, STUDY_ARMS_MAX);
    if (count > STUDY_ARMS_MAX)
        status = hl_fail(err, HL_USAGE, "more than %d policies in --sched", STUDY_ARMS_MAX);
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

/* ---- variants ---- */

static bool is_simulated_key(const char *key)
{
    for (int i = 0; i < MACHINE_CONSTANT_COUNT; i++)
        if (strcmp(machine_constant_table[i].name, key) == 0)
            return true;
    return strcmp(key, "topology") == 0;
}

/* A key of simulated machines. */
static enum hl_status check_simulated_key(const char *key, struct hl_error *err)
{
    const char *known[MACHINE_CONSTANT_COUNT + 1];

    if (is_simulated_key(key))
        return HL_OK;
    for (int i = 0; i < MACHINE_CONSTANT_COUNT; i++)
        known[i] = machine_constant_table[i].name;
    known[MACHINE_CONSTANT_COUNT] = "topology";
    return hl_fail_unknown(err, HL_USAGE, NULL, "variant of a simulated machine", key, known,
                           HL_COUNT_OF(known));
}

static enum hl_status check_real_key(const char *key, struct hl_error *err)
{
    const char *known[64];
    int count = 0;

    if (is_simulated_key(key))
        return hl_fail(err, HL_USAGE, "--variant %s is for simulated runs: expected --sched too",
                       key);
    for (const struct host_setting_key *k = host_setting_table; k->name != NULL; k++) {
        if (strcmp(k->name, key) == 0)
            return HL_OK;
        known[count++] = k->name;
    }
    return hl_fail_unknown(err, HL_USAGE, NULL, "variant of this machine", key, known, count);
}

static enum hl_status parse_variants(const struct run_options *o, struct run_parts *parts,
                                     struct hl_error *err)
{
    struct study_variants *variants = &parts->variants;

    for (int i = 0; i < o->variant_count; i++) {
        HL_TRY(study_variants_add(variants, o->variants[i], err));
        HL_TRY(o->sched != NULL ? check_simulated_key(variants->axes[i].key, err)
                                : check_real_key(variants->axes[i].key, err));
    }
    if (o->is_aa && study_variant_count(variants) > 1)
        return hl_fail(err, HL_USAGE,
                       "--aa plays one variant as two arms; found %d variants, expected one value "
                       "for each --variant",
                       study_variant_count(variants));
    return HL_OK;
}

/* What each variant changes on this machine, tried before anything is played. */
static enum hl_status parse_settings(struct run_parts *parts, struct hl_error *err)
{
    const struct study_variants *variants = &parts->variants;
    int count = study_variant_count(variants);

    parts->settings = hl_alloc((size_t)count, sizeof(*parts->settings));
    if (parts->settings == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the variants");
    parts->setting_count = count;
    for (int i = 0; i < count; i++) {
        for (int axis = 0; axis < variants->axis_count; axis++)
            HL_TRY(host_setting_parse(&parts->settings[i], variants->axes[axis].key,
                                      study_variant_value(variants, i, axis), err));
        HL_TRY(host_setting_check(&parts->settings[i], err));
    }
    return HL_OK;
}

/* ---- machines ---- */

/* A machine with another constant is another machine: its name in the runs says so. */
static enum hl_status set_param(struct machine *m, const char *assignment, struct hl_error *err)
{
    size_t used = strlen(m->name);

    HL_TRY(machine_set(m, assignment, err));
    (void)snprintf(m->name + used, sizeof(m->name) - used, " %s", assignment);
    return HL_OK;
}

/* What a variant sets is not in the machine's name: the variant says it. */
static enum hl_status set_variant(struct machine *m, const struct study_variants *variants,
                                  int variant, struct hl_error *err)
{
    for (int i = 0; i < variants->axis_count; i++) {
        const char *key = variants->axes[i].key;
        const char *value = study_variant_value(variants, variant, i);

        HL_TRY(strcmp(key, "topology") == 0 ? machine_set_topology(m, value, err)
                                            : machine_set_constant(m, key, value, "given", err));
    }
    return HL_OK;
}

static enum hl_status open_machines(const struct run_options *o, struct run_parts *parts,
                                    struct hl_error *err)
{
    const char *word = o->machine == NULL ? "host" : o->machine;
    bool is_real = o->sched == NULL;
    int count = is_real ? 1 : study_variant_count(&parts->variants);

    parts->machines = hl_alloc((size_t)count, sizeof(*parts->machines));
    if (parts->machines == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the machines");
    for (int i = 0; i < count; i++) {
        struct machine *m = &parts->machines[i];

        HL_TRY(machine_open(m, word, err));
        parts->machine_count++;
        if (is_real && strcmp(word, "host") != 0)
            return no_policy(word, err);
        for (int k = 0; k < o->param_count; k++)
            HL_TRY(set_param(m, o->params[k], err));
        if (!is_real)
            HL_TRY(set_variant(m, &parts->variants, i, err));
    }
    return HL_OK;
}

/* ---- arms ---- */

static enum hl_status make_texts(const struct run_options *o, struct run_parts *parts,
                                 struct hl_error *err)
{
    int count = o->is_aa ? 2 : study_variant_count(&parts->variants);

    parts->variant_texts = hl_alloc((size_t)count, sizeof(*parts->variant_texts));
    if (parts->variant_texts == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the variants");
    for (int i = 0; i < count; i++) {
        HL_TRY(
            study_variant_text(&parts->variants, o->is_aa ? 0 : i, parts->variant_texts[i], err));
        if (o->is_aa)
            HL_TRY(run_variant_add(parts->variant_texts[i], "aa", i == 0 ? "A" : "B", err));
    }
    return HL_OK;
}

static enum hl_status make_arms(const struct run_options *o, struct run_parts *parts,
                                struct study_request *request, struct hl_error *err)
{
    bool is_real = o->sched == NULL;
    int policies = is_real ? 1 : parts->policy_count;
    int variants = o->is_aa ? 2 : study_variant_count(&parts->variants);

    if (o->is_aa && policies > 1)
        return hl_fail(err, HL_USAGE,
                       "--aa plays one policy as two arms; found %d in --sched, expected one",
                       policies);
    if (policies * variants > STUDY_ARMS_MAX)
        return hl_fail(err, HL_USAGE, "%d policies x %d variants are %d arms; expected at most %d",
                       policies, variants, policies * variants, STUDY_ARMS_MAX);
    HL_TRY(make_texts(o, parts, err));
    parts->arms = hl_alloc((size_t)(policies * variants), sizeof(*parts->arms));
    if (parts->arms == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the arms");
    for (int i = 0; i < policies * variants; i++) {
        struct study_arm *arm = &parts->arms[i];
        int set_up = o->is_aa ? 0 : i % variants;

        *arm = (struct study_arm){
            .variant = parts->variant_texts[i % variants],
            .policy = is_real ? NULL : &parts->policies[i / variants],
            .machine = &parts->machines[is_real ? 0 : set_up],
            .setting = is_real ? &parts->settings[set_up] : NULL,
        };
        arm->cpus = arm->machine->cpu_count;
        if (is_real)
            HL_TRY(host_setting_cpus(arm->setting, &arm->cpus, err));
    }
    request->arms = parts->arms;
    request->arm_count = policies * variants;
    parts->is_compared = variants > 1;
    return HL_OK;
}

/* ---- loads and runs ---- */

static enum hl_status check_cells(const struct study_request *request, struct hl_error *err)
{
    int cells = study_cell_count(request);

    if (cells > STUDY_CELLS_MAX)
        return hl_fail(err, HL_USAGE, "%d arms x %d loads are %d cells; expected at most %d",
                       request->arm_count, request->load_count, cells, STUDY_CELLS_MAX);
    return HL_OK;
}

/* Told before anything is played; what a machine bears is told by the workload itself. */
static enum hl_status check_levels(const struct study_request *request, struct hl_error *err)
{
    const struct workload_info *workload = request->workload;

    for (int a = 0; workload->level_max > 0 && a < request->arm_count; a++)
        for (int l = 0; l < request->load_count; l++) {
            int64_t level = workload_load_level(&request->loads[l], study_load_cpus(request, a), 0);

            if (level > workload->level_max)
                return hl_fail(err, HL_USAGE,
                               "%s: load %s is %" PRId64 " %s; expected at most %" PRId64,
                               workload->name, request->loads[l].label, level,
                               workload->level_means, workload->level_max);
        }
    return HL_OK;
}

static bool is_off_everywhere(const struct study_request *request, int load)
{
    for (int a = 0; a < request->arm_count; a++)
        if (!study_load_is_off(&request->loads[load], study_load_cpus(request, a)))
            return false;
    return true;
}

static enum hl_status take_loads(const struct run_options *o, struct run_parts *parts,
                                 struct study_request *request, struct hl_error *err)
{
    int cpus = request->arms[0].cpus;

    if (o->load != NULL || request->workload->default_loads != NULL)
        HL_TRY(workload_loads_parse(parts->loads, &parts->load_count,
                                    o->load == NULL ? request->workload->default_loads : o->load,
                                    err));
    else
        parts->loads[parts->load_count++] = workload_no_load();
    request->loads = parts->loads;
    request->load_count = parts->load_count;
    request->load_per_arm = o->load_per_variant;
    for (int i = 0; i < parts->load_count; i++) {
        struct report_off_load *off = &parts->off[parts->off_count];

        if (parts->loads[i].kind == LOAD_MAX && !request->workload->is_make)
            return hl_fail(err, HL_USAGE,
                           "load max is all jobs of a build at once; for workload %s expected a "
                           "number (%s), or such as 2x",
                           request->workload->name, request->workload->level_means);
        if (study_is_real(request) && parts->loads[i].kind == LOAD_MAX &&
            o->warmup == STUDY_WARMUP_NONE)
            return hl_fail(err, HL_USAGE,
                           "load max needs a warm-up to learn how many compilers memory holds; "
                           "expected --warmup session or other loads");
        if (!is_off_everywhere(request, i))
            continue;
        (void)snprintf(off->label, sizeof(off->label), "%s", parts->loads[i].label);
        (void)snprintf(off->text, sizeof(off->text), "off (1 job = single)");
        parts->off_count++;
    }
    if (parts->off_count == parts->load_count)
        return hl_fail(
            err, HL_USAGE,
            "--load %s is off on %d cpu%s: by kernbench's rule half load is half as many jobs "
            "as cpus, and one job is single; expected another load",
            o->load, cpus, cpus == 1 ? "" : "s");
    HL_TRY(check_levels(request, err));
    return check_cells(request, err);
}

/* Runs of a block are pairs; simulated ones only if they have the same jobs. */
static bool is_paired(const struct study_request *request, const struct study_arm *arm,
                      const struct workload_load *load)
{
    const struct study_arm *base = &request->arms[0];

    return study_is_real(request) ||
           (arm->first_run == base->first_run &&
            (!request->load_per_arm ||
             workload_load_level(load, arm->cpus, 0) == workload_load_level(load, base->cpus, 0)));
}

/* Counts loads x new arms; the level that each is to reach follows, and the runs it takes. */
static void plan_comparisons(struct run_parts *parts, const struct study_request *request)
{
    bool has_pairs = false;

    for (int a = 1; parts->is_compared && a < request->arm_count; a++)
        for (int l = 0; l < request->load_count; l++) {
            if (study_load_is_off(&request->loads[l], study_load_cpus(request, 0)) ||
                study_load_is_off(&request->loads[l], study_load_cpus(request, a)))
                continue;
            parts->comparisons++;
            has_pairs |= is_paired(request, &request->arms[a], &request->loads[l]);
        }
    /* Pairs need more of them than independent runs. */
    if (parts->comparisons > 0)
        parts->least_runs = (int64_t)stats_least_n(has_pairs, (1 - COMPARE_DEFAULT_LEVEL) /
                                                                  (double)parts->comparisons);
}

/*
 * One variant: five, enough for a spread. Several: the fewest that can decide. The same simulated
 * run twice would be the same to the last bit, so the second arm of a simulated A/A study has the
 * seeds of the repetitions after the first arm's.
 */
static void choose_runs(const struct run_options *o, struct run_parts *parts,
                        struct study_request *request)
{
    bool has_own_seeds = o->is_aa && !study_is_real(request);

    if (has_own_seeds)
        parts->arms[1].first_run = STUDY_RUNS_MAX;
    plan_comparisons(parts, request);
    parts->chose_runs = o->runs == 0 && parts->comparisons > 0;
    request->runs = o->runs > 0 ? o->runs : parts->chose_runs ? parts->least_runs : 5;
    if (has_own_seeds)
        parts->arms[1].first_run = request->runs;
}

/* ---- all of it ---- */

/* A profile may be sound constant by constant and describe no build, a parameter may be one that this
 * version of a policy lacks: told before any output. */
static enum hl_status try_arms(const struct study_request *request, struct hl_error *err)
{
    enum hl_status status = HL_OK;

    for (int a = 0; status == HL_OK && a < request->arm_count; a++) {
        const struct study_arm *arm = &request->arms[a];
        struct workload workload = {0};
        struct workload_request first = {.machine = arm->machine,
                                         .profile = request->profile,
                                         .options = request->options,
                                         .level = 1,
                                         .seed = request->seed};
        struct sim_options options = {.machine = arm->machine,
                                      .policy = arm->policy,
                                      .workload = &workload,
                                      .seed = request->seed};

        status = request->workload->build(&workload, &first, err);
        if (status == HL_OK)
            status = sim_try(&options, err);
        workload_close(&workload);
    }
    return status;
}

static enum hl_status check_kind(const struct run_options *o, const struct workload_info *workload,
                                 struct hl_error *err)
{
    bool is_real = o->sched == NULL;

    if (is_real && o->only_simulated != NULL)
        return hl_fail(err, HL_USAGE, "--%s is for simulated runs: expected --sched too",
                       o->only_simulated);
    if (o->why && o->format == FORMAT_CSV)
        return hl_fail(err, HL_USAGE, "--why has no CSV: expected --format text or json");
    if (!is_real && o->real_count > 0)
        return hl_fail(err, HL_USAGE, "--%s is for real runs: expected no --sched", o->real[0]);
    if (is_real && !workload->real)
        return hl_fail(err, HL_UNSUPPORTED, "workload %s is only simulated: expected --sched",
                       o->workload);
    if (!is_real && !workload->simulated)
        return hl_fail(err, HL_UNSUPPORTED, "workload %s is not simulated: expected no --sched",
                       o->workload);
    return HL_OK;
}

enum hl_status run_prepare(const struct run_options *o, struct run_parts *parts,
                           struct study_request *request, struct hl_error *err)
{
    HL_TRY(check_kind(o, request->workload, err));
    HL_TRY(parse_variants(o, parts, err));
    HL_TRY(open_machines(o, parts, err));
    HL_TRY(o->sched != NULL ? parse_policies(parts, o->sched, err) : parse_settings(parts, err));
    HL_TRY(make_arms(o, parts, request, err));
    HL_TRY(take_loads(o, parts, request, err));
    if (o->sched != NULL)
        HL_TRY(profile_open_for(&parts->profile, request->workload->name, o->profile, err));
    choose_runs(o, parts, request);
    request->profile = o->sched == NULL ? NULL : &parts->profile;
    request->seed = (uint64_t)o->seed;
    request->warmup = o->warmup;
    request->threads = cli_threads();
    return o->sched == NULL ? run_work_prepare(o, request, &parts->work, err)
                            : try_arms(request, err);
}
