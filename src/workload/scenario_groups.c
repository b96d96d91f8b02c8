/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scenario_groups.c - the statements `group` and `session` of scenario files.
 *
 *     group web  weight=200 quota=30ms period=100ms
 *     group jobs parent=web idle
 *     session desktop nice=-5
 *
 * Words and ranges are those of cgroup v2: cpu.weight, cpu.max, cpu.idle.
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "workload/scenario_build.h"

enum { WEIGHT_MAX = 10000, PERIOD_DEFAULT_MS = 100 };

/* The word after KEY= if the next word begins so, and steps over it; else NULL. */
static const char *take_value(struct scenario_cursor *c, const char *key)
{
    const char *word = scenario_peek(c);
    size_t length = strlen(key);

    if (word == NULL || strncmp(word, key, length) != 0 || word[length] != '=')
        return NULL;
    (void)scenario_take(c);
    return word + length + 1;
}

static enum hl_status read_int(const struct scenario_cursor *c, const char *key, const char *text,
                               int64_t min, int64_t max, int32_t *value, struct hl_error *err)
{
    int64_t number;

    if (!hl_parse_int(text, &number) || number < min || number > max)
        return scenario_fail(c, err, "%s is '%.60s'; expected %" PRId64 " to %" PRId64, key, text,
                             min, max);
    *value = (int32_t)number;
    return HL_OK;
}

/* The kernel takes 1 ms to 1 s, for the quota as for the period; a quota may be that of many cpus. */
static enum hl_status read_time(const struct scenario_cursor *c, const char *key, const char *text,
                                int64_t max_ns, int64_t *ns, struct hl_error *err)
{
    if (!hl_parse_duration_ns(text, ns) || *ns < HL_NS_PER_MS || *ns > max_ns)
        return scenario_fail(c, err, "%s is '%.60s'; expected a time of 1ms to %" PRId64 "s", key,
                             text, max_ns / HL_NS_PER_S);
    return HL_OK;
}

/* group NAME [weight=N] [quota=TIME] [period=TIME] [idle] [parent=NAME] */
enum hl_status scenario_group(struct scenario_build *b, struct scenario_cursor *c,
                              struct hl_error *err)
{
    struct workload *w = &b->s->workload;
    struct workload_group g = {
        .parent = -1, .weight = 100, .period_ns = PERIOD_DEFAULT_MS * HL_NS_PER_MS};
    const char *name, *text;

    HL_TRY(scenario_define(&b->groups, c, "group", &name, err));
    if (strcmp(name, "root") == 0)
        return scenario_fail(c, err, "the group 'root' is always there; expected another name");
    while (scenario_peek(c) != NULL) {
        if ((text = take_value(c, "weight")) != NULL) {
            HL_TRY(read_int(c, "weight", text, 1, WEIGHT_MAX, &g.weight, err));
        } else if ((text = take_value(c, "quota")) != NULL) {
            HL_TRY(read_time(c, "quota", text, MACHINE_CPUS_MAX * HL_NS_PER_S, &g.quota_ns, err));
        } else if ((text = take_value(c, "period")) != NULL) {
            HL_TRY(read_time(c, "period", text, HL_NS_PER_S, &g.period_ns, err));
        } else if ((text = take_value(c, "parent")) != NULL) {
            g.parent = scenario_name_find(&b->groups, text);
            if (g.parent < 0 || (size_t)g.parent == w->group_count)
                return scenario_fail(
                    c, err, "parent is '%.60s'; expected a group that a statement before defines",
                    text);
        } else if (scenario_take_if(c, "idle")) {
            g.is_idle = true;
        } else {
            return scenario_fail_expected(
                c, err, "weight=N, quota=TIME, period=TIME, parent=GROUP or idle");
        }
    }
    g.name = workload_name(w, name);
    if (g.name < 0)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the name of a group");
    HL_TRY(hl_grow(&w->groups, &w->group_capacity, w->group_count + 1, sizeof(*w->groups), err));
    w->groups[w->group_count++] = g;
    return HL_OK;
}

/* session NAME [nice=N] */
enum hl_status scenario_session(struct scenario_build *b, struct scenario_cursor *c,
                                struct hl_error *err)
{
    struct workload *w = &b->s->workload;
    struct workload_session session = {.nice = 0};
    const char *name, *text;

    HL_TRY(scenario_define(&b->sessions, c, "session", &name, err));
    if ((text = take_value(c, "nice")) != NULL)
        HL_TRY(read_int(c, "nice", text, -20, 19, &session.nice, err));
    HL_TRY(hl_grow(&w->sessions, &w->session_capacity, w->session_count + 1, sizeof(*w->sessions),
                   err));
    w->sessions[w->session_count++] = session;
    return HL_OK;
}

static enum hl_status need_name(struct scenario_cursor *c, const struct scenario_names *names,
                                const char *kind, int32_t *place, struct hl_error *err)
{
    const char *name;

    HL_TRY(scenario_need(c, "a name", &name, err));
    *place = scenario_name_find(names, name) + 1;
    if (*place > 0)
        return HL_OK;
    if (names->count == 0)
        return scenario_fail(c, err, "unknown %s '%.60s'; expected a statement '%s %.60s ...'",
                             kind, name, kind, name);
    return scenario_fail_unknown(c, err, kind, name, names->names, (int)names->count);
}

enum hl_status scenario_group_name(struct scenario_build *b, struct scenario_cursor *c,
                                   int32_t *group, struct hl_error *err)
{
    *group = 0;
    return scenario_take_if(c, "root") ? HL_OK : need_name(c, &b->groups, "group", group, err);
}

enum hl_status scenario_session_name(struct scenario_build *b, struct scenario_cursor *c,
                                     int32_t *session, struct hl_error *err)
{
    return need_name(c, &b->sessions, "session", session, err);
}
