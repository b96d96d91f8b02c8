/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * player.c - a process that is the same one later: pid, start time and boot.
 */
#include "cli/player.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "host/boot.h"

/* Field 22 of /proc/PID/stat, clock ticks after the boot; the name before it may hold anything. */
static bool read_start(int pid, unsigned long long *start)
{
    char path[64], *text, *field;
    bool is_read;

    (void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    if (hl_read_file(path, 1 << 16, &text, NULL, NULL) != HL_OK)
        return false;
    field = strrchr(text, ')');
    for (int i = 2; field != NULL && i < 22; i++)
        field = strchr(field + 1, ' ');
    is_read = field != NULL && sscanf(field, " %llu", start) == 1;
    hl_free(text);
    return is_read;
}

const char *player_self(char text[static PLAYER_BYTES])
{
    unsigned long long start = 0;
    char boot[HOST_BOOT_BYTES];

    (void)read_start((int)getpid(), &start);
    (void)snprintf(text, PLAYER_BYTES, "%d %llu %s", (int)getpid(), start, host_boot_id(boot));
    return text;
}

bool player_is_alive(const char *text, int *pid)
{
    unsigned long long then, now;
    char boot_then[HOST_BOOT_BYTES], boot_now[HOST_BOOT_BYTES];

    if (sscanf(text, "%d %llu %39s", pid, &then, boot_then) != 3 || *pid == (int)getpid())
        return false;
    return strcmp(boot_then, host_boot_id(boot_now)) == 0 && read_start(*pid, &now) && now == then;
}

enum hl_status player_check_ended(const struct store_study *study, struct hl_error *err)
{
    int pid;

    if (!player_is_alive(study->player, &pid))
        return HL_OK;
    return hl_fail(err, HL_NOT_PERMITTED,
                   "study %s is being played by process %d; expected it to have ended", study->name,
                   pid);
}
