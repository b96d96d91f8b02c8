/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * golden_read.c - records of real kernels from JSON.
 *
 * What a record says must have a meaning: unknown kernels, cpus, groups and policies, wrong types and
 * negative times are errors. What it does not say is not compared, and what it says besides is left
 * alone (golden_keys.c).
 */
#include "study/golden.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/format.h"
#include "base/text.h"
#include "base/units.h"
#include "workload/scenario.h"

enum { PREV_BYTES_MAX = 1 << 16 };

static enum hl_status read_word(const struct hl_json_node *object, const char *key,
                                const char **word, struct hl_error *err)
{
    struct hl_json_node member;

    HL_TRY(hl_json_member(object, key, &member, err));
    return hl_json_string(&member, 1, GOLDEN_WORD_BYTES_MAX, word, err);
}

/* A member that may be left out or null: *member has no value then. */
static enum hl_status find(const struct hl_json_node *object, const char *key,
                           struct hl_json_node *member, struct hl_error *err)
{
    HL_TRY(hl_json_member_if_any(object, key, member, err));
    if (json_is_null(member->value))
        member->value = NULL;
    return HL_OK;
}

/* A whole number that may be left out; 500.0 is one. */
static enum hl_status read_int(const struct hl_json_node *object, const char *key, int64_t min,
                               int64_t max, int64_t *value, struct hl_error *err)
{
    struct hl_json_node member;
    double real;

    HL_TRY(find(object, key, &member, err));
    if (member.value == NULL)
        return HL_OK;
    real = json_real_value(member.value); /* 0 if it is none */
    if (json_is_real(member.value) && real == floor(real) && real >= (double)min &&
        real <= (double)max) {
        *value = (int64_t)real;
        return HL_OK;
    }
    return hl_json_int(&member, min, max, value, err);
}

/* "5", "0x5" or "0,00000005": hexadecimal mask of cpus, of which some must be there; "-": all. */
static enum hl_status read_mask(const struct golden *g, const struct hl_json_node *object,
                                const char *key, uint64_t *mask, struct hl_error *err)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    uint64_t there = g->cpu_count < 64 ? (UINT64_C(1) << g->cpu_count) - 1 : UINT64_MAX;
    struct hl_json_node member;
    const char *text, *found = digits;

    HL_TRY(find(object, key, &member, err));
    if (member.value == NULL)
        return HL_OK;
    HL_TRY(hl_json_string(&member, 1, GOLDEN_WORD_BYTES_MAX, &text, err));
    if (strcmp(text, "-") == 0)
        return HL_OK;
    for (const char *at = text + (strncmp(text, "0x", 2) == 0 ? 2 : 0);
         *at != '\0' && found != NULL; at++) {
        if (*at == ',')
            continue;
        found = *mask >> 60 == 0 ? strchr(digits, *at) : NULL;
        if (found != NULL)
            *mask = *mask << 4 | (uint64_t)((found - digits) % 16);
    }
    if (found == NULL)
        return hl_json_fail(&member, err,
                            "found \"%.60s\", expected a hexadecimal mask of cpus, or \"-\"", text);
    *mask &= there;
    if (*mask == 0)
        return hl_json_fail(&member, err,
                            "found \"%.60s\", expected a mask with some of the record's %d cpu%s",
                            text, g->cpu_count, g->cpu_count == 1 ? "" : "s");
    if (*mask == there && g->cpu_count <= 64)
        *mask = 0;
    return HL_OK;
}

/* ---- figures ---- */

/* values[count] from an array, which may be shorter; NAN where it says nothing or null. */
static enum hl_status read_figures_of(const struct hl_json_node *object, const char *key,
                                      double *values, size_t count, struct hl_error *err)
{
    struct hl_json_node member;
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        values[i] = NAN;
    HL_TRY(find(object, key, &member, err));
    if (member.value == NULL)
        return HL_OK;
    HL_TRY(hl_json_array(&member, &found, err));
    if (found > count)
        return hl_json_fail(&member, err, "found %zu numbers, expected at most %zu", found, count);
    for (size_t i = 0; i < found; i++) {
        struct hl_json_node item = hl_json_item(&member, i);

        if (json_is_null(item.value))
            continue;
        HL_TRY(hl_json_double(&item, &values[i], err));
        if (values[i] < 0)
            return hl_json_fail(&item, err, "found %g, expected 0 or more", values[i]);
    }
    return HL_OK;
}

/* [least, mean, greatest]; of one number it is the mean. */
static enum hl_status read_mean(const struct hl_json_node *object, const char *key, double *mean,
                                struct hl_error *err)
{
    enum { MEAN = 1, COUNT = 3 };
    double values[COUNT];
    struct hl_json_node member;

    HL_TRY(read_figures_of(object, key, values, COUNT, err));
    HL_TRY(find(object, key, &member, err));
    *mean = values[json_array_size(member.value) == 1 ? 0 : MEAN];
    return HL_OK;
}

/* Quantiles 0.10 0.25 0.50 0.75 0.90 0.99. */
static enum hl_status read_quantiles(const struct hl_json_node *object, const char *key,
                                     double *quantiles, struct hl_error *err)
{
    enum { MEDIAN = 2, P90 = 4, COUNT = 6 };
    double values[COUNT];

    HL_TRY(read_figures_of(object, key, values, COUNT, err));
    quantiles[GOLDEN_P50] = values[MEDIAN];
    quantiles[GOLDEN_P90] = values[P90];
    return HL_OK;
}

static enum hl_status read_figures(const struct hl_json_node *result, struct golden_task *t,
                                   struct hl_error *err)
{
    struct golden_figures *real = &t->real;
    struct hl_json_node node;

    *real = (struct golden_figures){NAN, NAN, NAN, NAN, {NAN, NAN}, {NAN, NAN}};
    if (result->value == NULL)
        return HL_OK;
    HL_TRY(find(result, t->name, &node, err));
    if (node.value == NULL)
        return HL_OK;
    HL_TRY(read_mean(&node, "share", &real->share, err));
    HL_TRY(read_mean(&node, "preempt_per_s", &real->preempt_per_s, err));
    HL_TRY(read_mean(&node, "mig_per_s", &real->mig_per_s, err));
    HL_TRY(read_mean(&node, "vol_per_s", &real->vol_per_s, err));
    HL_TRY(read_quantiles(&node, "wake_ms", real->wake_ms, err));
    return read_quantiles(&node, "slice_ms", real->slice_ms, err);
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

    t->group = -1;
    HL_TRY(find(task, "group", &node, err));
    if (node.value == NULL)
        return HL_OK;
    HL_TRY(hl_json_string(&node, 1, GOLDEN_WORD_BYTES_MAX, &group.name, err));
    for (t->group = 0; t->group < g->group_count; t->group++)
        if (strcmp(g->group[t->group].name, group.name) == 0)
            return HL_OK;
    HL_TRY(read_group(root, &group, &is_found, err));
    for (int i = 0; i < HL_COUNT_OF(usual_groups) && !is_found; i++)
        if (strcmp(usual_groups[i].name, group.name) == 0) {
            group = usual_groups[i];
            group.period_us = PERIOD_US;
            is_found = true;
        }
    if (!is_found)
        return hl_json_fail(&node, err,
                            "unknown task group \"%.60s\"; expected g1, g2, g3, q1, q2, i1, or one "
                            "that the file's \"groups\" define",
                            group.name);
    if (g->group_count == GOLDEN_GROUPS_MAX)
        return hl_json_fail(&node, err, "more than %d task groups; expected at most that",
                            GOLDEN_GROUPS_MAX);
    g->group[g->group_count++] = group;
    return HL_OK;
}

/* ---- tasks ---- */

enum { TIME_MAX_US = 10000000, SLICE_MIN_US = 100, SLICE_MAX_US = 100000 };

static enum hl_status read_class(const struct hl_json_node *node, struct golden_task *t,
                                 struct hl_error *err)
{
    static const struct {
        const char *letter, *word, *class;
    } classes[] = {
        {"b", "batch", "batch"}, {"i", "idle", "idle"}, {"f", "fifo", "fifo"}, {"r", "rr", "rr"},
        {"o", "other", NULL},    {"n", "normal", NULL}, {"-", "", NULL},
    };
    struct hl_json_node member;
    const char *text;

    HL_TRY(find(node, "policy", &member, err));
    if (member.value == NULL)
        return HL_OK;
    HL_TRY(hl_json_string(&member, 0, GOLDEN_WORD_BYTES_MAX, &text, err));
    for (int i = 0; i < HL_COUNT_OF(classes); i++)
        if (strcmp(text, classes[i].letter) == 0 || strcmp(text, classes[i].word) == 0) {
            t->class = classes[i].class;
            return HL_OK;
        }
    return hl_json_fail(
        &member, err,
        "found \"%.60s\", expected b (batch), i (idle), f (fifo), r (rr) or o (other, "
        "as without the key)",
        text);
}

/* Fails at the key, which is there. */
static enum hl_status fail_times(const struct hl_json_node *node, const char *key, int64_t found,
                                 const char *expected, struct hl_error *err)
{
    struct hl_json_node member;

    HL_TRY(hl_json_member_if_any(node, key, &member, err));
    return hl_json_fail(member.value == NULL ? node : &member, err,
                        "found %" PRId64 ", expected %s", found, expected);
}

/* Times that each are possible, but not together. */
static enum hl_status check_times(const struct golden_task *t, const struct hl_json_node *node,
                                  struct hl_error *err)
{
    if (t->sleep_us < 0 && t->count % 2 != 0)
        return fail_times(node, "count", t->count, "an even number, as sleep_us -1 makes pairs",
                          err);
    if (t->sleep_us > 0 && t->jitter_us > t->sleep_us)
        return fail_times(node, "sleep_jitter_us", t->jitter_us, "at most sleep_us", err);
    return HL_OK;
}

static enum hl_status read_task(struct golden *g, const struct hl_json_node *root,
                                const struct hl_json_node *node, struct hl_error *err)
{
    struct golden_task *t = &g->task[g->task_count];

    *t = (struct golden_task){.count = 1};
    HL_TRY(read_word(node, "name", &t->name, err));
    HL_TRY(read_int(node, "count", 1, SCENARIO_NAMES_MAX, &t->count, err));
    HL_TRY(read_int(node, "nice", -20, 19, &t->nice, err));
    HL_TRY(read_int(node, "run_us", 0, TIME_MAX_US, &t->run_us, err));
    HL_TRY(read_int(node, "sleep_us", -1, TIME_MAX_US, &t->sleep_us, err));
    HL_TRY(read_int(node, "sleep_jitter_us", 0, TIME_MAX_US, &t->jitter_us, err));
    HL_TRY(read_int(node, "slice_us", 0, INT32_MAX, &t->slice_us, err));
    if (t->slice_us > 0) /* as the kernel takes it */
        t->slice_us = HL_MIN(HL_MAX(t->slice_us, SLICE_MIN_US), SLICE_MAX_US);
    HL_TRY(check_times(t, node, err));
    HL_TRY(read_mask(g, node, "cpus", &t->cpus, err));
    HL_TRY(read_mask(g, node, "cpus_before", &t->cpus_before, err));
    HL_TRY(read_class(node, t, err));
    HL_TRY(read_group_name(g, root, node, t, err));
    g->task_count++;
    return HL_OK;
}

int64_t golden_tasks_of_start(const struct golden *g)
{
    int64_t count = GOLDEN_HELPERS;

    for (int i = 0; i < g->task_count; i++)
        count += g->task[i].count;
    return count;
}

static enum hl_status read_tasks(struct golden *g, const struct hl_json_node *root,
                                 const struct hl_json_node *node, struct hl_error *err)
{
    struct hl_json_node list;
    size_t count;
    int64_t room = SCENARIO_NAMES_MAX - g->cpu_count - GOLDEN_KERNEL_TASKS;

    HL_TRY(hl_json_member(node, "task", &list, err));
    HL_TRY(hl_json_array(&list, &count, err));
    if (count < 1 || count > GOLDEN_TASKS_MAX)
        return hl_json_fail(&list, err, "found %zu tasks, expected 1 to %d", count,
                            GOLDEN_TASKS_MAX);
    for (size_t i = 0; i < count; i++) {
        struct hl_json_node task = hl_json_item(&list, i);

        HL_TRY(read_task(g, root, &task, err));
    }
    if (golden_tasks_of_start(g) > room)
        return hl_json_fail(&list, err,
                            "found %" PRId64 " tasks beside %d cpu%s, expected at most %" PRId64,
                            golden_tasks_of_start(g) - GOLDEN_HELPERS, g->cpu_count,
                            g->cpu_count == 1 ? "" : "s", room - GOLDEN_HELPERS);
    return HL_OK;
}

/* ---- starts ---- */

/* "a12" is number 12 of task a, if the record has it. */
static bool is_task(const struct golden_task *t, const char *word, size_t length, int64_t *number)
{
    size_t name_length = strlen(t->name);
    char digits[20];

    if (length <= name_length || length - name_length >= sizeof(digits) ||
        strncmp(word, t->name, name_length) != 0)
        return false;
    (void)hl_format(digits, sizeof(digits), "%.*s", (int)(length - name_length),
                    word + name_length);
    return strspn(digits, "0123456789") == strlen(digits) && hl_parse_int(digits, number) &&
           *number < t->count;
}

bool golden_next_place(const struct golden *g, const char **prev, struct golden_place *place)
{
    while (**prev != '\0') {
        const char *word = *prev + strspn(*prev, " ");
        size_t length = strcspn(word, " ");
        size_t name_length = strcspn(word, "= ");
        char cpu_text[20];
        int64_t cpu;

        *prev = word + length + (word[length] == ' ');
        if (name_length == length || length - name_length > sizeof(cpu_text))
            continue;
        (void)hl_format(cpu_text, sizeof(cpu_text), "%.*s", (int)(length - name_length - 1),
                        word + name_length + 1);
        if (!hl_parse_int(cpu_text, &cpu) || cpu < 0)
            continue;
        place->cpu = (int)HL_MIN(cpu, (int64_t)g->cpu_count - 1);
        for (place->task = 0; place->task < g->task_count; place->task++)
            if (is_task(&g->task[place->task], word, name_length, &place->number))
                return true;
    }
    return false;
}

static enum hl_status read_starts(struct golden *g, const struct hl_json_node *node,
                                  struct hl_error *err)
{
    struct hl_json_node starts;
    size_t count;

    HL_TRY(find(node, "start", &starts, err));
    if (starts.value == NULL)
        return HL_OK;
    HL_TRY(hl_json_array(&starts, &count, err));
    for (size_t i = 0; i < count && i < GOLDEN_STARTS_MAX; i++, g->start_count++) {
        struct hl_json_node start = hl_json_item(&starts, i), prev;

        g->start[i] = (struct golden_start){.prev = ""};
        HL_TRY(read_int(&start, "cpu", 0, g->cpu_count - 1, &g->start[i].cpu, err));
        HL_TRY(find(&start, "prev", &prev, err));
        if (prev.value != NULL)
            HL_TRY(hl_json_string(&prev, 0, PREV_BYTES_MAX, &g->start[i].prev, err));
    }
    return HL_OK;
}

/* ---- the record ---- */

/* Of a record with cpus_before; a list of one number per start, ascending. */
static enum hl_status read_all_busy(struct golden *g, const struct hl_json_node *record,
                                    const struct hl_json_node *result, struct hl_error *err)
{
    static const char key[] = "all_cpus_busy_after_release_ms";
    struct golden_spread *spread = &g->real_all_busy_ms;
    struct hl_json_node list;
    size_t count;

    *spread = (struct golden_spread){NAN, NAN, NAN};
    HL_TRY(find(record, key, &list, err));
    if (list.value == NULL && result->value != NULL)
        HL_TRY(find(result, key, &list, err));
    if (list.value == NULL)
        return HL_OK;
    HL_TRY(hl_json_array(&list, &count, err));
    for (size_t i = 0; i < count; i++) {
        struct hl_json_node item = hl_json_item(&list, i);
        double value;

        HL_TRY(hl_json_double(&item, &value, err));
        if (i == 0)
            spread->least = value;
        if (i == count / 2)
            spread->median = value;
        spread->greatest = value;
    }
    return HL_OK;
}

static enum hl_status read_time(struct golden *g, const struct hl_json_node *node,
                                struct hl_error *err)
{
    struct hl_json_node member;
    const char *text;

    HL_TRY(hl_json_member(node, "time", &member, err));
    HL_TRY(hl_json_string(&member, 1, GOLDEN_WORD_BYTES_MAX, &text, err));
    g->is_virtual_time = strcmp(text, "icount") == 0;
    if (!g->is_virtual_time && strcmp(text, "realtime") != 0)
        return hl_json_fail(&member, err, "found \"%.60s\", expected \"icount\" or \"realtime\"",
                            text);
    HL_TRY(hl_json_member(node, "seconds", &member, err));
    HL_TRY(hl_json_double(&member, &g->seconds, err));
    if (!(g->seconds >= 0.1 && g->seconds <= 1000))
        return hl_json_fail(&member, err, "found %g, expected 0.1 to 1000", g->seconds);
    return read_int(node, "starts", 1, INT32_MAX, &g->recorded_starts, err);
}

enum hl_status golden_read(struct golden *g, const struct hl_json_node *root,
                           const struct hl_json_node *node, struct hl_error *err)
{
    struct hl_json_node result;

    memset(g, 0, sizeof(*g));
    HL_TRY(hl_json_object(node, err));
    HL_TRY(read_word(node, "id", &g->id, err));
    HL_TRY(golden_read_machine(g, node, err));
    HL_TRY(read_time(g, node, err));
    HL_TRY(read_tasks(g, root, node, err));
    HL_TRY(read_starts(g, node, err));
    HL_TRY(find(node, "result", &result, err));
    if (result.value != NULL)
        HL_TRY(hl_json_object(&result, err));
    for (int i = 0; i < g->task_count; i++)
        HL_TRY(read_figures(&result, &g->task[i], err));
    return read_all_busy(g, node, &result, err);
}
