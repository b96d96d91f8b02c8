/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * domains.c - builds the chain of domains of each cpu, and shows and checks it.
 *
 * Spans and groups are made once per core, node and machine and shared by their cpus; a core of one
 * thread has a SIB level too (with one group, so that it never finds anything to do), as kernels built
 * for siblings have it. The NODE level exists on machines of more than one node.
 * Source: spec linux 5.1, 5.2.
 */
#include "policy/domains.h"

#include "base/units.h"
#include "policy/probe.h"

/* By level; the order of the fields is that of struct domain_params. */
#define DOMAIN_PARAM_NAMES(level)                                                                  \
    {                                                                                              \
        level ".min_interval", level ".max_interval", level ".busy_factor",                        \
            level ".imbalance_pct", level ".cache_hot_time", level ".cache_nice_tries",            \
            level ".flags"                                                                         \
    }
enum { DOMAIN_PARAM_COUNT = 7 };
static const char *const domain_param_names[DOMAIN_LEVEL_COUNT][DOMAIN_PARAM_COUNT] = {
    DOMAIN_PARAM_NAMES("sib"), DOMAIN_PARAM_NAMES("cpu"), DOMAIN_PARAM_NAMES("node")};

static const char *const domain_level_names[DOMAIN_LEVEL_COUNT] = {"sib", "cpu", "node"};

static enum hl_status domain_params_read(struct policy *p, struct domain_params *params,
                                         enum domain_level level, struct hl_error *err)
{
    int64_t *const fields[DOMAIN_PARAM_COUNT] = {&params->min_interval_ms,
                                                 &params->max_interval_ms,
                                                 &params->busy_factor,
                                                 &params->imbalance_pct,
                                                 &params->cache_hot_ns,
                                                 &params->cache_nice_tries,
                                                 &params->flags};

    for (int i = 0; i < DOMAIN_PARAM_COUNT; i++) {
        int64_t value = policy_param(p, domain_param_names[level][i]);

        if (value != POLICY_PARAM_UNSET)
            *fields[i] = value;
    }
    if (params->min_interval_ms > params->max_interval_ms)
        return hl_fail(err, HL_USAGE,
                       "%s: %s.min_interval is %lld ms; expected at most max_interval, %lld ms",
                       p->ops->name, domain_level_names[level], (long long)params->min_interval_ms,
                       (long long)params->max_interval_ms);
    return HL_OK;
}

/* Spans of one level, by core, node, or one for the machine. */
struct domain_plan {
    struct domain_span *span;
    int32_t count;
};

static const int32_t *domain_core_cpus(const struct machine *m, int core, int32_t *count)
{
    *count = m->core_first[core + 1] - m->core_first[core];
    return m->core_cpu + m->core_first[core];
}

static const int32_t *domain_node_cpus(const struct machine *m, int node, int32_t *count)
{
    *count = m->node_first[node + 1] - m->node_first[node];
    return m->node_cpu + m->node_first[node];
}

static int32_t domain_core_power(int32_t threads, bool core_power)
{
    return core_power ? DOMAIN_POWER_ONE + DOMAIN_POWER_ONE * (threads - 1) / 10
                      : DOMAIN_POWER_ONE * threads;
}

/* One group per cpu of the span. */
static bool domain_group_by_cpu(struct policy *p, struct domain_span *span)
{
    span->group = policy_alloc(p, (size_t)span->cpu_count, sizeof(*span->group));
    if (span->group == NULL)
        return false;
    for (int i = 0; i < span->cpu_count; i++)
        span->group[i] =
            (struct domain_group){.cpu = &span->cpu[i], .cpu_count = 1, .power = DOMAIN_POWER_ONE};
    span->group_count = span->cpu_count;
    return true;
}

/* One group per core of the span, in the order of their first cpus. */
static bool domain_group_by_core(struct policy *p, struct domain_span *span, bool core_power)
{
    const struct machine *m = policy_machine(p);

    span->group = policy_alloc(p, (size_t)span->cpu_count, sizeof(*span->group));
    if (span->group == NULL)
        return false;
    for (int i = 0; i < span->cpu_count; i++) {
        int32_t count;
        const int32_t *cpus = domain_core_cpus(m, m->cpu[span->cpu[i]].core, &count);

        if (cpus[0] != span->cpu[i])
            continue;
        span->group[span->group_count++] = (struct domain_group){
            .cpu = cpus, .cpu_count = count, .power = domain_core_power(count, core_power)};
    }
    return true;
}

static bool domain_plan_sib(struct policy *p, struct domain_plan *plan)
{
    const struct machine *m = policy_machine(p);

    plan->span = policy_alloc(p, (size_t)m->core_count, sizeof(*plan->span));
    if (plan->span == NULL)
        return false;
    plan->count = m->core_count;
    for (int core = 0; core < m->core_count; core++) {
        struct domain_span *span = &plan->span[core];

        span->cpu = domain_core_cpus(m, core, &span->cpu_count);
        if (!domain_group_by_cpu(p, span))
            return false;
    }
    return true;
}

static bool domain_plan_cpu(struct policy *p, const struct domains_options *options,
                            struct domain_plan *plan)
{
    const struct machine *m = policy_machine(p);

    plan->span = policy_alloc(p, (size_t)m->node_count, sizeof(*plan->span));
    if (plan->span == NULL)
        return false;
    plan->count = m->node_count;
    for (int node = 0; node < m->node_count; node++) {
        struct domain_span *span = &plan->span[node];

        span->cpu = domain_node_cpus(m, node, &span->cpu_count);
        if (!(options->sib ? domain_group_by_core(p, span, options->core_power)
                           : domain_group_by_cpu(p, span)))
            return false;
    }
    return true;
}

static bool domain_plan_node(struct policy *p, const struct domain_plan *nodes,
                             struct domain_plan *plan)
{
    const struct machine *m = policy_machine(p);
    struct domain_span *span = policy_alloc(p, 1, sizeof(*span));
    int32_t *cpus = policy_alloc(p, (size_t)m->cpu_count, sizeof(*cpus));
    struct domain_group *groups = policy_alloc(p, (size_t)m->node_count, sizeof(*groups));

    if (span == NULL || cpus == NULL || groups == NULL)
        return false;
    for (int cpu = 0; cpu < m->cpu_count; cpu++)
        cpus[cpu] = cpu;
    for (int node = 0; node < m->node_count; node++) {
        groups[node].cpu = domain_node_cpus(m, node, &groups[node].cpu_count);
        groups[node].power = nodes->span[node].power;
    }
    *span = (struct domain_span){
        .cpu = cpus, .cpu_count = m->cpu_count, .group = groups, .group_count = m->node_count};
    *plan = (struct domain_plan){.span = span, .count = 1};
    return true;
}

static int32_t domain_group_width(const struct domain_span *span)
{
    int32_t width = span->group[0].cpu_count;

    if (!span->is_dense)
        return 0;
    for (int g = 0; g < span->group_count; g++) {
        const struct domain_group *group = &span->group[g];
        int32_t first = span->cpu[0] + g * width;

        if (group->cpu_count != width || group->cpu[0] != first ||
            group->cpu[width - 1] != first + width - 1)
            return 0;
    }
    return width;
}

/* What follows from the groups. */
static void domain_plan_sum(const struct machine *m, struct domain_plan *plan)
{
    for (int i = 0; i < plan->count; i++) {
        struct domain_span *span = &plan->span[i];

        span->is_dense = span->cpu[span->cpu_count - 1] - span->cpu[0] == span->cpu_count - 1;
        span->group_width = domain_group_width(span);
        span->distance = machine_span(m, span->cpu, span->cpu_count);
        span->power = 0;
        for (int g = 0; g < span->group_count; g++)
            span->power += span->group[g].power;
    }
}

static int32_t domain_group_index(const struct domain_span *span, int cpu)
{
    for (int g = 0; g < span->group_count; g++)
        for (int i = 0; i < span->group[g].cpu_count; i++)
            if (span->group[g].cpu[i] == cpu)
                return g;
    return DOMAIN_NO_GROUP;
}

/* Hangs a level into the chains of all cpus. */
static void domain_add_level(struct policy *p, enum domain_level level,
                             const struct domain_plan *plan)
{
    const struct domains *ds = domains_of(p);
    const struct machine *m = policy_machine(p);

    for (int cpu = 0; cpu < m->cpu_count; cpu++) {
        struct domain_cpu *dc = domain_cpu_of(p, cpu);
        struct domain *d = &dc->domain[dc->domain_count++];
        int index = level == DOMAIN_SIB   ? m->cpu[cpu].core
                    : level == DOMAIN_CPU ? m->cpu[cpu].node
                                          : 0;

        d->level = level;
        d->params = &ds->params[level];
        d->span = &plan->span[index];
        d->own_group = domain_group_index(d->span, cpu);
        d->interval_ms = 1;
        d->stretch_ns = INT64_MAX;
    }
}

enum hl_status domains_init(struct policy *p, const struct domains_options *options,
                            struct hl_error *err)
{
    struct domains *ds = domains_of(p);
    const struct machine *m = policy_machine(p);
    size_t cpu_count = (size_t)m->cpu_count;
    struct domain_plan sib = {0}, cpu = {0}, node = {0};
    int32_t *estimates =
        policy_alloc(p, options->remembers ? cpu_count * cpu_count : cpu_count, sizeof(*estimates));

    ds->load = policy_alloc(p, cpu_count, sizeof(*ds->load));
    ds->remembers = options->remembers;
    if (estimates == NULL || ds->load == NULL || (options->sib && !domain_plan_sib(p, &sib)) ||
        !domain_plan_cpu(p, options, &cpu))
        return hl_fail(err, HL_NO_MEMORY, "%s: no memory for domains", p->ops->name);
    domain_plan_sum(m, &sib);
    domain_plan_sum(m, &cpu);
    if (m->node_count > 1 && !domain_plan_node(p, &cpu, &node))
        return hl_fail(err, HL_NO_MEMORY, "%s: no memory for domains", p->ops->name);
    domain_plan_sum(m, &node);

    for (enum domain_level level = DOMAIN_SIB; level < DOMAIN_LEVEL_COUNT; level++) {
        ds->params[level] = options->defaults[level];
        HL_TRY(domain_params_read(p, &ds->params[level], level, err));
    }
    if (sib.count > 0)
        domain_add_level(p, DOMAIN_SIB, &sib);
    domain_add_level(p, DOMAIN_CPU, &cpu);
    if (node.count > 0)
        domain_add_level(p, DOMAIN_NODE, &node);
    for (size_t i = 0; i < cpu_count; i++)
        domain_cpu_of(p, (int)i)->estimate = estimates + (options->remembers ? i * cpu_count : 0);
    return HL_OK;
}

static bool domain_probe_level(struct policy *p, int cpu, const struct domain *d, const char *field,
                               int64_t *value)
{
    struct domain_survey s;

    if (policy_field_is(field, "interval_ms")) {
        *value = d->interval_ms;
    } else if (policy_field_is(field, "failed")) {
        *value = d->failed;
    } else if (policy_field_is(field, "power")) {
        *value = d->span->group[d->own_group].power;
    } else {
        domain_survey(p, cpu, d, false, DOMAIN_FIRST_WINS, &s);
        if (policy_field_is(field, "own"))
            *value = s.own;
        else if (policy_field_is(field, "max"))
            *value = s.max;
        else
            return false;
    }
    return true;
}

bool domains_probe(const struct policy *p, const struct policy_task *t, const char *field,
                   int64_t *value)
{
    const char *rest = field;
    int cpu, of;

    if (o1_probe(p, t, field, value))
        return true;
    if (t != NULL || !policy_field_of_cpu(p, &rest, &cpu))
        return false;
    if (policy_field_is(rest, "node")) {
        *value = policy_machine(p)->cpu[cpu].node;
        return true;
    }
    if (policy_field_skip(&rest, "h_cpu")) {
        if (!policy_field_cpu(p, &rest, &of) || *rest != '\0')
            return false;
        *value = domain_cpu_of(p, cpu)->estimate[of];
        return true;
    }
    for (int i = 0; i < domain_cpu_of(p, cpu)->domain_count; i++) {
        const struct domain *d = &domain_cpu_of(p, cpu)->domain[i];
        const char *name = rest;

        if (policy_field_skip(&name, domain_level_names[d->level]) && policy_field_skip(&name, "."))
            /* A survey writes only its scratch. */
            return domain_probe_level((struct policy *)(uintptr_t)p, cpu, d, name, value);
    }
    return false;
}

enum hl_status domains_check(const struct policy *p, struct hl_error *err)
{
    HL_TRY(o1_check(p, err));
    for (int cpu = 0; cpu < policy_cpu_count(p); cpu++) {
        const struct domain_cpu *dc = domain_cpu_of(p, cpu);

        for (int i = 0; i < dc->domain_count; i++) {
            const struct domain *d = &dc->domain[i];
            int32_t cpus = 0;

            for (int g = 0; g < d->span->group_count; g++)
                cpus += d->span->group[g].cpu_count;
            if (cpus != d->span->cpu_count || d->own_group == DOMAIN_NO_GROUP)
                return hl_fail(
                    err, HL_BAD_POLICY,
                    "%s: groups of cpu %d, level %s, hold %d cpus; expected %d, its own too",
                    p->ops->name, cpu, domain_level_names[d->level], cpus, d->span->cpu_count);
            /* Doubling may overshoot the longest interval, by less than itself. */
            if (d->interval_ms < 1 || d->interval_ms >= 2 * HL_MAX(d->params->max_interval_ms, 1) ||
                d->failed < 0)
                return hl_fail(
                    err, HL_BAD_POLICY,
                    "%s: cpu %d, level %s: interval %d ms, %d failures; expected 1 to twice "
                    "the longest interval, and no negative count",
                    p->ops->name, cpu, domain_level_names[d->level], d->interval_ms, d->failed);
        }
        for (int of = 0; of < policy_cpu_count(p); of++)
            if (dc->estimate[of] < 0)
                return hl_fail(err, HL_BAD_POLICY, "%s: cpu %d remembers a load of %d for cpu %d",
                               p->ops->name, cpu, dc->estimate[of], of);
        if (dc->tick_ns > policy_now_ns(p))
            return hl_fail(err, HL_BAD_POLICY, "%s: the last tick of cpu %d is in the future",
                           p->ops->name, cpu);
    }
    return HL_OK;
}
