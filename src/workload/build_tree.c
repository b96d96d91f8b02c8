/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build_tree.c - a build as a tree of processes.
 *
 *     make              per phase: serial head; one make per directory, at most k at once; serial tail
 *       make            reads its makefiles; takes one of k slots per unit
 *         sh            forks gcc, then two short tools, one after the other
 *           gcc         vforks cc1 and as, in the order of the pipeline, and waits for both
 *             cc1       writes to as, evenly spread over its run
 *             as        works on each piece
 *           fixdep, mv
 *         ld            once all units of the directory are done; takes a slot too
 *     kdaemon           one per package, in the background, for ever
 *
 * Source:  spec linux 7 and 9, freebsd 7.2: k concurrent compilers is X - jobserver_offset for make -jX.
 * Sizes:   the units of a profile are the same ones for every seed, spaced evenly through a capped
 *          log-normal distribution, and so are the directories; the seed decides their order and
 *          which units wait for the disk. The work of all processes together is exactly work_ns: cc1
 *          and as get what the others leave. fork, exec and exit cost what the machine charges, on
 *          top.
 * Omits:   dependencies between directories, the page cache, memory; as never makes cc1 wait (the
 *          pipe holds all of a unit).
 */
#include "workload/build_tree.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"
#include "workload/kernel_daemons.h"
#include "workload/lognormal.h"
#include "workload/shares.h"

enum { /* steps of one piece at most, to reserve memory once */
       TOP_STEPS = 9,
       PHASE_STEPS = 4,                /* in the top make: work, waiting and a mark */
       DIRECTORY_STEPS = 2 + 10 + 4,   /* in the top make, its own, its ld's */
       UNIT_STEPS = 3 + 9 + 7 + 7 + 7, /* in make, sh, gcc, as, cc1 */
       FIXED_STEPS = 2 * 3,            /* tools */
       UNIT_PROGRAMS = 4,              /* sh, gcc, as, cc1 */
       UNIT_TASKS = 4,         /* they are alive together; the tools come when gcc is gone */
       DIRECTORY_PROGRAMS = 2, /* make, ld */
       PIPE_CHUNK_BYTES = 4096,
};

enum pool { POOL_MAKE, POOL_COMPILE, POOL_COUNT };

struct build {
    struct workload *w;
    const struct build_tree_shape *shape;
    const int64_t *constant; /* of the shape */
    struct hl_rng rng;
    int64_t unit_count, directory_count;
    int64_t unit_rest_ns; /* compilation work of all units: cc1 and as */
    int64_t carry_ns;     /* what rounding left so far; the next unit or the tail gets it */
    int32_t make, sh, gcc, as, cc1, ld, fixdep, mv; /* names */
    int32_t fixdep_program, mv_program;
    int64_t *unit_size, *directory_units; /* sizes in units of 2^-32; number of units */
};

/* Work around the compilation of one unit. */
static int64_t unit_small_ns(const int64_t *c)
{
    return c[PROFILE_make_unit_ns] + c[PROFILE_shell_ns] + c[PROFILE_driver_ns] +
           2 * c[PROFILE_tool_ns];
}

/* ---- putting steps into the memory reserved by reserve() ---- */

static int32_t begin(struct build *b, int32_t name)
{
    struct workload *w = b->w;

    assert(w->program_count < w->program_capacity);
    w->programs[w->program_count] =
        (struct program){.first = (uint32_t)w->step_count, .name = name};
    return (int32_t)w->program_count++;
}

static void put(struct build *b, enum program_op op, int32_t target, int64_t amount)
{
    struct workload *w = b->w;

    assert(w->step_count < w->step_capacity);
    w->steps[w->step_count++] =
        (struct program_step){.op = (uint8_t)op, .target = target, .amount = amount};
    w->programs[w->program_count - 1].count++;
}

/* Work with its part of kernel time. */
static void put_work(struct build *b, int64_t ns)
{
    int64_t system_ns = workload_share(ns, b->constant[PROFILE_system_share]);

    put(b, OP_RUN, 0, ns - system_ns);
    put(b, OP_SYSTEM, 0, system_ns);
}

/* Disk accesses, `mean_ppm` of them on average before the page cache: whole ones and one by chance. */
static void put_disk(struct build *b, int64_t mean_ppm)
{
    int64_t missed_ppm = workload_share(mean_ppm, HL_PPM - b->constant[PROFILE_page_cache_hit]);
    uint64_t chance_ppm = (uint64_t)(missed_ppm % HL_PPM);
    bool one_more = chance_ppm > 0 && hl_rng_below(&b->rng, HL_PPM) < chance_ppm;
    int64_t accesses = missed_ppm / HL_PPM + one_more;

    if (accesses > 0)
        put(b, OP_DISK, 0, accesses);
}

static int32_t short_program(struct build *b, int32_t parent, int32_t name, int64_t ns)
{
    int32_t program = begin(b, parent);

    put(b, OP_EXEC, name, 0);
    put(b, OP_RUN, 0, ns);
    put(b, OP_EXIT, 0, 0);
    return program;
}

/* ---- sizes ---- */

static void shuffle(int64_t *values, int64_t count, struct hl_rng *rng)
{
    for (int64_t i = count - 1; i > 0; i--) {
        int64_t other = (int64_t)hl_rng_below(rng, (uint64_t)i + 1);
        int64_t kept = values[i];

        values[i] = values[other];
        values[other] = kept;
    }
}

/* One unit for each directory, the others by size. */
static void size_directories(struct build *b)
{
    for (int64_t d = 0; d < b->directory_count; d++)
        b->directory_units[d] =
            workload_lognormal_q32(d, b->directory_count, b->constant[PROFILE_directory_sigma]);
    workload_deal(b->directory_units, b->directory_count, b->unit_count - b->directory_count);
    shuffle(b->directory_units, b->directory_count, &b->rng);
}

static void size_units(struct build *b)
{
    for (int64_t u = 0; u < b->unit_count; u++)
        b->unit_size[u] = workload_lognormal_q32(u, b->unit_count, b->constant[PROFILE_unit_sigma]);
    shuffle(b->unit_size, b->unit_count, &b->rng);
}

/* ---- processes ---- */

/*
 * cc1 and as of a unit, `ns` together, and the gcc that starts them. The kernel time of all
 * processes of the unit is cc1's, as far as it has room: fewer, longer steps.
 */
static int32_t put_compiler(struct build *b, int64_t ns)
{
    const int64_t *c = b->constant;
    bool pipe = c[PROFILE_pipe] != 0;
    int64_t chunks = pipe ? c[PROFILE_pipe_chunks] : 1;
    int64_t as_chunk = workload_share(ns, c[PROFILE_as_share]) / chunks;
    int64_t cc1_chunk = (ns - as_chunk * chunks) / chunks;
    int64_t system_chunk = workload_share(ns + unit_small_ns(c), c[PROFILE_system_share]) / chunks;
    int32_t pipe_index = (int32_t)b->w->pipe_count - 1; /* of this unit */
    int32_t as, cc1, gcc, first_chunk;

    system_chunk = HL_MIN(system_chunk, cc1_chunk);
    b->carry_ns = ns - (as_chunk + cc1_chunk) * chunks;

    as = begin(b, b->gcc);
    put(b, OP_EXEC, b->as, 0);
    if (pipe) {
        put(b, OP_READ, pipe_index, PIPE_CHUNK_BYTES);
        put(b, OP_RUN, 0, as_chunk);
        put(b, OP_LOOP, 1, chunks);
        put(b, OP_READ, pipe_index, 1); /* meets the end: cc1 has exited */
    } else {
        put_disk(b, c[PROFILE_disk_temp]);
        put(b, OP_RUN, 0, as_chunk);
    }
    put(b, OP_EXIT, 0, 0);

    cc1 = begin(b, b->gcc);
    put(b, OP_EXEC, b->cc1, 0);
    put_disk(b, c[PROFILE_disk_reads]);
    first_chunk = (int32_t)b->w->programs[cc1].count;
    put(b, OP_RUN, 0, cc1_chunk - system_chunk);
    put(b, OP_SYSTEM, 0, system_chunk);
    if (pipe) {
        put(b, OP_WRITE, pipe_index, PIPE_CHUNK_BYTES);
        put(b, OP_LOOP, first_chunk, chunks);
    }
    put(b, OP_EXIT, 0, 0);

    gcc = begin(b, b->sh);
    put(b, OP_EXEC, b->gcc, 0);
    put(b, OP_RUN, 0, c[PROFILE_driver_ns]);
    put(b, OP_VFORK, cc1, 0);
    if (!pipe)
        put(b, OP_WAIT, 0, 1);
    put(b, OP_VFORK, as, 0);
    put(b, OP_WAIT, 0, INT64_MAX);
    put(b, OP_EXIT, 0, 0);
    return gcc;
}

static int32_t put_unit(struct build *b, int64_t ns)
{
    const int64_t *c = b->constant;
    int32_t gcc, sh;

    if (c[PROFILE_pipe] != 0) {
        assert(b->w->pipe_count < b->w->pipe_capacity);
        b->w->pipes[b->w->pipe_count++] =
            (struct workload_pipe){.capacity_bytes = c[PROFILE_pipe_chunks] * PIPE_CHUNK_BYTES};
    }
    gcc = put_compiler(b, ns + b->carry_ns);
    sh = begin(b, b->make);
    put(b, OP_EXEC, b->sh, 0);
    put(b, OP_RUN, 0, c[PROFILE_shell_ns]);
    put(b, OP_FORK, gcc, 0);
    put(b, OP_WAIT, 0, 1);
    put(b, OP_FORK, b->fixdep_program, 0);
    put(b, OP_WAIT, 0, 1);
    put(b, OP_FORK, b->mv_program, 0);
    put(b, OP_WAIT, 0, 1);
    put(b, OP_EXIT, 0, 0);
    return sh;
}

static int32_t put_directory(struct build *b, int32_t first_sh, int64_t units, int64_t link_ns)
{
    int32_t ld, make;

    ld = begin(b, b->make);
    put(b, OP_EXEC, b->ld, 0);
    put_work(b, link_ns);
    put(b, OP_EXIT, 0, 0);

    make = begin(b, b->make);
    put(b, OP_EXEC, b->make, 0);
    put_disk(b, b->shape->disk_directory_ppm);
    put_work(b, b->constant[PROFILE_make_start_ns]);
    for (int64_t u = 0; u < units; u++) {
        put(b, OP_SLOT, POOL_COMPILE, 0);
        put(b, OP_RUN, 0, b->constant[PROFILE_make_unit_ns]);
        put(b, OP_VFORK, first_sh + (int32_t)u * UNIT_PROGRAMS, 0);
    }
    put(b, OP_WAIT, 0, INT64_MAX);
    put(b, OP_SLOT, POOL_COMPILE, 0);
    put(b, OP_VFORK, ld, 0);
    put(b, OP_WAIT, 0, INT64_MAX);
    put(b, OP_EXIT, 0, 0);
    return make;
}

/* All directories; their makes are the programs make[0 .. directory_count - 1] afterwards. */
static void put_directories(struct build *b, int64_t link_ns, int32_t *make)
{
    int64_t size_total = 0, size_sum = 0, given_ns = 0, unit = 0, linked_ns = 0;

    for (int64_t u = 0; u < b->unit_count; u++)
        size_total += b->unit_size[u];
    for (int64_t d = 0; d < b->directory_count; d++) {
        int64_t end = unit + b->directory_units[d], first = unit, link_upto;
        int32_t first_sh = 0;

        for (; unit < end; unit++) {
            int64_t upto_ns;
            int32_t sh;

            size_sum += b->unit_size[unit];
            upto_ns = workload_scaled(b->unit_rest_ns, size_sum, size_total);
            sh = put_unit(b, upto_ns - given_ns);
            given_ns = upto_ns;
            if (unit == first)
                first_sh = sh;
        }
        link_upto = workload_scaled(link_ns, unit, b->unit_count);
        make[d] = put_directory(b, first_sh, end - first, link_upto - linked_ns);
        linked_ns = link_upto;
    }
}

/* The serial parts compile too (host tools, version), with the same temporary files per work done. */
static int64_t serial_temp_ppm(const struct build *b, int64_t share_ppm)
{
    const int64_t *c = b->constant;

    return c[PROFILE_pipe] != 0 ? 0
                                : workload_share(c[PROFILE_disk_temp] * b->unit_count, share_ppm);
}

/* The makes of directories [first, end): as many at once as there are slots for them. */
static void put_phase(struct build *b, const int32_t *make, int64_t first, int64_t end)
{
    for (int64_t d = first; d < end; d++) {
        put(b, OP_SLOT, POOL_MAKE, 0);
        put(b, OP_FORK, make[d], 0);
    }
    put(b, OP_WAIT, 0, INT64_MAX);
}

static void put_top(struct build *b, const int32_t *make, int64_t head_ns, int64_t tail_ns)
{
    const int64_t *c = b->constant, phases = b->shape->phases;
    int32_t top = begin(b, b->make);

    put_disk(b, c[PROFILE_disk_head] * HL_PPM + serial_temp_ppm(b, c[PROFILE_serial_head_share]));
    if (phases > 1)
        put(b, OP_MARK, 0, 0);
    for (int64_t i = 0; i < phases; i++) {
        put_work(b, head_ns * (i + 1) / phases - head_ns * i / phases);
        put_phase(b, make, b->directory_count * i / phases, b->directory_count * (i + 1) / phases);
        if (phases > 1)
            put(b, OP_MARK, (int32_t)i + 1, 0);
    }
    put_disk(b, c[PROFILE_disk_tail] * HL_PPM + serial_temp_ppm(b, c[PROFILE_serial_tail_share]));
    put_work(b, tail_ns + b->carry_ns);
    put(b, OP_EXIT, 0, 0);
    b->w->tasks[b->w->task_count++] =
        (struct workload_task){.program = top, .cpu_set = -1, .start_cpu = -1};
}

/* Several phases are parts of the run; they meet at marks 0, 1, 2 ... of put_top. */
static enum hl_status add_parts(struct build *b, struct hl_error *err)
{
    int64_t phases = b->shape->phases;

    if (phases == 1)
        return HL_OK;
    b->w->mark_count = (size_t)phases + 1;
    for (int32_t i = 0; i < phases; i++) {
        struct workload_part part = {.first = i, .last = i + 1};

        (void)snprintf(part.name, sizeof(part.name), "phase %" PRId32, i + 1);
        HL_TRY(workload_add_part(b->w, &part, err));
    }
    return HL_OK;
}

/* ---- the whole ---- */

static enum hl_status reserve(struct build *b, const struct machine *machine, struct hl_error *err)
{
    struct workload *w = b->w;
    size_t units = (size_t)b->unit_count, directories = (size_t)b->directory_count;

    HL_TRY(hl_grow(&w->steps, &w->step_capacity,
                   TOP_STEPS + (size_t)b->shape->phases * PHASE_STEPS +
                       directories * DIRECTORY_STEPS + units * UNIT_STEPS + FIXED_STEPS,
                   sizeof(*w->steps), err));
    HL_TRY(hl_grow(&w->programs, &w->program_capacity,
                   3 + directories * DIRECTORY_PROGRAMS + units * UNIT_PROGRAMS,
                   sizeof(*w->programs), err));
    HL_TRY(hl_grow(&w->pipes, &w->pipe_capacity, units, sizeof(*w->pipes), err));
    HL_TRY(hl_grow(&w->slots, &w->slot_capacity, POOL_COUNT, sizeof(*w->slots), err));
    HL_TRY(hl_grow(&w->tasks, &w->task_capacity, 1, sizeof(*w->tasks), err));
    return HL_OK;
}

static enum hl_status name_all(struct build *b, struct hl_error *err)
{
    struct {
        int32_t *index;
        const char *name;
    } names[] = {
        {&b->make, "make"}, {&b->sh, "sh"}, {&b->gcc, "gcc"}, {&b->as, "as"},
        {&b->cc1, "cc1"},   {&b->ld, "ld"}, {&b->mv, "mv"},   {&b->fixdep, "fixdep"},
    };

    for (int i = 0; i < HL_COUNT_OF(names); i++) {
        *names[i].index = workload_name(b->w, names[i].name);
        if (*names[i].index < 0)
            return hl_fail(err, HL_NO_MEMORY, "out of memory for a process name");
    }
    return HL_OK;
}

static void put_slots(struct build *b, int64_t level, const struct machine *machine)
{
    struct workload *w = b->w;
    /* More slots than processes that could take one change nothing. */
    int64_t most = b->unit_count + b->directory_count;
    int64_t k = level == 0 ? most : HL_MAX(1, level - b->constant[PROFILE_jobserver_offset]);

    k = HL_MIN(k, most);
    w->slots[POOL_MAKE] =
        (struct workload_slots){.count = b->shape->one_directory ? 1 : (int32_t)k};
    w->slots[POOL_COMPILE] = (struct workload_slots){.count = (int32_t)k};
    w->slot_count = POOL_COUNT;
    /* A slot is held until its process is reaped, so zombies are counted. */
    w->live_task_max = 1 + (size_t)HL_MIN(k, b->directory_count) + (size_t)k * UNIT_TASKS +
                       (b->constant[PROFILE_daemons] != 0 ? (size_t)machine->package_count : 0);
}

static enum hl_status fill(struct build *b, const struct workload_request *request, int32_t *make,
                           struct hl_error *err)
{
    const int64_t *c = b->constant;
    int64_t work_ns = c[PROFILE_work_ns];
    int64_t head_ns = workload_share(work_ns, c[PROFILE_serial_head_share]);
    int64_t tail_ns = workload_share(work_ns, c[PROFILE_serial_tail_share]);
    int64_t link_ns = workload_share(work_ns, c[PROFILE_link_share]);
    int64_t other_ns = head_ns + tail_ns + link_ns + b->unit_count * unit_small_ns(c) +
                       b->directory_count * c[PROFILE_make_start_ns];

    b->unit_rest_ns = work_ns - other_ns;
    if (b->unit_rest_ns < b->unit_count)
        return hl_fail(err, HL_BAD_INPUT,
                       "profile %s: /constants: of work_ns = %" PRId64
                       " ms, serial_head_share takes "
                       "%" PRId64 " ms, serial_tail_share %" PRId64 ", link_share %" PRId64
                       " and the short processes %" PRId64
                       "; expected less in all, so that compilers have work",
                       request->profile->name, work_ns / HL_NS_PER_MS, head_ns / HL_NS_PER_MS,
                       tail_ns / HL_NS_PER_MS, link_ns / HL_NS_PER_MS,
                       (other_ns - head_ns - tail_ns - link_ns) / HL_NS_PER_MS);
    HL_TRY(name_all(b, err));
    HL_TRY(reserve(b, request->machine, err));
    put_slots(b, request->level, request->machine);
    size_directories(b);
    size_units(b);
    b->fixdep_program = short_program(b, b->sh, b->fixdep, c[PROFILE_tool_ns]);
    b->mv_program = short_program(b, b->sh, b->mv, c[PROFILE_tool_ns]);
    put_directories(b, link_ns, make);
    put_top(b, make, head_ns, tail_ns);
    HL_TRY(add_parts(b, err));
    return c[PROFILE_daemons] == 0 ? HL_OK
                                   : workload_kernel_daemons(b->w, request->machine, &b->rng, err);
}

enum hl_status build_tree_fill(struct workload *w, const struct workload_request *request,
                               const struct build_tree_shape *shape, struct hl_error *err)
{
    const int64_t *c = shape->constant;
    struct build b = {
        .w = w,
        .shape = shape,
        .constant = c,
        .rng = hl_rng_stream(request->seed, shape->stream),
        .unit_count = c[PROFILE_units],
        .directory_count = HL_MIN(c[PROFILE_directories], c[PROFILE_units]),
    };
    int32_t *make = hl_alloc((size_t)b.directory_count, sizeof(*make));
    enum hl_status status;

    assert(request->level >= 0);
    *w = (struct workload){0};
    b.unit_size = hl_alloc((size_t)b.unit_count, sizeof(*b.unit_size));
    b.directory_units = hl_alloc((size_t)b.directory_count, sizeof(*b.directory_units));
    if (make == NULL || b.unit_size == NULL || b.directory_units == NULL)
        status = hl_fail(err, HL_NO_MEMORY, "out of memory for a build of %" PRId64 " units",
                         b.unit_count);
    else
        status = fill(&b, request, make, err);
    hl_free(make);
    hl_free(b.unit_size);
    hl_free(b.directory_units);
    if (status != HL_OK)
        workload_close(w);
    return status;
}
