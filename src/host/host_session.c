/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host_session.c - the private folder of a session, and what is left of sessions that were killed.
 *
 *   WORK_DIR/halfload-session-a1b2c3/lock       "halfload session\npid 4711\n", locked by flock
 *                                   /tree       where builds run
 *                                   /pristine   what tree looks like before a build
 *                                   /source     copy of a kernel source that cannot be built from
 * in place /log        output of the last command
 *
 * The kernel drops the lock when the last process that holds it dies, however it dies, so a folder
 * whose lock can be had belongs to a dead session. Unlike a journalled pid this cannot be fooled by
 * a pid that is used again, a reboot, or a container that shares the folder and numbers its
 * processes anew. Processes of a dead session are known by an entry of their environment, which
 * names its folder.
 */
#include "host/host_session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"
#include "host/folder.h"
#include "host/process_tree.h"

static const char name_prefix[] = "halfload-session-";
static const char mark_name[] = "HALFLOAD_SESSION";
static const char lock_title[] = "halfload session\n";
#define END_GRACE_NS (2 * HL_NS_PER_S)

static enum hl_status find_marked(struct host_process_list *list, void *context)
{
    return host_processes_marked(list, context, NULL);
}

void host_session_end_processes(const struct host_session *session)
{
    char mark[sizeof(session->mark)];

    memcpy(mark, session->mark, sizeof(mark));
    (void)host_processes_end(find_marked, mark, END_GRACE_NS);
}

/* Removes the folder, the lock last: a removal that is cut short is taken up by the next start. */
static void remove_session_folder(const char *folder)
{
    static const char *const names[] = {"tree", "pristine", "source", "log", "hook", "lock"};
    char path[PATH_MAX];

    for (int i = 0; i < HL_COUNT_OF(names); i++)
        if (host_path_join(path, sizeof(path), folder, names[i], NULL) != HL_OK ||
            host_folder_remove(path, NULL) != HL_OK)
            return;
    (void)rmdir(folder);
}

static bool has_title(int lock)
{
    char text[sizeof(lock_title)] = "";

    return pread(lock, text, sizeof(lock_title) - 1, 0) == (ssize_t)sizeof(lock_title) - 1 &&
           strcmp(text, lock_title) == 0;
}

/* Are we ourselves part of a build of that session? Then it is not ours to end. */
static bool is_inside(const char *folder)
{
    const char *own = getenv(mark_name);

    return own != NULL && strcmp(own, folder) == 0;
}

static void name_session(struct host_session *session, const char *folder)
{
    (void)snprintf(session->folder, sizeof(session->folder), "%s", folder);
    (void)snprintf(session->mark, sizeof(session->mark), "%s=%s", mark_name, folder);
}

/* Ends and removes the session in `folder` if it is dead and ours. */
static void recover_session(const char *folder)
{
    struct host_session dead = {0};
    char path[PATH_MAX];
    struct stat status;
    int lock;

    if (is_inside(folder) || lstat(folder, &status) != 0 || !S_ISDIR(status.st_mode) ||
        status.st_uid != geteuid() ||
        host_path_join(path, sizeof(path), folder, "lock", NULL) != HL_OK)
        return;
    lock = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0 && has_title(lock)) {
        name_session(&dead, folder);
        host_session_end_processes(&dead);
        remove_session_folder(folder);
    } else if (lock < 0 && errno == ENOENT && time(NULL) - status.st_mtime > 60) {
        /* Killed right after the folder was made. Only an empty one goes. */
        (void)rmdir(folder);
    }
    if (lock >= 0)
        (void)close(lock);
}

static void recover_sessions(const char *work_dir)
{
    DIR *folder = opendir(work_dir);
    struct dirent *entry;
    char path[PATH_MAX];

    if (folder == NULL)
        return;
    while ((entry = readdir(folder)) != NULL)
        if (strncmp(entry->d_name, name_prefix, sizeof(name_prefix) - 1) == 0 &&
            host_path_join(path, sizeof(path), work_dir, entry->d_name, NULL) == HL_OK)
            recover_session(path);
    (void)closedir(folder);
}

static enum hl_status take_lock(struct host_session *session, struct hl_error *err)
{
    char path[PATH_MAX], text[64];
    size_t length;

    HL_TRY(host_path_join(path, sizeof(path), session->folder, "lock", err));
    session->lock = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    /* Another start may hold it for the moment it takes to see that it is empty. */
    if (session->lock < 0 || flock(session->lock, LOCK_EX) != 0)
        return host_fail_errno(err, errno, path);
    length = (size_t)snprintf(text, sizeof(text), "%spid %d\n", lock_title, (int)getpid());
    if (write(session->lock, text, length) != (ssize_t)length)
        return host_fail_errno(err, errno == 0 ? EIO : errno, path);
    return HL_OK;
}

enum hl_status host_work_dir_find(char real[static PATH_MAX], const char *wanted,
                                  struct hl_error *err)
{
    if (wanted == NULL)
        wanted = getenv("TMPDIR");
    if (wanted == NULL || wanted[0] == '\0')
        wanted = "/var/tmp";
    if (realpath(wanted, real) == NULL)
        return hl_fail(
            err, HL_NOT_PERMITTED,
            "%s: %s; expected a folder for private copies: give one by --work-dir or TMPDIR",
            wanted, strerror(errno));
    return HL_OK;
}

enum hl_status host_session_open(struct host_session *session, const char *work_dir,
                                 struct hl_error *err)
{
    char folder[PATH_MAX], name[64];
    enum hl_status status;

    *session = (struct host_session){.lock = -1};
    host_scheduler_read(&session->scheduler);
    recover_sessions(work_dir);
    (void)snprintf(name, sizeof(name), "%sXXXXXX", name_prefix);
    HL_TRY(host_path_join(folder, sizeof(folder), work_dir, name, err));
    if (mkdtemp(folder) == NULL)
        return hl_fail(err, HL_NOT_PERMITTED,
                       "%s: cannot make a folder in it: %s; give one that can be written by "
                       "--work-dir or TMPDIR",
                       work_dir, strerror(errno));
    name_session(session, folder);
    status = take_lock(session, err);
    if (status != HL_OK)
        host_session_close(session);
    return status;
}

void host_session_close(struct host_session *session)
{
    if (session->folder[0] == '\0')
        return;
    remove_session_folder(session->folder);
    if (session->lock >= 0)
        (void)close(session->lock);
    *session = (struct host_session){.lock = -1};
}
