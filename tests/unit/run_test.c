/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_test.c - run records: missing metrics, names, lists under memory pressure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/run.h"

static void a_new_run_has_no_metric_and_says_why(void **state)
{
    struct run run;

    (void)state;
    run_init(&run, RUN_HOST, "not measured");
    assert_int_equal(run.status, RUN_OK);
    assert_int_equal(run.level, -1);
    assert_int_equal(run.block, -1);
    assert_int_equal(run.order, -1);
    for (int i = 0; i < RUN_METRIC_COUNT; i++) {
        assert_false(run_has(&run, (enum run_metric)i));
        assert_string_equal(run.reason[i], "not measured");
    }
    run_set(&run, RUN_elapsed_s, 0);
    assert_true(run_has(&run, RUN_elapsed_s));
    assert_null(run.reason[RUN_elapsed_s]);
    assert_false(run_has(&run, RUN_user_s));
}

static void metric_names_are_unique_and_found(void **state)
{
    (void)state;
    for (int i = 0; i < RUN_METRIC_COUNT; i++) {
        assert_int_equal(run_metric_find(run_metric_table[i].name), i);
        assert_non_null(run_metric_table[i].unit);
        assert_true(strlen(run_metric_table[i].help) > 0);
    }
    assert_int_equal(run_metric_find("elapsed"), -1);
    assert_int_equal(run_metric_find(""), -1);
}

static void a_metric_of_an_imported_result_gets_an_index_once(void **state)
{
    struct hl_error err;
    char name[16];
    int first, again;

    (void)state;
    assert_int_equal(run_metric_add("elapsed_s", "s", RUN_LOWER, &first, &err), HL_OK);
    assert_int_equal(first, RUN_elapsed_s);
    hl_alloc_fail_at(1);
    assert_int_equal(run_metric_add("score", "points", RUN_HIGHER, &first, &err), HL_NO_MEMORY);
    hl_alloc_fail_at(0);
    assert_int_equal(run_metric_count(), RUN_METRIC_COUNT);
    assert_int_equal(run_metric_add("score", "points", RUN_HIGHER, &first, &err), HL_OK);
    assert_int_equal(run_metric_add("score", "points", RUN_HIGHER, &again, &err), HL_OK);
    assert_int_equal(first, RUN_METRIC_COUNT);
    assert_int_equal(again, first);
    assert_int_equal(run_metric_find("score"), first);
    assert_int_equal(run_metric_count(), RUN_METRIC_COUNT + 1);
    assert_int_equal(run_metric_add("score", "points", RUN_LOWER, &again, &err), HL_BAD_INPUT);
    assert_int_equal(run_metric_add("elapsed_s", "ms", RUN_LOWER, &again, &err), HL_BAD_INPUT);
    assert_non_null(strstr(err.text, "expected 's'"));
    for (int i = 1; i < RUN_EXTRA_MAX; i++) {
        (void)snprintf(name, sizeof(name), "m%d", i);
        assert_int_equal(run_metric_add(name, "", RUN_NEITHER, &again, &err), HL_OK);
    }
    assert_int_equal(run_metric_add("one_more", "", RUN_NEITHER, &again, &err), HL_BAD_INPUT);
    assert_int_equal(run_metric_count(), RUN_METRIC_SLOTS);
    run_metric_reset();
    assert_int_equal(run_metric_count(), RUN_METRIC_COUNT);
    assert_int_equal(run_metric_find("score"), -1);
    assert_int_equal(run_metric_add("score", "kB", RUN_LOWER, &again, &err), HL_OK);
    assert_int_equal(again, RUN_METRIC_COUNT);
}

static void a_reason_that_was_read_is_kept_once_and_bounded(void **state)
{
    char text[1000], first[64];
    const char *kept;

    (void)state;
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    memcpy(text + 511, "\xc3\xa4", 2); /* the cut falls into a letter of two bytes */
    assert_int_equal(strlen(run_reason_keep(text)), 511);
    (void)snprintf(first, sizeof(first), "needs perf");
    kept = run_reason_keep(first);
    assert_ptr_not_equal(kept, first);
    assert_string_equal(kept, "needs perf");
    for (int i = 0; i < 10000; i++) {
        (void)snprintf(text, sizeof(text), "reason %d", i);
        assert_true(strlen(run_reason_keep(text)) > 0);
    }
    assert_ptr_equal(run_reason_keep(first), kept);
    assert_string_equal(run_reason_keep("reason 17"), "reason 17");
    assert_non_null(strstr(run_reason_keep("reason 9999"), "too many"));
}

static void a_variant_has_each_key_once(void **state)
{
    struct run run = {0};
    struct hl_error err;
    char text[300];

    (void)state;
    assert_int_equal(run_variant_set(&run, "cpus", "0+1", &err), HL_OK);
    assert_int_equal(run_variant_set(&run, "name", "x,y\\", &err), HL_OK);
    assert_string_equal(run.variant, "cpus=0+1,name=x\\,y\\\\");
    assert_int_equal(run_variant_set(&run, "cpus", "0", &err), HL_OK);
    assert_string_equal(run.variant, "name=x\\,y\\\\,cpus=0");
    assert_int_equal(run_variant_set(&run, "na", "", &err), HL_OK);
    assert_string_equal(run.variant, "name=x\\,y\\\\,cpus=0,na=");
    (void)snprintf(run.variant, sizeof(run.variant), "A");
    assert_int_equal(run_variant_set(&run, "arch", "x", &err), HL_OK);
    assert_string_equal(run.variant, "variant=A,arch=x");
    assert_int_equal(run_variant_set(&run, "", "x", &err), HL_USAGE);
    assert_int_equal(run_variant_set(&run, "a=b", "x", &err), HL_USAGE);
    memset(text, ',', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_int_equal(run_variant_set(&run, "k", text, &err), HL_USAGE);
    text[255 - 2] = '\0';
    run.variant[0] = '\0';
    assert_int_equal(run_variant_set(&run, "k", text, &err), HL_USAGE); /* each comma is escaped */
    memset(text, 'v', 253);
    assert_int_equal(run_variant_set(&run, "k", text, &err), HL_OK);
    assert_int_equal(strlen(run.variant), 255);
    assert_int_equal(run_variant_set(&run, "l", "", &err), HL_USAGE);
}

static void a_list_keeps_planned_order_and_survives_a_failed_allocation(void **state)
{
    struct run_list list = {0};
    struct hl_error err;
    struct run run;

    (void)state;
    run_init(&run, RUN_SIM, NULL);
    for (int i = 0; i < 100; i++) {
        run.run = i;
        assert_int_equal(run_list_add(&list, &run, &err), HL_OK);
    }
    while (list.count < list.capacity)
        assert_int_equal(run_list_add(&list, &run, &err), HL_OK);
    hl_alloc_fail_at(1);
    assert_int_equal(run_list_add(&list, &run, &err), HL_NO_MEMORY);
    hl_alloc_fail_at(0);
    assert_int_equal(list.count, list.capacity);
    for (int i = 0; i < 100; i++)
        assert_int_equal(list.runs[i].run, i);
    run_list_close(&list);
    assert_null(list.runs);
    run_list_close(&list);
}

static void a_list_owns_copies_of_the_parts_of_its_runs(void **state)
{
    struct run_list list = {0};
    struct hl_error err;
    struct run run;

    (void)state;
    run_init(&run, RUN_SIM, NULL);
    assert_int_equal(run_part_set(&run, "order 100", RUN_elapsed_s, 1, &err), HL_OK);
    assert_int_equal(run_list_add(&list, &run, &err), HL_OK);
    assert_int_equal(run_part_set(&run, "order 100", RUN_elapsed_s, 2, &err), HL_OK);
    assert_int_equal(run_part_set(&run, "order 200", RUN_user_s, 3, &err), HL_OK);
    assert_int_equal(run_list_add(&list, &run, &err), HL_OK);
    run_close(&run);
    run_close(&run);
    assert_int_equal(list.runs[0].part_count, 1);
    assert_true(run_part_get(run_part_find(&list.runs[0], "order 100"), RUN_elapsed_s) == 1);
    assert_int_equal(list.runs[1].part_count, 2);
    assert_true(run_part_get(run_part_find(&list.runs[1], "order 100"), RUN_elapsed_s) == 2);
    assert_true(run_part_get(run_part_find(&list.runs[1], "order 200"), RUN_user_s) == 3);
    assert_true(isnan(run_part_get(run_part_find(&list.runs[1], "order 200"), RUN_elapsed_s)));
    assert_true(isnan(run_part_get(run_part_find(&list.runs[1], "order 300"), RUN_elapsed_s)));
    hl_alloc_fail_at(1);
    assert_int_equal(run_list_add(&list, &list.runs[1], &err), HL_NO_MEMORY);
    hl_alloc_fail_at(0);
    assert_int_equal(list.count, 2);
    run_list_shorten(&list, 1);
    assert_int_equal(list.count, 1);
    run_list_close(&list);
}

static void parts_and_their_figures_are_bounded(void **state)
{
    struct hl_error err;
    struct run run;
    char name[RUN_PART_BYTES + 1] = "";

    (void)state;
    run_init(&run, RUN_SIM, NULL);
    assert_int_equal(run_part_set(&run, "", RUN_elapsed_s, 1, &err), HL_BAD_INPUT);
    memset(name, 'n', RUN_PART_BYTES);
    assert_int_equal(run_part_set(&run, name, RUN_elapsed_s, 1, &err), HL_BAD_INPUT);
    for (int i = 0; i < RUN_PART_FIGURES; i++)
        assert_int_equal(run_part_set(&run, "p", i, 1, &err), HL_OK);
    assert_int_equal(run_part_set(&run, "p", RUN_PART_FIGURES, 1, &err), HL_BAD_INPUT);
    assert_string_equal(err.text, "part 'p' of a run: metric refill_core_cpu_s is one more "
                                  "than the 16 it may have");
    for (int i = 1; i < RUN_PARTS_MAX; i++) {
        (void)snprintf(name, sizeof(name), "order %d", i);
        assert_int_equal(run_part_set(&run, name, RUN_elapsed_s, i, &err), HL_OK);
    }
    assert_int_equal(run_part_set(&run, "one more", RUN_elapsed_s, 1, &err), HL_BAD_INPUT);
    run_close(&run);
    assert_int_equal(run.part_count, 0);
}

static void values_come_from_runs_that_are_ok_and_have_them(void **state)
{
    struct run runs[4];
    double values[4];

    (void)state;
    for (int i = 0; i < 4; i++) {
        run_init(&runs[i], RUN_SIM, NULL);
        run_set(&runs[i], RUN_elapsed_s, i + 1);
    }
    runs[1].status = RUN_FAILED;
    runs[2].metric[RUN_elapsed_s] = (double)NAN;
    assert_int_equal(run_values(runs, 4, RUN_elapsed_s, values), 2);
    assert_true(values[0] == 1 && values[1] == 4);
    assert_int_equal(run_values(runs, 4, RUN_user_s, values), 0);
}

static void names_are_those_of_the_file_format(void **state)
{
    (void)state;
    assert_string_equal(run_source_name(RUN_SIM), "sim");
    assert_string_equal(run_source_name(RUN_IMPORT), "import");
    assert_string_equal(run_status_name(RUN_OK), "ok");
    assert_string_equal(run_status_name(RUN_INVALID), "invalid");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_run_has_no_metric_and_says_why),
        cmocka_unit_test(metric_names_are_unique_and_found),
        cmocka_unit_test(a_metric_of_an_imported_result_gets_an_index_once),
        cmocka_unit_test(a_reason_that_was_read_is_kept_once_and_bounded),
        cmocka_unit_test(a_variant_has_each_key_once),
        cmocka_unit_test(a_list_keeps_planned_order_and_survives_a_failed_allocation),
        cmocka_unit_test(a_list_owns_copies_of_the_parts_of_its_runs),
        cmocka_unit_test(parts_and_their_figures_are_bounded),
        cmocka_unit_test(values_come_from_runs_that_are_ok_and_have_them),
        cmocka_unit_test(names_are_those_of_the_file_format),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
