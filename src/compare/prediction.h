/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prediction.h - a simulated study beside a measured one of the same loads: how wrong was it?
 *
 * No verdicts: a simulation has no chance in it that more runs would average away. Times and rates
 * are compared relative to one load, since the speed of a machine is not what a policy decides.
 */
#ifndef HL_COMPARE_PREDICTION_H
#define HL_COMPARE_PREDICTION_H

#include "compare/compare.h"

/* The first is what the workload is measured by, elapsed time or a rate; the others are as they are. */
enum { PREDICTION_METRICS = 4, PREDICTION_NOTES_MAX = 32, PREDICTION_NOTE_BYTES = 400 };

struct prediction_metric {
    enum run_metric metric;
    bool is_relative; /* divided by its own side's mean at the reference load */
};

struct prediction_cell {
    const struct run *load;     /* one run of it */
    double predicted, measured; /* means of the ok runs; NAN: nobody has it */
    double measured_sd;         /* NAN: fewer than two runs */
    double error; /* predicted / measured - 1; NAN where that says nothing: the reference itself */
    size_t predicted_n, measured_n;
};

struct prediction {
    const struct compare_arm *predicted, *measured;
    struct prediction_metric metrics[PREDICTION_METRICS];
    int metric_count;
    const struct run *reference;   /* one run of one job, which the first metric is relative to */
    struct prediction_cell *cells; /* metric after metric, load after load */
    size_t load_count;             /* that both have */
    /* One run of each load that only one of them has: first those of the predicted arm. */
    const struct run **left_out;
    size_t left_out_count, left_out_predicted;
    double mean_error[PREDICTION_METRICS]; /* mean of the absolute errors; NAN: none */
    char (*notes)[PREDICTION_NOTE_BYTES];  /* what a reader must know of the two sides */
    size_t note_count;
};

/* By `metric`, relative to one job. The arms must outlive it. HL_USAGE without a common load, or if one
 * side has no successful run of one job. */
enum hl_status prediction_make(struct prediction *prediction, const struct compare_arm *predicted,
                               const struct compare_arm *measured, enum run_metric metric,
                               struct hl_error *err) HL_MUST_CHECK;
/* Adds a note; those beyond the most are left out. */
void prediction_note(struct prediction *prediction, const char *format, ...) HL_PRINTF(2, 3);
void prediction_close(struct prediction *prediction); /* safe on zeroed */

#endif
