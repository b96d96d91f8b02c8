/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.c - plays a study: simulated on several threads, or for real, one build after the other.
 */
#include <assert.h>
#include <stdio.h>

#include "base/interrupt.h"
#include "study/study.h"

int64_t study_planned_runs(const struct study_request *request)
{
    int64_t cells = 0;

    for (int l = 0; l < request->load_count; l++)
        cells += !study_load_is_off(&request->loads[l], request->cpus);
    return cells * (request->policy_count > 0 ? request->policy_count : 1) * request->runs;
}

static bool is_made(const struct study_request *request, int64_t place)
{
    return request->is_made != NULL && request->is_made[place];
}

static enum hl_status play_simulated(const struct study_request *request, struct run_list *runs,
                                     const struct study_progress *progress, struct hl_error *err)
{
    size_t most =
        (size_t)request->policy_count * (size_t)request->load_count * (size_t)request->runs;
    struct study_job *jobs = hl_alloc(most, sizeof(*jobs));
    size_t count = 0;
    int64_t place = 0;
    enum hl_status status;

    if (jobs == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for %zu runs", most);
    for (int p = 0; p < request->policy_count; p++)
        for (int l = 0; l < request->load_count; l++) {
            const struct workload_load *load = &request->loads[l];

            if (study_load_is_off(load, request->cpus))
                continue;
            for (int64_t r = 0; r < request->runs; r++, place++) {
                if (is_made(request, place))
                    continue;
                jobs[count++] = (struct study_job){
                    .workload = request->workload,
                    .options = request->options,
                    .machine = request->machine,
                    .profile = request->profile,
                    .policy = &request->policies[p],
                    .load = load,
                    .level = workload_load_level(load, request->cpus, 0),
                    .run_index = r,
                    .place = place,
                    .base_seed = request->seed,
                };
            }
        }
    status = study_simulate_all(jobs, count, request->threads, runs, progress, err);
    hl_free(jobs);
    return status;
}

/* A real study: its cells are the loads that are on. */
struct session {
    const struct study_request *request;
    const struct study_progress *progress;
    struct host_work *work;
    int cells[WORKLOAD_LOADS_MAX]; /* index in request->loads */
    int cell_count;
    int64_t planned;     /* runs to be played now */
    struct run *results; /* by place: cell x run */
    bool *is_done;
    int64_t finished;
    struct run failed_warm_up; /* level 0: none; it says why there are no runs */
};

static void fill_identity(const struct session *s, const struct workload_load *load, int64_t level,
                          int64_t block, struct run *run)
{
    run->source = RUN_HOST;
    (void)snprintf(run->workload, sizeof(run->workload), "%s", s->request->workload->name);
    (void)snprintf(run->load, sizeof(run->load), "%s", load->label);
    run->level = level > 0 ? level : -1;
    run->policy[0] = run->variant[0] = '\0';
    (void)snprintf(run->machine, sizeof(run->machine), "%s", s->request->machine->name);
    run->seed = s->request->seed;
    run->block = run->run = (int32_t)block;
    run->order = (int32_t)(s->request->made_count + s->finished);
}

/* A build that is thrown away. One that fails ends the session: all others would fail like it. */
static enum hl_status warm_up(struct session *s, int64_t jobs, struct hl_error *err)
{
    struct run run;

    if (s->progress != NULL && s->progress->warming_up != NULL)
        s->progress->warming_up(s->progress->context);
    run_init(&run, RUN_HOST, "warm-up");
    HL_TRY(host_work_run(s->work, jobs, NULL, &run, err));
    if (run.status != RUN_OK) {
        const struct workload_load load = {.label = "warm-up"};

        fill_identity(s, &load, jobs, -1, &run);
        run.run = 0;
        s->failed_warm_up = run;
        return hl_fail(err, HL_RUN_FAILED, "the warm-up build failed: %s",
                       run.note[0] != '\0' ? run.note : "no reason known");
    }
    return HL_OK;
}

static enum hl_status measure(struct session *s, int cell, int64_t block, struct hl_error *err)
{
    const struct study_request *request = s->request;
    const struct workload_load *load = &request->loads[s->cells[cell]];
    size_t slot = (size_t)(cell * request->runs + block);
    struct run *run = &s->results[slot];
    int64_t level = workload_load_level(load, request->cpus, host_work_max_jobs(s->work));

    if (request->warmup == STUDY_WARMUP_EACH) {
        /* What memory holds is known after the first build only. */
        HL_TRY(warm_up(s, level > 0 ? level : request->cpus, err));
        level = workload_load_level(load, request->cpus, host_work_max_jobs(s->work));
    }
    run_init(run, RUN_HOST, "not measured");
    HL_TRY(host_work_run(s->work, level, NULL, run, err));
    fill_identity(s, load, level, block, run);
    s->is_done[slot] = true;
    s->finished++;
    if (s->progress != NULL && s->progress->done != NULL)
        s->progress->done(s->progress->context, run, (int64_t)slot, s->finished, s->planned);
    return HL_OK;
}

static enum hl_status session_play(struct session *s, struct hl_error *err)
{
    const struct study_request *request = s->request;
    int order[WORKLOAD_LOADS_MAX];

    HL_TRY(host_work_open(&s->work, request->work, err));
    if (s->progress != NULL && s->progress->planned != NULL)
        s->progress->planned(s->progress->context, s->planned);
    if (request->warmup == STUDY_WARMUP_SESSION)
        HL_TRY(warm_up(s, request->cpus, err));
    for (int64_t block = 0; block < request->runs; block++) {
        study_block_order(request->seed, block, s->cell_count, order);
        for (int i = 0; i < s->cell_count; i++) {
            if (hl_interrupted())
                return hl_fail(err, HL_INTERRUPTED, "interrupted");
            if (is_made(request, order[i] * request->runs + block))
                continue;
            HL_TRY(measure(s, order[i], block, err));
        }
    }
    return HL_OK;
}

static enum hl_status play_measured(const struct study_request *request, struct run_list *runs,
                                    const struct study_progress *progress, struct hl_error *err)
{
    struct session s = {.request = request, .progress = progress};
    size_t slots;
    enum hl_status status = HL_OK;

    assert(request->load_count <= WORKLOAD_LOADS_MAX);
    for (int l = 0; l < request->load_count; l++)
        if (!study_load_is_off(&request->loads[l], request->cpus))
            s.cells[s.cell_count++] = l;
    s.planned = s.cell_count * request->runs - request->made_count;
    if (s.planned == 0)
        return HL_OK;
    slots = (size_t)(s.cell_count * request->runs);
    s.results = hl_alloc(slots, sizeof(*s.results));
    s.is_done = hl_alloc(slots, sizeof(*s.is_done));
    if (s.results == NULL || s.is_done == NULL)
        status = hl_fail(err, HL_NO_MEMORY, "out of memory for %zu runs", slots);
    if (status == HL_OK)
        status = session_play(&s, err);
    host_work_close(s.work);
    for (size_t i = 0; s.is_done != NULL && i < slots; i++)
        if (s.is_done[i]) {
            enum hl_status added = run_list_add(runs, &s.results[i], status == HL_OK ? err : NULL);

            if (status == HL_OK)
                status = added;
        }
    /* Also where it is the only one: a failed run is kept. */
    if (s.failed_warm_up.level > 0) {
        enum hl_status added = run_list_add(runs, &s.failed_warm_up, status == HL_OK ? err : NULL);

        if (status == HL_OK)
            status = added;
    }
    hl_free(s.results);
    hl_free(s.is_done);
    return status;
}

enum hl_status study_play(const struct study_request *request, struct run_list *runs,
                          const struct study_progress *progress, struct hl_error *err)
{
    assert(request->runs >= 1 && request->runs <= STUDY_RUNS_MAX);
    assert(request->load_count >= 1);
    return request->policy_count > 0 ? play_simulated(request, runs, progress, err)
                                     : play_measured(request, runs, progress, err);
}
