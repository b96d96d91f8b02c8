/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rsa.c - openssl speed -multi N: N processes that sign, each for itself.
 *
 *     openssl          forks N signers and waits for all
 *       signer         computes; what it signed is its work by the time of one signature
 *
 * Its figure is the sum of the signers' rates, each what it signed in a fixed time from its own
 * start, as openssl takes it with -elapsed. Without that it takes each process by its user time, and so did
 * those who published: time spent waiting for a cpu does not show in it then, and no scheduler can.
 *
 * Source: spec freebsd 7.2; openssl-speed(1).
 * Omits:  the alarm: a signer goes on after that time to the end of what one alone signs in it.
 * Model:  M25.
 */
#include <assert.h>
#include <inttypes.h>

#include "workload/workload.h"

enum { OPTION_USERTIME = 0 };

/* Marks tell how far each signer was; between two it is interpolated. */
enum { SIGNER_PIECES = 100 };

const struct workload_option_info workload_rsa_options[] = {
    [OPTION_USERTIME] = {.name = "usertime",
                         .type = OPTION_BOOL,
                         .default_text = "n",
                         .help = "rates by the user time of each process, not by elapsed time"},
    {.name = NULL},
};

static enum hl_status put(struct workload *w, enum program_op op, int32_t target, int64_t amount,
                          struct hl_error *err)
{
    struct program_step step = {.op = (uint8_t)op, .target = target, .amount = amount};

    return workload_step(w, &step, err);
}

/* A program for each signer: its marks are its own. They take the first places. */
static enum hl_status put_signer(struct workload *w, int64_t work_ns, struct hl_error *err)
{
    int32_t program;

    HL_TRY(workload_program(w, "signer", &program, err));
    HL_TRY(put(w, OP_MARK, (int32_t)w->mark_count++, 0, err));
    for (int64_t i = 0; i < SIGNER_PIECES; i++) {
        int64_t piece_ns = work_ns / SIGNER_PIECES + (i < work_ns % SIGNER_PIECES);

        HL_TRY(put(w, OP_RUN, 0, piece_ns, err));
        HL_TRY(put(w, OP_MARK, (int32_t)w->mark_count++, 0, err));
    }
    return put(w, OP_EXIT, 0, 0, err);
}

static enum hl_status fill(struct workload *w, int64_t processes, int64_t work_ns,
                           struct hl_error *err)
{
    struct workload_task task = {.cpu_set = -1, .start_cpu = -1};

    for (int64_t i = 0; i < processes; i++)
        HL_TRY(put_signer(w, work_ns, err));
    HL_TRY(workload_program(w, "openssl", &task.program, err));
    for (int64_t i = 0; i < processes; i++)
        HL_TRY(put(w, OP_FORK, (int32_t)i, 0, err));
    HL_TRY(put(w, OP_WAIT, 0, INT64_MAX, err));
    HL_TRY(put(w, OP_EXIT, 0, 0, err));
    return workload_add_task(w, &task, err);
}

enum hl_status workload_rsa(struct workload *w, const struct workload_request *request,
                            struct hl_error *err)
{
    const int64_t *c = request->profile->constant;
    const struct workload_options *o = request->options;
    int64_t processes = request->level > 0 ? request->level : request->machine->cpu_count;
    enum hl_status status;

    assert(request->level >= 0);
    *w = (struct workload){0};
    if (processes > WORKLOAD_TASKS_MAX)
        return hl_fail(err, HL_USAGE, "rsa: load %" PRId64 ": expected at most %d processes",
                       processes, WORKLOAD_TASKS_MAX);
    status = fill(w, processes, c[RSA_work_ns], err);
    w->live_task_max = 1 + (size_t)processes;
    w->rate_processes = processes;
    w->rate_marks = SIGNER_PIECES + 1;
    w->rate_window_ns = c[RSA_work_ns];
    w->rate_by_user_time = o != NULL && o->value[OPTION_USERTIME].first != 0;
    w->rate_amount = processes * (c[RSA_work_ns] / c[RSA_sign_ns]);
    if (status != HL_OK)
        workload_close(w);
    return status;
}
