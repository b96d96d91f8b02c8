/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fair_inspect.c - probe and check of the fair class.
 *
 * Of a task: vruntime, deadline, vlag, lag (now), slice_ns, weight, delayed, util, load, cpu. Of a
 * cpu, "cpuN.": nr_running, h_nr, min_vruntime, v (the average), util, load, avg_idle_ns; of one of
 * its levels, "cpuN.LEVEL.": interval_ms, failed. LEVEL: smt, mc, pkg, numa. Of a task group,
 * "GROUP.": load, nr_periods, nr_throttled; on one cpu, "GROUP.cpuN.": weight, delayed, throttled,
 * h_nr. Of the policy: overload, base_slice_ns.
 */
#include <inttypes.h>

#include "policy/fair_cgroup.h"
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
        {"lag", se->on_rq ? fair_avg_vruntime(se->queue) - se->vruntime : se->vlag},
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

/* "GROUP.FIELD" and "GROUP.cpuN.FIELD" */
static bool probe_group(const struct policy *p, const char *field, int64_t *value)
{
    const struct fair *f = fair_of(p);

    for (int32_t i = 0; i < p->group_count; i++) {
        const struct fair_cgroup *g = &f->cgroup[i];
        const char *rest = field;
        int cpu;

        if (!policy_field_skip(&rest, g->name) || !policy_field_skip(&rest, "."))
            continue;
        if (policy_field_is(rest, "load"))
            *value = g->load_avg;
        else if (policy_field_is(rest, "nr_periods"))
            *value = g->nr_periods;
        else if (policy_field_is(rest, "nr_throttled"))
            *value = g->nr_throttled;
        else if (!policy_field_of_cpu(p, &rest, &cpu))
            return false;
        else if (policy_field_is(rest, "weight"))
            *value = g->entity[cpu].weight;
        else if (policy_field_is(rest, "delayed"))
            *value = g->entity[cpu].is_delayed;
        else if (policy_field_is(rest, "throttled"))
            *value = g->queue[cpu].is_throttled;
        else if (policy_field_is(rest, "h_nr"))
            *value = g->queue[cpu].h_nr;
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
        return probe_group(p, field, value);
    else if (c = fair_cpu_of(p, cpu), policy_field_is(field, "nr_running"))
        *value = c->nr_running;
    else if (policy_field_is(field, "h_nr"))
        *value = c->queue.h_nr;
    else if (policy_field_is(field, "min_vruntime"))
        *value = c->queue.min_vruntime;
    else if (policy_field_is(field, "v"))
        *value = fair_avg_vruntime(&c->queue);
    else if (policy_field_is(field, "util"))
        *value = c->queue.avg.util_avg;
    else if (policy_field_is(field, "load"))
        *value = c->queue.avg.load_avg;
    else if (policy_field_is(field, "avg_idle_ns"))
        *value = c->avg_idle_ns;
    else
        return probe_level(c, field, value);
    return true;
}

/* ---- check ---- */

struct sums { /* of a queue, counted anew */
    int64_t weight, tree_weight, tree_sum;
    int32_t nr, idle_nr;
};

static void add_entity(const struct fair_queue *q, const struct fair_entity *se, struct sums *s)
{
    s->nr++;
    s->idle_nr += se->is_idle;
    s->weight += se->weight;
    if (se != q->curr) {
        s->tree_weight += se->weight;
        s->tree_sum += (se->vruntime - q->min_vruntime) * se->weight;
    }
}

static void add_tree(const struct fair_queue *q, struct sums *s)
{
    for (struct fair_node *node = q->tree.first; node != NULL; node = fair_tree_next(node))
        add_entity(q, fair_entity_of_node(node), s);
}

static const char *fault_of_queue(const struct policy *p, const struct fair_queue *q)
{
    struct sums s = {0};

    add_tree(q, &s);
    if (q->curr != NULL)
        add_entity(q, q->curr, &s);
    if (s.nr != q->nr || s.idle_nr != q->idle_nr)
        return "a queue's counts are not those of its tree";
    if (s.weight != q->load_weight)
        return "a queue's weight is not the sum of its entities'";
    if (fair_of(p)->by_deadline && (s.tree_weight != q->avg_load || s.tree_sum != q->avg_vruntime))
        return "a queue's average is not that of its entities";
    if (q->owner != NULL && q->owner->on_rq && q->nr == 0 && !q->owner->is_delayed)
        return "a group without tasks is queued";
    if (q->owner != NULL && !q->owner->on_rq && q->nr > 0 && !q->is_throttled)
        return "a group with tasks is not queued";
    return NULL;
}

static bool is_hidden(const struct fair_entity *se)
{
    for (; se != NULL; se = se->parent)
        if (se->queue->is_throttled)
            return true;
    return false;
}

static const char *fault_of(const struct policy *p, const struct fair_cpu *c)
{
    const struct fair *f = fair_of(p);
    int32_t count = 0, delayed = 0;
    int64_t util_est = 0;
    const char *fault = fault_of_queue(p, &c->queue);

    for (const struct hl_link *link = c->tasks.first; link != NULL; link = link->next) {
        const struct fair_entity *se = HL_LIST_ENTRY(link, const struct fair_entity, in_tasks);

        if (!se->on_rq || se->cpu != c->cpu || se->queue->of != c)
            return "a listed task is not in the queue";
        if (se->is_delayed && se->util_est_counted != 0)
            return "a delayed task counts in the estimated utilisation";
        util_est += se->util_est_counted;
        if (is_hidden(se))
            continue;
        count++;
        delayed += se->is_delayed;
    }
    for (int32_t i = 0; i < f->cgroup_count && fault == NULL; i++)
        fault = fault_of_queue(p, &f->cgroup[i].queue[c->cpu]);
    if (fault != NULL)
        return fault;
    if (count != c->queue.h_nr || delayed != c->queue.h_delayed ||
        c->nr_running != c->queue.h_nr + c->rt_nr)
        return "its counts are not those of its lists";
    if (util_est != c->util_est)
        return "its estimated utilisation is not that of its tasks";
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
