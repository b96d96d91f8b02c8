/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bsd4_test.c - priorities, turns, forwarded wake-ups of 4bsd (spec freebsd 2). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"
#include "fake_host.h"

static const struct fake_shape one_cpu = {1, 1, 1, 1}, two_cpus = {1, 2, 1, 1},
                               four_cpus = {1, 4, 1, 1};

static void one_priority_costs_eight_sampled_ticks_per_cpu(void **state)
{
    struct fake_host h;
    struct policy_task *t;

    (void)state;
    fake_open(&h, "4bsd:version=7.0", one_cpu);
    t = fake_hog(&h, 0, 0);
    fake_settle(&h);
    assert_int_equal(fake_probe(&h, t, "priority"), 160 + 20);
    for (int i = 0; i < 7; i++)
        fake_stat_tick(&h, 0);
    assert_int_equal(fake_probe(&h, t, "priority"), 180);
    fake_stat_tick(&h, 0);
    assert_int_equal(fake_probe(&h, t, "priority"), 181);
    for (int i = 0; i < 1000; i++)
        fake_stat_tick(&h, 0);
    assert_int_equal(fake_probe(&h, t, "estcpu"), 295); /* 8 x (40 - 4) + 7 */
    assert_int_equal(fake_probe(&h, t, "priority"), 180 + 36);
    fake_close(&h);

    fake_open(&h, "4bsd:version=7.0", two_cpus);
    t = fake_hog(&h, 0, 0);
    fake_settle(&h);
    for (int i = 0; i < 1000; i++)
        fake_stat_tick(&h, 0);
    assert_int_equal(fake_probe(&h, t, "estcpu"), 591); /* 16 x 36 + 15 */
    fake_close(&h);
}

static void use_is_forgotten_once_a_second_by_the_load(void **state)
{
    struct fake_host h;
    struct policy_task *t;

    (void)state;
    fake_open(&h, "4bsd:version=7.0", one_cpu);
    t = fake_hog(&h, 0, 0);
    fake_run_until(&h, 600 * HL_NS_PER_S);
    assert_in_range(fake_probe(&h, NULL, "load_milli"), 990, 1000);
    /* Load 1: a second leaves 2/3 of it, so x = (x + 133) 2/3 = 266 just after a pass, at most LIM before. */
    assert_in_range(fake_probe(&h, t, "estcpu"), 195, 295);
    fake_block(&h, t, WAIT_LOCK);
    fake_run_for(&h, 3 * HL_NS_PER_S);
    /* The passes decay until it has slept for two of them; the wake-up makes up for the rest, 3 in all. */
    assert_in_range(fake_probe(&h, t, "slptime"), 2, 3);
    fake_wake_by_timer(&h, t);
    assert_in_range(fake_probe(&h, t, "estcpu"), 195 * 8 / 27 - 15, 295 * 8 / 27);
    assert_int_equal(fake_probe(&h, t, "slptime"), 0);
    fake_close(&h);
}

static void a_sleeper_beats_all_user_code_until_it_returns_to_user_mode(void **state)
{
    struct fake_host h;
    struct policy_task *sleeper, *hog;

    (void)state;
    fake_open(&h, "4bsd:version=7.0", one_cpu);
    sleeper = fake_hog(&h, 19, 0);
    fake_settle(&h);
    fake_block(&h, sleeper, WAIT_TIMER);
    hog = fake_hog(&h, -20, 0);
    fake_settle(&h);
    fake_wake_by_timer(&h, sleeper);
    assert_int_equal(fake_probe(&h, sleeper, "priority"), 64 + 28); /* PWAIT */
    assert_true(h.kicked[0]);
    fake_settle(&h);
    assert_int_equal(sleeper->on_cpu, 0);
    fake_to_user(&h, sleeper);
    assert_int_equal(fake_probe(&h, sleeper, "priority"), 160 + 39);
    fake_settle(&h);
    assert_int_equal(sleeper->on_cpu, 0); /* it does not give up the cpu at that point */
    fake_close(&h);

    fake_open(&h, "4bsd:version=7.0", one_cpu);
    sleeper = fake_hog(&h, 19, 0);
    fake_settle(&h);
    fake_block(&h, sleeper, WAIT_LOCK); /* userland locks sleep without a priority */
    hog = fake_hog(&h, -20, 0);
    fake_settle(&h);
    fake_wake_by_timer(&h, sleeper);
    assert_int_equal(fake_probe(&h, sleeper, "priority"), 160 + 39);
    fake_settle(&h);
    assert_int_equal(hog->on_cpu, 0);
    fake_close(&h);
}

static void a_wakeup_is_forwarded_to_all_idle_cpus_and_one_of_them_wins(void **state)
{
    int wins[4] = {0};

    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct fake_host h;
        struct policy_task *sleeper, *hog;

        fake_open(&h, "4bsd:version=7.0", four_cpus);
        h.random_state = seed;
        sleeper = fake_hog(&h, 0, 0);
        fake_settle(&h);
        fake_block(&h, sleeper, WAIT_LOCK);
        hog = fake_hog(&h, 0, 0);
        fake_settle(&h);
        fake_wake(&h, sleeper,
                  &(struct policy_wakeup){.why = POLICY_WAKE, .waker_cpu = hog->on_cpu});
        assert_int_equal(h.kicked[0] + h.kicked[1] + h.kicked[2] + h.kicked[3], 3);
        fake_settle(&h);
        wins[sleeper->on_cpu]++;
        assert_int_equal(fake_probe(&h, NULL, "nr_queued"), 0);
        fake_close(&h);
    }
    /* The hog sits on cpu 0; each other has a third of 300, five deviations of 8.2 around it. */
    assert_int_equal(wins[0], 0);
    for (int cpu = 1; cpu < 4; cpu++)
        assert_in_range(wins[cpu], 59, 141);
}

static void several_wakeups_leave_no_idle_cpu_beside_a_queued_task(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct fake_host h;
        struct policy_task *waker, *sleeper[2];

        fake_open(&h, "4bsd:version=7.0", four_cpus);
        h.random_state = seed;
        for (int i = 0; i < 2; i++) {
            sleeper[i] = fake_hog(&h, 0, 0);
            fake_settle(&h);
            fake_block(&h, sleeper[i], WAIT_LOCK);
        }
        waker = fake_hog(&h, 0, 0);
        fake_settle(&h);
        for (int i = 0; i < 2; i++)
            fake_wake(&h, sleeper[i],
                      &(struct policy_wakeup){.why = POLICY_WAKE, .waker_cpu = waker->on_cpu});
        fake_settle(&h); /* checks work conservation after each pick as well */
        assert_true(sleeper[0]->on_cpu >= 0 && sleeper[1]->on_cpu >= 0);
        fake_close(&h);
    }
}

static void a_busy_cpu_elsewhere_is_never_told(void **state)
{
    struct fake_host h;
    struct policy_task *waker, *sleeper, *worse;

    (void)state;
    fake_open(&h, "4bsd:version=7.0", two_cpus);
    sleeper = fake_hog(&h, 0, 0);
    fake_settle(&h);
    fake_block(&h, sleeper, WAIT_LOCK);
    waker = fake_hog(&h, -20, 0);
    fake_settle(&h);
    worse = fake_hog(&h, 19, 1);
    fake_settle(&h);
    assert_true(waker->on_cpu >= 0 && worse->on_cpu >= 0);
    fake_wake(&h, sleeper, &(struct policy_wakeup){.why = POLICY_WAKE, .waker_cpu = waker->on_cpu});
    assert_false(h.kicked[0] ||
                 h.kicked[1]); /* better than the other cpu's task, which is not looked at */
    fake_close(&h);
}

/* When each of three hogs on two cpus is displaced for the first time. */
static void first_turns(const char *spec, int64_t *first_ns, int64_t *second_ns)
{
    struct fake_host h;
    struct policy_task *a, *b;

    fake_open(&h, spec, two_cpus);
    a = fake_hog(&h, 0, 0);
    fake_settle(&h);
    fake_run_until(&h, 30 * HL_NS_PER_MS);
    b = fake_hog(&h, 0, 1);
    fake_settle(&h);
    fake_hog(&h, 0, 0);
    fake_hog(&h, 0, 0);
    fake_settle(&h);
    for (int64_t ms = 31; a->on_cpu >= 0 || b->on_cpu >= 0; ms++) {
        fake_run_until(&h, ms * HL_NS_PER_MS);
        if (a->on_cpu >= 0)
            *first_ns = ms * HL_NS_PER_MS;
        if (b->on_cpu >= 0)
            *second_ns = ms * HL_NS_PER_MS;
    }
    fake_close(&h);
}

static void turns_end_together_in_5_4_and_by_the_last_switch_of_the_cpu_in_7_0(void **state)
{
    int64_t first_ns = 0, second_ns = 0;

    (void)state;
    first_turns("4bsd:version=5.4", &first_ns, &second_ns);
    assert_int_equal(first_ns, second_ns);
    assert_in_range(first_ns, 0, 131 * HL_NS_PER_MS); /* whenever the timeout is due */
    /* 100 to 107.5 ms after the start at 0 and at 30 ms. */
    first_turns("4bsd:version=7.0", &first_ns, &second_ns);
    assert_in_range(first_ns, 99 * HL_NS_PER_MS, 108 * HL_NS_PER_MS);
    assert_in_range(second_ns, 129 * HL_NS_PER_MS, 138 * HL_NS_PER_MS);
    /* 12 of 127 ticks a second: 86.6 to 94.5 ms. */
    first_turns("4bsd:version=14", &first_ns, &second_ns);
    assert_in_range(first_ns, 86 * HL_NS_PER_MS, 95 * HL_NS_PER_MS);
    assert_in_range(second_ns, 116 * HL_NS_PER_MS, 125 * HL_NS_PER_MS);
}

static void a_task_displaced_at_once_goes_on_first_but_not_in_5_4(void **state)
{
    static const char *const specs[] = {"4bsd:version=5.4", "4bsd:version=7.0"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct fake_host h;
        struct policy_task *running, *waiting, *irq = NULL;

        fake_open(&h, specs[i], one_cpu);
        running = fake_hog(&h, 0, 0);
        fake_settle(&h);
        waiting = fake_hog(&h, 0, 0);
        irq = fake_task(&h, 0);
        irq->is_kernel = true;
        irq->class = CLASS_FIFO;
        irq->rt_priority = 50;
        fake_renice(&h, irq, 0); /* takes its class over */
        fake_start(&h, irq, 0);
        fake_settle(&h);
        assert_int_equal(irq->on_cpu, 0);
        fake_block(&h, irq, WAIT_LOCK);
        assert_ptr_equal(h.policy.running[0], i == 0 ? waiting : running);
        fake_close(&h);
    }
}

static void a_child_inherits_use_and_gives_it_back(void **state)
{
    struct fake_host h;
    struct policy_task *parent, *child;

    (void)state;
    fake_open(&h, "4bsd:version=7.0", one_cpu);
    parent = fake_hog(&h, 0, 0);
    fake_settle(&h);
    for (int i = 0; i < 200; i++)
        fake_stat_tick(&h, 0);
    child = fake_fork(&h, parent, false);
    assert_int_equal(fake_probe(&h, child, "estcpu"), 200);
    assert_int_equal(fake_probe(&h, child, "priority"), 160 + 25 + 20);
    fake_reap(&h, parent, child);
    assert_int_equal(fake_probe(&h, parent, "estcpu"), 295); /* the limit */
    fake_close(&h);
}

static void a_restricted_task_waits_in_the_shortest_queue_it_may_use(void **state)
{
    static const uint64_t cpus_1_and_2 = 6;
    struct fake_host h;

    (void)state;
    fake_open(&h, "4bsd:version=7.0", four_cpus);
    for (int i = 0; i < 4; i++) {
        struct policy_task *t = fake_task(&h, 0);

        t->allowed = &cpus_1_and_2;
        fake_start(&h, t, 1);
    }
    fake_settle(&h);
    assert_int_equal(fake_probe(&h, NULL, "cpu0.nr_running"), 0);
    assert_int_equal(fake_probe(&h, NULL, "cpu1.nr_running"), 2);
    assert_int_equal(fake_probe(&h, NULL, "cpu2.nr_running"), 2);
    fake_close(&h);
}

static void only_the_first_idle_cpu_is_told_with_onecpu(void **state)
{
    struct fake_host h;
    struct policy_task *waker;

    (void)state;
    fake_open(&h, "4bsd:version=7.0:ipiwakeup.onecpu=1", four_cpus);
    waker = fake_hog(&h, 0, 0);
    fake_settle(&h);
    fake_fork(&h, waker, false);
    assert_true(h.kicked[1] && !h.kicked[2] && !h.kicked[3]);
    fake_close(&h);

    fake_open(&h, "4bsd:version=7.0:ipiwakeup.htt2=1", four_cpus);
    waker = fake_hog(&h, 0, 0);
    fake_settle(&h);
    fake_fork(&h, waker, false);
    assert_true(!h.kicked[1] && h.kicked[2] && !h.kicked[3]); /* cpus 2 and 3 both idle */
    fake_close(&h);
}

/* The next clock interrupt of an idle cpu is an event only while a task waits for it. */
static void an_idle_cpu_looks_only_while_something_waits(void **state)
{
    struct fake_host h;
    struct policy_task *waker;
    int64_t quiet_ns;

    (void)state;
    fake_open(&h, "4bsd:version=7.0:ipiwakeup.enabled=0", four_cpus);
    waker = fake_hog(&h, 0, 0);
    fake_settle(&h);
    quiet_ns = h.timer_ns[0]; /* of the once-a-second pass or of the load */
    fake_fork(&h, waker, false);
    assert_true(!h.kicked[1] && !h.kicked[2] && !h.kicked[3]);
    assert_true(h.timer_ns[0] <= policy_now_ns(&h.policy) + 500000);
    fake_run_for(&h, 500000);
    assert_int_equal(fake_probe(&h, NULL, "nr_queued"), 0);
    assert_int_equal(h.timer_ns[0], quiet_ns);
    fake_close(&h);
}

static void fuzz_prefers_who_ran_here_among_the_first(void **state)
{
    struct fake_host h;
    struct policy_task *hog, *other, *here;

    (void)state;
    fake_open(&h, "4bsd:version=7.0:runq_fuzz=2", two_cpus);
    hog = fake_hog(&h, 0, 0);
    fake_settle(&h);
    fake_hog(&h, 0, 1);
    fake_settle(&h);
    other = fake_hog(&h, 0, 1);
    here = fake_hog(&h, 0, 0);
    fake_settle(&h);
    fake_block(&h, hog, WAIT_LOCK);
    assert_int_equal(here->on_cpu, 0);
    assert_int_equal(other->on_cpu, POLICY_NO_CPU);
    fake_close(&h);
}

static void a_yielding_task_goes_behind_all_others(void **state)
{
    struct fake_host h;
    struct policy_task *t, *nicest;

    (void)state;
    fake_open(&h, "4bsd:version=7.0", one_cpu);
    t = fake_hog(&h, -20, 0);
    fake_settle(&h);
    nicest = fake_hog(&h, 19, 0);
    fake_yield(&h, t);
    assert_int_equal(nicest->on_cpu, 0);
    fake_block(&h, nicest, WAIT_LOCK);
    assert_int_equal(fake_probe(&h, t, "priority"), 160); /* its own again */
    fake_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_priority_costs_eight_sampled_ticks_per_cpu),
        cmocka_unit_test(use_is_forgotten_once_a_second_by_the_load),
        cmocka_unit_test(a_sleeper_beats_all_user_code_until_it_returns_to_user_mode),
        cmocka_unit_test(a_wakeup_is_forwarded_to_all_idle_cpus_and_one_of_them_wins),
        cmocka_unit_test(several_wakeups_leave_no_idle_cpu_beside_a_queued_task),
        cmocka_unit_test(a_busy_cpu_elsewhere_is_never_told),
        cmocka_unit_test(turns_end_together_in_5_4_and_by_the_last_switch_of_the_cpu_in_7_0),
        cmocka_unit_test(a_task_displaced_at_once_goes_on_first_but_not_in_5_4),
        cmocka_unit_test(a_child_inherits_use_and_gives_it_back),
        cmocka_unit_test(a_restricted_task_waits_in_the_shortest_queue_it_may_use),
        cmocka_unit_test(only_the_first_idle_cpu_is_told_with_onecpu),
        cmocka_unit_test(an_idle_cpu_looks_only_while_something_waits),
        cmocka_unit_test(fuzz_prefers_who_ran_here_among_the_first),
        cmocka_unit_test(a_yielding_task_goes_behind_all_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
