/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * property_watch.h - keeps its own books over the scheduling events of a run.
 *
 * It knows nothing but the events: who ran where from when to when, who waited, who slept. Its sums
 * are compared with those the simulator keeps, and it sees what no sum shows: the longest wait, and
 * how long a cpu was idle beside a waiting task.
 */
#ifndef HL_TESTS_PROPERTY_WATCH_H
#define HL_TESTS_PROPERTY_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/machine.h"
#include "trace/event.h"

enum watch_state { WATCH_UNBORN, WATCH_WAITS, WATCH_RUNS, WATCH_SLEEPS, WATCH_DEAD };

struct watch_task { /* by id */
    enum watch_state state;
    int32_t cpu; /* WATCH_RUNS */
    int32_t parent;
    int64_t since_ns;         /* in this state */
    int64_t born_ns, died_ns; /* died_ns -1: alive */
    int64_t run_ns, wait_ns, sleep_ns, longest_wait_ns;
    int64_t woken_wait_ns; /* the part of wait_ns that began with a wake-up or a fork */
    bool is_woken;         /* the present wait did */
    int64_t voluntary, involuntary, migrations;
};

struct watch_cpu {
    int32_t task; /* TRACE_IDLE: idle */
    int64_t since_ns, busy_ns;
};

struct property_watch {
    const struct machine *machine;
    struct watch_task *tasks;
    size_t task_count, task_capacity;
    struct watch_cpu *cpus;
    int32_t cpu_count;
    int64_t now_ns, alive, alive_max;
    int64_t crowded_core_ns, shared_cpu_ns; /* as the run record defines them */
    int64_t idle_waiting_ns;                /* of idle cpus, at most one for each waiting task */
    int64_t idle_beside_waiting_ns; /* the longest time one cpu was idle while one task waited */
    char fault[256];                /* the first event that cannot be true; "": none */
};

/* Out of memory ends the program. */
void property_watch_open(struct property_watch *w, const struct machine *m);
void property_watch_close(struct property_watch *w);
struct trace_sink property_watch_sink(struct property_watch *w);

/* The run ends here: what goes on is counted up to now. */
void property_watch_end(struct property_watch *w, int64_t now_ns);

#endif
