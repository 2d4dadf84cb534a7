// SPDX-License-Identifier: MIT
// What a master and a worker say to each other. A message asks for calls of the contract (instance/instance.h), one
// after the other; the worker makes them up to the first that fails. The answer has what they return, in the same order.
#ifndef TAKT_REMOTE_WORDS_H
#define TAKT_REMOTE_WORDS_H

#include "instance/instance.h"
#include "remote/room.h"

/// Every call: constant, what it does (for messages), handler in the worker.
#define TAKT_OP_LIST(X)                                                                            \
    X(TAKT_OP_INSTANTIATE, "its instantiation", instantiate)                                       \
    X(TAKT_OP_ENTER_INITIALIZATION, "entering initialization", enter_initialization)               \
    X(TAKT_OP_EXIT_INITIALIZATION, "leaving initialization", exit_initialization)                  \
    X(TAKT_OP_SET, "setting values", set)                                                          \
    X(TAKT_OP_GET, "reading values", get)                                                          \
    X(TAKT_OP_STEP, "a step", step)                                                                \
    X(TAKT_OP_ENTER_EVENTS, "entering events", enter_events)                                       \
    X(TAKT_OP_UPDATE_EVENTS, "updating events", update_events)                                     \
    X(TAKT_OP_LEAVE_EVENTS, "leaving events", leave_events)                                        \
    X(TAKT_OP_TERMINATE, "its end", terminate)                                                     \
    X(TAKT_OP_SAVE, "saving its state", save)                                                      \
    X(TAKT_OP_RESTORE, "restoring its state", restore)                                             \
    X(TAKT_OP_FREE_STATE, "freeing a state", free_state)                                           \
    X(TAKT_OP_SERIALIZE, "serialising its state", serialize)                                       \
    X(TAKT_OP_DESERIALIZE, "reading a serialised state", deserialize)                              \
    X(TAKT_OP_DIFFERENTIATE, "directional derivatives", differentiate)                             \
    X(TAKT_OP_DEPEND, "asking for dependencies", depend)                                           \
    X(TAKT_OP_GET_DERIVATIVES, "reading derivatives of outputs", get_derivatives)                  \
    X(TAKT_OP_SET_MOTION, "setting derivatives of inputs", set_motion)                             \
    X(TAKT_OP_DESTROY, "freeing it", destroy)                                                      \
    X(TAKT_OP_ME_FOLLOW, "following its group", follow)                                            \
    X(TAKT_OP_ME_SET, "setting values", set_inside)                                                \
    X(TAKT_OP_ME_SET_TIME, "setting the time", set_time)                                           \
    X(TAKT_OP_ME_SET_STATES, "setting continuous states", set_states)                              \
    X(TAKT_OP_ME_GET_STATES, "reading continuous states", get_states)                              \
    X(TAKT_OP_ME_GET_NOMINALS, "reading nominal values", get_nominals)                             \
    X(TAKT_OP_ME_GET_DERIVATIVES, "evaluating derivatives", evaluate_derivatives)                  \
    X(TAKT_OP_ME_GET_INDICATORS, "evaluating event indicators", evaluate_indicators)               \
    X(TAKT_OP_ME_COMPLETED_STEP, "completing an integrator step", completed_step)                  \
    X(TAKT_OP_ME_ENTER_EVENTS, "entering event mode", enter_event_mode)                            \
    X(TAKT_OP_ME_UPDATE, "updating discrete states", update)                                       \
    X(TAKT_OP_ME_ENTER_CONTINUOUS, "entering continuous-time mode", enter_continuous)

typedef enum takt_op {
    TAKT_OP_NONE,
#define TAKT_OP_ENUM(name, text, handler) name,
    TAKT_OP_LIST(TAKT_OP_ENUM)
#undef TAKT_OP_ENUM
        TAKT_N_OPS
} takt_op;

/// What a call does, for messages.
const char *takt_op_text(unsigned op);

/// The variables of an access, in its order; an access that is made of them has the same order.
void takt_room_put_access(takt_room *room, const takt_access *access);

/// How many variables an access has.
int takt_access_size(const takt_access *access);

/// Are these the variables of the access?
bool takt_access_is(const takt_access *access, const int *variables, int n);

#endif
