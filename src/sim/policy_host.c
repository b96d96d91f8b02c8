/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * policy_host.c - answers what a policy may ask (policy.h), for a run.
 */
#include "sim/engine.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include <inttypes.h>

/* The workload's task groups and sessions, as policies see them; session 0 is that of all others. */
static enum hl_status open_groups(struct sim *s, struct hl_error *err)
{
    const struct workload *w = s->workload;
    struct policy_group *groups;
    int32_t *nice;

    if (w->group_count > 0 && !s->ops->groups)
        return hl_fail(err, HL_BAD_INPUT,
                       "policy %s has no task groups, but the workload defines group '%s'; "
                       "expected a policy that has them: cfs or eevdf",
                       s->ops->name, w->names[w->groups[0].name]);
    groups = hl_arena_alloc(&s->arena, w->group_count, sizeof(*groups));
    nice = hl_arena_alloc(&s->arena, w->session_count + 1, sizeof(*nice));
    if (groups == NULL || nice == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for %zu task groups", w->group_count);
    for (size_t i = 0; i < w->group_count; i++)
        groups[i] = (struct policy_group){.name = w->names[w->groups[i].name],
                                          .parent = w->groups[i].parent + 1,
                                          .weight = w->groups[i].weight,
                                          .quota_ns = w->groups[i].quota_ns,
                                          .period_ns = w->groups[i].period_ns,
                                          .is_idle = w->groups[i].is_idle};
    for (size_t i = 0; i < w->session_count; i++)
        nice[i + 1] = w->sessions[i].nice;
    s->policy.group = groups;
    s->policy.group_count = (int32_t)w->group_count;
    s->policy.session_nice = nice;
    s->policy.session_count = (int32_t)w->session_count + 1;
    return HL_OK;
}

enum hl_status policy_host_open(struct sim *s, struct hl_error *err)
{
    const struct policy_ops *ops = s->ops;
    size_t cpus = (size_t)s->cpu_count;
    /* Whole cache lines per cpu: neighbours never share one. */
    size_t stride = (ops->cpu_bytes + 63) / 64 * 64;

    s->policy = (struct policy){.ops = ops,
                                .machine = s->machine,
                                .params = s->options->policy->params,
                                .data = hl_arena_alloc(&s->arena, 1, ops->policy_bytes + 1),
                                .cpu_data = hl_arena_alloc(&s->arena, cpus, stride + 1),
                                .cpu_stride = stride,
                                .running = hl_arena_alloc(&s->arena, cpus, sizeof(void *)),
                                .cpu_count = s->cpu_count};
    s->lock_free_ns = hl_arena_alloc(&s->arena, POLICY_LOCKS_MAX, sizeof(*s->lock_free_ns));
    if (s->policy.data == NULL || s->policy.cpu_data == NULL || s->policy.running == NULL ||
        s->lock_free_ns == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for policy %s on %d cpus", ops->name,
                       s->cpu_count);
    HL_TRY(open_groups(s, err));
    s->clock = (struct policy_clock){.hz = 1000};
    if (ops->clock != NULL)
        ops->clock(&s->policy, &s->clock);
    return ops->init == NULL ? HL_OK : ops->init(&s->policy, err);
}

int policy_host_select(struct sim *s, struct sim_task *t, const struct policy_wakeup *w)
{
    int cpu = t->pub.last_cpu >= 0 ? t->pub.last_cpu : w->waker_cpu;

    if (s->ops->select_cpu != NULL) {
        cpu = s->ops->select_cpu(&s->policy, &t->pub, w);
        policy_host_callback_end(s);
        if (cpu < 0 || cpu >= s->cpu_count || !policy_allowed(&t->pub, cpu)) {
            sim_fail(s, HL_BAD_POLICY, "%s chose cpu %d for task %" PRId32 " at %" PRId64 " ns: %s",
                     s->ops->name, cpu, t->pub.id, s->now_ns,
                     cpu < 0 || cpu >= s->cpu_count ? "no such cpu"
                                                    : "its affinity forbids this cpu");
            cpu = 0;
        }
        return cpu;
    }
    if (policy_allowed(&t->pub, cpu))
        return cpu;
    if (policy_allowed(&t->pub, w->waker_cpu))
        return w->waker_cpu;
    for (cpu = 0; cpu < s->cpu_count - 1 && !policy_allowed(&t->pub, cpu); cpu++)
        ;
    return cpu;
}

void policy_host_callback_end(struct sim *s)
{
    for (int32_t i = 0; i < s->held.count; i++)
        s->lock_free_ns[s->held.id[i]] = s->held.until_ns;
    s->held.count = 0;
}

int64_t policy_param(const struct policy *p, const char *name)
{
    const struct policy_param_info *info = p->ops->params;

    for (int i = 0; info != NULL && info[i].name != NULL; i++)
        if (strcmp(info[i].name, name) == 0)
            return p->params[i];
    assert(false && "a policy asks for a parameter that it declares");
    return 0;
}

struct policy_task *policy_next_task(struct policy *p, struct policy_task *after)
{
    struct sim *s = sim_of(p);
    struct hl_link *link = after == NULL ? s->live.first : sim_task_of(after)->live.next;

    return link == NULL ? NULL : &HL_LIST_ENTRY(link, struct sim_task, live)->pub;
}

void *policy_alloc(struct policy *p, size_t count, size_t size)
{
    return hl_arena_alloc(&sim_of(p)->arena, count, size);
}

uint64_t policy_random(struct policy *p, uint64_t bound)
{
    return hl_rng_below(&sim_of(p)->policy_rng, bound);
}

static void kick_here(struct sim *s, int cpu)
{
    if (s->picking == cpu)
        return;
    s->cpus[cpu].kicked = true;
    if (!s->cpus[cpu].listed)
        dispatch_list(s, cpu);
}

void policy_kick(struct policy *p, int cpu)
{
    struct sim *s = sim_of(p);

    if (s->here == cpu)
        kick_here(s, cpu);
    else
        request_ring_add(&s->requests, cpu,
                         s->now_ns + machine_constant(s->machine, MACHINE_ipi_ns));
}

bool policy_pick_later(struct policy *p, int cpu)
{
    struct sim *s = sim_of(p);
    struct sim_cpu *c = &s->cpus[cpu];

    assert(s->picking == cpu && sim_running(s, cpu) != NULL);
    if (s->kicked_count == 0 || c->put_off_ns == s->now_ns)
        return false;
    c->put_off_ns = s->now_ns;
    c->kicked = true;
    if (!c->listed)
        dispatch_list(s, cpu);
    return true;
}

void policy_signal(struct policy *p, int cpu)
{
    struct sim *s = sim_of(p);

    if (s->here == cpu)
        kick_here(s, cpu);
    else
        request_ring_add(&s->requests, cpu, s->now_ns);
}

void policy_kick_lazily(struct policy *p, int cpu)
{
    struct sim *s = sim_of(p);

    if (s->here == cpu)
        kick_here(s, cpu);
    else
        s->cpus[cpu].kicked = true;
}

void policy_moved(struct policy *p, struct policy_task *t, int cpu)
{
    struct sim *s = sim_of(p);

    if (t->on_cpu == POLICY_NO_CPU)
        trace_metrics_requeue(&s->metrics, s->now_ns, &sim_task_of(t)->trace, cpu);
}

void policy_stop(struct policy *p, int cpu)
{
    struct sim *s = sim_of(p);
    int64_t delay = s->here == cpu ? 0 : machine_constant(s->machine, MACHINE_ipi_ns);

    assert(s->ops->stopped != NULL);
    if (!event_queue_is_armed(&s->queue, slot_stop(cpu)))
        event_queue_set(&s->queue, slot_stop(cpu), s->now_ns + delay, EVENT_ORDER(EVENT_STOP, cpu));
}

/* M10: what an idle cpu does for the policy takes idle time, as far as there is some before its next task. */
static void charge(struct sim *s, int cpu, int64_t ns)
{
    struct sim_cpu *c = &s->cpus[cpu];

    if (sim_running(s, cpu) != NULL) {
        progress_charge(s, cpu, ns << RATE_SHIFT);
    } else {
        c->policy_until_ns = HL_MAX(c->policy_until_ns, s->now_ns) + ns;
        trace_metrics_idle_overhead(&s->metrics, ns << RATE_SHIFT);
    }
    s->held.until_ns += ns;
}

void policy_charge(struct policy *p, int cpu, enum policy_work work, uint32_t amount)
{
    struct sim *s = sim_of(p);

    switch (work) {
    case POLICY_SCAN:
        s->scan_count += amount;
        charge(s, cpu, machine_constant(s->machine, MACHINE_scan_cost_ns) * amount);
        break;
    case POLICY_SWITCH:
        s->held.until_ns += machine_constant(s->machine, MACHINE_switch_cost_ns) * amount;
        break;
    case POLICY_WORK_COUNT: break;
    }
}

void policy_lock(struct policy *p, int cpu, int lock_id)
{
    struct sim *s = sim_of(p);
    struct sim_held *held = &s->held;
    int64_t start_ns = held->count == 0 ? s->now_ns : held->until_ns;
    int64_t wait_ns = HL_MAX(s->lock_free_ns[lock_id] - start_ns, 0);

    assert(held->count < HELD_LOCKS_MAX);
    held->id[held->count++] = lock_id;
    held->until_ns = start_ns;
    charge(s, cpu, wait_ns + machine_constant(s->machine, MACHINE_lock_cost_ns));
}

void policy_set_timer(struct policy *p, int cpu, int64_t at_ns)
{
    struct sim *s = sim_of(p);

    if (at_ns == INT64_MAX)
        event_queue_clear(&s->queue, slot_policy_timer(cpu));
    else
        event_queue_set(&s->queue, slot_policy_timer(cpu), HL_MAX(at_ns, s->now_ns),
                        EVENT_ORDER(EVENT_POLICY_TIMER, cpu));
}
