/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ratio.c - ratios between rows that a paper file names: read, and taken from runs.
 *
 *     "ratios": [
 *       {"label": "4BSD / ULE", "metrics": ["elapsed_s"], "above": "4BSD", "below": "ULE"},
 *       {"label": "busy % of 8 cpus", "metrics": ["percent_cpu"], "above": "ULE", "below": 8}
 *     ]
 *
 * A field judges such papers by these: how much longer, what a setting gains. A ratio of two
 * simulated rows is also free of what both have wrong, and of the chance that both share.
 */
#include "paper/read.h"

#include <math.h>

#include "base/format.h"
#include "base/memory.h"
#include "base/units.h"
#include "stats/stats.h"

enum { RATIOS_MAX = 64 };

int paper_ratio_below_load(const struct paper *paper, const struct paper_ratio_value *value)
{
    int below_load = paper->ratios[value->ratio].below_load;

    return below_load < 0 ? value->load : below_load;
}

/* Sum of the published cells of the metrics; NAN if one is not there. Raises *role to their last. */
static double published_sum(const struct paper *paper, const struct paper_ratio *ratio, int row,
                            int load, enum paper_role *role)
{
    double sum = 0;

    for (int i = 0; i < ratio->metric_count; i++) {
        int cell = paper_cell_find(paper, row, load, ratio->metrics[i]);

        if (cell < 0)
            return (double)NAN;
        sum += paper->cells[cell].published;
        if (paper->cells[cell].role > *role)
            *role = paper->cells[cell].role;
    }
    return sum;
}

static void set_published(const struct paper *paper, struct paper_ratio_value *value)
{
    const struct paper_ratio *ratio = &paper->ratios[value->ratio];
    enum paper_role role = PAPER_FITTED;
    double below = ratio->divisor;

    value->published = published_sum(paper, ratio, ratio->above, value->load, &role);
    if (ratio->below >= 0)
        below =
            published_sum(paper, ratio, ratio->below, paper_ratio_below_load(paper, value), &role);
    value->published /= below;
    value->role = isnan(value->published) ? PAPER_ROLE_COUNT : role;
}

/* Loads of one ratio: those that are named, else all that are published for both rows. */
static enum hl_status read_values(struct paper *paper, const struct hl_json_node *node, int ratio,
                                  const char *const *load_labels, size_t *capacity,
                                  struct hl_error *err)
{
    int *loads = NULL, load_count = 0, found = 0;
    bool is_named = hl_json_has(node, "loads");
    enum hl_status status = HL_OK;

    loads = hl_alloc((size_t)paper->load_count, sizeof(*loads));
    if (loads == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for %s", node->file);
    for (int i = 0; !is_named && i < paper->load_count; i++)
        loads[load_count++] = i;
    if (is_named)
        status = paper_read_places(node, "loads", "load", load_labels, paper->load_count,
                                   paper->load_count, loads, &load_count, err);
    for (int i = 0; status == HL_OK && i < load_count; i++) {
        struct paper_ratio_value value = {
            .ratio = ratio, .load = loads[i], .simulated = (double)NAN, .deviation = (double)NAN};

        set_published(paper, &value);
        if (!is_named && isnan(value.published))
            continue;
        status = hl_grow(&paper->ratio_values, capacity, (size_t)paper->ratio_value_count + 1,
                         sizeof(*paper->ratio_values), err);
        if (status == HL_OK)
            paper->ratio_values[paper->ratio_value_count++] = value;
        found++;
    }
    hl_free(loads);
    if (status == HL_OK && found == 0)
        status = hl_json_fail(node, err, "no load is published for both rows; expected \"loads\"");
    return status;
}

/* "below": the label of a row, or a number. */
static enum hl_status read_below(const struct hl_json_node *node, const char *const *row_labels,
                                 int row_count, struct paper_ratio *ratio, struct hl_error *err)
{
    struct hl_json_node below;
    char found[HL_EXACT_BYTES];

    HL_TRY(hl_json_member(node, "below", &below, err));
    if (!json_is_number(below.value))
        return paper_read_word(&below, "row", row_labels, row_count, &ratio->below, err);
    ratio->below = -1;
    HL_TRY(hl_json_double(&below, &ratio->divisor, err));
    if (!(ratio->divisor > 0))
        return hl_json_fail(&below, err, "found a divisor of %s, expected a number above 0",
                            hl_format_exact(found, ratio->divisor));
    return HL_OK;
}

/* The labels and names that a ratio may use. */
struct names {
    const char **rows, **loads, **metrics;
};

static enum hl_status read_ratio(struct paper *paper, const struct hl_json_node *node, int place,
                                 const struct names *names, size_t *capacity, struct hl_error *err)
{
    static const char *const known[] = {"label", "metrics", "above",
                                        "below", "loads",   "below_load"};
    struct paper_ratio *ratio = &paper->ratios[place];
    struct hl_json_node member;

    HL_TRY(hl_json_check_keys(node, known, HL_COUNT_OF(known), err));
    HL_TRY(paper_read_member_text(node, "label", ratio->label, sizeof(ratio->label), err));
    HL_TRY(paper_read_places(node, "metrics", "metric", names->metrics, paper->metric_count,
                             PAPER_SUM_MAX, ratio->metrics, &ratio->metric_count, err));
    HL_TRY(hl_json_member(node, "above", &member, err));
    HL_TRY(paper_read_word(&member, "row", names->rows, paper->row_count, &ratio->above, err));
    HL_TRY(read_below(node, names->rows, paper->row_count, ratio, err));
    ratio->below_load = -1;
    HL_TRY(hl_json_member_if_any(node, "below_load", &member, err));
    if (member.value != NULL && ratio->below < 0)
        return hl_json_fail(&member, err, "stands beside a number; expected a row below");
    if (member.value != NULL)
        HL_TRY(paper_read_word(&member, "load", names->loads, paper->load_count, &ratio->below_load,
                               err));
    return read_values(paper, node, place, names->loads, capacity, err);
}

static enum hl_status read_all(struct paper *paper, const struct hl_json_node *root,
                               const struct names *names, struct hl_error *err)
{
    struct hl_json_node array;
    size_t count, capacity = 0;

    HL_TRY(paper_read_array(root, "ratios", RATIOS_MAX, &array, &count, err));
    paper->ratios = hl_alloc(count, sizeof(*paper->ratios));
    if (paper->ratios == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for %s", root->file);
    for (int i = 0; i < (int)count; i++) {
        struct hl_json_node item = hl_json_item(&array, (size_t)i);

        HL_TRY(read_ratio(paper, &item, i, names, &capacity, err));
        paper->ratio_count = i + 1;
    }
    return HL_OK;
}

enum hl_status paper_read_ratios(struct paper *paper, const struct hl_json_node *root,
                                 struct hl_error *err)
{
    struct names names = {
        .rows = hl_alloc((size_t)paper->row_count, sizeof(*names.rows)),
        .loads = hl_alloc((size_t)paper->load_count, sizeof(*names.loads)),
        .metrics = hl_alloc((size_t)paper->metric_count, sizeof(*names.metrics)),
    };
    enum hl_status status = HL_OK;

    if (names.rows == NULL || names.loads == NULL || names.metrics == NULL) {
        status = hl_fail(err, HL_NO_MEMORY, "out of memory for %s", root->file);
    } else if (hl_json_has(root, "ratios")) {
        for (int i = 0; i < paper->row_count; i++)
            names.rows[i] = paper->rows[i].label;
        for (int i = 0; i < paper->load_count; i++)
            names.loads[i] = paper->loads[i].label;
        for (int i = 0; i < paper->metric_count; i++)
            names.metrics[i] = paper->metrics[i].name;
        status = read_all(paper, root, &names, err);
    }
    hl_free(names.rows);
    hl_free(names.loads);
    hl_free(names.metrics);
    return status;
}

bool paper_needs(const struct paper *paper, int row, int load)
{
    for (int i = 0; i < paper->cell_count; i++)
        if (paper->cells[i].row_index == row && paper->cells[i].load_index == load)
            return true;
    for (int i = 0; i < paper->ratio_value_count; i++) {
        const struct paper_ratio_value *value = &paper->ratio_values[i];
        const struct paper_ratio *ratio = &paper->ratios[value->ratio];

        if ((ratio->above == row && value->load == load) ||
            (ratio->below == row && paper_ratio_below_load(paper, value) == load))
            return true;
    }
    return false;
}

/* Sum of the metrics of one run; NAN if it failed or lacks one. */
static double run_sum(const struct paper *paper, const struct paper_ratio *ratio,
                      const struct run *run)
{
    double sum = 0, value;

    for (int i = 0; i < ratio->metric_count; i++) {
        int metric = run_metric_find(paper->metrics[ratio->metrics[i]].name);

        if (metric < 0 || run_values(run, 1, (enum run_metric)metric, &value) == 0)
            return (double)NAN;
        sum += value;
    }
    return sum;
}

/* Mean or best, as the paper has it. */
static double summarise(const struct paper *paper, const struct paper_ratio *ratio,
                        const double *values, size_t count)
{
    enum run_better better = paper->metrics[ratio->metrics[0]].better;

    if (paper->statistic == PAPER_MEAN || better == RUN_NEITHER)
        return stats_mean(values, count);
    return better == RUN_LOWER ? stats_min(values, count) : stats_max(values, count);
}

enum hl_status paper_score_ratio(struct paper *paper, int value, const struct run *above,
                                 const struct run *below, size_t count, struct hl_error *err)
{
    struct paper_ratio_value *v = &paper->ratio_values[value];
    const struct paper_ratio *ratio = &paper->ratios[v->ratio];
    double *values = hl_alloc(3 * count, sizeof(*values));
    double *a = values, *b = values + count, *quotients = values + 2 * count;
    size_t n = 0;

    if (values == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for %zu ratios", count);
    /* Only whole pairs: a failed run takes its partner with it. */
    for (size_t i = 0; i < count; i++) {
        a[n] = run_sum(paper, ratio, &above[i]);
        b[n] = below == NULL ? ratio->divisor : run_sum(paper, ratio, &below[i]);
        quotients[n] = a[n] / b[n];
        if (!isnan(quotients[n]))
            n++;
    }
    v->simulated =
        n == 0 ? (double)NAN : summarise(paper, ratio, a, n) / summarise(paper, ratio, b, n);
    v->deviation = n < 2 ? (double)NAN : stats_sd(quotients, n);
    hl_free(values);
    return HL_OK;
}
