/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_daemons.c - light kernel daemons beside a build. Assumed: model M17.
 */
#include "workload/kernel_daemons.h"

#include <string.h>

#include "base/memory.h"
#include "base/units.h"

#define RUN_NS    (HL_NS_PER_MS / 5)
#define SLEEP_NS  (50 * HL_NS_PER_MS)
#define SPREAD_NS (100 * HL_NS_PER_MS)
/* A kernel thread's turn: mean of 31,974 (p50 12 us) in a recording of a kernel build. */
#define TURN_NS (20 * HL_NS_PER_US)

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

/* Sleeps between no time and two periods: a period in the mean. */
static enum hl_status add_thread_program(struct workload *w, int64_t per_s, int32_t *program,
                                         struct hl_error *err)
{
    const struct program_step steps[] = {
        {.op = OP_SLEEP, .kind = SLEEP_DEFERRABLE, .spread = 2 * HL_NS_PER_S / per_s},
        {.op = OP_SYSTEM, .amount = TURN_NS},
        {.op = OP_LOOP, .amount = INT64_MAX},
        {.op = OP_EXIT},
    };

    HL_TRY(workload_program(w, "kthread", program, err));
    for (int i = 0; i < HL_COUNT_OF(steps); i++)
        HL_TRY(workload_step(w, &steps[i], err));
    return HL_OK;
}

enum hl_status workload_kernel_threads(struct workload *w, const struct machine *machine,
                                       int64_t per_s, struct hl_rng *rng, struct hl_error *err)
{
    size_t words = (size_t)(machine->cpu_count + 63) / 64;
    int32_t program;

    if (per_s == 0)
        return HL_OK;
    HL_TRY(add_thread_program(w, per_s, &program, err));
    w->cpu_set_words = words;
    HL_TRY(hl_grow(&w->cpu_sets, &w->cpu_set_capacity, (size_t)machine->cpu_count,
                   words * sizeof(*w->cpu_sets), err));
    memset(w->cpu_sets, 0, (size_t)machine->cpu_count * words * sizeof(*w->cpu_sets));
    w->cpu_set_count = (size_t)machine->cpu_count;
    for (int32_t cpu = 0; cpu < machine->cpu_count; cpu++) {
        const struct workload_task task = {
            .program = program,
            .at_ns = (int64_t)hl_rng_below(rng, (uint64_t)(HL_NS_PER_S / per_s)),
            .cpu_set = cpu,
            .start_cpu = cpu,
            .is_kernel = true,
            .background = true,
        };

        w->cpu_sets[(size_t)cpu * words + (size_t)cpu / 64] |= UINT64_C(1) << cpu % 64;
        HL_TRY(workload_add_task(w, &task, err));
    }
    return HL_OK;
}
