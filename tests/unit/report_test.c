/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_test.c - exact bytes of tables, kernbench's text, JSON and CSV. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/report.h"

/* What a writer wrote. */
static char *written;
static size_t written_bytes;
static FILE *out;

static int start_capture(void **state)
{
    (void)state;
    out = open_memstream(&written, &written_bytes);
    return out == NULL;
}

static int end_capture(void **state)
{
    (void)state;
    (void)fclose(out);
    free(written);
    return 0;
}

static void assert_written(const char *expected)
{
    if (strcmp(written, expected) != 0)
        fail_msg("written:\n%s\nexpected:\n%s", written, expected);
}

static void add_run(struct run_list *list, const char *policy, const char *load, int64_t level,
                    int32_t index, double elapsed_s)
{
    struct run run;

    run_init(&run, policy[0] == '\0' ? RUN_HOST : RUN_SIM, "not modelled");
    (void)snprintf(run.workload, sizeof(run.workload), "kernbench");
    (void)snprintf(run.load, sizeof(run.load), "%s", load);
    (void)snprintf(run.policy, sizeof(run.policy), "%s", policy);
    (void)snprintf(run.machine, sizeof(run.machine), "%s", policy[0] == '\0' ? "host" : "xeon");
    run.level = level;
    run.run = run.block = index;
    run.seed = 42 + (uint64_t)index;
    run_set(&run, RUN_elapsed_s, elapsed_s);
    assert_int_equal(run_list_add(list, &run, NULL), HL_OK);
}

static void fail_run(struct run_list *list, size_t index, int32_t exit_status, const char *note)
{
    struct run *run = &list->runs[index];

    run->status = RUN_FAILED;
    run->exit_status = exit_status;
    (void)snprintf(run->note, sizeof(run->note), "%s", note);
}

static void a_table_aligns_and_ends_no_line_in_blanks(void **state)
{
    struct report_table *table = report_table_new();

    (void)state;
    report_table_cell(table, "%s", "");
    report_table_cell(table, "-j%d", 1);
    report_table_cell(table, "%s", "");
    report_table_end_row(table);
    report_table_cell(table, "Sch\xc3\xa4"
                             "del\n"); /* a letter of two bytes, and no letter */
    report_table_cell(table, "%.2f", 309.02);
    report_table_cell(table, "x");
    report_table_end_row(table);
    report_table_cell(table, "b");
    report_table_end_row(table);
    assert_int_equal(report_table_print(table, out, 1, NULL), HL_OK);
    assert_written("              -j1\n"
                   "---------  ------  -\n"
                   "Sch\xc3\xa4"
                   "del\\n  309.02  x\n"
                   "b\n");
    report_table_free(table);
}

static void a_table_without_memory_says_so_at_the_end(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= 3; n++) {
        struct report_table *table;

        hl_alloc_fail_at(n);
        table = report_table_new();
        report_table_cell(table, "a");
        report_table_end_row(table);
        hl_alloc_fail_at(0);
        assert_int_equal(report_table_print(table, out, 0, NULL), HL_NO_MEMORY);
        report_table_free(table);
    }
}

static void the_grid_shows_mean_best_and_normalised(void **state)
{
    struct run_list runs = {0};

    (void)state;
    /* In blocks, as a study makes them. */
    for (int i = 0; i < 2; i++) {
        add_run(&runs, "o1", "1", 1, i, 300 + 2 * i);
        add_run(&runs, "o1", "half", 2, i, 200 + i);
        add_run(&runs, "w26:active_delay=0", "half", 2, i, 150.5);
        add_run(&runs, "w26:active_delay=0", "1", 1, i, 301);
    }
    assert_int_equal(report_grid(out, &runs, NULL, 0, NULL), HL_OK);
    assert_written("kernbench on xeon, simulated\n"
                   "\n"
                   "elapsed seconds, mean +- standard deviation of 2 runs (lower is better)\n"
                   "                               -j1        half -j2\n"
                   "------------------  --------------  --------------\n"
                   "o1                  301.00 +- 1.41  200.50 +- 0.71\n"
                   "w26:active_delay=0  301.00 +- 0.00  150.50 +- 0.00\n"
                   "\n"
                   "elapsed seconds, best of 2 runs (lower is better)\n"
                   "                       -j1  half -j2\n"
                   "------------------  ------  --------\n"
                   "o1                  300.00    200.00\n"
                   "w26:active_delay=0  301.00    150.50\n"
                   "\n"
                   "normalised to: o1 at -j1 = 301.00 s (mean, lower is better)\n"
                   "                      -j1  half -j2\n"
                   "------------------  -----  --------\n"
                   "o1                  1.000     0.666\n"
                   "w26:active_delay=0  1.000     0.500\n");
    run_list_close(&runs);
}

static void failed_runs_are_listed_and_not_averaged(void **state)
{
    static const double elapsed_s[] = {81.2, 81.6, 12.4, 82.0, 81.4};
    const struct report_off_load off = {"half", "off (1 job = single)"};
    struct run_list runs = {0};

    (void)state;
    for (int i = 0; i < 5; i++)
        add_run(&runs, "", "single", 1, i, elapsed_s[i]);
    fail_run(&runs, 2, 2, "make: *** [all] Error 2");
    add_run(&runs, "", "optimal", 8, 0, 44);
    fail_run(&runs, 5, 2, "");
    assert_int_equal(report_grid(out, &runs, &off, 1, NULL), HL_OK);
    assert_written(
        "kernbench on host, measured\n"
        "\n"
        "elapsed seconds, mean +- standard deviation of 4 runs (lower is better)\n"
        "         single -j1  optimal -j8\n"
        "----  -------------  -----------\n"
        "host  81.55 +- 0.34\n"
        "\n"
        "elapsed seconds, best of 4 runs (lower is better)\n"
        "      single -j1  optimal -j8\n"
        "----  ----------  -----------\n"
        "host       81.20\n"
        "\n"
        "normalised to: host at single -j1 = 81.55 s (mean, lower is better)\n"
        "      single -j1  optimal -j8\n"
        "----  ----------  -----------\n"
        "host       1.000\n"
        "\n"
        "2 of 6 runs failed and are left out of the figures:\n"
        "  host at single -j1, run 3 of 5: failed, exit status 2: make: *** [all] Error 2\n"
        "  host at optimal -j8, run 1 of 1: failed, exit status 2\n"
        "\n"
        "Half load: off (1 job = single) by kernbench's rule\n");
    run_list_close(&runs);
}

static void a_grid_without_its_reference_is_not_normalised(void **state)
{
    struct run_list runs = {0};

    (void)state;
    add_run(&runs, "o1", "1", 1, 0, 3);
    fail_run(&runs, 0, 0, "o1 picked task 7: no such task");
    add_run(&runs, "o1", "2", 2, 0, 2.5);
    assert_int_equal(report_grid(out, &runs, NULL, 0, NULL), HL_OK);
    assert_written(
        "kernbench on xeon, simulated\n"
        "\n"
        "elapsed seconds, mean of 1 run (lower is better)\n"
        "    -j1    -j2\n"
        "--  ---  -----\n"
        "o1       2.500\n"
        "\n"
        "not normalised: o1 at -j1 has no figure\n"
        "\n"
        "1 of 2 runs failed and is left out of the figures:\n"
        "  o1 at -j1, run 1 of 1: failed, exit status 0: o1 picked task 7: no such task\n");
    run_list_close(&runs);
}

static void several_policies_have_kernbenchs_other_figures_too(void **state)
{
    struct run_list runs = {0};

    (void)state;
    /* The load of one job is the second column, and divides all the same. */
    for (int i = 0; i < 2; i++) {
        add_run(&runs, "o1", "half", 8, i, 50);
        run_set(&runs.runs[runs.count - 1], RUN_involuntary_switches, 10400 + 40 * i);
        add_run(&runs, "o1", "single", 1, i, 200);
        add_run(&runs, "w26", "half", 8, i, 40);
    }
    assert_int_equal(report_grid(out, &runs, NULL, 0, NULL), HL_OK);
    assert_non_null(strstr(written, "\nnormalised to: o1 at single -j1 = 200.00 s "));
    assert_non_null(strstr(written, "\n"
                                    "w26     0.200\n"));
    /* The deviation is 28.3: digits behind the point would say nothing. */
    assert_non_null(strstr(written, "\n\ncontext switches (involuntary), mean +- standard "
                                    "deviation of 2 runs (lower is better)\n"
                                    "        half -j8  single -j1\n"
                                    "---  -----------  ----------\n"
                                    "o1   10420 +- 28\n"
                                    "w26\n"));
    assert_null(strstr(written, "sleeps"));
    assert_null(strstr(written, "doubtful"));
    run_list_close(&runs);
}

static void builds_that_scatter_or_starve_are_doubted(void **state)
{
    struct run_list runs = {0};

    (void)state;
    for (int i = 0; i < 2; i++) {
        add_run(&runs, "", "single", 1, i, 100 + i);
        run_set(&runs.runs[runs.count - 1], RUN_percent_cpu, 60);
        add_run(&runs, "", "4", 4, i, 30 + 3 * i); /* 2.12 of 31.5 is 6.7 % */
        run_set(&runs.runs[runs.count - 1], RUN_percent_cpu, 60);
        add_run(&runs, "", "8", 8, i, 30 + i);
    }
    assert_int_equal(report_grid(out, &runs, NULL, 0, NULL), HL_OK);
    assert_non_null(strstr(written,
                           "\n\ndoubtful: host at single -j1: one job got 60 % of a cpu; was the "
                           "machine busy with something else?\n"
                           "doubtful: host at -j4: the standard deviation is 7 % of the mean; was "
                           "the machine busy with something else?\n"));
    assert_null(strstr(written, "doubtful: host at -j8"));
    run_list_close(&runs);
}

static void one_signer_or_inverter_that_starves_is_doubted(void **state)
{
    static const char *const workloads[] = {"rsa:usertime=y", "matinv"};

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(workloads); i++) {
        struct run_list runs = {0};
        char *doubt;

        add_run(&runs, "", "1", 1, 0, 6);
        (void)snprintf(runs.runs[0].workload, sizeof(runs.runs[0].workload), "%s", workloads[i]);
        run_set(&runs.runs[0], RUN_percent_cpu, 66);
        assert_int_equal(report_grid(out, &runs, NULL, 0, NULL), HL_OK);
        doubt = strstr(written, "doubtful: host at 1: one job got 66 % of a cpu");
        assert_non_null(doubt);
        *doubt = 'D'; /* not to be found again: what is written is added to */
        run_list_close(&runs);
    }
}

static void rates_that_scatter_and_signers_that_starve_are_doubted(void **state)
{
    struct run_list runs = {0};
    int rate;

    (void)state;
    assert_int_equal(run_metric_add("signs_per_s", "1/s", RUN_HIGHER, &rate, NULL), HL_OK);
    for (int i = 0; i < 4; i++) {
        const char *load = i < 2 ? "2" : "4";

        add_run(&runs, "", load, i < 2 ? 2 : 4, i % 2, 6); /* its time is fixed */
        (void)snprintf(runs.runs[i].workload, sizeof(runs.runs[i].workload), "rsa");
        run_set(&runs.runs[i], (enum run_metric)rate, i < 2 ? 100 + 10 * i : 200);
        run_set(&runs.runs[i], RUN_percent_cpu, i < 2 ? 150 : 200);
        run_set(&runs.runs[i], RUN_competing_cpu_s, i < 2 ? 3 : 0.5);
    }
    assert_int_equal(report_grid(out, &runs, NULL, 0, NULL), HL_OK);
    assert_non_null(strstr(written, "doubtful: host at 2: the standard deviation is 7 % of the "
                                    "mean; was the machine busy with something else?"));
    assert_non_null(strstr(written, "doubtful: host at 2: 2 jobs got 150 % of a cpu; was the "
                                    "machine busy with something else? (others used 3.00 cpu s in "
                                    "6.00 s)\n"));
    /* Four on two cpus of their own. */
    assert_null(strstr(written, "doubtful: host at 4"));
    run_list_close(&runs);
}

static void a_command_that_waits_is_doubted_only_if_others_used_the_machine(void **state)
{
    struct run_list runs = {0};

    (void)state;
    add_run(&runs, "", "1", 1, 0, 10);
    (void)strcpy(runs.runs[0].workload, "cmd");
    run_set(&runs.runs[0], RUN_percent_cpu, 2);
    assert_int_equal(report_grid(out, &runs, NULL, 0, NULL), HL_OK);
    assert_null(strstr(written, "doubtful"));
    run_set(&runs.runs[0], RUN_competing_cpu_s, 1.4);
    assert_int_equal(report_grid(out, &runs, NULL, 0, NULL), HL_OK);
    assert_null(strstr(written, "doubtful"));
    run_set(&runs.runs[0], RUN_competing_cpu_s, 1.6);
    assert_int_equal(report_grid(out, &runs, NULL, 0, NULL), HL_OK);
    assert_non_null(strstr(written,
                           "doubtful: host at 1: one job got 2 % of a cpu; was the machine "
                           "busy with something else? (others used 1.60 cpu s in 10.00 "
                           "s)\n"));
    run_list_close(&runs);
}

/* Sample deviations of a pair: half the difference times the root of two. */
static void kernbench_text_is_what_its_scripts_read(void **state)
{
    const struct report_off_load off = {"half", "off (1 job = single)"};
    struct run_list runs = {0};

    (void)state;
    for (int i = 0; i < 2; i++) {
        add_run(&runs, "", "half", 3, i, 81.25 + 0.5 * i);
        run_set(&runs.runs[i], RUN_user_s, 214.6);
        run_set(&runs.runs[i], RUN_system_s, 22.91);
        run_set(&runs.runs[i], RUN_percent_cpu, 290 + 2 * i);
        run_set(&runs.runs[i], RUN_involuntary_switches, 10431 + i);
    }
    add_run(&runs, "", "optimal", 16, 0, 1234567.5);
    add_run(&runs, "", "max", 40, 0, 0.000123456);
    add_run(&runs, "", "2", 2, 0, 100);
    add_run(&runs, "", "3x", 12, 0, 1e6);
    fail_run(&runs, 5, 2, "");
    assert_int_equal(report_kernbench(out, &runs, &off, 1, NULL), HL_OK);
    assert_written("Half load: off (1 job = single) by kernbench's rule\n"
                   "\n"
                   "host\n"
                   "Average Half load -j 3 Run (std deviation):\n"
                   "Elapsed Time 81.5 (0.353553)\n"
                   "User Time 214.6 (0)\n"
                   "System Time 22.91 (0)\n"
                   "Percent CPU 291 (1.41421)\n"
                   "Context Switches 10431.5 (0.707107)\n"
                   "Sleeps\n"
                   "\n"
                   "Average Optimal load -j 16 Run (std deviation):\n"
                   "Elapsed Time 1234568\n"
                   "User Time\n"
                   "System Time\n"
                   "Percent CPU\n"
                   "Context Switches\n"
                   "Sleeps\n"
                   "\n"
                   "Average Maximal load -j Run (std deviation):\n"
                   "Elapsed Time 0.000123\n"
                   "User Time\n"
                   "System Time\n"
                   "Percent CPU\n"
                   "Context Switches\n"
                   "Sleeps\n"
                   "\n"
                   "Average load -j 2 Run (std deviation):\n"
                   "Elapsed Time 100\n"
                   "User Time\n"
                   "System Time\n"
                   "Percent CPU\n"
                   "Context Switches\n"
                   "Sleeps\n"
                   "\n"
                   "Average 3x load -j 12 Run (std deviation):\n"
                   "Elapsed Time\n"
                   "User Time\n"
                   "System Time\n"
                   "Percent CPU\n"
                   "Context Switches\n"
                   "Sleeps\n"
                   "Left out: 1 of 1 runs failed\n"
                   "\n");
    run_list_close(&runs);
}

static void json_keys_stand_in_fixed_order(void **state)
{
    static const char start[] =
        "{\"schema\":1,\"runs\":[\n"
        "{\"source\":\"sim\",\"workload\":\"kernbench\",\"load\":\"half\",\"level\":2,\"policy\":"
        "\"o1\","
        "\"variant\":{},\"machine\":\"xeon\",\"seed\":42,\"block\":0,\"run\":0,\"status\":\"ok\","
        "\"exit_status\":0,\"elapsed_s\":196.91,\"user_s\":null,";
    static const char reasons[] = "\"reasons\":{\"user_s\":\"not modelled\",\"system_s\":";
    struct run_list runs = {0};

    (void)state;
    assert_int_equal(report_runs_json(out, &runs, NULL), HL_OK);
    assert_written("{\"schema\":1,\"runs\":[]}\n");
    rewind(out);
    add_run(&runs, "o1", "half", 2, 0, 196.91);
    assert_int_equal(report_runs_json(out, &runs, NULL), HL_OK);
    assert_memory_equal(written, start, sizeof(start) - 1);
    assert_non_null(strstr(written, reasons));
    assert_string_equal(written + written_bytes - 6, "}}\n]}\n");
    run_list_close(&runs);
}

static json_t *only_run(json_t **root)
{
    json_error_t problem;

    *root = json_loads(written, JSON_REJECT_DUPLICATES, &problem);
    if (*root == NULL)
        fail_msg("%d: %s in %s", problem.line, problem.text, written);
    return json_array_get(json_object_get(*root, "runs"), 0);
}

static void json_survives_a_round_trip_of_nasty_values(void **state)
{
    static const char nasty[] = "a \"b\"\\\n\t\x01\x7f \xc3\xa4 \xff\xe2\x28 \xed\xa0\x80 end";
    struct run_list runs = {0};
    json_t *root;
    json_t *run;

    (void)state;
    add_run(&runs, "", nasty, -1, 7, 0.1 + 0.2);
    (void)snprintf(runs.runs[0].variant, sizeof(runs.runs[0].variant), "cpus=0+1,name=x\\,y,flag");
    runs.runs[0].seed = (UINT64_C(1) << 53) - 1;
    runs.runs[0].reason[RUN_user_s] = "needs \"perf\"";
    run_set(&runs.runs[0], RUN_tasks, 1e15);
    run_set(&runs.runs[0], RUN_wasted_cpu_s, 0);
    fail_run(&runs, 0, -9, "");
    assert_int_equal(report_runs_json(out, &runs, NULL), HL_OK);
    run = only_run(&root);
    /* Bytes that are not UTF-8 become U+FFFD; the rest is as it was. */
    assert_string_equal(json_string_value(json_object_get(run, "load")),
                        "a \"b\"\\\n\t\x01\x7f \xc3\xa4 \xef\xbf\xbd\xef\xbf\xbd( "
                        "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd end");
    assert_true(json_is_null(json_object_get(run, "policy")));
    assert_true(json_is_null(json_object_get(run, "level")));
    assert_true(json_real_value(json_object_get(run, "elapsed_s")) == 0.1 + 0.2);
    assert_int_equal(json_integer_value(json_object_get(run, "tasks")), 1000000000000000);
    assert_int_equal(json_integer_value(json_object_get(run, "seed")), 9007199254740991);
    assert_int_equal(json_integer_value(json_object_get(run, "exit_status")), -9);
    assert_string_equal(json_string_value(json_object_get(run, "status")), "failed");
    assert_true(json_is_integer(json_object_get(run, "wasted_cpu_s")));
    run = json_object_get(run, "variant");
    assert_int_equal(json_object_size(run), 3);
    assert_string_equal(json_string_value(json_object_get(run, "cpus")), "0+1");
    assert_string_equal(json_string_value(json_object_get(run, "name")), "x,y");
    assert_string_equal(json_string_value(json_object_get(run, "flag")), "");
    json_decref(root);
    run_list_close(&runs);
}

static void each_missing_metric_has_a_reason_and_no_other(void **state)
{
    struct run_list runs = {0};
    const char *key;
    json_t *root, *run, *value, *reasons;
    size_t nulls = 0;

    (void)state;
    add_run(&runs, "o1", "1", 1, 0, 3);
    runs.runs[0].reason[RUN_system_s] = NULL;
    assert_int_equal(report_runs_json(out, &runs, NULL), HL_OK);
    run = only_run(&root);
    reasons = json_object_get(run, "reasons");
    json_object_foreach(run, key, value)
    {
        nulls += json_is_null(value);
        if (json_is_null(value))
            assert_true(json_string_length(json_object_get(reasons, key)) > 0);
    }
    assert_int_equal(nulls, RUN_METRIC_COUNT - 1);
    assert_int_equal(json_object_size(reasons), nulls);
    json_decref(root);
    run_list_close(&runs);
}

static void what_only_an_imported_run_has_is_written_too(void **state)
{
    struct run_list runs = {0};
    json_t *root, *run, *extra;
    int metric;

    (void)state;
    assert_int_equal(run_metric_add("latency_ms", "ms", RUN_LOWER, &metric, NULL), HL_OK);
    add_run(&runs, "", "1", 1, 0, 3);
    add_run(&runs, "", "1", 1, 1, 4);
    runs.runs[0].block = -1;
    runs.runs[0].order = 1;
    run_set(&runs.runs[0], (enum run_metric)metric, 2.5);
    (void)snprintf(runs.runs[0].variant, sizeof(runs.runs[0].variant), "A");
    (void)snprintf(runs.runs[0].boot_id, sizeof(runs.runs[0].boot_id), "boot-1");
    (void)snprintf(runs.runs[0].note, sizeof(runs.runs[0].note), "left a daemon");
    run_set(&runs.runs[0], RUN_peak_compilers, 3);
    runs.runs[0].reason[RUN_peak_compilers] = "sampled";
    assert_int_equal(report_runs_json(out, &runs, NULL), HL_OK);
    run = only_run(&root);
    extra = json_object_get(json_object_get(run, "extra"), "latency_ms");
    assert_true(json_real_value(json_object_get(extra, "value")) == 2.5);
    assert_string_equal(json_string_value(json_object_get(extra, "unit")), "ms");
    assert_string_equal(json_string_value(json_object_get(extra, "better")), "lower");
    assert_true(json_is_null(json_object_get(run, "block")));
    assert_int_equal(json_integer_value(json_object_get(run, "order")), 1);
    assert_string_equal(json_string_value(json_object_get(run, "boot_id")), "boot-1");
    assert_string_equal(json_string_value(json_object_get(run, "note")), "left a daemon");
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(run, "reasons"), "peak_compilers")),
        "sampled");
    run = json_object_get(run, "variant");
    assert_string_equal(json_string_value(json_object_get(run, "variant")), "A");
    run = json_array_get(json_object_get(root, "runs"), 1);
    assert_null(json_object_get(run, "extra"));
    assert_null(json_object_get(run, "order"));
    assert_null(json_object_get(run, "boot_id"));
    assert_null(json_object_get(run, "note"));
    json_decref(root);
    run_list_close(&runs);
}

static void set_part(struct run_list *list, size_t index, const char *name, double elapsed_s,
                     double percent)
{
    assert_int_equal(run_part_set(&list->runs[index], name, RUN_elapsed_s, elapsed_s, NULL), HL_OK);
    assert_int_equal(run_part_set(&list->runs[index], name, RUN_percent_cpu, percent, NULL), HL_OK);
}

static void add_runs_with_parts(struct run_list *list)
{
    for (int i = 0; i < 3; i++) {
        add_run(list, "", "2", 2, i, 10 + i);
        (void)snprintf(list->runs[i].workload, sizeof(list->runs[i].workload), "matinv");
        set_part(list, (size_t)i, "order 100", 0.5 + i, 100);
        set_part(list, (size_t)i, "order 200", 4, 190 + 10 * i);
    }
    fail_run(list, 2, 3, "wrong result");
}

static void parts_of_runs_are_a_table_of_means(void **state)
{
    static const char table[] =
        "\n"
        "parts, means of the runs; the whole run has what is in no part too; parallelism is (user "
        "+ system) / elapsed\n"
        "      load       part  elapsed_s  parallelism\n"
        "----  ----  ---------  ---------  -----------\n"
        "host     2  order 100     1.0000         1.00\n"
        "            order 200     4.0000         1.95\n"
        "            whole run    10.5000\n";
    struct run_list runs = {0};

    (void)state;
    add_runs_with_parts(&runs);
    assert_int_equal(report_grid(out, &runs, NULL, 0, NULL), HL_OK);
    if (strstr(written, table) == NULL)
        fail_msg("%s", written);
    run_list_close(&runs);
}

static void parts_are_objects_in_json(void **state)
{
    struct run_list runs = {0};
    json_t *root, *parts;

    (void)state;
    add_runs_with_parts(&runs);
    assert_int_equal(report_runs_json(out, &runs, NULL), HL_OK);
    parts = json_object_get(only_run(&root), "parts");
    assert_int_equal(json_array_size(parts), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(parts, 0), "name")),
                        "order 100");
    assert_true(json_number_value(json_object_get(json_array_get(parts, 1), "percent_cpu")) == 190);
    json_decref(root);
    run_list_close(&runs);
}

static void parts_have_lines_of_their_own_in_csv(void **state)
{
    static const char line[] = ",order 200\n";
    struct run_list runs = {0};
    int lines = 0;

    (void)state;
    add_runs_with_parts(&runs);
    assert_int_equal(report_runs_csv(out, &runs, NULL), HL_OK);
    assert_non_null(strstr(written, ",boot_id,part\n"));
    for (const char *at = written; (at = strstr(at, line)) != NULL; at++)
        lines++;
    assert_int_equal(lines, 3 * 2);
    run_list_close(&runs);
}

static void csv_quotes_what_needs_it_and_keeps_failed_runs(void **state)
{
    static const char start[] =
        "workload,load,variant,run,metric,value,unit,block,machine,seed,status,exit_status,order,"
        "boot_id\n"
        "kernbench,1,\"o1:x=a,\"\"b\"\" smt=n,cpus=1\",0,elapsed_s,0.25,s,0,xeon,42,ok,0,,\n"
        "kernbench,1,\"o1:x=a,\"\"b\"\" smt=n,cpus=1\",0,user_s,,s,0,xeon,42,ok,0,,\n";
    static const char failed[] =
        "kernbench,1,host,1,elapsed_s,12.4,s,,\"two\nlines\",43,failed,2,5,boot-1\n";
    struct run_list runs = {0};
    size_t lines = 0;

    (void)state;
    add_run(&runs, "o1:x=a,\"b\"", "1", 1, 0, 0.25);
    (void)snprintf(runs.runs[0].variant, sizeof(runs.runs[0].variant), "smt=n,cpus=1");
    add_run(&runs, "", "1", 1, 1, 12.4);
    (void)snprintf(runs.runs[1].machine, sizeof(runs.runs[1].machine), "two\nlines");
    fail_run(&runs, 1, 2, "");
    runs.runs[1].block = -1;
    runs.runs[1].order = 5;
    (void)snprintf(runs.runs[1].boot_id, sizeof(runs.runs[1].boot_id), "boot-1");
    assert_int_equal(report_runs_csv(out, &runs, NULL), HL_OK);
    assert_memory_equal(written, start, sizeof(start) - 1);
    assert_non_null(strstr(written, failed));
    for (const char *c = written; *c != '\0'; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 1 + 3 * RUN_METRIC_COUNT); /* the machine's name has a line break */
    run_list_close(&runs);
}

static void kernbench_text_names_two_modes(void **state)
{
    struct run_list runs = {0};

    (void)state;
    for (int i = 0; i < 12; i++)
        add_run(&runs, "", "half", 3, i, (i % 2 == 0 ? 40 : 85) + i / 10.0);
    assert_int_equal(report_kernbench(out, &runs, NULL, 0, NULL), HL_OK);
    assert_non_null(strstr(written, "\nTwo modes: 40.5 (6 runs) and 85.6 (6 runs); no average "
                                    "stands for both\n"));
    run_list_close(&runs);
}

static void numbers_do_not_change_with_the_locale(void **state)
{
    static const char *const with_comma[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"};
    struct run_list runs = {0};
    bool found = false;

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(with_comma) && !found; i++)
        found = setlocale(LC_ALL, with_comma[i]) != NULL;
    if (!found)
        skip();
    add_run(&runs, "o1", "1", 1, 0, 1234.5);
    add_run(&runs, "o1", "1", 1, 1, 1234.75);
    assert_int_equal(report_kernbench(out, &runs, NULL, 0, NULL), HL_OK);
    assert_int_equal(report_grid(out, &runs, NULL, 0, NULL), HL_OK);
    assert_int_equal(report_runs_json(out, &runs, NULL), HL_OK);
    assert_int_equal(report_runs_csv(out, &runs, NULL), HL_OK);
    (void)setlocale(LC_ALL, "C");
    assert_non_null(strstr(written, "Elapsed Time 1234.62 (0.176777)\n"));
    assert_non_null(strstr(written, "1234.62\n"));
    assert_non_null(strstr(written, "\"elapsed_s\":1234.5,"));
    assert_non_null(strstr(written, "elapsed_s,1234.5,s"));
    assert_null(strstr(written, "1234,"));
    run_list_close(&runs);
}

static void a_full_device_is_an_error(void **state)
{
    struct run_list runs = {0};
    struct hl_error err = {0};
    FILE *full = fopen("/dev/full", "w");

    (void)state;
    if (full == NULL)
        skip();
    add_run(&runs, "o1", "1", 1, 0, 3);
    assert_int_equal(report_runs_json(full, &runs, &err), HL_NOT_PERMITTED);
    assert_string_equal(err.text, "cannot write the report: No space left on device");
    (void)fclose(full);
    run_list_close(&runs);
}

static void every_failed_allocation_is_a_status(void **state)
{
    struct run_list runs = {0};
    enum hl_status status = HL_NO_MEMORY;
    uint64_t n = 0;

    (void)state;
    add_run(&runs, "o1", "1", 1, 0, 3);
    add_run(&runs, "w26", "2", 2, 0, 3);
    while (status != HL_OK && n < 1000) {
        hl_alloc_fail_at(++n);
        status = report_grid(out, &runs, NULL, 0, NULL);
        hl_alloc_fail_at(0);
        assert_true(status == HL_OK || status == HL_NO_MEMORY);
    }
    assert_true(n > 10);
    assert_int_equal(status, HL_OK);
    run_list_close(&runs);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start_capture, end_capture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_table_aligns_and_ends_no_line_in_blanks),
        TEST(a_table_without_memory_says_so_at_the_end),
        TEST(the_grid_shows_mean_best_and_normalised),
        TEST(failed_runs_are_listed_and_not_averaged),
        TEST(a_grid_without_its_reference_is_not_normalised),
        TEST(several_policies_have_kernbenchs_other_figures_too),
        TEST(builds_that_scatter_or_starve_are_doubted),
        TEST(one_signer_or_inverter_that_starves_is_doubted),
        TEST(rates_that_scatter_and_signers_that_starve_are_doubted),
        TEST(a_command_that_waits_is_doubted_only_if_others_used_the_machine),
        TEST(kernbench_text_is_what_its_scripts_read),
        TEST(json_keys_stand_in_fixed_order),
        TEST(json_survives_a_round_trip_of_nasty_values),
        TEST(each_missing_metric_has_a_reason_and_no_other),
        TEST(what_only_an_imported_run_has_is_written_too),
        TEST(parts_of_runs_are_a_table_of_means),
        TEST(parts_are_objects_in_json),
        TEST(parts_have_lines_of_their_own_in_csv),
        TEST(csv_quotes_what_needs_it_and_keeps_failed_runs),
        TEST(kernbench_text_names_two_modes),
        TEST(numbers_do_not_change_with_the_locale),
        TEST(a_full_device_is_an_error),
        TEST(every_failed_allocation_is_a_status),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
