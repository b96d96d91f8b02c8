/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * golden_fuzz.c - records of real kernels, read and written as the scenario that plays them.
 * covers: src/study/golden_read.c src/study/golden_machine.c src/study/golden_keys.c
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "study/golden.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_near(const struct hl_json_node *key, const char *near)
{
    char where[64];

    hl_json_where(key, where, sizeof(where));
    assert(strcmp(key->key, near) != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct golden *g = hl_alloc(1, sizeof(*g));
    struct hl_json file = {0};
    struct hl_json_node root, list;
    struct hl_error err;
    size_t count = 0;
    enum hl_status status = hl_json_parse(&file, "fuzz", (const char *)data, size, &err);

    if (g != NULL && status == HL_OK) {
        root = hl_json_root(&file);
        golden_find_typos(&root, check_near);
        status = hl_json_member(&root, "workloads", &list, &err);
        if (status == HL_OK)
            status = hl_json_array(&list, &count, &err);
        for (size_t i = 0; i < count && status == HL_OK; i++) {
            struct hl_json_node node = hl_json_item(&list, i);

            status = golden_read(g, &root, &node, &err);
            if (status == HL_OK)
                status = golden_check(g, &err);
        }
    }
    hl_json_close(&file);
    hl_free(g);
    return 0;
}
