/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stuck_test.c - runs that will not end are reported, others are let alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "sim/sim.h"
#include "workload/scenario.h"

/* Plays a scenario under a policy of the registry, or under `ops`. */
static enum hl_status play(const char *text, const struct policy_ops *ops, struct hl_error *err)
{
    struct scenario s;
    struct policy_spec policy = {0};
    struct sim_result result;
    enum hl_status status;

    err->text[0] = '\0';
    assert_int_equal(scenario_parse(&s, "test", text, err), HL_OK);
    if (ops == NULL)
        assert_int_equal(policy_spec_parse(&policy, s.policy, err), HL_OK);
    else
        policy.ops = ops;
    status = sim_run(&(struct sim_options){.machine = &s.machine,
                                           .policy = &policy,
                                           .workload = &s.workload,
                                           .seed = 1,
                                           .until_ns = s.until_ns == INT64_MAX ? 0 : s.until_ns},
                     &result, err);
    scenario_close(&s);
    return status;
}

static void assert_says(const struct hl_error *err, const char *part)
{
    if (strstr(err->text, part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", err->text, part);
}

/* ---- nobody is left ---- */

static void a_busy_daemon_hides_no_deadlock(void **state)
{
    struct hl_error err;

    (void)state;
    assert_int_equal(play("machine cpus=2\npolicy fifo\npipe p\n"
                          "task A: run 1ms read p 1\n"
                          "task D background: loop forever { run 1ms sleep 1ms }\n",
                          NULL, &err),
                     HL_BAD_INPUT);
    assert_says(&err, "test:4: task 'A' waits for ever in read: nobody is left who could end it; 1 "
                      "task of the run has not ended; tasks: A is in read, D (background) ");
    assert_says(&err, "; cpus: 0 ");
}

static void who_waits_for_the_dead_is_dead(void **state)
{
    struct hl_error err;

    (void)state;
    /* B holds the lock that A wants and waits for a byte that only A would write, later. */
    assert_int_equal(play("machine cpus=2\npolicy o1\npipe p\n"
                          "task B: lock l read p 1 unlock l\n"
                          "task A at 1ms: lock l unlock l write p 1\n"
                          "task D background: loop forever { run 1ms sleep 1ms }\n",
                          NULL, &err),
                     HL_BAD_INPUT);
    assert_says(&err, "2 tasks of the run have not ended");
}

static void what_a_daemon_has_done_once_it_does_not_do_again(void **state)
{
    struct hl_error err;

    (void)state;
    assert_int_equal(
        play("machine cpus=2\npolicy fifo\npipe p\n"
             "task A: read p 2\n"
             "task W background: write p 1 loop forever { run 1ms sleep 1ms read p 1 }\n",
             NULL, &err),
        HL_BAD_INPUT);
    assert_says(&err, "waits for ever in read");
}

static void a_run_that_ends_at_the_moment_of_a_look_has_ended(void **state)
{
    struct hl_error err;
    char text[128];

    (void)state;
    /* An event each: some of these end with the one after which runs are looked at. */
    for (int n = 65530; n <= 65540; n++) {
        (void)snprintf(text, sizeof(text),
                       "machine cpus=1\npolicy fifo\ntask A: loop %d { run 1us }\n", n);
        if (play(text, NULL, &err) != HL_OK)
            fail_msg("%d steps: %s", n, err.text);
    }
}

static void a_daemon_that_may_end_the_wait_is_waited_for(void **state)
{
    struct hl_error err;

    (void)state;
    assert_int_equal(play("machine cpus=1\npolicy o1\npipe p capacity=1\nbarrier b size=2\n"
                          "program child: exec sleep 1s write p 1\n"
                          "task A: read p 1 barrier b lock l unlock l\n"
                          "task W background: loop forever { sleep 100s lock l vfork child wait "
                          "barrier b unlock l }\n",
                          NULL, &err),
                     HL_OK);
}

static void long_sleeps_and_late_tasks_are_waited_for(void **state)
{
    struct hl_error err;

    (void)state;
    assert_int_equal(play("machine cpus=1\npolicy o1\npipe p\n"
                          "task A: read p 1\n"
                          "task B at 1000s: sleep 1000s write p 1\n",
                          NULL, &err),
                     HL_OK);
}

/* ---- tasks that their policy lost ---- */

static struct hl_list held;

static void sulk_enqueue(struct policy *p, struct policy_task *t, int cpu,
                         const struct policy_wakeup *w)
{
    (void)w;
    hl_list_push_back(&held, &t->link);
    policy_kick(p, cpu);
}

static void sulk_dequeue(struct policy *p, struct policy_task *t, int cpu, enum policy_why why,
                         enum policy_wait wait)
{
    (void)p, (void)cpu, (void)why, (void)wait;
    hl_list_remove(&held, &t->link);
}

static struct policy_task *sulk_pick(struct policy *p, int cpu, struct policy_task *prev)
{
    (void)p, (void)cpu;
    return prev;
}

static struct policy_task *first_pick(struct policy *p, int cpu, struct policy_task *prev)
{
    (void)p, (void)cpu, (void)prev;
    return HL_LIST_ENTRY(held.first, struct policy_task, link);
}

static void sulk_tick(struct policy *p, int cpu, struct policy_task *running)
{
    (void)p, (void)cpu, (void)running;
}

static void sulk_clock(const struct policy *p, struct policy_clock *c)
{
    (void)p;
    c->idle_cpus_tick = true;
}

static void a_task_that_is_never_picked_is_reported(void **state)
{
    struct policy_ops sulk = {
        .name = "sulk", .enqueue = sulk_enqueue, .dequeue = sulk_dequeue, .pick = sulk_pick};
    struct hl_error err;

    (void)state;
    for (int ticks = 0; ticks < 2; ticks++) {
        held = (struct hl_list){0};
        sulk.tick = ticks ? sulk_tick : NULL;
        sulk.clock = ticks ? sulk_clock : NULL;
        assert_int_equal(
            play("machine cpus=2\npolicy fifo\ntask A start 1: run 1ms\n", &sulk, &err),
            HL_BAD_POLICY);
        assert_says(&err, "sulk lets task 0 'A' wait for a cpu for ever");
        assert_says(&err, "cpus: 0 idle, 1 idle");
    }
}

static void a_task_behind_an_endless_one_is_reported(void **state)
{
    struct hl_error err;

    (void)state;
    assert_int_equal(play("machine cpus=1\npolicy fifo\n"
                          "task H background: run forever\n"
                          "task A at 1ms: run 1ms\n",
                          NULL, &err),
                     HL_BAD_POLICY);
    assert_says(&err, "fifo lets task 1 'A' wait for a cpu for ever");
    assert_says(&err, "H (background) runs on cpu 0");
    assert_says(&err, "cpus: 0 H");
}

static void a_long_wait_is_no_loss(void **state)
{
    struct hl_error err;

    (void)state;
    /* Nice -20 against class idle: seconds for each ms. */
    assert_int_equal(play("machine cpus=1\npolicy cfs\n"
                          "task H background nice -20: run forever\n"
                          "task A class idle at 1ms: run 30ms\n",
                          NULL, &err),
                     HL_OK);
    assert_int_equal(play("machine cpus=1\npolicy fifo\n"
                          "task H background: run 10000s\n"
                          "task A at 1ms: run 1ms\n"
                          "task D background at 2ms: loop forever { run 1ms sleep 1ms }\n",
                          NULL, &err),
                     HL_OK);
}

/* Two cpus ask each other to look again, which costs no time. */
static struct policy_task *echo_pick(struct policy *p, int cpu, struct policy_task *prev)
{
    policy_kick(p, 1 - cpu);
    return prev != NULL ? prev : cpu == 0 ? first_pick(p, cpu, prev) : NULL;
}

static void requests_in_a_circle_are_reported(void **state)
{
    const struct policy_ops echo = {
        .name = "echo", .enqueue = sulk_enqueue, .dequeue = sulk_dequeue, .pick = echo_pick};
    struct hl_error err;

    (void)state;
    held = (struct hl_list){0};
    assert_int_equal(play("machine cpus=2 ipi_ns=0\npolicy fifo\nuntil 1s\n"
                          "task A start 0: run 1ms\n",
                          &echo, &err),
                     HL_BAD_POLICY);
    assert_says(&err, "echo: ");
    assert_says(&err, " events, and more to come at 0 ns; tasks: A runs on cpu 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_busy_daemon_hides_no_deadlock),
        cmocka_unit_test(who_waits_for_the_dead_is_dead),
        cmocka_unit_test(what_a_daemon_has_done_once_it_does_not_do_again),
        cmocka_unit_test(a_run_that_ends_at_the_moment_of_a_look_has_ended),
        cmocka_unit_test(a_daemon_that_may_end_the_wait_is_waited_for),
        cmocka_unit_test(long_sleeps_and_late_tasks_are_waited_for),
        cmocka_unit_test(a_task_that_is_never_picked_is_reported),
        cmocka_unit_test(a_task_behind_an_endless_one_is_reported),
        cmocka_unit_test(a_long_wait_is_no_loss),
        cmocka_unit_test(requests_in_a_circle_are_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
