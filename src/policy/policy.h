/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * policy.h - what a scheduling policy must answer, and what it may ask of its host.
 *
 * CUSTODY. A task is blocked or held by the policy, always exactly one. `enqueue` hands a runnable
 * task to the policy; `dequeue` hands it back when it blocks or exits. In between the policy holds
 * it, running or waiting. `pick(cpu, prev)` names the held task to run next on cpu; prev is the task
 * that was running there, if it still can. A pick of a task last seen on another cpu is a migration;
 * the host charges its cost. The host owns truth (states, time, affinity, accounting) and checks
 * each answer; a bad pick ends the run with policy, time, task, cpu and reason.
 *
 * LIFE OF A TASK, as calls:
 *     fork(parent, child)                          the child exists; it is not runnable yet. parent NULL: it exists
 *                                                  from the start: a fresh task, enqueued next with POLICY_WAKE
 *     cpu = select_cpu(child, {POLICY_FORK})       enqueue(child, cpu, {POLICY_FORK})
 *     pick -> child                                it runs: child->on_cpu == cpu
 *     tick, stat_tick, to_user                     while it runs
 *     dequeue(child, cpu, POLICY_SLEEP, wait)      it blocks; then pick(cpu, NULL)
 *     cpu = select_cpu(child, {POLICY_WAKE, ...})  enqueue(child, cpu, {POLICY_WAKE, ...})
 *     dequeue(child, cpu, POLICY_EXIT, ...)        it is dead, a zombie; pick(cpu, NULL)
 *     reap(parent, child)                          the parent's wait returns it; its data are gone afterwards
 *
 * The host never picks on its own after an enqueue: the policy kicks. A policy reads no clock but
 * policy_now_ns, draws no random number but policy_random, prints nothing and allocates only in init.
 */
#ifndef HL_POLICY_POLICY_H
#define HL_POLICY_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "base/status.h"
#include "machine/machine.h"

enum { POLICY_NO_CPU = -1 };

enum policy_why { POLICY_WAKE, POLICY_FORK, POLICY_EXEC, POLICY_SLEEP, POLICY_EXIT, POLICY_MOVE };

enum policy_wait {
    WAIT_TIMER,
    WAIT_CHILD,
    WAIT_VFORK, /* uninterruptible */
    WAIT_PIPE_READ,
    WAIT_PIPE_WRITE,
    WAIT_SOCKET,
    WAIT_LOCK,
    WAIT_DISK /* uninterruptible */
};

enum policy_class { CLASS_NORMAL, CLASS_BATCH, CLASS_IDLE, CLASS_FIFO, CLASS_RR };

struct policy_wakeup { /* who makes a task runnable, and how */
    enum policy_why why;
    int32_t waker_cpu; /* where the waking code runs; the forking cpu for POLICY_FORK */
    bool sync;         /* the waker announces that it will block very soon */
    bool from_irq;     /* timer, disk or network completion */
    bool shares_mm;    /* POLICY_FORK: vfork or thread */
};

struct policy_group { /* a task group, as cgroup v2 has it; a policy reads it */
    const char *name;
    int32_t parent;     /* 0: the root; else 1 + its place in the list, which is before its own */
    int32_t weight;     /* cpu.weight: 1 .. 10000 */
    int64_t quota_ns;   /* cpu.max: so much of all cpus per period; 0: no limit */
    int64_t period_ns;
    bool is_idle;       /* cpu.idle */
};

struct policy_task { /* owned by the host; a policy reads it and may use `link` and `data` */
    int32_t id;      /* 0, 1, 2 in order of creation; never used again within a run */
    int32_t nice;    /* -20 .. 19 */
    int32_t group;   /* 0: none; else 1 + place in policy.group */
    int32_t session; /* of which terminal or login: place in 0 .. policy.session_count - 1 */
    int32_t mm;      /* tasks of one address space share it */
    enum policy_class class;
    int32_t rt_priority; /* 1 .. 99 for fifo and rr, larger is better; else 0 */
    int64_t slice_ns;    /* asked for by sched_setattr; 0: the policy's default. Inherited by children */
    bool is_kernel;      /* a kernel thread: no address space of its own */
    bool is_forked;      /* fork without parent: it begins as a child, not as one that has slept for long */
    int32_t last_cpu;    /* where it last ran; before its first run POLICY_NO_CPU */
    int32_t on_cpu;      /* the cpu executing it now, else POLICY_NO_CPU; still set while it is dequeued,
                            and while it is prev of a pick; not set in `stopped` */
    const uint64_t *allowed; /* bit c of word c / 64: may run on cpu c; NULL: everywhere */
    struct hl_link link;     /* free for the policy while it holds the task */
    void *data;              /* task_bytes of the policy's own, zeroed at fork */
};

/*
 * A parameter of a policy as written after its name: `o1:version=2.6.0:kernel=up`. Values are
 * int64_t: a choice is the index of its word in `choices` (words separated by '|'); a bool is
 * y, n, the bare name (y) or NO_ and the name (n); a duration is ns ("5ms"); a decimal is in millionths; flags are the sum
 * of 1 << index of the words given, joined by '+' ("NEWIDLE+EXEC"), or "none".
 */
enum policy_param_type {
    PARAM_INT,
    PARAM_BOOL,
    PARAM_CHOICE,
    PARAM_DURATION,
    PARAM_DECIMAL,
    PARAM_FLAGS
};

struct policy_param_info {
    const char *name;
    enum policy_param_type type;
    const char *unit;    /* "ms", "jiffies", "" */
    const char *choices; /* PARAM_CHOICE: "2.6.0|2.6.0-test11"; PARAM_FLAGS: all words, the lowest bit first;
                            PARAM_INT: NULL, or a word that stands for `max` ("never") */
    int64_t min, max, value; /* range and default; or POLICY_PARAM_UNSET where the policy works it out */
    const char *help;    /* ends with its source: "spec linux 3.2"; says the default where the policy works it out */
};

/* What its kernel has and the policy has not, by the kernel's name; a list ends with a NULL name. */
struct policy_absent {
    const char *name;
    const char *why; /* what happens instead */
};

/* Outside of every range: nobody wrote a value. */
#define POLICY_PARAM_UNSET INT64_MIN

struct policy; /* below */

struct policy_clock { /* how the kernel of this policy keeps time; zeroed fields are filled with the defaults below */
    int32_t hz;           /* [1000] ticks per second and cpu */
    int32_t stat_hz;      /* [0: none] statistics clock */
    enum { PHASE_RANDOM, PHASE_STAGGERED, PHASE_TOGETHER, PHASE_ALIGNED } phase; /* [random: one uniform phase per cpu and run];
                                                       together: one per run, the same for all cpus;
                                                       aligned: at multiples of the period from time zero */
    bool ticks_first;     /* [no] ticks that fall on one instant all come before any of their cpus switches;
                                                       together: the first comes at the phase, not a period later */
    bool idle_cpus_tick;  /* [no] call tick(cpu, NULL) on idle cpus */
    bool count_repick;    /* [no] a runnable task that enters the scheduler and is picked again counts as an involuntary switch */
    bool timers_on_boot_cpu; /* [no] sleeps end on cpu 0 instead of the cpu where the task went to sleep */
};

/* What policy_count counts, by the distance that the balancing spans. */
enum policy_event { POLICY_BALANCE_ATTEMPT, POLICY_BALANCE_MOVE /* one that moved a task */, POLICY_EVENT_COUNT };

/* What policy_charge counts: queue entries looked at; switches made while this callback's locks are held, which
 * cost nothing more but make others wait longer. */
enum policy_work { POLICY_SCAN, POLICY_SWITCH, POLICY_WORK_COUNT };

struct policy_ops {
    const char *name, *summary, *source; /* source: "spec linux 3" */
    const struct policy_param_info *params; /* ends with a NULL name; NULL: none */
    const struct policy_absent *absent;     /* NULL: none */
    const char *const *prefixes; /* may stand before a parameter's name and mean nothing: "kern.sched.". The
                                    first that fits counts; ends with NULL. [none] */
    const struct policy_ops *(*resolve)(const int64_t *params);
    /* The table to use with these parameters, which has the same name and params; for a policy whose versions
     * share little. Asked once, when the user's text is parsed. A table that only resolves needs nothing below.
     * [this table] */
    size_t policy_bytes, cpu_bytes, task_bytes; /* the host allocates these, zeroed */
    bool groups;   /* it knows task groups; else a workload that has some is refused */
    bool balances; /* it moves waiting tasks between queues, and counts that with policy_count */

    /* Required. */
    void (*enqueue)(struct policy *p, struct policy_task *t, int cpu, const struct policy_wakeup *w);
    void (*dequeue)(struct policy *p, struct policy_task *t, int cpu, enum policy_why why,
                    enum policy_wait wait);
    struct policy_task *(*pick)(struct policy *p, int cpu, struct policy_task *prev); /* NULL: go idle */

    /* Optional. NULL selects the default named in brackets. */
    enum hl_status (*init)(struct policy *p, struct hl_error *err); /* [nothing] */
    void (*fini)(struct policy *p);                                 /* [nothing] */
    int (*select_cpu)(struct policy *p, struct policy_task *t, const struct policy_wakeup *w);
    /* [last cpu if allowed, else the waker's if allowed, else the first allowed]. For POLICY_EXEC the
     * running task is moved if the answer differs from its cpu: dequeue and enqueue with POLICY_MOVE. */
    void (*clock)(const struct policy *p, struct policy_clock *c);
    void (*tick)(struct policy *p, int cpu, struct policy_task *running);      /* [nothing: no ticks at all] */
    void (*stat_tick)(struct policy *p, int cpu, struct policy_task *running); /* [nothing] */
    void (*to_user)(struct policy *p, int cpu, struct policy_task *t); /* return to user mode [nothing] */
    void (*stopped)(struct policy *p, int cpu, struct policy_task *preempted);
    /* [never asks for a stop]. Runs as the migration thread on cpu; preempted (or NULL) no longer
     * executes but is still held. Afterwards the host calls pick(cpu, NULL). */
    void (*fork)(struct policy *p, struct policy_task *parent, struct policy_task *child); /* [child starts fresh] */
    void (*reap)(struct policy *p, struct policy_task *parent, struct policy_task *child); /* [nothing returns] */
    void (*yield)(struct policy *p, struct policy_task *t); /* [no effect]; the host picks again afterwards */
    void (*renice)(struct policy *p, struct policy_task *t, int32_t old_nice);
    /* [if held: dequeue and enqueue with POLICY_MOVE] */
    void (*reallow)(struct policy *p, struct policy_task *t);
    /* affinity changed [moved by dequeue and enqueue with POLICY_MOVE only if its cpu is no longer allowed] */
    void (*idle_enter)(struct policy *p, int cpu); /* [nothing] */
    void (*timer)(struct policy *p, int cpu);      /* [no timers] */
    bool (*probe)(const struct policy *p, const struct policy_task *t, const char *field, int64_t *value);
    /* A field of the policy for tests and scenario files; t NULL: a field of the policy itself,
     * such as "cpu0.nr_running". [no such field] */
    enum hl_status (*check)(const struct policy *p, struct hl_error *err);
    /* Invariants; called after each event in checking runs, at the end always. [trust it] */
};

/*
 * One policy in one run. The host fills and owns it; policies use the accessors below, which are
 * inline because they are on the hot path.
 */
struct policy {
    const struct policy_ops *ops;
    const struct machine *machine;
    const int64_t *params;  /* by index in ops->params */
    void *data;             /* policy_bytes */
    char *cpu_data;         /* cpu_count x cpu_stride */
    size_t cpu_stride;
    struct policy_task **running; /* by cpu; NULL: idle */
    const struct policy_group *group; /* parents before children */
    int32_t group_count, session_count;
    const int32_t *session_nice; /* by session: the nice value of its autogroup */
    int64_t now_ns;
    int32_t cpu_count;
    int64_t events[POLICY_EVENT_COUNT][MACHINE_DISTANCE_COUNT];
};

static inline int64_t policy_now_ns(const struct policy *p) { return p->now_ns; }
static inline void *policy_data(const struct policy *p) { return p->data; }
static inline const struct machine *policy_machine(const struct policy *p) { return p->machine; }
static inline int policy_cpu_count(const struct policy *p) { return p->cpu_count; }

static inline void *policy_cpu_data(const struct policy *p, int cpu)
{
    return p->cpu_data + (size_t)cpu * p->cpu_stride;
}

/* The task executing on cpu; NULL: idle. */
static inline struct policy_task *policy_running(const struct policy *p, int cpu)
{
    return p->running[cpu];
}

/* Balancing between cpus so far apart was tried, or has moved a task. For explanations only. */
static inline void policy_count(struct policy *p, enum policy_event event,
                                enum machine_distance distance)
{
    p->events[event][distance]++;
}

static inline bool policy_allowed(const struct policy_task *t, int cpu)
{
    return t->allowed == NULL || (t->allowed[cpu / 64] >> (cpu % 64) & 1) != 0;
}

/* Value of a parameter by name; asserts that the policy declares it. For init: keep the value. */
int64_t policy_param(const struct policy *p, const char *name);

/* The live task after `after` in order of id, sleepers too, dead but unreaped ones not; NULL starts and ends. */
struct policy_task *policy_next_task(struct policy *p, struct policy_task *after);

/* Zeroed memory that lives as long as the run; legal only in init. NULL when exhausted. */
void *policy_alloc(struct policy *p, size_t count, size_t size);

/* Uniform in [0, bound), from the policy's own stream. */
uint64_t policy_random(struct policy *p, uint64_t bound);

/* Pick again on cpu: on the cpu of this callback as soon as it returns, elsewhere after an IPI;
 * later if the task there is inside a system call: when that ends. Ignored for the cpu of a pick under way. */
void policy_kick(struct policy *p, int cpu);

/* In a pick with a task running: true if other cpus were to pick at this instant before it was asked; then it
 * is asked again after them, once, and the answer now is the running task. */
bool policy_pick_later(struct policy *p, int cpu);

/* As policy_kick, for an idle cpu that watches its queue in a loop: it needs no IPI and acts at once. */
void policy_signal(struct policy *p, int cpu);

/* The same, but elsewhere nothing is sent: the task there goes on until something else interrupts it, or its
 * next system call ends. */
void policy_kick_lazily(struct policy *p, int cpu);

/* The waiting task t now waits in the queue of cpu. For explanations only; free of charge. */
void policy_moved(struct policy *p, struct policy_task *t, int cpu);

/* Run `stopped` on cpu as its migration thread, soon. */
void policy_stop(struct policy *p, int cpu);

/* The policy did work on cpu: costs time there. */
void policy_charge(struct policy *p, int cpu, enum policy_work work, uint32_t amount);

/* Takes lock `lock_id` (below POLICY_LOCKS_MAX) on cpu until the callback ends: holders are
 * serialised, waiting and holding (work charged in this callback) cost time on cpu. */
enum { POLICY_LOCKS_MAX = 4096 };
void policy_lock(struct policy *p, int cpu, int lock_id);

/* Calls `timer` on cpu at that time; one per cpu, a new time replaces the old; INT64_MAX: none. */
void policy_set_timer(struct policy *p, int cpu, int64_t at_ns);

/* ---- registry ---- */

/* NULL-terminated; every policy there is. */
extern const struct policy_ops *const policy_registry[];

enum { POLICY_PARAMS_MAX = 64 };

/* A policy with its parameters as the user wrote them. */
struct policy_spec {
    const struct policy_ops *ops;
    char text[256];                    /* as written: what tables print */
    int64_t params[POLICY_PARAMS_MAX]; /* by index in ops->params */
};

/* Parses `name:param=value:param=value`. Unknown names are HL_USAGE and say what there is. */
enum hl_status policy_spec_parse(struct policy_spec *spec, const char *text, struct hl_error *err)
    HL_MUST_CHECK;

#endif
