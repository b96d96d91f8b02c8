/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_plan.c - `halfload plan [STUDY]`: how many runs an answer takes.
 */
#include <stdio.h>

#include "base/text.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/stored_arms.h"
#include "report/report.h"

enum {
    KEY_EFFECT = 256,
    KEY_METRIC,
    KEY_RUNS,
    KEY_LOADS,
    KEY_VARIANTS,
    KEY_NOISE,
    KEY_FORMAT,
    KEY_DB
};

/* Of loads, variants and runs: beyond this nobody waits for an answer. */
enum { COUNT_MAX = 10000 };

struct plan_words {
    struct cli_input input; /* first */
    const char *study, *metric, *db;
    double effect, noise;
    int64_t runs, loads, variants;
    enum cli_format format;
};

static const struct argp_option option_table[] = {
    {"effect", KEY_EFFECT, "D", 0, "the change that is to be found, 1% or 0.01 (default: 1%)", 0},
    {"runs", KEY_RUNS, "N", 0, "planned runs of each variant at each load (default: as the study)",
     0},
    {"loads", KEY_LOADS, "N", 0, "number of loads (default: as the study; else 1)", 0},
    {"variants", KEY_VARIANTS, "N", 0,
     "number of variants with the base (default: as the study; 2)", 0},
    {"noise", KEY_NOISE, "CV", 0,
     "without a study: standard deviation of runs over their mean, 0.5% or 0.005", 0},
    {"metric", KEY_METRIC, "M", 0, "whose noise (default: elapsed_s, of rsa signs_per_s)", 0},
    {"format", KEY_FORMAT, "F", 0, "text (default) or json", 0},
    {"db", KEY_DB, "FILE", 0, CLI_DB_HELP, 0},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct plan_words *o = state->input;

    switch (key) {
    case KEY_EFFECT: return cli_effect_option(state, "effect", arg, &o->effect);
    case KEY_NOISE: return cli_effect_option(state, "noise", arg, &o->noise);
    case KEY_RUNS: return cli_int_option(state, "runs", arg, 1, COUNT_MAX, &o->runs);
    case KEY_LOADS: return cli_int_option(state, "loads", arg, 1, COUNT_MAX, &o->loads);
    case KEY_VARIANTS: return cli_int_option(state, "variants", arg, 2, COUNT_MAX, &o->variants);
    case KEY_METRIC: o->metric = arg; return 0;
    case KEY_FORMAT: return cli_format_option(state, arg, false, &o->format);
    case KEY_DB: o->db = arg; return 0;
    case ARGP_KEY_ARG:
        if (o->study != NULL)
            return cli_refuse(state, "a second study '%s'; expected one", arg);
        o->study = arg;
        return 0;
    default: return cli_other_key(key, state);
    }
}

static const struct argp plan_argp = {
    .options = option_table,
    .parser = parse_option,
    .args_doc = "[STUDY]",
    .doc =
        "Says how many runs it takes to find a change: from the noise of a stored study, best of "
        "one with equal arms (`halfload run --aa`), or from noise that is given. Plans for blocks, "
        "as `halfload run` plays them, and for runs of sessions apart.\v"
        "Examples:\n"
        "  halfload plan last --effect 1%\n"
        "  halfload plan --noise 0.8% --loads 3 --runs 5\n",
};

static enum hl_status write_plan(const struct plan_words *o, const struct compare_plan *plan,
                                 struct hl_error *err)
{
    return o->format == FORMAT_JSON ? report_plan_json(stdout, plan, err)
                                    : report_plan_text(stdout, plan, err);
}

static struct compare_plan plan_of(const struct plan_words *o, enum run_metric metric)
{
    return (struct compare_plan){.metric = metric,
                                 .effect = o->effect,
                                 .level = COMPARE_DEFAULT_LEVEL,
                                 .loads = (size_t)o->loads,
                                 .variants = (size_t)o->variants};
}

/* What is odd about the runs is odd about their noise. The noise floor stands in the table. */
static void print_notes(const struct compare_result *result)
{
    bool differs = compare_count(result->cells, result->cell_count, COMPARE_DIFFERENT) > 0;
    int printed = 0;

    for (size_t i = 0; i < result->note_count; i++)
        if (result->notes[i].kind >= COMPARE_NOTE_FAILED &&
            (result->notes[i].kind != COMPARE_NOTE_AA || differs))
            printf("%s%s\n", printed++ == 0 ? "\n" : "", result->notes[i].text);
}

static enum hl_status plan_from(const struct plan_words *o, const struct compare_result *result,
                                struct hl_error *err)
{
    struct compare_plan plan = plan_of(o, result->request->metric);
    enum hl_status status;

    HL_TRY(compare_plan_make(&plan, result, 0, (size_t)o->runs, err));
    if (plan.row_count == 0)
        status = hl_fail(err, HL_USAGE,
                         "%s: no load has two runs with %s; expected some to see "
                         "their noise",
                         o->study, run_metric_table[plan.metric].name);
    else
        status = write_plan(o, &plan, err);
    compare_plan_close(&plan);
    if (status == HL_OK && o->format == FORMAT_TEXT)
        print_notes(result);
    return status;
}

static enum hl_status plan_study(const struct plan_words *o, struct hl_error *err)
{
    struct compare_request request = {.effect = o->effect, .level = COMPARE_DEFAULT_LEVEL};
    struct compare_result result;
    struct stored_arms stored;
    enum hl_status status;

    HL_TRY(stored_arms_open(&stored, &o->study, 1, o->db, err));
    request.base = stored.arms.arms;
    request.news = stored.arms.arms + 1;
    request.new_count = stored.arms.count - 1;
    request.is_aa = stored_arms_are_equal(&stored);
    status = stored_arms_metric(&stored, o->metric, &request.metric, err);
    if (status == HL_OK)
        status = compare_runs(&request, &result, err);
    if (status == HL_OK) {
        status = plan_from(o, &result, err);
        compare_result_close(&result);
    }
    stored_arms_close(&stored);
    return status;
}

enum hl_status cli_plan(int argc, char **argv, struct hl_error *err)
{
    struct plan_words o = {.effect = COMPARE_DEFAULT_EFFECT};
    struct compare_plan plan;
    enum hl_status status;

    HL_TRY(cli_parse(&plan_argp, argc, argv, &o.input, err));
    if (o.study != NULL && o.noise > 0)
        return hl_fail(err, HL_USAGE, "both a study and --noise; expected one of them");
    if (o.study != NULL)
        return plan_study(&o, err);
    if (!(o.noise > 0))
        return hl_fail(
            err, HL_USAGE,
            "plan from what? expected a study, or --noise with the standard deviation of "
            "runs over their mean, such as 1%%");
    plan = plan_of(&o, RUN_elapsed_s);
    HL_TRY(compare_plan_make(&plan, NULL, o.noise, (size_t)o.runs, err));
    status = write_plan(&o, &plan, err);
    compare_plan_close(&plan);
    return status;
}
