/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ule_search.c - see ule_search.h.
 */
#include "policy/ule_search.h"

#include "base/units.h"

enum {
    LOAD_ONE = 256, /* a task, in the scale of loads that are compared */
    KEY_PACKAGE = 0,
    KEY_CACHE,
    KEY_CORE,
    KEY_COUNT
};

/* ---- the tree ---- */

static int32_t ule_key(const struct machine *m, int cpu, int key)
{
    switch (key) {
    case KEY_PACKAGE: return m->cpu[cpu].package;
    case KEY_CACHE: return m->cpu[cpu].llc;
    default: return m->cpu[cpu].core;
    }
}

static bool ule_cpu_before(const struct machine *m, int a, int b)
{
    for (int key = 0; key < KEY_COUNT; key++)
        if (ule_key(m, a, key) != ule_key(m, b, key))
            return ule_key(m, a, key) < ule_key(m, b, key);
    return a < b;
}

/* By package, cache, core: almost in order already. */
static void ule_sort_cpus(const struct machine *m, int32_t *cpu)
{
    for (int32_t i = 0; i < m->cpu_count; i++) {
        int32_t place = i;

        for (; place > 0 && ule_cpu_before(m, i, cpu[place - 1]); place--)
            cpu[place] = cpu[place - 1];
        cpu[place] = i;
    }
}

/* All cpus of the group that share what its first one has. */
static int32_t ule_run_length(const struct machine *m, const struct ule_tree *tree, int32_t first,
                              int32_t end, int key)
{
    int32_t i = first;

    while (i < end && ule_key(m, tree->cpu[i], key) == ule_key(m, tree->cpu[first], key))
        i++;
    return i - first;
}

static void ule_share(struct ule_group *group, int key)
{
    if (key == KEY_CACHE)
        group->level = ULE_LEVEL_L3;
    else if (key == KEY_CORE)
        group->is_smt = group->count > 1;
}

/* True if dividing by this key gives groups of more than one cpu. */
static bool ule_divides(const struct machine *m, const struct ule_tree *tree,
                        const struct ule_group *group, int key)
{
    int32_t end = group->first + group->count;

    for (int32_t i = group->first; i < end;) {
        int32_t count = ule_run_length(m, tree, i, end, key);

        if (count > 1)
            return true;
        i += count;
    }
    return false;
}

/* Children are appended and divided in their turn, so every group comes after its parent. */
static void ule_divide(const struct machine *m, struct ule_tree *tree, int32_t index, int key)
{
    struct ule_group *group = &tree->group[index];
    int32_t end = group->first + group->count, *link = &group->child;

    for (; key < KEY_COUNT; key++) {
        if (ule_run_length(m, tree, group->first, end, key) == group->count)
            ule_share(group, key);
        else if (ule_divides(m, tree, group, key))
            break;
    }
    for (int32_t first = group->first; key < KEY_COUNT && first < end;) {
        int32_t child = tree->group_count++;

        tree->group[child] = (struct ule_group){.parent = index,
                                                .next = ULE_NO_GROUP,
                                                .child = ULE_NO_GROUP,
                                                .first = first,
                                                .count = ule_run_length(m, tree, first, end, key)};
        *link = child;
        link = &tree->group[child].next;
        first += tree->group[child].count;
        ule_divide(m, tree, child, key);
    }
    for (int32_t i = group->first; group->child == ULE_NO_GROUP && i < end; i++)
        tree->leaf[tree->cpu[i]] = index;
}

enum hl_status ule_tree_build(struct policy *p, struct ule_tree *tree, struct hl_error *err)
{
    const struct machine *m = policy_machine(p);
    size_t cpus = (size_t)m->cpu_count;
    size_t groups = 1 + (size_t)m->package_count + (size_t)m->llc_count + (size_t)m->core_count;

    tree->group = policy_alloc(p, groups, sizeof(*tree->group));
    tree->cpu = policy_alloc(p, cpus, sizeof(*tree->cpu));
    tree->leaf = policy_alloc(p, cpus, sizeof(*tree->leaf));
    if (tree->group == NULL || tree->cpu == NULL || tree->leaf == NULL)
        return hl_fail(err, HL_NO_MEMORY, "no memory for the groups of %zu cpus", cpus);
    tree->jitter = policy_random(p, UINT64_MAX);
    ule_sort_cpus(m, tree->cpu);
    tree->group[0] = (struct ule_group){
        .parent = ULE_NO_GROUP, .next = ULE_NO_GROUP, .child = ULE_NO_GROUP, .count = m->cpu_count};
    tree->group_count = 1;
    ule_divide(m, tree, 0, KEY_PACKAGE);
    for (int32_t i = 0; i < tree->group_count; i++) {
        struct ule_group *group = &tree->group[i];

        group->span = machine_span(m, tree->cpu + group->first, group->count);
    }
    return HL_OK;
}

/* ---- searches ---- */

struct ule_found {
    int32_t load;     /* of the part it is in; the least or the greatest so far */
    int32_t own_load; /* its own with jitter, for ties */
    int cpu;
};

struct ule_search {
    const struct ule *u;
    struct ule_tree *tree;
    const struct ule_want *want;
    const uint64_t *only;
    int32_t load_min;
    bool or_running;
    const struct policy *p;
};

/* A number below a power of two: one multiplication per cpu, where the host's stream would cost several. */
static inline int32_t ule_draw(uint64_t *state, int32_t range)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int32_t)(*state >> 33) & (range - 1);
}

/* What a cpu that is preferred counts less. */
static int32_t ule_credit(const struct ule_search *s, int cpu)
{
    if (!s->want->is_running)
        return s->tree->preference;
    /* The task itself does not count; no preference for a cpu that has others as well. */
    return LOAD_ONE + (s->u->load[cpu] > 1 ? 0 : s->tree->preference);
}

/* Beside lowpri and load. */
static inline bool ule_is_wanted(const struct ule_want *want, int cpu)
{
    return (want->task == NULL || policy_allowed(want->task, cpu)) &&
           (want->only == NULL || bsd_cpu_has(want->only, cpu));
}

/*
 * The cpus of a leaf one by one: this is where searches spend their time, so everything that stays the same is in
 * local variables, which the compiler may keep in registers.
 */
static int32_t ule_lowest_of_cpus(const struct ule_search *s, const struct ule_group *group,
                                  struct ule_found *best)
{
    const struct ule_want *want = s->want;
    const int32_t *cpus = s->tree->cpu + group->first, *loads = s->u->load;
    const uint8_t *lowpri = s->u->lowpri;
    const int32_t worse_than = want->worse_than, load_max = want->load_max, count = group->count;
    const int32_t range = s->tree->jitter_range;
    uint64_t jitter = s->tree->jitter;
    int32_t total = 0, least = INT32_MAX, own = 0;
    int found = POLICY_NO_CPU;

    for (int32_t i = 0; i < count; i++) {
        const int cpu = cpus[i];
        int32_t load = loads[cpu] * LOAD_ONE, own_load;
        bool fits = lowpri[cpu] > worse_than && loads[cpu] <= load_max;

        if (cpu == want->prefer) {
            load -= ule_credit(s, cpu);
            /* Where the task runs the best task may be itself. */
            fits = fits || (want->is_running && loads[cpu] <= load_max);
        }
        total += load;
        if (!fits || load > least || !ule_is_wanted(want, cpu))
            continue;
        own_load = load - ule_draw(&jitter, range);
        if (load < least || own_load < own) {
            least = load;
            own = own_load;
            found = cpu;
        }
    }
    s->tree->jitter = jitter;
    *best = (struct ule_found){least, own, found};
    return total;
}

/* Returns the load of the whole group. Parts are told apart by their totals, equal ones by their best cpus. */
static int32_t ule_lowest_in(const struct ule_search *s, int32_t index, struct ule_found *best)
{
    const struct ule_group *group = &s->tree->group[index];
    int32_t total = 0;

    if (group->child == ULE_NO_GROUP)
        return ule_lowest_of_cpus(s, group, best);
    *best = (struct ule_found){.load = INT32_MAX, .cpu = POLICY_NO_CPU};
    for (int32_t child = group->child; child != ULE_NO_GROUP; child = s->tree->group[child].next) {
        struct ule_found found;
        int32_t load = ule_lowest_in(s, child, &found);

        total += load;
        found.load = load;
        if (found.cpu != POLICY_NO_CPU &&
            (load < best->load || (load == best->load && found.own_load < best->own_load)))
            *best = found;
    }
    return total;
}

static bool ule_can_give(const struct ule_search *s, int cpu)
{
    const struct policy_task *running;

    if (s->only != NULL && !bsd_cpu_has(s->only, cpu))
        return false;
    if (s->u->transferable[cpu] > 0)
        return true;
    running = s->or_running ? policy_running(s->p, cpu) : NULL;
    return running != NULL && !ule_task(running)->pinned;
}

static int32_t ule_highest_of_cpus(const struct ule_search *s, const struct ule_group *group,
                                   struct ule_found *best)
{
    const int32_t *cpus = s->tree->cpu + group->first, *loads = s->u->load;
    const int32_t load_min = s->load_min, range = s->tree->jitter_range, count = group->count;
    uint64_t jitter = s->tree->jitter;
    int32_t total = 0, greatest = INT32_MIN, own = 0;
    int found = POLICY_NO_CPU;

    for (int32_t i = 0; i < count; i++) {
        const int cpu = cpus[i];
        int32_t load = loads[cpu] * LOAD_ONE, own_load;

        total += load;
        if (load < greatest || loads[cpu] < load_min || !ule_can_give(s, cpu))
            continue;
        own_load = load + ule_draw(&jitter, range);
        if (load > greatest || own_load > own) {
            greatest = load;
            own = own_load;
            found = cpu;
        }
    }
    s->tree->jitter = jitter;
    *best = (struct ule_found){greatest, own, found};
    return total;
}

static int32_t ule_highest_in(const struct ule_search *s, int32_t index, struct ule_found *best)
{
    const struct ule_group *group = &s->tree->group[index];
    int32_t total = 0;

    if (group->child == ULE_NO_GROUP)
        return ule_highest_of_cpus(s, group, best);
    *best = (struct ule_found){.load = INT32_MIN, .cpu = POLICY_NO_CPU};
    for (int32_t child = group->child; child != ULE_NO_GROUP; child = s->tree->group[child].next) {
        struct ule_found found;
        int32_t load = ule_highest_in(s, child, &found);

        total += load;
        found.load = load;
        if (found.cpu != POLICY_NO_CPU &&
            (load > best->load || (load == best->load && found.own_load > best->own_load)))
            *best = found;
    }
    return total;
}

int ule_search_lowest(struct policy *p, struct ule_tree *tree, int32_t group, int here,
                      const struct ule_want *want)
{
    struct ule_search s = {.u = policy_data(p), .tree = tree, .want = want, .p = p};
    struct ule_found best;

    policy_charge(p, here, POLICY_SCAN, (uint32_t)tree->group[group].count);
    (void)ule_lowest_in(&s, group, &best);
    return best.cpu;
}

int ule_search_highest(struct policy *p, struct ule_tree *tree, int32_t group, int here,
                       const uint64_t *only, int32_t load_min, bool or_running)
{
    struct ule_search s = {.u = policy_data(p),
                           .tree = tree,
                           .only = only,
                           .load_min = load_min,
                           .or_running = or_running,
                           .p = p};
    struct ule_found best;

    policy_charge(p, here, POLICY_SCAN, (uint32_t)tree->group[group].count);
    (void)ule_highest_in(&s, group, &best);
    return best.cpu;
}
