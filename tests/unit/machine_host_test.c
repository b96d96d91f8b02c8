/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine_host_test.c - recorded system trees (tests/machines/): topology, capacity, usable cpus.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/memory.h"
#include "base/sysroot.h"
#include "base/units.h"
#include "machine/machine.h"

static char folder[] = "/tmp/halfload-tree-XXXXXX";
static struct machine m;
static struct machine_host_cpus cpus;
static struct hl_error err;

static void clear_tree(void)
{
    char command[256];

    (void)snprintf(command, sizeof(command), "rm -rf %s/*", folder);
    assert_int_equal(system(command), 0);
}

static void use_tree(const char *name)
{
    char command[1024];

    clear_tree();
    (void)snprintf(command, sizeof(command), "sh '%s/machines/unpack.sh' '%s/machines/%s.tree' %s",
                   HALFLOAD_TESTS_DIR, HALFLOAD_TESTS_DIR, name, folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(hl_sysroot_set(folder, &err), HL_OK);
}

static void open_host(void)
{
    machine_close(&m);
    if (machine_open(&m, "host", &err) != HL_OK)
        fail_msg("host: %s", err.text);
}

static void read_cpus(void)
{
    if (machine_host_cpus_read(&cpus, &err) != HL_OK)
        fail_msg("%s", err.text);
}

static void has_allowed(const char *list)
{
    char text[256];

    machine_cpu_list_print(&cpus.allowed, text, sizeof(text));
    assert_string_equal(text, list);
}

static void has_summary(const char *expected)
{
    char text[160];

    machine_host_cpus_print(&cpus, text, sizeof(text));
    assert_string_equal(text, expected);
}

/* The printed topology, opened again, has the same cpus in the same places. */
static void survives_print_and_parse(void)
{
    struct machine again;

    if (machine_open(&again, m.topology, &err) != HL_OK)
        fail_msg("%s: %s", m.topology, err.text);
    assert_int_equal(again.cpu_count, m.cpu_count);
    for (int cpu = 0; cpu < m.cpu_count; cpu++) {
        assert_int_equal(again.cpu[cpu].core, m.cpu[cpu].core);
        assert_int_equal(again.cpu[cpu].package, m.cpu[cpu].package);
        assert_int_equal(again.cpu[cpu].node, m.cpu[cpu].node);
        assert_int_equal(again.cpu[cpu].llc, m.cpu[cpu].llc);
        assert_int_equal(again.cpu[cpu].thread, m.cpu[cpu].thread);
    }
    machine_close(&again);
}

static void capacity_is_the_systems_own_figure_where_there_is_one(void **state)
{
    static const int capacities[] = {379, 379, 379, 379, 847, 847, 1024, 1024};

    (void)state;
    use_tree("hybrid-3-kinds");
    open_host();
    assert_int_equal(m.cpu_count, 8);
    for (int cpu = 0; cpu < 8; cpu++)
        assert_int_equal(m.cpu[cpu].capacity, capacities[cpu]);
    assert_int_equal(m.llc_count, 1);
    assert_string_equal(m.topology, "pack:1 core:8 pu:1");
}

static void cpus_switched_off_with_smt_are_not_there(void **state)
{
    (void)state;
    use_tree("smt-off");
    open_host();
    assert_int_equal(m.cpu_count, 4);
    assert_int_equal(m.core_count, 4);
    assert_false(m.has_smt);
    survives_print_and_parse();
    read_cpus();
    has_allowed("0-3");
    has_summary("host 4, allowed 4, quota none: 4 usable, set by all online cpus");
}

static void holes_in_the_numbers_and_unequal_packages_are_numbered_densely(void **state)
{
    static const int os_ids[] = {0, 2, 4, 9, 11}, packages[] = {0, 0, 0, 1, 1},
                     cores[] = {0, 1, 2, 3, 3};

    (void)state;
    use_tree("sparse-ids");
    open_host();
    assert_int_equal(m.cpu_count, 5);
    assert_int_equal(m.node_count, 2);
    for (int cpu = 0; cpu < 5; cpu++) {
        assert_int_equal(m.cpu[cpu].os_id, os_ids[cpu]);
        assert_int_equal(m.cpu[cpu].package, packages[cpu]);
        assert_int_equal(m.cpu[cpu].node, packages[cpu]);
        assert_int_equal(m.cpu[cpu].core, cores[cpu]);
    }
    assert_int_equal(machine_package_size(&m, 0), 3);
    assert_int_equal(machine_package_size(&m, 4), 2);
    assert_int_equal(machine_core_size(&m, 3), 2);
    assert_true(m.has_smt);
    assert_int_equal(machine_distance(&m, 0, 4), MACHINE_REMOTE_NODE);
    assert_string_equal(m.topology, "cpus 5, cores 4, packages 2, nodes 2");
    read_cpus();
    has_allowed("0,2,4,9,11");
}

static void second_threads_may_be_numbered_last(void **state)
{
    (void)state;
    use_tree("threads-last");
    open_host();
    assert_int_equal(m.core_count, 4);
    assert_int_equal(machine_distance(&m, 0, 4), MACHINE_SAME_CORE);
    assert_int_equal(machine_distance(&m, 0, 1), MACHINE_SAME_PACKAGE);
    assert_int_equal(machine_distance(&m, 1, 2), MACHINE_REMOTE_NODE);
    assert_string_equal(m.topology, "node:2 pack:1 core:2 pu:2(indexes=0,4,1,5,2,6,3,7)");
    survives_print_and_parse();
}

static void a_cpu_without_online_file_is_online_and_one_that_says_0_is_not(void **state)
{
    (void)state;
    use_tree("no-cpu0-online");
    read_cpus();
    assert_int_equal(cpus.online_count, 4);
    has_allowed("3");
    has_summary("host 4, allowed 1, quota none: 1 usable, set by the allowed cpus");
}

static void a_container_is_limited_by_the_least_quota_of_its_groups(void **state)
{
    static const char *const trees[] = {"quota-v2", "quota-v1"};
    int count;

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(trees); i++) {
        use_tree(trees[i]);
        read_cpus();
        assert_int_equal(cpus.online_count, 64);
        assert_int_equal(cpus.allowed_count, 4);
        assert_int_equal(cpus.quota_ppm, 1500000);
        assert_int_equal(cpus.limit, MACHINE_LIMIT_QUOTA);
        has_summary("host 64, allowed 4, quota 1.5: 2 usable, set by the quota, rounded up");
        assert_int_equal(machine_host_usable_cpus(&count, &err), HL_OK);
        assert_int_equal(count, 2);
    }
}

static void no_quota_is_none_and_a_small_one_is_one_cpu(void **state)
{
    (void)state;
    use_tree("quota-none");
    read_cpus();
    has_summary("host 8, allowed 8, quota none: 8 usable, set by all online cpus");
    use_tree("quota-small");
    read_cpus();
    has_summary("host 8, allowed 8, quota 0.1: 1 usable, set by the quota, rounded up");
}

static void write_file(const char *path, const char *content)
{
    char full[256];
    FILE *file;

    (void)snprintf(full, sizeof(full), "%s%s", folder, path);
    file = fopen(full, "w");
    assert_non_null(file);
    assert_true(fputs(content, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void cpus_without_topology_files_are_cores_of_one_package(void **state)
{
    (void)state;
    use_tree("no-cpu0-online");
    open_host();
    assert_int_equal(m.cpu_count, 4);
    assert_int_equal(m.core_count, 4);
    assert_int_equal(m.package_count, 1);
    use_tree("quota-v2");
    open_host();
    assert_int_equal(m.cpu_count, 64);
    assert_string_equal(m.topology, "pack:1 core:64 pu:1");
    survives_print_and_parse();
}

static void damaged_system_files_count_as_missing(void **state)
{
    static const char *const maxima[] = {
        "",      "max", "150000",         "-5 100000", "150000 0",
        "x y\n", " ",   "150000 -100000", "0 100000",  "99999999999999999999 100000"};

    (void)state;
    use_tree("quota-v2");
    write_file("/sys/fs/cgroup/box/app/job/cpu.max", "max 100000");
    for (int i = 0; i < HL_COUNT_OF(maxima); i++) {
        write_file("/sys/fs/cgroup/box/cpu.max", maxima[i]);
        read_cpus();
        assert_int_equal(cpus.quota_ppm, 0);
        assert_int_equal(cpus.usable_count, 4);
    }
    write_file("/sys/fs/cgroup/box/cpu.max", "99999999999 1000000");
    read_cpus();
    assert_int_equal(cpus.usable_count, 4);
    write_file("/proc/self/cgroup", "0\n:\n0:\n::\n1:cpu\n0::/../..\n0::box");
    read_cpus();
    assert_int_equal(cpus.quota_ppm, 0);
    write_file("/proc/self/mountinfo",
               "1\n - \n1 2 3 4 - cgroup2 x y\n - cgroup2 a b\n1 2 3 4 5 6 - cgroup2");
    write_file("/proc/self/cgroup", "0::/box");
    read_cpus();
    assert_int_equal(cpus.quota_ppm, 0);
    write_file("/proc/self/status", "Cpus_allowed_list:\tnone\n");
    read_cpus();
    assert_int_equal(cpus.allowed_count, 64);
}

static void a_tree_without_cpus_is_unsupported(void **state)
{
    char expected[128];

    (void)state;
    clear_tree();
    assert_int_equal(hl_sysroot_set(folder, &err), HL_OK);
    assert_int_equal(machine_host_cpus_read(&cpus, &err), HL_UNSUPPORTED);
    (void)snprintf(expected, sizeof(expected),
                   "%s/sys/devices/system/cpu: no cpus found, expected at least one", folder);
    assert_string_equal(err.text, expected);
    machine_close(&m);
    assert_int_equal(machine_open(&m, "host", &err), HL_UNSUPPORTED);
    assert_string_equal(err.text, expected);
}

static void a_sysroot_must_be_a_folder(void **state)
{
    (void)state;
    assert_int_equal(hl_sysroot_set("/no/such/tree", &err), HL_USAGE);
    assert_string_equal(err.text,
                        "/no/such/tree: no folder; expected the root of a recorded system tree");
    assert_int_equal(hl_sysroot_set("", &err), HL_OK);
    assert_true(hl_sysroot_is_real());
    assert_int_equal(hl_sysroot_set("/tmp//", &err), HL_OK);
    assert_string_equal(hl_sysroot(), "/tmp");
    assert_false(hl_sysroot_is_real());
    assert_int_equal(hl_sysroot_set("/", &err), HL_OK);
    assert_true(hl_sysroot_is_real());
}

static void this_machine_has_at_least_one_usable_cpu(void **state)
{
    int count;

    (void)state;
    assert_int_equal(hl_sysroot_set(NULL, &err), HL_OK);
    open_host();
    assert_true(m.cpu_count >= 1);
    assert_int_equal(machine_host_usable_cpus(&count, &err), HL_OK);
    assert_in_range(count, 1, (unsigned)m.cpu_count);
    for (int core = 0; core < m.core_count; core++)
        for (int i = m.core_first[core]; i < m.core_first[core + 1]; i++)
            assert_int_equal(m.cpu[m.core_cpu[i]].core, core);
}

static void every_failing_allocation_while_counting_cpus_is_a_status(void **state)
{
    (void)state;
    use_tree("quota-v1");
    for (uint64_t n = 1;; n++) {
        uint64_t before = hl_alloc_count();
        enum hl_status status;

        hl_alloc_fail_at(n);
        status = machine_host_cpus_read(&cpus, &err);
        hl_alloc_fail_at(0);
        if (hl_alloc_count() - before < n) {
            assert_int_equal(status, HL_OK);
            break;
        }
        assert_int_equal(status, HL_NO_MEMORY);
    }
}

static void lists_of_cpus_are_read_strictly_and_printed_shortest(void **state)
{
    static const char *const bad[] = {"x",  "1-",   "-1",  "3-1",           "1,",
                                      ",1", "8192", "1 2", "0-99999999999", "1--2"};
    struct machine_cpu_set set;
    char text[64], small[6];

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(bad); i++)
        assert_false(machine_cpu_list_parse(bad[i], &set));
    assert_true(machine_cpu_list_parse(" 7,0-2,3,8191\n", &set));
    assert_int_equal(machine_cpu_set_count(&set), 6);
    assert_false(machine_cpu_set_has(&set, 4));
    assert_false(machine_cpu_set_has(&set, -1));
    assert_false(machine_cpu_set_has(&set, 8192));
    machine_cpu_list_print(&set, text, sizeof(text));
    assert_string_equal(text, "0-3,7,8191");
    machine_cpu_list_print(&set, small, sizeof(small));
    assert_string_equal(small, "0-3,7");
    assert_true(machine_cpu_list_parse("\n", &set));
    assert_int_equal(machine_cpu_set_count(&set), 0);
    machine_cpu_list_print(&set, text, sizeof(text));
    assert_string_equal(text, "");
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    char command[256];

    (void)state;
    machine_close(&m);
    (void)snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capacity_is_the_systems_own_figure_where_there_is_one),
        cmocka_unit_test(cpus_switched_off_with_smt_are_not_there),
        cmocka_unit_test(holes_in_the_numbers_and_unequal_packages_are_numbered_densely),
        cmocka_unit_test(second_threads_may_be_numbered_last),
        cmocka_unit_test(a_cpu_without_online_file_is_online_and_one_that_says_0_is_not),
        cmocka_unit_test(a_container_is_limited_by_the_least_quota_of_its_groups),
        cmocka_unit_test(no_quota_is_none_and_a_small_one_is_one_cpu),
        cmocka_unit_test(cpus_without_topology_files_are_cores_of_one_package),
        cmocka_unit_test(damaged_system_files_count_as_missing),
        cmocka_unit_test(a_tree_without_cpus_is_unsupported),
        cmocka_unit_test(a_sysroot_must_be_a_folder),
        cmocka_unit_test(this_machine_has_at_least_one_usable_cpu),
        cmocka_unit_test(every_failing_allocation_while_counting_cpus_is_a_status),
        cmocka_unit_test(lists_of_cpus_are_read_strictly_and_printed_shortest),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
