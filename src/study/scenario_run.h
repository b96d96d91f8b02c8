/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scenario_run.h - plays a scenario and judges what it expects.
 */
#ifndef HL_STUDY_SCENARIO_RUN_H
#define HL_STUDY_SCENARIO_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "workload/scenario.h"

struct sim;
struct trace_sink;

/* Who watches the first trial; zeroed: nobody. */
struct scenario_watch {
    const struct trace_sink *sink; /* gets all events; NULL: none */
    /* Called at time zero and every_ns after every_ns. NULL: never. */
    void (*look)(void *context, struct sim *sim);
    void *context;
    int64_t every_ns;
};

struct scenario_result { /* of one expect, in the order of the file */
    int line;
    const char *text; /* the expectation as written, of the scenario */
    double value;  /* that decides: mean, least or largest; of each: the first that fails, else the
                         last */
    int64_t trial; /* that `value` is from; -1: of all */
    bool holds;
};

/*
 * Plays s->trials runs and fills results[s->expect_count]. A wrong name in the scenario is HL_BAD_INPUT
 * with its line; an expectation that fails is no error.
 */
enum hl_status scenario_run(const struct scenario *s, const struct scenario_watch *watch,
                            struct scenario_result *results, struct hl_error *err) HL_MUST_CHECK;

#endif
