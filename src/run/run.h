/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h - the run record: one execution = workload x load x machine x variant x seed or repetition.
 *
 * Simulated, measured, recorded and imported runs all become this record; every table, comparison
 * and explanation is made from it and does not ask where it came from.
 */
#ifndef HL_RUN_RUN_H
#define HL_RUN_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/status.h"

enum run_source { RUN_SIM, RUN_HOST, RUN_TRACE, RUN_IMPORT };
enum run_status { RUN_OK, RUN_FAILED, RUN_KILLED, RUN_INVALID };
enum run_better { RUN_LOWER, RUN_HIGHER, RUN_NEITHER };

/* No quantile of the run delay is known beyond this: 2^40 ns, 1099 s. */
#define RUN_DELAY_TOP_NS (INT64_C(1) << 40)
#define RUN_DELAY_TOP_S  ((double)RUN_DELAY_TOP_NS / 1e9)

/*
 * X(name with unit suffix, unit, better, help). Sums that `explain` needs are among them:
 * all *_cpu_s and *_task_s figures are integrals over the run (cpu-seconds, task-seconds).
 */
#define RUN_METRICS(X)                                                                             \
    X(elapsed_s, "s", RUN_LOWER, "wall-clock time of the workload")                                \
    X(user_s, "s", RUN_LOWER, "cpu time in user mode, all reaped descendants")                     \
    X(system_s, "s", RUN_LOWER, "cpu time in the kernel, all reaped descendants")                  \
    X(percent_cpu, "%", RUN_NEITHER, "(user + system) / elapsed")                                  \
    X(involuntary_switches, "", RUN_LOWER, "context switches away from a task that could go on")   \
    X(voluntary_switches, "", RUN_NEITHER,                                                         \
      "context switches of tasks that block or exit (sleeps)")                                     \
    X(peak_compilers, "", RUN_NEITHER, "most compilers alive at one time")                         \
    X(tasks, "", RUN_NEITHER, "tasks created by the workload")                                     \
    X(run_delay_task_s, "task-s", RUN_LOWER, "time tasks were runnable and waited for a cpu")      \
    X(wakeup_delay_task_s, "task-s", RUN_LOWER,                                                    \
      "the part of it between wake-up or fork and running")                                        \
    X(migrations, "", RUN_LOWER, "tasks that went on on another cpu")                              \
    X(migrations_core, "", RUN_LOWER, "the part of them to a sibling thread")                      \
    X(migrations_package, "", RUN_LOWER, "to another core of the package")                         \
    X(migrations_node, "", RUN_LOWER, "to another package of the node")                            \
    X(migrations_remote, "", RUN_LOWER, "to another node")                                         \
    X(refill_cpu_s, "cpu-s", RUN_LOWER, "cache refills after migrations")                          \
    X(refill_core_cpu_s, "cpu-s", RUN_LOWER, "the part of them after moves to a sibling thread")   \
    X(refill_package_cpu_s, "cpu-s", RUN_LOWER, "to another core of the package")                  \
    X(refill_node_cpu_s, "cpu-s", RUN_LOWER, "to another package of the node")                     \
    X(refill_remote_cpu_s, "cpu-s", RUN_LOWER, "to another node")                                  \
    X(overhead_cpu_s, "cpu-s", RUN_LOWER, "switches, wake-ups, ticks, queue scans and locks")      \
    X(idle_cpu_s, "cpu-s", RUN_NEITHER, "idle time summed over cpus")                              \
    X(idle_least_s, "s", RUN_NEITHER, "idle time of the cpu that was idle least")                  \
    X(idle_most_s, "s", RUN_NEITHER, "idle time of the cpu that was idle most")                    \
    X(steal_cpu_s, "cpu-s", RUN_LOWER, "cpu time that the hypervisor gave to other machines")      \
    X(competing_cpu_s, "cpu-s", RUN_LOWER, "cpu time used by others than the workload")            \
    X(unwaited_cpu_s, "cpu-s", RUN_NEITHER,                                                        \
      "cpu time of processes nobody waited for, missing in user_s and system_s")                   \
    X(pressure_cpu_some_s, "s", RUN_LOWER, "time in which some task waited for a cpu (PSI)")       \
    X(throttled_periods, "", RUN_LOWER, "periods in which the cpu quota was used up")              \
    X(throttled_s, "s", RUN_LOWER, "time for which the cpu quota stopped tasks")                   \
    X(wasted_cpu_s, "cpu-s", RUN_LOWER,                                                            \
      "idle while another cpu had a waiting task that might have run here")                        \
    X(crowded_core_s, "core-s", RUN_LOWER,                                                         \
      "cores with two or more busy threads while a whole core was idle")                           \
    X(shared_cpu_s, "cpu-s", RUN_NEITHER, "cpu time run beside a busy sibling")                    \
    X(run_delay_p50_s, "s", RUN_LOWER, "median of the waits for a cpu, within 0.8 %")              \
    X(run_delay_p95_s, "s", RUN_LOWER, "95 % of the waits are no longer, within 0.8 %")            \
    X(run_delay_p99_s, "s", RUN_LOWER, "99 % of the waits are no longer, within 0.8 %")            \
    X(run_delay_max_s, "s", RUN_LOWER, "the longest wait, exactly; also one that did not end")     \
    X(run_delay_over, "", RUN_LOWER, "waits of more than 1099 s: no quantile is known among them") \
    X(elapsed_work_s, "s", RUN_NEITHER, "part of elapsed: the work itself")                        \
    X(elapsed_asleep_s, "s", RUN_NEITHER, "part of elapsed: all tasks slept")                      \
    X(elapsed_wasted_s, "s", RUN_LOWER, "part of elapsed: wasted capacity")                        \
    X(elapsed_crowded_s, "s", RUN_LOWER, "part of elapsed: sibling crowding")                      \
    X(elapsed_wakeup_s, "s", RUN_LOWER,                                                            \
      "part of elapsed: woken tasks waited for their own cpu, or behind tasks of others")          \
    X(elapsed_preempted_s, "s", RUN_LOWER,                                                         \
      "part of elapsed: preempted tasks waited behind tasks of others")                            \
    X(elapsed_refill_s, "s", RUN_LOWER, "part of elapsed: cache refills after migrations")         \
    X(elapsed_overhead_s, "s", RUN_LOWER, "part of elapsed: kernel overhead")                      \
    X(chain_wasted_s, "s", RUN_LOWER,                                                              \
      "what the end waited for: waits while a cpu was idle for the task")                          \
    X(chain_crowded_s, "s", RUN_LOWER, "the same, lost to crowding")                               \
    X(chain_wakeup_s, "s", RUN_LOWER, "other waits after wake-up or fork")                         \
    X(chain_preempted_s, "s", RUN_LOWER, "other waits after a preemption")                         \
    X(chain_refill_s, "s", RUN_LOWER, "cache refills")                                             \
    X(chain_overhead_s, "s", RUN_LOWER, "kernel overhead")                                         \
    X(balance_attempts_core, "", RUN_NEITHER, "balancing attempts between the threads of a core")  \
    X(balance_attempts_package, "", RUN_NEITHER, "between the cores of a package")                 \
    X(balance_attempts_node, "", RUN_NEITHER, "between the packages of a node")                    \
    X(balance_attempts_remote, "", RUN_NEITHER, "between nodes")                                   \
    X(balance_moves_core, "", RUN_NEITHER, "attempts that moved a task, threads of a core")        \
    X(balance_moves_package, "", RUN_NEITHER, "cores of a package")                                \
    X(balance_moves_node, "", RUN_NEITHER, "packages of a node")                                   \
    X(balance_moves_remote, "", RUN_NEITHER, "nodes")

enum run_metric {
#define RUN_ENUM(name, unit, better, help) RUN_##name,
    RUN_METRICS(RUN_ENUM)
#undef RUN_ENUM
        RUN_METRIC_COUNT
};

/*
 * Metrics that only one workload or a result made elsewhere has follow the ones above, in the order
 * they were met: their index is from RUN_METRIC_COUNT on, the same for all runs of this process.
 */
enum { RUN_EXTRA_MAX = 64, RUN_METRIC_SLOTS = RUN_METRIC_COUNT + RUN_EXTRA_MAX };

struct run_metric_info {
    const char *name, *unit, *help; /* NULL: a slot not used */
    enum run_better better;
};
extern const struct run_metric_info *const run_metric_table; /* RUN_METRIC_SLOTS of them */

/* RUN_METRIC_COUNT and the extra ones. */
int run_metric_count(void);

/* -1 if there is none of that name. */
int run_metric_find(const char *name);

/* Which way an extra metric of that name is better, if a workload of ours makes it. */
enum run_better run_metric_better_of(const char *name);

struct run;
/* What runs of a fixed time are told apart by, a rate, if this one has it; else elapsed time. */
enum run_metric run_result_metric(const struct run *run);

/* For tests: forgets the extra ones. No run may have them then. */
void run_metric_reset(void);

/* The index of an extra metric, added if it is new; one that has another unit or direction already
 * is HL_BAD_INPUT. Not while other threads look at metrics. */
enum hl_status run_metric_add(const char *name, const char *unit, enum run_better better,
                              int *metric, struct hl_error *err) HL_MUST_CHECK;

enum { RUN_VARIANT_BYTES = 256, RUN_PART_BYTES = 32, RUN_PART_FIGURES = 16, RUN_PARTS_MAX = 1024 };

/* A part of a run with figures of its own, as an order of matinv: metrics as those of the whole run. */
struct run_figure {
    int metric;
    double value;
};
struct run_part {
    char name[RUN_PART_BYTES]; /* "order 1000"; each once in a run */
    int figure_count;
    struct run_figure figures[RUN_PART_FIGURES];
};

/*
 * Plain data but for its parts. A copy by assignment borrows them; run_copy makes some of its own,
 * and whoever made a record that has parts closes it.
 */
struct run {
    enum run_source source;
    enum run_status status;
    int32_t exit_status; /* of the command; 0 when simulated */
    char workload[64];
    char load[32];    /* label: "3", "half" */
    int64_t level;    /* -1: none */
    char policy[256]; /* "" on host (null in JSON) */
    char machine[128];
    char variant[RUN_VARIANT_BYTES]; /* "" or "K=V" or "K=V,K2=V2" */
    uint64_t seed;
    int32_t block;    /* from 0; -1: none, the run is not paired with others */
    int32_t run;      /* from 0 */
    int32_t order;    /* place in the order of play within its session, from 0; -1: not known, or it
                      does not matter (simulated) */
    char boot_id[40]; /* of the kernel it ran under; "": not known, or simulated */
    double metric[RUN_METRIC_SLOTS]; /* NAN: not had */
    /* Static text, or from run_reason_keep: why it was not had, and the remedy; if it was had:
     * NULL, or how ("sampled: ..."). */
    const char *reason[RUN_METRIC_SLOTS];
    char note[256];         /* a failed run: why; an ok one: what it left behind, else "" */
    struct run_part *parts; /* in the order they were played; NULL: none */
    size_t part_count, part_capacity;
};

/* All metrics null with `reason` (static text), no parts; what *run was is not looked at. */
void run_init(struct run *run, enum run_source source, const char *reason);
static inline void run_set(struct run *run, enum run_metric metric, double value)
{
    run->metric[metric] = value;
    run->reason[metric] = 0;
}
bool run_has(const struct run *run, enum run_metric metric);
void run_close(struct run *run); /* safe on zeroed, and twice */
enum hl_status run_copy(struct run *copy, const struct run *run,
                        struct hl_error *err) HL_MUST_CHECK;

/* A figure of the part of that name, which is added if it is new. HL_BAD_INPUT: one too many, or a
 * name that is empty or too long. */
enum hl_status run_part_set(struct run *run, const char *name, int metric, double value,
                            struct hl_error *err) HL_MUST_CHECK;
/* NULL: there is none of that name. */
const struct run_part *run_part_find(const struct run *run, const char *name);
/* NAN: not had; also of NULL. */
double run_part_get(const struct run_part *part, int metric);

/* Appends KEY=VALUE to the text of a variant that has no such key yet. HL_USAGE if it becomes too
 * long or the key has '=' or ','. */
enum hl_status run_variant_add(char variant[static RUN_VARIANT_BYTES], const char *key,
                               const char *value, struct hl_error *err) HL_MUST_CHECK;

/* Adds KEY=VALUE to the variant, in place of what the key had; an imported variant without a key
 * gets the key "variant". HL_USAGE if it becomes too long or the key has '=' or ','. */
enum hl_status run_variant_set(struct run *run, const char *key, const char *value,
                               struct hl_error *err) HL_MUST_CHECK;

/* The same text, kept as long as the process lives, for reasons that were read from somewhere. Of
 * very many different ones (they come from a file) the rest is told by one general text. */
const char *run_reason_keep(const char *reason);

/* A growing list of runs, in the order they were planned. It owns copies of what is added. */
struct run_list {
    struct run *runs;
    size_t count, capacity;
};
enum hl_status run_list_add(struct run_list *list, const struct run *run,
                            struct hl_error *err) HL_MUST_CHECK;
void run_list_shorten(struct run_list *list, size_t count); /* drops all behind */
void run_list_close(struct run_list *list);

/* What is compared: policy and variant of a run; else "host", or the machine. */
enum { RUN_ARM_BYTES = 520 };
const char *run_arm_name(const struct run *run, char name[RUN_ARM_BYTES]);
bool run_same_arm(const struct run *a, const struct run *b);
bool run_same_load(const struct run *a, const struct run *b); /* of the same workload */

/* Copies the metric of those runs that are ok and have it to values[count]; returns how many. */
size_t run_values(const struct run *runs, size_t count, enum run_metric metric, double *values);

const char *run_source_name(enum run_source source);    /* "sim" "host" "trace" "import" */
const char *run_status_name(enum run_status status);    /* "ok" "failed" "killed" "invalid" */
const char *run_better_name(enum run_better direction); /* "lower" "higher" "neither" */

enum {
    RUN_SOURCE_COUNT = RUN_IMPORT + 1,
    RUN_STATUS_COUNT = RUN_INVALID + 1,
    RUN_BETTER_COUNT = RUN_NEITHER + 1
};

#endif
