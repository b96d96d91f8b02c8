/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fair_tree.c - see fair_tree.h.
 */
#include "policy/fair_tree.h"

#include "base/units.h"

static void update(struct fair_node *node)
{
    node->min_vruntime = node->vruntime;
    node->min_slice_ns = node->slice_ns;
    if (node->left != NULL) {
        node->min_vruntime = HL_MIN(node->min_vruntime, node->left->min_vruntime);
        node->min_slice_ns = HL_MIN(node->min_slice_ns, node->left->min_slice_ns);
    }
    if (node->right != NULL) {
        node->min_vruntime = HL_MIN(node->min_vruntime, node->right->min_vruntime);
        node->min_slice_ns = HL_MIN(node->min_slice_ns, node->right->min_slice_ns);
    }
}

static void update_up(struct fair_node *node)
{
    for (; node != NULL; node = node->parent)
        update(node);
}

/* `node` takes the place of `old` below its parent. */
static void replace(struct fair_tree *tree, const struct fair_node *old, struct fair_node *node)
{
    if (old->parent == NULL)
        tree->root = node;
    else if (old->parent->left == old)
        old->parent->left = node;
    else
        old->parent->right = node;
    if (node != NULL)
        node->parent = old->parent;
}

/* Turns `node` and its parent round: the parent becomes its child. */
static void rotate_up(struct fair_tree *tree, struct fair_node *node)
{
    struct fair_node *parent = node->parent, *moved;

    replace(tree, parent, node);
    if (parent->left == node) {
        moved = node->right;
        parent->left = moved;
        node->right = parent;
    } else {
        moved = node->left;
        parent->right = moved;
        node->left = parent;
    }
    if (moved != NULL)
        moved->parent = parent;
    parent->parent = node;
    update(parent);
    update(node);
}

void fair_tree_insert(struct fair_tree *tree, struct fair_node *node)
{
    struct fair_node **link = &tree->root, *parent = NULL;
    uint32_t mix = ++tree->insertions * UINT32_C(0x9e3779b1);
    int is_first = 1;

    node->left = node->right = NULL;
    node->priority = (mix ^ mix >> 15) * UINT32_C(0x85ebca6b);
    while (*link != NULL) {
        parent = *link;
        if (node->key < parent->key) {
            link = &parent->left;
        } else {
            link = &parent->right;
            is_first = 0;
        }
    }
    *link = node;
    node->parent = parent;
    if (is_first)
        tree->first = node;
    update(node);
    while (node->parent != NULL && node->parent->priority < node->priority)
        rotate_up(tree, node);
    update_up(node->parent);
}

void fair_tree_remove(struct fair_tree *tree, struct fair_node *node)
{
    if (tree->first == node)
        tree->first = fair_tree_next(node);
    while (node->left != NULL && node->right != NULL)
        rotate_up(tree, node->left->priority > node->right->priority ? node->left : node->right);
    replace(tree, node, node->left != NULL ? node->left : node->right);
    update_up(node->parent);
    node->parent = node->left = node->right = NULL;
}

void fair_tree_set_slice(struct fair_node *node, int64_t slice_ns)
{
    node->slice_ns = slice_ns;
    update_up(node);
}

struct fair_node *fair_tree_next(const struct fair_node *node)
{
    struct fair_node *next;

    if (node->right != NULL) {
        for (next = node->right; next->left != NULL;)
            next = next->left;
        return next;
    }
    while (node->parent != NULL && node->parent->right == node)
        node = node->parent;
    return node->parent;
}
