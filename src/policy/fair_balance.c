/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fair_balance.c - balancing, second half: who moves (load_balance), the periodic walk
 * (rebalance_domains), pushing running tasks away (active balance).
 *
 * Idea:    one cpu of the local group pulls, from the busiest queue of the busiest group, tasks
 *          that may and are not cache hot, until the imbalance is gone. What affinity forbids is
 *          tried for its neighbours, then marks the level above. When nothing would move often
 *          enough, a stopper takes the running task.
 * Source:  spec modern 4.1, 4.3, 4.6, 4.7; 18 (drift).
 * Omits:   serialising passes at NUMA level: a pass takes no time here.
 */
#include <string.h>

#include "policy/fair_balance.h"
#include "policy/fair_cgroup.h"

enum { MAX_PINNED_INTERVAL_MS = 512, DRIFT_ONE_IN = 8, NEXT_BALANCE_MAX_S = 60 };

/* ---- who balances: 4.3 ---- */

static bool core_is_idle(const struct policy *p, int cpu)
{
    const struct machine *m = policy_machine(p);
    int core = m->cpu[cpu].core;

    for (int i = m->core_first[core]; i < m->core_first[core + 1]; i++)
        if (!fair_cpu_is_idle(fair_cpu_of(p, m->core_cpu[i])))
            return false;
    return true;
}

static bool should_we_balance(const struct policy *p, const struct fair_pass *pass)
{
    const struct fair_group *g = &pass->domain->span->group[pass->domain->own_group];
    bool by_core = fair_of(p)->release != FAIR_6_1 && pass->domain->span->level != FAIR_SMT;
    int idle_on_busy_core = POLICY_NO_CPU;

    if (pass->idle == FAIR_NEWLY_IDLE)
        return pass->to->nr_running == 0;
    for (int i = 0; i < g->cpu_count; i++) {
        if (!fair_cpu_is_idle(fair_cpu_of(p, g->cpu[i])))
            continue;
        if (!by_core || core_is_idle(p, g->cpu[i]))
            return g->cpu[i] == pass->to->cpu;
        if (idle_on_busy_core == POLICY_NO_CPU)
            idle_on_busy_core = g->cpu[i];
    }
    if (idle_on_busy_core != POLICY_NO_CPU)
        return idle_on_busy_core == pass->to->cpu;
    return g->cpu[0] == pass->to->cpu;
}

/* ---- from where: 4.6 ---- */

static struct fair_cpu *find_busiest_queue(const struct policy *p, const struct fair_pass *pass)
{
    const struct fair *f = fair_of(p);
    struct fair_cpu *busiest = NULL;
    int64_t most = 0, most_capacity = 1;

    for (int i = 0; i < pass->busiest->cpu_count; i++) {
        struct fair_cpu *c = fair_cpu_of(p, pass->busiest->cpu[i]);
        int64_t nr = fair_h_nr_counted(f, c), value = 0, capacity = 1;

        if (fair_mask_has(f->excluded, c->cpu) || nr == 0)
            continue;
        if (pass->domain->span->is_asym && nr == 1 &&
            !fair_capacity_greater(pass->to->capacity, c->capacity))
            continue;
        switch (pass->migration) {
        case FAIR_MIGRATE_LOAD:
            value = fair_cpu_load(c);
            capacity = c->capacity;
            if (nr == 1 && value > pass->imbalance &&
                !fair_capacity_is_reduced(c, pass->domain->imbalance_pct))
                continue;
            break;
        case FAIR_MIGRATE_UTIL: value = nr > 1 ? fair_cpu_util(c) : 0; break;
        case FAIR_MIGRATE_TASK: value = nr; break;
        case FAIR_MIGRATE_MISFIT: value = c->misfit_load; break;
        }
        if (value * most_capacity > most * capacity) {
            most = value;
            most_capacity = capacity;
            busiest = c;
        }
    }
    return busiest;
}

/* ---- which tasks: 4.6 ---- */

static bool task_hot(const struct policy *p, const struct fair_pass *pass,
                     const struct fair_entity *se)
{
    const struct fair *f = fair_of(p);

    if (se->is_idle || pass->domain->span->level == FAIR_SMT)
        return false;
    if (f->cache_hot_buddy && pass->to->nr_running > 0 &&
        (se->queue->next == se || se->queue->last == se))
        return true;
    return policy_now_ns(p) - se->exec_start_ns < f->migration_cost_ns;
}

static bool can_migrate_task(const struct policy *p, struct fair_pass *pass,
                             const struct fair_entity *se)
{
    const struct fair_group *g = &pass->domain->span->group[pass->domain->own_group];

    if (se->cgroup != NULL &&
        (se->queue->throttle_count > 0 || se->cgroup->queue[pass->to->cpu].throttle_count > 0))
        return false; /* throttled_lb_pair */
    if (!policy_allowed(se->task, pass->to->cpu)) {
        pass->some_pinned = true;
        if (pass->idle == FAIR_NEWLY_IDLE || pass->new_to != POLICY_NO_CPU || pass->is_active)
            return false;
        for (int i = 0; i < g->cpu_count && pass->new_to == POLICY_NO_CPU; i++)
            if (policy_allowed(se->task, g->cpu[i]) &&
                !fair_mask_has(fair_of(p)->excluded, g->cpu[i]))
                pass->new_to = g->cpu[i];
        return false;
    }
    pass->all_pinned = false;
    if (pass->from->curr == se)
        return false;
    return pass->is_active || !task_hot(p, pass, se) ||
           pass->domain->nr_balance_failed > pass->domain->cache_nice_tries;
}

/* Takes its part of the imbalance; false: it is too big. */
static bool fits_imbalance(struct fair_pass *pass, const struct fair_entity *se)
{
    int failed = HL_MIN(pass->domain->nr_balance_failed, 31);
    int64_t value = 1;

    switch (pass->migration) {
    case FAIR_MIGRATE_LOAD: value = HL_MAX(fair_task_load(se), 1); break;
    case FAIR_MIGRATE_UTIL: value = fair_task_util_est(se); break;
    case FAIR_MIGRATE_TASK: break;
    case FAIR_MIGRATE_MISFIT:
        if (fair_fits(fair_task_util_est(se), pass->from->capacity))
            return false;
        pass->imbalance = 0;
        return true;
    }
    if (value >> failed > pass->imbalance)
        return false;
    pass->imbalance -= value;
    return true;
}

static struct fair_entity *last_task(const struct fair_cpu *c)
{
    return HL_LIST_ENTRY(c->tasks.last, struct fair_entity, in_tasks);
}

/* detach_tasks: from the tail; those that cannot go are put to the head. */
static int detach_tasks(struct policy *p, struct fair_pass *pass, struct hl_list *moved, int *looks,
                        int looks_max)
{
    struct fair_cpu *from = pass->from;
    int count = 0;

    if (from->nr_running <= 1) {
        pass->all_pinned = false;
        return 0;
    }
    while (pass->imbalance > 0 && from->tasks.last != NULL) {
        struct fair_entity *se = last_task(from);

        if (pass->idle != FAIR_NOT_IDLE && from->nr_running <= 1)
            break;
        if (++*looks > looks_max)
            break;
        if (!can_migrate_task(p, pass, se) || !fits_imbalance(pass, se)) {
            hl_list_remove(&from->tasks, &se->in_tasks);
            hl_list_push_front(&from->tasks, &se->in_tasks);
            continue;
        }
        (void)fair_dequeue_task(p, se, FAIR_MOVE_MIGRATE);
        hl_list_push_front(moved, &se->in_tasks);
        count++;
        if (pass->idle == FAIR_NEWLY_IDLE && fair_of(p)->preemptible)
            break;
    }
    return count;
}

static void attach_tasks(struct policy *p, struct fair_cpu *to, struct hl_list *moved)
{
    while (moved->first != NULL) {
        struct fair_entity *se = HL_LIST_ENTRY(moved->first, struct fair_entity, in_tasks);

        hl_list_remove(moved, &se->in_tasks);
        fair_set_cpu(p, se, to->cpu);
        fair_enqueue_task(p, se, FAIR_MOVE_MIGRATE);
        if (!se->is_delayed)
            policy_moved(p, se->task, to->cpu);
        if (!se->is_delayed)
            fair_check_preempt(p, to, se);
    }
}

/* Pulls, for this cpu and, where affinity says so, for others of its group. */
static int pull(struct policy *p, struct fair_pass *pass)
{
    int moved_count = 0, looks = 0,
        looks_max = HL_MIN(fair_of(p)->nr_migrate, pass->from->nr_running);
    struct fair_cpu *own = pass->to;
    struct hl_list moved = {0};

    for (;;) {
        pass->new_to = POLICY_NO_CPU;
        moved_count += detach_tasks(p, pass, &moved, &looks, looks_max);
        attach_tasks(p, pass->to, &moved);
        if (pass->new_to == POLICY_NO_CPU || pass->imbalance <= 0)
            break;
        fair_mask_set(fair_of(p)->excluded, pass->to->cpu, true);
        pass->to = fair_cpu_of(p, pass->new_to);
        looks = 0;
    }
    pass->to = own;
    return moved_count;
}

/* ---- one pass ---- */

static const struct policy_task *running_on(const struct fair_cpu *c)
{
    return c->rt_curr != NULL ? c->rt_curr : c->curr != NULL ? c->curr->task : NULL;
}

/* Its only task would have notably more of a cpu at `to`. */
static bool suffers_from_rt(const struct policy *p, const struct fair_pass *pass)
{
    int64_t pct = pass->domain->imbalance_pct;

    return pass->idle != FAIR_NOT_IDLE && fair_h_nr_counted(fair_of(p), pass->from) == 1 &&
           fair_capacity_is_reduced(pass->from, pct) &&
           pass->from->capacity * pct < pass->to->capacity * INT64_C(100);
}

static bool need_active_balance(const struct policy *p, const struct fair_pass *pass)
{
    return suffers_from_rt(p, pass) || pass->migration == FAIR_MIGRATE_MISFIT ||
           (pass->migration == FAIR_MIGRATE_TASK &&
            pass->domain->nr_balance_failed > pass->domain->cache_nice_tries + 2);
}

static struct fair_group *parent_group(const struct fair_pass *pass)
{
    return pass->parent == NULL ? NULL : &pass->parent->span->group[pass->parent->own_group];
}

enum verdict { PASS_DONE, PASS_BALANCED, PASS_ALL_PINNED, PASS_ONE_PINNED };

/* Nothing moved: perhaps the running task must. */
static enum verdict push(struct policy *p, struct fair_pass *pass)
{
    struct fair_domain *d = pass->domain;
    const struct policy_task *running = running_on(pass->from);
    bool starts = false;

    if (pass->idle != FAIR_NEWLY_IDLE)
        d->nr_balance_failed++;
    if (need_active_balance(p, pass)) {
        if (running == NULL || !policy_allowed(running, pass->to->cpu))
            return PASS_ONE_PINNED;
        pass->all_pinned = false;
        if (!pass->from->active_balance) {
            starts = true;
            pass->from->active_balance = true;
            pass->from->push_cpu = pass->to->cpu;
            policy_stop(p, pass->from->cpu);
        }
    }
    if (!starts || need_active_balance(p, pass))
        d->balance_interval_ms = d->min_interval_ms;
    return PASS_DONE;
}

static enum verdict run_pass(struct policy *p, struct fair_pass *pass, int *moved)
{
    struct fair_domain *d = pass->domain;
    const struct fair_group *own = &d->span->group[d->own_group];
    int left = d->span->cpu_count - own->cpu_count; /* cpus of other groups not yet ruled out */

    for (;;) {
        fair_find_busiest_group(p, pass);
        if (pass->busiest == NULL)
            return PASS_BALANCED;
        pass->from = find_busiest_queue(p, pass);
        if (pass->from == NULL)
            return PASS_BALANCED;
        pass->all_pinned = true;
        if (pass->from->nr_running <= 1)
            break;
        *moved = pull(p, pass);
        if (pass->some_pinned && pass->imbalance > 0 && parent_group(pass) != NULL)
            parent_group(pass)->imbalanced = true;
        if (!pass->all_pinned)
            break;
        fair_mask_set(fair_of(p)->excluded, pass->from->cpu, true);
        if (--left <= 0)
            return PASS_ALL_PINNED;
    }
    if (*moved == 0)
        return push(p, pass);
    d->nr_balance_failed = 0;
    d->balance_interval_ms = d->min_interval_ms;
    return PASS_DONE;
}

int fair_load_balance(struct policy *p, struct fair_cpu *c, int level, enum fair_idle_kind idle,
                      bool *may_continue)
{
    struct fair_domain *d = &c->domain[level];
    struct fair_pass pass = {.domain = d,
                             .parent = level + 1 < c->domain_count ? &c->domain[level + 1] : NULL,
                             .to = c,
                             .idle = idle,
                             .new_to = POLICY_NO_CPU};
    enum verdict verdict = PASS_BALANCED;
    int moved = 0;

    if (should_we_balance(p, &pass)) {
        verdict = run_pass(p, &pass, &moved);
        memset(fair_of(p)->excluded, 0, FAIR_MASK_BYTES(policy_cpu_count(p)));
    } else {
        *may_continue = false;
    }
    policy_count(p, POLICY_BALANCE_ATTEMPT, d->span->distance);
    if (moved > 0)
        policy_count(p, POLICY_BALANCE_MOVE, d->span->distance);
    if (verdict == PASS_DONE)
        return moved;
    if (verdict == PASS_BALANCED && parent_group(&pass) != NULL && !pass.all_pinned)
        parent_group(&pass)->imbalanced = false;
    if (verdict != PASS_ONE_PINNED)
        d->nr_balance_failed = 0;
    if (idle != FAIR_NEWLY_IDLE &&
        ((pass.all_pinned && d->balance_interval_ms < MAX_PINNED_INTERVAL_MS) ||
         d->balance_interval_ms < d->max_interval_ms))
        d->balance_interval_ms *= 2;
    return 0;
}

/* ---- the periodic walk: 4.1 ---- */

void fair_rebalance_domains(struct policy *p, struct fair_cpu *c, enum fair_idle_kind idle)
{
    int64_t now = fair_jiffies(p), next = now + NEXT_BALANCE_MAX_S * (int64_t)fair_of(p)->hz;
    bool may_continue = true, is_busy = idle != FAIR_IDLE && !fair_cpu_is_idle_policy(c);

    fair_update_blocked_averages(p, c);
    for (int level = 0; level < c->domain_count && may_continue; level++) {
        struct fair_domain *d = &c->domain[level];

        if (now >= d->last_balance + fair_domain_interval(p, d, is_busy)) {
            if (fair_load_balance(p, c, level, idle, &may_continue) > 0) {
                idle = fair_cpu_is_idle(c) ? FAIR_IDLE : FAIR_NOT_IDLE;
                is_busy = idle != FAIR_IDLE && !fair_cpu_is_idle_policy(c);
            }
            d->last_balance = now;
            if (fair_of(p)->balance_drift && fair_domain_interval(p, d, is_busy) > 1 &&
                policy_random(p, DRIFT_ONE_IN) == 0)
                d->last_balance++;
        }
        next = HL_MIN(next, d->last_balance + fair_domain_interval(p, d, is_busy));
    }
    c->next_balance = next;
}

/* ---- active balance ---- */

void fair_active_balance(struct policy *p, struct fair_cpu *c)
{
    struct fair_cpu *to = fair_cpu_of(p, c->push_cpu);
    struct fair_pass pass = {
        .to = to, .from = c, .idle = FAIR_IDLE, .is_active = true, .new_to = POLICY_NO_CPU};
    struct hl_list moved = {0};

    c->active_balance = false;
    for (int i = 0; i < to->domain_count && pass.domain == NULL; i++)
        if (fair_spans(p, &to->domain[i], c->cpu))
            pass.domain = &to->domain[i];
    if (pass.domain == NULL || to == c)
        return;
    for (struct fair_entity *se = last_task(c); se != NULL;
         se = HL_LIST_ENTRY(se->in_tasks.prev, struct fair_entity, in_tasks)) {
        if (!can_migrate_task(p, &pass, se))
            continue;
        (void)fair_dequeue_task(p, se, FAIR_MOVE_MIGRATE);
        hl_list_push_front(&moved, &se->in_tasks);
        pass.domain->nr_balance_failed = 0;
        policy_count(p, POLICY_BALANCE_MOVE, pass.domain->span->distance);
        break;
    }
    attach_tasks(p, to, &moved);
}

/* update_misfit_status: the running task wants a bigger cpu. */
void fair_update_misfit(struct policy *p, struct fair_cpu *c)
{
    (void)p;
    c->misfit_load = 0;
    if (c->curr == NULL || c->curr->task->allowed != NULL ||
        fair_fits(fair_task_util_est(c->curr), c->capacity))
        return;
    c->misfit_load = (int32_t)HL_MAX(fair_task_load(c->curr), 1);
}
