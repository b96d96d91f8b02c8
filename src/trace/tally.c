/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tally.c - adds up lives by name.
 *
 * Histograms have 128 buckets per octave: a quantile is wrong by at most 0.4 %.
 */
#include "trace/tally.h"

#include <assert.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/units.h"

static const char other_name[] = "(other)";

/* A thousand seconds of cpu time in one process are a build of their own. */
static const struct stats_hist_options time_options = {.top = 1000 * HL_NS_PER_S,
                                                       .precision_bits = 7};
static const struct stats_hist_options count_options = {.top = 1 << 20, .precision_bits = 12};

static enum hl_status open_hist(struct trace_tally *tally, struct stats_hist *hist,
                                const struct stats_hist_options *options, struct hl_error *err)
{
    uint64_t *buckets =
        hl_arena_alloc(&tally->arena, stats_hist_bucket_count(options), sizeof(*buckets));

    if (buckets == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for a histogram");
    stats_hist_init(hist, options, buckets);
    return HL_OK;
}

const struct trace_tally_name *trace_tally_find(const struct trace_tally *tally, const char *name)
{
    for (int i = 0; i < tally->name_count; i++)
        if (strcmp(tally->names[i].name, name) == 0)
            return &tally->names[i];
    return NULL;
}

/* NULL: no memory. */
static struct trace_tally_name *entry_of(struct trace_tally *tally, const char *name)
{
    struct trace_tally_name *entry;

    for (int i = 0; i < tally->name_count; i++)
        if (strcmp(tally->names[i].name, name) == 0)
            return &tally->names[i];
    if (tally->name_count == TRACE_TALLY_NAMES)
        return &tally->names[TRACE_TALLY_NAMES - 1];
    if (tally->name_count == TRACE_TALLY_NAMES - 1)
        name = other_name;
    entry = &tally->names[tally->name_count];
    if (open_hist(tally, &entry->cpu, &time_options, NULL) != HL_OK)
        return NULL;
    memcpy(entry->name, name, strlen(name) + 1);
    tally->name_count++;
    return entry;
}

static void add_life(void *context, const struct trace_life *life)
{
    struct trace_tally *tally = context;
    struct trace_tally_name *entry = entry_of(tally, life->name);
    bool is_make = strcmp(life->name, TRACE_TALLY_ROOT) == 0;
    /* The middle of what it can have been; good enough if that is wrong by 2.5 % at most. */
    int64_t cpu_ns = life->cpu_ns + life->unknown_ns / 2;
    bool is_known = life->is_whole && life->unknown_ns <= cpu_ns / 20;

    if (entry == NULL) {
        tally->is_out_of_memory = true;
        return;
    }
    entry->count++;
    entry->of_makes += strcmp(life->parent, TRACE_TALLY_ROOT) == 0;
    entry->cpu_ns += cpu_ns;
    entry->voluntary += life->voluntary;
    entry->involuntary += life->involuntary;
    if (is_known)
        stats_hist_add(&entry->cpu, cpu_ns);
    tally->process_count++;
    tally->partial_count += !is_known;
    tally->cpu_ns += cpu_ns;
    tally->unknown_ns += life->unknown_ns;
    tally->depth_most = HL_MAX(tally->depth_most, life->depth);
    if (is_make && !life->is_root && life->units > 0)
        stats_hist_add(&tally->directory_units, life->units);
    if (strcmp(life->name, TRACE_TALLY_UNIT) == 0)
        tally->piped_units += life->siblings > 0;
    if (life->is_root)
        tally->elapsed_ns = life->ended_ns - life->started_ns;
}

static void add_wait(void *context, int64_t tail_ns, int64_t wait_ns)
{
    struct trace_tally *tally = context;

    stats_hist_add(&tally->vfork_tail, tail_ns);
    stats_hist_add(&tally->vfork_wait, wait_ns);
}

enum hl_status trace_tally_open(struct trace_tally *tally, int32_t root_pid, struct hl_error *err)
{
    const struct trace_lives_options options = {.root = TRACE_TALLY_ROOT,
                                                .root_pid = root_pid,
                                                .unit = TRACE_TALLY_UNIT,
                                                .ended = add_life,
                                                .vfork_waited = add_wait,
                                                .context = tally};
    enum hl_status status;

    *tally = (struct trace_tally){0};
    trace_lives_open(&tally->lives, &options);
    tally->names = hl_arena_alloc(&tally->arena, TRACE_TALLY_NAMES, sizeof(*tally->names));
    if (tally->names == NULL)
        status = hl_fail(err, HL_NO_MEMORY, "out of memory for the names of processes");
    else
        status = open_hist(tally, &tally->directory_units, &count_options, err);
    if (status == HL_OK)
        status = open_hist(tally, &tally->vfork_wait, &time_options, err);
    if (status == HL_OK)
        status = open_hist(tally, &tally->vfork_tail, &time_options, err);
    if (status != HL_OK)
        trace_tally_close(tally);
    return status;
}

void trace_tally_close(struct trace_tally *tally)
{
    trace_lives_close(&tally->lives);
    hl_arena_close(&tally->arena);
    *tally = (struct trace_tally){0};
}

enum hl_status trace_tally_read(struct trace_tally *tally, struct trace_text *text,
                                struct hl_error *err)
{
    struct trace_text_event event;
    bool more = true;

    while (!tally->lives.is_done) {
        if (text->event_count % 65536 == 0 && hl_interrupted())
            return hl_fail(err, HL_INTERRUPTED, "interrupted");
        HL_TRY(trace_text_next(text, &event, &more, err));
        if (!more)
            break;
        HL_TRY(trace_lives_event(&tally->lives, &event, err));
    }
    trace_lives_finish(&tally->lives);
    if (tally->is_out_of_memory)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the names of processes");
    return HL_OK;
}
