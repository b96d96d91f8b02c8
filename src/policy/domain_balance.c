/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * domain_balance.c - balancing between the groups of a domain: looking, pulling, pushing.
 *
 * Looking: every cpu of the span counts with the smaller of its load now and its estimate where it may
 * become a source, with the larger one where it is the target; so a short peak or gap moves nothing.
 * Pulling moves waiting tasks only. A task that runs is moved by pushing: the migration thread of its
 * cpu preempts it, and while it is off the cpu it can be moved.
 * Source: spec linux 5.3 to 5.6.
 */
#include "base/units.h"
#include "policy/domains.h"

/* Fills load[] with what counts where the cpus may become sources; `updating`: the estimates learn. */
static inline void domain_look_at(const int32_t *restrict cpu, int32_t count,
                                  const uint32_t *restrict nr_running, int32_t *restrict estimate,
                                  int32_t *restrict load, bool updating)
{
    for (int i = 0; i < count; i++) {
        int c = cpu == NULL ? i : cpu[i];
        int32_t now = (int32_t)(nr_running[c] << DOMAIN_LOAD_SHIFT), before = estimate[c];

        load[c] = HL_MIN(now, before);
        if (updating)
            estimate[c] = (int32_t)((uint32_t)(now + before) >> 1);
    }
}

/* Fills ds->load for the span of d; returns the target load of the own group. */
static int64_t domain_look(const struct policy *p, int cpu, const struct domain *d, bool updating)
{
    const struct domains *ds = domains_of(p);
    const struct domain_span *span = d->span;
    const struct domain_group *own = &span->group[d->own_group];
    int32_t *estimate = domain_cpu_of(p, cpu)->estimate;
    int64_t own_load = 0;
    int32_t first = span->is_dense ? span->cpu[0] : 0;
    const int32_t *cpus = span->is_dense ? NULL : span->cpu;

    for (int i = 0; i < own->cpu_count; i++)
        own_load += domain_target(p, cpu, own->cpu[i]);
    /* Constants in each call, so that the common case is a loop over three rows side by side. */
    if (cpus == NULL && updating)
        domain_look_at(NULL, span->cpu_count, ds->o1.nr_running + first, estimate + first,
                       ds->load + first, true);
    else if (cpus == NULL)
        domain_look_at(NULL, span->cpu_count, ds->o1.nr_running + first, estimate + first,
                       ds->load + first, false);
    else
        domain_look_at(cpus, span->cpu_count, ds->o1.nr_running, estimate, ds->load, updating);
    return own_load;
}

/* The usual shapes first: a cpu or a core of two neighbours. */
static inline int64_t domain_group_load(const struct domain_span *span, int32_t g,
                                        const int32_t *load)
{
    const struct domain_group *group = &span->group[g];
    int64_t sum = 0;

    if (span->group_width == 1)
        return load[span->cpu[0] + g];
    if (span->group_width == 2)
        return load[span->cpu[0] + 2 * g] + load[span->cpu[0] + 2 * g + 1];
    for (int i = 0; i < group->cpu_count; i++)
        sum += load[group->cpu[i]];
    return sum;
}

void domain_survey(struct policy *p, int cpu, const struct domain *d, bool updating,
                   enum domain_tie tie, struct domain_survey *s)
{
    const struct domains *ds = domains_of(p);
    const struct domain_span *span = d->span;
    int64_t own_load = domain_look(p, cpu, d, updating && ds->remembers);
    int32_t g = d->own_group;

    *s = (struct domain_survey){.total = own_load,
                                .own = own_load * DOMAIN_POWER_ONE / span->group[g].power,
                                .own_power = span->group[g].power,
                                .power = span->power,
                                .busiest = DOMAIN_NO_GROUP};
    for (int seen = 1; seen < span->group_count; seen++) {
        int64_t sum, power;

        g = g + 1 == span->group_count ? 0 : g + 1;
        sum = domain_group_load(span, g, ds->load);
        if (sum == 0)
            continue;
        power = span->group[g].power;
        s->total += sum;
        /* sum * 128 / power >= bar if and only if sum * 128 >= bar * power: divide for records only. */
        if (sum * DOMAIN_POWER_ONE >=
            (s->max + (tie == DOMAIN_FIRST_WINS || s->max == 0)) * power) {
            s->max = sum * DOMAIN_POWER_ONE / power;
            s->busiest = g;
            s->busiest_load = sum;
            s->busiest_power = (int32_t)power;
        }
    }
}

int64_t domain_gain(const struct domain_survey *s, int64_t own_cap, bool gain_cap)
{
    const int64_t one = DOMAIN_LOAD_ONE;
    int64_t from_power = s->busiest_power, to_power = s->own_power;
    int64_t now = (from_power * HL_MIN(one, s->max) + to_power * HL_MIN(one, s->own)) / one;
    int64_t leaves = one * one / from_power, comes = one * one / to_power, moved = 0;

    if (s->max > leaves) {
        int64_t rest = s->max - leaves;

        moved = from_power * HL_MIN(one, rest);
    }
    if (gain_cap)
        comes = HL_MIN(comes, s->max);
    comes += s->own;
    moved += to_power * HL_MIN(own_cap, comes);
    return moved / one - now;
}

int domain_busiest_cpu(const struct policy *p, int cpu, const struct domain_group *group)
{
    int busiest = POLICY_NO_CPU;
    int32_t max = 0;

    for (int i = 0; i < group->cpu_count; i++) {
        int32_t load = domain_source(p, cpu, group->cpu[i]);

        if (load > max) {
            max = load;
            busiest = group->cpu[i];
        }
    }
    return busiest;
}

static int32_t domain_pull_from(struct policy *p, int from, int to, int32_t count,
                                const struct domain *d, enum domain_mode mode, uint32_t leave)
{
    struct o1 *o = o1_of(p);
    bool spare_hot = mode == DOMAIN_NEW_IDLE || d->failed < d->params->cache_nice_tries;
    int64_t shift_ns = domain_cpu_of(p, to)->tick_ns - domain_cpu_of(p, from)->tick_ns;
    int32_t moved = 0;
    struct policy_task *t;
    struct o1_scan scan;

    if (o->nr_running[from] <= leave)
        return 0;
    o1_scan_begin(&scan, o1_queue_of(o, from), false);
    while (moved < count && (t = o1_scan_next(&scan)) != NULL) {
        if (t->on_cpu != POLICY_NO_CPU || !policy_allowed(t, to) ||
            (spare_hot && domain_is_hot(p, t, from, d)))
            continue;
        o1_move(o, t, to, !o1_in_active(o, o1_task_of(t)));
        policy_moved(p, t, to);
        o1_task_of(t)->stamp_ns +=
            shift_ns; /* as old against the new cpu's ticks as against the old one's */
        o1_preempt(p, t, to);
        moved++;
    }
    return moved;
}

int32_t domain_pull(struct policy *p, int from, int to, int32_t count, const struct domain *d,
                    enum domain_mode mode)
{
    return domain_pull_from(p, from, to, count, d, mode, 1);
}

void domain_request_push(struct policy *p, int from, int to)
{
    struct domain_cpu *dc = domain_cpu_of(p, from);
    const struct domain *d = dc->domain;

    if (dc->is_pushing)
        return;
    dc->is_pushing = true;
    dc->push_cpu = to;
    while (!domain_spans(p, d, to))
        d++;
    policy_count(p, POLICY_BALANCE_ATTEMPT, d->span->distance);
    policy_stop(p, from);
}

/*
 * A cpu that was just given a task is idle in the source for the microseconds until it hears of it. Here it
 * is not: else two pushes of the same instant, as w26 asks for, would always meet on one cpu again.
 */
static bool domain_group_is_idle(const struct policy *p, const struct domain_group *group)
{
    for (int i = 0; i < group->cpu_count; i++)
        if (policy_running(p, group->cpu[i]) != NULL || o1_of(p)->nr_running[group->cpu[i]] > 0)
            return false;
    return true;
}

void domain_stopped(struct policy *p, int cpu, struct policy_task *preempted)
{
    struct domain_cpu *dc = domain_cpu_of(p, cpu);
    const struct domain *d = dc->domain;
    int32_t moved = 0;

    o1_leave(p, preempted);
    while (!domain_spans(p, d, dc->push_cpu))
        d++;
    for (int seen = 1, g = d->own_group; seen < d->span->group_count; seen++) {
        const struct domain_group *group;

        g = g + 1 == d->span->group_count ? 0 : g + 1;
        group = &d->span->group[g];
        /* The migration thread counts itself as runnable: one task beside it may go, so none has to stay. */
        if (domain_group_is_idle(p, group))
            moved +=
                domain_pull_from(p, cpu, group->cpu[group->cpu_count - 1], 1, d, DOMAIN_IDLE, 0);
    }
    if (moved > 0)
        policy_count(p, POLICY_BALANCE_MOVE, d->span->distance);
    dc->is_pushing = false;
}

/* No level is due before the earliest of them: what a tick compares. */
static void domain_set_due(struct domain_cpu *dc)
{
    for (enum domain_mode mode = DOMAIN_BUSY; mode <= DOMAIN_IDLE; mode++) {
        int64_t due_ms = INT64_MAX / O1_NS_PER_JIFFY;

        for (int i = 0; i < dc->domain_count; i++) {
            int64_t at_ms = dc->domain[i].last_ms + domain_period_ms(&dc->domain[i], mode);

            due_ms = HL_MIN(due_ms, at_ms);
        }
        dc->due_ns[mode] = due_ms * O1_NS_PER_JIFFY;
    }
}

void domain_walk(struct policy *p, int cpu, enum domain_mode mode, domain_balance balance)
{
    struct domain_cpu *dc = domain_cpu_of(p, cpu);
    int64_t now_ms = o1_jiffies(p);

    for (int i = 0; i < dc->domain_count; i++) {
        struct domain *d = &dc->domain[i];
        int64_t period_ms = domain_period_ms(d, mode);

        if (now_ms - d->last_ms < period_ms)
            continue;
        if (domain_try(p, cpu, d, mode, balance) > 0)
            mode = DOMAIN_BUSY; /* no longer idle, to the outer levels */
        /* Not now_ms: a cpu that was busy for long and is idle now catches up with one look per tick. */
        d->last_ms += period_ms;
    }
    domain_set_due(dc);
}

struct policy_task *domain_choose(struct policy *p, int cpu, struct policy_task *prev,
                                  domain_balance balance)
{
    struct o1 *o = o1_of(p);
    struct o1_queue *queue = o1_queue_of(o, cpu);
    struct domain_cpu *dc = domain_cpu_of(p, cpu);
    struct policy_task *next;

    o1_leave(p, prev);
    for (int i = 0; i < dc->domain_count && o->nr_running[cpu] == 0; i++)
        if ((dc->domain[i].params->flags & DOMAIN_NEWIDLE) != 0)
            domain_try(p, cpu, &dc->domain[i], DOMAIN_NEW_IDLE, balance);
    next = o1_choose(queue);
    if (next == NULL)
        o1_go_idle(queue);
    return next;
}

void domain_enqueue(struct policy *p, struct policy_task *t, int cpu, const struct policy_wakeup *w)
{
    if (o1_enqueue(p, t, cpu, w))
        o1_preempt(p, t, cpu);
}
