/* SPDX-License-Identifier: GPL-2.0-or-later */
/* smtnice_test.c - who pauses for whom, and when it is let in again (spec linux 6.2). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"
#include "fake_host.h"
#include "policy/o1_core.h"

static const struct fake_shape one_core = {1, 1, 1, 2}, two_cores = {1, 2, 1, 2};

/* A task with this nice value runs on cpu 0 with so much of its slice left; does `nice` run beside it? */
static bool runs_beside(const char *spec, int slice_left, int nice)
{
    struct fake_host h;
    bool runs;

    fake_open(&h, spec, one_core);
    ((struct o1_task *)fake_hog(&h, 0, 0)->data)->slice = slice_left;
    fake_settle(&h);
    fake_hog(&h, nice, 1);
    fake_pick(&h, 1);
    runs = h.policy.running[1] != NULL;
    fake_close(&h);
    return runs;
}

static void a_nice_task_runs_only_at_the_end_of_its_siblings_slice(void **state)
{
    (void)state;
    /* 13 * 85 / 100 = 11 > 10, the slice of nice 19; 12 * 85 / 100 = 10 is not. */
    assert_false(runs_beside("smtnice", 13, 19));
    assert_true(runs_beside("smtnice", 12, 19));
    assert_false(runs_beside("smtnice:form=march", 13, 19));
    assert_true(runs_beside("smtnice:form=march", 12, 19));
    /* 15 * 75 / 100 = 11, 14 * 75 / 100 = 10. */
    assert_false(runs_beside("smtnice:gain=25", 15, 19));
    assert_true(runs_beside("smtnice:gain=25", 14, 19));
    assert_true(runs_beside("smtnice:sib.flags=NEWIDLE", 102, 19)); /* no SHARE */
}

static void equal_tasks_never_pause(void **state)
{
    (void)state;
    assert_true(runs_beside("smtnice", 102, 0)); /* 102 * 85 / 100 = 86 < 102 */
    assert_true(runs_beside("smtnice:form=march", 102, 0));
    assert_true(runs_beside("smtnice", 102, -5));
}

static void march_asks_for_a_worse_nice_value_too(void **state)
{
    (void)state;
    /* A slice of 200 returned by dead children: 200 * 85 / 100 = 170 > 102, at equal nice. */
    assert_false(runs_beside("smtnice", 200, 0));
    assert_true(runs_beside("smtnice:form=march", 200, 0));
}

static void a_real_time_task_has_the_core_to_itself(void **state)
{
    static const char *const forms[] = {"smtnice", "smtnice:form=march"};

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(forms); i++) {
        struct fake_host h;
        struct policy_task *hog, *rt, *kernel;

        fake_open(&h, forms[i], one_core);
        hog = fake_hog(&h, 0, 1);
        fake_settle(&h);
        assert_int_equal(hog->on_cpu, 1);
        rt = fake_task(&h, 0);
        rt->class = CLASS_FIFO;
        rt->rt_priority = 10;
        ((struct o1_task *)rt->data)->prio = 89;
        fake_start(&h, rt, 0);
        fake_settle(&h);
        assert_int_equal(rt->on_cpu, 0);
        assert_int_equal(hog->on_cpu, POLICY_NO_CPU); /* kicked out at once, and paused */
        kernel = fake_task(&h, 0);
        kernel->is_kernel = true;
        fake_start(&h, kernel, 1);
        fake_run_for(&h, HL_NS_PER_MS);
        assert_int_equal(hog->on_cpu, POLICY_NO_CPU);
        /* The queue's head decides: a kernel thread at the head would run, but the hog came first. */
        fake_block(&h, rt, WAIT_TIMER);
        fake_settle(&h);
        assert_int_equal(h.policy.running[1] != NULL, true); /* let in at once */
        fake_close(&h);
    }
}

static void a_kernel_thread_neither_pauses_nor_makes_others_pause(void **state)
{
    struct fake_host h;
    struct policy_task *kernel, *hog;

    (void)state;
    fake_open(&h, "smtnice", one_core);
    kernel = fake_task(&h, 0);
    kernel->is_kernel = true;
    fake_start(&h, kernel, 0);
    fake_settle(&h);
    hog = fake_hog(&h, 19, 1);
    fake_settle(&h);
    assert_int_equal(hog->on_cpu, 1);
    fake_close(&h);

    fake_open(&h, "smtnice", one_core);
    fake_hog(&h, 0, 0);
    fake_settle(&h);
    kernel = fake_task(&h, 19);
    kernel->is_kernel = true;
    fake_start(&h, kernel, 1);
    fake_settle(&h);
    assert_int_equal(kernel->on_cpu, 1);
    fake_close(&h);
}

static void a_paused_task_is_let_in_when_its_sibling_goes_idle(void **state)
{
    struct fake_host h;
    struct policy_task *better, *paused;

    (void)state;
    fake_open(&h, "smtnice", one_core);
    better = fake_hog(&h, 0, 0);
    fake_settle(&h);
    paused = fake_hog(&h, 19, 1);
    fake_run_for(&h, 10 * HL_NS_PER_MS);
    assert_int_equal(paused->on_cpu, POLICY_NO_CPU);
    assert_int_equal(fake_probe(&h, NULL, "cpu1.nr_running"), 1); /* it counts */
    fake_block(&h, better, WAIT_TIMER);
    assert_true(h.kicked[1]);
    fake_settle(&h);
    assert_int_equal(paused->on_cpu, 1);
    fake_close(&h);
}

static void a_nice_task_gets_the_last_twelve_of_102_milliseconds(void **state)
{
    struct fake_host h;
    struct policy_task *better, *nice;

    (void)state;
    fake_open(&h, "smtnice", one_core);
    better = fake_hog(&h, 0, 0);
    nice = fake_hog(&h, 19, 1);
    fake_run_for(&h, 102 * 100 * HL_NS_PER_MS);
    assert_int_equal(fake_ran_ns(&h, better), 10200 * HL_NS_PER_MS);
    /* It looks at its own ticks, here a third of a ms after its sibling's: 11.67 ms of each 102. */
    assert_in_range(fake_ran_ns(&h, nice), 1140 * HL_NS_PER_MS, 1190 * HL_NS_PER_MS);
    fake_close(&h);
}

static void a_core_with_a_paused_task_is_relieved_by_an_idle_one(void **state)
{
    struct fake_host h;
    struct policy_task *better, *nice;

    (void)state;
    fake_open(&h, "smtnice", two_cores);
    better = fake_hog(&h, 0, 0);
    nice = fake_hog(&h, 19, 1);
    fake_run_for(&h, 100 * HL_NS_PER_MS);
    assert_true(better->on_cpu >= 0 && nice->on_cpu >= 0);
    assert_int_not_equal(better->on_cpu / 2, nice->on_cpu / 2);
    fake_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_nice_task_runs_only_at_the_end_of_its_siblings_slice),
        cmocka_unit_test(equal_tasks_never_pause),
        cmocka_unit_test(march_asks_for_a_worse_nice_value_too),
        cmocka_unit_test(a_real_time_task_has_the_core_to_itself),
        cmocka_unit_test(a_kernel_thread_neither_pauses_nor_makes_others_pause),
        cmocka_unit_test(a_paused_task_is_let_in_when_its_sibling_goes_idle),
        cmocka_unit_test(a_nice_task_gets_the_last_twelve_of_102_milliseconds),
        cmocka_unit_test(a_core_with_a_paused_task_is_relieved_by_an_idle_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
