/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * setting.h - what a variant changes for the processes of one run on this machine.
 *
 * A setting is applied in the child that becomes the workload, after the fork and before the exec:
 * nothing of the program itself and nothing of the system changes, so there is nothing to put back.
 */
#ifndef HL_HOST_SETTING_H
#define HL_HOST_SETTING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "machine/cpu_list.h"

/* {0} changes nothing. All memory is its own. */
struct host_setting {
    bool has_cpus, has_nice, has_class;
    struct machine_cpu_set cpus; /* the only ones allowed, by the system's numbers */
    int nice;
    int class; /* SCHED_OTHER, SCHED_BATCH or SCHED_IDLE */
    /* "NAME=VALUE", or "NAME": taken out of the environment. */
    char **environment;
    size_t environment_count, environment_capacity;
    char **prefix; /* words put before the command; the first is the path of a program */
    size_t prefix_count, prefix_capacity;
};

struct host_setting_key {
    const char *name, *values, *help; /* "cpus", "0+2-3", ... */
    enum hl_status (*parse)(struct host_setting *setting, const char *value, struct hl_error *err);
};
extern const struct host_setting_key host_setting_table[]; /* ends with a NULL name */

/* Adds KEY=VALUE to a setting. A key given before is HL_USAGE, but for env of another variable. */
enum hl_status host_setting_parse(struct host_setting *setting, const char *key, const char *value,
                                  struct hl_error *err) HL_MUST_CHECK;

/*
 * Tries the setting in a process of its own: what the system refuses is told before anything is
 * played. HL_NOT_PERMITTED or HL_UNSUPPORTED with reason and remedy.
 */
enum hl_status host_setting_check(const struct host_setting *setting,
                                  struct hl_error *err) HL_MUST_CHECK;

/* cpus that a run with the setting can use: what symbolic loads are resolved from. At least 1. */
enum hl_status host_setting_cpus(const struct host_setting *setting, int *count,
                                 struct hl_error *err) HL_MUST_CHECK;

/* Applies cpus, class and nice to the calling process. NULL, or what could not be done (static
 * text), with errno. Calls nothing that is unsafe after a fork. */
const char *host_setting_apply(const struct host_setting *setting);

void host_setting_close(struct host_setting *setting);

#endif
