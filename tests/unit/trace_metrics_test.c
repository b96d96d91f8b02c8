/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_metrics_test.c - sums of schedules small enough to work out: two cores of two threads, rate 1
 * alone, 0.6 beside a busy thread; times in seconds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <math.h>

#include "trace/metrics.h"

enum { ALONE = 1 << TRACE_RATE_SHIFT, SHARED = ALONE * 6 / 10 };

struct scene {
    struct machine machine;
    struct hl_arena arena;
    struct trace_metrics m;
    struct trace_task task[8]; /* the last two are not of the workload */
    struct run run;
    int64_t now_ns;
};

static int open_scene(void **state)
{
    struct scene *s = hl_alloc(1, sizeof(*s));
    struct hl_error err = {0};

    assert_non_null(s);
    assert_int_equal(machine_open(&s->machine, "pack:2 core:1 pu:2", &err), HL_OK);
    assert_int_equal(trace_metrics_init(&s->m, &s->machine, 8, &s->arena, &err), HL_OK);
    trace_metrics_set_rates(&s->m, ALONE, 2 * SHARED - ALONE);
    for (int i = 0; i < 6; i++)
        s->task[i].is_work = true;
    *state = s;
    return 0;
}

static int close_scene(void **state)
{
    struct scene *s = *state;

    hl_arena_close(&s->arena);
    machine_close(&s->machine);
    hl_free(s);
    return 0;
}

static void at(struct scene *s, double second)
{
    s->now_ns = (int64_t)llround(second * 1e9);
}

/* The rates of a core's threads follow from how many are busy. */
static void settle(struct scene *s, int core)
{
    bool is_shared = s->m.core_busy[core] > 1;

    for (int cpu = 2 * core; cpu < 2 * core + 2; cpu++)
        if (s->m.cpu[cpu].occupant != TRACE_NOBODY)
            trace_metrics_rate(&s->m, s->now_ns, cpu, is_shared ? SHARED : ALONE,
                               is_shared ? ALONE - SHARED : 0);
}

static void waits(struct scene *s, int task, int cpu, bool woken)
{
    trace_metrics_wait(&s->m, s->now_ns, &s->task[task], cpu, NULL, woken);
}

static void runs(struct scene *s, int task, int cpu)
{
    (void)trace_metrics_wait_end(&s->m, s->now_ns, &s->task[task]);
    trace_metrics_occupy(&s->m, s->now_ns, cpu, s->task[task].is_work ? TRACE_WORK : TRACE_OTHERS);
    settle(s, cpu / 2);
}

/* Woken on the cpu, which reacts at once. */
static void starts(struct scene *s, int task, int cpu)
{
    waits(s, task, cpu, true);
    runs(s, task, cpu);
}

static void leaves(struct scene *s, int task, int cpu)
{
    trace_metrics_ran(&s->m, s->now_ns, cpu, &s->task[task]);
    trace_metrics_occupy(&s->m, s->now_ns, cpu, TRACE_NOBODY);
    settle(s, cpu / 2);
}

static void ends(struct scene *s, double second)
{
    double sum = 0;

    at(s, second);
    trace_metrics_advance(&s->m, s->now_ns);
    run_init(&s->run, RUN_SIM, "not had");
    trace_metrics_store(&s->m, &s->run);
    for (int i = RUN_elapsed_work_s; i <= RUN_elapsed_overhead_s; i++) {
        assert_true(s->run.metric[i] >= 0);
        sum += s->run.metric[i];
    }
    assert_true(fabs(sum - second) < 1e-9);
}

static void assert_metric(const struct scene *s, enum run_metric metric, double expected)
{
    if (!(fabs(s->run.metric[metric] - expected) < 1e-4))
        fail_msg("%s is %.6f, expected %.6f", run_metric_table[metric].name, s->run.metric[metric],
                 expected);
}

static void nothing_to_do_is_sleep(void **state)
{
    struct scene *s = *state;

    at(s, 1);
    starts(s, 0, 0);
    at(s, 3);
    leaves(s, 0, 0);
    ends(s, 4);
    assert_metric(s, RUN_elapsed_asleep_s, 2);
    assert_metric(s, RUN_elapsed_work_s, 2);
    assert_metric(s, RUN_idle_cpu_s, 14);
}

/* Both on one core, the other one idle: of 2 that could be done, 0.8 is lost. */
static void two_on_one_core_are_crowded(void **state)
{
    struct scene *s = *state;

    starts(s, 0, 0);
    starts(s, 1, 1);
    ends(s, 10);
    assert_metric(s, RUN_elapsed_crowded_s, 4);
    assert_metric(s, RUN_elapsed_work_s, 6);
    assert_metric(s, RUN_crowded_core_s, 10);
    assert_metric(s, RUN_shared_cpu_s, 20);
}

/* As soon as the other core is busy too there is no better place. */
static void three_on_two_cores_are_not(void **state)
{
    struct scene *s = *state;

    starts(s, 0, 0);
    starts(s, 1, 1);
    starts(s, 2, 2);
    ends(s, 10);
    assert_metric(s, RUN_elapsed_crowded_s, 0);
    assert_metric(s, RUN_elapsed_work_s, 10);
}

/* One runs, one waits for the same cpu although another core is idle: half is lost. */
static void waiting_beside_an_idle_core_is_wasted(void **state)
{
    struct scene *s = *state;

    starts(s, 0, 0);
    waits(s, 1, 0, false);
    ends(s, 10);
    assert_metric(s, RUN_elapsed_wasted_s, 5);
    assert_metric(s, RUN_elapsed_work_s, 5);
    assert_metric(s, RUN_wasted_cpu_s, 10);
}

/* Only a second thread is idle: it would add 0.2 to the 2 of the cores. */
static void an_idle_sibling_is_worth_what_it_adds(void **state)
{
    struct scene *s = *state;

    starts(s, 0, 0);
    starts(s, 1, 2);
    waits(s, 2, 0, false);
    ends(s, 11);
    assert_metric(s, RUN_elapsed_wasted_s, 1);
    assert_metric(s, RUN_elapsed_work_s, 10);
}

/* The waiting task takes the idle core first; then no idle core is left to relieve the crowded one. */
static void an_idle_core_is_used_once(void **state)
{
    struct scene *s = *state;

    starts(s, 0, 0);
    starts(s, 1, 1);
    waits(s, 2, 0, false);
    ends(s, 11);
    /* 1.2 is done, 2.2 could be */
    assert_metric(s, RUN_elapsed_wasted_s, 5);
    assert_metric(s, RUN_elapsed_crowded_s, 0);
    assert_metric(s, RUN_elapsed_work_s, 6);
}

/* Its own cpu is idle and has not reacted: late, but in the right place. */
static void a_cpu_on_its_way_is_wakeup_wait(void **state)
{
    struct scene *s = *state;

    waits(s, 0, 3, true);
    ends(s, 2);
    assert_metric(s, RUN_elapsed_wakeup_s, 2);
    assert_metric(s, RUN_elapsed_wasted_s, 0);
    assert_metric(s, RUN_wasted_cpu_s, 0);
}

/* Moved to another queue, whose cpu is busy, it waits elsewhere than the idle cpu. */
static void a_requeued_task_waits_where_it_is_queued(void **state)
{
    struct scene *s = *state;

    starts(s, 0, 0);
    waits(s, 1, 3, true);
    at(s, 2);
    trace_metrics_requeue(&s->m, s->now_ns, &s->task[1], 0);
    ends(s, 6);
    assert_metric(s, RUN_elapsed_wakeup_s, 1);
    assert_metric(s, RUN_elapsed_wasted_s, 2);
    assert_metric(s, RUN_elapsed_work_s, 3);
}

static void tasks_of_others_make_the_workload_wait(void **state)
{
    struct scene *s = *state;

    for (int cpu = 0; cpu < 2; cpu++)
        starts(s, 6 + cpu, cpu);
    starts(s, 0, 2);
    starts(s, 1, 3);
    waits(s, 2, 0, true);
    waits(s, 3, 1, false);
    ends(s, 8);
    /* 1.2 is done, and 1.2 by others: a quarter of the time each for the two who wait */
    assert_metric(s, RUN_elapsed_wakeup_s, 2);
    assert_metric(s, RUN_elapsed_preempted_s, 2);
    assert_metric(s, RUN_elapsed_work_s, 4);
    assert_metric(s, RUN_elapsed_wasted_s, 0);
}

static void overhead_is_part_of_what_is_done(void **state)
{
    struct scene *s = *state;

    starts(s, 0, 0);
    starts(s, 1, 2);
    trace_metrics_overhead(&s->m, &s->task[0], INT64_C(3000000000) << TRACE_RATE_SHIFT);
    trace_metrics_migrate(&s->m, &s->task[1], MACHINE_SAME_NODE, 1000000000);
    ends(s, 10);
    assert_metric(s, RUN_elapsed_overhead_s, 1.5);
    assert_metric(s, RUN_elapsed_refill_s, 0.5);
    assert_metric(s, RUN_elapsed_work_s, 8);
    assert_metric(s, RUN_overhead_cpu_s, 3);
    assert_metric(s, RUN_refill_node_cpu_s, 1);
    assert_metric(s, RUN_migrations_node, 1);
}

static void affinity_decides_what_is_wasted(void **state)
{
    struct scene *s = *state;
    const uint64_t only_first = 1, first_core = 3;

    starts(s, 0, 0);
    trace_metrics_wait(&s->m, s->now_ns, &s->task[1], 0, &only_first, false);
    at(s, 4);
    trace_metrics_advance(&s->m, s->now_ns);
    assert_int_equal(s->m.wasted_cpu_ns, 0);
    trace_metrics_wait(&s->m, s->now_ns, &s->task[2], 0, &first_core, false);
    ends(s, 6);
    assert_metric(s, RUN_wasted_cpu_s, 2);
    (void)trace_metrics_wait_end(&s->m, s->now_ns, &s->task[2]);
    (void)trace_metrics_wait_end(&s->m, s->now_ns, &s->task[1]);
    assert_int_equal(s->task[1].chain.lost[TRACE_WASTED], 0);
    assert_int_equal(s->task[1].chain.lost[TRACE_PREEMPTED], 6000000000);
    assert_int_equal(s->task[2].chain.lost[TRACE_WASTED], 2000000000);
}

/* a is woken late, wakes b, which waits beside an idle cpu; the end is b's. */
static void the_chain_goes_through_wakers(void **state)
{
    struct scene *s = *state;

    starts(s, 2, 0);
    waits(s, 0, 0, true);
    at(s, 1); /* other cpus were idle */
    leaves(s, 2, 0);
    runs(s, 0, 0);
    at(s, 2);
    starts(s, 3, 1); /* beside a, while the other core is idle */
    at(s, 3);
    trace_metrics_overhead(&s->m, &s->task[0], INT64_C(500000000) << TRACE_RATE_SHIFT);
    trace_metrics_follow(&s->m, s->now_ns, &s->task[1], 0, &s->task[0]);
    waits(s, 1, 2, true); /* its own cpu is idle */
    at(s, 3.25);
    runs(s, 1, 2);
    at(s, 4);
    trace_metrics_end(&s->m, s->now_ns, 2, &s->task[1]);
    ends(s, 4);
    assert_metric(s, RUN_chain_wasted_s, 1);
    assert_metric(s, RUN_chain_crowded_s, 0.4);
    assert_metric(s, RUN_chain_overhead_s, 0.5);
    assert_metric(s, RUN_chain_wakeup_s, 0.25);
    assert_metric(s, RUN_chain_preempted_s, 0);
}

static void a_run_that_is_cut_has_no_chain(void **state)
{
    struct scene *s = *state;

    starts(s, 0, 0);
    ends(s, 1);
    assert_false(run_has(&s->run, RUN_chain_wasted_s));
    assert_non_null(s->run.reason[RUN_chain_wasted_s]);
}

static void waits_have_quantiles_and_cut_ones_a_maximum(void **state)
{
    struct scene *s = *state;

    for (int i = 1; i <= 100; i++) { /* 1 ms, 2 ms ... 100 ms */
        waits(s, 0, 0, true);
        s->now_ns += i * 1000000;
        runs(s, 0, 0);
        leaves(s, 0, 0);
    }
    waits(s, 1, 0, true);
    at(s, 9);
    trace_metrics_wait_cut(&s->m, s->now_ns, &s->task[1]);
    ends(s, 9);
    assert_true(fabs(s->run.metric[RUN_run_delay_p50_s] - 0.050) <= 0.050 / 128);
    assert_true(fabs(s->run.metric[RUN_run_delay_p95_s] - 0.095) <= 0.095 / 128);
    assert_true(fabs(s->run.metric[RUN_run_delay_p99_s] - 0.099) <= 0.099 / 128);
    assert_metric(s, RUN_run_delay_max_s, 9 - 5.05);
    assert_metric(s, RUN_run_delay_task_s, 5.05 + 9 - 5.05);
    assert_metric(s, RUN_run_delay_over, 0);
}

static void no_wait_has_no_quantile(void **state)
{
    struct scene *s = *state;

    ends(s, 1);
    assert_false(run_has(&s->run, RUN_run_delay_p50_s));
    assert_false(run_has(&s->run, RUN_run_delay_max_s));
    assert_string_equal(s->run.reason[RUN_run_delay_p50_s], "no task waited for a cpu");
}

#define SCENE_TEST(test) cmocka_unit_test_setup_teardown(test, open_scene, close_scene)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCENE_TEST(nothing_to_do_is_sleep),
        SCENE_TEST(two_on_one_core_are_crowded),
        SCENE_TEST(three_on_two_cores_are_not),
        SCENE_TEST(waiting_beside_an_idle_core_is_wasted),
        SCENE_TEST(an_idle_sibling_is_worth_what_it_adds),
        SCENE_TEST(an_idle_core_is_used_once),
        SCENE_TEST(a_cpu_on_its_way_is_wakeup_wait),
        SCENE_TEST(a_requeued_task_waits_where_it_is_queued),
        SCENE_TEST(tasks_of_others_make_the_workload_wait),
        SCENE_TEST(overhead_is_part_of_what_is_done),
        SCENE_TEST(affinity_decides_what_is_wasted),
        SCENE_TEST(the_chain_goes_through_wakers),
        SCENE_TEST(a_run_that_is_cut_has_no_chain),
        SCENE_TEST(waits_have_quantiles_and_cut_ones_a_maximum),
        SCENE_TEST(no_wait_has_no_quantile),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
