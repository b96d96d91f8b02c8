/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine_file.c - reads machine files:
 *
 *     {
 *       "about": "two Xeon packages with Hyper-Threading",
 *       "topology": "pack:2 core:1 pu:2",
 *       "constants": { "smt_gain": {"value": 0.25, "unit": "ratio", "source": "assumed"} }
 *     }
 *
 * "topology" may also be {"xml": "FILE"}, hwloc's XML beside the machine file, for machines that
 * are not regular. "capacity" gives cpus that are slower than the fastest.
 */
#include "machine/machine_file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "machine/costs.h"
#include "machine/topology.h"

enum { FILE_BYTES_MAX = 1 << 20, TEXT_BYTES_MAX = 2000, CAPACITY_FULL = 1024 };

static enum hl_status read_xml_topology(struct machine *m, const struct hl_json_node *node,
                                        const char *folder, struct hl_error *err)
{
    static const char *const keys[] = {"xml"};
    struct hl_json_node member;
    struct hl_error inner;
    char path[PATH_MAX];
    const char *file;
    enum hl_status status;

    HL_TRY(hl_json_check_keys(node, keys, HL_COUNT_OF(keys), err));
    HL_TRY(hl_json_member(node, "xml", &member, err));
    HL_TRY(hl_json_string(&member, 1, 255, &file, err));
    if (folder == NULL || strchr(file, '/') != NULL)
        return hl_json_fail(&member, err,
                            "found \"%.64s\", expected the name of a file beside this one", file);
    if (snprintf(path, sizeof(path), "%s/%s", folder, file) >= (int)sizeof(path))
        return hl_json_fail(&member, err, "the path of \"%.64s\" is too long", file);
    status = machine_topology_set_xml(m, path, &inner);
    if (status == HL_BAD_INPUT || status == HL_USAGE)
        return hl_json_fail(&member, err, "%s", inner.text);
    return status == HL_OK ? HL_OK : hl_fail(err, status, "%s", inner.text);
}

static enum hl_status read_topology(struct machine *m, const struct hl_json_node *root,
                                    const char *folder, struct hl_error *err)
{
    struct hl_json_node member;
    struct hl_error inner;
    const char *synthetic;
    enum hl_status status;

    HL_TRY(hl_json_member(root, "topology", &member, err));
    if (json_is_object(member.value))
        return read_xml_topology(m, &member, folder, err);
    HL_TRY(hl_json_string(&member, 1, sizeof(m->topology) - 1, &synthetic, err));
    status = machine_topology_set_synthetic(m, synthetic, &inner);
    if (status == HL_USAGE)
        return hl_json_fail(&member, err, "%s", inner.text);
    return status == HL_OK ? HL_OK : hl_fail(err, status, "%s", inner.text);
}

/* {"cpus": "8-15", "value": 0.7, "unit": "ratio", "source": "assumed"}; cpus by our numbers */
static enum hl_status read_capacity(struct machine *m, const struct hl_json_node *item,
                                    struct machine_cpu_set *given, struct hl_error *err)
{
    static const char *const keys[] = {"cpus", "value", "unit", "source", "note"};
    static const struct machine_constant_info info = {
        "capacity", "ppm", "speed relative to the fastest cpu", HL_PPM, 1000, HL_PPM};
    struct hl_json_node member;
    struct machine_cpu_set cpus;
    const char *text;
    char *source = NULL;
    int64_t ppm = 0;
    enum hl_status status;

    HL_TRY(hl_json_check_keys(item, keys, HL_COUNT_OF(keys), err));
    HL_TRY(hl_json_member(item, "cpus", &member, err));
    HL_TRY(hl_json_string(&member, 1, TEXT_BYTES_MAX, &text, err));
    if (!machine_cpu_list_parse(text, &cpus) || machine_cpu_set_count(&cpus) == 0)
        return hl_json_fail(&member, err,
                            "found \"%.64s\", expected a list of cpus such as \"0-3,8\"", text);
    for (int cpu = m->cpu_count; cpu < MACHINE_OS_CPUS_MAX; cpu++)
        if (machine_cpu_set_has(&cpus, cpu))
            return hl_json_fail(&member, err, "found cpu %d, expected 0 to %d", cpu,
                                m->cpu_count - 1);
    for (int cpu = 0; cpu < m->cpu_count; cpu++) {
        if (!machine_cpu_set_has(&cpus, cpu))
            continue;
        if (machine_cpu_set_has(given, cpu))
            return hl_json_fail(&member, err, "found cpu %d, expected cpus of no earlier entry",
                                cpu);
        machine_cpu_set_add(given, cpu);
    }
    status = machine_constant_read(&info, item, &ppm, &source, NULL, err);
    hl_free(source);
    HL_TRY(status);
    for (int cpu = 0; cpu < m->cpu_count; cpu++)
        if (machine_cpu_set_has(&cpus, cpu))
            m->cpu[cpu].capacity = (int32_t)((ppm * CAPACITY_FULL + HL_PPM / 2) / HL_PPM);
    return HL_OK;
}

static enum hl_status read_capacities(struct machine *m, const struct hl_json_node *array,
                                      struct hl_error *err)
{
    struct machine_cpu_set given = {0};
    size_t count;

    HL_TRY(hl_json_array(array, &count, err));
    for (size_t i = 0; i < count; i++) {
        struct hl_json_node item = hl_json_item(array, i);

        HL_TRY(read_capacity(m, &item, &given, err));
    }
    for (int cpu = 0; cpu < m->cpu_count; cpu++)
        if (m->cpu[cpu].capacity == CAPACITY_FULL)
            return HL_OK;
    return hl_json_fail(array, err, "every cpu is slower than 1, expected the fastest one at 1");
}

static enum hl_status read_machine(struct machine *m, const struct hl_json_node *root,
                                   const char *folder, struct hl_error *err)
{
    static const char *const keys[] = {"about", "topology", "capacity", "constants"};
    struct hl_json_node member;
    const char *about;

    HL_TRY(hl_json_check_keys(root, keys, HL_COUNT_OF(keys), err));
    HL_TRY(hl_json_member(root, "about", &member, err));
    HL_TRY(hl_json_string(&member, 1, TEXT_BYTES_MAX, &about, err));
    m->about = hl_strdup(about);
    if (m->about == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for what a machine is about");
    HL_TRY(read_topology(m, root, folder, err));
    HL_TRY(hl_json_member_if_any(root, "capacity", &member, err));
    if (member.value != NULL)
        HL_TRY(read_capacities(m, &member, err));
    HL_TRY(hl_json_member(root, "constants", &member, err));
    return machine_constants_read(machine_constant_table, MACHINE_CONSTANT_COUNT, &member,
                                  m->constant, m->source, m->note, err);
}

enum hl_status machine_file_parse(struct machine *m, const char *name, const char *folder,
                                  const char *text, size_t bytes, struct hl_error *err)
{
    struct hl_json file = {0};
    enum hl_status status = hl_json_parse(&file, name, text, bytes, err);

    if (status == HL_OK) {
        struct hl_json_node root = hl_json_root(&file);

        status = read_machine(m, &root, folder, err);
    }
    hl_json_close(&file);
    return status;
}

enum hl_status machine_file_open(struct machine *m, const char *path, struct hl_error *err)
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX] = ".", *text;
    enum hl_status status;
    size_t bytes;

    if (slash != NULL && snprintf(folder, sizeof(folder), "%.*s", (int)HL_MAX(slash - path, 1),
                                  path) >= (int)sizeof(folder))
        return hl_fail(err, HL_BAD_INPUT, "the path of the machine file is longer than %zu bytes",
                       sizeof(folder) - 1);
    HL_TRY(hl_read_file(path, FILE_BYTES_MAX, &text, &bytes, err));
    status = machine_file_parse(m, path, folder, text, bytes, err);
    hl_free(text);
    return status;
}
