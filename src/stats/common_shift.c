/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * common_shift.c - one shift common to several independent contrasts, by permutation.
 *
 * The statistic is the mean over the contrasts of mean(y - shift) - mean(x). Permuting the labels
 * within each contrast gives a - shift b with b <= 1, while the labels as found give A - shift. So
 * each permutation reaches the found statistic exactly for shifts from (A - a) / (1 - b) on, and
 * the order statistics of these critical shifts are the ends of the interval: test and interval are
 * dual here too. Approximate because permutations are drawn, and because arms of unequal spread are
 * not exchangeable.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/rng.h"
#include "stats/rank.h"

enum { PERMUTATIONS = 1999 };

struct pooled {
    double value;
    bool is_y;
};

/* `a` and `b` of the file head, for the labels that put the first y_count values into y. */
static void add_statistic(const struct pooled *values, size_t x_count, size_t y_count, double *a,
                          double *b)
{
    double y_sum = 0, x_sum = 0;
    size_t y_kept = 0, y_lost = 0;

    for (size_t i = 0; i < x_count + y_count; i++) {
        if (i < y_count) {
            y_sum += values[i].value;
            y_kept += values[i].is_y;
        } else {
            x_sum += values[i].value;
            y_lost += values[i].is_y;
        }
    }
    *a += y_sum / (double)y_count - x_sum / (double)x_count;
    *b += (double)y_kept / (double)y_count - (double)y_lost / (double)x_count;
}

static void shuffle(struct hl_rng *rng, struct pooled *values, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t other = (size_t)hl_rng_below(rng, i);
        struct pooled value = values[i - 1];

        values[i - 1] = values[other];
        values[other] = value;
    }
}

/* Values relative to the smallest of their contrast: equal ones then add up to exactly 0. */
static void pool(const struct stats_contrast *contrast, struct pooled *values)
{
    double base =
        fmin(stats_min(contrast->x, contrast->x_count), stats_min(contrast->y, contrast->y_count));

    for (size_t j = 0; j < contrast->y_count; j++)
        values[j] = (struct pooled){.value = contrast->y[j] - base, .is_y = true};
    for (size_t i = 0; i < contrast->x_count; i++)
        values[contrast->y_count + i] = (struct pooled){.value = contrast->x[i] - base};
}

/* Critical shifts in ascending order; labels that came out as found have none. */
static size_t draw(const struct stats_contrast *contrasts, size_t count, struct pooled *values,
                   double *critical, double *estimate)
{
    struct hl_rng rng = hl_rng_stream(0, "stats/common_shift");
    double found = 0, kept = 0;
    size_t critical_count = 0;

    for (size_t c = 0, start = 0; c < count; c++) {
        pool(&contrasts[c], &values[start]);
        add_statistic(&values[start], contrasts[c].x_count, contrasts[c].y_count, &found, &kept);
        start += contrasts[c].x_count + contrasts[c].y_count;
    }
    *estimate = found / (double)count;
    for (int i = 0; i < PERMUTATIONS; i++) {
        double a = 0, b = 0;

        for (size_t c = 0, start = 0; c < count; c++) {
            size_t size = contrasts[c].x_count + contrasts[c].y_count;

            shuffle(&rng, &values[start], size);
            add_statistic(&values[start], contrasts[c].x_count, contrasts[c].y_count, &a, &b);
            start += size;
        }
        if (kept - b > 1e-9)
            critical[critical_count++] = (found - a) / (kept - b);
    }
    qsort(critical, critical_count, sizeof(*critical), rank_compare_doubles);
    return critical_count;
}

static void invert(const double *critical, size_t count, double alpha,
                   struct stats_interval *interval)
{
    /* The labels as found, and permutations that equal them, lie in both tails. */
    double always = (double)(PERMUTATIONS - count) + 1, all = PERMUTATIONS + 1.0;
    double at_most = always, at_least = always, skipped = floor(alpha / 2 * all * (1 + 1e-9));
    size_t outside = skipped >= always ? (size_t)(skipped - always) : 0;

    for (size_t i = 0; i < count; i++) {
        at_most += critical[i] <= 1e-12;
        at_least += critical[i] >= -1e-12;
    }
    interval->p = fmin(1, 2 * fmin(at_most, at_least) / all);
    interval->reaches = skipped >= always && outside < count;
    if (count > 0) {
        interval->low = critical[interval->reaches ? outside : 0];
        interval->high = critical[count - 1 - (interval->reaches ? outside : 0)];
        interval->level = fmax(0, 1 - 2 * (always + (double)outside) / all);
    }
}

enum hl_status stats_common_shift(const struct stats_contrast *contrasts, size_t count,
                                  double alpha, struct stats_interval *interval,
                                  struct hl_error *err)
{
    double *critical = hl_alloc(PERMUTATIONS, sizeof(*critical));
    struct pooled *values;
    size_t value_count = 0, critical_count;
    enum hl_status status = HL_OK;

    for (size_t c = 0; c < count; c++) {
        assert(contrasts[c].x_count > 0);
        assert(contrasts[c].y_count > 0);
        value_count += contrasts[c].x_count + contrasts[c].y_count;
    }
    *interval = (struct stats_interval){.low = (double)NAN, .high = (double)NAN, .p = 1};
    values = hl_alloc(value_count, sizeof(*values));
    if (critical == NULL || values == NULL) {
        status =
            hl_fail(err, HL_NO_MEMORY, "out of memory for permutations of %zu values", value_count);
    } else {
        critical_count = draw(contrasts, count, values, critical, &interval->estimate);
        invert(critical, critical_count, alpha, interval);
    }
    hl_free(critical);
    hl_free(values);
    return status;
}
