/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * variant.c - "K=V,K2=V2": what a run has of what is compared.
 *
 * A backslash takes the next character of a value literally, so that a value may hold a comma.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "run/run.h"

/* Length of the first "K=V" of a list. */
static size_t first_length(const char *list)
{
    size_t length = 0;

    while (list[length] != '\0' && list[length] != ',')
        length += list[length] == '\\' && list[length + 1] != '\0' ? 2 : 1;
    return length;
}

/* Appends one item, with a comma if it is not the first; false if there is no room. */
static bool append(char *list, const char *item, size_t length)
{
    size_t used = strlen(list), comma = used > 0 ? 1 : 0;

    if (used + comma + length >= RUN_VARIANT_BYTES)
        return false;
    if (comma > 0)
        list[used] = ',';
    memcpy(list + used + comma, item, length);
    list[used + comma + length] = '\0';
    return true;
}

/* "KEY=VALUE" with what a value must escape. */
static bool spell(char item[static RUN_VARIANT_BYTES], const char *key, const char *value)
{
    size_t used = 0;

    if (strlen(key) + 1 >= RUN_VARIANT_BYTES)
        return false;
    used = (size_t)snprintf(item, RUN_VARIANT_BYTES, "%s=", key);
    for (; *value != '\0'; value++) {
        bool is_escaped = *value == ',' || *value == '\\';

        if (used + (is_escaped ? 2 : 1) >= RUN_VARIANT_BYTES)
            return false;
        if (is_escaped)
            item[used++] = '\\';
        item[used++] = *value;
    }
    item[used] = '\0';
    return true;
}

static enum hl_status too_long(const char *key, const char *value, struct hl_error *err)
{
    return hl_fail(err, HL_USAGE, "variant %.40s=%.40s... makes the variant longer than %d bytes",
                   key, value, RUN_VARIANT_BYTES - 1);
}

static enum hl_status check_key(const char *key, struct hl_error *err)
{
    if (key[0] == '\0' || strpbrk(key, "=,\\") != NULL)
        return hl_fail(err, HL_USAGE, "variant key '%.40s'; expected a word without '=' and ','",
                       key);
    return HL_OK;
}

enum hl_status run_variant_add(char variant[static RUN_VARIANT_BYTES], const char *key,
                               const char *value, struct hl_error *err)
{
    char item[RUN_VARIANT_BYTES];

    HL_TRY(check_key(key, err));
    if (!spell(item, key, value) || !append(variant, item, strlen(item)))
        return too_long(key, value, err);
    return HL_OK;
}

enum hl_status run_variant_set(struct run *run, const char *key, const char *value,
                               struct hl_error *err)
{
    char list[RUN_VARIANT_BYTES] = "", before[RUN_VARIANT_BYTES + sizeof("variant=")];
    const char *at = before;
    size_t key_length = strlen(key);
    bool fits = true;

    HL_TRY(check_key(key, err));
    (void)snprintf(before, sizeof(before), "%s%s",
                   run->variant[0] != '\0' && strchr(run->variant, '=') == NULL ? "variant=" : "",
                   run->variant);
    while (*at != '\0' && fits) {
        size_t length = first_length(at);

        if (length <= key_length || strncmp(at, key, key_length) != 0 || at[key_length] != '=')
            fits = append(list, at, length);
        at += length + (at[length] == ',' ? 1 : 0);
    }
    if (!fits)
        return too_long(key, value, err);
    HL_TRY(run_variant_add(list, key, value, err));
    memcpy(run->variant, list, strlen(list) + 1);
    return HL_OK;
}
