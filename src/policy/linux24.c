/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linux24.c - Linux 2.4.19 and 2.4.20: one global run list, searched for the task of best goodness.
 *
 * Idea:    every runnable task, running ones too, is on one list under one lock. A cpu that needs a task
 *          looks at the whole list and takes the one with the largest goodness: what is left of its slice,
 *          plus its nice value, plus a bonus for the cpu it ran on last and one for a shared address space.
 *          When all candidates have used up their slices, every task of the system, asleep or not, gets
 *          half of the old rest plus a new slice. A woken or displaced task looks for a cpu itself: its
 *          last one if idle, else an idle one, else the one whose task it beats by most. That cpu is only
 *          poked; what it then runs is again the best of the whole list.
 * Source:  spec linux 2 (2.4.20 kernel/sched.c, kernel/fork.c; the list end of 2.4.16 from its own).
 * Choices: a task without a parent starts with a full slice, not with the 10 of the first task of a
 *          system: they all stand for tasks forked long ago. An idle cpu keeps the address space of its
 *          last user task for the bonus, as lazy switching does. "Exactly two threads" is asked of the
 *          core in question, so unequal cores on one machine each follow their own answer.
 * Omits:   big reader locks, kernel-thread quirks, sched_yield's move to the list tail.
 * Good at: few tasks; spreads forks to idle cores at once.
 * Bad at:  many tasks or cpus: the list scan and its lock are paid at every switch (policy_charge,
 *          policy_lock), and tasks wander because the list knows no queue per cpu.
 */
#include <assert.h>

#include "base/units.h"
#include "policy/policy.h"
#include "policy/probe.h"

enum {
    RUN_LIST_LOCK = 0,
    HZ = 100,
    OTHER_CPU_PENALTY = 15, /* PROC_CHANGE_PENALTY of i386 */
    SAME_MM_BONUS = 1,
    REAPED_SLICE_MAX = 20, /* cap when the slice of a reaped child returns */
    REALTIME_BASE = 1000,
    IDLE_GOODNESS = -1000, /* of the idle task: anything beats it */
    YIELD_GOODNESS = -1
};

enum linux24_version { VERSION_2_4_20, VERSION_2_4_19, VERSION_2_4_16 };

struct linux24_task {
    int32_t counter;   /* jiffies left in this epoch */
    int32_t processor; /* where it ran last, or its parent at the fork */
    int32_t on_cpu;    /* executing there, else POLICY_NO_CPU */
    bool yielded;
    bool known; /* has a slice: was forked or enqueued before */
};

struct linux24_cpu {
    struct policy_task *curr; /* NULL: idle */
    bool left;                /* its task has just blocked or ended; pick follows */
    int32_t mm;               /* address space of the last user task */
    int64_t last_schedule_ns; /* the last real switch */
};

struct linux24 {
    struct hl_list run_list; /* all runnable tasks, running ones too */
    int32_t run_count;
    int64_t epoch_count; /* recalculations so far */
    bool add_to_head;    /* 2.4.16 */
    bool spread_cores;   /* the HT rule */
};

static struct linux24_task *linux24_task(const struct policy_task *t)
{
    return t->data;
}

static bool linux24_is_realtime(const struct policy_task *t)
{
    return t->class == CLASS_FIFO || t->class == CLASS_RR;
}

/* -20 -> 11, 0 -> 6 (60 ms), 19 -> 1: (20 - nice) / 4 because HZ is below 200. */
static int32_t linux24_slice(const struct policy_task *t)
{
    return ((20 - t->nice) >> 2) + 1;
}

static int32_t linux24_goodness(const struct policy_task *t, int cpu, int32_t mm)
{
    const struct linux24_task *d = linux24_task(t);
    int32_t weight;

    if (d->yielded)
        return YIELD_GOODNESS;
    if (linux24_is_realtime(t))
        return REALTIME_BASE + t->rt_priority;
    if (d->counter == 0)
        return 0; /* no bonus helps a task that used up its slice */
    weight = d->counter + 20 - t->nice;
    if (d->processor == cpu)
        weight += OTHER_CPU_PENALTY;
    if (t->mm == mm || t->is_kernel)
        weight += SAME_MM_BONUS;
    return weight;
}

/* The address space loaded on a cpu. */
static int32_t linux24_mm(const struct linux24_cpu *c)
{
    return c->curr != NULL && !c->curr->is_kernel ? c->curr->mm : c->mm;
}

/* A core of exactly two threads whose other one is idle too. */
static bool linux24_core_is_idle(const struct policy *p, int cpu)
{
    const struct machine *m = policy_machine(p);
    const int32_t *threads = m->core_cpu + m->core_first[m->cpu[cpu].core];
    const struct linux24_cpu *sibling;

    if (machine_core_size(m, cpu) != 2)
        return false;
    sibling = policy_cpu_data(p, threads[0] == cpu ? threads[1] : threads[0]);
    return sibling->curr == NULL;
}

/*
 * Finds a cpu that should run t and asks it to reschedule; t is not assigned to it. `here` is the cpu
 * that runs this code and pays for it.
 */
static void linux24_find_cpu(struct policy *p, const struct policy_task *t, int here)
{
    const struct linux24 *g = policy_data(p);
    const struct linux24_task *d = linux24_task(t);
    int64_t oldest_ns = INT64_MAX;
    int32_t best_gain = 0;
    int idle_cpu = POLICY_NO_CPU, preempt_cpu = POLICY_NO_CPU, cpu;

    /* The last cpu, if idle, is taken without a look at its sibling. */
    if (policy_allowed(t, d->processor) &&
        ((struct linux24_cpu *)policy_cpu_data(p, d->processor))->curr == NULL) {
        policy_kick(p, d->processor);
        return;
    }
    for (cpu = 0; cpu < policy_cpu_count(p); cpu++) {
        const struct linux24_cpu *c = policy_cpu_data(p, cpu);

        if (!policy_allowed(t, cpu))
            continue;
        if (c->curr == NULL) {
            if (g->spread_cores && linux24_core_is_idle(p, cpu)) {
                idle_cpu = cpu++;
                break;
            }
            if (c->last_schedule_ns < oldest_ns) {
                oldest_ns = c->last_schedule_ns;
                idle_cpu = cpu;
            }
        } else if (idle_cpu == POLICY_NO_CPU) {
            int32_t mm = linux24_mm(c);
            int32_t gain = linux24_goodness(t, cpu, mm) - linux24_goodness(c->curr, cpu, mm);

            if (gain > best_gain) {
                best_gain = gain;
                preempt_cpu = cpu;
            }
        }
    }
    policy_charge(p, here, POLICY_SCAN, (uint32_t)cpu);
    if (idle_cpu != POLICY_NO_CPU)
        policy_kick(p, idle_cpu);
    else if (preempt_cpu != POLICY_NO_CPU)
        policy_kick(p, preempt_cpu);
}

static void linux24_enqueue(struct policy *p, struct policy_task *t, int cpu,
                            const struct policy_wakeup *w)
{
    struct linux24 *g = policy_data(p);
    struct linux24_task *d = linux24_task(t);

    policy_lock(p, w->waker_cpu, RUN_LIST_LOCK);
    if (!d->known) {
        d->known = true;
        d->counter = linux24_slice(t);
        d->processor = cpu;
    }
    d->on_cpu = POLICY_NO_CPU;
    if (g->add_to_head)
        hl_list_push_front(&g->run_list, &t->link);
    else
        hl_list_push_back(&g->run_list, &t->link);
    g->run_count++;
    /* After a sync wake-up nobody is told: t waits until some cpu reschedules anyway. */
    if (!w->sync || !policy_allowed(t, w->waker_cpu))
        linux24_find_cpu(p, t, w->waker_cpu);
}

static void linux24_dequeue(struct policy *p, struct policy_task *t, int cpu, enum policy_why why,
                            enum policy_wait wait)
{
    struct linux24 *g = policy_data(p);
    struct linux24_task *d = linux24_task(t);

    (void)cpu, (void)why, (void)wait;
    hl_list_remove(&g->run_list, &t->link);
    g->run_count--;
    if (d->on_cpu != POLICY_NO_CPU) {
        struct linux24_cpu *c = policy_cpu_data(p, d->on_cpu);

        c->mm = linux24_mm(c);
        c->curr = NULL;
        c->left = true;
        d->on_cpu = POLICY_NO_CPU;
    }
}

/* A new epoch: sleepers keep half of what they had, so that they wake with up to twice a slice. */
static void linux24_recalculate(struct policy *p, int cpu)
{
    struct linux24 *g = policy_data(p);
    struct policy_task *t;
    uint32_t count = 0;

    for (t = policy_next_task(p, NULL); t != NULL; t = policy_next_task(p, t), count++)
        linux24_task(t)->counter = (linux24_task(t)->counter >> 1) + linux24_slice(t);
    g->epoch_count++;
    policy_charge(p, cpu, POLICY_SCAN, count);
}

/* The candidate of best goodness; the earlier one on the list among equals. */
static struct policy_task *linux24_best(struct policy *p, int cpu, int32_t *best)
{
    const struct linux24 *g = policy_data(p);
    int32_t mm = linux24_mm(policy_cpu_data(p, cpu));
    struct policy_task *next = NULL;

    *best = IDLE_GOODNESS;
    for (struct hl_link *link = g->run_list.first; link != NULL; link = link->next) {
        struct policy_task *t = HL_LIST_ENTRY(link, struct policy_task, link);
        const struct linux24_task *d = linux24_task(t);
        int32_t weight;

        if ((d->on_cpu != POLICY_NO_CPU && d->on_cpu != cpu) || !policy_allowed(t, cpu))
            continue;
        weight = linux24_goodness(t, cpu, mm);
        if (weight > *best) {
            *best = weight;
            next = t;
        }
    }
    policy_charge(p, cpu, POLICY_SCAN, (uint32_t)g->run_count);
    return next;
}

static struct policy_task *linux24_pick(struct policy *p, int cpu, struct policy_task *prev)
{
    struct linux24 *g = policy_data(p);
    struct linux24_cpu *c = policy_cpu_data(p, cpu);
    struct policy_task *next;
    int32_t best;
    bool was_yielded = false;

    policy_lock(p, cpu, RUN_LIST_LOCK);
    assert(prev == c->curr);
    if (prev != NULL && prev->class == CLASS_RR && linux24_task(prev)->counter == 0) {
        linux24_task(prev)->counter = linux24_slice(prev);
        hl_list_remove(&g->run_list, &prev->link);
        hl_list_push_back(&g->run_list, &prev->link);
    }
    next = linux24_best(p, cpu, &best);
    if (best == 0) {
        /* Only this cpu's candidates are asked; a task running elsewhere may have a slice left. */
        linux24_recalculate(p, cpu);
        next = linux24_best(p, cpu, &best);
    }

    if (next != prev || c->left)
        c->last_schedule_ns = policy_now_ns(p);
    c->left = false;
    c->mm = linux24_mm(c);
    c->curr = next;
    if (prev != NULL) {
        linux24_task(prev)->on_cpu = POLICY_NO_CPU;
        was_yielded = linux24_task(prev)->yielded;
        linux24_task(prev)->yielded = false;
    }
    if (next != NULL) {
        linux24_task(next)->processor = cpu;
        linux24_task(next)->on_cpu = cpu;
    }
    /* A displaced task may displace another elsewhere. */
    if (prev != NULL && prev != next && !was_yielded)
        linux24_find_cpu(p, prev, cpu);
    return next;
}

static void linux24_tick(struct policy *p, int cpu, struct policy_task *running)
{
    struct linux24_task *d;

    if (running == NULL)
        return;
    d = linux24_task(running);
    if (d->counter > 1) {
        d->counter--;
        return;
    }
    d->counter = 0;
    if (running->class != CLASS_FIFO)
        policy_kick(p, cpu);
}

static void linux24_fork(struct policy *p, struct policy_task *parent, struct policy_task *child)
{
    struct linux24_task *from, *to = linux24_task(child);

    to->on_cpu = POLICY_NO_CPU;
    if (parent == NULL)
        return;
    from = linux24_task(parent);
    to->counter = (from->counter + 1) >> 1;
    from->counter >>= 1;
    if (from->counter == 0 && from->on_cpu != POLICY_NO_CPU)
        policy_kick(p, from->on_cpu);
    to->processor = from->processor;
    to->known = true;
}

static void linux24_reap(struct policy *p, struct policy_task *parent, struct policy_task *child)
{
    struct linux24_task *to = linux24_task(parent);

    (void)p;
    to->counter = HL_MIN(to->counter + linux24_task(child)->counter, REAPED_SLICE_MAX);
}

static void linux24_yield(struct policy *p, struct policy_task *t)
{
    (void)p;
    linux24_task(t)->yielded = true;
}

/* Goodness and slice read the nice value where they need it: nothing is queued by it. */
static void linux24_renice(struct policy *p, struct policy_task *t, int32_t old_nice)
{
    (void)p, (void)t, (void)old_nice;
}

/* The list belongs to all cpus: only a task that runs where it may not has to leave. */
static void linux24_reallow(struct policy *p, struct policy_task *t)
{
    const struct linux24_task *d = linux24_task(t);

    if (d->on_cpu != POLICY_NO_CPU && !policy_allowed(t, d->on_cpu))
        policy_kick(p, d->on_cpu);
}

static void linux24_clock(const struct policy *p, struct policy_clock *clock)
{
    (void)p;
    clock->hz = HZ;
    clock->phase = PHASE_STAGGERED;
}

static enum hl_status linux24_init(struct policy *p, struct hl_error *err)
{
    struct linux24 *g = policy_data(p);

    (void)err;
    g->add_to_head = policy_param(p, "version") == VERSION_2_4_16;
    g->spread_cores = policy_param(p, "version") != VERSION_2_4_16;
    return HL_OK;
}

static bool linux24_probe(const struct policy *p, const struct policy_task *t, const char *field,
                          int64_t *value)
{
    const struct linux24 *g = policy_data(p);
    int cpu;

    if (t != NULL) {
        const struct linux24_task *d = linux24_task(t);

        if (policy_field_is(field, "counter"))
            *value = d->counter;
        else if (policy_field_is(field, "processor"))
            *value = d->processor;
        else
            return false;
        return true;
    }
    if (policy_field_of_cpu(p, &field, &cpu)) {
        if (!policy_field_is(field, "last_schedule_ns"))
            return false;
        *value = ((const struct linux24_cpu *)policy_cpu_data(p, cpu))->last_schedule_ns;
    } else if (policy_field_is(field, "nr_running")) {
        *value = g->run_count;
    } else if (policy_field_is(field, "epochs")) {
        *value = g->epoch_count;
    } else {
        return false;
    }
    return true;
}

static enum hl_status linux24_check(const struct policy *p, struct hl_error *err)
{
    const struct linux24 *g = policy_data(p);
    int32_t count = 0, executing = 0;

    for (const struct hl_link *link = g->run_list.first; link != NULL; link = link->next, count++) {
        const struct policy_task *t =
            HL_LIST_ENTRY((struct hl_link *)(uintptr_t)link, struct policy_task, link);
        const struct linux24_task *d = linux24_task(t);

        /* Twice the largest slice is never reached: c / 2 + s < 2s as long as c < 2s. */
        if (d->counter < 0 || d->counter > 2 * 11)
            return hl_fail(err, HL_BAD_POLICY, "linux24: task %d has counter %d; expected 0 to 22",
                           t->id, d->counter);
        if (d->on_cpu == POLICY_NO_CPU)
            continue;
        executing++;
        if (((const struct linux24_cpu *)policy_cpu_data(p, d->on_cpu))->curr != t)
            return hl_fail(err, HL_BAD_POLICY,
                           "linux24: task %d says it runs on cpu %d, which runs another", t->id,
                           d->on_cpu);
    }
    if (count != g->run_count)
        return hl_fail(err, HL_BAD_POLICY, "linux24: %d tasks on the run list, %d counted", count,
                       g->run_count);
    for (int cpu = 0; cpu < policy_cpu_count(p); cpu++)
        executing -= ((const struct linux24_cpu *)policy_cpu_data(p, cpu))->curr != NULL;
    if (executing != 0)
        return hl_fail(err, HL_BAD_POLICY,
                       "linux24: tasks that run and cpus that run one differ by %d", executing);
    return HL_OK;
}

static const struct policy_param_info linux24_params[] = {
    {.name = "version",
     .type = PARAM_CHOICE,
     .unit = "",
     .choices = "2.4.20|2.4.19|2.4.16",
     .max = VERSION_2_4_16,
     .help = "2.4.16 links at the list head and does not look for idle cores; 2.4.19 as 2.4.20 "
             "(reconstructed): spec linux 2.6, 2.7"},
    {0}};

const struct policy_ops policy_linux24 = {
    .name = "linux24",
    .summary = "Linux 2.4: one global run list, best goodness wins",
    .source = "spec linux 2",
    .params = linux24_params,
    .policy_bytes = sizeof(struct linux24),
    .cpu_bytes = sizeof(struct linux24_cpu),
    .task_bytes = sizeof(struct linux24_task),
    .init = linux24_init,
    .clock = linux24_clock,
    .enqueue = linux24_enqueue,
    .dequeue = linux24_dequeue,
    .pick = linux24_pick,
    .tick = linux24_tick,
    .fork = linux24_fork,
    .reap = linux24_reap,
    .yield = linux24_yield,
    .renice = linux24_renice,
    .reallow = linux24_reallow,
    .probe = linux24_probe,
    .check = linux24_check,
};
