/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rank.h - a contrast made ready: sorted copies, and its pairwise shifts in order.
 *
 * The pairwise shifts are y[j] - x[i], or for pairs the means (y[i] + y[j]) / 2, i <= j (Walsh's
 * averages). The rank statistic is the number of them above the tested shift, those equal to it
 * counted half, so it changes at these shifts and nowhere else. There may be 10^8 of them: they are
 * counted, not stored.
 */
#ifndef HL_STATS_RANK_H
#define HL_STATS_RANK_H

#include "stats/stats.h"

struct rank_sample {
    double *x, *y; /* sorted; x NULL: pairs */
    size_t x_count, y_count;
    size_t shift_count;
    double tie; /* values closer than this are equal */
};

enum hl_status rank_sample_open(struct rank_sample *sample, const struct stats_contrast *contrast,
                                struct hl_error *err) HL_MUST_CHECK;
void rank_sample_close(struct rank_sample *sample); /* safe on zeroed */

/* The k-th smallest shift, k from 1 to shift_count. */
double rank_shift_kth(const struct rank_sample *sample, size_t k);
/* The smallest shift above `value`, ties with it left out; `value` + 1 if there is none. */
double rank_shift_next(const struct rank_sample *sample, double value);

enum hl_status rank_tails(const struct rank_sample *sample, double shift, struct stats_tails *tails,
                          struct hl_error *err) HL_MUST_CHECK;

/* For qsort. */
int rank_compare_doubles(const void *a, const void *b);

#endif
