/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fingerprint_test.c - machine and kernel as pairs of text, from system trees: whole, damaged, empty
 * and forbidden files.
 */
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/memory.h"
#include "host/fingerprint.h"
#include "system_tree.h"

static char *taken;
static json_t *print;
static struct hl_error err;

static void forget(void)
{
    hl_free(taken);
    json_decref(print);
    taken = NULL;
    print = NULL;
}

static void take(void)
{
    forget();
    if (host_fingerprint_take(&taken, &err) != HL_OK)
        fail_msg("%s", err.text);
    print = json_loads(taken, 0, NULL);
    assert_non_null(print);
}

static int open_whole(void **state)
{
    int failed = system_tree_open(state);

    system_tree_unpack("whole");
    return failed;
}

static int close_tree(void **state)
{
    forget();
    return system_tree_close(state);
}

static void has_in(const char *part, const char *key, const char *expected)
{
    const char *value = json_string_value(json_object_get(json_object_get(print, part), key));

    if (value == NULL || strcmp(value, expected) != 0)
        fail_msg("%s is \"%s\", not \"%s\"", key, value == NULL ? "absent" : value, expected);
}

static void has(const char *key, const char *expected)
{
    has_in("must_match", key, expected);
}

static void a_whole_machine_has_every_key(void **state)
{
    (void)state;
    take();
    has("cpu_model", "Example CPU 4 @ 2.00GHz");
    has("microcode", "0xf4");
    has("topology", "4 cpus, 2 cores, 1 package, 1 node, 1 last-level cache");
    has("smt", "on");
    has("governor", "performance, powersave");
    has("turbo", "off");
    has("cpu_quota", "2.5");
    has("kernel", "6.12.9");
    has("scheduler", "sched_ext simple_1.0");
    has("class", "batch, nice 10");
    has("debugfs sched/base_slice_ns", "2800000");
    has_in("informational", "cgroup", "v2");
    has_in("informational", "boot_id", "0f0f0f0f-1111-2222-3333-444444444444");
    assert_null(strstr(taken, "watchdog"));
    assert_null(strstr(taken, "Sched Debug Version"));
}

static void a_bare_machine_says_what_is_not_known(void **state)
{
    (void)state;
    system_tree_write("/sys/devices/system/cpu/online", "0-1\n");
    take();
    has("cpu_model", "unknown: not there");
    has("microcode", "unknown: not there");
    has("memory", "unknown: not there");
    has("kernel", "unknown: not there");
    has("kernel_config", "unknown: not there");
    has("class", "unknown: not there");
    has("governor", "none");
    has("turbo", "unknown: not there");
    has("scheduler", "the kernel's own");
    has("kernel.sched_*", "unknown: not there");
    has("debugfs sched/*", "unknown: not there");
    has_in("informational", "cgroup", "none");
    has_in("informational", "make", "unknown: a recorded machine");
}

static void damaged_files_are_unknown(void **state)
{
    (void)state;
    system_tree_write("/proc/cpuinfo", "model name\nmicrocode:\n: x\n\nmodel name");
    system_tree_write("/proc/meminfo", "MemTotal: lots\nMemTotal");
    system_tree_write("/proc/self/stat", "77 (half) R 1 77");
    system_tree_write("/proc/sys/kernel/osrelease", "");
    system_tree_write("/sys/devices/system/cpu/smt/control", "\n\n");
    take();
    has("cpu_model", "unknown: /proc/cpuinfo names none");
    has("microcode", "unknown: /proc/cpuinfo names none");
    has("memory", "unknown: /proc/meminfo has no MemTotal");
    has("class", "unknown: /proc/self/stat is not as expected");
    has("kernel", "unknown: an empty file");
    has("smt", "unknown: an empty file");
    system_tree_write("/proc/self/stat", "77 half R 1 77");
    take();
    has("class", "unknown: /proc/self/stat is not as expected");
}

static void a_machine_of_several_kinds_of_cpus_names_each_once(void **state)
{
    (void)state;
    system_tree_write("/proc/cpuinfo",
                      "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd05\n\n"
                      "processor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd05\n\n"
                      "processor\t: 2\nCPU implementer\t: 0x41\nCPU part\t: 0xd0\n");
    take();
    has("cpu_model", "0xd05, 0xd0 of 0x41");
}

static void turbo_is_on_where_boost_is(void **state)
{
    (void)state;
    system_tree_remove("/sys/devices/system/cpu/intel_pstate");
    system_tree_write("/sys/devices/system/cpu/cpufreq/boost", "1\n");
    take();
    has("turbo", "on");
}

static void what_may_not_be_read_says_so(void **state)
{
    (void)state;
    system_tree_forbid("/proc/cpuinfo");
    system_tree_forbid("/sys/kernel/debug/sched/base_slice_ns");
    system_tree_forbid("/boot/config-6.12.9");
    system_tree_forbid("/proc/sys/kernel/sched_autogroup_enabled");
    if (geteuid() == 0)
        assert_int_equal(seteuid(65534), 0);
    take();
    if (getuid() == 0)
        assert_int_equal(seteuid(0), 0);
    has("cpu_model", "unknown: not permitted");
    has("kernel_config", "unknown: not permitted");
    has("kernel.sched_autogroup_enabled", "unknown: not permitted");
    has("debugfs sched/base_slice_ns", "unknown: not permitted");
    has("debugfs sched/features", "PLACE_LAG RUN_TO_PARITY NO_NEXT_BUDDY");
    system_tree_forbid("/sys/kernel/debug");
    if (geteuid() == 0)
        assert_int_equal(seteuid(65534), 0);
    take();
    if (getuid() == 0)
        assert_int_equal(seteuid(0), 0);
    has("debugfs sched/*", "unknown: not permitted");
    assert_int_equal(0, close_tree(state));
    assert_int_equal(0, open_whole(state));
}

static void a_machine_without_cpus_is_none(void **state)
{
    (void)state;
    assert_int_equal(host_fingerprint_take(&taken, &err), HL_UNSUPPORTED);
    assert_null(taken);
}

static void a_long_value_is_cut(void **state)
{
    static char line[5000];

    (void)state;
    memset(line, 'x', sizeof(line) - 1);
    system_tree_write("/proc/cmdline", line);
    take();
    assert_int_equal(json_string_length(json_object_get(json_object_get(print, "must_match"),
                                                        "kernel_command_line")),
                     1023);
}

static void add_pair(const char *key, const char *was, const char *is, void *context)
{
    char *text = context;

    (void)sprintf(text + strlen(text), "%s:%s:%s ", key, was == NULL ? "-" : was,
                  is == NULL ? "-" : is);
}

static void only_what_must_match_is_compared(void **state)
{
    char text[200] = "";

    (void)state;
    host_fingerprint_compare(
        "{\"must_match\":{\"a\":\"1\",\"b\":\"2\",\"c\":\"3\"},\"informational\":{\"i\":\"1\"}}",
        "{\"must_match\":{\"d\":\"4\",\"a\":\"1\",\"b\":\"5\"},\"informational\":{\"i\":\"2\"}}",
        add_pair, text);
    assert_string_equal(text, "b:2:5 c:3:- d:-:4 ");
}

static void texts_that_are_no_fingerprints_have_no_keys(void **state)
{
    static const char *const texts[] = {
        "", "{", "[]", "{}", "{\"must_match\":7}", "{\"must_match\":{\"a\":7}}"};
    char text[200] = "";

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        host_fingerprint_compare(texts[i], texts[i], add_pair, text);
    assert_string_equal(text, "");
}

#define TEST(name, open) cmocka_unit_test_setup_teardown(name, open, close_tree)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_whole_machine_has_every_key, open_whole),
        TEST(a_bare_machine_says_what_is_not_known, system_tree_open),
        TEST(damaged_files_are_unknown, open_whole),
        TEST(a_machine_of_several_kinds_of_cpus_names_each_once, open_whole),
        TEST(turbo_is_on_where_boost_is, open_whole),
        TEST(what_may_not_be_read_says_so, open_whole),
        TEST(a_machine_without_cpus_is_none, system_tree_open),
        TEST(a_long_value_is_cut, open_whole),
        cmocka_unit_test(only_what_must_match_is_compared),
        cmocka_unit_test(texts_that_are_no_fingerprints_have_no_keys),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
