/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fair_rt.c - fifo and rr, the class above the fair one.
 *
 * Idea:    the task of the highest priority runs; fifo until it blocks, rr in turns of 100 ms among
 *          equals. A preempted task stays at the head of its priority.
 * Source:  spec modern 1.1 (order of classes), 1.4; the rest is POSIX.
 * Choices: the spec leaves the real-time class open. A woken task goes where it ran unless a task
 *          of at least its priority runs there and some other cpu has none. A cpu that leaves one
 *          waiting calls another that has none (push_rt_tasks); a cpu that picks takes the best one
 *          that waits elsewhere if it is better than its own (pull_rt_task).
 * Omits:   throttling (6.1): the spec is silent.
 */
#include <assert.h>

#include "policy/fair_cgroup.h"

enum { RR_TURN_MS = 100 };

void fair_rt_update_capacity(struct policy *p, struct fair_cpu *c)
{
    bool runs = c->rt_curr != NULL;
    int64_t clock_ns = fair_pelt_clock(p, &c->queue);

    if (!runs && c->rt_avg.util_sum == 0) {
        c->rt_avg.last_ns = clock_ns;
        return;
    }
    if (pelt_update_sums(&c->rt_avg, clock_ns, runs, runs, runs))
        pelt_update_averages(&c->rt_avg, 1);
    c->capacity = HL_MAX(c->capacity_orig - c->rt_avg.util_avg, 1);
}

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
    fair_of(p)->rt_waiting++;
    se->on_rq = true;
    fair_set_cpu(p, se, c->cpu);
    c->rt_nr++;
    c->nr_running++;
    if (c->nr_running > 1)
        fair_of(p)->overload = true;
    if (c->rt_curr == NULL || c->rt_curr->rt_priority < t->rt_priority)
        fair_resched(p, c);
}

/* A turn is time on a cpu: who sleeps, or waits for a higher priority, keeps the rest of it. */
static int64_t turn_used_ns(const struct policy *p, const struct policy_task *running)
{
    const struct fair_entity *se = fair_entity_of(running);

    return se->rt_ran_ns + policy_now_ns(p) - se->rt_started_ns;
}

void fair_rt_dequeue(struct policy *p, struct fair_cpu *c, struct policy_task *t)
{
    if (c->rt_curr == t) {
        fair_rt_update_capacity(p, c);
        fair_entity_of(t)->rt_ran_ns = turn_used_ns(p, t);
        c->rt_curr = NULL;
    } else {
        hl_list_remove(&c->rt_queue, &t->link);
        fair_of(p)->rt_waiting--;
    }
    fair_entity_of(t)->on_rq = false;
    c->rt_nr--;
    c->nr_running--;
}

/* The running task goes back to the queue. */
void fair_rt_put(struct policy *p, struct fair_cpu *c)
{
    if (c->rt_curr == NULL)
        return;
    fair_entity_of(c->rt_curr)->rt_ran_ns = turn_used_ns(p, c->rt_curr);
    fair_rt_update_capacity(p, c);
    insert(c, c->rt_curr, !c->rt_requeue);
    fair_of(p)->rt_waiting++;
    c->rt_requeue = false;
    c->rt_curr = NULL;
}

void fair_rt_tick(struct policy *p, struct fair_cpu *c)
{
    const struct policy_task *waiting = first_waiting(c);
    struct fair_entity *se = fair_entity_of(c->rt_curr);

    fair_rt_update_capacity(p, c);
    if (c->rt_curr->class != CLASS_RR || turn_used_ns(p, c->rt_curr) < RR_TURN_MS * HL_NS_PER_MS)
        return;
    se->rt_ran_ns = 0;
    se->rt_started_ns = policy_now_ns(p);
    if (waiting == NULL || waiting->rt_priority < c->rt_curr->rt_priority)
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

/* push_rt_tasks: some cpu that has room for it, an idle one first, comes and takes it. */
static void call_another(struct policy *p, const struct policy_task *t)
{
    int found = POLICY_NO_CPU;

    for (int cpu = 0; cpu < policy_cpu_count(p); cpu++) {
        if (!policy_allowed(t, cpu) || !has_room(p, cpu, t))
            continue;
        if (fair_cpu_is_idle(fair_cpu_of(p, cpu))) {
            found = cpu;
            break;
        }
        if (found == POLICY_NO_CPU)
            found = cpu;
    }
    if (found != POLICY_NO_CPU)
        policy_kick(p, found);
}

void fair_rt_pull(struct policy *p, struct fair_cpu *c)
{
    struct policy_task *best = NULL;

    for (int cpu = 0; cpu < policy_cpu_count(p); cpu++) {
        struct policy_task *t = first_waiting(fair_cpu_of(p, cpu));

        if (cpu != c->cpu && t != NULL && t->on_cpu == POLICY_NO_CPU && policy_allowed(t, c->cpu) &&
            has_room(p, c->cpu, t) && (best == NULL || t->rt_priority > best->rt_priority))
            best = t;
    }
    if (best == NULL)
        return;
    fair_rt_dequeue(p, fair_cpu_of(p, fair_entity_of(best)->cpu), best);
    fair_rt_enqueue(p, c, best);
    policy_moved(p, best, c->cpu);
}

struct policy_task *fair_rt_pick(struct policy *p, struct fair_cpu *c)
{
    struct policy_task *t;

    fair_rt_put(p, c);
    t = first_waiting(c);
    if (t == NULL)
        return NULL;
    hl_list_remove(&c->rt_queue, &t->link);
    fair_of(p)->rt_waiting--;
    fair_rt_update_capacity(p, c);
    c->rt_curr = t;
    if (c->rt_queue.first != NULL)
        call_another(p, first_waiting(c));
    fair_entity_of(t)->rt_started_ns = policy_now_ns(p);
    return t;
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
