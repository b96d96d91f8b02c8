/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shifts.c - the pairwise shifts of a sample in order, without storing them.
 *
 * In sorted samples the shifts at most v form a staircase, so one walk along it counts them, and a
 * search over v finds the k-th. Rounding is monotone, hence equal expressions compare exactly.
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

/*
 * The bounds close in on the k-th shift in turns: where it would be if the shifts between them were
 * evenly spread, in the middle, and at the next shift above the lower bound. The first is quick where
 * there are many shifts, the last where they are few, as in times of two digits; the second bounds
 * the work.
 */
double rank_shift_kth(const struct rank_sample *sample, size_t k)
{
    const double *x = sample->x, *y = sample->y;
    double low = x != NULL ? y[0] - x[sample->x_count - 1] : y[0];
    double high = x != NULL ? y[sample->y_count - 1] - x[0] : y[sample->y_count - 1];
    size_t low_count = 0, high_count = sample->shift_count;
    double above_low = low, next; /* above_low: the smallest shift above `low` */

    /* At most `low` lie fewer than k shifts, at most `high` k or more. */
    low -= 2 * sample->tie;
    for (int turn = 0; high - low > sample->tie / 4; turn = (turn + 1) % 3) {
        double share = ((double)k - 0.5 - (double)low_count) / (double)(high_count - low_count);
        double middle = low + (high - low) * (turn == 0 ? share : 0.5);
        size_t count;

        if (turn == 2)
            middle = above_low;
        count = walk(sample, middle, &next);
        if (count >= k && middle == above_low)
            return middle;
        if (count >= k) {
            high = middle;
            high_count = count;
        } else {
            low = middle;
            low_count = count;
            above_low = next;
        }
        if (low_count == k - 1)
            break;
    }
    return above_low;
}

double rank_shift_next(const struct rank_sample *sample, double value)
{
    double next;

    (void)walk(sample, value + 2 * sample->tie, &next);
    return isinf(next) ? value + 1 : next;
}
