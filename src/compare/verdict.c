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

/* The experiment that this one is a sample of. Its noise is 0 where no interval tells of any. */
static struct stats_design design_of(const struct compare_cell *cell, double alpha)
{
    bool is_paired = cell->unit == COMPARE_BLOCKS;
    double noise = stats_noise_of(&cell->change, is_paired ? 0 : cell->base_n, cell->new_n);

    return (struct stats_design){.is_paired = is_paired,
                                 .n = HL_MIN(cell->base_n, cell->new_n),
                                 .alpha = alpha,
                                 .noise = isnan(noise) ? 0 : noise};
}

double compare_detectable_effect(const struct compare_cell *cell)
{
    struct compare_cell logs = *cell;
    struct stats_design design;

    if (!cell->is_ratio)
        return (double)NAN;
    logs.change.low = log(cell->change.low);
    logs.change.high = log(cell->change.high);
    design = design_of(&logs, 1 - cell->level);
    return design.noise > 0 ? stats_detectable_effect(&design, wanted_power) : (double)NAN;
}

static void plan_further(struct compare_cell *cell, double alpha, double effect)
{
    struct stats_design design = design_of(cell, alpha);
    char n[COMPARE_N_BYTES];

    if (cell->verdict != COMPARE_UNDECIDED || cell->reason[0] != '\0')
        return;
    cell->n_to_decide =
        stats_n_to_decide(&design, cell->change.estimate, cell->is_ratio ? effect : 0);
    if (!cell->change.reaches)
        (void)hl_format(cell->reason, sizeof(cell->reason),
                        "%.4g %% is out of reach of %s %s: it takes %zu", 100 * (1 - alpha),
                        compare_n_text(cell, n), compare_unit_name(cell->unit),
                        stats_least_n(design.is_paired, alpha));
    else
        (void)hl_format(cell->reason, sizeof(cell->reason), "the interval is too wide");
}

void compare_judge_interval(struct compare_cell *cell, double alpha, double effect,
                            const char *reason)
{
    struct stats_interval *change = &cell->change;

    cell->level = 1 - alpha;
    (void)hl_format(cell->reason, sizeof(cell->reason), "%s", reason);
    if (reason[0] != '\0' || !change->reaches)
        cell->verdict = COMPARE_UNDECIDED;
    else if (is_same(cell, effect))
        cell->verdict = COMPARE_SAME;
    else if (stats_is_significant(change->p, alpha))
        cell->verdict = COMPARE_DIFFERENT;
    else
        cell->verdict = COMPARE_UNDECIDED;
    cell->is_regression = cell->verdict == COMPARE_DIFFERENT && is_worse(cell) &&
                          (!cell->is_ratio || fabs(expm1(change->estimate)) >= effect);
    plan_further(cell, alpha, effect);
    if (cell->is_ratio) {
        change->estimate = exp(change->estimate);
        change->low = exp(change->low);
        change->high = exp(change->high);
    }
}

enum hl_status compare_judge(struct compare_cell *cell, const struct compare_pairing *pairing,
                             double alpha, double effect, const char *reason, struct hl_error *err)
{
    cell->unit = pairing->unit;
    cell->is_ratio = pairing->is_ratio;
    cell->base_n = pairing->base_n;
    cell->new_n = pairing->new_n;
    HL_TRY(stats_interval_of(&pairing->contrast, alpha, &cell->change, err));
    compare_judge_interval(cell, alpha, effect, reason);
    return HL_OK;
}
