/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build_tree.h - the process tree of a build, for the workloads that are builds.
 */
#ifndef HL_WORKLOAD_BUILD_TREE_H
#define HL_WORKLOAD_BUILD_TREE_H

#include "workload/workload.h"

/* A build: constants of kernbench, which all builds have, and what they differ in. */
struct build_tree_shape {
    const char *stream;         /* purpose of its random numbers */
    const int64_t *constant;    /* PROFILE_CONSTANT_COUNT of them */
    int64_t phases;             /* parts of the tree, each finished before the next begins */
    bool one_directory;         /* directories one after the other; else as many as jobs */
    int64_t disk_directory_ppm; /* disk accesses of a directory's make before its units: the mean */
};

/* Of the request, only the level, the machine, the seed and the profile's name are used. */
enum hl_status build_tree_fill(struct workload *w, const struct workload_request *request,
                               const struct build_tree_shape *shape,
                               struct hl_error *err) HL_MUST_CHECK;

#endif
