/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fair_entity.c - entities of one queue: their weight, the time they are charged, their way into the
 * queue and out of it, and the loads that follow.
 *
 * Idea:    each step is common to cfs and eevdf but for the rule set's own part: where virtual time
 *          begins, who may stay although it sleeps.
 * Source:  spec modern 1.2, 1.3, 2.2, 7.2, 7.7.
 * Choices: a sleeper's load leaves its old queue at the instant it is woken elsewhere (the kernel
 *          collects such removals until the queue's next update). The task clock is the clock:
 *          interrupts are not modelled. The kernel switches some microseconds after the tick that
 *          asked for it, and the preempted task is charged for them: here the machine's switch
 *          cost, half of it to one and a half drawn anew, so that ties which the delay does not
 *          decide come out both ways (spec modern 18). On machines that switch for free all is
 *          exact.
 */
#include <assert.h>

#include "policy/fair.h"
#include "policy/fair_cgroup.h"

#define FAIR_LONG_AGO_NS (-HL_NS_PER_S)

static const int32_t nice_to_weight[40] = {
    88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916, 9548, 7620, 6100, 4904,
    3906,  3121,  2501,  1991,  1586,  1277,  1024,  820,   655,   526,   423,  335,  272,  215,
    172,   137,   110,   87,    70,    56,    45,    36,    29,    23,    18,   15};

int32_t fair_weight_of_nice(int32_t nice)
{
    return nice_to_weight[nice + 20];
}

int32_t fair_weight_of(const struct policy_task *t, uint32_t *inverse)
{
    int32_t weight = t->class == CLASS_IDLE ? FAIR_IDLE_WEIGHT : nice_to_weight[t->nice + 20];

    *inverse = fair_inverse(weight);
    return weight;
}

/* A new weight keeps what the rules say, and is at once the weight of the load. */
void fair_reweight(struct policy *p, struct fair_entity *se, int32_t weight, uint32_t inverse)
{
    struct fair_queue *q = se->queue;
    bool is_attached = se->avg.last_ns != 0;

    if (se->on_rq)
        fair_update_curr(p, q);
    if (is_attached) {
        if (fair_is_task(se))
            fair_update_load_avg(p, q, se);
        q->avg.load_avg -= se->avg.load_avg;
        q->avg.load_sum -= se->weight * se->avg.load_sum;
    }
    fair_of(p)->rules->reweight(p, q, se, weight, inverse);
    se->avg.load_avg = (int32_t)(weight * se->avg.load_sum / pelt_divider(&se->avg));
    if (is_attached) {
        q->avg.load_avg = HL_MAX(q->avg.load_avg, 0) + se->avg.load_avg;
        q->avg.load_sum = HL_MAX(q->avg.load_sum, 0) + se->weight * se->avg.load_sum;
    }
}

/* ---- time ---- */

static inline void charge_until(struct policy *p, struct fair_queue *q, int64_t now_ns)
{
    struct fair_entity *se = q->curr;
    int64_t delta_ns;

    if (se == NULL)
        return;
    delta_ns = now_ns - se->exec_start_ns;
    if (delta_ns <= 0)
        return;
    se->exec_start_ns += delta_ns;
    se->sum_exec_ns += delta_ns;
    se->vruntime += fair_calc_delta(delta_ns, se);
    fair_of(p)->rules->update_curr(p, q, se);
    if (q->cgroup != NULL)
        fair_account_runtime(p, q, delta_ns);
}

void fair_update_curr(struct policy *p, struct fair_queue *q)
{
    charge_until(p, q, policy_now_ns(p));
}

/* ---- load ---- */

/* A busy slow cpu's clock is slower; an idle one's catches up (update_rq_clock_pelt). */
static int64_t cpu_pelt_clock(const struct policy *p, struct fair_cpu *c)
{
    int64_t now_ns = policy_now_ns(p);

    if (c->capacity_orig == FAIR_CAPACITY_ONE)
        return now_ns;
    if (c->is_idle)
        c->pelt_ns = now_ns;
    else
        c->pelt_ns += (now_ns - c->clock_ns) * c->capacity_orig / FAIR_CAPACITY_ONE;
    c->clock_ns = now_ns;
    return c->pelt_ns;
}

int64_t fair_pelt_clock(const struct policy *p, struct fair_queue *q)
{
    int64_t now_ns = cpu_pelt_clock(p, q->of);

    if (q->cgroup == NULL)
        return now_ns;
    return (q->throttle_count > 0 ? q->pelt_stopped_ns : now_ns) - q->pelt_away_ns;
}

void fair_update_load_avg(struct policy *p, struct fair_queue *q, struct fair_entity *se)
{
    bool is_plain = q->cgroup == NULL && q->of->capacity_orig == FAIR_CAPACITY_ONE; /* nearly always */
    int64_t now_ns = is_plain ? policy_now_ns(p) : fair_pelt_clock(p, q);
    bool is_due =
        pelt_update_sums(&q->avg, now_ns, q->load_weight, q->h_nr - q->h_delayed, q->curr != NULL);

    if (is_due)
        pelt_update_averages(&q->avg, 1);
    if (se != NULL && se->avg.last_ns != 0) {
        int64_t runnable =
            fair_is_task(se) ? se->on_rq && !se->is_delayed : se->own->h_nr - se->own->h_delayed;

        if (pelt_update_sums(&se->avg, now_ns, se->on_rq, runnable, se == q->curr))
            pelt_update_averages(&se->avg, se->weight);
        if (!fair_is_task(se) && se->own->propagate)
            fair_propagate_load(q, se);
    }
    if (is_due && q->cgroup != NULL)
        fair_update_tg_load_avg(q);
}

/* attach_entity_load_avg */
void fair_attach_load(struct policy *p, struct fair_queue *q, struct fair_entity *se)
{
    int64_t divider;

    (void)p;
    divider = pelt_divider(&q->avg);
    se->avg.last_ns = HL_MAX(q->avg.last_ns, 1);
    se->avg.period_contrib = q->avg.period_contrib;
    se->avg.util_sum = se->avg.util_avg * divider;
    se->avg.runnable_sum = se->avg.runnable_avg * divider;
    se->avg.load_sum = HL_MAX(se->avg.load_avg * divider / se->weight, 1);
    q->avg.load_avg += se->avg.load_avg;
    q->avg.load_sum += se->weight * se->avg.load_sum;
    q->avg.util_avg += se->avg.util_avg;
    q->avg.util_sum += se->avg.util_sum;
    q->avg.runnable_avg += se->avg.runnable_avg;
    q->avg.runnable_sum += se->avg.runnable_sum;
    if (q->cgroup != NULL)
        fair_add_propagation(q, se->avg.load_sum);
}

/* Subtracts, but keeps the sum in step with its average, which rounding has made differ. */
static void subtract(int32_t *avg, int64_t *sum, int32_t part_avg, int64_t part_sum)
{
    *avg = HL_MAX(*avg - part_avg, 0);
    *sum = HL_MAX(*sum - part_sum, *avg * (int64_t)(PELT_LOAD_AVG_MAX - PELT_SEGMENT));
}

void fair_detach_load(struct policy *p, struct fair_queue *q, struct fair_entity *se)
{
    (void)p;
    if (se->avg.last_ns == 0)
        return;
    subtract(&q->avg.load_avg, &q->avg.load_sum, se->avg.load_avg, se->weight * se->avg.load_sum);
    subtract(&q->avg.util_avg, &q->avg.util_sum, se->avg.util_avg, se->avg.util_sum);
    subtract(&q->avg.runnable_avg, &q->avg.runnable_sum, se->avg.runnable_avg,
             se->avg.runnable_sum);
    se->avg.last_ns = 0;
    if (q->cgroup != NULL)
        fair_add_propagation(q, -se->avg.load_sum);
}

/* post_init_entity_util_avg: half of what the cpu has left, or less if the queue says so. */
void fair_init_util(struct policy *p, struct fair_entity *se)
{
    const struct fair_queue *q = se->queue;
    int64_t scale = fair_of(p)->release == FAIR_6_1 ? 1024 : 1; /* 6.1 takes the internal weight */
    int64_t cap = (q->of->capacity_orig - q->avg.util_avg) / 2, util;

    if (cap > 0) {
        util = cap;
        if (q->avg.util_avg != 0)
            util =
                HL_MIN(cap, (int64_t)q->avg.util_avg * se->weight * scale / (q->avg.load_avg + 1));
        se->avg.util_avg = (int32_t)util;
    }
    se->avg.runnable_avg = se->avg.util_avg;
}

/* ---- the tree ---- */

void fair_tree_enter(struct policy *p, struct fair_queue *q, struct fair_entity *se)
{
    bool by_deadline = fair_of(p)->by_deadline;

    se->node.key = by_deadline ? se->deadline : se->vruntime;
    se->node.vruntime = se->vruntime;
    se->node.slice_ns = se->slice_ns;
    if (by_deadline) {
        q->avg_vruntime += (se->vruntime - q->min_vruntime) * se->weight;
        q->avg_load += se->weight;
    }
    fair_tree_insert(&q->tree, &se->node);
}

void fair_tree_leave(struct policy *p, struct fair_queue *q, struct fair_entity *se)
{
    if (fair_of(p)->by_deadline) {
        q->avg_vruntime -= (se->vruntime - q->min_vruntime) * se->weight;
        q->avg_load -= se->weight;
    }
    fair_tree_remove(&q->tree, &se->node);
}

void fair_clear_buddies(struct fair_entity *se)
{
    for (struct fair_entity *up = se; up != NULL && up->queue->next == up; up = up->parent)
        up->queue->next = NULL;
    for (struct fair_entity *up = se; up != NULL && up->queue->last == up; up = up->parent)
        up->queue->last = NULL;
    for (struct fair_entity *up = se; up != NULL && up->queue->skip == up; up = up->parent)
        up->queue->skip = NULL;
}

/* ---- in and out ---- */

void fair_enqueue_entity(struct policy *p, struct fair_queue *q, struct fair_entity *se,
                         enum fair_move why)
{
    assert(!se->on_rq && se->queue == q);
    fair_update_curr(p, q);
    fair_update_load_avg(p, q, se);
    if (se->avg.last_ns == 0)
        fair_attach_load(p, q, se);
    if (!fair_is_task(se))
        fair_update_cfs_group(p, se);
    fair_of(p)->rules->place_entity(p, q, se, why);
    q->load_weight += se->weight;
    q->nr++;
    q->idle_nr += se->is_idle;
    if (why == FAIR_MOVE_MIGRATE || why == FAIR_MOVE_WAKE_MIGRATED)
        se->exec_start_ns = FAIR_LONG_AGO_NS; /* cold until it runs */
    se->on_rq = true;
    fair_tree_enter(p, q, se);
    if (q->cgroup != NULL && q->nr == 1)
        fair_check_enqueue_throttle(p, q);
}

/* The second half: it leaves the queue for good. */
static void leave(struct policy *p, struct fair_queue *q, struct fair_entity *se,
                  enum fair_move why)
{
    const struct fair_rules *rules = fair_of(p)->rules;

    fair_clear_buddies(se);
    rules->leaving(p, q, se, why);
    if (se != q->curr)
        fair_tree_leave(p, q, se);
    else
        q->curr = NULL;
    if (q->of->curr == se)
        q->of->curr = se->parent;
    se->on_rq = false;
    if (why == FAIR_MOVE_UNDELAY || why == FAIR_MOVE_THROTTLE)
        se->is_delayed = false;
    q->load_weight -= se->weight;
    q->nr--;
    q->idle_nr -= se->is_idle;
    if (q->cgroup != NULL)
        fair_return_runtime(p, q);
    rules->left(p, q, se, why);
}

bool fair_dequeue_entity(struct policy *p, struct fair_queue *q, struct fair_entity *se,
                         enum fair_move why)
{
    const struct fair_rules *rules = fair_of(p)->rules;

    assert(se->on_rq && se->queue == q);
    fair_update_curr(p, q);
    fair_update_load_avg(p, q, se);
    if (why == FAIR_MOVE_SLEEP && rules->delays != NULL && rules->delays(p, q, se)) {
        fair_clear_buddies(se);
        se->is_delayed = true;
        return false;
    }
    if (why == FAIR_MOVE_MIGRATE)
        fair_detach_load(p, q, se);
    leave(p, q, se, why);
    if (!fair_is_task(se))
        fair_update_cfs_group(p, se);
    return true;
}

void fair_set_next_entity(struct policy *p, struct fair_queue *q, struct fair_entity *se)
{
    assert(se->on_rq && q->curr == NULL);
    fair_clear_buddies(se);
    fair_tree_leave(p, q, se);
    fair_update_load_avg(p, q, se);
    se->exec_start_ns = policy_now_ns(p) + q->of->switch_ns;
    se->prev_sum_exec_ns = se->sum_exec_ns;
    q->curr = se;
    fair_of(p)->rules->set_next(p, q, se);
}

/* It goes back to the tree, unless it has left; then too its queue, although empty, is throttled if it
 * has overrun, so that the debts of nested groups are paid at the same time. */
void fair_put_prev_entity(struct policy *p, struct fair_queue *q, struct fair_entity *se)
{
    if (q->cgroup != NULL) {
        fair_update_curr(p, q);
        (void)fair_check_runtime(p, q);
    }
    if (q->curr != se)
        return;
    charge_until(p, q, policy_now_ns(p) + q->of->switch_ns);
    fair_update_load_avg(p, q, se);
    fair_tree_enter(p, q, se);
    q->curr = NULL;
}
