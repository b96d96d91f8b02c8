/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_text.c - text that need not be UTF-8 in JSON, which must be.
 *
 * Names of files and words of a command line are bytes; files of /proc are what a kernel was given.
 */
#include "base/json.h"

#include <limits.h>
#include <string.h>

#include "base/memory.h"

static json_t *from_latin1(const char *text)
{
    size_t length = strlen(text);
    char *utf8 = hl_alloc(2 * length + 1, 1), *out = utf8;
    json_t *value;

    if (utf8 == NULL)
        return NULL;
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        if (c >= 0x80)
            *out++ = (char)(0xc0 | c >> 6);
        *out++ = (char)(c < 0x80 ? c : 0x80 | (c & 0x3f));
    }
    *out = '\0';
    value = json_string(utf8);
    hl_free(utf8);
    return value;
}

json_t *hl_json_text(const char *text)
{
    json_t *value = json_string(text);

    return value != NULL ? value : from_latin1(text);
}

json_t *hl_json_from_bytes(const char *text)
{
    json_t *value = json_string(text);

    return value != NULL ? value : json_pack("{s:o}", "latin1", from_latin1(text));
}

enum hl_status hl_json_bytes(const struct hl_json_node *node, char **text, struct hl_error *err)
{
    struct hl_json_node latin1 = *node;
    bool is_text = json_is_string(node->value);
    const char *found;
    char *out;

    *text = NULL;
    if (!is_text)
        HL_TRY(hl_json_member(node, "latin1", &latin1, err));
    HL_TRY(hl_json_string(&latin1, 0, INT_MAX, &found, err));
    *text = hl_strdup(found);
    if (*text == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for a text");
    if (is_text)
        return HL_OK;
    out = *text;
    for (const unsigned char *c = (const unsigned char *)found; *c != '\0'; c++) {
        if (*c < 0x80) {
            *out++ = (char)*c;
            continue;
        }
        /* Only U+0080 to U+00FF are bytes: two bytes of UTF-8 that begin with C2 or C3. */
        if ((*c & 0xfe) != 0xc2) {
            hl_free(*text);
            *text = NULL;
            return hl_json_fail(&latin1, err, "found \"%.40s\", expected Latin-1", found);
        }
        *out++ = (char)((*c & 3) << 6 | (c[1] & 0x3f));
        c++;
    }
    *out = '\0';
    return HL_OK;
}
