/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * time_lines.c - what the time commands of shells and systems print; each record is one run.
 *
 *     4707.78 real 9019.12 user 38.34 sys                        BSD
 *     120.19 800.61 92.60 743% 10430 26554                       GNU, -f "%e %U %S %P %c %w" or its
 *                                                                first fields; %E as 3:25.56 too
 *     800.61user 92.60system 2:00.19elapsed 743%CPU (...)k       GNU without -f, and a second line
 *     real 1m21.670s  /  user 3m34.6s  /  sys 0m22.910s          bash, a line each; POSIX: real 81.67
 *     Elapsed (wall clock) time (h:mm:ss or m:ss): 1:21.67       GNU -v, between "Command being timed"
 *                                                                and "Exit status"
 *     Command exited with non-zero status 2                      GNU, before the numbers
 *
 * Empty lines and lines that begin with "#" are left out; any other line is an error, since what is
 * not understood may be a run.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "import/reader.h"

struct times {
    const struct import_source *source;
    struct import_lines lines;
    struct run run;  /* being put together */
    bool is_open;    /* it has a figure, or a status and figures to come */
    bool is_verbose; /* between the first and last line of -v */
    int begun_at;    /* line where it begins */
    int32_t next;    /* number of the next run; all are of one cell. -1: not yet known */
};

static const char not_told[] = "not among what time printed";

static void open_run(struct times *t)
{
    if (t->is_open)
        return;
    import_run_init(t->source, &t->run, not_told);
    t->is_open = true;
    t->begun_at = t->lines.number;
}

static enum hl_status close_run(struct times *t, struct hl_error *err)
{
    if (!t->is_open)
        return HL_OK;
    t->is_open = false;
    if (!run_has(&t->run, RUN_elapsed_s))
        return hl_fail(
            err, HL_BAD_INPUT,
            "%s:%d: found no elapsed time after this line; expected the numbers of the run",
            t->source->name, t->begun_at);
    import_set_percent_cpu(&t->run);
    HL_TRY(import_apply_options(t->source, &t->run, err));
    if (t->next < 0)
        t->next = import_next_number(t->source, &t->run);
    t->run.run = t->run.order = t->next++;
    return import_add(t->source, &t->run, "", err);
}

static enum hl_status wrong(const struct times *t, const char *what, const char *expected,
                            struct hl_error *err)
{
    return hl_fail(err, HL_BAD_INPUT, "%s:%d: found '%.60s'; expected %s", t->source->name,
                   t->lines.number, what, expected);
}

static enum hl_status set_seconds(struct times *t, enum run_metric metric, const char *text,
                                  struct hl_error *err)
{
    double seconds;

    if (!import_parse_clock(text, &seconds))
        return wrong(t, text, "a time such as 81.6, 3:25.56 or 1m21.670s", err);
    if (run_has(&t->run, metric))
        return wrong(t, text, "one time of a kind in a run", err);
    run_set(&t->run, metric, seconds);
    return HL_OK;
}

/* "743%"; GNU prints "?%" where nothing elapsed. */
static enum hl_status set_percent(struct times *t, char *text, struct hl_error *err)
{
    size_t length = strlen(text);
    double percent;

    if (strcmp(text, "?%") == 0)
        return HL_OK;
    if (length > 1 && text[length - 1] == '%') {
        text[length - 1] = '\0';
        if (import_parse_amount(text, &percent)) {
            run_set(&t->run, RUN_percent_cpu, percent);
            return HL_OK;
        }
        text[length - 1] = '%';
    }
    return wrong(t, text, "a percentage such as 743%", err);
}

static enum hl_status set_count(struct times *t, enum run_metric metric, const char *text,
                                struct hl_error *err)
{
    int64_t count;

    if (!hl_parse_int(text, &count) || count < 0)
        return wrong(t, text, "a count of switches", err);
    run_set(&t->run, metric, (double)count);
    return HL_OK;
}

/* ---- the status line ---- */

static bool number_after(const char *line, const char *start, int64_t *number)
{
    size_t length = strlen(start);

    return strncmp(line, start, length) == 0 && hl_parse_int(line + length, number);
}

/* The command's end, told before its numbers. False if the line is another one. */
static bool read_status(struct times *t, const char *line)
{
    int64_t number;
    bool is_killed = number_after(line, "Command terminated by signal ", &number);

    if (!is_killed && !number_after(line, "Command exited with non-zero status ", &number))
        return false;
    open_run(t);
    t->run.status = is_killed ? RUN_KILLED : RUN_FAILED;
    t->run.exit_status = (int32_t)(is_killed ? 128 + number % 128 : number % 256);
    (void)snprintf(t->run.note, sizeof(t->run.note), "%.200s", line);
    return true;
}

/* ---- one line, one run ---- */

/* Fields of -f "%e %U %S %P %c %w". */
static enum hl_status read_fields(struct times *t, char *line, struct hl_error *err)
{
    enum hl_status status;

    open_run(t);
    status = set_seconds(t, RUN_elapsed_s, import_next_word(&line), err);
    for (int field = 1; status == HL_OK; field++) {
        char *word = import_next_word(&line);

        if (*word == '\0')
            return close_run(t, err);
        switch (field) {
        case 1: status = set_seconds(t, RUN_user_s, word, err); break;
        case 2: status = set_seconds(t, RUN_system_s, word, err); break;
        case 3: status = set_percent(t, word, err); break;
        case 4: status = set_count(t, RUN_involuntary_switches, word, err); break;
        case 5: status = set_count(t, RUN_voluntary_switches, word, err); break;
        default: status = wrong(t, word, "at most six fields: %e %U %S %P %c %w", err); break;
        }
    }
    return status;
}

/* "4707.78 real 9019.12 user 38.34 sys" */
static enum hl_status read_bsd(struct times *t, char *line, struct hl_error *err)
{
    static const struct {
        const char *name;
        enum run_metric metric;
    } parts[] = {{"real", RUN_elapsed_s}, {"user", RUN_user_s}, {"sys", RUN_system_s}};

    open_run(t);
    for (int i = 0; i < HL_COUNT_OF(parts); i++) {
        char *figure = import_next_word(&line), *name = import_next_word(&line);

        if (strcmp(name, parts[i].name) != 0)
            return wrong(t, name, "TIME real TIME user TIME sys", err);
        HL_TRY(set_seconds(t, parts[i].metric, figure, err));
    }
    if (*import_next_word(&line) != '\0')
        return wrong(t, line, "nothing after TIME sys", err);
    return close_run(t, err);
}

/* "800.61user 92.60system 2:00.19elapsed 743%CPU (0avgtext+0avgdata 190000maxresident)k" */
static enum hl_status read_gnu(struct times *t, char *line, struct hl_error *err)
{
    static const struct {
        const char *name;
        enum run_metric metric;
    } parts[] = {{"user", RUN_user_s}, {"system", RUN_system_s}, {"elapsed", RUN_elapsed_s}};
    char *word;

    open_run(t);
    for (int i = 0; i < HL_COUNT_OF(parts); i++) {
        char *name;

        word = import_next_word(&line);
        name = word + strcspn(word, "abcdefghijklmnopqrstuvwxyz");
        if (strcmp(name, parts[i].name) != 0)
            return wrong(t, word, "TIMEuser TIMEsystem TIMEelapsed", err);
        *name = '\0';
        HL_TRY(set_seconds(t, parts[i].metric, word, err));
    }
    word = import_next_word(&line);
    if (strlen(word) < 4 || strcmp(word + strlen(word) - 3, "CPU") != 0)
        return wrong(t, word, "a percentage such as 743%CPU", err);
    word[strlen(word) - 3] = '\0';
    HL_TRY(set_percent(t, word, err));
    return close_run(t, err);
}

/* ---- a line each ---- */

/* "real 1m21.670s" and its two fellows, in any order. The second of a kind begins the next run. */
static enum hl_status read_shell(struct times *t, enum run_metric metric, const char *figure,
                                 struct hl_error *err)
{
    if (t->is_open && run_has(&t->run, metric))
        HL_TRY(close_run(t, err));
    open_run(t);
    HL_TRY(set_seconds(t, metric, figure, err));
    if (run_has(&t->run, RUN_elapsed_s) && run_has(&t->run, RUN_user_s) &&
        run_has(&t->run, RUN_system_s))
        return close_run(t, err);
    return HL_OK;
}

/* A line of -v; those that are not of interest are passed over. */
static enum hl_status read_verbose(struct times *t, char *line, struct hl_error *err)
{
    static const struct {
        const char *name;
        enum { TIME, PERCENT, COUNT } kind;
        enum run_metric metric;
    } parts[] = {
        {"User time (seconds): ", TIME, RUN_user_s},
        {"System time (seconds): ", TIME, RUN_system_s},
        {"Elapsed (wall clock) time (h:mm:ss or m:ss): ", TIME, RUN_elapsed_s},
        {"Percent of CPU this job got: ", PERCENT, RUN_percent_cpu},
        {"Voluntary context switches: ", COUNT, RUN_voluntary_switches},
        {"Involuntary context switches: ", COUNT, RUN_involuntary_switches},
    };
    int64_t exit_status;

    if (number_after(line, "Exit status: ", &exit_status)) {
        t->is_verbose = false;
        if (t->run.status == RUN_OK && exit_status != 0) {
            t->run.status = RUN_FAILED;
            t->run.exit_status = (int32_t)(exit_status % 256);
            (void)snprintf(t->run.note, sizeof(t->run.note), "%.200s", line);
        }
        return close_run(t, err);
    }
    for (int i = 0; i < HL_COUNT_OF(parts); i++) {
        size_t length = strlen(parts[i].name);

        if (strncmp(line, parts[i].name, length) != 0)
            continue;
        switch (parts[i].kind) {
        case TIME: return set_seconds(t, parts[i].metric, line + length, err);
        case PERCENT: return set_percent(t, line + length, err);
        case COUNT: return set_count(t, parts[i].metric, line + length, err);
        }
    }
    if (strchr(line, ':') == NULL)
        return wrong(t, line, "a line NAME: VALUE of time -v, up to Exit status", err);
    return HL_OK;
}

static enum hl_status read_line(struct times *t, char *line, struct hl_error *err)
{
    static const struct {
        const char *name;
        enum run_metric metric;
    } shell[] = {{"real", RUN_elapsed_s}, {"user", RUN_user_s}, {"sys", RUN_system_s}};
    size_t word = strcspn(line, " \t");

    if (line[0] == '\0' || line[0] == '#')
        return HL_OK;
    if (t->is_verbose)
        return read_verbose(t, line, err);
    for (int i = 0; i < HL_COUNT_OF(shell); i++)
        if (strlen(shell[i].name) == word && strncmp(line, shell[i].name, word) == 0)
            return read_shell(t, shell[i].metric, line + word + strspn(line + word, " \t"), err);
    /* Of a run that is open by its status line the numbers follow; else it is incomplete. */
    if (t->is_open && run_has(&t->run, RUN_elapsed_s))
        HL_TRY(close_run(t, err));
    if (t->is_open && t->run.status == RUN_OK)
        return wrong(t, line, "the lines real, user and sys of a run together", err);
    if (strncmp(line, "Command being timed: ", 21) == 0) {
        open_run(t);
        t->is_verbose = true;
        return HL_OK;
    }
    if (t->is_open && strncmp(line, "Command ", 8) == 0)
        return wrong(t, line, "the numbers of the run before", err);
    if (read_status(t, line))
        return HL_OK;
    if (strstr(line, "inputs+") != NULL && strstr(line, "pagefaults") != NULL)
        return HL_OK; /* the second line of GNU's own format */
    if (strstr(line, "elapsed") != NULL && strstr(line, "user ") != NULL)
        return read_gnu(t, line, err);
    if (strstr(line, " real") != NULL)
        return read_bsd(t, line, err);
    if (line[0] >= '0' && line[0] <= '9')
        return read_fields(t, line, err);
    return wrong(t, line,
                 "a line of time(1) (or a kernbench log, hyperfine's JSON, CSV with the columns "
                 "metric and value, halfload's JSON)",
                 err);
}

enum hl_status import_time_lines(const struct import_source *source, char *text,
                                 struct hl_error *err)
{
    struct times t = {.source = source, .lines = {.next = text}, .next = -1};
    char *line;

    while ((line = import_next_line(&t.lines)) != NULL)
        HL_TRY(read_line(&t, line, err));
    if (t.is_verbose)
        return hl_fail(err, HL_BAD_INPUT,
                       "%s:%d: found the end of the file; expected 'Exit status: N' of time -v",
                       source->name, t.lines.number);
    return close_run(&t, err);
}
