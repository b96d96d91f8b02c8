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

/* Both fail the test if the system refuses. */
void fixture_open(struct fixture *fixture);
void fixture_close(struct fixture *fixture);

/* Writes text to a file of the tree, making folders on the way. */
void fixture_write(const struct fixture *fixture, const char *name, const char *text);
bool fixture_has(const struct fixture *fixture, const char *name);
int fixture_entries(const char *folder); /* without . and .. */

/* The number in file `name` of top, waited for up to 10 s. */
int fixture_wait_number(const struct fixture *fixture, const char *name);

/* Is the process there (a zombie is not)? Waits up to 5 s for it to go. */
bool process_stays(int pid);

#endif
