/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline.h - scheduling events as text, one a line: what a person compares with pencil and paper.
 *
 *           time in ns  cpu   event
 *                    0  cpu0  A wakes
 *                    0  cpu0  idle -> A
 *              5000000  cpu0  A (dead) -> B
 */
#ifndef HL_TRACE_TIMELINE_H
#define HL_TRACE_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/event.h"

struct timeline {
    FILE *out;
    char *const *names; /* of the tasks that exist at the start, by id; others are printed as #ID */
    int32_t name_count;
    bool has_header; /* set by the first event; false at the start */
};

/* A sink for trace events; `timeline` must outlive it. */
struct trace_sink timeline_sink(struct timeline *timeline);

#endif
