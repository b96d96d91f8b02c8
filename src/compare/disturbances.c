/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disturbances.c - what happened to the runs of an arm while they were played: throttling, cpus that
 * came or went, others on the cpus; and whether the arms were played together at all.
 *
 * Both limits on others are rules of thumb (assumed): a tenth of the cpus is more than the difference
 * that is looked for, and half of that on one side only is as bad.
 */
#include <math.h>
#include <string.h>

#include "base/format.h"
#include "compare/comparison.h"

static const double share_limit = 0.1, difference_limit = 0.05;

/* ---- sessions ---- */

static bool is_simulated(const struct compare_arm *arm)
{
    for (size_t i = 0; i < arm->run_count; i++)
        if (arm->runs[i]->source != RUN_SIM)
            return false;
    return true;
}

/* Boots in turn are sessions too, and what changed between them is in their noise. */
static enum hl_status note_sessions_apart(struct compare_work *work, size_t new,
                                          struct hl_error *err)
{
    const struct compare_arm *base_arm = compare_base_of(work->request, new);
    const struct compare_arm *new_arm = &work->request->news[new];

    if (work->result->cell_count == 0 || base_arm->session == new_arm->session ||
        work->boots[new] != COMPARE_BOOTS_SHARED ||
        (is_simulated(base_arm) && is_simulated(new_arm)))
        return HL_OK;
    return compare_note_add(work->result, COMPARE_NOTE_SESSIONS, err,
                            "base and new were played in different sessions: what else changed "
                            "between them cannot be told apart from the variant");
}

/* ---- notes of runs that are ok ---- */

enum { PARTS_MAX = 8, PART_BYTES = 160 };

struct part {
    char text[PART_BYTES];
    size_t runs;
};

static void count_part(struct part *parts, const char *text, size_t length)
{
    size_t i = 0;
    char part[PART_BYTES];

    (void)hl_format(part, sizeof(part), "%.*s", (int)length, text);
    while (i < PARTS_MAX && parts[i].runs > 0 && strcmp(parts[i].text, part) != 0)
        i++;
    if (i == PARTS_MAX)
        return;
    memcpy(parts[i].text, part, sizeof(part));
    parts[i].runs++;
}

/* The remarks of a run, "; " between them; of throttling the sum is told. */
static void count_parts(struct part *parts, const struct run *run)
{
    static const char throttled[] = "throttled in ";
    const char *text = run->note;

    while (*text != '\0') {
        const char *end = strstr(text, "; ");
        size_t length = end == NULL ? strlen(text) : (size_t)(end - text);

        if (!run_has(run, RUN_throttled_periods) ||
            strncmp(text, throttled, sizeof(throttled) - 1) != 0)
            count_part(parts, text, length);
        text += length + (end == NULL ? 0 : 2);
    }
}

static enum hl_status note_remarks(struct compare_work *work, const struct compare_arm *arm,
                                   struct hl_error *err)
{
    struct part parts[PARTS_MAX] = {0};
    double periods = 0;
    size_t throttled = 0;

    for (size_t i = 0; i < arm->run_count; i++) {
        const struct run *run = arm->runs[i];

        if (run->status != RUN_OK)
            continue;
        count_parts(parts, run);
        if (run_has(run, RUN_throttled_periods) && run->metric[RUN_throttled_periods] > 0) {
            periods += run->metric[RUN_throttled_periods];
            throttled++;
        }
    }
    if (throttled > 0)
        HL_TRY(compare_note_add(work->result, COMPARE_NOTE_DISTURBED, err,
                                "%s: throttled in %.0f periods (%zu of %zu runs)", arm->name,
                                periods, throttled, arm->run_count));
    for (size_t i = 0; i < PARTS_MAX && parts[i].runs > 0; i++)
        HL_TRY(compare_note_add(work->result, COMPARE_NOTE_DISTURBED, err,
                                "%s: %s (%zu of %zu runs)", arm->name, parts[i].text, parts[i].runs,
                                arm->run_count));
    return HL_OK;
}

/* ---- others on the cpus ---- */

/* Part of the time of the allowed cpus that others than the workload used; NAN: not known. */
static double share_of_others(const struct compare_arm *arm)
{
    static const enum run_metric used[] = {RUN_user_s, RUN_system_s, RUN_idle_cpu_s,
                                           RUN_competing_cpu_s, RUN_steal_cpu_s};
    double all = 0, others = 0;

    for (size_t i = 0; i < arm->run_count; i++) {
        const struct run *run = arm->runs[i];

        if (run->status != RUN_OK || !run_has(run, RUN_competing_cpu_s) ||
            !run_has(run, RUN_idle_cpu_s))
            continue;
        others += run->metric[RUN_competing_cpu_s];
        for (size_t k = 0; k < sizeof(used) / sizeof(used[0]); k++)
            all += run_has(run, used[k]) ? run->metric[used[k]] : 0;
    }
    return all > 0 ? others / all : (double)NAN;
}

static enum hl_status note_others(struct compare_work *work, const struct compare_arm *base,
                                  const struct compare_arm *new, struct hl_error *err)
{
    double in_base = share_of_others(base), in_new = new == NULL ? in_base : share_of_others(new);

    if (!(fmax(in_base, in_new) > share_limit || fabs(in_new - in_base) > difference_limit))
        return HL_OK;
    if (new == NULL || isnan(in_new) || strcmp(base->name, new->name) == 0)
        return compare_note_add(work->result, COMPARE_NOTE_DISTURBED, err,
                                "others used %.2g %% of the cpus during %s", 100 * in_base,
                                base->name);
    if (isnan(in_base))
        return compare_note_add(work->result, COMPARE_NOTE_DISTURBED, err,
                                "others used %.2g %% of the cpus during %s", 100 * in_new,
                                new->name);
    return compare_note_add(work->result, COMPARE_NOTE_DISTURBED, err,
                            "others used %.2g %% of the cpus during %s, %.2g %% during %s",
                            100 * in_base, base->name, 100 * in_new, new->name);
}

enum hl_status compare_note_disturbances(struct compare_work *work, struct hl_error *err)
{
    const struct compare_request *request = work->request;

    for (size_t row = 0; row < compare_rows(request); row++)
        HL_TRY(note_remarks(work, compare_arm_of_row(request, row), err));
    if (request->new_count == 0)
        return note_others(work, request->base, NULL, err);
    for (size_t new = 0; new < request->new_count; new ++) {
        HL_TRY(note_sessions_apart(work, new, err));
        HL_TRY(note_others(work, compare_base_of(request, new), &request->news[new], err));
    }
    return HL_OK;
}
