/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cli.h - what the verbs of the command line share.
 *
 * A verb is a function that gets its words, prints its result on standard output and returns a
 * status. main.c prints the message of a failure as one line on standard error and exits with the
 * status' code.
 */
#ifndef HL_CLI_CLI_H
#define HL_CLI_CLI_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

struct cli_verb {
    const char *name, *arguments, *summary;
    enum hl_status (*play)(int argc, char **argv,
                           struct hl_error *err); /* argv[0]: "halfload VERB" */
    /* Plays runs: a signal ends it in order. Others have nothing to put in order, and just end. */
    bool has_runs;
};
/* Ends with a NULL name. */
extern const struct cli_verb cli_verbs[];

enum hl_status cli_run(int argc, char **argv, struct hl_error *err) HL_MUST_CHECK;
enum hl_status cli_reproduce(int argc, char **argv, struct hl_error *err) HL_MUST_CHECK;
enum hl_status cli_profile(int argc, char **argv, struct hl_error *err) HL_MUST_CHECK;
enum hl_status cli_list(int argc, char **argv, struct hl_error *err) HL_MUST_CHECK;
enum hl_status cli_import(int argc, char **argv, struct hl_error *err) HL_MUST_CHECK;
enum hl_status cli_show(int argc, char **argv, struct hl_error *err) HL_MUST_CHECK;
enum hl_status cli_compare(int argc, char **argv, struct hl_error *err) HL_MUST_CHECK;
enum hl_status cli_delete(int argc, char **argv, struct hl_error *err) HL_MUST_CHECK;
enum hl_status cli_plan(int argc, char **argv, struct hl_error *err) HL_MUST_CHECK;
enum hl_status cli_resume(int argc, char **argv, struct hl_error *err) HL_MUST_CHECK;

/* ---- options (options.c) ---- */

/* The first member of what a verb hands to argp as input. */
struct cli_input {
    enum hl_status status; /* set by cli_refuse */
    struct hl_error *err;
    int wrong_word; /* index in argv of an option that argp does not know; 0: none */
};

/*
 * Parses with argp. --help, --usage and --version print and exit (or fail where that cannot be written);
 * everything wrong becomes one line
 * in *err, with a near match for an unknown option. The parser of `argp` must hand ARGP_KEY_ERROR
 * and keys it does not know to cli_other_key.
 */
enum hl_status cli_parse(const struct argp *argp, int argc, char **argv, struct cli_input *input,
                         struct hl_error *err) HL_MUST_CHECK;
error_t cli_other_key(int key, struct argp_state *state);

/* Standard output has all that was printed, or HL_NOT_PERMITTED. */
enum hl_status cli_flush(struct hl_error *err) HL_MUST_CHECK;

/* Ends parsing with HL_USAGE and this message; for use in parsers. */
error_t cli_refuse(struct argp_state *state, const char *format, ...) HL_PRINTF(2, 3);

enum cli_format { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON };

/* Whole number of an option within a range. */
error_t cli_int_option(struct argp_state *state, const char *option, const char *text, int64_t min,
                       int64_t max, int64_t *value);
/* A relative change above 0 and below 1: "1%" or "0.01". */
error_t cli_effect_option(struct argp_state *state, const char *option, const char *text,
                          double *effect);
/* The value of an option that names something: never nothing. */
error_t cli_text_option(struct argp_state *state, const char *option, char *text,
                        const char *expected, const char **value);
error_t cli_format_option(struct argp_state *state, const char *text, bool has_csv,
                          enum cli_format *format);

/* ---- stored results ---- */

#define CLI_DB_HELP                                                                                \
    "the file of stored results (default: halfload/halfload.db in $XDG_DATA_HOME or "              \
    "~/.local/share)"
#define CLI_PROGRAM "halfload " HALFLOAD_VERSION

/* A command line as one would type it again; freed by the caller. words[0] is the program. */
enum hl_status cli_command_text(int word_count, char *const *words, char **text,
                                struct hl_error *err) HL_MUST_CHECK;

enum { CLI_TIME_BYTES = sizeof("2026-02-05 10:11:12 UTC") };
const char *cli_time_text(int64_t created_s, char text[static CLI_TIME_BYTES]);

enum hl_status cli_list_studies(const char *db, enum cli_format format,
                                struct hl_error *err) HL_MUST_CHECK;

/* ---- this machine ---- */

enum hl_status cli_list_host(enum cli_format format, struct hl_error *err) HL_MUST_CHECK;

/* One line on standard error. */
void cli_warn(const char *format, ...) HL_PRINTF(1, 2);

/* Number of threads for simulated runs: all cpus this process may use. */
int cli_threads(void);

#endif
