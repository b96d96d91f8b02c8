/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * play_goldens.h - plays records of real kernels and prints real | simulated.
 */
#ifndef HL_CLI_PLAY_GOLDENS_H
#define HL_CLI_PLAY_GOLDENS_H

#include "cli/cli.h"

struct goldens_request {
    const char *path; /* NULL: the shipped ones */
    const char *only; /* "h3,p6"; NULL: all */
    uint64_t seed;
    enum cli_format format; /* text or json */
};

enum hl_status play_goldens(const struct goldens_request *request,
                            struct hl_error *err) HL_MUST_CHECK;

#endif
