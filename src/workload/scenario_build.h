/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scenario_build.h - a scenario while it is read. For the scenario_*.c files only.
 */
#ifndef HL_WORKLOAD_SCENARIO_BUILD_H
#define HL_WORKLOAD_SCENARIO_BUILD_H

#include "workload/scenario.h"
#include "workload/scenario_words.h"

/* Names of one kind, in the order of their statements; the texts are those of the words. */
struct scenario_names {
    const char **names;
    size_t count, capacity;
};

struct scenario_copies { /* `task NAME copies N` */
    size_t task;
    int64_t more; /* N - 1 */
};

struct scenario_build {
    struct scenario *s;
    struct scenario_copies *copies;
    size_t copies_count, copies_capacity;
    struct scenario_names programs; /* of children; index = program */
    struct scenario_names tasks, pipes, barriers;
    struct scenario_names groups, sessions;
    struct scenario_names locks; /* exist by being used */
};

/* Index, or -1. */
int32_t scenario_name_find(const struct scenario_names *names, const char *name);
/* Adds a name; c is where it stands, for messages. */
enum hl_status scenario_name_add(struct scenario_names *names, const struct scenario_cursor *c,
                                 const char *name, struct hl_error *err) HL_MUST_CHECK;

/* A name that a statement of this kind defines. */
enum hl_status scenario_define(struct scenario_names *names, struct scenario_cursor *c,
                               const char *kind, const char **name,
                               struct hl_error *err) HL_MUST_CHECK;

/* What follows the words `group` and `session`. */
enum hl_status scenario_group(struct scenario_build *b, struct scenario_cursor *c,
                              struct hl_error *err) HL_MUST_CHECK;
enum hl_status scenario_session(struct scenario_build *b, struct scenario_cursor *c,
                                struct hl_error *err) HL_MUST_CHECK;
/* The name of a group, or `root`: 1 + its place, or 0. The same of a session. */
enum hl_status scenario_group_name(struct scenario_build *b, struct scenario_cursor *c,
                                   int32_t *group, struct hl_error *err) HL_MUST_CHECK;
enum hl_status scenario_session_name(struct scenario_build *b, struct scenario_cursor *c,
                                     int32_t *session, struct hl_error *err) HL_MUST_CHECK;

/* "0-1,3": adds the set to the workload. */
enum hl_status scenario_cpu_set(struct scenario_build *b, struct scenario_cursor *c, int32_t *set,
                                struct hl_error *err) HL_MUST_CHECK;

/* Reads the steps up to the end of the statement into a new program of that name. */
enum hl_status scenario_steps(struct scenario_build *b, struct scenario_cursor *c, const char *name,
                              int32_t *program, struct hl_error *err) HL_MUST_CHECK;

/* What follows the words `program`, `task` and `expect`. */
enum hl_status scenario_program(struct scenario_build *b, struct scenario_cursor *c,
                                struct hl_error *err) HL_MUST_CHECK;
enum hl_status scenario_task(struct scenario_build *b, struct scenario_cursor *c,
                             struct hl_error *err) HL_MUST_CHECK;
/* Adds the copies of tasks, under the same names, behind all others. */
enum hl_status scenario_add_copies(struct scenario_build *b, struct hl_error *err) HL_MUST_CHECK;
enum hl_status scenario_expect(struct scenario_build *b, struct scenario_cursor *c,
                               struct hl_error *err) HL_MUST_CHECK;

#endif
