/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fair_groups.c - balancing, first half: how busy the groups of a domain are, whether the busiest
 * is too busy, and how much to move (find_busiest_group, calculate_imbalance).
 *
 * Idea:    each group is put into a class by what it lacks: overloaded, imbalanced by affinity,
 *          holding a misfit, fully busy, with room to spare. The highest class is the busiest; the
 *          unit of what moves (load, utilisation, tasks) follows from the two classes.
 * Source:  spec modern 4.4, 4.5, 4.7.
 * Choices: a group's capacity is the sum of those of its cpus at this time; the kernel keeps one that
 *          is brought up to date now and then.
 * Omits:   asym packing.
 */
#include "policy/fair_balance.h"

struct group_stats {
    struct fair_group_sums sums;
    enum fair_group_type type;
    int64_t avg_load; /* of an overloaded group */
    int64_t misfit_load;
};

struct survey { /* struct sd_lb_stats */
    struct group_stats *local, *busiest;
    const struct fair_group *local_group, *busiest_group;
    int64_t total_load, total_capacity, total_util;
    bool overload;
};

size_t fair_group_stats_bytes(void)
{
    return sizeof(struct group_stats);
}

static bool since_6_12(const struct policy *p)
{
    return fair_of(p)->release != FAIR_6_1;
}

/* update_sg_lb_stats */
static void sum_up(const struct policy *p, const struct fair_pass *pass, const struct fair_group *g,
                   bool is_local, struct survey *s, struct group_stats *stats)
{
    const struct fair *f = fair_of(p);
    int32_t pct = pass->domain->imbalance_pct;

    *stats = (struct group_stats){.sums = {.weight = g->cpu_count}};
    for (int i = 0; i < g->cpu_count; i++) {
        const struct fair_cpu *c = fair_cpu_of(p, g->cpu[i]);

        stats->sums.capacity += c->capacity;
        if (fair_mask_has(f->excluded, c->cpu))
            continue;
        stats->sums.load += fair_cpu_load(c);
        stats->sums.util += fair_cpu_util(c);
        stats->sums.runnable += c->queue.avg.runnable_avg;
        stats->sums.h_nr += fair_h_nr_counted(f, c);
        stats->sums.nr_running += c->nr_running - (c->queue.h_nr - fair_h_nr_counted(f, c));
        stats->sums.idle_cpus += fair_cpu_is_idle(c);
        s->overload |= c->nr_running > 1 || c->misfit_load > 0;
        if (!is_local && pass->domain->span->is_asym)
            stats->misfit_load = HL_MAX(stats->misfit_load, c->misfit_load);
        else if (!is_local && pass->idle != FAIR_NOT_IDLE && fair_h_nr_counted(f, c) == 1 &&
                 fair_capacity_is_reduced(c, pct))
            stats->misfit_load = HL_MAX(stats->misfit_load, fair_cpu_load(c));
    }
    if (fair_group_is_overloaded(&stats->sums, pct))
        stats->type = GROUP_OVERLOADED;
    else if (g->imbalanced)
        stats->type = GROUP_IMBALANCED;
    else if (!is_local && since_6_12(p) && g->is_smt && pass->idle != FAIR_NOT_IDLE &&
             stats->sums.h_nr > 1)
        stats->type = GROUP_SMT_BALANCE;
    else if (stats->misfit_load > 0)
        stats->type = GROUP_MISFIT_TASK;
    else if (!fair_group_has_capacity(&stats->sums, pct))
        stats->type = GROUP_FULLY_BUSY;
    if (stats->type == GROUP_OVERLOADED)
        stats->avg_load = stats->sums.load * FAIR_CAPACITY_ONE / stats->sums.capacity;
}

static bool has_less_spare(const struct group_stats *a, const struct group_stats *b)
{
    if (a->sums.idle_cpus != b->sums.idle_cpus)
        return a->sums.idle_cpus < b->sums.idle_cpus;
    return a->sums.nr_running > b->sums.nr_running;
}

/* Of the same class, is the group busier than the busiest so far? */
static bool is_busier_alike(const struct policy *p, const struct survey *s,
                            const struct group_stats *stats)
{
    switch (stats->type) {
    case GROUP_OVERLOADED: return stats->avg_load > s->busiest->avg_load;
    case GROUP_MISFIT_TASK: return stats->misfit_load > s->busiest->misfit_load;
    case GROUP_SMT_BALANCE:
        if (stats->sums.idle_cpus != 0 || s->busiest->sums.idle_cpus != 0)
            return has_less_spare(stats, s->busiest);
        return !s->busiest_group->is_smt;
    case GROUP_FULLY_BUSY: return since_6_12(p) && !s->busiest_group->is_smt;
    case GROUP_HAS_SPARE: return has_less_spare(stats, s->busiest);
    case GROUP_ASYM_PACKING:
    case GROUP_IMBALANCED: break;
    }
    return false;
}

/* update_sd_pick_busiest */
static bool is_busiest(const struct policy *p, const struct fair_pass *pass, const struct survey *s,
                       const struct fair_group *g, const struct group_stats *stats)
{
    bool is_asym = pass->domain->span->is_asym;

    if (stats->sums.h_nr == 0)
        return false;
    if (is_asym && stats->type == GROUP_MISFIT_TASK &&
        (!fair_capacity_greater(pass->to->capacity, g->max_capacity) ||
         s->local->type != GROUP_HAS_SPARE))
        return false;
    if (s->busiest != NULL && stats->type != s->busiest->type)
        return stats->type > s->busiest->type;
    if (s->busiest != NULL && !is_busier_alike(p, s, stats))
        return false;
    return !(is_asym && stats->type <= GROUP_FULLY_BUSY &&
             fair_capacity_greater(g->min_capacity, pass->to->capacity));
}

/* update_idle_cpu_scan: how far searches for an idle cpu go, by the load of the cache's cpus. */
static void update_idle_cpu_scan(const struct policy *p, const struct fair_pass *pass,
                                 int64_t total_util)
{
    const struct fair_llc *llc = pass->to->llc;
    int64_t weight = llc->cpu_count, pct = 117, x, y;

    if (!fair_of(p)->sis_util || pass->idle == FAIR_NEWLY_IDLE ||
        pass->domain->span->cpu_count != weight)
        return;
    pct = pass->domain->imbalance_pct;
    x = total_util / weight;
    y = FAIR_CAPACITY_ONE - x * x * pct * pct / (10000 * FAIR_CAPACITY_ONE);
    pass->to->llc->nr_idle_scan = (int32_t)(weight * HL_MAX(y, 0) / FAIR_CAPACITY_ONE);
}

static inline bool has_tasks(const struct fair_cpu *c)
{
    return c->nr_running > 0 || c->queue.h_nr > 0;
}

static inline void add_idle_cpu(const struct fair *f, const struct fair_cpu *c, struct survey *s)
{
    s->total_capacity += c->capacity;
    if (fair_mask_has(f->excluded, c->cpu))
        return;
    s->total_load += fair_cpu_load(c);
    s->total_util += fair_cpu_util(c);
    s->overload |= c->misfit_load > 0;
}

/* A group without tasks is never the busiest; what is left of its load counts. False: it has some. */
static bool sum_up_idle(const struct policy *p, const struct fair_group *g, struct survey *s)
{
    for (int i = 0; i < g->cpu_count; i++)
        if (has_tasks(fair_cpu_of(p, g->cpu[i])))
            return false;
    for (int i = 0; i < g->cpu_count; i++)
        add_idle_cpu(fair_of(p), fair_cpu_of(p, g->cpu[i]), s);
    return true;
}

/* The same where groups are single cpus, from place `at` to `end`: the first one that has tasks. */
static int sum_up_idle_cpus(const struct policy *p, const struct fair_span *span, int at, int end,
                            struct survey *s)
{
    const struct fair *f = fair_of(p);

    for (; at < end; at++) {
        const struct fair_cpu *c = fair_cpu_of(p, span->cpu[at]);

        if (has_tasks(c))
            break;
        add_idle_cpu(f, c, s);
    }
    return at;
}

static void add_to_totals(struct survey *s, const struct group_stats *stats)
{
    s->total_load += stats->sums.load;
    s->total_util += stats->sums.util;
    s->total_capacity += stats->sums.capacity;
}

/* update_sd_lb_stats */
static void survey_groups(struct policy *p, const struct fair_pass *pass, struct survey *s)
{
    const struct fair_span *span = pass->domain->span;
    struct group_stats *stats = fair_of(p)->group_stats;
    int own = pass->domain->own_group;

    *s = (struct survey){.local = stats, .local_group = &span->group[own]};
    sum_up(p, pass, s->local_group, true, s, stats);
    add_to_totals(s, stats++);
    for (int part = 0; part < 2; part++) { /* those after the own one first */
        int end = part == 0 ? span->group_count : own;

        for (int at = part == 0 ? own + 1 : 0; at < end; at++) {
            const struct fair_group *g;

            if (span->largest_group == 1)
                at = sum_up_idle_cpus(p, span, at, end, s);
            g = &span->group[at];
            if (at == end || sum_up_idle(p, g, s))
                continue;
            sum_up(p, pass, g, false, s, stats);
            add_to_totals(s, stats);
            if (is_busiest(p, pass, s, g, stats)) {
                s->busiest = stats;
                s->busiest_group = g;
            }
            stats++;
        }
    }
    if (pass->parent == NULL)
        fair_of(p)->overload = s->overload;
    update_idle_cpu_scan(p, pass, s->total_util);
}

/* How many tasks the busiest group has too many; per core from 6.12 on (sibling_imbalance). */
static int64_t sibling_imbalance(const struct policy *p, const struct fair_pass *pass,
                                 const struct survey *s)
{
    int64_t busy = s->busiest->sums.nr_running, local = s->local->sums.nr_running, x;
    int64_t busy_cores = s->busiest_group->core_count, local_cores = s->local_group->core_count;

    if (!since_6_12(p))
        return HL_MAX(busy - local, 0);
    if (pass->idle == FAIR_NOT_IDLE || busy == 0)
        return 0;
    if (busy_cores == local_cores)
        return HL_MAX(busy - local, 0);
    x = HL_MAX(local_cores * busy - busy_cores * local, 0);
    x = (2 * x + local_cores + busy_cores) / (local_cores + busy_cores);
    return x <= 1 && local == 0 && busy > 1 ? 2 : x;
}

static int64_t domain_average(const struct survey *s)
{
    return s->total_load * FAIR_CAPACITY_ONE / s->total_capacity;
}

/* calculate_imbalance */
static void set_imbalance(const struct policy *p, struct fair_pass *pass, const struct survey *s)
{
    struct group_stats *local = s->local, *busiest = s->busiest;
    int64_t average;

    pass->migration = FAIR_MIGRATE_TASK;
    pass->imbalance = 1;
    if (busiest->type == GROUP_MISFIT_TASK) {
        if (pass->domain->span->is_asym) {
            pass->migration = FAIR_MIGRATE_MISFIT;
        } else { /* alone on a cpu of reduced capacity */
            pass->migration = FAIR_MIGRATE_LOAD;
            pass->imbalance = busiest->misfit_load;
        }
        return;
    }
    if (busiest->type == GROUP_SMT_BALANCE || busiest->type == GROUP_IMBALANCED)
        return;
    if (local->type == GROUP_HAS_SPARE) {
        if (busiest->type > GROUP_FULLY_BUSY && !pass->domain->shares_llc) {
            int64_t room = HL_MAX(local->sums.capacity - local->sums.util, 0);

            if (room > 0 || pass->idle == FAIR_NOT_IDLE) {
                pass->migration = FAIR_MIGRATE_UTIL;
                pass->imbalance = room;
            }
            return;
        }
        if (busiest->sums.weight == 1 || pass->domain->prefer_sibling)
            pass->imbalance = sibling_imbalance(p, pass, s);
        else
            pass->imbalance = HL_MAX(local->sums.idle_cpus - busiest->sums.idle_cpus, 0);
        if (pass->domain->span->level == FAIR_NUMA)
            pass->imbalance = fair_numa_imbalance(pass->imbalance, local->sums.nr_running + 1,
                                                  pass->domain->span->imb_numa_nr);
        pass->imbalance >>= 1;
        return;
    }
    average = domain_average(s);
    pass->migration = FAIR_MIGRATE_LOAD;
    pass->imbalance = 0;
    if (local->type < GROUP_OVERLOADED)
        local->avg_load = local->sums.load * FAIR_CAPACITY_ONE / local->sums.capacity;
    if (local->avg_load >= busiest->avg_load || local->avg_load >= average)
        return;
    pass->imbalance = HL_MIN((busiest->avg_load - average) * busiest->sums.capacity,
                             (average - local->avg_load) * local->sums.capacity) /
                      FAIR_CAPACITY_ONE;
}

static bool is_balanced(const struct policy *p, const struct fair_pass *pass,
                        const struct survey *s)
{
    const struct group_stats *local = s->local, *busiest = s->busiest;

    if (busiest->type == GROUP_MISFIT_TASK || busiest->type == GROUP_IMBALANCED)
        return false;
    if (local->type > busiest->type)
        return true;
    if (local->type == GROUP_OVERLOADED &&
        (local->avg_load >= busiest->avg_load || local->avg_load >= domain_average(s) ||
         100 * busiest->avg_load <= pass->domain->imbalance_pct * local->avg_load))
        return true;
    if (pass->domain->prefer_sibling && local->type == GROUP_HAS_SPARE &&
        sibling_imbalance(p, pass, s) > 1)
        return false;
    if (busiest->type == GROUP_OVERLOADED)
        return false;
    if (pass->idle == FAIR_NOT_IDLE)
        return true;
    if (busiest->type == GROUP_SMT_BALANCE && s->local_group->is_smt != s->busiest_group->is_smt)
        return false;
    return (busiest->sums.weight > 1 && local->sums.idle_cpus <= busiest->sums.idle_cpus + 1) ||
           busiest->sums.h_nr == 1;
}

void fair_find_busiest_group(struct policy *p, struct fair_pass *pass)
{
    struct survey s;

    survey_groups(p, pass, &s);
    pass->busiest = NULL;
    if (s.busiest == NULL || is_balanced(p, pass, &s))
        return;
    set_imbalance(p, pass, &s);
    if (pass->imbalance > 0)
        pass->busiest = s.busiest_group;
}
