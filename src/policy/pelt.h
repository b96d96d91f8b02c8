/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pelt.h - per-entity load tracking: how busy something has been lately, as Linux 6.1 and 6.12
 * measure it.
 *
 * Time is cut into segments of 1024 us (units of 1024 ns); what happened n segments ago counts y^n,
 * with y^32 = 1/2. Three signals share the clock: load (queued), runnable (queued and wanting the
 * cpu), util (running). An average moves only when a segment ends.
 * Source: spec modern 1.3.
 */
#ifndef HL_POLICY_PELT_H
#define HL_POLICY_PELT_H

#include <stdbool.h>
#include <stdint.h>

enum {
    PELT_HALF_LIFE = 32,      /* segments */
    PELT_SEGMENT = 1024,      /* units in a segment */
    PELT_UNIT_SHIFT = 10,     /* ns to units */
    PELT_LOAD_AVG_MAX = 47742 /* sum of one signal that was always on */
};

struct pelt {
    int64_t last_ns; /* brought up to this time of the pelt clock; 0: not attached to a queue */
    int64_t load_sum, runnable_sum, util_sum;
    int32_t period_contrib; /* units in the open segment */
    int32_t load_avg, runnable_avg, util_avg;
};

/* 2^32 y^k, a little less so that it fits: floor((2^32 - 1) * 2^(-k / 32)). */
extern const uint32_t pelt_decay_table[PELT_HALF_LIFE];

/* value * y^segments */
static inline int64_t pelt_decay(int64_t value, int64_t segments)
{
    if (segments > 63 * PELT_HALF_LIFE)
        return 0;
    value >>= segments / PELT_HALF_LIFE;
    return (int64_t)((uint64_t)((unsigned __int128)(uint64_t)value *
                                    pelt_decay_table[segments % PELT_HALF_LIFE] >>
                                32));
}

static inline int64_t pelt_divider(const struct pelt *avg)
{
    return PELT_LOAD_AVG_MAX - PELT_SEGMENT + avg->period_contrib;
}

/*
 * Brings the sums up to now_ns (___update_load_sum). load, runnable: what each unit adds to the
 * sums of that name; running: whether the cpu was ours. Returns whether a segment ended: the
 * averages are due.
 */
static inline bool pelt_update_sums(struct pelt *avg, int64_t now_ns, int64_t load,
                                    int64_t runnable, bool running)
{
    int64_t units = (now_ns - avg->last_ns) >> PELT_UNIT_SHIFT, segments, added;

    if (units <= 0)
        return false;
    avg->last_ns += units << PELT_UNIT_SHIFT;
    added = units;
    units += avg->period_contrib;
    segments = units / PELT_SEGMENT;
    if (segments > 0) {
        avg->load_sum = pelt_decay(avg->load_sum, segments);
        avg->runnable_sum = pelt_decay(avg->runnable_sum, segments);
        avg->util_sum = pelt_decay(avg->util_sum, segments);
        units %= PELT_SEGMENT;
        if (load > 0)
            added = pelt_decay(PELT_SEGMENT - avg->period_contrib, segments) + PELT_LOAD_AVG_MAX -
                    pelt_decay(PELT_LOAD_AVG_MAX, segments) - PELT_SEGMENT + units;
    }
    avg->period_contrib = (int32_t)units;
    if (load > 0) {
        avg->load_sum += load * added;
        avg->runnable_sum += runnable * added << PELT_UNIT_SHIFT;
        if (running)
            avg->util_sum += added << PELT_UNIT_SHIFT;
    }
    return segments > 0;
}

/* weight: that of an entity, whose load_sum is without it; 1 for a queue. */
static inline void pelt_update_averages(struct pelt *avg, int64_t weight)
{
    int64_t divider = pelt_divider(avg);

    avg->load_avg = (int32_t)(weight * avg->load_sum / divider);
    avg->runnable_avg = (int32_t)(avg->runnable_sum / divider);
    avg->util_avg = (int32_t)(avg->util_sum / divider);
}

#endif
