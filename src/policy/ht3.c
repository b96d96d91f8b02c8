/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ht3.c - C. Kolivas's small hyper-threading patch to the O(1) scheduler, December 2003.
 *
 * Idea:    siblings share their caches, so a task moved between them loses nothing. When a busy cpu
 *          pulls from its sibling, cache-warm tasks may come too, and those of `active` come first.
 * Source:  spec linux 6.1; everything else is o1 of 2.6.0-test11. Sibling: a thread of the same
 *          core (on the machines of that time a package had one).
 * Omits:   what o1 omits.
 * Good at: keeping both threads of a package supplied at full load.
 * Bad at:  what o1 is bad at. It prefers no idle core and never moves a running task, so placement
 *          at half load is that of o1.
 */
#include "policy/o1.h"

static enum hl_status init(struct policy *p, struct hl_error *err)
{
    struct o1_base *base = policy_data(p);

    base->balance.siblings_are_warm = true;
    return o1_base_init(p, &o1_rules_2_6_0_test11, false, err);
}

static const struct policy_param_info params[] = {O1_COMMON_PARAMS, {.name = NULL}};

const struct policy_ops policy_ht3 = {
    .name = "ht3",
    .summary = "o1 that moves tasks freely between siblings",
    .source = "spec linux 6.1",
    .params = params,
    .init = init,
    O1_BASE_CALLBACKS,
};
