/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paper_table.c - published and simulated values of a paper and their difference, cell by cell.
 *
 *     elapsed_s, best of 5 (lower is better), normalised to 1phys (uniproc) at -j1:
 *     published 305.86 s, simulated 310.02 s
 *                                     -j1       -j3
 *     ---------------  ----------  --------  --------
 *     2phys w/HT        published   1.010     0.644
 *                       simulated   1.012     0.650
 *                      difference  +0.002 f  +0.006 c
 */
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/format.h"
#include "report/paper_text.h"
#include "report/write.h"

enum { COLUMNS_MAX = REPORT_PAPER_COLUMNS, NOTE_COLUMNS = 100 };

char report_paper_letter(enum paper_role role)
{
    switch (role) {
    case PAPER_FITTED: return 'f';
    case PAPER_PREDICTED: return 'p';
    case PAPER_COMPARING: return 'c';
    case PAPER_NOT_EXPLAINED: return 'x';
    case PAPER_ROLE_COUNT: break;
    }
    return '?';
}

/* No more digits than tables of this field print; never an exponent. */
static const char *format_value(char text[HL_EXACT_BYTES], double value)
{
    double size = fabs(value);

    (void)hl_format(text, HL_EXACT_BYTES, "%.*f", size < 10 ? 3 : size < 10000 ? 2 : 0, value);
    return text;
}

/* The place of the role letter is left blank in the other lines: decimal points stand in line. */
static void add_value(struct report_table *table, const struct paper *paper, int cell, double value)
{
    char text[HL_EXACT_BYTES];

    if (isnan(value))
        report_table_cell(table, "%s", "");
    else if (paper->cells[cell].reference >= 0)
        report_table_cell(table, "%.3f  ", value);
    else
        report_table_cell(table, "%s  ", format_value(text, value));
}

static void add_difference(struct report_table *table, const struct paper *paper, int cell)
{
    double exact = paper_difference(paper, cell);
    double difference = fabs(exact) < 0.0005 ? 0 : exact; /* no "-0.000" */
    char letter = report_paper_letter(paper->cells[cell].role);

    if (isnan(difference))
        report_table_cell(table, "%c", letter);
    else if (paper->cells[cell].reference >= 0)
        report_table_cell(table, "%+.3f %c", difference, letter);
    else
        report_table_cell(table, "%+.1f%% %c", 100 * difference, letter);
}

enum line { LINE_PUBLISHED, LINE_SIMULATED, LINE_DIFFERENCE, LINE_COUNT };

/* One of the three lines of a row; cells[i] is -1 where nothing was published. */
static void add_line(struct report_table *table, const struct paper *paper, enum line line,
                     const int *cells, int count)
{
    static const char *const names[LINE_COUNT] = {"published", "simulated", "difference"};

    report_table_cell(table, "%s", names[line]);
    for (int i = 0; i < count; i++) {
        if (cells[i] < 0)
            report_table_cell(table, "%s", "");
        else if (line == LINE_DIFFERENCE)
            add_difference(table, paper, cells[i]);
        else
            add_value(table, paper, cells[i],
                      line == LINE_PUBLISHED ? paper_published(paper, cells[i])
                                             : paper_simulated(paper, cells[i]));
    }
    report_table_end_row(table);
}

static void add_row(struct report_table *table, const struct paper *paper, int row, int metric,
                    const int *loads, int count)
{
    int cells[COLUMNS_MAX], published = 0;

    for (int i = 0; i < count; i++) {
        cells[i] = paper_cell_find(paper, row, loads[i], metric);
        published += cells[i] >= 0;
    }
    for (int line = 0; line < LINE_COUNT && published > 0; line++) {
        report_table_cell(table, "%s", line == 0 ? paper->rows[row].label : "");
        add_line(table, paper, (enum line)line, cells, count);
    }
}

void report_paper_loads(struct report_table *table, const struct paper *paper, const int *loads,
                        int count)
{
    report_table_cell(table, "%s", "");
    report_table_cell(table, "%s", "");
    for (int i = 0; i < count; i++)
        report_table_cell(table, "%s  ", paper->loads[loads[i]].label);
    report_table_end_row(table);
}

static enum hl_status write_table(FILE *out, const struct paper *paper, int metric,
                                  const int *loads, int count, struct hl_error *err)
{
    struct report_table *table = report_table_new();
    enum hl_status status;

    report_paper_loads(table, paper, loads, count);
    for (int row = 0; row < paper->row_count; row++)
        add_row(table, paper, row, metric, loads, count);
    status = report_table_print(table, out, 1, err);
    report_table_free(table);
    return status;
}

/* What a derived metric is computed from. */
static void write_sources(FILE *out, const struct paper *paper, int metric)
{
    const struct paper_metric *m = &paper->metrics[metric];

    for (int i = 0; i < m->from_count; i++)
        (void)fprintf(out, "%s%s",
                      i == 0                   ? ", computed from "
                      : i + 1 == m->from_count ? " and "
                                               : ", ",
                      paper->metrics[m->from[i]].name);
    (void)fputs(m->from_count > 0 ? ": in no error" : "", out);
}

static void write_reference(FILE *out, const struct paper *paper, int metric)
{
    const char *unit = paper->metrics[metric].unit, *blank = unit[0] == '\0' ? "" : " ";
    char published[HL_EXACT_BYTES], simulated[HL_EXACT_BYTES];
    const struct paper_cell *cell;
    int first = 0;

    while (paper->cells[first].metric_index != metric)
        first++;
    if (paper->cells[first].reference < 0)
        return;
    if (paper->reference_cell < 0) {
        (void)fputs(", each row divided by its reference row", out);
        return;
    }
    cell = &paper->cells[paper->cells[first].reference];
    (void)fprintf(out, ", normalised to %s at %s:\npublished %s%s%s, simulated %s%s%s", cell->row,
                  cell->load, format_value(published, cell->published), blank, unit,
                  isnan(cell->simulated) ? "-" : format_value(simulated, cell->simulated), blank,
                  unit);
}

static void write_run_count(FILE *out, const struct paper *paper, int64_t runs)
{
    if (runs == 1)
        (void)fputs("single runs", out);
    else
        (void)fprintf(out, "%s of %" PRId64, paper->statistic == PAPER_BEST ? "best" : "mean",
                      runs);
}

/* What a value is of how many runs, published and simulated. */
static void write_runs(FILE *out, const struct paper *paper)
{
    write_run_count(out, paper, paper->runs);
    if (paper->simulated_runs == paper->runs)
        return;
    (void)fputs(", simulated ", out);
    write_run_count(out, paper, paper->simulated_runs);
}

static enum hl_status write_metric(FILE *out, const struct paper *paper, int metric,
                                   struct hl_error *err)
{
    static const char *const better[] = {"lower is better", "higher is better",
                                         "neither is better"};
    int loads[COLUMNS_MAX], count = 0;
    bool is_empty = true, is_first = true;

    for (int i = 0; i < paper->cell_count && is_empty; i++)
        is_empty = paper->cells[i].metric_index != metric;
    if (is_empty)
        return HL_OK;
    (void)fprintf(out, "\n%s, ", paper->metrics[metric].name);
    write_runs(out, paper);
    (void)fprintf(out, " (%s)", better[paper->metrics[metric].better]);
    write_sources(out, paper, metric);
    write_reference(out, paper, metric);
    (void)fputc('\n', out);
    for (int load = 0; load < paper->load_count; load++) {
        bool has_cell = false;

        for (int row = 0; row < paper->row_count; row++)
            has_cell |= paper_cell_find(paper, row, load, metric) >= 0;
        if (has_cell)
            loads[count++] = load;
        if (count == COLUMNS_MAX || (load + 1 == paper->load_count && count > 0)) {
            (void)fputs(is_first ? "" : "\n", out);
            is_first = false;
            HL_TRY(write_table(out, paper, metric, loads, count, err));
            count = 0;
        }
    }
    return HL_OK;
}

static void write_error(FILE *out, const char *name, double error, int cells)
{
    if (cells == 0)
        (void)fprintf(out, "  %-10s  no cell\n", name);
    else
        report_write(out, "  %-10s  %.4f  (%d cell%s)\n", name, error, cells,
                     cells == 1 ? "" : "s");
}

/* The loads at which a row's metric is not explained, on one line. */
static void write_not_explained(FILE *out, const struct paper *paper, int row, int metric)
{
    bool is_first = true;

    for (int load = 0; load < paper->load_count; load++) {
        int cell = paper_cell_find(paper, row, load, metric);

        if (cell < 0 || paper->cells[cell].role != PAPER_NOT_EXPLAINED)
            continue;
        if (is_first)
            (void)fprintf(out, "  left out, not explained: %s of %s at ",
                          paper->metrics[metric].name, paper->rows[row].label);
        (void)fprintf(out, "%s%s", is_first ? "" : ", ", paper->loads[load].label);
        is_first = false;
    }
    (void)fputs(is_first ? "" : "\n", out);
}

static void write_errors(FILE *out, const struct paper *paper, const struct paper_score *score)
{
    int all = 0;

    (void)fprintf(out, "\nmean absolute error%s\n",
                  paper->cells[0].reference >= 0 ? " of normalised values" : ", relative");
    for (int role = 0; role < PAPER_NOT_EXPLAINED; role++) {
        write_error(out, paper_role_name((enum paper_role)role), score->mean_absolute_error[role],
                    score->cells[role]);
        all += score->cells[role];
    }
    write_error(out, "all three", score->mean_absolute_error_all, all);
    if (score->largest_cell >= 0)
        report_write(out, "  largest     %.4f  (%s at %s, %s)\n", score->largest_error,
                     paper->cells[score->largest_cell].row, paper->cells[score->largest_cell].load,
                     paper->cells[score->largest_cell].metric);
    if (score->missing > 0)
        (void)fprintf(out, "  missing     %d without a simulated value\n", score->missing);
    if (score->derived > 0)
        (void)fprintf(out, "  not counted: %d cell%s of metrics computed from others\n",
                      score->derived, score->derived == 1 ? "" : "s");
    for (int row = 0; row < paper->row_count; row++)
        for (int metric = 0; metric < paper->metric_count; metric++)
            write_not_explained(out, paper, row, metric);
}

static void write_left_out(FILE *out, const struct paper_order *order)
{
    if (order->left_out > 0)
        (void)fprintf(out, "; %d row%s left out (not explained)", order->left_out,
                      order->left_out == 1 ? "" : "s");
}

static bool is_same_outcome(const struct paper_order *a, const struct paper_order *b)
{
    return strcmp(a->machine, b->machine) == 0 && a->pairs == b->pairs && a->apart == b->apart &&
           a->held == b->held && a->simulated_ties == b->simulated_ties &&
           a->left_out == b->left_out;
}

/* How the pairs of an order came out, after its machine and loads. */
static void write_outcome(FILE *out, const struct paper_order *order)
{
    int turned = order->apart - order->held - order->simulated_ties;

    if (order->apart == 0) {
        (void)fputs("all tied", out);
    } else {
        (void)fprintf(out, "%s%d of %d pair%s hold%s", turned > 0 ? "DOES NOT HOLD: " : "",
                      order->held, order->apart, order->apart == 1 ? "" : "s",
                      order->apart == 1 ? "s" : "");
        if (order->simulated_ties > 0)
            (void)fprintf(out, ", %d simulated tie%s", order->simulated_ties,
                          order->simulated_ties == 1 ? "" : "s");
        if (order->pairs > order->apart)
            (void)fprintf(out, "; %d tied", order->pairs - order->apart);
    }
    write_left_out(out, order);
}

/* Loads of one machine that come out alike stand on one line, that of the first of them. */
static void write_order(FILE *out, const struct paper_score *score, int first)
{
    const struct paper_order *order = &score->orders[first];

    for (int i = 0; i < first; i++)
        if (is_same_outcome(&score->orders[i], order))
            return;
    (void)fprintf(out, "  %s at %s", order->machine, order->load);
    for (int i = first + 1; i < score->order_count; i++)
        if (is_same_outcome(&score->orders[i], order))
            (void)fprintf(out, ", %s", score->orders[i].load);
    (void)fputs(": ", out);
    write_outcome(out, order);
    (void)fputc('\n', out);
}

static void write_orders(FILE *out, const struct paper_score *score)
{
    if (score->order_count == 0)
        return;
    (void)fputs("\norder of schedulers (pairs within 2 % are ties, published or simulated)\n", out);
    for (int i = 0; i < score->order_count; i++)
        write_order(out, score, i);
}

/* In lines of at most NOTE_COLUMNS where its words allow; all but the first are indented. */
static void write_note(FILE *out, const char *note)
{
    size_t column = 2;

    (void)fputs("  ", out);
    while (*note != '\0') {
        size_t word = strcspn(note, " ");

        if (column > 2 && column + 1 + word > NOTE_COLUMNS) {
            (void)fputs("\n    ", out);
            column = 4;
        } else if (column > 2) {
            (void)fputc(' ', out);
            column++;
        }
        (void)fwrite(note, 1, word, out);
        column += word;
        note += word + strspn(note + word, " ");
    }
    (void)fputc('\n', out);
}

enum hl_status report_paper_text(FILE *out, const struct paper *paper,
                                 const struct paper_score *score, struct hl_error *err)
{
    (void)fprintf(out, "%s: %s\n%s\n", paper->id, paper->title, paper->where);
    for (int metric = 0; metric < paper->metric_count; metric++)
        HL_TRY(write_metric(out, paper, metric, err));
    HL_TRY(report_paper_ratios(out, paper, err));
    (void)fputs("f fitted, p predicted, c comparing (predicted cells that tell schedulers apart, "
                "counted apart), "
                "x not explained (in no error)\n",
                out);
    write_errors(out, paper, score);
    write_orders(out, score);
    if (paper->note_count > 0)
        (void)fputs("\nnotes\n", out);
    for (int i = 0; i < paper->note_count; i++)
        write_note(out, paper->notes[i]);
    return report_write_end(out, err);
}
