/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * life.c - tasks are born, sleep, wake, exec, die and are reaped; custody changes hands here and nowhere else.
 */
#include "sim/engine.h"

#include <assert.h>
#include <string.h>

static void count_compiler(struct sim *s, int32_t name, int change)
{
    if (name < 0 || name != s->compiler_name)
        return;
    s->compilers += change;
    s->compilers_peak = HL_MAX(s->compilers_peak, s->compilers);
}

static void count_writers(struct sim *s, const struct sim_task *t, int change)
{
    for (uint32_t i = s->writes_first[t->program]; i < s->writes_first[t->program + 1]; i++) {
        struct sim_pipe *pipe = &s->pipes[s->writes[i]];

        pipe->live_writers += change;
        pipe->had_writer = true;
    }
}

/* The last writer is gone: readers see the end of the file. */
static void wake_readers_at_end(struct sim *s, const struct sim_task *t, int cpu)
{
    for (uint32_t i = s->writes_first[t->program]; i < s->writes_first[t->program + 1]; i++) {
        struct sim_pipe *pipe = &s->pipes[s->writes[i]];

        while (pipe->live_writers == 0 && !hl_list_is_empty(&pipe->readers))
            life_wake(s, HL_LIST_ENTRY(pipe->readers.first, struct sim_task, wait_link), cpu, false,
                      false);
    }
}

struct sim_task *life_new(struct sim *s, int program, struct sim_task *parent)
{
    struct sim_task *t;
    void *data;
    int32_t place;

    if (!hl_list_is_empty(&s->free)) {
        t = HL_LIST_ENTRY(s->free.first, struct sim_task, live);
        hl_list_remove(&s->free, &t->live);
    } else if (s->task_used < s->task_capacity) {
        t = &s->tasks[s->task_used++];
    } else {
        sim_fail(s, HL_BAD_INPUT,
                 "more than %zu tasks are alive at %lld ns; expected at most the %zu the workload "
                 "announces",
                 s->task_capacity, (long long)s->now_ns, s->task_capacity);
        return NULL;
    }
    data = t->pub.data;
    place = t->place;
    memset(t, 0, sizeof(*t));
    if (s->ops->task_bytes > 0)
        memset(data, 0, s->ops->task_bytes);
    t->pub.data = data;
    t->place = place;
    t->program = program;
    t->name = s->workload->programs[program].name;
    t->program_start = t->step = &s->workload->steps[s->workload->programs[program].first];
    t->pub.id = s->next_id++;
    t->pub.mm = t->pub.id;
    t->pub.last_cpu = t->pub.on_cpu = POLICY_NO_CPU;
    t->started_ns = t->finish_ns = -1;
    t->slot_taken = t->slot_held = -1;
    t->parent = parent;
    t->state = TASK_BLOCKED;
    t->rng = (struct hl_rng){
        .state = hl_mix64(s->options->seed ^ ((uint64_t)t->pub.id + 1) * 0x9e3779b97f4a7c15u)};
    if (s->first_of_program != NULL && s->first_of_program[program] == NULL) {
        s->first_of_program[program] = t;
        t->kept = true;
    }
    return t;
}

static void come_alive(struct sim *s, struct sim_task *t)
{
    struct sim_task *before = NULL, *last = HL_LIST_ENTRY(s->live.last, struct sim_task, live);

    /* Tasks of the start have their ids from time zero and may come late; all others come in order. */
    while (last != NULL && last->pub.id > t->pub.id) {
        before = last;
        last = HL_LIST_ENTRY(last->live.prev, struct sim_task, live);
    }
    hl_list_insert_before(&s->live, before == NULL ? NULL : &before->live, &t->live);
    count_writers(s, t, 1);
    count_compiler(s, t->name, 1);
}

static void make_runnable(struct sim *s, struct sim_task *t, const struct policy_wakeup *w, int cpu)
{
    t->state = TASK_RUNNABLE;
    trace_metrics_wait(&s->metrics, s->now_ns, &t->trace, cpu, t->pub.allowed, true);
    s->ops->enqueue(&s->policy, &t->pub, cpu, w);
    policy_host_callback_end(s);
}

void life_begin(struct sim *s, struct sim_task *t, const struct workload_task *how)
{
    struct policy_wakeup w = {.why = POLICY_WAKE, .from_irq = true};
    int cpu, outer = s->here;

    t->pub.nice = how->nice;
    t->pub.class = (enum policy_class)how->class;
    t->pub.rt_priority = how->rt_priority;
    t->pub.slice_ns = how->slice_ns;
    t->pub.is_kernel = how->is_kernel;
    t->pub.is_forked = how->is_forked;
    t->pub.group = how->group;
    t->pub.session = how->session;
    t->trace.is_work = !t->background;
    if (how->cpu_set >= 0)
        t->pub.allowed = s->workload->cpu_sets + (size_t)how->cpu_set * s->workload->cpu_set_words;
    t->pub.last_cpu = how->start_cpu;
    w.waker_cpu = HL_MAX(how->start_cpu, 0);
    come_alive(s, t);
    s->here = w.waker_cpu;
    if (s->ops->fork != NULL)
        s->ops->fork(&s->policy, NULL, &t->pub);
    /* A start cpu is an order, not a hint: the task is queued there whatever the policy would choose. */
    cpu = how->start_cpu >= 0 ? how->start_cpu : policy_host_select(s, t, &w);
    sim_emit(s, TRACE_FORK, cpu, t, NULL, TRACE_RUNNABLE);
    make_runnable(s, t, &w, cpu);
    s->here = outer;
}

void life_fork(struct sim *s, struct sim_task *parent, int program, bool vfork)
{
    struct policy_wakeup w = {
        .why = POLICY_FORK, .waker_cpu = parent->pub.on_cpu, .shares_mm = vfork};
    struct sim_task *t = life_new(s, program, parent);
    int cpu;

    if (t == NULL)
        return;
    t->pub.nice = parent->pub.nice;
    t->pub.class = parent->pub.class;
    t->pub.rt_priority = parent->pub.rt_priority;
    t->pub.slice_ns = parent->pub.slice_ns;
    t->pub.is_kernel = parent->pub.is_kernel;
    t->pub.allowed = parent->pub.allowed;
    t->pub.group = parent->pub.group;
    t->pub.session = parent->pub.session;
    t->background = parent->background;
    t->trace.is_work = !t->background;
    trace_metrics_follow(&s->metrics, s->now_ns, &t->trace, w.waker_cpu, &parent->trace);
    if (vfork)
        t->pub.mm = parent->pub.mm;
    t->slot_held = parent->slot_taken;
    parent->slot_taken = -1;
    parent->live_children++;
    if (!t->background)
        s->foreground_left++;
    come_alive(s, t);
    s->here = w.waker_cpu;
    if (s->ops->fork != NULL) {
        s->ops->fork(&s->policy, &parent->pub, &t->pub);
        policy_host_callback_end(s);
    }
    cpu = policy_host_select(s, t, &w);
    sim_emit(s, TRACE_FORK, cpu, t, parent, TRACE_RUNNABLE);
    make_runnable(s, t, &w, cpu);
    s->here = POLICY_NO_CPU;
    if (vfork) {
        t->vfork_parent = parent;
        parent->vfork_child = t;
    }
}

void life_block(struct sim *s, struct sim_task *t, enum policy_wait wait)
{
    int cpu = t->pub.on_cpu;

    progress_sync(s, cpu);
    t->state = TASK_BLOCKED;
    t->wait_cpu = cpu;
    t->voluntary++;
    s->here = cpu;
    s->ops->dequeue(&s->policy, &t->pub, cpu, POLICY_SLEEP, wait);
    policy_host_callback_end(s);
    dispatch_leave(
        s, cpu, wait == WAIT_VFORK || wait == WAIT_DISK ? TRACE_UNINTERRUPTIBLE : TRACE_SLEEPING);
    dispatch_cpu(s, cpu);
    s->here = POLICY_NO_CPU;
}

void life_wake(struct sim *s, struct sim_task *t, int waker_cpu, bool sync, bool from_irq)
{
    struct policy_wakeup w = {
        .why = POLICY_WAKE, .waker_cpu = waker_cpu, .sync = sync, .from_irq = from_irq};
    int cpu, outer = s->here;

    assert(t->state == TASK_BLOCKED);
    if (t->wait_queue != NULL) {
        hl_list_remove(t->wait_queue, &t->wait_link);
        t->wait_queue = NULL;
    }
    t->waits_child = false;
    if (!from_irq)
        trace_metrics_follow(&s->metrics, s->now_ns, &t->trace, waker_cpu,
                             &sim_running(s, waker_cpu)->trace);
    s->here = waker_cpu;
    progress_charge(s, waker_cpu, s->cost[MACHINE_wakeup_cost_ns]);
    cpu = policy_host_select(s, t, &w);
    sim_emit(s, TRACE_WAKE, cpu, t, from_irq ? NULL : sim_running(s, waker_cpu), TRACE_RUNNABLE);
    make_runnable(s, t, &w, cpu);
    s->here = outer;
    if (from_irq && s->cpus[waker_cpu].kicked && !s->cpus[waker_cpu].listed)
        dispatch_list(s, waker_cpu); /* the interrupt returns to user mode */
}

void life_kill(struct sim *s, struct sim_task *t, int killer_cpu)
{
    const struct program *program = &s->workload->programs[t->program];
    bool sleeps = t->state == TASK_BLOCKED && t->step->op != OP_VFORK && t->step->op != OP_DISK;

    if (t->state == TASK_UNBORN || t->state == TASK_ZOMBIE || t->state == TASK_GONE)
        return;
    if (t->step->op == OP_EXIT)
        return; /* killed before, perhaps in a wait that no signal ends; or at its end anyway */
    if (t->pub.on_cpu >= 0)
        progress_sync(s, t->pub.on_cpu);
    t->step = t->program_start + program->count - 1; /* every program ends with OP_EXIT */
    t->step_begun = false;
    t->work_left = 0;
    if (t->pub.on_cpu >= 0)
        progress_arm(s, t->pub.on_cpu);
    if (!sleeps)
        return; /* a wait that no signal ends goes on until what it waits for comes */
    event_queue_clear(&s->queue, slot_task(s, t));
    life_wake(s, t, killer_cpu, false, false);
}

static void release_vfork_parent(struct sim *s, struct sim_task *t)
{
    struct sim_task *parent = t->vfork_parent;

    if (parent == NULL)
        return;
    t->vfork_parent = NULL;
    parent->vfork_child = NULL;
    parent->released = true;
    if (parent->state == TASK_BLOCKED)
        life_wake(s, parent, t->pub.on_cpu, false, false);
}

void life_move(struct sim *s, struct sim_task *t, int cpu)
{
    struct policy_wakeup w = {.why = POLICY_MOVE, .waker_cpu = t->trace.cpu};
    int from = t->pub.on_cpu, outer = s->here;

    if (from >= 0) {
        progress_sync(s, from);
        w.waker_cpu = from;
    }
    s->here = w.waker_cpu;
    s->ops->dequeue(&s->policy, &t->pub, from >= 0 ? from : t->trace.cpu, POLICY_MOVE, WAIT_TIMER);
    if (from >= 0) {
        dispatch_leave(s, from, TRACE_RUNNABLE);
        t->involuntary++;
    }
    trace_metrics_requeue(&s->metrics, s->now_ns, &t->trace, cpu);
    s->ops->enqueue(&s->policy, &t->pub, cpu, &w);
    policy_host_callback_end(s);
    if (from >= 0)
        dispatch_cpu(s, from);
    s->here = outer;
}

void life_exec(struct sim *s, struct sim_task *t, int32_t name)
{
    struct policy_wakeup w = {.why = POLICY_EXEC, .waker_cpu = t->pub.on_cpu};
    int cpu;

    t->pub.mm = t->pub.id;
    t->warm_ns = 0;
    if (name >= 0) {
        count_compiler(s, t->name, -1);
        t->name = name;
        count_compiler(s, t->name, 1);
    }
    sim_emit(s, TRACE_EXEC, t->pub.on_cpu, t, NULL, TRACE_RUNNABLE);
    release_vfork_parent(s, t);
    if (s->ops->select_cpu == NULL)
        return;
    s->here = t->pub.on_cpu;
    cpu = policy_host_select(s, t, &w);
    s->here = POLICY_NO_CPU;
    if (cpu != t->pub.on_cpu)
        life_move(s, t, cpu);
}

static void set_free(struct sim *s, struct sim_task *t)
{
    if (!t->background) {
        s->user_ns += t->user_ns;
        s->system_ns += t->system_ns;
        s->voluntary += t->voluntary;
        s->involuntary += t->involuntary;
    }
    t->state = TASK_GONE;
    if (!t->kept)
        hl_list_push_front(&s->free, &t->live);
}

bool life_reap_one(struct sim *s, struct sim_task *parent)
{
    struct sim_task *child = HL_LIST_ENTRY(parent->zombies.first, struct sim_task, family);
    int32_t pool;

    if (child == NULL)
        return false;
    hl_list_remove(&parent->zombies, &child->family);
    if (s->ops->reap != NULL) {
        s->here = parent->pub.on_cpu;
        s->ops->reap(&s->policy, &parent->pub, &child->pub);
        policy_host_callback_end(s);
        s->here = POLICY_NO_CPU;
    }
    pool = child->slot_held;
    set_free(s, child);
    if (pool >= 0) {
        struct sim_task *waiter =
            HL_LIST_ENTRY(s->pools[pool].waiters.first, struct sim_task, wait_link);

        s->pools[pool].free++;
        if (waiter != NULL)
            life_wake(s, waiter, parent->pub.on_cpu, false, false);
    }
    return true;
}

static void abandon_children(struct sim *s, struct sim_task *t)
{
    while (!hl_list_is_empty(&t->zombies)) {
        struct sim_task *child = HL_LIST_ENTRY(t->zombies.first, struct sim_task, family);

        hl_list_remove(&t->zombies, &child->family);
        set_free(s, child);
    }
    if (t->live_children == 0)
        return;
    for (struct hl_link *link = s->live.first; link != NULL; link = link->next) {
        struct sim_task *child = HL_LIST_ENTRY(link, struct sim_task, live);

        if (child->parent == t)
            child->parent = NULL;
    }
}

void life_exit(struct sim *s, struct sim_task *t)
{
    struct sim_task *parent = t->parent;
    int cpu = t->pub.on_cpu;

    progress_sync(s, cpu);
    t->finish_ns = s->now_ns;
    t->voluntary++;
    release_vfork_parent(s, t);
    if (t->vfork_child != NULL) /* killed before it could wait for it */
        t->vfork_child->vfork_parent = NULL;
    count_writers(s, t, -1);
    wake_readers_at_end(s, t, cpu);
    count_compiler(s, t->name, -1);
    abandon_children(s, t);
    hl_list_remove(&s->live, &t->live);
    sim_emit(s, TRACE_EXIT, cpu, t, NULL, TRACE_DEAD);
    if (parent != NULL) {
        parent->live_children--;
        hl_list_push_back(&parent->zombies, &t->family);
        /* The parent is woken while the child still runs (exit notifies before it schedules away). */
        if (parent->waits_child && parent->state == TASK_BLOCKED)
            life_wake(s, parent, cpu, false, false);
    }
    t->state = TASK_ZOMBIE;
    s->here = cpu;
    s->ops->dequeue(&s->policy, &t->pub, cpu, POLICY_EXIT, WAIT_TIMER);
    policy_host_callback_end(s);
    if (!t->background && --s->foreground_left == 0) {
        s->finished = true;
        trace_metrics_end(&s->metrics, s->now_ns, cpu, &t->trace);
    }
    dispatch_leave(s, cpu, TRACE_DEAD);
    if (parent == NULL)
        set_free(s, t);
    dispatch_cpu(s, cpu);
    s->here = POLICY_NO_CPU;
}
