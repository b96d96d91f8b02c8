/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_test.c - every format in all its forms, and what is wrong with a file in one line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "import/import.h"
#include "report/report.h"

static const struct import_options no_options;
static struct hl_error err;

/* Adds the runs of a text to *result. */
static void read_more(struct import_result *result, const char *text,
                      const struct import_options *options)
{
    if (import_text(result, "FILE", text, strlen(text), options, &err) != HL_OK)
        fail_msg("%s", err.text);
}

static struct import_result read_ok(const char *text)
{
    struct import_result result = {0};

    read_more(&result, text, &no_options);
    return result;
}

static void assert_refused(const char *text, const char *message)
{
    struct import_result result = {0};

    assert_int_equal(import_text(&result, "FILE", text, strlen(text), &no_options, &err),
                     HL_BAD_INPUT);
    if (strncmp(err.text, message, strlen(message)) != 0)
        fail_msg("the message is: %s", err.text);
    assert_int_equal(result.runs.count, 0);
    import_close(&result);
}

static void assert_metric(const struct run *run, enum run_metric metric, double value)
{
    if (!run_has(run, metric) || run->metric[metric] != value)
        fail_msg("%s is %.17g; expected %.17g", run_metric_table[metric].name, run->metric[metric],
                 value);
}

static void assert_missing(const struct run *run, enum run_metric metric)
{
    assert_false(run_has(run, metric));
    assert_true(run->reason[metric] != NULL && run->reason[metric][0] != '\0');
}

/* ---- kernbench ---- */

static void a_kernbench_log_is_a_run_per_block(void **state)
{
    struct import_result result = read_ok("Thu Feb  5 10:11:12 UTC 2026\n"
                                          "6.12.0\n"
                                          "Average Half load -j 3 Run (std deviation):\n"
                                          "Elapsed Time 81.552 (0.342)\n"
                                          "User Time 214.6 (1.02)\n"
                                          "System Time 22.91 (0.2)\n"
                                          "Percent CPU 291 (1.4)\n"
                                          "Context Switches 10431.6 (88.7)\n"
                                          "Sleeps 26554.6 (120.1)\n"
                                          "\n"
                                          "Average Maximal load -j Run (std deviation):\n"
                                          "Elapsed Time 60.1 (nan)\n");
    const struct run *half = &result.runs.runs[0], *max = &result.runs.runs[1];

    (void)state;
    assert_int_equal(result.runs.count, 2);
    assert_int_equal(half->source, RUN_IMPORT);
    assert_string_equal(half->workload, "kernbench");
    assert_string_equal(half->load, "half");
    assert_int_equal(half->level, 3);
    assert_string_equal(half->variant, "kernel=6.12.0");
    assert_int_equal(half->block, -1);
    assert_metric(half, RUN_elapsed_s, 81.552);
    assert_metric(half, RUN_user_s, 214.6);
    assert_metric(half, RUN_system_s, 22.91);
    assert_metric(half, RUN_percent_cpu, 291);
    assert_metric(half, RUN_involuntary_switches, 10431.6);
    assert_metric(half, RUN_voluntary_switches, 26554.6);
    assert_string_equal(half->reason[RUN_elapsed_s],
                        "mean of several runs by kernbench, deviation 0.342");
    assert_missing(half, RUN_migrations);
    assert_string_equal(max->load, "max");
    assert_int_equal(max->level, 0);
    assert_string_equal(max->reason[RUN_elapsed_s], "mean of several runs by kernbench");
    assert_missing(max, RUN_user_s);
    import_close(&result);
}

static void the_old_form_may_leave_loads_blank(void **state)
{
    struct import_result result = read_ok("Average Half Load Run:\n"
                                          "Elapsed Time 120.186\n"
                                          "User Time 800.614\n"
                                          "\n"
                                          "Average Optimum Load Run:\n"
                                          "Elapsed Time\n"
                                          "User Time \n"
                                          "Average Maximum Load Run:\n");

    (void)state;
    assert_int_equal(result.runs.count, 3);
    assert_string_equal(result.runs.runs[0].load, "half");
    assert_int_equal(result.runs.runs[0].level, -1);
    assert_string_equal(result.runs.runs[0].variant, "");
    assert_metric(&result.runs.runs[0], RUN_elapsed_s, 120.186);
    assert_string_equal(result.runs.runs[1].load, "optimal");
    assert_missing(&result.runs.runs[1], RUN_elapsed_s);
    assert_missing(&result.runs.runs[1], RUN_user_s);
    assert_string_equal(result.runs.runs[2].load, "max");
    assert_missing(&result.runs.runs[2], RUN_elapsed_s);
    import_close(&result);
}

static void a_log_that_was_appended_to_numbers_its_runs(void **state)
{
    static const char log[] = "2.6.0-test11\n"
                              "Average Half Load Run:\n"
                              "Elapsed Time 120\n"
                              "Mon Dec  1 10:00:00 UTC 2003\n"
                              "2.6.0-test11\n"
                              "Average Half Load Run:\n"
                              "Elapsed Time 121\n"
                              "\n"
                              "o1:version=2.6.0\n"
                              "Average load -j 8 Run (std deviation):\n"
                              "Elapsed Time 100 (1)\n"
                              "Left out: 1 of 3 runs failed\n";
    struct import_result result = read_ok(log);

    (void)state;
    assert_int_equal(result.runs.count, 3);
    assert_int_equal(result.runs.runs[0].run, 0);
    assert_int_equal(result.runs.runs[1].run, 1);
    assert_string_equal(result.runs.runs[1].variant, "kernel=2.6.0-test11");
    assert_string_equal(result.runs.runs[2].variant, "o1:version=2.6.0");
    assert_string_equal(result.runs.runs[2].load, "8");
    assert_int_equal(result.runs.runs[2].level, 8);
    assert_string_equal(result.runs.runs[2].note,
                        "each value is a mean that the log gives, its runs are not in it. Left "
                        "out: 1 of 3 runs failed");
    read_more(&result, log, &no_options);
    assert_int_equal(result.runs.count, 6);
    assert_int_equal(result.runs.runs[4].run, 3);
    import_close(&result);
}

static void what_is_wrong_with_a_kernbench_log(void **state)
{
    (void)state;
    assert_refused("Average Hafl load -j 3 Run:\nElapsed Time 1\n",
                   "FILE:1: unknown load \"Hafl\"; did you mean \"Half\"?");
    assert_refused("Average Run:\n", "FILE:1: unknown load");
    assert_refused("Average Half load -j 0 Run:\n", "FILE:1: the number of jobs");
    assert_refused("Average Half Load Run:\nElapsd Time 1\n", "FILE:2: found 'Elapsd Time 1'");
    assert_refused("Average Half Load Run:\n\nElapsed Time 1\n",
                   "FILE:3: 'Elapsed Time 1' stands in");
    assert_refused("Average Half Load Run:\nElapsed Time 1,5\n", "FILE:2: Elapsed Time is '1,5'");
    assert_refused("Average Half Load Run:\nElapsed Time -1\n", "FILE:2: Elapsed Time is '-1'");
    assert_refused("Average Half Load Run:\nElapsed Time 1 0.5\n", "FILE:2: Elapsed Time is '1'");
    assert_refused("Average Half Load Run:\nElapsed Time 1 (0.5) x\n", "FILE:2: Elapsed Time is");
    assert_refused("Average Half Load Run:\nElapsed Time 1\nElapsed Time 1\n",
                   "FILE:3: Elapsed Time comes twice");
}

/* ---- time lines ---- */

static void each_form_of_time_is_read(void **state)
{
    static const struct {
        const char *text;
        double elapsed_s, user_s, system_s;
    } forms[] = {
        {"4707.78 real 9019.12 user 38.34 sys\n", 4707.78, 9019.12, 38.34},
        {"     4707.78 real      9019.12 user        38.34 sys", 4707.78, 9019.12, 38.34},
        {"120.19 800.61 92.60 743% 10430 26554\n", 120.19, 800.61, 92.60},
        {"3:25.56 1:00.01 0.5\n", 205.56, 60.01, 0.5},
        {"1:02:03 1 2\r\n", 3723, 1, 2},
        {"real 1m21.670s\nuser 3m34.600s\nsys 0m22.910s\n", 81.67, 214.6, 22.91},
        {"\nreal\t1m21.670s\nuser\t3m34,6s\nsys\t0m22,910s\n", 81.67, 214.6, 22.91},
        {"real 81.67\nuser 214.60\nsys 22.91\n", 81.67, 214.6, 22.91},
        {"800.61user 92.60system 2:00.19elapsed 743%CPU (0avgtext+0avgdata 190000maxresident)k\n"
         "0inputs+0outputs (0major+77minor)pagefaults 0swaps\n",
         120.19, 800.61, 92.60},
        {"\tCommand being timed: \"make -j4\"\n"
         "\tUser time (seconds): 800.61\n"
         "\tSystem time (seconds): 92.60\n"
         "\tPercent of CPU this job got: 743%\n"
         "\tElapsed (wall clock) time (h:mm:ss or m:ss): 2:00.19\n"
         "\tPage size (bytes): 4096\n"
         "\tExit status: 0\n",
         120.19, 800.61, 92.60},
    };

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(forms); i++) {
        struct import_result result = read_ok(forms[i].text);
        const struct run *run = &result.runs.runs[0];

        assert_int_equal(result.runs.count, 1);
        assert_metric(run, RUN_elapsed_s, forms[i].elapsed_s);
        assert_metric(run, RUN_user_s, forms[i].user_s);
        assert_metric(run, RUN_system_s, forms[i].system_s);
        assert_metric(run, RUN_percent_cpu,
                      100 * (forms[i].user_s + forms[i].system_s) / forms[i].elapsed_s);
        assert_int_equal(run->status, RUN_OK);
        assert_string_equal(run->workload, "unnamed");
        assert_string_equal(run->load, "unnamed");
        assert_missing(run, RUN_migrations);
        import_close(&result);
    }
}

static void fields_of_time_are_taken_from_the_left(void **state)
{
    struct import_result result =
        read_ok("# five builds\n81.2\n120.19 800.61 92.60 743% 10430 26554\n"
                "0.00 0.00 0.00 ?%\n");

    (void)state;
    assert_int_equal(result.runs.count, 3);
    assert_metric(&result.runs.runs[0], RUN_elapsed_s, 81.2);
    assert_missing(&result.runs.runs[0], RUN_user_s);
    assert_missing(&result.runs.runs[0], RUN_percent_cpu);
    assert_metric(&result.runs.runs[1], RUN_involuntary_switches, 10430);
    assert_metric(&result.runs.runs[1], RUN_voluntary_switches, 26554);
    assert_int_equal(result.runs.runs[1].order, 1);
    assert_metric(&result.runs.runs[2], RUN_elapsed_s, 0);
    assert_missing(&result.runs.runs[2], RUN_percent_cpu);
    import_close(&result);
}

/* C05: five files; that of run 3 begins with the line on its exit status. */
static void a_failed_build_among_good_ones_is_kept_apart(void **state)
{
    static const char *const files[] = {
        "81.2\n", "81.6\n", "Command exited with non-zero status 2\n12.4\n", "82.0\n", "81.4\n"};
    struct import_result result = {0};
    double values[5], sum = 0;
    size_t n;

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(files); i++)
        read_more(&result, files[i], &no_options);
    assert_int_equal(result.runs.count, 5);
    n = run_values(result.runs.runs, 5, RUN_elapsed_s, values);
    assert_int_equal(n, 4);
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    assert_true(sum / 4 > 81.5499 && sum / 4 < 81.5501);
    assert_int_equal(result.runs.runs[2].run, 2);
    assert_int_equal(result.runs.runs[2].status, RUN_FAILED);
    assert_int_equal(result.runs.runs[2].exit_status, 2);
    assert_metric(&result.runs.runs[2], RUN_elapsed_s, 12.4);
    assert_int_equal(result.runs.runs[3].status, RUN_OK);
    import_close(&result);
}

static void the_end_of_a_command_belongs_to_the_numbers_after_it(void **state)
{
    struct import_result result = read_ok("Command terminated by signal 9\n"
                                          "3:25.56 1 2\n"
                                          "Command exited with non-zero status 2\n"
                                          "\tCommand being timed: \"x\"\n"
                                          "\tElapsed (wall clock) time (h:mm:ss or m:ss): 0:01.50\n"
                                          "\tExit status: 2\n"
                                          "7\n");

    (void)state;
    assert_int_equal(result.runs.count, 3);
    assert_int_equal(result.runs.runs[0].status, RUN_KILLED);
    assert_int_equal(result.runs.runs[0].exit_status, 137);
    assert_int_equal(result.runs.runs[1].status, RUN_FAILED);
    assert_int_equal(result.runs.runs[1].exit_status, 2);
    assert_metric(&result.runs.runs[1], RUN_elapsed_s, 1.5);
    assert_int_equal(result.runs.runs[2].status, RUN_OK);
    import_close(&result);
}

static void what_is_wrong_with_time_lines(void **state)
{
    (void)state;
    assert_refused("81.2\nmake: *** [all] Error 2\n",
                   "FILE:2: found 'make: *** [all] Error 2'; expected a line of time(1)");
    assert_refused("81.2\nCommand exited with non-zero status 2\n",
                   "FILE:2: found no elapsed time after this line");
    assert_refused(
        "Command exited with non-zero status 2\nCommand exited with non-zero status 2\n1\n",
        "FILE:2: found 'Command exited with non-zero status 2'; expected the numbers");
    assert_refused("1 2 3 4\n", "FILE:1: found '4'; expected a percentage");
    assert_refused("1 2 3 4% 5 6 7\n", "FILE:1: found '7'; expected at most six fields");
    assert_refused("1 2 3 4% 5.5\n", "FILE:1: found '5.5'; expected a count");
    assert_refused("1:75.0\n", "FILE:1: found '1:75.0'; expected a time");
    assert_refused("1.2.3\n", "FILE:1: found '1.2.3'");
    assert_refused("1e3\n", "FILE:1: found '1e3'");
    assert_refused("99999999999999999999:00\n", "FILE:1: found");
    assert_refused("real 1m2\nuser 1\nsys 1\n", "FILE:1: found '1m2'");
    assert_refused("user 1\n5\n", "FILE:2: found '5'; expected the lines real, user and sys");
    assert_refused("user 1\n", "FILE:1: found no elapsed time");
    assert_refused("1 real 2 sys 3 user\n", "FILE:1: found 'sys'; expected TIME real");
    assert_refused("1.0user 2.0system elapsed 3%CPU\n", "FILE:1: found ''");
    assert_refused("Command being timed: \"x\"\nUser time (seconds): 1\n", "FILE:2: found the end");
    assert_refused("hello\n", "FILE:1: found 'hello'; expected a line of time(1)");
}

static void more_runs_than_memory_should_hold_are_refused(void **state)
{
    enum { LINES = 100001 };
    char *text = hl_alloc(2 * LINES + 1, 1);

    (void)state;
    assert_non_null(text);
    for (int i = 0; i < LINES; i++)
        memcpy(text + 2 * i, "1\n", 2);
    assert_refused(text, "FILE: more than 100000 runs");
    hl_free(text);
}

/* ---- hyperfine ---- */

static void hyperfine_gives_a_run_per_time(void **state)
{
    struct import_result result = read_ok(
        "{\"results\":[{\"command\":\"make -j4\",\"mean\":1.02,\"user\":3.5,\"stddev\":0.01,"
        "\"times\":[1.01,1.03,0.2],\"exit_codes\":[0,2,null],\"parameters\":{\"cc\":\"a,b\"}},"
        "{\"command\":\"make -j8\",\"times\":[0.9]}]}");
    const struct run *runs = result.runs.runs;

    (void)state;
    assert_int_equal(result.runs.count, 4);
    assert_string_equal(runs[0].variant, "command=make -j4,cc=a\\,b");
    assert_metric(&runs[0], RUN_elapsed_s, 1.01);
    assert_missing(&runs[0], RUN_user_s);
    assert_string_equal(runs[0].reason[RUN_user_s],
                        "hyperfine gives only the mean of all runs, 3.5 s");
    assert_int_equal(runs[1].run, 1);
    assert_int_equal(runs[1].status, RUN_FAILED);
    assert_int_equal(runs[1].exit_status, 2);
    assert_int_equal(runs[2].status, RUN_KILLED);
    assert_string_equal(runs[3].variant, "command=make -j8");
    assert_int_equal(runs[3].run, 0);
    assert_int_equal(runs[3].order, 3);
    import_close(&result);
}

static void a_lone_number_of_a_scan_is_the_load(void **state)
{
    static const char scan[] =
        "{\"results\":["
        "{\"command\":\"make -j4 O=14 v4.4\",\"times\":[1],\"parameters\":{\"jobs\":\"4\"}},"
        "{\"command\":\"make -j8 O=14 v4.4\",\"times\":[2],\"parameters\":{\"jobs\":8}},"
        "{\"command\":\"sleep 0.1\",\"times\":[3],\"parameters\":{\"s\":\"0.1\"}},"
        "{\"command\":\"cc a\",\"times\":[4],\"parameters\":{\"cc\":\"a\"}},"
        "{\"command\":\"x 1 2\",\"times\":[5],\"parameters\":{\"a\":\"1\",\"b\":\"2\"}}]}";
    const struct import_options said = {.load = "all"};
    struct import_result result = read_ok(scan);
    const struct run *runs = result.runs.runs;

    (void)state;
    assert_string_equal(runs[0].variant, "command=make -j{jobs} O=14 v4.4");
    assert_string_equal(runs[0].load, "4");
    assert_int_equal(runs[0].level, 4);
    assert_string_equal(runs[1].variant, runs[0].variant);
    assert_string_equal(runs[1].load, "8");
    assert_string_equal(runs[2].variant, "command=sleep {s}");
    assert_string_equal(runs[2].load, "0.1");
    assert_int_equal(runs[2].level, -1);
    assert_string_equal(runs[3].variant, "command=cc a,cc=a");
    assert_string_equal(runs[3].load, "unnamed");
    assert_string_equal(runs[4].variant, "command=x 1 2,a=1,b=2");
    import_close(&result);
    /* A load that is said stays the load. */
    assert_int_equal(import_text(&result, "FILE", scan, sizeof(scan) - 1, &said, &err), HL_OK);
    assert_string_equal(result.runs.runs[0].load, "all");
    assert_string_equal(result.runs.runs[0].variant, "command=make -j4 O=14 v4.4,jobs=4");
    import_close(&result);
}

static void what_is_wrong_with_hyperfine_json(void **state)
{
    (void)state;
    assert_refused("{\"results\":[{\"command\":\"x\"}]}",
                   "FILE: /results/0: the key \"times\" is missing");
    assert_refused("{\"results\":[{\"command\":\"x\",\"times\":[1,\"2\"]}]}",
                   "FILE: /results/0/times/1: found \"2\", expected a number");
    assert_refused("{\"results\":[{\"command\":\"x\",\"times\":[1],\"exit_codes\":[]}]}",
                   "FILE: /results/0/exit_codes: found 0 exit codes, expected 1");
    assert_refused("{\"results\":[{\"command\":\"x\",\"times\":[-1]}]}",
                   "FILE: /results/0/times/0: found -1 seconds, expected no negative one");
    assert_refused("{\"results\":[]}", "FILE: no run in it");
    assert_refused("{\"reslts\":[]}", "FILE: top level: found neither");
    assert_refused("{\"results\":\n[", "FILE:2: not JSON");
}

/* ---- CSV ---- */

static void csv_columns_stand_in_any_order(void **state)
{
    struct import_result result = read_ok(
        "\xef\xbb\xbfunit,\"value\",metric,run,variant,load,workload,block,exit_status,remark\r\n"
        "s,81.6,elapsed_s,0,A,half,kernbench,0,0,x\r\n"
        "s,12.4,elapsed_s,0,\"B, \"\"new\"\"\nline\",half,kernbench,0,2,\r\n"
        "s,,user_s,0,A,half,kernbench,0,0,\r\n"
        "s,NA,system_s,0,A,half,kernbench,0,0,");
    const struct run *runs = result.runs.runs;

    (void)state;
    assert_int_equal(result.runs.count, 2);
    assert_string_equal(runs[0].variant, "A");
    assert_string_equal(runs[0].load, "half");
    assert_int_equal(runs[0].block, 0);
    assert_int_equal(runs[0].order, -1);
    assert_metric(&runs[0], RUN_elapsed_s, 81.6);
    assert_missing(&runs[0], RUN_user_s);
    assert_missing(&runs[0], RUN_system_s);
    assert_string_equal(runs[1].variant, "B, \"new\"\nline");
    assert_int_equal(runs[1].status, RUN_FAILED);
    assert_int_equal(runs[1].exit_status, 2);
    assert_int_equal(runs[1].order, -1);
    import_close(&result);
}

static void csv_may_have_metrics_and_studies_of_its_own(void **state)
{
    struct import_result result =
        read_ok("study,workload,load,variant,run,metric,value,unit,better,order\n"
                "6.1,w,1,,0,score,10,points,higher,7\n"
                "6.1,w,1,,0,p99_ms,2.5,ms,,7\n"
                "6.12,w,1,,0,score,11,points,,\n");
    int score = run_metric_find("score");

    (void)state;
    assert_int_equal(result.runs.count, 2);
    assert_true(score >= RUN_METRIC_COUNT);
    assert_string_equal(run_metric_table[score].unit, "points");
    assert_int_equal(run_metric_table[score].better, RUN_HIGHER);
    assert_metric(&result.runs.runs[0], (enum run_metric)score, 10);
    assert_metric(&result.runs.runs[0], (enum run_metric)run_metric_find("p99_ms"), 2.5);
    assert_string_equal(result.studies[0], "6.1");
    assert_string_equal(result.studies[1], "6.12");
    assert_int_equal(result.runs.runs[0].order, 7);
    assert_int_equal(result.runs.runs[1].order, -1);
    import_close(&result);
    run_metric_reset();
}

static void forty_metrics_of_one_session_are_kept_apart(void **state)
{
    char text[4096] = "workload,load,variant,run,metric,value,unit\n";
    struct import_result result;

    (void)state;
    for (int m = 1; m <= 40; m++) {
        size_t used = strlen(text);

        (void)snprintf(text + used, sizeof(text) - used, "w,1,A,0,m%02d,%d,\n", m, m);
    }
    result = read_ok(text);
    assert_int_equal(result.runs.count, 1);
    assert_int_equal(run_metric_count(), RUN_METRIC_COUNT + 40);
    assert_metric(&result.runs.runs[0], (enum run_metric)run_metric_find("m40"), 40);
    import_close(&result);
    run_metric_reset();
}

#define HEADER "workload,load,variant,run,metric,value,unit\n"

static void what_is_wrong_with_csv(void **state)
{
    (void)state;
    assert_refused("workload,load,variant,run,metric,value\n", "FILE:1: no column unit");
    assert_refused("workload,load,varaint,run,metric,value,unit\n",
                   "FILE:1: unknown column \"varaint\"; did you mean \"variant\"?");
    assert_refused("workload,load,variant,run,metric,value,unit,unit\n",
                   "FILE:1: the column unit is there twice");
    assert_refused(HEADER "w,1,A,0,elapsed_s,1\n", "FILE:2: 6 columns; expected 7");
    assert_refused(HEADER "w,1,A,0,elapsed_s,1x,s\n", "FILE:2: value is '1x'");
    assert_refused(HEADER "w,1,A,0,elapsed_s,inf,s\n", "FILE:2: value is 'inf'");
    assert_refused(HEADER "w,1,A,0,elapsed_s,-1,s\n",
                   "FILE:2: value is '-1'; expected no negative one");
    assert_refused(HEADER "w,1,A,0,elapsed_s,1e308,s\n",
                   "FILE:2: value is '1e308'; expected a number of at most 1e100");
    assert_refused(HEADER "w,1,A,0,own,-1e101,x\n", "FILE:2: value is '-1e101'; expected a number");
    assert_refused(HEADER "w,1,A,,elapsed_s,1,s\n", "FILE:2: run is ''; expected a whole number");
    assert_refused(HEADER "w,1,A,-1,elapsed_s,1,s\n", "FILE:2: run is '-1'");
    assert_refused(HEADER "w,,A,0,elapsed_s,1,s\n", "FILE:2: load is ''");
    assert_refused(HEADER "w,1,A,0,elapsd_s,1,s\n",
                   "FILE:2: unknown metric \"elapsd_s\"; did you mean \"elapsed_s\"?");
    assert_refused(HEADER "w,1,A,0,elapsed_s,1,ms\n",
                   "FILE:2: metric elapsed_s has the unit 'ms'; expected 's'");
    assert_refused(HEADER "w,1,A,0,,1,s\n", "FILE:2: metric is ''");
    assert_refused(HEADER "w,1,A,0,elapsed_s,1,s\nw,1,\"A\",0,elapsed_s,1,s\n",
                   "FILE:3: metric is 'elapsed_s'; expected each metric of a run once");
    assert_refused(HEADER "w,1,\"A\nB,0,elapsed_s,1,s\n", "FILE:2: column 3: a quote");
    assert_refused(HEADER "w,1,\"A\"B,0,elapsed_s,1,s\n", "FILE:2: column 3: a quote");
    assert_refused(HEADER "w,1,A\"B,0,elapsed_s,1,s\n", "FILE:2: column 3: a quote");
    assert_refused(HEADER, "FILE: no run in it");
    assert_refused("workload,load,variant,run,metric,value,unit,exit_status\n"
                   "w,1,A,0,elapsed_s,1,s,0\nw,1,A,0,user_s,1,s,2\n",
                   "FILE:3: exit_status is '2'; expected the same in all lines of a run");
    assert_refused("workload,load,variant,run,metric,value,unit,status\n"
                   "w,1,A,0,elapsed_s,1,s,fine\n",
                   "FILE:2: status is 'fine'; expected ok, failed");
}

/* ---- our JSON, and ways back ---- */

typedef enum hl_status writer(FILE *out, const struct run_list *runs, struct hl_error *error);

/* What a writer makes of runs; the caller frees it. */
static char *written_by(writer *write, const struct run_list *runs)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    assert_non_null(out);
    assert_int_equal(write(out, runs, &err), HL_OK);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void what_is_written_reads_back_to_the_same_bytes(void **state)
{
    struct import_result
        first = read_ok(
            "{\"schema\":1,\"runs\":[{\"source\":\"host\",\"workload\":\"kernbench\",\"load\":"
            "\"half\","
            "\"level\":3,\"policy\":\"o1\",\"variant\":{\"cpus\":\"0+1\",\"n\":\"a,b=c\\\\\"},"
            "\"machine\":\"host\",\"seed\":9007199254740991,\"block\":2,\"run\":2,\"order\":5,"
            "\"status\":\"failed\",\"exit_status\":2,\"boot_id\":\"b-1\",\"note\":\"why\","
            "\"elapsed_s\":0.30000000000000004,\"user_s\":null,\"reasons\":{\"user_s\":\"no "
            "\\u00e4\"},"
            "\"extra\":{\"score\":{\"value\":-1,\"unit\":\"points\",\"better\":\"higher\"}},"
            "\"parts\":[{\"name\":\"order 9\",\"elapsed_s\":0.5,\"extra\":{\"score\":{\"value\":2,"
            "\"unit\":\"points\",\"better\":\"higher\"}}},{\"name\":\"order, \\\"10\\\"\","
            "\"percent_cpu\":99}]},"
            "{\"workload\":\"w\",\"load\":\"l\",\"run\":0,\"variant\":{\"variant\":\"A\"},"
            "\"block\":null,\"policy\":null}]}"),
        second;
    static writer *const writers[] = {report_runs_json, report_runs_csv};

    (void)state;
    assert_int_equal(first.runs.runs[0].source, RUN_HOST);
    assert_string_equal(first.runs.runs[0].variant, "cpus=0+1,n=a\\,b=c\\\\");
    assert_string_equal(first.runs.runs[0].reason[RUN_user_s], "no \xc3\xa4");
    assert_string_equal(first.runs.runs[0].note, "why");
    assert_string_equal(first.runs.runs[1].variant, "A");
    assert_int_equal(first.runs.runs[1].source, RUN_IMPORT);
    assert_int_equal(first.runs.runs[1].block, -1);
    assert_int_equal(first.runs.runs[0].part_count, 2);
    assert_int_equal(first.runs.runs[1].part_count, 0);
    for (int i = 0; i < HL_COUNT_OF(writers); i++) {
        char *text = written_by(writers[i], &first.runs), *again;

        second = read_ok(text);
        assert_int_equal(second.runs.runs[0].part_count, 2);
        assert_string_equal(second.runs.runs[0].parts[1].name, "order, \"10\"");
        assert_true(run_part_get(&second.runs.runs[0].parts[0], RUN_elapsed_s) == 0.5);
        assert_true(run_part_get(&second.runs.runs[0].parts[0], run_metric_find("score")) == 2);
        again = written_by(writers[i], &second.runs);
        assert_string_equal(again, text);
        free(again);
        free(text);
        import_close(&second);
    }
    import_close(&first);
    run_metric_reset();
}

static void what_is_wrong_with_parts(void **state)
{
#define RUN_WITH "{\"schema\":1,\"runs\":[{\"workload\":\"w\",\"load\":\"1\",\"run\":0,\"parts\":"

    (void)state;
    assert_refused(RUN_WITH "{}}]}", "FILE: /runs/0/parts: ");
    assert_refused(RUN_WITH "[1]}]}", "FILE: /runs/0/parts/0: ");
    assert_refused(RUN_WITH "[{}]}]}", "FILE: /runs/0/parts/0: ");
    assert_refused(RUN_WITH "[{\"name\":\"\"}]}]}", "FILE: /runs/0/parts/0/name: ");
    assert_refused(RUN_WITH "[{\"name\":\"a\",\"elapsed\":1}]}]}",
                   "FILE: /runs/0/parts/0: unknown key \"elapsed\"; did you mean \"elapsed_s\"?");
    assert_refused(RUN_WITH "[{\"name\":\"a\",\"elapsed_s\":\"x\"}]}]}",
                   "FILE: /runs/0/parts/0/elapsed_s: ");
    assert_refused(RUN_WITH "[{\"name\":\"a\",\"user_s\":1},{\"name\":\"a\",\"user_s\":1}]}]}",
                   "FILE: /runs/0/parts/1/name: found 'a' again, expected each part once");
    assert_refused("workload,load,variant,run,metric,value,unit,part\n"
                   "w,1,,0,elapsed_s,1,s,a\nw,1,,0,elapsed_s,1,s,a\n",
                   "FILE:3: metric is 'elapsed_s'; expected each metric of a run once");
    assert_refused("workload,load,variant,run,metric,value,unit,part\n"
                   "w,1,,0,elapsed_s,1,s,a name that is longer than it may be\n",
                   "FILE:2: part 'a name that is longer than it may be' of a run: expected a name "
                   "of 1 to 31 bytes");
#undef RUN_WITH
}

static void what_is_wrong_with_our_json(void **state)
{
    (void)state;
    assert_refused("{\"schema\":2,\"runs\":[]}",
                   "FILE: /schema: found 2, expected a whole number from 1");
    assert_refused("{\"runs\":[]}", "FILE: top level: the key \"schema\" is missing");
    assert_refused("{\"schema\":1,\"runs\":[]}", "FILE: no run in it");
    assert_refused("{\"schema\":1,\"runs\":[{\"load\":\"l\",\"run\":0}]}",
                   "FILE: /runs/0: the key \"workload\" is missing");
    assert_refused(
        "{\"schema\":1,\"runs\":[{\"workload\":\"w\",\"load\":\"l\",\"run\":0,\"elapsd_s\":1}]}",
        "FILE: /runs/0: unknown key \"elapsd_s\"; did you mean \"elapsed_s\"?");
    assert_refused("{\"schema\":1,\"runs\":[{\"workload\":\"w\",\"load\":\"l\",\"run\":0,\"elapsed_"
                   "s\":\"1\"}]}",
                   "FILE: /runs/0/elapsed_s: found \"1\", expected a number");
    assert_refused("{\"schema\":1,\"runs\":[{\"workload\":\"w\",\"load\":\"l\",\"run\":0,"
                   "\"elapsed_s\":-2}]}",
                   "FILE: /runs/0/elapsed_s: found -2, expected no negative one");
    assert_refused("{\"schema\":1,\"runs\":[{\"workload\":\"w\",\"load\":\"l\",\"run\":0,"
                   "\"user_s\":1e308}]}",
                   "FILE: /runs/0/user_s: found 1e+308, expected a number of at most 1e100");
    assert_refused("{\"schema\":1,\"runs\":[{\"workload\":\"w\",\"load\":\"l\",\"run\":0,"
                   "\"status\":\"fine\"}]}",
                   "FILE: /runs/0/status: unknown status \"fine\"");
    assert_refused("{\"schema\":1,\"runs\":[{\"workload\":\"w\",\"load\":\"l\",\"run\":0},"
                   "{\"workload\":\"w\",\"load\":\"l\",\"run\":0}]}",
                   "FILE: /runs/1: found run 0 of w at load l again");
    assert_refused("[1]", "FILE: top level: found neither");
}

/* ---- what is said beside a file ---- */

static void options_name_what_the_file_does_not(void **state)
{
    static const char csv[] = HEADER "w,1,A,0,elapsed_s,1,s\n";
    struct import_options options = {.workload = "build",
                                     .load = "8",
                                     .variant = {"kernel=6.12", "smt=off"},
                                     .variant_count = 2};
    struct import_result result = {0};

    (void)state;
    read_more(&result, "81.2\n81.4\n", &options);
    assert_string_equal(result.runs.runs[1].workload, "build");
    assert_string_equal(result.runs.runs[1].load, "8");
    assert_int_equal(result.runs.runs[1].level, 8);
    assert_string_equal(result.runs.runs[1].variant, "kernel=6.12,smt=off");
    assert_int_equal(import_text(&result, "FILE", csv, strlen(csv), &options, &err), HL_USAGE);
    assert_non_null(strstr(err.text, "names its loads itself"));
    options.load = NULL;
    read_more(&result, csv, &options);
    assert_string_equal(result.runs.runs[2].workload, "build");
    assert_string_equal(result.runs.runs[2].variant, "variant=A,kernel=6.12,smt=off");
    read_more(&result, "6.11\nAverage Half Load Run:\nElapsed Time 1\n", &options);
    assert_string_equal(result.runs.runs[3].variant, "kernel=6.12,smt=off");
    options.variant[1] = "off";
    assert_int_equal(import_text(&result, "FILE", "1\n", 2, &options, &err), HL_USAGE);
    assert_non_null(strstr(err.text, "expected KEY=VALUE"));
    assert_int_equal(result.runs.count, 4);
    import_close(&result);
}

static void a_file_given_twice_is_refused(void **state)
{
    static const char csv[] = HEADER "w,1,A,0,elapsed_s,1,s\n";
    struct import_result result = read_ok(csv);

    (void)state;
    assert_int_equal(import_text(&result, "AGAIN", csv, strlen(csv), &no_options, &err),
                     HL_BAD_INPUT);
    assert_non_null(strstr(err.text, "AGAIN:2: run is '0'; expected each run in one file only"));
    assert_int_equal(result.runs.count, 1);
    import_close(&result);
}

static void what_is_no_result_is_refused(void **state)
{
    struct import_result result = {0};

    (void)state;
    assert_refused("", "FILE: empty");
    assert_refused("\n \r\n", "FILE: empty");
    assert_int_equal(import_text(&result, "FILE", "1\0002\n", 4, &no_options, &err), HL_BAD_INPUT);
    assert_non_null(strstr(err.text, "FILE: binary data"));
    assert_int_equal(import_file(&result, "/no/such/file", &no_options, &err), HL_BAD_INPUT);
    assert_non_null(strstr(err.text, "/no/such/file"));
}

static void every_failed_allocation_is_a_status(void **state)
{
    static const char *const texts[] = {
        "1 2 3\n", HEADER "w,1,A,0,score,1,s\n", "Average Half Load Run:\nElapsed Time 1\n",
        "{\"results\":[{\"command\":\"x\",\"times\":[1]}]}",
        "{\"schema\":1,\"runs\":[{\"workload\":\"w\",\"load\":\"l\",\"run\":0}]}"};

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(texts); i++) {
        enum hl_status status = HL_NO_MEMORY;
        uint64_t n = 0;

        while (status != HL_OK && n < 1000) {
            struct import_result result = {0};

            hl_alloc_fail_at(++n);
            status = import_text(&result, "FILE", texts[i], strlen(texts[i]), &no_options, &err);
            hl_alloc_fail_at(0);
            assert_true(status == HL_OK || status == HL_NO_MEMORY);
            import_close(&result);
        }
        assert_true(n > 3);
        assert_int_equal(status, HL_OK);
    }
    run_metric_reset();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernbench_log_is_a_run_per_block),
        cmocka_unit_test(the_old_form_may_leave_loads_blank),
        cmocka_unit_test(a_log_that_was_appended_to_numbers_its_runs),
        cmocka_unit_test(what_is_wrong_with_a_kernbench_log),
        cmocka_unit_test(each_form_of_time_is_read),
        cmocka_unit_test(fields_of_time_are_taken_from_the_left),
        cmocka_unit_test(a_failed_build_among_good_ones_is_kept_apart),
        cmocka_unit_test(the_end_of_a_command_belongs_to_the_numbers_after_it),
        cmocka_unit_test(what_is_wrong_with_time_lines),
        cmocka_unit_test(more_runs_than_memory_should_hold_are_refused),
        cmocka_unit_test(hyperfine_gives_a_run_per_time),
        cmocka_unit_test(a_lone_number_of_a_scan_is_the_load),
        cmocka_unit_test(what_is_wrong_with_hyperfine_json),
        cmocka_unit_test(csv_columns_stand_in_any_order),
        cmocka_unit_test(csv_may_have_metrics_and_studies_of_its_own),
        cmocka_unit_test(forty_metrics_of_one_session_are_kept_apart),
        cmocka_unit_test(what_is_wrong_with_csv),
        cmocka_unit_test(what_is_written_reads_back_to_the_same_bytes),
        cmocka_unit_test(what_is_wrong_with_our_json),
        cmocka_unit_test(what_is_wrong_with_parts),
        cmocka_unit_test(options_name_what_the_file_does_not),
        cmocka_unit_test(a_file_given_twice_is_refused),
        cmocka_unit_test(what_is_no_result_is_refused),
        cmocka_unit_test(every_failed_allocation_is_a_status),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
