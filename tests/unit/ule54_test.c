/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ule54_test.c - scores, slices, placement and hand-over of ULE 1.0 (spec freebsd 3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"
#include "fake_host.h"
#include "policy/ule_history.h"

static const struct fake_shape one_cpu = {1, 1, 1, 1}, two_cpus = {1, 2, 1, 1},
                               three_cpus = {1, 3, 1, 1}, two_by_two = {1, 2, 1, 2};

static int32_t score(int32_t ran, int32_t slept)
{
    struct ule_history h = {ran << ULE_TICK_SHIFT, slept << ULE_TICK_SHIFT};

    return ule_history_score_5(&h);
}

static void the_score_is_the_ratio_of_running_to_sleeping(void **state)
{
    (void)state;
    assert_int_equal(score(0, 0), 0);
    assert_int_equal(score(100, 100), 0); /* equal: 0 in 5.x */
    assert_int_equal(score(10, 25), 20);  /* 10 / (25 / 50) */
    assert_int_equal(score(60, 100), 30); /* the border: 0.6 is not interactive */
    assert_int_equal(score(59, 100), 29);
    assert_int_equal(score(100, 50), 75); /* 50 + (50 - 50 / (100 / 50)) */
    assert_int_equal(score(100, 0), 100);
}

static void history_is_kept_at_about_five_seconds(void **state)
{
    struct ule_history h = {200 << ULE_TICK_SHIFT, 299 << ULE_TICK_SHIFT}, child;

    (void)state;
    ule_history_trim(&h, 100);
    assert_int_equal(h.ran >> ULE_TICK_SHIFT, 200); /* 4.99 s */
    h.slept += 2 << ULE_TICK_SHIFT;
    ule_history_trim(&h, 100);
    assert_int_equal(h.ran >> ULE_TICK_SHIFT, 160); /* 4/5 */
    assert_int_equal(h.slept >> ULE_TICK_SHIFT, 240);
    h.slept += 300 << ULE_TICK_SHIFT; /* 7 s: above 6 */
    ule_history_trim(&h, 100);
    assert_int_equal(h.ran >> ULE_TICK_SHIFT, 80);
    ule_history_fork(&child, &h, 100); /* 3.5 s in all, 0.5 s are kept: a seventh */
    assert_int_equal(child.ran >> ULE_TICK_SHIFT, 11);
}

static void an_equal_or_larger_run_time_is_50_since_7_0(void **state)
{
    struct ule_history h = {0};

    (void)state;
    assert_int_equal(ule_history_score_7(&h, 30), 50);
    assert_int_equal(ule_history_score_7(&h, 60), 0);
    h.ran = h.slept = 100;
    assert_int_equal(ule_history_score_7(&h, 60), 50);
    h.ran = 1000;
    assert_int_equal(ule_history_score_7(&h, 30), 50);
    h = (struct ule_history){1 << ULE_TICK_SHIFT, 1001 << ULE_TICK_SHIFT};
    ule_history_trim_7(&h, 100); /* more than twice five seconds: the larger one is all */
    assert_int_equal(h.ran, 1);
    assert_int_equal(h.slept >> ULE_TICK_SHIFT, 500);
}

static void cpu_use_is_the_share_of_ten_seconds(void **state)
{
    struct ule_use u = {.first = 0, .last = 0};

    (void)state;
    for (int32_t tick = 1; tick <= 10999; tick++)
        ule_use_add(&u, tick, tick % 2, 1000);
    assert_int_equal(ule_use_level(&u, 23, 1000), 11); /* two sharing hogs: half of 23 */
    ule_use_add(&u, 11000, 0, 1000);                   /* a window of 11 s is cut to 10 */
    assert_int_equal(u.first, 1000);
    assert_in_range(u.ran, 4995, 5005);
    ule_use_update(&u, 21000, 1000);
    assert_int_equal(u.ran, 0);
}

static void slices_depend_on_the_nice_window(void **state)
{
    static const int nice[] = {0, 5, 10, 15, 19}, slice_a[] = {14, 11, 7, 3, 0};

    (void)state;
    for (int i = 0; i < 5; i++) {
        struct fake_host h;
        struct policy_task *t;

        fake_open(&h, "ule:version=5.4", one_cpu);
        fake_hog(&h, 0, 0);
        t = fake_hog(&h, nice[i], 0);
        fake_run_until(&h, 2 * HL_NS_PER_S); /* judged as a computing task */
        if (t->on_cpu < 0)
            assert_int_equal(fake_probe(&h, t, "slice"), slice_a[i]);
        fake_close(&h);
    }
}

/* A parent with one running child forks more of them at once. */
static struct policy_task *busy_parent(struct fake_host *h, const char *spec,
                                       struct fake_shape shape)
{
    struct policy_task *parent;

    fake_open(h, spec, shape);
    parent = fake_hog(h, 0, 0);
    fake_settle(h);
    return parent;
}

static void a_lone_parent_keeps_its_first_child(void **state)
{
    struct fake_host h;
    struct policy_task *parent = busy_parent(&h, "ule:version=5.4", two_cpus), *first, *second;

    (void)state;
    first = fake_fork(&h, parent, false);
    fake_settle(&h);
    assert_int_equal(fake_probe(&h, NULL, "cpu0.nr_running"), 2);
    assert_int_equal(first->on_cpu, POLICY_NO_CPU);
    second = fake_fork(&h, parent, false);
    assert_true(h.kicked[1]);
    fake_settle(&h);
    assert_int_equal(second->on_cpu, 1);
    fake_close(&h);
}

static void text_a_may_hand_two_tasks_to_one_idle_cpu(void **state)
{
    struct fake_host h;
    struct policy_task *parent = busy_parent(&h, "ule:version=5.4", three_cpus), *a, *b;

    (void)state;
    fake_fork(&h, parent, false);
    fake_settle(&h);
    a = fake_fork(&h, parent, false); /* no time to accept in between */
    b = fake_fork(&h, parent, false);
    assert_true(h.kicked[1] && !h.kicked[2]);
    fake_settle(&h);
    assert_true(a->on_cpu == 1 && b->on_cpu == POLICY_NO_CPU);
    assert_int_equal(fake_probe(&h, NULL, "cpu1.nr_running"), 2);
    fake_close(&h);

    parent = busy_parent(&h, "ule:version=5.4:text=b", three_cpus);
    fake_fork(&h, parent, false);
    fake_settle(&h);
    a = fake_fork(&h, parent, false);
    b = fake_fork(&h, parent, false);
    fake_settle(&h);
    assert_true(a->on_cpu == 1 && b->on_cpu == 2);
    fake_close(&h);
}

static void a_wakeup_pulls_the_task_to_the_waker(void **state)
{
    struct fake_host h;
    struct policy_task *waker = busy_parent(&h, "ule:version=5.4", two_cpus), *sleeper;

    (void)state;
    sleeper = fake_hog(&h, 0, 1);
    fake_settle(&h);
    fake_block(&h, sleeper, WAIT_LOCK);
    fake_wake(&h, sleeper, &(struct policy_wakeup){.why = POLICY_WAKE, .waker_cpu = waker->on_cpu});
    assert_int_equal(fake_probe(&h, NULL, "cpu0.nr_running"), 2);
    assert_false(h.kicked[1]); /* idle, and where it ran last */
    fake_close(&h);
}

static void an_idle_thread_takes_from_its_sibling_only(void **state)
{
    struct fake_host h;
    struct policy_task *a, *b, *c;

    (void)state;
    fake_open(&h, "ule:version=5.4", two_by_two);
    c = fake_hog(&h, 0, 1);
    fake_settle(&h);
    a = fake_hog(&h, 0, 0);
    fake_settle(&h);
    b = fake_hog(&h, 0, 0);
    fake_settle(&h);
    fake_block(&h, c, WAIT_LOCK);
    assert_true(a->on_cpu == 0 && b->on_cpu == 1);
    fake_close(&h);
}

static void interactive_tasks_return_to_the_current_queue(void **state)
{
    struct fake_host h;
    struct policy_task *hog, *t;

    (void)state;
    fake_open(&h, "ule:version=5.4", one_cpu);
    t = fake_hog(&h, 0, 0);
    fake_settle(&h);
    fake_block(&h, t, WAIT_TIMER);
    hog = fake_hog(&h, 0, 0);
    fake_run_for(&h, 4 * HL_NS_PER_S);
    fake_wake_by_timer(&h, t);
    fake_settle(&h);
    assert_int_equal(t->on_cpu, 0); /* with the kernel priority of its sleep */
    fake_to_user(&h, t);
    assert_in_range(fake_probe(&h, t, "user_priority"), 160, 160 + 29 * 64 / 100);
    fake_run_for(&h, HL_NS_PER_S); /* its slice ends seven times, and the hog is never in curr */
    assert_int_equal(t->on_cpu, 0);
    assert_int_equal(fake_ran_ns(&h, t), HL_NS_PER_S);
    fake_run_for(&h, 3 * HL_NS_PER_S); /* above 0.6 of what it slept it is a computing task */
    assert_true(fake_ran_ns(&h, t) < 4 * HL_NS_PER_S);
    assert_int_equal(hog->id, 1);
    fake_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_score_is_the_ratio_of_running_to_sleeping),
        cmocka_unit_test(history_is_kept_at_about_five_seconds),
        cmocka_unit_test(an_equal_or_larger_run_time_is_50_since_7_0),
        cmocka_unit_test(cpu_use_is_the_share_of_ten_seconds),
        cmocka_unit_test(slices_depend_on_the_nice_window),
        cmocka_unit_test(a_lone_parent_keeps_its_first_child),
        cmocka_unit_test(text_a_may_hand_two_tasks_to_one_idle_cpu),
        cmocka_unit_test(a_wakeup_pulls_the_task_to_the_waker),
        cmocka_unit_test(an_idle_thread_takes_from_its_sibling_only),
        cmocka_unit_test(interactive_tasks_return_to_the_current_queue),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
