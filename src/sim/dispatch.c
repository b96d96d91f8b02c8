/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dispatch.c - who runs where: the policy is asked, its answer is checked, the switch is made and paid for.
 */
#include "sim/engine.h"

#include <assert.h>
#include <inttypes.h>

/* M6: a task that goes on elsewhere refills what it had warmed, at most a quarter of what it ran there. */
static void pay_migration(struct sim *s, struct sim_task *t, int cpu)
{
    enum machine_distance distance = machine_distance(s->machine, t->pub.last_cpu, cpu);
    int64_t refill = HL_MIN(s->refill[distance], t->warm_ns / 4);

    t->migrations++;
    trace_metrics_migrate(&s->metrics, &t->trace, distance, refill);
    t->work_left += refill << RATE_SHIFT;
    t->warm_ns = 0;
    sim_emit(s, TRACE_MIGRATE, cpu, t, NULL, TRACE_RUNNABLE);
}

static void enter(struct sim *s, int cpu, struct sim_task *t)
{
    struct sim_cpu *c = &s->cpus[cpu];
    int64_t overhead;

    assert(t->state == TASK_RUNNABLE);
    t->wait_ns += trace_metrics_wait_end(&s->metrics, s->now_ns, &t->trace);
    if (t->started_ns < 0)
        t->started_ns = s->now_ns;
    if (t->pub.last_cpu >= 0 && t->pub.last_cpu != cpu)
        pay_migration(s, t, cpu);
    t->pub.last_cpu = t->pub.on_cpu = cpu;
    s->policy.running[cpu] = &t->pub;
    c->synced_ns = s->now_ns;
    overhead = s->cost[MACHINE_switch_cost_ns] + c->pending_debt;
    if (c->policy_until_ns > s->now_ns) {
        int64_t rest = (c->policy_until_ns - s->now_ns) << RATE_SHIFT;

        trace_metrics_idle_overhead(&s->metrics, -rest);
        overhead += rest;
    }
    t->debt += overhead;
    trace_metrics_overhead(&s->metrics, &t->trace, overhead);
    c->pending_debt = c->policy_until_ns = 0;
}

void dispatch_leave(struct sim *s, int cpu, enum trace_state state)
{
    struct sim_cpu *c = &s->cpus[cpu];
    struct sim_task *t = sim_running(s, cpu);

    progress_sync(s, cpu);
    trace_metrics_ran(&s->metrics, s->now_ns, cpu, &t->trace);
    s->policy.running[cpu] = NULL;
    t->pub.on_cpu = POLICY_NO_CPU;
    c->leaving = t;
    c->leaving_state = (int32_t)state;
    if (state == TRACE_RUNNABLE)
        trace_metrics_wait(&s->metrics, s->now_ns, &t->trace, cpu, t->pub.allowed, false);
}

static bool answer_is_good(struct sim *s, int cpu, const struct sim_task *next)
{
    const char *reason = NULL;

    if (next < s->tasks || next >= s->tasks + s->task_capacity)
        reason = "no such task";
    else if (next->state != TASK_RUNNABLE)
        reason = "it is not runnable";
    else if (next->pub.on_cpu >= 0 && next->pub.on_cpu != cpu)
        reason = "it is running on another cpu";
    else if (!policy_allowed(&next->pub, cpu))
        reason = "its affinity forbids this cpu";
    if (reason == NULL)
        return true;
    sim_fail(s, HL_BAD_POLICY, "%s picked task %" PRId32 " for cpu %d at %" PRId64 " ns: %s",
             s->ops->name, next->pub.id, cpu, s->now_ns, reason);
    return false;
}

void dispatch_cpu(struct sim *s, int cpu)
{
    struct sim_cpu *c = &s->cpus[cpu];
    struct sim_task *prev = sim_running(s, cpu), *next;
    int32_t outer = s->here;

    c->kicked = false;
    s->here = s->picking = cpu;
    next = sim_task_of(s->ops->pick(&s->policy, cpu, prev == NULL ? NULL : &prev->pub));
    policy_host_callback_end(s);
    s->picking = POLICY_NO_CPU;
    if (next != NULL && !answer_is_good(s, cpu, next))
        return;
    if (next != prev || next == NULL) {
        if (prev != NULL) {
            dispatch_leave(s, cpu, TRACE_RUNNABLE);
            prev->involuntary++;
        }
        if (next != NULL)
            enter(s, cpu, next);
        if (next != NULL || c->leaving != NULL)
            sim_emit(s, TRACE_SWITCH, cpu, c->leaving, next,
                     c->leaving == NULL ? TRACE_RUNNABLE : (enum trace_state)c->leaving_state);
        progress_set_busy(s, cpu, next != NULL);
        if (s->has_kinds)
            progress_set_kind(s, cpu);
        if (next != NULL)
            progress_arm(s, cpu);
        else {
            step_ends_set(&s->step_ends, cpu, INT64_MAX);
            if (c->leaving != NULL && s->ops->idle_enter != NULL) {
                s->ops->idle_enter(&s->policy, cpu);
                policy_host_callback_end(s);
            }
        }
        c->leaving = NULL;
    } else if (s->clock.count_repick) {
        prev->involuntary++;
    }
    s->here = outer;
}

/* Treat kernels as non-preemptible inside system calls (spec linux 1.3): the pick waits for the end of the call. */
static bool may_pick_now(const struct sim *s, int cpu)
{
    const struct sim_task *t = sim_running(s, cpu);

    return t == NULL || !t->in_kernel;
}

void dispatch_list(struct sim *s, int cpu)
{
    int32_t place = s->kicked_first + s->kicked_count++;

    s->kicked[place < s->cpu_count ? place : place - s->cpu_count] = cpu;
    s->cpus[cpu].listed = true;
}

void dispatch_kicked(struct sim *s)
{
    /* A pick may kick further cpus; they are appended. */
    while (s->kicked_count > 0 && s->status == HL_OK) {
        int cpu = s->kicked[s->kicked_first];

        s->kicked_first = s->kicked_first + 1 < s->cpu_count ? s->kicked_first + 1 : 0;
        s->kicked_count--;
        s->cpus[cpu].listed = false;
        if (s->cpus[cpu].kicked && may_pick_now(s, cpu))
            dispatch_cpu(s, cpu);
    }
}

void dispatch_request(struct sim *s, int cpu)
{
    s->cpus[cpu].kicked = true;
    if (may_pick_now(s, cpu))
        dispatch_cpu(s, cpu);
}

void dispatch_stop(struct sim *s, int cpu)
{
    struct sim_task *prev = sim_running(s, cpu);

    if (!may_pick_now(s, cpu)) {
        /* Tried again when the system call is over, which is when its step ends. */
        event_queue_set(&s->queue, slot_stop(cpu), s->step_ends.at_ns[cpu] + 1,
                        EVENT_ORDER(EVENT_STOP, cpu));
        return;
    }
    s->here = cpu;
    if (prev != NULL) {
        dispatch_leave(s, cpu, TRACE_RUNNABLE);
        prev->involuntary++;
    }
    /* M5: two switches, to the migration thread and away from it; the second is the next task's own. */
    progress_charge(s, cpu, s->cost[MACHINE_switch_cost_ns]);
    s->ops->stopped(&s->policy, cpu, prev == NULL ? NULL : &prev->pub);
    policy_host_callback_end(s);
    dispatch_cpu(s, cpu);
    s->here = POLICY_NO_CPU;
}
