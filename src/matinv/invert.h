/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * invert.h - one random matrix inverted by LAPACK, timed, its result checked.
 */
#ifndef HL_MATINV_INVERT_H
#define HL_MATINV_INVERT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/* LAPACK's own tests take results with a residual below this for right (its TESTING/dtest.in). */
#define MATINV_RESIDUAL_BOUND 30.0

struct matinv_result {
    double seconds;     /* of dgetrf and dgetri */
    double cpu_seconds; /* user and system, of all threads in that time */
    double residual;    /* |I - A X| / (order |A| |X| eps), 1-norms; NAN: not looked at */
};

/* 2 order^3: what the inversion of a matrix is counted as, in operations. */
double matinv_operations(int order);

/* BLAS works with `threads` threads from now on. HL_UNSUPPORTED if it has no so many. */
enum hl_status matinv_set_threads(int threads, struct hl_error *err) HL_MUST_CHECK;

/*
 * Inverts the matrix of that order and seed: elements uniform in [-0.5, 0.5), the same on every
 * machine. The product of the residual is as much work again as the inversion. HL_RUN_FAILED: the
 * matrix is singular, which a random one is not.
 */
enum hl_status matinv_invert(int order, uint64_t seed, bool with_residual,
                             struct matinv_result *result, struct hl_error *err) HL_MUST_CHECK;

/* The residual of `x` as the inverse of `a`, both order x order by columns; `product` is room for
 * another one. */
double matinv_residual(int order, const double *a, const double *x, double *product);

/* Is a result with that residual right? One that is no number is not. */
bool matinv_is_right(double residual, double bound);

#endif
