/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu_groups.c - the control groups that govern our cpu time, our own and all visible above it.
 *
 * /proc/self/cgroup names our group in each hierarchy: "0::/group" for v2, "4:cpu,cpuacct:/group"
 * for v1; both can be there. /proc/self/mountinfo says where a hierarchy is mounted and, since a
 * container sees a part of the tree, which group the mount shows. Our own group may lie outside of
 * it; then the mount itself is the best there is.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/sysroot.h"
#include "base/text.h"
#include "base/units.h"
#include "machine/machine.h"

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

/* mounts: mountinfo, read for the first hierarchy and kept for the next: the kernel takes long to write it. */
static enum hl_status find_mount(struct group_tree *tree, const char *group, char **mounts,
                                 bool *is_found, struct hl_error *err)
{
    char *text, *rest, *line, *root, *mount;

    *is_found = false;
    if (*mounts == NULL)
        HL_TRY(hl_sysroot_read(mounts, err, "/proc/self/mountinfo"));
    if (*mounts == NULL)
        return HL_OK;
    text = hl_strdup(*mounts); /* its lines are cut up */
    if (text == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the mounts");
    rest = text;
    while (!*is_found && (line = hl_next_line(&rest)) != NULL) {
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

/* Our group and all above it, up to the mount. */
static enum hl_status visit_up(struct group_tree *tree, machine_cpu_group_visitor *visit,
                               void *context, struct hl_error *err)
{
    char folder[2 * PATH_MAX];

    for (;;) {
        char *slash = strrchr(tree->path, '/');

        (void)snprintf(folder, sizeof(folder), "%s%s", tree->mount, tree->path);
        HL_TRY(visit(folder, tree->is_v2, context, err));
        if (slash == NULL)
            return HL_OK;
        *slash = '\0';
    }
}

enum hl_status machine_cpu_groups_visit(machine_cpu_group_visitor *visit, void *context,
                                        struct hl_error *err)
{
    enum hl_status status = HL_OK;
    char *text, *mounts = NULL, *rest, *line;

    HL_TRY(hl_sysroot_read(&text, err, "/proc/self/cgroup"));
    rest = text;
    while (status == HL_OK && (line = hl_next_line(&rest)) != NULL) {
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
        status = find_mount(&tree, group, &mounts, &is_found, err);
        if (status == HL_OK && is_found)
            status = visit_up(&tree, visit, context, err);
    }
    hl_free(mounts);
    hl_free(text);
    return status;
}
