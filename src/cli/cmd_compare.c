/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_compare.c - `halfload compare BASE NEW...`: stored results side by side, with verdicts.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/compare_prediction.h"
#include "cli/stored_arms.h"
#include "compare/compare.h"
#include "report/report.h"

enum {
    WORDS_MAX = 64,
    KEY_EFFECT = 256,
    KEY_METRIC,
    KEY_BASE,
    KEY_FAIL_ON_REGRESSION,
    KEY_FAIL_ON_UNDECIDED,
    KEY_PREDICTION,
    KEY_FORMAT,
    KEY_DB
};

typedef enum hl_status write_comparison(FILE *out, const struct compare_result *result,
                                        struct hl_error *err);

static const struct {
    const char *name;
    write_comparison *write;
    write_predictions *write_predictions; /* NULL: not in this format */
} formats[] = {
    {"text", report_compare_text, report_prediction_text},
    {"csv", report_compare_csv, report_prediction_csv},
    {"json", report_compare_json, report_prediction_json},
    {"markdown", report_compare_markdown, NULL},
};

struct compare_words {
    struct cli_input input; /* first */
    const char *words[WORDS_MAX];
    size_t word_count;
    const char *metric, *base, *db;
    double effect;
    bool fails_on_regression, fails_on_undecided;
    bool is_prediction;
    const char *not_prediction; /* an option that has no meaning there */
    int format;                 /* in formats */
};

static const struct argp_option option_table[] = {
    {"effect", KEY_EFFECT, "D", 0, "the change that matters, 1% or 0.01 (default: 1%)", 0},
    {"metric", KEY_METRIC, "M", 0,
     "what decides (default: elapsed_s, of rsa signs_per_s); others are exploratory", 0},
    {"base", KEY_BASE, "ARM", 0, "the arm of BASE that all others are compared with", 0},
    {"fail-on-regression", KEY_FAIL_ON_REGRESSION, NULL, 0,
     "exit with 2 if a load is different, worse, and by D or more, or if more runs fail", 0},
    {"fail-on-undecided", KEY_FAIL_ON_UNDECIDED, NULL, 0, "exit with 2 if a load is undecided", 0},
    {"prediction", KEY_PREDICTION, NULL, 0,
     "BASE is simulated, NEW is measured: how wrong was the simulation? No verdicts", 0},
    {"format", KEY_FORMAT, "F", 0, "text (default), csv, json or markdown", 0},
    {"db", KEY_DB, "FILE", 0, CLI_DB_HELP, 0},
    {0},
};

static error_t parse_format(struct argp_state *state, const char *text, int *format)
{
    for (int i = 0; i < HL_COUNT_OF(formats); i++)
        if (strcmp(text, formats[i].name) == 0) {
            *format = i;
            return 0;
        }
    return cli_refuse(state, "--format is '%s'; expected text, csv, json or markdown", text);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct compare_words *o = state->input;

    switch (key) {
    case KEY_EFFECT:
        o->not_prediction = "effect";
        return cli_effect_option(state, "effect", arg, &o->effect);
    case KEY_METRIC: o->metric = arg; return 0;
    case KEY_BASE:
        o->not_prediction = "base";
        o->base = arg;
        return 0;
    case KEY_FAIL_ON_REGRESSION:
        o->not_prediction = "fail-on-regression";
        o->fails_on_regression = true;
        return 0;
    case KEY_FAIL_ON_UNDECIDED:
        o->not_prediction = "fail-on-undecided";
        o->fails_on_undecided = true;
        return 0;
    case KEY_PREDICTION: o->is_prediction = true; return 0;
    case KEY_FORMAT: return parse_format(state, arg, &o->format);
    case KEY_DB: o->db = arg; return 0;
    case ARGP_KEY_ARG:
        if (o->word_count == WORDS_MAX)
            return cli_refuse(state, "more than %d results to compare", WORDS_MAX);
        o->words[o->word_count++] = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        return cli_refuse(state, "compare what? expected BASE and NEW..., or one study with "
                                 "several arms");
    case ARGP_KEY_SUCCESS:
        if (o->is_prediction && o->not_prediction != NULL)
            return cli_refuse(state,
                              "--%s has no meaning with --prediction, which gives no verdicts",
                              o->not_prediction);
        if (o->is_prediction && formats[o->format].write_predictions == NULL)
            return cli_refuse(state, "--format is '%s'; expected text, csv or json of predictions",
                              formats[o->format].name);
        return 0;
    default: return cli_other_key(key, state);
    }
}

static const struct argp compare_argp = {
    .options = option_table,
    .parser = parse_option,
    .args_doc = "BASE NEW...\nSTUDY",
    .doc =
        "Compares stored results: studies by name, id or `last`, runs (STUDY:RUN), files that "
        "`halfload import` would take; A+B joins several, such as one kernel under several boots. "
        "Of one study alone its first arm is compared with its others; of several with several "
        "arms those that are called alike. Each load gets a verdict: same (within D of base), "
        "different, or undecided, "
        "with what would decide.\v"
        "Examples:\n"
        "  halfload compare 6.1 6.12 --effect 2%\n"
        "  halfload compare last --fail-on-regression\n"
        "  halfload compare base.json new.csv --format markdown\n"
        "  halfload compare simulated measured --prediction\n",
};

/* A study that was interrupted is compared as far as it goes. */
static void warn_of_parts(const struct stored_arms *stored)
{
    for (size_t i = 0; i < stored->reference_count; i++) {
        const struct reference *r = &stored->references[i];

        if (r->study.run_count < r->study.planned && strcmp(r->name, r->study.name) == 0)
            cli_warn("study %s has %lld of its %lld runs; `halfload resume` plays the others",
                     r->name, (long long)r->study.run_count, (long long)r->study.planned);
    }
}

static enum hl_status list_arms(const struct stored_arms *stored, struct hl_error *err)
{
    char list[200] = "";
    size_t used = 0;

    for (size_t i = 0; i < stored->first_count && used < sizeof(list); i++)
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i == 0 ? "" : ", ",
                                 stored->arms.arms[i].name);
    return hl_fail(
        err, HL_USAGE,
        "%s has several arms and none of them is in the others; expected --base with one "
        "of: %s",
        stored->references[0].name, list);
}

/* Which arms are set against which: one base for all, or the arms that have one name in the studies. */
static enum hl_status pair_arms(const struct compare_words *o, struct stored_arms *stored,
                                struct compare_request *request, struct hl_error *err)
{
    bool is_one_word = stored->first_count == stored->arms.count;
    size_t left_out;

    if (o->base != NULL)
        HL_TRY(stored_arms_choose_base(stored, o->base, err));
    request->base = stored->arms.arms;
    request->news = stored->arms.arms + (is_one_word ? 1 : stored->first_count);
    request->new_count = stored->arms.count - (is_one_word ? 1 : stored->first_count);
    if (o->base != NULL || is_one_word || stored->first_count == 1)
        return HL_OK;
    HL_TRY(stored_arms_match(stored, &left_out, err));
    if (stored->matched_count == 0)
        return list_arms(stored, err);
    if (left_out > 0)
        cli_warn("%zu arm%s that only one of the studies has %s left out", left_out,
                 left_out == 1 ? "" : "s", left_out == 1 ? "is" : "are");
    request->bases = stored->bases;
    request->base = stored->bases[0];
    request->news = stored->news;
    request->new_count = stored->matched_count;
    return HL_OK;
}

/* The first new arm of which no run succeeded; NULL: none. */
static const struct compare_arm *arm_without_ok(const struct compare_request *request)
{
    for (size_t i = 0; i < request->new_count; i++)
        if (!compare_arm_has_ok(&request->news[i]))
            return &request->news[i];
    return NULL;
}

static enum hl_status fill_request(const struct compare_words *o, struct stored_arms *stored,
                                   struct compare_request *request, struct hl_error *err)
{
    HL_TRY(pair_arms(o, stored, request, err));
    request->effect = o->effect;
    request->level = COMPARE_DEFAULT_LEVEL;
    request->is_aa = stored_arms_are_equal(stored);
    HL_TRY(stored_arms_metric(stored, o->metric, &request->metric, err));
    if ((o->fails_on_regression || o->fails_on_undecided) && arm_without_ok(request) == NULL &&
        !stored_arms_has(stored, request->metric))
        return hl_fail(err, HL_USAGE,
                       "the arms do not both have %s; expected --metric with what decides",
                       run_metric_table[request->metric].name);
    if (o->fails_on_regression && run_metric_table[request->metric].better == RUN_NEITHER)
        return hl_fail(err, HL_USAGE,
                       "--fail-on-regression: of %s neither lower nor higher is better; expected "
                       "--metric with one that has a direction",
                       run_metric_table[request->metric].name);
    return HL_OK;
}

static size_t count_regressions(const struct compare_cell *cells, size_t count)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        found += cells[i].is_regression;
    return found;
}

static enum hl_status judge(const struct compare_words *o, const struct compare_result *result,
                            struct hl_error *err)
{
    size_t count = result->cell_count;
    size_t worse = count_regressions(result->cells, count);
    size_t undecided = compare_count(result->cells, count, COMPARE_UNDECIDED);
    const char *name = run_metric_table[result->request->metric].name;
    const struct compare_arm *failed = arm_without_ok(result->request);
    char failures[COMPARE_REASON_BYTES];

    if (!o->fails_on_regression && !o->fails_on_undecided)
        return HL_OK;
    if (failed != NULL)
        return hl_fail(err, HL_REGRESSION, "%s: no run of it succeeded", failed->name);
    if (o->fails_on_regression && compare_new_failures(result, failures, sizeof(failures)) > 0)
        return hl_fail(err, HL_REGRESSION, "more runs fail: %s", failures);
    if (o->fails_on_regression && worse > 0)
        return hl_fail(err, HL_REGRESSION, "%s: %zu of %zu comparison%s worse by %.4g %% or more",
                       name, worse, count, count == 1 ? "" : "s", 100 * o->effect);
    if (o->fails_on_regression && count_regressions(result->means, result->mean_count) > 0)
        return hl_fail(err, HL_REGRESSION, "%s: the geometric mean is worse by %.4g %% or more",
                       name, 100 * o->effect);
    if (o->fails_on_undecided && count == 0)
        return hl_fail(err, HL_REGRESSION, "%s: nothing to compare", name);
    if (o->fails_on_undecided && undecided > 0)
        return hl_fail(err, HL_REGRESSION, "%s: %zu of %zu comparison%s undecided", name, undecided,
                       count, count == 1 ? "" : "s");
    return HL_OK;
}

static enum hl_status compare_stored(const struct compare_words *o, struct stored_arms *stored,
                                     struct hl_error *err)
{
    struct compare_request request = {0};
    struct compare_result result;
    enum hl_status status;

    HL_TRY(fill_request(o, stored, &request, err));
    HL_TRY(compare_runs(&request, &result, err));
    warn_of_parts(stored);
    status = formats[o->format].write(stdout, &result, err);
    if (status == HL_OK)
        status = judge(o, &result, err);
    compare_result_close(&result);
    return status;
}

enum hl_status cli_compare(int argc, char **argv, struct hl_error *err)
{
    struct compare_words o = {.effect = COMPARE_DEFAULT_EFFECT}; /* format: text */
    struct stored_arms stored;
    enum hl_status status;

    HL_TRY(cli_parse(&compare_argp, argc, argv, &o.input, err));
    HL_TRY(stored_arms_open(&stored, o.words, o.word_count, o.db, err));
    status = o.is_prediction ? cli_compare_prediction(&stored, o.metric,
                                                      formats[o.format].write_predictions, err)
                             : compare_stored(&o, &stored, err);
    stored_arms_close(&stored);
    return status;
}
