/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shares.h - parts of a whole in integers, with nothing lost to rounding or overflow.
 */
#ifndef HL_WORKLOAD_SHARES_H
#define HL_WORKLOAD_SHARES_H

#include <stdint.h>

#include "base/units.h"

/* a * b / c, rounded down, without overflow on the way; none is negative, and the result fits. */
static inline int64_t workload_scaled(int64_t a, int64_t b, int64_t c)
{
    __extension__ typedef unsigned __int128 wide;

    return (int64_t)((wide)a * (wide)b / (wide)c);
}

static inline int64_t workload_share(int64_t whole, int64_t ppm)
{
    return workload_scaled(whole, ppm, HL_PPM);
}

/* Turns sizes into numbers of things: one for each place, and of the `spare` ones its share by size.
 * Running sums, so that all are dealt. */
void workload_deal(int64_t *sizes, int64_t count, int64_t spare);

#endif
