/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host.c - how many cpus of this machine a process may really use.
 *
 *     online:  /sys/devices/system/cpu/online, less the cpus whose own `online` file says 0. Cpu 0
 *              often has no such file: it cannot be switched off.
 *     allowed: Cpus_allowed_list of /proc/self/status: affinity and cpusets together.
 *     quota:   cgroup v2 cpu.max ("150000 100000" or "max 100000"), v1 cpu.cfs_quota_us (-1: none)
 * and cpu.cfs_period_us; of our group and all groups above it (cpu_groups.c) the least counts.
 */
#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/sysroot.h"
#include "base/text.h"
#include "base/units.h"
#include "machine/machine.h"

/* ---- online and allowed ---- */

/* Adds the cpus that have a folder of their own. */
static enum hl_status list_cpu_folders(struct machine_cpu_set *cpus, struct hl_error *err)
{
    char path[PATH_MAX];
    const struct dirent *entry;
    DIR *dir;

    HL_TRY(hl_sysroot_path(path, sizeof(path), err, "/sys/devices/system/cpu"));
    dir = opendir(path);
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        int64_t cpu;

        if (strncmp(entry->d_name, "cpu", 3) == 0 && hl_parse_int(entry->d_name + 3, &cpu) &&
            cpu >= 0 && cpu < MACHINE_OS_CPUS_MAX)
            machine_cpu_set_add(cpus, (int)cpu);
    }
    if (dir != NULL)
        (void)closedir(dir);
    return HL_OK;
}

static enum hl_status read_online(struct machine_cpu_set *online, struct hl_error *err)
{
    char *text;
    bool is_known;

    HL_TRY(hl_sysroot_read(&text, err, "/sys/devices/system/cpu/online"));
    is_known = text != NULL && machine_cpu_list_parse(text, online);
    hl_free(text);
    if (!is_known) {
        *online = (struct machine_cpu_set){0};
        HL_TRY(list_cpu_folders(online, err));
    }
    if (machine_cpu_set_count(online) > 0)
        return HL_OK;
    if (!hl_sysroot_is_real())
        return hl_fail(err, HL_UNSUPPORTED,
                       "%s/sys/devices/system/cpu: no cpus found, expected at least one",
                       hl_sysroot());
    /* Without /sys only the count is known; its cpus are taken to be the first ones. */
    for (long cpu = 0; cpu < HL_MAX(sysconf(_SC_NPROCESSORS_ONLN), 1) && cpu < MACHINE_OS_CPUS_MAX;
         cpu++)
        machine_cpu_set_add(online, (int)cpu);
    return HL_OK;
}

/* The list can lag behind a cpu that has just been switched off; its own file is what counts. */
static enum hl_status drop_offline(struct machine_cpu_set *online, struct hl_error *err)
{
    for (int cpu = 0; cpu < MACHINE_OS_CPUS_MAX; cpu++) {
        char *text;

        if (!machine_cpu_set_has(online, cpu))
            continue;
        HL_TRY(hl_sysroot_read(&text, err, "/sys/devices/system/cpu/cpu%d/online", cpu));
        if (text != NULL && text[0] == '0')
            machine_cpu_set_remove(online, cpu);
        hl_free(text);
    }
    return HL_OK;
}

/* False if /proc does not say. */
static enum hl_status read_affinity(struct machine_cpu_set *allowed, bool *is_known,
                                    struct hl_error *err)
{
    static const char key[] = "Cpus_allowed_list:";
    char *text, *rest, *line;

    *is_known = false;
    HL_TRY(hl_sysroot_read(&text, err, "/proc/self/status"));
    rest = text;
    while ((line = hl_next_line(&rest)) != NULL)
        if (strncmp(line, key, sizeof(key) - 1) == 0)
            *is_known = machine_cpu_list_parse(line + sizeof(key) - 1, allowed);
    hl_free(text);
    return HL_OK;
}

static void keep_common(struct machine_cpu_set *set, const struct machine_cpu_set *other)
{
    for (int i = 0; i < HL_COUNT_OF(set->word); i++)
        set->word[i] &= other->word[i];
}

/* ---- quota ---- */

static int64_t number_in(const char *text)
{
    char word[32];
    size_t length = text == NULL ? 0 : strcspn(text, " \n");
    int64_t value;

    if (length == 0 || length >= sizeof(word))
        return 0;
    memcpy(word, text, length);
    word[length] = '\0';
    return hl_parse_int(word, &value) ? value : 0;
}

/* Lowers *context, a quota in ppm, to what one group allows. Zero stands for none, here and in the
 * files' "max" and -1. */
static enum hl_status apply_group(const char *folder, bool is_v2, void *context,
                                  struct hl_error *err)
{
    int64_t *quota_ppm = context, quota, period, ppm;
    char *text;

    if (is_v2) {
        HL_TRY(hl_sysroot_read(&text, err, "%s/cpu.max", folder));
        quota = number_in(text);
        period = text == NULL || strchr(text, ' ') == NULL ? 0 : number_in(strchr(text, ' ') + 1);
    } else {
        HL_TRY(hl_sysroot_read(&text, err, "%s/cpu.cfs_quota_us", folder));
        quota = number_in(text);
        hl_free(text);
        HL_TRY(hl_sysroot_read(&text, err, "%s/cpu.cfs_period_us", folder));
        period = number_in(text);
    }
    hl_free(text);
    if (quota <= 0 || period <= 0 || quota > INT64_MAX / HL_PPM)
        return HL_OK;
    ppm = HL_MAX(quota * HL_PPM / period, 1);
    if (*quota_ppm == 0 || ppm < *quota_ppm)
        *quota_ppm = ppm;
    return HL_OK;
}

/* ---- all together ---- */

enum hl_status machine_host_cpus_read(struct machine_host_cpus *cpus, struct hl_error *err)
{
    struct machine_cpu_set affinity;
    bool is_known;
    int32_t rounded;

    *cpus = (struct machine_host_cpus){0};
    HL_TRY(read_online(&cpus->online, err));
    HL_TRY(drop_offline(&cpus->online, err));
    cpus->online_count = machine_cpu_set_count(&cpus->online);
    cpus->allowed = cpus->online;
    HL_TRY(read_affinity(&affinity, &is_known, err));
    if (is_known)
        keep_common(&cpus->allowed, &affinity);
    cpus->allowed_count = machine_cpu_set_count(&cpus->allowed);
    HL_TRY(machine_cpu_groups_visit(apply_group, &cpus->quota_ppm, err));
    cpus->usable_count = HL_MAX(cpus->allowed_count, 1);
    cpus->limit =
        cpus->allowed_count < cpus->online_count ? MACHINE_LIMIT_ALLOWED : MACHINE_LIMIT_ONLINE;
    rounded = (int32_t)HL_MIN((cpus->quota_ppm + HL_PPM - 1) / HL_PPM, MACHINE_OS_CPUS_MAX);
    if (cpus->quota_ppm > 0 && rounded < cpus->usable_count) {
        cpus->usable_count = rounded;
        cpus->limit = MACHINE_LIMIT_QUOTA;
    }
    return HL_OK;
}

const char *machine_quota_print(int64_t quota_ppm, char text[static MACHINE_QUOTA_BYTES])
{
    size_t end;

    if (quota_ppm == 0)
        return strcpy(text, "none");
    end = (size_t)snprintf(text, MACHINE_QUOTA_BYTES, "%" PRId64 ".%06" PRId64, quota_ppm / HL_PPM,
                           quota_ppm % HL_PPM);
    while (text[end - 1] == '0')
        text[--end] = '\0';
    if (text[end - 1] == '.')
        text[end - 1] = '\0';
    return text;
}

void machine_host_cpus_print(const struct machine_host_cpus *cpus, char *text, size_t bytes)
{
    static const char *const limits[] = {
        [MACHINE_LIMIT_ONLINE] = "all online cpus",
        [MACHINE_LIMIT_ALLOWED] = "the allowed cpus",
        [MACHINE_LIMIT_QUOTA] = "the quota, rounded up",
    };
    char quota[MACHINE_QUOTA_BYTES];

    (void)snprintf(text, bytes, "host %d, allowed %d, quota %s: %d usable, set by %s",
                   cpus->online_count, cpus->allowed_count,
                   machine_quota_print(cpus->quota_ppm, quota), cpus->usable_count,
                   limits[cpus->limit]);
}

enum hl_status machine_host_usable_cpus(int *count, struct hl_error *err)
{
    struct machine_host_cpus cpus;

    HL_TRY(machine_host_cpus_read(&cpus, err));
    *count = cpus.usable_count;
    return HL_OK;
}
