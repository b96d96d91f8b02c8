/* SPDX-License-Identifier: GPL-2.0-or-later */
/* study_test.c - order of real runs, seeds of simulated ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_square_is_balanced),
        cmocka_unit_test(no_order_is_a_strict_alternation),
        cmocka_unit_test(the_order_follows_from_the_seed),
        cmocka_unit_test(seeds_differ_by_every_part_and_fit_json),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
