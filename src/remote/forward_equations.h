// SPDX-License-Identifier: MIT
// The equations of an isolated FMU for model exchange, for a group that integrates them together with those of others.
// (Alone they are integrated in the worker.) Only for src/remote.
#ifndef TAKT_REMOTE_FORWARD_EQUATIONS_H
#define TAKT_REMOTE_FORWARD_EQUATIONS_H

#include "remote/remote.h"

extern const takt_equations takt_forward_equations;

/// Reads how many states and indicators there are, behind the instantiation.
takt_status takt_forward_take_equations(takt_remote *self, const takt_me_options *options,
                                        takt_room *answer, takt_error *err);

/// Before a state is saved: brings the worker to where the group is. Does nothing outside of groups.
void takt_forward_follow(takt_remote *self);

/// After calls that may change the mode of the FMU.
void takt_forward_note_mode(takt_remote *self);

#endif
