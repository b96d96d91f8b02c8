/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runner.c - runs one command under a keeper.
 *
 *   halfload -- keeper -- make -- sh -- gcc -- cc1
 *                                        a daemon, re-parented to the keeper
 *
 * The keeper is a fork of ours and the reaper of the tree below it (PR_SET_CHILD_SUBREAPER):
 * whatever a process of the build leaves behind becomes its child, so getrusage(RUSAGE_CHILDREN) of
 * the keeper is the sum over the whole tree, and other children of the program are not mixed in.
 * When the program is killed, even by SIGKILL, the keeper gets SIGTERM (PR_SET_PDEATHSIG) and ends
 * the tree. It has a session of its own, so Ctrl-C of the terminal reaches the program alone, which
 * then decides.
 *
 * Not counted: cpu time of children of processes that ignore SIGCHLD; the kernel drops it.
 */
#include "host/runner.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/units.h"
#include "host/compilers.h"
#include "host/process_tree.h"
#include "host/watch.h"

/* A process that outlives the command by less than this was about to end and is nobody's daemon. */
#define STRAY_GRACE_NS (250 * HL_NS_PER_MS)
/* Time to remove temporary files after SIGTERM. */
#define END_GRACE_NS (2 * HL_NS_PER_S)
/* How long the program may take to see that it is to end; a look costs some microseconds. */
enum { LOOK_MS = 100 };

/* Memory of the program and its keeper. */
struct report {
    struct host_result result;
    const char *failed_step; /* what could not be done, a string of the program; NULL: nothing */
    int failed_number;       /* errno of it */
    atomic_bool is_complete; /* the keeper came to its end */
};

struct keeper {
    const struct host_command *command;
    struct report *report;
    struct host_compilers compilers;
    struct host_watch watch;
    pid_t child; /* the command; 0 when it has ended */
    int64_t start_ns;
    sigset_t signals;
    bool is_told_to_end;
};

static void keeper_fail(struct report *report, const char *step)
{
    report->failed_number = errno;
    report->failed_step = step;
}

static void keeper_take_status(struct keeper *keeper, int status)
{
    struct host_result *result = &keeper->report->result;

    keeper->child = 0;
    if (WIFSIGNALED(status)) {
        result->signal = WTERMSIG(status);
        result->exit_status = 128 + result->signal;
    } else {
        result->exit_status = WEXITSTATUS(status);
    }
}

/* Reaps what has ended. False if no child is left. */
static bool keeper_reap(struct keeper *keeper)
{
    for (;;) {
        int status;
        pid_t pid = waitpid(-1, &status, WNOHANG);

        if (pid > 0 && pid == keeper->child) {
            keeper->report->result.elapsed_ns = host_now_ns() - keeper->start_ns;
            if (keeper->command->is_watched)
                host_watch_stop(&keeper->watch);
            keeper_take_status(keeper, status);
        }
        if (pid <= 0)
            return pid == 0;
    }
}

/* Sleeps until a signal comes or until `until_ns`. */
static void keeper_sleep(struct keeper *keeper, int64_t until_ns)
{
    int64_t left_ns = HL_MAX(until_ns - host_now_ns(), 0);
    struct timespec left = {.tv_sec = left_ns / HL_NS_PER_S, .tv_nsec = left_ns % HL_NS_PER_S};
    int number = sigtimedwait(&keeper->signals, NULL, &left);

    if (number > 0 && number != SIGCHLD)
        keeper->is_told_to_end = true;
}

static enum hl_status find_below_keeper(struct host_process_list *list, void *context)
{
    (void)keeper_reap(context);
    return host_processes_below(list, getpid(), NULL);
}

static void keeper_end_tree(struct keeper *keeper)
{
    size_t left = host_processes_end(find_below_keeper, keeper, END_GRACE_NS);

    keeper->report->result.not_ended = (int32_t)left;
    (void)keeper_reap(keeper);
}

/* Names what outlived the command. */
static void keeper_name_strays(struct keeper *keeper)
{
    struct host_result *result = &keeper->report->result;
    struct host_process_list list = {0};
    size_t used = 0;

    if (host_processes_below(&list, getpid(), NULL) != HL_OK)
        return;
    for (size_t i = 0; i < list.count; i++) {
        const struct host_process *process = &list.processes[i];

        if (process->state == 'Z')
            continue;
        result->left_behind++;
        if (used < sizeof(result->left_behind_names))
            used += (size_t)snprintf(result->left_behind_names + used,
                                     sizeof(result->left_behind_names) - used, "%s%s (pid %d)",
                                     used == 0 ? "" : ", ", process->name, (int)process->pid);
    }
    host_process_list_close(&list);
}

static void keeper_collect_strays(struct keeper *keeper)
{
    int64_t until_ns = host_now_ns() + STRAY_GRACE_NS;

    while (keeper_reap(keeper) && host_now_ns() < until_ns && !keeper->is_told_to_end)
        keeper_sleep(keeper, until_ns);
    if (!keeper_reap(keeper))
        return;
    keeper_name_strays(keeper);
    keeper_end_tree(keeper);
}

static int64_t timeval_ns(const struct timeval *time)
{
    return time->tv_sec * HL_NS_PER_S + time->tv_usec * HL_NS_PER_US;
}

static void keeper_sum_up(struct keeper *keeper)
{
    struct host_result *result = &keeper->report->result;
    struct rusage usage;

    (void)getrusage(RUSAGE_CHILDREN, &usage);
    result->user_ns = timeval_ns(&usage.ru_utime);
    result->system_ns = timeval_ns(&usage.ru_stime);
    result->voluntary_switches = usage.ru_nvcsw;
    result->involuntary_switches = usage.ru_nivcsw;
    result->peak_compilers = keeper->compilers.peak;
    result->samples = keeper->compilers.samples;
    result->largest_compiler_bytes = keeper->compilers.largest_bytes;
    if (keeper->command->is_watched) {
        host_watch_sum_up(&keeper->watch, result->user_ns + result->system_ns, &result->facts);
        host_watch_close(&keeper->watch);
    }
}

static void keeper_wait(struct keeper *keeper)
{
    int64_t end_ns = keeper->command->timeout_ns == 0
                         ? INT64_MAX
                         : keeper->start_ns + keeper->command->timeout_ns;

    while (keeper_reap(keeper), keeper->child != 0) {
        int64_t now_ns = host_now_ns();

        if (keeper->is_told_to_end || now_ns >= end_ns)
            break;
        if (now_ns >= keeper->compilers.next_ns) {
            if (keeper->command->is_watched)
                host_watch_look(&keeper->watch);
            host_compilers_sample(&keeper->compilers, getpid());
        } else {
            keeper_sleep(keeper, HL_MIN(keeper->compilers.next_ns, end_ns));
        }
    }
    if (keeper->child != 0) {
        keeper->report->result.timed_out = !keeper->is_told_to_end;
        keeper_end_tree(keeper);
    } else {
        keeper_collect_strays(keeper);
    }
}

_Noreturn static void become_command(struct keeper *keeper)
{
    const struct host_command *command = keeper->command;
    const char *failed = NULL;
    sigset_t none;

    /* A group of its own: builds that signal their group do not hit the keeper. */
    (void)setpgid(0, 0);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    if (command->setting != NULL)
        failed = host_setting_apply(command->setting);
    if (failed != NULL)
        keeper_fail(keeper->report, failed);
    else if (chdir(command->folder) != 0)
        keeper_fail(keeper->report, command->folder);
    else if (execve(command->arguments[0], (char *const *)(uintptr_t)command->arguments,
                    (char *const *)(uintptr_t)command->environment) != 0)
        keeper_fail(keeper->report, command->arguments[0]);
    _exit(127);
}

/* Input empty, output to the log. False: the report says why. */
static bool redirect(struct keeper *keeper)
{
    int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int out = open(keeper->command->log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);

    if (in < 0 || dup2(in, STDIN_FILENO) < 0)
        keeper_fail(keeper->report, "/dev/null");
    else if (out < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0)
        keeper_fail(keeper->report, keeper->command->log);
    return keeper->report->failed_step == NULL;
}

/*
 * Leaves of the program's descriptors only `alive`, whose closing tells the program that the keeper
 * has ended. The others could keep a pipe or a lock of the program alive after its death.
 */
static bool drop_descriptors(int alive)
{
    if (alive != 3 && dup3(alive, 3, O_CLOEXEC) < 0)
        return false;
    closefrom(4);
    return true;
}

static void keeper_prepare_signals(struct keeper *keeper)
{
    static const int numbers[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT};

    (void)sigemptyset(&keeper->signals);
    for (int i = 0; i < HL_COUNT_OF(numbers); i++) {
        /* An ignored SIGCHLD would take away the exit statuses. */
        (void)signal(numbers[i], SIG_DFL);
        (void)sigaddset(&keeper->signals, numbers[i]);
    }
    (void)signal(SIGPIPE, SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, &keeper->signals, NULL);
}

_Noreturn static void become_keeper(const struct host_command *command, struct report *report,
                                    pid_t program, int alive)
{
    struct keeper keeper = {.command = command, .report = report};

    keeper_prepare_signals(&keeper);
    (void)prctl(PR_SET_NAME, "halfload-keeper");
    (void)setsid();
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        keeper_fail(report, "cannot become the reaper of the build (PR_SET_CHILD_SUBREAPER)");
    else if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0)
        keeper_fail(report, "cannot ask for the death signal (PR_SET_PDEATHSIG)");
    else if (!drop_descriptors(alive))
        keeper_fail(report, "cannot close descriptors");
    /* The program may have died before the death signal was asked for. */
    if (report->failed_step != NULL || getppid() != program || !redirect(&keeper))
        _exit(1);
    if (command->is_watched)
        host_watch_start(&keeper.watch, command->setting != NULL && command->setting->has_cpus
                                            ? &command->setting->cpus
                                            : NULL);
    keeper.start_ns = host_now_ns();
    keeper.child = vfork(); /* no copy of our memory, which the command would pay for */
    if (keeper.child == 0)
        become_command(&keeper);
    if (keeper.child < 0) {
        keeper_fail(report, "cannot start a process");
        _exit(1);
    }
    host_compilers_start(&keeper.compilers, keeper.start_ns);
    keeper_wait(&keeper);
    keeper_sum_up(&keeper);
    atomic_store(&report->is_complete, true);
    _exit(0);
}

/* Waits until the keeper has ended; tells it to end the tree when the program is to end. */
static bool wait_for_keeper(pid_t pid, int alive)
{
    bool is_told = false;

    for (;;) {
        struct pollfd watched = {.fd = alive, .events = POLLIN};
        int ready;

        if (!is_told && hl_interrupted())
            is_told = kill(pid, SIGTERM) == 0;
        ready = poll(&watched, 1, LOOK_MS);
        if (ready > 0)
            break;
        assert(ready == 0 || errno == EINTR || errno == EAGAIN);
    }
    /* With SIGCHLD ignored there is nothing to reap; all that matters is in the report. */
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return is_told;
}

static enum hl_status judge(const struct report *report, bool was_told, struct hl_error *err)
{
    if (was_told)
        return hl_fail(err, HL_INTERRUPTED, "interrupted; what was running was ended");
    if (report->failed_step != NULL)
        return hl_fail(err, HL_NOT_PERMITTED, "%s: %s", report->failed_step,
                       strerror(report->failed_number));
    if (!atomic_load(&report->is_complete))
        return hl_fail(err, HL_NOT_PERMITTED,
                       "the process that watches the run was killed from outside");
    return HL_OK;
}

static enum hl_status run_under_keeper(const struct host_command *command, struct report *report,
                                       struct hl_error *err)
{
    pid_t program = getpid(), keeper;
    int alive[2];
    bool was_told;

    if (pipe2(alive, O_CLOEXEC) != 0)
        return hl_fail(err, HL_NOT_PERMITTED, "cannot make a pipe: %s", strerror(errno));
    keeper = fork();
    if (keeper == 0)
        become_keeper(command, report, program, alive[1]);
    (void)close(alive[1]);
    if (keeper < 0) {
        (void)close(alive[0]);
        return hl_fail(err, HL_NOT_PERMITTED, "cannot start a process: %s", strerror(errno));
    }
    was_told = wait_for_keeper(keeper, alive[0]);
    (void)close(alive[0]);
    return judge(report, was_told, err);
}

enum hl_status host_command_run(const struct host_command *command, struct host_result *result,
                                struct hl_error *err)
{
    struct report *report =
        mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    enum hl_status status;

    *result = (struct host_result){0};
    if (report == MAP_FAILED)
        return hl_fail(err, HL_NO_MEMORY, "out of memory for a page shared with a process");
    status = run_under_keeper(command, report, err);
    *result = report->result;
    (void)munmap(report, sizeof(*report));
    return status;
}
