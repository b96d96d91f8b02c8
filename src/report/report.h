/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - tables, kernbench's text, JSON and CSV, from run records.
 *
 * Writes to the stream it is given. Numbers have '.' whatever the locale. A stream that cannot be
 * written is HL_NOT_PERMITTED.
 */
#ifndef HL_REPORT_REPORT_H
#define HL_REPORT_REPORT_H

#include <stdio.h>

#include "compare/compare.h"
#include "compare/prediction.h"
#include "paper/paper.h"
#include "run/run.h"

/* A line for people, at most 4095 bytes: as fprintf does in the C locale, then what a terminal would
 * obey as escapes (base/visible.h), and a newline. */
void report_line(FILE *out, const char *format, ...) HL_PRINTF(2, 3);

/*
 * A load that the study leaves out: on two cpus kernbench's half load is one job, which is single.
 * Printed as "Half load: off (1 job = single) by kernbench's rule".
 */
struct report_off_load {
    char label[32], text[64]; /* "half", "off (1 job = single)" */
};

/*
 * The -jX grid: a row per policy, variant or "host", a column per load; mean with standard deviation
 * and best of elapsed seconds, then the means normalised to the first row's load of one job, else to
 * its first load, which is named. Of several rows kernbench's other figures follow, each as a table;
 * of one row kernbench's text says them. Failed runs are left out of the figures and listed under the
 * tables, and so is what makes measured runs doubtful. A cell without a figure is blank.
 */
enum hl_status report_grid(FILE *out, const struct run_list *runs,
                           const struct report_off_load *off, int off_count,
                           struct hl_error *err) HL_MUST_CHECK;

/* The same of elapsed time alone, mean and normalised, and of the metrics that only this workload has. */
enum hl_status report_grid_elapsed(FILE *out, const struct run_list *runs,
                                   const struct report_off_load *off, int off_count,
                                   struct hl_error *err) HL_MUST_CHECK;

/* kernbench's own text, one block per load and policy, readable by scripts written for it. A metric
 * that was not had is blank. */
enum hl_status report_kernbench(FILE *out, const struct run_list *runs,
                                const struct report_off_load *off, int off_count,
                                struct hl_error *err) HL_MUST_CHECK;

/*
 * Why each variant takes longer than the best one, load by load (docs/explain.md): where elapsed time
 * went, the differences by cause with the unexplained rest, what happened, what balancing did.
 */
enum hl_status report_why(FILE *out, const struct run_list *runs,
                          struct hl_error *err) HL_MUST_CHECK;

/* report_runs_json with the same in a member "why". */
enum hl_status report_runs_json_why(FILE *out, const struct run_list *runs,
                                    struct hl_error *err) HL_MUST_CHECK;

/* {"schema":1,"runs":[...]}, docs/formats.md; fixed order of keys, shortest exact numbers. */
enum hl_status report_runs_json(FILE *out, const struct run_list *runs,
                                struct hl_error *err) HL_MUST_CHECK;

/* The same with the name of the study and, if it is not empty, its fingerprint (a JSON object). */
enum hl_status report_study_json(FILE *out, const char *study, const char *fingerprint,
                                 const struct run_list *runs, struct hl_error *err) HL_MUST_CHECK;

/* Long form, a line per run and metric; columns by header name, quoted as in RFC 4180. */
enum hl_status report_runs_csv(FILE *out, const struct run_list *runs,
                               struct hl_error *err) HL_MUST_CHECK;

/* Published, simulated, difference by cell; errors by role; order of the schedulers; notes. */
enum hl_status report_paper_text(FILE *out, const struct paper *paper,
                                 const struct paper_score *score,
                                 struct hl_error *err) HL_MUST_CHECK;

/* One object per paper, docs/formats.md. */
enum hl_status report_paper_json(FILE *out, const struct paper *paper,
                                 const struct paper_score *score,
                                 struct hl_error *err) HL_MUST_CHECK;

/*
 * base | new | change [interval] | verdict | p | n for each new arm, by load, with the geometric
 * mean; what keeps a load undecided, exploratory metrics that differ, notes. Without a new arm:
 * mean, deviation and interval of each load.
 */
enum hl_status report_compare_text(FILE *out, const struct compare_result *result,
                                   struct hl_error *err) HL_MUST_CHECK;
enum hl_status report_compare_markdown(FILE *out, const struct compare_result *result,
                                       struct hl_error *err) HL_MUST_CHECK;

/* All comparisons with raw and adjusted p, and the notes; docs/formats.md. */
enum hl_status report_compare_json(FILE *out, const struct compare_result *result,
                                   struct hl_error *err) HL_MUST_CHECK;
/* A line per comparison, columns by header name, quoted as in RFC 4180. */
enum hl_status report_compare_csv(FILE *out, const struct compare_result *result,
                                  struct hl_error *err) HL_MUST_CHECK;

/* Predictions beside what was measured, one table each; as {"schema":1,"predictions":[..]}; as a
 * line per cell. */
enum hl_status report_prediction_text(FILE *out, const struct prediction *predictions, size_t count,
                                      struct hl_error *err) HL_MUST_CHECK;
enum hl_status report_prediction_json(FILE *out, const struct prediction *predictions, size_t count,
                                      struct hl_error *err) HL_MUST_CHECK;
enum hl_status report_prediction_csv(FILE *out, const struct prediction *predictions, size_t count,
                                     struct hl_error *err) HL_MUST_CHECK;

/* Noise, what would be found, and how many runs it takes; then what the planned n cannot do. */
enum hl_status report_plan_text(FILE *out, const struct compare_plan *plan,
                                struct hl_error *err) HL_MUST_CHECK;
enum hl_status report_plan_json(FILE *out, const struct compare_plan *plan,
                                struct hl_error *err) HL_MUST_CHECK;

/*
 * Text table with aligned columns. Cells are copied; rows may have different lengths. Running out
 * of memory, also in report_table_new, is told by report_table_print: the others take a NULL table.
 */
struct report_table;
struct report_table *report_table_new(void);
void report_table_cell(struct report_table *table, const char *format, ...) HL_PRINTF(2, 3);
void report_table_end_row(struct report_table *table);
/* First column left, others right aligned; the first `header_rows` rows are underlined. */
enum hl_status report_table_print(struct report_table *table, FILE *out, int header_rows,
                                  struct hl_error *err) HL_MUST_CHECK;
void report_table_free(struct report_table *table);

#endif
