/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * read.c - texts, words and lists of a paper file, with errors that say where.
 */
#include "paper/read.h"

#include <string.h>

#include "base/text.h"

enum hl_status paper_read_text(const struct hl_json_node *node, char *into, size_t bytes,
                               struct hl_error *err)
{
    const char *text;

    HL_TRY(hl_json_string(node, 1, bytes - 1, &text, err));
    memcpy(into, text, strlen(text) + 1);
    return HL_OK;
}

enum hl_status paper_read_member_text(const struct hl_json_node *object, const char *key,
                                      char *into, size_t bytes, struct hl_error *err)
{
    struct hl_json_node member;

    HL_TRY(hl_json_member(object, key, &member, err));
    return paper_read_text(&member, into, bytes, err);
}

enum hl_status paper_read_word(const struct hl_json_node *node, const char *kind,
                               const char *const *known, int count, int *place,
                               struct hl_error *err)
{
    const char *word, *near;

    HL_TRY(hl_json_string(node, 1, 256, &word, err));
    for (*place = 0; *place < count; ++*place)
        if (strcmp(known[*place], word) == 0)
            return HL_OK;
    near = hl_nearest_word(word, known, count);
    if (near == NULL)
        return hl_json_fail(node, err, "unknown %s \"%s\"", kind, word);
    return hl_json_fail(node, err, "unknown %s \"%s\"; did you mean \"%s\"?", kind, word, near);
}

enum hl_status paper_read_array(const struct hl_json_node *object, const char *key, size_t max,
                                struct hl_json_node *array, size_t *count, struct hl_error *err)
{
    HL_TRY(hl_json_member(object, key, array, err));
    HL_TRY(hl_json_array(array, count, err));
    if (*count < 1 || *count > max)
        return hl_json_fail(array, err, "found %zu items, expected 1 to %zu", *count, max);
    return HL_OK;
}

enum hl_status paper_read_places(const struct hl_json_node *object, const char *key,
                                 const char *kind, const char *const *known, int known_count,
                                 int max, int *places, int *count, struct hl_error *err)
{
    struct hl_json_node array;
    size_t items;

    HL_TRY(paper_read_array(object, key, (size_t)max, &array, &items, err));
    for (*count = 0; *count < (int)items; ++*count) {
        struct hl_json_node item = hl_json_item(&array, (size_t)*count);

        HL_TRY(paper_read_word(&item, kind, known, known_count, &places[*count], err));
        for (int i = 0; i < *count; i++)
            HL_TRY(paper_check_new_label(&item, known[places[*count]], known[places[i]], err));
    }
    return HL_OK;
}

enum hl_status paper_check_new_label(const struct hl_json_node *node, const char *label,
                                     const char *other, struct hl_error *err)
{
    if (strcmp(label, other) == 0)
        return hl_json_fail(node, err, "\"%s\" stands here twice", label);
    return HL_OK;
}
