/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * part.c - figures of the parts of a run, such as the orders of matinv.
 */
#include "run/run.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const struct run_part *run_part_find(const struct run *run, const char *name)
{
    for (size_t i = 0; i < run->part_count; i++)
        if (strcmp(run->parts[i].name, name) == 0)
            return &run->parts[i];
    return NULL;
}

double run_part_get(const struct run_part *part, int metric)
{
    for (int i = 0; part != NULL && i < part->figure_count; i++)
        if (part->figures[i].metric == metric)
            return part->figures[i].value;
    return (double)NAN;
}

/* The part of that name, added if it is new. */
static enum hl_status find_or_add(struct run *run, const char *name, struct run_part **part,
                                  struct hl_error *err)
{
    const struct run_part *found = run_part_find(run, name);

    if (found != NULL) {
        *part = &run->parts[found - run->parts];
        return HL_OK;
    }
    if (name[0] == '\0' || strlen(name) >= RUN_PART_BYTES)
        return hl_fail(err, HL_BAD_INPUT, "part '%.60s' of a run: expected a name of 1 to %d bytes",
                       name, RUN_PART_BYTES - 1);
    if (run->part_count == RUN_PARTS_MAX)
        return hl_fail(err, HL_BAD_INPUT, "part '%s' of a run is one more than the %d it may have",
                       name, RUN_PARTS_MAX);
    HL_TRY(
        hl_grow(&run->parts, &run->part_capacity, run->part_count + 1, sizeof(*run->parts), err));
    *part = &run->parts[run->part_count++];
    **part = (struct run_part){.figure_count = 0};
    (void)snprintf((*part)->name, sizeof((*part)->name), "%s", name);
    return HL_OK;
}

enum hl_status run_part_set(struct run *run, const char *name, int metric, double value,
                            struct hl_error *err)
{
    struct run_part *part = NULL;

    assert(metric >= 0 && metric < run_metric_count());
    assert(!isnan(value));
    HL_TRY(find_or_add(run, name, &part, err));
    for (int i = 0; i < part->figure_count; i++)
        if (part->figures[i].metric == metric) {
            part->figures[i].value = value;
            return HL_OK;
        }
    if (part->figure_count == RUN_PART_FIGURES)
        return hl_fail(err, HL_BAD_INPUT,
                       "part '%s' of a run: metric %s is one more than the %d it may have", name,
                       run_metric_table[metric].name, RUN_PART_FIGURES);
    part->figures[part->figure_count++] = (struct run_figure){.metric = metric, .value = value};
    return HL_OK;
}

enum hl_status run_copy(struct run *copy, const struct run *run, struct hl_error *err)
{
    *copy = *run;
    copy->parts = NULL;
    copy->part_count = copy->part_capacity = 0;
    if (run->part_count == 0)
        return HL_OK;
    HL_TRY(hl_grow(&copy->parts, &copy->part_capacity, run->part_count, sizeof(*copy->parts), err));
    memcpy(copy->parts, run->parts, run->part_count * sizeof(*run->parts));
    copy->part_count = run->part_count;
    return HL_OK;
}

void run_close(struct run *run)
{
    hl_free(run->parts);
    run->parts = NULL;
    run->part_count = run->part_capacity = 0;
}
