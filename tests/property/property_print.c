/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * property_print.c - writes a case as a scenario file and its machine file.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "property_case.h"

static const char *const class_words[] = {"normal", "batch", "idle", "fifo", "rr"};

void property_text_add(struct property_text *text, const char *format, ...)
{
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0 ||
        hl_grow(&text->text, &text->capacity, text->bytes + (size_t)length + 1, 1, NULL) != HL_OK) {
        (void)fprintf(stderr, "property: out of memory for the text of a case\n");
        exit(6);
    }
    va_start(args, format);
    (void)vsnprintf(text->text + text->bytes, (size_t)length + 1, format, args);
    va_end(args);
    text->bytes += (size_t)length;
}

/* "0-2,5" */
static void add_cpus(struct property_text *text, uint32_t cpus)
{
    const char *comma = "";

    for (int cpu = 0; cpu < CASE_CPUS_MAX; cpu++)
        if ((cpus >> cpu & 1) != 0) {
            property_text_add(text, "%s%d", comma, cpu);
            comma = ",";
        }
}

/* Programs are named by what they are and their index, so that names stay while others go. */
static void add_name(const struct property_case *c, struct property_text *text, int32_t program)
{
    property_text_add(text, "%c%" PRId32, c->programs[program].is_task ? 'T' : 'p', program);
}

static void add_step(const struct property_case *c, struct property_text *text,
                     const struct case_step *step)
{
    switch (step->op) {
    case OP_RUN:
        if (step->amount == INT64_MAX)
            property_text_add(text, " run forever");
        else
            property_text_add(text, " run %" PRId64, step->amount);
        if (step->kind != MACHINE_KIND_usual)
            property_text_add(text, " %s", machine_kind_name((enum machine_kind)step->kind));
        break;
    case OP_SYSTEM: property_text_add(text, " system %" PRId64, step->amount); break;
    case OP_SLEEP:
        property_text_add(text, " sleep %" PRId64, step->amount);
        if (step->spread > 0)
            property_text_add(text, "ns..%" PRId64 "ns", step->amount + step->spread);
        break;
    case OP_DISK: property_text_add(text, " disk %" PRId64, step->amount); break;
    case OP_FORK:
    case OP_VFORK:
        property_text_add(text, step->op == OP_FORK ? " fork " : " vfork ");
        add_name(c, text, step->target);
        break;
    case OP_EXEC: property_text_add(text, " exec"); break;
    case OP_WAIT:
        if (step->amount == INT64_MAX)
            property_text_add(text, " wait all");
        else
            property_text_add(text, " wait %" PRId64, step->amount);
        break;
    case OP_READ:
    case OP_WRITE:
        property_text_add(text, " %s pipe%" PRId32 " %" PRId64,
                          step->op == OP_READ ? "read" : "write", step->target, step->amount);
        break;
    case OP_LOCK:
    case OP_UNLOCK:
        property_text_add(text, " %s lock%" PRId32, step->op == OP_LOCK ? "lock" : "unlock",
                          step->target);
        break;
    case OP_BARRIER: property_text_add(text, " barrier bar%" PRId32, step->target); break;
    case OP_YIELD: property_text_add(text, " yield"); break;
    case OP_NICE: property_text_add(text, " nice %" PRId64, step->amount); break;
    case OP_AFFINITY:
        property_text_add(text, " affinity ");
        if (step->cpus == 0)
            property_text_add(text, "all");
        else
            add_cpus(text, step->cpus);
        break;
    case OP_LOOP:
        if (step->amount == INT64_MAX)
            property_text_add(text, " loop forever {");
        else
            property_text_add(text, " loop %" PRId64 " {", step->amount);
        break;
    case CASE_LOOP_END: property_text_add(text, " }"); break;
    default: property_text_add(text, " exit"); break;
    }
}

static void add_program(const struct property_case *c, struct property_text *text, int32_t program)
{
    const struct case_program *p = &c->programs[program];

    property_text_add(text, p->is_task ? "task    " : "program ");
    add_name(c, text, program);
    if (p->is_task) {
        if (p->at_ns > 0)
            property_text_add(text, " at %" PRId64 "ns", p->at_ns);
        if (p->nice != 0)
            property_text_add(text, " nice %" PRId32, p->nice);
        if (p->group > 0)
            property_text_add(text, " group g%" PRId32, p->group - 1);
        if (p->class != 0)
            property_text_add(text, " class %s", class_words[p->class]);
        if (p->rt_priority != 0)
            property_text_add(text, " rt %" PRId32, p->rt_priority);
        if (p->cpus != 0) {
            property_text_add(text, " on ");
            add_cpus(text, p->cpus);
        }
        if (p->start_cpu >= 0)
            property_text_add(text, " start %" PRId32, p->start_cpu);
        property_text_add(text, "%s%s", p->is_kernel ? " kernel" : "",
                          p->is_background ? " background" : "");
    }
    property_text_add(text, ":");
    for (int32_t i = 0; i < p->step_count; i++)
        add_step(c, text, &p->steps[i]);
    property_text_add(text, p->step_count == 0 ? " exit\n" : "\n");
}

bool property_case_has_capacity(const struct property_case *c)
{
    for (int32_t cpu = 0; cpu < c->cpu_count; cpu++)
        if (c->capacity[cpu] != 0)
            return true;
    return false;
}

void property_case_print_machine(const struct property_case *c, struct property_text *text)
{
    const char *comma = "";

    property_text_add(text, "{\n  \"about\": \"a case of tests/property: unequal cpus\",\n");
    property_text_add(text, "  \"topology\": \"%s\",\n  \"capacity\": [", c->topology);
    for (int32_t cpu = 0; cpu < c->cpu_count; cpu++)
        if (c->capacity[cpu] != 0) {
            property_text_add(text,
                              "%s\n    {\"cpus\": \"%" PRId32
                              "\", \"value\": %.3f, \"unit\": \"ratio\", \"source\": \"assumed\"}",
                              comma, cpu, c->capacity[cpu] / 8.0);
            comma = ",";
        }
    property_text_add(text, "\n  ],\n  \"constants\": {}\n}\n");
}

void property_case_print(const struct property_case *c, const char *machine,
                         struct property_text *text)
{
    property_text_add(text, "# SPDX-License-Identifier: GPL-2.0-or-later\n");
    property_text_add(text, "machine %s", machine == NULL ? c->topology : machine);
    for (int32_t i = 0; i < c->constant_count; i++)
        property_text_add(text, " %s", c->constants[i].text);
    property_text_add(text, "\npolicy  %s", c->policy);
    for (int32_t i = 0; i < c->param_count; i++)
        property_text_add(text, ":%s", c->params[i].text);
    property_text_add(text, "\nseed    %" PRIu64 "\n", c->seed);
    for (int32_t i = 0; i < c->pipe_count; i++)
        if (!c->pipes[i].gone)
            property_text_add(text, "pipe    pipe%" PRId32 " capacity=%" PRId64 "%s\n", i,
                              c->pipes[i].capacity_bytes, c->pipes[i].sync ? " sync" : "");
    for (int32_t i = 0; i < c->barrier_count; i++)
        if (!c->barriers[i].gone)
            property_text_add(text, "barrier bar%" PRId32 " size=%" PRId32 "\n", i,
                              c->barriers[i].size);
    for (int32_t i = 0; i < c->group_count; i++) {
        property_text_add(text, "group   g%" PRId32 " weight=%" PRId32, i, c->groups[i].weight);
        if (c->groups[i].parent > 0)
            property_text_add(text, " parent=g%" PRId32, c->groups[i].parent - 1);
        property_text_add(text, "%s\n", c->groups[i].is_idle ? " idle" : "");
    }
    for (int32_t i = 0; i < c->program_count; i++)
        if (!c->programs[i].gone)
            add_program(c, text, i);
}

enum hl_status property_case_open(const struct property_case *c, struct scenario *s,
                                  struct hl_error *err)
{
    struct property_text text = {0};
    enum hl_status status;

    property_case_print(c, NULL, &text);
    status = scenario_parse(s, "case", text.text, err);
    hl_free(text.text);
    for (int32_t cpu = 0; status == HL_OK && cpu < c->cpu_count; cpu++)
        if (c->capacity[cpu] != 0)
            s->machine.cpu[cpu].capacity = c->capacity[cpu] * 1024 / 8;
    return status;
}
