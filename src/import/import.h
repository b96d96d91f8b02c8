/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import.h - results made elsewhere become run records.
 *
 * Which format a file has is found from its content: a kernbench log, lines of time(1), hyperfine's
 * JSON, long CSV, or our own JSON (docs/formats.md). What a file does not say is missing in the
 * record, with a reason, and never 0. A file is read whole or not at all.
 *
 *     struct import_result result = {0};
 *     status = import_file(&result, "kernbench.log", &(struct import_options){0}, err);
 *     ... result.runs ...
 *     import_close(&result);
 *
 * Complaints are one line, HL_BAD_INPUT, with file and line or file and JSON pointer.
 */
#ifndef HL_IMPORT_IMPORT_H
#define HL_IMPORT_IMPORT_H

#include "run/run.h"

enum { IMPORT_STUDY_BYTES = 64, IMPORT_VARIANTS_MAX = 16 };

/* What is said about a file beside it. */
struct import_options {
    const char *workload; /* of all its runs, whatever it says; NULL: as it says, else "unnamed" */
    const char *load;     /* for formats that say none; NULL: "unnamed" */
    const char *variant[IMPORT_VARIANTS_MAX]; /* "KEY=VALUE", added to each run */
    int variant_count;
};

/* {0} is an empty one. Runs of several files may be collected in it: those of one cell are then
 * numbered on. */
struct import_result {
    struct run_list runs;
    char (*studies)
        [IMPORT_STUDY_BYTES]; /* by run: the study it belongs to, "" if the file says none */
    size_t study_capacity;
    char *fingerprint; /* JSON, of the machine, if the last file told one; NULL */
    size_t *slots;     /* index of runs by their identity; see run_index.c */
    size_t slot_count;
};

enum hl_status import_file(struct import_result *result, const char *path,
                           const struct import_options *options,
                           struct hl_error *err) HL_MUST_CHECK;
/* The same from text[bytes]; `name` is for messages. */
enum hl_status import_text(struct import_result *result, const char *name, const char *text,
                           size_t bytes, const struct import_options *options,
                           struct hl_error *err) HL_MUST_CHECK;
void import_close(struct import_result *result); /* safe on zeroed */

#endif
