/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c - the command line: finds the verb, runs it, prints what failed, exits.
 */
#include <stdio.h>

int main(void)
{
    puts("halfload " HALFLOAD_VERSION);
    return 0;
}
