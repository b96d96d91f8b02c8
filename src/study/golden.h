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
    GOLDEN_TASKS_MAX = 16,
    GOLDEN_GROUPS_MAX = 16,
    GOLDEN_STARTS_MAX = 64,
    GOLDEN_TEXT_BYTES = 400
};

/* Quantiles 0.5 and 0.9. */
enum golden_quantile { GOLDEN_P50, GOLDEN_P90, GOLDEN_QUANTILES };

/* NAN: not recorded, or it never happened. */
struct golden_figures {
    double share, preempt_per_s, mig_per_s; /* means over tasks and starts */
    double wake_ms[GOLDEN_QUANTILES];       /* woken to running */
    double slice_ms[GOLDEN_QUANTILES];      /* running to switched out */
};

enum golden_fault { /* bits: outside of which tolerance */
                    GOLDEN_SHARE = 1,
                    GOLDEN_PREEMPT = 2,
                    GOLDEN_MIGRATE = 4,
                    GOLDEN_WAKE = 8,
                    GOLDEN_SLICE = 16
};

struct golden_task { /* `count` tasks NAME0, NAME1, ... */
    char name[16];
    int64_t count, nice, run_us, sleep_us, jitter_us, slice_us;
    char policy;                /* 'b' batch, 'i' idle; 0: normal */
    char group[16];             /* "": the root */
    uint64_t cpus, cpus_before; /* masks; 0: all */
    struct golden_figures real, simulated;
    double share_tolerance;
    unsigned faults;
};

struct golden_group {
    char name[16];
    int64_t weight, quota_us, period_us; /* as of cgroup v2; quota 0: none */
    bool is_idle;
};

struct golden_start {
    int64_t cpu;                  /* where the waking task runs */
    char prev[GOLDEN_TEXT_BYTES]; /* "a1=0 a0=2": order of waking, and where each slept */
};

struct golden {
    char id[32], kernel[32], cpus[64];
    struct golden_group group[GOLDEN_GROUPS_MAX];
    int group_count;
    bool is_virtual_time; /* else emulated in real time: fewer figures are worth comparing */
    double seconds;
    struct golden_task task[GOLDEN_TASKS_MAX];
    int task_count;
    struct golden_start start[GOLDEN_STARTS_MAX];
    int start_count;
    bool inside;
    bool inside_but_rare; /* apart from slices and rates of tasks that are hardly ever preempted */
};

/* Reads one item of the array "workloads"; `root` is the file, which may define task groups. */
enum hl_status golden_read(struct golden *g, const struct hl_json_node *root,
                           const struct hl_json_node *node, struct hl_error *err) HL_MUST_CHECK;
enum { GOLDEN_STARTS = 10 };
enum hl_status golden_play(struct golden *g, int starts, uint64_t seed,
                           struct hl_error *err) HL_MUST_CHECK;
void golden_judge(struct golden *g);

#endif
