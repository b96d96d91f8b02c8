/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * property_transform.h - changes of a workload that must not change what comes out.
 */
#ifndef HL_TESTS_PROPERTY_TRANSFORM_H
#define HL_TESTS_PROPERTY_TRANSFORM_H

#include <stdbool.h>
#include <stdint.h>

#include "workload/workload.h"

enum property_transform {
    TRANSFORM_RENAME,       /* all programs and tasks */
    TRANSFORM_SPLIT_RUN,    /* each run step into two or three */
    TRANSFORM_SPLIT_SYSTEM, /* the same with system steps */
    TRANSFORM_RUN_NOTHING,  /* `run 0` and `system 0` here and there */
    TRANSFORM_LOOP_ONCE,    /* a step becomes a loop that is done once */
    TRANSFORM_FREE_CALLS,   /* system calls that do nothing, where calls cost nothing */
    TRANSFORM_COUNT
};

extern const char *const property_transform_names[TRANSFORM_COUNT];

/* Whether the history must be the same event by event, not only in its results. */
bool property_transform_keeps_events(enum property_transform transform);

/* A changed copy; choices are drawn from the seed. Out of memory ends the program. */
void property_transform(const struct workload *from, enum property_transform transform,
                        uint64_t seed, struct workload *to);

#endif
