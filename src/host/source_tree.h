/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_tree.h - what kind of tree the user gave, and whether it can be built outside of itself.
 */
#ifndef HL_HOST_SOURCE_TREE_H
#define HL_HOST_SOURCE_TREE_H

#include <limits.h>
#include <stdbool.h>

#include "base/status.h"

struct host_source_tree {
    char path[PATH_MAX]; /* absolute, without links */
    bool is_kernel;
    bool has_config;     /* kernel: there is a .config */
    bool must_be_copied; /* kernel: cannot be built with O= from where it is */
};

/* Fails if there is no Makefile, if a kernel source is not clean, or if the tree works only in
 * place. */
enum hl_status host_source_tree_inspect(struct host_source_tree *source, const char *path,
                                        struct hl_error *err) HL_MUST_CHECK;

#endif
