/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * data_dir.h - where the project's data files (machines/, papers/, profiles/) are.
 *
 * Order: $HALFLOAD_DATA; the source tree, when the running program lies in a build folder of it;
 * the folder given at install time.
 */
#ifndef HL_BASE_DATA_DIR_H
#define HL_BASE_DATA_DIR_H

#include <stddef.h>

#include "base/status.h"

/* Path of `folder`/`name``suffix`, e.g. ("machines", "smp", ".json"), written to path[bytes].
 * HL_USAGE if there is none. */
enum hl_status hl_data_path(char *path, size_t bytes, const char *folder, const char *name,
                            const char *suffix, struct hl_error *err) HL_MUST_CHECK;

/* Names (without suffix) of the files in a data folder, sorted by bytes. The array ends with NULL;
 * free each name and the array with hl_free. */
enum hl_status hl_data_list(const char *folder, const char *suffix, char ***names,
                            struct hl_error *err) HL_MUST_CHECK;

#endif
