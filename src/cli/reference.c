/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reference.c - from what a person types to a list of runs.
 */
#include "cli/reference.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/units.h"

enum hl_status cli_store_open(struct store **store, const char *db, enum store_access access_kind,
                              struct hl_error *err)
{
    char path[PATH_MAX];

    *store = NULL;
    if (db != NULL)
        return store_open(store, db, access_kind, err);
    HL_TRY(store_default_path(path, access_kind == STORE_WRITE, err));
    if (access_kind == STORE_READ && access(path, F_OK) != 0)
        return HL_OK;
    return store_open(store, path, access_kind, err);
}

enum hl_status cli_store_open_existing(struct store **store, const char *db, struct hl_error *err)
{
    /* The way to read tells what is wrong with a file, and does not make one. */
    HL_TRY(cli_store_open(store, db, STORE_READ, err));
    if (*store == NULL)
        return HL_OK;
    store_close(*store);
    return cli_store_open(store, db, STORE_WRITE, err);
}

enum hl_status cli_study_find(struct store *store, const char *text, struct store_study *study,
                              int64_t *place, struct hl_error *err)
{
    if (store == NULL)
        return hl_fail(err, HL_USAGE,
                       "unknown study \"%.64s\"; no study is stored yet (--db FILE names another "
                       "file of results)",
                       text);
    return store_find(store, text, study, place, err);
}

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);

    return length > end_length && strcmp(text + length - end_length, end) == 0;
}

static bool is_path(const char *text)
{
    static const char *const starts[] = {"/", "./", "../"};
    static const char *const ends[] = {".json", ".csv", ".log", ".txt", ".data", ".dat", ".db"};

    for (int i = 0; i < HL_COUNT_OF(starts); i++)
        if (strncmp(text, starts[i], strlen(starts[i])) == 0)
            return true;
    for (int i = 0; i < HL_COUNT_OF(ends); i++)
        if (ends_in(text, ends[i]))
            return true;
    return false;
}

/* Is there a study of this name beside the file? What cannot be read has none. */
static bool is_study_too(const char *text, const char *db, struct store_study *study)
{
    struct store *store;
    int64_t place;
    bool found = false;

    if (cli_store_open(&store, db, STORE_READ, NULL) == HL_OK && store != NULL)
        found = store_find(store, text, study, &place, NULL) == HL_OK;
    store_close(store);
    return found;
}

static enum hl_status check_only_one(const char *text, const char *db, struct hl_error *err)
{
    struct store_study study = {0};
    enum hl_status status = HL_OK;
    bool is_file = access(text, F_OK) == 0;

    if (!is_study_too(text, db, &study))
        return HL_OK;
    if (is_file)
        status =
            hl_fail(err, HL_USAGE,
                    "'%.80s' is a file and study %s (id %" PRId64 "); expected ./%.80s or the id",
                    text, study.name, study.id, text);
    else
        status = hl_fail(err, HL_USAGE,
                         "'%.80s' reads as a file, and there is none, but study %s has the id "
                         "%" PRId64 "; expected the id",
                         text, study.name, study.id);
    store_study_close(&study);
    return status;
}

static enum hl_status keep_fingerprint(struct reference *r, const char *fingerprint,
                                       struct hl_error *err)
{
    r->fingerprint = hl_strdup(fingerprint == NULL ? "" : fingerprint);
    return r->fingerprint != NULL ? HL_OK
                                  : hl_fail(err, HL_NO_MEMORY, "out of memory for a fingerprint");
}

static enum hl_status load_study(struct reference *r, struct store *store, int64_t place,
                                 struct hl_error *err)
{
    if (place < 0)
        (void)snprintf(r->name, sizeof(r->name), "%s", r->study.name);
    else
        (void)snprintf(r->name, sizeof(r->name), "%s:%" PRId64, r->study.name, place);
    HL_TRY(store_runs(store, r->study.id, place, &r->runs, &r->places, err));
    return keep_fingerprint(r, r->study.fingerprint, err);
}

static enum hl_status open_study(struct reference *r, const char *text, const char *db,
                                 struct hl_error *err)
{
    struct store *store;
    int64_t place;
    enum hl_status status;

    HL_TRY(cli_store_open(&store, db, STORE_READ, err));
    status = cli_study_find(store, text, &r->study, &place, err);
    if (status == HL_OK)
        status = load_study(r, store, place, err);
    store_close(store);
    return status;
}

/* The one study of another file of stored results. */
static enum hl_status open_database(struct reference *r, const char *path, struct hl_error *err)
{
    struct store_study *studies = NULL;
    struct store *store;
    size_t count = 0;
    enum hl_status status;

    HL_TRY(store_open(&store, path, STORE_READ, err));
    status = store_studies(store, &studies, &count, err);
    if (status == HL_OK && count != 1)
        status = hl_fail(err, HL_USAGE,
                         "%s has %zu studies; expected one, or --db %s and the name of a study",
                         path, count, path);
    if (status == HL_OK) {
        r->study = studies[0];
        studies[0] = (struct store_study){0};
        status = load_study(r, store, -1, err);
    }
    store_studies_close(studies, count);
    store_close(store);
    return status;
}

static enum hl_status open_file(struct reference *r, const char *path, struct hl_error *err)
{
    struct import_options options = {0};
    struct import_result result = {0};
    enum hl_status status = import_file(&result, path, &options, err);

    if (status == HL_OK) {
        (void)snprintf(r->name, sizeof(r->name), "%s", path);
        r->runs = result.runs;
        result.runs = (struct run_list){0};
        r->studies = result.studies;
        result.studies = NULL;
        status = keep_fingerprint(r, result.fingerprint, err);
    }
    import_close(&result);
    return status;
}

enum hl_status reference_open(struct reference *reference, const char *text, const char *db,
                              struct hl_error *err)
{
    enum hl_status status;

    *reference = (struct reference){0};
    if (is_path(text)) {
        status = check_only_one(text, db, err);
        if (status == HL_OK)
            status = ends_in(text, ".db") ? open_database(reference, text, err)
                                          : open_file(reference, text, err);
    } else {
        status = open_study(reference, text, db, err);
    }
    if (status != HL_OK)
        reference_close(reference);
    return status;
}

void reference_close(struct reference *reference)
{
    run_list_close(&reference->runs);
    store_study_close(&reference->study);
    hl_free(reference->places);
    hl_free(reference->studies);
    hl_free(reference->fingerprint);
    *reference = (struct reference){0};
}

error_t reference_words_option(int key, char *arg, struct argp_state *state, const char *expected)
{
    struct reference_words *words = state->input;

    switch (key) {
    case REFERENCE_KEY_DB: words->db = arg; return 0;
    case REFERENCE_KEY_FORMAT: return cli_format_option(state, arg, true, &words->format);
    case ARGP_KEY_ARG:
        if (words->text != NULL)
            return cli_refuse(state, "a second study '%s'; expected one", arg);
        words->text = arg;
        return 0;
    case ARGP_KEY_NO_ARGS: return cli_refuse(state, "%s", expected);
    default: return cli_other_key(key, state);
    }
}
