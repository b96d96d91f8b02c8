/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_resume.c - `halfload resume STUDY`: goes on with a study that was interrupted.
 *
 * The words of its `halfload run` are read again in the folder where they were given; the runs that
 * are stored are not played again, and the order and seeds of the others are those of the plan.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/sysroot.h"
#include "cli/cli.h"
#include "cli/cmd_run.h"
#include "cli/player.h"
#include "cli/reference.h"
#include "cli/run_plan.h"
#include "host/fingerprint.h"

static const struct argp_option option_table[] = {
    REFERENCE_OPTIONS,
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    return reference_words_option(key, arg, state,
                                  "resume what? expected a study by name or id, or last");
}

static const struct argp resume_argp = {
    .options = option_table,
    .parser = parse_option,
    .args_doc = "STUDY",
    .doc = "Plays the runs that a study lacks, by its own plan and seed, and prints all of them.",
};

/* A study that can be gone on with, by this process. */
static enum hl_status check_study(const char *word, const struct store_study *study, int64_t place,
                                  struct hl_error *err)
{
    if (place >= 0)
        return hl_fail(err, HL_USAGE, "'%.80s' is one run; expected a study", word);
    if (study->plan[0] == '\0')
        return hl_fail(err, HL_UNSUPPORTED,
                       "study %s was not made by `halfload run` here; expected one with a plan",
                       study->name);
    return player_check_ended(study, err);
}

/* What differs between the machine of a study and this one. */
struct difference {
    char scheduler[300]; /* "": the same */
    char list[600];
    int count;
};

static void collect_difference(const char *key, const char *was, const char *is, void *context)
{
    enum { LISTED_MAX = 4 };
    struct difference *difference = context;
    size_t used = strlen(difference->list);

    was = was == NULL ? "not known" : was;
    is = is == NULL ? "not known" : is;
    if (strcmp(key, "scheduler") == 0)
        (void)snprintf(difference->scheduler, sizeof(difference->scheduler),
                       "was begun under %.100s; %.100s is in force", was, is);
    if (difference->count++ < LISTED_MAX)
        (void)snprintf(difference->list + used, sizeof(difference->list) - used,
                       "%s%.40s %.50s | %.50s", used > 0 ? "; " : "", key, was, is);
}

/*
 * Runs of two machines do not make one study, but whoever resumes may know better. Another scheduler
 * is what studies compare: no run may be filed under one that did not schedule it.
 */
static enum hl_status compare_machines(const struct store_study *study, struct hl_error *err)
{
    struct difference difference = {.count = 0};
    char *now;

    if (study->fingerprint[0] == '\0')
        return HL_OK;
    HL_TRY(host_fingerprint_take(&now, err));
    host_fingerprint_compare(study->fingerprint, now, collect_difference, &difference);
    hl_free(now);
    if (difference.scheduler[0] != '\0')
        return hl_fail(err, HL_NOT_PERMITTED,
                       "study %s %s; expected the same scheduler, or a new study", study->name,
                       difference.scheduler);
    if (difference.count > 0)
        cli_warn("study %s was begun on another machine or kernel, %d thing%s differ%s: %s%s",
                 study->name, difference.count, difference.count == 1 ? "" : "s",
                 difference.count == 1 ? "s" : "", difference.list,
                 difference.count > 4 ? "; ..." : "");
    return HL_OK;
}

/* The machine it was begun on, unless --sysroot names another tree. */
static enum hl_status take_sysroot(const struct run_plan *plan, const char *study,
                                   struct hl_error *err)
{
    struct hl_error error = {0};

    if (plan->sysroot == NULL || !hl_sysroot_is_real() ||
        hl_sysroot_set(plan->sysroot, &error) == HL_OK)
        return HL_OK;
    return hl_fail(err, HL_NOT_PERMITTED, "the --sysroot of study %s: %.300s", study, error.text);
}

/* Takes over the store. */
static enum hl_status resume(const struct reference_words *o, struct store *store,
                             const struct store_study *study, struct hl_error *err)
{
    struct run_plan plan = {0};
    struct keeper keeper = {0};
    enum hl_status status = run_plan_open(&plan, study->name, study->plan, err);

    if (status == HL_OK)
        status = take_sysroot(&plan, study->name, err);
    if (status == HL_OK)
        status = compare_machines(study, err);
    /* The store is open: its path may be relative to where this command was given. */
    if (status == HL_OK && plan.folder[0] != '\0' && chdir(plan.folder) != 0)
        status = hl_fail(err, HL_NOT_PERMITTED, "%s, the folder of study %s: %s", plan.folder,
                         study->name, strerror(errno));
    if (status == HL_OK) {
        status = keeper_resume(&keeper, store, study, err);
        store = NULL;
    }
    if (status == HL_OK)
        status = cli_run_again(&plan, &keeper, o->format, err);
    if (status == HL_OK)
        status = keeper_finish(&keeper, err);
    keeper_close(&keeper);
    run_plan_close(&plan);
    store_close(store);
    return status;
}

enum hl_status cli_resume(int argc, char **argv, struct hl_error *err)
{
    struct reference_words o = {0};
    struct store_study study = {0};
    struct store *store = NULL;
    int64_t place;
    enum hl_status status;

    HL_TRY(cli_parse(&resume_argp, argc, argv, &o.input, err));
    HL_TRY(cli_store_open_existing(&store, o.db, err));
    status = cli_study_find(store, o.text, &study, &place, err);
    if (status == HL_OK)
        status = check_study(o.text, &study, place, err);
    if (status == HL_OK)
        status = resume(&o, store, &study, err);
    else
        store_close(store);
    store_study_close(&study);
    return status;
}
