/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ule_core.h - what ULE 2 and later share (7.0 to 14): the queues of a cpu, priorities, the order of stealing.
 *
 * A cpu has three queues, served in this order: realtime (interrupts, kernel priorities, real-time and interactive
 * tasks), by priority; timeshare, a circle of 64 positions; idle. A computing task is put so many positions ahead
 * of the insert position as its priority says, and the insert position moves on with the statistics clock, but
 * never more than one ahead of the position that is being drained. So nice and recent use are delays, not weights,
 * and nobody in the circle starves. Tasks in the realtime queue starve it.
 * Source:  spec freebsd 4.1 to 4.4, 4.7, 5.3 to 5.5.
 * Choices: a dead child's run time comes back when its parent reaps it. The position of a cpu starts anywhere:
 *          it has been up for a while. Timer interrupts of an idle cpu have a phase of their own.
 */
#ifndef HL_POLICY_ULE_CORE_H
#define HL_POLICY_ULE_CORE_H

#include "policy/bsd.h"
#include "policy/ule.h"
#include "policy/ule_history.h"

enum ule_place { ULE_NOWHERE, ULE_REALTIME, ULE_TIMESHARE, ULE_IDLE, ULE_PLACE_COUNT };

struct ule_task {
    struct ule_history history;
    struct ule_use use;
    int32_t cpu;      /* whose queues it belongs to */
    int32_t used;     /* stat ticks of its slice */
    int32_t slept_at; /* `ticks` when it went to sleep */
    int32_t ran_at;   /* `ticks` when it ran last; long ago for a new child */
    int16_t priority, user_priority;
    uint8_t place, level; /* enum ule_place and the level there */
    bool counted;         /* in the load of its cpu */
    bool pinned;
    bool slice_end; /* its slice has just ended: to the tail */
    bool yielded;
    bool pick_cpu; /* 14: looks for a cpu at its next switch */
};

struct ule_cpu {
    struct bsd_queue queue[ULE_PLACE_COUNT]; /* the first one is not used */
    int64_t poll_ns; /* when the idle cpu looks for work next; INT64_MAX: not */
    int64_t poll_phase_ns;
    uint8_t insert, remove; /* positions in the circle */
    bool resched, preempt;
};

/* Borders of priorities, which fix the scales too. */
struct ule_scale {
    int16_t interactive_min, interactive_levels;
    int16_t batch_min,
        batch_levels; /* time-sharing tasks that are not interactive, up to BSD_TIMESHARE_MAX */
    int16_t use_levels,
        use_max;       /* steps of recent cpu use, and how many of them it costs at most */
    bool divides_late; /* score x levels / 30 instead of score x (levels / 30) */
};

/* Embedded first in the data of ule7 and ule11. The arrays are by cpu, dense because they are searched. */
struct ule {
    const struct bsd_bands *bands;
    struct ule_scale scale;
    enum bsd_release release;
    int32_t hz, stathz, tick_charge;
    int32_t interact, preempt_thresh, affinity;
    int32_t slice, slice_min; /* slice_min equal to slice: whatever the load */
    int32_t steal_thresh;
    int32_t word_bits;
    int32_t static_boost;  /* 1: by the kind of sleep */
    uint8_t position[256]; /* by priority: how far ahead of the insert position */
    int32_t *load;         /* runnable and running */
    int32_t *transferable; /* queued and not pinned */
    uint8_t *lowpri;       /* priority of the best task, running or queued; 255: none */
    uint64_t *idle;        /* set of cpus without load */
    int32_t idle_count;
    int32_t giver_count;    /* cpus with transferable tasks */
    int32_t polling_count;  /* idle cpus that will look for work */
    int64_t poll_period_ns; /* 0: idle cpus do not look again */
    int64_t balance_ns, stat_period_ns;
    int32_t balance_interval; /* 0: no balancer */
    int64_t balance_count, balance_acts, balance_moves,
        steal_count;            /* acts: runs that moved something */
    enum machine_distance span; /* of the whole machine */
    bool steal_idle;
};

static inline struct ule_task *ule_task(const struct policy_task *t)
{
    return t->data;
}

static inline int32_t ule_ticks(const struct policy *p, const struct ule *u)
{
    return bsd_ticks(policy_now_ns(p), u->hz);
}

/* ---- set-up: reads the parameters that both have; the version's own defaults are in *u already ---- */
enum hl_status ule_core_init(struct policy *p, struct hl_error *err) HL_MUST_CHECK;

/* ---- priorities ---- */
void ule_set_user_priority(const struct ule *u, struct policy_task *t);

/* ---- queues and loads ---- */

/* Puts a task with its current priority into the queues of its cpu. `displaced`: at the position that is being
 * drained; there at the head unless its slice has ended. */
void ule_queue_add(struct policy *p, struct policy_task *t, bool displaced);
void ule_queue_remove(struct policy *p, struct policy_task *t);
struct policy_task *ule_choose(const struct policy *p, int cpu);
void ule_count(struct policy *p, struct policy_task *t, bool counted);
/* The best of `running` (NULL: nobody) and of the queues of cpu. */
void ule_set_lowpri(struct policy *p, int cpu, const struct policy_task *running);
/* At each stat tick: the insert position moves on as far as it may. */
void ule_advance(struct ule_cpu *c);

/* The task of cpu `from` that `to` may take, in the order of stealing; NULL: none it can see. */
struct policy_task *ule_steal_candidate(const struct policy *p, int from, int to);
/* Takes it over; false: there is none. It is queued on `to`, which is not told. */
bool ule_move(struct policy *p, int from, int to);

/* ---- switching ---- */

/* The running task goes on: nothing better waits and nobody asked for its end. */
bool ule_goes_on(struct policy *p, int cpu, const struct policy_task *prev);
/* prev leaves cpu and is queued on the cpu it belongs to, which the caller may have changed. */
void ule_leave(struct policy *p, int cpu, struct policy_task *prev);
/* The end of a pick: next (NULL: idle) has the cpu. */
struct policy_task *ule_enter(struct policy *p, int cpu, struct policy_task *next);
/* Asks cpu to pick again: `at_once` its task goes to the head, else to the tail. */
void ule_ask(struct policy *p, int cpu, bool at_once);

/* Counts one stat tick of the running task; true: its slice of that length is over. */
bool ule_count_slice(const struct ule *u, struct policy_task *running, int32_t slice);
/* Charges one stat tick to its history; what it has run since it was charged last to its use of the cpu. */
void ule_charge_history(const struct ule *u, struct policy_task *running);
void ule_charge_use(const struct policy *p, const struct ule *u, struct ule_task *d);

/* ---- idle cpus ---- */

/* Idle cpus look for work at their next timer interrupt, as cpu now has something to give. */
void ule_offer(struct policy *p, int cpu);
void ule_poll_later(struct policy *p, int cpu);
/* Of the callback `timer`: true if the balancer is due. */
bool ule_timer_due(struct policy *p, int cpu);
void ule_set_timer(struct policy *p, int cpu);
void ule_plan_balance(struct policy *p);

/* ---- callbacks ---- */
void ule_wake(struct policy *p, struct policy_task *t);
void ule_dequeue(struct policy *p, struct policy_task *t, int cpu, enum policy_why why,
                 enum policy_wait wait);
void ule_to_user(struct policy *p, int cpu, struct policy_task *t);
void ule_fork(struct policy *p, struct policy_task *parent, struct policy_task *child);
void ule_reap(struct policy *p, struct policy_task *parent, struct policy_task *child);
void ule_yield(struct policy *p, struct policy_task *t);
void ule_renice(struct policy *p, struct policy_task *t, int32_t old_nice);
void ule_reallow(struct policy *p, struct policy_task *t);

/* ---- ule_inspect.c ---- */
bool ule_probe(const struct policy *p, const struct policy_task *t, const char *field,
               int64_t *value);
enum hl_status ule_check(const struct policy *p, struct hl_error *err);

#endif
