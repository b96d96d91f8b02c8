/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compilers.c - samples /proc for compilers in our tree.
 *
 * Sampling may miss a short peak; it is cheap and needs no privilege. It must not disturb what it
 * measures: after a sample that took c of cpu time the next one is due after 1000 c at the earliest,
 * which keeps it below 0.1 % of one cpu, and never before 50 ms.
 */
#include "host/compilers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/units.h"

enum { COST_FACTOR = 1000 };
#define FIRST_SAMPLE_NS   (20 * HL_NS_PER_MS)
#define LEAST_INTERVAL_NS (50 * HL_NS_PER_MS)

/* Names as in /proc/PID/comm, at most 15 bytes. A name that ends in '*' stands for all that begin
 * so. */
static const char *const compiler_names[] = {
    "cc1",   "cc1plus",      "cc1obj", "cc1objplus", "f951",  "gnat1", "gdc1",    "d21",
    "lto1",  "go1",          "clang*", "flang",      "rustc", "tcc",   "compile", /* of Go */
    "javac", "ocamlopt.opt", "ghc",
};

bool host_is_compiler(const char *name)
{
    for (int i = 0; i < HL_COUNT_OF(compiler_names); i++) {
        const char *known = compiler_names[i];
        size_t length = strcspn(known, "*");

        if (strncmp(name, known, length) == 0 && (known[length] == '*' || name[length] == '\0'))
            return true;
    }
    return false;
}

static int64_t cpu_time_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * HL_NS_PER_S + now.tv_nsec;
}

/* "VmHWM:     35124 kB" of /proc/PID/status; 0 if the process is gone. */
static int64_t peak_memory_bytes(pid_t pid)
{
    char path[64], line[128];
    int64_t kib = 0;
    FILE *file;

    (void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    file = fopen(path, "re");
    if (file == NULL)
        return 0;
    while (fgets(line, sizeof(line), file) != NULL)
        if (strncmp(line, "VmHWM:", 6) == 0) {
            kib = strtoll(line + 6, NULL, 10);
            break;
        }
    (void)fclose(file);
    return kib * 1024;
}

static bool is_live_compiler(const struct host_process *process)
{
    return process->state != 'Z' && process->state != 'X' && host_is_compiler(process->name);
}

/* clang starts a second clang for the work, unless it does the work itself: the parent does not
 * count then. */
static bool has_compiler_child(const struct host_process_list *list, size_t index)
{
    for (size_t i = index + 1; i < list->count; i++)
        if (list->processes[i].parent == list->processes[index].pid &&
            is_live_compiler(&list->processes[i]))
            return true;
    return false;
}

void host_compilers_start(struct host_compilers *compilers, int64_t now_ns)
{
    compilers->next_ns = now_ns + FIRST_SAMPLE_NS;
}

void host_compilers_sample(struct host_compilers *compilers, pid_t root)
{
    int64_t start_ns = cpu_time_ns();
    int32_t count = 0;

    if (host_processes_below(&compilers->list, root, NULL) == HL_OK) {
        for (size_t i = 0; i < compilers->list.count; i++) {
            const struct host_process *process = &compilers->list.processes[i];

            if (!is_live_compiler(process) || has_compiler_child(&compilers->list, i))
                continue;
            count++;
            compilers->largest_bytes =
                HL_MAX(compilers->largest_bytes, peak_memory_bytes(process->pid));
        }
        compilers->peak = HL_MAX(compilers->peak, count);
        compilers->samples++;
    }
    compilers->next_ns =
        host_now_ns() + HL_MAX(COST_FACTOR * (cpu_time_ns() - start_ns), LEAST_INTERVAL_NS);
}

void host_compilers_close(struct host_compilers *compilers)
{
    host_process_list_close(&compilers->list);
}
