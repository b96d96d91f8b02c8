/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json.h - reads JSON files strictly: every complaint names the file and the place.
 *
 * Syntax:  "FILE:LINE: ...".  Meaning: "FILE: /json/pointer: found X, expected Y".
 * A node is a value together with its way there, so that the pointer is only spelled out when
 * something is wrong:
 *
 *     struct hl_json file = {0};
 *     struct hl_json_node root, gain;
 *     HL_TRY(hl_json_open(&file, path, 1 << 20, err));
 *     root = hl_json_root(&file);
 *     status = hl_json_member(&root, "gain", &gain, err);
 *     if (status == HL_OK) status = hl_json_decimal(&gain, HL_PPM, 0, 2 * HL_PPM, &gain_ppm, err);
 *     hl_json_close(&file);
 *
 * A node points to its parent node and to keys of the file: both must outlive it.
 */
#ifndef HL_BASE_JSON_H
#define HL_BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct hl_json {
    char *name; /* of the file, for messages */
    json_t *root;
};

struct hl_json_node {
    const char *file;
    const struct hl_json_node *parent; /* NULL at the top */
    const char *key;                   /* in an object; NULL in an array */
    size_t index;                      /* in an array */
    json_t *value;
};

/* Reads a file; fails on more than max_bytes, on syntax errors and on repeated keys. */
enum hl_status hl_json_open(struct hl_json *file, const char *path, size_t max_bytes,
                            struct hl_error *err) HL_MUST_CHECK;
/* The same from text[bytes]; `name` is for messages. */
enum hl_status hl_json_parse(struct hl_json *file, const char *name, const char *text, size_t bytes,
                             struct hl_error *err) HL_MUST_CHECK;
void hl_json_close(struct hl_json *file); /* safe on zeroed */

struct hl_json_node hl_json_root(const struct hl_json *file);

/* "FILE: /pointer: " and then the message. */
enum hl_status hl_json_fail(const struct hl_json_node *node, struct hl_error *err,
                            const char *format, ...) HL_PRINTF(3, 4) HL_MUST_CHECK;

/* "FILE: /pointer", for messages that are made elsewhere. */
void hl_json_where(const struct hl_json_node *node, char *text, size_t bytes);

/* hl_fail_unknown at this place. */
enum hl_status hl_json_fail_unknown(const struct hl_json_node *node, struct hl_error *err,
                                    const char *kind, const char *word, const char *const *known,
                                    int known_count) HL_MUST_CHECK;

/* True if `object` is an object with this key. */
bool hl_json_has(const struct hl_json_node *object, const char *key);

/* The value of a key that must be there. */
enum hl_status hl_json_member(const struct hl_json_node *object, const char *key,
                              struct hl_json_node *member, struct hl_error *err) HL_MUST_CHECK;
/* The same, but an absent key is not an error: member->value is NULL then. */
enum hl_status hl_json_member_if_any(const struct hl_json_node *object, const char *key,
                                     struct hl_json_node *member,
                                     struct hl_error *err) HL_MUST_CHECK;

/* Fails on a node that is no object. */
enum hl_status hl_json_object(const struct hl_json_node *node, struct hl_error *err) HL_MUST_CHECK;

/* Fails on a node that is no object, or that has a key outside known[count]. */
enum hl_status hl_json_check_keys(const struct hl_json_node *object, const char *const *known,
                                  int count, struct hl_error *err) HL_MUST_CHECK;

/* Walks an object in the order of the file; start with *iterator NULL, ends with false. */
bool hl_json_next_member(const struct hl_json_node *object, void **iterator,
                         struct hl_json_node *member);

/* Number of items of an array. */
enum hl_status hl_json_array(const struct hl_json_node *array, size_t *count,
                             struct hl_error *err) HL_MUST_CHECK;
struct hl_json_node hl_json_item(const struct hl_json_node *array,
                                 size_t index); /* index < count */

enum hl_status hl_json_bool(const struct hl_json_node *node, bool *value,
                            struct hl_error *err) HL_MUST_CHECK;
enum hl_status hl_json_int(const struct hl_json_node *node, int64_t min, int64_t max,
                           int64_t *value, struct hl_error *err) HL_MUST_CHECK;
/* A number, rounded to an integer in units of 1/scale; min and max are in these units too. */
enum hl_status hl_json_decimal(const struct hl_json_node *node, int64_t scale, int64_t min,
                               int64_t max, int64_t *value, struct hl_error *err) HL_MUST_CHECK;
enum hl_status hl_json_double(const struct hl_json_node *node, double *value,
                              struct hl_error *err) HL_MUST_CHECK;
/* Whole nanoseconds as a number, or a string with a unit such as "5ms". */
enum hl_status hl_json_duration_ns(const struct hl_json_node *node, int64_t min, int64_t max,
                                   int64_t *ns, struct hl_error *err) HL_MUST_CHECK;
/* The string is owned by the file. Never empty unless min_bytes is 0. */
enum hl_status hl_json_string(const struct hl_json_node *node, size_t min_bytes, size_t max_bytes,
                              const char **text, struct hl_error *err) HL_MUST_CHECK;

/* ---- writing ---- */

/* Text of any bytes as a JSON string: as it is if it is UTF-8, else each byte as the character of
 * that number (Latin-1). NULL when out of memory. */
json_t *hl_json_text(const char *text);
/* The same, so that hl_json_bytes finds which it was: text that is no UTF-8 is {"latin1": "..."}. */
json_t *hl_json_from_bytes(const char *text);
/* What hl_json_from_bytes was given; freed by the caller. */
enum hl_status hl_json_bytes(const struct hl_json_node *node, char **text,
                             struct hl_error *err) HL_MUST_CHECK;

#endif
