/* SPDX-License-Identifier: GPL-2.0-or-later */
/* format_test.c - numbers as text: exact, short, and the same in every locale. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/visible.h"
#include "base/rng.h"
#include "base/units.h"

static void numbers_are_as_short_as_exactness_allows(void **state)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {8.89, "8.89"},     {0, "0"},
        {-0.0, "0"},        {1.0 / 3, "0.3333333333333333"},
        {100000, "100000"}, {26554.6, "26554.6"},
        {1e-9, "1e-09"},    {0.1 + 0.2, "0.30000000000000004"},
        {-2.5, "-2.5"},     {4503599627370497.0, "4503599627370497"},
        {1e300, "1e+300"},
    };
    char text[HL_EXACT_BYTES];

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(cases); i++)
        assert_string_equal(hl_format_exact(text, cases[i].value), cases[i].text);
}

static void every_number_reads_back_exactly(void **state)
{
    struct hl_rng rng = hl_rng_stream(1, "test/format");
    char text[HL_EXACT_BYTES];

    (void)state;
    assert_true(strtod(hl_format_exact(text, DBL_MAX), NULL) == DBL_MAX);
    assert_true(strtod(hl_format_exact(text, -DBL_TRUE_MIN), NULL) == -DBL_TRUE_MIN);
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = hl_rng_next(&rng);
        double value;

        memcpy(&value, &bits, sizeof(value));
        if (isfinite(value))
            assert_true(strtod(hl_format_exact(text, value), NULL) == value);
    }
}

static void the_decimal_point_is_a_point_in_every_locale(void **state)
{
    static const char *const with_comma[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"};
    char text[HL_EXACT_BYTES];
    bool found = false;

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(with_comma) && !found; i++)
        found = setlocale(LC_ALL, with_comma[i]) != NULL;
    if (!found)
        skip();
    assert_string_equal(localeconv()->decimal_point, ",");
    assert_string_equal(hl_format_exact(text, 8.89), "8.89");
    (void)hl_format(text, sizeof(text), "%.2f", 1.5);
    assert_string_equal(text, "1.50");
    /* The caller's locale is back afterwards. */
    assert_string_equal(localeconv()->decimal_point, ",");
    (void)setlocale(LC_ALL, "C");
}

static void what_a_terminal_would_obey_is_escaped(void **state)
{
    static const struct {
        const char *text, *visible;
    } cases[] = {
        {"", ""},
        {"make -j4", "make -j4"},
        {"Sch\xc3\xa4"
         "del",
         "Sch\xc3\xa4"
         "del"},
        {"\xf0\x9f\x90\xa7", "\xf0\x9f\x90\xa7"},
        {"a\nb\rc\td", "a\\nb\\rc\\td"},
        {"\033[2Jx\x7f", "\\x1b[2Jx\\x7f"},
        {"\xc2\x9b"
         "31m",
         "\\xc2\\x9b31m"},                                     /* CSI as one character */
        {"\xff\xc3", "\\xff\\xc3"},                            /* no UTF-8, and cut short */
        {"\xc0\xaf\xed\xa0\x80", "\\xc0\\xaf\\xed\\xa0\\x80"}, /* too long; a surrogate */
    };
    char visible[64], small[6];

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(cases); i++)
        assert_string_equal(hl_visible(visible, sizeof(visible), cases[i].text), cases[i].visible);
    /* What does not fit is cut at a character, never within an escape. */
    assert_string_equal(hl_visible(small, sizeof(small), "ab\033c"), "ab");
    assert_string_equal(hl_visible(small, sizeof(small), "abcd\xc3\xa4"), "abcd");
    assert_string_equal(hl_visible(small, sizeof(small), "abcde"), "abcde");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_terminal_would_obey_is_escaped),
        cmocka_unit_test(numbers_are_as_short_as_exactness_allows),
        cmocka_unit_test(every_number_reads_back_exactly),
        cmocka_unit_test(the_decimal_point_is_a_point_in_every_locale),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
