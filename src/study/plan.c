/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.c - in which order real runs are played.
 *
 * A machine drifts: it warms up, other work comes and goes. If one cell always came first, or
 * always after the same other one, its place would look like its merit. Williams (1949) gives Latin
 * squares in which each cell also follows each other cell equally often: row r, place c is z(c) + r
 * modulo n with z = 0, 1, n-1, 2, n-2, ... For an odd n the rows are also used backwards.
 *
 * Rows come in pairs that are each other's mirror image: r and r + n/2, or for an odd n a row and
 * the same backwards. The two are played one after the other, so that of any two cells neither is
 * first in all blocks, however few blocks there are.
 */
#include <assert.h>

#include "base/rng.h"
#include "base/units.h"
#include "study/study.h"

static void shuffle(struct hl_rng *rng, int *items, int count)
{
    for (int i = count - 1; i > 0; i--) {
        int other = (int)hl_rng_below(rng, (uint64_t)i + 1);
        int item = items[i];

        items[i] = items[other];
        items[other] = item;
    }
}

void study_block_order(uint64_t seed, int64_t block, int cells, int *order)
{
    int pairs[STUDY_CELLS_MAX], labels[STUDY_CELLS_MAX]; /* pairs of rows; an odd n has n */
    int row_count = cells % 2 == 0 ? cells : 2 * cells, pair_count = row_count / 2;
    int place_in_square = (int)(block % row_count), second = place_in_square % 2, row;
    struct hl_rng rng;

    assert(cells >= 1);
    assert(cells <= STUDY_CELLS_MAX);
    /* Each full square has its own shuffles, so that no pattern repeats over a long study. */
    rng = hl_rng_stream(hl_mix64(seed) + (uint64_t)(block / row_count), "study/order");
    for (int i = 0; i < pair_count; i++)
        pairs[i] = i;
    for (int i = 0; i < cells; i++)
        labels[i] = i;
    shuffle(&rng, pairs, pair_count);
    shuffle(&rng, labels, cells);
    /* Which of a pair comes first is tossed for each. */
    for (int i = 0; i <= place_in_square / 2; i++)
        second = place_in_square % 2 ^ (int)hl_rng_below(&rng, 2);

    row = pairs[place_in_square / 2] + second * pair_count;
    for (int c = 0; c < cells; c++) {
        int zigzag = c % 2 == 1 ? (c + 1) / 2 : (cells - c / 2) % cells;
        int place = row < cells ? c : cells - 1 - c;

        order[place] = labels[(zigzag + row) % cells];
    }
}

bool study_load_is_off(const struct workload_load *load, int cpus)
{
    return load->kind == LOAD_HALF && workload_load_level(load, cpus, 0) == 0;
}
