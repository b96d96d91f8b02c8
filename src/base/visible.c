/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * visible.c - escapes of what a terminal would obey.
 */
#include "base/visible.h"

#include <stdbool.h>
#include <string.h>

#include "base/format.h"

size_t hl_utf8_bytes(const char *start)
{
    const unsigned char *text = (const unsigned char *)start;
    size_t bytes = text[0] < 0x80   ? 1
                   : text[0] < 0xc2 ? 0
                   : text[0] < 0xe0 ? 2
                   : text[0] < 0xf0 ? 3
                                    : 4;

    if (text[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < bytes; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    /* Longer than needed, surrogates, beyond U+10FFFF. */
    if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
        (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f))
        return 0;
    return bytes;
}

/* ESC and the like, also those of 0x80 to 0x9f, in UTF-8 C2 80 to C2 9F (ISO 6429). */
static bool is_control(const unsigned char *text)
{
    return text[0] < ' ' || text[0] == 0x7f || (text[0] == 0xc2 && text[1] < 0xa0);
}

char *hl_visible(char *visible, size_t bytes, const char *text)
{
    size_t used = 0;

    while (*text != '\0') {
        size_t length = hl_utf8_bytes(text);
        char escape[8];

        if (length > 0 && !is_control((const unsigned char *)text)) {
            if (used + length >= bytes)
                break;
            memcpy(visible + used, text, length);
            used += length;
            text += length;
            continue;
        }
        if (*text == '\n' || *text == '\r' || *text == '\t')
            (void)hl_format(escape, sizeof(escape), "\\%c",
                            *text == '\n'   ? 'n'
                            : *text == '\r' ? 'r'
                                            : 't');
        else
            (void)hl_format(escape, sizeof(escape), "\\x%02x", (unsigned)(unsigned char)*text);
        if (used + strlen(escape) >= bytes)
            break;
        memcpy(visible + used, escape, strlen(escape));
        used += strlen(escape);
        /* The first byte of a control character of two is enough to disarm it. */
        text++;
    }
    visible[used] = '\0';
    return visible;
}
