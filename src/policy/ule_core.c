/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ule_core.c - see ule_core.h.
 */
#include "policy/ule_core.h"

#include "base/units.h"

enum { NICE_MAX = 20, LONG_AGO = INT32_MIN / 2 };

static struct ule_cpu *ule_cpu(const struct policy *p, int cpu)
{
    return policy_cpu_data(p, cpu);
}

/* ---- priorities ---- */

void ule_set_user_priority(const struct ule *u, struct policy_task *t)
{
    struct ule_task *d = ule_task(t);
    const struct ule_scale *scale = &u->scale;
    int32_t score, priority;

    if (bsd_class(t) != BSD_CLASS_TIMESHARE) {
        d->user_priority = d->priority = bsd_fixed_priority(u->bands, t);
        return;
    }
    score = HL_MAX(0, ule_history_score_7(&d->history, u->interact) + t->nice);
    if (score < u->interact) {
        priority = scale->divides_late ? scale->interactive_levels * score / u->interact
                                       : scale->interactive_levels / u->interact * score;
        d->user_priority = (int16_t)(scale->interactive_min + priority);
        return;
    }
    priority = ule_use_level(&d->use, scale->use_levels, u->hz);
    priority = scale->batch_min + NICE_MAX + HL_MIN(priority, scale->use_max) + t->nice;
    d->user_priority = (int16_t)HL_MIN(HL_MAX(priority, scale->batch_min), BSD_TIMESHARE_MAX);
}

/* ---- queues ---- */

void ule_queue_add(struct policy *p, struct policy_task *t, bool displaced)
{
    struct ule *u = policy_data(p);
    struct ule_task *d = ule_task(t);
    struct ule_cpu *c = ule_cpu(p, d->cpu);

    if (d->priority < u->scale.batch_min) {
        d->place = ULE_REALTIME;
        d->level = (uint8_t)bsd_level(d->priority);
    } else if (d->priority <= BSD_TIMESHARE_MAX) {
        d->place = ULE_TIMESHARE;
        d->level = c->remove;
        if (!displaced) {
            d->level = (uint8_t)((u->position[d->priority] + c->insert) % BSD_LEVELS);
            /* Never into the position that is being drained. */
            if (c->remove != c->insert && d->level == c->remove)
                d->level = (uint8_t)((d->level + BSD_LEVELS - 1) % BSD_LEVELS);
        }
    } else {
        d->place = ULE_IDLE;
        d->level = (uint8_t)bsd_level(d->priority);
    }
    bsd_queue_add(&c->queue[d->place], d->level, t, displaced);
    if (!d->pinned && u->transferable[d->cpu]++ == 0)
        u->giver_count++;
}

void ule_queue_remove(struct policy *p, struct policy_task *t)
{
    struct ule *u = policy_data(p);
    struct ule_task *d = ule_task(t);
    struct ule_cpu *c = ule_cpu(p, d->cpu);
    bool emptied = bsd_queue_remove(&c->queue[d->place], d->level, t);

    if (!d->pinned && --u->transferable[d->cpu] == 0)
        u->giver_count--;
    if (d->place == ULE_TIMESHARE) {
        if (emptied && d->level == c->remove && c->insert != c->remove)
            c->remove = (uint8_t)((c->remove + 1) % BSD_LEVELS);
        if (u->release == BSD_7_0) { /* it has waited: its share of the window is smaller now */
            d->use.last = ule_ticks(p, u);
            ule_use_update(&d->use, d->use.last, u->hz);
            ule_set_user_priority(u, t);
        }
    }
    d->place = ULE_NOWHERE;
}

struct policy_task *ule_choose(const struct policy *p, int cpu)
{
    const struct ule_cpu *c = ule_cpu(p, cpu);
    struct policy_task *t = bsd_queue_first(&c->queue[ULE_REALTIME]);

    if (t == NULL)
        t = bsd_queue_first_from(&c->queue[ULE_TIMESHARE], c->remove);
    return t == NULL ? bsd_queue_first(&c->queue[ULE_IDLE]) : t;
}

void ule_count(struct policy *p, struct policy_task *t, bool counted)
{
    struct ule *u = policy_data(p);
    struct ule_task *d = ule_task(t);
    const struct ule_cpu *c = ule_cpu(p, d->cpu);

    if (d->counted == counted)
        return;
    d->counted = counted;
    u->load[d->cpu] += counted ? 1 : -1;
    if (u->load[d->cpu] != (counted ? 1 : 0))
        return;
    /* The first one, or the last one. */
    if (counted)
        bsd_cpu_remove(u->idle, d->cpu);
    else
        bsd_cpu_add(u->idle, d->cpu);
    u->idle_count += counted ? -1 : 1;
    if (c->poll_ns != INT64_MAX)
        u->polling_count += counted ? -1 : 1;
}

void ule_set_lowpri(struct policy *p, int cpu, const struct policy_task *running)
{
    struct ule *u = policy_data(p);
    const struct policy_task *best = ule_choose(p, cpu);
    int16_t priority = running == NULL ? BSD_IDLE : ule_task(running)->priority;

    if (best != NULL && ule_task(best)->priority < priority)
        priority = ule_task(best)->priority;
    u->lowpri[cpu] = (uint8_t)priority;
}

void ule_advance(struct ule_cpu *c)
{
    if (c->insert != c->remove)
        return;
    c->insert = (uint8_t)((c->insert + 1) % BSD_LEVELS);
    if (hl_list_is_empty(&c->queue[ULE_TIMESHARE].level[c->remove]))
        c->remove = c->insert;
}

/* ---- stealing ---- */

static bool ule_may_move(const struct policy_task *t, int to)
{
    return !ule_task(t)->pinned && policy_allowed(t, to);
}

static struct policy_task *ule_steal_by_priority(const struct bsd_queue *q, int to)
{
    for (uint64_t map = q->occupied; map != 0; map &= map - 1) {
        struct policy_task *t = bsd_queue_head(q, __builtin_ctzll(map));

        for (; t != NULL; t = HL_LIST_ENTRY(t->link.next, struct policy_task, link))
            if (ule_may_move(t, to))
                return t;
    }
    return NULL;
}

/*
 * The circle, from the position that is being drained on, then from its start. The very first task met is passed
 * over, as it runs next; a second pass may meet it again. Of each word of the map only the first position with tasks
 * is looked at.
 */
static struct policy_task *ule_steal_from_circle(const struct ule *u, const struct ule_cpu *c,
                                                 int to)
{
    const struct bsd_queue *q = &c->queue[ULE_TIMESHARE];
    struct policy_task *first = NULL;

    for (int start = c->remove, pass = 0; pass < 2; start = 0, pass++) {
        for (int word = start / u->word_bits; word * u->word_bits < BSD_LEVELS; word++) {
            int begin = HL_MAX(start, word * u->word_bits);
            uint64_t bits = q->occupied >> begin << begin;
            struct policy_task *t;

            if (u->word_bits < BSD_LEVELS && word == 0)
                bits &= (UINT64_C(1) << u->word_bits) - 1;
            if (bits == 0)
                continue;
            for (t = bsd_queue_head(q, __builtin_ctzll(bits)); t != NULL;
                 t = HL_LIST_ENTRY(t->link.next, struct policy_task, link)) {
                if (first != NULL && ule_may_move(t, to))
                    return t;
                if (first == NULL)
                    first = t;
            }
        }
        if (c->remove == 0)
            break;
    }
    /* Since 8 rather the first than none. */
    return u->release >= BSD_11 && first != NULL && ule_may_move(first, to) ? first : NULL;
}

struct policy_task *ule_steal_candidate(const struct policy *p, int from, int to)
{
    const struct ule_cpu *c = ule_cpu(p, from);
    struct policy_task *t = ule_steal_by_priority(&c->queue[ULE_REALTIME], to);

    if (t == NULL)
        t = ule_steal_from_circle(policy_data(p), c, to);
    return t == NULL ? ule_steal_by_priority(&c->queue[ULE_IDLE], to) : t;
}

bool ule_move(struct policy *p, int from, int to)
{
    struct ule *u = policy_data(p);
    struct policy_task *t = ule_steal_candidate(p, from, to);

    if (t == NULL)
        return false;
    ule_queue_remove(p, t);
    ule_count(p, t, false);
    ule_set_lowpri(p, from, policy_running(p, from));
    ule_task(t)->cpu = to;
    ule_queue_add(p, t, false);
    ule_count(p, t, true);
    u->lowpri[to] = (uint8_t)HL_MIN(u->lowpri[to], ule_task(t)->priority);
    policy_moved(p, t, to);
    return true;
}

/* ---- switching ---- */

void ule_ask(struct policy *p, int cpu, bool at_once)
{
    struct ule_cpu *c = ule_cpu(p, cpu);

    if (at_once)
        c->preempt = true;
    else
        c->resched = true;
    policy_kick(p, cpu);
}

bool ule_goes_on(struct policy *p, int cpu, const struct policy_task *prev)
{
    struct ule_cpu *c = ule_cpu(p, cpu);
    const struct policy_task *best;

    if (c->resched)
        return false;
    if (!c->preempt)
        return true;
    best = ule_choose(p, cpu);
    if (best != NULL && ule_task(best)->priority < ule_task(prev)->priority)
        return false;
    c->preempt = false; /* whom the request was for has been taken by another cpu */
    return true;
}

/* 7.0 charges cpu use at each tick instead. */
void ule_charge_use(const struct policy *p, const struct ule *u, struct ule_task *d)
{
    int32_t ticks = ule_ticks(p, u);

    if (u->release >= BSD_11)
        ule_use_add(&d->use, ticks, ticks - d->ran_at, u->hz);
    d->ran_at = ticks;
}

void ule_leave(struct policy *p, int cpu, struct policy_task *prev)
{
    const struct ule_cpu *c = ule_cpu(p, cpu);
    struct ule_task *d = ule_task(prev);

    ule_charge_use(p, policy_data(p), d);
    if (!c->preempt && !d->yielded && !prev->is_kernel)
        d->priority = d->user_priority; /* it passes through user mode */
    ule_queue_add(p, prev, c->preempt && !d->slice_end);
    d->slice_end = false;
}

struct policy_task *ule_enter(struct policy *p, int cpu, struct policy_task *next)
{
    struct ule_cpu *c = ule_cpu(p, cpu);

    c->resched = c->preempt = false;
    if (next != NULL) {
        struct ule_task *d = ule_task(next);

        ule_queue_remove(p, next);
        d->ran_at = ule_ticks(p, policy_data(p));
        if (d->yielded) {
            d->yielded = false;
            d->priority = d->user_priority;
        }
        policy_charge(p, cpu, POLICY_SWITCH, 1);
    }
    ule_set_lowpri(p, cpu, next);
    return next;
}

bool ule_count_slice(const struct ule *u, struct policy_task *running, int32_t slice)
{
    struct ule_task *d = ule_task(running);

    (void)u;
    if (running->class == CLASS_FIFO || ++d->used < slice)
        return false;
    d->used = 0;
    d->slice_end = true;
    return true;
}

void ule_charge_history(const struct ule *u, struct policy_task *running)
{
    struct ule_task *d = ule_task(running);

    if (bsd_class(running) != BSD_CLASS_TIMESHARE)
        return;
    d->history.ran += u->tick_charge;
    ule_history_trim_7(&d->history, u->hz);
}

/* ---- idle cpus and timers ---- */

void ule_set_timer(struct policy *p, int cpu)
{
    const struct ule *u = policy_data(p);
    int64_t at_ns = ule_cpu(p, cpu)->poll_ns;

    policy_set_timer(p, cpu, cpu == 0 ? HL_MIN(at_ns, u->balance_ns) : at_ns);
}

void ule_poll_later(struct policy *p, int cpu)
{
    struct ule *u = policy_data(p);
    struct ule_cpu *c = ule_cpu(p, cpu);
    int64_t rounds;

    if (u->poll_period_ns == 0 || c->poll_ns != INT64_MAX)
        return;
    rounds = (policy_now_ns(p) - c->poll_phase_ns + u->poll_period_ns) / u->poll_period_ns;
    c->poll_ns = c->poll_phase_ns + rounds * u->poll_period_ns;
    if (bsd_cpu_has(u->idle, cpu))
        u->polling_count++;
    ule_set_timer(p, cpu);
}

void ule_offer(struct policy *p, int cpu)
{
    struct ule *u = policy_data(p);
    int cpus = policy_cpu_count(p);

    if (u->transferable[cpu] == 0 || u->poll_period_ns == 0 || !u->steal_idle ||
        u->polling_count == u->idle_count)
        return;
    for (int idle = bsd_cpu_next(u->idle, cpus, 0); idle >= 0;
         idle = bsd_cpu_next(u->idle, cpus, idle + 1))
        ule_poll_later(p, idle);
}

bool ule_timer_due(struct policy *p, int cpu)
{
    struct ule *u = policy_data(p);
    struct ule_cpu *c = ule_cpu(p, cpu);
    bool balance = cpu == 0 && policy_now_ns(p) >= u->balance_ns;

    if (policy_now_ns(p) >= c->poll_ns) {
        c->poll_ns = INT64_MAX;
        if (bsd_cpu_has(u->idle, cpu)) {
            u->polling_count--;
            policy_kick(p, cpu);
        }
    }
    if (balance)
        ule_plan_balance(p);
    ule_set_timer(p, cpu);
    return balance;
}

/* Half an interval to one and a half. */
void ule_plan_balance(struct policy *p)
{
    struct ule *u = policy_data(p);
    int64_t ticks = HL_MAX(u->balance_interval / 2, 1) +
                    (int64_t)policy_random(p, (uint64_t)u->balance_interval);

    u->balance_ns = policy_now_ns(p) + ticks * u->stat_period_ns;
}

/* ---- callbacks ---- */

void ule_wake(struct policy *p, struct policy_task *t)
{
    const struct ule *u = policy_data(p);
    struct ule_task *d = ule_task(t);
    int32_t ticks = ule_ticks(p, u), asleep = ticks - d->slept_at;

    d->used = 0;
    if (asleep > 0) {
        /* Longer sleeps count no more, and must not overflow. */
        d->history.slept += HL_MIN(asleep, 11 * u->hz) << ULE_TICK_SHIFT;
        ule_history_trim_7(&d->history, u->hz);
        ule_use_update(&d->use, ticks, u->hz);
    }
    ule_set_user_priority(u, t);
}

void ule_dequeue(struct policy *p, struct policy_task *t, int cpu, enum policy_why why,
                 enum policy_wait wait)
{
    const struct ule *u = policy_data(p);
    struct ule_task *d = ule_task(t);
    int16_t boost = BSD_PRIORITY_NONE;

    (void)cpu;
    if (d->place != ULE_NOWHERE)
        ule_queue_remove(p, t);
    else
        ule_charge_use(p, u, d);
    ule_count(p, t, false);
    if (why != POLICY_SLEEP || bsd_class(t) != BSD_CLASS_TIMESHARE)
        return;
    d->slept_at = ule_ticks(p, u);
    if (u->static_boost == 1)
        boost = bsd_sleep_priority(u->bands, wait);
    else if (u->static_boost > 0 && d->priority > u->static_boost)
        boost = (int16_t)u->static_boost;
    if (boost != BSD_PRIORITY_NONE)
        d->priority = boost;
}

void ule_to_user(struct policy *p, int cpu, struct policy_task *t)
{
    struct ule_task *d = ule_task(t);

    if (t->is_kernel || d->yielded || d->priority == d->user_priority)
        return;
    d->priority = d->user_priority;
    ule_set_lowpri(p, cpu, t);
}

void ule_fork(struct policy *p, struct policy_task *parent, struct policy_task *child)
{
    const struct ule *u = policy_data(p);
    struct ule_task *d = ule_task(child);
    int32_t ticks = ule_ticks(p, u);

    d->slept_at = ticks;
    d->ran_at = LONG_AGO;
    d->use.first = d->use.last = ticks;
    if (parent != NULL) {
        struct ule_task *from = ule_task(parent);

        d->cpu = from->cpu;
        d->use = from->use;
        ule_history_fork(&d->history, &from->history, u->hz);
        d->user_priority = from->user_priority;
        ule_charge_history(u, parent);
        ule_set_user_priority(u, parent);
    }
    if (parent == NULL || bsd_class(child) != BSD_CLASS_TIMESHARE)
        ule_set_user_priority(u, child);
    d->priority = d->user_priority;
}

void ule_reap(struct policy *p, struct policy_task *parent, struct policy_task *child)
{
    const struct ule *u = policy_data(p);
    struct ule_task *d = ule_task(parent);

    d->history.ran += ule_task(child)->history.ran;
    ule_history_trim_7(&d->history, u->hz);
    ule_set_user_priority(u, parent);
}

void ule_yield(struct policy *p, struct policy_task *t)
{
    ule_task(t)->priority = BSD_TIMESHARE_MAX;
    ule_task(t)->yielded = true;
    ule_cpu(p, t->on_cpu)->resched = true;
}

void ule_renice(struct policy *p, struct policy_task *t, int32_t old_nice)
{
    (void)old_nice;
    ule_set_user_priority(policy_data(p), t);
}

void ule_reallow(struct policy *p, struct policy_task *t)
{
    struct ule_task *d = ule_task(t);
    bool queued = d->place != ULE_NOWHERE;

    if (queued)
        ule_queue_remove(p, t);
    d->pinned = bsd_is_pinned(p, t);
    if (queued)
        ule_queue_add(p, t, false);
}

/* ---- set-up ---- */

static void ule_read_tunables(struct policy *p)
{
    struct ule *u = policy_data(p);
    int64_t arch = bsd_tunable(p, "arch", ULE_ARCH_AMD64);

    u->slice = (int32_t)bsd_tunable(p, "slice", u->stathz / 10);
    u->interact = (int32_t)bsd_tunable(p, "interact", ULE_INTERACT);
    u->preempt_thresh = (int32_t)bsd_tunable(p, "preempt_thresh", u->preempt_thresh);
    u->affinity = (int32_t)bsd_tunable(p, "affinity", u->affinity);
    u->balance_interval = bsd_tunable(p, "balance", u->release != BSD_11) == 0
                              ? 0
                              : (int32_t)bsd_tunable(p, "balance_interval", u->balance_interval);
    u->steal_idle = bsd_tunable(p, "steal_idle", 1) != 0;
    u->steal_thresh = (int32_t)bsd_tunable(p, "steal_thresh", u->steal_thresh);
    u->word_bits = arch == ULE_ARCH_I386 ? 32 : 64;
}

enum hl_status ule_core_init(struct policy *p, struct hl_error *err)
{
    struct ule *u = policy_data(p);
    const struct machine *m = policy_machine(p);
    size_t cpus = (size_t)policy_cpu_count(p);

    HL_TRY(ule_params_check(p, err));
    u->bands = bsd_bands(u->release);
    u->hz = bsd_hz(u->release, policy_param(p, "hz"));
    u->stathz = bsd_stathz(u->release);
    u->stat_period_ns = HL_NS_PER_S / u->stathz;
    u->tick_charge = (u->hz << ULE_TICK_SHIFT) / u->stathz;
    ule_read_tunables(p);
    for (int priority = u->scale.batch_min; priority <= BSD_TIMESHARE_MAX; priority++)
        u->position[priority] =
            (uint8_t)(BSD_LEVELS * (priority - u->scale.batch_min) / u->scale.batch_levels);
    u->load = policy_alloc(p, cpus, sizeof(*u->load));
    u->transferable = policy_alloc(p, cpus, sizeof(*u->transferable));
    u->lowpri = policy_alloc(p, cpus, sizeof(*u->lowpri));
    u->idle = policy_alloc(p, (cpus + 63) / 64, sizeof(*u->idle));
    if (u->load == NULL || u->transferable == NULL || u->lowpri == NULL || u->idle == NULL)
        return hl_fail(err, HL_NO_MEMORY, "no memory for the loads of %zu cpus", cpus);
    u->idle_count = (int32_t)cpus;
    u->span = machine_span(m, m->core_cpu, m->cpu_count);
    for (int cpu = 0; cpu < (int)cpus; cpu++) {
        struct ule_cpu *c = ule_cpu(p, cpu);

        bsd_cpu_add(u->idle, cpu);
        u->lowpri[cpu] = BSD_IDLE;
        c->insert = c->remove = (uint8_t)policy_random(p, BSD_LEVELS);
        c->poll_ns = INT64_MAX;
        if (u->poll_period_ns > 0)
            c->poll_phase_ns = (int64_t)policy_random(p, (uint64_t)u->poll_period_ns);
    }
    u->balance_ns = INT64_MAX;
    if (u->balance_interval > 0 && cpus > 1) {
        ule_plan_balance(p);
        ule_set_timer(p, 0);
    }
    return HL_OK;
}
