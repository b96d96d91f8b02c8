/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * matinv_main.c - `halfload-matinv`: inverts random matrices of growing order and prints how fast.
 *
 *     order      seconds       MFLOPS  residual  parallelism
 *      1000     0.092513     21618.69   0.00213        1.984
 *     ...
 *     total     1.742210     25117.02   0.00240        1.990
 *
 * Parallelism is cpu time, user and system, by the time that went by; the last residual is the
 * largest.
 *
 * A program of its own: OpenBLAS starts threads in every program that is linked with it, and what
 * is measured must be a command like any other.
 */
#include <argp.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "matinv/invert.h"

enum { ORDER_MAX = 40000, THREADS_MAX = 4096 };

enum { KEY_ORDERS = 256, KEY_THREADS, KEY_SEED, KEY_NO_RESIDUAL, KEY_BOUND };

struct options {
    int64_t first, last, step, threads, seed;
    double bound;
    bool has_no_residual;
};

static const struct argp_option option_table[] = {
    {"orders", KEY_ORDERS, "A[-B+STEP]", 0, "orders of the matrices (default 1000-2000+200)", 0},
    {"threads", KEY_THREADS, "N", 0, "threads of BLAS (default 1)", 0},
    {"seed", KEY_SEED, "S", 0, "of the elements (default 1)", 0},
    {"no-residual", KEY_NO_RESIDUAL, NULL, 0, "do not look at the results", 0},
    {"bound", KEY_BOUND, "R", 0, "a residual above it is a wrong result (default 30)", 0},
    {0},
};

/* "1000", "1000-2000+200"; the text is cut. */
static bool parse_orders(char *text, struct options *o)
{
    char *dash = strchr(text, '-'), *plus = strchr(text, '+');

    if ((plus != NULL) != (dash != NULL) || plus < dash)
        return false;
    if (plus != NULL)
        *plus = '\0';
    if (dash != NULL)
        *dash = '\0';
    o->step = 1;
    return hl_parse_int(text, &o->first) && o->first >= 1 &&
           hl_parse_int(dash == NULL ? text : dash + 1, &o->last) && o->last >= o->first &&
           o->last <= ORDER_MAX && (plus == NULL || hl_parse_int(plus + 1, &o->step)) &&
           o->step >= 1;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case KEY_ORDERS:
        if (!parse_orders(arg, o))
            argp_error(state, "--orders: expected A or A-B+STEP, orders from 1 to %d", ORDER_MAX);
        return 0;
    case KEY_THREADS:
        if (!hl_parse_int(arg, &o->threads) || o->threads < 1 || o->threads > THREADS_MAX)
            argp_error(state, "--threads is '%s'; expected a number from 1 to %d", arg,
                       THREADS_MAX);
        return 0;
    case KEY_SEED:
        if (!hl_parse_int(arg, &o->seed) || o->seed < 0)
            argp_error(state, "--seed is '%s'; expected a number from 0 on", arg);
        return 0;
    case KEY_NO_RESIDUAL: o->has_no_residual = true; return 0;
    case KEY_BOUND:
        if (!hl_parse_double(arg, &o->bound))
            argp_error(state, "--bound is '%s'; expected a number", arg);
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static enum hl_status play(const struct options *o, struct hl_error *err)
{
    double seconds = 0, cpu_seconds = 0, operations = 0,
           worst = o->has_no_residual ? (double)NAN : 0;

    HL_TRY(matinv_set_threads((int)o->threads, err));
    printf("order      seconds       MFLOPS  residual  parallelism\n");
    for (int64_t order = o->first; order <= o->last; order += o->step) {
        struct matinv_result result;

        HL_TRY(matinv_invert((int)order, (uint64_t)o->seed, !o->has_no_residual, &result, err));
        printf("%5" PRId64 " %12.6f %12.2f %9.4g %12.3f\n", order, result.seconds,
               matinv_operations((int)order) / result.seconds / 1e6, result.residual,
               result.cpu_seconds / result.seconds);
        (void)fflush(stdout);
        if (!o->has_no_residual && !matinv_is_right(result.residual, o->bound))
            return hl_fail(err, HL_RUN_FAILED,
                           "wrong result: order %" PRId64 " has a residual of %.4g; expected at "
                           "most %.4g",
                           order, result.residual, o->bound);
        worst = fmax(worst, result.residual);
        seconds += result.seconds;
        cpu_seconds += result.cpu_seconds;
        operations += matinv_operations((int)order);
    }
    printf("total %12.6f %12.2f %9.4g %12.3f\n", seconds, operations / seconds / 1e6, worst,
           cpu_seconds / seconds);
    return HL_OK;
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        .options = option_table,
        .parser = parse_option,
        .doc = "Inverts random matrices by LAPACK over OpenBLAS: what `halfload run matinv` runs."};
    struct options o = {.first = 1000,
                        .last = 2000,
                        .step = 200,
                        .threads = 1,
                        .seed = 1,
                        .bound = MATINV_RESIDUAL_BOUND};
    struct hl_error err = {0};
    enum hl_status status;

    argp_err_exit_status = hl_exit_code(HL_USAGE);
    (void)argp_parse(&argp, argc, argv, 0, NULL, &o);
    status = play(&o, &err);
    if (status == HL_OK && (fflush(stdout) != 0 || ferror(stdout)))
        status = hl_fail(&err, HL_NOT_PERMITTED, "the output cannot be written");
    if (status != HL_OK)
        (void)fprintf(stderr, "halfload-matinv: %s\n", err.text);
    return hl_exit_code(status);
}
