/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sdmm.c - sched domains of the -mm trees, as in 2.6.3-mm4 (February 2004).
 *
 * Idea:    groups of cpus have a power; a core of two threads counts 1.1 cpus. A group is balanced against
 *          the average load per power, and where that says little, by whether total throughput would rise.
 *          Loads count only once they last: every cpu remembers all others. If nothing can be moved for
 *          several rounds because the tasks of a doubly loaded core are running, one is pushed away.
 * Source:  spec linux 5.1 to 5.7. `smt=n` is a kernel built without CONFIG_SCHED_SMT: no siblings, a
 *          group per cpu. `lessidle` is the patch of 28 February 2004.
 * Choices: gain_cap and the intervals of the sibling level are reconstructions, see the spec.
 * Good at: spreading over cores, quiet queues.
 * Bad at:  helping soon: idle cpus refuse hot tasks and wait until an imbalance has lasted.
 */
#include "policy/sdmm.h"

#include <string.h>

#include "base/units.h"

static const struct domain_params sdmm_before[DOMAIN_LEVEL_COUNT] = {
    [DOMAIN_SIB] = {.min_interval_ms = 1,
                    .max_interval_ms = 2,
                    .busy_factor = 8,
                    .imbalance_pct = 110,
                    .flags = DOMAIN_NEWIDLE | DOMAIN_FASTMIG | DOMAIN_WAKE},
    [DOMAIN_CPU] = {.min_interval_ms = 1,
                    .max_interval_ms = 8,
                    .busy_factor = 32,
                    .imbalance_pct = 125,
                    .cache_hot_ns = 5 * HL_NS_PER_MS,
                    .cache_nice_tries = 2,
                    .flags = DOMAIN_NEWIDLE | DOMAIN_FASTMIG},
    [DOMAIN_NODE] = {.min_interval_ms = 20,
                     .max_interval_ms = 1000, /* times fls(cpus) */
                     .busy_factor = 4,
                     .imbalance_pct = 125,
                     .cache_hot_ns = 5 * HL_NS_PER_MS,
                     .cache_nice_tries = 1,
                     .flags = DOMAIN_EXEC}};

void sdmm_defaults(struct domain_params params[DOMAIN_LEVEL_COUNT], bool less_idle, int cpu_count)
{
    memcpy(params, sdmm_before, sizeof(sdmm_before));
    if (less_idle) {
        params[DOMAIN_CPU].max_interval_ms = 4;
        params[DOMAIN_CPU].busy_factor = 64;
        params[DOMAIN_CPU].cache_hot_ns = 5 * HL_NS_PER_MS / 2;
        params[DOMAIN_CPU].cache_nice_tries = 1;
        params[DOMAIN_NODE].min_interval_ms = 8;
        params[DOMAIN_NODE].max_interval_ms = 256;
        params[DOMAIN_NODE].busy_factor = 8;
        params[DOMAIN_NODE].cache_hot_ns = 10 * HL_NS_PER_MS;
    }
    params[DOMAIN_NODE].max_interval_ms *= domain_fls((uint32_t)cpu_count);
}

static enum hl_status sdmm_init(struct policy *p, struct hl_error *err)
{
    struct sdmm *sd = policy_data(p);
    struct o1_rules rules = o1_rules_2_6_0;
    struct domain_params defaults[DOMAIN_LEVEL_COUNT];
    bool smt = policy_param(p, "smt") != 0;

    sd->less_idle = policy_param(p, "lessidle") != 0;
    sd->gain_cap = policy_param(p, "gain_cap") != 0;
    sdmm_defaults(defaults, sd->less_idle, policy_cpu_count(p));
    rules.expired_prio_starves = true;
    HL_TRY(o1_init(p, &rules, O1_QUEUE_PER_CPU, false, err));
    return domains_init(p,
                        &(struct domains_options){
                            .defaults = defaults, .sib = smt, .core_power = smt, .remembers = true},
                        err);
}

/* Between the average and both groups, halved: half of a task's load is not worth a move. */
static int32_t sdmm_gap(const struct sdmm *sd, const struct domain *d,
                        const struct domain_survey *s, enum domain_mode mode)
{
    int64_t average = domain_average(s), gap;

    if (s->busiest == DOMAIN_NO_GROUP || s->own >= s->max)
        return 0;
    if (mode == DOMAIN_BUSY &&
        (s->own >= average || 100 * s->max <= d->params->imbalance_pct * s->own))
        return 0;
    gap = s->max - average;
    if (s->own <= average) /* else the difference wraps and is the larger one */
        gap = HL_MIN(gap, average - s->own);
    gap = (gap + 1) / 2;
    if (gap <= DOMAIN_LOAD_ONE / 2)
        return domain_gain(s, s->own_power, sd->gain_cap) >= DOMAIN_GAIN_MIN ? 1 : 0;
    gap = gap * HL_MIN(s->busiest_power, s->own_power) >> DOMAIN_LOAD_SHIFT;
    return (int32_t)((gap + DOMAIN_LOAD_ONE / 2) >> DOMAIN_LOAD_SHIFT);
}

int32_t sdmm_imbalance(const struct sdmm *sd, const struct domain *d, const struct domain_survey *s,
                       enum domain_mode mode)
{
    int32_t count = sdmm_gap(sd, d, s, mode);

    if (count == 0 && sd->less_idle && mode == DOMAIN_NEW_IDLE && s->busiest != DOMAIN_NO_GROUP)
        return 1;
    return count;
}

int32_t sdmm_balance(struct policy *p, int cpu, struct domain *d, enum domain_mode mode)
{
    struct domain_survey s;
    int32_t count, moved;
    int from = POLICY_NO_CPU;

    domain_survey(p, cpu, d, mode != DOMAIN_NEW_IDLE, DOMAIN_FIRST_WINS, &s);
    count = sdmm_imbalance(policy_data(p), d, &s, mode);
    if (count > 0)
        from = domain_busiest_cpu(p, cpu, &d->span->group[s.busiest]);
    if (mode == DOMAIN_NEW_IDLE)
        return from == POLICY_NO_CPU ? 0 : domain_pull(p, from, cpu, count, d, mode);
    if (from == POLICY_NO_CPU) {
        domain_relax(d);
        d->failed = 0;
        return 0;
    }
    moved = domain_pull(p, from, cpu, count, d, mode);
    if (moved > 0) {
        d->failed = 0;
    } else {
        if (d->failed > d->params->cache_nice_tries)
            domain_request_push(p, from, cpu);
        d->failed++;
    }
    d->interval_ms = (int32_t)d->params->min_interval_ms;
    return moved;
}

static void sdmm_tick(struct policy *p, int cpu, struct policy_task *running)
{
    enum domain_mode mode = domain_tick_begin(p, cpu, running);

    if (policy_now_ns(p) >= domain_cpu_of(p, cpu)->due_ns[mode])
        domain_walk(p, cpu, mode, sdmm_balance);
}

static struct policy_task *sdmm_pick(struct policy *p, int cpu, struct policy_task *prev)
{
    return domain_pick(p, cpu, prev, sdmm_balance);
}

static const struct policy_param_info sdmm_params[] = {
    {"smt", PARAM_BOOL, "", NULL, 0, 1, 1,
     "CONFIG_SCHED_SMT: siblings have a level of their own; spec linux 5.7"},
    {"lessidle", PARAM_BOOL, "", NULL, 0, 1, 0,
     "the patch of 28 Feb 2004: quicker help for idle cpus; spec linux 5.2, 5.6, 5.7"},
    {"gain_cap", PARAM_BOOL, "", NULL, 0, 1, 1,
     "a move gains at most what the busiest group has; spec linux 5.6 (reconstructed)"},
    O1_COMMON_PARAMS,
    DOMAIN_LEVEL_PARAMS("sib", "1", "2", "8", "110", "0", "0", "NEWIDLE+FASTMIG+WAKE"),
    DOMAIN_LEVEL_PARAMS("cpu", "1", "8; lessidle 4", "32; lessidle 64", "125",
                        "5ms; lessidle 2.5ms", "2; lessidle 1", "NEWIDLE+FASTMIG"),
    DOMAIN_LEVEL_PARAMS("node", "20; lessidle 8", "1000 x fls(cpus); lessidle 256 x fls(cpus)",
                        "4; lessidle 8", "125", "5ms; lessidle 10ms", "1", "EXEC"),
    {0}};

const struct policy_ops policy_sdmm = {
    .name = "sdmm",
    .summary = "sched domains of 2.6.3-mm4, February 2004",
    .source = "spec linux 5.1-5.7",
    .params = sdmm_params,
    .policy_bytes = sizeof(struct sdmm),
    .cpu_bytes = sizeof(struct domain_cpu),
    .task_bytes = sizeof(struct o1_task),
    .balances = true,
    .init = sdmm_init,
    .clock = o1_clock,
    .select_cpu = domain_mm_select_cpu,
    .enqueue = domain_enqueue,
    .dequeue = o1_dequeue,
    .pick = sdmm_pick,
    .tick = sdmm_tick,
    .stopped = domain_stopped,
    .fork = o1_fork,
    .reap = o1_reap,
    .yield = o1_yield,
    .renice = o1_renice,
    .probe = domains_probe,
    .check = domains_check,
};
