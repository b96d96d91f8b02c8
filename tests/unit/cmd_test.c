/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_test.c - any command as a workload: what it gets, when its run counts, what is left of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/memory.h"
#include "base/units.h"
#include "host/host.h"
#include "host_fixture.h"

static int open_fixture(void **state)
{
    return fixture_set_up(state) != 0 || chdir(fixture.tree) != 0;
}

static int close_fixture(void **state)
{
    (void)fixture_tear_down(state);
    return chdir("/");
}

/* Plays the command once per level, 0 ends the levels; *run is the last one. */
static enum hl_status play(struct host_work_options *options, const int64_t *levels,
                           struct run *run, struct hl_error *err)
{
    struct host_work *work;
    enum hl_status status = HL_OK;

    options->workload = "cmd";
    options->work_dir = fixture.work;
    HL_TRY(host_work_open(&work, options, err));
    do {
        run_init(run, RUN_HOST, "not measured");
        status = host_work_run(work, *levels, NULL, run, err);
    } while (status == HL_OK && *levels++ != 0 && *levels != 0);
    host_work_close(work);
    assert_int_equal(fixture_entries(fixture.work), 0);
    return status;
}

static enum hl_status play_once(struct host_work_options *options, struct run *run,
                                struct hl_error *err)
{
    static const int64_t no_level[] = {0};

    return play(options, no_level, run, err);
}

static void expect_file(const char *name, const char *expected)
{
    char path[PATH_MAX], text[1024];
    FILE *file;
    size_t bytes;

    (void)snprintf(path, sizeof(path), "%s/%s", fixture.tree, name);
    file = fopen(path, "re");
    assert_non_null(file);
    bytes = fread(text, 1, sizeof(text) - 1, file);
    text[bytes] = '\0';
    (void)fclose(file);
    assert_string_equal(text, expected);
}

static void the_words_reach_the_program_as_they_are(void **state)
{
    static const char *const words[] = {"sh",  "-c",       "printf '<%s>' \"$@\" >>got",
                                        "x",   "-j{load}", "{load}/{load}",
                                        "a b", "$HOME *",  "{other}",
                                        "",    NULL};
    static const int64_t levels[] = {1, 1000000, 0};
    struct host_work_options options = {.cmd.words = words};
    struct hl_error err = {0};
    struct run run;

    (void)state;
    assert_int_equal(play(&options, levels, &run, &err), HL_OK);
    assert_int_equal(run.status, RUN_OK);
    assert_string_equal(run.note, "");
    expect_file("got", "<-j1><1/1><a b><$HOME *><{other}><>"
                       "<-j1000000><1000000/1000000><a b><$HOME *><{other}><>");
    assert_true(run.metric[RUN_elapsed_s] > 0);
    assert_true(run_has(&run, RUN_user_s));
    assert_true(run_has(&run, RUN_involuntary_switches));
}

static void it_runs_here_with_the_users_environment_and_empty_input(void **state)
{
    static const char *const words[] = {
        "sh", "-c", "pwd -P >got; cat >>got; echo \"$MAKEFLAGS|$LC_ALL\" >>got", NULL};
    struct host_work_options options = {.cmd.words = words};
    struct hl_error err = {0};
    struct run run;
    char expected[PATH_MAX];

    (void)state;
    assert_int_equal(setenv("MAKEFLAGS", "s", 1), 0);
    assert_int_equal(setenv("LC_ALL", "de_DE", 1), 0);
    assert_int_equal(play_once(&options, &run, &err), HL_OK);
    (void)unsetenv("MAKEFLAGS");
    (void)unsetenv("LC_ALL");
    assert_int_equal(run.status, RUN_OK);
    (void)snprintf(expected, sizeof(expected), "%s\ns|de_DE\n", fixture.tree);
    expect_file("got", expected);
}

static void cpus_is_what_the_run_can_use(void **state)
{
    static const char *const words[] = {"sh", "-c", "echo {cpus} $(nproc) >got", NULL};
    struct host_work_options options = {
        .workload = "cmd", .work_dir = fixture.work, .cmd.words = words};
    struct host_setting setting = {.has_cpus = true};
    struct machine_cpu_set *cpus = &setting.cpus;
    struct host_work *work;
    struct hl_error err = {0};
    struct run run;

    (void)state;
    machine_cpu_set_add(cpus, 0);
    if (host_setting_check(&setting, &err) != HL_OK)
        skip();
    run_init(&run, RUN_HOST, "not measured");
    assert_int_equal(host_work_open(&work, &options, &err), HL_OK);
    assert_int_equal(host_work_run(work, 0, &setting, &run, &err), HL_OK);
    host_work_close(work);
    expect_file("got", "1 1\n");
}

/* What the listener was told. */
struct told {
    char what[32], log[256];
    int times;
};

static void listen(void *context, const char *what, const char *log)
{
    struct told *told = context;
    FILE *file = fopen(log, "re");
    size_t bytes;

    assert_non_null(file);
    bytes = fread(told->log, 1, sizeof(told->log) - 1, file);
    told->log[bytes] = '\0';
    (void)fclose(file);
    (void)snprintf(told->what, sizeof(told->what), "%s", what);
    told->times++;
}

static void a_command_that_fails_is_a_failed_run_with_its_last_line(void **state)
{
    static const char *const words[] = {"sh", "-c", "echo begin; echo the end >&2; exit 7", NULL};
    struct told told = {.times = 0};
    struct host_work_options options = {.cmd.words = words, .failed = listen, .context = &told};
    struct hl_error err = {0};
    struct run run;

    (void)state;
    assert_int_equal(play_once(&options, &run, &err), HL_OK);
    assert_int_equal(run.status, RUN_FAILED);
    assert_int_equal(run.exit_status, 7);
    assert_string_equal(run.note, "sh exited with status 7: the end");
    assert_int_equal(told.times, 1);
    assert_string_equal(told.what, "sh");
    assert_string_equal(told.log, "begin\nthe end\n");
}

static void a_command_that_takes_too_long_is_killed_with_all_it_started(void **state)
{
    static const char *const words[] = {"sh", "-c", "echo $$ >\"$TOP/pid\"; sleep 300", NULL};
    struct host_work_options options = {.cmd.words = words, .timeout_ns = HL_NS_PER_S / 5};
    struct hl_error err = {0};
    struct run run;

    (void)state;
    assert_int_equal(play_once(&options, &run, &err), HL_OK);
    assert_int_equal(run.status, RUN_KILLED);
    assert_string_equal(run.note, "sh was ended: it took longer than 0.2 s");
    assert_true(run.metric[RUN_elapsed_s] >= 0.2);
    assert_false(process_stays(fixture_wait_number("pid")));
}

static void prepare_check_and_cleanup_surround_each_run(void **state)
{
    static const char *const words[] = {"sh", "-c", "echo run {load} >>got", NULL};
    static const int64_t levels[] = {1, 2, 0};
    struct host_work_options options = {.cmd = {.words = words,
                                                .prepare = "echo prepare {load} >>got",
                                                .check = "echo check {load} >>got",
                                                .cleanup = "echo cleanup {load} >>got"}};
    struct hl_error err = {0};
    struct run run;

    (void)state;
    assert_int_equal(play(&options, levels, &run, &err), HL_OK);
    assert_int_equal(run.status, RUN_OK);
    expect_file("got", "prepare 1\nrun 1\ncheck 1\ncleanup 1\n"
                       "prepare 2\nrun 2\ncheck 2\ncleanup 2\n");
}

static void time_of_preparation_and_cleanup_is_not_measured(void **state)
{
    static const char *const words[] = {"true", NULL};
    struct host_work_options options = {
        .cmd = {.words = words, .prepare = "sleep 0.3", .cleanup = "sleep 0.3"}};
    struct hl_error err = {0};
    struct run run;

    (void)state;
    assert_int_equal(play_once(&options, &run, &err), HL_OK);
    assert_int_equal(run.status, RUN_OK);
    assert_true(run.metric[RUN_elapsed_s] < 0.3);
}

static void a_check_that_fails_makes_the_run_failed(void **state)
{
    static const char *const words[] = {"true", NULL};
    struct told told = {.times = 0};
    struct host_work_options options = {
        .cmd = {.words = words, .check = "echo wrong sum; exit 3", .cleanup = "echo x >>got"},
        .failed = listen,
        .context = &told};
    struct hl_error err = {0};
    struct run run;

    (void)state;
    assert_int_equal(play_once(&options, &run, &err), HL_OK);
    assert_int_equal(run.status, RUN_FAILED);
    assert_int_equal(run.exit_status, 0);
    assert_string_equal(run.note, "--check exited with status 3: wrong sum");
    assert_string_equal(told.what, "--check");
    assert_string_equal(told.log, "wrong sum\n");
    expect_file("got", "x\n");
}

static void without_its_preparation_a_command_is_not_run(void **state)
{
    static const char *const words[] = {"touch", "got", NULL};
    struct host_work_options options = {.cmd = {.words = words,
                                                .prepare = "exit 4",
                                                .check = "touch checked",
                                                .cleanup = "touch cleaned; exit 5"}};
    struct hl_error err = {0};
    struct run run;

    (void)state;
    assert_int_equal(play_once(&options, &run, &err), HL_OK);
    assert_int_equal(run.status, RUN_FAILED);
    assert_string_equal(run.note, "--prepare exited with status 4; --cleanup exited with status 5");
    assert_false(run_has(&run, RUN_elapsed_s));
    assert_false(fixture_has("got"));
    assert_false(fixture_has("checked"));
    assert_true(fixture_has("cleaned"));
}

static void outputs_are_kept_where_the_user_says_and_none_is_overwritten(void **state)
{
    static const char *const words[] = {"sh", "-c", "echo level {load}; exit {load}", NULL};
    static const int64_t levels[] = {1, 2, 0};
    struct host_work_options options = {.cmd = {.words = words, .output_dir = "outputs"}};
    struct hl_error err = {0};
    struct run run;

    (void)state;
    fixture_write("outputs/run-0001.log", "mine\n");
    assert_int_equal(play(&options, levels, &run, &err), HL_OK);
    expect_file("outputs/run-0000.log", "level 1\n");
    expect_file("outputs/run-0001.log", "mine\n");
    expect_file("outputs/run-0001-2.log", "level 2\n");
    assert_non_null(strstr(run.note, "sh exited with status 2: level 2; output: "));
    options.cmd.output_dir = "outputs/run-0001.log";
    assert_int_equal(play_once(&options, &run, &err), HL_NOT_PERMITTED);
}

static void a_command_that_is_not_there_is_found_missing_before_any_run(void **state)
{
    static const char *const unknown[] = {"no-such-command", NULL};
    static const char *const folder[] = {"./", NULL};
    static const char *const late[] = {"no-such-{load}", NULL};
    static const char *const none[] = {NULL};
    static const int64_t levels[] = {3, 0};
    struct host_work_options options = {.cmd.words = unknown};
    struct hl_error err = {0};
    struct run run;

    (void)state;
    assert_int_equal(play_once(&options, &run, &err), HL_UNSUPPORTED);
    assert_string_equal(err.text, "found no program `no-such-command`; for a command of the shell "
                                  "write sh -c '...'");
    options.cmd.words = folder;
    assert_int_equal(play_once(&options, &run, &err), HL_UNSUPPORTED);
    options.cmd.words = late;
    assert_int_equal(play(&options, levels, &run, &err), HL_UNSUPPORTED);
    assert_non_null(strstr(err.text, "no-such-3"));
    options.cmd.words = none;
    assert_int_equal(play_once(&options, &run, &err), HL_USAGE);
}

static void what_a_command_leaves_behind_is_ended_and_named(void **state)
{
    static const char *const words[] = {"sh", "-c",
                                        "setsid sh -c 'echo $$ >\"$TOP/pid\"; exec sleep 300' & "
                                        "until test -s \"$TOP/pid\"; do sleep 0.01; done",
                                        NULL};
    struct host_work_options options = {.cmd.words = words};
    struct hl_error err = {0};
    struct run run;

    (void)state;
    assert_int_equal(play_once(&options, &run, &err), HL_OK);
    assert_int_equal(run.status, RUN_OK);
    assert_non_null(strstr(run.note, "left behind, ended: sleep (pid "));
    assert_false(process_stays(fixture_wait_number("pid")));
}

static void sigkill_of_the_program_leaves_no_process(void **state)
{
    static const char *const words[] = {
        "sh", "-c", "setsid sh -c 'sleep 300' & echo $$ >\"$TOP/pid\"; sleep 300", NULL};
    struct host_work_options options = {.cmd.words = words};
    struct hl_error err = {0};
    struct run run;
    int command, status;
    pid_t program = fork();

    (void)state;
    if (program == 0) {
        /* Dies with the test, should that fail on its way. */
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        _exit(hl_exit_code(play_once(&options, &run, &err)));
    }
    command = fixture_wait_number("pid");
    assert_int_equal(kill(program, SIGKILL), 0);
    assert_int_equal(waitpid(program, &status, 0), program);
    assert_false(process_stays(command));
}

static void every_failing_allocation_is_a_status(void **state)
{
    static const char *const words[] = {"true", "{load}", NULL};
    struct host_work_options options = {.cmd = {.words = words, .prepare = "true"}};
    enum hl_status status = HL_NO_MEMORY;
    struct hl_error err = {0};
    struct run run;

    (void)state;
    for (uint64_t n = 1; status != HL_OK && n < 1000; n++) {
        hl_alloc_fail_at(n);
        status = play_once(&options, &run, &err);
        hl_alloc_fail_at(0);
        assert_true(status == HL_OK || status == HL_NO_MEMORY);
    }
    assert_int_equal(status, HL_OK);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_words_reach_the_program_as_they_are),
        TEST(it_runs_here_with_the_users_environment_and_empty_input),
        TEST(cpus_is_what_the_run_can_use),
        TEST(a_command_that_fails_is_a_failed_run_with_its_last_line),
        TEST(a_command_that_takes_too_long_is_killed_with_all_it_started),
        TEST(prepare_check_and_cleanup_surround_each_run),
        TEST(time_of_preparation_and_cleanup_is_not_measured),
        TEST(a_check_that_fails_makes_the_run_failed),
        TEST(without_its_preparation_a_command_is_not_run),
        TEST(outputs_are_kept_where_the_user_says_and_none_is_overwritten),
        TEST(a_command_that_is_not_there_is_found_missing_before_any_run),
        TEST(what_a_command_leaves_behind_is_ended_and_named),
        TEST(sigkill_of_the_program_leaves_no_process),
        TEST(every_failing_allocation_is_a_status),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
