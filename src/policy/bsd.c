/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bsd.c - clocks and priorities of FreeBSD's releases; see bsd.h. Source: spec freebsd 1.1, 1.2.
 */
#include "policy/bsd.h"

#include <inttypes.h>

#include "base/units.h"

enum { RT_PRIORITY_MAX = 99 };

const struct bsd_bands *bsd_bands(enum bsd_release release)
{
    static const struct bsd_bands until_8 = {64, 128, 159, 160}, from_9 = {80, 48, 79, 120},
                                  from_14 = {48, 16, 47, 88};

    if (release <= BSD_7_0)
        return &until_8;
    return release < BSD_14 ? &from_9 : &from_14;
}

int16_t bsd_fixed_priority(const struct bsd_bands *bands, const struct policy_task *t)
{
    int16_t best = 0, worst = (int16_t)(HL_MIN(bands->kernel_min, bands->realtime_min) - 1);

    switch (bsd_class(t)) {
    case BSD_CLASS_IDLE: return BSD_IDLE_CLASS;
    case BSD_CLASS_TIMESHARE: return BSD_TIMESHARE_MAX;
    case BSD_CLASS_REALTIME:
        best = bands->realtime_min;
        worst = bands->realtime_max;
        break;
    case BSD_CLASS_INTERRUPT: break;
    }
    return (int16_t)(worst - (t->rt_priority - 1) * (worst - best) / (RT_PRIORITY_MAX - 1));
}

int16_t bsd_sleep_priority(const struct bsd_bands *bands, enum policy_wait wait)
{
    enum { PRIBIO = 12, PSOCK = 24, PWAIT = 28 };

    switch (wait) {
    case WAIT_TIMER:
    case WAIT_CHILD:
    case WAIT_VFORK: return (int16_t)(bands->kernel_min + PWAIT);
    case WAIT_PIPE_READ:
    case WAIT_PIPE_WRITE:
    case WAIT_DISK: return (int16_t)(bands->kernel_min + PRIBIO);
    case WAIT_SOCKET: return (int16_t)(bands->kernel_min + PSOCK);
    case WAIT_LOCK: break;
    }
    return BSD_PRIORITY_NONE;
}

int32_t bsd_hz(enum bsd_release release, int64_t choice)
{
    if (choice == POLICY_PARAM_UNSET)
        return release == BSD_5_4 ? 100 : 1000;
    return choice == 0 ? 100 : 1000;
}

int32_t bsd_stathz(enum bsd_release release)
{
    if (release == BSD_5_4)
        return 128; /* the real-time clock */
    return release <= BSD_7_0 ? 133 : 127;
}

int32_t bsd_interrupt_hz(enum bsd_release release, int32_t hz)
{
    if (release != BSD_6_2 && release != BSD_7_0)
        return hz;
    if (hz >= 1500)
        return hz;
    return hz >= 750 ? 2 * hz : 4 * hz;
}

void bsd_clock(enum bsd_release release, int64_t hz_choice, struct policy_clock *clock)
{
    clock->hz = bsd_hz(release, hz_choice);
    clock->stat_hz = bsd_stathz(release);
    /* 5.4: one cpu takes the interrupt and forwards it. Later: the local timer of each cpu. */
    clock->phase = release == BSD_5_4 ? PHASE_TOGETHER : PHASE_RANDOM;
    clock->count_repick = true; /* every way into the scheduler is counted, whoever comes out */
    /* One thread for all expired timeouts, on the boot cpu; a thread per cpu since 8 (assumed). */
    clock->timers_on_boot_cpu = release <= BSD_7_0;
}

int64_t bsd_tunable(const struct policy *p, const char *name, int64_t fallback)
{
    int64_t value = policy_param(p, name);

    return value == POLICY_PARAM_UNSET ? fallback : value;
}

enum hl_status bsd_params_check(const struct policy *p, enum bsd_release release,
                                const struct bsd_param_releases *list, struct hl_error *err)
{
    static const char *const names[] = {"5.4", "6.2", "7.0", "11", "13", "14"};

    for (; list->name != NULL; list++)
        if ((list->releases >> release & 1) == 0 &&
            policy_param(p, list->name) != POLICY_PARAM_UNSET)
            return hl_fail(err, HL_USAGE,
                           "%s:version=%s has no parameter %s; expected one of this version's "
                           "(halfload list policies --verbose)",
                           p->ops->name, names[release], list->name);
    return HL_OK;
}

enum hl_status bsd_param_at_least(const struct policy *p, const char *name, int64_t value,
                                  int64_t least, const char *what, struct hl_error *err)
{
    if (value >= least)
        return HL_OK;
    return hl_fail(err, HL_USAGE,
                   "%s: %s is %" PRId64 "; expected at least %" PRId64 ", which is %s",
                   p->ops->name, name, value, least, what);
}

bool bsd_is_pinned(const struct policy *p, const struct policy_task *t)
{
    uint64_t seen = 0;

    if (t->allowed == NULL)
        return false;
    for (int word = 0; word * 64 < policy_cpu_count(p); word++) {
        uint64_t bits = t->allowed[word];

        if ((bits & (bits - 1)) != 0 || (bits != 0 && seen != 0))
            return false;
        seen |= bits;
    }
    return true;
}

int bsd_first_allowed(const struct policy *p, const struct policy_task *t)
{
    int cpu = 0;

    while (cpu < policy_cpu_count(p) - 1 && !policy_allowed(t, cpu))
        cpu++;
    return cpu;
}
