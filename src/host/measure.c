/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure.c - puts a setting around a command, runs it, and says in a run record what came out.
 */
#include "host/measure.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "host/build_log.h"
#include "host/environment.h"

/* ---- the command with its setting ---- */

static size_t count_words(const char *const *words)
{
    size_t count = 0;

    while (words[count] != NULL)
        count++;
    return count;
}

/* Is variable "NAME=VALUE" one that the setting changes? */
static bool is_changed(const struct host_setting *setting, const char *variable)
{
    size_t length = strcspn(variable, "=");

    for (size_t i = 0; i < setting->environment_count; i++) {
        const char *entry = setting->environment[i];

        if (strcspn(entry, "=") == length && strncmp(entry, variable, length) == 0)
            return true;
    }
    return false;
}

/* Both lists end with NULL and are freed by the caller; their texts are not their own. */
static enum hl_status change_environment(const struct host_setting *setting,
                                         const char *const *environment, const char ***changed,
                                         struct hl_error *err)
{
    size_t most = count_words(environment) + setting->environment_count + 1, count = 0;

    *changed = hl_alloc(most, sizeof(**changed));
    if (*changed == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for an environment");
    for (; *environment != NULL; environment++)
        if (!is_changed(setting, *environment))
            (*changed)[count++] = *environment;
    for (size_t i = 0; i < setting->environment_count; i++)
        if (strchr(setting->environment[i], '=') != NULL)
            (*changed)[count++] = setting->environment[i];
    return HL_OK;
}

/* `path` is room for the path of the prefix's program. */
static enum hl_status put_prefix(const struct host_setting *setting, const char *const *arguments,
                                 char path[PATH_MAX], const char ***prefixed, struct hl_error *err)
{
    size_t count = setting->prefix_count, more = count_words(arguments);

    if (count > 0 && !host_program_find(setting->prefix[0], path, PATH_MAX))
        return hl_fail(err, HL_UNSUPPORTED, "prefix: found no program `%.100s`",
                       setting->prefix[0]);
    *prefixed = hl_alloc(count + more + 1, sizeof(**prefixed));
    if (*prefixed == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for a command");
    for (size_t i = 0; i < count; i++)
        (*prefixed)[i] = i == 0 ? path : setting->prefix[i];
    memcpy(*prefixed + count, arguments, more * sizeof(*arguments));
    return HL_OK;
}

static enum hl_status run_changed(const struct host_measure *measure, struct host_result *result,
                                  struct hl_error *err)
{
    struct host_command command = measure->command;
    const char **environment = NULL, **arguments = NULL;
    char path[PATH_MAX];
    enum hl_status status;

    command.setting = measure->setting;
    status = change_environment(measure->setting, command.environment, &environment, err);
    if (status == HL_OK)
        status = put_prefix(measure->setting, command.arguments, path, &arguments, err);
    command.environment = environment;
    command.arguments = arguments;
    if (status == HL_OK)
        status = host_command_run(&command, result, err);
    hl_free(environment);
    hl_free(arguments);
    return status;
}

/* ---- the record ---- */

static double seconds(int64_t ns)
{
    return (double)ns / (double)HL_NS_PER_S;
}

static void fill_metrics(struct run *run, const struct host_result *result)
{
    int64_t cpu_ns = result->user_ns + result->system_ns;

    for (int i = 0; i < RUN_METRIC_COUNT; i++) {
        run->metric[i] = (double)NAN;
        run->reason[i] = "real runs are measured from outside, without tracing; "
                         "simulate with --sched to have it";
    }
    run_set(run, RUN_elapsed_s, seconds(result->elapsed_ns));
    run_set(run, RUN_user_s, seconds(result->user_ns));
    run_set(run, RUN_system_s, seconds(result->system_ns));
    if (result->elapsed_ns > 0)
        run_set(run, RUN_percent_cpu, 100.0 * (double)cpu_ns / (double)result->elapsed_ns);
    run_set(run, RUN_voluntary_switches, (double)result->voluntary_switches);
    run_set(run, RUN_involuntary_switches, (double)result->involuntary_switches);
    if (result->samples > 0) {
        run_set(run, RUN_peak_compilers, result->peak_compilers);
        run->reason[RUN_peak_compilers] = "sampled: a short peak may be missed";
    } else {
        run->reason[RUN_peak_compilers] = "sampled, and the run ended before the first sample";
    }
}

static void fill_note(const struct host_measure *measure, struct run *run,
                      const struct host_result *result)
{
    char reason[sizeof(run->note)];
    size_t used = 0;

    run->note[0] = '\0';
    if (run->status != RUN_OK) {
        host_log_reason(measure->command.log, reason, sizeof(reason));
        if (result->timed_out)
            used = (size_t)snprintf(run->note, sizeof(run->note),
                                    "%.32s was ended: it took longer than %.9g s", measure->name,
                                    seconds(measure->command.timeout_ns));
        else if (result->signal != 0)
            used =
                (size_t)snprintf(run->note, sizeof(run->note), "%.32s was killed by signal %d (%s)",
                                 measure->name, result->signal, sigabbrev_np(result->signal));
        else
            used = (size_t)snprintf(run->note, sizeof(run->note),
                                    "%.32s exited with status %d%s%.180s", measure->name,
                                    result->exit_status, reason[0] == '\0' ? "" : ": ", reason);
    }
    if (result->left_behind > 0 && used < sizeof(run->note))
        (void)snprintf(run->note + used, sizeof(run->note) - used, "%sleft behind, %s: %s",
                       used == 0 ? "" : "; ", result->not_ended > 0 ? "cannot be ended" : "ended",
                       result->left_behind_names);
}

enum hl_status host_measure(const struct host_measure *measure, struct run *run,
                            struct host_result *result, struct hl_error *err)
{
    struct host_measure watched = *measure;
    enum hl_status status;

    HL_TRY(host_scheduler_check(&measure->session->scheduler, err));
    watched.command.is_watched = true;
    status = measure->setting == NULL ? host_command_run(&watched.command, result, err)
                                      : run_changed(&watched, result, err);
    if (status != HL_OK) {
        /* The keeper may have been killed before it could end the tree. */
        host_session_end_processes(measure->session);
        return status;
    }
    run->exit_status = result->exit_status;
    run->status = result->timed_out || result->signal != 0 ? RUN_KILLED
                  : result->exit_status != 0               ? RUN_FAILED
                                                           : RUN_OK;
    fill_metrics(run, result);
    fill_note(measure, run, result);
    host_facts_fill(&result->facts, run);
    return HL_OK;
}
