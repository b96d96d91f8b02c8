/* SPDX-License-Identifier: GPL-2.0-or-later */
/* w26_test.c - rounding up, the watch over doubly loaded cores, pushes (spec linux 5.8). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/units.h"
#include "fake_host.h"
#include "policy/domains.h"

static const struct fake_shape two_by_two = {1, 2, 1, 2}, two_cpus = {1, 2, 1, 1};

/* Two hogs on the threads of core 0. Milliseconds until they are apart; -1: they are not after 2 s. */
static int64_t apart_after_ms(const char *spec, struct fake_shape shape)
{
    struct fake_host h;
    struct policy_task *a, *b;
    int64_t result = -1;

    fake_open(&h, spec, shape);
    a = fake_hog(&h, 0, 0);
    b = fake_hog(&h, 0, 1);
    for (int ms = 0; ms < 2000 && result < 0; ms++) {
        fake_run_until(&h, ms * HL_NS_PER_MS);
        if (a->on_cpu / 2 != b->on_cpu / 2)
            result = ms;
    }
    /* And so they stay. */
    if (result >= 0) {
        int32_t migrations = h.migrations;

        assert_in_range(migrations, 1, 5);
        fake_run_for(&h, 2 * HL_NS_PER_S);
        assert_int_equal(h.migrations, migrations);
    } else {
        assert_int_equal(h.migrations, 0);
    }
    fake_close(&h);
    return result;
}

static void a_doubly_loaded_core_is_watched_before_a_task_is_pushed(void **state)
{
    static const struct fake_shape shapes[] = {{1, 2, 1, 2}, {1, 4, 1, 2}};

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(shapes); i++) {
        assert_in_range(apart_after_ms("w26:active_delay=0", shapes[i]), 3, 20);
        assert_in_range(apart_after_ms("w26:active_delay=50", shapes[i]), 50, 60);
        assert_in_range(apart_after_ms("w26", shapes[i]), 300, 320);
        assert_int_equal(apart_after_ms("w26:active_delay=never", shapes[i]), -1);
    }
}

static void a_lone_task_is_left_alone_while_there_is_a_guard(void **state)
{
    struct fake_host h;

    (void)state;
    fake_open(&h, "w26:active_delay=0", two_by_two);
    fake_hog(&h, 0, 0);
    fake_run_for(&h, 5 * HL_NS_PER_S);
    assert_int_equal(h.migrations, 0);
    assert_true(fake_probe(&h, NULL, "cpu2.cpu.failed") >
                4000); /* one failure a tick, counted for ever */
    fake_close(&h);
    fake_open(&h, "w26:active_delay=0:guard=n", two_by_two);
    fake_hog(&h, 0, 0);
    fake_run_for(&h, HL_NS_PER_S);
    assert_in_range(h.migrations, 1000, 5000); /* several times per ms */
    fake_close(&h);
}

static void without_siblings_nothing_is_pushed(void **state)
{
    struct fake_host h;

    (void)state;
    fake_open(&h, "w26:active_delay=0:guard=n", two_cpus);
    fake_hog(&h, 0, 0);
    fake_run_for(&h, HL_NS_PER_S);
    assert_int_equal(h.migrations, 0);
    fake_close(&h);
}

static void any_difference_rounds_up_to_a_task(void **state)
{
    struct fake_host h;
    struct policy_task *waiting;

    (void)state;
    /* 2 : 1 on two cpus: average 192, gap 64, rounded up one. But a busy cpu would take it only to
     * give it back, and its own 128 is below the average: it does. */
    fake_open(&h, "w26", two_cpus);
    fake_hog(&h, 0, 0);
    waiting = fake_hog(&h, 0, 0);
    fake_hog(&h, 0, 1);
    fake_settle(&h);
    domain_cpu_of(&h.policy, 1)->estimate[0] = 256;
    domain_cpu_of(&h.policy, 1)->estimate[1] = 128;
    /* Cold: queued long before the last tick of its cpu. */
    h.policy.now_ns = 31 * HL_NS_PER_MS;
    fake_tick(&h, 0);
    h.policy.now_ns = 32 * HL_NS_PER_MS; /* the first multiple of the busy period */
    fake_tick(&h, 1);
    assert_int_equal(fake_probe(&h, waiting, "queue"), 1);
    fake_close(&h);
}

static void levels_are_balanced_in_jiffies_that_are_multiples(void **state)
{
    struct fake_host h;
    int64_t looks[8];
    int64_t before = 0;
    int count = 0;

    (void)state;
    /* An idle machine stays balanced: the interval doubles to 8, and looks fall on 1, 2, 4, 8, 16, 24. */
    fake_open(&h, "w26", two_cpus);
    fake_hog(&h, 0, 0);
    fake_settle(&h);
    domain_cpu_of(&h.policy, 0)->domain[0].interval_ms = 1;
    for (int64_t jiffy = 1; jiffy <= 130; jiffy++) {
        h.policy.now_ns = jiffy * HL_NS_PER_MS;
        fake_tick(&h, 0);
        if (fake_probe(&h, NULL, "cpu0.h_cpu0") != before && count < 8)
            looks[count++] = jiffy;
        before = fake_probe(&h, NULL, "cpu0.h_cpu0");
    }
    /* Busy: 32 times less often. */
    assert_int_equal(count, 3);
    assert_int_equal(looks[0], 32);
    assert_int_equal(looks[1], 64);
    assert_int_equal(looks[2], 128);
    fake_close(&h);
}

static void a_period_that_is_no_power_of_two_works_too(void **state)
{
    struct fake_host h;

    (void)state;
    fake_open(&h, "w26:cpu.busy_factor=7:cpu.max_interval=1", two_cpus);
    fake_hog(&h, 0, 0);
    fake_settle(&h);
    for (int64_t jiffy = 1; jiffy <= 15; jiffy++) {
        h.policy.now_ns = jiffy * HL_NS_PER_MS;
        fake_tick(&h, 0);
        assert_int_equal(fake_probe(&h, NULL, "cpu0.h_cpu0"), jiffy < 7 ? 0 : jiffy < 14 ? 64 : 96);
    }
    fake_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_doubly_loaded_core_is_watched_before_a_task_is_pushed),
        cmocka_unit_test(a_lone_task_is_left_alone_while_there_is_a_guard),
        cmocka_unit_test(without_siblings_nothing_is_pushed),
        cmocka_unit_test(any_difference_rounds_up_to_a_task),
        cmocka_unit_test(levels_are_balanced_in_jiffies_that_are_multiples),
        cmocka_unit_test(a_period_that_is_no_power_of_two_works_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
