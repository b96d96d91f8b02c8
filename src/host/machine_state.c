/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine_state.c - reads what the machine counts: ticks of each cpu, pressure, throttling.
 *
 *     /proc/stat:            cpu3 USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL GUEST GUEST_NICE
 *     /proc/pressure/cpu:    some avg10=0.00 avg60=0.00 avg300=0.00 total=MICROSECONDS
 *     cpu.stat, cgroup v2:   nr_throttled N and throttled_usec N; v1: throttled_time NANOSECONDS
 */
#include "host/machine_state.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "host/process_tree.h"
#include "host/system_file.h"

/* ---- ticks ---- */

enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, COLUMNS };

/* "cpu3 1 2 3 4 ...": GUEST is part of USER already. False if the line is damaged. */
static bool take_cpu(struct host_machine_state *state, char *line)
{
    char *words[COLUMNS + 1], *save = NULL;
    int64_t cpu, column[COLUMNS] = {0};
    struct host_cpu_ticks *ticks;
    int count = 0;

    for (char *word = strtok_r(line, " ", &save); word != NULL && count < COLUMNS + 1;
         word = strtok_r(NULL, " ", &save))
        words[count++] = word;
    if (count <= IDLE + 1 || !hl_parse_int(words[0] + 3, &cpu) || cpu < 0 ||
        cpu >= MACHINE_OS_CPUS_MAX)
        return false;
    for (int i = 1; i < count; i++)
        if (!hl_parse_int(words[i], &column[i - 1]) || column[i - 1] < 0)
            return false;
    state->has_steal = count > STEAL + 1;
    ticks = &state->ticks[cpu];
    ticks->is_there = true;
    ticks->idle = column[IDLE] + column[IOWAIT];
    ticks->steal = column[STEAL];
    ticks->busy = column[USER] + column[NICE] + column[SYSTEM] + column[IRQ] + column[SOFTIRQ];
    return true;
}

static const char *read_ticks(struct host_machine_state *state)
{
    char *text, *rest, *line;
    bool is_sound = true, is_any = false;

    state->ticks = hl_alloc(MACHINE_OS_CPUS_MAX, sizeof(*state->ticks));
    if (state->ticks == NULL || host_system_read(&text, NULL, "/proc/stat") != 0)
        return "/proc/stat cannot be read; run where /proc is mounted";
    rest = text;
    while (is_sound && (line = hl_next_line(&rest)) != NULL && strncmp(line, "cpu", 3) == 0)
        if (line[3] != ' ') {
            is_sound = take_cpu(state, line);
            is_any = true;
        }
    hl_free(text);
    return is_sound && is_any ? NULL : "/proc/stat has no sound lines of single cpus";
}

/* ---- pressure ---- */

/* The "total=" of the line "some ...". */
static bool take_pressure(struct host_machine_state *state, char *text)
{
    char *rest = text, *line, *total;

    while ((line = hl_next_line(&rest)) != NULL) {
        total = strstr(line, " total=");
        if (strncmp(line, "some ", 5) == 0 && total != NULL)
            return hl_parse_int(total + 7, &state->pressure_us) && state->pressure_us >= 0;
    }
    return false;
}

/* Of our own group, the first that is visited. */
static enum hl_status visit_pressure(const char *folder, bool is_v2, void *context,
                                     struct hl_error *err)
{
    struct host_machine_state *state = context;
    char *text;

    (void)err;
    if (!is_v2 || state->pressure_of != NULL)
        return HL_OK;
    if (host_system_read(&text, NULL, "%s/cpu.pressure", folder) != 0)
        return HL_OK;
    if (take_pressure(state, text))
        state->pressure_of = "of our control group: tasks of others outside of it do not count";
    hl_free(text);
    return HL_OK;
}

static const char *read_pressure(struct host_machine_state *state)
{
    char *text;
    int number = host_system_read(&text, NULL, "/proc/pressure/cpu");

    if (number == 0 && take_pressure(state, text))
        state->pressure_of = "of the whole machine";
    hl_free(text);
    if (state->pressure_of != NULL ||
        (machine_cpu_groups_visit(visit_pressure, state, NULL) == HL_OK &&
         state->pressure_of != NULL))
        return NULL;
    if (number == 0)
        return "/proc/pressure/cpu is not as expected";
    if (number == ENOENT)
        return "the kernel measures no pressure; it takes one with CONFIG_PSI, and psi=1 on its "
               "command line where that is off by default";
    if (number == EOPNOTSUPP)
        return "measuring pressure is switched off; boot with psi=1";
    return "/proc/pressure/cpu cannot be read; run as root";
}

/* ---- throttling ---- */

struct throttling {
    struct host_machine_state *state;
    bool is_any;
};

static int64_t value_of(const char *line, const char *key)
{
    size_t length = strlen(key);
    int64_t value;

    return strncmp(line, key, length) == 0 && line[length] == ' ' &&
                   hl_parse_int(line + length + 1, &value) && value >= 0
               ? value
               : -1;
}

/* A limit further up throttles us as well. */
static enum hl_status visit_throttling(const char *folder, bool is_v2, void *context,
                                       struct hl_error *err)
{
    struct throttling *throttling = context;
    struct host_machine_state *state = throttling->state;
    int64_t periods = 0, time_ns = 0;
    char *text, *rest, *line;

    (void)err;
    (void)is_v2;
    if (host_system_read(&text, NULL, "%s/cpu.stat", folder) != 0)
        return HL_OK;
    rest = text;
    while ((line = hl_next_line(&rest)) != NULL) {
        periods = HL_MAX(periods, value_of(line, "nr_throttled"));
        time_ns = HL_MAX(time_ns, value_of(line, "throttled_time"));
        time_ns = HL_MAX(time_ns, value_of(line, "throttled_usec") * HL_NS_PER_US);
    }
    hl_free(text);
    /* A group without a limit may lack the lines: it throttled nothing. */
    throttling->is_any = true;
    state->throttled_periods += periods;
    state->throttled_ns += time_ns;
    return HL_OK;
}

static const char *read_throttling(struct host_machine_state *state)
{
    struct throttling throttling = {.state = state};

    if (machine_cpu_groups_visit(visit_throttling, &throttling, NULL) == HL_OK && throttling.is_any)
        return NULL;
    return "no cpu.stat of a control group tells of throttling; mount cgroups with the cpu "
           "controller";
}

/* ---- all together ---- */

void host_machine_state_read(struct host_machine_state *state)
{
    *state = (struct host_machine_state){.at_ns = host_now_ns()};
    state->ticks_why = read_ticks(state);
    state->pressure_why = read_pressure(state);
    state->throttled_why = read_throttling(state);
    state->has_cpus = machine_host_cpus_read(&state->cpus, NULL) == HL_OK;
    host_scheduler_read(&state->scheduler);
}

void host_machine_state_close(struct host_machine_state *state)
{
    hl_free(state->ticks);
    state->ticks = NULL;
}
