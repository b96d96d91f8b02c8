/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fair_idle.c - balancing by cpus without work: at the moment they run out of it (newidle_balance),
 * and later, when they have no tick of their own, at a busy cpu's request (nohz).
 *
 * Idea:    a cpu that runs out of work looks at once, if the machine has some to spare and it is
 *          usually idle for longer than the search takes. Idle cpus sleep; a busy cpu's tick wakes
 *          one of them, which then balances for all.
 * Source:  spec modern 4.1, 4.2, 3.3 (idle-core hint).
 * Choices: an idle cpu's tick stops at once. It leaves the mask of idle cpus, and counts as busy in
 *          its cache, at its next busy tick. The kicked cpu balances within the tick that kicked it,
 *          before the busy cpu acts on that tick's resched: so the task that waited through the tick
 *          is the one that moves (measured shares of pinned hogs need this). A newidle pass costs its
 *          level's constant in decisions (fair_domains.c), and no time.
 */
#include "policy/fair_balance.h"
#include "policy/fair_cgroup.h"

enum { NOHZ_STATS_KICK = 1, NOHZ_BALANCE_KICK = 2 };

/* ---- running out of work: 4.1 ---- */

/* Draws whether a newidle pass is worth it, by how often it was. */
static bool ni_random_skips(struct policy *p, struct fair_domain *d, int *weight)
{
    if (!fair_of(p)->ni_random)
        return false;
    *weight = 1 + d->newidle_ratio;
    return (int)policy_random(p, 1024) > *weight;
}

static void ni_random_count(const struct policy *p, struct fair_domain *d, int successes)
{
    if (!fair_of(p)->ni_random)
        return;
    d->newidle_calls++;
    d->newidle_successes += successes;
    if (d->newidle_calls < 1024)
        return;
    d->newidle_ratio = d->newidle_successes;
    d->newidle_calls /= 2;
    d->newidle_successes /= 2;
}

static void update_blocked(struct policy *p);

/* update_next_balance: the long intervals of a busy cpu are left behind. */
static void pull_in_next_balance(const struct policy *p, struct fair_cpu *c, int level)
{
    const struct fair_domain *d = &c->domain[level];

    c->next_balance = HL_MIN(c->next_balance, d->last_balance + fair_domain_interval(p, d, false));
}

bool fair_newidle_balance(struct policy *p, struct fair_cpu *c)
{
    struct fair *f = fair_of(p);
    int64_t cost_ns = 0;
    bool may_continue = true;

    c->idle_since_ns = policy_now_ns(p);
    if (c->domain_count == 0)
        return false;
    if (!f->overload || c->avg_idle_ns < c->domain[0].span->newidle_cost_ns) {
        pull_in_next_balance(p, c, 0);
        return false;
    }
    fair_update_blocked_averages(p, c);
    for (int level = 0; level < c->domain_count && c->nr_running == 0; level++) {
        struct fair_domain *d = &c->domain[level];
        int weight = 1, moved;

        pull_in_next_balance(p, c, level);
        if (c->avg_idle_ns < cost_ns + d->span->newidle_cost_ns)
            break;
        if (ni_random_skips(p, d, &weight)) {
            ni_random_count(p, d, 0);
            continue;
        }
        moved = fair_load_balance(p, c, level, FAIR_NEWLY_IDLE, &may_continue);
        cost_ns += d->span->newidle_cost_ns;
        ni_random_count(p, d, moved > 0 ? (1024 + weight / 2) / weight : 0);
    }
    return c->nr_running > 0;
}

/* ---- idle and busy ---- */

/* __update_idle_core: a whole core is idle now. */
static void hint_idle_core(const struct policy *p, const struct fair_cpu *c)
{
    const struct machine *m = policy_machine(p);
    int core = m->cpu[c->cpu].core;

    if (!m->has_smt || c->llc->has_idle_cores)
        return;
    for (int i = m->core_first[core]; i < m->core_first[core + 1]; i++)
        if (m->core_cpu[i] != c->cpu && !fair_cpu_is_idle(fair_cpu_of(p, m->core_cpu[i])))
            return;
    c->llc->has_idle_cores = true;
}

void fair_enter_idle(struct policy *p, struct fair_cpu *c)
{
    struct fair *f = fair_of(p);

    c->is_idle = true;
    c->idle_since_ns = policy_now_ns(p);
    c->misfit_load = 0;
    hint_idle_core(p, c);
    f->nohz_has_blocked = true;
    if (!c->in_nohz) {
        c->in_nohz = true;
        c->llc->busy_count--;
        fair_mask_set(f->nohz_mask, c->cpu, true);
        f->nohz_count++;
        f->nohz_next_balance = HL_MIN(f->nohz_next_balance, c->next_balance);
    }
    /* nohz_newidle_balance */
    if (c->avg_idle_ns >= f->migration_cost_ns && fair_jiffies(p) >= f->nohz_next_blocked)
        update_blocked(p);
}

void fair_leave_idle(struct policy *p, struct fair_cpu *c)
{
    int64_t idle_ns = policy_now_ns(p) - c->idle_since_ns;

    if (!c->is_idle)
        return;
    fair_update_load_avg(p, &c->queue, NULL); /* with the clock of an idle cpu */
    c->is_idle = false;
    c->avg_idle_ns += (idle_ns - c->avg_idle_ns) / 8;
    c->avg_idle_ns = HL_MIN(c->avg_idle_ns, 2 * fair_of(p)->migration_cost_ns);
}

/* ---- idle cpus without a tick: 4.2 ---- */

/* The next cpu of the mask at or after `from`; cpu_count: none. */
static int next_in_mask(const struct policy *p, const uint64_t *mask, int from)
{
    int cpu_count = policy_cpu_count(p);

    while (from < cpu_count) {
        uint64_t word = mask[from / 64] >> (from % 64);

        if (word != 0)
            return from + __builtin_ctzll(word);
        from = (from / 64 + 1) * 64;
    }
    return cpu_count;
}

static void update_blocked(struct policy *p)
{
    struct fair *f = fair_of(p);
    int cpu_count = policy_cpu_count(p);

    for (int cpu = next_in_mask(p, f->nohz_mask, 0); cpu < cpu_count;
         cpu = next_in_mask(p, f->nohz_mask, cpu + 1)) {
        struct fair_cpu *c = fair_cpu_of(p, cpu);

        if (fair_cpu_is_idle(c))
            fair_update_blocked_averages(p, c);
    }
    f->nohz_next_blocked = fair_jiffies(p) + (PELT_HALF_LIFE * (int64_t)f->hz + 999) / 1000;
}

/* _nohz_idle_balance, by the idle cpu that was kicked: for all idle ones, itself last. */
static void nohz_idle_balance(struct policy *p, struct fair_cpu *own, unsigned flags)
{
    struct fair *f = fair_of(p);
    int cpu = own->cpu, cpu_count = policy_cpu_count(p);
    int64_t next = INT64_MAX;

    if ((flags & NOHZ_STATS_KICK) != 0)
        update_blocked(p);
    for (int part = 0; part < 2; part++) {
        int end = part == 0 ? cpu_count : cpu + 1;

        for (int other = next_in_mask(p, f->nohz_mask, part == 0 ? cpu + 1 : 0); other < end;
             other = next_in_mask(p, f->nohz_mask, other + 1)) {
            struct fair_cpu *c = fair_cpu_of(p, other);

            if (!fair_cpu_is_idle(c))
                continue;
            if (own->nr_running > 0)
                return;
            if ((flags & NOHZ_BALANCE_KICK) != 0 && fair_jiffies(p) >= c->next_balance)
                fair_rebalance_domains(p, c, FAIR_IDLE);
            next = HL_MIN(next, c->next_balance);
        }
    }
    if (next != INT64_MAX)
        f->nohz_next_balance = next;
}

static void kick_ilb(struct policy *p, const struct fair_cpu *c, unsigned flags)
{
    struct fair *f = fair_of(p);
    int cpu_count = policy_cpu_count(p), cpu = next_in_mask(p, f->nohz_mask, 0);

    if ((flags & NOHZ_BALANCE_KICK) != 0)
        f->nohz_next_balance = fair_jiffies(p) + 1;
    while (cpu < cpu_count && (cpu == c->cpu || !fair_cpu_is_idle(fair_cpu_of(p, cpu))))
        cpu = next_in_mask(p, f->nohz_mask, cpu + 1);
    if (cpu == cpu_count)
        return;
    nohz_idle_balance(p, fair_cpu_of(p, cpu), flags);
}

void fair_nohz_balancer_kick(struct policy *p, struct fair_cpu *c)
{
    struct fair *f = fair_of(p);
    int64_t now = fair_jiffies(p);
    unsigned flags = 0;

    if (c->in_nohz) { /* nohz_balance_exit_idle */
        c->in_nohz = false;
        c->llc->busy_count++;
        fair_mask_set(f->nohz_mask, c->cpu, false);
        f->nohz_count--;
    }
    if (f->nohz_count == 0)
        return;
    if (f->nohz_has_blocked && now > f->nohz_next_blocked)
        flags = NOHZ_STATS_KICK;
    if (now >= f->nohz_next_balance &&
        (c->nr_running >= 2 ||
         (c->queue.h_nr >= 1 && fair_capacity_is_reduced(c, c->domain[0].imbalance_pct)) ||
         (f->is_asym ? c->misfit_load > 0 : c->llc->busy_count > 1)))
        flags = NOHZ_STATS_KICK | NOHZ_BALANCE_KICK;
    if (flags != 0)
        kick_ilb(p, c, flags);
}
