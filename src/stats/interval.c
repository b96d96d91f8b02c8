/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interval.c - Hodges and Lehmann's estimate of a shift, and the exact interval that is the dual of
 * the rank test (Hodges and Lehmann 1963; Lehmann 1975; Bauer 1972).
 *
 * The interval holds all shifts that the test does not reject. The tails are steps that change at
 * the pairwise shifts only, and monotone, so each end is a pairwise shift found by bisection over
 * their order. Without ties these are the textbook's order statistics; with ties the same
 * definition holds, with the distribution given the ties on either side of each step.
 */
#include <assert.h>
#include <math.h>

#include "stats/rank.h"

bool stats_is_significant(double p, double alpha)
{
    /* 2 / C(8, 4) against 0.05 / 3 and the like: the last bits must not decide. */
    return p <= alpha * (1 + 1e-9);
}

/* The tails between the k-th shift and the next different one; k = 0: below all shifts. */
static enum hl_status tails_above(const struct rank_sample *sample, size_t k,
                                  struct stats_tails *tails, struct hl_error *err)
{
    double value, next;

    if (k == 0)
        return rank_tails(sample, rank_shift_kth(sample, 1) - 1, tails, err);
    value = rank_shift_kth(sample, k);
    next = rank_shift_next(sample, value);
    return rank_tails(sample, value + (next - value) / 2, tails, err);
}

/* Returns the one-sided p just below the interval. */
static enum hl_status find_low(const struct rank_sample *sample, double half_alpha, double *low,
                               double *outside, struct hl_error *err)
{
    size_t rejected = 0, kept = sample->shift_count;

    *outside = stats_least_p(sample->x_count, sample->y_count) / 2;
    while (kept - rejected > 1) {
        size_t middle = rejected + (kept - rejected) / 2;
        struct stats_tails tails;

        HL_TRY(tails_above(sample, middle, &tails, err));
        if (stats_is_significant(tails.high, half_alpha)) {
            rejected = middle;
            *outside = tails.high;
        } else {
            kept = middle;
        }
    }
    *low = rank_shift_kth(sample, kept);
    return HL_OK;
}

static enum hl_status find_high(const struct rank_sample *sample, double half_alpha, double *high,
                                double *outside, struct hl_error *err)
{
    size_t kept = 0, rejected = sample->shift_count;

    *outside = stats_least_p(sample->x_count, sample->y_count) / 2;
    while (rejected - kept > 1) {
        size_t middle = kept + (rejected - kept) / 2;
        struct stats_tails tails;

        HL_TRY(tails_above(sample, middle, &tails, err));
        if (stats_is_significant(tails.low, half_alpha)) {
            rejected = middle;
            *outside = tails.low;
        } else {
            kept = middle;
        }
    }
    /* Between shifts `kept` and `rejected` the test accepts up to the larger of them. */
    *high = rank_shift_kth(sample, rejected);
    return HL_OK;
}

static enum hl_status find_interval(const struct rank_sample *sample, double alpha,
                                    struct stats_interval *interval, struct hl_error *err)
{
    double least_p = stats_least_p(sample->x_count, sample->y_count);
    size_t count = sample->shift_count;
    double middle_low, middle_high, below, above;
    struct stats_tails tails;

    HL_TRY(rank_tails(sample, 0, &tails, err));
    *interval = (struct stats_interval){
        .low = (double)NAN,
        .high = (double)NAN,
        .p = fmin(1, 2 * fmin(tails.low, tails.high)),
        .reaches = stats_is_significant(least_p, alpha),
        .is_exact = tails.is_exact,
    };
    middle_low = rank_shift_kth(sample, (count + 1) / 2);
    middle_high = rank_shift_kth(sample, count / 2 + 1);
    interval->estimate = middle_low + (middle_high - middle_low) / 2;
    if (interval->reaches) {
        HL_TRY(find_low(sample, alpha / 2, &interval->low, &below, err));
        HL_TRY(find_high(sample, alpha / 2, &interval->high, &above, err));
        interval->level = 1 - below - above;
    } else if (least_p < 1) {
        interval->low = rank_shift_kth(sample, 1);
        interval->high = rank_shift_kth(sample, count);
        interval->level = 1 - least_p;
    }
    return HL_OK;
}

enum hl_status stats_interval_of(const struct stats_contrast *contrast, double alpha,
                                 struct stats_interval *interval, struct hl_error *err)
{
    struct rank_sample sample = {0};
    enum hl_status status;

    assert(contrast->y_count > 0);
    assert(alpha > 0 && alpha < 1);
    status = rank_sample_open(&sample, contrast, err);
    if (status == HL_OK)
        status = find_interval(&sample, alpha, interval, err);
    rank_sample_close(&sample);
    return status;
}
