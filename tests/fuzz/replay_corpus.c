/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay_corpus.c - plays the files of a folder through a fuzz target, without a fuzzer.
 *
 *     NAME_fuzz FOLDER|FILE...
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    char *text = NULL, *exact;
    size_t bytes = 0;
    struct hl_error err;

    if (hl_read_file(path, 1 << 24, &text, &bytes, &err) != HL_OK) {
        (void)fprintf(stderr, "%s\n", err.text);
        return 0;
    }
    /* A block of exactly this size, as libFuzzer gives it: reading past the end is then seen. */
    exact = hl_alloc(bytes, 1);
    if (exact != NULL) {
        memcpy(exact, text, bytes);
        (void)LLVMFuzzerTestOneInput((const uint8_t *)exact, bytes);
    }
    hl_free(exact);
    hl_free(text);
    return 1;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int replay_folder(const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, is_visible, alphasort), played = 0;

    if (count < 0)
        return replay_file(path);
    for (int i = 0; i < count; i++) {
        char file[4096];

        (void)snprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name);
        played += replay_file(file);
        free(entries[i]);
    }
    free(entries);
    return played;
}

int main(int argc, char **argv)
{
    int played = 0;

    for (int i = 1; i < argc; i++)
        played += replay_folder(argv[i]);
    printf("%d inputs\n", played);
    return played > 0 ? 0 : 1;
}
