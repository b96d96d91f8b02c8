/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verdict.c - same, different or undecided, and how many blocks would decide.
 *
 * Both answers come from one interval at the corrected level: within 1 - effect and 1 + effect is
 * "same", even if it leaves out 1; leaving out 1 is "different". Where n cannot reach the level
 * there is no such interval, and nothing is decided, whatever the widest one looks like.
 */
#include <math.h>

#include "base/format.h"
#include "base/units.h"
#include "compare/comparison.h"

static const double wanted_power = 0.8;

const char *compare_verdict_name(enum compare_verdict verdict)
{
    switch (verdict) {
    case COMPARE_SAME: return "same";
    case COMPARE_DIFFERENT: return "different";
    case COMPARE_UNDECIDED: return "undecided";
    }
    return "unknown";
}

const char *compare_unit_name(enum compare_unit unit)
{
    switch (unit) {
    case COMPARE_BLOCKS: return "blocks";
    case COMPARE_RUNS: return "runs";
    case COMPARE_BOOTS: return "boots";
    }
    return "units";
}

const char *compare_units(enum compare_unit unit, size_t count)
{
    static const char *const singular[] = {"block", "run", "boot"};

    _Static_assert(COMPARE_BLOCKS == 0 && COMPARE_RUNS == 1 && COMPARE_BOOTS == 2,
                   "places in `singular`");
    return count == 1 ? singular[unit] : compare_unit_name(unit);
}

const char *compare_n_text(const struct compare_cell *cell, char text[COMPARE_N_BYTES])
{
    if (cell->unit == COMPARE_BLOCKS)
        (void)hl_format(text, COMPARE_N_BYTES, "%zu", cell->new_n);
    else
        (void)hl_format(text, COMPARE_N_BYTES, "%zu v %zu", cell->base_n, cell->new_n);
    return text;
}

size_t compare_count(const struct compare_cell *cells, size_t count, enum compare_verdict verdict)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        found += cells[i].verdict == verdict;
    return found;
}

static bool is_same(const struct compare_cell *cell, double effect)
{
    const struct stats_interval *change = &cell->change;

    if (!cell->is_ratio)
        return change->low == 0 && change->high == 0;
    return change->low >= log1p(-effect) && change->high <= log1p(effect);
}

static bool is_worse(const struct compare_cell *cell)
{
    switch (run_metric_table[cell->metric].better) {
    case RUN_LOWER: return cell->change.estimate > 0;
    case RUN_HIGHER: return cell->change.estimate < 0;
    case RUN_NEITHER: return false;
    }
    return false;
}

/* The experiment that this one is a sample of. */
static struct stats_design design_of(const struct compare_cell *cell)
{
    return (struct stats_design){.is_paired = cell->unit == COMPARE_BLOCKS,
                                 .n = HL_MIN(cell->base_n, cell->new_n),
                                 .alpha = 1 - cell->level,
                                 .noise = isnan(cell->noise) ? 0 : cell->noise};
}

double compare_detectable_effect(const struct compare_cell *cell)
{
    struct stats_design design = design_of(cell);

    if (!cell->is_ratio || !(design.noise > 0))
        return (double)NAN;
    return stats_detectable_effect(&design, wanted_power);
}

static void plan_further(struct compare_cell *cell, double effect)
{
    struct stats_design design = design_of(cell);
    char n[COMPARE_N_BYTES];

    cell->n_to_decide =
        stats_n_to_decide(&design, cell->change.estimate, cell->is_ratio ? effect : 0);
    if (!cell->change.reaches) {
        struct compare_cell least = {.unit = cell->unit};
        char least_n[COMPARE_N_BYTES];

        least.base_n = least.new_n = stats_least_n(design.is_paired, design.alpha);
        (void)hl_format(cell->reason, sizeof(cell->reason),
                        "%.4g %% is out of reach of %s %s: it takes %s", 100 * cell->level,
                        compare_n_text(cell, n),
                        compare_units(cell->unit, cell->unit == COMPARE_BLOCKS ? cell->new_n : 2),
                        compare_n_text(&least, least_n));
    } else {
        (void)hl_format(cell->reason, sizeof(cell->reason), "the interval is too wide");
    }
}

static enum compare_verdict verdict_of(const struct compare_cell *cell, double alpha, double effect)
{
    if (cell->reason[0] != '\0' || !cell->change.reaches)
        return COMPARE_UNDECIDED;
    if (is_same(cell, effect))
        return COMPARE_SAME;
    return stats_is_significant(cell->change.p, alpha) ? COMPARE_DIFFERENT : COMPARE_UNDECIDED;
}

static enum hl_status measure_noise(struct compare_cell *cell, compare_measure *measure,
                                    const void *contrast, struct hl_error *err)
{
    struct stats_interval middle;

    HL_TRY(measure(contrast, COMPARE_NOISE_ALPHA, &middle, err));
    cell->noise =
        stats_noise_of(&middle, cell->unit == COMPARE_BLOCKS ? 0 : cell->base_n, cell->new_n);
    return HL_OK;
}

enum hl_status compare_judge(struct compare_cell *cell, compare_measure *measure,
                             const void *contrast, double alpha, double effect, const char *reason,
                             struct hl_error *err)
{
    struct stats_interval *change = &cell->change;

    cell->level = 1 - alpha;
    cell->noise = (double)NAN;
    (void)hl_format(cell->reason, sizeof(cell->reason), "%s", reason);
    HL_TRY(measure(contrast, alpha, change, err));
    if (cell->is_ratio)
        HL_TRY(measure_noise(cell, measure, contrast, err));
    cell->verdict = verdict_of(cell, alpha, effect);
    cell->is_regression = cell->verdict == COMPARE_DIFFERENT && is_worse(cell) &&
                          (!cell->is_ratio || fabs(expm1(change->estimate)) >= effect);
    if (cell->verdict == COMPARE_UNDECIDED && reason[0] == '\0')
        plan_further(cell, effect);
    if (cell->is_ratio) {
        change->estimate = exp(change->estimate);
        change->low = exp(change->low);
        change->high = exp(change->high);
    }
    return HL_OK;
}

void compare_judge_one_boot(struct compare_cell *cell)
{
    double estimate = cell->change.estimate, none = (double)NAN;

    cell->unit = COMPARE_BOOTS;
    cell->base_n = cell->new_n = 1;
    cell->change = (struct stats_interval){
        .estimate = estimate, .low = none, .high = none, .level = none, .p = none};
    cell->p_adjusted = cell->noise = none;
    cell->n_to_decide = 0;
}

void compare_judge_itself(struct compare_cell *cell)
{
    double none = cell->is_ratio ? 1 : 0;

    cell->change = (struct stats_interval){.estimate = none,
                                           .low = none,
                                           .high = none,
                                           .level = 1,
                                           .p = 1,
                                           .reaches = true,
                                           .is_exact = true};
    cell->verdict = COMPARE_SAME;
    cell->reason[0] = '\0';
    cell->n_to_decide = 0;
}

enum hl_status compare_measure_pairing(const void *contrast, double alpha,
                                       struct stats_interval *interval, struct hl_error *err)
{
    const struct compare_pairing *pairing = contrast;

    return stats_interval_of(&pairing->contrast, alpha, interval, err);
}
