/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * domain_place.c - where woken and exec'd tasks go in the -mm trees: w26 and sdmm.
 *
 * A wakeup either leaves the task on the cpu it slept on or pulls it to the waker, if that is worth it:
 * its old cpu is busier than the waker's would be, or it slept so long that its cache is lost anyway.
 * Either way an idle sibling of the chosen cpu is preferred to a busy cpu. No other place is looked at.
 * Source: spec linux 5.7.
 */
#include "policy/domains.h"

int domain_idle_near(const struct policy *p, const struct policy_task *t, int cpu)
{
    const struct domain *base = domain_cpu_of(p, cpu)->domain;

    if (policy_running(p, cpu) == NULL || (base->params->flags & DOMAIN_WAKE) == 0)
        return cpu;
    for (int i = 0; i < base->span->cpu_count; i++) {
        int near = base->span->cpu[i];

        if (policy_running(p, near) == NULL && policy_allowed(t, near))
            return near;
    }
    return cpu;
}

static int domain_mm_wake_cpu(struct policy *p, const struct policy_task *t, int waker)
{
    const struct domain_cpu *dc = domain_cpu_of(p, waker);
    int last = t->last_cpu;
    uint64_t slept_ns = (uint64_t)policy_now_ns(p) - (uint64_t)o1_task_of(t)->stamp_ns;
    int32_t load, mine;

    if (last == waker || !policy_allowed(t, waker))
        return last; /* without a look at the siblings */
    load = domain_source(p, waker, last);
    mine = domain_target(p, waker, waker) + DOMAIN_LOAD_ONE;
    domain_remember(p, waker, last);
    domain_remember(p, waker, waker);
    if (load > mine)
        return domain_idle_near(p, t, waker);
    /* Siblings have no hot time, so a sleeper always follows its waker within a core. */
    for (int i = 0; i < dc->domain_count; i++) {
        const struct domain *d = &dc->domain[i];

        if ((d->params->flags & DOMAIN_FASTMIG) == 0 ||
            slept_ns < (uint64_t)d->params->cache_hot_ns)
            break;
        if (domain_spans(p, d, last))
            return domain_idle_near(p, t, waker);
    }
    return domain_idle_near(p, t, last);
}

static int domain_mm_exec_cpu(struct policy *p, const struct policy_task *t)
{
    const struct domain_cpu *dc = domain_cpu_of(p, t->last_cpu);
    const struct domain *top = &dc->domain[dc->domain_count - 1];
    int best = t->last_cpu;
    int32_t least = domain_source(p, best, best);

    if (top->level != DOMAIN_NODE || (top->params->flags & DOMAIN_EXEC) == 0 ||
        o1_of(p)->nr_running[best] <= 1)
        return best;
    for (int i = 0; i < top->span->cpu_count; i++) {
        int cpu = top->span->cpu[i];
        int32_t load = domain_target(p, t->last_cpu, cpu) + DOMAIN_LOAD_ONE;

        if (cpu != t->last_cpu && load < least && policy_allowed(t, cpu)) {
            least = load;
            best = cpu;
        }
    }
    return best;
}

int domain_mm_select_cpu(struct policy *p, struct policy_task *t, const struct policy_wakeup *w)
{
    bool is_placed = t->last_cpu != POLICY_NO_CPU && policy_allowed(t, t->last_cpu);

    if (is_placed && w->why == POLICY_EXEC)
        return domain_mm_exec_cpu(p, t);
    if (is_placed && w->why == POLICY_WAKE && !o1_task_of(t)->fresh)
        return domain_mm_wake_cpu(p, t, w->waker_cpu);
    return o1_select_cpu(p, t, w);
}
