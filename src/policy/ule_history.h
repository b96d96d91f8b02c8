/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ule_history.h - how ULE tells interactive tasks from others: the time a task ran against the time it slept.
 *
 * Two counters, about five seconds of history. Their ratio is a score from 0 (sleeps) to 100 (computes); below the
 * threshold, 30, a task is interactive: it runs less than 0.6 of what it sleeps. Waiting for a cpu counts as neither.
 * Later versions also keep the share of about ten seconds that a task ran (%cpu).
 * Source: spec freebsd 3.3, 4.2.
 */
#ifndef HL_POLICY_ULE_HISTORY_H
#define HL_POLICY_ULE_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

enum {
    ULE_TICK_SHIFT = 10, /* both counters are in 1/1024 of a tick */
    ULE_SCORE_HALF = 50,
    ULE_INTERACT = 30
};

struct ule_history {
    int32_t ran, slept;
};

/* Keeps the sum at about five seconds: by a fifth, or by half when it is far too large. */
void ule_history_trim(struct ule_history *h, int32_t hz);

/* A child knows half a second of its parent's history. */
void ule_history_fork(struct ule_history *child, const struct ule_history *parent, int32_t hz);

/* 0 to 100 as in 5.x. */
int32_t ule_history_score_5(const struct ule_history *h);

/* ---- 7.0 and later ---- */

/* After a sleep or an exit that added very much, the larger counter is the whole history. */
void ule_history_trim_7(struct ule_history *h, int32_t hz);

/* As above, but 50 outright for who ran at least as long as it slept, if that is no interactive score anyway. */
int32_t ule_history_score_7(const struct ule_history *h, int32_t interact);

struct ule_use {         /* recent cpu use, in ticks */
    int32_t ran;         /* of the window */
    int32_t first, last; /* the window: `ticks` at its begin, and when it was charged last */
};

/* The task ran `charge` ticks up to now. */
void ule_use_add(struct ule_use *u, int32_t ticks, int32_t charge, int32_t hz);
/* Who has not run for ten seconds has no use; a window of more than eleven is cut to ten. */
void ule_use_update(struct ule_use *u, int32_t ticks, int32_t hz);

/* 0 to `levels`: the share of the window it ran. */
static inline int32_t ule_use_level(const struct ule_use *u, int32_t levels, int32_t hz)
{
    int32_t window = u->last - u->first;

    window = window > hz ? window : hz;
    return u->ran / ((window + levels - 1) / levels);
}

#endif
