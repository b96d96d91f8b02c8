/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfs.c - the Completely Fair Scheduler as of Linux 6.1.
 *
 * Idea:    a task's vruntime grows by the time it runs, divided by its weight; the least one runs
 *          next. Everyone should run once in `latency`, so a slice is latency by weight, and ticks
 *          look whether it is used up. A sleeper comes back at most half a latency behind the
 *          others, and preempts if that is enough.
 * Source:  spec modern 2, 6.
 * Omits:   yield_to; throttling of real-time tasks, so a fair task pinned behind one gets nothing.
 * Good at: quick answers: whoever sleeps much runs at once when woken.
 * Bad at:  saying what latency a task gets: sleepers' credit depends on how many run.
 */
#include "policy/fair_cgroup.h"

struct cfs {
    struct fair fair; /* first */
    int64_t latency_ns, min_granularity_ns, idle_min_granularity_ns, wakeup_granularity_ns;
    int64_t nr_latency;
    bool gentle_fair_sleepers, start_debit, last_buddy, alt_period, base_slice;
};

static const struct cfs *cfs_of(const struct policy *p)
{
    return policy_data(p);
}

/* ---- clock and slice: 2.2, 2.3 ---- */

static struct fair_entity *first_waiting(const struct fair_queue *q)
{
    return fair_entity_of_node(q->tree.first);
}

static void cfs_update_min_vruntime(struct fair_queue *q)
{
    const struct fair_entity *curr = q->curr, *first = first_waiting(q);
    int64_t least = q->min_vruntime;

    if (curr != NULL && curr->on_rq)
        least = first != NULL ? HL_MIN(curr->vruntime, first->vruntime) : curr->vruntime;
    else if (first != NULL)
        least = first->vruntime;
    q->min_vruntime = HL_MAX(q->min_vruntime, least);
}

static void cfs_update_curr(struct policy *p, struct fair_queue *q, struct fair_entity *se)
{
    (void)p;
    (void)se;
    cfs_update_min_vruntime(q);
}

/* Of the part of the period that its groups have. */
static int64_t cfs_sched_slice(const struct policy *p, const struct fair_queue *q,
                               const struct fair_entity *se)
{
    const struct cfs *cfs = cfs_of(p);
    int64_t count = (cfs->alt_period ? q->of->queue.h_nr : q->nr) + !se->on_rq, floor_ns;
    int64_t slice_ns = count > cfs->nr_latency ? count * cfs->min_granularity_ns : cfs->latency_ns;

    for (const struct fair_entity *up = se; up != NULL; up = up->parent)
        slice_ns = slice_ns * up->weight / (up->queue->load_weight + (up->on_rq ? 0 : up->weight));
    if (!cfs->base_slice)
        return slice_ns;
    floor_ns =
        se->is_idle && q->idle_nr < q->nr ? cfs->idle_min_granularity_ns : cfs->min_granularity_ns;
    return HL_MAX(slice_ns, floor_ns);
}

/* ---- placement: 2.4 ---- */

static void cfs_place_entity(struct policy *p, struct fair_queue *q, struct fair_entity *se,
                             enum fair_move why)
{
    const struct cfs *cfs = cfs_of(p);
    int64_t credit;

    if (why != FAIR_MOVE_WAKE)
        se->vruntime += q->min_vruntime;
    if (why == FAIR_MOVE_FORK || why == FAIR_MOVE_MIGRATE)
        return;
    credit = se->is_idle ? cfs->min_granularity_ns : cfs->latency_ns;
    if (cfs->gentle_fair_sleepers)
        credit /= 2;
    se->vruntime = HL_MAX(se->vruntime, q->min_vruntime - credit);
}

/* task_fork_fair: relative to the forking cpu until the child is queued. */
static void cfs_fork(struct policy *p, struct fair_queue *q, struct fair_entity *se)
{
    int64_t start;

    fair_update_curr(p, q);
    if (q->curr != NULL)
        se->vruntime = q->curr->vruntime;
    start = q->min_vruntime;
    if (cfs_of(p)->start_debit)
        start += fair_calc_delta(cfs_sched_slice(p, q, se), se);
    se->vruntime = HL_MAX(se->vruntime, start) - q->min_vruntime;
}

static void cfs_leaving(struct policy *p, struct fair_queue *q, struct fair_entity *se,
                        enum fair_move why)
{
    (void)p;
    (void)q;
    (void)se;
    (void)why;
}

static void cfs_left(struct policy *p, struct fair_queue *q, struct fair_entity *se,
                     enum fair_move why)
{
    (void)p;
    if (why == FAIR_MOVE_MIGRATE || why == FAIR_MOVE_WAKE_MIGRATED)
        se->vruntime -= q->min_vruntime;
    cfs_update_min_vruntime(q);
}

static void cfs_reweight(struct policy *p, struct fair_queue *q, struct fair_entity *se,
                         int32_t weight, uint32_t inverse)
{
    (void)p;
    if (se->on_rq)
        q->load_weight += weight - se->weight;
    se->weight = weight;
    se->inverse = inverse;
}

/* ---- preemption: 2.5, 2.6 ---- */

/* check_preempt_tick */
static void cfs_entity_tick(struct policy *p, struct fair_queue *q, struct fair_entity *se)
{
    int64_t ideal, ran;

    if (q->nr <= 1)
        return;
    ideal = cfs_sched_slice(p, q, se);
    ran = se->sum_exec_ns - se->prev_sum_exec_ns;
    if (ran > ideal) {
        fair_resched(p, q->of);
        fair_clear_buddies(se);
        return;
    }
    if (ran < cfs_of(p)->min_granularity_ns)
        return;
    if (se->vruntime - first_waiting(q)->vruntime > ideal)
        fair_resched(p, q->of);
}

/* 1: `other` should preempt `se`; 0: it is less than a granularity behind; -1: it is not behind. */
static int cfs_wakeup_preempt_entity(const struct policy *p, const struct fair_entity *se,
                                     const struct fair_entity *other)
{
    int64_t behind = se->vruntime - other->vruntime;

    if (behind <= 0)
        return -1;
    return behind > fair_calc_delta(cfs_of(p)->wakeup_granularity_ns, other);
}

/* check_preempt_wakeup; within one queue */
static bool cfs_wakeup_preempt(struct policy *p, struct fair_queue *q, struct fair_entity *se,
                               const struct policy_task *woken)
{
    const struct cfs *cfs = cfs_of(p);
    struct fair_entity *curr = q->curr, *running = q->of->curr;
    bool is_crowded = running->queue->nr >= cfs->nr_latency;

    if (running->is_idle && woken->class != CLASS_IDLE)
        return true;
    if (woken->class != CLASS_NORMAL)
        return false;
    if (curr->is_idle != se->is_idle)
        return curr->is_idle;
    fair_update_curr(p, q);
    if (cfs_wakeup_preempt_entity(p, curr, se) != 1)
        return false;
    fair_set_next_buddy(se);
    if (cfs->last_buddy && is_crowded && fair_is_task(curr))
        for (struct fair_entity *up = curr; up != NULL && up->on_rq && !up->is_idle;
             up = up->parent)
            up->queue->last = up;
    return true;
}

/* ---- pick: 2.7 ---- */

static struct fair_entity *cfs_pick(struct policy *p, struct fair_queue *q)
{
    struct fair_entity *curr = q->curr, *first = first_waiting(q), *left = first, *chosen, *second;

    if (left == NULL || (curr != NULL && curr->vruntime < left->vruntime))
        left = curr;
    chosen = left;
    if (q->skip != NULL && q->skip == chosen) {
        if (chosen == curr) {
            second = first;
        } else {
            second = fair_entity_of_node(fair_tree_next(&chosen->node));
            if (second == NULL || (curr != NULL && curr->vruntime < second->vruntime))
                second = curr;
        }
        if (second != NULL && cfs_wakeup_preempt_entity(p, second, left) < 1)
            chosen = second;
    }
    if (q->next != NULL && cfs_wakeup_preempt_entity(p, q->next, left) < 1)
        chosen = q->next;
    else if (q->last != NULL && cfs_wakeup_preempt_entity(p, q->last, left) < 1)
        chosen = q->last;
    return chosen;
}

static void cfs_set_next(struct policy *p, struct fair_queue *q, struct fair_entity *se)
{
    (void)p;
    (void)q;
    (void)se;
}

static void cfs_yield(struct policy *p, struct fair_queue *q, struct fair_entity *se)
{
    (void)p;
    (void)q;
    for (; se != NULL; se = se->parent)
        se->queue->skip = se;
}

/* ---- the policy ---- */

static const struct fair_rules cfs_rules = {
    .update_curr = cfs_update_curr,
    .place_entity = cfs_place_entity,
    .leaving = cfs_leaving,
    .left = cfs_left,
    .pick = cfs_pick,
    .set_next = cfs_set_next,
    .entity_tick = cfs_entity_tick,
    .wakeup_preempt = cfs_wakeup_preempt,
    .fork = cfs_fork,
    .yield = cfs_yield,
    .reweight = cfs_reweight,
};

/* A tunable that nobody wrote grows with the cpus. */
static int64_t scaled(const struct policy *p, const char *name, int64_t base_ns)
{
    int64_t given = policy_param(p, name);

    return given != POLICY_PARAM_UNSET ? given : base_ns * fair_of(p)->scale;
}

static enum hl_status cfs_init(struct policy *p, struct hl_error *err)
{
    struct cfs *cfs = policy_data(p);

    HL_TRY(fair_init(p, &cfs_rules, FAIR_6_1, err));
    cfs->latency_ns = scaled(p, "sched_latency_ns", 6 * HL_NS_PER_MS);
    cfs->min_granularity_ns = scaled(p, "sched_min_granularity_ns", 750 * HL_NS_PER_US);
    cfs->wakeup_granularity_ns = scaled(p, "sched_wakeup_granularity_ns", HL_NS_PER_MS);
    cfs->idle_min_granularity_ns = policy_param(p, "sched_idle_min_granularity_ns");
    cfs->nr_latency = (cfs->latency_ns + cfs->min_granularity_ns - 1) / cfs->min_granularity_ns;
    cfs->fair.base_slice_ns = cfs->min_granularity_ns; /* unused by these rules */
    HL_TRY(fair_cgroups_init(p, err));
    cfs->gentle_fair_sleepers = policy_param(p, "GENTLE_FAIR_SLEEPERS") != 0;
    cfs->start_debit = policy_param(p, "START_DEBIT") != 0;
    cfs->last_buddy = policy_param(p, "LAST_BUDDY") != 0;
    cfs->alt_period = policy_param(p, "ALT_PERIOD") != 0;
    cfs->base_slice = policy_param(p, "BASE_SLICE") != 0;
    if (policy_param(p, "NEXT_BUDDY") != 0)
        cfs->fair.next_buddy_min = (int32_t)cfs->nr_latency;
    return HL_OK;
}

static const struct policy_param_info cfs_params[] = {
    {"version", PARAM_CHOICE, "", "6.1", 0, 0, 0, "release; spec modern 2"},
    {"sched_latency_ns", PARAM_DURATION, "", NULL, 100000, HL_NS_PER_S, POLICY_PARAM_UNSET,
     "everyone runs once in it; default 6 ms, scaled; spec modern 2.1"},
    {"sched_min_granularity_ns", PARAM_DURATION, "", NULL, 100000, HL_NS_PER_S, POLICY_PARAM_UNSET,
     "least slice; default 0.75 ms, scaled; spec modern 2.1"},
    {"sched_wakeup_granularity_ns", PARAM_DURATION, "", NULL, 0, HL_NS_PER_S, POLICY_PARAM_UNSET,
     "how far a woken task must be behind to preempt; default 1 ms, scaled; spec modern 2.1"},
    {"sched_idle_min_granularity_ns", PARAM_DURATION, "", NULL, 0, HL_NS_PER_S, 750000,
     "least slice of policy idle beside others; spec modern 2.1"},
    FAIR_COMMON_PARAMS,
    FAIR_FEATURE("GENTLE_FAIR_SLEEPERS", 1, "a sleeper's credit is halved; spec modern 2.4"),
    FAIR_FEATURE("START_DEBIT", 1, "a new task begins a slice later; spec modern 2.4"),
    FAIR_FEATURE("LAST_BUDDY", 1, "the preempted task is preferred afterwards; spec modern 2.6"),
    FAIR_FEATURE("ALT_PERIOD", 1,
                 "the period grows with all tasks of the cpu, else with those of the queue; spec "
                 "modern 2.3"),
    FAIR_FEATURE("BASE_SLICE", 1, "slices are not below the least one; spec modern 2.3"),
    {0}};

const struct policy_ops policy_cfs = {
    .name = "cfs",
    .summary = "CFS of Linux 6.1: least weighted run time first",
    .source = "spec modern 2",
    .params = cfs_params,
    .init = cfs_init,
    .policy_bytes = sizeof(struct cfs),
    FAIR_OPS,
};
