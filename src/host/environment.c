/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * environment.c - the environment of measured builds and commands.
 */
#include "host/environment.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/units.h"

/*
 * Dropped: options and jobserver of a make above us (MAKEFLAGS and so on), makefiles to read first
 * (MAKEFILES), an output folder for kernels that would go before ours (KBUILD_OUTPUT), and what is
 * set anew.
 */
static const char *const dropped[] = {
    "MAKEFLAGS",
    "MFLAGS",
    "MAKELEVEL",
    "GNUMAKEFLAGS",
    "MAKEOVERRIDES",
    "MAKEFILES",
    "KBUILD_OUTPUT",
    "LC_ALL",
    "PWD",
    "OLDPWD",
    "CCACHE_DISABLE",
    "HALFLOAD_SESSION",
    "PYTHONDONTWRITEBYTECODE",
    "TMPDIR",
};

static bool is_of(const char *entry, const char *name)
{
    size_t length = strlen(name);

    return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

static bool is_dropped(const char *entry)
{
    for (int i = 0; i < HL_COUNT_OF(dropped); i++)
        if (is_of(entry, dropped[i]))
            return true;
    return false;
}

static enum hl_status add(struct host_environment *environment, const char *name, const char *value,
                          struct hl_error *err)
{
    size_t bytes = strlen(name) + strlen(value) + 1;
    char *entry;

    HL_TRY(hl_grow(&environment->entries, &environment->capacity, environment->count + 2,
                   sizeof(*environment->entries), err));
    entry = hl_alloc(bytes, 1);
    if (entry == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for an environment");
    (void)snprintf(entry, bytes, "%s%s", name, value);
    environment->entries[environment->count++] = entry;
    environment->entries[environment->count] = NULL;
    return HL_OK;
}

enum hl_status host_environment_make(struct host_environment *environment, const char *folder,
                                     const char *temporary, const char *mark, struct hl_error *err)
{
    for (char **own = environ; *own != NULL; own++)
        if (!is_dropped(*own))
            HL_TRY(add(environment, *own, "", err));
    HL_TRY(add(environment, "CCACHE_DISABLE=", "1", err));
    HL_TRY(add(environment, "LC_ALL=", "C", err));
    HL_TRY(add(environment, "PYTHONDONTWRITEBYTECODE=", "1", err));
    HL_TRY(add(environment, "PWD=", folder, err));
    /* A compiler that is killed leaves its temporary files: they go with the session's folder. */
    HL_TRY(add(environment, "TMPDIR=", temporary, err));
    return add(environment, mark, "", err);
}

enum hl_status host_environment_copy(struct host_environment *environment, const char *mark,
                                     struct hl_error *err)
{
    for (char **own = environ; *own != NULL; own++)
        if (!is_of(*own, "HALFLOAD_SESSION"))
            HL_TRY(add(environment, *own, "", err));
    return add(environment, mark, "", err);
}

enum hl_status host_environment_set(struct host_environment *environment, const char *name,
                                    const char *value, struct hl_error *err)
{
    char assignment[128];

    for (size_t i = 0; i < environment->count; i++)
        if (is_of(environment->entries[i], name)) {
            hl_free((void *)(uintptr_t)environment->entries[i]);
            environment->entries[i] = environment->entries[--environment->count];
            environment->entries[environment->count] = NULL;
            break;
        }
    (void)snprintf(assignment, sizeof(assignment), "%s=%s", name, value);
    return add(environment, assignment, "", err);
}

void host_environment_close(struct host_environment *environment)
{
    for (size_t i = 0; i < environment->count; i++)
        hl_free((void *)(uintptr_t)environment->entries[i]);
    hl_free(environment->entries);
    *environment = (struct host_environment){0};
}

static bool is_program(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

bool host_program_find(const char *name, char *path, size_t bytes)
{
    const char *folders = getenv("PATH");

    if (strchr(name, '/') != NULL) {
        (void)snprintf(path, bytes, "%s", name);
        return is_program(name);
    }
    if (folders == NULL)
        folders = "/usr/local/bin:/usr/bin:/bin";
    while (*folders != '\0') {
        int length = (int)strcspn(folders, ":");
        int needed =
            snprintf(path, bytes, "%.*s%s%s", length, folders, length == 0 ? "./" : "/", name);

        if (needed > 0 && (size_t)needed < bytes && is_program(path))
            return true;
        folders += length;
        folders += *folders == ':';
    }
    return false;
}
