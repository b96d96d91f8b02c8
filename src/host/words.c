/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.c - text into words: the quoting of sh (POSIX, Shell Command Language 2.2), nothing else.
 *
 *     taskset -c 0  sh -c 'a "b"'     taskset | -c | 0 | sh | -c | a "b"
 */
#include "host/words.h"

#include <stdbool.h>
#include <string.h>

#include "base/memory.h"

/* Where in the text the splitter is. */
struct splitter {
    const char *at, *text, *what;
    char *word; /* the word being read, with room for all of the text */
    size_t length;
    bool is_open; /* a word has begun; '' is one */
};

static enum hl_status refuse(const struct splitter *s, char c, struct hl_error *err)
{
    return hl_fail(err, HL_USAGE,
                   "%s is \"%.200s\": it runs without a shell, and %s%c is for a shell; quote it "
                   "or write sh -c '...'",
                   s->what, s->text, c == '\n' ? "a newline" : "", c == '\n' ? ' ' : c);
}

static enum hl_status no_end(const struct splitter *s, const char *expected, struct hl_error *err)
{
    return hl_fail(err, HL_USAGE, "%s is \"%.200s\": expected %s before its end", s->what, s->text,
                   expected);
}

static void put(struct splitter *s, char c)
{
    s->word[s->length++] = c;
    s->is_open = true;
}

/* After the opening quote; leaves `at` behind the closing one. */
static enum hl_status read_single(struct splitter *s, struct hl_error *err)
{
    s->is_open = true;
    for (; *s->at != '\''; s->at++) {
        if (*s->at == '\0')
            return no_end(s, "another '", err);
        put(s, *s->at);
    }
    s->at++;
    return HL_OK;
}

static enum hl_status read_double(struct splitter *s, struct hl_error *err)
{
    s->is_open = true;
    for (; *s->at != '"'; s->at++) {
        if (*s->at == '\0')
            return no_end(s, "another \"", err);
        if (*s->at == '$' || *s->at == '`')
            return refuse(s, *s->at, err);
        /* Within double quotes a backslash quotes these four only. */
        if (*s->at == '\\' && s->at[1] != '\0' && strchr("$`\"\\", s->at[1]) != NULL)
            s->at++;
        put(s, *s->at);
    }
    s->at++;
    return HL_OK;
}

static enum hl_status read_plain(struct splitter *s, struct hl_error *err)
{
    if (*s->at == '\\') {
        s->at++;
        if (*s->at == '\0')
            return no_end(s, "a character after \\", err);
    } else if (strchr("$`|&;<>()*?[\n", *s->at) != NULL ||
               (!s->is_open && strchr("#~", *s->at) != NULL)) {
        return refuse(s, *s->at, err);
    }
    put(s, *s->at++);
    return HL_OK;
}

static enum hl_status read_word(struct splitter *s, struct hl_error *err)
{
    s->length = 0;
    s->is_open = false;
    while (*s->at != '\0' && *s->at != ' ' && *s->at != '\t') {
        if (*s->at == '\'') {
            s->at++;
            HL_TRY(read_single(s, err));
        } else if (*s->at == '"') {
            s->at++;
            HL_TRY(read_double(s, err));
        } else {
            HL_TRY(read_plain(s, err));
        }
    }
    s->word[s->length] = '\0';
    return HL_OK;
}

static enum hl_status split(struct splitter *s, char ***words, size_t *count, size_t *capacity,
                            struct hl_error *err)
{
    HL_TRY(hl_grow(words, capacity, *count + 1, sizeof(**words), err));
    for (;;) {
        s->at += strspn(s->at, " \t");
        (*words)[*count] = NULL;
        if (*s->at == '\0')
            return HL_OK;
        HL_TRY(read_word(s, err));
        HL_TRY(hl_grow(words, capacity, *count + 2, sizeof(**words), err));
        (*words)[*count] = hl_strdup(s->word);
        if ((*words)[*count] == NULL)
            return hl_fail(err, HL_NO_MEMORY, "out of memory for a word");
        ++*count;
    }
}

enum hl_status host_words_split(char ***words, size_t *count, size_t *capacity, const char *text,
                                const char *what, struct hl_error *err)
{
    struct splitter s = {.at = text, .text = text, .what = what};
    enum hl_status status;

    s.word = hl_alloc(strlen(text) + 1, 1);
    if (s.word == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for a word");
    status = split(&s, words, count, capacity, err);
    hl_free(s.word);
    return status;
}

void host_words_free(char **words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hl_free(words[i]);
    hl_free(words);
}
