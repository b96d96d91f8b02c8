/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_counters.c - migrations and cpu time of a command by perf_event_open(2).
 *
 * The events are opened on ourselves, off, with `inherit` and `enable_on_exec`: a child gets
 * copies, its exec switches them on, and all its descendants inherit them running. A copy adds its
 * count to ours when its task ends, whether anybody waits for that task or not.
 *
 * Migrations are counted by the kernel, in kernel mode: an event that excludes the kernel, which is
 * all that an unprivileged process gets at kernel.perf_event_paranoid 2, would count none. So it is
 * not tried.
 */
#include "host/perf_counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_counter(uint64_t config)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof(attributes),
        .config = config,
        .disabled = 1,
        .inherit = 1,
        .enable_on_exec = 1,
    };

    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void host_perf_counters_open(struct host_perf_counters *counters)
{
    *counters = (struct host_perf_counters){.migrations_fd = -1, .clock_fd = -1};
    counters->migrations_fd = open_counter(PERF_COUNT_SW_CPU_MIGRATIONS);
    if (counters->migrations_fd >= 0)
        counters->clock_fd = open_counter(PERF_COUNT_SW_TASK_CLOCK);
    if (counters->clock_fd < 0)
        counters->error = errno;
}

static bool read_counter(int fd, int64_t *value)
{
    return fd >= 0 && read(fd, value, sizeof(*value)) == sizeof(*value);
}

bool host_perf_counters_read(const struct host_perf_counters *counters, int64_t *migrations,
                             int64_t *clock_ns)
{
    return read_counter(counters->migrations_fd, migrations) &&
           read_counter(counters->clock_fd, clock_ns);
}

const char *host_perf_counters_why(const struct host_perf_counters *counters)
{
    switch (counters->error) {
    case EACCES:
    case EPERM:
        return "perf events are not permitted; run as root or with CAP_PERFMON, set "
               "kernel.perf_event_paranoid to 1 or less, or lift the container's filter on "
               "perf_event_open";
    case ENOSYS:
    case ENOENT:
    case ENODEV:
        return "this kernel has no perf software events; it takes one with CONFIG_PERF_EVENTS";
    case EMFILE:
    case ENFILE: return "no file descriptor was left for perf; raise the limit (ulimit -n)";
    default:
        return "a perf event could not be opened or read; try `perf stat -e cpu-migrations true` "
               "to see why";
    }
}

void host_perf_counters_close(struct host_perf_counters *counters)
{
    if (counters->migrations_fd >= 0)
        (void)close(counters->migrations_fd);
    if (counters->clock_fd >= 0)
        (void)close(counters->clock_fd);
    counters->migrations_fd = counters->clock_fd = -1;
}
