/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paper_fuzz.c - published tables, read, scored and printed.
 * covers: src/paper/load.c src/paper/score.c src/report/paper_table.c src/report/paper_json.c
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print_scored(const struct paper *paper)
{
    struct paper_score score = {0};
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    struct hl_error err;

    if (out == NULL || paper_score(paper, &score, &err) != HL_OK ||
        report_paper_text(out, paper, &score, &err) != HL_OK ||
        report_paper_json(out, paper, &score, &err) != HL_OK)
        abort(); /* what has been read can be printed */
    paper_score_close(&score);
    (void)fclose(out);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct paper paper = {0};
    struct hl_error err;

    if (paper_parse(&paper, "fuzz", (const char *)data, size, &err) == HL_OK) {
        /* Some cells are simulated, some are not. */
        for (int i = 0; i < paper.cell_count; i += 2)
            paper.cells[i].simulated = paper.cells[i].published * (1 + i % 3);
        print_scored(&paper);
    }
    paper_close(&paper);
    return 0;
}
