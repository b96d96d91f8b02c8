/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fair_select.c - which cpu a woken, forked or exec'd task goes to (select_task_rq_fair).
 *
 * Idea:    a woken task goes near where it ran or near its waker (wake_affine), to an idle cpu of
 *          that cache if a short search finds one (fast path). New and exec'd tasks go down the
 *          domains to the idlest group and its idlest cpu (slow path).
 * Source:  spec modern 3.
 * Choices: exit latencies of idle states are not modelled: the most recently idle cpu is the
 *          idlest. A task of the start without a cpu is placed as a fork by cpu 0.
 * Omits:   energy-aware placement, clusters, preferred NUMA nodes.
 */
#include "policy/fair_balance.h"

/* ---- waking many: 3.1 ---- */

static struct fair_wakes *waker_wakes(const struct policy *p, int cpu)
{
    const struct policy_task *waker = policy_running(p, cpu);

    return waker != NULL ? &fair_entity_of(waker)->wakes : &fair_cpu_of(p, cpu)->idle_wakes;
}

static void record_wakee(const struct policy *p, struct fair_wakes *waker,
                         const struct policy_task *t)
{
    if (policy_now_ns(p) > waker->decay_ns + HL_NS_PER_S) {
        waker->flips >>= 1;
        waker->decay_ns = policy_now_ns(p);
    }
    if (waker->last_wakee != t->id) {
        waker->last_wakee = t->id;
        waker->flips++;
    }
}

static bool wake_wide(const struct fair_wakes *waker, const struct fair_wakes *wakee, int llc_size)
{
    int64_t master = HL_MAX(waker->flips, wakee->flips);
    int64_t slave = HL_MIN(waker->flips, wakee->flips);

    return slave >= llc_size && master >= slave * llc_size;
}

/* ---- this cpu or the previous one: 3.2 ---- */

static int wake_affine_idle(const struct policy *p, int this_cpu, int prev, bool sync)
{
    const struct fair_cpu *here = fair_cpu_of(p, this_cpu);
    int32_t delayed = fair_of(p)->release == FAIR_6_1 ? 0 : here->queue.h_delayed;
    bool prev_is_idle = fair_cpu_is_idle(fair_cpu_of(p, prev));

    if (fair_cpu_is_idle(here) && fair_share_llc(p, this_cpu, prev))
        return prev_is_idle ? prev : this_cpu;
    if (sync && here->nr_running - delayed == 1)
        return this_cpu;
    return prev_is_idle ? prev : POLICY_NO_CPU;
}

static int wake_affine_weight(const struct policy *p, const struct fair_domain *d,
                              const struct fair_entity *se, int this_cpu, int prev, bool sync)
{
    const struct fair_cpu *here = fair_cpu_of(p, this_cpu), *there = fair_cpu_of(p, prev);
    bool bias = fair_of(p)->wa_bias;
    int64_t mine = fair_cpu_load(here), other = fair_cpu_load(there) - fair_task_load(se);

    if (sync && here->curr != NULL) {
        if (fair_task_load(here->curr) > mine)
            return this_cpu;
        mine -= fair_task_load(here->curr);
    }
    mine = (mine + fair_task_load(se)) * (bias ? 100 : 1) * there->capacity;
    other = other * (bias ? 100 + (d->imbalance_pct - 100) / 2 : 1) * here->capacity + sync;
    return mine < other ? this_cpu : POLICY_NO_CPU;
}

static int wake_affine(const struct policy *p, const struct fair_domain *d,
                       const struct fair_entity *se, int this_cpu, int prev, bool sync)
{
    int target = POLICY_NO_CPU;

    if (fair_of(p)->wa_idle)
        target = wake_affine_idle(p, this_cpu, prev, sync);
    if (target == POLICY_NO_CPU && fair_of(p)->wa_weight)
        target = wake_affine_weight(p, d, se, this_cpu, prev, sync);
    return target == POLICY_NO_CPU ? prev : target;
}

/* ---- fast path: 3.3 ---- */

static bool is_free(const struct policy *p, int cpu)
{
    const struct fair_cpu *c = fair_cpu_of(p, cpu);

    return fair_cpu_is_idle(c) || fair_cpu_is_idle_policy(c);
}

static bool fits(const struct policy *p, const struct fair_entity *se, int cpu)
{
    return !fair_of(p)->is_asym || fair_fits(fair_task_util_est(se), fair_cpu_of(p, cpu)->capacity);
}

static int core_begin(const struct policy *p, int cpu)
{
    return policy_machine(p)->core_first[policy_machine(p)->cpu[cpu].core];
}

static int core_end(const struct policy *p, int cpu)
{
    return policy_machine(p)->core_first[policy_machine(p)->cpu[cpu].core + 1];
}

/* select_idle_smt: a free sibling of cpu. */
static int idle_sibling(const struct policy *p, const struct policy_task *t, int cpu)
{
    for (int i = core_begin(p, cpu); i < core_end(p, cpu); i++) {
        int other = policy_machine(p)->core_cpu[i];

        if (other != cpu && policy_allowed(t, other) && is_free(p, other))
            return other;
    }
    return POLICY_NO_CPU;
}

/* Place of cpu in a scan of n that begins with the one at `start`. */
static int scan_place(const struct policy *p, int cpu, int start, int n)
{
    return (fair_cpu_of(p, cpu)->llc_place - start + n) % n;
}

/* select_idle_core: all threads of cpu's core are idle; *idle becomes the first free allowed one. */
static bool core_is_idle(const struct policy *p, const struct policy_task *t, int cpu, int *idle)
{
    bool all = true;

    for (int i = core_begin(p, cpu); i < core_end(p, cpu); i++) {
        int other = policy_machine(p)->core_cpu[i];

        all = all && fair_cpu_is_idle(fair_cpu_of(p, other));
        if (*idle == POLICY_NO_CPU && policy_allowed(t, other) && is_free(p, other))
            *idle = other;
    }
    return all;
}

/* A thread of cpu's core came earlier in the scan. */
static bool core_is_seen(const struct policy *p, const struct policy_task *t, int cpu, int start,
                         int n)
{
    for (int i = core_begin(p, cpu); i < core_end(p, cpu); i++) {
        int other = policy_machine(p)->core_cpu[i];

        if (policy_allowed(t, other) &&
            scan_place(p, other, start, n) < scan_place(p, cpu, start, n))
            return true;
    }
    return false;
}

/* select_idle_cpu: scans the cache of target. */
static int select_idle_cpu(const struct policy *p, const struct policy_task *t, bool idle_core,
                           int target)
{
    const struct fair_cpu *c = fair_cpu_of(p, target);
    struct fair_llc *llc = c->llc;
    int n = llc->cpu_count, start = (c->llc_place + 1) % n, idle = POLICY_NO_CPU;
    int budget = fair_of(p)->sis_util ? llc->nr_idle_scan + 1 : INT32_MAX;

    if (budget == 1)
        return POLICY_NO_CPU;
    for (int i = 0; i < n; i++) {
        int cpu = llc->cpu[(start + i) % n];

        if (!policy_allowed(t, cpu))
            continue;
        if (idle_core) {
            if (!core_is_seen(p, t, cpu, start, n) && core_is_idle(p, t, cpu, &idle))
                return cpu;
            continue;
        }
        if (--budget == 0)
            return POLICY_NO_CPU;
        if (is_free(p, cpu))
            return cpu;
    }
    if (idle_core)
        llc->has_idle_cores = false;
    return idle;
}

/* select_idle_capacity: an idle cpu that fits, else the idle one with the largest capacity. */
static int select_idle_capacity(const struct policy *p, const struct fair_entity *se, int target)
{
    int n = policy_cpu_count(p), best = POLICY_NO_CPU;

    for (int i = 0; i < n; i++) {
        int cpu = (target + i) % n;

        if (!policy_allowed(se->task, cpu) || !is_free(p, cpu))
            continue;
        if (fits(p, se, cpu))
            return cpu;
        if (best == POLICY_NO_CPU || fair_cpu_of(p, cpu)->capacity > fair_cpu_of(p, best)->capacity)
            best = cpu;
    }
    return best == POLICY_NO_CPU ? target : best;
}

static bool is_per_cpu_kthread(const struct policy *p, const struct policy_task *t)
{
    int allowed = 0;

    if (t == NULL || !t->is_kernel || t->allowed == NULL)
        return false;
    for (int cpu = 0; cpu < policy_cpu_count(p) && allowed < 2; cpu++)
        allowed += policy_allowed(t, cpu);
    return allowed == 1;
}

static int select_idle_sibling(const struct policy *p, struct fair_entity *se, int prev, int target,
                               const struct policy_wakeup *w)
{
    const struct policy_task *t = se->task;
    bool idle_core = false;
    int recent, cpu;

    if (is_free(p, target) && fits(p, se, target))
        return target;
    if (prev != target && fair_share_llc(p, prev, target) && is_free(p, prev) && fits(p, se, prev))
        return prev;
    if (!w->from_irq && prev == w->waker_cpu && fair_cpu_of(p, prev)->nr_running <= 1 &&
        is_per_cpu_kthread(p, policy_running(p, prev)) && fits(p, se, prev))
        return prev;
    recent = se->recent_used_cpu;
    se->recent_used_cpu = prev;
    if (recent != prev && recent != target && fair_share_llc(p, recent, target) &&
        is_free(p, recent) && policy_allowed(t, recent) && fits(p, se, recent))
        return recent;
    if (fair_of(p)->is_asym)
        return select_idle_capacity(p, se, target);
    if (fair_cpu_of(p, target)->llc->cpu_count == 1)
        return target;
    if (policy_machine(p)->has_smt) {
        idle_core = fair_cpu_of(p, target)->llc->has_idle_cores;
        cpu = !idle_core && fair_share_llc(p, prev, target) ? idle_sibling(p, t, prev)
                                                            : POLICY_NO_CPU;
        if (cpu != POLICY_NO_CPU)
            return cpu;
    }
    cpu = select_idle_cpu(p, t, idle_core, target);
    return cpu == POLICY_NO_CPU ? target : cpu;
}

/* ---- slow path: 3.4 ---- */

struct idlest { /* a group as seen by a task that is to be placed */
    struct fair_group_sums sums;
    enum fair_group_type type;
    int64_t avg_load;
};

/* One cpu, without the task, which is queued there (is_here) or blocked. */
static void add_own_cpu(const struct policy *p, const struct fair_cpu *c,
                        const struct fair_entity *se, struct fair_group_sums *sums)
{
    bool was_here = se->avg.last_ns != 0, is_here = was_here && se->on_rq;

    sums->load += HL_MAX(fair_cpu_load(c) - (was_here ? se->avg.load_avg : 0), 0);
    sums->util += HL_MAX(fair_cpu_util(c) - (was_here ? se->avg.util_avg : 0), 0);
    sums->runnable += HL_MAX(c->queue.avg.runnable_avg - (was_here ? se->avg.runnable_avg : 0), 0);
    sums->h_nr += fair_h_nr_counted(fair_of(p), c) - is_here;
    sums->nr_running += c->nr_running - is_here;
    sums->idle_cpus += c->nr_running - is_here == 0;
}

static inline void add_cpu(const struct fair *f, const struct fair_cpu *c,
                           struct fair_group_sums *sums)
{
    sums->load += HL_MAX(fair_cpu_load(c), 0);
    sums->util += HL_MAX(fair_cpu_util(c), 0);
    sums->runnable += HL_MAX(c->queue.avg.runnable_avg, 0);
    sums->h_nr += fair_h_nr_counted(f, c);
    sums->nr_running += c->nr_running;
    sums->idle_cpus += c->nr_running == 0;
}

/* update_sg_wakeup_stats: without the task itself. False: it may not run there. */
static bool survey(const struct policy *p, const struct fair_domain *d, const struct fair_group *g,
                   const struct fair_entity *se, struct idlest *s)
{
    const struct fair *f = fair_of(p);
    struct fair_group_sums sums = {.weight = g->cpu_count};
    bool is_asym = d->span->is_asym, misfit = is_asym;
    int allowed = 0;

    for (int i = 0; i < g->cpu_count; i++) {
        const struct fair_cpu *c = fair_cpu_of(p, g->cpu[i]);

        sums.capacity += c->capacity;
        if (!policy_allowed(se->task, c->cpu))
            continue;
        allowed++;
        if (c->cpu == se->cpu)
            add_own_cpu(p, c, se, &sums);
        else
            add_cpu(f, c, &sums);
        misfit = misfit && !fits(p, se, c->cpu);
    }
    if (allowed == 0)
        return false;
    *s = (struct idlest){.sums = sums};
    if (fair_group_is_overloaded(&s->sums, d->imbalance_pct))
        s->type = GROUP_OVERLOADED;
    else if (g->imbalanced)
        s->type = GROUP_IMBALANCED;
    else if (misfit)
        s->type = GROUP_MISFIT_TASK;
    else if (!fair_group_has_capacity(&s->sums, d->imbalance_pct))
        s->type = GROUP_FULLY_BUSY;
    if (s->type == GROUP_FULLY_BUSY || s->type == GROUP_OVERLOADED)
        s->avg_load = s->sums.load * FAIR_CAPACITY_ONE / s->sums.capacity;
    return true;
}

/* update_pick_idlest */
static bool is_idler(const struct idlest *a, const struct fair_group *ga, const struct idlest *b,
                     const struct fair_group *gb)
{
    if (a->type != b->type)
        return a->type < b->type;
    switch (a->type) {
    case GROUP_OVERLOADED:
    case GROUP_FULLY_BUSY: return a->avg_load < b->avg_load;
    case GROUP_MISFIT_TASK: return ga->max_capacity > gb->max_capacity;
    case GROUP_HAS_SPARE:
        return a->sums.idle_cpus != b->sums.idle_cpus ? a->sums.idle_cpus > b->sums.idle_cpus
                                                      : a->sums.util < b->sums.util;
    case GROUP_SMT_BALANCE:
    case GROUP_ASYM_PACKING:
    case GROUP_IMBALANCED: break;
    }
    return false;
}

/* Is the local group as good as the idlest of the others? */
static bool stays_local(const struct policy *p, const struct fair_domain *d,
                        const struct fair_entity *se, const struct idlest *local,
                        const struct fair_group *group, const struct idlest *other,
                        const struct fair_group *other_group)
{
    int64_t slack = FAIR_NICE_0_WEIGHT * (int64_t)(d->imbalance_pct - 100) / 100, allowed = 0;

    if (local->type != other->type)
        return local->type < other->type;
    switch (local->type) {
    case GROUP_OVERLOADED:
    case GROUP_FULLY_BUSY:
        return (d->span->level == FAIR_NUMA && other->avg_load + slack >= local->avg_load) ||
               other->avg_load >= local->avg_load + slack ||
               100 * local->avg_load <= d->imbalance_pct * other->avg_load;
    case GROUP_MISFIT_TASK: return group->max_capacity >= other_group->max_capacity;
    case GROUP_HAS_SPARE: break;
    case GROUP_SMT_BALANCE:
    case GROUP_ASYM_PACKING:
    case GROUP_IMBALANCED: return true;
    }
    if (d->span->level == FAIR_NUMA) {
        int64_t gap = local->sums.idle_cpus - other->sums.idle_cpus;

        for (int i = 0; i < group->cpu_count; i++)
            allowed += policy_allowed(se->task, group->cpu[i]);
        if (fair_numa_imbalance(HL_MAX(gap, -gap), local->sums.nr_running + 1,
                                HL_MIN(d->span->imb_numa_nr, allowed)) == 0)
            return true;
    }
    (void)p;
    return local->sums.idle_cpus >= other->sums.idle_cpus;
}

/*
 * Certainly not idler than `best`, which is idle altogether and as large? So it is if some cpu is busy, or if
 * all were used as much. Most groups of a large machine are told by this look.
 */
static bool is_ruled_out(const struct policy *p, const struct fair_group *g,
                         const struct fair_entity *se, const struct idlest *best)
{
    int64_t util = 0;

    if (g->cpu_count > best->sums.idle_cpus)
        return false;
    for (int i = 0; i < g->cpu_count; i++) {
        const struct fair_cpu *c = fair_cpu_of(p, g->cpu[i]);

        if (c->cpu == se->cpu)
            return false;
        if (c->nr_running > 0)
            return true;
        util += fair_cpu_util(c);
    }
    return g->cpu_count < best->sums.idle_cpus || util >= best->sums.util;
}

/* The first place from `at` on of a group that is not ruled out. */
static int skip_ruled_out(const struct policy *p, const struct fair_span *span, int at, int end,
                          const struct fair_entity *se, const struct idlest *best)
{
    if (best->type != GROUP_HAS_SPARE || best->sums.idle_cpus == 0 || se->task->allowed != NULL)
        return at;
    if (best->sums.util == 0 && best->sums.idle_cpus >= span->largest_group)
        return end;
    if (span->largest_group == 1) { /* is_ruled_out of one cpu */
        for (; at < end; at++) {
            const struct fair_cpu *c = fair_cpu_of(p, span->cpu[at]);

            if ((c->nr_running == 0 && fair_cpu_util(c) < best->sums.util) || c->cpu == se->cpu)
                break;
        }
        return at;
    }
    while (at < end && is_ruled_out(p, &span->group[at], se, best))
        at++;
    return at;
}

/* find_idlest_group: NULL: the local one. */
static const struct fair_group *
find_idlest_group(const struct policy *p, const struct fair_domain *d, const struct fair_entity *se)
{
    const struct fair_span *span = d->span;
    const struct fair_group *idlest = NULL, *own = &span->group[d->own_group];
    struct idlest best = {.type = GROUP_OVERLOADED, .avg_load = INT64_MAX}, local, s;
    bool has_local = survey(p, d, own, se, &local);

    for (int part = 0; part < 2; part++) { /* those after the own one first */
        int end = part == 0 ? span->group_count : d->own_group;

        for (int at = part == 0 ? d->own_group + 1 : 0; at < end; at++) {
            const struct fair_group *g;

            at = skip_ruled_out(p, span, at, end, se, &best);
            if (at == end)
                break;
            g = &span->group[at];
            if (survey(p, d, g, se, &s) && is_idler(&s, g, &best, idlest == NULL ? g : idlest)) {
                idlest = g;
                best = s;
            }
        }
    }
    if (idlest == NULL || (has_local && stays_local(p, d, se, &local, own, &best, idlest)))
        return NULL;
    return idlest;
}

/* find_idlest_group_cpu */
static int find_idlest_cpu(const struct policy *p, const struct fair_group *g,
                           const struct policy_task *t, int this_cpu)
{
    int idle = POLICY_NO_CPU, least_loaded = this_cpu;
    int64_t latest_ns = -1, least = INT64_MAX;

    if (g->cpu_count == 1)
        return g->cpu[0];
    for (int i = 0; i < g->cpu_count; i++) {
        const struct fair_cpu *c = fair_cpu_of(p, g->cpu[i]);

        if (!policy_allowed(t, c->cpu))
            continue;
        if (fair_cpu_is_idle_policy(c))
            return c->cpu;
        if (fair_cpu_is_idle(c)) {
            if (c->idle_since_ns > latest_ns) {
                latest_ns = c->idle_since_ns;
                idle = c->cpu;
            }
        } else if (idle == POLICY_NO_CPU && fair_cpu_load(c) < least) {
            least = fair_cpu_load(c);
            least_loaded = c->cpu;
        }
    }
    return idle != POLICY_NO_CPU ? idle : least_loaded;
}

static int select_slow(const struct policy *p, const struct fair_entity *se, int cpu)
{
    const struct fair_cpu *c = fair_cpu_of(p, cpu);
    int level = c->domain_count - 1;

    while (level >= 0) {
        const struct fair_domain *d = &c->domain[level];
        const struct fair_group *g = find_idlest_group(p, d, se);
        int next = g == NULL ? cpu : find_idlest_cpu(p, g, se->task, cpu);

        if (next == cpu) {
            level--;
            continue;
        }
        cpu = next;
        c = fair_cpu_of(p, cpu);
        for (level = 0;
             level < c->domain_count && c->domain[level].span->cpu_count < d->span->cpu_count;)
            level++;
        level--;
    }
    return cpu;
}

/* ---- top: 3.1 ---- */

static int select_waking(struct policy *p, struct fair_entity *se, const struct policy_wakeup *w)
{
    int this_cpu = w->waker_cpu, prev = se->cpu, target = prev;
    const struct fair_cpu *here = fair_cpu_of(p, this_cpu);
    struct fair_wakes *waker = waker_wakes(p, this_cpu);

    record_wakee(p, waker, se->task);
    if (this_cpu != prev && policy_allowed(se->task, this_cpu) &&
        !wake_wide(waker, &se->wakes, here->llc->cpu_count))
        for (int i = 0; i < here->domain_count; i++)
            if (fair_spans(p, &here->domain[i], prev)) {
                target = wake_affine(p, &here->domain[i], se, this_cpu, prev, w->sync);
                break;
            }
    return select_idle_sibling(p, se, prev, target, w);
}

/* select_fallback_rq: the nearest allowed one. */
static int allowed_near(const struct policy *p, const struct policy_task *t, int cpu)
{
    const struct machine *m = policy_machine(p);
    int first = POLICY_NO_CPU;

    if (policy_allowed(t, cpu))
        return cpu;
    for (int other = 0; other < policy_cpu_count(p); other++) {
        if (!policy_allowed(t, other))
            continue;
        if (m->cpu[other].node == m->cpu[cpu].node)
            return other;
        if (first == POLICY_NO_CPU)
            first = other;
    }
    return first;
}

int fair_select_cpu(struct policy *p, struct policy_task *t, const struct policy_wakeup *w)
{
    struct fair_entity *se = fair_entity_of(t);
    bool places = w->why == POLICY_FORK || w->why == POLICY_EXEC || se->cpu < 0;
    int cpu;

    if (se->on_rq && w->why == POLICY_WAKE)
        return se->cpu; /* delayed: it has never left */
    if (se->cpu < 0)
        fair_set_cpu(p, se, HL_MAX(w->waker_cpu, 0));
    if (t->class == CLASS_FIFO || t->class == CLASS_RR)
        return allowed_near(p, t, fair_rt_select_cpu(p, t, se->cpu));
    if (places)
        cpu = select_slow(p, se, se->cpu);
    else
        cpu = select_waking(p, se, w);
    return allowed_near(p, t, cpu);
}
