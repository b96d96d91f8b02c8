/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * matinv.c - inverting matrices of growing order with n threads, as ATLAS does it.
 *
 *     matinv           for each order
 *       inversion      sections: works alone, then n threads work, then waits for them; a part of
 *                      the run, between two marks
 *       rest           sections: n threads work (generation, residual check), then waits for them
 *
 * How the threads of a section come to be is all that schedulers see of the difference:
 * spawn_two: the creator creates all of them and sleeps until they end;
 * spawn_one: it creates one fewer and works too. A scheduler that puts a new task on its creator's
 * cpu as long as no other waits there runs such a pair on one cpu (spec freebsd 3.10).
 *
 * Source:  spec freebsd 7.1. Which part creates its threads in which way is reconstructed there; it
 *          is an assumption of the workload, the same for all schedulers (options merged and
 *          residual_merged).
 * Sizes:   work grows with the third power of the order; the parts of a section are equal. Nothing
 *          is drawn: spawn_one sections are spread evenly over all of their kind.
 * Omits:   memory: two threads that share a cpu compete less for the bus.
 * Model:   M22 to M24.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"
#include "workload/shares.h"
#include "workload/workload.h"

__extension__ typedef unsigned __int128 u128;

enum { OPTION_ORDERS, OPTION_RESIDUAL, OPTION_MERGED, OPTION_RESIDUAL_MERGED };

const struct workload_option_info workload_matinv_options[] = {
    [OPTION_ORDERS] = {"orders", OPTION_RANGE, 100, 100000, "7000-9000+200",
                       "orders of the matrices"},
    [OPTION_RESIDUAL] = {"residual", OPTION_BOOL, 0, 1, "y",
                         "generation and residual check too, not only the timed inversions"},
    [OPTION_MERGED] = {"merged", OPTION_RATIO, 0, 0, NULL,
                       "part of the sections of an inversion whose creator works too"},
    [OPTION_RESIDUAL_MERGED] = {"residual_merged", OPTION_RATIO, 0, 0, NULL,
                                "the same of the rest"},
    {.name = NULL},
};

enum { PARTS_MAX = 1000000 };

/* Work of one kind at one order, cut into sections. */
struct sections {
    int64_t count;
    int64_t serial_ns, part_ns; /* of a section: alone before it; of each of its threads */
    int32_t thread;             /* program of one */
};

struct order_plan {
    struct sections inversion, residual;
};

/* spawn_one sections, spread evenly: one is due each time the sum of their share reaches 1. */
struct spawn_pattern {
    int64_t one_ppm, due_ppm;
};

struct matinv {
    struct workload *w;
    const int64_t *constant;
    struct workload_range orders;
    int64_t threads;
    bool residual;
    struct spawn_pattern inversion_spawn, residual_spawn;
    struct order_plan *plans; /* by order */
};

static enum hl_status put(struct workload *w, enum program_op op, int32_t target, int64_t amount,
                          struct hl_error *err)
{
    struct program_step step = {.op = (uint8_t)op, .target = target, .amount = amount};

    return workload_step(w, &step, err);
}

/* What is `amount` at order 1000. */
static int64_t at_order(int64_t amount, int64_t order)
{
    u128 cube = (u128)order * (u128)order * (u128)order;

    return (int64_t)((u128)amount * cube / 1000000000u);
}

static enum hl_status put_work(const struct matinv *m, int64_t ns, struct hl_error *err)
{
    int64_t system_ns = workload_share(ns, m->constant[MATINV_system_share]);

    HL_TRY(put(m->w, OP_RUN, 0, ns - system_ns, err));
    return put(m->w, OP_SYSTEM, 0, system_ns, err);
}

/* Cuts ns into sections and makes the program of one thread. */
static enum hl_status plan_sections(const struct matinv *m, int64_t ns, int64_t serial_ns,
                                    int64_t count, struct sections *sections, struct hl_error *err)
{
    sections->count = count;
    sections->serial_ns = serial_ns / count;
    sections->part_ns = (ns - serial_ns) / count / m->threads;
    HL_TRY(workload_program(m->w, "thread", &sections->thread, err));
    HL_TRY(put_work(m, sections->part_ns, err));
    return put(m->w, OP_EXIT, 0, 0, err);
}

static enum hl_status plan_order(const struct matinv *m, int64_t order, struct order_plan *plan,
                                 struct hl_error *err)
{
    const int64_t *c = m->constant;
    int64_t inversion_ns = at_order(c[MATINV_inversion_ns], order);

    HL_TRY(plan_sections(m, inversion_ns, workload_share(inversion_ns, c[MATINV_inversion_serial]),
                         c[MATINV_inversion_sections], &plan->inversion, err));
    if (!m->residual)
        return HL_OK;
    return plan_sections(m, at_order(c[MATINV_residual_ns], order), 0, c[MATINV_residual_sections],
                         &plan->residual, err);
}

static bool is_spawn_one(struct spawn_pattern *pattern)
{
    pattern->due_ppm += pattern->one_ppm;
    if (pattern->due_ppm < HL_PPM)
        return false;
    pattern->due_ppm -= HL_PPM;
    return true;
}

static enum hl_status put_sections(const struct matinv *m, const struct sections *sections,
                                   struct spawn_pattern *pattern, struct hl_error *err)
{
    for (int64_t i = 0; i < sections->count; i++) {
        bool creator_works = is_spawn_one(pattern) || m->threads == 1;
        int64_t created = m->threads - creator_works;

        if (sections->serial_ns > 0)
            HL_TRY(put_work(m, sections->serial_ns, err));
        for (int64_t k = 0; k < created; k++)
            HL_TRY(put(m->w, OP_FORK, sections->thread, 0, err));
        if (creator_works)
            HL_TRY(put_work(m, sections->part_ns, err));
        if (created > 0)
            HL_TRY(put(m->w, OP_WAIT, 0, INT64_MAX, err));
    }
    return HL_OK;
}

static enum hl_status put_mark(struct workload *w, int32_t *mark, struct hl_error *err)
{
    *mark = (int32_t)w->mark_count++;
    return put(w, OP_MARK, *mark, 0, err);
}

/* The timed inversion, as a part of the run, and the rest. */
static enum hl_status put_order(struct matinv *m, int64_t order, const struct order_plan *plan,
                                struct hl_error *err)
{
    struct workload_part part = {.rate_amount = at_order(2000, order)}; /* 2 order^3, in millions */

    (void)snprintf(part.name, sizeof(part.name), "order %" PRId64, order);
    HL_TRY(put_mark(m->w, &part.first, err));
    HL_TRY(put_sections(m, &plan->inversion, &m->inversion_spawn, err));
    HL_TRY(put_mark(m->w, &part.last, err));
    HL_TRY(put_sections(m, &plan->residual, &m->residual_spawn, err));
    return workload_add_part(m->w, &part, err);
}

static enum hl_status fill(struct matinv *m, struct hl_error *err)
{
    struct workload_task task = {.cpu_set = -1, .start_cpu = -1};
    struct workload_range range = m->orders;
    int count = 0;

    for (int64_t order = range.first; order <= range.last; order += range.step)
        HL_TRY(plan_order(m, order, &m->plans[count++], err));
    HL_TRY(workload_program(m->w, "matinv", &task.program, err));
    for (int i = 0; i < count; i++)
        HL_TRY(put_order(m, range.first + i * range.step, &m->plans[i], err));
    HL_TRY(put(m->w, OP_EXIT, 0, 0, err));
    HL_TRY(workload_add_task(m->w, &task, err));
    m->w->live_task_max = 1 + (size_t)m->threads;
    return HL_OK;
}

static int64_t ratio_of(const struct workload_options *options, int option, int64_t otherwise)
{
    return options->is_given[option] ? options->value[option].first : otherwise;
}

enum hl_status workload_matinv(struct workload *w, const struct workload_request *request,
                               struct hl_error *err)
{
    const int64_t *c = request->profile->constant;
    struct workload_options defaults;
    const struct workload_options *o = request->options;
    struct matinv m = {.w = w, .constant = c};
    int64_t orders, parts;
    enum hl_status status;

    assert(request->level >= 0);
    *w = (struct workload){0};
    workload_options_init(workload_find("matinv"), &defaults);
    if (o == NULL)
        o = &defaults;
    m.orders = o->value[OPTION_ORDERS];
    m.residual = o->value[OPTION_RESIDUAL].first != 0;
    m.inversion_spawn.one_ppm = ratio_of(o, OPTION_MERGED, c[MATINV_inversion_merged]);
    m.residual_spawn.one_ppm = ratio_of(o, OPTION_RESIDUAL_MERGED, c[MATINV_residual_merged]);
    m.threads = request->level > 0 ? request->level : request->machine->cpu_count;
    orders = (m.orders.last - m.orders.first) / m.orders.step + 1;
    if (m.threads > WORKLOAD_TASKS_MAX)
        return hl_fail(err, HL_USAGE, "matinv: load %" PRId64 ": expected at most %d threads",
                       m.threads, WORKLOAD_TASKS_MAX);
    parts = orders * (c[MATINV_inversion_sections] + c[MATINV_residual_sections]) * m.threads;
    if (parts > PARTS_MAX)
        return hl_fail(err, HL_USAGE,
                       "matinv: %" PRId64 " orders at load %" PRId64 " are %" PRId64
                       " threads one after the other; expected at most %d",
                       orders, m.threads, parts, PARTS_MAX);
    m.plans = hl_alloc((size_t)orders, sizeof(*m.plans));
    status = m.plans == NULL
                 ? hl_fail(err, HL_NO_MEMORY, "out of memory for %" PRId64 " orders", orders)
                 : fill(&m, err);
    hl_free(m.plans);
    if (status != HL_OK)
        workload_close(w);
    return status;
}
