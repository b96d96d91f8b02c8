/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenario_test.c - scenario files: what they set, and what is said about malformed ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "workload/scenario.h"

#define HEAD "machine pack:2 core:1 pu:2\npolicy fifo\n"

#define TEN(text)             text text text text text text text text text text
#define HUNDRED_AND_ONE(text) TEN(TEN(text)) text

static void parse(struct scenario *s, const char *text)
{
    struct hl_error err;

    if (scenario_parse(s, "s.scn", text, &err) != HL_OK)
        fail_msg("%s", err.text);
}

static void step_is(const struct scenario *s, int32_t program, uint32_t index, enum program_op op,
                    int32_t target, int64_t amount)
{
    const struct program *p = &s->workload.programs[program];
    const struct program_step *step = &s->workload.steps[p->first + index];

    assert_true(index < p->count);
    assert_int_equal(step->op, op);
    assert_int_equal(step->target, target);
    assert_int_equal(step->amount, amount);
}

static void a_small_scenario_is_read(void **state)
{
    struct scenario s;

    (void)state;
    parse(&s, "# fifo does not preempt: B arrives at 2 ms and waits for A until 5 ms.\n"
              "machine  cpus=1 switch_cost_ns=0\n"
              "policy   fifo\n"
              "task A   at 0ms  run 5ms\n"
              "task B   at 2ms  run 1ms\n"
              "expect   B.wait_ns == 3000000        # 5 - 2\n"
              "expect   B.finish_ns == 6ms\n"
              "golden   timeline                    # compared with fifo-no-preempt.golden\n");
    assert_int_equal(s.machine.cpu_count, 1);
    assert_int_equal(machine_constant(&s.machine, MACHINE_switch_cost_ns), 0);
    assert_string_equal(s.policy, "fifo");
    assert_int_equal(s.policy_line, 3);
    assert_int_equal(s.workload.task_count, 2);
    assert_string_equal(s.task_names[1], "B");
    assert_int_equal(s.workload.tasks[1].at_ns, 2 * HL_NS_PER_MS);
    assert_int_equal(s.workload.live_task_max, 2);
    step_is(&s, s.workload.tasks[1].program, 0, OP_RUN, 0, HL_NS_PER_MS);
    step_is(&s, s.workload.tasks[1].program, 1, OP_EXIT, 0, 0);
    assert_int_equal(s.expect_count, 2);
    assert_string_equal(s.expects[0].left, "B.wait_ns");
    assert_int_equal(s.expects[0].compare, COMPARE_EQ);
    assert_true(s.expects[0].right == 3e6);
    assert_int_equal(s.expects[0].line, 6);
    assert_true(s.expects[1].right == 6e6);
    assert_true(s.expects[0].at_ns == INT64_MAX);
    assert_true(s.golden_timeline);
    assert_int_equal(s.trials, 1);
    assert_true(s.until_ns == INT64_MAX);
    scenario_close(&s);
}

static void settings_may_come_in_any_order_and_over_several_lines(void **state)
{
    struct scenario s;

    (void)state;
    parse(&s, "task A on 1,3 start 3 \\\n"
              "class rr rt 7:\r\n"
              "\n"
              "  nice 5   # indented lines go on\n"
              "# a comment at the start of a line ends nothing\n"
              "\tfork child; wait\n"
              "program child: run forever\n"
              "policy 'o1:version=2.6.0'\n"
              "seed 99\n"
              "repeat 20\n"
              "until 10s\n"
              "machine \"pack:2 core:1 pu:2\" smt_gain=0.5\n");
    assert_int_equal(s.machine.cpu_count, 4);
    assert_int_equal(machine_constant(&s.machine, MACHINE_smt_gain), 500000);
    assert_string_equal(s.policy, "o1:version=2.6.0");
    assert_int_equal(s.seed, 99);
    assert_int_equal(s.trials, 20);
    assert_int_equal(s.until_ns, 10 * HL_NS_PER_S);
    assert_int_equal(s.workload.tasks[0].class, 4);
    assert_int_equal(s.workload.tasks[0].rt_priority, 7);
    assert_int_equal(s.workload.tasks[0].nice, 0); /* behind the colon it is a step */
    assert_int_equal(s.workload.tasks[0].start_cpu, 3);
    assert_int_equal(s.workload.cpu_sets[0], 10);
    step_is(&s, 1, 0, OP_NICE, 0, 5);
    step_is(&s, 1, 1, OP_FORK, 0, 0);
    step_is(&s, 1, 2, OP_WAIT, 0, 1);
    step_is(&s, 0, 0, OP_RUN, 0, INT64_MAX);
    assert_int_equal(s.workload.live_task_max, 2);
    scenario_close(&s);
}

static void every_step_is_read(void **state)
{
    struct scenario s;
    const struct program_step *sleep;

    (void)state;
    parse(&s, HEAD
          "pipe p capacity=4k sync\n"
          "pipe q\n"
          "barrier b size=1\n"
          "program child run 1ms\n"
          "until 1s\n"
          "task T nice -5 kernel background at 1us\n"
          "  run 5ms system 1ms sleep 50ms..150ms sleep 10ms disk 2 fork child vfork child exec\n"
          "  wait 2 wait all wait read q 100 write p 2k lock L lock M unlock L unlock M barrier b\n"
          "  yield nice 3 affinity 0-1,3 affinity all exit\n");
    step_is(&s, 1, 0, OP_RUN, 0, 5 * HL_NS_PER_MS);
    step_is(&s, 1, 1, OP_SYSTEM, 0, HL_NS_PER_MS);
    step_is(&s, 1, 2, OP_SLEEP, 0, 50 * HL_NS_PER_MS);
    sleep = &s.workload.steps[s.workload.programs[1].first + 2];
    assert_int_equal(sleep->spread, 100 * HL_NS_PER_MS);
    step_is(&s, 1, 3, OP_SLEEP, 0, 10 * HL_NS_PER_MS);
    step_is(&s, 1, 4, OP_DISK, 0, 2);
    step_is(&s, 1, 5, OP_FORK, 0, 0);
    step_is(&s, 1, 6, OP_VFORK, 0, 0);
    step_is(&s, 1, 7, OP_EXEC, -1, 0);
    step_is(&s, 1, 8, OP_WAIT, 0, 2);
    step_is(&s, 1, 9, OP_WAIT, 0, INT64_MAX);
    step_is(&s, 1, 10, OP_WAIT, 0, 1);
    step_is(&s, 1, 11, OP_READ, 1, 100);
    step_is(&s, 1, 12, OP_WRITE, 0, 2048);
    step_is(&s, 1, 13, OP_LOCK, 0, 0);
    step_is(&s, 1, 14, OP_LOCK, 1, 0);
    step_is(&s, 1, 15, OP_UNLOCK, 0, 0);
    step_is(&s, 1, 16, OP_UNLOCK, 1, 0);
    step_is(&s, 1, 17, OP_BARRIER, 0, 0);
    step_is(&s, 1, 18, OP_YIELD, 0, 0);
    step_is(&s, 1, 19, OP_NICE, 0, 3);
    step_is(&s, 1, 20, OP_AFFINITY, 0, 0);
    step_is(&s, 1, 21, OP_AFFINITY, -1, 0);
    step_is(&s, 1, 22, OP_EXIT, 0, 0);
    assert_int_equal(s.workload.cpu_sets[0], 11);
    assert_int_equal(s.workload.lock_count, 2);
    assert_int_equal(s.workload.pipes[0].capacity_bytes, 4096);
    assert_true(s.workload.pipes[0].sync_write);
    assert_int_equal(s.workload.pipes[1].capacity_bytes, 65536);
    assert_false(s.workload.pipes[1].sync_write);
    assert_int_equal(s.workload.tasks[0].nice, -5);
    assert_true(s.workload.tasks[0].is_kernel);
    assert_true(s.workload.tasks[0].background);
    scenario_close(&s);
}

static void copies_come_behind_all_other_tasks_and_share_a_name(void **state)
{
    struct scenario s;
    struct hl_error err;

    (void)state;
    parse(&s, HEAD "check end\ntask A copies 3 nice 5: run 1ms\ntask B: run 2ms\n");
    assert_int_equal(s.workload.task_count, 4);
    assert_string_equal(s.task_names[0], "A");
    assert_string_equal(s.task_names[1], "B");
    assert_string_equal(s.task_names[3], "A");
    assert_int_equal(s.workload.tasks[3].nice, 5);
    assert_int_equal(s.workload.tasks[3].program, s.workload.tasks[0].program);
    assert_true(s.check_at_end);
    scenario_close(&s);
    assert_int_equal(scenario_parse(&s, "s.scn",
                                    HEAD "task A copies 60000: run 1ms\n"
                                         "task B copies 60000: run 1ms\n",
                                    &err),
                     HL_BAD_INPUT);
    assert_string_equal(err.text,
                        "s.scn: the copies of task 'B' are too many; expected at most 100000 tasks");
}

static void loops_nest_by_depth(void **state)
{
    struct scenario s;
    const struct program_step *steps;

    (void)state;
    parse(&s, HEAD
          "until 1s\ntask T background loop forever { loop 3 {run 1ms} loop 2 { loop 5 { yield } "
          "run 1ms } }\n");
    steps = s.workload.steps;
    step_is(&s, 0, 1, OP_LOOP, 0, 3);
    step_is(&s, 0, 3, OP_LOOP, 2, 5);
    step_is(&s, 0, 5, OP_LOOP, 2, 2);
    step_is(&s, 0, 6, OP_LOOP, 0, INT64_MAX);
    assert_int_equal(steps[1].depth, 0);
    assert_int_equal(steps[3].depth, 0);
    assert_int_equal(steps[5].depth, 1);
    assert_int_equal(steps[6].depth, 2);
    scenario_close(&s);
}

static void expectations_are_read(void **state)
{
    struct scenario s;

    (void)state;
    parse(&s, HEAD "task A run 1ms\ntask B run 1ms\n"
                   "expect at 5ms mean same_core( A , B ) <= 0.34 +- 0.05\n"
                   "expect at end max A.wait_ns > 1.5ms within 10us\n"
                   "expect min elapsed_ns >= 200 +-1%\n"
                   "expect each A.sleep_avg_ns != -3\n"
                   "expect A.cpu < 1\n");
    assert_int_equal(s.expect_count, 5);
    assert_string_equal(s.expects[0].left, "same_core(A,B)");
    assert_int_equal(s.expects[0].at_ns, 5 * HL_NS_PER_MS);
    assert_int_equal(s.expects[0].over, OVER_MEAN);
    assert_int_equal(s.expects[0].compare, COMPARE_LE);
    assert_true(s.expects[0].right == 0.34);
    assert_true(s.expects[0].tolerance == 0.05);
    assert_true(s.expects[1].at_ns == INT64_MAX);
    assert_int_equal(s.expects[1].over, OVER_MAX);
    assert_int_equal(s.expects[1].compare, COMPARE_GT);
    assert_true(s.expects[1].right == 1.5e6);
    assert_true(s.expects[1].tolerance == 1e4);
    assert_int_equal(s.expects[2].over, OVER_MIN);
    assert_int_equal(s.expects[2].compare, COMPARE_GE);
    assert_true(s.expects[2].tolerance == 2);
    assert_int_equal(s.expects[3].over, OVER_EACH);
    assert_int_equal(s.expects[3].compare, COMPARE_NE);
    assert_true(s.expects[3].right == -3);
    assert_int_equal(s.expects[4].compare, COMPARE_LT);
    scenario_close(&s);
}

static void malformed_files_are_refused_with_their_line(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        /* the file */
        {"", "s.scn: there is no machine; expected a statement 'machine ...'"},
        {"machine cpus=1\n", "s.scn: there is no policy; expected a statement 'policy ...'"},
        {HEAD, "s.scn: there are no tasks; expected at least one"},
        {"  policy fifo\n",
         "s.scn:1: the first line is indented; expected a statement at the start of the line"},
        {"policy 'fifo\n", "s.scn:1: a quote is not closed; expected its end on the same line"},
        {HEAD "tusk A run 1ms\n",
         "s.scn:3: unknown statement \"tusk\"; did you mean \"task\"? known: machine, "
         "policy, seed, trials, repeat, until, pipe, barrier, group, session, program, task, "
         "expect, golden, check"},
        /* settings */
        {HEAD "policy fifo\n", "s.scn:3: policy is given twice; expected it once"},
        {HEAD "machine cpus=1\n", "s.scn:3: machine is given twice; expected it once"},
        {"machine\n",
         "s.scn:1: the statement ends; expected a machine's name, a topology such as pack:2 core:1 "
         "pu:2, or cpus=N"},
        {"machine cpus=0\n", "s.scn:1: cpus is '0'; expected 1 to 4096"},
        {"machine cpus=4x\n", "s.scn:1: cpus is '4x'; expected 1 to 4096"},
        {"policy\n", "s.scn:1: the statement ends; expected a policy"},
        {"policy fifo o1\n", "s.scn:1: found 'o1'; expected the end of the statement"},
        {"seed x\n", "s.scn:1: seed is 'x'; expected 0 to 9223372036854775807"},
        {"seed\n", "s.scn:1: seed is missing; expected 0 to 9223372036854775807"},
        {"trials 0\n", "s.scn:1: the number of trials is '0'; expected 1 to 100000"},
        {"trials 5\nrepeat 5\n", "s.scn:2: the number of trials is given twice; expected it once"},
        {"until never\n", "s.scn:1: until is 'never'; expected a time such as 5ms"},
        {"until 0\n", "s.scn:1: until is 0; expected a later time"},
        {"golden report\n", "s.scn:1: found 'report'; expected timeline"},
        {"pipe\n", "s.scn:1: the statement ends; expected a name"},
        {"pipe 1p\n",
         "s.scn:1: name is '1p'; expected a letter, then letters, digits, _ or -, at most 31"},
        {"pipe p size=1\n", "s.scn:1: found 'size=1'; expected capacity=BYTES or sync"},
        {"pipe p capacity=0\n", "s.scn:1: capacity is '0'; expected bytes such as 4k"},
        {"pipe p\npipe p\n", "s.scn:2: pipe 'p' is defined twice; expected a new name"},
        {"barrier b\n", "s.scn:1: the statement ends; expected size=N"},
        {"barrier b size=0\n", "s.scn:1: found 'size=0'; expected size=N with N from 1 to 100000"},
        /* groups and sessions */
        {"group\n", "s.scn:1: the statement ends; expected a name"},
        {"group root\n", "s.scn:1: the group 'root' is always there; expected another name"},
        {"group g\ngroup g\n", "s.scn:2: group 'g' is defined twice; expected a new name"},
        {"group g weight=0\n", "s.scn:1: weight is '0'; expected 1 to 10000"},
        {"group g weight=10001\n", "s.scn:1: weight is '10001'; expected 1 to 10000"},
        {"group g quota=1us\n", "s.scn:1: quota is '1us'; expected a time of 1ms to 4096s"},
        {"group g period=\n", "s.scn:1: period is ''; expected a time of 1ms to 1s"},
        {"group g parent=g\n",
         "s.scn:1: parent is 'g'; expected a group that a statement before defines"},
        {"group g size=3\n", "s.scn:1: found 'size=3'; expected weight=N, quota=TIME, period=TIME, "
                             "parent=GROUP or idle"},
        {"session s nice=20\n", "s.scn:1: nice is '20'; expected -20 to 19"},
        {"session s weight=1\n", "s.scn:1: found 'weight=1'; expected the end of the statement"},
        {HEAD "task A group g run 1ms\n",
         "s.scn:3: unknown group 'g'; expected a statement 'group g ...'"},
        {HEAD "task A session s run 1ms\n",
         "s.scn:3: unknown session 's'; expected a statement 'session s ...'"},
        {HEAD "group g\ntask A run 1ms group h\n", "s.scn:4: unknown group \"h\"; known: g"},
        /* tasks */
        {HEAD "task\n", "s.scn:3: the statement ends; expected a name"},
        {HEAD "task A\n", "s.scn:3: the statement ends; expected steps"},
        {HEAD "task A.b run 1ms\n",
         "s.scn:3: name is 'A.b'; expected a letter, then letters, digits, _ or -, at most 31"},
        {HEAD "task A run 1ms\ntask A run 1ms\n",
         "s.scn:4: task 'A' is defined twice; expected a new name"},
        {HEAD "task A run 1ms\nprogram A run 1ms\n",
         "s.scn:4: 'A' is a task and a program; expected two names"},
        {HEAD "task A nice 20 run 1ms\n", "s.scn:3: nice is '20'; expected -20 to 19"},
        {HEAD "task A nice 2 nice 3 run 1ms\n", "s.scn:3: nice is given twice; expected it once"},
        {HEAD "task A at run 1ms\n", "s.scn:3: at is 'run'; expected a time such as 5ms"},
        {HEAD "task A at -1ms run 1ms\n", "s.scn:3: at is '-1ms'; expected a time such as 5ms"},
        {HEAD "task A class fifi run 1ms\n",
         "s.scn:3: unknown class \"fifi\"; did you mean \"fifo\"? known: "
         "normal, batch, idle, fifo, rr"},
        {HEAD "task A rt 5 run 1ms\n",
         "s.scn:3: rt is 5 in class normal; expected class fifo or rr"},
        {HEAD "task A class rr rt 100 run 1ms\n", "s.scn:3: rt is '100'; expected 1 to 99"},
        {HEAD "task A on 4 run 1ms\n",
         "s.scn:3: cpus are '4'; expected a list such as 0-1,3 within 0 to 3"},
        {HEAD "task A on 2-1 run 1ms\n",
         "s.scn:3: cpus are '2-1'; expected a list such as 0-1,3 within 0 to 3"},
        {HEAD "task A start 4 run 1ms\n", "s.scn:3: start is '4'; expected 0 to 3"},
        {HEAD "task A on 0-1 start 2 run 1ms\n",
         "s.scn:3: start is 2; expected one of the cpus after 'on'"},
        {HEAD "task A run forever\n",
         "s.scn:3: task 'A' runs for ever; expected a statement 'until TIME', or the "
         "word background in the task"},
        {HEAD "task A fork c\nprogram c loop forever { sleep 1ms }\n",
         "s.scn:3: task 'A' runs for ever; expected a statement 'until TIME', or the word "
         "background "
         "in the task"},
        /* steps */
        {HEAD "task A\n  run 1ms\n  rum 1ms\n",
         "s.scn:5: unknown step \"rum\"; did you mean \"run\"? known: run, system, sleep, disk, "
         "fork, vfork, exec, "
         "wait, exit, read, write, lock, unlock, barrier, yield, nice, affinity, loop, group, "
         "release, kill"},
        {HEAD "task A run\n", "s.scn:3: run is missing; expected a time such as 5ms"},
        {HEAD "task A run 5 ms\n",
         "s.scn:3: unknown step \"ms\"; known: run, system, sleep, disk, fork, vfork, "
         "exec, wait, exit, read, write, lock, unlock, barrier, yield, nice, affinity, loop, "
         "group, release, kill"},
        {HEAD "task A run 99999999999s\n",
         "s.scn:3: run is '99999999999s'; expected a time such as 5ms"},
        {HEAD "task A sleep 5ms..4ms\n",
         "s.scn:3: sleep is '5ms..4ms'; expected a time, or two that grow such as "
         "50ms..150ms"},
        {HEAD "task A disk 0\n", "s.scn:3: disk is '0'; expected 1 to 1000000"},
        {HEAD "task A wait 0\n", "s.scn:3: wait is '0'; expected 1 to 100000"},
        {HEAD "task A fork c\n",
         "s.scn:3: unknown program 'c'; expected a statement 'program c ...'"},
        {HEAD "task A fork c\nprogram child run 1ms\n",
         "s.scn:3: unknown program \"c\"; known: child"},
        {HEAD "task A fork\n", "s.scn:3: the statement ends; expected the name of a program"},
        {HEAD "task A fork c\nprogram c fork d\nprogram d fork c\n",
         "s.scn:5: program 'c' comes to fork itself through 'd'; expected no such circle"},
        {HEAD "task A loop 1000000 { fork c }\nprogram c run 1ms\n",
         "s.scn:3: more than 100000 tasks may be alive at one time; expected fewer "
         "forks, or waits "
         "between them"},
        {HEAD "task A read p 4k\n", "s.scn:3: unknown pipe 'p'; expected a statement 'pipe p ...'"},
        {HEAD "pipe p\ntask A read p 0\n", "s.scn:4: read is '0'; expected bytes such as 4k"},
        {HEAD "pipe p\ntask A read p\n", "s.scn:4: read is missing; expected bytes such as 4k"},
        {HEAD "task A barrier b\n",
         "s.scn:3: unknown barrier 'b'; expected a statement 'barrier b ...'"},
        {HEAD "task A lock\n", "s.scn:3: the statement ends; expected the name of a lock"},
        {HEAD "task A affinity 9\n",
         "s.scn:3: cpus are '9'; expected a list such as 0-1,3 within 0 to 3"},
        {HEAD "task A affinity\n", "s.scn:3: the statement ends; expected cpus such as 0-1,3"},
        {HEAD "task A loop 2 run 1ms\n", "s.scn:3: found 'run'; expected '{'"},
        {HEAD "task A loop 0 { run 1ms }\n", "s.scn:3: loop is '0'; expected 1 to 1000000000"},
        {HEAD "task A\n  loop 2 {\n    run 1ms\n", "s.scn:4: the loop is not closed; expected '}'"},
        {HEAD "task A run 1ms }\n", "s.scn:3: '}' closes nothing; expected a step"},
        {HEAD "task A loop 2 { loop 2 { loop 2 { loop 2 { loop 2 { run 1 } } } } }\n",
         "s.scn:3: loops are nested deeper than 4; expected at most that"},
        {HEAD "trials 100000\ntask A yield\n" HUNDRED_AND_ONE("expect A.cpu == 0\n"),
         "s.scn: 101 expectations in 100000 trials; expected a product of at most 10000000"},
        {HEAD "task A background loop forever { yield }\n",
         "s.scn:3: the loop repeats for ever without taking time; expected run, system, sleep or "
         "disk in it"},
        /* expectations */
        {"expect\n", "s.scn:1: the statement ends; expected what is compared, such as A.wait_ns"},
        {"expect A.wait_ns\n",
         "s.scn:1: 'A.wait_ns' is compared with nothing; expected ==, !=, <, <=, > or >="},
        {"expect A.wait_ns =< 3\n", "s.scn:1: found '=<'; expected ==, !=, <, <=, > or >="},
        {"expect A.wait_ns = 3\n", "s.scn:1: found '='; expected ==, !=, <, <=, > or >="},
        {"expect median A.wait_ns == 3\n",
         "s.scn:1: unknown word \"median\"; did you mean \"mean\"? known: each, mean, min, max"},
        {HEAD "task A background run 1ms\n",
         "s.scn:3: all tasks are in the background, so the run has no end; expected a statement "
         "'until TIME', or a task that is not in the background"},
        {"expect == 3\n", "s.scn:1: found '=='; expected what is compared, such as A.wait_ns"},
        {"expect A.wait_ns ==\n", "s.scn:1: the statement ends; expected a number"},
        {"expect A.wait_ns == three\n",
         "s.scn:1: found 'three'; expected a number or a time such as 5ms"},
        {"expect A.wait_ns == 3 4\n",
         "s.scn:1: found '4'; expected '+-' and a tolerance, or the end"},
        {"expect A.wait_ns == 3 +-\n", "s.scn:1: the statement ends; expected a tolerance"},
        {"expect A.wait_ns == 3 +- -1\n",
         "s.scn:1: tolerance is '-1'; expected a number, a time or a percentage"},
        {"expect A.wait_ns == 3 +- 1 2\n", "s.scn:1: found '2'; expected the end of the statement"},
        {"expect at soon A.wait_ns == 3\n", "s.scn:1: at is 'soon'; expected a time such as 5ms"},
    };

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(cases); i++) {
        struct scenario s;
        struct hl_error err = {.text = "it was read"};

        assert_int_equal(scenario_parse(&s, "s.scn", cases[i].text, &err) == HL_OK ? HL_OK
                                                                                   : err.status,
                         HL_BAD_INPUT);
        assert_string_equal(err.text, cases[i].message);
        scenario_close(&s);
    }
}

static void a_complaint_about_the_machine_has_the_line(void **state)
{
    static const char *const texts[] = {"\nmachine no-such-machine\npolicy fifo\n",
                                        "\nmachine pack:0\n", "\nmachine cpus=1 speedy=1\n",
                                        "\nmachine cpus=1 smt_gain=many\n",
                                        "\nmachine cpus=1 extra\n"};

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(texts); i++) {
        struct scenario s;
        struct hl_error err;

        assert_int_equal(scenario_parse(&s, "s.scn", texts[i], &err), HL_BAD_INPUT);
        assert_memory_equal(err.text, "s.scn:2: ", 9);
        assert_true(strlen(err.text) > 20);
        scenario_close(&s);
    }
}

/* Each limit is met by a file that would be fine if it were smaller. */
static void sizes_are_limited(void **state)
{
    static const struct {
        const char *head, *piece, *tail, *message;
        int times;
    } cases[] = {
        {HEAD "task A", " yield", "\n",
         "s.scn:3: more than 100000 steps; expected at most that many", 100001},
        {HEAD "task A", " lock L%d", "\n",
         "s.scn:3: 'L1000' is one too many; expected at most 1000", 1001},
        {HEAD, "task T%d run 1ms\n", "",
         "s.scn:1003: 'T1000' is one too many; expected at most 1000", 1001},
        {HEAD, "expect T.cpu == 0\n", "",
         "s.scn:10003: more than 10000 expectations; expected at most that many", 10001},
        {HEAD "policy ", "x", "\n", "s.scn:3: policy is given twice; expected it once", 300},
        {"policy ", "x", "\n", "s.scn:1: the policy has 300 characters; expected 1 to 255", 300},
        {"machine ", "pack:2 ", "\n",
         "s.scn:1: the machine has more than 255 characters; expected fewer", 100},
        {"expect ", "a( ", "== 1\n",
         "s.scn:1: what is compared has more than 127 characters; expected fewer", 100},
    };

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(cases); i++) {
        size_t bytes = (size_t)(cases[i].times + 1) * 32 + 200, used;
        char *text = hl_alloc(bytes, 1);
        struct scenario s;
        struct hl_error err;

        assert_non_null(text);
        used = (size_t)snprintf(text, bytes, "%s", cases[i].head);
        for (int n = 0; n < cases[i].times; n++) {
            const char *digit = strchr(cases[i].piece, '%');
            int length =
                digit == NULL ? (int)strlen(cases[i].piece) : (int)(digit - cases[i].piece);

            used += (size_t)snprintf(text + used, bytes - used, "%.*s", length, cases[i].piece);
            if (digit != NULL)
                used += (size_t)snprintf(text + used, bytes - used, "%d%s", n, digit + 2);
        }
        (void)snprintf(text + used, bytes - used, "%s", cases[i].tail);
        assert_int_equal(scenario_parse(&s, "s.scn", text, &err), HL_BAD_INPUT);
        assert_string_equal(err.text, cases[i].message);
        scenario_close(&s);
        hl_free(text);
    }
}

static void a_file_is_read_or_named(void **state)
{
    char path[] = "/tmp/scenario_test_XXXXXX";
    struct scenario s;
    struct hl_error err;
    FILE *file;
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    file = fdopen(fd, "w");
    (void)fwrite(HEAD "task A run 1ms\n\0", 1, sizeof(HEAD "task A run 1ms\n"), file);
    (void)fclose(file);
    assert_int_equal(scenario_open(&s, path, &err), HL_BAD_INPUT);
    assert_non_null(strstr(err.text, ":4: a NUL character; expected text"));
    file = fopen(path, "w");
    (void)fputs(HEAD "task A run 1ms\n", file);
    (void)fclose(file);
    assert_int_equal(scenario_open(&s, path, &err), HL_OK);
    assert_string_equal(s.path, path);
    scenario_close(&s);
    (void)remove(path);
    assert_int_equal(scenario_open(&s, path, &err), HL_BAD_INPUT);
    assert_memory_equal(err.text, path, strlen(path));
    scenario_close(&s);
}

static void a_failed_allocation_is_a_status(void **state)
{
    static const char text[] = HEAD "pipe p\nbarrier b size=2\nprogram c run 1ms\n"
                                    "task A on 0-1 fork c wait lock L barrier b\ntask B barrier b\n"
                                    "expect A.cpu == 0\n";
    enum hl_status status = HL_NO_MEMORY;
    struct hl_error err;

    (void)state;
    for (uint64_t n = 1; status == HL_NO_MEMORY; n++) {
        struct scenario s;

        hl_alloc_fail_at(n);
        status = scenario_parse(&s, "s.scn", text, &err);
        hl_alloc_fail_at(0);
        scenario_close(&s);
        assert_true(n < 10000);
    }
    assert_int_equal(status, HL_OK);
}

/* The examples of docs/formats.md: blocks of code that begin with a comment. */
static void the_examples_of_the_manual_are_read(void **state)
{
    char *manual, *at, *end;
    struct hl_error err;
    int count = 0;

    (void)state;
    assert_int_equal(
        hl_read_file(HALFLOAD_TESTS_DIR "/../docs/formats.md", 1 << 20, &manual, NULL, &err),
        HL_OK);
    at = strstr(manual, "\n## Scenario files");
    assert_non_null(at);
    while ((at = strstr(at, "\n```\n# ")) != NULL) {
        struct scenario s;

        at += strlen("\n```\n");
        end = strstr(at, "\n```\n");
        assert_non_null(end);
        *end = '\0';
        parse(&s, at);
        scenario_close(&s);
        at = end + 1;
        count++;
    }
    assert_int_equal(count, 2);
    hl_free(manual);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_scenario_is_read),
        cmocka_unit_test(settings_may_come_in_any_order_and_over_several_lines),
        cmocka_unit_test(every_step_is_read),
        cmocka_unit_test(copies_come_behind_all_other_tasks_and_share_a_name),
        cmocka_unit_test(loops_nest_by_depth),
        cmocka_unit_test(expectations_are_read),
        cmocka_unit_test(malformed_files_are_refused_with_their_line),
        cmocka_unit_test(a_complaint_about_the_machine_has_the_line),
        cmocka_unit_test(sizes_are_limited),
        cmocka_unit_test(a_file_is_read_or_named),
        cmocka_unit_test(a_failed_allocation_is_a_status),
        cmocka_unit_test(the_examples_of_the_manual_are_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
