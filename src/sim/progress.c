/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress.c - how far the running task of a cpu gets: rates, siblings, accounts.
 *
 * A cpu's rate changes only when a sibling turns busy or idle or the kind of work does (model M2), or, on machines
 * where memory is modelled, when a core turns busy or a package's memory is shared differently (M4). Between changes work is rate x time, an integer product.
 */
#include "sim/engine.h"

#include <assert.h>

/* M2: k busy threads deliver 1 + g (1 + 1/2 + ... + 1/(k-1)), shared equally; g by the kind of each one's work. */
static void init_shares(struct sim *s, int kind)
{
    static const enum machine_constant gains[MACHINE_KIND_COUNT] = {
        [MACHINE_KIND_usual] = MACHINE_smt_gain,
        [MACHINE_KIND_memory] = MACHINE_smt_gain_memory,
        [MACHINE_KIND_float] = MACHINE_smt_gain_float,
        [MACHINE_KIND_server] = MACHINE_smt_gain_server,
    };
    int64_t gain = machine_constant(s->machine, gains[kind]), total_ppm = HL_PPM;

    if (gain <= -HL_PPM) /* not given */
        gain = machine_constant(s->machine, MACHINE_smt_gain);
    for (int k = 1; k <= MACHINE_THREADS_PER_CORE_MAX; k++) {
        if (k > 1)
            total_ppm += gain / (k - 1);
        s->share_rate[kind][k] = HL_MAX(total_ppm, HL_PPM / 100) * RATE_ONE / HL_PPM / k;
    }
}

void progress_init_rates(struct sim *s)
{
    const struct machine *m = s->machine;
    int64_t speed = machine_constant(m, MACHINE_speed);
    int64_t divisor = HL_PPM + (m->has_smt ? machine_constant(m, MACHINE_smt_cost) : 0) +
                      (m->cpu_count > 1 ? machine_constant(m, MACHINE_smp_cost) : 0);
    int64_t full_rate = 0; /* the mean */

    for (int kind = 0; kind < MACHINE_KIND_COUNT; kind++)
        init_shares(s, kind);
    s->memory_streams_ppm = machine_constant(m, MACHINE_memory_streams);
    for (int cpu = 0; cpu < s->cpu_count; cpu++) {
        int64_t rate = RATE_ONE * speed / HL_PPM * m->cpu[cpu].capacity / 1024;

        rate = rate * HL_PPM / divisor;
        s->cpus[cpu].full_rate = HL_MAX(rate, 1);
        full_rate += s->cpus[cpu].full_rate;
        s->cpus[cpu].core = m->cpu[cpu].core;
    }
    if (s->contention_rate != NULL)
        for (int cores = 0; cores <= m->core_count; cores++) {
            int64_t others = HL_MAX(cores - 1, 0);

            s->contention_rate[cores] =
                RATE_ONE * HL_PPM /
                (HL_PPM + others * machine_constant(m, MACHINE_memory_contention));
        }
    full_rate /= m->cpu_count;
    trace_metrics_set_rates(&s->metrics, full_rate,
                            (2 * s->share_rate[MACHINE_KIND_usual][2] - RATE_ONE) * full_rate >>
                                RATE_SHIFT);
}

/* M4: what memory leaves of a rate. */
static int64_t in_memory(const struct sim *s, int cpu, int64_t rate)
{
    if (s->contention_rate != NULL)
        rate = rate * s->contention_rate[s->busy_cores] >> RATE_SHIFT;
    /* What a package serves is shared equally by those who wait for memory. */
    if (s->cpus[cpu].kind == MACHINE_KIND_memory && s->memory_streams_ppm > 0) {
        int64_t wanted_ppm = s->memory_tasks[s->machine->cpu[cpu].package] * HL_PPM;

        if (wanted_ppm > s->memory_streams_ppm)
            rate = rate * s->memory_streams_ppm / wanted_ppm;
    }
    return HL_MAX(rate, 1);
}

/* *lost: what busy siblings take from it. */
static int64_t rate_now(const struct sim *s, int cpu, int64_t *lost)
{
    int busy = s->metrics.core_busy[s->cpus[cpu].core];
    int64_t full = s->cpus[cpu].full_rate, rate;

    *lost = 0;
    if (busy <= 1)
        return in_memory(s, cpu, full);
    busy = HL_MIN(busy, MACHINE_THREADS_PER_CORE_MAX);
    rate = full * s->share_rate[s->cpus[cpu].kind][busy] >> RATE_SHIFT;
    rate = in_memory(s, cpu, rate);
    *lost = in_memory(s, cpu, full) - rate;
    return rate;
}

static void set_rate(struct sim *s, int cpu)
{
    int64_t lost;

    s->cpus[cpu].rate = rate_now(s, cpu, &lost);
    trace_metrics_rate(&s->metrics, s->now_ns, cpu, s->cpus[cpu].rate, lost);
}

void progress_sync(struct sim *s, int cpu)
{
    struct sim_cpu *c = &s->cpus[cpu];
    struct sim_task *t = sim_running(s, cpu);
    int64_t dt = s->now_ns - c->synced_ns, done, kernel, kernel_ns;

    if (dt == 0)
        return;
    c->synced_ns = s->now_ns;
    if (t == NULL)
        return;
    done = dt * c->rate;
    kernel = HL_MIN(t->debt, done);
    t->debt -= kernel;
    t->work_left -= done - kernel;
    /* Before a step has begun, what is left to do is a refill: user time (M6). */
    if (kernel == done || (t->step->op == OP_SYSTEM && t->step_begun)) {
        kernel_ns = dt;
    } else if (kernel == 0) {
        kernel_ns = 0;
    } else {
        kernel += t->system_rest;
        kernel_ns = HL_MIN(kernel / c->rate, dt);
        t->system_rest = kernel - kernel_ns * c->rate;
    }
    t->system_ns += kernel_ns;
    t->user_ns += dt - kernel_ns;
    t->warm_ns += dt;
    c->busy_ns += dt;
}

void progress_arm(struct sim *s, int cpu)
{
    struct sim_cpu *c = &s->cpus[cpu];
    struct sim_task *t = sim_running(s, cpu);
    int64_t left;

    assert(t != NULL);
    assert(c->synced_ns == s->now_ns);
    left = t->debt + HL_MAX(t->work_left, 0);
    if (t->work_left < 0)
        left = HL_MAX(t->debt + t->work_left, 0);
    step_ends_set(&s->step_ends, cpu, s->now_ns + (left + c->rate - 1) / c->rate);
}

static void retime(struct sim *s, int cpu)
{
    int64_t lost;

    if (sim_running(s, cpu) == NULL || rate_now(s, cpu, &lost) == s->cpus[cpu].rate)
        return;
    progress_sync(s, cpu);
    trace_metrics_ran(&s->metrics, s->now_ns, cpu, &sim_running(s, cpu)->trace);
    set_rate(s, cpu);
    progress_arm(s, cpu);
}

void progress_set_busy(struct sim *s, int cpu, bool busy)
{
    struct sim_cpu *c = &s->cpus[cpu];
    const struct machine *m = s->machine;
    int before = s->metrics.core_busy[c->core];

    trace_metrics_occupy(&s->metrics, s->now_ns, cpu,
                         !busy                                ? TRACE_NOBODY
                         : sim_running(s, cpu)->trace.is_work ? TRACE_WORK
                                                              : TRACE_OTHERS);
    if (c->busy == busy)
        return;
    c->busy = busy;
    c->busy_since_ns = s->now_ns;
    tick_ring_set_busy(&s->tick, cpu, busy);
    tick_ring_set_busy(&s->stat_tick, cpu, busy);
    if (!busy)
        c->rate = 0;
    if (before == (busy ? 0 : 1))
        s->busy_cores += busy ? 1 : -1;
    if (s->contention_rate != NULL && before == (busy ? 0 : 1)) {
        for (int other = 0; other < s->cpu_count; other++)
            if (other != cpu)
                retime(s, other);
    } else if (before + busy > 1) {
        for (int32_t i = m->core_first[c->core]; i < m->core_first[c->core + 1]; i++)
            if (m->core_cpu[i] != cpu)
                retime(s, m->core_cpu[i]);
    }
    if (busy)
        set_rate(s, cpu);
}

static void retime_package(struct sim *s, int package)
{
    const struct machine *m = s->machine;

    for (int32_t i = m->package_first[package]; i < m->package_first[package + 1]; i++)
        if (s->cpus[m->package_cpu[i]].kind == MACHINE_KIND_memory)
            retime(s, m->package_cpu[i]);
}

void progress_set_kind(struct sim *s, int cpu)
{
    const struct sim_task *t = sim_running(s, cpu);
    struct sim_cpu *c = &s->cpus[cpu];
    uint8_t kind = t == NULL ? MACHINE_KIND_usual : t->kind, before = c->kind;
    int package = s->machine->cpu[cpu].package;

    if (kind == before)
        return;
    c->kind = kind;
    retime(s, cpu);
    if (kind != MACHINE_KIND_memory && before != MACHINE_KIND_memory)
        return;
    s->memory_tasks[package] += kind == MACHINE_KIND_memory ? 1 : -1;
    retime_package(s, package);
}
