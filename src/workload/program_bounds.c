/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * program_bounds.c - how many tasks a set of programs can have alive at one time.
 *
 * The steps of each program are walked with nothing but the numbers of its children not yet
 * reaped. A wait for n children is taken to reap those that leave the most tasks alive, so the
 * result is an upper bound. A loop is walked until its state repeats. Children left unreaped at
 * exit live on.
 */
#include "workload/workload.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/units.h"

/* Work done at most for a set, in steps times children; ordinary scenarios need some hundred. */
enum { WALK_WORK_MAX = 20000000 };

enum { VISIT_NEW, VISIT_OPEN, VISIT_DONE };

struct bound {   /* of a program */
    size_t live; /* the task itself and all its descendants, at most at one time */
    size_t left; /* descendants that may be alive when it has been reaped */
    bool is_endless;
    int visit;
};

struct walk {
    const struct workload *w;
    struct bound *bound; /* by program */
    size_t limit, work_left;
    const char *what;
};

struct state { /* of one program's walk */
    const struct program *program;
    int32_t *child; /* programs it forks, those first that wait reaps first in the worst case */
    size_t child_count;
    size_t *unreaped; /* by child; then `left`: all that decides the rest of the walk */
    size_t *seen;     /* by loop depth: `unreaped` when its OP_LOOP was last met */
    bool is_seen[PROGRAM_LOOP_DEPTH];
    int64_t met[PROGRAM_LOOP_DEPTH];
    size_t live_max;
};

static size_t removal(const struct walk *walk, int32_t child)
{
    return walk->bound[child].live - walk->bound[child].left;
}

/* The programs that are forked, each once, by what reaping one removes at least: insertion sort. */
static void collect_children(const struct walk *walk, struct state *s)
{
    for (uint32_t i = 0; i < s->program->count; i++) {
        const struct program_step *step = &walk->w->steps[s->program->first + i];
        size_t place = 0;

        if (step->op != OP_FORK && step->op != OP_VFORK)
            continue;
        while (place < s->child_count && s->child[place] != step->target)
            place++;
        if (place < s->child_count)
            continue;
        while (place > 0 && removal(walk, s->child[place - 1]) > removal(walk, step->target)) {
            s->child[place] = s->child[place - 1];
            place--;
        }
        s->child[place] = step->target;
        s->child_count++;
    }
}

static size_t live_now(const struct walk *walk, const struct state *s)
{
    size_t live = 1 + s->unreaped[s->child_count];

    for (size_t c = 0; c < s->child_count; c++)
        live += s->unreaped[c] * walk->bound[s->child[c]].live;
    return live;
}

static void reap(const struct walk *walk, struct state *s, int64_t count)
{
    for (size_t c = 0; c < s->child_count && count > 0; c++) {
        size_t reaped = (size_t)HL_MIN((int64_t)s->unreaped[c], count);

        s->unreaped[c] -= reaped;
        s->unreaped[s->child_count] += reaped * walk->bound[s->child[c]].left;
        count -= (int64_t)reaped;
    }
}

/* Whether the walk goes round the loop once more. */
static bool goes_round(struct state *s, const struct program_step *loop)
{
    size_t words = s->child_count + 1;
    size_t *seen = s->seen + loop->depth * words;

    s->met[loop->depth]++;
    if (s->met[loop->depth] < loop->amount &&
        !(s->is_seen[loop->depth] && memcmp(seen, s->unreaped, words * sizeof(*seen)) == 0)) {
        memcpy(seen, s->unreaped, words * sizeof(*seen));
        s->is_seen[loop->depth] = true;
        return true;
    }
    s->met[loop->depth] = 0;
    s->is_seen[loop->depth] = false;
    return false;
}

static enum hl_status walk_steps(struct walk *walk, struct state *s, struct hl_error *err)
{
    char place[WORKLOAD_PLACE_BYTES];
    uint32_t i = 0;

    s->live_max = 1;
    while (i < s->program->count) {
        const struct program_step *step = &walk->w->steps[s->program->first + i];

        if (walk->work_left <= s->child_count)
            return hl_fail(err, HL_BAD_INPUT,
                           "%s: cannot tell how many tasks the loops of this program make; "
                           "expected loops that wait for what they fork",
                           workload_place(walk->w, walk->what, s->program->first + i, place));
        walk->work_left -= 1 + s->child_count;
        if (step->op == OP_FORK || step->op == OP_VFORK) {
            size_t c = 0;

            while (s->child[c] != step->target)
                c++;
            s->unreaped[c]++;
            s->live_max = HL_MAX(s->live_max, live_now(walk, s));
            if (s->live_max > walk->limit)
                return hl_fail(err, HL_BAD_INPUT,
                               "%s: more than %zu tasks may be alive at one time; expected fewer "
                               "forks, or waits between them",
                               workload_place(walk->w, walk->what, s->program->first + i, place),
                               walk->limit);
        } else if (step->op == OP_WAIT)
            reap(walk, s, step->amount);
        i = step->op == OP_LOOP && goes_round(s, step) ? (uint32_t)step->target : i + 1;
    }
    return HL_OK;
}

static enum hl_status bound_program(struct walk *walk, int32_t index, struct hl_error *err);

/* The children first: a program's bound needs theirs. */
static enum hl_status bound_children(struct walk *walk, int32_t index, size_t *forks,
                                     struct hl_error *err)
{
    const struct program *program = &walk->w->programs[index];
    struct bound *bound = &walk->bound[index];
    char place[WORKLOAD_PLACE_BYTES];

    for (uint32_t i = 0; i < program->count; i++) {
        const struct program_step *step = &walk->w->steps[program->first + i];

        bound->is_endless |=
            (step->op == OP_RUN || step->op == OP_LOOP) && step->amount == INT64_MAX;
        if (step->op != OP_FORK && step->op != OP_VFORK)
            continue;
        if (walk->bound[step->target].visit == VISIT_OPEN)
            return hl_fail(
                err, HL_BAD_INPUT,
                "%s: program '%s' comes to fork itself through '%s'; expected no such circle",
                workload_place(walk->w, walk->what, program->first + i, place),
                walk->w->names[walk->w->programs[step->target].name],
                walk->w->names[program->name]);
        if (walk->bound[step->target].visit == VISIT_NEW)
            HL_TRY(bound_program(walk, step->target, err));
        bound->is_endless |= walk->bound[step->target].is_endless;
        ++*forks;
    }
    return HL_OK;
}

static enum hl_status bound_program(struct walk *walk, int32_t index, struct hl_error *err)
{
    struct bound *bound = &walk->bound[index];
    struct state s = {.program = &walk->w->programs[index]};
    size_t forks = 0;
    enum hl_status status;

    bound->visit = VISIT_OPEN;
    HL_TRY(bound_children(walk, index, &forks, err));
    s.child = hl_alloc(forks, sizeof(*s.child));
    s.unreaped = hl_alloc(forks + 1, sizeof(*s.unreaped));
    s.seen = hl_alloc(PROGRAM_LOOP_DEPTH * (forks + 1), sizeof(*s.seen));
    if (s.child == NULL || s.unreaped == NULL || s.seen == NULL)
        status = hl_fail(err, HL_NO_MEMORY, "out of memory for the bounds of %zu forks", forks);
    else {
        collect_children(walk, &s);
        status = walk_steps(walk, &s, err);
        if (status == HL_OK) {
            bound->live = s.live_max;
            bound->left = live_now(walk, &s) - 1;
            bound->visit = VISIT_DONE;
        }
    }
    hl_free(s.child);
    hl_free(s.unreaped);
    hl_free(s.seen);
    return status;
}

enum hl_status workload_bound_tasks(struct workload *w, size_t limit, const char *what,
                                    int32_t *endless_task, struct hl_error *err)
{
    struct walk walk = {.w = w, .limit = limit, .work_left = WALK_WORK_MAX, .what = what};
    enum hl_status status = HL_OK;
    size_t live = 0;

    *endless_task = -1;
    walk.bound = hl_alloc(w->program_count, sizeof(*walk.bound));
    if (walk.bound == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the bounds of %zu programs",
                       w->program_count);
    for (size_t p = 0; p < w->program_count && status == HL_OK; p++)
        if (walk.bound[p].visit == VISIT_NEW)
            status = bound_program(&walk, (int32_t)p, err);
    for (size_t t = 0; t < w->task_count && status == HL_OK; t++) {
        const struct bound *bound = &walk.bound[w->tasks[t].program];

        live += bound->live;
        if (bound->is_endless && !w->tasks[t].background && *endless_task < 0)
            *endless_task = (int32_t)t;
        if (live > limit)
            status = hl_fail(err, HL_BAD_INPUT,
                             "%s: more than %zu tasks may be alive at one time; expected fewer",
                             what, limit);
    }
    if (status == HL_OK)
        w->live_task_max = live;
    hl_free(walk.bound);
    return status;
}
