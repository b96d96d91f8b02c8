/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build_log.h - the one line of a build's output that says why it failed.
 */
#ifndef HL_HOST_BUILD_LOG_H
#define HL_HOST_BUILD_LOG_H

#include <stddef.h>

/* Writes it to line[bytes], without control characters, cut at a whole UTF-8 character; "" if there
 * is none. */
void host_log_reason(const char *path, char *line, size_t bytes);

#endif
