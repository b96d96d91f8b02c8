/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c - the command line: finds the verb, plays it, prints what failed, exits.
 */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/sysroot.h"
#include "base/text.h"
#include "cli/cli.h"

const char *argp_program_version = CLI_PROGRAM;

const struct cli_verb cli_verbs[] = {
    {"run", "WORKLOAD", "play a workload, simulated or for real, and print its times", cli_run,
     true},
    {"reproduce", "[PAPER...]", "play published studies and print them beside what was published",
     cli_reproduce, true},
    {"list", "policies|machines|workloads|variants|papers|studies|host", "say what there is",
     cli_list, false},
    {"import", "FILE...", "store results made elsewhere", cli_import, false},
    {"show", "STUDY|STUDY:RUN|FILE", "print stored results", cli_show, false},
    {"compare", "BASE NEW...", "stored results side by side, with verdicts", cli_compare, false},
    {"plan", "[STUDY]", "how many runs an answer takes", cli_plan, false},
    {"profile", "FILE", "make a profile of a build from a recording of it", cli_profile, false},
    {"resume", "STUDY", "go on with a study that was interrupted", cli_resume, true},
    {"delete", "STUDY...", "delete stored results", cli_delete, false},
    {NULL, NULL, NULL, NULL, false},
};

static void print_help(void)
{
    puts("Usage: halfload VERB [WORD...] [OPTION...]\n"
         "Which CPU-scheduler set-up serves a workload best on a machine, by how much, and why?\n");
    for (const struct cli_verb *v = cli_verbs; v->name != NULL; v++)
        printf("  halfload %-9s %-57s %s\n", v->name, v->arguments, v->summary);
    puts("\n"
         "  halfload VERB --help                           what a verb takes\n"
         "  halfload --version\n"
         "  halfload VERB ... --sysroot DIR                read the files of /proc, /sys and "
         "cgroups below DIR\n\n"
         "Exit codes: 0 done, 1 usage, 2 regression found, 3 some runs or expectations failed, 4 "
         "damaged or\n"
         "malformed input, 5 not permitted or not supported, 6 internal or policy error, 130 "
         "interrupted.");
}

/* Absolute, since `resume` changes the folder. */
static enum hl_status set_sysroot(const char *folder, struct hl_error *err)
{
    char path[PATH_MAX];

    if (folder == NULL || folder[0] == '\0')
        return hl_fail(err, HL_USAGE,
                       "--sysroot needs a value: the root of a recorded system tree");
    return hl_sysroot_set(realpath(folder, path) == NULL ? folder : path, err);
}

/* Takes --sysroot DIR, or --sysroot=DIR, out of the words wherever it stands before a "--": it is an
 * option of all verbs. */
static enum hl_status take_sysroot(int *argc, char **argv, struct hl_error *err)
{
    static const char option[] = "--sysroot";
    const size_t length = sizeof(option) - 1;
    int kept = 1, at = 1;

    for (; at < *argc && strcmp(argv[at], "--") != 0; at++) {
        if (strncmp(argv[at], option, length) != 0 ||
            (argv[at][length] != '\0' && argv[at][length] != '='))
            argv[kept++] = argv[at];
        else if (argv[at][length] == '=')
            HL_TRY(set_sysroot(argv[at] + length + 1, err));
        else
            HL_TRY(set_sysroot(argv[++at], err));
    }
    while (at < *argc)
        argv[kept++] = argv[at++];
    argv[kept] = NULL;
    *argc = kept;
    return HL_OK;
}

static enum hl_status play(int argc, char **argv, struct hl_error *err)
{
    const char *names[16], *word = argc > 1 ? argv[1] : NULL;
    char program[64];
    int count = 0;

    for (const struct cli_verb *v = cli_verbs; v->name != NULL; v++)
        names[count++] = v->name;
    if (word == NULL)
        return hl_fail(
            err, HL_USAGE,
            "no verb; expected one such as run, reproduce or list (see halfload --help)");
    if (strcmp(word, "--help") == 0 || strcmp(word, "-?") == 0 || strcmp(word, "-h") == 0 ||
        strcmp(word, "help") == 0) {
        print_help();
        return HL_OK;
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        puts(argp_program_version);
        return HL_OK;
    }
    for (const struct cli_verb *v = cli_verbs; v->name != NULL; v++)
        if (strcmp(word, v->name) == 0) {
            (void)snprintf(program, sizeof(program), "halfload %s", v->name);
            argv[1] = program;
            if (v->has_runs)
                hl_interrupt_catch();
            return v->play(argc - 1, argv + 1, err);
        }
    return hl_fail_unknown(err, HL_USAGE, NULL, word[0] == '-' ? "option" : "verb", word, names,
                           count);
}

/* At a limit of file sizes the write fails and is told like others; a handler is not passed on to what is run. */
static void leave_to_write(int number)
{
    (void)number;
}

int main(int argc, char **argv)
{
    struct hl_error err = {0};
    enum hl_status status;

    (void)signal(SIGXFSZ, leave_to_write);
    status = take_sysroot(&argc, argv, &err);
    if (status == HL_OK)
        status = play(argc, argv, &err);
    if (cli_flush(status == HL_OK ? &err : NULL) != HL_OK && status == HL_OK)
        status = err.status;
    if (status != HL_OK && err.text[0] != '\0')
        (void)fprintf(stderr, "halfload: %s\n", err.text);
    return hl_exit_code(status);
}
