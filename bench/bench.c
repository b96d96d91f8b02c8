/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench.c - the figures of `make bench`: "name value unit" lines, and the same as JSON.
 *
 *     bench FILE.json           all figures
 *     bench --engine POLICY     one run of the engine; valgrind counts its instructions
 *
 * An event is one handled queue entry. The engine's figures are those of a kernel build -j8 on 8 cpus
 * (4 packages x 1 core x 2 threads), on one core, the building of the workload not counted; the fastest of
 * the runs of two seconds, since whatever else the machine does only makes a run slower. Figures that cannot be had
 * are null, with the reason on standard error.
 */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/play_paper.h"
#include "counters.h"
#include "sim/sim.h"
#include "study/study.h"

static json_t *figures;

static void figure(const char *name, double value, const char *unit)
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

static void missing(const char *name, const char *unit, const char *reason)
{
    figure(name, NAN, unit);
    (void)fprintf(stderr, "bench: %s: %s\n", name, reason);
}

/* ---- the engine ---- */

struct engine_case {
    struct machine machine;
    struct profile profile;
    struct policy_spec policy;
    struct workload workload;
};

static enum hl_status engine_open(struct engine_case *c, const char *policy, struct hl_error *err)
{
    struct workload_request request = {
        .machine = &c->machine, .profile = &c->profile, .level = 8, .seed = 1};

    *c = (struct engine_case){0};
    HL_TRY(machine_open(&c->machine, "pack:4 core:1 pu:2", err));
    HL_TRY(profile_open(&c->profile, NULL, err));
    HL_TRY(policy_spec_parse(&c->policy, policy, err));
    return workload_kernbench(&c->workload, &request, err);
}

static void engine_close(struct engine_case *c)
{
    workload_close(&c->workload);
    profile_close(&c->profile);
    machine_close(&c->machine);
}

static enum hl_status engine_play(const struct engine_case *c, uint64_t *events,
                                  struct hl_error *err)
{
    struct sim_options options = {
        .machine = &c->machine, .policy = &c->policy, .workload = &c->workload, .seed = 1};
    struct sim_result result;

    HL_TRY(sim_run(&options, &result, err));
    *events = result.event_count;
    return HL_OK;
}

/* "==1== Collected : 12345" of callgrind; 0 if valgrind is not there or says nothing. */
static double callgrind_instructions(const char *program, const char *policy)
{
    char command[512], line[256];
    double count = 0;
    FILE *pipe;

    (void)snprintf(
        command, sizeof(command),
        "valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=sim_run "
        "'%s' --engine '%s' 2>&1",
        program, policy);
    pipe = popen(command, "r");
    if (pipe == NULL)
        return 0;
    while (fgets(line, sizeof(line), pipe) != NULL) {
        const char *found = strstr(line, "Collected : ");

        if (found != NULL)
            count = strtod(found + strlen("Collected : "), NULL);
    }
    return pclose(pipe) == 0 ? count : 0;
}

static enum hl_status bench_engine(const char *program, const char *policy, struct hl_error *err)
{
    const int64_t end_ns = counters_now_ns() + 2 * HL_NS_PER_S;
    struct engine_case c;
    enum hl_status status = engine_open(&c, policy, err);
    int counter = counters_open();
    double best = 0, instructions = 0;
    uint64_t events = 0;
    char name[64];

    while (status == HL_OK && counters_now_ns() < end_ns) {
        int64_t started = counters_now_ns();

        counters_start(counter);
        status = engine_play(&c, &events, err);
        instructions = (double)counters_stop(counter);
        if (status == HL_OK) {
            double rate = (double)events * 1e9 / (double)(counters_now_ns() - started);

            best = rate > best ? rate : best;
        }
    }
    counters_close(counter);
    engine_close(&c);
    if (status != HL_OK)
        return status;

    (void)snprintf(name, sizeof(name), "engine_%s_8cpu", policy);
    figure(name, best, "events/s");
    if (instructions <= 0)
        instructions = callgrind_instructions(program, policy);
    (void)snprintf(name, sizeof(name), "engine_%s_8cpu_instructions", policy);
    if (instructions > 0)
        figure(name, instructions / (double)events, "instructions/event");
    else
        missing(name, "instructions/event",
                "neither a hardware counter (perf_event_open) nor valgrind is there");
    return HL_OK;
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
    static const char *const policies[] = {"o1", "c1", "w26"};

    figures = json_array();
    if (figures == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the figures");
    for (int i = 0; i < HL_COUNT_OF(policies); i++)
        HL_TRY(bench_engine(program, policies[i], err));
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

    if (argc == 3 && strcmp(argv[1], "--engine") == 0) {
        struct engine_case c;
        uint64_t events;

        status = engine_open(&c, argv[2], &err);
        if (status == HL_OK)
            status = engine_play(&c, &events, &err);
        engine_close(&c);
    } else if (argc == 2) {
        status = bench_all(argv[0], argv[1], &err);
    } else {
        status = hl_fail(&err, HL_USAGE, "expected a file to write, or --engine POLICY");
    }
    if (status != HL_OK)
        (void)fprintf(stderr, "bench: %s\n", err.text);
    return hl_exit_code(status);
}
