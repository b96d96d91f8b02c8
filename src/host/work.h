/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * work.h - a workload that is measured, as a table of operations; work.c lists the tables.
 *
 * A kind of work puts struct host_work first in its own struct, which is allocated zeroed before
 * `open` and freed after `close`.
 */
#ifndef HL_HOST_WORK_H
#define HL_HOST_WORK_H

#include <stddef.h>

#include "host/host.h"

struct host_work_ops {
    const char *name; /* of workload_table */
    size_t bytes;     /* of its struct */
    enum hl_status (*open)(struct host_work *work, const struct host_work_options *options,
                           struct hl_error *err);
    enum hl_status (*run)(struct host_work *work, int64_t level, const struct host_setting *setting,
                          struct run *run, struct hl_error *err);
    int64_t (*max_jobs)(const struct host_work *work); /* NULL: no bound is known */
    void (*close)(struct host_work *work);             /* safe after an `open` that failed */
};

struct host_work {
    const struct host_work_ops *ops;
    int64_t place; /* of the next run; below 0: a warm-up */
};

extern const struct host_work_ops host_buildworld_ops, host_cmd_ops, host_kernbench_ops,
    host_matinv_ops, host_rsa_ops;

#endif
