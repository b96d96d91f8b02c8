/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.h - text into words as a shell splits it, without running or expanding anything.
 */
#ifndef HL_HOST_WORDS_H
#define HL_HOST_WORDS_H

#include <stddef.h>

#include "base/status.h"

/*
 * Blanks separate words; '...', "..." and backslash quote as in sh. What a shell would act on
 * ($ ` outside of '...', and unquoted | & ; < > ( ) # * ? [ ~ or a newline) is HL_USAGE: it would be
 * taken literally here and mean something else. Words are added to *words with hl_grow and end with
 * NULL; the caller frees each and the list. `what` is for messages: "prefix".
 */
enum hl_status host_words_split(char ***words, size_t *count, size_t *capacity, const char *text,
                                const char *what, struct hl_error *err) HL_MUST_CHECK;
void host_words_free(char **words, size_t count);

#endif
