/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workload_table.c - the workloads there are, by name. Scenario files (scn:FILE) are scenario.h's.
 */
#include "workload/workload.h"

#include <string.h>

const struct workload_info workload_table[] = {
    {.name = "kernbench",
     .summary = "a kernel build, make -jX, as a tree of processes",
     .level_means = "jobs",
     .simulated = true,
     .real = true,
     .build = workload_kernbench},
    {.name = NULL},
};

const struct workload_info *workload_find(const char *name)
{
    for (const struct workload_info *info = workload_table; info->name != NULL; info++)
        if (strcmp(info->name, name) == 0)
            return info;
    return NULL;
}
