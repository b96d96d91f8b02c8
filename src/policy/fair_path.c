/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fair_path.c - a task with its groups: the path of entities from the task's own up to the cpu's
 * queue, as it comes, goes and is switched to.
 *
 * Idea:    the first task of a group brings the group's entity into the queue above, the last one
 *          takes it away; levels beyond only count. A switch puts and sets only the entities in
 *          which the two paths differ. Without groups a path has one entity.
 * Source:  spec modern 5, 2.7, 7.7, 7.8; 1.3 (estimated utilisation).
 */
#include <assert.h>

#include "policy/fair_cgroup.h"

enum { UTIL_EST_MARGIN = FAIR_CAPACITY_ONE / 100 };

void fair_set_cpu(struct policy *p, struct fair_entity *se, int cpu)
{
    se->cpu = cpu;
    if (se->cgroup == NULL) {
        se->queue = &fair_cpu_of(p, cpu)->queue;
        se->parent = NULL;
        se->depth = 0;
    } else {
        se->queue = &se->cgroup->queue[cpu];
        se->parent = &se->cgroup->entity[cpu];
        se->depth = se->parent->depth + 1;
    }
}

/* ---- estimated utilisation ---- */

static void util_est_enqueue(struct policy *p, struct fair_cpu *c, struct fair_entity *se)
{
    if (!fair_of(p)->util_est || se->util_est_counted != 0)
        return;
    se->util_est_counted = HL_MAX(se->util_est_ewma, se->util_est_enqueued);
    c->util_est += se->util_est_counted;
}

static void util_est_dequeue(struct fair_cpu *c, struct fair_entity *se)
{
    c->util_est -= se->util_est_counted;
    se->util_est_counted = 0;
}

/* util_est_update: at a sleep. */
static void util_est_update(struct policy *p, const struct fair_cpu *c, struct fair_entity *se)
{
    const struct fair *f = fair_of(p);
    int32_t util = se->avg.util_avg, before = se->util_est_enqueued;
    int32_t diff = se->util_est_ewma - util;

    if (!f->util_est)
        return;
    if (f->release == FAIR_6_1)
        se->util_est_enqueued = util;
    if (diff <= 0) { /* UTIL_EST_FASTUP */
        se->util_est_ewma = util;
        return;
    }
    if (diff < UTIL_EST_MARGIN) {
        if (f->release == FAIR_6_1 && HL_MAX(before - util, util - before) < UTIL_EST_MARGIN)
            se->util_est_enqueued = before;
        return;
    }
    if (util > c->capacity_orig ||
        (f->release != FAIR_6_1 && util + UTIL_EST_MARGIN < se->avg.runnable_avg))
        return;
    se->util_est_ewma = (4 * se->util_est_ewma - diff) / 4;
}

/* ---- counts ---- */

struct moving { /* tasks that come or go, as the queues on their path count them */
    int32_t h_nr, h_delayed, h_idle;
};

static struct moving moving_task(const struct fair_entity *se)
{
    return (struct moving){.h_nr = 1, .h_delayed = se->is_delayed, .h_idle = se->is_idle};
}

/* In the queue of se, which is a task's or a group's on the way up. */
static inline void count(const struct fair_entity *se, struct moving *m, int sign)
{
    struct fair_queue *q = se->queue;

    if (se->is_idle)
        m->h_idle = m->h_nr;
    q->h_nr += sign * m->h_nr;
    q->h_delayed += sign * m->h_delayed;
    q->h_idle += sign * m->h_idle;
}

/* A queue that wants a shorter slice makes its group want it (cfs_rq_min_slice). */
static void set_slice(struct fair_queue *q, struct fair_entity *group)
{
    int64_t slice_ns = fair_min_slice(group->own);

    if (slice_ns == INT64_MAX || slice_ns == group->slice_ns)
        return;
    group->slice_ns = slice_ns;
    if (group->on_rq && q->curr != group)
        fair_tree_set_slice(&group->node, slice_ns);
}

/* The groups of the path that are where they were follow what happens below. False: a throttled one
 * is among them, and the queues above do not count its tasks. */
static bool follow_up(struct policy *p, struct fair_entity *se, struct moving *m, int sign)
{
    for (; se != NULL; se = se->parent) {
        fair_update_load_avg(p, se->queue, se);
        fair_update_cfs_group(p, se);
        set_slice(se->queue, se);
        count(se, m, sign);
        if (se->queue->is_throttled)
            return false;
    }
    return true;
}

/* ---- a task comes ---- */

void fair_requeue_delayed(struct policy *p, struct fair_entity *se)
{
    fair_of(p)->rules->requeue_delayed(p, se->queue, se);
    se->is_delayed = false;
    if (!fair_is_task(se))
        return;
    util_est_enqueue(p, se->queue->of, se);
    for (struct fair_entity *up = se; up != NULL; up = up->parent) {
        up->queue->h_delayed--;
        if (up->queue->is_throttled)
            break;
    }
}

void fair_enqueue_task(struct policy *p, struct fair_entity *task, enum fair_move why)
{
    struct fair_entity *se = task;
    struct fair_cpu *c = task->queue->of;
    struct moving m = moving_task(task);
    bool is_counted = true;

    if (!task->is_delayed) /* such a one is moved: it sleeps on */
        util_est_enqueue(p, c, task);
    hl_list_push_front(&c->tasks, &task->in_tasks);
    while (se != NULL && is_counted) {
        if (se->on_rq) {
            if (se->is_delayed)
                fair_requeue_delayed(p, se);
            break;
        }
        if (!fair_is_task(se))
            set_slice(se->queue, se);
        fair_enqueue_entity(p, se->queue, se, why);
        count(se, &m, 1);
        is_counted = !se->queue->is_throttled;
        why = FAIR_MOVE_WAKE;
        se = se->parent;
    }
    if (!is_counted || !follow_up(p, se, &m, 1))
        return;
    c->nr_running++;
    if (c->nr_running > 1)
        fair_of(p)->overload = true;
}

/* ---- a task goes ---- */

void fair_set_next_buddy(struct fair_entity *se)
{
    for (; se != NULL && se->on_rq && !se->is_idle; se = se->parent)
        se->queue->next = se;
}

/* dequeue_entities, once `se` has left for good: groups without entities leave too, if they may. */
static void leave_path(struct policy *p, struct fair_entity *se, struct moving *m,
                       enum fair_move why)
{
    struct fair_cpu *c = se->queue->of;
    bool sleeps = why != FAIR_MOVE_MIGRATE;

    for (;;) {
        struct fair_queue *q = se->queue;

        count(se, m, -1);
        if (q->is_throttled)
            return;
        se = se->parent;
        if (se == NULL)
            break;
        if (q->nr > 0) {
            if (sleeps && q->throttle_count == 0)
                fair_set_next_buddy(se);
            break;
        }
        if (!fair_dequeue_entity(p, se->queue, se, FAIR_MOVE_SLEEP))
            break; /* the group stays, delayed */
    }
    if (follow_up(p, se, m, -1))
        c->nr_running -= m->h_nr;
}

bool fair_dequeue_task(struct policy *p, struct fair_entity *se, enum fair_move why)
{
    struct fair_cpu *c = se->queue->of;
    struct moving m = moving_task(se);
    bool leaves;

    util_est_dequeue(c, se);
    leaves = fair_dequeue_entity(p, se->queue, se, why);
    if (why == FAIR_MOVE_SLEEP)
        util_est_update(p, c, se);
    if (leaves) {
        hl_list_remove(&c->tasks, &se->in_tasks);
        leave_path(p, se, &m, why);
        return true;
    }
    for (; se != NULL; se = se->parent) {
        se->queue->h_delayed++;
        if (se->queue->is_throttled)
            break;
    }
    return false;
}

void fair_finish_delayed(struct policy *p, struct fair_entity *se)
{
    struct moving m = {0};

    assert(se->is_delayed);
    if (fair_is_task(se)) {
        m = moving_task(se);
        hl_list_remove(&se->queue->of->tasks, &se->in_tasks);
    }
    (void)fair_dequeue_entity(p, se->queue, se, FAIR_MOVE_UNDELAY);
    leave_path(p, se, &m, FAIR_MOVE_UNDELAY);
}

/* ---- a switch ---- */

void fair_switch(struct policy *p, struct fair_cpu *c, struct fair_entity *next)
{
    struct fair_entity *from = c->curr, *to = next;

    while (from != to) { /* up to where the paths meet */
        int32_t from_depth = from == NULL ? -1 : from->depth,
                to_depth = to == NULL ? -1 : to->depth;

        if (from_depth >= to_depth) {
            fair_put_prev_entity(p, from->queue, from);
            from = from->parent;
        }
        if (to_depth >= from_depth) {
            fair_set_next_entity(p, to->queue, to);
            to = to->parent;
        }
    }
    c->curr = next;
    if (next == NULL)
        return;
    hl_list_remove(&c->tasks, &next->in_tasks);
    hl_list_push_front(&c->tasks, &next->in_tasks);
}
