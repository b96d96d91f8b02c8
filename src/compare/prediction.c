/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prediction.c - means by load of both sides, and their ratio.
 */
#include "compare/prediction.h"

#include <math.h>
#include <stdarg.h>

#include "base/format.h"
#include "base/units.h"

/* What is compared as it is, beside the metric that is asked for. Where that is a rate, the two sides
 * may have run for different times: counts say nothing then. */
static void choose_metrics(struct prediction *p, enum run_metric metric)
{
    static const enum run_metric others[] = {RUN_percent_cpu, RUN_involuntary_switches,
                                             RUN_voluntary_switches};
    int count = run_metric_table[metric].better == RUN_HIGHER ? 1 : HL_COUNT_OF(others);

    p->metrics[p->metric_count++] = (struct prediction_metric){metric, true};
    for (int i = 0; i < count; i++)
        if (others[i] != metric)
            p->metrics[p->metric_count++] = (struct prediction_metric){others[i], false};
}

static const struct run *find_load(const struct compare_arm *arm, const struct run *like)
{
    for (size_t i = 0; i < arm->run_count; i++)
        if (run_same_load(arm->runs[i], like))
            return arm->runs[i];
    return NULL;
}

/* Is it the first run of its load? */
static bool is_first(const struct compare_arm *arm, size_t i)
{
    return find_load(arm, arm->runs[i]) == arm->runs[i];
}

static size_t collect(const struct compare_arm *arm, const struct run *load, enum run_metric metric,
                      double *values)
{
    size_t n = 0;

    for (size_t i = 0; i < arm->run_count; i++)
        if (run_same_load(arm->runs[i], load))
            n += run_values(arm->runs[i], 1, metric, values + n);
    return n;
}

static void fill_cell(const struct prediction *p, struct prediction_cell *cell,
                      const struct prediction_metric *metric, double *values)
{
    double predicted_unit = 1, measured_unit = 1;

    if (metric->is_relative) {
        size_t n = collect(p->predicted, p->reference, metric->metric, values);

        predicted_unit = stats_mean(values, n);
        n = collect(p->measured, p->reference, metric->metric, values);
        measured_unit = stats_mean(values, n);
    }
    cell->predicted_n = collect(p->predicted, cell->load, metric->metric, values);
    cell->predicted = stats_mean(values, cell->predicted_n) / predicted_unit;
    cell->measured_n = collect(p->measured, cell->load, metric->metric, values);
    cell->measured = stats_mean(values, cell->measured_n) / measured_unit;
    cell->measured_sd = stats_sd(values, cell->measured_n) / measured_unit;
    cell->error = metric->is_relative && run_same_load(cell->load, p->reference)
                      ? NAN
                      : cell->predicted / cell->measured - 1;
}

/* A run of one job that succeeded and has the metric; NULL: none. */
static const struct run *find_single(const struct compare_arm *arm, enum run_metric metric)
{
    for (size_t i = 0; i < arm->run_count; i++)
        if (arm->runs[i]->level == 1 && run_has(arm->runs[i], metric) &&
            arm->runs[i]->status == RUN_OK)
            return arm->runs[i];
    return NULL;
}

static enum hl_status choose_reference(struct prediction *p, struct hl_error *err)
{
    const struct run *single = find_single(p->measured, p->metrics[0].metric);
    const struct compare_arm *lacking = single == NULL ? p->measured : p->predicted;

    p->reference = single;
    if (single != NULL && find_single(p->predicted, p->metrics[0].metric) != NULL)
        return HL_OK;
    return hl_fail(
        err, HL_USAGE,
        "%s has no successful run of one job (load 1) with %s, which other loads are relative "
        "to; expected one on each side, as --load 1-4 plays it",
        lacking->name, run_metric_table[p->metrics[0].metric].name);
}

/* The loads that both have, in the order of the measured ones, and those that one has. */
static enum hl_status choose_loads(struct prediction *p, struct prediction_cell *cells,
                                   struct hl_error *err)
{
    const struct compare_arm *measured = p->measured, *predicted = p->predicted;

    for (size_t i = 0; i < predicted->run_count; i++)
        if (is_first(predicted, i) && find_load(measured, predicted->runs[i]) == NULL)
            p->left_out[p->left_out_count++] = predicted->runs[i];
    p->left_out_predicted = p->left_out_count;
    for (size_t i = 0; i < measured->run_count; i++) {
        if (!is_first(measured, i))
            continue;
        if (find_load(predicted, measured->runs[i]) == NULL)
            p->left_out[p->left_out_count++] = measured->runs[i];
        else
            cells[p->load_count++].load = measured->runs[i];
    }
    if (p->load_count > 0)
        return choose_reference(p, err);
    return hl_fail(
        err, HL_USAGE,
        "%s and %s have no load of one workload in common; expected a simulation of what "
        "was measured",
        predicted->name, measured->name);
}

static void fill(struct prediction *p, double *values)
{
    for (int m = 0; m < p->metric_count; m++) {
        double sum = 0;
        size_t count = 0;

        for (size_t l = 0; l < p->load_count; l++) {
            struct prediction_cell *cell = &p->cells[(size_t)m * p->load_count + l];

            cell->load = p->cells[l].load;
            fill_cell(p, cell, &p->metrics[m], values);
            if (isfinite(cell->error)) {
                sum += fabs(cell->error);
                count++;
            }
        }
        p->mean_error[m] = count > 0 ? sum / (double)count : NAN;
    }
}

enum hl_status prediction_make(struct prediction *prediction, const struct compare_arm *predicted,
                               const struct compare_arm *measured, enum run_metric metric,
                               struct hl_error *err)
{
    size_t runs = predicted->run_count + measured->run_count;
    double *values = hl_alloc(runs + 1, sizeof(*values));
    enum hl_status status;

    *prediction = (struct prediction){.predicted = predicted, .measured = measured};
    choose_metrics(prediction, metric);
    prediction->cells =
        hl_alloc((measured->run_count + 1) * PREDICTION_METRICS, sizeof(*prediction->cells));
    prediction->left_out = hl_alloc(runs + 1, sizeof(*prediction->left_out));
    prediction->notes = hl_alloc(PREDICTION_NOTES_MAX, sizeof(*prediction->notes));
    if (values == NULL || prediction->cells == NULL || prediction->left_out == NULL ||
        prediction->notes == NULL)
        status = hl_fail(err, HL_NO_MEMORY, "out of memory for %zu runs", runs);
    else
        status = choose_loads(prediction, prediction->cells, err);
    if (status == HL_OK)
        fill(prediction, values);
    else
        prediction_close(prediction);
    hl_free(values);
    return status;
}

void prediction_note(struct prediction *prediction, const char *format, ...)
{
    va_list args;

    if (prediction->note_count == PREDICTION_NOTES_MAX)
        return;
    va_start(args, format);
    (void)hl_vformat(prediction->notes[prediction->note_count++], PREDICTION_NOTE_BYTES, format,
                     args);
    va_end(args);
}

void prediction_close(struct prediction *prediction)
{
    hl_free(prediction->notes);
    hl_free(prediction->left_out);
    hl_free(prediction->cells);
    *prediction = (struct prediction){0};
}
