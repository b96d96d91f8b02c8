/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fair.h - the fair class of today's Linux: what cfs (6.1) and eevdf (6.12, 6.18) share.
 *
 * A cpu has one fair queue, and one more for each task group. Entities that wait are in a queue's
 * tree, the running one (`curr`) is not. A group with tasks on a cpu has an entity there, in the
 * queue of its parent; so a task's entity and those of its groups make a path up to the cpu's own
 * queue. A rule set (struct fair_rules) says within one queue how virtual time is given and who is
 * picked; all else is common:
 *
 *     pelt.[ch]         load tracking
 *     fair_tree.[ch]    the waiting entities
 *     fair_entity.c     one queue: charging, entering and leaving it, weights and loads
 *     fair_path.c       tasks with their groups: entering and leaving, from whom to whom to switch
 *     fair_cgroup.[ch]  task groups: their shares, and how their load goes up
 *     fair_bandwidth.c  quotas
 *     fair_class.c      the callbacks of policy.h: classes, wakeups, pick, tick
 *     fair_rt.c         fifo and rr, above the fair class
 *     fair_server.c     what fair tasks get nevertheless
 *     fair_domains.c    scheduling domains and groups
 *     fair_select.c     which cpu a woken, forked or exec'd task goes to
 *     fair_groups.c     balancing: how busy groups of cpus are, which is the busiest, how much to move
 *     fair_balance.c    balancing: who moves; periodic passes, active balance
 *     fair_idle.c       balancing: cpus that become idle, cpus without a tick
 *     fair_inspect.c    probe and check
 *     cfs.c eevdf.c     the two rule sets
 *
 * Functions have the kernel's names where a rule has one there, after the prefix fair_, cfs_,
 * eevdf_.
 * Source: spec modern 1 to 9, 18.
 * Omits:  NUMA balancing by page faults; energy-aware placement, uclamp, clusters, asym packing;
 *         overlapping NUMA groups (all nodes are equally far).
 */
#ifndef HL_POLICY_FAIR_H
#define HL_POLICY_FAIR_H

#include "base/units.h"
#include "policy/fair_tree.h"
#include "policy/pelt.h"
#include "policy/policy.h"

enum {
    FAIR_NICE_0_WEIGHT = 1024,
    FAIR_IDLE_WEIGHT = 3,
    FAIR_CAPACITY_ONE = 1024,
    FAIR_RT_PRIORITIES = 100,
    FAIR_NO_TASK = -1
};

enum fair_level { FAIR_SMT, FAIR_MC, FAIR_PKG, FAIR_NUMA, FAIR_LEVEL_COUNT };

enum fair_release { FAIR_6_1, FAIR_6_12_0, FAIR_6_12, FAIR_6_18 };

/* Why an entity enters or leaves the queue (ENQUEUE_*, DEQUEUE_*). */
enum fair_move {
    FAIR_MOVE_WAKE,          /* it slept; on this cpu last */
    FAIR_MOVE_WAKE_MIGRATED, /* it slept; on another cpu last */
    FAIR_MOVE_FORK,
    FAIR_MOVE_MIGRATE, /* queued before and after */
    FAIR_MOVE_SLEEP,
    FAIR_MOVE_EXIT,
    FAIR_MOVE_UNDELAY, /* a delayed entity leaves for good */
    FAIR_MOVE_THROTTLE /* its group has used up its quota */
};

struct fair_wakes { /* who wakes many (record_wakee) */
    int32_t flips, last_wakee;
    int64_t decay_ns;
};

struct fair_cgroup;

struct fair_entity {          /* task data; and one per group and cpu */
    struct fair_node node;    /* in the tree; its vruntime and slice_ns are written at insertion */
    struct policy_task *task; /* NULL: a group's */
    struct fair_queue *queue; /* it is in, or slept in (cfs_rq) */
    struct fair_queue *own;   /* of a group: its tasks' (my_q); NULL: a task's */
    struct fair_entity *parent; /* that of the queue's group; NULL: the cpu's own queue */
    struct fair_cgroup *cgroup; /* of a task; NULL: the root */
    struct hl_link in_tasks;    /* fair_cpu.tasks */
    int64_t vruntime, deadline;
    int64_t vlag;    /* how far the queue's average was ahead when it left */
    int64_t protect; /* slice protection: the stamp (6.12), or up to which vruntime (6.17) */
    int64_t slice_ns;
    int64_t exec_start_ns, sum_exec_ns, prev_sum_exec_ns;
    struct pelt avg;
    int32_t util_est_enqueued, util_est_ewma; /* 6.12 keeps the second only */
    int32_t util_est_counted;                 /* part of its queue's sum */
    int32_t weight;
    uint32_t inverse; /* 2^32 / weight */
    int32_t cpu;      /* of the queue; -1: none yet */
    int32_t depth;    /* number of parents */
    int32_t recent_used_cpu;
    int64_t rt_started_ns, rt_ran_ns; /* on a cpu since; before, in this turn of rr */
    struct fair_wakes wakes;
    bool on_rq, is_delayed, has_rel_deadline;
    bool is_new;  /* forked, not yet queued */
    bool is_idle; /* of policy idle; an idle group's */
};

/* ---- domains ---- */

struct fair_group {     /* the span of a child domain; shared by the cpus of the domain */
    const int32_t *cpu; /* ascending */
    int32_t cpu_count, core_count;
    int64_t capacity, min_capacity, max_capacity;
    bool is_smt;     /* the threads of one core */
    bool imbalanced; /* affinity kept the level below from balancing */
};

struct fair_span { /* the cpus of a domain; shared by them */
    enum fair_level level;
    const int32_t *cpu;       /* ascending */
    struct fair_group *group; /* by their first cpu */
    int32_t cpu_count, group_count;
    int32_t largest_group; /* its cpus */
    int64_t capacity;
    int64_t newidle_cost_ns;
    enum machine_distance distance; /* that balancing spans */
    int32_t imb_numa_nr;
    bool is_asym; /* capacities differ */
};

struct fair_domain { /* one level of one cpu */
    struct fair_span *span;
    int32_t own_group;
    int32_t imbalance_pct, cache_nice_tries;
    int32_t min_interval_ms, max_interval_ms, busy_factor;
    int32_t balance_interval_ms, nr_balance_failed;
    int64_t last_balance;                                    /* jiffies */
    int32_t newidle_calls, newidle_successes, newidle_ratio; /* NI_RANDOM */
    bool prefer_sibling;                                     /* its child says so */
    bool shares_llc;
};

struct fair_llc { /* of cpus that share a last-level cache */
    const int32_t *cpu;
    int32_t cpu_count;
    int32_t busy_count; /* nr_busy_cpus */
    int32_t nr_idle_scan;
    bool has_idle_cores;
};

/* ---- a queue ---- */

struct fair_queue { /* struct cfs_rq: what one group, or the root, has on one cpu */
    struct fair_cpu *of;
    struct fair_entity *curr, *next, *last, *skip;
    struct fair_tree tree;
    int32_t nr;             /* entities: waiting, running and delayed ones */
    int32_t idle_nr;        /* idle ones of them */
    int32_t h_nr;           /* tasks in it and below, delayed ones too (h_nr_running) */
    int32_t h_delayed;      /* delayed ones of them */
    int32_t h_idle;         /* of policy idle, or below an idle group (idle_h_nr_running) */
    int32_t throttle_count; /* of its groups, how many are throttled here */
    int64_t load_weight;
    int64_t min_vruntime; /* CFS: of the queue; EEVDF: the origin of the sums below */
    int64_t avg_vruntime; /* EEVDF: sum of weight * (vruntime - origin) over the tree */
    int64_t avg_load;     /* EEVDF: sum of the weights in the tree */
    struct pelt avg;

    /* Of a group: */
    struct fair_cgroup *cgroup; /* NULL: the cpu's own queue */
    struct fair_entity *owner;  /* the group's entity on this cpu */
    int64_t tg_load_avg_contrib;
    int64_t prop_runnable_sum; /* load that came or went since the owner was updated */
    bool propagate;            /* some did */
    bool is_throttled;
    int64_t runtime_remaining_ns;
    int64_t pelt_stopped_ns, pelt_away_ns; /* its pelt clock stands while throttle_count > 0 */
    struct hl_link in_throttled;           /* fair_cgroup.throttled */
};

/* ---- a cpu ---- */

enum fair_server_state { FAIR_SERVER_OFF, FAIR_SERVER_ARMED, FAIR_SERVER_SERVES, FAIR_SERVER_SPENT };

struct fair_server { /* 6.12 and later */
    enum fair_server_state state;
    bool fair_runs;     /* since charged_ns */
    int64_t charged_ns; /* up to this time */
    int64_t serves_ns;  /* when it will serve; while it does: since when */
    int64_t runtime_ns; /* what is left */
};

struct fair_cpu {            /* cpu data */
    struct fair_queue queue; /* of the root group; first */
    int32_t cpu;
    int32_t nr_running; /* of all classes, delayed ones too, throttled ones not */
    int32_t rt_nr;
    bool is_idle; /* the last pick found nothing */
    bool need_resched;
    bool rt_requeue;     /* rt_curr goes behind its equals: its turn is over, or it yields */
    bool active_balance; /* a stopper is on its way */
    bool in_nohz;        /* in the mask of cpus without a tick; leaves it at a busy tick */
    int32_t push_cpu;
    int32_t capacity_orig;
    int32_t capacity; /* without what real time takes */
    int32_t misfit_load;
    int64_t switch_ns; /* of the switch under way */
    struct fair_entity
        *curr; /* the running task's; after it slept that of the first group that stays */
    struct policy_task *rt_curr;
    struct fair_server server;
    struct pelt rt_avg;        /* how much of the cpu real time takes */
    int64_t util_est;          /* sum over queued tasks */
    int64_t pelt_ns, clock_ns; /* the pelt clock at clock_ns; slower on a slower cpu */
    struct hl_list tasks;      /* queued fair tasks, the most recently enqueued or set first */
    struct hl_list rt_queue;   /* waiting rt tasks by priority, then order */
    struct fair_wakes idle_wakes;
    int64_t next_balance; /* jiffies */
    int64_t idle_since_ns, avg_idle_ns;
    struct fair_llc *llc;
    int32_t llc_place; /* in llc->cpu */
    int32_t domain_count;
    struct fair_domain domain[FAIR_LEVEL_COUNT]; /* inside out */
};

/* ---- the policy ---- */

struct fair_rules {
    /* Time was charged to curr: deadlines, minima, resched. */
    void (*update_curr)(struct policy *p, struct fair_queue *q, struct fair_entity *se);
    /* Gives vruntime (and deadline) to an entity about to be queued. */
    void (*place_entity)(struct policy *p, struct fair_queue *q, struct fair_entity *se,
                         enum fair_move why);
    /* Stays in the tree although it sleeps. NULL: never. */
    bool (*delays)(struct policy *p, struct fair_queue *q, const struct fair_entity *se);
    /* The entity is about to leave (left: has left) the queue. */
    void (*leaving)(struct policy *p, struct fair_queue *q, struct fair_entity *se,
                    enum fair_move why);
    void (*left)(struct policy *p, struct fair_queue *q, struct fair_entity *se,
                 enum fair_move why);
    /* Among the entities of q; never NULL if there are some. */
    struct fair_entity *(*pick)(struct policy *p, struct fair_queue *q);
    void (*set_next)(struct policy *p, struct fair_queue *q, struct fair_entity *se);
    void (*entity_tick)(struct policy *p, struct fair_queue *q, struct fair_entity *se); /* NULL */
    /* se, or a group of its task, has become runnable in q beside q->curr. */
    bool (*wakeup_preempt)(struct policy *p, struct fair_queue *q, struct fair_entity *se,
                           const struct policy_task *woken);
    void (*requeue_delayed)(struct policy *p, struct fair_queue *q,
                            struct fair_entity *se);                              /* NULL */
    void (*fork)(struct policy *p, struct fair_queue *q, struct fair_entity *se); /* NULL */
    void (*yield)(struct policy *p, struct fair_queue *q, struct fair_entity *se);
    void (*reweight)(struct policy *p, struct fair_queue *q, struct fair_entity *se, int32_t weight,
                     uint32_t inverse);
};

struct fair { /* first in the policy data */
    const struct fair_rules *rules;
    enum fair_release release;
    bool by_deadline; /* the tree is ordered by deadline and weighted sums are kept */
    int32_t hz, scale;
    int64_t tick_ns, switch_ns;
    int64_t migration_cost_ns, base_slice_ns;
    int32_t nr_migrate;
    bool sis_util, util_est, wa_idle, wa_weight, wa_bias, cache_hot_buddy, wakeup_preemption;
    bool ni_random, balance_drift, preemptible;
    bool is_lazy; /* lazy preemption */
    int32_t next_buddy_min; /* woken tasks become next buddies in queues of so many */
    bool is_asym; /* cpus of unequal capacity */
    bool overload;
    int32_t rt_waiting; /* fifo and rr tasks that wait, of all cpus */
    struct fair_llc *llc;
    int32_t llc_count;
    uint64_t *nohz_mask; /* idle cpus */
    int32_t nohz_count;
    int64_t nohz_next_balance, nohz_next_blocked; /* jiffies */
    bool nohz_has_blocked;
    const int32_t
        *first_cpu[FAIR_LEVEL_COUNT]; /* by cpu: the first one of its span at that level */
    uint64_t *excluded;               /* cpus: scratch of a balancing pass */
    void *group_stats;                /* by group: scratch of fair_groups.c */
    struct fair_cgroup *cgroup;       /* parents first */
    int32_t cgroup_count;
    int32_t first_session; /* of cgroup: autogroups by session; -1: there are none */
    int64_t bandwidth_slice_ns;
};

static inline struct fair *fair_of(const struct policy *p)
{
    return policy_data(p);
}

static inline struct fair_cpu *fair_cpu_of(const struct policy *p, int cpu)
{
    return policy_cpu_data(p, cpu);
}

static inline struct fair_entity *fair_entity_of(const struct policy_task *t)
{
    return t->data;
}

static inline struct fair_entity *fair_entity_of_node(const struct fair_node *node)
{
    return (struct fair_entity *)(uintptr_t)node; /* it is the first member */
}

static inline int64_t fair_jiffies(const struct policy *p)
{
    return policy_now_ns(p) / fair_of(p)->tick_ns;
}

/* d * 1024 / weight */
static inline int64_t fair_calc_delta(int64_t delta_ns, const struct fair_entity *se)
{
    if (se->weight == FAIR_NICE_0_WEIGHT)
        return delta_ns;
    return (int64_t)((unsigned __int128)(uint64_t)delta_ns * FAIR_NICE_0_WEIGHT * se->inverse >>
                     32);
}

static inline bool fair_is_task(const struct fair_entity *se)
{
    return se->own == NULL;
}

static inline bool fair_share_llc(const struct policy *p, int a, int b)
{
    return fair_cpu_of(p, a)->llc == fair_cpu_of(p, b)->llc;
}

/* available_idle_cpu */
static inline bool fair_cpu_is_idle(const struct fair_cpu *c)
{
    return c->is_idle && c->nr_running == 0;
}

/* sched_idle_cpu: all its tasks have the policy idle */
static inline bool fair_cpu_is_idle_policy(const struct fair_cpu *c)
{
    return c->nr_running > 0 && c->nr_running == c->queue.h_idle;
}

/* Tasks that want to run: without delayed ones from 6.18 on. */
static inline int32_t fair_h_nr_counted(const struct fair *f, const struct fair_cpu *c)
{
    return f->release >= FAIR_6_18 ? c->queue.h_nr - c->queue.h_delayed : c->queue.h_nr;
}

static inline void fair_resched(struct policy *p, struct fair_cpu *c)
{
    c->need_resched = true;
    policy_kick(p, c->cpu);
}

/* The same for a fair task that another one or the end of its slice preempts (resched_curr_lazy). */
static inline void fair_resched_lazily(struct policy *p, struct fair_cpu *c)
{
    c->need_resched = true;
    if (fair_of(p)->is_lazy)
        policy_kick_lazily(p, c->cpu);
    else
        policy_kick(p, c->cpu);
}

/* The smallest slice in the queue; INT64_MAX: it is empty (cfs_rq_min_slice). */
static inline int64_t fair_min_slice(const struct fair_queue *q)
{
    int64_t least = q->curr != NULL && q->curr->on_rq ? q->curr->slice_ns : INT64_MAX;

    return q->tree.root != NULL ? HL_MIN(least, q->tree.root->min_slice_ns) : least;
}

/* ---- fair_entity.c: one queue ---- */

/* By nice value and policy; *inverse = 2^32 / weight. */
int32_t fair_weight_of(const struct policy_task *t, uint32_t *inverse);
int32_t fair_weight_of_nice(int32_t nice);
void fair_update_curr(struct policy *p, struct fair_queue *q);
/* Brings the loads of the queue, and of se if not NULL, up to now. */
void fair_update_load_avg(struct policy *p, struct fair_queue *q, struct fair_entity *se);
void fair_attach_load(struct policy *p, struct fair_queue *q, struct fair_entity *se);
void fair_detach_load(struct policy *p, struct fair_queue *q, struct fair_entity *se);
void fair_tree_enter(struct policy *p, struct fair_queue *q, struct fair_entity *se);
void fair_tree_leave(struct policy *p, struct fair_queue *q, struct fair_entity *se);
/* Also of the queues above, as long as they point at se's groups. */
void fair_clear_buddies(struct fair_entity *se);
void fair_enqueue_entity(struct policy *p, struct fair_queue *q, struct fair_entity *se,
                         enum fair_move why);
/* False: it sleeps, delayed, in the tree. */
bool fair_dequeue_entity(struct policy *p, struct fair_queue *q, struct fair_entity *se,
                         enum fair_move why);
void fair_set_next_entity(struct policy *p, struct fair_queue *q, struct fair_entity *se);
void fair_put_prev_entity(struct policy *p, struct fair_queue *q, struct fair_entity *se);
void fair_reweight(struct policy *p, struct fair_entity *se, int32_t weight, uint32_t inverse);
void fair_init_util(struct policy *p, struct fair_entity *se);

/* ---- fair_path.c: a task and its groups ---- */

/* Makes the task's queue the one of its group on that cpu. */
void fair_set_cpu(struct policy *p, struct fair_entity *se, int cpu);
void fair_enqueue_task(struct policy *p, struct fair_entity *se, enum fair_move why);
/* False: it sleeps, delayed, in the tree. */
bool fair_dequeue_task(struct policy *p, struct fair_entity *se, enum fair_move why);
/* It is woken, and has never left. */
void fair_requeue_delayed(struct policy *p, struct fair_entity *se);
/* A pick has chosen a delayed entity, a group's or a task's: it leaves for good. */
void fair_finish_delayed(struct policy *p, struct fair_entity *se);
/* From the running entity to se, NULL: to none; only where their paths differ. */
void fair_switch(struct policy *p, struct fair_cpu *c, struct fair_entity *se);
/* The next time around they are preferred, with their groups. */
void fair_set_next_buddy(struct fair_entity *se);

/* ---- fair_class.c: the callbacks of both policies, and what balancing needs of them ---- */

enum hl_status fair_init(struct policy *p, const struct fair_rules *rules,
                         enum fair_release release, struct hl_error *err) HL_MUST_CHECK;
void fair_clock(const struct policy *p, struct policy_clock *clock);
void fair_fork(struct policy *p, struct policy_task *parent, struct policy_task *child);
void fair_enqueue(struct policy *p, struct policy_task *t, int cpu, const struct policy_wakeup *w);
void fair_dequeue(struct policy *p, struct policy_task *t, int cpu, enum policy_why why,
                  enum policy_wait wait);
struct policy_task *fair_pick(struct policy *p, int cpu, struct policy_task *prev);
void fair_tick(struct policy *p, int cpu, struct policy_task *running);
void fair_stopped(struct policy *p, int cpu, struct policy_task *preempted);
void fair_yield(struct policy *p, struct policy_task *t);
void fair_renice(struct policy *p, struct policy_task *t, int32_t old_nice);
void fair_timer(struct policy *p, int cpu);
void fair_check_preempt(struct policy *p, struct fair_cpu *c, struct fair_entity *se);

/* ---- fair_rt.c ---- */

void fair_rt_enqueue(struct policy *p, struct fair_cpu *c, struct policy_task *t);
void fair_rt_dequeue(struct policy *p, struct fair_cpu *c, struct policy_task *t);
struct policy_task *fair_rt_pick(struct policy *p, struct fair_cpu *c);
void fair_rt_put(struct policy *p, struct fair_cpu *c);
/* The capacity follows what real time has taken of the cpu (scale_rt_capacity). */
void fair_rt_update_capacity(struct policy *p, struct fair_cpu *c);
/* Takes the best task that waits elsewhere, if it is better than all here. */
void fair_rt_pull(struct policy *p, struct fair_cpu *c);
void fair_rt_tick(struct policy *p, struct fair_cpu *c);
int fair_rt_select_cpu(struct policy *p, struct policy_task *t, int cpu);

/* ---- fair_server.c ---- */

/* At each tick of a cpu that has real-time tasks, or whose server is not off. */
void fair_server_tick(struct policy *p, struct fair_cpu *c);
/* Do fair tasks go before real-time ones? */
bool fair_server_serves(struct policy *p, struct fair_cpu *c);

/* ---- fair_domains.c ---- */

enum hl_status fair_domains_init(struct policy *p, struct hl_error *err) HL_MUST_CHECK;
bool fair_spans(const struct policy *p, const struct fair_domain *d, int cpu);

/* ---- fair_select.c ---- */

int fair_select_cpu(struct policy *p, struct policy_task *t, const struct policy_wakeup *w);

/* Loads as balancing and placement see them. */
static inline int64_t fair_cpu_load(const struct fair_cpu *c)
{
    return c->queue.avg.load_avg;
}

static inline int64_t fair_cpu_util(const struct fair_cpu *c)
{
    return HL_MIN(HL_MAX((int64_t)c->queue.avg.util_avg, c->util_est), (int64_t)c->capacity_orig);
}

/* task_h_load: what the task adds to the load of its cpu, through its groups. */
static inline int64_t fair_task_load(const struct fair_entity *se)
{
    int64_t load = se->avg.load_avg;

    for (const struct fair_entity *group = se->parent; group != NULL; group = group->parent)
        load = load * group->avg.load_avg / (group->own->avg.load_avg + 1);
    return load;
}

static inline int64_t fair_task_util_est(const struct fair_entity *se)
{
    return HL_MAX(HL_MAX(se->avg.util_avg, se->util_est_ewma), se->util_est_enqueued);
}

static inline bool fair_fits(int64_t util, int64_t capacity)
{
    return util * 1280 < capacity * FAIR_CAPACITY_ONE;
}

/* Bits of masks of cpus. */
#define FAIR_MASK_BYTES(cpu_count) (((size_t)(cpu_count) + 63) / 64 * sizeof(uint64_t))

static inline bool fair_mask_has(const uint64_t *mask, int cpu)
{
    return (mask[cpu / 64] >> (cpu % 64) & 1) != 0;
}

static inline void fair_mask_set(uint64_t *mask, int cpu, bool on)
{
    uint64_t bit = UINT64_C(1) << (cpu % 64);

    mask[cpu / 64] = on ? mask[cpu / 64] | bit : mask[cpu / 64] & ~bit;
}

/* check_cpu_capacity: real time takes a notable part. */
static inline bool fair_capacity_is_reduced(const struct fair_cpu *c, int64_t imbalance_pct)
{
    return c->capacity * imbalance_pct < c->capacity_orig * INT64_C(100);
}

static inline bool fair_capacity_greater(int64_t a, int64_t b)
{
    return a * 1024 > b * 1078;
}

/* ---- fair_inspect.c ---- */

bool fair_probe(const struct policy *p, const struct policy_task *t, const char *field,
                int64_t *value);
enum hl_status fair_check(const struct policy *p, struct hl_error *err);

/* The time-weighted average of vruntimes (avg_vruntime): EEVDF's V. */
int64_t fair_avg_vruntime(const struct fair_queue *q);

/* ---- parameters of both ---- */

extern const struct policy_absent fair_absent[];

/* clang-format off */
#define FAIR_FEATURE(name, value, help) {name, PARAM_BOOL, "", NULL, 0, 1, value, help}

#define FAIR_COMMON_PARAMS                                                                         \
    {"hz", PARAM_CHOICE, "", "100|250|300|1000", 0, 3, 1, "CONFIG_HZ; spec modern 0"},             \
    {"preempt", PARAM_CHOICE, "", "full|lazy|voluntary|none", 0, 3, 0,                             \
     "CONFIG_PREEMPTION: under full and lazy, and all modes of PREEMPT_DYNAMIC, a newidle pass "    \
     "ends after the first task; none and voluntary differ in nothing else, since system calls "   \
     "always end before a switch here (M7); lazy (6.13 and later): a task of another cpu that is " \
     "to be preempted goes on to its next tick, interrupt or end of a system call; spec modern "   \
     "4.6, 7.5"},                                                                                  \
    {"ticks", PARAM_CHOICE, "", "together|skewed|aligned", 0, 2, 0,                                \
     "of the cpus: at one random offset, staggered (skew_tick), or from time zero on; "            \
     "spec modern 18"},                                                                            \
    {"tunable_scaling", PARAM_CHOICE, "", "none|log|linear", 0, 2, 1,                              \
     "how default times grow with the cpus (at most 8); spec modern 2.1"},                         \
    {"migration_cost_ns", PARAM_DURATION, "", NULL, 0, HL_NS_PER_S, 500000,                        \
     "a task that ran less long ago is cache hot; spec modern 2.1"},                               \
    {"nr_migrate", PARAM_INT, "tasks", NULL, 1, 4096, 32,                                          \
     "looked at in one balance pass; spec modern 2.1"},                                            \
    {"balance_drift", PARAM_BOOL, "", NULL, 0, 1, 1,                                               \
     "about one pass in eight is counted a jiffy later; spec modern 18"},                          \
    FAIR_FEATURE("WAKEUP_PREEMPTION", 1, "woken tasks may preempt; spec modern 2.6, 7.4"),         \
    FAIR_FEATURE("CACHE_HOT_BUDDY", 1, "buddies are cache hot; spec modern 4.6"),                  \
    FAIR_FEATURE("SIS_UTIL", 1, "idle searches shorten with load; spec modern 3.3"),               \
    FAIR_FEATURE("UTIL_EST", 1, "estimated utilisation; spec modern 1.3"),                         \
    FAIR_FEATURE("WA_IDLE", 1, "wake_affine rules 1 to 3; spec modern 3.2"),                       \
    FAIR_FEATURE("WA_WEIGHT", 1, "wake_affine rule 4; spec modern 3.2"),                           \
    FAIR_FEATURE("WA_BIAS", 1, "wake_affine favours the waker; spec modern 3.2"),                  \
    {"autogroup", PARAM_BOOL, "", NULL, 0, 1, 0,                                                   \
     "sched_autogroup_enabled: a task group per session; spec modern 5"},                          \
    {"sched_cfs_bandwidth_slice_us", PARAM_INT, "us", NULL, 1, 1000000, 5000,                      \
     "a cpu takes so much of a group's quota at a time; spec modern 5"},                           \
    FAIR_FEATURE("NI_RANDOM", 0, "newidle passes by their success; spec modern 4.1"),              \
    FAIR_FEATURE("NEXT_BUDDY", 0,                                                                  \
                 "who was woken last and does not preempt is preferred next (cfs: beside 8 or "    \
                 "more); reconstructed; spec modern 2.1, 7.3")
/* clang-format on */

/* The callbacks that are the same in both. */
#define FAIR_OPS                                                                                   \
    .cpu_bytes = sizeof(struct fair_cpu), .task_bytes = sizeof(struct fair_entity),                \
    .clock = fair_clock, .fork = fair_fork, .select_cpu = fair_select_cpu,                         \
    .enqueue = fair_enqueue, .dequeue = fair_dequeue, .pick = fair_pick, .tick = fair_tick,        \
    .stopped = fair_stopped, .yield = fair_yield, .renice = fair_renice, .timer = fair_timer,      \
    .absent = fair_absent, .balances = true, .groups = true, .probe = fair_probe, .check = fair_check

#endif
