/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fair_cgroup.h - task groups of the fair class: a queue and an entity on each cpu, a share of the
 * cpus by weight, at most a quota of them per period.
 *
 * Source: spec modern 5.
 */
#ifndef HL_POLICY_FAIR_CGROUP_H
#define HL_POLICY_FAIR_CGROUP_H

#include "policy/fair.h"

struct fair_cgroup { /* struct task_group */
    const char *name;
    struct fair_cgroup *parent; /* NULL: the root */
    struct fair_queue *queue;   /* by cpu */
    struct fair_entity *entity; /* by cpu */
    int32_t shares;
    bool is_idle;
    int64_t load_avg; /* sum of the queues' contributions */

    /* struct cfs_bandwidth */
    int64_t quota_ns, period_ns;      /* quota 0: no limit */
    int64_t runtime_ns;               /* what is left of it */
    int64_t phase_ns;                 /* of the periods */
    int64_t period_end_ns, slack_ns;  /* of the timers; INT64_MAX: not armed */
    bool was_idle;                    /* nobody took runtime in this period */
    struct hl_list throttled;         /* queues, the first throttled first */
    int64_t nr_periods, nr_throttled; /* as cpu.stat counts them */
};

static inline uint32_t fair_inverse(int32_t weight)
{
    return (uint32_t)((UINT64_C(1) << 32) / (uint64_t)weight);
}

/* ---- fair_cgroup.c ---- */

enum hl_status fair_cgroups_init(struct policy *p, struct hl_error *err) HL_MUST_CHECK;
struct fair_cgroup *fair_cgroup_of(const struct policy *p, const struct policy_task *t);
/* A group's entity gets the weight that its part of the group's load is worth (update_cfs_group). */
void fair_update_cfs_group(struct policy *p, struct fair_entity *se);
/* Load came to the queue, or went: its owner is to follow (add_tg_cfs_propagate). */
void fair_add_propagation(struct fair_queue *q, int64_t runnable_sum);
/* se, in q, follows the load of its own queue (propagate_entity_load_avg). */
void fair_propagate_load(struct fair_queue *q, struct fair_entity *se);
void fair_update_tg_load_avg(struct fair_queue *q);
/* Brings all loads of a cpu up to now, those of sleepers in groups too (update_blocked_averages). */
void fair_update_blocked_averages(struct policy *p, struct fair_cpu *c);
/* The same from a task's queue upwards. */
void fair_update_path(struct policy *p, struct fair_entity *se);

/* ---- fair_entity.c ---- */

/* The queue's pelt clock, which stands while it is throttled. */
int64_t fair_pelt_clock(const struct policy *p, struct fair_queue *q);

/* ---- fair_bandwidth.c ---- */

void fair_account_runtime(struct policy *p, struct fair_queue *q, int64_t delta_ns);
/* Throttles a queue that has none left; true: it is throttled (check_cfs_rq_runtime). */
bool fair_check_runtime(struct policy *p, struct fair_queue *q);
/* The first entity has come to q. */
void fair_check_enqueue_throttle(struct policy *p, struct fair_queue *q);
/* The last one may have gone: what is not needed goes back (return_cfs_rq_runtime). */
void fair_return_runtime(struct policy *p, struct fair_queue *q);
/* Arms the timer of the policy for the next of all groups' timers. */
void fair_bandwidth_arm(struct policy *p);

static inline bool fair_has_quota(const struct fair_queue *q)
{
    return q->cgroup->quota_ns > 0;
}

#endif
