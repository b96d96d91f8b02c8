/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * topology.c - hwloc's object tree to the dense numbers that policies and the simulator use.
 *
 * Source: hwloc 2 (synthetic strings, XML of other machines, discovery of this one). hwloc knows
 * only cpus that are online, so holes and offline cpus are gone before numbering. Without a core
 * level each pu is a core; without a package level each node is a package; without a cache level
 * each package has one last-level cache. With several memory nodes at one cpu (HBM beside DRAM) the
 * first counts.
 */
#include "machine/topology.h"

#include <assert.h>
#include <hwloc.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/sysroot.h"
#include "base/text.h"
#include "base/units.h"

enum { XML_BYTES_MAX = 64 << 20 };

/* What identifies a cpu's core, package, node and cache in hwloc's tree, before they get numbers.
 */
struct place {
    uint64_t core, package, node, llc;
    int32_t os_id, capacity;
};

static uint64_t ancestor_id(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_obj_t pu,
                            uint64_t otherwise)
{
    hwloc_obj_t ancestor = hwloc_get_ancestor_obj_by_type(topology, type, pu);

    return ancestor == NULL ? otherwise : (uint64_t)ancestor->gp_index;
}

static void place_pu(hwloc_topology_t topology, hwloc_obj_t pu, struct place *place)
{
    int node = pu->nodeset == NULL ? -1 : hwloc_bitmap_first(pu->nodeset);
    uint64_t node_as_package = (UINT64_C(1) << 62) + (uint64_t)(node + 1);

    place->os_id = (int32_t)pu->os_index;
    place->capacity = 1024;
    place->node = (uint64_t)(node + 1);
    place->core = ancestor_id(topology, HWLOC_OBJ_CORE, pu, (uint64_t)pu->gp_index);
    place->package = ancestor_id(topology, HWLOC_OBJ_PACKAGE, pu, node_as_package);
    place->llc = place->package;
    for (hwloc_obj_t up = pu->parent; up != NULL; up = up->parent)
        if (hwloc_obj_type_is_dcache(up->type))
            place->llc = (uint64_t)up->gp_index;
}

/* The number that a cpu kind states under one of hwloc's names; 0 if it does not. */
static int64_t kind_number(const struct hwloc_info_s *infos, unsigned info_count, const char *name)
{
    int64_t value;

    for (unsigned i = 0; i < info_count; i++)
        if (strcmp(infos[i].name, name) == 0 && hl_parse_int(infos[i].value, &value) && value > 0 &&
            value < INT64_C(1000000000))
            return value;
    return 0;
}

/*
 * Capacities from the first of these that every kind states: Linux's own figure, else the highest
 * frequency. hwloc's "efficiency" only ranks kinds, so it says nothing about how much slower one
 * is.
 */
static enum hl_status find_capacities(hwloc_topology_t topology, struct place *places, int count,
                                      struct hl_error *err)
{
    static const char *const names[] = {"LinuxCapacity", "FrequencyMaxMHz", "FrequencyBaseMHz"};
    int kind_count = hwloc_cpukinds_get_nr(topology, 0);
    hwloc_bitmap_t cpus = hwloc_bitmap_alloc();

    if (cpus == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the kinds of cpus");
    for (int n = 0; kind_count > 1 && n < HL_COUNT_OF(names); n++) {
        int64_t most = 0;
        int stated = 0;

        for (int pass = 0; pass < 2; pass++) {
            for (int kind = 0; kind < kind_count; kind++) {
                struct hwloc_info_s *infos;
                unsigned info_count;
                int64_t value;

                if (hwloc_cpukinds_get_info(topology, (unsigned)kind, cpus, NULL, &info_count,
                                            &infos, 0) != 0)
                    continue;
                value = kind_number(infos, info_count, names[n]);
                if (pass == 0) {
                    most = HL_MAX(most, value);
                    stated += value > 0;
                    continue;
                }
                for (int i = 0; i < count; i++)
                    if (hwloc_bitmap_isset(cpus, (unsigned)places[i].os_id))
                        places[i].capacity = (int32_t)HL_MAX((value * 1024 + most / 2) / most, 1);
            }
            if (stated < kind_count)
                break;
        }
        if (stated == kind_count)
            break;
    }
    hwloc_bitmap_free(cpus);
    return HL_OK;
}

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    return (x->os_id > y->os_id) - (x->os_id < y->os_id);
}

/* Numbers ids in order of first appearance. Siblings are usually near, so the search goes
 * backwards. */
static int32_t number_of(uint64_t id, uint64_t *known, int32_t *known_count)
{
    for (int32_t i = *known_count - 1; i >= 0; i--)
        if (known[i] == id)
            return i;
    known[*known_count] = id;
    return (*known_count)++;
}

static enum hl_status number_cpus(struct machine *m, const struct place *places, int count,
                                  struct hl_error *err)
{
    uint64_t *known = hl_alloc((size_t)count * 4, sizeof(*known));

    m->cpu = hl_alloc((size_t)count, sizeof(*m->cpu));
    if (known == NULL || m->cpu == NULL) {
        hl_free(known);
        return hl_fail(err, HL_NO_MEMORY, "out of memory for %d cpus", count);
    }
    m->cpu_count = count;
    for (int i = 0; i < count; i++) {
        struct machine_cpu *cpu = &m->cpu[i];

        cpu->os_id = places[i].os_id;
        cpu->capacity = places[i].capacity;
        cpu->core = number_of(places[i].core, known, &m->core_count);
        cpu->package = number_of(places[i].package, known + count, &m->package_count);
        cpu->node = number_of(places[i].node, known + 2 * (size_t)count, &m->node_count);
        cpu->llc = number_of(places[i].llc, known + 3 * (size_t)count, &m->llc_count);
    }
    hl_free(known);
    return HL_OK;
}

/* Lists the cpus of each group, ascending within a group: a counting sort. `offset` is the place of
 * the group number in struct machine_cpu. */
static enum hl_status list_groups(const struct machine *m, size_t offset, int32_t group_count,
                                  int32_t **first, int32_t **cpus, struct hl_error *err)
{
    *first = hl_alloc((size_t)group_count + 1, sizeof(**first));
    *cpus = hl_alloc((size_t)m->cpu_count, sizeof(**cpus));
    if (*first == NULL || *cpus == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for %d groups of cpus", group_count);
    for (int pass = 0; pass < 2; pass++)
        for (int i = m->cpu_count - 1; i >= 0; i--) {
            int32_t group = *(const int32_t *)((const char *)&m->cpu[i] + offset);

            if (pass == 0)
                (*first)[group]++;
            else
                (*cpus)[--(*first)[group]] = i;
            if (pass == 0 && i == 0)
                for (int32_t g = 1; g <= group_count; g++)
                    (*first)[g] += (*first)[g - 1];
        }
    return HL_OK;
}

static enum hl_status build_lists(struct machine *m, struct hl_error *err)
{
    HL_TRY(list_groups(m, offsetof(struct machine_cpu, core), m->core_count, &m->core_first,
                       &m->core_cpu, err));
    HL_TRY(list_groups(m, offsetof(struct machine_cpu, package), m->package_count,
                       &m->package_first, &m->package_cpu, err));
    HL_TRY(list_groups(m, offsetof(struct machine_cpu, node), m->node_count, &m->node_first,
                       &m->node_cpu, err));
    for (int32_t core = 0; core < m->core_count; core++) {
        int32_t size = m->core_first[core + 1] - m->core_first[core];

        if (size > MACHINE_THREADS_PER_CORE_MAX)
            return hl_fail(err, HL_USAGE, "a core has %d threads; expected 1 to %d", size,
                           MACHINE_THREADS_PER_CORE_MAX);
        m->has_smt |= size > 1;
        for (int32_t i = 0; i < size; i++)
            m->cpu[m->core_cpu[m->core_first[core] + i]].thread = i;
    }
    return HL_OK;
}

/* The cpus of hwloc's tree; of this machine's only those that are `online`, which is NULL elsewhere. */
static int collect_places(hwloc_topology_t topology, const struct machine_cpu_set *online,
                          struct place *places)
{
    int count = 0;
    hwloc_obj_t pu = NULL;

    while ((pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu)) != NULL)
        if (online == NULL || machine_cpu_set_has(online, pu->os_index))
            place_pu(topology, pu, &places[count++]);
    return count;
}

/* One package of single cores: all that is known about cpus whose topology files are missing. */
static int spread_flat(const struct machine_cpu_set *online, struct place *places)
{
    int count = 0;

    for (int os_id = 0; os_id < MACHINE_OS_CPUS_MAX; os_id++)
        if (machine_cpu_set_has(online, os_id))
            places[count++] =
                (struct place){.core = (uint64_t)os_id, .os_id = os_id, .capacity = 1024};
    return count;
}

static enum hl_status read_tree(struct machine *m, hwloc_topology_t topology,
                                const struct machine_cpu_set *online, struct hl_error *err)
{
    int most = HL_MAX(hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU), 1), count;
    int online_count = online == NULL ? 0 : machine_cpu_set_count(online);
    struct place *places;
    enum hl_status status = HL_OK;

    if (most < online_count)
        most = online_count;
    if (most > MACHINE_CPUS_MAX)
        return hl_fail(err, HL_USAGE, "the topology has %d cpus; expected 1 to %d", most,
                       MACHINE_CPUS_MAX);
    places = hl_alloc((size_t)most, sizeof(*places));
    if (places == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for %d cpus", most);
    count = collect_places(topology, online, places);
    if (count < online_count) {
        /* hwloc makes cpus up when it finds no files; then its tree says nothing about these. */
        count = spread_flat(online, places);
    } else {
        qsort(places, (size_t)count, sizeof(*places), compare_places);
        status = find_capacities(topology, places, count, err);
    }
    if (status == HL_OK)
        status = number_cpus(m, places, count, err);
    if (status == HL_OK)
        status = build_lists(m, err);
    hl_free(places);
    return status;
}

void machine_topology_close(struct machine *m)
{
    int32_t **lists[] = {&m->core_first,  &m->core_cpu,   &m->package_first,
                         &m->package_cpu, &m->node_first, &m->node_cpu};

    hl_free(m->cpu);
    m->cpu = NULL;
    for (int i = 0; i < HL_COUNT_OF(lists); i++) {
        hl_free(*lists[i]);
        *lists[i] = NULL;
    }
    m->cpu_count = m->core_count = m->package_count = m->node_count = m->llc_count = 0;
    m->has_smt = false;
}

/* Moves the topology of *fresh into *m. */
static void take_topology(struct machine *m, const struct machine *fresh)
{
    machine_topology_close(m);
    memcpy(m->topology, fresh->topology, sizeof(m->topology));
    m->cpu_count = fresh->cpu_count;
    m->core_count = fresh->core_count;
    m->package_count = fresh->package_count;
    m->node_count = fresh->node_count;
    m->llc_count = fresh->llc_count;
    m->cpu = fresh->cpu;
    m->core_first = fresh->core_first;
    m->core_cpu = fresh->core_cpu;
    m->package_first = fresh->package_first;
    m->package_cpu = fresh->package_cpu;
    m->node_first = fresh->node_first;
    m->node_cpu = fresh->node_cpu;
    m->has_smt = fresh->has_smt;
}

/* hwloc complains on stderr by itself unless told not to; what the user set stays. */
static const char *set_environment(const char *name, const char *value)
{
    if (getenv(name) != NULL || setenv(name, value, 1) != 0)
        return NULL;
    return name;
}

static void reset_environment(const char *name)
{
    if (name != NULL)
        (void)unsetenv(name);
}

/* What an hwloc tree is made from; exactly one of synthetic, xml and online. */
struct origin {
    const char *synthetic;
    const char *xml;
    size_t xml_bytes;
    const struct machine_cpu_set *online; /* of this machine */
};

/* False if hwloc does not like it. */
static bool load_tree(hwloc_topology_t topology, const struct origin *origin)
{
    if (origin->synthetic != NULL && hwloc_topology_set_synthetic(topology, origin->synthetic) != 0)
        return false;
    if (origin->xml != NULL &&
        hwloc_topology_set_xmlbuffer(topology, origin->xml, (int)origin->xml_bytes + 1) != 0)
        return false;
    /* Under a sysroot the files describe another machine than the cpuid instruction does. */
    if (origin->online != NULL && !hl_sysroot_is_real() &&
        hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86") !=
            0)
        return false;
    return hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) == 0 &&
           hwloc_topology_load(topology) == 0;
}

/* `complaint` is the whole message for what hwloc refuses. */
static enum hl_status read_origin(struct machine *m, const struct origin *origin,
                                  const char *complaint, struct hl_error *err)
{
    const char *quiet = set_environment("HWLOC_HIDE_ERRORS", "2"), *root = NULL;
    struct machine fresh = {0};
    hwloc_topology_t topology;
    enum hl_status status;

    if (origin->online != NULL && !hl_sysroot_is_real())
        root = set_environment("HWLOC_FSROOT", hl_sysroot());
    if (hwloc_topology_init(&topology) != 0) {
        status = hl_fail(err, HL_NO_MEMORY, "hwloc cannot start");
    } else {
        if (load_tree(topology, origin))
            status = read_tree(&fresh, topology, origin->online, err);
        else
            status = hl_fail(err, HL_USAGE, "%s", complaint);
        hwloc_topology_destroy(topology);
    }
    reset_environment(root);
    reset_environment(quiet);
    if (status == HL_OK)
        status = machine_topology_print(&fresh, err);
    if (status == HL_OK)
        take_topology(m, &fresh);
    else
        machine_topology_close(&fresh);
    return status;
}

enum hl_status machine_topology_set_host(struct machine *m, struct hl_error *err)
{
    struct machine_host_cpus cpus;

    HL_TRY(machine_host_cpus_read(&cpus, err));
    return read_origin(m, &(struct origin){.online = &cpus.online},
                       "hwloc cannot discover this machine", err);
}

enum hl_status machine_topology_set_xml(struct machine *m, const char *path, struct hl_error *err)
{
    struct hl_error inner;
    struct origin origin = {0};
    char *xml;
    enum hl_status status;

    HL_TRY(hl_read_file(path, XML_BYTES_MAX, &xml, &origin.xml_bytes, err));
    origin.xml = xml;
    status =
        read_origin(m, &origin, "hwloc cannot read it; expected XML as lstopo writes it", &inner);
    hl_free(xml);
    if (status == HL_OK || status == HL_NO_MEMORY)
        return status == HL_OK ? HL_OK : hl_fail(err, status, "%s", inner.text);
    return hl_fail(err, HL_BAD_INPUT, "%s: %s", path, inner.text);
}

/* ---- synthetic strings ---- */

enum { LEVELS_MAX = 32, WORD_BYTES = 32 };

static enum hl_status fail_synthetic(const char *text, const char *found, int length,
                                     const char *expected, struct hl_error *err)
{
    return hl_fail(err, HL_USAGE, "topology \"%.128s\": found \"%.*s\", expected %s", text,
                   HL_MIN(length, 40), found, expected);
}

/* hwloc looks at the first letters only, so that "cor" and "packet" are levels to it. */
static bool is_level_word(const char *word)
{
    static const char *const words[] = {
        "node",    "numa",    "numanode", "pack",     "package",  "socket",  "die",     "group",
        "core",    "pu",      "l1",       "l2",       "l3",       "l4",      "l5",      "l1d",
        "l1i",     "l2d",     "l2i",      "l3d",      "l3i",      "l1cache", "l2cache", "l3cache",
        "l4cache", "l5cache", "l1dcache", "l1icache", "l2icache", "l3icache"};

    for (int i = 0; i < HL_COUNT_OF(words); i++)
        if (strcasecmp(words[i], word) == 0)
            return true;
    return false;
}

/* Numbers in "(indexes=0,4,1,5)", each once; hwloc would take two cpus for one. Other forms are its own. */
static enum hl_status check_indexes(const char *text, const char *level, int length,
                                    struct hl_error *err)
{
    static const char key[] = "(indexes=";
    const char *at = memmem(level, (size_t)length, key, sizeof(key) - 1), *end = level + length;
    struct machine_cpu_set seen = {0};

    if (at == NULL)
        return HL_OK;
    at += sizeof(key) - 1;
    if (at[strspn(at, "0123456789,")] != ')')
        return HL_OK;
    while (at < end && *at >= '0' && *at <= '9') {
        char *next;
        unsigned long index = strtoul(at, &next, 10);

        if (machine_cpu_set_has(&seen, (int64_t)HL_MIN(index, INT_MAX)))
            return hl_fail(err, HL_USAGE,
                           "topology \"%.128s\": cpu index %lu stands twice; expected each once",
                           text, index);
        if (index < MACHINE_OS_CPUS_MAX)
            machine_cpu_set_add(&seen, (int)index);
        at = next + (*next == ',');
    }
    return HL_OK;
}

/* One "TYPE:COUNT" or "TYPE:COUNT(attributes)"; multiplies *cpus. */
static enum hl_status check_level(const char *text, const char *level, int length, int64_t *cpus,
                                  hwloc_obj_type_t *type, struct hl_error *err)
{
    static const char *const known[] = {"node", "pack", "die", "l3", "l2", "group", "core", "pu"};
    const char *colon = memchr(level, ':', (size_t)length),
               *paren = memchr(level, '(', (size_t)length);
    const char *end = paren == NULL ? level + length : paren;
    char word[WORD_BYTES], count_text[WORD_BYTES];
    int64_t count;

    if (colon == NULL || colon == level || colon > end || colon - level >= WORD_BYTES ||
        end - colon > WORD_BYTES)
        return fail_synthetic(text, level, length,
                              "levels TYPE:COUNT such as \"pack:2 core:1 pu:2\"", err);
    (void)snprintf(word, sizeof(word), "%.*s", (int)(colon - level), level);
    (void)snprintf(count_text, sizeof(count_text), "%.*s", (int)(end - colon - 1), colon + 1);
    if (!is_level_word(word) || hwloc_type_sscanf(word, type, NULL, 0) != 0) {
        char where[160];

        (void)snprintf(where, sizeof(where), "topology \"%.128s\"", text);
        return hl_fail_unknown(err, HL_USAGE, where, "level", word, known, HL_COUNT_OF(known));
    }
    if (!hl_parse_int(count_text, &count) || count < 1 || count > MACHINE_CPUS_MAX)
        return fail_synthetic(text, level, length, "a count from 1 to 4096", err);
    *cpus *= count;
    if (*cpus > MACHINE_CPUS_MAX)
        return hl_fail(err, HL_USAGE, "topology \"%.128s\": more than %d cpus; expected 1 to %d",
                       text, MACHINE_CPUS_MAX, MACHINE_CPUS_MAX);
    return check_indexes(text, level, length, err);
}

/*
 * hwloc only says "invalid", and builds whatever number of objects it is asked for; so the levels
 * are looked at first. What is inside () and [] is hwloc's to judge.
 */
static enum hl_status check_synthetic(const char *text, struct hl_error *err)
{
    hwloc_obj_type_t type = HWLOC_OBJ_TYPE_MAX;
    uint64_t seen = 0; /* types, but groups may repeat */
    const char *level = text + strspn(text, " ");
    int64_t cpus = 1;
    int count = 0, length = 0;

    while (*level != '\0') {
        const char *next;

        length = (int)strcspn(level, " ([");
        if (level[length] == '(')
            length += (int)strcspn(level + length, ")") + (strchr(level + length, ')') != NULL);
        if (*level == '[') {
            length = (int)strcspn(level, "]");
            length += level[length] == ']';
        } else {
            if (++count > LEVELS_MAX)
                return hl_fail(err, HL_USAGE, "topology \"%.128s\": more than %d levels", text,
                               LEVELS_MAX);
            HL_TRY(check_level(text, level, length, &cpus, &type, err));
            if ((seen >> type & 1) != 0)
                return fail_synthetic(text, level, length, "each level once", err);
            if (type != HWLOC_OBJ_GROUP)
                seen |= UINT64_C(1) << type;
        }
        next = level + length;
        next += strspn(next, " ");
        if ((*next == '\0') != (type == HWLOC_OBJ_PU))
            return fail_synthetic(text, level, length, "\"pu:N\" as the last level", err);
        level = next;
    }
    if (count == 0)
        return hl_fail(err, HL_USAGE,
                       "the topology is empty; expected levels such as \"pack:2 core:1 pu:2\"");
    return HL_OK;
}

/* "smp:N" and "smt:NxM" to the synthetic form. Other text stays as it is. */
static enum hl_status expand_name(const char *text, char *synthetic, size_t bytes,
                                  struct hl_error *err)
{
    bool is_smt = strncmp(text, "smt:", 4) == 0;
    int64_t cores, threads = 1;
    char numbers[WORD_BYTES], *parts[2] = {numbers};

    if (!is_smt && strncmp(text, "smp:", 4) != 0) {
        if (strlen(text) >= bytes)
            return hl_fail(err, HL_USAGE, "the topology has %zu bytes; expected fewer than %zu",
                           strlen(text), bytes);
        memcpy(synthetic, text, strlen(text) + 1);
        return HL_OK;
    }
    (void)snprintf(numbers, sizeof(numbers), "%s", text + 4);
    if ((is_smt && (hl_split(numbers, 'x', parts, 2) != 2 || !hl_parse_int(parts[1], &threads))) ||
        !hl_parse_int(parts[0], &cores) || cores < 1 || threads < 1 ||
        threads > MACHINE_THREADS_PER_CORE_MAX || cores > MACHINE_CPUS_MAX / threads)
        return hl_fail(err, HL_USAGE, "machine \"%.64s\": expected %s and 1 to %d cpus", text,
                       is_smt ? "smt:CORESxTHREADS with 1 to 8 threads per core" : "smp:CPUS",
                       MACHINE_CPUS_MAX);
    (void)snprintf(synthetic, bytes, "pack:1 core:%d pu:%d", (int)cores, (int)threads);
    return HL_OK;
}

enum hl_status machine_topology_set_synthetic(struct machine *m, const char *text,
                                              struct hl_error *err)
{
    char synthetic[sizeof(m->topology)], complaint[400];

    HL_TRY(expand_name(text, synthetic, sizeof(synthetic), err));
    HL_TRY(check_synthetic(synthetic, err));
    (void)snprintf(
        complaint, sizeof(complaint),
        "topology \"%.128s\": hwloc does not accept it; expected levels from the outside in, "
        "such as \"node:2 pack:2 core:4 pu:2\"",
        synthetic);
    HL_TRY(read_origin(m, &(struct origin){.synthetic = synthetic}, complaint, err));
    memcpy(m->topology, synthetic, sizeof(synthetic));
    return HL_OK;
}
