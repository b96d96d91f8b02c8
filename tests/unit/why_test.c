/* SPDX-License-Identifier: GPL-2.0-or-later */
/* why_test.c - the explanation of variants as text and JSON, from runs made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <jansson.h>
#include <math.h>

#include "explain/explain.h"
#include "report/report.h"

static FILE *out;
static char *written;
static size_t written_bytes;

static int open_out(void **state)
{
    (void)state;
    out = open_memstream(&written, &written_bytes);
    return out == NULL ? -1 : 0;
}

static int close_out(void **state)
{
    (void)state;
    (void)fclose(out);
    free(written);
    return 0;
}

static struct run *add_run(struct run_list *list, const char *policy, double work_s)
{
    struct run run;

    run_init(&run, RUN_SIM, "not had");
    (void)snprintf(run.workload, sizeof(run.workload), "kernbench");
    (void)snprintf(run.load, sizeof(run.load), "2");
    (void)snprintf(run.policy, sizeof(run.policy), "%s", policy);
    (void)snprintf(run.machine, sizeof(run.machine), "xeon");
    run.level = 2;
    for (int i = 0; i < RUN_METRIC_COUNT; i++)
        run_set(&run, (enum run_metric)i, 0);
    run_set(&run, RUN_elapsed_s, work_s);
    run_set(&run, RUN_elapsed_work_s, work_s);
    assert_int_equal(run_list_add(list, &run, NULL), HL_OK);
    return &list->runs[list->count - 1];
}

static void lose(struct run *run, enum trace_cause cause, double part_s)
{
    run->metric[RUN_elapsed_s] += part_s;
    run->metric[explain_causes[cause].part] += part_s;
}

static void forget(struct run *run, enum run_metric first, enum run_metric last, const char *reason)
{
    for (int i = (int)first; i <= (int)last; i++) {
        run->metric[i] = (double)NAN;
        run->reason[i] = reason;
    }
}

static void fill(struct run_list *runs)
{
    struct run *run = add_run(runs, "o1", 100);

    lose(run, TRACE_CROWDED, 18);
    lose(run, TRACE_OVERHEAD, 1);
    run->metric[RUN_percent_cpu] = 133;
    run->metric[RUN_idle_cpu_s] = 50;
    run->metric[RUN_crowded_core_s] = 40;
    run->metric[RUN_run_delay_p50_s] = 2e-6;
    run->metric[RUN_run_delay_p99_s] = 0.0105;
    run->metric[RUN_migrations_node] = 1234;
    run->metric[RUN_balance_attempts_node] = 5000;
    run->metric[RUN_balance_moves_node] = 70;
    run = add_run(runs, "ideal", 99);
    forget(run, RUN_balance_attempts_core, RUN_balance_moves_remote, "no queues to balance");
}

static void the_causes_of_a_difference_are_a_table(void **state)
{
    struct run_list runs = {0};

    (void)state;
    fill(&runs);
    assert_int_equal(report_why(out, &runs, NULL), HL_OK);
    assert_string_equal(
        written,
        "\n"
        "why, at -j2: where the elapsed seconds went (cpus used: (user + system) / elapsed)\n"
        "       elapsed  cpus used    work  asleep  wasted  crowded  wake-up  preempted  refill  "
        "overhead\n"
        "-----  -------  ---------  ------  ------  ------  -------  -------  ---------  ------  "
        "--------\n"
        "o1      119.00       1.33  100.00    0.00    0.00    18.00     0.00       0.00    0.00  "
        "    1.00\n"
        "ideal    99.00       0.00   99.00    0.00    0.00     0.00     0.00       0.00    0.00  "
        "    0.00\n"
        "\n"
        "more elapsed seconds than ideal, the best, and their causes (wasted: idle cpus beside "
        "waiting tasks)\n"
        "     more  wasted  crowded  wake-up  preempted  refill  overhead  unexplained\n"
        "--  -----  ------  -------  -------  ---------  ------  --------  -----------\n"
        "o1  20.00    0.00    18.00     0.00       0.00    0.00      1.00         1.00\n"
        "    100 %   0.0 %   90.0 %    0.0 %      0.0 %   0.0 %     5.0 %        5.0 %\n"
        "\n"
        "what happened (delay: waits for a cpu, quantiles within 0.8 %)\n"
        "        idle  wasted  crowded   delay   delay   delay   delay  moved to  moved to  moved "
        "to "
        " moved to  refill\n"
        "       cpu s   cpu s   core s  p50 ms  p95 ms  p99 ms  max ms   sibling      core   "
        "package "
        "     node   cpu s\n"
        "-----  -----  ------  -------  ------  ------  ------  ------  --------  --------  "
        "-------- "
        " --------  ------\n"
        "o1     50.00    0.00    40.00   0.002   0.000  10.500   0.000         0         0      "
        "1234 "
        "        0    0.00\n"
        "ideal   0.00    0.00     0.00   0.000   0.000   0.000   0.000         0         0         "
        "0 "
        "        0    0.00\n"
        "\n"
        "balancing attempts between ... (those that moved a task)\n"
        "       siblings  cores   packages  nodes\n"
        "-----  --------  -----  ---------  -----\n"
        "o1        0 (0)  0 (0)  5000 (70)  0 (0)\n"
        "ideal         -      -          -      -\n"
        "-: no queues to balance\n");
    run_list_close(&runs);
}

static void one_variant_has_nothing_to_be_compared_with(void **state)
{
    struct run_list runs = {0};

    (void)state;
    (void)add_run(&runs, "o1", 100);
    assert_int_equal(report_why(out, &runs, NULL), HL_OK);
    assert_non_null(strstr(written, "where the elapsed seconds went"));
    assert_null(strstr(written, "the best"));
    run_list_close(&runs);
}

static void a_small_difference_is_not_split(void **state)
{
    struct run_list runs = {0};

    (void)state;
    (void)add_run(&runs, "o1", 100);
    (void)add_run(&runs, "w26", 100.05);
    assert_int_equal(report_why(out, &runs, NULL), HL_OK);
    assert_non_null(strstr(written, "\nw26  0.05\n"));
    assert_null(strstr(written, "100 %"));
    run_list_close(&runs);
}

/* Waits beyond the histogram are not made shorter than they may be. */
static void a_quantile_beyond_the_top_says_at_least(void **state)
{
    struct run_list runs = {0};
    struct run *run = add_run(&runs, "o1", 3000);

    (void)state;
    run->metric[RUN_run_delay_p99_s] = RUN_DELAY_TOP_S;
    run->metric[RUN_run_delay_max_s] = 1500;
    run->metric[RUN_run_delay_over] = 1;
    assert_int_equal(report_why(out, &runs, NULL), HL_OK);
    assert_non_null(strstr(written, " >= 1099512, 1 over  1500000.000 "));
    run_list_close(&runs);
}

static void what_is_not_known_says_why(void **state)
{
    struct run_list runs = {0};

    (void)state;
    forget(add_run(&runs, "o1", 100), RUN_elapsed_work_s, RUN_elapsed_overhead_s, "not traced");
    assert_int_equal(report_why(out, &runs, NULL), HL_OK);
    assert_string_equal(written, "\nwhy, at -j2: not known of o1: the runs do not say where time "
                                 "went: not traced\n");
    run_list_close(&runs);
}

static void json_has_parts_and_shares(void **state)
{
    struct run_list runs = {0};
    json_t *root, *load, *variant, *causes;
    double sum;

    (void)state;
    fill(&runs);
    forget(add_run(&runs, "x", 1), RUN_elapsed_work_s, RUN_elapsed_overhead_s, "not traced");
    assert_int_equal(report_runs_json_why(out, &runs, NULL), HL_OK);
    root = json_loads(written, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(root);
    assert_int_equal(json_array_size(json_object_get(root, "runs")), 3);
    load = json_array_get(json_object_get(root, "why"), 0);
    assert_string_equal(json_string_value(json_object_get(load, "best")), "ideal");
    assert_int_equal(json_integer_value(json_object_get(load, "level")), 2);
    assert_int_equal(json_array_size(json_object_get(load, "variants")), 3);

    variant = json_array_get(json_object_get(load, "variants"), 0);
    assert_string_equal(json_string_value(json_object_get(variant, "variant")), "o1");
    variant = json_object_get(variant, "difference");
    assert_true(json_number_value(json_object_get(variant, "elapsed_s")) == 20);
    causes = json_object_get(variant, "causes");
    assert_int_equal(json_object_size(causes), TRACE_CAUSE_COUNT);
    sum = json_number_value(json_object_get(json_object_get(variant, "rest"), "s"));
    for (int i = 0; i < TRACE_CAUSE_COUNT; i++)
        sum += json_number_value(
            json_object_get(json_object_get(causes, explain_causes[i].name), "s"));
    assert_true(fabs(sum - 20) < 1e-9);
    assert_true(json_number_value(json_object_get(json_object_get(causes, "crowded"), "percent")) ==
                90);

    variant = json_array_get(json_object_get(load, "variants"), 1);
    causes = json_object_get(json_object_get(variant, "difference"), "causes");
    assert_true(json_is_null(json_object_get(json_object_get(causes, "wasted"), "percent")));

    variant = json_array_get(json_object_get(load, "variants"), 2);
    assert_string_equal(json_string_value(json_object_get(variant, "reason")),
                        "the runs do not say where time went: not traced");
    json_decref(root);
    run_list_close(&runs);
}

static void json_of_no_runs_is_valid(void **state)
{
    struct run_list runs = {0};

    (void)state;
    assert_int_equal(report_runs_json_why(out, &runs, NULL), HL_OK);
    assert_string_equal(written, "{\"schema\":1,\"runs\":[],\"why\":[]}\n");
}

static void running_out_of_memory_is_told(void **state)
{
    struct run_list runs = {0};
    enum hl_status status = HL_NO_MEMORY;
    struct hl_error err;

    (void)state;
    fill(&runs);
    for (uint64_t n = 1; status != HL_OK; n++) {
        assert_true(n < 2000);
        hl_alloc_fail_at(n);
        status = report_why(out, &runs, &err);
        hl_alloc_fail_at(0);
        assert_true(status == HL_OK || status == HL_NO_MEMORY);
    }
    run_list_close(&runs);
}

#define OUT_TEST(test) cmocka_unit_test_setup_teardown(test, open_out, close_out)

int main(void)
{
    const struct CMUnitTest tests[] = {
        OUT_TEST(the_causes_of_a_difference_are_a_table),
        OUT_TEST(one_variant_has_nothing_to_be_compared_with),
        OUT_TEST(a_small_difference_is_not_split),
        OUT_TEST(a_quantile_beyond_the_top_says_at_least),
        OUT_TEST(what_is_not_known_says_why),
        OUT_TEST(json_has_parts_and_shares),
        OUT_TEST(json_of_no_runs_is_valid),
        OUT_TEST(running_out_of_memory_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
