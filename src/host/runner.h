/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runner.h - runs one command and all it starts, measures them, leaves none of them behind.
 */
#ifndef HL_HOST_RUNNER_H
#define HL_HOST_RUNNER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "host/facts.h"
#include "host/setting.h"

struct host_command {
    const char *const *arguments;   /* ends with NULL; the first is the program's path */
    const char *const *environment; /* the whole of it, ends with NULL */
    const char *folder;             /* where it runs */
    const char *log;                /* file for its output, made anew; input is empty */
    int64_t timeout_ns;             /* 0: none */
    /* Its cpus, nice and class are applied; the rest of it is the caller's. NULL: none. */
    const struct host_setting *setting;
    bool is_watched; /* facts are wanted */
};

struct host_result {
    int32_t exit_status; /* 128 + signal if a signal ended the command, as shells say it */
    int32_t signal;      /* 0: it exited */
    bool timed_out;
    int64_t elapsed_ns; /* monotonic, from before the fork to the end of the command itself */
    /* Sums over the command and all its descendants, those it left behind too. */
    int64_t user_ns, system_ns;
    int64_t voluntary_switches, involuntary_switches;
    int32_t peak_compilers,
        samples; /* peak_compilers is sampled; samples 0: the run was too short */
    int64_t largest_compiler_bytes;
    int32_t left_behind; /* processes that outlived the command; ended before the call returns */
    int32_t not_ended;   /* of those: could not be ended */
    char left_behind_names[128]; /* "sleep (pid 4711), ..." */
    struct host_facts facts;     /* of a watched command */
};

/*
 * Runs the command. HL_OK however it ends; HL_INTERRUPTED if the program is to end
 * (base/interrupt.h); another status if it could not be started or watched. In all cases its
 * processes have been ended.
 */
enum hl_status host_command_run(const struct host_command *command, struct host_result *result,
                                struct hl_error *err) HL_MUST_CHECK;

#endif
