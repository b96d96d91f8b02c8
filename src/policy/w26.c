/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * w26.c - the first published sched domains, "sched-rollup w26" of December 2003 on 2.6.0-test11.
 *
 * Idea:    the O(1) scheduler with balancing by domains. Groups are compared by mean load per cpu, and the
 *          difference is rounded up to whole tasks: an idle cpu always wants one. When nothing can be
 *          moved because both tasks of a busy core are running, and that has lasted, the running ones
 *          are pushed to an idle core.
 * Source:  spec linux 5.8, with 5.3 to 5.5 and 5.7 where it refers to them.
 * Choices: several rules are reconstructions, see there. The most telling one is `active_delay`, how
 *          long a doubly loaded core is watched before its tasks are pushed: 0 spreads at once, never
 *          leaves them. `guard` keeps lone tasks from being pushed around. Timer and new-idle balancing
 *          share one routine, but failures and intervals count on ticks only: counted at new-idle too, a
 *          lone task without the guard bounces hundreds of times per ms, where the spec says several.
 *          A sync wakeup skips the preemption test only on the waker's cpu (spec 5.7 step 6), not
 *          everywhere as in plain test11.
 * Omits:   w27's changes.
 * Good at: keeping helpers near their waker.  Bad at: telling a lone task from a doubly loaded core.
 */
#include <string.h>

#include "base/units.h"
#include "policy/domains.h"

enum {
    W26_SURPLUS_LOAD = 192 /* one and a half tasks: a group with more can spare one */
};

struct w26 {
    struct domains domains; /* first */
    int64_t active_delay_ns;
    bool guard;
};

/* Spec linux 5.2, "sdmm before lessidle"; SIB has the values of CPU but for the hot test. */
static const struct domain_params w26_defaults[DOMAIN_LEVEL_COUNT] = {
    [DOMAIN_SIB] = {.min_interval_ms = 1,
                    .max_interval_ms = 8,
                    .busy_factor = 32,
                    .imbalance_pct = 125,
                    .flags = DOMAIN_NEWIDLE | DOMAIN_FASTMIG | DOMAIN_WAKE},
    [DOMAIN_CPU] = {.min_interval_ms = 1,
                    .max_interval_ms = 8,
                    .busy_factor = 32,
                    .imbalance_pct = 125,
                    .cache_hot_ns = 5 * HL_NS_PER_MS,
                    .cache_nice_tries = 2,
                    .flags = DOMAIN_NEWIDLE | DOMAIN_FASTMIG},
    [DOMAIN_NODE] = {.min_interval_ms = 20,
                     .busy_factor = 4,
                     .imbalance_pct = 125,
                     .cache_hot_ns = 5 * HL_NS_PER_MS,
                     .cache_nice_tries = 1,
                     .flags = DOMAIN_EXEC}};

static enum hl_status w26_init(struct policy *p, struct hl_error *err)
{
    struct w26 *w = policy_data(p);
    bool has_smt = policy_machine(p)->has_smt;
    struct domain_params defaults[DOMAIN_LEVEL_COUNT];

    memcpy(defaults, w26_defaults, sizeof(defaults));
    defaults[DOMAIN_NODE].max_interval_ms = 1000 * domain_fls((uint32_t)policy_cpu_count(p));
    /* The flag stood on the domain of the siblings, but means that no core should be wholly idle. */
    if (has_smt)
        defaults[DOMAIN_CPU].flags |= DOMAIN_LONELY;
    w->active_delay_ns = policy_param(p, "active_delay") * HL_NS_PER_MS;
    w->guard = policy_param(p, "guard") != 0;
    HL_TRY(o1_init(p, &o1_rules_2_6_0, O1_QUEUE_PER_CPU, false, err));
    return domains_init(
        p, &(struct domains_options){.defaults = defaults, .sib = has_smt, .remembers = true}, err);
}

static bool w26_is_lonely(const struct policy *p, const struct domain *d)
{
    const struct domain_group *own = &d->span->group[d->own_group];

    if ((d->params->flags & DOMAIN_LONELY) == 0)
        return false;
    for (int i = 0; i < own->cpu_count; i++)
        if (policy_running(p, own->cpu[i]) != NULL)
            return false;
    return true;
}

/* How many tasks the own group should pull; 0: balanced. */
static int32_t w26_imbalance(const struct policy *p, const struct domain *d,
                             const struct domain_survey *s, enum domain_mode mode)
{
    int64_t average = domain_average(s), gap;
    int32_t count;

    if (s->busiest == DOMAIN_NO_GROUP || s->own >= s->max)
        return 0;
    if (mode == DOMAIN_BUSY &&
        (s->own >= average || 100 * s->max <= d->params->imbalance_pct * s->own))
        return 0;
    gap = s->max - average;
    if (s->own <= average) /* else the difference wraps and is the larger one */
        gap = HL_MIN(gap, average - s->own);
    count = (int32_t)((gap + DOMAIN_LOAD_ONE - 1) >> DOMAIN_LOAD_SHIFT); /* rounded up */
    if (count == 0 && s->busiest_load > W26_SURPLUS_LOAD && w26_is_lonely(p, d))
        count = 1;
    return count;
}

/* An imbalance was found and no task could be moved: perhaps all that could go are running. */
static void w26_failed(struct policy *p, int cpu, struct domain *d, const struct domain_survey *s)
{
    const struct w26 *w = policy_data(p);
    const struct domain_group *busiest = &d->span->group[s->busiest];
    int64_t now_ns = policy_now_ns(p);

    /* A single task left over also rounds up to one, and fails; the load tells a pair from it. */
    if (w->guard && s->busiest_load <= W26_SURPLUS_LOAD)
        d->stretch_ns = INT64_MAX;
    else if (d->stretch_ns == INT64_MAX)
        d->stretch_ns = now_ns;
    if ((d->params->flags & DOMAIN_LONELY) != 0 && d->failed > d->params->cache_nice_tries &&
        d->stretch_ns != INT64_MAX && now_ns - d->stretch_ns >= w->active_delay_ns)
        for (int i = 0; i < busiest->cpu_count; i++)
            domain_request_push(p, busiest->cpu[i], cpu);
    d->failed++;
}

static int32_t w26_balance(struct policy *p, int cpu, struct domain *d, enum domain_mode mode)
{
    struct domain_survey s;
    int32_t count, moved;
    int from = POLICY_NO_CPU;

    domain_survey(p, cpu, d, mode != DOMAIN_NEW_IDLE, DOMAIN_LAST_WINS, &s);
    count = w26_imbalance(p, d, &s, mode);
    if (count > 0)
        from = domain_busiest_cpu(p, cpu, &d->span->group[s.busiest]);
    if (mode == DOMAIN_NEW_IDLE)
        return from == POLICY_NO_CPU ? 0 : domain_pull(p, from, cpu, count, d, mode);
    if (from == POLICY_NO_CPU) {
        domain_relax(d);
        d->failed = 0;
        d->stretch_ns = INT64_MAX;
        return 0;
    }
    moved = domain_pull(p, from, cpu, count, d, mode);
    if (moved > 0) {
        d->failed = 0;
        d->stretch_ns = INT64_MAX;
    } else {
        w26_failed(p, cpu, d, &s);
    }
    d->interval_ms = (int32_t)d->params->min_interval_ms;
    return moved;
}

/* now_ms % period_ms; intervals are powers of two unless a parameter says otherwise. */
static int64_t w26_phase(int64_t now_ms, int64_t period_ms)
{
    return (period_ms & (period_ms - 1)) == 0 ? now_ms & (period_ms - 1) : now_ms % period_ms;
}

/* A level is balanced in each jiffy that is a multiple of its period, whoever the cpu. */
static void w26_walk(struct policy *p, int cpu, enum domain_mode mode)
{
    struct domain_cpu *dc = domain_cpu_of(p, cpu);
    int64_t now_ms = o1_jiffies(p);

    for (int i = 0; i < dc->domain_count; i++) {
        struct domain *d = &dc->domain[i];

        if (w26_phase(now_ms, domain_period_ms(d, mode)) == 0 &&
            domain_try(p, cpu, d, mode, w26_balance) > 0)
            mode = DOMAIN_BUSY;
    }
    for (enum domain_mode m = DOMAIN_BUSY; m <= DOMAIN_IDLE; m++) {
        int64_t due_ms = INT64_MAX / O1_NS_PER_JIFFY;

        for (int i = 0; i < dc->domain_count; i++) {
            int64_t period_ms = domain_period_ms(&dc->domain[i], m);
            int64_t at_ms = now_ms - w26_phase(now_ms, period_ms) + period_ms;

            due_ms = HL_MIN(due_ms, at_ms);
        }
        dc->due_ns[m] = due_ms * O1_NS_PER_JIFFY;
    }
}

static void w26_tick(struct policy *p, int cpu, struct policy_task *running)
{
    enum domain_mode mode = domain_tick_begin(p, cpu, running);

    if (policy_now_ns(p) >= domain_cpu_of(p, cpu)->due_ns[mode])
        w26_walk(p, cpu, mode);
}

static struct policy_task *w26_pick(struct policy *p, int cpu, struct policy_task *prev)
{
    return domain_pick(p, cpu, prev, w26_balance);
}

static const struct policy_param_info w26_params[] = {
    {"active_delay", PARAM_INT, "ms", "never", 0, INT64_MAX / HL_NS_PER_MS, 300,
     "a core stays doubly loaded so long before its tasks are pushed to an idle one; "
     "spec linux 5.8 (reconstructed)"},
    {"guard", PARAM_BOOL, "", NULL, 0, 1, 1,
     "push only from a core with more than one and a half tasks; spec linux 5.8 (reconstructed)"},
    O1_COMMON_PARAMS,
    DOMAIN_LEVEL_PARAMS("sib", "1", "8", "32", "125", "0", "0", "NEWIDLE+FASTMIG+WAKE"),
    DOMAIN_LEVEL_PARAMS("cpu", "1", "8", "32", "125", "5ms", "2",
                        "NEWIDLE+FASTMIG+IDLE; without siblings NEWIDLE+FASTMIG"),
    DOMAIN_LEVEL_PARAMS("node", "20", "1000 x fls(cpus)", "4", "125", "5ms", "1", "EXEC"),
    {0}};

const struct policy_ops policy_w26 = {
    .name = "w26",
    .summary = "sched domains of December 2003, sched-rollup w26",
    .source = "spec linux 5.8",
    .params = w26_params,
    .policy_bytes = sizeof(struct w26),
    .cpu_bytes = sizeof(struct domain_cpu),
    .task_bytes = sizeof(struct o1_task),
    .balances = true,
    .init = w26_init,
    .clock = o1_clock,
    .select_cpu = domain_mm_select_cpu,
    .enqueue = domain_enqueue,
    .dequeue = o1_dequeue,
    .pick = w26_pick,
    .tick = w26_tick,
    .stopped = domain_stopped,
    .fork = o1_fork,
    .reap = o1_reap,
    .yield = o1_yield,
    .renice = o1_renice,
    .probe = domains_probe,
    .check = domains_check,
};
