/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.c - the constants of a kernel build, each with its source.
 *
 *     { "about": "make vmlinux of a 2.4 tree",
 *       "constants": {
 *         "work_ns": { "value": 65.5, "unit": "s", "source": "fitted:UP/make" },
 *         "as_share": { "value": 0.01, "unit": "ratio", "source": "spec", "note": "linux 9" } } }
 *
 * A constant that a file does not give has the default of the table, whose source is "assumed".
 */
#include "workload/workload.h"

#include <stdio.h>
#include <string.h>

#include "base/data_dir.h"
#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "machine/costs.h"

enum { PROFILE_BYTES_MAX = 1 << 20, PROFILE_ABOUT_MAX = 2000, PROFILE_PATH_MAX = 4096 };

const struct machine_constant_info profile_constant_table[PROFILE_CONSTANT_COUNT] = {
#define PROFILE_INFO(constant, constant_unit, default_value, least, most, text)                    \
    {.name = #constant,                                                                            \
     .unit = #constant_unit,                                                                       \
     .help = text,                                                                                 \
     .value = default_value,                                                                       \
     .min = least,                                                                                 \
     .max = most},
    PROFILE_CONSTANTS(PROFILE_INFO)
#undef PROFILE_INFO
};

void profile_close(struct profile *profile)
{
    machine_constants_close(PROFILE_CONSTANT_COUNT, profile->source);
    *profile = (struct profile){0};
}

static enum hl_status read_profile(struct profile *profile, const struct hl_json_node *root,
                                   struct hl_error *err)
{
    static const char *const keys[] = {"about", "constants"};
    struct hl_json_node member;
    const char *about;

    HL_TRY(machine_constants_init(profile_constant_table, PROFILE_CONSTANT_COUNT, profile->constant,
                                  profile->source, err));
    HL_TRY(hl_json_check_keys(root, keys, HL_COUNT_OF(keys), err));
    HL_TRY(hl_json_member(root, "about", &member, err));
    HL_TRY(hl_json_string(&member, 1, PROFILE_ABOUT_MAX, &about, err));
    HL_TRY(hl_json_member(root, "constants", &member, err));
    return machine_constants_read(profile_constant_table, PROFILE_CONSTANT_COUNT, &member,
                                  profile->constant, profile->source, NULL, err);
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
