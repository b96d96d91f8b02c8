/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rsa.c - openssl speed -multi N: N processes that sign, each for itself.
 *
 *     openssl          forks N signers and waits for all
 *       signer         computes; what it signed is its work by the time of one signature
 *
 * Its figure is signatures by the time that goes by, as openssl takes it with -elapsed. Without
 * that it takes each process by its user time, and so did those who published: time spent waiting
 * for a cpu does not show in it then, and no scheduler can.
 *
 * Source: spec freebsd 7.2; openssl-speed(1).
 * Omits:  the clock: each process has a fixed amount of work here, not a fixed time.
 * Model:  M25.
 */
#include <assert.h>
#include <inttypes.h>

#include "workload/workload.h"

enum { OPTION_USERTIME = 0 };

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

static enum hl_status fill(struct workload *w, int64_t processes, int64_t work_ns,
                           struct hl_error *err)
{
    struct workload_task task = {.cpu_set = -1, .start_cpu = -1};
    int32_t signer;

    HL_TRY(workload_program(w, "signer", &signer, err));
    HL_TRY(put(w, OP_RUN, 0, work_ns, err));
    HL_TRY(put(w, OP_EXIT, 0, 0, err));
    HL_TRY(workload_program(w, "openssl", &task.program, err));
    HL_TRY(put(w, OP_FORK, signer, 0, err));
    HL_TRY(put(w, OP_LOOP, 0, processes, err));
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
    if (o != NULL && o->value[OPTION_USERTIME].first != 0)
        w->rate_processes = processes;
    w->rate_amount = processes * (c[RSA_work_ns] / c[RSA_sign_ns]);
    if (status != HL_OK)
        workload_close(w);
    return status;
}
