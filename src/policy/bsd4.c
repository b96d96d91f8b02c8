/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bsd4.c - 4bsd: FreeBSD's traditional scheduler, one run queue for all cpus.
 *
 * Idea:    one queue, ordered by priority, under one lock. Priority falls with recent cpu use, sampled by
 *          the statistics clock and forgotten once a second the faster the lower the load is, and with nice.
 *          Tasks of a level take turns of 100 ms. A sleeper wakes with the priority of what it slept on, which
 *          beats all user code, until it returns to user mode. Wake-ups are forwarded to all idle cpus at once;
 *          the first to get the lock has the task, the others took it in vain. Where not all are told (the tunables
 *          ipiwakeup), an idle cpu finds the task at its own next clock interrupt.
 * Source:  spec freebsd 1 and 2 (sched_4bsd.c of 6.0, 7.3 and later).
 * Choices: the winner of a forwarded wake-up is drawn uniformly among the cpus told of it. Tasks with a
 *          restricted set of cpus follow the rule of 7.1 in all releases. A dead child's estimate comes
 *          back when its parent reaps it. Each task is a group of its own (spec 1.7). The switch itself
 *          is made with the lock held.
 *          The first cpu runs the timeout that ends turns in 6.2; its task gives way only when it has lost a level, which
 *          moves shares by nice a little (nice 0 and 10 on one cpu: 0.66, with turns 0.62). From 9 on an idle cpu's
 *          clock is assumed to interrupt at hz.
 * Omits:   the threads that run timeouts and the once-a-second pass as tasks.
 * Good at: never leaving a task queued beside an idle cpu.
 * Bad at:  caches: with more tasks than cpus nearly every turn is a move. Many cpus: the lock is taken at
 *          every switch, wake-up and clock tick.
 */
#include "base/units.h"
#include "policy/bsd4.h"

enum {
    TICKS_PER_LEVEL = 8, /* sampled ticks that cost one priority, per cpu of the machine */
    LEVELS_MAX =
        40 - BSD_PRIORITIES_PER_LEVEL, /* that cpu use can cost: less than the range of nice */
    NICE_MIN = -20,
    QUANTUM_US = 100000
};

/* ---- priorities ---- */

static int16_t bsd4_user_priority(const struct bsd4 *g, const struct policy_task *t)
{
    int32_t priority =
        g->bands->timeshare_min + bsd4_task(t)->estcpu / g->weight + t->nice - NICE_MIN;

    if (bsd_class(t) != BSD_CLASS_TIMESHARE)
        return bsd_fixed_priority(g->bands, t);
    return (int16_t)HL_MIN(HL_MAX(priority, g->bands->timeshare_min), BSD_TIMESHARE_MAX);
}

static struct bsd_queue *bsd4_queue_of(struct policy *p, int32_t queue)
{
    if (queue == BSD4_GLOBAL_QUEUE)
        return &((struct bsd4 *)policy_data(p))->queue;
    return &((struct bsd4_cpu *)policy_cpu_data(p, queue))->own;
}

/* Is the cpu, if told, one of those that race for the queue of all? Before and after a change of that. */
static void bsd4_count_racing(struct bsd4 *g, const struct bsd4_cpu *c, int32_t change)
{
    if (c->told && c->own_count == 0)
        g->racing_count += change;
}

static void bsd4_count_queued(struct policy *p, int32_t queue, int32_t change)
{
    struct bsd4 *g = policy_data(p);
    struct bsd4_cpu *c;

    if (queue == BSD4_GLOBAL_QUEUE) {
        g->queued_count += change;
        return;
    }
    c = policy_cpu_data(p, queue);
    bsd4_count_racing(g, c, -1);
    c->own_count += change;
    bsd4_count_racing(g, c, 1);
}

static void bsd4_queue_add(struct policy *p, struct policy_task *t, int32_t queue, bool at_head)
{
    struct bsd4_task *d = bsd4_task(t);

    bsd_queue_add(bsd4_queue_of(p, queue), bsd_level(d->priority), t, at_head);
    d->queue = queue;
    bsd4_count_queued(p, queue, 1);
}

static void bsd4_queue_remove(struct policy *p, struct policy_task *t)
{
    struct bsd4_task *d = bsd4_task(t);

    (void)bsd_queue_remove(bsd4_queue_of(p, d->queue), bsd_level(d->priority), t);
    bsd4_count_queued(p, d->queue, -1);
    d->queue = BSD4_NOT_QUEUED;
}

/* A queued task moves if its level changes. */
static void bsd4_set_priority(struct policy *p, struct policy_task *t, int16_t priority)
{
    struct bsd4_task *d = bsd4_task(t);
    int32_t queue = d->queue;

    if (queue == BSD4_NOT_QUEUED || bsd_level(priority) == bsd_level(d->priority)) {
        d->priority = priority;
        return;
    }
    bsd4_queue_remove(p, t);
    d->priority = priority;
    bsd4_queue_add(p, t, queue, false);
}

void bsd4_reset_priority(struct policy *p, struct policy_task *t)
{
    struct bsd4 *g = policy_data(p);
    struct bsd4_task *d = bsd4_task(t);

    d->user_priority = bsd4_user_priority(g, t);
    if (bsd_class(t) != BSD_CLASS_TIMESHARE || d->priority >= g->bands->timeshare_min)
        bsd4_set_priority(p, t, d->user_priority);
}

/* ---- making a task runnable ---- */

void bsd4_ask(struct policy *p, int cpu)
{
    ((struct bsd4_cpu *)policy_cpu_data(p, cpu))->resched = true;
    policy_kick(p, cpu);
}

void bsd4_interrupt(struct policy *p, int cpu)
{
    ((struct bsd4_cpu *)policy_cpu_data(p, cpu))->preempt = true;
    policy_kick(p, cpu);
}

void bsd4_tell(struct policy *p, int cpu, bool at_once)
{
    struct bsd4 *g = policy_data(p);
    struct bsd4_cpu *c = policy_cpu_data(p, cpu);

    if (!c->told) {
        c->told = true;
        bsd4_count_racing(g, c, 1);
        g->told_count++;
    }
    if (at_once)
        policy_signal(p, cpu);
    else
        policy_kick(p, cpu);
}

/* Is cpu the first of two adjacent ones that both idle? */
static bool bsd4_is_idle_pair(const struct policy *p, const struct bsd4 *g, int cpu, int here)
{
    return cpu % 2 == 0 && cpu + 1 < policy_cpu_count(p) && cpu / 2 != here / 2 &&
           bsd_cpu_has(g->idle, cpu) && bsd_cpu_has(g->idle, cpu + 1);
}

/* Tells idle cpus that the global queue has something; false: there is none. */
static bool bsd4_forward(struct policy *p, int here)
{
    struct bsd4 *g = policy_data(p);
    int cpus = policy_cpu_count(p);
    bool pairs = false, delivered = false;

    if (!g->forwards || g->idle_count == 0)
        return false;
    for (int cpu = 0; g->prefer_pairs && cpu < cpus && !pairs; cpu += 2)
        pairs = bsd4_is_idle_pair(p, g, cpu, here);
    for (int cpu = bsd_cpu_next(g->idle, cpus, 0); cpu >= 0;
         cpu = bsd_cpu_next(g->idle, cpus, cpu + 1)) {
        if (cpu == here || (pairs && !bsd4_is_idle_pair(p, g, cpu, here)))
            continue;
        bsd4_tell(p, cpu, false);
        delivered = true;
        if (g->one_cpu)
            break;
    }
    g->forward_count += delivered;
    return delivered;
}

/* The task is better than what runs on cpu, which is told so in the way that the configuration has. */
static void bsd4_displace(struct policy *p, const struct policy_task *t, int cpu)
{
    const struct bsd4 *g = policy_data(p);
    const struct policy_task *running = policy_running(p, cpu);
    bool at_once = g->preemption == PREEMPTION_FULL ||
                   (g->preemption == PREEMPTION_INTERRUPT &&
                    (bsd_class(t) == BSD_CLASS_INTERRUPT || bsd_class(running) == BSD_CLASS_IDLE));

    if (bsd4_task(t)->priority >= bsd4_task(running)->priority)
        return;
    if (at_once)
        bsd4_interrupt(p, cpu);
    else
        bsd4_ask(p, cpu);
}

/* The allowed cpu with the shortest queue of its own; the last one among equals. */
static int bsd4_shortest(struct policy *p, const struct policy_task *t)
{
    int best = t->last_cpu;

    if (best < 0 || !policy_allowed(t, best))
        best = bsd_first_allowed(p, t);
    for (int cpu = 0; cpu < policy_cpu_count(p); cpu++)
        if (policy_allowed(t, cpu) && ((struct bsd4_cpu *)policy_cpu_data(p, cpu))->own_count <
                                          ((struct bsd4_cpu *)policy_cpu_data(p, best))->own_count)
            best = cpu;
    return best;
}

static int32_t bsd4_queue_for(struct policy *p, const struct policy_task *t)
{
    return t->allowed == NULL ? BSD4_GLOBAL_QUEUE : bsd4_shortest(p, t);
}

/* The task goes to another cpu's own queue. */
static void bsd4_tell_owner(struct policy *p, const struct policy_task *t, int cpu)
{
    if (policy_running(p, cpu) == NULL)
        bsd4_tell(p, cpu, false);
    else
        bsd4_displace(p, t, cpu);
}

static void bsd4_add(struct policy *p, struct policy_task *t, const struct policy_wakeup *w)
{
    int here = w->waker_cpu;
    int32_t queue = bsd4_queue_for(p, t);
    bool here_busy = policy_running(p, here) != NULL;
    bool delivered = false;

    if (queue >= 0 && queue != here) {
        bsd4_tell_owner(p, t, queue);
    } else {
        /* An interrupt keeps its cpu busy as well; an idle cpu that took it looks into the queue afterwards. */
        if (queue == BSD4_GLOBAL_QUEUE && (here_busy || w->from_irq))
            delivered = bsd4_forward(p, here);
        if (!here_busy)
            bsd4_ask(p, here);
        else if (!delivered)
            bsd4_displace(p, t, here);
    }
    bsd4_queue_add(p, t, queue, false);
    if (here_busy)
        bsd4_look_later(p);
}

static void bsd4_count(struct bsd4 *g, struct policy_task *t, bool counted)
{
    struct bsd4_task *d = bsd4_task(t);

    if (bsd_class(t) == BSD_CLASS_INTERRUPT || d->counted == counted)
        return;
    d->counted = counted;
    g->run_count += counted ? 1 : -1;
}

static void bsd4_enqueue(struct policy *p, struct policy_task *t, int cpu,
                         const struct policy_wakeup *w)
{
    struct bsd4 *g = policy_data(p);
    struct bsd4_task *d = bsd4_task(t);

    (void)cpu;
    policy_lock(p, w->waker_cpu, BSD4_LOCK);
    if (w->why == POLICY_WAKE) {
        if (d->slptime > 1)
            bsd4_decay_after_sleep(g, d);
        d->slptime = 0;
        d->slice_left = g->slice_ticks;
        bsd4_reset_priority(p, t);
    }
    bsd4_count(g, t, true);
    bsd4_add(p, t, w);
}

static void bsd4_dequeue(struct policy *p, struct policy_task *t, int cpu, enum policy_why why,
                         enum policy_wait wait)
{
    struct bsd4 *g = policy_data(p);
    struct bsd4_task *d = bsd4_task(t);
    int16_t boost = bsd_sleep_priority(g->bands, wait);

    ((struct bsd4_cpu *)policy_cpu_data(p, cpu))->left_mm = t->mm;
    if (d->queue != BSD4_NOT_QUEUED)
        bsd4_queue_remove(p, t);
    bsd4_count(g, t, false);
    if (why != POLICY_SLEEP)
        return;
    d->slptime = 0;
    if (boost != BSD_PRIORITY_NONE && bsd_class(t) == BSD_CLASS_TIMESHARE)
        d->priority = boost;
}

/* ---- choosing ---- */

static struct policy_task *bsd4_followon(const struct bsd4 *g, int32_t mm)
{
    for (uint64_t map = g->queue.occupied; map != 0; map &= map - 1) {
        struct policy_task *t = bsd_queue_head(&g->queue, __builtin_ctzll(map));

        for (; t != NULL; t = HL_LIST_ENTRY(t->link.next, struct policy_task, link))
            if (t->mm == mm)
                return t;
    }
    return NULL;
}

/* The head of the best level, or one of the first few there that ran on this cpu last. */
static struct policy_task *bsd4_first(const struct bsd4 *g, int cpu)
{
    struct policy_task *head = bsd_queue_first(&g->queue), *t = head;

    for (int64_t i = 0; i < g->runq_fuzz && g->runq_fuzz > 1 && t != NULL; i++) {
        if (t->last_cpu == cpu)
            return t;
        t = HL_LIST_ENTRY(t->link.next, struct policy_task, link);
    }
    return head;
}

static struct policy_task *bsd4_choose(struct policy *p, int cpu)
{
    const struct bsd4 *g = policy_data(p);
    struct bsd4_cpu *c = policy_cpu_data(p, cpu);
    struct policy_task *own = bsd_queue_first(&c->own), *next = NULL;

    if (g->followon && c->left_mm >= 0)
        next = bsd4_followon(g, c->left_mm);
    if (next == NULL)
        next = bsd4_first(g, cpu);
    if (own != NULL && (next == NULL || bsd4_task(own)->priority < bsd4_task(next)->priority))
        next = own;
    if (next != NULL)
        bsd4_queue_remove(p, next);
    return next;
}

/*
 * Several idle cpus race for the lock. This one, the first of `racing` to ask for `queued` tasks, gets one with
 * the chance queued / racing: so each set of winners is equally likely, and no task is left when all have asked.
 * A cpu that has a task of its own does not count: it may take that one.
 */
static bool bsd4_wins(struct policy *p, const struct bsd4_cpu *c)
{
    const struct bsd4 *g = policy_data(p);
    int32_t racing = g->racing_count + 1;

    if (c->own_count > 0 || g->queued_count >= racing)
        return true;
    return policy_random(p, (uint64_t)racing) < (uint64_t)g->queued_count;
}

static void bsd4_requeue(struct policy *p, int cpu, struct policy_task *prev)
{
    const struct bsd4 *g = policy_data(p);
    const struct bsd4_cpu *c = policy_cpu_data(p, cpu);
    struct bsd4_task *d = bsd4_task(prev);
    bool at_head = c->preempt && !d->slice_end && g->release > BSD_5_4;
    int32_t queue = bsd4_queue_for(p, prev);

    if (!c->preempt && !d->yielded && !prev->is_kernel)
        d->priority = d->user_priority; /* it passes through user mode */
    d->slice_end = false;
    /* As any other enqueueing: this cpu may choose another task, and this one suits idle cpus. */
    if (queue == BSD4_GLOBAL_QUEUE)
        (void)bsd4_forward(p, cpu);
    else if (queue != cpu)
        bsd4_tell_owner(p, prev, queue);
    bsd4_queue_add(p, prev, queue, at_head);
}

static void bsd4_set_idle(struct bsd4 *g, int cpu, bool idle)
{
    if (bsd_cpu_has(g->idle, cpu) == idle)
        return;
    if (idle)
        bsd_cpu_add(g->idle, cpu);
    else
        bsd_cpu_remove(g->idle, cpu);
    g->idle_count += idle ? 1 : -1;
}

static struct policy_task *bsd4_pick(struct policy *p, int cpu, struct policy_task *prev)
{
    struct bsd4 *g = policy_data(p);
    struct bsd4_cpu *c = policy_cpu_data(p, cpu);
    bool raced = c->told && !c->resched;
    struct policy_task *next = NULL;

    bsd4_count_racing(g, c, -1);
    c->told = false;
    if (prev != NULL && !c->resched && !c->preempt)
        return prev; /* an IPI for a task that has gone */
    policy_lock(p, cpu, BSD4_LOCK);
    if (prev != NULL)
        bsd4_requeue(p, cpu, prev);
    if (!raced || bsd4_wins(p, c))
        next = bsd4_choose(p, cpu);
    c->resched = c->preempt = false;
    c->left_mm = -1;
    bsd4_set_idle(g, cpu, next == NULL);
    bsd4_look_later(p);
    if (next == NULL) {
        g->empty_count += raced;
        return NULL;
    }
    policy_charge(p, cpu, POLICY_SWITCH, 1);
    c->switched_ticks = bsd_ticks(policy_now_ns(p), g->hz);
    bsd4_task(next)->ran = true;
    if (bsd4_task(next)->yielded) {
        bsd4_task(next)->yielded = false;
        bsd4_task(next)->priority = bsd4_task(next)->user_priority;
    }
    return next;
}

/* ---- the rest of a task's life ---- */

static void bsd4_to_user(struct policy *p, int cpu, struct policy_task *t)
{
    struct bsd4_task *d = bsd4_task(t);

    (void)p, (void)cpu;
    if (!t->is_kernel && !d->yielded)
        d->priority = d->user_priority;
}

static void bsd4_fork(struct policy *p, struct policy_task *parent, struct policy_task *child)
{
    const struct bsd4 *g = policy_data(p);
    struct bsd4_task *d = bsd4_task(child);

    d->queue = BSD4_NOT_QUEUED;
    d->slice_left = g->slice_ticks;
    d->estcpu = parent == NULL ? 0 : bsd4_task(parent)->estcpu;
    d->user_priority = d->priority = bsd4_user_priority(g, child);
}

static void bsd4_reap(struct policy *p, struct policy_task *parent, struct policy_task *child)
{
    struct bsd4_task *d = bsd4_task(parent);

    d->estcpu =
        HL_MIN(d->estcpu + bsd4_task(child)->estcpu, ((struct bsd4 *)policy_data(p))->estcpu_max);
}

static void bsd4_yield(struct policy *p, struct policy_task *t)
{
    struct bsd4_task *d = bsd4_task(t);

    d->priority = BSD_TIMESHARE_MAX;
    d->yielded = true;
    bsd4_ask(p, t->on_cpu);
}

static void bsd4_renice(struct policy *p, struct policy_task *t, int32_t old_nice)
{
    (void)old_nice;
    bsd4_reset_priority(p, t);
}

static enum bsd_release bsd4_release(const struct policy *p)
{
    static const enum bsd_release release[] = {BSD_5_4, BSD_6_2, BSD_7_0, BSD_14};

    return release[policy_param(p, "version")];
}

static void bsd4_clock(const struct policy *p, struct policy_clock *clock)
{
    bsd_clock(bsd4_release(p), policy_param(p, "hz"), clock);
}

/* ---- set-up ---- */

static enum hl_status bsd4_read_tunables(struct policy *p, struct hl_error *err)
{
    struct bsd4 *g = policy_data(p);
    bool use_mask = bsd_tunable(p, "ipiwakeup.usemask", 1) != 0;
    bool use_loop = bsd_tunable(p, "ipiwakeup.useloop", 0) != 0;

    int64_t quantum_us = bsd_tunable(p, "quantum", QUANTUM_US);

    HL_TRY(bsd_param_at_least(p, "quantum", quantum_us, 1000000 / g->hz, "one tick in us", err));
    g->quantum_ticks = (int32_t)(quantum_us * g->hz / 1000000);
    g->quantum_ns = g->quantum_ticks * (HL_NS_PER_S / g->hz);
    g->slice_ticks = (int32_t)bsd_tunable(p, "slice", bsd_stathz(g->release) / 10);
    g->forwards = bsd_tunable(p, "ipiwakeup.enabled", 1) != 0 && (use_mask || use_loop);
    g->one_cpu = bsd_tunable(p, "ipiwakeup.onecpu", 0) != 0;
    g->prefer_pairs = bsd_tunable(p, "ipiwakeup.htt2", 0) != 0;
    g->followon = bsd_tunable(p, "followon", 0) != 0;
    g->runq_fuzz = bsd_tunable(p, "runq_fuzz", 1);
    g->rotate_others = bsd_tunable(p, "forward_roundrobin_enabled", 1) != 0;
    return HL_OK;
}

static const struct bsd_param_releases releases[] = {
    {"quantum", BSD_UNTIL(BSD_7_0)},
    {"slice", BSD_SINCE(BSD_11)},
    {"ipiwakeup.onecpu", BSD_UNTIL(BSD_7_0)},
    {"ipiwakeup.htt2", BSD_UNTIL(BSD_7_0)},
    {"followon", BSD_UNTIL(BSD_6_2)},
    {"runq_fuzz", BSD_SINCE(BSD_7_0)},
    {"forward_roundrobin_enabled", BSD_UNTIL(BSD_6_2)},
    {.name = NULL},
};

static enum hl_status bsd4_init(struct policy *p, struct hl_error *err)
{
    struct bsd4 *g = policy_data(p);
    int32_t cpus = policy_cpu_count(p);

    g->release = bsd4_release(p);
    HL_TRY(bsd_params_check(p, g->release, releases, err));
    g->bands = bsd_bands(g->release);
    g->hz = bsd_hz(g->release, policy_param(p, "hz"));
    g->preemption = policy_param(p, "preemption");
    g->weight = TICKS_PER_LEVEL * cpus;
    g->estcpu_max = g->weight * LEVELS_MAX + g->weight - 1;
    g->tick_locks = g->release <= BSD_7_0;
    HL_TRY(bsd4_read_tunables(p, err));
    g->idle = policy_alloc(p, (size_t)(cpus + 63) / 64, sizeof(*g->idle));
    if (!g->forwards || g->one_cpu || g->prefer_pairs) {
        g->interrupt_ns = policy_alloc(p, (size_t)cpus, sizeof(*g->interrupt_ns));
        if (g->interrupt_ns == NULL)
            return hl_fail(err, HL_NO_MEMORY, "no memory for the clocks of %d cpus", cpus);
    }
    if (g->idle == NULL)
        return hl_fail(err, HL_NO_MEMORY, "no memory for the set of idle cpus");
    for (int cpu = 0; cpu < cpus; cpu++) {
        ((struct bsd4_cpu *)policy_cpu_data(p, cpu))->left_mm = -1;
        bsd4_set_idle(g, cpu, true);
    }
    bsd4_clock_init(p);
    return HL_OK;
}

static const struct policy_param_info params[] = {
    {"version", PARAM_CHOICE, "", "5.4|6.2|7.0|14", 0, 3, 3, "release; spec freebsd 2"},
    BSD_HZ_PARAM,
    BSD_TUNABLE("quantum", "us", 1000, 100000000,
                "length of a turn, up to 7.0; default 100000; spec freebsd 2.5"),
    BSD_TUNABLE("slice", "stat ticks", 1, BSD_SLICE_MAX,
                "length of a turn, in 14; default 12; spec freebsd 2.5"),
    {"preemption", PARAM_CHOICE, "", "none|interrupt|full", 0, 2, PREEMPTION_INTERRUPT,
     "options PREEMPTION and FULL_PREEMPTION of the kernel; spec freebsd 1.5"},
    BSD_TUNABLE("ipiwakeup.enabled", "", 0, 1,
                "wake-ups are forwarded to idle cpus; default 1; spec freebsd 2.6"),
    BSD_TUNABLE("ipiwakeup.usemask", "", 0, 1,
                "by the mask of idle cpus; default 1; spec freebsd 2.11"),
    BSD_TUNABLE("ipiwakeup.useloop", "", 0, 1,
                "by a loop over cpus, which finds the same ones; default 0; spec freebsd 2.11"),
    BSD_TUNABLE("ipiwakeup.onecpu", "", 0, 1,
                "only to the first, up to 7.0; default 0; spec freebsd 2.6"),
    BSD_TUNABLE(
        "ipiwakeup.htt2", "", 0, 1,
        "only to the first of two adjacent idle cpus, where there are such, up to 7.0; default 0; "
        "spec freebsd 2.6"),
    BSD_TUNABLE("followon", "", 0, 1,
                "a task that blocks is followed by one of its process, up to 6.2; default 0; spec "
                "freebsd 2.9"),
    BSD_TUNABLE("runq_fuzz", "tasks", 0, 1000,
                "so many at the head of the best level are asked whether they ran here last, since "
                "7.0; default 1: none; spec freebsd 2.9"),
    BSD_TUNABLE("forward_roundrobin_enabled", "", 0, 1,
                "turns end on all cpus at once, up to 6.2; default 1; spec freebsd 2.11"),
    {.name = NULL},
};

static const char *const prefixes[] = {"kern.sched.4bsd.", "kern.sched.", "kern.smp.", "kern.",
                                       NULL};

const struct policy_ops policy_bsd4 = {
    .name = "4bsd",
    .summary = "FreeBSD's traditional scheduler: one global run queue, decaying priorities",
    .source = "spec freebsd 2",
    .params = params,
    .prefixes = prefixes,
    .policy_bytes = sizeof(struct bsd4),
    .cpu_bytes = sizeof(struct bsd4_cpu),
    .task_bytes = sizeof(struct bsd4_task),
    .init = bsd4_init,
    .clock = bsd4_clock,
    .enqueue = bsd4_enqueue,
    .dequeue = bsd4_dequeue,
    .pick = bsd4_pick,
    .tick = bsd4_tick,
    .stat_tick = bsd4_stat_tick,
    .to_user = bsd4_to_user,
    .fork = bsd4_fork,
    .reap = bsd4_reap,
    .yield = bsd4_yield,
    .renice = bsd4_renice,
    .timer = bsd4_timer,
    .probe = bsd4_probe,
    .check = bsd4_check,
};
