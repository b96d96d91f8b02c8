/* SPDX-License-Identifier: GPL-2.0-or-later */
/* runner_test.c - one command under its keeper: statuses, sums, compilers seen, limits. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/units.h"
#include "host/compilers.h"
#include "host/process_tree.h"
#include "host/runner.h"
#include "host_fixture.h"

static enum hl_status run_program(const char *program, const char *const *arguments,
                                  bool is_watched, int64_t timeout_ns, struct host_result *result,
                                  struct hl_error *err)
{
    char log[PATH_MAX];
    const char *all[8] = {program};
    const struct host_command command = {
        .arguments = all,
        .environment = (const char *const *)environ,
        .folder = fixture.tree,
        .log = log,
        .timeout_ns = timeout_ns,
        .is_watched = is_watched,
    };

    for (int i = 0; arguments[i] != NULL; i++)
        all[i + 1] = arguments[i];
    (void)snprintf(log, sizeof(log), "%s/log", fixture.top);
    return host_command_run(&command, result, err);
}

static enum hl_status run_shell(const char *script, int64_t timeout_ns, struct host_result *result)
{
    const char *const arguments[] = {"-c", script, NULL};
    struct hl_error err = {0};

    return run_program("/bin/sh", arguments, false, timeout_ns, result, &err);
}

static void exit_status_and_elapsed_time_are_the_commands_own(void **state)
{
    struct host_result result;

    (void)state;
    assert_int_equal(run_shell("sleep 0.1; exit 7", 0, &result), HL_OK);
    assert_int_equal(result.exit_status, 7);
    assert_int_equal(result.signal, 0);
    assert_int_equal(result.left_behind, 0);
    assert_true(result.elapsed_ns >= 100 * HL_NS_PER_MS);
    assert_true(result.user_ns + result.system_ns < result.elapsed_ns);
}

/* Each fact has a value or a reason; what this system lets us have is as the command was. */
static void a_watched_command_has_facts(void **state)
{
    const char *const arguments[] = {"-c", "(sleep 0.1) & (sleep 0.1) & wait", NULL};
    struct host_result result;
    struct hl_error err;

    (void)state;
    assert_int_equal(run_program("/bin/sh", arguments, true, 0, &result, &err), HL_OK);
    assert_int_equal(result.facts.count, 12);
    for (int i = 0; i < result.facts.count; i++) {
        double value = result.facts.fact[i].value;

        if (isnan(value))
            assert_non_null(result.facts.fact[i].reason);
        else
            assert_true(value >= 0);
        /* The shell and what it starts: some shells become the last command. */
        if (result.facts.fact[i].metric == RUN_tasks && !isnan(value))
            assert_true(value >= 3 && value <= 5);
    }
}

static void output_goes_to_the_log_and_input_is_empty(void **state)
{
    struct host_result result;

    (void)state;
    assert_int_equal(run_shell("cat; echo 42; pwd >&2", 0, &result), HL_OK);
    assert_int_equal(fixture_wait_number("log"), 42);
}

static void a_timeout_ends_the_command(void **state)
{
    struct host_result result;

    (void)state;
    assert_int_equal(run_shell("sleep 300; true", 100 * HL_NS_PER_MS, &result), HL_OK);
    assert_true(result.timed_out);
    assert_int_equal(result.signal, SIGTERM);
    assert_int_equal(result.exit_status, 128 + SIGTERM);
    assert_int_equal(result.not_ended, 0);
}

static void a_program_that_cannot_be_started_is_named(void **state)
{
    const char *const none[] = {NULL};
    struct host_result result;
    struct hl_error err = {0};

    (void)state;
    assert_int_equal(run_program("/no/such/program", none, false, 0, &result, &err),
                     HL_NOT_PERMITTED);
    assert_string_equal(err.text, "/no/such/program: No such file or directory");
}

static void a_stopped_process_and_one_with_children_are_ended_too(void **state)
{
    struct host_result result;

    (void)state;
    assert_int_equal(run_shell("sh -c 'sleep 300; sleep 300' & echo $! >\"$TOP/a\"\n"
                               "sh -c 'kill -STOP $$' & echo $! >\"$TOP/b\"",
                               0, &result),
                     HL_OK);
    assert_int_equal(result.exit_status, 0);
    assert_int_equal(result.left_behind, 3);
    assert_int_equal(result.not_ended, 0);
    assert_false(process_stays(fixture_wait_number("a")));
    assert_false(process_stays(fixture_wait_number("b")));
}

static void a_process_that_is_just_ending_is_no_daemon(void **state)
{
    struct host_result result;

    (void)state;
    assert_int_equal(run_shell("sleep 0.05 &", 0, &result), HL_OK);
    assert_int_equal(result.left_behind, 0);
}

static void other_children_of_the_program_are_left_alone(void **state)
{
    struct host_result result;
    pid_t own = fork();
    int status;

    (void)state;
    assert_true(own >= 0);
    if (own == 0)
        _exit(5);
    assert_int_equal(run_shell("true", 0, &result), HL_OK);
    assert_int_equal(waitpid(own, &status, 0), own);
    assert_int_equal(WEXITSTATUS(status), 5);
}

static void an_ignored_sigchld_does_not_lose_the_status(void **state)
{
    struct host_result result;

    (void)state;
    (void)signal(SIGCHLD, SIG_IGN);
    assert_int_equal(run_shell("exit 3", 0, &result), HL_OK);
    (void)signal(SIGCHLD, SIG_DFL);
    assert_int_equal(result.exit_status, 3);
}

static void compilers_at_the_same_time_are_counted(void **state)
{
    struct host_result result;

    (void)state;
    /* Stand-ins: what counts is the name. A clang below a clang counts once. */
    assert_int_equal(run_shell("cp /bin/sleep cc1; cp /bin/sleep cc1plus; cp /bin/sleep as\n"
                               "cp /bin/sh clang\n"
                               "./cc1 1.2 & ./cc1plus 1.2 & ./as 1.2 &\n"
                               "./clang -c './clang -c \"sleep 1.2; true\"; true' & wait",
                               0, &result),
                     HL_OK);
    assert_int_equal(result.exit_status, 0);
    assert_true(result.samples >= 1);
    assert_int_equal(result.peak_compilers, 3);
    assert_true(result.largest_compiler_bytes > 100 * 1024);
}

static void names_of_compilers(void **state)
{
    static const char *const compilers[] = {"cc1",      "cc1plus", "clang",
                                            "clang-14", "clang++", "rustc"};
    static const char *const others[] = {"cc", "gcc", "cc1x", "cc", "as", "ld", "make", "cl", ""};

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(compilers); i++)
        assert_true(host_is_compiler(compilers[i]));
    for (int i = 0; i < HL_COUNT_OF(others); i++)
        assert_false(host_is_compiler(others[i]));
}

static void both_ways_to_read_the_tree_agree(void **state)
{
    struct host_process_list fast = {0}, slow = {0};
    struct hl_error err;
    pid_t child = fork();

    (void)state;
    if (child == 0) {
        (void)execl("/bin/sh", "sh", "-c",
                    "sh -c 'sleep 300 & sleep 300 & wait' & sh -c 'sleep 300; true' & "
                    "echo $$ >\"$TOP/ready\"; wait",
                    (char *)NULL);
        _exit(127);
    }
    (void)fixture_wait_number("ready");
    for (int i = 0; i < 500 && slow.count < 6; i++) {
        (void)usleep(10 * 1000);
        assert_int_equal(host_processes_below_by_scan(&slow, getpid(), &err), HL_OK);
    }
    assert_int_equal(host_processes_below(&fast, getpid(), &err), HL_OK);
    assert_int_equal(slow.count, 6);
    assert_int_equal(fast.count, 6);
    for (size_t i = 0; i < 6; i++) {
        bool parent_before = fast.processes[i].parent == getpid();
        bool found = false;

        for (size_t k = 0; k < 6; k++)
            found |= slow.processes[k].pid == fast.processes[i].pid;
        for (size_t k = 0; k < i; k++)
            parent_before |= fast.processes[k].pid == fast.processes[i].parent;
        assert_true(found);
        assert_true(parent_before);
        assert_int_equal(kill(fast.processes[i].pid, SIGKILL), 0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    host_process_list_close(&fast);
    host_process_list_close(&slow);
}

/* What the program of the next test does: its child uses cpu time that nobody takes over. */
static int ignore_a_child(void)
{
    if (signal(SIGCHLD, SIG_IGN) == SIG_ERR)
        return 1;
    switch (fork()) {
    case -1: return 1;
    case 0:
        while (clock() < CLOCKS_PER_SEC / 5)
            ;
        _exit(0);
    default: break;
    }
    /* As SIGCHLD is ignored, this blocks until the child is gone, gets nothing of it and fails. An
     * end before that would leave the child to the keeper, who would reap it. */
    return waitpid(-1, NULL, 0) == -1 && errno == ECHILD ? 0 : 1;
}

static double fact(const struct host_facts *facts, enum run_metric metric)
{
    for (int i = 0; i < facts->count; i++)
        if (facts->fact[i].metric == metric)
            return facts->fact[i].value;
    fail_msg("nothing is said about metric %s", run_metric_table[metric].name);
    return 0;
}

static void time_of_children_that_nobody_waits_for_is_seen(void **state)
{
    const char *const arguments[] = {"ignore-a-child", NULL};
    struct host_result result;
    struct hl_error err;
    double unwaited_s;

    (void)state;
    assert_int_equal(run_program("/proc/self/exe", arguments, true, 0, &result, &err), HL_OK);
    assert_int_equal(result.exit_status, 0);
    assert_true(result.user_ns + result.system_ns < 150 * HL_NS_PER_MS);
    unwaited_s = fact(&result.facts, RUN_unwaited_cpu_s);
    /* Null where perf is not permitted; stolen time may hide some of it. */
    assert_true(isnan(unwaited_s) || unwaited_s + fact(&result.facts, RUN_steal_cpu_s) > 0.15);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "ignore-a-child") == 0)
        return ignore_a_child();
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_watched_command_has_facts),
        TEST(time_of_children_that_nobody_waits_for_is_seen),
        TEST(exit_status_and_elapsed_time_are_the_commands_own),
        TEST(output_goes_to_the_log_and_input_is_empty),
        TEST(a_timeout_ends_the_command),
        TEST(a_program_that_cannot_be_started_is_named),
        TEST(a_stopped_process_and_one_with_children_are_ended_too),
        TEST(a_process_that_is_just_ending_is_no_daemon),
        TEST(other_children_of_the_program_are_left_alone),
        TEST(an_ignored_sigchld_does_not_lose_the_status),
        TEST(compilers_at_the_same_time_are_counted),
        TEST(both_ways_to_read_the_tree_agree),
        cmocka_unit_test(names_of_compilers),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
