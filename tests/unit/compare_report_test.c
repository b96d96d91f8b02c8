/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compare_report_test.c - exact bytes of comparisons: text, Markdown, JSON, CSV. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "compare_fixture.h"
#include "noise.h"
#include "report/report.h"

static char *written;
static size_t written_bytes;
static FILE *out;
static struct fixture f;

static int start_capture(void **state)
{
    (void)state;
    f = (struct fixture){0};
    run_metric_reset();
    out = open_memstream(&written, &written_bytes);
    return out == NULL;
}

static int end_capture(void **state)
{
    (void)state;
    (void)fclose(out);
    free(written);
    fixture_close(&f);
    run_metric_reset();
    return 0;
}

static void assert_written(const char *expected)
{
    if (strcmp(written, expected) != 0)
        fail_msg("written:\n%s\nexpected:\n%s", written, expected);
}

static void assert_contains(const char *expected)
{
    if (strstr(written, expected) == NULL)
        fail_msg("written:\n%s\nexpected somewhere:\n%s", written, expected);
}

static void compare(void)
{
    struct hl_error err = {0};

    if (fixture_compare(&f, &err) != HL_OK)
        fail_msg("%s", err.text);
}

/* Three loads, seven blocks: equal, 10 % slower, and too noisy to tell; one failed run in the
 * last. */
static void make_study(const char *base, const char *new)
{
    static const char *const loads[] = {"1", "half", "8"};

    for (int load = 0; load < 3; load++)
        for (int block = 0; block < 8; block++)
            for (int arm = 0; arm < 2; arm++) {
                double noise = (block * 3 + arm * 5) % 8 / 10.0;
                double time = load == 1 ? (arm == 1 ? 88 : 80) : load == 2 ? 40 + 10 * noise : 120;
                struct run *run = fixture_add(&f.base, RUN_HOST, arm == 1 ? new : base, loads[load],
                                              time + noise);

                run->block = block;
                run->level = load == 0 ? 1 : load == 1 ? 3 : 8;
                if (load == 2 && block == 5 && arm == 0) {
                    run->status = RUN_FAILED;
                    run->exit_status = 2;
                }
            }
}

static void a_comparison_is_a_table_with_what_it_rests_on(void **state)
{
    (void)state;
    make_study("cpus=0+1", "cpus=0");
    compare();
    assert_int_equal(report_compare_text(out, &f.result, NULL), HL_OK);
    assert_written(
        "elapsed_s: different in 1 of 3 comparisons (load half (3) worse); 1 same, 1 undecided\n"
        "\n"
        "elapsed_s in s, lower is better; base is cpus=0+1, new is cpus=0\n"
        "\n"
        "load            base, mean (sd)  new, mean (sd)             change [interval]    verdict  "
        "  "
        "   p  n\n"
        "--------------  ---------------  --------------  ----------------------------  ---------  "
        "------  -\n"
        "1                 120.35 (0.24)   120.35 (0.24)    +0.08 % [-0.25 %, +0.42 %]       same  "
        "0.7422  8\n"
        "half (3)           80.35 (0.24)    88.35 (0.24)  +10.08 % [+9.55 %, +10.62 %]  different  "
        "0.0078  8\n"
        "8                  43.30 (2.38)    43.85 (2.69)   +2.42 % [-7.62 %, +13.75 %]  undecided  "
        "0.5781  7\n"
        "geometric mean                                     +4.11 % [+0.39 %, +7.99 %]  different  "
        "0.0156  7\n"
        "\n"
        "95 % for all 3 together (Holm: 97.5 to 98.33 % each); same: within 1 % of base; n in "
        "blocks; geometric mean from per-block means\n"
        "load 8 undecided: the interval is too wide; about 257 blocks would decide if the change "
        "is as estimated; 32 % would be "
        "found (power 80 %)\n"
        "\n"
        "cpus=0+1, load 8: 1 of 8 runs failed, left out: repetition 5, exit status 2\n"
        "load 8: 1 run left out, without the other arm in the block\n");
}

static void markdown_is_a_table_and_escapes_its_bars(void **state)
{
    (void)state;
    make_study("a|b", "c");
    compare();
    assert_int_equal(report_compare_markdown(out, &f.result, NULL), HL_OK);
    assert_contains("\n| load | base, mean (sd) | new, mean (sd) | change [interval] | verdict | p "
                    "| n |\n|---|--:|--:|--:|--:|--:|--:|\n| 1 | 120.35 (0.24) |");
    assert_contains("\n- load 8 undecided: ");
}

static void forty_metrics_without_a_difference_are_said_first(void **state)
{
    struct hl_rng rng = hl_rng_stream(4, "test/null");
    int metrics[39];

    (void)state;
    for (int i = 0; i < 39; i++) {
        char name[16];

        (void)snprintf(name, sizeof(name), "m%d", i);
        assert_int_equal(run_metric_add(name, "", RUN_LOWER, &metrics[i], NULL), HL_OK);
    }
    for (int block = 0; block < 10; block++)
        for (int arm = 0; arm < 2; arm++) {
            struct run *run = fixture_add(&f.base, RUN_HOST, arm == 1 ? "B" : "A", "3",
                                          100 + (block * 3 + arm * 5) % 8);

            run->block = block;
            for (int i = 0; i < 39; i++)
                run_set(run, (enum run_metric)metrics[i], 100 + noise_normal(&rng));
        }
    compare();
    assert_int_equal(report_compare_text(out, &f.result, NULL), HL_OK);
    assert_int_equal(
        strncmp(written, "no difference shown in 40 metrics (elapsed_s: 1 undecided)\n", 59), 0);
    assert_contains("Exploratory, 39 other metrics in 39 comparisons (Benjamini-Hochberg): no "
                    "difference shown\n");
}

static void exploratory_metrics_that_differ_are_listed_with_both_p(void **state)
{
    (void)state;
    for (int block = 0; block < 8; block++)
        for (int arm = 0; arm < 2; arm++) {
            struct run *run =
                fixture_add(&f.base, RUN_HOST, arm == 1 ? "B" : "A", "3", 100 + block % 3);

            run->block = block;
            run_set(run, RUN_user_s, 90 + block % 4 + 20 * arm);
            run_set(run, RUN_migrations, arm == 1 ? 10 + block : 0);
        }
    compare();
    assert_int_equal(report_compare_text(out, &f.result, NULL), HL_OK);
    assert_contains("elapsed_s: no difference shown (1 same)\n");
    assert_contains(
        "Exploratory, 2 other metrics in 2 comparisons (Benjamini-Hochberg): 2 differ\n");
    assert_contains("\nuser_s         3    B       91.50     111.50");
    assert_contains(
        "\nmigrations     3    B      0.0000      13.50               +13.5 [+11, +16]  "
        "0.0078      0.0078\n");
}

static void equal_results_are_shown_without_spread(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++)
        (void)fixture_add(&f.base, RUN_IMPORT, "A", "3", 8.89);
    compare();
    assert_int_equal(report_compare_text(out, &f.result, NULL), HL_OK);
    assert_written("elapsed_s in s, lower is better; A\n"
                   "\n"
                   "load  n  mean (sd)  middle    low   high    level  failed\n"
                   "----  -  ---------  ------  -----  -----  -------  ------\n"
                   "3     5  8.890 (0)   8.890  8.890  8.890  93.75 %       0\n"
                   "\n"
                   "A, load 3: all 5 runs equal: the resolution of the timer, 0.01 s, bounds the "
                   "interval\n");
}

static void two_modes_are_shown_in_place_of_a_mean(void **state)
{
    static const double times[] = {40.1, 40.3, 39.9, 40.2, 85.0, 84.7,
                                   40.0, 85.3, 84.9, 40.4, 85.1, 84.8};

    (void)state;
    for (int i = 0; i < 12; i++)
        (void)fixture_add(&f.base, RUN_IMPORT, "A", "3", times[i]);
    compare();
    assert_int_equal(report_compare_text(out, &f.result, NULL), HL_OK);
    assert_contains("40.15 x6, 84.97 x6");
    assert_null(strstr(written, "62.5"));
    assert_null(strstr(written, "62.6"));
}

static void loads_in_one_file_only_leave_nothing_to_compare(void **state)
{
    (void)state;
    (void)fixture_add(&f.base, RUN_IMPORT, "", "X", 100);
    (void)fixture_add(&f.new, RUN_IMPORT, "", "Y", 100);
    compare();
    assert_int_equal(report_compare_text(out, &f.result, NULL), HL_OK);
    assert_written("nothing to compare: no load has elapsed_s in both\n"
                   "\n"
                   "1 load left out: X, missing in B\n"
                   "1 load left out: Y, missing in A\n");
}

static void json_holds_raw_and_adjusted_p_of_every_comparison(void **state)
{
    struct hl_json file = {0};
    struct hl_error err = {0};
    struct hl_json_node root, cells, cell, value;
    size_t count;
    double p, adjusted;
    const char *text;

    (void)state;
    make_study("A", "B \"quoted\"");
    for (size_t i = 0; i < f.base.count; i++)
        run_set(&f.base.runs[i], RUN_user_s, 100 + (double)i);
    compare();
    assert_int_equal(report_compare_json(out, &f.result, NULL), HL_OK);
    if (hl_json_parse(&file, "x.json", written, strlen(written), &err) != HL_OK)
        fail_msg("%s\n%s", err.text, written);
    root = hl_json_root(&file);
    assert_int_equal(hl_json_member(&root, "comparisons", &cells, &err), HL_OK);
    assert_int_equal(hl_json_array(&cells, &count, &err), HL_OK);
    assert_int_equal(count, 3 + 1 + 3);
    cell = hl_json_item(&cells, 1);
    assert_int_equal(hl_json_member(&cell, "p", &value, &err), HL_OK);
    assert_int_equal(hl_json_double(&value, &p, &err), HL_OK);
    assert_int_equal(hl_json_member(&cell, "p_adjusted", &value, &err), HL_OK);
    assert_int_equal(hl_json_double(&value, &adjusted, &err), HL_OK);
    assert_true(fabs(p - 2.0 / 256) < 1e-12 && fabs(adjusted - 6.0 / 256) < 1e-12);
    assert_int_equal(hl_json_member(&cell, "verdict", &value, &err), HL_OK);
    assert_int_equal(hl_json_string(&value, 1, 99, &text, &err), HL_OK);
    assert_string_equal(text, "different");
    assert_int_equal(hl_json_member(&root, "notes", &cells, &err), HL_OK);
    hl_json_close(&file);
}

static void csv_has_a_field_for_each_column_in_each_line(void **state)
{
    size_t commas = 0, first = 0, lines = 0;
    bool is_quoted = false;

    (void)state;
    make_study("cpus=0,1", "B");
    compare();
    assert_int_equal(report_compare_csv(out, &f.result, NULL), HL_OK);
    for (const char *c = written; *c != '\0'; c++) {
        is_quoted = *c == '"' ? !is_quoted : is_quoted;
        commas += *c == ',' && !is_quoted;
        if (*c != '\n' || is_quoted)
            continue;
        first = lines++ == 0 ? commas : first;
        assert_int_equal(commas, first);
        commas = 0;
    }
    assert_int_equal(lines, 1 + 3 + 1);
    assert_contains("\nprimary,\"cpus=0,1\",B,kernbench,1,elapsed_s,s,lower,");
    assert_contains("\nmean,\"cpus=0,1\",B,,,elapsed_s,s,lower,,,ratio,");
}

static void a_full_disk_is_told(void **state)
{
    FILE *full = fopen("/dev/full", "w");
    struct hl_error err;

    (void)state;
    assert_non_null(full);
    make_study("A", "B");
    compare();
    assert_int_equal(report_compare_text(full, &f.result, &err), HL_NOT_PERMITTED);
    assert_int_equal(report_compare_json(full, &f.result, &err), HL_NOT_PERMITTED);
    assert_int_equal(report_compare_csv(full, &f.result, &err), HL_NOT_PERMITTED);
    (void)fclose(full);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start_capture, end_capture)
    const struct CMUnitTest tests[] = {
        TEST(a_comparison_is_a_table_with_what_it_rests_on),
        TEST(markdown_is_a_table_and_escapes_its_bars),
        TEST(forty_metrics_without_a_difference_are_said_first),
        TEST(exploratory_metrics_that_differ_are_listed_with_both_p),
        TEST(equal_results_are_shown_without_spread),
        TEST(two_modes_are_shown_in_place_of_a_mean),
        TEST(loads_in_one_file_only_leave_nothing_to_compare),
        TEST(json_holds_raw_and_adjusted_p_of_every_comparison),
        TEST(csv_has_a_field_for_each_column_in_each_line),
        TEST(a_full_disk_is_told),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
