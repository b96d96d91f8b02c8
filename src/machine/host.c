/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host.c - how many cpus of this machine a process may really use.
 *
 *     online:  /sys/devices/system/cpu/online, less the cpus whose own `online` file says 0. Cpu 0
 *              often has no such file: it cannot be switched off.
 *     allowed: Cpus_allowed_list of /proc/self/status: affinity and cpusets together.
 *     quota:   cgroup v2 cpu.max ("150000 100000" or "max 100000"), v1 cpu.cfs_quota_us (-1: none)
 * and cpu.cfs_period_us; of our group and all groups above it the least counts.
 *
 * A container sees a part of the group tree: mountinfo says which group the mount shows, and our
 * own group may lie outside of it; then the mount itself is the best there is.
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

/* Cuts the line that *rest starts with; NULL at the end. */
static char *next_line(char **rest)
{
    char *line = *rest, *end;

    if (line == NULL || *line == '\0')
        return NULL;
    end = strchr(line, '\n');
    *rest = end == NULL ? NULL : end + 1;
    if (end != NULL)
        *end = '\0';
    return line;
}

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
    while ((line = next_line(&rest)) != NULL)
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

struct group_tree { /* one mounted hierarchy and our place in it */
    bool is_v2;
    char mount[PATH_MAX];
    char path[PATH_MAX]; /* our group, below the mount; "" is the mount itself */
};

/* True if `word` is in the comma-separated `list`. */
static bool list_has(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = list; at != NULL; at = strchr(at, ','), at = at == NULL ? NULL : at + 1)
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

/* mountinfo writes blanks in paths as octal: "\040". */
static void unescape_octal(char *text)
{
    char *out = text;

    for (; *text != '\0'; text++) {
        if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' && text[2] >= '0' &&
            text[2] <= '7' && text[3] >= '0' && text[3] <= '7') {
            *out++ = (char)((text[1] - '0') * 64 + (text[2] - '0') * 8 + (text[3] - '0'));
            text += 3;
        } else {
            *out++ = *text;
        }
    }
    *out = '\0';
}

/*
 * One line of mountinfo: "31 23 0:28 ROOT MOUNT rw - TYPE SOURCE OPTIONS", with any number of words
 * before the dash. True if it is the hierarchy that governs cpu time.
 */
static bool parse_mount(char *line, bool is_v2, char **root, char **mount)
{
    char *words[16] = {0}, *dash = strstr(line, " - "), *tail[3] = {0};
    int count;

    if (dash == NULL)
        return false;
    *dash = '\0';
    if (hl_split(dash + 3, ' ', tail, 3) != 3)
        return false;
    if (is_v2 ? strcmp(tail[0], "cgroup2") != 0
              : strcmp(tail[0], "cgroup") != 0 || !list_has(tail[2], "cpu"))
        return false;
    count = 0;
    for (char *word = strtok_r(line, " ", &dash); word != NULL && count < HL_COUNT_OF(words);
         word = strtok_r(NULL, " ", &dash))
        words[count++] = word;
    if (count < 5)
        return false;
    *root = words[3];
    *mount = words[4];
    unescape_octal(*root);
    unescape_octal(*mount);
    return true;
}

/* Our group below what the mount shows; "" if it is not there. */
static const char *below_root(const char *group, const char *root)
{
    size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);

    if (strncmp(group, root, length) != 0 || (group[length] != '/' && group[length] != '\0') ||
        strstr(group, "/..") != NULL)
        return "";
    return strcmp(group + length, "/") == 0 ? "" : group + length;
}

static enum hl_status find_mount(struct group_tree *tree, const char *group, bool *is_found,
                                 struct hl_error *err)
{
    char *text, *rest, *line, *root, *mount;

    *is_found = false;
    HL_TRY(hl_sysroot_read(&text, err, "/proc/self/mountinfo"));
    rest = text;
    while (!*is_found && (line = next_line(&rest)) != NULL) {
        if (!parse_mount(line, tree->is_v2, &root, &mount))
            continue;
        *is_found =
            snprintf(tree->mount, sizeof(tree->mount), "%s", mount) < (int)sizeof(tree->mount) &&
            snprintf(tree->path, sizeof(tree->path), "%s", below_root(group, root)) <
                (int)sizeof(tree->path);
    }
    hl_free(text);
    return HL_OK;
}

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

/* Lowers *quota_ppm to what one group allows. Zero stands for none, here and in the files' "max"
 * and -1. */
static enum hl_status apply_group(const struct group_tree *tree, int64_t *quota_ppm,
                                  struct hl_error *err)
{
    int64_t quota, period, ppm;
    char *text;

    if (tree->is_v2) {
        HL_TRY(hl_sysroot_read(&text, err, "%s%s/cpu.max", tree->mount, tree->path));
        quota = number_in(text);
        period = text == NULL || strchr(text, ' ') == NULL ? 0 : number_in(strchr(text, ' ') + 1);
    } else {
        HL_TRY(hl_sysroot_read(&text, err, "%s%s/cpu.cfs_quota_us", tree->mount, tree->path));
        quota = number_in(text);
        hl_free(text);
        HL_TRY(hl_sysroot_read(&text, err, "%s%s/cpu.cfs_period_us", tree->mount, tree->path));
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

static enum hl_status apply_tree(struct group_tree *tree, int64_t *quota_ppm, struct hl_error *err)
{
    for (;;) {
        char *slash = strrchr(tree->path, '/');

        HL_TRY(apply_group(tree, quota_ppm, err));
        if (slash == NULL)
            return HL_OK;
        *slash = '\0';
    }
}

/* /proc/self/cgroup: "0::/group" for v2, "4:cpu,cpuacct:/group" for v1; both can be there. */
static enum hl_status read_quota(int64_t *quota_ppm, struct hl_error *err)
{
    enum hl_status status = HL_OK;
    char *text, *rest, *line;

    *quota_ppm = 0;
    HL_TRY(hl_sysroot_read(&text, err, "/proc/self/cgroup"));
    rest = text;
    while (status == HL_OK && (line = next_line(&rest)) != NULL) {
        char *controllers = strchr(line, ':'), *group;
        struct group_tree tree;
        bool is_found = false;

        group = controllers == NULL ? NULL : strchr(controllers + 1, ':');
        if (group == NULL)
            continue;
        *group++ = '\0';
        controllers++;
        tree.is_v2 = *controllers == '\0';
        if (!tree.is_v2 && !list_has(controllers, "cpu"))
            continue;
        status = find_mount(&tree, group, &is_found, err);
        if (status == HL_OK && is_found)
            status = apply_tree(&tree, quota_ppm, err);
    }
    hl_free(text);
    return status;
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
    HL_TRY(read_quota(&cpus->quota_ppm, err));
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

void machine_host_cpus_print(const struct machine_host_cpus *cpus, char *text, size_t bytes)
{
    static const char *const limits[] = {
        [MACHINE_LIMIT_ONLINE] = "all online cpus",
        [MACHINE_LIMIT_ALLOWED] = "the allowed cpus",
        [MACHINE_LIMIT_QUOTA] = "the quota, rounded up",
    };
    char quota[48] = "none";

    if (cpus->quota_ppm > 0) {
        size_t end = (size_t)snprintf(quota, sizeof(quota), "%" PRId64 ".%06" PRId64,
                                      cpus->quota_ppm / HL_PPM, cpus->quota_ppm % HL_PPM);

        while (quota[end - 1] == '0')
            quota[--end] = '\0';
        if (quota[end - 1] == '.')
            quota[end - 1] = '\0';
    }
    (void)snprintf(text, bytes, "host %d, allowed %d, quota %s: %d usable, set by %s",
                   cpus->online_count, cpus->allowed_count, quota, cpus->usable_count,
                   limits[cpus->limit]);
}

enum hl_status machine_host_usable_cpus(int *count, struct hl_error *err)
{
    struct machine_host_cpus cpus;

    HL_TRY(machine_host_cpus_read(&cpus, err));
    *count = cpus.usable_count;
    return HL_OK;
}
