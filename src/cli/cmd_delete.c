/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_delete.c - `halfload delete STUDY...`: stored studies with their runs, for good.
 *
 * All are found before the first one goes.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "cli/player.h"
#include "cli/reference.h"

enum { STUDIES_MAX = 1024, KEY_DB = 256 };

struct delete_options {
    struct cli_input input; /* first */
    const char *words[STUDIES_MAX];
    int count;
    const char *db;
};

static const struct argp_option option_table[] = {
    {"db", KEY_DB, "FILE", 0, CLI_DB_HELP, 0},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct delete_options *o = state->input;

    switch (key) {
    case KEY_DB: o->db = arg; return 0;
    case ARGP_KEY_ARG:
        if (o->count == STUDIES_MAX)
            return cli_refuse(state, "more than %d studies", STUDIES_MAX);
        o->words[o->count++] = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        return cli_refuse(state, "delete what? expected a study by name or id, or last");
    default: return cli_other_key(key, state);
    }
}

static const struct argp delete_argp = {
    .options = option_table,
    .parser = parse_option,
    .args_doc = "STUDY...",
    .doc = "Deletes stored studies with all their runs.",
};

static enum hl_status find_one(struct store *store, const char *word, struct store_study *study,
                               struct hl_error *err)
{
    int64_t place;

    HL_TRY(cli_study_find(store, word, study, &place, err));
    if (place >= 0)
        return hl_fail(err, HL_USAGE, "'%.80s' is one run; expected a study, as runs go with it",
                       word);
    return player_check_ended(study, err);
}

static enum hl_status delete_all(const struct delete_options *o, struct store *store,
                                 struct store_study *studies, struct hl_error *err)
{
    for (int i = 0; i < o->count; i++)
        HL_TRY(find_one(store, o->words[i], &studies[i], err));
    for (int i = 0; i < o->count; i++) {
        HL_TRY(store_study_delete(store, studies[i].id, err));
        printf("deleted study %s (id %" PRId64 ", %" PRId64 " run%s)\n", studies[i].name,
               studies[i].id, studies[i].run_count, studies[i].run_count == 1 ? "" : "s");
    }
    return HL_OK;
}

enum hl_status cli_delete(int argc, char **argv, struct hl_error *err)
{
    struct delete_options o = {0};
    struct store_study *studies;
    struct store *store = NULL;
    enum hl_status status;

    HL_TRY(cli_parse(&delete_argp, argc, argv, &o.input, err));
    studies = hl_alloc((size_t)o.count, sizeof(*studies));
    if (studies == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for %d studies", o.count);
    status = cli_store_open_existing(&store, o.db, err);
    if (status == HL_OK)
        status = delete_all(&o, store, studies, err);
    store_close(store);
    for (int i = 0; i < o.count; i++)
        store_study_close(&studies[i]);
    hl_free(studies);
    return status;
}
