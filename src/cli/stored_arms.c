/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stored_arms.c - opens what is to be compared, sorts its runs into arms and names these.
 */
#include "cli/stored_arms.h"

#include <string.h>
#include <unistd.h>

#include "base/format.h"
#include "base/memory.h"
#include "base/text.h"
#include "study/study.h"

static enum hl_status name_arm(struct stored_arms *stored, struct compare_arm *arm,
                               const char *name, bool is_one, struct hl_error *err)
{
    size_t bytes = strlen(name) + strlen(arm->name) + 2;
    char *text;

    if (!is_one && stored->reference_count == 1 && stored->part_count == 0)
        return HL_OK;
    text = hl_arena_alloc(&stored->arms.arena, bytes, 1);
    if (text == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for a comparison");
    (void)hl_format(text, bytes, "%s%s%s", name, is_one ? "" : " ", is_one ? "" : arm->name);
    arm->name = text;
    return HL_OK;
}

/* A study or a file that two words name was played in one session. */
static int session_of(const struct stored_arms *stored, const struct reference *reference,
                      int session)
{
    const struct reference *earlier = stored->references;
    const struct store_study *study = &reference->study;

    for (; earlier < reference; earlier++)
        if (earlier->study.id == study->id && strcmp(earlier->study.name, study->name) == 0 &&
            (study->name[0] != '\0' || strcmp(earlier->name, reference->name) == 0))
            return earlier->session;
    return session;
}

static enum hl_status add_arms(struct stored_arms *stored, struct reference *reference,
                               const struct run_list *runs, const char *name, struct hl_error *err)
{
    struct compare_arms *arms = &stored->arms;
    size_t first = arms->count;

    if (runs->count == 0)
        return hl_fail(err, HL_USAGE, "%s has no runs yet; expected some to compare", name);
    reference->session = session_of(stored, reference, arms->session_count);
    HL_TRY(compare_arms_add(arms, runs, NULL, err));
    for (size_t i = first; i < arms->count; i++) {
        arms->arms[i].session = reference->session;
        arms->arms[i].fingerprint = reference->fingerprint;
        HL_TRY(name_arm(stored, &arms->arms[i], name, arms->count == first + 1, err));
    }
    return HL_OK;
}

static bool is_first_of_study(const struct reference *reference, size_t run)
{
    for (size_t i = 0; i < run; i++)
        if (strcmp(reference->studies[i], reference->studies[run]) == 0)
            return false;
    return true;
}

static bool has_several_studies(const struct reference *reference)
{
    for (size_t i = 1; reference->studies != NULL && i < reference->runs.count; i++)
        if (is_first_of_study(reference, i))
            return true;
    return false;
}

/* The studies that a file names, each with arms of its own. */
static enum hl_status add_studies(struct stored_arms *stored, struct reference *reference,
                                  struct hl_error *err)
{
    const struct run_list *runs = &reference->runs;

    for (size_t i = 0; i < runs->count; i++) {
        const char *study = reference->studies[i];
        struct run_list *part;

        if (!is_first_of_study(reference, i))
            continue;
        HL_TRY(hl_grow(&stored->parts, &stored->part_capacity, stored->part_count + 1,
                       sizeof(*stored->parts), err));
        part = &stored->parts[stored->part_count++];
        *part = (struct run_list){0};
        for (size_t k = i; k < runs->count; k++)
            if (strcmp(reference->studies[k], study) == 0)
                HL_TRY(run_list_add(part, &runs->runs[k], err));
        HL_TRY(add_arms(stored, reference, part, study[0] != '\0' ? study : reference->name, err));
    }
    return HL_OK;
}

/* Appends what one part of a joined word names. The fingerprint is that of the first. */
static enum hl_status join(struct reference *joined, const char *word, const char *db,
                           struct hl_error *err)
{
    struct reference part;
    enum hl_status status = HL_OK;

    HL_TRY(reference_open(&part, word, db, err));
    for (size_t i = 0; status == HL_OK && i < part.runs.count; i++)
        status = run_list_add(&joined->runs, &part.runs.runs[i], err);
    if (joined->fingerprint == NULL) {
        joined->fingerprint = part.fingerprint;
        part.fingerprint = NULL;
    }
    reference_close(&part);
    return status;
}

/* A+B, which is no study or file itself: studies whose runs count as one, such as those of a kernel
 * under several boots. */
static enum hl_status open_word(struct reference *reference, const char *word, const char *db,
                                struct hl_error *err)
{
    enum hl_status status = reference_open(reference, word, db, err);
    char parts[sizeof(reference->name)], *rest = parts, *part;

    if (status == HL_OK || strchr(word, '+') == NULL || access(word, F_OK) == 0 ||
        strlen(word) >= sizeof(parts))
        return status;
    (void)hl_format(parts, sizeof(parts), "%s", word);
    (void)hl_format(reference->name, sizeof(reference->name), "%s", word);
    while ((part = strsep(&rest, "+")) != NULL)
        HL_TRY(join(reference, part, db, err));
    return HL_OK;
}

static enum hl_status open_all(struct stored_arms *stored, const char *const *words, const char *db,
                               struct hl_error *err)
{
    for (size_t i = 0; i < stored->reference_count; i++) {
        struct reference *reference = &stored->references[i];

        HL_TRY(open_word(reference, words[i], db, err));
        if (has_several_studies(reference))
            HL_TRY(add_studies(stored, reference, err));
        else
            HL_TRY(add_arms(stored, reference, &reference->runs, reference->name, err));
        if (i == 0)
            stored->first_count = stored->arms.count;
    }
    return HL_OK;
}

enum hl_status stored_arms_open(struct stored_arms *stored, const char *const *words,
                                size_t word_count, const char *db, struct hl_error *err)
{
    enum hl_status status;

    *stored = (struct stored_arms){.reference_count = word_count};
    stored->references = hl_alloc(word_count, sizeof(*stored->references));
    if (stored->references == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for a comparison");
    status = open_all(stored, words, db, err);
    if (status != HL_OK)
        stored_arms_close(stored);
    return status;
}

void stored_arms_close(struct stored_arms *stored)
{
    compare_arms_close(&stored->arms);
    for (size_t i = 0; i < stored->part_count; i++)
        run_list_close(&stored->parts[i]);
    for (size_t i = 0; stored->references != NULL && i < stored->reference_count; i++)
        reference_close(&stored->references[i]);
    hl_free(stored->parts);
    hl_free(stored->references);
    *stored = (struct stored_arms){0};
}

/* ---- which arm, which metric ---- */

/* What an arm of one word among several is called within it. */
static const char *own_name(const struct compare_arm *arm, char name[RUN_ARM_BYTES])
{
    return run_arm_name(arm->runs[0], name);
}

enum hl_status stored_arms_choose_base(struct stored_arms *stored, const char *name,
                                       struct hl_error *err)
{
    enum { NAMES_MAX = 64 };
    struct compare_arm *arms = stored->arms.arms;
    char own[RUN_ARM_BYTES];
    const char *names[NAMES_MAX];
    int count = 0;

    for (size_t i = 0; i < stored->first_count; i++) {
        struct compare_arm chosen = arms[i];

        if (strcmp(chosen.name, name) != 0 && strcmp(own_name(&chosen, own), name) != 0) {
            if (count < NAMES_MAX)
                names[count++] = chosen.name;
            continue;
        }
        memmove(&arms[1], &arms[0], i * sizeof(*arms));
        arms[0] = chosen;
        return HL_OK;
    }
    return hl_fail_unknown(err, HL_USAGE, NULL, "arm", name, names, count);
}

enum hl_status stored_arms_match(struct stored_arms *stored, size_t *left_out, struct hl_error *err)
{
    struct compare_arm *arms = stored->arms.arms;
    size_t first = stored->first_count, others = stored->arms.count - first, used = 0;

    stored->news = hl_arena_alloc(&stored->arms.arena, others, sizeof(*stored->news));
    stored->bases = hl_arena_alloc(&stored->arms.arena, others, sizeof(*stored->bases));
    if (stored->news == NULL || stored->bases == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for a comparison");
    stored->matched_count = 0;
    for (size_t b = 0; b < first; b++) {
        char base_name[RUN_ARM_BYTES], new_name[RUN_ARM_BYTES];
        size_t before = stored->matched_count;

        for (size_t n = first; n < stored->arms.count; n++)
            if (strcmp(own_name(&arms[b], base_name), own_name(&arms[n], new_name)) == 0) {
                stored->bases[stored->matched_count] = &arms[b];
                stored->news[stored->matched_count++] = arms[n];
            }
        used += stored->matched_count > before;
    }
    *left_out = first - used + others - stored->matched_count;
    return HL_OK;
}

/* A variant without its key aa, which is the only one that tells equal arms apart. False: it has
 * none. */
static bool without_aa(const struct run *run, char *text, size_t bytes)
{
    const char *rest = run->variant;
    bool has_aa = false;
    size_t used = 0;

    text[0] = '\0';
    for (size_t length; *rest != '\0'; rest += length + (rest[length] == ',')) {
        length = strcspn(rest, ",");
        if (strncmp(rest, "aa=", 3) == 0)
            has_aa = true;
        else
            used += (size_t)hl_format(text + used, bytes - used, ",%.*s", (int)length, rest);
    }
    return has_aa;
}

bool stored_arms_are_equal(const struct stored_arms *stored)
{
    const struct compare_arm *arms = stored->arms.arms;
    char base[sizeof(arms->runs[0]->variant) + 1], new[sizeof(base)];

    if (stored->reference_count != 1 || stored->arms.count != 2 ||
        strcmp(arms[0].runs[0]->policy, arms[1].runs[0]->policy) != 0 ||
        strcmp(arms[0].runs[0]->machine, arms[1].runs[0]->machine) != 0)
        return false;
    return without_aa(arms[0].runs[0], base, sizeof(base)) &&
           without_aa(arms[1].runs[0], new, sizeof(new)) && strcmp(base, new) == 0;
}

static bool has_metric(const struct compare_arm *arms, size_t count, enum run_metric metric)
{
    for (size_t a = 0; a < count; a++)
        for (size_t i = 0; i < arms[a].run_count; i++)
            if (run_has(arms[a].runs[i], metric))
                return true;
    return false;
}

bool stored_arms_has(const struct stored_arms *stored, enum run_metric metric)
{
    const struct compare_arm *arms = stored->arms.arms;
    size_t first = stored->first_count, rest = stored->arms.count - first;

    return has_metric(arms, first, metric) && (rest == 0 || has_metric(arms + first, rest, metric));
}

/* What decides if nobody says so. */
static enum run_metric default_metric(const struct stored_arms *stored)
{
    char name[WORKLOAD_TEXT_MAX];
    const struct workload_info *workload;
    int found = -1, count = 0;

    /* Imported runs may be of anything. */
    (void)hl_format(name, sizeof(name), "%.*s",
                    (int)strcspn(stored->arms.arms[0].runs[0]->workload, ":"),
                    stored->arms.arms[0].runs[0]->workload);
    workload = workload_find(name);
    if (workload != NULL && stored_arms_has(stored, study_result_metric(workload)))
        return study_result_metric(workload);
    for (int m = 0; m < run_metric_count(); m++)
        if (stored_arms_has(stored, (enum run_metric)m)) {
            found = m;
            count++;
        }
    return stored_arms_has(stored, RUN_elapsed_s) || count != 1 ? RUN_elapsed_s
                                                                : (enum run_metric)found;
}

enum hl_status stored_arms_metric(const struct stored_arms *stored, const char *name,
                                  enum run_metric *metric, struct hl_error *err)
{
    const char *names[RUN_METRIC_SLOTS];
    int count = 0;

    if (name == NULL) {
        *metric = default_metric(stored);
        return HL_OK;
    }
    for (int m = 0; m < run_metric_count(); m++) {
        if (!has_metric(stored->arms.arms, stored->arms.count, (enum run_metric)m))
            continue;
        if (strcmp(run_metric_table[m].name, name) == 0) {
            *metric = (enum run_metric)m;
            return HL_OK;
        }
        names[count++] = run_metric_table[m].name;
    }
    if (run_metric_find(name) >= 0)
        return hl_fail(err, HL_USAGE, "no run here has the metric %s; `halfload show` says why",
                       name);
    return hl_fail_unknown(err, HL_USAGE, NULL, "metric", name, names, count);
}
