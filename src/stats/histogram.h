/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * histogram.h - how often which size: quantiles of any number of values in constant memory.
 *
 * Buckets are log-linear: values below 2^precision_bits have a bucket each; above, each octave (2^k
 * to 2^(k+1)) is cut into 2^precision_bits equal buckets. A quantile is the middle of its bucket,
 * so it is wrong by at most half a bucket, 1 / 2^(precision_bits + 1) of the value, and never
 * outside the range of what was added. Counts are integers; least and greatest value are exact.
 * Values from `top` on are counted apart and not guessed.
 */
#ifndef HL_STATS_HISTOGRAM_H
#define HL_STATS_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

struct stats_hist_options {
    int64_t top;            /* above 0 */
    int32_t precision_bits; /* 1 to 16 */
};

struct stats_hist {
    uint64_t *buckets; /* the caller's */
    int64_t top, min, max;
    uint64_t count, over; /* of all values; of those from top on */
    int32_t precision_bits;
};

/* Entries that `buckets` must have. */
size_t stats_hist_bucket_count(const struct stats_hist_options *options);

/* `buckets`: zeroed, and as many as stats_hist_bucket_count says. */
void stats_hist_init(struct stats_hist *hist, const struct stats_hist_options *options,
                     uint64_t *buckets);

/* The greatest relative error of a quantile. */
double stats_hist_error(const struct stats_hist *hist);

static inline size_t stats_hist_bucket(const struct stats_hist *hist, int64_t value)
{
    int shift = 63 - __builtin_clzll((uint64_t)value | 1) - hist->precision_bits;

    if (shift < 0)
        return (size_t)value;
    /* The first octave that is cut begins where the buckets of single values end. */
    return ((size_t)shift << hist->precision_bits) + (size_t)(value >> shift);
}

/* A value of at least 0. */
static inline void stats_hist_add(struct stats_hist *hist, int64_t value)
{
    hist->count++;
    if (value < hist->min)
        hist->min = value;
    if (value > hist->max)
        hist->max = value;
    if (value < hist->top)
        hist->buckets[stats_hist_bucket(hist, value)]++;
    else
        hist->over++;
}

struct stats_quantile {
    double value; /* NAN: nothing was added */
    uint64_t
        over; /* above 0: the quantile is not known, but at least `value`, the top; so many are */
};

/* The least value that at least `q` of all values do not exceed; 0 < q <= 1. */
struct stats_quantile stats_hist_quantile(const struct stats_hist *hist, double q);

#endif
