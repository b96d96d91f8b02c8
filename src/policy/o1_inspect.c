/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * o1_inspect.c - what tests may read of the O(1) run queues, and what must always hold in them.
 */
#include <inttypes.h>

#include "policy/o1_core.h"
#include "policy/probe.h"

bool o1_probe(const struct policy *p, const struct policy_task *t, const char *field,
              int64_t *value)
{
    const struct o1 *o = o1_of(p);
    const struct o1_task *ot;
    int cpu;

    if (t == NULL) {
        if (!policy_field_of_cpu(p, &field, &cpu) || !policy_field_is(field, "nr_running"))
            return false;
        *value = o1_nr_running(o, cpu);
        return true;
    }
    ot = o1_task_of(t);
    const struct {
        const char *name;
        int64_t value;
    } fields[] = {
        {"sleep_avg_ns", ot->sleep_avg_ns},
        {"bonus", o1_bonus(o, ot)},
        {"prio", ot->prio},
        {"static_prio", ot->static_prio},
        {"slice", ot->slice},
        {"credit", ot->credit},
        {"activated", ot->activated},
        {"interactive", o1_is_interactive(o, ot)},
        {"array", !o1_in_active(o, ot)},
        {"queue", ot->queue},
    };
    for (int i = 0; i < HL_COUNT_OF(fields); i++) {
        if (!policy_field_is(field, fields[i].name))
            continue;
        *value = fields[i].value;
        return true;
    }
    return false;
}

static enum hl_status bad(const struct policy *p, struct hl_error *err, const char *what, int where,
                          int64_t found, int64_t expected)
{
    return hl_fail(err, HL_INTERNAL,
                   "%s at %" PRId64 " ns: %s of %d is %" PRId64 "; expected %" PRId64, p->ops->name,
                   policy_now_ns(p), what, where, found, expected);
}

static enum hl_status check_list(const struct policy *p, const struct o1_queue *queue, int array,
                                 int prio, int32_t *count, struct hl_error *err)
{
    const struct o1_array *a = &queue->array[array];
    const struct hl_list *list = &a->list[prio];
    bool marked = (a->bitmap[prio / 64] >> (prio % 64) & 1) != 0;
    const struct hl_link *last = NULL;

    if (marked == hl_list_is_empty(list))
        return bad(p, err, "bitmap bit of priority", prio, marked, !hl_list_is_empty(list));
    for (struct hl_link *link = list->first; link != NULL; link = link->next) {
        const struct policy_task *t = HL_LIST_ENTRY(link, struct policy_task, link);
        const struct o1_task *ot = o1_task_of(t);

        if (!ot->held)
            return bad(p, err, "held flag of task", t->id, ot->held, 1);
        if (ot->queue != queue->index)
            return bad(p, err, "queue of task", t->id, ot->queue, queue->index);
        if (ot->array != array)
            return bad(p, err, "array of task", t->id, ot->array, array);
        if (ot->prio != prio)
            return bad(p, err, "priority of task", t->id, ot->prio, prio);
        if (link->prev != last)
            return bad(p, err, "back link of task", t->id, 0, 1);
        last = link;
        ++*count;
    }
    return HL_OK;
}

static enum hl_status check_queue(const struct policy *p, const struct o1_queue *queue,
                                  struct hl_error *err)
{
    const struct o1 *o = o1_of(p);
    int64_t held = 0;

    for (int array = 0; array < 2; array++) {
        int32_t count = 0;

        for (int prio = 0; prio < O1_PRIO_COUNT; prio++)
            HL_TRY(check_list(p, queue, array, prio, &count, err));
        if (count != queue->array[array].count)
            return bad(p, err, "task count of an array of queue", queue->index,
                       queue->array[array].count, count);
        held += count;
    }
    if (held != o->nr_running[queue->index])
        return bad(p, err, "nr_running of queue", queue->index, o->nr_running[queue->index], held);
    return HL_OK;
}

enum hl_status o1_check(const struct policy *p, struct hl_error *err)
{
    const struct o1 *o = o1_of(p);
    int64_t by_queue = 0, by_node = 0;

    for (int q = 0; q < o->queue_count; q++) {
        HL_TRY(check_queue(p, &o->queue[q], err));
        by_queue += o->nr_running[q];
    }
    for (int node = 0; node < o->node_count; node++)
        by_node += o->node_running[node];
    if (by_node != by_queue)
        return bad(p, err, "sum of node loads over nodes", o->node_count, by_node, by_queue);
    for (int cpu = 0; cpu < policy_cpu_count(p); cpu++) {
        const struct policy_task *t = policy_running(p, cpu);

        if (t != NULL && (!o1_task_of(t)->held || o1_task_of(t)->queue != o->queue_of[cpu]))
            return bad(p, err, "queue of the task running on cpu", cpu, o1_task_of(t)->queue,
                       o->queue_of[cpu]);
    }
    return HL_OK;
}
