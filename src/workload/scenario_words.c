/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scenario_words.c - cuts a scenario file into statements of words, and says where something is
 * wrong.
 *
 *     task A  at 0ms          # a statement begins at the start of a line
 *         run 5ms; sleep 1ms  # and goes on over lines that begin with a blank
 *     machine "pack:2 core:1 pu:2"
 *
 * Words are parted by blanks. Braces and semicolons are words of their own, and so is a colon at
 * the end of a word. Quotes make one word of all between them. A word that begins with # starts a
 * comment.
 */
#include "workload/scenario_words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* ---- cutting ---- */

struct cutter {
    struct scenario_words *words;
    const char *in; /* the rest of the text */
    char *out;      /* where the next word is written */
    int line;
    bool at_line_start; /* no word of this line has come yet */
    bool is_indented;
    bool is_continued; /* the line before ended with a backslash */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_mark(char c)
{
    return c == '{' || c == '}' || c == ';';
}

static enum hl_status cut_fail(const struct cutter *cutter, struct hl_error *err, const char *found,
                               const char *expected)
{
    return hl_fail(err, HL_BAD_INPUT, "%s:%d: %s; expected %s", cutter->words->path, cutter->line,
                   found, expected);
}

/* Adds the word whose text, with its final NUL, ends at cutter->out. */
static enum hl_status add_word(struct cutter *cutter, const char *text, bool quoted,
                               struct hl_error *err)
{
    struct scenario_words *w = cutter->words;
    bool begins = cutter->at_line_start && !cutter->is_indented && !cutter->is_continued;

    if (w->count == 0 && !begins)
        return cut_fail(cutter, err, "the first line is indented",
                        "a statement at the start of the line");
    HL_TRY(hl_grow(&w->words, &w->capacity, w->count + 1, sizeof(*w->words), err));
    w->words[w->count++] = (struct scenario_word){
        .text = text, .line = cutter->line, .quoted = quoted, .begins_statement = begins};
    cutter->at_line_start = false;
    return HL_OK;
}

static enum hl_status cut_quoted(struct cutter *cutter, struct hl_error *err)
{
    char quote = *cutter->in++;
    char *text = cutter->out;

    while (*cutter->in != quote) {
        if (*cutter->in == '\0' || *cutter->in == '\n')
            return cut_fail(cutter, err, "a quote is not closed", "its end on the same line");
        *cutter->out++ = *cutter->in++;
    }
    cutter->in++;
    *cutter->out++ = '\0';
    return add_word(cutter, text, true, err);
}

static enum hl_status cut_plain(struct cutter *cutter, struct hl_error *err)
{
    char *text = cutter->out;
    bool has_colon;

    do
        *cutter->out++ = *cutter->in++;
    while (!is_mark(text[0]) && *cutter->in != '\0' && *cutter->in != '\n' &&
           !is_blank(*cutter->in) && !is_mark(*cutter->in));
    has_colon = cutter->out - text > 1 && cutter->out[-1] == ':';
    if (has_colon)
        cutter->out--;
    *cutter->out++ = '\0';
    HL_TRY(add_word(cutter, text, false, err));
    if (!has_colon)
        return HL_OK;
    text = cutter->out;
    *cutter->out++ = ':';
    *cutter->out++ = '\0';
    return add_word(cutter, text, false, err);
}

/* Steps over blanks, comments and line ends; true if a word follows. */
static bool find_word(struct cutter *cutter)
{
    for (;; cutter->in++) {
        if (*cutter->in == '#')
            while (cutter->in[0] != '\0' && cutter->in[0] != '\n')
                cutter->in++;
        if (*cutter->in == '\0')
            return false;
        if (*cutter->in == '\n') {
            cutter->line++;
            /* A line without words neither ends nor goes on with anything. */
            cutter->is_continued = cutter->is_continued && cutter->at_line_start;
            cutter->at_line_start = true;
            cutter->is_indented = cutter->in[1] == ' ' || cutter->in[1] == '\t';
        } else if (cutter->in[0] == '\\' &&
                   (cutter->in[1] == '\n' || (cutter->in[1] == '\r' && cutter->in[2] == '\n'))) {
            cutter->in += cutter->in[1] == '\r' ? 2 : 1;
            cutter->line++;
            cutter->is_continued = cutter->at_line_start = true;
        } else if (!is_blank(*cutter->in))
            return true;
    }
}

enum hl_status scenario_words_open(struct scenario_words *words, const char *path, const char *text,
                                   struct hl_error *err)
{
    struct cutter cutter = {.words = words, .in = text, .line = 1, .at_line_start = true};
    enum hl_status status = HL_OK;

    *words = (struct scenario_words){.path = path};
    /* At worst each character is a word of its own and gets an end. */
    words->buffer = hl_alloc(2 * strlen(text) + 1, 1);
    if (words->buffer == NULL)
        return hl_fail(err, HL_NO_MEMORY, "%s: out of memory for its %zu bytes", path,
                       strlen(text));
    cutter.out = words->buffer;
    cutter.is_indented = is_blank(text[0]);
    while (status == HL_OK && find_word(&cutter))
        status = *cutter.in == '"' || *cutter.in == '\'' ? cut_quoted(&cutter, err)
                                                         : cut_plain(&cutter, err);
    if (status != HL_OK)
        scenario_words_close(words);
    return status;
}

void scenario_words_close(struct scenario_words *words)
{
    hl_free(words->buffer);
    hl_free(words->words);
    *words = (struct scenario_words){0};
}

bool scenario_words_statement(const struct scenario_words *words, size_t *next,
                              struct scenario_cursor *statement)
{
    size_t first = *next;

    if (first >= words->count)
        return false;
    do
        ++*next;
    while (*next < words->count && !words->words[*next].begins_statement);
    *statement = (struct scenario_cursor){.path = words->path,
                                          .at = words->words + first,
                                          .end = words->words + *next,
                                          .line = words->words[first].line};
    return true;
}

/* ---- taking ---- */

const char *scenario_peek(const struct scenario_cursor *c)
{
    return c->at == c->end ? NULL : c->at->text;
}

const char *scenario_take(struct scenario_cursor *c)
{
    if (c->at == c->end)
        return NULL;
    c->line = c->at->line;
    return c->at++->text;
}

bool scenario_take_if(struct scenario_cursor *c, const char *word)
{
    if (c->at == c->end || c->at->quoted || strcmp(c->at->text, word) != 0)
        return false;
    (void)scenario_take(c);
    return true;
}

enum hl_status scenario_fail(const struct scenario_cursor *c, struct hl_error *err,
                             const char *format, ...)
{
    char message[sizeof(err->text)];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    return hl_fail(err, HL_BAD_INPUT, "%s:%d: %s", c->path, c->line, message);
}

enum hl_status scenario_fail_unknown(const struct scenario_cursor *c, struct hl_error *err,
                                     const char *kind, const char *word, const char *const *known,
                                     int known_count)
{
    char where[sizeof(err->text)];

    (void)snprintf(where, sizeof(where), "%s:%d", c->path, c->line);
    return hl_fail_unknown(err, HL_BAD_INPUT, where, kind, word, known, known_count);
}

enum hl_status scenario_fail_expected(struct scenario_cursor *c, struct hl_error *err,
                                      const char *expected)
{
    const char *word = scenario_take(c);

    if (word == NULL)
        return scenario_fail(c, err, "the statement ends; expected %s", expected);
    return scenario_fail(c, err, "found '%.60s'; expected %s", word, expected);
}

enum hl_status scenario_need(struct scenario_cursor *c, const char *what, const char **word,
                             struct hl_error *err)
{
    if (c->at == c->end)
        return scenario_fail_expected(c, err, what);
    *word = scenario_take(c);
    return HL_OK;
}

enum hl_status scenario_need_end(struct scenario_cursor *c, struct hl_error *err)
{
    return c->at == c->end ? HL_OK : scenario_fail_expected(c, err, "the end of the statement");
}

enum hl_status scenario_need_int(struct scenario_cursor *c, const char *what, int64_t min,
                                 int64_t max, int64_t *value, struct hl_error *err)
{
    const char *word = scenario_take(c);

    if (word != NULL && hl_parse_int(word, value) && *value >= min && *value <= max)
        return HL_OK;
    if (word == NULL)
        return scenario_fail(c, err, "%s is missing; expected %" PRId64 " to %" PRId64, what, min,
                             max);
    return scenario_fail(c, err, "%s is '%.60s'; expected %" PRId64 " to %" PRId64, what, word, min,
                         max);
}

enum hl_status scenario_need_duration(struct scenario_cursor *c, const char *what, int64_t *ns,
                                      struct hl_error *err)
{
    const char *word = scenario_take(c);

    if (word != NULL && hl_parse_duration_ns(word, ns) && *ns >= 0 && *ns < INT64_MAX)
        return HL_OK;
    if (word == NULL)
        return scenario_fail(c, err, "%s is missing; expected a time such as 5ms", what);
    return scenario_fail(c, err, "%s is '%.60s'; expected a time such as 5ms", what, word);
}

enum hl_status scenario_need_bytes(struct scenario_cursor *c, const char *what, int64_t *bytes,
                                   struct hl_error *err)
{
    const char *word = scenario_take(c);

    if (word != NULL && hl_parse_bytes(word, bytes) && *bytes >= 1)
        return HL_OK;
    if (word == NULL)
        return scenario_fail(c, err, "%s is missing; expected bytes such as 4k", what);
    return scenario_fail(c, err, "%s is '%.60s'; expected bytes such as 4k", what, word);
}
