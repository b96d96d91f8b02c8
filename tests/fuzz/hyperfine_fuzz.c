/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hyperfine_fuzz.c - hyperfine's JSON; what it gives is written as our own JSON and read back.
 * covers: src/import/hyperfine.c src/run/variant.c
 */
#include "import_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    import_and_check(data, size, report_runs_json);
    return 0;
}
