/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fair_rt.c - fifo and rr, the class above the fair one.
 *
 * Idea:    the task of the highest priority runs; fifo until it blocks, rr in turns of 100 ms among
 *          equals. A preempted task stays at the head of its priority.
 * Source:  spec modern 1.1 (order of classes); the rest is POSIX.
 * Choices: the spec leaves the real-time class open. A woken task goes where it ran unless a task
 *          of at least its priority runs there and some other cpu has none.
 * Omits:   pulling and pushing between cpus after the wakeup, throttling, the fair server.
 */
#include <assert.h>

#include "policy/fair.h"

enum { RR_TURN_MS = 100 };

static struct policy_task *first_waiting(const struct fair_cpu *c)
{
    return HL_LIST_ENTRY(c->rt_queue.first, struct policy_task, link);
}

static void insert(struct fair_cpu *c, struct policy_task *t, bool before_equals)
{
    struct policy_task *other = first_waiting(c);

    while (other != NULL && (before_equals ? other->rt_priority > t->rt_priority
                                           : other->rt_priority >= t->rt_priority))
        other = HL_LIST_ENTRY(other->link.next, struct policy_task, link);
    hl_list_insert_before(&c->rt_queue, other == NULL ? NULL : &other->link, &t->link);
}

void fair_rt_enqueue(struct policy *p, struct fair_cpu *c, struct policy_task *t)
{
    struct fair_entity *se = fair_entity_of(t);

    assert(!se->on_rq);
    insert(c, t, false);
    se->on_rq = true;
    fair_set_cpu(p, se, c->cpu);
    se->rt_started_ns = 0;
    c->rt_nr++;
    c->nr_running++;
    if (c->nr_running > 1)
        fair_of(p)->overload = true;
    if (c->rt_curr == NULL || c->rt_curr->rt_priority < t->rt_priority)
        fair_resched(p, c);
}

void fair_rt_dequeue(struct policy *p, struct fair_cpu *c, struct policy_task *t)
{
    (void)p;
    if (c->rt_curr == t)
        c->rt_curr = NULL;
    else
        hl_list_remove(&c->rt_queue, &t->link);
    fair_entity_of(t)->on_rq = false;
    c->rt_nr--;
    c->nr_running--;
}

/* The running task goes back to the queue. */
void fair_rt_put(struct fair_cpu *c)
{
    if (c->rt_curr == NULL)
        return;
    insert(c, c->rt_curr, !c->rt_requeue);
    if (c->rt_requeue)
        fair_entity_of(c->rt_curr)->rt_started_ns = 0;
    c->rt_requeue = false;
    c->rt_curr = NULL;
}

struct policy_task *fair_rt_pick(struct policy *p, struct fair_cpu *c)
{
    struct policy_task *t;

    fair_rt_put(c);
    t = first_waiting(c);
    if (t == NULL)
        return NULL;
    hl_list_remove(&c->rt_queue, &t->link);
    c->rt_curr = t;
    if (fair_entity_of(t)->rt_started_ns == 0)
        fair_entity_of(t)->rt_started_ns = policy_now_ns(p);
    return t;
}

void fair_rt_tick(struct policy *p, struct fair_cpu *c)
{
    const struct policy_task *waiting = first_waiting(c);

    if (c->rt_curr->class != CLASS_RR || waiting == NULL ||
        waiting->rt_priority < c->rt_curr->rt_priority ||
        policy_now_ns(p) - fair_entity_of(c->rt_curr)->rt_started_ns < RR_TURN_MS * HL_NS_PER_MS)
        return;
    c->rt_requeue = true;
    fair_resched(p, c);
}

static bool has_room(const struct policy *p, int cpu, const struct policy_task *t)
{
    const struct fair_cpu *c = fair_cpu_of(p, cpu);
    const struct policy_task *waiting = first_waiting(c);

    return (c->rt_curr == NULL || c->rt_curr->rt_priority < t->rt_priority) &&
           (waiting == NULL || waiting->rt_priority < t->rt_priority);
}

int fair_rt_select_cpu(struct policy *p, struct policy_task *t, int cpu)
{
    if (policy_allowed(t, cpu) && has_room(p, cpu, t))
        return cpu;
    for (int other = 0; other < policy_cpu_count(p); other++)
        if (policy_allowed(t, other) && has_room(p, other, t))
            return other;
    return cpu;
}
