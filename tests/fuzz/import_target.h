/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_target.h - what the fuzz targets of the import room share: one reader, one input, and what
 * must hold of the runs that come out.
 */
#ifndef HL_TESTS_IMPORT_TARGET_H
#define HL_TESTS_IMPORT_TARGET_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "report/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Names end, numbers are in range, a figure is finite, a missing one has its reason. */
static inline void check_run(const struct run *run)
{
    if (memchr(run->workload, 0, sizeof(run->workload)) == NULL ||
        memchr(run->load, 0, sizeof(run->load)) == NULL ||
        memchr(run->variant, 0, sizeof(run->variant)) == NULL || run->load[0] == '\0' ||
        run->run < 0 || run->block < -1 || run->order < -1 || run->level < -1)
        abort();
    for (int i = 0; i < run_metric_count(); i++)
        if (isinf(run->metric[i]) || (!run_has(run, (enum run_metric)i) && run->reason[i] == NULL))
            abort();
}

/* What has been read can be written, and that can be read again, as often as wanted. */
static inline void check_written(const struct import_result *result, const char *name,
                                 enum hl_status (*write)(FILE *out, const struct run_list *runs,
                                                         struct hl_error *err))
{
    struct import_result again = {0};
    struct import_options options = {0};
    struct hl_error err;
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    if (out == NULL || write(out, &result->runs, &err) != HL_OK || fclose(out) != 0)
        abort();
    if (import_text(&again, name, text, bytes, &options, &err) != HL_OK ||
        again.runs.count != result->runs.count) {
        (void)fprintf(stderr, "%s\n%s", err.text, text);
        abort();
    }
    import_close(&again);
    free(text);
}

static inline bool has_studies(const struct import_result *result)
{
    for (size_t i = 0; i < result->runs.count; i++)
        if (result->studies[i][0] != '\0')
            return true;
    return false;
}

/* Reads the input under all that may be said beside a file. */
static inline void import_and_check(const uint8_t *data, size_t size,
                                    enum hl_status (*write)(FILE *out, const struct run_list *runs,
                                                            struct hl_error *err))
{
    const struct import_options options[] = {
        {0},
        {.workload = "w", .variant = {"k=v,\\", "kernel=x"}, .variant_count = 2},
        {.load = "8"},
    };
    struct hl_error err;

    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        struct import_result result = {0};

        if (import_text(&result, "fuzz", (const char *)data, size, &options[i], &err) == HL_OK) {
            for (size_t r = 0; r < result.runs.count; r++)
                check_run(&result.runs.runs[r]);
            /* Runs of several studies may be alike in all else. */
            if (i == 0 && write != NULL && !has_studies(&result))
                check_written(&result, "again", write);
        } else if (result.runs.count != 0 || err.text[0] == '\0' ||
                   strchr(err.text, '\n') != NULL) {
            abort();
        }
        import_close(&result);
    }
    run_metric_reset();
}

#endif
