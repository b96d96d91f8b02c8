/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scenario.h - scenario files: a machine, a policy, a few tasks, and what must come out.
 *
 * The format is in docs/formats.md. Parsing knows no policy: the policy's text and the left sides
 * of expectations stay text until they are played (study/scenario_run.h).
 */
#ifndef HL_WORKLOAD_SCENARIO_H
#define HL_WORKLOAD_SCENARIO_H

#include "machine/machine.h"
#include "workload/workload.h"

/* What a file may hold, so that none can exhaust memory. */
enum {
    SCENARIO_BYTES_MAX = 1 << 20,
    SCENARIO_STEPS_MAX = 100000,
    SCENARIO_NAMES_MAX = 1000,   /* of tasks; of programs, pipes, locks and barriers alike */
    SCENARIO_TASKS_MAX = 100000, /* with their copies */
    SCENARIO_ALIVE_MAX = 100000, /* tasks alive at one time */
    SCENARIO_EXPECTS_MAX = 10000,
    SCENARIO_TRIALS_MAX = 100000,
    SCENARIO_VALUES_MAX = 10000000, /* expectations times trials */
    SCENARIO_NAME_BYTES_MAX = 31,
};

enum scenario_compare { COMPARE_EQ, COMPARE_NE, COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE };
enum scenario_over { OVER_EACH, OVER_MEAN, OVER_MIN, OVER_MAX }; /* of the trials */

struct scenario_expect {
    int line;
    char text[160]; /* as written; what does not fit is cut */
    int64_t at_ns;  /* when to look; INT64_MAX: at the end of the run */
    enum scenario_over over;
    char left[128]; /* without blanks: "A.wait_ns", "elapsed_ns", "same_core(A,B)" */
    enum scenario_compare compare;
    double right;
    double tolerance; /* absolute; 0: exact */
};

/*
 * A task's program bears its name and only that task runs it. Programs of children (`program
 * NAME`) have names apart from those of tasks; in an expectation such a name means the first task
 * that ran the program.
 */
struct scenario {
    char *path;
    struct machine machine;
    char policy[256];
    int policy_line;
    struct workload workload;
    char **task_names; /* by index in workload.tasks */
    int64_t until_ns;  /* the run ends here at the latest; INT64_MAX: when all tasks have ended */
    int64_t trials;
    uint64_t seed;
    struct scenario_expect *expects; /* in the order of the file */
    size_t expect_count, expect_capacity;
    bool golden_timeline;
    bool check_at_end; /* invariants of engine and policy: once per trial, not after each event */
};

enum hl_status scenario_open(struct scenario *s, const char *path,
                             struct hl_error *err) HL_MUST_CHECK;
/* The same from text; `path` is for messages. */
enum hl_status scenario_parse(struct scenario *s, const char *path, const char *text,
                              struct hl_error *err) HL_MUST_CHECK;
void scenario_close(struct scenario *s);

#endif
