/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_run.h - `halfload run`: its options as written, and who reads, plays and prints.
 */
#ifndef HL_CLI_CMD_RUN_H
#define HL_CLI_CMD_RUN_H

#include "cli/cli.h"
#include "cli/keep.h"
#include "cli/run_plan.h"
#include "host/host.h"
#include "study/study.h"
#include "study/variants.h"

enum { RUN_PARAMS_MAX = 128, RUN_WORDS_MAX = 1024, RUN_REAL_MAX = 64 };

struct run_options {
    struct cli_input input; /* first: cli_parse finds it there */
    const char *workload;
    const char *machine, *profile, *sched, *load; /* NULL: not given */
    const char *params[RUN_PARAMS_MAX];
    int param_count;
    const char *variants[STUDY_KEYS_MAX]; /* "K=V1,V2" */
    int variant_count;
    bool is_aa, load_per_variant;
    int64_t runs, seed; /* runs 0: not given */
    enum cli_format format;
    const char *name, *db; /* where the study is kept; NULL: not given */
    int word_count;
    char *const *words;          /* as typed; words[0] is "halfload run" */
    const struct run_plan *plan; /* of a study that is gone on with; NULL: a new one */
    struct host_work_options work;
    enum study_warmup warmup;
    const char *command[RUN_WORDS_MAX + 1]; /* of workload cmd; ends with NULL */
    int command_count;
    const char *orders; /* of matinv; NULL: not given */
    bool has_preread;   /* of buildworld */
    char workload_text[WORKLOAD_TEXT_MAX];
    bool has_shown_output;          /* of a failed command */
    const char *real[RUN_REAL_MAX]; /* options given that real runs have, each time */
    int real_count;
    bool timeline, why;
    int64_t every_ns;                           /* of a scenario's CSV; 0: not given */
    const char *only_simulated, *only_scenario; /* an option given that needs it; NULL */
    const char *not_scenario; /* an option given that a scenario file decides itself; NULL */
};

/* Remembers that an option was given that only makes sense for one kind of run. */
static inline void run_note(const char **which, const char *option)
{
    if (*which == NULL)
        *which = option;
}

static inline void run_note_real(struct run_options *o, const char *option)
{
    if (o->real_count < RUN_REAL_MAX)
        o->real[o->real_count++] = option;
}

/* A line of HL_USAGE for all that can be said without opening anything. (run_options.c) */
enum hl_status run_options_parse(struct run_options *options, int argc, char **argv,
                                 struct hl_error *err) HL_MUST_CHECK;

/* Plays what the stored study `keeper` goes on with still lacks, as its plan says, and prints all its
 * runs in `format`. */
enum hl_status cli_run_again(const struct run_plan *plan, struct keeper *keeper,
                             enum cli_format format, struct hl_error *err) HL_MUST_CHECK;

/* A scenario file: its machine, policy and expectations are its own. */
enum hl_status cli_run_scenario(const struct run_options *options, const char *path,
                                struct hl_error *err) HL_MUST_CHECK;

#endif
