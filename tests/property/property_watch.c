/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * property_watch.c - see property_watch.h.
 */
#include "property_watch.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"

static void fault(struct property_watch *w, const char *format, ...) HL_PRINTF(2, 3);

static void fault(struct property_watch *w, const char *format, ...)
{
    va_list args;

    if (w->fault[0] != '\0')
        return;
    va_start(args, format);
    (void)vsnprintf(w->fault, sizeof(w->fault), format, args);
    va_end(args);
}

static void *need(void *block)
{
    if (block != NULL)
        return block;
    (void)fprintf(stderr, "property: out of memory for the events of a run\n");
    exit(6);
}

void property_watch_open(struct property_watch *w, const struct machine *m)
{
    *w = (struct property_watch){.machine = m, .cpu_count = m->cpu_count};
    w->cpus = need(hl_alloc((size_t)m->cpu_count, sizeof(*w->cpus)));
    for (int32_t cpu = 0; cpu < m->cpu_count; cpu++)
        w->cpus[cpu].task = TRACE_IDLE;
}

void property_watch_close(struct property_watch *w)
{
    hl_free(w->tasks);
    hl_free(w->cpus);
    *w = (struct property_watch){0};
}

static struct watch_task *task_of(struct property_watch *w, int32_t id)
{
    size_t before = w->task_count;

    if ((size_t)id >= before) {
        if (hl_grow(&w->tasks, &w->task_capacity, (size_t)id + 1, sizeof(*w->tasks), NULL) != HL_OK)
            (void)need(NULL);
        w->task_count = (size_t)id + 1;
        memset(w->tasks + before, 0, (w->task_count - before) * sizeof(*w->tasks));
    }
    return &w->tasks[id];
}

/* Both have been so since the later of the two began. */
static void idle_beside(struct property_watch *w, const struct watch_cpu *c,
                        const struct watch_task *t)
{
    int64_t both_ns = w->now_ns - HL_MAX(c->since_ns, t->since_ns);

    w->idle_beside_waiting_ns = HL_MAX(w->idle_beside_waiting_ns, both_ns);
}

static void leave_state(struct property_watch *w, struct watch_task *t, int32_t to_cpu)
{
    int64_t ns = w->now_ns - t->since_ns;

    switch (t->state) {
    case WATCH_RUNS: t->run_ns += ns; break;
    case WATCH_SLEEPS: t->sleep_ns += ns; break;
    case WATCH_WAITS:
        t->wait_ns += ns;
        t->woken_wait_ns += t->is_woken ? ns : 0;
        t->longest_wait_ns = HL_MAX(t->longest_wait_ns, ns);
        for (int32_t cpu = 0; cpu < w->cpu_count; cpu++)
            if (w->cpus[cpu].task == TRACE_IDLE && cpu != to_cpu)
                idle_beside(w, &w->cpus[cpu], t);
        break;
    case WATCH_UNBORN:
    case WATCH_DEAD: break;
    }
    t->since_ns = w->now_ns;
}

static void enter_state(struct property_watch *w, int32_t id, enum watch_state from,
                        enum watch_state to, int32_t to_cpu)
{
    struct watch_task *t = task_of(w, id);

    if (t->state != from)
        fault(w, "task %" PRId32 " goes from state %d to %d at %" PRId64 " ns but was in state %d",
              id, from, to, w->now_ns, t->state);
    leave_state(w, t, to_cpu);
    t->is_woken = to == WATCH_WAITS && from != WATCH_RUNS;
    t->state = to;
    t->cpu = to_cpu;
}

static void busy(struct property_watch *w, int32_t cpu, int32_t task)
{
    struct watch_cpu *c = &w->cpus[cpu];

    if (c->task != TRACE_IDLE)
        c->busy_ns += w->now_ns - c->since_ns;
    else
        for (size_t i = 0; i < w->task_count; i++)
            if (w->tasks[i].state == WATCH_WAITS)
                idle_beside(w, c, &w->tasks[i]);
    if ((c->task == TRACE_IDLE) != (task == TRACE_IDLE) || c->task != TRACE_IDLE)
        c->since_ns = w->now_ns;
    c->task = task;
}

static void see_switch(struct property_watch *w, const struct trace_event *e)
{
    static const enum watch_state to[] = {[TRACE_RUNNABLE] = WATCH_WAITS,
                                          [TRACE_SLEEPING] = WATCH_SLEEPS,
                                          [TRACE_UNINTERRUPTIBLE] = WATCH_SLEEPS,
                                          [TRACE_DEAD] = WATCH_DEAD};

    if (w->cpus[e->cpu].task != e->task)
        fault(w,
              "task %" PRId32 " leaves cpu %" PRId32 " at %" PRId64 " ns where task %" PRId32
              " ran",
              e->task, e->cpu, w->now_ns, w->cpus[e->cpu].task);
    if (e->task != TRACE_IDLE) {
        enter_state(w, e->task, WATCH_RUNS, to[e->state], -1);
        if (e->state == TRACE_RUNNABLE)
            w->tasks[e->task].involuntary++;
        else
            w->tasks[e->task].voluntary++;
        if (e->state == TRACE_DEAD) {
            w->tasks[e->task].died_ns = w->now_ns;
            w->alive--;
        }
    }
    busy(w, e->cpu, e->other);
    if (e->other != TRACE_IDLE)
        enter_state(w, e->other, WATCH_WAITS, WATCH_RUNS, e->cpu);
}

/* What has been so since the last event, goes on until at_ns. */
static void pass_time(struct property_watch *w, int64_t at_ns)
{
    const struct machine *m = w->machine;
    int64_t ns = at_ns - w->now_ns, idle_cpus = 0, waiting = 0, idle_cores = 0, crowded_cores = 0;

    w->now_ns = at_ns;
    if (ns == 0)
        return;
    for (size_t i = 0; i < w->task_count; i++)
        waiting += w->tasks[i].state == WATCH_WAITS;
    for (int32_t core = 0; core < m->core_count; core++) {
        int64_t busy_cpus = 0, cpus = m->core_first[core + 1] - m->core_first[core];

        for (int32_t i = m->core_first[core]; i < m->core_first[core + 1]; i++)
            busy_cpus += w->cpus[m->core_cpu[i]].task != TRACE_IDLE;
        idle_cpus += cpus - busy_cpus;
        idle_cores += busy_cpus == 0;
        crowded_cores += busy_cpus > 1;
        w->shared_cpu_ns += busy_cpus > 1 ? busy_cpus * ns : 0;
    }
    w->crowded_core_ns += HL_MIN(crowded_cores, idle_cores) * ns;
    w->idle_waiting_ns += HL_MIN(waiting, idle_cpus) * ns;
}

static void see(void *context, const struct trace_event *e)
{
    struct property_watch *w = context;
    struct watch_task *t;

    if (e->at_ns < w->now_ns)
        fault(w, "an event of %" PRId64 " ns comes after one of %" PRId64 " ns", e->at_ns,
              w->now_ns);
    pass_time(w, e->at_ns);
    switch (e->kind) {
    case TRACE_FORK:
        enter_state(w, e->task, WATCH_UNBORN, WATCH_WAITS, -1);
        t = task_of(w, e->task);
        t->born_ns = w->now_ns;
        t->died_ns = -1;
        t->parent = e->other;
        w->alive_max = HL_MAX(w->alive_max, ++w->alive);
        break;
    case TRACE_WAKE: enter_state(w, e->task, WATCH_SLEEPS, WATCH_WAITS, -1); break;
    case TRACE_SWITCH: see_switch(w, e); break;
    case TRACE_MIGRATE: task_of(w, e->task)->migrations++; break;
    case TRACE_EXEC:
    case TRACE_EXIT:
        if (task_of(w, e->task)->state != WATCH_RUNS)
            fault(w, "task %" PRId32 " execs or exits at %" PRId64 " ns and does not run", e->task,
                  w->now_ns);
        break;
    }
}

struct trace_sink property_watch_sink(struct property_watch *w)
{
    return (struct trace_sink){.event = see, .context = w};
}

void property_watch_end(struct property_watch *w, int64_t now_ns)
{
    pass_time(w, now_ns);
    for (size_t i = 0; i < w->task_count; i++)
        leave_state(w, &w->tasks[i], -1);
    for (int32_t cpu = 0; cpu < w->cpu_count; cpu++) {
        if (w->cpus[cpu].task != TRACE_IDLE)
            w->cpus[cpu].busy_ns += now_ns - w->cpus[cpu].since_ns;
        w->cpus[cpu].since_ns = now_ns;
    }
}
