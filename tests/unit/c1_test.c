/* SPDX-License-Identifier: GPL-2.0-or-later */
/* c1_test.c - shared run queues: picking, wakeups, passive and active balancing (spec linux 4). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"
#include "fake_host.h"
#include "policy/o1_core.h"

static const struct fake_shape one_package = {1, 1, 1, 2}, two_by_two = {1, 2, 1, 2};

static bool share_a_package(const struct policy_task *a, const struct policy_task *b)
{
    return a->on_cpu / 2 == b->on_cpu / 2;
}

static void threads_of_a_package_share_a_queue(void **state)
{
    struct fake_host h;
    struct policy_task *a, *b;

    (void)state;
    fake_open(&h, "c1", two_by_two);
    a = fake_hog(&h, 0, 0);
    fake_settle(&h);
    b = fake_hog(&h, 0, 0);
    assert_true(h.kicked[1]); /* the idle sibling is poked */
    fake_settle(&h);
    assert_int_equal(a->on_cpu, 0);
    assert_int_equal(b->on_cpu, 1);
    assert_int_equal(fake_probe(&h, NULL, "cpu0.nr_running"), 2);
    assert_int_equal(fake_probe(&h, NULL, "cpu1.nr_running"), 2);
    assert_int_equal(fake_probe(&h, NULL, "cpu2.nr_running"), 0);
    fake_close(&h);
}

static void cores_have_queues_of_their_own_unless_packages_share(void **state)
{
    static const char *const spec[] = {"c1:share=package", "c1"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct fake_host h;

        fake_open(&h, spec[i], (struct fake_shape){1, 1, 2, 2});
        fake_hog(&h, 0, 0);
        assert_int_equal(fake_probe(&h, NULL, "cpu3.nr_running"), i == 0);
        fake_close(&h);
    }
}

static void a_wakeup_asks_hint_siblings_and_priorities_in_turn(void **state)
{
    static const uint64_t only_0 = 1;
    struct fake_host h;
    struct policy_task *t, *a, *b;

    (void)state;
    fake_open(&h, "c1", one_package);
    t = fake_hog(&h, 0, 0);
    fake_settle(&h);
    fake_block(&h, t, WAIT_TIMER);
    a = fake_hog(&h, -5, 0);
    fake_settle(&h);
    fake_wake_by_timer(&h, t); /* C1e: 0 is busy, 1 idle */
    assert_true(h.kicked[1] && !h.kicked[0]);
    fake_settle(&h);
    assert_int_equal(t->on_cpu, 1);
    fake_block(&h, t, WAIT_TIMER);
    t->last_cpu = 0;
    b = fake_hog(&h, 5, 1);
    fake_settle(&h);
    assert_int_equal(b->on_cpu, 1);
    fake_wake_by_timer(&h, t); /* a is better than t, b worse */
    assert_true(h.kicked[1] && !h.kicked[0]);
    fake_settle(&h);
    assert_int_equal(t->on_cpu, 1);
    assert_int_equal(a->on_cpu, 0);
    fake_block(&h, t, WAIT_TIMER);
    t->allowed = &only_0;
    t->last_cpu = 0;
    fake_wake_by_timer(&h, t); /* not allowed where it would preempt: waits */
    assert_true(!h.kicked[0] && !h.kicked[1]);
    fake_close(&h);
}

static void equal_priority_preempts_on_request_only(void **state)
{
    static const char *const spec[] = {"c1", "c1:equal_prio_preempts"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct fake_host h;

        fake_open(&h, spec[i], (struct fake_shape){1, 1, 1, 1});
        fake_hog(&h, 0, 0);
        fake_settle(&h);
        fake_run_for(&h, 10 * HL_NS_PER_MS);
        fake_hog(&h, 0, 0); /* 102 jiffies left against 92 */
        assert_int_equal(h.kicked[0], i);
        fake_close(&h);
    }
}

static void a_fork_pokes_nobody_and_the_idle_sibling_finds_out(void **state)
{
    static const char *const spec[] = {"c1", "c1:idle_tick_resched=n"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct fake_host h;
        struct policy_task *parent, *child;

        fake_open(&h, spec[i], one_package);
        parent = fake_hog(&h, 0, 0);
        fake_settle(&h);
        child = fake_fork(&h, parent, false);
        assert_false(h.kicked[1]);
        fake_settle(&h);
        assert_int_equal(child->on_cpu, 0);
        fake_run_for(&h, 2 * HL_NS_PER_MS);
        assert_int_equal(parent->on_cpu, i == 0 ? 1 : POLICY_NO_CPU);
        fake_close(&h);
    }
}

static void an_idle_package_steals_what_is_queued(void **state)
{
    struct fake_host h;
    struct policy_task *parent, *child;

    (void)state;
    fake_open(&h, "c1:idle_tick_resched=n", two_by_two);
    parent = fake_hog(&h, 0, 0);
    fake_settle(&h);
    child = fake_fork(&h, parent, false);
    fake_settle(&h);
    fake_run_for(&h, HL_NS_PER_MS);
    assert_int_equal(child->on_cpu, 0);
    assert_int_equal(parent->on_cpu / 2, 1);
    fake_close(&h);
}

static void a_package_going_idle_asks_a_full_one(void **state)
{
    struct fake_host h;
    struct policy_task *a, *b, *third;

    (void)state; /* C1a */
    fake_open(&h, "c1", two_by_two);
    a = fake_hog(&h, 0, 0);
    b = fake_hog(&h, 0, 1);
    third = fake_hog(&h, 0, 2);
    fake_settle(&h);
    fake_run_for(&h, 5 * HL_NS_PER_MS);
    assert_true(share_a_package(a, b));
    fake_exit(&h, third);
    assert_true(h.stop_asked[0]);
    fake_settle(&h);
    assert_false(share_a_package(a, b));
    assert_int_equal(h.migrations, 1);
    fake_run_for(&h, HL_NS_PER_S);
    assert_int_equal(h.migrations, 1);
    fake_close(&h);
}

static void a_package_idle_all_along_asks_nobody(void **state)
{
    struct fake_host h;
    struct policy_task *a, *b;

    (void)state; /* C1d */
    fake_open(&h, "c1", two_by_two);
    fake_run_for(&h, HL_NS_PER_S);
    a = fake_hog(&h, 0, 0);
    b = fake_hog(&h, 0, 1);
    fake_settle(&h);
    fake_run_for(&h, 10 * HL_NS_PER_S);
    assert_true(share_a_package(a, b));
    assert_int_equal(h.migrations, 0);
    fake_close(&h);
}

static void the_migration_thread_gives_up_when_a_thread_is_idle(void **state)
{
    struct fake_host h;
    struct policy_task *a, *b, *third;

    (void)state;
    fake_open(&h, "c1", two_by_two);
    a = fake_hog(&h, 0, 0);
    b = fake_hog(&h, 0, 1);
    third = fake_hog(&h, 0, 2);
    fake_settle(&h);
    fake_exit(&h, third);
    fake_block(&h, b, WAIT_TIMER); /* before the request arrives */
    fake_settle(&h);
    assert_int_equal(a->on_cpu, 0);
    assert_int_equal(h.migrations, 0);
    third = fake_hog(&h, 0, 2); /* the request was cleared: the next one is made */
    fake_settle(&h);
    fake_wake_by_timer(&h, b);
    fake_settle(&h);
    fake_exit(&h, third);
    assert_true(h.stop_asked[0]);
    fake_close(&h);
}

static void an_odd_hog_out_never_waits(void **state)
{
    struct fake_host h;
    int64_t ran_ns[3], least = INT64_MAX, most = 0;

    (void)state; /* C1c: 2:1:1 over 30 s */
    fake_open(&h, "c1", one_package);
    for (int i = 0; i < 3; i++)
        fake_hog(&h, 0, 0);
    fake_settle(&h);
    fake_run_for(&h, 30 * HL_NS_PER_S);
    for (int i = 0; i < 3; i++) {
        ran_ns[i] = fake_ran_ns(&h, &h.tasks[i]);
        least = HL_MIN(least, ran_ns[i]);
        most = HL_MAX(most, ran_ns[i]);
    }
    assert_in_range(most, 29700 * HL_NS_PER_MS, 30000 * HL_NS_PER_MS);
    assert_in_range(least, 14850 * HL_NS_PER_MS, 15150 * HL_NS_PER_MS);
    fake_close(&h);
}

static void two_or_four_hogs_share_equally(void **state)
{
    static const int count[] = {2, 4};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct fake_host h;

        fake_open(&h, "c1", one_package);
        for (int k = 0; k < count[i]; k++)
            fake_hog(&h, 0, 0);
        fake_settle(&h);
        fake_run_for(&h, 30 * HL_NS_PER_S);
        for (int k = 0; k < count[i]; k++)
            assert_in_range(fake_ran_ns(&h, &h.tasks[k]), (60000 / count[i] - 300) * HL_NS_PER_MS,
                            (60000 / count[i] + 300) * HL_NS_PER_MS);
        fake_close(&h);
    }
}

static void five_hogs_on_two_packages_are_three_and_two(void **state)
{
    struct fake_host h;
    int full = 0;

    (void)state; /* C1f */
    fake_open(&h, "c1", two_by_two);
    for (int i = 0; i < 5; i++)
        fake_hog(&h, 0, i % 4);
    fake_settle(&h);
    fake_run_for(&h, 20 * HL_NS_PER_S);
    for (int i = 0; i < 5; i++) {
        int64_t ran_ns = fake_ran_ns(&h, &h.tasks[i]);

        assert_in_range(ran_ns, 9800 * HL_NS_PER_MS, 20000 * HL_NS_PER_MS);
        full += ran_ns > 19800 * HL_NS_PER_MS;
    }
    assert_int_equal(full, 2);
    fake_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_of_a_package_share_a_queue),
        cmocka_unit_test(cores_have_queues_of_their_own_unless_packages_share),
        cmocka_unit_test(a_wakeup_asks_hint_siblings_and_priorities_in_turn),
        cmocka_unit_test(equal_priority_preempts_on_request_only),
        cmocka_unit_test(a_fork_pokes_nobody_and_the_idle_sibling_finds_out),
        cmocka_unit_test(an_idle_package_steals_what_is_queued),
        cmocka_unit_test(a_package_going_idle_asks_a_full_one),
        cmocka_unit_test(a_package_idle_all_along_asks_nobody),
        cmocka_unit_test(the_migration_thread_gives_up_when_a_thread_is_idle),
        cmocka_unit_test(an_odd_hog_out_never_waits),
        cmocka_unit_test(two_or_four_hogs_share_equally),
        cmocka_unit_test(five_hogs_on_two_packages_are_three_and_two),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
