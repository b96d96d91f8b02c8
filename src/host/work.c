/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * work.c - the workloads that are measured, by name.
 */
#include "host/work.h"

#include <assert.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "base/units.h"

static const struct host_work_ops *const work_table[] = {
    &host_buildworld_ops, &host_cmd_ops, &host_kernbench_ops, &host_matinv_ops, &host_rsa_ops};

static const struct host_work_ops *find(const char *name)
{
    for (int i = 0; i < HL_COUNT_OF(work_table); i++)
        if (strcmp(work_table[i]->name, name) == 0)
            return work_table[i];
    return NULL;
}

enum hl_status host_work_open(struct host_work **work, const struct host_work_options *options,
                              struct hl_error *err)
{
    const struct host_work_ops *ops = find(options->workload);
    enum hl_status status;

    *work = NULL;
    if (ops == NULL)
        return hl_fail(err, HL_UNSUPPORTED, "workload %s is not measured on a real machine",
                       options->workload);
    *work = hl_alloc(1, ops->bytes);
    if (*work == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for a workload");
    (*work)->ops = ops;
    status = ops->open(*work, options, err);
    if (status != HL_OK) {
        host_work_close(*work);
        *work = NULL;
    }
    return status;
}

enum hl_status host_work_run(struct host_work *work, int64_t level,
                             const struct host_setting *setting, struct run *run,
                             struct hl_error *err)
{
    enum hl_status status;

    assert(level >= 0);
    if (hl_interrupted())
        return hl_fail(err, HL_INTERRUPTED, "interrupted");
    status = work->ops->run(work, level, setting, run, err);
    if (work->place >= 0)
        work->place++;
    return status;
}

void host_work_place(struct host_work *work, int64_t place)
{
    work->place = place;
}

int64_t host_work_max_jobs(const struct host_work *work)
{
    return work->ops->max_jobs == NULL ? 0 : work->ops->max_jobs(work);
}

void host_work_close(struct host_work *work)
{
    if (work == NULL)
        return;
    work->ops->close(work);
    hl_free(work);
}
