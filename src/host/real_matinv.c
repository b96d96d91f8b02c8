/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * real_matinv.c - matrices inverted by halfload-matinv (src/matinv); the load is its threads.
 *
 *     order      seconds       MFLOPS  residual  parallelism
 *      1000     0.092513     21618.69   0.00213        1.984     a part of the run
 *     total     1.742210     25117.02   0.00240        1.990
 *
 * The run's own times, and so its percent cpu, hold the making and the checking of the matrices too.
 */
#include "host/work.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "host/tool.h"
#include "host/tool_output.h"

static const char program[] = "halfload-matinv";

struct matinv_work {
    struct host_work work; /* first */
    struct host_tool tool;
    char orders[80], seed[24];
    bool has_no_residual;
};

/* Metrics of its own; the same for all runs of this process. */
static int mflops_metric, residual_metric;

static enum hl_status find_program(char path[PATH_MAX], struct hl_error *err)
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - sizeof(program));

    if (length > 0) {
        path[length] = '\0';
        (void)snprintf(strrchr(path, '/') + 1, sizeof(program), "%s", program);
        if (access(path, X_OK) == 0)
            return HL_OK;
    }
    if (host_program_find(program, path, PATH_MAX))
        return HL_OK;
    return hl_fail(err, HL_UNSUPPORTED,
                   "found no program `%s` beside halfload nor in PATH; install it too", program);
}

static enum hl_status open_matinv(struct host_work *work, const struct host_work_options *options,
                                  struct hl_error *err)
{
    struct matinv_work *m = (struct matinv_work *)work;
    const struct host_matinv_options *asked = &options->matinv;
    char path[PATH_MAX];

    (void)snprintf(m->orders, sizeof(m->orders), "%" PRId64 "-%" PRId64 "+%" PRId64, asked->first,
                   asked->last, asked->step);
    (void)snprintf(m->seed, sizeof(m->seed), "%" PRIu64, options->matinv.seed);
    m->has_no_residual = asked->has_no_residual;
    HL_TRY(run_metric_add("mflops", "MFLOPS", RUN_HIGHER, &mflops_metric, err));
    HL_TRY(run_metric_add("residual", "", RUN_NEITHER, &residual_metric, err));
    HL_TRY(find_program(path, err));
    return host_tool_open(&m->tool, path, options, err);
}

static enum hl_status set_order(struct run *run, const struct host_matinv_row *row,
                                struct hl_error *err)
{
    char name[RUN_PART_BYTES];

    (void)snprintf(name, sizeof(name), "order %" PRId64, row->order);
    HL_TRY(run_part_set(run, name, RUN_elapsed_s, row->seconds, err));
    HL_TRY(run_part_set(run, name, RUN_percent_cpu, 100 * row->parallelism, err));
    HL_TRY(run_part_set(run, name, mflops_metric, row->mflops, err));
    return isnan(row->residual) ? HL_OK
                                : run_part_set(run, name, residual_metric, row->residual, err);
}

static bool read_matinv(const char *text, struct run *run, char *found, size_t bytes)
{
    struct host_matinv_figures figures;
    struct hl_error err;

    if (!host_matinv_read(text, &figures, found, bytes))
        return false;
    run_set(run, (enum run_metric)mflops_metric, figures.total.mflops);
    run_set(run, (enum run_metric)residual_metric, figures.total.residual);
    if (isnan(figures.total.residual))
        run->reason[residual_metric] = "not looked at, as asked";
    for (int i = 0; i < figures.row_count; i++)
        if (set_order(run, &figures.rows[i], &err) != HL_OK) {
            (void)snprintf(found, bytes, "%s", err.text);
            run_close(run);
            return false;
        }
    return true;
}

static enum hl_status run_matinv(struct host_work *work, int64_t level,
                                 const struct host_setting *setting, struct run *run,
                                 struct hl_error *err)
{
    struct matinv_work *m = (struct matinv_work *)work;
    char threads[24];
    const char *words[] = {"--threads",
                           threads,
                           "--orders",
                           m->orders,
                           "--seed",
                           m->seed,
                           m->has_no_residual ? "--no-residual" : NULL,
                           NULL};

    if (level < 1)
        return hl_fail(err, HL_USAGE, "matinv has no maximal load; expected a number of threads");
    (void)snprintf(threads, sizeof(threads), "%" PRId64, level);
    /* As many threads from the start: OpenBLAS would begin with one per cpu. */
    HL_TRY(host_environment_set(&m->tool.environment, "OPENBLAS_NUM_THREADS", threads, err));
    return host_tool_run(&m->tool, words, setting, read_matinv, run, err);
}

static void close_matinv(struct host_work *work)
{
    host_tool_close(&((struct matinv_work *)work)->tool);
}

const struct host_work_ops host_matinv_ops = {
    .name = "matinv",
    .bytes = sizeof(struct matinv_work),
    .open = open_matinv,
    .run = run_matinv,
    .close = close_matinv,
};
