/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task_records.h - the records that the kernel sends of tasks that end (taskstats), summed for the
 * tasks below one process.
 */
#ifndef HL_HOST_TASK_RECORDS_H
#define HL_HOST_TASK_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct host_task_sum {
    int64_t delay_ns; /* runnable and not running */
    int64_t tasks;    /* threads too */
};

/* {0} is closed. */
struct host_task_records {
    bool is_open, is_lost; /* lost: some records did not fit */
    int fd;
    uint16_t family;
    const char *why; /* not open: reason and remedy, static text */
    /* By process id, in pieces made when they are needed: what has ended below a process that is
     * still there. */
    struct host_task_sum **below;
};

/* Asks for the records of all tasks that end on this machine from now on. */
void host_task_records_open(struct host_task_records *records);

/* Takes in what has come; often enough that the kernel's buffer does not overflow. */
void host_task_records_drain(struct host_task_records *records);

/* What has ended below `root`. False: *why says why that is not known. */
bool host_task_records_sum(struct host_task_records *records, pid_t root, struct host_task_sum *sum,
                           const char **why);

void host_task_records_close(struct host_task_records *records);

/* ---- for tests ---- */

/* Takes in one message as the kernel sends it; false if it is not understood. */
bool host_task_records_take(struct host_task_records *records, const void *message, size_t bytes);

#endif
