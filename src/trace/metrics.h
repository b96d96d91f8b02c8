/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics.h - the figures of a schedule, defined once over what cpus and tasks do.
 *
 * The simulator calls these functions as it goes; a reader of recordings will call them event by
 * event. The caller keeps a struct trace_task per task (for recordings a pid map's job). All
 * integrals are exact sums of integers; rates are in 1/65536 of a cpu of speed 1.0.
 *
 * WHERE ELAPSED TIME WENT (docs/explain.md). At each moment some cpus could be busy with the
 * workload: those that are, and one more for each of its waiting tasks as long as there is a cpu
 * without one. What these cpus could do is the capacity of the moment; what they fail to do, or do
 * for something else, is lost to a cause. Sums are kept apart by the number of those cpus (struct
 * trace_level): a cpu-second lost while two cpus could be busy costs more time than one lost while
 * eight could.
 *
 * WHAT THE END WAITED FOR. Each task knows what was lost on the chain that led to it: by itself
 * since a task woke it last, by its waker before that, and so on to the start of the run. The chain
 * of the task that ends last says which losses the run had to wait for.
 */
#ifndef HL_TRACE_METRICS_H
#define HL_TRACE_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/units.h"
#include "machine/machine.h"
#include "run/run.h"
#include "stats/histogram.h"

enum { TRACE_RATE_SHIFT = 16 };

__extension__ typedef unsigned __int128 trace_sum; /* rate x time, summed over a run */

/* Whose task a cpu runs: TRACE_OTHERS are not of the workload. */
enum trace_occupant { TRACE_NOBODY, TRACE_WORK, TRACE_OTHERS };

enum trace_cause {
    TRACE_WASTED,    /* a cpu is idle while a task waits elsewhere that might run there */
    TRACE_CROWDED,   /* busy threads share a core while a whole core is idle */
    TRACE_WAKEUP,    /* a woken or forked task does not run yet: its own cpu is taken, or slow */
    TRACE_PREEMPTED, /* the same when another task was put in its place */
    TRACE_REFILL,    /* of caches after a move */
    TRACE_OVERHEAD,  /* switches, wake-ups, ticks, queue scans and locks */
    TRACE_CAUSE_COUNT
};

/* What was lost on the chain that led to a task. */
struct trace_chain {
    int64_t lost[TRACE_CAUSE_COUNT]; /* ns at speed 1.0; overhead: rate x time */
    int64_t crowded_rest;            /* below one ns: rate x time */
};

/* What is known of a task. One that was never runnable is zeroed, but for is_work. */
struct trace_task {
    struct trace_chain chain;
    /* while it waits: */
    const uint64_t *allowed; /* its mask, or NULL: everywhere */
    int64_t since_ns;
    int64_t idle_ns;   /* no mask: some_idle_ns at the start; else how long a cpu was idle for it */
    int32_t cpu;       /* whose queue it is in */
    bool woken;        /* it waits since a wake-up or fork */
    bool cpu_was_idle; /* when it began */
    bool is_work;      /* always: of the workload, not of its background */
};

struct trace_cpu {
    int64_t idle_core_ns; /* trace_metrics.idle_core_ns when its task was looked at last */
    int32_t rate;         /* of its task now */
    int32_t lost;         /* what busy siblings take from that rate */
    int32_t core;
    int32_t queued; /* tasks that wait in its queue */
    enum trace_occupant occupant;
};

/* Sums over the times at which so many cpus could be busy with the workload. */
struct trace_level {
    int64_t time_ns;
    trace_sum done; /* by the cpus that were */
    trace_sum lost[TRACE_CAUSE_COUNT];
};

struct trace_metrics {
    const struct machine *machine;
    int64_t now_ns;
    /* what is, now */
    int64_t waiting_count;      /* runnable, not running, allowed everywhere */
    int64_t restricted_count;   /* the same with an affinity mask: first entries of `restricted` */
    int64_t work_waiting_count; /* those of the workload */
    int64_t work_woken_count;   /* those of them that were woken or forked */
    int64_t idle_cpu_count;
    int64_t called_cpu_count;   /* idle with tasks in their own queue: not yet aware of it */
    int64_t idle_core_count;    /* no thread busy */
    int64_t crowded_core_count; /* two or more threads busy */
    int64_t crowded_cpu_count;  /* busy threads of crowded cores */
    int64_t work_cpu_count, other_cpu_count;  /* by occupant */
    int64_t work_rate, work_lost, other_rate; /* sums over these cpus */
    int64_t alone_rate;                       /* what one more task would do on an idle core, */
    int64_t sibling_rate;                     /* and beside a busy thread */
    struct trace_cpu *cpu;
    uint8_t *core_busy;             /* by core: busy threads */
    struct trace_task **restricted; /* waiting tasks with a mask */
    size_t restricted_capacity;
    /* sums */
    struct trace_level *level;          /* by number of cpus, 0 .. cpu_count */
    int64_t some_idle_ns, idle_core_ns; /* some cpu was idle; some whole core was */
    int64_t idle_cpu_ns, wasted_cpu_ns, crowded_core_ns, shared_cpu_ns, run_delay_ns,
        wakeup_delay_ns;
    int64_t migrations[MACHINE_DISTANCE_COUNT], refill_ns[MACHINE_DISTANCE_COUNT];
    int64_t refill, overhead, other_overhead; /* rate x time, of the workload and of others */
    int64_t booked_refill, booked_overhead;   /* the part of them that is in a level */
    int64_t longest_cut_ns;                   /* longest wait that did not end */
    struct stats_hist run_delay;
    struct trace_chain last; /* of the task the run ended with */
    bool has_ended;
};

/* All cpus idle at time 0. `restricted_max`: tasks at one time. */
enum hl_status trace_metrics_init(struct trace_metrics *m, const struct machine *machine,
                                  size_t restricted_max, struct hl_arena *arena,
                                  struct hl_error *err) HL_MUST_CHECK;
/* Of a cpu, on the mean, whose siblings are idle; what a core does more when a second thread is
 * busy. */
void trace_metrics_set_rates(struct trace_metrics *m, int64_t alone_rate, int64_t sibling_rate);

/* dt_ns with waiting tasks of which some might have run: the rare part of trace_metrics_advance. */
void trace_metrics_lose(struct trace_metrics *m, int64_t dt_ns);

static inline trace_sum trace_product(int64_t dt_ns, int64_t rate)
{
    return (trace_sum)(uint64_t)dt_ns * (uint64_t)rate;
}

/* dt_ns in which so many cpus could be busy and so many cores stay idle. */
static inline void trace_metrics_add(struct trace_metrics *m, int64_t cpus, int64_t dt_ns,
                                     int64_t free_cores)
{
    struct trace_level *level = &m->level[cpus];

    level->time_ns += dt_ns;
    if (cpus == 0)
        return;
    level->done += trace_product(dt_ns, m->work_rate);
    if (free_cores > 0 && m->work_lost > 0) {
        /* One thread of each shared core may stay, the others could have a core each. */
        int64_t surplus = (m->machine->cpu_count - m->idle_cpu_count) -
                          (m->machine->core_count - m->idle_core_count);

        level->lost[TRACE_CROWDED] += trace_product(
            dt_ns, surplus <= free_cores ? m->work_lost : m->work_lost * free_cores / surplus);
    }
    /* What began since the last change of what is, is done now. */
    level->lost[TRACE_REFILL] += (uint64_t)(m->refill - m->booked_refill);
    level->lost[TRACE_OVERHEAD] += (uint64_t)(m->overhead - m->booked_overhead);
    m->booked_refill = m->refill;
    m->booked_overhead = m->overhead;
}

/* Brings the integrals up to now_ns; called before any change of what is. */
static inline void trace_metrics_advance(struct trace_metrics *m, int64_t now_ns)
{
    int64_t dt_ns = now_ns - m->now_ns;

    /* What is pending is booked before a change even if no time has passed: where it goes must not
     * depend on who else looked at this time. */
    if (dt_ns == 0 && m->refill == m->booked_refill && m->overhead == m->booked_overhead)
        return;
    m->now_ns = now_ns;
    m->idle_cpu_ns += dt_ns * m->idle_cpu_count;
    m->some_idle_ns += m->idle_cpu_count > 0 ? dt_ns : 0;
    m->idle_core_ns += m->idle_core_count > 0 ? dt_ns : 0;
    m->crowded_core_ns += dt_ns * HL_MIN(m->crowded_core_count, m->idle_core_count);
    m->shared_cpu_ns += dt_ns * m->crowded_cpu_count;
    if (m->waiting_count + m->restricted_count > 0 && m->idle_cpu_count + m->other_cpu_count > 0)
        trace_metrics_lose(m, dt_ns);
    else
        trace_metrics_add(m, m->work_cpu_count, dt_ns, m->idle_core_count);
}

/* A task of the workload, or of others, has the cpu from now on; or nobody. */
void trace_metrics_occupy(struct trace_metrics *m, int64_t now_ns, int cpu,
                          enum trace_occupant occupant);

/* The task on cpu goes on at that rate; it would be `lost` more if its siblings were idle. */
void trace_metrics_rate(struct trace_metrics *m, int64_t now_ns, int cpu, int64_t rate,
                        int64_t lost);

static inline int64_t trace_metrics_idle_core_ns(const struct trace_metrics *m, int64_t now_ns)
{
    return m->idle_core_ns + (m->idle_core_count > 0 ? now_ns - m->now_ns : 0);
}

/* t has run on cpu until now; called before its rate changes and before it leaves. */
static inline void trace_metrics_ran(struct trace_metrics *m, int64_t now_ns, int cpu,
                                     struct trace_task *t)
{
    struct trace_cpu *c = &m->cpu[cpu];
    int64_t idle_core_ns;
    trace_sum lost;

    if (c->lost == 0 || (m->idle_core_count == 0 && m->idle_core_ns == c->idle_core_ns))
        return;
    idle_core_ns = trace_metrics_idle_core_ns(m, now_ns);
    lost = trace_product(idle_core_ns - c->idle_core_ns, c->lost) + (uint64_t)t->chain.crowded_rest;
    t->chain.lost[TRACE_CROWDED] += (int64_t)(lost >> TRACE_RATE_SHIFT);
    t->chain.crowded_rest = (int64_t)(lost & ((1 << TRACE_RATE_SHIFT) - 1));
    c->idle_core_ns = idle_core_ns;
}

/* A task begins to wait in the queue of cpu. */
static inline void trace_metrics_wait(struct trace_metrics *m, int64_t now_ns, struct trace_task *t,
                                      int cpu, const uint64_t *allowed, bool woken)
{
    struct trace_cpu *c = &m->cpu[cpu];

    trace_metrics_advance(m, now_ns);
    t->since_ns = now_ns;
    t->cpu = cpu;
    t->woken = woken;
    t->cpu_was_idle = c->occupant == TRACE_NOBODY;
    t->allowed = allowed;
    if (allowed == NULL) {
        m->waiting_count++;
        t->idle_ns = m->some_idle_ns;
    } else {
        m->restricted[m->restricted_count++] = t;
        t->idle_ns = 0;
    }
    m->work_waiting_count += t->is_work;
    m->work_woken_count += t->is_work && woken;
    if (c->queued++ == 0 && t->cpu_was_idle)
        m->called_cpu_count++;
}

static inline void trace_metrics_unqueue(struct trace_metrics *m, int cpu)
{
    struct trace_cpu *c = &m->cpu[cpu];

    if (--c->queued == 0 && c->occupant == TRACE_NOBODY)
        m->called_cpu_count--;
}

/* It waits on, in the queue of another cpu. */
void trace_metrics_requeue(struct trace_metrics *m, int64_t now_ns, struct trace_task *t, int cpu);

void trace_metrics_unrestrict(struct trace_metrics *m, const struct trace_task *t);

/* It runs; returns how long it waited. */
static inline int64_t trace_metrics_wait_end(struct trace_metrics *m, int64_t now_ns,
                                             struct trace_task *t)
{
    int64_t waited_ns = now_ns - t->since_ns, idle_ns = t->idle_ns;

    trace_metrics_advance(m, now_ns);
    if (t->allowed == NULL) {
        m->waiting_count--;
        idle_ns = m->some_idle_ns - idle_ns;
    } else {
        trace_metrics_unrestrict(m, t);
        idle_ns = t->idle_ns;
    }
    /* A cpu idle from the start is its own, on its way: a slow reaction, not a bad place. */
    idle_ns = t->cpu_was_idle ? 0 : idle_ns;
    t->chain.lost[TRACE_WASTED] += idle_ns;
    t->chain.lost[t->woken ? TRACE_WAKEUP : TRACE_PREEMPTED] += waited_ns - idle_ns;
    m->work_waiting_count -= t->is_work;
    m->work_woken_count -= t->is_work && t->woken;
    trace_metrics_unqueue(m, t->cpu);
    m->run_delay_ns += waited_ns;
    m->wakeup_delay_ns += t->woken ? waited_ns : 0;
    stats_hist_add(&m->run_delay, waited_ns);
    return waited_ns;
}

/* It still waits at the end of the run: part of sum and maximum, not of the quantiles. */
void trace_metrics_wait_cut(struct trace_metrics *m, int64_t now_ns, const struct trace_task *t);

/* Kernel work (rate x time) that t, which runs, has to do before it goes on. */
static inline void trace_metrics_overhead(struct trace_metrics *m, struct trace_task *t,
                                          int64_t work)
{
    if (!t->is_work) {
        m->other_overhead += work;
        return;
    }
    m->overhead += work;
    t->chain.lost[TRACE_OVERHEAD] += work;
}

/* Kernel work on an idle cpu; what the next task has to do of it is taken back here. */
static inline void trace_metrics_idle_overhead(struct trace_metrics *m, int64_t work)
{
    m->other_overhead += work;
}

/* The task goes on on another cpu and has caches to refill. */
static inline void trace_metrics_migrate(struct trace_metrics *m, struct trace_task *t,
                                         enum machine_distance distance, int64_t refill_ns)
{
    m->migrations[distance]++;
    m->refill_ns[distance] += refill_ns;
    if (!t->is_work)
        return;
    m->refill += refill_ns << TRACE_RATE_SHIFT;
    t->chain.lost[TRACE_REFILL] += refill_ns;
}

/* t had to wait for the waker, which runs on cpu, or begins with it: its chain is the waker's. */
static inline void trace_metrics_follow(struct trace_metrics *m, int64_t now_ns,
                                        struct trace_task *t, int cpu, struct trace_task *waker)
{
    trace_metrics_ran(m, now_ns, cpu, waker);
    t->chain = waker->chain;
}

/* The run ends with t, on cpu. */
static inline void trace_metrics_end(struct trace_metrics *m, int64_t now_ns, int cpu,
                                     struct trace_task *t)
{
    trace_metrics_ran(m, now_ns, cpu, t);
    m->last = t->chain;
    m->has_ended = true;
}

/* Writes the schedule's metrics into a run record (not times and switches of tasks: which tasks
 * count is the caller's affair). */
void trace_metrics_store(const struct trace_metrics *m, struct run *run);

#endif
