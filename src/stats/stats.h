/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats.h - pure functions on arrays. Knows nothing about scheduling.
 *
 * NAN entries are an error of the caller: leave missing values out first. Input is not reordered.
 * The exact distributions are Rmath's, which keeps tables between calls: one thread at a time.
 */
#ifndef HL_STATS_STATS_H
#define HL_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* ---- a few numbers: basic.c ---- */

double stats_mean(const double *x, size_t n); /* NAN for n = 0 */
double stats_sd(const double *x,
                size_t n); /* of a sample (n - 1); 0 for equal values; NAN for n < 2 */
double stats_min(const double *x, size_t n); /* NAN for n = 0 */
double stats_max(const double *x, size_t n);
double stats_median(const double *x, size_t n);         /* does not reorder x */
double stats_geometric_mean(const double *x, size_t n); /* NAN unless all are positive */

/* ---- how far y lies above x: rank.c, interval.c ---- */

/*
 * Independent samples x and y (rank-sum), or x NULL and x_count 0: y holds differences of pairs
 * (signed-rank). At least one value each. Differences below 1e-12 of the largest value (or of 1)
 * are ties: they come from the last bits of logarithms.
 */
struct stats_contrast {
    const double *x, *y;
    size_t x_count, y_count;
};

/*
 * If y lay exactly `shift` above x: chance of a rank statistic at most, and at least, the one
 * found. Given the ties: all exchanges of labels (or signs) are equally likely, ranks are
 * mid-ranks. Differences of 0 keep their ranks and count half for either sign (Pratt).
 */
struct stats_tails {
    double low, high;
    bool is_exact; /* false: normal approximation, for large samples */
};
enum hl_status stats_tails_at(const struct stats_contrast *contrast, double shift,
                              struct stats_tails *tails, struct hl_error *err) HL_MUST_CHECK;

/* The smallest two-sided p that so many values can give; x_count 0: pairs. */
double stats_least_p(size_t x_count, size_t y_count);

/*
 * `estimate` is Hodges and Lehmann's: the median of the pairwise shifts. The interval holds the
 * shifts whose two-sided p is above alpha, so it leaves out 0 exactly if p <= alpha.
 */
struct stats_interval {
    double estimate;
    double low, high; /* NAN: so few values exclude nothing at any level */
    double level;     /* attained: the exact chance to cover, given the ties */
    double p;         /* two-sided, of a shift of 0 */
    bool reaches;     /* false: alpha is out of reach, and this is the widest exact interval */
    bool is_exact;
};
enum hl_status stats_interval_of(const struct stats_contrast *contrast, double alpha,
                                 struct stats_interval *interval,
                                 struct hl_error *err) HL_MUST_CHECK;

/*
 * One shift common to several independent contrasts: the mean over them of the differences of
 * means, tested by permuting the labels within each, 1,999 times from a fixed stream. Approximate.
 */
enum hl_status stats_common_shift(const struct stats_contrast *contrasts, size_t count,
                                  double alpha, struct stats_interval *interval,
                                  struct hl_error *err) HL_MUST_CHECK;

/* ---- many tests at once: correction.c ---- */

/* Adjusted p: reject where adjusted[i] <= alpha. */
enum hl_status stats_holm(const double *p, size_t count, double *adjusted,
                          struct hl_error *err) HL_MUST_CHECK;
enum hl_status stats_benjamini_hochberg(const double *p, size_t count, double *adjusted,
                                        struct hl_error *err) HL_MUST_CHECK;

/*
 * The level at which Holm's procedure tests each p: alpha / count for the smallest, then
 * alpha / (count - 1), and so on; from the first that is not rejected on, all have its level. So
 * p[i] <= levels[i] holds exactly where Holm rejects.
 */
enum hl_status stats_holm_levels(const double *p, size_t count, double alpha, double *levels,
                                 struct hl_error *err) HL_MUST_CHECK;

/* True if p reaches the level, up to the last bits of either. */
bool stats_is_significant(double p, double alpha);

/* ---- a session over time: health.c ---- */

/* Values in the order they were made; at[i] is the place in the session, ascending. */
struct stats_series {
    const double *x, *at;
    size_t count;
};

/* Mann and Kendall's test within each series, summed; exact up to some thousand pairs. */
struct stats_drift {
    double p;     /* two-sided; 1 if there is nothing to compare */
    double slope; /* Theil and Sen's: median change per place; NAN if there are no pairs */
};
enum hl_status stats_drift_of(const struct stats_series *series, size_t series_count,
                              struct stats_drift *drift, struct hl_error *err) HL_MUST_CHECK;

/* Correlation of neighbours, on ranks (Bartels 1982), pooled over series of at least 6 values. */
struct stats_lag {
    double correlation, p; /* NAN, 1: no series is long enough, or all their values are equal */
};
enum hl_status stats_lag_of(const struct stats_series *series, size_t series_count,
                            struct stats_lag *lag, struct hl_error *err) HL_MUST_CHECK;

/* How the labels of two arms follow each other in time. */
enum stats_order {
    STATS_ORDER_MIXED,
    STATS_ORDER_X_BEFORE_Y, /* all of one arm, then all of the other */
    STATS_ORDER_Y_BEFORE_X,
    STATS_ORDER_X_FIRST, /* strictly in turn, and always the same one first */
    STATS_ORDER_Y_FIRST,
};
enum stats_order stats_order_of(const bool *is_y, size_t count);

/* ---- the shape of a sample: shape.c ---- */

/* The largest 10^-k, k from 0 to 9, that all values are multiples of: how finely they were read. */
double stats_resolution(const double *x, size_t n);

/*
 * Marks values far from the median in units of 1.4826 MAD, which is at least `resolution`; returns
 * how many. The limit falls with n such that about one normal sample in twenty has a mark. Fewer
 * than 4 values: none.
 */
size_t stats_outliers(const double *x, size_t n, double resolution, bool *is_outlier);

/* The value is an outlier beside the n others, by the same rule. */
bool stats_is_outlier_beside(double value, const double *others, size_t n, double resolution);

/*
 * Two clouds with nothing between: the widest gap that leaves at least 3 values, and a fifth of
 * them, on both sides is many times the spread within. Rarer than one normal sample in hundred.
 */
struct stats_modes {
    double mean[2]; /* lower first */
    size_t count[2];
};
bool stats_two_modes(const double *x, size_t n, double resolution, struct stats_modes *modes);

/* ---- how many runs: power.c ---- */

/*
 * An experiment to come. Effects are relative changes (0.01: 1 %) in either direction. Figures of
 * power are approximate: Student's t at the exactly attainable level, with the asymptotic
 * efficiency 3/pi of rank tests.
 */
struct stats_design {
    bool is_paired;
    size_t n;     /* blocks, or runs per arm */
    double alpha; /* corrected */
    double noise; /* standard deviation of log ratios of pairs, or of logs within an arm */
};

/* The least n whose smallest p reaches alpha: 6 pairs or 4 v 4 at 5 %. */
size_t stats_least_n(bool is_paired, double alpha);
double stats_power(const struct stats_design *design, double effect);
/* The effect found with this power; INFINITY if n is too small for any. */
double stats_detectable_effect(const struct stats_design *design, double power);
/* The least n with this power; design->n is not used. 0: more than 100,000. */
size_t stats_n_needed(const struct stats_design *design, double effect, double power);

/* Half the width, in logs, that an interval at this design is expected to have: equal arms are found
 * to differ by no more. INFINITY if n is too small for any. */
double stats_half_width(const struct stats_design *design);

/* The noise that an interval of logs came from; NAN without ends. x_count 0: pairs. */
double stats_noise_of(const struct stats_interval *interval, size_t x_count, size_t y_count);
/* The least n above design->n at which an interval around `estimate`, a log, is expected to leave
 * out 0 or to lie within the logs of 1 - effect and 1 + effect. 0: more than 100,000. */
size_t stats_n_to_decide(const struct stats_design *design, double estimate, double effect);

#endif
