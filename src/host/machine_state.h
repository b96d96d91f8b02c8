/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine_state.h - what the machine has counted so far, and how it is set up, at one moment.
 *
 * Two of them, before and after a run, say what the machine did meanwhile and whether it stayed the
 * same machine. All files are read below the sysroot.
 */
#ifndef HL_HOST_MACHINE_STATE_H
#define HL_HOST_MACHINE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/facts.h"
#include "host/scheduler.h"
#include "machine/machine.h"

/* Of one cpu, in ticks of the system's clock. */
struct host_cpu_ticks {
    bool is_there;
    int64_t busy, idle, steal; /* busy: all that is neither of the others; idle: for the disk too */
};

struct host_machine_state {
    int64_t at_ns;
    struct machine_host_cpus cpus;
    bool has_cpus;
    struct host_cpu_ticks *ticks; /* [MACHINE_OS_CPUS_MAX] by the system's number; NULL: not read */
    const char *ticks_why;        /* they are not known: static text */
    bool has_steal;
    int64_t pressure_us; /* time with some task waiting for a cpu */
    const char *pressure_of, *pressure_why;
    int64_t throttled_periods, throttled_ns; /* by our group and all above it */
    const char *throttled_why;
    struct host_scheduler scheduler;
};

/* Never fails: what cannot be read is marked. */
void host_machine_state_read(struct host_machine_state *state);
void host_machine_state_close(struct host_machine_state *state); /* safe on zeroed */

struct host_machine_use {               /* of the run itself, between the two states */
    int64_t cpu_ns;                     /* user and system time */
    const struct machine_cpu_set *cpus; /* that the run may use; NULL: all that we may */
};

/* What happened between the two, as metrics and notes. Returns the time stolen from these cpus. */
int64_t host_machine_state_compare(const struct host_machine_state *before,
                                   const struct host_machine_state *after,
                                   const struct host_machine_use *use, struct host_facts *facts);

#endif
