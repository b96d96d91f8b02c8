/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * system_file.h - small files of /proc, /sys and cgroups, with the reason if one cannot be read.
 *
 * base/sysroot.h reads the same files where only their being there matters.
 */
#ifndef HL_HOST_SYSTEM_FILE_H
#define HL_HOST_SYSTEM_FILE_H

#include <stddef.h>

#include "base/status.h"

/* The whole file. 0, or errno and *text NULL; the caller frees *text with hl_free. `bytes` may be
 * NULL. A path is given as printf takes it and lies below the sysroot. */
int host_system_read(char **text, size_t *bytes, const char *format, ...) HL_PRINTF(3, 4);

/* The first line, without blanks around it, cut off where it does not fit. 0 or errno. */
int host_system_line(char *line, size_t bytes, const char *format, ...) HL_PRINTF(3, 4);

#endif
