/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine_change.c - what the machine did between two states: idle, stolen and competing time,
 * pressure, throttling, cpus that came or went, a scheduler that left.
 *
 * Time that is neither idle nor stolen is busy; it is had from the clock and the idle ticks, which
 * the kernel counts from the clock too, and not from the ticks of user and system time, which many
 * kernels only sample.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "host/machine_state.h"

static double seconds(int64_t ns)
{
    return (double)ns / (double)HL_NS_PER_S;
}

static int64_t tick_ns(void)
{
    long per_s = sysconf(_SC_CLK_TCK);

    return HL_NS_PER_S / HL_MAX(per_s, 1);
}

/* Sums over the cpus that count. */
struct ticks_passed {
    int cpus;
    int64_t all, idle, steal, idle_least, idle_most;
};

static void add_cpu(struct ticks_passed *sum, const struct host_cpu_ticks *before,
                    const struct host_cpu_ticks *after)
{
    /* Some kernels let these step back by a little. */
    int64_t idle = HL_MAX(after->idle - before->idle, 0);
    int64_t steal = HL_MAX(after->steal - before->steal, 0);

    sum->idle_least = sum->cpus == 0 ? idle : HL_MIN(sum->idle_least, idle);
    sum->idle_most = HL_MAX(sum->idle_most, idle);
    sum->cpus++;
    sum->idle += idle;
    sum->steal += steal;
    sum->all += idle + steal + HL_MAX(after->busy - before->busy, 0);
}

static void sum_cpus(struct ticks_passed *sum, const struct host_machine_state *before,
                     const struct host_machine_state *after, const struct host_machine_use *use)
{
    for (int cpu = 0; cpu < MACHINE_OS_CPUS_MAX; cpu++)
        if (before->ticks[cpu].is_there && after->ticks[cpu].is_there &&
            (!before->has_cpus || machine_cpu_set_has(&before->cpus.allowed, cpu)) &&
            (use->cpus == NULL || machine_cpu_set_has(use->cpus, cpu)))
            add_cpu(sum, &before->ticks[cpu], &after->ticks[cpu]);
}

static int64_t compare_ticks(const struct host_machine_state *before,
                             const struct host_machine_state *after,
                             const struct host_machine_use *use, struct host_facts *facts)
{
    static const enum run_metric metrics[] = {RUN_idle_cpu_s, RUN_idle_least_s, RUN_idle_most_s,
                                              RUN_steal_cpu_s, RUN_competing_cpu_s};
    const char *why = before->ticks_why != NULL ? before->ticks_why : after->ticks_why;
    struct ticks_passed sum = {0};
    int64_t other_ns;

    if (why == NULL)
        sum_cpus(&sum, before, after, use);
    if (why == NULL && sum.cpus == 0)
        why = "/proc/stat has none of the cpus allowed";
    if (why == NULL && sum.all == 0)
        why = "no tick of /proc/stat passed during the run; take a longer one";
    if (why != NULL) {
        for (int i = 0; i < HL_COUNT_OF(metrics); i++)
            host_facts_miss(facts, metrics[i], why);
        return 0;
    }
    host_facts_set(facts, RUN_idle_cpu_s, seconds(sum.idle * tick_ns()), NULL);
    host_facts_set(facts, RUN_idle_least_s, seconds(sum.idle_least * tick_ns()), NULL);
    host_facts_set(facts, RUN_idle_most_s, seconds(sum.idle_most * tick_ns()), NULL);
    if (before->has_steal && after->has_steal)
        host_facts_set(facts, RUN_steal_cpu_s, seconds(sum.steal * tick_ns()), NULL);
    else
        host_facts_miss(facts, RUN_steal_cpu_s,
                        "this kernel's /proc/stat has no steal time; it takes 2.6.11 or newer");
    other_ns = sum.cpus * (after->at_ns - before->at_ns) - (sum.idle + sum.steal) * tick_ns() -
               use->cpu_ns;
    /* Idle time is known to a tick of each cpu. */
    host_facts_set(facts, RUN_competing_cpu_s,
                   other_ns <= sum.cpus * tick_ns() ? 0.0 : seconds(other_ns), NULL);
    return sum.steal * tick_ns();
}

static void compare_pressure(const struct host_machine_state *before,
                             const struct host_machine_state *after, struct host_facts *facts)
{
    int64_t passed_us = after->pressure_us - before->pressure_us;

    if (before->pressure_why != NULL || after->pressure_why != NULL)
        host_facts_miss(facts, RUN_pressure_cpu_some_s,
                        before->pressure_why != NULL ? before->pressure_why : after->pressure_why);
    else
        host_facts_set(facts, RUN_pressure_cpu_some_s, seconds(HL_MAX(passed_us, 0) * HL_NS_PER_US),
                       after->pressure_of);
}

static void compare_throttling(const struct host_machine_state *before,
                               const struct host_machine_state *after, struct host_facts *facts)
{
    int64_t periods = HL_MAX(after->throttled_periods - before->throttled_periods, 0);
    int64_t time_ns = HL_MAX(after->throttled_ns - before->throttled_ns, 0);
    const char *why = before->throttled_why != NULL ? before->throttled_why : after->throttled_why;

    if (why != NULL) {
        host_facts_miss(facts, RUN_throttled_periods, why);
        host_facts_miss(facts, RUN_throttled_s, why);
        return;
    }
    host_facts_set(facts, RUN_throttled_periods, (double)periods, NULL);
    host_facts_set(facts, RUN_throttled_s, seconds(time_ns), NULL);
    if (periods > 0)
        host_facts_note(facts, "throttled in %lld period%s", (long long)periods,
                        periods == 1 ? "" : "s");
}

static bool is_same(const struct machine_cpu_set *a, const struct machine_cpu_set *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

static void compare_cpus(const struct host_machine_state *before,
                         const struct host_machine_state *after, struct host_facts *facts)
{
    char from[40], to[40];

    if (!before->has_cpus || !after->has_cpus)
        return;
    if (!is_same(&before->cpus.online, &after->cpus.online)) {
        machine_cpu_list_print(&before->cpus.online, from, sizeof(from));
        machine_cpu_list_print(&after->cpus.online, to, sizeof(to));
        host_facts_note(facts, "the online cpus changed during the run: %s, then %s", from, to);
    }
    if (!is_same(&before->cpus.allowed, &after->cpus.allowed)) {
        machine_cpu_list_print(&before->cpus.allowed, from, sizeof(from));
        machine_cpu_list_print(&after->cpus.allowed, to, sizeof(to));
        host_facts_note(facts, "the allowed cpus changed during the run: %s, then %s", from, to);
    }
    if (before->cpus.quota_ppm != after->cpus.quota_ppm)
        host_facts_note(facts, "the cpu quota changed during the run");
}

/* A result must not be filed under a scheduler that did not schedule it. */
static void compare_scheduler(const struct host_scheduler *before,
                              const struct host_scheduler *after, struct host_facts *facts)
{
    char was[HOST_SCHEDULER_BYTES], is[HOST_SCHEDULER_BYTES];

    if (strcmp(before->name, after->name) != 0)
        (void)snprintf(facts->invalid, sizeof(facts->invalid),
                       "the scheduler changed during the run: %s at its start, %s at its end",
                       host_scheduler_print(before, was), host_scheduler_print(after, is));
    else if (before->enable != after->enable && before->enable >= 0)
        (void)snprintf(facts->invalid, sizeof(facts->invalid),
                       "the sched_ext scheduler was changed during the run: enable_seq %lld at its "
                       "start, %lld at its end",
                       (long long)before->enable, (long long)after->enable);
}

int64_t host_machine_state_compare(const struct host_machine_state *before,
                                   const struct host_machine_state *after,
                                   const struct host_machine_use *use, struct host_facts *facts)
{
    int64_t steal_ns = compare_ticks(before, after, use, facts);

    compare_pressure(before, after, facts);
    compare_throttling(before, after, facts);
    compare_cpus(before, after, facts);
    compare_scheduler(&before->scheduler, &after->scheduler, facts);
    return steal_ns;
}
