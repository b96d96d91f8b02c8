/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernbench.c - make -jX of a kernel: as many directories at a time as there are jobs, in one part.
 *
 * Source: spec linux 7 and 9. The tree itself is build_tree.c's.
 */
#include "workload/build_tree.h"

enum hl_status workload_kernbench(struct workload *w, const struct workload_request *request,
                                  struct hl_error *err)
{
    struct build_tree_shape shape = {
        .stream = "workload/kernbench", .constant = request->profile->constant, .phases = 1};

    if (request->profile->processes.count > 0)
        return workload_measured_build(w, request, err);
    return build_tree_fill(w, request, &shape, err);
}
