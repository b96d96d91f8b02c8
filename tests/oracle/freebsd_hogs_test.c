/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * freebsd_hogs_test.c - matrix inversion and signing under FreeBSD's schedulers: closed forms, published totals, and
 * the event-level model of spec freebsd 7.1.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "study/study.h"

struct scene {
    struct machine machine;
    struct profile profile;
    struct workload_options options;
    const struct workload_info *info;
};

static void scene_open(struct scene *s, const char *workload, const char *machine)
{
    struct hl_error err;
    int rate;

    assert_int_equal(workload_parse(workload, &s->info, &s->options, &err), HL_OK);
    assert_int_equal(machine_open(&s->machine, machine, &err), HL_OK);
    assert_int_equal(profile_open_for(&s->profile, s->info->name, NULL, &err), HL_OK);
    assert_int_equal(study_rate_metric(s->info, &rate, &err), HL_OK);
}

static void scene_close(struct scene *s)
{
    profile_close(&s->profile);
    machine_close(&s->machine);
}

static void play(const struct scene *s, const char *policy, int64_t level, struct run *run)
{
    struct policy_spec spec;
    struct workload_load load = {.label = "level", .level = level};
    struct study_job job = {.workload = s->info,
                            .options = &s->options,
                            .machine = &s->machine,
                            .profile = &s->profile,
                            .policy = &spec,
                            .load = &load,
                            .level = level,
                            .base_seed = 1};
    struct hl_error err;

    assert_int_equal(policy_spec_parse(&spec, policy, &err), HL_OK);
    if (study_simulate(&job, run, &err) != HL_OK)
        fail_msg("%s", err.text);
    run_close(run); /* of parts: only figures of whole runs are looked at here */
}

static double metric(const struct run *run, const char *name)
{
    return run->metric[run_metric_find(name)];
}

static void assert_within(double value, double expected, double part)
{
    if (!(fabs(value - expected) <= part * expected))
        fail_msg("found %.4f, expected %.4f within %.4f", value, expected, part * expected);
}

static double elapsed(const struct scene *s, const char *policy, struct run *run)
{
    play(s, policy, 2, run);
    return run->metric[RUN_elapsed_s];
}

static const char bsd[] = "4bsd:version=5.4", ule_a[] = "ule:version=5.4",
                  ule_b[] = "ule:version=5.4:text=b";

/* 358 s alone, 4470 cpu s of the timed part and 4229 of the rest (spec freebsd 7.1), both on two cpus, or the
 * rest on one. */
static void totals_are_those_of_the_decomposition(void **state)
{
    static const double serial_s = 358, timed_s = 4470, rest_s = 4229;
    struct scene s;
    struct run run;

    (void)state;
    scene_open(&s, "matinv", "opteron-2");
    assert_within(elapsed(&s, bsd, &run), serial_s + timed_s / 2 + rest_s / 2, 0.001);
    assert_within(elapsed(&s, ule_a, &run), serial_s + timed_s / 2 + rest_s, 0.001);
    scene_close(&s);
    scene_open(&s, "matinv:residual=n", "opteron-2");
    assert_within(elapsed(&s, bsd, &run), serial_s + timed_s / 2, 0.001);
    assert_within(elapsed(&s, ule_a, &run), serial_s + timed_s / 2, 0.001);
    scene_close(&s);
    /* 9.5 % of the parallel work on one cpu: one section in ten or eleven, of whatever order. */
    scene_open(&s, "matinv:residual=n:merged=0.095", "opteron-2");
    assert_within(elapsed(&s, ule_a, &run), serial_s + timed_s / 2 * 1.095, 0.005);
    scene_close(&s);
}

static void ule_takes_half_as_long_again(void **state)
{
    struct scene s;
    struct run of_bsd, of_ule;
    double bsd_s, ratio;

    (void)state;
    scene_open(&s, "matinv", "opteron-2");
    bsd_s = elapsed(&s, bsd, &of_bsd);
    assert_within(bsd_s, 4707.78, 0.03);
    ratio = elapsed(&s, ule_a, &of_ule) / bsd_s;
    assert_true(ratio > 1.40 && ratio < 1.55);
    assert_within(ratio, 1.449, 0.002);
    assert_within(of_ule.metric[RUN_user_s], of_bsd.metric[RUN_user_s], 0.001);
    /* Of two cpus: (user + system) / elapsed. */
    assert_within(of_bsd.metric[RUN_percent_cpu] / 100, 1.924, 0.002);
    assert_within(of_ule.metric[RUN_percent_cpu] / 100, 1.924 / 1.449, 0.002);
    /* The cpu that idles is the one beside the waiting task: all but the serial parts. */
    assert_within(of_ule.metric[RUN_wasted_cpu_s], 4229, 0.001);
    assert_true(of_bsd.metric[RUN_wasted_cpu_s] < 0.1);
    scene_close(&s);

    scene_open(&s, "matinv:merged=0.095", "opteron-2");
    ratio = elapsed(&s, ule_a, &of_ule) / elapsed(&s, bsd, &of_bsd);
    assert_within(ratio, 1.494, 0.003);
    scene_close(&s);
}

/* The rest in so many equal sections for each order: the balancer of text b ends each merged one within two seconds. */
static void a_working_balancer_helps_long_sections(void **state)
{
    static const struct {
        int64_t sections;
        double ratio;
    } cases[] = {{1, 1.001}, {10, 1.009}, {100, 1.099}, {1000, 1.407}};
    struct scene s;
    struct run run;

    (void)state;
    scene_open(&s, "matinv", "opteron-2");
    for (int i = 0; i < HL_COUNT_OF(cases); i++) {
        double ratio;

        s.profile.constant[MATINV_residual_sections] = cases[i].sections;
        ratio = elapsed(&s, ule_b, &run) / elapsed(&s, bsd, &run);
        assert_within(ratio, cases[i].ratio, 0.02);
    }
    scene_close(&s);
}

static void mflops_are_operations_by_time(void **state)
{
    struct scene s;
    struct run run;
    double elapsed_s, mflops;

    (void)state;
    scene_open(&s, "matinv:orders=8000:residual=n", "opteron-2");
    elapsed_s = elapsed(&s, bsd, &run);
    mflops = metric(&run, "mflops");
    /* Elapsed time holds the end of the process too. */
    assert_within(mflops, 2e-6 * 8000.0 * 8000 * 8000 / elapsed_s, 1e-6);
    assert_within(mflops, 4411.27, 0.01); /* published */
    scene_close(&s);
    /* Generation and check of the matrix are no part of it. */
    scene_open(&s, "matinv:orders=8000", "opteron-2");
    assert_true(elapsed(&s, bsd, &run) > 1.05 * elapsed_s);
    assert_within(metric(&run, "mflops"), mflops, 1e-4);
    scene_close(&s);
}

/* One hog for each cpu at most: nothing tells the schedulers apart. */
static void signing_is_the_same_for_both(void **state)
{
    static const double published[] = {1495.7, 2244.8, 2990.1}; /* 4bsd of 7.0 */
    struct scene s;
    struct run run;

    (void)state;
    scene_open(&s, "rsa:usertime=y", "xeon-e5345");
    for (int i = 0; i < HL_COUNT_OF(published); i++) {
        double rate;

        play(&s, "4bsd:version=7.0", 4 + 2 * i, &run);
        rate = metric(&run, "signs_per_s");
        assert_within(rate, published[i], 0.002);
        play(&s, "ule:version=7.0", 4 + 2 * i, &run);
        assert_within(metric(&run, "signs_per_s"), rate, 0.01);
    }
    scene_close(&s);
}

/* Two for each cpu wait half the time: by elapsed time they sign no faster than one for each. */
static void waiting_lowers_the_rate_by_elapsed_time(void **state)
{
    struct scene s;
    struct run run;
    double alone;

    (void)state;
    scene_open(&s, "rsa", "xeon-e5345");
    play(&s, "4bsd:version=7.0", 8, &run);
    alone = metric(&run, "signs_per_s");
    play(&s, "4bsd:version=7.0", 16, &run);
    assert_within(metric(&run, "signs_per_s"), alone, 0.02);
    /* Who shares a cpu at first signs less, but nobody is measured by the last one's end. */
    play(&s, "ule:version=7.0", 8, &run);
    assert_within(metric(&run, "signs_per_s"), alone, 0.04);
    play(&s, "ule:version=7.0", 12, &run);
    assert_within(metric(&run, "signs_per_s"), alone, 0.04);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(totals_are_those_of_the_decomposition),
        cmocka_unit_test(ule_takes_half_as_long_again),
        cmocka_unit_test(a_working_balancer_helps_long_sections),
        cmocka_unit_test(mflops_are_operations_by_time),
        cmocka_unit_test(signing_is_the_same_for_both),
        cmocka_unit_test(waiting_lowers_the_rate_by_elapsed_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
