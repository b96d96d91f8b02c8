/* SPDX-License-Identifier: GPL-2.0-or-later */
/* health_test.c - drift, neighbours, order, resolution, outliers and modes, against hand-computed
 * values, enumeration and the rates of false findings they promise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "base/rng.h"
#include "base/units.h"
#include "noise.h"
#include "stats/stats.h"

static const double places[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,
                                14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27};

static void assert_near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("found %.17g, expected %.17g", found, expected);
}

static struct stats_drift drift_of(const double *x, size_t n)
{
    struct stats_series series = {.x = x, .at = places, .count = n};
    struct stats_drift drift;

    assert_int_equal(stats_drift_of(&series, 1, &drift, NULL), HL_OK);
    return drift;
}

static void drift_has_kendalls_exact_p(void **state)
{
    /* 5 inversions of 28; p as R 4.2 gives it: cor.test(method = "kendall", exact = TRUE). */
    const double x[] = {3, 1, 2, 5, 4, 7, 6, 9}, rising[] = {1, 2, 3, 4, 5};

    (void)state;
    assert_near(drift_of(x, 8).p, 0.0141369047619, 1e-12);
    assert_near(drift_of(rising, 5).p, 2.0 / 120, 1e-12);
    assert_near(drift_of(rising, 5).slope, 1, 1e-12);
    assert_near(drift_of(rising, 1).p, 1, 0);
    assert_true(isnan(drift_of(rising, 1).slope));
}

static void permute(double *x, size_t n, size_t fixed, int found, double *below, double *above)
{
    if (fixed == n) {
        int falls = 0;

        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < i; j++)
                falls += x[i] < x[j];
        *below += falls <= found;
        *above += falls >= found;
        return;
    }
    for (size_t i = fixed; i < n; i++) {
        double kept = x[fixed];

        x[fixed] = x[i];
        x[i] = kept;
        permute(x, n, fixed + 1, found, below, above);
        kept = x[fixed];
        x[fixed] = x[i];
        x[i] = kept;
    }
}

static void drift_with_ties_has_the_distribution_of_all_orders(void **state)
{
    double x[] = {2, 1, 1, 3, 3, 3, 2}, below = 0, above = 0;
    int falls = 0;

    (void)state;
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < i; j++)
            falls += x[i] < x[j];
    permute(x, 7, 0, falls, &below, &above);
    assert_near(drift_of(x, 7).p, fmin(1, 2 * fmin(below, above) / 5040), 1e-12);
}

static void drift_within_cells_is_added_up_and_steps_between_them_are_not_drift(void **state)
{
    const double low[] = {1, 2, 3}, high[] = {11, 12, 13}, at[] = {0, 2, 4}, at_late[] = {1, 3, 5};
    struct stats_series series[] = {{low, at, 3}, {high, at_late, 3}};
    struct stats_drift drift;

    (void)state;
    assert_int_equal(stats_drift_of(series, 2, &drift, NULL), HL_OK);
    assert_near(drift.p, 2.0 / 36, 1e-12); /* both in ascending order: 1 of 6 x 6 */
    assert_near(drift.slope, 0.5, 1e-12);
}

static void a_long_drift_is_found_by_the_normal_distribution(void **state)
{
    enum { N = 200 };
    double x[N], at[N];
    struct stats_series series = {.x = x, .at = at, .count = N};
    struct hl_rng rng = hl_rng_stream(1, "test/drift");
    struct stats_drift drift;

    (void)state;
    for (int i = 0; i < N; i++) {
        at[i] = i;
        x[i] = noise_normal(&rng);
    }
    assert_int_equal(stats_drift_of(&series, 1, &drift, NULL), HL_OK);
    assert_true(drift.p > 0.05);
    for (int i = 0; i < N; i++)
        x[i] += 0.01 * i;
    assert_int_equal(stats_drift_of(&series, 1, &drift, NULL), HL_OK);
    assert_true(drift.p < 1e-6);
    assert_near(drift.slope, 0.01, 0.003);
}

static struct stats_lag lag_of(const double *x, size_t n)
{
    struct stats_series series = {.x = x, .at = places, .count = n};
    struct stats_lag lag;

    assert_int_equal(stats_lag_of(&series, 1, &lag, NULL), HL_OK);
    return lag;
}

static void neighbours_that_know_each_other_are_found(void **state)
{
    const double slow[] = {1, 2, 3, 4, 5, 6, 12, 11, 10, 9, 8, 7};
    const double swinging[] = {1, 12, 2, 11, 3, 10, 4, 9, 5, 8, 6, 7};
    const double equal[] = {1, 1, 1, 1, 1, 1, 1};

    (void)state;
    assert_true(lag_of(slow, 12).p < 0.01 && lag_of(slow, 12).correlation > 0.5);
    assert_true(lag_of(swinging, 12).p < 0.01 && lag_of(swinging, 12).correlation < -0.5);
    assert_true(lag_of(slow, 5).p == 1 && isnan(lag_of(slow, 5).correlation));
    assert_true(lag_of(equal, 7).p == 1);
}

static void independent_neighbours_are_rarely_called_correlated(void **state)
{
    struct hl_rng rng = hl_rng_stream(2, "test/lag");
    int found = 0;
    double x[10];

    (void)state;
    for (int trial = 0; trial < 4000; trial++) {
        for (int i = 0; i < 10; i++)
            x[i] = noise_normal(&rng);
        found += lag_of(x, 10).p < 0.01;
    }
    assert_in_range(found, 1, 60); /* 1 % of 4,000, and 3 standard errors */
}

static void orders_that_cannot_be_told_from_the_arms_are_named(void **state)
{
    const bool apart[] = {0, 0, 0, 1, 1, 1}, turns[] = {1, 0, 1, 0, 1, 0}, mixed[] = {0, 1, 1, 0};
    const bool one[] = {0, 0}, odd[] = {0, 1, 0};

    (void)state;
    assert_int_equal(stats_order_of(apart, 6), STATS_ORDER_X_BEFORE_Y);
    assert_int_equal(stats_order_of(apart + 3, 3), STATS_ORDER_MIXED);
    assert_int_equal(stats_order_of(turns, 6), STATS_ORDER_Y_FIRST);
    assert_int_equal(stats_order_of(turns + 1, 4), STATS_ORDER_X_FIRST);
    assert_int_equal(stats_order_of(mixed, 4), STATS_ORDER_MIXED);
    assert_int_equal(stats_order_of(one, 2), STATS_ORDER_MIXED);
    assert_int_equal(stats_order_of(odd, 3), STATS_ORDER_MIXED);
    assert_int_equal(stats_order_of(one, 0), STATS_ORDER_MIXED);
}

static void resolution_is_how_finely_values_were_read(void **state)
{
    const double hundredths[] = {8.89, 120.186, 3}, tenths[] = {40.1, 85.0}, whole[] = {26554, 100};
    const double exact[] = {1.0 / 3, 2.0 / 7};

    (void)state;
    assert_near(stats_resolution(hundredths, 1), 0.01, 1e-15);
    assert_near(stats_resolution(hundredths, 3), 0.001, 1e-15);
    assert_near(stats_resolution(tenths, 2), 0.1, 1e-15);
    assert_near(stats_resolution(whole, 2), 1, 0);
    assert_near(stats_resolution(exact, 2), 1e-9, 1e-20);
}

static void outliers_are_named_and_equal_values_need_more_than_one_tick(void **state)
{
    const double x[] = {81.2, 81.6, 95.0, 81.4, 81.5}, equal[] = {8.89, 8.89, 8.89, 8.89, 8.90};
    const double far[] = {8.89, 8.89, 8.89, 8.89, 9.00};
    bool mark[5];

    (void)state;
    assert_int_equal(stats_outliers(x, 5, 0.1, mark), 1);
    assert_true(mark[2] && !mark[0] && !mark[4]);
    /* MAD 0 counts as one tick of the timer: one tick off is no outlier, eleven are. */
    assert_int_equal(stats_outliers(equal, 5, 0.01, mark), 0);
    assert_int_equal(stats_outliers(far, 5, 0.01, mark), 1);
    assert_int_equal(stats_outliers(x, 3, 0.1, mark), 0);
    assert_true(stats_is_outlier_beside(120, x + 1, 4, 0.1));
}

static void two_modes_are_shown_with_their_means(void **state)
{
    const double x[] = {40.1, 40.3, 39.9, 40.2, 85.0, 84.7, 40.0, 85.3, 84.9, 40.4, 85.1, 84.8};
    const double ticks[] = {40.1, 40.1, 40.1, 40.2, 40.2, 40.2};
    const double lone[] = {1, 1.1, 0.9, 1, 1.05, 5, 5.1};
    struct stats_modes modes;

    (void)state;
    assert_true(stats_two_modes(x, 12, 0.1, &modes));
    assert_near(modes.mean[0], 40.15, 1e-9);
    assert_near(modes.mean[1], 84.97, 0.005);
    assert_int_equal(modes.count[0], 6);
    assert_int_equal(modes.count[1], 6);
    assert_false(stats_two_modes(ticks, 6, 0.1, &modes));
    assert_false(stats_two_modes(lone, 7, 0.1, &modes)); /* two values are no mode */
    assert_false(stats_two_modes(x, 0, 0.1, &modes));
}

static void one_cloud_is_rarely_called_two_or_ragged(void **state)
{
    static const size_t sizes[] = {5, 6, 7, 8, 10, 14, 20, 40};
    struct hl_rng rng = hl_rng_stream(3, "test/shape");
    double x[40];
    bool mark[40];

    (void)state;
    for (int s = 0; s < HL_COUNT_OF(sizes); s++) {
        int split = 0, marked = 0;

        for (int trial = 0; trial < 2000; trial++) {
            struct stats_modes modes;

            for (size_t i = 0; i < sizes[s]; i++)
                x[i] = noise_normal(&rng);
            split += stats_two_modes(x, sizes[s], 1e-9, &modes);
            marked += stats_outliers(x, sizes[s], 1e-9, mark) > 0;
        }
        assert_true(split <= 20 + 14);         /* 1 %, and 3 standard errors */
        assert_in_range(marked, 30, 120 + 32); /* about 5 % */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drift_has_kendalls_exact_p),
        cmocka_unit_test(drift_with_ties_has_the_distribution_of_all_orders),
        cmocka_unit_test(drift_within_cells_is_added_up_and_steps_between_them_are_not_drift),
        cmocka_unit_test(a_long_drift_is_found_by_the_normal_distribution),
        cmocka_unit_test(neighbours_that_know_each_other_are_found),
        cmocka_unit_test(independent_neighbours_are_rarely_called_correlated),
        cmocka_unit_test(orders_that_cannot_be_told_from_the_arms_are_named),
        cmocka_unit_test(resolution_is_how_finely_values_were_read),
        cmocka_unit_test(outliers_are_named_and_equal_values_need_more_than_one_tick),
        cmocka_unit_test(two_modes_are_shown_with_their_means),
        cmocka_unit_test(one_cloud_is_rarely_called_two_or_ragged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
