/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * checker.c - what must be true of every run: accounting sums, custody, one place per task.
 *
 * Run at the end always, after each event in checking runs.
 */
#include "sim/engine.h"

#include <inttypes.h>

/* Each moment is at exactly one level of parallelism. */
static enum hl_status check_levels(const struct sim *s, struct hl_error *err)
{
    int64_t sum_ns = 0;

    for (int cpus = 0; cpus <= s->cpu_count; cpus++)
        sum_ns += s->metrics.level[cpus].time_ns;
    if (sum_ns != s->now_ns)
        return hl_fail(err, HL_INTERNAL, "levels of parallelism last %" PRId64 " of %" PRId64 " ns",
                       sum_ns, s->now_ns);
    return HL_OK;
}

static enum hl_status check_cpus(struct sim *s, struct hl_error *err)
{
    int64_t busy = 0, idle;

    for (int cpu = 0; cpu < s->cpu_count; cpu++) {
        const struct sim_task *t = sim_running(s, cpu);

        busy += s->cpus[cpu].busy_ns;
        if (t != NULL)
            busy += s->now_ns - s->cpus[cpu].synced_ns;
        if (t != NULL && (t->state != TASK_RUNNABLE || t->pub.on_cpu != cpu))
            return hl_fail(err, HL_INTERNAL,
                           "task %" PRId32 " runs on cpu %d at %" PRId64
                           " ns but is in state %d on cpu %" PRId32,
                           t->pub.id, cpu, s->now_ns, t->state, t->pub.on_cpu);
        if (s->cpus[cpu].busy != (t != NULL) ||
            (s->metrics.cpu[cpu].occupant != TRACE_NOBODY) != (t != NULL))
            return hl_fail(err, HL_INTERNAL, "cpu %d is counted %s at %" PRId64 " ns but is %s",
                           cpu, s->cpus[cpu].busy ? "busy" : "idle", s->now_ns,
                           t != NULL ? "busy" : "idle");
    }
    trace_metrics_advance(&s->metrics, s->now_ns);
    idle = s->metrics.idle_cpu_ns;
    HL_TRY(check_levels(s, err));
    if (busy + idle != s->now_ns * s->cpu_count)
        return hl_fail(err, HL_INTERNAL,
                       "%" PRId64 " ns busy and %" PRId64 " ns idle are not %" PRId64
                       " ns on %d cpus",
                       busy, idle, s->now_ns, s->cpu_count);
    return HL_OK;
}

static enum hl_status check_tasks(struct sim *s, struct hl_error *err)
{
    int64_t foreground = 0, waiting = 0;
    int32_t last_id = -1;

    for (struct hl_link *link = s->live.first; link != NULL; link = link->next) {
        const struct sim_task *t = HL_LIST_ENTRY(link, struct sim_task, live);

        if (t->pub.id <= last_id)
            return hl_fail(err, HL_INTERNAL, "live tasks are out of order at task %" PRId32,
                           t->pub.id);
        last_id = t->pub.id;
        foreground += !t->background;
        waiting += t->state == TASK_RUNNABLE && t->pub.on_cpu < 0;
        if (t->pub.on_cpu >= 0 && sim_running(s, t->pub.on_cpu) != t)
            return hl_fail(err, HL_INTERNAL, "task %" PRId32 " believes to run on cpu %" PRId32,
                           t->pub.id, t->pub.on_cpu);
        if (t->state != TASK_RUNNABLE && t->state != TASK_BLOCKED)
            return hl_fail(err, HL_INTERNAL, "live task %" PRId32 " is in state %d", t->pub.id,
                           t->state);
    }
    for (size_t i = 0; i < s->workload->task_count; i++)
        foreground += s->tasks[i].state == TASK_UNBORN && !s->tasks[i].background;
    if (foreground != s->foreground_left)
        return hl_fail(err, HL_INTERNAL,
                       "%" PRId64 " foreground tasks have not ended, %" PRId64 " counted", foreground,
                       s->foreground_left);
    if (waiting != s->metrics.waiting_count + s->metrics.restricted_count)
        return hl_fail(err, HL_INTERNAL, "%" PRId64 " tasks wait, %" PRId64 " counted", waiting,
                       s->metrics.waiting_count + s->metrics.restricted_count);
    return HL_OK;
}

enum hl_status checker_run(struct sim *s, struct hl_error *err)
{
    HL_TRY(check_cpus(s, err));
    HL_TRY(check_tasks(s, err));
    return s->ops->check == NULL ? HL_OK : s->ops->check(&s->policy, err);
}
