/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_played.c - what a study plays, as text by keys.
 */
#include "cli/run_played.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/units.h"
#include "cli/run_plan.h"
#include "cli/run_work.h"

/* A profile's name is its owner's choice: the hash of its constants says whether it is the same. */
static void put_profile(json_t *played, const struct profile *profile)
{
    const char *slash = strrchr(profile->name, '/');
    char text[160];

    (void)snprintf(text, sizeof(text), "%.100s, constants %016" PRIx64,
                   slash == NULL ? profile->name : slash + 1, run_plan_profile_hash(profile));
    run_work_put(played, "workload_profile", text);
    if (profile->version[0] != '\0') {
        run_work_put(played, "workload_profile_version", profile->version);
        run_work_put(played, "workload_profile_config", profile->config);
    }
}

/* Of builds the programs are part of what is measured. */
static void move_programs(json_t *all, json_t *played)
{
    static const char *const keys[] = {"compiler", "make"};
    json_t *known = json_object_get(all, "informational");

    for (int i = 0; i < HL_COUNT_OF(keys); i++) {
        run_work_put(played, keys[i], json_string_value(json_object_get(known, keys[i])));
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
    run_work_put(played, "workload", request->options->text);
    if (study_is_real(request))
        status = run_work_facts(request->work, played, err);
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
