/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interrupt.h - the wish of SIGINT, SIGTERM, SIGHUP or SIGQUIT to end, as a flag.
 *
 * The program installs the handlers once; long work asks between two steps and ends with
 * HL_INTERRUPTED. Blocking system calls return EINTR: they are not restarted.
 */
#ifndef HL_BASE_INTERRUPT_H
#define HL_BASE_INTERRUPT_H

#include <stdbool.h>

void hl_interrupt_catch(void);
bool hl_interrupted(void);

/* What the handler does; tests call it to interrupt without a signal. False takes it back. */
void hl_interrupt_set(bool interrupted);

#endif
