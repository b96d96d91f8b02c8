/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.h - profiles: the constants of a simulated workload (profiles/NAME.json,
 * docs/formats.md).
 *
 * Each workload that has constants has a list of its own; a profile is of the kind of one workload
 * and of no use to another.
 */
#ifndef HL_WORKLOAD_PROFILE_H
#define HL_WORKLOAD_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "machine/machine.h"
#include "workload/processes.h"

/*
 * Each list is of one kind. X(name, unit, default, min, max, help); values are int64_t, ratios in
 * ppm. Times are at speed 1.0.
 */

/* kernbench: a kernel build. */
#define PROFILE_CONSTANTS(X)                                                                       \
    X(units, count, 1000, 1, 100000, "compilation units")                                          \
    X(directories, count, 60, 1, 100000,                                                           \
      "make processes, one per directory; at most one per unit")                                   \
    X(work_ns, ns, 300000000000, 1000000, INT64_C(1000000000000000),                               \
      "cpu time of the whole build at speed 1.0, user and system")                                 \
    X(system_share, ppm, 60000, 0, 900000, "part of that time spent in the kernel")                \
    X(serial_head_share, ppm, 20000, 0, 900000,                                                    \
      "part of the work done by the top make alone before anything forks")                         \
    X(serial_tail_share, ppm, 20000, 0, 900000, "the same after everything else: final link")      \
    X(link_share, ppm, 10000, 0, 500000,                                                           \
      "part of the work done by the linkers of the directories, by their number of units")         \
    X(as_share, ppm, 10000, 0, 500000, "part of a unit's compilation done by the assembler")       \
    X(unit_sigma, ppm, 800000, 0, 3000000,                                                         \
      "sigma of the log-normal unit sizes, capped at p0.5 and p99.5")                              \
    X(directory_sigma, ppm, 1000000, 0, 3000000, "the same of the directories' numbers of units")  \
    X(make_start_ns, ns, 30000000, 0, 100000000000, "a directory's make reads its makefiles")      \
    X(make_unit_ns, ns, 2000000, 0, 100000000000, "work of make for each unit, before its shell")  \
    X(shell_ns, ns, 1000000, 0, 100000000000, "work of the shell of a unit")                       \
    X(driver_ns, ns, 1500000, 0, 100000000000, "work of the compiler driver of a unit")            \
    X(tool_ns, ns, 1500000, 0, 100000000000, "work of each of the two short tools after a unit")   \
    X(jobserver_offset, count, 0, 0, 8, "make -jX runs max(1, X - this) compilers")                \
    X(pipe, bool, 1, 0, 1,                                                                         \
      "cc1 feeds as through a pipe while it compiles; else as starts when cc1 has ended")          \
    X(pipe_chunks, count, 10, 1, 1000, "writes of cc1 into that pipe, evenly spread")              \
    X(disk_reads, ppm, 50000, 0, 100000000,                                                        \
      "disk accesses of a unit before cc1, before the page cache: the mean; fractions by chance")  \
    X(disk_temp, ppm, 0, 0, 100000000,                                                             \
      "disk accesses of as for the file between cc1 and it, without a pipe: the mean")             \
    X(disk_head, count, 0, 0, 10000000, "disk accesses of the top make before anything else")      \
    X(disk_tail, count, 0, 0, 10000000, "the same before its final link")                          \
    X(page_cache_hit, ppm, 0, 0, 1000000, "part of all these accesses that needs no disk")         \
    X(daemons, bool, 1, 0, 1, "one light kernel daemon per package: 0.2 ms each 50 to 150 ms")     \
    X(vfork_tail_ns, ns, 0, 0, 1000000000,                                                         \
      "part of a process's time in vfork between its child's birth and its own sleep; of builds "  \
      "with processes")                                                                            \
    X(kernel_threads, count, 0, 0, 10000,                                                          \
      "times a second that a kernel thread comes to a busy cpu for 20 us; of builds with "         \
      "processes")

enum profile_constant {
#define PROFILE_ENUM(name, unit, value, min, max, help) PROFILE_##name,
    PROFILE_CONSTANTS(PROFILE_ENUM)
#undef PROFILE_ENUM
        PROFILE_CONSTANT_COUNT
};

/* buildworld: those of kernbench and, behind them, these. */
#define BUILDWORLD_CONSTANTS(X)                                                                    \
    X(phases, count, 4, 1, 1000,                                                                   \
      "parts of the build, one after the other, with equal numbers of directories")                \
    X(disk_directory, ppm, 0, 0, 1000000000,                                                       \
      "disk accesses of a directory's make before its units: the mean")                            \
    X(system_growth, ppm, 0, 0, 10000000,                                                          \
      "kernel time more with each doubling of the jobs, of that of one job, up to two jobs per "   \
      "cpu")

enum buildworld_constant {
    BUILDWORLD_BEFORE = PROFILE_CONSTANT_COUNT - 1,
#define PROFILE_ENUM(name, unit, value, min, max, help) BUILDWORLD_##name,
    BUILDWORLD_CONSTANTS(PROFILE_ENUM)
#undef PROFILE_ENUM
        BUILDWORLD_CONSTANT_COUNT
};

/* matinv: matrix inversion. Work grows with the third power of the order. */
#define MATINV_CONSTANTS(X)                                                                        \
    X(inversion_ns, ns, 840000000, 1000, 1000000000000,                                            \
      "cpu time of the timed inversion of a matrix of order 1000")                                 \
    X(inversion_serial, ppm, 70000, 0, 1000000, "part of it that one thread does alone")           \
    X(inversion_sections, count, 20, 1, 10000, "parallel sections of an inversion")                \
    X(inversion_merged, ppm, 0, 0, 1000000,                                                        \
      "part of these that are spawn_one: the creator creates one thread fewer and works too; the " \
      "others are spawn_two: it creates all and waits")                                            \
    X(residual_ns, ns, 740000000, 0, 1000000000000,                                                \
      "cpu time of the rest at order 1000: generation and residual check")                         \
    X(residual_sections, count, 1, 1, 10000, "parallel sections of the rest")                      \
    X(residual_merged, ppm, 1000000, 0, 1000000, "part of these that are spawn_one")               \
    X(system_share, ppm, 4000, 0, 900000, "part of all work that is spent in the kernel")

enum matinv_constant {
#define PROFILE_ENUM(name, unit, value, min, max, help) MATINV_##name,
    MATINV_CONSTANTS(PROFILE_ENUM)
#undef PROFILE_ENUM
        MATINV_CONSTANT_COUNT
};

/* rsa: signing. */
#define RSA_CONSTANTS(X)                                                                           \
    X(sign_ns, ns, 2700000, 1000, 100000000000, "cpu time of one signature")                       \
    X(work_ns, ns, 10000000000, 1000000, 100000000000000, "cpu time of each process")

enum rsa_constant {
#define PROFILE_ENUM(name, unit, value, min, max, help) RSA_##name,
    RSA_CONSTANTS(PROFILE_ENUM)
#undef PROFILE_ENUM
        RSA_CONSTANT_COUNT
};

struct profile_kind {
    const char *workload;        /* whose constants these are: "kind" in a file */
    const char *default_profile; /* shipped */
    const struct machine_constant_info *table;
    int count;
};
extern const struct profile_kind profile_kinds[]; /* ends with a NULL workload */
/* NULL: that workload has no constants. */
const struct profile_kind *profile_kind_find(const char *workload);

enum { PROFILE_CONSTANTS_MAX = 64 };

struct profile {
    char name[128];
    char version[32],
        config[64]; /* of the tree that was measured: "6.1", "tinyconfig"; "": not said */
    const struct profile_kind *kind;
    int64_t constant[PROFILE_CONSTANTS_MAX]; /* kind->count of them */
    char *source[PROFILE_CONSTANTS_MAX];
    struct processes processes; /* of a measured build; else {0} */
};

extern const struct machine_constant_info profile_constant_table[PROFILE_CONSTANT_COUNT];

/* A shipped name or a path (has a '/' or ends in .json); "" or NULL: "kernel". Constants that the
 * file does not give have the default of the table and the source "assumed". */
enum hl_status profile_open(struct profile *profile, const char *text,
                            struct hl_error *err) HL_MUST_CHECK;
/* The same for a workload: "" or NULL is its default profile. One of another kind is HL_USAGE. For
 * a workload without constants it stays empty, and none may be given. */
enum hl_status profile_open_for(struct profile *profile, const char *workload, const char *text,
                                struct hl_error *err) HL_MUST_CHECK;
/* The same from text; `name` is for messages. */
enum hl_status profile_parse(struct profile *profile, const char *name, const char *text,
                             size_t bytes, struct hl_error *err) HL_MUST_CHECK;
void profile_close(struct profile *profile);

#endif
