/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_reproduce.c - `halfload reproduce [PAPER...]`: published | simulated | difference, cell by
 * cell; `halfload reproduce goldens`: real kernel | simulated.
 *
 * Without a name every shipped paper is played whose parts can be simulated; the others are named at
 * the end, with what is missing.
 */
#include <stdio.h>
#include <string.h>

#include "base/data_dir.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/play_goldens.h"
#include "cli/play_paper.h"
#include "cli/progress_bar.h"
#include "report/report.h"

enum { PAPERS_MAX = 64, KEY_FORMAT = 256, KEY_SEED, KEY_RUNS, KEY_GOLDENS, KEY_ONLY };

struct reproduce_options {
    struct cli_input input; /* first */
    const char *papers[PAPERS_MAX];
    int paper_count;
    bool has_goldens;
    const char *goldens_path, *only; /* NULL: the shipped ones; all */
    int64_t seed, runs;              /* runs 0: as each paper says */
    enum cli_format format;
};

static const struct argp_option option_table[] = {
    {"seed", KEY_SEED, "S", 0, "of all random choices (default 1)", 0},
    {"runs", KEY_RUNS, "N", 0, "simulated runs of each cell (default: as the paper's file says)",
     0},
    {"goldens", KEY_GOLDENS, "FILE", 0, "play records of real kernels in FILE (docs/formats.md)",
     0},
    {"only", KEY_ONLY, "ID,...", 0, "of goldens: these records, of all kernels", 0},
    {"format", KEY_FORMAT, "F", 0, "text (default) or json: one object, of several papers a list",
     0},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct reproduce_options *o = state->input;

    switch (key) {
    case KEY_SEED: return cli_int_option(state, "seed", arg, 0, INT64_MAX, &o->seed);
    case KEY_RUNS: return cli_int_option(state, "runs", arg, 1, 1000, &o->runs);
    case KEY_GOLDENS:
        o->has_goldens = true;
        o->goldens_path = arg;
        return 0;
    case KEY_ONLY: o->only = arg; return 0;
    case KEY_FORMAT: return cli_format_option(state, arg, false, &o->format);
    case ARGP_KEY_ARG:
        if (strcmp(arg, "goldens") == 0) {
            o->has_goldens = true;
            return 0;
        }
        if (o->paper_count == PAPERS_MAX)
            return cli_refuse(state, "more than %d papers", PAPERS_MAX);
        o->papers[o->paper_count++] = arg;
        return 0;
    default: return cli_other_key(key, state);
    }
}

static const struct argp reproduce_argp = {
    .options = option_table,
    .parser = parse_option,
    .args_doc = "[PAPER...|goldens]",
    .doc =
        "Plays published studies (see `halfload list papers`; default: all) on their simulated "
        "machines and prints them beside what was published. Errors of cells that constants were "
        "fitted to, of predicted cells and of those that compare schedulers are printed apart. "
        "`goldens` plays the records of real Linux kernels (6.1, 6.12, 6.18) under cfs and eevdf "
        "instead.",
};

static enum hl_status reproduce_one(const struct reproduce_options *o, struct paper *paper,
                                    struct hl_error *err)
{
    struct progress_bar bar;
    struct study_progress progress = progress_bar_open(&bar, NULL, NULL);
    struct paper_score score = {0};
    enum hl_status status;

    if (o->runs > 0)
        paper->simulated_runs = o->runs;
    status = play_paper(paper, (uint64_t)o->seed, cli_threads(), &progress, err);
    progress_bar_close(&bar);
    if (status == HL_OK)
        status = paper_score(paper, &score, err);
    if (status == HL_OK && o->format == FORMAT_JSON)
        status = report_paper_json(stdout, paper, &score, err);
    else if (status == HL_OK)
        status = report_paper_text(stdout, paper, &score, err);
    paper_score_close(&score);
    return status;
}

/* What stands between two papers. */
static void separate(const struct reproduce_options *o, bool is_first)
{
    if (o->format == FORMAT_JSON)
        fputs(is_first ? "[\n" : ",\n", stdout);
    else if (!is_first)
        putchar('\n');
}

/* All are read before one is printed: a list of JSON is not left open for a wrong word. */
static enum hl_status check_named(const struct reproduce_options *o, struct hl_error *err)
{
    for (int i = 0; i < o->paper_count; i++) {
        struct paper paper = {0};
        enum hl_status status = paper_open(&paper, o->papers[i], err);

        if (status == HL_OK)
            status = play_paper_check(&paper, err);
        paper_close(&paper);
        HL_TRY(status);
    }
    return HL_OK;
}

static enum hl_status reproduce_named(const struct reproduce_options *o, struct hl_error *err)
{
    bool is_list = o->paper_count > 1;
    enum hl_status status = check_named(o, err);

    for (int i = 0; status == HL_OK && i < o->paper_count; i++) {
        struct paper paper = {0};

        status = paper_open(&paper, o->papers[i], err);
        if (status == HL_OK && is_list)
            separate(o, i == 0);
        if (status == HL_OK)
            status = reproduce_one(o, &paper, err);
        paper_close(&paper);
    }
    if (status == HL_OK && is_list && o->format == FORMAT_JSON)
        puts("]");
    return status;
}

/* Plays a paper if it can be; when closing, names it if it cannot. `count` counts what is done. */
static enum hl_status visit(const struct reproduce_options *o, const char *name, bool is_closing,
                            int *count, struct hl_error *err)
{
    struct paper paper = {0};
    struct hl_error why;
    enum hl_status status = paper_open(&paper, name, err);
    bool is_left_out = status == HL_OK && play_paper_check(&paper, &why) == HL_UNSUPPORTED;
    FILE *out = o->format == FORMAT_TEXT ? stdout : stderr; /* JSON has no place for it */

    if (is_left_out && is_closing)
        (void)fprintf(out, "%sleft out: %s\n",
                      (*count)++ == 0 && o->format == FORMAT_TEXT ? "\n" : "", why.text);
    if (status == HL_OK && !is_left_out && !is_closing) {
        separate(o, (*count)++ == 0);
        status = reproduce_one(o, &paper, err);
    }
    paper_close(&paper);
    return status;
}

static enum hl_status reproduce_all(const struct reproduce_options *o, struct hl_error *err)
{
    char **names;
    int played = 0, left_out = 0;
    enum hl_status status;

    HL_TRY(hl_data_list("papers", ".json", &names, err));
    status = HL_OK;
    for (int i = 0; status == HL_OK && names[i] != NULL; i++)
        status = visit(o, names[i], false, &played, err);
    if (status == HL_OK && o->format == FORMAT_JSON)
        puts(played == 0 ? "[]" : "]");
    (void)fflush(stdout);
    for (int i = 0; status == HL_OK && names[i] != NULL; i++)
        status = visit(o, names[i], true, &left_out, err);
    hl_data_list_close(names);
    return status;
}

enum hl_status cli_reproduce(int argc, char **argv, struct hl_error *err)
{
    struct reproduce_options o = {.seed = 1};

    HL_TRY(cli_parse(&reproduce_argp, argc, argv, &o.input, err));
    if (o.has_goldens && o.paper_count > 0)
        return hl_fail(err, HL_USAGE, "goldens and paper %.64s; expected one of both", o.papers[0]);
    if (o.runs > 0 && o.has_goldens)
        return hl_fail(err, HL_USAGE, "--runs and goldens; expected a paper with --runs");
    if (o.only != NULL && !o.has_goldens)
        return hl_fail(err, HL_USAGE, "--only %.64s without goldens; expected `reproduce goldens`",
                       o.only);
    if (o.has_goldens)
        return play_goldens(&(struct goldens_request){.path = o.goldens_path,
                                                      .only = o.only,
                                                      .seed = (uint64_t)o.seed,
                                                      .format = o.format},
                            err);
    return o.paper_count > 0 ? reproduce_named(&o, err) : reproduce_all(&o, err);
}
