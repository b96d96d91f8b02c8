/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_room.c - how much memory is there to be used.
 *
 *   /proc/meminfo       MemAvailable:   23456789 kB
 *   /proc/self/cgroup   0::/user.slice/build             version 2: memory.max, memory.current
 *                       9:memory:/docker/1f2e            version 1: memory.limit_in_bytes,
 * memory.usage_in_bytes
 *
 * A limit of any group above counts. Usage of a group includes page cache that could be dropped;
 * its inactive files are taken off, as tools of containers do.
 */
#include "host/memory_room.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sysroot.h"
#include "base/units.h"

/* The number after `key` at the start of a line of a file; -1 if there is none. */
static int64_t read_keyed(const char *path, const char *key)
{
    int64_t value = -1;
    char *text, *at;

    if (hl_sysroot_read(&text, NULL, "%s", path) != HL_OK || text == NULL)
        return -1;
    for (at = text; at != NULL; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, key, strlen(key)) == 0) {
            char *digits = at + strlen(key), *end;

            value = strtoll(digits, &end, 10);
            if (end == digits)
                value = -1; /* "max" */
            break;
        }
    }
    hl_free(text);
    return value;
}

static int64_t read_at(const char *folder, const char *name, const char *key)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
        return -1;
    return read_keyed(path, key);
}

struct cgroup_files {
    const char *root, *limit, *usage, *inactive;
};

static const struct cgroup_files version1 = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes",
                                             "memory.usage_in_bytes", "total_inactive_file "};
static const struct cgroup_files version2 = {"/sys/fs/cgroup", "memory.max", "memory.current",
                                             "inactive_file "};

/* The least that the group and those above it leave; INT64_MAX: no limit. */
static int64_t cgroup_room_bytes(const struct cgroup_files *files, const char *group)
{
    char path[PATH_MAX];
    int64_t room = INT64_MAX;

    if (snprintf(path, sizeof(path), "%s%s", files->root, group) >= (int)sizeof(path))
        return room;
    while (strlen(path) >= strlen(files->root)) {
        int64_t limit = read_at(path, files->limit, "");
        int64_t usage = read_at(path, files->usage, "");
        int64_t inactive = read_at(path, "memory.stat", files->inactive);

        if (limit >= 0 && usage >= 0)
            room = HL_MIN(room, HL_MAX(limit - usage + HL_MAX(inactive, 0), 0));
        *strrchr(path, '/') = '\0';
    }
    return room;
}

static int64_t cgroups_room_bytes(void)
{
    int64_t room = INT64_MAX;
    char *text, *save = NULL;

    if (hl_sysroot_read(&text, NULL, "/proc/self/cgroup") != HL_OK || text == NULL)
        return room;
    for (char *line = strtok_r(text, "\n", &save); line != NULL;
         line = strtok_r(NULL, "\n", &save)) {
        char *controllers = strchr(line, ':');
        char *group = controllers == NULL ? NULL : strchr(controllers + 1, ':');
        const struct cgroup_files *files = NULL;
        int64_t left;

        if (group == NULL)
            continue;
        *group++ = '\0';
        if (controllers[1] == '\0')
            files = &version2;
        else if (strcmp(controllers + 1, "memory") == 0)
            files = &version1;
        if (files == NULL)
            continue;
        left = cgroup_room_bytes(files, strcmp(group, "/") == 0 ? "" : group);
        room = HL_MIN(room, left);
    }
    hl_free(text);
    return room;
}

int64_t host_memory_room_bytes(void)
{
    int64_t available_kib = read_keyed("/proc/meminfo", "MemAvailable:");
    int64_t limit = cgroups_room_bytes();

    if (available_kib < 0)
        return 0;
    return HL_MIN(available_kib * 1024, limit);
}

enum hl_status host_memory_check(const char *what, int64_t bytes, struct hl_error *err)
{
    int64_t room = host_memory_room_bytes();

    if (room == 0 || bytes <= room)
        return HL_OK;
    return hl_fail(err, HL_UNSUPPORTED,
                   "%s need about %.1f GiB of memory; expected no more than the %.1f GiB that are "
                   "available",
                   what, (double)bytes / (double)(1 << 30), (double)room / (double)(1 << 30));
}
