/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paper.h - published tables, and how far a simulated one is from them.
 */
#ifndef HL_PAPER_PAPER_H
#define HL_PAPER_PAPER_H

#include <stdbool.h>
#include <stdint.h>

#include "run/run.h"

enum paper_role { PAPER_FITTED, PAPER_PREDICTED, PAPER_COMPARING, PAPER_NOT_EXPLAINED, PAPER_ROLE_COUNT };

enum paper_statistic { PAPER_MEAN, PAPER_BEST };

struct paper_cell {
    char row[64], load[32], metric[32]; /* labels as published; metric: a name of run_metric_table */
    enum paper_role role;
    double published;  /* in its own unit; NAN: blank */
    double simulated;  /* NAN until scored */
};

struct paper_row {
    char label[64];
    char policy[128];  /* with version */
    char machine[64];  /* shipped machine */
    char profile[64];  /* shipped profile */
    char (*params)[96]; /* machine parameters of this row, "KEY=VALUE" */
    int param_count;
};

struct paper_load {
    char label[32];    /* "-j3" */
    char level[32];    /* as --load takes it: "3", "half" */
};

struct paper {
    char id[64], title[128], where[128], workload[32];
    enum paper_statistic statistic;
    int64_t runs;      /* per cell, as published */
    struct paper_row *rows;
    int row_count;
    struct paper_load *loads;
    int load_count;
    struct paper_cell *cells; /* row-major: row, load, metric */
    int cell_count;
    int reference_cell; /* index: both sides are divided by their own value of it; -1: not normalised */
    char **notes;
    int note_count;
};

enum hl_status paper_open(struct paper *paper, const char *id, struct hl_error *err) HL_MUST_CHECK;
void paper_close(struct paper *paper);

/* Sets `simulated` of one cell from the runs of its row and load: mean or best of the metric. */
void paper_score_cell(struct paper *paper, int cell, const struct run *runs, size_t count);

struct paper_order {
    char machine[64], load[32];
    bool holds; /* the schedulers stand in the published order; pairs within 2 % published are ties */
};

struct paper_score {
    double mean_absolute_error[PAPER_ROLE_COUNT]; /* of the normalised values; NAN: no such cell */
    double largest_error;                         /* of all explained cells */
    double mean_absolute_error_all;               /* of all explained cells */
    int cells[PAPER_ROLE_COUNT];
    struct paper_order *orders; /* owned; freed by paper_score_close */
    int order_count;
};
enum hl_status paper_score(const struct paper *paper, struct paper_score *score, struct hl_error *err) HL_MUST_CHECK;
void paper_score_close(struct paper_score *score);

/* A cell's value as compared: normalised by the reference cell of its side where the paper normalises. */
double paper_published(const struct paper *paper, int cell);
double paper_simulated(const struct paper *paper, int cell);

#endif
