/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * facts.c - collects facts about a run and writes them into its record.
 */
#include "host/facts.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "host/boot.h"

void host_facts_set(struct host_facts *facts, enum run_metric metric, double value,
                    const char *reason)
{
    assert(facts->count < HOST_FACTS_MAX);
    facts->fact[facts->count].metric = metric;
    facts->fact[facts->count].value = value;
    facts->fact[facts->count].reason = reason;
    facts->count++;
}

void host_facts_miss(struct host_facts *facts, enum run_metric metric, const char *reason)
{
    host_facts_set(facts, metric, (double)NAN, reason);
}

void host_facts_note(struct host_facts *facts, const char *format, ...)
{
    size_t used = strlen(facts->note);
    va_list args;

    if (used > 0 && used + 2 < sizeof(facts->note))
        used += (size_t)snprintf(facts->note + used, sizeof(facts->note) - used, "; ");
    va_start(args, format);
    (void)vsnprintf(facts->note + used, sizeof(facts->note) - used, format, args);
    va_end(args);
}

static void add_note(struct run *run, const char *text)
{
    size_t used = strlen(run->note);

    if (text[0] != '\0')
        (void)snprintf(run->note + used, sizeof(run->note) - used, "%s%s", used > 0 ? "; " : "",
                       text);
}

void host_facts_fill(const struct host_facts *facts, struct run *run)
{
    for (int i = 0; i < facts->count; i++) {
        run->metric[facts->fact[i].metric] = facts->fact[i].value;
        run->reason[facts->fact[i].metric] = facts->fact[i].reason;
    }
    if (facts->invalid[0] != '\0' && run->status == RUN_OK)
        run->status = RUN_INVALID;
    add_note(run, facts->invalid);
    add_note(run, facts->note);
    (void)host_boot_id(run->boot_id);
}
