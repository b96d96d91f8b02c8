/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * o1_core.h - the parts all descendants of the O(1) scheduler share: o1, ht3, c1 and the policies
 * with scheduling domains.
 *
 * A run queue holds its runnable tasks, the running ones included, in two priority arrays: `active`
 * and `expired`. Tasks that used up their slice wait in `expired` until `active` is empty; then the
 * two change places. A policy is made of these parts and of what is its own: where a task goes, who
 * is preempted, what is balanced.
 *
 *     enqueue   o1_enqueue, then the policy's own wakeup preemption (o1_preempts, o1_preempt)
 *     dequeue   o1_dequeue
 *     pick      o1_leave(prev), o1_choose, o1_start
 *     tick      o1_tick_task, then the policy's balancing (o1_balance.h, or its own)
 *     stopped   o1_leave(preempted), then moves tasks
 *     fork, reap, yield, renice, clock, probe, check: usable as they are
 *
 * Every policy embeds struct o1 first in its policy data and struct o1_task first in its task data.
 * Source: spec linux 3 (2.6.0; other versions by struct o1_rules).
 */
#ifndef HL_POLICY_O1_CORE_H
#define HL_POLICY_O1_CORE_H

#include "base/units.h"
#include "policy/policy.h"

enum {
    O1_PRIO_COUNT = 140, /* 0..99 real time, 100..139 normal; lower is better */
    O1_PRIO_NORMAL = 100,
    O1_PRIO_IDLE = 140, /* what an idle cpu counts as */
    O1_BONUS_MAX = 10,
    O1_NICE_MIN = -20,
    O1_NICE_COUNT = 40,
    O1_NS_PER_JIFFY = 1000000 /* HZ is 1000 in all versions modelled */
};

/* What differs between versions; everything else is common. Times in jiffies unless named. */
struct o1_rules {
    int32_t slice_min, slice_max;
    int32_t sleep_max;         /* ceiling of sleep_avg */
    int32_t starve;            /* per runnable task, until the expired ones count as starving */
    int32_t busy_period;       /* between balancings of a busy cpu */
    bool sync_skips_update;    /* any sync wakeup skips priority update and preemption test */
    bool expired_prio_starves; /* a better static priority in `expired` counts as starving */
    bool old;                  /* 2.5.32: sleep_avg runs down by ticks; no credit, no rotation */
};
extern const struct o1_rules o1_rules_2_5_32, o1_rules_2_6_0_test11, o1_rules_2_6_0, o1_rules_2_6_3;

struct o1_array {
    uint64_t bitmap[3]; /* bit p: list[p] is not empty */
    int32_t count;
    struct hl_list list[O1_PRIO_COUNT]; /* of policy_task.link; oldest first */
};

struct o1_queue {
    int32_t index; /* in o1.queue and o1.nr_running */
    int32_t node;
    int32_t active;            /* which array is active; the other one is expired */
    int32_t best_expired_prio; /* best static priority put into `expired` since the last swap */
    int64_t expired_since;     /* jiffy of the first expiry since the last swap; 0: none */
    const int32_t *cpu;        /* the cpus it serves, ascending */
    int32_t cpu_count;
    struct o1_array array[2];
};

struct o1_task {
    int64_t sleep_avg_ns;
    int64_t stamp_ns; /* last: put on a cpu, taken off it, woken, forked */
    int32_t slice;    /* jiffies left */
    int32_t credit;   /* of interactivity; low below -100, high above 100 */
    int32_t queue;    /* index of the queue that holds it */
    int8_t
        activated; /* -1 slept uninterruptibly, 1 woken by a task, 2 by an interrupt, 0 otherwise */
    uint8_t prio, static_prio;
    uint8_t array;    /* which array of its queue; see o1_in_active */
    bool first_slice; /* still on the slice it got at fork: returned to the parent at its death */
    bool fresh;       /* exists from the start of the run and was never enqueued */
    bool held;        /* linked in an array of its queue */
    bool uninterruptible;       /* the sleep it is in, or was in last */
    struct policy_task *parent; /* from fork to the first enqueue: the task it is put in front of */
};

struct o1 {               /* first in the policy data of every policy built on this */
    uint32_t *nr_running; /* by queue: dense, because balancing scans it */
    uint64_t changes;     /* of any nr_running: equal values, equal lengths */
    int32_t *queue_of;    /* by cpu */
    struct o1_queue *queue;
    int32_t queue_count, node_count;
    int32_t *node_first; /* by node, node_count + 1 entries: where its queues start in node_queue */
    int32_t *node_queue; /* queues of node 0, of node 1, ...; ascending within a node */
    int32_t *node_cpu_count; /* by node */
    uint32_t *node_running;  /* by node: sum of nr_running */
    struct o1_rules rules;
    int32_t slice[O1_NICE_COUNT];          /* full slice by static_prio - 100 */
    int32_t delta[O1_NICE_COUNT];          /* bonus a task needs to be interactive, less 5 */
    int32_t granularity[O1_BONUS_MAX + 1]; /* rotation inside the slice, by bonus */
    int64_t cache_decay_ns;                /* a task that ran so recently is cache-warm */
    bool up;                               /* a kernel without SMP: cpu 0 only */
    bool wrap; /* 32-bit product in the priority update (spec linux 3.3) */
};

/* Parameters o1_init reads: every policy built on this lists them in its table. */
#define O1_COMMON_PARAMS                                                                           \
    {"cache_decay",                                                                                \
     PARAM_INT,                                                                                    \
     "jiffies",                                                                                    \
     NULL,                                                                                         \
     -1,                                                                                           \
     1000,                                                                                         \
     -1,                                                                                           \
     "busy balancing leaves a task alone that ran so recently; -1: from the machine's l2_bytes; "  \
     "spec linux 3.2"},                                                                            \
        {"wrap", PARAM_BOOL,                                                                       \
         "",     NULL,                                                                             \
         0,      1,                                                                                \
         0,      "32-bit product in the priority update, as i386 computes it; spec linux 3.3"},    \
    {                                                                                              \
        "count_repick", PARAM_BOOL, "", NULL, 0, 1, 0,                                             \
            "a task marked and picked again counts as an involuntary switch; spec linux 7"         \
    }

enum o1_sharing { O1_QUEUE_PER_CPU, O1_QUEUE_PER_CORE, O1_QUEUE_PER_PACKAGE };

/*
 * Sets up *policy_data. Queues of O1_QUEUE_PER_CPU are numbered like the cpus, the others in the
 * order of their first cpus. `up`: a kernel without SMP.
 */
enum hl_status o1_init(struct policy *p, const struct o1_rules *rules, enum o1_sharing sharing,
                       bool up, struct hl_error *err) HL_MUST_CHECK;

static inline struct o1 *o1_of(const struct policy *p)
{
    return policy_data(p);
}

static inline struct o1_task *o1_task_of(const struct policy_task *t)
{
    return t->data;
}

static inline struct o1_queue *o1_queue_of(const struct o1 *o, int cpu)
{
    return &o->queue[o->queue_of[cpu]];
}

static inline uint32_t o1_nr_running(const struct o1 *o, int cpu)
{
    return o->nr_running[o->queue_of[cpu]];
}

/* Time since the start in ticks: one global counter, whatever the phase of a cpu's own tick. */
static inline int64_t o1_jiffies(const struct policy *p)
{
    return policy_now_ns(p) / O1_NS_PER_JIFFY;
}

static inline bool o1_in_active(const struct o1 *o, const struct o1_task *ot)
{
    return ot->array == o->queue[ot->queue].active;
}

/* Priority of what runs on cpu; O1_PRIO_IDLE when idle. */
static inline int o1_running_prio(const struct policy *p, int cpu)
{
    const struct policy_task *t = policy_running(p, cpu);

    return t == NULL ? O1_PRIO_IDLE : o1_task_of(t)->prio;
}

/* ---- interactivity: o1_interactivity.c, spec linux 3.2 and 3.3 ---- */

int o1_bonus(const struct o1 *o, const struct o1_task *ot); /* 0 .. 10 */
int o1_effective_prio(const struct o1 *o, const struct policy_task *t);
bool o1_is_interactive(const struct o1 *o, const struct o1_task *ot);
int64_t o1_long_sleep_ns(const struct o1 *o, const struct o1_task *ot);
/* The task comes back at at_ns after a sleep, or a wait, that began at its stamp. */
void o1_recalc(const struct o1 *o, struct policy_task *t, int64_t at_ns);
/* It ran from its stamp to now_ns. */
void o1_account_run(const struct o1 *o, struct policy_task *t, int64_t now_ns);
/* sleep_avg at fork and at the parent's reaping. */
void o1_share_sleep_avg(const struct o1 *o, struct o1_task *parent, struct o1_task *child);
void o1_return_sleep_avg(const struct o1 *o, struct o1_task *parent, const struct o1_task *child);

static inline int32_t o1_full_slice(const struct o1 *o, const struct o1_task *ot)
{
    return o->slice[ot->static_prio - O1_PRIO_NORMAL];
}

/* ---- run queues ---- */

/* The best priority in use that is not better than `from`; O1_PRIO_COUNT: none. */
static inline int o1_array_next_prio(const struct o1_array *a, int from)
{
    uint64_t word;
    int i = from / 64;

    if (from >= O1_PRIO_COUNT)
        return O1_PRIO_COUNT;
    word = a->bitmap[i] & (~UINT64_C(0) << (from % 64));
    while (word == 0) {
        if (++i == HL_COUNT_OF(a->bitmap))
            return O1_PRIO_COUNT;
        word = a->bitmap[i];
    }
    return i * 64 + __builtin_ctzll(word);
}

/*
 * The task becomes runnable on the queue of cpu: priority update, place in the arrays (in front of
 * its parent after a fork). True: the policy should test whether it preempts; false after a sync
 * wakeup and after a fork, where nobody is disturbed (a plain fork has the parent marked: kicked
 * here).
 */
bool o1_enqueue(struct policy *p, struct policy_task *t, int cpu, const struct policy_wakeup *w);
void o1_dequeue(struct policy *p, struct policy_task *t, int cpu, enum policy_why why,
                enum policy_wait wait);

/* True: it has a better priority than what runs on cpu. */
static inline bool o1_preempts(const struct policy *p, const struct policy_task *t, int cpu)
{
    return o1_task_of(t)->prio < o1_running_prio(p, cpu);
}

/* Kicks cpu if t preempts what runs there. */
static inline void o1_preempt(struct policy *p, struct policy_task *t, int cpu)
{
    if (o1_preempts(p, t, cpu))
        policy_kick(p, cpu);
}

/* Relinks a held task at the tail of its list in an array of another queue: balancing. */
void o1_move(struct o1 *o, struct policy_task *t, int to_queue, bool to_expired);

/* Walks the tasks of a queue in the order balancing takes them; the one returned may be moved away.
 */
struct o1_scan {
    struct o1_queue *queue;
    struct hl_link *link; /* next one to return */
    int32_t array, prio, arrays_left;
};

/* `expired` first (or `active` first), best priority first, each list from tail to head. */
void o1_scan_begin(struct o1_scan *s, struct o1_queue *queue, bool active_first);
struct policy_task *o1_scan_next(struct o1_scan *s); /* NULL: no more */

/* ---- schedule() in parts: spec linux 3.5 ---- */

/* The task that ran until now and still can: run time is accounted. NULL is fine. */
void o1_leave(struct policy *p, struct policy_task *prev);
/* `active` and `expired` change places. */
void o1_swap_arrays(struct o1_queue *queue);
/* Swaps the arrays if `active` is empty; the best task of `active`. NULL: the queue is empty. */
struct policy_task *o1_choose(struct o1_queue *queue);
/* `next` goes on the cpu: waiting since a wakeup counts as sleep. */
void o1_start(struct policy *p, struct policy_task *next, const struct policy_task *prev);

/* The queue's cpu goes idle. */
static inline void o1_go_idle(struct o1_queue *queue)
{
    queue->expired_since = 0;
}

/* The tick of a busy cpu without balancing: slice, expiry, rotation. Kicks cpu when the task's turn
 * is over. */
void o1_tick_task(struct policy *p, int cpu, struct policy_task *running);

/* ---- callbacks usable as they are ---- */

/* Last cpu, or for sync wakeups and forks the waker's, if allowed; else the first allowed one. */
int o1_select_cpu(struct policy *p, struct policy_task *t, const struct policy_wakeup *w);
void o1_clock(const struct policy *p, struct policy_clock *c);
void o1_fork(struct policy *p, struct policy_task *parent, struct policy_task *child);
void o1_reap(struct policy *p, struct policy_task *parent, struct policy_task *child);
void o1_yield(struct policy *p, struct policy_task *t);
void o1_renice(struct policy *p, struct policy_task *t, int32_t old_nice);
/* sleep_avg_ns, bonus, prio, static_prio, slice, credit, activated, interactive, array (0 active, 1
 * expired), queue; without a task "cpuN.nr_running". */
bool o1_probe(const struct policy *p, const struct policy_task *t, const char *field,
              int64_t *value);
enum hl_status o1_check(const struct policy *p, struct hl_error *err);

#endif
