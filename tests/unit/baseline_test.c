/* SPDX-License-Identifier: GPL-2.0-or-later */
/* baseline_test.c - fifo and ideal under the fake host. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"
#include "fake_host.h"

static const struct fake_shape four_cpus = {1, 4, 1, 1}, two_by_two = {1, 2, 1, 2};

/* A fresh task that the policy places. */
static struct policy_task *placed(struct fake_host *h)
{
    struct policy_task *t = fake_task(h, 0);

    fake_wake(h, t, &(struct policy_wakeup){.why = POLICY_WAKE, .from_irq = true});
    fake_settle(h);
    return t;
}

static void fifo_sends_new_tasks_to_the_shortest_queue(void **state)
{
    struct fake_host h;
    struct policy_task *t[9];

    (void)state;
    fake_open(&h, "fifo", four_cpus);
    for (int i = 0; i < 9; i++)
        t[i] = placed(&h);
    for (int i = 0; i < 4; i++)
        assert_int_equal(t[i]->on_cpu, i);
    assert_int_equal(fake_probe(&h, NULL, "cpu0.nr_running"), 3);
    assert_int_equal(fake_probe(&h, NULL, "cpu3.nr_running"), 2);
    fake_close(&h);
}

static void fifo_runs_in_order_of_arrival_and_never_preempts(void **state)
{
    struct fake_host h;
    struct policy_task *a, *b, *c;

    (void)state;
    fake_open(&h, "fifo", (struct fake_shape){1, 1, 1, 1});
    a = placed(&h);
    b = placed(&h);
    c = placed(&h);
    fake_run_for(&h, 10 * HL_NS_PER_S);
    assert_int_equal(a->on_cpu, 0);
    fake_yield(&h, a); /* to the end of the line */
    assert_int_equal(b->on_cpu, 0);
    fake_block(&h, b, WAIT_TIMER);
    assert_int_equal(c->on_cpu, 0);
    fake_wake_by_timer(&h, b);
    fake_exit(&h, c);
    assert_int_equal(a->on_cpu, 0);
    fake_exit(&h, a);
    assert_int_equal(b->on_cpu, 0);
    fake_check(&h);
    fake_close(&h);
}

static void fifo_does_not_balance(void **state)
{
    struct fake_host h;
    struct policy_task *a, *b;

    (void)state;
    fake_open(&h, "fifo", (struct fake_shape){1, 2, 1, 1});
    a = fake_hog(&h, 0, 0);
    b = fake_hog(&h, 0, 0);
    fake_run_for(&h, HL_NS_PER_S);
    assert_int_equal(a->on_cpu, 0);
    assert_int_equal(b->on_cpu, POLICY_NO_CPU);
    assert_int_equal(h.migrations, 0);
    fake_close(&h);
}

static void fifo_keeps_to_the_allowed_cpus(void **state)
{
    static const uint64_t only_2_and_3 = 0xc;
    struct fake_host h;
    struct policy_task *t[4];

    (void)state;
    fake_open(&h, "fifo", four_cpus);
    for (int i = 0; i < 4; i++) {
        t[i] = fake_task(&h, 0);
        t[i]->allowed = &only_2_and_3;
        fake_wake(&h, t[i], &(struct policy_wakeup){.why = POLICY_WAKE, .from_irq = true});
    }
    fake_settle(&h);
    assert_int_equal(fake_probe(&h, NULL, "cpu2.nr_running"), 2);
    assert_int_equal(fake_probe(&h, NULL, "cpu3.nr_running"), 2);
    assert_int_equal(fake_probe(&h, NULL, "cpu0.nr_running"), 0);
    fake_close(&h);
}

static void ideal_fills_idle_cores_before_siblings(void **state)
{
    struct fake_host h;
    struct policy_task *t[4];

    (void)state;
    fake_open(&h, "ideal", two_by_two);
    for (int i = 0; i < 4; i++)
        t[i] = placed(&h);
    assert_int_equal(t[0]->on_cpu, 0);
    assert_int_equal(t[1]->on_cpu, 2);
    assert_int_equal(t[2]->on_cpu, 1);
    assert_int_equal(t[3]->on_cpu, 3);
    fake_close(&h);
}

static void ideal_moves_a_sibling_when_a_core_runs_dry(void **state)
{
    struct fake_host h;
    struct policy_task *a, *b, *c;

    (void)state;
    fake_open(&h, "ideal", two_by_two);
    a = placed(&h);
    b = placed(&h);
    c = placed(&h);
    assert_int_equal(a->on_cpu / 2, c->on_cpu / 2);
    fake_exit(&h, b);
    fake_settle(&h);
    assert_int_not_equal(a->on_cpu / 2, c->on_cpu / 2);
    assert_int_equal(h.migrations, 1);
    fake_run_for(&h, HL_NS_PER_S);
    assert_int_equal(h.migrations, 1);
    fake_close(&h);
}

static void ideal_shares_two_cpus_among_three_hogs(void **state)
{
    struct fake_host h;
    struct policy_task *t[3];

    (void)state;
    fake_open(&h, "ideal", (struct fake_shape){1, 2, 1, 1});
    for (int i = 0; i < 3; i++)
        t[i] = placed(&h);
    fake_run_for(&h, 9 * HL_NS_PER_S);
    for (int i = 0; i < 3; i++) /* 9 s x 2 / 3, give or take a turn */
        assert_in_range(fake_ran_ns(&h, t[i]), 5980 * HL_NS_PER_MS, 6020 * HL_NS_PER_MS);
    fake_close(&h);
}

static void ideal_runs_what_can_run_wherever_a_cpu_becomes_free(void **state)
{
    static const uint64_t only_0 = 1;
    struct fake_host h;
    struct policy_task *bound, *a, *b;

    (void)state;
    fake_open(&h, "ideal", (struct fake_shape){1, 2, 1, 1});
    a = placed(&h);
    b = placed(&h);
    bound = fake_task(&h, 0);
    bound->allowed = &only_0;
    fake_wake(&h, bound, &(struct policy_wakeup){.why = POLICY_WAKE, .from_irq = true});
    fake_settle(&h);
    fake_exit(&h, b); /* cpu 1 is free, but not for the bound one */
    fake_settle(&h);
    assert_int_equal(bound->on_cpu, POLICY_NO_CPU);
    fake_run_for(&h, 20 * HL_NS_PER_MS); /* a's turn ends: it goes over to cpu 1 */
    assert_int_equal(bound->on_cpu, 0);
    assert_int_equal(a->on_cpu, 1);
    fake_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fifo_sends_new_tasks_to_the_shortest_queue),
        cmocka_unit_test(fifo_runs_in_order_of_arrival_and_never_preempts),
        cmocka_unit_test(fifo_does_not_balance),
        cmocka_unit_test(fifo_keeps_to_the_allowed_cpus),
        cmocka_unit_test(ideal_fills_idle_cores_before_siblings),
        cmocka_unit_test(ideal_moves_a_sibling_when_a_core_runs_dry),
        cmocka_unit_test(ideal_shares_two_cpus_among_three_hogs),
        cmocka_unit_test(ideal_runs_what_can_run_wherever_a_cpu_becomes_free),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
