/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * property_transform.c - see property_transform.h.
 */
#include <assert.h>
#include "property_transform.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const property_transform_names[TRANSFORM_COUNT] = {
    [TRANSFORM_RENAME] = "other names",
    [TRANSFORM_SPLIT_RUN] = "run steps in pieces",
    [TRANSFORM_SPLIT_SYSTEM] = "system steps in pieces",
    [TRANSFORM_RUN_NOTHING] = "steps of no length",
    [TRANSFORM_LOOP_ONCE] = "loops that are done once",
    [TRANSFORM_FREE_CALLS] = "system calls that do nothing",
};

bool property_transform_keeps_events(enum property_transform transform)
{
    /* Neighbouring run steps are joined; the end of any other step is an event of its own. */
    return transform == TRANSFORM_RENAME || transform == TRANSFORM_SPLIT_RUN;
}

struct change {
    enum property_transform kind;
    uint64_t seed;
    struct hl_rng rng; /* of the program at hand */
    struct workload *to;
    int32_t private_lock; /* one that nobody else takes */
};

static void need(enum hl_status status)
{
    if (status == HL_OK)
        return;
    (void)fprintf(stderr, "property: out of memory for a changed workload\n");
    exit(6);
}

static bool one_in(struct change *c, uint64_t n)
{
    return hl_rng_below(&c->rng, n) == 0;
}

static void emit(struct change *c, struct program_step step)
{
    need(workload_step(c->to, &step, NULL));
}

static int32_t next_step(const struct change *c)
{
    return (int32_t)c->to->programs[c->to->program_count - 1].count;
}

static void emit_pieces(struct change *c, struct program_step step)
{
    for (int pieces = 1 + one_in(c, 2); pieces > 0 && step.amount > 1; pieces--) {
        struct program_step piece = step;

        piece.amount = (int64_t)hl_rng_below(&c->rng, (uint64_t)step.amount);
        step.amount -= piece.amount;
        emit(c, piece);
    }
    emit(c, step);
}

static void emit_free_call(struct change *c)
{
    switch (hl_rng_below(&c->rng, 4)) {
    case 0: emit(c, (struct program_step){.op = OP_SLEEP}); break;
    case 1: emit(c, (struct program_step){.op = OP_DISK}); break;
    case 2: emit(c, (struct program_step){.op = OP_WAIT}); break;
    default: /* not to be taken by two at a time: it is let go in the same moment */
        emit(c, (struct program_step){.op = OP_LOCK, .target = c->private_lock});
        emit(c, (struct program_step){.op = OP_UNLOCK, .target = c->private_lock});
    }
}

static bool is_finite(const struct program_step *step, enum program_op op)
{
    return step->op == op && step->amount != INT64_MAX && step->spread == 0;
}

/* `deeper`: the nesting of old loops, where a new innermost one was added. */
static void change_step(struct change *c, struct program_step step, uint8_t deeper)
{
    int32_t first = next_step(c);

    if (step.op == OP_LOOP)
        step.depth = (uint8_t)(step.depth + deeper);
    if (c->kind == TRANSFORM_RUN_NOTHING && one_in(c, 2))
        emit(c, (struct program_step){.op = one_in(c, 2) ? OP_RUN : OP_SYSTEM});
    if (c->kind == TRANSFORM_FREE_CALLS && one_in(c, 3))
        emit_free_call(c);
    if ((c->kind == TRANSFORM_SPLIT_RUN && is_finite(&step, OP_RUN)) ||
        (c->kind == TRANSFORM_SPLIT_SYSTEM && is_finite(&step, OP_SYSTEM)))
        emit_pieces(c, step);
    else
        emit(c, step);
    if (deeper > 0 && step.op != OP_LOOP && step.op != OP_EXIT && one_in(c, 2))
        emit(c, (struct program_step){.op = OP_LOOP, .target = first, .amount = 1});
}

static void change_program(struct change *c, const struct workload *from, size_t program)
{
    const struct program *p = &from->programs[program];
    const struct program_step *steps = from->steps + p->first;
    char name[48];
    int32_t *place, index;
    uint8_t deeper = c->kind == TRANSFORM_LOOP_ONCE;

    for (uint32_t i = 0; i < p->count; i++)
        if (steps[i].op == OP_LOOP && steps[i].depth + 1 >= PROGRAM_LOOP_DEPTH)
            deeper = 0;
    /* Of its own for each program: the same, whatever else there is. */
    c->rng = hl_rng_stream(c->seed, from->names[p->name]);
    (void)snprintf(name, sizeof(name), "another-name-%zu", program);
    need(workload_program(c->to, c->kind == TRANSFORM_RENAME ? name : from->names[p->name], &index,
                          NULL));
    place = hl_alloc(p->count, sizeof(*place));
    need(place == NULL ? HL_NO_MEMORY : HL_OK);
    for (uint32_t i = 0; i < p->count; i++) {
        struct program_step step = steps[i];

        place[i] = next_step(c);
        if (step.op == OP_LOOP)
            step.target = place[step.target];
        change_step(c, step, deeper);
    }
    hl_free(place);
}

static void *copy(const void *items, size_t count, size_t size)
{
    void *block = hl_alloc(count, size);

    need(block == NULL ? HL_NO_MEMORY : HL_OK);
    if (count > 0)
        memcpy(block, items, count * size);
    return block;
}

void property_transform(const struct workload *from, enum property_transform transform,
                        uint64_t seed, struct workload *to)
{
    struct change c = {.kind = transform,
                       .seed = seed ^ hl_hash_text(property_transform_names[transform]),
                       .to = to,
                       .private_lock = (int32_t)from->lock_count};

    *to = (struct workload){.lock_count = from->lock_count + 1,
                            .cpu_set_words = from->cpu_set_words,
                            .live_task_max = from->live_task_max};
    for (size_t i = 0; i < from->program_count; i++)
        change_program(&c, from, i);
    for (size_t i = 0; i < from->task_count; i++)
        need(workload_add_task(to, &from->tasks[i], NULL));
    to->pipes = copy(from->pipes, from->pipe_count, sizeof(*to->pipes));
    to->pipe_count = from->pipe_count;
    to->slots = copy(from->slots, from->slot_count, sizeof(*to->slots));
    to->slot_count = from->slot_count;
    to->barriers = copy(from->barriers, from->barrier_count, sizeof(*to->barriers));
    to->barrier_count = from->barrier_count;
    to->groups = copy(from->groups, from->group_count, sizeof(*to->groups));
    to->group_count = from->group_count;
    for (size_t i = 0; i < to->group_count; i++) {
        to->groups[i].name = workload_name(to, from->names[from->groups[i].name]);
        assert(to->groups[i].name >= 0);
    }
    to->cpu_sets =
        copy(from->cpu_sets, from->cpu_set_count * from->cpu_set_words, sizeof(*to->cpu_sets));
    to->cpu_set_count = from->cpu_set_count;
}
