/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_plan.h - the plan of a study as JSON, so that it can be gone on with.
 *
 *     {"words":["kernbench","--load","1,2"],"folder":"/src","asked":{"workload":"kernbench", ...}}
 *
 * The words are read again by the same parser that read them first; `asked` is what they came to.
 * If they come to anything else now (other cpus, a changed machine file), the study cannot be gone
 * on with: its runs would not be of one kind.
 */
#ifndef HL_CLI_RUN_PLAN_H
#define HL_CLI_RUN_PLAN_H

#include "base/json.h"
#include "study/study.h"

struct run_plan {
    struct hl_json file;
    char **words; /* word_count of them, each owned; words[0] is free for the program's name */
    int word_count;
    char *folder;        /* owned */
    const char *sysroot; /* in `file`; NULL: of the running machine */
};

/* *plan is freed by the caller. words[0] is left out. */
enum hl_status run_plan_write(const struct study_request *request, int word_count,
                              char *const *words, char **plan, struct hl_error *err) HL_MUST_CHECK;

/* `study` is for messages. */
enum hl_status run_plan_open(struct run_plan *plan, const char *study, const char *text,
                             struct hl_error *err) HL_MUST_CHECK;
enum hl_status run_plan_check(const struct run_plan *plan, const char *study,
                              const struct study_request *request,
                              struct hl_error *err) HL_MUST_CHECK;
/* Tells whether all constants of two profiles are alike. */
uint64_t run_plan_profile_hash(const struct profile *profile);

void run_plan_close(struct run_plan *plan); /* safe on zeroed */

#endif
