/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command_text.c - a command line as one would type it again.
 */
#include <string.h>

#include "base/memory.h"
#include "cli/cli.h"

static bool is_plain(const char *word)
{
    return word[0] != '\0' &&
           word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                             "0123456789_./=:,+@%-")] == '\0';
}

/* Appends a word; in quotes as sh knows them if it needs them. */
static char *append(char *out, const char *word)
{
    if (is_plain(word))
        return stpcpy(out, word);
    *out++ = '\'';
    for (; *word != '\0'; word++)
        if (*word == '\'')
            out = stpcpy(out, "'\\''");
        else
            *out++ = *word;
    *out++ = '\'';
    return out;
}

enum hl_status cli_command_text(int word_count, char *const *words, char **text,
                                struct hl_error *err)
{
    size_t bytes = 1;
    char *out;

    for (int i = 0; i < word_count; i++)
        bytes += 4 * strlen(words[i]) + 3;
    *text = out = hl_alloc(bytes, 1);
    if (out == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the command line");
    /* The first word is "halfload VERB". */
    out = stpcpy(out, words[0]);
    for (int i = 1; i < word_count; i++) {
        *out++ = ' ';
        out = append(out, words[i]);
    }
    *out = '\0';
    return HL_OK;
}
