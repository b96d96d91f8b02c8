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

/* One per cpu, which it is pinned to: it comes `per_s` times a second, at chance, while the cpu is busy,
 * for 20 us. None for 0. */
enum hl_status workload_kernel_threads(struct workload *w, const struct machine *machine,
                                       int64_t per_s, struct hl_rng *rng,
                                       struct hl_error *err) HL_MUST_CHECK;

#endif
