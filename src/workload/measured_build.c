/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measured_build.c - a build with the processes that were counted in a real one.
 *
 *     make              compiles the smallest units one after another: tests of the compiler
 *       sh ...          and its other children
 *       make            one per directory with units; at most k at once
 *         sh, mkdir ... what it forks before the units, one after another, each with a job slot
 *         sh            a unit: takes one of k slots
 *           gcc         vforks cc1, then as
 *           rm, nm ...  what a unit's shell forks, one after another
 *     make              compiles a few more small units one after another
 *
 * Source:  the profile's tables (docs/formats.md). Each name occurs as often as counted, with cpu
 *          times spaced evenly through its quantiles; only cc1 takes what the others leave of
 *          work_ns, shared out by its table.
 * Sizes:   a larger unit has a larger gcc and as, a larger directory a larger make, and units have
 *          the largest shells. Other processes are spread evenly over the units and have one of 64
 *          sizes of their table. Sizes are the same for every seed; it decides the order of units
 *          and directories.
 * Costs:   measured times include fork, exec and exit, so what the machine charges for these is
 *          taken off, down to nothing.
 * Vforks:  a parent goes on for vfork_tail_ns after its child's birth. Under EEVDF it then owes a
 *          little when it sleeps, stays queued, and preempts its child at the exec, as in recordings.
 * Kernel:  a thread pinned to each cpu comes there kernel_threads times a second while it is busy.
 * Omits:   deeper nesting of makes, dependencies, what runs beside what in a unit's shell; the second
 *          of a real start in which two or three processes can run: it counts as parallel.
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/units.h"
#include "workload/kernel_daemons.h"
#include "workload/lognormal.h"
#include "workload/shares.h"
#include "workload/workload.h"

enum { SIZES_OF_OTHERS = 64, TASKS_OF_UNIT = 4, PIPE_CHUNK_BYTES = 4096 };

enum pool { POOL_MAKE, POOL_JOB, POOL_COUNT };

/* Processes of one name without a place of their own. */
struct others {
    const struct process_kind *kind;
    int64_t count;   /* the smallest so many of the kind */
    int32_t sizes;   /* programs */
    int32_t program; /* the first; they are in ascending order of size */
    int64_t used;    /* for taking turns */
};

struct unit {
    int64_t shell_ns, driver_ns, as_ns, cc1_ns; /* as_ns -1: no as */
};

struct measured {
    struct workload *w;
    const struct profile *profile;
    const int64_t *constant;
    struct hl_rng rng;
    enum hl_status status; /* of the steps put so far */
    struct hl_error *err;
    int64_t exec_exit_ns, fork_ns; /* the machine's */
    int64_t unit_count, directory_count, head_count, tail_count;
    struct others others[PROCESS_KINDS_MAX];
    int others_count;
    struct unit *units;      /* ascending by size until shuffled */
    int64_t *directory_size; /* units; ascending until shuffled */
    int32_t *directory_rank; /* by place: which one it is by size */
    int32_t *makes, *shells; /* programs of directories and of units */
};

/* The part of `count` things that falls to the index-th of `of` places. */
static int64_t part_of(int64_t count, int64_t index, int64_t of)
{
    return workload_scaled(count, index + 1, of) - workload_scaled(count, index, of);
}

/* What is left to compute for a process that takes `cpu_ns` and forks so often. */
static int64_t own_work(const struct measured *b, int64_t cpu_ns, int64_t forks)
{
    return HL_MAX(0, cpu_ns - b->exec_exit_ns - forks * b->fork_ns);
}

/* What it takes in all, which is more than measured if the machine charges more. */
static int64_t whole_work(const struct measured *b, int64_t cpu_ns, int64_t forks)
{
    return own_work(b, cpu_ns, forks) + b->exec_exit_ns + forks * b->fork_ns;
}

static const struct process_kind *kind_of(const struct measured *b, const char *name)
{
    const struct process_kind *kind = process_find(&b->profile->processes, name);

    assert(kind != NULL);
    return kind;
}

/* ---- programs ---- */

static int32_t begin(struct measured *b, const char *name)
{
    int32_t program = 0;

    if (b->status == HL_OK)
        b->status = workload_program(b->w, name, &program, b->err);
    return program;
}

static void put(struct measured *b, enum program_op op, int32_t target, int64_t amount)
{
    const struct program_step step = {.op = (uint8_t)op, .target = target, .amount = amount};

    if (b->status == HL_OK)
        b->status = workload_step(b->w, &step, b->err);
}

static void put_vfork(struct measured *b, int32_t program)
{
    put(b, OP_VFORK, program, b->constant[PROFILE_vfork_tail_ns]);
}

static void put_exec(struct measured *b, const char *name)
{
    int32_t index = workload_name(b->w, name);

    if (index < 0 && b->status == HL_OK)
        b->status = hl_fail(b->err, HL_NO_MEMORY, "out of memory for a process name");
    put(b, OP_EXEC, index, 0);
}

/* Disk accesses, `mean_ppm` of them on average before the page cache. */
static void put_disk(struct measured *b, int64_t mean_ppm)
{
    int64_t missed_ppm =
        workload_scaled(mean_ppm, HL_PPM - b->constant[PROFILE_page_cache_hit], HL_PPM);
    int64_t accesses =
        missed_ppm / HL_PPM +
        (missed_ppm % HL_PPM > 0 && (int64_t)hl_rng_below(&b->rng, HL_PPM) < missed_ppm % HL_PPM);

    if (accesses > 0)
        put(b, OP_DISK, 0, accesses);
}

/* A child of which nobody knows more than what it takes, and its parent's wait. */
static void put_child(struct measured *b, int32_t program)
{
    put_vfork(b, program);
    put(b, OP_WAIT, 0, 1);
}

/* Steps through the sizes by a prime above all numbers of sizes: small and large ones mix. */
static int32_t size_of_turn(const struct others *o, int64_t turn)
{
    return (int32_t)(turn * 103 % o->sizes);
}

/* The others that fall to the place: of makes, or of units' shells. */
static void put_others(struct measured *b, bool is_of_make, int64_t place, bool takes_slot)
{
    for (int i = 0; i < b->others_count; i++) {
        struct others *o = &b->others[i];
        int64_t count =
            o->kind->is_of_make == is_of_make ? part_of(o->count, place, b->unit_count) : 0;

        for (int64_t n = 0; n < count; n++) {
            if (takes_slot)
                put(b, OP_SLOT, POOL_JOB, 0);
            put_child(b, o->program + size_of_turn(o, o->used++));
        }
    }
}

static int64_t others_at(const struct measured *b, bool is_of_make, int64_t place)
{
    int64_t children = 0;

    for (int i = 0; i < b->others_count; i++)
        if (b->others[i].kind->is_of_make == is_of_make)
            children += part_of(b->others[i].count, place, b->unit_count);
    return children;
}

static int64_t other_size(const struct others *o, int32_t size)
{
    /* The middle of its part of the smallest `count` of the kind. */
    return process_quantile(&o->kind->cpu_ns, workload_scaled(o->count, 2 * size + 1, 2 * o->sizes),
                            o->kind->count);
}

static void put_other_programs(struct measured *b)
{
    for (int i = 0; i < b->others_count; i++) {
        struct others *o = &b->others[i];

        for (int32_t s = 0; s < o->sizes; s++) {
            int32_t program = begin(b, o->kind->is_of_make ? "make" : "sh");

            if (s == 0)
                o->program = program;
            put_exec(b, o->kind->name);
            put(b, OP_RUN, 0, own_work(b, other_size(o, s), 0));
            put(b, OP_EXIT, 0, 0);
        }
    }
}

/* cc1 and as with a pipe between them, or one after the other. */
static int32_t put_compiler(struct measured *b, const struct unit *u, int64_t system_ns)
{
    const int64_t *c = b->constant;
    bool has_as = u->as_ns >= 0, pipe = has_as && c[PROFILE_pipe] != 0;
    int64_t chunks = pipe ? c[PROFILE_pipe_chunks] : 1;
    int64_t as_ns = has_as ? own_work(b, u->as_ns, 0) : 0;
    int32_t as = 0, cc1, gcc, pipe_index = (int32_t)b->w->pipe_count - 1, first_chunk;

    if (pipe && b->status == HL_OK) {
        b->status = hl_grow(&b->w->pipes, &b->w->pipe_capacity, b->w->pipe_count + 1,
                            sizeof(*b->w->pipes), b->err);
        if (b->status != HL_OK)
            return 0;
        pipe_index = (int32_t)b->w->pipe_count++;
        b->w->pipes[pipe_index] =
            (struct workload_pipe){.capacity_bytes = chunks * PIPE_CHUNK_BYTES};
    }
    if (has_as) {
        as = begin(b, "gcc");
        put_exec(b, "as");
        put(b, OP_RUN, 0, as_ns % chunks);
        if (pipe)
            put(b, OP_READ, pipe_index, PIPE_CHUNK_BYTES);
        else
            put_disk(b, c[PROFILE_disk_temp]);
        put(b, OP_RUN, 0, as_ns / chunks);
        if (pipe) {
            put(b, OP_LOOP, 2, chunks);
            put(b, OP_READ, pipe_index, 1); /* meets the end: cc1 has exited */
        }
        put(b, OP_EXIT, 0, 0);
    }
    cc1 = begin(b, "gcc");
    put_exec(b, "cc1");
    put_disk(b, c[PROFILE_disk_reads]);
    put(b, OP_RUN, 0, (u->cc1_ns - system_ns) % chunks);
    put(b, OP_SYSTEM, 0, system_ns % chunks);
    first_chunk = b->status == HL_OK ? (int32_t)b->w->programs[cc1].count : 0;
    put(b, OP_RUN, 0, (u->cc1_ns - system_ns) / chunks);
    put(b, OP_SYSTEM, 0, system_ns / chunks);
    if (pipe) {
        put(b, OP_WRITE, pipe_index, PIPE_CHUNK_BYTES);
        put(b, OP_LOOP, first_chunk, chunks);
    }
    put(b, OP_EXIT, 0, 0);

    gcc = begin(b, "sh");
    put_exec(b, "gcc");
    put(b, OP_RUN, 0, own_work(b, u->driver_ns, 1 + has_as));
    put_vfork(b, cc1);
    if (!pipe)
        put(b, OP_WAIT, 0, 1);
    if (has_as)
        put_vfork(b, as);
    put(b, OP_WAIT, 0, INT64_MAX);
    put(b, OP_EXIT, 0, 0);
    return gcc;
}

/* All processes of a unit together, at its place in the build; `cc1_ns` is what cc1 computes. */
static int64_t unit_work(const struct measured *b, const struct unit *u, int64_t place,
                         int64_t cc1_ns)
{
    int64_t sum_ns = cc1_ns + b->exec_exit_ns +
                     whole_work(b, u->shell_ns, 1 + others_at(b, false, place)) +
                     whole_work(b, u->driver_ns, 1 + (u->as_ns >= 0));

    return u->as_ns >= 0 ? sum_ns + whole_work(b, u->as_ns, 0) : sum_ns;
}

/* Kernel time is cc1's as far as it has room, and less what fork, exec and exit cost anyway. */
static int32_t put_unit(struct measured *b, int64_t place)
{
    const struct unit *u = &b->units[place];
    int64_t children = others_at(b, false, place);
    int64_t of_unit = 3 + (u->as_ns >= 0) + children; /* processes */
    int64_t system_ns = workload_scaled(unit_work(b, u, place, u->cc1_ns),
                                        b->constant[PROFILE_system_share], HL_PPM) -
                        of_unit * (b->exec_exit_ns + b->fork_ns);
    int32_t gcc = put_compiler(b, u, HL_MAX(0, HL_MIN(system_ns, u->cc1_ns))), shell;

    shell = begin(b, "make");
    put_exec(b, "sh");
    put(b, OP_RUN, 0, own_work(b, u->shell_ns, 1 + children));
    put_child(b, gcc);
    put_others(b, false, place, false);
    put(b, OP_EXIT, 0, 0);
    return shell;
}

/* The size of a make that has the given rank among the largest. */
static int64_t make_size(const struct measured *b, int64_t from_top)
{
    const struct process_kind *kind = kind_of(b, "make");

    return process_quantile(&kind->cpu_ns, kind->count - 1 - from_top, kind->count);
}

static int64_t make_children(const struct measured *b, int64_t first, int64_t units)
{
    int64_t children = units;

    for (int64_t place = first; place < first + units; place++)
        children += others_at(b, true, place);
    return children;
}

/* Reads its makefiles, which forks the others; then starts unit after unit. */
static int32_t put_directory(struct measured *b, int64_t index, int64_t first)
{
    int64_t units = b->directory_size[index];
    int64_t size_ns = make_size(b, b->directory_count - b->directory_rank[index]);
    int64_t work_ns = own_work(b, size_ns, make_children(b, first, units));
    int32_t make = begin(b, "make");

    put_exec(b, "make");
    put(b, OP_RUN, 0, work_ns - work_ns / 2);
    for (int64_t place = first; place < first + units; place++)
        put_others(b, true, place, true);
    for (int64_t u = 0; u < units; u++) {
        put(b, OP_RUN, 0, part_of(work_ns / 2, u, units));
        put(b, OP_SLOT, POOL_JOB, 0);
        put_vfork(b, b->shells[first + u]);
    }
    put(b, OP_WAIT, 0, INT64_MAX);
    put(b, OP_EXIT, 0, 0);
    return make;
}

static void put_serial_units(struct measured *b, int64_t first, int64_t count)
{
    for (int64_t place = first; place < first + count; place++) {
        put_others(b, true, place, false);
        put_child(b, b->shells[place]);
    }
}

static int64_t top_children(const struct measured *b)
{
    return make_children(b, 0, b->head_count) + b->directory_count +
           make_children(b, b->unit_count - b->tail_count, b->tail_count);
}

static void put_top(struct measured *b)
{
    const int64_t *c = b->constant;
    int32_t top = begin(b, "make");
    const struct workload_task task = {.program = top, .cpu_set = -1, .start_cpu = -1};

    put_exec(b, "make");
    put_disk(b, c[PROFILE_disk_head] * HL_PPM);
    put(b, OP_RUN, 0, own_work(b, make_size(b, 0), top_children(b)));
    put_serial_units(b, 0, b->head_count);
    for (int64_t d = 0; d < b->directory_count; d++) {
        put(b, OP_SLOT, POOL_MAKE, 0);
        put_vfork(b, b->makes[d]);
    }
    put(b, OP_WAIT, 0, INT64_MAX);
    put_disk(b, c[PROFILE_disk_tail] * HL_PPM);
    put_serial_units(b, b->unit_count - b->tail_count, b->tail_count);
    put(b, OP_EXIT, 0, 0);
    if (b->status == HL_OK)
        b->status = workload_add_task(b->w, &task, b->err);
}

/* ---- sizes ---- */

/* The count-th largest of a kind that has a place of its own; the rest are others. */
static enum hl_status split_kinds(struct measured *b, struct hl_error *err)
{
    const struct processes *processes = &b->profile->processes;
    int64_t as_count = HL_MIN(kind_of(b, "as")->count, b->unit_count);
    const struct {
        const char *name;
        int64_t count;
    } placed[] = {{"make", b->directory_count + 1},
                  {"sh", b->unit_count},
                  {"gcc", b->unit_count},
                  {"cc1", b->unit_count},
                  {"as", as_count}};

    for (int32_t i = 0; i < processes->count; i++) {
        const struct process_kind *kind = &processes->kinds[i];
        int64_t rest = kind->count;

        for (int k = 0; k < HL_COUNT_OF(placed); k++)
            if (strcmp(placed[k].name, kind->name) == 0)
                rest -= placed[k].count;
        if (rest < 0 || (rest > 0 && strcmp(kind->name, "cc1") == 0))
            return hl_fail(err, HL_BAD_INPUT,
                           "profile %s: /processes/%s/count: is %" PRId64 "; expected %s%" PRId64
                           " for %" PRId64 " units in %" PRId64 " directories",
                           b->profile->name, kind->name, kind->count,
                           strcmp(kind->name, "cc1") == 0 ? "" : "at least ", kind->count - rest,
                           b->unit_count, b->directory_count);
        if (rest > 0)
            b->others[b->others_count++] = (struct others){
                .kind = kind, .count = rest, .sizes = (int32_t)HL_MIN(rest, SIZES_OF_OTHERS)};
    }
    return HL_OK;
}

static void size_units(struct measured *b)
{
    const struct process_kind *sh = kind_of(b, "sh"), *gcc = kind_of(b, "gcc");
    const struct process_kind *cc1 = kind_of(b, "cc1"), *as = kind_of(b, "as");

    for (int64_t u = 0; u < b->unit_count; u++) {
        int64_t from_top = b->unit_count - 1 - u; /* the largest ones have their place in units */

        b->units[u] = (struct unit){
            .shell_ns = process_quantile(&sh->cpu_ns, sh->count - 1 - from_top, sh->count),
            .driver_ns = process_quantile(&gcc->cpu_ns, gcc->count - 1 - from_top, gcc->count),
            .as_ns = from_top < as->count
                         ? process_quantile(&as->cpu_ns, as->count - 1 - from_top, as->count)
                         : -1,
            .cc1_ns = process_quantile(&cc1->cpu_ns, u, b->unit_count)};
    }
}

/* How many units from `first` on fill a serial part of the build. */
static int64_t units_for(const struct measured *b, int64_t first, int64_t share_ppm)
{
    int64_t left_ns = workload_scaled(b->constant[PROFILE_work_ns], share_ppm, HL_PPM), count = 0;

    /* At least one unit is left for each directory. */
    for (int64_t place = first; place < b->unit_count - b->directory_count; place++, count++) {
        int64_t unit_ns = unit_work(b, &b->units[place], place, b->units[place].cc1_ns);

        for (int i = 0; i < b->others_count; i++)
            unit_ns += part_of(b->others[i].count, place, b->unit_count) *
                       whole_work(b, other_size(&b->others[i], b->others[i].sizes / 2), 0);
        if (left_ns < unit_ns / 2)
            break;
        left_ns -= unit_ns;
    }
    return count;
}

static void shuffle_units(struct measured *b, int64_t first, int64_t count)
{
    for (int64_t i = count - 1; i > 0; i--) {
        int64_t other = first + (int64_t)hl_rng_below(&b->rng, (uint64_t)i + 1);
        struct unit kept = b->units[first + i];

        b->units[first + i] = b->units[other];
        b->units[other] = kept;
    }
}

/* Smallest first: the head, then the tail, whose units go behind all others. */
static void order_units(struct measured *b)
{
    int64_t middle;

    b->head_count = units_for(b, 0, b->constant[PROFILE_serial_head_share]);
    b->tail_count = units_for(b, b->head_count, b->constant[PROFILE_serial_tail_share]);
    middle = b->unit_count - b->head_count - b->tail_count;
    for (int64_t t = 0; t < b->tail_count; t++) {
        int64_t from = b->head_count + t, to = b->head_count + middle + t;
        struct unit kept = b->units[from];

        b->units[from] = b->units[to];
        b->units[to] = kept;
    }
    shuffle_units(b, 0, b->head_count);
    shuffle_units(b, b->head_count, middle);
    shuffle_units(b, b->head_count + middle, b->tail_count);
}

/* One unit for each directory, the others by its table. */
static void size_directories(struct measured *b)
{
    const struct process_quantiles *table = &b->profile->processes.directory_units;
    int64_t spare = b->unit_count - b->head_count - b->tail_count - b->directory_count;

    for (int64_t d = 0; d < b->directory_count; d++) {
        b->directory_size[d] = table->count > 0
                                   ? process_quantile(table, d, b->directory_count)
                                   : workload_lognormal_q32(d, b->directory_count,
                                                            b->constant[PROFILE_directory_sigma]);
        b->directory_rank[d] = (int32_t)d;
    }
    workload_deal(b->directory_size, b->directory_count, spare);
    for (int64_t i = b->directory_count - 1; i > 0; i--) {
        int64_t other = (int64_t)hl_rng_below(&b->rng, (uint64_t)i + 1);
        int64_t size = b->directory_size[i];
        int32_t rank = b->directory_rank[i];

        b->directory_size[i] = b->directory_size[other];
        b->directory_rank[i] = b->directory_rank[other];
        b->directory_size[other] = size;
        b->directory_rank[other] = rank;
    }
}

/* Work of all processes but what cc1 computes. */
static int64_t work_of_all_but_cc1(const struct measured *b)
{
    int64_t place = b->head_count;
    int64_t sum_ns = whole_work(b, make_size(b, 0), top_children(b));

    for (int64_t u = 0; u < b->unit_count; u++)
        sum_ns += unit_work(b, &b->units[u], u, 0);
    for (int64_t d = 0; d < b->directory_count; d++) {
        int64_t size_ns = make_size(b, b->directory_count - b->directory_rank[d]);

        sum_ns += whole_work(b, size_ns, make_children(b, place, b->directory_size[d]));
        place += b->directory_size[d];
    }
    for (int i = 0; i < b->others_count; i++) {
        const struct others *o = &b->others[i];

        for (int32_t turn = 0; turn < o->sizes; turn++)
            sum_ns += (o->count / o->sizes + (turn < o->count % o->sizes)) *
                      whole_work(b, other_size(o, size_of_turn(o, turn)), 0);
    }
    return sum_ns;
}

/* What the others leave is cc1's, by its table. */
static enum hl_status size_compilers(struct measured *b, struct hl_error *err)
{
    int64_t work_ns = b->constant[PROFILE_work_ns], other_ns = work_of_all_but_cc1(b);
    int64_t rest_ns = work_ns - other_ns, total = 0, sum = 0, given_ns = 0;

    if (rest_ns < b->unit_count)
        return hl_fail(err, HL_BAD_INPUT,
                       "profile %s: /processes: all but cc1 take %" PRId64
                       " ms of work_ns = %" PRId64
                       " ms; expected less, so that compilers have work",
                       b->profile->name, other_ns / HL_NS_PER_MS, work_ns / HL_NS_PER_MS);
    for (int64_t u = 0; u < b->unit_count; u++) {
        /* In microseconds, so that sums fit; a compiler does something. */
        b->units[u].cc1_ns = HL_MAX(1, own_work(b, b->units[u].cc1_ns, 0) / HL_NS_PER_US);
        total += b->units[u].cc1_ns;
    }
    for (int64_t u = 0; u < b->unit_count; u++) {
        int64_t upto_ns;

        sum += b->units[u].cc1_ns;
        upto_ns = workload_scaled(rest_ns, sum, total);
        b->units[u].cc1_ns = upto_ns - given_ns;
        given_ns = upto_ns;
    }
    return HL_OK;
}

/* ---- the whole ---- */

static enum hl_status put_slots(struct measured *b, int64_t level, const struct machine *machine,
                                struct hl_error *err)
{
    struct workload *w = b->w;
    int64_t most = b->unit_count + b->directory_count;
    int64_t jobs = level == 0 ? most : HL_MAX(1, level - b->constant[PROFILE_jobserver_offset]);
    bool has_daemons = b->constant[PROFILE_daemons] != 0;

    HL_TRY(hl_grow(&w->slots, &w->slot_capacity, POOL_COUNT, sizeof(*w->slots), err));
    jobs = HL_MIN(jobs, most);
    w->slots[POOL_MAKE] = (struct workload_slots){.count = (int32_t)jobs};
    w->slots[POOL_JOB] = (struct workload_slots){.count = (int32_t)jobs};
    w->slot_count = POOL_COUNT;
    /* A slot is held until its process is reaped, so zombies are counted. */
    w->live_task_max = 1 + (size_t)HL_MIN(jobs, b->directory_count) + (size_t)jobs * TASKS_OF_UNIT +
                       (has_daemons ? (size_t)machine->package_count : 0) +
                       (b->constant[PROFILE_kernel_threads] > 0 ? (size_t)machine->cpu_count : 0);
    return HL_OK;
}

static enum hl_status fill(struct measured *b, const struct workload_request *request,
                           struct hl_error *err)
{
    int64_t place;

    HL_TRY(split_kinds(b, err));
    HL_TRY(put_slots(b, request->level, request->machine, err));
    size_units(b);
    order_units(b);
    size_directories(b);
    HL_TRY(size_compilers(b, err));
    put_other_programs(b);
    for (int64_t u = 0; u < b->unit_count; u++)
        b->shells[u] = put_unit(b, u);
    place = b->head_count;
    for (int64_t d = 0; d < b->directory_count; d++) {
        b->makes[d] = put_directory(b, d, place);
        place += b->directory_size[d];
    }
    put_top(b);
    if (b->constant[PROFILE_daemons] != 0 && b->status == HL_OK)
        b->status = workload_kernel_daemons(b->w, request->machine, &b->rng, b->err);
    if (b->status == HL_OK)
        b->status = workload_kernel_threads(b->w, request->machine,
                                            b->constant[PROFILE_kernel_threads], &b->rng, b->err);
    return b->status;
}

enum hl_status workload_measured_build(struct workload *w, const struct workload_request *request,
                                       struct hl_error *err)
{
    const int64_t *c = request->profile->constant, *cost = request->machine->constant;
    struct measured b = {
        .w = w,
        .profile = request->profile,
        .constant = c,
        .rng = hl_rng_stream(request->seed, "workload/measured_build"),
        .err = err,
        .exec_exit_ns = cost[MACHINE_exec_cost_ns] + cost[MACHINE_exit_cost_ns],
        .fork_ns = cost[MACHINE_vfork_cost_ns] + c[PROFILE_vfork_tail_ns],
        .unit_count = c[PROFILE_units],
        .directory_count = HL_MIN(c[PROFILE_directories], c[PROFILE_units]),
    };
    enum hl_status status;

    assert(request->level >= 0);
    *w = (struct workload){0};
    b.units = hl_alloc((size_t)b.unit_count, sizeof(*b.units));
    b.shells = hl_alloc((size_t)b.unit_count, sizeof(*b.shells));
    b.directory_size = hl_alloc((size_t)b.directory_count, sizeof(*b.directory_size));
    b.directory_rank = hl_alloc((size_t)b.directory_count, sizeof(*b.directory_rank));
    b.makes = hl_alloc((size_t)b.directory_count, sizeof(*b.makes));
    if (b.units == NULL || b.shells == NULL || b.directory_size == NULL ||
        b.directory_rank == NULL || b.makes == NULL)
        status = hl_fail(err, HL_NO_MEMORY, "out of memory for a build of %" PRId64 " units",
                         b.unit_count);
    else
        status = fill(&b, request, err);
    hl_free(b.units);
    hl_free(b.shells);
    hl_free(b.directory_size);
    hl_free(b.directory_rank);
    hl_free(b.makes);
    if (status != HL_OK)
        workload_close(w);
    return status;
}
