/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * processes.h - the processes of a measured build: how many of each name, and how much cpu time
 * they take, as tables of quantiles. Part of a profile (docs/formats.md).
 */
#ifndef HL_WORKLOAD_PROCESSES_H
#define HL_WORKLOAD_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "base/status.h"

enum {
    PROCESS_KINDS_MAX = 40,
    PROCESS_KNOTS_MAX = 32,
    PROCESS_COUNT_MAX = 1000000, /* of all names together */
    PROCESS_NAME_BYTES = 64,
};

struct process_quantiles {
    int32_t count;                        /* knots; 0: no table */
    int32_t place_ppm[PROCESS_KNOTS_MAX]; /* ascending, 0 to 10^6 */
    int64_t value[PROCESS_KNOTS_MAX];     /* not descending, at least 0 */
};

struct process_kind {
    char name[PROCESS_NAME_BYTES];
    int64_t count;
    struct process_quantiles cpu_ns; /* user and system, fork, exec and exit included */
    bool is_of_make;                 /* forked by a directory's make; else by the shell of a unit */
    char *source;
};

/* {0}: a profile without. */
struct processes {
    struct process_kind *kinds; /* in the order of the file */
    int32_t count;
    struct process_quantiles directory_units; /* units per directory that has any */
    char *directory_source;
};

/* The value of the index-th of `count` in ascending order, which (index + 1) / count of all do not
 * exceed: straight between knots, level before the first and behind the last. */
int64_t process_quantile(const struct process_quantiles *table, int64_t index, int64_t count);

/* Of all names together. */
int64_t processes_total(const struct processes *processes);

/* NULL: none of that name. */
const struct process_kind *process_find(const struct processes *processes, const char *name);

/* The members "processes" and "directory_units" of a profile, if there are any. */
enum hl_status processes_read(struct processes *processes, const struct hl_json_node *root,
                              struct hl_error *err) HL_MUST_CHECK;
void processes_close(struct processes *processes); /* safe on zeroed */

/* Room for one kind more; `name` and `source` are copied. */
enum hl_status processes_add(struct processes *processes, const char *name, const char *source,
                             struct process_kind **kind, struct hl_error *err) HL_MUST_CHECK;

#endif
