/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare.c - one comparison from gathering to verdicts.
 *
 * One family of tests decides: the primary metric at all loads and for all new arms, under Holm.
 * The geometric mean has the same level for itself and may only confirm: it is "different" only if
 * some load is, so that equal arms are called different no more often than the level says. All
 * other metrics are exploratory.
 */
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/format.h"
#include "compare/comparison.h"

enum hl_status compare_note_add(struct compare_result *result, enum compare_note_kind kind,
                                struct hl_error *err, const char *format, ...)
{
    struct compare_note note = {.kind = kind};
    va_list args;

    va_start(args, format);
    (void)hl_vformat(note.text, sizeof(note.text), format, args);
    va_end(args);
    /* A base of several new arms is looked at with each of them. */
    for (size_t i = 0; i < result->note_count; i++)
        if (result->notes[i].kind == kind && strcmp(result->notes[i].text, note.text) == 0)
            return HL_OK;
    HL_TRY(hl_grow(&result->notes, &result->note_capacity, result->note_count + 1,
                   sizeof(*result->notes), err));
    result->notes[result->note_count++] = note;
    return HL_OK;
}

static const struct compare_group *base_group(const struct compare_work *work, size_t new,
                                              size_t load)
{
    return &work->groups[compare_base_row(work->request, new) * work->result->load_count + load];
}

static const struct compare_group *new_group(const struct compare_work *work, size_t new,
                                             size_t load)
{
    return &work->groups[compare_new_row(work->request, new) * work->result->load_count + load];
}

/* ---- sides ---- */

/* Mean logs of boots, and how far they lie apart. */
static enum hl_status fill_boots(struct hl_arena *arena, const struct compare_sample *sample,
                                 struct compare_side *side, struct hl_error *err)
{
    double *means;
    size_t *counts, *first;

    side->boot_noise = (double)NAN;
    HL_TRY(compare_take(arena, &means, sample->n, sizeof(*means), err));
    HL_TRY(compare_take(arena, &counts, sample->n, sizeof(*counts), err));
    HL_TRY(compare_take(arena, &first, sample->n, sizeof(*first), err));
    for (size_t i = 0; i < sample->n; i++) {
        size_t b = 0;

        if (sample->runs[i]->boot_id[0] == '\0')
            continue;
        while (b < side->boots &&
               strcmp(sample->runs[first[b]]->boot_id, sample->runs[i]->boot_id) != 0)
            b++;
        if (b == side->boots)
            first[side->boots++] = i;
        counts[b]++;
        means[b] += (log(sample->values[i]) - means[b]) / (double)counts[b];
    }
    if (side->boots >= 3)
        side->boot_noise = stats_sd(means, side->boots);
    return HL_OK;
}

static enum hl_status fill_side(struct compare_work *work, const struct compare_group *group,
                                struct compare_side *side, struct hl_error *err)
{
    struct compare_sample sample;
    struct stats_contrast contrast;
    double *numbers;

    HL_TRY(compare_sample_of(&work->result->arena, group, work->request->metric, &sample, err));
    *side = (struct compare_side){
        .n = sample.n,
        .failed = sample.failed,
        .missing = sample.missing,
        .mean = stats_mean(sample.values, sample.n),
        .sd = stats_sd(sample.values, sample.n),
        .noise = (double)NAN,
        .boot_noise = (double)NAN,
        .resolution = stats_resolution(sample.values, sample.n),
    };
    if (sample.n == 0)
        return HL_OK;
    side->is_two_modes = stats_two_modes(sample.values, sample.n, side->resolution, &side->modes);
    HL_TRY(compare_take(&work->result->arena, &numbers, sample.n, sizeof(*numbers), err));
    /* Relative to the first value: equal values then come back exactly. */
    for (size_t i = 0; i < sample.n; i++)
        numbers[i] = sample.is_positive ? log(sample.values[i] / sample.values[0])
                                        : sample.values[i] - sample.values[0];
    contrast = (struct stats_contrast){.y = numbers, .y_count = sample.n};
    HL_TRY(stats_interval_of(&contrast, work->alpha, &side->middle, err));
    if (sample.is_positive) {
        struct stats_interval half;

        HL_TRY(stats_interval_of(&contrast, COMPARE_NOISE_ALPHA, &half, err));
        side->noise = stats_noise_of(&half, 0, sample.n);
        HL_TRY(fill_boots(&work->result->arena, &sample, side, err));
    }
    for (int i = 0; i < 3; i++) {
        double *number = i == 0   ? &side->middle.estimate
                         : i == 1 ? &side->middle.low
                                  : &side->middle.high;

        *number = sample.is_positive ? sample.values[0] * exp(*number) : sample.values[0] + *number;
    }
    return HL_OK;
}

static enum hl_status fill_sides(struct compare_work *work, struct hl_error *err)
{
    struct compare_result *result = work->result;
    size_t count = compare_rows(work->request) * result->load_count;

    HL_TRY(compare_take(&result->arena, &result->sides, count, sizeof(*result->sides), err));
    for (size_t i = 0; i < count; i++)
        HL_TRY(fill_side(work, &work->groups[i], &result->sides[i], err));
    return HL_OK;
}

/* ---- cells ---- */

/* Pairs and measures, `change` of logs or differences at the uncorrected level. *is_there is false,
 * and nothing is filled, if a side has no value of the metric. */
static enum hl_status make_cell(struct compare_work *work, size_t arm, size_t load,
                                enum run_metric metric, struct compare_cell *cell,
                                struct compare_pairing *pairing, bool *is_there,
                                struct hl_error *err)
{
    const struct compare_group *base = base_group(work, arm, load);
    const struct compare_group *new = new_group(work, arm, load);
    struct hl_arena *arena = &work->result->arena;
    struct compare_sample base_sample, new_sample;

    HL_TRY(compare_sample_of(arena, base, metric, &base_sample, err));
    HL_TRY(compare_sample_of(arena, new, metric, &new_sample, err));
    *is_there = base_sample.n > 0 && new_sample.n > 0;
    if (!*is_there)
        return HL_OK;
    *cell = (struct compare_cell){
        .arm = arm,
        .load = load,
        .metric = metric,
        .base_mean = stats_mean(base_sample.values, base_sample.n),
        .new_mean = stats_mean(new_sample.values, new_sample.n),
    };
    HL_TRY(compare_pair(arena, &base_sample, &new_sample, base->arm->session == new->arm->session,
                        work->boots[arm], pairing, err));
    cell->unit = pairing->unit;
    cell->is_ratio = pairing->is_ratio;
    cell->base_n = pairing->base_n;
    cell->new_n = pairing->new_n;
    return compare_measure_pairing(pairing, work->alpha, &cell->change, err);
}

/* What no interval can overcome: one boot each, or an order of play that mirrors the arms. */
static enum hl_status find_reason(struct compare_work *work, const struct compare_cell *cell,
                                  struct compare_order *order, struct hl_error *err)
{
    if (work->boots[cell->arm] == COMPARE_BOOTS_ONE_EACH) {
        *order = (struct compare_order){.reason =
                                            "one boot each: boots and kernels cannot be separated"};
        return HL_OK;
    }
    return compare_order_of(&work->result->arena, base_group(work, cell->arm, cell->load),
                            new_group(work, cell->arm, cell->load), cell->metric,
                            work->request->effect, cell->change.estimate, order, err);
}

static enum hl_status note_cell(struct compare_work *work, const struct compare_cell *cell,
                                const struct compare_pairing *pairing,
                                const struct compare_order *order, struct hl_error *err)
{
    const char *text = order->reason[0] != '\0' ? order->reason : order->warning;
    char name[COMPARE_LOAD_BYTES];

    (void)compare_load_name(work->result, cell->load, name);
    if (pairing->is_itself)
        HL_TRY(compare_note_add(work->result, COMPARE_NOTE_SAME_RUNS, err,
                                "load %s: base and new are the same runs", name));
    if (pairing->unpaired > 0)
        HL_TRY(compare_note_add(work->result, COMPARE_NOTE_MISSING, err,
                                "load %s: %zu run%s left out, without the other arm in the block",
                                name, pairing->unpaired, pairing->unpaired == 1 ? "" : "s"));
    if (text[0] == '\0')
        return HL_OK;
    return compare_note_add(work->result, COMPARE_NOTE_ORDER, err, "load %s: %s", name, text);
}

static enum hl_status make_primary(struct compare_work *work, struct hl_error *err)
{
    struct compare_result *result = work->result;
    size_t loads = result->load_count, most = work->request->new_count * loads;

    HL_TRY(compare_take(&result->arena, &result->cells, most, sizeof(*result->cells), err));
    HL_TRY(compare_take(&result->arena, &work->pairings, most, sizeof(*work->pairings), err));
    HL_TRY(compare_take(&result->arena, &work->reasons, most, sizeof(*work->reasons), err));
    for (size_t i = 0; i < most; i++) {
        struct compare_cell *cell = &result->cells[result->cell_count];
        size_t arm = i / loads, load = i % loads;
        struct compare_order *order;
        bool is_there;

        HL_TRY(make_cell(work, arm, load, work->request->metric, cell,
                         &work->pairings[result->cell_count], &is_there, err));
        if (!is_there)
            continue;
        cell->base = &result->sides[compare_base_row(work->request, arm) * loads + load];
        cell->new = &result->sides[compare_new_row(work->request, arm) * loads + load];
        HL_TRY(compare_take(&result->arena, &order, 1, sizeof(*order), err));
        HL_TRY(find_reason(work, cell, order, err));
        work->reasons[result->cell_count] = order->reason;
        HL_TRY(note_cell(work, cell, &work->pairings[result->cell_count++], order, err));
    }
    return HL_OK;
}

/* p of a family. Cells that cannot be decided count as if they showed nothing, so that they make no
 * room for others. */
static enum hl_status list_p(struct hl_arena *arena, const struct compare_cell *cells, size_t count,
                             const char *const *reasons, double **p, struct hl_error *err)
{
    HL_TRY(compare_take(arena, p, count, sizeof(**p), err));
    for (size_t i = 0; i < count; i++)
        (*p)[i] = reasons[i][0] != '\0' ? 1 : cells[i].change.p;
    return HL_OK;
}

static enum hl_status judge_primary(struct compare_work *work, struct hl_error *err)
{
    struct compare_result *result = work->result;
    size_t count = result->cell_count;
    double *p, *levels, *adjusted;

    HL_TRY(list_p(&result->arena, result->cells, count, work->reasons, &p, err));
    HL_TRY(compare_take(&result->arena, &levels, count, sizeof(*levels), err));
    HL_TRY(compare_take(&result->arena, &adjusted, count, sizeof(*adjusted), err));
    HL_TRY(stats_holm_levels(p, count, work->alpha, levels, err));
    HL_TRY(stats_holm(p, count, adjusted, err));
    for (size_t i = 0; i < count; i++) {
        HL_TRY(compare_judge(&result->cells[i], compare_measure_pairing, &work->pairings[i],
                             levels[i], work->request->effect, work->reasons[i], err));
        if (work->pairings[i].is_itself)
            compare_judge_itself(&result->cells[i]);
        result->cells[i].p_adjusted = adjusted[i];
        if (work->boots[result->cells[i].arm] == COMPARE_BOOTS_ONE_EACH)
            compare_judge_one_boot(&result->cells[i]);
    }
    return HL_OK;
}

/* ---- exploratory metrics ---- */

/* One metric at all loads for all new arms, each at the uncorrected level. */
static enum hl_status explore(struct compare_work *work, enum run_metric metric,
                              const char **reasons, struct hl_error *err)
{
    struct compare_result *result = work->result;

    for (size_t arm = 0; arm < work->request->new_count; arm++)
        for (size_t load = 0; load < result->load_count; load++) {
            struct compare_cell *cell = &result->exploratory[result->exploratory_count];
            struct compare_pairing pairing;
            struct compare_order *order;
            bool is_there;

            HL_TRY(make_cell(work, arm, load, metric, cell, &pairing, &is_there, err));
            if (!is_there)
                continue;
            HL_TRY(compare_take(&result->arena, &order, 1, sizeof(*order), err));
            HL_TRY(find_reason(work, cell, order, err));
            reasons[result->exploratory_count++] = order->reason;
            HL_TRY(compare_judge(cell, compare_measure_pairing, &pairing, work->alpha,
                                 work->request->effect, order->reason, err));
            if (pairing.is_itself)
                compare_judge_itself(cell);
        }
    return HL_OK;
}

/* True if any run has the metric: of a hundred metrics most are had by none. */
static bool is_had(const struct compare_work *work, enum run_metric metric)
{
    size_t groups = compare_rows(work->request) * work->result->load_count;

    for (size_t g = 0; g < groups; g++)
        for (size_t i = 0; i < work->groups[g].count; i++)
            if (run_has(work->groups[g].runs[i], metric))
                return true;
    return false;
}

static enum hl_status make_exploratory(struct compare_work *work, struct hl_error *err)
{
    struct compare_result *result = work->result;
    size_t most = work->request->new_count * result->load_count * (size_t)run_metric_count();
    const char **reasons;
    double *p, *adjusted;

    HL_TRY(compare_take(&result->arena, &result->exploratory, most, sizeof(*result->exploratory),
                        err));
    HL_TRY(compare_take(&result->arena, &reasons, most, sizeof(*reasons), err));
    for (int metric = 0; metric < run_metric_count(); metric++)
        if (metric != (int)work->request->metric && is_had(work, (enum run_metric)metric))
            HL_TRY(explore(work, (enum run_metric)metric, reasons, err));
    HL_TRY(
        list_p(&result->arena, result->exploratory, result->exploratory_count, reasons, &p, err));
    HL_TRY(
        compare_take(&result->arena, &adjusted, result->exploratory_count, sizeof(*adjusted), err));
    HL_TRY(stats_benjamini_hochberg(p, result->exploratory_count, adjusted, err));
    for (size_t i = 0; i < result->exploratory_count; i++) {
        struct compare_cell *cell = &result->exploratory[i];

        cell->p_adjusted = adjusted[i];
        cell->is_regression = false;
        if (cell->verdict == COMPARE_DIFFERENT && !stats_is_significant(adjusted[i], work->alpha)) {
            cell->verdict = COMPARE_UNDECIDED;
            (void)hl_format(cell->reason, sizeof(cell->reason),
                            "one of %zu exploratory tests, and not significant among so many",
                            result->exploratory_count);
        }
        if (work->boots[cell->arm] == COMPARE_BOOTS_ONE_EACH)
            compare_judge_one_boot(cell);
    }
    return HL_OK;
}

/* ---- all of it ---- */

static void sort_notes(struct compare_result *result)
{
    for (size_t i = 1; i < result->note_count; i++) {
        struct compare_note note = result->notes[i];
        size_t place = i;

        for (; place > 0 && result->notes[place - 1].kind > note.kind; place--)
            result->notes[place] = result->notes[place - 1];
        result->notes[place] = note;
    }
}

static enum hl_status compare_all(struct compare_work *work, struct hl_error *err)
{
    struct hl_arena *arena = &work->result->arena;
    const struct compare_request *request = work->request;

    HL_TRY(compare_gather(work->result, &work->groups, err));
    HL_TRY(compare_take(arena, &work->boots, request->new_count, sizeof(*work->boots), err));
    for (size_t arm = 0; arm < request->new_count; arm++)
        work->boots[arm] = compare_boots_of(compare_base_of(request, arm), &request->news[arm]);
    HL_TRY(fill_sides(work, err));
    HL_TRY(make_primary(work, err));
    HL_TRY(judge_primary(work, err));
    HL_TRY(compare_make_means(work, err));
    if (!request->primary_only)
        HL_TRY(make_exploratory(work, err));
    HL_TRY(compare_note_session(work, err));
    sort_notes(work->result);
    return HL_OK;
}

enum hl_status compare_runs(const struct compare_request *request, struct compare_result *result,
                            struct hl_error *err)
{
    struct compare_work work = {.result = result, .request = request, .alpha = 1 - request->level};
    enum hl_status status;

    assert(request->effect > 0 && request->effect < 1);
    assert(request->level > 0 && request->level < 1);
    *result = (struct compare_result){.request = request};
    status = compare_all(&work, err);
    if (status != HL_OK)
        compare_result_close(result);
    return status;
}

void compare_result_close(struct compare_result *result)
{
    hl_free(result->notes);
    hl_arena_close(&result->arena);
    *result = (struct compare_result){0};
}
