/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * o1.h - o1 as the base of policies that change a line or two of it.
 */
#ifndef HL_POLICY_O1_H
#define HL_POLICY_O1_H

#include "policy/o1_balance.h"

struct o1_base { /* the policy data */
    struct o1 o1;
    struct o1_balance balance;
};

enum hl_status o1_base_init(struct policy *p, const struct o1_rules *rules, bool up,
                            struct hl_error *err) HL_MUST_CHECK;
void o1_base_enqueue(struct policy *p, struct policy_task *t, int cpu,
                     const struct policy_wakeup *w);
struct policy_task *o1_base_pick(struct policy *p, int cpu, struct policy_task *prev);
void o1_base_tick(struct policy *p, int cpu, struct policy_task *running);
int o1_base_select_cpu(struct policy *p, struct policy_task *t, const struct policy_wakeup *w);

/* The callbacks of a policy that only sets itself up differently. */
#define O1_BASE_CALLBACKS                                                                          \
    .policy_bytes = sizeof(struct o1_base), .task_bytes = sizeof(struct o1_task),                  \
    .balances = true, .enqueue = o1_base_enqueue, .dequeue = o1_dequeue, .pick = o1_base_pick,     \
    .select_cpu = o1_base_select_cpu, .clock = o1_clock, .tick = o1_base_tick, .fork = o1_fork,    \
    .reap = o1_reap, .yield = o1_yield, .renice = o1_renice, .probe = o1_probe, .check = o1_check

#endif
