/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shape.c - the shape of a sample: how finely it was read, values far out, two clouds.
 *
 * The limits were found by simulating normal samples of 4 to 50 values; stats_test checks what they
 * promise. They fall with n because the spread of a few values is itself hardly known.
 */
#include <math.h>
#include <stdint.h>

#include "base/units.h"
#include "stats/stats.h"

double stats_resolution(const double *x, size_t n)
{
    double scale = 1;

    for (int digits = 0; digits < 9; digits++, scale *= 10) {
        bool fits = true;

        for (size_t i = 0; i < n && fits; i++) {
            double scaled = x[i] * scale;

            /* A decimal number read from text misses its multiple by its last bits only. */
            fits = fabs(scaled - round(scaled)) <= 4 * 2.3e-16 * fmax(1, fabs(scaled));
        }
        if (fits)
            return 1 / scale;
    }
    return 1 / scale;
}

/* ---- outliers ---- */

/* Iglewicz and Hoaglin (1993) use 3.5, which five normal values exceed one time in five. */
static double outlier_limit(size_t n)
{
    return 3.5 + 120 / ((double)n * (double)n);
}

/* The median of |x - center|, by counting as stats_median does: no room for a copy is needed. */
static double median_distance(const double *x, size_t n, double center)
{
    double middle[2] = {(double)NAN, (double)NAN};

    for (size_t i = 0; i < n; i++) {
        size_t less = 0, equal = 0;

        for (size_t j = 0; j < n; j++) {
            less += fabs(x[j] - center) < fabs(x[i] - center);
            equal += fabs(x[j] - center) == fabs(x[i] - center);
        }
        if (less <= (n - 1) / 2 && (n - 1) / 2 < less + equal)
            middle[0] = fabs(x[i] - center);
        if (less <= n / 2 && n / 2 < less + equal)
            middle[1] = fabs(x[i] - center);
    }
    return middle[0] + (middle[1] - middle[0]) / 2;
}

/* How far from *median a value is an outlier; INFINITY for so few that none is. */
static double outlier_distance(const double *x, size_t n, double resolution, double *median)
{
    double spread;

    *median = 0;
    if (n < 4)
        return (double)INFINITY;
    *median = stats_median(x, n);
    spread = 1.4826 * median_distance(x, n, *median);
    return outlier_limit(n) * HL_MAX(spread, resolution);
}

bool stats_is_outlier_beside(double value, const double *others, size_t n, double resolution)
{
    double median, distance = outlier_distance(others, n, resolution, &median);

    return fabs(value - median) > distance;
}

size_t stats_outliers(const double *x, size_t n, double resolution, bool *is_outlier)
{
    double median, distance = outlier_distance(x, n, resolution, &median);
    size_t count = 0;

    for (size_t i = 0; i < n; i++) {
        is_outlier[i] = fabs(x[i] - median) > distance;
        count += is_outlier[i];
    }
    return count;
}

/* ---- two modes ---- */

/* Squares about the mean of the values at most `cut`, or above it; fills mean and count. */
static double side_squares(const double *x, size_t n, double cut, bool above, double *mean,
                           size_t *count)
{
    double sum = 0, squares = 0;

    *count = 0;
    for (size_t i = 0; i < n; i++) {
        if ((x[i] > cut) == above) {
            sum += x[i] - cut;
            (*count)++;
        }
    }
    *mean = cut + sum / (double)*count;
    for (size_t i = 0; i < n; i++)
        if ((x[i] > cut) == above)
            squares += (x[i] - *mean) * (x[i] - *mean);
    return squares;
}

static double next_above(const double *x, size_t n, double cut)
{
    double next = (double)INFINITY;

    for (size_t i = 0; i < n; i++)
        if (x[i] > cut && x[i] < next)
            next = x[i];
    return next;
}

bool stats_two_modes(const double *x, size_t n, double resolution, struct stats_modes *modes)
{
    size_t fifth = (n + 4) / 5, least = HL_MAX(fifth, 3);
    double widest = 0;

    *modes = (struct stats_modes){0};
    for (size_t i = 0; i < n; i++) {
        double next = next_above(x, n, x[i]), squares, spread;
        struct stats_modes split;

        if (isinf(next) || next - x[i] <= widest)
            continue;
        squares = side_squares(x, n, x[i], false, &split.mean[0], &split.count[0]) +
                  side_squares(x, n, x[i], true, &split.mean[1], &split.count[1]);
        if (split.count[0] < least || split.count[1] < least)
            continue;
        widest = next - x[i];
        spread = fmax(sqrt(squares / (double)(n - 2)), resolution);
        if (widest > (1 + 27 / (double)n) * spread)
            *modes = split;
        else
            *modes = (struct stats_modes){0};
    }
    return modes->count[0] > 0;
}
