/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watch.c - starts, stops and sums up what is measured around a command.
 *
 * Costs: a few files before and after, two software events at each context switch, a record of some
 * hundred bytes for each task that ends.
 */
#include "host/watch.h"

#include <unistd.h>

#include "base/units.h"

void host_watch_start(struct host_watch *watch, const struct machine_cpu_set *cpus)
{
    watch->cpus = cpus;
    watch->after = (struct host_machine_state){0};
    host_perf_counters_open(&watch->counters);
    host_task_records_open(&watch->records);
    host_machine_state_read(&watch->before);
}

void host_watch_look(struct host_watch *watch)
{
    host_task_records_drain(&watch->records);
}

void host_watch_stop(struct host_watch *watch)
{
    host_machine_state_read(&watch->after);
}

/*
 * A process that ignores SIGCHLD does not wait for its children, and the kernel drops their times.
 * perf's clock has them. It also runs through stolen time, and it lacks what a task uses in its
 * last moments: so what is left is a lower bound.
 */
static void sum_up_counters(struct host_watch *watch, int64_t cpu_ns, int64_t steal_ns,
                            struct host_facts *facts)
{
    int64_t migrations, clock_ns, unwaited_ns;

    if (!host_perf_counters_read(&watch->counters, &migrations, &clock_ns)) {
        const char *why = host_perf_counters_why(&watch->counters);

        host_facts_miss(facts, RUN_migrations, why);
        host_facts_miss(facts, RUN_unwaited_cpu_s, why);
        return;
    }
    unwaited_ns = HL_MAX(clock_ns - cpu_ns - steal_ns, 0);
    host_facts_set(facts, RUN_migrations, (double)migrations, NULL);
    host_facts_set(facts, RUN_unwaited_cpu_s, (double)unwaited_ns / (double)HL_NS_PER_S,
                   "a lower bound: the counter lacks the last moments of each process");
}

static void sum_up_records(struct host_watch *watch, struct host_facts *facts)
{
    struct host_task_sum sum;
    const char *why;

    if (!host_task_records_sum(&watch->records, getpid(), &sum, &why)) {
        host_facts_miss(facts, RUN_run_delay_task_s, why);
        host_facts_miss(facts, RUN_tasks, why);
        return;
    }
    host_facts_set(facts, RUN_run_delay_task_s, (double)sum.delay_ns / (double)HL_NS_PER_S, NULL);
    host_facts_set(facts, RUN_tasks, (double)sum.tasks, NULL);
}

void host_watch_sum_up(struct host_watch *watch, int64_t cpu_ns, struct host_facts *facts)
{
    const struct host_machine_use use = {.cpu_ns = cpu_ns, .cpus = watch->cpus};
    int64_t steal_ns;

    /* A command that had to be ended was not stopped before. */
    if (watch->after.at_ns == 0)
        host_watch_stop(watch);
    steal_ns = host_machine_state_compare(&watch->before, &watch->after, &use, facts);
    sum_up_counters(watch, cpu_ns, steal_ns, facts);
    sum_up_records(watch, facts);
}

void host_watch_close(struct host_watch *watch)
{
    host_machine_state_close(&watch->before);
    host_machine_state_close(&watch->after);
    host_perf_counters_close(&watch->counters);
    host_task_records_close(&watch->records);
}
