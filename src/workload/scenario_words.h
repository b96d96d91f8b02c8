/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scenario_words.h - the text of a scenario file as statements of words. For the scenario_*.c files
 * only.
 */
#ifndef HL_WORKLOAD_SCENARIO_WORDS_H
#define HL_WORKLOAD_SCENARIO_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct scenario_word {
    const char *text; /* in the buffer of scenario_words */
    int line;
    bool quoted;
    bool begins_statement;
};

struct scenario_words {
    const char *path;
    char *buffer;
    struct scenario_word *words;
    size_t count, capacity;
};

/* A place in one statement. */
struct scenario_cursor {
    const char *path;
    const struct scenario_word *at, *end; /* at == end: no word is left */
    int line;                             /* of the word taken last */
};

/* `path` must outlive the words. Closing is safe on zeroed words. */
enum hl_status scenario_words_open(struct scenario_words *words, const char *path, const char *text,
                                   struct hl_error *err) HL_MUST_CHECK;
void scenario_words_close(struct scenario_words *words);

/* Statements in order: start with *next 0; false at the end. */
bool scenario_words_statement(const struct scenario_words *words, size_t *next,
                              struct scenario_cursor *statement);

/* The next word, and steps over it; NULL if none is left. */
const char *scenario_take(struct scenario_cursor *c);
/* The next word without a step; NULL if none is left. */
const char *scenario_peek(const struct scenario_cursor *c);
/* Steps over the next word if it is this one, unquoted. */
bool scenario_take_if(struct scenario_cursor *c, const char *word);

/* "PATH:LINE: message" for the word taken last. */
enum hl_status scenario_fail(const struct scenario_cursor *c, struct hl_error *err,
                             const char *format, ...) HL_PRINTF(3, 4) HL_MUST_CHECK;
/* The same for an unknown word: lists the known ones. */
enum hl_status scenario_fail_unknown(const struct scenario_cursor *c, struct hl_error *err,
                                     const char *kind, const char *word, const char *const *known,
                                     int known_count) HL_MUST_CHECK;
/* "PATH:LINE: found WORD; expected ...", or "... the statement ends" when no word is left. */
enum hl_status scenario_fail_expected(struct scenario_cursor *c, struct hl_error *err,
                                      const char *expected) HL_MUST_CHECK;

/* A word that must be there; `what` says which: "a name". */
enum hl_status scenario_need(struct scenario_cursor *c, const char *what, const char **word,
                             struct hl_error *err) HL_MUST_CHECK;
/* Nothing may follow. */
enum hl_status scenario_need_end(struct scenario_cursor *c, struct hl_error *err) HL_MUST_CHECK;

/* Words that are numbers; `what` names the quantity: "nice". */
enum hl_status scenario_need_int(struct scenario_cursor *c, const char *what, int64_t min,
                                 int64_t max, int64_t *value, struct hl_error *err) HL_MUST_CHECK;
enum hl_status scenario_need_duration(struct scenario_cursor *c, const char *what, int64_t *ns,
                                      struct hl_error *err) HL_MUST_CHECK;
enum hl_status scenario_need_bytes(struct scenario_cursor *c, const char *what, int64_t *bytes,
                                   struct hl_error *err) HL_MUST_CHECK;

#endif
