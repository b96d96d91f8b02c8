/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explain.h - why one variant takes longer than another: a difference in elapsed time, split into
 * causes and an unexplained rest.
 *
 * Works from run records alone, whatever their source. docs/explain.md has the definitions and
 * formulas; trace/metrics.h makes the sums.
 */
#ifndef HL_EXPLAIN_EXPLAIN_H
#define HL_EXPLAIN_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "run/run.h"
#include "trace/metrics.h"

struct explain_cause {
    const char *name;  /* "wasted": key in JSON */
    const char *title; /* "wasted capacity" */
    enum run_metric part, chain;
};
extern const struct explain_cause explain_causes[TRACE_CAUSE_COUNT];

/* Where elapsed time went: means over the runs of a cell. */
struct explain_sums {
    size_t runs; /* that were ok and had the sums */
    double elapsed_s;
    double work_s, asleep_s, part_s[TRACE_CAUSE_COUNT]; /* add up to elapsed_s */
    double chain_s[TRACE_CAUSE_COUNT];
    bool has_chain; /* all of these runs had one */
};

/*
 * From the runs of one cell (load and variant). HL_UNSUPPORTED, with the reason that the runs give,
 * if none of them has the sums.
 */
enum hl_status explain_sum(struct explain_sums *sums, const struct run *runs, size_t count,
                           struct hl_error *err) HL_MUST_CHECK;

/* cause_s and rest_s add up to elapsed_s, all of them `sums` less `best`. */
struct explain_difference {
    double elapsed_s;
    double cause_s[TRACE_CAUSE_COUNT];
    double rest_s; /* unexplained */
};
void explain_differ(struct explain_difference *difference, const struct explain_sums *best,
                    const struct explain_sums *sums);

#endif
