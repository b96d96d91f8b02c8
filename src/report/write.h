/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * write.h - what all writers of this room share: fields of the formats, and the end of a stream.
 */
#ifndef HL_REPORT_WRITE_H
#define HL_REPORT_WRITE_H

#include <stdio.h>

#include "base/status.h"

/* fprintf in the C locale; at most 1023 bytes at a time. */
void report_write(FILE *out, const char *format, ...) HL_PRINTF(2, 3);

/* A JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD: the file stays valid. */
void report_write_json_string(FILE *out, const char *text);

/* The shortest exact decimal; null for NAN and infinities. */
void report_write_json_number(FILE *out, double value);

/* `before`, such as a comma, and "key":value. */
void report_write_json_member(FILE *out, const char *before, const char *key, double value);

/* "key":"text" and a comma. */
void report_write_json_text(FILE *out, const char *key, const char *text);

/* A field as in RFC 4180: in quotes, with quotes doubled, if it needs them. */
void report_write_csv_field(FILE *out, const char *text);

/* Flushes, and says whether all that was written arrived. */
enum hl_status report_write_end(FILE *out, struct hl_error *err) HL_MUST_CHECK;

#endif
