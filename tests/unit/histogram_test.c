/* SPDX-License-Identifier: GPL-2.0-or-later */
/* histogram_test.c - quantiles stay in range and within the stated error, against sorted values. */
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
#include "stats/histogram.h"

static const double quantiles[] = {0.001, 0.5, 0.9, 0.95, 0.99, 0.999, 1};

static void open_hist(struct stats_hist *hist, int64_t top, int32_t precision_bits)
{
    struct stats_hist_options options = {.top = top, .precision_bits = precision_bits};
    uint64_t *buckets = hl_alloc(stats_hist_bucket_count(&options), sizeof(*buckets));

    assert_non_null(buckets);
    stats_hist_init(hist, &options, buckets);
}

static void one_sample_is_every_quantile(void **state)
{
    const int64_t sample_ns = 241470 * HL_NS_PER_US;
    struct stats_hist hist;

    (void)state;
    open_hist(&hist, 100 * HL_NS_PER_S, 6);
    stats_hist_add(&hist, sample_ns);
    for (int i = 0; i < HL_COUNT_OF(quantiles); i++) {
        struct stats_quantile found = stats_hist_quantile(&hist, quantiles[i]);

        assert_true(found.value == (double)sample_ns);
        assert_int_equal(found.over, 0);
    }
    hl_free(hist.buckets);
}

static void what_lies_beyond_the_top_is_counted_not_capped(void **state)
{
    struct stats_hist hist;
    struct stats_quantile p999;

    (void)state;
    open_hist(&hist, 100 * HL_NS_PER_S, 6);
    stats_hist_add(&hist, 150 * HL_NS_PER_S);
    for (int i = 0; i < 99; i++)
        stats_hist_add(&hist, HL_NS_PER_S);
    p999 = stats_hist_quantile(&hist, 0.999);
    assert_true(p999.value == 100e9);
    assert_int_equal(p999.over, 1);
    assert_int_equal(hist.max, 150 * HL_NS_PER_S);
    assert_true(fabs(stats_hist_quantile(&hist, 0.99).value - 1e9) <=
                1e9 * stats_hist_error(&hist));
    assert_true(stats_hist_quantile(&hist, 0.99).value >= 1e9);
    assert_int_equal(stats_hist_quantile(&hist, 0.99).over, 0);
    hl_free(hist.buckets);
}

static void nothing_added_has_no_quantile(void **state)
{
    struct stats_hist hist;

    (void)state;
    open_hist(&hist, 1000, 4);
    assert_true(isnan(stats_hist_quantile(&hist, 0.5).value));
    hl_free(hist.buckets);
}

static void small_values_are_exact(void **state)
{
    struct stats_hist hist;

    (void)state;
    open_hist(&hist, 1 << 20, 6);
    for (int i = 0; i < 128; i++)
        stats_hist_add(&hist, i);
    for (int i = 1; i <= 128; i++)
        assert_true(stats_hist_quantile(&hist, i / 128.0).value == i - 1);
    hl_free(hist.buckets);
}

/* 0.95 of 20 values is 19 of them, whatever 0.95 is in binary. */
static void ranks_are_whole(void **state)
{
    struct stats_hist hist;

    (void)state;
    open_hist(&hist, 1 << 20, 6);
    for (int i = 1; i <= 20; i++)
        stats_hist_add(&hist, i);
    assert_true(stats_hist_quantile(&hist, 0.95).value == 19);
    assert_true(stats_hist_quantile(&hist, 0.05).value == 1);
    assert_true(stats_hist_quantile(&hist, 0.951).value == 20);
    hl_free(hist.buckets);
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static void the_error_is_within_what_is_stated(void **state)
{
    enum { COUNT = 4001 };
    static int64_t values[COUNT];
    struct hl_rng rng = hl_rng_stream(7, "test/histogram");

    (void)state;
    for (int32_t bits = 1; bits <= 10; bits++) {
        struct stats_hist hist;

        open_hist(&hist, INT64_MAX, bits);
        for (int i = 0; i < COUNT; i++) {
            /* All magnitudes alike. */
            values[i] = (int64_t)(hl_rng_next(&rng) >> 1 >> hl_rng_below(&rng, 62));
            stats_hist_add(&hist, values[i]);
        }
        qsort(values, COUNT, sizeof(values[0]), compare);
        for (int rank = 1; rank <= COUNT; rank++) {
            double exact = (double)values[rank - 1];
            double found = stats_hist_quantile(&hist, (double)rank / COUNT).value;

            assert_true(fabs(found - exact) <= exact * stats_hist_error(&hist));
            assert_true(found >= (double)values[0] && found <= (double)values[COUNT - 1]);
        }
        hl_free(hist.buckets);
    }
}

static void buckets_rise_without_holes(void **state)
{
    struct stats_hist hist = {.precision_bits = 3};
    size_t last = 0;

    (void)state;
    for (int64_t value = 0; value < 100000; value++) {
        size_t bucket = stats_hist_bucket(&hist, value);

        assert_true(bucket == last || bucket == last + 1);
        last = bucket;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_sample_is_every_quantile),
        cmocka_unit_test(what_lies_beyond_the_top_is_counted_not_capped),
        cmocka_unit_test(nothing_added_has_no_quantile),
        cmocka_unit_test(small_values_are_exact),
        cmocka_unit_test(ranks_are_whole),
        cmocka_unit_test(the_error_is_within_what_is_stated),
        cmocka_unit_test(buckets_rise_without_holes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
