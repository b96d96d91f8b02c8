/* SPDX-License-Identifier: GPL-2.0-or-later */
/* paper_fuzz.c - published tables. covers: src/paper/load.c */
#include <stddef.h>
#include <stdint.h>

#include "paper/paper.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct paper paper = {0};
    struct paper_score score = {0};
    struct hl_error err;

    if (paper_parse(&paper, "fuzz", (const char *)data, size, &err) == HL_OK &&
        paper_score(&paper, &score, &err) == HL_OK)
        paper_score_close(&score);
    paper_close(&paper);
    return 0;
}
