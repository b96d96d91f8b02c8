/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory.c - allocation with fault injection, growing arrays, arenas.
 */
#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Atomic uint64_t alloc_count;
static _Atomic uint64_t fail_at; /* absolute count of the allocation that fails; 0 = none */

static int allocation_may_go_on(size_t count, size_t size)
{
    uint64_t n = atomic_fetch_add(&alloc_count, 1) + 1;

    if (n == atomic_load(&fail_at))
        return 0;
    return size == 0 || count <= SIZE_MAX / 2 / size;
}

void *hl_alloc(size_t count, size_t size)
{
    if (!allocation_may_go_on(count, size))
        return NULL;
    return count == 0 || size == 0 ? calloc(1, 1) : calloc(count, size);
}

void *hl_realloc(void *block, size_t count, size_t size)
{
    size_t bytes;

    if (!allocation_may_go_on(count, size))
        return NULL;
    bytes = count * size;
    return realloc(block, bytes == 0 ? 1 : bytes);
}

void hl_free(void *block)
{
    free(block);
}

char *hl_strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = hl_alloc(bytes, 1);

    if (copy != NULL)
        memcpy(copy, text, bytes);
    return copy;
}

enum hl_status hl_grow(void *items_pointer, size_t *capacity, size_t needed, size_t size,
                       struct hl_error *err)
{
    void *items, *grown;
    size_t wanted = *capacity < 16 ? 16 : *capacity;

    if (needed <= *capacity)
        return HL_OK;
    while (wanted < needed && wanted < SIZE_MAX / 4)
        wanted *= 2;
    memcpy(&items, items_pointer, sizeof(items));
    grown = hl_realloc(items, wanted, size);
    if (grown == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for %zu entries of %zu bytes", wanted, size);
    memcpy(items_pointer, &grown, sizeof(grown));
    *capacity = wanted;
    return HL_OK;
}

void hl_alloc_fail_at(uint64_t n)
{
    atomic_store(&fail_at, n == 0 ? 0 : atomic_load(&alloc_count) + n);
}

uint64_t hl_alloc_count(void)
{
    return atomic_load(&alloc_count);
}

enum { ARENA_ALIGN = 64, ARENA_BLOCK_BYTES = 1 << 20 };

struct hl_arena_block {
    struct hl_arena_block *next;
    size_t used, size; /* bytes of the block, this header included */
};

_Static_assert(sizeof(struct hl_arena_block) <= ARENA_ALIGN, "the header fits in one unit");

void *hl_arena_alloc(struct hl_arena *arena, size_t count, size_t size)
{
    struct hl_arena_block *block = arena->blocks;
    size_t bytes;

    if (size != 0 && count > SIZE_MAX / 4 / size)
        return NULL;
    bytes = (count * size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    if (block == NULL || block->size - block->used < bytes) {
        size_t block_bytes = bytes + 2 * ARENA_ALIGN;

        if (block_bytes < ARENA_BLOCK_BYTES)
            block_bytes = ARENA_BLOCK_BYTES;
        block = hl_alloc(1, block_bytes);
        if (block == NULL)
            return NULL;
        block->next = arena->blocks;
        block->size = block_bytes;
        /* calloc aligns to 16; start where the first piece is aligned to a cache line. */
        block->used = ARENA_ALIGN + (ARENA_ALIGN - (uintptr_t)block % ARENA_ALIGN) % ARENA_ALIGN;
        arena->blocks = block;
    }
    block->used += bytes;
    arena->used_bytes += bytes;
    return (char *)block + block->used - bytes;
}

void hl_arena_close(struct hl_arena *arena)
{
    while (arena->blocks != NULL) {
        struct hl_arena_block *next = arena->blocks->next;

        hl_free(arena->blocks);
        arena->blocks = next;
    }
    arena->used_bytes = 0;
}
