/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_work.c - what each real workload takes from the command line, says, and is known by later.
 */
#include "cli/run_work.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "cli/cli.h"
#include "host/memory_room.h"

struct work_words {
    const char *workload;
    enum hl_status (*take)(const struct study_request *request, struct host_work_options *work,
                           struct hl_error *err);
    void (*announce)(const struct host_work_options *work);
    void (*describe)(const struct host_work_options *work, json_t *asked);
    enum hl_status (*put_facts)(const struct host_work_options *work, json_t *played,
                                struct hl_error *err);
};

void run_work_put(json_t *played, const char *key, const char *text)
{
    json_t *value = text == NULL ? NULL : json_string(text);

    if (value != NULL)
        (void)json_object_set_new(played, key, value);
}

static void put_number(json_t *played, const char *key, int64_t number)
{
    char text[24];

    (void)snprintf(text, sizeof(text), "%" PRId64, number);
    run_work_put(played, key, text);
}

static json_t *text_or_null(const char *text)
{
    return text == NULL ? json_null() : hl_json_text(text);
}

/* ---- builds ---- */

static enum hl_status take_buildworld(const struct study_request *request,
                                      struct host_work_options *work, struct hl_error *err)
{
    const struct workload_option_info *info = request->workload->options;

    (void)err;
    for (int i = 0; info[i].name != NULL; i++)
        if (strcmp(info[i].name, "preread") == 0)
            work->build.has_preread = request->options->value[i].first != 0;
    return HL_OK;
}

static void announce_kernbench(const struct host_work_options *work)
{
    if (work->build.tree != NULL)
        printf("tree: %s\n", work->build.tree);
    else
        printf("tree: generated C tree, scale %.4g\n",
               (double)work->build.tree_scale_ppm / (double)HL_PPM);
}

static void announce_buildworld(const struct host_work_options *work)
{
    announce_kernbench(work);
    printf("sources: %s before each run\n",
           work->build.has_preread ? "read into memory" : "forgotten by the page cache");
}

static void describe_buildworld(const struct host_work_options *work, json_t *asked)
{
    (void)json_object_set_new(asked, "clean", json_boolean(work->build.has_clean));
    (void)json_object_set_new(asked, "preread", json_boolean(work->build.has_preread));
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

static enum hl_status put_build_facts(const struct host_work_options *work, json_t *played,
                                      struct hl_error *err)
{
    const struct host_build_options *build = &work->build;
    char path[PATH_MAX], text[80];

    (void)err;
    if (build->tree == NULL) {
        (void)snprintf(text, sizeof(text), "generated, seed %" PRIu64, build->seed);
        run_work_put(played, "workload_tree", text);
        (void)snprintf(text, sizeof(text), "%.6g", (double)build->tree_scale_ppm / (double)HL_PPM);
        run_work_put(played, "workload_tree_scale", text);
    } else {
        run_work_put(played, "workload_tree",
                     realpath(build->tree, path) == NULL ? build->tree : path);
        kernel_version(build->tree, text, sizeof(text));
        run_work_put(played, "workload_tree_version", text[0] == '\0' ? NULL : text);
    }
    run_work_put(played, "workload_target", build->target == NULL ? "default" : build->target);
    run_work_put(played, "workload_config", build->config == NULL ? "default" : build->config);
    run_work_put(played, "workload_clean", build->has_clean ? "make clean" : "copy of the start");
    return HL_OK;
}

/* ---- cmd ---- */

/* What has {load}: the command, or the option of a script; NULL: nothing. */
static const char *what_has_load(const struct host_cmd_options *cmd)
{
    const struct {
        const char *name, *script;
    } scripts[] = {
        {"--prepare", cmd->prepare}, {"--check", cmd->check}, {"--cleanup", cmd->cleanup}};

    for (int i = 0; cmd->words[i] != NULL; i++)
        if (strstr(cmd->words[i], "{load}") != NULL)
            return "the command";
    for (int i = 0; i < HL_COUNT_OF(scripts); i++)
        if (scripts[i].script != NULL && strstr(scripts[i].script, "{load}") != NULL)
            return scripts[i].name;
    return NULL;
}

static enum hl_status take_cmd(const struct study_request *request, struct host_work_options *work,
                               struct hl_error *err)
{
    const char *what = what_has_load(&work->cmd);

    if (what != NULL && request->loads[0].kind == LOAD_NONE)
        return hl_fail(err, HL_USAGE, "%s has {load}: expected --load too", what);
    if (what == NULL && request->load_count > 1)
        return hl_fail(err, HL_USAGE,
                       "--load has %d levels and the command no {load}: all would be the same",
                       request->load_count);
    return HL_OK;
}

/* As one would type it; freed by the caller. */
static enum hl_status command_text(const struct host_cmd_options *cmd, char **text,
                                   struct hl_error *err)
{
    int count = 0;

    while (cmd->words[count] != NULL)
        count++;
    return cli_command_text(count, (char *const *)(uintptr_t)cmd->words, text, err);
}

static void announce_cmd(const struct host_work_options *work)
{
    char *text = NULL;

    if (command_text(&work->cmd, &text, NULL) == HL_OK)
        printf("command: %s\n", text);
    hl_free(text);
}

static void describe_cmd(const struct host_work_options *work, json_t *asked)
{
    const struct host_cmd_options *cmd = &work->cmd;
    json_t *words = json_array();

    for (int i = 0; cmd->words[i] != NULL; i++)
        (void)json_array_append_new(words, hl_json_text(cmd->words[i]));
    (void)json_object_set_new(asked, "command", words);
    (void)json_object_set_new(asked, "prepare", text_or_null(cmd->prepare));
    (void)json_object_set_new(asked, "check", text_or_null(cmd->check));
    (void)json_object_set_new(asked, "cleanup", text_or_null(cmd->cleanup));
}

static enum hl_status put_cmd_facts(const struct host_work_options *work, json_t *played,
                                    struct hl_error *err)
{
    const struct host_cmd_options *cmd = &work->cmd;
    char *text;

    HL_TRY(command_text(cmd, &text, err));
    run_work_put(played, "workload_command", text);
    hl_free(text);
    run_work_put(played, "workload_prepare", cmd->prepare == NULL ? "none" : cmd->prepare);
    run_work_put(played, "workload_cleanup", cmd->cleanup == NULL ? "none" : cmd->cleanup);
    return HL_OK;
}

/* ---- matinv ---- */

/* Of the published run are the defaults of the simulated one; these take seconds. */
static const struct workload_range default_orders = {.first = 1000, .last = 2000, .step = 200};

/* The program's own bound; and a matrix, its inverse and, for the residual, their product are there at
 * one time. */
static enum hl_status check_orders(const struct workload_range *orders, bool has_no_residual,
                                   struct hl_error *err)
{
    enum { ORDER_MAX = 40000 };
    int64_t element_count = (has_no_residual ? 2 : 3) * orders->last * orders->last;
    char what[64];

    if (orders->last > ORDER_MAX)
        return hl_fail(err, HL_USAGE,
                       "matinv: orders go up to %" PRId64 "; for real expected at most %d",
                       orders->last, ORDER_MAX);
    (void)snprintf(what, sizeof(what), "matrices of order %" PRId64, orders->last);
    return host_memory_check(what, element_count * (int64_t)sizeof(double), err);
}

static enum hl_status take_matinv(const struct study_request *request,
                                  struct host_work_options *work, struct hl_error *err)
{
    const struct workload_option_info *info = request->workload->options;
    struct workload_range orders = default_orders;

    for (int i = 0; info[i].name != NULL; i++) {
        if (!request->options->is_given[i])
            continue;
        if (strcmp(info[i].name, "orders") == 0)
            orders = request->options->value[i];
        else if (strcmp(info[i].name, "residual") == 0)
            work->matinv.has_no_residual = request->options->value[i].first == 0;
        else
            return hl_fail(err, HL_USAGE, "option %s of matinv is for simulated runs",
                           info[i].name);
    }
    HL_TRY(check_orders(&orders, work->matinv.has_no_residual, err));
    work->matinv.first = orders.first;
    work->matinv.last = orders.last;
    work->matinv.step = orders.step;
    return HL_OK;
}

enum { ORDERS_BYTES = 80 };

static const char *format_orders(const struct host_matinv_options *matinv, char text[ORDERS_BYTES])
{
    (void)snprintf(text, ORDERS_BYTES, "%" PRId64 "-%" PRId64 "+%" PRId64, matinv->first,
                   matinv->last, matinv->step);
    return text;
}

static void announce_matinv(const struct host_work_options *work)
{
    char text[ORDERS_BYTES];

    printf("orders: %s\n", format_orders(&work->matinv, text));
}

static enum hl_status put_matinv_facts(const struct host_work_options *work, json_t *played,
                                       struct hl_error *err)
{
    char text[ORDERS_BYTES];

    (void)err;
    run_work_put(played, "workload_orders", format_orders(&work->matinv, text));
    return HL_OK;
}

static void describe_matinv(const struct host_work_options *work, json_t *asked)
{
    (void)json_object_set_new(asked, "first_order", json_integer(work->matinv.first));
    (void)json_object_set_new(asked, "last_order", json_integer(work->matinv.last));
    (void)json_object_set_new(asked, "order_step", json_integer(work->matinv.step));
}

/* ---- rsa ---- */

/* A process of openssl 3 speed writes to 0.35 MiB of its own (measured); the kernel's share is
 * assumed. */
enum { SIGNER_BYTES = 512 << 10 };

static int64_t most_level(const struct study_request *request)
{
    int64_t most = 0;

    for (int a = 0; a < request->arm_count; a++)
        for (int l = 0; l < request->load_count; l++) {
            int64_t level = workload_load_level(&request->loads[l], study_load_cpus(request, a), 0);

            most = HL_MAX(most, level);
        }
    return most;
}

static enum hl_status take_rsa(const struct study_request *request, struct host_work_options *work,
                               struct hl_error *err)
{
    int64_t processes = most_level(request);
    char what[64];

    work->rsa.by_user_time = request->options->value[0].first != 0; /* its only option: usertime */
    (void)snprintf(what, sizeof(what), "%" PRId64 " processes of openssl", processes);
    return host_memory_check(what, processes * SIGNER_BYTES, err);
}

static void announce_rsa(const struct host_work_options *work)
{
    printf("openssl speed rsa%" PRId64 ": %" PRId64 " s of signs, then of verifies%s\n",
           work->rsa.bits, work->rsa.seconds, work->rsa.by_user_time ? ", by user time" : "");
}

static void describe_rsa(const struct host_work_options *work, json_t *asked)
{
    (void)json_object_set_new(asked, "bits", json_integer(work->rsa.bits));
    (void)json_object_set_new(asked, "seconds", json_integer(work->rsa.seconds));
    (void)json_object_set_new(asked, "by_user_time", json_boolean(work->rsa.by_user_time));
}

static enum hl_status put_rsa_facts(const struct host_work_options *work, json_t *played,
                                    struct hl_error *err)
{
    (void)err;
    put_number(played, "workload_bits", work->rsa.bits);
    put_number(played, "workload_seconds", work->rsa.seconds);
    return HL_OK;
}

/* ---- all of them ---- */

/* NULL: nothing of its own. */
static const struct work_words table[] = {
    {"buildworld", take_buildworld, announce_buildworld, describe_buildworld, put_build_facts},
    {"cmd", take_cmd, announce_cmd, describe_cmd, put_cmd_facts},
    {"kernbench", NULL, announce_kernbench, NULL, put_build_facts},
    {"matinv", take_matinv, announce_matinv, describe_matinv, put_matinv_facts},
    {"rsa", take_rsa, announce_rsa, describe_rsa, put_rsa_facts},
};

static const struct work_words *words_of(const struct host_work_options *work)
{
    int i = 0;

    while (strcmp(table[i].workload, work->workload) != 0) {
        i++;
        assert(i < HL_COUNT_OF(table));
    }
    return &table[i];
}

enum hl_status run_work_prepare(const struct run_options *o, struct study_request *request,
                                struct host_work_options *work, struct hl_error *err)
{
    const struct work_words *words;

    *work = o->work;
    work->workload = request->workload->name;
    request->work = work;
    words = words_of(work);
    return words->take == NULL ? HL_OK : words->take(request, work, err);
}

void run_work_announce(const struct study_request *request)
{
    words_of(request->work)->announce(request->work);
}

void run_work_describe(const struct host_work_options *work, json_t *asked)
{
    const struct work_words *words = words_of(work);

    (void)json_object_set_new(asked, "tree", text_or_null(work->build.tree));
    (void)json_object_set_new(asked, "target", text_or_null(work->build.target));
    (void)json_object_set_new(asked, "config", text_or_null(work->build.config));
    (void)json_object_set_new(asked, "tree_scale_ppm", json_integer(work->build.tree_scale_ppm));
    if (words->describe != NULL)
        words->describe(work, asked);
    (void)json_object_set_new(asked, "timeout_ns", json_integer(work->timeout_ns));
}

enum hl_status run_work_facts(const struct host_work_options *work, json_t *played,
                              struct hl_error *err)
{
    return words_of(work)->put_facts(work, played, err);
}
