/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store_test.c - studies and runs: there and back, names and references, versions, refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/units.h"
#include "store/database.h"
#include "store/store.h"

static char folder[64], path[PATH_MAX];
static struct hl_error err;

static int make_folder(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof(folder), "/tmp/halfload-test-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    (void)snprintf(path, sizeof(path), "%s/a.db", folder);
    return 0;
}

static int remove_folder(void **state)
{
    char command[128];

    (void)state;
    (void)snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

#define assert_ok(call)                                                                            \
    do {                                                                                           \
        if ((call) != HL_OK)                                                                       \
            fail_msg("%s: %s", #call, err.text);                                                   \
    } while (0)

#define assert_refused(call, status, part)                                                         \
    do {                                                                                           \
        assert_int_equal((call), (status));                                                        \
        if (strstr(err.text, (part)) == NULL)                                                      \
            fail_msg("the message is: %s", err.text);                                              \
    } while (0)

static struct store *open_store(void)
{
    struct store *store = NULL;

    assert_ok(store_open(&store, path, STORE_WRITE, &err));
    return store;
}

static int64_t begin(struct store *store, const char *name)
{
    struct store_new_study study = {.name = name,
                                    .stem = "kernbench",
                                    .program = "halfload 1",
                                    .command = "halfload run kernbench --name 'a b'",
                                    .plan = "{\"words\":[]}",
                                    .fingerprint = "",
                                    .player = "",
                                    .seed = UINT64_MAX,
                                    .planned = 9};
    char given[STORE_NAME_BYTES];
    int64_t id = 0;

    assert_ok(store_study_begin(store, &study, &id, given, &err));
    if (name != NULL)
        assert_string_equal(given, name);
    return id;
}

static void add_run(struct store *store, int64_t id, int64_t place)
{
    struct run run;

    run_init(&run, RUN_SIM, "not modelled");
    run.run = (int32_t)place;
    run_set(&run, RUN_elapsed_s, 10 + (double)place);
    assert_ok(store_run_add(store, id, place, &run, &err));
}

static void a_run_comes_back_as_it_was(void **state)
{
    struct store *store = open_store();
    struct run_list runs = {0};
    struct run run;
    int64_t id = begin(store, "round"), *places = NULL;
    int metric;

    (void)state;
    run_init(&run, RUN_HOST, "needs \"perf\": run as root");
    run.status = RUN_KILLED;
    run.exit_status = -9;
    memset(run.workload, 'w', sizeof(run.workload) - 1);
    (void)snprintf(run.load, sizeof(run.load), "half");
    run.level = -1;
    (void)snprintf(run.policy, sizeof(run.policy), "o1:version=2.6.0");
    (void)snprintf(run.machine, sizeof(run.machine), "it's; DROP TABLE run; \xc3\xa4\n");
    (void)snprintf(run.variant, sizeof(run.variant), "cpus=0+1,name=x\\,y");
    run.seed = UINT64_MAX;
    run.block = -1;
    run.run = INT32_MAX;
    run.order = 0;
    (void)snprintf(run.boot_id, sizeof(run.boot_id), "6b8d4567-327b-23c6-643c-986966334873");
    (void)snprintf(run.note, sizeof(run.note), "make: *** [all] Error 2");
    run_set(&run, RUN_elapsed_s, 0.1 + 0.2);
    run_set(&run, RUN_user_s, 0);
    run_set(&run, RUN_peak_compilers, 3);
    run.reason[RUN_peak_compilers] = "sampled: a short peak may be missed";
    assert_ok(run_metric_add("score", "points", RUN_HIGHER, &metric, &err));
    run_set(&run, (enum run_metric)metric, -1.5);
    assert_ok(run_part_set(&run, "order 9", RUN_elapsed_s, 0.1 + 0.7, &err));
    assert_ok(run_part_set(&run, "order 9", metric, -2.5, &err));
    assert_ok(run_part_set(&run, "order 10", metric, 0, &err));
    assert_ok(store_run_add(store, id, 7, &run, &err));
    add_run(store, id, 2);
    store_close(store);

    assert_ok(store_open(&store, path, STORE_READ, &err));
    assert_ok(store_runs(store, id, -1, &runs, &places, &err));
    assert_int_equal(runs.count, 2);
    assert_int_equal(places[0], 2);
    assert_int_equal(places[1], 7);
    hl_free(places);
    assert_int_equal(runs.runs[0].source, RUN_SIM);
    assert_true(runs.runs[0].metric[RUN_elapsed_s] == 12);
    assert_false(run_has(&runs.runs[0], (enum run_metric)metric));
    for (int i = 0; i < run_metric_count(); i++) {
        const struct run *back = &runs.runs[1];

        if (!isnan(run.metric[i]))
            assert_true(back->metric[i] == run.metric[i]);
        assert_int_equal(run_has(back, (enum run_metric)i), run_has(&run, (enum run_metric)i));
        if (run.reason[i] == NULL)
            assert_null(back->reason[i]);
        else
            assert_string_equal(back->reason[i], run.reason[i]);
    }
    assert_int_equal(runs.runs[1].status, RUN_KILLED);
    assert_int_equal(runs.runs[1].exit_status, -9);
    assert_string_equal(runs.runs[1].workload, run.workload);
    assert_string_equal(runs.runs[1].load, "half");
    assert_int_equal(runs.runs[1].level, -1);
    assert_string_equal(runs.runs[1].policy, run.policy);
    assert_string_equal(runs.runs[1].machine, run.machine);
    assert_string_equal(runs.runs[1].variant, run.variant);
    assert_true(runs.runs[1].seed == UINT64_MAX);
    assert_int_equal(runs.runs[1].block, -1);
    assert_int_equal(runs.runs[1].run, INT32_MAX);
    assert_int_equal(runs.runs[1].order, 0);
    assert_string_equal(runs.runs[1].boot_id, run.boot_id);
    assert_string_equal(runs.runs[1].note, run.note);
    assert_int_equal(runs.runs[0].part_count, 0);
    assert_int_equal(runs.runs[1].part_count, 2);
    for (size_t p = 0; p < 2; p++) {
        const struct run_part *part = &run.parts[p], *back = &runs.runs[1].parts[p];

        assert_string_equal(back->name, part->name);
        assert_int_equal(back->figure_count, part->figure_count);
        for (int i = 0; i < part->figure_count; i++)
            assert_true(run_part_get(back, part->figures[i].metric) == part->figures[i].value);
    }
    run_close(&run);
    run_list_close(&runs);
    assert_ok(store_runs(store, id, 7, &runs, NULL, &err));
    assert_int_equal(runs.count, 1);
    run_list_close(&runs);
    store_close(store);
}

static void a_study_is_found_by_name_id_last_and_run(void **state)
{
    struct store *store = open_store();
    struct store_study study = {0};
    int64_t first = begin(store, "6.1"), second, place;
    char word[32];

    (void)state;
    add_run(store, first, 0);
    second = begin(store, NULL);
    add_run(store, second, 4);
    assert_ok(store_find(store, "6.1", &study, &place, &err));
    assert_int_equal(study.id, first);
    assert_int_equal(place, -1);
    assert_int_equal(study.run_count, 1);
    assert_int_equal(study.planned, 9);
    assert_true(study.seed == UINT64_MAX);
    assert_string_equal(study.command, "halfload run kernbench --name 'a b'");
    assert_string_equal(study.plan, "{\"words\":[]}");
    store_study_close(&study);
    (void)snprintf(word, sizeof(word), "%d", (int)first);
    assert_ok(store_find(store, word, &study, &place, &err));
    assert_int_equal(study.id, first);
    store_study_close(&study);
    assert_ok(store_find(store, "last", &study, &place, &err));
    assert_int_equal(study.id, second);
    (void)snprintf(word, sizeof(word), "kernbench-%d", (int)second);
    assert_string_equal(study.name, word);
    store_study_close(&study);
    assert_ok(store_find(store, "last:4", &study, &place, &err));
    assert_int_equal(study.id, second);
    assert_int_equal(place, 4);
    store_study_close(&study);

    assert_refused(store_find(store, "last:3", &study, &place, &err), HL_USAGE, "has no run 3");
    assert_refused(store_find(store, "6.2", &study, &place, &err), HL_USAGE,
                   "unknown study \"6.2\"; did you mean \"6.1\"");
    assert_refused(store_find(store, "6.1:x", &study, &place, &err), HL_USAGE, "STUDY:RUN");
    assert_refused(store_find(store, "6.1:-1", &study, &place, &err), HL_USAGE, "STUDY:RUN");
    assert_refused(store_find(store, "", &study, &place, &err), HL_USAGE, "unknown study");
    /* A name that reads as another study's id. */
    (void)snprintf(word, sizeof(word), "%d", (int)first);
    second = begin(store, word);
    assert_refused(store_find(store, word, &study, &place, &err), HL_USAGE, "6.1 (id ");
    assert_ok(store_study_delete(store, second, &err));
    assert_ok(store_find(store, word, &study, &place, &err));
    store_study_close(&study);
    store_close(store);
}

static void a_name_is_taken_once_and_an_id_never_again(void **state)
{
    struct store *store = open_store();
    struct store_new_study again = {.name = "once",
                                    .stem = "",
                                    .program = "",
                                    .command = "",
                                    .plan = "",
                                    .fingerprint = "",
                                    .player = ""};
    char name[STORE_NAME_BYTES], clash[32];
    int64_t id = begin(store, "once"), other;

    (void)state;
    assert_refused(store_study_begin(store, &again, &other, name, &err), HL_USAGE,
                   "exists already");
    assert_ok(store_study_delete(store, id, &err));
    other = begin(store, "once");
    assert_true(other > id);
    /* Somebody took the name that the next study would have been given. */
    (void)snprintf(clash, sizeof(clash), "x-%d", (int)other + 2);
    (void)begin(store, clash);
    again.name = NULL;
    again.stem = "x";
    assert_ok(store_study_begin(store, &again, &other, name, &err));
    assert_string_not_equal(name, clash);
    again.stem = "../a/file name that is much longer than the name of a study may ever be: 1.json";
    assert_ok(store_study_begin(store, &again, &other, name, &err));
    assert_ok(store_name_check(name, &err));
    store_close(store);
}

static void names_that_read_as_something_else_are_refused(void **state)
{
    static const char *const bad[] = {"",     "last", "a:1",  "/tmp/a", "./a",
                                      "../a", "-n",   "a\nb", " a",     "a "};
    char longest[STORE_NAME_BYTES + 1];

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_refused(store_name_check(bad[i], &err), HL_USAGE, "the name of a study");
    memset(longest, 'x', sizeof(longest));
    longest[STORE_NAME_BYTES] = '\0';
    assert_int_equal(store_name_check(longest, &err), HL_USAGE);
    longest[STORE_NAME_BYTES - 1] = '\0';
    assert_ok(store_name_check(longest, &err));
    assert_ok(store_name_check("6.12", &err));
    assert_ok(store_name_check("base.json", &err));
}

static void deleting_a_study_takes_its_runs_along(void **state)
{
    struct store *store = open_store();
    int64_t id = begin(store, "gone"), left;
    char sql[128];

    (void)state;
    add_run(store, id, 0);
    add_run(store, id, 1);
    assert_ok(store_study_delete(store, id, &err));
    (void)snprintf(sql, sizeof(sql), "SELECT count(*) FROM run WHERE study_id = %d", (int)id);
    assert_ok(store_number(store, sql, &left, &err));
    assert_int_equal(left, 0);
    assert_ok(store_number(store,
                           "SELECT count(*) FROM metric WHERE run_id NOT IN (SELECT id FROM run)",
                           &left, &err));
    assert_int_equal(left, 0);
    store_close(store);
}

static void a_place_is_taken_once(void **state)
{
    struct store *store = open_store();
    int64_t id = begin(store, NULL);
    struct run run;

    (void)state;
    add_run(store, id, 3);
    run_init(&run, RUN_HOST, "x");
    assert_refused(store_run_add(store, id, 3, &run, &err), HL_NOT_PERMITTED, "is there already");
    assert_refused(store_run_add(store, 99999, 0, &run, &err), HL_NOT_PERMITTED, "another process");
    store_close(store);
}

static void run_sql(const char *file, const char *sql)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void write_text(const char *file, const char *text)
{
    FILE *out = fopen(file, "we");

    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static void files_that_are_not_ours_are_left_alone(void **state)
{
    struct store *store;
    char other[128];

    (void)state;
    (void)snprintf(other, sizeof(other), "%s/other.db", folder);
    run_sql(other, "CREATE TABLE study (x)");
    assert_refused(store_open(&store, other, STORE_WRITE, &err), HL_BAD_INPUT, "another program");
    assert_refused(store_open(&store, other, STORE_READ, &err), HL_BAD_INPUT, "another program");
    assert_null(store);
    (void)snprintf(other, sizeof(other), "%s/text.db", folder);
    write_text(other, "elapsed,1.0\nThis is no database at all, and it is long enough to be looked "
                      "at as one by anybody.\n");
    assert_refused(store_open(&store, other, STORE_WRITE, &err), HL_BAD_INPUT, "not an SQLite");
    assert_refused(store_open(&store, other, STORE_READ, &err), HL_BAD_INPUT, "not an SQLite");
    (void)snprintf(other, sizeof(other), "%s/newer.db", folder);
    assert_ok(store_open(&store, other, STORE_WRITE, &err));
    store_close(store);
    run_sql(other, "PRAGMA user_version = 1000");
    assert_refused(store_open(&store, other, STORE_WRITE, &err), HL_UNSUPPORTED, "newer halfload");
    assert_refused(store_open(&store, other, STORE_READ, &err), HL_UNSUPPORTED, "newer halfload");
    (void)snprintf(other, sizeof(other), "%s/none.db", folder);
    assert_refused(store_open(&store, other, STORE_READ, &err), HL_BAD_INPUT, "No such file");
    assert_refused(store_open(&store, folder, STORE_WRITE, &err), HL_NOT_PERMITTED, "--db");
    assert_refused(store_open(&store, "", STORE_WRITE, &err), HL_USAGE, "is ''; expected");
    assert_refused(store_open(&store, ":memory:", STORE_WRITE, &err), HL_USAGE, "':memory:'");
    (void)snprintf(other, sizeof(other), "%s/no/folder.db", folder);
    assert_refused(store_open(&store, other, STORE_WRITE, &err), HL_NOT_PERMITTED, "--db");
    /* An empty file is what a process killed at its first step leaves. */
    (void)snprintf(other, sizeof(other), "%s/empty.db", folder);
    write_text(other, "");
    assert_ok(store_open(&store, other, STORE_READ, &err));
    store_close(store);
}

static void damage_is_told(void **state)
{
    struct store *store;
    struct run_list runs = {0};
    char other[128];
    int64_t id;
    int file;

    (void)state;
    (void)snprintf(other, sizeof(other), "%s/damaged.db", folder);
    assert_ok(store_open(&store, other, STORE_WRITE, &err));
    id = begin(store, "a");
    add_run(store, id, 0);
    store_close(store);
    run_sql(other, "UPDATE run SET status = 'fine'");
    assert_ok(store_open(&store, other, STORE_READ, &err));
    assert_refused(store_runs(store, id, -1, &runs, NULL, &err), HL_BAD_INPUT, "table run, row 1");
    store_close(store);
    file = open(other, O_WRONLY | O_CLOEXEC);
    assert_true(file >= 0);
    for (int page = 1; page < 8; page++)
        assert_int_equal(pwrite(file, "garbage garbage garbage garbage", 31, 4096 * page), 31);
    assert_int_equal(close(file), 0);
    assert_ok(store_open(&store, other, STORE_READ, &err));
    assert_refused(store_runs(store, id, -1, &runs, NULL, &err), HL_BAD_INPUT, "damaged");
    store_close(store);
    run_list_close(&runs);
}

/* A file edited with sqlite3's own shell: each edit, and what is said of it. */
static void values_that_no_halfload_wrote_are_named(void **state)
{
    static const struct {
        const char *edit, *said;
    } cases[] = {
        {"UPDATE metric SET value = 9e999 WHERE name = 'elapsed_s'",
         "table metric, row 1: value is 'Inf'; expected a finite number"},
        {"UPDATE metric SET value = 'fast' WHERE name = 'elapsed_s'",
         "table metric, row 1: value is 'fast'; expected a finite number"},
        {"UPDATE run SET level = 'two'", "table run, row 1: level is 'two'; expected a whole"},
        {"UPDATE run SET run = 1.5", "table run, row 1: run is '1.5'; expected a whole number"},
        {"UPDATE run SET seed = 'x'", "table run, row 1: seed is 'x'"},
        {"UPDATE run SET source = 'dream'", "table run, row 1: source is 'dream'; expected sim"},
        {"UPDATE run SET workload = zeroblob(3)", "table run, row 1: workload is ''; expected"},
        {"UPDATE study SET planned = 'many'", "table study, row 1: planned is 'many'"},
        {"UPDATE study SET created_s = 1e18", "table study, row 1: created_s is"},
        {"UPDATE study SET name = hex(zeroblob(40))", "table study, row 1: name is '0000"},
        {"DROP TABLE metric", "no such table: metric; expected the tables of halfload"},
        {"ALTER TABLE run RENAME COLUMN boot_id TO boot", "no such column: boot_id"},
        {"DROP TABLE part", "no such table: part"},
    };

    (void)state;
    for (int i = 0; i < HL_COUNT_OF(cases); i++) {
        struct store_study *studies = NULL;
        struct store *store;
        struct run_list runs = {0};
        enum hl_status status;
        size_t count = 0;
        char other[128];
        int64_t id;

        (void)snprintf(other, sizeof(other), "%s/edited-%d.db", folder, i);
        assert_ok(store_open(&store, other, STORE_WRITE, &err));
        id = begin(store, "a");
        add_run(store, id, 0);
        store_close(store);
        run_sql(other, cases[i].edit);
        for (int access = STORE_READ; access <= STORE_WRITE; access++) {
            status = store_open(&store, other, (enum store_access)access, &err);
            if (status == HL_OK)
                status = store_studies(store, &studies, &count, &err);
            if (status == HL_OK) {
                store_studies_close(studies, count);
                status = store_runs(store, id, -1, &runs, NULL, &err);
            }
            assert_refused(status, HL_BAD_INPUT, cases[i].said);
            store_close(store);
        }
        run_list_close(&runs);
    }
}

static void an_older_file_is_brought_up_to_date_or_left_as_it_was(void **state)
{
    static const char *const steps[] = {
        "CREATE TABLE a (x); INSERT INTO a VALUES (1)",
        "ALTER TABLE a ADD COLUMN y DEFAULT 2; CREATE TABLE b (z)",
        "UPDATE a SET y = 3; this is not SQL",
    };
    struct store old = {0};
    char other[128];
    int64_t number;

    (void)state;
    (void)snprintf(other, sizeof(other), "%s/older.db", folder);
    old.path = other;
    assert_int_equal(sqlite3_open(other, &old.db), SQLITE_OK);
    assert_ok(store_schema_migrate(&old, steps, 1, &err));
    assert_int_equal(store_schema_migrate(&old, steps, 3, &err), HL_INTERNAL);
    assert_ok(store_number(&old, "PRAGMA user_version", &number, &err));
    assert_int_equal(number, 1);
    assert_ok(store_number(&old, "SELECT count(*) FROM sqlite_schema", &number, &err));
    assert_int_equal(number, 1);
    assert_ok(store_schema_migrate(&old, steps, 2, &err));
    assert_ok(store_number(&old, "SELECT y FROM a", &number, &err));
    assert_int_equal(number, 2);
    assert_ok(store_schema_migrate(&old, steps, 2, &err));
    assert_int_equal(sqlite3_close(old.db), SQLITE_OK);
}

/* What a person without rights meets, also when the tests run as root. */
static int as_nobody(int (*play)(void))
{
    pid_t child = fork();
    int status;

    assert_true(child >= 0);
    if (child == 0) {
        if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)
            _exit(99);
        _exit(play());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int read_in_read_only_folder(void)
{
    struct store *store;
    struct run_list runs = {0};
    size_t count;

    if (store_open(&store, path, STORE_READ, &err) != HL_OK ||
        store_runs(store, 1, -1, &runs, NULL, &err) != HL_OK)
        return 1;
    count = runs.count;
    run_list_close(&runs);
    store_close(store);
    return count == 1 ? 0 : 2;
}

static int write_in_read_only_folder(void)
{
    struct store *store;

    if (store_open(&store, path, STORE_WRITE, &err) != HL_NOT_PERMITTED)
        return 1;
    return strstr(err.text, path) != NULL && strstr(err.text, "--db") != NULL ? 0 : 2;
}

static void a_read_only_folder_can_be_read_and_says_so_when_written(void **state)
{
    char sub[128], before[sizeof(path)];
    struct store *store;
    int64_t id;

    (void)state;
    memcpy(before, path, sizeof(before));
    (void)snprintf(sub, sizeof(sub), "%s/%%r?d#", folder); /* what a URI would take for its own */
    assert_int_equal(mkdir(sub, 0755), 0);
    (void)snprintf(path, sizeof(path), "%s/a.db", sub);
    store = open_store();
    id = begin(store, "a");
    assert_int_equal(id, 1);
    add_run(store, id, 0);
    store_close(store);
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(chmod(sub, 0555), 0);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(as_nobody(read_in_read_only_folder), 0);
    assert_int_equal(as_nobody(write_in_read_only_folder), 0);
    (void)snprintf(path, sizeof(path), "%s/new.db", sub);
    assert_int_equal(as_nobody(write_in_read_only_folder), 0);
    assert_int_equal(chmod(sub, 0755), 0);
    memcpy(path, before, sizeof(before));
}

/* As a halfload whose runs had no parts made it: path, with one run of study 1. */
static void make_file_without_parts(void)
{
    struct store *store = open_store();

    add_run(store, begin(store, "a"), 0);
    store_close(store);
    run_sql(path, "DROP TABLE part; PRAGMA user_version = 1");
}

static void a_file_from_before_parts_is_read_also_where_it_may_not_be_written(void **state)
{
    char sub[128], before[sizeof(path)];
    struct store *store;
    int64_t number;

    (void)state;
    memcpy(before, path, sizeof(before));
    (void)snprintf(sub, sizeof(sub), "%s/before", folder);
    assert_int_equal(mkdir(sub, 0755), 0);
    (void)snprintf(path, sizeof(path), "%s/a.db", sub);
    make_file_without_parts();
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(chmod(sub, 0555), 0);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(as_nobody(read_in_read_only_folder), 0);
    assert_int_equal(chmod(sub, 0755), 0);
    assert_int_equal(chmod(path, 0644), 0);
    assert_int_equal(read_in_read_only_folder(), 0);
    assert_ok(store_open(&store, path, STORE_READ, &err));
    assert_ok(store_number(store, "PRAGMA user_version", &number, &err));
    assert_int_equal(number, 2);
    store_close(store);
    memcpy(path, before, sizeof(before));
}

static void the_file_is_where_xdg_says(void **state)
{
    char found[PATH_MAX], expected[256];
    struct stat status;

    (void)state;
    assert_int_equal(setenv("XDG_DATA_HOME", folder, 1), 0);
    assert_ok(store_default_path(found, true, &err));
    (void)snprintf(expected, sizeof(expected), "%s/halfload/halfload.db", folder);
    assert_string_equal(found, expected);
    (void)snprintf(expected, sizeof(expected), "%s/halfload", folder);
    assert_int_equal(stat(expected, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    /* A relative path is to be ignored. */
    assert_int_equal(setenv("XDG_DATA_HOME", "share", 1), 0);
    assert_int_equal(setenv("HOME", folder, 1), 0);
    assert_ok(store_default_path(found, false, &err));
    (void)snprintf(expected, sizeof(expected), "%s/.local/share/halfload/halfload.db", folder);
    assert_string_equal(found, expected);
    assert_int_equal(unsetenv("XDG_DATA_HOME"), 0);
    assert_int_equal(unsetenv("HOME"), 0);
    assert_refused(store_default_path(found, true, &err), HL_NOT_PERMITTED, "--db");
    assert_int_equal(setenv("HOME", "/proc/1", 1), 0);
    assert_refused(store_default_path(found, true, &err), HL_NOT_PERMITTED, "/proc/1/.local");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_comes_back_as_it_was),
        cmocka_unit_test(a_study_is_found_by_name_id_last_and_run),
        cmocka_unit_test(a_name_is_taken_once_and_an_id_never_again),
        cmocka_unit_test(names_that_read_as_something_else_are_refused),
        cmocka_unit_test(deleting_a_study_takes_its_runs_along),
        cmocka_unit_test(a_place_is_taken_once),
        cmocka_unit_test(files_that_are_not_ours_are_left_alone),
        cmocka_unit_test(damage_is_told),
        cmocka_unit_test(values_that_no_halfload_wrote_are_named),
        cmocka_unit_test(an_older_file_is_brought_up_to_date_or_left_as_it_was),
        cmocka_unit_test(a_read_only_folder_can_be_read_and_says_so_when_written),
        cmocka_unit_test(a_file_from_before_parts_is_read_also_where_it_may_not_be_written),
        cmocka_unit_test(the_file_is_where_xdg_says),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
