// SPDX-License-Identifier: MIT
// Choosing the schemes by which instances that hold their inputs are led through steps (moving.h): the cheapest
// one whose result agrees with that of finer ones, found by trials during the run.
#ifndef TAKT_RUN_HELD_H
#define TAKT_RUN_HELD_H

#include "run/couple.h"

/// What is carried from step to step for one instance, besides its scheme.
typedef struct takt_held_state {
    double h_valid; ///< s; up to this size the scheme has been confirmed
    double h_largest; ///< s; of the steps that cheaper schemes were tried with; fades
    int n_wins, n_needed; ///< how often a cheaper scheme would have done; before it is taken
    bool has_looked; ///< once
    bool is_end_enough; ///< what inputs do before the end of a step makes no difference, it seems
    bool is_given_up; ///< no scheme settles
    bool has_jumped; ///< it is a switch, and needs the values at the end only
    int64_t next_search; ///< number of the accepted step
} takt_held_state;

/// Room for trials.
typedef struct takt_held {
    takt_held_state *states; ///< per instance
    double *weights; ///< per tested value of one instance: the difference that matters
    double *rooms[5]; ///< outputs of one instance after trials
    double *kept; ///< its outputs as they are
    double *sources; ///< the values that it reads, as they are
} takt_held;

takt_status takt_held_create(const takt_couple *couple, takt_held *out, takt_error *err);

/// The scheme and the state that an instance begins with.
void takt_held_begin(const takt_couple *couple, int i_instance, takt_scheme *scheme,
                     takt_held_state *state);

/// Is there a choice of schemes?
bool takt_held_has_choice(const takt_couple *couple, int i_instance);

/// After a step has been accepted: looks whether the scheme of an instance is good enough, and searches for
/// another one where that is due. `change` is the largest relative change of a value in a step of this size,
/// `gain` how much the loop of the instance makes of an error. The instance is where it was afterwards.
takt_status takt_held_look(takt_held *held, takt_couple *couple, int i_instance, takt_attempt *at,
                           int64_t n_accepted, double change, double gain, takt_error *err);

#endif
