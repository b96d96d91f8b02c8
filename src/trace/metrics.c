/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics.c - set-up and the rare paths of metrics.h.
 */
#include "trace/metrics.h"

#include <assert.h>

/* Longer waits are only counted; below, quantiles are within 1 / 2^7, 0.8 %. */
static const struct stats_hist_options run_delay_options = {.top = RUN_DELAY_TOP_NS,
                                                            .precision_bits = 6};

enum hl_status trace_metrics_init(struct trace_metrics *m, const struct machine *machine,
                                  size_t restricted_max, struct hl_arena *arena,
                                  struct hl_error *err)
{
    size_t cpus = (size_t)machine->cpu_count, cores = (size_t)machine->core_count;
    uint64_t *buckets =
        hl_arena_alloc(arena, stats_hist_bucket_count(&run_delay_options), sizeof(*buckets));

    *m = (struct trace_metrics){.machine = machine,
                                .idle_cpu_count = machine->cpu_count,
                                .idle_core_count = machine->core_count,
                                .alone_rate = 1 << TRACE_RATE_SHIFT,
                                .restricted_capacity = restricted_max};
    m->core_busy = hl_arena_alloc(arena, cores, sizeof(*m->core_busy));
    m->cpu = hl_arena_alloc(arena, cpus, sizeof(*m->cpu));
    m->level = hl_arena_alloc(arena, cpus + 1, sizeof(*m->level));
    m->restricted = hl_arena_alloc(arena, restricted_max, sizeof(*m->restricted));
    if (buckets == NULL || m->core_busy == NULL || m->cpu == NULL || m->level == NULL ||
        m->restricted == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the metrics of %zu cpus", cpus);
    stats_hist_init(&m->run_delay, &run_delay_options, buckets);
    for (size_t cpu = 0; cpu < cpus; cpu++)
        m->cpu[cpu].core = machine->cpu[cpu].core;
    return HL_OK;
}

void trace_metrics_set_rates(struct trace_metrics *m, int64_t alone_rate, int64_t sibling_rate)
{
    m->alone_rate = alone_rate;
    m->sibling_rate = HL_MAX(sibling_rate, 0);
}

/* ---- losses of waiting tasks ---- */

static bool has_idle_cpu(const struct trace_metrics *m, const uint64_t *allowed)
{
    for (int cpu = 0; cpu < m->machine->cpu_count; cpu++)
        if (m->cpu[cpu].occupant == TRACE_NOBODY && (allowed[cpu / 64] >> (cpu % 64) & 1) != 0)
            return true;
    return false;
}

/* Waiting restricted tasks that an idle cpu could run; each of them notes the time. */
static int64_t count_restricted(const struct trace_metrics *m, int64_t dt_ns)
{
    int64_t count = 0;

    if (m->idle_cpu_count == 0)
        return 0;
    for (int64_t i = 0; i < m->restricted_count; i++)
        if (has_idle_cpu(m, m->restricted[i]->allowed)) {
            m->restricted[i]->idle_ns += dt_ns;
            count++;
        }
    return count;
}

static void lose(struct trace_level *level, enum trace_cause cause, int64_t dt_ns, int64_t rate)
{
    level->lost[cause] += trace_product(dt_ns, rate);
}

void trace_metrics_lose(struct trace_metrics *m, int64_t dt_ns)
{
    int64_t idle = m->idle_cpu_count;
    int64_t able = m->waiting_count + count_restricted(m, dt_ns); /* to run on an idle cpu */
    int64_t called = HL_MIN(m->called_cpu_count, able); /* they wait for their own cpu to react */
    int64_t work = m->work_waiting_count, work_able = HL_MIN(able, work);
    int64_t elsewhere, behind, free_cores, rate, cpus;
    struct trace_level *level;

    m->wasted_cpu_ns += dt_ns * HL_MIN(able - called, idle - called);
    /* The same of the workload's tasks, and those that wait while others have the cpus. */
    called = HL_MIN(called, work_able);
    elsewhere = HL_MIN(work_able - called, idle - called);
    behind = HL_MIN(work - called - elsewhere, m->other_cpu_count);
    cpus = m->work_cpu_count + called + elsewhere + behind;
    level = &m->level[cpus];
    free_cores = m->idle_core_count;
    if (called + elsewhere > 0) {
        int64_t cores = HL_MIN(called + elsewhere, free_cores); /* idle cores are taken first */

        free_cores -= cores;
        rate = cores * m->alone_rate + (called + elsewhere - cores) * m->sibling_rate;
        lose(level, TRACE_WAKEUP, dt_ns, rate * called / (called + elsewhere));
        lose(level, TRACE_WASTED, dt_ns, rate - rate * called / (called + elsewhere));
    }
    if (behind > 0) {
        rate = m->other_rate * behind / m->other_cpu_count;
        lose(level, TRACE_WAKEUP, dt_ns, rate * m->work_woken_count / work);
        lose(level, TRACE_PREEMPTED, dt_ns, rate - rate * m->work_woken_count / work);
    }
    trace_metrics_add(m, cpus, dt_ns, free_cores);
}

/* ---- changes ---- */

/* The cpu's part in the sums over busy cpus; sign -1 takes it out. */
static void count_occupant(struct trace_metrics *m, const struct trace_cpu *c, int sign)
{
    switch (c->occupant) {
    case TRACE_NOBODY: break;
    case TRACE_WORK:
        m->work_cpu_count += sign;
        m->work_rate += sign * c->rate;
        m->work_lost += sign * c->lost;
        break;
    case TRACE_OTHERS:
        m->other_cpu_count += sign;
        m->other_rate += sign * c->rate;
        break;
    }
}

static void turn_busy(struct trace_metrics *m, const struct trace_cpu *c)
{
    uint8_t *core = &m->core_busy[c->core];

    m->idle_cpu_count--;
    m->called_cpu_count -= c->queued > 0;
    if (++*core == 1) {
        m->idle_core_count--;
    } else if (*core == 2) {
        m->crowded_core_count++;
        m->crowded_cpu_count += 2;
    } else {
        m->crowded_cpu_count++;
    }
}

static void turn_idle(struct trace_metrics *m, const struct trace_cpu *c)
{
    uint8_t *core = &m->core_busy[c->core];

    m->idle_cpu_count++;
    m->called_cpu_count += c->queued > 0;
    if (--*core == 0) {
        m->idle_core_count++;
    } else if (*core == 1) {
        m->crowded_core_count--;
        m->crowded_cpu_count -= 2;
    } else {
        m->crowded_cpu_count--;
    }
}

void trace_metrics_occupy(struct trace_metrics *m, int64_t now_ns, int cpu,
                          enum trace_occupant occupant)
{
    struct trace_cpu *c = &m->cpu[cpu];

    if (c->occupant == occupant)
        return;
    trace_metrics_advance(m, now_ns);
    count_occupant(m, c, -1);
    if (c->occupant == TRACE_NOBODY)
        turn_busy(m, c);
    if (occupant == TRACE_NOBODY) {
        turn_idle(m, c);
        c->rate = c->lost = 0;
    }
    c->occupant = occupant;
    count_occupant(m, c, 1);
}

void trace_metrics_rate(struct trace_metrics *m, int64_t now_ns, int cpu, int64_t rate,
                        int64_t lost)
{
    struct trace_cpu *c = &m->cpu[cpu];

    trace_metrics_advance(m, now_ns);
    count_occupant(m, c, -1);
    c->rate = (int32_t)rate;
    c->lost = (int32_t)HL_MAX(lost, 0);
    c->idle_core_ns = m->idle_core_ns;
    count_occupant(m, c, 1);
}

void trace_metrics_requeue(struct trace_metrics *m, int64_t now_ns, struct trace_task *t, int cpu)
{
    struct trace_cpu *c = &m->cpu[cpu];

    trace_metrics_advance(m, now_ns);
    trace_metrics_unqueue(m, t->cpu);
    t->cpu = cpu;
    if (c->queued++ == 0 && c->occupant == TRACE_NOBODY)
        m->called_cpu_count++;
}

void trace_metrics_unrestrict(struct trace_metrics *m, const struct trace_task *t)
{
    for (int64_t i = 0; i < m->restricted_count; i++)
        if (m->restricted[i] == t) {
            m->restricted[i] = m->restricted[--m->restricted_count];
            return;
        }
    assert(false && "a task that waits is among those that wait");
}

void trace_metrics_wait_cut(struct trace_metrics *m, int64_t now_ns, const struct trace_task *t)
{
    int64_t waited_ns = now_ns - t->since_ns;

    m->run_delay_ns += waited_ns;
    m->wakeup_delay_ns += t->woken ? waited_ns : 0;
    m->longest_cut_ns = HL_MAX(m->longest_cut_ns, waited_ns);
}
