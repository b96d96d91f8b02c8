/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ftrace_text.h - scheduling events from text, as perf script, perf sched script, trace-cmd report
 * and the trace file of ftrace print them.
 *
 * Streaming: one line is in memory. A line that cannot be read is counted, never guessed.
 */
#ifndef HL_TRACE_FTRACE_TEXT_H
#define HL_TRACE_FTRACE_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"
#include "trace/event.h"

enum { TRACE_TEXT_NAME_BYTES = 64 };

enum trace_text_kind {
    TRACE_TEXT_SWITCH, /* task leaves the cpu in `state`, other comes */
    TRACE_TEXT_WAKE,   /* task becomes runnable */
    TRACE_TEXT_FORK,   /* task: the parent; other: the child */
    TRACE_TEXT_EXEC,   /* task: its new name */
    TRACE_TEXT_EXIT,   /* task: still runs until it is switched out dead */
    TRACE_TEXT_LOST,   /* `lost` events are missing here; 0: nobody knows how many */
};

struct trace_text_task {
    int32_t pid;                      /* of the thread; 0: idle */
    char name[TRACE_TEXT_NAME_BYTES]; /* bytes as they were recorded; cut if longer */
};

struct trace_text_event {
    enum trace_text_kind kind;
    enum trace_state state; /* TRACE_TEXT_SWITCH: of task */
    int64_t at_ns;          /* TRACE_TEXT_LOST: that of the event before it */
    int32_t cpu;            /* TRACE_TEXT_LOST: -1 if the line names none */
    int64_t lost;
    struct trace_text_task task, other;
};

struct trace_text {
    char *path; /* for messages */
    FILE *file;
    char *buffer; /* the line that is being read, and what was read after it */
    size_t begin, end;
    int64_t line; /* number of the last one read */
    int64_t last_ns;
    bool at_end;

    int64_t event_count; /* handed out */
    int64_t other_count; /* lines of other events, stacks, comments: not needed */
    int64_t unread_count,
        unread_first; /* lines that could not be read, and the number of the first */
    int64_t backward_count, backward_most_ns; /* steps back in time */
};

/* "-" is standard input. Recognises binary recordings and says how to make text of them. */
enum hl_status trace_text_open(struct trace_text *text, const char *path,
                               struct hl_error *err) HL_MUST_CHECK;
/* The same from a stream, which it closes. */
enum hl_status trace_text_open_stream(struct trace_text *text, const char *name, FILE *file,
                                      struct hl_error *err) HL_MUST_CHECK;
void trace_text_close(struct trace_text *text); /* safe on zeroed */

/* The next event, in the order of the file; *more is false at the end. */
enum hl_status trace_text_next(struct trace_text *text, struct trace_text_event *event, bool *more,
                               struct hl_error *err) HL_MUST_CHECK;

#endif
