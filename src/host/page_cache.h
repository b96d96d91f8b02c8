/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page_cache.h - whether the files of a folder are in memory before a run.
 */
#ifndef HL_HOST_PAGE_CACHE_H
#define HL_HOST_PAGE_CACHE_H

#include <stdint.h>

#include "base/status.h"

struct host_cached {
    int64_t bytes;        /* of all files */
    int64_t cached_bytes; /* in memory, in whole pages; may be more than bytes */
};

/* Reads all files of the folder. */
enum hl_status host_cache_fill(const char *folder, struct hl_error *err) HL_MUST_CHECK;

/*
 * Asks the kernel to forget the files of the folder, which needs no privilege and touches no others,
 * and counts what it keeps: changed pages, mapped ones, all of a file system that lives in memory.
 */
enum hl_status host_cache_drop(const char *folder, struct host_cached *left,
                               struct hl_error *err) HL_MUST_CHECK;

#endif
