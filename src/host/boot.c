/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * boot.c - the random number of this boot, /proc/sys/kernel/random/boot_id.
 */
#include "host/boot.h"

#include "host/system_file.h"

const char *host_boot_id(char id[static HOST_BOOT_BYTES])
{
    if (host_system_line(id, HOST_BOOT_BYTES, "/proc/sys/kernel/random/boot_id") != 0)
        id[0] = '\0';
    return id;
}
