/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare_fixture.h - arms made of numbers, for tests of comparisons.
 */
#ifndef HL_TESTS_UNIT_COMPARE_FIXTURE_H
#define HL_TESTS_UNIT_COMPARE_FIXTURE_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "compare/compare.h"

/* A list with one more run; variant and load as given, no block, no place. Returns the run. */
static inline struct run *fixture_add(struct run_list *list, enum run_source source,
                                      const char *variant, const char *load, double elapsed_s)
{
    struct run run;
    int32_t same = 0;

    run_init(&run, source, "not measured");
    (void)snprintf(run.workload, sizeof(run.workload), "kernbench");
    (void)snprintf(run.variant, sizeof(run.variant), "%s", variant);
    (void)snprintf(run.load, sizeof(run.load), "%s", load);
    run_set(&run, RUN_elapsed_s, elapsed_s);
    for (size_t i = 0; i < list->count; i++)
        same += run_same_arm(&list->runs[i], &run) && run_same_load(&list->runs[i], &run);
    run.run = same;
    if (run_list_add(list, &run, NULL) != HL_OK)
        return NULL;
    return &list->runs[list->count - 1];
}

/* What a test compares: two lists, or one list with several arms. */
struct fixture {
    struct run_list base, new;
    struct compare_arms arms;
    struct compare_request request;
    struct compare_result result;
};

/* Compares base with new as two sessions, or, if new is empty, the arms of base as one session. */
static inline enum hl_status fixture_compare(struct fixture *f, struct hl_error *err)
{
    HL_TRY(compare_arms_add(&f->arms, &f->base, f->new.count > 0 ? "A" : NULL, err));
    if (f->new.count > 0)
        HL_TRY(compare_arms_add(&f->arms, &f->new, "B", err));
    f->request.base = &f->arms.arms[0];
    f->request.news = &f->arms.arms[1];
    f->request.new_count = f->arms.count - 1;
    f->request.metric = f->request.metric == 0 ? RUN_elapsed_s : f->request.metric;
    f->request.effect = f->request.effect > 0 ? f->request.effect : 0.01;
    f->request.level = 0.95;
    return compare_runs(&f->request, &f->result, err);
}

static inline void fixture_close(struct fixture *f)
{
    compare_result_close(&f->result);
    compare_arms_close(&f->arms);
    run_list_close(&f->base);
    run_list_close(&f->new);
}

/* The text of the first note of the kind; "" if there is none. */
static inline const char *fixture_note(const struct fixture *f, enum compare_note_kind kind)
{
    for (size_t i = 0; i < f->result.note_count; i++)
        if (f->result.notes[i].kind == kind)
            return f->result.notes[i].text;
    return "";
}

#endif
