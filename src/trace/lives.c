/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lives.c - follows the processes of one tree through a recording.
 *
 * Only the tree is followed; what else runs matters where it shows that something was lost: a task
 * that leaves a cpu on which another was thought to run. Time whose begin or end is not known is
 * is counted apart. With one exception, since kernels record few of the
 * switches from idle in some virtual machines: a task that leaves an idle cpu has run there since
 * it could, for nobody else has.
 */
#include "trace/lives.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"

enum { NOBODY = -1 };

struct trace_lives_task {
    int32_t pid; /* 0: the slot is free */
    int32_t parent;
    uint32_t serial, parent_serial; /* a slot's user; the parent is gone if they differ */
    char name[TRACE_TEXT_NAME_BYTES];
    int64_t started_ns, cpu_ns, unknown_ns, voluntary, involuntary;
    int64_t since_ns;               /* running: since when */
    int64_t ready_ns;               /* runnable: since when it could run, for all that is known */
    int64_t blocked_ns;             /* in_vfork: since when */
    int64_t forked_ns;              /* has_forked: when, the last time */
    int32_t cpu;                    /* runs there; -1: not running */
    int32_t depth, units, children; /* children: living ones */
    bool is_runnable, is_whole, is_unit;
    bool has_forked; /* since it last came to a cpu */
    bool in_vfork;   /* left the cpu uninterruptibly after a fork */
};

void trace_lives_open(struct trace_lives *lives, const struct trace_lives_options *options)
{
    *lives =
        (struct trace_lives){.options = *options, .root = NOBODY, .slice_ns = 50 * HL_NS_PER_MS};
}

void trace_lives_close(struct trace_lives *lives)
{
    hl_free(lives->tasks);
    hl_free(lives->by_pid);
    hl_free(lives->free_slots);
    hl_free(lives->cpus);
    *lives = (struct trace_lives){0};
}

/* ---- slots ---- */

/* Where the pid is, or would be, among the living. */
static size_t place_of(const struct trace_lives *lives, int32_t pid)
{
    size_t low = 0, high = lives->live_count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (lives->tasks[lives->by_pid[middle]].pid < pid)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct trace_lives_task *find(struct trace_lives *lives, int32_t pid)
{
    size_t place = place_of(lives, pid);

    if (place == lives->live_count || lives->tasks[lives->by_pid[place]].pid != pid)
        return NULL;
    return &lives->tasks[lives->by_pid[place]];
}

static int32_t slot_of(const struct trace_lives *lives, const struct trace_lives_task *t)
{
    return (int32_t)(t - lives->tasks);
}

/* A pid that is not among the living. */
static enum hl_status add(struct trace_lives *lives, int32_t pid, struct trace_lives_task **task,
                          struct hl_error *err)
{
    size_t place = place_of(lives, pid);
    int32_t slot;
    uint32_t serial;

    HL_TRY(hl_grow(&lives->by_pid, &lives->by_pid_capacity, lives->live_count + 1,
                   sizeof(*lives->by_pid), err));
    if (lives->free_count == 0) {
        HL_TRY(hl_grow(&lives->tasks, &lives->task_capacity, lives->task_count + 1,
                       sizeof(*lives->tasks), err));
        /* Room for every slot to come back. */
        HL_TRY(hl_grow(&lives->free_slots, &lives->free_capacity, lives->task_count + 1,
                       sizeof(*lives->free_slots), err));
        lives->tasks[lives->task_count] = (struct trace_lives_task){0};
        lives->free_slots[lives->free_count++] = (int32_t)lives->task_count++;
    }
    slot = lives->free_slots[--lives->free_count];
    memmove(&lives->by_pid[place + 1], &lives->by_pid[place],
            (lives->live_count - place) * sizeof(*lives->by_pid));
    lives->by_pid[place] = slot;
    lives->live_count++;
    serial = lives->tasks[slot].serial + 1;
    lives->tasks[slot] = (struct trace_lives_task){.pid = pid,
                                                   .parent = NOBODY,
                                                   .serial = serial,
                                                   .started_ns = lives->now_ns,
                                                   .cpu = NOBODY,
                                                   .is_whole = true};
    *task = &lives->tasks[slot];
    return HL_OK;
}

/* NULL: it has ended, or t is the root. */
static struct trace_lives_task *parent_of(const struct trace_lives *lives,
                                          const struct trace_lives_task *t)
{
    struct trace_lives_task *parent;

    if (t->parent == NOBODY)
        return NULL;
    parent = &lives->tasks[t->parent];
    return parent->pid != 0 && parent->serial == t->parent_serial ? parent : NULL;
}

/* ---- time ---- */

/* Adds up pairs of slices, so that each is twice as long. */
static void widen_slices(struct trace_lives *lives)
{
    for (int i = 0; i < TRACE_LIVES_SLICES; i++) {
        struct trace_lives_slice sum = {0};

        if (i < TRACE_LIVES_SLICES / 2) {
            const struct trace_lives_slice *pair = &lives->slices[2 * i];

            sum.idle_ns = pair[0].idle_ns + pair[1].idle_ns;
            sum.single_ns = pair[0].single_ns + pair[1].single_ns;
            sum.serial_ns = pair[0].serial_ns + pair[1].serial_ns;
        }
        lives->slices[i] = sum;
    }
    lives->slice_ns *= 2;
}

/* A stretch of time within one slice with at most one runnable task. */
static void add_serial(struct trace_lives *lives, struct trace_lives_slice *slice, int64_t ns)
{
    if (lives->runnable == 0) {
        slice->idle_ns += ns;
        return;
    }
    slice->single_ns += ns;
    /* With a cpu idle it runs, whether its switch was seen or not. */
    if (lives->running > 0 || lives->idle_cpus > 0)
        slice->serial_ns += ns;
}

static void set_idle(struct trace_lives *lives, struct trace_lives_cpu *cpu, bool is_idle)
{
    lives->idle_cpus += (is_idle ? 1 : 0) - (cpu->is_idle ? 1 : 0);
    cpu->is_idle = is_idle;
}

static void count_hole(struct trace_lives *lives, int64_t ns)
{
    lives->hole_count++;
    lives->hole_ns += ns;
    if (ns > lives->hole_longest_ns) {
        lives->hole_longest_ns = ns;
        lives->hole_longest_at_ns = lives->now_ns;
    }
}

/* Brings the sums up to `to_ns`. */
static void advance(struct trace_lives *lives, int64_t to_ns)
{
    int32_t level = HL_MIN(lives->runnable, TRACE_LIVES_LEVELS - 1);

    if (to_ns <= lives->now_ns)
        return;
    if (lives->has_root && !lives->is_done) {
        if (level > 0 && to_ns - lives->now_ns >= TRACE_LIVES_HOLE_NS)
            count_hole(lives, to_ns - lives->now_ns);
        lives->level_ns[level] += to_ns - lives->now_ns;
        while (to_ns - lives->begin_ns > TRACE_LIVES_SLICES * lives->slice_ns)
            widen_slices(lives);
        for (int64_t from_ns = lives->now_ns; level <= 1 && from_ns < to_ns;) {
            int64_t slice = (from_ns - lives->begin_ns) / lives->slice_ns;
            int64_t end_ns = HL_MIN(to_ns, lives->begin_ns + (slice + 1) * lives->slice_ns);

            add_serial(lives, &lives->slices[slice], end_ns - from_ns);
            from_ns = end_ns;
        }
    }
    lives->now_ns = to_ns;
}

struct trace_lives_slice trace_lives_half(const struct trace_lives *lives, bool second)
{
    int64_t slices = (lives->now_ns - lives->begin_ns) / lives->slice_ns + 1;
    int64_t first = second ? slices / 2 : 0, end = second ? slices : slices / 2;
    struct trace_lives_slice sum = {0};

    for (int64_t i = first; i < HL_MIN(end, TRACE_LIVES_SLICES); i++) {
        sum.idle_ns += lives->slices[i].idle_ns;
        sum.single_ns += lives->slices[i].single_ns;
        sum.serial_ns += lives->slices[i].serial_ns;
    }
    return sum;
}

/* ---- what happens to a task ---- */

static void set_runnable(struct trace_lives *lives, struct trace_lives_task *t, bool is_runnable)
{
    if (t->is_runnable != is_runnable)
        lives->runnable += is_runnable ? 1 : -1;
    if (is_runnable && !t->is_runnable)
        t->ready_ns = lives->now_ns;
    t->is_runnable = is_runnable;
}

/* A name that changes is an exec, also where recordings have no events of these. */
static void set_name(struct trace_lives *lives, struct trace_lives_task *t, const char *name)
{
    bool is_unit = strcmp(name, lives->options.unit) == 0;

    if (strcmp(t->name, name) == 0)
        return;
    memcpy(t->name, name, strlen(name) + 1);
    if (is_unit == t->is_unit)
        return;
    lives->units_now += is_unit ? 1 : -1;
    lives->units_most = HL_MAX(lives->units_most, lives->units_now);
    t->is_unit = is_unit;
}

/* It stops running, at a time that is known or not. */
static void leave_cpu(struct trace_lives *lives, struct trace_lives_task *t, bool is_known)
{
    if (t->cpu == NOBODY)
        return;
    if (is_known)
        t->cpu_ns += lives->now_ns - t->since_ns;
    else
        t->unknown_ns += lives->now_ns - t->since_ns;
    lives->cpus[t->cpu].slot = NOBODY;
    t->cpu = NOBODY;
    lives->running--;
}

static void count_unit(const struct trace_lives *lives, const struct trace_lives_task *unit)
{
    for (struct trace_lives_task *t = parent_of(lives, unit); t != NULL; t = parent_of(lives, t))
        if (strcmp(t->name, lives->options.root) == 0) {
            t->units++;
            return;
        }
}

static void end(struct trace_lives *lives, struct trace_lives_task *t)
{
    struct trace_lives_task *parent = parent_of(lives, t);
    size_t place = place_of(lives, t->pid);
    const struct trace_life life = {
        .name = t->name,
        .parent = parent == NULL ? "" : parent->name,
        .started_ns = t->started_ns,
        .ended_ns = lives->now_ns,
        .cpu_ns = t->cpu_ns,
        .unknown_ns = t->unknown_ns,
        .voluntary = t->voluntary,
        .involuntary = t->involuntary,
        .depth = t->depth,
        .units = t->units,
        .siblings = parent == NULL ? 0 : --parent->children,
        .is_root = slot_of(lives, t) == lives->root,
        .is_whole = t->is_whole,
    };

    set_runnable(lives, t, false);
    if (t->is_unit) {
        lives->units_now--;
        count_unit(lives, t);
    }
    lives->options.ended(lives->options.context, &life);
    if (life.is_root)
        lives->is_done = true;
    memmove(&lives->by_pid[place], &lives->by_pid[place + 1],
            (lives->live_count - place - 1) * sizeof(*lives->by_pid));
    lives->live_count--;
    lives->free_slots[lives->free_count++] = slot_of(lives, t);
    t->pid = 0;
}

/* Is this the root, met for the first time? */
static enum hl_status meet_root(struct trace_lives *lives, const struct trace_text_task *who,
                                struct hl_error *err)
{
    struct trace_lives_task *t;

    if (lives->has_root || who->pid == 0 ||
        (lives->options.root_pid > 0 ? who->pid != lives->options.root_pid
                                     : strcmp(who->name, lives->options.root) != 0))
        return HL_OK;
    HL_TRY(add(lives, who->pid, &t, err));
    lives->has_root = true;
    lives->root = slot_of(lives, t);
    lives->begin_ns = lives->now_ns;
    set_name(lives, t, who->name);
    set_runnable(lives, t, true);
    return HL_OK;
}

static enum hl_status reserve_cpu(struct trace_lives *lives, int32_t cpu, struct hl_error *err)
{
    HL_TRY(hl_grow(&lives->cpus, &lives->cpu_capacity, (size_t)cpu + 1, sizeof(*lives->cpus), err));
    while (lives->cpu_count <= (size_t)cpu)
        lives->cpus[lives->cpu_count++] = (struct trace_lives_cpu){.slot = NOBODY};
    return HL_OK;
}

/* Nobody knows since when, or whether, what ran on the cpu does so no more. */
static void lose(struct trace_lives *lives, int32_t cpu, int64_t events)
{
    lives->lost_places++;
    lives->lost_events += events;
    for (size_t c = cpu < 0 ? 0 : (size_t)cpu; c < lives->cpu_count; c++) {
        if (lives->cpus[c].slot != NOBODY)
            leave_cpu(lives, &lives->tasks[lives->cpus[c].slot], false);
        set_idle(lives, &lives->cpus[c], false);
        if (cpu >= 0)
            return;
    }
}

static void enter_cpu(struct trace_lives *lives, struct trace_lives_task *t, int32_t cpu)
{
    t->cpu = cpu;
    t->since_ns = lives->now_ns;
    t->has_forked = false;
    lives->running++;
    lives->cpus[cpu].slot = slot_of(lives, t);
    set_idle(lives, &lives->cpus[cpu], false);
}

/* t leaves a cpu without having come to it. */
static void leave_unseen(struct trace_lives *lives, struct trace_lives_task *t,
                         const struct trace_lives_cpu *cpu)
{
    int64_t since_ns = HL_MAX(cpu->since_ns, t->ready_ns);

    if (!t->is_runnable)
        return;
    if (cpu->is_idle) {
        t->cpu_ns += lives->now_ns - since_ns;
        lives->inferred++;
    } else if (slot_of(lives, t) != lives->root || t->cpu_ns > 0) {
        t->unknown_ns += lives->now_ns - since_ns;
    }
}

/* Known by their names; migration threads are not among them, as they are the scheduler's own. */
static bool is_kernel_thread(const char *name)
{
    static const char *const beginnings[] = {"kworker/",  "ksoftirqd/", "rcu_",   "rcuo",
                                             "kcompactd", "khugepaged", "kswapd", "jbd2/"};

    for (int i = 0; i < HL_COUNT_OF(beginnings); i++)
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

static void switch_out(struct trace_lives *lives, const struct trace_text_event *event)
{
    struct trace_lives_cpu *cpu = &lives->cpus[event->cpu];
    struct trace_lives_task *t = event->task.pid == 0 ? NULL : find(lives, event->task.pid);

    /* Somebody else was thought to run here, or t elsewhere: events are missing. */
    if (cpu->slot != NOBODY && (t == NULL || cpu->slot != slot_of(lives, t)))
        lose(lives, event->cpu, 0);
    if (t == NULL)
        return;
    if (t->cpu != NOBODY && t->cpu != event->cpu)
        lose(lives, t->cpu, 0);
    set_name(lives, t, event->task.name);
    if (t->cpu == NOBODY)
        leave_unseen(lives, t, cpu);
    leave_cpu(lives, t, true);
    if (event->state == TRACE_RUNNABLE) {
        t->involuntary++;
        lives->kernel_preempts += is_kernel_thread(event->other.name);
        set_runnable(lives, t, true);
        t->ready_ns = lives->now_ns;
        return;
    }
    t->voluntary++;
    set_runnable(lives, t, false);
    t->in_vfork = event->state == TRACE_UNINTERRUPTIBLE && t->has_forked;
    t->blocked_ns = lives->now_ns;
    if (event->state == TRACE_DEAD)
        end(lives, t);
}

static void become_runnable(struct trace_lives *lives, struct trace_lives_task *t)
{
    if (t->in_vfork && lives->options.vfork_waited != NULL)
        lives->options.vfork_waited(lives->options.context, t->blocked_ns - t->forked_ns,
                                    lives->now_ns - t->blocked_ns);
    t->in_vfork = false;
    set_runnable(lives, t, true);
}

static void switch_in(struct trace_lives *lives, const struct trace_text_event *event)
{
    struct trace_lives_task *t = event->other.pid == 0 ? NULL : find(lives, event->other.pid);
    struct trace_lives_cpu *cpu = &lives->cpus[event->cpu];

    set_idle(lives, cpu, event->other.pid == 0);
    cpu->since_ns = lives->now_ns;
    if (t == NULL)
        return;
    if (t->cpu != NOBODY)
        lose(lives, t->cpu, 0);
    set_name(lives, t, event->other.name);
    become_runnable(lives, t);
    enter_cpu(lives, t, event->cpu);
}

static enum hl_status fork_child(struct trace_lives *lives, const struct trace_text_event *event,
                                 struct hl_error *err)
{
    struct trace_lives_task *parent = find(lives, event->task.pid), *child;
    struct trace_lives_task *former = find(lives, event->other.pid);
    int32_t parent_slot;

    /* The end of the pid's former user is missing. */
    if (former != NULL && former != parent) {
        leave_cpu(lives, former, false);
        former->is_whole = false;
        end(lives, former);
    }
    if (parent == NULL || former == parent || event->other.pid == 0)
        return HL_OK;
    set_name(lives, parent, event->task.name);
    parent->has_forked = true;
    parent->forked_ns = lives->now_ns;
    parent_slot = slot_of(lives, parent);
    HL_TRY(add(lives, event->other.pid, &child, err));
    parent = &lives->tasks[parent_slot]; /* slots may have moved */
    child->parent = parent_slot;
    child->parent_serial = parent->serial;
    child->depth = parent->depth + 1;
    parent->children++;
    set_name(lives, child, event->other.name);
    set_runnable(lives, child, true);
    return HL_OK;
}

enum hl_status trace_lives_event(struct trace_lives *lives, const struct trace_text_event *event,
                                 struct hl_error *err)
{
    struct trace_lives_task *t;

    if (lives->is_done)
        return HL_OK;
    advance(lives, event->at_ns);
    if (event->cpu >= 0)
        HL_TRY(reserve_cpu(lives, event->cpu, err));
    switch (event->kind) {
    case TRACE_TEXT_LOST: lose(lives, event->cpu, event->lost); return HL_OK;
    case TRACE_TEXT_SWITCH:
        HL_TRY(meet_root(lives, &event->task, err));
        HL_TRY(meet_root(lives, &event->other, err));
        switch_out(lives, event);
        if (!lives->is_done)
            switch_in(lives, event);
        return HL_OK;
    case TRACE_TEXT_FORK:
        HL_TRY(meet_root(lives, &event->task, err));
        return fork_child(lives, event, err);
    case TRACE_TEXT_WAKE:
    case TRACE_TEXT_EXEC:
    case TRACE_TEXT_EXIT: break;
    }
    HL_TRY(meet_root(lives, &event->task, err));
    t = find(lives, event->task.pid);
    if (t == NULL)
        return HL_OK;
    set_name(lives, t, event->task.name);
    if (event->kind == TRACE_TEXT_WAKE && t->cpu == NOBODY)
        become_runnable(lives, t);
    /* The root is met where it execs, and runs on this cpu. */
    if (event->kind == TRACE_TEXT_EXEC && slot_of(lives, t) == lives->root && t->cpu == NOBODY &&
        lives->cpus[event->cpu].slot == NOBODY)
        enter_cpu(lives, t, event->cpu);
    return HL_OK;
}

void trace_lives_finish(struct trace_lives *lives)
{
    lives->is_cut = lives->has_root && !lives->is_done;
    while (lives->live_count > 0) {
        struct trace_lives_task *t = &lives->tasks[lives->by_pid[lives->live_count - 1]];

        t->is_whole = false;
        leave_cpu(lives, t, false);
        end(lives, t);
    }
}
