/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine.h - a machine: its topology and its performance constants.
 *
 * Policies and the simulator number cpus 0 .. cpu_count-1 without holes, in ascending order of the
 * operating system's number; `os_id` keeps that number for printing. Siblings are adjacent where
 * the topology says "pack:2 core:1 pu:2" (Linux 2.6 on i386 starts cpus in APIC-id order: spec
 * linux 1.2).
 */
#ifndef HL_MACHINE_MACHINE_H
#define HL_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/status.h"
#include "machine/cpu_list.h"

enum { MACHINE_CPUS_MAX = 4096, MACHINE_THREADS_PER_CORE_MAX = 8 };

/*
 * The performance constants: X(name, unit, default, min, max, help). Values are int64_t in the unit
 * given; "ppm" constants are ratios, written as decimals in files and on the command line.
 * docs/model.md numbers the assumption behind each. Files and --machine-param use these names.
 */
#define MACHINE_CONSTANTS(X)                                                                       \
    X(smt_gain, ppm, 250000, -500000, 2000000,                                                     \
      "extra throughput of a core when a second thread is busy; a third adds half of it, and so "  \
      "on")                                                                                        \
    X(smt_cost, ppm, 10000, 0, 500000, "slowdown of any thread while SMT is switched on at all")   \
    X(smp_cost, ppm, 0, 0, 500000,                                                                 \
      "slowdown of any cpu by a kernel built for several: locked instructions")                    \
    X(speed, ppm, 1000000, 1000, 1000000000,                                                       \
      "speed of a cpu relative to the one profiles are written for")                               \
    X(memory_contention, ppm, 0, 0, 1000000,                                                       \
      "slowdown of a busy core per other busy core of the machine")                                \
    X(memory_streams, ppm, 0, 0, 1000000000,                                                       \
      "tasks of kind memory that a package serves at full speed; more share it; 0: any number")    \
    X(switch_cost_ns, ns, 3000, 0, 1000000000, "context switch, paid by the task switched to")     \
    X(wakeup_cost_ns, ns, 1500, 0, 1000000000, "making a task runnable, paid by the waker")        \
    X(ipi_ns, ns, 2000, 0, 1000000000, "delay until another cpu acts on a request")                \
    X(tick_cost_ns, ns, 1000, 0, 1000000000, "timer interrupt, paid by the running task")          \
    X(fork_cost_ns, ns, 120000, 0, 1000000000,                                                     \
      "fork with its page-table copy, paid by the parent")                                         \
    X(vfork_cost_ns, ns, 40000, 0, 1000000000, "vfork, paid by the parent")                        \
    X(exec_cost_ns, ns, 250000, 0, 1000000000, "exec, paid by the task")                           \
    X(exit_cost_ns, ns, 80000, 0, 1000000000, "exit, paid by the task")                            \
    X(syscall_cost_ns, ns, 800, 0, 1000000000, "pipe read or write, lock, wait, sleep")            \
    X(refill_core_ns, ns, 2000, 0, 1000000000, "cache refill after a move to a sibling thread")    \
    X(refill_package_ns, ns, 50000, 0, 1000000000, "the same to another core of the package")      \
    X(refill_node_ns, ns, 200000, 0, 1000000000, "the same to another package of the node")        \
    X(refill_remote_ns, ns, 300000, 0, 1000000000, "the same to another node")                     \
    X(scan_cost_ns, ns, 20, 0, 1000000, "one run-queue entry looked at by a policy")               \
    X(lock_cost_ns, ns, 100, 0, 1000000, "taking a run-queue lock nobody holds")                   \
    X(l2_bytes, bytes, 524288, 1024, INT64_C(1099511627776),                                       \
      "second-level cache (cache_decay of o1)")                                                    \
    X(disk_latency_ns, ns, 8000000, 0, INT64_C(100000000000), "one disk access")                   \
    X(disk_queue_depth, count, 1, 1, 65536, "disk accesses served at the same time")

/*
 * Kinds of work besides the usual one (compilers, makes, daemons): X(kind, help). What a second thread adds differs
 * per kind: smt_gain.KIND in files and on the command line, -1: as smt_gain.
 */
#define MACHINE_KINDS(X)                                                                           \
    X(memory, "smt_gain of work that waits for memory; it shares memory_streams; -1: as smt_gain") \
    X(float, "smt_gain of floating-point work; -1: as smt_gain")                                   \
    X(server, "smt_gain of short requests and replies; -1: as smt_gain")

enum machine_kind { /* program_step.kind */
                    MACHINE_KIND_usual,
#define MACHINE_KIND_ENUM(kind, help) MACHINE_KIND_##kind,
                    MACHINE_KINDS(MACHINE_KIND_ENUM)
#undef MACHINE_KIND_ENUM
                        MACHINE_KIND_COUNT
};

/* The name of a kind as scenario files write it: "usual", "memory". */
const char *machine_kind_name(enum machine_kind kind);

enum machine_constant {
#define MACHINE_ENUM(name, unit, value, min, max, help) MACHINE_##name,
    MACHINE_CONSTANTS(MACHINE_ENUM)
#undef MACHINE_ENUM
#define MACHINE_GAIN_ENUM(kind, help) MACHINE_smt_gain_##kind,
        MACHINE_KINDS(MACHINE_GAIN_ENUM)
#undef MACHINE_GAIN_ENUM
            MACHINE_CONSTANT_COUNT
};

struct machine_constant_info {
    const char *name, *unit, *help;
    int64_t value, min, max;
};
extern const struct machine_constant_info machine_constant_table[MACHINE_CONSTANT_COUNT];

struct machine_cpu {
    int32_t os_id;
    int32_t core, package, node, llc; /* indices from 0, dense */
    int32_t thread;                   /* place within its core: 0, 1, ... */
    int32_t capacity;                 /* speed relative to the fastest cpu, in 1/1024 */
};

enum machine_distance { /* how far a task moved */
                        MACHINE_SAME_CPU,
                        MACHINE_SAME_CORE,
                        MACHINE_SAME_PACKAGE,
                        MACHINE_SAME_NODE,
                        MACHINE_REMOTE_NODE,
                        MACHINE_DISTANCE_COUNT
};

struct machine {
    char name[128];     /* shipped name, file or topology, as the user gave it */
    char topology[256]; /* hwloc synthetic form, or a print-out of the discovered one */
    int32_t cpu_count, core_count, package_count, node_count, llc_count;
    struct machine_cpu *cpu; /* by cpu */
    int32_t *core_first;     /* by core, core_count + 1 entries: where its cpus start in core_cpu */
    int32_t *core_cpu;       /* by place: cpus of core 0, of core 1, ...; ascending within a core */
    int32_t *package_first, *package_cpu; /* the same for packages */
    int32_t *node_first, *node_cpu;       /* the same for nodes */
    int64_t constant[MACHINE_CONSTANT_COUNT];
    char *source[MACHINE_CONSTANT_COUNT]; /* "spec", "published", "assumed", "fitted:CELLS", "given"
                                           */
    char *note[MACHINE_CONSTANT_COUNT];   /* of the machine file; NULL: none */
    char *about;                          /* what the machine file says it is; NULL: no file */
    bool has_smt;                         /* some core has more than one thread */
};

/*
 * Opens a machine by what the user wrote: "host", "smp:CPUS", "smt:CORESxTHREADS", a shipped name
 * ("xeon-2phys-ht"), a path to a machine file (contains '/' or ends in .json) or hwloc XML (.xml),
 * or an hwloc synthetic string (has a ':'). An unknown name is HL_USAGE and lists near ones. On
 * failure *m is zeroed. Closing is safe on a zeroed machine.
 */
enum hl_status machine_open(struct machine *m, const char *text,
                            struct hl_error *err) HL_MUST_CHECK;

/* "KEY=VALUE" of --machine-param: a constant of the table, or topology=SYNTHETIC (constants stay).
 */
enum hl_status machine_set(struct machine *m, const char *assignment,
                           struct hl_error *err) HL_MUST_CHECK;

/* One constant by name; the text in the unit of the table (ppm as decimal, ns also as "3us"). */
enum hl_status machine_set_constant(struct machine *m, const char *name, const char *text,
                                    const char *source, struct hl_error *err) HL_MUST_CHECK;

/* Replaces the topology by an hwloc synthetic string; constants and name stay. */
enum hl_status machine_set_topology(struct machine *m, const char *synthetic,
                                    struct hl_error *err) HL_MUST_CHECK;

void machine_close(struct machine *m);

/* A package may hold several nodes: a move between them is one within the package. */
static inline enum machine_distance machine_distance(const struct machine *m, int from_cpu,
                                                     int to_cpu)
{
    const struct machine_cpu *from = &m->cpu[from_cpu], *to = &m->cpu[to_cpu];

    if (from_cpu == to_cpu)
        return MACHINE_SAME_CPU;
    if (from->core == to->core)
        return MACHINE_SAME_CORE;
    if (from->package == to->package)
        return MACHINE_SAME_PACKAGE;
    return from->node == to->node ? MACHINE_SAME_NODE : MACHINE_REMOTE_NODE;
}

/* The farthest of some cpus from the first of them: what balancing among them spans. */
static inline enum machine_distance machine_span(const struct machine *m, const int32_t *cpus,
                                                 int32_t count)
{
    enum machine_distance span = MACHINE_SAME_CPU;

    for (int32_t i = 1; i < count; i++) {
        enum machine_distance distance = machine_distance(m, cpus[0], cpus[i]);

        span = distance > span ? distance : span;
    }
    return span;
}

/* Number of threads of the core of `cpu`, and of its package. */
static inline int machine_core_size(const struct machine *m, int cpu)
{
    return m->core_first[m->cpu[cpu].core + 1] - m->core_first[m->cpu[cpu].core];
}

static inline int machine_package_size(const struct machine *m, int cpu)
{
    return m->package_first[m->cpu[cpu].package + 1] - m->package_first[m->cpu[cpu].package];
}

/* ---- this machine, or the one that the sysroot describes ---- */

enum machine_host_limit { MACHINE_LIMIT_ONLINE, MACHINE_LIMIT_ALLOWED, MACHINE_LIMIT_QUOTA };

struct machine_host_cpus {
    int32_t online_count;  /* of the whole machine */
    int32_t allowed_count; /* online and in this process's affinity */
    int64_t quota_ppm;     /* cpus by cgroup quota, the least of all levels, v1 and v2; 0: none */
    int32_t
        usable_count; /* max(1, min(allowed, quota rounded up)); sets kernbench's symbolic loads */
    enum machine_host_limit limit;          /* which of the three set it */
    struct machine_cpu_set online, allowed; /* by the system's numbers */
};

enum hl_status machine_host_cpus_read(struct machine_host_cpus *cpus,
                                      struct hl_error *err) HL_MUST_CHECK;

/* "1.5", of 0 "none". */
enum { MACHINE_QUOTA_BYTES = 48 };
const char *machine_quota_print(int64_t quota_ppm, char text[static MACHINE_QUOTA_BYTES]);

/* "host 64, allowed 4, quota 1.5: 2 usable, set by the quota, rounded up"; no quota is "none". */
void machine_host_cpus_print(const struct machine_host_cpus *cpus, char *text, size_t bytes);

/* usable_count alone. */
enum hl_status machine_host_usable_cpus(int *count, struct hl_error *err) HL_MUST_CHECK;

/*
 * Visits the control groups that govern our cpu time: our own and all above it, of each mounted
 * hierarchy. `folder` is a system path, for hl_sysroot_read. Ends early with a status that is not
 * HL_OK.
 */
typedef enum hl_status machine_cpu_group_visitor(const char *folder, bool is_v2, void *context,
                                                 struct hl_error *err);
enum hl_status machine_cpu_groups_visit(machine_cpu_group_visitor *visit, void *context,
                                        struct hl_error *err) HL_MUST_CHECK;

/* The names of the shipped machines (base/data_dir.h says where they are), sorted, ends with NULL;
 * freed with hl_data_list_close. Beside them there are always host, smp:CPUS, smt:CORESxTHREADS and
 * synthetic strings. */
enum hl_status machine_list(char ***names, struct hl_error *err) HL_MUST_CHECK;

static inline int64_t machine_constant(const struct machine *m, enum machine_constant c)
{
    return m->constant[c];
}

#endif
