/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * play_paper.h - plays a published study and scores it; `reproduce`, the bench and tests use it.
 */
#ifndef HL_CLI_PLAY_PAPER_H
#define HL_CLI_PLAY_PAPER_H

#include "paper/paper.h"
#include "study/study.h"

/*
 * Plays each row x load that a cell or ratio needs `paper->simulated_runs` times on `threads` threads
 * and sets `simulated` of every cell and ratio.
 * Loads whose workload cannot be simulated are left out: their cells stay without a value. HL_UNSUPPORTED
 * if that is true of all loads, or if a row needs a policy, machine or profile that is not there.
 */
enum hl_status play_paper(struct paper *paper, uint64_t seed, int threads,
                          const struct study_progress *progress,
                          struct hl_error *err) HL_MUST_CHECK;

/* HL_OK if play_paper could play it; else HL_UNSUPPORTED and what is missing, or another failure. */
enum hl_status play_paper_check(const struct paper *paper, struct hl_error *err) HL_MUST_CHECK;

#endif
