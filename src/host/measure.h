/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure.h - one command of a workload: run under a setting, made a run record.
 */
#ifndef HL_HOST_MEASURE_H
#define HL_HOST_MEASURE_H

#include "host/host_session.h"
#include "host/runner.h"
#include "host/setting.h"
#include "run/run.h"

struct host_measure {
    struct host_command command;        /* without what the setting changes */
    const char *name;                   /* of the command in notes: "make" */
    const struct host_setting *setting; /* NULL: changes nothing */
    const struct host_session *session; /* what is left of a killed keeper carries its mark */
};

/*
 * Runs the command and fills *run: status, exit_status, all metrics, note. Statuses are those of
 * host_work_run. *result is what the runner saw.
 */
enum hl_status host_measure(const struct host_measure *measure, struct run *run,
                            struct host_result *result, struct hl_error *err) HL_MUST_CHECK;

#endif
