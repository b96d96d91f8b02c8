/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ule54_inspect.c - probe and check of ULE 1.0.
 */
#include "policy/probe.h"
#include "policy/ule54.h"

static bool ule54_probe_task(const struct ule54_task *d, const char *field, int64_t *value)
{
    if (policy_field_is(field, "score"))
        *value = ule_history_score_5(&d->history);
    else if (policy_field_is(field, "ran_ticks"))
        *value = d->history.ran >> ULE_TICK_SHIFT;
    else if (policy_field_is(field, "slept_ticks"))
        *value = d->history.slept >> ULE_TICK_SHIFT;
    else if (policy_field_is(field, "slice"))
        *value = d->slice;
    else if (policy_field_is(field, "priority"))
        *value = d->priority;
    else if (policy_field_is(field, "user_priority"))
        *value = d->user_priority;
    else
        return false;
    return true;
}

static bool ule54_probe_cpu(const struct ule54_cpu *c, const char *field, int64_t *value)
{
    if (policy_field_is(field, "nr_running"))
        *value = c->load;
    else if (policy_field_is(field, "transferable"))
        *value = c->transferable;
    else if (policy_field_is(field, "marked_idle"))
        *value = c->marked_idle;
    else
        return false;
    return true;
}

bool ule54_probe(const struct policy *p, const struct policy_task *t, const char *field,
                 int64_t *value)
{
    const struct ule54 *g = policy_data(p);
    int cpu;

    if (t != NULL)
        return ule54_probe_task(ule54_task(t), field, value);
    if (policy_field_of_cpu(p, &field, &cpu))
        return ule54_probe_cpu(policy_cpu_data(p, cpu), field, value);
    if (policy_field_is(field, "balance_runs"))
        *value = g->balance_count;
    else if (policy_field_is(field, "balance_moves"))
        *value = g->moved_count;
    else
        return false;
    return true;
}

struct counts {
    int32_t queued, assigned, transferable;
};

static void ule54_count_list(const struct hl_list *list, struct counts *n)
{
    for (const struct hl_link *link = list->first; link != NULL; link = link->next) {
        const struct policy_task *t =
            HL_LIST_ENTRY((struct hl_link *)(uintptr_t)link, struct policy_task, link);

        n->queued++;
        n->transferable += !ule54_task(t)->pinned;
    }
}

enum hl_status ule54_check(const struct policy *p, struct hl_error *err)
{
    const struct ule54 *g = policy_data(p);

    for (int cpu = 0; cpu < policy_cpu_count(p); cpu++) {
        const struct ule54_cpu *c = policy_cpu_data(p, cpu);
        const struct policy_task *running = policy_running(p, cpu);
        struct counts n = {0}, handed = {0};

        for (int level = 0; level < BSD_LEVELS; level++) {
            ule54_count_list(&c->queue[0].level[level], &n);
            ule54_count_list(&c->queue[1].level[level], &n);
            ule54_count_list(&c->idle_queue.level[level], &n);
        }
        ule54_count_list(&c->assigned, &handed);
        if (g->text_b)
            n.queued += handed.queued;
        if (n.queued + (running != NULL) != c->load)
            return hl_fail(err, HL_BAD_POLICY, "ule: cpu %d counts %d tasks; expected %d", cpu,
                           c->load, n.queued + (running != NULL));
        if (n.transferable != c->transferable)
            return hl_fail(err, HL_BAD_POLICY, "ule: cpu %d counts %d tasks to give; expected %d",
                           cpu, c->transferable, n.transferable);
        if (running != NULL &&
            (ule54_task(running)->place != ULE54_NOWHERE || ule54_task(running)->cpu != cpu))
            return hl_fail(err, HL_BAD_POLICY,
                           "ule: task %d runs on cpu %d and is queued, or elsewhere", running->id,
                           cpu);
        if (running == NULL && n.queued > 0 && !c->resched)
            return hl_fail(err, HL_BAD_POLICY, "ule: cpu %d idles with %d tasks and is not told",
                           cpu, n.queued);
    }
    return HL_OK;
}
