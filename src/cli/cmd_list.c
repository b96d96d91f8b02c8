/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_list.c - `halfload list policies|machines|workloads|variants|papers|studies|host`: what there is.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/data_dir.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/play_paper.h"
#include "host/setting.h"
#include "machine/costs.h"
#include "machine/machine.h"
#include "paper/paper.h"
#include "policy/policy.h"
#include "report/report.h"
#include "workload/workload.h"

struct list_options {
    struct cli_input input; /* first */
    const char *what, *name, *db;
    bool is_verbose;
    enum cli_format format;
};

enum { KEY_DB = 256, KEY_FORMAT, POLICIES_MAX = 64 };

#define SOURCES_LINE "Sources such as 'spec linux 5.8' are explained in docs/sources.md."

static const struct argp_option option_table[] = {
    {"verbose", 'v', NULL, 0, "parameters of policies, constants of machines with their sources",
     0},
    {"db", KEY_DB, "FILE", 0, CLI_DB_HELP, 0},
    {"format", KEY_FORMAT, "F", 0, "of host and studies: text (default) or json", 0},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct list_options *o = state->input;

    switch (key) {
    case 'v': o->is_verbose = true; return 0;
    case KEY_DB: o->db = arg; return 0;
    case KEY_FORMAT: return cli_format_option(state, arg, false, &o->format);
    case ARGP_KEY_ARG:
        if (o->name != NULL)
            return cli_refuse(state, "a third word '%s'; expected at most two", arg);
        *(o->what == NULL ? &o->what : &o->name) = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        return cli_refuse(state, "list what? expected policies, machines, workloads, variants, "
                                 "papers, studies or host");
    default: return cli_other_key(key, state);
    }
}

static const struct argp list_argp = {
    .options = option_table,
    .parser = parse_option,
    .args_doc = "policies|machines|workloads|variants|papers|studies|host [NAME]",
    .doc = "Says what there is. With the NAME of a policy or a machine: all of that one.",
};

/* The words of the bits that are set, joined by '+'. */
static void flags_text(char *text, size_t bytes, const struct policy_param_info *param,
                       int64_t value)
{
    const char *word = param->choices;
    size_t used = 0;

    (void)snprintf(text, bytes, "none");
    for (int bit = 0; word != NULL; bit++) {
        int length = (int)strcspn(word, "|");

        if ((value >> bit & 1) != 0 && used < bytes)
            used += (size_t)snprintf(text + used, bytes - used, "%s%.*s", used > 0 ? "+" : "",
                                     length, word);
        word = word[length] == '|' ? word + length + 1 : NULL;
    }
}

/* A value as it is written on the command line. */
static void value_text(char *text, size_t bytes, const struct policy_param_info *param,
                       int64_t value)
{
    static const struct machine_constant_info duration = {.unit = "ns"};
    const char *word = param->choices;

    switch (param->type) {
    case PARAM_INT:
        if (word != NULL && value == param->max)
            (void)snprintf(text, bytes, "%s", word);
        else
            (void)snprintf(text, bytes, "%" PRId64, value);
        return;
    case PARAM_BOOL: (void)snprintf(text, bytes, "%s", value != 0 ? "y" : "n"); return;
    case PARAM_DURATION: machine_constant_print(&duration, value, text, bytes); return;
    case PARAM_DECIMAL: (void)snprintf(text, bytes, "%.6g", (double)value / (double)HL_PPM); return;
    case PARAM_FLAGS: flags_text(text, bytes, param, value); return;
    case PARAM_CHOICE:
        for (int64_t i = 0; i < value && word != NULL; i++) {
            word = strchr(word, '|');
            word = word == NULL ? NULL : word + 1;
        }
        (void)snprintf(text, bytes, "%.*s", word == NULL ? 0 : (int)strcspn(word, "|"),
                       word == NULL ? "" : word);
        return;
    }
}

static void print_param(const struct policy_param_info *param)
{
    char value[256], least[64], most[64];

    value_text(value, sizeof(value), param, param->value);
    if (param->value == POLICY_PARAM_UNSET) /* the help says what it is then */
        printf("    %s", param->name);
    else
        printf("    %s=%s", param->name, value);
    if (param->type == PARAM_CHOICE) {
        printf("  (%s)", param->choices);
    } else if (param->type == PARAM_FLAGS) {
        fputs("  (none, or some of ", stdout);
        for (const char *c = param->choices; *c != '\0'; c++)
            putchar(*c == '|' ? '+' : *c);
        putchar(')');
    } else if (param->type != PARAM_BOOL) {
        value_text(least, sizeof(least), param, param->min);
        value_text(most, sizeof(most), param, param->max);
        printf("  (%s to %s%s%s)", least, most,
               param->unit != NULL && param->unit[0] != '\0' ? " " : "",
               param->unit != NULL ? param->unit : "");
    } else {
        printf("  (y, n)");
    }
    printf("  %s\n", param->help);
}

static bool is_text_same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* The first policy of the list that has this parameter, with the same meaning and default. */
static int first_with(const struct policy_param_info *param)
{
    for (int i = 0;; i++) {
        const struct policy_param_info *p = policy_registry[i]->params;

        for (; p != NULL && p->name != NULL; p++)
            if (p == param ||
                (strcmp(p->name, param->name) == 0 && p->type == param->type &&
                 p->value == param->value && p->min == param->min && p->max == param->max &&
                 is_text_same(p->help, param->help) && is_text_same(p->choices, param->choices)))
                return i;
    }
}

static void print_absent(const struct policy_ops *ops)
{
    for (const struct policy_absent *a = ops->absent; a != NULL && a->name != NULL; a++)
        printf("    %s  is not modelled: %s\n", a->name, a->why);
}

static void print_prefixes(const char *const *prefixes)
{
    for (int i = 0; prefixes != NULL && prefixes[i] != NULL; i++)
        printf("%s%s", i == 0 ? "    before a name may stand: " : ", ", prefixes[i]);
    if (prefixes != NULL)
        putchar('\n');
}

/* What a policy shares with one further up is said there. */
static void print_params(int policy)
{
    const struct policy_param_info *params = policy_registry[policy]->params;

    for (const struct policy_param_info *p = params; p != NULL && p->name != NULL; p++)
        if (first_with(p) == policy)
            print_param(p);
    print_prefixes(policy_registry[policy]->prefixes);
    for (int earlier = 0; earlier < policy; earlier++) {
        int count = 0;

        for (const struct policy_param_info *p = params; p != NULL && p->name != NULL; p++)
            if (first_with(p) == earlier)
                printf("%s%s", count++ == 0 ? "    " : ", ", p->name);
        if (count > 0)
            printf("  as in %s\n", policy_registry[earlier]->name);
    }
}

/* Policies share such lists. */
static bool is_first_with_absent(int policy)
{
    for (int earlier = 0; earlier < policy; earlier++)
        if (policy_registry[earlier]->absent == policy_registry[policy]->absent)
            return false;
    return true;
}

static enum hl_status list_policies(bool is_verbose, struct hl_error *err)
{
    (void)err;
    for (int i = 0; policy_registry[i] != NULL; i++) {
        const struct policy_ops *ops = policy_registry[i];

        printf("%-8s %s (%s)\n", ops->name, ops->summary, ops->source);
        if (is_verbose)
            print_params(i);
        if (is_verbose && is_first_with_absent(i))
            print_absent(ops);
    }
    if (is_verbose)
        puts(SOURCES_LINE);
    return HL_OK;
}

static enum hl_status list_policy(const char *name, struct hl_error *err)
{
    const char *known[POLICIES_MAX];
    int count = 0;

    for (; policy_registry[count] != NULL; count++) {
        const struct policy_ops *ops = policy_registry[count];

        assert(count < POLICIES_MAX);
        known[count] = ops->name;
        if (strcmp(ops->name, name) != 0)
            continue;
        printf("%s  %s (%s)\n", ops->name, ops->summary, ops->source);
        for (const struct policy_param_info *p = ops->params; p != NULL && p->name != NULL; p++)
            print_param(p);
        print_prefixes(ops->prefixes);
        print_absent(ops);
        puts(SOURCES_LINE);
        return HL_OK;
    }
    return hl_fail_unknown(err, HL_USAGE, NULL, "policy", name, known, count);
}

static void print_constant(const struct machine *m, int i)
{
    const struct machine_constant_info *info = &machine_constant_table[i];
    char text[64];

    machine_constant_print(info, m->constant[i], text, sizeof(text));
    /* -1 of a kind of work; the usual kind comes first in the table. */
    if (i > MACHINE_smt_gain && strncmp(info->name, "smt_gain.", 9) == 0 &&
        m->constant[i] == -HL_PPM)
        (void)snprintf(text, sizeof(text), "as smt_gain");
    printf("    %-18s %-12s %s%s%s\n", info->name, text,
           m->source[i] != NULL ? m->source[i] : "assumed", m->note[i] != NULL ? "; " : "",
           m->note[i] != NULL ? m->note[i] : "");
}

static enum hl_status print_machine(const char *name, bool is_verbose, struct hl_error *err)
{
    struct machine m = {0};
    enum hl_status status = machine_open(&m, name, err);

    if (status == HL_OK)
        printf("%-15s %4" PRId32 " cpu%s  %s\n", name, m.cpu_count, m.cpu_count == 1 ? " " : "s",
               m.about != NULL ? m.about : m.topology);
    if (status == HL_OK && is_verbose)
        printf("    %-18s %s\n", "topology", m.topology);
    for (int i = 0; status == HL_OK && is_verbose && i < MACHINE_CONSTANT_COUNT; i++)
        print_constant(&m, i);
    machine_close(&m);
    return status;
}

static enum hl_status list_machines(bool is_verbose, struct hl_error *err)
{
    char **names;
    enum hl_status status;

    HL_TRY(machine_list(&names, err));
    status = HL_OK;
    for (int i = 0; names[i] != NULL; i++) {
        if (status == HL_OK)
            status = print_machine(names[i], is_verbose, err);
        hl_free(names[i]);
    }
    hl_free(names);
    if (status == HL_OK)
        puts("host, smp:CPUS, smt:CORESxTHREADS and any topology such as 'pack:2 core:4 pu:2' "
             "work too");
    return status;
}

static enum hl_status list_workloads(bool is_verbose, struct hl_error *err)
{
    (void)err;
    for (const struct workload_info *w = workload_table; w->name != NULL; w++) {
        printf("%-12s %s (%s)\n", w->name, w->summary,
               w->simulated && w->real ? "simulated, real"
               : w->simulated          ? "simulated"
                                       : "real");
        if (!is_verbose)
            continue;
        printf("    the level of a load means %s\n", w->level_means);
        if (w->rate.name != NULL)
            printf("    metric %s: %s; higher is better%s\n", w->rate.name, w->rate.help,
                   w->rate.decides ? "; runs are compared by it" : "");
        for (int i = 0; w->options != NULL && w->options[i].name != NULL; i++)
            printf("    %-16s %s (%s)\n", w->options[i].name, w->options[i].help,
                   w->options[i].default_text != NULL ? w->options[i].default_text
                                                      : "default: the profile's");
    }
    puts("scn:FILE     a scenario file: its own machine, policy and tasks (simulated)");
    return HL_OK;
}

static void print_key(const char *name, const char *values, const char *help, const char *where)
{
    printf("%-18s %-20s %s (%s)\n", name, values, help, where);
}

/* Keys of --variant. */
static enum hl_status list_variants(bool is_verbose, struct hl_error *err)
{
    (void)is_verbose;
    (void)err;
    for (const struct host_setting_key *k = host_setting_table; k->name != NULL; k++)
        print_key(k->name, k->values, k->help, "this machine");
    print_key("topology", "pack:2 core:4 pu:2", "packages, cores, threads", "simulated");
    for (int i = 0; i < MACHINE_CONSTANT_COUNT; i++) {
        const struct machine_constant_info *info = &machine_constant_table[i];
        char least[64], most[64], range[sizeof(least) + sizeof(most) + 4];

        machine_constant_print(info, info->min, least, sizeof(least));
        machine_constant_print(info, info->max, most, sizeof(most));
        (void)snprintf(range, sizeof(range), "%s to %s", least, most);
        print_key(info->name, range, info->help, "simulated");
    }
    puts("    A comma separates values, + joins cpus, a backslash takes the next character as it "
         "is.");
    return HL_OK;
}

/* What keeps a paper from being played is part of what there is. */
static void print_paper(const struct paper *paper)
{
    struct hl_error why = {.text = ""};
    bool is_played = play_paper_check(paper, &why) == HL_OK;

    printf("%-28s %s (%s)%s\n", paper->id, paper->title, paper->where,
           is_played ? "" : ": not to be played yet");
    if (!is_played)
        printf("    %s\n", why.text);
}

static enum hl_status list_papers(bool is_verbose, struct hl_error *err)
{
    char **names;
    enum hl_status status;

    HL_TRY(hl_data_list("papers", ".json", &names, err));
    status = HL_OK;
    for (int i = 0; names[i] != NULL; i++) {
        struct paper paper = {0};

        if (status == HL_OK)
            status = paper_open(&paper, names[i], err);
        if (status == HL_OK)
            print_paper(&paper);
        for (int r = 0; status == HL_OK && is_verbose && r < paper.row_count; r++)
            printf("    %-24s %s on %s\n", paper.rows[r].label, paper.rows[r].policy,
                   paper.rows[r].machine);
        paper_close(&paper);
        hl_free(names[i]);
    }
    hl_free(names);
    return status;
}

enum hl_status cli_list(int argc, char **argv, struct hl_error *err)
{
    static const struct {
        const char *name;
        enum hl_status (*list)(bool is_verbose, struct hl_error *err);
    } kinds[] = {
        {"policies", list_policies}, {"machines", list_machines}, {"workloads", list_workloads},
        {"variants", list_variants}, {"papers", list_papers},
    };
    const char *names[HL_COUNT_OF(kinds) + 2];
    struct list_options o = {0};

    HL_TRY(cli_parse(&list_argp, argc, argv, &o.input, err));
    if (o.name != NULL && strcmp(o.what, "policies") != 0 && strcmp(o.what, "machines") != 0)
        return hl_fail(err, HL_USAGE, "list %.40s %.64s: a name follows policies or machines only",
                       o.what, o.name);
    if (strcmp(o.what, "host") == 0 && o.db == NULL)
        return cli_list_host(o.format, err);
    if (strcmp(o.what, "studies") == 0)
        return cli_list_studies(o.db, o.format, err);
    if (o.format != FORMAT_TEXT)
        return hl_fail(err, HL_USAGE,
                       "--format is for `list host` and `list studies`, not for list %.40s",
                       o.what);
    if (o.db != NULL)
        return hl_fail(err, HL_USAGE, "--db is for stored results: expected `list studies`");
    if (o.name != NULL)
        return o.what[0] == 'p' ? list_policy(o.name, err) : print_machine(o.name, true, err);
    for (int i = 0; i < HL_COUNT_OF(kinds); i++) {
        names[i] = kinds[i].name;
        if (strcmp(o.what, kinds[i].name) == 0)
            return kinds[i].list(o.is_verbose, err);
    }
    names[HL_COUNT_OF(kinds)] = "studies";
    names[HL_COUNT_OF(kinds) + 1] = "host";
    return hl_fail_unknown(err, HL_USAGE, NULL, "word after list", o.what, names,
                           HL_COUNT_OF(names));
}
