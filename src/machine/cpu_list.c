/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu_list.c - the kernel's cpu lists, such as "0-3,8-11" in /sys/devices/system/cpu/online.
 */
#include "machine/cpu_list.h"

#include <stdio.h>
#include <string.h>

int machine_cpu_set_count(const struct machine_cpu_set *set)
{
    int count = 0;

    for (int i = 0; i < MACHINE_OS_CPUS_MAX / 64; i++)
        count += __builtin_popcountll(set->word[i]);
    return count;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

static bool read_number(const char **at, int *number)
{
    const char *start = *at;

    for (*number = 0; **at >= '0' && **at <= '9'; ++*at) {
        *number = *number * 10 + (**at - '0');
        if (*number >= MACHINE_OS_CPUS_MAX)
            return false;
    }
    return *at > start;
}

bool machine_cpu_list_parse(const char *text, struct machine_cpu_set *set)
{
    const char *at = text;

    *set = (struct machine_cpu_set){0};
    while (is_blank(*at))
        at++;
    if (*at == '\0')
        return true;
    for (;;) {
        int first, last;

        if (!read_number(&at, &first))
            return false;
        last = first;
        if (*at == '-') {
            at++;
            if (!read_number(&at, &last) || last < first)
                return false;
        }
        for (int cpu = first; cpu <= last; cpu++)
            machine_cpu_set_add(set, cpu);
        if (*at != ',')
            break;
        at++;
    }
    while (is_blank(*at))
        at++;
    return *at == '\0';
}

void machine_cpu_list_print(const struct machine_cpu_set *set, char *text, size_t bytes)
{
    size_t used = 0;

    text[0] = '\0';
    for (int first = 0; first < MACHINE_OS_CPUS_MAX; first++) {
        int last = first, written;

        if (!machine_cpu_set_has(set, first))
            continue;
        while (machine_cpu_set_has(set, last + 1))
            last++;
        written =
            first == last
                ? snprintf(text + used, bytes - used, "%s%d", used == 0 ? "" : ",", first)
                : snprintf(text + used, bytes - used, "%s%d-%d", used == 0 ? "" : ",", first, last);
        if (written < 0 || (size_t)written >= bytes - used)
            return;
        used += (size_t)written;
        first = last;
    }
}
