/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_import.c - `halfload import FILE...`: results made elsewhere become studies.
 *
 * All files are read before anything is stored. With --name they become one study, else each file
 * becomes one, or as many as it names itself.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "cli/reference.h"
#include "import/import.h"

enum { FILES_MAX = 4096, KEY_NAME = 256, KEY_WORKLOAD, KEY_LOAD, KEY_VARIANT, KEY_DB };

struct import_words {
    struct cli_input input; /* first */
    const char *files[FILES_MAX];
    int file_count;
    const char *name, *db;
    struct import_options options;
};

static const struct argp_option option_table[] = {
    {"name", KEY_NAME, "STUDY", 0, "one study of this name for all files", 0},
    {"workload", KEY_WORKLOAD, "W", 0, "what was run, whatever the files say", 0},
    {"load", KEY_LOAD, "L", 0, "the load, for time lines and hyperfine, which do not say it", 0},
    {"variant", KEY_VARIANT, "KEY=VALUE", 0, "what is compared, added to each run; repeatable", 0},
    {"db", KEY_DB, "FILE", 0, CLI_DB_HELP, 0},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct import_words *o = state->input;

    switch (key) {
    case KEY_NAME: o->name = arg; return 0;
    case KEY_WORKLOAD: o->options.workload = arg; return 0;
    case KEY_LOAD: o->options.load = arg; return 0;
    case KEY_VARIANT:
        if (o->options.variant_count == IMPORT_VARIANTS_MAX)
            return cli_refuse(state, "more than %d times --variant", IMPORT_VARIANTS_MAX);
        o->options.variant[o->options.variant_count++] = arg;
        return 0;
    case KEY_DB: o->db = arg; return 0;
    case ARGP_KEY_ARG:
        if (o->file_count == FILES_MAX)
            return cli_refuse(state, "more than %d files", FILES_MAX);
        o->files[o->file_count++] = arg;
        return 0;
    case ARGP_KEY_NO_ARGS: return cli_refuse(state, "no file; expected one with results");
    default: return cli_other_key(key, state);
    }
}

static const struct argp import_argp = {
    .options = option_table,
    .parser = parse_option,
    .args_doc = "FILE...",
    .doc = "Stores results made elsewhere: kernbench logs (old and new), lines of time(1), "
           "hyperfine's JSON, CSV with a line per run and metric, halfload's JSON. The format is "
           "found from the content.\v"
           "Examples:\n"
           "  halfload import kernbench.log --name 6.1\n"
           "  halfload import run1.time run2.time --name base --workload kernbench --load 8\n",
};

/* "results/base.log" is "base". */
static void stem_of(const char *path, char stem[static STORE_NAME_BYTES])
{
    const char *slash = strrchr(path, '/');
    char *point;

    (void)snprintf(stem, STORE_NAME_BYTES, "%s", slash == NULL ? path : slash + 1);
    point = strrchr(stem, '.');
    if (point != NULL && point != stem)
        *point = '\0';
}

/* Stores under the name, or if that is taken or none under one made of it. */
static enum hl_status add_study(struct store *store, struct store_new_study *study,
                                const struct run_list *runs, struct hl_error *err)
{
    char name[STORE_NAME_BYTES];
    int64_t id, failed = 0;
    bool is_asked = study->name != NULL;
    enum hl_status status;

    study->planned = (int64_t)runs->count;
    if (!is_asked)
        study->name = study->stem;
    status = store_study_add(store, study, runs, &id, name, err);
    if (status == HL_USAGE && !is_asked) {
        study->name = NULL;
        status = store_study_add(store, study, runs, &id, name, err);
    }
    if (status != HL_OK)
        return status;
    for (size_t i = 0; i < runs->count; i++)
        failed += runs->runs[i].status != RUN_OK;
    printf("study %s (id %" PRId64 "): %zu run%s", name, id, runs->count,
           runs->count == 1 ? "" : "s");
    if (failed > 0)
        printf(", %" PRId64 " of them failed", failed);
    putchar('\n');
    return HL_OK;
}

/* Stores the runs that the file says are of one study, for each study it names. */
static enum hl_status add_named(struct store *store, const struct store_new_study *common,
                                const struct import_result *result, struct hl_error *err)
{
    bool *is_stored = hl_alloc(result->runs.count, sizeof(*is_stored));
    enum hl_status status = HL_OK;

    if (is_stored == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for %zu runs", result->runs.count);
    for (size_t i = 0; status == HL_OK && i < result->runs.count; i++) {
        struct store_new_study study = *common;
        struct run_list runs = {0};

        if (is_stored[i])
            continue;
        for (size_t k = i; status == HL_OK && k < result->runs.count; k++)
            if (!is_stored[k] && strcmp(result->studies[k], result->studies[i]) == 0) {
                is_stored[k] = true;
                status = run_list_add(&runs, &result->runs.runs[k], err);
            }
        if (result->studies[i][0] != '\0')
            study.stem = result->studies[i];
        if (status == HL_OK)
            status = add_study(store, &study, &runs, err);
        run_list_close(&runs);
    }
    hl_free(is_stored);
    return status;
}

static enum hl_status store_results(const struct import_words *o, struct store_new_study *study,
                                    const struct import_result *results, struct hl_error *err)
{
    struct store *store;
    enum hl_status status;

    HL_TRY(cli_store_open(&store, o->db, STORE_WRITE, err));
    status = HL_OK;
    for (int i = 0; status == HL_OK && i < (o->name != NULL ? 1 : o->file_count); i++) {
        char stem[STORE_NAME_BYTES];

        stem_of(o->files[i], stem);
        study->stem = stem;
        study->name = o->name;
        study->fingerprint = results[i].fingerprint == NULL ? "" : results[i].fingerprint;
        status = o->name != NULL ? add_study(store, study, &results[i].runs, err)
                                 : add_named(store, study, &results[i], err);
    }
    store_close(store);
    return status;
}

/* Into one result, or one each; they are closed by the caller. */
static enum hl_status read_files(const struct import_words *o, struct import_result *results,
                                 struct hl_error *err)
{
    for (int i = 0; i < o->file_count; i++)
        HL_TRY(import_file(&results[o->name != NULL ? 0 : i], o->files[i], &o->options, err));
    return HL_OK;
}

static enum hl_status read_and_store(const struct import_words *o, struct store_new_study *study,
                                     struct hl_error *err)
{
    struct import_result *results = hl_alloc((size_t)o->file_count, sizeof(*results));
    enum hl_status status;

    if (results == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for %d files", o->file_count);
    status = read_files(o, results, err);
    if (status == HL_OK)
        status = store_results(o, study, results, err);
    for (int i = 0; i < o->file_count; i++)
        import_close(&results[i]);
    hl_free(results);
    return status;
}

enum hl_status cli_import(int argc, char **argv, struct hl_error *err)
{
    struct import_words o = {0};
    struct store_new_study study = {.program = CLI_PROGRAM, .plan = "", .player = ""};
    char *command;
    enum hl_status status;

    /* argp puts words in another order; the study has them as they were typed. */
    HL_TRY(cli_command_text(argc, argv, &command, err));
    study.command = command;
    status = cli_parse(&import_argp, argc, argv, &o.input, err);
    if (status == HL_OK && o.name != NULL)
        status = store_name_check(o.name, err);
    if (status == HL_OK)
        status = read_and_store(&o, &study, err);
    hl_free(command);
    return status;
}
