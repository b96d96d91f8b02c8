/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tunables.h - the kernel's settings that matter to scheduling, as they are now.
 */
#ifndef HL_HOST_TUNABLES_H
#define HL_HOST_TUNABLES_H

/* `number` is 0, or the errno of a setting or folder that cannot be read. */
typedef void host_tunable_visitor(const char *key, const char *value, int number, void *context);

/* sysctls by their names ("kernel.sched_..."), then those of debugfs ("debugfs sched/..."), each in
 * order of the alphabet. */
void host_tunables_visit(host_tunable_visitor *visit, void *context);

#endif
