/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bsd.h - what FreeBSD's schedulers share: clocks, the range of priorities, sleep priorities, run queues.
 *
 * A priority is a number from 0 to 255, smaller is better. Bands, from the best: interrupt threads, sleepers in
 * the kernel, real-time, time-sharing, idle. Their borders moved twice (spec freebsd 1.2).
 * Source:  spec freebsd 1.1 to 1.4.
 * Choices: kernel threads of a real-time class stand for interrupt threads. Kernel threads never return to user
 *          mode, so they keep the priority of their last sleep. Reading a pipe sleeps like writing one.
 *          Class batch is time-sharing. Real-time priorities 1 to 99 are spread over the band.
 */
#ifndef HL_POLICY_BSD_H
#define HL_POLICY_BSD_H

#include "policy/policy.h"

enum bsd_release { BSD_5_4, BSD_6_2, BSD_7_0, BSD_11, BSD_13, BSD_14 };

enum {
    BSD_TIMESHARE_MAX = 223,
    BSD_IDLE_MIN = 224,
    BSD_IDLE = 255,       /* of the idle thread */
    BSD_IDLE_CLASS = 240, /* tasks of class idle: idprio 16 of 0 to 31; assumed */
    BSD_PRIORITY_NONE = -1
};

/* Borders of the bands of a release. */
struct bsd_bands {
    int16_t kernel_min; /* interrupt threads are below */
    int16_t realtime_min, realtime_max;
    int16_t timeshare_min; /* up to BSD_TIMESHARE_MAX */
};
const struct bsd_bands *bsd_bands(enum bsd_release release);

enum bsd_class { BSD_CLASS_INTERRUPT, BSD_CLASS_REALTIME, BSD_CLASS_TIMESHARE, BSD_CLASS_IDLE };

static inline enum bsd_class bsd_class(const struct policy_task *t)
{
    if (t->class == CLASS_FIFO || t->class == CLASS_RR)
        return t->is_kernel ? BSD_CLASS_INTERRUPT : BSD_CLASS_REALTIME;
    return t->class == CLASS_IDLE ? BSD_CLASS_IDLE : BSD_CLASS_TIMESHARE;
}

/* The constant priority of a task that is not time-sharing. */
int16_t bsd_fixed_priority(const struct bsd_bands *bands, const struct policy_task *t);

/* What a blocking call raises its task to, or BSD_PRIORITY_NONE: user-level locks. */
int16_t bsd_sleep_priority(const struct bsd_bands *bands, enum policy_wait wait);

/* ---- clocks ---- */

/* The parameter hz=100|1000. */
#define BSD_HZ_PARAM                                                                               \
    {                                                                                              \
        "hz", PARAM_CHOICE, "", "100|1000", 0, 1, POLICY_PARAM_UNSET,                              \
            "kern.hz; default 100 in 5.4, else 1000; spec freebsd 1.1"                             \
    }

/* kern.hz; not given: the default of the release. */
int32_t bsd_hz(enum bsd_release release, int64_t choice);
/* stathz: 128, 133 or 127. */
int32_t bsd_stathz(enum bsd_release release);
/* Fills in all of it. */
void bsd_clock(enum bsd_release release, int64_t hz_choice, struct policy_clock *clock);

/* Timer interrupts per second of a cpu in 6.x and 7.x, which also end its idle sleep; in later releases assumed
 * to be hz. */
int32_t bsd_interrupt_hz(enum bsd_release release, int32_t hz);

/* The kernel's counter `ticks`. Both divisors are constants: this is on the path of a tick. */
static inline int32_t bsd_ticks(int64_t now_ns, int32_t hz)
{
    return (int32_t)(hz == 100 ? now_ns / 10000000 : now_ns / 1000000);
}

/* ---- tunables ---- */

/* Longest slice in stat ticks: well over a minute. The kernel's variables are integers without a bound; assumed. */
enum { BSD_SLICE_MAX = 10000 };

/* A parameter named like its sysctl; `help` says the default of each version. bsd_tunable has its value, else
 * `fallback`. What the specification bounds has that range; what is a number of things or ticks ends where more would
 * mean the same. */
#define BSD_TUNABLE(name, unit, min, max, help)                                                    \
    {                                                                                              \
        name, PARAM_INT, unit, NULL, min, max, POLICY_PARAM_UNSET, help                            \
    }

int64_t bsd_tunable(const struct policy *p, const char *name, int64_t fallback);

/* Which releases have a parameter: bits by enum bsd_release. */
#define BSD_ONLY(release)  (1u << (release))
#define BSD_UNTIL(release) ((2u << (release)) - 1)
#define BSD_SINCE(release) (~0u << (release))

struct bsd_param_releases {
    const char *name;
    unsigned releases;
};

/* HL_USAGE if one is given that the release does not have. `list` ends with a NULL name. */
enum hl_status bsd_params_check(const struct policy *p, enum bsd_release release,
                                const struct bsd_param_releases *list,
                                struct hl_error *err) HL_MUST_CHECK;

/* HL_USAGE if the value in use is below `least`, which is called `what`. */
enum hl_status bsd_param_at_least(const struct policy *p, const char *name, int64_t value,
                                  int64_t least, const char *what,
                                  struct hl_error *err) HL_MUST_CHECK;

/* True if exactly one cpu is allowed: pinned or bound. */
bool bsd_is_pinned(const struct policy *p, const struct policy_task *t);

/* The first allowed cpu; the task may run somewhere. */
int bsd_first_allowed(const struct policy *p, const struct policy_task *t);

/* ---- sets of cpus as bits, 64 to a word ---- */

static inline void bsd_cpu_add(uint64_t *set, int cpu)
{
    set[cpu / 64] |= UINT64_C(1) << (cpu % 64);
}

static inline void bsd_cpu_remove(uint64_t *set, int cpu)
{
    set[cpu / 64] &= ~(UINT64_C(1) << (cpu % 64));
}

static inline bool bsd_cpu_has(const uint64_t *set, int cpu)
{
    return (set[cpu / 64] >> (cpu % 64) & 1) != 0;
}

/* The first cpu of the set from `cpu` on; -1: none. `cpus` is the number of cpus of the machine. */
static inline int bsd_cpu_next(const uint64_t *set, int cpus, int cpu)
{
    for (int word = cpu / 64; cpu < cpus; word++, cpu = word * 64) {
        uint64_t bits = set[word] >> (cpu % 64);

        if (bits != 0)
            return cpu + __builtin_ctzll(bits);
    }
    return -1;
}

/* ---- the run queue: 64 lists and a map of those that are not empty ---- */

enum { BSD_LEVELS = 64, BSD_PRIORITIES_PER_LEVEL = 4 };

struct bsd_queue { /* all-zero is a valid empty queue */
    uint64_t occupied;
    struct hl_list level[BSD_LEVELS];
};

static inline int bsd_level(int priority)
{
    return priority / BSD_PRIORITIES_PER_LEVEL;
}

static inline void bsd_queue_add(struct bsd_queue *q, int level, struct policy_task *t,
                                 bool at_head)
{
    if (at_head)
        hl_list_push_front(&q->level[level], &t->link);
    else
        hl_list_push_back(&q->level[level], &t->link);
    q->occupied |= UINT64_C(1) << level;
}

/* True if that emptied the level. */
static inline bool bsd_queue_remove(struct bsd_queue *q, int level, struct policy_task *t)
{
    hl_list_remove(&q->level[level], &t->link);
    if (!hl_list_is_empty(&q->level[level]))
        return false;
    q->occupied &= ~(UINT64_C(1) << level);
    return true;
}

static inline struct policy_task *bsd_queue_head(const struct bsd_queue *q, int level)
{
    return HL_LIST_ENTRY(q->level[level].first, struct policy_task, link);
}

/* The head of the best level; NULL: empty. */
static inline struct policy_task *bsd_queue_first(const struct bsd_queue *q)
{
    return q->occupied == 0 ? NULL : bsd_queue_head(q, __builtin_ctzll(q->occupied));
}

/* The same in a circle: the first level from `start` on that is not empty. */
static inline struct policy_task *bsd_queue_first_from(const struct bsd_queue *q, int start)
{
    uint64_t ahead = q->occupied >> start << start;

    return q->occupied == 0 ? NULL
                            : bsd_queue_head(q, __builtin_ctzll(ahead != 0 ? ahead : q->occupied));
}

#endif
