/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measured_profile.h - from the tally of a recorded build to a profile.
 */
#ifndef HL_CLI_MEASURED_PROFILE_H
#define HL_CLI_MEASURED_PROFILE_H

#include <stdio.h>

#include "trace/tally.h"
#include "workload/workload.h"

/* Below this many compilers at one time nothing is known of serial parts. */
enum { MEASURED_COMPILERS_LEAST = 2 };

/* `name` is the recording's, for sources and messages. Constants that a recording does not tell
 * stay assumed. */
enum hl_status measured_profile(struct profile *profile, const struct trace_tally *tally,
                                const char *name, struct hl_error *err) HL_MUST_CHECK;

/* As a profile file. */
enum hl_status measured_profile_write(FILE *out, const struct profile *profile, const char *about,
                                      struct hl_error *err) HL_MUST_CHECK;

#endif
