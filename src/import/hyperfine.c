/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hyperfine.c - what `hyperfine --export-json` writes: each time is one run.
 *
 *     {"results":[{"command":"make -j4","mean":1.02,"user":3.1,"system":0.2,
 *                  "times":[1.01,1.03],"exit_codes":[0,0],"parameters":{"jobs":"4"}}]}
 *
 * The command is what is compared, with the parameters of a scan; but a lone parameter that is a
 * number is the load, {jobs} stands for it in the command then, so that loads of one command are one
 * arm. hyperfine plays all runs of a
 * command before the next one; the records keep that order. user and system are means over all
 * runs, so no run has them.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "import/reader.h"

enum { TEXT_BYTES_MAX = 4096 };

static enum hl_status add_parameter(const struct hl_json_node *node, struct run *run,
                                    struct hl_error *err)
{
    char number[HL_EXACT_BYTES];
    const char *value;
    double figure;
    struct hl_error why;

    if (json_is_number(node->value)) {
        HL_TRY(hl_json_double(node, &figure, err));
        value = hl_format_exact(number, figure);
    } else {
        HL_TRY(hl_json_string(node, 0, TEXT_BYTES_MAX, &value, err));
    }
    if (run_variant_set(run, node->key, value, &why) != HL_OK)
        return hl_json_fail(node, err, "%s", why.text);
    return HL_OK;
}

static bool is_in_number(char c)
{
    return c == '.' || (c >= '0' && c <= '9');
}

/* "make -j4" with 4 for jobs is "make -j{jobs}". Copies into out[bytes]; false if it does not fit. */
static bool put_parameter_back(char *out, size_t bytes, const char *command, const char *name,
                               const char *number)
{
    size_t used = 0, length = strlen(number);

    for (const char *c = command; *c != '\0';) {
        bool is_it = strncmp(c, number, length) == 0 && !is_in_number(c[length]) &&
                     (c == command || !is_in_number(c[-1]));
        int put = is_it ? snprintf(out + used, bytes - used, "{%s}", name)
                        : snprintf(out + used, bytes - used, "%c", *c);

        used += (size_t)put;
        if (used >= bytes)
            return false;
        c += is_it ? length : 1;
    }
    return true;
}

/* The load, if the scan has one parameter and that is a number; *is_load says so. */
static enum hl_status fill_load(const struct hl_json_node *result, const char *command,
                                struct run *run, bool *is_load, struct hl_error *err)
{
    char number[HL_EXACT_BYTES] = "", text[TEXT_BYTES_MAX];
    struct hl_json_node parameters, parameter;
    const char *value = number;
    void *iterator = NULL;
    double figure;

    *is_load = false;
    HL_TRY(hl_json_member_if_any(result, "parameters", &parameters, err));
    if (parameters.value == NULL || json_object_size(parameters.value) != 1 ||
        !hl_json_next_member(&parameters, &iterator, &parameter))
        return HL_OK;
    if (json_is_number(parameter.value)) {
        HL_TRY(hl_json_double(&parameter, &figure, err));
        (void)hl_format_exact(number, figure);
    } else if (json_is_string(parameter.value)) {
        value = json_string_value(parameter.value);
    }
    if (!import_parse_amount(value, &figure) || strlen(value) >= sizeof(run->load) ||
        !put_parameter_back(text, sizeof(text), command, parameter.key, value) ||
        run_variant_set(run, "command", text, NULL) != HL_OK)
        return HL_OK;
    *is_load = true;
    (void)import_set_load(run, value);
    return HL_OK;
}

/* What is compared: the command and the parameters. A command longer than a variant is cut; two that
 * differ only behind the cut would be one, so the index of the result takes its place then. */
static enum hl_status fill_variant(const struct hl_json_node *result, bool may_be_load,
                                   struct run *run, struct hl_error *err)
{
    struct hl_json_node command, parameters, parameter;
    void *iterator = NULL;
    bool is_load = false;
    const char *text;
    char index[32];

    HL_TRY(hl_json_member(result, "command", &command, err));
    HL_TRY(hl_json_string(&command, 0, 1 << 20, &text, err));
    if (may_be_load)
        HL_TRY(fill_load(result, text, run, &is_load, err));
    if (is_load)
        return HL_OK;
    if (run_variant_set(run, "command", text, NULL) != HL_OK) {
        (void)snprintf(index, sizeof(index), "result %zu", result->index);
        HL_TRY(run_variant_set(run, "command", index, err));
    }
    HL_TRY(hl_json_member_if_any(result, "parameters", &parameters, err));
    if (parameters.value == NULL)
        return HL_OK;
    HL_TRY(hl_json_object(&parameters, err));
    while (hl_json_next_member(&parameters, &iterator, &parameter))
        HL_TRY(add_parameter(&parameter, run, err));
    return HL_OK;
}

/* Why user and system time are missing, with what there is instead. */
static enum hl_status explain_mean(const struct hl_json_node *result, const char *key,
                                   enum run_metric metric, struct run *run, struct hl_error *err)
{
    char text[128], number[HL_EXACT_BYTES];
    struct hl_json_node mean;
    double seconds;

    HL_TRY(hl_json_member_if_any(result, key, &mean, err));
    if (mean.value == NULL || json_is_null(mean.value))
        return HL_OK;
    HL_TRY(hl_json_double(&mean, &seconds, err));
    (void)snprintf(text, sizeof(text), "hyperfine gives only the mean of all runs, %s s",
                   hl_format_exact(number, seconds));
    run->reason[metric] = run_reason_keep(text);
    return HL_OK;
}

/* Exit code of one run; null if a signal ended it. */
static enum hl_status fill_status(const struct hl_json_node *codes, size_t index, struct run *run,
                                  struct hl_error *err)
{
    struct hl_json_node code = hl_json_item(codes, index);
    int64_t number;

    if (json_is_null(code.value)) {
        run->status = RUN_KILLED;
        run->exit_status = -1;
        (void)snprintf(run->note, sizeof(run->note),
                       "ended by a signal that hyperfine does not name");
        return HL_OK;
    }
    HL_TRY(hl_json_int(&code, INT32_MIN, INT32_MAX, &number, err));
    if (number == 0)
        return HL_OK;
    run->status = RUN_FAILED;
    run->exit_status = (int32_t)number;
    return HL_OK;
}

static enum hl_status add_runs(const struct import_source *source, const struct hl_json_node *times,
                               const struct hl_json_node *codes, const struct run *cell,
                               struct hl_error *err)
{
    size_t count, code_count = 0;
    int32_t number = import_next_number(source, cell);

    HL_TRY(hl_json_array(times, &count, err));
    if (codes->value != NULL)
        HL_TRY(hl_json_array(codes, &code_count, err));
    if (codes->value != NULL && code_count != count)
        return hl_json_fail(codes, err, "found %zu exit codes, expected %zu, one for each time",
                            code_count, count);
    for (size_t i = 0; i < count; i++) {
        struct hl_json_node time = hl_json_item(times, i);
        struct run run = *cell;
        const char *expected;
        double seconds;

        HL_TRY(hl_json_double(&time, &seconds, err));
        if (!import_is_figure(RUN_elapsed_s, seconds, &expected))
            return hl_json_fail(&time, err, "found %g seconds, expected %s", seconds, expected);
        run_set(&run, RUN_elapsed_s, seconds);
        if (codes->value != NULL)
            HL_TRY(fill_status(codes, i, &run, err));
        run.run = number + (int32_t)i;
        run.order = (int32_t)(source->result->runs.count - source->first);
        HL_TRY(import_add(source, &run, "", err));
    }
    return HL_OK;
}

static enum hl_status read_result(const struct import_source *source,
                                  const struct hl_json_node *result, struct hl_error *err)
{
    struct hl_json_node times, codes;
    struct run cell;

    import_run_init(source, &cell, "hyperfine does not measure it");
    HL_TRY(fill_variant(result, source->options->load == NULL, &cell, err));
    HL_TRY(explain_mean(result, "user", RUN_user_s, &cell, err));
    HL_TRY(explain_mean(result, "system", RUN_system_s, &cell, err));
    HL_TRY(import_apply_options(source, &cell, err));
    HL_TRY(hl_json_member(result, "times", &times, err));
    HL_TRY(hl_json_member_if_any(result, "exit_codes", &codes, err));
    return add_runs(source, &times, &codes, &cell, err);
}

enum hl_status import_hyperfine(const struct import_source *source, const struct hl_json_node *root,
                                struct hl_error *err)
{
    struct hl_json_node results;
    size_t count;

    HL_TRY(hl_json_member(root, "results", &results, err));
    HL_TRY(hl_json_array(&results, &count, err));
    for (size_t i = 0; i < count; i++) {
        struct hl_json_node result = hl_json_item(&results, i);

        HL_TRY(read_result(source, &result, err));
    }
    return HL_OK;
}
