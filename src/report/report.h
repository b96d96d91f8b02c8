/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - tables, kernbench's text, JSON and CSV, from run records. Writes to a stream it is given; never exits.
 */
#ifndef HL_REPORT_REPORT_H
#define HL_REPORT_REPORT_H

#include <stdio.h>

#include "paper/paper.h"
#include "run/run.h"

/*
 * The -jX grid: a row per policy (or variant, or "host"), a column per load; mean and best of elapsed
 * seconds, then the same normalised to the first row's first load, which is named. Failed runs are
 * left out of the figures and counted under the table. `off` names loads that are off, with the reason.
 */
struct report_off_load {
    char label[32], text[64]; /* "half", "off (1 job = single)" */
};
enum hl_status report_grid(FILE *out, const struct run_list *runs, const struct report_off_load *off,
                           int off_count, struct hl_error *err) HL_MUST_CHECK;

/* kernbench's own text, one block per load and policy, readable by scripts written for it (0.50 and older). */
enum hl_status report_kernbench(FILE *out, const struct run_list *runs, const struct report_off_load *off,
                                int off_count, struct hl_error *err) HL_MUST_CHECK;

/* {"schema":1,"runs":[...]} of design section 9; keys in fixed order, numbers in shortest exact form. */
enum hl_status report_runs_json(FILE *out, const struct run_list *runs, struct hl_error *err) HL_MUST_CHECK;
/* Long form: workload,load,variant,run,metric,value,unit and the optional columns. */
enum hl_status report_runs_csv(FILE *out, const struct run_list *runs, struct hl_error *err) HL_MUST_CHECK;

enum hl_status report_paper_text(FILE *out, const struct paper *paper, const struct paper_score *score,
                                 struct hl_error *err) HL_MUST_CHECK;
/* One object per paper, design section 9. */
enum hl_status report_paper_json(FILE *out, const struct paper *paper, const struct paper_score *score,
                                 struct hl_error *err) HL_MUST_CHECK;

/* Text table with aligned columns; UTF-8 free. Cells are copied. */
struct report_table;
struct report_table *report_table_new(void); /* NULL: out of memory */
void report_table_cell(struct report_table *table, const char *format, ...) HL_PRINTF(2, 3);
void report_table_end_row(struct report_table *table);
/* First column left, others right aligned; `header_rows` rows underlined. */
enum hl_status report_table_print(struct report_table *table, FILE *out, int header_rows, struct hl_error *err) HL_MUST_CHECK;
void report_table_free(struct report_table *table);

#endif
