/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explain_causes_test.c - differences whose one cause is known, because the scenario has no other.
 *
 * Each scenario is played under two policies, or on two machines; the known cause gets at least 90 % of
 * the difference, and causes and rest add up to it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <math.h>

#include "explain/explain.h"
#include "sim/sim.h"
#include "workload/scenario.h"

/* ---- a policy: one queue for all cpus, and everybody moves on at every tick ---- */

struct hop {
    struct hl_list ready;
};

static void hop_enqueue(struct policy *p, struct policy_task *t, int cpu,
                        const struct policy_wakeup *w)
{
    struct hop *hop = policy_data(p);

    (void)cpu;
    (void)w;
    hl_list_push_back(&hop->ready, &t->link);
    for (int c = 0; c < policy_cpu_count(p); c++)
        if (policy_running(p, c) == NULL)
            policy_kick(p, c);
}

static void hop_dequeue(struct policy *p, struct policy_task *t, int cpu, enum policy_why why,
                        enum policy_wait wait)
{
    struct hop *hop = policy_data(p);

    (void)cpu;
    (void)why;
    (void)wait;
    if (t->on_cpu == POLICY_NO_CPU)
        hl_list_remove(&hop->ready, &t->link);
}

static struct policy_task *hop_pick(struct policy *p, int cpu, struct policy_task *prev)
{
    struct hop *hop = policy_data(p);
    struct policy_task *next = HL_LIST_ENTRY(hop->ready.first, struct policy_task, link);

    (void)cpu;
    if (next == NULL)
        return prev;
    hl_list_remove(&hop->ready, &next->link);
    if (prev != NULL)
        hl_list_push_back(&hop->ready, &prev->link);
    return next;
}

static void hop_tick(struct policy *p, int cpu, struct policy_task *running)
{
    (void)running;
    policy_kick(p, cpu);
}

static const struct policy_ops hop_ops = {
    .name = "hop",
    .policy_bytes = sizeof(struct hop),
    .enqueue = hop_enqueue,
    .dequeue = hop_dequeue,
    .pick = hop_pick,
    .tick = hop_tick,
};

/* ---- play and explain ---- */

/* The run of the tasks on the machine under the policy ("hop": the one above). */
static struct run play(const char *machine, const char *policy, const char *tasks)
{
    struct hl_error err = {0};
    struct scenario s = {0};
    struct policy_spec spec = {.ops = &hop_ops};
    struct sim_options options = {
        .machine = &s.machine, .policy = &spec, .workload = &s.workload, .seed = 1};
    struct sim_result result;
    char text[4096];

    (void)snprintf(text, sizeof(text), "machine %s\npolicy fifo\n%s", machine, tasks);
    if (scenario_parse(&s, "test", text, &err) != HL_OK ||
        (strcmp(policy, "hop") != 0 && policy_spec_parse(&spec, policy, &err) != HL_OK) ||
        sim_run(&options, &result, &err) != HL_OK)
        fail_msg("%s", err.text);
    scenario_close(&s);
    return result.run;
}

static struct explain_difference differ(const struct run *best, const struct run *run)
{
    struct explain_difference difference;
    struct explain_sums best_sums, sums;
    struct hl_error err = {0};
    double sum = 0;

    assert_int_equal(explain_sum(&best_sums, best, 1, &err), HL_OK);
    assert_int_equal(explain_sum(&sums, run, 1, &err), HL_OK);
    explain_differ(&difference, &best_sums, &sums);
    for (int i = 0; i < TRACE_CAUSE_COUNT; i++)
        sum += difference.cause_s[i];
    assert_true(fabs(sum + difference.rest_s - difference.elapsed_s) < 1e-9);
    return difference;
}

static void assert_cause(const struct run *best, const struct run *run, enum trace_cause cause)
{
    struct explain_difference difference = differ(best, run);

    assert_true(difference.elapsed_s > 0.05 * best->metric[RUN_elapsed_s]);
    if (difference.cause_s[cause] < 0.9 * difference.elapsed_s ||
        difference.cause_s[cause] > 1.1 * difference.elapsed_s)
        fail_msg("%s has %.4f of %.4f s; %.4f s are unexplained", explain_causes[cause].title,
                 difference.cause_s[cause], difference.elapsed_s, difference.rest_s);
}

/* ---- wasted capacity ---- */

static void a_queue_that_nobody_helps_is_wasted_capacity(void **state)
{
    const char *machine = "cpus=2";
    const char *tasks = "task a run 1s\ntask b run 10ms\ntask c run 1s\ntask d run 10ms\n";
    struct run best = play(machine, "ideal", tasks), run = play(machine, "fifo", tasks);

    (void)state;
    assert_cause(&best, &run, TRACE_WASTED);
}

/* ---- sibling crowding ---- */

static void two_hogs_on_one_core_are_crowding(void **state)
{
    const char *machine = "pack:2 core:1 pu:2";
    struct run best = play(machine, "o1", "task a start 0 run 1s\ntask b start 2 run 1s\n"),
               run = play(machine, "o1", "task a start 0 run 1s\ntask b start 1 run 1s\n");

    (void)state;
    assert_cause(&best, &run, TRACE_CROWDED);
}

static void crowding_of_some_of_several_is_crowding(void **state)
{
    const char *machine = "pack:2 core:1 pu:2";
    const char *tasks = "task a start 0 run 1s\ntask b start 1 run 1s\ntask c start 2 run 300ms\n";
    struct run best = play(machine, "ideal", tasks), run = play(machine, "o1", tasks);

    (void)state;
    assert_cause(&best, &run, TRACE_CROWDED);
}

/* ---- kernel overhead ---- */

static void dear_ticks_are_overhead_at_half_load(void **state)
{
    const char *tasks = "task a run 1s\ntask b run 1s\n";
    struct run best = play("cpus=4 tick_cost_ns=0", "o1", tasks),
               run = play("cpus=4 tick_cost_ns=100us", "o1", tasks);

    (void)state;
    assert_cause(&best, &run, TRACE_OVERHEAD);
}

static void dear_ticks_are_overhead_at_full_load(void **state)
{
    const char *tasks = "program h: run 500ms\n"
                        "task m : loop 8 { fork h } wait all\n";
    struct run best = play("cpus=2 tick_cost_ns=0", "o1", tasks),
               run = play("cpus=2 tick_cost_ns=100us", "o1", tasks);

    (void)state;
    assert_cause(&best, &run, TRACE_OVERHEAD);
}

static void a_long_list_to_scan_is_overhead(void **state)
{
    const char *tasks = "program h: loop 20 { run 2ms sleep 1ms }\n"
                        "task m : loop 60 { fork h } wait all\n";
    struct run best = play("cpus=2 scan_cost_ns=0", "linux24", tasks),
               run = play("cpus=2 scan_cost_ns=20us", "linux24", tasks);

    (void)state;
    assert_cause(&best, &run, TRACE_OVERHEAD);
}

/* ---- migrations ---- */

static void hopping_over_packages_is_refill(void **state)
{
    const char *machine = "cpus=4 switch_cost_ns=0 refill_node_ns=200us";
    const char *tasks = "task a run 1s\ntask b run 1s\ntask c run 1s\ntask d run 1s\n"
                        "task e run 1s\n";
    struct run best = play("cpus=4 switch_cost_ns=0 refill_node_ns=0", "hop", tasks),
               run = play(machine, "hop", tasks);

    (void)state;
    assert_cause(&best, &run, TRACE_REFILL);
}

/* ---- waits ---- */

static void no_wakeup_preemption_is_wakeup_wait(void **state)
{
    const char *machine = "cpus=1";
    const char *tasks = "task hog run 1s\n"
                        "task s: loop 100 { run 100us sleep 9900us }\n";
    struct run best = play(machine, "o1", tasks), run = play(machine, "fifo", tasks);

    (void)state;
    assert_cause(&best, &run, TRACE_WAKEUP);
}

static void waiting_behind_the_background_is_wakeup_wait(void **state)
{
    const char *machine = "cpus=1";
    const char *tasks = "task hog background: loop forever { run 5ms sleep 1us }\n"
                        "task s: loop 100 { run 1ms sleep 9ms }\n";
    struct run best = play(machine, "o1", tasks), run = play(machine, "fifo", tasks);

    (void)state;
    assert_cause(&best, &run, TRACE_WAKEUP);
}

static void sharing_with_the_background_is_preempted_wait(void **state)
{
    const char *machine = "cpus=1";
    const char *tasks = "task a run 1s\n"
                        "task hog background run forever\n";
    struct run best = play(machine, "fifo", tasks), run = play(machine, "o1", tasks);

    (void)state;
    assert_cause(&best, &run, TRACE_PREEMPTED);
}

static void a_slow_interrupt_is_wakeup_wait(void **state)
{
    /* Two tasks on two cpus take turns: each wake-up needs an interrupt. */
    const char *tasks = "pipe p\npipe q\n"
                        "task a on 0: loop 200 { run 1ms write p 1 read q 1 }\n"
                        "task b on 1: loop 200 { read p 1 run 1ms write q 1 }\n";
    struct run best = play("cpus=2 ipi_ns=0", "fifo", tasks),
               run = play("cpus=2 ipi_ns=500us", "fifo", tasks);

    (void)state;
    assert_cause(&best, &run, TRACE_WAKEUP);
}

/* ---- kernel builds ---- */

static struct run build(const char *policy, int64_t jobs)
{
    struct machine machine = {0};
    struct profile profile = {0};
    struct policy_spec spec;
    struct workload workload = {0};
    struct workload_request request = {
        .machine = &machine, .profile = &profile, .level = jobs, .seed = 1};
    struct sim_options options = {
        .machine = &machine, .policy = &spec, .workload = &workload, .seed = 1};
    struct sim_result result;
    struct hl_error err = {0};

    if (machine_open(&machine, "pack:2 core:1 pu:2", &err) != HL_OK ||
        profile_open(&profile, NULL, &err) != HL_OK ||
        policy_spec_parse(&spec, policy, &err) != HL_OK ||
        workload_kernbench(&workload, &request, &err) != HL_OK ||
        sim_run(&options, &result, &err) != HL_OK)
        fail_msg("%s: %s", policy, err.text);
    workload_close(&workload);
    profile_close(&profile);
    machine_close(&machine);
    return result.run;
}

static void two_compilers_on_one_core_are_crowding(void **state)
{
    struct run best = build("ideal", 2), run = build("o1", 2);

    (void)state;
    assert_cause(&best, &run, TRACE_CROWDED);
}

static void nothing_is_lost_twice_under_any_policy(void **state)
{
    (void)state;
    for (int i = 0; policy_registry[i] != NULL; i++) {
        struct run run = build(policy_registry[i]->name, 3);
        double parts_s = run.metric[RUN_elapsed_work_s] + run.metric[RUN_elapsed_asleep_s];
        double chain_s = 0;

        for (int cause = 0; cause < TRACE_CAUSE_COUNT; cause++) {
            assert_true(run.metric[explain_causes[cause].part] >= 0);
            assert_true(run.metric[explain_causes[cause].chain] >= 0);
            parts_s += run.metric[explain_causes[cause].part];
            chain_s += run.metric[explain_causes[cause].chain];
        }
        assert_true(run.metric[RUN_elapsed_work_s] > 0);
        assert_true(fabs(parts_s - run.metric[RUN_elapsed_s]) < 1e-6);
        assert_true(chain_s < run.metric[RUN_elapsed_s]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_queue_that_nobody_helps_is_wasted_capacity),
        cmocka_unit_test(two_hogs_on_one_core_are_crowding),
        cmocka_unit_test(crowding_of_some_of_several_is_crowding),
        cmocka_unit_test(dear_ticks_are_overhead_at_half_load),
        cmocka_unit_test(dear_ticks_are_overhead_at_full_load),
        cmocka_unit_test(a_long_list_to_scan_is_overhead),
        cmocka_unit_test(hopping_over_packages_is_refill),
        cmocka_unit_test(no_wakeup_preemption_is_wakeup_wait),
        cmocka_unit_test(waiting_behind_the_background_is_wakeup_wait),
        cmocka_unit_test(sharing_with_the_background_is_preempted_wait),
        cmocka_unit_test(a_slow_interrupt_is_wakeup_wait),
        cmocka_unit_test(two_compilers_on_one_core_are_crowding),
        cmocka_unit_test(nothing_is_lost_twice_under_any_policy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
