// SPDX-License-Identifier: MIT
// How a forwarding instance talks to its worker. The calls themselves are in forward.c. Only for src/remote.
#ifndef TAKT_REMOTE_REMOTE_H
#define TAKT_REMOTE_REMOTE_H

#include "remote/remote_instance.h"

/// Begins a call: returns the room for what belongs to it. What was fetched is void from here on.
takt_room *takt_remote_begin(takt_remote *self, takt_op op);

/// Sends the calls that wait, and this one.
takt_status takt_remote_send(takt_remote *self, takt_error *err);

/// Waits for the results, which `answer` has then.
takt_status takt_remote_receive(takt_remote *self, takt_room *answer, takt_error *err);

/// Both. `answer` may be NULL if nothing is expected.
takt_status takt_remote_call(takt_remote *self, takt_room *answer, takt_error *err);

/// Lets a call wait where that is allowed, else sends it.
takt_status takt_remote_post(takt_remote *self, takt_error *err);

/// After the results have been read: fails if the answer was not as it has to be.
takt_status takt_remote_check(const takt_remote *self, const takt_room *answer, takt_error *err);

#endif
