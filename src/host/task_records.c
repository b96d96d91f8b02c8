/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task_records.c - run delay and number of tasks from taskstats, over generic netlink.
 *
 * A process with CAP_NET_ADMIN can ask for a record of every task that ends on a set of cpus. It
 * has the task's id, its parent's, and how long the task was runnable without running; that sum is
 * kept by the scheduler at all times, also where delay accounting is off (kernel.task_delayacct).
 *
 * Which tasks are ours: a parent outlives its children or hands them to the reaper of the tree, so
 * when a record of process P with parent Q comes, everything that ended below P has been seen. The
 * sums of P are added to those below Q, and so on up to the root:
 *
 *     cc1 (parent gcc)  ->  below[gcc]      gcc (parent sh)  ->  below[sh] += gcc + below[gcc] ...
 *
 * A message holds attributes in attributes:
 *
 *     AGGR_PID { PID, STATS }, and of the last thread of a process AGGR_TGID { TGID, STATS }
 */
#include "host/task_records.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"

enum {
    PIECE = 1024,     /* process ids in a piece */
    PIECES = 1 << 12, /* ids are below 2^22 */
    MESSAGE_BYTES = 16384,
    BUFFER_BYTES = 32 << 20, /* not taken until it is needed; some 20,000 tasks */
    CPU_LIST_BYTES_MAX = 4096,
};

/* The macros of the kernel's header mix signs. */
#define ATTRIBUTE_HEAD       ((size_t)4)
#define ATTRIBUTE_PAD(bytes) (((bytes) + 3) & ~(size_t)3)
_Static_assert(sizeof(struct nlattr) == 4, "as in ATTRIBUTE_HEAD");

/* ---- attributes ---- */

struct attribute {
    int type;
    const char *data;
    size_t bytes;
};

/* Cuts the next attribute off [*at, end). */
static bool next_attribute(const char **at, const char *end, struct attribute *attribute)
{
    struct nlattr head;
    size_t left = (size_t)(end - *at);

    if (left < ATTRIBUTE_HEAD)
        return false;
    memcpy(&head, *at, sizeof(head));
    if (head.nla_len < ATTRIBUTE_HEAD || head.nla_len > left)
        return false;
    *attribute = (struct attribute){.type = head.nla_type & NLA_TYPE_MASK,
                                    .data = *at + ATTRIBUTE_HEAD,
                                    .bytes = head.nla_len - ATTRIBUTE_HEAD};
    *at += HL_MIN(ATTRIBUTE_PAD(head.nla_len), left);
    return true;
}

/* The attributes of a message; false if it is none of generic netlink. */
static bool open_message(const void *message, size_t bytes, int *type, const char **at,
                         const char **end)
{
    struct nlmsghdr head;

    if (bytes < NLMSG_LENGTH(GENL_HDRLEN))
        return false;
    memcpy(&head, message, sizeof(head));
    if (head.nlmsg_len < NLMSG_LENGTH(GENL_HDRLEN) || head.nlmsg_len > bytes)
        return false;
    *type = head.nlmsg_type;
    *at = (const char *)message + NLMSG_LENGTH(GENL_HDRLEN);
    *end = (const char *)message + head.nlmsg_len;
    return true;
}

/* ---- sums ---- */

/* NULL: no such process id, or no memory. */
static struct host_task_sum *below(struct host_task_records *records, int64_t pid)
{
    struct host_task_sum **piece;

    if (pid <= 0 || pid >= (int64_t)PIECE * PIECES)
        return NULL;
    if (records->below == NULL)
        records->below = hl_alloc(PIECES, sizeof(*records->below));
    if (records->below == NULL)
        return NULL;
    piece = &records->below[pid / PIECE];
    if (*piece == NULL)
        *piece = hl_alloc(PIECE, sizeof(**piece));
    return *piece == NULL ? NULL : &(*piece)[pid % PIECE];
}

static bool add(struct host_task_records *records, int64_t parent, const struct host_task_sum *sum)
{
    struct host_task_sum *to = below(records, parent);

    if (to == NULL)
        return false;
    to->delay_ns += sum->delay_ns;
    to->tasks += sum->tasks;
    return true;
}

/* All that ended below `pid` now counts for its parent. */
static bool hand_up(struct host_task_records *records, int64_t pid, int64_t parent)
{
    struct host_task_sum *own = below(records, pid), sum;

    if (own == NULL)
        return false;
    sum = *own;
    *own = (struct host_task_sum){0};
    return add(records, parent, &sum);
}

/* One AGGR_PID or AGGR_TGID. `parent` is told by the former, for both. */
static bool take_task(struct host_task_records *records, const struct attribute *task,
                      int64_t *parent)
{
    const char *at = task->data, *end = task->data + task->bytes;
    struct attribute part;
    struct taskstats stats = {0};
    struct host_task_sum sum = {.tasks = 1};
    uint32_t pid = 0;
    bool has_stats = false;

    while (next_attribute(&at, end, &part)) {
        if ((part.type == TASKSTATS_TYPE_PID || part.type == TASKSTATS_TYPE_TGID) &&
            part.bytes == sizeof(pid)) {
            memcpy(&pid, part.data, sizeof(pid));
        } else if (part.type == TASKSTATS_TYPE_STATS &&
                   part.bytes >= offsetof(struct taskstats, ac_ppid) + sizeof(stats.ac_ppid)) {
            /* Newer kernels append fields, older ones lack the last. */
            memcpy(&stats, part.data, HL_MIN(part.bytes, sizeof(stats)));
            has_stats = true;
        }
    }
    if (pid == 0 || !has_stats)
        return false;
    if (task->type == TASKSTATS_TYPE_AGGR_PID) {
        *parent = stats.ac_ppid;
        sum.delay_ns = (int64_t)stats.cpu_delay_total;
        if (!add(records, *parent, &sum))
            return *parent == 0; /* of a task outside of our name space */
    }
    return hand_up(records, pid, *parent);
}

bool host_task_records_take(struct host_task_records *records, const void *message, size_t bytes)
{
    const char *at, *end;
    struct attribute task;
    int64_t parent = 0;
    bool is_understood = false;
    int type;

    if (!open_message(message, bytes, &type, &at, &end) || type < NLMSG_MIN_TYPE)
        return false;
    while (next_attribute(&at, end, &task))
        if (task.type == TASKSTATS_TYPE_AGGR_PID || task.type == TASKSTATS_TYPE_AGGR_TGID) {
            if (!take_task(records, &task, &parent))
                return false;
            is_understood = true;
        }
    return is_understood;
}

/* ---- the socket ---- */

/* A request with one attribute. */
static bool ask(int fd, uint16_t type, uint8_t command, uint16_t attribute, const char *text)
{
    union {
        struct nlmsghdr head;
        char bytes[NLMSG_LENGTH(GENL_HDRLEN) + ATTRIBUTE_HEAD + CPU_LIST_BYTES_MAX];
    } request = {{0}};
    struct genlmsghdr generic = {.cmd = command, .version = 1};
    struct nlattr part = {.nla_type = attribute};
    size_t length = strlen(text) + 1, at = NLMSG_LENGTH(GENL_HDRLEN);

    if (length > CPU_LIST_BYTES_MAX)
        return false;
    part.nla_len = (uint16_t)(ATTRIBUTE_HEAD + length);
    request.head.nlmsg_len = (uint32_t)(at + ATTRIBUTE_PAD(part.nla_len));
    request.head.nlmsg_type = type;
    request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
    memcpy(request.bytes + NLMSG_HDRLEN, &generic, sizeof(generic));
    memcpy(request.bytes + at, &part, sizeof(part));
    memcpy(request.bytes + at + ATTRIBUTE_HEAD, text, length);
    return send(fd, request.bytes, request.head.nlmsg_len, 0) == (ssize_t)request.head.nlmsg_len;
}

/* Waits for the acknowledgement; 0 or errno. An answer before it that names a family is taken, and
 * so are records that come meanwhile. */
static int hear(struct host_task_records *records)
{
    for (;;) {
        union {
            struct nlmsghdr head;
            char bytes[MESSAGE_BYTES];
        } answer;
        ssize_t got = recv(records->fd, answer.bytes, sizeof(answer.bytes), 0);
        const char *at, *end;
        struct attribute part;
        int type;

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return errno;
        if ((size_t)got < sizeof(answer.head))
            return EPROTO;
        if (answer.head.nlmsg_type == NLMSG_ERROR) {
            struct nlmsgerr error;

            if ((size_t)got < NLMSG_LENGTH(sizeof(error)))
                return EPROTO;
            memcpy(&error, answer.bytes + NLMSG_HDRLEN, sizeof(error));
            return -error.error;
        }
        if (records->family != 0) {
            (void)host_task_records_take(records, answer.bytes, (size_t)got);
            continue;
        }
        if (open_message(answer.bytes, (size_t)got, &type, &at, &end))
            while (next_attribute(&at, end, &part))
                if (part.type == CTRL_ATTR_FAMILY_ID && part.bytes == sizeof(records->family))
                    memcpy(&records->family, part.data, sizeof(records->family));
    }
}

/* The records of these cpus can be asked for: "0-63". */
static bool read_cpus(char cpus[CPU_LIST_BYTES_MAX])
{
    char *text;
    size_t length;

    if (hl_read_file("/sys/devices/system/cpu/possible", CPU_LIST_BYTES_MAX, &text, NULL, NULL) !=
        HL_OK)
        return false;
    length = strcspn(text, "\n");
    memcpy(cpus, text, length);
    cpus[length] = '\0';
    hl_free(text);
    return length > 0;
}

/* 0 or errno. */
static int start(struct host_task_records *records)
{
    static const int buffer_bytes = BUFFER_BYTES;
    const struct sockaddr_nl address = {.nl_family = AF_NETLINK};
    /* A kernel that does not answer must not stop us. */
    const struct timeval patience = {.tv_sec = 1};
    char cpus[CPU_LIST_BYTES_MAX + 1];
    int number;

    records->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
    if (records->fd < 0)
        return errno;
    (void)setsockopt(records->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    if (setsockopt(records->fd, SOL_SOCKET, SO_RCVBUFFORCE, &buffer_bytes, sizeof(buffer_bytes)) !=
        0)
        (void)setsockopt(records->fd, SOL_SOCKET, SO_RCVBUF, &buffer_bytes, sizeof(buffer_bytes));
    if (bind(records->fd, (const struct sockaddr *)&address, sizeof(address)) != 0)
        return errno;
    if (!ask(records->fd, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME,
             TASKSTATS_GENL_NAME))
        return errno;
    number = hear(records);
    if (number != 0)
        return number;
    if (records->family == 0)
        return ENOENT;
    if (!read_cpus(cpus) || !ask(records->fd, records->family, TASKSTATS_CMD_GET,
                                 TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, cpus))
        return EINVAL;
    return hear(records);
}

static const char *why_not(int number)
{
    switch (number) {
    case EPERM:
    case EACCES:
        return "the records of tasks that end (taskstats) are not permitted; run as root or with "
               "CAP_NET_ADMIN";
    case ENOENT:
    case EAFNOSUPPORT:
    case EPROTONOSUPPORT:
        return "the kernel offers no records of tasks that end (taskstats) here; it takes one with "
               "CONFIG_TASKSTATS and CONFIG_TASK_DELAY_ACCT, and no network name space";
    default:
        return "the records of tasks that end (taskstats) could not be asked for; run outside of a "
               "container";
    }
}

void host_task_records_open(struct host_task_records *records)
{
    int number;

    *records = (struct host_task_records){.fd = -1};
    number = start(records);
    records->is_open = number == 0;
    if (number == 0)
        return;
    records->why = why_not(number);
    if (records->fd >= 0)
        (void)close(records->fd);
    records->fd = -1;
}

void host_task_records_drain(struct host_task_records *records)
{
    char message[MESSAGE_BYTES];

    while (records->is_open) {
        ssize_t got = recv(records->fd, message, sizeof(message), MSG_DONTWAIT);

        if (got < 0 && errno == ENOBUFS)
            records->is_lost = true;
        else if (got < 0 && errno != EINTR)
            return;
        else if (got > 0)
            records->is_lost |= !host_task_records_take(records, message, (size_t)got);
    }
}

bool host_task_records_sum(struct host_task_records *records, pid_t root, struct host_task_sum *sum,
                           const char **why)
{
    const struct host_task_sum *own;

    *sum = (struct host_task_sum){0};
    *why = records->why;
    if (!records->is_open)
        return false;
    host_task_records_drain(records);
    own = below(records, root);
    *why = records->is_lost
               ? "some records of tasks that ended (taskstats) were lost: too many at once"
               : "no record of the run's tasks came (taskstats)";
    if (own == NULL || own->tasks == 0 || records->is_lost)
        return false;
    *sum = *own;
    *why = NULL;
    return true;
}

void host_task_records_close(struct host_task_records *records)
{
    if (records->is_open)
        (void)close(records->fd);
    for (int i = 0; records->below != NULL && i < PIECES; i++)
        hl_free(records->below[i]);
    hl_free(records->below);
    *records = (struct host_task_records){.fd = -1};
}
