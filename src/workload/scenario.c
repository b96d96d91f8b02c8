/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scenario.c - reads scenario files: the statements and what they set.
 *
 *     # fifo does not preempt: B arrives at 2 ms and waits for A until 5 ms.
 *     machine  cpus=1 switch_cost_ns=0 exit_cost_ns=0
 *     policy   fifo
 *     task A   at 0ms  run 5ms
 *     task B   at 2ms  run 1ms
 *     expect   B.wait_ns == 3000000        # 5 - 2
 *     golden   timeline
 *
 * The statements may come in any order: settings, pipes, barriers and groups are read first, then
 * programs, then tasks.
 */
#include "workload/scenario.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "workload/scenario_build.h"

/* ---- names ---- */

int32_t scenario_name_find(const struct scenario_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->names[i], name) == 0)
            return (int32_t)i;
    return -1;
}

static bool is_name(const char *word)
{
    size_t length =
        strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");

    return length > 0 && length <= SCENARIO_NAME_BYTES_MAX && word[length] == '\0' &&
           strchr("0123456789-", word[0]) == NULL;
}

enum hl_status scenario_name_add(struct scenario_names *names, const struct scenario_cursor *c,
                                 const char *name, struct hl_error *err)
{
    if (!is_name(name))
        return scenario_fail(
            c, err, "name is '%.60s'; expected a letter, then letters, digits, _ or -, at most %d",
            name, SCENARIO_NAME_BYTES_MAX);
    if (names->count >= SCENARIO_NAMES_MAX)
        return scenario_fail(c, err, "'%s' is one too many; expected at most %d", name,
                             SCENARIO_NAMES_MAX);
    HL_TRY(hl_grow(&names->names, &names->capacity, names->count + 1, sizeof(*names->names), err));
    names->names[names->count++] = name;
    return HL_OK;
}

enum hl_status scenario_define(struct scenario_names *names, struct scenario_cursor *c,
                               const char *kind, const char **name, struct hl_error *err)
{
    HL_TRY(scenario_need(c, "a name", name, err));
    if (scenario_name_find(names, *name) >= 0)
        return scenario_fail(c, err, "%s '%s' is defined twice; expected a new name", kind, *name);
    return scenario_name_add(names, c, *name, err);
}

/* ---- settings ---- */

static enum hl_status settings_given(const struct scenario_cursor *c, bool is_given,
                                     const char *what, struct hl_error *err)
{
    if (is_given)
        return scenario_fail(c, err, "%s is given twice; expected it once", what);
    return HL_OK;
}

/* The machine's room knows no file: its complaint gets our place. */
static enum hl_status at_place(const struct scenario_cursor *c, enum hl_status status,
                               const struct hl_error *inner, struct hl_error *err)
{
    enum hl_status placed;

    if (status == HL_OK)
        return HL_OK;
    placed = scenario_fail(c, err, "%s", inner->text);
    return status == HL_NO_MEMORY ? HL_NO_MEMORY : placed;
}

/* machine NAME-or-TOPOLOGY [KEY=VALUE ...], or machine cpus=N [KEY=VALUE ...] */
static enum hl_status read_machine(struct scenario_build *b, struct scenario_cursor *c,
                                   struct hl_error *err)
{
    struct machine *m = &b->s->machine;
    char text[sizeof(m->topology)];
    const char *word;
    size_t used = 0;
    struct hl_error inner;

    HL_TRY(settings_given(c, m->cpu_count > 0, "machine", err));
    while ((word = scenario_peek(c)) != NULL && (c->at->quoted || strchr(word, '=') == NULL)) {
        int length = snprintf(text + used, sizeof(text) - used, "%s%s", used > 0 ? " " : "", word);

        if (length < 0 || (size_t)length >= sizeof(text) - used)
            return scenario_fail(c, err, "the machine has more than %zu characters; expected fewer",
                                 sizeof(text) - 1);
        used += (size_t)length;
        (void)scenario_take(c);
    }
    if (used == 0 && word != NULL && strncmp(word, "cpus=", 5) == 0) {
        int64_t cpus;

        (void)scenario_take(c);
        if (!hl_parse_int(word + 5, &cpus) || cpus < 1 || cpus > MACHINE_CPUS_MAX)
            return scenario_fail(c, err, "cpus is '%.60s'; expected 1 to %d", word + 5,
                                 MACHINE_CPUS_MAX);
        used = (size_t)snprintf(text, sizeof(text), "pack:%" PRId64 " core:1 pu:1", cpus);
    }
    if (used == 0)
        return scenario_fail_expected(c, err,
                                      "a machine's name, a topology such as pack:2 core:1 pu:2, "
                                      "or cpus=N");
    HL_TRY(at_place(c, machine_open(m, text, &inner), &inner, err));
    while ((word = scenario_take(c)) != NULL)
        HL_TRY(at_place(c, machine_set(m, word, &inner), &inner, err));
    return HL_OK;
}

static enum hl_status read_policy(struct scenario_build *b, struct scenario_cursor *c,
                                  struct hl_error *err)
{
    struct scenario *s = b->s;
    const char *word;

    HL_TRY(settings_given(c, s->policy_line > 0, "policy", err));
    HL_TRY(scenario_need(c, "a policy", &word, err));
    if (strlen(word) >= sizeof(s->policy) || word[0] == '\0')
        return scenario_fail(c, err, "the policy has %zu characters; expected 1 to %zu",
                             strlen(word), sizeof(s->policy) - 1);
    (void)snprintf(s->policy, sizeof(s->policy), "%s", word);
    s->policy_line = c->line;
    return HL_OK;
}

static enum hl_status read_seed(struct scenario_build *b, struct scenario_cursor *c,
                                struct hl_error *err)
{
    int64_t seed;

    HL_TRY(scenario_need_int(c, "seed", 0, INT64_MAX, &seed, err));
    b->s->seed = (uint64_t)seed;
    return HL_OK;
}

static enum hl_status read_trials(struct scenario_build *b, struct scenario_cursor *c,
                                  struct hl_error *err)
{
    HL_TRY(settings_given(c, b->s->trials > 0, "the number of trials", err));
    return scenario_need_int(c, "the number of trials", 1, SCENARIO_TRIALS_MAX, &b->s->trials, err);
}

static enum hl_status read_until(struct scenario_build *b, struct scenario_cursor *c,
                                 struct hl_error *err)
{
    HL_TRY(settings_given(c, b->s->until_ns != INT64_MAX, "until", err));
    HL_TRY(scenario_need_duration(c, "until", &b->s->until_ns, err));
    return b->s->until_ns > 0 ? HL_OK : scenario_fail(c, err, "until is 0; expected a later time");
}

static enum hl_status read_check(struct scenario_build *b, struct scenario_cursor *c,
                                 struct hl_error *err)
{
    if (!scenario_take_if(c, "end"))
        return scenario_fail_expected(c, err, "end");
    b->s->check_at_end = true;
    return HL_OK;
}

static enum hl_status read_golden(struct scenario_build *b, struct scenario_cursor *c,
                                  struct hl_error *err)
{
    if (!scenario_take_if(c, "timeline"))
        return scenario_fail_expected(c, err, "timeline");
    b->s->golden_timeline = true;
    return HL_OK;
}

/* pipe NAME [capacity=BYTES] [sync] */
static enum hl_status read_pipe(struct scenario_build *b, struct scenario_cursor *c,
                                struct hl_error *err)
{
    struct workload *w = &b->s->workload;
    struct workload_pipe pipe = {.capacity_bytes = 65536};
    const char *name, *word;

    HL_TRY(scenario_define(&b->pipes, c, "pipe", &name, err));
    while ((word = scenario_peek(c)) != NULL) {
        if (scenario_take_if(c, "sync"))
            pipe.sync_write = true;
        else if (strncmp(word, "capacity=", 9) == 0) {
            (void)scenario_take(c);
            if (!hl_parse_bytes(word + 9, &pipe.capacity_bytes) || pipe.capacity_bytes < 1)
                return scenario_fail(c, err, "capacity is '%.60s'; expected bytes such as 4k",
                                     word + 9);
        } else
            return scenario_fail_expected(c, err, "capacity=BYTES or sync");
    }
    HL_TRY(hl_grow(&w->pipes, &w->pipe_capacity, w->pipe_count + 1, sizeof(*w->pipes), err));
    w->pipes[w->pipe_count++] = pipe;
    return HL_OK;
}

/* barrier NAME size=N */
static enum hl_status read_barrier(struct scenario_build *b, struct scenario_cursor *c,
                                   struct hl_error *err)
{
    struct workload *w = &b->s->workload;
    const char *name, *word;
    int64_t size;

    HL_TRY(scenario_define(&b->barriers, c, "barrier", &name, err));
    HL_TRY(scenario_need(c, "size=N", &word, err));
    if (strncmp(word, "size=", 5) != 0 || !hl_parse_int(word + 5, &size) || size < 1 ||
        size > SCENARIO_ALIVE_MAX)
        return scenario_fail(c, err, "found '%.60s'; expected size=N with N from 1 to %d", word,
                             SCENARIO_ALIVE_MAX);
    HL_TRY(hl_grow(&w->barriers, &w->barrier_capacity, w->barrier_count + 1, sizeof(*w->barriers),
                   err));
    w->barriers[w->barrier_count++] = (struct workload_barrier){.size = (int32_t)size};
    return HL_OK;
}

/* ---- programs and tasks: their names are known before any is read ---- */

static enum hl_status declare_program(struct scenario_build *b, struct scenario_cursor *c,
                                      struct hl_error *err)
{
    const char *name;

    HL_TRY(scenario_define(&b->programs, c, "program", &name, err));
    c->at = c->end;
    return HL_OK;
}

static enum hl_status declare_task(struct scenario_build *b, struct scenario_cursor *c,
                                   struct hl_error *err)
{
    const char *name;

    HL_TRY(scenario_define(&b->tasks, c, "task", &name, err));
    c->at = c->end;
    return HL_OK;
}

/* ---- the file ---- */

enum pass { PASS_SETTINGS, PASS_PROGRAMS, PASS_TASKS, PASS_COUNT };

static const struct statement {
    const char *word;
    enum hl_status (*read[PASS_COUNT])(struct scenario_build *b, struct scenario_cursor *c,
                                       struct hl_error *err);
} statements[] = {
    {"machine", {read_machine}},
    {"policy", {read_policy}},
    {"seed", {read_seed}},
    {"trials", {read_trials}},
    {"repeat", {read_trials}},
    {"until", {read_until}},
    {"pipe", {read_pipe}},
    {"barrier", {read_barrier}},
    {"group", {scenario_group}},
    {"session", {scenario_session}},
    {"program", {declare_program, scenario_program}},
    {"task", {declare_task, NULL, scenario_task}},
    {"expect", {scenario_expect}},
    {"golden", {read_golden}},
    {"check", {read_check}},
};

static enum hl_status read_statement(struct scenario_build *b, struct scenario_cursor *c,
                                     enum pass pass, struct hl_error *err)
{
    const char *known[HL_COUNT_OF(statements)], *word = scenario_take(c);

    for (int i = 0; i < HL_COUNT_OF(statements); i++) {
        known[i] = statements[i].word;
        if (strcmp(statements[i].word, word) != 0)
            continue;
        if (statements[i].read[pass] == NULL)
            return HL_OK;
        HL_TRY(statements[i].read[pass](b, c, err));
        return scenario_need_end(c, err);
    }
    return scenario_fail_unknown(c, err, "statement", word, known, HL_COUNT_OF(known));
}

static enum hl_status read_pass(struct scenario_build *b, const struct scenario_words *words,
                                enum pass pass, struct hl_error *err)
{
    struct scenario_cursor statement;
    size_t next = 0;

    while (scenario_words_statement(words, &next, &statement))
        HL_TRY(read_statement(b, &statement, pass, err));
    return HL_OK;
}

static enum hl_status check_settings(const struct scenario *s, struct hl_error *err)
{
    if (s->machine.cpu_count == 0)
        return hl_fail(err, HL_BAD_INPUT,
                       "%s: there is no machine; expected a statement 'machine ...'", s->path);
    if (s->policy_line == 0)
        return hl_fail(err, HL_BAD_INPUT,
                       "%s: there is no policy; expected a statement 'policy ...'", s->path);
    return HL_OK;
}

/* Where its steps begin. */
static const char *task_place(const struct scenario *s, int32_t task,
                              char text[WORKLOAD_PLACE_BYTES])
{
    const struct workload *w = &s->workload;

    return workload_place(w, s->path, w->programs[w->tasks[task].program].first, text);
}

static enum hl_status finish(struct scenario_build *b, struct hl_error *err)
{
    struct scenario *s = b->s;
    bool has_foreground = false;
    char place[WORKLOAD_PLACE_BYTES];
    int32_t endless;

    if (s->trials == 0)
        s->trials = 1;
    if ((int64_t)s->expect_count * s->trials > SCENARIO_VALUES_MAX)
        return hl_fail(err, HL_BAD_INPUT,
                       "%s: %zu expectations in %" PRId64
                       " trials; expected a product of at most %d",
                       s->path, s->expect_count, s->trials, SCENARIO_VALUES_MAX);
    HL_TRY(scenario_add_copies(b, err));
    HL_TRY(workload_bound_tasks(&s->workload, SCENARIO_ALIVE_MAX, s->path, &endless, err));
    HL_TRY(workload_check(&s->workload, s->path, err));
    if (endless >= 0 && s->until_ns == INT64_MAX)
        return hl_fail(
            err, HL_BAD_INPUT,
            "%s: task '%s' runs for ever; expected a statement 'until TIME', or the word "
            "background in the task",
            task_place(s, endless, place), b->tasks.names[endless]);
    for (size_t i = 0; i < s->workload.task_count; i++)
        has_foreground |= !s->workload.tasks[i].background;
    if (!has_foreground && s->until_ns == INT64_MAX)
        return hl_fail(err, HL_BAD_INPUT,
                       "%s: all tasks are in the background, so the run has no end; expected a "
                       "statement 'until TIME', or a task that is not in the background",
                       task_place(s, 0, place));
    s->task_names = hl_alloc(s->workload.task_count, sizeof(*s->task_names));
    for (size_t i = 0; s->task_names != NULL && i < s->workload.task_count; i++)
        s->task_names[i] = hl_strdup(b->tasks.names[i]);
    for (size_t i = 0; i < s->workload.task_count; i++)
        if (s->task_names == NULL || s->task_names[i] == NULL)
            return hl_fail(err, HL_NO_MEMORY, "%s: out of memory for the names of tasks", s->path);
    return HL_OK;
}

enum hl_status scenario_parse(struct scenario *s, const char *path, const char *text,
                              struct hl_error *err)
{
    struct scenario_build b = {.s = s};
    struct scenario_words words = {0};
    enum hl_status status;

    *s = (struct scenario){.path = hl_strdup(path), .until_ns = INT64_MAX};
    s->workload.path = s->path;
    if (s->path == NULL)
        status = hl_fail(err, HL_NO_MEMORY, "%s: out of memory for the path", path);
    else
        status = scenario_words_open(&words, s->path, text, err);
    if (status == HL_OK)
        status = read_pass(&b, &words, PASS_SETTINGS, err);
    if (status == HL_OK)
        status = check_settings(s, err);
    if (status == HL_OK)
        status = read_pass(&b, &words, PASS_PROGRAMS, err);
    if (status == HL_OK)
        status = read_pass(&b, &words, PASS_TASKS, err);
    if (status == HL_OK)
        status = finish(&b, err);
    hl_free(b.copies);
    hl_free(b.programs.names);
    hl_free(b.tasks.names);
    hl_free(b.pipes.names);
    hl_free(b.barriers.names);
    hl_free(b.groups.names);
    hl_free(b.sessions.names);
    hl_free(b.locks.names);
    scenario_words_close(&words);
    if (status != HL_OK)
        scenario_close(s);
    return status;
}

enum hl_status scenario_open(struct scenario *s, const char *path, struct hl_error *err)
{
    char *text;
    size_t bytes;
    int line = 1;
    enum hl_status status;

    *s = (struct scenario){0};
    HL_TRY(hl_read_file(path, SCENARIO_BYTES_MAX, &text, &bytes, err));
    if (strlen(text) == bytes) {
        status = scenario_parse(s, path, text, err);
    } else {
        for (const char *c = text; *c != '\0'; c++)
            line += *c == '\n';
        status = hl_fail(err, HL_BAD_INPUT, "%s:%d: a NUL character; expected text", path, line);
    }
    hl_free(text);
    return status;
}

void scenario_close(struct scenario *s)
{
    for (size_t i = 0; s->task_names != NULL && i < s->workload.task_count; i++)
        hl_free(s->task_names[i]);
    hl_free(s->task_names);
    workload_close(&s->workload);
    machine_close(&s->machine);
    hl_free(s->path);
    hl_free(s->expects);
    *s = (struct scenario){0};
}
