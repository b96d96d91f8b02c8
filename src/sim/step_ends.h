/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * step_ends.h - when the running task of each cpu ends its step, and which cpu is first: a winner tree.
 *
 * A cpu has at most one such time and it moves often (each switch, each sibling's), so it is worth a
 * structure of its own: an update climbs one path of compares, the minimum is at the root. Equal times: the lower cpu.
 */
#ifndef HL_SIM_STEP_ENDS_H
#define HL_SIM_STEP_ENDS_H

#include <stdint.h>

struct step_ends {
    int64_t *at_ns; /* by cpu, `leaves` of them; INT64_MAX: none */
    int32_t *
        winner; /* node i has children 2i and 2i + 1; leaf of cpu c is leaves + c; 2 x leaves entries */
    int32_t leaves; /* a power of two */
};

static inline int32_t step_ends_leaves(int32_t cpu_count)
{
    int32_t leaves = 1;

    while (leaves < cpu_count)
        leaves *= 2;
    return leaves;
}

/* at_ns and winner have their room already. */
static inline void step_ends_init(struct step_ends *ends, int32_t leaves)
{
    ends->leaves = leaves;
    for (int32_t c = 0; c < leaves; c++) {
        ends->at_ns[c] = INT64_MAX;
        ends->winner[leaves + c] = c;
    }
    for (int32_t i = leaves - 1; i > 0; i--)
        ends->winner[i] = ends->winner[2 * i];
}

static inline void step_ends_set(struct step_ends *ends, int32_t cpu, int64_t at_ns)
{
    const int64_t *at = ends->at_ns;
    int32_t *winner = ends->winner;

    ends->at_ns[cpu] = at_ns;
    for (int32_t i = (ends->leaves + cpu) / 2; i > 0; i /= 2) {
        int32_t left = winner[2 * i], right = winner[2 * i + 1];
        int32_t best = at[left] <= at[right] ? left : right;

        /* Neither before nor now the winner here: nothing changes further up. */
        if (best == winner[i] && best != cpu)
            return;
        winner[i] = best;
    }
}

static inline int32_t step_ends_first(const struct step_ends *ends)
{
    return ends->winner[1];
}

#endif
