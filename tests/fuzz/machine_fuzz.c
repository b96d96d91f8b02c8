/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine_fuzz.c - machine files, and the words for machines on the command line.
 *
 * Input that starts with '{' is a machine file. Else its first line is a machine (names of files and of
 * this machine are left out: no input shall read files), and each further line a KEY=VALUE or a cpu list.
 *
 * covers: src/machine/machine_file.c src/machine/costs.c src/machine/cpu_list.c src/base/json.c
 * covers: src/machine/machine.c src/machine/topology.c src/machine/topology_print.c
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "machine/costs.h"
#include "machine/machine.h"
#include "machine/machine_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* hwloc 2.9 leaks the memory nodes attached in [] of a string that it then refuses. */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
    return "leak:libhwloc.so";
}

/* What must hold for any machine that opened. */
static void check_machine(const struct machine *m)
{
    assert(m->cpu_count >= 1 && m->cpu_count <= MACHINE_CPUS_MAX);
    assert(m->core_first[m->core_count] == m->cpu_count);
    assert(m->package_first[m->package_count] == m->cpu_count);
    assert(m->node_first[m->node_count] == m->cpu_count);
    for (int32_t cpu = 0; cpu < m->cpu_count; cpu++) {
        const struct machine_cpu *c = &m->cpu[cpu];

        assert(m->core_cpu[m->core_first[c->core] + c->thread] == cpu);
        assert(c->package < m->package_count && c->node < m->node_count && c->llc < m->llc_count);
        assert(c->capacity >= 1 && c->capacity <= 1024);
        assert(cpu == 0 || m->cpu[cpu - 1].os_id < c->os_id);
    }
    for (int i = 0; i < MACHINE_CONSTANT_COUNT; i++) {
        assert(m->constant[i] >= machine_constant_table[i].min);
        assert(m->constant[i] <= machine_constant_table[i].max);
        assert(m->source[i] != NULL);
    }
}

static void check_message(const struct hl_error *err)
{
    assert(err->text[0] != '\0');
    assert(strpbrk(err->text, "\n\r\x1b") == NULL);
}

static void try_file(const char *text, size_t size)
{
    struct machine m;
    struct hl_error err;

    if (machine_open(&m, "smp:1", &err) != HL_OK)
        return;
    if (machine_file_parse(&m, "fuzz.json", NULL, text, size, &err) == HL_OK)
        check_machine(&m);
    else
        check_message(&err);
    machine_close(&m);
}

/* A cpu list prints as one that reads back the same. */
static void try_cpu_list(const char *text)
{
    struct machine_cpu_set set, again;
    char printed[8 * MACHINE_OS_CPUS_MAX];

    if (!machine_cpu_list_parse(text, &set))
        return;
    machine_cpu_list_print(&set, printed, sizeof(printed));
    assert(machine_cpu_list_parse(printed, &again));
    assert(memcmp(&set, &again, sizeof(set)) == 0);
}

static void try_words(char *text)
{
    char *line = text, *end = strchr(text, '\n');
    struct machine m;
    struct hl_error err;

    if (end != NULL)
        *end = '\0';
    if (strcmp(line, "host") == 0 || strchr(line, '/') != NULL || strstr(line, ".json") != NULL ||
        strstr(line, ".xml") != NULL)
        return;
    if (machine_open(&m, line, &err) != HL_OK) {
        check_message(&err);
        return;
    }
    check_machine(&m);
    while (end != NULL) {
        line = end + 1;
        end = strchr(line, '\n');
        if (end != NULL)
            *end = '\0';
        try_cpu_list(line);
        if (machine_set(&m, line, &err) != HL_OK)
            check_message(&err);
        check_machine(&m);
    }
    machine_close(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = hl_alloc(size + 1, 1);

    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    if (size > 0 && data[0] == '{')
        try_file((const char *)data, size);
    else
        try_words(text);
    hl_free(text);
    return 0;
}
