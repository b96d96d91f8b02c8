/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * boot.h - which boot of a kernel this is.
 */
#ifndef HL_HOST_BOOT_H
#define HL_HOST_BOOT_H

enum { HOST_BOOT_BYTES = 40 };

/* "6b8d4567-..." as the kernel drew it when it started; "" if it cannot be read. */
const char *host_boot_id(char id[static HOST_BOOT_BYTES]);

#endif
