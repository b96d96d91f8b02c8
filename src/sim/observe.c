/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * observe.c - what can be seen of a run: figures of tasks and cpus on the way, the record at the end.
 */
#include "sim/engine.h"

#include <stdio.h>

int64_t sim_now_ns(const struct sim *s)
{
    return s->now_ns;
}

static struct sim_task *task_at(struct sim *s, int index)
{
    if (index >= 0 && (size_t)index < s->workload->task_count)
        return &s->tasks[index];
    return NULL;
}

/* Brings the step of a running task up to now; its end is timed anew, at the same time. */
static void sync_task(struct sim *s, const struct sim_task *t)
{
    if (t->pub.on_cpu >= 0) {
        progress_sync(s, t->pub.on_cpu);
        progress_arm(s, t->pub.on_cpu);
    }
}

static void fill(struct sim *s, struct sim_task *t, struct sim_task_figures *figures)
{
    bool waiting = t->state == TASK_RUNNABLE && t->pub.on_cpu < 0;

    sync_task(s, t);
    *figures = (struct sim_task_figures){
        .name = s->workload->names[t->name],
        .id = t->pub.id,
        .user_ns = t->user_ns,
        .system_ns = t->system_ns,
        .wait_ns = t->wait_ns + (waiting ? s->now_ns - t->trace.since_ns : 0),
        .started_ns = t->started_ns,
        .finish_ns = t->finish_ns,
        .voluntary = t->voluntary,
        .involuntary = t->involuntary,
        .migrations = t->migrations,
        .cpu = t->pub.last_cpu,
        .running = t->pub.on_cpu >= 0,
        .runnable = t->state == TASK_RUNNABLE,
    };
}

void sim_task_figures(struct sim *s, int index, struct sim_task_figures *figures)
{
    struct sim_task *t = task_at(s, index);

    if (t == NULL)
        *figures = (struct sim_task_figures){.name = "", .id = -1, .cpu = -1};
    else
        fill(s, t, figures);
}

bool sim_program_figures(struct sim *s, int program, struct sim_task_figures *figures)
{
    struct sim_task *t = s->first_of_program == NULL ? NULL : s->first_of_program[program];

    if (t == NULL)
        return false;
    fill(s, t, figures);
    return true;
}

int64_t sim_cpu_tasks(const struct sim *s, int cpu)
{
    return s->metrics.cpu[cpu].queued + (s->policy.running[cpu] != NULL);
}

int64_t sim_cpu_busy_ns(struct sim *s, int cpu)
{
    struct sim_task *t = sim_running(s, cpu);

    if (t != NULL)
        sync_task(s, t);
    return s->cpus[cpu].busy_ns;
}

int64_t sim_total_migrations(struct sim *s)
{
    int64_t total = 0;

    for (int d = MACHINE_SAME_CORE; d < MACHINE_DISTANCE_COUNT; d++)
        total += s->metrics.migrations[d];
    return total;
}

static bool probe(struct sim *s, const struct sim_task *t, const char *field, int64_t *value)
{
    return s->ops->probe != NULL &&
           s->ops->probe(&s->policy, t == NULL ? NULL : &t->pub, field, value);
}

bool sim_probe(struct sim *s, int index, const char *field, int64_t *value)
{
    struct sim_task *t = task_at(s, index);

    return (index < 0 || t != NULL) && probe(s, t, field, value);
}

bool sim_program_probe(struct sim *s, int program, const char *field, int64_t *value)
{
    struct sim_task *t = s->first_of_program == NULL ? NULL : s->first_of_program[program];

    return t != NULL && probe(s, t, field, value);
}

/* What balancing tried and did, by distance. */
static void store_balancing(const struct sim *s, struct run *run)
{
    static const enum run_metric metric[POLICY_EVENT_COUNT][MACHINE_DISTANCE_COUNT] = {
        [POLICY_BALANCE_ATTEMPT] = {[MACHINE_SAME_CORE] = RUN_balance_attempts_core,
                                    [MACHINE_SAME_PACKAGE] = RUN_balance_attempts_package,
                                    [MACHINE_SAME_NODE] = RUN_balance_attempts_node,
                                    [MACHINE_REMOTE_NODE] = RUN_balance_attempts_remote},
        [POLICY_BALANCE_MOVE] = {[MACHINE_SAME_CORE] = RUN_balance_moves_core,
                                 [MACHINE_SAME_PACKAGE] = RUN_balance_moves_package,
                                 [MACHINE_SAME_NODE] = RUN_balance_moves_node,
                                 [MACHINE_REMOTE_NODE] = RUN_balance_moves_remote}};

    for (int event = 0; event < POLICY_EVENT_COUNT; event++)
        for (int d = MACHINE_SAME_CORE; d < MACHINE_DISTANCE_COUNT; d++) {
            if (s->ops->balances)
                run_set(run, metric[event][d], (double)s->policy.events[event][d]);
            else
                run->reason[metric[event][d]] =
                    "this policy has no balancing between queues, or does not count it";
        }
}

void observe_result(struct sim *s, struct sim_result *result)
{
    struct run *run = &result->run;
    double elapsed_s = (double)s->now_ns / (double)HL_NS_PER_S, user_s, system_s;

    for (size_t i = 0; i < s->task_used; i++) {
        struct sim_task *t = &s->tasks[i];

        if (t->state == TASK_RUNNABLE && t->pub.on_cpu < 0)
            trace_metrics_wait_cut(&s->metrics, s->now_ns, &t->trace);
        if (t->background || t->state == TASK_UNBORN || t->state == TASK_GONE)
            continue;
        sync_task(s, t);
        s->user_ns += t->user_ns;
        s->system_ns += t->system_ns;
        s->voluntary += t->voluntary;
        s->involuntary += t->involuntary;
    }
    user_s = (double)s->user_ns / (double)HL_NS_PER_S;
    system_s = (double)s->system_ns / (double)HL_NS_PER_S;
    run_init(run, RUN_SIM, "not modelled");
    trace_metrics_store(&s->metrics, run);
    store_balancing(s, run);
    run_set(run, RUN_elapsed_s, elapsed_s);
    run_set(run, RUN_user_s, user_s);
    run_set(run, RUN_system_s, system_s);
    if (s->now_ns > 0)
        run_set(run, RUN_percent_cpu, 100 * (user_s + system_s) / elapsed_s);
    run_set(run, RUN_voluntary_switches, (double)s->voluntary);
    run_set(run, RUN_involuntary_switches, (double)s->involuntary);
    run_set(run, RUN_tasks, (double)s->next_id);
    if (s->compiler_name >= 0)
        run_set(run, RUN_peak_compilers, (double)s->compilers_peak);
    run->status = RUN_OK;
    result->elapsed_ns = s->now_ns;
    result->event_count = s->event_count;
    result->event_hash = s->event_hash;
    result->scan_count = s->scan_count;
}
