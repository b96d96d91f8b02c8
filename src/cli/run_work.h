/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_work.h - what each real workload takes from the command line, says, and is known by later.
 */
#ifndef HL_CLI_RUN_WORK_H
#define HL_CLI_RUN_WORK_H

#include "base/json.h"
#include "cli/cmd_run.h"

/* Hands the options of the workload, and the loads, to what will be played. */
enum hl_status run_work_prepare(const struct run_options *options, struct study_request *request,
                                struct host_work_options *work, struct hl_error *err) HL_MUST_CHECK;

/* The line that says what is run. */
void run_work_announce(const struct study_request *request);

/* What a study that is gone on with must have in common with its beginning, as members of `asked`. */
void run_work_describe(const struct host_work_options *work, json_t *asked);

/* By what two studies are told to have played different things, as texts of `played`. */
enum hl_status run_work_facts(const struct host_work_options *work, json_t *played,
                              struct hl_error *err) HL_MUST_CHECK;

/* A text by its key. NULL, and what cannot be written in JSON (bytes that are no UTF-8), is left out. */
void run_work_put(json_t *played, const char *key, const char *text);

#endif
