/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_room.h - how much memory is there to be used.
 */
#ifndef HL_HOST_MEMORY_ROOM_H
#define HL_HOST_MEMORY_ROOM_H

#include <stdint.h>

#include "base/status.h"

/* Bytes that new processes of ours may use without swapping: what the system calls available, or
 * what a control group leaves of its limit if that is less. 0: not known. */
int64_t host_memory_room_bytes(void);

/* HL_UNSUPPORTED if `what` ("2 matrices") is known to need more than that. */
enum hl_status host_memory_check(const char *what, int64_t bytes,
                                 struct hl_error *err) HL_MUST_CHECK;

#endif
