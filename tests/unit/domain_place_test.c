/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * domain_place_test.c - where woken, new and exec'd tasks go under scheduling domains (spec linux 5.7, 5.9).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"
#include "fake_host.h"
#include "policy/domains.h"

static const struct fake_shape four_by_two = {1, 4, 1, 2}, two_nodes = {2, 2, 1, 2};

/* A task that slept on cpu 0 for so long; hogs run where `busy` says, for long. */
static struct policy_task *sleeper(struct fake_host *h, int64_t slept_us, const char *busy)
{
    struct policy_task *t = fake_hog(h, 0, 0);

    for (int cpu = 1; busy[cpu] != '\0'; cpu++)
        if (busy[cpu] == 'x')
            fake_hog(h, 0, cpu);
    fake_run_until(h, 4 * HL_NS_PER_MS); /* nobody is pushed away yet */
    fake_block(h, t, WAIT_PIPE_READ);
    fake_settle(h);
    if (busy[0] == 'x')
        fake_hog(h, 0, 0);
    h->policy.now_ns += slept_us * HL_NS_PER_US;
    fake_settle(h);
    return t;
}

/* Where it is queued when the task running on `waker` wakes it. */
static int woken_on(struct fake_host *h, struct policy_task *t, int waker, bool sync)
{
    struct policy_wakeup w = {.why = POLICY_WAKE, .waker_cpu = waker, .sync = sync};

    fake_wake(h, t, &w);
    return (int)fake_probe(h, t, "queue");
}

static int place(const char *spec, struct fake_shape shape, int64_t slept_us, const char *busy,
                 int waker)
{
    struct fake_host h;
    int cpu;

    fake_open(&h, spec, shape);
    cpu = woken_on(&h, sleeper(&h, slept_us, busy), waker, false);
    fake_close(&h);
    return cpu;
}

static void a_cold_sleeper_goes_to_the_package_of_its_waker(void **state)
{
    (void)state;
    assert_int_equal(place("sdmm", four_by_two, 10000, "----x---", 4), 5);
    assert_int_equal(place("sdmm", four_by_two, 10000, "----xx--", 4), 4); /* no idle sibling */
    assert_int_equal(place("sdmm", four_by_two, 4900, "----x---", 4), 0);  /* hot for 5 ms */
    assert_int_equal(place("sdmm:lessidle", four_by_two, 4900, "----x---", 4), 5);
    assert_int_equal(place("sdmm:cpu.flags=none", four_by_two, 10000, "----x---", 4), 0);
    assert_int_equal(place("sdmm:sib.flags=FASTMIG", four_by_two, 10000, "----x---", 4), 4);
    assert_int_equal(place("sdmm:smt=n", four_by_two, 10000, "----x---", 4), 4);
    assert_int_equal(place("w26", four_by_two, 10000, "----x---", 4), 5);
}

static void a_sleeper_always_follows_its_waker_to_a_sibling(void **state)
{
    (void)state;
    assert_int_equal(place("sdmm", four_by_two, 10, "-x------", 1),
                     0); /* the idle one of the two */
    assert_int_equal(place("sdmm", four_by_two, 10, "xx------", 1), 1);
    assert_int_equal(place("sdmm:smt=n", four_by_two, 10, "xx------", 1), 0);
}

static void a_sleeper_does_not_leave_its_node(void **state)
{
    (void)state;
    assert_int_equal(place("sdmm", two_nodes, 50000, "----x---", 4), 0);
    assert_int_equal(place("sdmm:node.flags=FASTMIG", two_nodes, 50000, "----x---", 4), 5);
}

static void a_sleeper_leaves_a_cpu_that_is_clearly_busier(void **state)
{
    struct fake_host h;
    struct policy_task *t;

    (void)state;
    fake_open(&h, "sdmm:smt=n:cpu.flags=none", four_by_two); /* else the idle cpus help */
    t = sleeper(&h, 10, "x---x---");
    for (int i = 0; i < 3; i++)
        fake_hog(&h, 0, 0);
    domain_cpu_of(&h.policy, 4)->estimate[0] = 4 * DOMAIN_LOAD_ONE;
    assert_int_equal(woken_on(&h, t, 4, false), 4);             /* 4 * 128 > 128 + 128 */
    assert_int_equal(fake_probe(&h, NULL, "cpu4.h_cpu0"), 512); /* the waker looked */
    fake_close(&h);
}

static void a_wakeup_on_the_own_cpu_looks_nowhere_before_the_merge(void **state)
{
    (void)state;
    assert_int_equal(place("sdmm", four_by_two, 10, "x-------", 0), 0);
    assert_int_equal(place("sd267", four_by_two, 10, "x-------", 0), 1); /* the idle sibling */
}

static void the_merged_domains_leave_a_sleeper_on_its_idle_cpu(void **state)
{
    (void)state;
    assert_int_equal(place("sd267", four_by_two, 10000, "----x---", 4), 0);
    /* Its cpu is busy now and it is cold: to the waker, there to the idle sibling. */
    assert_int_equal(place("sd267", four_by_two, 10000, "x---x---", 4), 5);
    assert_int_equal(place("sd267", four_by_two, 10000, "xx--xx--", 4), 4);
}

static void a_childs_exit_counts_as_sync_after_the_merge(void **state)
{
    struct fake_host h;
    struct policy_task *parent;

    (void)state;
    /* On one cpu: sync on the waker's cpu means no priority update, so `activated` stays 0. */
    fake_open(&h, "sd267", (struct fake_shape){1, 1, 1, 1});
    parent = fake_hog(&h, 0, 0);
    fake_settle(&h);
    fake_block(&h, parent, WAIT_CHILD);
    fake_hog(&h, 0, 0);
    fake_settle(&h);
    woken_on(&h, parent, 0, false);
    assert_int_equal(fake_probe(&h, parent, "activated"), 0);
    fake_close(&h);
    fake_open(&h, "sdmm", (struct fake_shape){1, 1, 1, 1});
    parent = fake_hog(&h, 0, 0);
    fake_settle(&h);
    fake_block(&h, parent, WAIT_CHILD);
    fake_hog(&h, 0, 0);
    fake_settle(&h);
    woken_on(&h, parent, 0, false);
    assert_int_equal(fake_probe(&h, parent, "activated"), 1);
    fake_close(&h);
}

static int forked_on(const char *spec, const char *busy, bool vfork)
{
    struct fake_host h;
    struct policy_task *parent;
    int cpu;

    fake_open(&h, spec, four_by_two);
    parent = fake_hog(&h, 0, 0);
    for (int i = 1; busy[i] != '\0'; i++)
        if (busy[i] == 'x')
            fake_hog(&h, 0, i);
    fake_run_until(&h, 20 * HL_NS_PER_MS);
    cpu = (int)fake_probe(&h, fake_fork(&h, parent, vfork), "queue");
    fake_close(&h);
    return cpu;
}

static void only_tasks_that_share_memory_are_placed_when_they_are_new(void **state)
{
    (void)state;
    assert_int_equal(forked_on("sd267", "x-------", false), 0);
    assert_int_equal(forked_on("sd267", "x-------", true),
                     1); /* the first idle cpu, sibling or not */
    assert_int_equal(forked_on("sd267", "xxxx-xxx", true), 4);
    assert_int_equal(forked_on("sd267:cpu.flags=none", "xx-xxxxx", true), 0); /* only the core */
    assert_int_equal(forked_on("sdmm", "x-------", true), 0);
}

static void a_new_task_stays_if_no_cpu_is_an_eighth_less_loaded(void **state)
{
    (void)state;
    /* least 128, mine 128 + 128: 128 * 112 < 256 * 100. Everywhere one task: the first cpu with 128. */
    assert_int_equal(forked_on("sd267", "xxxxxxxx", true), 0);
}

static int exec_on(const char *spec, struct fake_shape shape, int hogs_here, const char *busy)
{
    struct fake_host h;
    int cpu;

    fake_open(&h, spec, shape);
    for (int i = 0; busy[i] != '\0'; i++)
        if (busy[i] == 'x')
            fake_hog(&h, 0, i);
    fake_settle(&h);
    for (int i = 0; i < hogs_here; i++)
        fake_hog(&h, 0, 0);
    for (int of = 0; of < h.policy.cpu_count; of++)
        for (int cpu_of = 0; cpu_of < h.policy.cpu_count; cpu_of++)
            domain_cpu_of(&h.policy, cpu_of)->estimate[of] = domain_load(domains_of(&h.policy), of);
    cpu = fake_exec(&h, h.policy.running[0]);
    fake_close(&h);
    return cpu;
}

static void exec_spreads_over_nodes_and_only_from_a_shared_cpu(void **state)
{
    (void)state;
    assert_int_equal(exec_on("sdmm", two_nodes, 0, "x-------"), 0);
    /* own 256; a cpu with nothing counts 0 + 128: the first such one. */
    assert_int_equal(exec_on("sdmm", two_nodes, 1, "x-------"), 1);
    assert_int_equal(exec_on("sdmm", two_nodes, 1, "xxxxx-xx"), 5);
    assert_int_equal(exec_on("sdmm", two_nodes, 1, "xxxxxxxx"),
                     0); /* 128 + 128 is not less than 256 */
    assert_int_equal(exec_on("sdmm:node.flags=none", two_nodes, 1, "x-------"), 0);
    assert_int_equal(exec_on("sdmm", four_by_two, 1, "x-------"), 0); /* one node */
    assert_int_equal(exec_on("sd267", four_by_two, 1, "xxxxx-xx"), 5);
    assert_int_equal(exec_on("sd267", four_by_two, 0, "x-------"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cold_sleeper_goes_to_the_package_of_its_waker),
        cmocka_unit_test(a_sleeper_always_follows_its_waker_to_a_sibling),
        cmocka_unit_test(a_sleeper_does_not_leave_its_node),
        cmocka_unit_test(a_sleeper_leaves_a_cpu_that_is_clearly_busier),
        cmocka_unit_test(a_wakeup_on_the_own_cpu_looks_nowhere_before_the_merge),
        cmocka_unit_test(the_merged_domains_leave_a_sleeper_on_its_idle_cpu),
        cmocka_unit_test(a_childs_exit_counts_as_sync_after_the_merge),
        cmocka_unit_test(only_tasks_that_share_memory_are_placed_when_they_are_new),
        cmocka_unit_test(a_new_task_stays_if_no_cpu_is_an_eighth_less_loaded),
        cmocka_unit_test(exec_spreads_over_nodes_and_only_from_a_shared_cpu),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
