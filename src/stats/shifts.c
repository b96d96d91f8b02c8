/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shifts.c - the pairwise shifts of a sample in order, without storing them.
 *
 * In sorted samples the shifts at most v form a staircase, so one walk along it counts them, and
 * bisection over v finds the k-th. Rounding is monotone, hence equal expressions compare exactly.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "stats/rank.h"

/* Relative to the largest value: logs of equal ratios differ in their last bits only. */
static const double tie_share = 1e-12;

int rank_compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double *sorted_copy(const double *values, size_t n)
{
    double *copy = hl_alloc(n, sizeof(*copy));

    if (copy == NULL)
        return NULL;
    memcpy(copy, values, n * sizeof(*copy));
    qsort(copy, n, sizeof(*copy), rank_compare_doubles);
    return copy;
}

static double largest(const double *sorted, size_t n)
{
    double low = fabs(sorted[0]), high = fabs(sorted[n - 1]);

    return HL_MAX(low, high);
}

enum hl_status rank_sample_open(struct rank_sample *sample, const struct stats_contrast *contrast,
                                struct hl_error *err)
{
    size_t m = contrast->x_count, n = contrast->y_count;
    double most = 1;

    *sample = (struct rank_sample){.x_count = m, .y_count = n};
    sample->y = sorted_copy(contrast->y, n);
    if (m > 0)
        sample->x = sorted_copy(contrast->x, m);
    if (sample->y == NULL || (m > 0 && sample->x == NULL)) {
        rank_sample_close(sample);
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the ranks of %zu values", m + n);
    }
    sample->shift_count = m > 0 ? m * n : n * (n + 1) / 2;
    most = fmax(most, largest(sample->y, n));
    if (m > 0)
        most = fmax(most, largest(sample->x, m));
    sample->tie = tie_share * most;
    return HL_OK;
}

void rank_sample_close(struct rank_sample *sample)
{
    hl_free(sample->x);
    hl_free(sample->y);
    *sample = (struct rank_sample){0};
}

/* Counts the shifts at most `value`; *next is the smallest above it, or INFINITY. */
static size_t walk(const struct rank_sample *sample, double value, double *next)
{
    const double *x = sample->x, *y = sample->y;
    size_t m = sample->x_count, n = sample->y_count, count = 0;

    *next = (double)INFINITY;
    if (x != NULL) {
        for (size_t i = 0, end = 0; i < m; i++) {
            while (end < n && y[end] - x[i] <= value)
                end++;
            count += end;
            if (end < n && y[end] - x[i] < *next)
                *next = y[end] - x[i];
        }
        return count;
    }
    for (size_t i = 0, end = n; i < n; i++) {
        size_t first;

        while (end > i && (y[i] + y[end - 1]) / 2 > value)
            end--;
        first = HL_MAX(end, i);
        count += first - i;
        if (first < n && (y[i] + y[first]) / 2 < *next)
            *next = (y[i] + y[first]) / 2;
    }
    return count;
}

double rank_shift_kth(const struct rank_sample *sample, size_t k)
{
    const double *x = sample->x, *y = sample->y;
    double low = x != NULL ? y[0] - x[sample->x_count - 1] : y[0];
    double high = x != NULL ? y[sample->y_count - 1] - x[0] : y[sample->y_count - 1];
    double next;

    /* At most `low` lie fewer than k shifts, at most `high` k or more. */
    low -= 2 * sample->tie;
    while (high - low > sample->tie / 4) {
        double middle = low + (high - low) / 2;

        if (walk(sample, middle, &next) >= k)
            high = middle;
        else
            low = middle;
    }
    (void)walk(sample, low, &next);
    return next;
}

double rank_shift_next(const struct rank_sample *sample, double value)
{
    double next;

    (void)walk(sample, value + 2 * sample->tie, &next);
    return isinf(next) ? value + 1 : next;
}
