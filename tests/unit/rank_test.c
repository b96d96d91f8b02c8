/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rank_test.c - rank statistics against published tables, against enumeration of all exchanges,
 * and intervals against their own tests.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/rng.h"
#include "base/units.h"
#include "stats/rank.h"
#include "stats/stats.h"

static struct stats_contrast pairs_of(const double *differences, size_t n)
{
    return (struct stats_contrast){.y = differences, .y_count = n};
}

static struct stats_contrast arms_of(const double *x, size_t m, const double *y, size_t n)
{
    return (struct stats_contrast){.x = x, .x_count = m, .y = y, .y_count = n};
}

static struct stats_interval interval_of(struct stats_contrast contrast, double alpha)
{
    struct stats_interval interval;

    assert_int_equal(stats_interval_of(&contrast, alpha, &interval, NULL), HL_OK);
    return interval;
}

static double p_of(struct stats_contrast contrast)
{
    return interval_of(contrast, 0.05).p;
}

static void assert_near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("found %.17g, expected %.17g", found, expected);
}

/* ---- the order of the shifts ---- */

/* All shifts of a sample in order; returns how many. */
static size_t sorted_shifts(const struct rank_sample *s, double *shifts)
{
    size_t count = 0;

    for (size_t j = 0; j < s->y_count; j++) {
        if (s->x == NULL)
            for (size_t i = j; i < s->y_count; i++)
                shifts[count++] = (s->y[j] + s->y[i]) / 2;
        for (size_t i = 0; i < s->x_count; i++)
            shifts[count++] = s->y[j] - s->x[i];
    }
    qsort(shifts, count, sizeof(*shifts), rank_compare_doubles);
    return count;
}

/* Against a list of all: spread evenly or not, with few ties, many, or nothing but ties. */
static void the_kth_shift_is_that_of_the_sorted_list(void **state)
{
    enum { MOST = 40, TRIALS = 600 };
    static double shifts[MOST * MOST];
    struct hl_rng rng = hl_rng_stream(7, "shifts");

    (void)state;
    for (int trial = 0; trial < TRIALS; trial++) {
        size_t m = trial % 2 == 0 ? 0 : 1 + hl_rng_below(&rng, MOST),
               n = 1 + hl_rng_below(&rng, MOST);
        uint64_t values = trial % 3 == 0 ? 1 + hl_rng_below(&rng, 10) : UINT64_C(1) << 40;
        double x[MOST], y[MOST];
        struct stats_contrast contrast = m > 0 ? arms_of(x, m, y, n) : pairs_of(y, n);
        struct rank_sample sample;
        size_t count;

        for (size_t i = 0; i < MOST; i++) {
            x[i] = (double)hl_rng_below(&rng, values);
            y[i] = (double)hl_rng_below(&rng, values);
            /* Times have long tails. */
            if (trial % 5 == 0)
                y[i] = pow(y[i] / (double)values, 9);
            if (trial % 7 == 0)
                x[i] = log(x[i] + 2);
        }
        assert_int_equal(rank_sample_open(&sample, &contrast, NULL), HL_OK);
        count = sorted_shifts(&sample, shifts);
        assert_int_equal(count, sample.shift_count);
        for (size_t k = 1; k <= count; k++) {
            double found = rank_shift_kth(&sample, k);

            if (!(fabs(found - shifts[k - 1]) <= sample.tie / 4))
                fail_msg("trial %d, shift %zu of %zu: found %.17g, expected %.17g", trial, k, count,
                         found, shifts[k - 1]);
        }
        rank_sample_close(&sample);
    }
}

/* ---- published critical values ---- */

/* Differences 1..n of which those whose ranks add up to `sum` are negative. */
static void pairs_with_sum(double *d, size_t n, size_t sum)
{
    for (size_t rank = n; rank >= 1; rank--) {
        bool is_negative = rank <= sum;

        d[rank - 1] = is_negative ? -(double)rank : (double)rank;
        sum -= is_negative ? rank : 0;
    }
}

static void signed_rank_agrees_with_published_critical_values(void **state)
{
    /* n from 6; two-sided 5 %: University of York, Department of Mathematics (2004); two-sided
     * 10 %: Harvey, Chemometrics Using R, appendix 12.6. */
    static const size_t five[] = {0,  2,  3,  5,  8,  10, 13, 17, 21, 25,
                                  29, 34, 40, 46, 52, 58, 65, 73, 81, 89};
    static const size_t ten[] = {2, 3, 5, 8, 10, 13, 17, 21, 25, 30, 35, 41, 47, 53, 60};
    double d[25];

    (void)state;
    for (size_t i = 0; i < (size_t)HL_COUNT_OF(five); i++) {
        pairs_with_sum(d, i + 6, five[i]);
        assert_true(p_of(pairs_of(d, i + 6)) <= 0.05);
        pairs_with_sum(d, i + 6, five[i] + 1);
        assert_true(p_of(pairs_of(d, i + 6)) > 0.05);
    }
    for (size_t i = 0; i < (size_t)HL_COUNT_OF(ten); i++) {
        pairs_with_sum(d, i + 6, ten[i]);
        assert_true(p_of(pairs_of(d, i + 6)) <= 0.1);
        pairs_with_sum(d, i + 6, ten[i] + 1);
        assert_true(p_of(pairs_of(d, i + 6)) > 0.1);
    }
}

/* x is 1..m; y is such that `above` pairs have y > x. */
static void arms_with_count(double *x, size_t m, double *y, size_t n, size_t above)
{
    for (size_t i = 0; i < m; i++)
        x[i] = (double)i + 1;
    for (size_t j = 0; j < n; j++) {
        size_t below = above > m ? m : above;

        y[j] = (double)below + 0.5 + 0.01 * (double)j;
        above -= below;
    }
}

static void rank_sum_agrees_with_published_critical_values(void **state)
{
    /* Two-sided 5 %; rows 5 to 10, columns 5 to 20 (Milton 1964, as reprinted in textbooks). */
    static const size_t table[6][16] = {
        {2, 3, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 17, 18, 19, 20},
        {3, 5, 6, 8, 10, 11, 13, 14, 16, 17, 19, 21, 22, 24, 25, 27},
        {5, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34},
        {6, 8, 10, 13, 15, 17, 19, 22, 24, 26, 29, 31, 34, 36, 38, 41},
        {7, 10, 12, 15, 17, 20, 23, 26, 28, 31, 34, 37, 39, 42, 45, 48},
        {8, 11, 14, 17, 20, 23, 26, 29, 33, 36, 39, 42, 45, 48, 52, 55},
    };
    double x[20], y[20];

    (void)state;
    for (size_t m = 5; m <= 10; m++)
        for (size_t n = 5; n <= 20; n++) {
            size_t critical = table[m - 5][n - 5];

            arms_with_count(x, m, y, n, critical);
            assert_true(p_of(arms_of(x, m, y, n)) <= 0.05);
            arms_with_count(x, m, y, n, critical + 1);
            assert_true(p_of(arms_of(x, m, y, n)) > 0.05);
        }
    arms_with_count(x, 20, y, 20, 127);
    assert_true(p_of(arms_of(x, 20, y, 20)) <= 0.05);
    arms_with_count(x, 20, y, 20, 128);
    assert_true(p_of(arms_of(x, 20, y, 20)) > 0.05);
}

/* Hollander and Wolfe (1973): depression scale factors, p. 29, and permeability, p. 69; the
 * intervals are those that R 4.2 prints for them. */
static void textbook_examples_have_their_published_results(void **state)
{
    static const double before[] = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
    static const double after[] = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
    static const double term[] = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
    static const double early[] = {1.15, 0.88, 0.90, 0.74, 1.21};
    struct stats_interval interval;
    double d[9];

    (void)state;
    for (int i = 0; i < 9; i++)
        d[i] = after[i] - before[i];
    interval = interval_of(pairs_of(d, 9), 0.05);
    assert_near(interval.p, 0.0390625, 1e-12);
    assert_near(interval.estimate, -0.46, 1e-12);
    assert_near(interval.low, -0.786, 1e-12);
    assert_near(interval.high, -0.010, 1e-12);
    assert_near(interval.level, 1 - 0.0390625, 1e-12);

    interval = interval_of(arms_of(early, 5, term, 10), 0.05);
    assert_near(interval.p, 0.254412254, 1e-9);
    assert_near(interval.estimate, 0.305, 1e-12);
    assert_near(interval.low, -0.15, 1e-12);
    assert_near(interval.high, 0.76, 1e-12);
}

/* ---- ties, by enumeration ---- */

/* Twice the statistic of pairs: pairwise sums above 0, those equal to 0 counted half. */
static int signed_statistic(const double *d, size_t n)
{
    int statistic = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++)
            statistic += (d[i] + d[j] > 0) + (d[i] + d[j] >= 0);
    return statistic;
}

static struct stats_tails enumerate_signs(const double *d, size_t n)
{
    int found = signed_statistic(d, n);
    double low = 0, high = 0, all = ldexp(1, (int)n), flipped[12];

    for (unsigned signs = 0; signs < 1u << n; signs++) {
        int statistic;

        for (size_t i = 0; i < n; i++)
            flipped[i] = signs >> i & 1 ? d[i] : -d[i];
        statistic = signed_statistic(flipped, n);
        low += statistic <= found;
        high += statistic >= found;
    }
    return (struct stats_tails){.low = low / all, .high = high / all};
}

static int sum_statistic(const double *pooled, size_t count, unsigned labels)
{
    int statistic = 0;

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            if ((labels >> i & 1) == 0 && (labels >> j & 1) == 1)
                statistic += (pooled[j] > pooled[i]) + (pooled[j] >= pooled[i]);
    return statistic;
}

static struct stats_tails enumerate_labels(const double *x, size_t m, const double *y, size_t n)
{
    double pooled[12], low = 0, high = 0, all = 0;
    int found;

    for (size_t i = 0; i < m + n; i++)
        pooled[i] = i < n ? y[i] : x[i - n];
    found = sum_statistic(pooled, m + n, (1u << n) - 1);
    for (unsigned labels = 0; labels < 1u << (m + n); labels++) {
        int statistic;

        if (__builtin_popcount(labels) != (int)n)
            continue;
        statistic = sum_statistic(pooled, m + n, labels);
        all++;
        low += statistic <= found;
        high += statistic >= found;
    }
    return (struct stats_tails){.low = low / all, .high = high / all};
}

/* Few different values, so that most samples have ties and zeros. */
static void draw_coarse(struct hl_rng *rng, double *values, size_t n, uint64_t kinds, double offset)
{
    for (size_t i = 0; i < n; i++)
        values[i] = (double)hl_rng_below(rng, kinds) + offset;
}

static void tied_pairs_have_the_distribution_of_all_signs(void **state)
{
    struct hl_rng rng = hl_rng_stream(1, "test/signs");

    (void)state;
    for (int trial = 0; trial < 300; trial++) {
        size_t n = 1 + (size_t)hl_rng_below(&rng, 9);
        uint64_t kinds = 2 + hl_rng_below(&rng, 9);
        struct stats_contrast contrast;
        struct stats_tails found, expected;
        double d[9];

        draw_coarse(&rng, d, n, kinds, -(double)(kinds / 2));
        contrast = pairs_of(d, n);
        assert_int_equal(stats_tails_at(&contrast, 0, &found, NULL), HL_OK);
        expected = enumerate_signs(d, n);
        assert_near(found.low, expected.low, 1e-12);
        assert_near(found.high, expected.high, 1e-12);
        assert_true(found.is_exact);
    }
}

static void tied_arms_have_the_distribution_of_all_labels(void **state)
{
    struct hl_rng rng = hl_rng_stream(1, "test/labels");

    (void)state;
    for (int trial = 0; trial < 300; trial++) {
        size_t m = 1 + (size_t)hl_rng_below(&rng, 5), n = 1 + (size_t)hl_rng_below(&rng, 5);
        uint64_t kinds = 2 + hl_rng_below(&rng, 9);
        struct stats_contrast contrast;
        struct stats_tails found, expected;
        double x[5], y[5];

        draw_coarse(&rng, x, m, kinds, 0);
        draw_coarse(&rng, y, n, kinds, 0);
        contrast = arms_of(x, m, y, n);
        assert_int_equal(stats_tails_at(&contrast, 0, &found, NULL), HL_OK);
        expected = enumerate_labels(x, m, y, n);
        assert_near(found.low, expected.low, 1e-12);
        assert_near(found.high, expected.high, 1e-12);
    }
}

static void equal_ratios_are_ties_whatever_the_last_bits_of_their_logs(void **state)
{
    /* +1 %, -1 % and +1 % of different levels: logs that differ in their last bits. */
    const double d[] = {log(10.1 / 10.0), log(20.0 / 20.2), log(30.3 / 30.0), log(70.0 / 70.7)};
    const double clean[] = {1, -1, 1, -1};

    (void)state;
    assert_near(p_of(pairs_of(d, 4)), p_of(pairs_of(clean, 4)), 1e-12);
}

/* ---- intervals ---- */

/* p of the hypothesis that the shift is `shift`. */
static double p_at(const struct stats_contrast *contrast, double shift)
{
    struct stats_tails tails;

    assert_int_equal(stats_tails_at(contrast, shift, &tails, NULL), HL_OK);
    return fmin(1, 2 * fmin(tails.low, tails.high));
}

/* Just inside of each end the test accepts, just outside it rejects. */
static void assert_dual(const struct stats_contrast *contrast, double alpha)
{
    struct stats_interval interval = interval_of(*contrast, alpha);
    double step = 1e-4;

    if (!interval.reaches) {
        assert_true(p_at(contrast, interval.low - step) > alpha);
        return;
    }
    assert_true(p_at(contrast, interval.low - step) <= alpha);
    assert_true(p_at(contrast, interval.high + step) <= alpha);
    if (interval.high - interval.low > 3 * step) {
        assert_true(p_at(contrast, interval.low + step) > alpha);
        assert_true(p_at(contrast, interval.high - step) > alpha);
    }
    assert_true(interval.level >= 1 - alpha - 1e-12);
    assert_true(interval.low <= interval.estimate && interval.estimate <= interval.high);
    assert_near(interval.p, p_at(contrast, 0), 0);
    if (interval.p > alpha)
        assert_true(interval.low <= 0 && interval.high >= 0);
    else
        assert_true(interval.low >= 0 || interval.high <= 0);
}

static void the_interval_holds_exactly_what_the_test_accepts(void **state)
{
    struct hl_rng rng = hl_rng_stream(2, "test/dual");
    static const double alphas[] = {0.2, 0.05, 0.05 / 3, 0.01};
    double x[12], y[12];

    (void)state;
    for (int trial = 0; trial < 400; trial++) {
        size_t m = 2 + (size_t)hl_rng_below(&rng, 11), n = 2 + (size_t)hl_rng_below(&rng, 11);
        /* From heavy ties to hardly any. */
        uint64_t kinds = UINT64_C(1) << hl_rng_below(&rng, 10);
        double alpha = alphas[hl_rng_below(&rng, 4)];
        struct stats_contrast contrast;

        draw_coarse(&rng, x, m, kinds + 1, 0);
        draw_coarse(&rng, y, n, kinds + 1, (double)(kinds / 4));
        contrast = arms_of(x, m, y, n);
        assert_dual(&contrast, alpha);
        draw_coarse(&rng, y, n, kinds + 1, -(double)(kinds / 3));
        contrast = pairs_of(y, n);
        assert_dual(&contrast, alpha);
    }
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void estimates_are_medians_of_all_pairwise_shifts(void **state)
{
    struct hl_rng rng = hl_rng_stream(3, "test/shifts");
    double x[9], y[9], shifts[81];

    (void)state;
    for (int trial = 0; trial < 100; trial++) {
        size_t m = 1 + (size_t)hl_rng_below(&rng, 9), n = 1 + (size_t)hl_rng_below(&rng, 9);
        size_t count = 0;

        draw_coarse(&rng, x, m, 1000, 0);
        draw_coarse(&rng, y, n, 1000, -300);
        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j < n; j++)
                shifts[count++] = y[j] - x[i];
        qsort(shifts, count, sizeof(*shifts), compare_doubles);
        assert_near(interval_of(arms_of(x, m, y, n), 0.05).estimate,
                    (shifts[(count - 1) / 2] + shifts[count / 2]) / 2, 1e-9);

        count = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t j = i; j < n; j++)
                shifts[count++] = (y[i] + y[j]) / 2;
        qsort(shifts, count, sizeof(*shifts), compare_doubles);
        assert_near(interval_of(pairs_of(y, n), 0.05).estimate,
                    (shifts[(count - 1) / 2] + shifts[count / 2]) / 2, 1e-9);
    }
}

static void a_level_out_of_reach_gives_the_widest_interval_and_what_it_attains(void **state)
{
    const double d[] = {1, 2, 3, 4, 5}, x[] = {1, 2, 3}, y[] = {11, 12, 14};
    struct stats_interval interval = interval_of(pairs_of(d, 5), 0.05);

    (void)state;
    assert_false(interval.reaches);
    assert_near(interval.level, 1 - 2.0 / 32, 1e-12);
    assert_true(interval.low == 1 && interval.high == 5);
    assert_near(interval.p, 2.0 / 32, 1e-12);

    interval = interval_of(arms_of(x, 3, y, 3), 0.05);
    assert_false(interval.reaches);
    assert_near(interval.level, 1 - 2.0 / 20, 1e-12);
    assert_true(interval.low == 8 && interval.high == 13);
    assert_true(interval_of(arms_of(x, 3, y, 3), 0.1).reaches);

    interval = interval_of(pairs_of(d, 1), 0.05);
    assert_true(interval.estimate == 1 && interval.p == 1 && interval.level == 0);
    assert_true(isnan(interval.low) && isnan(interval.high));
}

static void equal_values_give_a_shift_of_exactly_nothing(void **state)
{
    const double x[] = {8.89, 8.89, 8.89, 8.89, 8.89}, zero[] = {0, 0, 0, 0, 0, 0};
    struct stats_interval interval = interval_of(arms_of(x, 5, x, 5), 0.05);

    (void)state;
    assert_true(interval.estimate == 0 && interval.low == 0 && interval.high == 0);
    assert_true(interval.p == 1 && interval.reaches);
    assert_near(interval.level, 1 - 2.0 / 252, 1e-12);
    interval = interval_of(pairs_of(zero, 6), 0.05);
    assert_true(interval.low == 0 && interval.high == 0 && interval.p == 1);
}

static void large_samples_use_the_normal_distribution_and_say_so(void **state)
{
    enum { N = 2000 };
    static double x[N], y[N];
    struct stats_interval interval;

    (void)state;
    for (int i = 0; i < N; i++) {
        x[i] = i;
        y[i] = i + 50.25;
    }
    interval = interval_of(arms_of(x, N, y, N), 0.05);
    assert_false(interval.is_exact);
    assert_near(interval.estimate, 50.25, 1e-9);
    assert_true(interval.low > 5 && interval.high < 95);
    interval = interval_of(pairs_of(y, N), 0.05);
    assert_false(interval.is_exact);
    assert_near(interval.estimate, 50.25 + (N - 1) / 2.0, 1e-9);
}

/* The approximations take over without a jump. */
static void exact_and_normal_tails_meet(void **state)
{
    double x[51], y[51], near = 0, far = 0;

    (void)state;
    for (int i = 0; i < 51; i++) {
        x[i] = i;
        y[i] = i + 8.5;
    }
    near = p_of(arms_of(x, 50, y, 50));
    far = p_of(arms_of(x, 51, y, 51));
    assert_near(far, near, 0.01);
    for (int i = 0; i < 51; i++) {
        x[i] = i / 3;
        y[i] = i / 3 + 2;
    }
    near = p_of(arms_of(x, 30, y, 30));
    far = p_of(arms_of(x, 30, y, 31));
    assert_true(near < 0.1 && far < near && far > near / 2);
}

static void every_failed_allocation_is_told(void **state)
{
    const double x[] = {1, 2, 2, 4, 5}, y[] = {2, 2, 3, 9, 9};
    struct stats_contrast contrast = arms_of(x, 5, y, 5);
    struct stats_interval interval;
    struct hl_error err;
    uint64_t n = 0;
    enum hl_status status;

    (void)state;
    do {
        hl_alloc_fail_at(++n);
        status = stats_interval_of(&contrast, 0.05, &interval, &err);
        hl_alloc_fail_at(0);
        assert_true(status == HL_OK || status == HL_NO_MEMORY);
    } while (status != HL_OK);
    assert_true(n > 5);
    contrast = pairs_of(x, 5);
    n = 0;
    do {
        hl_alloc_fail_at(++n);
        status = stats_interval_of(&contrast, 0.2, &interval, &err);
        hl_alloc_fail_at(0);
        assert_true(status == HL_OK || status == HL_NO_MEMORY);
    } while (status != HL_OK);
    assert_true(n > 5);
}

/* ---- one shift for several contrasts ---- */

static void a_common_shift_is_found_and_equal_arms_have_none(void **state)
{
    const double a[] = {1.00, 1.01, 0.99, 1.02, 0.98}, b[] = {5.00, 5.02, 4.99, 5.01};
    double a_shifted[5], b_shifted[4];
    struct stats_contrast contrasts[2];
    struct stats_interval interval;

    (void)state;
    for (int i = 0; i < 5; i++)
        a_shifted[i] = a[i] + 0.1;
    for (int i = 0; i < 4; i++)
        b_shifted[i] = b[i] + 0.1;
    contrasts[0] = arms_of(a, 5, a_shifted, 5);
    contrasts[1] = arms_of(b, 4, b_shifted, 4);
    assert_int_equal(stats_common_shift(contrasts, 2, 0.05, &interval, NULL), HL_OK);
    assert_near(interval.estimate, 0.1, 1e-12);
    assert_true(interval.reaches && !interval.is_exact);
    assert_true(interval.p < 0.01 && interval.low > 0.05 && interval.high < 0.15);

    contrasts[0] = arms_of(a, 5, a, 5);
    contrasts[1] = arms_of(b, 4, b, 4);
    assert_int_equal(stats_common_shift(contrasts, 2, 0.05, &interval, NULL), HL_OK);
    assert_true(interval.estimate == 0 && interval.p > 0.9);
    assert_true(interval.low < 0 && interval.high > 0);
}

static void one_run_each_has_no_common_interval(void **state)
{
    const double x[] = {1}, y[] = {2};
    struct stats_contrast contrast = arms_of(x, 1, y, 1);
    struct stats_interval interval;

    (void)state;
    assert_int_equal(stats_common_shift(&contrast, 1, 0.05, &interval, NULL), HL_OK);
    assert_true(interval.estimate == 1 && interval.p > 0.9);
    assert_false(interval.reaches);
    assert_near(interval.level, 0, 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kth_shift_is_that_of_the_sorted_list),
        cmocka_unit_test(signed_rank_agrees_with_published_critical_values),
        cmocka_unit_test(rank_sum_agrees_with_published_critical_values),
        cmocka_unit_test(textbook_examples_have_their_published_results),
        cmocka_unit_test(tied_pairs_have_the_distribution_of_all_signs),
        cmocka_unit_test(tied_arms_have_the_distribution_of_all_labels),
        cmocka_unit_test(equal_ratios_are_ties_whatever_the_last_bits_of_their_logs),
        cmocka_unit_test(the_interval_holds_exactly_what_the_test_accepts),
        cmocka_unit_test(estimates_are_medians_of_all_pairwise_shifts),
        cmocka_unit_test(a_level_out_of_reach_gives_the_widest_interval_and_what_it_attains),
        cmocka_unit_test(equal_values_give_a_shift_of_exactly_nothing),
        cmocka_unit_test(large_samples_use_the_normal_distribution_and_say_so),
        cmocka_unit_test(exact_and_normal_tails_meet),
        cmocka_unit_test(every_failed_allocation_is_told),
        cmocka_unit_test(a_common_shift_is_found_and_equal_arms_have_none),
        cmocka_unit_test(one_run_each_has_no_common_interval),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
