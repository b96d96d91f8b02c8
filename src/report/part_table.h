/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * part_table.h - the parts of runs, such as the orders of matinv, as a table.
 */
#ifndef HL_REPORT_PART_TABLE_H
#define HL_REPORT_PART_TABLE_H

#include <stdio.h>

#include "report/cells.h"

/* A row per cell and part, with the means of its runs; nothing if no run that is ok has parts. */
enum hl_status report_write_parts(FILE *out, const struct report_cells *cells,
                                  struct hl_error *err) HL_MUST_CHECK;

#endif
