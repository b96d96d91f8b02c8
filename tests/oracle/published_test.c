/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * published_test.c - the shipped constants reproduce the published tables, and the check has teeth.
 *
 * Limits are differences simulated - published of normalised seconds. Two papers that the constants of their
 * machine were not fitted to per policy: whatever tells schedulers apart comes from the schedulers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/play_paper.h"

struct limits {
    double comparing, all, largest;
};

/* What was found wrong; 0 when the table holds. */
static int count_misses(const struct paper *paper, const struct limits *limits)
{
    struct paper_score score = {0};
    int misses = 0;

    assert_int_equal(paper_score(paper, &score, NULL), HL_OK);
    if (score.missing > 0)
        misses++;
    if (!(score.mean_absolute_error_all <= limits->all)) {
        print_message("%s: mean error %.4f\n", paper->id, score.mean_absolute_error_all);
        misses++;
    }
    if (score.cells[PAPER_COMPARING] > 0 &&
        !(score.mean_absolute_error[PAPER_COMPARING] <= limits->comparing)) {
        print_message("%s: mean error of comparing cells %.4f\n", paper->id,
                      score.mean_absolute_error[PAPER_COMPARING]);
        misses++;
    }
    if (!(fabs(score.largest_error) <= limits->largest)) {
        print_message("%s: largest error %.4f\n", paper->id, score.largest_error);
        misses++;
    }
    paper_score_close(&score);
    return misses;
}

static double simulated(const struct paper *paper, const char *row, const char *load)
{
    for (int c = 0; c < paper->cell_count; c++)
        if (strcmp(paper->cells[c].row, row) == 0 && strcmp(paper->cells[c].load, load) == 0)
            return paper_simulated(paper, c);
    fail_msg("%s has no cell %s, %s", paper->id, row, load);
    return 0;
}

static void play(struct paper *paper, const char *id, const char *instead_of_domains)
{
    struct hl_error err = {0};

    if (paper_open(paper, id, &err) != HL_OK)
        fail_msg("%s", err.text);
    for (int r = 0; instead_of_domains != NULL && r < paper->row_count; r++)
        if (strcmp(paper->rows[r].policy, "w26") == 0 || strcmp(paper->rows[r].policy, "c1") == 0)
            (void)snprintf(paper->rows[r].policy, sizeof(paper->rows[r].policy), "%s",
                           instead_of_domains);
    if (play_paper(paper, 1, 2, NULL, &err) != HL_OK)
        fail_msg("%s", err.text);
}

static const struct limits fredrickson = {.comparing = 0.015, .all = 0.010, .largest = 0.03};
static const struct limits kolivas = {.comparing = 0.015, .all = 0.010, .largest = 0.03};

static int check_fredrickson(const struct paper *paper)
{
    double o1 = simulated(paper, "2phys w/HT", "-j3");
    int misses = count_misses(paper, &fredrickson);

    if (!(o1 - simulated(paper, "2phys w/HT (w26)", "-j3") >= 0.08))
        misses++;
    if (!(o1 - simulated(paper, "2phys w/HT (C1)", "-j3") >= 0.08))
        misses++;
    return misses;
}

static void two_packages_with_siblings_hold(void **state)
{
    struct paper paper = {0};

    (void)state;
    play(&paper, "fredrickson-2003-2phys", NULL);
    assert_int_equal(check_fredrickson(&paper), 0);
    paper_close(&paper);
}

static void the_check_fails_when_all_schedulers_are_o1(void **state)
{
    struct paper paper = {0};

    (void)state;
    play(&paper, "fredrickson-2003-2phys", "o1:version=2.6.0-test11");
    assert_true(check_fredrickson(&paper) >= 3);
    paper_close(&paper);
}

static void one_package_with_siblings_holds(void **state)
{
    struct paper paper = {0};

    (void)state;
    play(&paper, "kolivas-2003-p4", NULL);
    assert_int_equal(count_misses(&paper, &kolivas), 0);
    paper_close(&paper);
}

/* Of one cell; index by metric. */
static double value_of(const struct paper *paper, const char *row, const char *load,
                       const char *metric, bool published)
{
    for (int c = 0; c < paper->cell_count; c++) {
        const struct paper_cell *cell = &paper->cells[c];

        if (strcmp(cell->row, row) == 0 && strcmp(cell->load, load) == 0 &&
            strcmp(cell->metric, metric) == 0)
            return published ? cell->published : cell->simulated;
    }
    fail_msg("%s has no cell %s, %s, %s", paper->id, row, load, metric);
    return 0;
}

static double ratio(const struct paper *paper, const char *row, const char *load,
                    const char *metric)
{
    return value_of(paper, row, load, metric, false) / value_of(paper, row, load, metric, true);
}

static void sixteen_cpus_on_two_nodes_hold(void **state)
{
    static const char *const cells[][2] = {{"vanilla", "half -j8"},
                                           {"vanilla", "optimum -j64"},
                                           {"vanilla", "maximum -j"},
                                           {"-mm no SMT", "half -j8"},
                                           {"-mm no SMT", "optimum -j64"}};
    static const char *const switches[] = {"involuntary_switches", "voluntary_switches"};
    struct paper paper = {0};

    (void)state;
    play(&paper, "kolivas-2004-x440", NULL);
    for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
        const char *row = cells[i][0], *load = cells[i][1];
        double cpu_s[2];

        for (int published = 0; published < 2; published++)
            cpu_s[published] = value_of(&paper, row, load, "user_s", published != 0) +
                               value_of(&paper, row, load, "system_s", published != 0);
        assert_true(fabs(ratio(&paper, row, load, "elapsed_s") - 1) <= 0.08);
        assert_true(fabs(cpu_s[0] / cpu_s[1] - 1) <= 0.08);
        assert_true(fabs(ratio(&paper, row, load, "percent_cpu") - 1) <= 0.08);
        for (int k = 0; k < 2; k++) {
            assert_true(ratio(&paper, row, load, switches[k]) > 0.5);
            assert_true(ratio(&paper, row, load, switches[k]) < 2);
        }
    }
    assert_true(value_of(&paper, "-mm no SMT", "half -j8", "elapsed_s", false) >=
                1.05 * value_of(&paper, "vanilla", "half -j8", "elapsed_s", false));
    /* Which row switches more is the same as published, at both loads. */
    for (int load = 0; load < 2; load++)
        for (int k = 0; k < 2; k++) {
            const char *name = cells[load][1];
            bool published = value_of(&paper, "vanilla", name, switches[k], true) >
                             value_of(&paper, "-mm no SMT", name, switches[k], true);
            bool simulated_so = value_of(&paper, "vanilla", name, switches[k], false) >
                                value_of(&paper, "-mm no SMT", name, switches[k], false);

            assert_int_equal(simulated_so, published);
        }
    paper_close(&paper);
}

static void pipes_save_what_was_published(void **state)
{
    struct paper paper = {0};
    double last = 1e9;

    (void)state;
    play(&paper, "davidsen-2003-pipe", NULL);
    for (int load = 0; load < 2; load++)
        for (int row = 0; row < 2; row++) {
            const char *row_name = row == 0 ? "gcc" : "gcc -pipe",
                       *load_name = load == 0 ? "-j1" : "-j3";
            double elapsed_s = value_of(&paper, row_name, load_name, "elapsed_s", false);

            assert_true(fabs(ratio(&paper, row_name, load_name, "elapsed_s") - 1) <= 0.015);
            assert_true(elapsed_s < last); /* the published order */
            last = elapsed_s;
        }
    paper_close(&paper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_packages_with_siblings_hold),
        cmocka_unit_test(the_check_fails_when_all_schedulers_are_o1),
        cmocka_unit_test(one_package_with_siblings_holds),
        cmocka_unit_test(sixteen_cpus_on_two_nodes_hold),
        cmocka_unit_test(pipes_save_what_was_published),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
