/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * power.c - how many runs an answer takes.
 *
 * A rank test with n runs has a smallest p it can give at all, 2 / 2^n or 2 / C(2n, n), so below
 * some n no difference, however large, is significant: 6 pairs or 4 v 4 at 5 %, 7 or 5 v 5 for
 * three loads under Holm. Beyond that, Student's t with n reduced by the efficiency 3/pi of rank
 * tests under normal noise (Lehmann 1975) is close to simulated power.
 */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include <assert.h>
#include <math.h>

#include "base/units.h"
#include "stats/stats.h"

enum { N_MAX = 100000, EXACT_PAIRS_MAX = 200, EXACT_ARM_MAX = 50 };

static const double efficiency = 3 / M_PI;

size_t stats_least_n(bool is_paired, double alpha)
{
    size_t n = 1;

    assert(alpha > 0);
    while (!stats_is_significant(stats_least_p(is_paired ? 0 : n, n), alpha))
        n++;
    return n;
}

/* The largest level at most alpha that the statistic's steps allow; 0: none. */
static double attainable_level(bool is_paired, size_t n, double alpha)
{
    double count = (double)n, q, level;

    if (n > (size_t)(is_paired ? EXACT_PAIRS_MAX : EXACT_ARM_MAX))
        return alpha;
    q = is_paired ? qsignrank(alpha / 2, count, 1, 0) : qwilcox(alpha / 2, count, count, 1, 0);
    /* The quantile is the first value whose tail is not below alpha / 2. */
    for (; q >= 0; q--) {
        level = 2 * (is_paired ? psignrank(q, count, 1, 0) : pwilcox(q, count, count, 1, 0));
        if (stats_is_significant(level, alpha))
            return level;
    }
    return 0;
}

/* Runs that the precision of the estimate rests on: its standard error is noise / sqrt(this). */
static double precision_n(size_t x_count, size_t y_count)
{
    double m = (double)x_count, n = (double)y_count;

    return efficiency * (x_count == 0 ? n : m * n / (m + n));
}

static double degrees(size_t x_count, size_t y_count)
{
    double free = (double)(x_count + y_count) - (x_count == 0 ? 1 : 2);

    return fmax(free, 1);
}

/* Power at a level that n can attain, or 0. */
static double power_at(const struct stats_design *design, double level, double effect)
{
    size_t x_count = design->is_paired ? 0 : design->n;
    double df = degrees(x_count, design->n), limit, distance;

    if (!(level > 0))
        return 0;
    distance = fabs(log1p(effect)) * sqrt(precision_n(x_count, design->n)) / design->noise;
    /* Beyond this Rmath gives up, and power is 1 to all digits. */
    if (design->noise <= 0 || distance > 37)
        return 1;
    limit = qt(level / 2, df, 0, 0);
    return fmin(1, pnt(limit, df, distance, 0, 0) + pnt(-limit, df, distance, 1, 0));
}

static double level_of(const struct stats_design *design)
{
    return attainable_level(design->is_paired, design->n, design->alpha);
}

double stats_power(const struct stats_design *design, double effect)
{
    return power_at(design, level_of(design), effect);
}

double stats_detectable_effect(const struct stats_design *design, double power)
{
    size_t x_count = design->is_paired ? 0 : design->n;
    double low = 0, high = expm1(40 * design->noise / sqrt(precision_n(x_count, design->n)));
    double level = level_of(design);

    if (power_at(design, level, high) < power)
        return (double)INFINITY;
    for (int step = 0; step < 50; step++) {
        double middle = (low + high) / 2;

        if (power_at(design, level, middle) < power)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* ---- the least n ---- */

/* Whether n, at this level, is enough. With a level that does not fall with n it stays enough. */
typedef bool enough_at(const struct stats_design *design, double level, const double *numbers);

/*
 * The least n from `first` on. At alpha itself, which no n exceeds, a bound from below is found by
 * bisection; from there on the attainable levels, which jump up and down, are tried one by one.
 */
static size_t least_enough(const struct stats_design *design, size_t first, enough_at *is_enough,
                           const double *numbers)
{
    struct stats_design tried = *design;
    size_t low = first - 1, high = first;

    for (tried.n = high; !is_enough(&tried, tried.alpha, numbers); tried.n = high) {
        if (high == N_MAX)
            return 0;
        low = high;
        high = HL_MIN(2 * high, (size_t)N_MAX);
    }
    while (high - low > 1) {
        tried.n = low + (high - low) / 2;
        if (is_enough(&tried, tried.alpha, numbers))
            high = tried.n;
        else
            low = tried.n;
    }
    for (tried.n = high; !is_enough(&tried, level_of(&tried), numbers);)
        tried.n++;
    return tried.n;
}

static bool has_power(const struct stats_design *design, double level, const double *numbers)
{
    return power_at(design, level, numbers[0]) >= numbers[1];
}

size_t stats_n_needed(const struct stats_design *design, double effect, double power)
{
    const double numbers[] = {effect, power};

    return least_enough(design, stats_least_n(design->is_paired, design->alpha), has_power,
                        numbers);
}

double stats_noise_of(const struct stats_interval *interval, size_t x_count, size_t y_count)
{
    double half_width = (interval->high - interval->low) / 2;
    double limit = qt((1 - interval->level) / 2, degrees(x_count, y_count), 0, 0);

    return half_width * sqrt(precision_n(x_count, y_count)) / limit;
}

static double half_width_at(const struct stats_design *design, double level)
{
    size_t x_count = design->is_paired ? 0 : design->n;

    if (!(level > 0))
        return (double)INFINITY;
    return design->noise / sqrt(precision_n(x_count, design->n)) *
           qt(level / 2, degrees(x_count, design->n), 0, 0);
}

double stats_half_width(const struct stats_design *design)
{
    return half_width_at(design, level_of(design));
}

static bool decides(const struct stats_design *design, double level, const double *numbers)
{
    double estimate = numbers[0], effect = numbers[1], half_width = half_width_at(design, level);

    return fabs(estimate) > half_width ||
           (estimate + half_width <= log1p(effect) && estimate - half_width >= log1p(-effect));
}

size_t stats_n_to_decide(const struct stats_design *design, double estimate, double effect)
{
    const double numbers[] = {estimate, effect};
    size_t least = stats_least_n(design->is_paired, design->alpha);

    return least_enough(design, HL_MAX(least, design->n + 1), decides, numbers);
}
