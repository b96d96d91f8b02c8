/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine_test.c - topologies, constants and machine files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/data_dir.h"
#include "base/memory.h"
#include "base/units.h"
#include "machine/costs.h"
#include "machine/machine.h"
#include "machine/machine_file.h"

static struct machine m;
static struct hl_error err;

static void open_machine(const char *text)
{
    machine_close(&m);
    if (machine_open(&m, text, &err) != HL_OK)
        fail_msg("%s: %s", text, err.text);
}

static void refuses(enum hl_status status, const char *text, const char *message)
{
    struct machine refused;

    assert_int_equal(machine_open(&refused, text, &err), status);
    assert_string_equal(err.text, message);
    assert_null(refused.cpu);
    machine_close(&refused);
}

static void has_counts(int cpus, int cores, int packages, int nodes)
{
    assert_int_equal(m.cpu_count, cpus);
    assert_int_equal(m.core_count, cores);
    assert_int_equal(m.package_count, packages);
    assert_int_equal(m.node_count, nodes);
}

static void siblings_of_a_synthetic_machine_are_adjacent(void **state)
{
    (void)state;
    open_machine("pack:2 core:1 pu:2");
    has_counts(4, 2, 2, 1);
    assert_true(m.has_smt);
    assert_string_equal(m.topology, "pack:2 core:1 pu:2");
    for (int cpu = 0; cpu < 4; cpu++) {
        assert_int_equal(m.cpu[cpu].os_id, cpu);
        assert_int_equal(m.cpu[cpu].core, cpu / 2);
        assert_int_equal(m.cpu[cpu].package, cpu / 2);
        assert_int_equal(m.cpu[cpu].thread, cpu % 2);
        assert_int_equal(m.cpu[cpu].capacity, 1024);
        assert_int_equal(machine_core_size(&m, cpu), 2);
        assert_int_equal(machine_package_size(&m, cpu), 2);
        assert_int_equal(m.core_cpu[cpu], cpu);
        assert_int_equal(m.node_cpu[cpu], cpu);
    }
    assert_int_equal(m.core_first[2], 4);
}

static void distance_is_the_nearest_thing_that_two_cpus_share(void **state)
{
    (void)state;
    open_machine("node:2 pack:2 core:2 pu:2");
    has_counts(16, 8, 4, 2);
    assert_int_equal(machine_distance(&m, 3, 3), MACHINE_SAME_CPU);
    assert_int_equal(machine_distance(&m, 2, 3), MACHINE_SAME_CORE);
    assert_int_equal(machine_distance(&m, 0, 2), MACHINE_SAME_PACKAGE);
    assert_int_equal(machine_distance(&m, 0, 4), MACHINE_SAME_NODE);
    assert_int_equal(machine_distance(&m, 0, 8), MACHINE_REMOTE_NODE);
    for (int a = 0; a < 16; a++)
        for (int b = 0; b < 16; b++)
            assert_int_equal(machine_distance(&m, a, b), machine_distance(&m, b, a));
    open_machine("pack:1 node:2 core:2 pu:1");
    assert_int_equal(machine_distance(&m, 0, 2), MACHINE_SAME_PACKAGE);
}

static void levels_that_are_not_given_are_filled_in(void **state)
{
    (void)state;
    open_machine("pu:3");
    has_counts(3, 3, 1, 1);
    assert_false(m.has_smt);
    open_machine("node:2 core:3 pu:1");
    has_counts(6, 6, 2, 2);
    assert_int_equal(machine_distance(&m, 2, 3), MACHINE_REMOTE_NODE);
    open_machine("pack:2 pu:2");
    has_counts(4, 4, 2, 1);
    assert_int_equal(m.llc_count, 2);
    open_machine("group:2 [NUMANode(memory=1GB)] group:3 core:1 pu:1");
    has_counts(6, 6, 2, 2);
    open_machine("pack:2 l3:2 core:2 pu:1");
    has_counts(8, 8, 2, 1);
    assert_int_equal(m.llc_count, 4);
    assert_int_equal(m.cpu[5].llc, 2);
}

static void cpus_are_numbered_by_the_systems_number(void **state)
{
    (void)state;
    open_machine("pack:2 core:2 pu:2(indexes=0,4,1,5,2,6,3,7)");
    has_counts(8, 4, 2, 1);
    assert_int_equal(machine_distance(&m, 0, 4), MACHINE_SAME_CORE);
    assert_int_equal(machine_distance(&m, 0, 1), MACHINE_SAME_PACKAGE);
    assert_int_equal(m.cpu[4].thread, 1);
    assert_int_equal(m.core_cpu[0], 0);
    assert_int_equal(m.core_cpu[1], 4);
    assert_int_equal(m.package_cpu[2], 4);
}

static void parametrised_names_give_cores_in_one_package(void **state)
{
    (void)state;
    open_machine("smp:8");
    has_counts(8, 8, 1, 1);
    assert_string_equal(m.name, "smp:8");
    assert_string_equal(m.topology, "pack:1 core:8 pu:1");
    open_machine("smt:4x2");
    has_counts(8, 4, 1, 1);
    assert_true(m.has_smt);
    open_machine("smp:4096");
    has_counts(4096, 4096, 1, 1);
    open_machine("smt:512x8");
    has_counts(4096, 512, 1, 1);
}

static void bad_topologies_are_one_clear_line(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"pack:2 core:4",
         "topology \"pack:2 core:4\": found \"core:4\", expected \"pu:N\" as the last level"},
        {"pack:2 core:x pu:1",
         "topology \"pack:2 core:x pu:1\": found \"core:x\", expected a count from 1 to 4096"},
        {"pack:0 core:1 pu:1",
         "topology \"pack:0 core:1 pu:1\": found \"pack:0\", expected a count from 1 to 4096"},
        {"pack:2 croe:2 pu:1",
         "topology \"pack:2 croe:2 pu:1\": unknown level \"croe\"; did you mean \"core\"? "
         "known: node, pack, die, l3, l2, group, core, pu"},
        {"pack:2 4 pu:1",
         "topology \"pack:2 4 pu:1\": found \"4\", expected levels TYPE:COUNT such as "
         "\"pack:2 core:1 pu:2\""},
        {"pack:64 core:64 pu:2",
         "topology \"pack:64 core:64 pu:2\": more than 4096 cpus; expected 1 to 4096"},
        {"pack:99999999999999999999 pu:1",
         "topology \"pack:99999999999999999999 pu:1\": found "
         "\"pack:99999999999999999999\", expected a count from 1 to 4096"},
        {"pu:2 pu:2",
         "topology \"pu:2 pu:2\": found \"pu:2\", expected \"pu:N\" as the last level"},
        {"pu:2 core:2 pu:2",
         "topology \"pu:2 core:2 pu:2\": found \"pu:2\", expected \"pu:N\" as the last level"},
        {"core:2 core:2 pu:2",
         "topology \"core:2 core:2 pu:2\": found \"core:2\", expected each level once"},
        {"pack:2 co$re:2 pu:2",
         "topology \"pack:2 co$re:2 pu:2\": unknown level \"co$re\"; did you mean "
         "\"core\"? known: node, pack, die, l3, l2, group, core, pu"},
        {"machine:2 pu:2", "topology \"machine:2 pu:2\": unknown level \"machine\"; "
                           "known: node, pack, die, l3, l2, group, core, pu"},
        {"pack:2 cor:2 pu:2", "topology \"pack:2 cor:2 pu:2\": unknown level \"cor\"; did you mean "
                              "\"core\"? known: node, pack, die, l3, l2, group, core, pu"},
        {"packet:2 pu:2", "topology \"packet:2 pu:2\": unknown level \"packet\"; did you mean "
                          "\"pack\"? known: node, pack, die, l3, l2, group, core, pu"},
        {"pu:2(indexes=0,0)",
         "topology \"pu:2(indexes=0,0)\": cpu index 0 stands twice; expected each once"},
        {"core:2 pu:2(indexes=0,7,1,7)", "topology \"core:2 pu:2(indexes=0,7,1,7)\": cpu index 7 "
                                         "stands twice; expected each once"},
        {"smp:2\nelapsed 3",
         "the machine's name has the control character 0x0a at byte 6; expected "
         "one line of text"},
        {"core:1 pu:9", "a core has 9 threads; expected 1 to 8"},
        {":",
         "topology \":\": found \":\", expected levels TYPE:COUNT such as \"pack:2 core:1 pu:2\""},
        {"smp:", "machine \"smp:\": expected smp:CPUS and 1 to 4096 cpus"},
        {"smp:0", "machine \"smp:0\": expected smp:CPUS and 1 to 4096 cpus"},
        {"smp:4097", "machine \"smp:4097\": expected smp:CPUS and 1 to 4096 cpus"},
        {"smt:4", "machine \"smt:4\": expected smt:CORESxTHREADS with 1 to 8 threads per core and "
                  "1 to 4096 cpus"},
        {"smt:4x9", "machine \"smt:4x9\": expected smt:CORESxTHREADS with 1 to 8 threads per core "
                    "and 1 to 4096 cpus"},
        {"smt:2x2x2", "machine \"smt:2x2x2\": expected smt:CORESxTHREADS with 1 to 8 threads per "
                      "core and 1 to 4096 cpus"},
    };

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(cases); i++)
        refuses(HL_USAGE, cases[i].text, cases[i].message);
}

static void an_unknown_machine_names_a_near_one(void **state)
{
    (void)state;
    refuses(HL_USAGE, "xeon-2phy-ht",
            "unknown machine \"xeon-2phy-ht\"; did you mean \"xeon-2phys-ht\"? known: "
            "hybrid-laptop, opteron-2, "
            "p4-ht, p4-up, server-2s, smp-1024, x440, xeon-2phys-ht, xeon-e5345, xeon-mp-ht, host, "
            "smp:CPUS, "
            "smt:CORESxTHREADS");
    machine_close(&m);
    assert_int_equal(machine_open(&m, "", &err), HL_USAGE);
    assert_int_equal(machine_open(&m, "no/such.json", &err), HL_BAD_INPUT);
    assert_string_equal(err.text, "no/such.json: No such file or directory");
    assert_int_equal(machine_open(&m, "no-such.xml", &err), HL_BAD_INPUT);
    assert_string_equal(err.text, "no-such.xml: No such file or directory");
}

static void every_shipped_machine_opens_and_says_where_constants_come_from(void **state)
{
    static const char *const sources[] = {"assumed", "published", "spec"};
    char **names = NULL;

    (void)state;
    assert_int_equal(machine_list(&names, &err), HL_OK);
    for (int i = 0; names[i] != NULL; i++) {
        open_machine(names[i]);
        assert_string_equal(m.name, names[i]);
        for (int c = 0; c < MACHINE_CONSTANT_COUNT; c++) {
            bool is_known = strncmp(m.source[c], "fitted:", 7) == 0;

            for (int s = 0; s < HL_COUNT_OF(sources); s++)
                is_known |= strcmp(m.source[c], sources[s]) == 0;
            assert_true(is_known);
            assert_true(m.constant[c] >= machine_constant_table[c].min);
            assert_true(m.constant[c] <= machine_constant_table[c].max);
        }
        assert_int_equal(m.constant[MACHINE_switch_cost_ns], 3000);
        assert_string_equal(m.source[MACHINE_switch_cost_ns], "published");
    }
    hl_data_list_close(names);
}

static void shipped_machines_have_the_shape_of_their_papers(void **state)
{
    static const struct {
        const char *name;
        int cpus, cores, packages, nodes;
    } shapes[] = {
        {"xeon-2phys-ht", 4, 2, 2, 1},
        {"p4-ht", 2, 1, 1, 1},
        {"p4-up", 1, 1, 1, 1},
        {"x440", 16, 8, 8, 2},
        {"xeon-mp-ht", 2, 1, 1, 1},
        {"opteron-2", 2, 2, 2, 1},
        {"xeon-e5345", 8, 8, 2, 1},
        {"server-2s", 64, 32, 2, 2},
        {"smp-1024", 1024, 1024, 16, 16},
        {"hybrid-laptop", 16, 12, 1, 1},
    };

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(shapes); i++) {
        open_machine(shapes[i].name);
        has_counts(shapes[i].cpus, shapes[i].cores, shapes[i].packages, shapes[i].nodes);
    }
    assert_string_equal(m.name, "hybrid-laptop");
    assert_int_equal(m.cpu[7].capacity, 1024);
    assert_int_equal(m.cpu[8].capacity, 740);
    assert_int_equal(machine_core_size(&m, 7), 2);
    assert_int_equal(machine_core_size(&m, 8), 1);
    assert_int_equal(m.llc_count, 1);
}

static void parameters_override_constants_and_topology(void **state)
{
    (void)state;
    open_machine("xeon-2phys-ht");
    assert_int_equal(machine_set(&m, "smt_gain=0.2", &err), HL_OK);
    assert_int_equal(machine_constant(&m, MACHINE_smt_gain), 200000);
    assert_string_equal(m.source[MACHINE_smt_gain], "given");
    assert_int_equal(machine_set(&m, "switch_cost_ns=5us", &err), HL_OK);
    assert_int_equal(machine_constant(&m, MACHINE_switch_cost_ns), 5000);
    assert_int_equal(machine_set(&m, "l2_bytes=1M", &err), HL_OK);
    assert_int_equal(machine_constant(&m, MACHINE_l2_bytes), 1048576);
    assert_int_equal(machine_set(&m, "disk_queue_depth=4", &err), HL_OK);
    assert_int_equal(machine_constant(&m, MACHINE_disk_queue_depth), 4);
    assert_int_equal(machine_set(&m, "topology=pack:4 core:1 pu:2", &err), HL_OK);
    has_counts(8, 4, 4, 1);
    assert_string_equal(m.name, "xeon-2phys-ht");
    assert_int_equal(machine_constant(&m, MACHINE_smt_gain), 200000);
}

static void bad_parameters_change_nothing(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"smt_gain", "machine parameter \"smt_gain\": expected KEY=VALUE"},
        {"=3", "machine parameter \"=3\": expected KEY=VALUE"},
        {"smt_gain=", "smt_gain is \"\"; expected -0.5 to 2"},
        {"smt_gain=2.1", "smt_gain is \"2.1\"; expected -0.5 to 2"},
        {"smt_gain=x", "smt_gain is \"x\"; expected -0.5 to 2"},
        {"switch_cost_ns=3h", "switch_cost_ns is \"3h\"; expected 0 to 1s, with a unit such as us"},
        {"switch_cost_ns=-3us",
         "switch_cost_ns is \"-3us\"; expected 0 to 1s, with a unit such as us"},
        {"l2_bytes=1", "l2_bytes is \"1\"; expected 1k to 1024G"},
        {"disk_queue_depth=1.5", "disk_queue_depth is \"1.5\"; expected 1 to 65536"},
        {"topology=pack:2",
         "topology \"pack:2\": found \"pack:2\", expected \"pu:N\" as the last level"},
        {"topology=", "the topology is empty; expected levels such as \"pack:2 core:1 pu:2\""},
    };

    (void)state;
    open_machine("pack:2 core:1 pu:2");
    for (int i = 0; i < HL_COUNT_OF(cases); i++) {
        assert_int_equal(machine_set(&m, cases[i].text, &err), HL_USAGE);
        assert_string_equal(err.text, cases[i].message);
    }
    assert_int_equal(machine_set(&m, "smtgain=1", &err), HL_USAGE);
    assert_non_null(strstr(
        err.text, "unknown constant \"smtgain\"; did you mean \"smt_gain\"? known: smt_gain, "));
    has_counts(4, 2, 2, 1);
    for (int c = 0; c < MACHINE_CONSTANT_COUNT; c++) {
        assert_int_equal(m.constant[c], machine_constant_table[c].value);
        assert_string_equal(m.source[c], "assumed");
    }
}

static void constants_print_as_they_are_read(void **state)
{
    (void)state;
    open_machine("smp:1");
    for (int c = 0; c < MACHINE_CONSTANT_COUNT; c++) {
        const struct machine_constant_info *info = &machine_constant_table[c];
        const int64_t values[] = {info->value, info->min, info->max, info->min + 1, info->max - 1};

        for (int i = 0; i < HL_COUNT_OF(values); i++) {
            char text[40];

            machine_constant_print(info, values[i], text, sizeof(text));
            assert_int_equal(machine_set_constant(&m, info->name, text, "given", &err), HL_OK);
            assert_int_equal(m.constant[c], values[i]);
        }
    }
}

static const char plain[] =
    "{\"about\": \"a\", \"topology\": \"pack:2 core:1 pu:2\", \"constants\": {%s}%s}";

static enum hl_status parse_file(const char *text)
{
    machine_close(&m);
    assert_int_equal(machine_open(&m, "smp:1", &err), HL_OK);
    return machine_file_parse(&m, "m.json", NULL, text, strlen(text), &err);
}

static void a_machine_file_gives_constants_in_its_units(void **state)
{
    char text[1000];

    (void)state;
    (void)snprintf(
        text, sizeof(text), plain,
        "\"smt_gain\": {\"value\": 0.125, \"unit\": \"ratio\", \"source\": \"fitted:a 1phys -j1\"},"
        "\"ipi_ns\": {\"value\": 1.5, \"unit\": \"us\", \"source\": \"published\", \"note\": "
        "\"n\"},"
        "\"disk_latency_ns\": {\"value\": 7, \"unit\": \"ms\", \"source\": \"spec\"},"
        "\"l2_bytes\": {\"value\": 1.5, \"unit\": \"MiB\", \"source\": \"assumed\"},"
        "\"disk_queue_depth\": {\"value\": 3, \"unit\": \"count\", \"source\": \"assumed\"}",
        ", \"capacity\": [{\"cpus\": \"1-2\", \"value\": 0.5, \"unit\": \"ratio\", \"source\": "
        "\"assumed\"}]");
    if (parse_file(text) != HL_OK)
        fail_msg("%s", err.text);
    has_counts(4, 2, 2, 1);
    assert_int_equal(m.constant[MACHINE_smt_gain], 125000);
    assert_string_equal(m.source[MACHINE_smt_gain], "fitted:a 1phys -j1");
    assert_int_equal(m.constant[MACHINE_ipi_ns], 1500);
    assert_string_equal(m.note[MACHINE_ipi_ns], "n");
    assert_null(m.note[MACHINE_smt_gain]);
    assert_non_null(m.about);
    assert_int_equal(m.constant[MACHINE_disk_latency_ns], 7000000);
    assert_int_equal(m.constant[MACHINE_l2_bytes], 1572864);
    assert_int_equal(m.constant[MACHINE_disk_queue_depth], 3);
    assert_int_equal(m.cpu[0].capacity, 1024);
    assert_int_equal(m.cpu[1].capacity, 512);
    assert_int_equal(m.cpu[2].capacity, 512);
    assert_int_equal(m.constant[MACHINE_fork_cost_ns], 120000);
    assert_string_equal(m.source[MACHINE_fork_cost_ns], "assumed");
}

static void malformed_machine_files_are_one_clear_line(void **state)
{
#define GAIN(value, unit, source)                                                                  \
    "\"smt_gain\": {\"value\": " value ", \"unit\": " unit ", \"source\": " source "}"
    static const struct {
        const char *constants, *more, *message;
    } cases[] = {
        {GAIN("3", "\"ratio\"", "\"spec\""), "",
         "/constants/smt_gain/value: found 3, expected a number from -0.5 to 2"},
        {GAIN("\"x\"", "\"ratio\"", "\"spec\""), "",
         "/constants/smt_gain/value: found \"x\", expected a number from -0.5 to 2"},
        {GAIN("0.1", "\"percent\"", "\"spec\""), "",
         "/constants/smt_gain/unit: unknown unit \"percent\"; known: ratio"},
        {GAIN("0.1", "7", "\"spec\""), "",
         "/constants/smt_gain/unit: found 7, expected a string of 1 to 32 bytes"},
        {GAIN("0.1", "\"ratio\"", "\"guessed\""), "",
         "/constants/smt_gain/source: unknown source \"guessed\"; known: spec, published, assumed, "
         "fitted:CELLS, measured:WHERE"},
        {GAIN("0.1", "\"ratio\"", "\"fitted:\""), "",
         "/constants/smt_gain/source: unknown source \"fitted:\"; did you mean \"fitted:CELLS\"? "
         "known: spec, published, assumed, "
         "fitted:CELLS, measured:WHERE"},
        {"\"smt_gain\": 0.25", "", "/constants/smt_gain: found 0.25, expected an object"},
        {"\"smt_gain\": {\"value\": 0.1, \"unit\": \"ratio\"}", "",
         "/constants/smt_gain: the key \"source\" is missing"},
        {"\"smt_gain\": {\"valeu\": 0.1}", "",
         "/constants/smt_gain: unknown key \"valeu\"; did you mean \"value\"? known: value, unit, "
         "source, note"},
        {"\"ipi_ns\": {\"value\": 2000000, \"unit\": \"us\", \"source\": \"spec\"}", "",
         "/constants/ipi_ns/value: found 2000000, expected a number from 0 to 1000000"},
        {"\"disk_queue_depth\": {\"value\": 1.5, \"unit\": \"count\", \"source\": \"spec\"}", "",
         "/constants/disk_queue_depth/value: found 1.5, expected a whole number from 1 to 65536"},
        {"", ", \"capacity\": {}", "/capacity: found an object, expected an array"},
        {"",
         ", \"capacity\": [{\"cpus\": \"4\", \"value\": 1, \"unit\": \"ratio\", \"source\": "
         "\"spec\"}]",
         "/capacity/0/cpus: found cpu 4, expected 0 to 3"},
        {"",
         ", \"capacity\": [{\"cpus\": \"3-1\", \"value\": 1, \"unit\": \"ratio\", \"source\": "
         "\"spec\"}]",
         "/capacity/0/cpus: found \"3-1\", expected a list of cpus such as \"0-3,8\""},
        {"",
         ", \"capacity\": [{\"cpus\": \"0-3\", \"value\": 0.5, \"unit\": \"ratio\", \"source\": "
         "\"spec\"}]",
         "/capacity: every cpu is slower than 1, expected the fastest one at 1"},
        {"",
         ", \"capacity\": [{\"cpus\": \"0\", \"value\": 0, \"unit\": \"ratio\", \"source\": "
         "\"spec\"}]",
         "/capacity/0/value: found 0, expected a number from 0.001 to 1"},
        {"", ", \"machine\": 1",
         "top level: unknown key \"machine\"; known: about, topology, capacity, constants"},
    };
#undef GAIN
    char text[1000], expected[600];

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(cases); i++) {
        (void)snprintf(text, sizeof(text), plain, cases[i].constants, cases[i].more);
        (void)snprintf(expected, sizeof(expected), "m.json: %s", cases[i].message);
        assert_int_equal(parse_file(text), HL_BAD_INPUT);
        assert_string_equal(err.text, expected);
    }
    (void)snprintf(text, sizeof(text), plain, "\"smt_gian\": 1", "");
    assert_int_equal(parse_file(text), HL_BAD_INPUT);
    assert_non_null(strstr(
        err.text, "m.json: /constants: unknown constant \"smt_gian\"; did you mean \"smt_gain\"?"));
}

static void malformed_frames_of_machine_files_are_one_clear_line(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"{\n \"about\": \"a\"\n \"topology\": 1}",
         "m.json:3: not JSON: '}' expected near '\"topology\"'"},
        {"[]", "m.json: top level: found an array, expected an object"},
        {"{}", "m.json: top level: the key \"about\" is missing"},
        {"{\"about\": \"\"}", "m.json: /about: found \"\", expected a string of 1 to 2000 bytes"},
        {"{\"about\": \"a\"}", "m.json: top level: the key \"topology\" is missing"},
        {"{\"about\": \"a\", \"topology\": 4}",
         "m.json: /topology: found 4, expected a string of 1 to 255 bytes"},
        {"{\"about\": \"a\", \"topology\": \"pack:2\"}",
         "m.json: /topology: topology \"pack:2\": found \"pack:2\", expected \"pu:N\" as the last "
         "level"},
        {"{\"about\": \"a\", \"topology\": {\"xml\": \"x.xml\"}}",
         "m.json: /topology/xml: found \"x.xml\", expected the name of a file beside this one"},
        {"{\"about\": \"a\", \"topology\": \"pu:4\", \"capacity\": ["
         "{\"cpus\": \"0-1\", \"value\": 0.5, \"unit\": \"ratio\", \"source\": \"assumed\"}, "
         "{\"cpus\": \"1-2\", \"value\": 0.7, \"unit\": \"ratio\", \"source\": \"assumed\"}]}",
         "m.json: /capacity/1/cpus: found cpu 1, expected cpus of no earlier entry"},
        {"{\"about\": \"a\", \"topology\": {\"yml\": 1}}",
         "m.json: /topology: unknown key \"yml\"; did you mean "
         "\"xml\"? known: xml"},
        {"{\"about\": \"a\", \"topology\": \"pu:1\"}",
         "m.json: top level: the key \"constants\" is missing"},
        {"{\"about\": \"a\", \"topology\": \"pu:1\", \"constants\": []}",
         "m.json: /constants: found an array, expected an object"},
    };

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(cases); i++) {
        assert_int_equal(parse_file(cases[i].text), HL_BAD_INPUT);
        assert_string_equal(err.text, cases[i].message);
    }
}

static void xml_that_hwloc_refuses_is_one_clear_line(void **state)
{
    static const char *const broken[] = {"", "<topology>", "{}", "<?xml version=\"1.0\"?><a/>"};
    char path[] = "/tmp/halfload-XXXXXX.xml", expected[200];
    int fd = mkstemps(path, 4);

    (void)state;
    assert_true(fd >= 0);
    for (int i = 0; i < HL_COUNT_OF(broken); i++) {
        FILE *f = fopen(path, "w");

        assert_non_null(f);
        assert_true(fputs(broken[i], f) >= 0);
        assert_int_equal(fclose(f), 0);
        (void)snprintf(expected, sizeof(expected),
                       "%s: hwloc cannot read it; expected XML as lstopo writes it", path);
        refuses(HL_BAD_INPUT, path, expected);
    }
    (void)remove(path);
}

static void every_failing_allocation_leaves_a_closed_machine(void **state)
{
    static const char *const texts[] = {"hybrid-laptop", "x440", "smp:2", "no-such-machine"};

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(texts); i++)
        for (uint64_t n = 1;; n++) {
            struct machine broken;
            uint64_t before = hl_alloc_count();
            enum hl_status status;

            hl_alloc_fail_at(n);
            status = machine_open(&broken, texts[i], &err);
            hl_alloc_fail_at(0);
            if (hl_alloc_count() - before < n) {
                assert_int_equal(status, i == 3 ? HL_USAGE : HL_OK);
                machine_close(&broken);
                break;
            }
            assert_int_equal(status, HL_NO_MEMORY);
            assert_null(broken.cpu);
        }
}

static int close_all(void **state)
{
    (void)state;
    machine_close(&m);
    machine_close(&m);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(siblings_of_a_synthetic_machine_are_adjacent),
        cmocka_unit_test(distance_is_the_nearest_thing_that_two_cpus_share),
        cmocka_unit_test(levels_that_are_not_given_are_filled_in),
        cmocka_unit_test(cpus_are_numbered_by_the_systems_number),
        cmocka_unit_test(parametrised_names_give_cores_in_one_package),
        cmocka_unit_test(bad_topologies_are_one_clear_line),
        cmocka_unit_test(an_unknown_machine_names_a_near_one),
        cmocka_unit_test(every_shipped_machine_opens_and_says_where_constants_come_from),
        cmocka_unit_test(shipped_machines_have_the_shape_of_their_papers),
        cmocka_unit_test(parameters_override_constants_and_topology),
        cmocka_unit_test(bad_parameters_change_nothing),
        cmocka_unit_test(constants_print_as_they_are_read),
        cmocka_unit_test(a_machine_file_gives_constants_in_its_units),
        cmocka_unit_test(malformed_machine_files_are_one_clear_line),
        cmocka_unit_test(malformed_frames_of_machine_files_are_one_clear_line),
        cmocka_unit_test(xml_that_hwloc_refuses_is_one_clear_line),
        cmocka_unit_test(every_failing_allocation_leaves_a_closed_machine),
    };

    return cmocka_run_group_tests(tests, NULL, close_all);
}
