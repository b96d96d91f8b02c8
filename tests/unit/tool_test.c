/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tool_test.c - real matinv and rsa: figures, wrong results, programs that are missing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "base/units.h"
#include "host/host.h"
#include "host_fixture.h"

static char *own_path;

static int open_fixture(void **state)
{
    assert_int_equal(fixture_set_up(state), 0);
    return (own_path = strdup(getenv("PATH"))) == NULL;
}

static int close_fixture(void **state)
{
    (void)fixture_tear_down(state);
    (void)setenv("PATH", own_path, 1);
    free(own_path);
    return 0;
}

static struct host_work_options options_of(const char *workload)
{
    return (struct host_work_options){
        .workload = workload,
        .work_dir = fixture.work,
        .matinv = {.first = 20, .last = 60, .step = 20, .seed = 1},
        .rsa = {.bits = 512, .seconds = 1},
    };
}

static enum hl_status play(const struct host_work_options *options, int64_t level, struct run *run,
                           struct hl_error *err)
{
    struct host_work *work;
    enum hl_status status;

    HL_TRY(host_work_open(&work, options, err));
    run_init(run, RUN_HOST, "not measured");
    status = host_work_run(work, level, NULL, run, err);
    host_work_close(work);
    assert_int_equal(fixture_entries(fixture.work), 0);
    return status;
}

static double metric_of(const struct run *run, const char *name)
{
    int metric = run_metric_find(name);

    assert_true(metric >= 0);
    assert_true(run_has(run, (enum run_metric)metric));
    return run->metric[metric];
}

/* A program of that name before all others in PATH. */
static void fake(const char *name, const char *script)
{
    char path[PATH_MAX];

    fixture_write(name, script);
    (void)snprintf(path, sizeof(path), "%s/%s", fixture.tree, name);
    assert_int_equal(chmod(path, 0700), 0);
    (void)snprintf(path, sizeof(path), "%s:%s", fixture.tree, own_path);
    assert_int_equal(setenv("PATH", path, 1), 0);
}

static void matinv_inverts_and_says_how_fast_and_how_well(void **state)
{
    struct host_work_options options = options_of("matinv");
    struct hl_error err = {0};
    struct run run;

    (void)state;
    assert_int_equal(play(&options, 2, &run, &err), HL_OK);
    assert_string_equal(run.note, "");
    assert_int_equal(run.status, RUN_OK);
    assert_true(metric_of(&run, "mflops") > 0);
    assert_true(metric_of(&run, "residual") > 0 && metric_of(&run, "residual") < 30);
    assert_int_equal(run_metric_table[run_metric_find("mflops")].better, RUN_HIGHER);
    assert_true(run.metric[RUN_elapsed_s] > 0);
    assert_int_equal(run.part_count, 3);
    assert_string_equal(run.parts[0].name, "order 20");
    assert_string_equal(run.parts[2].name, "order 60");
    for (int i = 0; i < 3; i++) {
        assert_true(run_part_get(&run.parts[i], RUN_elapsed_s) > 0);
        assert_true(run_part_get(&run.parts[i], RUN_percent_cpu) > 0);
        assert_true(run_part_get(&run.parts[i], run_metric_find("mflops")) > 0);
        assert_true(run_part_get(&run.parts[i], run_metric_find("residual")) < 30);
    }
    run_close(&run);
    options.matinv.has_no_residual = true;
    assert_int_equal(play(&options, 1, &run, &err), HL_OK);
    assert_int_equal(run.status, RUN_OK);
    assert_false(run_has(&run, (enum run_metric)run_metric_find("residual")));
    assert_string_equal(run.reason[run_metric_find("residual")], "not looked at, as asked");
    assert_true(isnan(run_part_get(&run.parts[0], run_metric_find("residual"))));
    run_close(&run);
}

static void a_wrong_result_is_a_failed_run(void **state)
{
    struct host_work_options options = options_of("matinv");
    struct hl_error err = {0};
    struct run run;

    (void)state;
    fake("halfload-matinv", "#!/bin/sh\nPATH=${PATH#*:}\nexec halfload-matinv --bound 0 \"$@\"\n");
    assert_int_equal(play(&options, 1, &run, &err), HL_OK);
    assert_int_equal(run.status, RUN_FAILED);
    assert_int_equal(run.exit_status, 3);
    assert_non_null(strstr(run.note, "wrong result: order 20 has a residual of"));
}

static void output_that_is_not_understood_is_a_failed_run(void **state)
{
    struct host_work_options options = options_of("rsa");
    struct hl_error err = {0};
    struct run run;

    (void)state;
    fake("openssl", "#!/bin/sh\necho 'sign verify'\n");
    assert_int_equal(play(&options, 1, &run, &err), HL_OK);
    assert_int_equal(run.status, RUN_FAILED);
    assert_string_equal(run.note, "output of openssl not understood: no line with sign/s and "
                                  "verify/s");
}

static void rsa_asks_openssl_and_takes_its_rates(void **state)
{
    struct host_work_options options = options_of("rsa");
    struct hl_error err = {0};
    struct run run;

    (void)state;
    options.rsa.bits = 2048;
    fake("openssl",
         "#!/bin/sh\n"
         "[ \"$*\" = 'speed -seconds 1 -multi 3 -elapsed rsa2048' ] || { echo \"$*\"; exit 9; }\n"
         "echo '      sign    verify    sign/s verify/s'\n"
         "echo 'rsa 2048 bits 0.001s 0.0001s 3000.5 9000.25'\n");
    assert_int_equal(play(&options, 3, &run, &err), HL_OK);
    assert_string_equal(run.note, "");
    assert_true(metric_of(&run, "signs_per_s") == 3000.5);
    assert_true(metric_of(&run, "verifies_per_s") == 9000.25);
    assert_int_equal(run_metric_table[run_metric_find("signs_per_s")].better, RUN_HIGHER);
}

static void the_real_openssl_is_understood(void **state)
{
    struct host_work_options options = options_of("rsa");
    struct hl_error err = {0};
    struct run run;

    (void)state;
    if (system("openssl version >/dev/null 2>&1") != 0)
        skip();
    assert_int_equal(play(&options, 1, &run, &err), HL_OK);
    assert_string_equal(run.note, "");
    assert_int_equal(run.status, RUN_OK);
    assert_true(metric_of(&run, "signs_per_s") > 1);
    assert_true(metric_of(&run, "verifies_per_s") > metric_of(&run, "signs_per_s"));
}

static void what_cannot_be_run_is_told_before_it_is(void **state)
{
    struct host_work_options options = options_of("rsa");
    struct hl_error err = {0};
    struct run run;

    (void)state;
    assert_int_equal(play(&options, 0, &run, &err), HL_USAGE);
    options.rsa.bits = 1000;
    assert_int_equal(play(&options, 1, &run, &err), HL_USAGE);
    options.rsa.bits = 1024;
    assert_int_equal(setenv("PATH", fixture.tree, 1), 0);
    assert_int_equal(play(&options, 1, &run, &err), HL_UNSUPPORTED);
    assert_string_equal(err.text, "found no program `openssl`; install openssl");
    options = options_of("matinv");
    assert_int_equal(play(&options, 1, &run, &err), HL_UNSUPPORTED);
    assert_non_null(strstr(err.text, "found no program `halfload-matinv` beside halfload"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(matinv_inverts_and_says_how_fast_and_how_well),
        TEST(a_wrong_result_is_a_failed_run),
        TEST(output_that_is_not_understood_is_a_failed_run),
        TEST(rsa_asks_openssl_and_takes_its_rates),
        TEST(the_real_openssl_is_understood),
        TEST(what_cannot_be_run_is_told_before_it_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
