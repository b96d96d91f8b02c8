/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * domains.h - scheduling domains: what w26, sdmm, sd267 and smtnice share on top of o1_core.h.
 *
 * Each cpu sees the machine as a chain of domains, from the inside out: SIB spans the threads of its
 * core, CPU the cpus of its node, NODE the machine. A domain is cut into groups; balancing compares the
 * groups of one domain and pulls from the busiest into the one of the looking cpu. Run-time fields
 * (interval, failures) belong to one cpu and level; spans and parameters are shared.
 *
 *     domains.c         building the chains, parameters, probe, check
 *     domain_balance.c  survey of groups, moving tasks, pushing running ones away, the walk on ticks
 *     domain_place.c    where woken and exec'd tasks go in the -mm trees (w26, sdmm)
 *     w26.c sdmm.c sd267.c   what each makes of a survey, and what it does when nothing moved
 *
 * "Package" in the source means a core with its threads: processors of that time had one core each.
 * The per-cpu offset of balance times in the source (1000 * cpu / NR_CPUS) cancels out with its start
 * values, where no level is overdue, so it does not appear here.
 * Source: spec linux 5.
 */
#ifndef HL_POLICY_DOMAINS_H
#define HL_POLICY_DOMAINS_H

#include "policy/o1_core.h"

enum {
    DOMAIN_LOAD_SHIFT = 7, /* loads are 128 per runnable task */
    DOMAIN_LOAD_ONE = 1 << DOMAIN_LOAD_SHIFT,
    DOMAIN_POWER_ONE = 128,                /* power of a full cpu */
    DOMAIN_GAIN_MIN = DOMAIN_LOAD_ONE / 8, /* an eighth of a cpu is worth a move */
    DOMAIN_NO_GROUP = -1
};

enum domain_level { DOMAIN_SIB, DOMAIN_CPU, DOMAIN_NODE, DOMAIN_LEVEL_COUNT };

enum domain_flag {
    DOMAIN_NEWIDLE = 1, /* balance when a cpu runs out of work */
    DOMAIN_EXEC = 2,    /* place at exec */
    DOMAIN_CLONE = 4,   /* place new threads and vfork children */
    DOMAIN_FASTMIG = 8, /* pull a cold sleeper to the waker */
    DOMAIN_WAKE = 16, /* look for an idle cpu of the span at a wakeup; WAKEIDLE is the later name */
    DOMAIN_AFFINE = 32,  /* sd267: a woken cold task goes to the waker */
    DOMAIN_WAKEBAL = 64, /* sd267: so does one whose cpu is more loaded than the waker's */
    DOMAIN_SHARE = 128,  /* members share execution resources: smtnice */
    DOMAIN_LONELY =
        256 /* w26's IDLE: no group should be wholly idle while another has surplus work */
};

enum domain_mode { DOMAIN_BUSY, DOMAIN_IDLE, DOMAIN_NEW_IDLE };
enum { DOMAIN_TIMED_MODES = 2 }; /* BUSY and IDLE balance on ticks */

struct domain_params { /* of a level */
    int64_t min_interval_ms, max_interval_ms;
    int64_t busy_factor; /* a busy cpu balances so many times less often */
    int64_t imbalance_pct;
    int64_t cache_hot_ns;
    int64_t cache_nice_tries; /* failures during which hot tasks are left alone */
    int64_t flags;
};

struct domain_group {
    const int32_t *cpu; /* ascending */
    int32_t cpu_count;
    int32_t power; /* 128 per full cpu */
};

struct domain_span {    /* one set of cpus cut into groups; shared by its cpus */
    const int32_t *cpu; /* ascending */
    struct domain_group *group;
    int32_t cpu_count, group_count;
    int32_t power;                  /* of all groups */
    enum machine_distance distance; /* between its cpus */
    bool is_dense;                  /* cpu numbers without holes */
    int32_t group_width; /* all groups are so many neighbours, in order; 0: they are not */
};

struct domain { /* one level of one cpu */
    const struct domain_params *params;
    const struct domain_span *span;
    enum domain_level level;
    int32_t own_group;
    int32_t interval_ms; /* the balancing interval now, of an idle cpu */
    int32_t failed;      /* rounds in a row that found an imbalance and moved nothing */
    int64_t
        last_ms; /* when it was balanced last; advances by whole periods, so it may lag behind */
    int64_t
        stretch_ns; /* w26: since when failures mean a doubly loaded core; INT64_MAX: they do not */
};

struct domain_cpu {                     /* the cpu data of these policies */
    int64_t due_ns[DOMAIN_TIMED_MODES]; /* before this time no level is due in that mode */
    int64_t tick_ns;                    /* its most recent tick */
    int32_t *estimate;                  /* by cpu: load as this cpu remembers it */
    int32_t push_cpu;                   /* who asked for the push under way */
    bool is_pushing;
    int32_t domain_count;
    struct domain domain[DOMAIN_LEVEL_COUNT]; /* inside out */
};

struct domains { /* first in the policy data */
    struct o1 o1;
    struct domain_params params[DOMAIN_LEVEL_COUNT];
    int32_t *load; /* by cpu: scratch of a survey */
    bool
        remembers; /* every cpu keeps its own estimates, and looking changes them; else one set for all */
};

/* Moves tasks to cpu within d; returns how many. */
typedef int32_t (*domain_balance)(struct policy *p, int cpu, struct domain *d,
                                  enum domain_mode mode);

/* The same, counted. */
static inline int32_t domain_try(struct policy *p, int cpu, struct domain *d, enum domain_mode mode,
                                 domain_balance balance)
{
    int32_t moved;

    policy_count(p, POLICY_BALANCE_ATTEMPT, d->span->distance);
    moved = balance(p, cpu, d, mode);
    if (moved > 0)
        policy_count(p, POLICY_BALANCE_MOVE, d->span->distance);
    return moved;
}

static inline struct domains *domains_of(const struct policy *p)
{
    return policy_data(p);
}

static inline struct domain_cpu *domain_cpu_of(const struct policy *p, int cpu)
{
    return policy_cpu_data(p, cpu);
}

static inline bool domain_spans(const struct policy *p, const struct domain *d, int cpu)
{
    const struct machine_cpu *inside = &policy_machine(p)->cpu[d->span->cpu[0]];
    const struct machine_cpu *asked = &policy_machine(p)->cpu[cpu];

    switch (d->level) {
    case DOMAIN_SIB: return inside->core == asked->core;
    case DOMAIN_CPU: return inside->node == asked->node;
    case DOMAIN_NODE:
    case DOMAIN_LEVEL_COUNT: break;
    }
    return true;
}

/* ---- set-up: domains.c ---- */

struct domains_options {
    const struct domain_params *defaults; /* by level; parameters set by the user replace them */
    bool sib; /* there is a level of siblings, and CPU has a group per core; else a group per cpu */
    bool core_power; /* a core of t threads has power 128 + 128 * (t - 1) / 10; else 128 * t */
    bool remembers;
};

/* After o1_init. */
enum hl_status domains_init(struct policy *p, const struct domains_options *options,
                            struct hl_error *err) HL_MUST_CHECK;

/* The fields of o1_probe, and "cpuN.LEVEL.interval_ms", ".failed", ".own", ".max" (a-values as cpu N would
 * see them now, without changing estimates), ".power" (of its own group); "cpuN.h_cpuM" (estimate of cpu M),
 * "cpuN.node". LEVEL: sib, cpu, node. */
bool domains_probe(const struct policy *p, const struct policy_task *t, const char *field,
                   int64_t *value);
enum hl_status domains_check(const struct policy *p, struct hl_error *err);

#define DOMAIN_FLAG_WORDS "NEWIDLE|EXEC|CLONE|FASTMIG|WAKE|AFFINE|WAKEBAL|SHARE|IDLE"

/*
 * Parameters domains_init reads, of one level ("sib"). What is not set stays as in the options; the texts
 * say what that is.
 */
#define DOMAIN_LEVEL_PARAMS(level, min, max, factor, pct, hot, tries, flags)                       \
    {level ".min_interval",                                                                        \
     PARAM_INT,                                                                                    \
     "ms",                                                                                         \
     NULL,                                                                                         \
     1,                                                                                            \
     1000000,                                                                                      \
     POLICY_PARAM_UNSET,                                                                           \
     "shortest balancing interval; default " min "; spec linux 5.2"},                              \
        {level ".max_interval",                                                                    \
         PARAM_INT,                                                                                \
         "ms",                                                                                     \
         NULL,                                                                                     \
         1,                                                                                        \
         1000000,                                                                                  \
         POLICY_PARAM_UNSET,                                                                       \
         "it doubles up to this while balanced; default " max "; spec linux 5.2"},                 \
        {level ".busy_factor",                                                                     \
         PARAM_INT,                                                                                \
         "",                                                                                       \
         NULL,                                                                                     \
         1,                                                                                        \
         1000000,                                                                                  \
         POLICY_PARAM_UNSET,                                                                       \
         "a busy cpu balances so many times less often; default " factor "; spec linux 5.2"},      \
        {level ".imbalance_pct",                                                                   \
         PARAM_INT,                                                                                \
         "%",                                                                                      \
         NULL,                                                                                     \
         100,                                                                                      \
         100000,                                                                                   \
         POLICY_PARAM_UNSET,                                                                       \
         "imbalance a busy cpu leaves alone, 100 is none; default " pct "; spec linux 5.2"},       \
        {level ".cache_hot_time",                                                                  \
         PARAM_DURATION,                                                                           \
         "",                                                                                       \
         NULL,                                                                                     \
         0,                                                                                        \
         INT64_C(1000000000000),                                                                   \
         POLICY_PARAM_UNSET,                                                                       \
         "a task queued so recently is cache-hot; default " hot "; spec linux 5.2"},               \
        {level ".cache_nice_tries",                                                                \
         PARAM_INT,                                                                                \
         "",                                                                                       \
         NULL,                                                                                     \
         0,                                                                                        \
         1000000,                                                                                  \
         POLICY_PARAM_UNSET,                                                                       \
         "failures before hot tasks move and running ones are pushed; default " tries              \
         "; spec linux 5.2"},                                                                      \
    {                                                                                              \
        level ".flags", PARAM_FLAGS, "", DOMAIN_FLAG_WORDS, 0, 511, POLICY_PARAM_UNSET,            \
            "what the level takes part in; default " flags "; spec linux 5.2"                      \
    }

/* Index of the highest set bit, from 1: 8 -> 4. Intervals of NODE grow with it. */
static inline int32_t domain_fls(uint32_t n)
{
    return n == 0 ? 0 : 32 - __builtin_clz(n);
}

/* ---- loads ---- */

static inline int32_t domain_load(const struct domains *ds, int cpu)
{
    return (int32_t)(ds->o1.nr_running[cpu] << DOMAIN_LOAD_SHIFT);
}

/* What cpu believes of `of` where it would be a source: a load counts only once it lasts. */
static inline int32_t domain_source(const struct policy *p, int cpu, int of)
{
    int32_t now = domain_load(domains_of(p), of), before = domain_cpu_of(p, cpu)->estimate[of];

    return HL_MIN(now, before);
}

/* The same where it would be the target: a gap counts only once it lasts. */
static inline int32_t domain_target(const struct policy *p, int cpu, int of)
{
    int32_t now = domain_load(domains_of(p), of), before = domain_cpu_of(p, cpu)->estimate[of];

    return HL_MAX(now, before);
}

/* The looking cpu learns half of what is new. From 0 with one task: 64, 96, 112, ..., 127. */
static inline void domain_remember(const struct policy *p, int cpu, int of)
{
    int32_t *before = &domain_cpu_of(p, cpu)->estimate[of];

    *before = (domain_load(domains_of(p), of) + *before) / 2;
}

/* ---- balancing: domain_balance.c ---- */

struct domain_survey {
    int64_t total;        /* load of all groups */
    int64_t own, max;     /* load per power of the own group and of the busiest other one */
    int64_t busiest_load; /* of that group, not per power */
    int32_t busiest;      /* its index, or DOMAIN_NO_GROUP */
    int32_t own_power, busiest_power, power;
};

enum domain_tie { DOMAIN_FIRST_WINS, DOMAIN_LAST_WINS };

/*
 * Compares the groups of d, starting with the own one. The own group counts with target loads, the
 * others with source loads. `updating`: estimates learn what is seen, if this policy's cpus remember.
 */
void domain_survey(struct policy *p, int cpu, const struct domain *d, bool updating,
                   enum domain_tie tie, struct domain_survey *s);

/* Average load per power over the whole domain. */
static inline int64_t domain_average(const struct domain_survey *s)
{
    return DOMAIN_POWER_ONE * s->total / s->power;
}

/*
 * How much would the total throughput rise, in loads, if one task moved from the busiest to the own group?
 * `own_cap`: what the own group can use at most, per power; `gain_cap`: what arrives there counts at
 * most as much as the busiest group has.
 */
int64_t domain_gain(const struct domain_survey *s, int64_t own_cap, bool gain_cap);

/* The cpu of a group with the largest source load, the first among equals; POLICY_NO_CPU: none has any. */
int domain_busiest_cpu(const struct policy *p, int cpu, const struct domain_group *group);

/* Moves up to `count` tasks that are not executing, allowed, and not cache-hot where that matters. */
int32_t domain_pull(struct policy *p, int from, int to, int32_t count, const struct domain *d,
                    enum domain_mode mode);

/*
 * Hot: queued, forked or taken off its cpu less than cache_hot_ns before that cpu's last tick. The
 * difference is unsigned, as in the source: what happened after that tick counts as cold.
 */
static inline bool domain_is_hot(const struct policy *p, const struct policy_task *t, int from,
                                 const struct domain *d)
{
    uint64_t age_ns = (uint64_t)domain_cpu_of(p, from)->tick_ns - (uint64_t)o1_task_of(t)->stamp_ns;

    return age_ns < (uint64_t)d->params->cache_hot_ns;
}

/* Balanced: look half as often. */
static inline void domain_relax(struct domain *d)
{
    if (d->interval_ms < d->params->max_interval_ms)
        d->interval_ms *= 2;
}

/* Asks the migration thread of `from` to push its running task into an idle group, for the sake of `to`. */
void domain_request_push(struct policy *p, int from, int to);

/* ---- callbacks and their parts ---- */

/* The start of a tick, before anything else: everybody's hot test is against this time. */
static inline enum domain_mode domain_tick_begin(struct policy *p, int cpu,
                                                 struct policy_task *running)
{
    domain_cpu_of(p, cpu)->tick_ns = policy_now_ns(p);
    if (running == NULL)
        return DOMAIN_IDLE;
    o1_tick_task(p, cpu, running);
    return DOMAIN_BUSY;
}

/* Balances the levels that are due, inside out, by the rule last_ms + period; sdmm and sd267. */
void domain_walk(struct policy *p, int cpu, enum domain_mode mode, domain_balance balance);

/* Milliseconds between balancings in a timed mode: longer for a busy cpu, at least one jiffy. */
static inline int64_t domain_period_ms(const struct domain *d, enum domain_mode mode)
{
    int64_t ms = d->interval_ms;

    if (mode == DOMAIN_BUSY)
        ms *= d->params->busy_factor;
    return HL_MAX(ms, 1);
}

/*
 * schedule() up to the choice: a cpu about to go idle first balances the levels with NEWIDLE until one
 * delivers. The policy then calls o1_start for what it lets run. NULL: nothing to run.
 */
struct policy_task *domain_choose(struct policy *p, int cpu, struct policy_task *prev,
                                  domain_balance balance);

/* The whole of schedule() for policies that let run what was chosen. */
static inline struct policy_task *domain_pick(struct policy *p, int cpu, struct policy_task *prev,
                                              domain_balance balance)
{
    struct policy_task *next = domain_choose(p, cpu, prev, balance);

    if (next != NULL)
        o1_start(p, next, prev);
    return next;
}

/* Queues the task on cpu and preempts what runs there if it should. */
void domain_enqueue(struct policy *p, struct policy_task *t, int cpu,
                    const struct policy_wakeup *w);

/* The migration thread: pushes one task into each wholly idle group, while there are any. */
void domain_stopped(struct policy *p, int cpu, struct policy_task *preempted);

/* ---- placement: domain_place.c ---- */

/* cpu if idle; else the first idle cpu t may use in the base domain if that has WAKE; else cpu. */
int domain_idle_near(const struct policy *p, const struct policy_task *t, int cpu);

/* select_cpu of w26 and sdmm: pulls cold sleepers to their waker; exec spreads over nodes. */
int domain_mm_select_cpu(struct policy *p, struct policy_task *t, const struct policy_wakeup *w);

#endif
