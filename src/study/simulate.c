/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simulate.c - simulated runs: one, or many on several threads.
 *
 * A run depends on its job alone, so threads only decide when it is played: results stand in the
 * order of the jobs, and the failure that is reported is that of the first job that failed.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

#include "base/interrupt.h"
#include "base/units.h"
#include "sim/sim.h"
#include "study/study.h"

uint64_t study_run_seed(uint64_t base_seed, const char *workload, int64_t level, int64_t run_index)
{
    uint64_t seed = hl_mix64(base_seed ^ hl_hash_text(workload));

    seed = hl_mix64(seed ^ (uint64_t)level);
    seed = hl_mix64(seed ^ (uint64_t)run_index);
    return seed >> 11; /* 53 bits */
}

enum hl_status study_rate_metric(const struct workload_info *workload, int *metric,
                                 struct hl_error *err)
{
    *metric = -1;
    if (workload->rate.name == NULL)
        return HL_OK;
    return run_metric_add(workload->rate.name, workload->rate.unit, RUN_HIGHER, metric, err);
}

enum run_metric study_result_metric(const struct workload_info *workload)
{
    int rate = workload->rate.decides ? run_metric_find(workload->rate.name) : -1;

    return rate < 0 ? RUN_elapsed_s : (enum run_metric)rate;
}

static double seconds_of(int64_t ns)
{
    return (double)ns / (double)HL_NS_PER_S;
}

/* A part that was not played to its end has no figures. */
static bool is_played(const struct workload_part *part, const struct sim_mark *marks)
{
    return marks[part->first].at_ns >= 0 && marks[part->last].at_ns > marks[part->first].at_ns;
}

static enum hl_status set_part(const struct workload_part *part, const struct sim_mark *marks,
                               int rate, struct run *run, struct hl_error *err)
{
    double seconds = seconds_of(marks[part->last].at_ns - marks[part->first].at_ns);
    double busy = seconds_of(marks[part->last].busy_ns - marks[part->first].busy_ns);

    _Static_assert((int)WORKLOAD_PART_BYTES == (int)RUN_PART_BYTES, "names of parts");
    HL_TRY(run_part_set(run, part->name, RUN_elapsed_s, seconds, err));
    HL_TRY(run_part_set(run, part->name, RUN_percent_cpu, 100 * busy / seconds, err));
    return rate < 0 ? HL_OK
                    : run_part_set(run, part->name, rate, (double)part->rate_amount / seconds, err);
}

/* The part of its work a process did in its window, by the window or by its own time if shorter, in
 * 1/s; 0 if it has not come to its end. */
static double own_rate(const struct sim_mark *marks, int64_t count, int64_t window_ns)
{
    int64_t end_ns = marks[0].at_ns + window_ns, last = 0;
    double done;

    if (marks[0].at_ns < 0 || marks[count - 1].at_ns <= marks[0].at_ns)
        return 0;
    if (marks[count - 1].at_ns <= end_ns)
        return 1 / seconds_of(marks[count - 1].at_ns - marks[0].at_ns);
    while (marks[last + 1].at_ns <= end_ns)
        last++;
    done = (double)last + (double)(end_ns - marks[last].at_ns) /
                              (double)(marks[last + 1].at_ns - marks[last].at_ns);
    return done / (double)(count - 1) / seconds_of(window_ns);
}

/* The rates of processes that take their own, added. */
static double added_rates(const struct workload *workload, const struct sim_mark *marks)
{
    double each = (double)workload->rate_amount / (double)workload->rate_processes, rate = 0;

    for (int64_t i = 0; i < workload->rate_processes; i++)
        rate += each * own_rate(marks + i * workload->rate_marks, workload->rate_marks,
                                workload->rate_window_ns);
    return rate;
}

/* The parts of the run, and its rate. */
static enum hl_status set_parts(const struct workload_info *info, const struct workload *workload,
                                const struct sim_mark *marks, struct run *run, struct hl_error *err)
{
    /* A run alone, whose player did not ask for it, has no rate. */
    int rate = info->rate.name == NULL ? -1 : run_metric_find(info->rate.name);
    double seconds = run->metric[RUN_elapsed_s], amount = (double)workload->rate_amount;
    double parts_amount = 0, parts_seconds = 0;

    for (size_t i = 0; i < workload->part_count; i++) {
        const struct workload_part *part = &workload->parts[i];

        if (!is_played(part, marks))
            continue;
        HL_TRY(set_part(part, marks, rate, run, err));
        parts_amount += (double)part->rate_amount;
        parts_seconds += seconds_of(marks[part->last].at_ns - marks[part->first].at_ns);
    }
    if (workload->rate_by_user_time)
        seconds = run->metric[RUN_user_s] / (double)workload->rate_processes;
    else if (workload->rate_processes > 0) {
        amount = added_rates(workload, marks);
        seconds = 1;
    }
    if (workload->rate_amount == 0) {
        amount = parts_amount;
        seconds = parts_seconds;
    }
    if (rate >= 0 && amount > 0 && seconds > 0)
        run_set(run, (enum run_metric)rate, amount / seconds);
    return HL_OK;
}

enum hl_status study_simulate(const struct study_job *job, struct run *run, struct hl_error *err)
{
    struct workload workload = {0};
    struct workload_request request = {
        .machine = job->machine,
        .profile = job->profile,
        .options = job->options,
        .level = job->level,
        .seed = study_run_seed(job->base_seed, job->workload->name, job->level, job->run_index),
    };
    struct sim_options options = {
        .machine = job->machine,
        .policy = job->policy,
        .workload = &workload,
        .seed = request.seed,
    };
    struct sim_result result;
    enum hl_status status = job->workload->build(&workload, &request, err);

    if (status == HL_OK) {
        options.marks = hl_alloc(workload.mark_count, sizeof(*options.marks));
        status = options.marks == NULL ? hl_fail(err, HL_NO_MEMORY, "out of memory for a run")
                                       : sim_run(&options, &result, err);
    }
    if (status == HL_OK) {
        *run = result.run;
        status = set_parts(job->workload, &workload, options.marks, run, err);
        if (status != HL_OK)
            run_close(run);
    }
    hl_free(options.marks);
    workload_close(&workload);
    if (status != HL_OK)
        return status;

    run->source = RUN_SIM;
    run->status = RUN_OK;
    run->exit_status = 0;
    (void)snprintf(run->workload, sizeof(run->workload), "%s",
                   job->options != NULL ? job->options->text : job->workload->name);
    (void)snprintf(run->load, sizeof(run->load), "%s", job->load->label);
    run->level = job->level > 0 ? job->level : -1;
    (void)snprintf(run->policy, sizeof(run->policy), "%s", job->policy->text);
    (void)snprintf(run->machine, sizeof(run->machine), "%s", job->machine->name);
    (void)snprintf(run->variant, sizeof(run->variant), "%s",
                   job->variant == NULL ? "" : job->variant);
    run->seed = request.seed;
    run->block = run->run = (int32_t)job->run_index;
    run->note[0] = '\0';
    return HL_OK;
}

struct pool {
    const struct study_job *jobs;
    size_t job_count;
    struct run *results;
    bool *is_done; /* by job */
    const struct study_progress *progress;

    pthread_mutex_t lock; /* of all below */
    size_t next, finished;
    size_t failed; /* index of the first job that failed; job_count: none */
    struct hl_error error;
};

/* The next job to play; job_count when there is none or the pool stops. */
static size_t pool_take(struct pool *pool)
{
    size_t job = pool->job_count;

    pthread_mutex_lock(&pool->lock);
    if (pool->failed == pool->job_count && pool->next < pool->job_count && !hl_interrupted())
        job = pool->next++;
    pthread_mutex_unlock(&pool->lock);
    return job;
}

static void *pool_work(void *context)
{
    struct pool *pool = context;
    size_t job;

    while ((job = pool_take(pool)) < pool->job_count) {
        struct hl_error error = {0};
        enum hl_status status = study_simulate(&pool->jobs[job], &pool->results[job], &error);

        pthread_mutex_lock(&pool->lock);
        if (status == HL_OK) {
            pool->is_done[job] = true;
            pool->finished++;
            if (pool->progress != NULL && pool->progress->done != NULL)
                pool->progress->done(pool->progress->context, &pool->results[job],
                                     pool->jobs[job].place, (int64_t)pool->finished,
                                     (int64_t)pool->job_count);
        } else if (job < pool->failed) {
            pool->failed = job;
            pool->error = error;
        }
        pthread_mutex_unlock(&pool->lock);
    }
    return NULL;
}

static void pool_play(struct pool *pool, int threads)
{
    enum { THREADS_MAX = 256 };
    pthread_t thread[THREADS_MAX];
    int started = 0;

    /* This thread works too; one that cannot be started is simply missing. */
    while (started < threads - 1 && started < THREADS_MAX && (size_t)started + 1 < pool->job_count)
        if (pthread_create(&thread[started], NULL, pool_work, pool) == 0)
            started++;
        else
            break;
    (void)pool_work(pool);
    for (int i = 0; i < started; i++)
        (void)pthread_join(thread[i], NULL);
}

enum hl_status study_simulate_all(const struct study_job *jobs, size_t job_count, int threads,
                                  struct run_list *runs, const struct study_progress *progress,
                                  struct hl_error *err)
{
    struct pool pool = {
        .jobs = jobs,
        .job_count = job_count,
        .results = hl_alloc(job_count, sizeof(struct run)),
        .is_done = hl_alloc(job_count, sizeof(bool)),
        .progress = progress,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .failed = job_count,
    };
    enum hl_status status = HL_OK;
    int metric;

    assert(threads >= 1);
    if (pool.results == NULL || pool.is_done == NULL)
        status = hl_fail(err, HL_NO_MEMORY, "out of memory for %zu runs", job_count);
    for (size_t i = 0; status == HL_OK && i < job_count; i++)
        status = study_rate_metric(jobs[i].workload, &metric, err);
    if (status == HL_OK) {
        if (progress != NULL && progress->planned != NULL)
            progress->planned(progress->context, (int64_t)job_count);
        pool_play(&pool, threads);
        if (pool.failed < job_count) {
            status = pool.error.status;
            if (err != NULL)
                *err = pool.error;
        } else if (pool.finished < job_count) {
            status = hl_fail(err, HL_INTERRUPTED, "interrupted");
        }
        for (size_t i = 0; i < job_count; i++)
            if (pool.is_done[i]) {
                enum hl_status added =
                    run_list_add(runs, &pool.results[i], status == HL_OK ? err : NULL);

                run_close(&pool.results[i]);
                if (status == HL_OK)
                    status = added;
            }
    }
    hl_free(pool.results);
    hl_free(pool.is_done);
    return status;
}
