/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * buildworld_test.c - the published buildworlds of FreeBSD 7.0: fitted rows, and what tells 4BSD and ULE apart.
 *
 * Only the 4BSD rows were fitted. ULE's time comes from its rules: up to -j6 it is that of 4BSD, from -j8 on it is 3 to
 * 8 % longer, because on 8 cpus a task that waits behind another is not stolen (spec freebsd 4.7, 7.2).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "cli/play_paper.h"

static const char bsd[] = "7.0 4BSD", ule[] = "7.0 ULE";
static const char *const few[] = {"-j4", "-j6"}, *const many[] = {"-j8", "-j10", "-j12", "-j16"};

static struct paper as_shipped;

static void open_paper(struct paper *paper)
{
    struct hl_error err = {0};

    if (paper_open(paper, "nonnenmacher-2007-buildworld", &err) != HL_OK)
        fail_msg("%s", err.text);
}

static void play(struct paper *paper)
{
    struct hl_error err = {0};

    if (play_paper(paper, 1, 2, NULL, &err) != HL_OK)
        fail_msg("%s", err.text);
}

static int play_as_shipped(void **state)
{
    (void)state;
    open_paper(&as_shipped);
    play(&as_shipped);
    return 0;
}

static int close_as_shipped(void **state)
{
    (void)state;
    paper_close(&as_shipped);
    return 0;
}

static const struct paper_cell *find(const struct paper *paper, const char *row, const char *load,
                                     const char *metric)
{
    for (int c = 0; c < paper->cell_count; c++) {
        const struct paper_cell *cell = &paper->cells[c];

        if (strcmp(cell->row, row) == 0 && strcmp(cell->load, load) == 0 &&
            strcmp(cell->metric, metric) == 0)
            return cell;
    }
    fail_msg("no cell %s, %s, %s", row, load, metric);
    return NULL;
}

/* 4BSD / ULE. */
static double ratio(const struct paper *paper, const char *load, const char *metric, bool published)
{
    const struct paper_cell *a = find(paper, bsd, load, metric);
    const struct paper_cell *b = find(paper, ule, load, metric);

    return published ? a->published / b->published : a->simulated / b->simulated;
}

static void assert_between(const char *what, double value, double least, double most)
{
    if (!(value >= least && value <= most))
        fail_msg("%s is %.4f; expected %.4f to %.4f", what, value, least, most);
}

static void rows_of_4bsd_hold(void **state)
{
    const struct paper *paper = &as_shipped;

    (void)state;
    for (int c = 0; c < paper->cell_count; c++) {
        const struct paper_cell *cell = &paper->cells[c];

        if (strcmp(cell->metric, "elapsed_s") != 0)
            continue;
        if (cell->role == PAPER_FITTED)
            assert_between(cell->load, cell->simulated / cell->published, 0.97, 1.03);
        /* 4BSD with hz=100: its gain of 4 % with sources read has no cause in the model; the fitted
         * cell with sources read is 3 % long. */
        if (cell->role == PAPER_PREDICTED)
            assert_between(cell->load, cell->simulated / cell->published, 0.97, 1.08);
    }
}

/* Returns how many statements about ULE fail. */
static int count_misses(const struct paper *paper)
{
    int misses = 0;

    for (int i = 0; i < HL_COUNT_OF(few); i++)
        misses += fabs(ratio(paper, few[i], "elapsed_s", false) - 1) > 0.015;
    for (int i = 0; i < HL_COUNT_OF(many); i++) {
        double simulated = ratio(paper, many[i], "elapsed_s", false);

        misses += simulated > 0.985;
        misses += fabs(simulated - ratio(paper, many[i], "elapsed_s", true)) > 0.04;
    }
    /* It sets in between -j6 and -j8. */
    misses +=
        ratio(paper, "-j6", "elapsed_s", false) - ratio(paper, "-j8", "elapsed_s", false) < 0.05;
    return misses;
}

static void ule_is_slower_from_j8_on(void **state)
{
    const struct paper *paper = &as_shipped;

    (void)state;
    assert_int_equal(count_misses(paper), 0);
}

static void the_check_fails_when_both_are_4bsd(void **state)
{
    struct paper paper = {0};

    (void)state;
    open_paper(&paper);
    paper.simulated_runs = 1;
    for (int r = 0; r < paper.row_count; r++)
        if (strcmp(paper.rows[r].policy, "ule:version=7.0") == 0)
            (void)snprintf(paper.rows[r].policy, sizeof(paper.rows[r].policy), "4bsd:version=7.0");
    play(&paper);
    assert_true(count_misses(&paper) >= 5);
    paper_close(&paper);
}

/* A prediction of spec freebsd 7.2: 0.98 to 1.00. */
static void a_threshold_of_1_takes_most_of_it_away(void **state)
{
    const struct paper *paper = &as_shipped;
    int seen = 0;

    (void)state;
    for (int i = 0; i < paper->ratio_value_count; i++) {
        const struct paper_ratio_value *value = &paper->ratio_values[i];
        const struct paper_ratio *r = &paper->ratios[value->ratio];

        if (r->below < 0 || strcmp(paper->rows[r->below].label, "7.0 ULE steal_thresh=1") != 0)
            continue;
        assert_between(paper->loads[value->load].label, value->simulated, 0.975, 1.005);
        seen++;
    }
    assert_int_equal(seen, 7);
}

static void signing_is_the_same(void **state)
{
    static const char *const loads[] = {"rsa 4", "rsa 6", "rsa 8"};
    const struct paper *paper = &as_shipped;

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(loads); i++) {
        assert_between(loads[i], ratio(paper, loads[i], "signs_per_s", false), 0.99, 1.01);
        assert_between(loads[i],
                       find(paper, bsd, loads[i], "signs_per_s")->simulated /
                           find(paper, bsd, loads[i], "signs_per_s")->published,
                       0.99, 1.01);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_4bsd_hold),
        cmocka_unit_test(ule_is_slower_from_j8_on),
        cmocka_unit_test(the_check_fails_when_both_are_4bsd),
        cmocka_unit_test(a_threshold_of_1_takes_most_of_it_away),
        cmocka_unit_test(signing_is_the_same),
    };

    return cmocka_run_group_tests(tests, play_as_shipped, close_as_shipped);
}
