/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_profile.c - `halfload profile FILE`: what a recorded build consists of, as a table for people
 * and as a profile for `run kernbench --profile`.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/units.h"
#include "cli/cli.h"
#include "cli/measured_profile.h"
#include "report/report.h"

enum { KEY_PID = 256, KEY_FORMAT, ROWS_MAX = 24, LEVELS_SHOWN = 8, ABOUT_BYTES = 600 };

struct profile_words {
    struct cli_input input; /* first */
    const char *file, *output;
    int64_t pid;
    enum cli_format format;
};

static const struct argp_option option_table[] = {
    {"output", 'o', "FILE", 0, "write the profile to FILE", 0},
    {"pid", KEY_PID, "PID", 0, "the top make; else the first process named make", 0},
    {"format", KEY_FORMAT, "text|json", 0, "json prints the profile itself", 0},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct profile_words *o = state->input;

    switch (key) {
    case 'o': o->output = arg; return 0;
    case KEY_PID: return cli_int_option(state, "pid", arg, 1, INT32_MAX, &o->pid);
    case KEY_FORMAT: return cli_format_option(state, arg, false, &o->format);
    case ARGP_KEY_ARG:
        if (o->file != NULL)
            return cli_refuse(state, "'%s' is one file too many; expected one", arg);
        o->file = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        return cli_refuse(state, "no file; expected scheduling events as text, or - for them on "
                                 "standard input");
    default: return cli_other_key(key, state);
    }
}

static const struct argp profile_argp = {
    .options = option_table,
    .parser = parse_option,
    .args_doc = "FILE",
    .doc = "Makes a profile of a kernel build from a recording of it: scheduling events as text, "
           "as perf script, perf sched script, trace-cmd report or ftrace print them. FILE - is "
           "standard input.\v"
           "Events: sched_switch and sched_process_fork; better with sched_process_exec and "
           "sched_waking.\n"
           "Examples:\n"
           "  perf sched record -- make -j4\n"
           "  perf script --ns | halfload profile - -o mine.json\n"
           "  halfload run kernbench --profile ./mine.json --sched eevdf --load 1-4\n",
};

static double ms(double ns)
{
    return ns / (double)HL_NS_PER_MS;
}

static double seconds(int64_t ns)
{
    return (double)ns / (double)HL_NS_PER_S;
}

/* ---- the table ---- */

static void add_row(struct report_table *table, const struct trace_tally *tally,
                    const struct trace_tally_name *entry)
{
    static const double places[] = {0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1};

    report_table_cell(table, "%s", entry->name);
    report_table_cell(table, "%" PRId64, entry->count);
    report_table_cell(table, "%.3f", seconds(entry->cpu_ns));
    report_table_cell(table, "%.1f", 100 * (double)entry->cpu_ns / (double)tally->cpu_ns);
    for (int i = 0; i < HL_COUNT_OF(places); i++)
        if (entry->cpu.count > 0)
            report_table_cell(table, "%.2f", ms(stats_hist_quantile(&entry->cpu, places[i]).value));
        else
            report_table_cell(table, "-");
    report_table_cell(table, "%.1f", (double)entry->voluntary / (double)entry->count);
    report_table_cell(table, "%.1f", (double)entry->involuntary / (double)entry->count);
    report_table_end_row(table);
}

/* The names with most cpu time, and how many others there are. */
static enum hl_status print_names(const struct trace_tally *tally, struct hl_error *err)
{
    static const char *const heads[] = {"process", "count",     "cpu_s",      "share_%", "p5_ms",
                                        "p25_ms",  "p50_ms",    "p75_ms",     "p95_ms",  "p99_ms",
                                        "max_ms",  "voluntary", "involuntary"};
    struct report_table *table = report_table_new();
    bool printed[TRACE_TALLY_NAMES] = {false};
    enum hl_status status;

    for (int i = 0; i < HL_COUNT_OF(heads); i++)
        report_table_cell(table, "%s", heads[i]);
    report_table_end_row(table);
    for (int row = 0; row < HL_MIN(ROWS_MAX, tally->name_count); row++) {
        int best = -1;

        for (int i = 0; i < tally->name_count; i++)
            if (!printed[i] && (best < 0 || tally->names[i].cpu_ns > tally->names[best].cpu_ns))
                best = i;
        printed[best] = true;
        add_row(table, tally, &tally->names[best]);
    }
    status = report_table_print(table, stdout, 1, err);
    report_table_free(table);
    if (tally->name_count > ROWS_MAX)
        printf("and %d more names\n", tally->name_count - ROWS_MAX);
    return status;
}

static void print_runnable(const struct trace_lives *lives, int64_t elapsed_ns)
{
    struct trace_lives_slice head = trace_lives_half(lives, false);
    struct trace_lives_slice tail = trace_lives_half(lives, true);
    int64_t rest_ns = 0;

    printf("runnable processes, %% of elapsed time:");
    for (int i = 0; i < TRACE_LIVES_LEVELS; i++)
        if (i < LEVELS_SHOWN)
            printf(" %d: %.1f", i, 100 * (double)lives->level_ns[i] / (double)elapsed_ns);
        else
            rest_ns += lives->level_ns[i];
    printf(" more: %.1f\n", 100 * (double)rest_ns / (double)elapsed_ns);
    printf("at most one runnable: %.2f s in the first half, %.2f s in the second, %.1f %% in all\n",
           seconds(head.idle_ns + head.single_ns), seconds(tail.idle_ns + tail.single_ns),
           100 * (double)(head.idle_ns + head.single_ns + tail.idle_ns + tail.single_ns) /
               (double)elapsed_ns);
}

static enum hl_status print_summary(const struct profile_words *o, const struct trace_tally *tally,
                                    struct hl_error *err)
{
    const struct trace_lives *lives = &tally->lives;
    int64_t elapsed_ns = HL_MAX(1, lives->now_ns - lives->begin_ns);

    printf("%s: %" PRId64 " processes, %.2f cpu-s in %.2f s, forks up to %" PRId32 " deep\n\n",
           o->file, tally->process_count, seconds(tally->cpu_ns), seconds(elapsed_ns),
           tally->depth_most);
    HL_TRY(print_names(tally, err));
    putchar('\n');
    if (tally->vfork_wait.count > 0)
        printf("waits for a child's exec (vfork): %" PRIu64
               ", p50 %.2f ms, p95 %.2f ms, begun %.4f ms after the fork (p50)\n",
               tally->vfork_wait.count, ms(stats_hist_quantile(&tally->vfork_wait, 0.5).value),
               ms(stats_hist_quantile(&tally->vfork_wait, 0.95).value),
               ms(stats_hist_quantile(&tally->vfork_tail, 0.5).value));
    print_runnable(lives, elapsed_ns);
    printf("compilers at the same time: at most %" PRId32 "\n", lives->units_most);
    return HL_OK;
}

/* ---- what a reader must know of the recording ---- */

static void print_notes(FILE *out, const struct trace_tally *tally, const struct trace_text *text)
{
    if (text->unread_count > 0)
        (void)fprintf(out,
                      "note: lines that could not be read: %" PRId64 " of %" PRId64
                      "; the first is line %" PRId64 "\n",
                      text->unread_count, text->line, text->unread_first);
    if (text->backward_count > 0)
        (void)fprintf(out,
                      "note: events before their predecessors (clock skew): %" PRId64
                      ", by %.3f ms at most; they count as simultaneous\n",
                      text->backward_count, ms((double)text->backward_most_ns));
    if (tally->lives.hole_count > 0)
        (void)fprintf(out,
                      "note: not one event in %.1f s at %.3f s, where processes could run "
                      "(stretches of %.0f s and more: %" PRId64
                      ", %.1f s in all); if events are missing there, cpu_s is too much\n",
                      seconds(tally->lives.hole_longest_ns),
                      seconds(tally->lives.hole_longest_at_ns), seconds(TRACE_LIVES_HOLE_NS),
                      tally->lives.hole_count, seconds(tally->lives.hole_ns));
    if (tally->lives.inferred > 0)
        (void)fprintf(out,
                      "note: %" PRId64
                      " switches from an idle cpu are missing; who left it next has "
                      "run there since it could\n",
                      tally->lives.inferred);
    if (tally->unknown_ns > 0)
        (void)fprintf(out,
                      "note: events are missing; cpu_s may be %.3f more or less, and processes of "
                      "which too little is known, %" PRId64 ", are left out of the quantiles\n",
                      seconds(tally->unknown_ns) / 2, tally->partial_count);
    if (tally->lives.units_most < MEASURED_COMPILERS_LEAST)
        (void)fputs("note: never two compilers at the same time, so nothing is known of serial "
                    "parts; the profile assumes them\n",
                    out);
}

static enum hl_status check_text(const struct trace_text *text, const struct trace_tally *tally,
                                 struct hl_error *err)
{
    static const char expected[] =
        "expected lines such as \"cc1 1234 [001] 123.456789: sched:sched_switch: ...\"";

    if (text->line == 0)
        return hl_fail(err, HL_BAD_INPUT, "%s: is empty; %s", text->path, expected);
    if (text->event_count == 0 && text->unread_count == 0)
        return hl_fail(err, HL_BAD_INPUT,
                       "%s: other events or comments in all %" PRId64
                       " lines; expected some of sched_switch and sched_process_fork, as perf "
                       "sched record records them",
                       text->path, text->line);
    if (text->event_count == 0)
        return hl_fail(err, HL_BAD_INPUT, "%s:%" PRId64 ": no scheduling event up to here; %s",
                       text->path, text->unread_count > 0 ? text->unread_first : text->line,
                       expected);
    if (!tally->lives.has_root)
        return hl_fail(err, HL_BAD_INPUT,
                       "%s: no process %s%s in %" PRId64 " events; expected a build by make",
                       text->path, tally->lives.options.root_pid > 0 ? "of that pid" : "named ",
                       tally->lives.options.root_pid > 0 ? "" : TRACE_TALLY_ROOT,
                       text->event_count);
    if (tally->lives.is_cut)
        return hl_fail(err, HL_BAD_INPUT,
                       "%s:%" PRId64 ": the recording ends before make does; expected one of a "
                       "whole build",
                       text->path, text->line);
    return HL_OK;
}

/* Damage that the recording itself admits is told last, after what could be had. */
static enum hl_status check_lost(const struct trace_text *text, const struct trace_tally *tally,
                                 struct hl_error *err)
{
    if (tally->lives.lost_places == 0)
        return HL_OK;
    if (tally->lives.lost_events == 0)
        return hl_fail(err, HL_BAD_INPUT,
                       "%s: events are missing, places: %" PRId64
                       "; what ran there counts by half of what it can have been",
                       text->path, tally->lives.lost_places);
    return hl_fail(err, HL_BAD_INPUT,
                   "%s: events are missing, %" PRId64 " known to be lost, places: %" PRId64
                   "; what ran there counts by half of what it can have been",
                   text->path, tally->lives.lost_events, tally->lives.lost_places);
}

/* The recording is not written over, and a profile that was there stays until the new one is whole. */
static enum hl_status write_file(const struct profile_words *o, const struct profile *profile,
                                 const char *recording, const char *about, struct hl_error *err)
{
    char beside[PATH_MAX];
    struct stat old, read;
    bool is_there = stat(o->output, &old) == 0;
    bool is_special = is_there && !S_ISREG(old.st_mode);
    enum hl_status status;
    FILE *out;

    if (is_there && stat(recording, &read) == 0 && read.st_dev == old.st_dev &&
        read.st_ino == old.st_ino)
        return hl_fail(err, HL_USAGE, "%s: is the recording; expected another file for the profile",
                       o->output);
    (void)snprintf(beside, sizeof(beside), "%s%s", o->output, is_special ? "" : ".new");
    out = fopen(beside, "we");
    if (out == NULL)
        return hl_fail(err, HL_NOT_PERMITTED, "%s: %s", o->output, strerror(errno));
    status = measured_profile_write(out, profile, about, err);
    if (fclose(out) != 0 && status == HL_OK)
        status = hl_fail(err, HL_NOT_PERMITTED, "%s: %s", o->output, strerror(errno));
    if (status == HL_OK && !is_special && rename(beside, o->output) != 0)
        status = hl_fail(err, HL_NOT_PERMITTED, "%s: %s", o->output, strerror(errno));
    if (status != HL_OK && !is_special)
        (void)unlink(beside);
    return status;
}

static enum hl_status print_all(const struct profile_words *o, const struct trace_text *text,
                                const struct trace_tally *tally, struct hl_error *err)
{
    struct profile profile;
    char about[ABOUT_BYTES];
    enum hl_status status;

    HL_TRY(check_text(text, tally, err));
    HL_TRY(measured_profile(&profile, tally, text->path, err));
    (void)snprintf(about, sizeof(about),
                   "a build recorded in %.400s; speed 1.0 is a cpu of its machine", text->path);
    status = o->output != NULL ? write_file(o, &profile, text->path, about, err) : HL_OK;
    if (status == HL_OK)
        status = o->format == FORMAT_JSON ? measured_profile_write(stdout, &profile, about, err)
                                          : print_summary(o, tally, err);
    if (status == HL_OK)
        print_notes(o->format == FORMAT_JSON ? stderr : stdout, tally, text);
    if (status == HL_OK && o->output != NULL && o->format == FORMAT_TEXT)
        printf("profile: %s\n", o->output);
    profile_close(&profile);
    return status == HL_OK ? check_lost(text, tally, err) : status;
}

enum hl_status cli_profile(int argc, char **argv, struct hl_error *err)
{
    struct profile_words o = {.format = FORMAT_TEXT};
    struct trace_tally tally = {0};
    struct trace_text text = {0};
    enum hl_status status;

    HL_TRY(cli_parse(&profile_argp, argc, argv, &o.input, err));
    status = trace_text_open(&text, o.file, err);
    if (status == HL_OK)
        status = trace_tally_open(&tally, (int32_t)o.pid, err);
    if (status == HL_OK)
        status = trace_tally_read(&tally, &text, err);
    if (status == HL_OK)
        status = print_all(&o, &text, &tally, err);
    trace_tally_close(&tally);
    trace_text_close(&text);
    return status;
}
