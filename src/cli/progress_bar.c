/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress_bar.c - "[=====>    ]  7 of 15, 1m20s left", redrawn after each run.
 *
 * The time left assumes that a run to come takes as long as those so far did on average.
 */
#include "cli/progress_bar.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"

static int64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * HL_NS_PER_S + now.tv_nsec;
}

static void draw(const struct progress_bar *bar, const char *what)
{
    enum { WIDTH = 30 };
    char line[WIDTH + 1];
    int filled = bar->planned > 0 ? (int)(bar->finished * WIDTH / bar->planned) : 0;

    for (int i = 0; i < WIDTH; i++)
        line[i] = i < filled ? '=' : i == filled ? '>' : ' ';
    line[WIDTH] = '\0';
    (void)fprintf(stderr, "\r[%s] %" PRId64 " of %" PRId64 " runs%s\033[K", line, bar->finished,
                  bar->planned, what);
    (void)fflush(stderr);
}

static void on_planned(void *context, int64_t runs)
{
    struct progress_bar *bar = context;

    bar->planned = runs;
    bar->started_ns = now_ns();
    if (bar->announce != NULL)
        bar->announce(bar->context);
    if (bar->is_shown)
        draw(bar, "");
}

static void on_warming_up(void *context)
{
    struct progress_bar *bar = context;

    bar->warm_ups += bar->finished == 0;
    if (bar->is_shown)
        draw(bar, ", warming up");
}

static void on_done(void *context, const struct run *run, int64_t place, int64_t finished,
                    int64_t runs)
{
    struct progress_bar *bar = context;
    int64_t left_s;
    char text[64];

    (void)run;
    (void)place;
    bar->finished = finished;
    bar->planned = runs;
    if (!bar->is_shown)
        return;
    left_s =
        (now_ns() - bar->started_ns) / (finished + bar->warm_ups) * (runs - finished) / HL_NS_PER_S;
    if (left_s >= 60)
        (void)snprintf(text, sizeof(text), ", %" PRId64 "m%02" PRId64 "s left", left_s / 60,
                       left_s % 60);
    else
        (void)snprintf(text, sizeof(text), ", %" PRId64 "s left", left_s);
    draw(bar, text);
}

struct study_progress progress_bar_open(struct progress_bar *bar, void (*announce)(void *context),
                                        void *context)
{
    *bar = (struct progress_bar){
        .is_shown = isatty(STDERR_FILENO) == 1, .announce = announce, .context = context};
    return (struct study_progress){
        .planned = on_planned, .warming_up = on_warming_up, .done = on_done, .context = bar};
}

void progress_bar_close(struct progress_bar *bar)
{
    if (bar->is_shown)
        (void)fputs("\r\033[K", stderr);
    bar->is_shown = false;
}
