/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_daemons.c - light kernel daemons beside a build. Assumed: model M17.
 */
#include "workload/kernel_daemons.h"

#include "base/units.h"

#define RUN_NS    (HL_NS_PER_MS / 5)
#define SLEEP_NS  (50 * HL_NS_PER_MS)
#define SPREAD_NS (100 * HL_NS_PER_MS)

enum hl_status workload_kernel_daemons(struct workload *w, const struct machine *machine,
                                       struct hl_rng *rng, struct hl_error *err)
{
    static const struct program_step steps[] = {
        {.op = OP_SYSTEM, .amount = RUN_NS},
        {.op = OP_SLEEP, .amount = SLEEP_NS, .spread = SPREAD_NS},
        {.op = OP_LOOP, .amount = INT64_MAX},
        {.op = OP_EXIT},
    };
    int32_t program;

    HL_TRY(workload_program(w, "kdaemon", &program, err));
    for (int i = 0; i < HL_COUNT_OF(steps); i++)
        HL_TRY(workload_step(w, &steps[i], err));
    for (int32_t p = 0; p < machine->package_count; p++) {
        const struct workload_task task = {
            .program = program,
            /* Anywhere in their period when the build starts. */
            .at_ns = (int64_t)hl_rng_below(rng, (uint64_t)SPREAD_NS),
            .cpu_set = -1,
            .start_cpu = machine->package_cpu[machine->package_first[p]],
            .is_kernel = true,
            .background = true,
        };

        HL_TRY(workload_add_task(w, &task, err));
    }
    return HL_OK;
}
