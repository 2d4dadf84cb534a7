// SPDX-License-Identifier: MIT
// Draws systems by number: the same number gives the same system on every machine.
#ifndef TAKT_TESTS_CAMPAIGN_DRAW_H
#define TAKT_TESTS_CAMPAIGN_DRAW_H

#include "campaign/system.h"

extern const char *const kind_names[N_KINDS];
extern const char *const control_names[N_CONTROLS];

/// Kinds follow each other, and for every kind the step controls.
void draw_system(uint32_t number, random_system *out);

#endif
