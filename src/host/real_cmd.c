/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * real_cmd.c - any command, run again and again where the user stands.
 *
 *     halfload run cmd --load 1-8 --prepare 'make clean' -- make -j{load}
 *
 * Unlike a build it has no private copy: it runs in the current folder with the user's environment,
 * and what it changes there is its own affair; --prepare and --cleanup are for that. A run counts
 * if the preparation, the command, the check and the clean-up all succeed.
 */
#include "host/work.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/units.h"
#include "host/build_log.h"
#include "host/environment.h"
#include "host/folder.h"
#include "host/measure.h"

static const char shell[] = "/bin/sh";

struct cmd_work {
    struct host_work work; /* first */
    struct host_session session;
    struct host_environment environment;
    const struct host_work_options *options; /* of whoever opened it */
    char output_dir[PATH_MAX], hook_log[PATH_MAX];
};

/* One run of it. */
struct cmd_run {
    struct cmd_work *cmd;
    struct run *run;
    int64_t level;
    int cpus;
    char output[PATH_MAX];
};

/* ---- {load} and {cpus} ---- */

/* The caller frees the text. */
static enum hl_status fill_in(const struct cmd_run *r, const char *text, char **filled,
                              struct hl_error *err)
{
    static const char load[] = "{load}", cpus[] = "{cpus}";
    const size_t length = sizeof(load) - 1; /* of both */
    /* A number has at most 20 characters in the place of six. */
    size_t bytes = 4 * strlen(text) + 1, used = 0;

    *filled = hl_alloc(bytes, 1);
    if (*filled == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for a command");
    while (*text != '\0') {
        bool is_load = strncmp(text, load, length) == 0;

        if (is_load || strncmp(text, cpus, length) == 0) {
            used += (size_t)snprintf(*filled + used, bytes - used, "%" PRId64,
                                     is_load ? r->level : r->cpus);
            text += length;
        } else {
            (*filled)[used++] = *text++;
        }
    }
    return HL_OK;
}

static void free_words(const char **words)
{
    for (size_t i = 0; words != NULL && words[i] != NULL; i++)
        hl_free((void *)(uintptr_t)words[i]);
    hl_free(words);
}

static enum hl_status find_program(const char *name, char path[PATH_MAX], struct hl_error *err)
{
    if (host_program_find(name, path, PATH_MAX))
        return HL_OK;
    return hl_fail(err, HL_UNSUPPORTED,
                   strchr(name, '/') != NULL
                       ? "%.200s is no program that can be executed"
                       : "found no program `%.200s`; for a command of the shell write sh -c '...'",
                   name);
}

/* The words to execute, the first one as a path; the caller frees them with free_words. */
static enum hl_status fill_in_words(const struct cmd_run *r, const char ***filled,
                                    struct hl_error *err)
{
    const char *const *words = r->cmd->options->cmd.words;
    char path[PATH_MAX], *text;
    size_t count = 0;

    while (words[count] != NULL)
        count++;
    *filled = hl_alloc(count + 1, sizeof(**filled));
    if (*filled == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for a command");
    for (size_t i = 0; i < count; i++) {
        HL_TRY(fill_in(r, words[i], &text, err));
        (*filled)[i] = text;
    }
    HL_TRY(find_program((*filled)[0], path, err));
    text = hl_strdup(path);
    if (text == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for a command");
    hl_free((void *)(uintptr_t)(*filled)[0]);
    (*filled)[0] = text;
    return HL_OK;
}

/* ---- opening ---- */

static enum hl_status open_outputs(struct cmd_work *cmd, const char *wanted, struct hl_error *err)
{
    struct stat status;

    HL_TRY(host_path_join(cmd->hook_log, sizeof(cmd->hook_log), cmd->session.folder, "hook", err));
    if (wanted == NULL)
        return HL_OK;
    if (mkdir(wanted, 0777) != 0 && (stat(wanted, &status) != 0 || !S_ISDIR(status.st_mode) ||
                                     access(wanted, W_OK | X_OK) != 0))
        return hl_fail(
            err, HL_NOT_PERMITTED,
            "%.200s: outputs cannot be kept there; expected a folder that can be written", wanted);
    if (realpath(wanted, cmd->output_dir) == NULL)
        return hl_fail(err, HL_NOT_PERMITTED, "%.200s: no folder for outputs", wanted);
    return HL_OK;
}

static enum hl_status open_cmd(struct host_work *work, const struct host_work_options *options,
                               struct hl_error *err)
{
    struct cmd_work *cmd = (struct cmd_work *)work;
    char path[PATH_MAX];

    cmd->options = options;
    if (options->cmd.words == NULL || options->cmd.words[0] == NULL)
        return hl_fail(err, HL_USAGE, "workload cmd has no command; expected its words");
    if (strchr(options->cmd.words[0], '{') == NULL)
        HL_TRY(find_program(options->cmd.words[0], path, err));
    HL_TRY(host_work_dir_find(path, options->work_dir, err));
    HL_TRY(host_session_open(&cmd->session, path, err));
    HL_TRY(open_outputs(cmd, options->cmd.output_dir, err));
    return host_environment_copy(&cmd->environment, cmd->session.mark, err);
}

static void close_cmd(struct host_work *work)
{
    struct cmd_work *cmd = (struct cmd_work *)work;

    host_session_close(&cmd->session);
    host_environment_close(&cmd->environment);
}

/* ---- running ---- */

static void tell_failure(const struct cmd_run *r, const char *what, const char *log)
{
    if (r->cmd->options->failed != NULL)
        r->cmd->options->failed(r->cmd->options->context, what, log);
}

/* Appends to the note, after what it has. */
static void add_note(struct run *run, const char *text)
{
    size_t used = strlen(run->note);

    (void)snprintf(run->note + used, sizeof(run->note) - used, "%s%s", used > 0 ? "; " : "", text);
}

/* A script of the user around the run: if it fails, so has the run. */
static enum hl_status run_hook(struct cmd_run *r, const char *name, const char *script,
                               struct hl_error *err)
{
    const char *arguments[] = {shell, "-c", NULL, NULL};
    const struct host_command command = {.arguments = arguments,
                                         .environment = r->cmd->environment.entries,
                                         .folder = ".",
                                         .log = r->cmd->hook_log,
                                         .timeout_ns = r->cmd->options->timeout_ns};
    char reason[150], note[sizeof(r->run->note)], *filled = NULL;
    struct host_result result;
    enum hl_status status;

    if (script == NULL)
        return HL_OK;
    status = fill_in(r, script, &filled, err);
    arguments[2] = filled;
    if (status == HL_OK)
        status = host_command_run(&command, &result, err);
    hl_free(filled);
    HL_TRY(status);
    if (result.exit_status == 0 && !result.timed_out)
        return HL_OK;
    host_log_reason(r->cmd->hook_log, reason, sizeof(reason));
    if (result.timed_out)
        (void)snprintf(note, sizeof(note), "%s was ended: it took longer than %.9g s", name,
                       (double)command.timeout_ns / (double)HL_NS_PER_S);
    else
        (void)snprintf(note, sizeof(note), "%s exited with status %d%s%s", name, result.exit_status,
                       reason[0] == '\0' ? "" : ": ", reason);
    add_note(r->run, note);
    if (r->run->status == RUN_OK)
        r->run->status = RUN_FAILED;
    tell_failure(r, name, r->cmd->hook_log);
    return HL_OK;
}

static enum hl_status run_command(struct cmd_run *r, const struct host_setting *setting,
                                  struct hl_error *err)
{
    struct cmd_work *cmd = r->cmd;
    struct host_measure measure = {.setting = setting, .session = &cmd->session};
    struct host_result result;
    const char **words = NULL;
    char name[64], kept[sizeof(r->run->note)];
    enum hl_status status = fill_in_words(r, &words, err);

    if (status == HL_OK) {
        const char *slash = strrchr(words[0], '/');

        (void)snprintf(name, sizeof(name), "%.60s", slash == NULL ? words[0] : slash + 1);
        measure.name = name;
        measure.command = (struct host_command){.arguments = words,
                                                .environment = cmd->environment.entries,
                                                .folder = ".",
                                                .log = r->output,
                                                .timeout_ns = cmd->options->timeout_ns};
        status = host_measure(&measure, r->run, &result, err);
    }
    free_words(words);
    HL_TRY(status);
    if (r->run->status == RUN_OK)
        return HL_OK;
    tell_failure(r, name, r->output);
    if (cmd->output_dir[0] != '\0') {
        (void)snprintf(kept, sizeof(kept), "output: %.200s", r->output);
        add_note(r->run, kept);
    }
    return HL_OK;
}

/* Where the output goes: a new file of the user's folder, or one of ours again and again. A run is
 * called by its place, as in STUDY:PLACE; nothing that is there is written over. */
static enum hl_status name_output(struct cmd_run *r, struct hl_error *err)
{
    const struct cmd_work *cmd = r->cmd;
    int64_t place = cmd->work.place;

    if (cmd->output_dir[0] == '\0')
        return host_path_join(r->output, sizeof(r->output), cmd->session.folder, "log", err);
    for (int again = 0; again == 0 || access(r->output, F_OK) == 0; again++) {
        if (place < 0)
            (void)snprintf(r->output, PATH_MAX, "%.4000s/warmup-%d.log", cmd->output_dir, again);
        else if (again == 0)
            (void)snprintf(r->output, PATH_MAX, "%.4000s/run-%04" PRId64 ".log", cmd->output_dir,
                           place);
        else
            (void)snprintf(r->output, PATH_MAX, "%.4000s/run-%04" PRId64 "-%d.log", cmd->output_dir,
                           place, again + 1);
    }
    return HL_OK;
}

static enum hl_status run_cmd(struct host_work *work, int64_t level,
                              const struct host_setting *setting, struct run *run,
                              struct hl_error *err)
{
    static const struct host_setting nothing;
    struct cmd_run r = {.cmd = (struct cmd_work *)work, .run = run, .level = level};
    const struct host_cmd_options *options = &r.cmd->options->cmd;
    enum hl_status status;

    run->status = RUN_OK;
    run->exit_status = 0;
    run->note[0] = '\0';
    HL_TRY(host_setting_cpus(setting == NULL ? &nothing : setting, &r.cpus, err));
    HL_TRY(name_output(&r, err));
    status = run_hook(&r, "--prepare", options->prepare, err);
    if (status == HL_OK && run->status == RUN_OK)
        status = run_command(&r, setting, err);
    if (status == HL_OK && run->status == RUN_OK)
        status = run_hook(&r, "--check", options->check, err);
    return status == HL_OK ? run_hook(&r, "--cleanup", options->cleanup, err) : status;
}

const struct host_work_ops host_cmd_ops = {
    .name = "cmd",
    .bytes = sizeof(struct cmd_work),
    .open = open_cmd,
    .run = run_cmd,
    .close = close_cmd,
};
