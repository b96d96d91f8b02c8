/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * processes.c - reads the processes of a measured build from a profile.
 *
 *     "processes": {
 *       "cc1": { "count": 578, "quantiles": [[0.05, 5.7], [0.5, 195], [1, 1980]], "unit": "ms",
 *                "source": "measured: kernel.txt" },
 *       "rm": { "count": 933, "quantiles": [[0.5, 0.9]], "unit": "ms", "forked_by": "unit", ... } },
 *     "directory_units": { "quantiles": [[0.5, 4], [1, 71]], "unit": "count", "source": ... }
 */
#include "workload/processes.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "machine/costs.h"

/* With PROCESS_COUNT_MAX, so that no sum of cpu times overflows. */
enum { ROLE_COUNT = 5, VALUE_MAX_S = 1000 };

/* What a build consists of at least. */
static const char *const roles[ROLE_COUNT] = {"make", "sh", "gcc", "cc1", "as"};

int64_t process_quantile(const struct process_quantiles *table, int64_t index, int64_t count)
{
    int64_t place_ppm = (index + 1) * HL_PPM / count;
    int32_t k = 0;

    assert(table->count > 0);
    while (k < table->count && table->place_ppm[k] < place_ppm)
        k++;
    if (k == 0)
        return table->value[0];
    if (k == table->count)
        return table->value[k - 1];
    return table->value[k - 1] + (table->value[k] - table->value[k - 1]) *
                                     (place_ppm - table->place_ppm[k - 1]) /
                                     (table->place_ppm[k] - table->place_ppm[k - 1]);
}

int64_t processes_total(const struct processes *processes)
{
    int64_t sum = 0;

    for (int32_t i = 0; i < processes->count; i++)
        sum += processes->kinds[i].count;
    return sum;
}

const struct process_kind *process_find(const struct processes *processes, const char *name)
{
    for (int32_t i = 0; i < processes->count; i++)
        if (strcmp(processes->kinds[i].name, name) == 0)
            return &processes->kinds[i];
    return NULL;
}

void processes_close(struct processes *processes)
{
    for (int32_t i = 0; i < processes->count; i++)
        hl_free(processes->kinds[i].source);
    hl_free(processes->kinds);
    hl_free(processes->directory_source);
    *processes = (struct processes){0};
}

enum hl_status processes_add(struct processes *processes, const char *name, const char *source,
                             struct process_kind **kind, struct hl_error *err)
{
    assert(processes->count < PROCESS_KINDS_MAX);
    if (processes->kinds == NULL)
        processes->kinds = hl_alloc(PROCESS_KINDS_MAX, sizeof(*processes->kinds));
    if (processes->kinds == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the processes of a profile");
    *kind = &processes->kinds[processes->count];
    (*kind)->source = hl_strdup(source);
    if ((*kind)->source == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the source of a process");
    (void)snprintf((*kind)->name, sizeof((*kind)->name), "%s", name);
    processes->count++;
    return HL_OK;
}

/* One of "ns", "us", "ms", "s"; or "count". */
static enum hl_status read_unit(const struct hl_json_node *node, bool is_time, int64_t *scale,
                                struct hl_error *err)
{
    static const char *const times[] = {"ns", "us", "ms", "s"}, *const counts[] = {"count"};
    static const int64_t scales[] = {1, HL_NS_PER_US, HL_NS_PER_MS, HL_NS_PER_S};
    const char *const *known = is_time ? times : counts;
    int count = is_time ? HL_COUNT_OF(times) : HL_COUNT_OF(counts);
    struct hl_json_node member;
    const char *text;

    HL_TRY(hl_json_member(node, "unit", &member, err));
    HL_TRY(hl_json_string(&member, 1, 32, &text, err));
    for (int i = 0; i < count; i++)
        if (strcmp(known[i], text) == 0) {
            *scale = scales[i];
            return HL_OK;
        }
    return hl_json_fail_unknown(&member, err, "unit", text, known, count);
}

static enum hl_status read_knot(const struct hl_json_node *pair, int64_t scale, int64_t least,
                                struct process_quantiles *table, struct hl_error *err)
{
    int32_t k = table->count;
    int64_t before_ppm = k == 0 ? -1 : table->place_ppm[k - 1], place_ppm, value;
    int64_t before = k == 0 ? least : table->value[k - 1];
    struct hl_json_node item;
    size_t length;

    HL_TRY(hl_json_array(pair, &length, err));
    if (length != 2)
        return hl_json_fail(pair, err, "has %zu items; expected a place and a value", length);
    item = hl_json_item(pair, 0);
    HL_TRY(hl_json_decimal(&item, HL_PPM, 0, HL_PPM, &place_ppm, err));
    if (place_ppm <= before_ppm)
        return hl_json_fail(&item, err,
                            "is not above the place before it; expected ascending ones");
    item = hl_json_item(pair, 1);
    HL_TRY(hl_json_decimal(&item, scale, least, VALUE_MAX_S * HL_NS_PER_S, &value, err));
    if (value < before)
        return hl_json_fail(&item, err,
                            "is below the value before it; expected values that do not descend");
    table->place_ppm[k] = (int32_t)place_ppm;
    table->value[k] = value;
    table->count++;
    return HL_OK;
}

static enum hl_status read_quantiles(const struct hl_json_node *node, bool is_time,
                                     struct process_quantiles *table, struct hl_error *err)
{
    struct hl_json_node list, pair;
    int64_t scale = 1;
    size_t count;

    HL_TRY(read_unit(node, is_time, &scale, err));
    HL_TRY(hl_json_member(node, "quantiles", &list, err));
    HL_TRY(hl_json_array(&list, &count, err));
    if (count < 1 || count > PROCESS_KNOTS_MAX)
        return hl_json_fail(&list, err, "has %zu items; expected 1 to %d", count,
                            PROCESS_KNOTS_MAX);
    for (size_t i = 0; i < count; i++) {
        pair = hl_json_item(&list, i);
        HL_TRY(read_knot(&pair, scale, is_time ? 0 : 1, table, err));
    }
    return HL_OK;
}

static enum hl_status read_kind(struct processes *processes, const struct hl_json_node *node,
                                struct hl_error *err)
{
    static const char *const keys[] = {"count", "quantiles", "unit", "forked_by", "source", "note"};
    static const char *const forkers[] = {"make", "unit"};
    struct hl_json_node member;
    struct process_kind *kind;
    const char *source, *text;

    if (processes->count == PROCESS_KINDS_MAX)
        return hl_json_fail(node, err, "is the %dth name; expected at most %d",
                            PROCESS_KINDS_MAX + 1, PROCESS_KINDS_MAX);
    if (strlen(node->key) == 0 || strlen(node->key) >= PROCESS_NAME_BYTES)
        return hl_json_fail(node, err, "is a name of %zu bytes; expected 1 to %d",
                            strlen(node->key), PROCESS_NAME_BYTES - 1);
    HL_TRY(hl_json_check_keys(node, keys, HL_COUNT_OF(keys), err));
    HL_TRY(machine_source_read(node, &source, err));
    HL_TRY(processes_add(processes, node->key, source, &kind, err));
    HL_TRY(hl_json_member(node, "count", &member, err));
    HL_TRY(hl_json_int(&member, 1, PROCESS_COUNT_MAX, &kind->count, err));
    if (processes_total(processes) > PROCESS_COUNT_MAX)
        return hl_json_fail(&member, err, "makes %" PRId64 " processes in all; expected at most %d",
                            processes_total(processes), PROCESS_COUNT_MAX);
    HL_TRY(read_quantiles(node, true, &kind->cpu_ns, err));
    HL_TRY(hl_json_member_if_any(node, "forked_by", &member, err));
    if (member.value == NULL)
        return HL_OK;
    HL_TRY(hl_json_string(&member, 1, 32, &text, err));
    kind->is_of_make = strcmp(text, forkers[0]) == 0;
    if (!kind->is_of_make && strcmp(text, forkers[1]) != 0)
        return hl_json_fail_unknown(&member, err, "forker", text, forkers, HL_COUNT_OF(forkers));
    return HL_OK;
}

enum hl_status processes_read(struct processes *processes, const struct hl_json_node *root,
                              struct hl_error *err)
{
    static const char *const keys[] = {"quantiles", "unit", "source", "note"};
    struct hl_json_node list, member;
    void *iterator = NULL;
    const char *source;

    HL_TRY(hl_json_member_if_any(root, "processes", &list, err));
    if (list.value != NULL) {
        HL_TRY(hl_json_object(&list, err));
        while (hl_json_next_member(&list, &iterator, &member))
            HL_TRY(read_kind(processes, &member, err));
        for (int i = 0; i < ROLE_COUNT; i++)
            if (process_find(processes, roles[i]) == NULL)
                return hl_json_fail(&list, err, "has no %s; expected make, sh, gcc, cc1 and as",
                                    roles[i]);
    }
    HL_TRY(hl_json_member_if_any(root, "directory_units", &member, err));
    if (member.value == NULL)
        return HL_OK;
    if (list.value == NULL)
        return hl_json_fail(&member, err, "stands without processes; expected these too");
    HL_TRY(hl_json_check_keys(&member, keys, HL_COUNT_OF(keys), err));
    HL_TRY(machine_source_read(&member, &source, err));
    processes->directory_source = hl_strdup(source);
    if (processes->directory_source == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the source of directory_units");
    return read_quantiles(&member, false, &processes->directory_units, err);
}
