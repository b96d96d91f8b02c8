/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rank.c - exact distributions of the signed-rank and the rank-sum statistic, with ties.
 *
 * Without ties they are Rmath's psignrank and pwilcox (Wilcoxon 1945; Mann and Whitney 1947). With
 * ties the statistic is a sum of mid-ranks, and its distribution is that over all exchanges of
 * signs or labels given the ties, built up one tied group after the other. Statistics are kept
 * doubled, which makes mid-ranks whole numbers.
 *
 * Both tails are monotone in the tested shift: raising it moves the statistic found down by at
 * least as much as that of any exchange, pair by pair. Intervals rest on that (interval.c).
 */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"
#include "stats/rank.h"

enum {
    /* Up to here exact, in milliseconds at most; above, normal approximations. */
    SIGNED_MAX = 200,
    SIGNED_TIED_MAX = 100,
    SUM_ARM_MAX = 50,
    SUM_TIED_MAX = 60, /* both arms together */
};

double stats_least_p(size_t x_count, size_t y_count)
{
    double exchanges = x_count == 0
                           ? ldexp(1, (int)HL_MIN(y_count, 1000))
                           : choose((double)(x_count + y_count), (double)HL_MIN(x_count, y_count));

    return fmin(1, 2 / exchanges);
}

/* Of a doubled statistic; the correction for continuity is half a step of the undoubled one. */
static void normal_tails(double found, double mean, double variance, struct stats_tails *tails)
{
    double sd = sqrt(variance);

    tails->is_exact = false;
    tails->low = sd > 0 ? pnorm((found + 1 - mean) / sd, 0, 1, 1, 0) : 1;
    tails->high = sd > 0 ? pnorm((found - 1 - mean) / sd, 0, 1, 0, 0) : 1;
}

static void sum_tails(const double *chance, size_t size, size_t found, struct stats_tails *tails)
{
    double all = 0;

    tails->low = tails->high = 0;
    for (size_t s = 0; s < size; s++) {
        all += chance[s];
        if (s <= found)
            tails->low += chance[s];
        if (s >= found)
            tails->high += chance[s];
    }
    tails->low /= all;
    tails->high /= all;
}

/* ---- pairs ---- */

static int compare_sizes(const void *a, const void *b)
{
    double x = fabs(*(const double *)a), y = fabs(*(const double *)b);

    return (x > y) - (x < y);
}

/* Doubled mid-ranks by size; 0 for differences of 0, whose signs mean nothing. */
static bool rank_sizes(const double *e, size_t n, double tie, size_t *ranks)
{
    bool is_tied = false;

    for (size_t start = 0, end; start < n; start = end) {
        bool is_zero = fabs(e[start]) <= tie;

        end = start + 1;
        while (end < n && (is_zero ? fabs(e[end]) : fabs(e[end]) - fabs(e[end - 1])) <= tie)
            end++;
        for (size_t i = start; i < end; i++)
            ranks[i] = is_zero ? 0 : start + end + 1;
        is_tied = is_tied || is_zero || end - start > 1;
    }
    return is_tied;
}

/* Each sign is + or - with even chances: each rank is added or not. */
static enum hl_status tied_signed_tails(const size_t *ranks, size_t n, size_t found,
                                        struct stats_tails *tails, struct hl_error *err)
{
    size_t size = n * (n + 1) + 1, reached = 0;
    double *chance = hl_alloc(size, sizeof(*chance));

    if (chance == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the ranks of %zu pairs", n);
    chance[0] = 1;
    for (size_t i = 0; i < n; i++) {
        if (ranks[i] == 0)
            continue;
        reached += ranks[i];
        for (size_t s = reached + 1; s-- > 0;)
            chance[s] = (chance[s] + (s >= ranks[i] ? chance[s - ranks[i]] : 0)) / 2;
    }
    sum_tails(chance, reached + 1, found, tails);
    hl_free(chance);
    return HL_OK;
}

static enum hl_status signed_tails(const struct rank_sample *sample, double shift, double *e,
                                   size_t *ranks, struct stats_tails *tails, struct hl_error *err)
{
    size_t n = sample->y_count, found = 0;
    double all = 0, squares = 0;
    bool is_tied;

    for (size_t i = 0; i < n; i++)
        e[i] = sample->y[i] - shift;
    qsort(e, n, sizeof(*e), compare_sizes);
    is_tied = rank_sizes(e, n, sample->tie, ranks);
    for (size_t i = 0; i < n; i++) {
        found += e[i] > 0 ? ranks[i] : 0;
        all += (double)ranks[i];
        squares += (double)ranks[i] * (double)ranks[i];
    }
    tails->is_exact = true;
    if (n > (is_tied ? SIGNED_TIED_MAX : SIGNED_MAX)) {
        normal_tails((double)found, all / 2, squares / 4, tails);
        return HL_OK;
    }
    if (is_tied)
        return tied_signed_tails(ranks, n, found, tails, err);
    tails->low = psignrank((double)(found / 2), (double)n, 1, 0);
    tails->high = psignrank((double)(found / 2) - 1, (double)n, 0, 0);
    return HL_OK;
}

/* ---- independent samples ---- */

struct group { /* of equal values of the pooled sample, in ascending order */
    size_t x_count, y_count;
};

/* The groups of x and y - shift; returns how many, and twice the statistic. */
static size_t make_groups(const struct rank_sample *sample, double shift, struct group *groups,
                          size_t *found)
{
    size_t m = sample->x_count, n = sample->y_count, i = 0, j = 0, count = 0;
    double last = 0;

    *found = 0;
    while (i < m || j < n) {
        bool is_y = i == m || (j < n && sample->y[j] - shift < sample->x[i]);
        double value = is_y ? sample->y[j] - shift : sample->x[i];

        if (count == 0 || value - last > sample->tie)
            groups[count++] = (struct group){0};
        groups[count - 1].x_count += !is_y;
        groups[count - 1].y_count += is_y;
        last = value;
        i += !is_y;
        j += is_y;
    }
    for (size_t g = 0, below = 0; g < count; g++) {
        *found += groups[g].y_count * (2 * below + groups[g].x_count);
        below += groups[g].x_count;
    }
    return count;
}

/*
 * ways[k * width + s]: choices of k labels among the groups so far with doubled statistic s. From a
 * group of t, j labels can be taken in (t over j) ways; each lies above the unlabelled of the
 * groups before, and ties with the t - j unlabelled of its own.
 */
static enum hl_status tied_sum_tails(const struct group *groups, size_t group_count, size_t labels,
                                     size_t others, size_t found, struct stats_tails *tails,
                                     struct hl_error *err)
{
    size_t width = 2 * labels * others + 1, seen = 0;
    double *ways = hl_alloc((labels + 1) * width, sizeof(*ways));

    if (ways == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the ranks of %zu values",
                       labels + others);
    ways[0] = 1;
    for (size_t g = 0; g < group_count; g++) {
        size_t t = groups[g].x_count + groups[g].y_count;

        /* Downwards: what is added at k + j is not met again in this group. */
        for (size_t k = HL_MIN(seen, labels) + 1; k-- > 0;) {
            double binomial = 1;

            if (seen - k > others)
                break;
            for (size_t j = 1; j <= t && k + j <= labels; j++) {
                size_t added = j * (2 * (seen - k) + t - j);
                double *to = &ways[(k + j) * width], *from = &ways[k * width];

                binomial = binomial * (double)(t - j + 1) / (double)j;
                /* Too many unlabelled: such choices never become complete. */
                if (seen + t - k - j > others)
                    continue;
                for (size_t s = 0; s + added < width; s++)
                    to[s + added] += from[s] * binomial;
            }
        }
        seen += t;
    }
    sum_tails(&ways[labels * width], width, found, tails);
    hl_free(ways);
    return HL_OK;
}

static enum hl_status sum_tails_exact(const struct group *groups, size_t group_count, size_t m,
                                      size_t n, size_t found, struct stats_tails *tails,
                                      struct hl_error *err)
{
    struct stats_tails mirrored = {.is_exact = true};

    tails->is_exact = true;
    if (group_count == m + n) {
        tails->low = pwilcox((double)(found / 2), (double)m, (double)n, 1, 0);
        tails->high = pwilcox((double)(found / 2) - 1, (double)m, (double)n, 0, 0);
        return HL_OK;
    }
    if (n <= m)
        return tied_sum_tails(groups, group_count, n, m, found, tails, err);
    /* Labelling the smaller arm is less work; its statistic is the mirror image. */
    HL_TRY(tied_sum_tails(groups, group_count, m, n, 2 * m * n - found, &mirrored, err));
    tails->low = mirrored.high;
    tails->high = mirrored.low;
    return HL_OK;
}

static enum hl_status rank_sum_tails(const struct rank_sample *sample, double shift,
                                     struct group *groups, struct stats_tails *tails,
                                     struct hl_error *err)
{
    size_t m = sample->x_count, n = sample->y_count, found;
    size_t group_count = make_groups(sample, shift, groups, &found);
    bool is_tied = group_count < m + n;
    double pairs = (double)m * (double)n, all = (double)(m + n), cubes = 0;

    if (is_tied ? m + n <= SUM_TIED_MAX : HL_MAX(m, n) <= SUM_ARM_MAX)
        return sum_tails_exact(groups, group_count, m, n, found, tails, err);
    for (size_t g = 0; g < group_count; g++) {
        double t = (double)(groups[g].x_count + groups[g].y_count);

        cubes += t * t * t - t;
    }
    /* Four times the variance mn/12 (N + 1 - sum(t^3 - t) / (N (N - 1))), for it is doubled. */
    normal_tails((double)found, pairs, pairs / 3 * (all + 1 - cubes / (all * (all - 1))), tails);
    return HL_OK;
}

enum hl_status rank_tails(const struct rank_sample *sample, double shift, struct stats_tails *tails,
                          struct hl_error *err)
{
    size_t count = sample->x_count + sample->y_count;
    double *e = NULL;
    void *ranks = NULL;
    enum hl_status status;

    if (sample->x != NULL) {
        ranks = hl_alloc(count, sizeof(struct group));
    } else {
        ranks = hl_alloc(count, sizeof(size_t));
        e = hl_alloc(count, sizeof(*e));
    }
    if (ranks == NULL || (sample->x == NULL && e == NULL))
        status = hl_fail(err, HL_NO_MEMORY, "out of memory for the ranks of %zu values", count);
    else if (sample->x != NULL)
        status = rank_sum_tails(sample, shift, ranks, tails, err);
    else
        status = signed_tails(sample, shift, e, ranks, tails, err);
    hl_free(e);
    hl_free(ranks);
    return status;
}

enum hl_status stats_tails_at(const struct stats_contrast *contrast, double shift,
                              struct stats_tails *tails, struct hl_error *err)
{
    struct rank_sample sample = {0};
    enum hl_status status;

    assert(contrast->y_count > 0);
    status = rank_sample_open(&sample, contrast, err);
    if (status == HL_OK)
        status = rank_tails(&sample, shift, tails, err);
    rank_sample_close(&sample);
    return status;
}
