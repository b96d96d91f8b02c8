/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_played.h - what a study plays, beside the machine it has: two studies are comparable if both
 * are alike.
 *
 *     {"workload":{"workload":"kernbench","workload_tree":"generated, seed 1", ...}}
 */
#ifndef HL_CLI_RUN_PLAYED_H
#define HL_CLI_RUN_PLAYED_H

#include "study/study.h"

/* The fingerprint of the machine, made by host/fingerprint.h (NULL: of a simulated study), together
 * with that part. Compiler and make move there from what is informational if the workload is a build.
 * The caller frees *json. */
enum hl_status run_played_fingerprint(const struct study_request *request, const char *machine,
                                      char **json, struct hl_error *err) HL_MUST_CHECK;

#endif
