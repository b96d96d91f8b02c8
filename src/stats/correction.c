/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * correction.c - many tests at once: Holm (1979) bounds the chance of any false alarm, Benjamini
 * and Hochberg (1995) the share of false alarms among the alarms.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "stats/stats.h"

struct ranked {
    double p;
    size_t index;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->p != y->p)
        return x->p < y->p ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Ascending p; equal ones in the order given. */
static enum hl_status rank_by_p(const double *p, size_t count, struct ranked **ranked,
                                struct hl_error *err)
{
    *ranked = hl_alloc(count, sizeof(**ranked));
    if (*ranked == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for %zu tests", count);
    for (size_t i = 0; i < count; i++) {
        assert(p[i] >= 0 && p[i] <= 1);
        (*ranked)[i] = (struct ranked){.p = p[i], .index = i};
    }
    qsort(*ranked, count, sizeof(**ranked), compare_ranked);
    return HL_OK;
}

enum hl_status stats_holm(const double *p, size_t count, double *adjusted, struct hl_error *err)
{
    struct ranked *ranked;
    double most = 0;

    HL_TRY(rank_by_p(p, count, &ranked, err));
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, fmin(1, (double)(count - i) * ranked[i].p));
        adjusted[ranked[i].index] = most;
    }
    hl_free(ranked);
    return HL_OK;
}

enum hl_status stats_holm_levels(const double *p, size_t count, double alpha, double *levels,
                                 struct hl_error *err)
{
    struct ranked *ranked;
    size_t rejected = 0;

    HL_TRY(rank_by_p(p, count, &ranked, err));
    for (size_t i = 0; i < count; i++) {
        double level = alpha / (double)(count - rejected);

        levels[ranked[i].index] = level;
        if (rejected == i && stats_is_significant(ranked[i].p, level) && i + 1 < count)
            rejected++;
    }
    hl_free(ranked);
    return HL_OK;
}

enum hl_status stats_benjamini_hochberg(const double *p, size_t count, double *adjusted,
                                        struct hl_error *err)
{
    struct ranked *ranked;
    double least = 1;

    HL_TRY(rank_by_p(p, count, &ranked, err));
    for (size_t i = count; i-- > 0;) {
        least = fmin(least, (double)count / (double)(i + 1) * ranked[i].p);
        adjusted[ranked[i].index] = least;
    }
    hl_free(ranked);
    return HL_OK;
}
