/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * system_tree.h - a temporary tree of system files as the sysroot, written file by file.
 */
#ifndef HL_TESTS_SYSTEM_TREE_H
#define HL_TESTS_SYSTEM_TREE_H

#include <sys/types.h>

/* Set-up and tear-down of a test: an empty tree as the sysroot; gone, and the real system again. */
int system_tree_open(void **state);
int system_tree_close(void **state);

/* One file, with the folders on the way to it. */
void system_tree_write(const char *path, const char *text);
void system_tree_remove(const char *path);
void system_tree_forbid(const char *path); /* nobody may read it; root still can */

/* A tree of tests/machines/ in addition to what is there. */
void system_tree_unpack(const char *name);

#endif
