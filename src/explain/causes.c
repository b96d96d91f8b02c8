/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * causes.c - sums of a cell's runs, and the difference of two cells by cause.
 *
 * A loss of capacity costs what its part of elapsed time says. A task that waits while all cpus do
 * useful work loses no capacity; what its successors' coming late costs shows as work that
 * overlaps less. The chain that the end waited for explains that as far as it says the same.
 */
#include "explain/explain.h"

#include <math.h>

const struct explain_cause explain_causes[TRACE_CAUSE_COUNT] = {
    [TRACE_WASTED] = {"wasted", "wasted capacity", RUN_elapsed_wasted_s, RUN_chain_wasted_s},
    [TRACE_CROWDED] = {"crowded", "sibling crowding", RUN_elapsed_crowded_s, RUN_chain_crowded_s},
    [TRACE_WAKEUP] = {"wakeup", "wake-up wait", RUN_elapsed_wakeup_s, RUN_chain_wakeup_s},
    [TRACE_PREEMPTED] = {"preempted", "preempted wait", RUN_elapsed_preempted_s,
                         RUN_chain_preempted_s},
    [TRACE_REFILL] = {"refill", "migration and refill", RUN_elapsed_refill_s, RUN_chain_refill_s},
    [TRACE_OVERHEAD] = {"overhead", "kernel overhead", RUN_elapsed_overhead_s,
                        RUN_chain_overhead_s},
};

/* The first metric that the sums need and the run has not; RUN_METRIC_COUNT: it has them all. */
static enum run_metric missing_sum(const struct run *run)
{
    static const enum run_metric others[] = {RUN_elapsed_s, RUN_elapsed_work_s,
                                             RUN_elapsed_asleep_s};

    for (int i = 0; i < HL_COUNT_OF(others); i++)
        if (!run_has(run, others[i]))
            return others[i];
    for (int i = 0; i < TRACE_CAUSE_COUNT; i++)
        if (!run_has(run, explain_causes[i].part))
            return explain_causes[i].part;
    return RUN_METRIC_COUNT;
}

static void add_run(struct explain_sums *sums, const struct run *run)
{
    sums->runs++;
    sums->elapsed_s += run->metric[RUN_elapsed_s];
    sums->work_s += run->metric[RUN_elapsed_work_s];
    sums->asleep_s += run->metric[RUN_elapsed_asleep_s];
    for (int i = 0; i < TRACE_CAUSE_COUNT; i++) {
        sums->part_s[i] += run->metric[explain_causes[i].part];
        if (run_has(run, explain_causes[i].chain))
            sums->chain_s[i] += run->metric[explain_causes[i].chain];
        else
            sums->has_chain = false;
    }
}

static void divide(struct explain_sums *sums)
{
    double runs = (double)sums->runs;

    sums->elapsed_s /= runs;
    sums->work_s /= runs;
    sums->asleep_s /= runs;
    for (int i = 0; i < TRACE_CAUSE_COUNT; i++) {
        sums->part_s[i] /= runs;
        sums->chain_s[i] /= runs;
    }
}

enum hl_status explain_sum(struct explain_sums *sums, const struct run *runs, size_t count,
                           struct hl_error *err)
{
    const char *reason = "no run succeeded";

    *sums = (struct explain_sums){.has_chain = true};
    for (size_t i = 0; i < count; i++) {
        enum run_metric missing;

        if (runs[i].status != RUN_OK)
            continue;
        missing = missing_sum(&runs[i]);
        if (missing == RUN_METRIC_COUNT)
            add_run(sums, &runs[i]);
        else if (runs[i].reason[missing] != NULL)
            reason = runs[i].reason[missing];
    }
    if (sums->runs == 0)
        return hl_fail(err, HL_UNSUPPORTED, "the runs do not say where time went: %s", reason);
    divide(sums);
    return HL_OK;
}

/* What the chains say beyond the parts is shared out, as far as it is what is missing. */
static void believe_chain(struct explain_difference *difference,
                          const double beyond_s[TRACE_CAUSE_COUNT])
{
    double rest_s = difference->rest_s, sum_s = 0, fitting_s = 0, explained;

    for (int i = 0; i < TRACE_CAUSE_COUNT; i++) {
        sum_s += beyond_s[i];
        if (beyond_s[i] * rest_s > 0)
            fitting_s += beyond_s[i];
    }
    explained = fabs(rest_s) - fabs(rest_s - sum_s);
    if (!(explained > 0))
        return;
    explained = copysign(explained, rest_s);
    for (int i = 0; i < TRACE_CAUSE_COUNT; i++)
        if (beyond_s[i] * rest_s > 0)
            difference->cause_s[i] += explained * beyond_s[i] / fitting_s;
    difference->rest_s -= explained;
}

void explain_differ(struct explain_difference *difference, const struct explain_sums *best,
                    const struct explain_sums *sums)
{
    double beyond_s[TRACE_CAUSE_COUNT];

    *difference = (struct explain_difference){
        .elapsed_s = sums->elapsed_s - best->elapsed_s,
        .rest_s = sums->work_s - best->work_s + (sums->asleep_s - best->asleep_s),
    };
    for (int i = 0; i < TRACE_CAUSE_COUNT; i++) {
        difference->cause_s[i] = sums->part_s[i] - best->part_s[i];
        beyond_s[i] = sums->chain_s[i] - best->chain_s[i] - difference->cause_s[i];
    }
    if (sums->has_chain && best->has_chain)
        believe_chain(difference, beyond_s);
}
