/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftrace_text_test.c - scheduling events from text: the forms, awkward names, damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "trace/ftrace_text.h"

enum { EVENTS_MAX = 16 };

struct reading {
    struct trace_text text; /* counts stay after closing */
    struct trace_text_event events[EVENTS_MAX];
    int count;
};

static struct reading read_bytes(const char *bytes, size_t length)
{
    struct reading r = {0};
    struct hl_error err;
    FILE *file = fmemopen((void *)(uintptr_t)bytes, length, "r");
    bool more = true;

    assert_non_null(file);
    if (trace_text_open_stream(&r.text, "test", file, &err) != HL_OK)
        fail_msg("%s", err.text);
    while (more) {
        struct trace_text_event event = {0};

        if (trace_text_next(&r.text, &event, &more, &err) != HL_OK)
            fail_msg("%s", err.text);
        if (more) {
            assert_true(r.count < EVENTS_MAX);
            r.events[r.count++] = event;
        }
    }
    {
        struct trace_text counts = r.text;

        trace_text_close(&r.text);
        counts.path = NULL;
        counts.file = NULL;
        counts.buffer = NULL;
        r.text = counts;
    }
    return r;
}

static struct reading read_text(const char *text)
{
    return read_bytes(text, strlen(text));
}

static void the_forms_of_a_switch_say_the_same(void **state)
{
    static const char *const forms[] = {
        "     cc1  1234 [001]   123.456789: sched:sched_switch: prev_comm=cc1 prev_pid=1234 "
        "prev_prio=120 prev_state=D ==> next_comm=as next_pid=77 next_prio=120\n",
        "     cc1  1234/1234  [001]   123.456789000:  sched:sched_switch: prev_comm=cc1 "
        "prev_pid=1234 prev_prio=120 prev_state=D ==> next_comm=as next_pid=77 next_prio=120",
        "     cc1  1234 [001]   123.456789: sched:sched_switch: cc1:1234 [120] D ==> as:77 [120]\n",
        "             cc1-1234    [001] d..2.   123.456789: sched_switch: prev_comm=cc1 "
        "prev_pid=1234 prev_prio=120 prev_state=D ==> next_comm=as next_pid=77 next_prio=120\n",
        "             cc1-1234    (   1200) [001] 123.456789: sched_switch:         "
        "cc1:1234 [120] D ==> as:77 [120]\r\n",
        "             cc1-1234    [001] 1234.   123.456789: sched_switch: prev_comm=cc1 "
        "prev_pid=1234 prev_prio=-1 prev_state=D|K ==> next_comm=as next_pid=77 next_prio=-1 \n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        struct reading r = read_text(forms[i]);

        assert_int_equal(r.count, 1);
        assert_int_equal(r.text.unread_count, 0);
        assert_int_equal(r.events[0].kind, TRACE_TEXT_SWITCH);
        assert_int_equal(r.events[0].at_ns, 123456789 * HL_NS_PER_US);
        assert_int_equal(r.events[0].cpu, 1);
        assert_int_equal(r.events[0].state, TRACE_UNINTERRUPTIBLE);
        assert_int_equal(r.events[0].task.pid, 1234);
        assert_string_equal(r.events[0].task.name, "cc1");
        assert_int_equal(r.events[0].other.pid, 77);
        assert_string_equal(r.events[0].other.name, "as");
    }
}

static void states_are_told_apart(void **state)
{
    static const struct {
        const char *text;
        enum trace_state state;
    } cases[] = {{"R", TRACE_RUNNABLE}, {"R+", TRACE_RUNNABLE},       {"S", TRACE_SLEEPING},
                 {"I", TRACE_SLEEPING}, {"D", TRACE_UNINTERRUPTIBLE}, {"X", TRACE_DEAD},
                 {"Z", TRACE_DEAD},     {"Z|0x80", TRACE_DEAD}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char line[256];
        struct reading r;

        (void)snprintf(line, sizeof(line),
                       "a 1 [000] 1.5: sched:sched_switch: prev_comm=a prev_pid=1 prev_prio=120 "
                       "prev_state=%s ==> next_comm=b next_pid=2 next_prio=120\n",
                       cases[i].text);
        r = read_text(line);
        assert_int_equal(r.count, 1);
        assert_int_equal(r.events[0].state, cases[i].state);
    }
}

static void other_events_are_read(void **state)
{
    struct reading r = read_text(
        "make 10 [000] 1.000001: sched:sched_process_fork: comm=make pid=10 child_comm=make "
        "child_pid=11\n"
        "make 11 [000] 1.000002: sched:sched_process_exec: filename=/usr/lib/gcc/a-very-long-name-"
        "of-a-program pid=11 old_pid=11\n"
        "make 10 [000] 1.000003: sched:sched_waking: comm=make pid=11 prio=120 target_cpu=001\n"
        "make 10 [000] 1.000004: sched:sched_wakeup: make:11 [120] success=1 CPU:001\n"
        "make 10 [000] 1.000005: sched:sched_wakeup_new: comm=make pid=11 prio=120 success=1 "
        "target_cpu=001\n"
        "sh 11 [000] 1.000006: sched:sched_process_exit: comm=sh pid=11 prio=120\n"
        "sh 11 [000] 1.000007: sched:sched_process_exit: comm=sh pid=11 prio=120 group_dead=true\n"
        "sh 11 [000] 1.000008: sched:sched_stat_runtime: comm=sh pid=11 runtime=5 [ns]\n"
        "sh 11 [000] 1.000009: probe:something:\n");

    (void)state;
    assert_int_equal(r.count, 7);
    assert_int_equal(r.text.other_count, 2);
    assert_int_equal(r.text.unread_count, 0);
    assert_int_equal(r.events[0].kind, TRACE_TEXT_FORK);
    assert_int_equal(r.events[0].task.pid, 10);
    assert_int_equal(r.events[0].other.pid, 11);
    assert_int_equal(r.events[1].kind, TRACE_TEXT_EXEC);
    assert_string_equal(r.events[1].task.name, "a-very-long-nam");
    for (int i = 2; i < 5; i++) {
        assert_int_equal(r.events[i].kind, TRACE_TEXT_WAKE);
        assert_int_equal(r.events[i].task.pid, 11);
    }
    assert_int_equal(r.events[5].kind, TRACE_TEXT_EXIT);
    assert_int_equal(r.events[6].kind, TRACE_TEXT_EXIT);
}

static void awkward_names_do_not_hide_pids(void **state)
{
    static const char *const names[] = {"a b:12 ==>",       "x]=[ 7",          "exactly-15-byte",
                                        "\xff\xfe caf\xe9", " ==> next_comm=", "x prev_pid=9 y",
                                        "[001] 1.0: x:",    "a:1 [120] S ==>", ""};

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char line[512];
        struct reading r;

        (void)snprintf(line, sizeof(line),
                       "%s 40 [002] 7.25: sched:sched_switch: prev_comm=%s prev_pid=40 "
                       "prev_prio=120 prev_state=S ==> next_comm=%s next_pid=41 next_prio=98\n"
                       "%s 40 [002] 7.25: sched:sched_process_fork: comm=%s pid=40 child_comm=%s "
                       "child_pid=42\n"
                       "%s 40 [002] 7.25: sched:sched_waking: comm=%s pid=40 prio=120 "
                       "target_cpu=002\n",
                       names[i], names[i], names[i], names[i], names[i], names[i], names[i],
                       names[i]);
        r = read_text(line);
        assert_int_equal(r.count, 3);
        assert_int_equal(r.events[0].cpu, 2);
        assert_int_equal(r.events[0].task.pid, 40);
        assert_int_equal(r.events[0].other.pid, 41);
        assert_string_equal(r.events[0].task.name, names[i]);
        assert_string_equal(r.events[0].other.name, names[i]);
        assert_int_equal(r.events[1].other.pid, 42);
        assert_int_equal(r.events[2].task.pid, 40);
        assert_string_equal(r.events[2].task.name, names[i]);
    }
}

static void a_line_break_in_a_name_is_counted(void **state)
{
    struct reading r =
        read_text("a 1 [000] 1.0: sched:sched_switch: prev_comm=new\n"
                  "line prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 "
                  "next_prio=120\n"
                  "b 2 [000] 1.1: sched:sched_switch: prev_comm=b prev_pid=2 prev_prio=120 "
                  "prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120\n");

    (void)state;
    assert_int_equal(r.count, 1);
    assert_int_equal(r.events[0].task.pid, 2);
    assert_int_equal(r.text.unread_count, 2);
    assert_int_equal(r.text.unread_first, 1);
}

static void lost_events_are_told(void **state)
{
    struct reading r =
        read_text("a 1 [000] 1.5: sched:sched_waking: comm=a pid=2 prio=120 target_cpu=000\n"
                  "CPU:3 [LOST 1500 EVENTS]\n"
                  "CPU:4 [12 EVENTS DROPPED]\n"
                  "CPU:5 [EVENTS DROPPED]\n"
                  "a 1 [002] 1.6: PERF_RECORD_LOST lost 70\n");
    static const struct {
        int32_t cpu;
        int64_t lost;
    } expected[] = {{3, 1500}, {4, 12}, {5, 0}, {2, 70}};

    (void)state;
    assert_int_equal(r.count, 5);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(r.events[1 + i].kind, TRACE_TEXT_LOST);
        assert_int_equal(r.events[1 + i].cpu, expected[i].cpu);
        assert_int_equal(r.events[1 + i].lost, expected[i].lost);
        assert_int_equal(r.events[1 + i].at_ns, 1500 * HL_NS_PER_MS);
    }
}

static void steps_back_in_time_are_counted(void **state)
{
    struct reading r =
        read_text("a 1 [000] 1.000003: sched:sched_waking: comm=a pid=2 prio=120 target_cpu=000\n"
                  "a 1 [001] 1.000001: sched:sched_waking: comm=a pid=2 prio=120 target_cpu=000\n"
                  "a 1 [001] 1.000001: sched:sched_waking: comm=a pid=2 prio=120 target_cpu=000\n");

    (void)state;
    assert_int_equal(r.count, 3);
    assert_int_equal(r.text.backward_count, 1);
    assert_int_equal(r.text.backward_most_ns, 2000);
}

static void what_is_no_event_is_passed_over(void **state)
{
    struct reading r = read_text("# tracer: nop\n#\n\n   \n"
                                 "cpus=2\nversion = 6\nCPU 1 is empty\n"
                                 "\tffffffff81234567 schedule+0x0 ([kernel.kallsyms])\n"
                                 " => schedule\n"
                                 " a-1 [000] 1.0: <stack trace>\n");

    (void)state;
    assert_int_equal(r.count, 0);
    assert_int_equal(r.text.unread_count, 0);
    assert_int_equal(r.text.other_count, 10);
}

static void damaged_lines_are_counted(void **state)
{
    static const char *const lines[] = {
        "a 1 [000] 1.0: sched:sched_switch:",
        "a 1 [000] 1.0: sched:sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state= ==> "
        "next_comm=b next_pid=2 next_prio=120",
        "a 1 [000] 1.0: sched:sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=q ==> "
        "next_comm=b next_pid=2 next_prio=120",
        "a 1 [000] 1.0: sched:sched_switch: prev_comm=a prev_pid=99999999999 prev_prio=120 "
        "prev_state=S ==> next_comm=b next_pid=2 next_prio=120",
        "a 1 [000] 1.0: sched:sched_waking: comm=a pid= prio=120 target_cpu=000",
        "a 1 [000] 1.0: sched:sched_process_fork: comm=a pid=1 child_comm=b",
        "a 1 [99999999] 1.0: sched:sched_waking: comm=a pid=1 prio=120 target_cpu=000",
        "a 1 [000] 10: sched:sched_waking: comm=a pid=1 prio=120 target_cpu=000",
        "a 1 [000] 9999999999999999999.0: sched:sched_waking: comm=a pid=1 prio=1 target_cpu=0",
        "[",
        "[]",
        "[0",
        "[0] ",
        "[0] 1",
        "[0] 1.",
        "[0] 1.0",
        "CPU:0",
        "CPU:x [LOST",
        "rubbish",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        struct reading r = read_text(lines[i]);

        if (r.count != 0 || r.text.unread_count != 1)
            fail_msg("%s: %d events", lines[i], r.count);
        assert_int_equal(r.text.line, 1);
    }
}

static void a_huge_line_and_bytes_of_zero_are_one_unread_line_each(void **state)
{
    static const char event[] =
        "\na 1 [000] 1.0: sched:sched_waking: comm=a pid=2 prio=120 target_cpu=000\n";
    size_t huge = 3000000, bytes = huge + 2 * sizeof(event);
    char *text = malloc(bytes);
    struct reading r;

    (void)state;
    assert_non_null(text);
    memset(text, 'x', huge);
    memcpy(text + huge, event, sizeof(event) - 1);
    memcpy(text + huge + sizeof(event) - 1, "\0", 1);
    memcpy(text + huge + sizeof(event), event, sizeof(event) - 1);
    r = read_bytes(text, huge + 2 * sizeof(event) - 1);
    free(text);
    assert_int_equal(r.count, 2);
    assert_int_equal(r.text.unread_count, 2);
    assert_int_equal(r.text.line, 4);
}

static void the_locale_changes_nothing(void **state)
{
    struct reading r;

    (void)state;
    (void)setlocale(LC_ALL, "de_DE.UTF-8");
    r = read_text("a 1 [000] 1.25: sched:sched_waking: comm=a pid=2 prio=120 target_cpu=000\n");
    (void)setlocale(LC_ALL, "C");
    assert_int_equal(r.count, 1);
    assert_int_equal(r.events[0].at_ns, 1250 * HL_NS_PER_MS);
}

static void a_decimal_comma_and_dos_line_ends_are_read(void **state)
{
    struct reading r =
        read_text("a 1 [000] 1,25: sched:sched_waking: comm=a pid=2 prio=120 target_cpu=000\r\n");

    (void)state;
    assert_int_equal(r.count, 1);
    assert_int_equal(r.events[0].at_ns, 1250 * HL_NS_PER_MS);
}

static void binary_recordings_are_refused_with_the_way_to_text(void **state)
{
    static const struct {
        const char *start;
        size_t bytes;
        const char *word;
    } kinds[] = {{"PERFILE2", 8, "perf script"},
                 {"\x17\x08\x44tracing", 10, "trace-cmd report"},
                 {"\x1f\x8b", 2, "zcat"},
                 {"\x28\xb5\x2f\xfd", 4, "zstdcat"},
                 {"\xfd\x37zXZ", 5, "xzcat"},
                 {"BZh9", 4, "bzcat"},
                 {"\x7f"
                  "ELF\2\1\1\0",
                  8, "is binary"}};

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(kinds); i++) {
        struct trace_text text;
        struct hl_error err;
        FILE *file = fmemopen((void *)(uintptr_t)kinds[i].start, kinds[i].bytes, "r");

        assert_int_equal(trace_text_open_stream(&text, "f", file, &err), HL_BAD_INPUT);
        assert_non_null(strstr(err.text, kinds[i].word));
        trace_text_close(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_forms_of_a_switch_say_the_same),
        cmocka_unit_test(states_are_told_apart),
        cmocka_unit_test(other_events_are_read),
        cmocka_unit_test(awkward_names_do_not_hide_pids),
        cmocka_unit_test(a_line_break_in_a_name_is_counted),
        cmocka_unit_test(lost_events_are_told),
        cmocka_unit_test(steps_back_in_time_are_counted),
        cmocka_unit_test(what_is_no_event_is_passed_over),
        cmocka_unit_test(damaged_lines_are_counted),
        cmocka_unit_test(a_huge_line_and_bytes_of_zero_are_one_unread_line_each),
        cmocka_unit_test(the_locale_changes_nothing),
        cmocka_unit_test(a_decimal_comma_and_dos_line_ends_are_read),
        cmocka_unit_test(binary_recordings_are_refused_with_the_way_to_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
