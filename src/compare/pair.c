/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pair.c - which runs are set against which: blocks, equal seeds, boots, or all against all.
 *
 * A block holds a run of each arm, close in time, so what the machine was doing is common to both
 * and cancels. Simulated runs of equal seeds face the same jobs. Runs under different kernels can
 * never share a boot: then a boot, not a run, is what was repeated.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "compare/comparison.h"

/* ---- boots ---- */

static bool has_boot(const struct compare_arm *arm, const char *boot_id)
{
    for (size_t i = 0; i < arm->run_count; i++)
        if (strcmp(arm->runs[i]->boot_id, boot_id) == 0)
            return true;
    return false;
}

static bool has_one_boot(const struct compare_arm *arm)
{
    for (size_t i = 1; i < arm->run_count; i++)
        if (strcmp(arm->runs[i]->boot_id, arm->runs[0]->boot_id) != 0)
            return false;
    return true;
}

enum compare_boots compare_boots_of(const struct compare_arm *base, const struct compare_arm *new)
{
    for (size_t i = 0; i < base->run_count; i++)
        if (base->runs[i]->boot_id[0] == '\0' || has_boot(new, base->runs[i]->boot_id))
            return COMPARE_BOOTS_SHARED;
    /* Boots that are not known may be shared. */
    if (base->run_count == 0 || has_boot(new, ""))
        return COMPARE_BOOTS_SHARED;
    return has_one_boot(base) && has_one_boot(new) ? COMPARE_BOOTS_ONE_EACH : COMPARE_BOOTS_APART;
}

/* ---- numbers ---- */

static double number_of(const struct compare_pairing *pairing, double value)
{
    return pairing->is_ratio ? log(value) : value;
}

/* The log of the ratio, or the difference: exactly 0 for equal values. */
static double change_of(const struct compare_pairing *pairing, double base, double new)
{
    return pairing->is_ratio ? log(new / base) : new - base;
}

/* A unit's mark: of a simulated run its seed, else its block. False: it has none. */
static bool mark_of(const struct run *run, uint64_t *mark)
{
    *mark = run->source == RUN_SIM ? run->seed : (uint64_t)HL_MAX(run->block, 0);
    return run->source == RUN_SIM || run->block >= 0;
}

static bool has_distinct_marks(const struct compare_sample *sample)
{
    for (size_t i = 0; i < sample->n; i++) {
        uint64_t mark, other;

        if (!mark_of(sample->runs[i], &mark))
            return false;
        for (size_t j = 0; j < i; j++)
            if (mark_of(sample->runs[j], &other) && mark == other)
                return false;
    }
    return true;
}

static bool is_simulated(const struct compare_sample *sample)
{
    for (size_t i = 0; i < sample->n; i++)
        if (sample->runs[i]->source != RUN_SIM)
            return false;
    return true;
}

/* A study that is compared with itself: not one more run was made for the other side. */
static bool is_itself(const struct compare_sample *base, const struct compare_sample *new)
{
    if (base->n != new->n || !run_same_arm(base->runs[0], new->runs[0]))
        return false;
    for (size_t i = 0; i < base->n; i++) {
        const struct run *x = base->runs[i], *y = new->runs[i];

        if (x->run != y->run || x->block != y->block || x->order != y->order ||
            x->seed != y->seed || strcmp(x->boot_id, y->boot_id) != 0 ||
            base->values[i] != new->values[i])
            return false;
    }
    return true;
}

/* A study that was gone on with after a reboot may have a block of two boots: no pair is in it. */
static bool may_share_boot(const struct run *a, const struct run *b)
{
    return a->boot_id[0] == '\0' || b->boot_id[0] == '\0' || strcmp(a->boot_id, b->boot_id) == 0;
}

/* ---- the three ways ---- */

/* Pairs by mark; less than half of the smaller arm paired is chance, and gives none. */
static enum hl_status pair_blocks(struct hl_arena *arena, const struct compare_sample *base,
                                  const struct compare_sample *new, struct compare_pairing *pairing,
                                  struct hl_error *err)
{
    size_t n = 0, most = HL_MIN(base->n, new->n);
    double *changes;

    HL_TRY(compare_take(arena, &changes, most, sizeof(*changes), err));
    HL_TRY(compare_take(arena, &pairing->base_units, base->n, sizeof(*pairing->base_units), err));
    for (size_t i = 0; i < base->n; i++)
        for (size_t j = 0; j < new->n; j++) {
            uint64_t mark, other;

            if (!mark_of(base->runs[i], &mark) || !mark_of(new->runs[j], &other) || mark != other ||
                !may_share_boot(base->runs[i], new->runs[j]))
                continue;
            changes[n] = change_of(pairing, base->values[i], new->values[j]);
            pairing->base_units[n++] = base->runs[i];
        }
    if (2 * n < most)
        return HL_OK;
    pairing->unit = COMPARE_BLOCKS;
    pairing->contrast = (struct stats_contrast){.y = changes, .y_count = n};
    pairing->new_units = pairing->base_units;
    pairing->base_n = pairing->new_n = n;
    pairing->unpaired = base->n + new->n - 2 * n;
    return HL_OK;
}

static enum hl_status take_runs(struct hl_arena *arena, const struct compare_sample *sample,
                                const struct compare_pairing *pairing, double **numbers,
                                struct hl_error *err)
{
    HL_TRY(compare_take(arena, numbers, sample->n, sizeof(**numbers), err));
    for (size_t i = 0; i < sample->n; i++)
        (*numbers)[i] = number_of(pairing, sample->values[i]);
    return HL_OK;
}

/* Means of the numbers of each boot. */
static enum hl_status take_boots(struct hl_arena *arena, const struct compare_sample *sample,
                                 const struct compare_pairing *pairing, double **numbers,
                                 const struct run ***units, size_t *n, struct hl_error *err)
{
    size_t *counts;

    HL_TRY(compare_take(arena, numbers, sample->n, sizeof(**numbers), err));
    HL_TRY(compare_take(arena, units, sample->n, sizeof(**units), err));
    HL_TRY(compare_take(arena, &counts, sample->n, sizeof(*counts), err));
    *n = 0;
    for (size_t i = 0; i < sample->n; i++) {
        size_t b = 0;

        while (b < *n && strcmp((*units)[b]->boot_id, sample->runs[i]->boot_id) != 0)
            b++;
        if (b == *n)
            (*units)[(*n)++] = sample->runs[i];
        counts[b]++;
        /* A running mean leaves equal numbers exactly as they are. */
        (*numbers)[b] +=
            (number_of(pairing, sample->values[i]) - (*numbers)[b]) / (double)counts[b];
    }
    return HL_OK;
}

enum hl_status compare_pair(struct hl_arena *arena, const struct compare_sample *base,
                            const struct compare_sample *new, bool is_one_session,
                            enum compare_boots boots, struct compare_pairing *pairing,
                            struct hl_error *err)
{
    bool has_common_jobs = is_simulated(base) && is_simulated(new);
    double *x, *y;

    assert(base->n > 0);
    assert(new->n > 0);
    *pairing = (struct compare_pairing){.unit = COMPARE_RUNS,
                                        .is_ratio = base->is_positive && new->is_positive,
                                        .is_itself = is_one_session &&is_itself(base, new)};
    if (boots == COMPARE_BOOTS_SHARED && (is_one_session || has_common_jobs) &&
        has_distinct_marks(base) && has_distinct_marks(new)) {
        HL_TRY(pair_blocks(arena, base, new, pairing, err));
        if (pairing->unit == COMPARE_BLOCKS)
            return HL_OK;
    }
    if (boots == COMPARE_BOOTS_APART) {
        pairing->unit = COMPARE_BOOTS;
        HL_TRY(take_boots(arena, base, pairing, &x, &pairing->base_units, &pairing->base_n, err));
        HL_TRY(take_boots(arena, new, pairing, &y, &pairing->new_units, &pairing->new_n, err));
    } else {
        HL_TRY(take_runs(arena, base, pairing, &x, err));
        HL_TRY(take_runs(arena, new, pairing, &y, err));
        pairing->base_units = base->runs;
        pairing->new_units = new->runs;
        pairing->base_n = base->n;
        pairing->new_n = new->n;
    }
    pairing->contrast = (struct stats_contrast){
        .x = x, .x_count = pairing->base_n, .y = y, .y_count = pairing->new_n};
    return HL_OK;
}

/* ---- means over loads ---- */

static bool is_same_unit(enum compare_unit unit, const struct run *a, const struct run *b)
{
    if (unit == COMPARE_BOOTS)
        return strcmp(a->boot_id, b->boot_id) == 0;
    /* Seeds differ between loads; the repetition they belong to does not. */
    return a->block >= 0 ? a->block == b->block : a->run == b->run;
}

/* The mean over loads for each unit that all of them have. */
static enum hl_status mean_of_units(struct hl_arena *arena, const struct compare_pairing *loads,
                                    size_t load_count, bool is_new, const double **numbers,
                                    const struct run ***units, size_t *n, struct hl_error *err)
{
    const struct run **first = is_new ? loads[0].new_units : loads[0].base_units;
    size_t first_count = is_new ? loads[0].new_n : loads[0].base_n;
    double *means;

    HL_TRY(compare_take(arena, &means, first_count, sizeof(*means), err));
    HL_TRY(compare_take(arena, units, first_count, sizeof(**units), err));
    *numbers = means;
    *n = 0;
    for (size_t u = 0; u < first_count; u++) {
        double sum = 0;
        size_t found = 0;

        for (size_t l = 0; l < load_count; l++) {
            const struct run **those = is_new ? loads[l].new_units : loads[l].base_units;
            size_t count = is_new ? loads[l].new_n : loads[l].base_n;
            const double *values = is_new ? loads[l].contrast.y : loads[l].contrast.x;

            for (size_t i = 0; i < count; i++) {
                if (!is_same_unit(loads[0].unit, those[i], first[u]))
                    continue;
                sum += values[i];
                found++;
                break;
            }
        }
        if (found == load_count) {
            means[*n] = sum / (double)load_count;
            (*units)[(*n)++] = first[u];
        }
    }
    return HL_OK;
}

enum hl_status compare_pair_means(struct hl_arena *arena, const struct compare_pairing *loads,
                                  size_t load_count, struct compare_pairing *mean,
                                  struct hl_error *err)
{
    const double *numbers = NULL;

    *mean = (struct compare_pairing){.unit = loads[0].unit, .is_ratio = true};
    for (size_t l = 0; l < load_count; l++)
        if (loads[l].unit == COMPARE_RUNS || loads[l].unit != loads[0].unit)
            return HL_OK;
    HL_TRY(mean_of_units(arena, loads, load_count, true, &numbers, &mean->new_units, &mean->new_n,
                         err));
    mean->contrast.y = numbers;
    mean->contrast.y_count = mean->new_n;
    mean->base_units = mean->new_units;
    mean->base_n = mean->new_n;
    if (mean->unit == COMPARE_BOOTS) {
        HL_TRY(mean_of_units(arena, loads, load_count, false, &numbers, &mean->base_units,
                             &mean->base_n, err));
        mean->contrast.x = numbers;
        mean->contrast.x_count = mean->base_n;
    }
    if (mean->new_n == 0)
        mean->base_n = 0;
    return HL_OK;
}
