/* SPDX-License-Identifier: GPL-2.0-or-later */
/* variants_test.c - values of several keys, their product, and how a run spells it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "study/variants.h"

static void expect_text(const struct study_variants *v, int variant, const char *expected)
{
    char text[RUN_VARIANT_BYTES];
    struct hl_error err = {0};

    assert_int_equal(study_variant_text(v, variant, text, &err), HL_OK);
    assert_string_equal(text, expected);
}

static void several_keys_make_the_product_and_the_last_changes_fastest(void **state)
{
    static const char *const expected[] = {"cpus=0+1,nice=0", "cpus=0+1,nice=5", "cpus=0+1,nice=10",
                                           "cpus=0,nice=0",   "cpus=0,nice=5",   "cpus=0,nice=10"};
    struct study_variants v = {0};
    struct hl_error err = {0};

    (void)state;
    assert_int_equal(study_variant_count(&v), 1);
    expect_text(&v, 0, "");
    assert_int_equal(study_variants_add(&v, "cpus=0+1,0", &err), HL_OK);
    assert_int_equal(study_variants_add(&v, "nice=0,5,10", &err), HL_OK);
    assert_int_equal(study_variant_count(&v), 6);
    for (int i = 0; i < 6; i++)
        expect_text(&v, i, expected[i]);
    assert_string_equal(study_variant_value(&v, 4, 0), "0");
    assert_string_equal(study_variant_value(&v, 4, 1), "5");
    study_variants_close(&v);
}

static void a_backslash_keeps_a_comma_in_a_value(void **state)
{
    struct study_variants v = {0};
    struct hl_error err = {0};

    (void)state;
    assert_int_equal(study_variants_add(&v, "prefix=,sh -c 'a\\,b=c'", &err), HL_OK);
    assert_int_equal(study_variant_count(&v), 2);
    assert_string_equal(study_variant_value(&v, 0, 0), "");
    assert_string_equal(study_variant_value(&v, 1, 0), "sh -c 'a,b=c'");
    expect_text(&v, 1, "prefix=sh -c 'a\\,b=c'");
    study_variants_close(&v);
}

static void each_variable_of_the_environment_is_a_key_of_its_own(void **state)
{
    struct study_variants v = {0};
    struct hl_error err = {0};

    (void)state;
    assert_int_equal(study_variants_add(&v, "env=A:1,A:2", &err), HL_OK);
    assert_int_equal(study_variants_add(&v, "env=B:1,B:2", &err), HL_OK);
    expect_text(&v, 1, "env=A:1,env2=B:2");
    study_variants_close(&v);
}

static void expect_refused(struct study_variants *v, const char *text, const char *expected)
{
    struct hl_error err = {0};
    int before = study_variant_count(v);

    assert_int_equal(study_variants_add(v, text, &err), HL_USAGE);
    assert_non_null(strstr(err.text, expected));
    assert_int_equal(study_variant_count(v), before);
}

static void what_is_no_list_of_values_is_refused(void **state)
{
    struct study_variants v = {0};
    struct hl_error err = {0};
    char many[400] = "x=0";

    (void)state;
    assert_int_equal(study_variants_add(&v, "nice=0,1", &err), HL_OK);
    expect_refused(&v, "", "expected KEY=VALUE,VALUE,...");
    expect_refused(&v, "cpus", "expected KEY=VALUE,VALUE,...");
    expect_refused(&v, "=0,1", "expected KEY=VALUE,VALUE,...");
    expect_refused(&v, "a,b=0", "expected KEY=VALUE,VALUE,...");
    expect_refused(&v, "a\\b=0", "expected KEY=VALUE,VALUE,...");
    expect_refused(&v, "nice=2", "given twice");
    expect_refused(&v, "cpus=0,1,0", "value '0' of --variant cpus is listed twice");
    for (int i = 1; i <= STUDY_ARMS_MAX / 2; i++)
        (void)snprintf(many + strlen(many), sizeof(many) - strlen(many), ",%d", i);
    expect_refused(&v, many, "more than 64 variants"); /* 33 values, and two of nice */
    for (int i = STUDY_ARMS_MAX / 2 + 1; i <= STUDY_ARMS_MAX; i++)
        (void)snprintf(many + strlen(many), sizeof(many) - strlen(many), ",%d", i);
    expect_refused(&v, many, "more than 64 variants"); /* 65 values alone */
    study_variants_close(&v);
}

static void a_variant_that_does_not_fit_a_run_is_refused(void **state)
{
    struct study_variants v = {0};
    struct hl_error err = {0};
    char value[RUN_VARIANT_BYTES + 16] = "prefix=", text[RUN_VARIANT_BYTES];

    (void)state;
    memset(value + 7, 'x', RUN_VARIANT_BYTES);
    assert_int_equal(study_variants_add(&v, value, &err), HL_OK);
    assert_int_equal(study_variant_text(&v, 0, text, &err), HL_USAGE);
    assert_non_null(strstr(err.text, "longer than 255 bytes"));
    study_variants_close(&v);
}

static void every_failing_allocation_is_a_status(void **state)
{
    struct study_variants v = {0};
    struct hl_error err = {0};

    (void)state;
    hl_alloc_fail_at(1);
    assert_int_equal(study_variants_add(&v, "nice=0,1", &err), HL_NO_MEMORY);
    hl_alloc_fail_at(0);
    assert_int_equal(study_variant_count(&v), 1);
    study_variants_close(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_keys_make_the_product_and_the_last_changes_fastest),
        cmocka_unit_test(a_backslash_keeps_a_comma_in_a_value),
        cmocka_unit_test(each_variable_of_the_environment_is_a_key_of_its_own),
        cmocka_unit_test(what_is_no_list_of_values_is_refused),
        cmocka_unit_test(a_variant_that_does_not_fit_a_run_is_refused),
        cmocka_unit_test(every_failing_allocation_is_a_status),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
