/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * play_goldens.c - `halfload reproduce goldens`: each record of a real kernel beside its
 * simulation.
 */
#include "cli/play_goldens.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/data_dir.h"
#include "base/format.h"
#include "base/memory.h"
#include "base/units.h"
#include "study/golden.h"

enum { FILE_BYTES_MAX = 16 << 20, PATH_BYTES = 4096 };

static const struct {
    unsigned fault;
    const char *word;
} fault_words[] = {
    {GOLDEN_SHARE, "share"},  {GOLDEN_PREEMPT, "preemptions"}, {GOLDEN_MIGRATE, "migrations"},
    {GOLDEN_WAKE, "wake-up"}, {GOLDEN_SLICE, "slices"},
};

/* "h3" is in "h3,p6". */
static bool is_listed(const char *list, const char *id)
{
    size_t length = strlen(id);

    for (const char *at = list; at != NULL; at = strchr(at, ','), at = at == NULL ? NULL : at + 1)
        if (strncmp(at, id, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

/* ---- text ---- */

static void print_pair(const char *name, double real, double simulated, const char *format)
{
    printf("  %s ", name);
    if (isnan(real))
        printf("-");
    else
        printf(format, real);
    printf(" | ");
    if (isnan(simulated))
        printf("-");
    else
        printf(format, simulated);
}

static void print_text(const struct golden *g)
{
    printf("%s, %s, %s%s: %s\n", g->id, g->kernel, g->cpus,
           g->is_virtual_time ? "" : " (real time: shares and slices of hogs only)",
           g->inside ? "inside" : "OUTSIDE");
    for (int i = 0; i < g->task_count; i++) {
        const struct golden_task *t = &g->task[i];
        const struct golden_figures *real = &t->real, *sim = &t->simulated;

        printf("  %-3s", t->name);
        print_pair("share", real->share, sim->share, "%.4f");
        printf(" +- %.3f", t->share_tolerance);
        print_pair("preempt/s", real->preempt_per_s, sim->preempt_per_s, "%.1f");
        print_pair("mig/s", real->mig_per_s, sim->mig_per_s, "%.2f");
        print_pair("wake p50 ms", real->wake_ms[GOLDEN_P50], sim->wake_ms[GOLDEN_P50], "%.3f");
        print_pair("slice p50 ms", real->slice_ms[GOLDEN_P50], sim->slice_ms[GOLDEN_P50], "%.2f");
        print_pair("p90 ms", real->slice_ms[GOLDEN_P90], sim->slice_ms[GOLDEN_P90], "%.2f");
        for (int w = 0; w < HL_COUNT_OF(fault_words); w++)
            if ((t->faults & fault_words[w].fault) != 0)
                printf("  OUTSIDE: %s", fault_words[w].word);
        printf("\n");
    }
}

/* ---- JSON ---- */

static void print_number(const char *key, double value, const char *end)
{
    char text[HL_EXACT_BYTES];

    printf("\"%s\":%s%s", key, isnan(value) ? "null" : hl_format_exact(text, value), end);
}

static void print_figures(const char *key, const struct golden_figures *f)
{
    printf("\"%s\":{", key);
    print_number("share", f->share, ",");
    print_number("preempt_per_s", f->preempt_per_s, ",");
    print_number("mig_per_s", f->mig_per_s, ",");
    print_number("wake_p50_ms", f->wake_ms[GOLDEN_P50], ",");
    print_number("wake_p90_ms", f->wake_ms[GOLDEN_P90], ",");
    print_number("slice_p50_ms", f->slice_ms[GOLDEN_P50], ",");
    print_number("slice_p90_ms", f->slice_ms[GOLDEN_P90], "}");
}

static void print_json_string(const char *text)
{
    putchar('"');
    for (; *text != '\0'; text++)
        if (*text == '"' || *text == '\\' || (unsigned char)*text < 0x20)
            printf("\\u%04x", (unsigned)(unsigned char)*text);
        else
            putchar(*text);
    putchar('"');
}

static void print_json(const struct golden *g)
{
    printf("{\"id\":");
    print_json_string(g->id);
    printf(",\"kernel\":");
    print_json_string(g->kernel);
    printf(",\"cpus\":");
    print_json_string(g->cpus);
    printf(",\"inside\":%s,", g->inside ? "true" : "false");
    printf("\"tasks\":[");
    for (int i = 0; i < g->task_count; i++) {
        const struct golden_task *t = &g->task[i];
        const char *comma = "";

        printf("%s{\"name\":", i > 0 ? "," : "");
        print_json_string(t->name);
        printf(",");
        print_figures("real", &t->real);
        printf(",");
        print_figures("simulated", &t->simulated);
        printf(",");
        print_number("share_tolerance", t->share_tolerance, ",\"outside\":[");
        for (int w = 0; w < HL_COUNT_OF(fault_words); w++)
            if ((t->faults & fault_words[w].fault) != 0) {
                printf("%s\"%s\"", comma, fault_words[w].word);
                comma = ",";
            }
        printf("]}");
    }
    printf("],\"inside_but_rare\":%s}", g->inside_but_rare ? "true" : "false");
}

/* ---- all of them ---- */

struct totals {
    int inside, inside_but_rare, of;
};

static enum hl_status play_one(const struct goldens_request *request, struct golden *g,
                               struct totals *totals, struct hl_error *err)
{
    HL_TRY(golden_play(g, GOLDEN_STARTS, request->seed, err));
    golden_judge(g);
    if (request->format == FORMAT_JSON) {
        printf("%s", totals->of > 0 ? ",\n" : "");
        print_json(g);
    } else {
        print_text(g);
    }
    totals->inside += g->inside;
    totals->inside_but_rare += g->inside_but_rare;
    totals->of++;
    return HL_OK;
}

static enum hl_status play_file(const struct goldens_request *request, const struct hl_json *file,
                                struct hl_error *err)
{
    struct hl_json_node root = hl_json_root(file), list;
    struct golden *g = hl_alloc(1, sizeof(*g));
    struct totals totals = {0};
    enum hl_status status = HL_OK;
    size_t count = 0;

    if (g == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for a record");
    status = hl_json_member(&root, "workloads", &list, err);
    if (status == HL_OK)
        status = hl_json_array(&list, &count, err);
    if (status == HL_OK && request->format == FORMAT_JSON)
        printf("{\"goldens\":[");
    for (size_t i = 0; i < count && status == HL_OK; i++) {
        struct hl_json_node node = hl_json_item(&list, i);

        status = golden_read(g, &root, &node, err);
        if (status == HL_OK && (request->only == NULL || is_listed(request->only, g->id)))
            status = play_one(request, g, &totals, err);
    }
    hl_free(g);
    HL_TRY(status);
    if (request->format == FORMAT_JSON)
        printf("],\"inside\":%d,\"of\":%d,\"inside_but_rare\":%d}\n", totals.inside, totals.of,
               totals.inside_but_rare);
    else
        printf(
            "inside all tolerances: %d of %d (means over %d starts)\n"
            "without preemptions and slices of tasks preempted less than 5 times a second: %d of "
            "%d\n",
            totals.inside, totals.of, GOLDEN_STARTS, totals.inside_but_rare, totals.of);
    if (totals.of == 0)
        return hl_fail(err, HL_USAGE, "no record has an id of \"%.200s\"; expected some of %s",
                       request->only == NULL ? "" : request->only, file->name);
    return HL_OK;
}

enum hl_status play_goldens(const struct goldens_request *request, struct hl_error *err)
{
    char path[PATH_BYTES];
    struct hl_json file = {0};
    enum hl_status status;

    if (request->path != NULL) {
        status = hl_json_open(&file, request->path, FILE_BYTES_MAX, err);
    } else {
        HL_TRY(hl_data_path(path, sizeof(path), "goldens", "real-kernels", ".json", err));
        status = hl_json_open(&file, path, FILE_BYTES_MAX, err);
    }
    if (status == HL_OK)
        status = play_file(request, &file, err);
    hl_json_close(&file);
    return status;
}
