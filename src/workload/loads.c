/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loads.c - the load levels of a study: "half,optimal,max,single", "1-8,16", "2x".
 *
 * The symbolic ones follow kernbench's rules, with its wish to keep them apart: half load on two or
 * three cpus would be one job, which is single, so it is off; on four it would be two, for which it
 * takes three.
 */
#include "workload/workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

enum { LOADS_TEXT_MAX = 4096, LOAD_LEVEL_MAX = 1000000 };

static const char *const load_words[] = {"single", "half", "optimal", "max"};
static const enum workload_load_kind load_kinds[] = {LOAD_SINGLE, LOAD_HALF, LOAD_OPTIMAL,
                                                     LOAD_MAX};

static enum hl_status load_add(struct workload_load *loads, int *count,
                               enum workload_load_kind kind, int64_t level, const char *label,
                               struct hl_error *err)
{
    for (int i = 0; i < *count; i++)
        if (loads[i].kind == kind && loads[i].level == level)
            return hl_fail(err, HL_USAGE, "load '%s' is given twice; expected each once", label);
    if (*count == WORKLOAD_LOADS_MAX)
        return hl_fail(err, HL_USAGE, "more than %d loads; expected at most that many",
                       WORKLOAD_LOADS_MAX);
    loads[*count] = (struct workload_load){.kind = kind, .level = level};
    (void)snprintf(loads[*count].label, sizeof(loads[*count].label), "%s", label);
    ++*count;
    return HL_OK;
}

static bool parse_level(const char *text, int64_t *level)
{
    return text[0] >= '0' && text[0] <= '9' && hl_parse_int(text, level) && *level >= 1 &&
           *level <= LOAD_LEVEL_MAX;
}

static enum hl_status load_bad(const char *item, struct hl_error *err)
{
    const char *near = hl_nearest_word(item, load_words, HL_COUNT_OF(load_words));

    return hl_fail(
        err, HL_USAGE,
        "load is '%s'; expected a level from 1 to %d, a range such as 1-8, a multiple of "
        "the cpus such as 2x, or single, half, optimal, max%s%s%s",
        item, LOAD_LEVEL_MAX, near == NULL ? "" : "; did you mean '", near == NULL ? "" : near,
        near == NULL ? "" : "'?");
}

/* `item` is cut at its dash or x; `shown` is the whole of it. */
static enum hl_status load_parse_item(struct workload_load *loads, int *count, char *item,
                                      const char *shown, struct hl_error *err)
{
    size_t length = strlen(item);
    char *dash = strchr(item, '-');
    int64_t first, last;

    for (int i = 0; i < HL_COUNT_OF(load_words); i++)
        if (strcmp(item, load_words[i]) == 0)
            return load_add(loads, count, load_kinds[i], 0, shown, err);
    if (parse_level(item, &first))
        return load_add(loads, count, LOAD_LEVEL, first, shown, err);
    if (length > 1 && item[length - 1] == 'x') {
        item[length - 1] = '\0';
        if (parse_level(item, &first))
            return load_add(loads, count, LOAD_CPUS, first, shown, err);
        return load_bad(shown, err);
    }
    if (dash == NULL)
        return load_bad(shown, err);
    *dash = '\0';
    if (!parse_level(item, &first) || !parse_level(dash + 1, &last) || last < first)
        return load_bad(shown, err);
    for (int64_t level = first; level <= last; level++) {
        char label[32];

        (void)snprintf(label, sizeof(label), "%" PRId64, level);
        HL_TRY(load_add(loads, count, LOAD_LEVEL, level, label, err));
    }
    return HL_OK;
}

enum hl_status workload_loads_parse(struct workload_load *loads, int *count, const char *text,
                                    struct hl_error *err)
{
    char cut[LOADS_TEXT_MAX], shown[LOADS_TEXT_MAX];
    char *pieces[WORKLOAD_LOADS_MAX];
    int piece_count;

    *count = 0;
    if (strlen(text) >= sizeof(cut))
        return hl_fail(err, HL_USAGE,
                       "the list of loads has %zu characters; expected fewer than %d", strlen(text),
                       LOADS_TEXT_MAX);
    memcpy(cut, text, strlen(text) + 1);
    piece_count = hl_split(cut, ',', pieces, HL_COUNT_OF(pieces));
    if (piece_count > HL_COUNT_OF(pieces))
        return hl_fail(err, HL_USAGE, "more than %d loads; expected at most that many",
                       WORKLOAD_LOADS_MAX);
    for (int i = 0; i < piece_count; i++) {
        memcpy(shown, pieces[i], strlen(pieces[i]) + 1);
        HL_TRY(load_parse_item(loads, count, pieces[i], shown, err));
    }
    return HL_OK;
}

struct workload_load workload_no_load(void)
{
    return (struct workload_load){.kind = LOAD_NONE, .label = "-"};
}

int64_t workload_load_level(const struct workload_load *load, int cpus, int64_t max_jobs)
{
    int64_t half = cpus / 2;

    switch (load->kind) {
    case LOAD_LEVEL: return load->level;
    case LOAD_CPUS: return load->level * cpus;
    case LOAD_SINGLE: return 1;
    case LOAD_HALF: return half < 2 ? 0 : half == 2 ? 3 : half;
    case LOAD_OPTIMAL: return INT64_C(4) * cpus;
    case LOAD_MAX: return max_jobs;
    case LOAD_NONE: return 0;
    }
    return 0;
}
