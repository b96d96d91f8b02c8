/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * topology.h - where cpus, cores, packages and nodes of a machine come from. Inside the room only.
 *
 * Each set function replaces the topology of *m and leaves name and constants; on failure *m stays
 * as it was.
 */
#ifndef HL_MACHINE_TOPOLOGY_H
#define HL_MACHINE_TOPOLOGY_H

#include "base/status.h"
#include "machine/cpu_list.h"
#include "machine/machine.h"

/* An hwloc synthetic string, or smp:N or smt:NxM. Errors are HL_USAGE. */
enum hl_status machine_topology_set_synthetic(struct machine *m, const char *text,
                                              struct hl_error *err) HL_MUST_CHECK;
/* A file written by lstopo. Errors are HL_BAD_INPUT. */
enum hl_status machine_topology_set_xml(struct machine *m, const char *path,
                                        struct hl_error *err) HL_MUST_CHECK;
/* What runs here, or what the sysroot describes: all online cpus, allowed to us or not. */
enum hl_status machine_topology_set_host(struct machine *m, struct hl_error *err) HL_MUST_CHECK;

void machine_topology_close(struct machine *m);

/* Fills m->topology: the synthetic form if the machine has one, else a description. */
enum hl_status machine_topology_print(struct machine *m, struct hl_error *err) HL_MUST_CHECK;

#endif
