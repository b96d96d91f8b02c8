/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.c - run records and lists of them.
 *
 * A metric that was not measured is NAN with a reason, never 0: a zero is a result.
 */
#include "run/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void run_init(struct run *run, enum run_source source, const char *reason)
{
    *run = (struct run){.source = source, .status = RUN_OK, .level = -1, .block = -1, .order = -1};
    for (int i = 0; i < RUN_METRIC_SLOTS; i++) {
        run->metric[i] = (double)NAN;
        run->reason[i] = reason;
    }
}

bool run_has(const struct run *run, enum run_metric metric)
{
    return !isnan(run->metric[metric]);
}

enum hl_status run_list_add(struct run_list *list, const struct run *run, struct hl_error *err)
{
    HL_TRY(hl_grow(&list->runs, &list->capacity, list->count + 1, sizeof(*list->runs), err));
    HL_TRY(run_copy(&list->runs[list->count], run, err));
    list->count++;
    return HL_OK;
}

void run_list_shorten(struct run_list *list, size_t count)
{
    while (list->count > count)
        run_close(&list->runs[--list->count]);
}

void run_list_close(struct run_list *list)
{
    run_list_shorten(list, 0);
    hl_free(list->runs);
    *list = (struct run_list){0};
}

const char *run_arm_name(const struct run *run, char name[RUN_ARM_BYTES])
{
    const char *blank = run->policy[0] != '\0' && run->variant[0] != '\0' ? " " : "";

    if (run->policy[0] == '\0' && run->variant[0] == '\0')
        (void)snprintf(name, RUN_ARM_BYTES, "%s",
                       run->source == RUN_HOST   ? "host"
                       : run->machine[0] != '\0' ? run->machine
                                                 : run_source_name(run->source));
    else
        (void)snprintf(name, RUN_ARM_BYTES, "%s%s%s", run->policy, blank, run->variant);
    return name;
}

bool run_same_arm(const struct run *a, const struct run *b)
{
    return a->source == b->source && strcmp(a->policy, b->policy) == 0 &&
           strcmp(a->variant, b->variant) == 0 && strcmp(a->machine, b->machine) == 0;
}

bool run_same_load(const struct run *a, const struct run *b)
{
    return strcmp(a->load, b->load) == 0 && strcmp(a->workload, b->workload) == 0;
}

size_t run_values(const struct run *runs, size_t count, enum run_metric metric, double *values)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        if (runs[i].status == RUN_OK && run_has(&runs[i], metric))
            values[n++] = runs[i].metric[metric];
    return n;
}

const char *run_source_name(enum run_source source)
{
    switch (source) {
    case RUN_SIM: return "sim";
    case RUN_HOST: return "host";
    case RUN_TRACE: return "trace";
    case RUN_IMPORT: return "import";
    }
    return "unknown";
}

const char *run_status_name(enum run_status status)
{
    switch (status) {
    case RUN_OK: return "ok";
    case RUN_FAILED: return "failed";
    case RUN_KILLED: return "killed";
    case RUN_INVALID: return "invalid";
    }
    return "unknown";
}

const char *run_better_name(enum run_better direction)
{
    switch (direction) {
    case RUN_LOWER: return "lower";
    case RUN_HIGHER: return "higher";
    case RUN_NEITHER: return "neither";
    }
    return "unknown";
}
