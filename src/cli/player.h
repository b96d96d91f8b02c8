/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * player.h - which process plays a study, so that it is not played twice at once.
 *
 *     "4711 8812345 6b8d4567-..."     pid, when it was started, boot: together never used again
 */
#ifndef HL_CLI_PLAYER_H
#define HL_CLI_PLAYER_H

#include <stdbool.h>

#include "store/store.h"

enum { PLAYER_BYTES = 96 };

/* This process. */
const char *player_self(char text[static PLAYER_BYTES]);

/* True if that process lives, and is not this one; *pid is its number. */
bool player_is_alive(const char *text, int *pid);

/* HL_NOT_PERMITTED while another process plays the study. */
enum hl_status player_check_ended(const struct store_study *study,
                                  struct hl_error *err) HL_MUST_CHECK;

#endif
