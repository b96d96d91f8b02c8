/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine_bench.c - events per second of the simulator on one core, per policy and number of cpus.
 *
 * An event is one handled queue entry. 8 cpus are 4 packages x 1 core x 2 threads and make -j8; 64
 * and 256 are cores of one package and as many jobs, as are 1,024. Building the workload is not
 * counted. The fastest of the runs counts, since whatever else the machine does only makes a run
 * slower. What a policy that looks at all cpus pays per cpu and event is the difference between 256
 * and 8 cpus, divided by theirs. What a look costs is the difference in time between 1,024 and 256
 * cpus, divided by that in cpus and tasks looked at; most of the rest of a run does not grow with
 * the cpus.
 */
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/units.h"
#include "counters.h"
#include "sim/sim.h"

struct engine_case {
    struct machine machine;
    struct profile profile;
    struct policy_spec policy;
    struct workload workload;
    int64_t until_ns;
};

struct measured {
    double events_per_s, instructions_per_event; /* 0: not had */
    double run_ns, events, scans;                /* of the fastest run */
};

static enum hl_status open_machine(struct engine_case *c, const char *policy, const char *machine,
                                   struct hl_error *err)
{
    *c = (struct engine_case){0};
    HL_TRY(machine_open(&c->machine, machine, err));
    return policy_spec_parse(&c->policy, policy, err);
}

static enum hl_status open_build(struct engine_case *c, const char *policy, const char *machine,
                                 int64_t level, struct hl_error *err)
{
    struct workload_request request = {
        .machine = &c->machine, .profile = &c->profile, .level = level, .seed = 1};

    HL_TRY(open_machine(c, policy, machine, err));
    HL_TRY(profile_open(&c->profile, NULL, err));
    return workload_kernbench(&c->workload, &request, err);
}

/* Tasks that compute 1 ms and sleep 50 to 150 ms, for ever. */
static enum hl_status open_sleepers(struct engine_case *c, const char *policy, const char *machine,
                                    int count, struct hl_error *err)
{
    static const struct program_step steps[] = {
        {.op = OP_RUN, .amount = HL_NS_PER_MS},
        {.op = OP_SLEEP, .amount = 50 * HL_NS_PER_MS, .spread = 100 * HL_NS_PER_MS},
        {.op = OP_LOOP, .target = 0, .amount = INT64_MAX},
        {.op = OP_EXIT},
    };
    int32_t program;

    HL_TRY(open_machine(c, policy, machine, err));
    HL_TRY(workload_program(&c->workload, "sleeper", &program, err));
    for (int i = 0; i < HL_COUNT_OF(steps); i++)
        HL_TRY(workload_step(&c->workload, &steps[i], err));
    for (int i = 0; i < count; i++)
        HL_TRY(workload_add_task(&c->workload,
                                 &(struct workload_task){.program = program,
                                                         .at_ns = i * HL_NS_PER_US,
                                                         .cpu_set = -1,
                                                         .start_cpu = i % c->machine.cpu_count},
                                 err));
    c->workload.live_task_max = (size_t)count;
    c->until_ns = 2 * HL_NS_PER_S;
    return HL_OK;
}

static void close_case(struct engine_case *c)
{
    workload_close(&c->workload);
    profile_close(&c->profile);
    machine_close(&c->machine);
}

static enum hl_status play(const struct engine_case *c, struct sim_result *result,
                           struct hl_error *err)
{
    struct sim_options options = {.machine = &c->machine,
                                  .policy = &c->policy,
                                  .workload = &c->workload,
                                  .seed = 1,
                                  .until_ns = c->until_ns};

    return sim_run(&options, result, err);
}

static enum hl_status measure(const struct engine_case *c, double seconds,
                              struct measured *measured, struct hl_error *err)
{
    const int64_t end_ns = counters_now_ns() + (int64_t)(seconds * 1e9);
    int counter = counters_open();
    enum hl_status status = HL_OK;
    struct sim_result result;

    *measured = (struct measured){0};
    do {
        int64_t started = counters_now_ns(), instructions;

        counters_start(counter);
        status = play(c, &result, err);
        instructions = counters_stop(counter);
        if (status == HL_OK) {
            double run_ns = (double)(counters_now_ns() - started);

            if (measured->run_ns <= 0 || run_ns < measured->run_ns)
                measured->run_ns = run_ns;
            measured->events = (double)result.event_count;
            measured->events_per_s = measured->events * 1e9 / measured->run_ns;
            measured->instructions_per_event = (double)instructions / measured->events;
            measured->scans = (double)result.scan_count;
        }
    } while (status == HL_OK && counters_now_ns() < end_ns);
    counters_close(counter);
    return status;
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

static const char machine_8cpu[] = "pack:4 core:1 pu:2";

static enum hl_status open_large(struct engine_case *c, const char *policy, int cpus,
                                 struct hl_error *err)
{
    char machine[32];

    (void)snprintf(machine, sizeof(machine), "smp:%d", cpus);
    return open_build(c, policy, machine, cpus, err);
}

enum hl_status engine_bench_once(const char *policy, int cpus, struct hl_error *err)
{
    struct engine_case c;
    struct sim_result result;
    int64_t started;
    enum hl_status status = cpus == 8 ? open_build(&c, policy, machine_8cpu, 8, err)
                                      : open_large(&c, policy, cpus, err);

    started = counters_now_ns();
    if (status == HL_OK)
        status = play(&c, &result, err);
    if (status == HL_OK)
        printf("%" PRIu64 " events, history %016" PRIx64 ", in %.3f s\n", result.event_count,
               result.event_hash, (double)(counters_now_ns() - started) / 1e9);
    close_case(&c);
    return status;
}

/* The three policies whose instructions are counted, where a counter is missing, by valgrind. */
static bool is_counted(const char *policy)
{
    return strcmp(policy, "o1") == 0 || strcmp(policy, "c1") == 0 || strcmp(policy, "w26") == 0;
}

static enum hl_status bench_8cpu(const char *program, const char *policy, double *events_per_s,
                                 struct hl_error *err)
{
    struct measured measured = {0};
    struct engine_case c;
    struct sim_result result;
    char name[96];
    enum hl_status status = open_build(&c, policy, machine_8cpu, 8, err);

    if (status == HL_OK)
        status = measure(&c, 1.5, &measured, err);
    if (status == HL_OK && measured.instructions_per_event <= 0 && is_counted(policy)) {
        status = play(&c, &result, err);
        measured.instructions_per_event =
            status == HL_OK ? callgrind_instructions(program, policy) / (double)result.event_count
                            : 0;
    }
    close_case(&c);
    HL_TRY(status);
    *events_per_s = measured.events_per_s;
    (void)snprintf(name, sizeof(name), "engine_%s_8cpu", policy);
    figure(name, measured.events_per_s, "events/s");
    (void)snprintf(name, sizeof(name), "engine_%s_8cpu_instructions", policy);
    if (measured.instructions_per_event > 0)
        figure(name, measured.instructions_per_event, "instructions/event");
    else if (is_counted(policy))
        missing(name, "instructions/event",
                "neither a hardware counter (perf_event_open) nor valgrind is there");
    return HL_OK;
}

static enum hl_status bench_large(const char *policy, int cpus, struct measured *measured,
                                  struct hl_error *err)
{
    struct engine_case c;
    char name[96];
    enum hl_status status = open_large(&c, policy, cpus, err);

    if (status == HL_OK)
        status = measure(&c, 0.5, measured, err);
    close_case(&c);
    HL_TRY(status);
    (void)snprintf(name, sizeof(name), "engine_%s_%dcpu", policy, cpus);
    figure(name, measured->events_per_s, "events/s");
    return HL_OK;
}

static enum hl_status bench_policy(const char *program, const char *policy, struct hl_error *err)
{
    struct measured at_64, at_256, at_1024;
    double at_8, ns_per_cpu, looks;
    char name[96];

    HL_TRY(bench_8cpu(program, policy, &at_8, err));
    HL_TRY(bench_large(policy, 64, &at_64, err));
    HL_TRY(bench_large(policy, 256, &at_256, err));
    HL_TRY(bench_large(policy, 1024, &at_1024, err));
    ns_per_cpu = (1e9 / at_256.events_per_s - 1e9 / at_8) / (256 - 8);
    (void)snprintf(name, sizeof(name), "engine_%s_per_cpu", policy);
    figure(name, ns_per_cpu > 0 ? ns_per_cpu : 0, "ns/event/cpu");
    looks = at_1024.scans - at_256.scans;
    (void)snprintf(name, sizeof(name), "engine_%s_per_look", policy);
    /* Else it is not looks that take the time. */
    if (looks > 5e6 && at_1024.events < 1.2 * at_256.events)
        figure(name, (at_1024.run_ns - at_256.run_ns) / looks, "ns/look");
    return HL_OK;
}

static enum hl_status bench_fifo_1024(struct hl_error *err)
{
    struct measured measured = {0};
    struct engine_case c;
    struct rusage usage = {0};
    enum hl_status status = open_sleepers(&c, "fifo", "smp-1024", 100000, err);

    if (status == HL_OK)
        status = measure(&c, 1, &measured, err);
    close_case(&c);
    HL_TRY(status);
    figure("engine_fifo_1024cpu_100000tasks", measured.events_per_s, "events/s");
    (void)getrusage(RUSAGE_SELF, &usage);
    figure("engine_fifo_1024cpu_peak_memory", (double)usage.ru_maxrss / 1024, "MiB");
    return HL_OK;
}

enum hl_status engine_bench(const char *program, struct hl_error *err)
{
    /* Versions whose searches differ from the default's. */
    static const char *const more[] = {"ule:version=5.4", "ule:version=7.0"};

    HL_TRY(bench_fifo_1024(err)); /* first: its peak memory is the process's */
    for (int i = 0; policy_registry[i] != NULL; i++)
        HL_TRY(bench_policy(program, policy_registry[i]->name, err));
    for (int i = 0; i < HL_COUNT_OF(more); i++)
        HL_TRY(bench_policy(program, more[i], err));
    return HL_OK;
}
