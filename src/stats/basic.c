/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * basic.c - mean, standard deviation, extremes, median, geometric mean of a few numbers.
 *
 * Sums are taken relative to the first value, so that equal values give exactly that value as their
 * mean and exactly 0 as their deviation, whatever their binary rounding.
 */
#include "stats/stats.h"

#include <math.h>
#include <stdbool.h>

double stats_mean(const double *x, size_t n)
{
    double sum = 0;

    if (n == 0)
        return (double)NAN;
    for (size_t i = 1; i < n; i++)
        sum += x[i] - x[0];
    return x[0] + sum / (double)n;
}

double stats_sd(const double *x, size_t n)
{
    double mean = stats_mean(x, n), squares = 0;

    if (n < 2)
        return (double)NAN;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    return sqrt(squares / (double)(n - 1));
}

double stats_min(const double *x, size_t n)
{
    double least = n == 0 ? (double)NAN : x[0];

    for (size_t i = 1; i < n; i++)
        least = x[i] < least ? x[i] : least;
    return least;
}

double stats_max(const double *x, size_t n)
{
    double most = n == 0 ? (double)NAN : x[0];

    for (size_t i = 1; i < n; i++)
        most = x[i] > most ? x[i] : most;
    return most;
}

struct bounds { /* both left out; NULL: none */
    const double *low, *high;
};

static bool is_between(const struct bounds *bounds, double value)
{
    return (bounds->low == NULL || value > *bounds->low) &&
           (bounds->high == NULL || value < *bounds->high);
}

/* Of the values between the bounds, the one with half of them before it in the array. */
static const double *middle_between(const double *x, size_t n, const struct bounds *bounds)
{
    size_t between = 0, seen = 0;

    for (size_t i = 0; i < n; i++)
        between += is_between(bounds, x[i]);
    for (size_t i = 0; i < n; i++)
        if (is_between(bounds, x[i]) && seen++ == between / 2)
            return &x[i];
    return NULL;
}

/* The k-th smallest, between bounds that close in: a copy to sort could fail. */
static double select_kth(const double *x, size_t n, size_t k)
{
    struct bounds bounds = {0};
    const double *middle;

    while ((middle = middle_between(x, n, &bounds)) != NULL) {
        size_t less = 0, equal = 0;

        for (size_t i = 0; i < n; i++) {
            less += x[i] < *middle;
            equal += x[i] == *middle;
        }
        if (less <= k && k < less + equal)
            return *middle;
        if (k < less)
            bounds.high = middle;
        else
            bounds.low = middle;
    }
    return (double)NAN;
}

double stats_median(const double *x, size_t n)
{
    double low, high;

    if (n == 0)
        return (double)NAN;
    low = select_kth(x, n, (n - 1) / 2);
    high = select_kth(x, n, n / 2);
    return low + (high - low) / 2;
}

double stats_geometric_mean(const double *x, size_t n)
{
    double sum = 0;

    if (n == 0 || !(stats_min(x, n) > 0))
        return (double)NAN;
    /* Logs of ratios to the first value: equal values give exactly that value. */
    for (size_t i = 1; i < n; i++)
        sum += log(x[i] / x[0]);
    return x[0] * exp(sum / (double)n);
}
