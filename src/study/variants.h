/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * variants.h - "cpus=0+1,0" and "nice=0,5": the variants that a study compares, as a product.
 *
 *     struct study_variants variants = {0};
 *     HL_TRY(study_variants_add(&variants, "cpus=0+1,0", err));
 *     HL_TRY(study_variants_add(&variants, "nice=0,5", err));
 *     study_variant_count(&variants)            4
 *     study_variant_value(&variants, 1, 1)      "5": of the second key in the second variant
 *
 * The first variant has all first values: it is the baseline. The last key changes fastest.
 */
#ifndef HL_STUDY_VARIANTS_H
#define HL_STUDY_VARIANTS_H

#include "run/run.h"
#include "study/study.h"

enum { STUDY_KEYS_MAX = 16 };

struct study_axis {
    const char *key;
    char *values[STUDY_ARMS_MAX]; /* value_count of them, without escapes */
    int value_count;
    char *text; /* what key and values point into */
};

/* {0}: one variant that changes nothing. */
struct study_variants {
    struct study_axis axes[STUDY_KEYS_MAX];
    int axis_count;
};

/*
 * "KEY=VALUE,VALUE,...": a backslash takes the next character literally, so that a value may hold a
 * comma. HL_USAGE: no key, a value or a key twice (but for env: each variable is a knob of its own),
 * more variants than arms. What a key means is not looked at.
 */
enum hl_status study_variants_add(struct study_variants *variants, const char *text,
                                  struct hl_error *err) HL_MUST_CHECK;
void study_variants_close(struct study_variants *variants); /* safe on zeroed */

int study_variant_count(const struct study_variants *variants);
const char *study_variant_value(const struct study_variants *variants, int variant, int axis);

/* As a run has it: "K=V,K2=V2". */
enum hl_status study_variant_text(const struct study_variants *variants, int variant,
                                  char text[static RUN_VARIANT_BYTES],
                                  struct hl_error *err) HL_MUST_CHECK;

#endif
