/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * study.h - a study: the runs that one command makes, planned, in order, from one seed.
 */
#ifndef HL_STUDY_STUDY_H
#define HL_STUDY_STUDY_H

#include "host/host.h"
#include "machine/machine.h"
#include "policy/policy.h"
#include "run/run.h"
#include "workload/workload.h"

enum { STUDY_POLICIES_MAX = 64 };

struct study_request {
    const struct workload_info *workload;
    const struct machine *machine;          /* simulated, or the host for real runs */
    const struct profile *profile;          /* kernbench; may be NULL for real runs */
    const struct policy_spec *policies;     /* policy_count of them; 0: measure for real */
    int policy_count;
    const struct workload_load *loads;
    int load_count;
    int64_t runs;                           /* repetitions per cell = blocks */
    uint64_t seed;
    const struct host_build_options *build; /* real kernbench */
    int threads;                            /* simulated runs in parallel; 0: all usable cpus */
};

/* Told before and after each run; NULL functions are skipped. Called from one thread at a time. */
struct study_progress {
    void (*planned)(void *context, int64_t runs);
    void (*done)(void *context, const struct run *run, int64_t finished, int64_t runs);
    void *context;
};

/*
 * Plays the study and appends its runs, in planned order whatever the threads. A load that is off
 * (half on too few cpus) makes no runs. Failed runs are in the list. HL_INTERRUPTED leaves the runs made so far.
 */
enum hl_status study_play(const struct study_request *request, struct run_list *runs,
                          const struct study_progress *progress, struct hl_error *err) HL_MUST_CHECK;

/* The seed of a run: from (base seed, workload, load level, run), never from policy or machine. */
uint64_t study_run_seed(uint64_t base_seed, const char *workload, int64_t level, int64_t run);

/* One simulated run. */
enum hl_status study_simulate(const struct study_request *request, const struct policy_spec *policy,
                              const struct workload_load *load, int64_t level, int64_t run_index,
                              struct run *run, struct hl_error *err) HL_MUST_CHECK;

#endif
