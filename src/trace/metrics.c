/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics.c - set-up, the rare paths and the result of metrics.h.
 */
#include "trace/metrics.h"

#include <assert.h>

#include "base/units.h"

enum hl_status trace_metrics_init(struct trace_metrics *m, const struct machine *machine,
                                  size_t restricted_max, struct hl_arena *arena,
                                  struct hl_error *err)
{
    size_t cpus = (size_t)machine->cpu_count, cores = (size_t)machine->core_count;

    *m = (struct trace_metrics){.machine = machine,
                                .idle_cpu_count = machine->cpu_count,
                                .idle_core_count = machine->core_count,
                                .restricted_capacity = restricted_max};
    m->core_busy = hl_arena_alloc(arena, cores, sizeof(*m->core_busy));
    m->cpu_busy = hl_arena_alloc(arena, cpus, sizeof(*m->cpu_busy));
    m->core = hl_arena_alloc(arena, cpus, sizeof(*m->core));
    m->restricted = hl_arena_alloc(arena, restricted_max, sizeof(*m->restricted));
    if (m->core_busy == NULL || m->cpu_busy == NULL || m->core == NULL || m->restricted == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the metrics of %zu cpus", cpus);
    for (size_t cpu = 0; cpu < cpus; cpu++)
        m->core[cpu] = machine->cpu[cpu].core;
    return HL_OK;
}

int64_t trace_metrics_restricted_runnable(const struct trace_metrics *m)
{
    int64_t count = 0;

    for (int64_t i = 0; i < m->restricted_count; i++)
        for (int cpu = 0; cpu < m->machine->cpu_count; cpu++)
            if (!m->cpu_busy[cpu] && (m->restricted[i][cpu / 64] >> (cpu % 64) & 1) != 0) {
                count++;
                break;
            }
    return count;
}

void trace_metrics_unrestrict(struct trace_metrics *m, const uint64_t *allowed)
{
    for (int64_t i = 0; i < m->restricted_count; i++)
        if (m->restricted[i] == allowed) {
            m->restricted[i] = m->restricted[--m->restricted_count];
            return;
        }
    assert(false && "a task that did not wait stops waiting");
}

static double seconds(int64_t ns)
{
    return (double)ns / (double)HL_NS_PER_S;
}

void trace_metrics_store(const struct trace_metrics *m, struct run *run)
{
    int64_t migrations = 0;

    for (int d = MACHINE_SAME_CORE; d < MACHINE_DISTANCE_COUNT; d++)
        migrations += m->migrations[d];
    run_set(run, RUN_run_delay_task_s, seconds(m->run_delay_ns));
    run_set(run, RUN_wakeup_delay_task_s, seconds(m->wakeup_delay_ns));
    run_set(run, RUN_migrations, (double)migrations);
    run_set(run, RUN_migrations_core, (double)m->migrations[MACHINE_SAME_CORE]);
    run_set(run, RUN_migrations_package, (double)m->migrations[MACHINE_SAME_PACKAGE]);
    run_set(run, RUN_migrations_node, (double)m->migrations[MACHINE_SAME_NODE]);
    run_set(run, RUN_migrations_remote, (double)m->migrations[MACHINE_REMOTE_NODE]);
    run_set(run, RUN_refill_cpu_s, seconds(m->refill_ns));
    run_set(run, RUN_overhead_cpu_s, seconds(m->overhead_ns));
    run_set(run, RUN_idle_cpu_s, seconds(m->idle_cpu_ns));
    run_set(run, RUN_wasted_cpu_s, seconds(m->wasted_cpu_ns));
    run_set(run, RUN_crowded_core_s, seconds(m->crowded_core_ns));
    run_set(run, RUN_shared_cpu_s, seconds(m->shared_cpu_ns));
}
