/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scheduler.c - reads /sys/kernel/sched_ext: state, enable_seq, root/ops.
 *
 * A scheduler of sched_ext is a program: it can end at any time, by itself or thrown out by the
 * kernel, and then the kernel's own goes on as if nothing had been.
 */
#include "host/scheduler.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "host/system_file.h"

void host_scheduler_read(struct host_scheduler *scheduler)
{
    char text[64];

    *scheduler = (struct host_scheduler){.enable = -1};
    if (host_system_line(text, sizeof(text), "/sys/kernel/sched_ext/enable_seq") != 0 ||
        !hl_parse_int(text, &scheduler->enable))
        scheduler->enable = -1;
    if (host_system_line(text, sizeof(text), "/sys/kernel/sched_ext/state") != 0 ||
        strcmp(text, "enabled") != 0)
        return;
    if (host_system_line(scheduler->name, sizeof(scheduler->name),
                         "/sys/kernel/sched_ext/root/ops") != 0 ||
        scheduler->name[0] == '\0')
        (void)snprintf(scheduler->name, sizeof(scheduler->name), "not named");
}

const char *host_scheduler_print(const struct host_scheduler *scheduler,
                                 char text[static HOST_SCHEDULER_BYTES])
{
    (void)snprintf(text, HOST_SCHEDULER_BYTES, "%s%s",
                   scheduler->name[0] == '\0' ? "" : "sched_ext ",
                   scheduler->name[0] == '\0' ? "the kernel's own" : scheduler->name);
    return text;
}

enum hl_status host_scheduler_check(const struct host_scheduler *scheduler, struct hl_error *err)
{
    char was[HOST_SCHEDULER_BYTES], is[HOST_SCHEDULER_BYTES];
    struct host_scheduler now;

    host_scheduler_read(&now);
    if (strcmp(scheduler->name, now.name) == 0)
        return HL_OK;
    return hl_fail(err, HL_NOT_PERMITTED,
                   "the scheduler changed: %s at the start, %s now; enable the first again and "
                   "`halfload resume` the study",
                   host_scheduler_print(scheduler, was), host_scheduler_print(&now, is));
}
