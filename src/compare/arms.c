/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arms.c - sorts the runs of sessions into arms, without copying them.
 */
#include <stdbool.h>
#include <string.h>

#include "compare/comparison.h"

enum hl_status compare_take(struct hl_arena *arena, void *pointer, size_t count, size_t size,
                            struct hl_error *err)
{
    void *block = hl_arena_alloc(arena, count, size);

    if (block == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for a comparison");
    memcpy(pointer, &block, sizeof(block));
    return HL_OK;
}

static enum hl_status add_arm(struct compare_arms *arms, const char *name, size_t run_count,
                              struct compare_arm **arm, struct hl_error *err)
{
    size_t bytes = strlen(name) + 1;
    char *copy;

    HL_TRY(hl_grow(&arms->arms, &arms->capacity, arms->count + 1, sizeof(*arms->arms), err));
    *arm = &arms->arms[arms->count];
    **arm = (struct compare_arm){.session = arms->session_count};
    HL_TRY(compare_take(&arms->arena, &(*arm)->runs, run_count, sizeof(*(*arm)->runs), err));
    HL_TRY(compare_take(&arms->arena, &copy, bytes, 1, err));
    memcpy(copy, name, bytes);
    (*arm)->name = copy;
    arms->count++;
    return HL_OK;
}

static bool is_first_of_arm(const struct run_list *runs, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (run_same_arm(&runs->runs[j], &runs->runs[i]))
            return false;
    return true;
}

enum hl_status compare_arms_add(struct compare_arms *arms, const struct run_list *runs,
                                const char *name, struct hl_error *err)
{
    for (size_t i = 0; i < runs->count; i++) {
        char own_name[RUN_ARM_BYTES];
        struct compare_arm *arm;

        if (name != NULL ? i > 0 : !is_first_of_arm(runs, i))
            continue;
        HL_TRY(add_arm(arms, name != NULL ? name : run_arm_name(&runs->runs[i], own_name),
                       runs->count - i, &arm, err));
        for (size_t j = i; j < runs->count; j++)
            if (name != NULL || run_same_arm(&runs->runs[j], &runs->runs[i]))
                arm->runs[arm->run_count++] = &runs->runs[j];
    }
    arms->session_count++;
    return HL_OK;
}

void compare_arms_close(struct compare_arms *arms)
{
    hl_free(arms->arms);
    hl_arena_close(&arms->arena);
    *arms = (struct compare_arms){0};
}
