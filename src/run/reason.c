/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reason.c - texts of reasons that were read from a file or a database.
 *
 * A run record points to the texts of its reasons, and records are copied freely, so a text must
 * outlive them all. There are few different ones: each is kept once, until the process ends. A file
 * can hold any number of them, so the number is bounded.
 */
#include <pthread.h>
#include <string.h>

#include "base/memory.h"
#include "run/run.h"

enum { REASONS_MAX = 4096, REASON_BYTES_MAX = 512 };

static const char too_many[] = "for a reason that is not kept: too many different ones were read";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *kept[REASONS_MAX];
static size_t kept_count;

static const char *keep(const char *reason)
{
    for (size_t i = 0; i < kept_count; i++)
        if (strcmp(kept[i], reason) == 0)
            return kept[i];
    if (kept_count == REASONS_MAX)
        return too_many;
    kept[kept_count] = hl_strdup(reason);
    if (kept[kept_count] == NULL)
        return too_many;
    return kept[kept_count++];
}

const char *run_reason_keep(const char *reason)
{
    char cut[REASON_BYTES_MAX + 1];
    size_t length = strlen(reason);
    const char *same;

    if (length > REASON_BYTES_MAX) {
        length = REASON_BYTES_MAX;
        /* Not in the middle of a letter of several bytes. */
        while (length > 0 && ((unsigned char)reason[length] & 0xc0) == 0x80)
            length--;
    }
    memcpy(cut, reason, length);
    cut[length] = '\0';
    pthread_mutex_lock(&lock);
    same = keep(cut);
    pthread_mutex_unlock(&lock);
    return same;
}
