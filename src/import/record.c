/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.c - the parts of a record that several formats fill, and the words of a text file.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "import/reader.h"

char *import_next_line(struct import_lines *lines)
{
    char *line = lines->next;
    size_t length;

    if (line == NULL || *line == '\0')
        return NULL;
    length = strcspn(line, "\n");
    lines->next = line[length] == '\0' ? NULL : line + length + 1;
    lines->number++;
    line[length] = '\0';
    while (length > 0 && strchr("\r \t", line[length - 1]) != NULL)
        line[--length] = '\0';
    return line + strspn(line, " \t");
}

char *import_next_word(char **text)
{
    char *word = *text + strspn(*text, " \t");
    size_t length = strcspn(word, " \t");

    *text = word + length;
    if (word[length] != '\0') {
        word[length] = '\0';
        ++*text;
    }
    return word;
}

/* Whole nanoseconds of a plain number of seconds. */
static bool parse_seconds(const char *text, int64_t *ns)
{
    char plain[40], *comma;

    if (strlen(text) >= sizeof(plain))
        return false;
    (void)memcpy(plain, text, strlen(text) + 1);
    comma = strchr(plain, ',');
    if (comma != NULL)
        *comma = '.';
    /* The parser knows percentages and signs; a clock does not. */
    return strspn(plain, ".0123456789") == strlen(plain) &&
           hl_parse_decimal(plain, HL_NS_PER_S, ns);
}

/* Adds a count of minutes or hours to *ns. */
static bool add_whole(const char *text, size_t length, int64_t unit_s, int64_t *ns)
{
    char number[20];
    int64_t count, more;

    if (length == 0 || length >= sizeof(number) || strspn(text, "0123456789") < length)
        return false;
    memcpy(number, text, length);
    number[length] = '\0';
    return hl_parse_int(number, &count) && !__builtin_mul_overflow(count, unit_s, &more) &&
           !__builtin_mul_overflow(more, HL_NS_PER_S, &more) &&
           !__builtin_add_overflow(*ns, more, ns);
}

bool import_parse_clock(const char *text, double *seconds)
{
    char last[40];
    const char *colon = strchr(text, ':'), *letter = strchr(text, 'm');
    int64_t ns = 0, rest;
    size_t length;

    if (colon != NULL) {
        const char *second = strchr(colon + 1, ':');

        if (!add_whole(text, (size_t)(colon - text), second == NULL ? 60 : 3600, &ns))
            return false;
        if (second != NULL && !add_whole(colon + 1, (size_t)(second - colon) - 1, 60, &ns))
            return false;
        text = (second == NULL ? colon : second) + 1;
    } else if (letter != NULL) {
        if (!add_whole(text, (size_t)(letter - text), 60, &ns))
            return false;
        text = letter + 1;
    }
    length = strlen(text);
    if (length >= sizeof(last))
        return false;
    memcpy(last, text, length + 1);
    /* "1m21.670s" needs its last letter, "81.6s" may have it, "3:25.56" has none. */
    if (length > 0 && last[length - 1] == 's' && colon == NULL)
        last[length - 1] = '\0';
    else if (letter != NULL && colon == NULL)
        return false;
    if (!parse_seconds(last, &rest) || __builtin_add_overflow(ns, rest, &ns))
        return false;
    if ((colon != NULL || letter != NULL) && rest >= 60 * HL_NS_PER_S)
        return false;
    *seconds = (double)ns / (double)HL_NS_PER_S;
    return true;
}

/* Squares of it, and sums of these over more runs than a file may have, are finite. */
static const double figure_most = 1e100;

bool import_parse_amount(const char *text, double *value)
{
    return hl_parse_double(text, value) && *value >= 0 && *value <= figure_most;
}

bool import_is_figure(int metric, double value, const char **expected)
{
    const char *wrong = NULL;

    if (!(fabs(value) <= figure_most))
        wrong = "a number of at most 1e100";
    else if (metric < RUN_METRIC_COUNT && value < 0)
        wrong = "no negative one";
    if (expected != NULL)
        *expected = wrong;
    return wrong == NULL;
}

bool import_copy(char *field, size_t bytes, const char *text)
{
    size_t length = strlen(text);

    if (length >= bytes)
        return false;
    memcpy(field, text, length + 1);
    return true;
}

bool import_set_load(struct run *run, const char *label)
{
    int64_t level;

    run->level =
        strspn(label, "0123456789") == strlen(label) && hl_parse_int(label, &level) ? level : -1;
    return IMPORT_COPY(run->load, label);
}

void import_run_init(const struct import_source *source, struct run *run, const char *reason)
{
    const char *load = source->options->load;

    run_init(run, RUN_IMPORT, reason);
    (void)snprintf(run->workload, sizeof(run->workload), "unnamed");
    /* One that does not fit is refused by import_apply_options. */
    if (load == NULL || !import_set_load(run, load))
        (void)import_set_load(run, "unnamed");
}

enum hl_status import_refuse_load(const struct import_source *source, const char *format,
                                  struct hl_error *err)
{
    if (source->options->load == NULL)
        return HL_OK;
    return hl_fail(err, HL_USAGE, "%s: %s names its loads itself; expected no load '%.40s' for it",
                   source->name, format, source->options->load);
}

enum hl_status import_apply_options(const struct import_source *source, struct run *run,
                                    struct hl_error *err)
{
    const struct import_options *options = source->options;

    if (options->workload != NULL && !IMPORT_COPY(run->workload, options->workload))
        return hl_fail(err, HL_USAGE, "workload '%.40s...' is longer than %zu bytes",
                       options->workload, sizeof(run->workload) - 1);
    if (options->load != NULL && strlen(options->load) >= sizeof(run->load))
        return hl_fail(err, HL_USAGE, "load '%.40s...' is longer than %zu bytes", options->load,
                       sizeof(run->load) - 1);
    for (int i = 0; i < options->variant_count; i++) {
        const char *text = options->variant[i], *equals = strchr(text, '=');
        char key[64] = "";

        if (equals == NULL || equals == text || (size_t)(equals - text) >= sizeof(key))
            return hl_fail(err, HL_USAGE, "variant '%.80s'; expected KEY=VALUE", text);
        memcpy(key, text, (size_t)(equals - text));
        HL_TRY(run_variant_set(run, key, equals + 1, err));
    }
    return HL_OK;
}

void import_set_percent_cpu(struct run *run)
{
    double elapsed_s = run->metric[RUN_elapsed_s];

    if (run_has(run, RUN_elapsed_s) && run_has(run, RUN_user_s) && run_has(run, RUN_system_s) &&
        elapsed_s > 0)
        run_set(run, RUN_percent_cpu,
                100 * (run->metric[RUN_user_s] + run->metric[RUN_system_s]) / elapsed_s);
}

int32_t import_next_number(const struct import_source *source, const struct run *run)
{
    const struct run_list *runs = &source->result->runs;
    int32_t next = 0;

    for (size_t i = 0; i < runs->count; i++)
        if (run_same_arm(&runs->runs[i], run) && run_same_load(&runs->runs[i], run) &&
            runs->runs[i].run >= next && next < INT32_MAX)
            next = runs->runs[i].run + 1;
    return next;
}
