/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * c1.c - I. Molnar's hyper-threading scheduler for 2.6.0-test11: sibling threads share a run queue.
 *
 * Idea:    the threads of a package take their tasks from one queue, so a task is bound to the
 *          package and runs on whichever thread is free. A package about to go idle while another
 *          one has all threads busy asks that one's migration thread to push a task over.
 * Source:  spec linux 4, on o1 of 2.6.0. The test for equal priorities and the rescheduling of idle
 *          threads are reconstructed there: both are parameters. The packages of that time had one
 *          core. Where there are more, "package" here means a core: what shares is sibling threads.
 *          share=package takes the word literally.
 * Omits:   what o1 omits.
 * Good at: half load on SMT machines: work spreads over packages within a tick or two.
 * Bad at:  a package that was idle before another one became doubly loaded: nothing runs and ends
 *          there, so nobody asks. An odd number of hogs on two threads shares unfairly (2:1:1).
 */
#include "policy/o1_balance.h"

struct c1 {
    struct o1 o1; /* first */
    struct o1_balance balance;
    bool *requested; /* by queue: its migration thread has been woken */
    bool *ran;       /* by cpu: what was there last was not the idle task */
    bool idle_tick_resched;
    bool equal_preempts;
};

/* ---- who takes a task that has become available: spec linux 4.3 ---- */

static bool beats_running(const struct policy *p, const struct policy_task *t, int cpu)
{
    const struct c1 *c = policy_data(p);
    const struct policy_task *running = policy_running(p, cpu);

    if (o1_preempts(p, t, cpu))
        return true;
    return c->equal_preempts && running != NULL &&
           o1_task_of(t)->prio == o1_task_of(running)->prio &&
           o1_task_of(t)->slice > o1_task_of(running)->slice;
}

/* `hint`: the thread it last ran on, or the one that pulled it; asked before the others. */
static void announce(struct policy *p, struct policy_task *t, int hint)
{
    const struct o1_queue *queue = o1_queue_of(o1_of(p), hint);

    if (policy_running(p, hint) == NULL) {
        policy_kick(p, hint);
        return;
    }
    for (int i = 0; i < queue->cpu_count; i++) {
        if (policy_running(p, queue->cpu[i]) == NULL && policy_allowed(t, queue->cpu[i])) {
            policy_kick(p, queue->cpu[i]);
            return;
        }
    }
    if (beats_running(p, t, hint)) {
        policy_kick(p, hint);
        return;
    }
    for (int i = 0; i < queue->cpu_count; i++) {
        if (policy_allowed(t, queue->cpu[i]) && beats_running(p, t, queue->cpu[i])) {
            policy_kick(p, queue->cpu[i]);
            return;
        }
    }
}

static void c1_enqueue(struct policy *p, struct policy_task *t, int cpu,
                       const struct policy_wakeup *w)
{
    if (o1_enqueue(p, t, cpu, w))
        announce(p, t, cpu);
}

static int c1_select_cpu(struct policy *p, struct policy_task *t, const struct policy_wakeup *w)
{
    int cpu = o1_select_cpu(p, t, w);

    return w->why == POLICY_EXEC ? o1_exec_cpu(p, t, cpu) : cpu;
}

/* ---- active balancing: spec linux 4.6 ---- */

static bool has_idle_thread(const struct policy *p, const struct o1_queue *queue, int except)
{
    for (int i = 0; i < queue->cpu_count; i++)
        if (queue->cpu[i] != except && policy_running(p, queue->cpu[i]) == NULL)
            return true;
    return false;
}

/* The package of cpu has nothing left: whoever has all threads busy may send something. */
static void request_active(struct policy *p, int cpu)
{
    struct c1 *c = policy_data(p);

    for (int q = 0; q < c->o1.queue_count; q++) {
        const struct o1_queue *queue = &c->o1.queue[q];

        if (q == c->o1.queue_of[cpu] || queue->cpu_count < 2 || c->requested[q] ||
            has_idle_thread(p, queue, POLICY_NO_CPU))
            continue;
        c->requested[q] = true;
        policy_stop(p, queue->cpu[0]);
    }
}

/* The migration thread: the task it displaced no longer executes, so it can be moved. */
static void c1_stopped(struct policy *p, int cpu, struct policy_task *preempted)
{
    struct c1 *c = policy_data(p);
    const struct o1_queue *queue = o1_queue_of(&c->o1, cpu);

    o1_leave(p, preempted);
    c->requested[queue->index] = false;
    c->ran[cpu] = true;
    if (preempted == NULL || has_idle_thread(p, queue, cpu))
        return;
    for (int target = 0; target < policy_cpu_count(p); target++) {
        if (o1_nr_running(&c->o1, target) > 0)
            continue;
        o1_balance_idle(p, &c->balance, target, true);
        return;
    }
}

/* ---- picking: spec linux 4.2 ---- */

/* The best task of an array that no sibling executes. */
static struct policy_task *first_free(const struct o1_array *array, int cpu,
                                      const struct policy_task *prev)
{
    int prio = o1_array_next_prio(array, 0);

    for (; prio < O1_PRIO_COUNT; prio = o1_array_next_prio(array, prio + 1)) {
        for (struct hl_link *link = array->list[prio].first; link != NULL; link = link->next) {
            struct policy_task *t = HL_LIST_ENTRY(link, struct policy_task, link);

            if ((t->on_cpu == POLICY_NO_CPU || t == prev) && policy_allowed(t, cpu))
                return t;
        }
    }
    return NULL;
}

/* What only `expired` can offer is taken without a swap: the siblings still use `active`. */
static struct policy_task *choose(struct o1_queue *queue, int cpu, const struct policy_task *prev)
{
    struct policy_task *next;

    if (queue->array[queue->active].count == 0)
        o1_swap_arrays(queue);
    next = first_free(&queue->array[queue->active], cpu, prev);
    if (next == NULL)
        next = first_free(&queue->array[!queue->active], cpu, prev);
    return next;
}

static struct policy_task *c1_pick(struct policy *p, int cpu, struct policy_task *prev)
{
    struct c1 *c = policy_data(p);
    struct o1_queue *queue = o1_queue_of(&c->o1, cpu);
    struct policy_task *next = NULL;

    o1_leave(p, prev);
    if (o1_nr_running(&c->o1, cpu) == 0) {
        o1_balance_idle(p, &c->balance, cpu, false);
        if (o1_nr_running(&c->o1, cpu) == 0 && c->ran[cpu])
            request_active(p, cpu);
    }
    if (o1_nr_running(&c->o1, cpu) > 0)
        next = choose(queue, cpu, prev);
    c->ran[cpu] = next != NULL;
    if (next == NULL)
        o1_go_idle(queue); /* also when a sibling is still busy */
    else
        o1_start(p, next, prev);
    return next;
}

/* ---- ticks ---- */

/*
 * An idle thread looks at its queue again: a fork has announced nothing. Where nothing waits, the
 * pick could only find idle again; its traces are left without the pick.
 */
static void resched_idle(struct policy *p, int cpu)
{
    struct c1 *c = policy_data(p);
    struct o1_queue *queue = o1_queue_of(&c->o1, cpu);
    uint32_t running = 0;

    if (o1_nr_running(&c->o1, cpu) == 0)
        return; /* the last thread to go idle left nothing to do */
    for (int i = 0; i < queue->cpu_count; i++)
        running += policy_running(p, queue->cpu[i]) != NULL;
    if (o1_nr_running(&c->o1, cpu) > running) {
        policy_kick(p, cpu);
        return;
    }
    if (running > 0 && queue->array[queue->active].count == 0)
        o1_swap_arrays(queue);
    o1_go_idle(queue);
}

static void c1_tick(struct policy *p, int cpu, struct policy_task *running)
{
    struct c1 *c = policy_data(p);

    if (running != NULL)
        o1_tick_task(p, cpu, running);
    o1_balance_tick(p, &c->balance, cpu, running == NULL);
    if (running == NULL && c->idle_tick_resched)
        resched_idle(p, cpu);
}

/* ---- set-up ---- */

static enum hl_status init(struct policy *p, struct hl_error *err)
{
    struct c1 *c = policy_data(p);
    enum o1_sharing sharing =
        policy_param(p, "share") == 0 ? O1_QUEUE_PER_CORE : O1_QUEUE_PER_PACKAGE;

    HL_TRY(o1_init(p, &o1_rules_2_6_0, sharing, false, err));
    HL_TRY(o1_balance_init(p, &c->balance, err));
    c->balance.announce = announce;
    c->idle_tick_resched = policy_param(p, "idle_tick_resched") != 0;
    c->equal_preempts = policy_param(p, "equal_prio_preempts") != 0;
    c->requested = policy_alloc(p, (size_t)c->o1.queue_count, sizeof(*c->requested));
    c->ran = policy_alloc(p, (size_t)policy_cpu_count(p), sizeof(*c->ran));
    if (c->requested == NULL || c->ran == NULL)
        return hl_fail(err, HL_NO_MEMORY, "no memory for %d run queues", c->o1.queue_count);
    return HL_OK;
}

static const struct policy_param_info params[] = {
    {"share", PARAM_CHOICE, "", "core|package", 0, 1, 0,
     "whose threads share a run queue; spec linux 4.1"},
    {"idle_tick_resched", PARAM_BOOL, "", NULL, 0, 1, 1,
     "an idle thread looks at its queue at every tick; spec linux 4.4, reconstructed"},
    {"equal_prio_preempts", PARAM_BOOL, "", NULL, 0, 1, 0,
     "at equal priority the longer remaining slice preempts, as in A9; spec linux 4.3"},
    O1_COMMON_PARAMS,
    {.name = NULL},
};

const struct policy_ops policy_c1 = {
    .name = "c1",
    .summary =
        "O(1) with a run queue per core (package, on machines of its time) and active balancing",
    .source = "spec linux 4",
    .params = params,
    .policy_bytes = sizeof(struct c1),
    .task_bytes = sizeof(struct o1_task),
    .balances = true,
    .init = init,
    .enqueue = c1_enqueue,
    .dequeue = o1_dequeue,
    .pick = c1_pick,
    .select_cpu = c1_select_cpu,
    .clock = o1_clock,
    .tick = c1_tick,
    .stopped = c1_stopped,
    .fork = o1_fork,
    .reap = o1_reap,
    .yield = o1_yield,
    .renice = o1_renice,
    .probe = o1_probe,
    .check = o1_check,
};
