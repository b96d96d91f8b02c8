/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * real_rsa.c - `openssl speed -multi N rsaBITS`: as many signing processes as the load.
 *
 * Rates are by the time that goes by (-elapsed), so waiting for a cpu is in them; openssl divides
 * by the user time of each process if it is not told. The time itself is fixed: twice
 * --seconds, signs and then verifies.
 */
#include "host/work.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"
#include "host/tool.h"
#include "host/tool_output.h"

struct rsa_work {
    struct host_work work; /* first */
    struct host_tool tool;
    char algorithm[24], seconds[24];
    bool by_user_time;
};

/* Metrics of its own; the same for all runs of this process. */
static int signs_metric, verifies_metric;

static enum hl_status check_bits(int64_t bits, struct hl_error *err)
{
    static const int known[] = {512, 1024, 2048, 3072, 4096, 7680, 15360};

    for (int i = 0; i < HL_COUNT_OF(known); i++)
        if (bits == known[i])
            return HL_OK;
    return hl_fail(err, HL_USAGE,
                   "--bits is %" PRId64 "; expected 512, 1024, 2048, 3072, 4096, 7680 or 15360",
                   bits);
}

static enum hl_status open_rsa(struct host_work *work, const struct host_work_options *options,
                               struct hl_error *err)
{
    struct rsa_work *rsa = (struct rsa_work *)work;
    char path[PATH_MAX];

    HL_TRY(check_bits(options->rsa.bits, err));
    (void)snprintf(rsa->algorithm, sizeof(rsa->algorithm), "rsa%" PRId64, options->rsa.bits);
    rsa->by_user_time = options->rsa.by_user_time;
    (void)snprintf(rsa->seconds, sizeof(rsa->seconds), "%" PRId64, options->rsa.seconds);
    HL_TRY(run_metric_add("signs_per_s", "1/s", RUN_HIGHER, &signs_metric, err));
    HL_TRY(run_metric_add("verifies_per_s", "1/s", RUN_HIGHER, &verifies_metric, err));
    if (!host_program_find("openssl", path, sizeof(path)))
        return hl_fail(err, HL_UNSUPPORTED, "found no program `openssl`; install openssl");
    return host_tool_open(&rsa->tool, path, options, err);
}

static bool read_rsa(const char *text, struct run *run, char *found, size_t bytes)
{
    struct host_rsa_figures figures;

    if (!host_rsa_read(text, &figures, found, bytes))
        return false;
    run_set(run, (enum run_metric)signs_metric, figures.signs_per_s);
    run_set(run, (enum run_metric)verifies_metric, figures.verifies_per_s);
    return true;
}

static enum hl_status run_rsa(struct host_work *work, int64_t level,
                              const struct host_setting *setting, struct run *run,
                              struct hl_error *err)
{
    struct rsa_work *rsa = (struct rsa_work *)work;
    char processes[24];
    const char *words[8] = {"speed", "-seconds", rsa->seconds, "-multi", processes};
    int count = 5;

    if (level < 1)
        return hl_fail(err, HL_USAGE, "rsa has no maximal load; expected a number of processes");
    (void)snprintf(processes, sizeof(processes), "%" PRId64, level);
    if (!rsa->by_user_time)
        words[count++] = "-elapsed";
    words[count] = rsa->algorithm;
    return host_tool_run(&rsa->tool, words, setting, read_rsa, run, err);
}

static void close_rsa(struct host_work *work)
{
    host_tool_close(&((struct rsa_work *)work)->tool);
}

const struct host_work_ops host_rsa_ops = {
    .name = "rsa",
    .bytes = sizeof(struct rsa_work),
    .open = open_rsa,
    .run = run_rsa,
    .close = close_rsa,
};
