/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faulty_vfs.h - SQLite's file layer with a fault at the n-th change of a file.
 */
#ifndef HL_TESTS_FAULTY_VFS_H
#define HL_TESTS_FAULTY_VFS_H

enum faulty_kind {
    FAULTY_KILL, /* half of the write is done, then the process is killed */
    FAULTY_FULL, /* this write and all after it find the disk full */
    FAULTY_IO    /* this change alone fails */
};

/* Becomes the file layer of all databases opened from now on in this process. */
void faulty_vfs_install(void);

/* The n-th write, truncation, sync or removal from now (1: the next); 0: none, and the disk has
 * room again. */
void faulty_vfs_arm(enum faulty_kind kind, long n);

/* True if the armed fault has been met. */
int faulty_vfs_was_met(void);

#endif
