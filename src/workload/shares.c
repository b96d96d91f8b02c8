/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shares.c - deals things out by size.
 */
#include "workload/shares.h"

void workload_deal(int64_t *sizes, int64_t count, int64_t spare)
{
    int64_t sum = 0, total = 0, given = 0;

    for (int64_t i = 0; i < count; i++)
        total += sizes[i];
    for (int64_t i = 0; i < count; i++) {
        int64_t upto;

        sum += sizes[i];
        upto = workload_scaled(spare, sum, total);
        sizes[i] = 1 + upto - given;
        given = upto;
    }
}
