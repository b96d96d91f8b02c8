/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline.c - scheduling events as text.
 */
#include "trace/timeline.h"

#include <inttypes.h>

static const char *state_text(enum trace_state state)
{
    switch (state) {
    case TRACE_RUNNABLE: return "preempted";
    case TRACE_SLEEPING: return "sleeps";
    case TRACE_UNINTERRUPTIBLE: return "waits";
    case TRACE_DEAD: return "dead";
    }
    return "unknown";
}

static void print_task(const struct timeline *t, int32_t id)
{
    if (id == TRACE_IDLE)
        (void)fputs("idle", t->out);
    else if (id < t->name_count && t->names[id] != NULL)
        (void)fputs(t->names[id], t->out);
    else
        (void)fprintf(t->out, "#%" PRId32, id);
}

static void print_event(void *context, const struct trace_event *event)
{
    struct timeline *t = context;

    if (!t->has_header)
        (void)fputs("          time in ns  cpu   event\n", t->out);
    t->has_header = true;
    (void)fprintf(t->out, "%20" PRId64 "  cpu%-2" PRId32 " ", event->at_ns, event->cpu);
    print_task(t, event->task);
    switch (event->kind) {
    case TRACE_SWITCH:
        if (event->task != TRACE_IDLE)
            (void)fprintf(t->out, " (%s)", state_text(event->state));
        (void)fputs(" -> ", t->out);
        print_task(t, event->other);
        break;
    case TRACE_WAKE: (void)fputs(" wakes", t->out); break;
    case TRACE_MIGRATE: (void)fputs(" comes over", t->out); break;
    case TRACE_FORK:
        (void)fputs(" is forked by ", t->out);
        print_task(t, event->other);
        break;
    case TRACE_EXEC: (void)fputs(" execs", t->out); break;
    case TRACE_EXIT: (void)fputs(" exits", t->out); break;
    }
    (void)fputc('\n', t->out);
}

struct trace_sink timeline_sink(struct timeline *timeline)
{
    return (struct trace_sink){.event = print_event, .context = timeline};
}
