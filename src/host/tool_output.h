/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tool_output.h - figures from what halfload-matinv and openssl print.
 */
#ifndef HL_HOST_TOOL_OUTPUT_H
#define HL_HOST_TOOL_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct host_matinv_row {
    int64_t order;                                 /* 0: all of them, with the largest residual */
    double seconds, mflops, residual, parallelism; /* residual NAN: not looked at */
};

enum { HOST_MATINV_ROWS_MAX = 256 };

struct host_matinv_figures {
    struct host_matinv_row total, rows[HOST_MATINV_ROWS_MAX];
    int row_count;
};

struct host_rsa_figures {
    double signs_per_s, verifies_per_s; /* of all processes */
};

/* False if the text is none of theirs; `found` says why, in one line. */
bool host_matinv_read(const char *text, struct host_matinv_figures *figures, char *found,
                      size_t bytes);
bool host_rsa_read(const char *text, struct host_rsa_figures *figures, char *found, size_t bytes);

#endif
