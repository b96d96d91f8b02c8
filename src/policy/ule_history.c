/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ule_history.c - see ule_history.h.
 */
#include "policy/ule_history.h"

#include "base/units.h"

enum {
    KEEP_S = 5,
    USE_KEEP_S = 10, /* what is kept of a window of USE_MAX_S */
    USE_MAX_S = 11
};

static int32_t keep(int32_t hz)
{
    return KEEP_S * hz << ULE_TICK_SHIFT;
}

void ule_history_trim(struct ule_history *h, int32_t hz)
{
    int32_t sum = h->ran + h->slept;

    if (sum < keep(hz))
        return;
    if (sum > keep(hz) / 5 * 6) {
        h->ran /= 2;
        h->slept /= 2;
    } else {
        h->ran = h->ran / 5 * 4;
        h->slept = h->slept / 5 * 4;
    }
}

void ule_history_fork(struct ule_history *child, const struct ule_history *parent, int32_t hz)
{
    int32_t most = hz / 2 << ULE_TICK_SHIFT, sum = parent->ran + parent->slept;
    int32_t ratio = sum > most ? sum / most : 1;

    child->ran = parent->ran / ratio;
    child->slept = parent->slept / ratio;
}

int32_t ule_history_score_5(const struct ule_history *h)
{
    if (h->ran > h->slept)
        return ULE_SCORE_HALF + (ULE_SCORE_HALF - h->slept / HL_MAX(1, h->ran / ULE_SCORE_HALF));
    if (h->slept > h->ran)
        return h->ran / HL_MAX(1, h->slept / ULE_SCORE_HALF);
    return 0;
}

void ule_history_trim_7(struct ule_history *h, int32_t hz)
{
    if (h->ran + h->slept <= 2 * keep(hz)) {
        ule_history_trim(h, hz);
    } else if (h->ran > h->slept) {
        h->ran = keep(hz);
        h->slept = 1;
    } else {
        h->slept = keep(hz);
        h->ran = 1;
    }
}

int32_t ule_history_score_7(const struct ule_history *h, int32_t interact)
{
    if (interact <= ULE_SCORE_HALF && h->ran >= h->slept)
        return ULE_SCORE_HALF;
    if (h->ran == h->slept)
        return h->ran == 0 ? 0 : ULE_SCORE_HALF;
    return ule_history_score_5(h);
}

void ule_use_add(struct ule_use *u, int32_t ticks, int32_t charge, int32_t hz)
{
    u->ran += charge;
    u->last = ticks;
    if (ticks - u->first >= USE_MAX_S * hz)
        ule_use_update(u, ticks, hz);
}

void ule_use_update(struct ule_use *u, int32_t ticks, int32_t hz)
{
    if (u->ran == 0)
        return;
    if (ticks - u->last >= USE_KEEP_S * hz)
        u->ran = 0;
    else if (ticks - u->first < USE_MAX_S * hz)
        return;
    else
        u->ran = (int32_t)((int64_t)u->ran * USE_KEEP_S * hz / (ticks - u->first));
    u->last = ticks;
    u->first = ticks - USE_KEEP_S * hz;
}
