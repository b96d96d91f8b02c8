/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * study.h - a study: the runs that one command makes, planned, in order, from one seed.
 *
 * A cell is an (arm, load) pair; a block holds each cell once; `runs` blocks make the study.
 * Simulated runs are played by several threads, real ones one after the other in an order that is
 * shuffled and balanced over all cells. Either way the list that comes out is ordered by arm, load
 * and run.
 */
#ifndef HL_STUDY_STUDY_H
#define HL_STUDY_STUDY_H

#include "host/host.h"
#include "machine/machine.h"
#include "policy/policy.h"
#include "run/run.h"
#include "workload/workload.h"

enum { STUDY_ARMS_MAX = 64, STUDY_RUNS_MAX = 10000, STUDY_CELLS_MAX = 4096 };

/* Real builds that are run and thrown away: caches and clocks of a cold start are not what is
 * compared. */
enum study_warmup {
    STUDY_WARMUP_SESSION, /* one at the start, for each variant */
    STUDY_WARMUP_EACH,    /* one before every run */
    STUDY_WARMUP_NONE,
};

/* One of what is compared, and how it is set up. The first arm of a study is the baseline. */
struct study_arm {
    const char *variant;                /* "K=V,K2=V2"; "": none */
    const struct policy_spec *policy;   /* simulated; NULL: measured */
    const struct machine *machine;      /* simulated, with the variant's constants; else the host */
    const struct host_setting *setting; /* measured: what the variant changes; NULL: nothing */
    int cpus;                           /* what its symbolic loads are resolved from */
    /* Simulated: its run r has the jobs of repetition first_run + r. Arms of equal first_run face
     * the same jobs, run by run. */
    int64_t first_run;
};

struct study_request {
    const struct workload_info *workload;
    const struct workload_options *options; /* NULL: the defaults */
    const struct profile *profile;          /* of the workload's kind; may be NULL for real runs */
    const struct study_arm *arms;           /* all simulated or all measured */
    int arm_count;
    const struct workload_load *loads;
    int load_count;
    bool load_per_arm; /* symbolic loads by the cpus of each arm; else all by the baseline's */
    int64_t runs;      /* repetitions per cell = blocks */
    uint64_t seed;
    const struct host_work_options *work; /* real runs */
    enum study_warmup warmup;             /* real runs */
    int64_t max_jobs; /* real, of load max: as an earlier session found it; 0: to be found */
    int threads;      /* simulated runs in parallel, at least 1 */
    /* By place: runs made earlier, which are not played again. NULL: none. */
    const bool *is_made;
    int64_t made_count;
};

static inline bool study_is_real(const struct study_request *request)
{
    return request->arms[0].policy == NULL;
}

/* The cpus that an arm's symbolic loads are resolved from. */
static inline int study_load_cpus(const struct study_request *request, int arm)
{
    return request->arms[request->load_per_arm ? arm : 0].cpus;
}

/* A load that makes no runs: half on so few cpus that it would be single. */
bool study_load_is_off(const struct workload_load *load, int cpus);

/* How many (arm, load) pairs make runs. */
int study_cell_count(const struct study_request *request);

/*
 * Told before and after each run; NULL functions are skipped. Called from one thread at a time.
 * `place`: of the run in the planned order of the whole study, from 0; `runs` of them are to be
 * played now and `finished` of these have been.
 */
struct study_progress {
    void (*planned)(void *context, int64_t runs);
    void (*warming_up)(void *context);
    void (*done)(void *context, const struct run *run, int64_t place, int64_t finished,
                 int64_t runs);
    void *context;
};

/* How many runs the whole study has, those made earlier too: cells x runs. A cell's runs have
 * consecutive places, in the order arm, load, run. */
int64_t study_planned_runs(const struct study_request *request);

/*
 * Plays the study, of at most STUDY_CELLS_MAX cells, and appends the runs it played. A load that is
 * off (half on too few cpus) makes no runs. Failed runs are in the list. On HL_INTERRUPTED, and on
 * any other failure, the list holds the runs made so far.
 */
enum hl_status study_play(const struct study_request *request, struct run_list *runs,
                          const struct study_progress *progress,
                          struct hl_error *err) HL_MUST_CHECK;

/* ---- simulated runs one by one; `reproduce` makes its own jobs, one machine per row ---- */

struct study_job {
    const struct workload_info *workload;
    const struct workload_options *options; /* NULL: the defaults */
    const struct machine *machine;
    const struct profile *profile;
    const struct policy_spec *policy;
    const char *variant; /* NULL: none */
    const struct workload_load *load;
    int64_t level;      /* of the load on this machine; 0: all jobs at once */
    int64_t run_index;  /* repetition, from 0: the jobs follow from it */
    int64_t place;      /* what study_progress is told */
    uint64_t base_seed; /* of the study */
};

/* The seed of a run: from (base seed, workload, load level, run), never from policy or machine.
 * Below 2^53, so that every JSON reader keeps it exactly. */
uint64_t study_run_seed(uint64_t base_seed, const char *workload, int64_t level, int64_t run_index);

/* The metric that is the workload's own rate, known to run_metric_table from now on; -1: it has
 * none. Before other threads look at metrics. */
enum hl_status study_rate_metric(const struct workload_info *workload, int *metric,
                                 struct hl_error *err) HL_MUST_CHECK;

/* What its runs are compared by if nobody says so: elapsed time, or its rate. */
enum run_metric study_result_metric(const struct workload_info *workload);

/* One simulated run, with its identity. */
enum hl_status study_simulate(const struct study_job *job, struct run *run,
                              struct hl_error *err) HL_MUST_CHECK;

/* All jobs on `threads` threads, appended in the order of the jobs. Of several failures the one of
 * the first job is reported. */
enum hl_status study_simulate_all(const struct study_job *jobs, size_t job_count, int threads,
                                  struct run_list *runs, const struct study_progress *progress,
                                  struct hl_error *err) HL_MUST_CHECK;

/* ---- the order of real runs ---- */

/*
 * The cells of one block in the order they are played: order[0 .. cells-1]. Over cells (an even
 * number of them; else 2 x cells) consecutive blocks each cell takes each place equally often and
 * follows each other cell equally often (Williams 1949); labels and rows are shuffled from the
 * seed.
 */
void study_block_order(uint64_t seed, int64_t block, int cells, int *order);

#endif
