/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fair_inspect.c - probe and check of the fair class.
 *
 * Of a task: vruntime, deadline, vlag, lag (now), slice_ns, weight, delayed, util, load, cpu. Of a
 * cpu, "cpuN.": nr_running, h_nr, min_vruntime, v (the average), util, load, avg_idle_ns; of one of
 * its levels, "cpuN.LEVEL.": interval_ms, failed. LEVEL: smt, mc, pkg, numa. Of the policy:
 * overload, base_slice_ns.
 */
#include <inttypes.h>

#include "policy/fair.h"
#include "policy/probe.h"

static bool probe_task(const struct policy *p, const struct policy_task *t, const char *field,
                       int64_t *value)
{
    const struct fair_entity *se = fair_entity_of(t);
    const struct {
        const char *name;
        int64_t value;
    } fields[] = {
        {"vruntime", se->vruntime},
        {"deadline", se->deadline},
        {"vlag", se->vlag},
        {"slice_ns", se->slice_ns},
        {"weight", se->weight},
        {"delayed", se->is_delayed && se->on_rq},
        {"util", se->avg.util_avg},
        {"load", se->avg.load_avg},
        {"cpu", se->cpu},
        {"lag", se->on_rq ? fair_avg_vruntime(fair_cpu_of(p, se->cpu)) - se->vruntime : se->vlag},
    };

    for (size_t i = 0; i < HL_COUNT_OF(fields); i++)
        if (policy_field_is(field, fields[i].name)) {
            *value = fields[i].value;
            return true;
        }
    return false;
}

static bool probe_level(const struct fair_cpu *c, const char *field, int64_t *value)
{
    static const char *const names[FAIR_LEVEL_COUNT] = {"smt.", "mc.", "pkg.", "numa."};

    for (int i = 0; i < c->domain_count; i++) {
        const char *rest = field;

        if (!policy_field_skip(&rest, names[c->domain[i].span->level]))
            continue;
        if (policy_field_is(rest, "interval_ms"))
            *value = c->domain[i].balance_interval_ms;
        else if (policy_field_is(rest, "failed"))
            *value = c->domain[i].nr_balance_failed;
        else
            return false;
        return true;
    }
    return false;
}

bool fair_probe(const struct policy *p, const struct policy_task *t, const char *field,
                int64_t *value)
{
    const struct fair_cpu *c;
    int cpu;

    if (t != NULL)
        return probe_task(p, t, field, value);
    if (policy_field_is(field, "overload"))
        *value = fair_of(p)->overload;
    else if (policy_field_is(field, "base_slice_ns"))
        *value = fair_of(p)->base_slice_ns;
    else if (!policy_field_of_cpu(p, &field, &cpu))
        return false;
    else if (c = fair_cpu_of(p, cpu), policy_field_is(field, "nr_running"))
        *value = c->nr_running;
    else if (policy_field_is(field, "h_nr"))
        *value = c->h_nr;
    else if (policy_field_is(field, "min_vruntime"))
        *value = c->min_vruntime;
    else if (policy_field_is(field, "v"))
        *value = fair_avg_vruntime(c);
    else if (policy_field_is(field, "util"))
        *value = c->avg.util_avg;
    else if (policy_field_is(field, "load"))
        *value = c->avg.load_avg;
    else if (policy_field_is(field, "avg_idle_ns"))
        *value = c->avg_idle_ns;
    else
        return probe_level(c, field, value);
    return true;
}

/* Counts equal lists; the running entity is outside the tree. */
static const char *fault_of(const struct policy *p, const struct fair_cpu *c)
{
    int64_t weight = 0, sum = 0, tree_weight = 0;
    int32_t count = 0, delayed = 0, idle = 0;

    for (const struct hl_link *link = c->tasks.first; link != NULL; link = link->next) {
        const struct fair_entity *se = HL_LIST_ENTRY(link, const struct fair_entity, in_tasks);

        if (!se->on_rq || se->cpu != c->cpu)
            return "a listed task is not in the queue";
        count++;
        delayed += se->is_delayed;
        idle += se->is_idle_policy;
        weight += se->weight;
        if (se != c->curr) {
            tree_weight += se->weight;
            sum += (se->vruntime - c->min_vruntime) * se->weight;
        }
    }
    if (count != c->h_nr || delayed != c->nr_delayed || idle != c->idle_nr ||
        c->nr_running != c->h_nr + c->rt_nr)
        return "its counts are not those of its lists";
    if (weight != c->load_weight)
        return "its weight is not the sum of its tasks'";
    if (fair_of(p)->by_deadline && (tree_weight != c->avg_load || sum != c->avg_vruntime))
        return "its average is not that of its tasks";
    if (c->curr != NULL && c->rt_curr != NULL)
        return "two tasks run";
    return NULL;
}

enum hl_status fair_check(const struct policy *p, struct hl_error *err)
{
    for (int cpu = 0; cpu < policy_cpu_count(p); cpu++) {
        const struct fair_cpu *c = fair_cpu_of(p, cpu);
        const char *fault = fault_of(p, c);

        if (fault != NULL)
            return hl_fail(err, HL_INTERNAL, "%s: cpu %d at %" PRId64 " ns: %s", p->ops->name, cpu,
                           policy_now_ns(p), fault);
    }
    return HL_OK;
}
