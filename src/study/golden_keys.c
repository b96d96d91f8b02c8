/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * golden_keys.c - keys of a file of records that look like mistyped ones.
 *
 * Any other key is a note, so a mistyped one cannot be an error; but it takes what it says out of the
 * record without a word. The form of the file is in docs/formats.md.
 */
#include "study/golden.h"

#include <string.h>

#include "base/text.h"
#include "base/units.h"

enum level { NOTE, RECORDS, RECORD, TASK, START, RESULT, FIGURES, GROUPS, GROUP, VALUE };

/* NULL: all names; NOTE: well known as one, and no mistake for another. */
static const struct {
    enum level in;
    const char *key;
    enum level of;
} keys[] = {
    {RECORDS, "workloads", RECORD}, {RECORDS, "groups", GROUPS},
    {RECORD, "id", VALUE},          {RECORD, "kernel", VALUE},
    {RECORD, "cpus", VALUE},        {RECORD, "time", VALUE},
    {RECORD, "seconds", VALUE},     {RECORD, "starts", VALUE},
    {RECORD, "task", TASK},         {RECORD, "start", START},
    {RECORD, "result", RESULT},     {RECORD, "all_cpus_busy_after_release_ms", VALUE},
    {TASK, "name", VALUE},          {TASK, "count", VALUE},
    {TASK, "nice", VALUE},          {TASK, "run_us", VALUE},
    {TASK, "sleep_us", VALUE},      {TASK, "sleep_jitter_us", VALUE},
    {TASK, "cpus", VALUE},          {TASK, "cpus_before", VALUE},
    {TASK, "slice_us", VALUE},      {TASK, "policy", VALUE},
    {TASK, "group", VALUE},         {TASK, "note", NOTE},
    {TASK, "notes", NOTE},          {START, "cpu", VALUE},
    {START, "prev", VALUE},         {RESULT, NULL, FIGURES},
    {FIGURES, "share", VALUE},      {FIGURES, "preempt_per_s", VALUE},
    {FIGURES, "mig_per_s", VALUE},  {FIGURES, "vol_per_s", VALUE},
    {FIGURES, "wake_ms", VALUE},    {FIGURES, "slice_ms", VALUE},
    {GROUPS, NULL, GROUP},          {GROUP, "weight", VALUE},
    {GROUP, "quota_us", VALUE},     {GROUP, "period_us", VALUE},
    {GROUP, "idle", VALUE},
};

/* The key's level; NOTE if it is none of this one's. *is_known: it is listed. */
static enum level level_of(enum level in, const char *key, bool *is_known)
{
    *is_known = true;
    for (int i = 0; i < HL_COUNT_OF(keys); i++)
        if (keys[i].in == in && (keys[i].key == NULL || strcmp(keys[i].key, key) == 0))
            return keys[i].of;
    *is_known = false;
    return NOTE;
}

/* The nearest of those keys that the object does not have: what is there is not mistyped. */
static const char *nearest_missing(const struct hl_json_node *object, enum level in,
                                   const char *key)
{
    const char *missing[HL_COUNT_OF(keys)];
    int count = 0;

    for (int i = 0; i < HL_COUNT_OF(keys); i++)
        if (keys[i].in == in && keys[i].of != NOTE && !hl_json_has(object, keys[i].key))
            missing[count++] = keys[i].key;
    return hl_nearest_word(key, missing, count);
}

static void search_object(const struct hl_json_node *object, enum level in, golden_typo_fn *report)
{
    struct hl_json_node member;

    for (void *at = NULL; hl_json_next_member(object, &at, &member);) {
        bool is_known;
        enum level of = level_of(in, member.key, &is_known);
        const char *near = is_known ? NULL : nearest_missing(object, in, member.key);

        if (near != NULL)
            report(&member, near);
        if (of == NOTE || of == VALUE)
            continue;
        search_object(&member, of, report);
        for (size_t i = 0; i < json_array_size(member.value); i++) {
            struct hl_json_node item = hl_json_item(&member, i);

            search_object(&item, of, report);
        }
    }
}

void golden_find_typos(const struct hl_json_node *root, golden_typo_fn *report)
{
    search_object(root, RECORDS, report);
}
