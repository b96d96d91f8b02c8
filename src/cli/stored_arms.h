/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stored_arms.h - from what a person calls results to the arms of a comparison, with names that
 * tell them apart.
 */
#ifndef HL_CLI_STORED_ARMS_H
#define HL_CLI_STORED_ARMS_H

#include "cli/reference.h"
#include "compare/compare.h"

/* {0} is none. The arms point into the rest. */
struct stored_arms {
    struct reference *references; /* in the order of the words */
    size_t reference_count;
    struct run_list *parts; /* of files with several studies: the runs of each */
    size_t part_count, part_capacity;
    struct compare_arms arms; /* in the order of the words */
    size_t first_count;       /* so many are of the first word */
    /* Of stored_arms_match: arms of other words, and of each the one of its name in the first. */
    struct compare_arm *news;
    const struct compare_arm **bases;
    size_t matched_count;
};

/*
 * Each study, run or file gives an arm for each policy, variant and machine in it; a file with
 * several studies counts as these. An arm is called by the word, of several in it "WORD ARM"; of one
 * word alone by what it is: "o1", "cpus=0". A+B joins the runs of several.
 */
enum hl_status stored_arms_open(struct stored_arms *stored, const char *const *words,
                                size_t word_count, const char *db,
                                struct hl_error *err) HL_MUST_CHECK;
void stored_arms_close(struct stored_arms *stored); /* safe on zeroed */

/* Puts the arm of the first word that is called `name` in front of the others of that word. */
enum hl_status stored_arms_choose_base(struct stored_arms *stored, const char *name,
                                       struct hl_error *err) HL_MUST_CHECK;

/* Finds the arms that are called alike in the first word and in others. Those that have no partner are
 * counted in *left_out. */
enum hl_status stored_arms_match(struct stored_arms *stored, size_t *left_out,
                                 struct hl_error *err) HL_MUST_CHECK;

/* A metric that the arms have; without a name elapsed_s, or the only one that both sides have. Of
 * several without elapsed_s none was meant to decide: the answer is elapsed_s all the same. */
enum hl_status stored_arms_metric(const struct stored_arms *stored, const char *name,
                                  enum run_metric *metric, struct hl_error *err) HL_MUST_CHECK;

/* True for the two arms of `halfload run --aa`: what differs between them is noise. */
bool stored_arms_are_equal(const struct stored_arms *stored);

/* True if both sides have it. */
bool stored_arms_has(const struct stored_arms *stored, enum run_metric metric);

#endif
