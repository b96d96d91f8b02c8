/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * format.h - text from numbers, with '.' as the decimal point whatever the locale.
 *
 * A program that embeds the library, or a terminal front end, may have called setlocale(); files
 * and tables must not change with it.
 */
#ifndef HL_BASE_FORMAT_H
#define HL_BASE_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

#include "base/status.h"

/* snprintf and vsnprintf in the C locale. */
int hl_format(char *text, size_t bytes, const char *format, ...) HL_PRINTF(3, 4);
int hl_vformat(char *text, size_t bytes, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

enum { HL_EXACT_BYTES = 32 };

/*
 * The shortest decimal that reads back as exactly this number: "8.89", "26554", "1e-09". Whole
 * numbers below 2^53 are written without exponent. For finite numbers; returns `text`.
 */
const char *hl_format_exact(char text[HL_EXACT_BYTES], double value);

#endif
