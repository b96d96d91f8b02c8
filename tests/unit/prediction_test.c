/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prediction_test.c - a simulated study beside a measured one: which loads, which reference, which error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare/prediction.h"

enum { RUNS_MAX = 12 };

struct side {
    struct run runs[RUNS_MAX];
    const struct run *pointers[RUNS_MAX];
    struct compare_arm arm;
};

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-12))
        fail_msg("%.15g; expected %.15g", value, expected);
}

static void init(struct side *side, const char *name)
{
    side->arm = (struct compare_arm){.name = name, .runs = side->pointers};
}

static struct run *add(struct side *side, int64_t level, double elapsed_s)
{
    size_t i = side->arm.run_count++;
    struct run *run = &side->runs[i];

    assert_true(i < RUNS_MAX);
    run_init(run, RUN_SIM, "not measured");
    (void)snprintf(run->workload, sizeof(run->workload), "kernbench");
    (void)snprintf(run->load, sizeof(run->load), "%d", (int)level);
    run->level = level;
    run->run = (int32_t)i;
    run_set(run, RUN_elapsed_s, elapsed_s);
    side->pointers[i] = run;
    return run;
}

static void make(struct prediction *p, const struct side *predicted, const struct side *measured)
{
    struct hl_error err;

    if (prediction_make(p, &predicted->arm, &measured->arm, RUN_elapsed_s, &err) != HL_OK)
        fail_msg("%s", err.text);
}

static void times_are_relative_to_one_job_and_counts_are_not(void **state)
{
    struct side sim, real;
    struct prediction p;

    (void)state;
    init(&sim, "sim");
    init(&real, "real");
    (void)add(&sim, 1, 100);
    run_set(add(&sim, 2, 50), RUN_voluntary_switches, 900);
    (void)add(&real, 2, 118);
    run_set(add(&real, 2, 122), RUN_voluntary_switches, 1000);
    (void)add(&real, 1, 200);
    make(&p, &sim, &real);
    assert_int_equal(p.load_count, 2);
    assert_int_equal(p.reference->level, 1);
    /* The measured side's order: 2, then 1. */
    assert_near(p.cells[0].predicted, 0.5);
    assert_near(p.cells[0].measured, 0.6);
    assert_near(p.cells[0].measured_sd, sqrt(8) / 200);
    assert_near(p.cells[0].error, 0.5 / 0.6 - 1);
    assert_int_equal(p.cells[0].predicted_n, 1);
    assert_int_equal(p.cells[0].measured_n, 2);
    assert_true(isnan(p.cells[1].error)); /* the reference says nothing */
    assert_near(p.mean_error[0], 1 - 0.5 / 0.6);
    /* Switches, the last metric. */
    assert_int_equal(p.metrics[3].metric, RUN_voluntary_switches);
    assert_near(p.cells[3 * 2].error, -0.1);
    assert_true(isnan(p.cells[3 * 2 + 1].error));
    assert_true(isnan(p.mean_error[1])); /* nobody has percent_cpu */
    prediction_close(&p);
}

static void loads_that_one_side_has_are_named_by_side(void **state)
{
    struct side sim, real;
    struct prediction p;

    (void)state;
    init(&sim, "sim");
    init(&real, "real");
    (void)add(&sim, 1, 40);
    (void)add(&sim, 8, 30);
    (void)add(&sim, 16, 20);
    (void)add(&real, 3, 70);
    (void)add(&real, 1, 80);
    (void)add(&real, 8, 60);
    make(&p, &sim, &real);
    assert_int_equal(p.load_count, 2);
    assert_int_equal(p.left_out_count, 2);
    assert_int_equal(p.left_out_predicted, 1);
    assert_int_equal(p.left_out[0]->level, 16);
    assert_int_equal(p.left_out[1]->level, 3);
    assert_near(p.cells[1].error, 0);
    prediction_close(&p);
}

static void times_need_a_run_of_one_job_that_succeeded(void **state)
{
    struct side sim, real;
    struct prediction p;
    struct hl_error err;

    (void)state;
    init(&sim, "sim");
    init(&real, "real");
    (void)add(&sim, 4, 40);
    (void)add(&real, 4, 80);
    add(&real, 1, 80)->status = RUN_FAILED;
    assert_int_equal(prediction_make(&p, &sim.arm, &real.arm, RUN_elapsed_s, &err), HL_USAGE);
    assert_non_null(strstr(err.text, "real has no successful run of one job"));
    (void)add(&real, 1, 80);
    assert_int_equal(prediction_make(&p, &sim.arm, &real.arm, RUN_elapsed_s, &err), HL_USAGE);
    assert_non_null(strstr(err.text, "sim has no successful run of one job"));
    (void)add(&sim, 1, 160);
    make(&p, &sim, &real);
    prediction_close(&p);
}

static void notes_beyond_the_most_are_left_out(void **state)
{
    struct side sim, real;
    struct prediction p;

    (void)state;
    init(&sim, "sim");
    init(&real, "real");
    (void)add(&sim, 1, 40);
    (void)add(&real, 1, 80);
    make(&p, &sim, &real);
    for (int i = 0; i < PREDICTION_NOTES_MAX + 1; i++)
        prediction_note(&p, "%d", i);
    assert_int_equal(p.note_count, PREDICTION_NOTES_MAX);
    assert_string_equal(p.notes[PREDICTION_NOTES_MAX - 1], "31");
    prediction_close(&p);
}

static void failed_runs_are_in_no_figure(void **state)
{
    struct side sim, real;
    struct prediction p;

    (void)state;
    init(&sim, "sim");
    init(&real, "real");
    (void)add(&sim, 1, 10);
    (void)add(&sim, 2, 5);
    (void)add(&real, 1, 10);
    (void)add(&real, 2, 5);
    add(&real, 2, 500)->status = RUN_FAILED;
    make(&p, &sim, &real);
    assert_int_equal(p.cells[1].measured_n, 1);
    assert_near(p.cells[1].error, 0);
    prediction_close(&p);
}

static void nothing_in_common_is_refused(void **state)
{
    struct side sim, real;
    struct prediction p;
    struct hl_error err;

    (void)state;
    init(&sim, "sim");
    init(&real, "real");
    (void)add(&sim, 1, 10);
    (void)snprintf(add(&real, 1, 10)->workload, 64, "matinv");
    assert_int_equal(prediction_make(&p, &sim.arm, &real.arm, RUN_elapsed_s, &err), HL_USAGE);
    assert_non_null(strstr(err.text, "sim and real have no load"));
    prediction_close(&p);
}

static void running_out_of_memory_is_told(void **state)
{
    struct side sim, real;
    struct prediction p;
    struct hl_error err;

    (void)state;
    init(&sim, "sim");
    init(&real, "real");
    (void)add(&sim, 1, 10);
    (void)add(&real, 1, 10);
    for (uint64_t n = 1; n < 3; n++) {
        hl_alloc_fail_at(n);
        assert_int_equal(prediction_make(&p, &sim.arm, &real.arm, RUN_elapsed_s, &err),
                         HL_NO_MEMORY);
        hl_alloc_fail_at(0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_relative_to_one_job_and_counts_are_not),
        cmocka_unit_test(loads_that_one_side_has_are_named_by_side),
        cmocka_unit_test(times_need_a_run_of_one_job_that_succeeded),
        cmocka_unit_test(notes_beyond_the_most_are_left_out),
        cmocka_unit_test(failed_runs_are_in_no_figure),
        cmocka_unit_test(nothing_in_common_is_refused),
        cmocka_unit_test(running_out_of_memory_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
