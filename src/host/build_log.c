/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build_log.c - the one line of a build's output that says why it failed.
 *
 *   core/u0001.c:3:5: error: unknown type name 'foo'        <- this one
 *   make[1]: *** [../rules.mk:12: u0001.o] Error 1
 *   make: *** [Makefile:14: core] Error 2
 *
 * The first complaint is the cause, what follows are consequences; with several jobs other output
 * comes between and after. So lines have ranks, and the first of the best rank counts.
 */
#include "host/build_log.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

enum { LINE_MAX_BYTES = 4096, RANK_NONE = 9 };

static bool has(const char *line, const char *part)
{
    return strstr(line, part) != NULL;
}

/* 0 is the best. */
static int rank_of(const char *line)
{
    bool is_make = has(line, "*** ");

    if (line[strspn(line, " \t\r\n")] == '\0')
        return RANK_NONE;
    if (has(line, "No space left on device"))
        return 0;
    if (has(line, "fatal error:") || has(line, "internal compiler error"))
        return 1;
    if (has(line, "error:") && !has(line, "ld returned") && !has(line, "linker command failed"))
        return 2;
    if (has(line, "undefined reference") || has(line, "multiple definition"))
        return 3;
    if (!is_make &&
        (has(line, "No such file") || has(line, "not found") || has(line, "ermission denied") ||
         has(line, "annot create ") || has(line, "Error:") || has(line, "ERROR")))
        return 4;
    if (is_make && !has(line, "] Error ") && !has(line, "Waiting for unfinished"))
        return 5;
    return is_make ? 6 : 7;
}

/* Copies without escape sequences, control characters and blanks at the ends. */
static void clean_copy(char *to, size_t bytes, const char *from)
{
    size_t used = 0;

    from += strspn(from, " \t");
    for (; *from != '\0' && used + 1 < bytes; from++) {
        unsigned char c = (unsigned char)*from;

        if (c == 0x1b) {
            /* ESC [ numbers letter: a colour. */
            if (from[1] == '[')
                from += 1 + strspn(from + 2, "0123456789;") + (from[2] != '\0');
            if (*from == '\0')
                break;
            continue;
        }
        to[used++] = c < ' ' || c == 0x7f ? ' ' : (char)c;
    }
    /* Bytes 10xxxxxx continue a character of UTF-8; a cut one goes as a whole. */
    if (*from != '\0') {
        while (used > 0 && ((unsigned char)to[used - 1] & 0xc0) == 0x80)
            used--;
        if (used > 0 && ((unsigned char)to[used - 1] & 0xc0) == 0xc0)
            used--;
    }
    while (used > 0 && to[used - 1] == ' ')
        used--;
    to[used] = '\0';
}

void host_log_reason(const char *path, char *line, size_t bytes)
{
    char text[LINE_MAX_BYTES];
    int best = RANK_NONE;
    FILE *file = fopen(path, "re");

    line[0] = '\0';
    if (file == NULL)
        return;
    while (fgets(text, sizeof(text), file) != NULL) {
        int rank = rank_of(text);

        /* Among lines without any sign of trouble the last one is nearest to the end. */
        if (rank < best || (rank == 7 && best == 7)) {
            best = rank;
            clean_copy(line, bytes, text);
        }
    }
    (void)fclose(file);
}
