/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cells.c - sorts the runs of a study into rows and columns without changing their order.
 */
#include "report/cells.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "base/memory.h"

static size_t place_of(const struct run *run, const struct run **known, size_t *count,
                       bool (*is_same)(const struct run *, const struct run *))
{
    size_t i = 0;

    while (i < *count && !is_same(known[i], run))
        i++;
    if (i == *count)
        known[(*count)++] = run;
    return i;
}

enum hl_status report_cells_open(struct report_cells *cells, const struct run_list *runs,
                                 struct hl_error *err)
{
    size_t count = runs->count;

    *cells = (struct report_cells){.runs = runs};
    cells->row_of = hl_alloc(count, sizeof(*cells->row_of));
    cells->column_of = hl_alloc(count, sizeof(*cells->column_of));
    cells->rows = hl_alloc(count, sizeof(*cells->rows));
    cells->columns = hl_alloc(count, sizeof(*cells->columns));
    cells->cell = hl_alloc(count, sizeof(*cells->cell));
    cells->values = hl_alloc(count, sizeof(*cells->values));
    if (cells->row_of == NULL || cells->column_of == NULL || cells->rows == NULL ||
        cells->columns == NULL || cells->cell == NULL || cells->values == NULL) {
        report_cells_close(cells);
        return hl_fail(err, HL_NO_MEMORY, "out of memory for a table of %zu runs", count);
    }
    for (size_t i = 0; i < count; i++) {
        const struct run *run = &runs->runs[i];

        cells->row_of[i] = place_of(run, cells->rows, &cells->row_count, run_same_arm);
        cells->column_of[i] = place_of(run, cells->columns, &cells->column_count, run_same_load);
    }
    return HL_OK;
}

void report_cells_close(struct report_cells *cells)
{
    hl_free(cells->row_of);
    hl_free(cells->column_of);
    hl_free(cells->rows);
    hl_free(cells->columns);
    hl_free(cells->cell);
    hl_free(cells->values);
    *cells = (struct report_cells){0};
}

size_t report_cells_runs(const struct report_cells *cells, size_t row, size_t column)
{
    size_t n = 0;

    for (size_t i = 0; i < cells->runs->count; i++)
        if (cells->row_of[i] == row && cells->column_of[i] == column)
            cells->cell[n++] = cells->runs->runs[i];
    return n;
}

size_t report_cells_values(const struct report_cells *cells, size_t row, size_t column,
                           enum run_metric metric)
{
    return run_values(cells->cell, report_cells_runs(cells, row, column), metric, cells->values);
}

bool report_is_make(const struct run *run)
{
    size_t length = strcspn(run->workload, ":"); /* options stand behind it */

    return length == strlen("kernbench") && strncmp(run->workload, "kernbench", length) == 0;
}

void report_format_load(char *text, size_t bytes, const struct run *run)
{
    const char *dash = report_is_make(run) ? "-j" : "";
    char level[24] = "";

    if (run->level > 0)
        (void)hl_format(level, sizeof(level), "%" PRId64, run->level);
    if (level[0] == '\0' && dash[0] == '\0')
        (void)hl_format(text, bytes, "%s", run->load);
    else if (strcmp(run->load, level) == 0)
        (void)hl_format(text, bytes, "%s%s", dash, level);
    else
        (void)hl_format(text, bytes, "%s %s%s", run->load, dash, level);
}

const char *report_load_name(const char *label)
{
    static const char *const names[][2] = {
        {"half", "Half"}, {"optimal", "Optimal"}, {"max", "Maximal"}, {"single", "Single"}};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(label, names[i][0]) == 0)
            return names[i][1];
    return NULL;
}

void report_write_off(FILE *out, const struct report_off_load *off)
{
    const char *name = report_load_name(off->label);

    (void)fprintf(out, "%s load: %s by kernbench's rule\n", name == NULL ? off->label : name,
                  off->text);
}
