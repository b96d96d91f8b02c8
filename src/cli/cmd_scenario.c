/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_scenario.c - `halfload run scn:FILE`: plays a scenario and prints which expectations hold, or how many tasks
 * each cpu has over time.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

#include "base/format.h"
#include "base/memory.h"
#include "base/units.h"
#include "cli/cmd_run.h"
#include "sim/sim.h"
#include "study/scenario_run.h"
#include "trace/timeline.h"

static void print_text(const struct scenario *s, const struct scenario_result *results)
{
    for (size_t i = 0; i < s->expect_count; i++) {
        const struct scenario_result *r = &results[i];
        char found[HL_EXACT_BYTES];

        printf("%s:%d: %s  %s; found %s", s->path, r->line, r->holds ? "holds" : "FAILS", r->text,
               hl_format_exact(found, r->value));
        if (!r->holds && r->trial >= 0 && s->trials > 1)
            printf(" in trial %" PRId64 " of %" PRId64, r->trial + 1, s->trials);
        putchar('\n');
    }
}

static enum hl_status print_json(const struct scenario *s, const struct scenario_result *results,
                                 struct hl_error *err)
{
    json_t *list = json_array();
    json_t *root = json_pack("{s:i, s:s, s:s, s:I, s:o}", "schema", 1, "scenario", s->path,
                             "policy", s->policy, "trials", (json_int_t)s->trials, "expects", list);
    int written = 0;

    for (size_t i = 0; root != NULL && i < s->expect_count; i++)
        (void)json_array_append_new(list, json_pack("{s:i, s:s, s:f, s:b}", "line", results[i].line,
                                                    "text", results[i].text, "value",
                                                    results[i].value, "holds", results[i].holds));
    if (root == NULL || json_dumpf(root, stdout, JSON_COMPACT) != 0)
        written = -1;
    putchar('\n');
    json_decref(root);
    return written == 0 ? HL_OK : hl_fail(err, HL_NO_MEMORY, "out of memory for the output");
}

/* ---- tasks of each cpu over time, as CSV ---- */

static void print_cpu_tasks(void *context, struct sim *sim)
{
    const int32_t *cpu_count = context;

    for (int cpu = 0; cpu < *cpu_count; cpu++)
        printf("%" PRId64 ",%d,%" PRId64 "\n", sim_now_ns(sim), cpu, sim_cpu_tasks(sim, cpu));
}

/* A hundredth of a run that ends at a known time, so that any scenario makes a picture. */
static int64_t default_every_ns(const struct scenario *s)
{
    return s->until_ns == INT64_MAX ? HL_NS_PER_MS : HL_MAX(s->until_ns / 100, 1);
}

static enum hl_status play(const struct scenario *s, const struct run_options *options,
                           struct scenario_result *results, struct hl_error *err)
{
    struct timeline printer = {
        .out = stdout, .names = s->task_names, .name_count = (int32_t)s->workload.task_count};
    struct trace_sink sink = timeline_sink(&printer);
    int32_t cpu_count = s->machine.cpu_count;
    struct scenario_watch watch = {.sink = options->timeline ? &sink : NULL};

    if (options->format == FORMAT_CSV) {
        watch.look = print_cpu_tasks;
        watch.context = &cpu_count;
        watch.every_ns = options->every_ns > 0 ? options->every_ns : default_every_ns(s);
        puts("time_ns,cpu,threads");
    }
    return scenario_run(s, &watch, results, err);
}

enum hl_status cli_run_scenario(const struct run_options *options, const char *path,
                                struct hl_error *err)
{
    struct scenario s = {0};
    struct scenario_result *results = NULL;
    size_t failed = 0;
    enum hl_status status = scenario_open(&s, path, err);

    if (status == HL_OK) {
        results = hl_alloc(s.expect_count, sizeof(*results));
        if (results == NULL)
            status = hl_fail(err, HL_NO_MEMORY, "out of memory for %zu results", s.expect_count);
    }
    if (status == HL_OK)
        status = play(&s, options, results, err);
    if (status == HL_OK && options->format == FORMAT_JSON)
        status = print_json(&s, results, err);
    else if (status == HL_OK && options->format == FORMAT_TEXT)
        print_text(&s, results);
    for (size_t i = 0; status == HL_OK && i < s.expect_count; i++)
        failed += !results[i].holds;
    if (status == HL_OK && failed > 0)
        status = hl_fail(err, HL_RUN_FAILED, "%s: %zu of %zu expectations failed", path, failed,
                         s.expect_count);
    hl_free(results);
    scenario_close(&s);
    return status;
}
