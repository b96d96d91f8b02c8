/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * variants.c - the product of the values of several keys.
 *
 * A variant's number is written in a mixed base: its last digit is the value of the last key.
 */
#include "study/variants.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static enum hl_status check_axis(const struct study_variants *variants,
                                 const struct study_axis *axis, struct hl_error *err)
{
    if (axis->value_count > STUDY_ARMS_MAX ||
        study_variant_count(variants) * axis->value_count > STUDY_ARMS_MAX)
        return hl_fail(err, HL_USAGE, "more than %d variants with --variant %.40s; expected fewer",
                       STUDY_ARMS_MAX, axis->key);
    for (int i = 0; i < variants->axis_count; i++)
        if (strcmp(variants->axes[i].key, axis->key) == 0 && strcmp(axis->key, "env") != 0)
            return hl_fail(err, HL_USAGE,
                           "--variant %.40s is given twice; join its values with commas",
                           axis->key);
    for (int i = 0; i < axis->value_count; i++)
        for (int k = 0; k < i; k++)
            if (strcmp(axis->values[i], axis->values[k]) == 0)
                return hl_fail(err, HL_USAGE,
                               "value '%.40s' of --variant %.40s is listed twice; to compare equal "
                               "set-ups use --aa",
                               axis->values[i], axis->key);
    return HL_OK;
}

enum hl_status study_variants_add(struct study_variants *variants, const char *text,
                                  struct hl_error *err)
{
    struct study_axis *axis = &variants->axes[variants->axis_count];
    const char *equals = strchr(text, '=');
    enum hl_status status;

    if (equals == NULL || equals == text || memchr(text, ',', (size_t)(equals - text)) != NULL ||
        memchr(text, '\\', (size_t)(equals - text)) != NULL)
        return hl_fail(err, HL_USAGE, "--variant is '%.80s'; expected KEY=VALUE,VALUE,...", text);
    if (variants->axis_count == STUDY_KEYS_MAX)
        return hl_fail(err, HL_USAGE, "more than %d times --variant", STUDY_KEYS_MAX);
    *axis = (struct study_axis){.text = hl_strdup(text)};
    if (axis->text == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the variants");
    axis->text[equals - text] = '\0';
    axis->key = axis->text;
    axis->value_count =
        hl_split(axis->text + (equals - text) + 1, ',', axis->values, STUDY_ARMS_MAX);
    status = check_axis(variants, axis, err);
    if (status == HL_OK)
        variants->axis_count++;
    else
        hl_free(axis->text);
    return status;
}

void study_variants_close(struct study_variants *variants)
{
    for (int i = 0; i < variants->axis_count; i++)
        hl_free(variants->axes[i].text);
    *variants = (struct study_variants){0};
}

int study_variant_count(const struct study_variants *variants)
{
    int count = 1;

    for (int i = 0; i < variants->axis_count; i++)
        count *= variants->axes[i].value_count;
    return count;
}

const char *study_variant_value(const struct study_variants *variants, int variant, int axis)
{
    for (int i = variants->axis_count - 1; i > axis; i--)
        variant /= variants->axes[i].value_count;
    return variants->axes[axis].values[variant % variants->axes[axis].value_count];
}

enum hl_status study_variant_text(const struct study_variants *variants, int variant,
                                  char text[static RUN_VARIANT_BYTES], struct hl_error *err)
{
    text[0] = '\0';
    for (int i = 0; i < variants->axis_count; i++) {
        char key[RUN_VARIANT_BYTES];
        int nth = 1;

        /* A run has each key once: the second variable of the environment is "env2". */
        for (int k = 0; k < i; k++)
            nth += strcmp(variants->axes[k].key, variants->axes[i].key) == 0;
        (void)snprintf(key, sizeof(key), nth > 1 ? "%.200s%d" : "%.200s", variants->axes[i].key,
                       nth);
        HL_TRY(run_variant_add(text, key, study_variant_value(variants, variant, i), err));
    }
    return HL_OK;
}
