/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.c - the constants of a kernel build, each with its source.
 *
 *     { "about": "make vmlinux of a 2.4 tree",
 *       "constants": {
 *         "work_ns": { "value": "66s", "unit": "ns", "source": "fitted:UP/make" },
 *         "as_share": { "value": 0.01, "unit": "ratio", "source": "spec linux 9" } } }
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

enum { PROFILE_BYTES_MAX = 1 << 20, PROFILE_SOURCE_MAX = 400, PROFILE_PATH_MAX = 4096 };

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
    for (int i = 0; i < PROFILE_CONSTANT_COUNT; i++)
        hl_free(profile->source[i]);
    *profile = (struct profile){0};
}

static enum hl_status source_set(struct profile *profile, int constant, const char *source,
                                 struct hl_error *err)
{
    char *copy = hl_strdup(source);

    if (copy == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the source of %s",
                       profile_constant_table[constant].name);
    hl_free(profile->source[constant]);
    profile->source[constant] = copy;
    return HL_OK;
}

/* The unit as files spell it. */
static const char *file_unit(const struct machine_constant_info *info)
{
    return strcmp(info->unit, "ppm") == 0 ? "ratio" : info->unit;
}

static enum hl_status read_value(const struct hl_json_node *node,
                                 const struct machine_constant_info *info, int64_t *value,
                                 struct hl_error *err)
{
    bool yes;

    if (strcmp(info->unit, "ppm") == 0)
        return hl_json_decimal(node, HL_PPM, info->min, info->max, value, err);
    if (strcmp(info->unit, "ns") == 0)
        return hl_json_duration_ns(node, info->min, info->max, value, err);
    if (strcmp(info->unit, "bool") == 0) {
        HL_TRY(hl_json_bool(node, &yes, err));
        *value = yes;
        return HL_OK;
    }
    return hl_json_int(node, info->min, info->max, value, err);
}

static enum hl_status read_constant(struct profile *profile, int constant,
                                    const struct hl_json_node *node, struct hl_error *err)
{
    static const char *const keys[] = {"value", "unit", "source"};
    const struct machine_constant_info *info = &profile_constant_table[constant];
    struct hl_json_node value, unit, source;
    const char *unit_text, *source_text;

    HL_TRY(hl_json_check_keys(node, keys, HL_COUNT_OF(keys), err));
    HL_TRY(hl_json_member(node, "value", &value, err));
    HL_TRY(read_value(&value, info, &profile->constant[constant], err));
    HL_TRY(hl_json_member(node, "unit", &unit, err));
    HL_TRY(hl_json_string(&unit, 1, 16, &unit_text, err));
    if (strcmp(unit_text, file_unit(info)) != 0)
        return hl_json_fail(&unit, err, "found \"%s\", expected \"%s\"", unit_text,
                            file_unit(info));
    HL_TRY(hl_json_member(node, "source", &source, err));
    HL_TRY(hl_json_string(&source, 1, PROFILE_SOURCE_MAX, &source_text, err));
    return source_set(profile, constant, source_text, err);
}

static enum hl_status read_profile(struct profile *profile, const struct hl_json_node *root,
                                   struct hl_error *err)
{
    static const char *const keys[] = {"about", "constants"};
    const char *names[PROFILE_CONSTANT_COUNT], *about;
    struct hl_json_node member;

    for (int i = 0; i < PROFILE_CONSTANT_COUNT; i++) {
        names[i] = profile_constant_table[i].name;
        profile->constant[i] = profile_constant_table[i].value;
        HL_TRY(source_set(profile, i, "assumed", err));
    }
    HL_TRY(hl_json_check_keys(root, keys, HL_COUNT_OF(keys), err));
    HL_TRY(hl_json_member(root, "about", &member, err));
    HL_TRY(hl_json_string(&member, 1, PROFILE_SOURCE_MAX, &about, err));
    HL_TRY(hl_json_member(root, "constants", &member, err));
    HL_TRY(hl_json_check_keys(&member, names, HL_COUNT_OF(names), err));
    for (int i = 0; i < PROFILE_CONSTANT_COUNT; i++) {
        struct hl_json_node constant;

        HL_TRY(hl_json_member_if_any(&member, names[i], &constant, err));
        if (constant.value != NULL)
            HL_TRY(read_constant(profile, i, &constant, err));
    }
    return HL_OK;
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
