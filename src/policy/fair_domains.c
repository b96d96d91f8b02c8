/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fair_domains.c - each cpu's chain of scheduling domains: SMT, MC, PKG, NUMA, from the inside out.
 *
 * Idea:    SMT spans the threads of a core, MC the cpus that share a last-level cache, PKG those of
 *          a memory node, NUMA all. A level that adds nothing to the one below is dropped. The
 *          groups of a domain are the spans of the level below.
 * Source:  spec modern 1.5.
 * Choices: one NUMA level: all nodes are equally far, nearer than 30. Balancing begins in the
 *          state of a machine long idle: intervals at their maximum, and all passes due. The cost of a newidle pass,
 *          0.5 us and 0.1 us per cpu, is assumed.
 */
#include "policy/fair_balance.h"

enum { NEWIDLE_COST_NS = 500, NEWIDLE_COST_PER_CPU_NS = 100 };

static const struct {
    int32_t imbalance_pct, cache_nice_tries;
} defaults[FAIR_LEVEL_COUNT] = {
    [FAIR_SMT] = {110, 0}, [FAIR_MC] = {117, 1}, [FAIR_PKG] = {117, 1}, [FAIR_NUMA] = {117, 2}};

static const enum machine_distance distance_of[FAIR_LEVEL_COUNT] = {
    [FAIR_SMT] = MACHINE_SAME_CORE,
    [FAIR_MC] = MACHINE_SAME_PACKAGE,
    [FAIR_PKG] = MACHINE_SAME_NODE,
    [FAIR_NUMA] = MACHINE_REMOTE_NODE};

struct build {      /* one level while it is built */
    int32_t *first; /* by cpu: the first cpu of its span */
    int32_t *size;  /* by first cpu */
    int32_t *start; /* by first cpu: of its span in `member` */
    int32_t *member;
    struct fair_span **span; /* by first cpu */
};

static enum hl_status no_memory(const struct policy *p, struct hl_error *err)
{
    return hl_fail(err, HL_NO_MEMORY, "out of memory for the domains of %d cpus",
                   policy_cpu_count(p));
}

/* The first cpu of the same span. last_first: by llc, all -1 on entry of a node. */
static void find_firsts(const struct policy *p, enum fair_level level, struct build *b,
                        int32_t *first_of_llc)
{
    const struct machine *m = policy_machine(p);

    for (int cpu = 0; cpu < policy_cpu_count(p); cpu++) {
        const struct machine_cpu *at = &m->cpu[cpu];

        switch (level) {
        case FAIR_SMT: b->first[cpu] = m->core_cpu[m->core_first[at->core]]; break;
        case FAIR_PKG: b->first[cpu] = m->node_cpu[m->node_first[at->node]]; break;
        case FAIR_MC:
        case FAIR_NUMA:
        case FAIR_LEVEL_COUNT: b->first[cpu] = 0; break;
        }
    }
    for (int node = 0; level == FAIR_MC && node < m->node_count; node++) {
        for (int llc = 0; llc < m->llc_count; llc++)
            first_of_llc[llc] = -1;
        for (int i = m->node_first[node]; i < m->node_first[node + 1]; i++) {
            int32_t *first = &first_of_llc[m->cpu[m->node_cpu[i]].llc];

            if (*first < 0)
                *first = m->node_cpu[i];
            b->first[m->node_cpu[i]] = *first;
        }
    }
}

/* Sorts the cpus by span. */
static void sort_members(const struct policy *p, struct build *b)
{
    int32_t total = 0;

    for (int cpu = 0; cpu < policy_cpu_count(p); cpu++)
        b->size[b->first[cpu]]++;
    for (int cpu = 0; cpu < policy_cpu_count(p); cpu++) {
        b->start[cpu] = total;
        total += b->size[cpu];
        b->size[cpu] = 0;
    }
    for (int cpu = 0; cpu < policy_cpu_count(p); cpu++) {
        int first = b->first[cpu];

        b->member[b->start[first] + b->size[first]++] = cpu;
    }
}

static int64_t capacity_of(const struct policy *p, int cpu)
{
    return policy_machine(p)->cpu[cpu].capacity;
}

static void fill_group(const struct policy *p, struct fair_group *g, const int32_t *cpu,
                       int32_t count, bool is_smt)
{
    *g = (struct fair_group){
        .cpu = cpu, .cpu_count = count, .min_capacity = INT64_MAX, .is_smt = is_smt};
    for (int i = 0; i < count; i++) {
        int64_t capacity = capacity_of(p, cpu[i]);

        g->capacity += capacity;
        g->min_capacity = HL_MIN(g->min_capacity, capacity);
        g->max_capacity = HL_MAX(g->max_capacity, capacity);
        g->core_count += policy_machine(p)->cpu[cpu[i]].thread == 0;
    }
    g->core_count = HL_MAX(g->core_count, 1);
}

/* below NULL: groups of one cpu. */
static struct fair_span *make_span(struct policy *p, enum fair_level level, const struct build *b,
                                   const struct build *below, int first)
{
    struct fair_span *span = policy_alloc(p, 1, sizeof(*span));
    const int32_t *cpu = &b->member[b->start[first]];
    int32_t count = b->size[first], groups = 0;
    int64_t least = INT64_MAX, most = 0;

    if (span == NULL)
        return NULL;
    for (int i = 0; i < count; i++)
        groups += below == NULL || below->first[cpu[i]] == cpu[i];
    *span = (struct fair_span){.level = level,
                               .cpu = cpu,
                               .cpu_count = count,
                               .distance = distance_of[level],
                               .newidle_cost_ns = NEWIDLE_COST_NS + NEWIDLE_COST_PER_CPU_NS * count,
                               .group = policy_alloc(p, (size_t)groups, sizeof(*span->group))};
    if (span->group == NULL)
        return NULL;
    for (int i = 0; i < count; i++) {
        struct fair_group *g = &span->group[span->group_count];

        if (below == NULL)
            fill_group(p, g, &cpu[i], 1, false);
        else if (below->first[cpu[i]] == cpu[i])
            fill_group(p, g, &below->member[below->start[cpu[i]]], below->size[cpu[i]],
                       level == FAIR_MC && below->size[cpu[i]] > 1);
        else
            continue;
        span->capacity += g->capacity;
        span->largest_group = HL_MAX(span->largest_group, g->cpu_count);
        least = HL_MIN(least, g->min_capacity);
        most = HL_MAX(most, g->max_capacity);
        span->group_count++;
    }
    span->is_asym = least != most;
    return span;
}

static int group_of(const struct fair_span *span, const struct build *below, int cpu)
{
    int first = below == NULL ? cpu : below->first[cpu];

    for (int i = 0; i < span->group_count; i++)
        if (span->group[i].cpu[0] == first)
            return i;
    return 0;
}

static void add_domain(struct policy *p, struct fair_cpu *c, struct fair_span *span, int group)
{
    struct fair_domain *d = &c->domain[c->domain_count];
    const struct fair *f = fair_of(p);

    *d = (struct fair_domain){.span = span,
                              .own_group = group,
                              .imbalance_pct = defaults[span->level].imbalance_pct,
                              .cache_nice_tries = defaults[span->level].cache_nice_tries,
                              .min_interval_ms = span->cpu_count,
                              .max_interval_ms = 2 * span->cpu_count,
                              .balance_interval_ms = 2 * span->cpu_count,
                              .busy_factor = 16,
                              .newidle_calls = 512,
                              .newidle_successes = 256,
                              .newidle_ratio = 512,
                              .prefer_sibling = c->domain_count > 0 && !span->is_asym,
                              .shares_llc = span->level <= FAIR_MC};
    /* The machine has been idle: all passes are long due, and the first busy tick brings them. */
    d->last_balance = -(int64_t)f->hz;
    c->domain_count++;
}

/* Tasks tolerated unbalanced between nodes; for the top level. */
static void set_imb_numa_nr(struct fair_cpu *c)
{
    int32_t llc_count = c->llc->cpu_count, value = 0, lowest = 0;

    for (int i = 0; i < c->domain_count; i++) {
        struct fair_span *span = c->domain[i].span;

        if (span->level <= FAIR_MC)
            continue;
        if (value == 0) {
            value = span->cpu_count / llc_count;
            if (value == 1)
                value = span->cpu_count / 8;
            value = HL_MAX(value, 1);
            lowest = span->cpu_count;
        }
        span->imb_numa_nr = value * HL_MAX(1, span->cpu_count / lowest);
    }
}

static enum hl_status alloc_level(struct policy *p, struct build *b, struct hl_error *err)
{
    size_t cpus = (size_t)policy_cpu_count(p);

    b->first = policy_alloc(p, cpus, sizeof(int32_t));
    b->size = policy_alloc(p, cpus, sizeof(int32_t));
    b->start = policy_alloc(p, cpus, sizeof(int32_t));
    b->member = policy_alloc(p, cpus, sizeof(int32_t));
    b->span = policy_alloc(p, cpus, sizeof(struct fair_span *));
    return b->first == NULL || b->size == NULL || b->start == NULL || b->member == NULL ||
                   b->span == NULL
               ? no_memory(p, err)
               : HL_OK;
}

static enum hl_status add_levels(struct policy *p, struct build *levels, struct hl_error *err)
{
    for (int cpu = 0; cpu < policy_cpu_count(p); cpu++) {
        struct fair_cpu *c = fair_cpu_of(p, cpu);

        for (int level = FAIR_SMT; level < FAIR_LEVEL_COUNT; level++) {
            struct build *b = &levels[level], *below = level == FAIR_SMT ? NULL : b - 1;
            int first = b->first[cpu];

            if (b->size[first] == (below == NULL ? 1 : below->size[below->first[cpu]]))
                continue;
            if (b->span[first] == NULL)
                b->span[first] = make_span(p, (enum fair_level)level, b, below, first);
            if (b->span[first] == NULL)
                return no_memory(p, err);
            add_domain(p, c, b->span[first], group_of(b->span[first], below, cpu));
        }
    }
    return HL_OK;
}

static enum hl_status init_llcs(struct policy *p, const struct build *mc, struct hl_error *err)
{
    struct fair *f = fair_of(p);

    f->llc = policy_alloc(p, (size_t)policy_cpu_count(p), sizeof(*f->llc));
    if (f->llc == NULL)
        return no_memory(p, err);
    for (int i = 0; i < policy_cpu_count(p); i++) {
        int cpu = mc->member[i], first = mc->first[cpu];
        struct fair_cpu *c = fair_cpu_of(p, cpu);

        c->llc_place = i - mc->start[first];
        c->llc = first == cpu ? &f->llc[f->llc_count++] : fair_cpu_of(p, first)->llc;
        if (first == cpu)
            *c->llc = (struct fair_llc){.cpu = &mc->member[mc->start[first]],
                                        .cpu_count = mc->size[first],
                                        .nr_idle_scan = mc->size[first],
                                        .has_idle_cores = policy_machine(p)->has_smt};
    }
    return HL_OK;
}

enum hl_status fair_domains_init(struct policy *p, struct hl_error *err)
{
    struct fair *f = fair_of(p);
    struct build levels[FAIR_LEVEL_COUNT];
    size_t words = ((size_t)policy_cpu_count(p) + 63) / 64;
    int32_t *llcs = policy_alloc(p, (size_t)policy_machine(p)->llc_count, sizeof(*llcs));

    f->nohz_mask = policy_alloc(p, words, sizeof(*f->nohz_mask));
    f->excluded = policy_alloc(p, words, sizeof(*f->excluded));
    f->group_stats = policy_alloc(p, (size_t)policy_cpu_count(p), fair_group_stats_bytes());
    if (llcs == NULL || f->nohz_mask == NULL || f->excluded == NULL || f->group_stats == NULL)
        return no_memory(p, err);
    for (int level = 0; level < FAIR_LEVEL_COUNT; level++) {
        HL_TRY(alloc_level(p, &levels[level], err));
        find_firsts(p, (enum fair_level)level, &levels[level], llcs);
        sort_members(p, &levels[level]);
        f->first_cpu[level] = levels[level].first;
    }
    HL_TRY(init_llcs(p, &levels[FAIR_MC], err));
    for (int cpu = 0; cpu < policy_cpu_count(p); cpu++) {
        struct fair_cpu *c = fair_cpu_of(p, cpu);

        c->cpu = cpu;
        c->queue.of = c;
        c->is_idle = true;
        c->capacity_orig = (int32_t)capacity_of(p, cpu);
        c->capacity = c->capacity_orig;
        c->avg_idle_ns = 2 * f->migration_cost_ns;
        c->idle_wakes.last_wakee = FAIR_NO_TASK;
        f->is_asym |= c->capacity_orig != capacity_of(p, 0);
        c->in_nohz = true;
        fair_mask_set(f->nohz_mask, cpu, true);
        f->nohz_count++;
    }
    HL_TRY(add_levels(p, levels, err));
    for (int cpu = 0; cpu < policy_cpu_count(p); cpu++)
        set_imb_numa_nr(fair_cpu_of(p, cpu));
    return HL_OK;
}

bool fair_spans(const struct policy *p, const struct fair_domain *d, int cpu)
{
    return fair_of(p)->first_cpu[d->span->level][cpu] == d->span->cpu[0];
}
