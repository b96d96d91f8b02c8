/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fair_cgroup.c - task groups: what they are made of, the weight of a group on each cpu, and how its
 * load becomes that of its entity.
 *
 * Idea:    a group has a queue and an entity on each cpu. The entities' weights together are the
 *          group's shares, divided by where its load is (calc_group_shares). Utilisation of the
 *          entity is that of its queue; its load is how much of the time the queue had some.
 * Source:  spec modern 5, 1.3 (attach, detach), 2.8, 7.6 (reweight).
 * Choices: the spec names no rule for load that comes and goes below a group; as in the kernel the
 *          difference is handed up once the group's entity is updated. Weights are whole numbers
 *          (the kernel has ten binary places more). All of a cpu's groups are looked at where the
 *          kernel keeps a list of those with load left.
 *          Kernel threads are in no autogroup, nor are tasks of a group that the workload names.
 */
#include "policy/fair_cgroup.h"

enum {
    SHARES_MIN = 2,
    WEIGHT_DEFAULT = 100, /* of cpu.weight */
    CONTRIBUTION_SHIFT = 6
};

/* ---- set-up ---- */

static enum hl_status init_cgroup(struct policy *p, struct fair_cgroup *g, struct hl_error *err)
{
    size_t cpus = (size_t)policy_cpu_count(p);

    g->queue = policy_alloc(p, cpus, sizeof(*g->queue));
    g->entity = policy_alloc(p, cpus, sizeof(*g->entity));
    if (g->queue == NULL || g->entity == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for task group %s on %zu cpus", g->name,
                       cpus);
    g->period_end_ns = g->slack_ns = INT64_MAX;
    for (int cpu = 0; cpu < policy_cpu_count(p); cpu++) {
        struct fair_queue *q = &g->queue[cpu];
        struct fair_entity *se = &g->entity[cpu];

        *q = (struct fair_queue){.of = fair_cpu_of(p, cpu), .cgroup = g, .owner = se};
        *se = (struct fair_entity){.own = q,
                                   .cpu = cpu,
                                   .is_idle = g->is_idle,
                                   .weight = g->shares,
                                   .inverse = fair_inverse(g->shares),
                                   .slice_ns = fair_of(p)->base_slice_ns,
                                   .queue = g->parent == NULL ? &fair_cpu_of(p, cpu)->queue
                                                              : &g->parent->queue[cpu],
                                   .parent = g->parent == NULL ? NULL : &g->parent->entity[cpu]};
        se->depth = se->parent == NULL ? 0 : se->parent->depth + 1;
        se->avg.last_ns = 1; /* always attached, with no load so far */
    }
    return HL_OK;
}

enum hl_status fair_cgroups_init(struct policy *p, struct hl_error *err)
{
    struct fair *f = fair_of(p);
    int32_t sessions = policy_param(p, "autogroup") != 0 ? p->session_count : 0;

    f->bandwidth_slice_ns = policy_param(p, "sched_cfs_bandwidth_slice_us") * HL_NS_PER_US;
    f->cgroup_count = p->group_count + sessions;
    f->first_session = sessions > 0 ? p->group_count : -1;
    if (f->cgroup_count == 0)
        return HL_OK;
    f->cgroup = policy_alloc(p, (size_t)f->cgroup_count, sizeof(*f->cgroup));
    if (f->cgroup == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for %d task groups", (int)f->cgroup_count);
    for (int32_t i = 0; i < f->cgroup_count; i++) {
        struct fair_cgroup *g = &f->cgroup[i];

        if (i < p->group_count) {
            const struct policy_group *from = &p->group[i];

            *g = (struct fair_cgroup){
                .name = from->name,
                .parent = from->parent == 0 ? NULL : &f->cgroup[from->parent - 1],
                .is_idle = from->is_idle,
                .shares = from->is_idle ? FAIR_IDLE_WEIGHT
                                        : HL_MAX(SHARES_MIN, (from->weight * FAIR_NICE_0_WEIGHT +
                                                              WEIGHT_DEFAULT / 2) /
                                                                 WEIGHT_DEFAULT),
                .quota_ns = from->quota_ns,
                .runtime_ns = from->quota_ns,
                .period_ns = from->period_ns};
            if (g->quota_ns > 0)
                g->phase_ns = (int64_t)policy_random(p, (uint64_t)g->period_ns);
        } else {
            *g = (struct fair_cgroup){.name = "autogroup",
                                      .shares =
                                          fair_weight_of_nice(p->session_nice[i - p->group_count])};
        }
        HL_TRY(init_cgroup(p, g, err));
    }
    return HL_OK;
}

struct fair_cgroup *fair_cgroup_of(const struct policy *p, const struct policy_task *t)
{
    const struct fair *f = fair_of(p);

    if (t->group > 0)
        return &f->cgroup[t->group - 1];
    return f->first_session < 0 || t->is_kernel ? NULL : &f->cgroup[f->first_session + t->session];
}

/* ---- shares ---- */

/* The part of the group's shares that falls to this cpu. */
static int32_t calc_group_shares(const struct fair_queue *q)
{
    int64_t load = HL_MAX(q->load_weight, (int64_t)q->avg.load_avg), shares = q->cgroup->shares;
    int64_t total = q->cgroup->load_avg - q->tg_load_avg_contrib + load;

    shares *= load;
    if (total > 0)
        shares /= total;
    return (int32_t)HL_MAX(HL_MIN(shares, (int64_t)q->cgroup->shares), (int64_t)SHARES_MIN);
}

void fair_update_cfs_group(struct policy *p, struct fair_entity *se)
{
    int32_t weight;

    if (fair_is_task(se) || se->own->throttle_count > 0 ||
        (se->own->load_weight == 0 && fair_of(p)->by_deadline))
        return;
    weight = calc_group_shares(se->own);
    if (weight != se->weight)
        fair_reweight(p, se, weight, fair_inverse(weight));
}

void fair_update_tg_load_avg(struct fair_queue *q)
{
    int64_t delta = q->avg.load_avg - q->tg_load_avg_contrib;

    if (HL_MAX(delta, -delta) <= q->tg_load_avg_contrib >> CONTRIBUTION_SHIFT)
        return;
    q->cgroup->load_avg += delta;
    q->tg_load_avg_contrib += delta;
}

/* ---- load goes up ---- */

void fair_add_propagation(struct fair_queue *q, int64_t runnable_sum)
{
    q->propagate = true;
    q->prop_runnable_sum += runnable_sum;
    fair_update_tg_load_avg(q);
}

/* The entity's signal becomes that of its queue, and the queue it is in follows. */
static void follow(int32_t *avg, int64_t *sum, int32_t own_avg, int64_t divider, int32_t *above_avg,
                   int64_t *above_sum)
{
    int64_t own_sum = own_avg * divider;

    *above_avg = HL_MAX(*above_avg + own_avg - *avg, 0);
    *above_sum = HL_MAX(*above_sum + own_sum - *sum,
                        *above_avg * (int64_t)(PELT_LOAD_AVG_MAX - PELT_SEGMENT));
    *avg = own_avg;
    *sum = own_sum;
}

/* update_tg_cfs_load: for how much of the time the queue has had something to run. */
static void follow_load(struct fair_queue *q, struct fair_entity *se, int64_t divider)
{
    struct fair_queue *own = se->own;
    int64_t runnable_sum = own->prop_runnable_sum, load_avg, was_sum;

    own->prop_runnable_sum = 0;
    if (runnable_sum == 0)
        return;
    if (runnable_sum > 0) {
        runnable_sum = HL_MIN(runnable_sum + se->avg.load_sum, divider);
    } else { /* what is left, by the mean weight of those who are */
        runnable_sum = own->load_weight > 0 ? own->avg.load_sum / own->load_weight : 0;
        runnable_sum = HL_MIN(se->avg.load_sum, runnable_sum);
    }
    /* It ran at most as long as it was there to run. */
    runnable_sum = HL_MAX(runnable_sum, se->avg.util_sum >> PELT_UNIT_SHIFT);
    load_avg = se->weight * runnable_sum / divider;
    was_sum = se->weight * se->avg.load_sum;
    q->avg.load_avg = (int32_t)HL_MAX(q->avg.load_avg + load_avg - se->avg.load_avg, 0);
    q->avg.load_sum = HL_MAX(q->avg.load_sum + se->weight * runnable_sum - was_sum,
                             q->avg.load_avg * (int64_t)(PELT_LOAD_AVG_MAX - PELT_SEGMENT));
    se->avg.load_sum = runnable_sum;
    se->avg.load_avg = (int32_t)load_avg;
}

void fair_propagate_load(struct fair_queue *q, struct fair_entity *se)
{
    const struct pelt *own = &se->own->avg;
    int64_t divider = pelt_divider(&q->avg);

    se->own->propagate = false;
    se->avg.period_contrib = q->avg.period_contrib;
    follow(&se->avg.util_avg, &se->avg.util_sum, own->util_avg, divider, &q->avg.util_avg,
           &q->avg.util_sum);
    follow(&se->avg.runnable_avg, &se->avg.runnable_sum, own->runnable_avg, divider,
           &q->avg.runnable_avg, &q->avg.runnable_sum);
    follow_load(q, se, divider);
    if (q->cgroup != NULL)
        fair_add_propagation(q, 0);
}

void fair_update_path(struct policy *p, struct fair_entity *se)
{
    for (; se != NULL; se = se->parent)
        fair_update_load_avg(p, se->queue, se);
}

void fair_update_blocked_averages(struct policy *p, struct fair_cpu *c)
{
    const struct fair *f = fair_of(p);

    for (int32_t i = f->cgroup_count - 1; i >= 0; i--) { /* children before parents */
        struct fair_entity *se = &f->cgroup[i].entity[c->cpu];

        if (se->own->avg.load_sum == 0 && se->own->avg.util_sum == 0 && !se->own->propagate)
            continue;
        fair_update_load_avg(p, se->own, NULL);
        fair_update_load_avg(p, se->queue, se);
    }
    fair_update_load_avg(p, &c->queue, NULL);
    fair_rt_update_capacity(p, c);
}
