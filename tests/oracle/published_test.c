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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_packages_with_siblings_hold),
        cmocka_unit_test(the_check_fails_when_all_schedulers_are_o1),
        cmocka_unit_test(one_package_with_siblings_holds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
