// SPDX-License-Identifier: MIT
// The forwarding instance: its struct, and how it talks to its worker. The calls themselves are in forward.c. Only for
// src/remote.
#ifndef TAKT_REMOTE_REMOTE_H
#define TAKT_REMOTE_REMOTE_H

#include "instance/instance.h"
#include "me/equations.h"
#include "remote/isolation.h"
#include "remote/words.h"
#include "remote/worker.h"

/// The kind of the instances of one model.
typedef struct takt_remote_kind {
    takt_instance_type type; ///< first
    const takt_instance_type *inner; ///< that of the FMU, which the worker has
    takt_isolation options;
    takt_nest *nest; ///< NULL: not yet needed
} takt_remote_kind;

/// A list of variables.
typedef struct takt_remote_list {
    int *variables; ///< NULL: none yet
    int n, capacity;
} takt_remote_list;

/// A state that the worker keeps.
typedef struct takt_remote_state {
    int64_t number;
    struct takt_remote_state *next; ///< of those that nobody uses
} takt_remote_state;

typedef struct takt_remote {
    takt_instance base; ///< first
    takt_remote_kind *kind;
    takt_worker worker;
    takt_room ask; ///< calls that wait to be sent
    bool is_waiting; ///< there are some
    bool is_initialized; ///< from here on calls without results may wait
    bool has_just_stepped; ///< no other call came since
    takt_remote_list fetched; ///< what was read after steps
    bool is_fetching; ///< the present step brings it along
    const void *fetched_values; ///< in the answer; NULL: there are none
    takt_room answer; ///< where they begin
    takt_remote_state *unused;
    int64_t n_states;
    takt_me me; ///< what a group needs of the equations, which the worker has
    bool is_in_group; ///< which integrates them
    char told[TAKT_REGION_NOTE]; ///< what the sandbox refused last, and was reported
    bool is_ended; ///< the FMU has been freed
    takt_status failure; ///< of a worker that has gone; TAKT_OK: none has
} takt_remote;

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
