/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * property_check.c - see property_check.h; README.md says what each property means.
 */
#include "property_check.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "property_declare.h"
#include "property_transform.h"
#include "property_watch.h"
#include "sim/sim.h"
#include "study/study.h"

const char *const property_names[PROPERTY_COUNT] = {
    [PROPERTY_NONE] = "none",
    [PROPERTY_REFUSED] = "the policy refuses its parameters",
    [PROPERTY_PLAYS] = "the run does not fail",
    [PROPERTY_ENDS] = "every task ends",
    [PROPERTY_BOOKS] = "the figures are those of the events",
    [PROPERTY_WORK] = "tasks run what they ask for",
    [PROPERTY_STARVES] = "no task waits longer than the policy declares",
    [PROPERTY_IDLES] = "no cpu idles beside a waiting task longer than the policy declares",
    [PROPERTY_REPEATS] = "the same seed gives the same history",
    [PROPERTY_CHANGES] = "a change that must not matter does not",
};

/* What is asked of a program: time at full speed, without its children; INT64_MAX: without end. */
struct asked {
    int64_t user_ns, system_ns;
    int64_t block_ns;  /* at most, in sleeps and disk accesses served one by one */
    int64_t family_ns; /* user and system with all its children */
    bool is_endless;
};

struct checking {
    const struct scenario *s;
    struct policy_spec policy;
    uint64_t seed;
    struct asked *asked; /* by program */
    struct property_finding *finding;
};

/* One way of playing it, and what came out. */
struct played {
    const struct workload *workload;
    bool is_plain; /* nobody watches or checks */
    int looks;     /* so many besides the one at the end */
    int64_t until_ns;
    enum hl_status status;
    struct hl_error err;
    struct sim_result result;
    struct property_watch watch;
    struct sim_task_figures *figures; /* by task of the start */
    int64_t *busy_ns;                 /* by cpu */
};

static bool found(const struct checking *k)
{
    return k->finding->property != PROPERTY_NONE;
}

static void find(struct checking *k, enum property property, const char *format, ...)
    HL_PRINTF(3, 4);

static void find(struct checking *k, enum property property, const char *format, ...)
{
    va_list args;

    if (found(k))
        return;
    k->finding->property = property;
    va_start(args, format);
    (void)vsnprintf(k->finding->text, sizeof(k->finding->text), format, args);
    va_end(args);
}

static void *need(void *block)
{
    if (block != NULL)
        return block;
    (void)fprintf(stderr, "property: out of memory for a run\n");
    exit(6);
}

/* ---- what programs ask for ---- */

static void ask_step(const struct checking *k, const struct program_step *step, int64_t times,
                     struct asked *asked)
{
    int64_t amount = step->amount;

    switch (step->op) {
    case OP_RUN:
        if (amount == INT64_MAX || times == INT64_MAX)
            asked->is_endless = true;
        else
            asked->user_ns += amount * times;
        break;
    case OP_SYSTEM:
        if (times != INT64_MAX)
            asked->system_ns += amount * times;
        break;
    case OP_SLEEP:
        if (times != INT64_MAX)
            asked->block_ns += (amount + step->spread) * times;
        break;
    case OP_DISK:
        if (times != INT64_MAX)
            asked->block_ns +=
                amount * times * machine_constant(&k->s->machine, MACHINE_disk_latency_ns);
        break;
    case OP_FORK:
    case OP_VFORK:
        if (times != INT64_MAX)
            asked->family_ns += k->asked[step->target].family_ns * times;
        break;
    case OP_LOOP: asked->is_endless |= step->amount == INT64_MAX; break;
    default: break;
    }
}

/* How often step i of a program is executed: the product of the loops around it. */
static int64_t times_of(const struct program_step *steps, uint32_t count, uint32_t i)
{
    int64_t times = 1;

    for (uint32_t loop = i + 1; loop < count; loop++)
        if (steps[loop].op == OP_LOOP && steps[loop].target <= (int32_t)i) {
            if (steps[loop].amount == INT64_MAX)
                return INT64_MAX;
            times *= steps[loop].amount;
        }
    return times;
}

/* Programs are asked in an order in which children come first: they fork only other ones. */
static void ask_program(struct checking *k, int32_t program)
{
    const struct workload *w = &k->s->workload;
    const struct program *p = &w->programs[program];
    const struct program_step *steps = w->steps + p->first;
    struct asked asked = {0};

    for (uint32_t i = 0; i < p->count; i++)
        if ((steps[i].op == OP_FORK || steps[i].op == OP_VFORK) &&
            k->asked[steps[i].target].family_ns == 0)
            ask_program(k, steps[i].target);
    for (uint32_t i = 0; i < p->count && steps[i].op != OP_EXIT; i++)
        ask_step(k, &steps[i], times_of(steps, p->count, i), &asked);
    asked.family_ns += asked.user_ns + asked.system_ns;
    k->asked[program] = asked;
}

static int64_t least_gain(const struct machine *m)
{
    int64_t least = machine_constant(m, MACHINE_smt_gain);

    for (int i = MACHINE_smt_gain_memory; i < MACHINE_CONSTANT_COUNT; i++)
        if (m->constant[i] > -HL_PPM) /* given */
            least = HL_MIN(least, m->constant[i]);
    return least;
}

static int64_t slowest_ppm(const struct machine *m)
{
    int64_t slowest = INT64_MAX, gain = least_gain(m), total = HL_PPM;
    int64_t streams = machine_constant(m, MACHINE_memory_streams);

    for (int cpu = 0; cpu < m->cpu_count; cpu++) {
        int64_t share = total;
        int threads = machine_core_size(m, cpu);

        for (int i = 1; i < threads; i++)
            share += gain / i;
        share = HL_MAX(share, HL_PPM / 100) / threads;
        share = share * m->cpu[cpu].capacity / 1024;
        slowest = HL_MIN(slowest, HL_MIN(share, HL_PPM * m->cpu[cpu].capacity / 1024));
    }
    slowest = slowest * HL_MIN(machine_constant(m, MACHINE_speed), HL_PPM) / HL_PPM;
    slowest =
        slowest * HL_PPM /
        (HL_PPM + machine_constant(m, MACHINE_smt_cost) + machine_constant(m, MACHINE_smp_cost));
    slowest = slowest * HL_PPM /
              (HL_PPM + machine_constant(m, MACHINE_memory_contention) * m->core_count);
    if (streams > 0)
        slowest = slowest * HL_MIN(streams, HL_PPM) / HL_PPM / m->cpu_count;
    return HL_MAX(slowest, 1);
}

static bool costs_nothing(const struct machine *m)
{
    for (int i = 0; i < MACHINE_CONSTANT_COUNT; i++)
        if (strcmp(machine_constant_table[i].unit, "ns") == 0 && i != MACHINE_disk_latency_ns &&
            i != MACHINE_ipi_ns && m->constant[i] != 0)
            return false;
    return true;
}

/* Every cpu does one ns of work per ns, whatever the others do. */
static bool is_even(const struct machine *m)
{
    for (int cpu = 0; cpu < m->cpu_count; cpu++)
        if (m->cpu[cpu].capacity != 1024)
            return false;
    return !m->has_smt && m->constant[MACHINE_speed] == HL_PPM &&
           m->constant[MACHINE_memory_contention] == 0 &&
           m->constant[MACHINE_memory_streams] == 0 &&
           (m->cpu_count == 1 || m->constant[MACHINE_smp_cost] == 0);
}

/* ---- playing ---- */

static void look(void *context, struct sim *sim, int index)
{
    struct played *p = context;

    (void)index;
    for (size_t i = 0; i < p->workload->task_count; i++)
        sim_task_figures(sim, (int)i, &p->figures[i]);
    for (int32_t cpu = 0; cpu < p->watch.cpu_count; cpu++)
        p->busy_ns[cpu] = sim_cpu_busy_ns(sim, cpu);
}

static int compare_times(const void *a, const void *b)
{
    int64_t x, y;

    memcpy(&x, a, sizeof(x));
    memcpy(&y, b, sizeof(y));
    return (x > y) - (x < y);
}

static void play(const struct checking *k, struct played *p, int64_t looks_until_ns)
{
    struct hl_rng rng = hl_rng_stream(k->seed, "looks");
    struct trace_sink sink = property_watch_sink(&p->watch);
    int64_t *at_ns = need(hl_alloc((size_t)p->looks + 1, sizeof(*at_ns)));
    struct sim_observer observer = {
        .look = look, .context = p, .at_ns = at_ns, .count = p->looks + 1};
    struct sim_options options = {.machine = &k->s->machine,
                                  .policy = &k->policy,
                                  .workload = p->workload,
                                  .seed = k->seed,
                                  .until_ns = p->until_ns,
                                  .check_each_event = !p->is_plain,
                                  .sink = p->is_plain ? NULL : &sink,
                                  .observer = p->is_plain ? NULL : &observer};

    for (int i = 0; i < p->looks; i++)
        at_ns[i] = (int64_t)hl_rng_below(&rng, (uint64_t)looks_until_ns + 1);
    at_ns[p->looks] = INT64_MAX;
    qsort(at_ns, (size_t)p->looks, sizeof(*at_ns), compare_times);
    property_watch_open(&p->watch, &k->s->machine);
    p->figures = need(hl_alloc(p->workload->task_count, sizeof(*p->figures)));
    p->busy_ns = need(hl_alloc((size_t)k->s->machine.cpu_count, sizeof(*p->busy_ns)));
    p->err.text[0] = '\0';
    p->status = sim_run(&options, &p->result, &p->err);
    property_watch_end(&p->watch, p->result.elapsed_ns);
    hl_free(at_ns);
}

static void played_close(struct played *p)
{
    property_watch_close(&p->watch);
    hl_free(p->figures);
    hl_free(p->busy_ns);
}

/* ---- one run: its books ---- */

static const char *task_name(const struct checking *k, size_t task)
{
    const struct workload *w = &k->s->workload;

    return w->names[w->programs[w->tasks[task].program].name];
}

static void check_ends(struct checking *k, const struct played *p)
{
    const struct workload *w = &k->s->workload;

    for (size_t i = 0; i < w->task_count; i++)
        if (!w->tasks[i].background && p->figures[i].finish_ns < 0) {
            k->finding->until_ns = p->until_ns;
            find(k, PROPERTY_ENDS, "task '%s' has not ended after %" PRId64 " ns", task_name(k, i),
                 p->result.elapsed_ns);
        }
}

static void same(struct checking *k, const char *who, const char *what, int64_t figure,
                 int64_t events)
{
    if (figure != events)
        find(k, PROPERTY_BOOKS,
             "%s: %s is %" PRId64 " by the figures and %" PRId64 " by the events", who, what,
             figure, events);
}

static void check_task_books(struct checking *k, const struct played *p, size_t task)
{
    const struct sim_task_figures *f = &p->figures[task];
    const struct watch_task *t = &p->watch.tasks[task];
    const char *name = task_name(k, task);
    int64_t end_ns = f->finish_ns >= 0 ? f->finish_ns : p->result.elapsed_ns;

    if (t->state == WATCH_UNBORN)
        return;
    same(k, name, "time on a cpu", f->user_ns + f->system_ns, t->run_ns);
    same(k, name, "time waiting", f->wait_ns, t->wait_ns);
    same(k, name, "time of life", end_ns - k->s->workload.tasks[task].at_ns,
         t->run_ns + t->wait_ns + t->sleep_ns);
    same(k, name, "voluntary switches", f->voluntary, t->voluntary);
    if (f->involuntary < t->involuntary) /* some kernels count a repick too */
        same(k, name, "involuntary switches", f->involuntary, t->involuntary);
    same(k, name, "migrations", f->migrations, t->migrations);
    same(k, name, "its end", f->finish_ns, t->died_ns);
    if (f->user_ns < 0 || f->system_ns < 0 || f->wait_ns < 0)
        find(k, PROPERTY_BOOKS, "%s: a time is negative", name);
}

/* A metric of the run record is exactly that time. */
static void same_metric(struct checking *k, const struct played *p, enum run_metric metric,
                        int64_t ns)
{
    double value = p->result.run.metric[metric], events = (double)ns / (double)HL_NS_PER_S;

    if (value != events)
        find(k, PROPERTY_BOOKS, "%s is %.9f by the run and %.9f by the events",
             run_metric_table[metric].name, value, events);
}

/* The causes of elapsed time are parts of it: none is negative, and together they are not more. */
static void check_causes(struct checking *k, const struct run *run)
{
    double sum = 0, elapsed = run->metric[RUN_elapsed_s];

    for (enum run_metric m = RUN_elapsed_work_s; m <= RUN_elapsed_overhead_s; m++) {
        if (run->metric[m] < -1e-9 * elapsed)
            find(k, PROPERTY_BOOKS, "%s is %.9f; expected no negative time",
                 run_metric_table[m].name, run->metric[m]);
        sum += run->metric[m];
    }
    if (sum > elapsed * (1 + 1e-9))
        find(k, PROPERTY_BOOKS, "the causes of elapsed time are %.9f s together, of %.9f", sum,
             elapsed);
}

static void check_books(struct checking *k, const struct played *p)
{
    const struct property_watch *w = &p->watch;
    const struct run *run = &p->result.run;
    int64_t run_ns = 0, wait_ns = 0, woken_wait_ns = 0, longest_ns = 0, busy_ns = 0;
    int64_t cpus = k->s->machine.cpu_count;

    if (w->fault[0] != '\0')
        find(k, PROPERTY_BOOKS, "%s", w->fault);
    for (size_t i = 0; i < k->s->workload.task_count && i < w->task_count; i++)
        check_task_books(k, p, i);
    for (size_t i = 0; i < w->task_count; i++) {
        run_ns += w->tasks[i].run_ns;
        wait_ns += w->tasks[i].wait_ns;
        woken_wait_ns += w->tasks[i].woken_wait_ns;
        longest_ns = HL_MAX(longest_ns, w->tasks[i].longest_wait_ns);
    }
    for (int64_t cpu = 0; cpu < cpus; cpu++) {
        char name[32];

        (void)snprintf(name, sizeof(name), "cpu %" PRId64, cpu);
        same(k, name, "busy time", p->busy_ns[cpu], w->cpus[cpu].busy_ns);
        busy_ns += w->cpus[cpu].busy_ns;
    }
    same(k, "all", "time of tasks on cpus", busy_ns, run_ns);
    same_metric(k, p, RUN_elapsed_s, p->result.elapsed_ns);
    same_metric(k, p, RUN_idle_cpu_s, p->result.elapsed_ns * cpus - busy_ns);
    same_metric(k, p, RUN_run_delay_task_s, wait_ns);
    same_metric(k, p, RUN_wakeup_delay_task_s, woken_wait_ns);
    same_metric(k, p, RUN_run_delay_max_s, longest_ns);
    same_metric(k, p, RUN_crowded_core_s, w->crowded_core_ns);
    same_metric(k, p, RUN_shared_cpu_s, w->shared_cpu_ns);
    if (run->metric[RUN_wasted_cpu_s] > (double)w->idle_waiting_ns / (double)HL_NS_PER_S)
        find(k, PROPERTY_BOOKS, "wasted capacity is %.9f s, more than cpus were idle: %.9f",
             run->metric[RUN_wasted_cpu_s], (double)w->idle_waiting_ns / (double)HL_NS_PER_S);
    check_causes(k, run);
}

/* A task's time is its work on even machines without costs; at least that where cpus are no faster. */
static void check_work(struct checking *k, const struct played *p)
{
    const struct workload *w = &k->s->workload;
    const struct machine *m = &k->s->machine;
    bool exact = costs_nothing(m) && is_even(m), waits_for_all = true;
    int64_t asked_ns = 0, had_ns = 0;

    if (machine_constant(m, MACHINE_speed) > HL_PPM)
        return;
    for (size_t i = 0; i < w->task_count; i++) {
        const struct asked *asked = &k->asked[w->tasks[i].program];
        const struct sim_task_figures *f = &p->figures[i];

        waits_for_all &= !w->tasks[i].background;
        asked_ns += asked->family_ns;
        if (w->tasks[i].background || asked->is_endless || f->finish_ns < 0)
            continue;
        if (f->user_ns + f->system_ns < asked->user_ns + asked->system_ns ||
            (exact && (f->user_ns != asked->user_ns || f->system_ns != asked->system_ns)))
            find(k, PROPERTY_WORK,
                 "task '%s' asked for %" PRId64 " ns user and %" PRId64
                 " ns system and had %" PRId64 " and %" PRId64,
                 task_name(k, i), asked->user_ns, asked->system_ns, f->user_ns, f->system_ns);
    }
    for (size_t i = 0; i < p->watch.task_count; i++)
        had_ns += p->watch.tasks[i].run_ns;
    if (waits_for_all && (exact ? had_ns != asked_ns : had_ns < asked_ns))
        find(k, PROPERTY_WORK, "all tasks asked for %" PRId64 " ns and had %" PRId64, asked_ns,
             had_ns);
}

/* ---- one run: what the policy declares ---- */

struct traits {
    bool restricts, has_realtime;
    int64_t realtime_ns; /* work of real-time tasks, at full speed */
};

static struct traits traits_of(const struct checking *k)
{
    const struct workload *w = &k->s->workload;
    struct traits traits = {0};

    for (size_t i = 0; i < w->task_count; i++) {
        traits.restricts |= w->tasks[i].cpu_set >= 0;
        traits.has_realtime |= w->tasks[i].class >= CLASS_FIFO;
    }
    for (size_t i = 0; i < w->step_count; i++)
        traits.restricts |= w->steps[i].op == OP_AFFINITY;
    return traits;
}

static void check_declared(struct checking *k, const struct played *p)
{
    const struct property_declaration *d = property_declaration_find(k->policy.ops->name);
    const struct machine *m = &k->s->machine;
    struct traits traits = traits_of(k);
    int64_t limit_ns;

    if (d->longest_wait_ns != NULL && !traits.has_realtime &&
        (!traits.restricts || d->shares_pinned)) {
        /* Calls that are not preempted, and costs of all kinds, come on top. */
        limit_ns = d->longest_wait_ns(&k->policy, (int)p->watch.alive_max);
        if (!costs_nothing(m))
            limit_ns =
                2 * limit_ns + p->watch.alive_max * 10 * HL_NS_PER_MS * HL_PPM / slowest_ppm(m);
        for (size_t i = 0; i < p->watch.task_count; i++)
            if (p->watch.tasks[i].longest_wait_ns > limit_ns)
                find(k, PROPERTY_STARVES,
                     "task %zu waits %" PRId64 " ns in one go; %s declares at most %" PRId64, i,
                     p->watch.tasks[i].longest_wait_ns, k->policy.ops->name, limit_ns);
    }
    if (d->idle_beside_waiting_ns == NULL || traits.restricts)
        return;
    limit_ns = d->idle_beside_waiting_ns(&k->policy, m);
    if (limit_ns == DECLARES_NOTHING)
        return;
    limit_ns += machine_constant(m, MACHINE_ipi_ns);
    if (p->watch.idle_beside_waiting_ns > limit_ns)
        find(k, PROPERTY_IDLES,
             "a cpu idles for %" PRId64 " ns beside a waiting task; %s declares at most %" PRId64,
             p->watch.idle_beside_waiting_ns, k->policy.ops->name, limit_ns);
}

/* ---- two runs: nothing changes ---- */

/*
 * Costs are charged where they arise and paid with the next work: on a cpu whose speed changes
 * meanwhile, how much of a task's time is theirs depends on when somebody looks. The sum does not.
 */
static bool knows_shares(const struct checking *k)
{
    return costs_nothing(&k->s->machine) || is_even(&k->s->machine);
}

static bool differs(const struct checking *k, const struct run *a, const struct run *b, int metric)
{
    double x = a->metric[metric], y = b->metric[metric];

    if ((metric == RUN_user_s || metric == RUN_system_s) && !knows_shares(k)) {
        x = a->metric[RUN_user_s] + a->metric[RUN_system_s];
        y = b->metric[RUN_user_s] + b->metric[RUN_system_s];
    }
    if (metric == RUN_percent_cpu || metric == RUN_user_s || metric == RUN_system_s)
        return fabs(x - y) >
               1e-9 * fabs(x); /* sums of rounded numbers: less than a ns in a second */
    return x != y && !(isnan(x) && isnan(y));
}

static bool figures_differ(const struct checking *k, const struct sim_task_figures *a,
                           const struct sim_task_figures *b)
{
    return a->user_ns + a->system_ns != b->user_ns + b->system_ns ||
           (knows_shares(k) && a->user_ns != b->user_ns) || a->wait_ns != b->wait_ns ||
           a->started_ns != b->started_ns || a->finish_ns != b->finish_ns || a->cpu != b->cpu ||
           a->voluntary != b->voluntary || a->involuntary != b->involuntary ||
           a->migrations != b->migrations;
}

static void check_same_runs(struct checking *k, enum property property, const char *what,
                            const struct played *a, const struct played *b, bool events_too)
{
    if (b->status != HL_OK)
        find(k, property, "%s: %s", what, b->err.text);
    else if (a->result.elapsed_ns != b->result.elapsed_ns)
        find(k, property, "%s: elapsed %" PRId64 " ns becomes %" PRId64, what, a->result.elapsed_ns,
             b->result.elapsed_ns);
    else if (events_too && (a->result.event_hash != b->result.event_hash ||
                            a->result.event_count != b->result.event_count))
        find(k, property, "%s: %" PRIu64 " events become %" PRIu64 " other ones", what,
             a->result.event_count, b->result.event_count);
    for (int i = 0; i < RUN_METRIC_COUNT && !found(k); i++)
        if (differs(k, &a->result.run, &b->result.run, i))
            find(k, property, "%s: %s %.9f becomes %.9f", what, run_metric_table[i].name,
                 a->result.run.metric[i], b->result.run.metric[i]);
    for (size_t i = 0; !a->is_plain && !b->is_plain && i < a->workload->task_count; i++)
        if (figures_differ(k, &a->figures[i], &b->figures[i]))
            find(k, property, "%s: figures of task '%s' change", what, task_name(k, i));
}

static void check_repeats(struct checking *k, const struct played *base)
{
    struct played again = {
        .workload = base->workload, .until_ns = base->until_ns, .is_plain = true};
    struct played looked = {.workload = base->workload, .until_ns = base->until_ns, .looks = 50};

    play(k, &again, 0);
    check_same_runs(k, PROPERTY_REPEATS, "unwatched", base, &again, true);
    played_close(&again);
    play(k, &looked, base->result.elapsed_ns);
    /* A cost does not move the end of a step, which comes too early then and is an event; a look does. */
    check_same_runs(k, PROPERTY_REPEATS, "looked at 50 times", base, &looked,
                    costs_nothing(&k->s->machine));
    played_close(&looked);
}

static void check_changes(struct checking *k, const struct played *base)
{
    for (enum property_transform t = 0; t < TRANSFORM_COUNT && !found(k); t++) {
        struct workload changed;
        struct played p = {.workload = &changed, .until_ns = base->until_ns};

        /* A call does something if it costs, or if the policy knows when it ends. */
        if (t == TRANSFORM_FREE_CALLS &&
            (!costs_nothing(&k->s->machine) || k->policy.ops->to_user != NULL))
            continue;
        property_transform(&k->s->workload, t, k->seed, &changed);
        play(k, &p, 0);
        check_same_runs(k, PROPERTY_CHANGES, property_transform_names[t], base, &p,
                        property_transform_keeps_events(t));
        played_close(&p);
        workload_close(&changed);
    }
}

/* Long enough for all work one after another on the slowest cpu, with waits as declared. */
static int64_t patience_ns(const struct checking *k)
{
    const struct property_declaration *d = property_declaration_find(k->policy.ops->name);
    const struct workload *w = &k->s->workload;
    int64_t work_ns = HL_NS_PER_S, block_ns = 0;

    for (size_t i = 0; i < w->task_count; i++) {
        work_ns += k->asked[w->tasks[i].program].family_ns;
        block_ns += k->asked[w->tasks[i].program].block_ns;
    }
    work_ns = work_ns * 20 / slowest_ppm(&k->s->machine) * HL_PPM + 20 * block_ns;
    if (d->longest_wait_ns != NULL)
        work_ns += 4 * d->longest_wait_ns(&k->policy, (int)w->live_task_max);
    if (d->left_aside_ns != NULL)
        work_ns += d->left_aside_ns(&k->policy) * (int64_t)w->live_task_max;
    return work_ns;
}

void property_check(const struct scenario *s, struct property_finding *finding)
{
    struct checking k = {.s = s, .finding = finding};
    struct played base = {.workload = &s->workload};
    struct hl_error err;

    *finding = (struct property_finding){.property = PROPERTY_NONE};
    if (policy_spec_parse(&k.policy, s->policy, &err) != HL_OK) {
        find(&k, PROPERTY_REFUSED, "%s", err.text);
        return;
    }
    k.seed = study_run_seed(s->seed, "scenario", 0, 0);
    k.asked = need(hl_alloc(s->workload.program_count, sizeof(*k.asked)));
    for (size_t i = 0; i < s->workload.program_count; i++)
        ask_program(&k, (int32_t)i);
    base.until_ns = s->until_ns == INT64_MAX ? patience_ns(&k) : s->until_ns;
    play(&k, &base, 0);
    if (base.status == HL_USAGE)
        find(&k, PROPERTY_REFUSED, "%s", base.err.text);
    else if (base.status != HL_OK)
        find(&k, PROPERTY_PLAYS, "%s", base.err.text);
    if (!found(&k) && s->until_ns == INT64_MAX)
        check_ends(&k, &base);
    if (!found(&k)) {
        check_books(&k, &base);
        check_work(&k, &base);
        check_declared(&k, &base);
    }
    if (!found(&k))
        check_repeats(&k, &base);
    if (!found(&k))
        check_changes(&k, &base);
    played_close(&base);
    hl_free(k.asked);
}
