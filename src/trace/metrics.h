/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics.h - the figures of a schedule, defined once over what cpus and tasks do.
 *
 * The simulator calls these functions as it goes; a reader of recordings will call them event by event.
 * Tasks appear as places: small numbers from 0, used again after a task is gone (a pid map's job for recordings).
 * All integrals are exact sums of integer nanoseconds.
 */
#ifndef HL_TRACE_METRICS_H
#define HL_TRACE_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "machine/machine.h"
#include "run/run.h"

struct trace_metrics {
    const struct machine *machine;
    int64_t now_ns;
    /* what is, now */
    int64_t waiting_count;    /* runnable, not running, allowed everywhere */
    int64_t restricted_count; /* the same with an affinity mask: first entries of `restricted` */
    int64_t idle_cpu_count;
    int64_t idle_core_count;     /* no thread busy */
    int64_t crowded_core_count;  /* two or more threads busy */
    int64_t crowded_cpu_count;   /* busy threads of crowded cores */
    uint8_t *core_busy;          /* by core: busy threads */
    bool *cpu_busy;              /* by cpu */
    int32_t *core;               /* by cpu: its core, dense copy for the hot path */
    const uint64_t **restricted; /* masks of waiting restricted tasks */
    size_t restricted_capacity;
    /* sums */
    int64_t idle_cpu_ns, wasted_cpu_ns, crowded_core_ns, shared_cpu_ns, run_delay_ns,
        wakeup_delay_ns;
    int64_t migrations[MACHINE_DISTANCE_COUNT];
    int64_t refill_ns, overhead_ns;
};

/* All cpus idle at time 0. `restricted_max`: tasks at one time. */
enum hl_status trace_metrics_init(struct trace_metrics *m, const struct machine *machine,
                                  size_t restricted_max, struct hl_arena *arena,
                                  struct hl_error *err) HL_MUST_CHECK;

/* Waiting restricted tasks that an idle cpu could run. */
int64_t trace_metrics_restricted_runnable(const struct trace_metrics *m);

/* Brings the integrals up to now_ns; call before any change of what is. */
static inline void trace_metrics_advance(struct trace_metrics *m, int64_t now_ns)
{
    int64_t dt = now_ns - m->now_ns;
    int64_t waiting = m->waiting_count;

    if (dt == 0)
        return;
    m->now_ns = now_ns;
    if (m->restricted_count > 0)
        waiting += trace_metrics_restricted_runnable(m);
    m->idle_cpu_ns += dt * m->idle_cpu_count;
    m->wasted_cpu_ns += dt * (waiting < m->idle_cpu_count ? waiting : m->idle_cpu_count);
    m->crowded_core_ns += dt * (m->crowded_core_count < m->idle_core_count ? m->crowded_core_count
                                                                           : m->idle_core_count);
    m->shared_cpu_ns += dt * m->crowded_cpu_count;
}

/* A cpu turns busy or idle. */
static inline void trace_metrics_cpu(struct trace_metrics *m, int64_t now_ns, int cpu, bool busy)
{
    uint8_t *core;

    if (m->cpu_busy[cpu] == busy)
        return;
    trace_metrics_advance(m, now_ns);
    m->cpu_busy[cpu] = busy;
    core = &m->core_busy[m->core[cpu]];
    if (busy) {
        m->idle_cpu_count--;
        if (++*core == 1)
            m->idle_core_count--;
        else if (*core == 2) {
            m->crowded_core_count++;
            m->crowded_cpu_count += 2;
        } else
            m->crowded_cpu_count++;
    } else {
        m->idle_cpu_count++;
        if (--*core == 0)
            m->idle_core_count++;
        else if (*core == 1) {
            m->crowded_core_count--;
            m->crowded_cpu_count -= 2;
        } else
            m->crowded_cpu_count--;
    }
}

/* A task begins to wait for a cpu; allowed: its mask or NULL. */
static inline void trace_metrics_wait(struct trace_metrics *m, int64_t now_ns,
                                      const uint64_t *allowed)
{
    trace_metrics_advance(m, now_ns);
    if (allowed == NULL)
        m->waiting_count++;
    else
        m->restricted[m->restricted_count++] = allowed;
}

/* It stops waiting after waited_ns; woken: the wait began with a wake-up or fork, not a preemption. */
void trace_metrics_unrestrict(struct trace_metrics *m, const uint64_t *allowed);
static inline void trace_metrics_wait_end(struct trace_metrics *m, int64_t now_ns,
                                          const uint64_t *allowed, int64_t waited_ns, bool woken)
{
    trace_metrics_advance(m, now_ns);
    if (allowed == NULL)
        m->waiting_count--;
    else
        trace_metrics_unrestrict(m, allowed);
    m->run_delay_ns += waited_ns;
    if (woken)
        m->wakeup_delay_ns += waited_ns;
}

/* Writes the schedule's metrics into a run record (not times and switches of tasks: which tasks count is the caller's affair). */
void trace_metrics_store(const struct trace_metrics *m, struct run *run);

#endif
