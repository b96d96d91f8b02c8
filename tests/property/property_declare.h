/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * property_declare.h - what each policy promises beyond what holds for all.
 */
#ifndef HL_TESTS_PROPERTY_DECLARE_H
#define HL_TESTS_PROPERTY_DECLARE_H

#include <stdbool.h>
#include <stdint.h>

#include "policy/policy.h"

enum { DECLARES_NOTHING = -1 };

struct property_declaration {
    const char *policy;
    /* A task that never blocks does not keep another one waiting for ever: of tasks that may run
     * anywhere, and of tasks with an affinity too. */
    bool shares_time, shares_pinned;
    /* Bounded starvation: the longest time that a task waits for a cpu in one go, while at most
     * `tasks` are alive and none of a real-time class. NULL: no bound. */
    int64_t (*longest_wait_ns)(const struct policy_spec *spec, int tasks);
    /* Work conservation: the longest time that a cpu stays idle beside a task that waits, where no
     * task has an affinity, not counting the delay of requests; DECLARES_NOTHING: it may stay so. NULL: likewise. */
    int64_t (*idle_beside_waiting_ns)(const struct policy_spec *spec, const struct machine *m);
    /* No bound, but what its parameters alone may leave a task aside for, once: the check that all
     * tasks end is so much more patient. NULL: 0. */
    int64_t (*left_aside_ns)(const struct policy_spec *spec);
};

/* Of a policy that is not in the table: it promises nothing. */
const struct property_declaration *property_declaration_find(const char *policy);

#endif
