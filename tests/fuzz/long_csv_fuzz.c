/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * long_csv_fuzz.c - long CSV; what it gives is written as CSV and read back.
 * covers: src/import/long_csv.c src/import/run_index.c src/report/runs_csv.c
 */
#include "import_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    import_and_check(data, size, report_runs_csv);
    return 0;
}
