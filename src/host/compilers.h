/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compilers.h - how many compilers run at the same time, sampled, and how large the largest gets.
 */
#ifndef HL_HOST_COMPILERS_H
#define HL_HOST_COMPILERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "host/process_tree.h"

struct host_compilers {
    int32_t peak, samples;
    int64_t largest_bytes; /* resident memory at its highest, of one compiler; 0: none seen */
    int64_t next_ns;       /* when to sample again, CLOCK_MONOTONIC */
    struct host_process_list list;
};

/* Does a process of that name compile? Drivers such as gcc only start compilers. */
bool host_is_compiler(const char *name);

/* The first sample is due soon after `now_ns`. */
void host_compilers_start(struct host_compilers *compilers, int64_t now_ns);

/* Looks at the tree below `root` and sets next_ns so that sampling stays cheap. */
void host_compilers_sample(struct host_compilers *compilers, pid_t root);

void host_compilers_close(struct host_compilers *compilers);

#endif
