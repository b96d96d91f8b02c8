/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * database.c - opens the file, runs SQL, and says in one line what went wrong.
 *
 * The file is in WAL mode: a reader never waits for a writer, and a commit is one append, which the
 * disk has when the call returns (unless store_relax says that it need not).
 */
#include "store/database.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"

enum { BUSY_WAIT_MS = 10000, BUSY_STEP_MS = 20 };

/* Our SQL is right, so a table or column that is not there is one somebody took away. */
static bool is_about_tables(const char *said)
{
    return strncmp(said, "no such table", 13) == 0 || strncmp(said, "no such column", 14) == 0 ||
           strstr(said, "has no column") != NULL;
}

enum hl_status store_fail(struct store *store, int code, struct hl_error *err)
{
    static const char remedy[] = "what was recorded before is kept; --db FILE names another file";
    const char *path = store->path;
    int number = store->db == NULL ? 0 : sqlite3_system_errno(store->db);
    const char *said = store->db == NULL ? sqlite3_errstr(code) : sqlite3_errmsg(store->db);
    const char *why = number != 0 ? strerror(number) : sqlite3_errstr(code);

    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return hl_fail(err, HL_NO_MEMORY, "%s: out of memory for the database", path);
    case SQLITE_FULL:
        return hl_fail(err, HL_NOT_PERMITTED, "%s: the disk is full; %s", path, remedy);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return hl_fail(err, HL_NOT_PERMITTED,
                       "%s: another process keeps it locked; expected it to be free within %d s",
                       path, BUSY_WAIT_MS / 1000);
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return hl_fail(err, HL_NOT_PERMITTED,
                       "%s: cannot be opened: %s; --db FILE names another file", path, why);
    case SQLITE_READONLY:
    case SQLITE_IOERR:
        return hl_fail(err, HL_NOT_PERMITTED, "%s: cannot be %s: %s; %s", path,
                       code == SQLITE_IOERR_READ ? "read" : "written", why, remedy);
    case SQLITE_NOTADB:
        return hl_fail(err, HL_BAD_INPUT, "%s: not an SQLite database; expected halfload's", path);
    case SQLITE_CORRUPT:
        return hl_fail(err, HL_BAD_INPUT, "%s: the database is damaged: %s", path, said);
    case SQLITE_ERROR:
        if (is_about_tables(said))
            return hl_fail(err, HL_BAD_INPUT,
                           "%s: the database is damaged: %s; expected the tables of halfload", path,
                           said);
        return hl_fail(err, HL_INTERNAL, "%s: %s", path, said);
    default: return hl_fail(err, HL_INTERNAL, "%s: %s", path, said);
    }
}

enum hl_status store_execute(struct store *store, const char *sql, struct hl_error *err)
{
    int code = sqlite3_exec(store->db, sql, NULL, NULL, NULL);

    return code == SQLITE_OK ? HL_OK : store_fail(store, code, err);
}

enum hl_status store_begin(struct store *store, struct hl_error *err)
{
    return store_execute(store, "BEGIN IMMEDIATE", err);
}

enum hl_status store_end(struct store *store, enum hl_status status, struct hl_error *err)
{
    if (status == HL_OK)
        status = store_execute(store, "COMMIT", err);
    /* SQLite takes some failed transactions back by itself; then there is nothing to do. */
    if (status != HL_OK && sqlite3_get_autocommit(store->db) == 0)
        (void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

enum hl_status store_prepare(struct store *store, const char *sql, sqlite3_stmt **statement,
                             struct hl_error *err)
{
    int code = sqlite3_prepare_v2(store->db, sql, -1, statement, NULL);

    return code == SQLITE_OK ? HL_OK : store_fail(store, code, err);
}

enum hl_status store_step(struct store *store, sqlite3_stmt *statement, bool *has_row,
                          struct hl_error *err)
{
    int code = sqlite3_step(statement);

    *has_row = code == SQLITE_ROW;
    return code == SQLITE_ROW || code == SQLITE_DONE ? HL_OK : store_fail(store, code, err);
}

enum hl_status store_number(struct store *store, const char *sql, int64_t *number,
                            struct hl_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool has_row = false;
    enum hl_status status = store_prepare(store, sql, &statement, err);

    if (status == HL_OK)
        status = store_step(store, statement, &has_row, err);
    *number = has_row ? sqlite3_column_int64(statement, 0) : 0;
    (void)sqlite3_finalize(statement);
    return status;
}

/* Turns WAL mode on, once in the life of a file. SQLite does not wait for others by itself here. A
 * disk that cannot have it (some network ones) keeps the older journal, which is as safe. */
static enum hl_status use_wal(struct store *store, struct hl_error *err)
{
    const struct timespec pause = {.tv_nsec = BUSY_STEP_MS * 1000000L};
    int code = SQLITE_BUSY;

    for (int waited_ms = 0; code == SQLITE_BUSY && waited_ms <= BUSY_WAIT_MS;
         waited_ms += BUSY_STEP_MS) {
        if (waited_ms > 0)
            (void)nanosleep(&pause, NULL);
        code = sqlite3_exec(store->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL) & 0xff;
    }
    return code == SQLITE_OK ? HL_OK : store_fail(store, sqlite3_extended_errcode(store->db), err);
}

/* "file:PATH?immutable=1" with what a URI takes for itself as %XX. */
static char *immutable_uri(const char *path)
{
    static const char hex[] = "0123456789ABCDEF", tail[] = "?immutable=1";
    char *uri = hl_alloc(3 * strlen(path) + sizeof("file:") + sizeof(tail), 1), *out = uri;

    if (uri == NULL)
        return NULL;
    out = stpcpy(out, "file:");
    for (; *path != '\0'; path++) {
        if (strchr("%?#", *path) == NULL) {
            *out++ = *path;
            continue;
        }
        *out++ = '%';
        *out++ = hex[(unsigned char)*path >> 4];
        *out++ = hex[(unsigned char)*path & 15];
    }
    (void)stpcpy(out, tail);
    return uri;
}

static bool has_journal(const char *path)
{
    char journal[PATH_MAX + 8];

    (void)snprintf(journal, sizeof(journal), "%s-wal", path);
    return access(journal, F_OK) == 0;
}

static void close_database(struct store *store)
{
    (void)sqlite3_close(store->db);
    store->db = NULL;
}

/* A reader in WAL mode makes two files beside the database. Where it may not, and nobody left them
 * there, nobody can be writing either: the file alone is all there is. */
static enum hl_status reopen_immutable(struct store *store, struct hl_error *err)
{
    char *uri;
    int code;

    close_database(store);
    uri = immutable_uri(store->path);
    if (uri == NULL)
        return store_fail(store, SQLITE_NOMEM, err);
    code = sqlite3_open_v2(uri, &store->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
    hl_free(uri);
    return code == SQLITE_OK ? HL_OK : store_fail(store, code, err);
}

static enum hl_status open_to_write(struct store *store, struct hl_error *err)
{
    int code =
        sqlite3_open_v2(store->path, &store->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);

    if (code != SQLITE_OK)
        return store_fail(store, code, err);
    (void)sqlite3_busy_timeout(store->db, BUSY_WAIT_MS);
    /* SQLite opens a file that is write-protected for reading and says so only later. */
    if (sqlite3_db_readonly(store->db, "main") == 1)
        return store_fail(store, SQLITE_READONLY, err);
    HL_TRY(use_wal(store, err));
    HL_TRY(store_execute(store, "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL", err));
    HL_TRY(store_schema_prepare(store, err));
    return store_schema_check(store, err);
}

static enum hl_status open_read_only(struct store *store, bool *is_old, struct hl_error *err)
{
    int64_t tables;
    int code;
    enum hl_status status;

    if (access(store->path, F_OK) != 0)
        return hl_fail(err, HL_BAD_INPUT, "%s: %s; expected a file made by halfload", store->path,
                       strerror(errno));
    code = sqlite3_open_v2(store->path, &store->db, SQLITE_OPEN_READONLY, NULL);
    if (code != SQLITE_OK)
        return store_fail(store, code, err);
    (void)sqlite3_busy_timeout(store->db, BUSY_WAIT_MS);
    status = store_number(store, "SELECT count(*) FROM sqlite_schema", &tables, err);
    if (status == HL_NOT_PERMITTED && !has_journal(store->path))
        status = reopen_immutable(store, err);
    return status == HL_OK ? store_schema_is_old(store, is_old, err) : status;
}

/* An older file is brought up to date; where that is not permitted it is read as it is. */
static enum hl_status open_to_read(struct store *store, struct hl_error *err)
{
    bool is_old = false;
    enum hl_status status = open_read_only(store, &is_old, err);

    if (status == HL_OK && !is_old)
        return store_schema_check(store, err);
    if (status != HL_OK)
        return status;
    close_database(store);
    status = open_to_write(store, err);
    if (status != HL_NOT_PERMITTED)
        return status;
    close_database(store);
    HL_TRY(open_read_only(store, &is_old, err));
    HL_TRY(store_schema_stand_in(store, err));
    return store_schema_check(store, err);
}

enum hl_status store_open(struct store **store, const char *path, enum store_access access,
                          struct hl_error *err)
{
    struct store *opened = hl_alloc(1, sizeof(*opened));
    enum hl_status status;

    *store = NULL;
    /* SQLite forgets what it writes under these names. */
    if (path[0] == '\0' || path[0] == ':') {
        hl_free(opened);
        return hl_fail(err, HL_USAGE, "the file of results is '%s'; expected the name of a file",
                       path);
    }
    if (opened != NULL)
        opened->path = hl_strdup(path);
    if (opened == NULL || opened->path == NULL) {
        hl_free(opened);
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the database %s", path);
    }
    status = access == STORE_READ ? open_to_read(opened, err) : open_to_write(opened, err);
    if (status == HL_OK)
        *store = opened;
    else
        store_close(opened);
    return status;
}

enum hl_status store_relax(struct store *store, struct hl_error *err)
{
    return store_execute(store, "PRAGMA synchronous = NORMAL", err);
}

void store_close(struct store *store)
{
    if (store == NULL)
        return;
    (void)sqlite3_finalize(store->insert_run);
    (void)sqlite3_finalize(store->insert_metric);
    (void)sqlite3_finalize(store->insert_part);
    (void)sqlite3_close(store->db);
    hl_free(store->path);
    hl_free(store);
}
