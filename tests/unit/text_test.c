/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_test.c - strict parsers, splitting, whole files, near words, data files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/data_dir.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"

enum { REFUSED = -77 };

static int64_t int_of(const char *text)
{
    int64_t value;

    return hl_parse_int(text, &value) ? value : REFUSED;
}

static void whole_numbers_are_read_to_both_ends_of_the_range(void **state)
{
    (void)state;
    assert_int_equal(int_of("0"), 0);
    assert_int_equal(int_of("+12"), 12);
    assert_int_equal(int_of("-12"), -12);
    assert_int_equal(int_of("007"), 7);
    assert_int_equal(int_of("9223372036854775807"), INT64_MAX);
    assert_int_equal(int_of("-9223372036854775808"), INT64_MIN);
}

static void whole_numbers_with_rubbish_or_overflow_are_refused(void **state)
{
    static const char *const bad[] = {"",
                                      " 1",
                                      "1 ",
                                      "1x",
                                      "0x10",
                                      "--1",
                                      "+",
                                      "-",
                                      "1.0",
                                      "1e3",
                                      "9223372036854775808",
                                      "-9223372036854775809",
                                      "99999999999999999999"};

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(bad); i++)
        assert_int_equal(int_of(bad[i]), REFUSED);
}

static int64_t ppm_of(const char *text)
{
    int64_t value;

    return hl_parse_decimal(text, HL_PPM, &value) ? value : REFUSED;
}

static void decimals_are_exact_and_round_half_away_from_zero(void **state)
{
    int64_t value;

    (void)state;
    assert_int_equal(ppm_of("0.125"), 125000);
    assert_int_equal(ppm_of("-3"), -3000000);
    assert_int_equal(ppm_of(".5"), 500000);
    assert_int_equal(ppm_of("12%"), 120000);
    assert_int_equal(ppm_of("-0.5%"), -5000);
    assert_int_equal(ppm_of("0.0000005"), 1);
    assert_int_equal(ppm_of("-0.0000005"), -1);
    assert_int_equal(ppm_of("0.00000049999"), 0);
    assert_int_equal(ppm_of("0.0000000000000000000000001"), 0);
    assert_int_equal(ppm_of("9223372036854.775807"), INT64_MAX);
    assert_true(hl_parse_decimal("149%", 1, &value));
    assert_int_equal(value, 1);
    assert_true(hl_parse_decimal("50%", 1, &value));
    assert_int_equal(value, 1);
    assert_true(hl_parse_decimal("4%", 1, &value));
    assert_int_equal(value, 0);
}

static void decimals_with_rubbish_or_overflow_are_refused(void **state)
{
    static const char *const bad[] = {"",    ".",     "%",   "-",   "-%",
                                      "1.",  "1.2.3", "1,5", "1e3", "0 ",
                                      "nan", "inf",   "1%%", "0x1", "9223372036854.775808"};

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(bad); i++)
        assert_int_equal(ppm_of(bad[i]), REFUSED);
}

static void numbers_are_the_nearest_doubles(void **state)
{
    static const char *const bad[] = {"",      ".",   "1.",  "-",    "1.2.3", "1,5", " 1",
                                      "1 ",    "nan", "inf", "0x10", "1e",    "e5",  "--1",
                                      "1e999", "1-2", "..5", "+",    "1e+",   "NaN", "1_000"};
    double value;

    (void)state;
    assert_true(hl_parse_double("0.1", &value) && value == 0.1);
    assert_true(hl_parse_double("-3", &value) && value == -3);
    assert_true(hl_parse_double("+.5", &value) && value == 0.5);
    assert_true(hl_parse_double("1e-9", &value) && value == 1e-9);
    assert_true(hl_parse_double("1.5E3", &value) && value == 1500);
    assert_true(hl_parse_double("0", &value) && value == 0);
    for (int i = 0; i < HL_COUNT_OF(bad); i++)
        assert_false(hl_parse_double(bad[i], &value));
}

static int64_t ns_of(const char *text)
{
    int64_t ns;

    return hl_parse_duration_ns(text, &ns) ? ns : REFUSED;
}

static void durations_take_a_unit_or_are_nanoseconds(void **state)
{
    (void)state;
    assert_int_equal(ns_of("17"), 17);
    assert_int_equal(ns_of("100ns"), 100);
    assert_int_equal(ns_of("200us"), 200000);
    assert_int_equal(ns_of("5ms"), 5000000);
    assert_int_equal(ns_of("1.5s"), 1500000000);
    assert_int_equal(ns_of("2m"), INT64_C(120000000000));
    assert_int_equal(ns_of("0.0001us"), 0);
    assert_int_equal(ns_of("5 ms"), REFUSED);
    assert_int_equal(ns_of("5%ms"), REFUSED);
    assert_int_equal(ns_of("ms"), REFUSED);
    assert_int_equal(ns_of("5sec"), REFUSED);
    assert_int_equal(ns_of("9223372037s"), REFUSED);
    assert_int_equal(ns_of("9000000000m"), REFUSED);
}

static int64_t bytes_of(const char *text)
{
    int64_t bytes;

    return hl_parse_bytes(text, &bytes) ? bytes : REFUSED;
}

static void byte_counts_take_powers_of_1024(void **state)
{
    (void)state;
    assert_int_equal(bytes_of("512"), 512);
    assert_int_equal(bytes_of("64k"), 65536);
    assert_int_equal(bytes_of("64K"), 65536);
    assert_int_equal(bytes_of("2M"), 2097152);
    assert_int_equal(bytes_of("1G"), 1073741824);
    assert_int_equal(bytes_of("-1"), REFUSED);
    assert_int_equal(bytes_of("1.5M"), REFUSED);
    assert_int_equal(bytes_of("k"), REFUSED);
    assert_int_equal(bytes_of("1MB"), REFUSED);
    assert_int_equal(bytes_of("8388608T"), REFUSED);
}

static void splitting_keeps_what_a_backslash_protects(void **state)
{
    char text[] = "a,,b\\,c\\\\,d", empty[] = "", many[] = "1,2,3", last[] = "x\\";
    char *pieces[4] = {0};

    (void)state;
    assert_int_equal(hl_split(text, ',', pieces, 4), 4);
    assert_string_equal(pieces[0], "a");
    assert_string_equal(pieces[1], "");
    assert_string_equal(pieces[2], "b,c\\");
    assert_string_equal(pieces[3], "d");
    assert_int_equal(hl_split(empty, ',', pieces, 4), 1);
    assert_string_equal(pieces[0], "");
    assert_int_equal(hl_split(many, ',', pieces, 2), 3);
    assert_int_equal(hl_split(last, ',', pieces, 2), 1);
    assert_string_equal(pieces[0], "x\\");
}

static void a_file_is_read_whole_or_refused_with_its_path(void **state)
{
    char path[] = "/tmp/halfload-text-XXXXXX", expected[128];
    struct hl_error err;
    char *text = NULL;
    size_t bytes;
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "one\ntwo", 7), 7);
    assert_int_equal(hl_read_file(path, 7, &text, &bytes, &err), HL_OK);
    assert_int_equal(bytes, 7);
    assert_string_equal(text, "one\ntwo");
    hl_free(text);
    assert_int_equal(hl_read_file(path, 6, &text, &bytes, &err), HL_BAD_INPUT);
    (void)snprintf(expected, sizeof(expected), "%s: larger than 6 bytes, the most expected here",
                   path);
    assert_string_equal(err.text, expected);
    (void)close(fd);
    (void)unlink(path);
    assert_int_equal(hl_read_file(path, 6, &text, &bytes, &err), HL_BAD_INPUT);
    assert_non_null(strstr(err.text, "No such file"));
    assert_int_equal(hl_read_file("/tmp", 6, &text, &bytes, &err), HL_BAD_INPUT);
    assert_string_equal(err.text, "/tmp: Is a directory");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(hl_read_file(path, 6, &text, &bytes, &err), HL_BAD_INPUT);
    (void)snprintf(expected, sizeof(expected), "%s: not a regular file", path);
    assert_string_equal(err.text, expected);
    (void)unlink(path);
}

static void a_failing_allocation_leaves_nothing_behind_when_reading(void **state)
{
    struct hl_error err;
    char *text = NULL;

    (void)state;
    hl_alloc_fail_at(1);
    assert_int_equal(hl_read_file("/proc/self/status", 1 << 20, &text, NULL, &err), HL_NO_MEMORY);
    hl_alloc_fail_at(0);
    assert_null(text);
}

static void the_nearest_word_is_near(void **state)
{
    static const char *const known[] = {"o1",      "c1", "w26", "kernbench", "xeon-2phys-ht",
                                        "smt_gain"};

    (void)state;
    assert_string_equal(hl_nearest_word("kernbnech", known, 6), "kernbench");
    assert_string_equal(hl_nearest_word("KERNBENCH", known, 6), "kernbench");
    assert_string_equal(hl_nearest_word("smtgain", known, 6), "smt_gain");
    assert_string_equal(hl_nearest_word("o2", known, 6), "o1");
    assert_string_equal(hl_nearest_word("xeon", known, 6), "xeon-2phys-ht");
    assert_null(hl_nearest_word("completely-else", known, 6));
    assert_null(hl_nearest_word("z", known, 6));
    assert_null(hl_nearest_word("", known, 6));
}

static void an_unknown_word_lists_what_there_is(void **state)
{
    static const char *const known[] = {"fifo", "ideal", "o1"};
    const char *many[200];
    struct hl_error err;

    (void)state;
    assert_int_equal(hl_fail_unknown(&err, HL_USAGE, NULL, "policy", "fifi", known, 3), HL_USAGE);
    assert_string_equal(err.text,
                        "unknown policy \"fifi\"; did you mean \"fifo\"? known: fifo, ideal, o1");
    assert_int_equal(hl_fail_unknown(&err, HL_BAD_INPUT, "a.scn:3", "word", "zzz", known, 3),
                     HL_BAD_INPUT);
    assert_string_equal(err.text, "a.scn:3: unknown word \"zzz\"; known: fifo, ideal, o1");
    for (int i = 0; i < 200; i++)
        many[i] = "several";
    assert_int_equal(hl_fail_unknown(&err, HL_USAGE, "", "thing", "q", many, 200), HL_USAGE);
    assert_non_null(strstr(err.text, "several and 1"));
    assert_non_null(strstr(err.text, " more"));
}

static void data_files_are_found_where_the_variable_says(void **state)
{
    char root[] = "/tmp/halfload-data-XXXXXX", path[256], expected[256];
    char **names = NULL;
    struct hl_error err;

    (void)state;
    assert_non_null(mkdtemp(root));
    (void)snprintf(path, sizeof(path),
                   "mkdir %s/machines && cd %s/machines && touch b.json a.json c.txt", root, root);
    assert_int_equal(system(path), 0);
    assert_int_equal(setenv("HALFLOAD_DATA", root, 1), 0);
    assert_int_equal(hl_data_list("machines", ".json", &names, &err), HL_OK);
    assert_string_equal(names[0], "a");
    assert_string_equal(names[1], "b");
    assert_null(names[2]);
    hl_data_list_close(names);
    assert_int_equal(hl_data_path(path, sizeof(path), "machines", "a", ".json", &err), HL_OK);
    (void)snprintf(expected, sizeof(expected), "%s/machines/a.json", root);
    assert_string_equal(path, expected);
    assert_int_equal(hl_data_path(path, sizeof(path), "machines", "../machines/a", ".json", &err),
                     HL_USAGE);
    assert_int_equal(hl_data_path(path, sizeof(path), "machines", "d", ".json", &err), HL_USAGE);
    assert_string_equal(err.text, "unknown machine \"d\"; known: a, b");
    assert_int_equal(hl_data_list("papers", ".json", &names, &err), HL_BAD_INPUT);
    (void)snprintf(path, sizeof(path), "rm -r %s", root);
    assert_int_equal(system(path), 0);
    assert_int_equal(unsetenv("HALFLOAD_DATA"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers_are_read_to_both_ends_of_the_range),
        cmocka_unit_test(whole_numbers_with_rubbish_or_overflow_are_refused),
        cmocka_unit_test(decimals_are_exact_and_round_half_away_from_zero),
        cmocka_unit_test(decimals_with_rubbish_or_overflow_are_refused),
        cmocka_unit_test(numbers_are_the_nearest_doubles),
        cmocka_unit_test(durations_take_a_unit_or_are_nanoseconds),
        cmocka_unit_test(byte_counts_take_powers_of_1024),
        cmocka_unit_test(splitting_keeps_what_a_backslash_protects),
        cmocka_unit_test(a_file_is_read_whole_or_refused_with_its_path),
        cmocka_unit_test(a_failing_allocation_leaves_nothing_behind_when_reading),
        cmocka_unit_test(the_nearest_word_is_near),
        cmocka_unit_test(an_unknown_word_lists_what_there_is),
        cmocka_unit_test(data_files_are_found_where_the_variable_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
