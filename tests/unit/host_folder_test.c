/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_folder_test.c - copies that are equal, links that keep their meaning, the reason in a log.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/interrupt.h"
#include "base/units.h"
#include "host/build_log.h"
#include "host/folder.h"
#include "host_fixture.h"

static char copy[PATH_MAX];

static int open_fixture(void **state)
{
    assert_int_equal(fixture_set_up(state), 0);
    (void)snprintf(copy, sizeof(copy), "%s/cöpy", fixture.top);
    return mkdir(copy, 0700);
}

static int close_fixture(void **state)
{
    return fixture_tear_down(state);
}

static const char *in_copy(const char *name)
{
    static char path[PATH_MAX];

    assert_true(snprintf(path, sizeof(path), "%s/%s", copy, name) < (int)sizeof(path));
    return path;
}

static const char *in_tree(const char *name)
{
    static char path[PATH_MAX];

    assert_true(snprintf(path, sizeof(path), "%s/%s", fixture.tree, name) < (int)sizeof(path));
    return path;
}

static void a_copy_has_times_modes_and_odd_names(void **state)
{
    struct stat from, to;
    struct hl_error err = {0};

    (void)state;
    fixture_write("süb/a b\tc\n$(d)", "text");
    assert_int_equal(chmod(in_tree("süb/a b\tc\n$(d)"), 0540), 0);
    assert_int_equal(chmod(in_tree("süb"), 0550), 0);
    assert_int_equal(host_folder_mirror(fixture.tree, copy, NULL, &err), HL_OK);
    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? "süb/a b\tc\n$(d)" : "süb";

        assert_int_equal(lstat(in_tree(name), &from), 0);
        assert_int_equal(lstat(in_copy(name), &to), 0);
        assert_int_equal(from.st_mode, to.st_mode);
        assert_true(from.st_mtim.tv_sec == to.st_mtim.tv_sec);
        assert_true(from.st_mtim.tv_nsec == to.st_mtim.tv_nsec);
    }
}

static void what_is_equal_is_not_written_again(void **state)
{
    struct stat before, after;
    struct hl_error err = {0};

    (void)state;
    fixture_write("same", "text");
    fixture_write("changed", "text");
    assert_int_equal(host_folder_mirror(fixture.tree, copy, NULL, &err), HL_OK);
    assert_int_equal(lstat(in_copy("same"), &before), 0);
    fixture_write("changed", "tixt");
    assert_int_equal(host_folder_mirror(fixture.tree, copy, NULL, &err), HL_OK);
    assert_int_equal(lstat(in_copy("same"), &after), 0);
    assert_true(before.st_ino == after.st_ino);
    assert_true(before.st_ctim.tv_nsec == after.st_ctim.tv_nsec);
}

static void links_keep_their_meaning(void **state)
{
    char target[PATH_MAX], expected[PATH_MAX];
    const struct host_mirror_options options = {.real_from = fixture.tree, .real_to = copy};
    struct hl_error err = {0};
    struct {
        const char *name, *target;
        char expected[PATH_MAX];
    } links[] = {
        {"inside", "süb/file", "süb/file"}, {"süb/up", "../süb/file", "../süb/file"},
        {"out", "../elsewhere", ""},        {"süb/out", "../../elsewhere", ""},
        {"system", "/bin/sh", "/bin/sh"},   {"absolute", in_tree("süb/file"), ""},
    };

    (void)state;
    (void)snprintf(target, sizeof(target), "%s", in_tree("süb/file"));
    links[5].target = target;
    (void)snprintf(links[2].expected, PATH_MAX, "%s//../elsewhere", fixture.tree);
    (void)snprintf(links[3].expected, PATH_MAX, "%s/süb/../../elsewhere", fixture.tree);
    (void)snprintf(links[5].expected, PATH_MAX, "%s", in_copy("süb/file"));
    fixture_write("süb/file", "");
    for (int i = 0; i < HL_COUNT_OF(links); i++)
        assert_int_equal(symlink(links[i].target, in_tree(links[i].name)), 0);
    /* Twice: the second must see that they are right already. */
    for (int i = 0; i < 2; i++)
        assert_int_equal(host_folder_mirror(fixture.tree, copy, &options, &err), HL_OK);
    for (int i = 0; i < HL_COUNT_OF(links); i++) {
        ssize_t length = readlink(in_copy(links[i].name), expected, sizeof(expected) - 1);

        assert_true(length > 0);
        expected[length] = '\0';
        assert_string_equal(expected, links[i].expected);
    }
}

static void removing_does_not_follow_links(void **state)
{
    struct hl_error err = {0};

    (void)state;
    fixture_write("kept", "");
    assert_int_equal(symlink(fixture.tree, in_copy("link")), 0);
    assert_int_equal(host_folder_remove(copy, &err), HL_OK);
    assert_true(fixture_has("kept"));
    assert_int_equal(host_folder_remove(copy, &err), HL_OK);
}

static void what_cannot_be_read_is_named(void **state)
{
    struct hl_error err = {0};

    (void)state;
    assert_int_equal(host_folder_mirror("/no/such", copy, NULL, &err), HL_NOT_PERMITTED);
    assert_string_equal(err.text, "/no/such: No such file or directory");
}

static void an_interrupt_stops_a_copy(void **state)
{
    struct hl_error err = {0};

    (void)state;
    fixture_write("file", "");
    hl_interrupt_set(true);
    assert_int_equal(host_folder_mirror(fixture.tree, copy, NULL, &err), HL_INTERRUPTED);
    hl_interrupt_set(false);
}

static void expect_reason(const char *log, const char *expected)
{
    char line[64];

    fixture_write("log", log);
    host_log_reason(in_tree("log"), line, sizeof(line));
    assert_string_equal(line, expected);
}

static void the_first_error_is_the_reason_not_the_last_line(void **state)
{
    char line[64];

    (void)state;
    expect_reason(
        "cc -c a.c\nb.c:2: warning: unused\n\ta.c:1:2: error: no 'x'\nc.c:9: error: later\n"
        "make: *** [Makefile:2: a.o] Error 1\n",
        "a.c:1:2: error: no 'x'");
    expect_reason("m.o: in function `main':\nm.c:(.text+0x5): undefined reference to `f'\n"
                  "collect2: error: ld returned 1 exit status\nmake: *** [Makefile:3: p] Error 1\n",
                  "m.c:(.text+0x5): undefined reference to `f'");
    expect_reason("make: *** No rule to make target 'x'.  Stop.\n",
                  "make: *** No rule to make target 'x'.  Stop.");
    expect_reason(
        "false\nmake[1]: *** [Makefile:2: all] Error 1\nmake: *** [Makefile:9: sub] Error 2\n",
        "make[1]: *** [Makefile:2: all] Error 1");
    expect_reason("make: nocc: Permission denied\nmake: *** [Makefile:4: main.o] Error 127\n",
                  "make: nocc: Permission denied");
    expect_reason("one\ntwo\n\n", "two");
    expect_reason("", "");
    expect_reason("\033[01m\033[Ka.c:1: \033[31merror:\033[0m bad\r\n", "a.c:1: error: bad");
    expect_reason("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaéé\n",
                  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    host_log_reason("/no/such/log", line, sizeof(line));
    assert_string_equal(line, "");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)
    const struct CMUnitTest tests[] = {
        TEST(a_copy_has_times_modes_and_odd_names),
        TEST(what_is_equal_is_not_written_again),
        TEST(links_keep_their_meaning),
        TEST(removing_does_not_follow_links),
        TEST(what_cannot_be_read_is_named),
        TEST(an_interrupt_stops_a_copy),
        TEST(the_first_error_is_the_reason_not_the_last_line),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
