/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counters.h - clock and instruction counter of this thread.
 */
#ifndef HL_BENCH_COUNTERS_H
#define HL_BENCH_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

int64_t counters_now_ns(void);

/* Opens the counter of instructions in user mode; -1 where the system does not give it. */
int counters_open(void);
void counters_start(int counter);
int64_t counters_stop(int counter); /* since the start */
void counters_close(int counter);

#endif
