/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ule54.h - the state of ULE 1.0, for its files: ule54.c (queues, placement, choice), ule54_balance.c (stealing and
 * balancing), ule54_inspect.c (probe and check).
 */
#ifndef HL_POLICY_ULE54_H
#define HL_POLICY_ULE54_H

#include "policy/bsd.h"
#include "policy/ule.h"
#include "policy/ule_history.h"

enum {
    ULE54_LOCK = 0, /* sched_lock: this ULE has one lock, as 4bsd */
    ULE54_NICE_MIN = -20,
    ULE54_NICE_COUNT = 41
};

enum ule54_place { ULE54_NOWHERE, ULE54_QUEUE_0, ULE54_QUEUE_1, ULE54_IDLE_QUEUE, ULE54_ASSIGNED };

struct ule54_task {
    struct ule_history history;
    int32_t cpu;      /* whose queues it belongs to */
    int32_t slice;    /* stat ticks left */
    int32_t slept_at; /* `ticks` when it went to sleep */
    int16_t priority, user_priority;
    int16_t counted_nice; /* in the nice counts of its cpu */
    uint8_t place;        /* enum ule54_place */
    bool counted;         /* in the load of its cpu */
    bool pinned;
    bool expired; /* its slice has just ended */
    bool yielded;
};

struct ule54_cpu {
    struct bsd_queue queue[2], idle_queue;
    int current;                          /* queue[current] is curr, the other one next */
    int32_t load, load_timeshare;         /* runnable and running */
    int32_t transferable;                 /* queued and free to move */
    int16_t nice_count[ULE54_NICE_COUNT]; /* of time-sharing tasks, by nice - ULE54_NICE_MIN */
    int16_t nice_least;                   /* the least of them, if there is one */
    int32_t group;
    struct hl_list assigned; /* handed over by other cpus and not yet accepted */
    bool marked_idle, resched, preempt;
};

struct ule54_group { /* the threads of a core, or one cpu */
    const int32_t *cpu;
    int32_t cpu_count;
    int32_t load; /* without interrupt threads */
    int32_t transferable, idle_count;
};

struct ule54 {
    const struct bsd_bands *bands;
    struct ule54_group *group;
    int32_t group_count, known_groups; /* known to the balancer */
    int32_t hz, slice_min, slice_max;
    int32_t tick_charge;                        /* run time per stat tick */
    int32_t balance_ticks, inner_balance_ticks; /* when they are due */
    int64_t balance_count, moved_count;
    enum machine_distance span; /* of the whole machine */
    bool text_b, has_groups;
    bool preemption, preempt_all;
};

static inline struct ule54_task *ule54_task(const struct policy_task *t)
{
    return t->data;
}

static inline struct ule54_group *ule54_group_of(const struct ule54 *g, const struct ule54_cpu *c)
{
    return &g->group[c->group];
}

static inline struct bsd_queue *ule54_queue(struct ule54_cpu *c, enum ule54_place place)
{
    return place == ULE54_IDLE_QUEUE ? &c->idle_queue : &c->queue[place - ULE54_QUEUE_0];
}

/* Takes a waiting task out of its queue, and out of the load of its cpu. */
void ule54_take(struct policy *p, struct policy_task *t);
/* Queues a task on cpu, by code that runs there. */
void ule54_add(struct policy *p, int cpu, struct policy_task *t);
/* Gives a task to another cpu, which accepts it when it next chooses or ticks. */
void ule54_hand_over(struct policy *p, int cpu, struct policy_task *t);

/* ---- ule54_balance.c ---- */
void ule54_balance_init(struct policy *p);
/* Both balancers, if they are due; at each stat tick of any cpu. */
void ule54_balance_check(struct policy *p);
/* Takes one task from a sibling; false: none has one to give. */
bool ule54_steal_for_idle(struct policy *p, int cpu);

/* ---- ule54_inspect.c ---- */
bool ule54_probe(const struct policy *p, const struct policy_task *t, const char *field,
                 int64_t *value);
enum hl_status ule54_check(const struct policy *p, struct hl_error *err);

#endif
