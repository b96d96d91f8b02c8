/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_played.c - what a study plays, as text by keys.
 */
#include "cli/run_played.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/run_plan.h"

/* What cannot be written in JSON, such as bytes that are no UTF-8, is left out. */
static void put(json_t *played, const char *key, const char *text)
{
    json_t *value = text == NULL ? NULL : json_string(text);

    if (value != NULL)
        (void)json_object_set_new(played, key, value);
}

/* "6.1.12" from the head of a kernel's Makefile, "" from others. */
static void kernel_version(const char *tree, char *version, size_t bytes)
{
    char path[PATH_MAX], line[200];
    int64_t number[3] = {-1, -1, -1};
    FILE *file;

    version[0] = '\0';
    (void)snprintf(path, sizeof(path), "%.4000s/Makefile", tree);
    file = fopen(path, "re");
    for (int i = 0; file != NULL && i < 20 && fgets(line, sizeof(line), file) != NULL; i++) {
        static const char *const names[] = {"VERSION = ", "PATCHLEVEL = ", "SUBLEVEL = "};

        for (int k = 0; k < HL_COUNT_OF(names); k++)
            if (strncmp(line, names[k], strlen(names[k])) == 0)
                number[k] = strtoll(line + strlen(names[k]), NULL, 10);
    }
    if (file != NULL)
        (void)fclose(file);
    if (number[0] >= 0 && number[1] >= 0 && number[2] >= 0)
        (void)snprintf(version, bytes, "%" PRId64 ".%" PRId64 ".%" PRId64, number[0], number[1],
                       number[2]);
}

static void put_build(json_t *played, const struct host_build_options *build)
{
    char path[PATH_MAX], text[80];

    if (build->tree == NULL) {
        (void)snprintf(text, sizeof(text), "generated, seed %" PRIu64, build->seed);
        put(played, "workload_tree", text);
        (void)snprintf(text, sizeof(text), "%.6g", (double)build->tree_scale_ppm / (double)HL_PPM);
        put(played, "workload_tree_scale", text);
    } else {
        put(played, "workload_tree", realpath(build->tree, path) == NULL ? build->tree : path);
        kernel_version(build->tree, text, sizeof(text));
        put(played, "workload_tree_version", text[0] == '\0' ? NULL : text);
    }
    put(played, "workload_target", build->target == NULL ? "default" : build->target);
    put(played, "workload_config", build->config == NULL ? "default" : build->config);
    put(played, "workload_clean", build->has_clean ? "make clean" : "copy of the start");
}

static enum hl_status put_command(json_t *played, const struct host_cmd_options *cmd,
                                  struct hl_error *err)
{
    char *text;
    int count = 0;

    while (cmd->words[count] != NULL)
        count++;
    HL_TRY(cli_command_text(count, (char *const *)(uintptr_t)cmd->words, &text, err));
    put(played, "workload_command", text);
    hl_free(text);
    put(played, "workload_prepare", cmd->prepare == NULL ? "none" : cmd->prepare);
    put(played, "workload_cleanup", cmd->cleanup == NULL ? "none" : cmd->cleanup);
    return HL_OK;
}

static enum hl_status put_measured(json_t *played, const struct study_request *request,
                                   struct hl_error *err)
{
    const struct host_work_options *work = request->work;
    char text[80];

    if (request->workload->is_make) {
        put_build(played, &work->build);
    } else if (strcmp(work->workload, "cmd") == 0) {
        return put_command(played, &work->cmd, err);
    } else if (strcmp(work->workload, "matinv") == 0) {
        (void)snprintf(text, sizeof(text), "%" PRId64 "-%" PRId64 "+%" PRId64, work->matinv.first,
                       work->matinv.last, work->matinv.step);
        put(played, "workload_orders", text);
    } else if (strcmp(work->workload, "rsa") == 0) {
        (void)snprintf(text, sizeof(text), "%" PRId64, work->rsa.bits);
        put(played, "workload_bits", text);
        (void)snprintf(text, sizeof(text), "%" PRId64, work->rsa.seconds);
        put(played, "workload_seconds", text);
    }
    return HL_OK;
}

/* A profile's name is its owner's choice: the hash of its constants says whether it is the same. */
static void put_profile(json_t *played, const struct profile *profile)
{
    const char *slash = strrchr(profile->name, '/');
    char text[160];

    (void)snprintf(text, sizeof(text), "%.100s, constants %016" PRIx64,
                   slash == NULL ? profile->name : slash + 1, run_plan_profile_hash(profile));
    put(played, "workload_profile", text);
}

/* Of builds the programs are part of what is measured. */
static void move_programs(json_t *all, json_t *played)
{
    static const char *const keys[] = {"compiler", "make"};
    json_t *known = json_object_get(all, "informational");

    for (int i = 0; i < HL_COUNT_OF(keys); i++) {
        put(played, keys[i], json_string_value(json_object_get(known, keys[i])));
        (void)json_object_del(known, keys[i]);
    }
}

enum hl_status run_played_fingerprint(const struct study_request *request, const char *machine,
                                      char **json, struct hl_error *err)
{
    json_t *all = machine == NULL ? json_object() : json_loads(machine, 0, NULL);
    json_t *played = json_object();
    enum hl_status status = HL_OK;

    *json = NULL;
    put(played, "workload", request->options->text);
    if (study_is_real(request))
        status = put_measured(played, request, err);
    else if (request->profile != NULL)
        put_profile(played, request->profile);
    if (study_is_real(request) && request->workload->is_make)
        move_programs(all, played);
    if (json_object_set(all, "workload", played) == 0)
        *json = json_dumps(all, JSON_COMPACT | JSON_ENSURE_ASCII);
    json_decref(played);
    json_decref(all);
    if (status == HL_OK && *json == NULL)
        status = hl_fail(err, HL_NO_MEMORY, "out of memory for the fingerprint of the study");
    return status;
}
