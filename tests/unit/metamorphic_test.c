/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metamorphic_test.c - changes of a workload that mean nothing change no result.
 *
 * Tasks with other names, compute steps split in two, steps that do nothing and observers that only look:
 * every metric of a kernel build stays the same to the last bit, under every policy.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "policy/policy.h"
#include "sim/sim.h"
#include "workload/workload.h"

enum { LEVEL = 3, SEED = 5, LOOKS = 50 };

static struct machine machine;
static struct profile profile;

static int open_machine(void **state)
{
    struct hl_error err;

    (void)state;
    if (machine_open(&machine, "pack:2 core:1 pu:2", &err) != HL_OK ||
        profile_open(&profile, NULL, &err) != HL_OK) {
        print_error("%s\n", err.text);
        return -1;
    }
    profile.constant[PROFILE_units] = 60;
    profile.constant[PROFILE_directories] = 6;
    profile.constant[PROFILE_work_ns] = 20 * HL_NS_PER_S;
    return 0;
}

static int close_machine(void **state)
{
    (void)state;
    profile_close(&profile);
    machine_close(&machine);
    return 0;
}

static void build(struct workload *w)
{
    struct workload_request request = {
        .machine = &machine, .profile = &profile, .level = LEVEL, .seed = SEED};

    assert_int_equal(workload_kernbench(w, &request, NULL), HL_OK);
}

static struct sim_result play(const struct workload *w, const struct policy_ops *ops,
                              const struct sim_observer *observer)
{
    struct policy_spec policy;
    struct sim_result result;
    struct hl_error err = {0};
    struct sim_options options = {
        .machine = &machine, .policy = &policy, .workload = w, .seed = SEED, .observer = observer};

    assert_int_equal(policy_spec_parse(&policy, ops->name, &err), HL_OK);
    if (sim_run(&options, &result, &err) != HL_OK)
        fail_msg("%s: %s", ops->name, err.text);
    return result;
}

static void assert_same(const struct sim_result *a, const struct sim_result *b, const char *policy)
{
    if (a->elapsed_ns != b->elapsed_ns)
        print_error("policy %s\n", policy);
    assert_int_equal(a->elapsed_ns, b->elapsed_ns);
    for (int m = 0; m < RUN_METRIC_COUNT; m++)
        if (memcmp(&a->run.metric[m], &b->run.metric[m], sizeof(double)) != 0)
            fail_msg("%s: %s is %.17g and %.17g", policy, run_metric_table[m].name,
                     a->run.metric[m], b->run.metric[m]);
}

/* Plays the build as it is and as `change` leaves it. */
static void assert_change_means_nothing(void (*change)(struct workload *w))
{
    for (int i = 0; policy_registry[i] != NULL; i++) {
        struct workload before = {0}, after = {0};
        struct sim_result a, b;

        build(&before);
        build(&after);
        change(&after);
        assert_int_equal(workload_check(&after, "changed", NULL), HL_OK);
        a = play(&before, policy_registry[i], NULL);
        b = play(&after, policy_registry[i], NULL);
        assert_same(&a, &b, policy_registry[i]->name);
        workload_close(&before);
        workload_close(&after);
    }
}

/* All but the compilers: they are counted by name. */
static void rename_all(struct workload *w)
{
    for (size_t i = 0; i < w->name_count; i++) {
        char name[32];

        if (strcmp(w->names[i], "cc1") == 0)
            continue;

        (void)snprintf(name, sizeof(name), "zz%zu", w->name_count - i);
        hl_free(w->names[i]);
        w->names[i] = hl_strdup(name);
        assert_non_null(w->names[i]);
    }
}

/* Rewrites all steps: `emit` writes one to three steps for each and returns how many. */
static void rewrite(struct workload *w,
                    int (*emit)(const struct program_step *step, struct program_step *out))
{
    struct program_step *steps = hl_alloc(3 * w->step_count, sizeof(*steps));
    int32_t *moved_to = hl_alloc(w->step_count, sizeof(*moved_to)); /* within its program */
    size_t used = 0;

    assert_non_null(steps);
    assert_non_null(moved_to);
    for (size_t p = 0; p < w->program_count; p++) {
        struct program *program = &w->programs[p];
        size_t first = used;

        for (uint32_t i = 0; i < program->count; i++) {
            const struct program_step *step = &w->steps[program->first + i];

            moved_to[i] = (int32_t)(used - first);
            used += (size_t)emit(step, &steps[used]);
        }
        for (size_t i = first; i < used; i++)
            if (steps[i].op == OP_LOOP)
                steps[i].target = moved_to[steps[i].target];
        program->first = (uint32_t)first;
        program->count = (uint32_t)(used - first);
    }
    hl_free(moved_to);
    hl_free(w->steps);
    w->steps = steps;
    w->step_count = w->step_capacity = used;
}

static int emit_split(const struct program_step *step, struct program_step *out)
{
    bool can_split = (step->op == OP_RUN || step->op == OP_SYSTEM) && step->spread == 0 &&
                     step->amount > 2 && step->amount != INT64_MAX;

    out[0] = *step;
    if (!can_split)
        return 1;
    out[1] = *step;
    out[0].amount = step->amount / 3;
    out[1].amount = step->amount - out[0].amount;
    return 2;
}

static int emit_with_nothing(const struct program_step *step, struct program_step *out)
{
    out[0] = (struct program_step){.op = OP_RUN, .target = -1};
    out[1] = *step;
    return 2;
}

static void split_all(struct workload *w)
{
    size_t before = w->step_count;

    rewrite(w, emit_split);
    assert_true(w->step_count > before + 60);
}

static void add_nothing(struct workload *w)
{
    rewrite(w, emit_with_nothing);
}

static void names_mean_nothing(void **state)
{
    (void)state;
    assert_change_means_nothing(rename_all);
}

static void splitting_a_compute_step_changes_nothing(void **state)
{
    (void)state;
    assert_change_means_nothing(split_all);
}

static void steps_that_do_nothing_change_nothing(void **state)
{
    (void)state;
    assert_change_means_nothing(add_nothing);
}

static void look(void *context, struct sim *sim, int index)
{
    struct sim_task_figures figures;

    sim_task_figures(sim, 0, &figures);
    (void)sim_cpu_busy_ns(sim, 0);
    (void)sim_cpu_tasks(sim, 0);
    ((int *)context)[index < 0]++;
}

static void looking_changes_nothing(void **state)
{
    int64_t times[LOOKS];

    (void)state;
    for (int i = 0; i < LOOKS; i++)
        times[i] = (i + 1) * 37 * HL_NS_PER_MS + i;
    for (int i = 0; policy_registry[i] != NULL; i++) {
        int looks[2] = {0, 0}; /* at listed times, regular ones */
        struct sim_observer observer = {.look = look,
                                        .context = looks,
                                        .at_ns = times,
                                        .count = LOOKS,
                                        .every_ns = 100 * HL_NS_PER_MS};
        struct workload w = {0};
        struct sim_result a, b;

        build(&w);
        a = play(&w, policy_registry[i], NULL);
        b = play(&w, policy_registry[i], &observer);
        assert_int_equal(looks[0], LOOKS);
        assert_int_equal(looks[1], a.elapsed_ns / observer.every_ns + 1);
        assert_same(&a, &b, policy_registry[i]->name);
        workload_close(&w);
    }
}

static void another_seed_is_another_history(void **state)
{
    struct workload w = {0}, other = {0};
    struct workload_request request = {
        .machine = &machine, .profile = &profile, .level = LEVEL, .seed = SEED + 1};
    struct sim_result a, b;

    (void)state;
    build(&w);
    assert_int_equal(workload_kernbench(&other, &request, NULL), HL_OK);
    a = play(&w, policy_registry[0], NULL);
    b = play(&other, policy_registry[0], NULL);
    assert_int_not_equal(a.elapsed_ns, b.elapsed_ns);
    workload_close(&w);
    workload_close(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_mean_nothing),
        cmocka_unit_test(splitting_a_compute_step_changes_nothing),
        cmocka_unit_test(steps_that_do_nothing_change_nothing),
        cmocka_unit_test(looking_changes_nothing),
        cmocka_unit_test(another_seed_is_another_history),
    };

    return cmocka_run_group_tests(tests, open_machine, close_machine);
}
