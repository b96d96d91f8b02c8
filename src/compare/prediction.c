/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prediction.c - means by load of both sides, and their ratio.
 */
#include "compare/prediction.h"

#include <math.h>

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

/* The loads that both have, in the order of the measured ones. */
static enum hl_status choose_loads(struct prediction *p, struct prediction_cell *cells,
                                   struct hl_error *err)
{
    const struct compare_arm *measured = p->measured, *predicted = p->predicted;

    for (size_t i = 0; i < measured->run_count; i++) {
        if (!is_first(measured, i))
            continue;
        if (find_load(predicted, measured->runs[i]) == NULL) {
            p->left_out++;
            continue;
        }
        cells[p->load_count++].load = measured->runs[i];
        /* One job is what times are relative to by custom. */
        if (p->reference == NULL || (measured->runs[i]->level == 1 && p->reference->level != 1))
            p->reference = measured->runs[i];
    }
    for (size_t i = 0; i < predicted->run_count; i++)
        p->left_out += is_first(predicted, i) && find_load(measured, predicted->runs[i]) == NULL;
    if (p->load_count > 0)
        return HL_OK;
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
    if (values == NULL || prediction->cells == NULL)
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

void prediction_close(struct prediction *prediction)
{
    hl_free(prediction->cells);
    *prediction = (struct prediction){0};
}
