/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_index.c - finds a run by its identity: CSV has a line per metric, and a file may be given
 * twice.
 *
 * A table of open addresses: slots[] holds index + 1 of a run, 0 for none, and is at most half full.
 * It is only ever asked for one identity, so its order decides nothing.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "import/reader.h"

/* Of one import: 3 KB each, and as much again while the list grows. */
enum { RUNS_MAX = 100000 };

static uint64_t hash_identity(const struct run *run, const char *study)
{
    const char *const texts[] = {run->workload, run->load,    run->policy, run->machine,
                                 run->variant,  run->boot_id, study};
    uint64_t hash = run->seed;

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        hash = hl_mix64(hash ^ hl_hash_text(texts[i]));
    hash = hl_mix64(hash ^ (uint32_t)run->block);
    hash = hl_mix64(hash ^ (uint32_t)run->run);
    return hl_mix64(hash ^ run->source);
}

static bool is_same(const struct import_result *result, size_t index, const struct run *run,
                    const char *study)
{
    const struct run *other = &result->runs.runs[index];

    return other->run == run->run && other->block == run->block && other->seed == run->seed &&
           run_same_arm(other, run) && run_same_load(other, run) &&
           strcmp(other->boot_id, run->boot_id) == 0 && strcmp(result->studies[index], study) == 0;
}

/* The slot of this identity, or the empty one where it would be. */
static size_t find_slot(const struct import_result *result, const struct run *run,
                        const char *study)
{
    size_t slot = (size_t)hash_identity(run, study) & (result->slot_count - 1);

    while (result->slots[slot] != 0 && !is_same(result, result->slots[slot] - 1, run, study))
        slot = (slot + 1) & (result->slot_count - 1);
    return slot;
}

/* Makes the index anew of all runs there are, with room for twice as many. */
static enum hl_status rebuild(struct import_result *result, struct hl_error *err)
{
    size_t count = 64;

    while (count < 4 * (result->runs.count + 1))
        count *= 2;
    hl_free(result->slots);
    result->slots = hl_alloc(count, sizeof(*result->slots));
    result->slot_count = result->slots == NULL ? 0 : count;
    if (result->slots == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for an index of %zu runs", count);
    for (size_t i = 0; i < result->runs.count; i++)
        result->slots[find_slot(result, &result->runs.runs[i], result->studies[i])] = i + 1;
    return HL_OK;
}

enum hl_status import_find(struct import_result *result, const struct run *run, const char *study,
                           size_t *index, struct hl_error *err)
{
    size_t slot;

    if (2 * (result->runs.count + 1) > result->slot_count)
        HL_TRY(rebuild(result, err));
    slot = find_slot(result, run, study);
    *index = result->slots[slot] == 0 ? result->runs.count : result->slots[slot] - 1;
    return HL_OK;
}

enum hl_status import_add(const struct import_source *source, const struct run *run,
                          const char *study, struct hl_error *err)
{
    struct import_result *result = source->result;
    size_t index;

    if (result->runs.count >= RUNS_MAX)
        return hl_fail(err, HL_BAD_INPUT,
                       "%s: more than %d runs; expected parts of it, one a study", source->name,
                       RUNS_MAX);
    HL_TRY(import_find(result, run, study, &index, err));
    assert(index == result->runs.count);
    HL_TRY(hl_grow(&result->studies, &result->study_capacity, result->runs.count + 1,
                   sizeof(*result->studies), err));
    (void)snprintf(result->studies[result->runs.count], IMPORT_STUDY_BYTES, "%s", study);
    HL_TRY(run_list_add(&result->runs, run, err));
    result->slots[find_slot(result, run, study)] = result->runs.count;
    return HL_OK;
}

void import_shorten(struct import_result *result, size_t count)
{
    run_list_shorten(&result->runs, count);
    hl_free(result->slots);
    result->slots = NULL;
    result->slot_count = 0;
}
