/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ule_test.c - placement, preemption, stealing and searches of ULE in 7.0 and later (spec freebsd 4 and 5). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"
#include "fake_host.h"

static const struct fake_shape one_cpu = {1, 1, 1, 1}, two_cpus = {1, 2, 1, 1},
                               four_cpus = {1, 4, 1, 1}, two_by_two_by_two = {1, 2, 2, 2};

static const char *const newer[] = {"ule:version=11", "ule:version=13", "ule:version=14"};

static void wake_from(struct fake_host *h, struct policy_task *t, int cpu)
{
    fake_wake(h, t, &(struct policy_wakeup){.why = POLICY_WAKE, .waker_cpu = cpu});
}

/* ---- 7.0 ---- */

static void a_fork_goes_to_the_lowest_idle_cpu_in_7_0(void **state)
{
    struct fake_host h;
    struct policy_task *parent, *child;

    (void)state;
    fake_open(&h, "ule:version=7.0", four_cpus);
    parent = fake_hog(&h, 0, 2);
    fake_settle(&h);
    child = fake_fork(&h, parent, false);
    fake_settle(&h);
    assert_int_equal(child->on_cpu, 0);
    fake_close(&h);
}

static void a_woken_task_returns_to_its_idle_cpu(void **state)
{
    struct fake_host h;
    struct policy_task *t, *waker;

    (void)state;
    fake_open(&h, "ule:version=7.0", four_cpus);
    t = fake_hog(&h, 0, 3);
    waker = fake_hog(&h, 0, 1);
    fake_settle(&h);
    fake_block(&h, t, WAIT_LOCK);
    fake_run_for(&h, HL_NS_PER_S); /* long cold, but idle */
    wake_from(&h, t, waker->on_cpu);
    fake_settle(&h);
    assert_int_equal(t->on_cpu, 3);
    fake_close(&h);
}

static void without_an_idle_cpu_the_waker_takes_whom_it_would_run(void **state)
{
    struct fake_host h;
    struct policy_task *t, *hog[2];

    (void)state;
    fake_open(&h, "ule:version=7.0", two_cpus);
    t = fake_hog(&h, 0, 1);
    fake_settle(&h);
    fake_block(&h, t, WAIT_TIMER); /* wakes with a kernel priority */
    hog[0] = fake_hog(&h, 0, 0);
    hog[1] = fake_hog(&h, 0, 1);
    fake_settle(&h);
    fake_run_for(&h, HL_NS_PER_S);
    wake_from(&h, t, 0);
    fake_settle(&h);
    assert_int_equal(t->on_cpu, 0);
    assert_true(hog[0]->on_cpu < 0 && hog[1]->on_cpu == 1);
    fake_close(&h);

    fake_open(&h, "ule:version=7.0:tryself=0", two_cpus);
    t = fake_hog(&h, 0, 1);
    fake_settle(&h);
    fake_block(&h, t, WAIT_TIMER);
    fake_hog(&h, 19, 0);
    fake_hog(&h, 0, 1);
    fake_settle(&h);
    fake_run_for(&h, HL_NS_PER_S);
    wake_from(&h, t, 1);
    fake_settle(&h);
    assert_int_equal(t->on_cpu, 0); /* the cpu whose best task is worst */
    fake_close(&h);
}

static void the_cpu_with_the_worst_task_attracts_more(void **state)
{
    struct fake_host h;
    struct policy_task *t;

    (void)state;
    fake_open(&h, "ule:version=7.0:tryself=0:balance=0:steal_thresh=3", two_cpus);
    t = fake_hog(&h, 0, 1);
    fake_settle(&h);
    fake_block(&h, t, WAIT_LOCK);
    fake_hog(&h, 19, 0);
    fake_hog(&h, 19, 0);
    fake_hog(&h, 0, 1);
    fake_settle(&h);
    fake_run_for(&h, HL_NS_PER_S / 2);
    assert_int_equal(fake_probe(&h, NULL, "cpu1.nr_running"), 1);
    wake_from(&h, t, 1);
    assert_int_equal(fake_probe(&h, NULL, "cpu0.nr_running"), 3); /* load only breaks ties */
    fake_close(&h);
}

static void timeshare_never_preempts_timeshare_on_another_cpu(void **state)
{
    struct fake_host h;
    struct policy_task *t;

    (void)state;
    fake_open(&h, "ule:version=7.0:pick_pri=0:tryself=0", two_cpus);
    t = fake_hog(&h, -20, 0);
    fake_settle(&h);
    fake_block(&h, t, WAIT_LOCK);
    fake_hog(&h, 19, 0);
    fake_hog(&h, 19, 1);
    fake_settle(&h);
    wake_from(&h, t, 1);
    assert_int_equal(fake_probe(&h, NULL, "cpu0.nr_running"), 2); /* it is warm there, and better */
    assert_true(fake_probe(&h, t, "priority") >= 160);
    assert_false(h.kicked[0]); /* but waits for the end of a turn */
    fake_close(&h);
}

static void thresholds_follow_the_number_of_cpus(void **state)
{
    static const struct {
        int cpus, threshold;
    } want[] = {{1, 0}, {2, 1}, {3, 1}, {4, 2}, {7, 2}, {8, 3}, {32, 3}};

    (void)state;
    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        struct fake_host h;

        fake_open(&h, "ule:version=7.0", (struct fake_shape){1, want[i].cpus, 1, 1});
        assert_int_equal(fake_probe(&h, NULL, "steal_thresh"), want[i].threshold);
        fake_close(&h);
    }
}

static void a_task_is_put_ahead_by_its_priority(void **state)
{
    struct fake_host h;
    struct policy_task *hog, *t;
    int64_t insert;

    (void)state;
    fake_open(&h, "ule:version=7.0", one_cpu);
    hog = fake_hog(&h, 0, 0);
    fake_settle(&h);
    t = fake_hog(&h, 0, 0); /* no use yet: 180, that is 20 ahead */
    (void)t;
    insert = fake_probe(&h, NULL, "cpu0.insert");
    assert_int_equal(fake_probe(&h, NULL, "cpu0.remove"), insert);
    fake_stat_tick(&h, 0); /* both move on over empty positions */
    assert_int_equal(fake_probe(&h, NULL, "cpu0.insert"), (insert + 1) % 64);
    assert_int_equal(fake_probe(&h, NULL, "cpu0.remove"), (insert + 1) % 64);
    for (int i = 0; i < 30; i++) {
        fake_stat_tick(&h, 0);
        fake_check(&h);
    }
    /* It stops at the position of the waiting task, and the insert position one further on. */
    assert_int_equal(fake_probe(&h, NULL, "cpu0.remove"), (insert + 20) % 64);
    assert_int_equal(fake_probe(&h, NULL, "cpu0.insert"), (insert + 21) % 64);
    assert_int_equal(hog->on_cpu, 0);
    fake_close(&h);
}

static void a_pair_of_siblings_steals_whatever_the_load(void **state)
{
    struct fake_host h;
    struct policy_task *c, *b;

    (void)state;
    fake_open(&h, "ule:version=7.0", two_by_two_by_two);
    c = fake_hog(&h, 0, 1);
    fake_hog(&h, 0, 0);
    fake_settle(&h);
    b = fake_hog(&h, 0, 0);
    fake_hog(&h, 0, 0); /* the first one met may be passed over */
    fake_settle(&h);
    fake_block(&h, c, WAIT_LOCK);
    fake_settle(&h);
    assert_int_equal(fake_probe(&h, NULL, "cpu1.nr_running"), 1);
    (void)b;
    fake_close(&h);
}

/* ---- 11 and later ---- */

static void a_fork_goes_to_an_idle_core_of_the_idler_cache(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct fake_host h;
        struct policy_task *parent, *child;

        /* cpus 0-3 share a cache, 4-7 another; a core is two of them. Cpus 0, 4 and 5 are busy. */
        fake_open(&h, newer[i], two_by_two_by_two);
        parent = fake_hog(&h, 0, 0);
        fake_hog(&h, 0, 4);
        fake_hog(&h, 0, 5);
        fake_settle(&h);
        child = fake_fork(&h, parent, false);
        fake_settle(&h);
        assert_in_range(child->on_cpu, 2, 3);
        fake_close(&h);
    }
}

static void a_warm_task_stays_within_its_cache(void **state)
{
    struct fake_host h;
    struct policy_task *t, *waker;

    (void)state;
    fake_open(&h, "ule:version=13", two_by_two_by_two);
    t = fake_hog(&h, 0, 0);
    fake_settle(&h);
    fake_block(&h, t, WAIT_LOCK);
    waker = fake_hog(&h, 0,
                     0); /* its cpu is taken; its cache has three idle cpus, the other one four */
    fake_settle(&h);
    h.policy.now_ns += 2 * HL_NS_PER_MS; /* warm for an L3: 3 ms */
    wake_from(&h, t, waker->on_cpu);
    fake_settle(&h);
    assert_in_range(t->on_cpu, 1, 3);
    fake_block(&h, t, WAIT_LOCK);
    fake_hog(&h, 0, t->last_cpu);
    fake_settle(&h);
    h.policy.now_ns += 4 * HL_NS_PER_MS;
    wake_from(&h, t, waker->on_cpu);
    fake_settle(&h);
    assert_in_range(t->on_cpu, 4, 7); /* cold: the idler cache */
    fake_close(&h);
}

static void a_sleeper_is_lifted_to_the_front_of_the_batch_range(void **state)
{
    static const struct {
        const char *spec;
        int64_t priority;
    } want[] = {{"ule:version=13", 152},
                {"ule:version=14", 136},
                {"ule:version=13:static_boost=1", 80 + 28},
                {"ule:version=13:static_boost=0", 152 + 20}};

    (void)state;
    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        struct fake_host h;
        struct policy_task *t;

        fake_open(&h, want[i].spec, one_cpu);
        t = fake_hog(&h, 0, 0);
        fake_settle(&h);
        fake_block(&h, t, WAIT_TIMER);
        assert_int_equal(fake_probe(&h, t, "priority"), want[i].priority);
        fake_close(&h);
    }
}

static void a_cpu_at_rest_does_not_look_again(void **state)
{
    struct fake_host h;

    (void)state;
    fake_open(&h, "ule:version=13", two_cpus);
    fake_hog(&h, 0, 0);
    fake_hog(&h, 0, 0);
    fake_settle(&h);
    fake_run_for(&h, 10 * HL_NS_PER_MS);
    assert_int_equal(fake_probe(&h, NULL, "cpu1.nr_running"), 0);
    fake_close(&h);

    fake_open(&h, "ule:version=13:always_steal=1", two_cpus);
    fake_hog(&h, 0, 0);
    fake_hog(&h, 0, 0);
    fake_settle(&h);
    fake_run_for(&h, 2 * HL_NS_PER_MS);
    assert_int_equal(fake_probe(&h, NULL, "cpu1.nr_running"), 1);
    fake_close(&h);
}

static void a_lone_hog_leaves_a_shared_core_in_14(void **state)
{
    struct fake_host h;

    (void)state;
    fake_open(&h, "ule:version=14", (struct fake_shape){1, 1, 2, 2});
    fake_hog(&h, 0, 0);
    fake_hog(&h, 0, 1);
    fake_settle(&h);
    fake_run_for(&h, 2 * HL_NS_PER_S);
    /* One thread of each core. */
    assert_int_equal(
        fake_probe(&h, NULL, "cpu0.nr_running") + fake_probe(&h, NULL, "cpu1.nr_running"), 1);
    assert_int_equal(h.migrations, 1); /* and it stays there */
    fake_close(&h);

    fake_open(&h, "ule:version=13", (struct fake_shape){1, 1, 2, 2});
    fake_hog(&h, 0, 0);
    fake_hog(&h, 0, 1);
    fake_settle(&h);
    fake_run_for(&h, 5 * HL_NS_PER_S);
    assert_int_equal(h.migrations, 0);
    fake_close(&h);
}

static void an_interactive_task_preempts_a_batch_task_elsewhere(void **state)
{
    static const char *const specs[] = {"ule:version=13:static_boost=0", "ule:version=13"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct fake_host h;
        struct policy_task *t, *hog;

        fake_open(&h, specs[i], two_cpus);
        t = fake_hog(&h, 0, 1);
        fake_settle(&h);
        fake_block(&h, t, WAIT_LOCK);
        fake_run_for(&h, 3 * HL_NS_PER_S);
        fake_wake_by_timer(&h, t);
        fake_settle(&h);
        fake_to_user(&h, t);
        assert_in_range(fake_probe(&h, t, "priority"), 120, 151);
        fake_block(&h, t, WAIT_LOCK);
        hog = fake_hog(&h, 0, 1);
        fake_hog(&h, 0, 0);
        fake_settle(&h);
        h.policy.now_ns += HL_NS_PER_MS;
        wake_from(&h, t, 0);
        /* Its priority is better than the batch range: static_boost never makes one worse. */
        assert_in_range(fake_probe(&h, t, "priority"), 120, 151);
        fake_settle(&h);
        assert_true(t->on_cpu >= 0);
        assert_int_equal(hog->on_cpu >= 0, t->on_cpu == 0);
        fake_close(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fork_goes_to_the_lowest_idle_cpu_in_7_0),
        cmocka_unit_test(a_woken_task_returns_to_its_idle_cpu),
        cmocka_unit_test(without_an_idle_cpu_the_waker_takes_whom_it_would_run),
        cmocka_unit_test(the_cpu_with_the_worst_task_attracts_more),
        cmocka_unit_test(timeshare_never_preempts_timeshare_on_another_cpu),
        cmocka_unit_test(thresholds_follow_the_number_of_cpus),
        cmocka_unit_test(a_task_is_put_ahead_by_its_priority),
        cmocka_unit_test(a_pair_of_siblings_steals_whatever_the_load),
        cmocka_unit_test(a_fork_goes_to_an_idle_core_of_the_idler_cache),
        cmocka_unit_test(a_warm_task_stays_within_its_cache),
        cmocka_unit_test(a_sleeper_is_lifted_to_the_front_of_the_batch_range),
        cmocka_unit_test(a_cpu_at_rest_does_not_look_again),
        cmocka_unit_test(a_lone_hog_leaves_a_shared_core_in_14),
        cmocka_unit_test(an_interactive_task_preempts_a_batch_task_elsewhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
