/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_print.h - what `halfload run` says: what is about to be played, and what came out.
 */
#ifndef HL_CLI_RUN_PRINT_H
#define HL_CLI_RUN_PRINT_H

#include "cli/keep.h"
#include "cli/run_prepare.h"

/* What is about to be played, told once nothing is in its way. */
struct run_announcement {
    const struct run_options *options;
    const struct study_request *request;
    const struct run_parts *parts;
    const struct keeper *keeper;
};
void run_announce(void *announcement);

/* The runs, and, if they are all that were planned, the comparison of variants. */
enum hl_status run_print(const struct run_options *options, const struct study_request *request,
                         const struct run_parts *parts, const struct run_list *runs, bool is_whole,
                         struct hl_error *err) HL_MUST_CHECK;

#endif
