/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * o1_core.c - run queues of the O(1) scheduler and the events every descendant handles alike.
 *
 * Source: spec linux 3.1, 3.4-3.7. Where the spec is silent: a changed nice value shifts the
 * present priority by the difference and puts the task at the tail of that list; the cpu is
 * rescheduled when a waiting task now preempts, or the running one fell. A moved task (affinity,
 * exec) keeps its slice and priority. Classes batch and idle did not exist: they count as normal.
 */
#include "base/units.h"
#include "policy/o1_core.h"

/* ---- set-up ---- */

/* Which group of cpus shares a queue with cpu. */
static int sharing_group(const struct machine *m, int cpu, enum o1_sharing sharing)
{
    switch (sharing) {
    case O1_QUEUE_PER_CPU: return cpu;
    case O1_QUEUE_PER_CORE: return m->cpu[cpu].core;
    case O1_QUEUE_PER_PACKAGE: return m->cpu[cpu].package;
    }
    return cpu;
}

/* Numbers the queues in the order of their first cpus and lists the cpus of each. */
static void number_queues(struct o1 *o, const struct machine *m, enum o1_sharing sharing,
                          int32_t *queue_cpus, int32_t *queue_of_group)
{
    int32_t *next = queue_cpus;

    for (int cpu = 0; cpu < m->cpu_count; cpu++) {
        int group = sharing_group(m, cpu, sharing);

        if (queue_of_group[group] == 0) /* number + 1; 0: none yet */
            queue_of_group[group] = ++o->queue_count;
        o->queue_of[cpu] = queue_of_group[group] - 1;
    }
    for (int q = 0; q < o->queue_count; q++) {
        struct o1_queue *queue = &o->queue[q];

        queue->index = q;
        queue->best_expired_prio = O1_PRIO_COUNT;
        queue->cpu = next;
        for (int cpu = 0; cpu < m->cpu_count; cpu++)
            if (o->queue_of[cpu] == q)
                *next++ = cpu;
        queue->cpu_count = (int32_t)(next - queue->cpu);
        queue->node = m->cpu[queue->cpu[0]].node;
    }
}

static void list_nodes(struct o1 *o)
{
    int32_t placed = 0;

    for (int node = 0; node < o->node_count; node++) {
        o->node_first[node] = placed;
        for (int q = 0; q < o->queue_count; q++) {
            if (o->queue[q].node != node)
                continue;
            o->node_queue[placed++] = q;
            o->node_cpu_count[node] += o->queue[q].cpu_count;
        }
    }
    o->node_first[o->node_count] = placed;
}

static void fill_tables(struct o1 *o, int cpu_count)
{
    const struct o1_rules *rules = &o->rules;

    for (int i = 0; i < O1_NICE_COUNT; i++) {
        int nice = i + O1_NICE_MIN;

        o->slice[i] = rules->slice_min + (rules->slice_max - rules->slice_min) *
                                             (O1_NICE_COUNT - 1 - i) / (O1_NICE_COUNT - 1);
        o->delta[i] = nice * O1_BONUS_MAX / O1_NICE_COUNT + 2;
    }
    for (int bonus = 0; bonus <= O1_BONUS_MAX; bonus++)
        o->granularity[bonus] =
            (rules->slice_min << (HL_MAX(O1_BONUS_MAX - bonus, 1) - 1)) * (o->up ? 1 : cpu_count);
}

enum hl_status o1_init(struct policy *p, const struct o1_rules *rules, enum o1_sharing sharing,
                       bool up, struct hl_error *err)
{
    const struct machine *m = policy_machine(p);
    struct o1 *o = o1_of(p);
    size_t cpus = (size_t)m->cpu_count;
    int64_t decay = policy_param(p, "cache_decay");
    int32_t *queue_cpus = policy_alloc(p, cpus, sizeof(*queue_cpus));
    int32_t *queue_of_group = policy_alloc(p, cpus, sizeof(*queue_of_group));

    o->rules = *rules;
    o->up = up;
    o->wrap = policy_param(p, "wrap") != 0;
    /* The cost of refilling the second-level cache at 350 MB/s, in jiffies: 512 KB give 2. */
    if (decay < 0)
        decay = machine_constant(m, MACHINE_l2_bytes) / 1024 / 350 + 1;
    o->cache_decay_ns = decay * O1_NS_PER_JIFFY;
    o->node_count = m->node_count;
    o->nr_running = policy_alloc(p, cpus, sizeof(*o->nr_running));
    o->queue_of = policy_alloc(p, cpus, sizeof(*o->queue_of));
    o->queue = policy_alloc(p, cpus, sizeof(*o->queue));
    o->node_first = policy_alloc(p, (size_t)m->node_count + 1, sizeof(*o->node_first));
    o->node_queue = policy_alloc(p, cpus, sizeof(*o->node_queue));
    o->node_cpu_count = policy_alloc(p, (size_t)m->node_count, sizeof(*o->node_cpu_count));
    o->node_running = policy_alloc(p, (size_t)m->node_count, sizeof(*o->node_running));
    if (queue_cpus == NULL || queue_of_group == NULL || o->nr_running == NULL ||
        o->queue_of == NULL || o->queue == NULL || o->node_first == NULL || o->node_queue == NULL ||
        o->node_cpu_count == NULL || o->node_running == NULL)
        return hl_fail(err, HL_NO_MEMORY, "no memory for the run queues of %zu cpus", cpus);
    number_queues(o, m, sharing, queue_cpus, queue_of_group);
    list_nodes(o);
    fill_tables(o, m->cpu_count);
    return HL_OK;
}

void o1_clock(const struct policy *p, struct policy_clock *c)
{
    c->hz = 1000;
    c->phase = PHASE_RANDOM;
    c->idle_cpus_tick = true;
    c->count_repick = policy_param(p, "count_repick") != 0; /* asked before init */
}

/* ---- priority arrays ---- */

static void array_mark(struct o1_array *a, int prio)
{
    a->bitmap[prio / 64] |= UINT64_C(1) << (prio % 64);
    a->count++;
}

static void array_push(struct o1_array *a, struct policy_task *t, int prio)
{
    hl_list_push_back(&a->list[prio], &t->link);
    array_mark(a, prio);
}

static void array_remove(struct o1_array *a, struct policy_task *t, int prio)
{
    hl_list_remove(&a->list[prio], &t->link);
    a->count--;
    if (hl_list_is_empty(&a->list[prio]))
        a->bitmap[prio / 64] &= ~(UINT64_C(1) << (prio % 64));
}

static struct o1_array *array_of(struct o1 *o, const struct o1_task *ot)
{
    return &o->queue[ot->queue].array[ot->array];
}

static void count(struct o1 *o, const struct o1_queue *queue, int change)
{
    o->nr_running[queue->index] += (uint32_t)change;
    o->node_running[queue->node] += (uint32_t)change;
    o->changes++;
}

static void link_tail(struct o1 *o, struct policy_task *t, struct o1_queue *queue, int array)
{
    struct o1_task *ot = o1_task_of(t);

    ot->queue = queue->index;
    ot->array = (uint8_t)array;
    ot->held = true;
    array_push(&queue->array[array], t, ot->prio);
    count(o, queue, 1);
}

static void unlink_task(struct o1 *o, struct policy_task *t)
{
    struct o1_task *ot = o1_task_of(t);

    ot->held = false;
    array_remove(array_of(o, ot), t, ot->prio);
    count(o, &o->queue[ot->queue], -1);
}

void o1_move(struct o1 *o, struct policy_task *t, int to_queue, bool to_expired)
{
    struct o1_queue *queue = &o->queue[to_queue];

    unlink_task(o, t);
    link_tail(o, t, queue, to_expired ? !queue->active : queue->active);
}

/* ---- a task comes and goes ---- */

static void task_begin(struct o1 *o, struct policy_task *t)
{
    struct o1_task *ot = o1_task_of(t);

    ot->static_prio = (uint8_t)(O1_PRIO_NORMAL - O1_NICE_MIN + t->nice);
    ot->slice = o1_full_slice(o, ot);
    ot->prio = (uint8_t)o1_effective_prio(o, t);
    ot->fresh = true;
}

void o1_fork(struct policy *p, struct policy_task *parent, struct policy_task *child)
{
    struct o1 *o = o1_of(p);
    struct o1_task *oc = o1_task_of(child), *op;

    task_begin(o, child);
    if (parent == NULL)
        return;
    op = o1_task_of(parent);
    oc->fresh = false;
    oc->parent = parent;
    oc->stamp_ns = policy_now_ns(p);
    /* The slice is shared, so that forking gains nothing. */
    oc->slice = (op->slice + 1) >> 1;
    oc->first_slice = true;
    op->slice >>= 1;
    if (op->slice == 0 && parent->on_cpu != POLICY_NO_CPU) {
        op->slice = 1;
        p->ops->tick(p, parent->on_cpu, parent); /* expires */
    }
    o1_share_sleep_avg(o, op, oc);
    oc->prio = (uint8_t)o1_effective_prio(o, child);
}

void o1_reap(struct policy *p, struct policy_task *parent, struct policy_task *child)
{
    struct o1 *o = o1_of(p);
    struct o1_task *op = o1_task_of(parent), *oc = o1_task_of(child);

    if (oc->first_slice || o->rules.old)
        op->slice = HL_MIN(op->slice + oc->slice, o->rules.slice_max);
    o1_return_sleep_avg(o, op, oc);
}

/* The child goes directly in front of its parent and runs first. */
static void link_before_parent(struct o1 *o, struct policy_task *t, struct policy_task *parent)
{
    struct o1_task *ot = o1_task_of(t);
    const struct o1_task *op = o1_task_of(parent);
    struct o1_array *array = array_of(o, op);

    ot->queue = op->queue;
    ot->array = op->array;
    ot->prio = op->prio;
    ot->held = true;
    hl_list_insert_before(&array->list[op->prio], &parent->link, &t->link);
    array_mark(array, op->prio);
    count(o, &o->queue[op->queue], 1);
}

static bool enqueue_forked(struct policy *p, struct policy_task *t, int cpu, bool shares_mm)
{
    struct o1 *o = o1_of(p);
    struct o1_queue *queue = o1_queue_of(o, cpu);
    struct o1_task *ot = o1_task_of(t);
    struct policy_task *parent = ot->parent;

    ot->parent = NULL;
    if (parent == NULL || o1_task_of(parent)->queue != queue->index) {
        link_tail(o, t, queue, queue->active); /* a policy of its own placed it elsewhere */
        return true;
    }
    if (o->rules.old)
        link_tail(o, t, queue, queue->active);
    else
        link_before_parent(o, t, parent);
    /* The parent is marked when fork returns. A vfork blocks it instead. */
    if (!shares_mm)
        policy_kick(p, cpu);
    return false;
}

static bool enqueue_woken(struct policy *p, struct policy_task *t, int cpu,
                          const struct policy_wakeup *w)
{
    struct o1 *o = o1_of(p);
    struct o1_queue *queue = o1_queue_of(o, cpu);
    struct o1_task *ot = o1_task_of(t);
    bool quiet = w->sync && (o->rules.sync_skips_update || cpu == w->waker_cpu);

    if (ot->uninterruptible)
        ot->activated = -1;
    if (!quiet) {
        o1_recalc(o, t, policy_now_ns(p));
        if (ot->activated == 0)
            ot->activated = w->from_irq ? 2 : 1;
        ot->stamp_ns = policy_now_ns(p);
    }
    link_tail(o, t, queue, queue->active);
    /* The waker is about to block and lets it in; where nobody runs, somebody must be told. */
    return !quiet || policy_running(p, cpu) == NULL;
}

bool o1_enqueue(struct policy *p, struct policy_task *t, int cpu, const struct policy_wakeup *w)
{
    struct o1 *o = o1_of(p);
    struct o1_queue *queue = o1_queue_of(o, cpu);
    struct o1_task *ot = o1_task_of(t);

    if (ot->fresh) { /* it has no past: neither sleep nor parent */
        ot->fresh = false;
        ot->stamp_ns = policy_now_ns(p);
        link_tail(o, t, queue, queue->active);
        return true;
    }
    switch (w->why) {
    case POLICY_FORK: return enqueue_forked(p, t, cpu, w->shares_mm);
    case POLICY_WAKE: return enqueue_woken(p, t, cpu, w);
    case POLICY_EXEC:
    case POLICY_MOVE:
    case POLICY_SLEEP:
    case POLICY_EXIT: break;
    }
    link_tail(o, t, queue, queue->active);
    return true;
}

void o1_dequeue(struct policy *p, struct policy_task *t, int cpu, enum policy_why why,
                enum policy_wait wait)
{
    struct o1_task *ot = o1_task_of(t);

    if (t->on_cpu != POLICY_NO_CPU)
        o1_account_run(o1_of(p), t, policy_now_ns(p));
    if (why == POLICY_SLEEP)
        ot->uninterruptible = wait == WAIT_VFORK || wait == WAIT_DISK;
    unlink_task(o1_of(p), t);
}

int o1_select_cpu(struct policy *p, struct policy_task *t, const struct policy_wakeup *w)
{
    int cpu = t->on_cpu != POLICY_NO_CPU ? t->on_cpu : t->last_cpu;

    if (o1_of(p)->up && policy_allowed(t, 0))
        return 0;
    /* A child stays with its parent, a sync wakeup pulls; a normal one never changes the cpu. */
    if ((w->sync || w->why == POLICY_FORK || cpu == POLICY_NO_CPU) &&
        w->waker_cpu != POLICY_NO_CPU && policy_allowed(t, w->waker_cpu))
        return w->waker_cpu;
    if (cpu != POLICY_NO_CPU && policy_allowed(t, cpu))
        return cpu;
    for (cpu = 0; cpu < policy_cpu_count(p) - 1; cpu++)
        if (policy_allowed(t, cpu))
            break;
    return cpu;
}

/* ---- schedule() ---- */

void o1_leave(struct policy *p, struct policy_task *prev)
{
    if (prev != NULL)
        o1_account_run(o1_of(p), prev, policy_now_ns(p));
}

void o1_swap_arrays(struct o1_queue *queue)
{
    queue->active = !queue->active;
    queue->expired_since = 0;
    queue->best_expired_prio = O1_PRIO_COUNT;
}

struct policy_task *o1_choose(struct o1_queue *queue)
{
    const struct o1_array *array = &queue->array[queue->active];

    if (array->count == 0) {
        if (queue->array[!queue->active].count == 0)
            return NULL;
        o1_swap_arrays(queue);
        array = &queue->array[queue->active];
    }
    return HL_LIST_ENTRY(array->list[o1_array_next_prio(array, 0)].first, struct policy_task, link);
}

void o1_start(struct policy *p, struct policy_task *next, const struct policy_task *prev)
{
    struct o1 *o = o1_of(p);
    struct o1_task *ot = o1_task_of(next);

    if (ot->activated > 0) {
        struct o1_array *array = array_of(o, ot);
        int64_t waited_ns = policy_now_ns(p) - ot->stamp_ns;

        if (ot->activated == 1)
            waited_ns = waited_ns * 38 / 128; /* 30 %: woken by a task, it deserves less */
        array_remove(array, next, ot->prio);
        o1_recalc(o, next, ot->stamp_ns + waited_ns);
        array_push(array, next, ot->prio);
    }
    ot->activated = 0;
    if (next != prev)
        ot->stamp_ns = policy_now_ns(p);
}

/* ---- the tick ---- */

/* The tasks in `expired` have waited too long: interactive tasks must expire too. */
static bool expired_are_starving(const struct policy *p, const struct o1 *o,
                                 const struct o1_queue *queue, const struct o1_task *ot)
{
    if (o->rules.expired_prio_starves && ot->static_prio > queue->best_expired_prio)
        return true;
    return queue->expired_since != 0 &&
           o1_jiffies(p) - queue->expired_since >=
               (int64_t)o->rules.starve * o->nr_running[queue->index] + 1;
}

static void slice_end(struct policy *p, int cpu, struct policy_task *t)
{
    struct o1 *o = o1_of(p);
    struct o1_task *ot = o1_task_of(t);
    struct o1_queue *queue = &o->queue[ot->queue];
    bool stays;

    array_remove(&queue->array[queue->active], t, ot->prio);
    policy_kick(p, cpu);
    ot->prio = (uint8_t)o1_effective_prio(o, t);
    ot->slice = o1_full_slice(o, ot);
    ot->first_slice = false;
    if (queue->expired_since == 0 && !o->rules.old)
        queue->expired_since = o1_jiffies(p);
    stays = o1_is_interactive(o, ot) && !expired_are_starving(p, o, queue, ot);
    if (!stays) {
        if (queue->expired_since == 0)
            queue->expired_since = o1_jiffies(p);
        queue->best_expired_prio = HL_MIN(queue->best_expired_prio, ot->static_prio);
        ot->array = (uint8_t)!queue->active;
    }
    array_push(&queue->array[ot->array], t, ot->prio);
}

/* To the tail of its list in the same array: the next of its priority is due. */
static void rotate(struct policy *p, int cpu, struct policy_task *t)
{
    struct o1 *o = o1_of(p);
    struct o1_task *ot = o1_task_of(t);
    struct o1_array *array = array_of(o, ot);

    array_remove(array, t, ot->prio);
    policy_kick(p, cpu);
    ot->prio = (uint8_t)o1_effective_prio(o, t);
    array_push(array, t, ot->prio);
}

static void tick_real_time(struct policy *p, int cpu, struct policy_task *t)
{
    struct o1_task *ot = o1_task_of(t);

    if (t->class != CLASS_RR || --ot->slice > 0)
        return;
    ot->slice = o1_full_slice(o1_of(p), ot);
    ot->first_slice = false;
    rotate(p, cpu, t);
}

void o1_tick_task(struct policy *p, int cpu, struct policy_task *running)
{
    struct o1 *o = o1_of(p);
    struct o1_task *ot = o1_task_of(running);

    if (!o1_in_active(o, ot)) { /* expired, and it got no further yet */
        policy_kick(p, cpu);
        return;
    }
    if (ot->prio < O1_PRIO_NORMAL) {
        tick_real_time(p, cpu, running);
        return;
    }
    if (o->rules.old)
        ot->sleep_avg_ns = HL_MAX(ot->sleep_avg_ns - O1_NS_PER_JIFFY, 0);
    if (--ot->slice <= 0) {
        slice_end(p, cpu, running);
    } else if (o1_is_interactive(o, ot) && !o->rules.old) {
        int32_t granularity = o->granularity[o1_bonus(o, ot)];

        if (ot->slice >= granularity && (o1_full_slice(o, ot) - ot->slice) % granularity == 0)
            rotate(p, cpu, running);
    }
}

void o1_yield(struct policy *p, struct policy_task *t)
{
    struct o1 *o = o1_of(p);
    struct o1_task *ot = o1_task_of(t);
    struct o1_queue *queue = &o->queue[ot->queue];

    array_remove(array_of(o, ot), t, ot->prio);
    if (ot->prio >= O1_PRIO_NORMAL)
        ot->array = (uint8_t)!queue->active;
    array_push(array_of(o, ot), t, ot->prio);
}

void o1_renice(struct policy *p, struct policy_task *t, int32_t old_nice)
{
    struct o1 *o = o1_of(p);
    struct o1_task *ot = o1_task_of(t);
    int prio = ot->prio + t->nice - old_nice;

    ot->static_prio = (uint8_t)(O1_PRIO_NORMAL - O1_NICE_MIN + t->nice);
    if (ot->prio < O1_PRIO_NORMAL)
        return;
    prio = HL_MAX(prio, O1_PRIO_NORMAL);
    prio = HL_MIN(prio, O1_PRIO_COUNT - 1);
    if (ot->held) {
        array_remove(array_of(o, ot), t, ot->prio);
        array_push(array_of(o, ot), t, prio);
    }
    ot->prio = (uint8_t)prio;
    if (t->on_cpu != POLICY_NO_CPU && t->nice > old_nice)
        policy_kick(p, t->on_cpu);
    else if (ot->held && t->on_cpu == POLICY_NO_CPU && t->nice < old_nice)
        o1_preempt(p, t, o->queue[ot->queue].cpu[0]);
}

/* ---- the order in which balancing takes tasks ---- */

/* Points the scan at the tail of the next list that has tasks; link NULL: at the end. */
static void scan_settle(struct o1_scan *s)
{
    while (s->arrays_left > 0) {
        const struct o1_array *array = &s->queue->array[s->array];

        s->prio = o1_array_next_prio(array, s->prio);
        if (s->prio < O1_PRIO_COUNT) {
            s->link = array->list[s->prio].last;
            return;
        }
        s->array = !s->array;
        s->prio = 0;
        s->arrays_left--;
    }
    s->link = NULL;
}

void o1_scan_begin(struct o1_scan *s, struct o1_queue *queue, bool active_first)
{
    *s = (struct o1_scan){
        .queue = queue,
        .array = active_first ? queue->active : !queue->active,
        .arrays_left = 2,
    };
    scan_settle(s);
}

struct policy_task *o1_scan_next(struct o1_scan *s)
{
    struct policy_task *t = HL_LIST_ENTRY(s->link, struct policy_task, link);

    if (t == NULL)
        return NULL;
    s->link = t->link.prev;
    if (s->link == NULL) {
        s->prio++;
        scan_settle(s);
    }
    return t;
}
