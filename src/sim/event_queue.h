/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_queue.h - what happens next: an indexed 4-ary heap over a fixed set of slots.
 *
 * Each thing that can happen (a timer of the policy on cpu 5, the end of the sleep of task 17)
 * owns a slot and is armed at most once, so re-timing moves an entry instead of leaving a stale one,
 * and nothing is ever allocated. Total order: time, then `order` (kind above number: see engine.h).
 */
#ifndef HL_SIM_EVENT_QUEUE_H
#define HL_SIM_EVENT_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

struct event_entry {
    int64_t at_ns;
    uint64_t order;
    int32_t slot;
};

struct event_queue {
    struct event_entry *heap; /* slot_count entries of room */
    int32_t *place;           /* by slot: index in heap, -1: not armed */
    int32_t count;
};

static inline bool event_before(int64_t at_a, uint64_t order_a, int64_t at_b, uint64_t order_b)
{
    return at_a != at_b ? at_a < at_b : order_a < order_b;
}

static inline bool event_queue_is_armed(const struct event_queue *q, int32_t slot)
{
    return q->place[slot] >= 0;
}

static inline void event_queue_put(struct event_queue *q, int32_t i, struct event_entry entry)
{
    q->heap[i] = entry;
    q->place[entry.slot] = i;
}

static inline void event_queue_sift(struct event_queue *q, int32_t i, struct event_entry entry)
{
    struct event_entry *heap = q->heap;

    while (i > 0) {
        int32_t parent = (i - 1) / 4;

        if (!event_before(entry.at_ns, entry.order, heap[parent].at_ns, heap[parent].order))
            break;
        event_queue_put(q, i, heap[parent]);
        i = parent;
    }
    for (;;) {
        int32_t first = 4 * i + 1, last = first + 4 < q->count ? first + 4 : q->count,
                least = first;

        if (first >= q->count)
            break;
        for (int32_t child = first + 1; child < last; child++)
            if (event_before(heap[child].at_ns, heap[child].order, heap[least].at_ns,
                             heap[least].order))
                least = child;
        if (!event_before(heap[least].at_ns, heap[least].order, entry.at_ns, entry.order))
            break;
        event_queue_put(q, i, heap[least]);
        i = least;
    }
    event_queue_put(q, i, entry);
}

/* Arms or moves a slot. */
static inline void event_queue_set(struct event_queue *q, int32_t slot, int64_t at_ns,
                                   uint64_t order)
{
    int32_t i = q->place[slot];

    if (i < 0)
        i = q->count++;
    event_queue_sift(q, i, (struct event_entry){.at_ns = at_ns, .order = order, .slot = slot});
}

static inline void event_queue_clear(struct event_queue *q, int32_t slot)
{
    int32_t i = q->place[slot];
    struct event_entry last;

    if (i < 0)
        return;
    q->place[slot] = -1;
    last = q->heap[--q->count];
    if (last.slot != slot)
        event_queue_sift(q, i, last);
}

#endif
