/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fair_class.c - the callbacks of policy.h for both policies: wakeup, fork, pick, tick, stop.
 *
 * Idea:    `schedule()` of the fair class: the running entity stays outside the tree; a pick
 *          charges it, asks the rule set, and puts and sets only if the answer is another one. An
 *          empty queue looks for work elsewhere first (newidle balance).
 * Source:  spec modern 1.1, 2.1, 4.1, 7.7.
 * Choices: a task of the start is a sleeper of long standing: no load, no lag; the first request of
 *          its deadline is whole. One that says it is forked begins as a child, of a task that has left
 *          its cpu.
 */
#include <assert.h>

#include "policy/fair_balance.h"
#include "policy/fair_cgroup.h"

/* ---- set-up ---- */

enum { PREEMPT_LAZY = 1 }; /* of the words of `preempt`; full is before it */

static int32_t scaling_factor(const struct policy *p)
{
    int32_t cpus = HL_MIN(policy_cpu_count(p), 8), factor = 1;

    switch (policy_param(p, "tunable_scaling")) {
    case 0: return 1;
    case 2: return cpus;
    default: break;
    }
    while (cpus >>= 1)
        factor++;
    return factor;
}

static int32_t hz_of(const struct policy *p)
{
    static const int32_t rates[] = {100, 250, 300, 1000};

    return rates[policy_param(p, "hz")];
}

enum hl_status fair_init(struct policy *p, const struct fair_rules *rules,
                         enum fair_release release, struct hl_error *err)
{
    struct fair *f = fair_of(p);

    f->rules = rules;
    f->release = release;
    f->by_deadline = release != FAIR_6_1;
    f->hz = hz_of(p);
    f->tick_ns = HL_NS_PER_S / f->hz;
    f->switch_ns = machine_constant(policy_machine(p), MACHINE_switch_cost_ns);
    f->scale = scaling_factor(p);
    f->migration_cost_ns = policy_param(p, "migration_cost_ns");
    f->nr_migrate = (int32_t)policy_param(p, "nr_migrate");
    f->sis_util = policy_param(p, "SIS_UTIL") != 0;
    f->util_est = policy_param(p, "UTIL_EST") != 0;
    f->wa_idle = policy_param(p, "WA_IDLE") != 0;
    f->wa_weight = policy_param(p, "WA_WEIGHT") != 0;
    f->wa_bias = policy_param(p, "WA_BIAS") != 0;
    f->cache_hot_buddy = policy_param(p, "CACHE_HOT_BUDDY") != 0;
    f->wakeup_preemption = policy_param(p, "WAKEUP_PREEMPTION") != 0;
    f->ni_random = policy_param(p, "NI_RANDOM") != 0;
    f->balance_drift = policy_param(p, "balance_drift") != 0;
    f->preemptible = policy_param(p, "preempt") <= PREEMPT_LAZY;
    f->is_lazy = policy_param(p, "preempt") == PREEMPT_LAZY;
    if (f->is_lazy && release < FAIR_6_18)
        return hl_fail(err, HL_USAGE,
                       "preempt is lazy, which Linux has from 6.13 on; expected full, voluntary or "
                       "none, or eevdf:version=6.18");
    f->next_buddy_min = policy_param(p, "NEXT_BUDDY") != 0 ? 0 : INT32_MAX;
    return fair_domains_init(p, err);
}

const struct policy_absent fair_absent[] = {
    {"TTWU_QUEUE", "a wake-up queues its task at once, also on other cpus; what it interrupts "
                   "there hears of it by an IPI"},
    {"HRTICK", "slices end at ticks, as where it is off (the default)"},
    {"LB_MIN", "balancing moves tasks of any load, as where it is off (the default)"},
    {"SIS_PROP", "searches for idle cpus are as long as SIS_UTIL says"},
    {"NONTASK_CAPACITY",
     "it is always on: real time takes from the capacity, interrupts take nothing"},
    {"ATTACH_AGE_LOAD", "it is always on"},
    {"UTIL_EST_FASTUP", "it is always on"},
    {NULL, NULL},
};

void fair_clock(const struct policy *p, struct policy_clock *clock)
{
    clock->hz = hz_of(p);
    clock->ticks_first = true;
    switch (policy_param(p, "ticks")) {
    case 1: clock->phase = PHASE_STAGGERED; break;
    case 2: clock->phase = PHASE_ALIGNED; break;
    default: clock->phase = PHASE_TOGETHER; break;
    }
}

/* ---- into the queue ---- */

static bool is_rt(const struct policy_task *t)
{
    return t->class == CLASS_FIFO || t->class == CLASS_RR;
}

void fair_fork(struct policy *p, struct policy_task *parent, struct policy_task *child)
{
    const struct fair *f = fair_of(p);
    struct fair_entity *se = fair_entity_of(child);
    int cpu;

    se->task = child;
    se->weight = fair_weight_of(child, &se->inverse);
    se->is_idle = child->class == CLASS_IDLE;
    se->cgroup = fair_cgroup_of(p, child);
    se->slice_ns = child->slice_ns > 0 ? child->slice_ns : f->base_slice_ns;
    se->wakes.last_wakee = FAIR_NO_TASK;
    se->cpu = parent != NULL ? parent->on_cpu : child->last_cpu;
    if (se->cpu >= 0)
        fair_set_cpu(p, se, se->cpu);
    se->recent_used_cpu = HL_MAX(se->cpu, 0);
    if (parent == NULL && !child->is_forked)
        return;
    se->is_new = true;
    se->avg.load_avg = se->weight;
    if (f->rules->fork == NULL || is_rt(child))
        return;
    cpu = se->cpu;
    fair_set_cpu(p, se, HL_MAX(cpu, 0));
    f->rules->fork(p, se->queue, se);
    se->cpu = cpu; /* one without a cpu is still to be placed */
}

/* find_matching_se: up to where both are in one queue. */
static void find_matching(struct fair_entity **curr, struct fair_entity **se)
{
    while ((*curr)->depth > (*se)->depth)
        *curr = (*curr)->parent;
    while ((*se)->depth > (*curr)->depth)
        *se = (*se)->parent;
    while ((*curr)->queue != (*se)->queue) {
        *curr = (*curr)->parent;
        *se = (*se)->parent;
    }
}

/* wakeup_preempt: se has become runnable on c. */
void fair_check_preempt(struct policy *p, struct fair_cpu *c, struct fair_entity *se)
{
    const struct fair *f = fair_of(p);
    const struct policy_task *woken = se->task;
    struct fair_entity *curr = c->curr;

    if (c->is_idle) {
        fair_resched(p, c);
        return;
    }
    if (c->rt_curr == NULL && curr != NULL && curr != se && !se->is_new &&
        curr->queue->nr >= f->next_buddy_min && se->queue->throttle_count == 0)
        fair_set_next_buddy(se);
    if (c->rt_curr != NULL || curr == NULL || curr == se || c->need_resched ||
        !f->wakeup_preemption || se->queue->throttle_count > 0)
        return;
    if (curr->queue != se->queue)
        find_matching(&curr, &se);
    if (curr != se && se->queue->curr == curr && f->rules->wakeup_preempt(p, se->queue, se, woken))
        fair_resched_lazily(p, c);
}

/* It slept on another cpu: its load leaves that queue, aged (migrate_task_rq_fair). */
static void leave_old_cpu(struct policy *p, struct fair_entity *se)
{
    fair_update_load_avg(p, se->queue, se);
    fair_detach_load(p, se->queue, se);
    if (se->parent != NULL)
        fair_update_path(p, se->parent);
    fair_of(p)->rules->left(p, se->queue, se, FAIR_MOVE_WAKE_MIGRATED);
}

void fair_enqueue(struct policy *p, struct policy_task *t, int cpu, const struct policy_wakeup *w)
{
    struct fair_cpu *c = fair_cpu_of(p, cpu);
    struct fair_entity *se = fair_entity_of(t);
    enum fair_move why = FAIR_MOVE_WAKE;

    if (is_rt(t)) {
        fair_rt_enqueue(p, c, t);
        return;
    }
    if (se->is_delayed && se->on_rq) { /* it has never left */
        assert(se->cpu == cpu);
        fair_requeue_delayed(p, se);
        fair_check_preempt(p, c, se);
        return;
    }
    if (w->why == POLICY_MOVE || w->why == POLICY_EXEC) {
        why = FAIR_MOVE_MIGRATE;
        se->cgroup = fair_cgroup_of(p, t); /* it may be another one now */
        fair_set_cpu(p, se, cpu);
    } else if (se->is_new) {
        why = FAIR_MOVE_FORK;
    } else if (se->cpu >= 0 && se->cpu != cpu) {
        why = FAIR_MOVE_WAKE_MIGRATED;
        leave_old_cpu(p, se);
    }
    if (se->cpu != cpu)
        fair_set_cpu(p, se, cpu);
    if (se->is_new)
        fair_init_util(p, se);
    fair_enqueue_task(p, se, why);
    fair_check_preempt(p, c, se);
    se->is_new = false;
}

void fair_dequeue(struct policy *p, struct policy_task *t, int cpu, enum policy_why why,
                  enum policy_wait wait)
{
    struct fair_entity *se = fair_entity_of(t);

    (void)cpu; /* balancing may have moved it */
    (void)wait;
    if (is_rt(t)) {
        fair_rt_dequeue(p, fair_cpu_of(p, se->cpu), t);
        return;
    }
    (void)fair_dequeue_task(p, se,
                            why == POLICY_SLEEP  ? FAIR_MOVE_SLEEP
                            : why == POLICY_EXIT ? FAIR_MOVE_EXIT
                                                 : FAIR_MOVE_MIGRATE);
    if (why == POLICY_EXIT) {
        fair_detach_load(p, se->queue, se);
        if (se->parent != NULL)
            fair_update_path(p, se->parent);
    }
}

/* ---- pick ---- */

/*
 * pick_task_fair: down the groups. Delayed entities that the rules choose are really gone; a group
 * that has used up its quota goes now. NULL: nobody is left.
 */
static struct fair_entity *pick_runnable(struct policy *p, struct fair_cpu *c)
{
    struct fair_queue *q = &c->queue;

    while (q->nr > 0) {
        struct fair_entity *se;

        fair_update_curr(p, q);
        if (q->cgroup != NULL && fair_check_runtime(p, q)) {
            q = &c->queue;
            continue;
        }
        se = fair_of(p)->rules->pick(p, q);
        if (se->is_delayed) {
            fair_finish_delayed(p, se);
            q = &c->queue;
        } else if (fair_is_task(se)) {
            return se;
        } else {
            q = se->own;
        }
    }
    return NULL;
}

static struct policy_task *go_idle(struct policy *p, struct fair_cpu *c)
{
    c->server.fair_runs = false;
    if (!c->is_idle)
        fair_enter_idle(p, c);
    return NULL;
}

/* How long after the decision the switch comes. */
static int64_t switch_delay_ns(struct policy *p)
{
    int64_t mean_ns = fair_of(p)->switch_ns;

    return mean_ns == 0 ? 0 : mean_ns / 2 + (int64_t)policy_random(p, (uint64_t)mean_ns + 1);
}

static struct policy_task *pick(struct policy *p, struct fair_cpu *c, struct policy_task *running)
{
    struct fair_entity *se;
    bool serves;

    if (fair_of(p)->rt_waiting > 0)
        fair_rt_pull(p, c);
    serves = c->server.state != FAIR_SERVER_OFF && fair_server_serves(p, c);
    if (serves)
        fair_rt_put(p, c);
    se = c->rt_nr > 0 && !serves ? NULL : pick_runnable(p, c);
    /* A search for work takes longer than the switches of others at the same tick, and sees them done. */
    if (se == NULL && c->rt_nr == 0 && running != NULL && policy_pick_later(p, c->cpu))
        return running;
    if (se == NULL)
        fair_switch(p, c, NULL); /* also the groups of a throttled task */
    if (se == NULL && c->rt_nr > 0) {
        c->server.fair_runs = false;
        fair_leave_idle(p, c);
        return fair_rt_pick(p, c);
    }
    if (se == NULL && !c->is_idle && fair_newidle_balance(p, c))
        se = pick_runnable(p, c);
    if (se == NULL)
        return go_idle(p, c);
    c->server.fair_runs = true;
    fair_leave_idle(p, c);
    if (se != c->curr) {
        c->switch_ns = switch_delay_ns(p);
        fair_switch(p, c, se);
    }
    if (fair_of(p)->is_asym)
        fair_update_misfit(p, c);
    return se->task;
}

struct policy_task *fair_pick(struct policy *p, int cpu, struct policy_task *prev)
{
    struct fair_cpu *c = fair_cpu_of(p, cpu);
    struct policy_task *next = pick(p, c, prev);

    c->need_resched = false; /* whatever the charge in the pick itself asked for */
    return next;
}

/* ---- the rest ---- */

void fair_tick(struct policy *p, int cpu, struct policy_task *running)
{
    struct fair *f = fair_of(p);
    struct fair_cpu *c = fair_cpu_of(p, cpu);

    (void)running;
    if (c->rt_curr != NULL) {
        fair_rt_tick(p, c);
    } else if (c->curr != NULL) {
        for (struct fair_entity *se = c->curr; se != NULL; se = se->parent) {
            fair_update_curr(p, se->queue);
            fair_update_load_avg(p, se->queue, se);
            if (!fair_is_task(se))
                fair_update_cfs_group(p, se);
            if (f->rules->entity_tick != NULL)
                f->rules->entity_tick(p, se->queue, se);
        }
        if (f->is_asym)
            fair_update_misfit(p, c);
    }
    if (f->release != FAIR_6_1 && (c->rt_nr > 0 || c->server.state != FAIR_SERVER_OFF))
        fair_server_tick(p, c);
    if (c->need_resched && f->is_lazy)
        policy_kick(p, cpu); /* what was lazy is due now */
    if (policy_cpu_count(p) == 1)
        return;
    if (fair_jiffies(p) >= c->next_balance)
        fair_rebalance_domains(p, c, FAIR_NOT_IDLE);
    fair_nohz_balancer_kick(p, c);
}

void fair_stopped(struct policy *p, int cpu, struct policy_task *preempted)
{
    struct fair_cpu *c = fair_cpu_of(p, cpu);

    (void)preempted;
    fair_switch(p, c, NULL);
    fair_rt_put(p, c);
    fair_active_balance(p, c);
}

void fair_yield(struct policy *p, struct policy_task *t)
{
    struct fair_entity *se = fair_entity_of(t);
    struct fair_cpu *c = fair_cpu_of(p, se->cpu);

    if (is_rt(t)) {
        c->rt_requeue = true;
        return;
    }
    if (c->nr_running == 1)
        return;
    fair_clear_buddies(se);
    fair_update_curr(p, se->queue);
    fair_of(p)->rules->yield(p, se->queue, se);
}

void fair_renice(struct policy *p, struct policy_task *t, int32_t old_nice)
{
    struct fair_entity *se = fair_entity_of(t);
    uint32_t inverse;
    int32_t weight = fair_weight_of(t, &inverse);

    (void)old_nice;
    if (weight == se->weight)
        return;
    if (se->cpu >= 0 && !is_rt(t)) {
        fair_reweight(p, se, weight, inverse);
    } else {
        se->weight = weight;
        se->inverse = inverse;
    }
}
