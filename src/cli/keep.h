/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keep.h - keeps the runs of a study while it is played.
 *
 * A study is worth more than its place in a file: where the default file cannot be used, or a disk
 * is full, the study is played all the same and one line says what is not kept. Only a file that
 * was asked for by --db must be usable from the start.
 */
#ifndef HL_CLI_KEEP_H
#define HL_CLI_KEEP_H

#include "store/store.h"
#include "study/study.h"

struct keeper {
    struct store *store; /* NULL: nothing is kept */
    int64_t study_id;
    char name[STORE_NAME_BYTES];
    int64_t planned, made_count; /* runs; those made by earlier sessions */
    bool *is_made;               /* by place; NULL: none */
    int64_t kept;                /* runs written by this session */
    struct run_list waiting;     /* could not be written yet */
    int64_t *waiting_places;
    size_t waiting_capacity;
    bool has_warned, has_told;  /* that a run waits; how many are not kept */
    struct study_progress told; /* is told of each run after it is kept */
};

/* A new study. `db`: as given by --db, or NULL; `is_simulated`: its runs can be had again. */
enum hl_status keeper_begin(struct keeper *keeper, const char *db,
                            const struct store_new_study *study, bool is_simulated,
                            struct hl_error *err) HL_MUST_CHECK;

/* Goes on with a stored study: its runs are known as made. Takes over the store. */
enum hl_status keeper_resume(struct keeper *keeper, struct store *store,
                             const struct store_study *study, struct hl_error *err) HL_MUST_CHECK;

/* Keeps each run that is done, then tells `told`. The keeper must outlive what it returns. */
struct study_progress keeper_progress(struct keeper *keeper, struct study_progress told);

/* All runs of the study, also of earlier sessions, in planned order; HL_OK with an empty list if
 * some are not kept. */
enum hl_status keeper_runs(struct keeper *keeper, struct run_list *runs,
                           struct hl_error *err) HL_MUST_CHECK;

/* Writes what waits. HL_NOT_PERMITTED with how many runs are not kept. */
enum hl_status keeper_finish(struct keeper *keeper, struct hl_error *err) HL_MUST_CHECK;

/* Writes what waits, or says that it is not kept; a new study without any run is taken back. Safe on
 * zeroed. */
void keeper_close(struct keeper *keeper);

#endif
