/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workload.h - what tasks do: programs of steps, and who makes them.
 *
 * A workload is a set of programs (arrays of steps) and the tasks that exist at the start. All
 * random choices of sizes are made when the set is built, from the run's seed, so every policy
 * faces the same jobs; only repeated random steps (OP_SLEEP with a spread in a loop) draw later,
 * from the task's own stream. Programs assume nothing about who plays them: the simulator or real
 * processes.
 */
#ifndef HL_WORKLOAD_WORKLOAD_H
#define HL_WORKLOAD_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/rng.h"
#include "base/status.h"
#include "machine/machine.h"
#include "workload/profile.h"

/*
 * Steps. `amount` and `target` as stated; `spread`: uniform extra in [0, spread) drawn when the
 * step begins. Two OP_RUN in a row mean the same as one with the sum.
 */
enum program_op {
    OP_RUN,    /* amount: ns of user work at speed 1.0; INT64_MAX: for ever */
    OP_SYSTEM, /* amount: ns of kernel work; preemptible (many short system calls) */
    OP_SLEEP,  /* amount: ns, interruptible, ended by a timer; deferrable: see SLEEP_DEFERRABLE */
    OP_DISK,   /* amount: number of accesses in a row, uninterruptible; 0: none */
    OP_FORK,   /* target: program of the child */
    OP_VFORK, /* target: program; the parent goes on for `amount` ns of kernel work, then blocks until
                  the child's OP_EXEC or OP_EXIT */

    /* Costs; releases a vforking parent; from here on the task is called names[target] (-1: as
     * before). */
    OP_EXEC,

    OP_WAIT, /* amount: children to reap, INT64_MAX: all there are; blocks until then */
    OP_EXIT, /* the end; every program ends with it. Orphans are reaped by nobody and vanish */

    /* target: pipe; amount: bytes; blocks until all are there or no writer is left: a task whose
     * program writes to that pipe has existed, and all such have ended. */
    OP_READ,
    OP_WRITE, /* target: pipe; amount: bytes; blocks while the buffer is full */

    /* target: slot pool. Takes a slot for the next forked child, as make does from its jobserver:
     * first reaps dead children (each returns its slot), then takes a free slot or blocks until a
     * child dies or a slot is freed. The child's slot returns when OP_SLOT or OP_WAIT reaps it. */
    OP_SLOT,

    OP_LOCK,     /* target: lock; blocks (sleeps) while another holds it; FIFO hand-over */
    OP_UNLOCK,   /* target */
    OP_BARRIER,  /* target: barrier; sleeps until `size` tasks have come */
    OP_YIELD,    /* sched_yield */
    OP_NICE,     /* amount: new nice value */
    OP_AFFINITY, /* target: cpu set; -1: all cpus */
    OP_GROUP,    /* moves itself to a task group; target: in groups; -1: the root */
    OP_RELEASE,  /* target: in tasks; that task may run on all cpus from now on */
    OP_KILL,     /* target: in tasks; that task, another one, ends as soon as it runs */

    OP_MARK, /* target: in marks; takes no time: the moment is told to whoever asked for marks */

    /* Jumps to step `target` of this program until this step was met `amount` times (INT64_MAX: for
     * ever). */
    OP_LOOP,
};

/*
 * OP_SLEEP.kind. Deferrable: the timer of an idle cpu waits until the cpu is busy, and wakes nobody
 * before. Steady: the timer wakes only if its cpu has been busy for `target` ns without a break, else
 * the sleep begins anew: what such a task is for, an idle cpu does by itself.
 */
enum { SLEEP_DEFERRABLE = 1, SLEEP_STEADY = 2 };

enum { PROGRAM_LOOP_DEPTH = 4 }; /* OP_LOOP nested at most so deep */

struct program_step {
    uint8_t op;    /* enum program_op */
    uint8_t depth; /* OP_LOOP: its nesting, 0 for the innermost ... PROGRAM_LOOP_DEPTH - 1 */
    uint16_t kind; /* OP_RUN: enum machine_kind, for smt_gain.KIND and memory_streams; OP_SLEEP */
    int32_t target;
    int64_t amount, spread;
};

struct program {
    uint32_t first, count; /* steps */
    int32_t name;          /* in names: the task's name from the start */
};

struct workload_pipe {
    int64_t capacity_bytes;
    bool sync_write; /* a write wakes the reader with the sync hint */
};

struct workload_slots {
    int32_t count; /* free slots at the start */
};

struct workload_barrier {
    int32_t size;
};

struct workload_group { /* a task group, as cgroup v2 has it */
    int32_t name;       /* in names */
    int32_t parent;     /* in groups, before this one; -1: the root */
    int32_t weight;     /* cpu.weight: 1 .. 10000, 100 is usual */
    int64_t quota_ns;   /* cpu.max: so much of all cpus per period; 0: no limit */
    int64_t period_ns;
    bool is_idle; /* cpu.idle */
};

struct workload_session { /* of a terminal or login: an autogroup, under policies that have them */
    int32_t nice;         /* of that group */
};

/* What lies between two marks, with figures of its own: an order of matinv. */
enum { WORKLOAD_PART_BYTES = 32 };

struct workload_part {
    char name[WORKLOAD_PART_BYTES];
    int32_t first, last; /* marks where it begins and ends */
    int64_t rate_amount; /* what the workload's rate counts in it */
};

struct workload_task { /* exists at the start */
    int32_t program;
    int64_t at_ns; /* becomes runnable at */
    int32_t nice, rt_priority;
    int32_t class;     /* enum policy_class in policy.h: 0 normal, 1 batch, 2 idle, 3 fifo, 4 rr */
    int64_t slice_ns;  /* asked of the scheduler; 0: its default */
    int32_t group;     /* 1 + place in groups; 0: the root */
    int32_t session;   /* 1 + place in sessions; 0: the one that all others are in */
    int32_t cpu_set;   /* in cpu_sets; -1: all */
    int32_t start_cpu; /* counts as its last cpu; -1: none (placed as a fork by cpu 0) */
    bool is_forked;    /* begins as a child just forked there, not as one that has slept for long */
    bool is_kernel;    /* a kernel thread */
    bool background;   /* a daemon: the run does not wait for it and does not count its time */
};

/*
 * Arrays grow with hl_grow while the set is built and do not change while it is played.
 * Children inherit nice, class, affinity, group, session, background from the parent; names come from
 * the program.
 */
struct workload {
    struct program_step *steps;
    size_t step_count, step_capacity;
    struct program *programs;
    size_t program_count, program_capacity;
    struct workload_task *tasks;
    size_t task_count, task_capacity;
    char **names; /* owned */
    size_t name_count, name_capacity;
    struct workload_pipe *pipes;
    size_t pipe_count, pipe_capacity;
    struct workload_slots *slots;
    size_t slot_count, slot_capacity;
    struct workload_barrier *barriers;
    size_t barrier_count, barrier_capacity;
    struct workload_group *groups;
    size_t group_count, group_capacity;
    struct workload_session *sessions;
    size_t session_count, session_capacity;
    size_t lock_count, mark_count;
    struct workload_part *parts;
    size_t part_count, part_capacity;
    uint64_t *cpu_sets; /* cpu_set_count x cpu_set_words: bit c of word c / 64 */
    size_t cpu_set_count, cpu_set_capacity, cpu_set_words;
    size_t live_task_max; /* upper bound of tasks alive or unreaped at one time; sizes the player */
    /* What its rate counts over the whole run: signatures. 0: that of its parts, by their time. */
    int64_t rate_amount;
    /* So many processes share that amount evenly, and their rates are added: of each what it did in
     * the window that begins at the first of its marks, which stand at even parts of its work; or
     * all by its user time. 0: the rate is the amount by elapsed time. */
    int64_t rate_processes, rate_marks, rate_window_ns;
    bool rate_by_user_time;

    /* Where a person wrote the steps, for messages; the path NULL: nowhere. */
    const char *path; /* not owned */
    int32_t *lines;   /* of the steps, by index */
    size_t line_capacity;
};

void workload_close(struct workload *w);

/* ---- building ---- */

/* Index of the name, added if new; -1 when out of memory. */
int32_t workload_name(struct workload *w, const char *name);

/* Starts a program; steps are added to it until the next call. Returns its index. */
enum hl_status workload_program(struct workload *w, const char *name, int32_t *program,
                                struct hl_error *err) HL_MUST_CHECK;
enum hl_status workload_step(struct workload *w, const struct program_step *step,
                             struct hl_error *err) HL_MUST_CHECK;
/* The same, written in that line of workload.path. */
enum hl_status workload_step_at(struct workload *w, const struct program_step *step, int line,
                                struct hl_error *err) HL_MUST_CHECK;
enum hl_status workload_add_task(struct workload *w, const struct workload_task *task,
                                 struct hl_error *err) HL_MUST_CHECK;
enum hl_status workload_add_part(struct workload *w, const struct workload_part *part,
                                 struct hl_error *err) HL_MUST_CHECK;

/* The step of steps[index] for messages: "FILE:LINE", or "WHAT: step N of program 'NAME'", from 1. */
enum { WORKLOAD_PLACE_BYTES = 320 };
const char *workload_place(const struct workload *w, const char *what, size_t index,
                           char text[WORKLOAD_PLACE_BYTES]);
/* The word for an operation: "run". */
const char *workload_op_name(enum program_op op);

/* Checks what the player relies on: targets exist, amounts are in range, programs end, loops nest
 * and, if endless, take time. `what` names the source in messages. */
enum hl_status workload_check(const struct workload *w, const char *what,
                              struct hl_error *err) HL_MUST_CHECK;

/*
 * Sets live_task_max to an upper bound that follows from forks and waits alone (slots are
 * ignored), and *endless_task to the first task not in the background that runs or loops for
 * ever, or whose children do; -1: none. Fails if a program can come to fork itself, or if more
 * than `limit` tasks may be alive. The programs' targets and loops must be sound already.
 */
enum hl_status workload_bound_tasks(struct workload *w, size_t limit, const char *what,
                                    int32_t *endless_task, struct hl_error *err) HL_MUST_CHECK;

/* ---- loads ---- */

enum workload_load_kind {
    LOAD_LEVEL,
    LOAD_SINGLE,
    LOAD_HALF,
    LOAD_OPTIMAL,
    LOAD_MAX,
    LOAD_CPUS,
    LOAD_NONE
};

struct workload_load {
    enum workload_load_kind kind;
    char label[32]; /* as printed: "3", "half", "2x" */
    int64_t level;  /* LOAD_LEVEL: the level; LOAD_CPUS: the factor; else resolved later */
};

enum { WORKLOAD_LOADS_MAX = 256 };

/* Of a workload that has no level: labelled "-", and its level is 0. */
struct workload_load workload_no_load(void);

/* "1-4,8", "half,optimal,max,single", "2x". Bad text or a repeated load is HL_USAGE. */
enum hl_status workload_loads_parse(struct workload_load *loads, int *count, const char *text,
                                    struct hl_error *err) HL_MUST_CHECK;

/*
 * The level by kernbench's rules. half: cpus / 2, but 2 becomes 3 and below 2 the load is off (0 is
 * returned: it would equal single). optimal: 4 x cpus. max: max_jobs (0 when unbounded). single: 1.
 * Nx: N x cpus.
 */
int64_t workload_load_level(const struct workload_load *load, int cpus, int64_t max_jobs);

/* ---- the workloads ---- */

/*
 * Options stand behind the name, the same for simulated and real runs:
 * `matinv:orders=7000-9000+200:residual=n`.
 */
enum workload_option_type {
    OPTION_BOOL,  /* y, n, or the bare name */
    OPTION_RATIO, /* 0 to 1; kept in ppm */
    OPTION_RANGE, /* 7000 or 7000-9000+200; at most WORKLOAD_RANGE_MAX numbers */
};

struct workload_range { /* of the other types only `first` counts */
    int64_t first, last, step;
};

struct workload_option_info {
    const char *name;
    enum workload_option_type type;
    int64_t min, max;         /* OPTION_RANGE */
    const char *default_text; /* as written; NULL: what the profile says */
    const char *help;
};

enum {
    WORKLOAD_OPTIONS_MAX = 8,
    WORKLOAD_TEXT_MAX = 64,
    WORKLOAD_RANGE_MAX = 256,
    WORKLOAD_TASKS_MAX = 4096
}; /* threads of matinv, processes of rsa */

struct workload_options {
    char text[WORKLOAD_TEXT_MAX]; /* the workload: options by table order, all as NAME=VALUE */
    struct workload_range value[WORKLOAD_OPTIONS_MAX]; /* by place in the workload's table */
    bool is_given[WORKLOAD_OPTIONS_MAX];
};

struct workload_request {
    const struct machine *machine;
    const struct profile *profile;          /* of the workload's kind */
    const struct workload_options *options; /* NULL: the defaults */
    int64_t level;                          /* 0: no limit, make's bare -j */
    uint64_t seed;                          /* of the run: the same for all policies */
};

/* A metric that only this workload has; more is better. */
struct workload_rate {
    const char *name, *unit, *help; /* name NULL: it has none */
    bool decides; /* runs are compared by it: their time is fixed, or not what is asked */
};

struct workload_info {
    const char *name, *summary, *level_means; /* "jobs", "rooms" */
    bool simulated, real;
    int64_t level_max;         /* of a load; 0: no bound is known */
    const char *default_loads; /* as --load takes them; NULL: it needs none */
    bool is_make; /* the level is make's -jX; load max, all jobs at once, means something */
    const struct workload_option_info *options; /* ends with a NULL name; NULL: none */
    struct workload_rate rate;
    enum hl_status (*build)(struct workload *w, const struct workload_request *request,
                            struct hl_error *err); /* NULL: not simulated */
};
extern const struct workload_info workload_table[]; /* ends with a NULL name */

/* NULL if there is none of that name. */
const struct workload_info *workload_find(const char *name);

/* "NAME:OPTION=VALUE:..."; errors are HL_USAGE. An unknown name leaves *info NULL and is no error
 * of this function: only the caller knows what else the text may be. */
enum hl_status workload_parse(const char *text, const struct workload_info **info,
                              struct workload_options *options, struct hl_error *err) HL_MUST_CHECK;
void workload_options_init(const struct workload_info *info, struct workload_options *options);
/* One "OPTION=VALUE". */
enum hl_status workload_option_set(const struct workload_info *info,
                                   struct workload_options *options, const char *assignment,
                                   struct hl_error *err) HL_MUST_CHECK;

extern const struct workload_option_info workload_buildworld_options[], workload_matinv_options[],
    workload_rsa_options[];
enum hl_status workload_buildworld(struct workload *w, const struct workload_request *request,
                                   struct hl_error *err) HL_MUST_CHECK;
enum hl_status workload_kernbench(struct workload *w, const struct workload_request *request,
                                  struct hl_error *err) HL_MUST_CHECK;
enum hl_status workload_matinv(struct workload *w, const struct workload_request *request,
                               struct hl_error *err) HL_MUST_CHECK;
enum hl_status workload_rsa(struct workload *w, const struct workload_request *request,
                            struct hl_error *err) HL_MUST_CHECK;
enum hl_status workload_measured_build(struct workload *w, const struct workload_request *request,
                                       struct hl_error *err) HL_MUST_CHECK;

#endif
