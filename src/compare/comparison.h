/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * comparison.h - inside the room: from the runs of two arms at a load to a contrast of numbers, and
 * the comparison while it is made.
 */
#ifndef HL_COMPARE_COMPARISON_H
#define HL_COMPARE_COMPARISON_H

#include "compare/compare.h"

/* Memory from the arena of a result. */
enum hl_status compare_take(struct hl_arena *arena, void *pointer, size_t count, size_t size,
                            struct hl_error *err) HL_MUST_CHECK;

enum hl_status compare_note_add(struct compare_result *result, enum compare_note_kind kind,
                                struct hl_error *err, const char *format, ...)
    HL_PRINTF(4, 5) HL_MUST_CHECK;

/* Adds to a list, ", " between; a list that is full ends in "...". */
void compare_list_add(char *list, size_t bytes, const char *format, ...) HL_PRINTF(3, 4);

/* "3", or "kernbench 3" where there are several workloads. */
enum { COMPARE_LOAD_BYTES = 128 };
const char *compare_load_name(const struct compare_result *result, size_t load,
                              char name[COMPARE_LOAD_BYTES]);

/* ---- gather.c ---- */

/* Rows of groups and sides: one for the base, or one for the base of each new arm; then the new ones. */
size_t compare_base_rows(const struct compare_request *request);
size_t compare_rows(const struct compare_request *request);
const struct compare_arm *compare_arm_of_row(const struct compare_request *request, size_t row);
size_t compare_base_row(const struct compare_request *request, size_t new);
size_t compare_new_row(const struct compare_request *request, size_t new);

/* All runs of an arm at a load, failed ones too; in order of play if that is known of all. */
struct compare_group {
    const struct compare_arm *arm;
    const struct run **runs;
    size_t count;
    bool is_ordered; /* every run has its own place in the order of play */
};

/* The runs of a group that are ok and have the metric, in the group's order. */
struct compare_sample {
    const struct run **runs;
    double *values;
    size_t n, failed, missing;
    bool is_positive; /* all values are: they have logs */
};

/* Fills result->loads; *groups has a row of loads for the base and for each new arm. */
enum hl_status compare_gather(struct compare_result *result, struct compare_group **groups,
                              struct hl_error *err) HL_MUST_CHECK;
enum hl_status compare_sample_of(struct hl_arena *arena, const struct compare_group *group,
                                 enum run_metric metric, struct compare_sample *sample,
                                 struct hl_error *err) HL_MUST_CHECK;

/* ---- pair.c ---- */

/* How the boots of two arms lie: shared, or of one arm only. */
enum compare_boots { COMPARE_BOOTS_SHARED, COMPARE_BOOTS_ONE_EACH, COMPARE_BOOTS_APART };
enum compare_boots compare_boots_of(const struct compare_arm *base, const struct compare_arm *new);

struct compare_pairing {
    enum compare_unit unit;
    bool is_ratio;                              /* numbers are logs; else values as they are */
    bool is_itself;                             /* both sides are the same runs */
    struct stats_contrast contrast;             /* blocks: differences in y */
    const struct run **base_units, **new_units; /* a run of each unit: its block or boot */
    size_t base_n, new_n;
    size_t unpaired; /* runs left out because their block lacks the other arm */
};
enum hl_status compare_pair(struct hl_arena *arena, const struct compare_sample *base,
                            const struct compare_sample *new, bool is_one_session,
                            enum compare_boots boots, struct compare_pairing *pairing,
                            struct hl_error *err) HL_MUST_CHECK;

/* A contrast of the mean over loads, if the pairings share blocks or boots; else pairing->base_n is
 * 0. */
enum hl_status compare_pair_means(struct hl_arena *arena, const struct compare_pairing *loads,
                                  size_t load_count, struct compare_pairing *mean,
                                  struct hl_error *err) HL_MUST_CHECK;

/* ---- confounding.c ---- */

/*
 * Whether the order of play explains the difference as well as the arms do. Then `reason` says so;
 * else it is "". `warning` is set, or "", where the order alone is suspect.
 */
struct compare_order {
    char reason[COMPARE_REASON_BYTES], warning[COMPARE_REASON_BYTES];
};
enum hl_status compare_order_of(struct hl_arena *arena, const struct compare_group *base,
                                const struct compare_group *new, enum run_metric metric,
                                double effect, double estimate, struct compare_order *order,
                                struct hl_error *err) HL_MUST_CHECK;

/* ---- verdict.c ---- */

/*
 * Noise for planning is read from the 50 % interval: few runs have their whole range as 95 %
 * interval, and one odd run would have it plan for hundreds.
 */
#define COMPARE_NOISE_ALPHA 0.5

/* A contrast as it is measured: its interval at error alpha, of logs or differences. */
typedef enum hl_status compare_measure(const void *contrast, double alpha,
                                       struct stats_interval *interval, struct hl_error *err);
compare_measure compare_measure_pairing; /* of a struct compare_pairing */

/*
 * Fills the rest of a cell that has its arm, load, metric, units and `is_ratio`: the interval at
 * the corrected error `alpha`, the noise, the verdict and what would decide. `reason` not "":
 * undecided because of it.
 */
enum hl_status compare_judge(struct compare_cell *cell, compare_measure *measure,
                             const void *contrast, double alpha, double effect, const char *reason,
                             struct hl_error *err) HL_MUST_CHECK;

/* Of a cell whose arms had one boot each: one unit against one, and no interval, whatever the runs. */
void compare_judge_one_boot(struct compare_cell *cell);

/* Of a cell whose arms are the same runs: nothing was measured, and they cannot differ. */
void compare_judge_itself(struct compare_cell *cell);

/* ---- the comparison while it is made: compare.c, means.c, notes.c ---- */

struct compare_work {
    struct compare_result *result;
    const struct compare_request *request;
    double alpha;                     /* 1 - level: of each family of tests as a whole */
    struct compare_group *groups;     /* by row and load */
    enum compare_boots *boots;        /* by new arm */
    struct compare_pairing *pairings; /* by cell */
    const char **reasons;             /* by cell: why it cannot be decided, or "" */
};

/* Fills result->means from the judged cells. */
enum hl_status compare_make_means(struct compare_work *work, struct hl_error *err) HL_MUST_CHECK;

/* What differs in machine and kernel between the sessions of the arms. */
enum hl_status compare_note_machines(struct compare_work *work, struct hl_error *err) HL_MUST_CHECK;

/* What the runs themselves say that happened to them, and whether they shared a session. */
enum hl_status compare_note_disturbances(struct compare_work *work,
                                         struct hl_error *err) HL_MUST_CHECK;

/* Notes on each side, and on each session as a whole. */
enum hl_status compare_note_session(struct compare_work *work, struct hl_error *err) HL_MUST_CHECK;

#endif
