/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysroot.h - a prefix for every file of the running system: /proc, /sys, cgroups.
 *
 * Normally empty. Tests and --sysroot point it at a tree recorded on another machine; whoever reads
 * system files takes the path from here, so that machines we do not own can be tried.
 */
#ifndef HL_BASE_SYSROOT_H
#define HL_BASE_SYSROOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* "" or NULL: the real system. Set once, before threads start. A folder that is not there is
 * HL_USAGE. */
enum hl_status hl_sysroot_set(const char *folder, struct hl_error *err) HL_MUST_CHECK;

/* The folder, without a slash at its end; "" on the real system. */
const char *hl_sysroot(void);

/* False in a recorded tree: then system calls describe another machine than the files do. */
bool hl_sysroot_is_real(void);

/* A system path, such as one for "/sys/devices/system/cpu/cpu%d/online", below the sysroot. */
enum hl_status hl_sysroot_path(char *path, size_t bytes, struct hl_error *err, const char *format,
                               ...) HL_PRINTF(4, 5) HL_MUST_CHECK;

/* The whole of a small system file, up to 1 MiB; *text is NULL, and the status HL_OK, if it cannot
 * be read, since a missing file is an answer here. The caller frees *text with hl_free. */
enum hl_status hl_sysroot_read(char **text, struct hl_error *err, const char *format, ...)
    HL_PRINTF(3, 4) HL_MUST_CHECK;

#endif
