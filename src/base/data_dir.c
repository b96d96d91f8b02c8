/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * data_dir.c - finds and lists the project's data files.
 *
 * HALFLOAD_SOURCE_DIR, HALFLOAD_BUILD_DIR and HALFLOAD_INSTALLED_DATA are set by meson.build.
 */
#include "base/data_dir.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

static bool lies_below(const char *path, const char *folder)
{
    size_t length = strlen(folder);

    return strncmp(path, folder, length) == 0 && path[length] == '/';
}

/* A program that was not installed: it uses the data files it was built beside. */
static bool program_is_where_it_was_built(void)
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

    if (length < 0)
        return false;
    program[length] = '\0';
    return lies_below(program, HALFLOAD_SOURCE_DIR) || lies_below(program, HALFLOAD_BUILD_DIR);
}

static const char *data_root(void)
{
    const char *given = getenv("HALFLOAD_DATA");

    if (given != NULL && *given != '\0')
        return given;
    return program_is_where_it_was_built() ? HALFLOAD_SOURCE_DIR : HALFLOAD_INSTALLED_DATA;
}

/* The message for a name that is not there: what is there instead. */
static enum hl_status no_such_file(const char *folder, const char *name, const char *suffix,
                                   struct hl_error *err)
{
    char kind[64];
    char **names = NULL;
    int count = 0;
    enum hl_status status;

    HL_TRY(hl_data_list(folder, suffix, &names, err));
    while (names[count] != NULL)
        count++;
    /* The folders are plurals: "papers" holds a paper each. */
    (void)snprintf(kind, sizeof(kind), "%.*s", (int)strlen(folder) - 1, folder);
    status = hl_fail_unknown(err, HL_USAGE, NULL, kind, name, (const char *const *)names, count);
    hl_data_list_close(names);
    return status;
}

enum hl_status hl_data_path(char *path, size_t bytes, const char *folder, const char *name,
                            const char *suffix, struct hl_error *err)
{
    int length = snprintf(path, bytes, "%s/%s/%s%s", data_root(), folder, name, suffix);

    if (length < 0 || (size_t)length >= bytes)
        return hl_fail(err, HL_USAGE,
                       "the path %s/%s/%.64s%s is longer than the %zu bytes expected", data_root(),
                       folder, name, suffix, bytes - 1);
    /* A name is one file of the folder, never a way out of it. */
    if (strchr(name, '/') != NULL || access(path, R_OK) != 0)
        return no_such_file(folder, name, suffix, err);
    return HL_OK;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static enum hl_status add_name(char ***names, size_t *count, size_t *capacity, const char *name,
                               size_t length, struct hl_error *err)
{
    char *copy;

    HL_TRY(hl_grow(names, capacity, *count + 2, sizeof(**names), err));
    (*names)[*count] = NULL;
    copy = hl_alloc(length + 1, 1);
    if (copy == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the name of a data file");
    memcpy(copy, name, length);
    (*names)[(*count)++] = copy;
    (*names)[*count] = NULL;
    return HL_OK;
}

enum hl_status hl_data_list(const char *folder, const char *suffix, char ***names,
                            struct hl_error *err)
{
    char path[PATH_MAX];
    char **found = NULL;
    size_t count = 0, capacity = 0, suffix_length = strlen(suffix);
    enum hl_status status;
    const struct dirent *entry;
    DIR *dir;

    if (snprintf(path, sizeof(path), "%s/%s", data_root(), folder) >= (int)sizeof(path))
        return hl_fail(err, HL_BAD_INPUT, "the path of the data folder %s is too long", folder);
    dir = opendir(path);
    if (dir == NULL)
        return hl_fail(err, HL_BAD_INPUT,
                       "%s: %s; expected the folder of data files (see $HALFLOAD_DATA)", path,
                       strerror(errno));
    status = hl_grow(&found, &capacity, 1, sizeof(*found), err);
    if (status == HL_OK)
        found[0] = NULL;
    while (status == HL_OK && (entry = readdir(dir)) != NULL) {
        size_t length = strlen(entry->d_name);

        if (entry->d_name[0] == '.' || length <= suffix_length ||
            strcmp(entry->d_name + length - suffix_length, suffix) != 0)
            continue;
        status = add_name(&found, &count, &capacity, entry->d_name, length - suffix_length, err);
    }
    (void)closedir(dir);
    if (status != HL_OK) {
        hl_data_list_close(found);
        return status;
    }
    qsort(found, count, sizeof(*found), compare_names);
    *names = found;
    return HL_OK;
}

void hl_data_list_close(char **names)
{
    for (size_t i = 0; names != NULL && names[i] != NULL; i++)
        hl_free(names[i]);
    hl_free(names);
}
