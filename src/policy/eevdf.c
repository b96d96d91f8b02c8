/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eevdf.c - Earliest Eligible Virtual Deadline First as of Linux 6.12 and 6.18.
 *
 * Idea:    a task asks for requests of a slice each. It is eligible while it has had no more than
 *          its share (its vruntime is not ahead of the weighted average V); among the eligible, the
 *          earliest deadline runs: vruntime at the request's begin plus the slice by weight. Lag,
 *          what a task is owed, survives sleep; one that has had too much stays in the queue asleep
 *          until the debt is worked off (delayed dequeue).
 * Source:  spec modern 7, 8, 9.
 * Choices: 6.12.0 has the base slice as released, 0.75 ms; 6.12 is the late stable series, with
 *          0.70 ms and the later rule of yield. The origin of the average follows the least
 *          vruntime. A delayed task's wakeup looks at its lag before the running task
 *          is charged (the spec is silent; so partners on a pipe preempt as measured). With lazy preemption a
 *          slice end at a tick is immediate, since computing tasks are in user mode; what another
 *          cpu brings about waits for the next tick.
 * Good at: saying what a task gets: shares by weight, latency by slice.
 * Bad at:  sleepers with the default slice: they often wait for the end of another's slice.
 */
#include "policy/fair_cgroup.h"

enum { SLICE_MIN_NS = 100000, SLICE_MAX_NS = 100000000 };

struct eevdf {
    struct fair fair; /* first */
    int64_t unscaled_base_ns;
    bool place_lag, place_deadline_initial, place_rel_deadline, run_to_parity, preempt_short;
    bool delay_dequeue, delay_zero, pick_buddy;
};

static const struct eevdf *eevdf_of(const struct policy *p)
{
    return policy_data(p);
}

static struct fair_entity *entity_of(const struct fair_node *node)
{
    return fair_entity_of_node(node);
}

/* ---- the average: 7.2 ---- */

static const struct fair_entity *queued_curr(const struct fair_queue *q)
{
    return q->curr != NULL && q->curr->on_rq ? q->curr : NULL;
}

/* Sum of weight * (vruntime - origin) and of weights, the running entity with them. */
static int64_t weighted_sum(const struct fair_queue *q, int64_t *weight)
{
    const struct fair_entity *curr = queued_curr(q);
    int64_t sum = q->avg_vruntime;

    *weight = q->avg_load;
    if (curr != NULL) {
        sum += (curr->vruntime - q->min_vruntime) * curr->weight;
        *weight += curr->weight;
    }
    return sum;
}

int64_t fair_avg_vruntime(const struct fair_queue *q)
{
    int64_t weight, sum = weighted_sum(q, &weight);

    if (weight == 0)
        return q->min_vruntime;
    if (sum < 0)
        sum -= weight - 1; /* to the left */
    return q->min_vruntime + sum / weight;
}

/* vruntime <= V, without dividing. */
static bool eevdf_vruntime_eligible(const struct fair_queue *q, int64_t vruntime)
{
    int64_t weight, sum = weighted_sum(q, &weight);

    return sum >= (vruntime - q->min_vruntime) * weight;
}

static bool eevdf_entity_eligible(const struct fair_queue *q, const struct fair_entity *se)
{
    return eevdf_vruntime_eligible(q, se->vruntime);
}

/* The origin goes forward with the least vruntime (__update_min_vruntime). */
static void eevdf_update_origin(struct fair_queue *q)
{
    const struct fair_entity *curr = queued_curr(q);
    int64_t least = q->min_vruntime;

    if (q->tree.root != NULL)
        least = q->tree.root->min_vruntime;
    if (curr != NULL)
        least = q->tree.root != NULL ? HL_MIN(least, curr->vruntime) : curr->vruntime;
    if (least <= q->min_vruntime)
        return;
    q->avg_vruntime -= q->avg_load * (least - q->min_vruntime);
    q->min_vruntime = least;
}

/* update_entity_lag: V - v, within two slices or a tick. */
static int64_t eevdf_lag(const struct policy *p, const struct fair_queue *q,
                         const struct fair_entity *se)
{
    int64_t lag = fair_avg_vruntime(q) - se->vruntime;
    int64_t most = fair_calc_delta(HL_MAX(2 * se->slice_ns, fair_of(p)->tick_ns), se);

    return HL_MAX(HL_MIN(lag, most), -most);
}

/* ---- protection of the running slice: 7.5 ---- */

static bool eevdf_is_protected(const struct policy *p, const struct fair_entity *se)
{
    if (fair_of(p)->release >= FAIR_6_18)
        return se->vruntime < se->protect;
    return se->protect == se->deadline;
}

static void eevdf_cancel_protect_slice(const struct policy *p, struct fair_entity *se)
{
    se->protect = fair_of(p)->release >= FAIR_6_18 ? se->vruntime : se->deadline + 1;
}

/* set_protect_slice */
static void eevdf_set_next(struct policy *p, struct fair_queue *q, struct fair_entity *se)
{
    const struct eevdf *e = eevdf_of(p);
    int64_t slice_ns;

    se->protect = se->deadline;
    if (e->fair.release < FAIR_6_18)
        return;
    slice_ns = HL_MIN(e->run_to_parity ? fair_min_slice(q) : e->unscaled_base_ns, se->slice_ns);
    if (slice_ns != se->slice_ns)
        se->protect = HL_MIN(se->deadline, se->vruntime + fair_calc_delta(slice_ns, se));
}

/* ---- pick: 7.3 ---- */

/* The earliest deadline among the waiting that are eligible. */
static struct fair_entity *first_eligible(const struct fair_queue *q)
{
    struct fair_node *node = q->tree.first;

    if (node == NULL || eevdf_vruntime_eligible(q, node->vruntime))
        return entity_of(node);
    for (node = q->tree.root; node != NULL;) {
        if (node->left != NULL && eevdf_vruntime_eligible(q, node->left->min_vruntime))
            node = node->left;
        else if (eevdf_vruntime_eligible(q, node->vruntime))
            break;
        else
            node = node->right;
    }
    return entity_of(node);
}

/* pick_eevdf */
static struct fair_entity *eevdf_choose(const struct policy *p, const struct fair_queue *q,
                                        bool protect)
{
    struct fair_entity *curr = q->curr, *best;

    if (q->nr == 1)
        return curr != NULL ? curr : entity_of(q->tree.first);
    if (curr != NULL && !eevdf_entity_eligible(q, curr))
        curr = NULL;
    /* From 6.17 on, the switch says how long protection is, not whether there is any. */
    if (curr != NULL && protect && eevdf_is_protected(p, curr) &&
        (eevdf_of(p)->run_to_parity || fair_of(p)->release >= FAIR_6_18))
        return curr;
    best = first_eligible(q);
    if (best == NULL || (curr != NULL && curr->deadline < best->deadline))
        best = curr;
    return best;
}

/* pick_next_entity */
static struct fair_entity *eevdf_pick(struct policy *p, struct fair_queue *q)
{
    struct fair_entity *se;

    if (q->next != NULL && eevdf_of(p)->pick_buddy && eevdf_entity_eligible(q, q->next))
        return q->next;
    se = eevdf_choose(p, q, true);

    /* Somebody is always eligible: the least vruntime is at most the average. */
    return se != NULL ? se : entity_of(q->tree.first);
}

/* ---- charging and preemption: 7.4 ---- */

/* update_deadline: true if the request is used up, and the next one begins. */
static bool eevdf_update_deadline(struct fair_entity *se)
{
    if (se->vruntime < se->deadline)
        return false;
    se->deadline = se->vruntime + fair_calc_delta(se->slice_ns, se);
    return true;
}

static void eevdf_update_curr(struct policy *p, struct fair_queue *q, struct fair_entity *se)
{
    const struct eevdf *e = eevdf_of(p);
    bool resched = eevdf_update_deadline(se);

    eevdf_update_origin(q);
    if (q->nr == 1)
        return;
    if (!resched && e->fair.release >= FAIR_6_18)
        resched = !eevdf_is_protected(p, se);
    else if (!resched)
        resched = e->preempt_short && !eevdf_is_protected(p, se) && !eevdf_entity_eligible(q, se);
    if (resched) {
        fair_clear_buddies(se);
        if (se->on_rq && !q->of->need_resched)
            fair_resched_lazily(p, q->of);
    }
}

/* Should a shorter slice break the protection of the running one (do_preempt_short)? */
static bool eevdf_preempts_short(const struct policy *p, const struct fair_queue *q,
                                 const struct fair_entity *se)
{
    if (!eevdf_of(p)->preempt_short || se->slice_ns >= q->curr->slice_ns)
        return false;
    if (fair_of(p)->release >= FAIR_6_18)
        return true;
    return eevdf_entity_eligible(q, se) &&
           (se->deadline < q->curr->deadline || !eevdf_entity_eligible(q, q->curr));
}

/* check_preempt_wakeup_fair; within one queue */
static bool eevdf_wakeup_preempt(struct policy *p, struct fair_queue *q, struct fair_entity *se,
                                 const struct policy_task *woken)
{
    struct fair_entity *curr = q->curr;
    bool is_short;

    if (curr->is_idle != se->is_idle) {
        if (curr->is_idle)
            eevdf_cancel_protect_slice(p, curr);
        return curr->is_idle;
    }
    if (woken->class != CLASS_NORMAL)
        return false;
    fair_update_curr(p, q);
    is_short = eevdf_preempts_short(p, q, se);
    if (fair_of(p)->release >= FAIR_6_18) {
        if (eevdf_choose(p, q, !is_short) == se) {
            eevdf_cancel_protect_slice(p, curr);
            return true;
        }
        if (eevdf_of(p)->run_to_parity && is_short) /* update_protect_slice */
            curr->protect =
                HL_MIN(curr->protect, curr->vruntime + fair_calc_delta(fair_min_slice(q), curr));
        return false;
    }
    if (is_short && eevdf_is_protected(p, curr))
        eevdf_cancel_protect_slice(p, curr);
    return eevdf_choose(p, q, true) == se;
}

/* ---- placement: 7.6 ---- */

static void place(const struct policy *p, const struct fair_queue *q, struct fair_entity *se,
                  bool initial)
{
    const struct eevdf *e = eevdf_of(p);
    int64_t length = fair_calc_delta(se->slice_ns, se), weight, lag = 0;

    if (e->place_lag && q->nr > 0 && se->vlag != 0) {
        (void)weighted_sum(q, &weight);
        /* Entering moves the average towards the newcomer: afterwards the lag is the one it had. */
        lag = se->vlag * (weight + se->weight) / HL_MAX(weight, 1);
    }
    se->vruntime = fair_avg_vruntime(q) - lag;
    if (e->place_rel_deadline && se->has_rel_deadline) {
        se->deadline += se->vruntime;
        se->has_rel_deadline = false;
        return;
    }
    if (e->place_deadline_initial && initial)
        length /= 2;
    se->deadline = se->vruntime + length;
}

static void eevdf_place_entity(struct policy *p, struct fair_queue *q, struct fair_entity *se,
                               enum fair_move why)
{
    place(p, q, se, why == FAIR_MOVE_FORK);
}

static void eevdf_leaving(struct policy *p, struct fair_queue *q, struct fair_entity *se,
                          enum fair_move why)
{
    se->vlag = eevdf_lag(p, q, se);
    if (why == FAIR_MOVE_MIGRATE && eevdf_of(p)->place_rel_deadline) {
        se->deadline -= se->vruntime;
        se->has_rel_deadline = true;
    }
    if (se->is_delayed && why != FAIR_MOVE_MIGRATE && eevdf_of(p)->delay_zero)
        se->vlag = HL_MIN(se->vlag, 0);
}

static void eevdf_left(struct policy *p, struct fair_queue *q, struct fair_entity *se,
                       enum fair_move why)
{
    (void)p;
    (void)se;
    (void)why;
    eevdf_update_origin(q);
}

static bool eevdf_delays(struct policy *p, struct fair_queue *q, const struct fair_entity *se)
{
    return eevdf_of(p)->delay_dequeue && !eevdf_entity_eligible(q, se);
}

/* requeue_delayed_entity: it is woken before its debt is worked off, or after. By the average as it
 * was when the running task was charged last: a partner that just ran for long is still behind it,
 * keeps its place and preempts. */
static void eevdf_requeue_delayed(struct policy *p, struct fair_queue *q, struct fair_entity *se)
{
    fair_update_load_avg(p, q, se);
    if (eevdf_of(p)->delay_zero && eevdf_lag(p, q, se) > 0) {
        fair_tree_leave(p, q, se);
        q->nr--;
        se->vlag = 0;
        place(p, q, se, false);
        q->nr++;
        fair_tree_enter(p, q, se);
    }
}

/* reweight_entity: lag and the rest of the request keep their length in time. */
static void eevdf_reweight(struct policy *p, struct fair_queue *q, struct fair_entity *se,
                           int32_t weight, uint32_t inverse)
{
    bool is_curr = se == q->curr;

    if (se->on_rq) {
        se->vlag = eevdf_lag(p, q, se);
        se->deadline -= se->vruntime;
        se->has_rel_deadline = true;
        if (!is_curr)
            fair_tree_leave(p, q, se);
        else
            q->curr = NULL; /* out of the average while it is placed */
        q->nr--;
        q->load_weight += weight - se->weight;
    }
    se->vlag = se->vlag * se->weight / weight;
    if (se->has_rel_deadline)
        se->deadline = se->deadline * se->weight / weight;
    se->weight = weight;
    se->inverse = inverse;
    if (!se->on_rq)
        return;
    place(p, q, se, false);
    q->nr++;
    if (is_curr)
        q->curr = se;
    else
        fair_tree_enter(p, q, se);
    eevdf_update_origin(q);
}

static void eevdf_yield(struct policy *p, struct fair_queue *q, struct fair_entity *se)
{
    if (fair_of(p)->release == FAIR_6_12_0) {
        se->deadline += fair_calc_delta(se->slice_ns, se);
        return;
    }
    if (eevdf_entity_eligible(q, se)) {
        se->vruntime = se->deadline;
        (void)eevdf_update_deadline(se);
        eevdf_update_origin(q);
    }
}

/* ---- the policy ---- */

static const struct fair_rules eevdf_rules = {
    .update_curr = eevdf_update_curr,
    .place_entity = eevdf_place_entity,
    .delays = eevdf_delays,
    .leaving = eevdf_leaving,
    .left = eevdf_left,
    .pick = eevdf_pick,
    .set_next = eevdf_set_next,
    .wakeup_preempt = eevdf_wakeup_preempt,
    .requeue_delayed = eevdf_requeue_delayed,
    .yield = eevdf_yield,
    .reweight = eevdf_reweight,
};

static enum hl_status eevdf_init(struct policy *p, struct hl_error *err)
{
    static const enum fair_release releases[] = {FAIR_6_12, FAIR_6_12_0, FAIR_6_18};
    struct eevdf *e = policy_data(p);
    enum fair_release release = releases[policy_param(p, "version")];
    int64_t given = policy_param(p, "base_slice_ns");

    HL_TRY(fair_init(p, &eevdf_rules, release, err));
    e->unscaled_base_ns = (release == FAIR_6_12_0 ? 750 : 700) * HL_NS_PER_US;
    if (given != POLICY_PARAM_UNSET)
        e->unscaled_base_ns = given / e->fair.scale;
    e->fair.base_slice_ns =
        given != POLICY_PARAM_UNSET ? given : e->unscaled_base_ns * e->fair.scale;
    HL_TRY(fair_cgroups_init(p, err));
    e->place_lag = policy_param(p, "PLACE_LAG") != 0;
    e->place_deadline_initial = policy_param(p, "PLACE_DEADLINE_INITIAL") != 0;
    e->place_rel_deadline = policy_param(p, "PLACE_REL_DEADLINE") != 0;
    e->run_to_parity = policy_param(p, "RUN_TO_PARITY") != 0;
    e->preempt_short = policy_param(p, "PREEMPT_SHORT") != 0;
    e->delay_dequeue = policy_param(p, "DELAY_DEQUEUE") != 0;
    e->delay_zero = policy_param(p, "DELAY_ZERO") != 0;
    e->pick_buddy = policy_param(p, "PICK_BUDDY") != 0;
    return HL_OK;
}

static const struct policy_param_info eevdf_params[] = {
    {"version", PARAM_CHOICE, "", "6.12|6.12.0|6.18", 0, 2, 0,
     "6.12: late stable series; 6.12.0: as released; spec modern 8"},
    {"base_slice_ns", PARAM_DURATION, "", NULL, SLICE_MIN_NS, SLICE_MAX_NS, POLICY_PARAM_UNSET,
     "slice of a request; default 0.70 ms (6.12.0: 0.75 ms), scaled; spec modern 7.1"},
    FAIR_COMMON_PARAMS,
    FAIR_FEATURE("PLACE_LAG", 1, "lag survives sleep; spec modern 7.6"),
    FAIR_FEATURE("PLACE_DEADLINE_INITIAL", 1,
                 "a new task's first request is half; spec modern 7.6"),
    FAIR_FEATURE("PLACE_REL_DEADLINE", 1, "a moved task keeps its request; spec modern 7.6"),
    FAIR_FEATURE("RUN_TO_PARITY", 1, "a running slice is protected; spec modern 7.5"),
    FAIR_FEATURE("PREEMPT_SHORT", 1, "shorter slices break it; spec modern 7.4"),
    FAIR_FEATURE("DELAY_DEQUEUE", 1, "a sleeper in debt stays queued; spec modern 7.7"),
    FAIR_FEATURE("DELAY_ZERO", 1, "and gains nothing by it; spec modern 7.7"),
    FAIR_FEATURE("PICK_BUDDY", 1, "a group that lost a sleeper is preferred; spec modern 7.3"),
    {0}};

const struct policy_ops policy_eevdf = {
    .name = "eevdf",
    .summary = "EEVDF of Linux 6.12 and 6.18: earliest deadline among those owed time",
    .source = "spec modern 7",
    .params = eevdf_params,
    .init = eevdf_init,
    .policy_bytes = sizeof(struct eevdf),
    FAIR_OPS,
};
