/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page_cache.c - files read into memory, or forgotten, one by one.
 *
 * Forgetting goes by posix_fadvise for the files alone: /proc/sys/vm/drop_caches would need root and
 * take away the compiler, and everybody else's files, too. What is left is counted by mincore.
 * History (.git) is no source and is passed over. Links are not followed.
 */
#include "host/page_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "base/units.h"
#include "host/folder.h"

/* What is done with each file. False: errno says why. */
typedef bool file_action(int fd, int64_t bytes, void *context);

static enum hl_status act_on_file(const FTSENT *entry, file_action *act, void *context,
                                  struct hl_error *err)
{
    int fd = open(entry->fts_accpath, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    enum hl_status status = HL_OK;

    /* What cannot be read is not read by the build either. */
    if (fd < 0)
        return HL_OK;
    if (!act(fd, entry->fts_statp->st_size, context))
        status = host_fail_errno(err, errno, entry->fts_path);
    (void)close(fd);
    return status;
}

static enum hl_status for_each_file(const char *folder, file_action *act, void *context,
                                    struct hl_error *err)
{
    char *const roots[] = {(char *)(uintptr_t)folder, NULL};
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    enum hl_status status = HL_OK;
    FTSENT *entry;

    if (tree == NULL)
        return host_fail_errno(err, errno, folder);
    while (status == HL_OK && (entry = fts_read(tree)) != NULL) {
        if (hl_interrupted())
            status = hl_fail(err, HL_INTERRUPTED, "interrupted");
        else if (entry->fts_info == FTS_D && strcmp(entry->fts_name, ".git") == 0)
            (void)fts_set(tree, entry, FTS_SKIP);
        else if (entry->fts_info == FTS_F && entry->fts_statp->st_size > 0)
            status = act_on_file(entry, act, context, err);
    }
    (void)fts_close(tree);
    return status;
}

static bool read_file(int fd, int64_t bytes, void *context)
{
    char buffer[65536];
    ssize_t got;

    (void)bytes;
    (void)context;
    while ((got = read(fd, buffer, sizeof(buffer))) != 0)
        if (got < 0 && errno != EINTR)
            return false;
    return true;
}

enum hl_status host_cache_fill(const char *folder, struct hl_error *err)
{
    return for_each_file(folder, read_file, NULL, err);
}

static bool drop_file(int fd, int64_t bytes, void *context)
{
    struct host_cached *left = context;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = ((size_t)bytes + page - 1) / page;
    unsigned char *is_in = hl_alloc(pages, 1);
    void *map;

    if (is_in == NULL) {
        errno = ENOMEM;
        return false;
    }
    (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    left->bytes += bytes;
    map = mmap(NULL, (size_t)bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (map != MAP_FAILED) {
        if (mincore(map, (size_t)bytes, is_in) == 0)
            for (size_t i = 0; i < pages; i++)
                left->cached_bytes += (is_in[i] & 1) != 0 ? (int64_t)page : 0;
        (void)munmap(map, (size_t)bytes);
    }
    hl_free(is_in);
    return true;
}

enum hl_status host_cache_drop(const char *folder, struct host_cached *left, struct hl_error *err)
{
    *left = (struct host_cached){0};
    return for_each_file(folder, drop_file, left, err);
}
