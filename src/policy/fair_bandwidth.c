/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fair_bandwidth.c - quotas of task groups (cpu.max): a group's tasks run at most so long per period,
 * on all cpus together.
 *
 * Idea:    the group has a pool of runtime. A cpu takes slices from it while its tasks run; with
 *          none left its queue is throttled: taken out of the queue above, with all its tasks. At
 *          the end of a period the pool is filled again and throttled queues are paid their debt,
 *          the first throttled first. A cpu without tasks gives back all but 1 ms.
 * Source:  spec modern 5.
 * Choices: one timer for all groups, on cpu 0; a group's periods begin at a random phase. 6.18
 *          throttles task by task, when each returns to user mode: a system call is never cut short
 *          here anyway, so that is the same.
 */
#include "policy/fair_cgroup.h"

enum { MIN_RUNTIME_MS = 1, SLACK_MS = 5 };

/* ---- timers ---- */

void fair_bandwidth_arm(struct policy *p)
{
    const struct fair *f = fair_of(p);
    int64_t next_ns = INT64_MAX;

    for (int32_t i = 0; i < f->cgroup_count; i++)
        next_ns = HL_MIN(next_ns, HL_MIN(f->cgroup[i].period_end_ns, f->cgroup[i].slack_ns));
    policy_set_timer(p, 0, next_ns);
}

/* start_cfs_bandwidth: the grid of periods goes on while the timer sleeps. */
static void start_period_timer(struct policy *p, struct fair_cgroup *g)
{
    if (g->period_end_ns != INT64_MAX)
        return;
    g->period_end_ns = g->phase_ns;
    if (g->period_end_ns <= policy_now_ns(p))
        g->period_end_ns +=
            ((policy_now_ns(p) - g->period_end_ns) / g->period_ns + 1) * g->period_ns;
    fair_bandwidth_arm(p);
}

/* ---- runtime ---- */

/* assign_cfs_rq_runtime: fills the queue up to `target`; true: it has some. */
static bool assign_runtime(struct policy *p, struct fair_queue *q, int64_t target_ns)
{
    struct fair_cgroup *g = q->cgroup;
    int64_t amount_ns = target_ns - q->runtime_remaining_ns;

    start_period_timer(p, g);
    amount_ns = HL_MAX(HL_MIN(amount_ns, g->runtime_ns), 0);
    if (g->runtime_ns > 0)
        g->was_idle = false;
    g->runtime_ns -= amount_ns;
    q->runtime_remaining_ns += amount_ns;
    return q->runtime_remaining_ns > 0;
}

void fair_account_runtime(struct policy *p, struct fair_queue *q, int64_t delta_ns)
{
    if (!fair_has_quota(q))
        return;
    q->runtime_remaining_ns -= delta_ns;
    if (q->runtime_remaining_ns > 0 || q->is_throttled)
        return;
    if (!assign_runtime(p, q, fair_of(p)->bandwidth_slice_ns) && q->curr != NULL)
        fair_resched(p, q->of);
}

/* ---- throttling ---- */

/* All queues of the group and its descendants on that cpu stand still, or go on. */
static void stop_below(struct policy *p, const struct fair_cgroup *top, int cpu, int change)
{
    const struct fair *f = fair_of(p);

    for (int32_t i = 0; i < f->cgroup_count; i++) {
        const struct fair_cgroup *g = &f->cgroup[i];
        struct fair_queue *q = &g->queue[cpu];

        while (g != NULL && g != top)
            g = g->parent;
        if (g == NULL)
            continue;
        if (change > 0 && q->throttle_count == 0)
            q->pelt_stopped_ns = fair_pelt_clock(p, q) + q->pelt_away_ns;
        q->throttle_count += change;
        if (change < 0 && q->throttle_count == 0)
            q->pelt_away_ns += fair_pelt_clock(p, q) + q->pelt_away_ns - q->pelt_stopped_ns;
    }
}

static void count(struct fair_queue *above, const struct fair_queue *q, int sign, bool is_idle)
{
    above->h_nr += sign * q->h_nr;
    above->h_delayed += sign * q->h_delayed;
    above->h_idle += sign * (is_idle ? q->h_nr : q->h_idle);
}

/* Its tasks go (sign -1), or come (1), in the counts from se's queue up; false: not for the cpu, since
 * a group above is throttled. */
static bool count_up(struct policy *p, struct fair_entity *se, const struct fair_queue *q, int sign,
                     bool is_idle)
{
    for (; se != NULL; se = se->parent) {
        fair_update_load_avg(p, se->queue, se);
        fair_update_cfs_group(p, se);
        is_idle = is_idle || se->is_idle;
        count(se->queue, q, sign, is_idle);
        if (se->queue->is_throttled)
            return false;
    }
    return true;
}

/* throttle_cfs_rq: it leaves the queue above, and those that are left without entities theirs. */
static void throttle(struct policy *p, struct fair_queue *q)
{
    struct fair_entity *se = q->owner;
    bool is_idle = false, was_counted = true;

    hl_list_push_back(&q->cgroup->throttled, &q->in_throttled);
    stop_below(p, q->cgroup, q->of->cpu, 1);
    q->is_throttled = true;
    while (se != NULL && se->on_rq && was_counted) {
        struct fair_queue *above = se->queue;

        (void)fair_dequeue_entity(p, above, se, FAIR_MOVE_THROTTLE);
        is_idle = is_idle || se->is_idle;
        count(above, q, -1, is_idle);
        was_counted = !above->is_throttled;
        se = se->parent;
        if (above->nr > 0)
            break;
    }
    if (was_counted && count_up(p, se, q, -1, is_idle))
        q->of->nr_running -= q->h_nr;
}

/* unthrottle_cfs_rq */
static void unthrottle(struct policy *p, struct fair_queue *q)
{
    struct fair_entity *se = q->owner;
    bool is_idle = false, is_counted = true;

    q->is_throttled = false;
    hl_list_remove(&q->cgroup->throttled, &q->in_throttled);
    stop_below(p, q->cgroup, q->of->cpu, -1);
    if (q->nr == 0)
        return;
    while (se != NULL && is_counted) {
        if (se->on_rq && se->is_delayed)
            (void)fair_dequeue_entity(p, se->queue, se, FAIR_MOVE_UNDELAY);
        if (se->on_rq)
            break;
        fair_enqueue_entity(p, se->queue, se, FAIR_MOVE_WAKE);
        is_idle = is_idle || se->is_idle;
        count(se->queue, q, 1, is_idle);
        is_counted = !se->queue->is_throttled;
        se = se->parent;
    }
    if (!is_counted || !count_up(p, se, q, 1, is_idle))
        return;
    q->of->nr_running += q->h_nr;
    if (q->of->nr_running > 1)
        fair_of(p)->overload = true;
    if (q->of->is_idle)
        fair_resched(p, q->of);
}

bool fair_check_runtime(struct policy *p, struct fair_queue *q)
{
    if (!fair_has_quota(q) || q->runtime_remaining_ns > 0)
        return false;
    if (q->is_throttled)
        return true;
    /* Perhaps some has come back in the meantime. */
    if (assign_runtime(p, q, 1))
        return false;
    throttle(p, q);
    return true;
}

void fair_check_enqueue_throttle(struct policy *p, struct fair_queue *q)
{
    if (!fair_has_quota(q) || q->curr != NULL || q->is_throttled)
        return;
    fair_account_runtime(p, q, 0);
    if (q->runtime_remaining_ns <= 0)
        throttle(p, q);
}

/* ---- giving back, and a new period ---- */

void fair_return_runtime(struct policy *p, struct fair_queue *q)
{
    struct fair_cgroup *g = q->cgroup;
    int64_t slack_ns = q->runtime_remaining_ns - MIN_RUNTIME_MS * HL_NS_PER_MS;

    if (!fair_has_quota(q) || q->nr > 0 || slack_ns <= 0)
        return;
    q->runtime_remaining_ns -= slack_ns;
    g->runtime_ns += slack_ns;
    if (g->runtime_ns <= fair_of(p)->bandwidth_slice_ns || g->throttled.first == NULL ||
        g->slack_ns != INT64_MAX)
        return;
    g->slack_ns = policy_now_ns(p) + SLACK_MS * HL_NS_PER_MS;
    fair_bandwidth_arm(p);
}

/* distribute_cfs_runtime: just enough to owe nothing, to the first throttled first. */
static void distribute(struct policy *p, struct fair_cgroup *g)
{
    struct hl_link *next;

    for (struct hl_link *link = g->throttled.first; link != NULL && g->runtime_ns > 0;
         link = next) {
        struct fair_queue *q = HL_LIST_ENTRY(link, struct fair_queue, in_throttled);
        int64_t amount_ns = HL_MIN(1 - q->runtime_remaining_ns, g->runtime_ns);

        next = link->next;
        g->runtime_ns -= amount_ns;
        q->runtime_remaining_ns += amount_ns;
        if (q->runtime_remaining_ns > 0)
            unthrottle(p, q);
    }
}

/* do_sched_cfs_period_timer */
static void end_period(struct policy *p, struct fair_cgroup *g)
{
    g->nr_periods++;
    if (g->was_idle && g->throttled.first == NULL) {
        g->period_end_ns = INT64_MAX;
        g->runtime_ns = g->quota_ns;
        return;
    }
    g->period_end_ns += g->period_ns;
    g->runtime_ns = g->quota_ns;
    g->was_idle = g->throttled.first == NULL;
    g->nr_throttled += !g->was_idle;
    distribute(p, g);
}

void fair_timer(struct policy *p, int cpu)
{
    struct fair *f = fair_of(p);

    (void)cpu;
    for (int32_t i = 0; i < f->cgroup_count; i++) {
        struct fair_cgroup *g = &f->cgroup[i];

        if (g->slack_ns <= policy_now_ns(p)) {
            g->slack_ns = INT64_MAX;
            if (g->runtime_ns > f->bandwidth_slice_ns)
                distribute(p, g);
        }
        if (g->period_end_ns <= policy_now_ns(p))
            end_period(p, g);
    }
    fair_bandwidth_arm(p);
}
