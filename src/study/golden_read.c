/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * golden_read.c - records of real kernels from JSON.
 */
#include "study/golden.h"

#include <math.h>
#include <string.h>

#include "base/format.h"
#include "base/units.h"

static enum hl_status read_text(const struct hl_json_node *object, const char *key, char *text,
                                size_t bytes, struct hl_error *err)
{
    struct hl_json_node member;
    const char *value;

    HL_TRY(hl_json_member(object, key, &member, err));
    HL_TRY(hl_json_string(&member, 1, bytes - 1, &value, err));
    (void)hl_format(text, bytes, "%s", value);
    return HL_OK;
}

/* A whole number that may be left out. */
static enum hl_status read_int(const struct hl_json_node *object, const char *key, int64_t min,
                               int64_t max, int64_t *value, struct hl_error *err)
{
    struct hl_json_node member;

    HL_TRY(hl_json_member_if_any(object, key, &member, err));
    return member.value == NULL ? HL_OK : hl_json_int(&member, min, max, value, err);
}

/* "5": hexadecimal mask; "-": all. */
static enum hl_status read_mask(const struct hl_json_node *object, const char *key, uint64_t *mask,
                                struct hl_error *err)
{
    struct hl_json_node member;
    const char *text;

    HL_TRY(hl_json_member_if_any(object, key, &member, err));
    if (member.value == NULL)
        return HL_OK;
    HL_TRY(hl_json_string(&member, 1, 16, &text, err));
    if (strcmp(text, "-") == 0)
        return HL_OK;
    for (const char *digit = text; *digit != '\0'; digit++) {
        const char *all = "0123456789abcdef", *found = strchr(all, *digit);

        if (found == NULL)
            return hl_json_fail(
                &member, err, "found \"%s\", expected a hexadecimal mask of cpus, or \"-\"", text);
        *mask = *mask << 4 | (uint64_t)(found - all);
    }
    return HL_OK;
}

/* One number of an array; null is NAN. */
static enum hl_status read_item(const struct hl_json_node *object, const char *key, size_t index,
                                double *value, struct hl_error *err)
{
    struct hl_json_node member, item;
    size_t count;

    *value = NAN;
    HL_TRY(hl_json_member(object, key, &member, err));
    HL_TRY(hl_json_array(&member, &count, err));
    if (count <= index)
        return hl_json_fail(&member, err, "found %zu numbers, expected at least %zu", count,
                            index + 1);
    item = hl_json_item(&member, index);
    return json_is_null(item.value) ? HL_OK : hl_json_double(&item, value, err);
}

static enum hl_status read_figures(const struct hl_json_node *result, struct golden_task *t,
                                   struct hl_error *err)
{
    enum { MEAN = 1, MEDIAN = 2, P90 = 4 }; /* places in the arrays */
    struct hl_json_node node;

    HL_TRY(hl_json_member(result, t->name, &node, err));
    HL_TRY(read_item(&node, "share", MEAN, &t->real.share, err));
    HL_TRY(read_item(&node, "preempt_per_s", MEAN, &t->real.preempt_per_s, err));
    HL_TRY(read_item(&node, "mig_per_s", MEAN, &t->real.mig_per_s, err));
    HL_TRY(read_item(&node, "wake_ms", MEDIAN, &t->real.wake_ms[GOLDEN_P50], err));
    HL_TRY(read_item(&node, "wake_ms", P90, &t->real.wake_ms[GOLDEN_P90], err));
    HL_TRY(read_item(&node, "slice_ms", MEDIAN, &t->real.slice_ms[GOLDEN_P50], err));
    return read_item(&node, "slice_ms", P90, &t->real.slice_ms[GOLDEN_P90], err);
}

/* ---- task groups ---- */

/* Those of the shipped records, which say so in a note only; a file's own come before them. */
static const struct golden_group usual_groups[] = {
    {.name = "g1", .weight = 100},
    {.name = "g2", .weight = 100},
    {.name = "g3", .weight = 200},
    {.name = "q1", .weight = 100, .quota_us = 30000},
    {.name = "q2", .weight = 100, .quota_us = 150000},
    {.name = "i1", .weight = 100, .is_idle = true},
};

enum { PERIOD_US = 100000, GROUP_TIME_MAX_US = 1000000000 };

/* The group's own definition: "groups": {"g1": {"weight": 100, "quota_us": 30000, ...}}. */
static enum hl_status read_group(const struct hl_json_node *root, struct golden_group *group,
                                 bool *is_found, struct hl_error *err)
{
    struct hl_json_node groups, node;
    int64_t idle = 0;

    *is_found = false;
    HL_TRY(hl_json_member_if_any(root, "groups", &groups, err));
    if (groups.value == NULL || !hl_json_has(&groups, group->name))
        return HL_OK;
    *is_found = true;
    HL_TRY(hl_json_member(&groups, group->name, &node, err));
    HL_TRY(hl_json_object(&node, err));
    HL_TRY(read_int(&node, "weight", 1, 10000, &group->weight, err));
    HL_TRY(read_int(&node, "quota_us", 1000, GROUP_TIME_MAX_US, &group->quota_us, err));
    HL_TRY(read_int(&node, "period_us", 1000, 1000000, &group->period_us, err));
    HL_TRY(read_int(&node, "idle", 0, 1, &idle, err));
    group->is_idle = idle != 0;
    return HL_OK;
}

static enum hl_status read_group_name(struct golden *g, const struct hl_json_node *root,
                                      const struct hl_json_node *task, struct golden_task *t,
                                      struct hl_error *err)
{
    struct golden_group group = {.weight = 100, .period_us = PERIOD_US};
    struct hl_json_node node;
    bool is_found;

    HL_TRY(hl_json_member(task, "group", &node, err));
    HL_TRY(read_text(task, "group", t->group, sizeof(t->group), err));
    for (int i = 0; i < g->group_count; i++)
        if (strcmp(g->group[i].name, t->group) == 0)
            return HL_OK;
    (void)hl_format(group.name, sizeof(group.name), "%s", t->group);
    HL_TRY(read_group(root, &group, &is_found, err));
    for (int i = 0; i < HL_COUNT_OF(usual_groups) && !is_found; i++)
        if (strcmp(usual_groups[i].name, t->group) == 0) {
            group = usual_groups[i];
            group.period_us = PERIOD_US;
            is_found = true;
        }
    if (!is_found || strspn(t->group, "abcdefghijklmnopqrstuvwxyz0123456789_") < strlen(t->group))
        return hl_json_fail(&node, err,
                            "unknown task group \"%s\"; expected g1, g2, g3, q1, q2, i1, or one "
                            "that the file's \"groups\" define",
                            t->group);
    if (g->group_count == GOLDEN_GROUPS_MAX)
        return hl_json_fail(&node, err, "more than %d task groups; expected at most that",
                            GOLDEN_GROUPS_MAX);
    g->group[g->group_count++] = group;
    return HL_OK;
}

/* ---- tasks ---- */

static enum hl_status read_task(struct golden *g, const struct hl_json_node *root,
                                const struct hl_json_node *node, struct hl_error *err)
{
    struct golden_task *t = &g->task[g->task_count];
    char policy[4] = "";

    *t = (struct golden_task){.count = 1};
    HL_TRY(read_text(node, "name", t->name, sizeof(t->name), err));
    HL_TRY(read_int(node, "count", 1, 200, &t->count, err));
    HL_TRY(read_int(node, "nice", -20, 19, &t->nice, err));
    HL_TRY(read_int(node, "run_us", 0, 10000000, &t->run_us, err));
    HL_TRY(read_int(node, "sleep_us", -1, 10000000, &t->sleep_us, err));
    HL_TRY(read_int(node, "sleep_jitter_us", 0, 10000000, &t->jitter_us, err));
    HL_TRY(read_int(node, "slice_us", 0, 1000000, &t->slice_us, err));
    HL_TRY(read_mask(node, "cpus", &t->cpus, err));
    HL_TRY(read_mask(node, "cpus_before", &t->cpus_before, err));
    if (hl_json_has(node, "policy")) {
        HL_TRY(read_text(node, "policy", policy, sizeof(policy), err));
        t->policy = policy[0] == 'b' || policy[0] == 'i' ? policy[0] : '\0';
    }
    if (hl_json_has(node, "group"))
        HL_TRY(read_group_name(g, root, node, t, err));
    g->task_count++;
    return HL_OK;
}

static enum hl_status read_starts(struct golden *g, const struct hl_json_node *node,
                                  struct hl_error *err)
{
    struct hl_json_node starts;
    size_t count;

    HL_TRY(hl_json_member_if_any(node, "start", &starts, err));
    if (starts.value == NULL)
        return HL_OK;
    HL_TRY(hl_json_array(&starts, &count, err));
    for (size_t i = 0; i < count && i < GOLDEN_STARTS_MAX; i++, g->start_count++) {
        struct hl_json_node start = hl_json_item(&starts, i);

        HL_TRY(read_int(&start, "cpu", 0, 63, &g->start[i].cpu, err));
        HL_TRY(read_text(&start, "prev", g->start[i].prev, sizeof(g->start[i].prev), err));
    }
    return HL_OK;
}

enum hl_status golden_read(struct golden *g, const struct hl_json_node *root,
                           const struct hl_json_node *node, struct hl_error *err)
{
    struct hl_json_node member, result;
    char time[16];
    size_t count;

    *g = (struct golden){.inside = false};
    HL_TRY(hl_json_object(node, err));
    HL_TRY(read_text(node, "id", g->id, sizeof(g->id), err));
    HL_TRY(read_text(node, "kernel", g->kernel, sizeof(g->kernel), err));
    HL_TRY(read_text(node, "cpus", g->cpus, sizeof(g->cpus), err));
    HL_TRY(read_text(node, "time", time, sizeof(time), err));
    g->is_virtual_time = strcmp(time, "icount") == 0;
    HL_TRY(hl_json_member(node, "seconds", &member, err));
    HL_TRY(hl_json_double(&member, &g->seconds, err));
    if (!(g->seconds >= 0.1 && g->seconds <= 1000))
        return hl_json_fail(&member, err, "found %g, expected 0.1 to 1000", g->seconds);
    HL_TRY(hl_json_member(node, "task", &member, err));
    HL_TRY(hl_json_array(&member, &count, err));
    if (count < 1 || count > GOLDEN_TASKS_MAX)
        return hl_json_fail(&member, err, "found %zu tasks, expected 1 to %d", count,
                            GOLDEN_TASKS_MAX);
    for (size_t i = 0; i < count; i++) {
        struct hl_json_node task = hl_json_item(&member, i);

        HL_TRY(read_task(g, root, &task, err));
    }
    HL_TRY(read_starts(g, node, err));
    HL_TRY(hl_json_member(node, "result", &result, err));
    for (int i = 0; i < g->task_count; i++)
        HL_TRY(read_figures(&result, &g->task[i], err));
    return HL_OK;
}
