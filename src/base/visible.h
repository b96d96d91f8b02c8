/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * visible.h - text from elsewhere on a terminal: names of imported runs, of tasks, of hand-edited files.
 *
 * An escape sequence in a name must not move the cursor, nor a newline break a table. Files for
 * programs (JSON, CSV) keep names to the byte; these functions are for what people read.
 */
#ifndef HL_BASE_VISIBLE_H
#define HL_BASE_VISIBLE_H

#include <stddef.h>

/* Bytes of the UTF-8 sequence at `text` (RFC 3629); 0 if there is none. */
size_t hl_utf8_bytes(const char *text);

/* Control characters as \n, \r, \t or \x1b, bytes that are no UTF-8 as \xff; the rest as it is. What
 * does not fit is cut off. Returns `visible`. */
char *hl_visible(char *visible, size_t bytes, const char *text);

#endif
