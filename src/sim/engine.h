/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine.h - the state of one run in progress; shared by the files of this room only.
 *
 * Time is integer ns. Work is counted in 1/65536 ns at speed 1.0, so that a cpu's rate (work per ns) is an
 * integer and remaining work is exact: cutting a compute step in two changes nothing.
 */
#ifndef HL_SIM_ENGINE_H
#define HL_SIM_ENGINE_H

#include "base/rng.h"
#include "base/units.h"
#include "sim/event_queue.h"
#include "sim/request_ring.h"
#include "sim/step_ends.h"
#include "sim/sim.h"
#include "sim/tick_ring.h"
#include "trace/metrics.h"

enum { RATE_SHIFT = TRACE_RATE_SHIFT, RATE_ONE = 1 << RATE_SHIFT };

/* Work that never ends: 2^62 units, 19 hours of a full-speed cpu, and topped up when it runs out. */
#define WORK_FOREVER (INT64_C(1) << 62)
/* The longest step, so that its work fits: 2^46 ns, 19 hours. */
#define STEP_NS_MAX (INT64_C(1) << 46)

/*
 * Kinds of events in the order in which they happen at equal times: causes before effects, wake-ups
 * before step ends before ticks. Within a kind: cpu number, or order of creation for timers.
 */
enum event_kind {
    EVENT_TIMER,
    EVENT_REQUEST,
    EVENT_STOP,
    EVENT_POLICY_TIMER,
    EVENT_STEP_END,
    EVENT_TICK,
    EVENT_STAT_TICK
};

#define EVENT_ORDER(kind, number) ((uint64_t)(kind) << 56 | (uint64_t)(number))

enum task_state { TASK_UNBORN, TASK_BLOCKED, TASK_RUNNABLE, TASK_ZOMBIE, TASK_GONE };

struct sim_task {
    struct policy_task pub; /* first: a policy's pointer is ours */
    /* hot */
    int64_t work_left; /* of the current step; may be slightly negative: credit for the next */
    int64_t debt;      /* kernel work to be done before that */
    const struct program_step *step, *program_start;
    int64_t op_left; /* OP_READ, OP_WRITE: bytes; OP_WAIT: children; OP_DISK: accesses */
    uint8_t state;   /* enum task_state */
    uint8_t kind;    /* enum machine_kind of its last compute step */
    bool step_begun, in_kernel, released, waits_child, background, kept;
    bool may_go_on, child_goes_on; /* scratch of stuck.c */
    int32_t place;                 /* index in sim.tasks; names its timer slot */
    int32_t program, name;
    int64_t warm_ns;
    struct trace_task trace;                 /* its waits, and what it waited for */
    int64_t user_ns, system_ns, system_rest; /* rest: work units below one ns */
    int64_t wait_ns, started_ns, finish_ns;
    int64_t voluntary, involuntary, migrations;
    int32_t wait_cpu;   /* where it went to sleep: timers fire there */
    int32_t slot_taken; /* pool of the slot for its next child, -1 */
    int32_t slot_held;  /* pool this child's slot goes back to when reaped, -1 */
    int32_t live_children;
    int32_t locks_held;
    struct sim_task *parent;
    struct sim_task *vfork_parent; /* blocked, or about to be, until we exec or exit */
    struct sim_task *vfork_child;  /* the other way round */
    struct hl_list zombies;        /* dead children, oldest first */
    struct hl_link family;         /* in the parent's zombies */
    struct hl_list *wait_queue;    /* pipe, pool, lock or barrier list it is on */
    struct hl_link wait_link;
    struct hl_link live; /* in sim.live, by id; in sim.free when gone */
    int64_t loop_count[PROGRAM_LOOP_DEPTH];
    struct hl_rng rng;
};

struct sim_cpu {
    struct sim_task *leaving; /* left the cpu in this reschedule, for the switch event */
    int64_t synced_ns;        /* accounts of the running task are right up to here */
    int64_t rate;             /* work units per ns now; 0 when idle */
    int64_t full_rate;        /* alone on its core, nobody else contending */
    int64_t pending_debt;     /* costs charged while nobody ran: paid by the next */
    int64_t policy_until_ns;  /* the policy's own work on this cpu while nobody runs ends then */
    int64_t busy_ns, busy_since_ns;
    int64_t put_off_ns;       /* time of the last pick that was put off */
    int32_t core, leaving_state;
    bool kicked; /* to be asked again, now or when its system call ends */
    bool listed; /* in sim.kicked */
    bool busy;
    uint8_t kind; /* enum machine_kind of the running task's work */
};

struct sim_pipe {
    struct hl_list readers, writers;
    int64_t used_bytes;
    int32_t live_writers; /* tasks whose program writes to it */
    bool had_writer;
};

struct sim_pool {
    struct hl_list waiters;
    int32_t free;
};

struct sim_lock {
    struct hl_list waiters;
    struct sim_task *owner;
};

struct sim_barrier {
    struct hl_list waiters;
    int32_t arrived;
};

enum { HELD_LOCKS_MAX = 8 };
struct sim_held {
    int64_t until_ns; /* the holder has waited for all of them and done its work */
    int32_t id[HELD_LOCKS_MAX], count;
};

struct sim_stuck {                          /* what those may do who can go on: see stuck.c */
    uint8_t *program;                       /* by program: may be run */
    bool *is_read, *is_written, *is_joined; /* by pipe, pipe, barrier */
    bool reaps, kills, has_found;
    int64_t seen_ns; /* time of the last look */
    unsigned looks, standing;
};

struct sim {
    const struct sim_options *options;
    const struct machine *machine;
    const struct policy_ops *ops;
    const struct workload *workload;
    struct policy policy;
    struct policy_clock clock;
    int64_t now_ns;
    uint64_t event_count, event_hash, scan_count, timer_sequence;
    uint64_t check_at; /* in checking runs: the event after which is the next check */
    struct event_queue queue;
    struct request_ring requests;
    struct step_ends step_ends;
    struct tick_ring tick, stat_tick;
    struct sim_cpu *cpus;
    int32_t cpu_count;
    /* costs in work units */
    int64_t cost[MACHINE_CONSTANT_COUNT];
    int64_t refill[MACHINE_DISTANCE_COUNT];
    /* by kind and busy threads: rate of each, of RATE_ONE */
    int64_t share_rate[MACHINE_KIND_COUNT][MACHINE_THREADS_PER_CORE_MAX + 1];
    int64_t memory_streams_ppm; /* per package; 0: any number */
    int64_t *memory_tasks;      /* by package: running ones of kind memory */
    bool has_kinds;             /* some step has a kind of its own */
    int64_t *contention_rate;   /* by busy cores: factor of RATE_ONE; NULL: none */
    int32_t busy_cores;
    int32_t *kicked; /* ring of cpu_count: cpus to pick again on at the end of this event */
    int32_t kicked_first, kicked_count;
    int32_t here;           /* cpu whose code runs in this callback; POLICY_NO_CPU outside */
    int32_t picking;        /* cpu whose pick is under way */
    struct sim_held held;   /* locks of the callback under way */
    int64_t *lock_free_ns;  /* by lock id: when its last holder lets go */
    struct sim_task *tasks; /* task_capacity of them */
    size_t task_capacity, task_used;
    struct hl_list free, live;
    int32_t next_id;
    int64_t foreground_left; /* tasks the run waits for */
    struct sim_pipe *pipes;
    struct sim_pool *pools;
    struct sim_lock *locks;
    struct sim_barrier *barriers;
    uint32_t *writes_first; /* by program, +1: pipes it writes, in `writes` */
    int32_t *writes;
    int64_t *disk_free_ns;              /* by place in the disk's queue */
    struct sim_task **first_of_program; /* NULL unless tasks are kept for an observer */
    struct hl_rng irq_rng, policy_rng;
    struct trace_metrics metrics;
    int64_t user_ns, system_ns, voluntary, involuntary; /* of ended foreground tasks */
    int32_t compiler_name, compilers, compilers_peak;
    int64_t steps_without_time;
    struct sim_stuck stuck;
    bool finished;
    enum hl_status status; /* first failure; the loop ends */
    struct hl_error *err;
    struct hl_arena arena;
};

static inline struct sim_task *sim_task_of(struct policy_task *t)
{
    return (struct sim_task *)(void *)t;
}

static inline struct sim_task *sim_running(const struct sim *s, int cpu)
{
    return sim_task_of(s->policy.running[cpu]);
}

static inline struct sim *sim_of(struct policy *p)
{
    return (struct sim *)(void *)((char *)p - offsetof(struct sim, policy));
}

/* Slots of the queue: two per cpu, then one per task. */
enum { CPU_SLOTS = 2 };
static inline int32_t slot_stop(int cpu)
{
    return CPU_SLOTS * cpu;
}
static inline int32_t slot_policy_timer(int cpu)
{
    return CPU_SLOTS * cpu + 1;
}
static inline int32_t slot_task(const struct sim *s, const struct sim_task *t)
{
    return CPU_SLOTS * s->cpu_count + t->place;
}

/* Records the first failure and ends the run. */
void sim_fail(struct sim *s, enum hl_status status, const char *format, ...) HL_PRINTF(3, 4);
/* The same of bad input, for what a task does at its step: says where that is written. */
void sim_fail_at(struct sim *s, const struct sim_task *t, const char *format, ...) HL_PRINTF(3, 4);

/* ---- progress.c: time and work on cpus ---- */
void progress_sync(struct sim *s, int cpu); /* accounts up to now */
void progress_arm(struct sim *s, int cpu);  /* (re)times the running task's step end */
void progress_set_busy(struct sim *s, int cpu, bool busy); /* re-times siblings */
void progress_set_kind(struct sim *s,
                       int cpu); /* the running task or the kind of its work changed */
void progress_init_rates(struct sim *s);
/* Kernel work on cpu, paid by whoever runs there now or next. */
static inline void progress_charge(struct sim *s, int cpu, int64_t work)
{
    struct sim_task *t = sim_running(s, cpu);

    /* The step end is not moved: when it comes too early it is armed again. */
    if (t != NULL) {
        t->debt += work;
        trace_metrics_overhead(&s->metrics, &t->trace, work);
    } else {
        s->cpus[cpu].pending_debt += work;
    }
}

/* ---- dispatch.c: who runs where ---- */
void dispatch_cpu(struct sim *s, int cpu);     /* asks the policy and switches */
void dispatch_list(struct sim *s, int cpu);    /* a cpu kicked by this event, once */
void dispatch_kicked(struct sim *s);           /* all of them */
void dispatch_request(struct sim *s, int cpu); /* a kick from elsewhere arrives */
void dispatch_stop(struct sim *s, int cpu);
/* The running task of cpu leaves it in that state; the policy has been told. */
void dispatch_leave(struct sim *s, int cpu, enum trace_state state);

/* ---- life.c: tasks are born, sleep, wake and die ---- */
struct sim_task *life_new(struct sim *s, int program, struct sim_task *parent);
void life_begin(struct sim *s, struct sim_task *t, const struct workload_task *how);
void life_fork(struct sim *s, struct sim_task *parent, int program, bool vfork);
void life_block(struct sim *s, struct sim_task *t, enum policy_wait wait);
void life_wake(struct sim *s, struct sim_task *t, int waker_cpu, bool sync, bool from_irq);
/* SIGKILL from killer_cpu: whatever it does, its next step is its exit. */
void life_kill(struct sim *s, struct sim_task *t, int killer_cpu);
void life_exec(struct sim *s, struct sim_task *t, int32_t name);
void life_exit(struct sim *s, struct sim_task *t);
bool life_reap_one(struct sim *s, struct sim_task *parent);
void life_move(struct sim *s, struct sim_task *t,
               int cpu); /* held or running task to another cpu */

/* ---- steps.c: plays programs ---- */
/* The running task of cpu goes on until it computes or no longer runs there. */
void steps_advance(struct sim *s, int cpu);

/* ---- policy_host.c ---- */
enum hl_status policy_host_open(struct sim *s, struct hl_error *err);
void policy_host_callback_end(struct sim *s);
int policy_host_select(struct sim *s, struct sim_task *t, const struct policy_wakeup *w);

/* ---- stuck.c: runs that will not end ---- */
enum hl_status stuck_init(struct sim *s, struct hl_error *err);
/* Every some thousand events; has_end: the run ends at a time of its own. */
void stuck_look(struct sim *s, bool has_end);
/* No event is left although tasks are. */
void stuck_at_rest(struct sim *s);

/* ---- checker.c ---- */
enum hl_status checker_run(struct sim *s, struct hl_error *err);

/* ---- observe.c ---- */
void observe_result(struct sim *s, struct sim_result *result);

static inline void sim_emit(struct sim *s, enum trace_kind kind, int32_t cpu,
                            const struct sim_task *task, const struct sim_task *other,
                            enum trace_state state)
{
    if (s->options->sink != NULL)
        s->options->sink->event(
            s->options->sink->context,
            &(struct trace_event){.at_ns = s->now_ns,
                                  .kind = kind,
                                  .state = state,
                                  .cpu = cpu,
                                  .task = task == NULL ? TRACE_IDLE : task->pub.id,
                                  .other = other == NULL ? TRACE_IDLE : other->pub.id});
}

#endif
