/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * failures.c - whether a new arm fails more often than its base.
 *
 * A run that failed is in no figure, so figures alone would let an arm pass that fails at all.
 */
#include "base/format.h"
#include "compare/comparison.h"

bool compare_arm_has_ok(const struct compare_arm *arm)
{
    for (size_t i = 0; i < arm->run_count; i++)
        if (arm->runs[i]->status == RUN_OK)
            return true;
    return false;
}

static size_t runs_of(const struct compare_side *side)
{
    return side->n + side->failed + side->missing;
}

/* Runs that fail at a load of which the base has runs: more of them, and a larger part. */
static bool fails_more(const struct compare_side *base, const struct compare_side *new)
{
    return runs_of(base) > 0 &&
           new->failed > base->failed &&new->failed *runs_of(base) > base->failed *runs_of(new);
}

size_t compare_new_failures(const struct compare_result *result, char *list, size_t bytes)
{
    const struct compare_request *request = result->request;
    size_t count = 0, loads = result->load_count;

    list[0] = '\0';
    for (size_t i = 0; i < request->new_count * loads; i++) {
        size_t arm = i / loads, load = i % loads;
        const struct compare_side *base =
            &result->sides[compare_base_row(request, arm) * loads + load];
        const struct compare_side *new =
            &result->sides[compare_new_row(request, arm) * loads + load];
        char name[COMPARE_LOAD_BYTES];

        if (!fails_more(base, new))
            continue;
        compare_list_add(list, bytes, "%s, load %s: %zu of %zu runs failed, of the base %zu of %zu",
                         request->news[arm].name, compare_load_name(result, load, name),
                         new->failed, runs_of(new), base->failed, runs_of(base));
        count++;
    }
    return count;
}
