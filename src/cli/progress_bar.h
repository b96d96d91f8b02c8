/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress_bar.h - a bar with the time left, on a terminal only.
 */
#ifndef HL_CLI_PROGRESS_BAR_H
#define HL_CLI_PROGRESS_BAR_H

#include <stdbool.h>
#include <stdint.h>

#include "study/study.h"

struct progress_bar {
    bool is_shown; /* standard error is a terminal */
    int64_t started_ns, finished, planned;
    int64_t warm_ups; /* before the first run; each takes about as long as a run */
    void (*announce)(void *context); /* called when the first run is about to begin; NULL: nobody */
    void *context;
};

/* The study tells the bar; `bar` must outlive it. */
struct study_progress progress_bar_open(struct progress_bar *bar, void (*announce)(void *context),
                                        void *context);
/* Wipes the line. */
void progress_bar_close(struct progress_bar *bar);

#endif
