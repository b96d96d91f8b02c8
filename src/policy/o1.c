/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * o1.c - the O(1) scheduler of Linux 2.5 and 2.6.0: a run queue per cpu, balanced by ticks.
 *
 * Idea:    each cpu runs the best priority of its own queue in constant time. Sleeping earns a
 *          bonus of up to 5 priorities, hogging costs as much. A woken task goes back to the cpu it
 *          last ran on, a child stays with its parent; only ticks and cpus running dry level the
 *          queues, by counting tasks.
 * Source:  spec linux 3 (2.6.0); 2.6.0-test11, 2.6.3, 2.5.32: 3.10. The starvation rule of 2.6.3
 *          and the balancing of 2.5.32 are reconstructed there.
 * Omits:   the clock skew between cpus, lock contention. Looking at queue lengths costs nothing.
 * Good at: many more tasks than cpus; interactive response; its own cost.
 * Bad at:  half load on SMT machines: two tasks on siblings beside an idle core are seen as
 *          balanced, and where a task lands depends on whose tick comes first.
 *
 * Read o1_core.c for the queues and events, o1_interactivity.c for the bonus, o1_balance.c for what
 * moves; this file says how they make a scheduler.
 */
#include "policy/o1.h"

void o1_base_enqueue(struct policy *p, struct policy_task *t, int cpu,
                     const struct policy_wakeup *w)
{
    if (o1_enqueue(p, t, cpu, w))
        o1_preempt(p, t, cpu);
}

int o1_base_select_cpu(struct policy *p, struct policy_task *t, const struct policy_wakeup *w)
{
    int cpu = o1_select_cpu(p, t, w);

    return w->why == POLICY_EXEC ? o1_exec_cpu(p, t, cpu) : cpu;
}

struct policy_task *o1_base_pick(struct policy *p, int cpu, struct policy_task *prev)
{
    struct o1_base *base = policy_data(p);
    struct o1_queue *queue = o1_queue_of(&base->o1, cpu);
    struct policy_task *next;

    o1_leave(p, prev);
    if (o1_nr_running(&base->o1, cpu) == 0 && !base->o1.up)
        o1_balance_idle(p, &base->balance, cpu, false);
    next = o1_choose(queue);
    if (next == NULL) {
        o1_go_idle(queue);
        return NULL;
    }
    o1_start(p, next, prev);
    return next;
}

void o1_base_tick(struct policy *p, int cpu, struct policy_task *running)
{
    struct o1_base *base = policy_data(p);

    if (running != NULL)
        o1_tick_task(p, cpu, running);
    if (!base->o1.up)
        o1_balance_tick(p, &base->balance, cpu, running == NULL);
}

enum hl_status o1_base_init(struct policy *p, const struct o1_rules *rules, bool up,
                            struct hl_error *err)
{
    struct o1_base *base = policy_data(p);

    HL_TRY(o1_init(p, rules, O1_QUEUE_PER_CPU, up, err));
    base->balance.announce = o1_preempt;
    return o1_balance_init(p, &base->balance, err);
}

static enum hl_status init(struct policy *p, struct hl_error *err)
{
    static const struct o1_rules *const rules[] = {&o1_rules_2_6_0, &o1_rules_2_6_0_test11,
                                                   &o1_rules_2_6_3, &o1_rules_2_5_32};

    return o1_base_init(p, rules[policy_param(p, "version")], policy_param(p, "kernel") != 0, err);
}

static const struct policy_param_info params[] = {
    {"version", PARAM_CHOICE, "", "2.6.0|2.6.0-test11|2.6.3|2.5.32", 0, 3, 0,
     "kernel version; spec linux 3.10"},
    {"kernel", PARAM_CHOICE, "", "smp|up", 0, 1, 0,
     "up: a kernel without SMP, which uses cpu 0 only; spec linux 3.8"},
    O1_COMMON_PARAMS,
    {.name = NULL},
};

const struct policy_ops policy_o1 = {
    .name = "o1",
    .summary = "the O(1) scheduler: a run queue per cpu, balanced by counting tasks",
    .source = "spec linux 3",
    .params = params,
    .init = init,
    O1_BASE_CALLBACKS,
};
