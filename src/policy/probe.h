/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe.h - reading the names of probed fields, such as "cpu12.nr_running".
 *
 * Inline and without the C library, because policies need nothing but their host and memory functions.
 */
#ifndef HL_POLICY_PROBE_H
#define HL_POLICY_PROBE_H

#include "policy/policy.h"

/* True if `field` is exactly `name`. */
static inline bool policy_field_is(const char *field, const char *name)
{
    while (*field != '\0' && *field == *name) {
        field++;
        name++;
    }
    return *field == *name;
}

/* True if *field begins with `prefix`; it is then advanced behind it. */
static inline bool policy_field_skip(const char **field, const char *prefix)
{
    const char *rest = *field;

    for (; *prefix != '\0'; prefix++, rest++)
        if (*rest != *prefix)
            return false;
    *field = rest;
    return true;
}

/* Reads a cpu number of the machine at *field and advances behind it. */
static inline bool policy_field_cpu(const struct policy *p, const char **field, int *cpu)
{
    const char *rest = *field;
    int number = 0;

    if (*rest < '0' || *rest > '9')
        return false;
    for (; *rest >= '0' && *rest <= '9'; rest++) {
        number = number * 10 + (*rest - '0');
        if (number >= policy_cpu_count(p))
            return false;
    }
    *field = rest;
    *cpu = number;
    return true;
}

/* "cpuN.REST": gives N and advances to REST. */
static inline bool policy_field_of_cpu(const struct policy *p, const char **field, int *cpu)
{
    const char *rest = *field;

    if (!policy_field_skip(&rest, "cpu") || !policy_field_cpu(p, &rest, cpu) ||
        !policy_field_skip(&rest, "."))
        return false;
    *field = rest;
    return true;
}

#endif
