/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * play_paper.c - a published study as jobs of the simulator: row x load x run, one machine per row.
 */
#include "cli/play_paper.h"

/* What the jobs of all rows point to. */
struct paper_parts {
    struct machine *machines;         /* by row */
    struct policy_spec *policies;     /* by row */
    struct workload_load *loads;      /* by load */
    bool *is_played;                  /* by load */
    struct profile *profiles;         /* by row and load: [row * load_count + load] */
    struct workload_options *options; /* the same */
    struct study_job *jobs;           /* by row, load that is played and needed there, run */
    size_t job_count;
    size_t *first; /* the first job of a row and load, [row * load_count + load] */
};

static enum hl_status set_options(const struct workload_info *workload,
                                  struct workload_options *options, char (*texts)[96], int count,
                                  struct hl_error *err)
{
    for (int i = 0; i < count; i++)
        HL_TRY(workload_option_set(workload, options, texts[i], err));
    return HL_OK;
}

/* Opens what a row names, for each load that is played. */
static enum hl_status open_row(const struct paper *paper, int row, struct paper_parts *parts,
                               struct hl_error *err)
{
    const struct paper_row *r = &paper->rows[row];

    HL_TRY(machine_open(&parts->machines[row], r->machine, err));
    for (int i = 0; i < r->param_count; i++)
        HL_TRY(machine_set(&parts->machines[row], r->params[i], err));
    HL_TRY(policy_spec_parse(&parts->policies[row], r->policy, err));
    for (int l = 0; l < paper->load_count; l++) {
        const struct paper_load *load = &paper->loads[l];
        const struct workload_info *workload = workload_find(load->workload);
        int place = row * paper->load_count + l;

        if (!parts->is_played[l])
            continue;
        HL_TRY(profile_open_for(&parts->profiles[place], load->workload,
                                paper_row_profile(r, load->workload), err));
        workload_options_init(workload, &parts->options[place]);
        HL_TRY(
            set_options(workload, &parts->options[place], load->options, load->option_count, err));
        HL_TRY(set_options(workload, &parts->options[place], r->options, r->option_count, err));
    }
    return HL_OK;
}

static enum hl_status open_load(const struct paper *paper, int load, struct paper_parts *parts,
                                struct hl_error *err)
{
    const struct paper_load *l = &paper->loads[load];
    const struct workload_info *workload = workload_find(l->workload);
    struct workload_load parsed[WORKLOAD_LOADS_MAX];
    int count;

    parts->is_played[load] = workload != NULL && workload->simulated;
    if (!parts->is_played[load])
        return HL_OK;
    HL_TRY(workload_loads_parse(parsed, &count, l->level, err));
    if (count != 1)
        return hl_fail(err, HL_BAD_INPUT, "paper %s: load %s is %d levels; expected one", paper->id,
                       l->level, count);
    parts->loads[load] = parsed[0];
    return HL_OK;
}

static enum hl_status open_parts(const struct paper *paper, struct paper_parts *parts,
                                 struct hl_error *err)
{
    int played = 0;

    for (int l = 0; l < paper->load_count; l++) {
        HL_TRY(open_load(paper, l, parts, err));
        played += parts->is_played[l];
    }
    if (played == 0)
        return hl_fail(err, HL_UNSUPPORTED, "paper %s: workload %s is not simulated", paper->id,
                       paper->workload);
    for (int r = 0; r < paper->row_count; r++) {
        struct hl_error wrong;
        enum hl_status status = open_row(paper, r, parts, &wrong);

        /* Nobody typed these names: a part that is not there is missing, not misspelt. */
        if (status == HL_USAGE)
            return hl_fail(err, HL_UNSUPPORTED, "paper %s: row %s: %s", paper->id,
                           paper->rows[r].label, wrong.text);
        if (status != HL_OK)
            return hl_fail(err, status, "%s", wrong.text);
    }
    return HL_OK;
}

static void make_jobs(const struct paper *paper, uint64_t seed, struct paper_parts *parts)
{
    for (int r = 0; r < paper->row_count; r++) {
        for (int l = 0; l < paper->load_count; l++) {
            int place = r * paper->load_count + l;

            parts->first[place] = parts->job_count;
            if (!parts->is_played[l] || !paper_needs(paper, r, l))
                continue;
            for (int64_t run = 0; run < paper->simulated_runs; run++)
                parts->jobs[parts->job_count++] = (struct study_job){
                    .workload = workload_find(paper->loads[l].workload),
                    .options = &parts->options[place],
                    .machine = &parts->machines[r],
                    .profile = &parts->profiles[place],
                    .policy = &parts->policies[r],
                    .load = &parts->loads[l],
                    .level = workload_load_level(&parts->loads[l], parts->machines[r].cpu_count, 0),
                    .run_index = run,
                    .base_seed = seed,
                };
        }
    }
}

static enum hl_status score_ratios(struct paper *paper, const struct paper_parts *parts,
                                   const struct run_list *runs, struct hl_error *err)
{
    for (int i = 0; i < paper->ratio_value_count; i++) {
        const struct paper_ratio_value *value = &paper->ratio_values[i];
        const struct paper_ratio *ratio = &paper->ratios[value->ratio];
        int below_load = paper_ratio_below_load(paper, value);
        const struct run *above =
            &runs->runs[parts->first[ratio->above * paper->load_count + value->load]];
        const struct run *below = NULL;

        if (ratio->below >= 0)
            below = &runs->runs[parts->first[ratio->below * paper->load_count + below_load]];
        if (parts->is_played[value->load] && parts->is_played[below_load])
            HL_TRY(paper_score_ratio(paper, i, above, below, (size_t)paper->simulated_runs, err));
    }
    return HL_OK;
}

static enum hl_status score_cells(struct paper *paper, const struct paper_parts *parts,
                                  const struct run_list *runs, struct hl_error *err)
{
    for (int c = 0; c < paper->cell_count; c++) {
        const struct paper_cell *cell = &paper->cells[c];
        int place = cell->row_index * paper->load_count + cell->load_index;

        if (parts->is_played[cell->load_index])
            HL_TRY(paper_score_cell(paper, c, &runs->runs[parts->first[place]],
                                    (size_t)paper->simulated_runs, err));
    }
    return HL_OK;
}

static void parts_close(const struct paper *paper, struct paper_parts *parts)
{
    for (int r = 0; parts->machines != NULL && r < paper->row_count; r++)
        machine_close(&parts->machines[r]);
    for (int i = 0; parts->profiles != NULL && i < paper->row_count * paper->load_count; i++)
        profile_close(&parts->profiles[i]);
    hl_free(parts->machines);
    hl_free(parts->profiles);
    hl_free(parts->options);
    hl_free(parts->policies);
    hl_free(parts->loads);
    hl_free(parts->is_played);
    hl_free(parts->jobs);
    hl_free(parts->first);
}

/* Memory for all parts, and what they name. */
static enum hl_status make_parts(const struct paper *paper, struct paper_parts *parts,
                                 struct hl_error *err)
{
    size_t rows = (size_t)paper->row_count, loads = (size_t)paper->load_count;

    *parts = (struct paper_parts){
        .machines = hl_alloc(rows, sizeof(*parts->machines)),
        .policies = hl_alloc(rows, sizeof(*parts->policies)),
        .loads = hl_alloc(loads, sizeof(*parts->loads)),
        .is_played = hl_alloc(loads, sizeof(*parts->is_played)),
        .profiles = hl_alloc(rows * loads, sizeof(*parts->profiles)),
        .options = hl_alloc(rows * loads, sizeof(*parts->options)),
        .jobs = hl_alloc(rows * loads * (size_t)paper->simulated_runs, sizeof(*parts->jobs)),
        .first = hl_alloc(rows * loads, sizeof(*parts->first)),
    };
    if (parts->machines == NULL || parts->profiles == NULL || parts->options == NULL ||
        parts->policies == NULL || parts->loads == NULL || parts->is_played == NULL ||
        parts->jobs == NULL || parts->first == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the rows of paper %s", paper->id);
    return open_parts(paper, parts, err);
}

enum hl_status play_paper_check(const struct paper *paper, struct hl_error *err)
{
    struct paper_parts parts;
    enum hl_status status = make_parts(paper, &parts, err);

    parts_close(paper, &parts);
    return status;
}

enum hl_status play_paper(struct paper *paper, uint64_t seed, int threads,
                          const struct study_progress *progress, struct hl_error *err)
{
    struct paper_parts parts;
    struct run_list runs = {0};
    enum hl_status status = make_parts(paper, &parts, err);

    if (status == HL_OK) {
        make_jobs(paper, seed, &parts);
        status = study_simulate_all(parts.jobs, parts.job_count, threads, &runs, progress, err);
    }
    if (status == HL_OK)
        status = score_cells(paper, &parts, &runs, err);
    if (status == HL_OK)
        status = score_ratios(paper, &parts, &runs, err);
    run_list_close(&runs);
    parts_close(paper, &parts);
    return status;
}
