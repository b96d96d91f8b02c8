/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * confounding.c - whether the order of play explains a difference as well as the arms do.
 *
 * A session drifts: caches fill, the machine warms up, a disk fragments. If one arm came before the
 * other, or always first in its block, then what the place did cannot be told from what the arm
 * did, and no interval helps. Orders that the planner makes are balanced; these come from results
 * made elsewhere. There the order in the file may be that of a listing, so such an order alone is
 * only suspect; with a drift within the arms, or if the order is recorded, it decides nothing.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/units.h"
#include "compare/comparison.h"

/* Of the test for a drift within the arms. */
static const double drift_alpha = 0.01;

struct played {
    const struct run *run;
    bool is_new;
};

static int compare_played(const void *a, const void *b)
{
    const struct played *x = a, *y = b;

    return (x->run->order > y->run->order) - (x->run->order < y->run->order);
}

/* Both arms in order of play, failed runs too; false: places are not known or not distinct. */
static bool merge(const struct compare_group *base, const struct compare_group *new,
                  struct played *played)
{
    size_t count = base->count + new->count;

    if (base->arm->session != new->arm->session || !base->is_ordered || !new->is_ordered)
        return false;
    for (size_t i = 0; i < count; i++) {
        bool is_new = i >= base->count;

        played[i] = (struct played){.run = is_new ? new->runs[i - base->count] : base->runs[i],
                                    .is_new = is_new};
    }
    qsort(played, count, sizeof(*played), compare_played);
    for (size_t i = 1; i < count; i++)
        if (played[i].run->order == played[i - 1].run->order)
            return false;
    return true;
}

/* Values of one arm over its places; returns the mean place. */
static double series_of(const struct compare_sample *sample, bool is_ratio, double *x, double *at)
{
    for (size_t i = 0; i < sample->n; i++) {
        x[i] = is_ratio ? log(sample->values[i]) : sample->values[i];
        at[i] = sample->runs[i]->order;
    }
    return stats_mean(at, sample->n);
}

/* new - base in units of the metric: median over neighbours in turn. */
static double constant_of(const struct played *played, size_t count, enum run_metric metric,
                          double *differences)
{
    size_t n = 0;

    for (size_t i = 0; i + 1 < count; i += 2) {
        double step = played[i + 1].run->metric[metric] - played[i].run->metric[metric];

        if (!isnan(step))
            differences[n++] = played[i].is_new ? -step : step;
    }
    return stats_median(differences, n);
}

static void say_turns(const struct compare_group *base, const struct compare_group *new,
                      const struct played *played, size_t count, enum run_metric metric,
                      double *numbers, bool is_certain, struct compare_order *order)
{
    const struct compare_arm *first = played[0].is_new ? new->arm : base->arm;
    double constant = constant_of(played, count, metric, numbers);

    (void)hl_format(is_certain ? order->reason : order->warning, COMPARE_REASON_BYTES,
                    "%s first in all %zu blocks: the constant %+.3g%s%s %s", first->name, count / 2,
                    constant, run_metric_table[metric].unit[0] != '\0' ? " " : "",
                    run_metric_table[metric].unit,
                    is_certain ? "is an order effect or a difference, not separable"
                               : "may in part be an order effect");
}

enum hl_status compare_order_of(struct hl_arena *arena, const struct compare_group *base,
                                const struct compare_group *new, enum run_metric metric,
                                double effect, double estimate, struct compare_order *order,
                                struct hl_error *err)
{
    size_t count = base->count + new->count;
    struct compare_sample samples[2];
    struct stats_series series[2];
    struct stats_drift drift;
    struct played *played;
    double *numbers, later, bias;
    bool *is_new, is_ratio, has_drift;
    enum stats_order kind;

    order->reason[0] = order->warning[0] = '\0';
    HL_TRY(compare_take(arena, &played, count, sizeof(*played), err));
    if (!merge(base, new, played))
        return HL_OK;
    HL_TRY(compare_take(arena, &numbers, 2 * count, sizeof(*numbers), err));
    HL_TRY(compare_take(arena, &is_new, count, sizeof(*is_new), err));
    HL_TRY(compare_sample_of(arena, base, metric, &samples[0], err));
    HL_TRY(compare_sample_of(arena, new, metric, &samples[1], err));
    is_ratio = samples[0].is_positive && samples[1].is_positive;
    series[0] = (struct stats_series){numbers, numbers + count, samples[0].n};
    series[1] =
        (struct stats_series){numbers + samples[0].n, numbers + count + samples[0].n, samples[1].n};
    later =
        series_of(&samples[1], is_ratio, numbers + samples[0].n, numbers + count + samples[0].n) -
        series_of(&samples[0], is_ratio, numbers, numbers + count);
    HL_TRY(stats_drift_of(series, 2, &drift, err));
    has_drift = drift.p <= drift_alpha;
    bias = drift.slope * later;
    for (size_t i = 0; i < count; i++)
        is_new[i] = played[i].is_new;
    kind = stats_order_of(is_new, count);

    switch (kind) {
    case STATS_ORDER_X_FIRST:
    case STATS_ORDER_Y_FIRST:
        if (count > 2)
            say_turns(base, new, played, count, metric, numbers,
                      has_drift || played[0].run->source == RUN_HOST, order);
        return HL_OK;
    case STATS_ORDER_X_BEFORE_Y:
    case STATS_ORDER_Y_BEFORE_X:
        if (has_drift)
            (void)hl_format(order->reason, sizeof(order->reason),
                            "all %s before all %s, trend present, not separable",
                            kind == STATS_ORDER_X_BEFORE_Y ? base->arm->name : new->arm->name,
                            kind == STATS_ORDER_X_BEFORE_Y ? new->arm->name : base->arm->name);
        return HL_OK;
    case STATS_ORDER_MIXED: break;
    }
    /* Neither order, but one arm later on average by enough for the drift to matter. */
    if (has_drift && fabs(bias) >= fabs(estimate) / 2 && is_ratio && fabs(bias) >= effect / 2)
        (void)hl_format(order->reason, sizeof(order->reason),
                        "%s %.1f runs later than %s on average, trend present: %+.2g %% of the "
                        "difference is not separable from it",
                        new->arm->name, later, base->arm->name, 100 * expm1(bias));
    return HL_OK;
}
