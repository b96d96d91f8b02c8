/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_counters.h - software counters of perf, inherited by all processes of a command.
 */
#ifndef HL_HOST_PERF_COUNTERS_H
#define HL_HOST_PERF_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

struct host_perf_counters {
    int migrations_fd, clock_fd; /* -1: not had */
    int error;                   /* errno, if not had */
};

/* Counts what the next child of this process and its descendants do, from the child's exec on. */
void host_perf_counters_open(struct host_perf_counters *counters);

/* After all of them have ended. False: `host_perf_counters_why`. */
bool host_perf_counters_read(const struct host_perf_counters *counters, int64_t *migrations,
                             int64_t *clock_ns);

/* Why there is no counter, and the remedy. Static text. */
const char *host_perf_counters_why(const struct host_perf_counters *counters);

void host_perf_counters_close(struct host_perf_counters *counters);

#endif
