/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim.h - plays a workload under a policy on a machine: one seed, one history.
 *
 * Integer nanoseconds; events in total order (time, kind, sequence). Everything is allocated before time zero.
 */
#ifndef HL_SIM_SIM_H
#define HL_SIM_SIM_H

#include "machine/machine.h"
#include "policy/policy.h"
#include "run/run.h"
#include "trace/event.h"
#include "workload/workload.h"

/* A task as the simulator accounts it; see sim_view for when it may be read. */
struct sim_task_figures {
    const char *name;
    int32_t id;
    int64_t user_ns, system_ns;    /* time on a cpu; inflated while a sibling is busy */
    int64_t wait_ns;               /* runnable but not running */
    int64_t started_ns, finish_ns; /* -1: not yet */
    int64_t voluntary, involuntary, migrations;
    int32_t cpu;      /* running on, else last; -1: none */
    int32_t running;  /* 1: on a cpu now */
    int32_t runnable; /* 1: running or waiting */
};

struct sim; /* one run in progress */

/*
 * Called at at_ns[i], in order, after all events up to and including that time, and with index -1 at time
 * zero and every_ns after every_ns up to the end of the run.
 */
struct sim_observer {
    void (*look)(void *context, struct sim *sim, int index);
    void *context;
    const int64_t *at_ns; /* ascending; INT64_MAX: at the end of the run */
    int count;
    int64_t every_ns; /* 0: not regularly */
};

/* A moment at which a task came to OP_MARK, the last one if several did. */
struct sim_mark {
    int64_t at_ns;   /* -1: none did */
    int64_t busy_ns; /* time that all cpus together had been busy */
};

struct sim_options {
    const struct machine *machine;
    const struct policy_spec *policy;
    const struct workload *workload;
    uint64_t seed;
    int64_t until_ns;      /* 0: until all tasks that are not in the background have ended */
    bool check_each_event; /* invariants after every event; in large runs, every n-th; slow */
    const struct trace_sink *sink; /* NULL: none */
    const struct sim_observer *observer;
    struct sim_mark *marks; /* to be filled, one per mark of the workload; NULL: not wanted */
};

struct sim_result {
    int64_t elapsed_ns;
    uint64_t event_count; /* handled queue entries */
    uint64_t event_hash;  /* of all of them: equal histories have equal hashes */
    uint64_t scan_count;  /* entries and cpus that the policy looked at, by its own account */
    struct run run;       /* metrics filled; identity (workload, load, ...) is the caller's */
};

enum hl_status sim_run(const struct sim_options *options, struct sim_result *result,
                       struct hl_error *err) HL_MUST_CHECK;

/* Would sim_run begin? Goes up to time zero, so that what policy, machine or workload refuse can be
 * told before hours of other runs. */
enum hl_status sim_try(const struct sim_options *options, struct hl_error *err) HL_MUST_CHECK;

/* ---- for observers ---- */

int64_t sim_now_ns(const struct sim *sim);
/* Figures of the index-th task of workload.tasks, brought up to now. */
void sim_task_figures(struct sim *sim, int index, struct sim_task_figures *figures);
/* The same of the first task that ever ran the program (forked children); false if none has yet. */
bool sim_program_figures(struct sim *sim, int program, struct sim_task_figures *figures);
/* Tasks that run on cpu or wait in its queue. Where one queue serves all cpus, a task counts for the
 * cpu that it was queued from. */
int64_t sim_cpu_tasks(const struct sim *sim, int cpu);
/* Time each cpu has been busy so far. */
int64_t sim_cpu_busy_ns(struct sim *sim, int cpu);
int64_t sim_total_migrations(struct sim *sim);
/* The policy's own field; index -1: of the policy itself. */
bool sim_probe(struct sim *sim, int index, const char *field, int64_t *value);
bool sim_program_probe(struct sim *sim, int program, const char *field, int64_t *value);

#endif
