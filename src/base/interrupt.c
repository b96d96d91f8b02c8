/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interrupt.c - one flag, set by signal handlers and read by any thread.
 */
#include "base/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_bool interrupted_flag;

static void on_signal(int number)
{
    (void)number;
    atomic_store(&interrupted_flag, true);
}

void hl_interrupt_catch(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction action = {.sa_handler = on_signal};

    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        struct sigaction old;

        /* A signal ignored by whoever started us (nohup) stays ignored. */
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            (void)sigaction(numbers[i], &action, NULL);
    }
}

bool hl_interrupted(void)
{
    return atomic_load(&interrupted_flag);
}

void hl_interrupt_set(bool interrupted)
{
    atomic_store(&interrupted_flag, interrupted);
}
