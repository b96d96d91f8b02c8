/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * setting.c - keys of variants on this machine: parsed, tried, applied.
 *
 * What belongs here changes the processes of one run. Knobs of the whole system (SMT, sysctl,
 * governor) are state that outlives a run and must be put back: they are to have a table and a
 * journal of their own, see README.md.
 */
#include "host/setting.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "host/environment.h"
#include "host/words.h"
#include "machine/machine.h"

enum { CPUS_TEXT_MAX = 256, NICE_LEAST = -20, NICE_MOST = 19 };

static const struct {
    const char *name;
    int class;
} classes[] = {{"other", SCHED_OTHER}, {"batch", SCHED_BATCH}, {"idle", SCHED_IDLE}};

/* ---- keys ---- */

static enum hl_status parse_cpus(struct host_setting *setting, const char *value,
                                 struct hl_error *err)
{
    char list[CPUS_TEXT_MAX] = "";

    if (setting->has_cpus)
        return hl_fail(err, HL_USAGE, "cpus is given twice; join cpus with +");
    if (strlen(value) < sizeof(list))
        (void)snprintf(list, sizeof(list), "%s", value);
    /* In a variant a comma separates values; cpus are joined by +. */
    for (char *c = list; *c != '\0'; c++)
        *c = *c == '+' ? ',' : *c == ',' ? '?' : *c;
    if (list[0] == '\0' || strpbrk(list, " \t\n") != NULL ||
        !machine_cpu_list_parse(list, &setting->cpus))
        return hl_fail(err, HL_USAGE,
                       "cpus is \"%.100s\"; expected numbers and ranges joined by +, such as 0+2-3",
                       value);
    setting->has_cpus = true;
    return HL_OK;
}

static enum hl_status parse_nice(struct host_setting *setting, const char *value,
                                 struct hl_error *err)
{
    int64_t nice;

    if (setting->has_nice)
        return hl_fail(err, HL_USAGE, "nice is given twice");
    if (!hl_parse_int(value, &nice) || nice < NICE_LEAST || nice > NICE_MOST)
        return hl_fail(err, HL_USAGE, "nice is \"%.100s\"; expected a number from %d to %d", value,
                       NICE_LEAST, NICE_MOST);
    setting->nice = (int)nice;
    setting->has_nice = true;
    return HL_OK;
}

static enum hl_status parse_class(struct host_setting *setting, const char *value,
                                  struct hl_error *err)
{
    if (setting->has_class)
        return hl_fail(err, HL_USAGE, "class is given twice");
    for (int i = 0; i < HL_COUNT_OF(classes); i++)
        if (strcmp(value, classes[i].name) == 0) {
            setting->class = classes[i].class;
            setting->has_class = true;
            return HL_OK;
        }
    return hl_fail(err, HL_USAGE, "class is \"%.100s\"; expected other, batch or idle", value);
}

static enum hl_status parse_env(struct host_setting *setting, const char *value,
                                struct hl_error *err)
{
    size_t length = strcspn(value, ":");
    char *entry;

    if (length == 0 || memchr(value, '=', length) != NULL)
        return hl_fail(err, HL_USAGE,
                       "env is \"%.100s\"; expected NAME:VALUE, or NAME to take it away", value);
    /* By this one the processes of a session are found. */
    if (length == strlen("HALFLOAD_SESSION") && strncmp(value, "HALFLOAD_SESSION", length) == 0)
        return hl_fail(err, HL_USAGE, "env of HALFLOAD_SESSION: this variable is halfload's own");
    for (size_t i = 0; i < setting->environment_count; i++)
        if (strncmp(setting->environment[i], value, length) == 0 &&
            strchr("=", setting->environment[i][length]) != NULL)
            return hl_fail(err, HL_USAGE, "env of %.*s is given twice", (int)HL_MIN(length, 100),
                           value);
    HL_TRY(hl_grow(&setting->environment, &setting->environment_capacity,
                   setting->environment_count + 1, sizeof(*setting->environment), err));
    entry = hl_strdup(value);
    if (entry == NULL)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for a variable");
    if (entry[length] == ':')
        entry[length] = '=';
    setting->environment[setting->environment_count++] = entry;
    return HL_OK;
}

static enum hl_status parse_prefix(struct host_setting *setting, const char *value,
                                   struct hl_error *err)
{
    if (setting->prefix_count > 0)
        return hl_fail(err, HL_USAGE, "prefix is given twice");
    return host_words_split(&setting->prefix, &setting->prefix_count, &setting->prefix_capacity,
                            value, "prefix", err);
}

const struct host_setting_key host_setting_table[] = {
    {"cpus", "CPU+CPU-CPU+...", "the only cpus it may run on", parse_cpus},
    {"nice", "-20 to 19", "nice value; with autogroups it counts within the run only", parse_nice},
    {"class", "other, batch, idle", "scheduling class", parse_class},
    {"env", "NAME:VALUE", "a variable of its environment; NAME alone: without it", parse_env},
    {"prefix", "COMMAND", "words put before the command, split as sh does; empty: none",
     parse_prefix},
    {NULL, NULL, NULL, NULL},
};

enum hl_status host_setting_parse(struct host_setting *setting, const char *key, const char *value,
                                  struct hl_error *err)
{
    const char *names[HL_COUNT_OF(host_setting_table)];
    int count = 0;

    for (const struct host_setting_key *k = host_setting_table; k->name != NULL; k++) {
        if (strcmp(k->name, key) == 0)
            return k->parse(setting, value, err);
        names[count++] = k->name;
    }
    return hl_fail_unknown(err, HL_USAGE, NULL, "variant key", key, names, count);
}

void host_setting_close(struct host_setting *setting)
{
    host_words_free(setting->environment, setting->environment_count);
    host_words_free(setting->prefix, setting->prefix_count);
    *setting = (struct host_setting){0};
}

/* ---- applying ---- */

static bool set_cpus(const struct machine_cpu_set *cpus)
{
    struct machine_cpu_set got = {0};

    /* The system call itself: libc's cpu_set_t ends at 1,024 cpus. Words of both are little-endian
     * in bits. */
    _Static_assert(sizeof(unsigned long) == sizeof(cpus->word[0]), "masks are made of longs");
    if (syscall(SYS_sched_setaffinity, 0, sizeof(cpus->word), cpus->word) != 0)
        return false;
    /* cpus that are offline or beyond our control group are left out without an error. */
    if (syscall(SYS_sched_getaffinity, 0, sizeof(got.word), got.word) < 0)
        return false;
    errno = EINVAL;
    return memcmp(got.word, cpus->word, sizeof(got.word)) == 0;
}

const char *host_setting_apply(const struct host_setting *setting)
{
    const struct sched_param no_priority = {0};

    if (setting->has_cpus && !set_cpus(&setting->cpus))
        return "cannot set the allowed cpus (sched_setaffinity)";
    if (setting->has_class && sched_setscheduler(0, setting->class, &no_priority) != 0)
        return "cannot set the scheduling class (sched_setscheduler)";
    if (setting->has_nice && setpriority(PRIO_PROCESS, 0, setting->nice) != 0)
        return "cannot set the nice value (setpriority)";
    return NULL;
}

/* ---- checking ---- */

static enum hl_status check_cpus(const struct host_setting *setting, struct hl_error *err)
{
    char allowed[CPUS_TEXT_MAX], wrong[CPUS_TEXT_MAX];
    struct machine_cpu_set missing = setting->cpus;
    struct machine_host_cpus host;
    bool are_online = true;

    HL_TRY(machine_host_cpus_read(&host, err));
    for (int cpu = 0; cpu < MACHINE_OS_CPUS_MAX; cpu++)
        if (machine_cpu_set_has(&host.allowed, cpu))
            machine_cpu_set_remove(&missing, cpu);
        else if (machine_cpu_set_has(&missing, cpu))
            are_online = are_online && machine_cpu_set_has(&host.online, cpu);
    if (machine_cpu_set_count(&missing) == 0)
        return HL_OK;
    machine_cpu_list_print(&host.allowed, allowed, sizeof(allowed));
    machine_cpu_list_print(&missing, wrong, sizeof(wrong));
    if (!are_online)
        return hl_fail(err, HL_UNSUPPORTED,
                       "cpus: %s is not online on this machine; allowed are %s", wrong, allowed);
    return hl_fail(err, HL_NOT_PERMITTED,
                   "cpus: %s is not allowed to this process; allowed are %s (taskset or a cpuset "
                   "limits it)",
                   wrong, allowed);
}

/* A prefix that is no program fails here, not in the first run. */
static enum hl_status check_prefix(const struct host_setting *setting, struct hl_error *err)
{
    char path[PATH_MAX];

    if (setting->prefix_count == 0 || host_program_find(setting->prefix[0], path, sizeof(path)))
        return HL_OK;
    return hl_fail(err, HL_UNSUPPORTED,
                   "prefix: found no program `%.100s`; install it or give its path",
                   setting->prefix[0]);
}

/* What a process that tries a setting tells. */
struct attempt {
    const char *failed_step; /* of this very program, so the text is here too */
    int number;
};

static enum hl_status judge(const struct host_setting *setting, const struct attempt *attempt,
                            struct hl_error *err)
{
    struct rlimit limit = {0};

    if (attempt->failed_step == NULL)
        return HL_OK;
    if (setting->has_nice && (attempt->number == EACCES || attempt->number == EPERM)) {
        (void)getrlimit(RLIMIT_NICE, &limit);
        return hl_fail(err, HL_NOT_PERMITTED,
                       "nice=%d is not permitted: this process may not go below nice %d; run as "
                       "root, or raise the limit (ulimit -e %d)",
                       setting->nice,
                       HL_MIN(getpriority(PRIO_PROCESS, 0), 20 - (int)HL_MIN(limit.rlim_cur, 40)),
                       20 - setting->nice);
    }
    return hl_fail(err,
                   attempt->number == EINVAL || attempt->number == ENOSYS ? HL_UNSUPPORTED
                                                                          : HL_NOT_PERMITTED,
                   "%s: %s", attempt->failed_step, strerror(attempt->number));
}

static enum hl_status check_by_trying(const struct host_setting *setting, struct hl_error *err)
{
    struct attempt attempt = {0};
    ssize_t bytes;
    int ends[2];
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return hl_fail(err, HL_NOT_PERMITTED, "cannot make a pipe: %s", strerror(errno));
    child = fork();
    if (child == 0) {
        attempt.failed_step = host_setting_apply(setting);
        attempt.number = errno;
        bytes = write(ends[1], &attempt, sizeof(attempt));
        _exit(bytes == sizeof(attempt) ? 0 : 1);
    }
    (void)close(ends[1]);
    do
        bytes = read(ends[0], &attempt, sizeof(attempt));
    while (bytes < 0 && errno == EINTR);
    (void)close(ends[0]);
    if (child > 0)
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            ;
    if (child < 0 || bytes != sizeof(attempt))
        return hl_fail(err, HL_NOT_PERMITTED, "cannot start a process to try a setting in");
    return judge(setting, &attempt, err);
}

enum hl_status host_setting_check(const struct host_setting *setting, struct hl_error *err)
{
    if (setting->has_cpus)
        HL_TRY(check_cpus(setting, err));
    HL_TRY(check_prefix(setting, err));
    return check_by_trying(setting, err);
}

enum hl_status host_setting_cpus(const struct host_setting *setting, int *count,
                                 struct hl_error *err)
{
    HL_TRY(machine_host_usable_cpus(count, err));
    if (setting->has_cpus)
        *count = HL_MAX(HL_MIN(*count, machine_cpu_set_count(&setting->cpus)), 1);
    return HL_OK;
}
