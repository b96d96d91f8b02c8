/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lives_test.c - the processes of a recorded tree: times, levels, reused pids, missing events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "trace/lives.h"
#include "trace/tally.h"

enum { LIVES_MAX = 32, MS = 1000000 };

struct seen {
    struct trace_lives lives;
    struct trace_life ended[LIVES_MAX];
    char names[LIVES_MAX][TRACE_TEXT_NAME_BYTES];
    int count;
    int64_t vfork_ns, tail_ns;
    int64_t now_ns;
};

static void keep(void *context, const struct trace_life *life)
{
    struct seen *s = context;

    assert_true(s->count < LIVES_MAX);
    s->ended[s->count] = *life;
    (void)snprintf(s->names[s->count++], TRACE_TEXT_NAME_BYTES, "%s", life->name);
}

static void keep_wait(void *context, int64_t tail_ns, int64_t wait_ns)
{
    ((struct seen *)context)->vfork_ns += wait_ns;
    ((struct seen *)context)->tail_ns += tail_ns;
}

static int setup(void **state)
{
    struct seen *s = calloc(1, sizeof(*s));
    const struct trace_lives_options options = {
        .root = "make", .unit = "cc1", .ended = keep, .vfork_waited = keep_wait, .context = s};

    trace_lives_open(&s->lives, &options);
    *state = s;
    return 0;
}

static int teardown(void **state)
{
    struct seen *s = *state;

    trace_lives_close(&s->lives);
    free(s);
    return 0;
}

static void send(struct seen *s, struct trace_text_event event, const char *name,
                 const char *other_name)
{
    struct hl_error err;

    (void)snprintf(event.task.name, sizeof(event.task.name), "%s", name);
    (void)snprintf(event.other.name, sizeof(event.other.name), "%s", other_name);
    if (trace_lives_event(&s->lives, &event, &err) != HL_OK)
        fail_msg("%s", err.text);
}

static void switches(struct seen *s, int64_t ms, int32_t cpu, int32_t from, const char *from_name,
                     enum trace_state state, int32_t to, const char *to_name)
{
    send(s,
         (struct trace_text_event){.kind = TRACE_TEXT_SWITCH,
                                   .state = state,
                                   .at_ns = ms * MS,
                                   .cpu = cpu,
                                   .task.pid = from,
                                   .other.pid = to},
         from_name, to_name);
}

static void forks(struct seen *s, int64_t ms, int32_t cpu, int32_t parent, const char *name,
                  int32_t child)
{
    send(s,
         (struct trace_text_event){.kind = TRACE_TEXT_FORK,
                                   .at_ns = ms * MS,
                                   .cpu = cpu,
                                   .task.pid = parent,
                                   .other.pid = child},
         name, name);
}

static void tells(struct seen *s, enum trace_text_kind kind, int64_t ms, int32_t cpu, int32_t pid,
                  const char *name)
{
    send(s, (struct trace_text_event){.kind = kind, .at_ns = ms * MS, .cpu = cpu, .task.pid = pid},
         name, "");
}

/* make begins at 0 on cpu 0. */
static void begin(struct seen *s)
{
    tells(s, TRACE_TEXT_EXEC, 0, 0, 10, "make");
}

static void a_process_takes_what_it_ran_wherever(void **state)
{
    struct seen *s = *state;

    begin(s);
    forks(s, 2, 0, 10, "make", 11);
    switches(s, 3, 1, 0, "swapper/1", TRACE_RUNNABLE, 11, "make");
    tells(s, TRACE_TEXT_EXEC, 4, 1, 11, "sh");
    switches(s, 5, 0, 10, "make", TRACE_SLEEPING, 0, "swapper/0");
    switches(s, 8, 1, 11, "sh", TRACE_RUNNABLE, 900, "daemon"); /* 5 ms so far */
    switches(s, 9, 0, 0, "swapper/0", TRACE_RUNNABLE, 11, "sh");
    tells(s, TRACE_TEXT_WAKE, 10, 0, 10, "make");
    switches(s, 11, 0, 11, "sh", TRACE_DEAD, 10, "make"); /* and 2 */
    assert_int_equal(s->count, 1);
    assert_string_equal(s->names[0], "sh");
    assert_int_equal(s->ended[0].cpu_ns, 7 * MS);
    assert_int_equal(s->ended[0].unknown_ns, 0);
    assert_int_equal(s->ended[0].started_ns, 2 * MS);
    assert_int_equal(s->ended[0].involuntary, 1);
    assert_int_equal(s->ended[0].voluntary, 1);
    assert_int_equal(s->ended[0].depth, 1);
    switches(s, 15, 0, 10, "make", TRACE_DEAD, 0, "swapper/0");
    assert_true(s->lives.is_done);
    assert_true(s->ended[1].is_root);
    assert_int_equal(s->ended[1].cpu_ns, 9 * MS); /* 0 to 5, 11 to 15 */
    /* Two could run from 2 to 5 and from 10 to 11, else one. */
    assert_int_equal(s->lives.level_ns[2], 4 * MS);
    assert_int_equal(s->lives.level_ns[1], 11 * MS);
    assert_int_equal(s->lives.level_ns[0], 0);
}

static void a_reused_pid_is_two_processes(void **state)
{
    struct seen *s = *state;

    begin(s);
    forks(s, 1, 0, 10, "make", 4000);
    switches(s, 2, 0, 10, "make", TRACE_SLEEPING, 4000, "make");
    tells(s, TRACE_TEXT_EXEC, 2, 0, 4000, "cc1");
    switches(s, 202, 0, 4000, "cc1", TRACE_DEAD, 10, "make");
    forks(s, 702, 0, 10, "make", 4000);
    tells(s, TRACE_TEXT_EXEC, 703, 1, 4000, "ld");
    switches(s, 703, 1, 0, "swapper/1", TRACE_RUNNABLE, 4000, "ld");
    switches(s, 803, 1, 4000, "ld", TRACE_DEAD, 0, "swapper/1");
    assert_int_equal(s->count, 2);
    assert_string_equal(s->names[0], "cc1");
    assert_int_equal(s->ended[0].cpu_ns, 200 * MS);
    assert_string_equal(s->names[1], "ld");
    assert_int_equal(s->ended[1].cpu_ns, 100 * MS);
    assert_int_equal(s->ended[1].started_ns, 702 * MS);
}

static void a_pid_that_forks_anew_has_ended_before(void **state)
{
    struct seen *s = *state;

    begin(s);
    forks(s, 1, 0, 10, "make", 20);
    forks(s, 9, 0, 10, "make", 20);
    assert_int_equal(s->count, 1);
    assert_false(s->ended[0].is_whole);
    trace_lives_finish(&s->lives);
    assert_int_equal(s->count, 3);
}

static void names_that_change_without_exec_events_count(void **state)
{
    struct seen *s = *state;

    switches(s, 0, 0, 0, "swapper/0", TRACE_RUNNABLE, 10, "make");
    forks(s, 1, 0, 10, "make", 11);
    switches(s, 1, 0, 10, "make", TRACE_SLEEPING, 11, "make");
    forks(s, 3, 0, 11, "gcc", 12);
    switches(s, 3, 0, 11, "gcc", TRACE_SLEEPING, 12, "gcc");
    tells(s, TRACE_TEXT_WAKE, 8, 1, 12, "cc1");
    assert_int_equal(s->lives.units_most, 1);
    switches(s, 9, 0, 12, "cc1", TRACE_DEAD, 11, "gcc");
    assert_string_equal(s->ended[0].parent, "gcc");
    assert_int_equal(s->lives.units_now, 0);
    switches(s, 10, 0, 11, "gcc", TRACE_DEAD, 10, "make");
    switches(s, 11, 0, 10, "make", TRACE_DEAD, 0, "swapper/0");
    assert_int_equal(s->ended[2].units, 1);
}

static void waits_for_a_childs_exec_are_seen(void **state)
{
    struct seen *s = *state;

    begin(s);
    forks(s, 1, 0, 10, "make", 11);
    switches(s, 2, 0, 10, "make", TRACE_UNINTERRUPTIBLE, 11, "make");
    tells(s, TRACE_TEXT_WAKE, 5, 0, 10, "make");
    assert_int_equal(s->tail_ns, 1 * MS);
    assert_int_equal(s->vfork_ns, 3 * MS);
    switches(s, 5, 0, 11, "sh", TRACE_RUNNABLE, 10, "make");
    /* Uninterruptible without a fork: a disk. */
    switches(s, 6, 0, 10, "make", TRACE_UNINTERRUPTIBLE, 11, "sh");
    tells(s, TRACE_TEXT_WAKE, 9, 0, 10, "make");
    assert_int_equal(s->vfork_ns, 3 * MS);
}

static void a_missing_switch_from_idle_follows_from_the_next(void **state)
{
    struct seen *s = *state;

    begin(s);
    switches(s, 0, 1, 900, "daemon", TRACE_SLEEPING, 0, "swapper/1");
    forks(s, 1, 0, 10, "make", 11);
    switches(s, 7, 1, 11, "sh", TRACE_DEAD, 0, "swapper/1"); /* since it could: 1 */
    assert_int_equal(s->ended[0].cpu_ns, 6 * MS);
    assert_int_equal(s->ended[0].unknown_ns, 0);
    assert_int_equal(s->lives.inferred, 1);
}

static void a_missing_switch_from_another_task_is_unknown_time(void **state)
{
    struct seen *s = *state;

    begin(s);
    forks(s, 1, 0, 10, "make", 11);
    switches(s, 3, 1, 0, "swapper/1", TRACE_RUNNABLE, 900, "daemon");
    switches(s, 7, 1, 11, "sh", TRACE_DEAD, 0, "swapper/1"); /* ran there since 3 at most */
    assert_int_equal(s->ended[0].cpu_ns, 0);
    assert_int_equal(s->ended[0].unknown_ns, 4 * MS);
}

static void lost_events_make_what_runs_there_unknown(void **state)
{
    struct seen *s = *state;

    begin(s);
    forks(s, 1, 0, 10, "make", 11);
    switches(s, 2, 1, 0, "swapper/1", TRACE_RUNNABLE, 11, "sh");
    send(
        s,
        (struct trace_text_event){.kind = TRACE_TEXT_LOST, .at_ns = 6 * MS, .cpu = 1, .lost = 1500},
        "", "");
    assert_int_equal(s->lives.lost_events, 1500);
    assert_int_equal(s->lives.lost_places, 1);
    switches(s, 8, 1, 11, "sh", TRACE_DEAD, 0, "swapper/1");
    assert_int_equal(s->ended[0].cpu_ns, 0);
    assert_true(s->ended[0].unknown_ns >= 4 * MS);
    /* make on cpu 0 is not concerned. */
    switches(s, 9, 0, 10, "make", TRACE_DEAD, 0, "swapper/0");
    assert_int_equal(s->ended[1].cpu_ns, 9 * MS);
    assert_int_equal(s->ended[1].unknown_ns, 0);
}

static void preemptions_by_kernel_threads_are_counted(void **state)
{
    struct seen *s = *state;

    begin(s);
    switches(s, 1, 0, 10, "make", TRACE_RUNNABLE, 21, "kworker/0:1");
    switches(s, 2, 0, 21, "kworker/0:1", TRACE_SLEEPING, 10, "make");
    switches(s, 3, 0, 10, "make", TRACE_RUNNABLE, 22, "kworkerish");
    switches(s, 4, 0, 22, "kworkerish", TRACE_RUNNABLE, 23, "rcu_preempt"); /* not of the tree */
    switches(s, 5, 0, 23, "rcu_preempt", TRACE_SLEEPING, 10, "make");
    switches(s, 6, 0, 10, "make", TRACE_SLEEPING, 24, "ksoftirqd/0"); /* by itself */
    assert_int_equal(s->lives.kernel_preempts, 1);
}

static void a_long_silence_is_a_hole_while_tasks_could_run(void **state)
{
    struct seen *s = *state;

    begin(s);
    switches(s, 2999, 0, 10, "make", TRACE_SLEEPING, 0, "swapper/0");
    assert_int_equal(s->lives.hole_count, 0); /* a second and another: kernel threads do that */
    switches(s, 9000, 0, 0, "swapper/0", TRACE_RUNNABLE, 10, "make");
    assert_int_equal(s->lives.hole_count, 0); /* all slept */
    switches(s, 14000, 0, 10, "make", TRACE_DEAD, 0, "swapper/0");
    assert_int_equal(s->lives.hole_count, 1);
    assert_int_equal(s->lives.hole_longest_ns, INT64_C(5000) * MS);
    assert_int_equal(s->lives.hole_longest_at_ns, INT64_C(9000) * MS);
}

static void time_that_goes_back_stands_still(void **state)
{
    struct seen *s = *state;

    begin(s);
    forks(s, 100, 0, 10, "make", 11);
    switches(s, 98, 1, 0, "swapper/1", TRACE_RUNNABLE, 11, "sh");
    switches(s, 103, 1, 11, "sh", TRACE_DEAD, 0, "swapper/1");
    assert_int_equal(s->ended[0].cpu_ns, 3 * MS);
}

static void others_do_not_count(void **state)
{
    struct seen *s = *state;

    begin(s);
    forks(s, 1, 1, 900, "daemon", 901);
    switches(s, 2, 1, 900, "daemon", TRACE_SLEEPING, 901, "daemon");
    switches(s, 3, 1, 901, "daemon", TRACE_DEAD, 0, "swapper/1");
    switches(s, 4, 0, 10, "make", TRACE_DEAD, 0, "swapper/0");
    assert_int_equal(s->count, 1);
}

static void serial_time_is_told_by_halves_however_long(void **state)
{
    struct seen *s = *state;
    struct trace_lives_slice head, tail;

    begin(s);
    /* 100 s alone, 800 s with a child, 100 s alone: slices widen on the way. */
    forks(s, 100000, 0, 10, "make", 11);
    switches(s, 100000, 1, 0, "swapper/1", TRACE_RUNNABLE, 11, "sh");
    for (int64_t ms = 100000; ms < 900000; ms += 1000)
        switches(s, ms, 2, 900, "daemon", TRACE_RUNNABLE, 900, "daemon");
    switches(s, 900000, 1, 11, "sh", TRACE_DEAD, 0, "swapper/1");
    switches(s, 1000000, 0, 10, "make", TRACE_DEAD, 0, "swapper/0");
    head = trace_lives_half(&s->lives, false);
    tail = trace_lives_half(&s->lives, true);
    assert_int_equal(head.single_ns, INT64_C(100000) * MS);
    assert_int_equal(tail.single_ns, INT64_C(100000) * MS);
    assert_int_equal(head.serial_ns, INT64_C(100000) * MS);
    assert_int_equal(head.idle_ns + tail.idle_ns, 0);
}

static void a_lone_task_behind_others_is_not_serial_work(void **state)
{
    struct seen *s = *state;
    struct trace_lives_slice head, tail;

    begin(s);
    switches(s, 10, 0, 10, "make", TRACE_RUNNABLE, 900, "daemon");
    switches(s, 30, 0, 900, "daemon", TRACE_RUNNABLE, 10, "make");
    switches(s, 40, 0, 10, "make", TRACE_DEAD, 0, "swapper/0");
    head = trace_lives_half(&s->lives, false);
    tail = trace_lives_half(&s->lives, true);
    assert_int_equal(head.single_ns + tail.single_ns, 40 * MS);
    assert_int_equal(head.serial_ns + tail.serial_ns, 20 * MS);
}

/* A makes B, B makes C; each closes at every allocation that may fail. */
static void running_out_of_memory_is_told(void **state)
{
    struct hl_error err;

    (void)state;
    for (uint64_t n = 1; n < 12; n++) {
        struct trace_tally tally;
        struct trace_text_event event = {.kind = TRACE_TEXT_EXEC, .task = {10, "make"}};
        enum hl_status status;

        hl_alloc_fail_at(n);
        status = trace_tally_open(&tally, 0, &err);
        if (status == HL_OK)
            status = trace_lives_event(&tally.lives, &event, &err);
        hl_alloc_fail_at(0);
        assert_true(status == HL_OK || status == HL_NO_MEMORY);
        trace_tally_close(&tally);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_process_takes_what_it_ran_wherever),
        TEST(a_reused_pid_is_two_processes),
        TEST(a_pid_that_forks_anew_has_ended_before),
        TEST(names_that_change_without_exec_events_count),
        TEST(waits_for_a_childs_exec_are_seen),
        TEST(a_missing_switch_from_idle_follows_from_the_next),
        TEST(a_missing_switch_from_another_task_is_unknown_time),
        TEST(lost_events_make_what_runs_there_unknown),
        TEST(preemptions_by_kernel_threads_are_counted),
        TEST(a_long_silence_is_a_hole_while_tasks_could_run),
        TEST(time_that_goes_back_stands_still),
        TEST(others_do_not_count),
        TEST(serial_time_is_told_by_halves_however_long),
        TEST(a_lone_task_behind_others_is_not_serial_work),
        TEST(running_out_of_memory_is_told),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
