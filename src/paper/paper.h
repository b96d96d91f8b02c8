/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paper.h - published tables, and how far a simulated one is from them.
 *
 * A paper is rows (a policy on a machine) x loads x metrics. Only cells with a published value
 * exist. What a paper is read for is often a ratio of two rows; a file may name such ratios, also of
 * rows that nobody published. The format of the files is in docs/formats.md.
 */
#ifndef HL_PAPER_PAPER_H
#define HL_PAPER_PAPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/run.h"

/*
 * Fitted: some constant of the machine or profile was chosen with the help of this cell. All others
 * are predicted; of those, comparing ones tell schedulers apart. A cell has one role, so PREDICTED
 * are the predicted cells that do not compare: reports count both kinds apart and say so. Not
 * explained: published, but known to come from
 * something else than scheduling; printed and left out of every error and order.
 */
enum paper_role {
    PAPER_FITTED,
    PAPER_PREDICTED,
    PAPER_COMPARING,
    PAPER_NOT_EXPLAINED,
    PAPER_ROLE_COUNT
};

enum paper_statistic { PAPER_MEAN, PAPER_BEST };

struct paper_cell {
    char row[64], load[32], metric[32];      /* labels as published */
    int row_index, load_index, metric_index; /* the same as places in rows, loads, metrics */
    enum paper_role role;
    double published; /* positive, in the metric's unit */
    double simulated; /* NAN until scored */
    int reference;    /* the cell whose value divides this one, each side by its own; -1: none */
};

enum { PAPER_SUM_MAX = 4 };

struct paper_metric {
    char name[32], unit[16]; /* a name of run_metric_table, or one no run has yet */
    enum run_better better;
    /* Metrics of the paper that this one is computed from. It says nothing they do not say, so its
     * cells are printed and in no error. */
    int from[PAPER_SUM_MAX], from_count;
};

struct paper_profile {
    char workload[32], name[64]; /* a shipped profile of that workload's kind */
};

enum { PAPER_PROFILES_MAX = 8 };

struct paper_row {
    char label[64];
    char policy[128]; /* with version */
    char machine[64]; /* shipped machine */
    struct paper_profile profiles[PAPER_PROFILES_MAX];
    int profile_count;
    char (*params)[96]; /* machine parameters of this row, "KEY=VALUE" */
    int param_count;
    char (*options)[96]; /* of the workload, besides those of the load, "KEY=VALUE" */
    int option_count;
};

struct paper_load {
    char label[32];      /* "-j3" */
    char level[32];      /* as --load takes it: "3", "half" */
    char workload[32];   /* the paper's, unless this load names another */
    char (*options)[96]; /* of the workload, "KEY=VALUE": "orders=7000" */
    int option_count;
};

/* The metrics of a row, added up, divided by those of another row at the same load, or by a number. */
struct paper_ratio {
    char label[64];
    int above, below; /* rows; below -1: divided by `divisor` */
    int below_load;   /* of the row below, where it is another one; -1: the same load */
    double divisor;
    int metrics[PAPER_SUM_MAX], metric_count;
};

struct paper_ratio_value {
    int ratio, load;      /* places in ratios, loads */
    enum paper_role role; /* the last of those of its cells; PAPER_ROLE_COUNT: not published */
    double published;     /* NAN: not published */
    double simulated;     /* NAN until scored */
    double deviation;     /* of the ratio from run to run; NAN: fewer than two runs */
};

struct paper {
    char id[64], title[128], where[128], workload[32];
    enum paper_statistic statistic;
    int64_t runs;           /* per cell, as published */
    int64_t simulated_runs; /* per cell */
    struct paper_row *rows;
    int row_count;
    struct paper_load *loads;
    int load_count;
    struct paper_metric *metrics;
    int metric_count;
    struct paper_cell *cells; /* ordered by row, load, metric; those that were published */
    int cell_count;
    int reference_cell; /* divides all cells of its metric; -1: the paper names no such cell */
    struct paper_ratio *ratios;
    int ratio_count;
    struct paper_ratio_value *ratio_values; /* ordered by ratio, load */
    int ratio_value_count;
    char **notes;
    int note_count;
};

/* A shipped paper by its id, or a file (contains '/' or ends in .json). An unknown id is HL_USAGE.
 */
enum hl_status paper_open(struct paper *paper, const char *id, struct hl_error *err) HL_MUST_CHECK;
/* The same from text; `path` is for messages. */
enum hl_status paper_parse(struct paper *paper, const char *path, const char *text, size_t bytes,
                           struct hl_error *err) HL_MUST_CHECK;
void paper_close(struct paper *paper); /* safe on zeroed */

/* The row's profile for a workload; "": none, its default. */
const char *paper_row_profile(const struct paper_row *row, const char *workload);

/* Place in `cells`; -1 if that cell was not published. */
int paper_cell_find(const struct paper *paper, int row, int load, int metric);

/* "fitted" "predicted" "comparing" "not explained" */
const char *paper_role_name(enum paper_role role);

/* Sets `simulated` of one cell from the runs of its row and load: mean or best of the metric over
 * those that are ok and have it; NAN if there are none. */
enum hl_status paper_score_cell(struct paper *paper, int cell, const struct run *runs, size_t count,
                                struct hl_error *err) HL_MUST_CHECK;

/* Whether a cell or a ratio needs runs of that row at that load. */
bool paper_needs(const struct paper *paper, int row, int load);

/*
 * Sets `simulated` and `deviation` of a ratio from the runs of the row above and of the row below
 * (NULL if it is divided by a number), as many of each. Runs of one number have the same random
 * draws, so the deviation is that of their ratios.
 */
enum hl_status paper_score_ratio(struct paper *paper, int value, const struct run *above,
                                 const struct run *below, size_t count,
                                 struct hl_error *err) HL_MUST_CHECK;

/* The load that a ratio value takes of the row below. */
int paper_ratio_below_load(const struct paper *paper, const struct paper_ratio_value *value);

/* A cell's value as compared: divided by the reference cell of its own side, if it has one. */
double paper_published(const struct paper *paper, int cell);
double paper_simulated(const struct paper *paper, int cell);

/* simulated - published of the values as compared; of a cell without a reference, relative to the
 * published value, since metrics have different units. NAN: not simulated. */
double paper_difference(const struct paper *paper, int cell);

struct paper_order {
    char machine[256]; /* with its parameters, if it has any */
    char load[32];
    int pairs, apart;   /* of schedulers; the part of them that is published more than 2 % apart */
    int held;           /* of those, simulated more than 2 % apart in the published order */
    int simulated_ties; /* of those, simulated within 2 %: neither held nor turned round */
    int left_out;       /* rows that are not explained there, hence in no pair */
    bool holds;         /* no pair is turned round; of those that are apart some are held */
};

struct paper_score {
    double mean_absolute_error[PAPER_ROLE_COUNT]; /* NAN: no such cell */
    double mean_absolute_error_all;               /* of all explained cells */
    double largest_error;                         /* of all explained cells */
    int largest_cell;                             /* where; -1: no cell */
    int cells[PAPER_ROLE_COUNT];                  /* counted: with both values, not derived */
    int derived;                                  /* cells of metrics computed from others */
    int missing;                                  /* explained cells without a simulated value */
    struct paper_order *orders;                   /* owned; freed by paper_score_close */
    int order_count;
};

/*
 * Errors are means of |paper_difference| by role. Order is judged for each machine and load among
 * the rows that differ only in policy, on the first metric published for them.
 */
enum hl_status paper_score(const struct paper *paper, struct paper_score *score,
                           struct hl_error *err) HL_MUST_CHECK;
void paper_score_close(struct paper_score *score);

#endif
