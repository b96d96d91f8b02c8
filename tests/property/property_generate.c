/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * property_generate.c - random cases that cannot deadlock and always end.
 *
 * What may wait for what is built so that it cannot close a circle: locks are nested in ascending
 * order and nothing but time is waited for while one is held; a pipe has readers that read to its end;
 * all tasks of a barrier pass it equally often; programs fork only earlier ones. Tasks without end are
 * in the background, and are hogs only under policies that declare to share time.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "base/units.h"
#include "property_case.h"
#include "property_declare.h"

enum { LOCKS = 3, LOOP_DEPTH_MAX = 2, WHOLE = 8, PARAM_BYTES_MAX = 200 };

struct generator {
    struct property_case *c;
    struct hl_rng rng;
    const struct property_declaration *declared;
    bool restricts;    /* some tasks have an affinity */
    bool has_realtime; /* some tasks are of class fifo or rr */
    bool has_kinds;    /* some work is of a kind of its own */
    int32_t children;  /* programs that may be forked: the first ones */
};

/* One program while it grows. */
struct growing {
    struct case_program *p;
    int32_t forkable; /* it may fork programs below this */
    int64_t times;    /* how often the present place is executed */
    int depth;
};

static int64_t below(struct generator *g, int64_t bound)
{
    return (int64_t)hl_rng_below(&g->rng, (uint64_t)bound);
}

static bool one_in(struct generator *g, int64_t n)
{
    return below(g, n) == 0;
}

/* Between 2^from and 2^to, each doubling as likely as any other; sometimes a whole millisecond. */
static int64_t some_ns(struct generator *g, int from, int to)
{
    int shift = from + (int)below(g, to - from);
    int64_t ns = (INT64_C(1) << shift) + below(g, INT64_C(1) << shift);

    if (ns > HL_NS_PER_MS && one_in(g, 4))
        ns -= ns % HL_NS_PER_MS;
    return ns;
}

static uint32_t some_cpus(struct generator *g)
{
    uint32_t all = (UINT32_C(1) << g->c->cpu_count) - 1, cpus;

    cpus = (uint32_t)hl_rng_next(&g->rng) & all;
    if (one_in(g, 2))
        cpus &= (uint32_t)hl_rng_next(&g->rng);
    return cpus == 0 ? UINT32_C(1) << below(g, g->c->cpu_count) : cpus;
}

/* ---- machine ---- */

static void make_topology(struct generator *g)
{
    struct property_case *c = g->c;
    int64_t threads = 1, cores, packages, nodes = 1;

    if (one_in(g, 2))
        threads = one_in(g, 3) ? 1 + below(g, 4) : 2;
    cores = 1 + below(g, 4);
    packages = 1 + below(g, 4);
    if (one_in(g, 4))
        nodes = 2 + below(g, 2);
    while (threads * cores * packages * nodes > CASE_CPUS_MAX) {
        int64_t *largest = &cores;

        if (packages > *largest)
            largest = &packages;
        if (nodes > *largest)
            largest = &nodes;
        if (threads > *largest)
            largest = &threads;
        --*largest;
    }
    c->cpu_count = (int32_t)(threads * cores * packages * nodes);
    if (nodes > 1)
        (void)snprintf(c->topology, sizeof(c->topology),
                       "node:%" PRId64 " pack:%" PRId64 " core:%" PRId64 " pu:%" PRId64, nodes,
                       packages, cores, threads);
    else
        (void)snprintf(c->topology, sizeof(c->topology),
                       "pack:%" PRId64 " core:%" PRId64 " pu:%" PRId64, packages, cores, threads);
    if (one_in(g, 5))
        for (int32_t cpu = 1; cpu < c->cpu_count; cpu++)
            c->capacity[cpu] = (int32_t)(one_in(g, 2) ? 0 : 1 + below(g, WHOLE));
}

/* Costs so large that a tick or a switch took longer than the time to the next one would never end. */
static int64_t cost_limit_ns(enum machine_constant constant)
{
    switch (constant) {
    case MACHINE_tick_cost_ns: return 50 * HL_NS_PER_US;
    case MACHINE_switch_cost_ns:
    case MACHINE_wakeup_cost_ns:
    case MACHINE_ipi_ns: return 200 * HL_NS_PER_US;
    case MACHINE_scan_cost_ns:
    case MACHINE_lock_cost_ns: return HL_NS_PER_US;
    default: return 2 * HL_NS_PER_MS;
    }
}

static void set_constant(struct generator *g, const char *name, int64_t value)
{
    struct property_case *c = g->c;

    if (c->constant_count < CASE_SETTINGS_MAX)
        (void)snprintf(c->constants[c->constant_count++].text, sizeof(c->constants[0].text),
                       "%s=%" PRId64, name, value);
}

/* `value` in percent. */
static void set_ratio(struct generator *g, const char *name, int64_t percent)
{
    struct property_case *c = g->c;

    if (c->constant_count < CASE_SETTINGS_MAX)
        (void)snprintf(c->constants[c->constant_count++].text, sizeof(c->constants[0].text),
                       "%s=%" PRId64 "%%", name, percent);
}

static void make_constants(struct generator *g)
{
    enum { FREE, DEFAULT, RANDOM } costs = FREE;

    if (one_in(g, 2))
        costs = one_in(g, 3) ? DEFAULT : RANDOM;
    for (int i = 0; i < MACHINE_CONSTANT_COUNT && costs != DEFAULT; i++) {
        const struct machine_constant_info *info = &machine_constant_table[i];
        int64_t limit_ns = cost_limit_ns((enum machine_constant)i);

        if (strcmp(info->unit, "ns") != 0 || i == MACHINE_disk_latency_ns)
            continue;
        if (costs == FREE)
            set_constant(g, info->name, 0);
        else if (one_in(g, 2))
            set_constant(g, info->name, below(g, limit_ns) >> below(g, 8));
    }
    set_constant(g, "disk_latency_ns", some_ns(g, 10, 23));
    if (costs == FREE)
        set_constant(g, "smt_cost", 0);
    if (one_in(g, 2))
        set_ratio(g, "smt_gain", below(g, 130) - 30);
    if (one_in(g, 3))
        set_constant(g, "disk_queue_depth", 1 + below(g, 4));
    if (g->has_kinds) {
        set_ratio(g, "smt_gain.memory", below(g, 130) - 30);
        set_ratio(g, "memory_streams", 30 + below(g, 400));
    }
    if (costs != RANDOM)
        return;
    if (one_in(g, 3))
        set_ratio(g, "memory_contention", below(g, 30));
    if (one_in(g, 3))
        set_ratio(g, "smp_cost", below(g, 20));
    if (one_in(g, 3))
        set_ratio(g, "speed", 20 + below(g, 300));
}

/* ---- policy ---- */

static int64_t some_value(struct generator *g, const struct policy_param_info *info)
{
    uint64_t range = (uint64_t)info->max - (uint64_t)info->min, value;

    if (one_in(g, 6))
        return one_in(g, 2) ? info->min : info->max;
    value = hl_rng_next(&g->rng) >> below(g, 64); /* each size as likely as any other */
    return (int64_t)((uint64_t)info->min + (range == UINT64_MAX ? value : value % (range + 1)));
}

/* The place-th of the words of "a|b|c"; *length 0: there are not so many. */
static const char *word_at(const char *choices, int64_t place, int *length)
{
    for (; place > 0 && choices != NULL; place--) {
        choices = strchr(choices, '|');
        if (choices != NULL)
            choices++;
    }
    *length = choices == NULL ? 0 : (int)strcspn(choices, "|");
    return choices;
}

static void print_flags(const struct policy_param_info *info, int64_t value, char *text,
                        size_t bytes)
{
    size_t used = 0;

    text[0] = '\0';
    for (int bit = 0; bit < 63 && used < bytes; bit++) {
        int length;
        const char *word = word_at(info->choices, bit, &length);

        if (length > 0 && (value >> bit & 1) != 0)
            used += (size_t)snprintf(text + used, bytes - used, "%s%.*s", used > 0 ? "+" : "",
                                     length, word);
    }
    if (used == 0)
        (void)snprintf(text, bytes, "none");
}

static void print_value(const struct policy_param_info *info, int64_t value, char *text,
                        size_t bytes)
{
    const char *word;
    int length;

    switch (info->type) {
    case PARAM_BOOL: (void)snprintf(text, bytes, "%s", value != 0 ? "y" : "n"); break;
    case PARAM_CHOICE:
        word = word_at(info->choices, value, &length);
        (void)snprintf(text, bytes, "%.*s", length, word == NULL ? "" : word);
        break;
    case PARAM_FLAGS: print_flags(info, value, text, bytes); break;
    case PARAM_DECIMAL:
        (void)snprintf(text, bytes, "%" PRId64 ".%06" PRId64, value / HL_PPM, value % HL_PPM);
        break;
    case PARAM_INT:
        /* Past what a plain number may say, the word for the largest value. */
        if (info->choices != NULL && value == info->max)
            (void)snprintf(text, bytes, "%s", info->choices);
        else
            (void)snprintf(text, bytes, "%" PRId64, value);
        break;
    case PARAM_DURATION: (void)snprintf(text, bytes, "%" PRId64 "ns", value); break;
    }
}

static void make_params(struct generator *g)
{
    struct property_case *c = g->c;
    struct policy_spec spec;
    size_t bytes = 0;
    bool many = one_in(g, 3);

    if (policy_spec_parse(&spec, c->policy, NULL) != HL_OK)
        return;
    for (int i = 0; spec.ops->params != NULL && spec.ops->params[i].name != NULL; i++) {
        const struct policy_param_info *info = &spec.ops->params[i];
        char value[96];
        int length;

        if (c->param_count == CASE_SETTINGS_MAX || bytes > PARAM_BYTES_MAX ||
            !one_in(g, many ? 2 : 6))
            continue;
        print_value(info, some_value(g, info), value, sizeof(value));
        length = snprintf(c->params[c->param_count].text, sizeof(c->params[0].text), "%s=%s",
                          info->name, value);
        if (length < 0 || (size_t)length >= sizeof(c->params[0].text))
            continue;
        c->param_count++;
        bytes += (size_t)length + 1;
    }
}

/* Task groups by weight; quotas leave cpus idle beside tasks that wait. */
static void make_groups(struct generator *g)
{
    struct property_case *c = g->c;
    struct policy_spec spec;

    if (policy_spec_parse(&spec, c->policy, NULL) != HL_OK || !spec.ops->groups || !one_in(g, 2))
        return;
    for (int64_t i = 1 + below(g, CASE_OBJECTS_MAX); i > 0; i--, c->group_count++) {
        c->groups[c->group_count].weight = (int32_t)(1 + below(g, one_in(g, 2) ? 10000 : 200));
        c->groups[c->group_count].parent = one_in(g, 2) ? 0 : (int32_t)below(g, c->group_count + 1);
        c->groups[c->group_count].is_idle = one_in(g, 6);
    }
}

/* ---- steps ---- */

static bool has_room(const struct growing *w, int steps)
{
    return w->p->step_count + steps <= CASE_STEPS_MAX - w->depth;
}

static void add(struct growing *w, enum program_op op, int32_t target, int64_t amount)
{
    w->p->steps[w->p->step_count++] =
        (struct case_step){.op = (uint8_t)op, .target = target, .amount = amount};
}

/* Loops do not make a program longer than it would be without them. */
static int64_t work_ns(struct generator *g, const struct growing *w)
{
    int64_t ns = some_ns(g, 8, 25);

    return HL_MAX(ns / w->times, 1);
}

static void add_sleep(struct generator *g, struct growing *w)
{
    add(w, OP_SLEEP, 0, work_ns(g, w));
    if (one_in(g, 3))
        w->p->steps[w->p->step_count - 1].spread = work_ns(g, w);
}

static void add_run(struct generator *g, struct growing *w)
{
    add(w, OP_RUN, 0, work_ns(g, w));
    if (g->has_kinds && one_in(g, 2))
        w->p->steps[w->p->step_count - 1].kind = (int32_t)below(g, MACHINE_KIND_COUNT);
}

/* A step that waits for nothing but time. */
static void add_simple(struct generator *g, struct growing *w)
{
    switch (below(g, 12)) {
    case 0:
    case 1: add_sleep(g, w); break;
    case 2: add(w, OP_SYSTEM, 0, work_ns(g, w)); break;
    case 3: add(w, OP_DISK, 0, 1 + below(g, 3)); break;
    case 4: add(w, OP_YIELD, 0, 0); break;
    case 5: add(w, OP_NICE, 0, below(g, 40) - 20); break;
    case 6:
        if (g->restricts) {
            add(w, OP_AFFINITY, 0, 0);
            w->p->steps[w->p->step_count - 1].cpus = one_in(g, 3) ? 0 : some_cpus(g);
            break;
        }
        add_run(g, w);
        break;
    default: add_run(g, w); break;
    }
}

static void add_locked(struct generator *g, struct growing *w)
{
    int32_t first = (int32_t)below(g, LOCKS), second = -1;

    if (first < LOCKS - 1 && one_in(g, 2))
        second = first + 1;
    if (!has_room(w, 6))
        return;
    add(w, OP_LOCK, first, 0);
    add_simple(g, w);
    if (second >= 0)
        add(w, OP_LOCK, second, 0);
    add_simple(g, w);
    if (second >= 0)
        add(w, OP_UNLOCK, second, 0);
    add(w, OP_UNLOCK, first, 0);
}

static void add_family(struct generator *g, struct growing *w)
{
    int64_t kids = 1 + below(g, 3);

    if (w->forkable == 0 || !has_room(w, (int)kids + 2)) {
        add_simple(g, w);
        return;
    }
    for (int64_t i = 0; i < kids; i++)
        add(w, one_in(g, 3) ? OP_VFORK : OP_FORK, (int32_t)below(g, w->forkable), 0);
    if (one_in(g, 2))
        add_simple(g, w);
    if (w->times > 1 || !one_in(g, 4))
        add(w, OP_WAIT, 0, one_in(g, 2) ? INT64_MAX : kids);
}

static void add_block(struct generator *g, struct growing *w, int64_t steps);

static void add_loop(struct generator *g, struct growing *w)
{
    int64_t outer = w->times, count = 2 + below(g, 8);

    if (w->depth == LOOP_DEPTH_MAX || !has_room(w, 6)) {
        add_simple(g, w);
        return;
    }
    add(w, OP_LOOP, 0, count);
    w->depth++;
    w->times *= count;
    add_block(g, w, 1 + below(g, 3));
    w->times = outer;
    w->depth--;
    add(w, (enum program_op)CASE_LOOP_END, 0, 0);
}

static void add_block(struct generator *g, struct growing *w, int64_t steps)
{
    for (int64_t i = 0; i < steps && has_room(w, 2); i++)
        switch (below(g, 10)) {
        case 0: add_locked(g, w); break;
        case 1: add_loop(g, w); break;
        case 2: add_family(g, w); break;
        default: add_simple(g, w); break;
        }
}

/* ---- programs and tasks ---- */

static struct growing begin_program(struct generator *g, bool is_task)
{
    struct case_program *p = &g->c->programs[g->c->program_count++];

    *p = (struct case_program){.is_task = is_task, .start_cpu = -1};
    return (struct growing){.p = p, .forkable = g->children, .times = 1};
}

static bool is_full(const struct generator *g)
{
    return g->c->program_count == CASE_PROGRAMS_MAX;
}

static void make_children(struct generator *g)
{
    int64_t count = below(g, 4);

    while (g->children < count) {
        struct growing w = begin_program(g, false);

        if (one_in(g, 2))
            add(&w, OP_EXEC, 0, 0);
        w.times = 2; /* it runs more than once, most likely */
        add_block(g, &w, 1 + below(g, 4));
        g->children++;
    }
}

static void dress(struct generator *g, struct case_program *p)
{
    p->at_ns = one_in(g, 2) ? 0 : some_ns(g, 8, 25);
    p->nice = (int32_t)(one_in(g, 2) ? 0 : below(g, 40) - 20);
    if (one_in(g, 8))
        p->class = (int32_t)(1 + below(g, 2));
    if (g->has_realtime && one_in(g, 3)) {
        p->class = (int32_t)(3 + below(g, 2));
        p->rt_priority = (int32_t)(1 + below(g, 99));
    }
    if (g->restricts && one_in(g, 2))
        p->cpus = some_cpus(g);
    if (one_in(g, 3))
        do
            p->start_cpu = (int32_t)below(g, g->c->cpu_count);
        while (p->cpus != 0 && (p->cpus >> p->start_cpu & 1) == 0);
    p->is_kernel = one_in(g, 10);
    if (g->c->group_count > 0)
        p->group = (int32_t)below(g, g->c->group_count + 1);
}

static void make_plain(struct generator *g)
{
    struct growing w = begin_program(g, true);

    dress(g, w.p);
    add_block(g, &w, 1 + below(g, 8));
}

/* A pipe that takes many turns to pass its bytes on takes long to play, too. */
static int64_t some_capacity(struct generator *g, int64_t bytes)
{
    return 1 + bytes / 16 + (below(g, 65536) >> below(g, 16));
}

/* Stages: each reads what the one before writes, to its end. */
static void make_pipeline(struct generator *g)
{
    struct property_case *c = g->c;
    int64_t stages = 2 + below(g, 3), bytes = 1 + (below(g, 1 << 20) >> below(g, 20));

    for (int64_t stage = 0; stage < stages && !is_full(g); stage++) {
        int32_t from = stage > 0 ? c->pipe_count - 1 : -1, to = -1;
        int64_t rounds = 1 + below(g, 6);
        struct growing w = begin_program(g, true);

        dress(g, w.p);
        if (stage < stages - 1 && c->pipe_count < CASE_OBJECTS_MAX && !is_full(g)) {
            to = c->pipe_count++;
            c->pipes[to].capacity_bytes = some_capacity(g, bytes);
            c->pipes[to].sync = one_in(g, 4);
        }
        add(&w, OP_LOOP, 0, rounds);
        w.times = rounds;
        w.depth = 1;
        if (from >= 0)
            add(&w, OP_READ, from, 1 + below(g, bytes));
        add_simple(g, &w);
        if (to >= 0)
            add(&w, OP_WRITE, to, 1 + below(g, bytes) / rounds);
        add(&w, (enum program_op)CASE_LOOP_END, 0, 0);
        if (from >= 0)
            add(&w, OP_READ, from, 100 * bytes + 100);
        if (to < 0)
            break;
    }
}

/* Several readers and writers of one pipe. All writers are there from the start: its end is then the end of the last. */
static void make_crowded_pipe(struct generator *g)
{
    struct property_case *c = g->c;
    int64_t writers = 1 + below(g, 3), readers = 1 + below(g, 3);
    int64_t bytes = 1 + (below(g, 1 << 16) >> below(g, 16));
    int32_t pipe = c->pipe_count;

    if (pipe == CASE_OBJECTS_MAX || c->program_count + writers + readers > CASE_PROGRAMS_MAX)
        return;
    c->pipe_count++;
    c->pipes[pipe].capacity_bytes = some_capacity(g, bytes);
    for (int64_t i = 0; i < writers + readers; i++) {
        struct growing w = begin_program(g, true);
        bool writes = i < writers;
        int64_t rounds = 1 + below(g, 4);

        dress(g, w.p);
        if (writes)
            w.p->at_ns = 0;
        add(&w, OP_LOOP, 0, rounds);
        w.times = rounds;
        w.depth = 1;
        add_simple(g, &w);
        add(&w, writes ? OP_WRITE : OP_READ, pipe, 1 + below(g, bytes));
        add(&w, (enum program_op)CASE_LOOP_END, 0, 0);
        if (!writes)
            add(&w, OP_READ, pipe, 100 * bytes + 100);
    }
}

static void make_barrier(struct generator *g)
{
    struct property_case *c = g->c;
    int64_t size = 2 + below(g, 4), passes = 1 + below(g, 4);

    if (c->barrier_count == CASE_OBJECTS_MAX || c->program_count + size > CASE_PROGRAMS_MAX)
        return;
    c->barriers[c->barrier_count].size = (int32_t)size;
    for (int64_t i = 0; i < size; i++) {
        struct growing w = begin_program(g, true);

        dress(g, w.p);
        for (int64_t pass = 0; pass < passes; pass++) {
            add_simple(g, &w);
            add(&w, OP_BARRIER, c->barrier_count, 0);
        }
        add_simple(g, &w);
    }
    c->barrier_count++;
}

/* Of a real-time class only with little to do: nothing bounds it. */
static void make_background(struct generator *g)
{
    bool is_hog =
        g->declared->shares_time && (!g->restricts || g->declared->shares_pinned) && one_in(g, 2);
    struct growing w = begin_program(g, true);

    dress(g, w.p);
    w.p->is_background = true;
    if (is_hog) {
        if (w.p->class >= CLASS_FIFO)
            w.p->class = w.p->rt_priority = 0;
        add(&w, OP_RUN, 0, INT64_MAX);
        return;
    }
    add(&w, OP_LOOP, 0, INT64_MAX);
    w.depth = 1;
    add(&w, one_in(g, 2) ? OP_SYSTEM : OP_RUN, 0, some_ns(g, 8, 19));
    if (one_in(g, 4) && w.p->class < CLASS_FIFO) {
        add(&w, OP_LOCK, 0, 0);
        add(&w, OP_RUN, 0, some_ns(g, 8, 17));
        add(&w, OP_UNLOCK, 0, 0);
    }
    add(&w, OP_SLEEP, 0, some_ns(g, 22, 26));
    w.p->steps[w.p->step_count - 1].spread = one_in(g, 2) ? 0 : some_ns(g, 10, 25);
    add(&w, (enum program_op)CASE_LOOP_END, 0, 0);
}

void property_case_generate(struct property_case *c, uint64_t seed, const char *policy)
{
    struct generator g = {
        .c = c, .rng = hl_rng_stream(seed, policy), .declared = property_declaration_find(policy)};
    int64_t plain;

    *c = (struct property_case){.seed = seed};
    (void)snprintf(c->policy, sizeof(c->policy), "%s", policy);
    g.has_kinds = one_in(&g, 6);
    make_topology(&g);
    make_constants(&g);
    make_params(&g);
    make_groups(&g);
    g.restricts = one_in(&g, 3);
    g.has_realtime = one_in(&g, 4);
    make_children(&g);
    plain = 1 + below(&g, 6);
    for (int64_t i = 0; i < plain; i++)
        make_plain(&g);
    if (one_in(&g, 3))
        make_pipeline(&g);
    if (one_in(&g, 6))
        make_crowded_pipe(&g);
    if (one_in(&g, 3))
        make_barrier(&g);
    for (int64_t i = one_in(&g, 2) ? below(&g, 4) : 0; i > 0 && !is_full(&g); i--)
        make_background(&g);
}
