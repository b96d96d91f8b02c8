/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine_file.h - machine files (docs/formats.md, "Machine files").
 */
#ifndef HL_MACHINE_MACHINE_FILE_H
#define HL_MACHINE_MACHINE_FILE_H

#include <stddef.h>

#include "base/status.h"
#include "machine/machine.h"

/* Fills *m, which holds the default constants. On failure *m may be half filled; the caller closes
 * it. */
enum hl_status machine_file_open(struct machine *m, const char *path,
                                 struct hl_error *err) HL_MUST_CHECK;

/* The same from text. `name` is for messages; `folder` is where XML files are looked for, NULL:
 * none may be named. */
enum hl_status machine_file_parse(struct machine *m, const char *name, const char *folder,
                                  const char *text, size_t bytes,
                                  struct hl_error *err) HL_MUST_CHECK;

#endif
