/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenario_fuzz.c - scenario files. covers: src/workload/scenario.c src/workload/scenario_words.c src/workload/scenario_tasks.c src/workload/scenario_steps.c src/workload/scenario_expect.c src/workload/program_bounds.c */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "workload/scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct scenario scenario = {0};
    struct hl_error err;
    char *text = hl_alloc(size + 1, 1);

    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    /* A machine may be any file, or this computer: not those of whoever runs this. */
    if (strpbrk(text, "/") == NULL && strstr(text, ".json") == NULL &&
        strstr(text, ".xml") == NULL && strstr(text, "host") == NULL)
        (void)!scenario_parse(&scenario, "fuzz", text, &err);
    scenario_close(&scenario);
    hl_free(text);
    return 0;
}
