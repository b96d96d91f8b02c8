/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fifo.c - first come, first served on each cpu: a baseline.
 *
 * Idea:    a task keeps its cpu until it blocks; waiting tasks run in arrival order. New and woken
 *          tasks join the shortest queue, and stay there.
 * Source:  textbook; POSIX SCHED_FIFO without priorities. Among equally short queues the task's
 *          last cpu wins, then the lowest number.
 * Omits:   preemption, ticks, balancing, nice, classes, and any notion of siblings.
 * Good at: throughput of short, equal jobs.
 * Bad at:  one long job ahead of many short ones; a queue that runs dry beside a long one.
 */
#include "policy/policy.h"
#include "policy/probe.h"

struct fifo_cpu {
    struct hl_list queue; /* oldest first; the running task is the first */
};

/*
 * Lengths of all queues as a tree of minima: node i has the children 2i and 2i+1, leaf
 * `leaves + cpu` is the length of that cpu's queue. So the shortest is found in log2(cpus) steps.
 */
struct fifo {
    uint32_t *least;
    int32_t leaves; /* a power of two, at least the number of cpus */
};

static uint32_t length(const struct fifo *f, int cpu)
{
    return f->least[f->leaves + cpu];
}

static void add_length(struct fifo *f, int cpu, int change)
{
    int32_t node = f->leaves + cpu;

    f->least[node] = (uint32_t)((int)f->least[node] + change);
    for (node /= 2; node > 0; node /= 2) {
        const uint32_t *child = &f->least[2 * node];
        uint32_t least = child[0] <= child[1] ? child[0] : child[1];

        if (f->least[node] == least)
            break;
        f->least[node] = least;
    }
}

static int shortest_allowed(const struct policy *p, const struct policy_task *t)
{
    const struct fifo *f = policy_data(p);
    int best = POLICY_NO_CPU;

    for (int cpu = 0; cpu < policy_cpu_count(p); cpu++)
        if (policy_allowed(t, cpu) && (best == POLICY_NO_CPU || length(f, cpu) < length(f, best)))
            best = cpu;
    return best;
}

static int fifo_select_cpu(struct policy *p, struct policy_task *t, const struct policy_wakeup *w)
{
    const struct fifo *f = policy_data(p);
    int32_t node = 1;

    if (w->why == POLICY_EXEC)
        return t->on_cpu;
    if (t->allowed != NULL)
        return shortest_allowed(p, t);
    if (t->last_cpu != POLICY_NO_CPU && length(f, t->last_cpu) == f->least[1])
        return t->last_cpu;
    while (node < f->leaves)
        node = f->least[2 * node] == f->least[1] ? 2 * node : 2 * node + 1;
    return node - f->leaves;
}

static void fifo_enqueue(struct policy *p, struct policy_task *t, int cpu,
                         const struct policy_wakeup *w)
{
    struct fifo_cpu *c = policy_cpu_data(p, cpu);

    (void)w;
    hl_list_push_back(&c->queue, &t->link);
    add_length(policy_data(p), cpu, 1);
    if (policy_running(p, cpu) == NULL)
        policy_kick(p, cpu);
}

static void fifo_dequeue(struct policy *p, struct policy_task *t, int cpu, enum policy_why why,
                         enum policy_wait wait)
{
    struct fifo_cpu *c = policy_cpu_data(p, cpu);

    (void)why;
    (void)wait;
    hl_list_remove(&c->queue, &t->link);
    add_length(policy_data(p), cpu, -1);
}

static struct policy_task *fifo_pick(struct policy *p, int cpu, struct policy_task *prev)
{
    struct fifo_cpu *c = policy_cpu_data(p, cpu);

    (void)prev; /* still the first, unless it yielded */
    return HL_LIST_ENTRY(c->queue.first, struct policy_task, link);
}

static void fifo_yield(struct policy *p, struct policy_task *t)
{
    struct fifo_cpu *c = policy_cpu_data(p, t->on_cpu);

    hl_list_remove(&c->queue, &t->link);
    hl_list_push_back(&c->queue, &t->link);
}

static void fifo_renice(struct policy *p, struct policy_task *t, int32_t old_nice)
{
    (void)p; /* nice means nothing here; the default would send the task to the end */
    (void)t;
    (void)old_nice;
}

static enum hl_status fifo_init(struct policy *p, struct hl_error *err)
{
    struct fifo *f = policy_data(p);
    int32_t cpus = policy_cpu_count(p);

    for (f->leaves = 1; f->leaves < cpus;)
        f->leaves *= 2;
    f->least = policy_alloc(p, 2 * (size_t)f->leaves, sizeof(*f->least));
    if (f->least == NULL)
        return hl_fail(err, HL_NO_MEMORY, "no memory for the queue lengths of %d cpus", cpus);
    /* Leaves without a cpu are never the shortest. */
    for (int cpu = cpus; cpu < f->leaves; cpu++)
        add_length(f, cpu, INT32_MAX);
    return HL_OK;
}

static bool fifo_probe(const struct policy *p, const struct policy_task *t, const char *field,
                       int64_t *value)
{
    int cpu;

    if (t != NULL || !policy_field_of_cpu(p, &field, &cpu) || !policy_field_is(field, "nr_running"))
        return false;
    *value = length(policy_data(p), cpu);
    return true;
}

static enum hl_status fifo_check(const struct policy *p, struct hl_error *err)
{
    const struct fifo *f = policy_data(p);

    for (int cpu = 0; cpu < policy_cpu_count(p); cpu++) {
        const struct fifo_cpu *c = policy_cpu_data(p, cpu);
        const struct policy_task *running = policy_running(p, cpu);
        uint32_t held = 0;

        for (const struct hl_link *link = c->queue.first; link != NULL; link = link->next)
            held++;
        if (held != length(f, cpu))
            return hl_fail(err, HL_INTERNAL, "fifo: cpu %d counts %u tasks; expected %u", cpu,
                           length(f, cpu), held);
        if (running != NULL && running->link.prev != NULL)
            return hl_fail(err, HL_INTERNAL, "fifo: task %d runs on cpu %d; expected the oldest",
                           running->id, cpu);
        if (f->least[1] > length(f, cpu))
            return hl_fail(err, HL_INTERNAL, "fifo: shortest length is %u; expected at most %u",
                           f->least[1], length(f, cpu));
    }
    return HL_OK;
}

const struct policy_ops policy_fifo = {
    .name = "fifo",
    .summary = "baseline: shortest queue, then first come, first served; no preemption",
    .source = "textbook",
    .policy_bytes = sizeof(struct fifo),
    .cpu_bytes = sizeof(struct fifo_cpu),
    .init = fifo_init,
    .enqueue = fifo_enqueue,
    .dequeue = fifo_dequeue,
    .pick = fifo_pick,
    .select_cpu = fifo_select_cpu,
    .yield = fifo_yield,
    .renice = fifo_renice,
    .probe = fifo_probe,
    .check = fifo_check,
};
