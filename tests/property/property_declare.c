/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * property_declare.c - the table of promises. A new policy gets its line here.
 *
 * The promises follow from what the policies' sources say (the files under src/policy name them):
 * what is a known limit there, such as a sync wake-up that tells nobody, is not promised here.
 */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "property_declare.h"

static int64_t param(const struct policy_spec *spec, const char *name)
{
    for (int i = 0; spec->ops->params[i].name != NULL; i++)
        if (strcmp(spec->ops->params[i].name, name) == 0)
            return spec->params[i];
    abort(); /* the table names a parameter that does not exist */
}

/* Each task before it in line has one turn, which ends at a tick. */
static int64_t ideal_wait_ns(const struct policy_spec *spec, int tasks)
{
    return tasks * (param(spec, "turn") + 1) * HL_NS_PER_MS;
}

/*
 * A waiting task that has a slice left is a candidate of every cpu, so no new epoch begins before it
 * runs; a sleeper's slice is below twice 11 jiffies of 10 ms. One more epoch if it has none left.
 */
static int64_t linux24_wait_ns(const struct policy_spec *spec, int tasks)
{
    (void)spec;
    return 2 * tasks * 22 * 10 * HL_NS_PER_MS;
}

/*
 * Interactive tasks stay in `active` until STARVE jiffies (2 s at most) per runnable task have gone by
 * since the first one expired; then each uses up its slice, at most 300 jiffies, and expires. The
 * arrays change places, and the same may happen again before the task's own turn comes.
 */
static int64_t o1_wait_ns(const struct policy_spec *spec, int tasks)
{
    (void)spec;
    return 2 * (tasks * (2000 + 300) + 1) * HL_NS_PER_MS;
}

static int64_t ideal_idle_ns(const struct policy_spec *spec, const struct machine *m)
{
    (void)spec, (void)m;
    return 0;
}

/* Of a period and the time before the first tick of a run, which is another one at most. */
static const int64_t o1_two_ticks_ns = 2 * HL_NS_PER_MS;

/*
 * The tick of an idle cpu takes a task from the longest queue, which has one that waits. Not between
 * nodes, where loads are compared by a threshold; not in 2.5.32, which spares warm tasks.
 */
static int64_t o1_idle_ns(const struct policy_spec *spec, const struct machine *m)
{
    if (m->node_count > 1 || param(spec, "version") == 3 || param(spec, "kernel") == 1)
        return DECLARES_NOTHING;
    return o1_two_ticks_ns;
}

static int64_t ht3_idle_ns(const struct policy_spec *spec, const struct machine *m)
{
    (void)spec;
    return m->node_count > 1 ? DECLARES_NOTHING : o1_two_ticks_ns;
}

/* Queues of unequal size may hide one that has a waiting task behind a longer one that has none. */
static int64_t c1_idle_ns(const struct policy_spec *spec, const struct machine *m)
{
    bool by_core = param(spec, "share") == 1;

    if (m->node_count > 1 || param(spec, "idle_tick_resched") == 0)
        return DECLARES_NOTHING;
    for (int cpu = 1; cpu < m->cpu_count; cpu++)
        if (by_core ? machine_core_size(m, cpu) != machine_core_size(m, 0)
                    : machine_package_size(m, cpu) != machine_package_size(m, 0))
            return DECLARES_NOTHING;
    return o1_two_ticks_ns;
}

/* All idle cpus are told of what goes to the queue of all, unless a tunable says otherwise. */
static int64_t bsd4_idle_ns(const struct policy_spec *spec, const struct machine *m)
{
    (void)m;
    for (int i = 0; spec->ops->params[i].name != NULL; i++)
        if (strncmp(spec->ops->params[i].name, "ipiwakeup.", 10) == 0 &&
            spec->params[i] != spec->ops->params[i].value)
            return DECLARES_NOTHING;
    return 0;
}

static int64_t ule_tunable(const struct policy_spec *spec, const char *name, int64_t fallback)
{
    int64_t value = param(spec, name);

    return value == POLICY_PARAM_UNSET ? fallback : value;
}

/*
 * Idle cpus that look at every tick take any waiting task, as one has two tasks on its cpu. They do so
 * in 11, and since 13 if they are told to; 7.0 leaves pairs alone and cannot see some places of the circle.
 */
static int64_t ule_idle_ns(const struct policy_spec *spec, const struct machine *m)
{
    enum { VERSION_11 = 2 };
    int64_t version = param(spec, "version");

    (void)m;
    if (version < VERSION_11 || ule_tunable(spec, "steal_thresh", 2) > 2 ||
        ule_tunable(spec, "steal_idle", 1) == 0 ||
        (version > VERSION_11 && ule_tunable(spec, "always_steal", 0) == 0))
        return DECLARES_NOTHING;
    return 2 * HL_NS_PER_S / (param(spec, "hz") == 0 ? 100 : 1000);
}

/*
 * An idle cpu of each level looks once per interval, at most 2 ms per cpu, when a tick of the cpu that
 * has a waiting task asks for it; a tick of drift on top. Warm tasks are left alone for two passes and
 * a third may be another level's; there are three levels. Not between nodes, where an imbalance of two
 * tasks is tolerated.
 */
static int64_t fair_idle_ns(const struct policy_spec *spec, const struct machine *m)
{
    static const int64_t tick_ms[] = {10, 4, 4, 1}; /* by hz */
    int64_t interval_ms = 2 * m->cpu_count + 2 * tick_ms[param(spec, "hz")];

    return m->node_count > 1 ? DECLARES_NOTHING : 3 * 3 * interval_ms * HL_NS_PER_MS;
}

/* One of policy idle that yielded is skipped until the other is a granularity ahead, by its weight of 3. */
static int64_t cfs_aside_ns(const struct policy_spec *spec)
{
    return HL_MAX(param(spec, "sched_wakeup_granularity_ns"), 4 * HL_NS_PER_MS) * 1024 / 3;
}

static const struct property_declaration declarations[] = {
    /* Nice values further apart than cpu use can cost starve the worse one. */
    {"4bsd", false, false, NULL, bsd4_idle_ns, NULL},
    {"c1", true, true, o1_wait_ns, c1_idle_ns, NULL},
    /* A task of policy idle beside many of nice -20 waits for minutes: shares, but no bound. */
    {"cfs", true, true, NULL, fair_idle_ns, cfs_aside_ns},
    {"eevdf", true, true, NULL, fair_idle_ns, NULL},
    {"fifo", false, false, NULL, NULL, NULL},
    {"ht3", true, true, o1_wait_ns, ht3_idle_ns, NULL},
    {"ideal", true, true, ideal_wait_ns, ideal_idle_ns, NULL},
    /* With an affinity: other cpus' epochs may refill the slice of what runs where it must wait. */
    {"linux24", true, false, linux24_wait_ns, NULL, NULL},
    {"o1", true, true, o1_wait_ns, o1_idle_ns, NULL},
    {"sd267", true, true, o1_wait_ns, NULL, NULL},
    {"sdmm", true, true, o1_wait_ns, NULL, NULL},
    {"smtnice", true, true, o1_wait_ns, NULL, NULL},
    /* Interactive tasks have all of a cpu, nice 20 beside 0 may get nothing, class idle gets the rest. */
    {"ule", false, false, NULL, ule_idle_ns, NULL},
    {"w26", true, true, o1_wait_ns, NULL, NULL},
};

const struct property_declaration *property_declaration_find(const char *policy)
{
    static const struct property_declaration nothing = {.policy = ""};

    for (int i = 0; i < HL_COUNT_OF(declarations); i++)
        if (strcmp(declarations[i].policy, policy) == 0)
            return &declarations[i];
    return &nothing;
}
