/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * property_test.c - properties of the simulator and its policies over random cases.
 *
 *     property_test [--seeds N] [--first N] [--policy NAME] [--keep FOLDER] [--show]
 *     property_test FILE.scn...       the same properties of scenario files
 *
 * Every seed is one case per policy. PROPERTY_SEEDS in the environment replaces --seeds. A case that
 * fails is made smaller and written to FOLDER (the working folder if not given). --show prints the
 * cases instead of playing them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "policy/policy.h"
#include "property_case.h"
#include "property_check.h"

enum { SHRINK_TRIES_MAX = 2000, SHRINK_SECONDS_MAX = 20, FAILURES_MAX = 5 };

struct arguments {
    int64_t seeds, first;
    const char *policy; /* NULL: all */
    const char *keep;
    bool shows;
};

struct counts {
    int64_t played, failed;
};

static void check_case(const struct property_case *c, struct property_finding *finding)
{
    struct scenario s = {0};
    struct hl_error err = {0};

    if (property_case_open(c, &s, &err) != HL_OK) {
        *finding = (struct property_finding){.property = PROPERTY_REFUSED};
        (void)snprintf(finding->text, sizeof(finding->text), "%s", err.text);
    } else {
        property_check(&s, finding);
    }
    scenario_close(&s);
}

struct shrinking {
    enum property property; /* that must go on failing */
    time_t until;
};

static bool still_fails(void *context, const struct property_case *c)
{
    const struct shrinking *shrinking = context;
    struct property_finding now;

    if (time(NULL) > shrinking->until)
        return false;
    check_case(c, &now);
    return now.property == shrinking->property;
}

static bool write_file(const char *path, const struct property_text *text)
{
    FILE *file = fopen(path, "w");
    bool is_written = file != NULL && fwrite(text->text, 1, text->bytes, file) == text->bytes;

    if (file != NULL && fclose(file) != 0)
        is_written = false;
    if (!is_written)
        (void)fprintf(stderr, "property: cannot write %s: %s\n", path, strerror(errno));
    return is_written;
}

/* Writes the case as a scenario and prints how to play it again. */
static void keep_case(const struct arguments *a, const struct property_case *c, uint64_t seed,
                      const struct property_finding *finding)
{
    struct property_text text = {0}, machine = {0};
    char path[512], machine_path[512], folder[400];
    const char *of = a->keep;

    if (of == NULL)
        of = getcwd(folder, sizeof(folder)) != NULL ? folder : ".";
    (void)snprintf(path, sizeof(path), "%s/property-%s-%" PRIu64 ".scn", of, c->policy, seed);
    (void)snprintf(machine_path, sizeof(machine_path), "%s/property-%s-%" PRIu64 ".json", of,
                   c->policy, seed);
    property_text_add(&text, "# %s\n# %s\n", property_names[finding->property], finding->text);
    property_case_print(c, property_case_has_capacity(c) ? machine_path : NULL, &text);
    if (finding->property == PROPERTY_ENDS) {
        property_text_add(&text, "until   %" PRId64 "ns\n", finding->until_ns);
        for (int32_t i = 0; i < c->program_count; i++)
            if (!c->programs[i].gone && c->programs[i].is_task && !c->programs[i].is_background)
                property_text_add(&text, "expect  T%" PRId32 ".finish_ns >= 0\n", i);
    }
    if (property_case_has_capacity(c)) {
        property_case_print_machine(c, &machine);
        (void)write_file(machine_path, &machine);
    }
    if (write_file(path, &text))
        printf("replay: %s%s\n",
               finding->property == PROPERTY_PLAYS || finding->property == PROPERTY_ENDS
                   ? HALFLOAD_BINARY " run scn:"
                   : PROPERTY_BINARY " ",
               path);
    hl_free(text.text);
    hl_free(machine.text);
}

static void report(const struct arguments *a, struct property_case *c,
                   const struct property_finding *found)
{
    struct shrinking shrinking = {.property = found->property,
                                  .until = time(NULL) + SHRINK_SECONDS_MAX};
    struct property_finding last;
    uint64_t seed = c->seed;
    int tries;

    printf("%s, seed %" PRIu64 ": \"%s\" does not hold: %s\n", c->policy, c->seed,
           property_names[found->property], found->text);
    tries = property_case_shrink(c, SHRINK_TRIES_MAX, still_fails, &shrinking);
    check_case(c, &last);
    printf("after %d smaller ones: %s\n", tries, last.text);
    keep_case(a, c, seed, &last);
    (void)fflush(stdout);
}

static void play_seed(const struct arguments *a, const char *policy, uint64_t seed,
                      struct counts *counts)
{
    static struct property_case c;
    struct property_finding finding;

    property_case_generate(&c, seed, policy);
    if (a->shows) {
        struct property_text text = {0};

        property_case_print(&c, NULL, &text);
        printf("%s\n", text.text);
        hl_free(text.text);
        counts->played++;
        return;
    }
    check_case(&c, &finding);
    /* Parameters may contradict each other: then fewer of them. */
    while (finding.property == PROPERTY_REFUSED && c.param_count > 0) {
        c.param_count--;
        memset(&c.params[c.param_count], 0, sizeof(c.params[0]));
        check_case(&c, &finding);
    }
    counts->played++;
    if (finding.property != PROPERTY_NONE) {
        counts->failed++;
        report(a, &c, &finding);
    }
}

static int play_seeds(const struct arguments *a)
{
    struct counts counts = {0};

    for (int64_t i = 0; i < a->seeds && counts.failed < FAILURES_MAX; i++)
        for (int p = 0; policy_registry[p] != NULL && counts.failed < FAILURES_MAX; p++)
            if (a->policy == NULL || strcmp(a->policy, policy_registry[p]->name) == 0)
                play_seed(a, policy_registry[p]->name, (uint64_t)(a->first + i), &counts);
    printf("%" PRId64 " cases, %" PRId64 " failed\n", counts.played, counts.failed);
    return counts.played == 0 || counts.failed > 0;
}

static int play_files(int count, char **paths)
{
    int failed = 0;

    for (int i = 0; i < count; i++) {
        struct scenario s = {0};
        struct property_finding finding = {0};
        struct hl_error err;

        if (scenario_open(&s, paths[i], &err) != HL_OK) {
            printf("%s\n", err.text);
            failed++;
        } else {
            property_check(&s, &finding);
            if (finding.property != PROPERTY_NONE) {
                printf("%s: \"%s\" does not hold: %s\n", paths[i], property_names[finding.property],
                       finding.text);
                failed++;
            }
        }
        scenario_close(&s);
    }
    printf("%d files, %d failed\n", count, failed);
    return failed > 0;
}

static bool take(int argc, char **argv, int *i, const char *name, const char **value)
{
    if (strcmp(argv[*i], name) != 0 || *i + 1 >= argc)
        return false;
    *value = argv[++*i];
    return true;
}

int main(int argc, char **argv)
{
    struct arguments a = {.seeds = 10, .first = 1};
    const char *seeds = NULL, *first = NULL, *from_environment = getenv("PROPERTY_SEEDS");
    int i = 1;

    while (i < argc &&
           (take(argc, argv, &i, "--seeds", &seeds) || take(argc, argv, &i, "--first", &first) ||
            take(argc, argv, &i, "--policy", &a.policy) ||
            take(argc, argv, &i, "--keep", &a.keep) ||
            (strcmp(argv[i], "--show") == 0 && (a.shows = true))))
        i++;
    if (i < argc && argv[i][0] == '-') {
        (void)fprintf(stderr,
                      "property_test: \"%s\"; expected --seeds N, --first N, --policy NAME, "
                      "--keep FOLDER, --show or scenario files\n",
                      argv[i]);
        return 1;
    }
    if (i < argc)
        return play_files(argc - i, argv + i);
    if (from_environment != NULL)
        seeds = from_environment;
    if ((seeds != NULL && (!hl_parse_int(seeds, &a.seeds) || a.seeds < 1)) ||
        (first != NULL && (!hl_parse_int(first, &a.first) || a.first < 0))) {
        (void)fprintf(stderr, "property_test: seeds are whole numbers\n");
        return 1;
    }
    return play_seeds(&a);
}
