/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * harness_overhead.c - what measuring adds to a command.
 *
 *     harness_overhead [ROUNDS]      30 rounds when not given, two or three seconds each
 *
 * One second of fixed work is done by a process started plainly (fork, exec, wait4), by a run of
 * workload cmd with all it captures, and by hyperfine if there is one, in turn, the order changing
 * from round to round. Prints "name value unit" lines; figures are medians over rounds, since other
 * load of the machine makes single ones worse:
 *
 *   harness_overhead        time of the whole run, keeper and capture included, over the plain one
 *   harness_overhead_run    elapsed time as the record has it, over the plain one
 *   harness_overhead_cpu    user + system as the record has it, over the plain one
 *   harness_work            cpu time of program and keeper, the command's apart, over the plain time: what is
 *                           added on a machine with nothing else to do; other load hardly changes it
 *   harness_noise           half the distance between the quartiles of harness_overhead
 *   hyperfine_overhead, _run, _cpu    the same of `hyperfine -N --runs 1`
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "base/units.h"
#include "host/environment.h"
#include "host/host.h"
#include "host/process_tree.h"

enum { ROUNDS_MAX = 1000 };

struct sample {
    double call_s, run_s, cpu_s;
    double work_s; /* cpu time of all, the command's apart */
};

static void work(int64_t rounds)
{
    volatile uint64_t sink = 0;
    uint64_t x = 1;

    for (int64_t i = 0; i < rounds; i++)
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
    sink = x;
    (void)sink;
}

static int64_t cpu_time_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * HL_NS_PER_S + now.tv_nsec;
}

/* Rounds that take a second of cpu time. */
static int64_t rounds_per_second(void)
{
    int64_t rounds = 1000 * 1000;

    for (;;) {
        int64_t start_ns = cpu_time_ns();
        int64_t took_ns;

        work(rounds);
        took_ns = HL_MAX(cpu_time_ns() - start_ns, 1);
        if (took_ns > HL_NS_PER_S / 4)
            return (int64_t)((double)rounds * (double)HL_NS_PER_S / (double)took_ns);
        rounds *= 2;
    }
}

_Noreturn static void fail(const char *why)
{
    (void)fprintf(stderr, "harness_overhead: %s\n", why);
    exit(6);
}

static double cpu_seconds(const struct timeval *time)
{
    return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

/* Of this process and all it has waited for. */
static double cpu_seconds_so_far(void)
{
    struct rusage own, waited;

    (void)getrusage(RUSAGE_SELF, &own);
    (void)getrusage(RUSAGE_CHILDREN, &waited);
    return cpu_seconds(&own.ru_utime) + cpu_seconds(&own.ru_stime) + cpu_seconds(&waited.ru_utime) +
           cpu_seconds(&waited.ru_stime);
}

static struct sample run_plainly(const char *const *arguments)
{
    int64_t start_ns = host_now_ns();
    struct sample sample = {0};
    struct rusage usage;
    int status;
    pid_t child = fork();

    if (child == 0) {
        (void)execv(arguments[0], (char *const *)(uintptr_t)arguments);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0)
        fail("the work could not be done");
    sample.call_s = (double)(host_now_ns() - start_ns) / 1e9;
    sample.run_s = sample.call_s;
    sample.cpu_s = cpu_seconds(&usage.ru_utime) + cpu_seconds(&usage.ru_stime);
    return sample;
}

/* With an open session: what it costs once per study is not the run's. */
static struct sample run_measured(struct host_work *cmd)
{
    struct hl_error err = {0};
    struct sample sample;
    struct run run;
    double cpu_s = cpu_seconds_so_far();
    int64_t start_ns;

    run_init(&run, RUN_HOST, "not measured");
    start_ns = host_now_ns();
    if (host_work_run(cmd, 0, NULL, &run, &err) != HL_OK || run.status != RUN_OK)
        fail(err.text[0] == '\0' ? run.note : err.text);
    sample.call_s = (double)(host_now_ns() - start_ns) / 1e9;
    sample.run_s = run.metric[RUN_elapsed_s];
    sample.cpu_s = run.metric[RUN_user_s] + run.metric[RUN_system_s];
    sample.work_s = cpu_seconds_so_far() - cpu_s - sample.cpu_s;
    return sample;
}

/* command,mean,stddev,median,user,system,min,max and then their values. */
static struct sample run_hyperfine(const char *const *arguments)
{
    int64_t start_ns = host_now_ns();
    struct sample sample = {0};
    char line[8192], command[8192], *field;
    FILE *pipe;

    (void)snprintf(command, sizeof(command),
                   "hyperfine -N --style none --runs 1 --export-csv /dev/fd/3 '%.4000s %s %s' "
                   "3>&1 >/dev/null 2>&1",
                   arguments[0], arguments[1], arguments[2]);
    pipe = popen(command, "re");
    if (pipe == NULL || fgets(line, sizeof(line), pipe) == NULL ||
        fgets(line, sizeof(line), pipe) == NULL || pclose(pipe) != 0)
        fail("hyperfine printed no figures");
    sample.call_s = (double)(host_now_ns() - start_ns) / 1e9;
    field = strchr(line, ',');
    for (int i = 1; field != NULL && i <= 5; i++) {
        double value = strtod(field + 1, &field);

        if (i == 1)
            sample.run_s = value;
        sample.cpu_s += i >= 4 ? value : 0;
        /* The deviation of one run is empty. */
        field = strchr(field, ',');
    }
    return sample;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Value at `part` of the sorted figures. */
static double quantile(double *figures, int count, double part)
{
    double at = part * (count - 1);
    int below = (int)at;

    qsort(figures, (size_t)count, sizeof(*figures), compare_doubles);
    if (below + 1 >= count)
        return figures[count - 1];
    return figures[below] + (at - below) * (figures[below + 1] - figures[below]);
}

/* Figures of one way to run it, over the plain one, in percent; by round. */
struct overhead {
    double call[ROUNDS_MAX], run[ROUNDS_MAX], cpu[ROUNDS_MAX], work[ROUNDS_MAX];
};

static void add_overhead(struct overhead *o, int round, const struct sample *sample,
                         const struct sample *plain)
{
    o->call[round] = 100 * (sample->call_s / plain->call_s - 1);
    o->run[round] = 100 * (sample->run_s / plain->run_s - 1);
    o->cpu[round] = 100 * (sample->cpu_s / plain->cpu_s - 1);
    o->work[round] = 100 * sample->work_s / plain->cpu_s;
}

static void print_overhead(struct overhead *o, const char *name, int rounds)
{
    printf("%s %.3f %%\n", name, quantile(o->call, rounds, 0.5));
    printf("%s_run %.3f %%\n", name, quantile(o->run, rounds, 0.5));
    printf("%s_cpu %.3f %%\n", name, quantile(o->cpu, rounds, 0.5));
}

enum way { PLAIN, MEASURED, HYPERFINE };

static void measure(const char *program, int rounds)
{
    static struct overhead measured, hyperfine;
    const char *words[] = {program, "--work", NULL, NULL};
    const struct host_work_options options = {.workload = "cmd", .cmd.words = words};
    char number[32], path[4096];
    bool has_hyperfine = host_program_find("hyperfine", path, sizeof(path));
    int ways = has_hyperfine ? 3 : 2;
    struct host_work *cmd;
    struct hl_error err = {0};

    (void)snprintf(number, sizeof(number), "%" PRId64, rounds_per_second());
    words[2] = number;
    if (host_work_open(&cmd, &options, &err) != HL_OK)
        fail(err.text);
    for (int i = 0; i < rounds; i++) {
        struct sample sample[3] = {{0}};

        for (int k = 0; k < ways; k++) {
            enum way way = (enum way)((i + k) % ways);

            sample[way] = way == PLAIN      ? run_plainly(words)
                          : way == MEASURED ? run_measured(cmd)
                                            : run_hyperfine(words);
        }
        add_overhead(&measured, i, &sample[MEASURED], &sample[PLAIN]);
        if (has_hyperfine)
            add_overhead(&hyperfine, i, &sample[HYPERFINE], &sample[PLAIN]);
    }
    host_work_close(cmd);
    print_overhead(&measured, "harness_overhead", rounds);
    printf("harness_work %.3f %%\n", quantile(measured.work, rounds, 0.5));
    printf("harness_noise %.3f %%\n",
           (quantile(measured.call, rounds, 0.75) - quantile(measured.call, rounds, 0.25)) / 2);
    if (has_hyperfine)
        print_overhead(&hyperfine, "hyperfine_overhead", rounds);
}

int main(int argc, char **argv)
{
    char program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    int64_t number = 30;

    if (argc == 3 && strcmp(argv[1], "--work") == 0 && hl_parse_int(argv[2], &number)) {
        work(number);
        return 0;
    }
    if (length < 0 || argc > 2 || (argc == 2 && !hl_parse_int(argv[1], &number)) || number < 1 ||
        number > ROUNDS_MAX) {
        (void)fprintf(stderr, "usage: harness_overhead [ROUNDS]    (1 to %d)\n", ROUNDS_MAX);
        return 1;
    }
    program[length] = '\0';
    measure(program, (int)number);
    return 0;
}
