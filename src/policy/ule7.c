/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ule7.c - ULE 3 as in FreeBSD 7.0 (RELENG_7, October 2007).
 *
 * Idea:    a woken or new task looks for a cpu: its last one if idle or warm, an idle one, the waker's if it would run
 *          there at once, else the one whose best task is worst. It interrupts another cpu's task only from the
 *          realtime queue, as an interactive or kernel task. Turns are 98 ms whatever the load. Idle cpus take
 *          tasks of cpus that have at least steal_thresh: 1 on 2 cpus, 2 on 4, 3 on 8 and more. A balancer moves half
 *          of the difference between the most and the least loaded cpu, once a second.
 * Source:  spec freebsd 4 (RELENG_7 as of 7.3; the parameter balance_interval may have had another name).
 * Choices: of a group of siblings, the member with the least load receives and the first that has something gives;
 *          balancing within groups follows that between them, as one timer has both.
 * Omits:   nothing that is known; the text before October 2007 is not modelled.
 * Good at: caches, short sleepers, many cpus: each has a lock of its own.
 * Bad at:  a little more work than cpus: on 8 cpus one that runs a task and has another waiting is not relieved by
 *          an idle one.
 */
#include "base/units.h"
#include "policy/ule_core.h"

enum {
    REALTIME_MAX = 159, /* the best time-sharing priority but one: interactive, kernel, real-time */
    PREEMPT_THRESH = 64,
    THRESH_MAX = 3
};

struct ule7 {
    struct ule ule; /* first */
    bool pick_worst, try_self, steal_siblings;
};

static int ule7_lock(const struct policy *p, int cpu)
{
    return policy_machine(p)->cpu[cpu].core; /* groups share one */
}

/* ---- placement ---- */

/* All threads of the core are idle. */
static bool ule7_core_is_idle(const struct policy *p, const struct ule *u, int cpu)
{
    const struct machine *m = policy_machine(p);
    int32_t core = m->cpu[cpu].core;

    for (int32_t i = m->core_first[core]; i < m->core_first[core + 1]; i++)
        if (!bsd_cpu_has(u->idle, m->core_cpu[i]))
            return false;
    return true;
}

static int ule7_idle_cpu(const struct policy *p, const struct ule *u, const struct policy_task *t)
{
    int cpus = policy_cpu_count(p), cpu = -1;

    if (u->idle_count > 0)
        for (cpu = bsd_cpu_next(u->idle, cpus, 0); cpu >= 0;
             cpu = bsd_cpu_next(u->idle, cpus, cpu + 1))
            if (policy_allowed(t, cpu) && ule7_core_is_idle(p, u, cpu))
                break;
    return cpu;
}

/* The worst best task, then the least load, then the later cpu; or load first. */
static int ule7_least_cpu(const struct policy *p, const struct ule7 *u7,
                          const struct policy_task *t)
{
    const struct ule *u = &u7->ule;
    int64_t best_key = INT64_MIN;
    int best = bsd_first_allowed(p, t);

    for (int cpu = best; cpu < policy_cpu_count(p); cpu++) {
        int64_t key = u7->pick_worst ? ((int64_t)u->lowpri[cpu] << 32) - u->load[cpu]
                                     : (int64_t)u->lowpri[cpu] - ((int64_t)u->load[cpu] << 32);

        if (key >= best_key && policy_allowed(t, cpu)) {
            best_key = key;
            best = cpu;
        }
    }
    return best;
}

static int ule7_select_cpu(struct policy *p, struct policy_task *t, const struct policy_wakeup *w)
{
    const struct ule7 *u7 = policy_data(p);
    const struct ule *u = &u7->ule;
    struct ule_task *d = ule_task(t);
    const struct policy_task *here = policy_running(p, w->waker_cpu);
    int last = d->cpu, idle;

    if (w->why == POLICY_EXEC)
        return t->on_cpu;
    d->pinned = bsd_is_pinned(p, t);
    if (bsd_class(t) == BSD_CLASS_INTERRUPT && w->from_irq)
        last = w->waker_cpu;
    if (!policy_allowed(t, last))
        last = bsd_first_allowed(p, t);
    if (d->pinned || u->lowpri[last] > BSD_IDLE_MIN)
        return last;
    if (ule_ticks(p, u) - d->ran_at < u->affinity && d->priority < u->lowpri[last])
        return last;
    idle = ule7_idle_cpu(p, u, t);
    if (idle >= 0)
        return idle;
    if (u7->try_self && policy_allowed(t, w->waker_cpu) &&
        (here == NULL || d->priority < ule_task(here)->priority))
        return w->waker_cpu;
    policy_charge(p, w->waker_cpu, POLICY_SCAN, (uint32_t)policy_cpu_count(p));
    return ule7_least_cpu(p, u7, t);
}

/* ---- making a task runnable ---- */

static void ule7_notify(struct policy *p, const struct policy_task *t, int cpu, int here)
{
    const struct ule *u = policy_data(p);
    const struct policy_task *running = policy_running(p, cpu);
    int16_t priority = ule_task(t)->priority;

    if (running == NULL)
        ule_ask(p, cpu, true);
    else if (priority >= ule_task(running)->priority)
        return;
    else if (cpu == here)
        ule_ask(p, cpu, priority <= u->preempt_thresh || bsd_class(running) == BSD_CLASS_IDLE);
    else if (priority <= u->preempt_thresh ||
             (priority < REALTIME_MAX && ule_task(running)->priority > REALTIME_MAX))
        ule_ask(p, cpu, true);
}

static void ule7_offer(struct policy *p, int cpu)
{
    const struct ule7 *u7 = policy_data(p);
    const struct ule *u = &u7->ule;

    if (u->load[cpu] >= u->steal_thresh ||
        (u7->steal_siblings && machine_core_size(policy_machine(p), cpu) > 1))
        ule_offer(p, cpu);
}

static void ule7_enqueue(struct policy *p, struct policy_task *t, int cpu,
                         const struct policy_wakeup *w)
{
    struct ule *u = policy_data(p);
    struct ule_task *d = ule_task(t);

    policy_lock(p, w->waker_cpu, ule7_lock(p, cpu));
    d->pinned = bsd_is_pinned(p, t);
    d->cpu = cpu;
    if (w->why == POLICY_WAKE)
        ule_wake(p, t);
    else
        ule_set_user_priority(u, t);
    ule_queue_add(p, t, false);
    ule_count(p, t, true);
    u->lowpri[cpu] = (uint8_t)HL_MIN(u->lowpri[cpu], d->priority);
    ule7_notify(p, t, cpu, w->waker_cpu);
    ule7_offer(p, cpu);
}

/* ---- choosing and stealing ---- */

static bool ule7_steal_from_sibling(struct policy *p, int cpu)
{
    const struct machine *m = policy_machine(p);
    int32_t core = m->cpu[cpu].core;

    for (int32_t i = m->core_first[core]; i < m->core_first[core + 1]; i++)
        if (m->core_cpu[i] != cpu &&
            ((struct ule *)policy_data(p))->transferable[m->core_cpu[i]] > 0 &&
            ule_move(p, m->core_cpu[i], cpu))
            return true;
    return false;
}

/* The cpu with the largest load that has something to give, the last one of equals. */
static int ule7_most_loaded(const struct policy *p, const struct ule *u)
{
    int most = POLICY_NO_CPU;

    for (int cpu = 0; cpu < policy_cpu_count(p); cpu++)
        if (u->transferable[cpu] > 0 && (most == POLICY_NO_CPU || u->load[cpu] >= u->load[most]))
            most = cpu;
    return most;
}

/* One look of the idle thread; if there is somebody who could give and did not, there will be another. */
static bool ule7_steal(struct policy *p, int cpu)
{
    struct ule7 *u7 = policy_data(p);
    struct ule *u = &u7->ule;
    bool stolen = false;
    int from;

    policy_charge(p, cpu, POLICY_SCAN, (uint32_t)policy_cpu_count(p));
    if (u->giver_count == 0) {
        ule_count_look(p, u->span, false);
        return false;
    }
    if (u7->steal_siblings && machine_core_size(policy_machine(p), cpu) > 1) {
        stolen = ule7_steal_from_sibling(p, cpu);
        ule_count_look(p, MACHINE_SAME_CORE, stolen);
    }
    if (!stolen) {
        from = ule7_most_loaded(p, u);
        if (u->load[from] >= u->steal_thresh) {
            stolen = ule_move(p, from, cpu);
            if (!stolen)
                ule_poll_later(p, cpu);
        }
        ule_count_look(p, u->span, stolen);
    }
    u->steal_count += stolen;
    return stolen;
}

static struct policy_task *ule7_pick(struct policy *p, int cpu, struct policy_task *prev)
{
    const struct ule *u = policy_data(p);
    struct policy_task *next;

    if (prev != NULL && ule_goes_on(p, cpu, prev))
        return prev;
    policy_lock(p, cpu, ule7_lock(p, cpu));
    if (prev != NULL) {
        ule_leave(p, cpu, prev);
        ule7_offer(p, cpu); /* it may have been pinned when it began to run */
    }
    next = ule_choose(p, cpu);
    if (next == NULL && u->steal_idle && policy_cpu_count(p) > 1 && ule7_steal(p, cpu))
        next = ule_choose(p, cpu);
    return ule_enter(p, cpu, next);
}

/* ---- the balancer ---- */

struct side {             /* a group of siblings, or a cpu */
    int32_t first, count; /* in the machine's list of cpus by core */
    int32_t load, transferable;
};

/* True if some task was moved. */
static bool ule7_move_half(struct policy *p, const struct side *high, const struct side *low)
{
    struct ule *u = policy_data(p);
    const int32_t *cpu = policy_machine(p)->core_cpu;
    int32_t moves = HL_MIN((high->load - low->load + 1) / 2, high->transferable);
    int to = cpu[low->first];
    bool moved = false;

    for (int32_t i = 1; i < low->count; i++)
        if (u->load[cpu[low->first + i]] < u->load[to])
            to = cpu[low->first + i];
    for (int32_t i = 0; i < high->count && moves > 0;) {
        if (cpu[high->first + i] == to || !ule_move(p, cpu[high->first + i], to)) {
            i++;
            continue;
        }
        moved = true;
        moves--;
        u->balance_moves++;
    }
    if (moved) {
        ule_ask(p, to, true);
        ule7_offer(p, to);
    }
    return moved;
}

/* `parts` sides, side i being the cpus core_cpu[first[i]] to core_cpu[first[i + 1] - 1]; first NULL: one cpu each from
 * `base` on. True if some task was moved. */
static bool ule7_balance_sides(struct policy *p, const int32_t *first, int32_t base, int32_t parts)
{
    const struct ule *u = policy_data(p);
    const int32_t *cpu = policy_machine(p)->core_cpu;
    int32_t start = (int32_t)policy_random(p, (uint64_t)parts);
    struct side high = {.load = -1}, low = {.load = INT32_MAX};

    for (int32_t i = 0; i < parts; i++) {
        int32_t part = (start + i) % parts;
        struct side s = {.first = first == NULL ? base + part : first[part],
                         .count = first == NULL ? 1 : first[part + 1] - first[part]};

        for (int32_t j = s.first; j < s.first + s.count; j++) {
            s.load += u->load[cpu[j]];
            s.transferable += u->transferable[cpu[j]];
        }
        if (s.load > high.load && s.transferable > 0)
            high = s;
        if (s.load < low.load)
            low = s;
    }
    return high.load > low.load && ule7_move_half(p, &high, &low);
}

static void ule7_timer(struct policy *p, int cpu)
{
    struct ule *u = policy_data(p);
    const struct machine *m = policy_machine(p);
    int64_t moves = u->balance_moves;

    if (!ule_timer_due(p, cpu))
        return;
    u->balance_count++;
    policy_charge(p, cpu, POLICY_SCAN, (uint32_t)policy_cpu_count(p));
    ule_count_look(p, u->span, ule7_balance_sides(p, m->core_first, 0, m->core_count));
    for (int32_t core = 0; m->has_smt && core < m->core_count; core++)
        ule_count_look(p, MACHINE_SAME_CORE,
                       ule7_balance_sides(p, NULL, m->core_first[core],
                                          m->core_first[core + 1] - m->core_first[core]));
    u->balance_acts += u->balance_moves > moves;
}

/* ---- clocks ---- */

static void ule7_tick(struct policy *p, int cpu, struct policy_task *running)
{
    const struct ule *u = policy_data(p);

    (void)cpu;
    if (running != NULL)
        ule_use_add(&ule_task(running)->use, ule_ticks(p, u), 1, u->hz);
}

static void ule7_stat_tick(struct policy *p, int cpu, struct policy_task *running)
{
    const struct ule *u = policy_data(p);

    if (running == NULL)
        return;
    policy_lock(p, cpu, ule7_lock(p, cpu));
    ule_advance(policy_cpu_data(p, cpu));
    ule_charge_history(u, running);
    if (ule_count_slice(u, running, u->slice)) {
        ule_set_user_priority(u, running);
        ule_ask(p, cpu, false);
    }
}

static void ule7_fork(struct policy *p, struct policy_task *parent, struct policy_task *child)
{
    ule_fork(p, parent, child);
    if (parent != NULL) /* it is judged after one tick */
        ule_task(child)->used = ((struct ule *)policy_data(p))->slice - 1;
}

static enum hl_status ule7_init(struct policy *p, struct hl_error *err)
{
    struct ule7 *u7 = policy_data(p);
    struct ule *u = &u7->ule;
    int32_t hz = bsd_hz(BSD_7_0, policy_param(p, "hz"));

    u->release = BSD_7_0;
    u->scale = (struct ule_scale){.interactive_min = 128,
                                  .interactive_levels = 31,
                                  .batch_min = 160,
                                  .batch_levels = 64,
                                  .use_levels = 23,
                                  .use_max = 23};
    u->static_boost = 1;
    u->preempt_thresh = PREEMPT_THRESH;
    u->affinity = HL_MAX(1, hz / 300);
    u->balance_interval = bsd_stathz(BSD_7_0);
    for (int cpus = policy_cpu_count(p); cpus > 1 && u->steal_thresh < THRESH_MAX; cpus /= 2)
        u->steal_thresh++;
    u->poll_period_ns = HL_NS_PER_S / bsd_interrupt_hz(BSD_7_0, hz);
    u7->pick_worst = bsd_tunable(p, "pick_pri", 1) != 0;
    u7->try_self = bsd_tunable(p, "tryself", 1) != 0;
    u7->steal_siblings = bsd_tunable(p, "steal_htt", 1) != 0;
    return ule_core_init(p, err);
}

const struct policy_ops ule7_ops = {
    ULE_NAMES,
    .policy_bytes = sizeof(struct ule7),
    .cpu_bytes = sizeof(struct ule_cpu),
    .task_bytes = sizeof(struct ule_task),
    .init = ule7_init,
    .clock = ule_clock,
    .enqueue = ule7_enqueue,
    .dequeue = ule_dequeue,
    .pick = ule7_pick,
    .select_cpu = ule7_select_cpu,
    .tick = ule7_tick,
    .stat_tick = ule7_stat_tick,
    .to_user = ule_to_user,
    .fork = ule7_fork,
    .reap = ule_reap,
    .yield = ule_yield,
    .renice = ule_renice,
    .reallow = ule_reallow,
    .timer = ule7_timer,
    .probe = ule_probe,
    .check = ule_check,
};
