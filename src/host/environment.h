/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * environment.h - the environment of measured builds and commands.
 */
#ifndef HL_HOST_ENVIRONMENT_H
#define HL_HOST_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* Entries "NAME=VALUE", ends with NULL; all memory is its own. {0} is empty. */
struct host_environment {
    const char **entries;
    size_t count, capacity;
};

/*
 * Our own environment without what would steer a make from outside, with CCACHE_DISABLE=1,
 * LC_ALL=C, PYTHONDONTWRITEBYTECODE=1 (a build that reads the source in place leaves nothing
 * there), PWD set to `folder`, TMPDIR to `temporary`, and `mark`.
 */
enum hl_status host_environment_make(struct host_environment *environment, const char *folder,
                                     const char *temporary, const char *mark,
                                     struct hl_error *err) HL_MUST_CHECK;

/* Our own environment and `mark`: what a user's command gets. */
enum hl_status host_environment_copy(struct host_environment *environment, const char *mark,
                                     struct hl_error *err) HL_MUST_CHECK;

/* Short ones of ours: below 128 characters together. */
enum hl_status host_environment_set(struct host_environment *environment, const char *name,
                                    const char *value, struct hl_error *err) HL_MUST_CHECK;
void host_environment_close(struct host_environment *environment);

/* Absolute path of a program found as the shell does. False: there is none. */
bool host_program_find(const char *name, char *path, size_t bytes);

#endif
