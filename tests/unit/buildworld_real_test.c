/* SPDX-License-Identifier: GPL-2.0-or-later */
/* buildworld_real_test.c - real buildworld: sources cold or read, cleaned by tree or copy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <unistd.h>
#include <linux/magic.h>
#include <cmocka.h>

#include "base/memory.h"
#include "base/units.h"
#include "host/host.h"
#include "host/page_cache.h"
#include "host_fixture.h"

enum { FILE_BYTES = 1 << 20 };

static bool is_in_memory(void)
{
    struct statfs status;

    assert_int_equal(statfs(fixture.tree, &status), 0);
    return status.f_type == TMPFS_MAGIC || status.f_type == RAMFS_MAGIC;
}

/* A file of the tree, on the disk. */
static int make_file(const char *name)
{
    char *text = hl_alloc(FILE_BYTES + 1, 1), path[PATH_MAX];
    int fd;

    assert_non_null(text);
    memset(text, 'x', FILE_BYTES);
    fixture_write(name, text);
    hl_free(text);
    (void)snprintf(path, sizeof(path), "%s/%s", fixture.tree, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(fsync(fd), 0);
    return fd;
}

static int64_t cached_bytes(int fd)
{
    static unsigned char is_in[FILE_BYTES / 4096];
    void *map = mmap(NULL, FILE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
    int64_t bytes = 0;

    assert_true(map != MAP_FAILED);
    assert_int_equal(mincore(map, FILE_BYTES, is_in), 0);
    for (int i = 0; i < HL_COUNT_OF(is_in); i++)
        bytes += (is_in[i] & 1) != 0 ? 4096 : 0;
    (void)munmap(map, FILE_BYTES);
    return bytes;
}

static void files_are_forgotten_and_read_again(void **state)
{
    struct host_cached left;
    struct hl_error err = {0};
    int fd;

    (void)state;
    if (is_in_memory() || sysconf(_SC_PAGESIZE) != 4096)
        skip();
    fd = make_file("a/b/source");
    assert_int_equal(cached_bytes(fd), FILE_BYTES);
    assert_int_equal(host_cache_drop(fixture.tree, &left, &err), HL_OK);
    assert_int_equal(left.bytes, FILE_BYTES);
    assert_int_equal(left.cached_bytes, cached_bytes(fd));
    assert_true(left.cached_bytes < FILE_BYTES / 10);
    assert_int_equal(host_cache_fill(fixture.tree, &err), HL_OK);
    assert_int_equal(cached_bytes(fd), FILE_BYTES);
    (void)close(fd);
}

static void history_and_empty_files_are_passed_over(void **state)
{
    struct host_cached left;
    struct hl_error err = {0};

    (void)state;
    (void)close(make_file(".git/objects/pack"));
    fixture_write("empty", "");
    assert_int_equal(host_cache_drop(fixture.tree, &left, &err), HL_OK);
    assert_int_equal(left.bytes, 0);
    assert_int_equal(host_cache_fill(fixture.tree, &err), HL_OK);
}

/* Builds twice; *run is the second. */
static enum hl_status build_twice(const struct host_work_options *options, struct run *run,
                                  struct hl_error *err)
{
    struct host_work *work;
    enum hl_status status = HL_OK;

    HL_TRY(host_work_open(&work, options, err));
    for (int i = 0; status == HL_OK && i < 2; i++) {
        run_init(run, RUN_HOST, "not measured");
        status = host_work_run(work, 1, NULL, run, err);
        if (status == HL_OK)
            assert_int_equal(run->status, RUN_OK);
    }
    host_work_close(work);
    assert_int_equal(fixture_entries(fixture.work), 0);
    return status;
}

static int count_lines(const char *name)
{
    char path[PATH_MAX];
    int lines = 0;
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s/%s", fixture.top, name);
    file = fopen(path, "re");
    if (file == NULL)
        return 0;
    for (int c; (c = fgetc(file)) != EOF;)
        lines += c == '\n';
    (void)fclose(file);
    return lines;
}

static void each_build_begins_without_objects(void **state)
{
    struct host_work_options options = {
        .workload = "buildworld", .work_dir = fixture.work, .build.tree = fixture.tree};
    struct hl_error err = {0};
    struct run run;

    (void)state;
    fixture_write("Makefile", "all: obj/o\n"
                              "obj/o:\n\tmkdir -p obj; touch obj/o; echo built >>\"$$TOP/built\"\n"
                              "clean:\n\trm -rf obj; echo cleaned >>\"$$TOP/cleaned\"\n");
    assert_int_equal(build_twice(&options, &run, &err), HL_OK);
    assert_int_equal(count_lines("built"), 2);
    assert_int_equal(count_lines("cleaned"), 1);
    if (is_in_memory())
        assert_non_null(strstr(run.note, "warm: 100 % of the sources stayed in memory"));
    else
        assert_string_equal(run.note, "");

    options.build.has_clean = options.build.has_preread = true;
    assert_int_equal(build_twice(&options, &run, &err), HL_OK);
    assert_int_equal(count_lines("built"), 4);
    /* Once to make it ready, once to see that it can be, and before each build. */
    assert_int_equal(count_lines("cleaned"), 5);
    assert_string_equal(run.note, "");
    assert_false(fixture_has("obj"));
}

static void a_tree_that_cannot_clean_is_refused_with_clean(void **state)
{
    struct host_work_options options = {.workload = "buildworld",
                                        .work_dir = fixture.work,
                                        .build = {.tree = fixture.tree, .has_clean = true}};
    struct hl_error err = {0};
    struct run run;

    (void)state;
    fixture_write("Makefile", "all:\n\ttrue\n");
    assert_int_equal(build_twice(&options, &run, &err), HL_BAD_INPUT);
    assert_non_null(strstr(err.text, "`make clean` ended with status 2"));
    assert_int_equal(fixture_entries(fixture.work), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(files_are_forgotten_and_read_again),
        TEST(history_and_empty_files_are_passed_over),
        TEST(each_build_begins_without_objects),
        TEST(a_tree_that_cannot_clean_is_refused_with_clean),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
