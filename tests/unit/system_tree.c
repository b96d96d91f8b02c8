/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * system_tree.c - the sysroot of tests.
 */
#include "system_tree.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/sysroot.h"

static char root[] = "/tmp/halfload-system-XXXXXX";

static void run(const char *format, const char *a, const char *b)
{
    char command[2 * PATH_MAX];

    (void)snprintf(command, sizeof(command), format, a, b);
    assert_int_equal(system(command), 0);
}

int system_tree_open(void **state)
{
    struct hl_error err;

    (void)state;
    (void)strcpy(root + strlen(root) - 6, "XXXXXX");
    assert_non_null(mkdtemp(root));
    assert_int_equal(chmod(root, 0755), 0);
    assert_int_equal(hl_sysroot_set(root, &err), HL_OK);
    return 0;
}

int system_tree_close(void **state)
{
    struct hl_error err;

    (void)state;
    run("rm -rf '%s%s'", root, "");
    return hl_sysroot_set(NULL, &err) == HL_OK ? 0 : 1;
}

void system_tree_write(const char *path, const char *text)
{
    char full[PATH_MAX];
    FILE *file;

    (void)snprintf(full, sizeof(full), "%s%s", root, path);
    run("mkdir -p \"$(dirname '%s%s')\"", root, path);
    file = fopen(full, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

void system_tree_remove(const char *path)
{
    run("rm -rf '%s%s'", root, path);
}

void system_tree_forbid(const char *path)
{
    run("chmod 000 '%s%s'", root, path);
}

void system_tree_unpack(const char *name)
{
    char tool[PATH_MAX];

    (void)snprintf(tool, sizeof(tool), "sh '%s/machines/unpack.sh' '%s/machines/%s.tree'",
                   HALFLOAD_TESTS_DIR, HALFLOAD_TESTS_DIR, name);
    run("%s '%s'", tool, root);
}
