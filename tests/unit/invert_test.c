/* SPDX-License-Identifier: GPL-2.0-or-later */
/* invert_test.c - the check of an inverse: a right one passes, a damaged one does not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/units.h"
#include "matinv/invert.h"

enum { ORDER = 3, ELEMENTS = ORDER * ORDER };

/* By columns. The determinant is 1, so that the inverse is exact. */
static const double matrix[ELEMENTS] = {1, 0, 0, 2, 1, 0, 4, 3, 1};
static const double inverse[ELEMENTS] = {1, 0, 0, -2, 1, 0, 2, -3, 1};

static double residual_with(int place, double value)
{
    double x[ELEMENTS], product[ELEMENTS];

    for (int i = 0; i < ELEMENTS; i++)
        x[i] = i == place ? value : inverse[i];
    return matinv_residual(ORDER, matrix, x, product);
}

static void an_exact_inverse_has_no_residual(void **state)
{
    (void)state;
    assert_true(residual_with(-1, 0) == 0);
    assert_true(matinv_is_right(residual_with(-1, 0), MATINV_RESIDUAL_BOUND));
}

static void one_damaged_element_is_a_wrong_result(void **state)
{
    (void)state;
    for (int place = 0; place < ELEMENTS; place++) {
        assert_false(
            matinv_is_right(residual_with(place, inverse[place] + 1e-9), MATINV_RESIDUAL_BOUND));
        assert_false(matinv_is_right(residual_with(place, (double)NAN), MATINV_RESIDUAL_BOUND));
        assert_false(
            matinv_is_right(residual_with(place, (double)INFINITY), MATINV_RESIDUAL_BOUND));
    }
    /* The rounding of a double is no damage. */
    assert_true(matinv_is_right(residual_with(0, 1 + 0x1p-52), MATINV_RESIDUAL_BOUND));
}

static void a_matrix_is_inverted_timed_and_checked(void **state)
{
    struct matinv_result result;
    struct hl_error err;

    (void)state;
    assert_int_equal(matinv_invert(60, 1, true, &result, &err), HL_OK);
    assert_true(result.seconds > 0);
    assert_true(result.cpu_seconds > 0);
    assert_true(matinv_is_right(result.residual, MATINV_RESIDUAL_BOUND));
    assert_int_equal(matinv_invert(60, 1, false, &result, &err), HL_OK);
    assert_true(isnan(result.residual));
    assert_false(matinv_is_right(result.residual, MATINV_RESIDUAL_BOUND));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exact_inverse_has_no_residual),
        cmocka_unit_test(one_damaged_element_is_a_wrong_result),
        cmocka_unit_test(a_matrix_is_inverted_timed_and_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
