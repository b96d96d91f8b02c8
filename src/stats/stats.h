/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats.h - pure functions on arrays. Knows nothing about scheduling.
 *
 * NAN entries are an error of the caller: leave missing values out first.
 */
#ifndef HL_STATS_STATS_H
#define HL_STATS_STATS_H

#include <stddef.h>

double stats_mean(const double *x, size_t n); /* NAN for n = 0 */
double stats_sd(const double *x,
                size_t n); /* of a sample (n - 1); 0 for equal values; NAN for n < 2 */
double stats_min(const double *x, size_t n); /* NAN for n = 0 */
double stats_max(const double *x, size_t n);
double stats_median(const double *x, size_t n);         /* does not reorder x */
double stats_geometric_mean(const double *x, size_t n); /* NAN unless all are positive */

#endif
