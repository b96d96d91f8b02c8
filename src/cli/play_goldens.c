/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * play_goldens.c - `halfload reproduce goldens`: each record of a real kernel beside its
 * simulation.
 */
#include "cli/play_goldens.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data_dir.h"
#include "base/format.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "base/visible.h"
#include "study/golden.h"

enum { FILE_BYTES_MAX = 16 << 20, PATH_BYTES = 4096, VISIBLE_BYTES = 1024 };

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

static void print_pair(FILE *out, const char *name, double real, double simulated,
                       const char *format)
{
    fprintf(out, "  %s ", name);
    if (isnan(real))
        fprintf(out, "-");
    else
        fprintf(out, format, real);
    fprintf(out, " | ");
    if (isnan(simulated))
        fprintf(out, "-");
    else
        fprintf(out, format, simulated);
}

/* Its results say nothing that is compared. */
static bool is_bare(const struct golden *g)
{
    for (int i = 0; i < g->task_count; i++) {
        const struct golden_figures *real = &g->task[i].real;

        if (!isnan(real->share) || !isnan(real->preempt_per_s) || !isnan(real->mig_per_s) ||
            !isnan(real->wake_ms[GOLDEN_P50]) || !isnan(real->slice_ms[GOLDEN_P50]) ||
            !isnan(real->slice_ms[GOLDEN_P90]))
            return false;
    }
    return true;
}

static bool has_all_busy(const struct golden *g)
{
    return !isnan(g->real_all_busy_ms.median) || !isnan(g->simulated_all_busy_ms.median);
}

static void print_legend(FILE *out)
{
    fprintf(
        out,
        "real | simulated; inside: share +- as printed, preempt/s %d %% or one per start, mig/s a "
        "factor of %.1f or one per start (not of pinned tasks), wake p50 %.1f ms (not of hogs), "
        "slices one tick of %d ms; records in real time: shares and slices of hogs only\n",
        GOLDEN_PREEMPT_PERCENT, GOLDEN_MIGRATE_PERCENT / 100.0, GOLDEN_WAKE_US / 1000.0,
        GOLDEN_TICK_MS);
}

static void print_text(FILE *out, const struct golden *g)
{
    char id[VISIBLE_BYTES], kernel[VISIBLE_BYTES], cpus[VISIBLE_BYTES];

    fprintf(out, "%s, %s, %s%s: %s\n", hl_visible(id, sizeof(id), g->id),
            hl_visible(kernel, sizeof(kernel), g->kernel), hl_visible(cpus, sizeof(cpus), g->cpus),
            g->is_virtual_time ? "" : " (real time: shares and slices of hogs only)",
            is_bare(g)  ? "inside, as no result is recorded"
            : g->inside ? "inside"
                        : "OUTSIDE");
    for (int i = 0; i < g->task_count; i++) {
        const struct golden_task *t = &g->task[i];
        const struct golden_figures *real = &t->real, *sim = &t->simulated;

        fprintf(out, "  %-3s", hl_visible(id, sizeof(id), t->name));
        print_pair(out, "share", real->share, sim->share, "%.4f");
        fprintf(out, " +- %.3f", t->share_tolerance);
        print_pair(out, "preempt/s", real->preempt_per_s, sim->preempt_per_s, "%.1f");
        print_pair(out, "mig/s", real->mig_per_s, sim->mig_per_s, "%.2f");
        print_pair(out, "wake p50 ms", real->wake_ms[GOLDEN_P50], sim->wake_ms[GOLDEN_P50], "%.3f");
        print_pair(out, "slice p50 ms", real->slice_ms[GOLDEN_P50], sim->slice_ms[GOLDEN_P50],
                   "%.2f");
        print_pair(out, "p90 ms", real->slice_ms[GOLDEN_P90], sim->slice_ms[GOLDEN_P90], "%.2f");
        for (int w = 0; w < HL_COUNT_OF(fault_words); w++)
            if ((t->faults & fault_words[w].fault) != 0)
                fprintf(out, "  OUTSIDE: %s%s", fault_words[w].word,
                        (t->sampled_faults & fault_words[w].fault) != 0 ? "" : " (by chance)");
        fprintf(out, "\n");
    }
    if (has_all_busy(g)) {
        const struct golden_spread *real = &g->real_all_busy_ms, *sim = &g->simulated_all_busy_ms;

        fprintf(out, "  all cpus busy after the release, ms");
        print_pair(out, "least", real->least, sim->least, "%.0f");
        print_pair(out, "median", real->median, sim->median, "%.0f");
        print_pair(out, "greatest", real->greatest, sim->greatest, "%.0f");
        fprintf(out, "\n");
    }
}

/* ---- JSON ---- */

static void print_number(FILE *out, const char *key, double value, const char *end)
{
    char text[HL_EXACT_BYTES];

    fprintf(out, "\"%s\":%s%s", key, isnan(value) ? "null" : hl_format_exact(text, value), end);
}

static void print_figures(FILE *out, const char *key, const struct golden_figures *f)
{
    fprintf(out, "\"%s\":{", key);
    print_number(out, "share", f->share, ",");
    print_number(out, "preempt_per_s", f->preempt_per_s, ",");
    print_number(out, "mig_per_s", f->mig_per_s, ",");
    print_number(out, "wake_p50_ms", f->wake_ms[GOLDEN_P50], ",");
    print_number(out, "wake_p90_ms", f->wake_ms[GOLDEN_P90], ",");
    print_number(out, "slice_p50_ms", f->slice_ms[GOLDEN_P50], ",");
    print_number(out, "slice_p90_ms", f->slice_ms[GOLDEN_P90], "}");
}

static void print_tolerances(FILE *out, const struct golden_tolerance *limit)
{
    fprintf(out, "\"tolerances\":{");
    print_number(out, "share", limit->share, ",");
    print_number(out, "preempt_per_s", limit->preempt_per_s, ",");
    print_number(out, "mig_factor", limit->mig_factor, ",");
    print_number(out, "mig_per_s", limit->mig_per_s, ",");
    print_number(out, "wake_p50_ms", limit->wake_p50_ms, ",");
    print_number(out, "slice_p50_ms", limit->slice_ms, ",");
    print_number(out, "slice_p90_ms", limit->slice_ms, "},");
}

static void print_spread(FILE *out, const char *key, const struct golden_spread *s)
{
    fprintf(out, "\"%s\":{", key);
    print_number(out, "least", s->least, ",");
    print_number(out, "median", s->median, ",");
    print_number(out, "greatest", s->greatest, "}");
}

static void print_json_string(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text != '\0'; text++)
        if (*text == '"' || *text == '\\' || (unsigned char)*text < 0x20)
            fprintf(out, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            putc(*text, out);
    putc('"', out);
}

static void print_faults(FILE *out, const char *key, unsigned faults)
{
    const char *comma = "";

    fprintf(out, "\"%s\":[", key);
    for (int w = 0; w < HL_COUNT_OF(fault_words); w++)
        if ((faults & fault_words[w].fault) != 0) {
            fprintf(out, "%s\"%s\"", comma, fault_words[w].word);
            comma = ",";
        }
    fprintf(out, "]");
}

static void print_json(FILE *out, const struct golden *g)
{
    fprintf(out, "{\"id\":");
    print_json_string(out, g->id);
    fprintf(out, ",\"kernel\":");
    print_json_string(out, g->kernel);
    fprintf(out, ",\"cpus\":");
    print_json_string(out, g->cpus);
    fprintf(out, ",\"inside\":%s,", g->inside ? "true" : "false");
    fprintf(out, "\"tasks\":[");
    for (int i = 0; i < g->task_count; i++) {
        const struct golden_task *t = &g->task[i];

        fprintf(out, "%s{\"name\":", i > 0 ? "," : "");
        print_json_string(out, t->name);
        fprintf(out, ",");
        print_figures(out, "real", &t->real);
        fprintf(out, ",");
        print_figures(out, "simulated", &t->simulated);
        fprintf(out, ",");
        print_number(out, "share_tolerance", t->share_tolerance, ",");
        print_tolerances(out, &t->tolerance);
        print_faults(out, "outside", t->faults);
        fprintf(out, ",");
        print_faults(out, "outside_sampled", t->sampled_faults);
        fprintf(out, "}");
    }
    fprintf(out, "],");
    if (has_all_busy(g)) {
        fprintf(out, "\"all_cpus_busy_after_release_ms\":{");
        print_spread(out, "real", &g->real_all_busy_ms);
        fprintf(out, ",");
        print_spread(out, "simulated", &g->simulated_all_busy_ms);
        fprintf(out, "},");
    }
    fprintf(out, "\"inside_sampled\":%s}", g->inside_sampled ? "true" : "false");
}

/* ---- all of them ---- */

struct totals {
    int inside, inside_sampled, of;
};

static void print_totals(FILE *out, enum cli_format format, const struct totals *totals)
{
    if (format == FORMAT_JSON)
        fprintf(out, "],\"inside\":%d,\"of\":%d,\"inside_sampled\":%d}\n", totals->inside,
                totals->of, totals->inside_sampled);
    else
        fprintf(out,
                "inside all tolerances: %d of %d (means over %d starts)\n"
                "the sampling error of record and simulation allowed for: %d of %d\n",
                totals->inside, totals->of, GOLDEN_STARTS, totals->inside_sampled, totals->of);
}

static enum hl_status play_one(const struct goldens_request *request, FILE *out, struct golden *g,
                               struct totals *totals, struct hl_error *err)
{
    HL_TRY(golden_play(g, GOLDEN_STARTS, request->seed, err));
    golden_judge(g);
    if (request->format == FORMAT_JSON) {
        fprintf(out, "%s", totals->of > 0 ? ",\n" : "");
        print_json(out, g);
    } else {
        if (totals->of == 0)
            print_legend(out);
        print_text(out, g);
    }
    totals->inside += g->inside;
    totals->inside_sampled += g->inside_sampled;
    totals->of++;
    return HL_OK;
}

/* Each word of `only` is one of ids[count]; one id may stand for several records. */
static enum hl_status check_only(const char *only, const char *file, const char *const *ids,
                                 int count, struct hl_error *err)
{
    for (const char *at = only; at != NULL; at = strchr(at, ','), at = at == NULL ? NULL : at + 1) {
        char word[GOLDEN_WORD_BYTES_MAX + 1];
        int i = 0;

        if (*at == ',' || *at == '\0')
            return hl_fail(err, HL_USAGE, "--only \"%.64s\": expected names of records, such as %s",
                           only, ids[0]);
        (void)hl_format(word, sizeof(word), "%.*s", (int)HL_MIN(strcspn(at, ","), sizeof(word) - 1),
                        at);
        while (i < count && strcmp(ids[i], word) != 0)
            i++;
        if (i == count)
            return hl_fail_unknown(err, HL_USAGE, file, "record", word, ids, count);
    }
    return HL_OK;
}

/* All records can be played, and those asked for are there; `ids` has room for all. */
static enum hl_status check_file(const struct goldens_request *request, const struct hl_json *file,
                                 const struct hl_json_node *list, size_t count, struct golden *g,
                                 const char **ids, struct hl_error *err)
{
    struct hl_json_node root = hl_json_root(file);
    struct hl_error why;
    int id_count = 0;

    if (count == 0)
        return hl_json_fail(list, err, "found no record, expected some");
    for (size_t i = 0; i < count; i++) {
        struct hl_json_node node = hl_json_item(list, i);
        int k = 0;

        HL_TRY(golden_read(g, &root, &node, err));
        if (golden_check(g, &why) != HL_OK)
            return hl_json_fail(&node, err, "found what cannot be played, in the scenario %s",
                                why.text);
        while (k < id_count && strcmp(ids[k], g->id) != 0)
            k++;
        if (k == id_count)
            ids[id_count++] = g->id;
    }
    return request->only == NULL ? HL_OK
                                 : check_only(request->only, file->name, ids, id_count, err);
}

static enum hl_status play_list(const struct goldens_request *request, FILE *out,
                                const struct hl_json *file, const struct hl_json_node *list,
                                size_t count, struct golden *g, struct hl_error *err)
{
    struct hl_json_node root = hl_json_root(file);
    struct totals totals = {0};

    if (request->format == FORMAT_JSON)
        fprintf(out, "{\"goldens\":[");
    for (size_t i = 0; i < count; i++) {
        struct hl_json_node node = hl_json_item(list, i);

        HL_TRY(golden_read(g, &root, &node, err));
        if (request->only == NULL || is_listed(request->only, g->id))
            HL_TRY(play_one(request, out, g, &totals, err));
    }
    print_totals(out, request->format, &totals);
    return HL_OK;
}

/* JSON is printed when all is done, so that there is none in front of an error. */
static enum hl_status print_list(const struct goldens_request *request, const struct hl_json *file,
                                 const struct hl_json_node *list, size_t count, struct golden *g,
                                 struct hl_error *err)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = request->format == FORMAT_JSON ? open_memstream(&text, &bytes) : stdout;
    enum hl_status status;

    if (out == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for what is printed");
    status = play_list(request, out, file, list, count, g, err);
    if (out != stdout) {
        if (fclose(out) != 0 && status == HL_OK)
            status = hl_fail(err, HL_NO_MEMORY, "out of memory for what is printed");
        if (status == HL_OK)
            (void)fwrite(text, 1, bytes, stdout);
        free(text);
    }
    return status;
}

static void warn_of_typo(const struct hl_json_node *key, const char *near)
{
    char where[512];

    hl_json_where(key, where, sizeof(where));
    cli_warn("%s: found the unknown key \"%.64s\", taken as a note; did you mean \"%s\"?", where,
             key->key, near);
}

static enum hl_status play_file(const struct goldens_request *request, const struct hl_json *file,
                                struct hl_error *err)
{
    struct hl_json_node root = hl_json_root(file), list;
    struct golden *g;
    const char **ids;
    enum hl_status status;
    size_t count;

    HL_TRY(hl_json_member(&root, "workloads", &list, err));
    HL_TRY(hl_json_array(&list, &count, err));
    g = hl_alloc(1, sizeof(*g));
    ids = hl_alloc(HL_MAX(count, (size_t)1), sizeof(*ids));
    status = g == NULL || ids == NULL ? hl_fail(err, HL_NO_MEMORY, "out of memory for a record")
                                      : check_file(request, file, &list, count, g, ids, err);
    if (status == HL_OK) {
        golden_find_typos(&root, warn_of_typo);
        status = print_list(request, file, &list, count, g, err);
    }
    hl_free(ids);
    hl_free(g);
    return status;
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
