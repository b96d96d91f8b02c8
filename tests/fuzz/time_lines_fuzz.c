/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * time_lines_fuzz.c - what time commands print.
 * covers: src/import/time_lines.c src/import/record.c
 */
#include "import_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    import_and_check(data, size, NULL);
    return 0;
}
