/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.c - the constants of a workload, each with its source.
 *
 *     { "about": "make vmlinux of a 2.4 tree",
 *       "kind": "kernbench",
 *       "constants": {
 *         "work_ns": { "value": 65.5, "unit": "s", "source": "fitted:UP/make" },
 *         "as_share": { "value": 0.01, "unit": "ratio", "source": "spec", "note": "linux 9" } } }
 *
 * The kind says which constants there are; one that does not say is of kind kernbench. A
 * constant that a file does not give has the default of the table, whose source is "assumed".
 */
#include "workload/profile.h"

#include <stdio.h>
#include <string.h>

#include "base/data_dir.h"
#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "machine/costs.h"

enum {
    PROFILE_BYTES_MAX = 1 << 20,
    PROFILE_ABOUT_MAX = 2000,
    PROFILE_KIND_MAX = 31,
    PROFILE_PATH_MAX = 4096
};

#define PROFILE_INFO(constant, constant_unit, default_value, least, most, text)                    \
    {.name = #constant,                                                                            \
     .unit = #constant_unit,                                                                       \
     .help = text,                                                                                 \
     .value = default_value,                                                                       \
     .min = least,                                                                                 \
     .max = most},

const struct machine_constant_info profile_constant_table[PROFILE_CONSTANT_COUNT] = {
    PROFILE_CONSTANTS(PROFILE_INFO)};

static const struct machine_constant_info buildworld_table[BUILDWORLD_CONSTANT_COUNT] = {
    PROFILE_CONSTANTS(PROFILE_INFO) BUILDWORLD_CONSTANTS(PROFILE_INFO)};

static const struct machine_constant_info matinv_table[MATINV_CONSTANT_COUNT] = {
    MATINV_CONSTANTS(PROFILE_INFO)};

static const struct machine_constant_info rsa_table[RSA_CONSTANT_COUNT] = {
    RSA_CONSTANTS(PROFILE_INFO)};
#undef PROFILE_INFO

_Static_assert(HL_COUNT_OF(buildworld_table) <= (int)PROFILE_CONSTANTS_MAX,
               "a profile holds the largest kind");

const struct profile_kind profile_kinds[] = {
    {"kernbench", "kernel", profile_constant_table, PROFILE_CONSTANT_COUNT},
    {"buildworld", "buildworld-7.0", buildworld_table, BUILDWORLD_CONSTANT_COUNT},
    {"matinv", "matinv", matinv_table, MATINV_CONSTANT_COUNT},
    {"rsa", "rsa", rsa_table, RSA_CONSTANT_COUNT},
    {.workload = NULL},
};

const struct profile_kind *profile_kind_find(const char *workload)
{
    for (const struct profile_kind *kind = profile_kinds; kind->workload != NULL; kind++)
        if (strcmp(kind->workload, workload) == 0)
            return kind;
    return NULL;
}

void profile_close(struct profile *profile)
{
    machine_constants_close(PROFILE_CONSTANTS_MAX, profile->source);
    processes_close(&profile->processes);
    *profile = (struct profile){0};
}

static enum hl_status read_kind(struct profile *profile, const struct hl_json_node *root,
                                struct hl_error *err)
{
    const char *names[HL_COUNT_OF(profile_kinds)], *word;
    struct hl_json_node member;
    int count = 0;

    profile->kind = &profile_kinds[0];
    HL_TRY(hl_json_member_if_any(root, "kind", &member, err));
    if (member.value == NULL)
        return HL_OK;
    HL_TRY(hl_json_string(&member, 1, PROFILE_KIND_MAX, &word, err));
    for (; profile_kinds[count].workload != NULL; count++)
        names[count] = profile_kinds[count].workload;
    profile->kind = profile_kind_find(word);
    return profile->kind != NULL ? HL_OK
                                 : hl_json_fail_unknown(&member, err, "kind", word, names, count);
}

/* "build": {"version": "6.1", "config": "tinyconfig"}: what was measured. */
static enum hl_status read_build(struct profile *profile, const struct hl_json_node *root,
                                 struct hl_error *err)
{
    static const char *const keys[] = {"version", "config"};
    struct hl_json_node build, member;
    const char *text;

    HL_TRY(hl_json_member_if_any(root, "build", &build, err));
    if (build.value == NULL)
        return HL_OK;
    HL_TRY(hl_json_check_keys(&build, keys, HL_COUNT_OF(keys), err));
    HL_TRY(hl_json_member(&build, "version", &member, err));
    HL_TRY(hl_json_string(&member, 1, sizeof(profile->version) - 1, &text, err));
    (void)snprintf(profile->version, sizeof(profile->version), "%s", text);
    HL_TRY(hl_json_member(&build, "config", &member, err));
    HL_TRY(hl_json_string(&member, 1, sizeof(profile->config) - 1, &text, err));
    (void)snprintf(profile->config, sizeof(profile->config), "%s", text);
    return HL_OK;
}

static enum hl_status read_profile(struct profile *profile, const struct hl_json_node *root,
                                   struct hl_error *err)
{
    static const char *const keys[] = {"about",     "build",     "kind",
                                       "constants", "processes", "directory_units"};
    struct hl_json_node member;
    const char *about;

    HL_TRY(read_kind(profile, root, err));
    HL_TRY(machine_constants_init(profile->kind->table, profile->kind->count, profile->constant,
                                  profile->source, err));
    HL_TRY(hl_json_check_keys(root, keys, HL_COUNT_OF(keys), err));
    HL_TRY(hl_json_member(root, "about", &member, err));
    HL_TRY(hl_json_string(&member, 1, PROFILE_ABOUT_MAX, &about, err));
    HL_TRY(read_build(profile, root, err));
    HL_TRY(hl_json_member(root, "constants", &member, err));
    HL_TRY(machine_constants_read(profile->kind->table, profile->kind->count, &member,
                                  profile->constant, profile->source, NULL, err));
    HL_TRY(hl_json_member_if_any(root, "processes", &member, err));
    if (member.value != NULL && profile->kind != &profile_kinds[0])
        return hl_json_fail(&member, err,
                            "stands in a profile of kind %s; only those of kind %s "
                            "have processes",
                            profile->kind->workload, profile_kinds[0].workload);
    return processes_read(&profile->processes, root, err);
}

enum hl_status profile_parse(struct profile *profile, const char *name, const char *text,
                             size_t bytes, struct hl_error *err)
{
    struct hl_json file = {0};
    struct hl_json_node root;
    enum hl_status status;

    *profile = (struct profile){0};
    (void)snprintf(profile->name, sizeof(profile->name), "%s", name);
    HL_TRY(hl_json_parse(&file, name, text, bytes, err));
    root = hl_json_root(&file);
    status = read_profile(profile, &root, err);
    hl_json_close(&file);
    if (status != HL_OK)
        profile_close(profile);
    return status;
}

enum hl_status profile_open(struct profile *profile, const char *text, struct hl_error *err)
{
    const char *name = text == NULL || text[0] == '\0' ? "kernel" : text;
    size_t length = strlen(name);
    bool is_path =
        strchr(name, '/') != NULL || (length > 5 && strcmp(name + length - 5, ".json") == 0);
    char path[PROFILE_PATH_MAX], *content;
    size_t bytes;
    enum hl_status status;

    *profile = (struct profile){0};
    if (is_path)
        (void)snprintf(path, sizeof(path), "%s", name);
    else
        HL_TRY(hl_data_path(path, sizeof(path), "profiles", name, ".json", err));
    HL_TRY(hl_read_file(path, PROFILE_BYTES_MAX, &content, &bytes, err));
    status = profile_parse(profile, path, content, bytes, err);
    hl_free(content);
    if (status == HL_OK)
        (void)snprintf(profile->name, sizeof(profile->name), "%s", name);
    return status;
}

enum hl_status profile_open_for(struct profile *profile, const char *workload, const char *text,
                                struct hl_error *err)
{
    const struct profile_kind *kind = profile_kind_find(workload), *found;
    bool is_given = text != NULL && text[0] != '\0';

    *profile = (struct profile){0};
    if (kind == NULL && is_given)
        return hl_fail(err, HL_USAGE, "profile %s: workload %s has no constants; expected none",
                       text, workload);
    if (kind == NULL)
        return HL_OK;
    HL_TRY(profile_open(profile, is_given ? text : kind->default_profile, err));
    found = profile->kind;
    if (found == kind)
        return HL_OK;
    profile_close(profile);
    return hl_fail(err, HL_USAGE, "profile %s is of kind %s; expected one of kind %s", text,
                   found->workload, workload);
}
