/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notes.c - what a reader must know beside the table: what was left out, and what is odd about
 * the runs.
 *
 * Nothing is dropped for being odd. A note is made only where something is wrong.
 */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/format.h"
#include "compare/comparison.h"

/* Of drift and of neighbours: a sound session draws a note once in hundred. */
static const double health_alpha = 0.01;

const char *compare_note_name(enum compare_note_kind kind)
{
    switch (kind) {
    case COMPARE_NOTE_SAME_RUNS: return "same_runs";
    case COMPARE_NOTE_MACHINE: return "machine";
    case COMPARE_NOTE_SESSIONS: return "sessions";
    case COMPARE_NOTE_LOADS: return "loads";
    case COMPARE_NOTE_FAILED: return "failed";
    case COMPARE_NOTE_MISSING: return "missing";
    case COMPARE_NOTE_RESOLUTION: return "resolution";
    case COMPARE_NOTE_ORDER: return "order";
    case COMPARE_NOTE_DISTURBED: return "disturbed";
    case COMPARE_NOTE_DRIFT: return "drift";
    case COMPARE_NOTE_NEIGHBOURS: return "neighbours";
    case COMPARE_NOTE_FIRST_RUN: return "first_run";
    case COMPARE_NOTE_MODES: return "modes";
    case COMPARE_NOTE_OUTLIER: return "outlier";
    case COMPARE_NOTE_AA: return "aa";
    }
    return "unknown";
}

/* ---- texts ---- */

enum { NUMBER_BYTES = 40, NAMES_BYTES = 160 };

/* Four digits, without exponents for what people count or time. */
static const char *number_text(double value, char text[NUMBER_BYTES])
{
    (void)hl_format(text, NUMBER_BYTES, fabs(value) >= 1000 && fabs(value) < 1e15 ? "%.0f" : "%.4g",
                    value);
    return text;
}

void compare_list_add(char *list, size_t bytes, const char *format, ...)
{
    size_t used = strlen(list);
    char item[COMPARE_REASON_BYTES];
    va_list args;

    va_start(args, format);
    (void)hl_vformat(item, sizeof(item), format, args);
    va_end(args);
    if (used + strlen(item) + strlen(", , ...") < bytes)
        (void)hl_format(list + used, bytes - used, "%s%s", used > 0 ? ", " : "", item);
    else if (used < 3 || strcmp(list + used - 3, "...") != 0)
        (void)hl_format(list + used, bytes - used, "%s...", used > 0 ? ", " : "");
}

/* ---- loads ---- */

/* Loads of one arm that the other has no figure of. */
static enum hl_status note_left_out(struct compare_work *work, size_t has, size_t lacks,
                                    const char *lacking, struct hl_error *err)
{
    struct compare_result *result = work->result;
    char names[NAMES_BYTES] = "", name[COMPARE_LOAD_BYTES];
    size_t count = 0;

    for (size_t load = 0; load < result->load_count; load++) {
        if (result->sides[has * result->load_count + load].n == 0 ||
            result->sides[lacks * result->load_count + load].n > 0)
            continue;
        compare_list_add(names, sizeof(names), "%s", compare_load_name(result, load, name));
        count++;
    }
    if (count == 0)
        return HL_OK;
    return compare_note_add(result, COMPARE_NOTE_LOADS, err,
                            "%zu load%s left out: %s, missing in %s", count, count == 1 ? "" : "s",
                            names, lacking);
}

static const char *level_text(int64_t level, char text[NUMBER_BYTES])
{
    if (level < 0)
        return "not known";
    (void)hl_format(text, NUMBER_BYTES, "%lld", (long long)level);
    return text;
}

/* "half" may be three jobs on one machine and four on another. */
static enum hl_status note_levels(struct compare_work *work, size_t arm, struct hl_error *err)
{
    struct compare_result *result = work->result;

    for (size_t load = 0; load < result->load_count; load++) {
        const struct compare_group *base =
            &work->groups[compare_base_row(work->request, arm) * result->load_count + load];
        const struct compare_group *new =
            &work->groups[compare_new_row(work->request, arm) * result->load_count + load];
        char name[COMPARE_LOAD_BYTES], levels[2][NUMBER_BYTES];

        if (base->count == 0 || new->count == 0 || base->runs[0]->level == new->runs[0]->level)
            continue;
        HL_TRY(compare_note_add(
            result, COMPARE_NOTE_LOADS, err, "load %s: level %s in %s, %s in %s",
            compare_load_name(result, load, name), level_text(base->runs[0]->level, levels[0]),
            base->arm->name, level_text(new->runs[0]->level, levels[1]), new->arm->name));
    }
    return HL_OK;
}

/* ---- one arm at one load ---- */

static enum hl_status note_failed(struct compare_result *result, const struct compare_group *group,
                                  const char *where, const struct compare_side *side,
                                  struct hl_error *err)
{
    char runs[NAMES_BYTES] = "";

    for (size_t i = 0; i < group->count; i++) {
        const struct run *run = group->runs[i];

        if (run->status == RUN_FAILED)
            compare_list_add(runs, sizeof(runs), "repetition %d, exit status %d", run->run,
                             run->exit_status);
        else if (run->status != RUN_OK)
            compare_list_add(runs, sizeof(runs), "repetition %d, %s", run->run,
                             run_status_name(run->status));
    }
    return compare_note_add(result, COMPARE_NOTE_FAILED, err,
                            "%s: %zu of %zu runs failed, left out: %s", where, side->failed,
                            group->count, runs);
}

static enum hl_status note_missing(struct compare_work *work, const struct compare_group *group,
                                   const char *where, const struct compare_side *side,
                                   struct hl_error *err)
{
    enum run_metric metric = work->request->metric;
    const char *reason = NULL;

    for (size_t i = 0; i < group->count && reason == NULL; i++)
        if (group->runs[i]->status == RUN_OK && !run_has(group->runs[i], metric))
            reason = group->runs[i]->reason[metric];
    return compare_note_add(work->result, COMPARE_NOTE_MISSING, err,
                            "%s: %zu of %zu runs without %s%s%s", where, side->missing,
                            group->count, run_metric_table[metric].name, reason == NULL ? "" : ": ",
                            reason == NULL ? "" : reason);
}

static enum hl_status note_modes(struct compare_result *result, const char *where,
                                 const struct compare_side *side, struct hl_error *err)
{
    char low[NUMBER_BYTES], high[NUMBER_BYTES];

    return compare_note_add(result, COMPARE_NOTE_MODES, err,
                            "%s: two modes, %s (%zu runs) and %s (%zu runs); no mean or median "
                            "stands for both",
                            where, number_text(side->modes.mean[0], low), side->modes.count[0],
                            number_text(side->modes.mean[1], high), side->modes.count[1]);
}

/* The first run if it was first in time, and the others. */
static enum hl_status note_outliers(struct compare_work *work, const struct compare_group *group,
                                    const struct compare_sample *sample, const char *where,
                                    double resolution, struct hl_error *err)
{
    double median = stats_median(sample->values, sample->n);
    bool *is_outlier, is_first_odd;
    char number[NUMBER_BYTES], list[NAMES_BYTES] = "";

    HL_TRY(compare_take(&work->result->arena, &is_outlier, sample->n, sizeof(*is_outlier), err));
    (void)stats_outliers(sample->values, sample->n, resolution, is_outlier);
    is_first_odd =
        group->is_ordered && sample->n > 1 &&
        stats_is_outlier_beside(sample->values[0], sample->values + 1, sample->n - 1, resolution);
    if (is_first_odd)
        HL_TRY(compare_note_add(
            work->result, COMPARE_NOTE_FIRST_RUN, err,
            "%s: the first run is apart, %s against a median of %s in the others", where,
            number_text(sample->values[0], number),
            number_text(stats_median(sample->values + 1, sample->n - 1), (char[NUMBER_BYTES]){0})));
    for (size_t i = is_first_odd; i < sample->n; i++)
        if (is_outlier[i])
            compare_list_add(list, sizeof(list), "repetition %d: %s", sample->runs[i]->run,
                             number_text(sample->values[i], number));
    if (list[0] == '\0')
        return HL_OK;
    return compare_note_add(work->result, COMPARE_NOTE_OUTLIER, err,
                            "%s: far from the median of %s, and kept: %s", where,
                            number_text(median, number), list);
}

static enum hl_status note_side(struct compare_work *work, const struct compare_group *group,
                                size_t load, const struct compare_side *side, struct hl_error *err)
{
    struct compare_result *result = work->result;
    char where[RUN_ARM_BYTES], name[COMPARE_LOAD_BYTES], number[NUMBER_BYTES];
    const char *unit = run_metric_table[work->request->metric].unit;
    struct compare_sample sample;

    (void)hl_format(where, sizeof(where), "%s, load %s", group->arm->name,
                    compare_load_name(result, load, name));
    if (side->failed > 0)
        HL_TRY(note_failed(result, group, where, side, err));
    if (side->missing > 0)
        HL_TRY(note_missing(work, group, where, side, err));
    if (side->n < 2)
        return HL_OK;
    HL_TRY(compare_sample_of(&result->arena, group, work->request->metric, &sample, err));
    /* Simulated runs may really be equal. */
    if (side->sd == 0 && sample.runs[0]->source != RUN_SIM)
        return compare_note_add(result, COMPARE_NOTE_RESOLUTION, err,
                                "%s: all %zu runs equal: the resolution of the timer, %s%s%s, "
                                "bounds the interval",
                                where, side->n, number_text(side->resolution, number),
                                unit[0] != '\0' ? " " : "", unit);
    if (side->is_two_modes)
        return note_modes(result, where, side, err);
    return note_outliers(work, group, &sample, where, side->resolution, err);
}

/* ---- a session as a whole ---- */

/* Adds a series for each boot of a group; boots differ without a drift. */
static enum hl_status add_series(struct compare_work *work, const struct compare_group *group,
                                 struct stats_series *series, size_t *count, struct hl_error *err)
{
    struct compare_sample sample;
    double *x, *at;

    HL_TRY(compare_sample_of(&work->result->arena, group, work->request->metric, &sample, err));
    if (!sample.is_positive || sample.n == 0)
        return HL_OK;
    HL_TRY(compare_take(&work->result->arena, &x, sample.n, sizeof(*x), err));
    HL_TRY(compare_take(&work->result->arena, &at, sample.n, sizeof(*at), err));
    for (size_t i = 0; i < sample.n; i++) {
        x[i] = log(sample.values[i]);
        at[i] = sample.runs[i]->order;
        if (i == 0 || strcmp(sample.runs[i]->boot_id, sample.runs[i - 1]->boot_id) != 0)
            series[(*count)++] = (struct stats_series){&x[i], &at[i], 0};
        series[*count - 1].count++;
    }
    return HL_OK;
}

/* A study that is compared with itself has each run in two groups. */
static bool is_listed(const struct compare_work *work, size_t g)
{
    const struct compare_group *group = &work->groups[g];
    size_t loads = work->result->load_count;

    for (size_t i = g % loads; i < g; i += loads) {
        const struct compare_group *other = &work->groups[i];

        if (other->arm->session == group->arm->session && other->count > 0 && other->is_ordered &&
            other->runs[0]->order == group->runs[0]->order &&
            strcmp(other->runs[0]->boot_id, group->runs[0]->boot_id) == 0 &&
            run_same_arm(other->runs[0], group->runs[0]))
            return true;
    }
    return false;
}

/* The places that all runs of a session span; of several boots, that one series spans. */
static double span_of(const struct compare_work *work, int session,
                      const struct stats_series *series, size_t count)
{
    size_t groups = compare_rows(work->request) * work->result->load_count;
    const char *boot = NULL;
    double first = (double)INFINITY, last = -(double)INFINITY, most = 0;
    bool is_one_boot = true;

    for (size_t g = 0; g < groups; g++) {
        const struct compare_group *group = &work->groups[g];

        for (size_t i = 0; i < group->count; i++) {
            if (group->arm->session != session || !group->is_ordered)
                continue;
            boot = boot == NULL ? group->runs[i]->boot_id : boot;
            is_one_boot = is_one_boot && strcmp(boot, group->runs[i]->boot_id) == 0;
            first = fmin(first, group->runs[i]->order);
            last = fmax(last, group->runs[i]->order);
        }
    }
    for (size_t i = 0; i < count; i++)
        most = fmax(most, series[i].at[series[i].count - 1] - series[i].at[0]);
    return is_one_boot && last > first ? last - first : most;
}

/* All of a session, each arm at each load by itself; and the places that they span together. */
static enum hl_status list_series(struct compare_work *work, int session,
                                  struct stats_series **series, size_t *count, double *span,
                                  struct hl_error *err)
{
    struct compare_result *result = work->result;
    size_t groups = compare_rows(work->request) * result->load_count, most = 0;

    for (size_t g = 0; g < groups; g++)
        most += work->groups[g].count;
    HL_TRY(compare_take(&result->arena, series, most, sizeof(**series), err));
    *count = 0;
    for (size_t g = 0; g < groups; g++)
        if (work->groups[g].arm->session == session && work->groups[g].is_ordered &&
            work->groups[g].count > 0 && !is_listed(work, g))
            HL_TRY(add_series(work, &work->groups[g], *series, count, err));
    *span = span_of(work, session, *series, *count);
    return HL_OK;
}

static enum hl_status note_one_session(struct compare_work *work, int session, const char *arm_name,
                                       bool is_only, struct hl_error *err)
{
    struct compare_result *result = work->result;
    const char *of = is_only ? "" : " of ", *name = is_only ? "" : arm_name;
    struct stats_series *series;
    struct stats_drift drift;
    struct stats_lag lag;
    size_t count;
    double span;

    HL_TRY(list_series(work, session, &series, &count, &span, err));
    if (count == 0)
        return HL_OK;
    HL_TRY(stats_drift_of(series, count, &drift, err));
    HL_TRY(stats_lag_of(series, count, &lag, err));
    if (drift.p <= health_alpha)
        HL_TRY(compare_note_add(result, COMPARE_NOTE_DRIFT, err,
                                "drift: %+.2g %% over the session%s%s (p = %.2g)",
                                100 * expm1(drift.slope * span), of, name, drift.p));
    /* A drift makes neighbours alike; it is said once. */
    else if (lag.p <= health_alpha)
        HL_TRY(
            compare_note_add(result, COMPARE_NOTE_NEIGHBOURS, err,
                             "neighbouring runs%s%s are correlated by %+.2f (p = %.2g): they are "
                             "not independent, and intervals are too narrow or too wide",
                             of, name, lag.correlation, lag.p));
    return HL_OK;
}

static enum hl_status note_sessions(struct compare_work *work, struct hl_error *err)
{
    const struct compare_request *request = work->request;
    size_t rows = request->new_count > 0 ? compare_rows(request) : 1;
    bool is_only = true;

    for (size_t i = 1; i < rows; i++)
        is_only = is_only && compare_arm_of_row(request, i)->session ==
                                 compare_arm_of_row(request, 0)->session;
    for (size_t i = 0; i < rows; i++) {
        const struct compare_arm *arm = compare_arm_of_row(request, i);
        bool is_noted = false;

        for (size_t j = 0; j < i; j++)
            is_noted = is_noted || compare_arm_of_row(request, j)->session == arm->session;
        if (!is_noted)
            HL_TRY(note_one_session(work, arm->session, arm->name, is_only, err));
    }
    return HL_OK;
}

/* Equal arms: what they differ by is what this machine cannot tell from a difference. */
static enum hl_status note_aa(struct compare_work *work, struct hl_error *err)
{
    struct compare_result *result = work->result;
    size_t different = compare_count(result->cells, result->cell_count, COMPARE_DIFFERENT);
    double floor = 0;

    for (size_t i = 0; i < result->cell_count; i++) {
        const struct stats_interval *change = &result->cells[i].change;

        if (result->cells[i].is_ratio && !isnan(change->low))
            floor = fmax(floor, fmax(1 - change->low, change->high - 1));
    }
    if (different > 0)
        return compare_note_add(result, COMPARE_NOTE_AA, err,
                                "A/A: equal arms are different at %zu of %zu loads: something but "
                                "the arms changed",
                                different, result->cell_count);
    return compare_note_add(result, COMPARE_NOTE_AA, err,
                            "A/A: noise floor %.2g %%: equal arms may differ by so much",
                            100 * floor);
}

enum hl_status compare_note_session(struct compare_work *work, struct hl_error *err)
{
    const struct compare_request *request = work->request;
    size_t loads = work->result->load_count;

    for (size_t i = 0; i < compare_rows(request) * loads; i++)
        HL_TRY(note_side(work, &work->groups[i], i % loads, &work->result->sides[i], err));
    for (size_t arm = 0; arm < request->new_count; arm++) {
        size_t base_row = compare_base_row(request, arm), new_row = compare_new_row(request, arm);

        HL_TRY(note_left_out(work, base_row, new_row, request->news[arm].name, err));
        HL_TRY(note_left_out(work, new_row, base_row, compare_base_of(request, arm)->name, err));
        HL_TRY(note_levels(work, arm, err));
    }
    HL_TRY(compare_note_machines(work, err));
    HL_TRY(compare_note_disturbances(work, err));
    HL_TRY(note_sessions(work, err));
    return request->is_aa && work->result->cell_count > 0 ? note_aa(work, err) : HL_OK;
}
