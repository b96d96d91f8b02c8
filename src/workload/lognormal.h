/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lognormal.h - log-normal sizes in integers, the same on every machine and compiler.
 */
#ifndef HL_WORKLOAD_LOGNORMAL_H
#define HL_WORKLOAD_LOGNORMAL_H

#include <stdint.h>

/* exp(x / 10^6) in units of 2^-32, for |x| <= 20 * 10^6; relative error below 10^-6. */
int64_t workload_exp_q32(int64_t x_ppm);

/*
 * Standard normal quantile at (2 * index + 1) / (2 * count), in millionths, held at the quantiles
 * of 0.5 % and 99.5 %. Error below 0.006 at the ends, below 0.0001 in the middle half.
 */
int64_t workload_normal_quantile_ppm(int64_t index, int64_t count);

/* The size of the index-th of `count` in ascending order, in units of 2^-32; the median is 1. */
int64_t workload_lognormal_q32(int64_t index, int64_t count, int64_t sigma_ppm);

#endif
