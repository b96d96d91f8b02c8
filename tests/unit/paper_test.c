/* SPDX-License-Identifier: GPL-2.0-or-later */
/* paper_test.c - paper files: what they must say, how tables are scored, the shipped ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data_dir.h"
#include "base/units.h"
#include "machine/machine.h"
#include "paper/paper.h"

#define HEAD                                                                                       \
    "{\"schema\":1,\"id\":\"p\",\"title\":\"T\",\"where\":\"W\",\"workload\":\"kernbench\","       \
    "\"statistic\":\"best\",\"runs\":5,\"metrics\":[{\"name\":\"elapsed_s\"}],"                    \
    "\"loads\":[{\"label\":\"-j1\",\"level\":\"1\"},{\"label\":\"-j3\",\"level\":\"3\"}],"
#define ROW(label, policy, params, cells)                                                          \
    "{\"label\":\"" label "\",\"policy\":\"" policy                                                \
    "\",\"machine\":\"m\",\"profile\":\"k\",\"params\":[" params "],\"cells\":{" cells "}}"

/* U is the reference; A, B, C differ in policy only; C at -j1 is not explained. */
static const char table[] = HEAD "\"reference\":{\"row\":\"U\",\"load\":\"-j1\"},\"rows\":[" ROW(
    "U", "o1:kernel=up", "\"smt=n\"",
    "\"elapsed_s\":{\"-j1\":[100,\"fitted\"]}") "," ROW("A", "o1", "",
                                                        "\"elapsed_s\":{\"-j1\":[100,"
                                                        "\"fitted\"],\"-j3\":[80,"
                                                        "\"comparing\"]"
                                                        "}") "," ROW("B", "w26", "",
                                                                     "\"elapsed_s\":{"
                                                                     "\"-j3\":["
                                                                     "60,\"comparing\"]"
                                                                     "}") "," ROW("C", "c1", "",
                                                                                  "\"el"
                                                                                  "apse"
                                                                                  "d_"
                                                                                  "s\":"
                                                                                  "{\"-"
                                                                                  "j1\""
                                                                                  ":["
                                                                                  "50,"
                                                                                  "\"no"
                                                                                  "t "
                                                                                  "expl"
                                                                                  "aine"
                                                                                  "d\"]"
                                                                                  ",\"-"
                                                                                  "j3\""
                                                                                  ":["
                                                                                  "61,"
                                                                                  "\"pr"
                                                                                  "edic"
                                                                                  "ted"
                                                                                  "\"]"
                                                                                  "}") "],"
                                                                                       "\"notes\":["
                                                                                       "\"a "
                                                                                       "note\"]}";

enum { U_J1, A_J1, A_J3, B_J3, C_J1, C_J3 };

static void parse(struct paper *paper, const char *text)
{
    struct hl_error err = {0};

    if (paper_parse(paper, "p.json", text, strlen(text), &err) != HL_OK)
        fail_msg("%s", err.text);
}

static void assert_near(double found, double expected)
{
    if (!(fabs(found - expected) < 1e-9))
        fail_msg("found %.12g, expected %.12g", found, expected);
}

/* A run of so many seconds in each cell. */
static void simulate(struct paper *paper, int cell, double elapsed_s)
{
    struct hl_error err;
    struct run run;

    run_init(&run, RUN_SIM, NULL);
    run_set(&run, RUN_elapsed_s, elapsed_s);
    assert_int_equal(paper_score_cell(paper, cell, &run, 1, &err), HL_OK);
}

static void simulate_all(struct paper *paper)
{
    static const double elapsed_s[] = {200, 204, 150, 126, 200, 124};

    for (int i = 0; i < HL_COUNT_OF(elapsed_s); i++)
        simulate(paper, i, elapsed_s[i]);
}

static void a_file_gives_rows_loads_and_published_cells(void **state)
{
    struct paper paper;

    (void)state;
    parse(&paper, table);
    assert_string_equal(paper.id, "p");
    assert_int_equal(paper.statistic, PAPER_BEST);
    assert_int_equal(paper.runs, 5);
    assert_int_equal(paper.row_count, 4);
    assert_string_equal(paper.rows[0].params[0], "smt=n");
    assert_int_equal(paper.rows[1].param_count, 0);
    assert_string_equal(paper.loads[1].level, "3");
    assert_string_equal(paper.loads[1].workload, "kernbench");
    assert_int_equal(paper.cell_count, 6);
    assert_string_equal(paper.cells[C_J3].row, "C");
    assert_string_equal(paper.cells[C_J3].load, "-j3");
    assert_string_equal(paper.cells[C_J3].metric, "elapsed_s");
    assert_int_equal(paper.cells[C_J1].role, PAPER_NOT_EXPLAINED);
    assert_int_equal(paper.reference_cell, U_J1);
    assert_int_equal(paper_cell_find(&paper, 2, 0, 0), -1);
    assert_string_equal(paper.metrics[0].unit, "s");
    assert_string_equal(paper.notes[0], "a note");
    paper_close(&paper);
    paper_close(&paper);
}

static void errors_are_of_normalised_values_and_apart_by_role(void **state)
{
    struct paper_score score;
    struct paper paper;

    (void)state;
    parse(&paper, table);
    simulate_all(&paper);
    /* The machine is half as fast as the paper's: no error in itself.
     * U .00; A -j1 1.02 - 1.00; A -j3 .75 - .80; B -j3 .63 - .60; C -j3 .62 - .61 */
    assert_near(paper_difference(&paper, U_J1), 0);
    assert_near(paper_difference(&paper, A_J3), -0.05);
    assert_int_equal(paper_score(&paper, &score, NULL), HL_OK);
    assert_near(score.mean_absolute_error[PAPER_FITTED], 0.01);
    assert_near(score.mean_absolute_error[PAPER_COMPARING], 0.04);
    assert_near(score.mean_absolute_error[PAPER_PREDICTED], 0.01);
    assert_near(score.mean_absolute_error[PAPER_NOT_EXPLAINED], 0.5);
    assert_near(score.mean_absolute_error_all, 0.11 / 5);
    assert_near(score.largest_error, 0.05);
    assert_int_equal(score.largest_cell, A_J3);
    assert_int_equal(score.cells[PAPER_COMPARING], 2);
    assert_int_equal(score.missing, 0);
    paper_score_close(&score);
    paper_close(&paper);
}

static void order_ignores_ties_and_needs_the_rest_as_published(void **state)
{
    struct paper_score score;
    struct paper paper;

    (void)state;
    parse(&paper, table);
    simulate_all(&paper);
    /* At -j3: A after B and C; B and C are 1.7 % apart, a tie that the simulation turns round.
     * At -j1 only A is left: U is another machine and C is not explained. */
    assert_int_equal(paper_score(&paper, &score, NULL), HL_OK);
    assert_int_equal(score.order_count, 1);
    assert_string_equal(score.orders[0].machine, "m");
    assert_string_equal(score.orders[0].load, "-j3");
    assert_int_equal(score.orders[0].pairs, 3);
    assert_int_equal(score.orders[0].apart, 2);
    assert_int_equal(score.orders[0].held, 2);
    assert_true(score.orders[0].holds);
    assert_int_equal(score.orders[0].left_out, 0);
    paper_score_close(&score);
    paper.cells[paper_cell_find(&paper, paper.row_count - 1, 1, 0)].role = PAPER_NOT_EXPLAINED;
    assert_int_equal(paper_score(&paper, &score, NULL), HL_OK);
    assert_int_equal(score.orders[0].pairs, 1);
    assert_int_equal(score.orders[0].left_out, 1);
    paper_score_close(&score);
    paper.cells[paper_cell_find(&paper, paper.row_count - 1, 1, 0)].role = PAPER_COMPARING;

    simulate(&paper, A_J3, 126); /* the same scheduler behind two names does not pass */
    assert_int_equal(paper_score(&paper, &score, NULL), HL_OK);
    assert_false(score.orders[0].holds);
    assert_int_equal(score.orders[0].held, 0);
    assert_int_equal(score.orders[0].simulated_ties, 2);
    paper_score_close(&score);

    simulate(&paper, A_J3,
             127); /* A and C are told apart, A and B are not: the order holds as far */
    assert_int_equal(paper_score(&paper, &score, NULL), HL_OK);
    assert_true(score.orders[0].holds);
    assert_int_equal(score.orders[0].held, 1);
    assert_int_equal(score.orders[0].simulated_ties, 1);
    paper_score_close(&score);

    simulate(&paper, A_J3, 120); /* turned round */
    assert_int_equal(paper_score(&paper, &score, NULL), HL_OK);
    assert_false(score.orders[0].holds);
    assert_int_equal(score.orders[0].held, 0);
    assert_int_equal(score.orders[0].simulated_ties, 0);
    paper_score_close(&score);
    paper_close(&paper);
}

static void cells_without_a_simulated_value_are_counted_as_missing(void **state)
{
    struct paper_score score;
    struct paper paper;

    (void)state;
    parse(&paper, table);
    assert_int_equal(paper_score(&paper, &score, NULL), HL_OK);
    assert_int_equal(score.missing, 5);
    assert_int_equal(score.largest_cell, -1);
    assert_true(isnan(score.mean_absolute_error_all));
    assert_true(isnan(score.mean_absolute_error[PAPER_FITTED]));
    assert_int_equal(score.order_count, 0); /* no load was played */
    paper_score_close(&score);
    paper_close(&paper);
}

static void best_and_mean_leave_failed_runs_out(void **state)
{
    const double elapsed_s[] = {81.2, 81.6, 12.4, 82.0, 81.4};
    struct paper paper;
    struct run runs[5];

    (void)state;
    parse(&paper, table);
    for (int i = 0; i < 5; i++) {
        run_init(&runs[i], RUN_SIM, NULL);
        run_set(&runs[i], RUN_elapsed_s, elapsed_s[i]);
    }
    runs[2].status = RUN_FAILED;
    assert_int_equal(paper_score_cell(&paper, A_J1, runs, 5, NULL), HL_OK);
    assert_near(paper.cells[A_J1].simulated, 81.2);
    paper.statistic = PAPER_MEAN;
    assert_int_equal(paper_score_cell(&paper, A_J1, runs, 5, NULL), HL_OK);
    assert_near(paper.cells[A_J1].simulated, 81.55);
    assert_int_equal(paper_score_cell(&paper, A_J1, runs + 2, 1, NULL), HL_OK);
    assert_true(isnan(paper.cells[A_J1].simulated));
    hl_alloc_fail_at(1);
    assert_int_equal(paper_score_cell(&paper, A_J1, runs, 5, NULL), HL_NO_MEMORY);
    hl_alloc_fail_at(0);
    paper_close(&paper);
}

static void rows_may_be_divided_by_a_row_of_their_own(void **state)
{
    static const char text[] =
        "{\"schema\":1,\"id\":\"p\",\"title\":\"T\",\"where\":\"W\",\"workload\":\"chat\","
        "\"statistic\":\"mean\",\"runs\":5,"
        "\"metrics\":[{\"name\":\"messages_per_s\",\"unit\":\"1/s\",\"better\":\"higher\"}],"
        "\"loads\":[{\"label\":\"20\",\"level\":\"20\"}],\"rows\":["
        "{\"label\":\"off\",\"policy\":\"o1\",\"machine\":\"m\",\"reference_row\":\"off\","
        "\"cells\":{\"messages_per_s\":{\"20\":[1,\"fitted\"]}}},"
        "{\"label\":\"on\",\"policy\":\"o1\",\"machine\":\"m\",\"reference_row\":\"off\","
        "\"cells\":{\"messages_per_s\":{\"20\":[1.24,\"predicted\"]}}}]}";
    struct paper paper;

    (void)state;
    parse(&paper, text);
    paper.cells[0].simulated = 5000;
    paper.cells[1].simulated = 6000;
    assert_near(paper_published(&paper, 1), 1.24);
    assert_near(paper_simulated(&paper, 1), 1.2);
    assert_near(paper_difference(&paper, 1), -0.04);
    assert_int_equal(paper.metrics[0].better, RUN_HIGHER);
    assert_string_equal(paper_row_profile(&paper.rows[0], "kernbench"), "");
    /* No run has this metric yet. */
    simulate(&paper, 1, 3);
    assert_true(isnan(paper.cells[1].simulated));
    paper_close(&paper);
}

static void without_a_reference_errors_are_relative(void **state)
{
    static const char text[] =
        HEAD "\"rows\":[" ROW("A", "o1", "", "\"elapsed_s\":{\"-j1\":[200,\"fitted\"]}") "]}";
    struct paper paper;

    (void)state;
    parse(&paper, text);
    simulate(&paper, 0, 190);
    assert_int_equal(paper.reference_cell, -1);
    assert_near(paper_simulated(&paper, 0), 190);
    assert_near(paper_difference(&paper, 0), -0.05);
    paper_close(&paper);
}

static void assert_rejected(const char *text, const char *message)
{
    struct hl_error err = {0};
    struct paper paper;

    assert_int_equal(paper_parse(&paper, "p.json", text, strlen(text), &err), HL_BAD_INPUT);
    assert_string_equal(err.text, message);
    assert_null(paper.rows);
}

#define CELLS "\"elapsed_s\":{\"-j1\":[100,\"fitted\"]}"

static void a_malformed_file_says_what_and_where(void **state)
{
    (void)state;
    assert_rejected(
        HEAD "\"rows\":[" ROW("A", "o1", "", CELLS) "],\"note\":[]}",
        "p.json: top level: unknown key \"note\"; did you mean \"notes\"? known: schema, id, "
        "title, where, workload, statistic, runs, simulated_runs, rows, loads, notes, metrics, "
        "reference, ratios");
    assert_rejected("{\"schema\":2}",
                    "p.json: /schema: found 2, expected a whole number from 1 to 1");
    assert_rejected("{\"schema\":1}", "p.json: top level: the key \"id\" is missing");
    assert_rejected(HEAD "\"rows\":[]}", "p.json: /rows: found 0 items, expected 1 to 256");
    assert_rejected(HEAD "\"rows\":[" ROW("A", "o1", "", "") "]}",
                    "p.json: /rows: no row has a cell");
    assert_rejected(
        HEAD "\"rows\":[" ROW("A", "o1", "", "\"elapsed_s\":{\"-j1\":[100]}") "]}",
        "p.json: /rows/0/cells/elapsed_s/-j1: found 1 items, expected 2: value and role");
    assert_rejected(
        HEAD "\"rows\":[" ROW("A", "o1", "", "\"elapsed_s\":{\"-j1\":[-0.5,\"fitted\"]}") "]}",
        "p.json: /rows/0/cells/elapsed_s/-j1/0: found -0.5, expected a number above 0");
    assert_rejected(
        HEAD "\"rows\":[" ROW("A", "o1", "", "\"elapsed_s\":{\"-j1\":[1,\"fited\"]}") "]}",
        "p.json: /rows/0/cells/elapsed_s/-j1/1: unknown role \"fited\"; did you mean \"fitted\"?");
    assert_rejected(HEAD
                    "\"rows\":[" ROW("A", "o1", "", "\"elapsed_s\":{\"-j2\":[1,\"fitted\"]}") "]}",
                    "p.json: /rows/0/cells/elapsed_s: unknown key \"-j2\"; did you mean \"-j1\"? "
                    "known: -j1, -j3");
    assert_rejected(HEAD "\"rows\":[" ROW("A", "o1", "", CELLS) "," ROW("A", "w26", "", CELLS) "]}",
                    "p.json: /rows/1: \"A\" stands here twice");
    assert_rejected(HEAD "\"rows\":[" ROW("A", "o1", "\"smt\"", CELLS) "]}",
                    "p.json: /rows/0/params/0: found \"smt\", expected KEY=VALUE");
    assert_rejected(HEAD "\"reference\":{\"row\":\"AB\",\"load\":\"-j1\"},\"rows\":[" ROW(
                        "A", "o1", "", CELLS) "]}",
                    "p.json: /reference/row: unknown row \"AB\"; did you mean \"A\"?");
    assert_rejected(HEAD "\"reference\":{\"row\":\"A\",\"load\":\"-j3\"},\"rows\":[" ROW(
                        "A", "o1", "", CELLS) "]}",
                    "p.json: /reference: row \"A\" has no elapsed_s at load \"-j3\"");
    assert_rejected("{\"schema\":1,\"id\":\"p\",\n\"title\":}",
                    "p.json:2: not JSON: unexpected token near '}'");
}

static void every_failed_allocation_is_a_status(void **state)
{
    struct hl_error err;
    struct paper paper;
    enum hl_status status = HL_NO_MEMORY;
    uint64_t n = 0;

    (void)state;
    while (status != HL_OK && n < 10000) {
        hl_alloc_fail_at(++n);
        status = paper_parse(&paper, "p.json", table, strlen(table), &err);
        hl_alloc_fail_at(0);
        assert_true(status == HL_OK || status == HL_NO_MEMORY);
    }
    assert_true(n > 20);
    assert_int_equal(status, HL_OK);
    paper_close(&paper);
}

static void open_machine(struct machine *machine, const struct paper_row *row)
{
    struct hl_error err = {0};

    if (machine_open(machine, row->machine, &err) != HL_OK)
        fail_msg("%s", err.text);
    for (int i = 0; i < row->param_count; i++)
        if (machine_set(machine, row->params[i], &err) != HL_OK)
            fail_msg("%s", err.text);
}

static void all_shipped_papers_load_and_have_their_machines(void **state)
{
    struct hl_error err = {0};
    char **names;
    int count = 0;

    (void)state;
    assert_int_equal(hl_data_list("papers", ".json", &names, &err), HL_OK);
    for (; names[count] != NULL; count++) {
        struct paper paper;

        if (paper_open(&paper, names[count], &err) != HL_OK)
            fail_msg("%s", err.text);
        assert_string_equal(paper.id, names[count]);
        for (int row = 0; row < paper.row_count; row++) {
            struct machine machine = {0};

            open_machine(&machine, &paper.rows[row]);
            machine_close(&machine);
        }
        paper_close(&paper);
    }
    assert_int_equal(count, 8);
    hl_data_list_close(names);
}

static void an_unknown_paper_names_a_near_one(void **state)
{
    struct hl_error err = {0};
    struct paper paper;

    (void)state;
    assert_int_equal(paper_open(&paper, "kolivas-2003-p3", &err), HL_USAGE);
    assert_non_null(strstr(err.text, "kolivas-2003-p4"));
}

/*
 * The rule of roles for papers about SMT: with SMT, more than one compiler and some cpus free a cell is
 * comparing, and no other is: only those may be fitted. `offset`: make -jX runs
 * max(1, X - offset) compilers.
 */
static void assert_smt_roles(const char *id, int64_t offset, int expected_comparing)
{
    struct hl_error err = {0};
    struct paper paper;
    int comparing = 0;

    if (paper_open(&paper, id, &err) != HL_OK)
        fail_msg("%s", err.text);
    for (int i = 0; i < paper.cell_count; i++) {
        const struct paper_cell *cell = &paper.cells[i];
        int64_t compilers = strtol(paper.loads[cell->load_index].level, NULL, 10) - offset;
        struct machine machine = {0};
        bool is_comparing;

        open_machine(&machine, &paper.rows[cell->row_index]);
        is_comparing = machine.has_smt && compilers > 1 && compilers < machine.cpu_count;
        machine_close(&machine);
        comparing += is_comparing;
        if (cell->role == PAPER_COMPARING || is_comparing)
            assert_true(cell->role == PAPER_COMPARING && is_comparing);
    }
    assert_int_equal(comparing, expected_comparing);
    paper_close(&paper);
}

static void roles_of_the_ht_papers_follow_the_rule(void **state)
{
    (void)state;
    assert_smt_roles("fredrickson-2003-2phys", 1, 6);
    assert_smt_roles("kolivas-2003-p4", 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_gives_rows_loads_and_published_cells),
        cmocka_unit_test(errors_are_of_normalised_values_and_apart_by_role),
        cmocka_unit_test(order_ignores_ties_and_needs_the_rest_as_published),
        cmocka_unit_test(cells_without_a_simulated_value_are_counted_as_missing),
        cmocka_unit_test(best_and_mean_leave_failed_runs_out),
        cmocka_unit_test(rows_may_be_divided_by_a_row_of_their_own),
        cmocka_unit_test(without_a_reference_errors_are_relative),
        cmocka_unit_test(a_malformed_file_says_what_and_where),
        cmocka_unit_test(every_failed_allocation_is_a_status),
        cmocka_unit_test(all_shipped_papers_load_and_have_their_machines),
        cmocka_unit_test(an_unknown_paper_names_a_near_one),
        cmocka_unit_test(roles_of_the_ht_papers_follow_the_rule),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
