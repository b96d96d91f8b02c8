/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * golden_play.c - a record of a real kernel as a scenario, played from the recorded starts,
 * measured and judged.
 *
 * As in the record, all tasks sleep until a real-time task wakes them one after the other; periodic
 * ones then sleep a random part of a period. Sleeps are longer by the timer slack of 50 us and runs
 * by the 6 us of system call and switch that the records' notes give. The machine has no SMT
 * slow-down and no cold caches, as emulated cpus have none; its costs of a switch, a wakeup, a tick
 * (1.5, 1.5, 1 us) are assumed. Pinning that is lifted after 0.1 s is lifted by each task itself,
 * when it has run its part of that time.
 */
#include "study/golden.h"

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
    TEXT_BYTES = 1 << 16,
    RELEASE_US = 100000, /* cpus_before is lifted */
    WAKE_AT_MS = 50,
    TIMER_SLACK_US = 50,
    RUN_EXTRA_US = 6,
    TASKS_MAX = 256 /* in one record, by NAMEk */
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

/* The number in front of a word: 2 of "8: 2 packages x 4 cores" for " packages"; 1 if there is none. */
static int number_before(const char *text, const char *word)
{
    const char *at = strstr(text, word);

    if (at == NULL)
        return 1;
    while (at > text && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return HL_MAX(atoi(at), 1);
}

static int cpu_count(const struct golden *g)
{
    return HL_MAX(atoi(g->cpus), 1);
}

static void add_machine(struct script *s, const struct golden *g)
{
    int packages = number_before(g->cpus, " packages"),
        threads = number_before(g->cpus, " threads");

    add(s,
        "machine pack:%d core:%d pu:%d switch_cost_ns=1500 tick_cost_ns=1000 wakeup_cost_ns=1500 "
        "ipi_ns=1000 smt_gain=1 smt_cost=0 refill_core_ns=0 refill_package_ns=0 refill_node_ns=0\n",
        packages, HL_MAX(cpu_count(g) / packages / threads, 1), threads);
    add(s, "policy %s:NI_RANDOM\n",
        strncmp(g->kernel, "6.1.", 4) == 0   ? "cfs"
        : strncmp(g->kernel, "6.18", 4) == 0 ? "eevdf:version=6.18"
                                             : "eevdf:version=6.12");
}

static bool is_hog(const struct golden_task *t)
{
    return t->run_us == 0 && t->sleep_us == 0;
}

static uint64_t first_mask(const struct golden_task *t)
{
    return t->cpus_before != 0 ? t->cpus_before : t->cpus;
}

/* The cpu where NAMEk slept, by the list of the start; one it may use. */
static int slept_on(const struct golden_start *start, const struct golden_task *t, int64_t k)
{
    uint64_t mask = first_mask(t);
    char key[40];
    const char *at;
    int cpu = 0;

    (void)hl_format(key, sizeof(key), "%s%" PRId64 "=", t->name, k);
    at = start == NULL ? NULL : strstr(start->prev, key);
    if (at != NULL)
        cpu = atoi(at + strlen(key));
    if (mask != 0 && (cpu > 63 || (mask >> cpu & 1) == 0))
        for (cpu = 0; (mask >> cpu & 1) == 0;)
            cpu++;
    return cpu;
}

static void add_attributes(struct script *s, const struct golden *g, const struct golden_task *t,
                           int cpu)
{
    uint64_t mask = first_mask(t);
    const char *comma = " on ";

    add(s, " nice %" PRId64 " start %d", t->nice, HL_MIN(cpu, cpu_count(g) - 1));
    if (t->policy != '\0')
        add(s, " class %s", t->policy == 'b' ? "batch" : "idle");
    if (t->group[0] != '\0')
        add(s, " group %s", t->group);
    if (t->slice_us > 0)
        add(s, " slice %" PRId64 "us", t->slice_us);
    for (int i = 0; i < 64; i++)
        if ((mask >> i & 1) != 0) {
            add(s, "%s%d", comma, i);
            comma = ",";
        }
}

static int64_t sharers(const struct golden *g, uint64_t mask)
{
    int64_t count = 0;

    for (int i = 0; i < g->task_count; i++)
        if (g->task[i].cpus_before == mask)
            count += g->task[i].count;
    return count;
}

static void add_steps(struct script *s, const struct golden *g, const struct golden_task *t,
                      int64_t k)
{
    int64_t sleep_us = t->sleep_us + TIMER_SLACK_US, run_us = t->run_us + RUN_EXTRA_US;

    if (t->cpus_before != 0)
        add(s, " run %" PRId64 "us affinity all", RELEASE_US / sharers(g, t->cpus_before));
    if (is_hog(t)) {
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
            " loop forever { run %" PRId64 "us write x_%s%" PRId64 " 1 read x_%s%" PRId64 " 1 }\n",
            t->run_us, t->name, k + 1, t->name, k);
    } else {
        add(s,
            " loop forever { read x_%s%" PRId64 " 1 run %" PRId64 "us write x_%s%" PRId64 " 1 }\n",
            t->name, k, t->run_us, t->name, k - 1);
    }
}

/* The waking task: first those of the start's list, in its order, then the others. */
static void add_waker(struct script *s, const struct golden *g, const struct golden_start *start)
{
    int64_t cpu = start == NULL ? 0 : HL_MIN(start->cpu, cpu_count(g) - 1);

    add(s, "task waker class fifo rt 50 start %" PRId64 " on %" PRId64 " background: sleep %dms",
        cpu, cpu, WAKE_AT_MS);
    for (const char *at = start == NULL ? "" : start->prev; *at != '\0';) {
        size_t length = strcspn(at, "=");

        for (int i = 0; i < g->task_count; i++) /* a list may name tasks that are not there */
            if (strncmp(at, g->task[i].name, strlen(g->task[i].name)) == 0 &&
                atoi(at + strlen(g->task[i].name)) < g->task[i].count) {
                add(s, " write w_%.*s 1", (int)length, at);
                break;
            }
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    for (int i = 0; i < g->task_count; i++)
        for (int64_t k = 0; k < g->task[i].count; k++) {
            char key[40];

            (void)hl_format(key, sizeof(key), "%s%" PRId64 "=", g->task[i].name, k);
            if (start == NULL || strstr(start->prev, key) == NULL)
                add(s, " write w_%s%" PRId64 " 1", g->task[i].name, k);
        }
    for (int i = 0; i < g->task_count; i++)
        if (g->task[i].cpus_before != 0) { /* whoever lifts the masks runs here */
            add(s, " sleep %dms run 20us", RELEASE_US / 1000);
            break;
        }
    add(s, "\n");
}

static void add_groups(struct script *s, const struct golden *g)
{
    for (int i = 0; i < g->group_count; i++) {
        const struct golden_group *group = &g->group[i];

        add(s, "group %s weight=%" PRId64, group->name, group->weight);
        if (group->quota_us > 0)
            add(s, " quota=%" PRId64 "us period=%" PRId64 "us", group->quota_us, group->period_us);
        add(s, "%s\n", group->is_idle ? " idle" : "");
    }
}

static void write_scenario(struct script *s, const struct golden *g,
                           const struct golden_start *start)
{
    s->length = 0;
    add_machine(s, g);
    add_groups(s, g);
    for (int i = 0; i < g->task_count; i++)
        for (int64_t k = 0; k < g->task[i].count; k++) {
            const struct golden_task *t = &g->task[i];

            add(s, "pipe w_%s%" PRId64 "\n", t->name, k);
            if (t->sleep_us < 0)
                add(s, "pipe x_%s%" PRId64 " sync\n", t->name, k);
            add(s, "task %s%" PRId64, t->name, k);
            add_attributes(s, g, t, slept_on(start, t, k));
            add(s, ": read w_%s%" PRId64 " 1", t->name, k);
            add_steps(s, g, t, k);
        }
    add_waker(s, g, start);
    add(s, "until %" PRId64 "ms\n", WAKE_AT_MS + (int64_t)(g->seconds * 1000));
}

/* ---- measuring ---- */

struct times { /* durations in ns, by golden_task */
    int64_t *ns;
    size_t count, capacity;
};

struct tally { /* over all starts */
    struct golden *g;
    int owner[TASKS_MAX]; /* golden_task of a task id */
    int task_count;
    int64_t since_ns[TASKS_MAX], woken_ns[TASKS_MAX]; /* of the present start; -1: is not so */
    int64_t ran_ns[GOLDEN_TASKS_MAX], preempted[GOLDEN_TASKS_MAX], moved[GOLDEN_TASKS_MAX];
    struct times wake[GOLDEN_TASKS_MAX], slice[GOLDEN_TASKS_MAX];
    int64_t begin_ns;
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

static void leaves(struct tally *y, int32_t id, int64_t now_ns, enum trace_state state)
{
    int owner = y->owner[id];

    if (y->since_ns[id] < 0)
        return;
    if (now_ns > y->begin_ns) {
        int64_t ran_ns = now_ns - HL_MAX(y->since_ns[id], y->begin_ns);

        y->ran_ns[owner] += ran_ns;
        y->preempted[owner] += state == TRACE_RUNNABLE;
        keep(y, &y->slice[owner], ran_ns);
    }
    y->since_ns[id] = -1;
}

static void take_event(void *context, const struct trace_event *e)
{
    struct tally *y = context;

    switch (e->kind) {
    case TRACE_SWITCH:
        if (e->task >= 0 && e->task < y->task_count)
            leaves(y, e->task, e->at_ns, e->state);
        if (e->other < 0 || e->other >= y->task_count)
            return;
        y->since_ns[e->other] = e->at_ns;
        if (y->woken_ns[e->other] >= 0)
            keep(y, &y->wake[y->owner[e->other]], e->at_ns - y->woken_ns[e->other]);
        y->woken_ns[e->other] = -1;
        return;
    case TRACE_WAKE:
        if (e->task < y->task_count)
            y->woken_ns[e->task] = e->at_ns;
        return;
    case TRACE_MIGRATE:
        if (e->task < y->task_count && e->at_ns > y->begin_ns)
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

static void sum_up(struct tally *y, int starts)
{
    for (int i = 0; i < y->g->task_count; i++) {
        struct golden_task *t = &y->g->task[i];
        double total_s = (double)starts * (double)t->count * y->g->seconds;

        t->simulated = (struct golden_figures){
            .share = (double)y->ran_ns[i] / 1e9 / total_s,
            .preempt_per_s = (double)y->preempted[i] / total_s,
            .mig_per_s = (double)y->moved[i] / total_s,
            .wake_ms = {quantile_ms(&y->wake[i], 50), quantile_ms(&y->wake[i], 90)},
            .slice_ms = {quantile_ms(&y->slice[i], 50), quantile_ms(&y->slice[i], 90)},
        };
    }
}

static enum hl_status play_start(struct tally *y, struct script *s, int start, uint64_t seed,
                                 struct hl_error *err)
{
    struct golden *g = y->g;
    struct scenario scenario = {0};
    struct policy_spec policy;
    struct sim_result result;
    struct trace_sink sink = {.event = take_event, .context = y};
    enum hl_status status;

    write_scenario(s, g, g->start_count == 0 ? NULL : &g->start[start % g->start_count]);
    status = scenario_parse(&scenario, g->id, s->text, err);
    if (status == HL_OK)
        status = policy_spec_parse(&policy, scenario.policy, err);
    for (int i = 0; i < TASKS_MAX; i++)
        y->since_ns[i] = y->woken_ns[i] = -1;
    if (status == HL_OK)
        status = sim_run(&(struct sim_options){.machine = &scenario.machine,
                                               .policy = &policy,
                                               .workload = &scenario.workload,
                                               .seed = study_run_seed(seed, "golden", 0, start),
                                               .until_ns = scenario.until_ns,
                                               .sink = &sink},
                         &result, err);
    for (int i = 0; status == HL_OK && i < y->task_count; i++)
        if (y->since_ns[i] >= 0) { /* still running: time without a switch */
            y->ran_ns[y->owner[i]] += scenario.until_ns - HL_MAX(y->since_ns[i], y->begin_ns);
        }
    scenario_close(&scenario);
    return status == HL_OK ? y->status : status;
}

enum hl_status golden_play(struct golden *g, int starts, uint64_t seed, struct hl_error *err)
{
    struct tally *y = hl_alloc(1, sizeof(*y));
    struct script *s = hl_alloc(1, sizeof(*s));
    enum hl_status status = HL_OK;

    if (y == NULL || s == NULL) {
        status = hl_fail(err, HL_NO_MEMORY, "out of memory for record %s", g->id);
    } else {
        *y = (struct tally){.g = g, .begin_ns = WAKE_AT_MS * HL_NS_PER_MS, .err = err};
        for (int i = 0; i < g->task_count; i++)
            for (int64_t k = 0; k < g->task[i].count && y->task_count < TASKS_MAX; k++)
                y->owner[y->task_count++] = i;
        for (int start = 0; start < starts && status == HL_OK; start++)
            status = play_start(y, s, start, seed, err);
        if (status == HL_OK)
            sum_up(y, starts);
        for (int i = 0; i < GOLDEN_TASKS_MAX; i++) {
            hl_free(y->wake[i].ns);
            hl_free(y->slice[i].ns);
        }
    }
    hl_free(s);
    hl_free(y);
    return status;
}

/* ---- judging ---- */

static bool is_far(double real, double simulated, double tolerance)
{
    return !isnan(real) && !isnan(simulated) && fabs(real - simulated) > tolerance;
}

/*
 * Shares: 0.005 on one cpu, 0.02 on several, 0.1 for tasks pinned to some of several cpus. Medians of wakeup to
 * running: 0.2 ms, of tasks that sleep. Slices: one tick of 4 ms at both quantiles. Preemptions: 15 %, or 5
 * a second, since kernel threads preempt lone hogs up to that often and are not simulated. Migrations: a
 * factor of 2.5, or 0.5 a second, except pinned ones. Records in real time: hogs' shares and slices only.
 */
void golden_judge(struct golden *g)
{
    bool one = cpu_count(g) == 1;

    g->inside = true;
    for (int i = 0; i < g->task_count; i++) {
        struct golden_task *t = &g->task[i];
        const struct golden_figures *real = &t->real, *sim = &t->simulated;
        bool is_pinned = t->cpus != 0 && (t->cpus & (t->cpus - 1)) != 0;
        double more = fmax(real->mig_per_s, sim->mig_per_s);
        double less = fmin(real->mig_per_s, sim->mig_per_s);

        t->share_tolerance = one ? 0.005 : is_pinned ? 0.1 : 0.02;
        if (!g->is_virtual_time && !is_hog(t))
            continue;
        if (is_far(real->share, sim->share, t->share_tolerance))
            t->faults |= GOLDEN_SHARE;
        for (int q = 0; q < GOLDEN_QUANTILES; q++)
            if (is_far(real->slice_ms[q], sim->slice_ms[q], 4))
                t->faults |= GOLDEN_SLICE;
        if (g->is_virtual_time) {
            if (is_far(real->preempt_per_s, sim->preempt_per_s,
                       fmax(0.15 * real->preempt_per_s, 5)))
                t->faults |= GOLDEN_PREEMPT;
            if (!is_pinned && more > 2.5 * less && more - less > 0.5)
                t->faults |= GOLDEN_MIGRATE;
            if (!is_hog(t) && is_far(real->wake_ms[GOLDEN_P50], sim->wake_ms[GOLDEN_P50], 0.2))
                t->faults |= GOLDEN_WAKE;
        }
        g->inside = g->inside && t->faults == 0;
    }
}
