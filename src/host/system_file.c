/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * system_file.c - reads small system files below the sysroot.
 */
#include "host/system_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/sysroot.h"
#include "base/units.h"

enum { FILE_BYTES_MAX = 4 << 20, FIRST_BYTES = 8192 };

/* Reads all of it; their size is not known before. */
static int read_all(int fd, char **text, size_t *used)
{
    size_t capacity = 0;

    *text = NULL;
    *used = 0;
    for (;;) {
        ssize_t got;

        if (hl_grow(text, &capacity, HL_MAX(*used + 2, FIRST_BYTES), 1, NULL) != HL_OK)
            return ENOMEM;
        got = read(fd, *text + *used, capacity - *used - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return errno;
        if (got == 0)
            break;
        *used += (size_t)got;
        if (*used > FILE_BYTES_MAX)
            return EFBIG;
    }
    (*text)[*used] = '\0';
    return 0;
}

static int read_path(char **text, size_t *bytes, const char *path)
{
    char full[PATH_MAX];
    size_t used;
    int fd, number;

    *text = NULL;
    if (hl_sysroot_path(full, sizeof(full), NULL, "%s", path) != HL_OK)
        return ENAMETOOLONG;
    fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return errno;
    number = read_all(fd, text, &used);
    (void)close(fd);
    if (number != 0) {
        hl_free(*text);
        *text = NULL;
    } else if (bytes != NULL) {
        *bytes = used;
    }
    return number;
}

int host_system_read(char **text, size_t *bytes, const char *format, ...)
{
    char path[PATH_MAX];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(path, sizeof(path), format, args);
    va_end(args);
    return read_path(text, bytes, path);
}

int host_system_line(char *line, size_t bytes, const char *format, ...)
{
    char path[PATH_MAX], *text;
    const char *from;
    size_t length;
    va_list args;
    int number;

    va_start(args, format);
    (void)vsnprintf(path, sizeof(path), format, args);
    va_end(args);
    line[0] = '\0';
    number = read_path(&text, NULL, path);
    if (number != 0)
        return number;
    from = text + strspn(text, " \t\n");
    length = strcspn(from, "\n");
    while (length > 0 && (from[length - 1] == ' ' || from[length - 1] == '\t'))
        length--;
    (void)snprintf(line, bytes, "%.*s", (int)HL_MIN(length, bytes - 1), from);
    hl_free(text);
    return 0;
}
