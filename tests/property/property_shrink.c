/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * property_shrink.c - makes a failing case smaller, one change at a time, as long as it still fails.
 *
 * Changes go from large to small: whole tasks and objects, then settings, steps, and numbers. All are
 * tried again until none helps. Each keeps what makes a case end: a pipe or barrier goes with all its
 * steps, a lock with its unlock.
 */
#include <string.h>

#include "base/units.h"
#include "property_case.h"

struct shrinking {
    struct property_case *best, next;
    int tries, tries_max;
    bool (*fails)(void *context, const struct property_case *c);
    void *context;
};

/* Takes s->next if it still fails. */
static bool attempt(struct shrinking *s)
{
    if (memcmp(&s->next, s->best, sizeof(s->next)) == 0 || s->tries >= s->tries_max) {
        s->next = *s->best;
        return false;
    }
    s->tries++;
    if (s->fails(s->context, &s->next)) {
        *s->best = s->next;
        return true;
    }
    s->next = *s->best;
    return false;
}

/* ---- steps ---- */

static void remove_step(struct case_program *p, int32_t at)
{
    memmove(&p->steps[at], &p->steps[at + 1],
            (size_t)(p->step_count - at - 1) * sizeof(p->steps[0]));
    p->step_count--;
    memset(&p->steps[p->step_count], 0, sizeof(p->steps[0]));
}

/* The place where the loop that opens at `at` closes. */
static int32_t loop_end(const struct case_program *p, int32_t at)
{
    int depth = 0;

    for (int32_t i = at; i < p->step_count; i++) {
        if (p->steps[i].op == OP_LOOP)
            depth++;
        if (p->steps[i].op == CASE_LOOP_END && --depth == 0)
            return i;
    }
    return at;
}

static bool is_of(const struct case_step *step, enum program_op a, enum program_op b,
                  int32_t target)
{
    return (step->op == a || step->op == b) && step->target == target;
}

static void remove_steps_of(struct property_case *c, enum program_op a, enum program_op b,
                            int32_t target)
{
    for (int32_t p = 0; p < c->program_count; p++)
        for (int32_t i = c->programs[p].step_count - 1; i >= 0; i--)
            if (is_of(&c->programs[p].steps[i], a, b, target))
                remove_step(&c->programs[p], i);
}

/* Empty loops mean nothing, and a loop without end that takes no time is refused. */
static void remove_empty_loops(struct property_case *c)
{
    for (int32_t p = 0; p < c->program_count; p++)
        for (int32_t i = c->programs[p].step_count - 2; i >= 0; i--)
            if (c->programs[p].steps[i].op == OP_LOOP &&
                c->programs[p].steps[i + 1].op == CASE_LOOP_END) {
                remove_step(&c->programs[p], i + 1);
                remove_step(&c->programs[p], i);
            }
}

/* ---- whole things ---- */

static bool steps_use(const struct case_program *p, enum program_op a, enum program_op b,
                      int32_t target)
{
    for (int32_t i = 0; i < p->step_count; i++)
        if (is_of(&p->steps[i], a, b, target))
            return true;
    return false;
}

static void drop_pipe(struct property_case *c, int32_t pipe)
{
    c->pipes[pipe].gone = true;
    remove_steps_of(c, OP_READ, OP_WRITE, pipe);
    remove_empty_loops(c);
}

static void drop_barrier(struct property_case *c, int32_t barrier)
{
    c->barriers[barrier].gone = true;
    remove_steps_of(c, OP_BARRIER, OP_BARRIER, barrier);
}

static void drop_program(struct property_case *c, int32_t program)
{
    struct case_program *p = &c->programs[program];

    for (int32_t i = 0; i < c->pipe_count; i++)
        if (!c->pipes[i].gone && steps_use(p, OP_READ, OP_WRITE, i))
            drop_pipe(c, i);
    for (int32_t i = 0; i < c->barrier_count; i++)
        if (!c->barriers[i].gone && steps_use(p, OP_BARRIER, OP_BARRIER, i) &&
            --c->barriers[i].size <= 1)
            drop_barrier(c, i);
    remove_steps_of(c, OP_FORK, OP_VFORK, program);
    remove_empty_loops(c);
    p->gone = true;
    memset(p->steps, 0, sizeof(p->steps));
    p->step_count = 0;
}

static void drop_things(struct shrinking *s)
{
    for (int32_t i = s->best->program_count - 1; i >= 0; i--)
        if (!s->best->programs[i].gone) {
            drop_program(&s->next, i);
            (void)attempt(s);
        }
    for (int32_t i = 0; i < s->best->pipe_count; i++)
        if (!s->best->pipes[i].gone) {
            drop_pipe(&s->next, i);
            (void)attempt(s);
        }
    for (int32_t i = 0; i < s->best->barrier_count; i++)
        if (!s->best->barriers[i].gone) {
            drop_barrier(&s->next, i);
            (void)attempt(s);
        }
}

/* ---- settings ---- */

static void drop_setting(struct case_setting *settings, int32_t *count, int32_t at)
{
    memmove(&settings[at], &settings[at + 1], (size_t)(*count - at - 1) * sizeof(*settings));
    memset(&settings[--*count], 0, sizeof(*settings));
}

static void drop_settings(struct shrinking *s)
{
    s->next.param_count = 0;
    memset(s->next.params, 0, sizeof(s->next.params));
    (void)attempt(s);
    for (int32_t i = s->best->param_count - 1; i >= 0; i--) {
        drop_setting(s->next.params, &s->next.param_count, i);
        (void)attempt(s);
    }
    for (int32_t i = s->best->constant_count - 1; i >= 0; i--) {
        drop_setting(s->next.constants, &s->next.constant_count, i);
        (void)attempt(s);
    }
    /* What is not dropped becomes 0, the plainest value. */
    for (int32_t i = s->best->constant_count - 1; i >= 0; i--) {
        char *equals = strchr(s->next.constants[i].text, '=');

        if (equals != NULL && equals[1] != '0') {
            memset(equals + 1, 0, strlen(equals + 1));
            equals[1] = '0';
            (void)attempt(s);
        }
    }
    memset(s->next.capacity, 0, sizeof(s->next.capacity));
    (void)attempt(s);
    if (s->best->seed != 1) {
        s->next.seed = 1;
        (void)attempt(s);
    }
}

static uint32_t cpus_below(uint32_t cpus, int32_t count)
{
    return cpus & ((UINT32_C(1) << count) - 1);
}

/* A machine with fewer cpus; who was bound to others may run anywhere. */
static void set_topology(struct property_case *c, const char *topology, int32_t cpu_count)
{
    memset(c->topology, 0, sizeof(c->topology));
    memcpy(c->topology, topology, strlen(topology));
    c->cpu_count = cpu_count;
    for (int32_t cpu = cpu_count; cpu < CASE_CPUS_MAX; cpu++)
        c->capacity[cpu] = 0;
    for (int32_t p = 0; p < c->program_count; p++) {
        c->programs[p].cpus = cpus_below(c->programs[p].cpus, cpu_count);
        if (c->programs[p].start_cpu >= cpu_count)
            c->programs[p].start_cpu = -1;
        for (int32_t i = 0; i < c->programs[p].step_count; i++)
            c->programs[p].steps[i].cpus = cpus_below(c->programs[p].steps[i].cpus, cpu_count);
    }
}

static void shrink_machine(struct shrinking *s)
{
    static const struct {
        const char *topology;
        int32_t cpu_count;
    } smaller[] = {{"pack:1 core:1 pu:1", 1},        {"pack:2 core:1 pu:1", 2},
                   {"pack:1 core:2 pu:1", 2},        {"pack:1 core:1 pu:2", 2},
                   {"pack:3 core:1 pu:1", 3},        {"pack:4 core:1 pu:1", 4},
                   {"pack:2 core:1 pu:2", 4},        {"node:2 pack:1 core:1 pu:1", 2},
                   {"node:2 pack:1 core:2 pu:1", 4}, {"pack:2 core:2 pu:2", 8}};

    for (int i = 0; i < HL_COUNT_OF(smaller); i++)
        if (smaller[i].cpu_count < s->best->cpu_count) {
            set_topology(&s->next, smaller[i].topology, smaller[i].cpu_count);
            if (attempt(s))
                return;
        }
}

/* ---- steps and numbers ---- */

static bool may_go_alone(const struct case_step *step)
{
    switch (step->op) {
    case OP_READ:
    case OP_WRITE:
    case OP_BARRIER:
    case OP_LOCK:
    case OP_UNLOCK:
    case OP_LOOP:
    case CASE_LOOP_END: return false;
    default: return true;
    }
}

/* Reads and writes in a loop that goes away are done once, and each pipe is still read to its end. */
static void drop_steps(struct shrinking *s, int32_t program)
{
    for (int32_t i = s->best->programs[program].step_count - 1; i >= 0; i--) {
        struct case_program *p = &s->next.programs[program];
        struct case_step *step = &p->steps[i];

        if (i >= p->step_count)
            continue;
        if (may_go_alone(step)) {
            remove_step(p, i);
            remove_empty_loops(&s->next);
            (void)attempt(s);
        } else if (step->op == OP_LOCK) {
            int32_t lock = step->target, end = i;

            while (end < p->step_count && !is_of(&p->steps[end], OP_UNLOCK, OP_UNLOCK, lock))
                end++;
            if (end == p->step_count)
                continue;
            remove_step(p, end);
            remove_step(p, i);
            (void)attempt(s);
        } else if (step->op == OP_LOOP && step->amount != INT64_MAX) {
            remove_step(p, loop_end(p, i));
            remove_step(p, i);
            (void)attempt(s);
        }
    }
}

static void shrink_step(struct shrinking *s, int32_t program, int32_t at)
{
    static const int64_t plain_ns[] = {HL_NS_PER_MS, 10 * HL_NS_PER_MS, HL_NS_PER_US};
    const struct case_step *old = &s->best->programs[program].steps[at];
    struct case_step *step = &s->next.programs[program].steps[at];

    switch (old->op) {
    case OP_RUN:
    case OP_SYSTEM:
    case OP_SLEEP:
        if (old->amount == INT64_MAX)
            return;
        step->kind = 0;
        (void)attempt(s);
        step->spread = 0;
        (void)attempt(s);
        for (int i = 0; i < HL_COUNT_OF(plain_ns); i++) {
            if (old->amount == plain_ns[i])
                return;
            step->amount = plain_ns[i];
            if (attempt(s))
                return;
        }
        step->amount = old->amount / 2;
        if (step->amount > 0)
            (void)attempt(s);
        s->next = *s->best;
        break;
    case OP_LOOP:
        if (old->amount == INT64_MAX || old->amount <= 2)
            return;
        step->amount = 2;
        (void)attempt(s);
        break;
    case OP_VFORK:
        step->op = OP_FORK;
        (void)attempt(s);
        break;
    case OP_DISK:
        step->amount = 1;
        (void)attempt(s);
        break;
    case OP_AFFINITY:
        step->cpus = 0;
        (void)attempt(s);
        break;
    default: break;
    }
}

static void shrink_task(struct shrinking *s, int32_t program)
{
    struct case_program *p = &s->next.programs[program];

    p->at_ns = 0;
    (void)attempt(s);
    p->nice = 0;
    (void)attempt(s);
    p->group = 0;
    (void)attempt(s);
    p->class = p->rt_priority = 0;
    (void)attempt(s);
    p->cpus = 0;
    (void)attempt(s);
    p->start_cpu = -1;
    (void)attempt(s);
    p->is_kernel = false;
    (void)attempt(s);
}

int property_case_shrink(struct property_case *c, int tries_max,
                         bool (*fails)(void *context, const struct property_case *c), void *context)
{
    struct shrinking s = {.best = c, .tries_max = tries_max, .fails = fails, .context = context};
    struct property_case before;

    s.next = *c;
    do {
        before = *c;
        drop_things(&s);
        drop_settings(&s);
        shrink_machine(&s);
        for (int32_t p = 0; p < c->program_count; p++) {
            drop_steps(&s, p);
            for (int32_t i = 0; i < c->programs[p].step_count; i++)
                shrink_step(&s, p, i);
            if (c->programs[p].is_task && !c->programs[p].gone)
                shrink_task(&s, p);
        }
    } while (memcmp(&before, c, sizeof(before)) != 0 && s.tries < tries_max);
    return s.tries;
}
