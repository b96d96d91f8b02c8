/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernbench_log_fuzz.c - logs of the kernbench script.
 * covers: src/import/kernbench_log.c src/import/import.c src/import/record.c
 */
#include "import_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    import_and_check(data, size, NULL);
    return 0;
}
