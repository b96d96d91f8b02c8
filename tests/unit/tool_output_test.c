/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tool_output_test.c - figures of halfload-matinv and openssl: read or refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <math.h>
#include <cmocka.h>

#include "base/units.h"
#include "host/tool_output.h"

static bool read_matinv(const char *text, struct host_matinv_figures *figures)
{
    char found[160] = "";
    bool is_read = host_matinv_read(text, figures, found, sizeof(found));

    assert_int_equal(found[0] != '\0', !is_read);
    return is_read;
}

static bool read_rsa(const char *text, struct host_rsa_figures *figures)
{
    char found[160] = "";
    bool is_read = host_rsa_read(text, figures, found, sizeof(found));

    assert_int_equal(found[0] != '\0', !is_read);
    return is_read;
}

static void the_orders_and_the_total_of_matinv_are_read(void **state)
{
    struct host_matinv_figures figures;

    (void)state;
    assert_true(read_matinv("order      seconds       MFLOPS  residual  parallelism\n"
                            " 1000     0.150783     13264.06   0.00416        1.984\n"
                            "OpenBLAS warning: precompiled NUM_THREADS exceeded\n"
                            " 1200     0.250783     14000.06   0.00520        1.5\n"
                            "total     0.401566     13700.02   0.00520        1.7\n",
                            &figures));
    assert_true(fabs(figures.total.mflops - 13700.02) < 1e-9);
    assert_true(fabs(figures.total.residual - 0.0052) < 1e-12);
    assert_true(fabs(figures.total.parallelism - 1.7) < 1e-12);
    assert_int_equal(figures.row_count, 2);
    assert_int_equal(figures.rows[0].order, 1000);
    assert_true(fabs(figures.rows[0].residual - 0.00416) < 1e-12);
    assert_int_equal(figures.rows[1].order, 1200);
    assert_true(fabs(figures.rows[1].seconds - 0.250783) < 1e-12);
    assert_true(fabs(figures.rows[1].mflops - 14000.06) < 1e-9);
    assert_true(fabs(figures.rows[1].parallelism - 1.5) < 1e-12);
    assert_true(read_matinv("total 0.5 1e4 nan 1", &figures));
    assert_true(isnan(figures.total.residual));
    assert_int_equal(figures.row_count, 0);
    assert_true(read_matinv("total 0.5 1e4 0 0\n", &figures));
}

static void output_without_a_good_total_is_not_matinvs(void **state)
{
    static const char *const texts[] = {
        "",
        "\n\n",
        "total",
        "total 1 2 1",
        "total 1 2 3 4 5",
        "total x 2 3 1",
        "total 1 2x 3 1",
        "total 1 inf 3 1",
        "total 0 2 3 1",
        "total 1 -2 3 1",
        "total 1 2 -3 1",
        "total 1 2 x 1",
        "total 1 2 3 -1",
        "total 1 2 3 nan",
        "subtotal 1 2 3 1",
        " 1000     0.150783     13264.06   0.00416 1.9\n",
        " 1000     0.150783     13264.06   0.00416\ntotal 1 2 3 1",
        " 1000     0.150783     none   0.00416 1.9\ntotal 1 2 3 1",
        " 0     0.150783     13264.06   0.00416 1.9\ntotal 1 2 3 1",
        "total 1 222222222222222222222222222222222222222222222 3 1",
        "total 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20",
    };
    struct host_matinv_figures figures;

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(texts); i++)
        assert_false(read_matinv(texts[i], &figures));
}

static void more_orders_than_there_is_room_for_are_refused(void **state)
{
    enum { LINE_BYTES = sizeof("1000 1 2 3 1\n") - 1 };
    struct host_matinv_figures figures;
    char text[(HOST_MATINV_ROWS_MAX + 2) * LINE_BYTES + 1] = "";

    (void)state;
    for (int i = 0; i < HOST_MATINV_ROWS_MAX; i++)
        memcpy(text + i * LINE_BYTES, "1000 1 2 3 1\n", LINE_BYTES);
    memcpy(text + HOST_MATINV_ROWS_MAX * LINE_BYTES, "total 1 2 3 1", LINE_BYTES);
    assert_true(read_matinv(text, &figures));
    assert_int_equal(figures.row_count, HOST_MATINV_ROWS_MAX);
    memcpy(text + HOST_MATINV_ROWS_MAX * LINE_BYTES, "1000 1 2 3 1\ntotal 1 2 3 1", 2 * LINE_BYTES);
    assert_false(read_matinv(text, &figures));
}

static void rates_of_openssl_are_read_by_the_names_of_their_columns(void **state)
{
    static const char *const texts[] = {
        /* 1.1 and 3.0 */
        "Forked child 0\n+R1:3030:1024:1.00\nversion: 3.0.22\n"
        "                  sign    verify    sign/s verify/s\n"
        "rsa 1024 bits 0.000165s 0.000009s   6076.5 108571.9\n",
        /* 3.2 and later */
        "                   sign    verify    encrypt   decrypt   sign/s verify/s  encr./s  "
        "decr./s\n"
        "rsa  1024 bits 0.000062s 0.000003s 0.000004s 0.000063s  6076.5 108571.9 250000.0  "
        "15800.1\n",
        /* Columns in another order, and DOS line ends. */
        "sign verify verify/s sign/s\r\nrsa 1024 bits 1s 1s 108571.9 6076.5\r\n",
    };
    struct host_rsa_figures figures;

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(texts); i++) {
        assert_true(read_rsa(texts[i], &figures));
        assert_true(fabs(figures.signs_per_s - 6076.5) < 1e-9);
        assert_true(fabs(figures.verifies_per_s - 108571.9) < 1e-9);
    }
}

static void output_without_good_rates_is_not_openssls(void **state)
{
    static const char *const texts[] = {
        "",
        "rsa 1024 bits 0.000165s 0.000009s   6076.5 108571.9\n",
        "sign verify sign/s verify/s\n",
        "sign verify sign/s verify/s\ndsa 1024 bits 1s 1s 5 6\n",
        "sign verify sign/s verify/s\nrsa 1024 bits 1s 1s 5\n",
        "sign verify sign/s verify/s\nrsa\n",
        "sign verify sign/s verify/s\nrsa 1024 bits 1s 1s x 6\n",
        "sign verify sign/s verify/s\nrsa 1024 bits 1s 1s 5 0\n",
        "sign verify sign/s verify/s\nrsa 1024 bits 1s 1s 5 nan\n",
        "sign verify sign/s verify\nrsa 1024 bits 1s 1s 5 6\n",
        "sign verify verify/s\nrsa 1024 bits 1s 1s 5 6\n",
        "a b c d e f g h i j k l m n o sign/s verify/s\nrsa 1024 bits 1 2 3 4 5 6 7 8 9 10 11 12\n",
    };
    struct host_rsa_figures figures;

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(texts); i++)
        assert_false(read_rsa(texts[i], &figures));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_orders_and_the_total_of_matinv_are_read),
        cmocka_unit_test(output_without_a_good_total_is_not_matinvs),
        cmocka_unit_test(more_orders_than_there_is_room_for_are_refused),
        cmocka_unit_test(rates_of_openssl_are_read_by_the_names_of_their_columns),
        cmocka_unit_test(output_without_good_rates_is_not_openssls),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
