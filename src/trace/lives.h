/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lives.h - the processes of one tree in a recording: what each took, and how many could run.
 *
 * The tree is the first process of a given name (or that of a given pid) and all that it forks.
 * Memory is bounded by the processes alive at one time. A pid is a process from its fork to its
 * end: reused, it is another one.
 */
#ifndef HL_TRACE_LIVES_H
#define HL_TRACE_LIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/units.h"
#include "trace/ftrace_text.h"

/* A process that has ended. */
struct trace_life {
    const char *name, *parent; /* as they were called last; parent "": it had ended, or the root */
    int64_t started_ns, ended_ns;
    /* On a cpu, user and system alike, from its fork on: known, and what more it can have been
     * where events are missing. */
    int64_t cpu_ns, unknown_ns;
    int64_t voluntary, involuntary;
    int32_t depth; /* forks below the root */
    int32_t units; /* processes of the unit's name below it, without another of the root's name in
                      between; counted for processes of the root's name */
    int32_t siblings; /* living children of its parent, itself not counted */
    bool is_root;
    bool is_whole; /* it was followed from its begin to its end */
};

struct trace_lives_options {
    const char *root; /* name of the root */
    int32_t root_pid; /* above 0: this process instead */
    const char *unit; /* name of what trace_life.units counts */
    void (*ended)(void *context, const struct trace_life *life);
    /* tail_ns: from the fork to the parent's sleep. NULL: nobody asks. */
    void (*vfork_waited)(void *context, int64_t tail_ns, int64_t wait_ns);
    void *context;
};

enum { TRACE_LIVES_LEVELS = 64, TRACE_LIVES_SLICES = 512 };
/* Kernel threads that wake each second or two leave no longer stretch empty on a whole machine. */
#define TRACE_LIVES_HOLE_NS (3 * HL_NS_PER_S)

struct trace_lives_slice {      /* of elapsed time */
    int64_t idle_ns, single_ns; /* with no runnable task of the tree, and with exactly one */
    int64_t serial_ns; /* the part of single_ns in which others did not keep it from running */
};

struct trace_lives_cpu {
    int32_t slot;     /* that runs there; -1: none of the tree, or unknown */
    bool is_idle;     /* by the last switch seen */
    int64_t since_ns; /* of that switch */
};

struct trace_lives {
    struct trace_lives_options options;
    struct trace_lives_task *tasks; /* slots */
    size_t task_count, task_capacity;
    int32_t *by_pid; /* slots of the living, ascending by pid */
    size_t live_count, by_pid_capacity;
    int32_t *free_slots;
    size_t free_count, free_capacity;
    struct trace_lives_cpu *cpus;
    size_t cpu_count, cpu_capacity;

    bool has_root, is_done;
    bool is_cut;  /* the recording has ended before the root */
    int32_t root; /* slot */
    int64_t begin_ns, now_ns;
    int32_t runnable; /* tasks of the tree, running or waiting */
    int32_t running;  /* those of them seen on a cpu */
    int32_t idle_cpus;
    int32_t units_now, units_most; /* living processes of the unit's name */
    /* Elapsed time by runnable tasks; the last: that and more. */
    int64_t level_ns[TRACE_LIVES_LEVELS];
    struct trace_lives_slice slices[TRACE_LIVES_SLICES];
    int64_t slice_ns;        /* width; it doubles when the slices are full */
    int64_t kernel_preempts; /* tasks of the tree that a kernel thread took the cpu from */
    int64_t inferred; /* switches from idle that are missing, and follow from what came after */
    int64_t lost_events, lost_places; /* events known to be missing; stretches that miss some */
    /* Long stretches without any event although tasks of the tree could run: a hole, or none of
     * these had a reason to leave its cpu. Their time counts as run. */
    int64_t hole_count, hole_ns, hole_longest_ns, hole_longest_at_ns;
};

void trace_lives_open(struct trace_lives *lives, const struct trace_lives_options *options);
void trace_lives_close(struct trace_lives *lives); /* safe on zeroed */

/* Events in order of time; one before its predecessor counts as simultaneous. After the root's end
 * (is_done) they change nothing. */
enum hl_status trace_lives_event(struct trace_lives *lives, const struct trace_text_event *event,
                                 struct hl_error *err) HL_MUST_CHECK;

/* At the end of the recording: the living end now, not whole unless the root has ended. */
void trace_lives_finish(struct trace_lives *lives);

/* Of the first and the second half of the elapsed time: how long at most one task could run. */
struct trace_lives_slice trace_lives_half(const struct trace_lives *lives, bool second);

#endif
