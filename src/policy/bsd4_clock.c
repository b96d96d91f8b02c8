/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bsd4_clock.c - what time does in 4bsd: sampled cpu use and its decay, the load average, the end of turns.
 *
 * The statistics clock charges whoever runs when it ticks. Once a second every estimate shrinks by
 * 2 load / (2 load + 1): nine tenths are forgotten in about 5 x load seconds, so that a task's share does not depend on
 * how many others there are. A turn ends after 100 ms, by a timeout for all cpus (5.4, 6.2), by a look at the
 * time since the cpu's last switch (7.0) or by a count of the task's own ticks (14).
 * Source: spec freebsd 1.6, 2.2 to 2.5.
 */
#include "base/units.h"
#include "policy/bsd4.h"

enum {
    CCPU = 1948,       /* e^(-1/20) x 2048: %cpu forgets 95 % in a minute */
    LOAD_DECAY = 1884, /* e^(-1/12) x 2048: a step of five seconds, a mean over a minute */
};

/* ---- once a second ---- */

static void bsd4_decay(const struct bsd4 *g, struct bsd4_task *d)
{
    int64_t factor = 2 * g->load;

    d->estcpu = (int32_t)(d->estcpu * factor / (factor + BSD4_FSCALE));
}

/* The decays missed while asleep; without load one is enough. */
void bsd4_decay_after_sleep(const struct bsd4 *g, struct bsd4_task *d)
{
    for (int32_t i = 1; i < d->slptime && d->estcpu > 0; i++)
        bsd4_decay(g, d);
}

static void bsd4_count_pctcpu(const struct bsd4 *g, struct bsd4_task *d)
{
    d->pctcpu = d->pctcpu * CCPU >> BSD4_FSHIFT;
    d->pctcpu +=
        (BSD4_FSCALE - CCPU) * (d->cpticks * BSD4_FSCALE / bsd_stathz(g->release)) >> BSD4_FSHIFT;
    d->cpticks = 0;
}

static void bsd4_pass(struct policy *p, int cpu)
{
    const struct bsd4 *g = policy_data(p);
    uint32_t count = 0;

    policy_lock(p, cpu, BSD4_LOCK);
    for (struct policy_task *t = policy_next_task(p, NULL); t != NULL; t = policy_next_task(p, t)) {
        struct bsd4_task *d = bsd4_task(t);
        const struct policy_task *running = policy_running(p, cpu);

        count++;
        bsd4_count_pctcpu(g, d);
        if (d->queue != BSD4_NOT_QUEUED || t->on_cpu >= 0 || d->ran) {
            if (d->slptime > 1)
                bsd4_decay_after_sleep(g, d);
            d->slptime = 0;
        } else {
            d->slptime++;
        }
        d->ran = false;
        if (d->slptime > 1)
            continue;
        bsd4_decay(g, d);
        bsd4_reset_priority(p, t);
        if (d->queue != BSD4_NOT_QUEUED && running != NULL &&
            d->priority < bsd4_task(running)->priority)
            bsd4_ask(p, cpu);
    }
    policy_charge(p, cpu, POLICY_SCAN, count);
}

/* All cpus at the same instant, whatever their tasks have used (5.x and 6.x). The cpu that runs the timeout
 * switches because it does: 6.x puts its task back to the head of its level, so that it stays if no other is better. */
static void bsd4_rotate(struct policy *p, int here)
{
    const struct bsd4 *g = policy_data(p);

    for (int cpu = 0; cpu < policy_cpu_count(p); cpu++) {
        if (policy_running(p, cpu) == NULL)
            continue;
        if (cpu == here && g->release > BSD_5_4)
            bsd4_interrupt(p, cpu);
        else if (cpu == here || g->rotate_others)
            bsd4_ask(p, cpu);
    }
}

/* ---- the clock interrupts of idle cpus ---- */

/* The first one after that time. */
static int64_t bsd4_after(int64_t ns, int64_t phase_ns, int64_t period_ns)
{
    return phase_ns + (ns - phase_ns + period_ns) / period_ns * period_ns;
}

static int64_t bsd4_interrupt_after(const struct bsd4 *g, int cpu, int64_t ns)
{
    int64_t at_ns = bsd4_after(ns, g->interrupt_ns[cpu], g->interrupt_period_ns);

    if (g->stat_period_ns > 0)
        at_ns = HL_MIN(at_ns, bsd4_after(ns, g->stat_phase_ns, g->stat_period_ns));
    return at_ns;
}

static void bsd4_set_timer(struct policy *p)
{
    const struct bsd4 *g = policy_data(p);

    policy_set_timer(p, 0,
                     HL_MIN(HL_MIN(g->pass_ns, g->load_ns), HL_MIN(g->rotate_ns, g->look_ns)));
}

void bsd4_look_later(struct policy *p)
{
    struct bsd4 *g = policy_data(p);
    int cpus = policy_cpu_count(p);

    if (g->interrupt_ns == NULL || g->queued_count <= g->racing_count || g->idle_count == 0)
        return;
    g->look_ns = INT64_MAX;
    for (int cpu = bsd_cpu_next(g->idle, cpus, 0); cpu >= 0;
         cpu = bsd_cpu_next(g->idle, cpus, cpu + 1))
        if (!((struct bsd4_cpu *)policy_cpu_data(p, cpu))->told)
            g->look_ns = HL_MIN(g->look_ns, bsd4_interrupt_after(g, cpu, policy_now_ns(p)));
    bsd4_set_timer(p);
}

/* In 5.4 all cpus are interrupted at the same instant, and race. */
static void bsd4_look(struct policy *p)
{
    struct bsd4 *g = policy_data(p);
    int cpus = policy_cpu_count(p);
    int64_t now_ns = policy_now_ns(p);

    g->look_ns = INT64_MAX;
    for (int cpu = bsd_cpu_next(g->idle, cpus, 0); cpu >= 0 && g->queued_count > 0;
         cpu = bsd_cpu_next(g->idle, cpus, cpu + 1))
        if (bsd4_interrupt_after(g, cpu, now_ns - 1) == now_ns)
            bsd4_tell(p, cpu, true);
    bsd4_look_later(p);
}

static void bsd4_interrupts_init(struct policy *p)
{
    struct bsd4 *g = policy_data(p);
    bool together = g->release == BSD_5_4;

    g->interrupt_period_ns = HL_NS_PER_S / bsd_interrupt_hz(g->release, g->hz);
    for (int cpu = 0; cpu < policy_cpu_count(p); cpu++)
        g->interrupt_ns[cpu] = together && cpu > 0
                                   ? g->interrupt_ns[0]
                                   : (int64_t)policy_random(p, (uint64_t)g->interrupt_period_ns);
    if (!together)
        return;
    g->stat_period_ns = HL_NS_PER_S / bsd_stathz(g->release);
    g->stat_phase_ns = (int64_t)policy_random(p, (uint64_t)g->stat_period_ns);
}

static int64_t bsd4_load_delay_ns(struct policy *p)
{
    int64_t spread_ticks = 2 * ((struct bsd4 *)policy_data(p))->hz + 1;

    return 4 * HL_NS_PER_S + (int64_t)policy_random(p, (uint64_t)spread_ticks) *
                                 (2 * HL_NS_PER_S / (spread_ticks - 1));
}

void bsd4_clock_init(struct policy *p)
{
    struct bsd4 *g = policy_data(p);

    /* The machine has been up for a while: the first of each comes at any point of its period. */
    g->pass_ns = (int64_t)policy_random(p, (uint64_t)HL_NS_PER_S);
    g->load_ns = (int64_t)policy_random(p, (uint64_t)(5 * HL_NS_PER_S));
    g->rotate_ns =
        g->release <= BSD_6_2 ? (int64_t)policy_random(p, (uint64_t)g->quantum_ns) : INT64_MAX;
    g->look_ns = INT64_MAX;
    if (g->interrupt_ns != NULL)
        bsd4_interrupts_init(p);
    bsd4_set_timer(p);
}

void bsd4_timer(struct policy *p, int cpu)
{
    struct bsd4 *g = policy_data(p);
    int64_t now_ns = policy_now_ns(p);

    if (now_ns >= g->load_ns) {
        g->load = (g->load * LOAD_DECAY +
                   (int64_t)g->run_count * BSD4_FSCALE * (BSD4_FSCALE - LOAD_DECAY)) >>
                  BSD4_FSHIFT;
        g->load_ns = now_ns + bsd4_load_delay_ns(p);
    }
    if (now_ns >= g->pass_ns) {
        bsd4_pass(p, cpu);
        g->pass_ns = now_ns + HL_NS_PER_S;
    }
    if (now_ns >= g->rotate_ns) {
        bsd4_rotate(p, cpu);
        g->rotate_ns = now_ns + g->quantum_ns;
    }
    if (now_ns >= g->look_ns)
        bsd4_look(p);
    bsd4_set_timer(p);
}

/* ---- ticks ---- */

void bsd4_tick(struct policy *p, int cpu, struct policy_task *running)
{
    if (running != NULL && ((struct bsd4 *)policy_data(p))->tick_locks)
        policy_lock(p, cpu, BSD4_LOCK);
}

void bsd4_stat_tick(struct policy *p, int cpu, struct policy_task *running)
{
    const struct bsd4 *g = policy_data(p);
    const struct bsd4_cpu *c = policy_cpu_data(p, cpu);
    struct bsd4_task *d;

    if (running == NULL)
        return;
    policy_lock(p, cpu, BSD4_LOCK);
    d = bsd4_task(running);
    d->cpticks++;
    d->estcpu = HL_MIN(d->estcpu + 1, g->estcpu_max);
    if (d->estcpu % g->weight == 0)
        bsd4_reset_priority(p, running);
    if (g->release == BSD_7_0 &&
        bsd_ticks(policy_now_ns(p), g->hz) - c->switched_ticks >= g->quantum_ticks)
        bsd4_ask(p, cpu);
    if (g->release > BSD_7_0 && --d->slice_left <= 0) {
        d->slice_left = g->slice_ticks;
        d->slice_end = true;
        bsd4_ask(p, cpu);
    }
}
