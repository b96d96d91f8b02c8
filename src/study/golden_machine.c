/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * golden_machine.c - which kernel a record is of, and which cpus it ran on.
 *
 *     "kernel": "6.12.117"
 *     "cpus": "8: 2 packages x 2 cores x 2 threads"
 */
#include "study/golden.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/format.h"
#include "base/text.h"
#include "base/units.h"

enum { WORD_BYTES = 16 };

static const struct {
    const char *version, *policy;
} kernels[] = {
    {"6.1", "cfs"},
    {"6.12", "eevdf:version=6.12"},
    {"6.18", "eevdf:version=6.18"},
};

/* "6.1", "6.1.192", "6.1.0-18-amd64", "6.1~rc2", but not "6.12". */
static bool is_release_of(const char *kernel, const char *version)
{
    size_t length = strlen(version);

    return strncmp(kernel, version, length) == 0 &&
           (kernel[length] == '\0' || strchr(".-+~_ ", kernel[length]) != NULL);
}

static enum hl_status read_kernel(struct golden *g, const struct hl_json_node *record,
                                  struct hl_error *err)
{
    struct hl_json_node node;

    HL_TRY(hl_json_member(record, "kernel", &node, err));
    HL_TRY(hl_json_string(&node, 1, GOLDEN_WORD_BYTES_MAX, &g->kernel, err));
    for (int i = 0; i < HL_COUNT_OF(kernels); i++)
        if (is_release_of(g->kernel, kernels[i].version)) {
            g->policy = kernels[i].policy;
            return HL_OK;
        }
    return hl_json_fail(&node, err,
                        "found kernel \"%s\", expected 6.1, 6.12 or 6.18, or a release of these "
                        "such as 6.12.117",
                        g->kernel);
}

/* ---- the cpus ---- */

enum level { PACKAGES, CACHES, CORES, THREADS, LEVELS };

static const struct {
    const char *word; /* also with an s */
    enum level level;
} units[] = {
    {"package", PACKAGES}, {"socket", PACKAGES}, {"LLC", CACHES},
    {"L3", CACHES},        {"core", CORES},      {"thread", THREADS},
};

static const char *const number_words[] = {"one", "two", "three", "four"};

/* Takes the next word off *rest; blanks and commas separate. False at the end, or if it is long. */
static bool take_word(const char **rest, char *word)
{
    size_t length;

    *rest += strspn(*rest, " ,");
    length = strcspn(*rest, " ,");
    if (length == 0 || length >= WORD_BYTES)
        return false;
    (void)hl_format(word, WORD_BYTES, "%.*s", (int)length, *rest);
    *rest += length;
    return true;
}

static bool parse_number(const char *word, int64_t *number)
{
    for (int i = 0; i < HL_COUNT_OF(number_words); i++)
        if (strcasecmp(word, number_words[i]) == 0) {
            *number = i + 1;
            return true;
        }
    return strspn(word, "0123456789") == strlen(word) && hl_parse_int(word, number) &&
           *number >= 1 && *number <= GOLDEN_CPUS_MAX;
}

/* The level that "cores" means; LEVELS: none. */
static enum level level_of(const char *word)
{
    for (int i = 0; i < HL_COUNT_OF(units); i++) {
        size_t length = strlen(units[i].word);

        if (strncasecmp(word, units[i].word, length) == 0 &&
            (word[length] == '\0' || strcasecmp(word + length, "s") == 0))
            return units[i].level;
    }
    return LEVELS;
}

/* "2 packages x 2 cores, no SMT" into count[], which is 0 where nothing is said. */
static bool parse_levels(const char *text, int64_t *count)
{
    char word[WORD_BYTES], next[WORD_BYTES];

    for (text += strspn(text, " ,"); *text != '\0'; text += strspn(text, " ,")) {
        enum level level = THREADS;
        int64_t number = 1;

        if (!take_word(&text, word))
            return false;
        if (strcmp(word, "x") == 0 || strcmp(word, "\u00d7") == 0 || strcmp(word, "and") == 0)
            continue;
        if (!take_word(&text, next))
            return false;
        if (parse_number(word, &number))
            level = level_of(next);
        else if ((strcmp(word, "no") != 0 && strcmp(word, "without") != 0) ||
                 strcasecmp(next, "SMT") != 0)
            return false;
        if (level == LEVELS || (count[level] != 0 && count[level] != number))
            return false;
        count[level] = number;
    }
    return true;
}

static enum hl_status read_cpus(struct golden *g, const struct hl_json_node *record,
                                struct hl_error *err)
{
    struct hl_json_node node;
    char number[WORD_BYTES];
    const char *rest;
    int64_t count[LEVELS] = {0}, cpus = 0, product = 1;
    bool is_good;

    HL_TRY(hl_json_member(record, "cpus", &node, err));
    HL_TRY(hl_json_string(&node, 1, GOLDEN_WORD_BYTES_MAX, &g->cpus, err));
    rest = g->cpus + strspn(g->cpus, " ");
    (void)hl_format(number, sizeof(number), "%.*s", (int)strcspn(rest, ": "), rest);
    rest += strcspn(rest, ": ");
    is_good = parse_number(number, &cpus);
    if (strncmp(rest, " cpu", 4) == 0)
        rest += strncmp(rest, " cpus", 5) == 0 ? 5 : 4;
    rest += strspn(rest, " ");
    if (!is_good || (*rest != '\0' && (*rest != ':' || !parse_levels(rest + 1, count))))
        return hl_json_fail(&node, err,
                            "found \"%.120s\", expected 1 to %d cpus, such as \"1\", \"2: one LLC, "
                            "no SMT\" or \"8: 2 packages x 2 cores x 2 threads\"",
                            g->cpus, GOLDEN_CPUS_MAX);
    for (int level = 0; level < LEVELS; level++)
        product *= HL_MAX(count[level], 1);
    if (count[CORES] == 0) /* as many as are needed */
        count[CORES] = HL_MAX(cpus / product, 1);
    product = 1;
    for (int level = 0; level < LEVELS; level++)
        product *= count[level] = HL_MAX(count[level], 1);
    if (product != cpus)
        return hl_json_fail(&node, err,
                            "found \"%.120s\", which are %" PRId64 " cpus, expected %" PRId64,
                            g->cpus, product, cpus);
    g->cpu_count = (int)cpus;
    g->packages = (int)count[PACKAGES];
    g->caches = (int)count[CACHES];
    g->cores = (int)count[CORES];
    g->threads = (int)count[THREADS];
    return HL_OK;
}

enum hl_status golden_read_machine(struct golden *g, const struct hl_json_node *record,
                                   struct hl_error *err)
{
    HL_TRY(read_kernel(g, record, err));
    return read_cpus(g, record, err);
}
