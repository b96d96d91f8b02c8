/* SPDX-License-Identifier: GPL-2.0-or-later */
/* o1_balance_test.c - which tasks o1 and ht3 move, when, how many (spec linux 3.7, 3.8, 6.1). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"
#include "fake_host.h"
#include "policy/o1_core.h"

static const struct fake_shape two_cpus = {1, 2, 1, 1}, two_by_two = {1, 2, 1, 2};

static int64_t length(const struct fake_host *h, int cpu)
{
    static const char *const field[] = {"cpu0.nr_running", "cpu1.nr_running", "cpu2.nr_running",
                                        "cpu3.nr_running"};

    return fake_probe(h, NULL, field[cpu]);
}

/* `count` hogs on cpu; the first of them runs. */
static void add_hogs(struct fake_host *h, int cpu, int count)
{
    for (int i = 0; i < count; i++)
        fake_hog(h, 0, cpu);
    fake_settle(h);
}

/* The tick of cpu in this jiffy. */
static void tick_at(struct fake_host *h, int cpu, int64_t jiffy)
{
    h->policy.now_ns = jiffy * HL_NS_PER_MS + HL_NS_PER_MS / 2;
    fake_tick(h, cpu);
    fake_check(h);
}

/* What cpu 1 has after a busy balancing of queues of these lengths that it saw before. */
static int64_t after_busy_balancing(int source, int own)
{
    struct fake_host h;
    int64_t result;

    fake_open(&h, "o1", two_cpus);
    add_hogs(&h, 0, source);
    add_hogs(&h, 1, own);
    tick_at(&h, 1, 200); /* sees the length for the first time and does not trust it */
    assert_int_equal(length(&h, 1), own);
    tick_at(&h, 1, 399);
    assert_int_equal(length(&h, 1), own);
    tick_at(&h, 1, 400);
    result = length(&h, 1);
    fake_close(&h);
    return result;
}

static void busy_balancing_moves_half_of_the_difference(void **state)
{
    (void)state;
    assert_int_equal(after_busy_balancing(3, 1), 2); /* imbalance 2: one */
    assert_int_equal(after_busy_balancing(4, 1), 2); /* 3: one */
    assert_int_equal(after_busy_balancing(5, 1), 3); /* 4: two */
    assert_int_equal(after_busy_balancing(9, 3), 6); /* 6: three */
}

static void an_imbalance_of_one_moves_everything_that_waits(void **state)
{
    (void)state;
    assert_int_equal(after_busy_balancing(2, 1), 2);
    assert_int_equal(after_busy_balancing(3, 2), 4);
    assert_int_equal(after_busy_balancing(4, 3), 6);
}

static void small_differences_are_left(void **state)
{
    (void)state;
    assert_int_equal(after_busy_balancing(5, 4), 4); /* 1 x 4 < 5 */
    assert_int_equal(after_busy_balancing(9, 7), 7); /* 2 x 4 < 9 */
    assert_int_equal(after_busy_balancing(2, 2), 2);
}

static void busy_balancing_leaves_warm_tasks(void **state)
{
    static const int64_t left_ago_ns[] = {2000000, 2000001}; /* cache_decay: 2 jiffies */

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct fake_host h;

        fake_open(&h, "o1", two_cpus);
        add_hogs(&h, 0, 3);
        add_hogs(&h, 1, 1);
        tick_at(&h, 1, 200);
        for (int id = 0; id < 3; id++)
            o1_task_of(&h.tasks[id])->stamp_ns = 400500000 - left_ago_ns[i];
        tick_at(&h, 1, 400);
        assert_int_equal(length(&h, 1), 1 + i);
        fake_close(&h);
    }
}

static void an_idle_tick_takes_one_task_warm_or_not(void **state)
{
    struct fake_host h;

    (void)state;
    fake_open(&h, "o1", two_cpus);
    add_hogs(&h, 0, 4);
    fake_tick(&h, 1);
    assert_int_equal(length(&h, 1), 1);
    assert_true(h.kicked[1]);
    fake_close(&h);
}

static void a_cpu_that_runs_dry_takes_one_task(void **state)
{
    struct fake_host h;
    struct policy_task *t;

    (void)state;
    fake_open(&h, "o1", two_cpus);
    add_hogs(&h, 0, 2);
    t = fake_hog(&h, 0, 1);
    fake_settle(&h);
    fake_exit(&h, t);
    assert_int_equal(length(&h, 1), 1);
    assert_non_null(h.policy.running[1]);
    assert_false(h.kicked[1]);
    fake_close(&h);
}

static void expired_goes_first_then_priority_then_the_tail(void **state)
{
    struct fake_host h;
    struct policy_task *low, *high[2], *expired;

    (void)state;
    fake_open(&h, "o1", (struct fake_shape){1, 1, 1, 4});
    fake_hog(&h, -20, 0);
    fake_settle(&h);
    low = fake_hog(&h, 10, 0);
    high[0] = fake_hog(&h, 0, 0);
    high[1] = fake_hog(&h, 0, 0);
    expired = fake_hog(&h, 19, 0);
    o1_move(o1_of(&h.policy), expired, 0, true);
    fake_tick(&h, 1);
    fake_settle(&h);
    assert_int_equal(expired->on_cpu, 1);
    fake_tick(&h, 2);
    fake_settle(&h);
    assert_int_equal(high[1]->on_cpu, 2);
    fake_tick(&h, 3);
    fake_settle(&h);
    assert_int_equal(high[0]->on_cpu, 3);
    assert_int_equal(low->on_cpu, POLICY_NO_CPU);
    fake_close(&h);
}

static void tasks_stay_where_they_are_allowed(void **state)
{
    static const uint64_t only_0 = 1;
    struct fake_host h;

    (void)state;
    fake_open(&h, "o1", two_cpus);
    for (int i = 0; i < 3; i++)
        fake_hog(&h, 0, 0)->allowed = &only_0;
    fake_settle(&h);
    fake_run_for(&h, HL_NS_PER_S);
    assert_int_equal(length(&h, 1), 0);
    fake_close(&h);
}

static void two_hogs_on_siblings_stay_for_ever(void **state)
{
    static const char *const spec[] = {"o1", "ht3"};

    (void)state; /* O5, H1 */
    for (int i = 0; i < 2; i++) {
        struct fake_host h;

        fake_open(&h, spec[i], two_by_two);
        add_hogs(&h, 0, 1);
        add_hogs(&h, 1, 1);
        fake_run_for(&h, 10 * HL_NS_PER_S);
        assert_int_equal(h.migrations, 0);
        fake_close(&h);
    }
}

static void three_hogs_change_cpus_on_two(void **state)
{
    struct fake_host h;
    int64_t sum = 0;

    (void)state; /* O3 */
    fake_open(&h, "o1", two_cpus);
    add_hogs(&h, 0, 2);
    add_hogs(&h, 1, 1);
    fake_run_for(&h, 10 * HL_NS_PER_S);
    for (int id = 0; id < 3; id++) {
        assert_in_range(fake_ran_ns(&h, &h.tasks[id]), 5500 * HL_NS_PER_MS, 8500 * HL_NS_PER_MS);
        sum += fake_ran_ns(&h, &h.tasks[id]);
    }
    assert_in_range(sum, 20 * HL_NS_PER_S - 2 * HL_NS_PER_MS, 20 * HL_NS_PER_S);
    assert_in_range(h.migrations, 10, 50);
    fake_close(&h);
}

static void ht3_pulls_warm_tasks_from_its_sibling_only(void **state)
{
    static const char *const spec[] = {"ht3", "ht3", "o1"};
    static const int puller[] = {1, 2, 1}, expected[] = {2, 1, 1};

    (void)state; /* H2 */
    for (int i = 0; i < 3; i++) {
        struct fake_host h;

        fake_open(&h, spec[i], two_by_two);
        add_hogs(&h, 0, 3);
        add_hogs(&h, puller[i], 1);
        tick_at(&h, puller[i], 200);
        for (int id = 0; id < 3; id++)
            o1_task_of(&h.tasks[id])->stamp_ns = 399500000; /* left the cpu 1 ms ago */
        tick_at(&h, puller[i], 400);
        assert_int_equal(length(&h, puller[i]), expected[i]);
        fake_close(&h);
    }
}

static void ht3_takes_active_tasks_first_from_its_sibling(void **state)
{
    static const int puller[] = {1, 2};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct fake_host h;
        struct policy_task *active, *expired;

        fake_open(&h, "ht3", two_by_two);
        add_hogs(&h, 0, 1);
        active = fake_hog(&h, 0, 0);
        expired = fake_hog(&h, 0, 0);
        o1_move(o1_of(&h.policy), expired, 0, true);
        fake_tick(&h, puller[i]);
        fake_settle(&h);
        assert_ptr_equal(h.policy.running[puller[i]], i == 0 ? active : expired);
        fake_close(&h);
    }
}

/* ---- version 2.5.32 ---- */

static void version_2_5_32_balances_by_its_own_arithmetic(void **state)
{
    /* imbalance (max - own) / 2; none below (max + 3) / 4, nor if the source has own + 1 or less */
    static const struct {
        int source, own, expected;
    } cases[] = {{3, 1, 2}, {2, 1, 1}, {4, 1, 2}, {5, 1, 3}, {4, 2, 3}, {5, 3, 3}, {9, 5, 5}};

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(cases); i++) {
        struct fake_host h;

        fake_open(&h, "o1:version=2.5.32", two_cpus);
        add_hogs(&h, 0, cases[i].source);
        add_hogs(&h, 1, cases[i].own);
        tick_at(&h, 1, 250);
        tick_at(&h, 1, 500);
        assert_int_equal(length(&h, 1), cases[i].expected);
        fake_close(&h);
    }
}

static void version_2_5_32_leaves_warm_tasks_to_idle_cpus_too(void **state)
{
    struct fake_host h;

    (void)state;
    fake_open(&h, "o1:version=2.5.32", two_cpus);
    add_hogs(&h, 0, 2);
    h.policy.now_ns = HL_NS_PER_MS;
    fake_tick(&h, 1);
    assert_int_equal(length(&h, 1), 0);
    h.policy.now_ns = 2 * HL_NS_PER_MS + 1;
    fake_tick(&h, 1);
    assert_int_equal(length(&h, 1), 1);
    fake_close(&h);
}

/* ---- nodes ---- */

static void an_idle_node_is_helped_every_fifth_jiffy_only(void **state)
{
    struct fake_host h;

    (void)state;
    fake_open(&h, "o1", (struct fake_shape){2, 2, 1, 1});
    add_hogs(&h, 0, 2);
    add_hogs(&h, 1, 2);
    tick_at(&h, 2, 6);
    assert_int_equal(length(&h, 2), 0);
    tick_at(&h, 2, 10); /* load 10 x 4 / 2 against 0 */
    assert_int_equal(length(&h, 2), 1);
    assert_int_equal(length(&h, 0), 1); /* the first of equals */
    fake_close(&h);
}

static void a_node_below_the_threshold_is_left_alone(void **state)
{
    struct fake_host h;

    (void)state;
    fake_open(&h, "o1", (struct fake_shape){2, 4, 1, 1});
    for (int cpu = 0; cpu < 7; cpu++)
        add_hogs(&h, cpu, 1);
    add_hogs(&h, 0, 1);
    /* 10 x 5 / 4 = 12 against 7: pulled; with one task more on the own node, 12 against 10: not */
    add_hogs(&h, 4, 1);
    tick_at(&h, 7, 5);
    assert_int_equal(length(&h, 0), 2);
    fake_close(&h);
}

static void exec_goes_to_the_idlest_cpu_of_the_idlest_node(void **state)
{
    struct fake_host h;

    (void)state;
    fake_open(&h, "o1", (struct fake_shape){2, 2, 1, 1});
    add_hogs(&h, 0, 2);
    add_hogs(&h, 2, 1);
    assert_int_equal(fake_exec(&h, h.policy.running[0]), 0); /* two runnable: stays */
    add_hogs(&h, 0, 1);
    assert_int_equal(fake_exec(&h, h.policy.running[0]), 3);
    fake_settle(&h);
    assert_non_null(h.policy.running[3]);
    fake_close(&h);
    fake_open(&h, "o1", (struct fake_shape){1, 4, 1, 1});
    add_hogs(&h, 0, 3);
    assert_int_equal(fake_exec(&h, h.policy.running[0]), 0); /* one node: never */
    fake_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(busy_balancing_moves_half_of_the_difference),
        cmocka_unit_test(an_imbalance_of_one_moves_everything_that_waits),
        cmocka_unit_test(small_differences_are_left),
        cmocka_unit_test(busy_balancing_leaves_warm_tasks),
        cmocka_unit_test(an_idle_tick_takes_one_task_warm_or_not),
        cmocka_unit_test(a_cpu_that_runs_dry_takes_one_task),
        cmocka_unit_test(expired_goes_first_then_priority_then_the_tail),
        cmocka_unit_test(tasks_stay_where_they_are_allowed),
        cmocka_unit_test(two_hogs_on_siblings_stay_for_ever),
        cmocka_unit_test(three_hogs_change_cpus_on_two),
        cmocka_unit_test(ht3_pulls_warm_tasks_from_its_sibling_only),
        cmocka_unit_test(ht3_takes_active_tasks_first_from_its_sibling),
        cmocka_unit_test(version_2_5_32_balances_by_its_own_arithmetic),
        cmocka_unit_test(version_2_5_32_leaves_warm_tasks_to_idle_cpus_too),
        cmocka_unit_test(an_idle_node_is_helped_every_fifth_jiffy_only),
        cmocka_unit_test(a_node_below_the_threshold_is_left_alone),
        cmocka_unit_test(exec_goes_to_the_idlest_cpu_of_the_idlest_node),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
