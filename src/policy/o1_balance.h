/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * o1_balance.h - load balancing of the O(1) scheduler between the run queues of o1, ht3 and c1.
 *
 * Each queue compares its length with those of its node at its own ticks; with several nodes a
 * second, rarer step looks at the other nodes, and exec chooses a cpu anew. Only waiting tasks
 * move.
 * Source: spec linux 3.7 (exec), 3.8, 3.10 (2.5.32), 4.5.
 */
#ifndef HL_POLICY_O1_BALANCE_H
#define HL_POLICY_O1_BALANCE_H

#include "policy/o1_core.h"

struct o1_period { /* multiples of a number of jiffies, found without dividing */
    int64_t length, next;
};

struct o1_balance {
    uint32_t *seen;      /* [queue][other queue]: its length when this one last looked */
    uint32_t *node_seen; /* [queue][node]: decaying load */
    uint64_t *quiet_at;  /* by queue: o1.changes + 1 at an idle look that found nothing to take */
    struct o1_period busy, node_busy, node_idle;
    enum machine_distance *span; /* by queue: of the balancing within its node */
    bool siblings_are_warm;      /* ht3: between threads of a core nothing is lost */
    /* Tells the cpus of a queue that a task was brought to cpu. */
    void (*announce)(struct policy *p, struct policy_task *t, int cpu);
};

/* After o1_init; the caller sets siblings_are_warm and announce. */
enum hl_status o1_balance_init(struct policy *p, struct o1_balance *b,
                               struct hl_error *err) HL_MUST_CHECK;

/* Every tick of cpu, after the slice is accounted. */
void o1_balance_tick(struct policy *p, struct o1_balance *b, int cpu, bool idle);

/* cpu has run out of work (or would, where the caller wants to fill an idle queue): pulls one task
 * of its node. `announce`: not from within the pick of that cpu. */
void o1_balance_idle(struct policy *p, struct o1_balance *b, int cpu, bool announce);

/* Where a task on `cpu` continues after exec: `cpu` itself unless the machine has several nodes. */
int o1_exec_cpu(struct policy *p, const struct policy_task *t, int cpu);

#endif
