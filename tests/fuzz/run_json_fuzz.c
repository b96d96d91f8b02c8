/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_json_fuzz.c - our own JSON; what it gives is written and read back.
 * covers: src/import/run_json.c src/report/runs_json.c src/run/reason.c
 */
#include "import_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    import_and_check(data, size, report_runs_json);
    return 0;
}
