/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scenario.h - scenario files: a machine, a policy, a few tasks, and what must come out.
 *
 * The format is in docs/formats.md. Parsing knows no policy: names and expectations stay text until
 * they are played (study/scenario_run.h).
 */
#ifndef HL_WORKLOAD_SCENARIO_H
#define HL_WORKLOAD_SCENARIO_H

#include "machine/machine.h"
#include "workload/workload.h"

enum scenario_compare { COMPARE_EQ, COMPARE_NE, COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE };
enum scenario_over { OVER_EACH, OVER_MEAN, OVER_MIN, OVER_MAX }; /* of the trials */

struct scenario_expect {
    int line;
    int64_t at_ns; /* when to look; INT64_MAX: at the end of the run */
    enum scenario_over over;
    char left[128];        /* "A.wait_ns", "elapsed_ns", "same_core(A,B)" */
    enum scenario_compare compare;
    double right;
    double tolerance;      /* absolute; 0: exact */
};

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
    struct scenario_expect *expects;
    size_t expect_count, expect_capacity;
    bool golden_timeline;
};

enum hl_status scenario_open(struct scenario *s, const char *path, struct hl_error *err) HL_MUST_CHECK;
/* The same from text; `path` is for messages. */
enum hl_status scenario_parse(struct scenario *s, const char *path, const char *text, struct hl_error *err)
    HL_MUST_CHECK;
void scenario_close(struct scenario *s);

#endif
