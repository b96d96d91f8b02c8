/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tick_ring.h - when each cpu ticks next. All tick with one period, so their order never changes.
 *
 * Ticks of idle cpus mean nothing to most policies. A bit for each busy place lets the ring go on to
 * the next tick that does, however many idle cpus lie between.
 */
#ifndef HL_SIM_TICK_RING_H
#define HL_SIM_TICK_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/units.h"

struct tick_ring {
    int32_t *cpu;      /* by place in order of phase; NULL: no such clock */
    int64_t *phase_ns; /* by place */
    int32_t *place_of; /* by cpu */
    uint64_t *busy;    /* bit by place: its cpu has a task */
    int32_t place, count;
    int64_t base_ns, round, next_ns; /* next_ns INT64_MAX: no such clock */
    int32_t hz;
};

static inline void tick_ring_set_busy(struct tick_ring *ring, int cpu, bool busy)
{
    uint64_t *word, bit;

    if (ring->cpu == NULL)
        return;
    word = &ring->busy[ring->place_of[cpu] / 64];
    bit = UINT64_C(1) << (ring->place_of[cpu] % 64);
    *word = busy ? *word | bit : *word & ~bit;
}

/* To a place of this round; `count`: to the first one of the next. */
static inline void tick_ring_go(struct tick_ring *ring, int32_t place)
{
    ring->place = place;
    if (place == ring->count) {
        ring->place = 0;
        ring->round++;
        ring->base_ns = ring->round * HL_NS_PER_S / ring->hz;
    }
    ring->next_ns = ring->base_ns + ring->phase_ns[ring->place];
}

/* The next place whose cpu is busy now; `count`: the rest of this round has none. */
static inline int32_t tick_ring_busy_place(const struct tick_ring *ring)
{
    if (ring->cpu == NULL)
        return ring->count;
    for (int32_t place = ring->place, word = place / 64; place < ring->count;
         word++, place = word * 64) {
        uint64_t bits = ring->busy[word] >> (place % 64);

        if (bits != 0)
            return place + __builtin_ctzll(bits);
    }
    return ring->count;
}

/* When that one ticks, or the next round begins. */
static inline int64_t tick_ring_place_ns(const struct tick_ring *ring, int32_t place)
{
    if (ring->cpu == NULL)
        return INT64_MAX;
    return place < ring->count
               ? ring->base_ns + ring->phase_ns[place]
               : (ring->round + 1) * HL_NS_PER_S / ring->hz + ring->phase_ns[0];
}

/* Passes over all ticks before before_ns, which is not after that of the next busy cpu. */
static inline void tick_ring_pass(struct tick_ring *ring, int64_t before_ns)
{
    int32_t place = ring->place, end = ring->count;

    if (ring->next_ns >= before_ns)
        return;
    while (place < end) {
        int32_t middle = place + (end - place) / 2;

        if (ring->base_ns + ring->phase_ns[middle] < before_ns)
            place = middle + 1;
        else
            end = middle;
    }
    tick_ring_go(ring, place);
}

#endif
