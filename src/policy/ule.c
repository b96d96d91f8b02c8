/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ule.c - ULE, the scheduler of FreeBSD since 7.1: one name, three generations.
 *
 *     version=5.4         ule54.c   two queues per cpu, slices by nice, one lock; off by default in 5.4
 *     version=7.0         ule7.c    three queues per cpu, stealing, a lock per cpu
 *     version=11, 13, 14  ule11.c   topology, slices by load
 *
 * Source: spec freebsd 3 to 5; parameters are named like the sysctls below kern.sched.
 * Omits:  kern.sched.name and topology, which nobody can set, and the rewrite of 2025.
 */
#include "policy/ule.h"

static const enum bsd_release version_release[] = {BSD_5_4, BSD_7_0, BSD_11, BSD_13, BSD_14};

const struct policy_param_info ule_params[] = {
    {"version", PARAM_CHOICE, "", "5.4|7.0|11|13|14", 0, 4, 4, "release; spec freebsd 3 to 5"},
    {"text", PARAM_CHOICE, "", "a|b", 0, 1, POLICY_PARAM_UNSET,
     "of 5.4: autumn 2004 or end of 2005; default a; spec freebsd 3.1"},
    BSD_HZ_PARAM,
    {"arch", PARAM_CHOICE, "", "amd64|i386", 0, 1, POLICY_PARAM_UNSET,
     "since 7.0: bits of a word when stealing looks for a queue; default amd64; spec freebsd 4.7"},
    {"preemption", PARAM_CHOICE, "", "none|interrupt|full", 0, 2, POLICY_PARAM_UNSET,
     "options PREEMPTION and FULL_PREEMPTION, in 5.4; default none; spec freebsd 1.5"},
    BSD_TUNABLE("slice", "stat ticks", 1, BSD_SLICE_MAX,
                "length of a turn, since 7.0; default 13, since 11 12; spec freebsd 4.4"),
    BSD_TUNABLE("slice_min", "stat ticks", 1, BSD_SLICE_MAX,
                "its least value; default 1 (hz=1000: 10) in 5.4, since 11 slice / 6; spec freebsd "
                "3.4, 5.5"),
    BSD_TUNABLE("slice_max", "stat ticks", 1, BSD_SLICE_MAX,
                "slice of the least nice, in 5.4; default 14 (hz=1000: 142), in text b 18; spec "
                "freebsd 3.4"),
    BSD_TUNABLE("interact", "", 0, 100,
                "scores below are interactive, since 7.0; default 30; spec freebsd 4.2"),
    BSD_TUNABLE("preempt_thresh", "", 0, BSD_IDLE,
                "priorities up to this preempt at once, since 7.0; default 64, since 11 80, in 14 "
                "48; spec freebsd 4.6"),
    BSD_TUNABLE("static_boost", "", 0, BSD_IDLE,
                "priority of a woken sleeper, since 11: 0 its own, 1 that of its sleep; default "
                "the first of the "
                "batch range; spec freebsd 5.9"),
    BSD_TUNABLE("affinity", "ticks", 0, 1000000,
                "a task is warm so long, since 7.0; default 3 (hz=100: 1), since 11 1; spec "
                "freebsd 4.5, 5.7"),
    BSD_TUNABLE("pick_pri", "", 0, 1,
                "without an idle cpu the one with the worst task, else the least loaded, in 7.0; "
                "default 1; spec "
                "freebsd 4.5"),
    BSD_TUNABLE("tryself", "", 0, 1,
                "before that the waker's cpu, in 7.0; default 1; spec freebsd 4.5"),
    BSD_TUNABLE("balance", "", 0, 1,
                "long-term balancer, since 7.0; default 1, in 11 0, as it never plans its second "
                "run; spec freebsd 4.8, 5.1"),
    BSD_TUNABLE("balance_interval", "stat ticks", 1, 100000,
                "its mean period, since 7.0; default 133, since 11 127; spec freebsd 4.8"),
    BSD_TUNABLE(
        "steal_htt", "", 0, 1,
        "idle cpus take from siblings whatever their load, in 7.0; default 1; spec freebsd 4.7"),
    BSD_TUNABLE("steal_idle", "", 0, 1,
                "idle cpus take tasks, since 7.0; default 1; spec freebsd 4.7"),
    BSD_TUNABLE("steal_thresh", "tasks", 1, 1000000,
                "from cpus with at least so many, since 7.0; default log2 of the cpus, at most 3, "
                "since 11 2; spec "
                "freebsd 4.7"),
    BSD_TUNABLE(
        "always_steal", "", 0, 1,
        "they look again at each wake-up, since 13, as in 11; default 0; spec freebsd 5.10"),
    BSD_TUNABLE("trysteal_limit", "levels", 0, 64,
                "a cpu looks so far before it goes idle, since 13; default 2; spec freebsd 5.10"),
    BSD_TUNABLE("idlespins", "", 0, 1000000,
                "looks of a cpu before it halts, since 11; default 10000; spec freebsd 5.10"),
    BSD_TUNABLE(
        "idlespinthresh", "switches", 0, 1000000,
        "in two stat ticks, above which it does so, since 11; default 157; spec freebsd 5.10"),
    {.name = NULL},
};

const char *const ule_prefixes[] = {"kern.sched.ule.", "kern.sched.", "kern.", NULL};

static const struct bsd_param_releases releases[] = {
    {"text", BSD_ONLY(BSD_5_4)},
    {"arch", BSD_SINCE(BSD_7_0)},
    {"preemption", BSD_ONLY(BSD_5_4)},
    {"slice", BSD_SINCE(BSD_7_0)},
    {"slice_min", BSD_ONLY(BSD_5_4) | BSD_SINCE(BSD_11)},
    {"slice_max", BSD_ONLY(BSD_5_4)},
    {"interact", BSD_SINCE(BSD_7_0)},
    {"preempt_thresh", BSD_SINCE(BSD_7_0)},
    {"static_boost", BSD_SINCE(BSD_11)},
    {"affinity", BSD_SINCE(BSD_7_0)},
    {"pick_pri", BSD_ONLY(BSD_7_0)},
    {"tryself", BSD_ONLY(BSD_7_0)},
    {"balance", BSD_SINCE(BSD_7_0)},
    {"balance_interval", BSD_SINCE(BSD_7_0)},
    {"steal_htt", BSD_ONLY(BSD_7_0)},
    {"steal_idle", BSD_SINCE(BSD_7_0)},
    {"steal_thresh", BSD_SINCE(BSD_7_0)},
    {"always_steal", BSD_SINCE(BSD_13)},
    {"trysteal_limit", BSD_SINCE(BSD_13)},
    {"idlespins", BSD_SINCE(BSD_11)},
    {"idlespinthresh", BSD_SINCE(BSD_11)},
    {.name = NULL},
};

enum bsd_release ule_release(const struct policy *p)
{
    return version_release[policy_param(p, "version")];
}

void ule_clock(const struct policy *p, struct policy_clock *clock)
{
    bsd_clock(ule_release(p), policy_param(p, "hz"), clock);
}

enum hl_status ule_params_check(const struct policy *p, struct hl_error *err)
{
    return bsd_params_check(p, ule_release(p), releases, err);
}

/* The version is the first parameter. */
static const struct policy_ops *ule_resolve(const int64_t *params)
{
    enum bsd_release release = version_release[params[0]];

    if (release == BSD_5_4)
        return &ule54_ops;
    return release == BSD_7_0 ? &ule7_ops : &ule11_ops;
}

/* What the registry lists; runs have the table of a version. */
const struct policy_ops policy_ule = {ULE_NAMES, .resolve = ule_resolve};
