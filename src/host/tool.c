/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tool.c - runs a program that prints figures of its own and takes them from its output.
 */
#include "host/tool.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "host/folder.h"
#include "host/measure.h"

enum { WORDS_MAX = 16, OUTPUT_MAX = 1 << 20 };

enum hl_status host_tool_open(struct host_tool *tool, const char *path,
                              const struct host_work_options *options, struct hl_error *err)
{
    char work_dir[PATH_MAX];

    (void)snprintf(tool->path, sizeof(tool->path), "%s", path);
    tool->timeout_ns = options->timeout_ns;
    HL_TRY(host_work_dir_find(work_dir, options->work_dir, err));
    HL_TRY(host_session_open(&tool->session, work_dir, err));
    HL_TRY(host_path_join(tool->log, sizeof(tool->log), tool->session.folder, "log", err));
    HL_TRY(host_environment_copy(&tool->environment, tool->session.mark, err));
    return host_environment_set(&tool->environment, "LC_ALL", "C", err);
}

void host_tool_close(struct host_tool *tool)
{
    host_session_close(&tool->session);
    host_environment_close(&tool->environment);
}

/* Its figures, or why the run has failed after all. */
static enum hl_status read_output(const struct host_tool *tool, const char *name,
                                  host_tool_reader *read, struct run *run, struct hl_error *err)
{
    char *text, found[160] = "";

    HL_TRY(hl_read_file(tool->log, OUTPUT_MAX, &text, NULL, err));
    if (!read(text, run, found, sizeof(found))) {
        run->status = RUN_FAILED;
        (void)snprintf(run->note, sizeof(run->note), "output of %.32s not understood: %s", name,
                       found);
    }
    hl_free(text);
    return HL_OK;
}

enum hl_status host_tool_run(const struct host_tool *tool, const char *const *words,
                             const struct host_setting *setting, host_tool_reader *read,
                             struct run *run, struct hl_error *err)
{
    const char *arguments[WORDS_MAX] = {tool->path};
    const char *slash = strrchr(tool->path, '/');
    struct host_measure measure = {
        .command = {.arguments = arguments,
                    .environment = tool->environment.entries,
                    .folder = tool->session.folder,
                    .log = tool->log,
                    .timeout_ns = tool->timeout_ns},
        .name = slash == NULL ? tool->path : slash + 1,
        .setting = setting,
        .session = &tool->session,
    };
    struct host_result result;

    for (int i = 0; words[i] != NULL; i++) {
        assert(i + 2 < WORDS_MAX);
        arguments[i + 1] = words[i];
    }
    HL_TRY(host_measure(&measure, run, &result, err));
    return run->status == RUN_OK ? read_output(tool, measure.name, read, run, err) : HL_OK;
}
