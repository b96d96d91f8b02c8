/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * registry.c - all policies there are, and the parser of `name:param=value:param=value`.
 *
 * A policy NAME.c defines `const struct policy_ops policy_NAME` and is registered by one word
 * below, in alphabetical order.
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "policy/policy.h"

#define POLICIES(X)                                                                                \
    X(bsd4)                                                                                        \
    X(c1)                                                                                          \
    X(cfs)                                                                                         \
    X(eevdf)                                                                                       \
    X(fifo)                                                                                        \
    X(ht3)                                                                                         \
    X(ideal)                                                                                       \
    X(linux24)                                                                                     \
    X(o1)                                                                                          \
    X(sd267)                                                                                       \
    X(sdmm)                                                                                        \
    X(smtnice)                                                                                     \
    X(ule)                                                                                         \
    X(w26)

#define POLICY_DECLARE(name) extern const struct policy_ops policy_##name;
POLICIES(POLICY_DECLARE)
#undef POLICY_DECLARE

#define POLICY_ENTRY(name) &policy_##name,
const struct policy_ops *const policy_registry[] = {POLICIES(POLICY_ENTRY) NULL};
#undef POLICY_ENTRY

enum { WORDS_MAX = 64, WORDS_BYTES_MAX = 512 };

struct words { /* the pieces of "a|b|c" */
    char text[WORDS_BYTES_MAX];
    char *word[WORDS_MAX];
    int count;
};

static void words_split(struct words *w, const char *choices)
{
    assert(strlen(choices) < sizeof(w->text));
    memcpy(w->text, choices, strlen(choices) + 1);
    w->count = hl_split(w->text, '|', w->word, WORDS_MAX);
    assert(w->count <= WORDS_MAX);
}

static int words_find(const struct words *w, const char *word)
{
    for (int i = 0; i < w->count; i++)
        if (strcmp(w->word[i], word) == 0)
            return i;
    return -1;
}

/* One assignment while it is parsed; `spec` is the whole text, for messages. */
struct assignment {
    const struct policy_param_info *info;
    const char *text;
    const char *spec;
};

static enum hl_status expected(const struct assignment *a, const char *what, struct hl_error *err)
{
    return hl_fail(err, HL_USAGE, "%.128s: %s is \"%.64s\"; expected %s", a->spec, a->info->name,
                   a->text, what);
}

static enum hl_status unknown_word(const struct assignment *a, const struct words *known,
                                   const char *word, struct hl_error *err)
{
    return hl_fail_unknown(err, HL_USAGE, a->spec, a->info->name, word,
                           (const char *const *)known->word, known->count);
}

static enum hl_status parse_choice(const struct assignment *a, int64_t *value, struct hl_error *err)
{
    struct words known;

    words_split(&known, a->info->choices);
    *value = words_find(&known, a->text);
    return *value < 0 ? unknown_word(a, &known, a->text, err) : HL_OK;
}

static enum hl_status parse_flags(const struct assignment *a, int64_t *value, struct hl_error *err)
{
    char copy[sizeof(((struct policy_spec *)NULL)->text)];
    char *given[WORDS_MAX];
    struct words known;
    int count;

    *value = 0;
    if (strcmp(a->text, "none") == 0)
        return HL_OK;
    words_split(&known, a->info->choices);
    memcpy(copy, a->text, strlen(a->text) + 1);
    count = hl_split(copy, '+', given, WORDS_MAX);
    if (count > WORDS_MAX)
        return expected(a, "fewer words joined by '+'", err);
    for (int i = 0; i < count; i++) {
        int bit = words_find(&known, given[i]);

        if (bit < 0)
            return unknown_word(a, &known, given[i], err);
        *value |= INT64_C(1) << bit;
    }
    return HL_OK;
}

static enum hl_status check_range(const struct assignment *a, int64_t value, int64_t scale,
                                  const char *unit, struct hl_error *err)
{
    const struct policy_param_info *info = a->info;

    if (value >= info->min && value <= info->max)
        return HL_OK;
    return hl_fail(err, HL_USAGE, "%.128s: %s is %.64s; expected %" PRId64 " to %" PRId64 "%s%s",
                   a->spec, info->name, a->text, info->min / scale, info->max / scale,
                   unit[0] == '\0' ? "" : " ", unit);
}

static enum hl_status parse_value(const struct assignment *a, int64_t *value, struct hl_error *err)
{
    const struct policy_param_info *info = a->info;

    switch (info->type) {
    case PARAM_BOOL:
        if (strlen(a->text) != 1 || strchr("yn10", a->text[0]) == NULL)
            return expected(a, "y or n, or 1 or 0", err);
        *value = a->text[0] == 'y' || a->text[0] == '1';
        return HL_OK;
    case PARAM_CHOICE: return parse_choice(a, value, err);
    case PARAM_FLAGS: return parse_flags(a, value, err);
    case PARAM_INT:
        if (info->choices != NULL && strcmp(a->text, info->choices) == 0) {
            *value = info->max;
            return HL_OK;
        }
        if (!hl_parse_int(a->text, value))
            return hl_fail(err, HL_USAGE, "%.128s: %s is \"%.64s\"; expected a whole number%s%s",
                           a->spec, info->name, a->text, info->choices == NULL ? "" : " or ",
                           info->choices == NULL ? "" : info->choices);
        return check_range(a, *value, 1, info->unit, err);
    case PARAM_DURATION:
        if (!hl_parse_duration_ns(a->text, value))
            return hl_fail(err, HL_USAGE,
                           "%.128s: %s is \"%.64s\"; expected a duration such as 5ms, from %" PRId64
                           " to %" PRId64 " ns",
                           a->spec, info->name, a->text, info->min, info->max);
        return check_range(a, *value, 1, "ns", err);
    case PARAM_DECIMAL:
        if (!hl_parse_decimal(a->text, HL_PPM, value))
            return expected(a, "a decimal number", err);
        return check_range(a, *value, HL_PPM, info->unit, err);
    }
    return hl_fail(err, HL_INTERNAL, "parameter %s has no type", info->name);
}

static int param_count(const struct policy_ops *ops)
{
    int count = 0;

    while (ops->params != NULL && ops->params[count].name != NULL)
        count++;
    assert(count <= POLICY_PARAMS_MAX);
    return count;
}

static enum hl_status find_policy(const char *name, const struct policy_ops **ops,
                                  struct hl_error *err)
{
    const char *known[HL_COUNT_OF(policy_registry)];
    struct hl_error unknown;
    enum hl_status status;
    int count = 0;

    for (; policy_registry[count] != NULL; count++) {
        *ops = policy_registry[count];
        if (strcmp((*ops)->name, name) == 0)
            return HL_OK;
        known[count] = (*ops)->name;
    }
    status = hl_fail_unknown(&unknown, HL_USAGE, NULL, "policy", name, known, count);
    return hl_fail(err, status, "%s; see `halfload list policies`", unknown.text);
}

/* The kernel's sysctl files have the prefix, those of debugfs have not: either is understood. */
static bool is_same_name(const char *a, const char *b)
{
    static const char prefix[] = "sched_";
    size_t length = sizeof(prefix) - 1;

    if (strncmp(a, prefix, length) == 0 && strncmp(b, prefix, length) != 0)
        a += length;
    else if (strncmp(a, prefix, length) != 0 && strncmp(b, prefix, length) == 0)
        b += length;
    return strcmp(a, b) == 0;
}

static const struct policy_absent *find_absent(const struct policy_ops *ops, const char *name)
{
    if (strncmp(name, "NO_", 3) == 0)
        name += 3;
    for (const struct policy_absent *a = ops->absent; a != NULL && a->name != NULL; a++)
        if (is_same_name(name, a->name))
            return a;
    return NULL;
}

static enum hl_status find_param(const struct policy_spec *spec, const char *name, int *index,
                                 struct hl_error *err)
{
    const char *known[POLICY_PARAMS_MAX];
    int count = param_count(spec->ops);
    const struct policy_absent *absent = find_absent(spec->ops, name);

    *index = 0;
    if (*name == '\0')
        return hl_fail(err, HL_USAGE, "%.128s: found nothing after a ':', expected name=value",
                       spec->text);
    for (; *index < count; ++*index) {
        known[*index] = spec->ops->params[*index].name;
        if (is_same_name(known[*index], name))
            return HL_OK;
    }
    if (absent != NULL)
        return hl_fail(err, HL_USAGE, "%.128s: %s is not modelled: %s", spec->text, absent->name,
                       absent->why);
    return hl_fail_unknown(err, HL_USAGE, spec->text, "parameter", name, known, count);
}

/* "NO_name" says n to a bool "name", as in the kernel's list of features. */
static bool is_negated(const struct policy_spec *spec, const char *piece)
{
    const struct policy_param_info *info = spec->ops->params;

    if (strncmp(piece, "NO_", 3) != 0)
        return false;
    for (; info != NULL && info->name != NULL; info++)
        if (info->type == PARAM_BOOL && strcmp(info->name, piece + 3) == 0)
            return true;
    return false;
}

/* The name as the table has it: without what the kernel's name has before it. */
static char *short_name(const struct policy_ops *ops, char *name)
{
    for (int i = 0; ops->prefixes != NULL && ops->prefixes[i] != NULL; i++)
        if (strncmp(name, ops->prefixes[i], strlen(ops->prefixes[i])) == 0)
            return name + strlen(ops->prefixes[i]);
    return name;
}

/* "name=value", or "name" or "NO_name" for a bool. */
static enum hl_status assign(struct policy_spec *spec, char *piece, uint64_t *given,
                             struct hl_error *err)
{
    char *equals = strchr(piece, '=');
    struct assignment a = {.text = equals == NULL ? "y" : equals + 1, .spec = spec->text};
    int index;

    if (equals != NULL) {
        *equals = '\0';
    } else if (is_negated(spec, piece)) {
        piece += 3;
        a.text = "n";
    }
    piece = short_name(spec->ops, piece);
    HL_TRY(find_param(spec, piece, &index, err));
    a.info = &spec->ops->params[index];
    if (equals == NULL && a.info->type != PARAM_BOOL)
        return hl_fail(err, HL_USAGE, "%.128s: %s has no value; expected %s=VALUE", spec->text,
                       piece, piece);
    if ((*given >> index & 1) != 0)
        return hl_fail(err, HL_USAGE, "%.128s: %s is given twice", spec->text, piece);
    *given |= UINT64_C(1) << index;
    return parse_value(&a, &spec->params[index], err);
}

enum hl_status policy_spec_parse(struct policy_spec *spec, const char *text, struct hl_error *err)
{
    char copy[sizeof(spec->text)];
    char *pieces[POLICY_PARAMS_MAX + 1];
    uint64_t given = 0;
    int count;

    *spec = (struct policy_spec){.ops = NULL};
    if (strlen(text) >= sizeof(spec->text))
        return hl_fail(err, HL_USAGE,
                       "policy \"%.32s...\" has %zu characters; expected at most %zu", text,
                       strlen(text), sizeof(spec->text) - 1);
    memcpy(spec->text, text, strlen(text) + 1);
    memcpy(copy, text, strlen(text) + 1);
    count = hl_split(copy, ':', pieces, HL_COUNT_OF(pieces));
    if (count > HL_COUNT_OF(pieces))
        return hl_fail(err, HL_USAGE, "%.128s: %d parameters; expected at most %d", text, count - 1,
                       POLICY_PARAMS_MAX);
    HL_TRY(find_policy(pieces[0], &spec->ops, err));
    for (int i = 0; i < param_count(spec->ops); i++)
        spec->params[i] = spec->ops->params[i].value;
    for (int i = 1; i < count; i++)
        HL_TRY(assign(spec, pieces[i], &given, err));
    if (spec->ops->resolve != NULL)
        spec->ops = spec->ops->resolve(spec->params);
    return HL_OK;
}
