/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - numbers, durations and words from text, strictly: no trailing rubbish, no overflow, no locale.
 */
#ifndef HL_BASE_TEXT_H
#define HL_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Whole decimal integer with optional sign. False on anything else or on overflow. */
bool hl_parse_int(const char *text, int64_t *value);

/* Decimal number such as "0.125" or "-3" to an integer in units of 1/scale (scale: a power of ten);
 * digits beyond the scale are rounded half away from zero. "12%" is 0.12. False on anything else. */
bool hl_parse_decimal(const char *text, int64_t scale, int64_t *value);

/* Decimal number such as "0.125", "-3" or "1e-9" to the nearest double. False on anything else, also
 * on "nan", "inf", hexadecimal and what is too large for one. */
bool hl_parse_double(const char *text, double *value);

/* "5ms", "200us", "1.5s", "100ns", "2m" (minutes); a bare number is nanoseconds. */
bool hl_parse_duration_ns(const char *text, int64_t *ns);

/* "512", "64k", "2M", "1G", "1T": powers of 1024. */
bool hl_parse_bytes(const char *text, int64_t *bytes);

/*
 * Splits `text` at `separator` in place; a backslash takes the next character literally and is
 * removed. Returns the number of pieces, at most `max`; more pieces give max + 1 and are not stored.
 */
int hl_split(char *text, char separator, char **pieces, int max);

/* Cuts off the line that *rest starts with and moves *rest behind it; NULL at the end. */
char *hl_next_line(char **rest);

/* Whole file as text with a final NUL; caller frees with hl_free. Fails on files above `max_bytes`.
 * A missing or unreadable file is HL_BAD_INPUT, and so is a FIFO or device, which may block. `bytes` may be NULL. */
enum hl_status hl_read_file(const char *path, size_t max_bytes, char **text, size_t *bytes,
                            struct hl_error *err) HL_MUST_CHECK;

/* The known word nearest to `word` by edit distance, for "did you mean"; NULL if none is near. */
const char *hl_nearest_word(const char *word, const char *const *known, int known_count);

/*
 * Fails with: WHERE: unknown KIND "WORD"; did you mean "NEAR"? known: A, B, C
 * `where` is a file with line or JSON pointer, or NULL. Too long a list ends in "and N more".
 */
enum hl_status hl_fail_unknown(struct hl_error *err, enum hl_status status, const char *where,
                               const char *kind, const char *word, const char *const *known,
                               int known_count) HL_MUST_CHECK;

#endif
