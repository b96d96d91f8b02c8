/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_prepare.h - from the options of `halfload run` to a study that can be played.
 */
#ifndef HL_CLI_RUN_PREPARE_H
#define HL_CLI_RUN_PREPARE_H

#include "cli/cmd_run.h"
#include "report/report.h"

/* Everything a study points to, and what is known of it before it is played. */
struct run_parts {
    struct workload_options options;
    struct study_variants variants;
    char (*variant_texts)[RUN_VARIANT_BYTES]; /* by variant; of an A/A study by arm */
    struct machine *machines;                 /* by variant; one if measured */
    int machine_count;
    struct host_setting *settings; /* by variant, measured */
    int setting_count;
    struct policy_spec *policies;
    int policy_count;
    struct profile profile;
    struct host_work_options work; /* measured */
    struct study_arm *arms;
    struct workload_load loads[WORKLOAD_LOADS_MAX];
    int load_count;
    struct report_off_load off[WORKLOAD_LOADS_MAX]; /* loads that no arm plays */
    int off_count;

    bool is_compared;   /* arms differ by more than their policies: the study ends in verdicts */
    size_t comparisons; /* loads x new arms: what the level is shared by */
    int64_t least_runs; /* with fewer no difference, however large, reaches the level */
    bool chose_runs;    /* least_runs were taken, since none were asked for */
};

/* Opens what the options name; `request` then points into `parts`. */
enum hl_status run_prepare(const struct run_options *options, struct run_parts *parts,
                           struct study_request *request, struct hl_error *err) HL_MUST_CHECK;
void run_parts_close(struct run_parts *parts); /* safe on zeroed */

#endif
