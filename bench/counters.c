/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counters.c - clock and instruction counter of this thread, by perf_event_open.
 */
#include "counters.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"

int64_t counters_now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * HL_NS_PER_S + now.tv_nsec;
}

int counters_open(void)
{
    struct perf_event_attr attr;

    memset(&attr, 0, sizeof(attr));
    attr.size = sizeof(attr);
    attr.type = PERF_TYPE_HARDWARE;
    attr.config = PERF_COUNT_HW_INSTRUCTIONS;
    attr.disabled = 1;
    attr.exclude_kernel = 1;
    attr.exclude_hv = 1;
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0UL);
}

void counters_start(int counter)
{
    if (counter < 0)
        return;
    (void)ioctl(counter, PERF_EVENT_IOC_RESET, 0);
    (void)ioctl(counter, PERF_EVENT_IOC_ENABLE, 0);
}

int64_t counters_stop(int counter)
{
    int64_t count = 0;

    if (counter < 0)
        return 0;
    (void)ioctl(counter, PERF_EVENT_IOC_DISABLE, 0);
    return read(counter, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

void counters_close(int counter)
{
    if (counter >= 0)
        (void)close(counter);
}
