/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prediction_notes.h - whether a simulated and a measured arm are of the same build, machine and
 * kernel, and whether the measured figures are doubtful.
 */
#ifndef HL_CLI_PREDICTION_NOTES_H
#define HL_CLI_PREDICTION_NOTES_H

#include "compare/prediction.h"

enum hl_status prediction_notes_add(struct prediction *prediction,
                                    struct hl_error *err) HL_MUST_CHECK;

#endif
