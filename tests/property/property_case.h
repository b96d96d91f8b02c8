/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * property_case.h - a random case: a machine, a policy with parameters, and programs that always end.
 *
 * A case is a scenario file in a form that can be edited: generated from a seed, made smaller step by
 * step, and printed. What is played is always what is printed, so the file of a failure replays it.
 */
#ifndef HL_TESTS_PROPERTY_CASE_H
#define HL_TESTS_PROPERTY_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "workload/scenario.h"

enum {
    CASE_CPUS_MAX = 16,
    CASE_SETTINGS_MAX = 40,
    CASE_PROGRAMS_MAX = 28,
    CASE_STEPS_MAX = 40,
    CASE_OBJECTS_MAX = 4, /* of pipes, barriers, locks, each */
    CASE_LOOP_END = OP_LOOP + 1
};

struct case_step {
    uint8_t op;             /* enum program_op; OP_LOOP opens, CASE_LOOP_END closes */
    int32_t target;         /* program, pipe, lock or barrier */
    int64_t amount, spread; /* OP_LOOP: how often; OP_SLEEP: uniform in [amount, amount + spread) */
    uint32_t cpus;          /* OP_AFFINITY: bit per cpu; 0: all */
    int32_t kind;           /* OP_RUN: enum machine_kind */
};

struct case_program {
    bool gone;    /* dropped while shrinking; indices of the others stay */
    bool is_task; /* exists from the start, else it is forked */
    bool is_kernel, is_background;
    int64_t at_ns;
    int32_t nice, class, rt_priority;
    int32_t group;     /* 1 + index; 0: the root */
    int32_t start_cpu; /* -1: none */
    uint32_t cpus;     /* may run on; 0: all */
    struct case_step steps[CASE_STEPS_MAX];
    int32_t step_count;
};

struct case_setting { /* of the machine or the policy */
    char text[112];   /* "smt_gain=0.2" */
};

struct property_case {
    uint64_t seed; /* of the run */
    char topology[64];
    int32_t cpu_count;
    int32_t capacity[CASE_CPUS_MAX]; /* in eighths of the fastest cpu; 0: all equal */
    struct case_setting constants[CASE_SETTINGS_MAX];
    int32_t constant_count;
    char policy[32];
    struct case_setting params[CASE_SETTINGS_MAX];
    int32_t param_count;
    struct case_program programs[CASE_PROGRAMS_MAX];
    int32_t program_count;
    struct {
        bool gone, sync;
        int64_t capacity_bytes;
    } pipes[CASE_OBJECTS_MAX];
    int32_t pipe_count;
    struct {
        bool gone;
        int32_t size;
    } barriers[CASE_OBJECTS_MAX];
    int32_t barrier_count;
    struct {
        int32_t weight, parent; /* parent: 1 + index of an earlier one; 0: the root */
        bool is_idle;
    } groups[CASE_OBJECTS_MAX];
    int32_t group_count; /* 0 for policies that have none */
};

/* The case of a seed, under a policy of the registry by its name. */
void property_case_generate(struct property_case *c, uint64_t seed, const char *policy);

/* Text as it grows. */
struct property_text {
    char *text; /* ends with a NUL; freed with hl_free */
    size_t bytes, capacity;
};

void property_text_add(struct property_text *text, const char *format, ...) HL_PRINTF(2, 3);

/*
 * The scenario file. Unequal cpus need a machine file: `machine` is its path; NULL leaves it out,
 * for the caller to set the capacities. Out of memory ends the program.
 */
void property_case_print(const struct property_case *c, const char *machine,
                         struct property_text *text);
void property_case_print_machine(const struct property_case *c, struct property_text *text);
bool property_case_has_capacity(const struct property_case *c);

/* The scenario of a case, ready to be played. */
enum hl_status property_case_open(const struct property_case *c, struct scenario *s,
                                  struct hl_error *err) HL_MUST_CHECK;

/*
 * Makes *c smaller as long as fails(context, c) holds of the smaller one; returns how many smaller
 * ones were tried. Only cases that still end come out: both sides of a pipe or barrier go together.
 */
int property_case_shrink(struct property_case *c, int tries_max,
                         bool (*fails)(void *context, const struct property_case *c),
                         void *context);

#endif
