/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tool_output_fuzz.c - output of halfload-matinv and openssl, and a prefix split as a shell would: all
 * three readers take the same text.
 * covers: src/host/tool_output.c src/host/words.c
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "host/tool_output.h"
#include "host/words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = hl_alloc(size + 1, 1), found[160] = "", **words = NULL;
    struct host_matinv_figures matinv;
    struct host_rsa_figures rsa;
    size_t count = 0, capacity = 0;

    assert(text != NULL);
    memcpy(text, data, size);
    if (host_matinv_read(text, &matinv, found, sizeof(found)))
        assert(matinv.total.mflops > 0 && matinv.row_count <= HOST_MATINV_ROWS_MAX);
    if (host_rsa_read(text, &rsa, found, sizeof(found)))
        assert(rsa.signs_per_s > 0 && rsa.verifies_per_s > 0);
    if (host_words_split(&words, &count, &capacity, text, "prefix", NULL) == HL_OK)
        assert(words[count] == NULL);
    host_words_free(words, count);
    hl_free(text);
    return 0;
}
