/* SPDX-License-Identifier: GPL-2.0-or-later */
/* paper_report_test.c - exact bytes of a scored paper, as text and as JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/report.h"

static char *written;
static size_t written_bytes;
static FILE *out;
static struct paper paper;
static struct paper_score score;

static int start_capture(void **state)
{
    (void)state;
    out = open_memstream(&written, &written_bytes);
    return out == NULL;
}

static int end_capture(void **state)
{
    (void)state;
    (void)fclose(out);
    free(written);
    paper_score_close(&score);
    paper_close(&paper);
    return 0;
}

static void assert_written(const char *expected)
{
    if (strcmp(written, expected) != 0)
        fail_msg("written:\n%s\nexpected:\n%s", written, expected);
}

/* Parses, fills in the simulated values (in order of cells), scores. */
static void score_table(const char *text, const double *simulated)
{
    struct hl_error err = {0};

    if (paper_parse(&paper, "p.json", text, strlen(text), &err) != HL_OK)
        fail_msg("%s", err.text);
    for (int i = 0; i < paper.cell_count; i++)
        paper.cells[i].simulated = simulated[i];
    assert_int_equal(paper_score(&paper, &score, &err), HL_OK);
}

#define ROW(label, params, cells)                                                                  \
    "{\"label\":\"" label "\",\"policy\":\"" label "\",\"machine\":\"m\",\"params\":[" params      \
    "],\"cells\":{" cells "}}"

static const char normalised[] =
    "{\"schema\":1,\"id\":\"p-2003\",\"title\":\"A \\\"table\\\"\",\"where\":\"list, 2003\","
    "\"workload\":\"kernbench\",\"statistic\":\"best\",\"runs\":5,"
    "\"metrics\":[{\"name\":\"elapsed_s\"}],\"reference\":{\"row\":\"up\",\"load\":\"-j1\"},"
    "\"loads\":[{\"label\":\"-j1\",\"level\":\"1\"},{\"label\":\"-j3\",\"level\":\"3\"}],\"rows\":"
    "[" ROW("up", "\"topology=pu:1\"", "\"elapsed_s\":{\"-j1\":[100,\"fitted\"]}") "," ROW(
        "o1", "",
        "\"elapsed_s\":{\"-j1\":[101,"
        "\"fitted\"],\"-j3\":[80,\"comparing\"]"
        "}") "," ROW("c1", "",
                     "\"elapsed_s\":{\"-j1\":["
                     "50,\"not "
                     "explained\"],\"-j3\":[60,"
                     "\"comparing\"]}") "],"
                                        "\"note"
                                        "s\":["
                                        "\"All "
                                        "about "
                                        "it.\"]"
                                        "}";

static void a_normalised_paper_is_printed_cell_by_cell(void **state)
{
    static const double simulated[] = {200, 204, 150, 220, NAN};

    (void)state;
    score_table(normalised, simulated);
    assert_int_equal(report_paper_text(out, &paper, &score, NULL), HL_OK);
    assert_written(
        "p-2003: A \"table\"\n"
        "list, 2003\n"
        "\n"
        "elapsed_s, best of 5 (lower is better), normalised to up at -j1:\n"
        "published 100.00 s, simulated 200.00 s\n"
        "                   -j1       -j3\n"
        "--  ----------  --------  --------\n"
        "up   published   1.000\n"
        "     simulated   1.000\n"
        "    difference  +0.000 f\n"
        "o1   published   1.010     0.800\n"
        "     simulated   1.020     0.750\n"
        "    difference  +0.010 f  -0.050 c\n"
        "c1   published   0.500     0.600\n"
        "     simulated   1.100\n"
        "    difference  +0.600 x         c\n"
        "f fitted, p predicted, c comparing (predicted cells that tell schedulers apart, "
        "counted apart), x not explained (in no error)\n"
        "\n"
        "mean absolute error of normalised values\n"
        "  fitted      0.0050  (2 cells)\n"
        "  predicted   no cell\n"
        "  comparing   0.0500  (1 cell)\n"
        "  all three   0.0200  (3 cells)\n"
        "  largest     0.0500  (o1 at -j3, elapsed_s)\n"
        "  missing     1 without a simulated value\n"
        "  left out, not explained: elapsed_s of c1 at -j1\n"
        "\n"
        "order of schedulers (pairs within 2 % are ties, published or simulated)\n"
        "  m at -j3: DOES NOT HOLD: 0 of 1 pair holds\n"
        "\n"
        "notes\n"
        "  All about it.\n");
}

static void json_has_each_side_normalised_by_its_own_reference(void **state)
{
    static const double simulated[] = {200, 205, 150, 220, 125};

    (void)state;
    score_table(normalised, simulated);
    assert_int_equal(report_paper_json(out, &paper, &score, NULL), HL_OK);
#define CELL(row, load, role, counted, published, simulated)                                       \
    "{\"row\":\"" row "\",\"load\":\"" load "\",\"metric\":\"elapsed_s\",\"unit\":\"ratio\","      \
    "\"role\":\"" role "\",\"counted\":" counted ",\"published\":" published                       \
    ",\"simulated\":" simulated "}"
    /* clang-format off */
    assert_written(
        "{\"paper\":\"p-2003\",\"runs\":5,\"simulated_runs\":5,\"cells\":[\n"
        CELL("up", "-j1", "fitted", "true", "1", "1") ",\n"
        CELL("o1", "-j1", "fitted", "true", "1.01", "1.025") ",\n"
        CELL("o1", "-j3", "comparing", "true", "0.8", "0.75") ",\n"
        CELL("c1", "-j1", "not explained", "false", "0.5", "1.1") ",\n"
        CELL("c1", "-j3", "comparing", "true", "0.6", "0.625") "\n"
        "],\"mean_absolute_error\":{\"fitted\":0.007499999999999951,\"predicted\":null,"
        "\"comparing\":0.03750000000000003},\"ratios\":[],\"order\":[\n"
        "{\"machine\":\"m\",\"load\":\"-j3\",\"pairs\":1,\"apart\":1,\"held\":1,"
        "\"simulated_ties\":0,\"holds\":true}]}\n");
    /* clang-format on */
}

static const char several_metrics[] =
    "{\"schema\":1,\"id\":\"p\",\"title\":\"T\",\"where\":\"W\",\"workload\":\"kernbench\","
    "\"statistic\":\"mean\",\"runs\":1,"
    "\"metrics\":[{\"name\":\"elapsed_s\"},{\"name\":\"score\",\"unit\":\"\",\"better\":\"higher\"}"
    "],"
    "\"loads\":[{\"label\":\"a\",\"level\":\"1\"},{\"label\":\"b\",\"level\":\"2\"},"
    "{\"label\":\"c\",\"level\":\"3\"},{\"label\":\"d\",\"level\":\"4\"},{\"label\":\"e\","
    "\"level\":\"5\"},"
    "{\"label\":\"f\",\"level\":\"6\"},{\"label\":\"g\",\"level\":\"7\"}],\"rows\":[" ROW(
        "o1", "",
        "\"elapsed_s\":{\"a\":[1,\"fitted\"],\"b\":[20,\"fitted\"],\"c\":[300,\"fitted\"],"
        "\"d\":[1,\"fitted\"],\"e\":[1,\"fitted\"],\"f\":[1,\"fitted\"],\"g\":[1,\"predicted\"]},"
        "\"score\":{\"b\":[1705258,\"predicted\"]}") "]}";

static void metrics_stand_apart_and_wide_tables_are_cut(void **state)
{
    static const double simulated[] = {1.01, 20, 1713510, 294, 1, 1, 1, 1.5};

    (void)state;
    score_table(several_metrics, simulated);
    assert_int_equal(report_paper_text(out, &paper, &score, NULL), HL_OK);
    assert_written(
        "p: T\n"
        "W\n"
        "\n"
        "elapsed_s, single runs (lower is better)\n"
        "                    a        b         c        d        e        f\n"
        "--  ----------  -------  -------  --------  -------  -------  -------\n"
        "o1   published  1.000    20.00    300.00    1.000    1.000    1.000\n"
        "     simulated  1.010    20.00    294.00    1.000    1.000    1.000\n"
        "    difference  +1.0% f  +0.0% f   -2.0% f  +0.0% f  +0.0% f  +0.0% f\n"
        "\n"
        "                     g\n"
        "--  ----------  --------\n"
        "o1   published   1.000\n"
        "     simulated   1.500\n"
        "    difference  +50.0% p\n"
        "\n"
        "score, single runs (higher is better)\n"
        "                      b\n"
        "--  ----------  ---------\n"
        "o1   published  1705258\n"
        "     simulated  1713510\n"
        "    difference    +0.5% p\n"
        "f fitted, p predicted, c comparing (predicted cells that tell schedulers apart, "
        "counted apart), x not explained (in no error)\n"
        "\n"
        "mean absolute error, relative\n"
        "  fitted      0.0050  (6 cells)\n"
        "  predicted   0.2524  (2 cells)\n"
        "  comparing   no cell\n"
        "  all three   0.0669  (8 cells)\n"
        "  largest     0.5000  (o1 at g, elapsed_s)\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start_capture, end_capture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_normalised_paper_is_printed_cell_by_cell),
        TEST(json_has_each_side_normalised_by_its_own_reference),
        TEST(metrics_stand_apart_and_wide_tables_are_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
