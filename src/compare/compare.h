/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare.h - base against new: pairing, ratios, exact intervals, verdicts, health of the session.
 *
 * Works on run records whatever their source, prints nothing. Effects are ratios new / base; where
 * a value is not positive there is no ratio, and differences take their place.
 */
#ifndef HL_COMPARE_COMPARE_H
#define HL_COMPARE_COMPARE_H

#include "base/memory.h"
#include "run/run.h"
#include "stats/stats.h"

/* ---- what is compared ---- */

/* Runs that belong together: a variant, a policy, a kernel. They are not owned. */
struct compare_arm {
    const char *name;
    const struct run **runs;
    size_t run_count;
    int session; /* arms with equal numbers were played in one session, block by block */
    /* JSON of machine and kernel: {"must_match":{..},"informational":{..}}; NULL, "": not known */
    const char *fingerprint;
};

struct compare_arms {
    struct compare_arm *arms;
    size_t count, capacity;
    int session_count;
    struct hl_arena arena;
};

/*
 * Adds the runs of one session: as one arm of that name, or with NULL as an arm for each policy,
 * variant and machine, in order of appearance, named after them. `runs` must outlive the arms.
 */
enum hl_status compare_arms_add(struct compare_arms *arms, const struct run_list *runs,
                                const char *name, struct hl_error *err) HL_MUST_CHECK;
void compare_arms_close(struct compare_arms *arms); /* safe on zeroed */

/* What is taken where nobody says otherwise. */
#define COMPARE_DEFAULT_EFFECT 0.01
#define COMPARE_DEFAULT_LEVEL  0.95

struct compare_request {
    const struct compare_arm *base, *news; /* no new: the arm is only summarised */
    const struct compare_arm *const
        *bases; /* by new arm, where each has a base of its own; or NULL */
    size_t new_count;
    enum run_metric metric; /* primary: it alone is corrected for and decides */
    double effect;          /* of interest: 0.01 */
    double level;           /* of all verdicts together: 0.95 */
    bool is_aa;             /* the arms are known to be equal: what differs is noise */
    bool primary_only;      /* no exploratory comparisons of other metrics */
};

const struct compare_arm *compare_base_of(const struct compare_request *request, size_t new);

/* ---- what comes out ---- */

/* One arm at one load. Failed runs, and runs without the metric, are in no figure. */
struct compare_side {
    size_t n, failed, missing;
    double mean, sd;              /* NAN where there are too few */
    struct stats_interval middle; /* of the values: median of pairwise means, exact interval */
    double noise;                 /* sd of the logs, robust; NAN: not known. For planning. */
    size_t boots;                 /* that are known; 0: none is */
    double boot_noise;            /* sd of the mean logs of three boots or more; else NAN */
    double resolution;            /* how finely the values were read */
    bool is_two_modes;            /* then mean and middle describe no run: show the modes */
    struct stats_modes modes;
};

enum compare_verdict {
    COMPARE_SAME,      /* the interval is within 1 - effect and 1 + effect */
    COMPARE_DIFFERENT, /* the interval leaves out 1, and is not within */
    COMPARE_UNDECIDED,
};

enum compare_unit {
    COMPARE_BLOCKS, /* pairs: of a block, or of equal seeds */
    COMPARE_RUNS,   /* independent */
    COMPARE_BOOTS,  /* independent, means of the runs under each boot: kernels are compared */
};

enum { COMPARE_REASON_BYTES = 256 };

struct compare_cell {
    size_t arm;  /* index in news */
    size_t load; /* index in loads; of a mean over loads: COMPARE_LOADS_ALL */
    enum run_metric metric;
    const struct compare_side *base, *new; /* of the primary metric at a load; else NULL */
    double base_mean, new_mean;            /* of the values; NAN in a mean over loads */
    enum compare_unit unit;
    size_t base_n, new_n; /* of units; equal for blocks */
    bool is_ratio;        /* false: `change` is new - base, and never "same" but for equal values */
    struct stats_interval change;
    double level; /* corrected: what `change` was to reach */
    double p_adjusted;
    enum compare_verdict verdict;
    bool is_regression;                /* different, worse, and by the effect of interest or more */
    char reason[COMPARE_REASON_BYTES]; /* of "undecided" */
    size_t n_to_decide;                /* units per arm that would decide; 0: no number would */
    double noise; /* sd of log ratios of pairs, or of logs within an arm; NAN: not known */
};

#define COMPARE_LOADS_ALL SIZE_MAX

enum compare_note_kind {
    COMPARE_NOTE_SAME_RUNS,  /* both arms are the same runs */
    COMPARE_NOTE_MACHINE,    /* machine or kernel of the arms differ */
    COMPARE_NOTE_SESSIONS,   /* the arms were played in different sessions */
    COMPARE_NOTE_LOADS,      /* loads left out, or of different levels */
    COMPARE_NOTE_FAILED,     /* failed runs */
    COMPARE_NOTE_MISSING,    /* runs without the metric, or without a partner */
    COMPARE_NOTE_RESOLUTION, /* all equal: the timer bounds the interval */
    COMPARE_NOTE_ORDER,      /* order of play and arms cannot be told apart */
    COMPARE_NOTE_DISTURBED,  /* throttled, cpus that came or went, other users of the cpus */
    COMPARE_NOTE_DRIFT,
    COMPARE_NOTE_NEIGHBOURS,
    COMPARE_NOTE_FIRST_RUN,
    COMPARE_NOTE_MODES,
    COMPARE_NOTE_OUTLIER,
    COMPARE_NOTE_AA,
};
const char *compare_note_name(enum compare_note_kind kind); /* "loads", "failed", ... */

struct compare_note {
    enum compare_note_kind kind;
    char text[COMPARE_REASON_BYTES];
};

struct compare_result {
    const struct compare_request *request;
    const struct run **loads; /* one run of each load, in order of appearance, base first */
    size_t load_count;
    struct compare_side *sides; /* of the primary metric: bases, then each new; by load */

    struct compare_cell *cells; /* primary metric: loads by new arm; Holm */
    size_t cell_count;
    struct compare_cell *means; /* geometric mean over the loads that both have, by new arm */
    size_t mean_count;
    struct compare_cell *exploratory; /* all other metrics; Benjamini and Hochberg */
    size_t exploratory_count;

    struct compare_note *notes; /* in order of kind */
    size_t note_count, note_capacity;
    struct hl_arena arena;
};

/* The request must outlive the result. */
enum hl_status compare_runs(const struct compare_request *request, struct compare_result *result,
                            struct hl_error *err) HL_MUST_CHECK;
void compare_result_close(struct compare_result *result); /* safe on zeroed */

const char *compare_verdict_name(enum compare_verdict verdict);
const char *compare_unit_name(enum compare_unit unit); /* "blocks" "runs" "boots" */
/* The same for so many: "1" "block". */
const char *compare_units(enum compare_unit unit, size_t count);

/* "10" blocks, "10 v 8" runs. */
enum { COMPARE_N_BYTES = 48 };
const char *compare_n_text(const struct compare_cell *cell, char text[COMPARE_N_BYTES]);

/* The relative effect found with 80 % power at the cell's noise, n and level; NAN: not known. */
double compare_detectable_effect(const struct compare_cell *cell);

/* ---- an experiment to come: planning.c ---- */

/* One load played as blocks, or as runs apart. Named, with noise and n, before it is filled. */
struct compare_plan_row {
    const char *load;       /* "": any */
    enum compare_unit unit; /* boots only where a study has three or more */
    double noise;           /* as in a cell; NAN: not known */
    bool is_assumed; /* noise of pairs from that of runs: as if blocks had nothing in common */
    size_t n;        /* units per arm */
    bool is_planned; /* n was asked for, or a study has it; else it is the least */

    size_t least_n;    /* reaches the corrected level at all */
    double floor;      /* equal arms are found to differ by so much; INFINITY: n decides nothing */
    double detectable; /* the effect found with 80 % power; INFINITY likewise */
    size_t n_80, n_90; /* find the effect of interest with so much power; 0: no number does */
};

struct compare_plan {
    enum run_metric metric;
    double effect, level;
    size_t loads, variants; /* the base is one of the variants */
    size_t boots;           /* the most that an arm of the study was played under */
    struct compare_plan_row *rows;
    size_t row_count;
    struct hl_arena arena;
};

/* The level of the clearest of all comparisons under Holm, which each must be able to reach. */
double compare_plan_level(const struct compare_plan *plan);

/* Two rows for each load that the result has noise of, a third one for boots if it has enough; or
 * with a NULL result two for `noise`, the relative deviation of runs. n 0: as many as the result
 * has, or the least. Loads and variants of 0 are taken from the result. */
enum hl_status compare_plan_make(struct compare_plan *plan, const struct compare_result *result,
                                 double noise, size_t n, struct hl_error *err) HL_MUST_CHECK;
void compare_plan_close(struct compare_plan *plan); /* safe on zeroed */

/* ---- failures: failures.c ---- */

bool compare_arm_has_ok(const struct compare_arm *arm);

/* At how many loads new arms fail more often than their base; `list` names them. */
size_t compare_new_failures(const struct compare_result *result, char *list, size_t bytes);

/* ---- */

/* How many of the cells have the verdict. */
size_t compare_count(const struct compare_cell *cells, size_t count, enum compare_verdict verdict);

#endif
