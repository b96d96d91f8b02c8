/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * units.h - time, ratios, small arithmetic. Time is int64_t nanoseconds everywhere.
 */
#ifndef HL_BASE_UNITS_H
#define HL_BASE_UNITS_H

#include <stdint.h>

#define HL_NS_PER_US INT64_C(1000)
#define HL_NS_PER_MS INT64_C(1000000)
#define HL_NS_PER_S INT64_C(1000000000)

/* Ratios such as smt_gain are integers in parts per million. */
#define HL_PPM INT64_C(1000000)

/* Arguments are evaluated twice; for plain variables only. */
#define HL_MIN(a, b) ((a) < (b) ? (a) : (b))
#define HL_MAX(a, b) ((a) > (b) ? (a) : (b))
#define HL_COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

#endif
