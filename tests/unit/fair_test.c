/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fair_test.c - the parts under cfs and eevdf: load tracking, the tree, weights of a list of
 * features, and worked examples of placement that need exact virtual times.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/units.h"
#include "fake_host.h"
#include "policy/fair.h"

/* ---- load tracking: test 11 in spec modern 6 ---- */

enum { SEGMENTS_NS = PELT_SEGMENT << PELT_UNIT_SHIFT };

static void util_of_a_hog_is_a_half_after_32_segments(void **state)
{
    struct pelt avg = {0};

    (void)state;
    assert_true(pelt_update_sums(&avg, 32 * (int64_t)SEGMENTS_NS, 1, 1, true));
    pelt_update_averages(&avg, 1024);
    assert_in_range(avg.util_avg, 511, 512);
    assert_in_range(avg.load_avg, 511, 512);
    (void)pelt_update_sums(&avg, 64 * (int64_t)SEGMENTS_NS, 1, 1, true);
    pelt_update_averages(&avg, 1024);
    assert_in_range(avg.util_avg, 767, 768);
    (void)pelt_update_sums(&avg, 96 * (int64_t)SEGMENTS_NS, 0, 0, false);
    pelt_update_averages(&avg, 1024);
    assert_in_range(avg.util_avg, 383, 384);
}

static void averages_move_only_when_a_segment_ends(void **state)
{
    struct pelt avg = {0};

    (void)state;
    assert_false(pelt_update_sums(&avg, SEGMENTS_NS - 1024, 1, 1, true));
    assert_true(pelt_update_sums(&avg, SEGMENTS_NS, 1, 1, true));
}

static void steps_of_any_length_give_the_same_sums(void **state)
{
    struct pelt once = {0}, often = {0};

    (void)state;
    (void)pelt_update_sums(&once, 5 * (int64_t)SEGMENTS_NS, 1, 1, true);
    for (int64_t at_ns = 1; at_ns <= 5 * (int64_t)SEGMENTS_NS; at_ns += 99991)
        (void)pelt_update_sums(&often, at_ns, 1, 1, true);
    (void)pelt_update_sums(&often, 5 * (int64_t)SEGMENTS_NS, 1, 1, true);
    assert_int_equal(once.period_contrib, often.period_contrib);
    assert_true(HL_MAX(once.util_sum, often.util_sum) - HL_MIN(once.util_sum, often.util_sum) <
                5 << PELT_UNIT_SHIFT); /* each segment truncates once */
}

static void a_signal_saturates_and_is_forgotten(void **state)
{
    struct pelt avg = {0};

    (void)state;
    (void)pelt_update_sums(&avg, 10 * HL_NS_PER_S, 1, 1, true);
    pelt_update_averages(&avg, 3121);
    assert_in_range(avg.util_avg, 1022, 1024);
    assert_in_range(avg.load_avg, 3115, 3121);
    (void)pelt_update_sums(&avg, 13 * HL_NS_PER_S, 0, 0, false);
    assert_int_equal(avg.util_sum, 0);
}

/* ---- the tree ---- */

enum { NODES = 200, ROUNDS = 3000 };

static int check_subtree(const struct fair_node *node, const struct fair_node *parent)
{
    int64_t least, slice;
    int count = 1;

    if (node == NULL)
        return 0;
    assert_ptr_equal(node->parent, parent);
    assert_true(parent == NULL || node->priority <= parent->priority);
    least = node->vruntime;
    slice = node->slice_ns;
    for (int side = 0; side < 2; side++) {
        const struct fair_node *child = side == 0 ? node->left : node->right;

        count += check_subtree(child, node);
        if (child == NULL)
            continue;
        least = HL_MIN(least, child->min_vruntime);
        slice = HL_MIN(slice, child->min_slice_ns);
    }
    assert_int_equal(node->min_vruntime, least);
    assert_int_equal(node->min_slice_ns, slice);
    return count;
}

static void a_tree_stays_in_order_with_its_minima(void **state)
{
    static struct fair_node nodes[NODES];
    static uint32_t order[NODES]; /* of insertion; 0: not in the tree */
    struct hl_rng rng = hl_rng_stream(7, "test/tree");
    struct fair_tree tree = {0};
    int in_tree = 0;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        int i = (int)hl_rng_below(&rng, NODES), count = 0;
        const struct fair_node *before = NULL;

        if (order[i] != 0) {
            fair_tree_remove(&tree, &nodes[i]);
            order[i] = 0;
            in_tree--;
        } else {
            nodes[i] = (struct fair_node){.key = (int64_t)hl_rng_below(&rng, 40),
                                          .vruntime = (int64_t)hl_rng_below(&rng, 1000),
                                          .slice_ns = (int64_t)hl_rng_below(&rng, 1000)};
            fair_tree_insert(&tree, &nodes[i]);
            order[i] = tree.insertions;
            in_tree++;
        }
        assert_int_equal(check_subtree(tree.root, NULL), in_tree);
        for (const struct fair_node *node = tree.first; node != NULL; node = fair_tree_next(node)) {
            if (before != NULL)
                assert_true(
                    before->key < node->key ||
                    (before->key == node->key && order[before - nodes] < order[node - nodes]));
            before = node;
            count++;
        }
        assert_int_equal(count, in_tree);
    }
}

/* ---- placement with lag: tests 9 and 10 in spec modern 9 ---- */

static const struct fake_shape one_cpu = {1, 1, 1, 1};

/* Gives a queued task another place. */
static void put(struct fake_host *h, struct policy_task *t, int64_t vruntime, int64_t deadline)
{
    struct fair_queue *q = &fair_cpu_of(&h->policy, 0)->queue;
    struct fair_entity *se = fair_entity_of(t);

    if (q->curr != se)
        fair_tree_leave(&h->policy, q, se);
    se->vruntime = vruntime;
    se->deadline = se->protect = deadline;
    if (q->curr != se)
        fair_tree_enter(&h->policy, q, se);
}

/* X runs at x_v with deadline 11 ms, Y waits at 12 ms, B comes with a lag; then all is looked at. */
static struct policy_task *enter_with_lag(struct fake_host *h, int64_t x_v, int64_t vlag)
{
    struct policy_task *x, *y, *b;

    fake_open(h, "eevdf:base_slice_ns=3ms", one_cpu);
    x = fake_hog(h, 0, 0);
    fake_settle(h);
    y = fake_hog(h, 0, 0);
    put(h, x, x_v, 11 * HL_NS_PER_MS);
    put(h, y, 12 * HL_NS_PER_MS, 15 * HL_NS_PER_MS);
    b = fake_task(h, 0);
    fair_entity_of(b)->vlag = vlag;
    fake_start(h, b, 0);
    fake_check(h);
    return b;
}

static void lag_is_kept_by_sleepers(void **state)
{
    struct fake_host h;
    struct policy_task *b = enter_with_lag(&h, 9 * HL_NS_PER_MS, 2 * HL_NS_PER_MS);

    (void)state;
    assert_int_equal(fake_probe(&h, b, "vruntime"), 7500000); /* 10.5 - 2 * 3072 / 2048 */
    assert_int_equal(fake_probe(&h, NULL, "cpu0.v"), 9500000);
    assert_int_equal(fake_probe(&h, b, "lag"), 2000000);
    fake_close(&h);
    b = enter_with_lag(&h, 9 * HL_NS_PER_MS, -2 * HL_NS_PER_MS);
    assert_int_equal(fake_probe(&h, b, "vruntime"), 13500000);
    assert_int_equal(fake_probe(&h, NULL, "cpu0.v"), 11500000);
    assert_int_equal(fake_probe(&h, b, "lag"), -2000000);
    fake_close(&h);
}

static void an_eligible_slice_runs_to_parity(void **state)
{
    struct fake_host h;

    (void)state;
    (void)enter_with_lag(&h, 9 * HL_NS_PER_MS, 2 * HL_NS_PER_MS); /* 9 <= 9.5: X is eligible */
    assert_false(h.kicked[0]);
    fake_close(&h);
    (void)enter_with_lag(&h, 9900000, 2 * HL_NS_PER_MS); /* 9.9 <= 9.95 */
    assert_false(h.kicked[0]);
    fake_close(&h);
    (void)enter_with_lag(&h, 10200000, 2 * HL_NS_PER_MS); /* 10.2 > 10.1 */
    assert_true(h.kicked[0]);
    fake_close(&h);
}

static void a_feature_can_be_switched_off_by_its_name(void **state)
{
    struct policy_spec spec;
    struct hl_error err;

    (void)state;
    assert_int_equal(policy_spec_parse(&spec, "eevdf:NO_RUN_TO_PARITY", &err), HL_OK);
    for (int i = 0; spec.ops->params[i].name != NULL; i++)
        if (strcmp(spec.ops->params[i].name, "RUN_TO_PARITY") == 0)
            assert_int_equal(spec.params[i], 0);
    assert_int_equal(policy_spec_parse(&spec, "eevdf:NO_version", &err), HL_USAGE);
    assert_int_equal(policy_spec_parse(&spec, "eevdf:NO_RUN_TO_PARITY=y", &err), HL_USAGE);
    assert_int_equal(policy_spec_parse(&spec, "eevdf:NO_PLACE_LAG:PLACE_LAG", &err), HL_USAGE);
}

/* ---- nice values and classes ---- */

static void a_new_nice_value_keeps_lag_and_request_in_time(void **state)
{
    struct fake_host h;
    struct policy_task *x, *y;

    (void)state;
    fake_open(&h, "eevdf:base_slice_ns=3ms", one_cpu);
    x = fake_hog(&h, 0, 0);
    fake_settle(&h);
    y = fake_hog(&h, 0, 0);
    put(&h, x, 9 * HL_NS_PER_MS, 11 * HL_NS_PER_MS);
    put(&h, y, 11 * HL_NS_PER_MS, 12 * HL_NS_PER_MS); /* V = 10: Y has lag -1 and 1 ms left */
    fake_renice(&h, y, 5);
    assert_int_equal(fake_probe(&h, y, "weight"), 335);
    assert_in_range(-fake_probe(&h, y, "lag"), 3056715, 3056719); /* 1024 / 335 */
    assert_in_range(fake_probe(&h, y, "deadline") - fake_probe(&h, y, "vruntime"), 3056715,
                    3056717);
    fake_check(&h);
    fake_close(&h);
}

static void real_time_tasks_run_first(void **state)
{
    struct fake_host h;
    struct policy_task *a, *z;

    (void)state;
    fake_open(&h, "cfs", one_cpu);
    a = fake_hog(&h, -20, 0);
    fake_settle(&h);
    z = fake_task(&h, 0);
    z->class = CLASS_FIFO;
    z->rt_priority = 1;
    fake_start(&h, z, 0);
    fake_settle(&h);
    assert_int_equal(z->on_cpu, 0);
    fake_run_for(&h, HL_NS_PER_S);
    assert_int_equal(z->on_cpu, 0);
    fake_block(&h, z, WAIT_TIMER);
    assert_int_equal(a->on_cpu, 0);
    fake_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(util_of_a_hog_is_a_half_after_32_segments),
        cmocka_unit_test(averages_move_only_when_a_segment_ends),
        cmocka_unit_test(steps_of_any_length_give_the_same_sums),
        cmocka_unit_test(a_signal_saturates_and_is_forgotten),
        cmocka_unit_test(a_tree_stays_in_order_with_its_minima),
        cmocka_unit_test(lag_is_kept_by_sleepers),
        cmocka_unit_test(an_eligible_slice_runs_to_parity),
        cmocka_unit_test(a_feature_can_be_switched_off_by_its_name),
        cmocka_unit_test(a_new_nice_value_keeps_lag_and_request_in_time),
        cmocka_unit_test(real_time_tasks_run_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
