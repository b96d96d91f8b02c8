/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fair_balance.h - balancing in the fair class: what fair_groups.c, fair_balance.c and fair_idle.c
 * ask of each other, and placement of the first.
 *
 * Source: spec modern 4.
 */
#ifndef HL_POLICY_FAIR_BALANCE_H
#define HL_POLICY_FAIR_BALANCE_H

#include "policy/fair.h"

/* ---- fair_groups.c ---- */

enum fair_idle_kind { FAIR_IDLE, FAIR_NOT_IDLE, FAIR_NEWLY_IDLE };

enum fair_migration {
    FAIR_MIGRATE_LOAD,
    FAIR_MIGRATE_UTIL,
    FAIR_MIGRATE_TASK,
    FAIR_MIGRATE_MISFIT
};

struct fair_pass {                       /* one balancing pass (struct lb_env) */
    struct fair_domain *domain, *parent; /* parent NULL: the top */
    struct fair_domain *child;           /* NULL: the lowest */
    struct fair_cpu *to;
    enum fair_idle_kind idle;
    int64_t imbalance;
    enum fair_migration migration; /* the unit of imbalance */
    const struct fair_group *busiest;
    struct fair_cpu *from;
    bool all_pinned, some_pinned, is_active; /* LBF_ALL_PINNED, LBF_SOME_PINNED, LBF_ACTIVE_LB */
    int32_t new_to; /* LBF_DST_PINNED: another cpu of the local group, or none */
};

enum fair_group_type { /* rising busyness */
                       GROUP_HAS_SPARE,
                       GROUP_FULLY_BUSY,
                       GROUP_MISFIT_TASK,
                       GROUP_SMT_BALANCE,
                       GROUP_ASYM_PACKING,
                       GROUP_IMBALANCED,
                       GROUP_OVERLOADED
};

/* What both placement and balancing sum up over the cpus of a group. */
struct fair_group_sums {
    int64_t load, util, runnable, capacity;
    int64_t nr_running, h_nr; /* of all classes; of the fair one */
    int64_t idle_cpus, weight;
};

static inline bool fair_group_is_overloaded(const struct fair_group_sums *s, int imbalance_pct)
{
    return s->nr_running > s->weight && (s->capacity * 100 < s->util * imbalance_pct ||
                                         s->capacity * imbalance_pct < s->runnable * 100);
}

static inline bool fair_group_has_capacity(const struct fair_group_sums *s, int imbalance_pct)
{
    if (s->nr_running < s->weight)
        return true;
    return s->capacity * imbalance_pct >= s->runnable * 100 &&
           s->capacity * 100 > s->util * imbalance_pct;
}

/* Fills pass->busiest (NULL: balanced), imbalance and migration (find_busiest_group). */
void fair_find_busiest_group(struct policy *p, struct fair_pass *pass);
size_t fair_group_stats_bytes(void); /* per group */

/* adjust_numa_imbalance */
static inline int64_t fair_numa_imbalance(int64_t imbalance, int64_t running, int64_t imb_numa_nr)
{
    return running > imb_numa_nr ? imbalance : imbalance <= 2 ? 0 : imbalance;
}

/* ---- fair_balance.c ---- */

/* One pass; *may_continue becomes false when a cpu of the group is there to do the levels above. */
int fair_load_balance(struct policy *p, struct fair_cpu *c, int level, enum fair_idle_kind idle,
                      bool *may_continue);
void fair_rebalance_domains(struct policy *p, struct fair_cpu *c, enum fair_idle_kind idle);
/* As the stopper of c: moves one task to c->push_cpu. */
void fair_active_balance(struct policy *p, struct fair_cpu *c);
void fair_update_misfit(struct policy *p, struct fair_cpu *c);

static inline int64_t fair_domain_interval(const struct policy *p, const struct fair_domain *d,
                                           bool is_busy)
{
    const struct fair *f = fair_of(p);
    int64_t interval = d->balance_interval_ms;
    int64_t most = (int64_t)f->hz * policy_cpu_count(p) / 10;

    if (is_busy)
        interval *= d->busy_factor;
    interval = (interval * f->hz + 999) / 1000;
    if (is_busy)
        interval--;
    return HL_MAX(HL_MIN(interval, most), 1);
}

/* ---- fair_idle.c ---- */

/* Tries to find work; true if some is queued now. */
bool fair_newidle_balance(struct policy *p, struct fair_cpu *c);
void fair_enter_idle(struct policy *p, struct fair_cpu *c);
void fair_leave_idle(struct policy *p, struct fair_cpu *c);
void fair_nohz_balancer_kick(struct policy *p, struct fair_cpu *c);

#endif
