/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ule_search.h - the tree of cpu groups of ULE since 8.0, and the searches in it.
 *
 * Root: the machine; below it packages that contain several last-level caches, those caches, cores of several threads.
 * A level that divides nothing is left out, and what it says about sharing belongs to the group above.
 * Source: spec freebsd 5.6. Assumed: the last-level cache is an L3; caches between it and the core are not known
 * here, and NUMA nodes are no level.
 */
#ifndef HL_POLICY_ULE_SEARCH_H
#define HL_POLICY_ULE_SEARCH_H

#include "policy/ule_core.h"

enum { ULE_LEVEL_NONE = 0, ULE_LEVEL_L2 = 2, ULE_LEVEL_L3 = 3, ULE_NO_GROUP = -1 };

struct ule_group {
    int32_t parent, next; /* next: of the same parent */
    int32_t child; /* the first one; ULE_NO_GROUP: a leaf, whose cpus are looked at one by one */
    int32_t first, count;       /* its cpus, in ule_tree.cpu */
    int8_t level;               /* of the cache that all of them share */
    bool is_smt;                /* threads of one core */
    enum machine_distance span; /* between its cpus */
};

struct ule_tree {
    struct ule_group *group; /* group[0] is the machine */
    int32_t group_count;
    int32_t *cpu;                     /* all cpus, those of a group together */
    int32_t *leaf;                    /* by cpu: its smallest group */
    uint64_t jitter;                  /* breaks ties among equally loaded cpus */
    int32_t jitter_range, preference; /* in 1/256 of a task */
};

enum hl_status ule_tree_build(struct policy *p, struct ule_tree *tree,
                              struct hl_error *err) HL_MUST_CHECK;

struct ule_want {                   /* which cpu of a group */
    const struct policy_task *task; /* NULL: for nobody in particular, all cpus are allowed */
    const uint64_t *only;           /* set of cpus to choose from; NULL: all */
    int32_t worse_than;             /* the best task there has a larger priority number; -1: any */
    int32_t load_max;
    int32_t prefer;  /* a cpu that counts as a little less loaded */
    bool is_running; /* the task runs on that cpu and does not count there */
};

/* The least loaded cpu of the least loaded part of the group; POLICY_NO_CPU: none fits. Reports the look at each cpu
 * as work done on `here`. */
int ule_search_lowest(struct policy *p, struct ule_tree *tree, int32_t group, int here,
                      const struct ule_want *want);

/* The most loaded cpu of the most loaded part that has at least load_min tasks, one of them free to move (or, with
 * `or_running`, a running one). */
int ule_search_highest(struct policy *p, struct ule_tree *tree, int32_t group, int here,
                       const uint64_t *only, int32_t load_min, bool or_running);

#endif
