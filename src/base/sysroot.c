/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysroot.c - paths of system files, below the root of a recorded tree where one is given.
 */
#include "base/sysroot.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"

enum { SYSTEM_FILE_BYTES_MAX = 1 << 20 };

static char root[PATH_MAX];

enum hl_status hl_sysroot_set(const char *folder, struct hl_error *err)
{
    struct stat info;
    size_t length;

    if (folder == NULL)
        folder = "";
    length = strlen(folder);
    while (length > 0 && folder[length - 1] == '/')
        length--;
    if (length >= sizeof(root))
        return hl_fail(err, HL_USAGE, "the sysroot is %zu bytes long; expected fewer than %zu",
                       length, sizeof(root));
    if (length > 0 && (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode)))
        return hl_fail(err, HL_USAGE, "%s: no folder; expected the root of a recorded system tree",
                       folder);
    memcpy(root, folder, length);
    root[length] = '\0';
    return HL_OK;
}

const char *hl_sysroot(void)
{
    return root;
}

bool hl_sysroot_is_real(void)
{
    return root[0] == '\0';
}

static enum hl_status build_path(char *path, size_t bytes, struct hl_error *err, const char *format,
                                 va_list args) HL_PRINTF(4, 0);

static enum hl_status build_path(char *path, size_t bytes, struct hl_error *err, const char *format,
                                 va_list args)
{
    size_t length = strlen(root);
    int written;

    if (length < bytes) {
        memcpy(path, root, length);
        written = vsnprintf(path + length, bytes - length, format, args);
        if (written >= 0 && (size_t)written < bytes - length)
            return HL_OK;
    }
    return hl_fail(err, HL_BAD_INPUT,
                   "the path of a system file is longer than the %zu bytes expected", bytes - 1);
}

enum hl_status hl_sysroot_path(char *path, size_t bytes, struct hl_error *err, const char *format,
                               ...)
{
    enum hl_status status;
    va_list args;

    va_start(args, format);
    status = build_path(path, bytes, err, format, args);
    va_end(args);
    return status;
}

enum hl_status hl_sysroot_read(char **text, struct hl_error *err, const char *format, ...)
{
    char path[PATH_MAX];
    enum hl_status status;
    va_list args;

    *text = NULL;
    va_start(args, format);
    status = build_path(path, sizeof(path), err, format, args);
    va_end(args);
    HL_TRY(status);
    status = hl_read_file(path, SYSTEM_FILE_BYTES_MAX, text, NULL, err);
    return status == HL_NO_MEMORY ? status : HL_OK;
}
