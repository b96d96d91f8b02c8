/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * alarm_test.c - simulated studies through the whole of a comparison: how often equal arms are
 * called different, how often a true difference is found. Fixed seeds; the order of play is the
 * planner's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "base/units.h"
#include "compare_fixture.h"
#include "noise.h"
#include "study/study.h"

enum { STUDIES = 10000, LOADS_MAX = 3 };

struct simulation {
    int loads, blocks;
    double ratio;      /* of the new arm */
    double cv, spread; /* noise of a run, and what runs of a block share */
    double drift;      /* log, over the session */
    bool is_apart;     /* arms in sessions of their own: independent */
    bool is_quiet;     /* no outliers */
};

static double elapsed_of(const struct simulation *s, struct hl_rng *rng, double block, int load,
                         bool is_new, int place)
{
    int places = 2 * s->loads * s->blocks;
    double log_time = log(80.0 / (load + 1)) + block;

    log_time += s->is_quiet ? s->cv * noise_normal(rng) : noise_log_time(rng, s->cv);
    log_time += s->drift * place / places + (is_new ? log(s->ratio) : 0);
    /* A timer with two decimals. */
    return round(100 * exp(log_time)) / 100;
}

static void play(const struct simulation *s, uint64_t seed, struct fixture *f)
{
    static const char *const loads[LOADS_MAX] = {"1", "2", "optimal"};
    struct hl_rng rng = hl_rng_stream(seed, "test/study");
    int order[2 * LOADS_MAX], place = 0;

    for (int block = 0; block < s->blocks; block++) {
        double shared = s->spread * noise_normal(&rng);

        study_block_order(seed, block, 2 * s->loads, order);
        for (int i = 0; i < 2 * s->loads; i++, place++) {
            int load = order[i] / 2;
            bool is_new = order[i] % 2 == 1;
            struct run_list *list = is_new && s->is_apart ? &f->new : &f->base;
            struct run *run = fixture_add(list, RUN_HOST, is_new ? "B" : "A", loads[load],
                                          elapsed_of(s, &rng, shared, load, is_new, place));

            run->block = block;
            run->order = place;
        }
    }
}

struct tally {
    int different; /* studies in which any load, or the mean, is different */
    int same;      /* loads that are the same */
    int reasons;   /* loads that something keeps undecided */
};

static struct tally simulate(const struct simulation *s, int studies)
{
    struct tally tally = {0};

    for (int study = 0; study < studies; study++) {
        struct fixture f = {0};
        struct hl_error err = {0};

        play(s, (uint64_t)study, &f);
        if (fixture_compare(&f, &err) != HL_OK)
            fail_msg("%s", err.text);
        tally.different +=
            compare_count(f.result.cells, f.result.cell_count, COMPARE_DIFFERENT) +
                compare_count(f.result.means, f.result.mean_count, COMPARE_DIFFERENT) >
            0;
        tally.same += (int)compare_count(f.result.cells, f.result.cell_count, COMPARE_SAME);
        for (size_t i = 0; i < f.result.cell_count; i++)
            tally.reasons += strstr(f.result.cells[i].reason, "separable") != NULL;
        fixture_close(&f);
    }
    return tally;
}

/* 5 %, and two standard errors of it. */
static void assert_few_alarms(const char *what, const struct simulation *s, int studies)
{
    struct tally tally = simulate(s, studies);
    double share = (double)tally.different / studies;

    print_message("%s: %.2f %% of %d studies of equal arms have a difference\n", what, 100 * share,
                  studies);
    assert_true(share <= 0.05 + 2 * sqrt(0.05 * 0.95 / studies));
    assert_true(share > 0.01); /* or the level is wasted */
    assert_true(tally.reasons <= studies * s->loads / 100);
}

static void equal_arms_in_blocks_are_rarely_different(void **state)
{
    (void)state;
    assert_few_alarms(
        "3 loads, 7 blocks",
        &(struct simulation){.loads = 3, .blocks = 7, .ratio = 1, .cv = 0.01, .spread = 0.03},
        STUDIES);
}

static void equal_arms_in_sessions_apart_are_rarely_different(void **state)
{
    (void)state;
    assert_few_alarms(
        "2 loads, 7 v 7",
        &(struct simulation){.loads = 2, .blocks = 7, .ratio = 1, .cv = 0.01, .is_apart = true},
        2000);
}

static void a_drift_raises_no_alarms_in_the_planned_order(void **state)
{
    const struct simulation s = {
        .loads = 1, .blocks = 10, .ratio = 1, .cv = 0.003, .drift = log(1.02)};

    (void)state;
    assert_few_alarms("1 load, 10 blocks, 2 % of drift", &s, 4000);
    assert_few_alarms(
        "3 loads, 7 blocks, 2 % of drift",
        &(struct simulation){
            .loads = 3, .blocks = 7, .ratio = 1, .cv = 0.003, .spread = 0.002, .drift = log(1.02)},
        2000);
}

static void assert_powerful(const char *what, const struct simulation *s)
{
    int studies = 1000;
    double share = (double)simulate(s, studies).different / studies;

    print_message("%s: 2 %% is found in %.1f %% of studies\n", what, 100 * share);
    assert_true(share >= 0.9);
}

static void two_percent_are_found_at_a_noise_of_one_with_ten_runs(void **state)
{
    (void)state;
    assert_powerful(
        "10 blocks",
        &(struct simulation){
            .loads = 1, .blocks = 10, .ratio = 1.02, .cv = 0.01, .spread = 0.03, .is_quiet = true});
    assert_powerful("10 v 10", &(struct simulation){.loads = 1,
                                                    .blocks = 10,
                                                    .ratio = 1.02,
                                                    .cv = 0.01,
                                                    .is_apart = true,
                                                    .is_quiet = true});
}

static void quiet_equal_arms_are_called_the_same(void **state)
{
    const struct simulation s = {
        .loads = 1, .blocks = 20, .ratio = 1, .cv = 0.003, .is_quiet = true};

    (void)state;
    assert_true(simulate(&s, 500).same >= 475);
}

/* Neither all of one arm first, nor one always first: whatever seed, loads and blocks. */
static void the_planned_order_is_never_confounded(void **state)
{
    (void)state;
    for (int cells = 2; cells <= 12; cells++)
        for (uint64_t seed = 0; seed < 50; seed++)
            for (int blocks = 2; blocks <= 9; blocks++)
                for (int cell = 1; cell < cells; cell++) {
                    int order[12], firsts = 0;

                    for (int block = 0; block < blocks; block++) {
                        int place = 0;

                        study_block_order(seed, block, cells, order);
                        while (order[place] != 0 && order[place] != cell)
                            place++;
                        firsts += order[place] == cell;
                    }
                    assert_in_range(firsts, blocks / 2, (blocks + 1) / 2);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_arms_in_blocks_are_rarely_different),
        cmocka_unit_test(equal_arms_in_sessions_apart_are_rarely_different),
        cmocka_unit_test(a_drift_raises_no_alarms_in_the_planned_order),
        cmocka_unit_test(two_percent_are_found_at_a_noise_of_one_with_ten_runs),
        cmocka_unit_test(quiet_equal_arms_are_called_the_same),
        cmocka_unit_test(the_planned_order_is_never_confounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
