/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * data_dir.h - where the project's data files (goldens/, machines/, papers/, profiles/) are.
 *
 * They are in $HALFLOAD_DATA if it is set and not empty; else in the source tree, when the running
 * program lies in a build folder of it; else in the folder given at install time.
 */
#ifndef HL_BASE_DATA_DIR_H
#define HL_BASE_DATA_DIR_H

#include <stddef.h>

#include "base/status.h"

/* Path of `folder`/`name``suffix`, e.g. ("machines", "smp", ".json"), written to path[bytes].
 * HL_USAGE, with a near name and a list, if there is none. */
enum hl_status hl_data_path(char *path, size_t bytes, const char *folder, const char *name,
                            const char *suffix, struct hl_error *err) HL_MUST_CHECK;

/* Names (without suffix) of the files in a data folder, sorted by bytes. The array ends with NULL;
 * free it with hl_data_list_close. */
enum hl_status hl_data_list(const char *folder, const char *suffix, char ***names,
                            struct hl_error *err) HL_MUST_CHECK;
void hl_data_list_close(char **names); /* NULL is fine */

#endif
