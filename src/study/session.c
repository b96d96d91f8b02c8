/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.c - plays a study: simulated on several threads, or for real, one build after the other.
 */
#include <assert.h>
#include <stdio.h>

#include "base/interrupt.h"
#include "base/units.h"
#include "study/study.h"

struct cell {
    int arm, load; /* indices in the request */
};

static bool cell_is_off(const struct study_request *request, int arm, int load)
{
    return study_load_is_off(&request->loads[load], study_load_cpus(request, arm));
}

int study_cell_count(const struct study_request *request)
{
    int count = 0;

    for (int a = 0; a < request->arm_count; a++)
        for (int l = 0; l < request->load_count; l++)
            count += !cell_is_off(request, a, l);
    return count;
}

int64_t study_planned_runs(const struct study_request *request)
{
    return study_cell_count(request) * request->runs;
}

/* Fills cells[study_cell_count] in the order of their places. */
static void fill_cells(const struct study_request *request, struct cell *cells)
{
    for (int a = 0; a < request->arm_count; a++)
        for (int l = 0; l < request->load_count; l++)
            if (!cell_is_off(request, a, l))
                *cells++ = (struct cell){.arm = a, .load = l};
}

static bool is_made(const struct study_request *request, int64_t place)
{
    return request->is_made != NULL && request->is_made[place];
}

static enum hl_status play_simulated(const struct study_request *request, const struct cell *cells,
                                     struct run_list *runs, const struct study_progress *progress,
                                     struct hl_error *err)
{
    int64_t most = study_planned_runs(request);
    struct study_job *jobs = hl_alloc((size_t)most, sizeof(*jobs));
    size_t count = 0;
    enum hl_status status;

    if (jobs == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for %lld runs", (long long)most);
    for (int64_t place = 0; place < most; place++) {
        const struct cell *cell = &cells[place / request->runs];
        const struct study_arm *arm = &request->arms[cell->arm];
        const struct workload_load *load = &request->loads[cell->load];

        if (is_made(request, place))
            continue;
        jobs[count++] = (struct study_job){
            .workload = request->workload,
            .options = request->options,
            .machine = arm->machine,
            .profile = request->profile,
            .policy = arm->policy,
            .variant = arm->variant,
            .load = load,
            .level = workload_load_level(load, study_load_cpus(request, cell->arm), 0),
            .run_index = arm->first_run + place % request->runs,
            .place = place,
            .base_seed = request->seed,
        };
    }
    status = study_simulate_all(jobs, count, request->threads, runs, progress, err);
    hl_free(jobs);
    return status;
}

/* A real study. */
struct session {
    const struct study_request *request;
    const struct study_progress *progress;
    struct host_work *work;
    const struct cell *cells;
    int cell_count;
    int64_t max_jobs;    /* of load max, the same for all arms and blocks; 0: not known yet */
    int64_t planned;     /* runs to be played now */
    struct run *results; /* by place: cell x run */
    bool *is_done;
    int64_t finished;
    struct run failed_warm_up; /* level 0: none; it says why there are no runs */
};

static void fill_identity(const struct session *s, const struct study_arm *arm,
                          const struct workload_load *load, int64_t level, int64_t block,
                          struct run *run)
{
    run->source = RUN_HOST;
    (void)snprintf(run->workload, sizeof(run->workload), "%s",
                   s->request->options != NULL ? s->request->options->text
                                               : s->request->workload->name);
    (void)snprintf(run->load, sizeof(run->load), "%s", load->label);
    run->level = level > 0 ? level : -1;
    run->policy[0] = '\0';
    (void)snprintf(run->variant, sizeof(run->variant), "%s", arm->variant);
    (void)snprintf(run->machine, sizeof(run->machine), "%s", arm->machine->name);
    run->seed = s->request->seed;
    run->block = run->run = (int32_t)block;
    run->order = (int32_t)(s->request->made_count + s->finished);
}

/* A build that is thrown away. One that fails ends the session: all others would fail like it. */
static enum hl_status warm_up(struct session *s, const struct study_arm *arm, int64_t jobs,
                              struct hl_error *err)
{
    struct run run;

    if (s->progress != NULL && s->progress->warming_up != NULL)
        s->progress->warming_up(s->progress->context);
    run_init(&run, RUN_HOST, "warm-up");
    host_work_place(s->work, -1);
    HL_TRY(host_work_run(s->work, jobs, arm->setting, &run, err));
    run_close(&run);
    if (run.status != RUN_OK) {
        const struct workload_load load = {.label = "warm-up"};

        fill_identity(s, arm, &load, jobs, -1, &run);
        run.run = 0;
        s->failed_warm_up = run;
        return hl_fail(err, HL_RUN_FAILED, "the warm-up %s failed: %s",
                       s->request->workload->is_make ? "build" : "run",
                       run.note[0] != '\0' ? run.note : "no reason known");
    }
    /* What memory holds is known after the first build, and is one number for the whole study. */
    if (s->max_jobs == 0)
        s->max_jobs = host_work_max_jobs(s->work);
    return HL_OK;
}

static bool has_runs_left(const struct session *s, int arm)
{
    const struct study_request *request = s->request;

    for (int c = 0; c < s->cell_count; c++)
        for (int64_t r = 0; s->cells[c].arm == arm && r < request->runs; r++)
            if (!is_made(request, c * request->runs + r))
                return true;
    return false;
}

/* One for each set-up that is to be played; the arms of an A/A study have one between them. */
static enum hl_status warm_up_all(struct session *s, struct hl_error *err)
{
    const struct study_request *request = s->request;
    const struct study_arm *warm = NULL;

    for (int a = 0; a < request->arm_count; a++)
        if (has_runs_left(s, a) && (warm == NULL || warm->setting != request->arms[a].setting)) {
            warm = &request->arms[a];
            HL_TRY(warm_up(s, warm, warm->cpus, err));
        }
    return HL_OK;
}

static enum hl_status measure(struct session *s, int64_t place, struct hl_error *err)
{
    const struct study_request *request = s->request;
    const struct cell *cell = &s->cells[place / request->runs];
    const struct study_arm *arm = &request->arms[cell->arm];
    const struct workload_load *load = &request->loads[cell->load];
    struct run *run = &s->results[place];
    int cpus = study_load_cpus(request, cell->arm);
    int64_t level = workload_load_level(load, cpus, s->max_jobs);

    if (request->warmup == STUDY_WARMUP_EACH) {
        HL_TRY(warm_up(s, arm, level > 0 ? level : cpus, err));
        level = workload_load_level(load, cpus, s->max_jobs);
    }
    run_init(run, RUN_HOST, "not measured");
    host_work_place(s->work, place);
    HL_TRY(host_work_run(s->work, level, arm->setting, run, err));
    fill_identity(s, arm, load, level, place % request->runs, run);
    s->is_done[place] = true;
    s->finished++;
    if (s->progress != NULL && s->progress->done != NULL)
        s->progress->done(s->progress->context, run, place, s->finished, s->planned);
    return HL_OK;
}

static enum hl_status play_blocks(struct session *s, int *order, struct hl_error *err)
{
    const struct study_request *request = s->request;

    for (int64_t block = 0; block < request->runs; block++) {
        study_block_order(request->seed, block, s->cell_count, order);
        for (int i = 0; i < s->cell_count; i++) {
            int64_t place = order[i] * request->runs + block;

            if (hl_interrupted())
                return hl_fail(err, HL_INTERRUPTED, "interrupted");
            if (!is_made(request, place))
                HL_TRY(measure(s, place, err));
        }
    }
    return HL_OK;
}

static enum hl_status session_play(struct session *s, int *order, struct hl_error *err)
{
    const struct study_request *request = s->request;

    HL_TRY(host_work_open(&s->work, request->work, err));
    if (s->progress != NULL && s->progress->planned != NULL)
        s->progress->planned(s->progress->context, s->planned);
    if (request->warmup == STUDY_WARMUP_SESSION)
        HL_TRY(warm_up_all(s, err));
    return play_blocks(s, order, err);
}

/* Also after a failure: what was made is kept. */
static enum hl_status keep_results(const struct session *s, struct run_list *runs,
                                   enum hl_status status, struct hl_error *err)
{
    int64_t places = s->cell_count * s->request->runs;

    for (int64_t i = 0; i < places; i++)
        if (s->is_done[i]) {
            enum hl_status added = run_list_add(runs, &s->results[i], status == HL_OK ? err : NULL);

            run_close(&s->results[i]);
            status = status == HL_OK ? added : status;
        }
    /* Also where it is the only one: a failed run is kept. */
    if (s->failed_warm_up.level > 0) {
        enum hl_status added = run_list_add(runs, &s->failed_warm_up, status == HL_OK ? err : NULL);

        status = status == HL_OK ? added : status;
    }
    return status;
}

static enum hl_status play_measured(const struct study_request *request, const struct cell *cells,
                                    struct run_list *runs, const struct study_progress *progress,
                                    struct hl_error *err)
{
    struct session s = {
        .request = request,
        .progress = progress,
        .cells = cells,
        .cell_count = study_cell_count(request),
        .max_jobs = request->max_jobs,
        .planned = study_planned_runs(request) - request->made_count,
    };
    size_t places = (size_t)study_planned_runs(request);
    int *order;
    enum hl_status status;

    if (s.planned == 0)
        return HL_OK;
    order = hl_alloc((size_t)s.cell_count, sizeof(*order));
    s.results = hl_alloc(places, sizeof(*s.results));
    s.is_done = hl_alloc(places, sizeof(*s.is_done));
    if (order == NULL || s.results == NULL || s.is_done == NULL) {
        status = hl_fail(err, HL_NO_MEMORY, "out of memory for %zu runs", places);
    } else {
        status = session_play(&s, order, err);
        host_work_close(s.work);
        status = keep_results(&s, runs, status, err);
    }
    hl_free(order);
    hl_free(s.results);
    hl_free(s.is_done);
    return status;
}

enum hl_status study_play(const struct study_request *request, struct run_list *runs,
                          const struct study_progress *progress, struct hl_error *err)
{
    int cell_count = study_cell_count(request);
    struct cell *cells;
    enum hl_status status;

    assert(request->runs >= 1 && request->runs <= STUDY_RUNS_MAX);
    assert(request->arm_count >= 1);
    assert(request->load_count >= 1);
    assert(cell_count <= STUDY_CELLS_MAX);
    cells = hl_alloc((size_t)HL_MAX(cell_count, 1), sizeof(*cells));
    if (cells == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for %d cells", cell_count);
    fill_cells(request, cells);
    status = study_is_real(request) ? play_measured(request, cells, runs, progress, err)
                                    : play_simulated(request, cells, runs, progress, err);
    hl_free(cells);
    return status;
}
