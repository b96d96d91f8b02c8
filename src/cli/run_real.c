/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_real.c - options of real workloads, as written.
 */
#include "cli/run_real.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/units.h"

enum {
    KEY_TREE = 512, /* keys of the parent are below */
    KEY_TARGET,
    KEY_CONFIG,
    KEY_TREE_SCALE,
    KEY_CLEAN,
    KEY_PREREAD,
    KEY_WARMUP,
    KEY_WORK_DIR,
    KEY_TIMEOUT,
    KEY_PREPARE,
    KEY_CHECK,
    KEY_CLEANUP,
    KEY_OUTPUT,
    KEY_ORDERS,
    KEY_BITS,
    KEY_SECONDS,
};

enum { TAIL_LINES = 10, TAIL_BYTES = 8 << 10, TIMEOUT_MAX_S = 1000000, SECONDS_MAX = 3600 };

static const struct argp_option option_table[] = {
    {NULL, 0, NULL, 0, "Real runs:", 3},
    {"warmup", KEY_WARMUP, "W", 0, "discarded runs: session (default), each, none", 3},
    {"timeout", KEY_TIMEOUT, "SECONDS", 0,
     "end what takes longer: a run (it is killed), or a script around it (the run has failed)", 3},
    {"work-dir", KEY_WORK_DIR, "DIR", 0, "where private files go (default: TMPDIR, else /var/tmp)",
     3},
    {NULL, 0, NULL, 0, "Real builds:", 4},
    {"tree", KEY_TREE, "DIR", 0, "a tree with a Makefile (default: a generated C tree)", 4},
    {"target", KEY_TARGET, "T", 0, "make's target", 4},
    {"config", KEY_CONFIG, "C", 0, "kernel tree: a .config file or a target such as defconfig", 4},
    {"tree-scale", KEY_TREE_SCALE, "F", 0,
     "size of the generated tree (default 1: about 15 s of cpu)", 4},
    {"clean", KEY_CLEAN, NULL, 0,
     "buildworld: make clean before each run, not the tree as it was at first", 4},
    {"preread", KEY_PREREAD, NULL, 0, "as buildworld:preread: all sources are read before each run",
     4},
    {NULL, 0, NULL, 0, "Workload cmd, with scripts for sh -c:", 5},
    {"prepare", KEY_PREPARE, "CMD", 0, "before each run, not timed", 5},
    {"check", KEY_CHECK, "CMD", 0, "after each run; if it fails, so has the run", 5},
    {"cleanup", KEY_CLEANUP, "CMD", 0, "after each run, whatever came of it", 5},
    {"output", KEY_OUTPUT, "DIR", 0, "keep the output of each run there", 5},
    {NULL, 0, NULL, 0, "Workloads matinv and rsa:", 6},
    {"orders", KEY_ORDERS, "A-B+STEP", 0,
     "of the matrices, as matinv:orders=... (default 1000-2000+200, simulated 7000-9000+200)", 6},
    {"bits", KEY_BITS, "N", 0, "size of the key (default 1024)", 6},
    {"seconds", KEY_SECONDS, "N", 0, "of signs, and of verifies (default 3)", 6},
    {0},
};

/* What an option is for; not listed: all real runs. */
static const struct {
    const char *option, *workload, *or_workload;
} scopes[] = {
    {"tree", "kernbench", "buildworld"},
    {"target", "kernbench", "buildworld"},
    {"config", "kernbench", "buildworld"},
    {"tree-scale", "kernbench", "buildworld"},
    {"clean", "buildworld", NULL},
    {"preread", "buildworld", NULL},
    {"prepare", "cmd", NULL},
    {"check", "cmd", NULL},
    {"cleanup", "cmd", NULL},
    {"output", "cmd", NULL},
    {"bits", "rsa", NULL},
    {"seconds", "rsa", NULL},
    {"orders", "matinv", NULL},
};

static error_t parse_warmup(struct argp_state *state, const char *text, enum study_warmup *warmup)
{
    if (strcmp(text, "session") == 0)
        *warmup = STUDY_WARMUP_SESSION;
    else if (strcmp(text, "each") == 0)
        *warmup = STUDY_WARMUP_EACH;
    else if (strcmp(text, "none") == 0)
        *warmup = STUDY_WARMUP_NONE;
    else
        return cli_refuse(state, "--warmup is '%s'; expected session, each or none", text);
    return 0;
}

static error_t parse_tree_scale(struct argp_state *state, const char *text, int64_t *scale_ppm)
{
    const int64_t least = HL_PPM / 1000, most = 1000 * HL_PPM;

    if (!hl_parse_decimal(text, HL_PPM, scale_ppm) || *scale_ppm < least || *scale_ppm > most)
        return cli_refuse(state, "--tree-scale is '%s'; expected a number from 0.001 to 1000",
                          text);
    return 0;
}

static error_t parse_timeout(struct argp_state *state, const char *text, int64_t *timeout_ns)
{
    if (!hl_parse_decimal(text, HL_NS_PER_S, timeout_ns) || *timeout_ns < HL_NS_PER_MS ||
        *timeout_ns > TIMEOUT_MAX_S * HL_NS_PER_S)
        return cli_refuse(state, "--timeout is '%s'; expected seconds from 0.001 to %d", text,
                          TIMEOUT_MAX_S);
    return 0;
}

/* Options whose value is a text that is handed on. */
static const struct {
    int key;
    const char *name, *expected;
    size_t offset; /* of the const char * in struct run_options */
} text_options[] = {
#define TEXT(key, name, expected, member)                                                          \
    {                                                                                              \
        key, name, expected, offsetof(struct run_options, member)                                  \
    }
    TEXT(KEY_WORK_DIR, "work-dir", "a folder", work.work_dir),
    TEXT(KEY_TREE, "tree", "a folder with a Makefile", work.build.tree),
    TEXT(KEY_TARGET, "target", "a target of make", work.build.target),
    TEXT(KEY_CONFIG, "config", "a .config file or a target such as defconfig", work.build.config),
    TEXT(KEY_PREPARE, "prepare", "a script", work.cmd.prepare),
    TEXT(KEY_CHECK, "check", "a script", work.cmd.check),
    TEXT(KEY_CLEANUP, "cleanup", "a script", work.cmd.cleanup),
    TEXT(KEY_OUTPUT, "output", "a folder", work.cmd.output_dir),
#undef TEXT
};

static error_t parse_text(int key, char *arg, struct argp_state *state)
{
    struct run_options *o = state->input;

    for (int i = 0; i < HL_COUNT_OF(text_options); i++)
        if (text_options[i].key == key) {
            run_note_real(o, text_options[i].name);
            return cli_text_option(state, text_options[i].name, arg, text_options[i].expected,
                                   (const char **)(void *)((char *)o + text_options[i].offset));
        }
    return ARGP_ERR_UNKNOWN;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct run_options *o = state->input;
    struct host_work_options *work = o == NULL ? NULL : &o->work;

    switch (key) {
    case KEY_WARMUP: run_note_real(o, "warmup"); return parse_warmup(state, arg, &o->warmup);
    case KEY_TIMEOUT:
        run_note_real(o, "timeout");
        return parse_timeout(state, arg, &work->timeout_ns);
    case KEY_TREE_SCALE:
        run_note_real(o, "tree-scale");
        return parse_tree_scale(state, arg, &work->build.tree_scale_ppm);
    case KEY_CLEAN:
        run_note_real(o, "clean");
        work->build.has_clean = true;
        return 0;
    case KEY_PREREAD: o->has_preread = true; return 0;
    case KEY_ORDERS: return cli_text_option(state, "orders", arg, "orders", &o->orders);
    case KEY_BITS:
        run_note_real(o, "bits");
        return cli_int_option(state, "bits", arg, 1, INT32_MAX, &work->rsa.bits);
    case KEY_SECONDS:
        run_note_real(o, "seconds");
        return cli_int_option(state, "seconds", arg, 1, SECONDS_MAX, &work->rsa.seconds);
    default: return parse_text(key, arg, state);
    }
}

const struct argp run_real_argp = {.options = option_table, .parser = parse_option};

/* ---- the words of a command ---- */

error_t run_real_word(struct run_options *o, char *word, struct argp_state *state)
{
    if (strcmp(o->workload, "cmd") != 0)
        return cli_refuse(state, "a second workload '%s'; expected one", word);
    /* Elsewhere they would be taken for options of ours, or ours for theirs. */
    if (state->quoted == 0)
        return cli_refuse(state, "the command begins with '%s'; expected -- before it", word);
    if (o->command_count == RUN_WORDS_MAX)
        return cli_refuse(state, "the command has more than %d words", RUN_WORDS_MAX);
    o->command[o->command_count++] = word;
    return 0;
}

/* ---- what goes together ---- */

static bool is_workload(const struct run_options *o, const char *name)
{
    size_t length = strcspn(o->workload, ":");

    return name != NULL && strlen(name) == length && strncmp(name, o->workload, length) == 0;
}

static enum hl_status check_scope(const struct run_options *o, const char *option,
                                  struct hl_error *err)
{
    for (int i = 0; i < HL_COUNT_OF(scopes); i++)
        if (strcmp(scopes[i].option, option) == 0 && !is_workload(o, scopes[i].workload) &&
            !is_workload(o, scopes[i].or_workload))
            return hl_fail(err, HL_USAGE, "--%s is for workload %s%s%s, not for %.64s", option,
                           scopes[i].workload, scopes[i].or_workload == NULL ? "" : " or ",
                           scopes[i].or_workload == NULL ? "" : scopes[i].or_workload, o->workload);
    return HL_OK;
}

/* The last bytes of a file, NUL-terminated in text[TAIL_BYTES + 1]; returns how many. */
static size_t read_tail(const char *path, char text[TAIL_BYTES + 1])
{
    FILE *file = fopen(path, "re");
    size_t bytes = 0;

    if (file != NULL) {
        /* A shorter file is read from its start. */
        if (fseek(file, -TAIL_BYTES, SEEK_END) != 0)
            rewind(file);
        bytes = fread(text, 1, TAIL_BYTES, file);
        (void)fclose(file);
    }
    text[bytes] = '\0';
    return bytes;
}

/* The end of what a failed run said. Once: the first of many is the one to look at. */
static void show_tail(void *context, const char *what, const char *log)
{
    bool *is_shown = context;
    char text[TAIL_BYTES + 1], *start;
    size_t bytes;
    int lines = 0;

    if (*is_shown)
        return;
    bytes = read_tail(log, text);
    while (bytes > 0 && strchr("\n\r ", text[bytes - 1]) != NULL)
        text[--bytes] = '\0';
    /* Control characters would act on the terminal, and a NUL would end the text. */
    for (size_t i = 0; i < bytes; i++)
        if (((unsigned char)text[i] < ' ' && strchr("\n\t", text[i]) == NULL) || text[i] == '\0' ||
            text[i] == 0x7f)
            text[i] = '?';
    if (bytes == 0)
        return;
    for (start = text + bytes; start > text; start--)
        if (start[-1] == '\n' && ++lines == TAIL_LINES)
            break;
    *is_shown = true;
    (void)fprintf(stderr, "%shalfload: %s failed; its output ends with:\n",
                  isatty(STDERR_FILENO) == 1 ? "\r\033[K" : "", what);
    for (char *line; (line = strsep(&start, "\n")) != NULL;)
        (void)fprintf(stderr, "    %s\n", line);
}

/* --orders and --preread are other ways to write an option of the workload. */
static enum hl_status put_option(struct run_options *o, const char *option, const char *value,
                                 struct hl_error *err)
{
    int length;

    HL_TRY(check_scope(o, option, err));
    length = snprintf(o->workload_text, sizeof(o->workload_text), "%s:%s=%s", o->workload, option,
                      value);
    if (length < 0 || (size_t)length >= sizeof(o->workload_text))
        return hl_fail(err, HL_USAGE, "--%s is '%.100s'; expected less than %d characters", option,
                       value, WORKLOAD_TEXT_MAX);
    o->workload = o->workload_text;
    return HL_OK;
}

enum hl_status run_real_check(struct run_options *o, struct hl_error *err)
{
    struct host_work_options *work = &o->work;

    if (o->orders != NULL)
        HL_TRY(put_option(o, "orders", o->orders, err));
    if (o->has_preread)
        HL_TRY(put_option(o, "preread", "y", err));
    for (int i = 0; i < o->real_count; i++)
        HL_TRY(check_scope(o, o->real[i], err));
    if (strcmp(o->workload, "cmd") == 0 && o->command_count == 0)
        return hl_fail(err, HL_USAGE,
                       "workload cmd has no command; expected it behind the options: -- COMMAND");
    if (work->build.tree != NULL && work->build.tree_scale_ppm != 0)
        return hl_fail(err, HL_USAGE,
                       "--tree-scale is for the generated tree: expected no --tree beside it");
    if (work->build.tree_scale_ppm == 0)
        work->build.tree_scale_ppm = HL_PPM;
    if (work->rsa.bits == 0)
        work->rsa.bits = 1024;
    if (work->rsa.seconds == 0)
        work->rsa.seconds = 3;
    work->build.seed = work->matinv.seed = (uint64_t)o->seed;
    work->cmd.words = o->command;
    work->failed = show_tail;
    work->context = &o->has_shown_output;
    return HL_OK;
}
