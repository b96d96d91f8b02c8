/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu_list.h - sets of the operating system's cpu numbers, and their text "0-3,8".
 */
#ifndef HL_MACHINE_CPU_LIST_H
#define HL_MACHINE_CPU_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MACHINE_OS_CPUS_MAX = 8192 }; /* Linux's own limit */

struct machine_cpu_set {
    uint64_t word[MACHINE_OS_CPUS_MAX / 64]; /* bit `os_id`; zeroed is empty */
};

static inline bool machine_cpu_set_has(const struct machine_cpu_set *set, int64_t os_id)
{
    return os_id >= 0 && os_id < MACHINE_OS_CPUS_MAX &&
           (set->word[os_id / 64] >> (os_id % 64) & 1) != 0;
}

static inline void machine_cpu_set_add(struct machine_cpu_set *set, int os_id)
{
    set->word[os_id / 64] |= UINT64_C(1) << (os_id % 64);
}

static inline void machine_cpu_set_remove(struct machine_cpu_set *set, int os_id)
{
    set->word[os_id / 64] &= ~(UINT64_C(1) << (os_id % 64));
}

int machine_cpu_set_count(const struct machine_cpu_set *set);

/* "0-3,8", blanks and a newline around it allowed, "" is empty; numbers below MACHINE_OS_CPUS_MAX.
 * False on anything else; *set is undefined then. */
bool machine_cpu_list_parse(const char *text, struct machine_cpu_set *set);

/* The shortest such text; cut off if it does not fit. */
void machine_cpu_list_print(const struct machine_cpu_set *set, char *text, size_t bytes);

#endif
