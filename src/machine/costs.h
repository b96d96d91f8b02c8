/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * costs.h - tables of constants: text and JSON to values with sources. Machines and profiles share
 * it.
 *
 * A constant in a file:  "smt_gain": {"value": 0.25, "unit": "ratio", "source": "assumed"}
 * Units of a table row and what files may write for them:
 *     ppm: ratio     ns: ns, us, ms, s     bytes: bytes, KiB, MiB, GiB     count: count     bool:
 * bool Sources: spec, published, assumed, fitted:CELLS, measured:WHERE; "given" is the command line's.
 */
#ifndef HL_MACHINE_COSTS_H
#define HL_MACHINE_COSTS_H

#include "base/json.h"
#include "machine/machine.h"

/* Fills values[count] with the table's defaults and sources[count] with copies of "assumed". */
enum hl_status machine_constants_init(const struct machine_constant_info *table, int count,
                                      int64_t *values, char **sources,
                                      struct hl_error *err) HL_MUST_CHECK;
void machine_constants_close(int count, char **sources); /* safe on zeroed */

/* The member "source" of a constant, checked; the text is the file's. */
enum hl_status machine_source_read(const struct hl_json_node *node, const char **source,
                                   struct hl_error *err) HL_MUST_CHECK;

/* {"value", "unit", "source", maybe "note"}; the caller checks for unknown keys. Replaces *source, and
 * *note if there is one; `note` may be NULL. */
enum hl_status machine_constant_read(const struct machine_constant_info *info,
                                     const struct hl_json_node *node, int64_t *value, char **source,
                                     char **note, struct hl_error *err) HL_MUST_CHECK;

/* Overwrites the constants that a JSON object names; the others stay. `notes` may be NULL; they are
 * freed as sources are. */
enum hl_status machine_constants_read(const struct machine_constant_info *table, int count,
                                      const struct hl_json_node *object, int64_t *values,
                                      char **sources, char **notes,
                                      struct hl_error *err) HL_MUST_CHECK;

/* One constant by name and text, as --machine-param gives it. Errors are HL_USAGE. */
enum hl_status machine_constants_set(const struct machine_constant_info *table, int count,
                                     const char *name, const char *text, const char *source,
                                     int64_t *values, char **sources,
                                     struct hl_error *err) HL_MUST_CHECK;

/* The value as machine_constants_set takes it: "0.25", "3us", "512k", "1". */
void machine_constant_print(const struct machine_constant_info *info, int64_t value, char *text,
                            size_t bytes);

#endif
