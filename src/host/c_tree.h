/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * c_tree.h - the generated C tree: what kernbench builds when no tree is given.
 */
#ifndef HL_HOST_C_TREE_H
#define HL_HOST_C_TREE_H

#include <stdint.h>

#include "base/status.h"

enum { HOST_C_DIRECTORIES = 8, HOST_C_UNITS = 120 }; /* units at scale 1 */

struct host_c_tree_options {
    uint64_t seed;
    int64_t scale_ppm; /* HL_PPM: HOST_C_UNITS units, about 15 cpu-seconds at -O2 */
};

/* Units of a tree of that scale; at least one per directory. */
int host_c_tree_units(int64_t scale_ppm);

/* Writes the tree into `folder`, which is there and empty. The same options give the same bytes. */
enum hl_status host_c_tree_write(const char *folder, const struct host_c_tree_options *options,
                                 struct hl_error *err) HL_MUST_CHECK;

#endif
