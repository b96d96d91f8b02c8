/* SPDX-License-Identifier: GPL-2.0-or-later */
/* workload_test.c - checks of programs, loads, log-normal sizes, bounds of living tasks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "workload/lognormal.h"
#include "workload/workload.h"

/* ---- loads ---- */

static void half_load_follows_kernbenchs_rule(void **state)
{
    static const struct {
        int cpus;
        int64_t half, optimal;
    } cases[] = {{1, 0, 4},  {2, 0, 8},  {3, 0, 12},   {4, 3, 16},
                 {5, 3, 20}, {6, 3, 24}, {64, 32, 256}};

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(cases); i++) {
        const struct workload_load half = {.kind = LOAD_HALF}, optimal = {.kind = LOAD_OPTIMAL},
                                   single = {.kind = LOAD_SINGLE}, max = {.kind = LOAD_MAX},
                                   twice = {.kind = LOAD_CPUS, .level = 2},
                                   three = {.kind = LOAD_LEVEL, .level = 3};

        assert_int_equal(workload_load_level(&half, cases[i].cpus, 0), cases[i].half);
        assert_int_equal(workload_load_level(&optimal, cases[i].cpus, 0), cases[i].optimal);
        assert_int_equal(workload_load_level(&single, cases[i].cpus, 0), 1);
        assert_int_equal(workload_load_level(&max, cases[i].cpus, 77), 77);
        assert_int_equal(workload_load_level(&twice, cases[i].cpus, 0), 2 * cases[i].cpus);
        assert_int_equal(workload_load_level(&three, cases[i].cpus, 0), 3);
    }
}

static void loads_are_read_in_order(void **state)
{
    static const struct {
        const char *label;
        enum workload_load_kind kind;
        int64_t level;
    } expected[] = {{"1", LOAD_LEVEL, 1},  {"2", LOAD_LEVEL, 2},         {"3", LOAD_LEVEL, 3},
                    {"8", LOAD_LEVEL, 8},  {"half", LOAD_HALF, 0},       {"2x", LOAD_CPUS, 2},
                    {"max", LOAD_MAX, 0},  {"optimal", LOAD_OPTIMAL, 0}, {"single", LOAD_SINGLE, 0},
                    {"10x", LOAD_CPUS, 10}};
    struct workload_load loads[WORKLOAD_LOADS_MAX];
    struct hl_error err;
    int count;

    (void)state;
    assert_int_equal(
        workload_loads_parse(loads, &count, "1-3,8,half,2x,max,optimal,single,10x", &err), HL_OK);
    assert_int_equal(count, HL_COUNT_OF(expected));
    for (int i = 0; i < count; i++) {
        assert_string_equal(loads[i].label, expected[i].label);
        assert_int_equal(loads[i].kind, expected[i].kind);
        assert_int_equal(loads[i].level, expected[i].level);
    }
}

static void bad_loads_are_named(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"",
         "load is ''; expected a level from 1 to 1000000, a range such as 1-8, a multiple of the "
         "cpus such as 2x, or single, half, optimal, max"},
        {"0",
         "load is '0'; expected a level from 1 to 1000000, a range such as 1-8, a multiple of the "
         "cpus such as 2x, or single, half, optimal, max"},
        {"1,hlaf",
         "load is 'hlaf'; expected a level from 1 to 1000000, a range such as 1-8, a multiple "
         "of the cpus such as 2x, or single, half, optimal, max; did you mean 'half'?"},
        {"4-2",
         "load is '4-2'; expected a level from 1 to 1000000, a range such as 1-8, a multiple of "
         "the cpus such as 2x, or single, half, optimal, max"},
        {"1-3,2", "load '2' is given twice; expected each once"},
        {"2x,2x", "load '2x' is given twice; expected each once"},
        {"1-300", "more than 256 loads; expected at most that many"},
    };
    static const char *const others[] = {"-1",
                                         "1-",
                                         "-",
                                         "x",
                                         "1x2",
                                         "1.5",
                                         " 1",
                                         "1 ",
                                         "1,",
                                         ",1",
                                         "+1",
                                         "1--2",
                                         "99999999999999999999",
                                         "0x"};
    struct workload_load loads[WORKLOAD_LOADS_MAX];
    struct hl_error err;
    int count;

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(cases); i++) {
        assert_int_equal(workload_loads_parse(loads, &count, cases[i].text, &err), HL_USAGE);
        assert_string_equal(err.text, cases[i].message);
    }
    for (int i = 0; i < HL_COUNT_OF(others); i++)
        assert_int_equal(workload_loads_parse(loads, &count, others[i], &err), HL_USAGE);
}

/* ---- log-normal sizes ---- */

static void integer_exp_agrees_with_libm(void **state)
{
    (void)state;
    assert_int_equal(workload_exp_q32(0), INT64_C(1) << 32);
    for (int64_t x = -8000000; x <= 8000000; x += 7919) {
        double expected = exp((double)x / 1e6);
        double found = (double)workload_exp_q32(x) / 0x1p32;

        /* Small results have few digits in units of 2^-32. */
        assert_true(fabs(found - expected) <= 1e-6 * expected + 0x1p-32);
    }
}

static void quantiles_agree_with_libm_and_are_capped(void **state)
{
    const int64_t count = 9973;

    (void)state;
    for (int64_t i = 0; i < count; i++) {
        double p = (double)(2 * i + 1) / (double)(2 * count);
        double z = (double)workload_normal_quantile_ppm(i, count) / 1e6;
        double capped = p < 0.005 ? 0.005 : p > 0.995 ? 0.995 : p;
        /* Distance in z from the distance in p: divided by the density there. */
        double off = (0.5 * erfc(-z / sqrt(2)) - capped) / (exp(-z * z / 2) / sqrt(2 * acos(-1)));

        assert_true(fabs(off) < (fabs(capped - 0.5) < 0.25 ? 0.0001 : 0.006));
        assert_int_equal(workload_normal_quantile_ppm(count - 1 - i, count),
                         -(int64_t)llround(z * 1e6));
    }
    assert_int_equal(workload_normal_quantile_ppm(0, 1), 0);
    assert_int_equal(workload_normal_quantile_ppm(0, 100000), -2575829);
}

/* ---- sets of programs ---- */

static void add_program(struct workload *w, const char *name, const struct program_step *steps,
                        int count)
{
    int32_t program;
    struct hl_error err;

    assert_int_equal(workload_program(w, name, &program, &err), HL_OK);
    for (int i = 0; i < count; i++)
        assert_int_equal(workload_step(w, &steps[i], &err), HL_OK);
}

static void add_task(struct workload *w, int32_t program)
{
    const struct workload_task task = {.program = program, .cpu_set = -1, .start_cpu = -1};
    struct hl_error err;

    assert_int_equal(workload_add_task(w, &task, &err), HL_OK);
}

#define ADD_PROGRAM(w, name, ...)                                                                  \
    do {                                                                                           \
        const struct program_step added[] = {__VA_ARGS__};                                         \
        add_program(w, name, added, HL_COUNT_OF(added));                                           \
    } while (0)

static void check_says(struct workload *w, const char *message)
{
    struct hl_error err = {.text = "ok"};

    w->live_task_max = w->task_count;
    if (workload_check(w, "f", &err) == HL_OK)
        assert_string_equal("ok", message);
    else
        assert_string_equal(err.text, message);
    workload_close(w);
}

static void a_sound_set_passes_the_check(void **state)
{
    struct workload w = {0};

    (void)state;
    ADD_PROGRAM(
        &w, "a", {.op = OP_RUN, .amount = INT64_MAX}, {.op = OP_SLEEP, .amount = 1, .spread = 5},
        {.op = OP_LOOP, .amount = 3, .target = 1}, {.op = OP_LOOP, .amount = INT64_MAX, .depth = 1},
        {.op = OP_FORK, .target = 0}, {.op = OP_NICE, .amount = -20}, {.op = OP_EXIT});
    add_task(&w, 0);
    check_says(&w, "ok");
}

static void unsound_sets_are_refused(void **state)
{
    struct workload w = {0};

    (void)state;
    check_says(&w, "f: there are no tasks; expected at least one");

    ADD_PROGRAM(&w, "a", {.op = OP_RUN, .amount = 1});
    add_task(&w, 0);
    check_says(&w, "f: program 'a' does not end; expected exit as its last step");

    ADD_PROGRAM(&w, "a", {.op = OP_EXIT});
    add_task(&w, 1);
    check_says(&w, "f: task 0 has program 1; expected 0 to 0");

    ADD_PROGRAM(&w, "a", {.op = OP_READ, .target = 0, .amount = 1}, {.op = OP_EXIT});
    add_task(&w, 0);
    check_says(&w, "f: step 1 of program 'a': target of read is 0; expected 0 to -1");

    ADD_PROGRAM(&w, "a", {.op = OP_SLEEP, .amount = -1}, {.op = OP_EXIT});
    add_task(&w, 0);
    check_says(&w, "f: step 1 of program 'a': amount of sleep is -1; "
                   "expected 0 to 9223372036854775806");

    ADD_PROGRAM(&w, "a", {.op = OP_LOOP, .target = 1, .amount = 2}, {.op = OP_EXIT});
    add_task(&w, 0);
    check_says(&w, "f: step 1 of program 'a': the loop jumps forward or out of its program");

    ADD_PROGRAM(&w, "a", {.op = OP_YIELD}, {.op = OP_LOOP, .amount = INT64_MAX}, {.op = OP_EXIT});
    add_task(&w, 0);
    check_says(&w, "f: step 2 of program 'a': the loop repeats for ever without taking time; "
                   "expected run, system, sleep or disk in it");

    ADD_PROGRAM(&w, "a", {.op = OP_YIELD}, {.op = OP_YIELD},
                {.op = OP_LOOP, .target = 0, .amount = 2},
                {.op = OP_LOOP, .target = 1, .amount = 2, .depth = 1}, {.op = OP_EXIT});
    add_task(&w, 0);
    check_says(&w, "f: step 4 of program 'a': the loop overlaps another loop");

    ADD_PROGRAM(&w, "a", {.op = OP_YIELD}, {.op = OP_LOOP, .amount = 2},
                {.op = OP_LOOP, .amount = 2}, {.op = OP_EXIT});
    add_task(&w, 0);
    check_says(&w, "f: step 3 of program 'a': the loop is not deeper than the loop around it");

    ADD_PROGRAM(&w, "a", {.op = 99}, {.op = OP_EXIT});
    add_task(&w, 0);
    check_says(&w, "f: step 1 of program 'a': unknown operation 99; expected 0 to 22");

    ADD_PROGRAM(&w, "a", {.op = OP_EXIT});
    add_task(&w, 0);
    w.slots = hl_alloc(1, sizeof(*w.slots));
    w.slot_count = 1;
    check_says(&w, "f: size of slot pool 0 is 0; expected at least 1");
}

/* ---- how many tasks may be alive ---- */

enum { LEAF, FAMILY };

/* Program 0 runs, program 1 forks two of it and waits for both, program 2 is given: it is the task. */
static void bound_is(const struct program_step *steps, int count, size_t expected,
                     int endless_expected)
{
    struct workload w = {0};
    struct hl_error err;
    int32_t endless;

    ADD_PROGRAM(&w, "leaf", {.op = OP_RUN, .amount = 1}, {.op = OP_EXIT});
    ADD_PROGRAM(&w, "family", {.op = OP_FORK, .target = LEAF}, {.op = OP_VFORK, .target = LEAF},
                {.op = OP_WAIT, .amount = INT64_MAX}, {.op = OP_EXIT});
    add_program(&w, "task", steps, count);
    add_task(&w, 2);
    if (expected > 0) {
        assert_int_equal(workload_bound_tasks(&w, 1000, "f", &endless, &err), HL_OK);
        assert_int_equal(w.live_task_max, expected);
        assert_int_equal(endless, endless_expected);
        assert_int_equal(workload_check(&w, "f", &err), HL_OK);
    } else {
        assert_int_equal(workload_bound_tasks(&w, 1000, "f", &endless, &err), HL_BAD_INPUT);
        assert_non_null(strstr(err.text, " of program 'task': more than 1000 tasks may be alive at "
                                         "one time; expected fewer forks, or waits between them"));
    }
    workload_close(&w);
}

#define BOUND_IS(expected, endless, ...)                                                           \
    do {                                                                                           \
        const struct program_step steps[] = {__VA_ARGS__, {.op = OP_EXIT}};                        \
        bound_is(steps, HL_COUNT_OF(steps), expected, endless);                                    \
    } while (0)

static void living_tasks_are_bounded_by_forks_and_waits(void **state)
{
    const struct program_step leaf = {.op = OP_FORK, .target = LEAF};
    const struct program_step family = {.op = OP_FORK, .target = FAMILY};
    const struct program_step run = {.op = OP_RUN, .amount = 1};
    const struct program_step one = {.op = OP_WAIT, .amount = 1};
    const struct program_step all = {.op = OP_WAIT, .amount = INT64_MAX};
    const struct program_step often = {.op = OP_LOOP, .amount = 1000000};
    const struct program_step for_ever = {.op = OP_LOOP, .amount = INT64_MAX};
    const struct program_step ten_times = {.op = OP_LOOP, .amount = 10};
    const struct program_step outer = {.op = OP_LOOP, .amount = 1000000, .depth = 1};

    (void)state;
    BOUND_IS(1, -1, run);
    BOUND_IS(4, -1, family); /* itself and three */
    BOUND_IS(7, -1, family, family);
    BOUND_IS(4, -1, family, all, family);
    BOUND_IS(4, -1, family, one, family);
    BOUND_IS(5, -1, family, leaf, one, leaf); /* the wait may reap the leaf */
    BOUND_IS(11, -1, leaf, ten_times);
    BOUND_IS(2, -1, leaf, one, often);
    BOUND_IS(2, 0, leaf, run, one, for_ever);
    BOUND_IS(11, -1, leaf, ten_times, all, outer);
    BOUND_IS(0, 0, leaf, ten_times, one, outer);
    BOUND_IS(0, 0, leaf, often);
    BOUND_IS(0, 0, leaf, leaf, run, one, for_ever);
    /* The first wait may reap the leaf; then there are two families until the second wait. */
    BOUND_IS(7, 0, leaf, family, run, one, {.op = OP_LOOP, .target = 1, .amount = INT64_MAX});
}

static void orphans_count_for_ever(void **state)
{
    struct workload w = {0};
    struct hl_error err;
    int32_t endless;

    (void)state;
    ADD_PROGRAM(&w, "leaf", {.op = OP_RUN, .amount = INT64_MAX}, {.op = OP_EXIT});
    ADD_PROGRAM(&w, "careless", {.op = OP_FORK, .target = 0}, {.op = OP_EXIT});
    ADD_PROGRAM(&w, "task", {.op = OP_FORK, .target = 1}, {.op = OP_WAIT, .amount = INT64_MAX},
                {.op = OP_LOOP, .amount = 5}, {.op = OP_EXIT});
    add_task(&w, 2);
    assert_int_equal(workload_bound_tasks(&w, 1000, "f", &endless, &err), HL_OK);
    assert_int_equal(w.live_task_max, 1 + 4 + 2); /* four orphans when the fifth child forks */
    assert_int_equal(endless, 0);
    workload_close(&w);
}

static void a_program_cannot_fork_itself(void **state)
{
    struct workload w = {0};
    struct hl_error err;
    int32_t endless;

    (void)state;
    ADD_PROGRAM(&w, "a", {.op = OP_FORK, .target = 1}, {.op = OP_EXIT});
    ADD_PROGRAM(&w, "b", {.op = OP_VFORK, .target = 0}, {.op = OP_EXIT});
    add_task(&w, 0);
    assert_int_equal(workload_bound_tasks(&w, 1000, "f", &endless, &err), HL_BAD_INPUT);
    assert_string_equal(err.text, "f: step 1 of program 'b': program 'a' comes to fork itself "
                                  "through 'b'; expected no such circle");
    workload_close(&w);
}

static void workloads_are_found_by_name(void **state)
{
    (void)state;
    assert_string_equal(workload_find("kernbench")->name, "kernbench");
    assert_null(workload_find("kernbenc"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_load_follows_kernbenchs_rule),
        cmocka_unit_test(loads_are_read_in_order),
        cmocka_unit_test(bad_loads_are_named),
        cmocka_unit_test(integer_exp_agrees_with_libm),
        cmocka_unit_test(quantiles_agree_with_libm_and_are_capped),
        cmocka_unit_test(a_sound_set_passes_the_check),
        cmocka_unit_test(unsound_sets_are_refused),
        cmocka_unit_test(living_tasks_are_bounded_by_forks_and_waits),
        cmocka_unit_test(orphans_count_for_ever),
        cmocka_unit_test(a_program_cannot_fork_itself),
        cmocka_unit_test(workloads_are_found_by_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
