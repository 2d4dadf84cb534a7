// SPDX-License-Identifier: MIT
// Instances that go on without their process: after a crash their outputs keep the values that were read last. Only
// for src/remote.
#ifndef TAKT_REMOTE_HELD_H
#define TAKT_REMOTE_HELD_H

#include "remote/remote.h"

/// Makes room for the values of all variables, which begin with their start values.
takt_status takt_held_prepare(takt_remote *self, takt_error *err);
void takt_held_clear(takt_remote *self);

/// Keeps values that were read, if there is room.
void takt_held_keep(takt_remote *self, const takt_access *access, const takt_values *values);

/// Lets the functions of a type, which is that of a forwarding instance, hold an instance that fails.
void takt_held_wrap(takt_instance_type *type);

#endif
