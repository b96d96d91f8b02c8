/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * histogram.c - the rare paths of histogram.h.
 */
#include "stats/histogram.h"

#include <assert.h>
#include <math.h>

size_t stats_hist_bucket_count(const struct stats_hist_options *options)
{
    const struct stats_hist like = {.precision_bits = options->precision_bits};

    return stats_hist_bucket(&like, options->top - 1) + 1;
}

void stats_hist_init(struct stats_hist *hist, const struct stats_hist_options *options,
                     uint64_t *buckets)
{
    assert(options->top > 0);
    assert(options->precision_bits >= 1 && options->precision_bits <= 16);
    *hist = (struct stats_hist){.buckets = buckets,
                                .top = options->top,
                                .precision_bits = options->precision_bits,
                                .min = INT64_MAX,
                                .max = -1};
}

double stats_hist_error(const struct stats_hist *hist)
{
    return ldexp(1.0, -(hist->precision_bits + 1));
}

/* The middle of a bucket, of the integers that fall into it. */
static double middle_of(const struct stats_hist *hist, size_t bucket)
{
    size_t octave_size = (size_t)1 << hist->precision_bits;
    size_t shift;
    double low, width;

    if (bucket < 2 * octave_size)
        return (double)bucket; /* single values, and the octave whose buckets are one wide */
    shift = bucket / octave_size - 1;
    low = ldexp((double)(bucket - shift * octave_size), (int)shift);
    width = ldexp(1.0, (int)shift);
    return low + (width - 1) / 2;
}

/* Rank of the quantile among the values in order: 1 is the least. */
static uint64_t rank_of(double q, uint64_t count)
{
    uint64_t rank = (uint64_t)ceil(q * (double)count);

    /* q * count may come out a hair above a whole number: 0.95 * 20 is 19. */
    if (rank > 1 && (double)(rank - 1) >= q * (double)count * (1 - 1e-12))
        rank--;
    return rank < 1 ? 1 : rank > count ? count : rank;
}

struct stats_quantile stats_hist_quantile(const struct stats_hist *hist, double q)
{
    uint64_t rank = rank_of(q, hist->count), seen = 0;
    double value;

    assert(q > 0 && q <= 1);
    if (hist->count == 0)
        return (struct stats_quantile){.value = (double)NAN};
    if (rank > hist->count - hist->over)
        return (struct stats_quantile){.value = (double)hist->top, .over = hist->over};
    for (size_t bucket = 0;; bucket++) {
        seen += hist->buckets[bucket];
        if (seen >= rank) {
            value = middle_of(hist, bucket);
            break;
        }
    }
    value = value < (double)hist->min ? (double)hist->min : value;
    value = value > (double)hist->max ? (double)hist->max : value;
    return (struct stats_quantile){.value = value};
}
