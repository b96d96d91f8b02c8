/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words_fuzz.c - policies, workloads and loads of the command line.
 * covers: src/policy/registry.c src/workload/loads.c src/workload/workload_options.c
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "policy/policy.h"
#include "workload/workload.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct policy_spec policy;
    const struct workload_info *workload = NULL;
    struct workload_options options;
    struct workload_load loads[WORKLOAD_LOADS_MAX];
    struct hl_error err;
    int count;
    char *text = hl_alloc(size + 1, 1);

    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    if (workload_parse(text, &workload, &options, &err) != HL_OK)
        workload = NULL;
    if (policy_spec_parse(&policy, text, &err) != HL_OK &&
        workload_loads_parse(loads, &count, text, &err) == HL_OK)
        for (int i = 0; i < count; i++)
            (void)workload_load_level(&loads[i], 3, 17);
    hl_free(text);
    return 0;
}
