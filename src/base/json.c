/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json.c - jansson with places in the complaints.
 */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"

enum { POINTER_BYTES = 256, FOUND_BYTES = 96 };

/* jansson reports some failed allocations as syntax errors and passes over others. */
static _Thread_local bool allocation_failed;

static void *allocate_bytes(size_t bytes)
{
    void *block = hl_alloc(bytes, 1);

    if (block == NULL)
        allocation_failed = true;
    return block;
}

static void allocate_through_base(void)
{
    json_set_alloc_funcs(allocate_bytes, hl_free);
}

enum hl_status hl_json_parse(struct hl_json *file, const char *name, const char *text, size_t bytes,
                             struct hl_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    json_error_t problem;

    (void)pthread_once(&once, allocate_through_base);
    *file = (struct hl_json){.name = hl_strdup(name)};
    if (file->name == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the name %s", name);
    allocation_failed = false;
    file->root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &problem);
    if (file->root != NULL && !allocation_failed)
        return HL_OK;
    hl_json_close(file);
    if (allocation_failed)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the JSON file %s", name);
    /* jansson's own text for this one names an option of its functions. */
    return hl_fail(err, HL_BAD_INPUT, "%s:%d: not JSON: %s", name, HL_MAX(problem.line, 1),
                   json_error_code(&problem) == json_error_null_character ||
                           json_error_code(&problem) == json_error_null_byte_in_key
                       ? "a NUL character in a string; expected text"
                       : problem.text);
}

enum hl_status hl_json_open(struct hl_json *file, const char *path, size_t max_bytes,
                            struct hl_error *err)
{
    char *text;
    size_t bytes;
    enum hl_status status;

    *file = (struct hl_json){0};
    HL_TRY(hl_read_file(path, max_bytes, &text, &bytes, err));
    status = hl_json_parse(file, path, text, bytes, err);
    hl_free(text);
    return status;
}

void hl_json_close(struct hl_json *file)
{
    json_decref(file->root);
    hl_free(file->name);
    *file = (struct hl_json){0};
}

struct hl_json_node hl_json_root(const struct hl_json *file)
{
    return (struct hl_json_node){.file = file->name, .value = file->root};
}

/* RFC 6901: "/" before each key or index; "~" and "/" inside a key are "~0" and "~1". Written from
 * the far end of the buffer, since a node knows only the way up; returns where it starts. */
static const char *spell_pointer(const struct hl_json_node *node, char *buffer)
{
    char *at = buffer + POINTER_BYTES - 1;

    *at = '\0';
    if (node->parent == NULL)
        return "top level";
    for (; node->parent != NULL; node = node->parent) {
        char number[24];
        const char *key = node->key;
        size_t length;

        if (key == NULL) {
            (void)snprintf(number, sizeof(number), "%zu", node->index);
            key = number;
        }
        for (length = strlen(key); length > 0; length--) {
            char c = key[length - 1];

            if (at - buffer < 8) {
                at -= 3;
                memcpy(at, "...", 3);
                return at;
            }
            *--at = c == '~' ? '0' : c == '/' ? '1' : c;
            if (c == '~' || c == '/')
                *--at = '~';
        }
        *--at = '/';
    }
    return at;
}

enum hl_status hl_json_fail(const struct hl_json_node *node, struct hl_error *err,
                            const char *format, ...)
{
    char message[400], pointer[POINTER_BYTES];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    return hl_fail(err, HL_BAD_INPUT, "%s: %s: %s", node->file, spell_pointer(node, pointer),
                   message);
}

void hl_json_where(const struct hl_json_node *node, char *text, size_t bytes)
{
    char pointer[POINTER_BYTES];

    (void)snprintf(text, bytes, "%s: %s", node->file, spell_pointer(node, pointer));
}

enum hl_status hl_json_fail_unknown(const struct hl_json_node *node, struct hl_error *err,
                                    const char *kind, const char *word, const char *const *known,
                                    int known_count)
{
    char where[512];

    hl_json_where(node, where, sizeof(where));
    return hl_fail_unknown(err, HL_BAD_INPUT, where, kind, word, known, known_count);
}

static const char *describe(const json_t *value, char *buffer)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "an array";
    case JSON_TRUE: return "true";
    case JSON_FALSE: return "false";
    case JSON_NULL: return "null";
    case JSON_STRING:
        (void)snprintf(buffer, FOUND_BYTES,
                       json_string_length(value) > 60 ? "\"%.60s...\"" : "\"%s\"",
                       json_string_value(value));
        return buffer;
    case JSON_INTEGER:
        (void)snprintf(buffer, FOUND_BYTES, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        return buffer;
    case JSON_REAL:
        (void)hl_format(buffer, FOUND_BYTES, "%.15g", json_real_value(value));
        return buffer;
    }
    return "something";
}

static enum hl_status fail_expected(const struct hl_json_node *node, struct hl_error *err,
                                    const char *expected)
{
    char found[FOUND_BYTES];

    return hl_json_fail(node, err, "found %s, expected %s", describe(node->value, found), expected);
}

enum hl_status hl_json_object(const struct hl_json_node *node, struct hl_error *err)
{
    return json_is_object(node->value) ? HL_OK : fail_expected(node, err, "an object");
}

bool hl_json_has(const struct hl_json_node *object, const char *key)
{
    return json_object_get(object->value, key) != NULL;
}

enum hl_status hl_json_member_if_any(const struct hl_json_node *object, const char *key,
                                     struct hl_json_node *member, struct hl_error *err)
{
    *member = (struct hl_json_node){.file = object->file, .parent = object, .key = key};
    HL_TRY(hl_json_object(object, err));
    member->value = json_object_get(object->value, key);
    return HL_OK;
}

enum hl_status hl_json_member(const struct hl_json_node *object, const char *key,
                              struct hl_json_node *member, struct hl_error *err)
{
    HL_TRY(hl_json_member_if_any(object, key, member, err));
    if (member->value == NULL)
        return hl_json_fail(object, err, "the key \"%s\" is missing", key);
    return HL_OK;
}

bool hl_json_next_member(const struct hl_json_node *object, void **iterator,
                         struct hl_json_node *member)
{
    *iterator = *iterator == NULL ? json_object_iter(object->value)
                                  : json_object_iter_next(object->value, *iterator);
    if (*iterator == NULL)
        return false;
    *member = (struct hl_json_node){.file = object->file,
                                    .parent = object,
                                    .key = json_object_iter_key(*iterator),
                                    .value = json_object_iter_value(*iterator)};
    return true;
}

enum hl_status hl_json_check_keys(const struct hl_json_node *object, const char *const *known,
                                  int count, struct hl_error *err)
{
    struct hl_json_node member;
    void *iterator = NULL;

    HL_TRY(hl_json_object(object, err));
    while (hl_json_next_member(object, &iterator, &member)) {
        int i = 0;

        while (i < count && strcmp(known[i], member.key) != 0)
            i++;
        if (i == count)
            return hl_json_fail_unknown(object, err, "key", member.key, known, count);
    }
    return HL_OK;
}

enum hl_status hl_json_array(const struct hl_json_node *array, size_t *count, struct hl_error *err)
{
    if (!json_is_array(array->value))
        return fail_expected(array, err, "an array");
    *count = json_array_size(array->value);
    return HL_OK;
}

struct hl_json_node hl_json_item(const struct hl_json_node *array, size_t index)
{
    return (struct hl_json_node){.file = array->file,
                                 .parent = array,
                                 .index = index,
                                 .value = json_array_get(array->value, index)};
}

enum hl_status hl_json_bool(const struct hl_json_node *node, bool *value, struct hl_error *err)
{
    if (!json_is_boolean(node->value))
        return fail_expected(node, err, "true or false");
    *value = json_is_true(node->value);
    return HL_OK;
}

enum hl_status hl_json_int(const struct hl_json_node *node, int64_t min, int64_t max,
                           int64_t *value, struct hl_error *err)
{
    char expected[80];

    if (json_is_integer(node->value) && json_integer_value(node->value) >= min &&
        json_integer_value(node->value) <= max) {
        *value = json_integer_value(node->value);
        return HL_OK;
    }
    (void)snprintf(expected, sizeof(expected), "a whole number from %" PRId64 " to %" PRId64, min,
                   max);
    return fail_expected(node, err, expected);
}

enum hl_status hl_json_decimal(const struct hl_json_node *node, int64_t scale, int64_t min,
                               int64_t max, int64_t *value, struct hl_error *err)
{
    char expected[80];
    int64_t scaled;

    if (json_is_integer(node->value)) {
        if (!__builtin_mul_overflow(json_integer_value(node->value), scale, &scaled) &&
            scaled >= min && scaled <= max) {
            *value = scaled;
            return HL_OK;
        }
    } else if (json_is_real(node->value)) {
        double exact = json_real_value(node->value) * (double)scale;

        /* Within +-2^62 the conversion cannot overflow; the bounds of callers are inside. */
        if (fabs(exact) < 0x1p62) {
            scaled = llround(exact);
            if (scaled >= min && scaled <= max) {
                *value = scaled;
                return HL_OK;
            }
        }
    }
    (void)hl_format(expected, sizeof(expected), "a number from %.15g to %.15g",
                    (double)min / (double)scale, (double)max / (double)scale);
    return fail_expected(node, err, expected);
}

enum hl_status hl_json_double(const struct hl_json_node *node, double *value, struct hl_error *err)
{
    if (!json_is_number(node->value))
        return fail_expected(node, err, "a number");
    *value = json_number_value(node->value);
    return HL_OK;
}

enum hl_status hl_json_duration_ns(const struct hl_json_node *node, int64_t min, int64_t max,
                                   int64_t *ns, struct hl_error *err)
{
    char expected[120];
    int64_t parsed = 0;
    bool is_valid = json_is_integer(node->value);

    if (is_valid)
        parsed = json_integer_value(node->value);
    else if (json_is_string(node->value))
        is_valid = hl_parse_duration_ns(json_string_value(node->value), &parsed);
    if (is_valid && parsed >= min && parsed <= max) {
        *ns = parsed;
        return HL_OK;
    }
    (void)snprintf(expected, sizeof(expected),
                   "whole ns or a duration like \"5ms\", from %" PRId64 " to %" PRId64 " ns", min,
                   max);
    return fail_expected(node, err, expected);
}

enum hl_status hl_json_string(const struct hl_json_node *node, size_t min_bytes, size_t max_bytes,
                              const char **text, struct hl_error *err)
{
    char expected[80];
    size_t bytes = json_is_string(node->value) ? json_string_length(node->value) : 0;

    if (json_is_string(node->value) && bytes >= min_bytes && bytes <= max_bytes) {
        *text = json_string_value(node->value);
        return HL_OK;
    }
    (void)snprintf(expected, sizeof(expected), "a string of %zu to %zu bytes", min_bytes,
                   max_bytes);
    return fail_expected(node, err, expected);
}
