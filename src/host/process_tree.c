/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process_tree.c - reads the tree of processes from /proc.
 *
 * /proc/PID/task/TID/children lists the children of one thread, so the cost goes with the size of
 * the tree and not with that of the system: it can be read many times during a build. Kernels built
 * without it are read by the parents of all processes. A line of /proc/PID/stat:
 *
 *   4711 (cc1) R 4710 4690 4690 0 -1 4194304 2311 0 0 0 7 1 0 0 20 0 1 0 ...
 *   pid comm state parent group session ...                         threads is field 20
 */
#include "host/process_tree.h"

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/units.h"

enum { ENVIRONMENT_MAX = 1 << 21 }; /* the kernel's usual limit of arguments and environment */

int64_t host_now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * HL_NS_PER_S + now.tv_nsec;
}

/* Reads a file of /proc into text[bytes] with a final NUL; -1 if it cannot be opened. */
static ssize_t read_proc(const char *path, char *text, size_t bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t used = 0;

    if (fd < 0)
        return -1;
    while (used + 1 < bytes) {
        ssize_t got = read(fd, text + used, bytes - 1 - used);

        if (got <= 0)
            break;
        used += (size_t)got;
    }
    (void)close(fd);
    text[used] = '\0';
    return (ssize_t)used;
}

/* False if the process is gone. */
static bool read_stat(pid_t pid, struct host_process *process)
{
    char path[64], text[1024];
    const char *open_paren, *close_paren;
    size_t length;

    (void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    if (read_proc(path, text, sizeof(text)) <= 0)
        return false;
    /* The name may hold blanks and parentheses; what follows it does not. */
    open_paren = strchr(text, '(');
    close_paren = strrchr(text, ')');
    if (open_paren == NULL || close_paren == NULL)
        return false;
    *process = (struct host_process){.pid = pid};
    length = HL_MIN((size_t)(close_paren - open_paren - 1), sizeof(process->name) - 1);
    memcpy(process->name, open_paren + 1, length);
    return sscanf(close_paren + 1,
                  " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d",
                  &process->state, &process->parent, &process->threads) == 3;
}

static enum hl_status list_add(struct host_process_list *list, pid_t pid, struct hl_error *err)
{
    struct host_process process;

    if (!read_stat(pid, &process))
        return HL_OK;
    HL_TRY(
        hl_grow(&list->processes, &list->capacity, list->count + 1, sizeof(*list->processes), err));
    list->processes[list->count++] = process;
    return HL_OK;
}

/* Adds the children of one thread. */
static enum hl_status add_children(struct host_process_list *list, pid_t pid, pid_t thread,
                                   struct hl_error *err)
{
    char path[64], text[16384];
    char *at = text, *end;

    (void)snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)thread);
    if (read_proc(path, text, sizeof(text)) <= 0)
        return HL_OK;
    for (;;) {
        long child = strtol(at, &end, 10);

        /* A number that ends the buffer may be cut off. */
        if (end == at || *end == '\0')
            return HL_OK;
        HL_TRY(list_add(list, (pid_t)child, err));
        at = end;
    }
}

/* Calls `visit` for every entry of `path` whose name is a number. */
static enum hl_status
for_each_number(const char *path,
                enum hl_status (*visit)(struct host_process_list *list, pid_t number,
                                        const void *context, struct hl_error *err),
                struct host_process_list *list, const void *context, struct hl_error *err)
{
    DIR *folder = opendir(path);
    enum hl_status status = HL_OK;
    struct dirent *entry;

    if (folder == NULL)
        return HL_OK;
    while (status == HL_OK && (entry = readdir(folder)) != NULL)
        if (isdigit((unsigned char)entry->d_name[0]))
            status = visit(list, (pid_t)strtol(entry->d_name, NULL, 10), context, err);
    (void)closedir(folder);
    return status;
}

static enum hl_status visit_thread(struct host_process_list *list, pid_t thread,
                                   const void *context, struct hl_error *err)
{
    return add_children(list, *(const pid_t *)context, thread, err);
}

static enum hl_status visit_process(struct host_process_list *list, pid_t pid, const void *context,
                                    struct hl_error *err)
{
    (void)context;
    return list_add(list, pid, err);
}

/* Moves the children of `parent` among the entries from `from` on to the front of these; returns
 * where they end. */
static size_t move_children(struct host_process_list *list, size_t from, pid_t parent)
{
    for (size_t i = from; i < list->count; i++)
        if (list->processes[i].parent == parent) {
            struct host_process found = list->processes[i];

            list->processes[i] = list->processes[from];
            list->processes[from++] = found;
        }
    return from;
}

enum hl_status host_processes_below_by_scan(struct host_process_list *list, pid_t root,
                                            struct hl_error *err)
{
    size_t below;

    list->count = 0;
    HL_TRY(for_each_number("/proc", visit_process, list, NULL, err));
    below = move_children(list, 0, root);
    for (size_t i = 0; i < below; i++)
        below = move_children(list, below, list->processes[i].pid);
    list->count = below;
    return HL_OK;
}

enum hl_status host_processes_below(struct host_process_list *list, pid_t root,
                                    struct hl_error *err)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)root, (int)root);
    if (access(path, R_OK) != 0)
        return host_processes_below_by_scan(list, root, err);
    list->count = 0;
    HL_TRY(add_children(list, root, root, err));
    for (size_t i = 0; i < list->count; i++) {
        pid_t pid = list->processes[i].pid;

        if (list->processes[i].threads <= 1) {
            HL_TRY(add_children(list, pid, pid, err));
        } else {
            (void)snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
            HL_TRY(for_each_number(path, visit_thread, list, &pid, err));
        }
    }
    return HL_OK;
}

struct mark {
    const char *entry;
    char *text; /* ENVIRONMENT_MAX bytes */
};

static enum hl_status visit_marked(struct host_process_list *list, pid_t pid, const void *context,
                                   struct hl_error *err)
{
    const struct mark *mark = context;
    char path[64];
    ssize_t length;

    (void)snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
    length = pid == getpid() ? -1 : read_proc(path, mark->text, ENVIRONMENT_MAX);
    for (ssize_t at = 0; at < length; at += (ssize_t)strlen(mark->text + at) + 1)
        if (strcmp(mark->text + at, mark->entry) == 0)
            return list_add(list, pid, err);
    return HL_OK;
}

enum hl_status host_processes_marked(struct host_process_list *list, const char *entry,
                                     struct hl_error *err)
{
    struct mark mark = {.entry = entry, .text = hl_alloc(ENVIRONMENT_MAX, 1)};
    enum hl_status status;

    if (mark.text == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for the environment of a process");
    list->count = 0;
    status = for_each_number("/proc", visit_marked, list, &mark, err);
    hl_free(mark.text);
    return status;
}

void host_process_list_close(struct host_process_list *list)
{
    hl_free(list->processes);
    *list = (struct host_process_list){0};
}

size_t host_processes_end(host_process_finder *find, void *context, int64_t grace_ns)
{
    struct host_process_list list = {0};
    int64_t start_ns = host_now_ns();
    int64_t now_ns = start_ns;
    size_t alive = 0;

    for (;;) {
        int number = now_ns - start_ns < grace_ns ? SIGTERM : SIGKILL;

        alive = 0;
        if (find(&list, context) != HL_OK)
            break;
        for (size_t i = 0; i < list.count; i++) {
            const struct host_process *process = &list.processes[i];

            if (process->state == 'Z' || process->state == 'X')
                continue;
            assert(process->pid > 1);
            alive++;
            (void)kill(process->pid, number);
            /* A stopped process takes no SIGTERM before it goes on. */
            if (number == SIGTERM)
                (void)kill(process->pid, SIGCONT);
        }
        if (alive == 0 || now_ns - start_ns > 10 * HL_NS_PER_S)
            break;
        (void)usleep(10 * 1000);
        now_ns = host_now_ns();
    }
    host_process_list_close(&list);
    return alive;
}
