/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faulty_vfs.c - wraps SQLite's unix file layer; counts what changes files.
 *
 * A file is the wrapper's header followed by the real file. Locks, shared memory and reads are
 * passed on as they are.
 */
#include "faulty_vfs.h"

#include <assert.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <string.h>

struct faulty_file {
    sqlite3_file base; /* first: SQLite sees this */
    sqlite3_file *real;
};

static sqlite3_vfs *real_vfs;
static sqlite3_vfs vfs;
static enum faulty_kind kind;
static long countdown; /* 0: not armed */
static bool is_met;

static sqlite3_file *real_of(sqlite3_file *file)
{
    return ((struct faulty_file *)(void *)file)->real;
}

void faulty_vfs_arm(enum faulty_kind wanted, long n)
{
    kind = wanted;
    countdown = n;
    is_met = false;
}

int faulty_vfs_was_met(void)
{
    return is_met;
}

/* Counts one change; true if it is to fail. */
static bool fails_now(void)
{
    if (is_met && kind == FAULTY_FULL)
        return true;
    if (countdown == 0 || --countdown > 0)
        return false;
    is_met = true;
    return true;
}

static int failure(int io_code)
{
    if (kind == FAULTY_KILL)
        (void)raise(SIGKILL);
    return kind == FAULTY_FULL ? SQLITE_FULL : io_code;
}

static int on_close(sqlite3_file *file)
{
    return real_of(file)->pMethods->xClose(real_of(file));
}

static int on_read(sqlite3_file *file, void *data, int bytes, sqlite3_int64 offset)
{
    return real_of(file)->pMethods->xRead(real_of(file), data, bytes, offset);
}

static int on_write(sqlite3_file *file, const void *data, int bytes, sqlite3_int64 offset)
{
    if (!fails_now())
        return real_of(file)->pMethods->xWrite(real_of(file), data, bytes, offset);
    if (kind == FAULTY_KILL && bytes > 1)
        (void)real_of(file)->pMethods->xWrite(real_of(file), data, bytes / 2, offset);
    return failure(SQLITE_IOERR_WRITE);
}

static int on_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    if (fails_now())
        return failure(SQLITE_IOERR_TRUNCATE);
    return real_of(file)->pMethods->xTruncate(real_of(file), size);
}

static int on_sync(sqlite3_file *file, int flags)
{
    if (fails_now())
        return failure(SQLITE_IOERR_FSYNC);
    return real_of(file)->pMethods->xSync(real_of(file), flags);
}

static int on_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return real_of(file)->pMethods->xFileSize(real_of(file), size);
}

static int on_lock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xLock(real_of(file), level);
}

static int on_unlock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), level);
}

static int on_check_lock(sqlite3_file *file, int *is_reserved)
{
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), is_reserved);
}

static int on_control(sqlite3_file *file, int operation, void *argument)
{
    return real_of(file)->pMethods->xFileControl(real_of(file), operation, argument);
}

static int on_sector_size(sqlite3_file *file)
{
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}

static int on_characteristics(sqlite3_file *file)
{
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static int on_shm_map(sqlite3_file *file, int region, int bytes, int extend, void volatile **map)
{
    return real_of(file)->pMethods->xShmMap(real_of(file), region, bytes, extend, map);
}

static int on_shm_lock(sqlite3_file *file, int offset, int n, int flags)
{
    return real_of(file)->pMethods->xShmLock(real_of(file), offset, n, flags);
}

static void on_shm_barrier(sqlite3_file *file)
{
    real_of(file)->pMethods->xShmBarrier(real_of(file));
}

static int on_shm_unmap(sqlite3_file *file, int remove)
{
    return real_of(file)->pMethods->xShmUnmap(real_of(file), remove);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = on_close,
    .xRead = on_read,
    .xWrite = on_write,
    .xTruncate = on_truncate,
    .xSync = on_sync,
    .xFileSize = on_size,
    .xLock = on_lock,
    .xUnlock = on_unlock,
    .xCheckReservedLock = on_check_lock,
    .xFileControl = on_control,
    .xSectorSize = on_sector_size,
    .xDeviceCharacteristics = on_characteristics,
    .xShmMap = on_shm_map,
    .xShmLock = on_shm_lock,
    .xShmBarrier = on_shm_barrier,
    .xShmUnmap = on_shm_unmap,
};

static int on_open(sqlite3_vfs *self, sqlite3_filename name, sqlite3_file *file, int flags,
                   int *out_flags)
{
    struct faulty_file *faulty = (struct faulty_file *)(void *)file;
    int code;

    (void)self;
    faulty->real = (sqlite3_file *)(void *)(faulty + 1);
    code = real_vfs->xOpen(real_vfs, name, faulty->real, flags, out_flags);
    file->pMethods = code == SQLITE_OK ? &methods : NULL;
    return code;
}

static int on_delete(sqlite3_vfs *self, const char *name, int sync_folder)
{
    (void)self;
    if (fails_now())
        return failure(SQLITE_IOERR_DELETE);
    return real_vfs->xDelete(real_vfs, name, sync_folder);
}

void faulty_vfs_install(void)
{
    int code;

    real_vfs = sqlite3_vfs_find("unix");
    assert(real_vfs != NULL);
    /* What is not replaced finds the real layer's own fields in the copy. */
    vfs = *real_vfs;
    vfs.zName = "faulty";
    vfs.szOsFile = (int)sizeof(struct faulty_file) + real_vfs->szOsFile;
    vfs.xOpen = on_open;
    vfs.xDelete = on_delete;
    code = sqlite3_vfs_register(&vfs, 1);
    assert(code == SQLITE_OK);
}
