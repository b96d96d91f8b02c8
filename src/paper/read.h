/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * read.h - what the readers of a paper file share; not for other rooms.
 */
#ifndef HL_PAPER_READ_H
#define HL_PAPER_READ_H

#include "base/json.h"
#include "paper/paper.h"

enum hl_status paper_read_text(const struct hl_json_node *node, char *into, size_t bytes,
                               struct hl_error *err) HL_MUST_CHECK;
enum hl_status paper_read_member_text(const struct hl_json_node *object, const char *key,
                                      char *into, size_t bytes, struct hl_error *err) HL_MUST_CHECK;

/* Place of the word of `node` in known[count]. */
enum hl_status paper_read_word(const struct hl_json_node *node, const char *kind,
                               const char *const *known, int count, int *place,
                               struct hl_error *err) HL_MUST_CHECK;

/* An array that must be there and have 1 to `max` items. */
enum hl_status paper_read_array(const struct hl_json_node *object, const char *key, size_t max,
                                struct hl_json_node *array, size_t *count,
                                struct hl_error *err) HL_MUST_CHECK;

/* An array of 1 to `max` different words; their places in known[known_count] to `places`. */
enum hl_status paper_read_places(const struct hl_json_node *object, const char *key,
                                 const char *kind, const char *const *known, int known_count,
                                 int max, int *places, int *count,
                                 struct hl_error *err) HL_MUST_CHECK;

/* Labels name things, so no two may be equal. */
enum hl_status paper_check_new_label(const struct hl_json_node *node, const char *label,
                                     const char *other, struct hl_error *err) HL_MUST_CHECK;

/* "ratios" of the file, if it has any; rows, loads, metrics and cells are there. In ratio.c. */
enum hl_status paper_read_ratios(struct paper *paper, const struct hl_json_node *root,
                                 struct hl_error *err) HL_MUST_CHECK;

#endif
