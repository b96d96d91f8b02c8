/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metric_table.c - every metric of a run: name, unit, direction and what it means.
 *
 * Expanded from RUN_METRICS, the one list of metrics; files, tables and JSON use these names. Extra
 * metrics, of one workload or of imported results, are added behind them and stay until the process ends.
 */
#include "run/run.h"

#include <assert.h>
#include <string.h>

static struct run_metric_info table[RUN_METRIC_SLOTS] = {
#define RUN_INFO(metric_name, metric_unit, metric_better, metric_help)                             \
    {.name = #metric_name, .unit = metric_unit, .help = metric_help, .better = metric_better},
    RUN_METRICS(RUN_INFO)
#undef RUN_INFO
};
static int count = RUN_METRIC_COUNT;
static char *owned[RUN_EXTRA_MAX]; /* name and unit of an extra one, each with its end */
const struct run_metric_info *const run_metric_table = table;

int run_metric_count(void)
{
    return count;
}

int run_metric_find(const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0)
            return i;
    return -1;
}

enum run_better run_metric_better_of(const char *name)
{
    static const char *const higher[] = {"signs_per_s", "verifies_per_s", "mflops"};

    for (size_t i = 0; i < sizeof(higher) / sizeof(higher[0]); i++)
        if (strcmp(higher[i], name) == 0)
            return RUN_HIGHER;
    return RUN_NEITHER;
}

enum run_metric run_result_metric(const struct run *run)
{
    int rate = run_metric_find("signs_per_s");

    return rate >= 0 && run_has(run, (enum run_metric)rate) ? (enum run_metric)rate : RUN_elapsed_s;
}

void run_metric_reset(void)
{
    while (count > RUN_METRIC_COUNT) {
        count--;
        hl_free(owned[count - RUN_METRIC_COUNT]);
        table[count] = (struct run_metric_info){0};
    }
}

enum hl_status run_metric_add(const char *name, const char *unit, enum run_better better,
                              int *metric, struct hl_error *err)
{
    char *own;

    *metric = run_metric_find(name);
    if (*metric >= 0 && strcmp(table[*metric].unit, unit) != 0)
        return hl_fail(err, HL_BAD_INPUT, "metric %s has the unit '%s'; expected '%s'", name, unit,
                       table[*metric].unit);
    if (*metric >= RUN_METRIC_COUNT && table[*metric].better != better)
        return hl_fail(err, HL_BAD_INPUT, "of metric %s %s is better; expected %s as before", name,
                       run_better_name(better), run_better_name(table[*metric].better));
    if (*metric >= 0)
        return HL_OK;
    if (count == RUN_METRIC_SLOTS)
        return hl_fail(err, HL_BAD_INPUT,
                       "metric %s is one more than the %d of its own a result may have", name,
                       RUN_EXTRA_MAX);
    own = hl_alloc(strlen(name) + strlen(unit) + 2, 1);
    if (own == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for metric %s", name);
    owned[count - RUN_METRIC_COUNT] = own;
    (void)strcpy(stpcpy(own, name) + 1, unit);
    table[count] = (struct run_metric_info){.name = own,
                                            .unit = own + strlen(name) + 1,
                                            .help = "of this workload or of an imported result",
                                            .better = better};
    *metric = count++;
    return HL_OK;
}
