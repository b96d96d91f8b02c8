/* SPDX-License-Identifier: GPL-2.0-or-later */
/* power_test.c - corrections for many tests, and the planner against enumeration and simulation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "base/units.h"
#include "noise.h"
#include "stats/stats.h"

static void assert_near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("found %.17g, expected %.17g", found, expected);
}

/* ---- corrections ---- */

static void corrections_have_their_textbook_values(void **state)
{
    /* R 4.2: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm"), and "BH". */
    const double p[] = {0.01, 0.04, 0.03, 0.005};
    const double holm[] = {0.03, 0.06, 0.06, 0.02}, bh[] = {0.02, 0.04, 0.04, 0.02};
    double adjusted[4];

    (void)state;
    assert_int_equal(stats_holm(p, 4, adjusted, NULL), HL_OK);
    for (int i = 0; i < 4; i++)
        assert_near(adjusted[i], holm[i], 1e-15);
    assert_int_equal(stats_benjamini_hochberg(p, 4, adjusted, NULL), HL_OK);
    for (int i = 0; i < 4; i++)
        assert_near(adjusted[i], bh[i], 1e-15);
    assert_int_equal(stats_holm(p, 0, adjusted, NULL), HL_OK);
}

static void forty_metrics_of_a_null_session_show_no_difference(void **state)
{
    double p[40] = {0.003, 0.021, 0.034, 0.06}, holm[40], bh[40], levels[40];

    (void)state;
    for (int i = 4; i < 40; i++)
        p[i] = 0.06 + 0.94 * (i - 3) / 37;
    assert_int_equal(stats_holm(p, 40, holm, NULL), HL_OK);
    assert_int_equal(stats_benjamini_hochberg(p, 40, bh, NULL), HL_OK);
    assert_int_equal(stats_holm_levels(p, 40, 0.05, levels, NULL), HL_OK);
    for (int i = 0; i < 40; i++) {
        assert_true(holm[i] > 0.05);
        assert_true(bh[i] > 0.05);
        assert_near(levels[i], 0.00125, 1e-15);
    }
    assert_near(holm[0], 0.12, 1e-12);
    assert_near(bh[0], 0.12, 1e-12);
}

static void holms_levels_reject_what_his_adjusted_p_reject(void **state)
{
    struct hl_rng rng = hl_rng_stream(1, "test/holm");
    double p[12], adjusted[12], levels[12];

    (void)state;
    for (int trial = 0; trial < 2000; trial++) {
        size_t count = 1 + (size_t)hl_rng_below(&rng, 12);

        for (size_t i = 0; i < count; i++)
            p[i] = pow(noise_uniform(&rng), 4);
        assert_int_equal(stats_holm(p, count, adjusted, NULL), HL_OK);
        assert_int_equal(stats_holm_levels(p, count, 0.05, levels, NULL), HL_OK);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(stats_is_significant(p[i], levels[i]), adjusted[i] <= 0.05);
    }
}

/* ---- planner ---- */

static void the_least_n_is_the_one_whose_smallest_p_reaches_the_level(void **state)
{
    (void)state;
    assert_int_equal(stats_least_n(true, 0.05), 6);
    assert_int_equal(stats_least_n(false, 0.05), 4);
    assert_int_equal(stats_least_n(true, 0.05 / 3), 7);
    assert_int_equal(stats_least_n(false, 0.05 / 3), 5);
    assert_near(stats_least_p(0, 6), 2.0 / 64, 1e-15);
    assert_near(stats_least_p(4, 4), 2.0 / 70, 1e-15);
    assert_near(stats_least_p(5, 5), 2.0 / 252, 1e-15);
    assert_near(stats_least_p(0, 1), 1, 0);
    assert_near(stats_least_p(1, 3), 0.5, 1e-15);
}

static double simulated_power(const struct stats_design *design, double effect, int trials)
{
    struct hl_rng rng = hl_rng_stream(design->n, "test/power");
    int found = 0;
    double x[64], y[64];

    for (int trial = 0; trial < trials; trial++) {
        struct stats_contrast contrast = {.y = y, .y_count = design->n};
        struct stats_tails tails;

        for (size_t i = 0; i < design->n; i++) {
            x[i] = design->noise * noise_normal(&rng);
            y[i] = design->noise * noise_normal(&rng) + log1p(effect);
        }
        if (!design->is_paired) {
            contrast.x = x;
            contrast.x_count = design->n;
        }
        assert_int_equal(stats_tails_at(&contrast, 0, &tails, NULL), HL_OK);
        found += stats_is_significant(2 * fmin(tails.low, tails.high), design->alpha);
    }
    return (double)found / trials;
}

static void planned_power_is_close_to_simulated_power(void **state)
{
    static const struct stats_design designs[] = {
        {true, 7, 0.05, 0.01},       {true, 10, 0.05, 0.01},  {true, 20, 0.05 / 3, 0.01},
        {false, 5, 0.05, 0.01},      {false, 10, 0.05, 0.01}, {false, 10, 0.05 / 3, 0.01},
        {false, 20, 0.05 / 3, 0.02},
    };

    (void)state;
    for (int d = 0; d < HL_COUNT_OF(designs); d++) {
        double effect = stats_detectable_effect(&designs[d], 0.8);

        assert_near(stats_power(&designs[d], effect), 0.8, 1e-6);
        assert_near(simulated_power(&designs[d], effect, 2000), 0.8, 0.06);
    }
}

static void the_planner_needs_fewer_runs_for_larger_effects(void **state)
{
    struct stats_design design = {.is_paired = true, .alpha = 0.05, .noise = 0.01};
    size_t small = stats_n_needed(&design, 0.01, 0.9), large = stats_n_needed(&design, 0.05, 0.9);

    (void)state;
    assert_int_equal(large, 6);
    assert_in_range(small, 11, 16); /* t alone: 12.6 */
    design.n = small;
    assert_true(stats_power(&design, 0.01) >= 0.9);
    design.n = small - 1;
    assert_true(stats_power(&design, 0.01) < 0.9);
    design.noise = 10;
    assert_int_equal(stats_n_needed(&design, 0.001, 0.9), 0);
    design = (struct stats_design){.n = 5, .is_paired = true, .alpha = 0.05, .noise = 0.01};
    assert_true(isinf(stats_detectable_effect(&design, 0.8)));
    design.noise = 0;
    design.n = 6;
    assert_near(stats_power(&design, 0.01), 1, 0);
    assert_near(stats_detectable_effect(&design, 0.8), 0, 1e-12);
    /* Hundreds of runs: the search beyond the exact range finds the least one too. */
    design.noise = 0.1;
    small = stats_n_needed(&design, 0.01, 0.9);
    design.n = small;
    assert_true(small > 900 && small < 1300 && stats_power(&design, 0.01) >= 0.9);
}

static void blocks_that_decide_shrink_the_interval_enough(void **state)
{
    struct stats_design design = {.is_paired = true, .n = 6, .alpha = 0.05, .noise = 0.01};
    size_t apart = stats_n_to_decide(&design, 0.005, 0.0001);
    size_t equal = stats_n_to_decide(&design, 0, 0.01);

    (void)state;
    /* half width 0.01 t / sqrt(n 3/pi) below 0.005: about 19; below 0.00995: 8 */
    assert_in_range(apart, 17, 21);
    assert_in_range(equal, 7, 9);
    assert_true(stats_n_to_decide(&design, 0.5, 0.01) == 7);
    design.n = 3;
    assert_int_equal(stats_n_to_decide(&design, 0.5, 0.01), 6);
}

/* On average: the width of one interval of 20 v 20 says noise to a fifth only. */
static void noise_is_read_back_from_intervals(void **state)
{
    struct hl_rng rng = hl_rng_stream(5, "test/noise");
    double x[20], y[20], arms = 0, pairs = 0;

    (void)state;
    for (int trial = 0; trial < 200; trial++) {
        struct stats_contrast contrast = {.x = x, .y = y, .x_count = 20, .y_count = 20};
        struct stats_interval interval;

        for (int i = 0; i < 20; i++) {
            x[i] = 0.02 * noise_normal(&rng);
            y[i] = 0.02 * noise_normal(&rng);
        }
        assert_int_equal(stats_interval_of(&contrast, 0.05, &interval, NULL), HL_OK);
        arms += stats_noise_of(&interval, 20, 20) / 200;
        contrast = (struct stats_contrast){.y = y, .y_count = 20};
        assert_int_equal(stats_interval_of(&contrast, 0.05, &interval, NULL), HL_OK);
        pairs += stats_noise_of(&interval, 0, 20) / 200;
    }
    assert_near(arms, 0.02, 0.001);
    assert_near(pairs, 0.02, 0.001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corrections_have_their_textbook_values),
        cmocka_unit_test(forty_metrics_of_a_null_session_show_no_difference),
        cmocka_unit_test(holms_levels_reject_what_his_adjusted_p_reject),
        cmocka_unit_test(the_least_n_is_the_one_whose_smallest_p_reaches_the_level),
        cmocka_unit_test(planned_power_is_close_to_simulated_power),
        cmocka_unit_test(the_planner_needs_fewer_runs_for_larger_effects),
        cmocka_unit_test(blocks_that_decide_shrink_the_interval_enough),
        cmocka_unit_test(noise_is_read_back_from_intervals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
