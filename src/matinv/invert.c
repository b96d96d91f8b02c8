/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * invert.c - inversion by LU factors: LAPACK's dgetrf and dgetri over OpenBLAS, whose threads are
 * the workload.
 *
 * OpenBLAS starts its threads once and keeps them; between parallel parts they spin for some tens of
 * milliseconds before they sleep, and that cpu time counts.
 */
#include "matinv/invert.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/rng.h"

struct matrices {
    double *a, *x, *product; /* order x order, by columns; product NULL: no residual */
    double *room;            /* of dgetri */
    lapack_int *pivots;
    lapack_int room_count;
};

static double clock_s(clockid_t id)
{
    struct timespec now;

    (void)clock_gettime(id, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void close_matrices(struct matrices *m)
{
    hl_free(m->a);
    hl_free(m->x);
    hl_free(m->product);
    hl_free(m->room);
    hl_free(m->pivots);
}

static enum hl_status open_matrices(struct matrices *m, lapack_int order, bool with_residual,
                                    struct hl_error *err)
{
    size_t count = (size_t)order * (size_t)order;
    double best = 0;

    m->a = hl_alloc(count, sizeof(*m->a));
    m->x = hl_alloc(count, sizeof(*m->x));
    m->product = with_residual ? hl_alloc(count, sizeof(*m->product)) : NULL;
    m->pivots = hl_alloc((size_t)order, sizeof(*m->pivots));
    if (m->x != NULL && m->pivots != NULL) {
        /* -1 asks how much room is best. */
        (void)LAPACKE_dgetri_work(LAPACK_COL_MAJOR, order, m->x, order, m->pivots, &best, -1);
        m->room_count = best > order ? (lapack_int)best : order;
        m->room = hl_alloc((size_t)m->room_count, sizeof(*m->room));
    }
    if (m->a == NULL || m->x == NULL || m->room == NULL || m->pivots == NULL ||
        (with_residual && m->product == NULL))
        return hl_fail(err, HL_NO_MEMORY, "out of memory for matrices of order %d", (int)order);
    return HL_OK;
}

static void fill(double *a, size_t count, uint64_t seed)
{
    struct hl_rng rng = hl_rng_stream(seed, "matinv/elements");

    /* 53 bits of the number are the fraction of a double. */
    for (size_t i = 0; i < count; i++)
        a[i] = (double)(hl_rng_next(&rng) >> 11) * 0x1p-53 - 0.5;
}

/* The 1-norm: the largest sum of a column. NAN if an element is no number: LAPACKE_dlange returns an
 * error code then, which would pass for a norm. */
static double norm(const double *a, int order)
{
    double most = 0;

    for (int column = 0; column < order; column++) {
        double sum = 0;

        for (int row = 0; row < order; row++)
            sum += fabs(a[(size_t)column * (size_t)order + (size_t)row]);
        if (!(sum <= most))
            most = sum;
        if (isnan(sum))
            break;
    }
    return most;
}

double matinv_residual(int order, const double *a, const double *x, double *product)
{
    size_t step = (size_t)order + 1;
    double scale = norm(a, order) * norm(x, order) * (double)order * (DBL_EPSILON / 2);

    memset(product, 0, (size_t)order * (size_t)order * sizeof(*product));
    for (size_t i = 0; i < (size_t)order; i++)
        product[i * step] = 1;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, order, order, order, -1.0, a, order, x,
                order, 1.0, product, order);
    return norm(product, order) / scale;
}

bool matinv_is_right(double residual, double bound)
{
    return residual <= bound; /* also false of NAN */
}

double matinv_operations(int order)
{
    return 2.0 * order * order * order;
}

enum hl_status matinv_set_threads(int threads, struct hl_error *err)
{
    openblas_set_num_threads(threads);
    if (openblas_get_num_threads() != threads)
        return hl_fail(err, HL_UNSUPPORTED,
                       "this OpenBLAS has %d threads at most; expected no more than that",
                       openblas_get_num_threads());
    return HL_OK;
}

enum hl_status matinv_invert(int order, uint64_t seed, bool with_residual,
                             struct matinv_result *result, struct hl_error *err)
{
    struct matrices m = {0};
    size_t count = (size_t)order * (size_t)order;
    enum hl_status status = open_matrices(&m, order, with_residual, err);
    lapack_int info;

    if (status == HL_OK) {
        fill(m.a, count, seed);
        memcpy(m.x, m.a, count * sizeof(*m.x));
        result->cpu_seconds = clock_s(CLOCK_PROCESS_CPUTIME_ID);
        result->seconds = clock_s(CLOCK_MONOTONIC);
        info = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, order, order, m.x, order, m.pivots);
        if (info == 0)
            info = LAPACKE_dgetri_work(LAPACK_COL_MAJOR, order, m.x, order, m.pivots, m.room,
                                       m.room_count);
        result->seconds = clock_s(CLOCK_MONOTONIC) - result->seconds;
        result->cpu_seconds = clock_s(CLOCK_PROCESS_CPUTIME_ID) - result->cpu_seconds;
        result->residual =
            with_residual ? matinv_residual(order, m.a, m.x, m.product) : (double)NAN;
        if (info != 0)
            status = hl_fail(err, HL_RUN_FAILED, "order %d: the matrix is singular at %d", order,
                             (int)info);
    }
    close_matrices(&m);
    return status;
}
