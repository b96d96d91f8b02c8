/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare_prediction.h - `halfload compare SIMULATED MEASURED --prediction`.
 */
#ifndef HL_CLI_COMPARE_PREDICTION_H
#define HL_CLI_COMPARE_PREDICTION_H

#include <stdio.h>

#include "cli/stored_arms.h"
#include "compare/prediction.h"

typedef enum hl_status write_predictions(FILE *out, const struct prediction *predictions,
                                         size_t count, struct hl_error *err);

/* Each arm of the first word beside the one of the second, by the metric of that name; NULL: by what
 * the workload is measured by. */
enum hl_status cli_compare_prediction(const struct stored_arms *stored, const char *metric,
                                      write_predictions *write, struct hl_error *err) HL_MUST_CHECK;

#endif
