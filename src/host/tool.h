/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tool.h - a program that is measured as it is and prints figures of its own.
 */
#ifndef HL_HOST_TOOL_H
#define HL_HOST_TOOL_H

#include <limits.h>

#include "host/environment.h"
#include "host/host.h"
#include "host/host_session.h"

/* {0} is one never opened. */
struct host_tool {
    struct host_session session;
    struct host_environment environment; /* the user's with LC_ALL=C */
    char path[PATH_MAX], log[PATH_MAX];
    int64_t timeout_ns;
};

/* `path` is the program's; the rest comes from the options. */
enum hl_status host_tool_open(struct host_tool *tool, const char *path,
                              const struct host_work_options *options,
                              struct hl_error *err) HL_MUST_CHECK;

/*
 * Takes the tool's own figures from what it printed. False: it was not understood, and `found` says
 * why.
 */
typedef bool host_tool_reader(const char *text, struct run *run, char *found, size_t bytes);

/* Runs the program with `words`, which end with NULL, and fills *run. One that ends well and whose
 * output is not understood has failed. */
enum hl_status host_tool_run(const struct host_tool *tool, const char *const *words,
                             const struct host_setting *setting, host_tool_reader *read,
                             struct run *run, struct hl_error *err) HL_MUST_CHECK;

void host_tool_close(struct host_tool *tool);

#endif
