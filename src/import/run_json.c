/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_json.c - our own JSON: what `--format json` writes (docs/formats.md).
 *
 *     {"schema":1,"runs":[{"source":"host","workload":"kernbench","load":"half","level":3, ...,
 *      "elapsed_s":81.6,"user_s":null,"reasons":{"user_s":"why it was not had"}}]}
 *
 * Beside the runs may stand "study", the name of the study, and "fingerprint", an object. Of a run
 * workload, load and run must be there; of the rest what is missing has the value that means "not
 * known". A run keeps its source: it was simulated or measured, wherever that was.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "import/reader.h"

enum { SCHEMA = 1 };

/* Keys of a run that are no metrics. */
static const char *const key_table[] = {"source",  "workload", "load",        "level",   "policy",
                                        "variant", "machine",  "seed",        "block",   "run",
                                        "status",  "order",    "exit_status", "boot_id", "note",
                                        "reasons", "extra",    "parts"};

static enum hl_status read_text(const struct hl_json_node *run, const char *key, char *field,
                                size_t bytes, struct hl_error *err)
{
    struct hl_json_node node;
    const char *text;

    HL_TRY(hl_json_member_if_any(run, key, &node, err));
    if (node.value == NULL || json_is_null(node.value))
        return HL_OK;
    HL_TRY(hl_json_string(&node, 0, bytes - 1, &text, err));
    (void)snprintf(field, bytes, "%s", text);
    return HL_OK;
}

static enum hl_status read_int(const struct hl_json_node *run, const char *key, int64_t least,
                               int64_t most, int64_t *value, struct hl_error *err)
{
    struct hl_json_node node;

    HL_TRY(hl_json_member_if_any(run, key, &node, err));
    if (node.value == NULL || json_is_null(node.value))
        return HL_OK;
    return hl_json_int(&node, least, most, value, err);
}

static enum hl_status read_int32(const struct hl_json_node *run, const char *key, int32_t least,
                                 int32_t *value, struct hl_error *err)
{
    int64_t number = *value;

    HL_TRY(read_int(run, key, least, INT32_MAX, &number, err));
    *value = (int32_t)number;
    return HL_OK;
}

/* One of a few words: its index, or what *index was if the key is not there. */
static enum hl_status read_word(const struct hl_json_node *run, const char *key,
                                const char *const *words, int count, int *index,
                                struct hl_error *err)
{
    struct hl_json_node node;
    const char *text;

    HL_TRY(hl_json_member_if_any(run, key, &node, err));
    if (node.value == NULL)
        return HL_OK;
    HL_TRY(hl_json_string(&node, 0, 64, &text, err));
    for (*index = 0; *index < count; ++*index)
        if (strcmp(words[*index], text) == 0)
            return HL_OK;
    return hl_json_fail_unknown(&node, err, key, text, words, count);
}

static enum hl_status read_status(const struct hl_json_node *node, struct run *run,
                                  struct hl_error *err)
{
    const char *words[RUN_STATUS_COUNT];
    int index = -1;

    for (int i = 0; i < RUN_STATUS_COUNT; i++)
        words[i] = run_status_name((enum run_status)i);
    HL_TRY(read_int32(node, "exit_status", INT32_MIN, &run->exit_status, err));
    HL_TRY(read_word(node, "status", words, RUN_STATUS_COUNT, &index, err));
    if (index < 0)
        run->status = run->exit_status == 0 ? RUN_OK : RUN_FAILED;
    else
        run->status = (enum run_status)index;
    return HL_OK;
}

static enum hl_status read_source(const struct hl_json_node *node, struct run *run,
                                  struct hl_error *err)
{
    const char *words[RUN_SOURCE_COUNT];
    int index = RUN_IMPORT;

    for (int i = 0; i < RUN_SOURCE_COUNT; i++)
        words[i] = run_source_name((enum run_source)i);
    HL_TRY(read_word(node, "source", words, RUN_SOURCE_COUNT, &index, err));
    run->source = (enum run_source)index;
    return HL_OK;
}

/* {"K":"V"} as "K=V"; {"variant":"A"} alone is the plain "A". */
static enum hl_status read_variant(const struct hl_json_node *node, struct run *run,
                                   struct hl_error *err)
{
    struct hl_json_node variant, item;
    void *iterator = NULL;

    HL_TRY(hl_json_member_if_any(node, "variant", &variant, err));
    if (variant.value == NULL || json_is_null(variant.value))
        return HL_OK;
    HL_TRY(hl_json_object(&variant, err));
    while (hl_json_next_member(&variant, &iterator, &item)) {
        struct hl_error why;
        const char *text;

        HL_TRY(hl_json_string(&item, 0, sizeof(run->variant), &text, err));
        if (json_object_size(variant.value) == 1 && strcmp(item.key, "variant") == 0 &&
            strchr(text, '=') == NULL && IMPORT_COPY(run->variant, text))
            return HL_OK;
        if (run_variant_set(run, item.key, text, &why) != HL_OK)
            return hl_json_fail(&item, err, "%s", why.text);
    }
    return HL_OK;
}

static enum hl_status read_identity(const struct hl_json_node *node, struct run *run,
                                    struct hl_error *err)
{
    struct hl_json_node member;
    const char *load;
    int64_t seed = 0;
    bool fits;

    HL_TRY(read_source(node, run, err));
    HL_TRY(hl_json_member(node, "workload", &member, err));
    HL_TRY(read_text(node, "workload", run->workload, sizeof(run->workload), err));
    HL_TRY(hl_json_member(node, "load", &member, err));
    HL_TRY(hl_json_string(&member, 1, sizeof(run->load) - 1, &load, err));
    fits = import_set_load(run, load);
    assert(fits);
    HL_TRY(read_int(node, "level", 0, INT64_MAX, &run->level, err));
    HL_TRY(read_text(node, "policy", run->policy, sizeof(run->policy), err));
    HL_TRY(read_text(node, "machine", run->machine, sizeof(run->machine), err));
    HL_TRY(read_text(node, "boot_id", run->boot_id, sizeof(run->boot_id), err));
    HL_TRY(read_text(node, "note", run->note, sizeof(run->note), err));
    HL_TRY(read_int(node, "seed", 0, INT64_MAX, &seed, err));
    run->seed = (uint64_t)seed;
    HL_TRY(hl_json_member(node, "run", &member, err));
    HL_TRY(read_int32(node, "run", 0, &run->run, err));
    HL_TRY(read_int32(node, "block", 0, &run->block, err));
    HL_TRY(read_int32(node, "order", 0, &run->order, err));
    return read_variant(node, run, err);
}

static enum hl_status read_reasons(const struct hl_json_node *node, struct run *run,
                                   struct hl_error *err)
{
    struct hl_json_node reasons, reason;
    void *iterator = NULL;

    HL_TRY(hl_json_member_if_any(node, "reasons", &reasons, err));
    if (reasons.value == NULL)
        return HL_OK;
    HL_TRY(hl_json_object(&reasons, err));
    while (hl_json_next_member(&reasons, &iterator, &reason)) {
        int metric = run_metric_find(reason.key);
        const char *text;

        HL_TRY(hl_json_string(&reason, 1, 4096, &text, err));
        if (metric >= 0) /* of a metric that was had: how */
            run->reason[metric] = run_reason_keep(text);
    }
    return HL_OK;
}

/* Figures of a run, or of a part of it if `part` is not NULL. */
struct figures {
    struct run *run;
    const char *part;
};

static enum hl_status read_metric(const struct hl_json_node *member, const struct figures *figures,
                                  int metric, struct hl_error *err)
{
    struct hl_error why;
    const char *expected;
    double value;

    if (json_is_null(member->value))
        return HL_OK;
    HL_TRY(hl_json_double(member, &value, err));
    if (!import_is_figure(metric, value, &expected))
        return hl_json_fail(member, err, "found %g, expected %s", value, expected);
    if (figures->part == NULL)
        run_set(figures->run, (enum run_metric)metric, value);
    else if (run_part_set(figures->run, figures->part, metric, value, &why) != HL_OK)
        return hl_json_fail(member, err, "%s", why.text);
    return HL_OK;
}

/* Metrics of the result's own: {"latency_ms":{"value":2.5,"unit":"ms","better":"lower"}}. */
static enum hl_status read_extra(const struct hl_json_node *node, const struct figures *figures,
                                 struct hl_error *err)
{
    const char *words[RUN_BETTER_COUNT];
    struct hl_json_node extra, item, value;
    void *iterator = NULL;

    for (int i = 0; i < RUN_BETTER_COUNT; i++)
        words[i] = run_better_name((enum run_better)i);
    HL_TRY(hl_json_member_if_any(node, "extra", &extra, err));
    if (extra.value == NULL)
        return HL_OK;
    HL_TRY(hl_json_object(&extra, err));
    while (hl_json_next_member(&extra, &iterator, &item)) {
        int better = (int)run_metric_better_of(item.key), metric;
        struct hl_error why;
        char unit[32] = "";

        HL_TRY(hl_json_member(&item, "value", &value, err));
        HL_TRY(read_text(&item, "unit", unit, sizeof(unit), err));
        HL_TRY(read_word(&item, "better", words, RUN_BETTER_COUNT, &better, err));
        if (item.key[0] == '\0' || strlen(item.key) > 63)
            return hl_json_fail(&item, err, "expected a name of 1 to 63 bytes");
        if (run_metric_add(item.key, unit, (enum run_better)better, &metric, &why) != HL_OK)
            return hl_json_fail(&item, err, "%s", why.text);
        HL_TRY(read_metric(&value, figures, metric, err));
    }
    return HL_OK;
}

/* All keys are known ones or metrics; a key that is neither is nearly always a wrong one. */
static enum hl_status read_metrics(const struct hl_json_node *node, const char *const *keys,
                                   int key_count, const struct figures *figures,
                                   struct hl_error *err)
{
    const char *known[HL_COUNT_OF(key_table) + RUN_METRIC_COUNT];
    int count = key_count + RUN_METRIC_COUNT;
    struct hl_json_node member;
    void *iterator = NULL;

    assert(key_count <= HL_COUNT_OF(key_table));
    for (int i = 0; i < key_count; i++)
        known[i] = keys[i];
    for (int i = 0; i < RUN_METRIC_COUNT; i++)
        known[key_count + i] = run_metric_table[i].name;
    while (hl_json_next_member(node, &iterator, &member)) {
        int i = 0;

        while (i < count && strcmp(known[i], member.key) != 0)
            i++;
        if (i == count)
            return hl_json_fail_unknown(node, err, "key", member.key, known, count);
        if (i >= key_count)
            HL_TRY(read_metric(&member, figures, i - key_count, err));
    }
    return HL_OK;
}

/* [{"name":"order 1000","elapsed_s":0.09,"extra":{...}}] */
static enum hl_status read_parts(const struct hl_json_node *node, struct run *run,
                                 struct hl_error *err)
{
    static const char *const keys[] = {"name", "extra"};
    struct hl_json_node parts, name;
    struct figures figures = {.run = run};
    size_t count;

    HL_TRY(hl_json_member_if_any(node, "parts", &parts, err));
    if (parts.value == NULL)
        return HL_OK;
    HL_TRY(hl_json_array(&parts, &count, err));
    for (size_t i = 0; i < count; i++) {
        struct hl_json_node part = hl_json_item(&parts, i);

        HL_TRY(hl_json_object(&part, err));
        HL_TRY(hl_json_member(&part, "name", &name, err));
        HL_TRY(hl_json_string(&name, 1, RUN_PART_BYTES - 1, &figures.part, err));
        if (run_part_find(run, figures.part) != NULL)
            return hl_json_fail(&name, err, "found '%s' again, expected each part once",
                                figures.part);
        HL_TRY(read_metrics(&part, keys, HL_COUNT_OF(keys), &figures, err));
        HL_TRY(read_extra(&part, &figures, err));
    }
    return HL_OK;
}

static enum hl_status read_run(const struct import_source *source, const struct hl_json_node *node,
                               const char *study, struct hl_error *err)
{
    struct run run;
    const struct figures figures = {.run = &run};
    struct run_list *runs = &source->result->runs;
    size_t index;

    HL_TRY(hl_json_object(node, err));
    import_run_init(source, &run, "not in the imported file");
    HL_TRY(read_identity(node, &run, err));
    HL_TRY(read_status(node, &run, err));
    HL_TRY(read_metrics(node, key_table, HL_COUNT_OF(key_table), &figures, err));
    HL_TRY(read_extra(node, &figures, err));
    HL_TRY(read_reasons(node, &run, err));
    HL_TRY(import_apply_options(source, &run, err));
    HL_TRY(import_find(source->result, &run, study, &index, err));
    if (index < runs->count)
        return hl_json_fail(
            node, err, "found run %d of %s at load %s again, expected each run once%s", run.run,
            run.workload, run.load, index < source->first ? " (it is in an earlier file)" : "");
    HL_TRY(import_add(source, &run, study, err));
    /* Parts go into the list's own copy, which is closed with it. */
    return read_parts(node, &runs->runs[runs->count - 1], err);
}

/* Kept as the text it is: what is in it is known to whoever takes and compares fingerprints. */
static enum hl_status read_fingerprint(const struct import_source *source,
                                       const struct hl_json_node *root, struct hl_error *err)
{
    struct hl_json_node fingerprint;

    hl_free(source->result->fingerprint);
    source->result->fingerprint = NULL;
    HL_TRY(hl_json_member_if_any(root, "fingerprint", &fingerprint, err));
    if (fingerprint.value == NULL)
        return HL_OK;
    HL_TRY(hl_json_object(&fingerprint, err));
    source->result->fingerprint = json_dumps(fingerprint.value, JSON_COMPACT);
    if (source->result->fingerprint == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the fingerprint in %s", source->name);
    return HL_OK;
}

enum hl_status import_run_json(const struct import_source *source, const struct hl_json_node *root,
                               struct hl_error *err)
{
    char study[IMPORT_STUDY_BYTES] = "";
    struct hl_json_node schema, runs;
    int64_t version;
    size_t count;

    HL_TRY(import_refuse_load(source, "halfload's JSON", err));
    HL_TRY(hl_json_member(root, "schema", &schema, err));
    HL_TRY(hl_json_int(&schema, SCHEMA, SCHEMA, &version, err));
    HL_TRY(read_text(root, "study", study, sizeof(study), err));
    HL_TRY(read_fingerprint(source, root, err));
    HL_TRY(hl_json_member(root, "runs", &runs, err));
    HL_TRY(hl_json_array(&runs, &count, err));
    for (size_t i = 0; i < count; i++) {
        struct hl_json_node node = hl_json_item(&runs, i);

        HL_TRY(read_run(source, &node, study, err));
    }
    return HL_OK;
}
