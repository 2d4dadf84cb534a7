// SPDX-License-Identifier: MIT
// What a worker that has no integrator of its own and the master, which has one, say to each other while a call goes on: items in a room that
// only they use. The worker asks for something (takt_region::wants_integrator); the master answers with what it needs of the equations, again and again,
// and at last with TAKT_TALK_DONE. Only the methods of SUNDIALS are asked for; all else is done by the worker.
#ifndef TAKT_REMOTE_TALK_H
#define TAKT_REMOTE_TALK_H

/// What an item of the room is about; it follows as a number, with what stands there.
typedef enum takt_talk {
    // Of the worker:
    TAKT_TALK_CREATE, ///< method, states, roots, has it a Jacobian (numbers), relative tolerance
    TAKT_TALK_RESTART, ///< time, states, absolute tolerances
    TAKT_TALK_STEP, ///< time of the end
    TAKT_TALK_DESTROY,
    TAKT_TALK_VALUES, ///< what the master needed: status, text, is the point fine (numbers), values
    // Of the master:
    TAKT_TALK_DERIVATIVES, ///< time, states; wanted: their derivatives
    TAKT_TALK_ROOTS, ///< the same; wanted: event functions
    TAKT_TALK_JACOBIAN, ///< time, states, derivatives; wanted: the matrix
    TAKT_TALK_DONE, ///< status, text; after a step: time, states, has it a root
    TAKT_N_TALKS
} takt_talk;

#endif
