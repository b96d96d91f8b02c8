/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare_table.c - a comparison for people: text and Markdown.
 *
 *     elapsed_s: different at 1 of 2 loads (optimal)
 *
 *     elapsed_s in s, lower is better; change is cpus=0+1 against cpus=0
 *
 *     load            base, mean (sd)  new, mean (sd)  change [interval]             verdict ...
 *     --------------  ---------------  --------------  ----------------------------  ---------
 *     1                  81.55 (0.34)    81.60 (0.30)  +0.06 % [-0.31 %, +0.44 %]    same
 *
 * What a number rests on stands beside it: the attained level where it is not the wanted one, and
 * "approximate" where it is.
 */
#include <math.h>
#include <string.h>

#include "base/format.h"
#include "base/units.h"
#include "base/visible.h"
#include "report/report.h"
#include "report/write.h"

enum { TEXT_BYTES = 160, EXPLORED_MAX = 12 };

static bool has_unit(const struct run_metric_info *info)
{
    return info->unit[0] != '\0';
}

/* ---- texts of a cell ---- */

/* Four digits at least, and two decimals for what is not a whole number. */
static int decimals_of(double value)
{
    double size = fabs(value);

    if (value == round(value) && size >= 100)
        return 0;
    if (size > 0 && size < 0.1)
        return HL_MIN(3 - (int)floor(log10(size)), 9);
    return size >= 10 ? 2 : size >= 1 ? 3 : 4;
}

static const char *value_text(double value, char text[TEXT_BYTES])
{
    (void)hl_format(text, TEXT_BYTES, "%.*f", decimals_of(value), value);
    return text;
}

/* "81.55 (0.34)"; of two modes both: their mean is nobody's. */
static const char *side_text(const struct compare_side *side, char text[TEXT_BYTES])
{
    char first[TEXT_BYTES], second[TEXT_BYTES];

    if (side->n == 0)
        (void)hl_format(text, TEXT_BYTES, "%s", "");
    else if (side->is_two_modes)
        (void)hl_format(text, TEXT_BYTES, "%s x%zu, %s x%zu",
                        value_text(side->modes.mean[0], first), side->modes.count[0],
                        value_text(side->modes.mean[1], second), side->modes.count[1]);
    else if (side->n == 1)
        (void)value_text(side->mean, text);
    else
        (void)hl_format(text, TEXT_BYTES, "%s (%.*f)", value_text(side->mean, first),
                        side->sd > 0 ? decimals_of(side->mean + 1e-9) : 0, side->sd);
    return text;
}

static const char *percent_text(double ratio, char text[TEXT_BYTES])
{
    double percent = 100 * (ratio - 1);

    /* Not "-0.00 %". */
    (void)hl_format(text, TEXT_BYTES, "%+.2f %%", fabs(percent) < 0.005 ? 0 : percent);
    return text;
}

static const char *end_text(const struct compare_cell *cell, double end, char text[TEXT_BYTES])
{
    if (cell->is_ratio)
        return percent_text(end, text);
    (void)hl_format(text, TEXT_BYTES, "%+.4g", end);
    return text;
}

static const char *change_text(const struct compare_cell *cell, char text[TEXT_BYTES])
{
    const struct stats_interval *change = &cell->change;
    char estimate[TEXT_BYTES], low[TEXT_BYTES], high[TEXT_BYTES], level[TEXT_BYTES] = "";

    (void)end_text(cell, change->estimate, estimate);
    if (isnan(change->low)) {
        (void)hl_format(text, TEXT_BYTES, "%s [no interval]", estimate);
        return text;
    }
    if (!change->reaches)
        (void)hl_format(level, sizeof(level), " at %.4g %%", 100 * change->level);
    (void)hl_format(text, TEXT_BYTES, "%s [%s, %s]%s%s", estimate, end_text(cell, change->low, low),
                    end_text(cell, change->high, high), level,
                    change->is_exact ? "" : " approximate");
    return text;
}

static const char *p_text(double p, char text[TEXT_BYTES])
{
    if (isnan(p))
        (void)hl_format(text, TEXT_BYTES, "-");
    else if (p < 0.0001)
        (void)hl_format(text, TEXT_BYTES, "<0.0001");
    else
        (void)hl_format(text, TEXT_BYTES, "%.4f", p);
    return text;
}

/* How the load is called: label, and the level where the label does not say it. */
static const char *load_text(const struct compare_result *result, size_t load,
                             char text[TEXT_BYTES])
{
    const struct run *run = result->loads[load];
    char level[32] = "";

    if (run->level > 0)
        (void)hl_format(level, sizeof(level), "%lld", (long long)run->level);
    if (level[0] == '\0' || strcmp(level, run->load) == 0)
        (void)hl_format(text, TEXT_BYTES, "%s", run->load);
    else
        (void)hl_format(text, TEXT_BYTES, "%s (%s)", run->load, level);
    return text;
}

static const char *better_text(enum run_better better)
{
    switch (better) {
    case RUN_LOWER: return "lower is better";
    case RUN_HIGHER: return "higher is better";
    case RUN_NEITHER: return "neither lower nor higher is better";
    }
    return "";
}

/* ---- the headline ---- */

static size_t count_metrics(const struct compare_result *result)
{
    size_t count = result->cell_count > 0;

    /* Cells of one metric stand together. */
    for (size_t i = 0; i < result->exploratory_count; i++)
        count += i == 0 || result->exploratory[i].metric != result->exploratory[i - 1].metric;
    return count;
}

/* "2 same, 1 undecided", in front of it `before`; nothing if there are neither. */
static void write_counts(FILE *out, const struct compare_result *result, const char *before)
{
    static const enum compare_verdict verdicts[] = {COMPARE_SAME, COMPARE_UNDECIDED};

    for (size_t i = 0; i < 2; i++) {
        size_t count = compare_count(result->cells, result->cell_count, verdicts[i]);

        if (count > 0)
            (void)fprintf(out, "%s%zu %s", before, count, compare_verdict_name(verdicts[i]));
        before = count > 0 ? ", " : before;
    }
}

/* "load 2 worse", of several new arms "c1 at load 2 worse". */
static void write_different(FILE *out, const struct compare_result *result,
                            const struct compare_cell *cell, const char *before)
{
    enum run_better better = run_metric_table[cell->metric].better;
    bool is_only = result->request->new_count == 1;
    bool is_more = cell->change.estimate > (cell->is_ratio ? 1 : 0);
    char load[TEXT_BYTES], text[4 * TEXT_BYTES], name[4 * TEXT_BYTES];

    (void)fprintf(
        out, "%s%s%sload %s %s", before,
        is_only ? "" : hl_visible(name, sizeof(name), result->request->news[cell->arm].name),
        is_only ? "" : " at ", hl_visible(text, sizeof(text), load_text(result, cell->load, load)),
        better == RUN_NEITHER               ? is_more ? "higher" : "lower"
        : is_more == (better == RUN_HIGHER) ? "better"
                                            : "worse");
}

static bool any_ok(const struct compare_result *result)
{
    for (size_t i = 0; i < result->request->new_count; i++)
        if (compare_arm_has_ok(&result->request->news[i]))
            return true;
    return false;
}

static void write_headline(FILE *out, const struct compare_result *result)
{
    size_t different = compare_count(result->cells, result->cell_count, COMPARE_DIFFERENT);
    size_t others =
        compare_count(result->exploratory, result->exploratory_count, COMPARE_DIFFERENT);
    size_t metrics = count_metrics(result), listed = 0;
    const char *name = run_metric_table[result->request->metric].name;

    if (result->cell_count == 0 && !any_ok(result)) {
        (void)fputs("nothing to compare: no new run succeeded\n", out);
    } else if (result->cell_count == 0 && result->exploratory_count == 0) {
        (void)fprintf(out, "nothing to compare: no load has %s in both\n", name);
    } else if (result->cell_count == 0 && others == 0) {
        (void)fprintf(out,
                      "no difference shown in %zu metric%s (%s, which would decide, is in none)\n",
                      metrics, metrics == 1 ? "" : "s", name);
    } else if (result->cell_count == 0) {
        (void)fprintf(out, "nothing decided: no load has %s in both\n", name);
    } else if (different + others == 0 && !result->request->primary_only) {
        (void)fprintf(out, "no difference shown in %zu metric%s (%s: ", metrics,
                      metrics == 1 ? "" : "s", name);
        write_counts(out, result, "");
        (void)fputs(")\n", out);
    } else if (different == 0) {
        (void)fprintf(out, "%s: no difference shown (", name);
        write_counts(out, result, "");
        (void)fputs(")\n", out);
    } else {
        (void)fprintf(out, "%s: different in %zu of %zu comparison%s (", name, different,
                      result->cell_count, result->cell_count == 1 ? "" : "s");
        for (size_t i = 0; i < result->cell_count; i++)
            if (result->cells[i].verdict == COMPARE_DIFFERENT)
                write_different(out, result, &result->cells[i], listed++ > 0 ? ", " : "");
        (void)fputc(')', out);
        write_counts(out, result, "; ");
        (void)fputc('\n', out);
    }
}

/* ---- tables: text and Markdown share their rows ---- */

struct sheet {
    FILE *out;
    bool is_markdown;
    struct report_table *table;
    size_t columns;
};

static void sheet_begin(struct sheet *sheet, const char *const *heads, size_t columns)
{
    sheet->columns = columns;
    if (!sheet->is_markdown)
        sheet->table = report_table_new();
    for (size_t i = 0; i < columns; i++) {
        if (sheet->is_markdown)
            (void)fprintf(sheet->out, "| %s ", heads[i]);
        else
            report_table_cell(sheet->table, "%s", heads[i]);
    }
    if (!sheet->is_markdown) {
        report_table_end_row(sheet->table);
        return;
    }
    (void)fputs("|\n", sheet->out);
    for (size_t i = 0; i < columns; i++)
        (void)fputs(i == 0 ? "|---" : "|--:", sheet->out);
    (void)fputs("|\n", sheet->out);
}

static void sheet_cell(struct sheet *sheet, const char *text)
{
    char visible[4 * TEXT_BYTES];

    if (!sheet->is_markdown) {
        report_table_cell(sheet->table, "%s", text);
        return;
    }
    text = hl_visible(visible, sizeof(visible), text);
    (void)fputs("| ", sheet->out);
    for (; *text != '\0'; text++) {
        if (*text == '|' || *text == '\\')
            (void)fputc('\\', sheet->out);
        (void)fputc(*text, sheet->out);
    }
    (void)fputc(' ', sheet->out);
}

static void sheet_end_row(struct sheet *sheet)
{
    if (sheet->is_markdown)
        (void)fputs("|\n", sheet->out);
    else
        report_table_end_row(sheet->table);
}

static enum hl_status sheet_end(struct sheet *sheet, struct hl_error *err)
{
    enum hl_status status = HL_OK;

    if (!sheet->is_markdown)
        status = report_table_print(sheet->table, sheet->out, 1, err);
    report_table_free(sheet->table);
    sheet->table = NULL;
    return status;
}

static void write_line(FILE *out, bool is_markdown, const char *text)
{
    report_line(out, "%s%s", is_markdown ? "- " : "", text);
}

/* ---- one new arm ---- */

static void write_row(struct sheet *sheet, const char *name, const char *base, const char *new,
                      const struct compare_cell *cell)
{
    char text[TEXT_BYTES], n[COMPARE_N_BYTES];

    sheet_cell(sheet, name);
    sheet_cell(sheet, base);
    sheet_cell(sheet, new);
    sheet_cell(sheet, change_text(cell, text));
    sheet_cell(sheet, compare_verdict_name(cell->verdict));
    sheet_cell(sheet, p_text(cell->change.p, text));
    sheet_cell(sheet, compare_n_text(cell, n));
    sheet_end_row(sheet);
}

static const struct compare_cell *mean_of_arm(const struct compare_result *result, size_t arm)
{
    for (size_t i = 0; i < result->mean_count; i++)
        if (result->means[i].arm == arm)
            return &result->means[i];
    return NULL;
}

static size_t count_of_arm(const struct compare_result *result, size_t arm)
{
    size_t count = 0;

    for (size_t i = 0; i < result->cell_count; i++)
        count += result->cells[i].arm == arm;
    return count;
}

static enum hl_status write_arm(FILE *out, bool is_markdown, const struct compare_result *result,
                                size_t arm, struct hl_error *err)
{
    static const char *const heads[] = {
        "load", "base, mean (sd)", "new, mean (sd)", "change [interval]", "verdict", "p", "n"};
    const struct compare_request *request = result->request;
    const struct run_metric_info *info = &run_metric_table[request->metric];
    const struct compare_cell *mean = mean_of_arm(result, arm);
    struct sheet sheet = {.out = out, .is_markdown = is_markdown};
    char name[TEXT_BYTES], base[TEXT_BYTES], new[TEXT_BYTES];

    (void)fputc('\n', out);
    report_line(out, "%s%s%s, %s; base is %s, new is %s", info->name, has_unit(info) ? " in " : "",
                info->unit, better_text(info->better), compare_base_of(request, arm)->name,
                request->news[arm].name);
    (void)fputc('\n', out);
    sheet_begin(&sheet, heads, sizeof(heads) / sizeof(heads[0]));
    for (size_t i = 0; i < result->cell_count; i++) {
        const struct compare_cell *cell = &result->cells[i];

        if (cell->arm == arm)
            write_row(&sheet, load_text(result, cell->load, name), side_text(cell->base, base),
                      side_text(cell->new, new), cell);
    }
    if (mean != NULL && result->load_count > 1)
        write_row(&sheet, "geometric mean", "", "", mean);
    return sheet_end(&sheet, err);
}

/* ---- under the tables ---- */

static void write_undecided(FILE *out, bool is_markdown, const struct compare_result *result,
                            const struct compare_cell *cell, const char *where)
{
    char line[COMPARE_REASON_BYTES + 4 * TEXT_BYTES], more[TEXT_BYTES] = "", found[TEXT_BYTES] = "";
    double detectable = compare_detectable_effect(cell);
    const char *arm = result->request->news[cell->arm].name;
    bool is_only = result->request->new_count == 1;

    if (cell->verdict != COMPARE_UNDECIDED)
        return;
    if (cell->n_to_decide > 0)
        (void)hl_format(more, sizeof(more),
                        "; about %zu %s%s would decide if the change is as estimated",
                        cell->n_to_decide, compare_units(cell->unit, cell->n_to_decide),
                        cell->unit == COMPARE_BLOCKS ? "" : " per arm");
    if (cell->n_to_decide > 0 && isfinite(detectable))
        (void)hl_format(found, sizeof(found), "; %.2g %% would be found (power 80 %%)",
                        100 * detectable);
    (void)hl_format(line, sizeof(line), "%s%s%s undecided: %s%s%s", is_only ? "" : arm,
                    is_only ? "" : ", ", where, cell->reason, more, found);
    write_line(out, is_markdown, line);
}

/* Blocks have one number, all else two. */
static const char *units_text(const struct compare_result *result, char text[TEXT_BYTES])
{
    bool has_blocks = false, has_boots = false;
    const char *apart = NULL, *mean = "";

    for (size_t i = 0; i < result->cell_count; i++) {
        has_boots = has_boots || result->cells[i].unit == COMPARE_BOOTS;
        if (result->cells[i].unit == COMPARE_BLOCKS)
            has_blocks = true;
        else
            apart = compare_unit_name(result->cells[i].unit);
    }
    for (size_t i = 0; i < result->mean_count && result->load_count > 1; i++)
        if (result->means[i].unit != COMPARE_RUNS)
            mean = result->means[i].unit == COMPARE_BLOCKS ? "; geometric mean from per-block means"
                                                           : "; geometric mean from per-boot means";
    (void)hl_format(text, TEXT_BYTES, "n in %s%s%s%s%s", has_blocks ? "blocks" : "",
                    has_blocks && apart != NULL ? ", n v n in " : "", apart != NULL ? apart : "",
                    has_boots ? ", mean and sd of runs" : "", mean);
    return text;
}

static void write_levels(FILE *out, bool is_markdown, const struct compare_result *result)
{
    const struct compare_request *request = result->request;
    double least = 1, most = 0;
    char line[3 * TEXT_BYTES], range[TEXT_BYTES], units[TEXT_BYTES];

    for (size_t i = 0; i < result->cell_count; i++) {
        least = fmin(least, result->cells[i].level);
        most = fmax(most, result->cells[i].level);
    }
    if (result->cell_count == 1)
        range[0] = '\0';
    else if (least == most)
        (void)hl_format(range, sizeof(range), " for all %zu together (Holm: %.4g %% each)",
                        result->cell_count, 100 * least);
    else
        (void)hl_format(range, sizeof(range), " for all %zu together (Holm: %.4g to %.4g %% each)",
                        result->cell_count, 100 * least, 100 * most);
    (void)hl_format(line, sizeof(line), "%.4g %%%s; same: within %.4g %% of base; %s",
                    100 * request->level, range, 100 * request->effect, units_text(result, units));
    write_line(out, is_markdown, line);
}

static void write_under(FILE *out, bool is_markdown, const struct compare_result *result)
{
    char where[TEXT_BYTES + 8], load[TEXT_BYTES];

    if (result->cell_count == 0)
        return;
    (void)fputc('\n', out);
    write_levels(out, is_markdown, result);
    for (size_t i = 0; i < result->cell_count; i++) {
        (void)hl_format(where, sizeof(where), "load %s",
                        load_text(result, result->cells[i].load, load));
        write_undecided(out, is_markdown, result, &result->cells[i], where);
    }
    for (size_t i = 0; i < result->mean_count; i++)
        if (result->load_count > 1)
            write_undecided(out, is_markdown, result, &result->means[i], "geometric mean");
}

/* The ones that differ, least adjusted p first, else in order of the metrics. */
static size_t list_different(const struct compare_result *result,
                             const struct compare_cell *listed[EXPLORED_MAX])
{
    size_t count = 0;

    for (size_t i = 0; i < result->exploratory_count; i++) {
        const struct compare_cell *cell = &result->exploratory[i];
        size_t place = count;

        if (cell->verdict != COMPARE_DIFFERENT)
            continue;
        while (place > 0 && cell->p_adjusted < listed[place - 1]->p_adjusted)
            place--;
        if (place == EXPLORED_MAX)
            continue;
        count = HL_MIN(count + 1, (size_t)EXPLORED_MAX);
        for (size_t k = count - 1; k > place; k--)
            listed[k] = listed[k - 1];
        listed[place] = cell;
    }
    return count;
}

static void write_explored(struct sheet *sheet, const struct compare_result *result,
                           const struct compare_cell *cell)
{
    char text[TEXT_BYTES];

    sheet_cell(sheet, run_metric_table[cell->metric].name);
    sheet_cell(sheet, load_text(result, cell->load, text));
    sheet_cell(sheet, result->request->news[cell->arm].name);
    sheet_cell(sheet, value_text(cell->base_mean, text));
    sheet_cell(sheet, value_text(cell->new_mean, text));
    sheet_cell(sheet, change_text(cell, text));
    sheet_cell(sheet, p_text(cell->change.p, text));
    sheet_cell(sheet, p_text(cell->p_adjusted, text));
    sheet_end_row(sheet);
}

static enum hl_status write_exploratory(FILE *out, bool is_markdown,
                                        const struct compare_result *result, struct hl_error *err)
{
    static const char *const heads[] = {
        "metric", "load", "new", "base, mean", "new, mean", "change [interval]", "p", "adjusted p"};
    size_t different =
        compare_count(result->exploratory, result->exploratory_count, COMPARE_DIFFERENT);
    size_t metrics = count_metrics(result) - (result->cell_count > 0), count;
    const struct compare_cell *listed[EXPLORED_MAX];
    struct sheet sheet = {.out = out, .is_markdown = is_markdown};

    if (result->exploratory_count == 0)
        return HL_OK;
    (void)fprintf(out, "\nExploratory, %zu %smetric%s in %zu comparison%s (Benjamini-Hochberg): ",
                  metrics, result->cell_count > 0 ? "other " : "", metrics == 1 ? "" : "s",
                  result->exploratory_count, result->exploratory_count == 1 ? "" : "s");
    if (different == 0) {
        (void)fputs("no difference shown\n", out);
        return HL_OK;
    }
    count = list_different(result, listed);
    (void)fprintf(out, "%zu differ%s", different, different == 1 ? "s" : "");
    if (count < different)
        (void)fprintf(out, ", the %zu with the least p are below; CSV and JSON have all", count);
    (void)fputs("\n\n", out);
    sheet_begin(&sheet, heads, sizeof(heads) / sizeof(heads[0]));
    for (size_t i = 0; i < count; i++)
        write_explored(&sheet, result, listed[i]);
    return sheet_end(&sheet, err);
}

/* An order of play that keeps a load undecided is said there. */
static bool is_said(const struct compare_result *result, const struct compare_note *note)
{
    for (size_t i = 0; i < result->cell_count && note->kind == COMPARE_NOTE_ORDER; i++)
        if (result->cells[i].reason[0] != '\0' &&
            strstr(note->text, result->cells[i].reason) != NULL)
            return true;
    return false;
}

static void write_notes(FILE *out, bool is_markdown, const struct compare_result *result)
{
    size_t listed = 0;

    for (size_t i = 0; i < result->note_count; i++) {
        if (is_said(result, &result->notes[i]))
            continue;
        if (listed++ == 0)
            (void)fputc('\n', out);
        write_line(out, is_markdown, result->notes[i].text);
    }
}

/* ---- without a new arm ---- */

static enum hl_status write_summary(FILE *out, bool is_markdown,
                                    const struct compare_result *result, struct hl_error *err)
{
    static const char *const heads[] = {"load", "n",    "mean (sd)", "middle",
                                        "low",  "high", "level",     "failed"};
    const struct compare_request *request = result->request;
    const struct run_metric_info *info = &run_metric_table[request->metric];
    struct sheet sheet = {.out = out, .is_markdown = is_markdown};
    char text[TEXT_BYTES];

    report_line(out, "%s%s%s, %s; %s", info->name, has_unit(info) ? " in " : "", info->unit,
                better_text(info->better), request->base->name);
    (void)fputc('\n', out);
    sheet_begin(&sheet, heads, sizeof(heads) / sizeof(heads[0]));
    for (size_t load = 0; load < result->load_count; load++) {
        const struct compare_side *side = &result->sides[load];
        bool has_interval = side->n > 1 && !side->is_two_modes;

        sheet_cell(&sheet, load_text(result, load, text));
        (void)hl_format(text, sizeof(text), "%zu", side->n);
        sheet_cell(&sheet, text);
        sheet_cell(&sheet, side_text(side, text));
        sheet_cell(&sheet, has_interval ? value_text(side->middle.estimate, text) : "");
        sheet_cell(&sheet, has_interval ? value_text(side->middle.low, text) : "");
        sheet_cell(&sheet, has_interval ? value_text(side->middle.high, text) : "");
        (void)hl_format(text, sizeof(text), "%.4g %%", 100 * side->middle.level);
        sheet_cell(&sheet, has_interval ? text : "");
        (void)hl_format(text, sizeof(text), "%zu", side->failed);
        sheet_cell(&sheet, text);
        sheet_end_row(&sheet);
    }
    return sheet_end(&sheet, err);
}

/* ---- all of it ---- */

static enum hl_status write_compare(FILE *out, bool is_markdown,
                                    const struct compare_result *result, struct hl_error *err)
{
    if (result->request->new_count == 0) {
        HL_TRY(write_summary(out, is_markdown, result, err));
    } else {
        write_headline(out, result);
        for (size_t arm = 0; arm < result->request->new_count; arm++)
            if (count_of_arm(result, arm) > 0)
                HL_TRY(write_arm(out, is_markdown, result, arm, err));
        write_under(out, is_markdown, result);
        HL_TRY(write_exploratory(out, is_markdown, result, err));
    }
    write_notes(out, is_markdown, result);
    return report_write_end(out, err);
}

enum hl_status report_compare_text(FILE *out, const struct compare_result *result,
                                   struct hl_error *err)
{
    return write_compare(out, false, result, err);
}

enum hl_status report_compare_markdown(FILE *out, const struct compare_result *result,
                                       struct hl_error *err)
{
    return write_compare(out, true, result, err);
}
