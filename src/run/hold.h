// SPDX-License-Identifier: MIT
// Inputs that the user holds: they keep a value whatever their connections deliver.
//
// While an instance has such inputs, its type is a copy of its own one in which everything that sets inputs puts the held values in place of those
// that come. So no algorithm needs to know of it. Holds belong to the state of the run: snapshots and checkpoints have them.
#ifndef TAKT_RUN_HOLD_H
#define TAKT_RUN_HOLD_H

#include "instance/pack.h"
#include "run/run.h"

/// After takt_hold_inputs() and takt_hold_release() the instance may be of another type, for which its calls must be prepared.

/// Holds the variables of an access, inputs of an instance, at these values, or at others than before. To be set as well, as an event.
takt_status takt_hold_inputs(takt_run *run, int i_instance, const takt_access *access,
                             const takt_values *values, takt_error *err);

/// Lets those of them go that are held.
void takt_hold_release(takt_run *run, int i_instance, const takt_access *access);

bool takt_hold_has(const takt_run *run, int i_instance, int variable);

/// Puts the held values into inputs that were gathered, in the order of u. Texts are copied.
takt_status takt_hold_show(const takt_run *run, int i_instance, takt_values *inputs,
                           takt_error *err);

/// The real input at an index of u as its instance has it.
double takt_hold_input(const takt_run *run, int i_instance, int index);

/// All that is held, as bytes, and back: then as much is held as it was. takt_pass_prepare_held() must follow.
void takt_hold_pack(const takt_run *run, takt_packer *packer);
void takt_hold_unpack(takt_run *run, takt_unpacker *unpacker);

/// When the instance has been ended. Accepts NULL.
void takt_hold_destroy(struct takt_hold *hold);

#endif
