/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list.h - intrusive doubly linked list. All-zero is a valid empty list and a valid unlinked link.
 */
#ifndef HL_BASE_LIST_H
#define HL_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct hl_link {
    struct hl_link *next, *prev; /* NULL at the ends */
};

struct hl_list {
    struct hl_link *first, *last;
};

/* The struct that holds `link` as `member`; NULL for NULL. */
#define HL_LIST_ENTRY(link, type, member)                                                          \
    ((link) == NULL ? NULL : (type *)(void *)((char *)(link)-offsetof(type, member)))

static inline bool hl_list_is_empty(const struct hl_list *list)
{
    return list->first == NULL;
}

/* Links `link` in front of `before`, which is on the list; NULL: at the end. */
static inline void hl_list_insert_before(struct hl_list *list, struct hl_link *before,
                                         struct hl_link *link)
{
    struct hl_link *after = before == NULL ? list->last : before->prev;

    link->next = before;
    link->prev = after;
    if (after == NULL)
        list->first = link;
    else
        after->next = link;
    if (before == NULL)
        list->last = link;
    else
        before->prev = link;
}

static inline void hl_list_push_back(struct hl_list *list, struct hl_link *link)
{
    hl_list_insert_before(list, NULL, link);
}

static inline void hl_list_push_front(struct hl_list *list, struct hl_link *link)
{
    hl_list_insert_before(list, list->first, link);
}

static inline void hl_list_remove(struct hl_list *list, struct hl_link *link)
{
    if (link->prev == NULL)
        list->first = link->next;
    else
        link->prev->next = link->next;
    if (link->next == NULL)
        list->last = link->prev;
    else
        link->next->prev = link->prev;
    link->next = link->prev = NULL;
}

#endif
