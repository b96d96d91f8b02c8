/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * golden_test.c - the tolerances of records of real kernels, and what chance explains.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "study/golden.h"

/* Two tasks that compute for ever, of which nothing is known, in five starts of 2 s. */
static struct golden two_hogs(void)
{
    struct golden g = {.cpu_count = 2,
                       .is_virtual_time = true,
                       .seconds = 2,
                       .recorded_starts = 5,
                       .played_starts = 10,
                       .task_count = 1};

    g.task[0] = (struct golden_task){
        .count = 2,
        .real = {NAN, NAN, NAN, NAN, {NAN, NAN}, {NAN, NAN}},
        .simulated = {.share = 1},
    };
    return g;
}

static void what_is_not_recorded_is_inside(void **state)
{
    struct golden g = two_hogs();

    (void)state;
    golden_judge(&g);
    assert_true(g.inside);
    assert_true(g.inside_sampled);
}

/* 2.0 and 2.8 per second: 40 events in 20 s and 112 in 40 s. Their difference has a deviation of
 * sqrt(40 / 400 + 112 / 1600) = 0.41, so that 0.3 + 1.06 is allowed. */
static void few_preemptions_differ_by_chance(void **state)
{
    struct golden g = two_hogs();

    (void)state;
    g.task[0].real.preempt_per_s = 2.0;
    g.task[0].simulated.preempt_per_s = 2.8;
    golden_judge(&g);
    assert_false(g.inside);
    assert_true(g.inside_sampled);
    assert_int_equal(g.task[0].faults, GOLDEN_PREEMPT);
    assert_int_equal(g.task[0].sampled_faults, 0);
}

static void many_starts_leave_less_to_chance(void **state)
{
    struct golden g = two_hogs();

    (void)state;
    g.recorded_starts = g.played_starts = 100;
    g.task[0].real.preempt_per_s = 2.0;
    g.task[0].simulated.preempt_per_s = 2.8;
    golden_judge(&g);
    assert_false(g.inside_sampled);
    assert_int_equal(g.task[0].sampled_faults, GOLDEN_PREEMPT);
}

static void unknown_number_of_starts_explains_nothing(void **state)
{
    struct golden g = two_hogs();

    (void)state;
    g.recorded_starts = 0;
    g.task[0].real.preempt_per_s = 2.0;
    g.task[0].simulated.preempt_per_s = 2.8;
    golden_judge(&g);
    assert_false(g.inside_sampled);
}

static void migrations_differ_by_a_factor(void **state)
{
    struct golden g = two_hogs();

    (void)state;
    g.task[0].real.mig_per_s = 1.0; /* 20 and 10 events: 1.0 - 2.5 * 0.25 may be 0.78 by chance */
    g.task[0].simulated.mig_per_s = 0.25;
    golden_judge(&g);
    assert_false(g.inside);
    assert_true(g.inside_sampled);
    g.task[0].real.mig_per_s = 4.0;
    golden_judge(&g);
    assert_int_equal(g.task[0].sampled_faults, GOLDEN_MIGRATE);
}

/* A share does not depend on how many events there were. */
static void shares_are_judged_alike(void **state)
{
    struct golden g = two_hogs();

    (void)state;
    g.task[0].real.share = 0.95;
    golden_judge(&g);
    assert_int_equal(g.task[0].sampled_faults, GOLDEN_SHARE);
}

static void quantile_lies_between_ranks(void **state)
{
    struct golden g = two_hogs();
    struct golden_task *t = &g.task[0];

    (void)state;
    t->real.slice_ms[GOLDEN_P50] = 40;
    t->simulated.slice_ms[GOLDEN_P50] = 20;
    t->slice_range_ms[GOLDEN_P50] = (struct golden_range){10, 36};
    golden_judge(&g);
    assert_false(g.inside);
    assert_true(g.inside_sampled); /* 36 and a tick of 4 ms */
    t->slice_range_ms[GOLDEN_P50].high = 35;
    golden_judge(&g);
    assert_false(g.inside_sampled);
}

/* The median of 100 among 100: 2.576 * sqrt(0.25 * 0.02) * 100. */
static void margin_follows_the_binomial_law(void **state)
{
    (void)state;
    assert_true(fabs(golden_quantile_margin(50, 100, 100) - 18.215) < 0.001);
    assert_true(golden_quantile_margin(90, 100, 100) < golden_quantile_margin(50, 100, 100));
    assert_true(golden_quantile_margin(50, 1000, 100) < golden_quantile_margin(50, 100, 100));
    assert_true(golden_quantile_margin(50, 0, 100) == 0);
    assert_true(golden_quantile_margin(50, NAN, 100) == 0);
}

/* 15 % of a rate, but never less than one per start of 2 s; NAN where nothing is judged. */
static void tolerances_follow_what_is_judged(void **state)
{
    struct golden g = two_hogs();
    struct golden_task *t = &g.task[0];

    (void)state;
    t->real = (struct golden_figures){.share = 1, .preempt_per_s = 10, .slice_ms = {NAN, 4}};
    golden_judge(&g);
    assert_true(t->tolerance.share == 0.02 && t->tolerance.slice_ms == 4);
    assert_true(fabs(t->tolerance.preempt_per_s - 1.5) < 1e-9);
    assert_true(t->tolerance.mig_factor == 2.5 && t->tolerance.mig_per_s == 0.5);
    assert_true(isnan(t->tolerance.wake_p50_ms));
    t->real.preempt_per_s = 1;
    t->sleep_us = t->run_us = 1000;
    t->cpus = 3;
    golden_judge(&g);
    assert_true(t->tolerance.share == 0.1 && t->tolerance.preempt_per_s == 0.5);
    assert_true(isnan(t->tolerance.mig_factor) && isnan(t->tolerance.mig_per_s));
    assert_true(t->tolerance.wake_p50_ms == 0.2);
    g.is_virtual_time = false;
    golden_judge(&g);
    assert_true(isnan(t->tolerance.share) && isnan(t->tolerance.slice_ms));
    assert_true(isnan(t->tolerance.preempt_per_s) && isnan(t->tolerance.wake_p50_ms));
    assert_true(t->share_tolerance == 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_recorded_is_inside),
        cmocka_unit_test(few_preemptions_differ_by_chance),
        cmocka_unit_test(many_starts_leave_less_to_chance),
        cmocka_unit_test(unknown_number_of_starts_explains_nothing),
        cmocka_unit_test(migrations_differ_by_a_factor),
        cmocka_unit_test(shares_are_judged_alike),
        cmocka_unit_test(quantile_lies_between_ranks),
        cmocka_unit_test(margin_follows_the_binomial_law),
        cmocka_unit_test(tolerances_follow_what_is_judged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
