/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_fault_test.c - killed at any moment, disk full at any moment, several writers at once:
 * what has been recorded is there, whole, and the file is sound.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "faulty_vfs.h"
#include "store/store.h"

static char folder[64], path[96];

/* In memory if there is such a place: what a killed process leaves does not depend on the disk, and
 * hundreds of syncs take their time there. */
static int make_folder(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof(folder), "%s/halfload-test-XXXXXX",
                   access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (mkdtemp(folder) == NULL)
        return -1;
    (void)snprintf(path, sizeof(path), "%s/a.db", folder);
    return 0;
}

static void remove_database(void)
{
    static const char *const tails[] = {"", "-wal", "-shm", "-journal"};
    char name[128];

    for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
        (void)snprintf(name, sizeof(name), "%s%s", path, tails[i]);
        (void)unlink(name);
    }
}

static int remove_folder(void **state)
{
    (void)state;
    remove_database();
    return rmdir(folder);
}

static struct run make_run(int number)
{
    struct run run;

    run_init(&run, RUN_HOST, "this is why it was not had");
    (void)snprintf(run.workload, sizeof(run.workload), "kernbench");
    (void)snprintf(run.load, sizeof(run.load), "4");
    run.run = run.block = number;
    run_set(&run, RUN_elapsed_s, 100 + number);
    return run;
}

static const struct store_new_study new_study = {
    .stem = "kernbench",
    .program = "halfload",
    .command = "halfload run kernbench",
    .plan = "",
    .fingerprint = "",
    .player = "",
    .planned = 3,
};

/* What a process has done for sure, told by one byte each through a pipe. */
enum { STUDY_BEGUN = 's', RUN_ADDED = 'r', STUDY_ADDED = 'S', STUDY_DELETED = 'd' };

static void tell(int pipe, char what)
{
    if (write(pipe, &what, 1) != 1)
        _exit(3);
}

/* Begins a study, adds three runs, adds a second study of two runs, deletes it again. */
static enum hl_status play(struct store *store, int pipe, bool is_relaxed, struct hl_error *err)
{
    struct run_list runs = {0};
    char name[STORE_NAME_BYTES];
    int64_t id, second;
    enum hl_status status = is_relaxed ? store_relax(store, err) : HL_OK;

    if (status == HL_OK)
        status = store_study_begin(store, &new_study, &id, name, err);
    if (status == HL_OK)
        tell(pipe, STUDY_BEGUN);
    for (int i = 0; status == HL_OK && i < 3; i++) {
        struct run run = make_run(i);

        status = store_run_add(store, id, i, &run, err);
        if (status == HL_OK)
            tell(pipe, RUN_ADDED);
        if (status == HL_OK && i < 2)
            status = run_list_add(&runs, &run, err);
    }
    if (status == HL_OK)
        status = store_study_add(store, &new_study, &runs, &second, name, err);
    if (status == HL_OK) {
        tell(pipe, STUDY_ADDED);
        status = store_study_delete(store, second, err);
    }
    if (status == HL_OK)
        tell(pipe, STUDY_DELETED);
    run_list_close(&runs);
    return status;
}

struct told {
    int studies, runs, added, deleted;
};

/* What comes through the pipe until it is closed, or `most` steps. */
static struct told read_told(int pipe, int most)
{
    struct told told = {0};
    char what;

    for (int i = 0; i < most && read(pipe, &what, 1) == 1; i++) {
        told.studies += what == STUDY_BEGUN;
        told.runs += what == RUN_ADDED;
        told.added += what == STUDY_ADDED;
        told.deleted += what == STUDY_DELETED;
    }
    return told;
}

static int count_text(void *context, int columns, char **values, char **names)
{
    (void)names;
    if (columns != 1 || strcmp(values[0], "ok") != 0)
        ++*(int *)context;
    return 0;
}

static void assert_sound(void)
{
    sqlite3 *db = NULL;
    int wrong = 0;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA integrity_check", count_text, &wrong, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA foreign_key_check", count_text, &wrong, NULL),
                     SQLITE_OK);
    (void)sqlite3_close(db);
    assert_int_equal(wrong, 0);
}

/* Each run that is there is whole: its one figure, and a reason for each other metric. */
static void assert_runs_whole(const struct run_list *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        const struct run *run = &runs->runs[i];

        assert_true(run->metric[RUN_elapsed_s] == 100 + run->run);
        for (int m = 0; m < RUN_METRIC_COUNT; m++)
            if (m != RUN_elapsed_s)
                assert_string_equal(run->reason[m], "this is why it was not had");
    }
}

/* The file holds what was told, and at most the one step more that was done but not yet told. */
static void assert_kept(struct store *store, const struct told *told)
{
    struct store_study *studies;
    size_t count;
    struct hl_error err;

    assert_int_equal(store_studies(store, &studies, &count, &err), HL_OK);
    assert_true((int)count >= told->studies + told->added - 1);
    assert_in_range(count, told->studies == 0 ? 0 : 1, 2);
    for (size_t i = 0; i < count; i++) {
        struct run_list runs = {0};

        assert_int_equal(store_runs(store, studies[i].id, -1, &runs, NULL, &err), HL_OK);
        if (i == 0)
            assert_in_range(runs.count, told->runs, told->runs + 1);
        else
            assert_int_equal(runs.count, 2); /* all or nothing */
        assert_runs_whole(&runs);
        run_list_close(&runs);
    }
    if (told->added == 1 && told->deleted == 0 && count == 1)
        assert_int_equal(told->runs, 3); /* deleted, but killed before it could tell */
    store_studies_close(studies, count);
}

static void killed_at_any_change_of_a_file_it_keeps_what_was_recorded(void **state)
{
    long points = 0;
    bool is_finished = false;

    (void)state;
    for (long n = 1; !is_finished; n++) {
        struct hl_error err = {0};
        struct store *store = NULL;
        struct told told;
        int ends[2], status;
        pid_t child;

        remove_database();
        assert_int_equal(pipe(ends), 0);
        child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            faulty_vfs_install();
            faulty_vfs_arm(FAULTY_KILL, n);
            if (store_open(&store, path, STORE_WRITE, &err) != HL_OK ||
                play(store, ends[1], n % 2 == 0, &err) != HL_OK)
                _exit(1);
            store_close(store);
            _exit(0);
        }
        (void)close(ends[1]);
        told = read_told(ends[0], INT_MAX);
        (void)close(ends[0]);
        assert_int_equal(waitpid(child, &status, 0), child);
        is_finished = WIFEXITED(status) != 0;
        if (is_finished)
            assert_int_equal(WEXITSTATUS(status), 0);
        else
            assert_int_equal(WTERMSIG(status), SIGKILL);
        if (store_open(&store, path, STORE_WRITE, &err) != HL_OK)
            fail_msg("killed at change %ld: %s", n, err.text);
        assert_kept(store, &told);
        store_close(store);
        assert_sound();
        points++;
    }
    assert_true(points > 50);
}

static void killed_at_any_time_it_keeps_what_was_recorded(void **state)
{
    struct store *store = NULL;
    struct hl_error err = {0};
    struct store_study *studies;
    size_t count;
    int told_runs = 0, kept_runs = 0;

    (void)state;
    remove_database();
    for (int i = 0; i < 40; i++) {
        const struct timespec pause = {.tv_nsec = 100000L * (i % 8)};
        struct told told;
        int ends[2], status;
        pid_t child;

        assert_int_equal(pipe(ends), 0);
        child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            if (store_open(&store, path, STORE_WRITE, &err) != HL_OK)
                _exit(1);
            while (play(store, ends[1], i % 2 == 0, &err) == HL_OK)
                continue;
            _exit(1);
        }
        (void)close(ends[1]);
        /* Not before it has done some steps, so that a slow machine gets as far. */
        told = read_told(ends[0], i);
        told_runs += told.runs;
        (void)nanosleep(&pause, NULL);
        (void)kill(child, SIGKILL);
        told = read_told(ends[0], INT_MAX);
        (void)close(ends[0]);
        told_runs += told.runs;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
    }
    assert_sound();
    assert_int_equal(store_open(&store, path, STORE_READ, &err), HL_OK);
    assert_int_equal(store_studies(store, &studies, &count, &err), HL_OK);
    for (size_t i = 0; i < count; i++) {
        struct run_list runs = {0};

        assert_int_equal(store_runs(store, studies[i].id, -1, &runs, NULL, &err), HL_OK);
        assert_runs_whole(&runs);
        kept_runs += (int)runs.count;
        run_list_close(&runs);
    }
    assert_true(told_runs > 0);
    assert_true(kept_runs >= told_runs);
    store_studies_close(studies, count);
    store_close(store);
}

static void a_fault_at_any_change_is_told_and_loses_nothing(void **state)
{
    static const enum faulty_kind kinds[] = {FAULTY_FULL, FAULTY_IO};
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    (void)state;
    assert_true(nowhere >= 0);
    faulty_vfs_install();
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        int is_met = 1;
        long failures = 0;

        for (long n = 1; is_met; n++) {
            struct hl_error err = {0};
            struct store *store = NULL;
            struct told told;
            int ends[2];
            enum hl_status status;

            remove_database();
            assert_int_equal(pipe(ends), 0);
            faulty_vfs_arm(kinds[k], n);
            status = store_open(&store, path, STORE_WRITE, &err);
            if (status == HL_OK)
                status = play(store, ends[1], false, &err);
            is_met = faulty_vfs_was_met();
            (void)close(ends[1]);
            told = read_told(ends[0], INT_MAX);
            (void)close(ends[0]);
            if (status != HL_OK) {
                failures++;
                assert_int_equal(status, HL_NOT_PERMITTED);
                assert_non_null(strstr(err.text, path));
                assert_non_null(strstr(err.text, "--db"));
            }
            faulty_vfs_arm(kinds[k], 0);
            /* The same connection goes on once there is room again. */
            if (store != NULL) {
                assert_kept(store, &told);
                assert_int_equal(play(store, nowhere, true, &err), HL_OK);
            }
            store_close(store);
            assert_int_equal(store_open(&store, path, STORE_WRITE, &err), HL_OK);
            store_close(store);
            assert_sound();
        }
        assert_true(failures > 20);
    }
    (void)close(nowhere);
    (void)sqlite3_vfs_register(sqlite3_vfs_find("unix"), 1);
}

static void several_processes_write_one_new_file_at_once(void **state)
{
    enum { WRITERS = 4, RUNS = 25 };
    struct store *store = NULL;
    struct hl_error err = {0};
    struct store_study *studies;
    size_t count;
    pid_t children[WRITERS];

    (void)state;
    remove_database();
    for (int w = 0; w < WRITERS; w++) {
        children[w] = fork();
        assert_true(children[w] >= 0);
        if (children[w] == 0) {
            char name[STORE_NAME_BYTES];
            int64_t id;
            enum hl_status status = store_open(&store, path, STORE_WRITE, &err);

            if (status == HL_OK)
                status = store_study_begin(store, &new_study, &id, name, &err);
            for (int i = 0; status == HL_OK && i < RUNS; i++) {
                struct run run = make_run(i);

                status = store_run_add(store, id, i, &run, &err);
            }
            store_close(store);
            if (status != HL_OK)
                (void)fprintf(stderr, "%s\n", err.text);
            _exit(status == HL_OK ? 0 : 1);
        }
    }
    for (int w = 0; w < WRITERS; w++) {
        int status;

        assert_int_equal(waitpid(children[w], &status, 0), children[w]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_int_equal(store_open(&store, path, STORE_READ, &err), HL_OK);
    assert_int_equal(store_studies(store, &studies, &count, &err), HL_OK);
    assert_int_equal(count, WRITERS);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(studies[i].run_count, RUNS);
    store_studies_close(studies, count);
    store_close(store);
    assert_sound();
}

/* None may see a file half made by another. */
static void several_processes_open_one_new_file_at_once(void **state)
{
    enum { ROUNDS = 40, PROCESSES = 4 };

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        pid_t children[PROCESSES];

        remove_database();
        for (int p = 0; p < PROCESSES; p++) {
            children[p] = fork();
            assert_true(children[p] >= 0);
            if (children[p] == 0) {
                struct store *store = NULL;
                struct hl_error err = {0};
                enum hl_status status = store_open(&store, path, STORE_WRITE, &err);

                store_close(store);
                if (status != HL_OK)
                    (void)fprintf(stderr, "%s\n", err.text);
                _exit(status == HL_OK ? 0 : 1);
            }
        }
        for (int p = 0; p < PROCESSES; p++) {
            int status;

            assert_int_equal(waitpid(children[p], &status, 0), children[p]);
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_processes_open_one_new_file_at_once),
        cmocka_unit_test(several_processes_write_one_new_file_at_once),
        cmocka_unit_test(killed_at_any_change_of_a_file_it_keeps_what_was_recorded),
        cmocka_unit_test(killed_at_any_time_it_keeps_what_was_recorded),
        cmocka_unit_test(a_fault_at_any_change_is_told_and_loses_nothing),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
