/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ule_inspect.c - probe and check of ULE 2 and later.
 */
#include "base/units.h"
#include "policy/probe.h"
#include "policy/ule_core.h"

static bool ule_probe_task(const struct ule *u, const struct policy_task *t, const char *field,
                           int64_t *value)
{
    const struct ule_task *d = ule_task(t);
    int32_t score = ule_history_score_7(&d->history, u->interact);

    if (policy_field_is(field, "score"))
        *value = HL_MAX(0, score + t->nice);
    else if (policy_field_is(field, "ran_ticks"))
        *value = d->history.ran >> ULE_TICK_SHIFT;
    else if (policy_field_is(field, "slept_ticks"))
        *value = d->history.slept >> ULE_TICK_SHIFT;
    else if (policy_field_is(field, "use"))
        *value = ule_use_level(&d->use, u->scale.use_levels, u->hz);
    else if (policy_field_is(field, "slice_used"))
        *value = d->used;
    else if (policy_field_is(field, "priority"))
        *value = d->priority;
    else if (policy_field_is(field, "user_priority"))
        *value = d->user_priority;
    else
        return false;
    return true;
}

static bool ule_probe_cpu(const struct policy *p, const struct ule *u, int cpu, const char *field,
                          int64_t *value)
{
    const struct ule_cpu *c = policy_cpu_data(p, cpu);

    if (policy_field_is(field, "nr_running"))
        *value = u->load[cpu];
    else if (policy_field_is(field, "transferable"))
        *value = u->transferable[cpu];
    else if (policy_field_is(field, "lowpri"))
        *value = u->lowpri[cpu];
    else if (policy_field_is(field, "insert"))
        *value = c->insert;
    else if (policy_field_is(field, "remove"))
        *value = c->remove;
    else
        return false;
    return true;
}

bool ule_probe(const struct policy *p, const struct policy_task *t, const char *field,
               int64_t *value)
{
    const struct ule *u = policy_data(p);
    int32_t most = u->load[0], least = u->load[0];
    int cpu;

    if (t != NULL)
        return ule_probe_task(u, t, field, value);
    if (policy_field_of_cpu(p, &field, &cpu))
        return ule_probe_cpu(p, u, cpu, field, value);
    for (cpu = 1; cpu < policy_cpu_count(p); cpu++) {
        most = HL_MAX(most, u->load[cpu]);
        least = HL_MIN(least, u->load[cpu]);
    }
    if (policy_field_is(field, "most_running"))
        *value = most;
    else if (policy_field_is(field, "least_running"))
        *value = least;
    else if (policy_field_is(field, "balance_runs"))
        *value = u->balance_count;
    else if (policy_field_is(field, "balance_acts"))
        *value = u->balance_acts;
    else if (policy_field_is(field, "balance_moves"))
        *value = u->balance_moves;
    else if (policy_field_is(field, "steals"))
        *value = u->steal_count;
    else if (policy_field_is(field, "steal_thresh"))
        *value = u->steal_thresh;
    else
        return false;
    return true;
}

static enum hl_status ule_check_cpu(const struct policy *p, const struct ule *u, int cpu,
                                    struct hl_error *err)
{
    const struct ule_cpu *c = policy_cpu_data(p, cpu);
    const struct policy_task *running = policy_running(p, cpu);
    int16_t best = running == NULL ? BSD_IDLE : ule_task(running)->priority;
    int32_t load = running != NULL, transferable = 0;
    const struct policy_task *head = ule_choose(p, cpu);

    for (int i = 0; i < ULE_PLACE_COUNT * BSD_LEVELS; i++) {
        const struct hl_link *link = c->queue[i / BSD_LEVELS].level[i % BSD_LEVELS].first;

        for (; link != NULL; link = link->next, load++)
            transferable += !ule_task(HL_LIST_ENTRY((struct hl_link *)(uintptr_t)link,
                                                    struct policy_task, link))
                                 ->pinned;
    }
    if (load != u->load[cpu] || transferable != u->transferable[cpu])
        return hl_fail(err, HL_BAD_POLICY,
                       "ule: cpu %d counts %d tasks, %d to give; expected %d and %d", cpu,
                       u->load[cpu], u->transferable[cpu], load, transferable);
    if (bsd_cpu_has(u->idle, cpu) != (load == 0))
        return hl_fail(err, HL_BAD_POLICY, "ule: cpu %d has %d tasks and is in the wrong set", cpu,
                       load);
    if (head != NULL)
        best = HL_MIN(best, ule_task(head)->priority);
    if (u->lowpri[cpu] > best) /* it may be that of a task further on in the circle */
        return hl_fail(err, HL_BAD_POLICY, "ule: lowpri of cpu %d is %d; expected at most %d", cpu,
                       u->lowpri[cpu], best);
    if (running != NULL &&
        (ule_task(running)->place != ULE_NOWHERE || ule_task(running)->cpu != cpu))
        return hl_fail(err, HL_BAD_POLICY,
                       "ule: task %d runs on cpu %d and is queued, or elsewhere", running->id, cpu);
    if (running == NULL && load > 0 && !c->resched && !c->preempt)
        return hl_fail(err, HL_BAD_POLICY, "ule: cpu %d idles with %d tasks and is not told", cpu,
                       load);
    if (c->insert != c->remove && c->insert != (c->remove + 1) % BSD_LEVELS)
        return hl_fail(err, HL_BAD_POLICY,
                       "ule: cpu %d inserts at %d and drains %d; expected at most one apart", cpu,
                       c->insert, c->remove);
    return HL_OK;
}

enum hl_status ule_check(const struct policy *p, struct hl_error *err)
{
    const struct ule *u = policy_data(p);
    int32_t givers = 0, polling = 0, idle = 0;

    for (int cpu = 0; cpu < policy_cpu_count(p); cpu++) {
        HL_TRY(ule_check_cpu(p, u, cpu, err));
        givers += u->transferable[cpu] > 0;
        idle += u->load[cpu] == 0;
        polling += u->load[cpu] == 0 &&
                   ((const struct ule_cpu *)policy_cpu_data(p, cpu))->poll_ns != INT64_MAX;
    }
    if (givers != u->giver_count || idle != u->idle_count || polling != u->polling_count)
        return hl_fail(err, HL_BAD_POLICY,
                       "ule: counts %d givers, %d idle and %d polling cpus; expected %d, %d and %d",
                       u->giver_count, u->idle_count, u->polling_count, givers, idle, polling);
    return HL_OK;
}
