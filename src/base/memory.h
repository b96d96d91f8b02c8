/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory.h - all allocation of the project, so that tests can make the n-th one fail.
 */
#ifndef HL_BASE_MEMORY_H
#define HL_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Zeroed memory for count * size bytes; NULL when exhausted, when the product overflows, or when a
 * test asked for it. Never NULL for a zero product. */
void *hl_alloc(size_t count, size_t size);

/* Grows or shrinks; new bytes are not zeroed. On failure returns NULL and the old block stays. */
void *hl_realloc(void *block, size_t count, size_t size);

void hl_free(void *block); /* NULL is fine */

/* A copy of `text`; NULL when memory is exhausted. */
char *hl_strdup(const char *text);

/*
 * Ensures room for at least `needed` elements in a growing array: `*items` has room for `*capacity`
 * elements of `size` bytes. Amortised doubling. For set-up code; the event loop never grows anything.
 */
enum hl_status hl_grow(void *items_pointer, size_t *capacity, size_t needed, size_t size,
                       struct hl_error *err) HL_MUST_CHECK;

/* For tests: the n-th allocation from now fails (1 = the next one); 0 switches it off. */
void hl_alloc_fail_at(uint64_t n);
uint64_t hl_alloc_count(void); /* allocations since start of the process */

/*
 * An arena: zeroed memory given out in order and freed all at once. Not thread safe.
 * {0} is a valid empty arena; closing it twice is safe.
 */
struct hl_arena {
    struct hl_arena_block *blocks;
    size_t used_bytes; /* sum given out, for figures */
};

void *hl_arena_alloc(struct hl_arena *arena, size_t count, size_t size); /* aligned to 64 bytes */
void hl_arena_close(struct hl_arena *arena);

#endif
