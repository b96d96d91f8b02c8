/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measured_build_test.c - builds made of counted processes: do the figures of a real build of
 * linux-source-6.1 (tinyconfig, gcc 12, make -j4) come back from what is made of them?
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "policy/policy.h"
#include "sim/sim.h"
#include "workload/workload.h"

/* Two cpus without the machine room's help, on which fork, exec and exit cost nothing. */
static int32_t package_first[] = {0, 2}, package_cpu[] = {0, 1};
static const struct machine free_machine = {
    .package_count = 1, .cpu_count = 2, .package_first = package_first, .package_cpu = package_cpu};

/* ---- what a build consists of ---- */

enum { NAMES_MAX = 32, PROCESSES_OF_NAME = 8000 };

struct census_name {
    const char *name;
    int64_t cpu_ns[PROCESSES_OF_NAME]; /* ascending, once sorted */
    int64_t count, sum_ns;
};

struct census {
    const struct workload *w;
    const struct machine *machine;
    struct census_name names[NAMES_MAX];
    int name_count;
    int64_t processes, cpu_ns;
};

static void add_process(struct census *census, const char *name, int64_t cpu_ns)
{
    struct census_name *n = census->names;

    while (n < census->names + census->name_count && strcmp(n->name, name) != 0)
        n++;
    assert_true(n < census->names + NAMES_MAX);
    if (n == census->names + census->name_count) {
        n->name = name;
        census->name_count++;
    }
    assert_true(n->count < PROCESSES_OF_NAME);
    n->cpu_ns[n->count++] = cpu_ns;
    n->sum_ns += cpu_ns;
    census->processes++;
    census->cpu_ns += cpu_ns;
}

/* Plays a process without time, and those it forks; what the machine charges counts. */
static void count_process(struct census *census, int32_t program)
{
    const struct program *p = &census->w->programs[program];
    const struct program_step *steps = &census->w->steps[p->first];
    const int64_t *cost = census->machine->constant;
    const char *name = census->w->names[p->name];
    int64_t cpu_ns = cost[MACHINE_exit_cost_ns], met = 0;
    uint32_t i = 0;

    while (steps[i].op != OP_EXIT) {
        const struct program_step *step = &steps[i++];

        switch (step->op) {
        case OP_RUN:
        case OP_SYSTEM: cpu_ns += step->amount; break;
        case OP_VFORK:
            cpu_ns += cost[MACHINE_vfork_cost_ns] + step->amount;
            count_process(census, step->target);
            break;
        case OP_EXEC:
            cpu_ns += cost[MACHINE_exec_cost_ns];
            name = census->w->names[step->target];
            break;
        case OP_LOOP:
            if (++met < step->amount)
                i = (uint32_t)step->target;
            else
                met = 0;
            break;
        default: break;
        }
    }
    add_process(census, name, cpu_ns);
}

static int compare_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static struct census *take_census(const struct workload *w, const struct machine *machine)
{
    struct census *census = calloc(1, sizeof(*census));

    assert_non_null(census);
    census->w = w;
    census->machine = machine;
    count_process(census, w->tasks[0].program);
    for (int i = 0; i < census->name_count; i++)
        qsort(census->names[i].cpu_ns, (size_t)census->names[i].count, sizeof(int64_t),
              compare_times);
    return census;
}

static const struct census_name *named(const struct census *census, const char *name)
{
    for (int i = 0; i < census->name_count; i++)
        if (strcmp(census->names[i].name, name) == 0)
            return &census->names[i];
    fail_msg("no process named %s", name);
    return NULL;
}

static void open_tinyconfig(struct profile *profile)
{
    struct hl_error err;

    if (profile_open(profile, "kernel-tinyconfig", &err) != HL_OK)
        fail_msg("%s", err.text);
}

static void build(struct workload *w, const struct profile *profile, const struct machine *machine,
                  int64_t level, uint64_t seed)
{
    const struct workload_request request = {
        .machine = machine, .profile = profile, .level = level, .seed = seed};
    struct hl_error err;

    if (workload_kernbench(w, &request, &err) != HL_OK || workload_check(w, "build", &err) != HL_OK)
        fail_msg("%s", err.text);
}

/* ---- the figures ---- */

struct figure {
    const char *name;
    double place, ms;
};

static const struct figure figures[] = {
    {"cc1", 0.05, 5.7},   {"cc1", 0.25, 11.4}, {"cc1", 0.5, 195},    {"cc1", 0.75, 308},
    {"cc1", 0.9, 430},    {"cc1", 0.95, 554},  {"cc1", 0.99, 994},   {"cc1", 1, 1980},
    {"sh", 0.5, 0.86},    {"gcc", 0.5, 2.35},  {"as", 0.5, 2.7},     {"as", 0.95, 4.4},
    {"fixdep", 0.5, 4.3}, {"make", 0.5, 2.8},  {"make", 0.95, 10.8}, {"make", 1, 105},
};

/* Few processes have no place at exactly p99, so a figure lies between those of its neighbours; and
 * what cc1 takes is scaled to the build's total: 3 %. */
static void check_figures(const struct census *census)
{
    for (int i = 0; i < HL_COUNT_OF(figures); i++) {
        const struct figure *f = &figures[i];
        const struct census_name *n = named(census, f->name);
        int64_t rank = (int64_t)(f->place * (double)n->count + 0.999999);
        double low_ms = (double)n->cpu_ns[HL_MAX(1, rank - 1) - 1] / 1e6;
        double high_ms = (double)n->cpu_ns[HL_MIN(n->count, rank + 1) - 1] / 1e6;

        if (low_ms > f->ms * 1.03 || high_ms < f->ms * 0.97)
            fail_msg("%s p%g: %g to %g ms; expected %g", f->name, 100 * f->place, low_ms, high_ms,
                     f->ms);
    }
}

static void check_counts(const struct census *census)
{
    static const struct {
        const char *name;
        int64_t count;
    } counts[] = {{"cc1", 578}, {"sh", 4736},    {"gcc", 604}, {"as", 562},  {"rm", 933},
                  {"ld", 22},   {"fixdep", 457}, {"nm", 449},  {"make", 341}};

    assert_int_equal(census->processes, 11321);
    for (int i = 0; i < HL_COUNT_OF(counts); i++)
        assert_int_equal(named(census, counts[i].name)->count, counts[i].count);
}

static void the_figures_of_the_real_build_come_back(void **state)
{
    static const int64_t levels[] = {0, 1, 2, 4, 64};
    struct profile profile;

    (void)state;
    open_tinyconfig(&profile);
    for (int l = 0; l < HL_COUNT_OF(levels); l++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            struct workload w;
            struct census *census;
            double cc1_share, nm_share;

            build(&w, &profile, &free_machine, levels[l], seed);
            census = take_census(&w, &free_machine);
            check_counts(census);
            check_figures(census);
            assert_int_equal(census->cpu_ns, profile.constant[PROFILE_work_ns]);
            cc1_share = (double)named(census, "cc1")->sum_ns / (double)census->cpu_ns;
            nm_share = (double)named(census, "nm")->sum_ns / (double)census->cpu_ns;
            assert_true(cc1_share > 0.835 && cc1_share < 0.845);
            assert_true(nm_share > 0.055 && nm_share < 0.065);
            free(census);
            workload_close(&w);
        }
    profile_close(&profile);
}

/* Measured times have fork, exec and exit in them, so that a machine's costs do not add to them. */
static void costs_of_the_machine_do_not_count_twice(void **state)
{
    struct profile profile;
    struct machine machine;
    struct hl_error err;
    struct workload w;
    struct census *census;

    (void)state;
    open_tinyconfig(&profile);
    assert_int_equal(machine_open(&machine, "smp:2", &err), HL_OK);
    build(&w, &profile, &machine, 4, 1);
    census = take_census(&w, &machine);
    check_counts(census);
    check_figures(census);
    assert_int_equal(census->cpu_ns, profile.constant[PROFILE_work_ns]);
    free(census);
    workload_close(&w);
    machine_close(&machine);
    profile_close(&profile);
}

static void pipes_and_disks_keep_the_work(void **state)
{
    struct profile profile;

    (void)state;
    open_tinyconfig(&profile);
    profile.constant[PROFILE_disk_reads] = 3 * HL_PPM / 2;
    for (int64_t pipe = 0; pipe < 2; pipe++) {
        struct workload w;
        struct census *census;

        profile.constant[PROFILE_pipe] = pipe;
        build(&w, &profile, &free_machine, 4, 1);
        assert_int_equal(w.pipe_count, pipe * 562);
        census = take_census(&w, &free_machine);
        check_counts(census);
        assert_int_equal(census->cpu_ns, profile.constant[PROFILE_work_ns]);
        free(census);
        workload_close(&w);
    }
    profile_close(&profile);
}

static void one_seed_is_one_build_and_another_one_another(void **state)
{
    struct profile profile;
    struct workload a, b, c;

    (void)state;
    open_tinyconfig(&profile);
    build(&a, &profile, &free_machine, 4, 1);
    build(&b, &profile, &free_machine, 4, 1);
    build(&c, &profile, &free_machine, 4, 2);
    assert_int_equal(a.step_count, b.step_count);
    assert_memory_equal(a.steps, b.steps, a.step_count * sizeof(*a.steps));
    assert_true(a.step_count != c.step_count ||
                memcmp(a.steps, c.steps, a.step_count * sizeof(*a.steps)) != 0);
    workload_close(&a);
    workload_close(&b);
    workload_close(&c);
    profile_close(&profile);
}

/* ---- played ---- */

struct levels {
    int64_t at_ns, single_ns; /* single: at most one runnable */
    int32_t runnable;
};

static void follow(void *context, const struct trace_event *event)
{
    struct levels *l = context;

    if (l->runnable <= 1)
        l->single_ns += event->at_ns - l->at_ns;
    l->at_ns = event->at_ns;
    if (event->kind == TRACE_WAKE || event->kind == TRACE_FORK)
        l->runnable++;
    else if (event->kind == TRACE_SWITCH && event->task != TRACE_IDLE &&
             event->state != TRACE_RUNNABLE)
        l->runnable--;
}

/* Part of elapsed time in which at most one task can run. */
static double serial_share(const char *machine_text, int64_t level)
{
    struct machine machine;
    struct policy_spec policy;
    struct profile profile;
    struct workload w;
    struct levels levels = {0};
    const struct trace_sink sink = {.event = follow, .context = &levels};
    struct sim_options options = {
        .machine = &machine, .policy = &policy, .workload = &w, .seed = 1, .sink = &sink};
    struct sim_result result;
    struct hl_error err;

    open_tinyconfig(&profile);
    profile.constant[PROFILE_daemons] = profile.constant[PROFILE_kernel_threads] = 0;
    assert_int_equal(machine_open(&machine, machine_text, &err), HL_OK);
    assert_int_equal(policy_spec_parse(&policy, "ideal", &err), HL_OK);
    build(&w, &profile, &machine, level, 1);
    if (sim_run(&options, &result, &err) != HL_OK)
        fail_msg("%s", err.text);
    workload_close(&w);
    machine_close(&machine);
    profile_close(&profile);
    return (double)levels.single_ns / (double)result.elapsed_ns;
}

/* At most one process could run 4.8 % of the time of make -j4. By the cpu time of that recording
 * it had two cpus; four take half as long, and the serial parts stay. */
static void serial_parts_take_their_share_of_elapsed_time(void **state)
{
    double two = serial_share("smp:2", 4), four = serial_share("smp:4", 4);

    (void)state;
    if (two < 0.043 || two > 0.053)
        fail_msg("%g of two cpus' time", two);
    if (four < 0.08 || four > 0.11)
        fail_msg("%g of four cpus' time", four);
}

/* ---- tables ---- */

static void quantiles_are_straight_between_knots_and_level_outside(void **state)
{
    const struct process_quantiles table = {
        .count = 3, .place_ppm = {100000, 500000, 1000000}, .value = {10, 50, 150}};

    (void)state;
    assert_int_equal(process_quantile(&table, 0, 100), 10);  /* 0.01 */
    assert_int_equal(process_quantile(&table, 9, 100), 10);  /* 0.1 */
    assert_int_equal(process_quantile(&table, 29, 100), 30); /* 0.3 */
    assert_int_equal(process_quantile(&table, 0, 2), 50);    /* 0.5 */
    assert_int_equal(process_quantile(&table, 3, 4), 150);   /* 1 */
    assert_int_equal(process_quantile(&table, 2, 4), 100);   /* 0.75 */
}

#define KIND(count, more)                                                                          \
    "{\"count\": " count ", \"quantiles\": [[0.5, 2]], \"unit\": \"ms\", \"source\": "             \
    "\"assumed\"" more "}"
#define ROLES                                                                                      \
    "\"make\": " KIND("3", "") ", \"sh\": " KIND("4", "") ", \"gcc\": " KIND(                      \
        "4", "") ", \"as\": " KIND("4", "")
#define PROFILE(constants, processes)                                                              \
    "{\"about\": \"x\", \"constants\": {" constants "}, " processes "}"
#define SMALL                                                                                      \
    "\"units\": {\"value\": 4, \"unit\": \"count\", \"source\": \"measured: x\"}, "                \
    "\"directories\": {\"value\": 2, \"unit\": \"count\", \"source\": \"measured: x\"}, "          \
    "\"work_ns\": {\"value\": 1, \"unit\": \"s\", \"source\": \"measured: x\"}"

static void damaged_tables_are_refused_with_their_place(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {PROFILE(SMALL, "\"processes\": []"), "/processes: "},
        {PROFILE(SMALL, "\"processes\": {" ROLES "}"), "/processes: has no cc1"},
        {PROFILE(SMALL, "\"processes\": {\"cc1\": {\"count\": 0}}"), "/processes/cc1"},
        {PROFILE(SMALL, "\"processes\": {\"cc1\": {\"size\": 0}}"), "size"},
        {PROFILE(SMALL, "\"processes\": {\"cc1\": " KIND("4", ", \"forked_by\": \"sh\"") "}"),
         "/processes/cc1/forked_by: unknown forker \"sh\""},
        {PROFILE(SMALL, "\"processes\": {\"cc1\": {\"count\": 1, \"quantiles\": [], \"unit\": "
                        "\"ms\", \"source\": \"assumed\"}}"),
         "/processes/cc1/quantiles: has 0 items"},
        {PROFILE(SMALL, "\"processes\": {\"cc1\": {\"count\": 1, \"quantiles\": [[0.5]], \"unit\": "
                        "\"ms\", \"source\": \"assumed\"}}"),
         "/processes/cc1/quantiles/0: has 1 items"},
        {PROFILE(SMALL, "\"processes\": {\"cc1\": {\"count\": 1, \"quantiles\": [[0.5, 2], [0.5, "
                        "3]], \"unit\": \"ms\", \"source\": \"assumed\"}}"),
         "/processes/cc1/quantiles/1/0: is not above"},
        {PROFILE(SMALL, "\"processes\": {\"cc1\": {\"count\": 1, \"quantiles\": [[0.5, 2], [0.6, "
                        "1]], \"unit\": \"ms\", \"source\": \"assumed\"}}"),
         "/processes/cc1/quantiles/1/1: is below"},
        {PROFILE(SMALL, "\"processes\": {\"cc1\": {\"count\": 1, \"quantiles\": [[1.5, 2]], "
                        "\"unit\": \"ms\", \"source\": \"assumed\"}}"),
         "/processes/cc1/quantiles/0/0"},
        {PROFILE(SMALL, "\"processes\": {\"cc1\": {\"count\": 1, \"quantiles\": [[0.5, 2]], "
                        "\"unit\": \"count\", \"source\": \"assumed\"}}"),
         "unknown unit \"count\""},
        {PROFILE(SMALL, "\"processes\": {\"cc1\": {\"count\": 1, \"quantiles\": [[0.5, 2]], "
                        "\"unit\": \"ms\", \"source\": \"measured:\"}}"),
         "unknown source \"measured:\""},
        {PROFILE(SMALL, "\"directory_units\": {\"quantiles\": [[0.5, 2]], \"unit\": \"count\", "
                        "\"source\": \"assumed\"}"),
         "/directory_units: stands without processes"},
        {"{\"about\": \"x\", \"kind\": \"rsa\", \"constants\": {}, \"processes\": {}}",
         "/processes: stands in a profile of kind rsa"},
    };

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(cases); i++) {
        struct profile profile;
        struct hl_error err = {0};

        assert_int_equal(
            profile_parse(&profile, "p.json", cases[i].text, strlen(cases[i].text), &err),
            HL_BAD_INPUT);
        if (strstr(err.text, cases[i].message) == NULL || strchr(err.text, '\n') != NULL)
            fail_msg("\"%s\"; expected \"%s\"", err.text, cases[i].message);
        profile_close(&profile);
    }
}

static void tables_that_make_no_build_are_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {PROFILE(SMALL, "\"processes\": {" ROLES ", \"cc1\": " KIND("5", "") "}"),
         "/processes/cc1/count: is 5; expected 4"},
        {PROFILE(
             SMALL,
             "\"processes\": {\"make\": " KIND("2", "") ", \"sh\": " KIND(
                 "4", "") ", \"gcc\": " KIND("4", "") ", \"as\": " KIND("4", "") ", "
                                                                                 "\"cc1\": " KIND(
                                                                                     "4", "") "}"),
         "/processes/make/count: is 2; expected at least 3"},
        {PROFILE(SMALL, "\"processes\": {" ROLES
                        ", \"cc1\": " KIND("4", "") ", \"rm\": " KIND("1000", "") "}"),
         "/processes: all but cc1 take 20"},
    };

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(cases); i++) {
        struct profile profile;
        struct workload w;
        struct hl_error err = {0};
        const struct workload_request request = {
            .machine = &free_machine, .profile = &profile, .level = 2, .seed = 1};

        if (profile_parse(&profile, "p.json", cases[i].text, strlen(cases[i].text), &err) != HL_OK)
            fail_msg("%s", err.text);
        assert_int_equal(workload_kernbench(&w, &request, &err), HL_BAD_INPUT);
        if (strstr(err.text, cases[i].message) == NULL)
            fail_msg("\"%s\"; expected \"%s\"", err.text, cases[i].message);
        profile_close(&profile);
    }
}

static void running_out_of_memory_is_told(void **state)
{
    static const char text[] =
        PROFILE(SMALL, "\"processes\": {" ROLES ", \"cc1\": " KIND("4", "") ", \"rm\": " KIND(
                           "7", "") "}, \"directory_units\": {\"quantiles\": [[0.5, 2]], "
                                    "\"unit\": \"count\", \"source\": \"assumed\"}");
    bool is_through = false;

    (void)state;
    for (uint64_t n = 1; !is_through; n++) {
        struct profile profile;
        struct workload w = {0};
        struct hl_error err;
        const struct workload_request request = {
            .machine = &free_machine, .profile = &profile, .level = 2, .seed = 1};
        enum hl_status status;

        assert_true(n < 1000);
        hl_alloc_fail_at(n);
        status = profile_parse(&profile, "p.json", text, strlen(text), &err);
        if (status == HL_OK)
            status = workload_kernbench(&w, &request, &err);
        is_through = status == HL_OK;
        hl_alloc_fail_at(0);
        assert_true(status == HL_OK || status == HL_NO_MEMORY);
        workload_close(&w);
        profile_close(&profile);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_figures_of_the_real_build_come_back),
        cmocka_unit_test(costs_of_the_machine_do_not_count_twice),
        cmocka_unit_test(pipes_and_disks_keep_the_work),
        cmocka_unit_test(one_seed_is_one_build_and_another_one_another),
        cmocka_unit_test(serial_parts_take_their_share_of_elapsed_time),
        cmocka_unit_test(quantiles_are_straight_between_knots_and_level_outside),
        cmocka_unit_test(damaged_tables_are_refused_with_their_place),
        cmocka_unit_test(tables_that_make_no_build_are_refused),
        cmocka_unit_test(running_out_of_memory_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
