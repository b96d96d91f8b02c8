/* SPDX-License-Identifier: GPL-2.0-or-later */
/* paper_ratio_test.c - ratios between rows: what a file may ask for, their values, how they are printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/units.h"
#include "report/report.h"

/* percent_cpu is computed from the others; T was never published. */
#define PAPER(ratios)                                                                              \
    "{\"schema\":1,\"id\":\"p\",\"title\":\"T\",\"where\":\"W\",\"workload\":\"buildworld\","      \
    "\"statistic\":\"mean\",\"runs\":1,\"simulated_runs\":2,"                                      \
    "\"metrics\":[{\"name\":\"elapsed_s\"},{\"name\":\"user_s\"},{\"name\":\"system_s\"},"         \
    "{\"name\":\"percent_cpu\",\"from\":[\"elapsed_s\",\"user_s\",\"system_s\"]}],"                \
    "\"loads\":[{\"label\":\"4\",\"level\":\"4\"},{\"label\":\"8\",\"level\":\"8\"}],\"rows\":["   \
    "{\"label\":\"B\",\"policy\":\"4bsd\",\"machine\":\"smp:8\",\"cells\":{"                       \
    "\"elapsed_s\":{\"4\":[110,\"fitted\"],\"8\":[60,\"fitted\"]},"                                \
    "\"user_s\":{\"8\":[300,\"fitted\"]},\"system_s\":{\"8\":[45,\"fitted\"]},"                    \
    "\"percent_cpu\":{\"8\":[575,\"fitted\"]}}},"                                                  \
    "{\"label\":\"U\",\"policy\":\"ule\",\"machine\":\"smp:8\",\"cells\":{"                        \
    "\"elapsed_s\":{\"4\":[100,\"comparing\"],\"8\":[64,\"comparing\"]},"                          \
    "\"user_s\":{\"8\":[298,\"comparing\"]},\"system_s\":{\"8\":[32,\"not explained\"]}}},"        \
    "{\"label\":\"T\",\"policy\":\"ule:kick=0\",\"machine\":\"smp:8\",\"cells\":{}}],"             \
    "\"ratios\":[" ratios "]}"

#define BY_ROWS "{\"label\":\"B / U\",\"metrics\":[\"elapsed_s\"],\"above\":\"B\",\"below\":\"U\"}"
#define CPU_TIME                                                                                   \
    "{\"label\":\"cpu time\",\"metrics\":[\"user_s\",\"system_s\"],\"above\":\"B\",\"below\":"     \
    "\"U\"}"
#define BUSY "{\"label\":\"B, % of 8\",\"metrics\":[\"percent_cpu\"],\"above\":\"B\",\"below\":8}"
#define UNPUBLISHED                                                                                \
    "{\"label\":\"B / T\",\"metrics\":[\"elapsed_s\"],\"above\":\"B\",\"below\":\"T\",\"loads\":"  \
    "[\"8\"]}"
#define BY_LOADS                                                                                   \
    "{\"label\":\"B 4 / 8\",\"metrics\":[\"elapsed_s\"],\"above\":\"B\",\"below\":\"B\","          \
    "\"loads\":[\"4\"],\"below_load\":\"8\"}"

static void parse(struct paper *paper, const char *text)
{
    struct hl_error err = {0};

    if (paper_parse(paper, "p.json", text, strlen(text), &err) != HL_OK)
        fail_msg("%s", err.text);
}

static void assert_near(double found, double expected)
{
    if (!(fabs(found - expected) < 1e-9))
        fail_msg("found %.12g, expected %.12g", found, expected);
}

static void set_runs(struct run runs[2], double first_s, double second_s)
{
    for (int i = 0; i < 2; i++) {
        run_init(&runs[i], RUN_SIM, NULL);
        run_set(&runs[i], RUN_elapsed_s, i == 0 ? first_s : second_s);
        run_set(&runs[i], RUN_percent_cpu, 600);
    }
}

static void a_ratio_has_the_loads_at_which_both_rows_are_published(void **state)
{
    struct paper paper;

    (void)state;
    parse(&paper, PAPER(BY_ROWS "," CPU_TIME "," BUSY));
    assert_int_equal(paper.ratio_count, 3);
    assert_int_equal(paper.ratio_value_count, 4);
    assert_near(paper.ratio_values[0].published, 1.1);
    assert_int_equal(paper.ratio_values[0].role, PAPER_COMPARING);
    assert_near(paper.ratio_values[1].published, 60.0 / 64);
    /* One of its four cells is not explained. */
    assert_int_equal(paper.ratio_values[2].load, 1);
    assert_near(paper.ratio_values[2].published, 345.0 / 330);
    assert_int_equal(paper.ratio_values[2].role, PAPER_NOT_EXPLAINED);
    assert_near(paper.ratio_values[3].published, 575.0 / 8);
    assert_int_equal(paper.ratio_values[3].role, PAPER_FITTED);
    paper_close(&paper);
}

static void only_what_a_cell_or_ratio_needs_is_played(void **state)
{
    struct paper paper;

    (void)state;
    parse(&paper, PAPER(UNPUBLISHED));
    assert_true(paper_needs(&paper, 0, 0));
    assert_false(paper_needs(&paper, 2, 0));
    assert_true(paper_needs(&paper, 2, 1));
    assert_true(isnan(paper.ratio_values[0].published));
    assert_int_equal(paper.ratio_values[0].role, PAPER_ROLE_COUNT);
    paper_close(&paper);
}

static void the_row_below_may_be_taken_at_another_load(void **state)
{
    struct paper paper;

    (void)state;
    parse(&paper, PAPER(BY_LOADS));
    assert_near(paper.ratio_values[0].published, 110.0 / 60);
    assert_int_equal(paper_ratio_below_load(&paper, &paper.ratio_values[0]), 1);
    paper_close(&paper);
}

static void the_deviation_is_that_of_runs_of_one_number(void **state)
{
    struct run above[2], below[2];
    struct paper paper;

    (void)state;
    parse(&paper, PAPER(BY_ROWS));
    assert_int_equal(paper.simulated_runs, 2);
    /* Both rows share the chance of a run: the ratio is 0.9 in each. */
    set_runs(above, 90, 180);
    set_runs(below, 100, 200);
    assert_int_equal(paper_score_ratio(&paper, 0, above, below, 2, NULL), HL_OK);
    assert_near(paper.ratio_values[0].simulated, 0.9);
    assert_near(paper.ratio_values[0].deviation, 0);
    /* A failed run takes its partner with it. */
    below[1].status = RUN_FAILED;
    set_runs(above, 80, 180);
    assert_int_equal(paper_score_ratio(&paper, 0, above, below, 2, NULL), HL_OK);
    assert_near(paper.ratio_values[0].simulated, 0.8);
    assert_true(isnan(paper.ratio_values[0].deviation));
    paper_close(&paper);
}

static void metrics_computed_from_others_are_in_no_error(void **state)
{
    struct paper_score score;
    struct paper paper;

    (void)state;
    parse(&paper, PAPER(BY_ROWS));
    for (int i = 0; i < paper.cell_count; i++)
        paper.cells[i].simulated =
            paper.cells[i].published * (strcmp(paper.cells[i].metric, "percent_cpu") == 0 ? 9 : 1);
    assert_int_equal(paper_score(&paper, &score, NULL), HL_OK);
    assert_near(score.mean_absolute_error[PAPER_FITTED], 0);
    assert_int_equal(score.cells[PAPER_FITTED], 4);
    assert_int_equal(score.derived, 1);
    paper_score_close(&score);
    paper_close(&paper);
}

/* What the writer prints between the tables of cells and the legend, or all of its JSON. */
static void assert_prints(const struct paper *paper, bool is_json, const char *expected)
{
    struct paper_score score;
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    assert_non_null(out);
    assert_int_equal(paper_score(paper, &score, NULL), HL_OK);
    if (is_json)
        assert_int_equal(report_paper_json(out, paper, &score, NULL), HL_OK);
    else
        assert_int_equal(report_paper_text(out, paper, &score, NULL), HL_OK);
    (void)fclose(out);
    if (strstr(text, expected) == NULL)
        fail_msg("written:\n%s\nexpected in it:\n%s", text, expected);
    free(text);
    paper_score_close(&score);
}

static void ratios_are_printed_with_their_deviation(void **state)
{
    struct run above[2], below[2];
    struct paper paper;

    (void)state;
    parse(&paper, PAPER(BY_ROWS "," UNPUBLISHED "," BUSY));
    set_runs(above, 90, 180);
    set_runs(below, 96, 210);
    for (int i = 0; i < paper.ratio_value_count; i++)
        assert_int_equal(
            paper_score_ratio(&paper, i, above,
                              paper.ratios[paper.ratio_values[i].ratio].below < 0 ? NULL : below, 2,
                              NULL),
            HL_OK);
    assert_prints(&paper, false,
                  "\nratios of elapsed_s, mean of 2 simulated runs, +- their standard deviation\n"
                  "                        4         8\n"
                  "-----  ----------  --------  --------\n"
                  "B / U   published   1.100     0.938\n"
                  "        simulated   0.882     0.882\n"
                  "               +-   0.057     0.057\n"
                  "       difference  -0.218 c  -0.055 c\n"
                  "B / T   simulated             0.882\n"
                  "               +-             0.057\n"
                  "\n"
                  "ratios of percent_cpu, mean of 2 simulated runs, +- their standard deviation\n"
                  "                           8\n"
                  "---------  ----------  -------\n"
                  "B, % of 8   published  71.88\n"
                  "            simulated  75.00\n"
                  "                   +-   0.00\n"
                  "           difference  +3.12 f\n"
                  "f fitted");
    assert_prints(
        &paper, true,
        "},\"ratios\":[\n"
        "{\"label\":\"B / U\",\"metrics\":[\"elapsed_s\"],\"above\":\"B\",\"below\":\"U\","
        "\"load\":\"4\",\"role\":\"comparing\",\"published\":1.1,\"simulated\":");
    assert_prints(
        &paper, true,
        "{\"label\":\"B, % of 8\",\"metrics\":[\"percent_cpu\"],\"above\":\"B\",\"below\":"
        "8,\"load\":\"8\",\"role\":\"fitted\",\"published\":71.875,\"simulated\":75,"
        "\"deviation\":0}\n],\"order\":[");
    assert_prints(&paper, true, "\"below\":\"T\",\"load\":\"8\",\"role\":null,\"published\":null,");
    paper_close(&paper);
}

static void assert_rejected(const char *text, const char *message)
{
    struct hl_error err = {0};
    struct paper paper;

    assert_int_equal(paper_parse(&paper, "p.json", text, strlen(text), &err), HL_BAD_INPUT);
    assert_string_equal(err.text, message);
    assert_null(paper.ratios);
}

static void a_malformed_ratio_says_what_and_where(void **state)
{
    (void)state;
    assert_rejected(PAPER("{\"label\":\"r\",\"metrics\":[\"elapsed_s\"],\"above\":\"B\"}"),
                    "p.json: /ratios/0: the key \"below\" is missing");
    assert_rejected(
        PAPER("{\"label\":\"r\",\"metrics\":[\"elapsed\"],\"above\":\"B\",\"below\":\"U\"}"),
        "p.json: /ratios/0/metrics/0: unknown metric \"elapsed\"; did you mean \"elapsed_s\"?");
    assert_rejected(
        PAPER("{\"label\":\"r\",\"metrics\":[\"elapsed_s\"],\"above\":\"B\",\"below\":\"UU\"}"),
        "p.json: /ratios/0/below: unknown row \"UU\"; did you mean \"U\"?");
    assert_rejected(
        PAPER("{\"label\":\"r\",\"metrics\":[\"elapsed_s\"],\"above\":\"B\",\"below\":-8}"),
        "p.json: /ratios/0/below: found a divisor of -8, expected a number above 0");
    assert_rejected(
        PAPER("{\"label\":\"r\",\"metrics\":[\"elapsed_s\"],\"above\":\"B\",\"below\":\"T\"}"),
        "p.json: /ratios/0: no load is published for both rows; expected \"loads\"");
    assert_rejected(
        PAPER("{\"label\":\"r\",\"metrics\":[\"elapsed_s\"],\"above\":\"B\",\"below\":2,"
              "\"below_load\":\"8\"}"),
        "p.json: /ratios/0/below_load: stands beside a number; expected a row below");
    assert_rejected(PAPER("{\"label\":\"r\",\"metrics\":[\"elapsed_s\"],\"above\":\"B\",\"below\":"
                          "\"U\",\"loads\":[\"8\",\"8\"]}"),
                    "p.json: /ratios/0/loads/1: \"8\" stands here twice");
}

static void every_failed_allocation_is_a_status(void **state)
{
    static const char text[] = PAPER(BY_ROWS "," UNPUBLISHED "," BY_LOADS);
    struct hl_json file;
    struct hl_error err;
    struct paper paper;
    enum hl_status status = HL_NO_MEMORY;
    uint64_t before = hl_alloc_count(), n;

    (void)state;
    /* Those of jansson are not failed here: it writes past a string that it could not grow. */
    assert_int_equal(hl_json_parse(&file, "p.json", text, strlen(text), &err), HL_OK);
    hl_json_close(&file);
    n = hl_alloc_count() - before;
    while (status != HL_OK && n < 10000) {
        hl_alloc_fail_at(++n);
        status = paper_parse(&paper, "p.json", text, strlen(text), &err);
        hl_alloc_fail_at(0);
        assert_true(status == HL_OK || status == HL_NO_MEMORY);
    }
    assert_int_equal(status, HL_OK);
    hl_alloc_fail_at(1);
    assert_int_equal(paper_score_ratio(&paper, 0, NULL, NULL, 2, &err), HL_NO_MEMORY);
    hl_alloc_fail_at(0);
    paper_close(&paper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ratio_has_the_loads_at_which_both_rows_are_published),
        cmocka_unit_test(only_what_a_cell_or_ratio_needs_is_played),
        cmocka_unit_test(the_row_below_may_be_taken_at_another_load),
        cmocka_unit_test(the_deviation_is_that_of_runs_of_one_number),
        cmocka_unit_test(metrics_computed_from_others_are_in_no_error),
        cmocka_unit_test(ratios_are_printed_with_their_deviation),
        cmocka_unit_test(a_malformed_ratio_says_what_and_where),
        cmocka_unit_test(every_failed_allocation_is_a_status),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
