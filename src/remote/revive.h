// SPDX-License-Identifier: MIT
// Restarting an instance whose process has ended: a new one does all that was done before the first step, gets the state
// after the last step and those that the run keeps, and is asked again what the other one did not answer. Only
// for src/remote.
#ifndef TAKT_REMOTE_REVIVE_H
#define TAKT_REMOTE_REVIVE_H

#include "remote/remote_instance.h"

enum {
    TAKT_LAST_STATE = 0
}; ///< number of the one after the last step; those that the run saves follow

/// Restarts the instance, if it may be restarted; `why` says what happened to it. Returns false where that is not
/// possible.
bool takt_revive(takt_remote *self, const takt_error *why);

/// The last message was answered: keeps it, to be repeated.
void takt_revive_note(takt_remote *self);

#endif
