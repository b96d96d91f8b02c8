/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planning.c - how many runs an experiment to come takes.
 *
 * Noise comes from a study, best from one of equal arms, or is given. Both ways to play are planned:
 * in blocks, where the noise of a pair counts, and apart. Noise of pairs that nobody measured is that
 * of two runs with nothing in common, so the plan asks for too many rather than too few.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/format.h"
#include "base/units.h"
#include "compare/comparison.h"

double compare_plan_level(const struct compare_plan *plan)
{
    return 1 - (1 - plan->level) / (double)(plan->loads * (plan->variants - 1));
}

static void fill_row(const struct compare_plan *plan, struct compare_plan_row *row)
{
    struct stats_design design = {.is_paired = row->unit == COMPARE_BLOCKS,
                                  .alpha = 1 - compare_plan_level(plan),
                                  .noise = row->noise};

    row->least_n = stats_least_n(design.is_paired, design.alpha);
    row->is_planned = row->n > 0;
    design.n = row->n = row->is_planned ? row->n : row->least_n;
    row->floor = expm1(stats_half_width(&design));
    row->detectable = stats_detectable_effect(&design, 0.8);
    row->n_80 = stats_n_needed(&design, plan->effect, 0.8);
    row->n_90 = stats_n_needed(&design, plan->effect, 0.9);
}

/* A load as boots, each once in each arm; after the rows of its blocks and runs. */
static void add_boots(struct compare_plan *plan, double noise, size_t n)
{
    struct compare_plan_row *row = &plan->rows[plan->row_count];

    *row = (struct compare_plan_row){
        .load = row[-1].load, .unit = COMPARE_BOOTS, .noise = noise, .n = n};
    fill_row(plan, row);
    plan->row_count++;
}

/* A load as blocks and as runs apart. `pair_noise` may be NAN. */
static enum hl_status add_rows(struct compare_plan *plan, const char *load, double run_noise,
                               double pair_noise, size_t n, struct hl_error *err)
{
    size_t bytes = strlen(load) + 1;
    char *name;

    HL_TRY(compare_take(&plan->arena, &name, bytes, 1, err));
    memcpy(name, load, bytes);
    for (int i = 0; i < 2; i++) {
        struct compare_plan_row *row = &plan->rows[plan->row_count++];

        *row = (struct compare_plan_row){.load = name,
                                         .unit = i == 0 ? COMPARE_BLOCKS : COMPARE_RUNS,
                                         .noise = run_noise,
                                         .n = n};
        if (i == 0) {
            row->is_assumed = isnan(pair_noise);
            row->noise = row->is_assumed ? M_SQRT2 * run_noise : pair_noise;
        }
        fill_row(plan, row);
    }
    return HL_OK;
}

/* ---- noise of a study ---- */

/* Root of the mean square over those that are known. */
struct noise_mean {
    double sum;
    size_t count;
};

static void noise_add(struct noise_mean *mean, double noise)
{
    if (isnan(noise))
        return;
    mean->sum += noise * noise;
    mean->count++;
}

static double noise_of(const struct noise_mean *mean)
{
    return mean->count > 0 ? sqrt(mean->sum / (double)mean->count) : (double)NAN;
}

/* Of two modes the robust figure is that within one of them. Values that were read too coarsely to
 * differ are not free of noise: what rounding leaves, at least. */
static double read_noise(const struct compare_side *side, const struct run *run)
{
    if (side->is_two_modes)
        return side->sd / side->mean;
    if (run->source == RUN_SIM || isnan(side->noise))
        return side->noise;
    return fmax(side->noise, side->resolution / sqrt(12) / side->mean);
}

static enum hl_status add_load(struct compare_plan *plan, const struct compare_result *result,
                               size_t load, size_t n, struct hl_error *err)
{
    struct noise_mean runs = {0}, pairs = {0}, boots = {0};
    char name[COMPARE_LOAD_BYTES];
    size_t fewest = SIZE_MAX, fewest_boots = SIZE_MAX;

    for (size_t row = 0; row < compare_rows(result->request); row++) {
        const struct compare_side *side = &result->sides[row * result->load_count + load];

        if (side->n < 2)
            continue;
        noise_add(&runs, read_noise(side, result->loads[load]));
        noise_add(&boots, side->boot_noise);
        fewest = HL_MIN(fewest, side->n);
        fewest_boots = HL_MIN(fewest_boots, side->boots);
        plan->boots = HL_MAX(plan->boots, side->boots);
    }
    for (size_t i = 0; i < result->cell_count; i++)
        if (result->cells[i].load == load && result->cells[i].unit == COMPARE_BLOCKS)
            noise_add(&pairs, result->cells[i].noise);
    if (runs.count == 0)
        return HL_OK;
    HL_TRY(add_rows(plan, compare_load_name(result, load, name), noise_of(&runs), noise_of(&pairs),
                    n > 0 ? n : fewest, err));
    if (boots.count > 0)
        add_boots(plan, noise_of(&boots), n > 0 ? n : fewest_boots);
    return HL_OK;
}

static enum hl_status make_rows(struct compare_plan *plan, const struct compare_result *result,
                                double noise, size_t n, struct hl_error *err)
{
    size_t loads = result == NULL ? 1 : result->load_count;

    HL_TRY(compare_take(&plan->arena, &plan->rows, 3 * loads, sizeof(*plan->rows), err));
    if (result == NULL)
        return add_rows(plan, "", noise, (double)NAN, n, err);
    for (size_t load = 0; load < loads; load++)
        HL_TRY(add_load(plan, result, load, n, err));
    return HL_OK;
}

enum hl_status compare_plan_make(struct compare_plan *plan, const struct compare_result *result,
                                 double noise, size_t n, struct hl_error *err)
{
    enum hl_status status;

    assert(result != NULL || noise > 0);
    assert(plan->effect > 0 && plan->level > 0 && plan->level < 1);
    if (plan->loads == 0)
        plan->loads = result == NULL ? 1 : result->load_count;
    if (plan->variants == 0)
        plan->variants = result == NULL ? 2 : HL_MAX(result->request->new_count + 1, (size_t)2);
    status = make_rows(plan, result, noise, n, err);
    if (status != HL_OK)
        compare_plan_close(plan);
    return status;
}

void compare_plan_close(struct compare_plan *plan)
{
    hl_arena_close(&plan->arena);
    plan->rows = NULL;
    plan->row_count = 0;
}
