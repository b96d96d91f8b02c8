/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench.c - the figures of `make bench`: "name value unit" lines, and the same as JSON.
 *
 *     bench FILE.json                 all figures
 *     bench --engine POLICY [CPUS]    one run of the engine, on 8 cpus; valgrind counts its instructions
 *
 * Figures that cannot be had are null, with the reason on standard error. The engine's are engine_bench.c's.
 */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "bench.h"
#include "cli/play_paper.h"
#include "counters.h"

static json_t *figures;

void figure(const char *name, double value, const char *unit)
{
    if (isnan(value)) {
        printf("%s null %s\n", name, unit);
        (void)json_array_append_new(
            figures, json_pack("{s:s, s:n, s:s}", "name", name, "value", "unit", unit));
    } else {
        printf("%s %.6g %s\n", name, value, unit);
        (void)json_array_append_new(
            figures, json_pack("{s:s, s:f, s:s}", "name", name, "value", value, "unit", unit));
    }
    (void)fflush(stdout);
}

void missing(const char *name, const char *unit, const char *reason)
{
    figure(name, NAN, unit);
    (void)fprintf(stderr, "bench: %s: %s\n", name, reason);
}

/* ---- a whole published table ---- */

static enum hl_status bench_paper(struct hl_error *err)
{
    struct paper paper = {0};
    int threads = 1;
    int64_t started = counters_now_ns();
    enum hl_status status = paper_open(&paper, "fredrickson-2003-2phys", err);

    if (status == HL_OK)
        status = machine_host_usable_cpus(&threads, err);
    if (status == HL_OK)
        status = play_paper(&paper, 1, threads, NULL, err);
    if (status == HL_OK)
        figure("paper_2phys_s", (double)(counters_now_ns() - started) / 1e9, "s");
    paper_close(&paper);
    return status;
}

/* ---- what the harness adds to a measured command ---- */

/* The lines "name value unit" of the program beside this one. */
static void bench_harness(const char *program)
{
    const char *slash = strrchr(program, '/');
    char path[512], line[256], name[64], unit[32];
    bool is_there = false;
    double value;
    FILE *pipe;

    (void)snprintf(path, sizeof(path), "'%.*sharness_overhead'",
                   slash == NULL ? 0 : (int)(slash - program + 1), program);
    pipe = popen(path, "r");
    while (pipe != NULL && fgets(line, sizeof(line), pipe) != NULL)
        if (sscanf(line, "%63s %lf %31s", name, &value, unit) == 3) {
            figure(name, value, unit);
            is_there = is_there || strcmp(name, "harness_overhead") == 0;
        }
    if (pipe != NULL && pclose(pipe) != 0)
        (void)fprintf(stderr, "bench: %s failed\n", path);
    if (!is_there)
        missing("harness_overhead", "%", "harness_overhead printed no figure");
}

static enum hl_status bench_all(const char *program, const char *path, struct hl_error *err)
{
    figures = json_array();
    if (figures == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the figures");
    HL_TRY(engine_bench(program, err));
    HL_TRY(bench_paper(err));
    bench_harness(program);
    if (json_dump_file(figures, path, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) != 0)
        return hl_fail(err, HL_NOT_PERMITTED, "cannot write %s", path);
    json_decref(figures);
    return HL_OK;
}

int main(int argc, char **argv)
{
    struct hl_error err = {0};
    enum hl_status status;

    if (argc >= 3 && strcmp(argv[1], "--engine") == 0) {
        int64_t cpus = 8;

        status =
            argc == 3 || (argc == 4 && hl_parse_int(argv[3], &cpus) && cpus > 0 && cpus <= 4096)
                ? engine_bench_once(argv[2], (int)cpus, &err)
                : hl_fail(&err, HL_USAGE, "expected 1 to 4096 cpus");
    } else if (argc == 2 && argv[1][0] != '-') {
        status = bench_all(argv[0], argv[1], &err);
    } else {
        status = hl_fail(&err, HL_USAGE, "expected a file to write, or --engine POLICY [CPUS]");
    }
    if (status != HL_OK)
        (void)fprintf(stderr, "bench: %s\n", err.text);
    return hl_exit_code(status);
}
