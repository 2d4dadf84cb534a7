// SPDX-License-Identifier: MIT
// Choosing the schemes by which instances that hold their inputs are led through steps (moving.h): the cheapest
// one whose result agrees with that of finer ones, found by trials during the run.
#ifndef TAKT_RUN_HELD_H
#define TAKT_RUN_HELD_H

#include "run/trials.h"

takt_status takt_held_create(const takt_couple *couple, takt_held *out, takt_error *err);

/// The scheme and the state that an instance begins with.
void takt_held_begin(const takt_couple *couple, int i_instance, takt_scheme *scheme,
                     takt_held *held);

/// After a step has been accepted: looks whether the scheme of an instance is good enough, and searches for
/// another one where that is due. `change` is the largest relative change of a value in a step of this size,
/// `gain` how much the loop of the instance makes of an error. The instance is where it was afterwards.
takt_status takt_held_look(takt_held *held, takt_couple *couple, int i_instance, takt_attempt *at,
                           int64_t n_accepted, double change, double gain, takt_error *err);

#endif
