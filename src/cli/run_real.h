/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_real.h - the part of `halfload run` that is about real workloads: their options, and what
 * goes together.
 */
#ifndef HL_CLI_RUN_REAL_H
#define HL_CLI_RUN_REAL_H

#include "cli/cmd_run.h"

/* Their options; a child of the parser of `run`, with struct run_options as input. */
extern const struct argp run_real_argp;

/* Words of the command of workload cmd: those behind "--". */
error_t run_real_word(struct run_options *options, char *word, struct argp_state *state);

/* What can be said of the options without opening anything. */
enum hl_status run_real_check(struct run_options *options, struct hl_error *err) HL_MUST_CHECK;

#endif
