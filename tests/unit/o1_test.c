/* SPDX-License-Identifier: GPL-2.0-or-later */
/* o1_test.c - the O(1) scheduler on one queue (spec linux 3.2-3.7, 3.10). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"
#include "fake_host.h"
#include "policy/o1_core.h"

static const struct fake_shape one_cpu = {1, 1, 1, 1}, two_cpus = {1, 2, 1, 1};

static struct o1_task *of(struct policy_task *t)
{
    return o1_task_of(t);
}

/* A task that runs alone on cpu 0 from the start. */
static struct policy_task *open_with_hog(struct fake_host *h, const char *spec,
                                         struct fake_shape shape, int nice)
{
    struct policy_task *t;

    fake_open(h, spec, shape);
    t = fake_hog(h, nice, 0);
    fake_settle(h);
    assert_int_equal(t->on_cpu, 0);
    return t;
}

/* ---- constants ---- */

static void slices_are_those_of_the_source(void **state)
{
    static const int nice[] = {-20, -10, 0, 10, 19};
    static const int new_slice[] = {200, 151, 102, 53, 10}, old_slice[] = {300, 225, 151, 76, 10};
    struct fake_host new_host, old_host;

    (void)state;
    fake_open(&new_host, "o1", one_cpu);
    fake_open(&old_host, "o1:version=2.5.32", one_cpu);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(fake_probe(&new_host, fake_task(&new_host, nice[i]), "slice"),
                         new_slice[i]);
        assert_int_equal(fake_probe(&old_host, fake_task(&old_host, nice[i]), "slice"),
                         old_slice[i]);
    }
    fake_close(&new_host);
    fake_close(&old_host);
}

static void interactive_needs_the_more_bonus_the_nicer(void **state)
{
    static const int nice[] = {-20, -10, 0, 10, 19}, delta[] = {-3, 0, 2, 4, 6};
    struct fake_host h;

    (void)state;
    fake_open(&h, "o1", one_cpu);
    for (int i = 0; i < 5; i++) {
        struct policy_task *t = fake_task(&h, nice[i]);
        int least = -1;

        for (int bonus = 10; bonus >= 0; bonus--) {
            of(t)->sleep_avg_ns = bonus * 102 * HL_NS_PER_MS;
            assert_int_equal(o1_bonus(o1_of(&h.policy), of(t)), bonus);
            of(t)->prio = (uint8_t)o1_effective_prio(o1_of(&h.policy), t);
            if (fake_probe(&h, t, "interactive"))
                least = bonus;
        }
        /* static_prio - (bonus - 5) <= static_prio - delta; nice 19 would need 11 */
        assert_int_equal(least, nice[i] == 19 ? -1 : 5 + delta[i]);
    }
    fake_close(&h);
}

static void long_sleep_and_granularity_are_those_of_the_source(void **state)
{
    static const int nice[] = {0, 10, 19}, jiffies[] = {815, 1019, 1223};
    struct fake_host h, up;

    (void)state;
    fake_open(&h, "o1", (struct fake_shape){1, 2, 1, 2});
    for (int i = 0; i < 3; i++)
        assert_int_equal(o1_long_sleep_ns(o1_of(&h.policy), of(fake_task(&h, nice[i]))),
                         jiffies[i] * HL_NS_PER_MS);
    assert_int_equal(o1_of(&h.policy)->granularity[10], 10 * 4);
    assert_int_equal(o1_of(&h.policy)->granularity[9], 10 * 4);
    assert_int_equal(o1_of(&h.policy)->granularity[8], 20 * 4);
    assert_int_equal(o1_of(&h.policy)->granularity[7], 40 * 4);
    assert_int_equal(o1_of(&h.policy)->cache_decay_ns, 2 * HL_NS_PER_MS); /* 512 KB */
    fake_open(&up, "o1:kernel=up", (struct fake_shape){1, 2, 1, 2});
    assert_int_equal(o1_of(&up.policy)->granularity[9], 10);
    fake_close(&h);
    fake_close(&up);
}

/* ---- the bonus ---- */

static void a_long_sleep_gives_918_ms_and_no_more(void **state)
{
    struct fake_host h;
    struct policy_task *t = open_with_hog(&h, "o1", one_cpu, 0);

    (void)state; /* O8 */
    fake_block(&h, t, WAIT_TIMER);
    fake_run_for(&h, HL_NS_PER_S);
    fake_wake_by_timer(&h, t);
    fake_settle(&h);
    assert_int_equal(fake_probe(&h, t, "sleep_avg_ns"), 918 * HL_NS_PER_MS);
    assert_int_equal(fake_probe(&h, t, "bonus"), 9);
    assert_int_equal(fake_probe(&h, t, "prio"), 116);
    assert_int_equal(fake_probe(&h, t, "interactive"), 1);
    fake_close(&h);
}

static void a_short_sleep_counts_tenfold_at_no_bonus(void **state)
{
    struct fake_host h;
    struct policy_task *t = open_with_hog(&h, "o1", one_cpu, 0);

    (void)state;
    fake_block(&h, t, WAIT_PIPE_READ);
    fake_run_for(&h, 30 * HL_NS_PER_MS);
    fake_wake_by_timer(&h, t);
    fake_settle(&h);
    assert_int_equal(fake_probe(&h, t, "sleep_avg_ns"), 300 * HL_NS_PER_MS);
    assert_int_equal(fake_probe(&h, t, "prio"), 123); /* bonus 2: 120 - (2 - 5) */
    fake_close(&h);
}

static void disk_waits_alone_make_nobody_interactive(void **state)
{
    struct fake_host h;
    struct policy_task *t = open_with_hog(&h, "o1", one_cpu, 0);

    (void)state;
    fake_block(&h, t, WAIT_DISK);
    fake_run_for(&h, 5 * HL_NS_PER_S);
    fake_wake_by_timer(&h, t);
    assert_int_equal(fake_probe(&h, t, "activated"), -1);
    assert_int_equal(fake_probe(&h, t, "sleep_avg_ns"), 815 * HL_NS_PER_MS);
    fake_settle(&h);
    assert_int_equal(fake_probe(&h, t, "activated"), 0);
    fake_close(&h);
}

static void low_credit_caps_a_sleep_at_one_slice(void **state)
{
    struct fake_host h;
    struct policy_task *t = open_with_hog(&h, "o1", one_cpu, 0);

    (void)state;
    fake_block(&h, t, WAIT_TIMER);
    of(t)->credit = -101;
    fake_run_for(&h, 500 * HL_NS_PER_MS); /* x 10 would be 5 s */
    fake_wake_by_timer(&h, t);
    assert_int_equal(fake_probe(&h, t, "sleep_avg_ns"), 102 * HL_NS_PER_MS);
    fake_close(&h);
}

static void high_credit_makes_running_cheap(void **state)
{
    struct fake_host h;
    struct policy_task *t = open_with_hog(&h, "o1", one_cpu, 0);

    (void)state;
    of(t)->credit = 101;
    of(t)->sleep_avg_ns = 1000 * HL_NS_PER_MS; /* bonus 9 */
    fake_run_for(&h, 90 * HL_NS_PER_MS);
    fake_block(&h, t, WAIT_TIMER);
    assert_int_equal(fake_probe(&h, t, "sleep_avg_ns"), (1000 - 90 / 9) * HL_NS_PER_MS);
    fake_close(&h);
}

static void the_ceiling_of_sleep_avg_earns_credit(void **state)
{
    struct fake_host h;
    struct policy_task *t = open_with_hog(&h, "o1", one_cpu, 0);

    (void)state;
    fake_block(&h, t, WAIT_TIMER);
    fake_run_for(&h, 200 * HL_NS_PER_MS); /* 200 x 10, below the long sleep */
    fake_wake_by_timer(&h, t);
    assert_int_equal(fake_probe(&h, t, "sleep_avg_ns"), 1020 * HL_NS_PER_MS);
    assert_int_equal(fake_probe(&h, t, "credit"),
                     -1 + 1); /* it began the sleep without any bonus */
    fake_close(&h);
}

static void the_product_wraps_at_32_bits_on_request(void **state)
{
    struct fake_host h;
    struct policy_task *t = open_with_hog(&h, "o1:wrap", one_cpu, 0);

    (void)state;
    fake_block(&h, t, WAIT_TIMER);
    fake_run_for(&h, 500 * HL_NS_PER_MS);
    fake_wake_by_timer(&h, t);
    /* 5 000 000 000 - 2^32 = 705 032 704 */
    assert_int_equal(fake_probe(&h, t, "sleep_avg_ns"), 705032704);
    fake_close(&h);
}

static void a_hog_alone_sinks_to_credit_minus_101(void **state)
{
    struct fake_host h;
    struct policy_task *t = open_with_hog(&h, "o1", one_cpu, 0);

    (void)state; /* O9: one step per slice of 102 ms */
    fake_run_for(&h, 50 * 102 * HL_NS_PER_MS);
    assert_int_equal(fake_probe(&h, t, "credit"), -50);
    fake_run_for(&h, 20 * HL_NS_PER_S);
    assert_int_equal(fake_probe(&h, t, "credit"), -101);
    assert_int_equal(fake_probe(&h, t, "bonus"), 0);
    assert_int_equal(fake_probe(&h, t, "prio"), 125);
    fake_close(&h);
}

/* ---- wakeups ---- */

static void waiting_after_a_wakeup_counts_as_sleep_by_its_cause(void **state)
{
    static const bool from_irq[] = {false, true};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct fake_host h;
        struct policy_task *t = open_with_hog(&h, "o1", one_cpu, 0), *hog;

        fake_block(&h, t, WAIT_TIMER);
        hog = fake_hog(&h, -20, 0); /* never preempted by t */
        fake_settle(&h);
        fake_wake(
            &h, t,
            &(struct policy_wakeup){.why = POLICY_WAKE, .waker_cpu = 0, .from_irq = from_irq[i]});
        assert_int_equal(fake_probe(&h, t, "activated"), from_irq[i] ? 2 : 1);
        fake_settle(&h);
        h.policy.now_ns += 10240000;
        fake_exit(&h, hog);
        /* times 10 at bonus 0; 38/128 of the wait if a task woke it */
        assert_int_equal(fake_probe(&h, t, "sleep_avg_ns"),
                         from_irq[i] ? 102400000 : 102400000 / 128 * 38);
        assert_int_equal(fake_probe(&h, t, "activated"), 0);
        fake_close(&h);
    }
}

static void a_normal_wakeup_returns_to_a_busy_last_cpu(void **state)
{
    struct fake_host h;
    struct policy_task *t = open_with_hog(&h, "o1", two_cpus, 0), *hog;

    (void)state; /* O7 */
    fake_block(&h, t, WAIT_TIMER);
    hog = fake_hog(&h, 0, 0);
    fake_settle(&h);
    fake_wake(&h, t, &(struct policy_wakeup){.why = POLICY_WAKE, .waker_cpu = 1});
    assert_int_equal(fake_probe(&h, NULL, "cpu0.nr_running"), 2);
    assert_int_equal(fake_probe(&h, NULL, "cpu1.nr_running"), 0);
    assert_false(h.kicked[0]); /* equal priority preempts nobody */
    assert_int_equal(hog->on_cpu, 0);
    fake_run_for(&h, HL_NS_PER_MS); /* the next tick of the idle cpu takes it */
    assert_int_equal(t->on_cpu, 1);
    fake_close(&h);
}

static void a_better_priority_preempts(void **state)
{
    struct fake_host h;
    struct policy_task *t = open_with_hog(&h, "o1", two_cpus, 0), *hog;

    (void)state;
    fake_block(&h, t, WAIT_TIMER);
    hog = fake_hog(&h, 0, 0);
    fake_settle(&h);
    of(t)->sleep_avg_ns = 102 * HL_NS_PER_MS; /* bonus 1: prio 124 against 125 */
    fake_wake_by_timer(&h, t);
    assert_true(h.kicked[0]);
    fake_settle(&h);
    assert_int_equal(t->on_cpu, 0);
    assert_int_equal(hog->on_cpu, POLICY_NO_CPU);
    fake_close(&h);
}

static void a_sync_wakeup_comes_to_the_waker_and_disturbs_nobody(void **state)
{
    const struct policy_wakeup sync = {.why = POLICY_WAKE, .waker_cpu = 1, .sync = true};
    struct fake_host h;
    struct policy_task *t = open_with_hog(&h, "o1", two_cpus, 0);

    (void)state;
    fake_block(&h, t, WAIT_TIMER);
    fake_hog(&h, 0, 1);
    fake_settle(&h);
    h.policy.now_ns = HL_NS_PER_S;
    fake_wake(&h, t, &sync);
    assert_int_equal(fake_probe(&h, NULL, "cpu1.nr_running"), 2);
    assert_false(h.kicked[1]);
    assert_int_equal(fake_probe(&h, t, "sleep_avg_ns"), 0); /* the sleep is not credited */
    assert_int_equal(fake_probe(&h, t, "activated"), 0);
    fake_close(&h);
}

static void a_sync_wakeup_from_elsewhere_is_a_normal_one_except_in_test11(void **state)
{
    static const char *const spec[] = {"o1", "o1:version=2.6.0-test11"};
    static const int64_t sleep_avg_ns[] = {918 * HL_NS_PER_MS, 0};
    static const uint64_t only_0 = 1;

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct fake_host h;
        struct policy_task *t = open_with_hog(&h, spec[i], two_cpus, 0);

        t->allowed = &only_0; /* so it cannot be pulled to the waker */
        fake_block(&h, t, WAIT_TIMER);
        fake_hog(&h, 0, 0);
        fake_hog(&h, 0, 1);
        fake_settle(&h);
        h.policy.now_ns = HL_NS_PER_S;
        fake_wake(&h, t, &(struct policy_wakeup){.why = POLICY_WAKE, .waker_cpu = 1, .sync = true});
        assert_int_equal(fake_probe(&h, NULL, "cpu0.nr_running"), 2);
        assert_int_equal(fake_probe(&h, t, "sleep_avg_ns"), sleep_avg_ns[i]);
        assert_int_equal(h.kicked[0], i == 0);
        fake_close(&h);
    }
}

/* ---- slices ---- */

static void a_used_up_slice_sends_to_expired(void **state)
{
    struct fake_host h;
    struct policy_task *a = open_with_hog(&h, "o1", one_cpu, 0), *b = fake_hog(&h, 0, 0);

    (void)state;
    fake_settle(&h);
    fake_run_for(&h, 101 * HL_NS_PER_MS);
    assert_int_equal(fake_probe(&h, a, "slice"), 1);
    assert_int_equal(a->on_cpu, 0);
    fake_run_for(&h, HL_NS_PER_MS);
    assert_int_equal(fake_probe(&h, a, "slice"), 102);
    assert_int_equal(fake_probe(&h, a, "array"), 1);
    assert_int_equal(b->on_cpu, 0);
    fake_run_for(&h, 102 * HL_NS_PER_MS); /* both have expired: the arrays are swapped */
    assert_int_equal(a->on_cpu, 0);
    assert_int_equal(fake_probe(&h, a, "array"), 0);
    fake_close(&h);
}

static void shares_follow_the_slices(void **state)
{
    static const struct {
        int nice_a, nice_b, slice_a, slice_b;
    } cases[] = {{0, 19, 102, 10}, {-20, 0, 200, 102}}; /* O1, O2 */

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct fake_host h;
        struct policy_task *a = open_with_hog(&h, "o1", one_cpu, cases[i].nice_a);
        struct policy_task *b = fake_hog(&h, cases[i].nice_b, 0);
        int64_t turn_ns = (cases[i].slice_a + cases[i].slice_b) * HL_NS_PER_MS;

        fake_settle(&h);
        fake_run_for(&h, 100 * turn_ns);
        assert_in_range(fake_ran_ns(&h, a), (100 * cases[i].slice_a - 2) * HL_NS_PER_MS,
                        (100 * cases[i].slice_a + 2) * HL_NS_PER_MS);
        assert_int_equal(fake_ran_ns(&h, a) + fake_ran_ns(&h, b), 100 * turn_ns);
        fake_close(&h);
    }
}

static void an_interactive_task_returns_to_active_unless_expired_starve(void **state)
{
    struct fake_host h;
    struct policy_task *t = open_with_hog(&h, "o1", one_cpu, 0);

    (void)state;
    fake_hog(&h, 19, 0);
    for (int i = 0; i < 2; i++) {
        h.policy.now_ns = 5000 * HL_NS_PER_MS;
        of(t)->sleep_avg_ns = 1020 * HL_NS_PER_MS;
        of(t)->stamp_ns = h.policy.now_ns;
        of(t)->slice = 1;
        /* 1020 x 2 tasks + 1: one jiffy short of starving, then not */
        o1_queue_of(o1_of(&h.policy), 0)->expired_since = 5000 - 2040 - i;
        fake_tick(&h, 0);
        assert_int_equal(fake_probe(&h, t, "array"), i);
    }
    fake_close(&h);
}

static void version_2_6_3_counts_a_better_static_priority_as_starving(void **state)
{
    struct fake_host h;
    struct policy_task *t = open_with_hog(&h, "o1:version=2.6.3", one_cpu, 0);

    (void)state;
    of(t)->sleep_avg_ns = 1020 * HL_NS_PER_MS;
    of(t)->slice = 1;
    o1_queue_of(o1_of(&h.policy), 0)->best_expired_prio = 119;
    fake_tick(&h, 0);
    assert_int_equal(fake_probe(&h, t, "array"), 1);
    fake_close(&h);
}

static void interactive_tasks_rotate_inside_their_slices(void **state)
{
    struct fake_host h;
    struct policy_task *t[2];

    (void)state;
    fake_open(&h, "o1", one_cpu);
    for (int i = 0; i < 2; i++) {
        t[i] = fake_task(&h, 0);
        of(t[i])->sleep_avg_ns = 1020 * HL_NS_PER_MS;
        of(t[i])->prio = (uint8_t)o1_effective_prio(o1_of(&h.policy), t[i]);
        fake_start(&h, t[i], 0);
    }
    fake_run_for(&h, 9 * HL_NS_PER_MS);
    assert_int_equal(t[0]->on_cpu, 0);
    fake_run_for(&h, HL_NS_PER_MS); /* bonus 10: every 10 jiffies */
    assert_int_equal(t[1]->on_cpu, 0);
    assert_int_equal(fake_probe(&h, t[0], "array"), 0);
    assert_int_equal(fake_probe(&h, t[0], "slice"), 92);
    fake_run_for(&h, 10 * HL_NS_PER_MS);
    assert_int_equal(t[0]->on_cpu, 0);
    fake_close(&h);
}

/* ---- fork, exit ---- */

static void a_child_shares_the_slice_and_runs_first(void **state)
{
    struct fake_host h;
    struct policy_task *parent = open_with_hog(&h, "o1", two_cpus, 0), *child;

    (void)state;
    of(parent)->slice = 101;
    of(parent)->sleep_avg_ns = 1000 * HL_NS_PER_MS; /* bonus 9 */
    child = fake_fork(&h, parent, false);
    assert_int_equal(fake_probe(&h, parent, "slice"), 50);
    assert_int_equal(fake_probe(&h, child, "slice"), 51);
    assert_int_equal(fake_probe(&h, parent, "sleep_avg_ns"), 918 * HL_NS_PER_MS);
    assert_int_equal(fake_probe(&h, child, "sleep_avg_ns"),
                     816 * HL_NS_PER_MS); /* 9 x 95 / 100 = 8 */
    assert_int_equal(of(child)->prio, of(parent)->prio);
    assert_true(h.kicked[0]);
    fake_pick(&h, 0);
    assert_int_equal(child->on_cpu, 0);
    assert_int_equal(parent->on_cpu, POLICY_NO_CPU);
    fake_close(&h);
}

static void a_vfork_child_runs_because_it_is_next(void **state)
{
    struct fake_host h;
    struct policy_task *parent = open_with_hog(&h, "o1", one_cpu, 0), *child;

    (void)state;
    child = fake_fork(&h, parent, true);
    assert_int_equal(child->on_cpu, 0);
    fake_wake(&h, parent, &(struct policy_wakeup){.why = POLICY_WAKE, .waker_cpu = 0});
    assert_int_equal(fake_probe(&h, parent, "activated"), -1); /* uninterruptible */
    fake_close(&h);
}

static void forking_with_one_jiffy_left_expires_the_parent(void **state)
{
    struct fake_host h;
    struct policy_task *parent = open_with_hog(&h, "o1", one_cpu, 0), *other, *child;

    (void)state;
    other = fake_hog(&h, 0, 0);
    fake_settle(&h);
    of(parent)->slice = 1;
    child = fake_fork(&h, parent, false);
    assert_int_equal(fake_probe(&h, child, "slice"), 1);
    assert_int_equal(fake_probe(&h, parent, "slice"), 102);
    assert_int_equal(fake_probe(&h, parent, "array"), 1);
    assert_int_equal(fake_probe(&h, child, "array"), 1); /* in front of its parent, there */
    fake_settle(&h);
    assert_int_equal(other->on_cpu, 0);
    fake_exit(&h, other);
    assert_int_equal(child->on_cpu, 0);
    fake_close(&h);
}

static void a_first_slice_returns_when_the_parent_reaps(void **state)
{
    struct fake_host h;
    struct policy_task *parent = open_with_hog(&h, "o1", one_cpu, 0), *child;

    (void)state;
    child = fake_fork(&h, parent, false); /* 51 and 51 */
    fake_settle(&h);
    fake_run_for(&h, 5 * HL_NS_PER_MS);
    of(parent)->sleep_avg_ns = 400 * HL_NS_PER_MS;
    of(child)->sleep_avg_ns = 200 * HL_NS_PER_MS;
    of(child)->stamp_ns = h.policy.now_ns;
    fake_exit(&h, child);
    assert_int_equal(fake_probe(&h, parent, "slice"), 51);
    fake_reap(&h, parent, child);
    assert_int_equal(fake_probe(&h, parent, "slice"), 51 + 46);
    assert_int_equal(fake_probe(&h, parent, "sleep_avg_ns"),
                     350 * HL_NS_PER_MS); /* 3/4 x 400 + 1/4 x 200 */
    fake_close(&h);
}

static void a_later_slice_does_not_return(void **state)
{
    static const char *const spec[] = {"o1", "o1:version=2.5.32"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct fake_host h;
        struct policy_task *parent = open_with_hog(&h, spec[i], one_cpu, 0), *child;
        int64_t slice;

        child = fake_fork(&h, parent, false);
        fake_settle(&h);
        if (parent->on_cpu >= 0) /* 2.5.32 lets the parent run on */
            fake_block(&h, parent, WAIT_CHILD);
        of(child)->first_slice = false;
        slice = of(parent)->slice;
        fake_exit(&h, child);
        fake_reap(&h, parent, child);
        /* 2.5.32 returns all of it: half of 151 went to the child */
        assert_int_equal(fake_probe(&h, parent, "slice"), i == 0 ? slice : 151);
        fake_close(&h);
    }
}

/* ---- the rest ---- */

static void yield_goes_to_the_end_of_expired(void **state)
{
    struct fake_host h;
    struct policy_task *a = open_with_hog(&h, "o1", one_cpu, 0), *b = fake_hog(&h, 0, 0);

    (void)state;
    fake_settle(&h);
    fake_yield(&h, a);
    assert_int_equal(fake_probe(&h, a, "array"), 1);
    assert_int_equal(b->on_cpu, 0);
    fake_close(&h);
}

static void real_time_tasks_run_before_all_others(void **state)
{
    struct fake_host h;
    struct policy_task *hog = open_with_hog(&h, "o1", one_cpu, -20), *rt[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        rt[i] = fake_task(&h, 0);
        rt[i]->class = CLASS_RR;
        rt[i]->rt_priority = 1;
        of(rt[i])->prio = (uint8_t)o1_effective_prio(o1_of(&h.policy), rt[i]);
        fake_start(&h, rt[i], 0);
    }
    assert_int_equal(fake_probe(&h, rt[0], "prio"), 98);
    fake_settle(&h);
    fake_run_for(&h, 10 * 102 * HL_NS_PER_MS);
    assert_int_equal(fake_ran_ns(&h, hog), 0);
    assert_in_range(fake_ran_ns(&h, rt[0]), 509 * HL_NS_PER_MS, 511 * HL_NS_PER_MS);
    fake_close(&h);
}

static void renicing_moves_the_priority_and_may_preempt(void **state)
{
    struct fake_host h;
    struct policy_task *a = open_with_hog(&h, "o1", one_cpu, 0), *b = fake_hog(&h, 0, 0);

    (void)state;
    fake_settle(&h);
    fake_renice(&h, b, -5);
    assert_int_equal(fake_probe(&h, b, "prio"), 120);
    fake_settle(&h);
    assert_int_equal(b->on_cpu, 0);
    fake_renice(&h, b, 5);
    assert_int_equal(fake_probe(&h, b, "prio"), 130);
    fake_settle(&h);
    assert_int_equal(a->on_cpu, 0);
    fake_close(&h);
}

static void version_2_5_32_counts_jiffies(void **state)
{
    struct fake_host h;
    struct policy_task *t = open_with_hog(&h, "o1:version=2.5.32", one_cpu, 0), *child;

    (void)state;
    fake_block(&h, t, WAIT_TIMER);
    fake_run_for(&h, 1500 * HL_NS_PER_MS);
    fake_wake_by_timer(&h, t);
    fake_settle(&h);
    assert_int_equal(fake_probe(&h, t, "sleep_avg_ns"), 1500 * HL_NS_PER_MS);
    assert_int_equal(fake_probe(&h, t, "bonus"), 7); /* 1000 x 1500 / 2000 / 100 */
    assert_int_equal(fake_probe(&h, t, "prio"), 118);
    fake_run_for(&h, 100 * HL_NS_PER_MS);
    assert_int_equal(fake_probe(&h, t, "sleep_avg_ns"), 1400 * HL_NS_PER_MS);
    child = fake_fork(&h, t, false);
    assert_int_equal(fake_probe(&h, child, "sleep_avg_ns"), 1330 * HL_NS_PER_MS); /* 95 % */
    assert_int_equal(fake_probe(&h, child, "prio"), 119);
    fake_close(&h);
}

static void a_kernel_without_smp_uses_cpu_0_only(void **state)
{
    struct fake_host h;
    struct policy_task *t[3];

    (void)state;
    fake_open(&h, "o1:kernel=up", two_cpus);
    for (int i = 0; i < 3; i++) {
        t[i] = fake_task(&h, 0);
        fake_wake(&h, t[i],
                  &(struct policy_wakeup){.why = POLICY_WAKE, .waker_cpu = 1, .from_irq = true});
    }
    fake_settle(&h);
    fake_run_for(&h, HL_NS_PER_S);
    assert_int_equal(fake_probe(&h, NULL, "cpu0.nr_running"), 3);
    assert_null(h.policy.running[1]);
    fake_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_are_those_of_the_source),
        cmocka_unit_test(interactive_needs_the_more_bonus_the_nicer),
        cmocka_unit_test(long_sleep_and_granularity_are_those_of_the_source),
        cmocka_unit_test(a_long_sleep_gives_918_ms_and_no_more),
        cmocka_unit_test(a_short_sleep_counts_tenfold_at_no_bonus),
        cmocka_unit_test(disk_waits_alone_make_nobody_interactive),
        cmocka_unit_test(low_credit_caps_a_sleep_at_one_slice),
        cmocka_unit_test(high_credit_makes_running_cheap),
        cmocka_unit_test(the_ceiling_of_sleep_avg_earns_credit),
        cmocka_unit_test(the_product_wraps_at_32_bits_on_request),
        cmocka_unit_test(a_hog_alone_sinks_to_credit_minus_101),
        cmocka_unit_test(waiting_after_a_wakeup_counts_as_sleep_by_its_cause),
        cmocka_unit_test(a_normal_wakeup_returns_to_a_busy_last_cpu),
        cmocka_unit_test(a_better_priority_preempts),
        cmocka_unit_test(a_sync_wakeup_comes_to_the_waker_and_disturbs_nobody),
        cmocka_unit_test(a_sync_wakeup_from_elsewhere_is_a_normal_one_except_in_test11),
        cmocka_unit_test(a_used_up_slice_sends_to_expired),
        cmocka_unit_test(shares_follow_the_slices),
        cmocka_unit_test(an_interactive_task_returns_to_active_unless_expired_starve),
        cmocka_unit_test(version_2_6_3_counts_a_better_static_priority_as_starving),
        cmocka_unit_test(interactive_tasks_rotate_inside_their_slices),
        cmocka_unit_test(a_child_shares_the_slice_and_runs_first),
        cmocka_unit_test(a_vfork_child_runs_because_it_is_next),
        cmocka_unit_test(forking_with_one_jiffy_left_expires_the_parent),
        cmocka_unit_test(a_first_slice_returns_when_the_parent_reaps),
        cmocka_unit_test(a_later_slice_does_not_return),
        cmocka_unit_test(yield_goes_to_the_end_of_expired),
        cmocka_unit_test(real_time_tasks_run_before_all_others),
        cmocka_unit_test(renicing_moves_the_priority_and_may_preempt),
        cmocka_unit_test(version_2_5_32_counts_jiffies),
        cmocka_unit_test(a_kernel_without_smp_uses_cpu_0_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
