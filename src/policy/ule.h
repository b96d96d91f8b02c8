/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ule.h - one name and one list of parameters for three generations of ULE, which share little.
 */
#ifndef HL_POLICY_ULE_H
#define HL_POLICY_ULE_H

#include "policy/bsd.h"

enum ule_text { ULE_TEXT_A, ULE_TEXT_B };
enum ule_preemption { ULE_PREEMPTION_NONE, ULE_PREEMPTION_INTERRUPT, ULE_PREEMPTION_FULL };
enum ule_arch { ULE_ARCH_AMD64, ULE_ARCH_I386 };

extern const struct policy_param_info ule_params[];
extern const char *const ule_prefixes[];

extern const struct policy_ops ule54_ops, ule7_ops, ule11_ops;

/* One look for tasks to move, by code that reaches so far. */
static inline void ule_count_look(struct policy *p, enum machine_distance reach, bool moved)
{
    policy_count(p, POLICY_BALANCE_ATTEMPT, reach);
    if (moved)
        policy_count(p, POLICY_BALANCE_MOVE, reach);
}

enum bsd_release ule_release(const struct policy *p);
void ule_clock(const struct policy *p, struct policy_clock *clock);

/* Refuses parameters that the version does not have. */
enum hl_status ule_params_check(const struct policy *p, struct hl_error *err) HL_MUST_CHECK;

/* The same in all three. */
#define ULE_NAMES                                                                                  \
    .name = "ule", .summary = "FreeBSD's ULE: run queues per cpu, interactive tasks first",        \
    .source = "spec freebsd 3 to 5", .params = ule_params, .prefixes = ule_prefixes,               \
    .balances = true

#endif
