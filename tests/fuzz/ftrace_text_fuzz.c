/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ftrace_text_fuzz.c - recordings as text, and the processes that are followed through them.
 * covers: src/trace/ftrace_text.c src/trace/lives.c src/trace/tally.c
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/tally.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct trace_tally tally = {0};
    struct trace_text text = {0};
    struct hl_error err = {0};
    FILE *file = size == 0 ? NULL : fmemopen((void *)(uintptr_t)data, size, "r");
    int64_t count = 0;

    if (file == NULL)
        return 0;
    if (trace_text_open_stream(&text, "fuzz", file, &err) == HL_OK &&
        trace_tally_open(&tally, 0, &err) == HL_OK &&
        trace_tally_read(&tally, &text, &err) == HL_OK) {
        /* Each line is an event or counted; each process that began has ended once. */
        if ((tally.lives.is_cut || !tally.lives.has_root) &&
            text.event_count + text.other_count + text.unread_count != text.line)
            abort();
        if (tally.lives.live_count != 0 || tally.lives.runnable != 0 || tally.lives.running != 0 ||
            tally.lives.units_now != 0)
            abort();
        for (int i = 0; i < tally.name_count; i++)
            count += tally.names[i].count;
        if (count != tally.process_count || tally.cpu_ns < 0 || tally.unknown_ns < 0)
            abort();
    } else if (err.text[0] == '\0' || strchr(err.text, '\n') != NULL) {
        abort();
    }
    trace_tally_close(&tally);
    trace_text_close(&text);
    return 0;
}
