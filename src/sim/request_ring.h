/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request_ring.h - which cpus are to pick again, and when: requests on their way, in batches of one time.
 *
 * A request arrives at once or a constant time after it was made, so a new one belongs to the last
 * batch, behind it or, at once, in front of all: nothing is ever sorted. A policy that wakes all idle cpus
 * makes one batch. Equal times: the lower cpu first.
 */
#ifndef HL_SIM_REQUEST_RING_H
#define HL_SIM_REQUEST_RING_H

#include <assert.h>
#include <stdint.h>

struct request_batch { /* never empty */
    int64_t at_ns;
    uint64_t *cpus;      /* a bit each */
    int32_t count, word; /* no bit in a word before this one */
};

struct request_ring {
    struct request_batch *batch; /* `room` of them, those beyond `count` without a bit */
    int64_t *at_ns;              /* by cpu; INT64_MAX: none */
    int64_t next_ns;             /* of the first batch; INT64_MAX: none */
    int32_t first, count;
    int32_t room; /* a power of two, at least the number of cpus */
};

static inline struct request_batch *request_ring_get(const struct request_ring *ring, int32_t i)
{
    return &ring->batch[(ring->first + i) & (ring->room - 1)];
}

static inline void request_ring_see_first(struct request_ring *ring)
{
    ring->next_ns = ring->count > 0 ? request_ring_get(ring, 0)->at_ns : INT64_MAX;
}

/* The batch of that time. */
static inline struct request_batch *request_ring_batch(struct request_ring *ring, int64_t at_ns)
{
    struct request_batch *batch = request_ring_get(ring, ring->count - 1);

    if (ring->count > 0 && batch->at_ns == at_ns)
        return batch;
    if (at_ns == ring->next_ns)
        return request_ring_get(ring, 0);
    if (at_ns < ring->next_ns) {
        if (ring->count > 0)
            ring->first = (ring->first - 1) & (ring->room - 1);
        ring->next_ns = at_ns;
        batch = request_ring_get(ring, 0);
    } else {
        assert(at_ns > batch->at_ns);
        batch = request_ring_get(ring, ring->count);
    }
    ring->count++;
    batch->at_ns = at_ns;
    batch->word = INT32_MAX;
    return batch;
}

static inline void request_ring_take(struct request_ring *ring, struct request_batch *batch,
                                     int32_t cpu)
{
    batch->cpus[cpu / 64] &= ~(UINT64_C(1) << (cpu % 64));
    batch->count--;
    ring->at_ns[cpu] = INT64_MAX;
}

/* A request that is overtaken. */
static inline void request_ring_remove(struct request_ring *ring, int32_t cpu)
{
    int32_t i = 0;

    while (request_ring_get(ring, i)->at_ns != ring->at_ns[cpu])
        i++;
    request_ring_take(ring, request_ring_get(ring, i), cpu);
    if (request_ring_get(ring, i)->count > 0)
        return;
    for (ring->count--; i < ring->count; i++) {
        struct request_batch empty = *request_ring_get(ring, i);

        *request_ring_get(ring, i) = *request_ring_get(ring, i + 1);
        *request_ring_get(ring, i + 1) = empty;
    }
    request_ring_see_first(ring);
}

/* Unless an earlier one, or this one, is on its way to that cpu. */
static inline void request_ring_add(struct request_ring *ring, int32_t cpu, int64_t at_ns)
{
    struct request_batch *batch;
    int32_t word = cpu / 64;

    if (ring->at_ns[cpu] <= at_ns)
        return;
    if (ring->at_ns[cpu] != INT64_MAX)
        request_ring_remove(ring, cpu);
    batch = request_ring_batch(ring, at_ns);
    batch->cpus[word] |= UINT64_C(1) << (cpu % 64);
    batch->count++;
    batch->word = word < batch->word ? word : batch->word;
    ring->at_ns[cpu] = at_ns;
}

/* The first cpu of the first batch, which there is. */
static inline int32_t request_ring_pop(struct request_ring *ring)
{
    struct request_batch *batch = request_ring_get(ring, 0);
    int32_t cpu;

    while (batch->cpus[batch->word] == 0)
        batch->word++;
    cpu = batch->word * 64 + __builtin_ctzll(batch->cpus[batch->word]);
    request_ring_take(ring, batch, cpu);
    if (batch->count == 0) {
        ring->first = (ring->first + 1) & (ring->room - 1);
        ring->count--;
        request_ring_see_first(ring);
    }
    return cpu;
}

#endif
