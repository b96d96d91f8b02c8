/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host_session.h - the private folder of a session, and what is left of sessions that were killed.
 */
#ifndef HL_HOST_HOST_SESSION_H
#define HL_HOST_HOST_SESSION_H

#include <limits.h>

#include "base/status.h"
#include "host/scheduler.h"

/* {0} is a session never opened. */
struct host_session {
    char folder[PATH_MAX];           /* absolute, without links */
    char mark[PATH_MAX + 32];        /* environment entry of every process of the session */
    int lock;                        /* descriptor; held as long as the session lives */
    struct host_scheduler scheduler; /* in force when the session began */
};

/* The folder where private folders go, absolute and without links: `wanted`, or if that is NULL
 * $TMPDIR, else /var/tmp. */
enum hl_status host_work_dir_find(char real[static PATH_MAX], const char *wanted,
                                  struct hl_error *err) HL_MUST_CHECK;

/* Ends and removes what dead sessions left in `work_dir`, then makes a private folder there.
 * `work_dir` comes from host_work_dir_find. */
enum hl_status host_session_open(struct host_session *session, const char *work_dir,
                                 struct hl_error *err) HL_MUST_CHECK;

/* Ends all processes that carry the session's mark. */
void host_session_end_processes(const struct host_session *session);

/* Removes the folder. Safe on a session never opened. */
void host_session_close(struct host_session *session);

#endif
