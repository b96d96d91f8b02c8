/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * steps.c - plays the programs of tasks, one step after another, without a word about scheduling.
 *
 * A step first costs (system calls: kernel work, during which the task is not preempted), then has its
 * effect, which may block the task. A task that blocked inside a call tries its effect again when it runs.
 */
#include "sim/engine.h"

#include <assert.h>
#include <inttypes.h>

/* What the effect of a step leads to. */
enum outcome { STEP_DONE, STEP_LEFT /* the task no longer runs, or is no longer at this step */ };

/* A program that does this many steps without time passing goes nowhere. */
enum { STEPS_WITHOUT_TIME_MAX = 1000000 };

static int64_t amount_of(struct sim_task *t, const struct program_step *step)
{
    int64_t amount = step->amount;

    if (step->spread > 0)
        amount += (int64_t)hl_rng_below(&t->rng, (uint64_t)step->spread);
    return amount;
}

static void begin_run(struct sim_task *t)
{
    /* Neighbouring steps are one: where a step is cut must not matter, not even to the event count. */
    for (;;) {
        int64_t amount = amount_of(t, t->step);

        if (amount == INT64_MAX) {
            t->work_left = WORK_FOREVER;
            return;
        }
        t->work_left += HL_MIN(amount, STEP_NS_MAX) << RATE_SHIFT;
        if (t->step[1].op != OP_RUN || t->step->op != OP_RUN || t->step[1].amount == INT64_MAX ||
            t->step[1].kind != t->step->kind || t->work_left > WORK_FOREVER / 2)
            return;
        t->step++;
    }
}

static void begin(struct sim *s, struct sim_task *t)
{
    const struct program_step *step = t->step;
    enum machine_constant cost = MACHINE_syscall_cost_ns;
    int64_t before;

    t->step_begun = true;
    switch ((enum program_op)step->op) {
    case OP_RUN:
    case OP_SYSTEM:
        before = t->work_left;
        begin_run(t);
        /* The calls after a step are of its kind; a step of no length changes nothing. */
        if (s->has_kinds && t->work_left != before) {
            t->kind = (uint8_t)t->step->kind;
            progress_set_kind(s, t->pub.on_cpu);
        }
        return;
    case OP_MARK:
    case OP_LOOP: return;
    case OP_FORK: cost = MACHINE_fork_cost_ns; break;
    case OP_VFORK: cost = MACHINE_vfork_cost_ns; break;
    case OP_EXEC: cost = MACHINE_exec_cost_ns; break;
    case OP_EXIT: cost = MACHINE_exit_cost_ns; break;
    case OP_SLEEP:
    case OP_DISK:
    case OP_WAIT:
    case OP_READ:
    case OP_WRITE: t->op_left = amount_of(t, step); break;
    case OP_SLOT:
    case OP_LOCK:
    case OP_UNLOCK:
    case OP_BARRIER:
    case OP_YIELD:
    case OP_NICE:
    case OP_AFFINITY:
    case OP_GROUP:
    case OP_RELEASE:
    case OP_KILL: break;
    }
    t->in_kernel = true;
    t->debt += s->cost[cost];
}

static enum outcome wait_on(struct sim *s, struct sim_task *t, struct hl_list *queue,
                            enum policy_wait wait)
{
    if (queue != NULL) {
        hl_list_push_back(queue, &t->wait_link);
        t->wait_queue = queue;
    }
    life_block(s, t, wait);
    return STEP_LEFT;
}

static void arm_timer(struct sim *s, struct sim_task *t, int64_t at_ns)
{
    event_queue_set(&s->queue, slot_task(s, t), at_ns,
                    EVENT_ORDER(EVENT_TIMER, s->timer_sequence++));
}

static enum outcome disk(struct sim *s, struct sim_task *t)
{
    int64_t depth = machine_constant(s->machine, MACHINE_disk_queue_depth), best = 0;

    if (t->op_left <= 0)
        return STEP_DONE;
    t->op_left--;
    for (int64_t i = 1; i < depth; i++)
        if (s->disk_free_ns[i] < s->disk_free_ns[best])
            best = i;
    s->disk_free_ns[best] = HL_MAX(s->disk_free_ns[best], s->now_ns) +
                            machine_constant(s->machine, MACHINE_disk_latency_ns);
    arm_timer(s, t, s->disk_free_ns[best]);
    return wait_on(s, t, NULL, WAIT_DISK);
}

static void wake_first(struct sim *s, struct hl_list *queue, const struct sim_task *waker,
                       bool sync)
{
    struct sim_task *t = HL_LIST_ENTRY(queue->first, struct sim_task, wait_link);

    if (t != NULL)
        life_wake(s, t, waker->pub.on_cpu, sync, false);
}

/* Spec linux 1.4: a wake-up issued because the caller is about to wait on the same pipe is sync, one at the
 * end of a call is not. */
static enum outcome pipe_read(struct sim *s, struct sim_task *t)
{
    struct sim_pipe *pipe = &s->pipes[t->step->target];
    int64_t taken = HL_MIN(t->op_left, pipe->used_bytes);
    bool done;

    pipe->used_bytes -= taken;
    t->op_left -= taken;
    done = t->op_left == 0 || (pipe->had_writer && pipe->live_writers == 0);
    if (taken > 0)
        wake_first(s, &pipe->writers, t, !done);
    /* One is woken per write: who leaves something passes it on. */
    if (done && pipe->used_bytes > 0)
        wake_first(s, &pipe->readers, t, false);
    return done ? STEP_DONE : wait_on(s, t, &pipe->readers, WAIT_PIPE_READ);
}

static enum outcome pipe_write(struct sim *s, struct sim_task *t)
{
    struct sim_pipe *pipe = &s->pipes[t->step->target];
    const struct workload_pipe *shape = &s->workload->pipes[t->step->target];
    int64_t given = HL_MIN(t->op_left, shape->capacity_bytes - pipe->used_bytes);

    pipe->used_bytes += given;
    t->op_left -= given;
    if (given > 0)
        wake_first(s, &pipe->readers, t, shape->sync_write || t->op_left > 0);
    if (t->op_left == 0 && pipe->used_bytes < shape->capacity_bytes)
        wake_first(s, &pipe->writers, t, false);
    return t->op_left == 0 ? STEP_DONE : wait_on(s, t, &pipe->writers, WAIT_PIPE_WRITE);
}

static enum outcome slot(struct sim *s, struct sim_task *t)
{
    struct sim_pool *pool = &s->pools[t->step->target];

    while (life_reap_one(s, t))
        ;
    if (pool->free > 0) {
        pool->free--;
        t->slot_taken = t->step->target;
        return STEP_DONE;
    }
    t->waits_child = true;
    return wait_on(s, t, &pool->waiters, WAIT_PIPE_READ);
}

static enum outcome wait_children(struct sim *s, struct sim_task *t)
{
    while (t->op_left > 0 && life_reap_one(s, t))
        t->op_left--;
    if (t->op_left <= 0 || t->live_children == 0)
        return STEP_DONE;
    t->waits_child = true;
    return wait_on(s, t, NULL, WAIT_CHILD);
}

/* Lock, barrier and vfork: another task has ended the wait. */
static bool was_released(struct sim_task *t)
{
    bool released = t->released;

    t->released = false;
    return released;
}

static enum outcome lock(struct sim *s, struct sim_task *t)
{
    struct sim_lock *l = &s->locks[t->step->target];

    if (was_released(t))
        return STEP_DONE;
    if (l->owner == t) {
        sim_fail_at(s, t, "locks what it holds already and would wait for itself for ever");
        return STEP_LEFT;
    }
    if (l->owner != NULL)
        return wait_on(s, t, &l->waiters, WAIT_LOCK);
    l->owner = t;
    t->locks_held++;
    return STEP_DONE;
}

static enum outcome unlock(struct sim *s, struct sim_task *t)
{
    struct sim_lock *l = &s->locks[t->step->target];

    if (l->owner != t) {
        sim_fail_at(s, t, "unlocks what it does not hold; expected a lock before it");
        return STEP_LEFT;
    }
    t->locks_held--;
    l->owner = HL_LIST_ENTRY(l->waiters.first, struct sim_task, wait_link);
    if (l->owner != NULL) {
        l->owner->released = true;
        l->owner->locks_held++;
        wake_first(s, &l->waiters, t, false);
    }
    return STEP_DONE;
}

/* A lock that nobody will give back is a mistake of the program, and its holder's memory is used again. */
static void end(struct sim *s, struct sim_task *t)
{
    if (t->locks_held > 0)
        sim_fail_at(s, t, "ends while it holds a lock; expected an unlock before");
    else
        life_exit(s, t);
}

/* The child is there; the parent goes on for the step's amount before it sleeps, if it still has to. */
static enum outcome vfork_child(struct sim *s, struct sim_task *t)
{
    if (was_released(t))
        return STEP_DONE;
    if (t->vfork_child == NULL) {
        life_fork(s, t, t->step->target, true);
        t->debt += t->step->amount << RATE_SHIFT;
        if (t->step->amount > 0)
            return STEP_LEFT;
    }
    if (s->status == HL_OK)
        life_block(s, t, WAIT_VFORK);
    return STEP_LEFT;
}

static enum outcome sleep_on(struct sim *s, struct sim_task *t)
{
    int64_t ns = t->op_left;

    if (ns <= 0)
        return STEP_DONE;
    t->op_left = 0;
    arm_timer(s, t, s->now_ns + ns);
    return wait_on(s, t, NULL, WAIT_TIMER);
}

static enum outcome barrier(struct sim *s, struct sim_task *t)
{
    struct sim_barrier *b = &s->barriers[t->step->target];

    if (was_released(t))
        return STEP_DONE;
    if (++b->arrived < s->workload->barriers[t->step->target].size)
        return wait_on(s, t, &b->waiters, WAIT_LOCK);
    b->arrived = 0;
    while (!hl_list_is_empty(&b->waiters)) {
        struct sim_task *waiter = HL_LIST_ENTRY(b->waiters.first, struct sim_task, wait_link);

        waiter->released = true;
        life_wake(s, waiter, t->pub.on_cpu, false, false);
    }
    return STEP_DONE;
}

/* The task is in the queue of another group now: who runs next is open. */
static void regroup(struct sim *s, struct sim_task *t)
{
    struct policy_wakeup w = {.why = POLICY_MOVE, .waker_cpu = t->pub.on_cpu};

    s->here = t->pub.on_cpu;
    s->ops->dequeue(&s->policy, &t->pub, t->pub.on_cpu, POLICY_MOVE, WAIT_TIMER);
    t->pub.group = t->step->target + 1;
    s->ops->enqueue(&s->policy, &t->pub, t->pub.on_cpu, &w);
    policy_kick(&s->policy, t->pub.on_cpu);
    policy_host_callback_end(s);
    s->here = POLICY_NO_CPU;
}

static void renice(struct sim *s, struct sim_task *t)
{
    int32_t old = t->pub.nice;

    t->pub.nice = (int32_t)t->step->amount;
    s->here = t->pub.on_cpu;
    if (s->ops->renice != NULL) {
        s->ops->renice(&s->policy, &t->pub, old);
    } else {
        struct policy_wakeup w = {.why = POLICY_MOVE, .waker_cpu = t->pub.on_cpu};

        s->ops->dequeue(&s->policy, &t->pub, t->pub.on_cpu, POLICY_MOVE, WAIT_TIMER);
        s->ops->enqueue(&s->policy, &t->pub, t->pub.on_cpu, &w);
    }
    policy_host_callback_end(s);
    s->here = POLICY_NO_CPU;
}

static void yield(struct sim *s, struct sim_task *t)
{
    s->here = t->pub.on_cpu;
    if (s->ops->yield != NULL)
        s->ops->yield(&s->policy, &t->pub);
    policy_kick(&s->policy, t->pub.on_cpu);
    policy_host_callback_end(s);
    s->here = POLICY_NO_CPU;
}

static void reallow(struct sim *s, struct sim_task *t)
{
    const struct program_step *step = t->step;
    int from = t->pub.on_cpu;

    t->pub.allowed = step->target < 0 ? NULL
                                      : s->workload->cpu_sets +
                                            (size_t)step->target * s->workload->cpu_set_words;
    if (s->ops->reallow != NULL) {
        s->here = from;
        s->ops->reallow(&s->policy, &t->pub);
        policy_host_callback_end(s);
        s->here = POLICY_NO_CPU;
    }
    for (int cpu = 0; !policy_allowed(&t->pub, from) && cpu < s->cpu_count; cpu++)
        if (policy_allowed(&t->pub, cpu)) {
            life_move(s, t, cpu);
            break;
        }
}

/* Another task's affinity is lifted: it may stay where it is. */
static void release(struct sim *s, const struct sim_task *t)
{
    struct sim_task *other = &s->tasks[t->step->target]; /* those of the start keep their places */

    if (other->state == TASK_ZOMBIE || other->state == TASK_GONE)
        return;
    other->pub.allowed = NULL;
    if (s->ops->reallow == NULL)
        return;
    s->here = t->pub.on_cpu;
    s->ops->reallow(&s->policy, &other->pub);
    policy_host_callback_end(s);
    s->here = POLICY_NO_CPU;
}

static void kill(struct sim *s, const struct sim_task *t)
{
    struct sim_task *other = &s->tasks[t->step->target];

    if (other == t)
        sim_fail_at(s, t, "kills itself; expected the step exit");
    else
        life_kill(s, other, t->pub.on_cpu);
}

static void mark(struct sim *s, int32_t index)
{
    struct sim_mark *marks = s->options->marks;

    if (marks == NULL)
        return;
    marks[index] = (struct sim_mark){.at_ns = s->now_ns};
    for (int cpu = 0; cpu < s->cpu_count; cpu++)
        marks[index].busy_ns += sim_cpu_busy_ns(s, cpu);
}

static enum outcome loop(struct sim_task *t)
{
    int64_t *count = &t->loop_count[t->step->depth];

    if (t->step->amount != INT64_MAX && ++*count >= t->step->amount) {
        *count = 0;
        return STEP_DONE;
    }
    t->step = t->program_start + t->step->target;
    t->step_begun = false;
    return STEP_LEFT;
}

static enum outcome effect(struct sim *s, struct sim_task *t)
{
    switch ((enum program_op)t->step->op) {
    case OP_RUN:
        if (t->step->amount != INT64_MAX)
            return STEP_DONE;
        t->work_left = WORK_FOREVER;
        return STEP_LEFT;
    case OP_SYSTEM: return STEP_DONE;
    case OP_SLEEP: return sleep_on(s, t);
    case OP_DISK: return disk(s, t);
    case OP_FORK: life_fork(s, t, t->step->target, false); return STEP_DONE;
    case OP_VFORK: return vfork_child(s, t);
    case OP_EXEC: life_exec(s, t, t->step->target); return STEP_DONE;
    case OP_WAIT: return wait_children(s, t);
    case OP_EXIT: end(s, t); return STEP_LEFT;
    case OP_READ: return pipe_read(s, t);
    case OP_WRITE: return pipe_write(s, t);
    case OP_SLOT: return slot(s, t);
    case OP_LOCK: return lock(s, t);
    case OP_UNLOCK: return unlock(s, t);
    case OP_BARRIER: return barrier(s, t);
    case OP_YIELD: yield(s, t); return STEP_DONE;
    case OP_NICE: renice(s, t); return STEP_DONE;
    case OP_AFFINITY: reallow(s, t); return STEP_DONE;
    case OP_GROUP: regroup(s, t); return STEP_DONE;
    case OP_RELEASE: release(s, t); return STEP_DONE;
    case OP_KILL: kill(s, t); return STEP_DONE;
    case OP_MARK: mark(s, t->step->target); return STEP_DONE;
    case OP_LOOP: return loop(t);
    }
    return STEP_DONE;
}

void steps_advance(struct sim *s, int cpu)
{
    struct sim_task *t = sim_running(s, cpu);

    progress_sync(s, cpu);
    while (s->status == HL_OK && sim_running(s, cpu) == t && t != NULL) {
        bool was_in_kernel, was_in_user;

        if (t->debt + t->work_left > 0) {
            progress_arm(s, cpu);
            return;
        }
        if (!t->step_begun) {
            begin(s, t);
            continue;
        }
        if (++s->steps_without_time > STEPS_WITHOUT_TIME_MAX) {
            sim_fail_at(s, t, "does %d steps at %" PRId64 " ns without time passing",
                        STEPS_WITHOUT_TIME_MAX, s->now_ns);
            return;
        }
        was_in_kernel = t->in_kernel;
        was_in_user = !was_in_kernel && t->step->op != OP_SYSTEM;
        if (effect(s, t) == STEP_LEFT)
            continue;
        t->step++;
        t->step_begun = t->in_kernel = false;
        if (sim_running(s, cpu) != t)
            return;
        if (was_in_kernel && s->ops->to_user != NULL) {
            s->here = cpu;
            s->ops->to_user(&s->policy, cpu, &t->pub);
            policy_host_callback_end(s);
            s->here = POLICY_NO_CPU;
        }
        if (s->cpus[cpu].kicked && !was_in_user)
            dispatch_cpu(s, cpu);
    }
}
