/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * planning_test.c - how many runs a plan asks for; machines that differ; a study and itself.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare_fixture.h"

static struct fixture f;

static int close_fixture(void **state)
{
    (void)state;
    fixture_close(&f);
    f = (struct fixture){0};
    return 0;
}

/* The arms A and B at a load, in blocks: what both have in common is large, what differs small. */
static void add_blocks(const char *load, int blocks)
{
    for (int block = 0; block < blocks; block++)
        for (int arm = 0; arm < 2; arm++) {
            double common = block * 7 % 5, own = (block * 3 + arm * 2) % 4;
            struct run *run =
                fixture_add(&f.base, RUN_HOST, arm == 1 ? "B" : "A", load, 100 + common + own / 10);

            run->block = block;
        }
}

static void plan_is(struct compare_plan *plan, const struct compare_result *result, double noise,
                    size_t n)
{
    plan->metric = RUN_elapsed_s;
    plan->effect = 0.01;
    plan->level = 0.95;
    assert_int_equal(compare_plan_make(plan, result, noise, n, NULL), HL_OK);
}

static void three_loads_need_seven_blocks_or_five_runs_apart(void **state)
{
    struct compare_plan plan = {.loads = 3};

    (void)state;
    plan_is(&plan, NULL, 0.001, 5);
    assert_int_equal(plan.row_count, 2);
    assert_int_equal(plan.rows[0].unit, COMPARE_BLOCKS);
    assert_int_equal(plan.rows[0].least_n, 7);
    assert_int_equal(plan.rows[1].least_n, 5);
    assert_true(isinf(plan.rows[0].floor) && isinf(plan.rows[0].detectable));
    assert_true(isfinite(plan.rows[1].floor));
    compare_plan_close(&plan);
}

static void two_news_count_as_much_as_two_loads(void **state)
{
    struct compare_plan loads = {.loads = 2}, news = {.variants = 3};

    (void)state;
    plan_is(&loads, NULL, 0.01, 0);
    plan_is(&news, NULL, 0.01, 0);
    assert_true(compare_plan_level(&loads) == compare_plan_level(&news));
    assert_true(fabs(compare_plan_level(&news) - 0.975) < 1e-12);
    compare_plan_close(&loads);
    compare_plan_close(&news);
}

static void without_pairs_their_noise_is_that_of_two_runs(void **state)
{
    struct compare_plan plan = {0};

    (void)state;
    plan_is(&plan, NULL, 0.01, 0);
    assert_true(plan.rows[0].is_assumed && !plan.rows[1].is_assumed);
    assert_true(fabs(plan.rows[0].noise - 0.01 * sqrt(2)) < 1e-12);
    assert_false(plan.rows[0].is_planned);
    assert_int_equal(plan.rows[0].n, 6);
    assert_true(plan.rows[0].n_80 <= plan.rows[0].n_90);
    compare_plan_close(&plan);
}

static void what_blocks_have_in_common_is_no_noise_of_theirs(void **state)
{
    struct compare_plan plan = {0};

    (void)state;
    add_blocks("half", 10);
    assert_int_equal(fixture_compare(&f, NULL), HL_OK);
    plan_is(&plan, &f.result, 0, 0);
    assert_string_equal(plan.rows[0].load, "half");
    assert_false(plan.rows[0].is_assumed);
    assert_int_equal(plan.rows[0].n, 10);
    assert_true(plan.rows[0].is_planned);
    assert_true(plan.rows[0].noise < plan.rows[1].noise / 4);
    assert_true(plan.rows[0].n_80 < plan.rows[1].n_80);
    compare_plan_close(&plan);
}

static void modes_are_noise_and_equal_values_were_rounded(void **state)
{
    struct compare_plan plan = {0};

    (void)state;
    for (int i = 0; i < 12; i++) {
        (void)fixture_add(&f.base, RUN_IMPORT, "A", "modes", i % 2 == 0 ? 40 + i / 10.0 : 85);
        (void)fixture_add(&f.base, RUN_IMPORT, "A", "equal", 8.89);
    }
    assert_int_equal(fixture_compare(&f, NULL), HL_OK);
    plan_is(&plan, &f.result, 0, 0);
    assert_int_equal(plan.row_count, 4);
    assert_true(plan.rows[1].noise > 0.3);
    assert_true(fabs(plan.rows[3].noise - 0.01 / sqrt(12) / 8.89) < 1e-9);
    compare_plan_close(&plan);
}

static void half_the_width_shrinks_with_n_and_is_endless_below_the_least(void **state)
{
    struct stats_design design = {.is_paired = true, .n = 5, .alpha = 0.05, .noise = 0.01};
    double before;

    (void)state;
    assert_true(isinf(stats_half_width(&design)));
    design.n = 6;
    before = stats_half_width(&design);
    for (design.n = 12; design.n < 100; design.n *= 2) {
        assert_true(stats_half_width(&design) < before);
        before = stats_half_width(&design);
    }
}

static void every_failed_allocation_of_a_plan_is_told(void **state)
{
    struct compare_plan plan = {.effect = 0.01, .level = 0.95};
    enum hl_status status = HL_NO_MEMORY;

    (void)state;
    add_blocks("half", 6);
    assert_int_equal(fixture_compare(&f, NULL), HL_OK);
    for (uint64_t n = 1; status != HL_OK; n++) {
        hl_alloc_fail_at(n);
        status = compare_plan_make(&plan, &f.result, 0, 0, NULL);
        hl_alloc_fail_at(0);
        assert_true(status == HL_OK || status == HL_NO_MEMORY);
    }
    compare_plan_close(&plan);
}

/* ---- machines ---- */

static void compare_two_arms(void)
{
    f.request = (struct compare_request){.base = &f.arms.arms[0],
                                         .news = &f.arms.arms[1],
                                         .new_count = 1,
                                         .metric = RUN_elapsed_s,
                                         .effect = 0.01,
                                         .level = 0.95};
    assert_int_equal(compare_runs(&f.request, &f.result, NULL), HL_OK);
}

static void compare_prints(const char *base, const char *new)
{
    (void)fixture_add(&f.base, RUN_HOST, "", "1", 1);
    (void)fixture_add(&f.new, RUN_HOST, "", "1", 1);
    assert_int_equal(compare_arms_add(&f.arms, &f.base, "A", NULL), HL_OK);
    assert_int_equal(compare_arms_add(&f.arms, &f.new, "B", NULL), HL_OK);
    f.arms.arms[0].fingerprint = base;
    f.arms.arms[1].fingerprint = new;
    compare_two_arms();
}

static size_t machine_notes(const char *first)
{
    size_t count = 0;

    for (size_t i = 0; i < f.result.note_count; i++) {
        if (f.result.notes[i].kind != COMPARE_NOTE_MACHINE)
            continue;
        if (count++ == 0 && first != NULL)
            assert_string_equal(f.result.notes[i].text, first);
    }
    return count;
}

static void keys_that_must_match_are_named_and_others_are_in_one_line(void **state)
{
    (void)state;
    compare_prints("{\"must_match\":{\"cpu_model\":\"X\",\"smt\":\"on\"},"
                   "\"informational\":{\"governor\":\"a\",\"thp\":\"b\"}}",
                   "{\"must_match\":{\"smt\":\"on\",\"cpu_model\":\"Y\"},"
                   "\"informational\":{\"governor\":\"c\",\"thp\":\"d\"}}");
    assert_int_equal(machine_notes("warning: cpu model differs: X | Y"), 2);
    assert_string_equal(f.result.notes[1].text, "also differs: governor a | c, thp b | d");
}

static void what_was_played_is_named_if_both_say_it(void **state)
{
    (void)state;
    compare_prints("{\"workload\":{\"workload_tree\":\"a\"}}",
                   "{\"workload\":{\"workload_tree\":\"b\"}}");
    assert_int_equal(machine_notes("warning: workload tree differs: a | b"), 1);
    (void)close_fixture(NULL);
    compare_prints("{\"must_match\":{\"smt\":\"on\"}}",
                   "{\"must_match\":{\"smt\":\"on\"},\"workload\":{\"workload_tree\":\"b\"}}");
    assert_int_equal(machine_notes(NULL), 0);
    (void)close_fixture(NULL);
    /* Measured beside simulated. */
    compare_prints("{\"must_match\":{\"smt\":\"on\"},\"workload\":{\"workload_tree\":\"a\"}}",
                   "{\"workload\":{\"workload_tree\":\"b\"}}");
    assert_int_equal(machine_notes(NULL), 0);
}

static void a_list_that_is_cut_says_so(void **state)
{
    char base[4000] = "{\"informational\":{", new[4000];
    const char *list;
    size_t used = strlen(base);

    (void)state;
    for (int i = 0; i < 40; i++)
        used += (size_t)snprintf(base + used, sizeof(base) - used, "%s\"key_%d\":\"one value\"",
                                 i > 0 ? "," : "", i);
    (void)snprintf(base + used, sizeof(base) - used, "}}");
    (void)snprintf(new, sizeof(new), "%s", base);
    for (char *c = new; (c = strstr(c, "one")) != NULL;)
        memcpy(c, "two", 3);
    compare_prints(base, new);
    assert_int_equal(machine_notes(NULL), 1);
    list = f.result.notes[0].text;
    assert_string_equal(list + strlen(list) - 5, ", ...");
}

static void a_key_of_one_side_is_not_known_on_the_other(void **state)
{
    (void)state;
    compare_prints("{\"must_match\":{}}", "{\"must_match\":{\"quota\":\"2\"}}");
    assert_int_equal(machine_notes("warning: quota differs: not known | 2"), 1);
}

static void what_cannot_be_read_differs_in_nothing(void **state)
{
    static const char *const prints[] = {
        NULL, "", "{", "[]", "3", "{\"must_match\":[1]}", "{\"must_match\":null}", "{}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(prints) / sizeof(prints[0]); i++) {
        compare_prints("{\"must_match\":{\"smt\":\"on\"}}", prints[i]);
        assert_int_equal(machine_notes(NULL), 0);
        (void)close_fixture(NULL);
    }
}

static void a_long_value_is_cut_and_a_nested_one_is_written_out(void **state)
{
    char print[400];

    (void)state;
    (void)snprintf(print, sizeof(print),
                   "{\"must_match\":{\"a\":{\"b\":[1,null]},\"command_line\":\"%0200d\"}}", 7);
    compare_prints("{\"must_match\":{\"a\":true,\"command_line\":\"ro\"}}", print);
    assert_int_equal(machine_notes("warning: a differs: true | {\"b\":[1,null]}"), 2);
    assert_int_equal(strlen(f.result.notes[1].text),
                     strlen("warning: command line differs: ro | ") + 79);
    assert_non_null(strstr(f.result.notes[1].text, "000..."));
}

/* ---- a base of its own for each ---- */

static void arms_with_a_base_of_their_own_share_one_correction(void **state)
{
    const struct compare_arm *bases[2];

    (void)state;
    for (int i = 0; i < 8; i++)
        for (int arm = 0; arm < 2; arm++) {
            (void)fixture_add(&f.base, RUN_IMPORT, arm == 1 ? "y" : "x", "1",
                              100 + 50 * arm + i / 10.0);
            (void)fixture_add(&f.new, RUN_IMPORT, arm == 1 ? "y" : "x", "1",
                              100 + 60 * arm + i / 10.0);
        }
    assert_int_equal(compare_arms_add(&f.arms, &f.base, NULL, NULL), HL_OK);
    assert_int_equal(compare_arms_add(&f.arms, &f.new, NULL, NULL), HL_OK);
    bases[0] = &f.arms.arms[0];
    bases[1] = &f.arms.arms[1];
    f.request = (struct compare_request){.base = bases[0],
                                         .bases = bases,
                                         .news = &f.arms.arms[2],
                                         .new_count = 2,
                                         .metric = RUN_elapsed_s,
                                         .effect = 0.01,
                                         .level = 0.95};
    assert_int_equal(compare_runs(&f.request, &f.result, NULL), HL_OK);
    assert_int_equal(f.result.cell_count, 2);
    assert_int_equal(f.result.cells[0].verdict, COMPARE_SAME);
    assert_int_equal(f.result.cells[1].verdict, COMPARE_DIFFERENT);
    assert_true(fabs(f.result.cells[1].level - 0.975) < 1e-12);
    assert_true(fabs(f.result.cells[1].base_mean - 150.35) < 1e-9);
    assert_true(f.result.cells[1].base->mean == f.result.cells[1].base_mean);
}

/* ---- itself ---- */

static void a_study_compared_with_itself_is_the_same_however_few_runs(void **state)
{
    (void)state;
    (void)fixture_add(&f.base, RUN_HOST, "A", "1", 100);
    (void)fixture_add(&f.base, RUN_HOST, "A", "1", 130);
    assert_int_equal(compare_arms_add(&f.arms, &f.base, "A", NULL), HL_OK);
    assert_int_equal(compare_arms_add(&f.arms, &f.base, "A", NULL), HL_OK);
    f.arms.arms[1].session = f.arms.arms[0].session;
    compare_two_arms();
    assert_int_equal(f.result.cells[0].verdict, COMPARE_SAME);
    assert_int_equal(f.result.means[0].verdict, COMPARE_SAME);
    assert_true(f.result.cells[0].change.low == 1 && f.result.cells[0].change.high == 1);
    assert_int_equal(f.result.notes[0].kind, COMPARE_NOTE_SAME_RUNS);
}

static void equal_times_of_two_sessions_are_two_measurements(void **state)
{
    (void)state;
    (void)fixture_add(&f.base, RUN_HOST, "A", "1", 100);
    (void)fixture_add(&f.new, RUN_HOST, "A", "1", 100);
    assert_int_equal(fixture_compare(&f, NULL), HL_OK);
    assert_int_equal(f.result.cells[0].verdict, COMPARE_UNDECIDED);
}

static void a_quantile_that_is_a_bound_is_no_value(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        run_set(fixture_add(&f.base, RUN_HOST, "A", "1", 100), RUN_run_delay_p99_s,
                i < 6 ? RUN_DELAY_TOP_S : 900);
        run_set(fixture_add(&f.new, RUN_HOST, "A", "1", 100), RUN_run_delay_p99_s, 800);
    }
    f.request.metric = RUN_run_delay_p99_s;
    assert_int_equal(fixture_compare(&f, NULL), HL_OK);
    assert_int_equal(f.result.sides[0].n, 2);
    assert_int_equal(f.result.sides[0].missing, 6);
}

#define TEST(name) cmocka_unit_test_teardown(name, close_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(three_loads_need_seven_blocks_or_five_runs_apart),
        TEST(two_news_count_as_much_as_two_loads),
        TEST(without_pairs_their_noise_is_that_of_two_runs),
        TEST(what_blocks_have_in_common_is_no_noise_of_theirs),
        TEST(modes_are_noise_and_equal_values_were_rounded),
        TEST(half_the_width_shrinks_with_n_and_is_endless_below_the_least),
        TEST(every_failed_allocation_of_a_plan_is_told),
        TEST(keys_that_must_match_are_named_and_others_are_in_one_line),
        TEST(what_was_played_is_named_if_both_say_it),
        TEST(a_list_that_is_cut_says_so),
        TEST(a_key_of_one_side_is_not_known_on_the_other),
        TEST(what_cannot_be_read_differs_in_nothing),
        TEST(a_long_value_is_cut_and_a_nested_one_is_written_out),
        TEST(arms_with_a_base_of_their_own_share_one_correction),
        TEST(a_study_compared_with_itself_is_the_same_however_few_runs),
        TEST(equal_times_of_two_sessions_are_two_measurements),
        TEST(a_quantile_that_is_a_bound_is_no_value),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
