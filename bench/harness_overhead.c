/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * harness_overhead.c - what measuring adds to a command.
 *
 *     harness_overhead [PAIRS]      30 pairs when not given, two seconds each
 *
 * One second of fixed work is done by a process started plainly (fork, exec, wait4) and by one
 * started and watched as builds are, in turn, the order changing from pair to pair. Prints
 * "name value unit" lines; figures are medians over pairs, since other load of the machine makes
 * single ones worse:
 *
 *   harness_overhead        time of the whole call, keeper and sampling included, over the plain
 * one harness_overhead_run    elapsed time as the record has it, over the plain one
 *   harness_overhead_cpu    user + system as the record has it, over the plain one
 *   harness_noise           half the distance between the quartiles of harness_overhead
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "base/units.h"
#include "host/process_tree.h"
#include "host/runner.h"

enum { PAIRS_MAX = 1000 };

struct sample {
    double call_s, run_s, cpu_s;
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

/* Rounds that take a second here and now. */
static int64_t rounds_per_second(void)
{
    int64_t rounds = 1000 * 1000;

    for (;;) {
        int64_t start_ns = host_now_ns();
        int64_t took_ns;

        work(rounds);
        took_ns = HL_MAX(host_now_ns() - start_ns, 1);
        if (took_ns > HL_NS_PER_S / 4)
            return (int64_t)((double)rounds * (double)HL_NS_PER_S / (double)took_ns);
        rounds *= 2;
    }
}

static double cpu_seconds(const struct timeval *time)
{
    return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

static struct sample run_plainly(const char *const *arguments)
{
    int64_t start_ns = host_now_ns();
    struct sample sample;
    struct rusage usage;
    int status;
    pid_t child = fork();

    if (child == 0) {
        (void)execv(arguments[0], (char *const *)(uintptr_t)arguments);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) {
        (void)fprintf(stderr, "harness_overhead: the work could not be done\n");
        exit(6);
    }
    sample.call_s = (double)(host_now_ns() - start_ns) / 1e9;
    sample.run_s = sample.call_s;
    sample.cpu_s = cpu_seconds(&usage.ru_utime) + cpu_seconds(&usage.ru_stime);
    return sample;
}

static struct sample run_measured(const char *const *arguments)
{
    const struct host_command command = {
        .arguments = arguments,
        .environment = (const char *const *)environ,
        .folder = "/",
        .log = "/dev/null",
        .is_watched = true,
    };
    struct host_result result;
    struct hl_error err = {0};
    struct sample sample;
    int64_t start_ns = host_now_ns();

    if (host_command_run(&command, &result, &err) != HL_OK || result.exit_status != 0) {
        (void)fprintf(stderr, "harness_overhead: %s\n",
                      err.text[0] == '\0' ? "the work failed" : err.text);
        exit(6);
    }
    sample.call_s = (double)(host_now_ns() - start_ns) / 1e9;
    sample.run_s = (double)result.elapsed_ns / 1e9;
    sample.cpu_s = (double)(result.user_ns + result.system_ns) / 1e9;
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

static void measure(const char *program, int pairs)
{
    static double call[PAIRS_MAX], run[PAIRS_MAX], cpu[PAIRS_MAX];
    const char *arguments[] = {program, "--work", NULL, NULL};
    char rounds[32];

    (void)snprintf(rounds, sizeof(rounds), "%" PRId64, rounds_per_second());
    arguments[2] = rounds;
    for (int i = 0; i < pairs; i++) {
        struct sample plain, measured;

        if (i % 2 == 0) {
            plain = run_plainly(arguments);
            measured = run_measured(arguments);
        } else {
            measured = run_measured(arguments);
            plain = run_plainly(arguments);
        }
        call[i] = 100 * (measured.call_s / plain.call_s - 1);
        run[i] = 100 * (measured.run_s / plain.run_s - 1);
        cpu[i] = 100 * (measured.cpu_s / plain.cpu_s - 1);
    }
    printf("harness_overhead %.3f %%\n", quantile(call, pairs, 0.5));
    printf("harness_overhead_run %.3f %%\n", quantile(run, pairs, 0.5));
    printf("harness_overhead_cpu %.3f %%\n", quantile(cpu, pairs, 0.5));
    printf("harness_noise %.3f %%\n",
           (quantile(call, pairs, 0.75) - quantile(call, pairs, 0.25)) / 2);
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
        number > PAIRS_MAX) {
        (void)fprintf(stderr, "usage: harness_overhead [PAIRS]    (1 to %d)\n", PAIRS_MAX);
        return 1;
    }
    program[length] = '\0';
    measure(program, (int)number);
    return 0;
}
