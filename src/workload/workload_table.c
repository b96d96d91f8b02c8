/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workload_table.c - the workloads there are, by name. Scenario files (scn:FILE) are scenario.h's.
 */
#include "workload/workload.h"

#include <string.h>

static const char kernbench_loads[] = "half,optimal,max,single";

/* make writes a byte for each job into a pipe that nobody reads yet: with more than fit it waits for ever. */
enum { JOBS_MAX = 65536 };

const struct workload_info workload_table[] = {
    {.name = "cmd",
     .summary = "any command: halfload run cmd [--load L] -- COMMAND, with {load} replaced",
     .level_means = "what replaces {load}",
     .real = true},
    {.name = "kernbench",
     .summary = "a kernel build, make -jX, as a tree of processes",
     .level_means = "jobs",
     .simulated = true,
     .real = true,
     .level_max = JOBS_MAX,
     .default_loads = kernbench_loads,
     .is_make = true,
     .build = workload_kernbench},
    {.name = "buildworld",
     .summary = "a build of a whole system, make -jX: in phases, directory by directory",
     .level_means = "jobs",
     .simulated = true,
     .real = true,
     .level_max = JOBS_MAX,
     .default_loads = kernbench_loads,
     .is_make = true,
     .options = workload_buildworld_options,
     .build = workload_buildworld},
    {.name = "matinv",
     .summary = "inversion of large matrices, threads created in two ways",
     .level_means = "threads",
     .simulated = true,
     .real = true,
     .level_max = WORKLOAD_TASKS_MAX,
     .default_loads = "1x",
     .options = workload_matinv_options,
     .rate = {"mflops", "MFLOPS", "speed of the timed inversions, 2 order^3 operations each",
              .decides = false},
     .build = workload_matinv},
    {.name = "rsa",
     .summary = "openssl speed -multi X: processes that sign, each for itself",
     .level_means = "processes",
     .simulated = true,
     .real = true,
     .level_max = WORKLOAD_TASKS_MAX,
     .default_loads = "1x",
     .options = workload_rsa_options,
     .rate = {"signs_per_s", "1/s", "signatures a second, the processes' own rates added",
              .decides = true},
     .build = workload_rsa},
    {.name = NULL},
};

const struct workload_info *workload_find(const char *name)
{
    for (const struct workload_info *info = workload_table; info->name != NULL; info++)
        if (strcmp(info->name, name) == 0)
            return info;
    return NULL;
}
