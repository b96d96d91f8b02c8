/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * topology_print.c - a discovered topology as the synthetic string that rebuilds it.
 *
 * Possible when all groups of a level have the same size and lie inside one group of the next outer
 * level. Cpus that are not numbered depth first (Linux often numbers second threads last) are
 * listed in hwloc's (indexes=...). Anything else becomes counts: "cpus 20, cores 14, packages 1, nodes 1".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "machine/topology.h"

enum { LEVELS_MAX = 4 };

struct level {
    const char *name;
    size_t offset; /* of the group number in struct machine_cpu */
    int32_t group_count;
};

static int32_t group_of(const struct machine_cpu *cpu, const struct level *level)
{
    return *(const int32_t *)(const void *)((const char *)cpu + level->offset);
}

/* All groups equally large, and each inside one group of `outer`. */
static bool is_regular(const struct machine *m, const struct level *level,
                       const struct level *outer, int32_t *scratch)
{
    int32_t *size = scratch, *outer_group = scratch + level->group_count;

    memset(scratch, 0, (size_t)level->group_count * 2 * sizeof(*scratch));
    for (int32_t i = 0; i < m->cpu_count; i++) {
        int32_t group = group_of(&m->cpu[i], level);

        if (outer != NULL && size[group] > 0 && outer_group[group] != group_of(&m->cpu[i], outer))
            return false;
        if (outer != NULL)
            outer_group[group] = group_of(&m->cpu[i], outer);
        size[group]++;
    }
    for (int32_t group = 1; group < level->group_count; group++)
        if (size[group] != size[0])
            return false;
    return true;
}

/* The levels worth naming, from the outside in: the fewer groups, the further out. */
static int choose_levels(const struct machine *m, struct level *chosen)
{
    const struct level all[] = {
        {"node", offsetof(struct machine_cpu, node), m->node_count},
        {"pack", offsetof(struct machine_cpu, package), m->package_count},
        {"l3", offsetof(struct machine_cpu, llc), m->llc_count},
        {"core", offsetof(struct machine_cpu, core), m->core_count},
    };
    int count = 0;

    for (int i = 0; i < HL_COUNT_OF(all); i++) {
        int at = count;

        if ((i == 0 && m->node_count == 1) || (i == 2 && m->llc_count <= m->package_count))
            continue;
        for (; at > 0 && chosen[at - 1].group_count > all[i].group_count; at--)
            chosen[at] = chosen[at - 1];
        chosen[at] = all[i];
        count++;
    }
    return count;
}

struct seat { /* a cpu with what it is sorted by */
    int32_t key[LEVELS_MAX + 1];
    int32_t os_id;
};

static int compare_seats(const void *a, const void *b)
{
    const struct seat *x = a, *y = b;

    for (int i = 0; i <= LEVELS_MAX; i++)
        if (x->key[i] != y->key[i])
            return x->key[i] < y->key[i] ? -1 : 1;
    return 0;
}

/* Appends "(indexes=0,2,1,3)" unless cpus are numbered depth first; false if it does not fit. */
static bool print_indexes(const struct machine *m, const struct level *levels, int level_count,
                          struct seat *seats, char *text, size_t bytes)
{
    size_t used = strlen(text);
    bool is_depth_first = true;

    for (int32_t i = 0; i < m->cpu_count; i++) {
        seats[i] = (struct seat){.os_id = m->cpu[i].os_id};
        for (int n = 0; n < level_count; n++)
            seats[i].key[n] = group_of(&m->cpu[i], &levels[n]);
        seats[i].key[LEVELS_MAX] = m->cpu[i].thread;
    }
    qsort(seats, (size_t)m->cpu_count, sizeof(*seats), compare_seats);
    for (int32_t i = 0; i < m->cpu_count; i++)
        is_depth_first &= seats[i].os_id == i;
    for (int32_t i = 0; i < m->cpu_count && !is_depth_first; i++) {
        int written = snprintf(text + used, bytes - used, "%s%d%s", i == 0 ? "(indexes=" : ",",
                               seats[i].os_id, i + 1 == m->cpu_count ? ")" : "");

        if (written < 0 || (size_t)written >= bytes - used)
            return false;
        used += (size_t)written;
    }
    return true;
}

static bool print_synthetic(const struct machine *m, int32_t *scratch, struct seat *seats,
                            char *text, size_t bytes)
{
    struct level levels[LEVELS_MAX];
    int level_count = choose_levels(m, levels);
    int32_t outer_count = 1;
    size_t used = 0;

    for (int i = 0; i < level_count; i++) {
        if (!is_regular(m, &levels[i], i == 0 ? NULL : &levels[i - 1], scratch))
            return false;
        used += (size_t)snprintf(text + used, bytes - used, "%s:%d ", levels[i].name,
                                 levels[i].group_count / outer_count);
        outer_count = levels[i].group_count;
    }
    (void)snprintf(text + used, bytes - used, "pu:%d", m->cpu_count / outer_count);
    return print_indexes(m, levels, level_count, seats, text, bytes);
}

enum hl_status machine_topology_print(struct machine *m, struct hl_error *err)
{
    int32_t *scratch = hl_alloc((size_t)m->cpu_count * 2, sizeof(*scratch));
    struct seat *seats = hl_alloc((size_t)m->cpu_count, sizeof(*seats));
    enum hl_status status = HL_OK;

    if (scratch == NULL || seats == NULL)
        status = hl_fail(err, HL_NO_MEMORY, "out of memory for %d cpus", m->cpu_count);
    else if (!print_synthetic(m, scratch, seats, m->topology, sizeof(m->topology)))
        (void)snprintf(m->topology, sizeof(m->topology), "cpus %d, cores %d, packages %d, nodes %d",
                       m->cpu_count, m->core_count, m->package_count, m->node_count);
    hl_free(scratch);
    hl_free(seats);
    return status;
}
