/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workload_options.c - what stands behind a workload's name: `matinv:orders=7000-9000+200:merged=0.1`.
 */
#include "workload/workload.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

/* "7000", "7000-9000+200"; "7000-9000" has the step 0. `text` is cut to pieces. */
static bool split_range(char *text, struct workload_range *range)
{
    char *dash = strchr(text, '-'), *plus = strchr(text, '+');

    range->step = 0;
    if (plus != NULL) {
        *plus = '\0';
        if (dash == NULL || dash > plus || !hl_parse_int(plus + 1, &range->step) || range->step < 1)
            return false;
    }
    if (dash != NULL)
        *dash = '\0';
    if (!hl_parse_int(text, &range->first))
        return false;
    range->last = range->first;
    return dash == NULL || hl_parse_int(dash + 1, &range->last);
}

static enum hl_status read_range(const struct workload_option_info *option, const char *given,
                                 struct workload_range *range, struct hl_error *err)
{
    char text[WORKLOAD_TEXT_MAX];
    int64_t count;

    (void)snprintf(text, sizeof(text), "%s", given);
    if (!split_range(text, range) || range->first < option->min || range->last > option->max ||
        range->first > range->last)
        return hl_fail(err, HL_USAGE,
                       "option %s is '%s'; expected a number or a range such as 1000-2000+200, "
                       "from %" PRId64 " to %" PRId64,
                       option->name, given, option->min, option->max);
    if (range->first == range->last)
        range->step = HL_MAX(range->step, 1);
    if (range->step == 0)
        return hl_fail(
            err, HL_USAGE,
            "option %s is '%s', which has no step; expected one too, such as %s+%" PRId64,
            option->name, given, given, HL_MAX((range->last - range->first) / 5, INT64_C(1)));
    count = (range->last - range->first) / range->step + 1;
    if (count > WORKLOAD_RANGE_MAX)
        return hl_fail(err, HL_USAGE, "option %s is '%s', %" PRId64 " of them; expected at most %d",
                       option->name, given, count, WORKLOAD_RANGE_MAX);
    return HL_OK;
}

static enum hl_status read_value(const struct workload_option_info *option, const char *given,
                                 struct workload_range *value, struct hl_error *err)
{
    int64_t ppm;

    switch (option->type) {
    case OPTION_RANGE: return read_range(option, given, value, err);
    case OPTION_BOOL:
        if (strcmp(given, "y") != 0 && strcmp(given, "n") != 0)
            return hl_fail(err, HL_USAGE, "option %s is '%s'; expected y or n", option->name,
                           given);
        *value = (struct workload_range){.first = given[0] == 'y'};
        return HL_OK;
    case OPTION_RATIO:
        if (!hl_parse_decimal(given, HL_PPM, &ppm) || ppm < 0 || ppm > HL_PPM)
            return hl_fail(err, HL_USAGE, "option %s is '%s'; expected a number from 0 to 1",
                           option->name, given);
        *value = (struct workload_range){.first = ppm};
        return HL_OK;
    }
    return HL_OK;
}

void workload_options_init(const struct workload_info *info, struct workload_options *options)
{
    *options = (struct workload_options){0};
    (void)snprintf(options->text, sizeof(options->text), "%s", info->name);
    for (int i = 0; info->options != NULL && info->options[i].name != NULL; i++) {
        const struct workload_option_info *option = &info->options[i];
        enum hl_status status = HL_OK;

        assert(i < WORKLOAD_OPTIONS_MAX);
        if (option->default_text != NULL)
            status = read_value(option, option->default_text, &options->value[i], NULL);
        assert(status == HL_OK);
    }
}

static enum hl_status find_option(const struct workload_info *info, const char *name, int *place,
                                  struct hl_error *err)
{
    const char *names[WORKLOAD_OPTIONS_MAX];
    int count = 0;

    for (; info->options != NULL && info->options[count].name != NULL; count++) {
        names[count] = info->options[count].name;
        if (strcmp(names[count], name) == 0) {
            *place = count;
            return HL_OK;
        }
    }
    if (count == 0)
        return hl_fail(err, HL_USAGE, "workload %s has no options; found '%s'", info->name, name);
    return hl_fail_unknown(err, HL_USAGE, info->name, "option", name, names, count);
}

/* Options stand in the order of the workload's table, so one set-up has one name. */
static void write_option(const struct workload_info *info, struct workload_options *options,
                         int place, const char *value)
{
    char *at = options->text + strcspn(options->text, ":"), rest[WORKLOAD_TEXT_MAX];

    while (*at == ':') {
        int other = 0;
        size_t length = strcspn(at + 1, "=");

        while (strncmp(info->options[other].name, at + 1, length) != 0 ||
               info->options[other].name[length] != '\0')
            other++;
        if (other > place)
            break;
        at += 1 + strcspn(at + 1, ":");
    }
    (void)snprintf(rest, sizeof(rest), "%s", at);
    (void)snprintf(at, sizeof(options->text) - (size_t)(at - options->text), ":%s=%s%s",
                   info->options[place].name, value, rest);
}

enum hl_status workload_option_set(const struct workload_info *info,
                                   struct workload_options *options, const char *assignment,
                                   struct hl_error *err)
{
    const char *equals = strchr(assignment, '=');
    const char *value = equals == NULL ? "y" : equals + 1;
    size_t used = strlen(options->text);
    char name[WORKLOAD_TEXT_MAX];
    int place = 0;

    if (used + 1 + strlen(assignment) + (equals == NULL ? strlen("=y") : 0) >=
        sizeof(options->text))
        return hl_fail(err, HL_USAGE, "%s:%.80s: expected at most %d characters", options->text,
                       assignment, WORKLOAD_TEXT_MAX - 1);
    (void)snprintf(name, sizeof(name), "%.*s",
                   (int)(equals == NULL ? strlen(assignment) : (size_t)(equals - assignment)),
                   assignment);
    HL_TRY(find_option(info, name, &place, err));
    if (options->is_given[place])
        return hl_fail(err, HL_USAGE, "%s: option %s is given twice", info->name, name);
    HL_TRY(read_value(&info->options[place], value, &options->value[place], err));
    options->is_given[place] = true;
    write_option(info, options, place, value);
    return HL_OK;
}

enum hl_status workload_parse(const char *text, const struct workload_info **info,
                              struct workload_options *options, struct hl_error *err)
{
    char name[WORKLOAD_TEXT_MAX];
    size_t length = strcspn(text, ":");

    *info = NULL;
    if (length >= sizeof(name))
        return HL_OK;
    (void)snprintf(name, sizeof(name), "%.*s", (int)length, text);
    *info = workload_find(name);
    if (*info == NULL)
        return HL_OK;
    workload_options_init(*info, options);
    for (text += length; *text == ':'; text += length) {
        char assignment[WORKLOAD_TEXT_MAX];

        text++;
        length = strcspn(text, ":");
        if (length >= sizeof(assignment))
            return hl_fail(err, HL_USAGE, "%s: option '%.80s': expected at most %d characters",
                           name, text, WORKLOAD_TEXT_MAX - 1);
        (void)snprintf(assignment, sizeof(assignment), "%.*s", (int)length, text);
        HL_TRY(workload_option_set(*info, options, assignment, err));
    }
    return HL_OK;
}
