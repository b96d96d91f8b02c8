/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * program.c - building sets of programs, and the checks that let a player trust them.
 */
#include "workload/workload.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

void workload_close(struct workload *w)
{
    for (size_t i = 0; i < w->name_count; i++)
        hl_free(w->names[i]);
    hl_free(w->names);
    hl_free(w->steps);
    hl_free(w->programs);
    hl_free(w->tasks);
    hl_free(w->pipes);
    hl_free(w->slots);
    hl_free(w->barriers);
    hl_free(w->groups);
    hl_free(w->sessions);
    hl_free(w->parts);
    hl_free(w->cpu_sets);
    hl_free(w->lines);
    *w = (struct workload){0};
}

int32_t workload_name(struct workload *w, const char *name)
{
    char *copy;

    for (size_t i = 0; i < w->name_count; i++)
        if (strcmp(w->names[i], name) == 0)
            return (int32_t)i;
    if (hl_grow(&w->names, &w->name_capacity, w->name_count + 1, sizeof(*w->names), NULL) != HL_OK)
        return -1;
    copy = hl_strdup(name);
    if (copy == NULL)
        return -1;
    w->names[w->name_count] = copy;
    return (int32_t)w->name_count++;
}

enum hl_status workload_program(struct workload *w, const char *name, int32_t *program,
                                struct hl_error *err)
{
    int32_t name_index = workload_name(w, name);

    if (name_index < 0)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the name of program '%s'", name);
    HL_TRY(hl_grow(&w->programs, &w->program_capacity, w->program_count + 1, sizeof(*w->programs),
                   err));
    *program = (int32_t)w->program_count;
    w->programs[w->program_count++] =
        (struct program){.first = (uint32_t)w->step_count, .name = name_index};
    return HL_OK;
}

enum hl_status workload_step(struct workload *w, const struct program_step *step,
                             struct hl_error *err)
{
    assert(w->program_count > 0);
    HL_TRY(hl_grow(&w->steps, &w->step_capacity, w->step_count + 1, sizeof(*w->steps), err));
    w->steps[w->step_count++] = *step;
    w->programs[w->program_count - 1].count++;
    return HL_OK;
}

enum hl_status workload_step_at(struct workload *w, const struct program_step *step, int line,
                                struct hl_error *err)
{
    HL_TRY(hl_grow(&w->lines, &w->line_capacity, w->step_count + 1, sizeof(*w->lines), err));
    w->lines[w->step_count] = line;
    return workload_step(w, step, err);
}

enum hl_status workload_add_task(struct workload *w, const struct workload_task *task,
                                 struct hl_error *err)
{
    HL_TRY(hl_grow(&w->tasks, &w->task_capacity, w->task_count + 1, sizeof(*w->tasks), err));
    w->tasks[w->task_count++] = *task;
    return HL_OK;
}

enum hl_status workload_add_part(struct workload *w, const struct workload_part *part,
                                 struct hl_error *err)
{
    HL_TRY(hl_grow(&w->parts, &w->part_capacity, w->part_count + 1, sizeof(*w->parts), err));
    w->parts[w->part_count++] = *part;
    return HL_OK;
}

/* ---- checks ---- */

static const char *const op_names[] = {
    [OP_RUN] = "run",     [OP_SYSTEM] = "system", [OP_SLEEP] = "sleep",
    [OP_DISK] = "disk",   [OP_FORK] = "fork",     [OP_VFORK] = "vfork",
    [OP_EXEC] = "exec",   [OP_WAIT] = "wait",     [OP_EXIT] = "exit",
    [OP_READ] = "read",   [OP_WRITE] = "write",   [OP_SLOT] = "slot",
    [OP_LOCK] = "lock",   [OP_UNLOCK] = "unlock", [OP_BARRIER] = "barrier",
    [OP_YIELD] = "yield", [OP_NICE] = "nice",     [OP_AFFINITY] = "affinity",
    [OP_LOOP] = "loop",   [OP_GROUP] = "group",   [OP_RELEASE] = "release",
    [OP_KILL] = "kill",   [OP_MARK] = "mark",
};

const char *workload_op_name(enum program_op op)
{
    return op_names[op];
}

const char *workload_place(const struct workload *w, const char *what, size_t index,
                           char text[WORKLOAD_PLACE_BYTES])
{
    size_t program = 0;

    if (w->path != NULL) {
        (void)snprintf(text, WORKLOAD_PLACE_BYTES, "%.280s:%" PRId32, w->path, w->lines[index]);
        return text;
    }
    while (index - w->programs[program].first >= w->programs[program].count)
        program++;
    (void)snprintf(text, WORKLOAD_PLACE_BYTES, "%.100s: step %zu of program '%.100s'", what,
                   index - w->programs[program].first + 1, w->names[w->programs[program].name]);
    return text;
}

struct step_rule {               /* what a step's numbers may be */
    int64_t min, max;            /* of amount */
    int64_t target_min, targets; /* of target: target_min <= target < targets */
};

static struct step_rule step_rule(const struct workload *w, const struct program_step *step)
{
    const struct step_rule any = {INT64_MIN, INT64_MAX, INT32_MIN, INT64_MAX};
    struct step_rule rule = any;

    switch ((enum program_op)step->op) {
    case OP_RUN: rule.min = 0; break;
    case OP_SYSTEM:
    case OP_SLEEP:
        rule.min = 0;
        rule.max = INT64_MAX - 1;
        break;
    case OP_DISK:
        rule.min = 0;
        rule.max = INT32_MAX;
        break;
    case OP_FORK:
    case OP_VFORK:
        rule.min = 0;
        rule.target_min = 0;
        rule.targets = (int64_t)w->program_count;
        break;
    case OP_EXEC:
        rule.target_min = -1;
        rule.targets = (int64_t)w->name_count;
        break;
    case OP_WAIT: rule.min = 0; break;
    case OP_READ:
    case OP_WRITE:
        rule.min = 0;
        rule.target_min = 0;
        rule.targets = (int64_t)w->pipe_count;
        break;
    case OP_SLOT:
        rule.target_min = 0;
        rule.targets = (int64_t)w->slot_count;
        break;
    case OP_LOCK:
    case OP_UNLOCK:
        rule.target_min = 0;
        rule.targets = (int64_t)w->lock_count;
        break;
    case OP_BARRIER:
        rule.target_min = 0;
        rule.targets = (int64_t)w->barrier_count;
        break;
    case OP_NICE:
        rule.min = -20;
        rule.max = 19;
        break;
    case OP_AFFINITY:
        rule.target_min = -1;
        rule.targets = (int64_t)w->cpu_set_count;
        break;
    case OP_GROUP:
        rule.target_min = -1;
        rule.targets = (int64_t)w->group_count;
        break;
    case OP_RELEASE:
    case OP_KILL:
        rule.target_min = 0;
        rule.targets = (int64_t)w->task_count;
        break;
    case OP_MARK:
        rule.target_min = 0;
        rule.targets = (int64_t)w->mark_count;
        break;
    case OP_LOOP: rule.min = 1; break;
    case OP_EXIT:
    case OP_YIELD: break;
    }
    return rule;
}

static bool takes_time(const struct program_step *step)
{
    return (step->op == OP_RUN || step->op == OP_SYSTEM || step->op == OP_SLEEP ||
            step->op == OP_DISK) &&
           step->amount > 0;
}

/*
 * A loop is the steps target .. index - 1. Loops inside it lie wholly inside and are less deep, so
 * that one counter per depth is enough; a loop without end must take time, or the player would
 * never leave the moment.
 */
static const char *loop_fault(const struct program_step *steps, uint32_t index)
{
    const struct program_step *loop = &steps[index];
    bool takes_any = false;

    if (loop->target < 0 || (uint32_t)loop->target > index)
        return "jumps forward or out of its program";
    if (loop->depth >= PROGRAM_LOOP_DEPTH)
        return "is nested too deep";
    for (uint32_t i = (uint32_t)loop->target; i < index; i++) {
        takes_any |= takes_time(&steps[i]);
        if (steps[i].op != OP_LOOP)
            continue;
        if (steps[i].target < loop->target)
            return "overlaps another loop";
        if (steps[i].depth >= loop->depth)
            return "is not deeper than the loop around it";
    }
    if (loop->amount == INT64_MAX && !takes_any)
        return "repeats for ever without taking time; expected run, system, sleep or disk in it";
    return NULL;
}

static enum hl_status check_step(const struct workload *w, const struct program *p, uint32_t i,
                                 const char *what, struct hl_error *err)
{
    const struct program_step *step = &w->steps[p->first + i];
    struct step_rule rule;
    char text[WORKLOAD_PLACE_BYTES];
    const char *place = workload_place(w, what, p->first + i, text), *fault;

    if (step->op > OP_LOOP)
        return hl_fail(err, HL_BAD_INPUT, "%s: unknown operation %d; expected 0 to %d", place,
                       step->op, OP_LOOP);
    if (step->kind >= MACHINE_KIND_COUNT)
        return hl_fail(err, HL_BAD_INPUT, "%s: unknown kind of work %d; expected 0 to %d", place,
                       step->kind, MACHINE_KIND_COUNT - 1);
    rule = step_rule(w, step);
    if (step->amount < rule.min || step->amount > rule.max || step->spread < 0)
        return hl_fail(err, HL_BAD_INPUT,
                       "%s: amount of %s is %" PRId64 "; expected %" PRId64 " to %" PRId64, place,
                       op_names[step->op], step->amount, rule.min, rule.max);
    if (step->target < rule.target_min || step->target >= rule.targets)
        return hl_fail(err, HL_BAD_INPUT,
                       "%s: target of %s is %" PRId32 "; expected %" PRId64 " to %" PRId64, place,
                       op_names[step->op], step->target, rule.target_min, rule.targets - 1);
    fault = step->op == OP_LOOP ? loop_fault(&w->steps[p->first], i) : NULL;
    if (fault != NULL)
        return hl_fail(err, HL_BAD_INPUT, "%s: the loop %s", place, fault);
    return HL_OK;
}

static enum hl_status check_program(const struct workload *w, size_t program, const char *what,
                                    struct hl_error *err)
{
    const struct program *p = &w->programs[program];
    const char *name;

    if (p->name < 0 || (size_t)p->name >= w->name_count)
        return hl_fail(err, HL_BAD_INPUT, "%s: program %zu has name %" PRId32 "; expected 0 to %zu",
                       what, program, p->name, w->name_count - 1);
    name = w->names[p->name];
    if (p->count == 0 || p->first > w->step_count || p->count > w->step_count - p->first ||
        w->steps[p->first + p->count - 1].op != OP_EXIT)
        return hl_fail(err, HL_BAD_INPUT,
                       "%s: program '%s' does not end; expected exit as its last step", what, name);
    for (uint32_t i = 0; i < p->count; i++)
        HL_TRY(check_step(w, p, i, what, err));
    return HL_OK;
}

static enum hl_status check_size(const char *what, const char *kind, size_t index, int64_t size,
                                 struct hl_error *err)
{
    if (size >= 1)
        return HL_OK;
    return hl_fail(err, HL_BAD_INPUT, "%s: size of %s %zu is %" PRId64 "; expected at least 1",
                   what, kind, index, size);
}

enum hl_status workload_check(const struct workload *w, const char *what, struct hl_error *err)
{
    if (w->task_count == 0)
        return hl_fail(err, HL_BAD_INPUT, "%s: there are no tasks; expected at least one", what);
    for (size_t i = 0; i < w->program_count; i++)
        HL_TRY(check_program(w, i, what, err));
    for (size_t i = 0; i < w->pipe_count; i++)
        HL_TRY(check_size(what, "pipe", i, w->pipes[i].capacity_bytes, err));
    for (size_t i = 0; i < w->slot_count; i++)
        HL_TRY(check_size(what, "slot pool", i, w->slots[i].count, err));
    for (size_t i = 0; i < w->barrier_count; i++)
        HL_TRY(check_size(what, "barrier", i, w->barriers[i].size, err));
    for (size_t i = 0; i < w->task_count; i++) {
        const struct workload_task *task = &w->tasks[i];

        if (task->program < 0 || (size_t)task->program >= w->program_count)
            return hl_fail(err, HL_BAD_INPUT,
                           "%s: task %zu has program %" PRId32 "; expected 0 to %zu", what, i,
                           task->program, w->program_count - 1);
        if (task->cpu_set < -1 || task->cpu_set >= (int64_t)w->cpu_set_count)
            return hl_fail(err, HL_BAD_INPUT,
                           "%s: task %zu has cpu set %" PRId32 "; expected -1 to %td", what, i,
                           task->cpu_set, (ptrdiff_t)w->cpu_set_count - 1);
    }
    if (w->live_task_max < w->task_count)
        return hl_fail(
            err, HL_BAD_INPUT,
            "%s: at most %zu tasks are said to live; expected at least the %zu at the start", what,
            w->live_task_max, w->task_count);
    return HL_OK;
}
