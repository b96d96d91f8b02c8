/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elapsed.c - the sums of a schedule as metrics of a run: integrals, quantiles, and where the
 * elapsed time went.
 *
 * docs/explain.md: of the time at which n cpus could be busy, a cause gets the part that it has in
 * their capacity, which is what they did plus what was lost. What is left is the work itself. So
 * the parts are never negative and their sum is the elapsed time.
 */
#include "trace/metrics.h"

static double seconds(int64_t ns)
{
    return (double)ns / (double)HL_NS_PER_S;
}

/* Adds to `part_s` what the causes have of the level's time; returns the rest: the work itself. */
static double split_level(const struct trace_level *level, double part_s[TRACE_CAUSE_COUNT])
{
    double time_s = seconds(level->time_ns), done = (double)level->done, capacity = done, work;
    double extra = (double)level->lost[TRACE_REFILL] + (double)level->lost[TRACE_OVERHEAD];
    /* Overhead is booked when it begins; what is more than was done belongs to a neighbour. */
    double fits = extra > done ? done / extra : 1;

    for (int cause = 0; cause < TRACE_REFILL; cause++)
        capacity += (double)level->lost[cause];
    if (capacity <= 0)
        return time_s;
    work = time_s;
    for (int cause = 0; cause < TRACE_CAUSE_COUNT; cause++) {
        double part = time_s * (double)level->lost[cause] / capacity;

        part *= cause >= TRACE_REFILL ? fits : 1;
        part_s[cause] += part;
        work -= part;
    }
    return work;
}

static void store_parts(const struct trace_metrics *m, struct run *run)
{
    static const enum run_metric metric[TRACE_CAUSE_COUNT] = {
        [TRACE_WASTED] = RUN_elapsed_wasted_s, [TRACE_CROWDED] = RUN_elapsed_crowded_s,
        [TRACE_WAKEUP] = RUN_elapsed_wakeup_s, [TRACE_PREEMPTED] = RUN_elapsed_preempted_s,
        [TRACE_REFILL] = RUN_elapsed_refill_s, [TRACE_OVERHEAD] = RUN_elapsed_overhead_s};
    double part_s[TRACE_CAUSE_COUNT] = {0}, work_s = 0;

    for (int cpus = 1; cpus <= m->machine->cpu_count; cpus++)
        work_s += split_level(&m->level[cpus], part_s);
    run_set(run, RUN_elapsed_work_s, work_s);
    run_set(run, RUN_elapsed_asleep_s, seconds(m->level[0].time_ns));
    for (int cause = 0; cause < TRACE_CAUSE_COUNT; cause++)
        run_set(run, metric[cause], part_s[cause]);
}

static void store_chain(const struct trace_metrics *m, struct run *run)
{
    static const enum run_metric metric[TRACE_CAUSE_COUNT] = {
        [TRACE_WASTED] = RUN_chain_wasted_s, [TRACE_CROWDED] = RUN_chain_crowded_s,
        [TRACE_WAKEUP] = RUN_chain_wakeup_s, [TRACE_PREEMPTED] = RUN_chain_preempted_s,
        [TRACE_REFILL] = RUN_chain_refill_s, [TRACE_OVERHEAD] = RUN_chain_overhead_s};
    double slowness = (double)(1 << TRACE_RATE_SHIFT) / (double)m->alone_rate;

    for (int cause = 0; cause < TRACE_CAUSE_COUNT; cause++) {
        bool is_wait = cause == TRACE_WASTED || cause == TRACE_WAKEUP || cause == TRACE_PREEMPTED;
        int64_t lost_ns = m->last.lost[cause];

        if (cause == TRACE_OVERHEAD)
            lost_ns >>= TRACE_RATE_SHIFT;
        if (m->has_ended)
            run_set(run, metric[cause], seconds(lost_ns) * (is_wait ? 1 : slowness));
        else
            run->reason[metric[cause]] = "the run was cut: no task ended it";
    }
}

static void store_run_delay(const struct trace_metrics *m, struct run *run)
{
    static const struct {
        enum run_metric metric;
        double q;
    } quantiles[] = {
        {RUN_run_delay_p50_s, 0.5}, {RUN_run_delay_p95_s, 0.95}, {RUN_run_delay_p99_s, 0.99}};
    int64_t longest_ns = HL_MAX(m->run_delay.max, m->longest_cut_ns);

    run_set(run, RUN_run_delay_task_s, seconds(m->run_delay_ns));
    run_set(run, RUN_wakeup_delay_task_s, seconds(m->wakeup_delay_ns));
    run_set(run, RUN_run_delay_over, (double)m->run_delay.over);
    if (m->run_delay.count + (uint64_t)m->longest_cut_ns > 0)
        run_set(run, RUN_run_delay_max_s, seconds(longest_ns));
    else
        run->reason[RUN_run_delay_max_s] = "no task waited for a cpu";
    for (int i = 0; i < HL_COUNT_OF(quantiles); i++) {
        struct stats_quantile found = stats_hist_quantile(&m->run_delay, quantiles[i].q);

        if (m->run_delay.count == 0)
            run->reason[quantiles[i].metric] = "no task waited for a cpu";
        else
            run_set(run, quantiles[i].metric, found.value / (double)HL_NS_PER_S);
        if (found.over > 0)
            run->reason[quantiles[i].metric] =
                "at least: run_delay_over waits are longer than this";
    }
}

static void store_moves(const struct trace_metrics *m, struct run *run)
{
    static const struct {
        enum run_metric migrations, refill;
    } metric[MACHINE_DISTANCE_COUNT] = {
        [MACHINE_SAME_CORE] = {RUN_migrations_core, RUN_refill_core_cpu_s},
        [MACHINE_SAME_PACKAGE] = {RUN_migrations_package, RUN_refill_package_cpu_s},
        [MACHINE_SAME_NODE] = {RUN_migrations_node, RUN_refill_node_cpu_s},
        [MACHINE_REMOTE_NODE] = {RUN_migrations_remote, RUN_refill_remote_cpu_s},
    };
    int64_t migrations = 0, refill_ns = 0;

    for (int d = MACHINE_SAME_CORE; d < MACHINE_DISTANCE_COUNT; d++) {
        migrations += m->migrations[d];
        refill_ns += m->refill_ns[d];
        run_set(run, metric[d].migrations, (double)m->migrations[d]);
        run_set(run, metric[d].refill, seconds(m->refill_ns[d]));
    }
    run_set(run, RUN_migrations, (double)migrations);
    run_set(run, RUN_refill_cpu_s, seconds(refill_ns));
}

void trace_metrics_store(const struct trace_metrics *m, struct run *run)
{
    store_run_delay(m, run);
    store_moves(m, run);
    run_set(run, RUN_overhead_cpu_s,
            seconds((m->overhead + m->other_overhead) >> TRACE_RATE_SHIFT));
    run_set(run, RUN_idle_cpu_s, seconds(m->idle_cpu_ns));
    run_set(run, RUN_wasted_cpu_s, seconds(m->wasted_cpu_ns));
    run_set(run, RUN_crowded_core_s, seconds(m->crowded_core_ns));
    run_set(run, RUN_shared_cpu_s, seconds(m->shared_cpu_ns));
    store_parts(m, run);
    store_chain(m, run);
}
