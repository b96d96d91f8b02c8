/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine_state_test.c - what the machine did during a run, on system trees written by hand.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/units.h"
#include "host/machine_state.h"
#include "system_tree.h"

static const char group_v2[] = "0::/box/job\n";
static const char mounts_v2[] =
    "35 24 0:29 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";
static const char group_v1[] = "4:cpu,cpuacct:/box\n";
static const char mounts_v1[] =
    "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu,cpuacct\n";

static struct host_machine_state before, after;
static struct host_facts facts;

/* Two cpus of a hundred ticks a second, both allowed. */
static void write_machine(const char *stat)
{
    system_tree_write("/sys/devices/system/cpu/online", "0-1\n");
    system_tree_write("/proc/self/status", "Cpus_allowed_list:\t0-1\n");
    system_tree_write("/proc/stat", stat);
}

static void see_before(void)
{
    host_machine_state_read(&before);
}

/* A second later, by the clock that the test sets. */
static void see_after(int64_t cpu_ns, const struct machine_cpu_set *cpus)
{
    const struct host_machine_use use = {.cpu_ns = cpu_ns, .cpus = cpus};

    host_machine_state_read(&after);
    after.at_ns = before.at_ns + HL_NS_PER_S;
    facts = (struct host_facts){0};
    (void)host_machine_state_compare(&before, &after, &use, &facts);
    host_machine_state_close(&before);
    host_machine_state_close(&after);
}

static int find(enum run_metric metric)
{
    for (int i = 0; i < facts.count; i++)
        if (facts.fact[i].metric == metric)
            return i;
    fail_msg("nothing is said about metric %s", run_metric_table[metric].name);
    return -1;
}

static void has_value(enum run_metric metric, double value)
{
    double found = facts.fact[find(metric)].value;

    if (!(fabs(found - value) < 1e-9))
        fail_msg("%s is %.9g, not %.9g", run_metric_table[metric].name, found, value);
}

/* Null, with a reason that has `word`. */
static void has_reason(enum run_metric metric, const char *word)
{
    int i = find(metric);

    assert_true(isnan(facts.fact[i].value));
    assert_non_null(facts.fact[i].reason);
    if (strstr(facts.fact[i].reason, word) == NULL)
        fail_msg("%s: the reason is: %s", run_metric_table[metric].name, facts.fact[i].reason);
}

static void idle_stolen_and_competing_time_are_those_of_the_allowed_cpus(void **state)
{
    (void)state;
    write_machine("cpu  9 9 9 9 9 9 9 9 0 0\n"
                  "cpu0 100 0 50 1000 10 0 0 5 0 0\n"
                  "cpu1 200 0 50 2000 20 0 0 6 0 0\n"
                  "cpu2 0 0 0 0 0 0 0 0 0 0\n"
                  "intr 77 1 2\n");
    see_before();
    /* cpu0: 30 idle, 10 for the disk, 5 stolen; cpu1: 80 idle. cpu2 is not ours. */
    system_tree_write("/proc/stat", "cpu  9 9 9 9 9 9 9 9 0 0\n"
                                    "cpu0 140 0 65 1030 20 0 0 10 0 0\n"
                                    "cpu1 215 0 55 2080 20 0 0 6 0 0\n"
                                    "cpu2 0 0 0 100 0 0 0 0 0 0\n");
    see_after(400 * HL_NS_PER_MS, NULL);
    has_value(RUN_idle_cpu_s, 1.2);
    has_value(RUN_idle_least_s, 0.4);
    has_value(RUN_idle_most_s, 0.8);
    has_value(RUN_steal_cpu_s, 0.05);
    has_value(RUN_competing_cpu_s, 2.0 - 1.2 - 0.05 - 0.4);
    assert_string_equal(facts.note, "");
}

static void a_run_on_fewer_cpus_has_the_times_of_those(void **state)
{
    struct machine_cpu_set first = {.word = {1}};

    (void)state;
    write_machine("cpu0 0 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0 0 0\n");
    see_before();
    system_tree_write("/proc/stat", "cpu0 99 0 0 1 0 0 0 0 0 0\ncpu1 0 0 0 100 0 0 0 0 0 0\n");
    see_after(980 * HL_NS_PER_MS, &first);
    has_value(RUN_idle_cpu_s, 0.01);
    /* 10 ms are within a tick. */
    has_value(RUN_competing_cpu_s, 0.0);
}

static void idle_time_that_steps_back_is_none(void **state)
{
    (void)state;
    write_machine("cpu0 0 0 0 50 0 0 0 0 0 0\ncpu1 0 0 0 50 0 0 0 0 0 0\n");
    see_before();
    system_tree_write("/proc/stat", "cpu0 90 0 0 49 0 0 0 0 0 0\ncpu1 90 0 0 50 0 0 0 0 0 0\n");
    see_after(2 * HL_NS_PER_S, NULL);
    has_value(RUN_idle_cpu_s, 0.0);
    has_value(RUN_competing_cpu_s, 0.0);
}

static void damaged_ticks_are_null_with_the_reason(void **state)
{
    static const char *const damaged[] = {
        "",
        "cpu  1 2 3 4 5 6 7 8 9 10\n",
        "cpu  1 2 3 4\ncpu0 1 2 3\n",
        "cpu0 1 2 3 4 5 6 7 x\n",
        "cpu0 1 2 3 -4 5 6 7 8\n",
        "cpu0 1 2 3 99999999999999999999 5 6 7 8\n",
        "cpu99999 1 2 3 4 5 6 7 8\n",
        "cpuX 1 2 3 4 5 6 7 8\n",
        "intr 1\ncpu0 1 2 3 4 5 6 7 8\n",
    };

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(damaged); i++) {
        write_machine(damaged[i]);
        see_before();
        see_after(0, NULL);
        has_reason(RUN_idle_cpu_s, "no sound lines");
        has_reason(RUN_competing_cpu_s, "no sound lines");
        has_reason(RUN_steal_cpu_s, "no sound lines");
    }
    system_tree_remove("/proc/stat");
    see_before();
    see_after(0, NULL);
    has_reason(RUN_idle_most_s, "cannot be read");
}

static void a_run_shorter_than_a_tick_has_no_idle_time(void **state)
{
    (void)state;
    write_machine("cpu0 1 2 3 4 5 6 7 8\ncpu1 1 2 3 4 5 6 7 8\n");
    see_before();
    see_after(0, NULL);
    has_reason(RUN_idle_cpu_s, "take a longer one");
}

static void a_kernel_without_steal_time_says_so(void **state)
{
    (void)state;
    write_machine("cpu0 1 2 3 4\ncpu1 1 2 3 4\n");
    see_before();
    system_tree_write("/proc/stat", "cpu0 1 2 3 104\ncpu1 1 2 3 104\n");
    see_after(0, NULL);
    has_value(RUN_idle_cpu_s, 2.0);
    has_reason(RUN_steal_cpu_s, "no steal time");
}

static void pressure_is_the_machines_else_our_groups(void **state)
{
    (void)state;
    write_machine("");
    see_before();
    see_after(0, NULL);
    has_reason(RUN_pressure_cpu_some_s, "psi=1");

    system_tree_write("/proc/self/cgroup", group_v2);
    system_tree_write("/proc/self/mountinfo", mounts_v2);
    system_tree_write("/sys/fs/cgroup/box/job/cpu.pressure",
                      "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000\nfull avg10=0 total=7\n");
    system_tree_write("/sys/fs/cgroup/box/cpu.pressure", "some avg10=0.00 total=99\n");
    see_before();
    system_tree_write("/sys/fs/cgroup/box/job/cpu.pressure", "some avg10=0.00 total=251000\n");
    see_after(0, NULL);
    has_value(RUN_pressure_cpu_some_s, 0.25);
    assert_non_null(
        strstr(facts.fact[find(RUN_pressure_cpu_some_s)].reason, "of our control group"));

    system_tree_write("/proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n");
    see_before();
    system_tree_write("/proc/pressure/cpu",
                      "some avg10=0.00 avg60=0.00 avg300=0.00 total=500005\n");
    see_after(0, NULL);
    has_value(RUN_pressure_cpu_some_s, 0.5);
    assert_string_equal(facts.fact[find(RUN_pressure_cpu_some_s)].reason, "of the whole machine");
}

static void damaged_pressure_is_null(void **state)
{
    static const char *const damaged[] = {"", "some avg10=0.00", "full avg10=0.00 total=7\n",
                                          "some avg10=0.00 total=\n", "some avg10=0.00 total=-3\n"};

    (void)state;
    write_machine("");
    for (int i = 0; i < HL_COUNT_OF(damaged); i++) {
        system_tree_write("/proc/pressure/cpu", damaged[i]);
        see_before();
        see_after(0, NULL);
        has_reason(RUN_pressure_cpu_some_s, "not as expected");
    }
}

static void throttling_of_a_group_above_is_told(void **state)
{
    (void)state;
    write_machine("");
    system_tree_write("/proc/self/cgroup", group_v2);
    system_tree_write("/proc/self/mountinfo", mounts_v2);
    system_tree_write("/sys/fs/cgroup/box/cpu.stat",
                      "usage_usec 5\nnr_periods 100\nnr_throttled 30\nthrottled_usec 1500\n");
    system_tree_write("/sys/fs/cgroup/box/job/cpu.stat", "usage_usec 5\n");
    see_before();
    system_tree_write("/sys/fs/cgroup/box/cpu.stat",
                      "usage_usec 9\nnr_periods 200\nnr_throttled 42\nthrottled_usec 251500\n");
    see_after(0, NULL);
    has_value(RUN_throttled_periods, 12.0);
    has_value(RUN_throttled_s, 0.25);
    assert_string_equal(facts.note, "throttled in 12 periods");
}

static void throttled_time_of_v1_is_in_nanoseconds(void **state)
{
    (void)state;
    write_machine("");
    system_tree_write("/proc/self/cgroup", group_v1);
    system_tree_write("/proc/self/mountinfo", mounts_v1);
    system_tree_write("/sys/fs/cgroup/cpu/box/cpu.stat",
                      "nr_periods 1\nnr_throttled 1\nthrottled_time 500000000\n");
    see_before();
    system_tree_write("/sys/fs/cgroup/cpu/box/cpu.stat",
                      "nr_periods 2\nnr_throttled 2\nthrottled_time 1500000000\n");
    see_after(0, NULL);
    has_value(RUN_throttled_periods, 1.0);
    has_value(RUN_throttled_s, 1.0);
    assert_string_equal(facts.note, "throttled in 1 period");
}

static void a_group_without_a_limit_throttles_nothing(void **state)
{
    (void)state;
    write_machine("");
    see_before();
    see_after(0, NULL);
    has_reason(RUN_throttled_periods, "mount cgroups");
    system_tree_write("/proc/self/cgroup", group_v2);
    system_tree_write("/proc/self/mountinfo", mounts_v2);
    see_before();
    see_after(0, NULL);
    has_reason(RUN_throttled_s, "mount cgroups");
    system_tree_write("/sys/fs/cgroup/box/job/cpu.stat", "");
    see_before();
    see_after(0, NULL);
    has_value(RUN_throttled_periods, 0.0);
    assert_string_equal(facts.note, "");
}

static void a_cpu_that_comes_flags_the_run(void **state)
{
    (void)state;
    system_tree_unpack("no-cpu0-online");
    see_before();
    assert_int_equal(before.cpus.usable_count, 1);
    system_tree_write("/sys/devices/system/cpu/online", "0-4\n");
    system_tree_write("/sys/devices/system/cpu/cpu4/online", "1\n");
    see_after(0, NULL);
    assert_string_equal(facts.note, "the online cpus changed during the run: 0-3, then 0-4; "
                                    "the allowed cpus changed during the run: 3, then 3-4");
    assert_string_equal(facts.invalid, "");
}

static void a_changed_quota_flags_the_run(void **state)
{
    (void)state;
    system_tree_unpack("quota-v2");
    see_before();
    system_tree_write("/sys/fs/cgroup/box/cpu.max", "max 100000\n");
    see_after(0, NULL);
    assert_string_equal(facts.note, "the cpu quota changed during the run");
}

static void write_scheduler(const char *condition, const char *name, const char *enable)
{
    system_tree_write("/sys/kernel/sched_ext/state", condition);
    system_tree_write("/sys/kernel/sched_ext/enable_seq", enable);
    if (name == NULL)
        system_tree_remove("/sys/kernel/sched_ext/root");
    else
        system_tree_write("/sys/kernel/sched_ext/root/ops", name);
}

static void a_run_whose_scheduler_left_does_not_count(void **state)
{
    struct run run;

    (void)state;
    write_machine("");
    write_scheduler("enabled\n", "simple\n", "3\n");
    see_before();
    assert_string_equal(before.scheduler.name, "simple");
    see_after(0, NULL);
    assert_string_equal(facts.invalid, "");

    see_before();
    write_scheduler("disabled\n", NULL, "3\n");
    see_after(0, NULL);
    assert_string_equal(facts.invalid, "the scheduler changed during the run: sched_ext simple at "
                                       "its start, the kernel's own at its end");

    run_init(&run, RUN_HOST, "not measured");
    host_facts_fill(&facts, &run);
    assert_int_equal(run.status, RUN_INVALID);
    assert_string_equal(run.note, facts.invalid);

    run_init(&run, RUN_HOST, "not measured");
    run.status = RUN_FAILED;
    (void)strcpy(run.note, "make exited with status 2");
    host_facts_fill(&facts, &run);
    assert_int_equal(run.status, RUN_FAILED);
    assert_non_null(strstr(run.note, "status 2; the scheduler changed"));
}

static void a_scheduler_that_was_enabled_again_is_another_one(void **state)
{
    (void)state;
    write_machine("");
    write_scheduler("enabled\n", "simple\n", "3\n");
    see_before();
    write_scheduler("enabled\n", "simple\n", "4\n");
    see_after(0, NULL);
    assert_non_null(strstr(facts.invalid, "enable_seq 3 at its start, 4 at its end"));

    write_scheduler("disabled\n", NULL, "3\n");
    see_before();
    write_scheduler("enabled\n", "", "4\n");
    see_after(0, NULL);
    assert_non_null(strstr(facts.invalid, "kernel's own at its start, sched_ext not named"));
}

static void files_that_may_not_be_read_say_so(void **state)
{
    (void)state;
    write_machine("cpu0 1 2 3 4 5 6 7 8\n");
    system_tree_write("/proc/pressure/cpu", "some avg10=0.00 total=5\n");
    system_tree_forbid("/proc/stat");
    system_tree_forbid("/proc/pressure/cpu");
    if (geteuid() == 0)
        assert_int_equal(seteuid(65534), 0);
    see_before();
    see_after(0, NULL);
    if (getuid() == 0)
        assert_int_equal(seteuid(0), 0);
    has_reason(RUN_idle_cpu_s, "cannot be read");
    has_reason(RUN_pressure_cpu_some_s, "run as root");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, system_tree_open, system_tree_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(idle_stolen_and_competing_time_are_those_of_the_allowed_cpus),
        TEST(a_run_on_fewer_cpus_has_the_times_of_those),
        TEST(idle_time_that_steps_back_is_none),
        TEST(damaged_ticks_are_null_with_the_reason),
        TEST(a_run_shorter_than_a_tick_has_no_idle_time),
        TEST(a_kernel_without_steal_time_says_so),
        TEST(pressure_is_the_machines_else_our_groups),
        TEST(damaged_pressure_is_null),
        TEST(throttling_of_a_group_above_is_told),
        TEST(throttled_time_of_v1_is_in_nanoseconds),
        TEST(a_group_without_a_limit_throttles_nothing),
        TEST(a_cpu_that_comes_flags_the_run),
        TEST(a_changed_quota_flags_the_run),
        TEST(a_run_whose_scheduler_left_does_not_count),
        TEST(a_scheduler_that_was_enabled_again_is_another_one),
        TEST(files_that_may_not_be_read_say_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
