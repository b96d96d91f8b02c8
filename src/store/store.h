/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store.h - results that stay: studies and their runs in one SQLite file.
 *
 * What a call has recorded is there for good: each run is a transaction of its own, so a process
 * that is killed, a full disk or a crash takes at most the run that was being written. Several
 * processes may use one file at once; a writer waits up to ten seconds for another one.
 *
 *     struct store *store = NULL;
 *     HL_TRY(store_open(&store, path, STORE_WRITE, err));
 *     status = store_study_begin(store, &study, &id, name, err);
 *     if (status == HL_OK) status = store_run_add(store, id, 0, &run, err);
 *     store_close(store);
 *
 * A file that cannot be opened or written is HL_NOT_PERMITTED, one that is damaged or not ours
 * HL_BAD_INPUT, one of a newer program HL_UNSUPPORTED, a name or reference that is wrong HL_USAGE.
 */
#ifndef HL_STORE_STORE_H
#define HL_STORE_STORE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/run.h"

enum { STORE_NAME_BYTES = 64 };

struct store;

enum store_access {
    STORE_READ, /* the file must be there; also on a read-only disk */
    STORE_WRITE /* makes the file if needed, and brings an older one up to date */
};

/* $XDG_DATA_HOME/halfload/halfload.db, else ~/.local/share/halfload/halfload.db. With `make_folder`
 * the folder is made if it is missing. */
enum hl_status store_default_path(char path[static PATH_MAX], bool make_folder,
                                  struct hl_error *err) HL_MUST_CHECK;

enum hl_status store_open(struct store **store, const char *path, enum store_access access,
                          struct hl_error *err) HL_MUST_CHECK;
void store_close(struct store *store); /* NULL is fine */

/* From now on commits do not wait for the disk: for what can be had again, as simulated runs can. A
 * process that is killed loses nothing all the same; a power cut may take the last commits. */
enum hl_status store_relax(struct store *store, struct hl_error *err) HL_MUST_CHECK;

/* ---- writing ---- */

struct store_new_study {
    const char *name;        /* NULL: made of `stem` and the id, "kernbench-7" */
    const char *stem;        /* the workload, or what an imported file is called */
    const char *program;     /* name and version of what made it */
    const char *command;     /* as typed, for people */
    const char *plan;        /* JSON: what resume needs; "": it cannot be resumed */
    const char *fingerprint; /* JSON: machine and kernel; "": not taken */
    const char *player;      /* who plays it now, in words of the caller; "": nobody */
    uint64_t seed;
    int64_t planned; /* runs */
};

/* A name that can be told from ids, paths and runs: see store_find. */
enum hl_status store_name_check(const char *name, struct hl_error *err) HL_MUST_CHECK;

/* A study without runs. A name that is taken is HL_USAGE. */
enum hl_status store_study_begin(struct store *store, const struct store_new_study *study,
                                 int64_t *id, char name[static STORE_NAME_BYTES],
                                 struct hl_error *err) HL_MUST_CHECK;

/* A study together with its runs, or nothing at all. */
enum hl_status store_study_add(struct store *store, const struct store_new_study *study,
                               const struct run_list *runs, int64_t *id,
                               char name[static STORE_NAME_BYTES],
                               struct hl_error *err) HL_MUST_CHECK;

/* `place`: of the run in the planned order, from 0; whatever the order of play. A place that is
 * taken, as when two processes play one study, is HL_NOT_PERMITTED. */
enum hl_status store_run_add(struct store *store, int64_t study_id, int64_t place,
                             const struct run *run, struct hl_error *err) HL_MUST_CHECK;

enum hl_status store_study_set_player(struct store *store, int64_t id, const char *player,
                                      struct hl_error *err) HL_MUST_CHECK;
enum hl_status store_study_set_fingerprint(struct store *store, int64_t id, const char *fingerprint,
                                           struct hl_error *err) HL_MUST_CHECK;

enum hl_status store_study_delete(struct store *store, int64_t id,
                                  struct hl_error *err) HL_MUST_CHECK;

/* ---- reading ---- */

struct store_study {
    int64_t id;
    char name[STORE_NAME_BYTES];
    int64_t created_s; /* since 1970, UTC */
    uint64_t seed;
    int64_t planned, run_count;
    int64_t failed_count, invalid_count;                   /* of the runs; no run is both */
    char *program, *command, *plan, *fingerprint, *player; /* never NULL */
};
void store_study_close(struct store_study *study); /* safe on zeroed */

/*
 * What a reference names: a study by name or id, `last` (the one begun last), or one run of it,
 * STUDY:PLACE. *place is -1 for a whole study. One that fits two studies names both.
 */
enum hl_status store_find(struct store *store, const char *reference, struct store_study *study,
                          int64_t *place, struct hl_error *err) HL_MUST_CHECK;

/* All studies by id; the caller closes each and frees the array. */
enum hl_status store_studies(struct store *store, struct store_study **studies, size_t *count,
                             struct hl_error *err) HL_MUST_CHECK;
void store_studies_close(struct store_study *studies, size_t count);

/* Appends the runs of a study in planned order, or the one at `place`. `places` (may be NULL): an
 * array of the places of those appended, to be freed by the caller. */
enum hl_status store_runs(struct store *store, int64_t study_id, int64_t place,
                          struct run_list *runs, int64_t **places,
                          struct hl_error *err) HL_MUST_CHECK;

#endif
