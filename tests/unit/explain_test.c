/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain_test.c - differences from sums made by hand: what is believed of a chain, what is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <math.h>

#include "explain/explain.h"

static void assert_near(double found, double expected)
{
    assert_true(fabs(found - expected) < 1e-9);
}

/* A run that only worked. */
static struct run a_run(double work_s)
{
    struct run run;

    run_init(&run, RUN_SIM, "not had");
    run_set(&run, RUN_elapsed_s, work_s);
    run_set(&run, RUN_elapsed_work_s, work_s);
    run_set(&run, RUN_elapsed_asleep_s, 0);
    for (int i = 0; i < TRACE_CAUSE_COUNT; i++) {
        run_set(&run, explain_causes[i].part, 0);
        run_set(&run, explain_causes[i].chain, 0);
    }
    return run;
}

static void lose(struct run *run, enum trace_cause cause, double part_s, double chain_s)
{
    run->metric[RUN_elapsed_s] += part_s;
    run->metric[explain_causes[cause].part] += part_s;
    run->metric[explain_causes[cause].chain] += chain_s;
}

static struct explain_difference differ(const struct run *best, const struct run *run)
{
    struct explain_sums a, b;
    struct explain_difference difference;
    double sum;

    assert_int_equal(explain_sum(&a, best, 1, NULL), HL_OK);
    assert_int_equal(explain_sum(&b, run, 1, NULL), HL_OK);
    explain_differ(&difference, &a, &b);
    sum = difference.rest_s;
    for (int i = 0; i < TRACE_CAUSE_COUNT; i++)
        sum += difference.cause_s[i];
    assert_near(sum, difference.elapsed_s);
    return difference;
}

static void every_cause_has_a_name_and_its_metrics(void **state)
{
    (void)state;
    for (int i = 0; i < TRACE_CAUSE_COUNT; i++) {
        char expected[64];

        (void)snprintf(expected, sizeof(expected), "elapsed_%s_s", explain_causes[i].name);
        assert_string_equal(run_metric_table[explain_causes[i].part].name, expected);
        (void)snprintf(expected, sizeof(expected), "chain_%s_s", explain_causes[i].name);
        assert_string_equal(run_metric_table[explain_causes[i].chain].name, expected);
    }
}

static void parts_are_taken_as_they_are(void **state)
{
    struct run best = a_run(10), run = a_run(10);
    struct explain_difference d;

    (void)state;
    lose(&best, TRACE_REFILL, 1, 0);
    lose(&run, TRACE_CROWDED, 4, 0); /* a chain of a task that was alone: it says nothing */
    d = differ(&best, &run);
    assert_near(d.elapsed_s, 3);
    assert_near(d.cause_s[TRACE_CROWDED], 4);
    assert_near(d.cause_s[TRACE_REFILL], -1);
    assert_near(d.rest_s, 0);
}

static void a_chain_that_says_what_is_missing_is_believed(void **state)
{
    struct run best = a_run(10), run = a_run(18);
    struct explain_difference d;

    (void)state;
    lose(&run, TRACE_WAKEUP, 0, 9);
    lose(&run, TRACE_PREEMPTED, 0, 0);
    lose(&best, TRACE_PREEMPTED, 0, 1); /* less of that wait does not make it longer */
    d = differ(&best, &run);
    assert_near(d.cause_s[TRACE_WAKEUP], 8);
    assert_near(d.cause_s[TRACE_PREEMPTED], 0);
    assert_near(d.rest_s, 0);
}

static void what_the_parts_hold_is_not_counted_twice(void **state)
{
    struct run best = a_run(10), run = a_run(15);
    struct explain_difference d;

    (void)state;
    lose(&run, TRACE_WASTED, 5, 10);
    d = differ(&best, &run);
    assert_near(d.elapsed_s, 10);
    assert_near(d.cause_s[TRACE_WASTED], 10);
    assert_near(d.rest_s, 0);
}

static void a_chain_that_says_much_more_is_not_believed(void **state)
{
    struct run best = a_run(100), run = a_run(100.3);
    struct explain_difference d;

    (void)state;
    lose(&run, TRACE_WAKEUP, 0, 20);
    d = differ(&best, &run);
    assert_near(d.cause_s[TRACE_WAKEUP], 0);
    assert_near(d.rest_s, 0.3);
}

static void a_chain_that_says_less_explains_that(void **state)
{
    struct run best = a_run(100), run = a_run(104);
    struct explain_difference d;

    (void)state;
    lose(&run, TRACE_WAKEUP, 0, 2);
    lose(&run, TRACE_OVERHEAD, 0, 1);
    d = differ(&best, &run);
    assert_near(d.cause_s[TRACE_WAKEUP], 2);
    assert_near(d.cause_s[TRACE_OVERHEAD], 1);
    assert_near(d.rest_s, 1);
}

static void a_chain_that_says_the_opposite_is_not_believed(void **state)
{
    struct run best = a_run(100), run = a_run(104);
    struct explain_difference d;

    (void)state;
    lose(&best, TRACE_WAKEUP, 0, 4);
    d = differ(&best, &run);
    assert_near(d.cause_s[TRACE_WAKEUP], 0);
    assert_near(d.rest_s, 4);
}

static void without_a_chain_the_rest_stays(void **state)
{
    struct run best = a_run(10), run = a_run(18);
    struct explain_difference d;

    (void)state;
    lose(&run, TRACE_WAKEUP, 0, 8);
    best.metric[RUN_chain_refill_s] = (double)NAN;
    d = differ(&best, &run);
    assert_near(d.cause_s[TRACE_WAKEUP], 0);
    assert_near(d.rest_s, 8);
}

static void sums_are_means_of_the_runs_that_are_good(void **state)
{
    struct run runs[] = {a_run(10), a_run(12), a_run(1000), a_run(14)};
    struct explain_sums sums;

    (void)state;
    runs[2].status = RUN_FAILED;
    runs[3].metric[RUN_elapsed_work_s] = (double)NAN;
    lose(&runs[0], TRACE_OVERHEAD, 1, 0.5);
    assert_int_equal(explain_sum(&sums, runs, 4, NULL), HL_OK);
    assert_int_equal(sums.runs, 2);
    assert_near(sums.elapsed_s, 11.5);
    assert_near(sums.work_s, 11);
    assert_near(sums.part_s[TRACE_OVERHEAD], 0.5);
    assert_near(sums.chain_s[TRACE_OVERHEAD], 0.25);
}

static void runs_without_sums_give_their_reason(void **state)
{
    struct run runs[2];
    struct explain_sums sums;
    struct hl_error err = {0};

    (void)state;
    run_init(&runs[0], RUN_HOST, "not traced; simulate to have it");
    run_set(&runs[0], RUN_elapsed_s, 3);
    runs[1] = runs[0];
    runs[1].status = RUN_FAILED;
    assert_int_equal(explain_sum(&sums, runs, 2, &err), HL_UNSUPPORTED);
    assert_string_equal(err.text, "the runs do not say where time went: not traced; "
                                  "simulate to have it");
    assert_int_equal(explain_sum(&sums, runs + 1, 1, &err), HL_UNSUPPORTED);
    assert_string_equal(err.text, "the runs do not say where time went: no run succeeded");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cause_has_a_name_and_its_metrics),
        cmocka_unit_test(parts_are_taken_as_they_are),
        cmocka_unit_test(a_chain_that_says_what_is_missing_is_believed),
        cmocka_unit_test(what_the_parts_hold_is_not_counted_twice),
        cmocka_unit_test(a_chain_that_says_much_more_is_not_believed),
        cmocka_unit_test(a_chain_that_says_less_explains_that),
        cmocka_unit_test(a_chain_that_says_the_opposite_is_not_believed),
        cmocka_unit_test(without_a_chain_the_rest_stays),
        cmocka_unit_test(sums_are_means_of_the_runs_that_are_good),
        cmocka_unit_test(runs_without_sums_give_their_reason),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
