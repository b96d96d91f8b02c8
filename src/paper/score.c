/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * score.c - how far the simulated table is from the published one, and whether it orders the
 * schedulers in the same way.
 *
 * Errors are taken between values as the paper compares them, each side normalised by its own
 * reference, so that a constant wrong speed of the machine is no error. Each role has its own mean:
 * a good fit must not hide a bad prediction.
 */
#include "paper/paper.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stats/stats.h"

/* Values this close together are ties, published or simulated: papers print no deviations, and
 * repeated builds of this time differ by about as much. */
static const double tie_ratio = 1.02;

enum hl_status paper_score_cell(struct paper *paper, int cell, const struct run *runs, size_t count,
                                struct hl_error *err)
{
    int metric = run_metric_find(paper->cells[cell].metric);
    enum run_better better = paper->metrics[paper->cells[cell].metric_index].better;
    double *values, *simulated = &paper->cells[cell].simulated;
    size_t n;

    *simulated = (double)NAN;
    if (metric < 0)
        return HL_OK; /* a metric that no run has yet */
    values = hl_alloc(count, sizeof(*values));
    if (values == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for %zu values", count);
    n = run_values(runs, count, (enum run_metric)metric, values);
    if (paper->statistic == PAPER_MEAN || better == RUN_NEITHER)
        *simulated = stats_mean(values, n);
    else
        *simulated = better == RUN_LOWER ? stats_min(values, n) : stats_max(values, n);
    hl_free(values);
    return HL_OK;
}

double paper_published(const struct paper *paper, int cell)
{
    int reference = paper->cells[cell].reference;
    double value = paper->cells[cell].published;

    return reference < 0 ? value : value / paper->cells[reference].published;
}

double paper_simulated(const struct paper *paper, int cell)
{
    int reference = paper->cells[cell].reference;
    double value = paper->cells[cell].simulated;

    return reference < 0 ? value : value / paper->cells[reference].simulated;
}

double paper_difference(const struct paper *paper, int cell)
{
    double published = paper_published(paper, cell), simulated = paper_simulated(paper, cell);

    if (paper->cells[cell].reference >= 0)
        return simulated - published;
    return simulated / published - 1;
}

static void score_errors(const struct paper *paper, struct paper_score *score)
{
    double sum[PAPER_ROLE_COUNT] = {0}, all = 0;
    int explained = 0;

    score->largest_cell = -1;
    score->largest_error = (double)NAN;
    for (int i = 0; i < paper->cell_count; i++) {
        enum paper_role role = paper->cells[i].role;
        double error = fabs(paper_difference(paper, i));

        if (paper->metrics[paper->cells[i].metric_index].from_count > 0) {
            score->derived++;
            continue;
        }
        if (isnan(error)) {
            score->missing += role != PAPER_NOT_EXPLAINED;
            continue;
        }
        score->cells[role]++;
        sum[role] += error;
        if (role == PAPER_NOT_EXPLAINED)
            continue;
        explained++;
        all += error;
        if (score->largest_cell < 0 || error > score->largest_error) {
            score->largest_error = error;
            score->largest_cell = i;
        }
    }
    for (int role = 0; role < PAPER_ROLE_COUNT; role++)
        score->mean_absolute_error[role] =
            score->cells[role] == 0 ? (double)NAN : sum[role] / score->cells[role];
    score->mean_absolute_error_all = explained == 0 ? (double)NAN : all / explained;
}

static bool are_same_texts(char (*a)[96], int a_count, char (*b)[96], int b_count)
{
    if (a_count != b_count)
        return false;
    for (int i = 0; i < a_count; i++)
        if (strcmp(a[i], b[i]) != 0)
            return false;
    return true;
}

/* Rows between which only the policy differs; a machine in the sense of the order. */
static bool is_same_machine(const struct paper_row *a, const struct paper_row *b)
{
    if (strcmp(a->machine, b->machine) != 0 || a->profile_count != b->profile_count)
        return false;
    for (int i = 0; i < a->profile_count; i++)
        if (strcmp(paper_row_profile(b, a->profiles[i].workload), a->profiles[i].name) != 0)
            return false;
    return are_same_texts(a->params, a->param_count, b->params, b->param_count) &&
           are_same_texts(a->options, a->option_count, b->options, b->option_count);
}

static bool is_first_of_machine(const struct paper *paper, int row)
{
    for (int i = 0; i < row; i++)
        if (is_same_machine(&paper->rows[i], &paper->rows[row]))
            return false;
    return true;
}

enum { CELL_NONE = -1, CELL_NOT_EXPLAINED = -2 };

/* The cell that stands for a row at a load: of the first metric that has been published there. */
static int order_cell(const struct paper *paper, int row, int load)
{
    for (int metric = 0; metric < paper->metric_count; metric++) {
        int cell = paper_cell_find(paper, row, load, metric);

        if (cell >= 0)
            return paper->cells[cell].role == PAPER_NOT_EXPLAINED ? CELL_NOT_EXPLAINED : cell;
    }
    return CELL_NONE;
}

/* One pair: counts it, and whether it stands as published. A pair that is simulated within a tie
 * stands in no order: it is counted apart. One missing value is no success either; of a load that
 * nobody played nothing is said. */
static void judge_pair(const struct paper_cell *low, const struct paper_cell *high,
                       struct paper_order *order)
{
    if (low->metric_index != high->metric_index ||
        (isnan(low->simulated) && isnan(high->simulated)))
        return;
    order->pairs++;
    if (low->published > high->published) {
        const struct paper_cell *swap = low;

        low = high;
        high = swap;
    }
    if (high->published / low->published <= tie_ratio)
        return;
    order->apart++;
    if (high->simulated / low->simulated > tie_ratio)
        order->held++;
    else if (low->simulated / high->simulated <= tie_ratio)
        order->simulated_ties++;
}

static void judge_order(const struct paper *paper, int first_row, int load,
                        struct paper_order *order)
{
    const struct paper_row *machine = &paper->rows[first_row];

    for (int i = first_row; i < paper->row_count; i++) {
        int a = order_cell(paper, i, load);

        if (!is_same_machine(machine, &paper->rows[i]))
            continue;
        order->left_out += a == CELL_NOT_EXPLAINED;
        if (a < 0)
            continue;
        for (int j = i + 1; j < paper->row_count; j++) {
            int b = order_cell(paper, j, load);

            if (b >= 0 && is_same_machine(machine, &paper->rows[j]))
                judge_pair(&paper->cells[a], &paper->cells[b], order);
        }
    }
    order->holds = order->held + order->simulated_ties == order->apart &&
                   (order->held > 0 || order->apart == 0);
}

static void name_order(const struct paper *paper, int row, int load, struct paper_order *order)
{
    const struct paper_row *r = &paper->rows[row];
    size_t used;

    memcpy(order->load, paper->loads[load].label, sizeof(order->load));
    (void)snprintf(order->machine, sizeof(order->machine), "%s", r->machine);
    for (int i = 0; i < r->param_count + r->option_count; i++) {
        used = strlen(order->machine);
        (void)snprintf(order->machine + used, sizeof(order->machine) - used, " %s",
                       i < r->param_count ? r->params[i] : r->options[i - r->param_count]);
    }
}

enum hl_status paper_score(const struct paper *paper, struct paper_score *score,
                           struct hl_error *err)
{
    size_t most = (size_t)paper->row_count * (size_t)paper->load_count;

    *score = (struct paper_score){0};
    score->orders = hl_alloc(most, sizeof(*score->orders));
    if (score->orders == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the score of %s", paper->id);
    score_errors(paper, score);
    for (int row = 0; row < paper->row_count; row++) {
        if (!is_first_of_machine(paper, row))
            continue;
        for (int load = 0; load < paper->load_count; load++) {
            struct paper_order *order = &score->orders[score->order_count];

            *order = (struct paper_order){0};
            judge_order(paper, row, load, order);
            if (order->pairs == 0)
                continue;
            name_order(paper, row, load, order);
            score->order_count++;
        }
    }
    return HL_OK;
}

void paper_score_close(struct paper_score *score)
{
    hl_free(score->orders);
    *score = (struct paper_score){0};
}
