/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doubts.h - what makes measured figures doubtful: the machine was not ours alone.
 */
#ifndef HL_REPORT_DOUBTS_H
#define HL_REPORT_DOUBTS_H

#include <stdio.h>

#include "report/cells.h"

/* A line per measured cell whose runs scatter, or whose one job did not get a whole cpu. */
void report_write_doubts(FILE *out, const struct report_cells *cells);

#endif
