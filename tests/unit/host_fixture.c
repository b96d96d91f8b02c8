/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host_fixture.c - a temporary folder with small trees to build.
 */
#include "host_fixture.h"

#include <dirent.h>
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

#include "host/folder.h"

struct fixture fixture;

int fixture_set_up(void **state)
{
    const char *folder = getenv("TMPDIR");

    (void)state;
    (void)snprintf(fixture.top, sizeof(fixture.top), "%s/halfload tést-XXXXXX",
                   folder == NULL ? "/tmp" : folder);
    assert_non_null(mkdtemp(fixture.top));
    (void)snprintf(fixture.tree, sizeof(fixture.tree), "%s/träe with blanks", fixture.top);
    (void)snprintf(fixture.work, sizeof(fixture.work), "%s/wörk dir", fixture.top);
    assert_int_equal(mkdir(fixture.tree, 0700), 0);
    assert_int_equal(mkdir(fixture.work, 0700), 0);
    return setenv("TOP", fixture.top, 1);
}

int fixture_tear_down(void **state)
{
    (void)state;
    assert_int_equal(host_folder_remove(fixture.top, NULL), HL_OK);
    return 0;
}

void fixture_write(const char *name, const char *text)
{
    char path[PATH_MAX];
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s/%s", fixture.tree, name);
    for (char *at = strchr(path + strlen(fixture.tree) + 1, '/'); at != NULL;
         at = strchr(at + 1, '/')) {
        *at = '\0';
        (void)mkdir(path, 0700);
        *at = '/';
    }
    file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

bool fixture_has(const char *name)
{
    char path[PATH_MAX];
    struct stat status;

    (void)snprintf(path, sizeof(path), "%s/%s", fixture.tree, name);
    return lstat(path, &status) == 0;
}

int fixture_entries(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    int count = 0;

    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    (void)closedir(folder);
    return count;
}

int fixture_wait_number(const char *name)
{
    char path[PATH_MAX];
    int number = 0;

    (void)snprintf(path, sizeof(path), "%s/%s", fixture.top, name);
    for (int i = 0; i < 1000 && number == 0; i++) {
        FILE *file = fopen(path, "re");

        if (file != NULL) {
            if (fscanf(file, "%d", &number) != 1)
                number = 0;
            (void)fclose(file);
        }
        if (number == 0)
            (void)usleep(10 * 1000);
    }
    assert_true(number > 1);
    return number;
}

static bool is_there(int pid)
{
    char path[64], state = 'Z';
    FILE *file;

    (void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    file = fopen(path, "re");
    if (file == NULL)
        return false;
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        state = 'Z';
    (void)fclose(file);
    return state != 'Z' && state != 'X';
}

bool process_stays(int pid)
{
    for (int i = 0; i < 500 && is_there(pid); i++)
        (void)usleep(10 * 1000);
    return is_there(pid);
}
