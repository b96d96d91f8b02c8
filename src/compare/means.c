/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * means.c - the geometric mean of the ratios over the loads that both arms have.
 *
 * Paired by blocks (or by boots), each block gives one mean over the loads, and these are tested
 * like any other sample: loads of one block share what the machine was doing, so treating them as
 * independent would find too much. Without blocks the labels are permuted within each load, which
 * is approximate.
 */
#include <math.h>

#include "base/format.h"
#include "base/units.h"
#include "compare/comparison.h"

/* What a mean is measured from: means of blocks or boots, or else the loads one by one. */
struct mean_contrast {
    struct compare_pairing units; /* base_n 0: there are none */
    struct stats_contrast *loads;
    size_t load_count;
};

static enum hl_status measure_mean(const void *contrast, double alpha,
                                   struct stats_interval *interval, struct hl_error *err)
{
    const struct mean_contrast *mean = contrast;

    if (mean->units.base_n > 0)
        return compare_measure_pairing(&mean->units, alpha, interval, err);
    return stats_common_shift(mean->loads, mean->load_count, alpha, interval, err);
}

/* A mean of one load is that load. */
static enum hl_status make_contrast(struct compare_work *work, const struct compare_pairing *loads,
                                    size_t load_count, struct mean_contrast *contrast,
                                    struct compare_cell *mean, struct hl_error *err)
{
    contrast->units = loads[0];
    contrast->load_count = load_count;
    if (load_count > 1)
        HL_TRY(compare_pair_means(&work->result->arena, loads, load_count, &contrast->units, err));
    mean->unit = contrast->units.unit;
    mean->base_n = contrast->units.base_n;
    mean->new_n = contrast->units.new_n;
    if (mean->base_n > 0)
        return HL_OK;
    HL_TRY(compare_take(&work->result->arena, &contrast->loads, load_count,
                        sizeof(*contrast->loads), err));
    mean->unit = COMPARE_RUNS;
    mean->base_n = mean->new_n = SIZE_MAX;
    for (size_t i = 0; i < load_count; i++) {
        contrast->loads[i] = loads[i].contrast;
        mean->base_n = HL_MIN(mean->base_n, loads[i].base_n);
        mean->new_n = HL_MIN(mean->new_n, loads[i].new_n);
    }
    return HL_OK;
}

/* The cells of an arm stand together: *count of them, from the returned index on. */
static size_t cells_of_arm(const struct compare_result *result, size_t arm, size_t *count)
{
    size_t first = 0;

    while (first < result->cell_count && result->cells[first].arm != arm)
        first++;
    *count = 0;
    while (first + *count < result->cell_count && result->cells[first + *count].arm == arm)
        (*count)++;
    return first;
}

static bool all_have_ratios(const struct compare_cell *cells, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!cells[i].is_ratio)
            return false;
    return count > 0;
}

/* A mean over loads of which one cannot be decided cannot be either. */
static const char *reason_of(const char *const *reasons, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (reasons[i][0] != '\0')
            return reasons[i];
    return "";
}

/* The fewest units that would decide a load. */
static size_t least_to_decide(const struct compare_cell *cells, size_t count)
{
    size_t least = 0;

    for (size_t i = 0; i < count; i++)
        if (cells[i].n_to_decide > 0 && (least == 0 || cells[i].n_to_decide < least))
            least = cells[i].n_to_decide;
    return least;
}

/* Equal arms must not be called different more often because the same runs are averaged too. */
static void only_confirm(struct compare_cell *mean, const struct compare_cell *cells, size_t count)
{
    if (mean->verdict != COMPARE_DIFFERENT || compare_count(cells, count, COMPARE_DIFFERENT) > 0)
        return;
    mean->verdict = COMPARE_UNDECIDED;
    mean->is_regression = false;
    mean->n_to_decide = least_to_decide(cells, count);
    (void)hl_format(mean->reason, sizeof(mean->reason),
                    "no load by itself is different at the corrected level");
}

static bool are_themselves(const struct compare_pairing *pairings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!pairings[i].is_itself)
            return false;
    return true;
}

/* Means of the arms whose loads all have ratios, measured at the uncorrected level. */
static enum hl_status measure_means(struct compare_work *work, struct mean_contrast *contrasts,
                                    struct hl_error *err)
{
    struct compare_result *result = work->result;

    HL_TRY(compare_take(&result->arena, &result->means, work->request->new_count,
                        sizeof(*result->means), err));
    for (size_t arm = 0; arm < work->request->new_count; arm++) {
        size_t count, first = cells_of_arm(result, arm, &count);
        struct compare_cell *mean = &result->means[result->mean_count];
        struct mean_contrast *contrast = &contrasts[result->mean_count];

        if (!all_have_ratios(&result->cells[first], count))
            continue;
        *mean = (struct compare_cell){.arm = arm,
                                      .load = COMPARE_LOADS_ALL,
                                      .metric = work->request->metric,
                                      .base_mean = (double)NAN,
                                      .new_mean = (double)NAN,
                                      .is_ratio = true};
        HL_TRY(make_contrast(work, &work->pairings[first], count, contrast, mean, err));
        HL_TRY(measure_mean(contrast, work->alpha, &mean->change, err));
        result->mean_count++;
    }
    return HL_OK;
}

enum hl_status compare_make_means(struct compare_work *work, struct hl_error *err)
{
    struct compare_result *result = work->result;
    struct mean_contrast *contrasts;
    double *p, *levels, *adjusted;

    HL_TRY(compare_take(&result->arena, &contrasts, work->request->new_count, sizeof(*contrasts),
                        err));
    HL_TRY(measure_means(work, contrasts, err));
    HL_TRY(compare_take(&result->arena, &p, result->mean_count, sizeof(*p), err));
    HL_TRY(compare_take(&result->arena, &levels, result->mean_count, sizeof(*levels), err));
    HL_TRY(compare_take(&result->arena, &adjusted, result->mean_count, sizeof(*adjusted), err));
    for (size_t i = 0; i < result->mean_count; i++) {
        size_t count, first = cells_of_arm(result, result->means[i].arm, &count);

        /* As in the family of loads: what cannot be decided makes no room for others. */
        p[i] = reason_of(&work->reasons[first], count)[0] != '\0' ? 1 : result->means[i].change.p;
    }
    HL_TRY(stats_holm_levels(p, result->mean_count, work->alpha, levels, err));
    HL_TRY(stats_holm(p, result->mean_count, adjusted, err));
    for (size_t i = 0; i < result->mean_count; i++) {
        struct compare_cell *mean = &result->means[i];
        size_t count, first = cells_of_arm(result, mean->arm, &count);

        mean->p_adjusted = adjusted[i];
        HL_TRY(compare_judge(mean, measure_mean, &contrasts[i], levels[i], work->request->effect,
                             reason_of(&work->reasons[first], count), err));
        only_confirm(mean, &result->cells[first], count);
        if (are_themselves(&work->pairings[first], count))
            compare_judge_itself(mean);
        if (work->boots[mean->arm] == COMPARE_BOOTS_ONE_EACH)
            compare_judge_one_boot(mean);
    }
    return HL_OK;
}
