/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scenario_run.c - plays a scenario and judges what it expects.
 *
 * What an expectation may name (its left side):
 *     elapsed_ns, migrations              of the run so far
 *     A.wait_ns, A.cpu, ...               figures of task A: figure_table below
 *     cpu0.busy_ns                        time cpu 0 was busy
 *     g1.nr_throttled                     of task group g1: asked of the policy's probe
 *     same_core(A,B), same_package(A,B)   1 if both tasks are there, else 0
 *     A.sleep_avg_ns, cpu0.nr_running     anything else is asked of the policy's probe
 */
#include "study/scenario_run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "policy/policy.h"
#include "sim/sim.h"
#include "study/study.h"

enum field_kind {
    FIELD_ELAPSED,
    FIELD_MIGRATIONS,
    FIELD_FIGURE,
    FIELD_BUSY,
    FIELD_SAME,
    FIELD_PROBE
};

/* Whose figure: a task of the start, the first task that ran a program, or the policy itself. */
struct who {
    int task, program; /* -1: not this */
};

static const struct who nobody = {-1, -1};

/* A left side, understood once before the first trial. */
struct field {
    enum field_kind kind;
    struct who task, other;
    int figure;        /* FIELD_FIGURE: index in figure_table */
    int cpu;           /* FIELD_BUSY */
    bool same_package; /* FIELD_SAME; else the core */
    char name[128];    /* FIELD_PROBE */
};

#define FIGURES(X)                                                                                 \
    X(user_ns)                                                                                     \
    X(system_ns)                                                                                   \
    X(wait_ns)                                                                                     \
    X(started_ns)                                                                                  \
    X(finish_ns)                                                                                   \
    X(voluntary)                                                                                   \
    X(involuntary)                                                                                 \
    X(migrations)                                                                                  \
    X(cpu)                                                                                         \
    X(running)                                                                                     \
    X(runnable)

enum figure {
#define FIGURE_ENUM(name) FIGURE_##name,
    FIGURES(FIGURE_ENUM)
#undef FIGURE_ENUM
        FIGURE_COUNT
};

static const char *const figure_table[] = {
#define FIGURE_NAME(name) #name,
    FIGURES(FIGURE_NAME)
#undef FIGURE_NAME
};

static int64_t figure_value(const struct sim_task_figures *f, enum figure figure)
{
    switch (figure) {
#define FIGURE_CASE(name)                                                                          \
    case FIGURE_##name: return f->name;
        FIGURES(FIGURE_CASE)
#undef FIGURE_CASE
    case FIGURE_COUNT: break;
    }
    return 0;
}

/* A tolerance widens what holds, for == and for the orders alike. */
static bool compare_holds(const struct scenario_expect *e, double value)
{
    switch (e->compare) {
    case COMPARE_EQ: return fabs(value - e->right) <= e->tolerance;
    case COMPARE_NE: return fabs(value - e->right) > e->tolerance;
    case COMPARE_LT: return value < e->right + e->tolerance;
    case COMPARE_LE: return value <= e->right + e->tolerance;
    case COMPARE_GT: return value > e->right - e->tolerance;
    case COMPARE_GE: return value >= e->right - e->tolerance;
    }
    return false;
}

static bool is_same_name(const char *known, const char *name, size_t length)
{
    return strlen(known) == length && memcmp(known, name, length) == 0;
}

/* False if no task or program has that name. */
static bool find_who(const struct scenario *s, const char *name, size_t length, struct who *who)
{
    const struct workload *w = &s->workload;

    *who = nobody;
    for (size_t i = 0; i < w->task_count; i++)
        if (is_same_name(s->task_names[i], name, length)) {
            who->task = (int)i;
            return true;
        }
    for (size_t i = 0; i < w->program_count; i++)
        if (is_same_name(w->names[w->programs[i].name], name, length)) {
            who->program = (int)i;
            return true;
        }
    return false;
}

/* Of a program that no task has run yet: as a task that has not started. */
static void read_figures(struct sim *sim, struct who who, struct sim_task_figures *figures)
{
    if (who.task >= 0)
        sim_task_figures(sim, who.task, figures);
    else if (!sim_program_figures(sim, who.program, figures))
        *figures = (struct sim_task_figures){.started_ns = -1, .finish_ns = -1, .cpu = -1};
}

/* "cpu12" of `length` characters; -1 if it is none. */
static int64_t find_cpu(const char *name, size_t length)
{
    char digits[16];
    int64_t cpu;

    if (length <= 3 || length >= sizeof(digits) + 3 || memcmp(name, "cpu", 3) != 0)
        return -1;
    (void)snprintf(digits, sizeof(digits), "%.*s", (int)length - 3, name + 3);
    return hl_parse_int(digits, &cpu) ? cpu : -1;
}

static enum hl_status parse_same(const struct scenario *s, const struct scenario_expect *e,
                                 struct field *field, struct hl_error *err)
{
    const char *open = strchr(e->left, '('), *comma = strchr(e->left, ',');
    const char *close = strchr(e->left, ')');

    field->kind = FIELD_SAME;
    field->same_package = strncmp(e->left, "same_package", 12) == 0;
    if (comma == NULL || close == NULL || close < comma || close[1] != '\0')
        return hl_fail(err, HL_BAD_INPUT, "%s:%d: found %s; expected same_%s(TASK,TASK)", s->path,
                       e->line, e->left, field->same_package ? "package" : "core");
    if (!find_who(s, open + 1, (size_t)(comma - open - 1), &field->task) ||
        !find_who(s, comma + 1, (size_t)(close - comma - 1), &field->other))
        return hl_fail(err, HL_BAD_INPUT, "%s:%d: %s names a task that is not there", s->path,
                       e->line, e->left);
    return HL_OK;
}

static enum hl_status parse_field(const struct scenario *s, const struct scenario_expect *e,
                                  struct field *field, struct hl_error *err)
{
    const char *dot = strchr(e->left, '.');
    size_t owner;
    int64_t cpu;

    *field = (struct field){.kind = FIELD_PROBE, .task = nobody};
    if (strncmp(e->left, "same_core(", 10) == 0 || strncmp(e->left, "same_package(", 13) == 0)
        return parse_same(s, e, field, err);
    if (strcmp(e->left, "elapsed_ns") == 0)
        field->kind = FIELD_ELAPSED;
    else if (strcmp(e->left, "migrations") == 0)
        field->kind = FIELD_MIGRATIONS;
    (void)snprintf(field->name, sizeof(field->name), "%s", e->left);
    if (dot == NULL)
        return HL_OK;

    owner = (size_t)(dot - e->left);
    if (find_who(s, e->left, owner, &field->task)) {
        (void)snprintf(field->name, sizeof(field->name), "%s", dot + 1);
        for (int i = 0; i < FIGURE_COUNT; i++)
            if (strcmp(dot + 1, figure_table[i]) == 0) {
                field->kind = FIELD_FIGURE;
                field->figure = i;
            }
        return HL_OK;
    }
    for (size_t i = 0; i < s->workload.group_count; i++) /* the policy knows its fields */
        if (is_same_name(s->workload.names[s->workload.groups[i].name], e->left, owner))
            return HL_OK;
    cpu = find_cpu(e->left, owner);
    if (cpu < 0)
        return hl_fail(err, HL_BAD_INPUT,
                       "%s:%d: %.*s is no task, no group and no cpu of this scenario", s->path,
                       e->line, (int)owner, e->left);
    if (cpu >= s->machine.cpu_count)
        return hl_fail(err, HL_BAD_INPUT, "%s:%d: cpu %" PRId64 "; expected 0 to %" PRId32, s->path,
                       e->line, cpu, s->machine.cpu_count - 1);
    if (strcmp(dot, ".busy_ns") == 0) {
        field->kind = FIELD_BUSY;
        field->cpu = (int)cpu;
    }
    return HL_OK;
}

/* One trial in progress. */
struct trial {
    const struct scenario *s;
    const struct field *fields;         /* by expect */
    const int64_t *times;               /* by index of the observer */
    double *values;                     /* by expect */
    const struct scenario_watch *watch; /* NULL: nobody */
    enum hl_status status;              /* of the first field that nobody knows */
    struct hl_error error;
};

static int64_t same_place(const struct machine *m, const struct field *field, struct sim *sim)
{
    struct sim_task_figures a, b;

    read_figures(sim, field->task, &a);
    read_figures(sim, field->other, &b);
    if (a.cpu < 0 || b.cpu < 0)
        return 0;
    return field->same_package ? m->cpu[a.cpu].package == m->cpu[b.cpu].package
                               : m->cpu[a.cpu].core == m->cpu[b.cpu].core;
}

static bool field_read(const struct scenario *s, const struct field *field, struct sim *sim,
                       int64_t *value)
{
    struct sim_task_figures figures;

    switch (field->kind) {
    case FIELD_ELAPSED: *value = sim_now_ns(sim); return true;
    case FIELD_MIGRATIONS: *value = sim_total_migrations(sim); return true;
    case FIELD_BUSY: *value = sim_cpu_busy_ns(sim, field->cpu); return true;
    case FIELD_SAME: *value = same_place(&s->machine, field, sim); return true;
    case FIELD_FIGURE:
        read_figures(sim, field->task, &figures);
        *value = figure_value(&figures, (enum figure)field->figure);
        return true;
    case FIELD_PROBE:
        return field->task.program >= 0
                   ? sim_program_probe(sim, field->task.program, field->name, value)
                   : sim_probe(sim, field->task.task, field->name, value);
    }
    return false;
}

static void trial_look(void *context, struct sim *sim, int index)
{
    struct trial *trial = context;
    const struct scenario *s = trial->s;

    if (index < 0) {
        trial->watch->look(trial->watch->context, sim);
        return;
    }
    for (size_t i = 0; i < s->expect_count; i++) {
        const struct scenario_expect *e = &s->expects[i];
        int64_t value = 0;

        if (e->at_ns != trial->times[index])
            continue;
        if (!field_read(s, &trial->fields[i], sim, &value) && trial->status == HL_OK)
            trial->status = hl_fail(&trial->error, HL_BAD_INPUT,
                                    "%s:%d: %s is no figure and %s has no such field", s->path,
                                    e->line, e->left, s->policy);
        trial->values[i] = (double)value;
    }
}

static int compare_times(const void *a, const void *b)
{
    int64_t x, y;

    memcpy(&x, a, sizeof(x));
    memcpy(&y, b, sizeof(y));
    return (x > y) - (x < y);
}

/* The times at which some expectation looks, ascending, each once. */
static int collect_times(const struct scenario *s, int64_t *times)
{
    int count = 0;

    for (size_t i = 0; i < s->expect_count; i++)
        times[i] = s->expects[i].at_ns;
    if (s->expect_count > 0)
        qsort(times, s->expect_count, sizeof(*times), compare_times);
    for (size_t i = 0; i < s->expect_count; i++)
        if (count == 0 || times[count - 1] != times[i])
            times[count++] = times[i];
    return count;
}

static void judge(const struct scenario *s, size_t expect, const double *values,
                  struct scenario_result *result)
{
    const struct scenario_expect *e = &s->expects[expect];
    double sum = 0;

    result->line = e->line;
    result->text = e->text;
    result->trial = -1;
    result->holds = true;
    for (int64_t t = 0; t < s->trials; t++) {
        double value = values[(size_t)t * s->expect_count + expect];

        sum += value;
        switch (e->over) {
        case OVER_EACH:
            if (result->holds) {
                result->value = value;
                result->trial = t;
                result->holds = compare_holds(e, value);
            }
            break;
        case OVER_MEAN: result->value = sum / (double)(t + 1); break;
        case OVER_MIN:
        case OVER_MAX:
            if (t == 0 || (e->over == OVER_MIN ? value < result->value : value > result->value)) {
                result->value = value;
                result->trial = t;
            }
            break;
        }
    }
    if (e->over != OVER_EACH)
        result->holds = compare_holds(e, result->value);
}

static enum hl_status play_trials(const struct scenario *s, const struct policy_spec *policy,
                                  const struct scenario_watch *watch, const struct field *fields,
                                  int64_t *times, double *values, struct hl_error *err)
{
    int time_count = collect_times(s, times);

    for (int64_t t = 0; t < s->trials; t++) {
        const struct scenario_watch *w = t == 0 ? watch : NULL;
        struct trial trial = {.s = s,
                              .fields = fields,
                              .times = times,
                              .values = values + (size_t)t * s->expect_count,
                              .watch = w};
        struct sim_observer observer = {
            .look = trial_look, .context = &trial, .at_ns = times, .count = time_count};
        struct sim_options options = {
            .machine = &s->machine,
            .policy = policy,
            .workload = &s->workload,
            .seed = study_run_seed(s->seed, "scenario", 0, t),
            .until_ns = s->until_ns == INT64_MAX ? 0 : s->until_ns,
            .check_each_event = !s->check_at_end,
            .sink = w == NULL ? NULL : w->sink,
            .observer = &observer,
        };
        struct sim_result result;

        if (w != NULL && w->look != NULL)
            observer.every_ns = w->every_ns;
        HL_TRY(sim_run(&options, &result, err));
        if (trial.status != HL_OK) {
            if (err != NULL)
                *err = trial.error;
            return trial.status;
        }
    }
    return HL_OK;
}

enum hl_status scenario_run(const struct scenario *s, const struct scenario_watch *watch,
                            struct scenario_result *results, struct hl_error *err)
{
    struct policy_spec policy;
    struct hl_error wrong;
    struct field *fields = hl_alloc(s->expect_count, sizeof(*fields));
    int64_t *times = hl_alloc(s->expect_count, sizeof(*times));
    double *values = hl_alloc(s->expect_count * (size_t)s->trials, sizeof(*values));
    enum hl_status status = HL_OK;

    if (fields == NULL || times == NULL || values == NULL)
        status = hl_fail(err, HL_NO_MEMORY, "out of memory for %zu expectations", s->expect_count);
    if (status == HL_OK && policy_spec_parse(&policy, s->policy, &wrong) != HL_OK)
        status = hl_fail(err, HL_BAD_INPUT, "%s:%d: %s", s->path, s->policy_line, wrong.text);
    for (size_t i = 0; status == HL_OK && i < s->expect_count; i++)
        status = parse_field(s, &s->expects[i], &fields[i], err);
    if (status == HL_OK)
        status = play_trials(s, &policy, watch, fields, times, values, err);
    for (size_t i = 0; status == HL_OK && i < s->expect_count; i++)
        judge(s, i, values, &results[i]);
    hl_free(fields);
    hl_free(times);
    hl_free(values);
    return status;
}
