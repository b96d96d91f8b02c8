/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cells.h - the runs of a study as a grid: a row per policy or variant, a column per load; how loads
 * are called.
 */
#ifndef HL_REPORT_CELLS_H
#define HL_REPORT_CELLS_H

#include <stddef.h>
#include <stdio.h>

#include "report/report.h"
#include "run/run.h"

struct report_cells {
    const struct run_list *runs;
    size_t *row_of, *column_of;         /* by run */
    const struct run **rows, **columns; /* the first run of each, in order of first appearance */
    size_t row_count, column_count;
    struct run *cell; /* room for the runs of one cell */
    double *values;   /* room for one value per run */
};

enum hl_status report_cells_open(struct report_cells *cells, const struct run_list *runs,
                                 struct hl_error *err) HL_MUST_CHECK;
void report_cells_close(struct report_cells *cells); /* safe on zeroed */

/* All runs of a cell, failed ones too, copied to cells->cell; returns how many. */
size_t report_cells_runs(const struct report_cells *cells, size_t row, size_t column);

/* The metric of the runs of a cell that are ok and have it, in cells->values; returns how many. */
size_t report_cells_values(const struct report_cells *cells, size_t row, size_t column,
                           enum run_metric metric);

/* "-j3", "half -j8", "max -j"; levels of other workloads stand without -j. */
/* Its level is make's -jX; kernbench prints its loads. */
bool report_is_make(const struct run *run);

void report_format_load(char *text, size_t bytes, const struct run *run);

/* "Half", "Optimal", "Maximal", "Single" for kernbench's loads; NULL for others. */
const char *report_load_name(const char *label);

/* "Half load: off (1 job = single) by kernbench's rule" */
void report_write_off(FILE *out, const struct report_off_load *off);

#endif
