/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event.h - scheduling events: what the simulator, this machine and recordings have in common.
 *
 * A metric is defined once, over these events (metrics.h), whatever their source.
 */
#ifndef HL_TRACE_EVENT_H
#define HL_TRACE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

enum trace_kind {
    TRACE_SWITCH,  /* cpu: from task -> other task; TRACE_IDLE on either side */
    TRACE_WAKE,    /* task becomes runnable, queued on cpu; other: waking task or TRACE_IDLE */
    TRACE_MIGRATE, /* task, waiting or about to run, moves to cpu */
    TRACE_FORK,    /* other: the parent; task is runnable, queued on cpu */
    TRACE_EXEC,    /* task, name changes */
    TRACE_EXIT,    /* task */
};

/* The state in which a task leaves its cpu. */
enum trace_state { TRACE_RUNNABLE, TRACE_SLEEPING, TRACE_UNINTERRUPTIBLE, TRACE_DEAD };

enum { TRACE_IDLE = -1 }; /* the idle task: never waits, never migrates */

struct trace_event {
    int64_t at_ns;
    enum trace_kind kind;
    enum trace_state state; /* TRACE_SWITCH: of `task` */
    int32_t cpu;
    int32_t task;  /* TRACE_SWITCH: the one that leaves */
    int32_t other; /* TRACE_SWITCH: the one that comes */
};

/* Receives events in order of time. */
struct trace_sink {
    void (*event)(void *context, const struct trace_event *event);
    void *context;
};

#endif
