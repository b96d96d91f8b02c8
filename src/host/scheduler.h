/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scheduler.h - which scheduler is in force: the kernel's own, or one of sched_ext.
 */
#ifndef HL_HOST_SCHEDULER_H
#define HL_HOST_SCHEDULER_H

#include <stdint.h>

#include "base/status.h"

struct host_scheduler {
    char name[64];  /* of a sched_ext scheduler; "": the kernel's own */
    int64_t enable; /* how often one was enabled since boot; -1: not known */
};

void host_scheduler_read(struct host_scheduler *scheduler);

/* "sched_ext NAME" or "the kernel's own". */
enum { HOST_SCHEDULER_BYTES = 80 };
const char *host_scheduler_print(const struct host_scheduler *scheduler,
                                 char text[static HOST_SCHEDULER_BYTES]);

/* HL_NOT_PERMITTED if it is not the one in force any more: what follows would be filed under a
 * scheduler that did not schedule it. */
enum hl_status host_scheduler_check(const struct host_scheduler *scheduler,
                                    struct hl_error *err) HL_MUST_CHECK;

#endif
