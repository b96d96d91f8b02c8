/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_options.c - the words of `halfload run`.
 */
#include <string.h>

#include "base/text.h"
#include "cli/cmd_run.h"
#include "cli/run_real.h"

enum {
    KEY_MACHINE = 256,
    KEY_MACHINE_PARAM,
    KEY_SCHED,
    KEY_VARIANT,
    KEY_AA,
    KEY_LOAD_PER_VARIANT,
    KEY_LOAD,
    KEY_RUNS,
    KEY_SEED,
    KEY_PROFILE,
    KEY_FORMAT,
    KEY_WHY,
    KEY_TIMELINE,
    KEY_EVERY,
    KEY_NAME,
    KEY_DB,
};

static const struct argp_option option_table[] = {
    {NULL, 0, NULL, 0, "Where:", 1},
    {"machine", KEY_MACHINE, "M", 0,
     "a shipped name, a machine file, a topology such as 'pack:2 core:4 pu:2', or host (default)",
     1},
    {"machine-param", KEY_MACHINE_PARAM, "KEY=VALUE", 0,
     "override a constant of the simulated machine, or topology=...; repeatable", 1},
    {"sched", KEY_SCHED, "P,...", 0,
     "simulate under these policies, each NAME:PARAM=VALUE:...; without it the host is measured",
     1},
    {NULL, 0, NULL, 0, "What:", 2},
    {"variant", KEY_VARIANT, "K=V1,V2,...", 0,
     "compare these values of K (see `halfload list variants`), the first is the baseline; several "
     "--variant make the product",
     2},
    {"aa", KEY_AA, NULL, 0, "play one variant as two arms: what differs between them is noise", 2},
    {"load", KEY_LOAD, "L,...", 0,
     "levels such as 1-4,8, multiples of the cpus such as 2x, or half, optimal, max, single "
     "(default: for builds these four, by kernbench's rules; else 1x)",
     2},
    {"load-per-variant", KEY_LOAD_PER_VARIANT, NULL, 0,
     "multiples and names of loads by the cpus of each variant, not of the baseline", 2},
    {"runs", KEY_RUNS, "N", 0,
     "repetitions of each cell (default 5; with variants the fewest that can decide)", 2},
    {"seed", KEY_SEED, "S", 0, "of all random choices (default 1)", 2},
    {"profile", KEY_PROFILE, "P", 0,
     "constants of the simulated workload: a shipped name or a file", 2},
    {"timeline", KEY_TIMELINE, NULL, 0, "of a scenario: print the events of its first trial", 2},
    {"every", KEY_EVERY, "T", 0,
     "of a scenario with --format csv: time between two looks at the cpus, such as 1s", 2},
    {NULL, 0, NULL, 0, "Output:", 7},
    {"why", KEY_WHY, NULL, 0,
     "explain the differences between variants: causes, run delay, migrations, balancing", 7},
    {"format", KEY_FORMAT, "F", 0, "text (default), csv or json", 7},
    {"name", KEY_NAME, "STUDY", 0, "what the stored study is called (default: WORKLOAD-NUMBER)", 7},
    {"db", KEY_DB, "FILE", 0, CLI_DB_HELP, 7},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct run_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = o; return 0;
    case KEY_MACHINE:
        o->machine = arg;
        run_note(&o->not_scenario, "machine");
        return 0;
    case KEY_MACHINE_PARAM:
        if (o->param_count == RUN_PARAMS_MAX)
            return cli_refuse(state, "more than %d times --machine-param", RUN_PARAMS_MAX);
        o->params[o->param_count++] = arg;
        run_note(&o->only_simulated, "machine-param");
        run_note(&o->not_scenario, "machine-param");
        return 0;
    case KEY_SCHED:
        if (o->sched != NULL)
            return cli_refuse(state, "--sched is given twice; join policies with commas");
        o->sched = arg;
        run_note(&o->not_scenario, "sched");
        return 0;
    case KEY_VARIANT:
        if (o->variant_count == STUDY_KEYS_MAX)
            return cli_refuse(state, "more than %d times --variant", STUDY_KEYS_MAX);
        o->variants[o->variant_count++] = arg;
        run_note(&o->not_scenario, "variant");
        return 0;
    case KEY_AA:
        o->is_aa = true;
        run_note(&o->not_scenario, "aa");
        return 0;
    case KEY_LOAD_PER_VARIANT:
        o->load_per_variant = true;
        run_note(&o->not_scenario, "load-per-variant");
        return 0;
    case KEY_LOAD:
        if (o->load != NULL)
            return cli_refuse(state, "--load is given twice; join loads with commas");
        o->load = arg;
        run_note(&o->not_scenario, "load");
        return 0;
    case KEY_RUNS:
        run_note(&o->not_scenario, "runs");
        return cli_int_option(state, "runs", arg, 1, STUDY_RUNS_MAX, &o->runs);
    case KEY_SEED:
        run_note(&o->not_scenario, "seed");
        return cli_int_option(state, "seed", arg, 0, INT64_MAX, &o->seed);
    case KEY_PROFILE:
        run_note(&o->only_simulated, "profile");
        run_note(&o->not_scenario, "profile");
        return cli_text_option(state, "profile", arg, "a shipped name or a file", &o->profile);
    case KEY_WHY:
        o->why = true;
        run_note(&o->only_simulated, "why");
        run_note(&o->not_scenario, "why");
        return 0;
    case KEY_FORMAT: return cli_format_option(state, arg, true, &o->format);
    case KEY_NAME: o->name = arg; return 0;
    case KEY_DB: o->db = arg; return 0;
    case KEY_TIMELINE:
        o->timeline = true;
        run_note(&o->only_scenario, "timeline");
        return 0;
    case KEY_EVERY:
        run_note(&o->only_scenario, "every");
        if (!hl_parse_duration_ns(arg, &o->every_ns) || o->every_ns < 1)
            return cli_refuse(state, "--every is '%s'; expected a duration such as 1s or 100ms",
                              arg);
        return 0;
    case ARGP_KEY_ARG:
        if (o->workload != NULL)
            return run_real_word(o, arg, state);
        o->workload = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        return cli_refuse(state,
                          "no workload; expected a name of `halfload list workloads` or scn:FILE");
    default: return cli_other_key(key, state);
    }
}

static const struct argp_child children[] = {{.argp = &run_real_argp}, {0}};

static const struct argp run_argp = {
    .options = option_table,
    .parser = parse_option,
    .children = children,
    .args_doc = "WORKLOAD[:OPTION=VALUE...] [-- COMMAND]",
    .doc = "Plays WORKLOAD (see `halfload list workloads`) or a scenario file, scn:FILE.\v"
           "Examples:\n"
           "  halfload run kernbench --runs 3\n"
           "  halfload run kernbench --machine xeon-2phys-ht --sched o1,w26 --load 1-4,8\n"
           "  halfload run matinv:orders=1000 --machine smp:2 --sched 4bsd,ule\n"
           "  halfload run kernbench --machine smt:2x2 --sched o1 --variant smt_gain=0,0.3\n"
           "  halfload run cmd --load 1-8 --prepare 'make clean' -- make -j{load}\n"
           "  halfload run scn:tests/scenario/FILE.scn\n",
};

enum hl_status run_options_parse(struct run_options *o, int argc, char **argv, struct hl_error *err)
{
    *o = (struct run_options){.seed = 1};
    HL_TRY(cli_parse(&run_argp, argc, argv, &o->input, err));
    HL_TRY(run_real_check(o, err));
    if (o->load_per_variant && o->variant_count == 0)
        return hl_fail(err, HL_USAGE, "--load-per-variant is for variants: expected --variant too");
    return HL_OK;
}
