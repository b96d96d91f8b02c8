/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fingerprint.h - what machine and kernel this is: what has to be the same for two results to be
 * comparable, and what is worth knowing.
 *
 * JSON: {"must_match":{"cpu_model":"...",...},"informational":{...}}, all values are text. What
 * cannot be read is "unknown: REASON". Everything is read below the sysroot.
 */
#ifndef HL_HOST_FINGERPRINT_H
#define HL_HOST_FINGERPRINT_H

#include "base/status.h"

/* The caller frees *json with hl_free. */
enum hl_status host_fingerprint_take(char **json, struct hl_error *err) HL_MUST_CHECK;

/* What must match and does not. `was` or `is` is NULL where a fingerprint lacks the key. Texts that
 * are no fingerprints have no keys. */
typedef void host_fingerprint_visitor(const char *key, const char *was, const char *is,
                                      void *context);
void host_fingerprint_compare(const char *was, const char *is, host_fingerprint_visitor *visit,
                              void *context);

#endif
