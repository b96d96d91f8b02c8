/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * facts.h - what was measured about one run beside its times: metrics, doubts, whose scheduler.
 *
 * Filled by the keeper in memory it shares with the program, so everything is in place; reasons are
 * static text, at the same address in both.
 */
#ifndef HL_HOST_FACTS_H
#define HL_HOST_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "run/run.h"

enum { HOST_FACTS_MAX = 20 };

struct host_facts {
    struct {
        enum run_metric metric;
        double value;       /* NAN: not had */
        const char *reason; /* why not, with the remedy; or how it was had; or NULL */
    } fact[HOST_FACTS_MAX];
    int32_t count;
    char note[200];    /* what a reader of the result has to know; "": nothing */
    char invalid[224]; /* why the run does not count for what it was made for; "": it does */
};

void host_facts_set(struct host_facts *facts, enum run_metric metric, double value,
                    const char *reason);
void host_facts_miss(struct host_facts *facts, enum run_metric metric, const char *reason);

/* Adds a sentence to the note. */
void host_facts_note(struct host_facts *facts, const char *format, ...) HL_PRINTF(2, 3);

/* Metrics, note, boot and, of a run that does not count, RUN_INVALID. After all else of *run is
 * filled. */
void host_facts_fill(const struct host_facts *facts, struct run *run);

#endif
