/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * format.c - printf in the C locale; shortest exact decimals.
 */
#include "base/format.h"

#include <assert.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The locale of this thread alone; newlocale of "C" takes no memory that could be short. */
static locale_t enter_c_locale(locale_t *c_locale)
{
    *c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return uselocale(*c_locale);
}

static void leave_c_locale(locale_t c_locale, locale_t before)
{
    (void)uselocale(before);
    if (c_locale != (locale_t)0)
        freelocale(c_locale);
}

int hl_vformat(char *text, size_t bytes, const char *format, va_list args)
{
    locale_t c_locale, before = enter_c_locale(&c_locale);
    int length = vsnprintf(text, bytes, format, args);

    leave_c_locale(c_locale, before);
    return length;
}

int hl_format(char *text, size_t bytes, const char *format, ...)
{
    va_list args;
    int length;

    va_start(args, format);
    length = hl_vformat(text, bytes, format, args);
    va_end(args);
    return length;
}

const char *hl_format_exact(char text[HL_EXACT_BYTES], double value)
{
    locale_t c_locale, before;

    assert(isfinite(value));
    before = enter_c_locale(&c_locale);
    if (value == 0) {
        (void)snprintf(text, HL_EXACT_BYTES, "0"); /* never "-0" */
    } else if (fabs(value) < 0x1p53 && value == trunc(value)) {
        (void)snprintf(text, HL_EXACT_BYTES, "%.0f", value);
    } else {
        /* 17 digits always read back exactly (IEEE 754 double); mostly far fewer do. */
        for (int digits = 1; digits <= 17; digits++) {
            (void)snprintf(text, HL_EXACT_BYTES, "%.*g", digits, value);
            if (strtod(text, NULL) == value)
                break;
        }
    }
    leave_c_locale(c_locale, before);
    return text;
}
