/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stats_test.c - mean, deviation, extremes, median and geometric mean against hand-computed values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/units.h"
#include "base/rng.h"
#include "stats/stats.h"

static void assert_near(double found, double expected, double tolerance)
{
    assert_true(fabs(found - expected) <= tolerance);
}

static void five_equal_values_have_their_value_and_no_spread(void **state)
{
    const double x[] = {8.89, 8.89, 8.89, 8.89, 8.89};

    (void)state;
    assert_true(stats_mean(x, 5) == 8.89);
    assert_true(stats_sd(x, 5) == 0 && !signbit(stats_sd(x, 5)));
    assert_true(stats_geometric_mean(x, 5) == 8.89);
    assert_true(stats_median(x, 5) == 8.89);
}

static void equal_values_have_no_spread_whatever_their_rounding(void **state)
{
    (void)state;
    for (int i = 1; i < 2000; i++) {
        double x[7];

        for (int k = 0; k < HL_COUNT_OF(x); k++)
            x[k] = i / 977.0;
        for (size_t n = 2; n <= 7; n++) {
            assert_true(stats_mean(x, n) == x[0]);
            assert_true(stats_sd(x, n) == 0);
        }
    }
}

static void four_good_builds_give_mean_and_deviation(void **state)
{
    /* Deviations from 81.55: -.35 .05 .45 -.15; squares .1225 .0025 .2025 .0225 = .35; / 3 = .11667
     */
    const double x[] = {81.2, 81.6, 82.0, 81.4};

    (void)state;
    assert_near(stats_mean(x, 4), 81.55, 1e-12);
    assert_near(stats_sd(x, 4), 0.34156502553198664, 1e-12);
    assert_true(stats_min(x, 4) == 81.2);
    assert_true(stats_max(x, 4) == 82.0);
    assert_near(stats_median(x, 4), 81.5, 1e-12);
}

static void what_cannot_be_computed_is_nan(void **state)
{
    const double one[] = {3}, with_zero[] = {1, 0};

    (void)state;
    assert_true(isnan(stats_mean(one, 0)));
    assert_true(isnan(stats_min(one, 0)));
    assert_true(isnan(stats_max(one, 0)));
    assert_true(isnan(stats_median(one, 0)));
    assert_true(isnan(stats_sd(one, 1)));
    assert_true(isnan(stats_geometric_mean(one, 0)));
    assert_true(isnan(stats_geometric_mean(with_zero, 2)));
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void the_median_is_that_of_the_sorted_values(void **state)
{
    enum { MOST = 60 };
    struct hl_rng rng = hl_rng_stream(3, "medians");

    (void)state;
    for (int trial = 0; trial < 3000; trial++) {
        size_t n = 1 + hl_rng_below(&rng, MOST);
        uint64_t values = trial % 2 == 0 ? 1 + hl_rng_below(&rng, 8) : UINT64_C(1) << 50;
        double x[MOST], sorted[MOST];

        for (size_t i = 0; i < n; i++)
            x[i] = sorted[i] = trial % 5 == 0 && i % 7 == 0 ? -(double)INFINITY
                                                            : (double)hl_rng_below(&rng, values);
        qsort(sorted, n, sizeof(*sorted), compare_doubles);
        if (isfinite(sorted[(n - 1) / 2]))
            assert_true(stats_median(x, n) ==
                        sorted[(n - 1) / 2] + (sorted[n / 2] - sorted[(n - 1) / 2]) / 2);
    }
}

static void the_median_is_the_middle_and_leaves_the_input_alone(void **state)
{
    double x[] = {5, 1, 4, 1, 3};

    (void)state;
    assert_true(stats_median(x, 5) == 3);
    assert_true(stats_median(x, 4) == 2.5);
    assert_true(x[0] == 5 && x[1] == 1 && x[4] == 3);
}

static void the_geometric_mean_multiplies(void **state)
{
    const double x[] = {2, 8}, ratios[] = {0.5, 2.0};

    (void)state;
    assert_near(stats_geometric_mean(x, 2), 4, 1e-12);
    assert_near(stats_geometric_mean(ratios, 2), 1, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_equal_values_have_their_value_and_no_spread),
        cmocka_unit_test(equal_values_have_no_spread_whatever_their_rounding),
        cmocka_unit_test(four_good_builds_give_mean_and_deviation),
        cmocka_unit_test(what_cannot_be_computed_is_nan),
        cmocka_unit_test(the_median_is_that_of_the_sorted_values),
        cmocka_unit_test(the_median_is_the_middle_and_leaves_the_input_alone),
        cmocka_unit_test(the_geometric_mean_multiplies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
