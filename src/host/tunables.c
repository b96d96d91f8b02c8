/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tunables.c - sysctls and files of debugfs that steer the scheduler.
 *
 * Which there are differs from kernel to kernel: until 5.12 most were sysctls, then debugfs has
 * them, which only root may read. So folders are listed.
 */
#include "host/tunables.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sysroot.h"
#include "host/system_file.h"

enum { VALUE_BYTES = 1024 };

/* Beside kernel.sched_*. */
static const char *const other_sysctls[] = {"numa_balancing", "timer_migration", NULL};

/* Of debugfs: `debug` is a dump of all run queues, `domains` and the servers are folders. */
static const char *const not_settings[] = {"debug",      "domains", "fair_server",
                                           "ext_server", "verbose", NULL};

static int is_in(const char *name, const char *const *names)
{
    for (; *names != NULL; names++)
        if (strcmp(name, *names) == 0)
            return 1;
    return 0;
}

static int is_sysctl(const struct dirent *entry)
{
    return strncmp(entry->d_name, "sched_", 6) == 0 || is_in(entry->d_name, other_sysctls);
}

static int is_debug_setting(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && !is_in(entry->d_name, not_settings);
}

/* By bytes: no order may depend on the language. */
static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Returns errno of the folder, 0 if it could be listed. */
static int visit_folder(const char *folder, const char *prefix,
                        int (*is_one)(const struct dirent *entry), host_tunable_visitor *visit,
                        void *context)
{
    char path[PATH_MAX], key[NAME_MAX + 32], value[VALUE_BYTES];
    struct dirent **entries;
    int count;

    if (hl_sysroot_path(path, sizeof(path), NULL, "%s", folder) != HL_OK)
        return ENAMETOOLONG;
    count = scandir(path, &entries, is_one, compare_names);
    if (count < 0)
        return errno;
    for (int i = 0; i < count; i++) {
        int number = host_system_line(value, sizeof(value), "%s/%s", folder, entries[i]->d_name);

        (void)snprintf(key, sizeof(key), "%s%s", prefix, entries[i]->d_name);
        visit(key, value, number, context);
        free(entries[i]);
    }
    free(entries);
    return 0;
}

void host_tunables_visit(host_tunable_visitor *visit, void *context)
{
    int number = visit_folder("/proc/sys/kernel", "kernel.", is_sysctl, visit, context);

    if (number != 0)
        visit("kernel.sched_*", NULL, number, context);
    number =
        visit_folder("/sys/kernel/debug/sched", "debugfs sched/", is_debug_setting, visit, context);
    if (number != 0)
        visit("debugfs sched/*", NULL, number, context);
}
