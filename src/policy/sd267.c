/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sd267.c - sched domains as merged: Linux 2.6.7 (May 2004).
 *
 * Idea:    as sdmm, with simpler estimates: a run queue has one load that follows its length tick by
 *          tick, the same for all who look. Balancing is a little more eager, new threads, vfork
 *          children and exec'd tasks look for the least loaded cpu, and a woken task goes to its waker
 *          if it is cache-cold or its cpu is clearly busier.
 * Source:  spec linux 5.1 to 5.6, 5.9 (certain for 2.6.8; 2.6.7 assumed identical).
 * Choices: the exit of a child wakes its waiting parent with the sync hint (spec 1.4), which the policy
 *          knows from what the parent waits for. Subtracting a load for it cannot wrap here, because the
 *          waker itself is counted in its queue.
 * Good at: leaving woken tasks where their cache is.
 * Bad at:  spreading new tasks over cores: the least loaded cpu may share its core with a busy one.
 */
#include "policy/sd267.h"

#include "base/units.h"

const struct domain_params sd267_defaults[DOMAIN_LEVEL_COUNT] = {
    [DOMAIN_SIB] = {.min_interval_ms = 1,
                    .max_interval_ms = 2,
                    .busy_factor = 8,
                    .imbalance_pct = 110,
                    .flags = DOMAIN_NEWIDLE | DOMAIN_EXEC | DOMAIN_CLONE | DOMAIN_AFFINE |
                             DOMAIN_WAKE | DOMAIN_SHARE},
    [DOMAIN_CPU] = {.min_interval_ms = 1,
                    .max_interval_ms = 4,
                    .busy_factor = 64,
                    .imbalance_pct = 125,
                    .cache_hot_ns = 5 * HL_NS_PER_MS / 2,
                    .cache_nice_tries = 1,
                    .flags = DOMAIN_NEWIDLE | DOMAIN_EXEC | DOMAIN_CLONE | DOMAIN_AFFINE |
                             DOMAIN_WAKEBAL},
    [DOMAIN_NODE] = {.min_interval_ms = 8,
                     .max_interval_ms = 32,
                     .busy_factor = 32,
                     .imbalance_pct = 125,
                     .cache_hot_ns = 10 * HL_NS_PER_MS,
                     .cache_nice_tries = 1,
                     .flags = DOMAIN_EXEC | DOMAIN_CLONE | DOMAIN_WAKEBAL}};

static struct sd267_task *sd267_task(const struct policy_task *t)
{
    return t->data;
}

static enum hl_status sd267_init(struct policy *p, struct hl_error *err)
{
    struct o1_rules rules = o1_rules_2_6_0;
    bool smt = policy_param(p, "smt") != 0;

    rules.expired_prio_starves = true;
    HL_TRY(o1_init(p, &rules, O1_QUEUE_PER_CPU, false, err));
    return domains_init(
        p, &(struct domains_options){.defaults = sd267_defaults, .sib = smt, .core_power = smt},
        err);
}

/* ---- balancing ---- */

int32_t sd267_imbalance(const struct domain *d, const struct domain_survey *s,
                        enum domain_mode mode)
{
    int64_t average = domain_average(s), gap;

    if (s->own < s->max && s->own < average && 100 * s->max > d->params->imbalance_pct * s->own) {
        gap = HL_MIN(s->max - average, average - s->own) * HL_MIN(s->busiest_power, s->own_power) /
              DOMAIN_LOAD_ONE;
        if (gap >= DOMAIN_LOAD_ONE - 1) /* a steady estimate may be short of a whole task by one */
            return (int32_t)((gap + 1) / DOMAIN_LOAD_ONE);
        if (s->max - s->own >= 2 * DOMAIN_LOAD_ONE ||
            domain_gain(s, DOMAIN_LOAD_ONE, true) >= DOMAIN_GAIN_MIN)
            return 1;
    }
    /* A cpu without work takes one task all the same. */
    if (s->busiest != DOMAIN_NO_GROUP &&
        (mode == DOMAIN_NEW_IDLE || (mode == DOMAIN_IDLE && s->max > DOMAIN_LOAD_ONE)))
        return 1;
    return 0;
}

int32_t sd267_balance(struct policy *p, int cpu, struct domain *d, enum domain_mode mode)
{
    struct domain_survey s;
    int32_t count, moved;
    int from = POLICY_NO_CPU;

    domain_survey(p, cpu, d, false, DOMAIN_FIRST_WINS, &s);
    count = sd267_imbalance(d, &s, mode);
    if (count > 0)
        from = domain_busiest_cpu(p, cpu, &d->span->group[s.busiest]);
    if (mode == DOMAIN_NEW_IDLE)
        return from == POLICY_NO_CPU ? 0 : domain_pull(p, from, cpu, count, d, mode);
    if (from == POLICY_NO_CPU) {
        domain_relax(d); /* the failures so far still count */
        return 0;
    }
    moved = domain_pull(p, from, cpu, count, d, mode);
    if (moved > 0) {
        d->failed = 0;
    } else if (++d->failed > d->params->cache_nice_tries + 2) {
        domain_request_push(p, from, cpu);
        d->failed = (int32_t)d->params->cache_nice_tries;
    }
    d->interval_ms = (int32_t)d->params->min_interval_ms;
    return moved;
}

/* From 0 with one task: 64, 96, 112, 120, 124, 126, 127, 128. Rounding up reaches the end. */
void sd267_tick_load(struct policy *p, int cpu)
{
    int32_t *load = &domain_cpu_of(p, cpu)->estimate[cpu];
    int32_t now = domain_load(domains_of(p), cpu);

    *load = (*load + now + (now > *load)) / 2;
}

static void sd267_tick(struct policy *p, int cpu, struct policy_task *running)
{
    enum domain_mode mode = domain_tick_begin(p, cpu, running);

    sd267_tick_load(p, cpu);
    if (policy_now_ns(p) >= domain_cpu_of(p, cpu)->due_ns[mode])
        domain_walk(p, cpu, mode, sd267_balance);
}

/* ---- placement ---- */

/* Should t, which slept on `last`, come to its waker? */
static bool sd267_is_pulled(const struct policy *p, const struct policy_task *t, int waker,
                            bool sync)
{
    const struct domain_cpu *dc = domain_cpu_of(p, waker);
    int64_t load = domain_source(p, waker, t->last_cpu), mine = domain_target(p, waker, waker);

    if (sync)
        mine -= DOMAIN_LOAD_ONE; /* the waker is about to leave */
    if (load < DOMAIN_LOAD_ONE / 2 && mine > DOMAIN_LOAD_ONE / 2)
        return false; /* not from an idle cpu to a busy one */
    for (int i = 0; i < dc->domain_count; i++) {
        const struct domain *d = &dc->domain[i];
        int64_t limit = d->params->imbalance_pct + (d->params->imbalance_pct - 100) / 2;
        bool comes =
            ((d->params->flags & DOMAIN_AFFINE) != 0 && !domain_is_hot(p, t, t->last_cpu, d)) ||
            ((d->params->flags & DOMAIN_WAKEBAL) != 0 && limit * mine <= 100 * load);

        if (comes && domain_spans(p, d, t->last_cpu))
            return true;
    }
    return false;
}

/* The least loaded cpu of the outermost level with `flag`, if clearly less loaded than `cpu`. */
static int sd267_least_loaded(const struct policy *p, const struct policy_task *t, int cpu,
                              enum domain_flag flag)
{
    const struct domain_cpu *dc = domain_cpu_of(p, cpu);
    const struct domain *d = NULL;
    int64_t least = INT64_MAX, mine = domain_source(p, cpu, cpu) + DOMAIN_LOAD_ONE;
    int best = cpu;

    for (int i = 0; i < dc->domain_count; i++)
        if ((dc->domain[i].params->flags & flag) != 0)
            d = &dc->domain[i];
    if (d == NULL)
        return cpu;
    for (int i = 0; i < d->span->cpu_count && least > 0; i++) {
        int other = d->span->cpu[i];
        int64_t load = domain_target(p, cpu, other);

        if (load < least && policy_allowed(t, other)) {
            least = load;
            best = other;
        }
    }
    if (best == cpu || least * (100 + (d->params->imbalance_pct - 100) / 2) >= mine * 100)
        return cpu;
    return best;
}

static bool sd267_is_sync(const struct policy_task *t, const struct policy_wakeup *w)
{
    return w->sync || (w->why == POLICY_WAKE && !w->from_irq && sd267_task(t)->waits_child);
}

int sd267_select_cpu(struct policy *p, struct policy_task *t, const struct policy_wakeup *w)
{
    int cpu =
        o1_select_cpu(p, t, &(struct policy_wakeup){.why = w->why, .waker_cpu = w->waker_cpu});

    switch (w->why) {
    case POLICY_WAKE:
        if (t->last_cpu == POLICY_NO_CPU || o1_task_of(t)->fresh)
            return cpu;
        if (cpu != w->waker_cpu && policy_allowed(t, w->waker_cpu) && cpu == t->last_cpu &&
            sd267_is_pulled(p, t, w->waker_cpu, sd267_is_sync(t, w)))
            cpu = w->waker_cpu;
        return domain_idle_near(p, t, cpu);
    case POLICY_FORK: return w->shares_mm ? sd267_least_loaded(p, t, cpu, DOMAIN_CLONE) : cpu;
    case POLICY_EXEC:
        return o1_of(p)->nr_running[cpu] > 1 ? sd267_least_loaded(p, t, cpu, DOMAIN_EXEC) : cpu;
    case POLICY_MOVE:
    case POLICY_SLEEP:
    case POLICY_EXIT: break;
    }
    return cpu;
}

void sd267_enqueue(struct policy *p, struct policy_task *t, int cpu, const struct policy_wakeup *w)
{
    struct policy_wakeup wakeup = *w;

    wakeup.sync = sd267_is_sync(t, w);
    domain_enqueue(p, t, cpu, &wakeup);
}

void sd267_dequeue(struct policy *p, struct policy_task *t, int cpu, enum policy_why why,
                   enum policy_wait wait)
{
    sd267_task(t)->waits_child = why == POLICY_SLEEP && wait == WAIT_CHILD;
    o1_dequeue(p, t, cpu, why, wait);
}

static struct policy_task *sd267_pick(struct policy *p, int cpu, struct policy_task *prev)
{
    return domain_pick(p, cpu, prev, sd267_balance);
}

static const struct policy_param_info sd267_params[] = {
    {"smt", PARAM_BOOL, "", NULL, 0, 1, 1,
     "CONFIG_SCHED_SMT: siblings have a level of their own; spec linux 5.1"},
    O1_COMMON_PARAMS,
    DOMAIN_LEVEL_PARAMS("sib", "1", "2", "8", "110", "0", "0",
                        "NEWIDLE+EXEC+CLONE+WAKE+AFFINE+SHARE"),
    DOMAIN_LEVEL_PARAMS("cpu", "1", "4", "64", "125", "2.5ms", "1",
                        "NEWIDLE+EXEC+CLONE+AFFINE+WAKEBAL"),
    DOMAIN_LEVEL_PARAMS("node", "8", "32", "32", "125", "10ms", "1", "EXEC+CLONE+WAKEBAL"),
    {0}};

const struct policy_ops policy_sd267 = {
    .name = "sd267",
    .summary = "sched domains as merged in Linux 2.6.7",
    .source = "spec linux 5.9",
    .params = sd267_params,
    .policy_bytes = sizeof(struct domains),
    .cpu_bytes = sizeof(struct domain_cpu),
    .task_bytes = sizeof(struct sd267_task),
    .balances = true,
    .init = sd267_init,
    .clock = o1_clock,
    .select_cpu = sd267_select_cpu,
    .enqueue = sd267_enqueue,
    .dequeue = sd267_dequeue,
    .pick = sd267_pick,
    .tick = sd267_tick,
    .stopped = domain_stopped,
    .fork = o1_fork,
    .reap = o1_reap,
    .yield = o1_yield,
    .renice = o1_renice,
    .probe = domains_probe,
    .check = domains_check,
};
