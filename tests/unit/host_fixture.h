/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host_fixture.h - a temporary folder with small trees to build, for the tests of the real machine.
 */
#ifndef HL_TESTS_HOST_FIXTURE_H
#define HL_TESTS_HOST_FIXTURE_H

#include <limits.h>
#include <stdbool.h>

struct fixture {
    char top[PATH_MAX / 4];  /* its name has a blank and letters beyond ASCII */
    char tree[PATH_MAX / 2]; /* the user's tree, below top */
    char work[PATH_MAX / 2]; /* where private folders go, below top */
};

extern struct fixture fixture; /* of the test that runs */

/* cmocka's set-up and tear-down; both fail the test if the system refuses. $TOP is fixture.top. */
int fixture_set_up(void **state);
int fixture_tear_down(void **state);

/* Writes text to a file of the tree, making folders on the way. */
void fixture_write(const char *name, const char *text);
bool fixture_has(const char *name);
int fixture_entries(const char *folder); /* without . and .. */

/* The number in file `name` of top, waited for up to 10 s. */
int fixture_wait_number(const char *name);

/* Is the process there (a zombie is not)? Waits up to 5 s for it to go. */
bool process_stays(int pid);

#endif
