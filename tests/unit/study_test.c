/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study_test.c - order of real runs, seeds of simulated ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "study/study.h"

enum { CELLS_MOST = 7 };

/* Counts over a full square how often a cell takes a place and follows another one. */
static void a_full_square_is_balanced(void **state)
{
    (void)state;
    for (int cells = 1; cells <= CELLS_MOST; cells++) {
        int blocks = cells % 2 == 0 ? cells : 2 * cells;
        int at_place[CELLS_MOST][CELLS_MOST] = {{0}};
        int follows[CELLS_MOST][CELLS_MOST] = {{0}};

        for (int block = 0; block < blocks; block++) {
            int order[CELLS_MOST], seen = 0;

            study_block_order(7, block, cells, order);
            for (int place = 0; place < cells; place++) {
                seen |= 1 << order[place];
                at_place[order[place]][place]++;
                if (place > 0)
                    follows[order[place]][order[place - 1]]++;
            }
            assert_int_equal(seen, (1 << cells) - 1); /* each cell once in each block */
        }
        for (int a = 0; a < cells; a++)
            for (int b = 0; b < cells; b++) {
                assert_int_equal(at_place[a][b], blocks / cells);
                assert_int_equal(follows[a][b], a == b ? 0 : blocks / cells);
            }
    }
}

static void no_order_is_a_strict_alternation(void **state)
{
    int first_is_0 = 0, repeats = 0, before = -1;

    (void)state;
    for (int block = 0; block < 40; block++) {
        int order[2];

        study_block_order(1, block, 2, order);
        first_is_0 += order[0] == 0;
        repeats += before == order[0];
        before = order[0];
    }
    assert_int_equal(first_is_0, 20);
    assert_true(repeats > 5);
}

static void the_order_follows_from_the_seed(void **state)
{
    int a[5], b[5], differs = 0;

    (void)state;
    for (int block = 0; block < 10; block++) {
        study_block_order(3, block, 5, a);
        study_block_order(3, block, 5, b);
        assert_memory_equal(a, b, sizeof(a));
        study_block_order(4, block, 5, b);
        differs += memcmp(a, b, sizeof(a)) != 0;
    }
    assert_true(differs > 5);
}

/* Cells are (arm, load) pairs: of two arms neither is first in all blocks, at any load. */
static void arms_take_turns_at_every_load(void **state)
{
    enum { ARMS = 3, LOADS = 4, CELLS = ARMS * LOADS, BLOCKS = 6 };
    int first[LOADS][ARMS][ARMS] = {{{0}}};

    (void)state;
    for (int block = 0; block < BLOCKS; block++) {
        int order[CELLS], place[CELLS];

        study_block_order(11, block, CELLS, order);
        for (int i = 0; i < CELLS; i++)
            place[order[i]] = i;
        for (int l = 0; l < LOADS; l++)
            for (int a = 0; a < ARMS; a++)
                for (int b = 0; b < ARMS; b++)
                    first[l][a][b] += place[a * LOADS + l] < place[b * LOADS + l];
    }
    for (int l = 0; l < LOADS; l++)
        for (int a = 0; a < ARMS; a++)
            for (int b = 0; b < ARMS; b++)
                assert_int_equal(first[l][a][b], a == b ? 0 : BLOCKS / 2);
}

static void as_many_cells_as_a_study_may_have_can_be_ordered(void **state)
{
    static int order[STUDY_CELLS_MAX];
    static bool seen[STUDY_CELLS_MAX];

    (void)state;
    for (int cells = STUDY_CELLS_MAX - 1; cells <= STUDY_CELLS_MAX; cells++) {
        memset(seen, 0, sizeof(seen));
        study_block_order(5, 3 * cells, cells, order);
        for (int i = 0; i < cells; i++) {
            assert_in_range(order[i], 0, cells - 1);
            assert_false(seen[order[i]]);
            seen[order[i]] = true;
        }
    }
}

static void loads_are_off_by_the_baseline_or_by_each_arm(void **state)
{
    const struct study_arm arms[] = {{.variant = "a", .cpus = 8}, {.variant = "b", .cpus = 2}};
    struct workload_load loads[2];
    struct study_request request = {
        .arms = arms, .arm_count = 2, .loads = loads, .load_count = 2, .runs = 3};
    int count;
    struct hl_error err = {0};

    (void)state;
    assert_int_equal(workload_loads_parse(loads, &count, "half,1", &err), HL_OK);
    assert_int_equal(study_load_cpus(&request, 1), 8);
    assert_int_equal(study_cell_count(&request), 4);
    request.load_per_arm = true; /* half of 2 is 1, which is single */
    assert_int_equal(study_load_cpus(&request, 1), 2);
    assert_int_equal(study_cell_count(&request), 3);
    assert_int_equal(study_planned_runs(&request), 9);
}

static void arms_share_their_jobs_unless_they_begin_elsewhere(void **state)
{
    struct machine machine = {0};
    struct profile profile = {0};
    struct policy_spec policy;
    struct workload_options options;
    struct study_arm arms[3] = {{.variant = "a=1"}, {.variant = "a=2"}, {.variant = "a=3"}};
    struct workload_load load;
    struct study_request request = {.workload = workload_find("kernbench"),
                                    .options = &options,
                                    .profile = &profile,
                                    .arms = arms,
                                    .arm_count = 3,
                                    .loads = &load,
                                    .load_count = 1,
                                    .runs = 2,
                                    .threads = 1};
    struct run_list runs = {0};
    struct hl_error err = {0};
    int count;

    (void)state;
    assert_int_equal(machine_open(&machine, "smp:2", &err), HL_OK);
    assert_int_equal(profile_open_for(&profile, "kernbench", NULL, &err), HL_OK);
    assert_int_equal(policy_spec_parse(&policy, "fifo", &err), HL_OK);
    assert_int_equal(workload_loads_parse(&load, &count, "2", &err), HL_OK);
    workload_options_init(request.workload, &options);
    profile.constant[PROFILE_units] = 20; /* a small build */
    for (int a = 0; a < 3; a++) {
        arms[a].machine = &machine;
        arms[a].policy = &policy;
        arms[a].cpus = 2;
    }
    arms[2].first_run = 2;
    assert_int_equal(study_play(&request, &runs, NULL, &err), HL_OK);
    assert_int_equal(runs.count, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(runs.runs[i].variant, arms[i / 2].variant);
        assert_int_equal(runs.runs[i].run, i < 4 ? i % 2 : i % 2 + 2);
    }
    assert_int_equal(runs.runs[0].seed, runs.runs[2].seed);
    assert_int_equal(runs.runs[1].seed, runs.runs[3].seed);
    assert_true(runs.runs[0].metric[RUN_elapsed_s] == runs.runs[2].metric[RUN_elapsed_s]);
    for (size_t i = 0; i < 4; i++)
        assert_true(runs.runs[4].seed != runs.runs[i].seed);
    run_list_close(&runs);
    profile_close(&profile);
    machine_close(&machine);
}

static void seeds_differ_by_every_part_and_fit_json(void **state)
{
    uint64_t seed = study_run_seed(1, "kernbench", 3, 0);

    (void)state;
    assert_int_equal(seed, study_run_seed(1, "kernbench", 3, 0));
    assert_int_not_equal(seed, study_run_seed(2, "kernbench", 3, 0));
    assert_int_not_equal(seed, study_run_seed(1, "chat", 3, 0));
    assert_int_not_equal(seed, study_run_seed(1, "kernbench", 4, 0));
    assert_int_not_equal(seed, study_run_seed(1, "kernbench", 3, 1));
    assert_true(seed < UINT64_C(1) << 53);
}

static void inversions_are_parts_of_simulated_runs(void **state)
{
    const struct workload_info *info = workload_find("matinv");
    struct workload_options options;
    struct machine machine;
    struct profile profile;
    struct policy_spec policy;
    struct workload_load load;
    struct study_job job = {.workload = info,
                            .options = &options,
                            .machine = &machine,
                            .profile = &profile,
                            .policy = &policy,
                            .load = &load,
                            .level = 2};
    struct hl_error err = {0};
    struct run run;
    double sum = 0;
    int count, rate;

    (void)state;
    assert_int_equal(machine_open(&machine, "smp:2", &err), HL_OK);
    assert_int_equal(profile_open_for(&profile, "matinv", NULL, &err), HL_OK);
    assert_int_equal(policy_spec_parse(&policy, "fifo", &err), HL_OK);
    assert_int_equal(workload_loads_parse(&load, &count, "2", &err), HL_OK);
    assert_int_equal(workload_parse("matinv:orders=200-400+100", &info, &options, &err), HL_OK);
    assert_int_equal(study_rate_metric(info, &rate, &err), HL_OK);
    assert_int_equal(study_simulate(&job, &run, &err), HL_OK);
    assert_int_equal(run.part_count, 3);
    assert_string_equal(run.parts[2].name, "order 400");
    for (size_t i = 0; i < run.part_count; i++) {
        double seconds = run_part_get(&run.parts[i], RUN_elapsed_s);
        double order = 200.0 + 100.0 * (double)i;

        assert_true(seconds > 0);
        assert_true(run_part_get(&run.parts[i], RUN_percent_cpu) <= 200);
        /* Whole MFLOP are counted. */
        assert_true(
            fabs(run_part_get(&run.parts[i], rate) * seconds - 2e-6 * order * order * order) < 1);
        sum += seconds;
    }
    /* The rest of an order is not timed. */
    assert_true(sum < run.metric[RUN_elapsed_s]);
    assert_true(fabs(run.metric[rate] * sum - (16 + 54 + 128)) < 1e-9);
    run_close(&run);
    profile_close(&profile);
    machine_close(&machine);
}

/* Reports may not ask the table of workloads. */
static void a_record_knows_the_rate_that_decides(void **state)
{
    (void)state;
    for (const struct workload_info *w = workload_table; w->name != NULL; w++) {
        struct run run;
        struct hl_error err;
        int rate;

        assert_int_equal(study_rate_metric(w, &rate, &err), HL_OK);
        run_init(&run, RUN_SIM, "not had");
        run_set(&run, RUN_elapsed_s, 1);
        assert_int_equal(run_result_metric(&run), RUN_elapsed_s);
        if (rate >= 0)
            run_set(&run, (enum run_metric)rate, 1);
        assert_int_equal(run_result_metric(&run), study_result_metric(w));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_square_is_balanced),
        cmocka_unit_test(no_order_is_a_strict_alternation),
        cmocka_unit_test(the_order_follows_from_the_seed),
        cmocka_unit_test(arms_take_turns_at_every_load),
        cmocka_unit_test(as_many_cells_as_a_study_may_have_can_be_ordered),
        cmocka_unit_test(loads_are_off_by_the_baseline_or_by_each_arm),
        cmocka_unit_test(arms_share_their_jobs_unless_they_begin_elsewhere),
        cmocka_unit_test(seeds_differ_by_every_part_and_fit_json),
        cmocka_unit_test(inversions_are_parts_of_simulated_runs),
        cmocka_unit_test(a_record_knows_the_rate_that_decides),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
