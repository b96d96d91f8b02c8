/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * health.c - what a session did over time: drift, memory of the run before, order of the arms.
 *
 * Values of several cells are never mixed: each series is tested against itself, and the statistics
 * are added up.
 */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/rank.h"

enum {
    DRIFT_EXACT_PAIRS_MAX = 4000,
    DRIFT_EXACT_SERIES_MAX = 60, /* length of a series, for Rmath's tables */
    LAG_SERIES_MIN = 6,
};

/* ---- drift: Mann (1945), Kendall; slope: Theil, Sen (1968) ---- */

/* Sizes of the groups of equal values; returns how many groups. */
static size_t tie_sizes(const double *x, size_t n, double *sorted, size_t *sizes)
{
    size_t groups = 0;

    memcpy(sorted, x, n * sizeof(*x));
    qsort(sorted, n, sizeof(*sorted), rank_compare_doubles);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || sorted[i] != sorted[i - 1])
            sizes[groups++] = 0;
        sizes[groups - 1]++;
    }
    return groups;
}

/* chance[0..size) of a sum gets one more summand, which is 0..width with the chances given. */
static void convolve(double *chance, size_t *size, const double *summand, size_t width)
{
    for (size_t s = *size + width; s-- > 0;) {
        double sum = 0;

        for (size_t k = 0; k <= width && k <= s; k++)
            if (s - k < *size)
                sum += chance[s - k] * summand[k];
        chance[s] = sum;
    }
    *size += width;
}

/*
 * Inversions of a random order of values in which `sizes` are equal: the groups are put in one
 * after the other, and each adds a rank-sum statistic of its values against those before.
 */
static void add_inversions(const size_t *sizes, size_t groups, double *chance, size_t *size,
                           double *summand)
{
    size_t before = sizes[0];

    for (size_t g = 1; g < groups; g++) {
        size_t width = before * sizes[g];

        for (size_t k = 0; k <= width; k++)
            summand[k] = dwilcox((double)k, (double)before, (double)sizes[g], 0);
        convolve(chance, size, summand, width);
        before += sizes[g];
    }
}

struct drift_work {
    size_t pairs; /* pairs of values within series, equal ones too */
    size_t most;  /* values of the longest series */
    double *slopes, *sorted, *chance, *summand;
    size_t *sizes;
};

static void drift_work_close(struct drift_work *work)
{
    hl_free(work->slopes);
    hl_free(work->sorted);
    hl_free(work->chance);
    hl_free(work->summand);
    hl_free(work->sizes);
}

static enum hl_status drift_work_open(struct drift_work *work, const struct stats_series *series,
                                      size_t series_count, struct hl_error *err)
{
    *work = (struct drift_work){0};
    for (size_t i = 0; i < series_count; i++) {
        size_t n = series[i].count;

        work->pairs += n > 0 ? n * (n - 1) / 2 : 0;
        work->most = n > work->most ? n : work->most;
    }
    work->slopes = hl_alloc(work->pairs, sizeof(*work->slopes));
    work->sorted = hl_alloc(work->most, sizeof(*work->sorted));
    work->sizes = hl_alloc(work->most, sizeof(*work->sizes));
    work->chance = hl_alloc(work->pairs + 1, sizeof(*work->chance));
    work->summand = hl_alloc(work->pairs + 1, sizeof(*work->summand));
    if (work->slopes == NULL || work->sorted == NULL || work->sizes == NULL ||
        work->chance == NULL || work->summand == NULL) {
        drift_work_close(work);
        return hl_fail(err, HL_NO_MEMORY, "out of memory for a drift of %zu pairs", work->pairs);
    }
    return HL_OK;
}

/* Two-sided p of so many falls among rises and falls, by the exact distribution given the ties. */
static double exact_drift_p(struct drift_work *work, const struct stats_series *series,
                            size_t series_count, size_t falls)
{
    size_t size = 1;
    double below = 0, above = 0;

    work->chance[0] = 1;
    for (size_t i = 0; i < series_count; i++)
        if (series[i].count > 1)
            add_inversions(work->sizes,
                           tie_sizes(series[i].x, series[i].count, work->sorted, work->sizes),
                           work->chance, &size, work->summand);
    for (size_t s = 0; s < size; s++) {
        below += s <= falls ? work->chance[s] : 0;
        above += s >= falls ? work->chance[s] : 0;
    }
    return fmin(1, 2 * fmin(below, above));
}

static double variance_of_kendall(double n)
{
    return n * (n - 1) * (2 * n + 5) / 18;
}

static double normal_drift_p(struct drift_work *work, const struct stats_series *series,
                             size_t series_count, double rises_minus_falls)
{
    double variance = 0, found = fmax(0, fabs(rises_minus_falls) - 1);

    for (size_t i = 0; i < series_count; i++) {
        size_t groups = tie_sizes(series[i].x, series[i].count, work->sorted, work->sizes);

        variance += variance_of_kendall((double)series[i].count);
        for (size_t g = 0; g < groups; g++)
            variance -= variance_of_kendall((double)work->sizes[g]);
    }
    return variance > 0 ? fmin(1, 2 * pnorm(found / sqrt(variance), 0, 1, 0, 0)) : 1;
}

enum hl_status stats_drift_of(const struct stats_series *series, size_t series_count,
                              struct stats_drift *drift, struct hl_error *err)
{
    struct drift_work work;
    size_t rises = 0, falls = 0, slope_count = 0;

    HL_TRY(drift_work_open(&work, series, series_count, err));
    for (size_t i = 0; i < series_count; i++)
        for (size_t k = 0; k < series[i].count; k++)
            for (size_t j = 0; j < k; j++) {
                double step = series[i].x[k] - series[i].x[j];

                rises += step > 0;
                falls += step < 0;
                work.slopes[slope_count++] = step / (series[i].at[k] - series[i].at[j]);
            }
    if (work.pairs <= DRIFT_EXACT_PAIRS_MAX && work.most <= DRIFT_EXACT_SERIES_MAX)
        drift->p = exact_drift_p(&work, series, series_count, falls);
    else
        drift->p = normal_drift_p(&work, series, series_count, (double)rises - (double)falls);
    qsort(work.slopes, slope_count, sizeof(*work.slopes), rank_compare_doubles);
    drift->slope = slope_count == 0
                       ? (double)NAN
                       : work.slopes[(slope_count - 1) / 2] / 2 + work.slopes[slope_count / 2] / 2;
    drift_work_close(&work);
    return HL_OK;
}

/* ---- neighbours ---- */

/*
 * Sum of the squared steps between neighbouring ranks over their sum of squares: 2 if neighbours do
 * not know each other, 2 (1 - correlation) if they do.
 */
static double rank_ratio(const double *x, size_t n, double *ranks)
{
    double steps = 0, squares = 0, mean = ((double)n + 1) / 2;

    for (size_t i = 0; i < n; i++) {
        double less = 0, equal = 0;

        for (size_t j = 0; j < n; j++) {
            less += x[j] < x[i];
            equal += x[j] == x[i];
        }
        ranks[i] = less + (equal + 1) / 2;
        squares += (ranks[i] - mean) * (ranks[i] - mean);
        if (i > 0)
            steps += (ranks[i] - ranks[i - 1]) * (ranks[i] - ranks[i - 1]);
    }
    return squares > 0 ? steps / squares : (double)NAN;
}

enum hl_status stats_lag_of(const struct stats_series *series, size_t series_count,
                            struct stats_lag *lag, struct hl_error *err)
{
    double z_sum = 0, ratio_sum = 0, used = 0;

    *lag = (struct stats_lag){.correlation = (double)NAN, .p = 1};
    for (size_t i = 0; i < series_count; i++) {
        double n = (double)series[i].count, ratio, variance, *ranks;

        if (series[i].count < LAG_SERIES_MIN)
            continue;
        ranks = hl_alloc(series[i].count, sizeof(*ranks));
        if (ranks == NULL)
            return hl_fail(err, HL_NO_MEMORY, "out of memory for %zu ranks", series[i].count);
        ratio = rank_ratio(series[i].x, series[i].count, ranks);
        hl_free(ranks);
        if (isnan(ratio))
            continue;
        variance = 4 * (n - 2) * (5 * n * n - 2 * n - 9) / (5 * n * (n + 1) * (n - 1) * (n - 1));
        z_sum += (ratio - 2) / sqrt(variance);
        ratio_sum += ratio;
        used++;
    }
    if (used > 0) {
        lag->correlation = 1 - ratio_sum / used / 2;
        lag->p = fmin(1, 2 * pnorm(fabs(z_sum) / sqrt(used), 0, 1, 0, 0));
    }
    return HL_OK;
}

/* ---- order ---- */

enum stats_order stats_order_of(const bool *is_y, size_t count)
{
    size_t changes = 0;
    bool has_both;

    for (size_t i = 1; i < count; i++)
        changes += is_y[i] != is_y[i - 1];
    has_both = changes > 0;
    if (has_both && changes == 1)
        return is_y[0] ? STATS_ORDER_Y_BEFORE_X : STATS_ORDER_X_BEFORE_Y;
    if (has_both && changes == count - 1 && count % 2 == 0)
        return is_y[0] ? STATS_ORDER_Y_FIRST : STATS_ORDER_X_FIRST;
    return STATS_ORDER_MIXED;
}
