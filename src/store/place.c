/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place.c - where the file is when nobody says so: the XDG base directory specification.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "store/store.h"

/* Makes all folders on the way to the file; 0700 is what the specification asks for. */
static enum hl_status make_folders(char *path, struct hl_error *err)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        int made;

        *slash = '\0';
        made = mkdir(path, 0700);
        if (made != 0 && errno != EEXIST)
            return hl_fail(err, HL_NOT_PERMITTED,
                           "%s: cannot be made: %s; --db FILE names another file", path,
                           strerror(errno));
        *slash = '/';
    }
    return HL_OK;
}

enum hl_status store_default_path(char path[static PATH_MAX], bool make_folder,
                                  struct hl_error *err)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    int length;

    /* The specification says that a relative path is to be ignored. */
    if (data != NULL && data[0] == '/')
        length = snprintf(path, PATH_MAX, "%s/halfload/halfload.db", data);
    else if (home != NULL && home[0] == '/')
        length = snprintf(path, PATH_MAX, "%s/.local/share/halfload/halfload.db", home);
    else
        return hl_fail(err, HL_NOT_PERMITTED,
                       "no folder for results: neither XDG_DATA_HOME nor HOME is an absolute path; "
                       "--db FILE names a file");
    if (length < 0 || length >= PATH_MAX)
        return hl_fail(err, HL_NOT_PERMITTED,
                       "the path of the results is longer than %d bytes; --db FILE names another",
                       PATH_MAX - 1);
    return make_folder ? make_folders(path, err) : HL_OK;
}
