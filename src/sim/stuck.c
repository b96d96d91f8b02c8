/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stuck.c - runs that will not end although something goes on: ticks, daemons, requests.
 *
 * Judged now and then, by what tasks can still do, never by how long it takes alone:
 *   - A task can go on if it is runnable, has a timer or is still to come; else if one that can go on
 *     has ahead of it, or in what it may fork, a step that could wake it. When no foreground task can
 *     go on, none ever will. (The converse does not hold: a daemon that might write and never does.)
 *   - A task that waits for a cpu while all cpus are idle, or for much longer than any policy has
 *     reason to let it, while no foreground task runs or will by itself: its policy has lost it.
 *   - Millions of events at one time: a policy that asks cpus in a circle.
 * A run with an end of its own is only judged by the last rule.
 */
#include "sim/engine.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    LOOKS_PER_JUDGEMENT = 16,
    STANDING_LOOKS_MAX = 1024,
    TASKS_SHOWN_MAX = 6,
    CPUS_SHOWN_MAX = 8,
    STATE_BYTES = 320
};

/* No policy leaves all cpus idle beside a task for so long. */
static const int64_t lost_ns = 10 * HL_NS_PER_S;
/* Per live task: the weight of nice -20 against a task of class idle makes waits of minutes. */
static const int64_t starved_ns = 600 * HL_NS_PER_S;

enum { PROGRAM_NEW, PROGRAM_FOUND, PROGRAM_SEEN };

enum hl_status stuck_init(struct sim *s, struct hl_error *err)
{
    const struct workload *w = s->workload;
    struct sim_stuck *k = &s->stuck;

    k->program = hl_arena_alloc(&s->arena, w->program_count, sizeof(*k->program));
    k->is_read = hl_arena_alloc(&s->arena, w->pipe_count, sizeof(*k->is_read));
    k->is_written = hl_arena_alloc(&s->arena, w->pipe_count, sizeof(*k->is_written));
    k->is_joined = hl_arena_alloc(&s->arena, w->barrier_count, sizeof(*k->is_joined));
    if (k->program == NULL || k->is_read == NULL || k->is_written == NULL || k->is_joined == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for what %zu programs may do",
                       w->program_count);
    return HL_OK;
}

/* ---- the state of a run as text ---- */

struct state_text {
    char text[STATE_BYTES];
    size_t used;
};

static void say(struct state_text *t, const char *format, ...) HL_PRINTF(2, 3);

static void say(struct state_text *t, const char *format, ...)
{
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(t->text + t->used, sizeof(t->text) - t->used, format, args);
    va_end(args);
    if (length > 0)
        t->used = HL_MIN(t->used + (size_t)length, sizeof(t->text) - 1);
}

static const char *name_of(const struct sim *s, const struct sim_task *t)
{
    return s->workload->names[t->name];
}

static void say_task(const struct sim *s, struct state_text *text, const struct sim_task *t)
{
    say(text, " %s", name_of(s, t));
    if (t->background)
        say(text, " (background)");
    if (t->pub.on_cpu >= 0)
        say(text, " runs on cpu %" PRId32, t->pub.on_cpu);
    else if (t->state == TASK_RUNNABLE)
        say(text, " waits for a cpu for %" PRId64 " ms",
            (s->now_ns - t->trace.since_ns) / HL_NS_PER_MS);
    else
        say(text, " is in %s", workload_op_name((enum program_op)t->step->op));
}

/* The tasks that are alive, those of the foreground first, and the cpus. */
static void describe(const struct sim *s, struct state_text *text)
{
    int64_t shown = 0, more = 0;

    *text = (struct state_text){.used = 0};
    say(text, "tasks:");
    for (int background = 0; background < 2; background++)
        for (struct hl_link *link = s->live.first; link != NULL; link = link->next) {
            const struct sim_task *t = HL_LIST_ENTRY(link, struct sim_task, live);

            if (t->background != background)
                continue;
            if (shown == TASKS_SHOWN_MAX) {
                more++;
                continue;
            }
            say(text, "%s", shown++ > 0 ? "," : "");
            say_task(s, text, t);
        }
    if (more > 0)
        say(text, ", and %" PRId64 " more", more);
    say(text, "; cpus:");
    for (int cpu = 0; cpu < HL_MIN(s->cpu_count, CPUS_SHOWN_MAX); cpu++)
        say(text, "%s %d %s", cpu > 0 ? "," : "", cpu,
            sim_running(s, cpu) == NULL ? "idle" : name_of(s, sim_running(s, cpu)));
    if (s->cpu_count > CPUS_SHOWN_MAX)
        say(text, ", and %d more", s->cpu_count - CPUS_SHOWN_MAX);
}

/* ---- who can go on ---- */

static void goes_on(struct sim_task *t)
{
    t->may_go_on = true;
    if (t->parent != NULL)
        t->parent->child_goes_on = true;
    if (t->vfork_parent != NULL)
        t->vfork_parent->child_goes_on = true;
}

static void note_steps(struct sim *s, const struct program *p, uint32_t from)
{
    struct sim_stuck *k = &s->stuck;

    for (uint32_t i = from; i < p->count; i++) {
        const struct program_step *step = &s->workload->steps[p->first + i];

        switch (step->op) {
        case OP_READ: k->is_read[step->target] = true; break;
        case OP_WRITE: k->is_written[step->target] = true; break;
        case OP_BARRIER: k->is_joined[step->target] = true; break;
        case OP_KILL: k->kills = true; break;
        case OP_SLOT:
        case OP_WAIT: k->reaps = true; break;
        case OP_FORK:
        case OP_VFORK:
            if (k->program[step->target] == PROGRAM_NEW) {
                k->program[step->target] = PROGRAM_FOUND;
                k->has_found = true;
            }
            break;
        default: break;
        }
    }
}

/* The first step that a task may still come to: loops lead back. */
static uint32_t first_ahead(const struct sim *s, const struct sim_task *t)
{
    const struct program *p = &s->workload->programs[t->program];
    uint32_t from = (uint32_t)(t->step - t->program_start);

    for (uint32_t i = from; i < p->count; i++)
        if (t->program_start[i].op == OP_LOOP && t->program_start[i].target < (int32_t)from)
            from = (uint32_t)t->program_start[i].target;
    return from;
}

static void note_programs(struct sim *s)
{
    struct sim_stuck *k = &s->stuck;

    while (k->has_found) {
        k->has_found = false;
        for (size_t i = 0; i < s->workload->program_count; i++)
            if (k->program[i] == PROGRAM_FOUND) {
                k->program[i] = PROGRAM_SEEN;
                note_steps(s, &s->workload->programs[i], 0);
            }
    }
}

static bool can_be_woken(const struct sim *s, const struct sim_task *t)
{
    const struct sim_stuck *k = &s->stuck;
    int32_t target = t->step->target;

    if (k->kills)
        return true;
    switch ((enum program_op)t->step->op) {
    case OP_READ: return k->is_written[target];
    case OP_WRITE: return k->is_read[target];
    case OP_BARRIER: return k->is_joined[target];
    case OP_LOCK: return s->locks[target].owner != NULL && s->locks[target].owner->may_go_on;
    case OP_SLOT: return k->reaps || t->child_goes_on;
    case OP_WAIT:
    case OP_VFORK: return t->child_goes_on;
    default: return true; /* it would not wait there */
    }
}

static bool is_there(const struct sim_task *t)
{
    return t->state == TASK_UNBORN || t->state == TASK_BLOCKED || t->state == TASK_RUNNABLE;
}

static void find_who_goes_on(struct sim *s)
{
    const struct workload *w = s->workload;
    struct sim_stuck *k = &s->stuck;
    bool is_changed;

    memset(k->program, PROGRAM_NEW, w->program_count * sizeof(*k->program));
    memset(k->is_read, 0, w->pipe_count * sizeof(*k->is_read));
    memset(k->is_written, 0, w->pipe_count * sizeof(*k->is_written));
    memset(k->is_joined, 0, w->barrier_count * sizeof(*k->is_joined));
    k->reaps = k->kills = k->has_found = false;
    for (size_t i = 0; i < s->task_used; i++)
        s->tasks[i].may_go_on = s->tasks[i].child_goes_on = false;
    do {
        is_changed = false;
        for (size_t i = 0; i < s->task_used; i++) {
            struct sim_task *t = &s->tasks[i];

            if (!is_there(t) || t->may_go_on ||
                (t->state == TASK_BLOCKED && !event_queue_is_armed(&s->queue, slot_task(s, t)) &&
                 !can_be_woken(s, t)))
                continue;
            goes_on(t);
            note_steps(s, &w->programs[t->program], first_ahead(s, t));
            is_changed = true;
        }
        note_programs(s);
    } while (is_changed);
}

/* ---- verdicts ---- */

static struct sim_task *first_foreground(const struct sim *s)
{
    struct sim_task *t = HL_LIST_ENTRY(s->live.first, struct sim_task, live);

    while (t != NULL && t->background)
        t = HL_LIST_ENTRY(t->live.next, struct sim_task, live);
    return t;
}

static void report_dead(struct sim *s)
{
    struct sim_task *t = first_foreground(s);
    struct state_text state;

    if (t == NULL) {
        sim_fail(s, HL_BAD_INPUT,
                 "all tasks are in the background; expected one that the run waits for, or an end");
        return;
    }
    describe(s, &state);
    sim_fail_at(s, t,
                "waits for ever in %s: nobody is left who could end it; %" PRId64
                " task%s of the run ha%s not ended; %s",
                workload_op_name((enum program_op)t->step->op), s->foreground_left,
                s->foreground_left == 1 ? "" : "s", s->foreground_left == 1 ? "s" : "ve",
                state.text);
}

static void report_lost(struct sim *s, const struct sim_task *t)
{
    struct state_text state;

    describe(s, &state);
    sim_fail(s, HL_BAD_POLICY,
             "%s lets task %" PRId32 " '%s' wait for a cpu for ever: %" PRId64
             " ms so far at %" PRId64 " ns; %s",
             s->ops->name, t->pub.id, name_of(s, t), (s->now_ns - t->trace.since_ns) / HL_NS_PER_MS,
             s->now_ns, state.text);
}

/* The foreground task that has waited for a cpu for the shortest time; NULL: none waits. */
static const struct sim_task *latest_waiting(const struct sim *s)
{
    const struct sim_task *latest = NULL;

    for (struct hl_link *link = s->live.first; link != NULL; link = link->next) {
        const struct sim_task *t = HL_LIST_ENTRY(link, struct sim_task, live);

        if (!t->background && t->state == TASK_RUNNABLE &&
            (latest == NULL || t->trace.since_ns > latest->trace.since_ns))
            latest = t;
    }
    return latest;
}

/* How long foreground tasks may wait for a cpu as things are; INT64_MAX: for the end of a long step. */
static int64_t patience_ns(const struct sim *s)
{
    int64_t live = 0;
    bool is_busy = false;

    for (int cpu = 0; cpu < s->cpu_count; cpu++) {
        const struct sim_task *t = sim_running(s, cpu);

        is_busy |= t != NULL;
        if (t != NULL && t->step->op == OP_RUN && t->step->amount != INT64_MAX &&
            t->step->amount > starved_ns)
            return INT64_MAX;
    }
    for (struct hl_link *link = s->live.first; link != NULL; link = link->next)
        live++;
    return is_busy ? starved_ns * live : lost_ns;
}

/* The run waits for a foreground task that runs, or will by itself: all is well. */
static bool has_progress(const struct sim *s)
{
    for (int cpu = 0; cpu < s->cpu_count; cpu++)
        if (sim_running(s, cpu) != NULL && !sim_running(s, cpu)->background)
            return true;
    for (size_t i = 0; i < s->task_used; i++) {
        const struct sim_task *t = &s->tasks[i];

        if (is_there(t) && !t->background && event_queue_is_armed(&s->queue, slot_task(s, t)))
            return true;
    }
    return false;
}

static void judge(struct sim *s)
{
    const struct sim_task *waiting;
    bool someone = false;

    if (has_progress(s))
        return;
    find_who_goes_on(s);
    for (size_t i = 0; i < s->task_used && !someone; i++)
        someone = is_there(&s->tasks[i]) && !s->tasks[i].background && s->tasks[i].may_go_on;
    if (!someone) {
        report_dead(s);
        return;
    }
    waiting = latest_waiting(s);
    if (waiting != NULL && s->now_ns - waiting->trace.since_ns >= patience_ns(s))
        report_lost(s, waiting);
}

void stuck_look(struct sim *s, bool has_end)
{
    struct sim_stuck *k = &s->stuck;

    if (s->now_ns != k->seen_ns) {
        k->seen_ns = s->now_ns;
        k->standing = 0;
    } else if (++k->standing == STANDING_LOOKS_MAX) {
        struct state_text state;

        describe(s, &state);
        sim_fail(s, HL_BAD_POLICY, "%s: %" PRIu64 " events, and more to come at %" PRId64 " ns; %s",
                 s->ops->name, s->event_count, s->now_ns, state.text);
        return;
    }
    if (!has_end && ++k->looks % LOOKS_PER_JUDGEMENT == 0)
        judge(s);
}

void stuck_at_rest(struct sim *s)
{
    const struct sim_task *waiting = latest_waiting(s);

    if (waiting != NULL)
        report_lost(s, waiting);
    else
        report_dead(s);
}
