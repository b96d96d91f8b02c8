/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_plan.c - what a study was asked for, written and compared.
 */
#include "cli/run_plan.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/sysroot.h"
#include "cli/run_work.h"

/* Constants are many and mostly alike: their hash says whether all are. */
static uint64_t hash_values(uint64_t hash, const int64_t *values, int count)
{
    for (int i = 0; i < count; i++)
        hash = hl_mix64(hash ^ (uint64_t)values[i]);
    return hash;
}

static json_t *hash_text(uint64_t hash)
{
    char text[24];

    (void)snprintf(text, sizeof(text), "%016" PRIx64, hash);
    return json_string(text);
}

static uint64_t hash_quantiles(uint64_t hash, const struct process_quantiles *table)
{
    for (int32_t k = 0; k < table->count; k++)
        hash = hl_mix64(hash ^ (uint64_t)table->place_ppm[k]);
    return hash_values(hash, table->value, table->count);
}

static uint64_t hash_processes(uint64_t hash, const struct processes *processes)
{
    for (int32_t i = 0; i < processes->count; i++) {
        const struct process_kind *kind = &processes->kinds[i];

        hash = hl_mix64(hash ^ hl_hash_text(kind->name));
        hash = hl_mix64(hash ^ (uint64_t)(2 * kind->count + kind->is_of_make));
        hash = hash_quantiles(hash, &kind->cpu_ns);
    }
    return hash_quantiles(hash, &processes->directory_units);
}

uint64_t run_plan_profile_hash(const struct profile *profile)
{
    return hash_processes(hash_values(0, profile->constant, profile->kind->count),
                          &profile->processes);
}

/* Arms are policies x variants. */
static bool is_first_policy(const struct study_request *request, int arm)
{
    return request->arms[arm].policy == request->arms[0].policy;
}

static void describe_variants(const struct study_request *request, json_t *asked)
{
    json_t *variants = json_array(), *cpus = json_array();

    for (int i = 0; i < request->arm_count && is_first_policy(request, i); i++) {
        (void)json_array_append_new(variants, hl_json_text(request->arms[i].variant));
        (void)json_array_append_new(cpus, json_integer(request->arms[i].cpus));
    }
    (void)json_object_set_new(asked, "variants", variants);
    if (request->load_per_arm)
        (void)json_object_set_new(asked, "variant_cpus", cpus);
    else
        json_decref(cpus);
}

static void describe_simulated(const struct study_request *request, json_t *asked)
{
    json_t *policies = json_array();
    uint64_t hash = 0;

    for (int i = 0; i < request->arm_count && is_first_policy(request, i); i++) {
        const struct machine *m = request->arms[i].machine;
        uint64_t topology = hl_hash_text(m->topology);

        hash = hash_values(i == 0 ? topology : hl_mix64(hash ^ topology), m->constant,
                           MACHINE_CONSTANT_COUNT);
    }
    if (request->profile != NULL)
        hash = hash_processes(
            hash_values(hash, request->profile->constant, request->profile->kind->count),
            &request->profile->processes);
    (void)json_object_set_new(asked, "constants", hash_text(hash));
    for (int i = 0; i < request->arm_count; i++)
        if (i == 0 || request->arms[i].policy != request->arms[i - 1].policy)
            (void)json_array_append_new(policies, hl_json_text(request->arms[i].policy->text));
    (void)json_object_set_new(asked, "policies", policies);
}

static void describe_measured(const struct study_request *request, json_t *asked)
{
    struct utsname kernel;

    (void)json_object_set_new(asked, "warmup", json_integer(request->warmup));
    run_work_describe(request->work, asked);
    /* Another kernel is another thing to measure; another boot of the same one is not. */
    (void)json_object_set_new(asked, "kernel",
                              uname(&kernel) == 0 ? json_string(kernel.release) : json_null());
}

/* NULL when memory is exhausted; a member that is missing for that reason is found by the caller,
 * since jansson cannot print a NULL either. */
static json_t *describe(const struct study_request *request)
{
    json_t *asked = json_object(), *loads = json_array();

    (void)json_object_set_new(asked, "workload", hl_json_text(request->options->text));
    (void)json_object_set_new(asked, "machine", hl_json_text(request->arms[0].machine->name));
    (void)json_object_set_new(asked, "cpus", json_integer(request->arms[0].cpus));
    for (int i = 0; i < request->load_count; i++)
        (void)json_array_append_new(loads, json_string(request->loads[i].label));
    (void)json_object_set_new(asked, "loads", loads);
    (void)json_object_set_new(asked, "runs", json_integer(request->runs));
    (void)json_object_set_new(asked, "seed", json_integer((json_int_t)request->seed));
    if (request->arms[0].variant[0] != '\0')
        describe_variants(request, asked);
    if (study_is_real(request))
        describe_measured(request, asked);
    else
        describe_simulated(request, asked);
    return asked;
}

enum hl_status run_plan_write(const struct study_request *request, int word_count,
                              char *const *words, char **plan, struct hl_error *err)
{
    json_t *root = json_object(), *list = json_array();
    char folder[PATH_MAX] = "";

    if (getcwd(folder, sizeof(folder)) == NULL)
        folder[0] = '\0';
    for (int i = 1; i < word_count; i++)
        (void)json_array_append_new(list, hl_json_from_bytes(words[i]));
    *plan = NULL;
    if ((int)json_array_size(list) == word_count - 1 &&
        json_object_set_new(root, "words", list) == 0 &&
        json_object_set_new(root, "folder", hl_json_from_bytes(folder)) == 0 &&
        (hl_sysroot_is_real() ||
         json_object_set_new(root, "sysroot", hl_json_text(hl_sysroot())) == 0) &&
        json_object_set_new(root, "asked", describe(request)) == 0)
        *plan = json_dumps(root, JSON_COMPACT);
    json_decref(root);
    if (*plan == NULL)
        *plan = hl_strdup("");
    return *plan != NULL ? HL_OK : hl_fail(err, HL_NO_MEMORY, "out of memory for the plan");
}

static enum hl_status read_words(struct run_plan *plan, const struct hl_json_node *root,
                                 struct hl_error *err)
{
    struct hl_json_node list;
    size_t count;

    HL_TRY(hl_json_member(root, "words", &list, err));
    HL_TRY(hl_json_array(&list, &count, err));
    if (count > INT_MAX / 2)
        return hl_json_fail(&list, err, "found %zu words", count);
    plan->words = hl_alloc(count + 2, sizeof(*plan->words));
    if (plan->words == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the plan");
    plan->word_count = (int)count + 1;
    for (size_t i = 0; i < count; i++) {
        struct hl_json_node node = hl_json_item(&list, i);

        HL_TRY(hl_json_bytes(&node, &plan->words[i + 1], err));
    }
    return HL_OK;
}

enum hl_status run_plan_open(struct run_plan *plan, const char *study, const char *text,
                             struct hl_error *err)
{
    struct hl_json_node root, node;
    char name[128];
    enum hl_status status;

    *plan = (struct run_plan){0};
    (void)snprintf(name, sizeof(name), "the plan of study %s", study);
    HL_TRY(hl_json_parse(&plan->file, name, text, strlen(text), err));
    root = hl_json_root(&plan->file);
    status = read_words(plan, &root, err);
    if (status == HL_OK)
        status = hl_json_member(&root, "folder", &node, err);
    if (status == HL_OK)
        status = hl_json_bytes(&node, &plan->folder, err);
    if (status == HL_OK && json_object_get(root.value, "sysroot") != NULL) {
        status = hl_json_member(&root, "sysroot", &node, err);
        if (status == HL_OK)
            status = hl_json_string(&node, 1, PATH_MAX, &plan->sysroot, err);
    }
    if (status != HL_OK)
        run_plan_close(plan);
    return status;
}

/* A value as text, for a message. */
static void spell(const json_t *value, char *text, size_t bytes)
{
    char *dumped = value == NULL ? NULL : json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);

    (void)snprintf(text, bytes, "%s", dumped == NULL ? "nothing" : dumped);
    hl_free(dumped);
}

enum hl_status run_plan_check(const struct run_plan *plan, const char *study,
                              const struct study_request *request, struct hl_error *err)
{
    const json_t *before = json_object_get(plan->file.root, "asked");
    json_t *now = describe(request), *value;
    enum hl_status status = HL_OK;
    const char *key;

    json_object_foreach(now, key, value)
    {
        char was[120], is[120];
        const json_t *old = json_object_get(before, key);

        if (status != HL_OK || (old != NULL && json_equal(old, value) == 1))
            continue;
        spell(old, was, sizeof(was));
        spell(value, is, sizeof(is));
        status = hl_fail(err, HL_UNSUPPORTED,
                         "study %s cannot be gone on with: its %s were %s and are %s now", study,
                         key, was, is);
    }
    json_decref(now);
    return status;
}

void run_plan_close(struct run_plan *plan)
{
    for (int i = 1; i < plan->word_count; i++)
        hl_free(plan->words[i]);
    hl_free(plan->words);
    hl_free(plan->folder);
    hl_json_close(&plan->file);
    *plan = (struct run_plan){0};
}
