/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compare_test.c - comparisons of run records: what is paired, what is left out, what is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "base/units.h"
#include "compare_fixture.h"
#include "noise.h"

static void assert_near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("found %.17g, expected %.17g", found, expected);
}

static void compare(struct fixture *f)
{
    struct hl_error err = {0};

    if (fixture_compare(f, &err) != HL_OK)
        fail_msg("%s", err.text);
}

/* Runs of one session, arms in turn, in the order given. */
static void add_block(struct fixture *f, const char *load, int block, double base, double new)
{
    struct run *run = fixture_add(&f->base, RUN_HOST, "A", load, base);

    run->block = block;
    run = fixture_add(&f->base, RUN_HOST, "B", load, new);
    run->block = block;
}

/* ---- cases ---- */

static void five_equal_results_are_one_value_and_no_difference(void **state)
{
    struct fixture f = {0};
    const struct compare_cell *cell;

    (void)state;
    for (int i = 0; i < 5; i++) {
        (void)fixture_add(&f.base, RUN_IMPORT, "", "3", 8.89);
        (void)fixture_add(&f.new, RUN_IMPORT, "", "3", 8.89);
    }
    compare(&f);
    cell = &f.result.cells[0];
    assert_true(cell->base->mean == 8.89);
    assert_true(cell->base->sd == 0 && !signbit(cell->base->sd));
    assert_true(cell->base->middle.low == 8.89 && cell->base->middle.high == 8.89);
    assert_string_equal(fixture_note(&f, COMPARE_NOTE_RESOLUTION),
                        "A, load 3: all 5 runs equal: the resolution of the timer, 0.01 s, bounds "
                        "the interval");
    assert_true(cell->change.estimate == 1 && cell->change.p == 1);
    assert_true(cell->change.low == 1 && cell->change.high == 1);
    assert_int_equal(cell->verdict, COMPARE_SAME);
    fixture_close(&f);
}

static void one_arm_alone_is_summarised(void **state)
{
    struct fixture f = {0};

    (void)state;
    for (int i = 0; i < 5; i++)
        (void)fixture_add(&f.base, RUN_IMPORT, "", "3", 8.89);
    compare(&f);
    assert_int_equal(f.result.cell_count + f.result.mean_count + f.result.exploratory_count, 0);
    assert_int_equal(f.result.sides[0].n, 5);
    assert_true(f.result.sides[0].middle.estimate == 8.89);
    assert_true(f.result.sides[0].noise == 0);
    fixture_close(&f);
}

static void noise_for_planning_is_that_of_the_many_not_of_the_odd_one(void **state)
{
    struct fixture f = {0};
    struct hl_rng rng = hl_rng_stream(1, "test/noise");
    double noise = 0;

    (void)state;
    for (int study = 0; study < 100; study++) {
        for (int i = 0; i < 10; i++)
            (void)fixture_add(&f.base, RUN_IMPORT, "", "3",
                              80 * exp(i == 4 ? 0.3 : 0.01 * noise_normal(&rng)));
        compare(&f);
        noise += f.result.sides[0].noise / 100;
        fixture_close(&f);
        f = (struct fixture){0};
    }
    assert_true(noise > 0.008 && noise < 0.02);
}

static void the_geometric_mean_is_over_loads_that_both_have(void **state)
{
    struct fixture f = {0};

    (void)state;
    (void)fixture_add(&f.base, RUN_IMPORT, "", "X", 100);
    (void)fixture_add(&f.base, RUN_IMPORT, "", "Y", 10000);
    (void)fixture_add(&f.new, RUN_IMPORT, "", "X", 100);
    compare(&f);
    assert_int_equal(f.result.cell_count, 1);
    assert_int_equal(f.result.mean_count, 1);
    assert_true(f.result.means[0].change.estimate == 1);
    assert_string_equal(fixture_note(&f, COMPARE_NOTE_LOADS), "1 load left out: Y, missing in B");
    fixture_close(&f);

    f = (struct fixture){0};
    (void)fixture_add(&f.base, RUN_IMPORT, "", "X", 100);
    (void)fixture_add(&f.new, RUN_IMPORT, "", "X", 100);
    (void)fixture_add(&f.new, RUN_IMPORT, "", "Y", 1);
    (void)fixture_add(&f.new, RUN_IMPORT, "", "Z", 1);
    compare(&f);
    assert_string_equal(fixture_note(&f, COMPARE_NOTE_LOADS),
                        "2 loads left out: Y, Z, missing in A");
    fixture_close(&f);
}

static void a_failed_build_is_counted_named_and_not_averaged(void **state)
{
    static const double times[] = {81.2, 81.6, 12.4, 82.0, 81.4};
    struct fixture f = {0};
    const struct compare_side *side;

    (void)state;
    for (int i = 0; i < 5; i++) {
        struct run *run = fixture_add(&f.base, RUN_IMPORT, "", "3", times[i]);

        if (i == 2) {
            run->status = RUN_FAILED;
            run->exit_status = 2;
        }
        (void)fixture_add(&f.new, RUN_IMPORT, "", "3", 81.5);
    }
    compare(&f);
    side = f.result.cells[0].base;
    assert_int_equal(side->n, 4);
    assert_int_equal(side->failed, 1);
    assert_near(side->mean, 81.55, 1e-9);
    assert_near(side->sd, 0.34, 0.005);
    assert_string_equal(fixture_note(&f, COMPARE_NOTE_FAILED),
                        "A, load 3: 1 of 5 runs failed, left out: repetition 2, exit status 2");
    fixture_close(&f);
}

/* 100 + 2t/19 at step t. */
static void add_step(struct fixture *f, const char *variant, int step)
{
    fixture_add(&f->base, RUN_IMPORT, variant, "3", 100 + 2.0 * step / 19)->order = step;
}

static void all_of_one_arm_before_the_other_in_a_drift_is_undecided(void **state)
{
    struct fixture f = {0};

    (void)state;
    for (int step = 0; step < 20; step++)
        add_step(&f, step < 10 ? "A" : "B", step);
    compare(&f);
    assert_near(f.result.cells[0].change.estimate, 1.0105, 0.0002);
    assert_true(f.result.cells[0].change.p < 0.001);
    assert_int_equal(f.result.cells[0].verdict, COMPARE_UNDECIDED);
    assert_string_equal(f.result.cells[0].reason,
                        "all A before all B, trend present, not separable");
    assert_int_equal(f.result.cells[0].n_to_decide, 0);
    assert_int_equal(f.result.means[0].verdict, COMPARE_UNDECIDED);
    fixture_close(&f);
}

static void an_arm_that_is_always_first_in_a_drift_is_undecided(void **state)
{
    struct fixture f = {0};

    (void)state;
    for (int step = 0; step < 20; step++) {
        add_step(&f, step % 2 == 0 ? "A" : "B", step);
        f.base.runs[step].block = step / 2;
    }
    compare(&f);
    assert_int_equal(f.result.cells[0].unit, COMPARE_BLOCKS);
    assert_int_equal(f.result.cells[0].verdict, COMPARE_UNDECIDED);
    assert_string_equal(f.result.cells[0].reason,
                        "A first in all 10 blocks: the constant +0.105 s is an order effect or a "
                        "difference, not separable");
    fixture_close(&f);
}

static void two_modes_are_both_shown_and_no_run_is_called_an_outlier(void **state)
{
    static const double times[] = {40.1, 40.3, 39.9, 40.2, 85.0, 84.7,
                                   40.0, 85.3, 84.9, 40.4, 85.1, 84.8};
    struct fixture f = {0};

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(times); i++)
        fixture_add(&f.base, RUN_IMPORT, "x", "3", times[i])->order = i;
    compare(&f);
    assert_true(f.result.sides[0].is_two_modes);
    assert_string_equal(
        fixture_note(&f, COMPARE_NOTE_MODES),
        "x, load 3: two modes, 40.15 (6 runs) and 84.97 (6 runs); no mean or median "
        "stands for both");
    assert_string_equal(fixture_note(&f, COMPARE_NOTE_OUTLIER), "");
    assert_string_equal(fixture_note(&f, COMPARE_NOTE_FIRST_RUN), "");
    fixture_close(&f);
}

/* ---- order ---- */

static void an_order_that_only_a_listing_may_have_is_a_warning(void **state)
{
    struct fixture f = {0};

    (void)state;
    for (int i = 0; i < 16; i++) {
        bool is_new = i % 2 == 1;
        struct run *run = fixture_add(&f.base, RUN_IMPORT, is_new ? "B" : "A", "3",
                                      (is_new ? 110 : 100) + (i * 7 % 16) / 10.0);

        run->order = i;
        run->block = i / 2;
    }
    compare(&f);
    assert_int_equal(f.result.cells[0].verdict, COMPARE_DIFFERENT);
    assert_non_null(strstr(fixture_note(&f, COMPARE_NOTE_ORDER), "A first in all 8 blocks"));
    /* Where the order was recorded as played, it decides nothing. */
    compare_result_close(&f.result);
    for (int i = 0; i < 16; i++)
        f.base.runs[i].source = RUN_HOST;
    assert_int_equal(compare_runs(&f.request, &f.result, NULL), HL_OK);
    assert_int_equal(f.result.cells[0].verdict, COMPARE_UNDECIDED);
    fixture_close(&f);
}

static void arms_apart_in_time_without_a_drift_are_compared(void **state)
{
    struct fixture f = {0};

    (void)state;
    for (int i = 0; i < 16; i++)
        fixture_add(&f.base, RUN_IMPORT, i < 8 ? "A" : "B", "3",
                    (i < 8 ? 100 : 110) + (i * 7 % 16) / 10.0)
            ->order = i;
    compare(&f);
    assert_int_equal(f.result.cells[0].verdict, COMPARE_DIFFERENT);
    fixture_close(&f);
}

static void an_arm_mostly_later_in_a_drift_is_undecided(void **state)
{
    struct fixture f = {0};

    (void)state;
    for (int step = 0; step < 20; step++)
        add_step(&f, step == 9 || step > 10 ? "B" : "A", step);
    compare(&f);
    assert_int_equal(f.result.cells[0].verdict, COMPARE_UNDECIDED);
    assert_non_null(strstr(f.result.cells[0].reason, "later than A on average, trend present"));
    fixture_close(&f);
}

/* ---- pairing ---- */

static void blocks_of_one_session_are_paired_and_what_they_share_cancels(void **state)
{
    static const double noise[] = {0, 30, -20, 55, 10, -35, 80};
    struct fixture f = {0};
    const struct compare_cell *cell;

    (void)state;
    for (int block = 0; block < 7; block++)
        add_block(&f, "3", block, 100 + noise[block], (100 + noise[block]) * (1.03 + block / 1e3));
    compare(&f);
    cell = &f.result.cells[0];
    assert_int_equal(cell->unit, COMPARE_BLOCKS);
    assert_int_equal(cell->base_n, 7);
    assert_int_equal(cell->verdict, COMPARE_DIFFERENT);
    assert_true(cell->is_regression);
    assert_near(cell->change.estimate, 1.033, 1e-3);
    assert_near(cell->change.p, 2.0 / 128, 1e-12);
    fixture_close(&f);
}

static void a_block_without_a_partner_is_left_out_and_said(void **state)
{
    struct fixture f = {0};

    (void)state;
    for (int block = 0; block < 8; block++)
        add_block(&f, "3", block, 100, 101 + block);
    f.base.runs[3].status = RUN_KILLED;
    compare(&f);
    assert_int_equal(f.result.cells[0].base_n, 7);
    assert_string_equal(fixture_note(&f, COMPARE_NOTE_MISSING),
                        "load 3: 1 run left out, without the other arm in the block");
    assert_string_equal(fixture_note(&f, COMPARE_NOTE_FAILED),
                        "B, load 3: 1 of 8 runs failed, left out: repetition 1, killed");
    fixture_close(&f);
}

static void sessions_apart_are_independent_even_with_equal_blocks(void **state)
{
    struct fixture f = {0};

    (void)state;
    for (int i = 0; i < 5; i++) {
        fixture_add(&f.base, RUN_HOST, "", "3", 100 + i)->block = i;
        fixture_add(&f.new, RUN_HOST, "", "3", 120 + i)->block = i;
    }
    compare(&f);
    assert_int_equal(f.result.cells[0].unit, COMPARE_RUNS);
    assert_near(f.result.cells[0].change.p, 2.0 / 252, 1e-12);
    assert_int_equal(f.result.cells[0].verdict, COMPARE_DIFFERENT);
    fixture_close(&f);
}

static void simulated_runs_are_paired_by_seed_whatever_the_session(void **state)
{
    struct fixture f = {0};

    (void)state;
    for (int i = 0; i < 6; i++) {
        fixture_add(&f.base, RUN_SIM, "", "3", 100 + 10 * i)->seed = (uint64_t)(50 + i);
        /* Listed the other way round. */
        fixture_add(&f.new, RUN_SIM, "", "3", 1.02 * (100 + 10 * (5 - i)))->seed =
            (uint64_t)(50 + 5 - i);
    }
    compare(&f);
    assert_int_equal(f.result.cells[0].unit, COMPARE_BLOCKS);
    assert_near(f.result.cells[0].change.low, 1.02, 1e-9);
    assert_near(f.result.cells[0].change.high, 1.02, 1e-9);
    assert_int_equal(f.result.cells[0].verdict, COMPARE_DIFFERENT);
    fixture_close(&f);
}

static void runs_without_blocks_are_all_against_all(void **state)
{
    struct fixture f = {0};

    (void)state;
    for (int i = 0; i < 6; i++)
        add_block(&f, "3", -1, 100 + i, 120 + i);
    compare(&f);
    assert_int_equal(f.result.cells[0].unit, COMPARE_RUNS);
    fixture_close(&f);
}

/* ---- boots ---- */

static void add_boot(struct run_list *list, const char *boot, double center)
{
    for (int i = 0; i < 6; i++)
        (void)snprintf(fixture_add(list, RUN_HOST, "", "3", center + i / 10.0)->boot_id, 40, "%s",
                       boot);
}

static void one_boot_each_separates_nothing_whatever_n(void **state)
{
    struct fixture f = {0};

    (void)state;
    add_boot(&f.base, "a", 100);
    add_boot(&f.new, "b", 150);
    compare(&f);
    assert_true(isnan(f.result.cells[0].change.p));
    assert_true(isnan(f.result.cells[0].change.low));
    assert_int_equal(f.result.cells[0].base_n, 1);
    assert_int_equal(f.result.cells[0].unit, COMPARE_BOOTS);
    assert_int_equal(f.result.cells[0].verdict, COMPARE_UNDECIDED);
    assert_string_equal(f.result.cells[0].reason,
                        "one boot each: boots and kernels cannot be separated");
    assert_int_equal(f.result.means[0].verdict, COMPARE_UNDECIDED);
    fixture_close(&f);
}

static void boots_are_what_was_repeated(void **state)
{
    struct fixture f = {0};
    char boot[8];

    (void)state;
    for (int i = 0; i < 4; i++) {
        (void)snprintf(boot, sizeof(boot), "a%d", i);
        add_boot(&f.base, boot, 100 + i);
        (void)snprintf(boot, sizeof(boot), "b%d", i);
        add_boot(&f.new, boot, 110 + i);
    }
    compare(&f);
    assert_int_equal(f.result.cells[0].unit, COMPARE_BOOTS);
    assert_int_equal(f.result.cells[0].base_n, 4);
    assert_near(f.result.cells[0].change.p, 2.0 / 70, 1e-12);
    assert_int_equal(f.result.cells[0].verdict, COMPARE_DIFFERENT);
    assert_int_equal(f.result.means[0].unit, COMPARE_BOOTS);
    fixture_close(&f);
}

static void two_boots_against_one_cannot_decide(void **state)
{
    struct fixture f = {0};

    (void)state;
    add_boot(&f.base, "a", 100);
    add_boot(&f.new, "b", 150);
    add_boot(&f.new, "c", 151);
    compare(&f);
    assert_int_equal(f.result.cells[0].unit, COMPARE_BOOTS);
    assert_int_equal(f.result.cells[0].verdict, COMPARE_UNDECIDED);
    assert_string_equal(f.result.cells[0].reason,
                        "95 % is out of reach of 1 v 2 boots: it takes 4 v 4");
    fixture_close(&f);
}

static void arms_under_the_same_boot_are_compared_by_blocks(void **state)
{
    struct fixture f = {0};

    (void)state;
    for (int block = 0; block < 7; block++)
        add_block(&f, "3", block, 100 + block, 110 + block);
    for (size_t i = 0; i < f.base.count; i++)
        (void)snprintf(f.base.runs[i].boot_id, 40, "same");
    compare(&f);
    assert_int_equal(f.result.cells[0].unit, COMPARE_BLOCKS);
    assert_int_equal(f.result.cells[0].verdict, COMPARE_DIFFERENT);
    fixture_close(&f);
}

/* As in a study that was gone on with after a reboot. */
static void a_block_of_two_boots_is_no_pair(void **state)
{
    struct fixture f = {0};

    (void)state;
    for (int block = 0; block < 7; block++)
        add_block(&f, "3", block, 100 + block, 110 + block);
    for (size_t i = 0; i < f.base.count; i++) /* the arms in turn */
        (void)snprintf(f.base.runs[i].boot_id, 40, "%s", i < 7 ? "first" : "second");
    compare(&f);
    assert_int_equal(f.result.cells[0].unit, COMPARE_BLOCKS);
    assert_int_equal(f.result.cells[0].base_n, 6);
    assert_string_equal(fixture_note(&f, COMPARE_NOTE_MISSING),
                        "load 3: 2 runs left out, without the other arm in the block");
    fixture_close(&f);
}

/* ---- verdicts ---- */

static void an_interval_within_the_effect_is_the_same_even_if_it_leaves_out_one(void **state)
{
    struct fixture f = {0};

    (void)state;
    for (int block = 0; block < 8; block++)
        add_block(&f, "3", block, 100 + block, (100 + block) * (1.002 + block * 1e-5));
    compare(&f);
    assert_true(f.result.cells[0].change.low > 1);
    assert_true(f.result.cells[0].change.p < 0.05);
    assert_int_equal(f.result.cells[0].verdict, COMPARE_SAME);
    assert_false(f.result.cells[0].is_regression);
    fixture_close(&f);
}

static void three_loads_need_seven_blocks(void **state)
{
    static const char *const loads[] = {"1", "2", "optimal"};

    (void)state;
    for (int blocks = 6; blocks <= 7; blocks++) {
        struct fixture f = {0};

        for (int load = 0; load < 3; load++)
            for (int block = 0; block < blocks; block++)
                add_block(&f, loads[load], block, 100 + block, 120 + block);
        compare(&f);
        assert_int_equal(f.result.cell_count, 3);
        for (int load = 0; load < 3; load++) {
            const struct compare_cell *cell = &f.result.cells[load];

            assert_int_equal(cell->verdict, blocks == 7 ? COMPARE_DIFFERENT : COMPARE_UNDECIDED);
            if (blocks == 6) {
                assert_string_equal(cell->reason,
                                    "98.33 % is out of reach of 6 blocks: it takes 7");
                assert_int_equal(cell->n_to_decide, 7);
                assert_near(cell->change.level, 1 - 2.0 / 64, 1e-12);
            }
        }
        /* The mean needs no correction but may only confirm. */
        assert_true(f.result.means[0].change.p < 0.05);
        assert_int_equal(f.result.means[0].verdict,
                         blocks == 7 ? COMPARE_DIFFERENT : COMPARE_UNDECIDED);
        fixture_close(&f);
    }
}

static void an_undecided_load_says_how_many_blocks_would_decide(void **state)
{
    static const double ratios[] = {1.05, 0.97, 1.02, 1.04, 0.99, 1.03, 1.00, 0.98};
    struct fixture f = {0};
    const struct compare_cell *cell;

    (void)state;
    for (int block = 0; block < 8; block++)
        add_block(&f, "3", block, 100 + block, (100 + block) * ratios[block]);
    compare(&f);
    cell = &f.result.cells[0];
    assert_int_equal(cell->verdict, COMPARE_UNDECIDED);
    assert_string_equal(cell->reason, "the interval is too wide");
    assert_in_range(cell->n_to_decide, 20, 80);
    assert_true(compare_detectable_effect(cell) > 0.02 && compare_detectable_effect(cell) < 0.08);
    fixture_close(&f);
}

static void a_higher_metric_that_falls_is_a_regression(void **state)
{
    struct fixture f = {0};
    int metric = run_metric_find("score");

    (void)state;
    if (metric < 0)
        assert_int_equal(run_metric_add("score", "", RUN_HIGHER, &metric, NULL), HL_OK);
    f.request.metric = (enum run_metric)metric;
    for (int block = 0; block < 8; block++) {
        add_block(&f, "3", block, 1, 1);
        run_set(&f.base.runs[2 * block], (enum run_metric)metric, 100 + block);
        run_set(&f.base.runs[2 * block + 1], (enum run_metric)metric, 90 + block);
    }
    compare(&f);
    assert_int_equal(f.result.cells[0].verdict, COMPARE_DIFFERENT);
    assert_true(f.result.cells[0].is_regression);
    fixture_close(&f);
}

static void values_of_zero_are_compared_by_difference(void **state)
{
    struct fixture f = {0};
    const struct compare_cell *cell;

    (void)state;
    f.request.metric = RUN_migrations;
    for (int block = 0; block < 8; block++) {
        add_block(&f, "3", block, 1, 1);
        run_set(&f.base.runs[2 * block], RUN_migrations, 0);
        run_set(&f.base.runs[2 * block + 1], RUN_migrations, 10 + block);
    }
    compare(&f);
    cell = &f.result.cells[0];
    assert_false(cell->is_ratio);
    assert_near(cell->change.estimate, 13.5, 1e-9);
    assert_int_equal(cell->verdict, COMPARE_DIFFERENT);
    assert_int_equal(f.result.mean_count, 0);
    assert_int_equal(f.result.exploratory_count, 1);
    fixture_close(&f);
}

static void other_metrics_are_exploratory_and_corrected_among_themselves(void **state)
{
    struct fixture f = {0};

    (void)state;
    for (int block = 0; block < 8; block++) {
        add_block(&f, "3", block, 100, 100);
        for (int arm = 0; arm < 2; arm++) {
            struct run *run = &f.base.runs[2 * block + arm];

            run_set(run, RUN_user_s, 90 + block + 5 * arm);
            run_set(run, RUN_system_s, 10 + (block * 3 + arm * 5) % 8);
            run_set(run, RUN_tasks, 300);
        }
    }
    compare(&f);
    assert_int_equal(f.result.exploratory_count, 3);
    assert_int_equal(f.result.exploratory[0].metric, RUN_user_s);
    assert_int_equal(f.result.exploratory[0].verdict, COMPARE_DIFFERENT);
    assert_false(f.result.exploratory[0].is_regression);
    assert_near(f.result.exploratory[0].p_adjusted, 3 * f.result.exploratory[0].change.p, 1e-12);
    assert_int_equal(f.result.exploratory[1].verdict, COMPARE_UNDECIDED);
    assert_int_equal(f.result.exploratory[2].verdict, COMPARE_SAME);
    assert_int_equal(compare_count(f.result.exploratory, 3, COMPARE_DIFFERENT), 1);
    fixture_close(&f);
}

static void several_new_arms_share_one_correction(void **state)
{
    struct fixture f = {0};

    (void)state;
    for (int block = 0; block < 6; block++) {
        add_block(&f, "3", block, 100 + block, 120 + block);
        fixture_add(&f.base, RUN_HOST, "C", "3", 130 + block)->block = block;
    }
    compare(&f);
    assert_int_equal(f.result.cell_count, 2);
    assert_int_equal(f.result.cells[1].arm, 1);
    assert_near(f.result.cells[0].level, 0.975, 1e-12);
    assert_int_equal(f.result.cells[0].n_to_decide, 7);
    assert_near(f.result.cells[0].p_adjusted, 2 * 2.0 / 64, 1e-12);
    fixture_close(&f);
}

/* ---- session ---- */

static void outliers_first_runs_and_drifts_are_named(void **state)
{
    static const double times[] = {99.0, 81.2, 81.5, 81.3, 95.0, 81.4, 81.1, 81.6};
    struct fixture f = {0};

    (void)state;
    for (int i = 0; i < 8; i++)
        fixture_add(&f.base, RUN_HOST, "x", "3", times[i])->order = i;
    compare(&f);
    assert_string_equal(fixture_note(&f, COMPARE_NOTE_FIRST_RUN),
                        "x, load 3: the first run is apart, 99 against a median of 81.4 in the "
                        "others");
    assert_string_equal(fixture_note(&f, COMPARE_NOTE_OUTLIER),
                        "x, load 3: far from the median of 81.45, and kept: repetition 4: 95");
    assert_string_equal(fixture_note(&f, COMPARE_NOTE_DRIFT), "");
    fixture_close(&f);

    f = (struct fixture){0};
    for (int i = 0; i < 10; i++)
        add_step(&f, "x", i);
    compare(&f);
    assert_non_null(
        strstr(fixture_note(&f, COMPARE_NOTE_DRIFT), "drift: +0.95 % over the session"));
    fixture_close(&f);
}

/* Sessions of two equal arms at three loads in eight blocks, runs log-normal with 1 %. */
static void what_a_sound_session_alarms_is_what_the_documents_say(void **state)
{
    enum { SESSIONS = 300 };
    static const enum compare_note_kind kinds[] = {COMPARE_NOTE_DRIFT, COMPARE_NOTE_NEIGHBOURS,
                                                   COMPARE_NOTE_FIRST_RUN, COMPARE_NOTE_MODES,
                                                   COMPARE_NOTE_OUTLIER};
    /* 1 %, 1 %, 11 %, 6 % and 18 %, give or take three standard errors. */
    static const int least[] = {0, 0, 17, 6, 34}, most[] = {9, 9, 49, 31, 74};
    struct hl_rng rng = hl_rng_stream(7, "test/health");
    int alarms[HL_COUNT_OF(kinds)] = {0};

    (void)state;
    for (int session = 0; session < SESSIONS; session++) {
        struct fixture f = {.request.primary_only = true};

        for (int i = 0; i < 48; i++) {
            int block = i / 6, place = i % 6;
            struct run *run = fixture_add(&f.base, RUN_HOST, (place + block) % 2 == 0 ? "A" : "B",
                                          place < 2   ? "1"
                                          : place < 4 ? "2"
                                                      : "4",
                                          80 * exp(0.01 * noise_normal(&rng)));

            run->order = i;
            run->block = block;
        }
        compare(&f);
        for (int k = 0; k < HL_COUNT_OF(kinds); k++)
            alarms[k] += fixture_note(&f, kinds[k])[0] != '\0';
        fixture_close(&f);
    }
    for (int k = 0; k < HL_COUNT_OF(kinds); k++)
        assert_in_range(alarms[k], least[k], most[k]);
}

static void equal_arms_give_the_noise_floor(void **state)
{
    struct fixture f = {.request = {.is_aa = true}};

    (void)state;
    for (int block = 0; block < 8; block++)
        add_block(&f, "3", block, 100, 100 + (block * 3 % 8 - 3.5) / 2);
    compare(&f);
    assert_non_null(strstr(fixture_note(&f, COMPARE_NOTE_AA), "A/A: noise floor 1."));
    fixture_close(&f);
}

static void loads_of_one_label_and_different_levels_are_said(void **state)
{
    struct fixture f = {0};

    (void)state;
    fixture_add(&f.base, RUN_HOST, "", "half", 100)->level = 3;
    fixture_add(&f.new, RUN_HOST, "", "half", 100)->level = 4;
    compare(&f);
    assert_string_equal(fixture_note(&f, COMPARE_NOTE_LOADS), "load half: level 3 in A, 4 in B");
    fixture_close(&f);
}

static void a_long_list_of_failures_ends_in_dots(void **state)
{
    struct fixture f = {0};

    (void)state;
    for (int i = 0; i < 100; i++)
        fixture_add(&f.base, RUN_HOST, "x", "3", 1)->status = i > 0 ? RUN_FAILED : RUN_OK;
    compare(&f);
    assert_non_null(strstr(fixture_note(&f, COMPARE_NOTE_FAILED), "99 of 100 runs failed"));
    assert_non_null(strstr(fixture_note(&f, COMPARE_NOTE_FAILED), ", ..."));
    fixture_close(&f);
}

static void every_failed_allocation_is_told(void **state)
{
    struct fixture f = {0};
    struct hl_error err;
    enum hl_status status;
    uint64_t n = 0;

    (void)state;
    for (int i = 0; i < 5; i++) {
        fixture_add(&f.base, RUN_IMPORT, "", "3", 100 + i)->order = i;
        fixture_add(&f.base, RUN_IMPORT, "", "4", 100 + i)->order = 10 + i;
        fixture_add(&f.new, RUN_IMPORT, "", "3", 8.89)->order = i;
        fixture_add(&f.new, RUN_IMPORT, "", "4", 8.89)->order = 20 + i;
    }
    do {
        struct fixture tried = {.base = f.base, .new = f.new};

        hl_alloc_fail_at(++n);
        status = fixture_compare(&tried, &err);
        hl_alloc_fail_at(0);
        assert_true(status == HL_OK || status == HL_NO_MEMORY);
        compare_result_close(&tried.result);
        compare_arms_close(&tried.arms);
    } while (status != HL_OK);
    assert_true(n > 20);
    fixture_close(&f);
}

static void nothing_at_all_is_no_comparison(void **state)
{
    struct fixture f = {0};

    (void)state;
    fixture_add(&f.base, RUN_HOST, "", "3", 1)->status = RUN_FAILED;
    (void)fixture_add(&f.new, RUN_HOST, "", "4", 1);
    compare(&f);
    assert_int_equal(f.result.cell_count, 0);
    assert_int_equal(f.result.mean_count, 0);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_equal_results_are_one_value_and_no_difference),
        cmocka_unit_test(one_arm_alone_is_summarised),
        cmocka_unit_test(noise_for_planning_is_that_of_the_many_not_of_the_odd_one),
        cmocka_unit_test(the_geometric_mean_is_over_loads_that_both_have),
        cmocka_unit_test(a_failed_build_is_counted_named_and_not_averaged),
        cmocka_unit_test(all_of_one_arm_before_the_other_in_a_drift_is_undecided),
        cmocka_unit_test(an_arm_that_is_always_first_in_a_drift_is_undecided),
        cmocka_unit_test(two_modes_are_both_shown_and_no_run_is_called_an_outlier),
        cmocka_unit_test(an_order_that_only_a_listing_may_have_is_a_warning),
        cmocka_unit_test(arms_apart_in_time_without_a_drift_are_compared),
        cmocka_unit_test(an_arm_mostly_later_in_a_drift_is_undecided),
        cmocka_unit_test(blocks_of_one_session_are_paired_and_what_they_share_cancels),
        cmocka_unit_test(a_block_without_a_partner_is_left_out_and_said),
        cmocka_unit_test(sessions_apart_are_independent_even_with_equal_blocks),
        cmocka_unit_test(simulated_runs_are_paired_by_seed_whatever_the_session),
        cmocka_unit_test(runs_without_blocks_are_all_against_all),
        cmocka_unit_test(one_boot_each_separates_nothing_whatever_n),
        cmocka_unit_test(boots_are_what_was_repeated),
        cmocka_unit_test(two_boots_against_one_cannot_decide),
        cmocka_unit_test(arms_under_the_same_boot_are_compared_by_blocks),
        cmocka_unit_test(a_block_of_two_boots_is_no_pair),
        cmocka_unit_test(an_interval_within_the_effect_is_the_same_even_if_it_leaves_out_one),
        cmocka_unit_test(three_loads_need_seven_blocks),
        cmocka_unit_test(an_undecided_load_says_how_many_blocks_would_decide),
        cmocka_unit_test(a_higher_metric_that_falls_is_a_regression),
        cmocka_unit_test(values_of_zero_are_compared_by_difference),
        cmocka_unit_test(other_metrics_are_exploratory_and_corrected_among_themselves),
        cmocka_unit_test(several_new_arms_share_one_correction),
        cmocka_unit_test(outliers_first_runs_and_drifts_are_named),
        cmocka_unit_test(what_a_sound_session_alarms_is_what_the_documents_say),
        cmocka_unit_test(equal_arms_give_the_noise_floor),
        cmocka_unit_test(loads_of_one_label_and_different_levels_are_said),
        cmocka_unit_test(a_long_list_of_failures_ends_in_dots),
        cmocka_unit_test(every_failed_allocation_is_told),
        cmocka_unit_test(nothing_at_all_is_no_comparison),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
