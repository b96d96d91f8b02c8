/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * golden_judge.c - is the simulation of a record within the tolerances?
 *
 * Shares: 0.005 on one cpu, 0.02 on several, 0.1 for tasks pinned to some of several cpus. Medians of
 * wakeup to running: 0.2 ms, of tasks that sleep. Preemptions: 15 %. Slices: one tick of 4 ms at both
 * quantiles. Migrations: a factor of 2.5, except pinned ones. One preemption or migration in a start
 * is the least that a record can tell. Records in real time: hogs' shares and slices only.
 *
 * A record of some seconds holds few events of a rare kind: two of them by the same kernel differ too.
 * So each fault is looked at again with the difference that chance makes in 99 of 100 cases added to its
 * tolerance: for counts by Poisson's law, whose variance is the count; for a quantile by the ranks
 * between which it lies in a sample of that size (the binomial law), the simulated times standing for
 * the law they come from. Events are taken as independent of each other; those of a tick-driven
 * rotation are more regular, those of balancing less.
 */
#include "study/golden.h"

#include <math.h>

static const double z_99 = 2.576; /* 99 % of a normal law lie within so many standard deviations */
static const double preempt_part = GOLDEN_PREEMPT_PERCENT / 100.0;

/* As the records' notes say: run 0 is for ever, sleep 0 is never; a pair may pass its byte at once. */
bool golden_is_hog(const struct golden_task *t)
{
    return t->sleep_us == 0 || (t->run_us == 0 && t->sleep_us > 0);
}

/* ---- what chance explains ---- */

double golden_quantile_margin(int percent, double recorded, double simulated)
{
    double p = percent / 100.0;

    if (!(recorded >= 1) || !(simulated >= 1))
        return 0;
    return z_99 * sqrt(p * (1 - p) * (1 / recorded + 1 / simulated)) * simulated;
}

/* Variance of a rate per second that was counted for `total_s`; no event is as uncertain as one. */
static double rate_variance(double per_s, double total_s)
{
    return fmax(per_s * total_s, 1) / (total_s * total_s);
}

/* By how much `a` may differ from `factor` times `b`, both counted in so many seconds. */
static double rate_margin(double a, double a_s, double factor, double b, double b_s)
{
    if (a_s <= 0 || b_s <= 0)
        return 0;
    return z_99 * sqrt(rate_variance(a, a_s) + factor * factor * rate_variance(b, b_s));
}

/* ---- tolerances ---- */

static bool is_far(double real, double simulated, double tolerance)
{
    return !isnan(real) && !isnan(simulated) && fabs(real - simulated) > tolerance;
}

static bool is_far_from(double real, const struct golden_range *range, double tolerance)
{
    return real < range->low - tolerance || real > range->high + tolerance;
}

static void find_fault(struct golden_task *t, enum golden_fault fault, bool is_strict,
                       bool is_sampled)
{
    if (!is_strict)
        return;
    t->faults |= fault;
    if (is_sampled)
        t->sampled_faults |= fault;
}

static void judge_rates(const struct golden *g, struct golden_task *t)
{
    const struct golden_figures *real = &t->real, *sim = &t->simulated;
    const struct golden_tolerance *limit = &t->tolerance;
    double sim_s = (double)g->played_starts * (double)t->count * g->seconds;
    double real_s = (double)g->recorded_starts * (double)t->count * g->seconds;
    bool real_has_more = real->mig_per_s > sim->mig_per_s;
    double more = fmax(real->mig_per_s, sim->mig_per_s);
    double less = fmin(real->mig_per_s, sim->mig_per_s);

    find_fault(t, GOLDEN_PREEMPT,
               is_far(real->preempt_per_s, sim->preempt_per_s, limit->preempt_per_s),
               is_far(real->preempt_per_s, sim->preempt_per_s,
                      preempt_part * real->preempt_per_s +
                          rate_margin(real->preempt_per_s, real_s, 1, sim->preempt_per_s, sim_s)));
    find_fault(t, GOLDEN_MIGRATE, more > limit->mig_factor * less && more - less > limit->mig_per_s,
               more - limit->mig_factor * less > rate_margin(more, real_has_more ? real_s : sim_s,
                                                             limit->mig_factor, less,
                                                             real_has_more ? sim_s : real_s));
}

static double limit_if(bool is_judged, double real, double limit)
{
    return is_judged && !isnan(real) ? limit : NAN;
}

static void set_tolerances(const struct golden *g, struct golden_task *t)
{
    const struct golden_figures *real = &t->real;
    bool is_pinned = t->cpus != 0 && (t->cpus & (t->cpus - 1)) != 0;
    bool is_hog = golden_is_hog(t), has_rates = g->is_virtual_time;
    double once = 1 / g->seconds, wake_ms = GOLDEN_WAKE_US / 1000.0;
    double slice = fmin(real->slice_ms[GOLDEN_P50], real->slice_ms[GOLDEN_P90]); /* NAN if both */

    t->share_tolerance = g->cpu_count == 1 ? 0.005 : is_pinned ? 0.1 : 0.02;
    t->tolerance = (struct golden_tolerance){
        .share = limit_if(has_rates || is_hog, real->share, t->share_tolerance),
        .slice_ms = limit_if(has_rates || is_hog, slice, GOLDEN_TICK_MS),
        .preempt_per_s = limit_if(has_rates, real->preempt_per_s,
                                  fmax(preempt_part * real->preempt_per_s, once)),
        .mig_factor =
            limit_if(has_rates && !is_pinned, real->mig_per_s, GOLDEN_MIGRATE_PERCENT / 100.0),
        .mig_per_s = limit_if(has_rates && !is_pinned, real->mig_per_s, once),
        .wake_p50_ms = limit_if(has_rates && !is_hog, real->wake_ms[GOLDEN_P50], wake_ms),
    };
}

static void judge_task(const struct golden *g, struct golden_task *t)
{
    const struct golden_figures *real = &t->real, *sim = &t->simulated;
    const struct golden_tolerance *limit = &t->tolerance;

    find_fault(t, GOLDEN_SHARE, is_far(real->share, sim->share, limit->share), true);
    for (int q = 0; q < GOLDEN_QUANTILES; q++)
        find_fault(t, GOLDEN_SLICE, is_far(real->slice_ms[q], sim->slice_ms[q], limit->slice_ms),
                   is_far_from(real->slice_ms[q], &t->slice_range_ms[q], limit->slice_ms));
    judge_rates(g, t);
    find_fault(t, GOLDEN_WAKE,
               is_far(real->wake_ms[GOLDEN_P50], sim->wake_ms[GOLDEN_P50], limit->wake_p50_ms),
               is_far_from(real->wake_ms[GOLDEN_P50], &t->wake_range_ms, limit->wake_p50_ms));
}

void golden_judge(struct golden *g)
{
    g->inside = g->inside_sampled = true;
    for (int i = 0; i < g->task_count; i++) {
        struct golden_task *t = &g->task[i];

        t->faults = t->sampled_faults = 0;
        set_tolerances(g, t);
        judge_task(g, t);
        g->inside = g->inside && t->faults == 0;
        g->inside_sampled = g->inside_sampled && t->sampled_faults == 0;
    }
}
