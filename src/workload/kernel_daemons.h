/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_daemons.h - light kernel daemons beside a build (model M17).
 */
#ifndef HL_WORKLOAD_KERNEL_DAEMONS_H
#define HL_WORKLOAD_KERNEL_DAEMONS_H

#include "base/rng.h"
#include "workload/workload.h"

/* One per package, in the background for ever: 0.2 ms of work each 50 to 150 ms, from a time that is
 * drawn from `rng`. */
enum hl_status workload_kernel_daemons(struct workload *w, const struct machine *machine,
                                       struct hl_rng *rng, struct hl_error *err) HL_MUST_CHECK;

#endif
