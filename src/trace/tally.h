/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tally.h - the processes of a recorded build, added up by name.
 *
 * A build is a tree of makes; its units are processes named cc1. Memory is bounded: a histogram per
 * name, and names beyond TRACE_TALLY_NAMES are one.
 */
#ifndef HL_TRACE_TALLY_H
#define HL_TRACE_TALLY_H

#include "base/memory.h"
#include "stats/histogram.h"
#include "trace/lives.h"

#define TRACE_TALLY_ROOT "make"
#define TRACE_TALLY_UNIT "cc1"

enum { TRACE_TALLY_NAMES = 256 };

struct trace_tally_name {
    char name[TRACE_TEXT_NAME_BYTES];
    int64_t count;                          /* all that ended */
    int64_t of_makes;                       /* forked by a make */
    int64_t cpu_ns, voluntary, involuntary; /* sums */
    struct stats_hist cpu;                  /* of those it is known of */
};

struct trace_tally {
    struct trace_lives lives;
    struct hl_arena arena;
    struct trace_tally_name *names; /* in order of appearance; the last one may be "(other)" */
    int name_count;
    struct stats_hist directory_units;        /* of makes below the root that have any */
    struct stats_hist vfork_wait, vfork_tail; /* of one vfork each: see trace_lives_options */
    int64_t process_count, cpu_ns, unknown_ns;
    int64_t partial_count; /* processes whose cpu time is known to less than 2.5 % */
    int64_t elapsed_ns;
    int64_t piped_units; /* units that ended while a sibling lived */
    int32_t depth_most;
    bool is_out_of_memory;
};

/* root_pid 0: the first process named make. */
enum hl_status trace_tally_open(struct trace_tally *tally, int32_t root_pid,
                                struct hl_error *err) HL_MUST_CHECK;
void trace_tally_close(struct trace_tally *tally); /* safe on zeroed */

/* Reads to the end of the build, or of the text. */
enum hl_status trace_tally_read(struct trace_tally *tally, struct trace_text *text,
                                struct hl_error *err) HL_MUST_CHECK;

const struct trace_tally_name *trace_tally_find(const struct trace_tally *tally, const char *name);

#endif
