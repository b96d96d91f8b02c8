/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metric_table.c - every metric of a run: name, unit, direction and what it means.
 *
 * Expanded from RUN_METRICS, the one list of metrics; files, tables and JSON use these names.
 */
#include "run/run.h"

#include <string.h>

const struct run_metric_info run_metric_table[RUN_METRIC_COUNT] = {
#define RUN_INFO(metric_name, metric_unit, metric_better, metric_help)                             \
    {.name = #metric_name, .unit = metric_unit, .help = metric_help, .better = metric_better},
    RUN_METRICS(RUN_INFO)
#undef RUN_INFO
};

int run_metric_find(const char *name)
{
    for (int i = 0; i < RUN_METRIC_COUNT; i++)
        if (strcmp(run_metric_table[i].name, name) == 0)
            return i;
    return -1;
}
