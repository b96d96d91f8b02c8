/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why.c - sums and differences of the variants of one load.
 */
#include "report/why.h"

#include "base/memory.h"
#include "stats/stats.h"

enum hl_status why_open(struct why *why, const struct run_list *runs, struct hl_error *err)
{
    *why = (struct why){0};
    HL_TRY(report_cells_open(&why->cells, runs, err));
    why->rows = hl_alloc(why->cells.row_count, sizeof(*why->rows));
    if (why->rows == NULL) {
        why_close(why);
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the causes of %zu variants",
                       runs->count);
    }
    return HL_OK;
}

void why_close(struct why *why)
{
    hl_free(why->rows);
    report_cells_close(&why->cells);
    *why = (struct why){0};
}

static void look_at_row(struct why *why, size_t row, size_t column)
{
    struct report_cells *cells = &why->cells;
    struct why_row *r = &why->rows[row];
    size_t count = report_cells_runs(cells, row, column);

    *r = (struct why_row){0};
    if (count == 0)
        return;
    r->run = cells->rows[row];
    r->is_known = explain_sum(&r->sums, cells->cell, count, &r->error) == HL_OK;
    if (r->is_known && (why->best == NULL || r->sums.elapsed_s < why->best->sums.elapsed_s))
        why->best = r;
}

void why_look(struct why *why, size_t column)
{
    why->best = NULL;
    for (size_t row = 0; row < why->cells.row_count; row++)
        look_at_row(why, row, column);
    for (size_t row = 0; row < why->cells.row_count; row++)
        if (why->rows[row].is_known)
            explain_differ(&why->rows[row].difference, &why->best->sums, &why->rows[row].sums);
}

double why_mean(const struct why *why, size_t row, size_t column, enum run_metric metric)
{
    size_t n = report_cells_values(&why->cells, row, column, metric);

    return stats_mean(why->cells.values, n);
}
