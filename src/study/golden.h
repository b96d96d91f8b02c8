/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * golden.h - what real kernels did with small workloads, and what the simulation of the same makes
 * of it.
 *
 * A record says which tasks ran on which machine under which kernel, and gives shares, rates and
 * quantiles over several starts. golden_play plays it under the policy of that kernel from the same
 * starts; golden_judge compares by the tolerances below. The form of the file is in
 * docs/formats.md.
 */
#ifndef HL_STUDY_GOLDEN_H
#define HL_STUDY_GOLDEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "base/status.h"

enum {
    GOLDEN_CPUS_MAX = 512,
    GOLDEN_TASKS_MAX = 64,
    GOLDEN_GROUPS_MAX = 16,
    GOLDEN_STARTS_MAX = 64, /* more are not played */
    GOLDEN_WORD_BYTES_MAX = 255,
    GOLDEN_HELPERS = 2,     /* of each start: the task that wakes the others, and the recorder */
    GOLDEN_KERNEL_TASKS = 3 /* played besides those of the record; and one per cpu */
};

/* Quantiles 0.5 and 0.9. */
enum golden_quantile { GOLDEN_P50, GOLDEN_P90, GOLDEN_QUANTILES };

/* NAN: not recorded, or it never happened. */
struct golden_figures {
    double share, preempt_per_s, mig_per_s; /* means over tasks and starts */
    double vol_per_s;                       /* of the record only: voluntary switches */
    double wake_ms[GOLDEN_QUANTILES];       /* woken to running */
    double slice_ms[GOLDEN_QUANTILES];      /* running to switched out */
};

struct golden_range {
    double low, high;
};

/* Of the starts; NAN: not recorded, or it never happened. */
struct golden_spread {
    double least, median, greatest;
};

enum golden_fault { /* bits: outside of which tolerance */
                    GOLDEN_SHARE = 1,
                    GOLDEN_PREEMPT = 2,
                    GOLDEN_MIGRATE = 4,
                    GOLDEN_WAKE = 8,
                    GOLDEN_SLICE = 16
};

/* Of every record; those of shares depend on it. */
enum golden_limit {
    GOLDEN_PREEMPT_PERCENT = 15,  /* or one in a start */
    GOLDEN_MIGRATE_PERCENT = 250, /* a factor of 2.5, or one in a start */
    GOLDEN_WAKE_US = 200,
    GOLDEN_TICK_MS = 4
};

/* By how much each figure may differ; NAN: it is not judged. */
struct golden_tolerance {
    double share, preempt_per_s, wake_p50_ms, slice_ms;
    double mig_factor; /* of the greater to the smaller ... */
    double mig_per_s;  /* ... unless they are no more than this apart */
};

struct golden_task { /* `count` tasks NAME0, NAME1, ... */
    const char *name;
    int64_t count, nice, run_us, sleep_us, jitter_us, slice_us;
    const char *class;          /* "batch", "idle", "fifo", "rr"; NULL: normal */
    int group;                  /* index; -1: the root */
    uint64_t cpus, cpus_before; /* masks of cpus that are there; 0: all */
    struct golden_figures real, simulated;
    struct golden_range wake_range_ms,
        slice_range_ms[GOLDEN_QUANTILES]; /* of quantiles by chance */
    double share_tolerance;               /* also where the share is not judged */
    struct golden_tolerance tolerance;
    unsigned faults;         /* bits of golden_fault */
    unsigned sampled_faults; /* those of them that the record's sampling error does not explain */
};

struct golden_group {
    const char *name;
    int64_t weight, quota_us, period_us; /* as of cgroup v2; quota 0: none */
    bool is_idle;
};

struct golden_start {
    int64_t cpu;      /* where the waking task runs */
    const char *prev; /* "a1=0 a0=2": order of waking, and where each slept */
};

/* Texts belong to the file that it was read from, which must outlive it. */
struct golden {
    const char *id, *kernel, *cpus;
    const char *policy;                              /* of the kernel: "eevdf:version=6.12" */
    int cpu_count, packages, caches, cores, threads; /* caches of a package, cores of a cache ... */
    struct golden_group group[GOLDEN_GROUPS_MAX];
    int group_count;
    bool is_virtual_time; /* else emulated in real time: fewer figures are worth comparing */
    double seconds;
    struct golden_task task[GOLDEN_TASKS_MAX];
    int task_count;
    struct golden_start start[GOLDEN_STARTS_MAX];
    int start_count;
    int64_t recorded_starts; /* 0: not said, and no sampling error is allowed for */
    int64_t played_starts;
    /* From lifting cpus_before until each cpu runs one of the tasks. */
    struct golden_spread real_all_busy_ms, simulated_all_busy_ms;
    bool inside;
    bool inside_sampled; /* if the sampling error of record and simulation is allowed for */
};

/* Reads one item of the array "workloads"; `root` is the file, which may define task groups. */
enum hl_status golden_read(struct golden *g, const struct hl_json_node *root,
                           const struct hl_json_node *node, struct hl_error *err) HL_MUST_CHECK;
/* The part of it that says which kernel and which cpus. */
enum hl_status golden_read_machine(struct golden *g, const struct hl_json_node *record,
                                   struct hl_error *err) HL_MUST_CHECK;
/* Reports each key of a file that means nothing, but is nearly one that does and is not there. */
typedef void golden_typo_fn(const struct hl_json_node *key, const char *near);
void golden_find_typos(const struct hl_json_node *root, golden_typo_fn *report);
/* Tasks of one start: the record's, and the helpers. */
int64_t golden_tasks_of_start(const struct golden *g);
/* Takes the next "a1=0" off *prev: the first task of `g` so called, its number and its cpu. What
 * names no task is left out; false at the end. */
struct golden_place {
    int task, cpu;
    int64_t number;
};
bool golden_next_place(const struct golden *g, const char **prev, struct golden_place *place);

enum { GOLDEN_STARTS = 10 };
/* Whether it can be played, without doing so. */
enum hl_status golden_check(struct golden *g, struct hl_error *err) HL_MUST_CHECK;
enum hl_status golden_play(struct golden *g, int starts, uint64_t seed,
                           struct hl_error *err) HL_MUST_CHECK;
void golden_judge(struct golden *g);
/* golden_judge.c: how many ranks among `simulated` sorted times a quantile of `recorded` others may be
 * off by chance; 0 if it is not known how many were recorded. */
double golden_quantile_margin(int percent, double recorded, double simulated);
/* Runs for ever. */
bool golden_is_hog(const struct golden_task *t);

#endif
