/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host.h - this machine: real workloads, measured.
 *
 * Nothing is ever written into the user's tree, but for what the command of workload cmd does there.
 * Whatever a session creates (a private folder, child processes) is journalled, ended and removed at
 * its end; what a killed session left is removed by the next.
 */
#ifndef HL_HOST_HOST_H
#define HL_HOST_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "host/setting.h"
#include "run/run.h"

struct host_build_options {
    const char *tree;       /* any tree with a Makefile; NULL: a generated C tree */
    const char *target;     /* make's target; NULL: its default (kernel tree: vmlinux) */
    const char *config;     /* kernel tree: a .config file or a *config target; NULL: its .config,
                               else defconfig */
    int64_t tree_scale_ppm; /* size of the generated tree; HL_PPM: about 15 cpu-seconds at -O2 */
    uint64_t seed;          /* of the generated tree: byte-identical per seed */
    /* buildworld */
    bool has_clean;   /* `make clean` brings the tree back, not its copy of the start */
    bool has_preread; /* sources are read before each build; else they are forgotten */
};

/*
 * A user's command. In all texts {load} is the level and {cpus} the number of cpus that the run can
 * use. prepare, check and cleanup are scripts for sh -c, run before and after, outside the timing.
 */
struct host_cmd_options {
    const char *const *words; /* ends with NULL; executed as they are, not by a shell */
    const char *prepare;      /* before each run; NULL: nothing, as for the others */
    const char *check;        /* after a run that went well: judges it by its exit status */
    const char *cleanup;      /* after each run, in any case */
    const char *output_dir;   /* where the outputs of all runs are kept; NULL: none is */
};

struct host_matinv_options {
    int64_t first, last, step; /* orders of the matrices */
    uint64_t seed;             /* of their elements */
    bool has_no_residual;      /* results are not looked at */
};

struct host_rsa_options {
    int64_t bits, seconds; /* of the key; of signs, and of verifies */
    bool by_user_time;     /* rates by the user time of each process, not by elapsed time */
};

struct host_work_options {
    const char *workload; /* one that is measured: a name of workload_table with `real` */
    const char *work_dir; /* where private folders go; NULL: $TMPDIR, else /var/tmp */
    int64_t timeout_ns;   /* of one run; 0: none */
    struct host_build_options build; /* kernbench, buildworld */
    struct host_cmd_options cmd;
    struct host_matinv_options matinv;
    struct host_rsa_options rsa;
    /* Told where the output of what failed is: of a run, its preparation, check or clean-up. It is
     * there during the call. NULL: nobody is told. */
    void (*failed)(void *context, const char *what, const char *log);
    void *context;
};

/* A workload made ready to be run again and again. */
struct host_work;

/* Checks the options, removes what earlier killed sessions left, makes ready what all runs need. */
enum hl_status host_work_open(struct host_work **work, const struct host_work_options *options,
                              struct hl_error *err) HL_MUST_CHECK;

/*
 * Brings the workload back to its state before any run (outside the timing), runs it at `level`
 * (what a level is depends on the workload; 0: no bound, such as plain `make -j`) with what
 * `setting` changes (NULL: nothing; host_setting_check comes before), and fills *run: status,
 * exit_status, all metrics, note. A run that fails is HL_OK with run->status RUN_FAILED, or
 * RUN_KILLED if a signal ended it; then the note has its complaint. What a run leaves behind is
 * ended and named in the note, also of an RUN_OK run. HL_INTERRUPTED when the program is to end
 * (base/interrupt.h), all processes of the run ended. Other statuses: the session cannot go on.
 */
enum hl_status host_work_run(struct host_work *work, int64_t level,
                             const struct host_setting *setting, struct run *run,
                             struct hl_error *err) HL_MUST_CHECK;

/* How the next run is called where its output is kept: by its place in the study, below 0 a warm-up.
 * Without it runs are counted from 0. */
void host_work_place(struct host_work *work, int64_t place);

/* What memory bounds the maximal load to, by kernbench's rule: 0.8 x memory available now / resident
 * memory of the largest compiler seen so far. 0: none was seen yet, or there is no such bound. */
int64_t host_work_max_jobs(const struct host_work *work);

void host_work_close(struct host_work *work); /* safe on NULL */

#endif
