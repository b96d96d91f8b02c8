/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * golden_play.c - a record of a real kernel as a scenario, played from the recorded starts,
 * measured and judged.
 *
 * As in the record, the starts follow each other on one machine, whose balancing intervals carry
 * over. Before each the recorder runs for a while. Then the tasks are forked one after the other, in
 * the order and on the cpus of the record's list (others where fork puts them), and sleep until a
 * real-time task wakes them; periodic ones then sleep a random part of a period; at the end it
 * kills them. Sleeps are longer by the timer
 * slack of 50 us and runs by the 6 us of system call and switch that the records' notes give; in
 * those of real time by the middle of the 50 to 250 us that they give for them. The
 * machine has no SMT slow-down and no cold caches, as emulated cpus have none; its costs of a switch,
 * a wakeup, a tick (1.5, 1.5, 1 us), the times between starts and between forks are assumed. An interrupt to another
 * cpu takes 20 us: on 4 and 8 cpus the hogs of the records run 7 to 54 us after they are woken onto
 * idle cpus (quantiles 0.1 to 0.9 of smt2 and h4). Pinning is lifted after 0.1 s by the task that
 * woke the others.
 */
#include "study/golden.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/memory.h"
#include "base/units.h"
#include "sim/sim.h"
#include "study/study.h"
#include "workload/scenario.h"

enum {
    TEXT_BYTES = 1 << 19,
    RELEASE_MS = 100,       /* cpus_before is lifted */
    PAUSE_MS = 1137,        /* between starts; no multiple of the periods of kernel threads */
    FORK_MS = 50,           /* the first task is forked so long before that */
    FORKS_US = 40000,       /* all are, within so long, */
    BETWEEN_FORKS_US = 100, /* or in steps of this */
    RECORDER_MS = 20,       /* the recorder begins so long before it forks them */
    TIMER_SLACK_US = 50,
    RUN_EXTRA_US = 6,
    RUN_EXTRA_REAL_US = 150,       /* in real time: the middle of 50 to 250 */
    TASKS_MAX = SCENARIO_NAMES_MAX /* in one scenario: those of several starts */
};

/* ---- the scenario ---- */

struct script { /* text that grows; what does not fit is an error at the end */
    char text[TEXT_BYTES];
    size_t length;
};

static void add(struct script *s, const char *format, ...) HL_PRINTF(2, 3);

static void add(struct script *s, const char *format, ...)
{
    va_list args;
    int count;

    va_start(args, format);
    count = hl_vformat(s->text + s->length, TEXT_BYTES - s->length, format, args);
    va_end(args);
    s->length = HL_MIN(s->length + (size_t)HL_MAX(count, 0), (size_t)TEXT_BYTES - 1);
}

static void add_machine(struct script *s, const struct golden *g)
{
    char caches[24] = "";

    if (g->caches > 1) /* else each package is one */
        (void)hl_format(caches, sizeof(caches), " l3:%d", g->caches);
    add(s,
        "machine pack:%d%s core:%d pu:%d switch_cost_ns=1500 tick_cost_ns=1000 wakeup_cost_ns=1500 "
        "ipi_ns=20000 smt_gain=1 smt_cost=0 refill_core_ns=0 refill_package_ns=0 "
        "refill_node_ns=0\n",
        g->packages, caches, g->cores, g->threads);
    add(s, "policy %s:NI_RANDOM\n", g->policy);
}

/* When the first task of a start is woken. */
static int64_t begin_us(const struct golden *g, int turn)
{
    return (RECORDER_MS + FORK_MS) * INT64_C(1000) +
           turn * ((int64_t)(g->seconds * 1e6) + PAUSE_MS * 1000);
}

/* As the records' notes say: run 0 is for ever, sleep 0 is never; a pair may pass its byte at once. */
static uint64_t first_mask(const struct golden_task *t)
{
    return t->cpus_before != 0 ? t->cpus_before : t->cpus;
}

static int64_t between_forks_us(const struct golden *g)
{
    return HL_MIN(FORKS_US / (2 * golden_tasks_of_start(g)), (int64_t)BETWEEN_FORKS_US);
}

/* When number k of task i is forked, and the cpu where it sleeps then; -1: where fork puts it.
 * First come those of the start's list, in its order. */
static int64_t fork_us(const struct golden *g, const struct golden_start *start, int turn, int i,
                       int64_t k, int *cpu)
{
    const char *prev = start == NULL ? "" : start->prev;
    int64_t before = 0;
    struct golden_place place;
    bool is_listed = false;

    *cpu = -1;
    for (; !is_listed && golden_next_place(g, &prev, &place); before += !is_listed)
        is_listed = place.task == i && place.number == k;
    if (is_listed)
        *cpu = place.cpu;
    else
        for (before += k; i > 0; i--)
            before += g->task[i - 1].count;
    return begin_us(g, turn) - FORK_MS * INT64_C(1000) + before * between_forks_us(g);
}

/* It prepares a start, so that what the kernel keeps by ticks is of an idle machine. It forks the tasks from
 * elsewhere than they sleep, if there is another cpu. */
static void add_recorder(struct script *s, const struct golden *g, const struct golden_start *start,
                         int turn)
{
    int64_t forks_us = 2 * golden_tasks_of_start(g) * between_forks_us(g);

    add(s, "task recorder%d start %" PRId64 " at %" PRId64 "us background: run %" PRId64 "us\n",
        turn, start == NULL ? 0 : start->cpu,
        begin_us(g, turn) - (FORK_MS + RECORDER_MS) * INT64_C(1000),
        RECORDER_MS * INT64_C(1000) + (g->cpu_count == 1 ? forks_us : -1000));
}

static void add_mask(struct script *s, const char *word, uint64_t mask)
{
    const char *comma = "";

    add(s, " %s ", word);
    for (int i = 0; i < 64; i++)
        if ((mask >> i & 1) != 0) {
            add(s, "%s%d", comma, i);
            comma = ",";
        }
}

/* On a cpu of the list it is pinned until it sleeps there, or an idle cpu would take it. */
static void add_attributes(struct script *s, const struct golden_task *t, int cpu)
{
    uint64_t mask = first_mask(t);
    bool is_there = cpu >= 0 && (mask == 0 || (cpu < 64 && (mask >> cpu & 1) != 0));

    add(s, " forked nice %" PRId64, t->nice);
    if (t->class != NULL)
        add(s, " class %s", t->class);
    if (t->group >= 0)
        add(s, " group group%d", t->group);
    if (t->slice_us > 0)
        add(s, " slice %" PRId64 "us", t->slice_us);
    if (is_there)
        add(s, " start %d on %d:", cpu, cpu);
    else if (mask != 0)
        add_mask(s, "on", mask);
    if (is_there && mask != 0)
        add_mask(s, "affinity", mask);
    else if (is_there)
        add(s, " affinity all");
}

/* turn: of the start in the scenario; part of the names of its pipes. */
static void add_steps(struct script *s, const struct golden *g, const struct golden_task *t,
                      int turn, int64_t k)
{
    int i = (int)(t - g->task);
    int64_t sleep_us = t->sleep_us + TIMER_SLACK_US;
    int64_t run_us = t->run_us + (g->is_virtual_time ? RUN_EXTRA_US : RUN_EXTRA_REAL_US);

    if (golden_is_hog(t)) {
        add(s, " run forever\n");
    } else if (t->sleep_us >= 0) {
        add(s, " sleep %dus..%" PRId64 "us loop forever { run %" PRId64 "us sleep ",
            TIMER_SLACK_US + 1, TIMER_SLACK_US + 2 + t->run_us + t->sleep_us, run_us);
        if (t->jitter_us > 0)
            add(s, "%" PRId64 "us..%" PRId64 "us }\n", sleep_us - t->jitter_us,
                sleep_us + t->jitter_us);
        else
            add(s, "%" PRId64 "us }\n", sleep_us);
    } else if (k % 2 == 0) {
        add(s,
            " loop forever { run %" PRId64 "us write x%d_%d_%" PRId64 " 1 read x%d_%d_%" PRId64
            " 1 }\n",
            run_us, turn, i, k + 1, turn, i, k);
    } else {
        add(s,
            " loop forever { read x%d_%d_%" PRId64 " 1 run %" PRId64 "us write x%d_%d_%" PRId64
            " 1 }\n",
            turn, i, k, run_us, turn, i, k - 1);
    }
}

/* A step about each task, or about each that was pinned at first. */
static void add_each(struct script *s, const struct golden *g, int turn, const char *step,
                     bool only_pinned)
{
    for (int i = 0; i < g->task_count; i++)
        for (int64_t k = 0; k < g->task[i].count; k++)
            if (!only_pinned || g->task[i].cpus_before != 0)
                add(s, " %s t%d_%d_%" PRId64, step, turn, i, k);
}

/* The start's list names number k of task i. */
static bool is_in_list(const struct golden *g, const struct golden_start *start, int i, int64_t k)
{
    const char *prev = start == NULL ? "" : start->prev;
    struct golden_place place;

    while (golden_next_place(g, &prev, &place))
        if (place.task == i && place.number == k)
            return true;
    return false;
}

/* The waking task: first those of the start's list, in its order, then the others. */
static void add_waker(struct script *s, const struct golden *g, const struct golden_start *start,
                      int turn)
{
    int64_t cpu = start == NULL ? 0 : start->cpu;
    int64_t left_us = (int64_t)(g->seconds * 1e6);
    const char *prev = start == NULL ? "" : start->prev;
    struct golden_place place;
    bool is_pinned = false;

    add(s,
        "task waker%d class fifo rt 50 start %" PRId64 " on %" PRId64 " at %" PRId64
        "us background: sleep %dms",
        turn, cpu, cpu, begin_us(g, turn) - FORK_MS * INT64_C(1000), FORK_MS);
    while (golden_next_place(g, &prev, &place))
        add(s, " write w%d_%d_%" PRId64 " 1", turn, place.task, place.number);
    for (int i = 0; i < g->task_count; i++)
        for (int64_t k = 0; k < g->task[i].count; k++) {
            is_pinned |= g->task[i].cpus_before != 0;
            if (!is_in_list(g, start, i, k))
                add(s, " write w%d_%d_%" PRId64 " 1", turn, i, k);
        }
    if (is_pinned) {
        left_us = HL_MAX(left_us - RELEASE_MS * 1000, 0);
        add(s, " sleep %dms", RELEASE_MS);
        add_each(s, g, turn, "release", true);
    }
    add(s, " sleep %" PRId64 "us", left_us);
    add_each(s, g, turn, "kill", false);
    add(s, "\n");
}

static void add_groups(struct script *s, const struct golden *g)
{
    for (int i = 0; i < g->group_count; i++) {
        const struct golden_group *group = &g->group[i];

        add(s, "group group%d weight=%" PRId64, i, group->weight);
        if (group->quota_us > 0)
            add(s, " quota=%" PRId64 "us period=%" PRId64 "us", group->quota_us, group->period_us);
        add(s, "%s\n", group->is_idle ? " idle" : "");
    }
}

/*
 * What a kernel does by itself, at its documented intervals: on each busy cpu the worker that folds
 * statistics, and on one the shepherd of these workers (vm.stat_interval: 1 s, deferrable); the
 * compaction daemon (0.5 s) and the pressure averages (2 s) somewhere. They end slices of tasks that
 * nobody else preempts. A cpu that goes idle folds its statistics itself, and what a task changes is
 * mostly done when it begins: no worker comes to cpus that were idle within the last 0.1 s. That time
 * and the 5 us of work are assumed.
 */
static void add_kernel(struct script *s, const struct golden *g)
{
    for (int cpu = 0; cpu < g->cpu_count; cpu++)
        add(s,
            "task kworker%d kernel background on %d start %d: sleep 0us..1s loop forever { run 5us "
            "sleep 1s steady 100ms }\n",
            cpu, cpu, cpu);
    add(s,
        "task kcompactd kernel background start 0: sleep 0us..500ms loop forever { run 5us sleep "
        "500ms }\n");
    add(s, "task psi kernel background start 0: sleep 0us..2s loop forever { run 5us sleep 2s }\n");
    add(s, "task shepherd kernel background on 0 start 0: sleep 0us..1s loop forever { run 5us "
           "sleep 1s deferrable }\n");
}

/* One start, the turn-th of the scenario. */
static void add_start(struct script *s, const struct golden *g, const struct golden_start *start,
                      int turn)
{
    for (int i = 0; i < g->task_count; i++)
        for (int64_t k = 0; k < g->task[i].count; k++) {
            const struct golden_task *t = &g->task[i];
            int cpu;

            add(s, "pipe w%d_%d_%" PRId64 "\n", turn, i, k);
            if (t->sleep_us < 0)
                add(s, "pipe x%d_%d_%" PRId64 " sync\n", turn, i, k);
            add(s, "task t%d_%d_%" PRId64 " at %" PRId64 "us", turn, i, k,
                fork_us(g, start, turn, i, k, &cpu));
            add_attributes(s, t, cpu);
            add(s, " read w%d_%d_%" PRId64 " 1", turn, i, k);
            add_steps(s, g, t, turn, k);
        }
    add_waker(s, g, start, turn);
    add_recorder(s, g, start, turn);
}

/* ---- measuring ---- */

struct times { /* durations in ns, by golden_task */
    int64_t *ns;
    size_t count, capacity;
};

struct tally { /* over all starts */
    struct golden *g;
    int owner[TASKS_MAX],
        turn[TASKS_MAX]; /* golden_task and start of a task id; owner -1: a waker or recorder */
    int task_count;
    int64_t since_ns[TASKS_MAX], woken_ns[TASKS_MAX]; /* of the present start; -1: is not so */
    int64_t ran_ns[GOLDEN_TASKS_MAX], preempted[GOLDEN_TASKS_MAX], moved[GOLDEN_TASKS_MAX];
    struct times wake[GOLDEN_TASKS_MAX], slice[GOLDEN_TASKS_MAX];
    bool is_busy[GOLDEN_CPUS_MAX]; /* runs a task of the record */
    int busy_count, busy_turns;    /* cpus that do; starts that have been seen with all cpus busy */
    struct times all_busy;         /* after the release */
    enum hl_status status;
    struct hl_error *err;
};

static void keep(struct tally *y, struct times *times, int64_t ns)
{
    if (y->status == HL_OK)
        y->status =
            hl_grow(&times->ns, &times->capacity, times->count + 1, sizeof(*times->ns), y->err);
    if (y->status == HL_OK)
        times->ns[times->count++] = ns;
}

/* Its start is under way. */
static bool counts(const struct tally *y, int32_t id, int64_t now_ns)
{
    int64_t begin_ns;

    if (id < 0 || id >= y->task_count || y->owner[id] < 0)
        return false;
    begin_ns = begin_us(y->g, y->turn[id]) * HL_NS_PER_US;
    return now_ns > begin_ns && now_ns <= begin_ns + (int64_t)(y->g->seconds * 1e9);
}

static void leaves(struct tally *y, int32_t id, int64_t now_ns, enum trace_state state)
{
    int owner = y->owner[id];
    int64_t begin_ns = begin_us(y->g, y->turn[id]) * HL_NS_PER_US;
    int64_t end_ns = begin_ns + (int64_t)(y->g->seconds * 1e9);
    int64_t ran_ns = HL_MIN(now_ns, end_ns) - HL_MAX(y->since_ns[id], begin_ns);

    if (owner >= 0 && y->since_ns[id] >= 0 && ran_ns > 0) {
        y->ran_ns[owner] += ran_ns;
        if (now_ns <= end_ns) {
            y->preempted[owner] += state == TRACE_RUNNABLE;
            keep(y, &y->slice[owner], ran_ns);
        }
    }
    y->since_ns[id] = -1;
}

/* The cpu runs a task of the record now, or none. */
static void set_busy(struct tally *y, int32_t cpu, int32_t id, int64_t now_ns)
{
    bool is_busy = id >= 0 && id < y->task_count && y->owner[id] >= 0;
    int64_t release_ns;

    y->busy_count += is_busy - y->is_busy[cpu];
    y->is_busy[cpu] = is_busy;
    if (!is_busy || y->busy_count < y->g->cpu_count || y->busy_turns > y->turn[id])
        return;
    release_ns = (begin_us(y->g, y->turn[id]) + RELEASE_MS * INT64_C(1000)) * HL_NS_PER_US;
    if (now_ns < release_ns)
        return;
    y->busy_turns = y->turn[id] + 1;
    keep(y, &y->all_busy, now_ns - release_ns);
}

static void take_event(void *context, const struct trace_event *e)
{
    struct tally *y = context;

    switch (e->kind) {
    case TRACE_SWITCH:
        if (e->task >= 0 && e->task < y->task_count)
            leaves(y, e->task, e->at_ns, e->state);
        set_busy(y, e->cpu, e->other, e->at_ns);
        if (e->other < 0 || e->other >= y->task_count)
            return;
        y->since_ns[e->other] = e->at_ns;
        if (y->woken_ns[e->other] >= 0 && counts(y, e->other, e->at_ns))
            keep(y, &y->wake[y->owner[e->other]], e->at_ns - y->woken_ns[e->other]);
        y->woken_ns[e->other] = -1;
        return;
    case TRACE_WAKE:
        if (e->task < y->task_count)
            y->woken_ns[e->task] = e->at_ns;
        return;
    case TRACE_MIGRATE:
        if (counts(y, e->task, e->at_ns))
            y->moved[y->owner[e->task]]++;
        return;
    case TRACE_FORK:
    case TRACE_EXEC:
    case TRACE_EXIT: return;
    }
}

static int compare_ns(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

static double quantile_ms(struct times *times, int percent)
{
    if (times->count == 0)
        return NAN;
    qsort(times->ns, times->count, sizeof(*times->ns), compare_ns);
    return (double)times->ns[HL_MIN(times->count * (size_t)percent / 100, times->count - 1)] / 1e6;
}

/* Between which of the simulated ones a quantile of `recorded` ones lies. Of sorted times. */
static struct golden_range range_ms(const struct times *times, int percent, double recorded)
{
    double margin = golden_quantile_margin(percent, recorded, (double)times->count);
    double most = (double)times->count - 1, at = (double)times->count * percent / 100;

    if (times->count == 0)
        return (struct golden_range){NAN, NAN};
    return (struct golden_range){
        (double)times->ns[(size_t)fmax(fmin(floor(at - margin), most), 0)] / 1e6,
        (double)times->ns[(size_t)fmin(floor(at + margin), most)] / 1e6};
}

static bool is_released(const struct golden *g)
{
    for (int i = 0; i < g->task_count; i++)
        if (g->task[i].cpus_before != 0)
            return true;
    return false;
}

static void sum_up(struct tally *y, int starts)
{
    struct golden *g = y->g;

    g->played_starts = starts;
    g->simulated_all_busy_ms = (struct golden_spread){NAN, NAN, NAN};
    if (is_released(g))
        g->simulated_all_busy_ms =
            (struct golden_spread){.least = quantile_ms(&y->all_busy, 0),
                                   .median = quantile_ms(&y->all_busy, 50),
                                   .greatest = quantile_ms(&y->all_busy, 100)};
    for (int i = 0; i < y->g->task_count; i++) {
        struct golden_task *t = &y->g->task[i];
        double total_s = (double)starts * (double)t->count * y->g->seconds;
        double recorded_s = (double)y->g->recorded_starts * (double)t->count * y->g->seconds;

        t->simulated = (struct golden_figures){
            .share = (double)y->ran_ns[i] / 1e9 / total_s,
            .preempt_per_s = (double)y->preempted[i] / total_s,
            .mig_per_s = (double)y->moved[i] / total_s,
            .wake_ms = {quantile_ms(&y->wake[i], 50), quantile_ms(&y->wake[i], 90)},
            .slice_ms = {quantile_ms(&y->slice[i], 50), quantile_ms(&y->slice[i], 90)},
        };
        t->wake_range_ms = range_ms(&y->wake[i], 50, t->real.vol_per_s * recorded_s);
        for (int q = 0; q < GOLDEN_QUANTILES; q++)
            t->slice_range_ms[q] =
                range_ms(&y->slice[i], q == GOLDEN_P50 ? 50 : 90,
                         (t->real.vol_per_s + t->real.preempt_per_s) * recorded_s);
    }
}

/* Starts first .. first + turns - 1 on one machine, and whose task each is. */
static void write_script(struct tally *y, struct script *s, int first, int turns)
{
    const struct golden *g = y->g;

    s->length = 0;
    add_machine(s, g);
    add_groups(s, g);
    y->task_count = 0;
    for (int turn = 0; turn < turns; turn++) {
        add_start(s, g, g->start_count == 0 ? NULL : &g->start[(first + turn) % g->start_count],
                  turn);
        for (int i = 0; i <= g->task_count; i++)
            for (int64_t k = 0; k < (i < g->task_count ? g->task[i].count : GOLDEN_HELPERS); k++) {
                y->owner[y->task_count] = i < g->task_count ? i : -1;
                y->turn[y->task_count++] = turn;
            }
    }
    add_kernel(s, g);
    add(s, "until %" PRId64 "us\n", begin_us(g, turns));
}

static enum hl_status play_starts(struct tally *y, struct script *s, int first, int turns,
                                  uint64_t seed, struct hl_error *err)
{
    struct golden *g = y->g;
    struct scenario scenario = {0};
    struct policy_spec policy;
    struct sim_result result;
    struct trace_sink sink = {.event = take_event, .context = y};
    enum hl_status status;

    write_script(y, s, first, turns);
    status = scenario_parse(&scenario, g->id, s->text, err);
    if (status == HL_OK)
        status = policy_spec_parse(&policy, scenario.policy, err);
    for (int i = 0; i < TASKS_MAX; i++)
        y->since_ns[i] = y->woken_ns[i] = -1;
    memset(y->is_busy, 0, sizeof(y->is_busy));
    y->busy_count = y->busy_turns = 0;
    if (status == HL_OK)
        status = sim_run(&(struct sim_options){.machine = &scenario.machine,
                                               .policy = &policy,
                                               .workload = &scenario.workload,
                                               .seed = study_run_seed(seed, "golden", 0, first),
                                               .until_ns = scenario.until_ns,
                                               .sink = &sink},
                         &result, err);
    scenario_close(&scenario);
    return status == HL_OK ? y->status : status;
}

/* As many as one scenario holds; at least one, as golden_read sees to. */
static int turns_at_once(const struct golden *g, int starts)
{
    int64_t room = (TASKS_MAX - g->cpu_count - GOLDEN_KERNEL_TASKS) / golden_tasks_of_start(g);

    assert(room >= 1);
    return (int)HL_MIN(room, (int64_t)starts);
}

static enum hl_status open_tally(struct golden *g, struct tally **y, struct script **s,
                                 struct hl_error *err)
{
    *y = hl_alloc(1, sizeof(**y));
    *s = hl_alloc(1, sizeof(**s));
    if (*y == NULL || *s == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for record %s", g->id);
    (*y)->g = g;
    (*y)->err = err;
    return HL_OK;
}

static void close_tally(struct tally *y, struct script *s)
{
    for (int i = 0; i < GOLDEN_TASKS_MAX && y != NULL; i++) {
        hl_free(y->wake[i].ns);
        hl_free(y->slice[i].ns);
    }
    if (y != NULL)
        hl_free(y->all_busy.ns);
    hl_free(s);
    hl_free(y);
}

enum hl_status golden_check(struct golden *g, struct hl_error *err)
{
    struct scenario scenario = {0};
    struct tally *y;
    struct script *s;
    enum hl_status status = open_tally(g, &y, &s, err);

    if (status == HL_OK) {
        write_script(y, s, 0, turns_at_once(g, GOLDEN_STARTS));
        status = scenario_parse(&scenario, g->id, s->text, err);
    }
    scenario_close(&scenario);
    close_tally(y, s);
    return status;
}

enum hl_status golden_play(struct golden *g, int starts, uint64_t seed, struct hl_error *err)
{
    struct tally *y;
    struct script *s;
    enum hl_status status = open_tally(g, &y, &s, err);
    int turns = turns_at_once(g, starts);

    for (int start = 0; start < starts && status == HL_OK; start += turns)
        status = play_starts(y, s, start, HL_MIN(turns, starts - start), seed, err);
    if (status == HL_OK)
        sum_up(y, starts);
    close_tally(y, s);
    return status;
}
