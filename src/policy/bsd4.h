/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bsd4.h - the state of 4bsd, for its files: bsd4.c (queues and choices), bsd4_clock.c (what clocks and timers
 * do), bsd4_inspect.c (probe and check).
 */
#ifndef HL_POLICY_BSD4_H
#define HL_POLICY_BSD4_H

#include "policy/bsd.h"

enum {
    BSD4_LOCK = 0,    /* sched_lock */
    BSD4_FSHIFT = 11, /* fixed point of the load and of %cpu */
    BSD4_FSCALE = 1 << BSD4_FSHIFT,
    BSD4_NOT_QUEUED = -2,
    BSD4_GLOBAL_QUEUE = -1 /* else the number of the cpu whose own queue it is */
};

enum bsd4_preemption { PREEMPTION_NONE, PREEMPTION_INTERRUPT, PREEMPTION_FULL };

struct bsd4_task {
    int32_t estcpu;  /* recent cpu use in sampled ticks */
    int32_t slptime; /* whole seconds asleep */
    int32_t cpticks, pctcpu;
    int32_t queue;      /* BSD4_NOT_QUEUED, BSD4_GLOBAL_QUEUE, cpu */
    int32_t slice_left; /* 14: stat ticks */
    int16_t priority, user_priority;
    bool known;     /* was enqueued before */
    bool ran;       /* since the last pass */
    bool yielded;   /* waits at the worst priority */
    bool slice_end; /* 14: used its slice up: not to the head */
    bool counted;   /* in run_count */
};

struct bsd4_cpu {
    struct bsd_queue own; /* tasks that may not run everywhere */
    int32_t own_count;
    int32_t switched_ticks; /* `ticks` at the last switch */
    int32_t left_mm;        /* address space of the task that has just blocked; -1 */
    bool resched;           /* the running task enters the scheduler: to the tail */
    bool preempt;           /* it is displaced at once: to the head */
    bool told; /* idle, and looks into its queues: an IPI is on its way, or its clock */
};

struct bsd4 {
    struct bsd_queue queue;
    const struct bsd_bands *bands;
    enum bsd_release release;
    int32_t hz, quantum_ticks, slice_ticks;
    int32_t weight, estcpu_max;
    int32_t run_count; /* runnable and running, without interrupt threads */
    int32_t queued_count, idle_count;
    int32_t racing_count;  /* cpus told, without a task in a queue of their own */
    uint64_t *idle;        /* set of cpus */
    int64_t *interrupt_ns; /* phase of each cpu's clock; NULL: no idle cpu has to look by itself */
    int64_t interrupt_period_ns;
    int64_t stat_phase_ns, stat_period_ns; /* 5.4: a second clock; a period of 0: none */
    int64_t load;                          /* BSD4_FSCALE */
    int64_t pass_ns, load_ns, rotate_ns;   /* when these are due next */
    int64_t look_ns; /* when an idle cpu looks at what waits; INT64_MAX: nothing does */
    int64_t quantum_ns;
    /* Wake-ups forwarded; cpus that were told or looked by themselves, and those of them that found nothing. */
    int64_t forward_count, told_count, empty_count;
    int64_t preemption, runq_fuzz;
    bool forwards, one_cpu, prefer_pairs, followon, rotate_others, tick_locks;
};

static inline struct bsd4_task *bsd4_task(const struct policy_task *t)
{
    return t->data;
}

/* Recomputes the user priority; a task that has no better one than any user takes it over, and moves if it is
 * queued and its level changes. */
void bsd4_reset_priority(struct policy *p, struct policy_task *t);

/* The running task of cpu enters the scheduler soon and goes to the tail of its level. */
void bsd4_ask(struct policy *p, int cpu);

/* The running task of cpu enters the scheduler soon, as one that was displaced: to the head of its level. */
void bsd4_interrupt(struct policy *p, int cpu);

/* Idle cpu looks into its queues: after an IPI, or at once as its own clock interrupts. */
void bsd4_tell(struct policy *p, int cpu, bool at_once);

/* ---- bsd4_clock.c ---- */
void bsd4_clock_init(struct policy *p);
/* More may wait than cpus are told: the next clock interrupt of one that is idle and not told ends that. */
void bsd4_look_later(struct policy *p);
/* The decays that a sleeper missed. */
void bsd4_decay_after_sleep(const struct bsd4 *g, struct bsd4_task *d);
void bsd4_tick(struct policy *p, int cpu, struct policy_task *running);
void bsd4_stat_tick(struct policy *p, int cpu, struct policy_task *running);
void bsd4_timer(struct policy *p, int cpu);

/* ---- bsd4_inspect.c ---- */
bool bsd4_probe(const struct policy *p, const struct policy_task *t, const char *field,
                int64_t *value);
enum hl_status bsd4_check(const struct policy *p, struct hl_error *err);

#endif
