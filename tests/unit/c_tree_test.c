/* SPDX-License-Identifier: GPL-2.0-or-later */
/* c_tree_test.c - the generated tree: the same bytes for the same seed, its shape, full disks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <ftw.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/rng.h"
#include "base/units.h"
#include "host/c_tree.h"
#include "host/folder.h"
#include "host_fixture.h"

/* What nftw saw: it gives its visitor no other place. */
static struct {
    size_t root_length;
    uint64_t hash; /* sum over files of hashes of path and bytes: the order does not matter */
    int64_t bytes;
    int units, headers, makefiles;
} seen;

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);

    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static int see(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    uint64_t hash = hl_hash_text(path + seen.root_length);
    FILE *file;
    int c;

    (void)walk;
    if (kind != FTW_F)
        return 0;
    file = fopen(path, "re");
    assert_non_null(file);
    while ((c = getc(file)) != EOF)
        hash = (hash ^ (unsigned)c) * 0x100000001b3u;
    (void)fclose(file);
    seen.hash += hl_mix64(hash);
    seen.bytes += status->st_size;
    seen.units += ends_in(path, ".c");
    seen.headers += ends_in(path, ".h");
    seen.makefiles += ends_in(path, "/Makefile");
    return 0;
}

/* Writes a tree, looks at all of it, removes it. */
static void look_at_tree(uint64_t seed, int64_t scale_ppm)
{
    const struct host_c_tree_options options = {.seed = seed, .scale_ppm = scale_ppm};
    struct hl_error err;

    assert_int_equal(host_c_tree_write(fixture.tree, &options, &err), HL_OK);
    memset(&seen, 0, sizeof(seen));
    seen.root_length = strlen(fixture.tree);
    assert_int_equal(nftw(fixture.tree, see, 16, FTW_PHYS), 0);
    assert_int_equal(host_folder_remove(fixture.tree, &err), HL_OK);
    assert_int_equal(host_folder_make(fixture.tree, &err), HL_OK);
}

/* The golden value: it moves only when the generator is meant to write something else, and then
 * measurements before and after are of different trees. */
static void the_same_seed_gives_the_same_bytes_on_every_machine(void **state)
{
    uint64_t first;

    (void)state;
    look_at_tree(1, HL_PPM);
    first = seen.hash;
    assert_int_equal(first, UINT64_C(0x504d4f74665eae6d));
    look_at_tree(1, HL_PPM);
    assert_true(seen.hash == first);
    look_at_tree(2, HL_PPM);
    assert_true(seen.hash != first);
}

static void the_shape_is_120_units_in_8_directories_with_40_headers(void **state)
{
    (void)state;
    look_at_tree(1, HL_PPM);
    assert_int_equal(seen.units, 120);
    assert_int_equal(seen.headers, 40);
    assert_int_equal(seen.makefiles, 8 + 1);
}

static void the_scale_moves_the_number_of_units_and_the_seed_not_the_work(void **state)
{
    int64_t bytes, units_bytes;

    (void)state;
    look_at_tree(1, HL_PPM);
    bytes = seen.bytes;
    look_at_tree(99, HL_PPM);
    units_bytes = seen.bytes - bytes;
    assert_true(units_bytes < bytes / 20 && units_bytes > -bytes / 20);
    look_at_tree(1, 3 * HL_PPM);
    assert_int_equal(seen.units, 360);
    look_at_tree(1, HL_PPM / 2);
    assert_int_equal(seen.units, 60);
    look_at_tree(1, 1);
    assert_int_equal(seen.units, 8);
}

static bool write_map(const char *path, const char *map)
{
    FILE *file = fopen(path, "we");

    if (file == NULL)
        return false;
    (void)fputs(map, file);
    return fclose(file) == 0;
}

/* Files of a mount cannot be made by a user or group that the namespace does not know. */
static bool become_root_of_a_namespace(void)
{
    char user[32], group[32];

    (void)snprintf(user, sizeof(user), "0 %u 1\n", geteuid());
    (void)snprintf(group, sizeof(group), "0 %u 1\n", getegid());
    return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && write_map("/proc/self/setgroups", "deny") &&
           write_map("/proc/self/uid_map", user) && write_map("/proc/self/gid_map", group);
}

/* In a process of its own, which may be allowed to mount. Exit 77: it is not. */
static void fill_small_disk(const char *folder)
{
    const struct host_c_tree_options options = {.seed = 1, .scale_ppm = HL_PPM};
    struct hl_error err = {0};

    if (unshare(CLONE_NEWNS) != 0 && !become_root_of_a_namespace())
        _exit(77);
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", folder, "tmpfs", 0, "size=256k") != 0)
        _exit(77);
    if (host_c_tree_write(folder, &options, &err) != HL_NOT_PERMITTED)
        _exit(1);
    _exit(strstr(err.text, "No space left on device; free some, or give") == NULL ? 2 : 0);
}

static void a_full_disk_says_what_to_do(void **state)
{
    pid_t child = fork();
    int status;

    (void)state;
    assert_true(child >= 0);
    if (child == 0)
        fill_small_disk(fixture.tree);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_same_seed_gives_the_same_bytes_on_every_machine),
        TEST(the_shape_is_120_units_in_8_directories_with_40_headers),
        TEST(the_scale_moves_the_number_of_units_and_the_seed_not_the_work),
        TEST(a_full_disk_says_what_to_do),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
