/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ule54.c - ULE 1.0 as in FreeBSD 5.4: a pair of queues per cpu, slices by nice, wake-ups pulled to the waker.
 *
 * Idea:    each cpu drains its queue curr; who has used its slice goes to next; when curr is empty they change
 *          places. Interactive tasks go back to curr, ahead of all others, and are never made to wait for the
 *          change. Shares of computing tasks are the ratio of their slices, which nice sets within a window of
 *          20 above the least nice value of the cpu. A new or woken task is queued by the cpu that makes it
 *          runnable, on that cpu, unless its load is above 1 and another cpu idles.
 * Source:  spec freebsd 3. text=a: autumn 2004, the closest to 5.4 in date; text=b: end of 2005.
 * Choices: wherever the specification names no member of a group of threads, the first one that fits.
 *          A task restricted to some cpus that the rules would send elsewhere stays with its own cpu. A dead
 *          child's run time comes back when its parent reaps it. When only tasks of slice 0 are left, the queues
 *          change places once more, so that the cpu does not idle. Text B keeps a task that was displaced
 *          within its slice in curr however it was displaced.
 * Omits:   groups of threads (spec 1.7), priority lending.
 * Good at: caches: tasks stay where they are.
 * Bad at:  two tasks on two cpus: one that creates a helper and works on has a load of 1, so both share a cpu;
 *          no cpu without siblings ever steals, and in text A the balancer moves nothing between packages.
 */
#include "base/units.h"
#include "policy/ule54.h"

enum { SLICE_WINDOW = 19, SCORE_LEVELS = 64, SCORE_MAX = 100, SLEEP_MAX_S = 5, SWAPS_MAX = 2 };

/* ---- priority and slice ---- */

static bool ule54_is_interactive(const struct policy_task *t)
{
    return bsd_class(t) == BSD_CLASS_TIMESHARE &&
           ule_history_score_5(&ule54_task(t)->history) < ULE_INTERACT;
}

static void ule54_set_user_priority(const struct ule54 *g, struct policy_task *t)
{
    struct ule54_task *d = ule54_task(t);
    int32_t priority = g->bands->timeshare_min +
                       ule_history_score_5(&d->history) * SCORE_LEVELS / SCORE_MAX + t->nice;

    if (bsd_class(t) != BSD_CLASS_TIMESHARE)
        d->user_priority = d->priority = bsd_fixed_priority(g->bands, t);
    else
        d->user_priority =
            (int16_t)HL_MIN(HL_MAX(priority, g->bands->timeshare_min), BSD_TIMESHARE_MAX);
}

/* By the window of nice values of cpu; the task itself is best not counted there. */
static int32_t ule54_slice(const struct ule54 *g, const struct ule54_cpu *c,
                           const struct policy_task *t)
{
    int32_t gap = t->nice - c->nice_least;
    int32_t slice = g->slice_max - gap * (g->slice_max - g->slice_min + 1) / SLICE_WINDOW;

    if (bsd_class(t) == BSD_CLASS_IDLE)
        return g->slice_min;
    if (bsd_class(t) != BSD_CLASS_TIMESHARE || ule54_is_interactive(t) || c->load_timeshare == 0 ||
        gap < 0)
        return g->slice_max;
    if (gap > SLICE_WINDOW)
        slice = t->nice == 0 ? g->slice_min : 0; /* a task of nice 0 never starves */
    return g->text_b ? HL_MAX(slice, g->slice_min) : slice;
}

/* ---- loads ---- */

static void ule54_count(struct policy *p, struct policy_task *t)
{
    struct ule54 *g = policy_data(p);
    struct ule54_task *d = ule54_task(t);
    struct ule54_cpu *c = policy_cpu_data(p, d->cpu);

    if (d->counted)
        return;
    d->counted = true;
    c->load++;
    if (bsd_class(t) != BSD_CLASS_INTERRUPT)
        ule54_group_of(g, c)->load++;
    if (bsd_class(t) != BSD_CLASS_TIMESHARE)
        return;
    d->counted_nice = (int16_t)t->nice;
    c->nice_count[t->nice - ULE54_NICE_MIN]++;
    if (c->load_timeshare++ == 0 || t->nice < c->nice_least)
        c->nice_least = (int16_t)t->nice;
}

static void ule54_uncount(struct policy *p, struct policy_task *t)
{
    struct ule54 *g = policy_data(p);
    struct ule54_task *d = ule54_task(t);
    struct ule54_cpu *c = policy_cpu_data(p, d->cpu);

    if (!d->counted)
        return;
    d->counted = false;
    c->load--;
    if (bsd_class(t) != BSD_CLASS_INTERRUPT)
        ule54_group_of(g, c)->load--;
    if (bsd_class(t) != BSD_CLASS_TIMESHARE)
        return;
    c->nice_count[d->counted_nice - ULE54_NICE_MIN]--;
    c->load_timeshare--;
    while (c->load_timeshare > 0 && c->nice_count[c->nice_least - ULE54_NICE_MIN] == 0)
        c->nice_least++;
}

static void ule54_mark_idle(struct policy *p, int cpu, bool idle)
{
    struct ule54_cpu *c = policy_cpu_data(p, cpu);

    if (c->marked_idle == idle)
        return;
    c->marked_idle = idle;
    ule54_group_of(policy_data(p), c)->idle_count += idle ? 1 : -1;
}

/* ---- queues ---- */

static void ule54_queue_add(struct policy *p, struct policy_task *t, enum ule54_place place,
                            bool at_head)
{
    struct ule54_task *d = ule54_task(t);
    struct ule54_cpu *c = policy_cpu_data(p, d->cpu);

    bsd_queue_add(ule54_queue(c, place), bsd_level(d->priority), t, at_head);
    d->place = (uint8_t)place;
    if (!d->pinned) {
        c->transferable++;
        ule54_group_of(policy_data(p), c)->transferable++;
    }
}

static void ule54_queue_remove(struct policy *p, struct policy_task *t)
{
    struct ule54_task *d = ule54_task(t);
    struct ule54_cpu *c = policy_cpu_data(p, d->cpu);

    if (d->place == ULE54_ASSIGNED) {
        hl_list_remove(&c->assigned, &t->link);
    } else {
        (void)bsd_queue_remove(ule54_queue(c, d->place), bsd_level(d->priority), t);
        if (!d->pinned) {
            c->transferable--;
            ule54_group_of(policy_data(p), c)->transferable--;
        }
    }
    d->place = ULE54_NOWHERE;
}

void ule54_take(struct policy *p, struct policy_task *t)
{
    ule54_queue_remove(p, t);
    ule54_uncount(p, t);
}

/* Where a task is put: curr for whom waiting for the change of queues would be wrong. */
static enum ule54_place ule54_place_for(const struct ule54 *g, const struct ule54_cpu *c,
                                        const struct policy_task *t, bool displaced)
{
    const struct ule54_task *d = ule54_task(t);
    bool now;

    switch (bsd_class(t)) {
    case BSD_CLASS_IDLE: return ULE54_IDLE_QUEUE;
    case BSD_CLASS_INTERRUPT:
    case BSD_CLASS_REALTIME: return ULE54_QUEUE_0 + (unsigned)c->current;
    case BSD_CLASS_TIMESHARE: break;
    }
    if (g->text_b)
        now = displaced || ule54_is_interactive(t);
    else
        now = d->priority < d->user_priority || ule54_is_interactive(t);
    return ULE54_QUEUE_0 + (unsigned)(now ? c->current : !c->current);
}

/* The new task is better than the one that runs on its cpu. */
static void ule54_displace(struct policy *p, int cpu, const struct policy_task *t)
{
    const struct ule54 *g = policy_data(p);
    struct ule54_cpu *c = policy_cpu_data(p, cpu);
    const struct policy_task *running = policy_running(p, cpu);
    const struct ule54_task *d = ule54_task(t);

    if (running == NULL) {
        c->resched = true;
        policy_kick(p, cpu);
        return;
    }
    if (d->priority >= ule54_task(running)->priority ||
        d->place != ULE54_QUEUE_0 + (unsigned)c->current)
        return;
    if (g->preemption && (g->preempt_all || bsd_class(t) == BSD_CLASS_INTERRUPT ||
                          bsd_class(running) == BSD_CLASS_IDLE))
        c->preempt = true;
    else
        c->resched = true;
    policy_kick(p, cpu);
}

void ule54_add(struct policy *p, int cpu, struct policy_task *t)
{
    const struct ule54 *g = policy_data(p);
    struct ule54_task *d = ule54_task(t);

    ule54_mark_idle(p, cpu, false);
    d->cpu = cpu;
    policy_moved(p, t, cpu);
    if (bsd_class(t) != BSD_CLASS_TIMESHARE)
        d->slice = ule54_slice(g, policy_cpu_data(p, cpu), t);
    ule54_queue_add(p, t, ule54_place_for(g, policy_cpu_data(p, cpu), t, false), false);
    ule54_count(p, t);
    ule54_displace(p, cpu, t);
}

/* ---- placement ---- */

/* The first cpu of a group that is marked idle and allowed; POLICY_NO_CPU: none. */
static int ule54_idle_cpu(struct policy *p, const struct ule54_group *group,
                          const struct policy_task *t)
{
    for (int32_t i = 0; i < group->cpu_count && group->idle_count > 0; i++) {
        const struct ule54_cpu *c = policy_cpu_data(p, group->cpu[i]);

        if (c->marked_idle && policy_allowed(t, group->cpu[i]))
            return group->cpu[i];
    }
    return POLICY_NO_CPU;
}

static int ule54_transfer(struct policy *p, const struct policy_task *t, int here)
{
    const struct ule54 *g = policy_data(p);
    const struct ule54_group *own = ule54_group_of(g, policy_cpu_data(p, here));
    const struct ule54_group *last = ule54_group_of(g, policy_cpu_data(p, ule54_task(t)->cpu));
    int cpu = POLICY_NO_CPU;

    if (g->text_b || own->load > own->cpu_count) {
        if (last->idle_count == last->cpu_count)
            cpu = ule54_idle_cpu(p, last, t);
        for (int32_t i = 0; cpu == POLICY_NO_CPU && i < g->group_count; i++)
            if (g->group[i].idle_count == g->group[i].cpu_count)
                cpu = ule54_idle_cpu(p, &g->group[i], t);
    }
    return cpu == POLICY_NO_CPU ? ule54_idle_cpu(p, own, t) : cpu;
}

/* The cpu that a task is queued on which code on `here` makes runnable. */
static int ule54_place(struct policy *p, const struct policy_task *t, int here)
{
    const struct ule54_cpu *c = policy_cpu_data(p, here);
    const struct ule54_task *d = ule54_task(t);
    enum bsd_class class = bsd_class(t);
    int cpu = here;

    if (class != BSD_CLASS_INTERRUPT && class != BSD_CLASS_REALTIME && !c->marked_idle &&
        c->load > 1 && !d->pinned)
        cpu = ule54_transfer(p, t, here);
    if (cpu == POLICY_NO_CPU)
        cpu = here;
    if (policy_allowed(t, cpu))
        return cpu;
    return policy_allowed(t, d->cpu) ? d->cpu : bsd_first_allowed(p, t);
}

static int ule54_select_cpu(struct policy *p, struct policy_task *t, const struct policy_wakeup *w)
{
    struct ule54_task *d = ule54_task(t);

    if (w->why == POLICY_EXEC)
        return t->on_cpu;
    d->pinned = bsd_is_pinned(p, t);
    return ule54_place(p, t, w->waker_cpu);
}

void ule54_hand_over(struct policy *p, int cpu, struct policy_task *t)
{
    const struct ule54 *g = policy_data(p);
    struct ule54_cpu *c = policy_cpu_data(p, cpu);
    struct ule54_task *d = ule54_task(t);
    const struct policy_task *running = policy_running(p, cpu);

    d->cpu = cpu;
    policy_moved(p, t, cpu);
    d->place = ULE54_ASSIGNED;
    hl_list_push_back(&c->assigned, &t->link);
    if (g->text_b) {
        ule54_mark_idle(p, cpu, false);
        ule54_count(p, t);
    }
    /* Text A leaves the mark until cpu queues something itself: others may choose it as well. */
    if (running == NULL || d->priority < ule54_task(running)->priority) {
        c->resched = true;
        policy_kick(p, cpu);
    }
}

/* Text A places the task once more, as if this cpu made it runnable. */
static void ule54_accept(struct policy *p, int cpu)
{
    const struct ule54 *g = policy_data(p);
    struct ule54_cpu *c = policy_cpu_data(p, cpu);
    struct policy_task *t = HL_LIST_ENTRY(c->assigned.first, struct policy_task, link), *next;

    for (; t != NULL; t = next) {
        int target = g->text_b ? cpu : ule54_place(p, t, cpu);

        next = HL_LIST_ENTRY(t->link.next, struct policy_task, link);
        ule54_queue_remove(p, t);
        if (target == cpu)
            ule54_add(p, cpu, t);
        else
            ule54_hand_over(p, target, t);
    }
}

/* ---- custody ---- */

static void ule54_wake(struct policy *p, struct policy_task *t)
{
    const struct ule54 *g = policy_data(p);
    struct ule54_task *d = ule54_task(t);
    int32_t asleep = bsd_ticks(policy_now_ns(p), g->hz) - d->slept_at;

    if (asleep >= SLEEP_MAX_S * g->hz) {
        d->history.slept = SLEEP_MAX_S * g->hz << ULE_TICK_SHIFT;
        d->history.ran = 1;
    } else {
        d->history.slept += asleep << ULE_TICK_SHIFT;
        ule_history_trim(&d->history, g->hz);
    }
    ule54_set_user_priority(g, t);
    d->slice = ule54_slice(g, policy_cpu_data(p, d->cpu), t);
}

static void ule54_enqueue(struct policy *p, struct policy_task *t, int cpu,
                          const struct policy_wakeup *w)
{
    policy_lock(p, w->waker_cpu, ULE54_LOCK);
    ule54_task(t)->pinned = bsd_is_pinned(p, t);
    if (w->why == POLICY_WAKE)
        ule54_wake(p, t);
    if (cpu == w->waker_cpu)
        ule54_add(p, cpu, t);
    else
        ule54_hand_over(p, cpu, t);
}

static void ule54_dequeue(struct policy *p, struct policy_task *t, int cpu, enum policy_why why,
                          enum policy_wait wait)
{
    const struct ule54 *g = policy_data(p);
    struct ule54_task *d = ule54_task(t);
    int16_t boost = bsd_sleep_priority(g->bands, wait);

    (void)cpu;
    if (d->place != ULE54_NOWHERE)
        ule54_queue_remove(p, t);
    ule54_uncount(p, t);
    if (why != POLICY_SLEEP)
        return;
    d->slept_at = bsd_ticks(policy_now_ns(p), g->hz);
    if (boost != BSD_PRIORITY_NONE && bsd_class(t) == BSD_CLASS_TIMESHARE)
        d->priority = boost;
}

/* ---- choosing ---- */

static struct policy_task *ule54_choose(struct policy *p, int cpu)
{
    const struct ule54 *g = policy_data(p);
    struct ule54_cpu *c = policy_cpu_data(p, cpu);
    int swaps = 0;

    for (;;) {
        struct policy_task *t = bsd_queue_first(&c->queue[c->current]);

        if (t == NULL) {
            if (swaps++ == SWAPS_MAX)
                return bsd_queue_first(&c->idle_queue);
            c->current = !c->current;
            continue;
        }
        if (ule54_task(t)->slice > 0)
            return t;
        /* Too nice for a slice: passed over, and judged anew. */
        ule54_queue_remove(p, t);
        ule54_task(t)->slice = ule54_slice(g, c, t);
        ule54_queue_add(p, t, ULE54_QUEUE_0 + (unsigned)!c->current, false);
    }
}

static void ule54_requeue(struct policy *p, struct ule54_cpu *c, struct policy_task *prev)
{
    const struct ule54 *g = policy_data(p);
    struct ule54_task *d = ule54_task(prev);

    if (!c->preempt && !d->yielded && !prev->is_kernel)
        d->priority = d->user_priority; /* it passes through user mode */
    ule54_queue_add(p, prev, ule54_place_for(g, c, prev, !d->expired), g->text_b && c->preempt);
    d->expired = false;
}

static struct policy_task *ule54_pick(struct policy *p, int cpu, struct policy_task *prev)
{
    struct ule54_cpu *c = policy_cpu_data(p, cpu);
    struct policy_task *next;

    if (prev != NULL && !c->resched && !c->preempt)
        return prev; /* an IPI for a task that has gone */
    policy_lock(p, cpu, ULE54_LOCK);
    ule54_accept(p, cpu);
    if (prev != NULL)
        ule54_requeue(p, c, prev);
    next = ule54_choose(p, cpu);
    if (next == NULL && ule54_steal_for_idle(p, cpu))
        next = ule54_choose(p, cpu);
    c->resched = c->preempt = false;
    if (next == NULL) {
        ule54_mark_idle(p, cpu, true);
        return NULL;
    }
    policy_charge(p, cpu, POLICY_SWITCH, 1);
    ule54_queue_remove(p, next);
    if (ule54_task(next)->yielded) {
        ule54_task(next)->yielded = false;
        ule54_task(next)->priority = ule54_task(next)->user_priority;
    }
    return next;
}

/* ---- clocks ---- */

static void ule54_tick(struct policy *p, int cpu, struct policy_task *running)
{
    if (running != NULL)
        policy_lock(p, cpu, ULE54_LOCK);
}

static void ule54_stat_tick(struct policy *p, int cpu, struct policy_task *running)
{
    const struct ule54 *g = policy_data(p);
    struct ule54_cpu *c = policy_cpu_data(p, cpu);
    struct ule54_task *d;

    policy_lock(p, cpu, ULE54_LOCK);
    ule54_balance_check(p);
    ule54_accept(p, cpu);
    if (running == NULL || bsd_class(running) != BSD_CLASS_TIMESHARE)
        return;
    d = ule54_task(running);
    d->history.ran += g->tick_charge;
    ule_history_trim(&d->history, g->hz);
    if (--d->slice > 0)
        return;
    /* Slice and window are judged as if it were not there. */
    ule54_uncount(p, running);
    ule54_set_user_priority(g, running);
    d->slice = ule54_slice(g, c, running);
    ule54_count(p, running);
    d->expired = true;
    c->resched = true;
    policy_kick(p, cpu);
}

/* ---- the rest of a task's life ---- */

static void ule54_to_user(struct policy *p, int cpu, struct policy_task *t)
{
    struct ule54_task *d = ule54_task(t);

    (void)p, (void)cpu;
    if (!t->is_kernel && !d->yielded)
        d->priority = d->user_priority;
}

static void ule54_fork(struct policy *p, struct policy_task *parent, struct policy_task *child)
{
    const struct ule54 *g = policy_data(p);
    struct ule54_task *d = ule54_task(child);

    d->slept_at = bsd_ticks(policy_now_ns(p), g->hz);
    d->slice = 1; /* it is judged after one tick */
    if (parent != NULL) {
        struct ule54_task *from = ule54_task(parent);

        d->cpu = from->cpu;
        ule_history_fork(&d->history, &from->history, g->hz);
        from->history.ran += g->tick_charge;
        ule_history_trim(&from->history, g->hz);
        d->user_priority = from->user_priority;
    }
    if (parent == NULL || bsd_class(child) != BSD_CLASS_TIMESHARE)
        ule54_set_user_priority(g, child);
    d->priority = d->user_priority;
}

static void ule54_reap(struct policy *p, struct policy_task *parent, struct policy_task *child)
{
    struct ule54_task *d = ule54_task(parent);

    d->history.ran += ule54_task(child)->history.ran;
    ule_history_trim(&d->history, ((struct ule54 *)policy_data(p))->hz);
}

static void ule54_yield(struct policy *p, struct policy_task *t)
{
    struct ule54_cpu *c = policy_cpu_data(p, t->on_cpu);

    (void)p;
    ule54_task(t)->priority = BSD_TIMESHARE_MAX;
    ule54_task(t)->yielded = true;
    c->resched = true;
}

static void ule54_renice(struct policy *p, struct policy_task *t, int32_t old_nice)
{
    struct ule54_task *d = ule54_task(t);

    (void)old_nice;
    if (d->counted) {
        ule54_uncount(p, t);
        ule54_count(p, t);
    }
    ule54_set_user_priority(policy_data(p), t);
}

static void ule54_reallow(struct policy *p, struct policy_task *t)
{
    struct ule54_task *d = ule54_task(t);
    enum ule54_place place = d->place;

    if (place != ULE54_NOWHERE && place != ULE54_ASSIGNED)
        ule54_queue_remove(p, t);
    d->pinned = bsd_is_pinned(p, t);
    if (place != ULE54_NOWHERE && place != ULE54_ASSIGNED)
        ule54_queue_add(p, t, place, false);
}

/* ---- set-up ---- */

static enum hl_status ule54_init_groups(struct policy *p, struct hl_error *err)
{
    struct ule54 *g = policy_data(p);
    const struct machine *m = policy_machine(p);

    g->span = machine_span(m, m->core_cpu, m->cpu_count);
    g->has_groups = m->has_smt;
    g->group_count = m->has_smt ? m->core_count : m->cpu_count;
    g->known_groups = g->text_b || m->has_smt ? g->group_count : 1;
    g->group = policy_alloc(p, (size_t)g->group_count, sizeof(*g->group));
    if (g->group == NULL)
        return hl_fail(err, HL_NO_MEMORY, "no memory for %d groups of cpus", g->group_count);
    for (int32_t i = 0; i < g->group_count; i++) {
        /* Without siblings a core is a cpu. */
        g->group[i].cpu = m->core_cpu + m->core_first[i];
        g->group[i].cpu_count = m->core_first[i + 1] - m->core_first[i];
        for (int32_t j = 0; j < g->group[i].cpu_count; j++) {
            ((struct ule54_cpu *)policy_cpu_data(p, g->group[i].cpu[j]))->group = i;
            ule54_mark_idle(p, g->group[i].cpu[j], true);
        }
    }
    return HL_OK;
}

static enum hl_status ule54_init(struct policy *p, struct hl_error *err)
{
    struct ule54 *g = policy_data(p);
    int32_t stathz = bsd_stathz(BSD_5_4), rate;
    int64_t preemption = bsd_tunable(p, "preemption", ULE_PREEMPTION_NONE);

    HL_TRY(ule_params_check(p, err));
    g->bands = bsd_bands(BSD_5_4);
    g->text_b = policy_param(p, "text") == ULE_TEXT_B;
    g->hz = bsd_hz(BSD_5_4, policy_param(p, "hz"));
    /* Text A computes slices in hz ticks and counts them down in stat ticks, and rounds what a tick is worth. */
    rate = g->text_b ? stathz : g->hz;
    g->slice_min = (int32_t)bsd_tunable(p, "slice_min", HL_MAX(rate / 100, 1));
    g->slice_max = (int32_t)bsd_tunable(p, "slice_max", HL_MAX(rate / 7, 1));
    HL_TRY(bsd_param_at_least(p, "slice_max", g->slice_max, g->slice_min, "slice_min", err));
    g->tick_charge = g->text_b ? (g->hz << ULE_TICK_SHIFT) / stathz
                               : HL_MAX(1, g->hz / stathz) << ULE_TICK_SHIFT;
    g->preemption = preemption != ULE_PREEMPTION_NONE;
    g->preempt_all = preemption == ULE_PREEMPTION_FULL;
    HL_TRY(ule54_init_groups(p, err));
    ule54_balance_init(p);
    return HL_OK;
}

static void ule54_clock(const struct policy *p, struct policy_clock *clock)
{
    ule_clock(p, clock);
    clock->idle_cpus_tick = true; /* they accept tasks and run the balancer */
}

const struct policy_ops ule54_ops = {
    ULE_NAMES,
    .policy_bytes = sizeof(struct ule54),
    .cpu_bytes = sizeof(struct ule54_cpu),
    .task_bytes = sizeof(struct ule54_task),
    .init = ule54_init,
    .clock = ule54_clock,
    .enqueue = ule54_enqueue,
    .dequeue = ule54_dequeue,
    .pick = ule54_pick,
    .select_cpu = ule54_select_cpu,
    .tick = ule54_tick,
    .stat_tick = ule54_stat_tick,
    .to_user = ule54_to_user,
    .fork = ule54_fork,
    .reap = ule54_reap,
    .yield = ule54_yield,
    .renice = ule54_renice,
    .reallow = ule54_reallow,
    .probe = ule54_probe,
    .check = ule54_check,
};
