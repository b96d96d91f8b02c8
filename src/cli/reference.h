/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reference.h - what a person calls results: a study, `last`, one run of a study, or a file.
 */
#ifndef HL_CLI_REFERENCE_H
#define HL_CLI_REFERENCE_H

#include "cli/cli.h"
#include "import/import.h"
#include "run/run.h"
#include "store/store.h"

/*
 * The file of stored results: `db` as given by --db, or NULL for the default one. To be read, a
 * default file that is not there yet is no failure: *store is NULL then.
 */
enum hl_status cli_store_open(struct store **store, const char *db, enum store_access access,
                              struct hl_error *err) HL_MUST_CHECK;

/* To change what is there: a file that is not there is not made, *store is NULL then. */
enum hl_status cli_store_open_existing(struct store **store, const char *db,
                                       struct hl_error *err) HL_MUST_CHECK;

/* Finds a study, or a run of one, that must be there. */
enum hl_status cli_study_find(struct store *store, const char *text, struct store_study *study,
                              int64_t *place, struct hl_error *err) HL_MUST_CHECK;

/* What a reference names; {0} is none. */
struct reference {
    char name[256];                      /* as tables call it: the study, STUDY:RUN, or the file */
    struct run_list runs;                /* in planned order; those of a file in its order */
    int64_t *places;                     /* of the runs in their study; NULL if it is a file */
    struct store_study study;            /* name "" if it is a file */
    char (*studies)[IMPORT_STUDY_BYTES]; /* of a file: by run, the study it names, ""; else NULL */
    char *fingerprint;                   /* JSON, "" if none was taken */
    int session;                         /* of the runs, for compare; the caller's */
};

/*
 * Loads what `text` names. It is a path if it begins with /, ./ or ../ or ends in .json .csv .log
 * .txt .data .dat or .db (a file of stored results that has one study); else a study. If a file and
 * a study fit, the message lists them.
 */
enum hl_status reference_open(struct reference *reference, const char *text, const char *db,
                              struct hl_error *err) HL_MUST_CHECK;
void reference_close(struct reference *reference); /* safe on zeroed */

/* The words of a verb that takes one reference, --db and --format. */
struct reference_words {
    struct cli_input input; /* first */
    const char *text, *db;
    enum cli_format format;
};

enum { REFERENCE_KEY_DB = 256, REFERENCE_KEY_FORMAT };
#define REFERENCE_OPTIONS                                                                          \
    {"format", REFERENCE_KEY_FORMAT, "F", 0, "text (default), csv or json", 0},                    \
    {                                                                                              \
        "db", REFERENCE_KEY_DB, "FILE", 0, CLI_DB_HELP, 0                                          \
    }

/* For the parser of such a verb. `expected` completes the complaint about no reference: "show what?
 * expected ...". */
error_t reference_words_option(int key, char *arg, struct argp_state *state, const char *expected);

#endif
