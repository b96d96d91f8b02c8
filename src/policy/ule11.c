/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ule11.c - ULE of FreeBSD 11, 13 and 14: the machine as a tree of shared caches, turns shortened by the load.
 *
 * Idea:    a woken task stays where its cache is warm, else it searches the largest group of cpus that shares a warm
 *          cache for an idle one, else the machine for the least loaded. A turn is 94 ms divided by the other tasks of
 *          the cpu, at least 16 ms. A cpu about to idle takes a task of the most loaded cpu that has two, first near,
 *          then far; one that has been idle does not look again by itself (13, 14). The balancer moves one task off
 *          each overloaded cpu, about once a second; that of 11 never runs, unless balance=1 repairs it.
 * Source:  spec freebsd 5.
 * Choices: 11 divides before it multiplies in priorities, as 12 and 13 do. Idle cpus of 11, and with always_steal, wake
 *          at each tick of hz. A look at the queue by a spinning cpu takes 10 ns.
 * Omits:   interrupt threads that are demoted after a whole turn (14); taking the mark "no load" of tasks into account.
 * Good at: caches; few switches; interactive tasks.
 * Bad at:  large surpluses on one cpu, which leave it one by one; searches cost time in proportion to the machine.
 */
#include <string.h>

#include "base/units.h"
#include "policy/ule_search.h"

enum {
    SLICE_DIVISOR = 6, /* of the shortest turn */
    IDLE_SPINS = 10000,
    SPIN_NS = 10,
    TRYSTEAL_LIMIT = 2
};

struct ule11_cpu {
    struct ule_cpu ule;             /* first */
    int64_t window_ns;              /* start of the present stat tick */
    int32_t switches, old_switches; /* in it, and in the one before */
    int64_t spin_until_ns;          /* idle, and watching its queue until then */
    bool was_idle;
};

struct ule11 {
    struct ule ule; /* first */
    struct ule_tree tree;
    uint64_t *donors, *receivers; /* sets of cpus while the balancer runs */
    int32_t trysteal_limit, spins, spin_thresh;
    bool always_steal, balancer_works, repicks;
};

static bool ule11_in_smt_group(const struct ule11 *u11, int cpu)
{
    return u11->tree.group[u11->tree.leaf[cpu]].is_smt;
}

/* ---- placement ---- */

static bool ule11_core_is_idle(const struct policy *p, const struct ule *u, int cpu)
{
    const struct machine *m = policy_machine(p);
    int32_t core = m->cpu[cpu].core;

    for (int32_t i = m->core_first[core]; i < m->core_first[core + 1]; i++)
        if (u->lowpri[m->core_cpu[i]] <= BSD_TIMESHARE_MAX)
            return false;
    return true;
}

/* The largest group around cpu whose shared cache the task has used lately enough; ULE_NO_GROUP: none. */
static int32_t ule11_warm_group(const struct ule11 *u11, int cpu, int32_t away_ticks)
{
    int32_t warm = ULE_NO_GROUP;

    for (int32_t i = u11->tree.leaf[cpu]; i != ULE_NO_GROUP; i = u11->tree.group[i].parent) {
        const struct ule_group *group = &u11->tree.group[i];

        if (!group->is_smt && away_ticks < group->level * u11->ule.affinity)
            warm = i;
    }
    return warm;
}

static int ule11_find_cpu(struct policy *p, const struct policy_task *t, int here, bool is_running)
{
    struct ule11 *u11 = policy_data(p);
    const struct ule *u = &u11->ule;
    const struct ule_task *d = ule_task(t);
    int last = policy_allowed(t, d->cpu) ? d->cpu : bsd_first_allowed(p, t), cpu = POLICY_NO_CPU;
    int32_t away_ticks = ule_ticks(p, u) - d->ran_at, warm;
    struct ule_want want = {
        .task = t, .load_max = INT32_MAX, .prefer = last, .is_running = is_running};

    if (!is_running && u->lowpri[last] > BSD_TIMESHARE_MAX &&
        away_ticks < ULE_LEVEL_L2 * u->affinity &&
        (!ule11_in_smt_group(u11, last) || ule11_core_is_idle(p, u, last)))
        return last;
    warm = ule11_warm_group(u11, last, away_ticks);
    if (warm != ULE_NO_GROUP) {
        want.worse_than = BSD_TIMESHARE_MAX;
        cpu = ule_search_lowest(p, &u11->tree, warm, here, &want);
    }
    if (cpu == POLICY_NO_CPU) {
        want.worse_than = d->priority;
        cpu = ule_search_lowest(p, &u11->tree, 0, here, &want);
    }
    if (cpu == POLICY_NO_CPU) {
        want.worse_than = -1;
        cpu = ule_search_lowest(p, &u11->tree, 0, here, &want);
    }
    if (policy_allowed(t, here) && d->priority < u->lowpri[here] &&
        u->lowpri[cpu] <= BSD_TIMESHARE_MAX && u->load[here] <= u->load[cpu] + 1)
        return here;
    return cpu;
}

static int ule11_select_cpu(struct policy *p, struct policy_task *t, const struct policy_wakeup *w)
{
    struct ule_task *d = ule_task(t);

    if (w->why == POLICY_EXEC)
        return t->on_cpu;
    d->pinned = bsd_is_pinned(p, t);
    if (d->pinned)
        return bsd_first_allowed(p, t);
    if (bsd_class(t) == BSD_CLASS_INTERRUPT && w->from_irq && policy_allowed(t, w->waker_cpu))
        return w->waker_cpu;
    return ule11_find_cpu(p, t, w->waker_cpu, false);
}

/* ---- making a task runnable ---- */

static bool ule11_should_preempt(const struct ule *u, int16_t priority,
                                 const struct policy_task *running, bool remote)
{
    int16_t present = ule_task(running)->priority;

    if (priority >= present)
        return false;
    if (bsd_class(running) == BSD_CLASS_IDLE)
        return true;
    if (u->preempt_thresh == 0)
        return false;
    return priority <= u->preempt_thresh ||
           (remote && priority < u->scale.batch_min && present >= u->scale.batch_min);
}

static void ule11_notify(struct policy *p, const struct policy_task *t, int cpu, int here)
{
    const struct ule *u = policy_data(p);
    const struct policy_task *running = policy_running(p, cpu);
    struct ule11_cpu *c = policy_cpu_data(p, cpu);
    int16_t priority = ule_task(t)->priority;

    if (running == NULL) {
        c->ule.preempt = true;
        if (c->spin_until_ns > policy_now_ns(p))
            policy_signal(p, cpu);
        else
            policy_kick(p, cpu);
    } else if (ule11_should_preempt(u, priority, running, cpu != here)) {
        ule_ask(p, cpu, true);
    } else if (cpu == here && priority < ule_task(running)->priority) {
        ule_ask(p, cpu, false);
    }
}

static void ule11_offer(struct policy *p, int cpu)
{
    const struct ule11 *u11 = policy_data(p);

    if (u11->ule.load[cpu] >= u11->ule.steal_thresh ||
        (u11->ule.release == BSD_11 && ule11_in_smt_group(u11, cpu)))
        ule_offer(p, cpu);
}

/* Queues the task on the cpu it belongs to now. */
static void ule11_add(struct policy *p, struct policy_task *t, int here)
{
    struct ule *u = policy_data(p);
    struct ule_task *d = ule_task(t);

    policy_lock(p, here, d->cpu);
    ule_queue_add(p, t, false);
    ule_count(p, t, true);
    u->lowpri[d->cpu] = (uint8_t)HL_MIN(u->lowpri[d->cpu], d->priority);
    ule11_notify(p, t, d->cpu, here);
    ule11_offer(p, d->cpu);
}

static void ule11_enqueue(struct policy *p, struct policy_task *t, int cpu,
                          const struct policy_wakeup *w)
{
    struct ule_task *d = ule_task(t);

    d->pinned = bsd_is_pinned(p, t);
    d->cpu = cpu;
    if (w->why == POLICY_WAKE)
        ule_wake(p, t);
    else
        ule_set_user_priority(policy_data(p), t);
    ule11_add(p, t, w->waker_cpu);
}

/* ---- idle ---- */

/* Takes a task, at most so many groups away; once per group. */
static bool ule11_steal(struct policy *p, int cpu, int32_t levels)
{
    struct ule11 *u11 = policy_data(p);
    struct ule *u = &u11->ule;

    for (int32_t i = u11->tree.leaf[cpu]; i != ULE_NO_GROUP && levels > 0;
         i = u11->tree.group[i].parent, levels--) {
        int32_t thresh = u->release == BSD_11 && u11->tree.group[i].is_smt ? 1 : u->steal_thresh;
        int from = ule_search_highest(p, &u11->tree, i, cpu, NULL, thresh, false);
        bool stolen = from != POLICY_NO_CPU && ule_move(p, from, cpu);

        ule_count_look(p, u11->tree.group[i].span, stolen);
        if (stolen) {
            u->steal_count++;
            return true;
        }
        if (from != POLICY_NO_CPU)
            ule_poll_later(p, cpu);
    }
    return false;
}

/* Before it idles; once idle a cpu looks again only if it keeps waking up for that. */
static bool ule11_find_work(struct policy *p, int cpu)
{
    struct ule11 *u11 = policy_data(p);
    const struct ule11_cpu *c = policy_cpu_data(p, cpu);

    if (c->was_idle && !u11->always_steal)
        return false;
    if (u11->ule.giver_count == 0) { /* it looks at all cpus in vain */
        policy_charge(p, cpu, POLICY_SCAN, (uint32_t)policy_cpu_count(p));
        ule_count_look(p, u11->ule.span, false);
        return false;
    }
    if (!c->was_idle && ule11_steal(p, cpu, u11->trysteal_limit))
        return true;
    return u11->ule.steal_idle && ule11_steal(p, cpu, INT32_MAX);
}

/* Switches of this stat tick and of the one before. */
static int32_t ule11_count_switch(const struct ule *u, struct ule11_cpu *c, int64_t now_ns)
{
    int64_t elapsed_ns = now_ns - c->window_ns;

    if (elapsed_ns >= u->stat_period_ns) {
        bool adjacent = elapsed_ns < 2 * u->stat_period_ns;

        c->old_switches = adjacent ? c->switches : 0;
        c->switches = 0;
        c->window_ns = adjacent ? c->window_ns + u->stat_period_ns : now_ns;
    }
    c->switches++;
    return c->switches + c->old_switches;
}

/* ---- choosing ---- */

/* 14: the balancer asked the lone task of this cpu to look for a better one. True: it has gone there. */
static bool ule11_repick(struct policy *p, int cpu, struct policy_task *prev)
{
    struct ule_task *d = ule_task(prev);
    int target;

    if (!d->pick_cpu)
        return false;
    d->pick_cpu = false;
    target = d->pinned ? cpu : ule11_find_cpu(p, prev, cpu, true);
    if (target == cpu)
        return false;
    ule_charge_use(p, policy_data(p), d);
    d->priority = prev->is_kernel ? d->priority : d->user_priority;
    d->slice_end = false;
    ule_count(p, prev, false);
    d->cpu = target;
    ule11_add(p, prev, cpu);
    return true;
}

static struct policy_task *ule11_pick(struct policy *p, int cpu, struct policy_task *prev)
{
    const struct ule11 *u11 = policy_data(p);
    struct ule11_cpu *c = policy_cpu_data(p, cpu);
    struct policy_task *next;
    int32_t switches;

    if (prev != NULL && ule_goes_on(p, cpu, prev))
        return prev;
    policy_lock(p, cpu, cpu);
    if (prev != NULL && !ule11_repick(p, cpu, prev)) {
        ule_leave(p, cpu, prev);
        ule11_offer(p, cpu); /* it may have been pinned when it began to run */
    }
    next = ule_choose(p, cpu);
    if (next == NULL && ule11_find_work(p, cpu))
        next = ule_choose(p, cpu);
    switches = ule11_count_switch(&u11->ule, c, policy_now_ns(p));
    if (next == NULL && !c->was_idle && switches > u11->spin_thresh &&
        !ule11_in_smt_group(u11, cpu))
        c->spin_until_ns = policy_now_ns(p) + (int64_t)u11->spins * SPIN_NS;
    c->was_idle = next == NULL;
    return ule_enter(p, cpu, next);
}

/* ---- the balancer ---- */

/* One task from the most loaded donor to the least loaded cpu that is neither; false: there is no pair. */
static bool ule11_balance_once(struct policy *p)
{
    struct ule11 *u11 = policy_data(p);
    struct ule *u = &u11->ule;
    size_t bytes = (size_t)(policy_cpu_count(p) + 63) / 64 * sizeof(*u11->donors);
    int32_t load_min = u->release == BSD_13 ? 2 : 1;
    int high = ule_search_highest(p, &u11->tree, 0, 0, u11->donors, load_min, u11->repicks), low;
    bool looked = false;

    if (high == POLICY_NO_CPU)
        return false;
    bsd_cpu_remove(u11->donors, high);
    memcpy(u11->receivers, u11->donors, bytes);
    for (;;) {
        struct ule_want want = {.only = u11->receivers,
                                .worse_than = -1,
                                .load_max = u->load[high] - 1,
                                .prefer = high};

        low = ule_search_lowest(p, &u11->tree, 0, 0, &want);
        if (low == POLICY_NO_CPU)
            return looked; /* if nobody has less, nobody will have less than the next donor */
        if (u->transferable[high] > 0 && ule_move(p, high, low)) {
            u->balance_moves++;
            ule_ask(p, low, true);
            ule11_offer(p, low);
            break;
        }
        if (u->transferable[high] == 0 && u11->repicks && u->load[high] == 1) {
            ule_task(policy_running(p, high))->pick_cpu = true;
            ule_ask(p, high, false);
            break;
        }
        bsd_cpu_remove(u11->receivers, low); /* no task of high may run there */
        looked = true;
    }
    bsd_cpu_remove(u11->donors, low);
    return true;
}

static void ule11_timer(struct policy *p, int cpu)
{
    struct ule11 *u11 = policy_data(p);
    int64_t moves = u11->ule.balance_moves;

    if (!ule_timer_due(p, cpu))
        return;
    u11->ule.balance_count++;
    for (int i = 0; i < policy_cpu_count(p); i++)
        bsd_cpu_add(u11->donors, i);
    while (ule11_balance_once(p))
        ;
    u11->ule.balance_acts += u11->ule.balance_moves > moves;
    ule_count_look(p, u11->ule.span, u11->ule.balance_moves > moves);
}

/* ---- clocks ---- */

/* Divided by the others on the cpu; from so many on the shortest. */
static int32_t ule11_slice(const struct ule *u, int cpu)
{
    int32_t others = u->load[cpu] - 1;

    if (others >= SLICE_DIVISOR)
        return u->slice_min;
    return others <= 1 ? u->slice : HL_MAX(u->slice / others, u->slice_min);
}

static void ule11_tick(struct policy *p, int cpu, struct policy_task *running)
{
    /* Only the time that the interrupt takes: cpu use is charged by the statistics clock. */
    (void)p, (void)cpu, (void)running;
}

static void ule11_stat_tick(struct policy *p, int cpu, struct policy_task *running)
{
    const struct ule *u = policy_data(p);

    if (running == NULL)
        return;
    policy_lock(p, cpu, cpu);
    ule_advance(policy_cpu_data(p, cpu));
    ule_charge_use(p, u, ule_task(running));
    ule_charge_history(u, running);
    ule_set_user_priority(u, running);
    if (ule_count_slice(u, running, ule11_slice(u, cpu)))
        ule_ask(p, cpu, false);
}

static void ule11_fork(struct policy *p, struct policy_task *parent, struct policy_task *child)
{
    const struct ule *u = policy_data(p);

    ule_fork(p, parent, child);
    if (parent != NULL) /* the shortest turn, whatever the load */
        ule_task(child)->used = ule11_slice(u, ule_task(parent)->cpu) - u->slice_min;
}

/* ---- set-up ---- */

static void ule11_set_scale(struct ule *u)
{
    static const struct ule_scale until_13 = {.interactive_min = 120,
                                              .interactive_levels = 32,
                                              .batch_min = 152,
                                              .batch_levels = 72,
                                              .use_levels = 32,
                                              .use_max = 31},
                                  since_14 = {.interactive_min = 88,
                                              .interactive_levels = 48,
                                              .batch_min = 136,
                                              .batch_levels = 88,
                                              .use_levels = 48,
                                              .use_max = 47,
                                              .divides_late = true};

    u->scale = u->release < BSD_14 ? until_13 : since_14;
}

static enum hl_status ule11_init(struct policy *p, struct hl_error *err)
{
    struct ule11 *u11 = policy_data(p);
    struct ule *u = &u11->ule;
    int32_t stathz;
    size_t words = (size_t)(policy_cpu_count(p) + 63) / 64;

    u->release = ule_release(p);
    ule11_set_scale(u);
    stathz = bsd_stathz(u->release);
    u->preempt_thresh = bsd_bands(u->release)->kernel_min;
    u->static_boost = (int32_t)bsd_tunable(p, "static_boost", u->scale.batch_min);
    u->affinity = HL_MAX(1, bsd_hz(u->release, policy_param(p, "hz")) / 1000);
    u->balance_interval = stathz;
    u->steal_thresh = 2;
    u11->always_steal = u->release == BSD_11 || bsd_tunable(p, "always_steal", 0) != 0;
    if (u11->always_steal)
        u->poll_period_ns =
            HL_NS_PER_S / bsd_interrupt_hz(u->release, bsd_hz(u->release, policy_param(p, "hz")));
    u11->trysteal_limit =
        u->release == BSD_11 ? 0 : (int32_t)bsd_tunable(p, "trysteal_limit", TRYSTEAL_LIMIT);
    u11->spins = (int32_t)bsd_tunable(p, "idlespins", IDLE_SPINS);
    u11->repicks = u->release >= BSD_14;
    HL_TRY(ule_core_init(p, err));
    u11->spin_thresh =
        (int32_t)bsd_tunable(p, "idlespinthresh", 2 * HL_MAX(10000, 6 * u->hz) / stathz);
    u->slice_min = (int32_t)bsd_tunable(p, "slice_min", HL_MAX(u->slice / SLICE_DIVISOR, 1));
    HL_TRY(bsd_param_at_least(p, "slice", u->slice, u->slice_min, "slice_min", err));
    u11->tree.jitter_range = u->release >= BSD_14 ? 128 : 32;
    u11->tree.preference = u->release >= BSD_14 ? 128 : 64;
    u11->donors = policy_alloc(p, words, sizeof(*u11->donors));
    u11->receivers = policy_alloc(p, words, sizeof(*u11->receivers));
    if (u11->donors == NULL || u11->receivers == NULL)
        return hl_fail(err, HL_NO_MEMORY, "no memory for sets of cpus");
    for (int cpu = 0; cpu < policy_cpu_count(p); cpu++)
        ((struct ule11_cpu *)policy_cpu_data(p, cpu))->was_idle = true;
    return ule_tree_build(p, &u11->tree, err);
}

const struct policy_ops ule11_ops = {
    ULE_NAMES,
    .policy_bytes = sizeof(struct ule11),
    .cpu_bytes = sizeof(struct ule11_cpu),
    .task_bytes = sizeof(struct ule_task),
    .init = ule11_init,
    .clock = ule_clock,
    .enqueue = ule11_enqueue,
    .dequeue = ule_dequeue,
    .pick = ule11_pick,
    .select_cpu = ule11_select_cpu,
    .tick = ule11_tick,
    .stat_tick = ule11_stat_tick,
    .to_user = ule_to_user,
    .fork = ule11_fork,
    .reap = ule_reap,
    .yield = ule_yield,
    .renice = ule_renice,
    .reallow = ule_reallow,
    .timer = ule11_timer,
    .probe = ule_probe,
    .check = ule_check,
};
