/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tool_output.h - figures from what halfload-matinv and openssl print.
 */
#ifndef HL_HOST_TOOL_OUTPUT_H
#define HL_HOST_TOOL_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

struct host_matinv_figures {
    double mflops, residual; /* residual NAN: not looked at */
};

struct host_rsa_figures {
    double signs_per_s, verifies_per_s; /* of all processes */
};

/* False if the text is none of theirs; `found` says why, in one line. */
bool host_matinv_read(const char *text, struct host_matinv_figures *figures, char *found,
                      size_t bytes);
bool host_rsa_read(const char *text, struct host_rsa_figures *figures, char *found, size_t bytes);

#endif
