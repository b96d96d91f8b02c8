/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watch.h - all that is measured around one command beside its times.
 *
 *     host_watch_start(&watch, cpus);      before the command starts
 *     host_watch_look(&watch);             now and then
 *     host_watch_stop(&watch);             at once when the command has ended
 *     host_watch_sum_up(&watch, ...);      when all its processes have been reaped
 *     host_watch_close(&watch);
 *
 * The calling process is the reaper of everything below it and has no other children.
 */
#ifndef HL_HOST_WATCH_H
#define HL_HOST_WATCH_H

#include <stdint.h>

#include "host/facts.h"
#include "host/machine_state.h"
#include "host/perf_counters.h"
#include "host/task_records.h"

struct host_watch {
    const struct machine_cpu_set *cpus;
    struct host_machine_state before, after;
    struct host_perf_counters counters;
    struct host_task_records records;
};

/* `cpus`: those that the command is going to be allowed; NULL: all that we are. It outlives the
 * watch. */
void host_watch_start(struct host_watch *watch, const struct machine_cpu_set *cpus);
void host_watch_look(struct host_watch *watch);
void host_watch_stop(struct host_watch *watch);

/* `cpu_ns`: user and system time of all that was reaped. */
void host_watch_sum_up(struct host_watch *watch, int64_t cpu_ns, struct host_facts *facts);
void host_watch_close(struct host_watch *watch);

#endif
