/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader.h - what the readers of this room share.
 *
 * A reader fills records with what its format says and hands each to import_add; import.c chooses
 * the reader and adds what the options say.
 */
#ifndef HL_IMPORT_READER_H
#define HL_IMPORT_READER_H

#include "base/json.h"
#include "import/import.h"

/* A file being read. */
struct import_source {
    const char *name; /* for messages */
    struct import_result *result;
    const struct import_options *options;
    size_t first; /* runs of the result that are of earlier files */
};

/* ---- text ---- */

struct import_lines {
    char *next; /* NUL-terminated, cut into lines while it is read */
    int number; /* of the last line given, from 1 */
};

/* The next line without its end and without blanks around it; NULL after the last. */
char *import_next_line(struct import_lines *lines);

/* Cuts the first word off; "" when there is none. */
char *import_next_word(char **text);

/* Seconds of a clock: "81.6", "81.6s", "3:25.56", "1:02:03", "1m21.670s", also with a decimal comma.
 * False on anything else, also on a negative one. */
bool import_parse_clock(const char *text, double *seconds);

/*
 * What a metric may be: no figure of ours is below 0, and none so large that the squares that
 * statistics sum up are no longer finite. `expected` (may be NULL) says which of both is wrong.
 */
bool import_is_figure(int metric, double value, const char **expected);

/* A figure that cannot be negative: "10431.6". */
bool import_parse_amount(const char *text, double *value);

/* ---- records ---- */

/* A record of an imported run: no metric, no block, names "unnamed", load as the options say. */
void import_run_init(const struct import_source *source, struct run *run, const char *reason);

/* Copies a name into a field of a record; false if it does not fit. */
bool import_copy(char *field, size_t bytes, const char *text);
#define IMPORT_COPY(field, text) import_copy(field, sizeof(field), text)

/* Sets load and, if the label is a number, level; false if the label does not fit. */
bool import_set_load(struct run *run, const char *label);

/* (user + system) / elapsed, if all three were had. */
void import_set_percent_cpu(struct run *run);

/* Fails if the options name a load although the format (say "a kernbench log") does so itself. */
enum hl_status import_refuse_load(const struct import_source *source, const char *format,
                                  struct hl_error *err) HL_MUST_CHECK;

/* The workload and variant that the options say; before the record is looked up or added. */
enum hl_status import_apply_options(const struct import_source *source, struct run *run,
                                    struct hl_error *err) HL_MUST_CHECK;

/* The first run number that is free in the cell of this record. */
int32_t import_next_number(const struct import_source *source, const struct run *run);

/* The run that has the identity of this record (all but metrics, status and order): *index, or
 * runs.count if there is none. */
enum hl_status import_find(struct import_result *result, const struct run *run, const char *study,
                           size_t *index, struct hl_error *err) HL_MUST_CHECK;

/* Appends a record whose identity is new. */
enum hl_status import_add(const struct import_source *source, const struct run *run,
                          const char *study, struct hl_error *err) HL_MUST_CHECK;

/* Forgets the runs of a file that was not read to its end. */
void import_shorten(struct import_result *result, size_t count);

/* ---- readers: text is NUL-terminated and may be written to ---- */

bool import_is_kernbench_log(const char *text);
enum hl_status import_kernbench_log(const struct import_source *source, char *text,
                                    struct hl_error *err) HL_MUST_CHECK;
enum hl_status import_time_lines(const struct import_source *source, char *text,
                                 struct hl_error *err) HL_MUST_CHECK;
bool import_is_long_csv(const char *text);
enum hl_status import_long_csv(const struct import_source *source, char *text,
                               struct hl_error *err) HL_MUST_CHECK;
enum hl_status import_hyperfine(const struct import_source *source, const struct hl_json_node *root,
                                struct hl_error *err) HL_MUST_CHECK;
enum hl_status import_run_json(const struct import_source *source, const struct hl_json_node *root,
                               struct hl_error *err) HL_MUST_CHECK;

#endif
