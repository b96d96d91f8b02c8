/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folder.h - making, copying and removing folders.
 *
 * Links are never followed: what a build makes of its private folder cannot lead us out of it.
 */
#ifndef HL_HOST_FOLDER_H
#define HL_HOST_FOLDER_H

#include <stddef.h>

#include "base/status.h"

/* "WHAT: the system's reason"; a full disk says how to go on. */
enum hl_status host_fail_errno(struct hl_error *err, int number, const char *what) HL_MUST_CHECK;

enum hl_status host_path_join(char *path, size_t bytes, const char *folder, const char *name,
                              struct hl_error *err) HL_MUST_CHECK;
enum hl_status host_folder_make(const char *path, struct hl_error *err) HL_MUST_CHECK;
enum hl_status host_file_write(const char *path, const void *bytes, size_t count,
                               struct hl_error *err) HL_MUST_CHECK;

struct host_mirror_options {
    /* Entries of the topmost folder that are left out; ends with NULL. NULL: none. */
    const char *const *skip;
    /* Absolute path of `from`: symbolic links out of it are made absolute, absolute links into it
     * are made to point into `to`, so that both keep their meaning. NULL: links stay as they are.
     */
    const char *real_from;
    const char *real_to; /* absolute path of `to` */
};

/*
 * Makes folder `to`, which exists, equal to folder `from`: copies what is missing or differs in
 * kind, size, time of change or mode, removes what is too much, sets times and modes. Sockets and
 * devices are left out. HL_INTERRUPTED if the program is to end. `options` may be NULL.
 */
enum hl_status host_folder_mirror(const char *from, const char *to,
                                  const struct host_mirror_options *options,
                                  struct hl_error *err) HL_MUST_CHECK;

/* Removes `path` and all below it; fine if it is not there. Not stopped by an interrupt. */
enum hl_status host_folder_remove(const char *path, struct hl_error *err) HL_MUST_CHECK;

#endif
