/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake_host.h - a host for policies in unit tests: answers what policy.h lets a policy ask, and
 * plays the calls of a task's life, without costs, delays or programs.
 *
 * Kicks and stops are only noted; fake_settle acts on them. So a test can look at what a policy
 * asked for (host.kicked, host.stop_asked) before it happens. Wrong answers end the test.
 */
#ifndef HL_TESTS_FAKE_HOST_H
#define HL_TESTS_FAKE_HOST_H

#include "base/memory.h"
#include "policy/policy.h"

enum { FAKE_CPUS_MAX = 64, FAKE_TASKS_MAX = 256 };

struct fake_host {
    struct policy policy; /* first: the policy's own view */
    struct policy_spec spec;
    struct machine machine;
    struct hl_arena arena;
    struct policy_task tasks[FAKE_TASKS_MAX];
    bool dead[FAKE_TASKS_MAX], blocked[FAKE_TASKS_MAX];
    int64_t ran_ns[FAKE_TASKS_MAX]; /* without the turn under way: see fake_ran_ns */
    int64_t turn_ns[FAKE_CPUS_MAX]; /* start of the turn under way */
    int task_count;
    bool kicked[FAKE_CPUS_MAX], stop_asked[FAKE_CPUS_MAX];
    int64_t timer_ns[FAKE_CPUS_MAX];
    int64_t
        phase_ns[FAKE_CPUS_MAX]; /* of the ticks; spread evenly unless the test says otherwise */
    int64_t stat_phase_ns[FAKE_CPUS_MAX]; /* the same of the statistics clock */
    struct policy_clock clock;
    uint64_t random_state;
    int picking; /* cpu of the pick under way */
    int32_t migrations, picks;
    uint32_t charged;
};

/* A machine of so many nodes, packages per node, cores per package and threads per core. */
struct fake_shape {
    int nodes, packages, cores, threads;
};

/* Opens the policy named by `spec`; cpus are numbered by thread, then core, package, node. */
void fake_open(struct fake_host *h, const char *spec, struct fake_shape shape);
void fake_close(struct fake_host *h);

/* A fresh task; blocked until it is woken. */
struct policy_task *fake_task(struct fake_host *h, int nice);
/* Its first enqueue, on this cpu. */
void fake_start(struct fake_host *h, struct policy_task *t, int cpu);
struct policy_task *fake_hog(struct fake_host *h, int nice, int cpu); /* both */

/* The running task `parent` forks; a vfork blocks it. */
struct policy_task *fake_fork(struct fake_host *h, struct policy_task *parent, bool vfork);
void fake_block(struct fake_host *h, struct policy_task *t, enum policy_wait wait); /* and picks */
void fake_wake(struct fake_host *h, struct policy_task *t, const struct policy_wakeup *w);
void fake_wake_by_timer(struct fake_host *h, struct policy_task *t); /* on its last cpu */
void fake_exit(struct fake_host *h, struct policy_task *t);          /* and picks */
void fake_reap(struct fake_host *h, struct policy_task *parent, struct policy_task *child);
void fake_renice(struct fake_host *h, struct policy_task *t, int nice);
/* The running task ends a system call. */
void fake_to_user(struct fake_host *h, struct policy_task *t);
void fake_yield(struct fake_host *h, struct policy_task *t); /* and picks */
/* exec: asks select_cpu and moves the task if the answer is another cpu. Returns the answer. */
int fake_exec(struct fake_host *h, struct policy_task *t);

void fake_pick(struct fake_host *h, int cpu);
void fake_tick(struct fake_host *h, int cpu); /* without acting on what it asked for */
void fake_settle(struct fake_host *h);        /* acts on kicks and stops until there are none */
void fake_stat_tick(struct fake_host *h, int cpu); /* the same for the statistics clock */
/* Plays ticks of both clocks and due timers of all cpus, settling after each, until that time. */
void fake_run_until(struct fake_host *h, int64_t at_ns);
void fake_run_for(struct fake_host *h, int64_t ns);

/* Time it has been running so far. */
int64_t fake_ran_ns(const struct fake_host *h, const struct policy_task *t);

/* Fails the test if there is no such field, or if the policy's invariants do not hold. */
int64_t fake_probe(const struct fake_host *h, const struct policy_task *t, const char *field);
void fake_check(const struct fake_host *h);

#endif
