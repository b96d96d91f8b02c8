/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scenario_expect.c - what a scenario file says must come out.
 *
 *     expect at 10ms mean A.wait_ns <= 3ms +- 1%
 *     expect same_core(A, B) == 0
 */
#include "workload/scenario_build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

static const char *const compare_words[] = {
    [COMPARE_EQ] = "==", [COMPARE_NE] = "!=", [COMPARE_LT] = "<",
    [COMPARE_LE] = "<=", [COMPARE_GT] = ">",  [COMPARE_GE] = ">=",
};

static const char *const over_words[] = {
    [OVER_EACH] = "each", [OVER_MEAN] = "mean", [OVER_MIN] = "min", [OVER_MAX] = "max"};

static int find_word(const char *word, const char *const *words, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return -1;
}

/* A number with a unit is a time and becomes ns. */
static bool parse_number(const char *word, double *value)
{
    const int64_t scale = 1000000; /* digits kept of a decimal */
    int64_t number;
    char last = word[0] == '\0' ? '\0' : word[strlen(word) - 1];

    if (hl_parse_int(word, &number) || (last >= 'a' && hl_parse_duration_ns(word, &number))) {
        *value = (double)number;
        return true;
    }
    if (last == '%' || !hl_parse_decimal(word, scale, &number))
        return false;
    *value = (double)number / (double)scale;
    return true;
}

/* The words up to the comparison, joined: blanks are free in "same_core(A, B)". */
static enum hl_status need_left(struct scenario_expect *e, struct scenario_cursor *c,
                                struct hl_error *err)
{
    size_t used = 0;

    while (scenario_peek(c) != NULL &&
           find_word(scenario_peek(c), compare_words, HL_COUNT_OF(compare_words)) < 0) {
        const char *word = scenario_take(c);
        size_t length = strlen(word);

        if (used > 0 && strchr(e->left, '(') == NULL && word[0] != '(')
            return strchr("=!<>~", word[0]) != NULL && word[0] != '\0'
                       ? scenario_fail(c, err,
                                       "found '%.60s'; expected ==, !=, <, <=, > or >=", word)
                       : scenario_fail_unknown(c, err, "word", e->left, over_words,
                                               HL_COUNT_OF(over_words));
        if (length >= sizeof(e->left) - used)
            return scenario_fail(c, err,
                                 "what is compared has more than %zu characters; expected fewer",
                                 sizeof(e->left) - 1);
        memcpy(e->left + used, word, length + 1);
        used += length;
    }
    return used == 0 ? scenario_fail_expected(c, err, "what is compared, such as A.wait_ns")
                     : HL_OK;
}

/* "+- 3", "+-1%", "within 5ms", or nothing. */
static enum hl_status read_tolerance(struct scenario_expect *e, struct scenario_cursor *c,
                                     struct hl_error *err)
{
    const char *word = scenario_take(c);
    int64_t millionths;

    if (word == NULL)
        return HL_OK;
    if (strncmp(word, "+-", 2) == 0 && word[2] != '\0')
        word += 2;
    else if (strcmp(word, "+-") == 0 || strcmp(word, "within") == 0)
        HL_TRY(scenario_need(c, "a tolerance", &word, err));
    else
        return scenario_fail(c, err, "found '%.60s'; expected '+-' and a tolerance, or the end",
                             word);
    if (strchr(word, '%') != NULL && hl_parse_decimal(word, 1000000, &millionths))
        e->tolerance = fabs(e->right) * (double)millionths / 1e6;
    else if (!parse_number(word, &e->tolerance))
        e->tolerance = -1;
    if (e->tolerance < 0)
        return scenario_fail(
            c, err, "tolerance is '%.60s'; expected a number, a time or a percentage", word);
    return scenario_need_end(c, err);
}

/* The words of the statement with single blanks between them. */
static void copy_words(char *text, size_t bytes, const struct scenario_cursor *c)
{
    size_t used = 0;

    text[0] = '\0';
    for (const struct scenario_word *word = c->at; word < c->end && used < bytes; word++)
        used +=
            (size_t)snprintf(text + used, bytes - used, "%s%s", used > 0 ? " " : "", word->text);
}

enum hl_status scenario_expect(struct scenario_build *b, struct scenario_cursor *c,
                               struct hl_error *err)
{
    struct scenario *s = b->s;
    struct scenario_expect e = {.line = c->line, .at_ns = INT64_MAX, .over = OVER_EACH};
    const char *word;
    int found;

    copy_words(e.text, sizeof(e.text), c);
    if (scenario_take_if(c, "at") && !scenario_take_if(c, "end"))
        HL_TRY(scenario_need_duration(c, "at", &e.at_ns, err));
    found = scenario_peek(c) == NULL
                ? -1
                : find_word(scenario_peek(c), over_words, HL_COUNT_OF(over_words));
    if (found >= 0) {
        e.over = (enum scenario_over)found;
        (void)scenario_take(c);
    }
    HL_TRY(need_left(&e, c, err));
    word = scenario_take(c);
    if (word == NULL)
        return scenario_fail(
            c, err, "'%s' is compared with nothing; expected ==, !=, <, <=, > or >=", e.left);
    e.compare = (enum scenario_compare)find_word(word, compare_words, HL_COUNT_OF(compare_words));
    HL_TRY(scenario_need(c, "a number", &word, err));
    if (!parse_number(word, &e.right))
        return scenario_fail(c, err, "found '%.60s'; expected a number or a time such as 5ms",
                             word);
    HL_TRY(read_tolerance(&e, c, err));
    if (s->expect_count >= SCENARIO_EXPECTS_MAX)
        return scenario_fail(c, err, "more than %d expectations; expected at most that many",
                             SCENARIO_EXPECTS_MAX);
    HL_TRY(
        hl_grow(&s->expects, &s->expect_capacity, s->expect_count + 1, sizeof(*s->expects), err));
    s->expects[s->expect_count++] = e;
    return HL_OK;
}
