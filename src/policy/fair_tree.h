/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fair_tree.h - the waiting entities of a fair queue in order of a key, with the least vruntime and
 * slice of every subtree.
 *
 * CFS orders by vruntime, EEVDF by deadline and asks for the earliest deadline among those whose
 * vruntime is small enough. Equal keys keep the order of insertion. The shape is a treap whose
 * priorities are a hash of the number of the insertion: balanced in expectation, the same in every
 * run.
 */
#ifndef HL_POLICY_FAIR_TREE_H
#define HL_POLICY_FAIR_TREE_H

#include <stddef.h>
#include <stdint.h>

struct fair_node {
    struct fair_node *parent, *left, *right;
    int64_t key;                        /* set before insertion */
    int64_t vruntime, slice_ns;         /* the same */
    int64_t min_vruntime, min_slice_ns; /* of the subtree */
    uint32_t priority;                  /* larger is nearer to the root */
};

struct fair_tree {
    struct fair_node *root, *first;
    uint32_t insertions;
};

void fair_tree_insert(struct fair_tree *tree, struct fair_node *node);
/* While it is in the tree. */
void fair_tree_set_slice(struct fair_node *node, int64_t slice_ns);
void fair_tree_remove(struct fair_tree *tree, struct fair_node *node);
struct fair_node *fair_tree_next(const struct fair_node *node); /* NULL at the end */

#endif
