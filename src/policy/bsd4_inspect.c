/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bsd4_inspect.c - probe and check of 4bsd.
 */
#include "policy/bsd4.h"
#include "policy/probe.h"

static bool bsd4_probe_task(const struct bsd4_task *d, const char *field, int64_t *value)
{
    if (policy_field_is(field, "estcpu"))
        *value = d->estcpu;
    else if (policy_field_is(field, "priority"))
        *value = d->priority;
    else if (policy_field_is(field, "user_priority"))
        *value = d->user_priority;
    else if (policy_field_is(field, "slptime"))
        *value = d->slptime;
    else if (policy_field_is(field, "pctcpu_ppm"))
        *value = d->pctcpu * INT64_C(1000000) / BSD4_FSCALE;
    else
        return false;
    return true;
}

bool bsd4_probe(const struct policy *p, const struct policy_task *t, const char *field,
                int64_t *value)
{
    const struct bsd4 *g = policy_data(p);
    int cpu;

    if (t != NULL)
        return bsd4_probe_task(bsd4_task(t), field, value);
    if (policy_field_of_cpu(p, &field, &cpu)) {
        if (!policy_field_is(field, "nr_running"))
            return false;
        *value = ((const struct bsd4_cpu *)policy_cpu_data(p, cpu))->own_count +
                 (policy_running(p, cpu) != NULL);
    } else if (policy_field_is(field, "nr_running")) {
        *value = g->run_count;
    } else if (policy_field_is(field, "nr_queued")) {
        *value = g->queued_count;
    } else if (policy_field_is(field, "load_milli")) {
        *value = g->load * 1000 / BSD4_FSCALE;
    } else if (policy_field_is(field, "forwarded")) {
        *value = g->forward_count;
    } else if (policy_field_is(field, "told")) {
        *value = g->told_count;
    } else if (policy_field_is(field, "told_in_vain")) {
        *value = g->empty_count;
    } else {
        return false;
    }
    return true;
}

static int32_t bsd4_length(const struct bsd_queue *q)
{
    int32_t length = 0;

    for (int level = 0; level < BSD_LEVELS; level++)
        for (const struct hl_link *link = q->level[level].first; link != NULL; link = link->next)
            length++;
    return length;
}

enum hl_status bsd4_check(const struct policy *p, struct hl_error *err)
{
    const struct bsd4 *g = policy_data(p);
    int32_t idle = 0, racing = 0, coming = 0;

    for (int cpu = 0; cpu < policy_cpu_count(p); cpu++) {
        const struct bsd4_cpu *c = policy_cpu_data(p, cpu);
        const struct policy_task *running = policy_running(p, cpu);

        racing += c->told && c->own_count == 0;
        if (running == NULL) {
            idle++;
            coming += c->told || c->resched;
        } else if (bsd4_task(running)->queue != BSD4_NOT_QUEUED) {
            return hl_fail(err, HL_BAD_POLICY, "4bsd: task %d runs on cpu %d and is queued",
                           running->id, cpu);
        }
        if (bsd4_length(&c->own) != c->own_count)
            return hl_fail(err, HL_BAD_POLICY,
                           "4bsd: cpu %d counts %d tasks of its own; expected %d", cpu,
                           c->own_count, bsd4_length(&c->own));
    }
    if (bsd4_length(&g->queue) != g->queued_count)
        return hl_fail(err, HL_BAD_POLICY, "4bsd: %d tasks counted in the queue; expected %d",
                       g->queued_count, bsd4_length(&g->queue));
    if (racing != g->racing_count)
        return hl_fail(err, HL_BAD_POLICY, "4bsd: %d cpus counted as racing; expected %d",
                       g->racing_count, racing);
    /* Work conservation: an IPI latency at most, or until the next clock interrupt of an idle cpu. */
    if (g->queued_count > 0 && idle > 0 && coming == 0 && g->look_ns == INT64_MAX)
        return hl_fail(err, HL_BAD_POLICY,
                       "4bsd: %d tasks are queued and none of %d idle cpus is told",
                       g->queued_count, idle);
    return HL_OK;
}
