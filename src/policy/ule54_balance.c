/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ule54_balance.c - how ULE 1.0 moves queued tasks: from a sibling when idle, and by a long-term balancer.
 *
 * The balancer runs at a planned tick, up to two seconds after it ran last, and moves half of the difference between
 * the most and the least loaded group of cpus. In text A it runs only if a stat tick falls into exactly that
 * tick, else never again; and the number of groups it knows is set only where a core has several threads, so
 * that elsewhere it compares the first group with itself.
 * Source: spec freebsd 3.1, 3.8.
 */
#include "base/units.h"
#include "policy/ule54.h"

/* The first task of the queue, from the best level on, that may run on cpu `to`. */
static struct policy_task *ule54_first_movable(const struct bsd_queue *q, int to)
{
    for (uint64_t map = q->occupied; map != 0; map &= map - 1) {
        struct policy_task *t = bsd_queue_head(q, __builtin_ctzll(map));

        for (; t != NULL; t = HL_LIST_ENTRY(t->link.next, struct policy_task, link))
            if (!ule54_task(t)->pinned && policy_allowed(t, to))
                return t;
    }
    return NULL;
}

/* Those who would wait longest first; tasks of class idle only for the balancer. */
static struct policy_task *ule54_steal(const struct ule54_cpu *from, int to, bool balancing)
{
    struct policy_task *t = ule54_first_movable(&from->queue[!from->current], to);

    if (t == NULL)
        t = ule54_first_movable(&from->queue[from->current], to);
    if (t == NULL && balancing)
        t = ule54_first_movable(&from->idle_queue, to);
    return t;
}

static bool ule54_take_from_sibling(struct policy *p, int cpu)
{
    const struct ule54 *g = policy_data(p);
    const struct ule54_group *group =
        ule54_group_of(g, (const struct ule54_cpu *)policy_cpu_data(p, cpu));

    for (int32_t i = 0; i < group->cpu_count; i++) {
        const struct ule54_cpu *from = policy_cpu_data(p, group->cpu[i]);
        struct policy_task *t =
            group->cpu[i] != cpu && from->transferable > 0 ? ule54_steal(from, cpu, false) : NULL;

        if (t == NULL)
            continue;
        ule54_take(p, t);
        ule54_add(p, cpu, t);
        return true;
    }
    return false;
}

bool ule54_steal_for_idle(struct policy *p, int cpu)
{
    bool stolen = ule54_take_from_sibling(p, cpu);

    if (machine_core_size(policy_machine(p), cpu) > 1)
        ule_count_look(p, MACHINE_SAME_CORE, stolen);
    return stolen;
}

/* ---- the balancer ---- */

struct side { /* what a balancer compares: groups of cpus, or the cpus of a group */
    const int32_t *cpu;
    int32_t cpu_count, load, transferable;
};

/* Half of the difference, so that a surplus of one moves as well. True if some task was moved. */
static bool ule54_balance_pair(struct policy *p, const struct side *high, const struct side *low)
{
    struct ule54 *g = policy_data(p);
    int32_t moves = HL_MIN((high->load - low->load + 1) / 2, high->transferable);
    int to = low->cpu[0];
    bool moved = false;

    for (int32_t i = 1; i < low->cpu_count; i++)
        if (((struct ule54_cpu *)policy_cpu_data(p, low->cpu[i]))->load <
            ((struct ule54_cpu *)policy_cpu_data(p, to))->load)
            to = low->cpu[i];
    for (int32_t i = 0; i < high->cpu_count && moves > 0;) {
        const struct ule54_cpu *from = policy_cpu_data(p, high->cpu[i]);
        struct policy_task *t = from->transferable > 0 ? ule54_steal(from, to, true) : NULL;

        if (t == NULL) {
            i++;
            continue;
        }
        ule54_take(p, t);
        ule54_hand_over(p, to, t);
        g->moved_count++;
        moves--;
        moved = true;
    }
    return moved;
}

/* One look of the balancer that reaches so far. */
static void ule54_balance_sides(struct policy *p,
                                const struct side *(*side)(struct policy *, int32_t, struct side *),
                                int32_t first, int32_t count, enum machine_distance reach)
{
    struct side high = {.load = -1}, low = {.load = INT32_MAX}, storage;
    int32_t start = (int32_t)policy_random(p, (uint64_t)count);

    for (int32_t i = 0; i < count; i++) {
        const struct side *s = side(p, first + (start + i) % count, &storage);

        if (s->load > high.load && s->transferable > 0)
            high = *s;
        if (s->load < low.load)
            low = *s;
    }
    ule_count_look(p, reach, high.load > low.load && ule54_balance_pair(p, &high, &low));
}

static const struct side *ule54_group_side(struct policy *p, int32_t i, struct side *s)
{
    const struct ule54_group *group = &((struct ule54 *)policy_data(p))->group[i];

    *s = (struct side){group->cpu, group->cpu_count, group->load, group->transferable};
    return s;
}

/* `i` is a place in the machine's list of cpus by core. */
static const struct side *ule54_cpu_side(struct policy *p, int32_t i, struct side *s)
{
    const int32_t *cpu = policy_machine(p)->core_cpu + i;
    const struct ule54_cpu *c = policy_cpu_data(p, *cpu);

    *s = (struct side){cpu, 1, c->load, c->transferable};
    return s;
}

static bool ule54_is_due(const struct ule54 *g, int32_t ticks, int32_t planned)
{
    return g->text_b ? ticks >= planned : ticks == planned;
}

static int32_t ule54_plan(struct policy *p, int32_t ticks)
{
    return ticks + (int32_t)policy_random(p, (uint64_t)(2 * ((struct ule54 *)policy_data(p))->hz));
}

void ule54_balance_check(struct policy *p)
{
    struct ule54 *g = policy_data(p);
    const struct machine *m = policy_machine(p);
    int32_t ticks = bsd_ticks(policy_now_ns(p), g->hz);

    if (ule54_is_due(g, ticks, g->balance_ticks)) {
        g->balance_ticks = ule54_plan(p, ticks);
        g->balance_count++;
        ule54_balance_sides(p, ule54_group_side, 0, g->known_groups, g->span);
    }
    if (g->has_groups && ule54_is_due(g, ticks, g->inner_balance_ticks)) {
        g->inner_balance_ticks = ule54_plan(p, ticks);
        for (int32_t i = 0; i < g->known_groups; i++)
            ule54_balance_sides(p, ule54_cpu_side, m->core_first[i],
                                m->core_first[i + 1] - m->core_first[i], MACHINE_SAME_CORE);
    }
}

void ule54_balance_init(struct policy *p)
{
    struct ule54 *g = policy_data(p);

    /* A second after boot; and half a second within groups. */
    g->balance_ticks = g->hz;
    g->inner_balance_ticks = g->hz / 2;
}
