/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paper_text.h - what the text tables of a paper share: cells (paper_table.c), ratios
 * (paper_ratios.c).
 */
#ifndef HL_REPORT_PAPER_TEXT_H
#define HL_REPORT_PAPER_TEXT_H

#include <stdio.h>

#include "paper/paper.h"
#include "report/report.h"

enum { REPORT_PAPER_COLUMNS = 6 }; /* loads side by side: a line stays below 100 characters */

/* The letter behind a difference. */
char report_paper_letter(enum paper_role role);

/* The head of a table: loads[count] index paper->loads; two columns stand before them, for row and line. */
void report_paper_loads(struct report_table *table, const struct paper *paper, const int *loads,
                        int count);

/* The tables of the ratios that a paper names, each group of one metric. */
enum hl_status report_paper_ratios(FILE *out, const struct paper *paper,
                                   struct hl_error *err) HL_MUST_CHECK;

#endif
