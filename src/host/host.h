/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host.h - this machine: real builds, measured.
 *
 * Nothing is ever written into the user's tree. Whatever a session creates (a private folder, child
 * processes) is journalled, ended and removed at its end; what a killed session left is removed by the next.
 */
#ifndef HL_HOST_HOST_H
#define HL_HOST_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "run/run.h"

struct host_build_options {
    const char *tree;       /* any tree with a Makefile; NULL: a generated C tree */
    const char *target;     /* make's target; NULL: its default (kernel tree: vmlinux) */
    const char *config;     /* kernel tree: a .config file or a *config target; NULL: its .config,
                               else defconfig */
    int64_t tree_scale_ppm; /* size of the generated tree; HL_PPM: about 15 cpu-seconds at -O2 */
    uint64_t seed;          /* of the generated tree: byte-identical per seed */
    const char *work_dir;   /* where private folders go; NULL: $TMPDIR, else /var/tmp */
};

/* A tree made ready to be built again and again in a private copy or O= folder. */
struct host_build;

/* Checks the tree, removes what earlier killed sessions left, makes the private copy. */
enum hl_status host_build_open(struct host_build **build, const struct host_build_options *options,
                               struct hl_error *err) HL_MUST_CHECK;

/*
 * Brings the tree back to its state before any build (outside the timing), then times `make -jJOBS` (jobs 0:
 * plain `make -j`, unbounded) and fills *run: status, exit_status, all metrics, note. A build that
 * fails is HL_OK with run->status RUN_FAILED, or RUN_KILLED if a signal ended make; then the note
 * has make's complaint. What a build leaves behind is ended and named in the note, also of an RUN_OK run.
 * HL_INTERRUPTED when the program is to end (base/interrupt.h), all processes of the build ended.
 * Other statuses: the session cannot go on.
 */
enum hl_status host_build_run(struct host_build *build, int64_t jobs, struct run *run,
                              struct hl_error *err) HL_MUST_CHECK;

/* kernbench's bound of the maximal load: 0.8 x memory available now / resident memory of the largest
 * compiler seen so far. 0: none was seen yet. */
int64_t host_build_max_jobs(const struct host_build *build);

void host_build_close(struct host_build *build); /* safe on NULL */

#endif
