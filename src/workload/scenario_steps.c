/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scenario_steps.c - the steps of tasks and programs in scenario files.
 *
 *     run 5ms  sleep 50ms..150ms  fork child  loop 10 { read p 4k  run 1ms }  wait all
 */
#include "workload/scenario_build.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

enum { LOOP_COUNT_MAX = 1000000000, WAIT_COUNT_MAX = SCENARIO_ALIVE_MAX, DISK_COUNT_MAX = 1000000 };

static const struct {
    const char *word;
    enum program_op op;
} step_words[] = {
    {"run", OP_RUN},       {"system", OP_SYSTEM},     {"sleep", OP_SLEEP},
    {"disk", OP_DISK},     {"fork", OP_FORK},         {"vfork", OP_VFORK},
    {"exec", OP_EXEC},     {"wait", OP_WAIT},         {"exit", OP_EXIT},
    {"read", OP_READ},     {"write", OP_WRITE},       {"lock", OP_LOCK},
    {"unlock", OP_UNLOCK}, {"barrier", OP_BARRIER},   {"yield", OP_YIELD},
    {"nice", OP_NICE},     {"affinity", OP_AFFINITY}, {"loop", OP_LOOP},
    {"group", OP_GROUP},   {"release", OP_RELEASE},   {"kill", OP_KILL},
};

struct open_loop {
    int32_t target; /* its first step */
    int64_t amount;
    uint8_t depth; /* one more than the deepest loop inside so far */
    int line;
};

struct steps { /* of one program while it is read */
    struct scenario_build *b;
    struct scenario_cursor *c;
    struct open_loop loops[PROGRAM_LOOP_DEPTH];
    int loop_count;
};

static int find_step(const char *word)
{
    for (int i = 0; i < HL_COUNT_OF(step_words); i++)
        if (strcmp(step_words[i].word, word) == 0)
            return i;
    return -1;
}

/* ---- operands ---- */

static enum hl_status need_known(struct scenario_cursor *c, const struct scenario_names *names,
                                 const char *kind, int32_t *index, struct hl_error *err)
{
    const char *name;
    char expected[64];

    (void)snprintf(expected, sizeof(expected), "the name of a %s", kind);
    HL_TRY(scenario_need(c, expected, &name, err));
    *index = scenario_name_find(names, name);
    if (*index >= 0)
        return HL_OK;
    if (names->count == 0)
        return scenario_fail(c, err, "unknown %s '%.60s'; expected a statement '%s %.60s ...'",
                             kind, name, kind, name);
    return scenario_fail_unknown(c, err, kind, name, names->names, (int)names->count);
}

/* What follows the times of a sleep: "deferrable", "steady 100ms", or nothing. */
static enum hl_status need_sleep_kind(struct scenario_cursor *c, struct program_step *step,
                                      struct hl_error *err)
{
    int64_t busy_ns;

    if (scenario_take_if(c, "deferrable"))
        step->kind = SLEEP_DEFERRABLE;
    if (step->kind != 0 || !scenario_take_if(c, "steady"))
        return HL_OK;
    HL_TRY(scenario_need_duration(c, "steady", &busy_ns, err));
    if (busy_ns <= 0 || busy_ns > INT32_MAX)
        return scenario_fail(c, err, "steady is %" PRId64 " ns; expected 1 ns to 2147 ms", busy_ns);
    step->kind = SLEEP_STEADY;
    step->target = (int32_t)busy_ns;
    return HL_OK;
}

/* "10ms", or "50ms..150ms": uniform in between. */
static enum hl_status need_sleep(struct scenario_cursor *c, struct program_step *step,
                                 struct hl_error *err)
{
    const char *word = scenario_peek(c), *dots = word == NULL ? NULL : strstr(word, "..");
    char low[64];
    int64_t high_ns;

    if (dots == NULL) {
        HL_TRY(scenario_need_duration(c, "sleep", &step->amount, err));
        return need_sleep_kind(c, step, err);
    }
    (void)scenario_take(c);
    (void)snprintf(low, sizeof(low), "%.*s", (int)HL_MIN(dots - word, 60), word);
    if (!hl_parse_duration_ns(low, &step->amount) || !hl_parse_duration_ns(dots + 2, &high_ns) ||
        step->amount < 0 || high_ns <= step->amount || high_ns == INT64_MAX)
        return scenario_fail(
            c, err, "sleep is '%.60s'; expected a time, or two that grow such as 50ms..150ms",
            word);
    step->spread = high_ns - step->amount;
    return need_sleep_kind(c, step, err);
}

static enum hl_status need_wait(struct scenario_cursor *c, struct program_step *step,
                                struct hl_error *err)
{
    const char *word = scenario_peek(c);

    step->amount = 1;
    if (scenario_take_if(c, "all"))
        step->amount = INT64_MAX;
    else if (word != NULL && word[0] >= '0' && word[0] <= '9')
        return scenario_need_int(c, "wait", 1, WAIT_COUNT_MAX, &step->amount, err);
    return HL_OK;
}

static enum hl_status need_lock(struct scenario_build *b, struct scenario_cursor *c,
                                struct program_step *step, struct hl_error *err)
{
    const char *name;

    HL_TRY(scenario_need(c, "the name of a lock", &name, err));
    step->target = scenario_name_find(&b->locks, name);
    if (step->target >= 0)
        return HL_OK;
    HL_TRY(scenario_name_add(&b->locks, c, name, err));
    step->target = (int32_t)b->s->workload.lock_count++;
    return HL_OK;
}

static enum hl_status operands(struct scenario_build *b, struct scenario_cursor *c,
                               struct program_step *step, struct hl_error *err)
{
    switch ((enum program_op)step->op) {
    case OP_RUN:
        step->amount = INT64_MAX;
        if (!scenario_take_if(c, "forever"))
            HL_TRY(scenario_need_duration(c, "run", &step->amount, err));
        for (int kind = 0; kind < MACHINE_KIND_COUNT; kind++)
            if (scenario_take_if(c, machine_kind_name((enum machine_kind)kind)))
                step->kind = (uint16_t)kind;
        return HL_OK;
    case OP_SYSTEM: return scenario_need_duration(c, "system", &step->amount, err);
    case OP_SLEEP: return need_sleep(c, step, err);
    case OP_DISK: return scenario_need_int(c, "disk", 1, DISK_COUNT_MAX, &step->amount, err);
    case OP_FORK:
    case OP_VFORK: return need_known(c, &b->programs, "program", &step->target, err);
    case OP_EXEC: step->target = -1; return HL_OK;
    case OP_WAIT: return need_wait(c, step, err);
    case OP_READ:
    case OP_WRITE:
        HL_TRY(need_known(c, &b->pipes, "pipe", &step->target, err));
        return scenario_need_bytes(c, step->op == OP_READ ? "read" : "write", &step->amount, err);
    case OP_LOCK:
    case OP_UNLOCK: return need_lock(b, c, step, err);
    case OP_BARRIER: return need_known(c, &b->barriers, "barrier", &step->target, err);
    case OP_NICE: return scenario_need_int(c, "nice", -20, 19, &step->amount, err);
    case OP_AFFINITY:
        step->target = -1;
        return scenario_take_if(c, "all") ? HL_OK : scenario_cpu_set(b, c, &step->target, err);
    case OP_RELEASE:
    case OP_KILL: return need_known(c, &b->tasks, "task", &step->target, err);
    case OP_GROUP:
        HL_TRY(scenario_group_name(b, c, &step->target, err));
        step->target--;
        return HL_OK;
    case OP_EXIT:
    case OP_YIELD:
    case OP_SLOT:
    case OP_MARK:
    case OP_LOOP: return HL_OK;
    }
    return HL_OK;
}

/* ---- steps and loops ---- */

static int32_t next_step(const struct workload *w)
{
    return (int32_t)w->programs[w->program_count - 1].count;
}

static enum hl_status add_step(struct steps *p, const struct program_step *step, int line,
                               struct hl_error *err)
{
    struct workload *w = &p->b->s->workload;

    if (w->step_count >= SCENARIO_STEPS_MAX)
        return scenario_fail(p->c, err, "more than %d steps; expected at most that many",
                             SCENARIO_STEPS_MAX);
    return workload_step_at(w, step, line, err);
}

static enum hl_status open_loop(struct steps *p, struct hl_error *err)
{
    struct open_loop loop = {.target = next_step(&p->b->s->workload), .line = p->c->line};

    if (p->loop_count == PROGRAM_LOOP_DEPTH)
        return scenario_fail(p->c, err, "loops are nested deeper than %d; expected at most that",
                             PROGRAM_LOOP_DEPTH);
    loop.amount = INT64_MAX;
    if (!scenario_take_if(p->c, "forever"))
        HL_TRY(scenario_need_int(p->c, "loop", 1, LOOP_COUNT_MAX, &loop.amount, err));
    if (!scenario_take_if(p->c, "{"))
        return scenario_fail_expected(p->c, err, "'{'");
    p->loops[p->loop_count++] = loop;
    return HL_OK;
}

static enum hl_status close_loop(struct steps *p, struct hl_error *err)
{
    struct open_loop loop;
    struct program_step step = {.op = OP_LOOP};

    if (p->loop_count == 0)
        return scenario_fail(p->c, err, "'}' closes nothing; expected a step");
    loop = p->loops[--p->loop_count];
    step.target = loop.target;
    step.amount = loop.amount;
    step.depth = loop.depth;
    if (p->loop_count > 0 && p->loops[p->loop_count - 1].depth < loop.depth + 1)
        p->loops[p->loop_count - 1].depth = (uint8_t)(loop.depth + 1);
    return add_step(p, &step, loop.line, err);
}

static enum hl_status one_step(struct steps *p, struct hl_error *err)
{
    struct program_step step = {0};
    const char *known[HL_COUNT_OF(step_words)], *word;
    int found, line;

    if (scenario_take_if(p->c, ";"))
        return HL_OK;
    if (scenario_take_if(p->c, "}"))
        return close_loop(p, err);
    word = scenario_take(p->c);
    line = p->c->line;
    found = find_step(word);
    if (found < 0) {
        for (int i = 0; i < HL_COUNT_OF(step_words); i++)
            known[i] = step_words[i].word;
        return scenario_fail_unknown(p->c, err, "step", word, known, HL_COUNT_OF(known));
    }
    if (step_words[found].op == OP_LOOP)
        return open_loop(p, err);
    step.op = (uint8_t)step_words[found].op;
    HL_TRY(operands(p->b, p->c, &step, err));
    return add_step(p, &step, line, err);
}

enum hl_status scenario_steps(struct scenario_build *b, struct scenario_cursor *c, const char *name,
                              int32_t *program, struct hl_error *err)
{
    struct steps p = {.b = b, .c = c};
    const struct program_step end = {.op = OP_EXIT};

    HL_TRY(workload_program(&b->s->workload, name, program, err));
    if (scenario_peek(c) == NULL)
        return scenario_fail_expected(c, err, "steps");
    while (scenario_peek(c) != NULL)
        HL_TRY(one_step(&p, err));
    if (p.loop_count > 0) {
        c->line = p.loops[p.loop_count - 1].line;
        return scenario_fail(c, err, "the loop is not closed; expected '}'");
    }
    return add_step(&p, &end, c->line, err);
}
