/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * property_check.h - plays a scenario in several ways and says which property does not hold.
 */
#ifndef HL_TESTS_PROPERTY_CHECK_H
#define HL_TESTS_PROPERTY_CHECK_H

#include "workload/scenario.h"

enum property {
    PROPERTY_NONE,    /* all hold */
    PROPERTY_REFUSED, /* the policy does not take these parameters: no case at all */
    PROPERTY_PLAYS,   /* the run fails: custody, an invariant, nothing can happen */
    PROPERTY_ENDS,    /* some task never ends */
    PROPERTY_BOOKS,   /* the books kept over the events differ from the simulator's figures */
    PROPERTY_WORK,    /* what tasks ran is not what they asked for */
    PROPERTY_STARVES, /* a task waits longer than the policy declares */
    PROPERTY_IDLES,   /* a cpu idles beside a waiting task longer than the policy declares */
    PROPERTY_REPEATS, /* the same again, or looked at more often, is not the same */
    PROPERTY_CHANGES, /* a change that must not matter does */
    PROPERTY_COUNT
};

extern const char *const property_names[PROPERTY_COUNT];

struct property_finding {
    enum property property;
    char text[700];
    int64_t until_ns; /* PROPERTY_ENDS: how long it was waited for */
};

/* Checks all properties; stops at the first that does not hold. */
void property_check(const struct scenario *s, struct property_finding *finding);

#endif
