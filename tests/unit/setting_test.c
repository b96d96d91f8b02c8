/* SPDX-License-Identifier: GPL-2.0-or-later */
/* setting_test.c - settings of variants: parsed, refused early, applied to a run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/memory.h"
#include "base/units.h"
#include "host/host.h"
#include "host/words.h"
#include "machine/machine.h"
#include "host_fixture.h"

/* ---- words ---- */

/* The words joined by |. */
static enum hl_status split(const char *text, char joined[256], struct hl_error *err)
{
    char **words = NULL;
    size_t count = 0, capacity = 0, used = 0;
    enum hl_status status = host_words_split(&words, &count, &capacity, text, "prefix", err);

    joined[0] = '\0';
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(joined + used, 256 - used, "%s%s", i > 0 ? "|" : "", words[i]);
    if (status == HL_OK)
        assert_null(words[count]);
    host_words_free(words, count);
    return status;
}

static void words_are_split_as_a_shell_splits_them(void **state)
{
    static const char *const cases[][2] = {
        {"", ""},
        {"  ", ""},
        {"taskset -c 0", "taskset|-c|0"},
        {"\tsetarch  -R ", "setarch|-R"},
        {"sh -c 'a \"$b\" \\ c'", "sh|-c|a \"$b\" \\ c"},
        {"a\"b 'c' \"d", "ab 'c' d"},
        {"\"a\\\"b\\\\c\\d\"", "a\"b\\c\\d"},
        {"a\\ b \\$c \\'", "a b|$c|'"},
        {"'' x \"\"", "|x|"},
        {"it''s 'don'\\''t'", "its|don't"},
        {"a#b a~ LANG=C", "a#b|a~|LANG=C"},
        {"grüße 'ü ü'", "grüße|ü ü"},
    };
    char joined[256];

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(cases); i++) {
        struct hl_error err = {0};

        assert_int_equal(split(cases[i][0], joined, &err), HL_OK);
        assert_string_equal(joined, cases[i][1]);
    }
}

static void what_only_a_shell_can_do_is_refused(void **state)
{
    static const char *const cases[] = {
        "a $b",   "a `b`",   "a | b", "a & b", "a; b", "a > b",   "a < b",
        "(a)",    "a *",     "a?",    "a [b]", "a #b", "~/bin/a", "a\nb",
        "\"$a\"", "\"`a`\"", "'a",    "\"a",   "a\\",  "'a\"",    "\"a\\\"",
    };
    char joined[256];

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(cases); i++) {
        struct hl_error err = {0};

        assert_int_equal(split(cases[i], joined, &err), HL_USAGE);
        assert_non_null(strstr(err.text, "prefix is \""));
        assert_null(strchr(err.text, err.text[0] == '\n' ? 'p' : '\r'));
    }
}

static void every_failing_allocation_of_a_setting_is_a_status(void **state)
{
    enum hl_status status = HL_NO_MEMORY;

    (void)state;
    for (uint64_t n = 1; status != HL_OK && n < 100; n++) {
        struct host_setting setting = {0};
        struct hl_error err = {0};

        hl_alloc_fail_at(n);
        status = host_setting_parse(&setting, "prefix", "a 'b c' d", &err);
        if (status == HL_OK)
            status = host_setting_parse(&setting, "env", "A:b", &err);
        hl_alloc_fail_at(0);
        host_setting_close(&setting);
        assert_true(status == HL_OK || status == HL_NO_MEMORY);
    }
    assert_int_equal(status, HL_OK);
}

/* ---- parsing ---- */

static enum hl_status parse(const char *key, const char *value, struct hl_error *err)
{
    struct host_setting setting = {0};
    enum hl_status status = host_setting_parse(&setting, key, value, err);

    host_setting_close(&setting);
    return status;
}

static void good_values_are_taken(void **state)
{
    struct host_setting setting = {0};
    struct hl_error err = {0};

    (void)state;
    assert_int_equal(host_setting_parse(&setting, "cpus", "0+2-3", &err), HL_OK);
    assert_int_equal(machine_cpu_set_count(&setting.cpus), 3);
    assert_true(machine_cpu_set_has(&setting.cpus, 3));
    assert_int_equal(host_setting_parse(&setting, "nice", "-20", &err), HL_OK);
    assert_int_equal(setting.nice, -20);
    assert_int_equal(host_setting_parse(&setting, "class", "batch", &err), HL_OK);
    assert_int_equal(setting.class, SCHED_BATCH);
    assert_int_equal(host_setting_parse(&setting, "env", "A:b:c=d", &err), HL_OK);
    assert_int_equal(host_setting_parse(&setting, "env", "AB:", &err), HL_OK);
    assert_int_equal(host_setting_parse(&setting, "env", "ABC", &err), HL_OK);
    assert_string_equal(setting.environment[0], "A=b:c=d");
    assert_string_equal(setting.environment[1], "AB=");
    assert_string_equal(setting.environment[2], "ABC");
    assert_int_equal(host_setting_parse(&setting, "prefix", "", &err), HL_OK);
    assert_int_equal(setting.prefix_count, 0);
    assert_int_equal(host_setting_parse(&setting, "nice", "1", &err), HL_USAGE);
    assert_int_equal(host_setting_parse(&setting, "env", "A:x", &err), HL_USAGE);
    assert_string_equal(err.text, "env of A is given twice");
    host_setting_close(&setting);
}

static void bad_values_are_named(void **state)
{
    static const char *const cases[][2] = {
        {"cpus", ""},        {"cpus", "a"},    {"cpus", "0,1"},
        {"cpus", "0+"},      {"cpus", "3-1"},  {"cpus", "99999"},
        {"cpus", "-1"},      {"cpus", " 0"},   {"nice", ""},
        {"nice", "20"},      {"nice", "-21"},  {"nice", "1x"},
        {"class", "rr"},     {"class", ""},    {"env", ""},
        {"env", ":x"},       {"env", "A=b:c"}, {"env", "HALFLOAD_SESSION:x"},
        {"prefix", "a | b"}, {"prefix", "'"},
    };
    struct hl_error err = {0};

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(cases); i++) {
        assert_int_equal(parse(cases[i][0], cases[i][1], &err), HL_USAGE);
        assert_int_equal(strncmp(err.text, cases[i][0], strlen(cases[i][0])), 0);
    }
    assert_int_equal(parse("cpu", "0", &err), HL_USAGE);
    assert_non_null(strstr(err.text, "did you mean \"cpus\"?"));
}

/* ---- checking ---- */

static void a_cpu_that_is_not_there_is_named_beside_the_allowed_ones(void **state)
{
    struct host_setting setting = {0};
    struct machine_host_cpus host;
    struct hl_error err = {0};
    char allowed[256];

    (void)state;
    assert_int_equal(machine_host_cpus_read(&host, &err), HL_OK);
    machine_cpu_list_print(&host.allowed, allowed, sizeof(allowed));
    assert_int_equal(host_setting_parse(&setting, "cpus", "8000+0", &err), HL_OK);
    assert_int_equal(host_setting_check(&setting, &err), HL_UNSUPPORTED);
    assert_non_null(strstr(err.text, "8000 is not online"));
    assert_non_null(strstr(err.text, allowed));
    host_setting_close(&setting);
}

/* Calls `child` in a process of its own; its exit status. */
static int in_a_process(int (*child)(void))
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0)
        _exit(child());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int refuse_a_cpu_beyond_the_affinity(void)
{
    struct host_setting one = {0}, two = {0};
    struct machine_host_cpus host;
    struct hl_error err = {0};
    int count = 0;

    if (machine_host_cpus_read(&host, &err) != HL_OK || host.allowed_count < 2)
        return 77;
    two.has_cpus = one.has_cpus = true;
    two.cpus = host.allowed;
    for (int cpu = 0; machine_cpu_set_count(&one.cpus) == 0; cpu++)
        if (machine_cpu_set_has(&host.allowed, cpu))
            machine_cpu_set_add(&one.cpus, cpu);
    if (host_setting_cpus(&one, &count, &err) != HL_OK || count != 1)
        return 1;
    if (host_setting_check(&two, &err) != HL_OK || host_setting_apply(&one) != NULL)
        return 2;
    if (host_setting_check(&two, &err) != HL_NOT_PERMITTED ||
        strstr(err.text, "is not allowed to this process") == NULL)
        return 3;
    return host_setting_check(&one, &err) == HL_OK ? 0 : 4;
}

static void a_cpu_beyond_the_own_affinity_is_refused(void **state)
{
    int status = in_a_process(refuse_a_cpu_beyond_the_affinity);

    (void)state;
    if (status == 77)
        skip();
    assert_int_equal(status, 0);
}

static int refuse_a_negative_nice(void)
{
    const struct rlimit none = {0, 0};
    struct host_setting setting = {.has_nice = true, .nice = -5};
    struct hl_error err = {0};

    if (setrlimit(RLIMIT_NICE, &none) != 0 || (geteuid() == 0 && setuid(65534) != 0))
        return 1;
    if (host_setting_check(&setting, &err) != HL_NOT_PERMITTED)
        return 2;
    setting.nice = 19;
    if (host_setting_check(&setting, &err) != HL_OK)
        return 3;
    return strstr(err.text, "nice=-5 is not permitted: this process may not go below nice") !=
                       NULL &&
                   strstr(err.text, "ulimit -e 25") != NULL
               ? 0
               : 4;
}

static void a_negative_nice_without_the_right_is_refused(void **state)
{
    (void)state;
    assert_int_equal(in_a_process(refuse_a_negative_nice), 0);
}

static void a_prefix_that_is_no_program_is_refused(void **state)
{
    struct host_setting setting = {0};
    struct hl_error err = {0};

    (void)state;
    assert_int_equal(host_setting_parse(&setting, "prefix", "no-such-program -x", &err), HL_OK);
    assert_int_equal(host_setting_check(&setting, &err), HL_UNSUPPORTED);
    assert_non_null(strstr(err.text, "found no program `no-such-program`"));
    host_setting_close(&setting);
}

/* ---- applied ---- */

static void read_result(const char *name, char text[256])
{
    char path[PATH_MAX];
    FILE *file;
    size_t bytes;

    (void)snprintf(path, sizeof(path), "%s/%s", fixture.top, name);
    file = fopen(path, "re");
    assert_non_null(file);
    bytes = fread(text, 1, 255, file);
    text[bytes] = '\0';
    (void)fclose(file);
}

static void a_setting_reaches_the_build_and_not_this_process(void **state)
{
    const struct host_work_options options = {
        .workload = "kernbench", .build.tree = fixture.tree, .work_dir = fixture.work};
    static const char *const keys[][2] = {
        {"nice", "7"},
        {"class", "idle"},
        {"env", "COLOUR:dark grey"},
        {"env", "GONE"},
        {"prefix", "env 'PREFIXED=a b'"},
    };
    struct host_setting setting = {0};
    struct machine_host_cpus host;
    struct host_work *work = NULL;
    struct hl_error err = {0};
    struct run run;
    char value[16], expected[256], got[256];
    int cpu = 0;

    (void)state;
    assert_int_equal(setenv("GONE", "still here", 1), 0);
    fixture_write("Makefile", "all:\n"
                              "\t{ grep Cpus_allowed_list /proc/self/status | cut -f2; \\\n"
                              "\tcut -d' ' -f19,41 /proc/self/stat; \\\n"
                              "\techo \"$$COLOUR|$${GONE-none}|$$PREFIXED\"; } > \"$$TOP/got\"\n"
                              "clean:\n");
    assert_int_equal(machine_host_cpus_read(&host, &err), HL_OK);
    while (!machine_cpu_set_has(&host.allowed, cpu))
        cpu++;
    (void)snprintf(value, sizeof(value), "%d", cpu);
    assert_int_equal(host_setting_parse(&setting, "cpus", value, &err), HL_OK);
    for (int i = 0; i < HL_COUNT_OF(keys); i++)
        assert_int_equal(host_setting_parse(&setting, keys[i][0], keys[i][1], &err), HL_OK);
    assert_int_equal(host_setting_check(&setting, &err), HL_OK);
    assert_int_equal(host_work_open(&work, &options, &err), HL_OK);
    assert_int_equal(host_work_run(work, 1, &setting, &run, &err), HL_OK);
    assert_string_equal(run.note, "");
    assert_int_equal(run.status, RUN_OK);
    read_result("got", got);
    (void)snprintf(expected, sizeof(expected), "%d\n7 %d\ndark grey|none|a b\n", cpu, SCHED_IDLE);
    assert_string_equal(got, expected);
    /* The next run without it is as it was. */
    assert_int_equal(host_work_run(work, 1, NULL, &run, &err), HL_OK);
    read_result("got", got);
    assert_non_null(strstr(got, "|still here|\n"));
    assert_int_equal(sched_getscheduler(0), SCHED_OTHER);
    host_work_close(work);
    host_setting_close(&setting);
}

static void a_workload_that_is_not_measured_is_unsupported(void **state)
{
    const struct host_work_options options = {.workload = "nonesuch"};
    struct host_work *work;
    struct hl_error err = {0};

    (void)state;
    assert_int_equal(host_work_open(&work, &options, &err), HL_UNSUPPORTED);
    assert_null(work);
    host_work_close(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_split_as_a_shell_splits_them),
        cmocka_unit_test(what_only_a_shell_can_do_is_refused),
        cmocka_unit_test(every_failing_allocation_of_a_setting_is_a_status),
        cmocka_unit_test(good_values_are_taken),
        cmocka_unit_test(bad_values_are_named),
        cmocka_unit_test(a_cpu_that_is_not_there_is_named_beside_the_allowed_ones),
        cmocka_unit_test(a_cpu_beyond_the_own_affinity_is_refused),
        cmocka_unit_test(a_negative_nice_without_the_right_is_refused),
        cmocka_unit_test(a_prefix_that_is_no_program_is_refused),
        cmocka_unit_test_setup_teardown(a_setting_reaches_the_build_and_not_this_process,
                                        fixture_set_up, fixture_tear_down),
        cmocka_unit_test(a_workload_that_is_not_measured_is_unsupported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
