/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * buildworld.c - make -jX buildworld of FreeBSD: a build in phases, directory by directory.
 *
 * The tree is build_tree.c's with three differences. The phases (tools, libraries, programs ...)
 * follow each other, each with its piece of the serial head before it. Within a phase the makes of
 * the directories run one after the other, as FreeBSD's makefiles enter them, so that -jX is shared
 * by the units of one directory: while its make starts, at its end and while it links, cpus have
 * nothing to do. And its make reads makefiles and sources from the disk (preread=y: they were read
 * before, and the disk is not used at all).
 *
 * Kernel time grows with the logarithm of the number of jobs (system_growth), whatever the scheduler:
 * more processes contend for the kernel's other locks. That form is assumed, and that it ends at two
 * jobs per cpu, beyond which nothing is published.
 *
 * The object tree is removed before, so that every unit is compiled. cc1 and as run at the same
 * time, joined by a pipe (-pipe).
 *
 * Source: spec freebsd 7.2, directories with barriers and serial parts. That one directory is entered
 *         at a time is assumed, as bsd.subdir.mk of that time does it; numbers and sizes are fitted
 *         (profiles/buildworld-*.json).
 * Omits:  dependencies, tools that are built and then used, writing of the objects to the disk.
 */
#include <assert.h>
#include <string.h>

#include "base/units.h"
#include "workload/build_tree.h"
#include "workload/shares.h"

__extension__ typedef unsigned __int128 u128;

enum { OPTION_PREREAD };

const struct workload_option_info workload_buildworld_options[] = {
    [OPTION_PREREAD] = {.name = "preread",
                        .type = OPTION_BOOL,
                        .default_text = "n",
                        .help = "all sources were read before: the disk is not used"},
    {.name = NULL},
};

/* log2(n) in ppm. The fraction comes bit by bit: squaring doubles it. */
static int64_t log2_ppm(int64_t n)
{
    int whole = 63 - __builtin_clzll((unsigned long long)n);
    uint64_t x = (uint64_t)n << (62 - whole); /* in [1, 2), of 2^62 */
    int64_t log = whole * HL_PPM, bit = HL_PPM;

    while ((bit /= 2) > 0) {
        x = (uint64_t)((u128)x * x >> 62);
        if (x >= UINT64_C(1) << 63) {
            x >>= 1;
            log += bit;
        }
    }
    return log;
}

/* More kernel time, and so much more work. */
static void grow_system(int64_t *c, int64_t growth_ppm, int64_t jobs)
{
    int64_t work_ns = c[PROFILE_work_ns];
    int64_t system_ns = workload_share(work_ns, c[PROFILE_system_share]);
    int64_t more_ns = workload_share(system_ns, workload_share(growth_ppm, log2_ppm(jobs)));

    c[PROFILE_work_ns] += more_ns;
    c[PROFILE_system_share] = workload_scaled(system_ns + more_ns, HL_PPM, c[PROFILE_work_ns]);
}

enum hl_status workload_buildworld(struct workload *w, const struct workload_request *request,
                                   struct hl_error *err)
{
    const int64_t *given = request->profile->constant;
    const struct workload_options *o = request->options;
    const int64_t jobs_max = 2 * (int64_t)request->machine->cpu_count;
    int64_t c[PROFILE_CONSTANT_COUNT];
    struct build_tree_shape shape = {
        .stream = "workload/buildworld",
        .constant = c,
        .phases = given[BUILDWORLD_phases],
        .one_directory = true,
        .disk_directory_ppm = given[BUILDWORLD_disk_directory],
    };

    assert(request->level >= 0);
    memcpy(c, given, sizeof(c));
    if (o != NULL && o->value[OPTION_PREREAD].first != 0)
        c[PROFILE_page_cache_hit] = HL_PPM;
    grow_system(c, given[BUILDWORLD_system_growth],
                request->level > 0 ? HL_MIN(request->level, jobs_max) : jobs_max);
    return build_tree_fill(w, request, &shape, err);
}
