/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folder.c - making, copying and removing folders.
 *
 * The copy goes by size and time of change, as rsync does: bringing a built tree back to its
 * pristine state then writes only what the build changed, and the disk is not busy with a whole
 * fresh copy when the next build is timed. A copy shares blocks with its origin where the file
 * system can (btrfs, xfs); hard links would let a build change the origin.
 */
#include "host/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/interrupt.h"

enum {
    DEPTH_MAX = 200, /* three descriptors each: below the usual limit of 1024 */
    OPEN_FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
    MODE_BITS = 0777, /* set-id bits have no use in a private copy */
};

enum hl_status host_fail_errno(struct hl_error *err, int number, const char *what)
{
    if (number == ENOSPC || number == EDQUOT)
        return hl_fail(err, HL_NOT_PERMITTED,
                       "%s: %s; free some, or give a folder with more room by --work-dir or TMPDIR",
                       what, strerror(number));
    return hl_fail(err, number == ENOMEM ? HL_NO_MEMORY : HL_NOT_PERMITTED, "%s: %s", what,
                   strerror(number));
}

enum hl_status host_path_join(char *path, size_t bytes, const char *folder, const char *name,
                              struct hl_error *err)
{
    int length = snprintf(path, bytes, "%s/%s", folder, name);

    if (length < 0 || (size_t)length >= bytes)
        return hl_fail(err, HL_NOT_PERMITTED, "%s/%s: path is longer than %zu bytes", folder, name,
                       bytes - 1);
    return HL_OK;
}

enum hl_status host_folder_make(const char *path, struct hl_error *err)
{
    if (mkdir(path, 0700) != 0)
        return host_fail_errno(err, errno, path);
    return HL_OK;
}

static bool write_all(int fd, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t written = write(fd, bytes, count);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        bytes += written;
        count -= (size_t)written;
    }
    return true;
}

enum hl_status host_file_write(const char *path, const void *bytes, size_t count,
                               struct hl_error *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    int number = 0;

    if (fd < 0)
        return host_fail_errno(err, errno, path);
    if (!write_all(fd, bytes, count))
        number = errno;
    /* Some file systems say only here that the disk is full. */
    if (close(fd) != 0 && number == 0)
        number = errno;
    return number == 0 ? HL_OK : host_fail_errno(err, number, path);
}

/* The walk: options and the path below `from` of the entry in hand, for messages and links. */
struct walk {
    const struct host_mirror_options *options;
    const char *from, *to; /* for messages */
    char path[PATH_MAX];   /* "" at the top */
    size_t length;
    int depth;
};

static enum hl_status walk_push(struct walk *walk, const char *name, size_t *restore,
                                struct hl_error *err)
{
    int added = snprintf(walk->path + walk->length, sizeof(walk->path) - walk->length, "%s%s",
                         walk->length == 0 ? "" : "/", name);

    if (added < 0 || (size_t)added >= sizeof(walk->path) - walk->length) {
        walk->path[walk->length] = '\0';
        return hl_fail(err, HL_NOT_PERMITTED, "%s/%s: path below it is longer than %d bytes",
                       walk->from, walk->path, PATH_MAX - 1);
    }
    *restore = walk->length;
    walk->length += (size_t)added;
    return HL_OK;
}

static void walk_pop(struct walk *walk, size_t restore)
{
    walk->length = restore;
    walk->path[restore] = '\0';
}

/* Says which side could not be read or written. */
static enum hl_status walk_fail(const struct walk *walk, const char *side, struct hl_error *err)
{
    char what[PATH_MAX + 256];
    int number = errno;

    (void)snprintf(what, sizeof(what), "%s%s%s", side, walk->length == 0 ? "" : "/", walk->path);
    return host_fail_errno(err, number, what);
}

static bool is_dot(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Opens a folder that its owner may not be allowed to read, as module caches are. */
static int open_folder(int parent, const char *name)
{
    int fd = openat(parent, name, OPEN_FOLDER);

    if (fd < 0 && errno == EACCES && fchmodat(parent, name, 0700, 0) == 0)
        fd = openat(parent, name, OPEN_FOLDER);
    return fd;
}

/* Removes `name` in `parent`. False: errno says why. */
static bool remove_entry(int parent, const char *name, int depth)
{
    struct dirent *entry;
    DIR *folder;
    bool done = true;
    int fd;

    if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
        return true;
    if (errno != EISDIR && errno != EPERM && errno != EACCES)
        return false;
    if (unlinkat(parent, name, AT_REMOVEDIR) == 0)
        return true;
    if (errno != ENOTEMPTY && errno != EEXIST && errno != EACCES)
        return false;
    if (depth == DEPTH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    fd = open_folder(parent, name);
    if (fd < 0)
        return false;
    /* Entries can be removed only from a folder that may be written. */
    (void)fchmod(fd, 0700);
    folder = fdopendir(fd);
    if (folder == NULL) {
        (void)close(fd);
        return false;
    }
    while (done && (entry = readdir(folder)) != NULL)
        if (!is_dot(entry->d_name))
            done = remove_entry(fd, entry->d_name, depth + 1);
    if (!done) {
        int number = errno;

        (void)closedir(folder);
        errno = number;
        return false;
    }
    (void)closedir(folder);
    return unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
}

enum hl_status host_folder_remove(const char *path, struct hl_error *err)
{
    /* A process that is just ending may still write: what comes while we remove is removed too. */
    for (int tries = 0; tries < 20; tries++) {
        if (remove_entry(AT_FDCWD, path, 0))
            return HL_OK;
        if (errno != ENOTEMPTY && errno != EEXIST)
            break;
        (void)usleep(10 * 1000);
    }
    return host_fail_errno(err, errno, path);
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool copy_bytes(int from, int to)
{
    char buffer[65536];

    if (ioctl(to, FICLONE, from) == 0)
        return true;
    for (;;) {
        ssize_t got = read(from, buffer, sizeof(buffer));

        if (got == 0)
            return true;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 || !write_all(to, buffer, (size_t)got))
            return false;
    }
}

static bool set_times(int fd, const struct stat *like)
{
    struct timespec times[2] = {like->st_atim, like->st_mtim};

    return futimens(fd, times) == 0;
}

static enum hl_status mirror_file(struct walk *walk, int from, int to, const char *name,
                                  const struct stat *wanted, const struct stat *found,
                                  struct hl_error *err)
{
    enum hl_status status = HL_OK;
    int in, out;

    if (found != NULL && S_ISREG(found->st_mode) && found->st_size == wanted->st_size &&
        same_time(&found->st_mtim, &wanted->st_mtim) &&
        (found->st_mode & MODE_BITS) == (wanted->st_mode & MODE_BITS))
        return HL_OK;
    if (found != NULL && !remove_entry(to, name, walk->depth))
        return walk_fail(walk, walk->to, err);
    in = openat(from, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (in < 0)
        return walk_fail(walk, walk->from, err);
    out = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (out < 0 || !copy_bytes(in, out) || fchmod(out, wanted->st_mode & MODE_BITS) != 0 ||
        !set_times(out, wanted))
        status = walk_fail(walk, walk->to, err);
    (void)close(in);
    if (out >= 0 && close(out) != 0 && status == HL_OK)
        status = walk_fail(walk, walk->to, err);
    return status;
}

/* Does a relative link in the folder of walk->path lead out of the topmost folder? By its text
 * alone: a link through another link is rare, and then only a path of the origin is read. */
static bool leads_out(const struct walk *walk, const char *target)
{
    int level = 0;

    for (const char *at = walk->path; *at != '\0'; at++)
        level += *at == '/';
    while (*target != '\0') {
        size_t length = strcspn(target, "/");

        if (length == 2 && strncmp(target, "..", 2) == 0)
            level--;
        else if (length > 0 && !(length == 1 && target[0] == '.'))
            level++;
        if (level < 0)
            return true;
        target += length + strspn(target + length, "/");
    }
    return false;
}

static enum hl_status keep_meaning(const struct walk *walk, char *target, size_t bytes,
                                   struct hl_error *err)
{
    const char *root = walk->options == NULL ? NULL : walk->options->real_from;
    char old[PATH_MAX];
    size_t root_length;
    int length = 0;

    if (root == NULL)
        return HL_OK;
    root_length = strlen(root);
    (void)snprintf(old, sizeof(old), "%s", target);
    if (old[0] == '/') {
        if (strncmp(old, root, root_length) == 0 &&
            (old[root_length] == '/' || old[root_length] == '\0'))
            length = snprintf(target, bytes, "%s%s", walk->options->real_to, old + root_length);
    } else if (leads_out(walk, old)) {
        const char *slash = strrchr(walk->path, '/');
        int folder = slash == NULL ? 0 : (int)(slash - walk->path);

        length = snprintf(target, bytes, "%s/%.*s/%s", root, folder, walk->path, old);
    }
    if (length < 0 || (size_t)length >= bytes)
        return hl_fail(err, HL_NOT_PERMITTED, "%s/%s: link is longer than %zu bytes", root,
                       walk->path, bytes - 1);
    return HL_OK;
}

static enum hl_status mirror_link(struct walk *walk, int from, int to, const char *name,
                                  const struct stat *found, struct hl_error *err)
{
    char wanted[PATH_MAX], is[PATH_MAX];
    ssize_t length = readlinkat(from, name, wanted, sizeof(wanted) - 1);

    if (length < 0)
        return walk_fail(walk, walk->from, err);
    wanted[length] = '\0';
    HL_TRY(keep_meaning(walk, wanted, sizeof(wanted), err));
    if (found != NULL) {
        length = S_ISLNK(found->st_mode) ? readlinkat(to, name, is, sizeof(is) - 1) : -1;
        if (length >= 0) {
            is[length] = '\0';
            if (strcmp(is, wanted) == 0)
                return HL_OK;
        }
        if (!remove_entry(to, name, walk->depth))
            return walk_fail(walk, walk->to, err);
    }
    if (symlinkat(wanted, to, name) != 0)
        return walk_fail(walk, walk->to, err);
    return HL_OK;
}

static enum hl_status mirror_folder(struct walk *walk, int from, int to, struct hl_error *err);

static enum hl_status mirror_subfolder(struct walk *walk, int from, int to, const char *name,
                                       const struct stat *wanted, const struct stat *found,
                                       struct hl_error *err)
{
    enum hl_status status;
    int in, out;

    if (walk->depth == DEPTH_MAX)
        return hl_fail(err, HL_UNSUPPORTED, "%s/%s: more than %d folders deep", walk->from,
                       walk->path, DEPTH_MAX);
    if (found != NULL && !S_ISDIR(found->st_mode)) {
        if (!remove_entry(to, name, walk->depth))
            return walk_fail(walk, walk->to, err);
        found = NULL;
    }
    if (found == NULL && mkdirat(to, name, 0700) != 0)
        return walk_fail(walk, walk->to, err);
    in = openat(from, name, OPEN_FOLDER);
    if (in < 0)
        return walk_fail(walk, walk->from, err);
    out = open_folder(to, name);
    if (out < 0) {
        status = walk_fail(walk, walk->to, err);
    } else {
        (void)fchmod(out, 0700);
        walk->depth++;
        status = mirror_folder(walk, in, out, err);
        walk->depth--;
        /* Last, because each entry made or removed sets the time. */
        if (status == HL_OK &&
            (fchmod(out, wanted->st_mode & MODE_BITS) != 0 || !set_times(out, wanted)))
            status = walk_fail(walk, walk->to, err);
        (void)close(out);
    }
    (void)close(in);
    return status;
}

static enum hl_status mirror_entry(struct walk *walk, int from, int to, const char *name,
                                   struct hl_error *err)
{
    struct stat wanted, is;
    const struct stat *found = NULL;

    if (hl_interrupted())
        return hl_fail(err, HL_INTERRUPTED, "interrupted while %s was copied", walk->from);
    if (fstatat(from, name, &wanted, AT_SYMLINK_NOFOLLOW) != 0)
        return walk_fail(walk, walk->from, err);
    if (fstatat(to, name, &is, AT_SYMLINK_NOFOLLOW) == 0)
        found = &is;
    else if (errno != ENOENT)
        return walk_fail(walk, walk->to, err);
    if (S_ISDIR(wanted.st_mode))
        return mirror_subfolder(walk, from, to, name, &wanted, found, err);
    if (S_ISREG(wanted.st_mode))
        return mirror_file(walk, from, to, name, &wanted, found, err);
    if (S_ISLNK(wanted.st_mode))
        return mirror_link(walk, from, to, name, found, err);
    return HL_OK;
}

static bool is_skipped(const struct walk *walk, const char *name)
{
    if (walk->options == NULL || walk->options->skip == NULL || walk->length != 0)
        return false;
    for (const char *const *skip = walk->options->skip; *skip != NULL; skip++)
        if (strcmp(*skip, name) == 0)
            return true;
    return false;
}

/* A stream of the folder's entries that leaves `fd` open. NULL: errno says why. */
static DIR *list_folder(int fd)
{
    int own = openat(fd, ".", OPEN_FOLDER);
    DIR *folder = own < 0 ? NULL : fdopendir(own);

    if (folder == NULL && own >= 0)
        (void)close(own);
    return folder;
}

/* Removes from `to` what `from` does not have. */
static enum hl_status remove_surplus(struct walk *walk, int from, int to, struct hl_error *err)
{
    enum hl_status status = HL_OK;
    struct dirent *entry;
    DIR *folder = list_folder(to);

    if (folder == NULL)
        return walk_fail(walk, walk->to, err);
    while (status == HL_OK && (entry = readdir(folder)) != NULL) {
        struct stat unused;

        if (is_dot(entry->d_name) || is_skipped(walk, entry->d_name) ||
            fstatat(from, entry->d_name, &unused, AT_SYMLINK_NOFOLLOW) == 0)
            continue;
        if (!remove_entry(to, entry->d_name, walk->depth))
            status = walk_fail(walk, walk->to, err);
    }
    (void)closedir(folder);
    return status;
}

static enum hl_status mirror_folder(struct walk *walk, int from, int to, struct hl_error *err)
{
    enum hl_status status = remove_surplus(walk, from, to, err);
    struct dirent *entry;
    DIR *folder;

    if (status != HL_OK)
        return status;
    folder = list_folder(from);
    if (folder == NULL)
        return walk_fail(walk, walk->from, err);
    while (status == HL_OK && (entry = readdir(folder)) != NULL) {
        size_t restore = 0;

        if (is_dot(entry->d_name) || is_skipped(walk, entry->d_name))
            continue;
        status = walk_push(walk, entry->d_name, &restore, err);
        if (status != HL_OK)
            break;
        status = mirror_entry(walk, from, to, entry->d_name, err);
        walk_pop(walk, restore);
    }
    (void)closedir(folder);
    return status;
}

enum hl_status host_folder_mirror(const char *from, const char *to,
                                  const struct host_mirror_options *options, struct hl_error *err)
{
    struct walk walk = {.options = options, .from = from, .to = to};
    int in = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int out = -1;
    enum hl_status status;

    if (in < 0)
        return host_fail_errno(err, errno, from);
    out = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    status = out < 0 ? host_fail_errno(err, errno, to) : mirror_folder(&walk, in, out, err);
    if (out >= 0)
        (void)close(out);
    (void)close(in);
    return status;
}
