/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernbench_log.c - the log of the kernbench script, new and old form, and our own in its form.
 *
 *     Thu Feb  5 10:11:12 UTC 2026          Average Half Load Run:
 *     6.12.0                                Elapsed Time 120.186
 *     Average Half load -j 3 Run (std deviation):
 *     Elapsed Time 81.552 (0.342)           Average Optimum Load Run:
 *     User Time 214.6 (1.02)                ...
 *     ...
 *
 * A block is the mean of several runs; the log says neither how many nor what each took. It becomes
 * one run, and each figure says that it is a mean and with what deviation. Lines outside of blocks
 * are remarks; the last one that is a single word is what the blocks after it were made with: the
 * kernel's release where it begins with a digit. The script appends to its log, so a load may come
 * several times.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "base/units.h"
#include "import/reader.h"

static const struct {
    const char *name;
    enum run_metric metric;
} line_table[] = {
    {"Elapsed Time", RUN_elapsed_s},
    {"User Time", RUN_user_s},
    {"System Time", RUN_system_s},
    {"Percent CPU", RUN_percent_cpu},
    {"Context Switches", RUN_involuntary_switches},
    {"Sleeps", RUN_voluntary_switches},
};

/* First words of a heading after "Average", and our labels. */
static const struct {
    const char *word, *label;
} load_table[] = {
    {"Half", "half"},   {"Optimal", "optimal"}, {"Optimum", "optimal"},
    {"Maximal", "max"}, {"Maximum", "max"},     {"Single", "single"},
};

struct log {
    const struct import_source *source;
    struct import_lines lines;
    char variant[sizeof(((struct run *)0)->variant)];
    bool in_block;
    struct run run; /* of the block */
    bool is_set[RUN_METRIC_COUNT];
};

static bool is_heading(const char *line)
{
    return strncmp(line, "Average ", 8) == 0 && strstr(line, "Run") != NULL;
}

bool import_is_kernbench_log(const char *text)
{
    for (; text != NULL; text = strchr(text, '\n')) {
        char line[96];

        text += *text == '\n' ? 1 : 0;
        (void)snprintf(line, sizeof(line), "%.*s",
                       (int)HL_MIN(strcspn(text, "\n"), sizeof(line) - 1), text);
        if (is_heading(line))
            return true;
    }
    return false;
}

static enum hl_status end_block(struct log *log, struct hl_error *err)
{
    if (!log->in_block)
        return HL_OK;
    log->in_block = false;
    HL_TRY(import_apply_options(log->source, &log->run, err));
    log->run.run = import_next_number(log->source, &log->run);
    return import_add(log->source, &log->run, "", err);
}

static enum hl_status wrong_heading(const struct log *log, const char *word, struct hl_error *err)
{
    const char *known[HL_COUNT_OF(load_table)];
    char where[512];

    for (int i = 0; i < HL_COUNT_OF(load_table); i++)
        known[i] = load_table[i].word;
    (void)snprintf(where, sizeof(where), "%s:%d", log->source->name, log->lines.number);
    return hl_fail_unknown(err, HL_BAD_INPUT, where, "load", word, known, HL_COUNT_OF(load_table));
}

/* "-j 3", "-j3", or a bare "-j" for no limit: the level, 0 for none. */
static bool read_level(const char *word, char **rest, int64_t *level)
{
    char ahead = (*rest)[strspn(*rest, " \t")];

    *level = 0;
    if (word[2] == '\0' && (ahead < '0' || ahead > '9'))
        return true;
    return hl_parse_int(word[2] != '\0' ? word + 2 : import_next_word(rest), level) && *level >= 1;
}

/* The load of a heading; `rest` is behind "Average ". A plain load has no name: "load -j 3 Run". */
static enum hl_status read_heading(struct log *log, char *rest, struct hl_error *err)
{
    const char *label = NULL;
    char number[24];
    int64_t level = -1;

    for (char *word = import_next_word(&rest); *word != '\0'; word = import_next_word(&rest)) {
        int i = 0;

        if (strcmp(word, "Run") == 0 || strcmp(word, "Run:") == 0)
            break;
        if (strcasecmp(word, "load") == 0 || strcasecmp(word, "Threaded") == 0)
            continue;
        if (strncmp(word, "-j", 2) == 0) {
            if (!read_level(word, &rest, &level))
                return hl_fail(err, HL_BAD_INPUT,
                               "%s:%d: the number of jobs of the load; expected 1 or more",
                               log->source->name, log->lines.number);
            continue;
        }
        while (i < HL_COUNT_OF(load_table) && strcasecmp(word, load_table[i].word) != 0)
            i++;
        if (label == NULL && i < HL_COUNT_OF(load_table))
            label = load_table[i].label;
        else if (label == NULL && strspn(word, "0123456789") > 0 && strpbrk(word, "x") != NULL)
            label = word; /* our own "2x" */
        else
            return wrong_heading(log, word, err);
    }
    if (label == NULL && level < 1)
        return wrong_heading(log, "", err);
    (void)snprintf(number, sizeof(number), "%lld", (long long)level);
    if (!import_set_load(&log->run, label == NULL ? number : label))
        return wrong_heading(log, label, err);
    if (level >= 0)
        log->run.level = level;
    return HL_OK;
}

static enum hl_status begin_block(struct log *log, char *line, struct hl_error *err)
{
    HL_TRY(end_block(log, err));
    import_run_init(log->source, &log->run, "not in the kernbench log");
    (void)snprintf(log->run.workload, sizeof(log->run.workload), "kernbench");
    (void)snprintf(log->run.variant, sizeof(log->run.variant), "%s", log->variant);
    (void)snprintf(log->run.note, sizeof(log->run.note),
                   "each value is a mean that the log gives, its runs are not in it");
    memset(log->is_set, 0, sizeof(log->is_set));
    log->in_block = true;
    return read_heading(log, line + strlen("Average "), err);
}

/* "81.552 (0.342)"; kernbench prints "nan" as the deviation of one run. Blank: it was not had. */
static enum hl_status read_figure(struct log *log, int index, char *rest, struct hl_error *err)
{
    enum run_metric metric = line_table[index].metric;
    char *figure = import_next_word(&rest), *deviation = import_next_word(&rest);
    size_t length = strlen(deviation);
    bool is_right = *import_next_word(&rest) == '\0';
    double value, spread = -1;
    char how[96];

    if (log->is_set[metric])
        return hl_fail(err, HL_BAD_INPUT, "%s:%d: %s comes twice in one block", log->source->name,
                       log->lines.number, line_table[index].name);
    log->is_set[metric] = true;
    if (figure[0] == '\0' || strcasecmp(figure, "nan") == 0 || strcasecmp(figure, "-nan") == 0) {
        log->run.reason[metric] = "blank in the kernbench log";
        return HL_OK;
    }
    if (length > 0) {
        is_right = is_right && length > 2 && deviation[0] == '(' && deviation[length - 1] == ')';
        deviation[length - 1] = '\0';
        deviation++;
        if (strcasecmp(deviation, "nan") != 0 && strcasecmp(deviation, "-nan") != 0)
            is_right = is_right && import_parse_amount(deviation, &spread);
    }
    if (!is_right || !import_parse_amount(figure, &value))
        return hl_fail(
            err, HL_BAD_INPUT,
            "%s:%d: %s is '%.40s'; expected a number, then perhaps its deviation as (0.1)",
            log->source->name, log->lines.number, line_table[index].name, figure);
    run_set(&log->run, metric, value);
    (void)snprintf(how, sizeof(how), "mean of several runs by kernbench%s%.40s",
                   spread >= 0 ? ", deviation " : "", spread >= 0 ? deviation : "");
    log->run.reason[metric] = run_reason_keep(how);
    return HL_OK;
}

static int find_line(const char *line)
{
    for (int i = 0; i < HL_COUNT_OF(line_table); i++) {
        size_t length = strlen(line_table[i].name);

        if (strncmp(line, line_table[i].name, length) == 0 &&
            (line[length] == '\0' || line[length] == ' ' || line[length] == '\t'))
            return i;
    }
    return -1;
}

/* A remark: the last single word is what the next blocks were made with. */
static void read_remark(struct log *log, char *line)
{
    char *word = import_next_word(&line);

    if (*import_next_word(&line) == '\0' && strlen(word) < 100)
        (void)snprintf(log->variant, sizeof(log->variant), "%s%s",
                       word[0] >= '0' && word[0] <= '9' ? "kernel=" : "", word);
}

/* The date or the kernel with which the next invocation begins, without an empty line before. */
static bool begins_invocation(const char *line)
{
    static const char *const days[] = {"Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "};

    for (int i = 0; i < HL_COUNT_OF(days); i++)
        if (strncmp(line, days[i], 4) == 0)
            return true;
    return strpbrk(line, " \t") == NULL;
}

static enum hl_status read_line(struct log *log, char *line, struct hl_error *err)
{
    int index = find_line(line);

    if (line[0] == '\0')
        return end_block(log, err);
    if (is_heading(line))
        return begin_block(log, line, err);
    if (index >= 0 && log->in_block)
        return read_figure(log, index, line + strlen(line_table[index].name), err);
    if (index >= 0)
        return hl_fail(
            err, HL_BAD_INPUT,
            "%s:%d: '%.40s' stands in no block; expected a line 'Average ... Run:' before",
            log->source->name, log->lines.number, line);
    if (log->in_block &&
        (strncmp(line, "Left out: ", 10) == 0 || strncmp(line, "Two modes: ", 11) == 0)) {
        size_t used = strlen(log->run.note);

        (void)snprintf(log->run.note + used, sizeof(log->run.note) - used, ". %.150s", line);
        return HL_OK;
    }
    if (log->in_block && !begins_invocation(line))
        return hl_fail(
            err, HL_BAD_INPUT,
            "%s:%d: found '%.40s'; expected Elapsed Time, User Time, System Time, Percent "
            "CPU, Context Switches, Sleeps or an empty line",
            log->source->name, log->lines.number, line);
    HL_TRY(end_block(log, err));
    read_remark(log, line);
    return HL_OK;
}

enum hl_status import_kernbench_log(const struct import_source *source, char *text,
                                    struct hl_error *err)
{
    struct log log = {.source = source, .lines = {.next = text}};
    char *line;

    HL_TRY(import_refuse_load(source, "a kernbench log", err));
    while ((line = import_next_line(&log.lines)) != NULL)
        HL_TRY(read_line(&log, line, err));
    return end_block(&log, err);
}
