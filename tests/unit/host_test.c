/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_test.c - real builds: measured, failing, interrupted, killed; nothing stays behind. */
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

#include "base/interrupt.h"
#include "base/memory.h"
#include "base/units.h"
#include "host/host.h"
#include "host/process_tree.h"
#include "host_fixture.h"

/* Opens the fixture's tree, builds it once with two jobs and closes it. */
static enum hl_status build_once(struct run *run, struct hl_error *err)
{
    const struct host_work_options options = {
        .workload = "kernbench", .build.tree = fixture.tree, .work_dir = fixture.work};
    struct host_work *build;
    enum hl_status status;

    run_init(run, RUN_HOST, "not run");
    HL_TRY(host_work_open(&build, &options, err));
    status = host_work_run(build, 2, NULL, run, err);
    host_work_close(build);
    return status;
}

/* Four units that a compiler works on for some milliseconds each. */
static void write_tree(void)
{
    char name[32], text[4096];

    fixture_write("Makefile", "all: prögram\n"
                              "prögram: main.o u0.o u1.o u2.o\n\t$(CC) -o '$@' $^\n"
                              "clean:\n\trm -f *.o 'prögram'\n");
    fixture_write("main.c", "int main(void) { return 0; }\n");
    for (int i = 0; i < 3; i++) {
        size_t used = 0;

        (void)snprintf(name, sizeof(name), "u%d.c", i);
        for (int k = 0; k < 30; k++)
            used += (size_t)snprintf(text + used, sizeof(text) - used,
                                     "unsigned u%d_%d(unsigned x) { return x * %du; }\n", i, k, k);
        fixture_write(name, text);
    }
}

static void a_build_is_measured_and_leaves_the_tree_alone(void **state)
{
    struct hl_error err = {0};
    struct run run;

    (void)state;
    write_tree();
    assert_int_equal(build_once(&run, &err), HL_OK);
    assert_int_equal(run.status, RUN_OK);
    assert_int_equal(run.exit_status, 0);
    assert_string_equal(run.note, "");
    assert_true(run.metric[RUN_elapsed_s] > 0.001);
    assert_true(run.metric[RUN_user_s] + run.metric[RUN_system_s] > 0.01);
    assert_true(run.metric[RUN_voluntary_switches] >= 4);
    assert_true(run_has(&run, RUN_involuntary_switches));
    assert_true(run.metric[RUN_percent_cpu] > 0);
    assert_non_null(strstr(run.reason[RUN_peak_compilers], "sampled"));
    assert_false(run_has(&run, RUN_wasted_cpu_s));
    assert_non_null(run.reason[RUN_wasted_cpu_s]);
    assert_int_equal(fixture_entries(fixture.tree), 5);
    assert_int_equal(fixture_entries(fixture.work), 0);
}

static void the_generated_tree_builds_and_bounds_the_maximal_load(void **state)
{
    const struct host_work_options options = {.workload = "kernbench",
                                              .build.tree_scale_ppm = 40000,
                                              .build.seed = 3,
                                              .work_dir = fixture.work};
    struct host_work *build = NULL;
    struct hl_error err = {0};
    struct run run;

    (void)state;
    run_init(&run, RUN_HOST, "not run");
    assert_int_equal(host_work_open(&build, &options, &err), HL_OK);
    assert_int_equal(host_work_max_jobs(build), 0);
    assert_int_equal(host_work_run(build, 0, NULL, &run, &err), HL_OK);
    assert_string_equal(run.note, "");
    assert_int_equal(run.status, RUN_OK);
    assert_true(run.metric[RUN_peak_compilers] >= 1);
    assert_true(host_work_max_jobs(build) >= 1);
    host_work_close(build);
}

static void every_build_starts_from_the_same_state(void **state)
{
    const struct host_work_options options = {
        .workload = "kernbench", .build.tree = fixture.tree, .work_dir = fixture.work};
    struct host_work *build = NULL;
    struct hl_error err = {0};
    struct run run;

    (void)state;
    /* Changes a source in place, keeps its size, adds and removes files, makes a folder unreadable.
     */
    fixture_write("Makefile",
                  "all:\n\tgrep -q old source\n\ttest ! -e new && test -e gone\n"
                  "\techo new >source; touch new; rm gone; chmod 0 folder; rm link; mkdir link\n");
    fixture_write("source", "old\n");
    fixture_write("gone", "");
    fixture_write("folder/file", "");
    assert_int_equal(chdir(fixture.tree), 0);
    assert_int_equal(symlink("source", "link"), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(host_work_open(&build, &options, &err), HL_OK);
    for (int i = 0; i < 3; i++) {
        run_init(&run, RUN_HOST, "not run");
        assert_int_equal(host_work_run(build, 1, NULL, &run, &err), HL_OK);
        assert_string_equal(run.note, "");
    }
    host_work_close(build);
    assert_int_equal(fixture_entries(fixture.work), 0);
}

static void a_failed_build_says_why(void **state)
{
    struct hl_error err = {0};
    struct run run;

    (void)state;
    write_tree();
    fixture_write("u1.c", "int broken(void) { return nothing; }\n");
    assert_int_equal(build_once(&run, &err), HL_OK);
    assert_int_equal(run.status, RUN_FAILED);
    assert_int_equal(run.exit_status, 2);
    assert_non_null(strstr(run.note, "make exited with status 2: u1.c:1:"));
    assert_non_null(strstr(run.note, "error: "));
    assert_null(strchr(run.note, '\n'));
}

static void a_missing_target_and_a_missing_compiler_fail_at_the_build(void **state)
{
    const struct host_work_options options = {.workload = "kernbench",
                                              .build.tree = fixture.tree,
                                              .work_dir = fixture.work,
                                              .build.target = "nonesuch"};
    struct host_work *build = NULL;
    struct hl_error err = {0};
    struct run run;

    (void)state;
    write_tree();
    run_init(&run, RUN_HOST, "not run");
    assert_int_equal(host_work_open(&build, &options, &err), HL_OK);
    assert_int_equal(host_work_run(build, 2, NULL, &run, &err), HL_OK);
    assert_int_equal(run.status, RUN_FAILED);
    assert_non_null(strstr(run.note, "No rule to make target 'nonesuch'"));
    host_work_close(build);

    assert_int_equal(setenv("CC", "no-such-compiler", 1), 0);
    assert_int_equal(build_once(&run, &err), HL_OK);
    assert_int_equal(unsetenv("CC"), 0);
    assert_int_equal(run.status, RUN_FAILED);
    assert_non_null(strstr(run.note, "no-such-compiler"));
}

static void a_make_that_is_killed_is_marked_killed(void **state)
{
    struct hl_error err = {0};
    struct run run;

    (void)state;
    fixture_write("Makefile", "all:\n\tkill -9 $$PPID\n");
    assert_int_equal(build_once(&run, &err), HL_OK);
    assert_int_equal(run.status, RUN_KILLED);
    assert_int_equal(run.exit_status, 128 + SIGKILL);
    assert_non_null(strstr(run.note, "signal 9 (KILL)"));
}

static void a_daemon_left_behind_is_named_and_ended(void **state)
{
    struct hl_error err = {0};
    struct run run;

    (void)state;
    /* A session of its own, deaf to SIGTERM: only its parent can tell where it came from. */
    fixture_write(
        "Makefile",
        "all:\n\tsetsid sh -c 'trap \"\" TERM; echo $$$$ >\"$$TOP/pid\"; sleep 300; sleep 300' &\n"
        "\tuntil test -s \"$$TOP/pid\"; do sleep 0.01; done\n");
    assert_int_equal(build_once(&run, &err), HL_OK);
    assert_int_equal(run.status, RUN_OK);
    assert_non_null(strstr(run.note, "left behind, ended: "));
    assert_non_null(strstr(run.note, "sleep (pid "));
    assert_false(process_stays(fixture_wait_number("pid")));
    assert_int_equal(fixture_entries(fixture.work), 0);
}

static void cpu_time_of_what_outlives_make_counts(void **state)
{
    struct hl_error err = {0};
    struct run run;

    (void)state;
    fixture_write(
        "Makefile",
        "all:\n\tsh -c 'sleep 0.05; i=0; while [ $$i -lt 30000 ]; do i=$$((i + 1)); done' &\n");
    assert_int_equal(build_once(&run, &err), HL_OK);
    assert_true(run.metric[RUN_elapsed_s] < run.metric[RUN_user_s] + 0.04);
    assert_true(run.metric[RUN_user_s] > 0.005);
}

static void what_a_stray_computes_counts(void **state)
{
    struct hl_error err = {0};
    struct run run;

    (void)state;
    /* make and its shell alone need some milliseconds; most of this comes after their end. */
    fixture_write("Makefile",
                  "all:\n\tsh -c 'sleep 0.05; i=0; while [ $$i -lt 1000000 ]; do i=$$((i + 1)); "
                  "done' &\n");
    assert_int_equal(build_once(&run, &err), HL_OK);
    assert_true(run.metric[RUN_user_s] + run.metric[RUN_system_s] > 0.05);
}

static void a_built_tree_is_cleaned_or_refused(void **state)
{
    struct hl_error err = {0};
    struct run run;

    (void)state;
    write_tree();
    fixture_write("prögram", "built");
    for (int i = 0; i < 4; i++) {
        static const char *const objects[] = {"main.o", "u0.o", "u1.o", "u2.o"};

        fixture_write(objects[i], "not an object: the link fails unless it is cleaned\n");
    }
    assert_int_equal(build_once(&run, &err), HL_OK);
    assert_string_equal(run.note, "");
    assert_true(fixture_has("u0.o"));

    fixture_write("Makefile", "out: in\n\tcp in out\n");
    fixture_write("in", "");
    fixture_write("out", "");
    assert_int_equal(build_once(&run, &err), HL_BAD_INPUT);
    assert_non_null(strstr(err.text, "nothing to do"));
    assert_int_equal(fixture_entries(fixture.work), 0);
}

static void what_is_no_tree_is_refused(void **state)
{
    struct host_work_options options = {
        .workload = "kernbench", .build.tree = fixture.tree, .work_dir = fixture.work};
    struct host_work *build = NULL;
    struct hl_error err = {0};
    char path[PATH_MAX];

    (void)state;
    assert_int_equal(host_work_open(&build, &options, &err), HL_BAD_INPUT);
    assert_null(build);
    assert_non_null(strstr(err.text, "has no Makefile"));

    fixture_write("Makefile", "# CMAKE generated file: DO NOT EDIT!\nall:\n");
    assert_int_equal(host_work_open(&build, &options, &err), HL_BAD_INPUT);
    assert_non_null(strstr(err.text, "CMake"));

    (void)snprintf(path, sizeof(path), "%s/Makefile", fixture.tree);
    options.build.tree = path;
    assert_int_equal(host_work_open(&build, &options, &err), HL_BAD_INPUT);
    assert_non_null(strstr(err.text, "not a folder"));

    options.build.tree = "/no/such/folder";
    assert_int_equal(host_work_open(&build, &options, &err), HL_BAD_INPUT);
    assert_non_null(strstr(err.text, "/no/such/folder: No such file"));

    options.build.tree = NULL;
    options.build.config = "defconfig";
    assert_int_equal(host_work_open(&build, &options, &err), HL_USAGE);
    assert_int_equal(fixture_entries(fixture.work), 0);
}

static void a_folder_that_cannot_be_written_is_refused(void **state)
{
    struct host_work_options options = {
        .workload = "kernbench", .build.tree_scale_ppm = 1, .work_dir = "/proc"};
    struct host_work *build = NULL;
    struct hl_error err = {0};
    char path[PATH_MAX];

    (void)state;
    /* Nobody, not even root, can make a folder in /proc or below a file. */
    assert_int_equal(host_work_open(&build, &options, &err), HL_NOT_PERMITTED);
    assert_non_null(strstr(err.text, "/proc: cannot make a folder"));
    fixture_write("Makefile", "all:\n");
    (void)snprintf(path, sizeof(path), "%s/Makefile/below", fixture.tree);
    options.work_dir = path;
    assert_int_equal(host_work_open(&build, &options, &err), HL_NOT_PERMITTED);
    options.work_dir = options.build.tree = fixture.tree;
    assert_int_equal(host_work_open(&build, &options, &err), HL_USAGE);
    assert_int_equal(fixture_entries(fixture.tree), 1);
}

static void missing_programs_are_said_before_anything_is_made(void **state)
{
    struct host_work_options options = {
        .workload = "kernbench", .build.tree_scale_ppm = 1, .work_dir = fixture.work};
    struct host_work *build = NULL;
    struct hl_error err = {0};
    char *old = strdup(getenv("PATH"));

    (void)state;
    assert_int_equal(setenv("CC", "no-such-compiler -m32", 1), 0);
    assert_int_equal(host_work_open(&build, &options, &err), HL_UNSUPPORTED);
    assert_non_null(strstr(err.text, "`no-such-compiler`"));
    assert_int_equal(unsetenv("CC"), 0);
    assert_int_equal(setenv("PATH", fixture.tree, 1), 0);
    assert_int_equal(host_work_open(&build, &options, &err), HL_UNSUPPORTED);
    assert_non_null(strstr(err.text, "`make`"));
    assert_int_equal(setenv("PATH", old, 1), 0);
    free(old);
    assert_int_equal(fixture_entries(fixture.work), 0);
}

/* A program of its own that builds the tree; returns its pid when the build has written TOP/pid. */
static pid_t start_program(int *build_pid)
{
    pid_t program;

    fixture_write("Makefile", "all:\n\techo $$$$ >\"$$TOP/pid\"; exec sleep 300\n");
    program = fork();
    assert_true(program >= 0);
    if (program == 0) {
        struct hl_error err = {0};
        struct run run;

        /* Dies with the test, should that fail on its way. */
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        /* What ran the test may ignore them (nohup, a shell's background job). */
        (void)signal(SIGINT, SIG_DFL);
        (void)signal(SIGTERM, SIG_DFL);
        (void)signal(SIGHUP, SIG_DFL);
        hl_interrupt_catch();
        _exit(hl_exit_code(build_once(&run, &err)));
    }
    *build_pid = fixture_wait_number("pid");
    return program;
}

static void an_interrupt_ends_the_build_and_removes_the_folder(void **state)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    char path[PATH_MAX];

    (void)state;
    (void)snprintf(path, sizeof(path), "%s/pid", fixture.top);
    for (int i = 0; i < HL_COUNT_OF(numbers); i++) {
        int build_pid, status;
        pid_t program = start_program(&build_pid);

        assert_int_equal(kill(program, numbers[i]), 0);
        assert_int_equal(waitpid(program, &status, 0), program);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 130);
        assert_false(process_stays(build_pid));
        assert_int_equal(fixture_entries(fixture.work), 0);
        assert_int_equal(unlink(path), 0);
    }
}

static void after_sigkill_the_build_ends_and_the_next_start_cleans_up(void **state)
{
    struct hl_error err = {0};
    struct run run;
    int build_pid, status;
    pid_t program;

    (void)state;
    program = start_program(&build_pid);
    assert_int_equal(kill(program, SIGKILL), 0);
    assert_int_equal(waitpid(program, &status, 0), program);
    assert_false(process_stays(build_pid));
    assert_int_equal(fixture_entries(fixture.work), 1);
    fixture_write("Makefile", "all:\n\ttrue\n");
    assert_int_equal(build_once(&run, &err), HL_OK);
    assert_int_equal(fixture_entries(fixture.work), 0);
}

static void a_build_that_lost_its_keeper_too_ends_at_the_next_start(void **state)
{
    struct host_process_list list = {0};
    struct hl_error err = {0};
    struct run run;
    int build_pid, status;
    pid_t program;

    (void)state;
    program = start_program(&build_pid);
    assert_int_equal(host_processes_below(&list, program, &err), HL_OK);
    assert_true(list.count >= 3);
    assert_string_equal(list.processes[0].name, "halfload-keeper");
    assert_int_equal(kill(program, SIGSTOP), 0);
    assert_int_equal(kill(list.processes[0].pid, SIGKILL), 0);
    assert_int_equal(kill(program, SIGKILL), 0);
    host_process_list_close(&list);
    assert_int_equal(waitpid(program, &status, 0), program);
    assert_int_equal(kill(build_pid, 0), 0);
    fixture_write("Makefile", "all:\n\ttrue\n");
    assert_int_equal(build_once(&run, &err), HL_OK);
    assert_false(process_stays(build_pid));
    assert_int_equal(fixture_entries(fixture.work), 0);
}

static void a_live_session_is_left_alone(void **state)
{
    const struct host_work_options options = {
        .workload = "kernbench", .build.tree = fixture.tree, .work_dir = fixture.work};
    struct host_work *build = NULL;
    struct hl_error err = {0};
    struct run run;

    (void)state;
    write_tree();
    assert_int_equal(host_work_open(&build, &options, &err), HL_OK);
    assert_int_equal(build_once(&run, &err), HL_OK);
    assert_int_equal(fixture_entries(fixture.work), 1);
    run_init(&run, RUN_HOST, "not run");
    assert_int_equal(host_work_run(build, 2, NULL, &run, &err), HL_OK);
    assert_string_equal(run.note, "");
    host_work_close(build);
}

static void an_interrupt_before_the_build_is_seen(void **state)
{
    struct hl_error err = {0};
    struct run run;

    (void)state;
    write_tree();
    hl_interrupt_set(true);
    assert_int_equal(build_once(&run, &err), HL_INTERRUPTED);
    hl_interrupt_set(false);
    assert_int_equal(fixture_entries(fixture.work), 0);
}

static void every_failing_allocation_is_a_status_and_leaves_nothing(void **state)
{
    const struct host_work_options options = {.workload = "kernbench",
                                              .build.tree_scale_ppm = 1,
                                              .work_dir = fixture.work,
                                              .build.target = "all"};
    enum hl_status status = HL_NO_MEMORY;
    struct host_work *build;
    struct hl_error err;

    (void)state;
    for (uint64_t n = 1; status != HL_OK; n++) {
        hl_alloc_fail_at(n);
        status = host_work_open(&build, &options, &err);
        hl_alloc_fail_at(0);
        assert_true(status == HL_OK || status == HL_NO_MEMORY);
        assert_int_equal(build == NULL, status != HL_OK);
        host_work_close(build);
        assert_int_equal(fixture_entries(fixture.work), 0);
        assert_true(n < 1000);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_build_is_measured_and_leaves_the_tree_alone),
        TEST(the_generated_tree_builds_and_bounds_the_maximal_load),
        TEST(every_build_starts_from_the_same_state),
        TEST(a_failed_build_says_why),
        TEST(a_missing_target_and_a_missing_compiler_fail_at_the_build),
        TEST(a_make_that_is_killed_is_marked_killed),
        TEST(a_daemon_left_behind_is_named_and_ended),
        TEST(cpu_time_of_what_outlives_make_counts),
        TEST(what_a_stray_computes_counts),
        TEST(a_built_tree_is_cleaned_or_refused),
        TEST(what_is_no_tree_is_refused),
        TEST(a_folder_that_cannot_be_written_is_refused),
        TEST(missing_programs_are_said_before_anything_is_made),
        TEST(an_interrupt_ends_the_build_and_removes_the_folder),
        TEST(after_sigkill_the_build_ends_and_the_next_start_cleans_up),
        TEST(a_build_that_lost_its_keeper_too_ends_at_the_next_start),
        TEST(a_live_session_is_left_alone),
        TEST(an_interrupt_before_the_build_is_seen),
        TEST(every_failing_allocation_is_a_status_and_leaves_nothing),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
