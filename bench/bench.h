/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench.h - how the parts of the bench print their figures.
 */
#ifndef HL_BENCH_BENCH_H
#define HL_BENCH_BENCH_H

#include "base/status.h"

/* One line, and one entry of the JSON file. NAN: null. */
void figure(const char *name, double value, const char *unit);
/* A null figure with its reason on standard error. */
void missing(const char *name, const char *unit, const char *reason);

/* The engine under every policy; `program` is run again under valgrind where there is no counter. */
enum hl_status engine_bench(const char *program, struct hl_error *err) HL_MUST_CHECK;
/* One run of the case with so many cpus, for valgrind to count. */
enum hl_status engine_bench_once(const char *policy, int cpus, struct hl_error *err) HL_MUST_CHECK;

#endif
