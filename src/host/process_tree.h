/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process_tree.h - which processes are below one of ours, and ending them.
 */
#ifndef HL_HOST_PROCESS_TREE_H
#define HL_HOST_PROCESS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"

struct host_process {
    pid_t pid, parent;
    char state; /* of /proc/PID/stat; Z: ended and not yet reaped */
    int threads;
    char name[16]; /* comm: at most 15 bytes of the program's name */
};

/* {0} is empty; the memory is kept from one reading to the next. */
struct host_process_list {
    struct host_process *processes;
    size_t count, capacity;
};

/* All descendants of `root`, parents before children. Processes come and go meanwhile: one that is
 * in the list may be gone, one that is just forked may be missing. */
enum hl_status host_processes_below(struct host_process_list *list, pid_t root,
                                    struct hl_error *err) HL_MUST_CHECK;

/* The same from the parents of all processes of the system: slower, for kernels without
 * /proc/PID/task/TID/children. */
enum hl_status host_processes_below_by_scan(struct host_process_list *list, pid_t root,
                                            struct hl_error *err) HL_MUST_CHECK;

/* All processes we may look at that have `entry` ("NAME=VALUE") in the environment they were
 * started with. */
enum hl_status host_processes_marked(struct host_process_list *list, const char *entry,
                                     struct hl_error *err) HL_MUST_CHECK;

void host_process_list_close(struct host_process_list *list);

/*
 * Ends what `find` finds: SIGTERM, so that compilers remove their temporary files, after `grace_ns`
 * SIGKILL. `find` is called again and again until nothing is left that is not a zombie or until 10
 * s have passed. Returns how many are left.
 */
typedef enum hl_status host_process_finder(struct host_process_list *list, void *context);
size_t host_processes_end(host_process_finder *find, void *context, int64_t grace_ns);

int64_t host_now_ns(void); /* CLOCK_MONOTONIC */

#endif
