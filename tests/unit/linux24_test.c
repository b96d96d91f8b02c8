/* SPDX-License-Identifier: GPL-2.0-or-later */
/* linux24_test.c - goodness, epochs, placement of Linux 2.4 (spec linux 2). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"
#include "fake_host.h"

enum { TICK_NS = 10 * HL_NS_PER_MS };

static const struct fake_shape one_cpu = {1, 1, 1, 1}, two_cpus = {1, 2, 1, 1},
                               two_by_two = {1, 2, 1, 2};

static void share_is(int nice_a, int nice_b, int ticks_a, int ticks_b)
{
    struct fake_host h;
    struct policy_task *a, *b;
    int64_t epochs = 100;

    fake_open(&h, "linux24", one_cpu);
    a = fake_hog(&h, nice_a, 0);
    b = fake_hog(&h, nice_b, 0);
    fake_run_for(&h, epochs * (ticks_a + ticks_b) * TICK_NS);
    assert_in_range(fake_ran_ns(&h, a), (epochs * ticks_a - ticks_a) * TICK_NS,
                    (epochs * ticks_a + ticks_a) * TICK_NS);
    assert_in_range(fake_ran_ns(&h, b), (epochs * ticks_b - ticks_b) * TICK_NS,
                    (epochs * ticks_b + ticks_b) * TICK_NS);
    fake_close(&h);
}

static void an_epoch_gives_each_its_slice(void **state)
{
    (void)state;
    share_is(0, 19, 6, 1);
    share_is(0, 10, 6, 3);
    share_is(-20, 0, 11, 6);
}

static void a_sleeper_saves_up_to_just_under_two_slices(void **state)
{
    struct fake_host h;
    struct policy_task *t;

    (void)state;
    fake_open(&h, "linux24", one_cpu);
    fake_hog(&h, 0, 0);
    t = fake_hog(&h, 0, 0);
    fake_run_until(&h, HL_NS_PER_S);
    if (t->on_cpu == POLICY_NO_CPU)
        t = &h.tasks[0];
    fake_block(&h, t, WAIT_TIMER);
    fake_run_for(&h, 2 * HL_NS_PER_S);
    assert_int_equal(fake_probe(&h, t, "counter"), 11); /* 11 / 2 + 6 = 11 */
    fake_close(&h);
}

static void a_woken_task_preempts_whom_it_beats(void **state)
{
    struct fake_host h;
    struct policy_task *sleeper, *hog;

    (void)state;
    fake_open(&h, "linux24", one_cpu);
    sleeper = fake_hog(&h, 0, 0);
    fake_settle(&h);
    hog = fake_hog(&h, 0, 0);
    fake_block(&h, sleeper, WAIT_TIMER);
    fake_run_for(&h, 30 * HL_NS_PER_MS); /* counters: 6 asleep, 3 running */
    assert_int_equal(fake_probe(&h, hog, "counter"), 3);
    fake_wake_by_timer(&h, sleeper);
    assert_true(h.kicked[0]); /* 6 + 15 + 20 against 3 + 15 + 20 + 1: gains 2 */
    fake_settle(&h);
    assert_int_equal(sleeper->on_cpu, 0);
    fake_close(&h);
}

static void a_sync_wakeup_tells_nobody(void **state)
{
    struct fake_host h;
    struct policy_task *t;

    (void)state;
    fake_open(&h, "linux24", two_cpus);
    fake_hog(&h, 0, 0);
    t = fake_hog(&h, 0, 1);
    fake_settle(&h);
    fake_block(&h, t, WAIT_PIPE_READ);
    fake_wake(&h, t, &(struct policy_wakeup){.why = POLICY_WAKE, .waker_cpu = 0, .sync = true});
    assert_false(h.kicked[0] || h.kicked[1]); /* cpu 1 stays idle although it could run t */
    fake_pick(&h, 1);
    assert_int_equal(t->on_cpu, 1);
    fake_close(&h);
}

static void a_fork_goes_to_an_idle_core_first_and_then_to_the_longest_idle_cpu(void **state)
{
    struct fake_host h;
    struct policy_task *parent, *other, *first, *second;

    (void)state;
    fake_open(&h, "linux24", two_by_two);
    parent = fake_hog(&h, 0, 0);
    fake_settle(&h);
    /* Cpu 3 has switched lately, cpu 1 never. */
    h.policy.now_ns = HL_NS_PER_MS;
    other = fake_hog(&h, 0, 3);
    fake_settle(&h);
    fake_block(&h, other, WAIT_TIMER);
    first = fake_fork(&h, parent, false);
    fake_settle(&h);
    assert_int_equal(first->on_cpu, 2); /* the sibling of cpu 1 is busy, that of cpu 2 is not */
    second = fake_fork(&h, parent, false);
    fake_settle(&h);
    assert_int_equal(second->on_cpu, 1);
    fake_close(&h);

    fake_open(&h, "linux24:version=2.4.16", two_by_two);
    parent = fake_hog(&h, 0, 0);
    fake_settle(&h);
    first = fake_fork(&h, parent, false);
    fake_settle(&h);
    assert_int_equal(first->on_cpu, 1); /* no cores, the first of equals */
    fake_close(&h);
}

static void a_slice_is_shared_at_fork_and_given_back_at_the_end(void **state)
{
    struct fake_host h;
    struct policy_task *parent, *child;

    (void)state;
    fake_open(&h, "linux24", two_cpus);
    parent = fake_hog(&h, 0, 0);
    fake_settle(&h);
    child = fake_fork(&h, parent, false);
    assert_int_equal(fake_probe(&h, child, "counter"), 3);
    assert_int_equal(fake_probe(&h, parent, "counter"), 3);
    fake_settle(&h);
    fake_exit(&h, child);
    fake_reap(&h, parent, child);
    assert_int_equal(fake_probe(&h, parent, "counter"), 6);
    for (int i = 0; i < 6; i++)
        fake_reap(&h, parent, child);
    assert_int_equal(fake_probe(&h, parent, "counter"), 20); /* the cap */
    fake_close(&h);
}

static void a_displaced_task_displaces_another(void **state)
{
    struct fake_host h;
    struct policy_task *urgent, *middle, *low;

    (void)state;
    fake_open(&h, "linux24", two_cpus);
    middle = fake_hog(&h, 0, 0);
    low = fake_hog(&h, 19, 1);
    fake_settle(&h);
    urgent = fake_task(&h, -20);
    urgent->allowed = &(const uint64_t){1}; /* cpu 0 only */
    fake_start(&h, urgent, 0);
    fake_settle(&h);
    assert_int_equal(urgent->on_cpu, 0);
    assert_int_equal(middle->on_cpu, 1); /* 6 + 20 against 1 + 15 + 1 + 1 */
    assert_int_equal(low->on_cpu, POLICY_NO_CPU);
    fake_close(&h);
}

static void a_yielding_task_lets_others_go_first_once(void **state)
{
    struct fake_host h;
    struct policy_task *a, *b;

    (void)state;
    fake_open(&h, "linux24", one_cpu);
    a = fake_hog(&h, -20, 0);
    fake_settle(&h);
    b = fake_hog(&h, 19, 0);
    fake_settle(&h);
    assert_int_equal(a->on_cpu, 0);
    fake_yield(&h, a);
    assert_int_equal(b->on_cpu, 0);
    fake_run_for(&h, TICK_NS + HL_NS_PER_MS);
    assert_int_equal(a->on_cpu, 0);
    fake_close(&h);
}

static void every_entry_of_the_list_is_paid_for(void **state)
{
    struct fake_host h;
    uint32_t before;

    (void)state;
    fake_open(&h, "linux24", one_cpu);
    for (int i = 0; i < 50; i++)
        fake_hog(&h, 0, 0);
    fake_settle(&h);
    before = h.charged;
    fake_pick(&h, 0);
    assert_int_equal(h.charged - before, 50);
    fake_close(&h);
}

static void a_real_time_task_beats_all_others_and_round_robin_takes_turns(void **state)
{
    struct fake_host h;
    struct policy_task *rr[2];

    (void)state;
    fake_open(&h, "linux24", one_cpu);
    fake_hog(&h, -20, 0);
    fake_settle(&h);
    for (int i = 0; i < 2; i++) {
        rr[i] = fake_task(&h, 0);
        rr[i]->class = CLASS_RR;
        rr[i]->rt_priority = 5;
        fake_start(&h, rr[i], 0);
    }
    fake_run_for(&h, 120 * TICK_NS);
    assert_in_range(fake_ran_ns(&h, rr[0]), 54 * TICK_NS, 66 * TICK_NS);
    assert_in_range(fake_ran_ns(&h, rr[1]), 54 * TICK_NS, 66 * TICK_NS);
    fake_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_epoch_gives_each_its_slice),
        cmocka_unit_test(a_sleeper_saves_up_to_just_under_two_slices),
        cmocka_unit_test(a_woken_task_preempts_whom_it_beats),
        cmocka_unit_test(a_sync_wakeup_tells_nobody),
        cmocka_unit_test(a_fork_goes_to_an_idle_core_first_and_then_to_the_longest_idle_cpu),
        cmocka_unit_test(a_slice_is_shared_at_fork_and_given_back_at_the_end),
        cmocka_unit_test(a_displaced_task_displaces_another),
        cmocka_unit_test(a_yielding_task_lets_others_go_first_once),
        cmocka_unit_test(every_entry_of_the_list_is_paid_for),
        cmocka_unit_test(a_real_time_task_beats_all_others_and_round_robin_takes_turns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
