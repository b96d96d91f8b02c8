/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fair_entity.c - entities: their weight, the time they are charged, their way into the queue and
 * out of it, and the loads that follow.
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

enum { UTIL_EST_MARGIN = FAIR_CAPACITY_ONE / 100 };

#define FAIR_LONG_AGO_NS (-HL_NS_PER_S)

static const int32_t nice_to_weight[40] = {
    88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916, 9548, 7620, 6100, 4904,
    3906,  3121,  2501,  1991,  1586,  1277,  1024,  820,   655,   526,   423,  335,  272,  215,
    172,   137,   110,   87,    70,    56,    45,    36,    29,    23,    18,   15};

int32_t fair_weight_of(const struct policy_task *t, uint32_t *inverse)
{
    int32_t weight = t->class == CLASS_IDLE ? FAIR_IDLE_WEIGHT : nice_to_weight[t->nice + 20];

    *inverse = (uint32_t)((UINT64_C(1) << 32) / (uint64_t)weight);
    return weight;
}

/* A new weight keeps what the rules say, and is at once the weight of the load. */
void fair_reweight(struct policy *p, struct fair_entity *se, int32_t weight, uint32_t inverse)
{
    struct fair_cpu *c = fair_cpu_of(p, se->cpu);
    bool is_attached = se->avg.last_ns != 0;

    if (se->on_rq)
        fair_update_curr(p, c);
    if (is_attached) {
        fair_update_load_avg(p, c, se);
        c->avg.load_avg -= se->avg.load_avg;
        c->avg.load_sum -= se->weight * se->avg.load_sum;
    }
    fair_of(p)->rules->reweight(p, c, se, weight, inverse);
    se->avg.load_avg = (int32_t)(weight * se->avg.load_sum / pelt_divider(&se->avg));
    if (is_attached) {
        c->avg.load_avg = HL_MAX(c->avg.load_avg, 0) + se->avg.load_avg;
        c->avg.load_sum = HL_MAX(c->avg.load_sum, 0) + se->weight * se->avg.load_sum;
    }
}

/* ---- time ---- */

static void charge_until(struct policy *p, struct fair_cpu *c, int64_t now_ns)
{
    struct fair_entity *se = c->curr;
    int64_t delta_ns;

    if (se == NULL)
        return;
    delta_ns = now_ns - se->exec_start_ns;
    if (delta_ns <= 0)
        return;
    se->exec_start_ns += delta_ns;
    se->sum_exec_ns += delta_ns;
    se->vruntime += fair_calc_delta(delta_ns, se);
    fair_of(p)->rules->update_curr(p, c, se);
}

void fair_update_curr(struct policy *p, struct fair_cpu *c)
{
    charge_until(p, c, policy_now_ns(p));
}

/* ---- load ---- */

/* A busy slow cpu's clock is slower; an idle one's catches up (update_rq_clock_pelt). */
static int64_t pelt_clock(const struct policy *p, struct fair_cpu *c)
{
    int64_t now_ns = policy_now_ns(p);

    if (c->capacity == FAIR_CAPACITY_ONE)
        return now_ns;
    if (c->is_idle)
        c->pelt_ns = now_ns;
    else
        c->pelt_ns += (now_ns - c->clock_ns) * c->capacity / FAIR_CAPACITY_ONE;
    c->clock_ns = now_ns;
    return c->pelt_ns;
}

void fair_update_load_avg(struct policy *p, struct fair_cpu *c, struct fair_entity *se)
{
    int64_t now_ns = pelt_clock(p, c);

    if (pelt_update_sums(&c->avg, now_ns, c->load_weight, c->h_nr - c->nr_delayed, c->curr != NULL))
        pelt_update_averages(&c->avg, 1);
    if (se == NULL || se->avg.last_ns == 0)
        return;
    if (pelt_update_sums(&se->avg, now_ns, se->on_rq, se->on_rq && !se->is_delayed, se == c->curr))
        pelt_update_averages(&se->avg, se->weight);
}

/* attach_entity_load_avg */
void fair_attach_load(struct policy *p, struct fair_cpu *c, struct fair_entity *se)
{
    int64_t divider;

    (void)p;
    divider = pelt_divider(&c->avg);
    se->avg.last_ns = HL_MAX(c->avg.last_ns, 1);
    se->avg.period_contrib = c->avg.period_contrib;
    se->avg.util_sum = se->avg.util_avg * divider;
    se->avg.runnable_sum = se->avg.runnable_avg * divider;
    se->avg.load_sum = HL_MAX(se->avg.load_avg * divider / se->weight, 1);
    c->avg.load_avg += se->avg.load_avg;
    c->avg.load_sum += se->weight * se->avg.load_sum;
    c->avg.util_avg += se->avg.util_avg;
    c->avg.util_sum += se->avg.util_sum;
    c->avg.runnable_avg += se->avg.runnable_avg;
    c->avg.runnable_sum += se->avg.runnable_sum;
}

/* Subtracts, but keeps the sum in step with its average, which rounding has made differ. */
static void subtract(int32_t *avg, int64_t *sum, int32_t part_avg, int64_t part_sum)
{
    *avg = HL_MAX(*avg - part_avg, 0);
    *sum = HL_MAX(*sum - part_sum, *avg * (int64_t)(PELT_LOAD_AVG_MAX - PELT_SEGMENT));
}

void fair_detach_load(struct policy *p, struct fair_cpu *c, struct fair_entity *se)
{
    (void)p;
    if (se->avg.last_ns == 0)
        return;
    subtract(&c->avg.load_avg, &c->avg.load_sum, se->avg.load_avg, se->weight * se->avg.load_sum);
    subtract(&c->avg.util_avg, &c->avg.util_sum, se->avg.util_avg, se->avg.util_sum);
    subtract(&c->avg.runnable_avg, &c->avg.runnable_sum, se->avg.runnable_avg,
             se->avg.runnable_sum);
    se->avg.last_ns = 0;
}

/* post_init_entity_util_avg: half of what the cpu has left, or less if the queue says so. */
void fair_init_util(struct policy *p, struct fair_cpu *c, struct fair_entity *se)
{
    int64_t scale = fair_of(p)->release == FAIR_6_1 ? 1024 : 1; /* 6.1 takes the internal weight */
    int64_t cap = (c->capacity - c->avg.util_avg) / 2, util;

    if (cap > 0) {
        util = cap;
        if (c->avg.util_avg != 0)
            util =
                HL_MIN(cap, (int64_t)c->avg.util_avg * se->weight * scale / (c->avg.load_avg + 1));
        se->avg.util_avg = (int32_t)util;
    }
    se->avg.runnable_avg = se->avg.util_avg;
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
    if (util > c->capacity ||
        (f->release != FAIR_6_1 && util + UTIL_EST_MARGIN < se->avg.runnable_avg))
        return;
    se->util_est_ewma = (4 * se->util_est_ewma - diff) / 4;
}

/* ---- the tree ---- */

void fair_tree_enter(struct policy *p, struct fair_cpu *c, struct fair_entity *se)
{
    bool by_deadline = fair_of(p)->by_deadline;

    se->node.key = by_deadline ? se->deadline : se->vruntime;
    se->node.vruntime = se->vruntime;
    se->node.slice_ns = se->slice_ns;
    if (by_deadline) {
        c->avg_vruntime += (se->vruntime - c->min_vruntime) * se->weight;
        c->avg_load += se->weight;
    }
    fair_tree_insert(&c->tree, &se->node);
}

void fair_tree_leave(struct policy *p, struct fair_cpu *c, struct fair_entity *se)
{
    if (fair_of(p)->by_deadline) {
        c->avg_vruntime -= (se->vruntime - c->min_vruntime) * se->weight;
        c->avg_load -= se->weight;
    }
    fair_tree_remove(&c->tree, &se->node);
}

void fair_clear_buddies(struct fair_cpu *c, const struct fair_entity *se)
{
    if (c->next == se)
        c->next = NULL;
    if (c->last == se)
        c->last = NULL;
    if (c->skip == se)
        c->skip = NULL;
}

/* ---- in and out ---- */

static void account(struct fair_cpu *c, struct fair_entity *se, int sign)
{
    c->load_weight += sign * se->weight;
    c->h_nr += sign;
    c->nr_running += sign;
    if (se->is_idle_policy)
        c->idle_nr += sign;
}

void fair_enqueue_entity(struct policy *p, struct fair_cpu *c, struct fair_entity *se,
                         enum fair_move why)
{
    assert(!se->on_rq);
    fair_update_curr(p, c);
    util_est_enqueue(p, c, se);
    fair_update_load_avg(p, c, se);
    if (se->avg.last_ns == 0)
        fair_attach_load(p, c, se);
    fair_of(p)->rules->place_entity(p, c, se, why);
    account(c, se, 1);
    if (why == FAIR_MOVE_MIGRATE || why == FAIR_MOVE_WAKE_MIGRATED)
        se->exec_start_ns = FAIR_LONG_AGO_NS; /* cold until it runs */
    se->on_rq = true;
    se->cpu = c->cpu;
    if (se->is_delayed)
        c->nr_delayed++;
    fair_tree_enter(p, c, se);
    hl_list_push_front(&c->tasks, &se->in_tasks);
    if (c->nr_running > 1)
        fair_of(p)->overload = true;
}

/* The second half: it leaves the queue for good. */
static void leave(struct policy *p, struct fair_cpu *c, struct fair_entity *se, enum fair_move why)
{
    const struct fair_rules *rules = fair_of(p)->rules;

    fair_clear_buddies(c, se);
    rules->leaving(p, c, se, why);
    if (se != c->curr)
        fair_tree_leave(p, c, se);
    else
        c->curr = NULL;
    se->on_rq = false;
    account(c, se, -1);
    hl_list_remove(&c->tasks, &se->in_tasks);
    rules->left(p, c, se, why);
}

bool fair_dequeue_entity(struct policy *p, struct fair_cpu *c, struct fair_entity *se,
                         enum fair_move why)
{
    const struct fair_rules *rules = fair_of(p)->rules;

    assert(se->on_rq && se->cpu == c->cpu);
    fair_update_curr(p, c);
    fair_update_load_avg(p, c, se);
    util_est_dequeue(c, se);
    if (why == FAIR_MOVE_SLEEP) {
        util_est_update(p, c, se);
        if (rules->delays != NULL && rules->delays(p, c, se)) {
            se->is_delayed = true;
            c->nr_delayed++;
            return false;
        }
    }
    if (se->is_delayed)
        c->nr_delayed--;
    if (why == FAIR_MOVE_MIGRATE)
        fair_detach_load(p, c, se);
    leave(p, c, se, why);
    return true;
}

/* A pick has chosen a delayed entity: its lag is worked off, it leaves for good. */
void fair_finish_delayed(struct policy *p, struct fair_cpu *c, struct fair_entity *se)
{
    assert(se->is_delayed);
    fair_update_curr(p, c);
    fair_update_load_avg(p, c, se);
    c->nr_delayed--;
    leave(p, c, se, FAIR_MOVE_UNDELAY);
    se->is_delayed = false;
}

void fair_set_next_entity(struct policy *p, struct fair_cpu *c, struct fair_entity *se)
{
    assert(se->on_rq && c->curr == NULL);
    fair_clear_buddies(c, se);
    fair_tree_leave(p, c, se);
    fair_update_load_avg(p, c, se);
    se->exec_start_ns = policy_now_ns(p) + c->switch_ns;
    se->prev_sum_exec_ns = se->sum_exec_ns;
    c->curr = se;
    fair_of(p)->rules->set_next(p, c, se);
    hl_list_remove(&c->tasks, &se->in_tasks);
    hl_list_push_front(&c->tasks, &se->in_tasks);
}

/* curr goes back to the tree. */
void fair_put_prev_entity(struct policy *p, struct fair_cpu *c)
{
    struct fair_entity *se = c->curr;

    assert(se->on_rq);
    charge_until(p, c, policy_now_ns(p) + c->switch_ns);
    fair_update_load_avg(p, c, se);
    fair_tree_enter(p, c, se);
    c->curr = NULL;
}
