/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why.h - the variants of one load, each explained against the best of them; inside the room.
 */
#ifndef HL_REPORT_WHY_H
#define HL_REPORT_WHY_H

#include <stdbool.h>

#include "explain/explain.h"
#include "report/cells.h"

struct why_row {
    const struct run
        *run;      /* the first of the variant; names it. NULL: it has no run at this load */
    bool is_known; /* its runs say where time went */
    struct hl_error error; /* else: why not */
    struct explain_sums sums;
    struct explain_difference difference; /* to the best */
};

struct why {
    struct report_cells cells;
    struct why_row *rows;       /* of the load looked at, by row of the cells */
    const struct why_row *best; /* the least elapsed time; NULL: nothing is known */
};

enum hl_status why_open(struct why *why, const struct run_list *runs,
                        struct hl_error *err) HL_MUST_CHECK;
void why_close(struct why *why); /* safe on zeroed */

/* Fills `rows` and `best` for a column of the cells. */
void why_look(struct why *why, size_t column);

/* Mean of the runs of a row at that load that are ok and have the metric; NAN: none. */
double why_mean(const struct why *why, size_t row, size_t column, enum run_metric metric);

/* The elements of the array "why". */
enum hl_status report_why_write_json(FILE *out, const struct run_list *runs,
                                     struct hl_error *err) HL_MUST_CHECK;

#endif
