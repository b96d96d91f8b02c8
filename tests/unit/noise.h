/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * noise.h - noise for simulated studies: the same numbers on every machine up to the last bits of
 * libm.
 */
#ifndef HL_TESTS_UNIT_NOISE_H
#define HL_TESTS_UNIT_NOISE_H

#include <math.h>

#include "base/rng.h"

static inline double noise_uniform(struct hl_rng *rng)
{
    return ((double)(hl_rng_next(rng) >> 11) + 0.5) / 9007199254740992.0;
}

/* Box and Muller's; one of the two numbers is thrown away. */
static inline double noise_normal(struct hl_rng *rng)
{
    double radius = sqrt(-2 * log(noise_uniform(rng)));

    return radius * cos(2 * 3.14159265358979323846 * noise_uniform(rng));
}

/* The log of a run's time: coefficient of variation `cv`; one in twenty takes up to 20 % more. */
static inline double noise_log_time(struct hl_rng *rng, double cv)
{
    double log_time = cv * noise_normal(rng);

    if (hl_rng_below(rng, 20) == 0)
        log_time += 0.2 * noise_uniform(rng);
    return log_time;
}

#endif
