/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gather.c - the runs of each arm at each load, and the numbers in them.
 *
 * A failed run is in no figure: its time says when it failed, not how fast it was.
 */
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "compare/comparison.h"

const char *compare_load_name(const struct compare_result *result, size_t load,
                              char name[COMPARE_LOAD_BYTES])
{
    const struct run *run = result->loads[load];
    bool is_one_workload = true;

    for (size_t i = 0; i < result->load_count && is_one_workload; i++)
        is_one_workload = strcmp(result->loads[i]->workload, run->workload) == 0;
    (void)hl_format(name, COMPARE_LOAD_BYTES, "%s%s%s", is_one_workload ? "" : run->workload,
                    is_one_workload ? "" : " ", run->load);
    return name;
}

const struct compare_arm *compare_base_of(const struct compare_request *request, size_t new)
{
    return request->bases != NULL ? request->bases[new] : request->base;
}

size_t compare_base_rows(const struct compare_request *request)
{
    return request->bases != NULL ? request->new_count : 1;
}

size_t compare_rows(const struct compare_request *request)
{
    return compare_base_rows(request) + request->new_count;
}

size_t compare_base_row(const struct compare_request *request, size_t new)
{
    return request->bases != NULL ? new : 0;
}

size_t compare_new_row(const struct compare_request *request, size_t new)
{
    return compare_base_rows(request) + new;
}

const struct compare_arm *compare_arm_of_row(const struct compare_request *request, size_t row)
{
    size_t bases = compare_base_rows(request);

    return row < bases ? compare_base_of(request, row) : &request->news[row - bases];
}

static size_t find_load(const struct compare_result *result, const struct run *run)
{
    size_t load = 0;

    while (load < result->load_count && !run_same_load(result->loads[load], run))
        load++;
    return load;
}

static enum hl_status list_loads(struct compare_result *result, struct hl_error *err)
{
    const struct compare_request *request = result->request;
    size_t most = 0;

    for (size_t a = 0; a < compare_rows(request); a++)
        most += compare_arm_of_row(request, a)->run_count;
    HL_TRY(compare_take(&result->arena, &result->loads, most, sizeof(*result->loads), err));
    for (size_t a = 0; a < compare_rows(request); a++) {
        const struct compare_arm *arm = compare_arm_of_row(request, a);

        for (size_t i = 0; i < arm->run_count; i++)
            if (find_load(result, arm->runs[i]) == result->load_count)
                result->loads[result->load_count++] = arm->runs[i];
    }
    return HL_OK;
}

static int compare_order(const void *a, const void *b)
{
    const struct run *x = *(const struct run *const *)a, *y = *(const struct run *const *)b;

    return (x->order > y->order) - (x->order < y->order);
}

/* Sorted by place if each run has one of its own; else left as listed. */
static void sort_group(struct compare_group *group)
{
    group->is_ordered = true;
    for (size_t i = 0; i < group->count; i++) {
        group->is_ordered = group->is_ordered && group->runs[i]->order >= 0;
        for (size_t j = 0; j < i && group->is_ordered; j++)
            group->is_ordered = group->runs[i]->order != group->runs[j]->order;
    }
    if (group->is_ordered)
        qsort(group->runs, group->count, sizeof(*group->runs), compare_order);
}

enum hl_status compare_gather(struct compare_result *result, struct compare_group **groups,
                              struct hl_error *err)
{
    const struct compare_request *request = result->request;
    size_t arms = compare_rows(request);

    HL_TRY(list_loads(result, err));
    HL_TRY(compare_take(&result->arena, groups, arms * result->load_count, sizeof(**groups), err));
    for (size_t a = 0; a < arms; a++) {
        const struct compare_arm *arm = compare_arm_of_row(request, a);
        struct compare_group *row = &(*groups)[a * result->load_count];

        for (size_t i = 0; i < arm->run_count; i++)
            row[find_load(result, arm->runs[i])].count++;
        for (size_t load = 0; load < result->load_count; load++) {
            row[load].arm = arm;
            HL_TRY(compare_take(&result->arena, &row[load].runs, row[load].count,
                                sizeof(*row[load].runs), err));
            row[load].count = 0;
        }
        for (size_t i = 0; i < arm->run_count; i++) {
            struct compare_group *group = &row[find_load(result, arm->runs[i])];

            group->runs[group->count++] = arm->runs[i];
        }
        for (size_t load = 0; load < result->load_count; load++)
            sort_group(&row[load]);
    }
    return HL_OK;
}

/* A quantile beyond what the histogram counts is only known to be at least so long. */
static bool is_only_a_bound(enum run_metric metric, double value)
{
    return (metric == RUN_run_delay_p50_s || metric == RUN_run_delay_p95_s ||
            metric == RUN_run_delay_p99_s) &&
           value >= RUN_DELAY_TOP_S;
}

enum hl_status compare_sample_of(struct hl_arena *arena, const struct compare_group *group,
                                 enum run_metric metric, struct compare_sample *sample,
                                 struct hl_error *err)
{
    *sample = (struct compare_sample){.is_positive = true};
    HL_TRY(compare_take(arena, &sample->runs, group->count, sizeof(*sample->runs), err));
    HL_TRY(compare_take(arena, &sample->values, group->count, sizeof(*sample->values), err));
    for (size_t i = 0; i < group->count; i++) {
        const struct run *run = group->runs[i];

        if (run->status != RUN_OK) {
            sample->failed++;
        } else if (!run_has(run, metric) || is_only_a_bound(metric, run->metric[metric])) {
            sample->missing++;
        } else {
            sample->is_positive = sample->is_positive && run->metric[metric] > 0;
            sample->runs[sample->n] = run;
            sample->values[sample->n++] = run->metric[metric];
        }
    }
    return HL_OK;
}
