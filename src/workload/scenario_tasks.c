/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scenario_tasks.c - the statements `task` and `program` of scenario files.
 *
 *     task A  at 2ms  nice 5  on 0-1  start 0:  run 5ms  fork child  wait
 *     program child: run 1ms
 */
#include "workload/scenario_build.h"

#include <inttypes.h>
#include <string.h>

#include "machine/cpu_list.h"

enum { CLASS_COUNT = 5, CLASS_FIRST_RT = 3 };
enum { SLICE_MIN_NS = 100000, SLICE_MAX_NS = 100000000 }; /* what the kernel takes */

/* In the order of workload_task.class. */
static const char *const class_words[CLASS_COUNT] = {"normal", "batch", "idle", "fifo", "rr"};

enum hl_status scenario_cpu_set(struct scenario_build *b, struct scenario_cursor *c, int32_t *set,
                                struct hl_error *err)
{
    struct workload *w = &b->s->workload;
    int cpu_count = b->s->machine.cpu_count, within = 0;
    size_t words = (size_t)(cpu_count + 63) / 64;
    struct machine_cpu_set cpus;
    const char *word;

    HL_TRY(scenario_need(c, "cpus such as 0-1,3", &word, err));
    if (machine_cpu_list_parse(word, &cpus))
        for (int cpu = 0; cpu < cpu_count; cpu++)
            within += machine_cpu_set_has(&cpus, cpu);
    if (within == 0 || within < machine_cpu_set_count(&cpus))
        return scenario_fail(c, err,
                             "cpus are '%.60s'; expected a list such as 0-1,3 within 0 to %d", word,
                             cpu_count - 1);
    w->cpu_set_words = words;
    HL_TRY(hl_grow(&w->cpu_sets, &w->cpu_set_capacity, w->cpu_set_count + 1,
                   words * sizeof(*w->cpu_sets), err));
    memcpy(w->cpu_sets + w->cpu_set_count * words, cpus.word, words * sizeof(*w->cpu_sets));
    *set = (int32_t)w->cpu_set_count++;
    return HL_OK;
}

/* program NAME [:] STEPS */
enum hl_status scenario_program(struct scenario_build *b, struct scenario_cursor *c,
                                struct hl_error *err)
{
    const char *name = scenario_take(c);
    int32_t program;

    if (scenario_name_find(&b->tasks, name) >= 0)
        return scenario_fail(c, err, "'%s' is a task and a program; expected two names", name);
    (void)scenario_take_if(c, ":");
    return scenario_steps(b, c, name, &program, err);
}

enum attribute {
    AT,
    NICE,
    CLASS,
    RT,
    ON,
    START,
    FORKED,
    SLICE,
    GROUP,
    SESSION,
    KERNEL,
    BACKGROUND,
    COPIES,
    ATTRIBUTE_COUNT
};

static const char *const attribute_words[ATTRIBUTE_COUNT] = {
    [AT] = "at",         [NICE] = "nice",
    [CLASS] = "class",   [RT] = "rt",
    [ON] = "on",         [START] = "start",
    [SLICE] = "slice",   [KERNEL] = "kernel",
    [COPIES] = "copies", [BACKGROUND] = "background",
    [GROUP] = "group",   [SESSION] = "session",
    [FORKED] = "forked",
};

static enum hl_status read_attribute(struct scenario_build *b, struct scenario_cursor *c,
                                     struct workload_task *task, enum attribute attribute,
                                     struct hl_error *err)
{
    const char *word;
    int64_t value = 0;

    switch (attribute) {
    case AT: return scenario_need_duration(c, "at", &task->at_ns, err);
    case NICE:
        HL_TRY(scenario_need_int(c, "nice", -20, 19, &value, err));
        task->nice = (int32_t)value;
        return HL_OK;
    case CLASS:
        HL_TRY(scenario_need(c, "a class", &word, err));
        for (task->class = 0; task->class < CLASS_COUNT; task->class ++)
            if (strcmp(class_words[task->class], word) == 0)
                return HL_OK;
        return scenario_fail_unknown(c, err, "class", word, class_words, CLASS_COUNT);
    case RT:
        HL_TRY(scenario_need_int(c, "rt", 1, 99, &value, err));
        task->rt_priority = (int32_t)value;
        return HL_OK;
    case ON: return scenario_cpu_set(b, c, &task->cpu_set, err);
    case START:
        HL_TRY(scenario_need_int(c, "start", 0, b->s->machine.cpu_count - 1, &value, err));
        task->start_cpu = (int32_t)value;
        return HL_OK;
    case SLICE:
        HL_TRY(scenario_need_duration(c, "slice", &value, err));
        if (value < SLICE_MIN_NS || value > SLICE_MAX_NS)
            return scenario_fail(c, err, "slice is %" PRId64 " ns; expected 100us to 100ms", value);
        task->slice_ns = value;
        return HL_OK;
    case GROUP: return scenario_group_name(b, c, &task->group, err);
    case SESSION: return scenario_session_name(b, c, &task->session, err);
    case FORKED: task->is_forked = true; return HL_OK;
    case KERNEL: task->is_kernel = true; return HL_OK;
    case BACKGROUND: task->background = true; return HL_OK;
    case COPIES:
        HL_TRY(scenario_need_int(c, "copies", 1, SCENARIO_TASKS_MAX, &value, err));
        HL_TRY(
            hl_grow(&b->copies, &b->copies_capacity, b->copies_count + 1, sizeof(*b->copies), err));
        b->copies[b->copies_count++] =
            (struct scenario_copies){.task = b->s->workload.task_count, .more = value - 1};
        return HL_OK;
    case ATTRIBUTE_COUNT: break;
    }
    return HL_OK;
}

static enum hl_status check_attributes(const struct scenario_build *b,
                                       const struct scenario_cursor *c, struct workload_task *task,
                                       struct hl_error *err)
{
    const struct workload *w = &b->s->workload;
    bool is_rt = task->class >= CLASS_FIRST_RT;

    if (task->rt_priority > 0 && !is_rt)
        return scenario_fail(c, err, "rt is %" PRId32 " in class %s; expected class fifo or rr",
                             task->rt_priority, class_words[task->class]);
    if (is_rt && task->rt_priority == 0)
        task->rt_priority = 1;
    if (task->cpu_set >= 0 && task->start_cpu >= 0) {
        uint64_t word =
            w->cpu_sets[(size_t)task->cpu_set * w->cpu_set_words + (size_t)task->start_cpu / 64];

        if ((word >> (task->start_cpu % 64) & 1) == 0)
            return scenario_fail(c, err,
                                 "start is %" PRId32 "; expected one of the cpus after 'on'",
                                 task->start_cpu);
    }
    return HL_OK;
}

/* task NAME [ATTRIBUTES] [:] STEPS */
enum hl_status scenario_task(struct scenario_build *b, struct scenario_cursor *c,
                             struct hl_error *err)
{
    struct workload_task task = {.cpu_set = -1, .start_cpu = -1};
    unsigned seen = 0;
    const char *name = scenario_take(c);

    while (scenario_peek(c) != NULL) {
        int attribute = 0;

        while (attribute < ATTRIBUTE_COUNT &&
               strcmp(attribute_words[attribute], scenario_peek(c)) != 0)
            attribute++;
        if (attribute == ATTRIBUTE_COUNT)
            break;
        (void)scenario_take(c);
        if ((seen >> attribute & 1) != 0)
            return scenario_fail(c, err, "%s is given twice; expected it once",
                                 attribute_words[attribute]);
        seen |= 1u << attribute;
        HL_TRY(read_attribute(b, c, &task, (enum attribute)attribute, err));
    }
    HL_TRY(check_attributes(b, c, &task, err));
    (void)scenario_take_if(c, ":");
    HL_TRY(scenario_steps(b, c, name, &task.program, err));
    return workload_add_task(&b->s->workload, &task, err);
}

enum hl_status scenario_add_copies(struct scenario_build *b, struct hl_error *err)
{
    struct workload *w = &b->s->workload;

    for (size_t i = 0; i < b->copies_count; i++) {
        const char *name = b->tasks.names[b->copies[i].task];

        for (int64_t more = b->copies[i].more; more > 0; more--) {
            struct workload_task task = w->tasks[b->copies[i].task];

            if (w->task_count >= SCENARIO_TASKS_MAX)
                return hl_fail(
                    err, HL_BAD_INPUT,
                    "%s: the copies of task '%s' are too many; expected at most %d tasks",
                    b->s->path, name, SCENARIO_TASKS_MAX);
            HL_TRY(hl_grow(&b->tasks.names, &b->tasks.capacity, w->task_count + 1,
                           sizeof(*b->tasks.names), err));
            b->tasks.names[b->tasks.count++] = name;
            HL_TRY(workload_add_task(w, &task, err));
        }
    }
    return HL_OK;
}
