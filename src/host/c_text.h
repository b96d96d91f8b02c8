/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * c_text.h - C source text made from numbers: headers and units that compile without a warning,
 * contain no undefined behaviour and are the same bytes everywhere for the same random stream.
 */
#ifndef HL_HOST_C_TEXT_H
#define HL_HOST_C_TEXT_H

#include <stddef.h>

#include "base/rng.h"
#include "base/status.h"

enum { HOST_C_HEADERS = 40 }; /* shared by all units of a tree */

/* Growing text. {0} is empty; running out of memory is remembered until host_text_check. */
struct host_text {
    char *bytes;
    size_t count, capacity;
    enum hl_status status;
};

void host_text_add(struct host_text *text, const char *format, ...) HL_PRINTF(2, 3);
void host_text_clear(struct host_text *text);
enum hl_status host_text_check(const struct host_text *text, struct hl_error *err) HL_MUST_CHECK;
void host_text_close(struct host_text *text);

/* Header `number` of HOST_C_HEADERS; it includes only headers of lower numbers. */
void host_c_header_add(struct host_text *text, int number, struct hl_rng *rng);

/* Unit `number` with `functions` functions of about equal size and `unsigned uNNNN(unsigned)`,
 * which calls them all. */
void host_c_unit_add(struct host_text *text, int number, int functions, struct hl_rng *rng);

#endif
