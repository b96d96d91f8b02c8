/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * studies.c - studies: begun, found by what a person types, listed, deleted.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/text.h"
#include "store/database.h"

static const char last_word[] = "last";

enum hl_status store_name_check(const char *name, struct hl_error *err)
{
    static const char *const path_starts[] = {"/", "./", "../"};
    const char *wrong = NULL;

    if (name[0] == '\0')
        wrong = "is empty";
    else if (strlen(name) >= STORE_NAME_BYTES)
        wrong = "has more than 63 bytes";
    else if (strcmp(name, last_word) == 0)
        wrong = "means the last study";
    else if (strchr(name, ':') != NULL)
        wrong = "has a colon, which stands before the number of a run";
    else if (name[0] == '-')
        wrong = "begins as an option";
    else if (name[0] == ' ' || name[strlen(name) - 1] == ' ')
        wrong = "begins or ends with a blank";
    for (const char *c = name; wrong == NULL && *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            wrong = "has a control character";
    for (size_t i = 0; wrong == NULL && i < sizeof(path_starts) / sizeof(path_starts[0]); i++)
        if (strncmp(name, path_starts[i], strlen(path_starts[i])) == 0)
            wrong = "begins as a path";
    if (wrong == NULL)
        return HL_OK;
    return hl_fail(err, HL_USAGE, "the name of a study '%.80s' %s; expected one such as 6.12-base",
                   name, wrong);
}

static enum hl_status name_taken(struct store *store, const char *name, struct hl_error *err)
{
    return hl_fail(
        err, HL_USAGE,
        "study %s exists already in %s; expected another --name, or `halfload resume` or "
        "`halfload delete` for that one",
        name, store->path);
}

/* The row with this name, if no other study has it. */
static enum hl_status insert_study(struct store *store, sqlite3_stmt *insert, const char *name,
                                   bool *is_taken, struct hl_error *err)
{
    int code;

    (void)sqlite3_reset(insert);
    (void)sqlite3_bind_text(insert, 1, name, -1, SQLITE_TRANSIENT);
    code = sqlite3_step(insert);
    *is_taken = (code & 0xff) == SQLITE_CONSTRAINT;
    return code == SQLITE_DONE || *is_taken ? HL_OK : store_fail(store, code, err);
}

/* "STEM-ID", with the id the study is going to have. Someone may have given that name to another
 * study; then a third number makes the difference. */
static enum hl_status insert_unnamed(struct store *store, sqlite3_stmt *insert, const char *stem,
                                     char name[static STORE_NAME_BYTES], struct hl_error *err)
{
    int64_t next;
    bool is_taken = true;

    HL_TRY(store_number(store, "SELECT max(seq) + 1 FROM sqlite_sequence WHERE name = 'study'",
                        &next, err));
    next = next < 1 ? 1 : next;
    for (int i = 1; is_taken; i++) {
        int room = STORE_NAME_BYTES - 26;

        if (i == 1)
            (void)snprintf(name, STORE_NAME_BYTES, "%.*s-%" PRId64, room, stem, next);
        else
            (void)snprintf(name, STORE_NAME_BYTES, "%.*s-%" PRId64 "-%d", room, stem, next, i);
        /* A stem such as the name of a file need not be fit for a name. */
        if (store_name_check(name, NULL) != HL_OK)
            (void)snprintf(name, STORE_NAME_BYTES, "study-%" PRId64 "-%d", next, i);
        HL_TRY(insert_study(store, insert, name, &is_taken, err));
    }
    return HL_OK;
}

/* Inside a transaction of the caller. */
static enum hl_status begin_study(struct store *store, const struct store_new_study *study,
                                  int64_t *id, char name[static STORE_NAME_BYTES],
                                  struct hl_error *err)
{
    sqlite3_stmt *insert = NULL;
    bool is_taken = false;
    enum hl_status status =
        store_prepare(store,
                      "INSERT INTO study (name, created_s, program, command, seed, planned, plan,"
                      " fingerprint, player) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                      &insert, err);

    if (status == HL_OK) {
        (void)sqlite3_bind_int64(insert, 2, time(NULL));
        (void)sqlite3_bind_text(insert, 3, study->program, -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(insert, 4, study->command, -1, SQLITE_STATIC);
        (void)sqlite3_bind_int64(insert, 5, (int64_t)study->seed);
        (void)sqlite3_bind_int64(insert, 6, study->planned);
        (void)sqlite3_bind_text(insert, 7, study->plan, -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(insert, 8, study->fingerprint, -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(insert, 9, study->player, -1, SQLITE_STATIC);
        if (study->name != NULL) {
            (void)snprintf(name, STORE_NAME_BYTES, "%s", study->name);
            status = insert_study(store, insert, name, &is_taken, err);
        } else {
            status = insert_unnamed(store, insert, study->stem, name, err);
        }
    }
    if (status == HL_OK && is_taken)
        status = name_taken(store, name, err);
    *id = sqlite3_last_insert_rowid(store->db);
    (void)sqlite3_finalize(insert);
    return status;
}

enum hl_status store_study_begin(struct store *store, const struct store_new_study *study,
                                 int64_t *id, char name[static STORE_NAME_BYTES],
                                 struct hl_error *err)
{
    if (study->name != NULL)
        HL_TRY(store_name_check(study->name, err));
    HL_TRY(store_begin(store, err));
    return store_end(store, begin_study(store, study, id, name, err), err);
}

enum hl_status store_study_add(struct store *store, const struct store_new_study *study,
                               const struct run_list *runs, int64_t *id,
                               char name[static STORE_NAME_BYTES], struct hl_error *err)
{
    enum hl_status status;

    if (study->name != NULL)
        HL_TRY(store_name_check(study->name, err));
    HL_TRY(store_begin(store, err));
    status = begin_study(store, study, id, name, err);
    for (size_t i = 0; status == HL_OK && i < runs->count; i++)
        status = store_insert_run(store, *id, (int64_t)i, &runs->runs[i], err);
    return store_end(store, status, err);
}

/* One change of the row of a study: SQL with the id as ?1 and a text as ?2. */
static enum hl_status change_study(struct store *store, const char *sql, int64_t id,
                                   const char *text, struct hl_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool has_row;
    enum hl_status status = store_prepare(store, sql, &statement, err);

    if (status == HL_OK) {
        (void)sqlite3_bind_int64(statement, 1, id);
        if (text != NULL)
            (void)sqlite3_bind_text(statement, 2, text, -1, SQLITE_STATIC);
        status = store_step(store, statement, &has_row, err);
    }
    (void)sqlite3_finalize(statement);
    return status;
}

enum hl_status store_study_set_player(struct store *store, int64_t id, const char *player,
                                      struct hl_error *err)
{
    return change_study(store, "UPDATE study SET player = ?2 WHERE id = ?1", id, player, err);
}

enum hl_status store_study_set_fingerprint(struct store *store, int64_t id, const char *fingerprint,
                                           struct hl_error *err)
{
    return change_study(store, "UPDATE study SET fingerprint = ?2 WHERE id = ?1", id, fingerprint,
                        err);
}

enum hl_status store_study_delete(struct store *store, int64_t id, struct hl_error *err)
{
    return change_study(store, "DELETE FROM study WHERE id = ?1", id, NULL, err);
}

/* ---- reading ---- */

#define STUDY_COLUMNS                                                                              \
    "SELECT id, name, created_s, seed, planned, program, command, plan, fingerprint, player,"      \
    " (SELECT count(*) FROM run WHERE study_id = study.id),"                                       \
    " (SELECT count(*) FROM run WHERE study_id = study.id AND status NOT IN ('ok',"                \
    " 'invalid')), (SELECT count(*) FROM run WHERE study_id = study.id AND status = 'invalid')"    \
    " FROM study "

void store_study_close(struct store_study *study)
{
    hl_free(study->program);
    hl_free(study->command);
    hl_free(study->plan);
    hl_free(study->fingerprint);
    hl_free(study->player);
    *study = (struct store_study){0};
}

static char *copy_text(sqlite3_stmt *s, int column)
{
    const char *text = (const char *)sqlite3_column_text(s, column);

    return hl_strdup(text == NULL ? "" : text);
}

static enum hl_status read_study(struct store *store, sqlite3_stmt *s, struct store_study *study,
                                 struct hl_error *err)
{
    enum { YEAR_10000_S = INT64_C(253402300800) };
    struct store_row row = {
        .store = store, .statement = s, .table = "study", .id = sqlite3_column_int64(s, 0)};
    int64_t seed;

    *study = (struct store_study){
        .id = row.id,
        .run_count = sqlite3_column_int64(s, 10),
        .failed_count = sqlite3_column_int64(s, 11),
        .invalid_count = sqlite3_column_int64(s, 12),
    };
    HL_TRY(store_row_text(&row, 1, study->name, sizeof(study->name), err));
    HL_TRY(store_row_int(&row, 2, 0, YEAR_10000_S - 1, &study->created_s, err));
    HL_TRY(store_row_int(&row, 3, INT64_MIN, INT64_MAX, &seed, err));
    HL_TRY(store_row_int(&row, 4, 0, INT64_MAX, &study->planned, err));
    study->seed = (uint64_t)seed;
    study->program = copy_text(s, 5);
    study->command = copy_text(s, 6);
    study->plan = copy_text(s, 7);
    study->fingerprint = copy_text(s, 8);
    study->player = copy_text(s, 9);
    if (study->program != NULL && study->command != NULL && study->plan != NULL &&
        study->fingerprint != NULL && study->player != NULL)
        return HL_OK;
    store_study_close(study);
    return hl_fail(err, HL_NO_MEMORY, "out of memory for a study");
}

/* All studies a statement gives; `word` is bound to ?1. */
static enum hl_status read_studies(struct store *store, const char *sql, const char *word,
                                   struct store_study **studies, size_t *count,
                                   struct hl_error *err)
{
    sqlite3_stmt *s = NULL;
    size_t capacity = 0;
    bool has_row = true;
    enum hl_status status = store_prepare(store, sql, &s, err);

    *studies = NULL;
    *count = 0;
    if (status == HL_OK && word != NULL)
        (void)sqlite3_bind_text(s, 1, word, -1, SQLITE_STATIC);
    while (status == HL_OK && has_row) {
        status = store_step(store, s, &has_row, err);
        if (status == HL_OK && has_row)
            status = hl_grow(studies, &capacity, *count + 1, sizeof(**studies), err);
        if (status == HL_OK && has_row)
            status = read_study(store, s, &(*studies)[*count], err);
        if (status == HL_OK && has_row)
            ++*count;
    }
    (void)sqlite3_finalize(s);
    if (status == HL_OK)
        return HL_OK;
    store_studies_close(*studies, *count);
    *studies = NULL;
    *count = 0;
    return status;
}

enum hl_status store_studies(struct store *store, struct store_study **studies, size_t *count,
                             struct hl_error *err)
{
    return read_studies(store, STUDY_COLUMNS "ORDER BY id", NULL, studies, count, err);
}

void store_studies_close(struct store_study *studies, size_t count)
{
    for (size_t i = 0; i < count; i++)
        store_study_close(&studies[i]);
    hl_free(studies);
}

static enum hl_status unknown_study(struct store *store, const char *word, struct hl_error *err)
{
    enum { NAMES_MAX = 256 };
    struct store_study *studies;
    const char *names[NAMES_MAX];
    size_t count;
    int known = 0;
    enum hl_status status;

    HL_TRY(store_studies(store, &studies, &count, err));
    for (size_t i = count; i > 0 && known < NAMES_MAX; i--)
        names[known++] = studies[i - 1].name; /* the latest first */
    status = hl_fail_unknown(err, HL_USAGE, NULL, "study", word, names, known);
    store_studies_close(studies, count);
    return status;
}

/* The one study of this name or id. */
static enum hl_status find_study(struct store *store, const char *word, struct store_study *study,
                                 struct hl_error *err)
{
    static const char by_word[] =
        STUDY_COLUMNS "WHERE name = ?1 OR CAST(id AS TEXT) = ?1 ORDER BY id";
    static const char by_age[] = STUDY_COLUMNS "ORDER BY id DESC LIMIT 1";
    bool is_last = strcmp(word, last_word) == 0;
    struct store_study *found;
    size_t count;
    enum hl_status status = HL_OK;

    HL_TRY(read_studies(store, is_last ? by_age : by_word, is_last ? NULL : word, &found, &count,
                        err));
    if (count == 1) {
        *study = found[0];
        hl_free(found);
        return HL_OK;
    }
    if (count == 0)
        status = is_last ? hl_fail(err, HL_USAGE, "no study is stored in %s", store->path)
                         : unknown_study(store, word, err);
    else
        status = hl_fail(err, HL_USAGE,
                         "study %s may be %s (id %" PRId64 ") or %s (id %" PRId64
                         "); expected the name or id that fits only one",
                         word, found[0].name, found[0].id, found[1].name, found[1].id);
    store_studies_close(found, count);
    return status;
}

/* Is there a run at this place? */
static enum hl_status check_place(struct store *store, const struct store_study *study,
                                  int64_t place, struct hl_error *err)
{
    char sql[160];
    int64_t found, greatest;

    (void)snprintf(sql, sizeof(sql),
                   "SELECT count(*) FROM run WHERE study_id = %" PRId64 " AND place = %" PRId64,
                   study->id, place);
    HL_TRY(store_number(store, sql, &found, err));
    if (found == 1)
        return HL_OK;
    (void)snprintf(sql, sizeof(sql), "SELECT max(place) FROM run WHERE study_id = %" PRId64,
                   study->id);
    HL_TRY(store_number(store, sql, &greatest, err));
    if (study->run_count == 0)
        return hl_fail(err, HL_USAGE, "study %s has no runs, so no run %" PRId64, study->name,
                       place);
    return hl_fail(err, HL_USAGE,
                   "study %s has no run %" PRId64 "; expected one of its %" PRId64
                   " runs, numbered from 0 to %" PRId64,
                   study->name, place, study->run_count, greatest);
}

enum hl_status store_find(struct store *store, const char *reference, struct store_study *study,
                          int64_t *place, struct hl_error *err)
{
    const char *colon = strrchr(reference, ':');
    char word[STORE_NAME_BYTES];
    enum hl_status status;

    *place = -1;
    if (colon == NULL)
        return find_study(store, reference, study, err);
    if (!hl_parse_int(colon + 1, place) || *place < 0)
        return hl_fail(err, HL_USAGE,
                       "run '%.40s' of '%.80s'; expected STUDY:RUN with the number of a run from 0",
                       colon + 1, reference);
    if ((size_t)(colon - reference) >= sizeof(word))
        return unknown_study(store, reference, err);
    (void)snprintf(word, sizeof(word), "%.*s", (int)(colon - reference), reference);
    HL_TRY(find_study(store, word, study, err));
    status = check_place(store, study, *place, err);
    if (status != HL_OK)
        store_study_close(study);
    return status;
}
