/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile_fuzz.c - profiles, and builds made from what they say. covers: src/workload/profile.c
 * src/workload/processes.c src/workload/measured_build.c */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "workload/workload.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int32_t package_first[] = {0, 1}, package_cpu[] = {0};
    const struct machine machine = {.package_count = 1,
                                    .cpu_count = 1,
                                    .package_first = package_first,
                                    .package_cpu = package_cpu};
    struct profile profile = {0};
    struct workload workload = {0};
    struct hl_error err;

    /* A hundred thousand units and a million processes are allowed but slow. */
    if (profile_parse(&profile, "fuzz", (const char *)data, size, &err) == HL_OK &&
        profile.constant[PROFILE_units] <= 1000 && processes_total(&profile.processes) <= 10000) {
        const struct workload_request request = {
            .machine = &machine, .profile = &profile, .level = 3, .seed = 1};

        /* Whatever passes the parser is refused or makes a sound build. */
        if (workload_kernbench(&workload, &request, &err) == HL_OK)
            assert(workload_check(&workload, "fuzz", &err) == HL_OK);
    }
    workload_close(&workload);
    profile_close(&profile);
    return 0;
}
